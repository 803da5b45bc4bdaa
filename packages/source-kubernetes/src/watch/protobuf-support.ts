/** Whether an API server is asked for protobuf. */
export class ProtobufSupport {
  #isRefused: boolean;

  /** @param isRefused it is never asked. */
  constructor(isRefused = false) {
    this.#isRefused = isRefused;
  }

  /** The server, or a proxy before it, does not have protobuf. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** The server is not asked again. */
  refuse(): void {
    this.#isRefused = true;
  }
}
