import type { Libc } from './libc.js';
import { errnoName } from './netlink-error.js';

const CLONE_NEWNET = 0x40000000;
const O_CLOEXEC = 0o2000000;

/** Instead of the path of a network namespace: a new one. */
export const NEW_NAMESPACE = 'new';

/**
 * Runs a function in a network namespace: a socket belongs to the namespace of the thread that opens it. The thread
 * switches back afterwards.
 *
 * @param namespace path, such as `/run/netns/a`; undefined: that of this process, which needs no privilege;
 *   {@link NEW_NAMESPACE}: a new one, which exists as long as sockets opened in it.
 * @throws Error when it cannot be entered.
 */
export function inNamespace<T>(libc: Libc, namespace: string | undefined, work: () => T): T {
  if (namespace === undefined) {
    return work();
  }
  const own = libc.open('/proc/thread-self/ns/net', O_CLOEXEC);
  const isNew = namespace === NEW_NAMESPACE;
  const other = isNew ? -1 : libc.open(namespace, O_CLOEXEC);
  try {
    if (own < 0 || (isNew ? libc.unshare(CLONE_NEWNET) < 0 : other < 0 || libc.setns(other, CLONE_NEWNET) < 0)) {
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
    for (const fd of [own, other]) {
      if (fd >= 0) {
        libc.close(fd);
      }
    }
  }
}
