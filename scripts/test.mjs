/**
 * `npm test`: gets everything ready, then runs all tests: unit, property, and packet tests through the real kernel.
 * Arguments are handed on to jest: `npm test -- packages/core`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { PrepareError, prepare, rootlessPrefix, runScript } from './prepare.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

await runScript(async () => {
  prepare();
  const prefix = rootlessPrefix();
  if (!prefix) {
    throw new PrepareError('The packet tests need root, since this kernel allows no user namespaces: run it as root.');
  }
  const jest = ['--experimental-vm-modules', '--no-warnings=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  const [command = '', ...args] = [...prefix, process.execPath, ...jest, ...process.argv.slice(2)];
  const child = spawn(command, args, { cwd: ROOT, stdio: 'inherit' });
  const [status] = await once(child, 'close');
  return status ?? 1;
});
