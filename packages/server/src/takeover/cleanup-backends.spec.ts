import { expect, test } from '@jest/globals';
import {
  type BackendModule,
  type Cleanup,
  ProxierError,
  type ProxierErrorKind,
  silentLogger,
  Tokens,
} from '@kube-proxier/core';
import { RecordingLogger } from '@kube-proxier/core/testing';
import { whyNotPermitted } from '@kube-proxier/linux';
import { ContainerModule } from 'inversify';
import { cleanupBackends } from './cleanup-backends.js';

function failing(mode: string, code: string, message: string, kind?: ProxierErrorKind): BackendModule {
  const cleanup = async () => {
    const cause = new ProxierError(code, message, kind === undefined ? {} : { kind });
    throw new ProxierError('LEFTOVERS', `${mode} rules are left: ${message}`, { cause });
  };
  return {
    mode,
    description: mode,
    probe: async () => ({ usable: true }),
    module: new ContainerModule(({ bind }) => {
      bind(Tokens.Cleanup).toConstantValue(cleanup);
    }),
  };
}

const denied = ['one', 'two', 'three'].map((mode) => failing(mode, 'TOOL', 'no CAP_NET_ADMIN', 'permission-denied'));

test('missing permission is reported once, for any number of modes and tools', async () => {
  await expect(cleanupBackends(denied, { logger: silentLogger })).rejects.toMatchObject({
    code: 'CLEANUP_FAILED',
    message: `cannot list or remove leftovers of proxy modes one, two, three: ${whyNotPermitted()}`,
    cause: { errors: [expect.anything(), expect.anything(), expect.anything()] },
  });
});

test.each<[unknown[], string]>([
  [[], 'cleanupBackends needs the option backends; it must be a list of backends'],
  [[denied[0]], 'it must be a list of backends'],
  [
    [[], { kubeproxy: true }],
    'cleanupBackends has no option "kubeproxy"; valid options are logger, inForce, kubeProxy',
  ],
])('arguments that are missing or wrong are named: %#', async (args, message) => {
  await expect((cleanupBackends as (...args: unknown[]) => Promise<unknown>)(...args)).rejects.toMatchObject({
    code: 'SERVER_OPTION',
    message: expect.stringContaining(message),
  });
});

test('the kind of an error decides whether permission is missing, not its code', async () => {
  const named = failing('five', 'FIVE_PERMISSION_DENIED', 'the file is not readable');
  await expect(cleanupBackends([named], { logger: silentLogger })).rejects.toMatchObject({ isDenied: false });
  await expect(cleanupBackends(denied.slice(0, 1), { logger: silentLogger })).rejects.toMatchObject({ isDenied: true });
});

test('every other reason is reported by mode', async () => {
  const backends = [...denied.slice(0, 1), failing('four', 'BUSY', 'it is in use')];
  await expect(cleanupBackends(backends, { logger: silentLogger })).rejects.toMatchObject({
    message: expect.stringMatching(/one: .*no CAP_NET_ADMIN; four: .*it is in use.*fix it and run the cleanup again$/),
  });
});

/** A backend with these cleanups. */
function cleaning(mode: string, cleanup: Cleanup, kubeProxyCleanup?: Cleanup): BackendModule {
  return {
    mode,
    description: mode,
    probe: async () => ({ usable: true }),
    module: new ContainerModule(({ bind }) => {
      bind(Tokens.Cleanup).toConstantValue(cleanup);
      if (kubeProxyCleanup !== undefined) {
        bind(Tokens.KubeProxyCleanup).toConstantValue(kubeProxyCleanup);
      }
    }),
  };
}

const chains = (...names: string[]) => ({ removed: [{ kind: 'chain', location: 'nat table', names }] });

test('nothing of the mode in force is removed, even if its cleanup ignores the context', async () => {
  const removed: string[] = [];
  const backends = ['one', 'two'].map((mode) =>
    cleaning(
      mode,
      async () => void removed.push(mode),
      async () => void removed.push(`${mode} of kube-proxy`),
    ),
  );
  await cleanupBackends(backends, { logger: silentLogger, inForce: 'one', kubeProxy: true });
  expect(removed).toEqual(['one of kube-proxy', 'two', 'two of kube-proxy']);
});

test('objects of kube-proxy are kept unless their removal is requested', async () => {
  const kubeProxyCleanup = async () => chains('KUBE-SERVICES');
  const backends = [cleaning('one', async () => ({ removed: [] }), kubeProxyCleanup), cleaning('two', async () => {})];
  expect((await cleanupBackends(backends, { logger: silentLogger })).removed).toEqual([]);
  expect(await cleanupBackends(backends, { logger: silentLogger, kubeProxy: true })).toEqual({
    removed: [{ mode: 'one', owner: 'kube-proxy', objects: chains('KUBE-SERVICES').removed }],
    remaining: [],
    unreported: ['two'],
  });
});

test('rules of the mode in force that another variant of its tools wrote may be those of kube-proxier or of kube-proxy', async () => {
  const logger = new RecordingLogger();
  const backend = cleaning(
    'one',
    async () => ({ removed: [] }),
    async () => chains('KUBE-SERVICES'),
  );
  await cleanupBackends([backend], { logger, inForce: 'one', kubeProxy: true });
  await cleanupBackends([backend], { logger, inForce: 'two', kubeProxy: true });
  const removed = 'had installed: 1 chain (nat table): KUBE-SERVICES';
  expect(logger.lines.filter((line) => line.includes('Removed'))).toEqual([
    expect.stringContaining(`Removed what kube-proxy or an earlier kube-proxier in mode one ${removed}`),
    expect.stringContaining(`Removed what kube-proxy in mode one ${removed}`),
  ]);
});

test('removed objects are logged with counts and names, in lines of bounded length, also when another backend fails', async () => {
  const logger = new RecordingLogger();
  const many = Array.from({ length: 53 }, (_, index) => `KUBE-${index}`);
  const backends = [
    cleaning('one', async () => chains(...many)),
    cleaning('two', async () => ({ removed: [{ kind: 'chain', names: [] }] })),
    cleaning('three', async () => ({ removed: [{ kind: 'address', names: ['x\ny', 'z'.repeat(1e6)] }] })),
    failing('four', 'BUSY', 'it is in use'),
  ];
  await expect(cleanupBackends(backends, { logger })).rejects.toMatchObject({
    summary: { removed: [{ mode: 'one' }, { mode: 'three' }] },
  });
  expect(logger.messages('info')).toEqual([
    'Removed what mode one had installed: 53 chains (nat table): KUBE-0, KUBE-1, KUBE-2, KUBE-3, KUBE-4 and 48 more',
    expect.stringMatching(/^Removed what mode three had installed: 2 addresses: x\\u\{a\}y, z{77}\.\.\.$/),
  ]);
});

test('a JavaScript backend that returns an invalid report counts as unreported', async () => {
  const odd = ['2 connections', 7, null, { removed: 'all' }].map((value, index) =>
    cleaning(`odd-${index}`, async () => value as never),
  );
  expect((await cleanupBackends(odd, { logger: silentLogger })).unreported).toHaveLength(4);
});
