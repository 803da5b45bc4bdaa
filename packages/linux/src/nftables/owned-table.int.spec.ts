import { release } from 'node:os';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { until } from '@kube-proxier/core/testing';
import { be32, cString, encodeAttributes } from '../netlink/attributes.js';
import { NETLINK_FLAGS } from '../netlink/netlink.js';
import { NetlinkError } from '../netlink/netlink-error.js';
import { NetlinkSocket } from '../netlink/netlink-socket.js';
import type { CommandRunner } from '../process/command-runner.js';
import { canMakeNamespaces, makeNamespace, type TestNamespace } from '../process/network-namespace.js';
import { EndingOwners } from './ending-owners.js';
import type { Nft } from './nft.js';
import { createNft } from './nft-program.js';
import type { NftCommand, NftTableFlag } from './nft-transaction.js';
import type { NftChange } from './nft-watch.js';
import { nftFields } from './rules/nft-expression.js';

const FAMILY = 'ip';
const TABLE = 'test-table';
const OWNER = ['owner'] as const;
const ADDRESS = nftFields.address('ip', 'daddr');
const CONTENTS: readonly NftCommand[] = [
  {
    do: 'add-container',
    name: 'addresses',
    container: { kind: 'set', key: [ADDRESS] },
  },
  {
    do: 'add-container',
    name: 'services',
    container: { kind: 'map', key: [ADDRESS], value: 'verdict' },
  },
  { do: 'add-counter', name: 'service/a/b/tcp' },
  { do: 'add-chain', chain: 'base', base: { type: 'nat', hook: 'prerouting', priority: -100 } },
  { do: 'add-chain', chain: 'from/any-2' },
  { do: 'add-chain', chain: 'empty' },
  {
    do: 'add-rule',
    chain: 'base',
    rule: { statements: [{ kind: 'vmap', key: [ADDRESS], map: 'services' }], comment: 'dispatch #1' },
  },
  {
    do: 'add-rule',
    chain: 'base',
    rule: {
      statements: [{ kind: 'one-of', left: nftFields.protocol, values: ['tcp', 'udp', 'sctp'] }, { kind: 'accept' }],
    },
  },
  { do: 'add-rule', chain: 'from/any-2', rule: { statements: [{ kind: 'drop' }], comment: 'c0ffee' } },
  { do: 'add-elements', name: 'addresses', elements: [['10.0.0.1'], ['10.0.0.2']] },
  { do: 'add-elements', name: 'services', elements: [['10.0.0.1', 'goto from/any-2']] },
];

(canMakeNamespaces() ? describe : describe.skip)('a table with the flag owner', () => {
  let namespace: TestNamespace;
  let nft: Nft;

  beforeEach(() => {
    namespace = makeNamespace();
    nft = createNft({ runner: namespace.runner });
  });

  afterEach(() => {
    nft.close();
    namespace.remove();
  });

  const run = (by: Nft, ...commands: readonly NftCommand[]) => by.run({ family: FAMILY, table: TABLE, commands });
  const addTable = (flags?: readonly NftTableFlag[]): NftCommand => ({
    do: 'add-table',
    ...(flags === undefined ? {} : { flags }),
  });
  const add = (address: string): NftCommand => ({ do: 'add-elements', name: 'addresses', elements: [[address]] });

  test('is listed like a table without the flag', async () => {
    await run(nft, addTable(OWNER), ...CONTENTS);
    const plain = createNft({ runner: namespace.runner });
    await plain.run({ family: FAMILY, table: 'plain', commands: [{ do: 'add-table' }, ...CONTENTS] });
    expect(await nft.list(FAMILY, TABLE)).toEqual(await plain.list(FAMILY, 'plain'));
    await run(nft, { do: 'delete-table' });
    expect(await nft.list(FAMILY, TABLE)).toBeUndefined();
    plain.close();
  });

  test('is changed by its creator, in small or large transactions, and by no other process', async () => {
    const other = createNft({ runner: namespace.runner });
    const pid = await run(nft, addTable(OWNER), ...CONTENTS);
    await expect(run(other, add('10.0.0.9'))).rejects.toMatchObject({
      code: 'NFT_PERMISSION_DENIED',
      message: expect.stringContaining('belongs to another process'),
    });
    await expect(run(other, { do: 'delete-table' })).rejects.toMatchObject({ code: 'NFT_PERMISSION_DENIED' });
    await namespace.runner.run({ command: 'nft', args: ['flush', 'ruleset'] });
    const elements = Array.from({ length: 5000 }, (_, index) => [`10.1.${index >> 8}.${index & 255}`] as const);
    expect(await run(nft, addTable(OWNER), { do: 'add-elements', name: 'addresses', elements })).toBe(pid);
    expect((await nft.list(FAMILY, TABLE))?.containers.get('addresses')?.elements.size).toBe(5002);
    other.close();
  });

  test('cannot be claimed when it exists without the flag, but can be recreated in one transaction', async () => {
    await run(nft, addTable(), ...CONTENTS);
    await expect(run(nft, addTable(OWNER))).rejects.toMatchObject({ refusal: 'unsupported' });
    await run(nft, { do: 'delete-table' }, addTable(OWNER), ...CONTENTS);
    const other = createNft({ runner: namespace.runner });
    await expect(run(other, add('10.0.0.9'))).rejects.toMatchObject({ code: 'NFT_PERMISSION_DENIED' });
    other.close();
  });

  test('is deleted with its owner, which is reported, and can be recreated', async () => {
    const changes: NftChange[] = [];
    const watch = nft.watch(FAMILY, TABLE, (change) => changes.push(change));
    const pid = await run(nft, addTable(OWNER), ...CONTENTS);
    process.kill(pid ?? 0, 'SIGKILL');
    await until(() => changes.some(({ ownerEnded }) => ownerEnded));
    expect(await nft.tables(FAMILY)).toEqual([]);
    const next = await run(nft, addTable(OWNER), ...CONTENTS);
    expect(next).not.toBe(pid);
    expect(await nft.tables(FAMILY)).toEqual([TABLE]);
    watch?.stop();
    nft.close();
    await until(async () => (await nft.tables(FAMILY)).length === 0);
  });

  test('the end of its owner is reported while monitoring is interrupted', async () => {
    const { runner } = namespace;
    let stopMonitor = () => {};
    const start: NonNullable<CommandRunner['start']> = (request, output) => {
      const running = (runner.start as NonNullable<CommandRunner['start']>)(request, output);
      if (request.args?.includes('monitor')) {
        stopMonitor = () => running.stop();
      }
      return running;
    };
    const owner = createNft({ runner: { run: (request) => runner.run(request), start } });
    const pid = await run(owner, addTable(OWNER), ...CONTENTS);
    const changes: NftChange[] = [];
    const watch = owner.watch(FAMILY, TABLE, (change) => changes.push(change));
    stopMonitor();
    await watch?.ended;
    process.kill(pid ?? 0, 'SIGKILL');
    await until(() => changes.some(({ ownerEnded }) => ownerEnded));
    watch?.stop();
    owner.close();
  });

  test('passes from one instance to the next when the first is closed', async () => {
    const endingOwners = new EndingOwners();
    for (let round = 0; round < 5; round++) {
      const next = createNft({ runner: namespace.runner, endingOwners });
      await run(next, addTable(OWNER), ...CONTENTS);
      next.close();
    }
  });
});

/** Linux 6.9 has `persist`; 6.12 acknowledges the end of a batch. */
const [major = 0, minor = 0] = release().split('.').map(Number);
const knowsPersist = major > 6 || (major === 6 && minor >= 12);

/**
 * The kernel's behaviour with `persist`, whether or not nft supports it: the test creates the table by a netlink
 * message.
 */
(canMakeNamespaces() && knowsPersist ? describe : describe.skip)('a table with the flags owner, persist', () => {
  const FLAGS = { owner: 2, persist: 4 } as const;
  const AF_INET = 2;
  const NFTABLES = 10;
  const [BATCH_BEGIN, BATCH_END] = [0x10, 0x11];

  const header = (family: number, resource: number) => Buffer.from([family, 0, 0, resource]);
  const batch = (type: number) => ({ type, flags: 0, payload: header(0, NFTABLES) });

  /** `add table ip test-table { flags … }` by the owner of this socket. */
  async function addTable(socket: NetlinkSocket, flags: number): Promise<'accepted' | 'refused'> {
    const payload = encodeAttributes(
      [
        { type: 1, value: cString(TABLE) },
        { type: 2, value: be32(flags) },
      ],
      header(AF_INET, 0),
    );
    const table = { type: NFTABLES << 8, flags: NETLINK_FLAGS.create, payload };
    try {
      return (await socket.execute([batch(BATCH_BEGIN), table, batch(BATCH_END)])).every((errno) => errno === 0)
        ? 'accepted'
        : 'refused';
    } catch (error) {
      // The end of a refused batch is not acknowledged. An accepted batch is complete before sending returns.
      if (error instanceof NetlinkError && error.code === 'NETLINK_LOST') {
        return 'refused';
      }
      throw error;
    }
  }

  test('is kept without an owner when its owner ends, and can be claimed by the next', async () => {
    const namespace = makeNamespace();
    const options = { namespace: `/run/netns/${namespace.name}`, timeout: 100 };
    const [first, second] = [new NetlinkSocket('netfilter', options), new NetlinkSocket('netfilter', options)];
    const edit = (chain: string) =>
      namespace.runner.run({ command: 'nft', args: ['add', 'chain', FAMILY, TABLE, chain] });
    const refused = expect.stringContaining('Operation not permitted');
    try {
      const both = FLAGS.owner | FLAGS.persist;
      expect(await addTable(first, both)).toBe('accepted');
      expect(await addTable(first, both)).toBe('accepted');
      await expect(edit('one')).rejects.toMatchObject({ stderr: refused });
      expect(await addTable(second, both)).toBe('refused');
      first.close();
      await expect(first.execute([]))
        .rejects.toMatchObject({ code: 'NETLINK_CLOSED' })
        .catch(() => undefined);
      await edit('two');
      expect(await addTable(second, both)).toBe('accepted');
      await expect(edit('three')).rejects.toMatchObject({ stderr: refused });
      const { stdout } = await namespace.runner.run({ command: 'nft', args: ['list', 'ruleset'] });
      expect(stdout).toMatch(/chain two/);
      expect(stdout).not.toMatch(/chain (one|three)/);
    } finally {
      first.close();
      second.close();
      namespace.remove();
    }
  });
});
