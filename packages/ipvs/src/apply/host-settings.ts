import type { Logger } from '@kube-proxier/core';
import { type Sysctl, SysctlError } from '@kube-proxier/linux';

interface Setting {
  readonly name: string;
  readonly value: number;
  /** Whether it is required. */
  readonly needed: boolean;
  readonly purpose: string;
}

const SETTINGS: readonly Setting[] = [
  // Without conntrack nothing that IPVS forwards could be masqueraded.
  { name: 'net/ipv4/vs/conntrack', value: 1, needed: true, purpose: 'answers of endpoints find their way back' },
  {
    name: 'net/ipv4/vs/expire_nodest_conn',
    value: 1,
    needed: false,
    purpose: 'flows to endpoints that are gone are sent elsewhere',
  },
  {
    name: 'net/ipv4/vs/expire_quiescent_template',
    value: 1,
    needed: false,
    purpose: 'clients leave endpoints that are on their way out',
  },
  { name: 'net/ipv4/ip_forward', value: 1, needed: false, purpose: 'packets reach endpoints on other hosts' },
];

/** Spec V-5: also `--ipvs-strict-arp`. */
const STRICT_ARP: readonly Setting[] = [
  { name: 'net/ipv4/conf/all/arp_ignore', value: 1, needed: false, purpose: 'virtual addresses are not answered for' },
  { name: 'net/ipv4/conf/all/arp_announce', value: 2, needed: false, purpose: 'virtual addresses are not announced' },
];

/**
 * Spec V-5: from 4.1 up to 5.8, kernels delay a client that reuses a port by one second, when connections are tracked.
 * Later ones do not, and select another endpoint if the previous one has weight 0: their setting is unchanged.
 */
const WITHOUT_REUSE: Setting = {
  name: 'net/ipv4/vs/conn_reuse_mode',
  value: 0,
  needed: false,
  purpose: 'clients that reuse a port are not delayed by one second',
};

function waitsForReuse(release: string | undefined): boolean {
  const [, major = 0, minor = 0] = /^(\d+)\.(\d+)/.exec(release ?? '')?.map(Number) ?? [];
  return (major === 4 && minor >= 1) || (major === 5 && minor < 9);
}

/**
 * Tests whether the required settings can be set, and restores them.
 *
 * @throws SysctlError when it cannot.
 */
export async function trySettings(sysctl: Sysctl): Promise<void> {
  for (const { name, value } of SETTINGS.filter(({ needed }) => needed)) {
    const before = await sysctl.read(name);
    if (await sysctl.write(name, value)) {
      await sysctl.write(name, before);
    }
  }
}

/** Kernel settings that IPVS needs to serve Services. */
export class HostSettings {
  readonly #settings: readonly Setting[];
  /** Unavailable settings, which are not checked again. */
  readonly #given = new Set<string>();

  constructor(
    private readonly sysctl: Sysctl,
    private readonly logger: Logger,
    strictARP: boolean,
  ) {
    this.#settings = strictARP ? [...SETTINGS, ...STRICT_ARP] : SETTINGS;
  }

  /** Whether all available settings have the required value. */
  async areRight(): Promise<boolean> {
    for (const { name, value } of await this.#wanted()) {
      if (!this.#given.has(name) && (await this.#read(name)) !== String(value)) {
        return false;
      }
    }
    return true;
  }

  /** @throws SysctlError when one that nothing works without cannot be set. */
  async write(): Promise<void> {
    for (const { name, value, needed, purpose } of await this.#wanted()) {
      try {
        if (await this.sysctl.write(name, value)) {
          this.logger.info(`Set ${name}=${value}, so that ${purpose}`);
        }
      } catch (error) {
        if (needed || !(error instanceof SysctlError)) {
          throw error;
        }
        this.#given.add(name);
        this.logger.warn(`${error.message}; without it, it cannot be said that ${purpose}`);
      }
    }
  }

  async #wanted(): Promise<readonly Setting[]> {
    return waitsForReuse(await this.#read('kernel/osrelease')) ? [...this.#settings, WITHOUT_REUSE] : this.#settings;
  }

  async #read(name: string): Promise<string | undefined> {
    try {
      return await this.sysctl.read(name);
    } catch (error) {
      if (error instanceof SysctlError) {
        return undefined;
      }
      throw error;
    }
  }
}
