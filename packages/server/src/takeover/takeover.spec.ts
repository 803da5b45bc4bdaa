import { describe, expect, test } from '@jest/globals';
import { type BackendModule, ProxierError, silentLogger, Tokens } from '@kube-proxier/core';
import { RecordingLogger, VirtualClock } from '@kube-proxier/core/testing';
import { NftError } from '@kube-proxier/linux';
import { ContainerModule } from 'inversify';
import { Takeover } from './takeover.js';

/** A backend whose cleanups have these results, in order. */
function backend(...outcomes: readonly (string | undefined)[]): BackendModule & { readonly asked: () => number } {
  let asked = 0;
  return {
    mode: 'ipvs',
    description: 'one that others leave',
    capabilities: {},
    probe: async () => ({ usable: true }),
    asked: () => asked,
    module: new ContainerModule(({ bind }) => {
      bind(Tokens.Cleanup).toConstantValue(async () => {
        const remaining = outcomes[asked++];
        return remaining === undefined ? { removed: [] } : { removed: [], remaining };
      });
    }),
  };
}

describe('objects in use by open connections', () => {
  const setUp = (left: ReturnType<typeof backend>) => {
    const clock = new VirtualClock();
    const logger = new RecordingLogger();
    const takeover = new Takeover({ backends: [left], inForce: 'nftables', families: ['IPv4'], logger, clock });
    return { clock, logger, takeover };
  };
  const connections = '2 virtual servers with open connections';

  test('are kept, logged once, and checked again until they are gone', async () => {
    const left = backend(connections, connections, undefined);
    const { clock, logger, takeover } = setUp(left);
    takeover.synced({ family: 'IPv4' });
    await clock.advance(0);
    expect(left.asked()).toBe(1);
    await clock.advance(600_000);
    expect(left.asked()).toBe(3);
    expect(logger.messages('info')).toEqual([expect.stringContaining(connections)]);
    await takeover.stop();
  });

  test('stay when the proxy stops', async () => {
    const left = backend(connections);
    const { clock, takeover } = setUp(left);
    takeover.synced({ family: 'IPv4' });
    await clock.advance(0);
    await takeover.stop();
    await clock.advance(600_000);
    expect(left.asked()).toBe(1);
  });
});

test.each([
  [
    'a process without permission does not report leftovers',
    new NftError('NFT_PERMISSION_DENIED', 'no right'),
    'info',
    /^Cannot check for leftovers .* no right/,
  ],
  [
    'leftovers are logged as a warning',
    new NftError('NFT_BUSY', 'no right'),
    'warn',
    /^Cannot remove all leftovers .* no right/,
  ],
] as const)('%s', async (_title, error, level, message) => {
  const logger = new RecordingLogger();
  const module = new ContainerModule(({ bind }) => {
    bind(Tokens.Cleanup).toConstantValue(async (): Promise<void> => {
      throw error;
    });
  });
  const takeover = new Takeover({
    backends: [{ ...backend(), module }],
    inForce: 'userspace',
    families: ['IPv4'],
    logger,
    clock: new VirtualClock(),
  });
  takeover.synced({ family: 'IPv4' });
  await takeover.stop();
  expect(logger.entries).toMatchObject([{ level, message: expect.stringMatching(message) }]);
});

test('a removal that failed is tried again, and logged once', async () => {
  const logger = new RecordingLogger();
  const clock = new VirtualClock();
  let tries = 0;
  const module = new ContainerModule(({ bind }) => {
    bind(Tokens.Cleanup).toConstantValue(async () => {
      tries += 1;
      if (tries < 4) {
        throw new NftError('NFT_BUSY', 'busy');
      }
    });
  });
  const takeover = new Takeover({
    ...{ backends: [{ ...backend(), module }], inForce: 'userspace', families: ['IPv4'], logger, clock },
  });
  takeover.synced({ family: 'IPv4' });
  await clock.advance(3_600_000);
  expect(tries).toBe(4);
  expect(logger.messages('warn')).toEqual([expect.stringContaining('busy')]);
  expect(logger.messages('info')).toEqual(['Leftovers of other proxy modes can be removed again']);
  await takeover.stop();
});

test('the end of a takeover is reported once, with what was removed, also when a part of it fails', async () => {
  const finished: unknown[] = [];
  const fails = new ContainerModule(({ bind }) => {
    bind(Tokens.Cleanup).toConstantValue(async () => {
      throw new ProxierError('NFT_BUSY', 'no right');
    });
  });
  const removes = new ContainerModule(({ bind }) => {
    bind(Tokens.Cleanup).toConstantValue(async () => ({ removed: [{ kind: 'table', names: ['ip acme'] }] }));
  });
  const takeover = new Takeover({
    backends: [
      { ...backend(), module: fails },
      { ...backend(), mode: 'acme', module: removes },
    ],
    inForce: 'userspace',
    families: ['IPv4'],
    logger: silentLogger,
    clock: new VirtualClock(),
    onFinished: (takeover) => finished.push(takeover),
  });
  takeover.synced({ family: 'IPv4' });
  takeover.synced({ family: 'IPv4' });
  await takeover.stop();
  expect(finished).toEqual([
    {
      inForce: 'userspace',
      removed: [{ mode: 'acme', owner: 'backend', objects: [{ kind: 'table', names: ['ip acme'] }] }],
      error: expect.objectContaining({ code: 'CLEANUP_FAILED' }),
    },
  ]);
});
