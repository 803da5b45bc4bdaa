import { type IPFamily, isProxierError, messageOf, type ProbeResult } from '@kube-proxier/core';
import {
  type CommandRunner,
  createIptables,
  detectIptablesVariant,
  type Iptables,
  type IptablesVariant,
  whyNotPermitted,
} from '@kube-proxier/linux';
import { UserspaceError } from './userspace-error.js';

/** All redirect modes. */
export const USERSPACE_REDIRECTS = ['auto', 'iptables', 'bind', 'none'] as const;

/**
 * How clients reach the sockets.
 * - `iptables`: rules send packets for cluster IPs and external addresses to proxy ports. Needs CAP_NET_ADMIN.
 * - `bind`: frontends are served on those of their addresses that are this host's.
 * - `none`: only NodePorts are served, and frontends on `listenAddresses`. Needs no privilege.
 * - `auto`: `iptables` if available, else `bind`.
 */
export type UserspaceRedirect = (typeof USERSPACE_REDIRECTS)[number];

/** How clients reach the sockets on a host. */
export type HostRedirect =
  | { readonly redirect: 'iptables'; readonly iptables: () => Promise<Iptables> }
  | {
      readonly redirect: 'bind';
      /** Why iptables cannot be used; undefined when it was not requested. */
      readonly reason: string | undefined;
    }
  | { readonly redirect: 'none' };

export interface HostSupportOptions {
  readonly runner: CommandRunner;
  readonly redirect: UserspaceRedirect;
  /** Default: the one that this host uses, detected when it is first needed. */
  readonly variant?: IptablesVariant;
}

/** How clients can reach sockets on this host. */
export class HostSupport {
  #variant: Promise<IptablesVariant | undefined> | undefined;
  #probedReason: string | undefined;

  constructor(private readonly options: HostSupportOptions) {}

  /** Why the last probe found that iptables cannot be used; its detail has it. */
  get probedReason(): string | undefined {
    return this.#probedReason;
  }

  /** See `BackendModule.probe`. */
  async probe(): Promise<ProbeResult> {
    const { redirect } = this.options;
    if (redirect === 'none' || redirect === 'bind') {
      return { usable: true, detail: `redirect ${redirect}` };
    }
    const reason = await this.#whyNoIptables('IPv4');
    this.#probedReason = reason;
    if (reason === undefined) {
      return { usable: true, detail: 'redirect iptables' };
    }
    return redirect === 'auto'
      ? { usable: true, detail: `redirect bind, as iptables cannot be used: ${reason}` }
      : { usable: false, reason: `redirect iptables cannot be had: ${reason}` };
  }

  /**
   * The requested redirect, or the best that this host supports.
   *
   * @throws UserspaceError `USERSPACE_INVALID_OPTION` when the requested one is not supported.
   */
  async redirect(family: IPFamily): Promise<HostRedirect> {
    const { redirect } = this.options;
    if (redirect === 'none') {
      return { redirect };
    }
    if (redirect === 'bind') {
      return { redirect, reason: undefined };
    }
    const reason = await this.#whyNoIptables(family);
    if (reason === undefined) {
      const iptables = this.#variantInUse().then((variant) => this.iptables(family, variant));
      return { redirect: 'iptables', iptables: () => iptables };
    }
    if (redirect === 'iptables') {
      throw new UserspaceError('USERSPACE_INVALID_OPTION', `${family} cannot be redirected by iptables: ${reason}`);
    }
    return { redirect: 'bind', reason };
  }

  /** Access to the rules of a variant. */
  iptables(family: IPFamily, variant: IptablesVariant | undefined): Iptables {
    return createIptables({ family, runner: this.options.runner, ...(variant === undefined ? {} : { variant }) });
  }

  async #whyNoIptables(family: IPFamily): Promise<string | undefined> {
    try {
      const iptables = this.iptables(family, await this.#variantInUse());
      await iptables.version();
      return (await iptables.isPresent())
        ? undefined
        : `the nat table cannot be listed: ${whyNotPermitted()}; or the kernel lacks it`;
    } catch (error) {
      if (isProxierError(error)) {
        return messageOf(error).replace(/\.$/, '');
      }
      throw error;
    }
  }

  #variantInUse(): Promise<IptablesVariant | undefined> {
    const { runner, variant } = this.options;
    this.#variant ??=
      variant === undefined
        ? detectIptablesVariant(runner).then((detected) => detected.variant)
        : Promise.resolve(variant);
    return this.#variant;
  }
}
