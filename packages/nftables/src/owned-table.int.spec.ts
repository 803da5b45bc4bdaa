import { release } from 'node:os';
import { describe, expect, test } from '@jest/globals';
import { DEFAULT_PROXIER_OPTIONS, type IPFamily, silentLogger, systemClock, Tokens } from '@kube-proxier/core';
import {
  ClusterSketch,
  casesOf,
  everything,
  makeService,
  makeSlice,
  RecordingLogger,
  resolveObjects,
  runCount,
} from '@kube-proxier/core/testing';
import { type CommandRunner, createNft, type NftTableFlag, type RunningCommand } from '@kube-proxier/linux';
import { canMakeNamespaces, FakeNft, withNamespace } from '@kube-proxier/linux/testing';
import fc from 'fast-check';
import { Container } from 'inversify';
import { createNftablesBackend } from './backend.js';
import { NftablesDataplane } from './dataplane.js';
import { type Layout, nftFamily, TABLE } from './plan/layout.js';
import { renderTransaction } from './plan/nftables-transaction.js';
import type { OwnedTable } from './probe.js';
import { anySteps } from './testing/any-sketch.js';

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;
const PERSISTENT = ['owner', 'persist'] as const;
/** Linux 6.9 has `persist`. */
const [major = 0, minor = 0] = release().split('.').map(Number);
const knowsPersist = major > 6 || (major === 6 && minor >= 9);

describe('the flags of the table', () => {
  const state = resolveObjects({ services: [makeService('a')], slices: [makeSlice('a', ['10.244.0.1'])] });
  const plan = async (nft: FakeNft, flags?: readonly NftTableFlag[]) => {
    const dataplane = new NftablesDataplane({
      family: 'IPv4',
      nft,
      ...(flags === undefined ? {} : { tableFlags: async () => flags }),
    });
    const transaction = dataplane.plan(state, everything(state), await dataplane.readBack());
    const text = transaction && renderTransaction(transaction);
    if (transaction !== undefined) {
      await dataplane.apply(transaction);
    }
    return text;
  };

  test('are claimed before the first write; a table with the flags is kept, one without is replaced', async () => {
    const nft = new FakeNft();
    await plan(nft, PERSISTENT);
    expect(nft.transactions[0]?.commands).toEqual([{ do: 'add-table', flags: PERSISTENT }]);
    expect(nft.dump()).toMatch(/^table ip kube-proxier owner persist\n/);
    expect(await plan(nft, PERSISTENT)).toBeUndefined();
    const changed = await plan(nft, ['owner']);
    expect(changed).toMatch(/^delete table ip kube-proxier\nadd table ip kube-proxier \{ flags owner; \}\n/);
    expect(await plan(nft, PERSISTENT)).toMatch(/\nadd table ip kube-proxier \{ flags owner, persist; \}\n/);
    // Without requested flags, the table is used as it is.
    expect(await plan(nft)).toBeUndefined();
  });
});

/** An nft that accepts `persist` without effect, or that does not support `owner` either. */
function knowing(runner: Required<CommandRunner>, known: 'persist' | 'nothing'): CommandRunner {
  const spell = (text: string) =>
    known === 'persist'
      ? text.replaceAll(' { flags owner, persist; }', '')
      : text.replaceAll('flags owner', 'flags none-such');
  return {
    run: (request) => runner.run(request),
    start: (request, output): RunningCommand => {
      const running = runner.start(request, output);
      return { ...running, write: (text) => running.write(spell(text)) };
    },
  };
}

whereAllowed('a table that is owned', () => {
  test.each(
    casesOf<readonly [family: IPFamily, layout: Layout]>(
      [
        ['IPv4', 'constant'],
        ['IPv6', 'chain-per-service'],
      ],
      [
        ['IPv4', 'chain-per-service'],
        ['IPv6', 'constant'],
      ],
    ),
  )('is read back as it was written: %s, %s', async (family, layout) => {
    await fc.assert(
      fc.asyncProperty(anySteps(family, 3), async (steps) =>
        withNamespace(async ({ runner }) => {
          const nft = createNft({ runner });
          const options = { family, nft, layout: async () => layout, tableFlags: async () => ['owner'] as const };
          const dataplane = new NftablesDataplane(options);
          const cluster = new ClusterSketch(family);
          for (const step of steps) {
            for (const sketch of step.set) {
              cluster.set(sketch);
            }
            for (const name of step.remove) {
              cluster.remove(name);
            }
            const { state } = cluster.next();
            const transaction = dataplane.plan(state, everything(state), await dataplane.readBack());
            if (transaction !== undefined) {
              await dataplane.apply(transaction);
            }
            expect(dataplane.plan(state, everything(state), await dataplane.readBack())).toBeUndefined();
          }
          await dataplane.cleanup();
          expect(await nft.tables(nftFamily(family))).toEqual([]);
        }),
      ),
      { numRuns: runCount(2, 3) },
    );
  });
});

whereAllowed('which tables are owned', () => {
  const GOES =
    /^The table, and all Services with it, is removed whenever this program ends: flags owner, persist: nft refused/;
  const NOT_OWNED =
    /^The table is not owned, so any privileged process can change it: flags owner(, persist)?: nft refused/;

  test.each(
    casesOf<readonly [OwnedTable, 'persist' | 'nothing', string, RegExp | undefined]>(
      [
        ['never', 'persist', '', undefined],
        ['persistent', 'persist', 'owner, persist', undefined],
        ['always', 'nothing', '', NOT_OWNED],
      ],
      [
        ['persistent', 'nothing', '', NOT_OWNED],
        ['always', 'persist', 'owner, persist', undefined],
      ],
    ),
  )('%s, where nft knows %s: "%s"', async (ownedTable, known, flags, warning) => {
    await withNamespace(async ({ runner }) => {
      await check(createNftablesBackend({ runner: knowing(runner, known), access: 'nft', ownedTable }), flags, warning);
      expect((await runner.run({ command: 'nft', args: ['list', 'ruleset'] })).stdout).toBe('');
    });
  });

  test('with this nft and kernel, "always" supports at least what "persistent" does', async () => {
    await withNamespace(async ({ runner }) => {
      const trial = createNft({ runner });
      const commands = [{ do: 'add-table', flags: PERSISTENT }, { do: 'delete-table' }] as const;
      const persists = await trial.run({ family: 'ip', table: TABLE, commands }).then(
        () => true,
        () => false,
      );
      trial.close();
      const flags = persists ? 'owner, persist' : 'owner';
      await check(
        createNftablesBackend({ runner, access: 'nft', ownedTable: 'always' }),
        flags,
        persists ? undefined : GOES,
      );
      const least = createNftablesBackend({ runner, access: 'nft', ownedTable: 'persistent' });
      await check(least, persists ? flags : '', persists ? undefined : NOT_OWNED);
    });
  });

  (knowsPersist ? test : test.skip).each(['persistent', 'always'] as const)(
    'by netlink, the kernel alone decides: %s',
    async (ownedTable) => {
      await withNamespace(async ({ runner }) => {
        await check(createNftablesBackend({ runner, access: 'netlink', ownedTable }), 'owner, persist', undefined);
      });
    },
  );

  async function check(
    backend: ReturnType<typeof createNftablesBackend>,
    flags: string,
    warning: RegExp | undefined,
  ): Promise<void> {
    const probed = await backend.probe();
    expect(probed).toMatchObject({ usable: true });
    expect(probed.usable ? (/the flags (.*)$/.exec(probed.detail ?? '')?.[1] ?? '') : undefined).toBe(flags);
    const [, , owned] = (await backend.diagnose?.()) ?? [];
    expect(owned?.status ?? 'nothing').toBe(warning ? 'warning' : flags === '' ? 'nothing' : 'ok');
    expect(owned?.found ?? '').toMatch(warning ? /: flags owner.*: nft refused the transaction: / : flags);
    const container = new Container();
    await container.load(backend.module);
    const logger = new RecordingLogger();
    for (const family of ['IPv4', 'IPv6'] as const) {
      const proxier = container.get(Tokens.ProxierFactory)({
        family,
        options: { ...DEFAULT_PROXIER_OPTIONS, nodeName: 'node1', minSyncPeriod: 0, localhostNodePorts: false },
        logger,
        clock: systemClock,
        observer: { synced: () => stop.abort() },
        localAddresses: async () => [],
      });
      const stop = new AbortController();
      proxier.onServicesSynced();
      proxier.onEndpointsSynced();
      await proxier.syncLoop(stop.signal);
    }
    expect(logger.warnings).toEqual(warning ? [expect.stringMatching(warning)] : []);
    await container.get(Tokens.Cleanup)(silentLogger, {});
  }
});
