import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { casesOf } from '@kube-proxier/core/testing';
import type { CommandRunner } from '../process/command-runner.js';
import { canMakeNamespaces, makeNamespace, type TestNamespace } from '../process/network-namespace.js';
import { FakeNft } from './fake-nft.js';
import type { Nft } from './nft.js';
import { type NftError, NftRefused } from './nft-error.js';
import type { NftFamily } from './nft-family.js';
import { createNetlinkNft } from './nft-netlink.js';
import { createNft } from './nft-program.js';
import { type NftCommand, type NftNewElement, type NftSetOrMap, nftContainerSignature } from './nft-transaction.js';
import { type NftField, type NftStatement, nftFields } from './rules/nft-expression.js';

const TABLE = 'trial';
const families: readonly NftFamily[] = ['ip', 'ip6'];
type Kind = 'fake' | 'real' | 'one process each' | 'netlink' | 'package netlink';
const subjects: readonly { readonly kind: Kind; readonly family: NftFamily }[] = [
  ...families.map((family) => ({ kind: 'fake', family }) as const),
  ...(canMakeNamespaces()
    ? casesOf<{ readonly kind: Kind; readonly family: NftFamily }>(
        [
          { kind: 'real', family: 'ip' },
          { kind: 'one process each', family: 'ip6' },
          { kind: 'netlink', family: 'ip6' },
          { kind: 'package netlink', family: 'ip' },
        ],
        [
          { kind: 'real', family: 'ip6' },
          { kind: 'one process each', family: 'ip' },
          { kind: 'netlink', family: 'ip' },
          { kind: 'package netlink', family: 'ip6' },
        ],
      )
    : []),
];

describe.each(subjects)('Nft: $kind $family', ({ kind, family }) => {
  let nft: Nft;
  let namespace: TestNamespace | undefined;

  beforeEach(() => {
    namespace = kind === 'fake' ? undefined : makeNamespace();
    nft =
      namespace === undefined
        ? new FakeNft()
        : kind === 'netlink' || kind === 'package netlink'
          ? createNetlinkNft({ namespace: namespace.path, transport: kind === 'netlink' ? 'koffi' : 'netlink' })
          : createNft({ runner: namespace.runner, persistent: kind === 'real' });
  });

  afterEach(() => {
    nft.close();
    namespace?.remove();
  });

  const { protocol, mark, priority } = nftFields;
  const address = nftFields.address(family, 'daddr');
  const source = nftFields.address(family, 'saddr');
  const port = nftFields.port('th');
  const index: NftField = { kind: 'numgen', modulus: 2 };
  const first = family === 'ip' ? '10.0.0.1' : 'fd00::1';
  const second = family === 'ip' ? '10.0.0.2' : 'fd00::2';
  const network = family === 'ip' ? '192.168.0.0/24' : '2001:db8::/64';

  const services: NftSetOrMap = { kind: 'map', key: [address, protocol, port], value: 'verdict' };
  const endpoints: NftSetOrMap = {
    kind: 'map',
    key: [address, protocol, port, index],
    value: [address, port],
  };
  const allowed: NftSetOrMap = { kind: 'set', key: [address, protocol, port, source], flags: ['interval'] };
  const affinity: NftSetOrMap = {
    kind: 'map',
    key: [source, mark],
    value: [priority],
    flags: ['dynamic', 'timeout'],
    size: 1000,
    timeout: 600,
  };
  const addresses: NftSetOrMap = { kind: 'set', key: [address] };

  const run = (...commands: readonly NftCommand[]) => nft.run({ family, table: TABLE, commands });
  const declare = (name: string, container: NftSetOrMap): NftCommand => ({ do: 'add-container', name, container });
  const add = (name: string, ...elements: readonly NftNewElement[]): NftCommand => ({
    do: 'add-elements',
    name,
    elements,
  });
  const remove = (name: string, ...keys: readonly string[]): NftCommand => ({ do: 'delete-elements', name, keys });
  const dispatch: NftStatement = { kind: 'vmap', key: [address, protocol, port], map: 'services' };
  const rule = (chain: string, statements: readonly NftStatement[], comment?: string): NftCommand => ({
    do: 'add-rule',
    chain,
    rule: { statements, ...(comment === undefined ? {} : { comment }) },
  });
  const elementsOf = async (name: string) =>
    Object.fromEntries(
      [...((await nft.list(family, TABLE))?.containers.get(name)?.elements ?? [])].map(([key, { value }]) => [
        key,
        value,
      ]),
    );
  const refusal = async (...commands: readonly NftCommand[]) => {
    const error = await run(...commands).catch((reason: unknown) => reason);
    return error instanceof NftRefused ? error.refusal : error;
  };

  test('lists what was written', async () => {
    expect(await nft.list(family, TABLE)).toBeUndefined();
    await run(
      { do: 'add-table' },
      declare('services', services),
      declare('endpoints', endpoints),
      declare('allowed', allowed),
      declare('affinity', affinity),
      declare('addresses', addresses),
      { do: 'add-chain', chain: 'base', base: { type: 'nat', hook: 'prerouting', priority: -100 } },
      { do: 'add-chain', chain: 'to/any-2' },
      rule('base', [dispatch], 'dispatch #1'),
      rule('base', [{ kind: 'accept' }]),
      add('services', [`${first} . tcp . 80`, 'goto to/any-2'], [`${second} . sctp . 53`, 'drop']),
      add(
        'endpoints',
        [`${first} . tcp . 80 . 0`, `${second} . 8080`],
        [`${first} . tcp . 80 . 16777216`, `${first} . 1`],
      ),
      add('allowed', [`${first} . tcp . 80 . ${network}`], [`${first} . tcp . 80 . ${second}`]),
      add('affinity', [`${first} . 4294967290`, 'abcd:12', 60]),
      add('addresses', [first], [second]),
    );
    const table = await nft.list(family, TABLE);
    // Netlink dumps also have fingerprints of rules.
    const chains = [...(table?.chains ?? [])].map(([name, { fingerprints, ...chain }]) => {
      expect(fingerprints === undefined || fingerprints.length === chain.rules.length).toBe(true);
      return [name, chain];
    });
    expect(chains).toEqual([
      ['base', { base: { type: 'nat', hook: 'prerouting', priority: -100 }, rules: ['dispatch #1', undefined] }],
      ['to/any-2', { base: undefined, rules: [] }],
    ]);
    for (const [name, container] of Object.entries({ services, endpoints, allowed, affinity, addresses })) {
      expect([name, table?.containers.get(name)?.signature]).toEqual([name, nftContainerSignature(container)]);
    }
    expect(await elementsOf('services')).toEqual({
      [`${first} . tcp . 80`]: 'goto to/any-2',
      [`${second} . sctp . 53`]: 'drop',
    });
    expect(await elementsOf('endpoints')).toEqual({
      [`${first} . tcp . 80 . 0`]: `${second} . 8080`,
      [`${first} . tcp . 80 . 16777216`]: `${first} . 1`,
    });
    expect(await elementsOf('allowed')).toEqual({
      [`${first} . tcp . 80 . ${network}`]: undefined,
      [`${first} . tcp . 80 . ${second}`]: undefined,
    });
    expect(await elementsOf('addresses')).toEqual({ [first]: undefined, [second]: undefined });
    expect((await nft.listElements(family, TABLE, 'map', 'affinity'))?.get(`${first} . 4294967290`)).toMatchObject({
      value: 'abcd:12',
      timeout: 60,
      expires: expect.any(Number),
    });
    expect(await nft.listElements(family, TABLE, 'map', 'no-such')).toBeUndefined();
    expect(await nft.listSets(family, TABLE)).toEqual(expect.arrayContaining(['allowed', 'addresses']));
    expect(await nft.listSets(family, TABLE)).not.toContain('affinity');
    expect(await nft.listSets(family, 'no-such')).toEqual([]);
    expect(await nft.tables(family)).toEqual([TABLE]);
    expect(await nft.version()).toMatch(/^\d+\.\d+/);
  });

  test('adding an existing object has no effect; deleting a missing object is refused', async () => {
    const again: readonly NftCommand[] = [
      { do: 'add-table' },
      declare('services', services),
      { do: 'add-chain', chain: 'one' },
      add('services', [`${first} . tcp . 80`, 'goto one']),
    ];
    await run(...again);
    await run(...again);
    expect(await elementsOf('services')).toEqual({ [`${first} . tcp . 80`]: 'goto one' });
    expect(await refusal(remove('services', `${second} . tcp . 80`))).toBe('missing');
    expect(await refusal({ do: 'flush-chain', chain: 'two' })).toBe('missing');
    expect(await refusal({ do: 'delete-chain', chain: 'two' })).toBe('missing');
    expect(await refusal({ do: 'delete-container', kind: 'set', name: 'two' })).toBe('missing');
    await run({ do: 'delete-table' });
    expect(await refusal({ do: 'delete-table' })).toBe('missing');
    expect(await refusal({ do: 'add-chain', chain: 'one' })).toBe('missing');
  });

  test('an element with a different value is refused, unless the old one is deleted first', async () => {
    await run(
      { do: 'add-table' },
      declare('endpoints', endpoints),
      add('endpoints', [`${first} . tcp . 80 . 0`, `${first} . 1`]),
    );
    const other = add('endpoints', [`${first} . tcp . 80 . 0`, `${first} . 2`]);
    expect(await refusal(other)).toBe('exists');
    await run(remove('endpoints', `${first} . tcp . 80 . 0`), other);
    expect(await elementsOf('endpoints')).toEqual({ [`${first} . tcp . 80 . 0`]: `${first} . 2` });
  });

  test('ranges of ports are one element each, listed as written; an overlap at an end of a range is refused', async () => {
    const ranges: NftSetOrMap = { ...services, flags: ['interval'] };
    const aligned = `${first} . udp . 8192-16383`;
    const odd = `${first} . tcp . 10001-20000`;
    const key = `${second} . udp . 8192-16383`;
    await run(
      { do: 'add-table' },
      declare('ranges', ranges),
      declare('allowed', allowed),
      { do: 'add-chain', chain: 'one' },
      add('ranges', [aligned, 'goto one'], [odd, 'drop'], [key, 'goto one'], [`${first} . udp . 53`, 'drop']),
      add('allowed', [`${aligned} . ${network}`], [`${odd} . ${second}`]),
    );
    const all = {
      ...{ [aligned]: 'goto one', [odd]: 'drop', [key]: 'goto one', [`${first} . udp . 53`]: 'drop' },
    };
    expect(await elementsOf('ranges')).toEqual(all);
    expect(await elementsOf('allowed')).toEqual({
      [`${aligned} . ${network}`]: undefined,
      [`${odd} . ${second}`]: undefined,
    });
    for (const overlapping of ['16383', '16383-20000', '1-8192', '9000-9001', '8192-16382']) {
      expect(await refusal(add('ranges', [`${first} . udp . ${overlapping}`, 'drop']))).toBe('exists');
    }
    // The kernel checks only the ends of a new range, so plans must not rely on it.
    await run(add('ranges', [`${second} . udp . 1-65535`, 'drop']));
    await run(remove('ranges', `${second} . udp . 1-65535`));
    await run(add('ranges', [aligned, 'goto one']), add('ranges', [`${first} . udp . 16384-20000`, 'drop']));
    // An extended range is a different element.
    await run(remove('ranges', key), add('ranges', [`${second} . udp . 8192-20000`, 'drop']));
    const { [key]: _grown, ...others } = all;
    expect(await elementsOf('ranges')).toEqual({
      ...others,
      [`${first} . udp . 16384-20000`]: 'drop',
      [`${second} . udp . 8192-20000`]: 'drop',
    });
    expect(await refusal(remove('ranges', `${first} . udp . 30000-30001`))).toBe('missing');
  });

  test('a transaction is atomic', async () => {
    await run({ do: 'add-table' }, declare('addresses', addresses), add('addresses', [first]));
    expect(await refusal(add('addresses', [second]), remove('addresses', first), remove('addresses', first))).toBe(
      'missing',
    );
    expect(await elementsOf('addresses')).toEqual({ [first]: undefined });
    await nft.check({ family, table: TABLE, commands: [remove('addresses', first)] });
    expect(await elementsOf('addresses')).toEqual({ [first]: undefined });
    await expect(nft.check({ family, table: TABLE, commands: [remove('addresses', second)] })).rejects.toThrow(
      NftRefused,
    );
  });

  test('objects in use cannot be deleted; together with the referring objects they can', async () => {
    await run(
      { do: 'add-table' },
      declare('services', services),
      { do: 'add-chain', chain: 'one' },
      { do: 'add-chain', chain: 'two' },
      { do: 'add-chain', chain: 'base' },
      rule('base', [dispatch]),
      rule('base', [{ kind: 'goto', chain: 'two' }]),
      add('services', [`${first} . tcp . 80`, 'goto one']),
    );
    expect(await refusal({ do: 'delete-chain', chain: 'one' })).toBe('busy');
    expect(await refusal({ do: 'delete-chain', chain: 'two' })).toBe('busy');
    expect(await refusal({ do: 'delete-container', kind: 'map', name: 'services' })).toBe('busy');
    await run(remove('services', `${first} . tcp . 80`), { do: 'delete-chain', chain: 'one' });
    await run(
      { do: 'flush-chain', chain: 'base' },
      { do: 'delete-chain', chain: 'two' },
      { do: 'delete-container', kind: 'map', name: 'services' },
    );
    const table = await nft.list(family, TABLE);
    expect([...(table?.chains.keys() ?? [])]).toEqual(['base']);
    expect(table?.containers.size).toBe(0);
  });

  test('rules and elements need the objects that they refer to', async () => {
    await run({ do: 'add-table' }, declare('services', services), { do: 'add-chain', chain: 'base' });
    expect(await refusal(add('services', [`${first} . tcp . 80`, 'goto nowhere']))).toBe('missing');
    expect(await refusal(rule('base', [{ kind: 'goto', chain: 'nowhere' }]))).toBe('missing');
    expect(await refusal(rule('base', [{ kind: 'member', key: [address], set: 'nothing' }, { kind: 'drop' }]))).toBe(
      'missing',
    );
    expect(await refusal(add('nothing', [first]))).toBe('missing');
  });

  test('flushing removes all elements, and a different declaration is refused', async () => {
    await run({ do: 'add-table' }, declare('addresses', addresses), add('addresses', [first]), {
      do: 'flush-container',
      kind: 'set',
      name: 'addresses',
    });
    expect(await elementsOf('addresses')).toEqual({});
    expect(await refusal(declare('addresses', { ...addresses, key: [address, port] }))).toBe('exists');
    await run({ do: 'add-chain', chain: 'base', base: { type: 'filter', hook: 'input', priority: 0 } });
    expect(
      await refusal({ do: 'add-chain', chain: 'base', base: { type: 'filter', hook: 'output', priority: 0 } }),
    ).toBe('unsupported');
  });

  test('foreign tables are not read', async () => {
    await nft.run({ family, table: 'other', commands: [{ do: 'add-table' }, declare('addresses', addresses)] });
    await run({ do: 'add-table' });
    expect((await nft.list(family, TABLE))?.containers.size).toBe(0);
    expect([...(await nft.tables(family))].sort()).toEqual(['other', TABLE]);
  });

  describe('a series of transactions', () => {
    const numbered = (index: number) =>
      family === 'ip' ? `10.9.${index >> 8}.${index & 255}` : `fd00::${index.toString(16)}`;
    const PART = 12_000;
    /** Enough elements to be sent in the background. */
    const part = (number: number) =>
      add('addresses', ...Array.from({ length: PART }, (_, index): NftNewElement => [numbered(number * PART + index)]));
    async function* all(...parts: readonly (readonly NftCommand[])[]) {
      for (const commands of parts) {
        yield { family, table: TABLE, commands };
      }
    }
    const count = async () => (await nft.listElements(family, TABLE, 'set', 'addresses'))?.size;

    test('are committed in order', async () => {
      await nft.list(family, TABLE);
      const [begin, end] = [
        [{ do: 'add-table' } as const, declare('addresses', addresses)],
        [remove('addresses', numbered(PART)), declare('services', services)],
      ];
      await nft.runAll(
        all(begin, [part(0)], [part(1)], [part(2)], end, [add('services', [`${first} . tcp . 80`, 'drop'])]),
      );
      expect(await count()).toBe(3 * PART - 1);
      expect(await elementsOf('services')).toEqual({ [`${first} . tcp . 80`]: 'drop' });
      // Later transactions are not affected.
      await run(remove('addresses', numbered(0)));
      expect(await count()).toBe(3 * PART - 2);
    });

    test('an empty series has no effect', async () => {
      await nft.runAll(all());
      expect(await nft.list(family, TABLE)).toBeUndefined();
    });

    test('none is committed after a refused one', async () => {
      const refused = [add('missing', [first])];
      const error = await nft
        .runAll(all([{ do: 'add-table' }, declare('addresses', addresses)], [part(0)], refused, [part(1)]))
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(NftRefused);
      if (kind !== 'real' && kind !== 'one process each') {
        // With the program nft, the error is about the whole series.
        expect(error).toMatchObject({ refusal: 'missing', message: expect.stringContaining('missing') });
      }
      expect([PART, undefined]).toContain(await count());
      await run({ do: 'add-table' }, declare('addresses', addresses), add('addresses', [first]));
      expect(await elementsOf('addresses')).toHaveProperty([first]);
    });

    test('an error of the generator is passed on, and the next call works', async () => {
      async function* failing() {
        yield { family, table: TABLE, commands: [{ do: 'add-table' }, declare('addresses', addresses)] } as const;
        throw new Error('cannot be made');
      }
      await expect(nft.runAll(failing())).rejects.toThrow('cannot be made');
      await run({ do: 'add-table' }, declare('addresses', addresses), add('addresses', [first]));
      expect(await elementsOf('addresses')).toEqual({ [first]: undefined });
    });
  });

  test('foreign changes in the meantime are included', async () => {
    await run({ do: 'add-table' }, declare('addresses', addresses), add('addresses', [first]));
    if (namespace !== undefined) {
      await namespace.runner.run({ command: 'nft', args: ['flush', 'ruleset'] });
    } else {
      await run({ do: 'delete-table' });
    }
    expect(await refusal(add('addresses', [second]))).toBe('missing');
    await run({ do: 'add-table' }, declare('addresses', addresses), add('addresses', [second]));
    expect(await elementsOf('addresses')).toEqual({ [second]: undefined });
  });
});

(canMakeNamespaces() ? describe : describe.skip)('an nft that stays', () => {
  const add: NftCommand = { do: 'add-table' };
  const transaction = { family: 'ip', table: TABLE, commands: [add] } as const;

  test('is one process for many transactions, and is restarted when it is killed', async () => {
    const namespace = makeNamespace();
    try {
      const nft = createNft({ runner: namespace.runner });
      const pid = await nft.run(transaction);
      expect(await nft.run(transaction)).toBe(pid);
      process.kill(pid ?? 0, 'SIGKILL');
      const results = [];
      // The first call after its end fails, unless the end was detected before.
      for (let attempt = 0; attempt < 3; attempt++) {
        results.push(await nft.run(transaction).catch((error: unknown) => (error as NftError).code));
      }
      expect(results.slice(0, 2)).not.toContain(pid);
      expect(results[2]).toEqual(expect.any(Number));
      expect(await nft.tables('ip')).toEqual([TABLE]);
    } finally {
      namespace.remove();
    }
  });

  test('is not used when nft does not support it or is not installed', async () => {
    const namespace = makeNamespace();
    try {
      const { runner } = namespace;
      const cannot: CommandRunner = {
        run: (request) => runner.run(request),
        start: (request, output) => runner.start!({ ...request, command: 'false', args: [] }, output),
      };
      await createNft({ runner: cannot }).run(transaction);
      expect(await createNft({ runner }).tables('ip')).toEqual([TABLE]);
      const missing: CommandRunner = {
        run: (request) => runner.run({ ...request, command: 'no-such-nft' }),
        start: (request, output) => runner.start!({ ...request, command: 'no-such-nft' }, output),
      };
      await expect(createNft({ runner: missing }).run(transaction)).rejects.toMatchObject({ code: 'NFT_MISSING' });
      await expect(createNft({ runner: missing }).version()).rejects.toMatchObject({ code: 'NFT_MISSING' });
    } finally {
      namespace.remove();
    }
  });
});
