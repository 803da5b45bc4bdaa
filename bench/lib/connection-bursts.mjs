#!/usr/bin/env node
// Whole TCP connections, client and servers in one thread, for a benchmark: connection-bursts.mjs ADDRESS PORT SERVER_PORT RESPONSE NODE…
// where RESPONSE is the number of bytes of a response to a short request (0 for neither), and a node is the paths of its network namespaces,
// those of the client and of servers, with commas between them. For each line of
// input, `CONNECTIONS BURSTS`, it opens bursts through all nodes in turns, and prints the nanoseconds of each connection, on average of each
// burst, a list for each node, as JSON.
//
// A connection is opened, accepted, and closed by both. On veth interfaces, the kernel carries all packets within the system calls of
// this thread, so no scheduler is involved, and what else the machine does only disturbs some bursts. As turns are a millisecond long,
// the clock of the processor and its neighbours are the same for all nodes.
import { createInterface } from 'node:readline';
import koffi from 'koffi';

const AF_INET = 2;
const SOCK_STREAM_NONBLOCK = 1 | 0o4000;
const CLONE_NEWNET = 0x40000000;
const EINPROGRESS = 115;
const BACKLOG = 16;
/** To accept a connection: some milliseconds. */
const MAX_ATTEMPTS = 10_000;
/** Connections before those of a burst that are measured. */
const UNTIMED = 2;
/** Bytes of a request: that of a browser has several hundred. */
const REQUEST = 200;
const library = koffi.load(null);
const libc = {
  socket: library.func('int socket(int, int, int)'),
  bind: library.func('int bind(int, const void *, unsigned int)'),
  listen: library.func('int listen(int, int)'),
  connect: library.func('int connect(int, const void *, unsigned int)'),
  accept: library.func('int accept(int, void *, void *)'),
  close: library.func('int close(int)'),
  send: library.func('long send(int, const void *, size_t, int)'),
  recv: library.func('long recv(int, void *, size_t, int)'),
  open: library.func('int open(const char *, int)'),
  setns: library.func('int setns(int, int)'),
};

/**
 * @param {string} what
 * @param {number} result of a call
 */
function succeed(what, result) {
  if (result < 0) {
    throw new Error(`${what} failed with errno ${koffi.errno()}`);
  }
  return result;
}

/** @param {string} path */
function enter(path) {
  const fd = succeed(`open ${path}`, libc.open(path, 0));
  succeed(`setns ${path}`, libc.setns(fd, CLONE_NEWNET));
  libc.close(fd);
}

/**
 * `sockaddr_in`.
 *
 * @param {string} address
 * @param {string} port
 */
function socketAddress(address, port) {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt16LE(AF_INET);
  bytes.writeUInt16BE(Number(port), 2);
  bytes.set(address.split('.').map(Number), 4);
  return bytes;
}

const [address = '', port = '', serverPort = '', responseSize = '', ...paths] = process.argv.slice(2);
const request = Buffer.alloc(REQUEST);
const response = Buffer.alloc(Number(responseSize));
const received = Buffer.alloc(Math.max(request.length, response.length));
const target = socketAddress(address, port);
const nodes = paths.map((node) => {
  const [client = '', ...servers] = node.split(',');
  const listeners = servers.map((path) => {
    enter(path);
    const fd = succeed('socket', libc.socket(AF_INET, SOCK_STREAM_NONBLOCK, 0));
    const at = socketAddress('0.0.0.0', serverPort);
    succeed('bind', libc.bind(fd, at, at.length));
    succeed('listen', libc.listen(fd, BACKLOG));
    return fd;
  });
  return { client: succeed(`open ${client}`, libc.open(client, 0)), listeners };
});

/** @param {readonly number[]} listeners */
function acceptOne(listeners) {
  // Nearly always at the first attempt. A kernel may put the packets off, in User-Mode Linux for one.
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    for (const listener of listeners) {
      const fd = libc.accept(listener, null, null);
      if (fd >= 0) {
        return fd;
      }
    }
  }
  throw new Error('no connection was established');
}

/**
 * Sends bytes over an established connection.
 *
 * @param {number} from
 * @param {number} to
 * @param {Buffer} bytes
 */
function transfer(from, to, bytes) {
  const sent = succeed('send', libc.send(from, bytes, bytes.length, 0));
  let attempts = 0;
  for (let left = sent; left > 0; attempts += 1) {
    const count = libc.recv(to, received, left, 0);
    left -= Math.max(count, 0);
    if (attempts > MAX_ATTEMPTS) {
      throw new Error('the bytes were not received');
    }
  }
}

/** @param {readonly number[]} listeners */
function connectOnce(listeners) {
  const fd = succeed('socket', libc.socket(AF_INET, SOCK_STREAM_NONBLOCK, 0));
  if (libc.connect(fd, target, target.length) < 0 && koffi.errno() !== EINPROGRESS) {
    throw new Error(`connect failed with errno ${koffi.errno()}`);
  }
  const accepted = acceptOne(listeners);
  if (response.length > 0) {
    transfer(fd, accepted, request);
    transfer(accepted, fd, response);
  }
  libc.close(accepted);
  libc.close(fd);
}

for await (const line of createInterface({ input: process.stdin })) {
  const [connections = 0, bursts = 0] = line.split(' ').map(Number);
  const took = nodes.map(() => /** @type {number[]} */ ([]));
  for (let burst = 0; burst < bursts; burst += 1) {
    for (const [index, { client, listeners }] of nodes.entries()) {
      succeed('setns', libc.setns(client, CLONE_NEWNET));
      // What the other node left in the caches of the processor.
      for (let count = 0; count < UNTIMED; count += 1) {
        connectOnce(listeners);
      }
      const begin = process.hrtime.bigint();
      for (let count = 0; count < connections; count += 1) {
        connectOnce(listeners);
      }
      took[index]?.push(Number(process.hrtime.bigint() - begin) / connections);
    }
  }
  process.stdout.write(`${JSON.stringify(took)}\n`);
}
