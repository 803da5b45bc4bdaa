import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Frontend, type FrontendKind, frontendKey } from '../model/frontend.js';
import type { ServicePort } from '../model/service-port.js';
import type { ServicePortKey } from '../model/service-port-name.js';
import { ObjectReader } from '../objects/object-reader.js';
import { makeService } from '../testing/objects.js';
import { servicePortsOf } from '../tracking/service-ports.js';
import { FrontendOwnership } from './frontend-ownership.js';

const NODE = '192.168.0.2';
const ADDRESSES = { node: new Set([NODE]), podNetworks: [], serviceNetworks: [] };

/** Of a Service that was created in this year. */
function portOf(name: string, year: number): ServicePort {
  const metadata = { name, namespace: 'work', creationTimestamp: `${year}-01-01T00:00:00Z` };
  const { definition } = new ObjectReader().readService(makeService(`work/${name}`, {}, { metadata }));
  const [port] = servicePortsOf(definition, 'IPv4');
  if (port === undefined) {
    throw new Error('no port');
  }
  return port;
}

function frontendOf(kind: FrontendKind, address: string | undefined, port: number, lastPort?: number): Frontend {
  const key = frontendKey('TCP', address, port);
  const range = lastPort === undefined ? {} : { lastPort };
  return { key, kind, address, port, protocol: 'TCP', allowedSources: undefined, routes: [], ...range };
}

describe('the owner of a frontend', () => {
  const [old, young] = [portOf('old', 2020), portOf('young', 2024)];
  let ownership: FrontendOwnership;
  let revisit: Set<ServicePortKey>;
  beforeEach(() => {
    ownership = new FrontendOwnership(ADDRESSES, { kind: 'all', loopback: false });
    revisit = new Set();
  });

  test('is the older Service, regardless of the order of claims, and then the younger one', () => {
    const external = frontendOf('ExternalIP', '198.51.100.9', 80);
    ownership.claim(external, young, revisit);
    expect([ownership.holderBefore(external, young), revisit.size]).toEqual([undefined, 0]);
    ownership.claim(external, old, revisit);
    expect(ownership.holderBefore(external, young)).toBe(old);
    expect([...revisit]).toEqual([young.key]);
    revisit.clear();
    ownership.release(external, old, revisit);
    expect(ownership.holderBefore(external, young)).toBeUndefined();
    expect([...revisit]).toEqual([young.key]);
    expect(ownership.hasExternalAddresses).toBe(true);
    ownership.release(external, young, revisit);
    expect(ownership.hasExternalAddresses).toBe(false);
  });

  test('of an external address of this node may be the Service with that NodePort', () => {
    const [nodePort, external] = [frontendOf('NodePort', undefined, 30080), frontendOf('ExternalIP', NODE, 30080)];
    ownership.claim(external, young, revisit);
    ownership.claim(nodePort, old, revisit);
    expect([...revisit]).toEqual([young.key]);
    expect(ownership.holderBefore(external, young)).toBe(old);
    expect(ownership.ownedPart(nodePort, old)).toBe(nodePort);
    // NodePorts are served on other addresses.
    ownership.nodePortAddresses = { kind: 'listed', addresses: [], loopback: false };
    expect(ownership.holderBefore(external, young)).toBeUndefined();
  });

  test('of a NodePort has it without the addresses on which an older Service has the port', () => {
    const [nodePort, external] = [frontendOf('NodePort', undefined, 30080), frontendOf('ExternalIP', NODE, 30080)];
    ownership.claim(external, old, revisit);
    ownership.claim(nodePort, young, revisit);
    expect(ownership.ownedPart(nodePort, young)).toEqual({ ...nodePort, exceptAddresses: [NODE] });
    const elsewhere = { ...ADDRESSES, node: new Set(['192.168.0.3']) };
    revisit.clear();
    ownership.changeAddresses(elsewhere, (key) => (key === old.key ? [external] : []), revisit);
    expect(revisit).toEqual(new Set([old.key, young.key]));
    expect(ownership.ownedPart(nodePort, young)).toBe(nodePort);
    revisit.clear();
    ownership.changeAddresses(elsewhere, () => [], revisit);
    expect(revisit.size).toBe(0);
  });

  test('of a range has its first port only, where an older Service has a port of it', () => {
    const [range, single] = [frontendOf('ExternalIP', NODE, 80, 90), frontendOf('ExternalIP', NODE, 85)];
    ownership.claim(range, young, revisit);
    expect(ownership.ownedPart(range, young)).toBe(range);
    ownership.claim(single, old, revisit);
    expect(revisit.has(young.key)).toBe(true);
    expect(ownership.ownedPart(range, young).lastPort).toBeUndefined();
    expect(ownership.ranges.range(range, young)).toEqual({ lostTo: old, port: 85 });
  });
});
