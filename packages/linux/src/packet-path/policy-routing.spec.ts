import { describe, expect, test } from '@jest/globals';
import { parsePolicyRules, usesMainTable } from './policy-routing.js';

const ORDINARY = '0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n';
/** As the AWS VPC CNI installs them, with a pod on a second interface. */
const AWS = `0:\tfrom all lookup local
512:\tfrom all to 10.244.0.5 lookup main
1024:\tfrom all fwmark 0x80/0x80 lookup main
1536:\tfrom 10.244.0.5 lookup 2
32766:\tfrom all lookup main
32767:\tfrom all lookup default
`;
/** As Cilium installs them: the table \`local\` is not the first. */
const CILIUM = `9:\tfrom all fwmark 0x200/0xf00 lookup 2004
100:\tfrom all lookup local
32766:\tfrom all lookup main
32767:\tfrom all lookup default
`;

const isMain = (text: string, source: string, destination: string, mark = 0, hasRoute = true) =>
  usesMainTable(parsePolicyRules(text), { source, destination, mark }, hasRoute);

describe('parsePolicyRules', () => {
  test.each(['', ORDINARY, '0: from all lookup 255\n32766: from all lookup 254\n'])(
    'has no rules for a host without policy routing: %j',
    (text) => {
      expect(parsePolicyRules(text)).toEqual([]);
    },
  );

  test('has all rules in order, if one selects another table', () => {
    expect(parsePolicyRules(CILIUM).map(({ table }) => table)).toEqual(['other', 'local', 'main', 'default']);
    expect(parsePolicyRules(CILIUM)[0]?.mark).toEqual({ value: 0x200, mask: 0xf00 });
  });
});

describe('usesMainTable', () => {
  test('without policy routing, for all packets', () => {
    expect(isMain(ORDINARY, '10.244.0.5', '192.168.0.3')).toBe(true);
  });

  test('by source and destination: an earlier rule for the main table decides', () => {
    expect(isMain(AWS, '10.244.0.4', '192.168.0.3')).toBe(true);
    expect(isMain(AWS, '10.244.0.5', '192.168.0.3')).toBe(false);
    expect(isMain(AWS, '10.244.0.5', '10.244.0.5')).toBe(true);
    expect(isMain(AWS, '10.244.0.5', '192.168.0.3', 0x80)).toBe(true);
  });

  test('by mark, with its mask', () => {
    expect(isMain(CILIUM, '10.244.0.4', '10.244.7.2', 0x4000)).toBe(true);
    expect(isMain(CILIUM, '10.244.0.4', '10.244.7.2', 0x4200)).toBe(false);
  });

  test('a rule after that of the main table applies to packets without a route there', () => {
    const text = `${ORDINARY}32768: from all lookup 7\n`;
    expect(isMain(text, '10.244.0.4', '203.0.113.9')).toBe(true);
    expect(isMain(text, '10.244.0.4', '203.0.113.9', 0, false)).toBe(false);
  });

  test.each([
    '10: from all iif lo lookup 7',
    '10: not from all fwmark 0xca6c lookup 51820',
    '10: from all uidrange 0-99 lookup 7',
    '10: from all unreachable',
    'Dump was interrupted',
    '10: from all lookup [l3mdev-table]',
  ])('is not known with a rule that is not modelled: %s', (line) => {
    expect(isMain(`${line}\n${ORDINARY}`, '10.244.0.4', '10.244.7.2')).toBe(false);
  });
});
