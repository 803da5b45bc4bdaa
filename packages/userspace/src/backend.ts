import {
  type BackendModule,
  checkBackendOptions,
  checkProxierContext,
  countsMeasurement,
  GONE_AFTER,
  type IPFamily,
  type Logger,
  type OptionRule,
  OptionRules,
  type Proxier,
  type ProxierContext,
  type ProxyMode,
  parseAddress,
  ReconcilingProxier,
  type ServiceCounts,
  Tokens,
} from '@kube-proxier/core';
import {
  type CommandRunner,
  createCommandRunner,
  type IptablesVariant,
  LibcMarkedSockets,
  type MarkedSockets,
} from '@kube-proxier/linux';
import { ContainerModule } from 'inversify';
import { IptablesRedirector } from './apply/iptables-redirector.js';
import { noRedirector } from './apply/redirector.js';
import type { Redirection } from './apply/redirects.js';
import { cleanUp, findLeftovers, type OwnResource, type RuleAccess } from './cleanup.js';
import { UserspaceDataplane } from './dataplane.js';
import { diagnose } from './diagnose.js';
import { COUNTING, countsOf, trafficMeasurement } from './metrics.js';
import { createUserspacePreview } from './preview.js';
import { HostSupport, USERSPACE_REDIRECTS, type UserspaceRedirect } from './probe.js';
import { DescriptorBudget, descriptorLimit } from './proxy/descriptor-budget.js';
import type { NodePortListeners } from './proxy/node-port-listeners.js';
import type { ProxySettings } from './proxy/proxy-settings.js';
import type { ServiceTraffic } from './proxy/service-traffic.js';
import { SpliceCarrier } from './splice/splice-carrier.js';

/** Options of {@link createUserspaceBackend}. */
export interface UserspaceBackendOptions extends ProxySettings {
  /** Default `auto`. */
  readonly redirect?: UserspaceRedirect;
  /** Default: the one that this host uses, detected when it is first needed. */
  readonly variant?: IptablesVariant;
  /** Runs the tools. Default: on this host. */
  readonly runner?: CommandRunner;
}

/** The backend, and what it measures. */
export interface UserspaceBackend extends BackendModule {
  /** Traffic of each service port of all proxiers of this backend; for metrics. Cheap enough to read every second. */
  traffic(): readonly ServiceTraffic[];
  /** NodePorts that sockets serve, for each proxier of this backend; for metrics. */
  nodePorts(): readonly NodePortListeners[];
}

const MODE: ProxyMode = 'userspace';
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
 * Creates the userspace backend. Has no side effects.
 *
 * @throws BackendOptionError when an option is unknown or invalid.
 */
export function createUserspaceBackend(options: UserspaceBackendOptions = {}): UserspaceBackend {
  checkBackendOptions('createUserspaceBackend', options, OPTION_RULES);
  const { redirect = 'auto', runner = createCommandRunner(), variant, ...settings } = options;
  const support = new HostSupport({ runner, redirect, ...(variant === undefined ? {} : { variant }) });
  const proxiers = new ProxierRegistry(support, settings);
  const access: RuleAccess = {
    // Which one was used before is unknown.
    variants: variant === undefined ? VARIANTS : [variant],
    iptables: (family, used) => support.iptables(family, used),
  };
  return {
    mode: MODE,
    description: 'Carries connections in this process: needs least of the kernel, runs anywhere',
    capabilities: {
      localhostNodePorts: true,
      localhostNodePortsIPv6: true,
      sctp: false,
      preservesSource: false,
      tracksConnections: false,
      detectsInterfaces: false,
      serviceAddresses: redirect !== 'none',
      servesWithoutProcess: false,
      counting: COUNTING,
    },
    requirements: { netAdmin: 'optional', forwards: 'none' },
    probe: () => support.probe(),
    diagnose,
    traffic: () => proxiers.traffic(),
    nodePorts: () => proxiers.nodePorts(),
    metrics: [
      trafficMeasurement(() => proxiers.traffic()),
      countsMeasurement(COUNTING, { source: 'process', read: () => proxiers.counts() }),
    ],
    module: new ContainerModule(({ bind }) => {
      bind(Tokens.ProxierFactory).toConstantValue((context) => proxiers.create(context));
      bind(Tokens.Cleanup).toConstantValue(() => cleanUp(access, proxiers.resources()));
      bind(Tokens.Leftovers).toConstantValue((owner) => findLeftovers(access, owner));
      bind(Tokens.Preview).toConstantValue((context) =>
        createUserspacePreview({
          context,
          reach: async () => REACH[(await support.redirect(context.family)).redirect],
          ...(settings.listenAddresses === undefined ? {} : { listenAddresses: settings.listenAddresses }),
        }),
      );
    }),
  };
}

/** How clients reach sockets, by what the host supports. */
const REACH = { none: 'none', bind: 'bound', iptables: 'redirected' } as const;

/** Creates proxiers, which share descriptors and the thread that carries connections. */
class ProxierRegistry {
  readonly #dataplanes = new Set<UserspaceDataplane>();
  readonly #carrier = new SpliceCarrier();
  readonly #budget = new DescriptorBudget(descriptorLimit);
  #reportedReason: string | undefined;
  #countAll = false;

  constructor(
    private readonly support: HostSupport,
    private readonly settings: ProxySettings,
  ) {}

  create(context: ProxierContext): Proxier {
    checkProxierContext(MODE, context);
    const { family, logger, clock, localAddresses, options } = context;
    this.#countAll = options.countConnections;
    const ownSockets = new LibcMarkedSockets(2 ** options.masqueradeBit);
    const { minSyncPeriod } = options;
    const dataplane = new UserspaceDataplane({
      ...this.settings,
      family,
      localAddresses,
      redirection: () => this.#redirection(family, logger, ownSockets),
      budget: this.#budget,
      carrier: this.#carrier,
      goneAfter: GONE_AFTER + (typeof minSyncPeriod === 'number' ? minSyncPeriod : 0),
      clock,
      logger,
    });
    this.#dataplanes.add(dataplane);
    return new ReconcilingProxier({ mode: MODE, context, dataplane });
  }

  /** Of service ports whose connections are counted. */
  counts(): readonly ServiceCounts[] {
    return countsOf(this.traffic(), this.#countAll);
  }

  traffic(): readonly ServiceTraffic[] {
    return [...this.#dataplanes].flatMap(({ traffic }) => traffic);
  }

  nodePorts(): readonly NodePortListeners[] {
    return [...this.#dataplanes].map(({ nodePorts }) => nodePorts);
  }

  /** To be closed by a cleanup. */
  resources(): readonly OwnResource[] {
    const sockets = [...this.#dataplanes].map((dataplane) => ({ name: 'sockets', close: () => dataplane.cleanup() }));
    return [...sockets, { name: 'the thread that carries connections', close: () => this.#carrier.close() }];
  }

  async #redirection(family: IPFamily, logger: Logger, ownSockets: MarkedSockets): Promise<Redirection> {
    const host = await this.support.redirect(family);
    switch (host.redirect) {
      case 'none':
        return { reach: 'none', redirector: noRedirector };
      case 'bind':
        this.#report(host.reason, family, logger);
        return { reach: 'bound', redirector: noRedirector };
      case 'iptables': {
        await ownSockets.start();
        const mark = ownSockets.unusable === undefined ? ownSockets.mark : undefined;
        return {
          reach: 'redirected',
          redirector: new IptablesRedirector(family, host.iptables, mark),
          ownSockets,
        };
      }
    }
  }

  #report(reason: string | undefined, family: IPFamily, logger: Logger): void {
    if (reason !== undefined && reason !== this.#reportedReason) {
      this.#reportedReason = reason;
      // The probe's detail, which is logged with the mode, has its reason already.
      const fields = reason === this.support.probedReason ? {} : { family, reason };
      logger.warn('Cluster IPs are not redirected, as iptables cannot be used; serving local addresses', fields);
    }
  }
}

/** The backend with its defaults. */
export const userspaceBackend: UserspaceBackend = createUserspaceBackend();
