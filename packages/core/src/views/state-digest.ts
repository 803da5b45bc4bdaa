import { createHash } from 'node:crypto';
import type { Endpoint } from '../model/endpoint.js';
import { isProbeService } from '../model/probe-service.js';
import type { ProxyState, ResolvedServicePort } from '../model/proxy-state.js';

/** Bytes of a digest. */
const LENGTH = 8;

const digests = new WeakMap<ResolvedServicePort, Buffer>();

/**
 * A short text that is equal on nodes whose states are made of the same Services and endpoints, and different otherwise (a
 * 64 bit hash). What differs between nodes by design is not part of it: which endpoints are local, which topology hints are
 * followed, addresses and options of the node, and the Services of the probe. Pure; costs as much as the service ports
 * that have changed since its last call.
 *
 * @returns 16 hexadecimal digits.
 */
export function stateDigest({ servicePorts }: Pick<ProxyState, 'servicePorts'>): string {
  const sum = Buffer.alloc(LENGTH);
  for (const port of servicePorts.values()) {
    if (isProbeService(port.name)) {
      continue;
    }
    let digest = digests.get(port);
    if (digest === undefined) {
      digest = servicePortDigest(port);
      digests.set(port, digest);
    }
    // Independent of the order, which is not specified. Keys are unique, so no two are equal.
    for (let index = 0; index < LENGTH; index += 1) {
      sum[index] = (sum[index] ?? 0) ^ (digest[index] ?? 0);
    }
  }
  return sum.toString('hex');
}

/** The digest as a number that a metric can have: its first 48 bits. */
export function digestNumber(digest: string): number {
  return Number.parseInt(digest.slice(0, 12), 16);
}

function servicePortDigest({ key, servicePort, candidates }: ResolvedServicePort): Buffer {
  // Named one by one: another version of this program may have further fields.
  const facts = [
    ...[key, servicePort.clusterIP, servicePort.port, servicePort.nodePort],
    ...[servicePort.externalIPs, servicePort.loadBalancerVIPs, servicePort.loadBalancerSourceRanges ?? null],
    ...[servicePort.externalTrafficPolicy, servicePort.internalTrafficPolicy],
    ...[servicePort.affinitySeconds ?? null, servicePort.healthCheckNodePort],
    Object.entries(servicePort.annotations).sort(byText),
    candidates.map(endpointFacts).sort(),
  ];
  return createHash('sha256').update(JSON.stringify(facts)).digest().subarray(0, LENGTH);
}

function endpointFacts({ key, ready, serving, terminating, nodeName, zoneHints, nodeHints }: Endpoint): string {
  return JSON.stringify([
    key,
    ready,
    serving,
    terminating,
    nodeName ?? '',
    [...zoneHints].sort(),
    [...nodeHints].sort(),
  ]);
}

function byText([left]: readonly [string, string], [right]: readonly [string, string]): number {
  return left < right ? -1 : 1;
}
