import type { Socket as UdpSocket } from 'node:dgram';
import { Socket } from 'node:net';
import type { IPFamily } from '@kube-proxier/core';
import type { MarkedSockets, MarkedTcpOptions } from './marked-sockets.js';

export interface FakeMarkedSocketsOptions {
  /** Default 0x4000. */
  readonly mark?: number;
  /** Why marks cannot be set. Default: they can. */
  readonly unusable?: string;
}

/** Creates working sockets without a mark, and counts them. Needs no privilege. */
export class FakeMarkedSockets implements MarkedSockets {
  readonly mark: number;
  unusable: string | undefined = 'it was not started';
  /** Error code of each new socket. Default: no failure. */
  failWith: string | undefined;
  /** Number of created sockets. */
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
