/** An address to listen on. */
export interface ListenAddress {
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
}
