import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { DEFAULT_PROXIER_OPTIONS, silentLogger, Tokens } from '@kube-proxier/core';
import { createIptables, type Iptables } from '@kube-proxier/linux';
import { canMakeNamespaces, FakeIptables, withNamespace } from '@kube-proxier/linux/testing';
import fc from 'fast-check';
import { Container } from 'inversify';
import { createIptablesBackend } from './iptables-backend.js';
import { IptablesDataplane } from './iptables-dataplane.js';
import { anySketch, ClusterSketch, everything } from './testing/clusters.js';
import { fakeSettings } from './testing/fake-settings.js';
import { tableContents } from './testing/table-contents.js';

const subjects = (['legacy', 'nft'] as const).flatMap((variant) =>
  (['IPv4', 'IPv6'] as const).map((family) => ({ variant, family })),
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
  test('small steps lead where the fake says, and leave nothing behind', async () => {
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
      { numRuns: 4 },
    );
  });
});

whereAllowed.each(['legacy', 'nft'] as const)('after a kube-proxy: %s', (variant) => {
  const leftBehind = readFileSync(new URL('../testdata/kube-proxy-iptables.save', import.meta.url), 'utf8').replace(
    / -m nfacct --nfacct-name {2}\S+/g,
    '',
  );

  test('its chains become ours, or go', async () => {
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

  test('the clean-up of the module removes everything, again and again', async () => {
    await withNamespace(async ({ runner }) => {
      const iptables = createIptables({ family: 'IPv4', variant, runner });
      await iptables.restore(FOREIGN);
      const before = await tableContents(iptables);
      await iptables.restore(`*mangle\n:KUBE-IPTABLES-HINT - [0:0]\nCOMMIT\n${leftBehind}`);
      const sysctl = fakeSettings({ 'net/ipv4/conf/all/route_localnet': '1' });
      const container = new Container();
      const backend = createIptablesBackend({ runner, sysctl });
      await container.load(backend.module);
      const cleanup = container.get(Tokens.Cleanup);
      const report = await cleanup(silentLogger, {});
      expect(await cleanup(silentLogger, {})).toEqual({ removed: [] });
      expect(report).toMatchObject({
        removed: expect.arrayContaining([
          { kind: 'chain', location: `nat table, IPv4, ${variant}`, names: expect.arrayContaining(['KUBE-SERVICES']) },
        ]),
      });
      expect(await tableContents(iptables)).toEqual(before);
      // The kubelet's stays, kube-proxy's canary (spec I-95) goes.
      expect([...(await iptables.save('mangle')).matchAll(/^:(KUBE-\S+)/gm)].map(([, chain]) => chain)).toEqual([
        'KUBE-IPTABLES-HINT',
      ]);
      expect(await sysctl.read('net/ipv4/conf/all/route_localnet')).toBe('0');
    });
  });

  test('is set up for NodePorts on 127.0.0.1, guarded, before anything runs', async () => {
    await withNamespace(async ({ runner }) => {
      const sysctl = fakeSettings();
      const backend = createIptablesBackend({ variant, runner, sysctl });
      const filter = () => createIptables({ family: 'IPv4', variant, runner }).save('filter');
      await backend.prepare?.({ ...DEFAULT_PROXIER_OPTIONS, nodePortAddresses: { kind: 'primary' } }, silentLogger);
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

  test('the clean-up of the other variant leaves NodePorts on 127.0.0.1 as they are', async () => {
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

  test('can be used, and says by which tools', async () => {
    await withNamespace(async ({ runner }) => {
      const clean = (await runner.run({ command: 'nft', args: ['list', 'ruleset'] })).stdout;
      const backend = createIptablesBackend({ variant, runner, sysctl: fakeSettings() });
      const found = await backend.probe();
      expect(found).toMatchObject({ usable: true, detail: expect.stringContaining(variant) });
      expect((await runner.run({ command: 'nft', args: ['list', 'ruleset'] })).stdout).toBe(clean);
      await createIptables({ family: 'IPv4', variant, runner }).restore(FOREIGN);
      const before = (await runner.run({ command: 'nft', args: ['list', 'ruleset'] })).stdout;
      expect(await createIptablesBackend({ runner }).diagnose?.()).toEqual([
        { check: 'iptables in use', status: 'ok', found: expect.stringMatching(`^${variant}: .* hold more rules`) },
      ]);
      expect((await runner.run({ command: 'nft', args: ['list', 'ruleset'] })).stdout).toBe(before);
    });
  });
});
