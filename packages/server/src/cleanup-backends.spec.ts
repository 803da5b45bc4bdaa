import { expect, test } from '@jest/globals';
import { type BackendModule, ProxierError, silentLogger, Tokens } from '@kube-proxier/core';
import { whyNotPermitted } from '@kube-proxier/linux';
import { ContainerModule } from 'inversify';
import { cleanupBackends } from './cleanup-backends.js';

function failing(mode: string, code: string, message: string): BackendModule {
  const cleanup = async () => {
    const cause = new ProxierError(code, message);
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

const denied = ['one', 'two', 'three'].map((mode) => failing(mode, `${mode}_PERMISSION_DENIED`, 'no CAP_NET_ADMIN'));

test('that this process may not is said once, whatever number of modes and tools said it', async () => {
  await expect(cleanupBackends(denied, silentLogger)).rejects.toMatchObject({
    code: 'CLEANUP_FAILED',
    message: `what proxy modes left (one, two, three) could not be looked at or removed: ${whyNotPermitted()}`,
    cause: { errors: [expect.anything(), expect.anything(), expect.anything()] },
  });
});

test('every other reason is told by mode', async () => {
  const backends = [...denied.slice(0, 1), failing('four', 'BUSY', 'it is in use')];
  await expect(cleanupBackends(backends, silentLogger)).rejects.toMatchObject({
    message: expect.stringMatching(/one: .*no CAP_NET_ADMIN; four: .*it is in use.*run it again when that is solved$/),
  });
});
