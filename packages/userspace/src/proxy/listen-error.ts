import { joinHostPort } from '@kube-proxier/core';
import type { ProxiedProtocol } from '../plan/userspace-transaction.js';
import { UserspaceError } from '../userspace-error.js';

/** Says what to do about a socket that could not be bound. */
export function listenError(
  protocol: ProxiedProtocol,
  address: string,
  port: number,
  error: NodeJS.ErrnoException,
): UserspaceError {
  const where = `${joinHostPort(address, port)}/${protocol}`;
  switch (error.code) {
    case 'EADDRINUSE':
      return new UserspaceError(
        'USERSPACE_PORT_TAKEN',
        `another program holds ${where}; end it, or give the Service another port`,
        { cause: error },
      );
    case 'EACCES':
    case 'EPERM':
      return new UserspaceError(
        'USERSPACE_PORT_FORBIDDEN',
        `this process may not listen on ${where}; ports below 1024 need CAP_NET_BIND_SERVICE`,
        { cause: error },
      );
    case 'EMFILE':
    case 'ENFILE':
    case 'ENOBUFS':
      return new UserspaceError(
        'USERSPACE_NO_DESCRIPTORS',
        `there is no descriptor left to listen on ${where}; raise the limit of open files`,
        { cause: error },
      );
    default:
      return new UserspaceError(
        'USERSPACE_LISTEN_FAILED',
        `cannot listen on ${where}: ${error.message}; check the address`,
        { cause: error },
      );
  }
}
