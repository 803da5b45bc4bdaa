import {
  DEFAULT_PROXIER_OPTIONS,
  findOptionProblem,
  isNodePortAddressSelection,
  isRecord,
  NODE_PORT_ADDRESS_KEYWORDS,
  type OptionProblem,
  type OptionRule,
  OptionRules,
  ProxierError,
  type ProxierOptions,
} from '@kube-proxier/core';
import type { ListenAddress } from './listen-address.js';
import type { ProxyServerOptions } from './proxy-server-options.js';
import type { ScrapeOptions } from './scrape/scrape-options.js';

/** An option of a `ProxyServer` is missing, unknown, or has an invalid value. Its code is `SERVER_OPTION`. */
export class ServerOptionError extends ProxierError {
  constructor(
    message: string,
    /** Path of the option: `sources`, `proxier.nodeName`. */
    readonly option: string,
  ) {
    super('SERVER_OPTION', message);
  }
}

const OBJECT: OptionRule = {
  expected: 'an object',
  accepts: isRecord,
};
const FAMILIES: OptionRule = {
  expected: 'a list of IPv4 and IPv6',
  accepts: (value) => Array.isArray(value) && value.every((family) => family === 'IPv4' || family === 'IPv6'),
};
const NAMES: OptionRule = {
  expected: 'a list of host names',
  accepts: (value) => Array.isArray(value) && value.every((name) => typeof name === 'string'),
};
const MIN_SYNC_PERIOD: OptionRule = {
  expected: 'a number of milliseconds from 0, or adaptive',
  accepts: (value) => value === 'adaptive' || (typeof value === 'number' && value >= 0),
};
const NODE_PORT_ADDRESSES: OptionRule = {
  expected: `an object with kind all, primary, cidrs (and a list cidrs) or entries (and a list entries of networks and ${NODE_PORT_ADDRESS_KEYWORDS.join(', ')})`,
  accepts: isNodePortAddressSelection,
};
const LOCALHOST_NODE_PORTS: OptionRule = {
  expected: 'a boolean, or listed',
  accepts: (value) => typeof value === 'boolean' || value === 'listed',
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

const RULES: { readonly [Name in keyof Required<ProxyServerOptions>]: OptionRule } = {
  backends: OptionRules.listOf('probe'),
  sources: OptionRules.listOf('start', 'stop'),
  mode: OptionRules.string,
  fallback: OptionRules.string,
  proxier: OBJECT,
  bindAddress: OptionRules.string,
  allowLoopbackEndpoints: OptionRules.boolean,
  families: FAMILIES,
  logger: OptionRules.having('error', 'warn', 'info', 'debug', 'v'),
  clock: OptionRules.having('now', 'monotonic', 'setTimer'),
  observer: OBJECT,
  handlers: { expected: 'a list of objects', accepts: (value) => Array.isArray(value) && value.every(OBJECT.accepts) },
  network: OptionRules.having('localAddresses', 'hasIPv6'),
  metrics: OBJECT,
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
  serviceExternalIPs: OptionRules.boolean,
  conntrack: OptionRules.having('list', 'delete'),
  tcpSockets: OptionRules.having('reset'),
  sysctl: OptionRules.having('read'),
};

const OWN_RULES: { readonly [Name in keyof ProxierOptions]?: OptionRule } = {
  minSyncPeriod: MIN_SYNC_PERIOD,
  nodePortAddresses: NODE_PORT_ADDRESSES,
  localhostNodePorts: LOCALHOST_NODE_PORTS,
};

/** Each other option of a proxier has the type of its default. */
const PROXIER_RULES = Object.fromEntries(
  Object.entries(DEFAULT_PROXIER_OPTIONS).map(([name, value]): [string, OptionRule] => {
    const own = OWN_RULES[name as keyof ProxierOptions];
    if (own !== undefined) {
      return [name, own];
    }
    const type = Array.isArray(value) ? 'list' : typeof value;
    return [
      name,
      {
        expected: `${type === 'object' ? 'an' : 'a'} ${type}`,
        accepts: (given) => (Array.isArray(given) ? 'list' : typeof given) === type && !Number.isNaN(given),
      },
    ];
  }),
) as { readonly [Name in keyof Required<ProxierOptions>]: OptionRule };

/**
 * Validates the options of a `ProxyServer`: callers in JavaScript have no compiler checks.
 *
 * @throws ServerOptionError for the first option that is missing, unknown, or of the wrong type.
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
    inProxier(given.proxier) ??
    (given.backends === undefined
      ? { option: 'backends', message: 'ProxyServer needs the option backends: give the backends to choose from' }
      : undefined);
  if (problem !== undefined) {
    throw new ServerOptionError(problem.message, problem.option);
  }
}

function inProxier(proxier: Partial<ProxierOptions> | undefined): OptionProblem | undefined {
  const problem = proxier && findOptionProblem('proxier', proxier, PROXIER_RULES as never);
  return problem && { ...problem, option: `proxier.${problem.option}` };
}
