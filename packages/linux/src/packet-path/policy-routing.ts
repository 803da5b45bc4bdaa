import { type BitNetwork, bitsOf, isIn, networkOf } from './ip-bits.js';

/** One line of `ip rule show`: which routing table packets use. */
export interface PolicyRule {
  /** Networks and mark that it applies to; undefined for all. */
  readonly source: BitNetwork | undefined;
  readonly destination: BitNetwork | undefined;
  readonly mark: { readonly value: number; readonly mask: number } | undefined;
  /** It has further, unsupported selectors: an interface, a user, a port. */
  readonly isPartlyKnown: boolean;
  readonly table: 'local' | 'main' | 'default' | 'other';
}

/** The selectors of policy rules. */
export interface RoutedPacket {
  readonly source: string;
  readonly destination: string;
  readonly mark: number;
}

const TABLES: Readonly<Record<string, PolicyRule['table']>> = {
  local: 'local',
  255: 'local',
  main: 'main',
  254: 'main',
  default: 'default',
  253: 'default',
};

/** Parses the output of `ip rule show`, in the order of priority. Empty for a host without policy routing. Pure. */
export function parsePolicyRules(text: string): readonly PolicyRule[] {
  const rules = text.split('\n').flatMap((line): PolicyRule[] => {
    // A line in another format is an unknown rule.
    return line.trim() === ''
      ? []
      : [
          parseRule(
            line
              .trim()
              .replace(/^\d+:\s+/, '')
              .split(/\s+/),
          ),
        ];
  });
  return rules.every(({ table }) => table !== 'other') ? [] : rules;
}

function parseRule(words: readonly string[]): PolicyRule {
  let source: BitNetwork | undefined;
  let destination: BitNetwork | undefined;
  let mark: PolicyRule['mark'];
  let isPartlyKnown = false;
  let table: PolicyRule['table'] = 'other';
  for (let at = 0; at < words.length; at += 2) {
    const [word = '', value = ''] = words.slice(at, at + 2);
    switch (word) {
      case 'from':
      case 'to': {
        const network = networkOf(value);
        isPartlyKnown ||= network === undefined && value !== 'all';
        if (word === 'from') {
          source = network;
        } else {
          destination = network;
        }
        break;
      }
      case 'fwmark': {
        const [bits = Number.NaN, mask = 0xffffffff] = value.split('/').map(Number);
        isPartlyKnown ||= Number.isNaN(bits) || Number.isNaN(mask);
        mark = { value: bits, mask };
        break;
      }
      case 'lookup':
        table = TABLES[value] ?? 'other';
        break;
      case 'proto':
        break;
      default:
        isPartlyKnown = true;
    }
  }
  return { source, destination, mark, isPartlyKnown, table };
}

/**
 * Whether the main table decides about a packet that is not for the host itself; false when a rule selects another
 * table, or may do so.
 *
 * @param hasRoute whether the main table has a route for it. Without one, later rules apply.
 */
export function usesMainTable(rules: readonly PolicyRule[], packet: RoutedPacket, hasRoute: boolean): boolean {
  for (const rule of rules) {
    if (!mayMatch(rule, packet)) {
      continue;
    }
    if (rule.table === 'other') {
      return false;
    }
    if (rule.table === 'main' && !rule.isPartlyKnown && hasRoute) {
      return true;
    }
  }
  return true;
}

function mayMatch({ source, destination, mark, isPartlyKnown }: PolicyRule, packet: RoutedPacket): boolean {
  if (isPartlyKnown) {
    return true;
  }
  const isFrom = source === undefined || isIn(source, bitsOf(packet.source) ?? 0n);
  const isTo = destination === undefined || isIn(destination, bitsOf(packet.destination) ?? 0n);
  return isFrom && isTo && (mark === undefined || (packet.mark & mark.mask) >>> 0 === mark.value >>> 0);
}
