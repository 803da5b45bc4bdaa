/**
 * Forwards TCP connections by splice(2) in a separate thread: bytes go from socket to socket through a pipe, and never
 * into this process. Started by `splice-carrier.ts`, which hands over descriptors and is notified how each connection
 * ended.
 *
 * A plain script, so that the sources and the build start the same file. It waits for messages while it has no
 * connection, and in epoll_wait while it has any; the event descriptor that it receives interrupts that.
 */
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import koffi from 'koffi';

/** @typedef {import('./splice-carrier.js').ToSpliceThread} Command */
/** @typedef {{readonly read: number, readonly write: number}} Pipe */
/** @typedef {{readonly fd: number, readable: boolean, writable: boolean}} Side */
/**
 * One direction of a connection. `piped` bytes are in `pipe`; `first` is what was read of `from` before the handover,
 * and is sent first.
 * @typedef {{readonly from: Side, readonly to: Side, readonly counter: number, first: Uint8Array | undefined,
 *   pipe: Pipe | undefined, piped: number, ended: boolean, done: boolean}} Way
 */
/** @typedef {{readonly slot: number, readonly ways: readonly [Way, Way], over: boolean, queued: boolean}} Connection */

const EPOLL_CTL_ADD = 1;
const EPOLLIN = 0x1;
const EPOLLOUT = 0x4;
const EPOLLERR = 0x8;
const EPOLLHUP = 0x10;
const EPOLLRDHUP = 0x2000;
const EPOLLET = 0x8000_0000;
const CLOEXEC = 0o2000000;
const O_NONBLOCK = 0o4000;
const F_SETPIPE_SZ = 1031;
const SPLICE_F_MOVE = 1;
const SPLICE_F_NONBLOCK = 2;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
const SHUT_WR = 1;
const SOL_SOCKET = 1;
const SO_LINGER = 13;
const EINTR = 4;
const EAGAIN = 11;

/** Bytes that a pipe may hold: what one turn of a connection moves at once. */
const PIPE_SIZE = workerData.pipeSize;
/** Bytes after which other connections get a turn. */
const TURN = 1 << 20;
/** Maximum number of pipes that are kept for reuse. */
const MAX_SPARE_PIPES = 8;
/**
 * Milliseconds between two checks whether the process ends: a thread that is blocked in the kernel receives no
 * messages.
 */
const MAX_WAIT = 250;
const MAX_EVENTS = 64;
/** Where epoll events are not packed (they are on x86-64 only), four bytes of padding precede the data. */
const EVENT_WORDS = process.arch === 'x64' ? 3 : 4;
/** Index of the event descriptor in epoll data. */
const WAKE = 0xffff_ffff;

const libc = koffi.load(null);
const epollCreate = libc.func('int epoll_create1(int)');
const epollControl = libc.func('int epoll_ctl(int, int, int, const void *)');
const epollWait = libc.func('int epoll_wait(int, void *, int, int)');
const splice = libc.func('long splice(int, void *, int, void *, size_t, unsigned int)');
const pipe2 = libc.func('int pipe2(void *, int)');
const fcntl = libc.func('int fcntl(int, int, int)');
const send = libc.func('long send(int, const void *, size_t, int)');
const write = libc.func('long write(int, const void *, size_t)');
const read = libc.func('long read(int, void *, size_t)');
const shutdown = libc.func('int shutdown(int, int)');
const setsockopt = libc.func('int setsockopt(int, int, int, const void *, unsigned int)');
const close = libc.func('int close(int)');

/** Bytes to endpoints and to clients, at twice the slot and one more. */
const moved = new Float64Array(workerData.moved);
const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
/** @type {Map<number, Connection>} */
const connections = new Map();
/** @type {Pipe[]} */
const sparePipes = [];
/** Connections that can continue at once, and yield to others. @type {Connection[]} */
let waiting = [];
const events = new Uint32Array(MAX_EVENTS * EVENT_WORDS);
const epoll = epollCreate(CLOEXEC);
watch(workerData.wake, EPOLLIN, WAKE);

/** @param {number} fd @param {number} interest @param {number} index */
function watch(fd, interest, index) {
  const event = new Uint32Array(EVENT_WORDS);
  event[0] = interest;
  event[EVENT_WORDS - 2] = index;
  return epollControl(epoll, EPOLL_CTL_ADD, fd, event);
}

/** @returns {Pipe | undefined} */
function takePipe() {
  const spare = sparePipes.pop();
  if (spare) {
    return spare;
  }
  const ends = new Int32Array(2);
  if (pipe2(ends, CLOEXEC | O_NONBLOCK) !== 0) {
    return undefined;
  }
  const [readEnd = -1, writeEnd = -1] = ends;
  // Refused to unprivileged users with many pipes; then the pipe keeps its default size.
  fcntl(writeEnd, F_SETPIPE_SZ, PIPE_SIZE);
  return { read: readEnd, write: writeEnd };
}

/** @param {Way} way */
function givePipe(way) {
  const { pipe, piped } = way;
  way.pipe = undefined;
  if (pipe && piped === 0 && sparePipes.length < MAX_SPARE_PIPES) {
    sparePipes.push(pipe);
  } else if (pipe) {
    closePipe(pipe);
  }
}

/** @param {Pipe} pipe */
function closePipe(pipe) {
  close(pipe.read);
  close(pipe.write);
}

/** @param {Extract<Command, {kind: 'carry'}>} command */
function carry({ slot, client, endpoint, toClient, toEndpoint }) {
  const clientSide = { fd: client, readable: true, writable: true };
  const endpointSide = { fd: endpoint, readable: true, writable: true };
  const fresh = { pipe: undefined, piped: 0, ended: false, done: false };
  /** @type {Connection} */
  const connection = {
    slot,
    ways: [
      { from: clientSide, to: endpointSide, counter: 2 * slot, first: toEndpoint, ...fresh },
      { from: endpointSide, to: clientSide, counter: 2 * slot + 1, first: toClient, ...fresh },
    ],
    over: false,
    queued: false,
  };
  connections.set(slot, connection);
  const interest = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
  if (watch(client, interest, 2 * slot) !== 0 || watch(endpoint, interest, 2 * slot + 1) !== 0) {
    cut(connection);
    return;
  }
  run(connection);
}

/** @param {Connection} connection */
function run(connection) {
  for (const way of connection.ways) {
    const state = advance(way);
    if (state === 'broken') {
      cut(connection);
      return;
    }
    if (state === 'more' && !connection.queued) {
      connection.queued = true;
      waiting.push(connection);
    }
  }
  const [up, down] = connection.ways;
  if (up.done && down.done) {
    finish(connection);
  }
}

/**
 * Moves as many bytes as possible.
 * @param {Way} way
 * @returns {'blocked' | 'more' | 'broken'} `more` when its turn ended before that.
 */
function advance(way) {
  if (way.done) {
    return 'blocked';
  }
  for (let turn = 0; turn < TURN; ) {
    if (way.first || way.piped > 0) {
      if (!way.to.writable) {
        return 'blocked';
      }
      const sent = way.first ? sendFirst(way) : drain(way);
      if (sent < 0) {
        const error = koffi.errno();
        if (error === EAGAIN) {
          way.to.writable = false;
          return 'blocked';
        }
        if (error !== EINTR) {
          return 'broken';
        }
      }
      continue;
    }
    if (way.ended) {
      givePipe(way);
      way.done = true;
      if (shutdown(way.to.fd, SHUT_WR) !== 0) {
        return 'broken';
      }
      port.postMessage({ kind: 'half-closed', slot: way.counter >> 1 });
      return 'blocked';
    }
    if (!way.from.readable) {
      givePipe(way);
      return 'blocked';
    }
    way.pipe ??= takePipe();
    if (!way.pipe) {
      return 'broken';
    }
    const taken = splice(way.from.fd, null, way.pipe.write, null, PIPE_SIZE, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
    if (taken > 0) {
      way.piped = taken;
      turn += taken;
      moved[way.counter] += taken;
    } else if (taken === 0) {
      way.ended = true;
    } else {
      const error = koffi.errno();
      if (error === EAGAIN) {
        // The pipe is empty, so the socket has no data.
        way.from.readable = false;
      } else if (error !== EINTR) {
        return 'broken';
      }
    }
  }
  return 'more';
}

/** @param {Way} way */
function sendFirst(way) {
  const first = /** @type {Uint8Array} */ (way.first);
  const sent = send(way.to.fd, first, first.length, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent >= 0) {
    way.first = sent === first.length ? undefined : first.subarray(sent);
  }
  return sent;
}

/** @param {Way} way */
function drain(way) {
  const pipe = /** @type {Pipe} */ (way.pipe);
  const sent = splice(pipe.read, null, way.to.fd, null, way.piped, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
  if (sent > 0) {
    way.piped -= sent;
  }
  return sent;
}

/** Resets both sides. @param {Connection} connection */
function cut(connection) {
  for (const { from } of connection.ways) {
    setsockopt(from.fd, SOL_SOCKET, SO_LINGER, new Int32Array([1, 0]), 8);
  }
  finish(connection);
}

/** @param {Connection} connection */
function finish(connection) {
  if (connection.over) {
    return;
  }
  connection.over = true;
  connections.delete(connection.slot);
  for (const way of connection.ways) {
    givePipe(way);
    close(way.from.fd);
  }
  port.postMessage({ kind: 'ended', slot: connection.slot });
}

/** @param {Command} command */
function execute(command) {
  if (command.kind === 'carry') {
    carry(command);
  } else if (command.kind === 'cut') {
    const connection = connections.get(command.slot);
    if (connection) {
      cut(connection);
    }
  } else {
    for (const connection of [...connections.values()]) {
      cut(connection);
    }
    for (const pipe of sparePipes.splice(0)) {
      closePipe(pipe);
    }
    close(epoll);
    port.close();
  }
}

function executeAll() {
  for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port)) {
    execute(next.message);
  }
}

/** @param {number} index @param {number} what */
function notice(index, what) {
  if (index === WAKE) {
    read(workerData.wake, new Uint8Array(8), 8);
    executeAll();
    return;
  }
  const connection = connections.get(index >> 1);
  if (!connection) {
    return;
  }
  if (what & EPOLLERR) {
    cut(connection);
    return;
  }
  const side = connection.ways[index & 1 ? 1 : 0].from;
  if (what & (EPOLLIN | EPOLLRDHUP | EPOLLHUP)) {
    side.readable = true;
  }
  if (what & (EPOLLOUT | EPOLLHUP)) {
    side.writable = true;
  }
  if (!connection.queued) {
    run(connection);
  }
}

port.on('message', (/** @type {Command} */ command) => {
  execute(command);
  while (connections.size > 0) {
    const count = epollWait(epoll, events, MAX_EVENTS, waiting.length > 0 ? 0 : MAX_WAIT);
    for (let at = 0; at < count; at++) {
      notice(events[at * EVENT_WORDS + EVENT_WORDS - 2] ?? 0, events[at * EVENT_WORDS] ?? 0);
    }
    const turns = waiting;
    waiting = [];
    for (const connection of turns) {
      connection.queued = false;
      if (!connection.over) {
        run(connection);
      }
    }
  }
});

/** A seccomp filter may forbid it; then no connection may be handed over. */
function tryOut() {
  const [one, other] = [takePipe(), takePipe()];
  if (epoll < 0 || !one || !other || write(one.write, new Uint8Array(1), 1) !== 1) {
    throw new Error(`no pipe or no epoll can be had (errno ${koffi.errno()})`);
  }
  if (splice(one.read, null, other.write, null, 1, SPLICE_F_NONBLOCK) !== 1) {
    throw new Error(`splice cannot be used (errno ${koffi.errno()})`);
  }
  closePipe(one);
  closePipe(other);
}

tryOut();
port.postMessage({ kind: 'ready' });
