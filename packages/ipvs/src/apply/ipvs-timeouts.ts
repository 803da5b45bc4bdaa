import { messageOf } from '@kube-proxier/core';
import { type Ipvs, type IpvsTimeouts, NetlinkRefused } from '@kube-proxier/linux';

const NAMES = ['tcp', 'tcpFin', 'udp'] as const satisfies readonly (keyof IpvsTimeouts)[];

/** The timeouts of IPVS connections. IPVS also works without them (spec V-6), so a refusal is logged and skipped. */
export class TimeoutSettings {
  #areRefused = false;

  /** @param timeouts in seconds; 0 or undefined leaves one unchanged. */
  constructor(
    private readonly ipvs: Ipvs,
    private readonly timeouts: IpvsTimeouts | undefined,
    private readonly warn: (problem: string) => void,
  ) {}

  async write(): Promise<void> {
    const { timeouts } = this;
    if (timeouts === undefined || this.#areRefused || NAMES.every((name) => timeouts[name] === 0)) {
      return;
    }
    try {
      await this.ipvs.setTimeouts(timeouts);
    } catch (error) {
      if (!(error instanceof NetlinkRefused)) {
        throw error;
      }
      this.#areRefused = true;
      this.warn(`The IPVS timeouts are unchanged; choose shorter ones: ${messageOf(error)}`);
    }
  }

  /** Whether the kernel has the requested timeouts, or refuses them. */
  async areSet(): Promise<boolean> {
    const { timeouts } = this;
    const found = await this.ipvs.timeouts();
    return (
      this.#areRefused || timeouts === undefined || NAMES.every((name) => [0, found[name]].includes(timeouts[name]))
    );
  }
}
