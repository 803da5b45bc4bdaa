import { isForeignTarget } from './builtin-targets.js';
import {
  type Condition,
  type ConntrackState,
  type IptablesMatch,
  type IptablesProtocol,
  type IptablesRuleParts,
  type IptablesTarget,
  kernelProbability,
} from './iptables-rule-parts.js';
import { splitWords } from './rule-text.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const STATES: readonly string[] = ['INVALID', 'NEW', 'RELATED', 'ESTABLISHED', 'UNTRACKED', 'SNAT', 'DNAT'];
/**
 * Reads a rule as `iptables-save` prints it, without `-A CHAIN `.
 *
 * @returns undefined when the rule contains anything that {@link IptablesRuleParts} do not support.
 */
export function readRule(text: string): IptablesRuleParts | undefined {
  const words = splitWords(text);
  return words && new RuleReader(words).read();
}

class UnknownWord extends Error {}

/** Reads the words of one rule from left to right; stops at the first unsupported word. */
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
          const noSyn = this.#noSyn();
          const range = { match: 'port' as const, protocol: name, first: this.#number(first) } as const;
          matches.push({
            ...range,
            ...(last === undefined ? {} : { last: this.#number(last) }),
            ...(noSyn ? { noSyn } : {}),
          });
        } else if (this.#noSyn()) {
          matches.push({ match: 'no-syn' });
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

  #noSyn(): boolean {
    if (!this.#take('--tcp-flags')) {
      return false;
    }
    this.#expect('SYN');
    this.#expect('NONE');
    return true;
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
        if (type !== 'icmp-port-unreachable' && type !== 'icmp6-port-unreachable' && type !== 'tcp-reset') {
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
        if (isForeignTarget(name)) {
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
