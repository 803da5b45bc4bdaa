import { describe, expect, test } from '@jest/globals';
import { encodeAttributes } from '../../netlink/attributes.js';
import { parseNftRule } from '../../packet-path/nft-rule-text.js';
import { type NftField, type NftStatement, nftFields } from '../rules/nft-expression.js';
import { renderNftRule } from '../rules/render-rule.js';
import { compileNftRule } from './compile-rule.js';
import { decodeNftRule } from './decode-rule.js';

const { mark, priority, protocol } = nftFields;

/** One rule of each kind that the backend installs, in one family. */
function rulesOf(family: 'ip' | 'ip6'): readonly (readonly NftStatement[])[] {
  const saddr = nftFields.address(family, 'saddr');
  const daddr = nftFields.address(family, 'daddr');
  const tcp = nftFields.port('tcp');
  const key: readonly NftField[] = [daddr, protocol, nftFields.port('th')];
  const address = family === 'ip' ? '10.1.0.1' : 'fd00::1';
  const network = family === 'ip' ? ['10.0.0.0/8', '10.64.0.0/10'] : ['fd00::/16', 'fd00:8000::/17'];
  const slot: NftField = { kind: 'numgen', modulus: 3 };
  const hash: NftField = { kind: 'jhash', of: [saddr], modulus: 7, seed: 1, offset: 16 };
  const client = family === 'ip' ? saddr : hash;
  const direction = { kind: 'match', left: { kind: 'ct', key: 'direction' }, right: 'reply' } as const;
  return [
    ...network.map((right): readonly NftStatement[] => [{ kind: 'match', left: daddr, right }, { kind: 'drop' }]),
    [{ kind: 'match', left: saddr, operator: '!=', right: address }, { kind: 'accept' }],
    [
      { kind: 'match', left: { kind: 'meta', key: 'iifname' }, right: 'lo' },
      { kind: 'jump', chain: 'c/1' },
    ],
    [
      { kind: 'match', left: { kind: 'meta', key: 'iifname' }, right: 'cali*' },
      { kind: 'goto', chain: 'c' },
    ],
    [{ kind: 'match', left: { kind: 'ct', key: 'state' }, operator: '!=', right: 'new' }, { kind: 'accept' }],
    [{ kind: 'match', left: { kind: 'ct', key: 'status' }, right: 'dnat' }, direction, { kind: 'accept' }],
    [{ kind: 'match', left: { kind: 'ct', key: 'status' }, operator: '!=', right: 'dnat' }, { kind: 'drop' }],
    [
      { kind: 'match', left: { kind: 'fib', address: 'daddr' }, right: 'local' },
      { kind: 'vmap', key, map: 'services' },
    ],
    [
      { kind: 'match', left: { kind: 'bitwise', left: mark, operator: '&', right: 0x4000 }, right: 0x4000 },
      { kind: 'masquerade', fullyRandom: true },
    ],
    [{ kind: 'assign', to: mark, value: { kind: 'bitwise', left: mark, operator: '|', right: 0x4000 } }],
    [{ kind: 'assign', to: mark, value: { kind: 'bitwise', left: mark, operator: '^', right: 0x4000 } }],
    [{ kind: 'match', left: slot, right: 0 }, { kind: 'accept' }],
    [{ kind: 'assign', to: priority, value: 0 }],
    [{ kind: 'assign', to: priority, value: { kind: 'lookup', key: [...key, slot], map: 'numbers' } }],
    [{ kind: 'assign', to: mark, value: { kind: 'lookup', key, map: 'ids' } }],
    [{ kind: 'member', key: [...key, saddr], set: 'allowed', isNot: true }, { kind: 'drop' }],
    [{ kind: 'member', key, set: 'refused' }, { kind: 'reject' }],
    [{ kind: 'no-syn' }, { kind: 'reject', with: 'tcp-reset' }],
    [{ kind: 'one-of', left: protocol, values: ['tcp', 'udp', 'sctp'] }, { kind: 'accept' }],
    [{ kind: 'count', key, map: 'counters' }],
    [
      {
        ...{ kind: 'count', map: 'endpoints' },
        key: [nftFields.tuple('original', `${family} daddr`), protocol, nftFields.tuple('reply', 'proto-src')],
      },
    ],
    [{ kind: 'write-element', operation: 'update', set: 'clients', key: [saddr], timeoutSeconds: 60 }],
    [{ kind: 'write-element', operation: 'delete', set: 'affinity', key: [client, mark], value: priority }],
    [{ kind: 'write-element', operation: 'update', set: 'marks', key: [hash, nftFields.port('th')], value: mark }],
    [{ kind: 'dnat', family, to: { kind: 'endpoint', address, port: 8080 } }],
    [{ kind: 'dnat', family, to: { kind: 'endpoint', address, port: undefined } }],
    [{ kind: 'dnat', family, to: { kind: 'endpoint', address, port: { kind: 'lookup', key: [tcp], map: 'ports' } } }],
    [{ kind: 'dnat', family, to: { kind: 'lookup', key: [daddr, tcp, slot], map: 'endpoints' } }],
    [{ kind: 'dnat', family, to: { kind: 'lookup', key: [daddr, tcp, hash], map: 'endpoints' } }],
  ];
}

/** Numbers of fields in keys, of the sets and maps of the rules. */
function keyFields(rules: readonly (readonly NftStatement[])[]): ReadonlyMap<string, number> {
  const fields = new Map<string, number>([['__set0', 1]]);
  const note = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) {
      return;
    }
    const { key, map, set } = value as Record<string, unknown>;
    const name = map ?? set;
    if (Array.isArray(key) && typeof name === 'string') {
      fields.set(name, key.length);
    }
    Object.values(value).forEach(note);
  };
  note(rules);
  return fields;
}

/** As texts, without the implicit protocol match that nft omits. */
function comparable(statements: readonly unknown[]): unknown {
  return JSON.parse(JSON.stringify(statements), (key, value) => {
    if (Array.isArray(value)) {
      return value.filter((one) => one?.match?.left?.meta?.key !== 'l4proto' || typeof one.match.right === 'object');
    }
    return typeof value === 'number' || (key !== 'offset' && /^0x[0-9a-f]+$/.test(value))
      ? String(Number(value))
      : value;
  });
}

describe.each(['ip', 'ip6'] as const)('rules of family %s', (family) => {
  const rules = rulesOf(family);
  const fields = keyFields(rules);

  test.each(rules.map((rule) => [renderNftRule(rule), rule] as const))('%s', (text, rule) => {
    const { instructions, sets } = compileNftRule(rule, family, () => 1);
    const bytes = encodeAttributes(instructions);
    // The kernel generates the name.
    const listed = Buffer.from(bytes.toString('latin1').replace('__set%d\0', '__set0\0\0'), 'latin1');
    const decoded = decodeNftRule(listed, family, {
      keyFields: (set) => fields.get(set),
      anonymousElements: () => sets[0]?.values,
    });
    expect(comparable(decoded)).toEqual(comparable(parseNftRule(text)));
  });
});
