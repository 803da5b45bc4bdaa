import type { IPFamily, RuleChange } from '@kube-proxier/core';
import type { CommandRunner } from '@kube-proxier/linux';
import { nftFamily, TABLE } from '../plan/layout.js';

/** With more chains than this, the whole table is listed. */
const MAX_CHAINS = 16;
const TIMEOUT = 60_000;

/**
 * Changes with the texts of rules that are removed as printed by `nft`. Changes of rules that it does not print are
 * unchanged.
 *
 * @param changes as planned from what is installed.
 */
export async function withRemovedTexts(
  changes: readonly RuleChange[],
  family: IPFamily,
  runner: Pick<CommandRunner, 'run'>,
): Promise<readonly RuleChange[]> {
  const chains = new Set(
    changes.flatMap(({ action, kind, container }) =>
      action === 'remove' && kind === 'rule' && container !== undefined ? [container] : [],
    ),
  );
  const list = async (...what: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> => {
    try {
      const { stdout } = await runner.run({ command: 'nft', args: ['-s', 'list', ...what], timeout: TIMEOUT });
      return ruleTextsOf(stdout);
    } catch {
      return new Map();
    }
  };
  const texts = new Map(chains.size > MAX_CHAINS ? await list('table', nftFamily(family), TABLE) : []);
  // nft 1.0.6 fails to print a table that a process owns; its chains can be listed.
  for (const chain of texts.size === 0 ? chains : []) {
    for (const [name, rules] of await list('chain', nftFamily(family), TABLE, chain)) {
      texts.set(name, rules);
    }
  }
  return changes.map((change) => {
    const { action, kind, container = '', position = 0 } = change;
    const text = action === 'remove' && kind === 'rule' ? texts.get(container)?.[position - 1] : undefined;
    return text === undefined ? change : { ...change, text: `rule ${container} ${text}` };
  });
}

/** The rules of each chain in the output of `nft list table` or `nft list chain`, each on one line. Pure. */
export function ruleTextsOf(listing: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  let rules: string[] | undefined;
  let begun = '';
  for (const line of listing.split('\n')) {
    const [, chain] = /^\tchain (\S+) \{$/.exec(line) ?? [];
    if (chain !== undefined) {
      rules = [];
      found.set(chain, rules);
    } else if (line === '\t}') {
      rules = undefined;
    } else if (rules !== undefined && line.trim() !== '') {
      begun = begun === '' ? line.trim() : `${begun} ${line.trim()}`;
      if (openBraces(begun) > 0) {
        // Long lists continue on the next line.
        continue;
      }
      if (!/^(?:type \w+ hook |comment ")/.test(begun)) {
        rules.push(begun);
      }
      begun = '';
    }
  }
  return found;
}

function openBraces(text: string): number {
  const plain = text.replace(/"[^"]*"/g, '');
  return plain.split('{').length - plain.split('}').length;
}
