/**
 * `npm test`: gets everything ready, then runs all tests: unit, property, and packet tests through the real kernel.
 * Arguments are handed on to jest: `npm test -- packages/core`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepare, rootlessPrefix, runScript } from './prepare.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

await runScript(async () => {
  prepare({ browser: true, alerts: true, plugins: true });
  const prefix = rootlessPrefix();
  const jest = ['--experimental-vm-modules', '--no-warnings=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  if (prefix.length > 0) {
    // Inside, this user is root, by name: it must not meet the cache of the real one.
    jest.push(`--cacheDirectory=${join(tmpdir(), `kube-proxier-jest-${process.getuid?.()}`)}`);
  }
  const [command = '', ...args] = [...prefix, process.execPath, ...jest, ...process.argv.slice(2)];
  const child = spawn(command, args, { cwd: ROOT, stdio: 'inherit' });
  const [status] = await once(child, 'close');
  return status ?? 1;
});
