import { NOT_DECODED } from '../iptables/netlink/decode-iptables-rule.js';
import { type Chance, chance, negated, type Test, UNKNOWN } from './chance.js';
import { bitsOf, isIn, networkOf } from './ip-bits.js';
import type { PathHost } from './path-host.js';
import type { Walker } from './walker.js';

/** The conditions and the target of a rule, as words of `iptables-save`. */
export interface RuleConditions {
  readonly tests: readonly Test[];
  /** After `-j` or `-g`; undefined for a rule that only counts. */
  readonly target: { readonly name: string; readonly isGoto: boolean; readonly options: readonly string[] } | undefined;
}

const PROTOCOL_NUMBERS: Readonly<Record<string, string>> = { '6': 'tcp', '17': 'udp', '132': 'sctp' };

/** Matches without packet-dependent options; the options of other matches are evaluated instead. */
const WITHOUT_OPTIONS: ReadonlySet<string> = new Set(['socket', 'ipv6header', 'eui64', 'unclean']);

/** Matches of IPv6 extension headers, which the packets of a path do not have: also an inverted option does not match. */
const EXTENSION_HEADERS: ReadonlySet<string> = new Set(['rt', 'frag', 'dst', 'hbh', 'mh']);

/** Matches whose result for the first packet of a connection does not depend on their options. */
const REGARDLESS_OF_OPTIONS: ReadonlySet<string> = new Set([
  ...['icmp', 'icmp6', 'icmpv6', 'ah', 'esp', 'owner'],
  ...EXTENSION_HEADERS,
]);

const unknown: Test = () => UNKNOWN;
const always: Test = () => 1;
const never: Test = () => 0;

/** Reads the words of a rule. A match that is not supported is a condition whose result is unknown. */
export function readConditions(words: readonly string[], host: PathHost): RuleConditions {
  return new ConditionReader(words, host).read();
}

class ConditionReader {
  #at = 0;
  readonly #tests: Test[] = [];

  constructor(
    private readonly words: readonly string[],
    private readonly host: PathHost,
  ) {}

  read(): RuleConditions {
    while (this.#at < this.words.length) {
      const not = this.#take('!');
      const word = this.#next();
      switch (word) {
        case '-s':
        case '-d': {
          this.#add(not, addressTest(word === '-s' ? 'source' : 'destination', this.#next()));
          break;
        }
        case '-i':
        case '-o':
          this.#add(not, interfaceTest(word === '-i' ? 'inInterface' : 'outInterface', this.#next()));
          break;
        case '-p': {
          const name = this.#next();
          const protocol = PROTOCOL_NUMBERS[name] ?? name;
          this.#add(not, (walker) => chance(protocol === 'all' || protocol === '0' || walker.protocol === protocol));
          break;
        }
        case '-f':
          this.#add(not, never);
          break;
        case '-m':
          this.#match(this.#next());
          break;
        case '-j':
        case '-g':
          return {
            tests: this.#tests,
            target: { name: this.#next(), isGoto: word === '-g', options: this.words.slice(this.#at) },
          };
        default:
          this.#tests.push(unknown);
          this.#skipOptions();
      }
    }
    return { tests: this.#tests, target: undefined };
  }

  #add(not: boolean, test: Test): void {
    if (test === always && !not) {
      return;
    }
    this.#tests.push(not ? (walker) => negated(test(walker)) : test);
  }

  #match(name: string): void {
    if (name === 'rpfilter') {
      this.#add(false, this.#reversePath());
      return;
    }
    if (WITHOUT_OPTIONS.has(name)) {
      this.#add(false, unknown);
    }
    if (EXTENSION_HEADERS.has(name)) {
      this.#add(false, never);
    }
    while (this.#at < this.words.length) {
      const at = this.#at;
      const not = this.#take('!');
      const option = this.words[this.#at] ?? '';
      if (!option.startsWith('--')) {
        this.#at = at;
        return;
      }
      this.#at++;
      const values: string[] = [];
      while (this.#at < this.words.length && !/^(?:--?[a-z]|!$)/.test(this.words[this.#at] ?? '')) {
        values.push(this.#next());
      }
      this.#add(not, this.#option(name, option.slice(2), values));
    }
  }

  #option(match: string, option: string, values: readonly string[]): Test {
    const [value = ''] = values;
    if (`--${option}` === NOT_DECODED && !REGARDLESS_OF_OPTIONS.has(match)) {
      return unknown;
    }
    switch (match) {
      case 'comment':
      case 'nfacct':
        return always;
      case 'tcp':
      case 'udp':
      case 'sctp':
      case 'multiport':
        return portOption(match, option, values);
      case 'conntrack':
      case 'state':
        return conntrackOption(option, value);
      case 'mark':
        return maskedTest(value, ({ mark }) => mark);
      case 'connmark':
        return maskedTest(value, ({ connectionMark }) => connectionMark);
      case 'addrtype':
        return this.#addressType(option, value);
      case 'set':
        return option === 'match-set' ? setTest(value, values[1] ?? '', this.host) : unknown;
      case 'statistic':
        return statisticOption(option, values);
      case 'recent':
        // Clients have no history.
        return option === 'rcheck' || option === 'update' || option === 'remove' ? never : always;
      case 'physdev':
        // Packets to Services are routed, never bridged.
        return option === 'physdev-is-bridged' ? never : this.host.hasBridges === false ? never : unknown;
      case 'icmp':
      case 'icmp6':
      case 'icmpv6':
      case 'ah':
      case 'esp':
      case 'rt':
      case 'frag':
      case 'dst':
      case 'hbh':
      case 'mh':
        return never;
      case 'owner':
        return (walker) => (walker.packet.entry.kind === 'host' ? UNKNOWN : 0);
      case 'iprange':
        return rangeTest(option === 'src-range' ? 'source' : 'destination', value);
      default:
        return unknown;
    }
  }

  /** `rpfilter`: replies leave by the input interface of the packet. */
  #reversePath(): Test {
    const options = new Set<string>();
    while (/^--(?:loose|validmark|accept-local|invert)$/.test(this.words[this.#at] ?? '')) {
      options.add(this.#next());
    }
    const isReached: Test = ({ source, destination, mark, inInterface }) => {
      if (inInterface === 'lo' || inInterface === null) {
        return 1;
      }
      const back = this.host.interfaceOf({
        source: destination,
        destination: source,
        mark: options.has('--validmark') ? mark : 0,
      });
      if (back === 'lo') {
        return options.has('--accept-local') ? (options.has('--loose') ? 1 : UNKNOWN) : 0;
      }
      return back === null
        ? 0
        : options.has('--loose')
          ? 1
          : back === undefined || inInterface === undefined
            ? UNKNOWN
            : chance(back === inInterface);
    };
    return options.has('--invert') ? (walker) => negated(isReached(walker)) : isReached;
  }

  #addressType(option: string, value: string): Test {
    if (option !== 'src-type' && option !== 'dst-type') {
      return unknown;
    }
    const types = value.split(',');
    return (walker) => {
      const address = option === 'src-type' ? walker.source : walker.destination;
      if (this.host.isLocal(address)) {
        return chance(types.includes('LOCAL'));
      }
      return types.includes('UNICAST') ? 1 : chance(types.includes('UNSPEC') && /^[0:.]+$/.test(address));
    };
  }

  #skipOptions(): void {
    while (this.#at < this.words.length && !/^-[mjgsdiop]$/.test(this.words[this.#at] ?? '')) {
      this.#at++;
    }
  }

  #next(): string {
    return this.words[this.#at++] ?? '';
  }

  #take(word: string): boolean {
    if (this.words[this.#at] !== word) {
      return false;
    }
    this.#at++;
    return true;
  }
}

function addressTest(side: 'source' | 'destination', text: string): Test {
  const network = networkOf(text);
  if (network === undefined) {
    return unknown;
  }
  return side === 'source'
    ? ({ sourceBits }) => chance(isIn(network, sourceBits))
    : ({ destinationBits }) => chance(isIn(network, destinationBits));
}

export function interfaceTest(side: 'inInterface' | 'outInterface', pattern: string, wildcard = '+'): Test {
  const isPrefix = pattern.endsWith(wildcard);
  const text = isPrefix ? pattern.slice(0, -1) : pattern;
  return (walker) => {
    const name = walker[side];
    if (name === undefined) {
      return UNKNOWN;
    }
    return chance(name !== null && (isPrefix ? name.startsWith(text) : name === text));
  };
}

function rangeTest(side: 'source' | 'destination', text: string): Test {
  const [first, last] = text.split('-').map(bitsOf);
  if (first === undefined || last === undefined) {
    return unknown;
  }
  return (walker) => {
    const bits = side === 'source' ? walker.sourceBits : walker.destinationBits;
    return chance(bits >= first && bits <= last);
  };
}

function portOption(match: string, option: string, values: readonly string[]): Test {
  const [value = ''] = values;
  const ranges = value.split(',').map((range) => {
    const [first = '', last = first] = range.split(':');
    return [Number(first || 0), Number(last || 65_535)] as const;
  });
  const has = (port: number) => chance(ranges.some(([first, last]) => port >= first && port <= last));
  const ofProtocol =
    (test: Test): Test =>
    (walker) =>
      match === 'multiport' || walker.protocol === match ? test(walker) : 0;
  switch (option) {
    case 'dport':
    case 'dports':
      return ofProtocol(({ port }) => has(port));
    case 'sport':
    case 'sports':
      return ofProtocol(({ packet }) => has(packet.sourcePort));
    case 'ports':
      return ({ port, packet }) => chance(has(port) === 1 || has(packet.sourcePort) === 1);
    case 'tcp-flags': {
      const set = (values[1] ?? '').split(',');
      const asked = value.split(',');
      // The first packet of a connection has SYN, and no other flag.
      const isSyn = asked.every((flag) => set.includes(flag) === (flag === 'SYN'));
      return ofProtocol(({ isReply }) => (isReply ? UNKNOWN : chance(isSyn)));
    }
    default:
      return unknown;
  }
}

function conntrackOption(option: string, value: string): Test {
  switch (option) {
    case 'ctstate':
    case 'state': {
      const states = value.split(',');
      return (walker) =>
        chance(
          walker.untracked
            ? states.includes('UNTRACKED')
            : states.includes(walker.isReply ? 'ESTABLISHED' : 'NEW') ||
                (walker.translatedBy !== undefined && !walker.isBalanced && states.includes('DNAT')) ||
                (walker.masqueradedBy !== undefined && states.includes('SNAT')),
        );
    }
    case 'ctorigdst': {
      const network = networkOf(value);
      return network === undefined
        ? unknown
        : ({ originalDestination }) => chance(isIn(network, bitsOf(originalDestination) ?? 0n));
    }
    case 'ctorigsrc': {
      const network = networkOf(value);
      return network === undefined ? unknown : ({ packet }) => chance(isIn(network, bitsOf(packet.source) ?? 0n));
    }
    case 'ctdir':
      return ({ isReply }) => chance(value === (isReply ? 'REPLY' : 'ORIGINAL'));
    case 'ctorigdstport':
      return ({ packet }) => {
        const [first = '', last = first] = value.split(':');
        return chance(packet.port >= Number(first) && packet.port <= Number(last));
      };
    case 'ctstatus':
      return ({ isReply }) => (isReply ? UNKNOWN : chance(value.split(',').includes('NONE')));
    default:
      return unknown;
  }
}

function maskedTest(text: string, read: (walker: Walker) => number): Test {
  const [value, mask] = text.split('/').map(Number);
  if (value === undefined || Number.isNaN(value) || Number.isNaN(mask ?? 0)) {
    return unknown;
  }
  const bits = mask ?? 0xffffffff;
  return (walker) => chance((read(walker) & bits) >>> 0 === value >>> 0);
}

function statisticOption(option: string, values: readonly string[]): Test {
  const [value = ''] = values;
  switch (option) {
    case 'mode':
    case 'packet':
      return always;
    case 'probability':
      return () => Number(value);
    case 'every':
      return () => 1 / Number(value);
    default:
      return unknown;
  }
}

function setTest(name: string, sides: string, host: PathHost): Test {
  const directions = sides.split(',');
  return (walker): Chance => {
    const set = host.set(name);
    return set === undefined ? UNKNOWN : set.has(walker, directions);
  };
}
