import type { IPFamily } from '@kube-proxier/core';
import type { IptablesTable } from '../iptables/iptables.js';
import { iptablesProgram } from '../iptables/iptables-command.js';
import type { IptablesFoundRule, IptablesRuleLookup } from '../iptables/netlink/iptables-rule-lookup.js';
import type { CommandRunner } from '../process/command-runner.js';
import { iptablesBaseChain, LONG, WITHOUT_EFFECT } from './compile-iptables.js';
import type { LiveIptablesTable } from './live-iptables.js';
import { runInSlices } from './run-in-slices.js';

const TABLES: readonly string[] = ['raw', 'mangle', 'nat', 'filter', 'security'] satisfies IptablesTable[];

/** Maximum number of chains that are read in advance. */
const MOST_CHAINS = 2000;
/** A chain with more jumps is one of Services or pods: its targets are read after those of other chains. */
const MANY_JUMPS = 64;
/** Number of rules that are decoded between two pauses. */
const SLICE = 100;
/** Maximum number of chains that the program prints. */
const MOST_PRINTED = 100;
/** Maximum attempts to print a chain that changes. */
const ATTEMPTS = 3;
/** Milliseconds for printing one chain. */
const TIMEOUT = 10_000;

/**
 * Prepares lookups in the tables of iptables-nft of one family: reads the chains near the beginning of the path of
 * packets in advance, and lets the program print the rules that are not decoded. Rules that it does not print, or that
 * are added later, stay without options, and packets that reach them have an unknown outcome.
 *
 * @param onPrinted called with the rules of each chain that were printed.
 * @throws NftError when the kernel refuses.
 */
export async function readLiveIptables(
  lookup: IptablesRuleLookup,
  family: IPFamily,
  runner: Pick<CommandRunner, 'run'>,
  onPrinted: (rules: string) => void,
): Promise<readonly LiveIptablesTable[]> {
  const own = family === 'IPv4' ? 'ip' : 'ip6';
  const bases = await lookup.baseChains();
  const tables: (LiveIptablesTable & { readonly longChains: Set<string> })[] = [];
  for (const { family: tableFamily, isDormant, name } of lookup.tables()) {
    const found = isDormant ? [] : (bases.get(name) ?? []);
    const isOfIptables = found.every(({ base, name: chain }) => {
      const expected = iptablesBaseChain(name, chain);
      return base?.hook === expected?.hook && base?.priority === expected?.priority;
    });
    if (tableFamily === own && TABLES.includes(name) && isOfIptables) {
      tables.push({
        ...{ name, bases: found, longChains: new Set() },
        rules: (chain) => lookup.rules(name, chain),
        rulesInSlices: (chain) => lookup.rulesInSlices(name, chain),
      });
    }
  }
  for (const table of tables) {
    const printed: string[] = [];
    await runInSlices(readAhead(table, (chain) => printed.push(chain)));
    for (const chain of printed.slice(0, MOST_PRINTED)) {
      onPrinted(await takePrintedRules(lookup, table, chain, family, runner));
    }
  }
  return tables;
}

/** Reads and decodes chains from the base chains on. Calls `onNotDecoded` for chains that the program has to print. */
function* readAhead(
  table: LiveIptablesTable & { readonly longChains: Set<string> },
  onNotDecoded: (chain: string) => void,
): Generator<void, void> {
  const near = table.bases.map(({ name }) => name);
  const far: string[] = [];
  const seen = new Set(near);
  let rules = 0;
  for (let chains = 0; chains < MOST_CHAINS; chains++) {
    const chain = near.shift() ?? far.shift();
    if (chain === undefined) {
      return;
    }
    const jumps = new Set<string>();
    let isDecoded = true;
    const found = yield* table.rulesInSlices(chain);
    if (found.length > LONG) {
      table.longChains.add(chain);
    }
    for (const rule of found) {
      isDecoded &&= !needsProgram(rule);
      if (rule.jump !== undefined && !seen.has(rule.jump)) {
        jumps.add(rule.jump);
      }
      if (++rules % SLICE === 0) {
        yield;
      }
    }
    if (!isDecoded) {
      onNotDecoded(chain);
    }
    for (const jump of jumps) {
      seen.add(jump);
      (jumps.size > MANY_JUMPS ? far : near).push(jump);
    }
    yield;
  }
}

function needsProgram({ isForeignToIptables, notDecoded }: IptablesFoundRule): boolean {
  return !isForeignToIptables && notDecoded.some((name) => !WITHOUT_EFFECT.has(name));
}

/**
 * The program prints a single chain in milliseconds, whatever the size of the table.
 *
 * @returns what it has printed; empty when that was not used.
 */
async function takePrintedRules(
  lookup: IptablesRuleLookup,
  table: LiveIptablesTable,
  chain: string,
  family: IPFamily,
  runner: Pick<CommandRunner, 'run'>,
): Promise<string> {
  const command = iptablesProgram(family, 'nft', '');
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    lookup.forget();
    const rules = table.rules(chain);
    let output: string;
    try {
      output = (await runner.run({ command, args: ['-w', '-t', table.name, '-S', chain], timeout: TIMEOUT })).stdout;
    } catch {
      // Not installed, or it cannot print the chain.
      return '';
    }
    const begin = `-A ${chain} `;
    const texts = output.split('\n').filter((line) => `${line} `.startsWith(begin));
    lookup.forget();
    // The same rules before and after: the program has printed these.
    if (table.rules(chain) === rules && texts.length === rules.length) {
      for (const [index, rule] of rules.entries()) {
        if (needsProgram(rule)) {
          rule.takePrinted((texts[index] ?? '').slice(begin.length).trimEnd());
        }
      }
      return output;
    }
  }
  return '';
}
