/**
 * `npm run test:ipvs`: gets everything ready, boots a kernel with IPVS, and runs in it the tests that need one.
 * Arguments are handed on to jest: `npm run test:ipvs -- packages/ipvs`.
 */
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PrepareError, prepare, runScript } from './prepare.mjs';
import { IpvsKernelError, runInIpvsKernel } from './run-in-ipvs-kernel.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Seconds until the kernel is taken for hung. */
const TIMEOUT = 1200;

await runScript(async () => {
  prepare({ ipvs: true });
  const args = process.argv.slice(2);
  const report = args.find((arg) => arg.startsWith('--outputFile='))?.slice('--outputFile='.length);
  const options = { timeout: TIMEOUT, writable: report === undefined ? [] : [dirname(resolve(report))] };
  process.chdir(ROOT);
  const jest = ['--experimental-vm-modules', '--no-warnings=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  jest.push('--config=jest.ipvs.config.mjs', '--runInBand', '--forceExit');
  try {
    return await runInIpvsKernel([process.execPath, ...jest, ...args], options);
  } catch (error) {
    throw error instanceof IpvsKernelError ? new PrepareError(error.message, { cause: error }) : error;
  }
});
