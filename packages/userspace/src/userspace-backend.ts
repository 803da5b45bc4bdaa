import {
  type BackendModule,
  type Cleanup,
  checkBackendOptions,
  type Diagnosis,
  type FindLeftovers,
  type IPFamily,
  isProxierError,
  type Logger,
  messageOf,
  type OptionRule,
  OptionRules,
  type ProbeResult,
  type Proxier,
  type ProxierContext,
  type ProxyMode,
  parseAddress,
  ReconcilingProxier,
  type RemovedObjects,
  Tokens,
} from '@kube-proxier/core';
import {
  type CommandRunner,
  createCommandRunner,
  createIptables,
  detectIptablesVariant,
  type Iptables,
  type IptablesDocument,
  IptablesError,
  type IptablesVariant,
  LibcMarkedSockets,
  type MarkedSockets,
  removedObjects,
  whyNotPermitted,
} from '@kube-proxier/linux';
import { ContainerModule } from 'inversify';
import { trafficMeasurement } from './metrics.js';
import { DescriptorBudget, descriptorLimit } from './proxy/descriptor-budget.js';
import type { ServiceTraffic } from './proxy/service-traffic.js';
import { findPortalChains, IptablesRedirector, removePortalChains } from './redirect/iptables-redirector.js';
import { noRedirector } from './redirect/redirector.js';
import { SpliceCarrier } from './splice/splice-carrier.js';
import { type ProxySettings, type Redirection, UserspaceDataplane } from './userspace-dataplane.js';
import { UserspaceError } from './userspace-error.js';

/** Every way in which clients can get to the sockets. */
export const USERSPACE_REDIRECTS = ['auto', 'iptables', 'bind', 'none'] as const;

/**
 * How clients get to the sockets.
 * - `iptables`: rules send packets for cluster IPs and external addresses to proxy ports. Needs CAP_NET_ADMIN.
 * - `bind`: frontends are served on those of their addresses that are this host's.
 * - `none`: only NodePorts are served, and frontends on `listenAddresses`. Needs no privilege.
 * - `auto`: `iptables` where that can be had, else `bind`.
 */
export type UserspaceRedirect = (typeof USERSPACE_REDIRECTS)[number];

/** Options of {@link createUserspaceBackend}. */
export interface UserspaceBackendOptions extends ProxySettings {
  /** Default `auto`. */
  readonly redirect?: UserspaceRedirect;
  /** Default: whichever this host uses, found out when it is first needed. */
  readonly variant?: IptablesVariant;
  /** Runs the tools. Default: on this host. */
  readonly runner?: CommandRunner;
}

/** The backend, and what it measures. */
export interface UserspaceBackend extends BackendModule {
  /** What each service port of all proxiers of this backend moved; for metrics. Cheap enough to ask every second. */
  traffic(): readonly ServiceTraffic[];
}

const MODE: ProxyMode = 'userspace';
const FAMILIES: readonly IPFamily[] = ['IPv4', 'IPv6'];
const VARIANTS: readonly IptablesVariant[] = ['nft', 'legacy'];

const isPort = (port: unknown) => Number.isInteger(port) && (port as number) >= 1 && (port as number) <= 65_535;

const OPTION_RULES: { readonly [Name in keyof UserspaceBackendOptions]-?: OptionRule } = {
  redirect: OptionRules.oneOf(USERSPACE_REDIRECTS),
  variant: OptionRules.oneOf(VARIANTS),
  runner: OptionRules.having('run'),
  portRange: {
    expected: '{ first, last }, two ports of 1 to 65535 in this order',
    accepts: (value) => {
      const { first, last } = (value ?? {}) as Partial<Record<'first' | 'last', number>>;
      return isPort(first) && isPort(last) && Number(first) <= Number(last);
    },
  },
  udpTimeout: OptionRules.milliseconds,
  dialTimeouts: {
    expected: 'a list of numbers of milliseconds, greater than 0, with at least one',
    accepts: (value) => Array.isArray(value) && value.length > 0 && value.every(OptionRules.milliseconds.accepts),
  },
  halfClosedTimeout: OptionRules.milliseconds,
  highWaterMark: OptionRules.wholeNumberFrom(1),
  bulkAfter: {
    expected: 'a number of bytes, 0 or more, or Infinity',
    accepts: (value) => typeof value === 'number' && value >= 0,
  },
  maxConnectionsPerService: OptionRules.wholeNumberFrom(1),
  listenAddresses: {
    expected: 'a list of IP addresses',
    accepts: (value) => Array.isArray(value) && value.every((text) => parseAddress(text) !== undefined),
  },
};

/**
 * Makes the userspace backend. Touches nothing until it is used.
 *
 * @throws BackendOptionError when an option is unknown or cannot be followed on any host.
 */
export function createUserspaceBackend(options: UserspaceBackendOptions = {}): UserspaceBackend {
  checkBackendOptions('createUserspaceBackend', options, OPTION_RULES);
  const host = new UserspaceHost(options);
  return {
    mode: MODE,
    description: 'Carries connections in this process: needs least of the kernel, runs anywhere',
    capabilities: {
      localhostNodePorts: true,
      sctp: false,
      preservesSource: false,
      tracksConnections: false,
      detectsInterfaces: false,
      serviceAddresses: options.redirect !== 'none',
      servesWithoutProcess: false,
    },
    probe: () => host.probe(),
    diagnose,
    traffic: () => host.traffic(),
    metrics: [trafficMeasurement(() => host.traffic())],
    module: new ContainerModule(({ bind }) => {
      bind(Tokens.ProxierFactory).toConstantValue((context) => host.createProxier(context));
      bind(Tokens.Cleanup).toConstantValue(host.cleanup);
      bind(Tokens.Leftovers).toConstantValue(host.findLeftovers);
    }),
  };
}

/** Below this many connections a busy Service is turned away. */
const FEW_CONNECTIONS = 4096;

async function diagnose(): Promise<readonly Diagnosis[]> {
  return [await diagnoseOpenFiles(), await diagnoseBulk()];
}

async function diagnoseBulk(): Promise<Diagnosis> {
  const check = 'connections that move much';
  const carrier = new SpliceCarrier();
  await carrier.start();
  const { unusable } = carrier;
  await carrier.close();
  return unusable === undefined
    ? { check, status: 'ok', found: 'carried by the kernel (splice)' }
    : {
        check,
        status: 'warning',
        found: `carried by the event loop, at half the throughput: ${unusable}`,
        advice: 'install the package koffi for this platform, and allow the system calls splice, pipe2 and epoll_wait',
      };
}

/** Each connection takes a descriptor to the client and one to the endpoint. */
async function diagnoseOpenFiles(): Promise<Diagnosis> {
  const room = Math.floor((await descriptorLimit()) / 2);
  const found = `room for ${room} connections at once`;
  return room < FEW_CONNECTIONS
    ? {
        check: 'open files',
        status: 'warning',
        found,
        advice: 'raise the limit of open files (ulimit -n, LimitNOFILE)',
      }
    : { check: 'open files', status: 'ok', found };
}

class UserspaceHost {
  readonly #runner: CommandRunner;
  readonly #dataplanes = new Set<UserspaceDataplane>();
  readonly #carrier = new SpliceCarrier();
  readonly #budget = new DescriptorBudget(descriptorLimit);
  #variant: Promise<IptablesVariant | undefined> | undefined;
  #probedReason: string | undefined;
  #reportedReason: string | undefined;

  constructor(private readonly options: UserspaceBackendOptions) {
    this.#runner = options.runner ?? createCommandRunner();
  }

  traffic(): readonly ServiceTraffic[] {
    return [...this.#dataplanes].flatMap(({ traffic }) => traffic);
  }

  createProxier(context: ProxierContext): Proxier {
    const { family, logger, clock, localAddresses, options } = context;
    const ownSockets = new LibcMarkedSockets(2 ** options.masqueradeBit);
    const dataplane = new UserspaceDataplane({
      ...this.options,
      family,
      localAddresses,
      redirection: () => this.#redirection(family, logger, ownSockets),
      budget: this.#budget,
      carrier: this.#carrier,
      clock,
      logger,
    });
    this.#dataplanes.add(dataplane);
    return new ReconcilingProxier({ mode: MODE, context, dataplane });
  }

  async probe(): Promise<ProbeResult> {
    const redirect = this.options.redirect ?? 'auto';
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

  /** Both families and both variants: which one was used before is not known. */
  readonly cleanup: Cleanup = async () => {
    const removed: RemovedObjects[] = [];
    const failed: string[] = [];
    let cause: unknown;
    const attempt = async (what: string, run: () => Promise<void>) => {
      try {
        await run();
      } catch (error) {
        failed.push(`${what}: ${messageOf(error)}`);
        cause = error;
      }
    };
    for (const dataplane of this.#dataplanes) {
      await attempt('sockets', () => dataplane.cleanup());
    }
    await attempt('the thread that carries connections', () => this.#carrier.close());
    const variants = this.options.variant === undefined ? VARIANTS : [this.options.variant];
    for (const family of FAMILIES) {
      for (const variant of variants) {
        await attempt(`${family} rules (${variant})`, async () => {
          removed.push(...(await this.#withRules(family, variant, removePortalChains)));
        });
      }
    }
    if (failed.length > 0) {
      const message = `could not remove ${failed.join(', ')}; see the cause, and run the clean-up again`;
      throw new UserspaceError('USERSPACE_LEFTOVERS', message, { cause });
    }
    return { removed };
  };

  /** The rules: sockets are not there without their process. */
  readonly findLeftovers: FindLeftovers = async (owner) => {
    if (owner !== 'backend') {
      return [];
    }
    const found: RemovedObjects[] = [];
    const variants = this.options.variant === undefined ? VARIANTS : [this.options.variant];
    for (const family of FAMILIES) {
      for (const variant of variants) {
        found.push(...(await this.#withRules(family, variant, findPortalChains)));
      }
    }
    return found;
  };

  /** Where there are no such tools, there are no rules. */
  async #withRules(
    family: IPFamily,
    variant: IptablesVariant,
    run: (iptables: Iptables) => Promise<IptablesDocument>,
  ): Promise<readonly RemovedObjects[]> {
    try {
      const removed = await run(this.#iptables(family, variant));
      return [...removed].flatMap(([table, content]) =>
        removedObjects(content, `${table} table, ${family}, ${variant}`),
      );
    } catch (error) {
      if (error instanceof IptablesError && error.code === 'IPTABLES_MISSING') {
        return [];
      }
      throw error;
    }
  }

  async #redirection(family: IPFamily, logger: Logger, ownSockets: MarkedSockets): Promise<Redirection> {
    const redirect = this.options.redirect ?? 'auto';
    if (redirect === 'none') {
      return { reach: 'none', redirector: noRedirector };
    }
    const reason = redirect === 'bind' ? undefined : await this.#whyNoIptables(family);
    if (redirect !== 'bind' && reason === undefined) {
      const iptables = this.#variantToUse().then((variant) => this.#iptables(family, variant));
      await ownSockets.start();
      const mark = ownSockets.unusable === undefined ? ownSockets.mark : undefined;
      return { reach: 'redirected', redirector: new IptablesRedirector(family, () => iptables, mark), ownSockets };
    }
    if (redirect === 'iptables') {
      throw new UserspaceError('USERSPACE_INVALID_OPTION', `${family} cannot be redirected by iptables: ${reason}`);
    }
    if (reason !== undefined && reason !== this.#reportedReason) {
      // The probe's detail has the reason, which is logged with the mode; another one is news.
      const fields = reason === this.#probedReason ? {} : { family, reason };
      this.#reportedReason = reason;
      logger.warn('Cluster IPs are not redirected, as iptables cannot be used; serving local addresses', fields);
    }
    return { reach: 'bound', redirector: noRedirector };
  }

  async #whyNoIptables(family: IPFamily): Promise<string | undefined> {
    try {
      const iptables = this.#iptables(family, await this.#variantToUse());
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

  #variantToUse(): Promise<IptablesVariant | undefined> {
    this.#variant ??=
      this.options.variant === undefined
        ? detectIptablesVariant(this.#runner).then(({ variant }) => variant)
        : Promise.resolve(this.options.variant);
    return this.#variant;
  }

  #iptables(family: IPFamily, variant: IptablesVariant | undefined): Iptables {
    return createIptables({ family, runner: this.#runner, ...(variant === undefined ? {} : { variant }) });
  }
}

/** The backend with its defaults. */
export const userspaceBackend: UserspaceBackend = createUserspaceBackend();
