import { assertNever, cidrContains, joinHostPort } from '@kube-proxier/core';
import { type Condition, type IptablesMatch, IptablesRule, type IptablesTable } from '@kube-proxier/linux';
import type { FakeIptables } from '@kube-proxier/linux/testing';

/** The first packet of a connection. */
export interface WalkedPacket {
  readonly source: string;
  readonly destination: string;
  readonly protocol: 'tcp' | 'udp' | 'sctp';
  readonly port: number;
  /** The input interface; undefined when a process of the host sends it. */
  readonly inInterface: string | undefined;
}

/** A possible outcome of a packet, with its probability. */
export interface WalkOutcome {
  readonly probability: number;
  readonly verdict: 'accepted' | 'dropped' | 'refused';
  /** `address:port` of the new destination; undefined when nothing changed its destination. */
  readonly destination: string | undefined;
  readonly masqueraded: boolean;
}

interface Walker {
  readonly packet: WalkedPacket;
  readonly probability: number;
  readonly mark: number;
  readonly dnat: string | undefined;
  readonly masqueraded: boolean;
}

type Step = { readonly walker: Walker; readonly end: 'next' | 'done' | 'dropped' | 'refused' };

/**
 * Evaluates the rules of a fake for a packet, as the kernel would: nat, then filter, then nat again. Unsupported rules,
 * and clients recorded by `recent`, do not match.
 */
export function walkPacket(
  iptables: FakeIptables,
  packet: WalkedPacket,
  host: { readonly localAddresses: readonly string[] },
): readonly WalkOutcome[] {
  const start: Walker = { packet, probability: 1, mark: 0, dnat: undefined, masqueraded: false };
  const fromHost = packet.inInterface === undefined;
  const isLocal = (address: string) => isLoopback(address) || host.localAddresses.includes(address);
  const outcomes = new Map<string, WalkOutcome>();
  const record = (walker: Walker, verdict: WalkOutcome['verdict']) => {
    const { masqueraded } = walker;
    const destination = walker.dnat;
    const key = `${verdict} ${destination} ${masqueraded}`;
    const probability = (outcomes.get(key)?.probability ?? 0) + walker.probability;
    outcomes.set(key, { probability, verdict, destination, masqueraded });
  };
  const hooks = (walker: Walker): readonly (readonly [IptablesTable, string])[] => {
    const toLocal = isLocal(walker.packet.destination);
    if (fromHost) {
      return [['filter', 'OUTPUT'], ['nat', 'POSTROUTING'], ...(toLocal ? ([['filter', 'INPUT']] as const) : [])];
    }
    return toLocal
      ? [['filter', 'INPUT']]
      : [
          ['filter', 'FORWARD'],
          ['nat', 'POSTROUTING'],
        ];
  };
  const through = (walker: Walker, left: readonly (readonly [IptablesTable, string])[]): void => {
    const [hook, ...rest] = left;
    if (hook === undefined) {
      record(walker, 'accepted');
      return;
    }
    for (const step of walkChain(iptables, hook[0], hook[1], walker, isLocal)) {
      if (step.end === 'dropped' || step.end === 'refused') {
        record(step.walker, step.end);
      } else {
        through(step.walker, rest);
      }
    }
  };
  for (const step of walkChain(iptables, 'nat', fromHost ? 'OUTPUT' : 'PREROUTING', start, isLocal)) {
    through(step.walker, hooks(step.walker));
  }
  return [...outcomes.values()];
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}

function walkChain(
  iptables: FakeIptables,
  table: IptablesTable,
  chain: string,
  start: Walker,
  isLocal: (address: string) => boolean,
): Step[] {
  const done: Step[] = [];
  let walkers: Walker[] = [start];
  for (const text of iptables.rulesOf(table, chain) ?? []) {
    const rule = IptablesRule.parse(text);
    const passed: Walker[] = [];
    for (const walker of walkers) {
      const chance = rule === undefined ? 0 : chanceOf(rule, walker, isLocal);
      if (chance < 1) {
        passed.push({ ...walker, probability: walker.probability * (1 - chance) });
      }
      if (rule === undefined || chance === 0) {
        continue;
      }
      const hit = { ...walker, probability: walker.probability * chance };
      const { target } = rule.parts;
      switch (target?.target) {
        case undefined:
          passed.push(hit);
          break;
        case 'jump':
        case 'goto':
          for (const step of walkChain(iptables, table, target.chain, hit, isLocal)) {
            if (step.end !== 'next') {
              done.push(step);
            } else if (target.target === 'jump') {
              passed.push(step.walker);
            } else {
              done.push(step);
            }
          }
          break;
        case 'MARK':
          passed.push({ ...hit, mark: ((hit.mark & ~target.mask) ^ target.value) >>> 0 });
          break;
        case 'RETURN':
          done.push({ walker: hit, end: 'next' });
          break;
        case 'ACCEPT':
          done.push({ walker: hit, end: 'done' });
          break;
        case 'DROP':
          done.push({ walker: hit, end: 'dropped' });
          break;
        case 'REJECT':
          done.push({ walker: hit, end: 'refused' });
          break;
        case 'MASQUERADE':
          done.push({ walker: { ...hit, masqueraded: true }, end: 'done' });
          break;
        case 'DNAT':
          done.push({ walker: translated(hit, target.to), end: 'done' });
          break;
        case 'SET':
        case 'REDIRECT':
          throw new RangeError(`walkPacket does not know the target ${target.target}`);
        default:
          assertNever(target);
      }
    }
    walkers = passed;
  }
  return [...done, ...walkers.map((walker) => ({ walker, end: 'next' as const }))];
}

function translated(walker: Walker, to: string): Walker {
  // Without a port the packet keeps its own; `first-last/base` shifts it.
  const [, six, four, first, last, base] =
    /^(?:\[?([\da-f:]*:[\da-f:]*?)\]?|([\d.]+))(?::(\d+)(?:-(\d+)\/(\d+))?)?$/.exec(
      to.startsWith('[') || !/:.*:/.test(to) ? to : `[${to}]`,
    ) ?? [];
  const { packet } = walker;
  const destination = six ?? four ?? '';
  const port =
    first === undefined
      ? packet.port
      : last === undefined
        ? Number(first)
        : Number(first) + ((packet.port - Number(base)) % (Number(last) - Number(first) + 1));
  return { ...walker, dnat: joinHostPort(destination, port), packet: { ...packet, destination, port } };
}

/** 0 when the rule does not match, 1 when it does, between for a random match. */
function chanceOf(rule: IptablesRule, walker: Walker, isLocal: (address: string) => boolean): number {
  const { parts } = rule;
  const { packet } = walker;
  const matches =
    holds(parts.source, (network) => contains(network, packet.source)) &&
    holds(parts.destination, (network) => contains(network, packet.destination)) &&
    holds(parts.inInterface, (name) => isInterface(name, packet.inInterface ?? '')) &&
    (parts.protocol === undefined || parts.protocol === packet.protocol);
  return matches
    ? (parts.matches ?? []).reduce((chance, match) => chance * chanceOfMatch(match, walker, isLocal), 1)
    : 0;
}

function holds(condition: Condition | undefined, test: (value: string) => boolean): boolean {
  return condition === undefined || test(condition.value) !== (condition.not ?? false);
}

function isInterface(pattern: string, name: string): boolean {
  return pattern.endsWith('+') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** A network may be selected by any bits of the address (`0.0.0.5/128.0.0.15`). */
function contains(network: string, address: string): boolean {
  const [base = '', mask = ''] = network.split('/');
  if (/^\d+$/.test(mask)) {
    return cidrContains(network, address);
  }
  return (low32(address) & low32(mask)) >>> 0 === low32(base);
}

/** The last 32 bits. Masks that are not prefixes are only used on these bits. */
function low32(address: string): number {
  if (!address.includes(':')) {
    return address.split('.').reduce((value, octet) => ((value << 8) | Number(octet)) >>> 0, 0);
  }
  const [high = '', low = ''] =
    address.includes('::') && address.endsWith('::') ? ['', ''] : address.split(':').slice(-2);
  return ((Number.parseInt(high || '0', 16) << 16) | Number.parseInt(low || '0', 16)) >>> 0;
}

function chanceOfMatch(match: IptablesMatch, walker: Walker, isLocal: (address: string) => boolean): number {
  const { packet } = walker;
  switch (match.match) {
    case 'port':
      return Number(
        // The evaluated packet opens a connection.
        !match.noSyn &&
          packet.protocol === match.protocol &&
          packet.port >= match.first &&
          packet.port <= (match.last ?? match.first),
      );
    case 'no-syn':
      return 0;
    case 'conntrack': {
      const is = match.states.includes('NEW') || (walker.dnat !== undefined && match.states.includes('DNAT'));
      return Number(is !== (match.not ?? false));
    }
    case 'mark':
      return Number(((walker.mark & match.mask) >>> 0 === match.value) !== (match.not ?? false));
    case 'addrtype':
      return Number(isLocal(match.side === 'src' ? packet.source : packet.destination) !== (match.not ?? false));
    case 'statistic':
      return match.probability;
    case 'recent':
      return match.operation === 'set' ? 1 : 0;
    case 'nfacct':
      return 1;
    case 'set':
      throw new Error(`walkPacket does not support sets such as ${match.set}`);
  }
}
