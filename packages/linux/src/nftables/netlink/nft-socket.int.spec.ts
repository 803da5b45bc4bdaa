import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import execa from 'execa';
import { loadLibc } from '../../netlink/libc.js';
import type { NetlinkError } from '../../netlink/netlink-error.js';
import { canMakeNamespaces, makeNamespace, type TestNamespace } from '../../process/network-namespace.js';
import type { NftCommand, NftNewElement } from '../nft-transaction.js';
import { nftFields } from '../rules/nft-expression.js';
import { encodeNftTransaction, setNftGeneration } from './encode-transaction.js';
import { NftSocket } from './nft-socket.js';
import { nftElementTypes } from './set-attributes.js';

const ERESTART = 85;
const CONTAINER = { kind: 'set', key: [nftFields.address('ip', 'daddr')] } as const;
const many = Array.from({ length: 5000 }, (_, index): NftNewElement => [`10.0.${index >> 8}.${index & 255}`]);
const FOUR: NftCommand = { do: 'add-rule', chain: 'c', rule: { statements: [{ kind: 'accept' }] } };

/** Commands by which a transaction can begin, in an order in which each has an effect. */
const COMMANDS: readonly NftCommand[] = [
  { do: 'add-table' },
  { do: 'add-chain', chain: 'c' },
  { do: 'add-container', name: 's', container: CONTAINER },
  { do: 'add-counter', name: 'n' },
  { do: 'add-elements', name: 's', elements: [['192.0.2.1']] },
  { do: 'add-elements', name: 's', elements: many },
  { do: 'delete-elements', name: 's', keys: ['192.0.2.1'] },
  { do: 'delete-elements', name: 's', keys: many.slice(1).map(([key]) => key) },
  FOUR,
  {
    do: 'add-rule',
    chain: 'c',
    rule: { statements: [{ kind: 'one-of', left: { kind: 'meta', key: 'l4proto' }, values: ['tcp', 'udp'] }] },
  },
  { do: 'flush-chain', chain: 'c' },
  { do: 'delete-chain', chain: 'c' },
  { do: 'delete-counter', name: 'n' },
  { do: 'delete-container', kind: 'set', name: 's' },
];

(canMakeNamespaces() ? describe : describe.skip)('a transaction on a socket', () => {
  let namespace: TestNamespace;
  let socket: NftSocket;

  beforeEach(() => {
    namespace = makeNamespace();
    socket = new NftSocket({ namespace: namespace.path });
  });

  afterEach(() => {
    socket.close();
    namespace.remove();
  });

  const send = async (...commands: readonly NftCommand[]) => {
    const encoded = encodeNftTransaction(
      { family: 'ip', table: 't', commands },
      { typesOf: () => nftElementTypes(CONTAINER) },
    );
    setNftGeneration(encoded, await socket.generation());
    return socket.send(encoded);
  };

  test('leads to a generation, whatever its first command is, and to none without an effect', async () => {
    for (const command of COMMANDS) {
      const before = await socket.generation();
      expect([command.do, await send(command)]).toEqual([command.do, { errors: [], generation: before + 1 }]);
      expect(await socket.generation()).toBe(before + 1);
    }
    expect(await send({ do: 'add-table' })).toEqual({ errors: [], generation: undefined });
  });

  test('takes three system calls when it has an effect, and further ones when it has none', async () => {
    await send(...COMMANDS.slice(0, 3));
    const libc = await loadLibc();
    const { sendInBackground, recv } = libc;
    let sent = 0;
    let received = 0;
    libc.sendInBackground = (...request) => {
      sent++;
      return sendInBackground(...request);
    };
    libc.recv = (...request) => {
      received++;
      return recv(...request);
    };
    try {
      const typesOf = () => nftElementTypes(CONTAINER);
      const elements: NftCommand = { do: 'add-elements', name: 's', elements: [['192.0.2.1'], ['192.0.2.2']] };
      const encoded = encodeNftTransaction({ family: 'ip', table: 't', commands: [elements] }, { typesOf });
      setNftGeneration(encoded, await socket.generation());
      sent = 0;
      received = 0;
      expect(await socket.send(encoded)).toMatchObject({ errors: [], generation: expect.any(Number) });
      expect([sent, received]).toEqual([1, 2]);
      const refused: NftCommand = { do: 'delete-elements', name: 's', keys: ['192.0.2.2', '192.0.2.3'] };
      expect((await send(refused, refused)).errors).toMatchObject([{ message: 2 }, { message: 3 }]);
      expect(await send({ do: 'add-table' })).toEqual({ errors: [], generation: undefined });
    } finally {
      Object.assign(libc, { sendInBackground, recv });
    }
  });

  test('does not block the event loop while the kernel processes a transaction of another program', async () => {
    const elements = Array.from(
      { length: 200_000 },
      (_, index) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
    );
    const ruleset = `table ip other { set s { type ipv4_addr; elements = { ${elements.join(', ')} }; }; }`;
    await send({ do: 'add-table' });
    const other = execa('nsenter', [`--net=${namespace.path}`, 'nft', '-f', '-'], { input: ruleset });
    let isRunning = true;
    const ended = other.finally(() => {
      isRunning = false;
    });
    let turns = 0;
    let most = 0;
    const count = setInterval(() => {
      turns++;
    }, 1);
    try {
      // One of these waits for that of the other program, and is refused then: the ruleset has changed.
      while (isRunning) {
        turns = 0;
        const { errors } = await send({ do: 'add-chain', chain: 'c' }, { do: 'delete-chain', chain: 'c' });
        expect(errors.filter(({ errno }) => errno !== ERESTART)).toEqual([]);
        most = Math.max(most, turns);
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      clearInterval(count);
      await ended;
    }
    // None, if sending blocks.
    expect(most).toBeGreaterThan(2);
  });

  test('that is in flight when its socket is closed is committed, or its outcome is not known', async () => {
    await send(...COMMANDS.slice(0, 3));
    const elements: NftCommand = { do: 'add-elements', name: 's', elements: many };
    const inFlight = send(elements).then(
      () => 'committed',
      (error: unknown) => (error as NetlinkError).code,
    );
    await socket.generation();
    socket.close();
    expect(['committed', 'NETLINK_LOST', 'NETLINK_CLOSED']).toContain(await inFlight);
  });

  test('that removes any number of rules or elements is echoed in part', async () => {
    const rules = Array.from({ length: 5000 }, () => FOUR);
    const elements: NftCommand = { do: 'add-elements', name: 's', elements: many };
    await send(...COMMANDS.slice(0, 3), ...rules, elements);
    const generation = await socket.generation();
    expect(await send({ do: 'flush-chain', chain: 'c' })).toEqual({ errors: [], generation: generation + 1 });
    expect((await send({ do: 'flush-container', kind: 'set', name: 's' })).errors).toEqual([]);
    expect((await send({ do: 'delete-table' })).errors).toEqual([]);
  });

  test('is complete before a settled generation is returned', async () => {
    expect(await socket.settledGeneration()).toBe(await socket.generation());
    const other = new NftSocket({ namespace: namespace.path });
    await send({ do: 'add-table' });
    const generation = await other.settledGeneration();
    expect(generation).toBe(await socket.generation());
    other.close();
  });

  describe('through the package netlink', () => {
    beforeEach(() => {
      socket.close();
      // The smallest buffer in use.
      socket = new NftSocket({ namespace: namespace.path, transport: 'netlink', receiveBuffer: 1 });
    });

    test('is answered as through koffi, and owns tables until the socket is closed', async () => {
      for (const command of COMMANDS.filter(({ do: what }) => !what.endsWith('-elements'))) {
        const before = await socket.generation();
        // With the rules of a chain the answer would be of any size.
        const led = command.do === 'flush-chain' ? undefined : before + 1;
        expect([command.do, await send(command)]).toEqual([command.do, { errors: [], generation: led }]);
        expect(await socket.generation()).toBe(before + 1);
      }
      await send({ do: 'delete-table' });
      await send({ do: 'add-table', flags: ['owner'] });
      const owner = socket;
      socket = new NftSocket({ namespace: namespace.path, transport: 'netlink' });
      expect((await send({ do: 'add-chain', chain: 'c' })).errors).toMatchObject([{ errno: 1 }]);
      owner.close();
      expect((await send({ do: 'add-table' })).errors).toEqual([]);
    });

    test('is validated in parts when the refusals of all messages exceed the buffer', async () => {
      const rules = Array.from({ length: 2000 }, () => FOUR);
      expect((await send(...rules)).errors.length).toBeGreaterThan(10);
      const generation = await socket.generation();
      expect(await send(...COMMANDS.slice(0, 3), ...rules)).toEqual({ errors: [], generation: generation + 1 });
      const last: NftCommand = { ...FOUR, chain: 'none-such' };
      expect((await send(...rules, last, ...rules)).errors).toMatchObject([{ message: 2001, errno: 2 }]);
      expect(await socket.generation()).toBe(generation + 1);
    });

    test('with a message whose refusal exceeds the buffer is not sent, and the next one is', async () => {
      const elements: NftCommand = { do: 'add-elements', name: 's', elements: many };
      await expect(send(...COMMANDS.slice(0, 3), elements)).rejects.toMatchObject({
        code: 'NETLINK_REFUSED',
        message: expect.stringMatching(/bytes are too many .*install the package koffi/),
      });
      expect((await send(...COMMANDS.slice(0, 3))).errors).toEqual([]);
    });

    test('that flushes a chain does not echo its rules', async () => {
      const small = socket;
      socket = new NftSocket({ namespace: namespace.path, transport: 'koffi' });
      await send(...COMMANDS.slice(0, 3), ...Array.from({ length: 5000 }, () => FOUR));
      socket.close();
      socket = small;
      expect((await send({ do: 'flush-chain', chain: 'c' })).errors).toEqual([]);
    });
  });
});
