import { joinHostPort, parseAddress } from '@kube-proxier/core';
import type { FlagName } from './flag.js';
import type { FlagValues } from './flag-values.js';

/** An address to listen on. */
export interface StatusAddress {
  /** Canonical, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Addresses of the health and status servers; undefined when disabled. */
export interface StatusAddresses {
  readonly status: StatusAddress | undefined;
  readonly health: StatusAddress | undefined;
  readonly warnings: readonly string[];
}

/** Reads `--healthz-bind-address` and `--metrics-bind-address` with their deprecated ports (spec C-24, C-63, C-64). */
export function statusAddresses(values: FlagValues): StatusAddresses {
  const warnings: string[] = [];
  const status = read(values, warnings, 'metrics-bind-address', 'metrics-port', 10_249);
  const health = read(values, warnings, 'healthz-bind-address', 'healthz-port', 10_256);
  return { status, health, warnings };
}

/** The flags of listen addresses, with effective ports, as kube-proxy fills them in (spec C-63, C-64). */
export function listenAddresses({
  health,
  status,
}: Pick<StatusAddresses, 'health' | 'status'>): readonly (readonly [FlagName, readonly string[]])[] {
  return [
    ...(health ? [['healthz-bind-address', [joinHostPort(health.host, health.port)]] as const] : []),
    ...(status ? [['metrics-bind-address', [joinHostPort(status.host, status.port)]] as const] : []),
  ];
}

function read(
  values: FlagValues,
  warnings: string[],
  name: 'metrics-bind-address' | 'healthz-bind-address',
  portName: 'metrics-port' | 'healthz-port',
  defaultPort: number,
): StatusAddress | undefined {
  const port = values.int(portName, 0, 65_535, 'a port from 1 to 65535, or 0 to disable it');
  const text = values.text(name);
  if (text === '' || port === 0) {
    return undefined;
  }
  const address = readListenAddress(values, name, values.given(portName) ? port : defaultPort);
  const hasPort = parseAddress(text) === undefined;
  if (address && hasPort && values.given(portName) && port !== address.port) {
    warnings.push(`${values.place(portName)}: has no effect: --${name} has a port, ${address.port}`);
  }
  return address;
}

/** Reads an address with or without port. Reports an invalid one. */
export function readListenAddress(
  values: FlagValues,
  name: 'metrics-bind-address' | 'healthz-bind-address' | 'metrics-scrape-bind-address',
  defaultPort: number,
): StatusAddress | undefined {
  const text = values.text(name);
  const whole = parseAddress(text);
  const split = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text);
  const address = whole ?? parseAddress(split?.[1] ?? split?.[2]);
  const port = whole ? defaultPort : Number(split?.[3]);
  if (!address || !(port >= 1 && port <= 65_535)) {
    values.wrong(name, text, `must be an IP address, with a port from 1 to 65535, as in 127.0.0.1:${defaultPort}`);
    return undefined;
  }
  return { host: address.text, port };
}
