import { describe, expect, test } from '@jest/globals';
import {
  type BackendModule,
  DEFAULT_PROXIER_OPTIONS,
  type IPFamily,
  silentLogger,
  systemClock,
  Tokens,
} from '@kube-proxier/core';
import {
  ClusterSketch,
  casesOf,
  everything,
  makeService,
  makeSlice,
  RecordingLogger,
  runCount,
  sketchAddresses,
  until,
} from '@kube-proxier/core/testing';
import { CommandError, type CommandRunner, createNetlinkNft, createNft, type Nft } from '@kube-proxier/linux';
import { canMakeNamespaces, withNamespace } from '@kube-proxier/linux/testing';
import fc from 'fast-check';
import { Container } from 'inversify';
import { createNftablesBackend } from './backend.js';
import { NftablesDataplane } from './dataplane.js';
import { type Layout, nftFamily, TABLE } from './plan/layout.js';
import { anySteps } from './testing/any-sketch.js';

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;

const FOREIGN = `table inet others {
  map services { type ipv4_addr : verdict; elements = { 192.0.2.1 : drop }; }
  chain kube-proxier { type nat hook prerouting priority -100; tcp dport 8080 redirect to :9090; }
}
table ip kube-proxy { chain services { counter; }; }
`;

/** Delegates to `runner`, but rejects input with this text, as an older nft does. */
function refusing(runner: CommandRunner, text: string): CommandRunner {
  return {
    run: async (request) => {
      if (request.stdin?.includes(text)) {
        const stderr = '/dev/stdin:1:1-2: Error: Could not process rule: Operation not supported';
        throw new CommandError('exit-code', request.command, 1, undefined, stderr, 'it failed');
      }
      return await runner.run(request);
    },
  };
}

/** Programs one Service with this number of endpoints in both families, waits until they are in the rules, and ends. */
async function serveBothFamilies(
  backend: BackendModule,
  runner: CommandRunner,
  count: number,
): Promise<RecordingLogger> {
  const container = new Container();
  await container.load(backend.module);
  const logger = new RecordingLogger();
  const stop = new AbortController();
  const { cluster, pod } = sketchAddresses;
  const endpointsOf = (family: IPFamily) => Array.from({ length: count }, (_, index) => pod(family, index + 1));
  const loops = (['IPv4', 'IPv6'] as const).map((family) => {
    const proxier = container.get(Tokens.ProxierFactory)({
      family,
      options: { ...DEFAULT_PROXIER_OPTIONS, nodeName: 'node1', minSyncPeriod: 0, localhostNodePorts: false },
      logger,
      clock: systemClock,
      observer: {},
      localAddresses: async () => [],
    });
    proxier.onServiceUpdate(undefined, makeService('a', { clusterIP: cluster(family, 1) }));
    proxier.onEndpointsUpdate(undefined, makeSlice('a', endpointsOf(family), { addressType: family }));
    proxier.onServicesSynced();
    proxier.onEndpointsSynced();
    return proxier.syncLoop(stop.signal);
  });
  try {
    await until(async () => {
      const ruleset = await listed(runner, 'ruleset');
      return [...endpointsOf('IPv4'), ...endpointsOf('IPv6')].every((endpoint) => ruleset.includes(endpoint));
    });
  } finally {
    stop.abort();
    await Promise.all(loops);
  }
  return logger;
}

async function listed(runner: CommandRunner, ...what: readonly string[]): Promise<string> {
  return (await runner.run({ command: 'nft', args: ['list', ...what] })).stdout;
}

/** The output of `nft -j list table`, in an order independent of history. */
async function contents(nft: Nft, family: 'ip' | 'ip6'): Promise<unknown> {
  const table = await nft.list(family, TABLE);
  const sorted = <Value>(entries: Iterable<readonly [string, Value]>) =>
    [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  if (table === undefined) {
    return undefined;
  }
  return {
    counters: [...table.counters.keys()].sort(),
    // Fingerprints of rules are listed by netlink only.
    chains: sorted(table.chains).map(([name, { base, rules }]) => [name, base, rules]),
    containers: sorted(table.containers).map(([name, { signature, elements }]) => [name, signature, sorted(elements)]),
  };
}

whereAllowed.each(
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
)('on a kernel: %s, %s', (family, layoutName) => {
  const layout = async () => layoutName;
  const nftOf = nftFamily(family);

  test('incremental changes give the same result as a fresh start, change no foreign objects, and cleanup removes all', async () => {
    await fc.assert(
      fc.asyncProperty(anySteps(family, 4), async (steps) =>
        withNamespace(async ({ runner, path }) => {
          const nft = createNetlinkNft({ namespace: path });
          await runner.run({ command: 'nft', args: ['-f', '-'], stdin: FOREIGN });
          const before = await listed(runner, 'ruleset');
          const dataplane = new NftablesDataplane({ family, nft, layout });
          const cluster = new ClusterSketch(family);
          let first = true;
          for (const step of steps) {
            for (const sketch of step.set) {
              cluster.set(sketch);
            }
            for (const name of step.remove) {
              cluster.remove(name);
            }
            const { state, changes } = cluster.next();
            const transaction = first
              ? dataplane.plan(state, everything(state), await dataplane.readBack())
              : dataplane.plan(state, changes);
            first = false;
            if (transaction !== undefined) {
              await dataplane.apply(transaction);
            }
            expect(dataplane.plan(state, everything(state), await dataplane.readBack())).toBeUndefined();
            const other = withNamespace(async (namespace) => {
              const own = createNft({ runner: namespace.runner });
              const from = new NftablesDataplane({ family, nft: own, layout });
              await from.apply(from.plan(state, everything(state), await from.readBack())!);
              return contents(own, nftOf);
            });
            expect(await contents(nft, nftOf)).toEqual(await other);
          }
          await dataplane.cleanup();
          await dataplane.cleanup();
          expect(await listed(runner, 'ruleset')).toBe(before);
          nft.close();
        }),
      ),
      { numRuns: runCount(3, 6) },
    );
  });
});

whereAllowed('the backend', () => {
  test.each([
    [undefined, /^by netlink, Linux \d/],
    ['netlink', /^by netlink, Linux \d/],
    ['nft', /^nft \d\S+$/],
  ] as const)('can be used by %s, says by what, and leaves the host as it was', async (access, detail) => {
    await withNamespace(async ({ runner }) => {
      const backend = createNftablesBackend({ runner, ...(access === undefined ? {} : { access }) });
      expect(await backend.probe()).toEqual({ usable: true, detail: expect.stringMatching(detail) });
      expect(await listed(runner, 'ruleset')).toBe('');
    });
  });

  test('uses the program if netlink cannot be used, with the reason; without both, the mode is unusable', async () => {
    await withNamespace(async ({ runner }) => {
      const elsewhere: CommandRunner = { run: (request) => runner.run(request) };
      const reason = 'programs run in a network namespace that is not known';
      expect(await createNftablesBackend({ runner: elsewhere }).probe()).toEqual({
        usable: true,
        detail: expect.stringMatching(`^nft \\S+, as netlink does not work: ${reason}$`),
      });
      expect(await createNftablesBackend({ runner: elsewhere, access: 'netlink' }).probe()).toEqual({
        usable: false,
        reason: expect.stringContaining(reason),
      });
      const nowhere: CommandRunner = {
        networkNamespace: '/run/netns/no-such',
        run: (request) => runner.run({ ...request, command: 'no-such-nft' }),
      };
      expect(await createNftablesBackend({ runner: nowhere }).probe()).toMatchObject({ usable: false });
      const backend = createNftablesBackend({ runner: { ...nowhere, networkNamespace: runner.networkNamespace } });
      expect(await backend.probe()).toMatchObject({ usable: true, detail: expect.stringMatching(/^by netlink/) });
    });
  });

  test('where nft rejects endpoint maps, each Service has chains, and the reason is logged', async () => {
    await withNamespace(async ({ runner }) => {
      const older = refusing(runner, ' map @endpoints-');
      const backend = createNftablesBackend({ runner: older, access: 'nft' });
      expect(await backend.probe()).toEqual({
        usable: true,
        detail: expect.stringMatching(/^nft \S+, a chain per Service: .*Operation not supported/),
      });
      const logger = await serveBothFamilies(backend, runner, 1);
      expect(logger.warnings).toEqual([expect.stringMatching(/^Using a chain per Service: .*Operation not supported/)]);
    });
  });

  test('an existing table implies support, without a trial; after a refusal, everything is tried', async () => {
    await withNamespace(async ({ runner }) => {
      await serveBothFamilies(createNftablesBackend({ runner }), runner, 1);
      const requests: string[] = [];
      const older = refusing(runner, ' map @endpoints-');
      const recorded: CommandRunner = {
        run: (request) => {
          requests.push(request.command);
          return older.run(request);
        },
      };
      const backend = createNftablesBackend({ runner: recorded, access: 'nft' });
      expect(await backend.probe()).toEqual({ usable: true, detail: expect.stringMatching(/^nft \S+$/) });
      // Trials run in a new namespace.
      expect(requests).not.toContain('unshare');
      const logger = await serveBothFamilies(backend, runner, 2);
      expect(requests).toContain('unshare');
      expect(await listed(runner, 'ruleset')).toContain(`dnat to ${sketchAddresses.pod('IPv4', 2)}:80`);
      expect(logger.warnings).toEqual([expect.stringMatching(/^Using a chain per Service: .*Operation not supported/)]);
      expect(logger.errors).toEqual([]);
      expect(await backend.diagnose?.()).toContainEqual(
        expect.objectContaining({ check: 'nftables layout', status: 'warning' }),
      );
    });
  });

  test('doctor runs trials despite an existing table', async () => {
    await withNamespace(async ({ runner }) => {
      await serveBothFamilies(createNftablesBackend({ runner }), runner, 1);
      const older = refusing(runner, ' map @endpoints-');
      expect(await createNftablesBackend({ runner: older, access: 'nft' }).diagnose?.()).toContainEqual(
        expect.objectContaining({ check: 'nftables layout', status: 'warning' }),
      );
    });
  });

  test('where nft rejects the rules that count for each endpoint, the rest is used, and probe and doctor report why', async () => {
    await withNamespace(async ({ runner }) => {
      const older = refusing(runner, 'ct original ');
      const backend = createNftablesBackend({ runner: older, access: 'nft' });
      expect(await backend.probe()).toEqual({
        usable: true,
        detail: expect.stringMatching(/^nft \S+, nothing can be counted for each endpoint: .*Operation not supported/),
      });
      const found = (await backend.diagnose?.()) ?? [];
      expect(found.map(({ check, status }) => [check, status])).toEqual([
        ['nftables access', 'ok'],
        ['nftables layout', 'ok'],
        ['nftables counters of endpoints', 'warning'],
      ]);
      const container = new Container();
      await container.load(backend.module);
      const logger = new RecordingLogger();
      const stop = new AbortController();
      const proxier = container.get(Tokens.ProxierFactory)({
        family: 'IPv4',
        options: {
          ...DEFAULT_PROXIER_OPTIONS,
          ...{ nodeName: 'node1', minSyncPeriod: 0, localhostNodePorts: false },
          ...{ countConnections: true, countTraffic: true },
        },
        ...{ logger, clock: systemClock, observer: {}, localAddresses: async () => [] },
      });
      proxier.onServiceUpdate(undefined, makeService('a', { clusterIP: sketchAddresses.cluster('IPv4', 1) }));
      proxier.onEndpointsUpdate(undefined, makeSlice('a', [sketchAddresses.pod('IPv4', 1)]));
      proxier.onServicesSynced();
      proxier.onEndpointsSynced();
      const loop = proxier.syncLoop(stop.signal);
      await until(async () => (await listed(runner, 'ruleset')).includes('counter service/'));
      stop.abort();
      await loop;
      expect(await listed(runner, 'ruleset')).not.toMatch(/traffic|endpoint-counters|counter endpoint/);
      expect(logger.warnings).toEqual([
        expect.stringMatching(/^Only connections to Services are counted, .*: this host refuses/),
      ]);
    });
  });

  test('needs no program for serving, detecting foreign changes and cleanup', async () => {
    await withNamespace(async ({ runner, path }) => {
      const none: CommandRunner = {
        networkNamespace: path,
        run: ({ command }) =>
          Promise.reject(new CommandError('not-found', command, undefined, undefined, '', `${command} was not found`)),
      };
      const container = new Container();
      await container.load(createNftablesBackend({ runner: none }).module);
      const logger = new RecordingLogger();
      const stop = new AbortController();
      const proxier = container.get(Tokens.ProxierFactory)({
        family: 'IPv4',
        options: { ...DEFAULT_PROXIER_OPTIONS, nodeName: 'node1', minSyncPeriod: 0, localhostNodePorts: false },
        ...{ logger, clock: systemClock, observer: {}, localAddresses: async () => [] },
      });
      proxier.onServiceUpdate(undefined, makeService('a', { clusterIP: sketchAddresses.cluster('IPv4', 1) }));
      proxier.onEndpointsUpdate(undefined, makeSlice('a', [sketchAddresses.pod('IPv4', 1)]));
      proxier.onServicesSynced();
      proxier.onEndpointsSynced();
      const loop = proxier.syncLoop(stop.signal);
      const isServed = async () => (await listed(runner, 'ruleset')).includes(sketchAddresses.pod('IPv4', 1));
      await until(isServed);
      await runner.run({ command: 'nft', args: ['flush', 'ruleset'] });
      await until(isServed);
      await until(() => logger.warnings.some((line) => line.startsWith('Drift repaired')));
      expect(logger.warnings[0]).toMatch(/^Drift detected: table ip kube-proxier changed by nft \(process \d+\)/);
      stop.abort();
      await loop;
      await container.get(Tokens.Cleanup)(silentLogger, {});
      expect(await listed(runner, 'ruleset')).toBe('');
    });
  });

  test('gives the reason why it cannot be used, in one sentence', async () => {
    const missing: CommandRunner = {
      run: async () => {
        throw new Error('nft was not found.');
      },
    };
    expect(await createNftablesBackend({ runner: missing }).probe()).toEqual({
      usable: false,
      reason: 'nft was not found',
    });
  });

  test('cleanup removes both families, and is idempotent', async () => {
    await withNamespace(async ({ runner }) => {
      await runner.run({ command: 'nft', args: ['-f', '-'], stdin: FOREIGN });
      const before = await listed(runner, 'ruleset');
      for (const family of ['IPv4', 'IPv6'] as const) {
        const dataplane = new NftablesDataplane({ family, nft: createNft({ runner }) });
        const { state } = new ClusterSketch(family).next();
        await dataplane.apply(dataplane.plan(state, everything(state), await dataplane.readBack())!);
      }
      expect(await listed(runner, 'ruleset')).not.toBe(before);
      const container = new Container();
      await container.load(createNftablesBackend({ runner }).module);
      const cleanup = container.get(Tokens.Cleanup);
      const names = ['ip kube-proxier', 'ip6 kube-proxier'];
      expect(await container.get(Tokens.Leftovers)('backend', silentLogger, {})).toEqual([{ kind: 'table', names }]);
      expect(await cleanup(silentLogger, {})).toEqual({ removed: [{ kind: 'table', names }] });
      expect(await cleanup(silentLogger, {})).toEqual({ removed: [] });
      expect(await container.get(Tokens.Leftovers)('backend', silentLogger, {})).toEqual([]);
      expect(await listed(runner, 'ruleset')).toBe(before);
    });
  });
});

whereAllowed.each(['IPv4', 'IPv6'] as const)('foreign changes of the table: %s', (family) => {
  test('are repaired as soon as they are detected, and the process is named', async () => {
    await withNamespace(async ({ runner }) => {
      const logger = new RecordingLogger();
      const repairs: string[] = [];
      const container = new Container();
      await container.load(createNftablesBackend({ runner }).module);
      const proxier = container.get(Tokens.ProxierFactory)({
        family,
        options: { ...DEFAULT_PROXIER_OPTIONS, nodeName: 'node1', minSyncPeriod: 0, localhostNodePorts: false },
        logger,
        clock: systemClock,
        observer: { repaired: ({ what }) => void repairs.push(what) },
        localAddresses: async () => [],
      });
      const clusterIP = sketchAddresses.cluster(family, 1);
      proxier.onServiceUpdate(undefined, makeService('a', { clusterIP }));
      proxier.onEndpointsUpdate(undefined, makeSlice('a', [sketchAddresses.pod(family, 1)]));
      proxier.onServicesSynced();
      proxier.onEndpointsSynced();
      const stop = new AbortController();
      const loop = proxier.syncLoop(stop.signal);
      try {
        const whole = async () => JSON.stringify(await contents(createNft({ runner }), nftOf));
        const nftOf = nftFamily(family);
        await until(async () => (await contents(createNft({ runner }), nftOf)) !== undefined);
        const before = await whole();
        // The monitor runs once it reports foreign changes of the table.
        const edit = `add element ${nftOf} ${TABLE} cluster-ips { ${sketchAddresses.cluster(family, 2)} }`;
        await until(async () => {
          await runner.run({ command: 'nft', args: [edit] });
          return logger.warnings.length > 0;
        });
        await until(async () => (await whole()) === before);
        for (const command of [
          'flush ruleset',
          `delete table ${nftOf} ${TABLE}`,
          `delete element ${nftOf} ${TABLE} services { ${clusterIP} . tcp . 80 }`,
          `flush chain ${nftOf} ${TABLE} nat-postrouting`,
        ]) {
          await runner.run({ command: 'nft', args: [command] });
          await until(async () => (await whole()) === before);
        }
        expect(logger.warnings[0]).toMatch(
          /^Drift detected: table ip6? kube-proxier changed by nft \(process \d+\); reconciling$/,
        );
        const drifts = () => logger.warnings.filter((line) => line.startsWith('Drift')).length;
        const said = drifts();
        // Changes that a CNI plugin makes for each pod in its own tables: new sets, and hostPorts by iptables.
        const tool = family === 'IPv4' ? 'iptables-nft-restore' : 'ip6tables-nft-restore';
        for (let round = 0; round < 30; round += 1) {
          const set = `add set ${nftOf} cni pods${round} { type inet_service; elements = { ${1000 + round} }; }`;
          await runner.run({ command: 'nft', args: [`add table ${nftOf} cni; ${set}`] });
          await runner.run({ command: 'nft', args: [`add element ${nftOf} cni pods${round} { ${2000 + round} }`] });
          const stdin = `*nat\n:HOSTPORTS${round} - [0:0]\n-A HOSTPORTS${round} -p tcp --dport ${4000 + round} -j RETURN\nCOMMIT\n`;
          await runner.run({ command: tool, args: ['--noflush'], stdin });
        }
        proxier.onEndpointsUpdate(
          makeSlice('a', [sketchAddresses.pod(family, 1)]),
          makeSlice('a', [sketchAddresses.pod(family, 2)]),
        );
        await until(async () => (await whole()).includes(`${sketchAddresses.pod(family, 2)} . 80`));
        expect(drifts()).toBe(said);
        expect(repairs).toContainEqual(expect.stringMatching(/by nft \(process \d+\); wrote \d+ changes?/));
      } finally {
        stop.abort();
        await loop;
      }
    });
  });
});

whereAllowed('what doctor reports', () => {
  /** A runner whose nft has this version, and otherwise works. */
  const withNft = (runner: CommandRunner, version: string): CommandRunner => ({
    ...(runner.networkNamespace === undefined ? {} : { networkNamespace: runner.networkNamespace }),
    run: async (request) => {
      const result = await runner.run(request);
      return request.args?.[0] === '--version' ? { ...result, stdout: `nftables v${version} (name)\n` } : result;
    },
  });

  test.each([
    ['1.0.2', ['warning']],
    ['1.0.6', []],
  ])(
    'an nft that misreads the table is a warning, though the agent works by netlink: %s',
    async (version, expected) => {
      await withNamespace(async ({ runner }) => {
        const found = (await createNftablesBackend({ runner: withNft(runner, version) }).diagnose?.()) ?? [];
        expect(found.find(({ check }) => check === 'nftables access')?.found).toMatch(/^by netlink/);
        const programs = found.filter(({ check }) => check === 'nftables program');
        expect(programs.map(({ status }) => status)).toEqual(expected);
        for (const program of programs) {
          expect(program).toMatchObject({
            found: expect.stringMatching(/^nft 1\.0\.2 shows some maps .*; the agent does not need it$/),
            advice: expect.stringMatching(
              /^use nft 1\.0\.6 or newer .*--nftables-program=nft does not work with this one$/,
            ),
          });
        }
      });
    },
  );

  test('a requested nft that is too old is named where it refuses the rules', async () => {
    await withNamespace(async ({ runner }) => {
      const old = withNft(refusing(runner, 'add map'), '1.0.2');
      const backend = createNftablesBackend({ runner: old, access: 'nft' });
      expect(await backend.probe()).toEqual({
        usable: false,
        reason: expect.stringMatching(/^nft 1\.0\.2 is too old; use netlink, or nft 1\.0\.6 or newer: /),
      });
      expect((await backend.diagnose?.())?.map(({ check }) => check)).not.toContain('nftables program');
    });
  });

  test('tries whether this kernel accepts the layout, and leaves no objects', async () => {
    await withNamespace(async ({ runner }) => {
      const diagnosed = await createNftablesBackend({ runner }).diagnose?.();
      expect(diagnosed).toEqual([
        expect.objectContaining({
          check: 'nftables access',
          status: 'ok',
          found: expect.stringMatching(/^by netlink/),
        }),
        expect.objectContaining({ check: 'nftables layout', status: 'ok' }),
      ]);
      expect(await listed(runner, 'ruleset')).toBe('');
      const old: CommandRunner = {
        run: (request) =>
          request.stdin === undefined
            ? runner.run(request)
            : Promise.reject(
                new CommandError('exit-code', 'nft', 1, undefined, 'Error: syntax error', 'Error: syntax error'),
              ),
      };
      expect(await createNftablesBackend({ runner: old, access: 'nft' }).diagnose?.()).toEqual([
        expect.objectContaining({ check: 'nftables access', status: 'ok' }),
        expect.objectContaining({ status: 'problem', found: expect.stringMatching(/^is refused: .*syntax error/) }),
      ]);
    });
  });
});
