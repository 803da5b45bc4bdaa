import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, connect as netConnect, type Server, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

/** A TCP endpoint of a test, with what is connected to it. */
export class LoopbackServer {
  readonly connections: Socket[] = [];

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async start(address: string, port: number, serve: (socket: Socket) => void): Promise<LoopbackServer> {
    const sockets: Socket[] = [];
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      sockets.push(socket);
      socket.on('error', () => {});
      serve(socket);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: address, port, backlog: 4096 }, resolve);
    });
    const bound = server.address();
    const started = new LoopbackServer(server, typeof bound === 'object' && bound ? bound.port : 0);
    Object.assign(started, { connections: sockets });
    return started;
  }

  /** Answers with its name, then echoes. */
  static echo(address: string, port: number, name = address): Promise<LoopbackServer> {
    return LoopbackServer.start(address, port, (socket) => {
      socket.write(`${name}\n`);
      socket.pipe(socket);
    });
  }

  async close(): Promise<void> {
    for (const socket of this.connections) {
      socket.destroy();
    }
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** A client's connection: what came, and how it ended. */
export class LoopbackClient {
  received = Buffer.alloc(0);
  ended = false;
  closed = false;
  error: NodeJS.ErrnoException | undefined;

  private constructor(readonly socket: Socket) {
    socket.on('data', (chunk: Buffer) => {
      this.received = Buffer.concat([this.received, chunk]);
    });
    socket.on('end', () => {
      this.ended = true;
    });
    socket.on('error', (error) => {
      this.error = error;
    });
    socket.on('close', () => {
      this.closed = true;
    });
  }

  static connect(port: number, host = '127.0.0.1', localAddress?: string): LoopbackClient {
    const socket = netConnect({ host, port, allowHalfOpen: true, ...(localAddress ? { localAddress } : {}) });
    return new LoopbackClient(socket);
  }

  get text(): string {
    return this.received.toString();
  }
}

/** A UDP endpoint that answers each datagram with its name. */
export async function udpEcho(address: string, port: number, name = address) {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  let received = 0;
  socket.on('message', (_message, { port: to, address: host }) => {
    received++;
    socket.send(name, to, host);
  });
  await new Promise<void>((resolve) => socket.bind(port, address, resolve));
  return {
    port: socket.address().port,
    count: () => received,
    close: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}

const HANGING = `
const { parentPort, workerData } = require('node:worker_threads');
const server = require('node:net').createServer();
server.listen({ host: workerData.address, port: workerData.port, backlog: 1 }, () => {
  parentPort.postMessage(server.address().port);
  setImmediate(() => Atomics.wait(workerData.gate, 0, 0));
});
`;

/** A TCP endpoint that listens and never accepts: pending connections fill its queue. */
export async function hangingServer(address: string, port: number) {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(HANGING, { eval: true, workerData: { address, port, gate } });
  const [bound] = (await once(worker, 'message')) as [number];
  const waiting = Array.from({ length: 4 }, () => {
    const socket = netConnect({ host: address, port: bound });
    socket.on('error', () => {});
    return socket;
  });
  await Promise.all(waiting.slice(0, 2).map((socket) => once(socket, 'connect')));
  return {
    port: bound,
    async close(): Promise<void> {
      for (const socket of waiting) {
        socket.destroy();
      }
      Atomics.store(gate, 0, 1);
      Atomics.notify(gate, 0);
      await worker.terminate();
    },
  };
}
