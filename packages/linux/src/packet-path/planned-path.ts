import type { IPFamily, PathRule } from '@kube-proxier/core';
import type { IptablesVariant } from '../iptables/iptables.js';
import type { NftObject } from '../nftables/nft-table.js';
import type { NftCommand } from '../nftables/nft-transaction.js';
import { nftTypeOf } from '../nftables/rules/nft-expression.js';
import { renderNftRule } from '../nftables/rules/render-rule.js';
import type { NftTableListing } from './compile-nftables.js';
import { bitsOf, prefixMask } from './ip-bits.js';
import type { NetfilterPath } from './netfilter-path.js';
import { parseNftElement, parseNftRule } from './nft-rule-text.js';
import type { PathHostFacts } from './path-host.js';
import { netfilterPathOf } from './read-netfilter-path.js';

/** A forwarding host with one interface and without rules, on which plans are interpreted. Pure. */
export function plainHost(family: IPFamily, addresses: Iterable<string>): PathHostFacts {
  const six = family === 'IPv6';
  return {
    family,
    localAddresses: new Set([...addresses].filter((address) => address.includes(':') === six)),
    addressesOf: new Map([
      ['lo', []],
      ['eth0', []],
    ]),
    routes: [
      {
        network: { value: bitsOf(six ? '::' : '0.0.0.0') ?? 0n, mask: prefixMask(six ? 128 : 32, 0) },
        length: 0,
        metric: 0,
        interfaceName: 'eth0',
      },
    ],
    policyRules: [],
    sysctls: new Map([
      ['net/ipv4/ip_forward', '1'],
      ['net/ipv6/conf/all/forwarding', '1'],
      ['net/ipv4/conf/all/route_localnet', '1'],
    ]),
    bridges: new Set(),
    sets: new Map(),
  };
}

/**
 * The writes of a plan for a host without rules: a document for `iptables-restore`, or commands for a table of
 * nftables.
 */
export type PlannedRules =
  | { readonly kind: 'iptables'; readonly document: string; readonly variant?: IptablesVariant }
  | { readonly kind: 'nftables'; readonly table: string; readonly commands: readonly NftCommand[] };

/** The packet path of a host without other rules after a plan was applied. Pure: nothing is written. */
export function plannedPathOf(
  family: IPFamily,
  addresses: Iterable<string>,
  planned: PlannedRules,
  isForeign: (rule: PathRule) => boolean,
): NetfilterPath {
  const listing =
    planned.kind === 'iptables'
      ? { saved: new Map([[planned.variant ?? ('nft' as const), restoredDocument(planned.document)]]), tables: [] }
      : { saved: new Map(), tables: [nftListingOf(family, planned.table, planned.commands)] };
  return netfilterPathOf({ ...listing, unread: [] }, plainHost(family, addresses), { isForeign });
}

const BUILT_IN: Readonly<Record<string, readonly string[]>> = {
  filter: ['INPUT', 'FORWARD', 'OUTPUT'],
  nat: ['PREROUTING', 'INPUT', 'OUTPUT', 'POSTROUTING'],
};

/** The output of `iptables-save` after a document was restored on a host without rules. */
function restoredDocument(document: string): string {
  const lines: string[] = [];
  let rules = new Map<string, string[]>();
  for (const line of document.split('\n')) {
    const [, operation, chain = '', position, rule = ''] = /^-([AI]) (\S+)(?: (\d+))? (.*)$/.exec(line) ?? [];
    const table = line.startsWith('*') ? line.slice(1) : undefined;
    if (table !== undefined) {
      rules = new Map();
      lines.push(line, ...(BUILT_IN[table] ?? []).map((name) => `:${name} ACCEPT [0:0]`));
    } else if (line.startsWith(':')) {
      lines.push(line);
    } else if (operation !== undefined) {
      const list = rules.get(chain) ?? [];
      rules.set(chain, list);
      list.splice(operation === 'A' ? list.length : Number(position ?? 1) - 1, 0, rule);
    } else if (line === 'COMMIT') {
      lines.push(...[...rules].flatMap(([name, list]) => list.map((text) => `-A ${name} ${text}`)), line);
    }
  }
  return `${lines.join('\n')}\n`;
}

/** The nft listing after commands were executed on a new table. Pure. */
export function nftListingOf(family: IPFamily, name: string, commands: readonly NftCommand[]): NftTableListing {
  const nftFamily = family === 'IPv4' ? 'ip' : 'ip6';
  const objects: NftObject[] = [];
  const elements = new Map<string, unknown[]>();
  const verdictMaps = new Set<string>();
  for (const command of commands) {
    if (command.do === 'add-chain') {
      const { chain, base } = command;
      const hook =
        base === undefined ? {} : { type: base.type, hook: base.hook, prio: base.priority, policy: 'accept' };
      objects.push(['chain', { family: nftFamily, table: name, name: chain, ...hook }]);
    } else if (command.do === 'add-rule') {
      objects.push(['rule', { chain: command.chain, expr: parseNftRule(renderNftRule(command.rule.statements)) }]);
    } else if (command.do === 'add-container') {
      const { kind, key, value } = command.container;
      const types = key.map(nftTypeOf);
      const elem: unknown[] = [];
      elements.set(command.name, elem);
      if (value === 'verdict') {
        verdictMaps.add(command.name);
      }
      const values = typeof value === 'object' ? value.map(nftTypeOf) : [];
      const map = typeof value === 'object' ? (values.length === 1 ? values[0] : values) : value;
      objects.push([
        kind,
        {
          name: command.name,
          type: types.length === 1 ? types[0] : types,
          elem,
          ...(value === undefined ? {} : { map }),
        },
      ]);
    } else if (command.do === 'add-elements') {
      for (const [key, value] of command.elements) {
        const parsed = parseNftElement(key);
        elements
          .get(command.name)
          ?.push(value === undefined ? parsed : [parsed, parseNftElement(value, verdictMaps.has(command.name))]);
      }
    }
  }
  return { family: nftFamily, name, objects };
}
