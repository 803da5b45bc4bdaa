import { spawnSync } from 'node:child_process';

/** @typedef {(tool: string, args: readonly string[]) => string} Run a tool, to its output */

/** @type {Record<string, (run: Run) => string[]>} */
const MODES = {
  nftables: (run) => nftablesContents(run('nft', ['--json', '--stateless', 'list', 'ruleset'])),
  iptables: (run) => ['iptables', 'ip6tables'].flatMap((tool) => iptablesContents(tool, run(`${tool}-save`, []))),
};

export const SOAK_MODES = Object.keys(MODES);

/**
 * All that a network namespace's packet filter holds, one line for each chain with its rules in order, and for each set
 * and map with its elements: the same for the same contents, whatever the way that led there.
 *
 * @param {string} mode one of {@link SOAK_MODES}
 * @param {readonly string[]} prefix words that make a command run inside of the namespace
 * @returns {readonly string[]}
 */
export function kernelContents(mode, prefix) {
  const contentsOf = MODES[mode];
  if (contentsOf === undefined) {
    throw new Error(`unknown mode ${mode}`);
  }
  return contentsOf((tool, args) => {
    const [command = '', ...words] = [...prefix, tool, ...args];
    const { status, stdout, stderr } = spawnSync(command, words, { encoding: 'utf8', maxBuffer: 2 ** 28 });
    if (status !== 0) {
      throw new Error(`${tool} ${args.join(' ')}: ${stderr}`);
    }
    return stdout;
  }).sort();
}

/**
 * @typedef {{handle?: number, family?: string, table?: string, chain?: string, expr?: unknown, elem?: readonly unknown[]}} NftObject
 * @param {string} text of `nft --json`
 */
function nftablesContents(text) {
  /** @type {string[]} */
  const lines = [];
  /** @type {Map<string, string[]>} */
  const chains = new Map();
  /** @type {{nftables: readonly Record<string, NftObject>[]}} */
  const { nftables } = JSON.parse(text);
  for (const [kind, { handle, ...object }] of nftables.flatMap((entry) => Object.entries(entry))) {
    if (kind === 'rule') {
      const chain = `${object.family} ${object.table} ${object.chain}`;
      chains.set(chain, [...(chains.get(chain) ?? []), JSON.stringify(object.expr)]);
    } else if (kind === 'set' || kind === 'map') {
      const elements = (object.elem ?? []).map((element) => JSON.stringify(element)).sort();
      lines.push(`${kind} ${JSON.stringify({ ...object, elem: elements })}`);
    } else if (kind !== 'metainfo') {
      lines.push(`${kind} ${JSON.stringify(object)}`);
    }
  }
  for (const [chain, rules] of chains) {
    lines.push(`${chain} ${rules.join('\n')}`);
  }
  return lines;
}

/**
 * @param {string} tool
 * @param {string} text of its `-save`
 */
function iptablesContents(tool, text) {
  /** @type {Map<string, (string | undefined)[]>} */
  const chains = new Map();
  let table = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('*')) {
      table = line.slice(1);
    } else if (line.startsWith(':')) {
      const [name, policy] = line.slice(1).split(' ');
      chains.set(`${table} ${name}`, [policy]);
    } else if (line.startsWith('-A ')) {
      chains.get(`${table} ${line.split(' ')[1]}`)?.push(line);
    }
  }
  return [...chains].map(([chain, rules]) => `${tool} ${chain} ${rules.join('\n')}`);
}
