import { familyOf, type Protocol, parseAddress } from '@kube-proxier/core';
import type { ConntrackEntry, ConntrackTuple } from './conntrack.js';

const PROTOCOLS: Readonly<Record<string, Protocol>> = { tcp: 'TCP', udp: 'UDP', sctp: 'SCTP' };

/**
 * Parses the output of `conntrack -L`, with or without `-o extended,id`:
 *
 * ```
 * ipv4  2 udp  17 59 src=10.0.0.1 dst=10.96.0.10 sport=1 dport=53 [UNREPLIED] src=10.244.0.11 dst=… zone=7 use=1
 * ```
 *
 * Skips lines of other protocols, and lines that cannot be parsed: an unparsed entry must not be deleted either. Pure.
 */
export function parseConntrackList(text: string): ConntrackEntry[] {
  return text.split('\n').flatMap((line) => parseConntrackLine(line) ?? []);
}

function parseConntrackLine(line: string): ConntrackEntry | undefined {
  const name = /^(?:ipv[46]\s+\d+\s+)?([a-z]+)\s+\d+\s/.exec(line)?.[1];
  const protocol = name === undefined ? undefined : PROTOCOLS[name];
  const original = parseTuple(line, 0);
  const reply = parseTuple(line, 1);
  if (!protocol || !original || !reply) {
    return undefined;
  }
  const zone = Number(/\szone(?:-orig)?=(\d+)/.exec(line)?.[1] ?? 0);
  return { family: familyOf(original.source), protocol, original, reply, zone };
}

/** The keys appear once for each direction, with counters between them where accounting is on. */
function parseTuple(line: string, direction: number): ConntrackTuple | undefined {
  const value = (key: string): string => [...line.matchAll(new RegExp(`\\s${key}=(\\S+)`, 'g'))][direction]?.[1] ?? '';
  const source = parseAddress(value('src'))?.text;
  const destination = parseAddress(value('dst'))?.text;
  const sourcePort = Number.parseInt(value('sport'), 10);
  const destinationPort = Number.parseInt(value('dport'), 10);
  if (!source || !destination || Number.isNaN(sourcePort) || Number.isNaN(destinationPort)) {
    return undefined;
  }
  return { source, sourcePort, destination, destinationPort };
}

/** Arguments of `conntrack -D` or `-I` that identify exactly one entry. Pure. */
export function conntrackArguments(entry: ConntrackEntry): string[] {
  const { original, reply } = entry;
  return [
    ['-p', entry.protocol.toLowerCase()],
    ['-s', original.source],
    ['-d', original.destination],
    ['-r', reply.source],
    ['-q', reply.destination],
    ['--sport', `${original.sourcePort}`],
    ['--dport', `${original.destinationPort}`],
    ['--reply-port-src', `${reply.sourcePort}`],
    ['--reply-port-dst', `${reply.destinationPort}`],
    // Without the zone, the same tuples in other zones would match as well.
    ['-w', `${entry.zone}`],
  ].flat();
}

/** Identity of an entry: equal for equal tuples, protocol and zone. */
export function conntrackKey(entry: ConntrackEntry): string {
  return conntrackArguments(entry).join(' ');
}
