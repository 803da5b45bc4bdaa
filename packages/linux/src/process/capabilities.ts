import { readFileSync } from 'node:fs';

const CAP_NET_ADMIN = 12n;

/**
 * The likely reason why the kernel refused a network change to a program that this process started, and the remedy: one
 * sentence without a full stop. Derived from `/proc/self/status`.
 *
 * @param status the text of `/proc/self/status`. Default: that of this process.
 */
export function whyNotPermitted(status: string = ownStatus()): string {
  const set = (name: string) => BigInt(`0x${new RegExp(`^${name}:\\s*([0-9a-f]+)$`, 'm').exec(status)?.[1] ?? '0'}`);
  const has = (name: string) => ((set(name) >> CAP_NET_ADMIN) & 1n) === 1n;
  if (!has('CapEff')) {
    return 'this process has no CAP_NET_ADMIN; run it as root, or with CAP_NET_ADMIN and CAP_NET_RAW';
  }
  const isRoot = /^Uid:\s+\d+\s+0\s/m.test(status);
  if (!isRoot && !has('CapAmb')) {
    return (
      'this process has CAP_NET_ADMIN, but as it is not root, the programs that it starts do not get it; ' +
      'run it as root, or raise CAP_NET_ADMIN and CAP_NET_RAW in the ambient set'
    );
  }
  return (
    'this process has CAP_NET_ADMIN, so something else refuses it: a user namespace that does not own this network ' +
    'namespace, AppArmor, SELinux or seccomp, or a file that this user may not open'
  );
}

function ownStatus(): string {
  try {
    return readFileSync('/proc/self/status', 'utf8');
  } catch {
    return '';
  }
}
