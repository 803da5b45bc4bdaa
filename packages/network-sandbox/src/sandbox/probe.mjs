/**
 * Runs inside one network namespace and executes requests, one JSON object per line: `{id, op, …}` on standard input,
 * `{id, result}` or `{id, error}` on standard output.
 *
 * A plain script without packages: it is started directly with `node`, from the sources and from the build, and its
 * start dominates the cost of a sandbox. It ends when its standard input ends, so it never outlives its parent.
 */
import dgram from 'node:dgram';
import { readFile, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { createInterface } from 'node:readline';
import { SctpAssociation, serveSctp } from './sctp.mjs';

/** @typedef {{protocol: 'TCP' | 'UDP' | 'SCTP', to: string, port: number, from?: string, fromPort?: number, timeout: number, payload?: number}} Target */
/** @typedef {{kind: 'answered', by: string, sourceSeen: string, sourcePortSeen: number, milliseconds: number}} Answered */
/** @typedef {Answered | {kind: 'refused' | 'timeout' | 'unreachable' | 'reset', milliseconds: number}} Outcome */

let lastHandle = 0;
/** @type {Map<number, {close(): Promise<void>}>} */
const servers = new Map();
/** @type {Map<number, {socket: net.Socket, lines: AsyncIterator<string>, failure: () => any}>} */
const connections = new Map();
/** @type {Map<number, SctpAssociation>} */
const associations = new Map();
/** @type {Map<number, {stop(): Promise<object>, progress(): object, reached(goal: number): Promise<object>}>} */
const clients = new Map();

/** IPv4-mapped addresses are shown as IPv4 addresses. */
const plain = (address = '') => (address.startsWith('::ffff:') ? address.slice(7) : address);

const codeOf = (/** @type {unknown} */ error) => (error instanceof Error && 'code' in error ? String(error.code) : '');

/** @returns {'refused' | 'timeout' | 'unreachable' | 'reset'} */
function kindOf(/** @type {unknown} */ error) {
  switch (codeOf(error)) {
    case 'ECONNREFUSED':
      return 'refused';
    case 'ETIMEDOUT':
      return 'timeout';
    case 'ECONNRESET':
    case 'EPIPE':
      return 'reset';
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EACCES':
    case 'EPERM':
      return 'unreachable';
    default:
      throw error;
  }
}

/** Every greeting and reply is one line: name, then the address and port that this end sees. */
const introduction = (
  /** @type {string} */ name,
  /** @type {string | undefined} */ address,
  /** @type {number | undefined} */ port,
) => JSON.stringify({ by: name, sourceSeen: plain(address), sourcePortSeen: port });

/** @param {{protocol: 'TCP' | 'UDP' | 'SCTP', port: number, address?: string, hostAddresses: readonly string[], name: string}} request */
async function serve({ protocol, port, address, hostAddresses, name }) {
  const handle = ++lastHandle;
  if (protocol === 'SCTP') {
    const stop = await serveSctp({ addresses: address ? [address] : hostAddresses, port, name });
    servers.set(handle, { close: stop });
    return { handle, port };
  }
  if (protocol === 'TCP') {
    /** @type {Set<net.Socket>} */
    const open = new Set();
    const server = net.createServer({ noDelay: true }, (socket) => {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => open.delete(socket));
      socket.write(`${introduction(name, socket.remoteAddress, socket.remotePort)}\n`);
      socket.pipe(socket);
    });
    await /** @type {Promise<void>} */ (
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ port, host: address ?? '::', backlog: 4096 }, () => resolve());
      })
    );
    servers.set(handle, {
      close: () =>
        new Promise((resolve) => {
          server.close(() => resolve());
          for (const socket of open) {
            socket.destroy();
          }
        }),
    });
    return { handle, port: /** @type {net.AddressInfo} */ (server.address()).port };
  }
  /** @type {dgram.Socket[]} */
  const sockets = [];
  const families = address ? [net.isIPv6(address) ? 'udp6' : 'udp4'] : ['udp4', 'udp6'];
  for (const type of /** @type {('udp4' | 'udp6')[]} */ (families)) {
    const socket = dgram.createSocket({ type, ipv6Only: type === 'udp6' });
    socket.on('error', () => {});
    socket.on('message', (message, peer) => {
      // As long as the question, so that both directions carry as much.
      const answer = introduction(name, peer.address, peer.port).padEnd(message.length);
      socket.send(answer, peer.port, peer.address);
    });
    await /** @type {Promise<void>} */ (
      new Promise((resolve, reject) => {
        socket.once('error', reject);
        socket.bind({ port, ...(address ? { address } : {}) }, () => resolve());
      })
    );
    sockets.push(socket);
  }
  servers.set(handle, {
    close: async () => {
      await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.close(() => resolve(undefined)))));
    },
  });
  return { handle, port: sockets[0]?.address().port ?? port };
}

/**
 * Source ports of connections and datagrams, in sequence. Random ports would be reused soon, and a datagram from a
 * reused port would belong to a flow that the kernel still tracks, with the endpoint and the source of that time. In
 * addition, the kernel assigns one port to several connections with different destinations at once, whose answers IPVS
 * cannot distinguish when they share one endpoint. Sockets of other programs in a sandbox get lower ports (sandbox-plan.ts).
 */
const SOURCE_PORTS = { first: 41_000, last: 60_999 };
/** Number of ports to try where one is in use. */
const MAX_TRIES = 100;
let nextSourcePort = SOURCE_PORTS.first + Math.floor(Math.random() * 1000);

/** @param {Target} target */
function openTCP({ to, port, from, fromPort }) {
  const localPort = fromPort ?? takeSourcePort();
  return net.connect({ host: to, port, ...(from ? { localAddress: from } : {}), localPort, noDelay: true });
}

function takeSourcePort() {
  nextSourcePort = nextSourcePort < SOURCE_PORTS.last ? nextSourcePort + 1 : SOURCE_PORTS.first;
  return nextSourcePort;
}

/** Whether to try another port. */
function isTaken(/** @type {unknown} */ error) {
  return ['EADDRINUSE', 'EADDRNOTAVAIL'].includes(codeOf(error) ?? '');
}

/**
 * @param {Target} target
 * @returns {Promise<Outcome>}
 */
function reach(target) {
  return target.protocol === 'TCP'
    ? reachTCP(target)
    : target.protocol === 'UDP'
      ? reachUDP(target)
      : reachSCTP(target);
}

/** @returns {Promise<Outcome>} */
async function reachSCTP(/** @type {Target} */ target) {
  const started = performance.now();
  const { association, outcome } = await associate(target);
  association.abort();
  return /** @type {Outcome} */ ({ ...outcome, milliseconds: performance.now() - started });
}

/** @param {Target} target @returns {Promise<{association: SctpAssociation, outcome: object}>} */
async function associate({ to, port, from, fromPort, timeout }) {
  const association = new SctpAssociation({ to, port, from, fromPort: fromPort ?? takeSourcePort() });
  const next = await association.next(timeout);
  const outcome =
    next === undefined
      ? { kind: 'timeout' }
      : next.event === 'data'
        ? { kind: 'answered', ...JSON.parse(next.text) }
        : { kind: kindOf(sctpError(next)) };
  return { association, outcome };
}

/** @param {import('./sctp.mjs').SctpEvent} event */
function sctpError({ event, text }) {
  const codes = /** @type {Record<string, string>} */ ({ aborted: 'ECONNRESET', ENOPROTOOPT: 'EHOSTUNREACH' });
  const code = codes[event] ?? event;
  const message = event === 'checksum' ? 'received a packet with a wrong checksum' : `SCTP: ${event} ${text}`.trim();
  return Object.assign(new Error(message), { code });
}

/** @returns {Promise<Outcome>} */
function reachTCP(/** @type {Target} */ target, tries = 1) {
  const started = performance.now();
  const elapsed = () => performance.now() - started;
  return new Promise((resolve, reject) => {
    const socket = openTCP(target);
    let text = '';
    const timer = setTimeout(() => {
      socket.destroy();
      resolve({ kind: 'timeout', milliseconds: elapsed() });
    }, target.timeout);
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      text += chunk;
      const end = text.indexOf('\n');
      if (end >= 0) {
        clearTimeout(timer);
        // Closing with a reset leaves no TIME_WAIT behind, so thousands of connections do not use up the ports.
        socket.resetAndDestroy();
        resolve({ kind: 'answered', ...JSON.parse(text.slice(0, end)), milliseconds: elapsed() });
      }
    });
    socket.on('error', (error) => {
      clearTimeout(timer);
      if (isTaken(error) && !target.fromPort && tries < MAX_TRIES) {
        resolve(reachTCP(target, tries + 1));
        return;
      }
      try {
        resolve({ kind: kindOf(error), milliseconds: elapsed() });
      } catch {
        reject(error);
      }
    });
    socket.on('end', () => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ kind: 'reset', milliseconds: elapsed() });
    });
  });
}

/** @returns {Promise<Outcome>} */
function reachUDP(/** @type {Target} */ target, tries = 1) {
  const { to, port, from, fromPort, timeout, payload = 1 } = target;
  const started = performance.now();
  const elapsed = () => performance.now() - started;
  return new Promise((resolve, reject) => {
    const socket = dgram.createSocket(net.isIPv6(to) ? 'udp6' : 'udp4');
    const timer = setTimeout(() => finish({ kind: 'timeout', milliseconds: elapsed() }), timeout);
    let finished = false;
    const finish = (/** @type {Outcome} */ outcome) => {
      if (!finished) {
        finished = true;
        clearTimeout(timer);
        socket.close(() => resolve(outcome));
      }
    };
    const fail = (/** @type {unknown} */ error) => {
      if (isTaken(error) && !fromPort && tries < MAX_TRIES && !finished) {
        finished = true;
        clearTimeout(timer);
        socket.close(() => resolve(reachUDP(target, tries + 1)));
        return;
      }
      try {
        finish({ kind: kindOf(error), milliseconds: elapsed() });
      } catch {
        clearTimeout(timer);
        reject(error);
      }
    };
    socket.on('error', fail);
    socket.on('message', (message) =>
      finish({ kind: 'answered', ...JSON.parse(message.toString()), milliseconds: elapsed() }),
    );
    // A connected socket receives ICMP errors; an unconnected one does not.
    socket.bind({ port: fromPort ?? takeSourcePort(), ...(from ? { address: from } : {}) }, () => {
      const connected = (/** @type {Error | undefined} */ error) => {
        if (error) {
          fail(error);
        } else {
          socket.send('?'.repeat(payload), (failure) => failure && fail(failure));
        }
      };
      // The error is passed, though the types do not include it.
      socket.connect(port, to, /** @type {() => void} */ (connected));
    });
  });
}

/** @param {Target & {count: number, concurrency: number}} request */
async function reachMany(request) {
  /** @type {{answeredBy: Record<string, number>, sourcesSeen: Record<string, number>, refused: number, timeout: number, unreachable: number, reset: number}} */
  const tally = { answeredBy: {}, sourcesSeen: {}, refused: 0, timeout: 0, unreachable: 0, reset: 0 };
  let started = 0;
  const worker = async () => {
    while (started < request.count) {
      started++;
      count(tally, await reach(request));
    }
  };
  await Promise.all(Array.from({ length: request.concurrency }, worker));
  return tally;
}

/**
 * @param {{answeredBy: Record<string, number>, sourcesSeen: Record<string, number>, refused: number, timeout: number, unreachable: number, reset: number}} tally
 * @param {Outcome} outcome
 */
function count(tally, outcome) {
  if (outcome.kind === 'answered') {
    tally.answeredBy[outcome.by] = (tally.answeredBy[outcome.by] ?? 0) + 1;
    tally.sourcesSeen[outcome.sourceSeen] = (tally.sourcesSeen[outcome.sourceSeen] ?? 0) + 1;
  } else {
    tally[outcome.kind]++;
  }
}

/** @param {Target} target @returns {Promise<{handle?: number, outcome: object}>} */
async function open(target, tries = 1) {
  if (target.protocol === 'SCTP') {
    const { association, outcome } = await associate(target);
    const handle = ++lastHandle;
    associations.set(handle, association);
    return { handle, outcome };
  }
  const socket = openTCP(target);
  const reader = createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY });
  // Created before the first byte can arrive: lines without a listener are lost.
  const lines = reader[Symbol.asyncIterator]();
  /** @type {unknown} */
  let failure;
  socket.on('error', (error) => {
    // EPIPE without a number is Node's, for a connection that the other side has ended.
    if (codeOf(error) !== 'EPIPE' || 'errno' in error) {
      failure = error;
    }
  });
  socket.on('end', () => {
    // A reset that arrives with data is reported as an end, but the socket has no peer any more.
    if (socket.remoteAddress === undefined) {
      failure ??= Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
    }
  });
  const greeting = await within(lines.next(), target.timeout, () => socket.destroy());
  if (isTaken(failure) && !target.fromPort && tries < MAX_TRIES) {
    return open(target, tries + 1);
  }
  if (greeting === undefined || greeting.done) {
    return { outcome: { kind: greeting === undefined ? 'timeout' : failure ? kindOf(failure) : 'reset' } };
  }
  const handle = ++lastHandle;
  connections.set(handle, { socket, lines, failure: () => failure });
  return { handle, outcome: { kind: 'answered', ...JSON.parse(greeting.value) } };
}

/**
 * @template T
 * @param {Promise<T>} promise
 * @param {number} milliseconds
 * @param {() => void} giveUp
 * @returns {Promise<T | undefined>}
 */
function within(promise, milliseconds, giveUp) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      resolve(undefined);
      giveUp();
    }, milliseconds);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Milliseconds that a peer has to confirm the end of an association. */
const CLOSING_TIME = 500;

/** @param {{handle: number, text: string, timeout: number}} request */
async function send({ handle, text, timeout }) {
  const association = associations.get(handle);
  if (association) {
    association.send(text);
    const next = await association.next(timeout);
    return next === undefined
      ? { kind: 'timeout' }
      : next.event === 'data'
        ? { kind: 'echoed', text: next.text }
        : { kind: 'closed', code: codeOf(sctpError(next)) };
  }
  const connection = connections.get(handle);
  if (!connection) {
    return { kind: 'closed' };
  }
  connection.socket.write(`${text}\n`);
  // A connection that is reset ends its lines with an error.
  const next = connection.lines.next().catch(() => ({ done: true, value: undefined }));
  const line = await within(next, timeout, () => {});
  if (line === undefined) {
    return { kind: 'timeout' };
  }
  if (!line.done) {
    return { kind: 'echoed', text: line.value };
  }
  // The lines may end before the socket says why.
  if (connection.failure() === undefined && !connection.socket.closed) {
    await within(new Promise((resolve) => connection.socket.once('close', resolve)), timeout, () => {});
  }
  const failure = connection.failure();
  return failure?.code === undefined ? { kind: 'closed' } : { kind: 'closed', code: failure.code };
}

/** A client with an interval waits this many times as long as an attempt took, so that it does not keep a slow machine busy. */
const WAIT_OF_ATTEMPT = 4;
/** Milliseconds: most that an attempt adds to the interval. */
const MOST_WAIT = 500;

/** @param {Target & {interval: number}} request */
function startClient(request) {
  const handle = ++lastHandle;
  let running = true;
  const tally = { answeredBy: {}, sourcesSeen: {}, refused: 0, timeout: 0, unreachable: 0, reset: 0 };
  let attempts = 0;
  const progress = () => ({ attempts, ...tally });
  /** @type {Set<{goal: number, resolve(progress: object): void}>} */
  const waiting = new Set();
  const done = (async () => {
    while (running) {
      const begin = performance.now();
      count(tally, await reach(request));
      const pause = Math.max(request.interval, Math.min((performance.now() - begin) * WAIT_OF_ATTEMPT, MOST_WAIT));
      attempts++;
      for (const waiter of waiting) {
        if (attempts >= waiter.goal) {
          waiting.delete(waiter);
          waiter.resolve(progress());
        }
      }
      if (request.interval > 0) {
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  })();
  clients.set(handle, {
    progress,
    reached: (goal) =>
      running && attempts < goal
        ? new Promise((resolve) => waiting.add({ goal, resolve }))
        : Promise.resolve(progress()),
    stop: async () => {
      running = false;
      await done;
      for (const waiter of waiting) {
        waiter.resolve(progress());
      }
      return progress();
    },
  });
  return { handle };
}

/** @type {Record<string, (request: any) => unknown>} */
const operations = {
  ping: () => process.pid,
  serve,
  closeServer: async ({ handle }) => {
    await servers.get(handle)?.close();
    servers.delete(handle);
  },
  reach,
  reachMany,
  open,
  send,
  closeConnection: async ({ handle, reset }) => {
    const association = associations.get(handle);
    associations.delete(handle);
    if (association && !reset) {
      association.shutdown();
      await association.next(CLOSING_TIME);
    }
    association?.abort();
    const socket = connections.get(handle)?.socket;
    if (reset) {
      socket?.resetAndDestroy();
    } else {
      socket?.destroy();
    }
    connections.delete(handle);
  },
  startClient,
  clientProgress: ({ handle }) => clients.get(handle)?.progress(),
  clientAttempts: ({ handle, goal }) => clients.get(handle)?.reached(goal),
  stopClient: async ({ handle }) => {
    const result = await clients.get(handle)?.stop();
    clients.delete(handle);
    return result;
  },
  readFile: ({ path }) => readFile(path, 'utf8'),
  writeFile: ({ path, text }) => writeFile(path, text),
};

createInterface({ input: process.stdin })
  .on('line', async (line) => {
    const { id, op, ...request } = JSON.parse(line);
    try {
      const operation = operations[op];
      if (!operation) {
        throw new Error(`the probe has no operation ${op}`);
      }
      process.stdout.write(`${JSON.stringify({ id, result: (await operation(request)) ?? null })}\n`);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      process.stdout.write(`${JSON.stringify({ id, error: { message, code: codeOf(error) } })}\n`);
    }
  })
  .on('close', () => process.exit(0));
process.stdout.on('error', () => process.exit(0));
