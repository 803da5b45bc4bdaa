import { messageOf, ProxierError } from '@kube-proxier/core';
import { type KernelFiles, kernelFiles, systemErrorCode } from '../process/kernel-files.js';

/**
 * Kernel settings. Names are paths below `/proc/sys`, such as `net/ipv4/ip_forward`; not with dots, since interface
 * names may contain dots.
 */
export interface Sysctl {
  /**
   * The value as text, without surrounding white space.
   *
   * @throws SysctlError
   */
  read(name: string): Promise<string>;

  /**
   * Sets a value if it differs.
   *
   * @returns whether it differed.
   * @throws SysctlError
   */
  write(name: string, value: number | string): Promise<boolean>;
}

/**
 * - `SYSCTL_ABSENT`: this kernel has no such setting, or its module is not loaded.
 * - `SYSCTL_READ_ONLY`: not writable; `/proc/sys` is mounted read-only in most containers.
 * - `SYSCTL_INVALID`: the kernel rejects this value.
 * - `SYSCTL_FAILED`: anything else; `cause` has it.
 */
export type SysctlErrorCode = 'SYSCTL_ABSENT' | 'SYSCTL_READ_ONLY' | 'SYSCTL_INVALID' | 'SYSCTL_FAILED';

/** A kernel setting could not be read or written. */
export class SysctlError extends ProxierError {
  declare readonly code: SysctlErrorCode;
  /** The setting, as requested. */
  readonly sysctl: string;

  constructor(code: SysctlErrorCode, sysctl: string, message: string, options?: ErrorOptions) {
    super(code, message, options);
    this.sysctl = sysctl;
  }
}

const ROOT = '/proc/sys';

/** {@link Sysctl} through `/proc/sys`. */
export class ProcSysctl implements Sysctl {
  readonly #files: KernelFiles;

  /** @param files access to `/proc/sys`; default is that of this process. */
  constructor(files: KernelFiles = kernelFiles) {
    this.#files = files;
  }

  async read(name: string): Promise<string> {
    try {
      return (await this.#files.read(`${ROOT}/${checkedName(name)}`)).trim();
    } catch (error) {
      throw describe(name, 'read', error);
    }
  }

  async write(name: string, value: number | string): Promise<boolean> {
    const wanted = `${value}`;
    if (sameValue(await this.read(name), wanted)) {
      return false;
    }
    try {
      await this.#files.write(`${ROOT}/${checkedName(name)}`, wanted);
      return true;
    } catch (error) {
      throw describe(name, `set to ${wanted}`, error);
    }
  }
}

/** Numbers in one setting are separated by tabs when read, and usually by spaces when written. */
export function sameValue(one: string, other: string): boolean {
  const words = (text: string): string => text.trim().split(/\s+/).join(' ');
  return words(one) === words(other);
}

/** @throws SysctlError when it refers to a path outside `/proc/sys`. */
export function checkedName(name: string): string {
  const parts = name.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..') || name.includes('\0')) {
    throw new SysctlError('SYSCTL_ABSENT', name, `"${name}" is not a sysctl: write it like net/ipv4/ip_forward`);
  }
  return name;
}

function describe(name: string, what: string, error: unknown): SysctlError {
  if (error instanceof SysctlError) {
    return error;
  }
  const cause = { cause: error };
  switch (systemErrorCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return new SysctlError(
        'SYSCTL_ABSENT',
        name,
        `sysctl ${name} does not exist: the kernel lacks it, or its module is not loaded`,
        cause,
      );
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return new SysctlError(
        'SYSCTL_READ_ONLY',
        name,
        `sysctl ${name} could not be ${what}: it is read-only here; run privileged, or set it on the host`,
        cause,
      );
    case 'EINVAL':
    case 'ERANGE':
      return new SysctlError('SYSCTL_INVALID', name, `sysctl ${name} cannot be ${what}: the kernel refuses it`, cause);
    default:
      return new SysctlError('SYSCTL_FAILED', name, `sysctl ${name} could not be ${what}: ${messageOf(error)}`, cause);
  }
}
