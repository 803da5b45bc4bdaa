import { isRecord, type PathRule, type UnknownRecord } from '@kube-proxier/core';
import { anyVerdict, assuming, type Chance, chance, negated, UNKNOWN } from './chance.js';
import { type Branch, CONTINUE, type CompiledRule, type RuleNetworks, type RuleVerdict } from './compiled-rule.js';
import { type BitNetwork, bitsOf, networkOf } from './ip-bits.js';
import { interfaceTest } from './iptables-matches.js';
import type { NftElements } from './nft-elements.js';
import { NftExpressions, type NftOption, toNumber } from './nft-expressions.js';
import { parseMapStatement } from './nft-map-statement.js';
import { ruleText } from './nft-statement-text.js';
import type { PathHost } from './path-host.js';
import { append, translated, type Walker, withChanges } from './walker.js';

/** One statement of a rule: the branches for a packet. Without branches, the rule does not match. */
type Statement = (walker: Walker, rule: PathRule) => readonly Way[];

interface Way {
  readonly walker: Walker;
  /** Ends the rule: with a verdict, or because a condition does not hold (`continue`). Undefined: the next statement. */
  readonly verdict?: RuleVerdict;
}

/** Statements without an effect on the path of a packet. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  ...['log', 'quota_reset', 'ct helper', 'ct timeout', 'ct expectation', 'dup', 'secmark', 'comment', 'last', 'meter'],
]);

/** Compiles the rules of one table of nftables. */
export class NftRuleCompiler {
  readonly #expressions: NftExpressions;

  constructor(
    private readonly table: string,
    private readonly host: PathHost,
    private readonly elements: NftElements,
  ) {
    this.#expressions = new NftExpressions(host, elements);
  }

  compile(chain: string, { expr, handle }: UnknownRecord): CompiledRule {
    const { table } = this;
    const listed = Array.isArray(expr) ? expr : [];
    const text = ruleText(listed, handle);
    const place = { system: 'nftables', table, chain, text };
    const rule: PathRule = { ...place, foreign: this.host.isForeign(place) };
    if (this.host.ignores(rule)) {
      return { rule, evaluate: () => undefined };
    }
    const statements = listed.map((statement) =>
      this.#statement(
        isRecord(statement) ? statement : (parseMapStatement(String(statement)) ?? { [String(statement)]: null }),
      ),
    );
    const { networks, port } = matchedPackets(listed, this.host.facts.family === 'IPv4' ? 'ip' : 'ip6');
    return {
      rule,
      ...(networks === undefined ? {} : { networks }),
      ...(port === undefined ? {} : { port }),
      evaluate(walker) {
        let live: Walker[] = [walker];
        const branches: Branch[] = [];
        for (const statement of statements) {
          const next: Walker[] = [];
          for (const one of live) {
            for (const way of statement(one, rule)) {
              if (way.verdict === undefined) {
                next.push(way.walker);
              } else {
                branches.push({ walker: way.walker, verdict: way.verdict });
              }
            }
          }
          live = next;
          if (live.length === 0) {
            break;
          }
        }
        for (const one of live) {
          branches.push({ walker: one, verdict: CONTINUE });
        }
        const [only] = branches;
        return branches.length === 1 && only?.walker === walker && only.verdict.do === 'continue'
          ? undefined
          : branches;
      },
    };
  }

  #statement(statement: UnknownRecord): Statement {
    const [kind = ''] = Object.keys(statement);
    const value = statement[kind];
    const ends =
      (verdict: RuleVerdict): Statement =>
      (walker) => [{ walker, verdict }];
    switch (kind) {
      case 'accept':
        return ends({ do: 'accept' });
      case 'drop':
        return ends({ do: 'drop' });
      case 'reject':
        return ends({ do: 'refuse' });
      case 'return':
        return ends({ do: 'return' });
      case 'continue':
        return ends(CONTINUE);
      case 'jump':
      case 'goto':
        return ends({ do: kind, chain: isRecord(value) ? String(value.target) : '' });
      case 'match':
        return this.#match(isRecord(value) ? value : {});
      case 'vmap':
        return this.#verdictMap(isRecord(value) ? value : {});
      case 'mangle':
        return this.#mangle(isRecord(value) ? value : {});
      case 'dnat':
      case 'redirect':
        return this.#destination(kind, isRecord(value) ? value : {});
      case 'snat':
      case 'masquerade':
        return (walker, rule) => [
          { walker: withChanges(walker, { masqueradedBy: rule, sourceDecided: true }), verdict: { do: 'accept' } },
        ];
      case 'set':
      case 'map':
        return this.#write(isRecord(value) ? value : {});
      case 'notrack':
        return (walker) => [{ walker: withChanges(walker, { untracked: true }) }];
      case 'counter':
        return this.#counter(value);
      default:
        if (WITHOUT_EFFECT.has(kind)) {
          return (walker) => [{ walker }];
        }
        // Limits, quotas, queues, extensions of iptables: the packet may pass, match, or be dropped.
        return (walker, rule) => {
          const assumed = assuming(walker, rule);
          return kind === 'limit' || kind === 'quota' || kind === 'ct count'
            ? [{ walker: assumed }, { walker: assumed, verdict: CONTINUE }]
            : [{ walker: assumed }, ...anyVerdict(assumed, rule)];
        };
    }
  }

  #match({ op, left, right }: UnknownRecord): Statement {
    const test = this.#test(String(op), left, right);
    return (walker, rule) => {
      const value = test(walker);
      if (value === 1) {
        return [{ walker }];
      }
      if (value === 0) {
        return [{ walker, verdict: CONTINUE }];
      }
      if (value === UNKNOWN) {
        const assumed = assuming(walker, rule);
        return [{ walker: assumed }, { walker: assumed, verdict: CONTINUE }];
      }
      return [
        { walker: withChanges(walker, { probability: walker.probability * value }) },
        { walker: withChanges(walker, { probability: walker.probability * (1 - value) }), verdict: CONTINUE },
      ];
    };
  }

  #test(op: string, left: unknown, right: unknown): (walker: Walker) => Chance {
    const not = op === '!=';
    const finish = (value: Chance): Chance => (not ? negated(value) : value);
    const meta = isRecord(left) && isRecord(left.meta) ? left.meta.key : undefined;
    if ((meta === 'iifname' || meta === 'oifname' || meta === 'iif' || meta === 'oif') && typeof right === 'string') {
      const test = interfaceTest(meta.startsWith('iif') ? 'inInterface' : 'outInterface', right, '*');
      return (walker) => finish(test(walker));
    }
    const opens = this.#opensConnection(op, left, right);
    if (opens !== undefined) {
      return opens;
    }
    const flags = this.#expressions.flags(left);
    if (flags !== undefined) {
      const wanted = this.#words(right);
      if (wanted === undefined) {
        return () => UNKNOWN;
      }
      return (walker) => {
        const has = flags(walker);
        return has === undefined ? UNKNOWN : finish(chance(wanted.some((word) => has.includes(word))));
      };
    }
    const options = this.#expressions.options(left);
    const holds = this.#expressions.comparison(op, left, right);
    return (walker) => {
      let total: Chance = 0;
      for (const { value, probability } of options(walker)) {
        const one = value === undefined ? UNKNOWN : value === null ? 0 : holds(value, walker);
        if (one === UNKNOWN) {
          return UNKNOWN;
        }
        // If the packet lacks the field, the rule does not match, even with a negated condition.
        total += probability * (value === null ? 0 : one);
      }
      return total > 1 - 1e-12 ? 1 : total;
    };
  }

  /**
   * `tcp flags & syn == 0`, in the spellings of the nft versions. The simulated packet opens a connection, so it has
   * that flag.
   */
  #opensConnection(op: string, left: unknown, right: unknown): ((walker: Walker) => Chance) | undefined {
    const masked = isRecord(left) && Array.isArray(left['&']) ? left['&'] : undefined;
    const field = masked === undefined ? left : masked[0];
    const bit = masked === undefined ? right : masked[1];
    const isFlags = isRecord(field) && isRecord(field.payload) && field.payload.field === 'flags';
    if (
      !isFlags ||
      bit !== 'syn' ||
      !(masked === undefined ? op === '!' : op === '==' && (right === 0 || right === '0'))
    ) {
      return undefined;
    }
    return ({ isReply }) => (isReply ? UNKNOWN : 0);
  }

  #words(right: unknown): readonly string[] | undefined {
    const list = Array.isArray(right) ? right : isRecord(right) && Array.isArray(right.set) ? right.set : [right];
    return list.every((word): word is string => typeof word === 'string') ? list : undefined;
  }

  #verdictMap({ key, data }: UnknownRecord): Statement {
    const options = this.#expressions.options(key);
    const map = this.elements.mapOf(data);
    const name = typeof data === 'string' ? data.replace(/^@/, '') : '';
    return (walker, rule) => {
      const ways: Way[] = [];
      for (const { value, probability } of options(walker)) {
        const one = probability === 1 ? walker : withChanges(walker, { probability: walker.probability * probability });
        if (value === undefined || map === undefined) {
          ways.push(...anyVerdict(one, rule));
          continue;
        }
        const found = value === null ? undefined : map.find(value, one);
        if (found === undefined) {
          ways.push({ walker: value === null ? one : missed(one, rule, name, value), verdict: CONTINUE });
          continue;
        }
        const verdict = verdictOf(found);
        ways.push(
          verdict === undefined ? { walker: assuming(one, rule), verdict: CONTINUE } : { walker: one, verdict },
        );
      }
      return ways;
    };
  }

  #mangle({ key, value }: UnknownRecord): Statement {
    const options = this.#expressions.options(value);
    const meta = isRecord(key) && isRecord(key.meta) ? key.meta.key : undefined;
    const connection = isRecord(key) && isRecord(key.ct) ? key.ct.key : undefined;
    const field =
      meta === 'mark'
        ? 'mark'
        : meta === 'priority'
          ? 'priority'
          : connection === 'mark'
            ? 'connectionMark'
            : undefined;
    if (field === undefined) {
      const harmless = meta !== undefined || connection !== undefined || (isRecord(key) && isRecord(key.payload));
      const isAddress = isRecord(key) && isRecord(key.payload) && /addr|port|protocol/.test(String(key.payload.field));
      return (walker, rule) => [{ walker: harmless && !isAddress ? walker : assuming(walker, rule) }];
    }
    return (walker, rule) =>
      options(walker).map(({ value: found, probability }): Way => {
        const one = probability === 1 ? walker : withChanges(walker, { probability: walker.probability * probability });
        if (found === null) {
          return { walker: missed(one, rule, '', ''), verdict: CONTINUE };
        }
        const number = found === undefined ? undefined : toNumber(found);
        if (number === undefined) {
          return { walker: assuming(one, rule) };
        }
        const changed = withChanges(one, { [field]: number >>> 0 });
        return { walker: field === 'mark' ? { ...changed, markedBy: rule } : changed };
      });
  }

  #destination(kind: 'dnat' | 'redirect', { addr, port }: UnknownRecord): Statement {
    const address = addr === undefined ? undefined : this.#expressions.options(addr);
    const portOf = port === undefined ? undefined : this.#expressions.options(port);
    const here: readonly NftOption[] = [{ value: '', probability: 1 }];
    return (walker, rule) => {
      const ways: Way[] = [];
      for (const option of address?.(walker) ?? here) {
        for (const portOption of portOf?.(walker) ?? here) {
          const probability = option.probability * portOption.probability;
          const one =
            probability === 1 ? walker : withChanges(walker, { probability: walker.probability * probability });
          if (option.value === null || portOption.value === null) {
            ways.push({ walker: missed(one, rule, option.map ?? '', option.key ?? ''), verdict: CONTINUE });
            continue;
          }
          if (option.value === undefined || portOption.value === undefined) {
            ways.push({ walker: { ...assuming(one, rule), destinationDecided: true }, verdict: { do: 'accept' } });
            continue;
          }
          const [to = '', toPort] = option.value.split(' . ');
          const chosen = portOption.value === '' ? toPort : portOption.value;
          const target = to === '' ? (kind === 'redirect' ? this.host.redirectAddress(one) : undefined) : to;
          const known = to === '' || bitsOf(to) !== undefined ? one : assuming(one, rule);
          const by = option.map === undefined ? rule : { ...rule, text: elementText(rule, option) };
          ways.push({
            walker: translated(known, target, chosen === undefined ? undefined : Number(chosen), by),
            verdict: { do: 'accept' },
          });
        }
      }
      return ways;
    };
  }

  #write({ op, elem, data, set, map }: UnknownRecord): Statement {
    const name = String(set ?? map).replace(/^@/, '');
    const inner = isRecord(elem) && isRecord(elem.elem) ? elem.elem.val : elem;
    // nft 1.0.6 prints `update @map { key : value }` with key and value as a pair.
    const [keyExpression, dataExpression] =
      data === undefined && Array.isArray(inner) ? [inner[0], inner[1]] : [inner, data];
    const keys = this.#expressions.options(
      isRecord(keyExpression) && isRecord(keyExpression.elem) ? keyExpression.elem.val : keyExpression,
    );
    const values = dataExpression === undefined ? undefined : this.#expressions.options(dataExpression);
    return (walker, rule) => {
      const [key] = keys(walker);
      const [value] = values?.(walker) ?? [{ value: '', probability: 1 }];
      if (key?.value === undefined || key.value === null || value?.value === undefined || value.value === null) {
        return [{ walker: assuming(walker, rule) }];
      }
      const before = walker.written?.get(name);
      const there = before?.get(key.value);
      // An existing element keeps its value.
      const next = op === 'delete' ? null : (there ?? value.value);
      const written = new Map(walker.written).set(name, new Map(before).set(key.value, next));
      return [{ walker: withChanges(walker, { written }) }];
    };
  }

  #counter(value: unknown): Statement {
    if (!isRecord(value) || !isRecord(value.map)) {
      return (walker) => [{ walker }];
    }
    const options = this.#expressions.options({ map: value.map });
    return (walker) =>
      options(walker).map(({ value: found }): Way => (found === null ? { walker, verdict: CONTINUE } : { walker }));
  }
}

/** Records a failed lookup, for findings. */
function missed(walker: Walker, { foreign }: PathRule, map: string, key: string): Walker {
  return !walker.isNoted || foreign === true || map === ''
    ? walker
    : withChanges(walker, { misses: append(walker.misses, `${map} has no element ${key}`) });
}

function elementText({ text }: PathRule, { map, key, value }: NftOption): string {
  return `${text} with element ${key} : ${value} of ${map}`;
}

function verdictOf(value: unknown): RuleVerdict | undefined {
  if (!isRecord(value)) {
    return undefined;
  }
  const [kind = ''] = Object.keys(value);
  switch (kind) {
    case 'accept':
    case 'drop':
    case 'return':
    case 'continue':
      return { do: kind };
    case 'jump':
    case 'goto': {
      const target = value[kind];
      return { do: kind, chain: isRecord(target) ? String(target.target) : '' };
    }
    default:
      return undefined;
  }
}

/** What the matches at the beginning of a rule require, before any other statement. */
function matchedPackets(
  statements: readonly unknown[],
  family: 'ip' | 'ip6',
): { readonly networks: RuleNetworks | undefined; readonly port: number | undefined } {
  let source: BitNetwork | undefined;
  let destination: BitNetwork | undefined;
  let port: number | undefined;
  for (const statement of statements) {
    const match = isRecord(statement) && isRecord(statement.match) ? statement.match : undefined;
    if (match === undefined) {
      break;
    }
    const { left, op, right } = match;
    const { field, protocol } = isRecord(left) && isRecord(left.payload) && op === '==' ? left.payload : {};
    if (protocol === family && field === 'saddr') {
      source ??= networkOfOperand(right);
    } else if (protocol === family && field === 'daddr') {
      destination ??= networkOfOperand(right);
    } else if (field === 'dport' && typeof right === 'number') {
      port ??= right;
    }
  }
  return { networks: source === undefined && destination === undefined ? undefined : { source, destination }, port };
}

function networkOfOperand(right: unknown): BitNetwork | undefined {
  const prefix = isRecord(right) && isRecord(right.prefix) ? right.prefix : undefined;
  return typeof right === 'string'
    ? networkOf(right)
    : prefix === undefined
      ? undefined
      : networkOf(`${String(prefix.addr)}/${Number(prefix.len)}`);
}
