import { expect, test } from '@jest/globals';
import { fakePathHost } from './fake-path-host.js';
import { netfilterPathOf } from './read-netfilter-path.js';

test('packets through more chains than the cache holds are matched by each, also after evictions', () => {
  const numbers = Array.from({ length: 6000 }, (_, index) => index);
  const addressOf = (number: number) => `10.99.${number >> 8}.${number & 255}`;
  const saved = [
    ...['*filter', ':FORWARD ACCEPT [0:0]', ...numbers.map((number) => `:C${number} - [0:0]`)],
    ...numbers.map((number) => `-A FORWARD -d ${addressOf(number)}/32 -j C${number}`),
    ...numbers.map((number) => `-A C${number} -p tcp -m tcp --dport 80 -j ${number % 2 === 0 ? 'DROP' : 'ACCEPT'}`),
    ...['COMMIT', ''],
  ].join('\n');
  const path = netfilterPathOf(
    { saved: new Map([['nft', saved]]), tables: [], unread: [] },
    fakePathHost({ family: 'IPv4', addresses: ['192.0.2.2'] }),
  );
  const verdictTo = (destination: string) =>
    path
      .outcomesOf({
        ...{ source: '203.0.113.1', sourcePort: 40_000, destination, protocol: 'TCP' as const, port: 80 },
        entry: { kind: 'interface', name: undefined },
      })
      .map(({ verdict }) => verdict)
      .join();
  for (const round of [1, 2]) {
    const verdicts = numbers.map((number) => verdictTo(addressOf(number)));
    const expected = numbers.map((number) => (number % 2 === 0 ? 'dropped' : 'accepted'));
    expect([round, verdicts]).toEqual([round, expected]);
  }
});
