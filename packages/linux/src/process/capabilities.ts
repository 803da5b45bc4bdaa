import { readFileSync } from 'node:fs';
import { readU32, u32, writeU32 } from '../netlink/attributes.js';
import { loadedLibc, loadLibc } from '../netlink/libc.js';

const CAP_NET_ADMIN = 12;
const CAP_NET_RAW = 13;
/** Version 3 of the interface: two times 32 capabilities. */
const CAPABILITY_VERSION = 0x20080522;
/** Bytes for 32 capabilities: effective, permitted and inheritable ones. */
const SETS = 12;
/** Maximum size in bytes of a file capability. */
const MAX_FILE_CAPABILITY = 24;

/** Whether a program has a file capability with CAP_NET_ADMIN. */
export type FileCapability = 'present' | 'absent';

/** Input of {@link whyNotPermitted}. */
export interface PermissionFacts {
  /** The refused process. Default `program`: a program that this process started. */
  readonly refused?: 'program' | 'process';
  /** The text of `/proc/self/status`. Default: that of this process. */
  readonly status?: string;
  /** Whether the file of this program has a file capability with CAP_NET_ADMIN; undefined when it cannot be read. */
  readonly fileCapability?: FileCapability | undefined;
}

/**
 * The likely reason why the kernel refused a network change to this process, or to a program that it started, and the remedy:
 * one sentence without a full stop. Derived from `/proc/self/status`, and from the file capability of this program.
 */
export function whyNotPermitted(facts: PermissionFacts = {}): string {
  const { refused = 'program', status = ownStatus() } = facts;
  if (!hasNetAdmin(status)) {
    return whyNotInEffect(status, 'fileCapability' in facts ? facts.fileCapability : ownFileCapability());
  }
  const isRoot = /^Uid:\s+\d+\s+0\s/m.test(status);
  if (refused === 'program' && !isRoot && !hasNetAdmin(status, 'CapAmb')) {
    return (
      'this process has CAP_NET_ADMIN, but as it is not root, the programs that it starts do not get it; ' +
      'run it as root, or raise CAP_NET_ADMIN and CAP_NET_RAW in the ambient set'
    );
  }
  const noSockets =
    refused === 'program' && !hasCapability(CAP_NET_RAW, status, isRoot ? 'CapBnd' : 'CapAmb')
      ? 'the lack of CAP_NET_RAW, which iptables-legacy needs, '
      : '';
  return (
    `this process has CAP_NET_ADMIN, so something else refuses it: ${noSockets}a user namespace that does not own this ` +
    'network namespace, AppArmor, SELinux or seccomp, or a file that this user may not open'
  );
}

function whyNotInEffect(status: string, fileCapability: FileCapability | undefined): string {
  const missing = 'this process has no CAP_NET_ADMIN';
  const asRoot = 'run it as root, or with CAP_NET_ADMIN and CAP_NET_RAW';
  if (/^CapBnd:/m.test(status) && !hasNetAdmin(status, 'CapBnd')) {
    return (
      `${missing}; run it where CAP_NET_ADMIN is in the bounding set: in a container, add NET_ADMIN to its capabilities ` +
      '(securityContext.capabilities.add)'
    );
  }
  if (hasNetAdmin(status, 'CapPrm')) {
    return (
      `${missing} in effect, although it is permitted, as the package koffi cannot be loaded, which puts it into effect; ` +
      'install koffi for this platform, or run it as root'
    );
  }
  const isRoot = /^Uid:\s+\d+\s+0\s/m.test(status);
  if (isRoot || fileCapability === undefined) {
    return `${missing}; ${asRoot}`;
  }
  if (fileCapability === 'absent') {
    return (
      `${missing}; ${asRoot}. Without root, ${process.execPath} needs the file capability cap_net_admin, which it does not ` +
      'have: only the image kube-proxier-nftables has it, and it is lost where an image is unpacked or copied without ' +
      'extended attributes'
    );
  }
  return /^NoNewPrivs:\s*1$/m.test(status)
    ? `${missing}, as the container runtime permits none to a user other than root, and with no_new_privs the kernel ` +
        `ignores the file capability of ${process.execPath}; set allowPrivilegeEscalation: true, or run it as root`
    : `${missing}, as the kernel ignores the file capability of ${process.execPath}: its file system may be mounted with ` +
        'nosuid, or belong to another user namespace; run it as root, or from a file system without nosuid';
}

/**
 * Makes a permitted CAP_NET_ADMIN effective, which a file capability without the flag `effective` requires. Applies to
 * this thread and to threads that it creates later, so it must be called first; existing threads of the thread pool do
 * not get it.
 *
 * @returns whether this call made it effective. False when `koffi` cannot be loaded.
 */
export async function raiseNetAdmin(): Promise<boolean> {
  const status = ownStatus();
  if (hasNetAdmin(status) || !hasNetAdmin(status, 'CapPrm')) {
    return false;
  }
  const libc = await loadLibc().catch(() => undefined);
  const header = Buffer.concat([u32(CAPABILITY_VERSION), u32(0)]);
  const sets = Buffer.alloc(2 * SETS);
  if (libc === undefined || libc.capget(header, sets) < 0) {
    return false;
  }
  writeU32(sets, (readU32(sets, 0) | (1 << CAP_NET_ADMIN)) >>> 0, 0);
  return libc.capset(header, sets) === 0;
}

/**
 * Whether CAP_NET_ADMIN is in a set of capabilities of a process.
 *
 * @param status the text of `/proc/PID/status`. Default: that of this process.
 * @param set name of the set in that text. Default `CapEff`, the effective one.
 */
export function hasNetAdmin(status: string = ownStatus(), set: CapabilitySet = 'CapEff'): boolean {
  return hasCapability(CAP_NET_ADMIN, status, set);
}

type CapabilitySet = 'CapEff' | 'CapPrm' | 'CapBnd' | 'CapAmb';

function hasCapability(capability: number, status: string, set: CapabilitySet): boolean {
  const bits = BigInt(`0x${new RegExp(`^${set}:\\s*([0-9a-f]+)$`, 'm').exec(status)?.[1] ?? '0'}`);
  return ((bits >> BigInt(capability)) & 1n) === 1n;
}

/** The file capability of the program of this process; undefined unless the C library is loaded. */
function ownFileCapability(): FileCapability | undefined {
  const value = Buffer.alloc(MAX_FILE_CAPABILITY);
  const length = loadedLibc()?.getxattr(process.execPath, 'security.capability', value, value.length);
  if (length === undefined) {
    return undefined;
  }
  // A version, then the permitted capabilities, little-endian on every processor.
  return length >= 8 && ((value.readUInt32LE(4) >>> CAP_NET_ADMIN) & 1) === 1 ? 'present' : 'absent';
}

function ownStatus(): string {
  try {
    return readFileSync('/proc/self/status', 'utf8');
  } catch {
    return '';
  }
}
