import { diffStates, type PacketPathRequest, type PathRule, type PlannedPathRequest } from '@kube-proxier/core';
import {
  type CommandRunner,
  type KernelFiles,
  type NetfilterPath,
  type NftChoice,
  plannedPathOf,
  readNetfilterPath,
} from '@kube-proxier/linux';
import { type Layout, nftFamily, TABLE } from './plan/layout.js';
import { NftablesPlanner } from './plan/nftables-planner.js';
import { completeWrite } from './plan/nftables-transaction.js';

/** Whether a rule is in a foreign table. Pure. */
export function isForeignRule({ system, table }: PathRule): boolean {
  return system !== 'nftables' || (table !== `ip ${TABLE}` && table !== `ip6 ${TABLE}`);
}

/** Tables of this backend, and of kube-proxy in mode nftables. */
const OWN_TABLES: ReadonlySet<string> = new Set(
  ['ip', 'ip6'].flatMap((family) => [`${family} ${TABLE}`, `${family} kube-proxy`]),
);

/** Whether a rule is one of this backend, or of kube-proxy in mode nftables. Pure. */
export function ownsRule({ system, table = '' }: PathRule): boolean {
  return system === 'nftables' && OWN_TABLES.has(table);
}

export interface PathSources {
  readonly runner: CommandRunner;
  readonly files?: KernelFiles;
  /** Looks up elements of this backend's table on demand. Default: all elements are listed in advance. */
  readonly choice?: Pick<NftChoice, 'openLookup'>;
}

/** Reads the packet path of one family through this host. */
export function readPacketPath(
  { family, ignores, ignoredInterfaces, onRead, signal }: Omit<PacketPathRequest, 'options'>,
  { choice, ...host }: PathSources,
): Promise<NetfilterPath> {
  return readNetfilterPath({
    ...{ family, ...host, isForeign: isForeignRule },
    ...(choice ? { live: { name: TABLE, open: () => choice.openLookup(nftFamily(family), TABLE) } } : {}),
    ...(ignores ? { ignores } : {}),
    ...(ignoredInterfaces ? { ignoredInterfaces } : {}),
    ...(onRead ? { onRead } : {}),
    // With lookups, changes of Services do not invalidate the read.
    ...(signal && !choice ? { signal } : {}),
  });
}

/** The packet path through a host that has only the table of a state. Pure. */
export function plannedPath(
  { state, options, localAddresses }: PlannedPathRequest,
  layout: Layout = 'constant',
): NetfilterPath {
  const { masqueradeBit } = options;
  const plan = new NftablesPlanner({ masqueradeBit, countConnections: false }).plan(
    state,
    diffStates(undefined, state),
    {
      table: undefined,
      facts: { fullyRandom: true, layout },
    },
  );
  const commands = plan === undefined ? [] : completeWrite(plan).commands;
  return plannedPathOf(state.family, localAddresses, { kind: 'nftables', table: TABLE, commands }, isForeignRule);
}
