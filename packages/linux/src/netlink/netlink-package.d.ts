/** The used part of the npm package, whose own types refer to another version of Node. */
declare module 'netlink' {
  import type { EventEmitter } from 'node:events';

  export class RawNetlinkSocket extends EventEmitter {
    constructor(protocol: number, options?: { readonly recvBufferSize: number; readonly sendBufferSize: number });
    send(message: Uint8Array, options: object, done: (error?: Error & { readonly code?: string }) => void): void;
    address(): { readonly port: number };
    getRecvBufferSize(): number;
    getSendBufferSize(): number;
    ref(): void;
    unref(): void;
    close(): void;
  }
}
