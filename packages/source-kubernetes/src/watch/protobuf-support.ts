/** Whether protobuf is requested from an API server. */
export class ProtobufSupport {
  #isRefused: boolean;

  /** @param isRefused protobuf is never requested. */
  constructor(isRefused = false) {
    this.#isRefused = isRefused;
  }

  /** Whether the server, or a proxy in front of it, does not support protobuf. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  /** Protobuf is not requested again. */
  refuse(): void {
    this.#isRefused = true;
  }
}
