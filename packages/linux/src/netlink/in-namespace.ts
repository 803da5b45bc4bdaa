import type { Libc } from './libc.js';
import { errnoName } from './netlink-error.js';

const CLONE_NEWNET = 0x40000000;
const O_CLOEXEC = 0o2000000;

/**
 * Runs a function in a network namespace: a socket belongs to the namespace that its thread was in when it was opened.
 * The thread returns at once.
 *
 * @param namespace path, such as `/run/netns/a`; undefined: that of this process, which needs no privilege.
 * @throws Error when it cannot be entered.
 */
export function inNamespace<T>(libc: Libc, namespace: string | undefined, work: () => T): T {
  if (namespace === undefined) {
    return work();
  }
  const own = libc.open('/proc/thread-self/ns/net', O_CLOEXEC);
  const other = libc.open(namespace, O_CLOEXEC);
  try {
    if (own < 0 || other < 0 || libc.setns(other, CLONE_NEWNET) < 0) {
      throw new Error(`${namespace} cannot be entered: ${errnoName(libc.errno())}`);
    }
    try {
      return work();
    } finally {
      if (libc.setns(own, CLONE_NEWNET) < 0) {
        process.abort();
      }
    }
  } finally {
    libc.close(own);
    libc.close(other);
  }
}
