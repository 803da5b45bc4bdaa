import { describe, expect, test } from '@jest/globals';
import type { IPFamily } from './address.js';
import {
  dependsOnLocalAddresses,
  isNodePortAddressSelection,
  type LocalhostNodePorts,
  listNodePortAddresses,
  type NodePortAddresses,
  optionsOfFamily,
  resolveNodePortAddresses,
  selectNodePortAddresses,
  servesLoopback,
  unselectedFamilies,
  unservedLoopback,
} from './node-port-addresses.js';

const NODE = ['192.0.2.1', '2001:db8::1'];
const LOCAL = ['127.0.0.1', '10.0.0.1', '10.0.0.2', '192.0.2.1', '::1', '2001:db8::1', 'fd00::1'];

function resolve(
  entries: string,
  family: IPFamily,
  localhostNodePorts: LocalhostNodePorts = family === 'IPv4' ? true : 'listed',
  nodeAddresses: readonly string[] = NODE,
): NodePortAddresses {
  const selection = selectNodePortAddresses(entries === '' ? [] : entries.split(','));
  const localAddresses = LOCAL.filter((address) => address.includes(':') === (family === 'IPv6'));
  return resolveNodePortAddresses(selection, { family, nodeAddresses, localAddresses, localhostNodePorts });
}

const listed = (loopback: boolean, ...addresses: readonly string[]) => ({ kind: 'listed', addresses, loopback });
const all = (loopback: boolean) => ({ kind: 'all', loopback });

describe('nodePortAddresses of a node with both families (spec K-70…K-76)', () => {
  test.each<[string, object, object]>([
    ['', all(true), all(false)],
    ['all', all(true), all(false)],
    ['primary', listed(false, '192.0.2.1'), listed(false, '2001:db8::1')],
    ['localhost', listed(true), listed(true)],
    ['primary,localhost', listed(true, '192.0.2.1'), listed(true, '2001:db8::1')],
    ['localhost,primary,localhost,primary', listed(true, '192.0.2.1'), listed(true, '2001:db8::1')],
    ['all,localhost', all(true), all(true)],
    ['all,primary,10.0.0.0/8', all(true), all(false)],
    ['0.0.0.0/0,localhost', all(true), listed(true)],
    // The node's own address is first, without duplicates.
    ['10.0.0.0/8,primary', listed(false, '192.0.2.1', '10.0.0.1', '10.0.0.2'), listed(false, '2001:db8::1')],
    ['192.0.2.0/24,primary,192.0.2.1/32', listed(false, '192.0.2.1'), listed(false, '2001:db8::1')],
    // Only networks: the family without one is served on all addresses.
    ['10.0.0.2/32', listed(false, '10.0.0.2'), all(false)],
    ['10.0.0.2/32,::1/128', listed(false, '10.0.0.2'), listed(true)],
    ['127.0.0.1/32', listed(true), all(false)],
    ['127.0.0.1/8,fd00::/8', listed(true), listed(false, 'fd00::1')],
    ['64.0.0.0/2', listed(true), all(false)],
    ['::/1', all(true), listed(false, '2001:db8::1')],
  ])('%j: IPv4 %j, IPv6 %j', (entries, ipv4, ipv6) => {
    expect(resolve(entries, 'IPv4')).toEqual(ipv4);
    expect(resolve(entries, 'IPv6')).toEqual(ipv6);
  });

  test.each<[string, boolean]>([
    ['', false],
    ['all', false],
    ['0.0.0.0/0', false],
    ['64.0.0.0/2', false],
    ['primary', false],
    ['primary,localhost', true],
    ['all,localhost', true],
    ['0.0.0.0/0,127.0.0.1/32', true],
  ])('%j with listed loopback addresses only: 127.0.0.0/8 is served: %s', (entries, loopback) => {
    expect(resolve(entries, 'IPv4', 'listed').loopback).toBe(loopback);
  });

  test.each(['', 'all', 'localhost', 'primary,localhost', '127.0.0.0/8'])(
    '%j serves no loopback if forbidden',
    (entries) => {
      expect(resolve(entries, 'IPv4', false).loopback).toBe(false);
      expect(resolve(entries, 'IPv6', false).loopback).toBe(false);
    },
  );

  test.each<[string, object, object]>([
    // As in kube-proxy: a selection without any address of a family selects the whole family.
    ['primary', all(true), all(false)],
    ['primary,10.0.0.0/8', listed(false, '10.0.0.1', '10.0.0.2'), all(false)],
    ['primary,localhost', listed(true), listed(true)],
    ['primary,all', all(true), all(false)],
  ])('%j on a node without an address: IPv4 %j, IPv6 %j', (entries, ipv4, ipv6) => {
    expect(resolve(entries, 'IPv4', true, [])).toEqual(ipv4);
    expect(resolve(entries, 'IPv6', 'listed', [])).toEqual(ipv6);
    expect(resolve(entries, 'IPv6', 'listed', ['127.0.0.1', '::1'])).toEqual(ipv6);
  });

  test('the addresses of the host are needed for networks only, and not for those of another family', () => {
    const needs = (entries: string) =>
      (['IPv4', 'IPv6'] as const).map((family) =>
        dependsOnLocalAddresses(selectNodePortAddresses(entries.split(',')), family),
      );
    expect(needs('primary,localhost')).toEqual([false, false]);
    expect(needs('all')).toEqual([false, false]);
    expect(needs('10.0.0.0/8,localhost')).toEqual([true, false]);
    expect(needs('10.0.0.0/8,0.0.0.0/0')).toEqual([false, false]);
    expect(needs('primary,fd00::/8')).toEqual([false, true]);
  });

  test('reports list addresses, all of them, or none, and the loopback network', () => {
    const report = (entries: string, family: IPFamily) => listNodePortAddresses(resolve(entries, family), family);
    expect(report('primary,localhost', 'IPv4')).toEqual(['192.0.2.1', '127.0.0.0/8']);
    expect(report('localhost', 'IPv6')).toEqual(['::1/128']);
    expect(report('all', 'IPv6')).toEqual(['all']);
    expect(report('172.16.0.0/12', 'IPv4')).toEqual([]);
  });

  test('servesLoopback predicts the resolved addresses of a node that has addresses', () => {
    for (const entries of [
      '',
      'all',
      'primary',
      'localhost',
      'primary,localhost',
      '10.0.0.0/8',
      '::1/128',
      '127.0.0.1/32',
    ]) {
      for (const family of ['IPv4', 'IPv6'] as const) {
        for (const localhostNodePorts of [true, 'listed', false] as const) {
          const nodePortAddresses = selectNodePortAddresses(entries === '' ? [] : entries.split(','));
          expect({ entries, is: servesLoopback({ nodePortAddresses, localhostNodePorts }, family) }).toEqual({
            entries,
            is: resolve(entries, family, localhostNodePorts).loopback,
          });
        }
      }
    }
  });
});

describe('loopback addresses that are listed and not served (spec K-76)', () => {
  const unserved = (
    entries: string,
    localhostNodePorts: LocalhostNodePorts,
    capabilities: object,
    families: readonly IPFamily[] = ['IPv4', 'IPv6'],
  ) =>
    unservedLoopback(
      { nodePortAddresses: selectNodePortAddresses(entries.split(',')), localhostNodePorts },
      families,
      capabilities,
    ).map(({ network, cause, isOnly }) => `${network} ${cause}${isOnly ? ', only' : ''}`);
  const sockets = { localhostNodePorts: true, localhostNodePortsIPv6: true };

  test('are named with the capability or the option that they need', () => {
    expect(unserved('localhost', true, {})).toEqual([
      '127.0.0.0/8 localhostNodePorts, only',
      '::1/128 localhostNodePortsIPv6, only',
    ]);
    expect(unserved('primary,localhost', true, { localhostNodePorts: true })).toEqual([
      '::1/128 localhostNodePortsIPv6',
    ]);
    expect(unserved('primary,localhost', false, sockets)).toEqual(['127.0.0.0/8 option']);
    expect(unserved('primary,localhost', true, sockets)).toEqual([]);
    expect(unserved('primary,::1/128', true, {}, ['IPv4'])).toEqual([]);
    // Not listed: all addresses happen to include it.
    expect(unserved('all', true, {})).toEqual([]);
  });

  test('are not in the options of a family', () => {
    const options = { localhostNodePorts: true as LocalhostNodePorts };
    const served = (...args: Parameters<typeof optionsOfFamily>) => optionsOfFamily(...args).localhostNodePorts;
    expect(served(options, 'IPv4', {})).toBe(false);
    expect(served(options, 'IPv6', { localhostNodePorts: true })).toBe(false);
    expect(served(options, 'IPv6', sockets)).toBe('listed');
    expect(served({ localhostNodePorts: false }, 'IPv4', sockets)).toBe(false);
  });

  test('nor are port ranges without the capability of the backend (spec PR-6)', () => {
    const options = { localhostNodePorts: true as LocalhostNodePorts };
    expect(optionsOfFamily(options, 'IPv4')).toMatchObject({ portRanges: 'none', unservedProtocols: [] });
    expect(optionsOfFamily(options, 'IPv4', { udp: false, sctp: false }).unservedProtocols).toEqual(['UDP', 'SCTP']);
    expect(optionsOfFamily(options, 'IPv4', { portRanges: true }).portRanges).toBe('same-port');
    expect(optionsOfFamily(options, 'IPv4', { portRanges: true, shiftedPortRanges: true }).portRanges).toBe('any');
  });

  test('families of which nothing is listed', () => {
    const missing = (entries: string) =>
      unselectedFamilies(selectNodePortAddresses(entries.split(',')), ['IPv4', 'IPv6']);
    expect(missing('10.0.0.0/8')).toEqual(['IPv6']);
    expect(missing('primary,10.0.0.0/8')).toEqual([]);
    expect(missing('localhost')).toEqual([]);
    expect(missing('::1/128')).toEqual(['IPv4']);
  });
});

test.each<[unknown, boolean]>([
  [{ kind: 'entries', entries: ['primary', 'localhost', 'all', 'fd00::/8'] }, true],
  [{ kind: 'entries', entries: ['Primary'] }, false],
  [{ kind: 'entries', entries: ['10.0.0.1'] }, false],
  [{ kind: 'entries', entries: 'primary' }, false],
  [{ kind: 'cidrs', cidrs: ['localhost'] }, false],
  [{ kind: 'cidrs', cidrs: [1] }, false],
  [{ kind: 'some' }, false],
  [undefined, false],
])('%j is a selection: %s', (value, expected) => {
  expect(isNodePortAddressSelection(value)).toBe(expected);
});
