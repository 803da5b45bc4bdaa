import {
  findOptionProblem,
  isNodePortAddressSelection,
  isRecord,
  NODE_PORT_ADDRESS_KEYWORDS,
  type OptionProblem,
  type OptionRule,
  OptionRules,
  parseAddress,
  parseCIDR,
} from '@kube-proxier/core';
import type { ListenAddress } from './listen-address.js';
import type { ProxyServerOptions, ServerProxierOptions } from './proxy-server-options.js';
import type { ScrapeOptions } from './scrape/scrape-options.js';
import { ServerOptionError } from './server-option-error.js';

const OBJECT: OptionRule = {
  expected: 'an object',
  accepts: isRecord,
};
const FAMILIES: OptionRule = {
  expected: 'a list of IPv4, IPv6 or both',
  accepts: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((family) => family === 'IPv4' || family === 'IPv6'),
};
const NAMES: OptionRule = {
  expected: 'a list of host names',
  accepts: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
};
const MIN_SYNC_PERIOD: OptionRule = {
  expected: 'a number of milliseconds from 0, or adaptive',
  accepts: (value) => value === 'adaptive' || (Number.isFinite(value) && Number(value) >= 0),
};
const NODE_PORT_ADDRESSES: OptionRule = {
  expected: `an object with kind all, primary, cidrs (and a list cidrs) or entries (and a list entries of networks and ${NODE_PORT_ADDRESS_KEYWORDS.join(', ')})`,
  accepts: isNodePortAddressSelection,
};
const LOCALHOST_NODE_PORTS: OptionRule = {
  expected: 'a boolean, or listed',
  accepts: (value) => typeof value === 'boolean' || value === 'listed',
};
/** An empty string selects the default. */
const BIND_ADDRESS: OptionRule = {
  expected: 'an IP address without port, or empty',
  accepts: (value) => value === '' || parseAddress(value) !== undefined,
};
const ADDRESSES: OptionRule = {
  expected: 'a list of IP addresses',
  accepts: (value) => Array.isArray(value) && value.every((address) => parseAddress(address) !== undefined),
};
const MASQUERADE_BIT: OptionRule = {
  expected: 'a whole number from 0 to 31',
  accepts: (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 31,
};
const LOCAL_TRAFFIC_DETECTION: OptionRule = {
  expected:
    'an object with kind none, node-cidr, cluster-cidr (and a list cidrs of networks), source-cidr (and cidr), interface (and name) or interface-prefix (and prefix)',
  accepts: (value) => {
    const { kind, cidrs, cidr, name, prefix } = Object(value) as Record<string, unknown>;
    switch (kind) {
      case 'none':
      case 'node-cidr':
        return true;
      case 'cluster-cidr':
        return Array.isArray(cidrs) && cidrs.every((network) => parseCIDR(network) !== undefined);
      case 'source-cidr':
        return parseCIDR(cidr) !== undefined;
      case 'interface':
        return typeof name === 'string' && name !== '';
      case 'interface-prefix':
        return typeof prefix === 'string' && prefix !== '';
      default:
        return false;
    }
  },
};
const LISTEN_ADDRESS: OptionRule = {
  expected: 'an object with host (a text) and port (0 to 65535)',
  accepts: (value) => {
    const { host, port } = Object(value) as Partial<ListenAddress>;
    return typeof host === 'string' && Number.isInteger(port) && Number(port) >= 0 && Number(port) <= 65_535;
  },
};
const SCRAPE: OptionRule = {
  expected: "an object with host, port (0 to 65535) and access ('everybody', or an object with the method review)",
  accepts: (value) => {
    const { access } = Object(value) as Partial<ScrapeOptions>;
    return LISTEN_ADDRESS.accepts(value) && (access === 'everybody' || typeof Object(access).review === 'function');
  },
};

/** The options of options: each is an object. */
const MEMBERS: {
  readonly verification: RulesOf<'verification'>;
  readonly instances: RulesOf<'instances'>;
  readonly profiling: RulesOf<'profiling'>;
  readonly recording: RulesOf<'recording'>;
  readonly probe: RulesOf<'probe'>;
} = {
  verification: {
    period: {
      expected: 'a number of milliseconds, or 0',
      accepts: (value) => Number.isFinite(value) && Number(value) >= 0,
    },
  },
  instances: { lock: OptionRules.having('acquire', 'tryAcquire'), findKubeProxy: OptionRules.function },
  profiling: { setVerbosity: OptionRules.function },
  recording: {
    maxAge: OptionRules.milliseconds,
    maxBytes: OptionRules.wholeNumberFrom(1),
    directory: OptionRules.string,
  },
  probe: { interval: OptionRules.milliseconds, addresses: ADDRESSES, readiness: OptionRules.boolean },
};

type RulesOf<Option extends keyof ProxyServerOptions> = {
  readonly [Name in keyof Required<NonNullable<ProxyServerOptions[Option]>>]: OptionRule;
};

const RULES: { readonly [Name in keyof Required<ProxyServerOptions>]: OptionRule } = {
  backends: OptionRules.listOf('probe'),
  sources: OptionRules.listOf('start', 'stop'),
  mode: OptionRules.string,
  fallback: OptionRules.string,
  proxier: OBJECT,
  bindAddress: BIND_ADDRESS,
  allowLoopbackEndpoints: OptionRules.boolean,
  families: FAMILIES,
  logger: OptionRules.having('error', 'warn', 'info', 'debug', 'v'),
  clock: OptionRules.having('now', 'monotonic', 'setTimer'),
  observer: OBJECT,
  handlers: { expected: 'a list of objects', accepts: (value) => Array.isArray(value) && value.every(OBJECT.accepts) },
  network: OptionRules.having('localAddresses', 'hasIPv6'),
  metrics: OptionRules.having('partFailed', 'verified'),
  healthAddress: LISTEN_ADDRESS,
  statusAddress: LISTEN_ADDRESS,
  scrape: SCRAPE,
  statusHostNames: NAMES,
  takeover: OptionRules.boolean,
  verification: OBJECT,
  announce: OptionRules.boolean,
  exclusive: OptionRules.boolean,
  instances: OBJECT,
  bindAddressHardFail: OptionRules.boolean,
  checkFamilies: OptionRules.function,
  conntrackTuning: OptionRules.having('apply'),
  configuration: OptionRules.function,
  profiling: OBJECT,
  recording: OBJECT,
  probe: OBJECT,
  healthChecks: OptionRules.function,
  configurationProblems: OptionRules.function,
  memoryShortage: OptionRules.function,
  serviceExternalIPs: OptionRules.boolean,
  conntrack: OptionRules.having('list', 'delete'),
  tcpSockets: OptionRules.having('reset'),
  sysctl: OptionRules.having('read'),
};

const PROXIER_RULES: { readonly [Name in keyof Required<ServerProxierOptions>]: OptionRule } = {
  nodeName: OptionRules.string,
  nodeAddresses: ADDRESSES,
  localTrafficDetection: LOCAL_TRAFFIC_DETECTION,
  masqueradeAll: OptionRules.boolean,
  masqueradeBit: MASQUERADE_BIT,
  nodePortAddresses: NODE_PORT_ADDRESSES,
  localhostNodePorts: LOCALHOST_NODE_PORTS,
  nodeTopologyHints: OptionRules.boolean,
  countConnections: OptionRules.boolean,
  countTraffic: OptionRules.boolean,
  overlappingExternalAddresses: OptionRules.oneOf(['serve', 'refuse']),
  minSyncPeriod: MIN_SYNC_PERIOD,
  syncPeriod: OptionRules.milliseconds,
  driftCheckPeriod: OptionRules.milliseconds,
  syncBurst: OptionRules.wholeNumberFrom(1),
};

/**
 * Validates the options of a `ProxyServer`: callers in JavaScript have no compiler checks.
 *
 * @throws ServerOptionError for the first option that is missing, unknown, or invalid.
 */
export function checkServerOptions(options: ProxyServerOptions): void {
  const given: Partial<ProxyServerOptions> = Object(options);
  // `prepare` needs no sources; `start` checks for them.
  const { sources, ...others } = given;
  const problem =
    findOptionProblem('ProxyServer', others, RULES as never) ??
    (sources === undefined || (Array.isArray(sources) && sources.length === 0)
      ? undefined
      : findOptionProblem('ProxyServer', { sources }, RULES as never)) ??
    within('proxier', given.proxier, PROXIER_RULES) ??
    inMembers(given) ??
    (given.backends === undefined
      ? { option: 'backends', message: 'ProxyServer needs the option backends: give the backends to choose from' }
      : undefined);
  if (problem !== undefined) {
    throw new ServerOptionError(problem.message, problem.option);
  }
}

function inMembers(given: Partial<ProxyServerOptions>): OptionProblem | undefined {
  for (const [option, rules] of Object.entries(MEMBERS)) {
    const problem = within(option, given[option as keyof typeof MEMBERS], rules as never);
    if (problem !== undefined) {
      return problem;
    }
  }
  return given.verification === undefined || given.verification.period !== undefined
    ? undefined
    : {
        option: 'verification.period',
        message: `verification needs the option period; it must be ${MEMBERS.verification.period.expected}`,
      };
}

/** The problem in an option whose value has options. */
function within<Options extends object>(
  option: string,
  value: Options | undefined,
  rules: { readonly [Name in keyof Required<Options>]: OptionRule },
): OptionProblem | undefined {
  const problem = value && findOptionProblem(option, value, rules);
  return problem && { ...problem, option: `${option}.${problem.option}` };
}
