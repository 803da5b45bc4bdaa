import { describe, expect, test } from '@jest/globals';
import { type BackendModule, ProxierError, type RemovedObjects, silentLogger, Tokens } from '@kube-proxier/core';
import { RecordingLogger, VirtualClock } from '@kube-proxier/core/testing';
import { NftError } from '@kube-proxier/linux';
import { ContainerModule } from 'inversify';
import type { NodeVerification } from '../verification/verify-node.js';
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

  test('are kept, logged once, and checked again until they are removed', async () => {
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

test('a failed removal is retried, and logged once', async () => {
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

describe('the rules of the mode in force', () => {
  const verified: NodeVerification = {
    ...{ apiVersion: 'kube-proxier.io/v1alpha1', kind: 'NodeVerification', mode: 'nftables', time: '', seconds: 0 },
    ...{ verdict: 'verified', families: [] },
  };
  const TABLE = { kind: 'table', names: ['ip acme'] };

  /** A takeover from a backend that lists these leftovers, and what it does, in order. */
  const takeOver = async (leftovers: (() => readonly RemovedObjects[]) | undefined) => {
    const steps: string[] = [];
    const module = new ContainerModule(({ bind }) => {
      bind(Tokens.Cleanup).toConstantValue(async () => {
        steps.push('remove');
        return { removed: [] };
      });
      if (leftovers !== undefined) {
        bind(Tokens.Leftovers).toConstantValue(async (owner) => {
          steps.push(`list those of ${owner}`);
          return owner === 'backend' ? leftovers() : [];
        });
      }
    });
    const logger = new RecordingLogger(1);
    const takeover = new Takeover({
      ...{ backends: [{ ...backend(), module }], inForce: 'nftables', families: ['IPv4'], logger },
      clock: new VirtualClock(),
      verify: async () => {
        steps.push('verify');
        return verified;
      },
      onFinished: ({ removed }) => steps.push(`finished, ${removed.length} removed`),
    });
    takeover.synced({ family: 'IPv4' });
    await takeover.stop();
    return { steps, logger };
  };

  test('are not verified where no leftovers are found', async () => {
    const { steps, logger } = await takeOver(() => []);
    expect(steps).toEqual(['list those of backend', 'list those of kube-proxy', 'finished, 0 removed']);
    expect(logger.messages('debug')).toEqual(['No leftovers of other proxy modes found']);
  });

  test.each([
    ['that are found', () => [TABLE]],
    ['of a backend that cannot list them', undefined],
    [
      'that cannot be listed now',
      () => {
        throw new NftError('NFT_BUSY', 'busy');
      },
    ],
  ])('are verified before the removal of leftovers %s', async (_which, leftovers) => {
    const { steps } = await takeOver(leftovers);
    expect(steps.filter((step) => !step.startsWith('list'))).toEqual(['verify', 'remove', 'finished, 0 removed']);
  });
});

describe('rules without which foreign rules would drop packets', () => {
  const DROP = { system: 'iptables', table: 'filter', chain: 'FORWARD', text: 'policy DROP', foreign: true } as const;
  const result = (dropped: number, classes = 10): NodeVerification => ({
    ...{ apiVersion: 'kube-proxier.io/v1alpha1', kind: 'NodeVerification', mode: 'nftables', time: '', seconds: 0 },
    verdict: dropped > 0 ? 'different' : 'verified',
    families: [
      {
        ...{
          family: 'IPv4',
          verdict: 'different',
          revision: 1,
          classes,
          different: dropped,
          unknown: 0,
          moreFindings: 0,
        },
        findings:
          dropped === 0
            ? []
            : [
                {
                  ...{ result: 'different', kind: 'dropped', family: 'IPv4', example: undefined, classes: dropped },
                  ...{ servicePorts: ['ns/web:'], expected: 'forwarded', actual: 'dropped', decidedBy: DROP },
                  message: 'Packets of ns/web are dropped',
                },
              ],
      },
    ],
  });
  const setUp = (alone: () => NodeVerification, now?: () => NodeVerification | undefined) => {
    const left = backend(undefined, undefined, undefined);
    const clock = new VirtualClock();
    const logger = new RecordingLogger();
    const takeover = new Takeover({
      ...{ backends: [left], inForce: 'nftables', families: ['IPv4'], logger, clock },
      verify: async () => alone(),
      ...(now === undefined ? {} : { verifyNow: async () => now() }),
    });
    takeover.synced({ family: 'IPv4' });
    return { left, clock, logger, takeover };
  };

  test('stay until the foreign rules accept the packets', async () => {
    let dropped = 3;
    const { left, clock, logger, takeover } = setUp(
      () => result(dropped),
      () => result(1),
    );
    await clock.advance(0);
    expect(left.asked()).toBe(0);
    expect(logger.messages('error')).toEqual([
      expect.stringContaining('packets would be lost without them: Packets of ns/web are dropped'),
    ]);
    // Packets that are dropped with the rules as well are no reason to keep them.
    dropped = 1;
    await clock.advance(10_000);
    expect(left.asked()).toBe(1);
    await takeover.stop();
  });

  test('stay when the proxy ends during the verification', async () => {
    const { left, clock, takeover } = setUp(
      () => result(3),
      () => undefined,
    );
    await clock.advance(0);
    await takeover.stop();
    expect(left.asked()).toBe(0);
  });

  test.each([
    ['what is dropped either way', () => result(3)],
    ['what cannot be read', () => result(0, 0)],
    ['a proxy that does not verify what the node does now', undefined],
  ])('do not stay because of %s', async (_what, now) => {
    const { left, clock, takeover } = setUp(() => result(3), now);
    await clock.advance(0);
    expect(left.asked()).toBe(1);
    await takeover.stop();
  });
});
