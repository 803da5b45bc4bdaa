import { execFileSync } from 'node:child_process';
import { release } from 'node:os';
import { expect, test } from '@jest/globals';
import { until } from '@kube-proxier/core/testing';
import { encodeNftTransaction } from './netlink/encode-transaction.js';
import { NftSocket } from './netlink/nft-socket.js';
import type { NftTableFlag } from './nft-transaction.js';

/** The kernel of the ipvs tests is Linux 6.1, and has only the family bridge of nf_tables. */
const BRIDGE = 7;
/** Offset of the family in a message, after the netlink header. */
const FAMILY_AT = 16;
const EOPNOTSUPP = 95;
const TABLE = 'test-table';

/** @returns the error numbers of the kernel. */
async function addTable(socket: NftSocket, flags: readonly NftTableFlag[]): Promise<readonly number[]> {
  const transaction = { family: 'ip', table: TABLE, commands: [{ do: 'add-table', flags }] } as const;
  const encoded = encodeNftTransaction(transaction, { typesOf: () => undefined });
  for (const { start } of encoded.messages.filter(({ command }) => command >= 0)) {
    encoded.bytes[start + FAMILY_AT] = BRIDGE;
  }
  return (await socket.send(encoded)).errors.map(({ errno }) => errno);
}

const tables = () => execFileSync('nft', ['list', 'tables'], { encoding: 'utf8' });

test('before Linux 6.9, no table has persist, and an owned one is deleted with its owner (docs/modes.md)', async () => {
  expect(release()).toMatch(/^6\.[0-8]\./);
  const socket = new NftSocket();
  try {
    expect(await addTable(socket, ['owner', 'persist'])).toEqual([EOPNOTSUPP]);
    expect(tables()).not.toContain(TABLE);
    expect(await addTable(socket, ['owner'])).toEqual([]);
    expect(tables()).toContain(TABLE);
    // Only the owner can remove it.
    expect(() => execFileSync('nft', ['delete', 'table', 'bridge', TABLE], { stdio: 'pipe' })).toThrow(/not permitted/);
  } finally {
    socket.close();
  }
  await until(() => !tables().includes(TABLE), 'the table is gone');
});
