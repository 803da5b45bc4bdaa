#!/usr/bin/env node
/**
 * `npm run conformance -- BACKEND…`: every row of the policy tables through real packets, for the backends named (all
 * that have such tests when none is). `npm test` tries the rows without variants only.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PrepareError, prepare, rootlessPrefix, runScript } from './prepare.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SPEC = 'src/packet-flows.int.spec.ts';

await runScript(async () => {
  const known = readdirSync(join(ROOT, 'packages')).filter((name) => existsSync(join(ROOT, 'packages', name, SPEC)));
  const asked = process.argv.slice(2);
  const unknown = asked.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new PrepareError(`No packet tests for ${unknown.join(', ')}; there are: ${known.join(', ')}`);
  }
  prepare();
  const specs = (asked.length > 0 ? asked : known).map((name) => `packages/${name}/${SPEC}`);
  const jest = ['--experimental-vm-modules', '--no-warnings=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  const [command = '', ...args] = [...rootlessPrefix(), process.execPath, ...jest, '--verbose', ...specs];
  const child = spawn(command, args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, KUBE_PROXIER_FLOWS: 'all' },
  });
  const [status] = await once(child, 'close');
  return status ?? 1;
});
