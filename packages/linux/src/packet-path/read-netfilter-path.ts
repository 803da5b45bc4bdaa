import { finish, type IPFamily, messageOf, type PathRule } from '@kube-proxier/core';
import type { IpSets } from '../ipset/ip-sets.js';
import type { IptablesTable, IptablesVariant } from '../iptables/iptables.js';
import { iptablesProgram } from '../iptables/iptables-command.js';
import { type IptablesDocument, parseDocumentInSlices } from '../iptables/iptables-document.js';
import type { IptablesRuleLookup } from '../iptables/netlink/iptables-rule-lookup.js';
import type { NftTableLookup } from '../nftables/netlink/nft-table-lookup.js';
import { type NftObject, parseNftObjectsInSlices } from '../nftables/nft-table.js';
import type { CommandRunner } from '../process/command-runner.js';
import { type KernelFiles, kernelFiles } from '../process/kernel-files.js';
import type { BaseChain } from './base-chain.js';
import { compileIptablesTable } from './compile-iptables.js';
import { compileNftTable, type NftTableListing } from './compile-nftables.js';
import { compileLiveIptablesTable, type LiveIptablesTable } from './live-iptables.js';
import { type LivePath, NetfilterPath, type PathStage } from './netfilter-path.js';
import { parseNftElement } from './nft-rule-text.js';
import { PathHost, type PathHostFacts } from './path-host.js';
import { readLiveIptables } from './read-live-iptables.js';
import { isNotInstalled, readPathHost } from './read-path-host.js';
import { runInSlices } from './run-in-slices.js';

/** Timeout of a program in milliseconds: it restarts after each commit to nf_tables, and may never end. */
const TIMEOUT = 60_000;

/** All netfilter objects for one IP family, as read or constructed. */
export interface NetfilterListing {
  /** Output of `iptables-save` by variant. */
  readonly saved: ReadonlyMap<IptablesVariant, string>;
  readonly tables: readonly NftTableListing[];
  /** Read failures, as sentences without a full stop. */
  readonly unread: readonly string[];
}

export interface NetfilterReading {
  readonly family: IPFamily;
  readonly runner: CommandRunner;
  /** Default: of this process. */
  readonly files?: KernelFiles;
  readonly ipSets?: Pick<IpSets, 'find'>;
  /** Whether a rule belongs to another program than the backend. Default: none does. */
  readonly isForeign?: (rule: PathRule) => boolean;
  /** Rules to ignore. Default: none. */
  readonly ignores?: (rule: PathRule) => boolean;
  /** Addresses of IPVS's dummy interface: packets to them are delivered, but they are no addresses of the node. Default: none. */
  readonly virtualAddresses?: ReadonlySet<string>;
  /** Interfaces to ignore. Default: none. */
  readonly ignoredInterfaces?: readonly string[];
  /** Creates the IPVS stage from the facts read, for a backend that programs more than rules. */
  readonly stage?: (host: PathHost) => PathStage;
  /** Further objects that could not be read. */
  readonly unread?: readonly string[];
  /** What is assumed in addition to what is read: a table, and changed facts of the host. Default: nothing. */
  readonly assumes?: {
    readonly table: NftTableListing;
    readonly host: (facts: PathHostFacts) => PathHostFacts;
  };
  /** Aborts programs. Default: none. */
  readonly signal?: AbortSignal;
  /** Called when all rules have been read, before they are interpreted. */
  readonly onRead?: () => void;
  /** The nftables table whose chains and elements are looked up on demand. Default: all are listed. */
  readonly live?: LiveTable;
  /**
   * Opens lookups of the chains of iptables-nft on demand; undefined when they are not supported. Default: all are
   * listed.
   */
  readonly liveIptables?: () => Promise<IptablesRuleLookup | undefined>;
}

/** The table of this process's backend, which may be large. */
export interface LiveTable {
  readonly name: string;
  /** @returns undefined when lookups are not supported. */
  open(): Promise<NftTableLookup | undefined>;
}

/**
 * Reads all rules of this network namespace, from all programs: both variants of iptables, and nftables. Changes
 * nothing. Read failures are in {@link NetfilterPath.unread}. Pauses often, so that the process stays responsive.
 */
export async function readNetfilterPath(reading: NetfilterReading): Promise<NetfilterPath> {
  const lookup = await reading.live?.open().catch(() => undefined);
  const rules = await reading.liveIptables?.().catch(() => undefined);
  try {
    return await readPath(reading, lookup, rules);
  } catch (error) {
    lookup?.close();
    rules?.close();
    throw error;
  }
}

async function readPath(
  reading: NetfilterReading,
  lookup: NftTableLookup | undefined,
  rules: IptablesRuleLookup | undefined,
): Promise<NetfilterPath> {
  const { family, files = kernelFiles, ignoredInterfaces, ipSets, signal, virtualAddresses } = reading;
  const runner: Pick<CommandRunner, 'run'> =
    signal === undefined ? reading.runner : { run: (request) => reading.runner.run({ ...request, signal }) };
  if (rules !== undefined) {
    // The rules that change are looked up later.
    reading.onRead?.();
  }
  const live = lookup && reading.live && { name: reading.live.name, lookup };
  const printedSets = new Set<string>();
  const onPrinted = (text: string) => {
    for (const name of setsOf(text)) {
      printedSets.add(name);
    }
  };
  const liveTables = rules && (await readLiveIptables(rules, family, runner, onPrinted));
  const texts = await readListing(family, runner, files, { live, rules, liveTables });
  reading.onRead?.();
  const listing = await parsed(texts);
  const unread = [...listing.unread, ...(reading.unread ?? [])];
  const facts = await readPathHost({
    family,
    runner,
    files,
    sets: [...new Set([...listing.sets, ...printedSets])],
    ...(reading.runner.networkNamespace === undefined ? {} : { networkNamespace: reading.runner.networkNamespace }),
    onUnread: (reason) => unread.push(reason),
    ...(ipSets === undefined ? {} : { ipSets }),
    ...(ignoredInterfaces === undefined ? {} : { ignoredInterfaces }),
    ...(virtualAddresses === undefined ? {} : { virtualAddresses }),
  });
  const isLive = listing.tables.some((table) => table.live !== undefined);
  if (!isLive) {
    lookup?.close();
  }
  const used = [...(isLive && lookup ? [lookup] : []), ...(rules ? [rules] : [])];
  const options = {
    ...reading,
    ...(used.length > 0 ? { lookups: allOf(used) } : {}),
    ...(liveTables ? { liveTables } : {}),
  };
  const { assumes } = reading;
  const tables = assumes === undefined ? listing.tables : [...listing.tables, assumes.table];
  const host = assumes === undefined ? facts : assumes.host(facts);
  return (await runInSlices(pathInSlices({ ...listing, tables, unread }, host, options))) as NetfilterPath;
}

function allOf(lookups: readonly LivePath[]): LivePath {
  return {
    forget(isUrgent) {
      for (const one of lookups) {
        one.forget(isUrgent);
      }
    },
    close() {
      for (const one of lookups) {
        one.close();
      }
    },
  };
}

/** The path for rules that were read in advance. Pure. */
export function netfilterPathOf(
  { saved, tables, unread }: NetfilterListing,
  facts: PathHostFacts,
  options: PathOptions = {},
): NetfilterPath {
  const documents = new Map([...saved].map(([variant, text]) => [variant, finish(parseDocumentInSlices(text))]));
  return finish(pathInSlices({ documents, tables, unread }, facts, options));
}

interface PathOptions extends Pick<NetfilterReading, 'isForeign' | 'ignores' | 'stage'> {
  readonly lookups?: LivePath;
  readonly liveTables?: readonly LiveIptablesTable[];
}

/** {@link NetfilterListing}, parsed. */
interface ParsedListing extends Pick<NetfilterListing, 'tables' | 'unread'> {
  readonly documents: ReadonlyMap<IptablesVariant, IptablesDocument>;
}

function* pathInSlices(
  { documents, tables, unread }: ParsedListing,
  facts: PathHostFacts,
  options: PathOptions,
): Generator<void, NetfilterPath> {
  const { isForeign = () => false, ignores, liveTables = [], lookups, stage } = options;
  const host = new PathHost(facts, isForeign, ignores);
  const chains: BaseChain[] = [];
  for (const [variant, document] of documents) {
    for (const [name, { written }] of document) {
      chains.push(...(yield* compileIptablesTable(name, written, variant, host)));
    }
  }
  const liveIptables = liveTables.map((table) => compileLiveIptablesTable(table, host));
  for (const table of liveIptables) {
    chains.push(...table.bases);
    yield* table.prepareInSlices();
  }
  for (const table of tables) {
    yield;
    chains.push(...(yield* compileNftTable(table, host)));
  }
  return new NetfilterPath({
    family: facts.family,
    host,
    chains,
    unread,
    ...(lookups === undefined ? {} : { live: lookups }),
    prepared: liveIptables,
    ...(stage === undefined ? {} : { stage: stage(host) }),
  });
}

async function parsed({
  saved,
  ...listing
}: NetfilterListing): Promise<ParsedListing & { readonly sets: readonly string[] }> {
  const documents = new Map<IptablesVariant, IptablesDocument>();
  const sets = new Set<string>();
  for (const [variant, text] of saved) {
    documents.set(variant, (await runInSlices(parseDocumentInSlices(text))) as IptablesDocument);
    for (const name of setsOf(text)) {
      sets.add(name);
    }
  }
  return { ...listing, documents, sets: [...sets] };
}

async function readListing(
  family: IPFamily,
  runner: Pick<CommandRunner, 'run'>,
  files: KernelFiles,
  { live, liveTables, rules }: Lookups,
): Promise<NetfilterListing> {
  const unread: string[] = [];
  const saved = new Map<IptablesVariant, string>();
  // Concurrent, as nft and iptables-save both read all rules, which takes seconds with many.
  const listed = listTables(runner, live?.lookup ?? rules).catch((error: unknown) => new UnreadTables(error));
  for (const variant of liveTables ? (['legacy'] as const) : (['nft', 'legacy'] as const)) {
    const text = await readSaved(family, variant, runner, files, unread);
    if (text !== undefined) {
      saved.set(variant, text);
    }
  }
  const readByIptables = new Set(
    liveTables?.map(({ name }) => name) ??
      [...(saved.get('nft') ?? '').matchAll(/^\*(\S+)/gm)].map(([, table = '']) => table),
  );
  const tables = await readNftTables(family, runner, await listed, { readByIptables, unread, live });
  return { saved, tables, unread };
}

async function readSaved(
  family: IPFamily,
  variant: IptablesVariant,
  runner: Pick<CommandRunner, 'run'>,
  files: KernelFiles,
  unread: string[],
): Promise<string | undefined> {
  const command = iptablesProgram(family, variant, 'save');
  try {
    return (await runner.run({ command, args: [], timeout: TIMEOUT })).stdout;
  } catch (error) {
    if (!isNotInstalled(error)) {
      unread.push(`${command} failed: ${messageOf(error)}`);
    } else if (variant === 'legacy') {
      const names = await legacyTables(family, files);
      if (names.length > 0) {
        unread.push(`the kernel has legacy tables (${names.join(', ')}), and ${command} is not installed`);
      }
    }
    // Without the tools of the nft variant, the tables are listed by nft.
    return undefined;
  }
}

async function legacyTables(family: IPFamily, files: KernelFiles): Promise<readonly string[]> {
  try {
    const text = await files.read(`/proc/net/${family === 'IPv4' ? 'ip' : 'ip6'}_tables_names`);
    return text.split('\n').filter((line) => line !== '');
  } catch {
    return [];
  }
}

/** Why tables of nftables could not be listed. */
class UnreadTables {
  constructor(readonly cause: unknown) {}
}

/** A table whose chains and elements can be looked up. */
interface OpenTable {
  readonly name: string;
  readonly lookup: NftTableLookup;
}

interface Lookups {
  readonly live: OpenTable | undefined;
  readonly rules: IptablesRuleLookup | undefined;
  /** Tables that are not listed. */
  readonly liveTables: readonly LiveIptablesTable[] | undefined;
}

async function listTables(
  runner: Pick<CommandRunner, 'run'>,
  lookup: NftTableLookup | IptablesRuleLookup | undefined,
): Promise<readonly NftObject[]> {
  return lookup === undefined
    ? listNft(runner, ['tables'])
    : lookup.tables().map((table) => ['table', { ...table }] as const);
}

interface TableReading {
  /** Tables of the family that iptables-save has printed. */
  readonly readByIptables: ReadonlySet<string>;
  readonly unread: string[];
  readonly live: OpenTable | undefined;
}

async function readNftTables(
  family: IPFamily,
  runner: Pick<CommandRunner, 'run'>,
  objects: readonly NftObject[] | UnreadTables,
  { live, readByIptables, unread }: TableReading,
): Promise<readonly NftTableListing[]> {
  const own = family === 'IPv4' ? 'ip' : 'ip6';
  if (objects instanceof UnreadTables) {
    const { cause } = objects;
    unread.push(
      isNotInstalled(cause) ? 'nft is not installed, so tables of nftables cannot be read' : messageOf(cause),
    );
    return [];
  }
  const tables: NftTableListing[] = [];
  for (const [kind, fields] of objects) {
    const [tableFamily, name] = [String(fields.family), String(fields.name)];
    if (kind !== 'table') {
      continue;
    }
    if (tableFamily === 'netdev') {
      unread.push(`table netdev ${name} sees packets first, and is not interpreted`);
    } else if ((tableFamily === own && !readByIptables.has(name as IptablesTable)) || tableFamily === 'inet') {
      const parts =
        tableFamily === own && name === live?.name ? await liveParts(live.lookup).catch(() => undefined) : undefined;
      if (live !== undefined && parts !== undefined) {
        tables.push({ family: tableFamily, name, objects: parts, live: live.lookup });
        continue;
      }
      const listed = await listTable(runner, tableFamily, name, unread);
      if (listed !== undefined) {
        tables.push({ family: tableFamily, name, objects: listed });
      }
    }
  }
  return tables;
}

/**
 * For a table with lookups: its base chains, and the sets and maps that do not support lookups. nft would list all
 * rules; with many rules, this takes longer than the interval between changes, and it restarts after each change.
 *
 * @returns undefined when there are no base chains, or some elements cannot be read.
 */
async function liveParts(lookup: NftTableLookup): Promise<readonly NftObject[] | undefined> {
  const objects: NftObject[] = [];
  for (const { base, dropsByPolicy, name } of (await lookup.chains()) ?? []) {
    if (base !== undefined) {
      const { hook, priority: prio, type } = base;
      objects.push(['chain', { name, hook, prio, type, policy: dropsByPolicy ? 'drop' : 'accept' }]);
    }
  }
  if (objects.length === 0) {
    return undefined;
  }
  for (const name of lookup.sets) {
    const set = lookup.set(name);
    if (set?.types === undefined || set.isDynamic || lookup.canFind(name)) {
      continue;
    }
    const { key, value: of } = set.types;
    const elements = await lookup.list(name);
    if (elements === undefined) {
      return undefined;
    }
    const elem = [...elements].map(([text, { value }]) =>
      value === undefined ? parseNftElement(text) : [parseNftElement(text), parseNftElement(value, of === 'verdict')],
    );
    const map = typeof of === 'object' && of.length === 1 ? of[0] : of;
    objects.push([set.kind, { name, type: key, elem, ...(map === undefined ? {} : { map }) }]);
  }
  return objects;
}

async function listTable(
  runner: Pick<CommandRunner, 'run'>,
  family: string,
  name: string,
  unread: string[],
): Promise<readonly NftObject[] | undefined> {
  try {
    return await listNft(runner, ['table', family, name]);
  } catch (error) {
    try {
      // nft 1.0.6 fails to print a table that a process owns; its parts can be listed.
      return await listParts(runner, family, name);
    } catch {
      unread.push(`table ${family} ${name} cannot be read: ${messageOf(error)}`);
      return undefined;
    }
  }
}

async function listParts(
  runner: Pick<CommandRunner, 'run'>,
  family: string,
  name: string,
): Promise<readonly NftObject[]> {
  const parts: NftObject[] = [];
  for (const what of [
    ['sets', 'table', family, name],
    ['maps', family],
    ['chains', family],
  ]) {
    parts.push(...(await listNft(runner, what)).filter(([, { table }]) => table === name));
  }
  for (const [kind, fields] of [...parts]) {
    if (kind === 'chain') {
      const chain = await listNft(runner, ['chain', family, name, String(fields.name)]);
      parts.push(...chain.filter(([what]) => what === 'rule'));
    }
  }
  return parts;
}

async function listNft(
  runner: Pick<CommandRunner, 'run'>,
  what: readonly string[],
  options: readonly string[] = [],
): Promise<readonly NftObject[]> {
  const { stdout } = await runner.run({ command: 'nft', args: ['-j', ...options, 'list', ...what], timeout: TIMEOUT });
  return (await runInSlices(parseNftObjectsInSlices(stdout))) as readonly NftObject[];
}

/** Names of IP sets that rules refer to. */
function setsOf(saved: string): ReadonlySet<string> {
  const found = saved.includes('-set ') ? saved.matchAll(/--(?:match-set|map-set) (\S+)/g) : [];
  return new Set([...found].flatMap(([, name]) => name ?? []));
}
