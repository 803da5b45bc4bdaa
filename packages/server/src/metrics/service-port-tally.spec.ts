import { expect, test } from '@jest/globals';
import { type IPFamily, servicePortKey } from '@kube-proxier/core';
import { ServicePortTally } from './service-port-tally.js';

/** Changes: the new number of each service port, by name. */
function changes(numbers: Readonly<Record<string, number | undefined>>) {
  return new Map(
    Object.entries(numbers).map(([name, current]) => [
      servicePortKey({ namespace: 'work', name, portName: '', protocol: 'TCP' }),
      { current },
    ]),
  );
}

test('a tally follows the changes of each IP family', () => {
  const tally = new ServicePortTally((value: number) => (value % 2 === 0 ? value * 10 : undefined));
  const values = (family: IPFamily, numbers: Parameters<typeof changes>[0], isAnew = false) => [
    ...tally.update(family, changes(numbers), isAnew).values(),
  ];
  expect(values('IPv4', { a: 2, b: 3, c: 4 }, true)).toEqual([20, 40]);
  expect(values('IPv6', { a: 8 })).toEqual([80]);
  expect(values('IPv4', { a: 3, b: 6, c: undefined })).toEqual([60]);
  expect(values('IPv4', {})).toEqual([60]);
  expect(values('IPv4', { d: 2 }, true)).toEqual([20]);
  expect(values('IPv6', {})).toEqual([80]);
});
