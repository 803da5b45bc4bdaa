import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { DEFAULT_PROXIER_OPTIONS, type IPFamily, silentLogger, Tokens } from '@kube-proxier/core';
import { casesOf, runCount } from '@kube-proxier/core/testing';
import {
  CommandError,
  type CommandRunner,
  createIptables,
  type Iptables,
  type IptablesVariant,
} from '@kube-proxier/linux';
import { canMakeNamespaces, FakeIptables, withNamespace } from '@kube-proxier/linux/testing';
import { syncAsKubeProxy } from '@kube-proxier/network-sandbox';
import fc from 'fast-check';
import { Container } from 'inversify';
import { createIptablesBackend } from './backend.js';
import { IptablesDataplane } from './dataplane.js';
import { anySketch, ClusterSketch, everything, type ServiceSketch, sketch } from './testing/clusters.js';
import { fakeSettings } from './testing/fake-settings.js';
import { tableContents } from './testing/table-contents.js';

const subjects = casesOf<{ readonly variant: IptablesVariant; readonly family: IPFamily }>(
  [
    { variant: 'nft', family: 'IPv4' },
    { variant: 'legacy', family: 'IPv6' },
  ],
  [
    { variant: 'legacy', family: 'IPv4' },
    { variant: 'nft', family: 'IPv6' },
  ],
);

/** Rules in chains of ours. */
async function countRules(iptables: Iptables) {
  const count = async (table: 'filter' | 'nat') => ({
    total: (await iptables.save(table)).match(/^-A KUBE-(?!FIREWALL |SERVICES-MESH )/gm)?.length ?? 0,
  });
  return { filter: await count('filter'), nat: await count('nat') };
}

/** Lines that are not ours. */
async function foreign(iptables: Iptables): Promise<readonly string[]> {
  const saved = `${await iptables.save('filter')}${await iptables.save('nat')}`;
  return saved
    .split('\n')
    .filter((line) => /^[:-]/.test(line) && (!/KUBE-/.test(line) || /KUBE-SERVICES-MESH/.test(line)))
    .map((line) => line.replace(/ \[\d+:\d+\]$/, ''));
}

const FOREIGN = `*filter
:MINE - [0:0]
-A INPUT -p tcp -m multiport --dports 22,80 -j MINE
-A MINE -m comment --comment "do not touch" -m limit --limit 5/min -j LOG --log-prefix "mine "
COMMIT
*nat
:CNI-HOSTPORT - [0:0]
-A PREROUTING -m addrtype --dst-type LOCAL -j CNI-HOSTPORT
-A CNI-HOSTPORT -p tcp -m tcp --dport 8080 -j REDIRECT --to-ports 9090
:KUBE-SERVICES-MESH - [0:0]
-A KUBE-SERVICES-MESH -j RETURN
-A POSTROUTING -o eth9 -j MASQUERADE
COMMIT
`;

const whereAllowed = canMakeNamespaces() ? describe : describe.skip;

whereAllowed.each(subjects)('on a kernel: $variant $family', ({ variant, family }) => {
  test('incremental changes give the same result as on the fake, and cleanup removes all', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anySketch(family), { minLength: 1, maxLength: 45 }), { minLength: 2, maxLength: 4 }),
        async (steps) =>
          withNamespace(async ({ runner }) => {
            const real = createIptables({ family, variant, runner });
            await real.restore(FOREIGN);
            const before = await foreign(real);
            const empty = await tableContents(real);
            const fake = new FakeIptables({ family });
            await fake.restore(FOREIGN);
            const dataplanes = [real, fake].map(
              (iptables) => new IptablesDataplane({ family, iptables: async () => iptables, sysctl: fakeSettings() }),
            );
            const cluster = new ClusterSketch(family);
            let first = true;
            for (const step of steps) {
              step.forEach((sketch, index) => {
                if (index % 4 === 3) {
                  cluster.remove(sketch.name);
                } else {
                  cluster.set(sketch);
                }
              });
              const { state, changes } = cluster.next();
              for (const dataplane of dataplanes) {
                const transaction = first
                  ? dataplane.plan(state, everything(state), await dataplane.readBack())
                  : dataplane.plan(state, changes);
                if (transaction !== undefined) {
                  await dataplane.apply(transaction);
                }
                expect(dataplane.plan(state, changes, await dataplane.readBack())).toBeUndefined();
              }
              first = false;
              expect(dataplanes[0]?.report().rules).toMatchObject(await countRules(real));
              expect(await tableContents(real)).toEqual(await tableContents(fake));
              expect(await foreign(real)).toEqual(before);
            }
            await dataplanes[0]?.cleanup();
            await dataplanes[0]?.cleanup();
            expect(await tableContents(real)).toEqual(empty);
          }),
      ),
      { numRuns: runCount(2, 4) },
    );
  });
});

whereAllowed.each(casesOf<IptablesVariant>(['nft'], ['legacy']))('after a kube-proxy: %s', (variant) => {
  const leftBehind = readFileSync(new URL('../testdata/kube-proxy-iptables.save', import.meta.url), 'utf8').replace(
    / -m nfacct --nfacct-name {2}\S+/g,
    '',
  );

  test('its chains are adopted or removed', async () => {
    await withNamespace(async ({ runner }) => {
      const iptables = createIptables({ family: 'IPv4', variant, runner });
      await iptables.restore(leftBehind);
      const dataplane = new IptablesDataplane({
        family: 'IPv4',
        iptables: async () => iptables,
        sysctl: fakeSettings(),
      });
      const { state } = new ClusterSketch('IPv4').next();
      const transaction = dataplane.plan(state, everything(state), await dataplane.readBack());
      await dataplane.apply(transaction!);
      const fresh = new FakeIptables();
      const other = new IptablesDataplane({ family: 'IPv4', iptables: async () => fresh, sysctl: fakeSettings() });
      await other.apply(other.plan(state, everything(state), await other.readBack())!);
      expect(await tableContents(iptables)).toEqual(await tableContents(fresh));
    });
  });

  test('lists that share a read dump the rules once', async () => {
    await withNamespace(async ({ runner }) => {
      await createIptables({ family: 'IPv4', variant, runner }).restore(leftBehind);
      const read: string[] = [];
      const counted: CommandRunner = {
        networkNamespace: runner.networkNamespace,
        run: async (request) => {
          if (/-save$/.test(request.command)) {
            read.push(request.command);
          }
          return await runner.run(request);
        },
      };
      const container = new Container();
      await container.load(createIptablesBackend({ runner: counted, sysctl: fakeSettings({}) }).module);
      const list = container.get(Tokens.Leftovers);
      const alone = [await list('backend', silentLogger, {}), await list('kube-proxy', silentLogger, {})];
      const separately = read.splice(0);
      const reading = {};
      const shared = [
        await list('backend', silentLogger, { reading }),
        await list('kube-proxy', silentLogger, { reading }),
      ];
      expect(shared).toEqual(alone);
      expect(shared[1]).not.toEqual([]);
      expect(new Set(read).size).toBe(read.length);
      expect(separately).toHaveLength(read.length * 2);
      // A later read includes later changes.
      await container.get(Tokens.KubeProxyCleanup)(silentLogger, {});
      expect(await list('kube-proxy', silentLogger, { reading: {} })).toEqual([]);
    });
  });

  test('its rules stay until their removal is requested, and removal is idempotent', async () => {
    await withNamespace(async ({ runner }) => {
      const iptables = createIptables({ family: 'IPv4', variant, runner });
      await iptables.restore(FOREIGN);
      const before = await tableContents(iptables);
      await iptables.restore(`*mangle\n:KUBE-IPTABLES-HINT - [0:0]\nCOMMIT\n${leftBehind}`);
      const sysctl = fakeSettings({ 'net/ipv4/conf/all/route_localnet': '1' });
      const container = new Container();
      const backend = createIptablesBackend({ runner, sysctl });
      await container.load(backend.module);
      // kube-proxy's rules are not this backend's, though their chains have the same names.
      const installed = await tableContents(iptables);
      expect(await container.get(Tokens.Cleanup)(silentLogger, {})).toEqual({ removed: [] });
      expect(await container.get(Tokens.Leftovers)('backend', silentLogger, {})).toEqual([]);
      expect(await tableContents(iptables)).toEqual(installed);
      expect(await sysctl.read('net/ipv4/conf/all/route_localnet')).toBe('1');
      const cleanup = container.get(Tokens.KubeProxyCleanup);
      const expected = await container.get(Tokens.Leftovers)('kube-proxy', silentLogger, {});
      const report = await cleanup(silentLogger, {});
      expect(report).toEqual({
        removed: [...expected, { kind: 'setting', names: ['net/ipv4/conf/all/route_localnet=1'] }],
      });
      expect(await cleanup(silentLogger, {})).toEqual({ removed: [] });
      expect(report).toMatchObject({
        removed: expect.arrayContaining([
          { kind: 'chain', location: `nat table, IPv4, ${variant}`, names: expect.arrayContaining(['KUBE-SERVICES']) },
        ]),
      });
      expect(await tableContents(iptables)).toEqual(before);
      // The kubelet's canary is kept, that of kube-proxy (spec I-95) is removed.
      expect([...(await iptables.save('mangle')).matchAll(/^:(KUBE-\S+)/gm)].map(([, chain]) => chain)).toEqual([
        'KUBE-IPTABLES-HINT',
      ]);
      expect(await sysctl.read('net/ipv4/conf/all/route_localnet')).toBe('0');
    });
  });

  describe('cleanup after a return to kube-proxy', () => {
    const sysctl = fakeSettings({ 'net/ipv4/conf/all/route_localnet': '1' });
    /** Enough Services for every list to be a tree of chains, of every kind. */
    const install = async (iptables: Iptables, over: Partial<ServiceSketch> = {}) => {
      const cluster = new ClusterSketch('IPv4');
      for (let number = 1; number <= 120; number++) {
        const kind = (['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalIP'] as const)[number % 4] ?? 'NodePort';
        const ranges = number % 8 === 2 ? ['192.0.2.128/25'] : undefined;
        const node = number % 2 === 0 ? 'node1' : 'node2';
        const endpoints = number % 5 === 0 ? [] : [{ number, node } as const];
        cluster.set(sketch(number, { kind, ranges, endpoints, externalLocal: number % 3 === 0, ...over }));
      }
      const { state } = cluster.next();
      const dataplane = new IptablesDataplane({ family: 'IPv4', iptables: async () => iptables, sysctl });
      await dataplane.apply(dataplane.plan(state, everything(state), await dataplane.readBack())!);
    };
    const moduleOf = (runner: CommandRunner) => {
      const container = new Container();
      container.load(createIptablesBackend({ runner, sysctl }).module);
      return container;
    };
    const onlyOurs = /KUBE-SVC-IP-[0-9A-F]{1,2}-[0-9A-F]{1,2} [\s\S]*KUBE-SVC-NP-TCP-/;

    test('kube-proxy can take over all rules, and a clean-up leaves exactly what kube-proxy has written', async () => {
      await withNamespace(async ({ runner }) => {
        const iptables = createIptables({ family: 'IPv4', variant, runner });
        await iptables.restore(FOREIGN);
        await syncAsKubeProxy(iptables, leftBehind);
        const expected = await tableContents(iptables);
        // Switches back.
        await install(iptables);
        expect(await iptables.save('nat')).toMatch(onlyOurs);
        await syncAsKubeProxy(iptables, leftBehind);
        const report = await moduleOf(runner).get(Tokens.Cleanup)(silentLogger, {});
        expect(JSON.stringify(report)).toContain('KUBE-PROXIER');
        expect(await tableContents(iptables)).toEqual(expected);
        expect(await sysctl.read('net/ipv4/conf/all/route_localnet')).toBe('1');
        expect(await moduleOf(runner).get(Tokens.Cleanup)(silentLogger, {})).toEqual({ removed: [] });
      });
    });

    test('rules that kube-proxy has not taken over are all removed', async () => {
      await withNamespace(async ({ runner }) => {
        const iptables = createIptables({ family: 'IPv4', variant, runner });
        await iptables.restore(FOREIGN);
        const before = await tableContents(iptables);
        await syncAsKubeProxy(iptables, leftBehind);
        await install(iptables);
        expect(await moduleOf(runner).get(Tokens.KubeProxyCleanup)(silentLogger, {})).toEqual({ removed: [] });
        await moduleOf(runner).get(Tokens.Cleanup)(silentLogger, {});
        expect(await tableContents(iptables)).toEqual(before);
        expect(await iptables.save('mangle')).not.toContain('KUBE-');
      });
    });

    test.each([
      ['with', 60],
      ['without', 0],
    ])(
      'rules of a kube-proxier that wrote no marker yet are recognized, %s refused Services',
      async (_what, endpoint) => {
        await withNamespace(async ({ runner }) => {
          const iptables = createIptables({ family: 'IPv4', variant, runner });
          await iptables.restore(FOREIGN);
          const before = await tableContents(iptables);
          await install(iptables, endpoint === 0 ? { endpoints: [{ number: 1, node: 'node1' }] } : {});
          await iptables.restore(
            ['filter', 'nat']
              .map((table) => {
                const chain = table === 'nat' ? 'KUBE-POSTROUTING' : 'KUBE-FORWARD';
                return `*${table}\n-D ${chain} -j KUBE-PROXIER\n-X KUBE-PROXIER\nCOMMIT\n`;
              })
              .join(''),
          );
          expect(await moduleOf(runner).get(Tokens.KubeProxyCleanup)(silentLogger, {})).toEqual({ removed: [] });
          await moduleOf(runner).get(Tokens.Cleanup)(silentLogger, {});
          expect(await tableContents(iptables)).toEqual(before);
        });
      },
    );

    test('rules of one variant are removed even if the other cannot be read, which is reported', async () => {
      await withNamespace(async ({ runner }) => {
        const iptables = createIptables({ family: 'IPv4', variant, runner });
        const broken = `-${variant === 'nft' ? 'legacy' : 'nft'}-save`;
        const failing: CommandRunner = {
          ...runner,
          run: (request) =>
            request.command.endsWith(broken)
              ? runner.run({ command: 'sh', args: ['-c', 'echo broken >&2; exit 1'] })
              : runner.run(request),
        };
        await install(iptables);
        await expect(moduleOf(failing).get(Tokens.Cleanup)(silentLogger, {})).rejects.toThrow(/broken/);
        expect(await iptables.save()).not.toContain('KUBE-');
      });
    });

    test('rules in the other variant are removed, and NodePorts on 127.0.0.1 of kube-proxy are kept', async () => {
      await withNamespace(async ({ runner }) => {
        const other = createIptables({ family: 'IPv4', variant: variant === 'nft' ? 'legacy' : 'nft', runner });
        const iptables = createIptables({ family: 'IPv4', variant, runner });
        await sysctl.write('net/ipv4/conf/all/route_localnet', 1);
        await install(other);
        await createIptablesBackend({
          variant: variant === 'nft' ? 'legacy' : 'nft',
          runner,
          sysctl,
        }).prepare?.(DEFAULT_PROXIER_OPTIONS, silentLogger);
        await syncAsKubeProxy(iptables, leftBehind);
        await iptables.restore(leftBehind.replace(/^-A (?!KUBE-FIREWALL).*\n/gm, '').replace(/^:.*\n/gm, ''));
        const expected = await tableContents(iptables);
        await moduleOf(runner).get(Tokens.Cleanup)(silentLogger, {});
        expect(await other.save()).not.toContain('KUBE-');
        expect(await tableContents(iptables)).toEqual(expected);
        expect(await sysctl.read('net/ipv4/conf/all/route_localnet')).toBe('1');
      });
    });
  });

  test('is set up for NodePorts on 127.0.0.1, guarded, before anything runs', async () => {
    await withNamespace(async ({ runner }) => {
      const sysctl = fakeSettings();
      const backend = createIptablesBackend({ variant, runner, sysctl });
      const filter = () => createIptables({ family: 'IPv4', variant, runner }).save('filter');
      for (const entries of [['primary'], ['primary', 'fd00::/8'], ['10.0.0.0/8']]) {
        const options = { ...DEFAULT_PROXIER_OPTIONS, nodePortAddresses: { kind: 'entries', entries } } as const;
        await backend.prepare?.(options, silentLogger);
      }
      expect(await sysctl.read('net/ipv4/conf/all/route_localnet')).toBe('0');
      await backend.prepare?.(DEFAULT_PROXIER_OPTIONS, silentLogger);
      const guarded = await filter();
      expect(guarded).toMatch(/^-A KUBE-FIREWALL .*-d 127\.0\.0\.0\/8 .*-j DROP$/m);
      expect(await sysctl.read('net/ipv4/conf/all/route_localnet')).toBe('1');
      await backend.prepare?.(DEFAULT_PROXIER_OPTIONS, silentLogger);
      expect((await filter()).match(/^-A/gm)).toHaveLength(guarded.match(/^-A/gm)?.length ?? 0);
    });
  });

  test('sets up the network namespace that its runner works in, and no other', async () => {
    await withNamespace(async ({ runner }) => {
      await createIptablesBackend({ variant, runner }).prepare?.(DEFAULT_PROXIER_OPTIONS, silentLogger);
      const { stdout } = await runner.run({ command: 'cat', args: ['/proc/sys/net/ipv4/conf/all/route_localnet'] });
      expect(stdout.trim()).toBe('1');
    });
  });

  test('cleanup of the other variant keeps NodePorts on 127.0.0.1', async () => {
    await withNamespace(async ({ runner }) => {
      const sysctl = fakeSettings();
      const [used, unused] = variant === 'nft' ? (['nft', 'legacy'] as const) : (['legacy', 'nft'] as const);
      const filter = (which: typeof used) => createIptables({ family: 'IPv4', variant: which, runner }).save('filter');
      for (const which of [unused, used]) {
        await createIptablesBackend({ variant: which, runner, sysctl }).prepare?.(
          DEFAULT_PROXIER_OPTIONS,
          silentLogger,
        );
      }
      await createIptables({ family: 'IPv4', variant: used, runner }).restore(
        '*mangle\n:KUBE-IPTABLES-HINT - [0:0]\nCOMMIT\n',
      );
      const container = new Container();
      await container.load(createIptablesBackend({ runner, sysctl }).module);
      await container.get(Tokens.KubeProxyCleanup)(silentLogger, { inForce: 'iptables' });
      expect(await filter(unused)).not.toContain('KUBE-FIREWALL');
      expect(await filter(used)).toContain('KUBE-FIREWALL');
      expect(await sysctl.read('net/ipv4/conf/all/route_localnet')).toBe('1');
      await container.get(Tokens.Cleanup)(silentLogger, { inForce: 'nftables' });
      expect(await filter(used)).not.toContain('KUBE-FIREWALL');
      expect(await sysctl.read('net/ipv4/conf/all/route_localnet')).toBe('0');
    });
  });

  test('cannot be used where the kernel refuses a rule that the planner prints', async () => {
    await withNamespace(async ({ runner }) => {
      const withoutRecent: CommandRunner = {
        run: async (request) => {
          if (request.stdin?.includes(' -m recent ')) {
            throw new CommandError('exit-code', request.command, 2, undefined, 'unknown option "--rcheck"', 'injected');
          }
          return await runner.run(request);
        },
      };
      const backend = createIptablesBackend({ variant, runner: withoutRecent, sysctl: fakeSettings() });
      expect(await backend.probe()).toMatchObject({ usable: false, reason: expect.stringContaining('--rcheck') });
      // Existing rules imply support, so that a restart is faster. Doctor always runs trials.
      await createIptables({ family: 'IPv4', variant, runner }).restore('*nat\n:KUBE-PROXIER - [0:0]\nCOMMIT\n');
      expect(await backend.probe()).toMatchObject({ usable: true });
      expect(await backend.diagnose?.()).toContainEqual({
        ...{ check: 'iptables rules', status: 'problem', found: expect.stringContaining('--rcheck') },
        advice: expect.stringContaining('another mode'),
      });
    });
  });

  test('without privileges, the reason names what is missing', async () => {
    await withNamespace(async ({ runner }) => {
      const unprivileged: CommandRunner = {
        run: async (request) => {
          if (request.args.includes('--version')) {
            return await runner.run(request);
          }
          throw new CommandError('exit-code', request.command, 4, undefined, 'Permission denied', 'injected');
        },
      };
      const backend = createIptablesBackend({ variant, runner: unprivileged, sysctl: fakeSettings() });
      expect(await backend.probe()).toMatchObject({
        usable: false,
        reason: expect.stringMatching(/^the nat table cannot be listed: /),
      });
    });
  });

  test('doctor reports what is known if rules cannot be tried', async () => {
    await withNamespace(async ({ runner }) => {
      const withoutNamespaces: CommandRunner = {
        run: async (request) => {
          if (request.command === 'unshare') {
            throw new CommandError('exit-code', 'unshare', 1, undefined, 'Operation not permitted', 'injected');
          }
          return await runner.run(request);
        },
      };
      const backend = createIptablesBackend({ variant, runner: withoutNamespaces, sysctl: fakeSettings() });
      expect(await backend.probe()).toMatchObject({ usable: true });
      const check = 'iptables rules';
      expect(await backend.diagnose?.()).toContainEqual(expect.objectContaining({ check, status: 'unknown' }));
      await createIptables({ family: 'IPv4', variant, runner }).restore('*nat\n:KUBE-PROXIER - [0:0]\nCOMMIT\n');
      const found = expect.stringContaining('are installed; not tried');
      expect(await backend.diagnose?.()).toContainEqual({ check, status: 'ok', found });
    });
  });

  test('can be used, and reports the tools', async () => {
    await withNamespace(async ({ runner }) => {
      const clean = (await runner.run({ command: 'nft', args: ['list', 'ruleset'] })).stdout;
      const backend = createIptablesBackend({ variant, runner, sysctl: fakeSettings() });
      const found = await backend.probe();
      expect(found).toMatchObject({ usable: true, detail: expect.stringContaining(variant) });
      expect((await runner.run({ command: 'nft', args: ['list', 'ruleset'] })).stdout).toBe(clean);
      await createIptables({ family: 'IPv4', variant, runner }).restore(FOREIGN);
      const before = (await runner.run({ command: 'nft', args: ['list', 'ruleset'] })).stdout;
      expect(await createIptablesBackend({ runner }).diagnose?.()).toEqual([
        { check: 'iptables in use', status: 'ok', found: `${variant}: the kernel has only ${variant} tables` },
        { check: 'iptables rules', status: 'ok', found: 'every kind of rule is accepted' },
      ]);
      expect((await runner.run({ command: 'nft', args: ['list', 'ruleset'] })).stdout).toBe(before);
    });
  });
});
