import { describe, expect, test } from '@jest/globals';
import {
  type BackendModule,
  type CleanupReport,
  type LeftoverOwner,
  ProxierError,
  silentLogger,
  Tokens,
} from '@kube-proxier/core';
import type { AcquireOptions, InstanceHolder, KubeProxyFinding } from '@kube-proxier/server';
import { ContainerModule } from 'inversify';
import { type CleanupRequest, cleanUp, type RunningProxies } from './clean-up.js';

/** A host where two owners have installed chains, by mode. */
class FakeHost {
  readonly installed = new Map<string, string[]>();
  readonly calls: string[] = [];

  backend(mode: string, fails?: string): BackendModule {
    const take = async (owner: LeftoverOwner): Promise<CleanupReport> => {
      this.calls.push(`${mode} ${owner}`);
      if (fails !== undefined) {
        throw new ProxierError('BUSY', fails);
      }
      const names = this.installed.get(`${mode} ${owner}`) ?? [];
      this.installed.delete(`${mode} ${owner}`);
      return { removed: [{ kind: 'chain', names }] };
    };
    return {
      mode,
      description: mode,
      probe: async () => ({ usable: true }),
      module: new ContainerModule(({ bind }) => {
        bind(Tokens.Cleanup).toConstantValue(() => take('backend'));
        bind(Tokens.KubeProxyCleanup).toConstantValue(() => take('kube-proxy'));
        bind(Tokens.Leftovers).toConstantValue(async (owner) => [
          { kind: 'chain', names: this.installed.get(`${mode} ${owner}`) ?? [] },
        ]);
      }),
    };
  }
}

const HOLDER: InstanceHolder = {
  known: true,
  pid: 12,
  version: '1.2.3',
  mode: 'nftables',
  nodeName: 'node1',
  since: '2026-01-31T10:00:00.000Z',
};

function running(holder: InstanceHolder | undefined, finding: KubeProxyFinding) {
  const state = { held: 0, released: 0 };
  const proxies: RunningProxies = {
    lock: {
      currentHolder: async () => holder,
      acquire: async (_identity, { signal, onWaiting }: AcquireOptions = {}) => {
        if (holder !== undefined) {
          onWaiting?.(holder);
          signal?.throwIfAborted();
        }
        state.held += 1;
        return {
          describe: () => {},
          release: async () => {
            state.released += 1;
          },
        };
      },
    },
    findKubeProxy: async () => finding,
  };
  return { proxies, state };
}

const NONE: KubeProxyFinding = { status: 'not-found' };
const KUBE_PROXY: KubeProxyFinding = { status: 'found', pid: 7, mode: 'iptables', how: 'process 7' };
const UNKNOWN: KubeProxyFinding = { status: 'unknown', reason: 'not all processes of this host are visible' };

function setUp(holder?: InstanceHolder, finding = NONE) {
  const host = new FakeHost();
  host.installed.set('one backend', ['KUBE-A', 'KUBE-B']).set('two kube-proxy', ['KUBE-SERVICES']);
  const { proxies, state } = running(holder, finding);
  const printed: string[] = [];
  const run = (request: Partial<CleanupRequest> = {}, backends = [host.backend('one'), host.backend('two')]) =>
    cleanUp(
      { kubeProxy: false, dryRun: false, force: false, ...request },
      { backends, logger: silentLogger, print: (text) => void printed.push(text), running: proxies },
    );
  return { host, run, state, text: () => printed.join('') };
}

describe('output', () => {
  test('counts and names; "No leftovers found" only if none were found', async () => {
    const { run, text, state } = setUp();
    await run();
    expect(text()).toBe(
      'Removed what mode one had installed:\n  2 chains: KUBE-A, KUBE-B\n' +
        'Kept what kube-proxy has installed in mode two; use --kube-proxy to remove it\n',
    );
    await run({ kubeProxy: true });
    expect(text()).toMatch(/Removed what kube-proxy in mode two had installed:\n {2}1 chain: KUBE-SERVICES\n$/);
    await run({ kubeProxy: true });
    expect(text()).toMatch(/\nNo leftovers found\n$/);
    expect(state).toEqual({ held: 3, released: 3 });
  });

  test('removed objects, also when another mode fails, and then not "No leftovers found"', async () => {
    const { host, run, text, state } = setUp();
    const backends = [host.backend('one'), host.backend('two', 'in use')];
    await expect(run({}, backends)).rejects.toMatchObject({ code: 'CLEANUP_FAILED' });
    expect(text()).toBe('Removed what mode one had installed:\n  2 chains: KUBE-A, KUBE-B\n');
    await expect(run({}, [host.backend('two', 'in use')])).rejects.toMatchObject({ code: 'CLEANUP_FAILED' });
    expect(text()).not.toContain('No leftovers');
    expect(state).toEqual({ held: 2, released: 2 });
  });
});

describe('it is refused and removes nothing', () => {
  test.each<[string, InstanceHolder | undefined, KubeProxyFinding, Partial<CleanupRequest>, RegExp]>([
    ['while kube-proxier runs', HOLDER, NONE, {}, /network namespace: kube-proxier, pid 12 .*mode nftables/],
    ['while something unknown holds its lock', { known: false, reason: 'it does not answer' }, NONE, {}, /unknown/],
    ['while kube-proxy runs', undefined, KUBE_PROXY, {}, /network namespace: kube-proxy \(pid 7, mode iptables\)/],
    [
      "when kube-proxy's rules are to go, and whether it runs cannot be found out",
      undefined,
      UNKNOWN,
      { kubeProxy: true },
      /cannot determine .*: not all processes/,
    ],
  ])('%s', async (_when, holder, finding, request, message) => {
    const { host, run, state, text } = setUp(holder, finding);
    await expect(run(request)).rejects.toMatchObject({
      code: 'PROXY_RUNNING',
      message: expect.stringMatching(message),
    });
    expect([host.calls, text()]).toEqual([[], '']);
    expect(state.held).toBe(state.released);
    // With --force it cleans up.
    await run({ ...request, force: true });
    expect(host.calls).toContain('one backend');
  });
});

test('if a kube-proxy may run, only objects of kube-proxier are removed', async () => {
  const { host, run } = setUp(undefined, UNKNOWN);
  await run();
  expect(host.calls).toEqual(['one backend', 'two backend']);
});

test('only one mode', async () => {
  const { host, run, text } = setUp();
  await run({ mode: 'two' });
  expect([host.calls, text()]).toEqual([['two backend'], expect.stringMatching(/^No leftovers found\nKept what/)]);
  await expect(run({ mode: 'three\n' })).rejects.toMatchObject({
    code: 'UNKNOWN_PROXY_MODE',
    message: expect.stringMatching(/^--proxy-mode: unknown proxy mode "three\\u\{a\}"; set one of one, two/),
  });
});

describe('a dry run', () => {
  test('calls no cleanup, whether or not a proxy runs, and prints what would be removed', async () => {
    for (const [holder, finding, description] of [
      [HOLDER, NONE, 'kube-proxier, pid 12'],
      [undefined, KUBE_PROXY, 'kube-proxy (pid 7'],
    ] as const) {
      const { host, run, text } = setUp(holder, finding);
      await run({ dryRun: true, kubeProxy: true, force: true });
      expect(host.calls).toEqual([]);
      expect(text()).toContain('Would remove what mode one had installed:\n  2 chains: KUBE-A, KUBE-B\n');
      expect(text()).toContain('Would remove what kube-proxy in mode two had installed:\n  1 chain: KUBE-SERVICES\n');
      await run({ dryRun: true });
      expect(text()).toContain(
        `the cleanup would be refused, because a proxy runs in this network namespace: ${description}`,
      );
    }
  });

  test('prints "No leftovers found" only if everything could be listed', async () => {
    const { run, text } = setUp();
    const blind: BackendModule = {
      ...new FakeHost().backend('blind'),
      module: new ContainerModule(({ bind }) => {
        bind(Tokens.Leftovers).toConstantValue(async () => {
          throw new ProxierError('NFT_PERMISSION_DENIED', 'no right');
        });
      }),
    };
    await expect(run({ dryRun: true }, [blind])).rejects.toMatchObject({ code: 'LEFTOVERS_UNKNOWN' });
    expect(text()).toBe('');
    await run({ dryRun: true, mode: 'two' });
    expect(text()).toBe('No leftovers found\n');
  });
});
