import { type Logger, messageOf, type SyncObserver } from '@kube-proxier/core';
import { type KernelFiles, type Sysctl, SysctlError } from '@kube-proxier/linux';

/** Settings of the kernel's conntrack table (spec T-1…T-7). Times are milliseconds; 0 keeps the kernel's value. */
export interface ConntrackTuningOptions {
  /** Entries per CPU, at most 1048576 in total; 0 keeps the kernel's size, regardless of `min`. Default 32768. */
  readonly maxPerCore: number;
  /** Minimum number of entries. Default 131072. */
  readonly min: number;
  /** Default 24 hours. */
  readonly tcpEstablishedTimeout: number;
  /** Default 1 hour. */
  readonly tcpCloseWaitTimeout: number;
  /** Sets `nf_conntrack_tcp_be_liberal`; never reset. Default false. */
  readonly tcpBeLiberal: boolean;
  /** Default 0. */
  readonly udpTimeout: number;
  /** Default 0. */
  readonly udpStreamTimeout: number;
}

/** The defaults of kube-proxy. */
export const DEFAULT_CONNTRACK_TUNING: ConntrackTuningOptions = {
  maxPerCore: 32_768,
  min: 131_072,
  tcpEstablishedTimeout: 24 * 3_600_000,
  tcpCloseWaitTimeout: 3_600_000,
  tcpBeLiberal: false,
  udpTimeout: 0,
  udpStreamTimeout: 0,
};

const DIRECTORY = 'net/netfilter';
const MAX = `${DIRECTORY}/nf_conntrack_max`;
const HASH_SIZE = '/sys/module/nf_conntrack/parameters/hashsize';
const MAX_BY_CORES = 1_048_576;

/** Maximum number of entries to set (spec T-1); 0 to keep the kernel's. */
export function conntrackMax({ maxPerCore, min }: ConntrackTuningOptions, cpus: number): number {
  if (maxPerCore <= 0) {
    return 0;
  }
  const scaled = maxPerCore * cpus;
  return scaled > MAX_BY_CORES ? MAX_BY_CORES : Math.max(scaled, min);
}

/** Sysctls to set, in order (spec T-4, T-5); paths below `/proc/sys`. Pure. */
export function conntrackSettings(
  options: ConntrackTuningOptions,
  cpus: number,
): readonly (readonly [string, number])[] {
  const seconds = (milliseconds: number) => Math.floor(milliseconds / 1000);
  const wanted: readonly (readonly [string, number])[] = [
    [MAX, conntrackMax(options, cpus)],
    [`${DIRECTORY}/nf_conntrack_tcp_timeout_established`, seconds(options.tcpEstablishedTimeout)],
    [`${DIRECTORY}/nf_conntrack_tcp_timeout_close_wait`, seconds(options.tcpCloseWaitTimeout)],
    [`${DIRECTORY}/nf_conntrack_tcp_be_liberal`, options.tcpBeLiberal ? 1 : 0],
    [`${DIRECTORY}/nf_conntrack_udp_timeout`, seconds(options.udpTimeout)],
    [`${DIRECTORY}/nf_conntrack_udp_timeout_stream`, seconds(options.udpStreamTimeout)],
  ];
  return wanted.filter(([, value]) => value > 0);
}

/** Dependencies of {@link ConntrackTuning}. */
export interface ConntrackTuningContext {
  readonly options: ConntrackTuningOptions;
  readonly sysctl: Sysctl;
  readonly files: KernelFiles;
  /** CPUs of this host. */
  readonly cpus: number;
  readonly logger: Logger;
  /** Whether the user configured the values, so that a failure is logged as a warning. Default true. */
  readonly isExplicit?: boolean;
}

/**
 * Sets the sysctls of the kernel's conntrack table. kube-proxy exits when that fails; here the data plane continues with
 * the kernel's values, and one log line names the failed settings and the remedy.
 *
 * The sysctls exist once the kernel module is loaded, which the first rules do: those missing at the start are retried
 * after the first sync.
 */
export class ConntrackTuning implements SyncObserver {
  #missing: readonly (readonly [string, number])[];
  #tries = 0;

  constructor(private readonly context: ConntrackTuningContext) {
    this.#missing = conntrackSettings(context.options, context.cpus);
  }

  /** Sets the sysctls that exist. Never rejects. @returns whether all have the configured values. */
  async apply(): Promise<boolean> {
    this.#tries += 1;
    const { sysctl, logger, isExplicit = true } = this.context;
    const absent: (readonly [string, number])[] = [];
    const refused: string[] = [];
    const set: string[] = [];
    for (const [name, value] of this.#missing) {
      try {
        if (await sysctl.write(name, value)) {
          set.push(`${name}=${value}`);
        }
        if (name === MAX) {
          await this.#growHashTable(value);
        }
      } catch (error) {
        if (error instanceof SysctlError && error.code === 'SYSCTL_ABSENT') {
          absent.push([name, value]);
        } else {
          refused.push(`${name}=${value} (${messageOf(error)})`);
        }
      }
    }
    if (set.length > 0) {
      logger.info('Set conntrack sysctls', { sysctls: set.join(' ') });
    }
    const last = this.#tries > 1;
    this.#missing = absent;
    const failed = [...refused, ...(last ? absent.map(([name, value]) => `${name}=${value} (does not exist)`) : [])];
    if (failed.length > 0) {
      const text = `Cannot set conntrack sysctls; the kernel's values stay in force: ${failed.join('; ')}`;
      const advice = 'set them on the host, run kube-proxier --init-only with privileges, or set the values to 0';
      if (isExplicit) {
        logger.warn(`${text}; ${advice}`);
      } else {
        logger.debug(1, `${text}; ${advice}`);
      }
    }
    return failed.length === 0 && absent.length === 0;
  }

  async synced(): Promise<void> {
    if (this.#missing.length > 0 && this.#tries === 1) {
      await this.apply();
    }
  }

  /** Spec T-3: a table with few buckets is slow when it is full. */
  async #growHashTable(max: number): Promise<void> {
    const { files, logger } = this.context;
    const wanted = Math.floor(max / 4);
    try {
      if (Number((await files.read(HASH_SIZE)).trim()) < wanted) {
        await files.write(HASH_SIZE, String(wanted));
        logger.debug(1, 'Set the size of the conntrack hash table', { value: wanted });
      }
    } catch (error) {
      logger.debug(2, 'Cannot set the size of the conntrack hash table', { wanted, reason: messageOf(error) });
    }
  }
}
