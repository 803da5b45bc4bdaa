import { spawnSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { until, VirtualClock } from '@kube-proxier/core/testing';
import { DescriptorBudget } from './proxy/descriptor-budget.js';
import { EndpointDialer } from './proxy/endpoint-dialer.js';
import {
  freePort,
  LoopbackFixture,
  type LoopbackFixtureOptions,
  type LoopbackService,
} from './testing/loopback-fixture.js';
import { udpEcho } from './testing/loopback-servers.js';

/** So many clients with one datagram each. */
const CROWD = `
import { createSocket } from 'node:dgram';
const [, host, port, count] = process.argv;
await Promise.all(Array.from({ length: Number(count) }, () => new Promise((resolve, reject) => {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  socket.send('x', Number(port), host, (error) => (error ? reject(error) : resolve()));
  socket.unref();
})));
process.exit(0);
`;

/** Signals a request in shared memory (1), and answers (3) on command (2). */
const SLOW_ENDPOINT = `
const { parentPort, workerData } = require('node:worker_threads');
const gate = new Int32Array(new SharedArrayBuffer(4));
const socket = require('node:dgram').createSocket(workerData.host.includes(':') ? 'udp6' : 'udp4');
socket.on('message', (_message, { address, port }) => {
  Atomics.store(gate, 0, 1);
  Atomics.wait(gate, 0, 1);
  socket.send('answer', port, address, () => Atomics.store(gate, 0, 3));
});
socket.bind(workerData.port, workerData.host, () => parentPort.postMessage(gate));
`;

const cleanups: (() => Promise<unknown>)[] = [];
let nodePort: number;

beforeEach(async () => {
  nodePort = await freePort('UDP');
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) {
    await cleanup();
  }
});

function fixture(options: LoopbackFixtureOptions = {}): LoopbackFixture {
  const made = new LoopbackFixture(options);
  cleanups.push(() => made.close());
  return made;
}

async function endpoint(address: string, port = 0) {
  const started = await udpEcho(address, port);
  cleanups.push(() => started.close());
  return started;
}

function client(host: string): { socket: Socket; answers: string[]; send(text: string): void } {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  const answers: string[] = [];
  socket.on('message', (message) => answers.push(message.toString()));
  cleanups.push(() => new Promise<void>((resolve) => socket.close(() => resolve())));
  return { socket, answers, send: (text) => socket.send(text, nodePort, host) };
}

describe.each(['IPv4', 'IPv6'] as const)('UDP through sockets, %s', (family) => {
  const host = family === 'IPv4' ? '127.0.0.1' : '::1';

  test('clients that connect while the process is busy are served', async () => {
    const { port } = await endpoint(host);
    const proxy = fixture({ family });
    await proxy.install({ protocol: 'UDP', nodePort, port, endpoints: [host] });
    // More than a socket holds by default, fewer than it does with twice as much. This process is blocked in the meantime.
    const sent = spawnSync(process.execPath, ['--input-type=module', '--eval', CROWD, host, `${nodePort}`, '450']);
    expect(sent.status).toBe(0);
    await until(() => proxy.traffic().connections === 450, 'all have a session');
  });

  test('an answer that arrives while the process is busy for longer than the session timeout is not lost', async () => {
    const endpointPort = await freePort('UDP');
    const slow = new Worker(SLOW_ENDPOINT, { eval: true, workerData: { host, port: endpointPort } });
    cleanups.push(() => slow.terminate());
    const [gate] = (await once(slow, 'message')) as [Int32Array];
    const proxy = fixture({ family });
    await proxy.install({ protocol: 'UDP', nodePort, port: endpointPort, endpoints: [host] });
    const { send, answers } = client(host);
    send('x');
    await until(() => Atomics.load(gate, 0) === 1, 'the endpoint was asked');
    // It answers while nothing of this process runs.
    const begin = performance.now();
    const passed = () => performance.now() - begin;
    Atomics.store(gate, 0, 2);
    Atomics.notify(gate, 0);
    while (passed() < 400 || (Atomics.load(gate, 0) !== 3 && passed() < 10_000)) {
      Atomics.wait(gate, 0, 2, 10);
    }
    await until(() => answers.length === 1, 'an answer');
  });

  test('a client keeps its session until the idle timeout', async () => {
    const { port } = await endpoint(host);
    const clock = new VirtualClock();
    const proxy = fixture({ family, clock });
    await proxy.install({ protocol: 'UDP', nodePort, port, endpoints: [host] });
    const { send, answers } = client(host);
    for (let i = 1; i <= 3; i++) {
      send('x');
      await until(() => answers.length === i, 'an answer');
      await clock.advance(200);
    }
    expect(proxy.traffic()).toMatchObject({ active: 1, connections: 1, bytesToEndpoints: 3 });
    expect([...proxy.traffic().bytesByEndpoint.values()]).toMatchObject([{ toEndpoints: 3 }]);
    await clock.advance(400);
    expect(proxy.traffic().active).toBe(0);
    expect(clock.pending).toBe(0);
    send('x');
    await until(() => answers.length === 4, 'an answer');
    expect(proxy.traffic().connections).toBe(2);
  });
});

describe('UDP', () => {
  test('sessions of a removed endpoint restart with another', async () => {
    const { port } = await endpoint('127.0.0.2');
    await endpoint('127.0.0.3', port);
    const proxy = fixture({ udpTimeout: 60_000 });
    await proxy.install({ protocol: 'UDP', nodePort, port, endpoints: ['127.0.0.2'] });
    const { send, answers } = client('127.0.0.1');
    send('x');
    await until(() => answers.length === 1, 'an answer');
    await proxy.install({ protocol: 'UDP', nodePort, port, endpoints: ['127.0.0.3'] });
    expect(proxy.traffic().active).toBe(0);
    send('x');
    await until(() => answers.length === 2, 'an answer');
    expect(answers).toEqual(['127.0.0.2', '127.0.0.3']);
  });

  test('an endpoint without a listener loses one datagram, and the client gets another endpoint', async () => {
    const { port } = await endpoint('127.0.0.2');
    const proxy = fixture({ udpTimeout: 60_000 });
    await proxy.install({ protocol: 'UDP', nodePort, port, endpoints: ['127.0.0.2', '127.0.0.3'] });
    const { send, answers } = client('127.0.0.1');
    await until(() => {
      send('x');
      return answers.length > 0;
    }, 'an answer');
    expect(answers[0]).toBe('127.0.0.2');
  });

  test.each<[string, Partial<LoopbackService>]>([
    ['session affinity', { spec: { sessionAffinity: 'ClientIP' } }],
    ['least connections', { annotations: { 'kube-proxier.io/load-balancing': 'least-connections' } }],
  ])('with %s too, an endpoint without a listener loses its clients', async (_what, rest) => {
    const hosts = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];
    const { port } = await endpoint(hosts[0] as string);
    const others = [await udpEcho(hosts[1] as string, port), await udpEcho(hosts[2] as string, port)];
    const proxy = fixture({ udpTimeout: 60_000 });
    await proxy.install({ protocol: 'UDP', nodePort, port, endpoints: hosts, ...rest });
    const first = client('127.0.0.1');
    const second = client('127.0.0.1');
    for (const { send, answers } of [first, second]) {
      send('x');
      await until(() => answers.length === 1, 'an answer');
    }
    // All but one end, without a notification.
    await Promise.all(others.map(({ close }) => close()));
    for (const { send, answers } of [first, second, client('127.0.0.1')]) {
      await until(() => {
        send('x');
        return answers.at(-1) === hosts[0];
      }, 'an answer of the one that is left');
    }
  });

  test('a client keeps its session when a link on the path to the endpoint has a smaller MTU', async () => {
    const { port } = await endpoint('127.0.0.2');
    const sockets: Socket[] = [];
    const connect = EndpointDialer.prototype.connectUdp;
    const dialer = jest.spyOn(EndpointDialer.prototype, 'connectUdp').mockImplementation(function (
      this: EndpointDialer,
      ...args
    ) {
      sockets.push(args[0]);
      connect.apply(this, args);
    });
    cleanups.push(async () => dialer.mockRestore());
    const proxy = fixture();
    await proxy.install({ protocol: 'UDP', nodePort, port, endpoints: ['127.0.0.2'] });
    const { send, answers } = client('127.0.0.1');
    send('x');
    await until(() => answers.length === 1, 'an answer');
    // What the socket reports after "fragmentation needed": while it waits, and instead of sending the next datagram.
    const tooLarge = Object.assign(new Error('EMSGSIZE'), { code: 'EMSGSIZE' });
    const [socket] = sockets;
    socket?.emit('error', tooLarge);
    const sending = jest.spyOn(socket as Socket, 'send').mockImplementationOnce((...args: unknown[]) => {
      const done = args.at(-1) as (error: Error) => void;
      process.nextTick(done, tooLarge);
    });
    cleanups.push(async () => sending.mockRestore());
    send('x');
    await until(() => answers.length === 2, 'an answer');
    expect(sockets).toHaveLength(1);
    expect(proxy.traffic()).toMatchObject({ active: 1, connections: 1 });
  });

  test('an endpoint that listens again gets new clients as soon as it answers one', async () => {
    const { port } = await endpoint('127.0.0.2');
    const restarting = await udpEcho('127.0.0.3', port);
    const clock = new VirtualClock();
    const proxy = fixture({ clock, udpTimeout: 60_000 });
    await proxy.install({ protocol: 'UDP', nodePort, port, endpoints: ['127.0.0.2', '127.0.0.3'] });
    // Two sessions: one with each endpoint.
    const clients = [client('127.0.0.1'), client('127.0.0.1')];
    for (const { send, answers } of clients) {
      send('x');
      await until(() => answers.length === 1, 'an answer');
    }
    const kept = clients.find(({ answers }) => answers[0] === '127.0.0.3') as ReturnType<typeof client>;
    await restarting.close();
    const { failedDials } = proxy.traffic();
    for (let i = 0; i < 2; i++) {
      client('127.0.0.1').send('x');
    }
    await until(() => proxy.traffic().failedDials > failedDials, 'a refusal');
    await endpoint('127.0.0.3', port);
    const answersTo = async (count: number) => {
      const fresh = Array.from({ length: count }, () => client('127.0.0.1'));
      for (const { send, answers } of fresh) {
        send('x');
        await until(() => answers.length === 1, 'an answer');
      }
      return new Set(fresh.map(({ answers }) => answers[0]));
    };
    expect(await answersTo(4)).toEqual(new Set(['127.0.0.2']));
    kept.send('x');
    await until(() => kept.answers.length === 2, 'an answer of the endpoint that listens again');
    expect(await answersTo(4)).toEqual(new Set(['127.0.0.2', '127.0.0.3']));
  });

  test.each([-3_600_000, 3_600_000])(
    'setting the time of the host by %d ms ends no session early or late',
    async (step) => {
      const { port } = await endpoint('127.0.0.2');
      await endpoint('127.0.0.3', port);
      const clock = new VirtualClock();
      const proxy = fixture({ clock });
      const spec = { sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } } };
      await proxy.install({ protocol: 'UDP', nodePort, port, endpoints: ['127.0.0.2', '127.0.0.3'], spec });
      const { send, answers } = client('127.0.0.1');
      send('x');
      await until(() => answers.length === 1, 'an answer');
      clock.set(step);
      await clock.advance(200);
      expect(proxy.traffic().active).toBe(1);
      await clock.advance(400);
      expect(proxy.traffic().active).toBe(0);
      // Remembered for as long as configured.
      send('x');
      await until(() => answers.length === 2, 'an answer');
      expect(answers[1]).toBe(answers[0]);
      await clock.advance(10_000);
      send('x');
      await until(() => answers.length === 3, 'an answer');
      expect(answers[2]).not.toBe(answers[0]);
    },
  );

  test('a flood from many ports is limited, and service resumes after it', async () => {
    const { port } = await endpoint('127.0.0.2');
    const budget = new DescriptorBudget(40);
    const proxy = fixture({ budget, udpTimeout: 300 });
    await proxy.install({ protocol: 'UDP', nodePort, port, endpoints: ['127.0.0.2'] });
    const clients = Array.from({ length: 200 }, () => client('127.0.0.1'));
    let most = 0;
    await until(() => {
      for (const { send } of clients) {
        send('x');
      }
      most = Math.max(most, budget.taken);
      return proxy.traffic().limited > 200;
    }, 'a limit');
    expect(most).toBeLessThanOrEqual(40);
    await until(() => proxy.traffic().active === 0, 'no session');
    expect(budget.taken).toBe(1);
    const { send, answers } = client('127.0.0.1');
    send('x');
    await until(() => answers.length === 1, 'an answer after the flood');
  });

  test('without endpoints datagrams are dropped, without a session', async () => {
    const proxy = fixture();
    await proxy.install({ protocol: 'UDP', nodePort, port: 9, endpoints: [] });
    const { send } = client('127.0.0.1');
    send('x');
    await until(() => proxy.traffic().refused === 1, 'a refusal');
    expect(proxy.traffic().active).toBe(0);
  });
});
