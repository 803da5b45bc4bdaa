import { expect, test } from '@jest/globals';
import { type FamilyChoice, selectFamilies } from './select-families.js';

const CHOICE: FamilyChoice = {
  requested: ['IPv4', 'IPv6'],
  servedByMode: ['IPv4', 'IPv6'],
  hasIPv6: true,
  primary: 'IPv4',
  bindAddress: '',
};

test.each<[Partial<FamilyChoice>, readonly string[]]>([
  [{}, ['IPv4', 'IPv6']],
  [{ primary: 'IPv6' }, ['IPv6', 'IPv4']],
  [{ requested: ['IPv6', 'IPv4', 'IPv6'] }, ['IPv4', 'IPv6']],
  [{ hasIPv6: false }, ['IPv4']],
  [{ hasIPv6: false, primary: 'IPv6' }, ['IPv4']],
  [{ servedByMode: ['IPv6'] }, ['IPv6']],
  [{ requested: ['IPv4'], primary: 'IPv6' }, ['IPv4']],
  [{ primary: 'IPv6', bindAddress: 'fd00::1' }, ['IPv6', 'IPv4']],
])('with %j the families are %j', (choice, families) => {
  expect(selectFamilies({ ...CHOICE, ...choice })).toEqual(families);
});

test.each<[Partial<FamilyChoice>, string]>([
  [{ requested: ['IPv6'], hasIPv6: false }, 'NO_IP_FAMILY'],
  [{ requested: ['IPv6'], servedByMode: ['IPv4'] }, 'NO_IP_FAMILY'],
  [{ hasIPv6: false, primary: 'IPv6', bindAddress: 'fd00::1' }, 'PRIMARY_FAMILY_UNSUPPORTED'],
])('with %j none can be served: %s', (choice, code) => {
  expect(() => selectFamilies({ ...CHOICE, ...choice })).toThrow(expect.objectContaining({ code }));
});
