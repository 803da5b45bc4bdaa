/** One chain in the output of `iptables-save`. */
export interface SavedChain {
  /** `ACCEPT` or `DROP` for a built-in chain, `-` for a user-defined chain. */
  readonly policy: string;
  /** Rules as printed, without `-A CHAIN `. */
  readonly rules: readonly string[];
}

/** Chains by name, in the order of the output. */
export type SavedTable = ReadonlyMap<string, SavedChain>;

/**
 * Parses the output of `iptables-save` for one table. Skips lines that are not chains or rules, and counters (`[1:60]
 * -A …`).
 */
export function parseSavedTable(output: string, table: string): SavedTable {
  const chains = new Map<string, { policy: string; rules: string[] }>();
  let inside = false;
  for (const line of output.split('\n')) {
    if (line.startsWith('*')) {
      inside = line.slice(1).trim() === table;
    } else if (inside && line.startsWith(':')) {
      const [name = '', policy = '-'] = line.slice(1).split(' ');
      chains.set(name, { policy, rules: [] });
    } else if (inside) {
      const at = line.startsWith('-A ') ? 3 : line.startsWith('[') ? line.indexOf('] -A ') + 5 : 0;
      if (at >= 3) {
        const end = line.indexOf(' ', at);
        const name = end < 0 ? line.slice(at) : line.slice(at, end);
        chains.get(name)?.rules.push(end < 0 ? '' : line.slice(end + 1));
      }
    }
  }
  return chains;
}
