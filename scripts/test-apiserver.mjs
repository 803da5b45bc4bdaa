/**
 * `KUBE_APISERVER=<path> ETCD=<path> npm run test:apiserver`: tests of the source, of the agent and of the fake API server
 * against a real one. Skipped where the variables are not set. Arguments are passed to jest.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { prepare, runScript } from './prepare.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const PROGRAMS = ['KUBE_APISERVER', 'ETCD'];

await runScript(async () => {
  const missing = PROGRAMS.filter((name) => (process.env[name] ?? '') === '');
  if (missing.length > 0) {
    process.stdout.write(
      `skipped: tests with a real API server: set ${missing.join(' and ')} to the path of the program\n`,
    );
    return 0;
  }
  for (const name of PROGRAMS) {
    try {
      accessSync(process.env[name] ?? '', constants.X_OK);
    } catch {
      process.stderr.write(`${name}=${process.env[name]}: not an executable file\n`);
      return 2;
    }
  }
  prepare();
  const jest = ['run', '-s', 'jest', '--', '--config=jest.apiserver.config.mjs'];
  const child = spawn('npm', [...jest, ...process.argv.slice(2)], { cwd: ROOT, stdio: 'inherit' });
  const [status] = await once(child, 'close');
  return status ?? 1;
});
