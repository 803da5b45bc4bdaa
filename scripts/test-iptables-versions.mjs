#!/usr/bin/env node
/**
 * `npm run test:iptables-versions`: installs iptables of the Debian releases side by side, and tests that the iptables backend
 * works with each, in both variants (USAGE below).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { installFromReleases } from './debian-releases.mjs';
import { prepare, rootlessPrefix, runScript } from './prepare.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIRECTORY = join(ROOT, 'node_modules/.cache/iptables-versions');
const USAGE = `Usage: npm run test:iptables-versions -- [--directory DIRECTORY]

Installs iptables of the Debian releases in DIRECTORY (default: node_modules/.cache/iptables-versions), and runs random
changes of a cluster with each. Fails when a release cannot be installed.
`;
const SPECS = ['packages/iptables/src/random-sequences.int.spec.ts'];

/** Version 1.8.7, also of Ubuntu 22.04; 1.8.9; and those of the stable release, testing and unstable. */
const RELEASES = ['bullseye', 'bookworm', 'trixie', 'forky', 'sid'];

/** `iptables-nft`, `ip6tables-legacy-save` and so on. */
const PROGRAMS = Object.fromEntries(
  ['nft', 'legacy'].flatMap((variant) =>
    ['iptables', 'ip6tables'].flatMap((family) =>
      ['', '-save', '-restore'].map((suffix) => {
        const program = `${family}-${variant}${suffix}`;
        return [program, [`usr/sbin/xtables-${variant}-multi`, program]];
      }),
    ),
  ),
);

await runScript(async () => {
  const { values } = parseArgs({ options: { help: { type: 'boolean' }, directory: { type: 'string' } } });
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  prepare();
  const directories = installFromReleases(RELEASES, values.directory ?? DIRECTORY, {
    name: 'iptables',
    programs: PROGRAMS,
    libraries: { XTABLES_LIBDIR: 'xtables' },
  });
  const jest = ['--experimental-vm-modules', '--no-warnings=ExperimentalWarning', 'node_modules/jest/bin/jest.js'];
  const [command = '', ...args] = [...rootlessPrefix(), process.execPath, ...jest, ...SPECS];
  const env = { ...process.env, KUBE_PROXIER_IPTABLES_DIRECTORIES: directories.join(delimiter) };
  const [status] = await once(spawn(command, args, { cwd: ROOT, stdio: 'inherit', env }), 'close');
  return status ?? 1;
});
