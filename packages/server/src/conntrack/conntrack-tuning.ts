import { type Logger, messageOf, type SyncObserver } from '@kube-proxier/core';
import { type KernelFiles, type Sysctl, SysctlError } from '@kube-proxier/linux';

/** How the kernel's table of connections is set up (spec §9.1). Times are milliseconds; 0 leaves what the kernel has. */
export interface ConntrackTuningOptions {
  /** Entries for each CPU, 1048576 in all at most; 0 leaves the size alone, whatever `min` says. Default 32768. */
  readonly maxPerCore: number;
  /** Entries at least. Default 131072. */
  readonly min: number;
  /** Default 24 hours. */
  readonly tcpEstablishedTimeout: number;
  /** Default 1 hour. */
  readonly tcpCloseWaitTimeout: number;
  /** Set `nf_conntrack_tcp_be_liberal`; never taken back. Default false. */
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

/** Entries that the table should have room for (spec T-1); 0 to leave it alone. */
export function conntrackMax({ maxPerCore, min }: ConntrackTuningOptions, cpus: number): number {
  if (maxPerCore <= 0) {
    return 0;
  }
  const scaled = maxPerCore * cpus;
  return scaled > MAX_BY_CORES ? MAX_BY_CORES : Math.max(scaled, min);
}

/** Settings to be made, in order (spec T-4, T-5); paths below `/proc/sys`. Pure. */
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

/** What {@link ConntrackTuning} works with. */
export interface ConntrackTuningContext {
  readonly options: ConntrackTuningOptions;
  readonly sysctl: Sysctl;
  readonly files: KernelFiles;
  /** CPUs of this host. */
  readonly cpus: number;
  readonly logger: Logger;
  /** Whether the values were asked for, so that failing is worth a warning. Default true. */
  readonly asked?: boolean;
}

/**
 * Sets up the kernel's table of connections. kube-proxy ends when that fails; here the data plane goes on with what the
 * kernel has, and it is told once what could not be set and how it can be.
 *
 * The settings come into being with the kernel module, which the first rules load: what is not there at the start is
 * tried again after the first sync.
 */
export class ConntrackTuning implements SyncObserver {
  private missing: readonly (readonly [string, number])[];
  private tries = 0;

  constructor(private readonly context: ConntrackTuningContext) {
    this.missing = conntrackSettings(context.options, context.cpus);
  }

  /** Sets what is there. Never rejects. @returns whether all is as it should be. */
  async apply(): Promise<boolean> {
    this.tries += 1;
    const { sysctl, logger, asked = true } = this.context;
    const absent: (readonly [string, number])[] = [];
    const refused: string[] = [];
    const set: string[] = [];
    for (const [name, value] of this.missing) {
      try {
        if (await sysctl.write(name, value)) {
          set.push(`${name}=${value}`);
        }
        if (name === MAX) {
          await this.growHashTable(value);
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
      logger.info('Set up connection tracking', { sysctls: set.join(' ') });
    }
    const last = this.tries > 1;
    this.missing = absent;
    const failed = [...refused, ...(last ? absent.map(([name, value]) => `${name}=${value} (it is not there)`) : [])];
    if (failed.length > 0) {
      const text = `Connection tracking keeps the kernel's own settings, as these could not be made: ${failed.join('; ')}`;
      const advice = 'make them on the host, run kube-proxier --init-only with privileges, or set the values to 0';
      if (asked) {
        logger.warn(`${text}; ${advice}`);
      } else {
        logger.debug(1, `${text}; ${advice}`);
      }
    }
    return failed.length === 0 && absent.length === 0;
  }

  async synced(): Promise<void> {
    if (this.missing.length > 0 && this.tries === 1) {
      await this.apply();
    }
  }

  /** Spec T-3: a table with few buckets is slow when it is full. */
  private async growHashTable(max: number): Promise<void> {
    const { files, logger } = this.context;
    const wanted = Math.floor(max / 4);
    try {
      if (Number((await files.read(HASH_SIZE)).trim()) < wanted) {
        await files.write(HASH_SIZE, String(wanted));
        logger.debug(1, 'Set the size of the hash table of connection tracking', { value: wanted });
      }
    } catch (error) {
      logger.debug(2, 'The hash table of connection tracking keeps its size', { wanted, reason: messageOf(error) });
    }
  }
}
