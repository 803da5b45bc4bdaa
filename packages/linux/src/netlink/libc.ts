import { createRequire } from 'node:module';
import type koffiModule from 'koffi';

/** The functions of the C library in use. Each returns -1 when it fails; `errno` then has the cause. */
export interface Libc {
  socket(domain: number, type: number, protocol: number): number;
  bind(fd: number, address: Uint8Array, length: number): number;
  connect(fd: number, address: Uint8Array, length: number): number;
  /** @param descriptors `struct pollfd`, 8 bytes each: a 32-bit descriptor, 16 bits to wait for, and 16 bits that are written. */
  poll(descriptors: Uint8Array, count: number, timeout: number): number;
  setsockopt(fd: number, level: number, name: number, value: Uint8Array, length: number): number;
  /** @param length a 32-bit number: the size of `value`, and then the number of bytes written. */
  getsockopt(fd: number, level: number, name: number, value: Uint8Array, length: Uint8Array): number;
  /** @param length a 32-bit number: the size of `address`, and then the number of bytes written. */
  getsockname(fd: number, address: Uint8Array, length: Uint8Array): number;
  send(fd: number, message: Uint8Array, length: number, flags: number): number;
  /**
   * {@link send} in a thread: the kernel processes a netlink request while it is sent. `message` must not change in the
   * meantime. After a failure, `errno` does not have the cause.
   */
  sendInBackground(fd: number, message: Uint8Array, length: number, flags: number): Promise<number>;
  recv(fd: number, into: Uint8Array, length: number, flags: number): number;
  open(path: string, flags: number): number;
  setns(fd: number, type: number): number;
  unshare(flags: number): number;
  close(fd: number): number;
  fcntl(fd: number, command: number, argument: number): number;
  eventfd(initial: number, flags: number): number;
  write(fd: number, bytes: Uint8Array, length: number): number;
  /**
   * Reads the capabilities of this thread.
   *
   * @param header a 32-bit version, and the number of a thread: 0 for this one.
   * @param sets for each 32 capabilities: the effective, the permitted and the inheritable ones.
   */
  capget(header: Uint8Array, sets: Uint8Array): number;
  /** Sets the capabilities of this thread. Threads that it creates later inherit them. */
  capset(header: Uint8Array, sets: Uint8Array): number;
  /** @returns the number of bytes that the attribute has. */
  getxattr(path: string, name: string, value: Uint8Array, length: number): number | bigint;
  /** @param resolution receives a `struct timespec`: seconds and nanoseconds, 64 bits each. */
  clockGetres(clock: number, resolution: Uint8Array): number;
  madvise(address: number, length: number, advice: number): number;
  /**
   * Runs in a thread, as it takes some milliseconds. Absent in C libraries without it, such as musl. Resolves to 1 when
   * memory was returned to the system.
   */
  mallocTrimInBackground?(keep: number): Promise<number>;
  /** Error number of the last call. Positive. */
  errno(): number;
}

const SIGNATURES = {
  socket: 'int socket(int, int, int)',
  bind: 'int bind(int, const void *, unsigned int)',
  connect: 'int connect(int, const void *, unsigned int)',
  poll: 'int poll(void *, unsigned long, int)',
  setsockopt: 'int setsockopt(int, int, int, const void *, unsigned int)',
  getsockopt: 'int getsockopt(int, int, int, void *, void *)',
  getsockname: 'int getsockname(int, void *, void *)',
  send: 'long send(int, const void *, size_t, int)',
  recv: 'long recv(int, void *, size_t, int)',
  open: 'int open(const char *, int)',
  setns: 'int setns(int, int)',
  unshare: 'int unshare(int)',
  close: 'int close(int)',
  fcntl: 'int fcntl(int, int, int)',
  eventfd: 'int eventfd(unsigned int, int)',
  write: 'long write(int, const void *, size_t)',
  capget: 'int capget(void *, void *)',
  capset: 'int capset(void *, const void *)',
  getxattr: 'long getxattr(const char *, const char *, void *, size_t)',
  clockGetres: 'int clock_getres(int, void *)',
  madvise: 'int madvise(uintptr_t, size_t, int)',
} as const;

let loaded: Promise<Libc> | undefined;
let bound: Libc | undefined;

/** The C library, if something has loaded it. */
export function loadedLibc(): Libc | undefined {
  return bound;
}

/** Loads the C library that this process is linked with. Called on demand only, since it loads an addon. */
export function loadLibc(): Promise<Libc> {
  loaded ??= bindLibc().catch((error) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function bindLibc(): Promise<Libc> {
  // An import would load all that modules of Node.js export, some of which takes long.
  const koffi = createRequire(import.meta.url)('koffi') as typeof koffiModule;
  const library = koffi.load(null);
  const functions = Object.fromEntries(
    Object.entries(SIGNATURES).map(([name, signature]) => [name, library.func(signature)]),
  );
  const send = library.func(SIGNATURES.send);
  const mallocTrim = optional(() => library.func('int malloc_trim(size_t)'));
  bound = {
    ...(functions as unknown as Omit<Libc, 'errno' | 'sendInBackground' | 'mallocTrimInBackground'>),
    ...(mallocTrim
      ? {
          mallocTrimInBackground: (keep) =>
            new Promise((resolve, reject) => {
              mallocTrim.async(keep, (error: unknown, trimmed: number) => (error ? reject(error) : resolve(trimmed)));
            }),
        }
      : {}),
    errno: () => koffi.errno(),
    sendInBackground: (...request) =>
      new Promise((resolve, reject) => {
        send.async(...request, (error: unknown, sent: number | bigint) =>
          error ? reject(error) : resolve(Number(sent)),
        );
      }),
  };
  return bound;
}

/** Undefined for a function that the C library does not have. */
function optional<Bound>(bind: () => Bound): Bound | undefined {
  try {
    return bind();
  } catch {
    return undefined;
  }
}
