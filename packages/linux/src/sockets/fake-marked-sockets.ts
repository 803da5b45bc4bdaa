import type { Socket as UdpSocket } from 'node:dgram';
import { Socket } from 'node:net';
import type { IPFamily } from '@kube-proxier/core';
import type { MarkedSockets, MarkedTcpOptions } from './marked-sockets.js';

export interface FakeMarkedSocketsOptions {
  /** Default 0x4000. */
  readonly mark?: number;
  /** Why no mark can be set. Default: it can. */
  readonly unusable?: string;
}

/** Hands out sockets that work and carry no mark, and counts them. Needs no privilege. */
export class FakeMarkedSockets implements MarkedSockets {
  readonly mark: number;
  unusable: string | undefined = 'it was not started';
  /** Code that each new socket fails with. Default: none fails. */
  failWith: string | undefined;
  /** Sockets that were made. */
  readonly made = { tcp: 0, udp: 0 };
  readonly #unusable: string | undefined;

  constructor({ mark = 0x4000, unusable }: FakeMarkedSocketsOptions = {}) {
    this.mark = mark;
    this.#unusable = unusable;
  }

  async start(): Promise<void> {
    this.unusable = this.#unusable;
  }

  createTcp(_family: IPFamily, options: MarkedTcpOptions = {}): Socket {
    this.#check();
    this.made.tcp++;
    return new Socket(options as ConstructorParameters<typeof Socket>[0]);
  }

  bindUdp(family: IPFamily, socket: UdpSocket): void {
    this.#check();
    this.made.udp++;
    socket.bind({ port: 0, address: family === 'IPv4' ? '0.0.0.0' : '::', exclusive: true });
  }

  #check(): void {
    if (this.unusable !== undefined) {
      throw new Error(`marked sockets cannot be used: ${this.unusable}`);
    }
    if (this.failWith !== undefined) {
      throw Object.assign(new Error(`socket: ${this.failWith}`), { code: this.failWith });
    }
  }
}
