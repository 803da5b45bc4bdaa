import { describe, expect, test } from '@jest/globals';
import { parseAddress } from '@kube-proxier/core';
import fc from 'fast-check';
import { addressBytes, proxyProtocolHeader } from './proxy-protocol.js';

const ipv4 = fc.ipV4();
const ipv6 = fc
  .ipV6()
  .map((text) => parseAddress(text))
  .filter((parsed) => parsed?.family === 'IPv6');

/** Reads a header of version 2 as the specification lays it out. */
function read(header: Buffer) {
  const size = header[13] === 0x11 ? 4 : 16;
  return {
    signature: header.toString('latin1', 0, 12),
    command: header[12],
    length: header.readUInt16BE(14),
    source: [...header.subarray(16, 16 + size)],
    destination: [...header.subarray(16 + size, 16 + 2 * size)],
    sourcePort: header.readUInt16BE(16 + 2 * size),
    destinationPort: header.readUInt16BE(18 + 2 * size),
  };
}

describe('proxyProtocolHeader', () => {
  test('v1 is the line of the specification', () => {
    const line = (source: string, destination: string) =>
      proxyProtocolHeader('v1', { source, sourcePort: 56324, destination, destinationPort: 443 }).toString();
    expect(line('192.168.0.1', '192.168.0.11')).toBe('PROXY TCP4 192.168.0.1 192.168.0.11 56324 443\r\n');
    expect(line('fd00::1', 'fd00::2')).toBe('PROXY TCP6 fd00::1 fd00::2 56324 443\r\n');
  });

  test('v2 contains the given addresses', () => {
    const addresses = fc.oneof(
      fc.tuple(ipv4, ipv4),
      fc.tuple(ipv6, ipv6).map(([a, b]) => [a?.text ?? '', b?.text ?? ''] as const),
    );
    const port = fc.integer({ min: 0, max: 65_535 });
    fc.assert(
      fc.property(addresses, port, port, ([source, destination], sourcePort, destinationPort) => {
        const header = proxyProtocolHeader('v2', { source, sourcePort, destination, destinationPort });
        expect(read(header)).toEqual({
          signature: '\r\n\r\n\0\r\nQUIT\n',
          command: 0x21,
          length: header.length - 16,
          source: [...addressBytes(source)],
          destination: [...addressBytes(destination)],
          sourcePort,
          destinationPort,
        });
      }),
    );
  });

  test('bytes of addresses', () => {
    expect([...addressBytes('10.0.0.255')]).toEqual([10, 0, 0, 255]);
    expect(addressBytes('::').toString('hex')).toBe('0'.repeat(32));
    expect(addressBytes('::1').toString('hex')).toBe(`${'0'.repeat(31)}1`);
    expect(addressBytes('2001:db8::a:1').toString('hex')).toBe('20010db80000000000000000000a0001');
    expect(addressBytes('fd00::').toString('hex')).toBe(`fd00${'0'.repeat(28)}`);
  });
});
