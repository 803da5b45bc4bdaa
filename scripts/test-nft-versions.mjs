#!/usr/bin/env node
/**
 * `npm run test:nft-versions`: installs nft of the Debian releases side by side, and tests that each lists, reloads and
 * monitors the tables of the nftables backend as if it had written them, and that an older one lists them (USAGE below).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installFromReleases } from './debian-releases.mjs';
import { prepare, rootlessPrefix, runScript } from './prepare.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIRECTORY = join(ROOT, 'node_modules/.cache/nft-versions');
const USAGE = `Usage: npm run test:nft-versions -- [--directory DIRECTORY] [--soak MINUTES]

Installs nft of the Debian releases in DIRECTORY (default: node_modules/.cache/nft-versions), and runs the tests of
packages/nftables with each; with one before 1.0.6, only that it lists the tables. Fails when a release cannot be installed.

  --soak MINUTES  only the soak: changes of the cluster, and a foreign commit by one of them every second; for each IP
                  family
`;
const SPECS = ['packages/nftables/src/netlink.int.spec.ts', 'packages/nftables/src/foreign-commits.int.spec.ts'];
const SOAK = ['packages/nftables/src/foreign-commits.int.spec.ts', '--testNamePattern=soak'];

/** Oldstable, stable, testing and unstable. */
const RELEASES = ['bookworm', 'trixie', 'forky', 'sid'];
/** Releases with an nft before 1.0.6. */
const OLD_RELEASES = ['bullseye'];

await runScript(async () => {
  const { values } = parseArgs({
    options: { help: { type: 'boolean' }, directory: { type: 'string' }, soak: { type: 'string' } },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  prepare();
  const programsOf = (/** @type {readonly string[]} */ releases) =>
    installFromReleases(releases, values.directory ?? DIRECTORY, {
      name: 'nftables',
      programs: { nft: ['usr/sbin/nft'] },
    })
      .map((directory) => join(directory, 'nft'))
      .join(delimiter);
  const jest = ['--experimental-vm-modules', '--no-warnings=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  const tests = values.soak === undefined ? SPECS : SOAK;
  const [command = '', ...args] = [...rootlessPrefix(), process.execPath, ...jest, ...tests];
  const env = {
    ...process.env,
    KUBE_PROXIER_NFT_PROGRAMS: programsOf(RELEASES),
    KUBE_PROXIER_OLD_NFT_PROGRAMS: programsOf(OLD_RELEASES),
    ...(values.soak === undefined ? {} : { KUBE_PROXIER_SOAK_MINUTES: values.soak }),
  };
  const [status] = await once(spawn(command, args, { cwd: ROOT, stdio: 'inherit', env }), 'close');
  return status ?? 1;
});
