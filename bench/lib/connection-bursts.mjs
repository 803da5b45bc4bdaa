#!/usr/bin/env node
// Whole TCP connections, client and servers in one thread, for a benchmark: connection-bursts.mjs ADDRESS PORT CLIENT SERVER_PORT SERVER…
// with the paths of network namespaces, IPv4. For each line of input, `CONNECTIONS BURSTS`, it prints the nanoseconds of each
// connection, on average of each burst, as JSON.
//
// A connection is opened, accepted, and closed by both. On veth interfaces, the kernel carries all packets within the system calls of
// this thread, so no scheduler is involved, and what else the machine does only disturbs some bursts.
import { createInterface } from 'node:readline';
import koffi from 'koffi';

const AF_INET = 2;
const SOCK_STREAM_NONBLOCK = 1 | 0o4000;
const CLONE_NEWNET = 0x40000000;
const EINPROGRESS = 115;
const BACKLOG = 16;
const library = koffi.load(null);
const libc = {
  socket: library.func('int socket(int, int, int)'),
  bind: library.func('int bind(int, const void *, unsigned int)'),
  listen: library.func('int listen(int, int)'),
  connect: library.func('int connect(int, const void *, unsigned int)'),
  accept: library.func('int accept(int, void *, void *)'),
  close: library.func('int close(int)'),
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

const [address = '', port = '', client = '', serverPort = '', ...servers] = process.argv.slice(2);
const listeners = servers.map((path) => {
  enter(path);
  const fd = succeed('socket', libc.socket(AF_INET, SOCK_STREAM_NONBLOCK, 0));
  const at = socketAddress('0.0.0.0', serverPort);
  succeed('bind', libc.bind(fd, at, at.length));
  succeed('listen', libc.listen(fd, BACKLOG));
  return fd;
});
enter(client);
const target = socketAddress(address, port);

function acceptOne() {
  for (const listener of listeners) {
    const fd = libc.accept(listener, null, null);
    if (fd >= 0) {
      return fd;
    }
  }
  throw new Error('no connection was established');
}

function connectOnce() {
  const fd = succeed('socket', libc.socket(AF_INET, SOCK_STREAM_NONBLOCK, 0));
  if (libc.connect(fd, target, target.length) < 0 && koffi.errno() !== EINPROGRESS) {
    throw new Error(`connect failed with errno ${koffi.errno()}`);
  }
  const accepted = acceptOne();
  libc.close(accepted);
  libc.close(fd);
}

for await (const line of createInterface({ input: process.stdin })) {
  const [connections = 0, bursts = 0] = line.split(' ').map(Number);
  /** @type {number[]} */
  const took = [];
  while (took.length < bursts) {
    const begin = process.hrtime.bigint();
    for (let count = 0; count < connections; count += 1) {
      connectOnce();
    }
    took.push(Number(process.hrtime.bigint() - begin) / connections);
  }
  process.stdout.write(`${JSON.stringify(took)}\n`);
}
