import { describe, expect, test } from '@jest/globals';
import { resolveNodeAddresses, withBindAddress } from './node-addresses.js';
import { resolveNodeName } from './node-name.js';

describe('resolveNodeAddresses', () => {
  // The table of spec W-28; what it fills in as loopback is left out here.
  test.each([
    ['a', [], '10.0.0.1', 'IPv4', ['10.0.0.1']],
    ['b', [], 'fd00:4321::2', 'IPv6', ['fd00:4321::2']],
    ['c', [], '0.0.0.0', 'IPv4', []],
    ['d', ['192.168.1.1'], '::', 'IPv4', ['192.168.1.1']],
    ['e', ['fd00:1234::1'], '0.0.0.0', 'IPv6', ['fd00:1234::1']],
    ['f', ['90.90.90.90', '2001:db8::2'], '::', 'IPv4', ['90.90.90.90', '2001:db8::2']],
    ['g', ['2001:db8::2', '90.90.90.90'], '0.0.0.0', 'IPv6', ['2001:db8::2', '90.90.90.90']],
    ['h', ['2001:db8::2', '90.90.90.90'], '80.80.80.80', 'IPv4', ['80.80.80.80', '2001:db8::2']],
    ['i', ['90.90.90.90', '2001:db8::2'], '2001:db8::555', 'IPv6', ['2001:db8::555', '90.90.90.90']],
    ['j', ['2001:db8::2', '90.90.90.90'], '127.0.0.1', 'IPv4', ['127.0.0.1', '2001:db8::2']],
    ['k', ['90.90.90.90', '2001:db8::2'], '::1', 'IPv6', ['::1', '90.90.90.90']],
  ])('case %s: %j bound to %s is %s, %j', (_case, known, bind, primary, addresses) => {
    expect(resolveNodeAddresses(known, bind)).toEqual({ primary, addresses });
  });

  test('rewrites a Node of any form', () => {
    const node = {
      metadata: { name: 'n1', labels: { zone: 'a' } },
      status: {
        addresses: [
          { type: 'ExternalIP', address: '192.0.2.1' },
          { type: 'Hostname', address: 'n1' },
          { type: 'InternalIP', address: '10.0.0.1' },
        ],
      },
    };
    expect(withBindAddress(node, '10.0.0.9')).toEqual({
      metadata: node.metadata,
      status: {
        addresses: [
          { type: 'InternalIP', address: '10.0.0.9' },
          { type: 'InternalIP', address: '192.0.2.1' },
        ],
      },
    });
    expect(withBindAddress({}, '10.0.0.9').status?.addresses).toHaveLength(1);
    expect(withBindAddress(JSON.parse('{"status":{"addresses":[null,5]}}'), '').status?.addresses).toEqual([]);
  });
});

describe('resolveNodeName', () => {
  test('prefers the override, trims, and lowers the case', () => {
    expect(resolveNodeName(' Node-1 ', 'host')).toBe('node-1');
    expect(resolveNodeName(undefined, 'Host.local')).toBe('host.local');
    expect(resolveNodeName('', 'host')).toBe('host');
    expect(() => resolveNodeName('  ', 'host')).toThrow(/set nodeName to the name of its Node object/);
  });
});
