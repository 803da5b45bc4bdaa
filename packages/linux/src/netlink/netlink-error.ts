import { getSystemErrorName } from 'node:util';
import { ProxierError } from '@kube-proxier/core';

/**
 * - `NETLINK_REFUSED`: the kernel refused the request; `errno` has the cause.
 * - `NETLINK_LOST`: an answer was not received (the socket overran, for example): the outcome of the pending requests
 *   is unknown. Read back the current state.
 * - `NETLINK_UNAVAILABLE`: this netlink protocol is not available.
 * - `NETLINK_CLOSED`: the socket was closed.
 */
export type NetlinkErrorCode = 'NETLINK_REFUSED' | 'NETLINK_LOST' | 'NETLINK_UNAVAILABLE' | 'NETLINK_CLOSED';

/** Communication with the kernel by netlink failed. */
export class NetlinkError extends ProxierError {
  declare readonly code: NetlinkErrorCode;

  constructor(code: NetlinkErrorCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
  }
}

/** The kernel refused a request. */
export class NetlinkRefused extends NetlinkError {
  /** Positive error number, as in `errno.h`; values from 4096 up are specific to ipset. */
  readonly errno: number;
  /** `EEXIST`, `IPSET_BUSY`, or `ERRNO_4711` for one without a name. */
  readonly errnoName: string;

  /** @param what the requested operation, to complete "The kernel refused to …". */
  constructor(errno: number, what: string) {
    const name = errnoName(errno);
    super('NETLINK_REFUSED', `the kernel refused to ${what}: ${name}${hintFor(name)}`);
    this.errno = errno;
    this.errnoName = name;
  }
}

/** Error numbers of `linux/netfilter/ipset/ip_set.h`. */
const IPSET_ERRORS: Readonly<Record<number, string>> = {
  4097: 'IPSET_PROTOCOL',
  4098: 'IPSET_FIND_TYPE',
  4099: 'IPSET_MAX_SETS',
  4100: 'IPSET_BUSY',
  4101: 'IPSET_EXIST_SETNAME2',
  4102: 'IPSET_TYPE_MISMATCH',
  4103: 'IPSET_EXIST',
  4104: 'IPSET_INVALID_CIDR',
  4105: 'IPSET_INVALID_NETMASK',
  4106: 'IPSET_INVALID_FAMILY',
  4107: 'IPSET_TIMEOUT',
  4108: 'IPSET_REFERENCED',
  4109: 'IPSET_IPADDR_IPV4',
  4110: 'IPSET_IPADDR_IPV6',
  4352: 'IPSET_HASH_FULL',
};

/** The name of an error number. */
export function errnoName(errno: number): string {
  const own = IPSET_ERRORS[errno];
  if (own !== undefined) {
    return own;
  }
  try {
    return getSystemErrorName(-errno);
  } catch {
    return `ERRNO_${errno}`;
  }
}

function hintFor(name: string): string {
  switch (name) {
    case 'EPERM':
      return ' (this process lacks CAP_NET_ADMIN)';
    case 'IPSET_FIND_TYPE':
      return ' (the kernel lacks this type of set, or its module cannot be loaded)';
    case 'IPSET_HASH_FULL':
      return ' (the set holds as much as it may)';
    default:
      return '';
  }
}
