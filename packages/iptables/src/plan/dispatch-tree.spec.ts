import { expect, test } from '@jest/globals';
import { networkBits } from '../testing/network-bits.js';
import { placeOfAddress } from './dispatch-tree.js';

const LOW_AND_HIGH = {
  IPv4: ['10.96.1.165', '127.255.1.165', '128.0.1.165', '203.0.113.9', '0.0.0.0', '255.255.255.255'],
  IPv6: ['2001:db8::1a5', '7fff::1a5', '8000::1a5', 'fd00:10:96::1a5', '::', '::1', 'ffff::ffff'],
} as const;

const conditions = (address: string): readonly string[] => {
  const { toMiddle, toLeaf } = placeOfAddress(address);
  return [toMiddle.destination?.value ?? '', toLeaf.destination?.value ?? ''];
};

test.each(['IPv4', 'IPv6'] as const)('the conditions of a place match its address (%s)', (family) => {
  for (const address of LOW_AND_HIGH[family]) {
    for (const condition of conditions(address)) {
      const [value = '', mask = ''] = condition.split('/');
      expect([condition, networkBits(address) & networkBits(mask)]).toEqual([condition, networkBits(value)]);
    }
  }
});

test.each(['IPv4', 'IPv6'] as const)('no two places of different conditions have one chain name (%s)', (family) => {
  const conditionsOf = new Map<string, string>();
  for (const address of LOW_AND_HIGH[family]) {
    const place = placeOfAddress(address);
    const [toMiddle = '', toLeaf = ''] = conditions(address);
    for (const [chain, condition] of [
      [place.middle, toMiddle],
      [place.leaf, `${toMiddle} ${toLeaf}`],
    ] as const) {
      expect([chain, conditionsOf.get(chain) ?? condition]).toEqual([chain, condition]);
      conditionsOf.set(chain, condition);
    }
  }
});

// It compares as many bytes as are 255 at the beginning, or all of them if the next one is not 0.
test.each(['IPv4', 'IPv6'] as const)('iptables-nft 1.8.7 compares all bits of the masks (%s)', (family) => {
  const size = family === 'IPv4' ? 4 : 16;
  for (const address of LOW_AND_HIGH[family]) {
    for (const condition of conditions(address)) {
      const mask = networkBits(condition.split('/')[1] ?? '');
      const bytes = Array.from({ length: size }, (_, index) => Number((mask >> BigInt((size - 1 - index) * 8)) & 255n));
      const first = bytes.find((byte) => byte !== 255) ?? 255;
      expect([condition, first]).not.toEqual([condition, 0]);
    }
  }
});
