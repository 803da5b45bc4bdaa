import type { Endpoint } from '../model/endpoint.js';
import { DEFAULT_WEIGHT } from '../model/endpoint-weights.js';
import { isProbeService } from '../model/probe-service.js';
import type { ProxyState, ResolvedServicePort } from '../model/proxy-state.js';
import { finish, type Slices } from '../pacing/slices.js';

/** 64 bits, as two numbers of 32. */
type Hash = readonly [number, number];

const digests = new WeakMap<ResolvedServicePort, Hash>();
const wholeDigests = new WeakMap<ProxyState['servicePorts'], string>();

/**
 * A 64-bit hash of the Services and endpoints of a state, for comparison between nodes. It excludes node-specific data:
 * which endpoints are local, which topology hints are followed, addresses and options of the node, and the Services of
 * the probe. Pure; costs as much as the service ports that have changed since its last call.
 *
 * @returns 16 hexadecimal digits.
 */
export function stateDigest(state: Pick<ProxyState, 'servicePorts'>): string {
  return finish(stateDigestInSlices(state));
}

/** {@link stateDigest}. Yields after each service port, so that a caller can pause. */
export function* stateDigestInSlices({ servicePorts }: Pick<ProxyState, 'servicePorts'>): Slices<string> {
  const known = wholeDigests.get(servicePorts);
  if (known !== undefined) {
    return known;
  }
  let [high, low]: Hash = [0, 0];
  for (const port of servicePorts.values()) {
    yield;
    if (isProbeService(port.name)) {
      continue;
    }
    let digest = digests.get(port);
    if (digest === undefined) {
      digest = servicePortDigest(port);
      digests.set(port, digest);
    }
    // Independent of the order, which is not specified. Keys are unique, so no two texts are equal.
    high ^= digest[0];
    low ^= digest[1];
  }
  const whole = [high, low].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
  wholeDigests.set(servicePorts, whole);
  return whole;
}

/** The digest as a number that a metric can have: its first 48 bits. */
export function digestNumber(digest: string): number {
  return Number.parseInt(digest.slice(0, 12), 16);
}

function servicePortDigest({ key, servicePort, candidates }: ResolvedServicePort): Hash {
  // Listed explicitly: another version of this program may have further fields.
  const facts = [
    ...[key, servicePort.clusterIP, servicePort.port, servicePort.nodePort],
    ...[servicePort.externalIPs, servicePort.loadBalancerVIPs, servicePort.loadBalancerSourceRanges ?? null],
    ...[servicePort.externalTrafficPolicy, servicePort.internalTrafficPolicy],
    ...[servicePort.affinitySeconds ?? null, servicePort.healthCheckNodePort],
    Object.entries(servicePort.annotations).sort(byText),
    candidates.map(endpointFacts).sort(),
  ];
  return hashOf(JSON.stringify(facts));
}

function endpointFacts({ key, ready, serving, terminating, weight, nodeName, zoneHints, nodeHints }: Endpoint): string {
  return JSON.stringify([
    key,
    ready,
    serving,
    terminating,
    nodeName ?? '',
    [...zoneHints].sort(),
    [...nodeHints].sort(),
    ...(weight === DEFAULT_WEIGHT ? [] : [weight]),
  ]);
}

function byText([left]: readonly [string, string], [right]: readonly [string, string]): number {
  return left < right ? -1 : 1;
}

/** A hash of 64 bits against accidents, not against attackers (cyrb53 by bryc, with all of its bits). */
function hashOf(text: string): Hash {
  let [first, second] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 0x9e3779b1);
    second = Math.imul(second ^ code, 0x5f356495);
  }
  first = Math.imul(first ^ (first >>> 16), 0x85ebca6b) ^ Math.imul(second ^ (second >>> 13), 0xc2b2ae35);
  second = Math.imul(second ^ (second >>> 16), 0x85ebca6b) ^ Math.imul(first ^ (first >>> 13), 0xc2b2ae35);
  return [second >>> 0, first >>> 0];
}
