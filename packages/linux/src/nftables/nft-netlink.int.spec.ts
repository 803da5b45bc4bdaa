import { release } from 'node:os';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { until } from '@kube-proxier/core/testing';
import { canMakeNamespaces, makeNamespace, type TestNamespace } from '../process/network-namespace.js';
import { EndingOwners } from './ending-owners.js';
import { NftCommits } from './netlink/nft-commits.js';
import { NftSocket } from './netlink/nft-socket.js';
import type { Nft } from './nft.js';
import { createNetlinkNft } from './nft-netlink.js';
import { createNft } from './nft-program.js';
import type { NftCommand, NftNewElement } from './nft-transaction.js';
import type { NftChange } from './nft-watch.js';
import { nftFields } from './rules/nft-expression.js';

const FAMILY = 'ip';
const TABLE = 'trial';
const [major = 0, minor = 0] = release().split('.').map(Number);
const knowsPersist = major > 6 || (major === 6 && minor >= 9);

const ADDRESSES: NftCommand = {
  do: 'add-container',
  name: 'addresses',
  container: { kind: 'set', key: [nftFields.address(FAMILY, 'daddr')] },
};
const PORTS: NftCommand = {
  do: 'add-container',
  name: 'ports',
  container: { kind: 'map', key: [nftFields.address(FAMILY, 'daddr')], value: [nftFields.port('th')] },
};
const add = (...elements: readonly string[]): NftCommand => ({
  do: 'add-elements',
  name: 'addresses',
  elements: elements.map((key): NftNewElement => [key]),
});
const run = (by: Nft, ...commands: readonly NftCommand[]) => by.run({ family: FAMILY, table: TABLE, commands });
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`);

(canMakeNamespaces() ? describe : describe.skip)('nf_tables by netlink', () => {
  let namespace: TestNamespace;
  let nft: Nft;
  let program: Nft;
  const opened: Nft[] = [];

  const open = (endingOwners?: EndingOwners): Nft => {
    const instance = createNetlinkNft({
      ...{ namespace: namespace.path, watchInterval: 10 },
      ...(endingOwners === undefined ? {} : { endingOwners }),
    });
    opened.push(instance);
    return instance;
  };
  const shell = (...args: readonly string[]) => namespace.runner.run({ command: 'nft', args });
  const addresses = async () => [...((await nft.listElements(FAMILY, TABLE, 'set', 'addresses'))?.keys() ?? [])];

  beforeEach(async () => {
    namespace = makeNamespace();
    nft = open();
    program = createNft({ runner: namespace.runner });
    await run(nft, { do: 'add-table' }, ADDRESSES, PORTS);
  });

  afterEach(() => {
    for (const instance of opened.splice(0)) {
      instance.close();
    }
    program.close();
    namespace.remove();
  });

  describe('runAll', () => {
    /** Enough elements to be sent in the background, without notifications. */
    const PART = 12_000;
    /** The duration of a planning slice, during which no answer is received. */
    const plan = () => {
      for (const begin = performance.now(); performance.now() - begin < 8; );
    };

    async function* parts(count: number, before: (part: number) => Promise<unknown> = async () => {}) {
      const elements = many(count * PART);
      for (let part = 0; part < count; part++) {
        await before(part);
        plan();
        const commands = [add(...elements.slice(part * PART, part * PART + PART))];
        yield { family: FAMILY, table: TABLE, commands } as const;
      }
    }

    test('rejects the transaction after a foreign change, and writes nothing afterwards', async () => {
      await nft.list(FAMILY, TABLE);
      const flushes = async (part: number) => {
        if (part === 2) {
          await until(async () => (await addresses()).length === 2 * PART);
          await shell('flush', 'set', FAMILY, TABLE, 'addresses');
        }
      };
      await expect(nft.runAll(parts(3, flushes))).rejects.toMatchObject({ code: 'NFT_CHANGED' });
      expect(await addresses()).toEqual([]);
    });

    test('is not aborted by continuous foreign changes of other tables', async () => {
      await nft.list(FAMILY, TABLE);
      let isOver = false;
      const loop = 'for number in $(seq 150); do nft add table ip other-$number; done';
      const others = namespace.runner.run({ command: 'sh', args: ['-c', loop] }).then(() => {
        isOver = true;
      });
      let loads = 0;
      for (; !isOver; loads++) {
        await shell('flush', 'set', FAMILY, TABLE, 'addresses');
        await nft.list(FAMILY, TABLE);
        await nft.runAll(parts(12));
      }
      await others;
      expect(loads).toBeGreaterThan(0);
      expect((await nft.tables(FAMILY)).length).toBe(151);
      expect((await addresses()).length).toBe(12 * PART);
    });

    test('two instances that share their commits report no foreign changes of each other', async () => {
      const commits = new NftCommits();
      const [one, other] = (['ip', 'ip6'] as const).map((family) => {
        const instance = createNetlinkNft({ namespace: namespace.path, watchInterval: 10, commits });
        opened.push(instance);
        return { family, instance, reported: [] as NftChange[], name: `shared-${family}` };
      });
      const load = async ({ family, instance, reported, name }: NonNullable<typeof one>) => {
        const command = (...commands: readonly NftCommand[]) => ({ family, table: name, commands }) as const;
        await instance.list(family, name);
        instance.watch(family, name, (change) => reported.push(change));
        const set: NftCommand = {
          do: 'add-container',
          name: 'addresses',
          container: { kind: 'set', key: [nftFields.address(family, 'daddr')] },
        };
        async function* all() {
          yield command({ do: 'add-table' }, set);
          for (let part = 0; part < 12; part++) {
            const elements = Array.from({ length: PART }, (_, index): NftNewElement => {
              const number = part * PART + index;
              return [
                family === 'ip'
                  ? `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`
                  : `fd00::${(number >> 8).toString(16)}:${(number & 255).toString(16)}`,
              ];
            });
            plan();
            yield command({ do: 'add-elements', name: 'addresses', elements });
          }
        }
        await instance.runAll(all());
        // A possible foreign change would refuse this.
        await instance.run(command({ do: 'add-chain', chain: 'end' }));
        expect((await instance.listElements(family, name, 'set', 'addresses'))?.size).toBe(12 * PART);
        expect(reported).toEqual([]);
      };
      await Promise.all([load(one!), load(other!)]);
    });
  });

  test('100,000 elements are one transaction', async () => {
    const elements = many(100_000);
    await run(nft, add(...elements));
    expect((await nft.list(FAMILY, TABLE))?.containers.get('addresses')?.elements.size).toBe(100_000);
    await run(nft, { do: 'delete-elements', name: 'addresses', keys: elements });
    expect(await addresses()).toEqual([]);
  });

  test('the event loop runs while the kernel commits a large transaction', async () => {
    const commands = [add(...many(100_000))];
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    await nft.check({ family: FAMILY, table: TABLE, commands });
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(10);
  });

  test('a refusal names the element', async () => {
    await run(nft, { do: 'add-elements', name: 'ports', elements: [['10.0.0.2', '2']] });
    const elements = many(5000).map((key): NftNewElement => [key, '1']);
    await expect(run(nft, { do: 'add-elements', name: 'ports', elements })).rejects.toMatchObject({
      code: 'NFT_REFUSED',
      refusal: 'exists',
      message: expect.stringMatching(
        /^the kernel refused "add element ip trial ports \{ 10\.0\.0\.2 : 1 \}": EEXIST, file already exists/,
      ),
    });
    await expect(run(nft, { do: 'flush-chain', chain: 'no-such' })).rejects.toMatchObject({
      refusal: 'missing',
      message: expect.stringMatching(/^the kernel refused "flush chain ip trial no-such": ENOENT.*because of chain/),
    });
    await expect(run(nft, add('10.0.0'))).rejects.toMatchObject({ code: 'NFT_REFUSED', refusal: 'other' });
    expect((await nft.listElements(FAMILY, TABLE, 'map', 'ports'))?.size).toBe(1);
  });

  test('the protocol of the IPv4 header is listed as nft lists it, in keys and in rules', async () => {
    const key = [nftFields.protocolOfIPv4, { kind: 'numgen', modulus: 2 }] as const;
    const isUDP = { kind: 'match', left: nftFields.protocolOfIPv4, right: 'udp' } as const;
    const commands: readonly NftCommand[] = [
      { do: 'add-container', name: 'protocols', container: { kind: 'set', key } },
      { do: 'add-elements', name: 'protocols', elements: [['sctp . 1']] },
      { do: 'add-chain', chain: 'protocol' },
      { do: 'add-rule', chain: 'protocol', rule: { statements: [isUDP, { kind: 'member', key, set: 'protocols' }] } },
    ];
    await run(nft, ...commands);
    const { stdout: written } = await shell('list', 'table', FAMILY, TABLE);
    expect(written).toContain('typeof ip protocol . numgen random mod 2');
    expect(written).toContain('ip protocol udp ip protocol . numgen random mod 2 @protocols');
    await run(nft, { do: 'delete-table' }, { do: 'add-table' }, ADDRESSES, PORTS);
    await run(program, ...commands);
    expect((await shell('list', 'table', FAMILY, TABLE)).stdout).toBe(written);
  });

  test.each(['koffi', 'netlink'] as const)(
    'what is still referred to is not deleted, and the error names it and says what to do: through %s',
    async (transport) => {
      const other = createNetlinkNft({ namespace: namespace.path, transport });
      opened.push(other);
      const verdicts: NftCommand = {
        do: 'add-container',
        name: 'verdicts',
        container: { kind: 'map', key: [nftFields.address(FAMILY, 'daddr')], value: 'verdict' },
      };
      const address = nftFields.address(FAMILY, 'daddr');
      await run(
        nft,
        verdicts,
        ...['by-rule', 'by-element', 'user'].map((chain): NftCommand => ({ do: 'add-chain', chain })),
        { do: 'add-rule', chain: 'user', rule: { statements: [{ kind: 'jump', chain: 'by-rule' }] } },
        { do: 'add-rule', chain: 'user', rule: { statements: [{ kind: 'member', key: [address], set: 'addresses' }] } },
        { do: 'add-elements', name: 'verdicts', elements: [['10.0.0.1', 'goto by-element']] },
        { do: 'add-rule', chain: 'user', rule: { statements: [{ kind: 'vmap', key: [address], map: 'verdicts' }] } },
      );
      const before = JSON.stringify([...((await nft.list(FAMILY, TABLE))?.chains ?? [])]);
      const deletions = [
        [{ do: 'delete-chain', chain: 'by-rule' }, 'delete chain ip trial by-rule'],
        [{ do: 'delete-chain', chain: 'by-element' }, 'delete chain ip trial by-element'],
        [{ do: 'delete-container', kind: 'set', name: 'addresses' }, 'delete set ip trial addresses'],
        [{ do: 'delete-container', kind: 'map', name: 'verdicts' }, 'delete map ip trial verdicts'],
      ] as const;
      for (const [command, text] of deletions) {
        // The rest of the transaction is not in force either.
        await expect(run(other, { do: 'add-chain', chain: 'new' }, command)).rejects.toMatchObject({
          ...{ code: 'NFT_REFUSED', refusal: 'busy' },
          message: expect.stringMatching(
            new RegExp(`^the kernel refused "${text}": EBUSY, .*remove the rules and elements that refer to it first`),
          ),
        });
      }
      expect(JSON.stringify([...((await nft.list(FAMILY, TABLE))?.chains ?? [])])).toBe(before);
      await run(other, { do: 'flush-chain', chain: 'user' }, deletions[0][0], deletions[2][0], deletions[3][0]);
      expect([...((await nft.list(FAMILY, TABLE))?.chains.keys() ?? [])]).toEqual(['by-element', 'user']);
    },
  );

  test('a check changes nothing, including the generation of the ruleset', async () => {
    await nft.list(FAMILY, TABLE);
    const changes: NftChange[] = [];
    const watch = open().watch(FAMILY, TABLE, (change) => changes.push(change));
    const transaction = { family: FAMILY, table: TABLE } as const;
    await nft.check({ ...transaction, commands: [add('10.0.0.1')] });
    await expect(
      nft.check({ ...transaction, commands: [{ do: 'delete-chain', chain: 'no-such' }] }),
    ).rejects.toMatchObject({
      refusal: 'missing',
    });
    expect(await addresses()).toEqual([]);
    await run(nft, add('10.0.0.2'));
    await until(() => changes.length > 0);
    expect(changes).toHaveLength(1);
    watch?.stop();
  });

  test('a rule that the kernel validates late is refused by a check, too', async () => {
    const commands: readonly NftCommand[] = [
      { do: 'add-chain', chain: 'one' },
      { do: 'add-chain', chain: 'two' },
      { do: 'add-rule', chain: 'one', rule: { statements: [{ kind: 'jump', chain: 'two' }] } },
      { do: 'add-rule', chain: 'two', rule: { statements: [{ kind: 'jump', chain: 'one' }] } },
      { do: 'add-chain', chain: 'base', base: { type: 'filter', hook: 'input', priority: 0 } },
      { do: 'add-rule', chain: 'base', rule: { statements: [{ kind: 'jump', chain: 'one' }] } },
    ];
    await expect(nft.check({ family: FAMILY, table: TABLE, commands })).rejects.toMatchObject({ code: 'NFT_REFUSED' });
    await expect(run(nft, ...commands)).rejects.toMatchObject({ code: 'NFT_REFUSED' });
    expect((await nft.list(FAMILY, TABLE))?.chains.size).toBe(0);
  });

  test('reports foreign changes with their process, of other tables with their name, but no own changes', async () => {
    const changes: NftChange[] = [];
    const others: (string | undefined)[] = [];
    const watch = nft.watch(FAMILY, TABLE, (change) => {
      if (change.otherTable === undefined) {
        changes.push(change);
      } else {
        others.push(`${change.program} ${change.otherTable}`);
      }
    });
    await nft.list(FAMILY, TABLE);
    await run(nft, add('10.0.0.1'));
    await run(nft, add(...many(20_000)));
    await shell('add', 'table', FAMILY, 'other');
    await shell('add', 'table', 'ip6', TABLE);
    await shell('add', 'element', FAMILY, TABLE, 'addresses', '{ 192.0.2.1 }');
    await until(() => changes.length > 0);
    await run(open(), add('192.0.2.2'));
    await until(() => changes.length > 1);
    expect(changes).toEqual([
      { pid: expect.any(Number), program: 'nft' },
      { pid: process.pid, program: expect.any(String) },
    ]);
    expect(others).toEqual(['nft other', `nft ${TABLE}`]);
    watch?.stop();
    await watch?.ended;
  });

  test('lost notifications matter only after a foreign change', async () => {
    const small = createNetlinkNft({ namespace: namespace.path, watchInterval: 10, watchBuffer: 4096 });
    opened.push(small);
    const changes: NftChange[] = [];
    const watch = small.watch(FAMILY, TABLE, (change) => changes.push(change));
    await small.list(FAMILY, TABLE);
    // Large transactions have no notifications.
    for (const elements of [many(2000), many(20_000)]) {
      await run(small, add(...elements));
      await run(small, { do: 'delete-elements', name: 'addresses', keys: elements });
    }
    await run(small, add('192.0.2.1'));
    expect(changes).toEqual([]);
    await program.run({ family: FAMILY, table: TABLE, commands: [add(...many(20_000))] });
    await until(() => changes.length > 0);
    await expect(run(small, add('192.0.2.2'))).rejects.toMatchObject({ code: 'NFT_CHANGED' });
    expect(changes[0]).toMatchObject({ pid: undefined, uncertain: true });
    watch?.stop();
  });

  test('a foreign change just before or after a large transaction is detected', async () => {
    const changes: NftChange[] = [];
    const watch = nft.watch(FAMILY, TABLE, (change) => changes.push(change));
    await nft.list(FAMILY, TABLE);
    const elements = many(30_000);
    await shell('add', 'element', FAMILY, TABLE, 'addresses', '{ 192.0.2.1 }');
    await expect(run(nft, add(...elements))).rejects.toMatchObject({ code: 'NFT_CHANGED' });
    expect(await addresses()).toEqual(['192.0.2.1']);
    await nft.list(FAMILY, TABLE);
    const count = changes.length;
    // In either order, the foreign change refuses this transaction or the next.
    const [large] = await Promise.allSettled([run(nft, add(...elements)), run(open(), add('192.0.2.2'))]);
    await until(() => changes.length > count);
    const met = large.status === 'rejected' ? large.reason : await run(nft, add('192.0.2.3')).catch((error) => error);
    expect(met).toMatchObject({ code: 'NFT_CHANGED' });
    watch?.stop();
  });

  test('a transaction without changes does not affect the next', async () => {
    await nft.list(FAMILY, TABLE);
    for (let round = 0; round < 3; round++) {
      await run(nft, { do: 'add-table' }, ADDRESSES);
      await nft.list(FAMILY, TABLE);
      await run(nft, { do: 'add-table' });
      await run(nft, add(`10.0.0.${round}`));
      await run(nft, add(`10.0.0.${round}`));
    }
    expect(await addresses()).toHaveLength(3);
  });

  test('a transaction is rejected after a foreign change of the listed table', async () => {
    await nft.list(FAMILY, TABLE);
    await shell('add', 'element', FAMILY, TABLE, 'addresses', '{ 192.0.2.1 }');
    await expect(run(nft, add('10.0.0.1'))).rejects.toMatchObject({
      code: 'NFT_CHANGED',
      kind: 'outdated',
      message: expect.stringMatching(/^nft \(process \d+\) changed table ip trial since it was read/),
    });
    expect(await addresses()).toEqual(['192.0.2.1']);
    await nft.list(FAMILY, TABLE);
    await run(nft, add('10.0.0.1'));
    // Changes of other tables do not matter.
    await shell('add', 'table', FAMILY, 'other');
    await run(nft, add('10.0.0.2'));
    expect(await addresses()).toHaveLength(3);
  });

  test('a list is complete during foreign changes of other tables', async () => {
    await run(nft, add(...many(30_000)));
    let isDone = false;
    const second = open();
    const others = (async () => {
      for (let round = 0; !isDone; round++) {
        await second.run({ family: FAMILY, table: `other-${round % 3}`, commands: [{ do: 'add-table' }] });
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    try {
      for (let round = 0; round < 3; round++) {
        expect((await nft.list(FAMILY, TABLE))?.containers.get('addresses')?.elements.size).toBe(30_000);
        await run(nft, add(`192.0.2.${round}`));
        await run(nft, { do: 'delete-elements', name: 'addresses', keys: [`192.0.2.${round}`] });
      }
    } finally {
      isDone = true;
      await others;
    }
  });

  test('a list has all chains, and a transaction is accepted, while another program commits without a pause', async () => {
    const chains = Array.from({ length: 1000 }, (_, index): NftCommand => ({ do: 'add-chain', chain: `c${index}` }));
    const others = Array.from({ length: 1000 }, (_, index): NftCommand => ({ do: 'add-chain', chain: `c${index}` }));
    // The kernel dumps the chains of older tables first.
    await run(nft, { do: 'delete-table' });
    await nft.run({ family: FAMILY, table: 'other', commands: [{ do: 'add-table' }, ...others] });
    await run(nft, { do: 'add-table' }, ADDRESSES, ...chains);
    const generation = new NftSocket({ namespace: namespace.path });
    const program = namespace.runner.start?.({ command: 'nft', args: ['-i'] }, { stdout: () => {} });
    const first = await generation.generation();
    const pair = `delete chain ${FAMILY} other c1\nadd chain ${FAMILY} other c1\n`;
    program?.write(pair.repeat(100_000));
    await until(async () => (await generation.generation()) > first + 10);
    // As many rounds as it takes on a busy machine.
    const isEnough = async (rounds: number) => rounds >= 6 && (await generation.generation()) - first > 100;
    for (let round = 0; round < 250 && !(await isEnough(round)); round++) {
      expect((await nft.list(FAMILY, TABLE))?.chains.size).toBe(1000);
      await run(nft, add(`10.0.0.${round}`));
      expect(await addresses()).toHaveLength(round + 1);
      expect([...(await nft.tables(FAMILY))].sort()).toEqual(['other', TABLE]);
    }
    const last = await generation.generation();
    program?.stop();
    await program?.ended;
    expect(last - first).toBeGreaterThan(100);
    generation.close();
  });

  test('a set replaced by another program is written with its new type', async () => {
    await run(nft, add('10.0.0.1'));
    await shell('delete', 'set', FAMILY, TABLE, 'addresses');
    await shell('add', 'set', FAMILY, TABLE, 'addresses', '{ type inet_service; }');
    await expect(run(nft, add('10.0.0.2'))).rejects.toMatchObject({ refusal: 'other' });
    await run(nft, add('80'));
    expect(await addresses()).toEqual(['80']);
  });

  describe('a table with the flag owner', () => {
    const owned = (flags: readonly ('owner' | 'persist')[]): NftCommand => ({ do: 'add-table', flags });

    test('can be changed by its instance only, and is deleted when the instance is closed', async () => {
      await run(nft, { do: 'delete-table' }, owned(['owner']), ADDRESSES, add('10.0.0.1'));
      await expect(run(open(), add('10.0.0.2'))).rejects.toMatchObject({
        code: 'NFT_PERMISSION_DENIED',
        message: expect.stringContaining('belongs to another process'),
      });
      await expect(shell('flush', 'table', FAMILY, TABLE)).rejects.toThrow();
      await shell('flush', 'ruleset');
      await run(nft, add('10.0.0.3'));
      expect(await addresses()).toHaveLength(2);
      nft.close();
      await until(async () => (await program.tables(FAMILY)).length === 0);
    });

    test('passes from one instance to the next', async () => {
      await run(nft, { do: 'delete-table' });
      const endingOwners = new EndingOwners();
      for (let round = 0; round < 5; round++) {
        const next = open(endingOwners);
        await run(next, owned(['owner']), ADDRESSES, add('10.0.0.1'));
        next.close();
      }
    });

    (knowsPersist ? test : test.skip)('stays with persist, and is claimed by the next', async () => {
      await run(nft, { do: 'delete-table' }, owned(['owner', 'persist']), ADDRESSES, add('10.0.0.1'));
      const endingOwners = new EndingOwners();
      nft.close();
      const next = open(endingOwners);
      await until(async () => {
        try {
          await run(next, owned(['owner', 'persist']), add('10.0.0.2'));
          return true;
        } catch {
          return false;
        }
      });
      expect([...((await next.listElements(FAMILY, TABLE, 'set', 'addresses'))?.keys() ?? [])]).toHaveLength(2);
      await expect(run(open(), add('10.0.0.3'))).rejects.toMatchObject({ code: 'NFT_PERMISSION_DENIED' });
    });

    test('cannot be claimed when it exists without the flag', async () => {
      await expect(run(nft, owned(['owner']))).rejects.toMatchObject({ refusal: 'unsupported' });
    });
  });
});
