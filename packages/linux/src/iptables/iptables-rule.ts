/** A condition that can be negated. */
export interface Condition {
  /** The canonical text of a network (`10.0.0.1/32`, `0.0.0.5/0.0.0.15`), or the name of an interface (`cali+`). */
  readonly value: string;
  /** Holds when the value does *not* match. Default false. */
  readonly not?: boolean;
}

/** Transport protocols as iptables spells them. */
export type IptablesProtocol = 'tcp' | 'udp' | 'sctp';

export type ConntrackState = 'INVALID' | 'NEW' | 'RELATED' | 'ESTABLISHED' | 'UNTRACKED' | 'SNAT' | 'DNAT';

/** A match extension (`-m …`), limited to those that backends of this project use. */
export type IptablesMatch =
  | { readonly match: 'port'; readonly protocol: IptablesProtocol; readonly first: number; readonly last?: number }
  | {
      readonly match: 'conntrack';
      readonly states: readonly ConntrackState[];
      readonly not?: boolean;
      /** The original destination of the connection. */
      readonly originalDestination?: string;
    }
  /** Counts the packet in the kernel counter of that name. */
  | { readonly match: 'nfacct'; readonly counter: string }
  | { readonly match: 'mark'; readonly value: number; readonly mask: number; readonly not?: boolean }
  | { readonly match: 'addrtype'; readonly side: 'src' | 'dst'; readonly type: 'LOCAL'; readonly not?: boolean }
  /**
   * Matches packets against an IP set; `sides` selects the source or destination address or port for each part of an
   * entry.
   */
  | { readonly match: 'set'; readonly set: string; readonly sides: readonly ('src' | 'dst')[]; readonly not?: boolean }
  /** `probability` 0…1; the kernel keeps 31 bits of it. */
  | { readonly match: 'statistic'; readonly probability: number }
  | { readonly match: 'recent'; readonly operation: 'set'; readonly list: string; readonly mask: string }
  | {
      readonly match: 'recent';
      readonly operation: 'rcheck';
      readonly list: string;
      readonly mask: string;
      /** Entries older than this many seconds do not match, and are removed. */
      readonly seconds: number;
    };

/** What a rule does with a matching packet. */
export type IptablesTarget =
  | { readonly target: 'jump' | 'goto'; readonly chain: string }
  | { readonly target: 'ACCEPT' | 'DROP' | 'RETURN' }
  | { readonly target: 'REJECT'; readonly with: 'icmp-port-unreachable' | 'icmp6-port-unreachable' }
  /** Clears the bits of `mask`, then flips those of `value`. */
  | { readonly target: 'MARK'; readonly value: number; readonly mask: number }
  /** Sets the packet's mark to the mark that its entry in a set carries. */
  | { readonly target: 'SET'; readonly markFrom: string; readonly sides: readonly ('src' | 'dst')[] }
  | { readonly target: 'MASQUERADE'; readonly randomFully: boolean }
  | { readonly target: 'DNAT'; readonly to: string }
  /** To the same host: the first address of the input interface, or a loopback address. */
  | { readonly target: 'REDIRECT'; readonly toPort: number };

/** The parts of a rule. An absent part matches everything. */
export interface IptablesRuleParts {
  readonly source?: Condition;
  readonly destination?: Condition;
  readonly inInterface?: Condition;
  readonly outInterface?: Condition;
  readonly protocol?: IptablesProtocol;
  /** For people. Characters other than plain text are replaced, and it is truncated at 255 characters. */
  readonly comment?: string;
  /** How many of `matches` precede the comment. Default 0. */
  readonly commentAfter?: number;
  readonly matches?: readonly IptablesMatch[];
  /** Undefined: the rule only counts packets. */
  readonly target?: IptablesTarget;
}

const MAX_COMMENT = 255;
/** 2^-31: the resolution of the kernel's statistic match. */
const PROBABILITY_STEPS = 2 ** 31;

/**
 * Comments contain names from outside. They are single words to iptables-restore only while nothing in them ends the
 * word or the line, so other characters are replaced rather than escaped.
 */
function plainComment(text: string): string {
  return text.replace(/[^\w .:/>,;()[\]-]/g, '?').slice(0, MAX_COMMENT);
}

function hex(value: number): string {
  return `0x${(value >>> 0).toString(16)}`;
}

function condition(flag: string, is: Condition | undefined): string {
  return is === undefined ? '' : `${is.not ? '! ' : ''}${flag} ${is.value}`;
}

function renderMatch(match: IptablesMatch): string {
  switch (match.match) {
    case 'port': {
      const range = match.last === undefined || match.last === match.first ? '' : `:${match.last}`;
      return `-m ${match.protocol} --dport ${match.first}${range}`;
    }
    case 'conntrack':
      return `-m conntrack${match.not ? ' !' : ''} --ctstate ${match.states.join(',')}${
        match.originalDestination === undefined ? '' : ` --ctorigdst ${match.originalDestination}`
      }`;
    case 'nfacct':
      return `-m nfacct --nfacct-name  ${match.counter}`;
    case 'mark':
      return `-m mark${match.not ? ' !' : ''} --mark ${hex(match.value)}/${hex(match.mask)}`;
    case 'addrtype':
      return `-m addrtype${match.not ? ' !' : ''} --${match.side}-type ${match.type}`;
    case 'set':
      return `-m set${match.not ? ' !' : ''} --match-set ${match.set} ${match.sides.join(',')}`;
    case 'statistic':
      return `-m statistic --mode random --probability ${kernelProbability(match.probability).toFixed(11)}`;
    case 'recent':
      return match.operation === 'set'
        ? `-m recent --set --name ${match.list} --mask ${match.mask} --rsource`
        : `-m recent --rcheck --seconds ${match.seconds} --reap --name ${match.list} --mask ${match.mask} --rsource`;
  }
}

function renderTarget(target: IptablesTarget | undefined): string {
  if (target === undefined) {
    return '';
  }
  switch (target.target) {
    case 'jump':
      return `-j ${target.chain}`;
    case 'goto':
      return `-g ${target.chain}`;
    case 'REJECT':
      return `-j REJECT --reject-with ${target.with}`;
    case 'MARK':
      return `-j MARK --set-xmark ${hex(target.value)}/${hex(target.mask)}`;
    case 'SET':
      return `-j SET --map-set ${target.markFrom} ${target.sides.join(',')} --map-mark`;
    case 'MASQUERADE':
      return target.randomFully ? '-j MASQUERADE --random-fully' : '-j MASQUERADE';
    case 'DNAT':
      return `-j DNAT --to-destination ${target.to}`;
    case 'REDIRECT':
      return `-j REDIRECT --to-ports ${target.toPort}`;
    default:
      return `-j ${target.target}`;
  }
}

/** The probability that the kernel stores for `probability`: it keeps 31 bits. */
export function kernelProbability(probability: number): number {
  return Math.round(probability * PROBABILITY_STEPS) / PROBABILITY_STEPS;
}

/**
 * One rule, without its chain. It renders and parses itself in the format of `iptables-save`, so that a written rule
 * can be read back and compared as text.
 */
export class IptablesRule {
  #text: string | undefined;
  #bare: string | undefined;

  constructor(readonly parts: IptablesRuleParts) {}

  /** As `iptables-save` prints it after `-A CHAIN `. */
  get text(): string {
    this.#text ??= this.#render(true);
    return this.#text;
  }

  /** The same without the comment: the effect of the rule. Rules with the same effect have the same text. */
  get bareText(): string {
    this.#bare ??= this.#render(false);
    return this.#bare;
  }

  #render(withComment: boolean): string {
    const { parts } = this;
    const matches = (parts.matches ?? []).map(renderMatch);
    if (withComment && parts.comment !== undefined) {
      matches.splice(parts.commentAfter ?? 0, 0, `-m comment --comment "${plainComment(parts.comment)}"`);
    }
    // `join` makes one flat string; concatenation keeps the pieces, which take more memory where rules are retained.
    return [
      condition('-s', parts.source),
      condition('-d', parts.destination),
      condition('-i', parts.inInterface),
      condition('-o', parts.outInterface),
      parts.protocol === undefined ? '' : `-p ${parts.protocol}`,
      ...matches,
      renderTarget(parts.target),
    ]
      .filter((piece) => piece !== '')
      .join(' ');
  }

  /**
   * Parses a rule as `iptables-save` prints it, without `-A CHAIN `.
   *
   * @returns undefined when the rule contains anything that this class does not support: such a rule is foreign, and is
   *   kept as text.
   */
  static parse(text: string): IptablesRule | undefined {
    const words = splitWords(text);
    if (words === undefined) {
      return undefined;
    }
    const parts = new RuleReader(words).read();
    return parts === undefined ? undefined : new IptablesRule(parts);
  }
}

/**
 * Splits a line into words as iptables-restore does: at blanks, with double quotes and backslashes.
 *
 * @returns undefined when a quote is left open.
 */
export function splitWords(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (quoted && character === '\\' && i + 1 < text.length) {
      i++;
      word = (word ?? '') + text.charAt(i);
    } else if (character === '"') {
      quoted = !quoted;
      word ??= '';
    } else if (!quoted && (character === ' ' || character === '\t')) {
      if (word !== undefined) {
        words.push(word);
        word = undefined;
      }
    } else {
      word = (word ?? '') + character;
    }
  }
  if (word !== undefined) {
    words.push(word);
  }
  return quoted ? undefined : words;
}

const COMMENT = /(^| )-m comment --comment (?:"(?:[^"\\]|\\.)*"|[^ "]+)/;

/** The text of any rule, supported or not, without its comment. */
export function withoutComment(ruleText: string): string {
  return ruleText.includes('--comment') ? ruleText.replace(COMMENT, '').trimStart() : ruleText;
}

/**
 * The effect of any rule, given as text: {@link IptablesRule.bareText} of a supported rule, however it is spelled; else the text
 * without its comment.
 */
export function effectOf(ruleText: string): string {
  return IptablesRule.parse(ruleText)?.bareText ?? withoutComment(ruleText);
}

/** The chain that the text of any rule, supported or not, jumps or goes to; undefined when it does neither. */
export function targetOf(ruleText: string): string | undefined {
  const words = splitWords(ruleText) ?? [];
  for (let i = 0; i + 1 < words.length; i++) {
    if (words[i] === '-j' || words[i] === '-g' || words[i] === '--jump' || words[i] === '--goto') {
      return words[i + 1];
    }
  }
  return undefined;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const STATES: readonly string[] = ['INVALID', 'NEW', 'RELATED', 'ESTABLISHED', 'UNTRACKED', 'SNAT', 'DNAT'];
/** Targets that are not chains; those with options that are not listed here belong to foreign rules. */
const PLAIN_TARGETS: readonly string[] = ['ACCEPT', 'DROP', 'RETURN'];
const OTHER_TARGETS: readonly string[] = [
  ...['LOG', 'NFLOG', 'QUEUE', 'NFQUEUE', 'SNAT', 'REDIRECT', 'NETMAP', 'CONNMARK', 'CT', 'NOTRACK', 'TRACE', 'TEE'],
  ...['TPROXY', 'TCPMSS', 'AUDIT', 'CLASSIFY', 'DSCP', 'TOS', 'TTL', 'HL', 'CHECKSUM', 'HMARK', 'LED', 'SECMARK'],
];

class UnknownWord extends Error {}

/** Reads the words of one rule from left to right; the first unsupported word ends it. */
class RuleReader {
  #at = 0;

  constructor(private readonly words: readonly string[]) {}

  read(): IptablesRuleParts | undefined {
    try {
      return this.#parts();
    } catch (error) {
      if (error instanceof UnknownWord) {
        return undefined;
      }
      throw error;
    }
  }

  #parts(): IptablesRuleParts {
    const parts: Mutable<IptablesRuleParts> = {};
    const matches: IptablesMatch[] = [];
    while (this.#at < this.words.length) {
      const not = this.#take('!');
      const word = this.#next();
      const is = (value: string): Condition => (not ? { value, not } : { value });
      if (word === '-s') {
        parts.source = is(this.#next());
      } else if (word === '-d') {
        parts.destination = is(this.#next());
      } else if (word === '-i') {
        parts.inInterface = is(this.#next());
      } else if (word === '-o') {
        parts.outInterface = is(this.#next());
      } else if (not) {
        throw new UnknownWord();
      } else if (word === '-p') {
        parts.protocol = this.#protocol(this.#next());
      } else if (word === '-m') {
        this.#match(this.#next(), parts, matches);
      } else if (word === '-j') {
        parts.target = this.#target(this.#next());
      } else if (word === '-g') {
        parts.target = { target: 'goto', chain: this.#next() };
      } else {
        throw new UnknownWord();
      }
    }
    if (matches.length > 0) {
      parts.matches = matches;
    }
    return parts;
  }

  #match(name: string, parts: Mutable<IptablesRuleParts>, matches: IptablesMatch[]): void {
    switch (name) {
      case 'comment':
        this.#expect('--comment');
        parts.comment = this.#next();
        if (matches.length > 0) {
          parts.commentAfter = matches.length;
        }
        return;
      case 'tcp':
      case 'udp':
      case 'sctp': {
        // A bare `-m tcp` adds nothing to `-p tcp`.
        if (this.#take('--dport')) {
          const [first = '', last] = this.#next().split(':');
          const range = { match: 'port' as const, protocol: name, first: this.#number(first) } as const;
          matches.push(last === undefined ? range : { ...range, last: this.#number(last) });
        }
        return;
      }
      case 'conntrack': {
        const not = this.#take('!');
        this.#expect('--ctstate');
        const states = this.#next().split(',');
        if (!states.every((state): state is ConntrackState => STATES.includes(state))) {
          throw new UnknownWord();
        }
        const destination = this.#take('--ctorigdst') ? { originalDestination: this.#next() } : {};
        matches.push({ match: 'conntrack', states, ...(not ? { not } : {}), ...destination });
        return;
      }
      case 'nfacct':
        this.#expect('--nfacct-name');
        matches.push({ match: 'nfacct', counter: this.#next() });
        return;
      case 'mark': {
        const not = this.#take('!');
        this.#expect('--mark');
        const mark = { match: 'mark' as const, ...this.#valueAndMask() };
        matches.push(not ? { ...mark, not } : mark);
        return;
      }
      case 'addrtype': {
        const not = this.#take('!');
        const side = this.#take('--src-type') ? 'src' : 'dst';
        if (side === 'dst') {
          this.#expect('--dst-type');
        }
        this.#expect('LOCAL');
        const local = { match: 'addrtype' as const, side, type: 'LOCAL' as const } as const;
        matches.push(not ? { ...local, not } : local);
        return;
      }
      case 'set': {
        const not = this.#take('!');
        this.#expect('--match-set');
        const set = { match: 'set' as const, set: this.#next(), sides: this.#sides() };
        matches.push(not ? { ...set, not } : set);
        return;
      }
      case 'statistic':
        this.#expect('--mode');
        this.#expect('random');
        this.#expect('--probability');
        matches.push({ match: 'statistic', probability: kernelProbability(this.#number(this.#next())) });
        return;
      case 'recent':
        matches.push(this.#recent());
        return;
      default:
        throw new UnknownWord();
    }
  }

  #recent(): IptablesMatch {
    if (this.#take('--set')) {
      return { match: 'recent', operation: 'set', ...this.#recentList() };
    }
    this.#expect('--rcheck');
    this.#expect('--seconds');
    const seconds = this.#number(this.#next());
    this.#expect('--reap');
    return { match: 'recent', operation: 'rcheck', seconds, ...this.#recentList() };
  }

  #recentList(): { list: string; mask: string } {
    this.#expect('--name');
    const list = this.#next();
    this.#expect('--mask');
    const mask = this.#next();
    this.#expect('--rsource');
    return { list, mask };
  }

  #target(name: string): IptablesTarget {
    switch (name) {
      case 'REJECT': {
        this.#expect('--reject-with');
        const type = this.#next();
        if (type !== 'icmp-port-unreachable' && type !== 'icmp6-port-unreachable') {
          throw new UnknownWord();
        }
        return { target: 'REJECT', with: type };
      }
      case 'MARK':
        this.#expect('--set-xmark');
        return { target: 'MARK', ...this.#valueAndMask() };
      case 'SET': {
        this.#expect('--map-set');
        const target = { target: 'SET' as const, markFrom: this.#next(), sides: this.#sides() };
        this.#expect('--map-mark');
        return target;
      }
      case 'MASQUERADE':
        return { target: 'MASQUERADE', randomFully: this.#take('--random-fully') };
      case 'DNAT':
        this.#expect('--to-destination');
        return { target: 'DNAT', to: this.#next() };
      case 'REDIRECT':
        this.#expect('--to-ports');
        return { target: 'REDIRECT', toPort: this.#number(this.#next()) };
      default:
        if (name === 'ACCEPT' || name === 'DROP' || name === 'RETURN') {
          return { target: name };
        }
        if (OTHER_TARGETS.includes(name)) {
          throw new UnknownWord();
        }
        return { target: 'jump', chain: name };
    }
  }

  #protocol(word: string): IptablesProtocol {
    if (word !== 'tcp' && word !== 'udp' && word !== 'sctp') {
      throw new UnknownWord();
    }
    return word;
  }

  #sides(): readonly ('src' | 'dst')[] {
    const sides = this.#next().split(',');
    if (!sides.every((side): side is 'src' | 'dst' => side === 'src' || side === 'dst')) {
      throw new UnknownWord();
    }
    return sides;
  }

  #valueAndMask(): { value: number; mask: number } {
    const [value = '', mask = '0xffffffff'] = this.#next().split('/');
    return { value: this.#number(value), mask: this.#number(mask) };
  }

  #number(word: string): number {
    const value = Number(word);
    if (word === '' || Number.isNaN(value)) {
      throw new UnknownWord();
    }
    return value;
  }

  #next(): string {
    const word = this.words[this.#at++];
    if (word === undefined) {
      throw new UnknownWord();
    }
    return word;
  }

  #take(word: string): boolean {
    if (this.words[this.#at] !== word) {
      return false;
    }
    this.#at++;
    return true;
  }

  #expect(word: string): void {
    if (this.#next() !== word) {
      throw new UnknownWord();
    }
  }
}

/** Whether `name`, after `-j`, is a built-in target of iptables and not a chain. */
export function isBuiltinTarget(name: string): boolean {
  return (
    PLAIN_TARGETS.includes(name) ||
    OTHER_TARGETS.includes(name) ||
    name === 'REJECT' ||
    name === 'MARK' ||
    name === 'SET' ||
    name === 'MASQUERADE' ||
    name === 'DNAT'
  );
}
