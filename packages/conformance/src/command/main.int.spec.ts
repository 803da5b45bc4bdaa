import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { casesOf } from '@kube-proxier/core/testing';

const COMMAND = fileURLToPath(new URL('../../bin/kube-proxier-conformance.js', import.meta.url));
/** Two backends that can be described, but not run. */
const BACKENDS = `
export const idle = {
  mode: 'idle',
  description: 'does nothing',
  capabilities: {},
  probe: async () => ({ usable: true }),
  module: {},
};
export const second = { ...idle, mode: 'second' };
`;
/** A backend that runs, but whose syncs always fail. */
const FAILING = `
import { ReconcilingProxier, Tokens } from '@kube-proxier/core';
import { ContainerModule } from 'inversify';
const dataplane = {
  plan: () => ({}),
  apply: async () => {
    throw new Error('no such pump');
  },
  readBack: async () => ({}),
  describe: () => '',
  cleanup: async () => {},
};
export const failing = {
  mode: 'failing',
  description: 'fails',
  probe: async () => ({ usable: true }),
  module: new ContainerModule(({ bind }) => {
    bind(Tokens.ProxierFactory).toConstantValue(
      (context) => new ReconcilingProxier({ mode: 'failing', context, dataplane }),
    );
    bind(Tokens.Cleanup).toConstantValue(async () => {});
  }),
};
`;

/** A backend whose `apply` never ends, and creates a file when it begins. */
const IDLING = FAILING.replace(
  "throw new Error('no such pump');",
  'writeFileSync(SIGN, ""); await new Promise(() => {});',
);

describe('the command', () => {
  let directory: string;
  let idling: string;
  let unusable: string;
  let backend: string;
  let half: string;
  let failing: string;
  let thrower: string;
  let broken: string;

  beforeAll(() => {
    // The modules resolve their imports from here.
    directory = mkdtempSync(fileURLToPath(new URL('../../../../node_modules/.conformance-', import.meta.url)));
    backend = join(directory, 'backend.mjs');
    writeFileSync(backend, BACKENDS);
    half = join(directory, 'half.mjs');
    writeFileSync(half, "export const half = { mode: 'half', module: {} };\n");
    thrower = join(directory, 'thrower.mjs');
    writeFileSync(thrower, "throw new Error('no config');\n");
    failing = join(directory, 'failing.mjs');
    writeFileSync(failing, FAILING);
    idling = join(directory, 'idling.mjs');
    const sign = `import { writeFileSync } from 'node:fs';\nconst SIGN = ${JSON.stringify(join(directory, 'applies'))};`;
    writeFileSync(idling, `${sign}\n${IDLING}`);
    unusable = join(directory, 'unusable.mjs');
    writeFileSync(unusable, FAILING.replace('usable: true', "usable: false, reason: 'the pump is missing'"));
    broken = join(directory, 'broken.mjs');
    writeFileSync(broken, 'not a module\n');
  });

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  async function run(args: readonly string[], onOutput: (text: string, interrupt: () => void) => void = () => {}) {
    const child = spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      onOutput(stderr, () => child.kill('SIGINT'));
    });
    const [status] = (await once(child, 'close')) as [number | null];
    return { status, stdout, stderr, pid: child.pid };
  }

  test('prints its help, and lists and shows cases', async () => {
    expect(await run(['--help'])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('--backend <package|path>'),
    });
    expect((await run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await run(['--list', '--cases', 'CIP-L-S2'])).stdout).toBe(
      'CIP-L-S2  internalTrafficPolicy Local, remote ready only\n',
    );
    expect((await run(['--show', 'CIP-L-S2'])).stdout).toMatch(/spec: CIP-L-S2\/P\n +expect: dropped/);
  });

  test.each(
    casesOf<readonly [args: readonly string[], message: RegExp]>(
      [
        [[], /--backend is required/],
        [['--backend', 'BACKEND', '--cases', 'EXT-L-S99'], /no case matches EXT-L-S99; did you mean EXT-L-S9\?/],
        [
          ['--backend', 'BACKEND', '--option', 'fast=true'],
          /exports no create\.\.\.Backend function, so it accepts no options; remove --option/,
        ],
        [['--backend', 'BROKEN'], /failed to load: .*"node .*broken\.mjs" to see where\)$/m],
        [
          ['--backend', 'BACKEND', '--mode', 'idle', '--report', 'junit', '--output', '/nowhere/report.xml'],
          /^--output: cannot write the report: .*ENOENT.*; set the path of a writable file\n$/,
        ],
        [['--lits'], /Did you mean --list\?/],
      ],
      [
        [['--backend', '@acme/nowhere'], /cannot load the backend @acme\/nowhere/],
        [['--backend', 'BACKEND', '--mode', 'idel'], /no mode idel; did you mean idle\? it has idle, second$/m],
        [['--backend', 'BACKEND'], /has several modes: select one of idle, second with --mode/],
        [['--backend', './none.mjs'], /none\.mjs: module not found; .*build it first/],
        [['--backend', 'THROWER'], /failed to load: no config \(file:.*thrower\.mjs:1:\d+\)$/m],
        [['--backend', 'HALF'], /its half lacks description \(string\), probe \(function\)$/m],
        [['--list', '--jobs', 'many'], /an integer from 1 to 64/],
        [['--list', '--patience', '0'], /number from 1 to 100/],
      ],
    ),
  )('%j is an error, and exits with status 2', async (args, message) => {
    const files: Record<string, string> = { BACKEND: backend, HALF: half, THROWER: thrower, BROKEN: broken };
    const { status, stderr } = await run(args.map((word) => files[word] ?? word));
    expect(stderr).toMatch(message);
    expect(status).toBe(2);
  });

  test('a backend whose apply never succeeds is distinguished from a slow one, and its error is reported once', async () => {
    const { status, stdout } = await run(['--backend', failing, '--cases', 'CIP-L-S1']);
    expect(stdout).toMatch(/actual +the backend failed: IPv[46] syncs failed 8 times in a row: no such pump$/m);
    expect(stdout.match(/no such pump/g)).toHaveLength(1);
    expect(status).toBe(1);
  });

  test('a backend that cannot run on this host is reported once, without failed cases', async () => {
    const { status, stdout, stderr } = await run(['--backend', unusable, '--cases', 'EXT-L-*']);
    expect(stdout).toBe('');
    expect(stderr).toBe('cannot use proxy mode failing: the pump is missing\n');
    expect(status).toBe(2);
  });

  test('cases interrupted by Ctrl-C at a terminal, which all processes receive, are not reported as failed', async () => {
    const child = spawn(process.execPath, [COMMAND, '--backend', idling, '--cases', 'endpoint-added', '--jobs', '1'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let output = '';
    const interrupt = () => process.kill(-(child.pid as number), 'SIGINT');
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const runs = setInterval(() => {
      if (existsSync(join(directory, 'applies'))) {
        clearInterval(runs);
        interrupt();
      }
    }, 50);
    const [status] = await once(child, 'close');
    clearInterval(runs);
    expect(output).toContain('0 failed');
    expect(output).toContain('interrupted');
    expect(output).not.toContain('FAIL');
    expect(status).toBe(2);
  }, 60_000);

  test('Ctrl-C while a sandbox is kept removes its namespaces', async () => {
    const nftables = fileURLToPath(new URL('../../../nftables/dist/index.js', import.meta.url));
    const args = ['--backend', nftables, '--cases', 'CIP-L-S3', '--keep'];
    let shown = '';
    const { status, pid } = await run(args, (text, interrupt) => {
      if (shown === '' && text.includes('Ctrl-C removes it')) {
        shown = text;
        interrupt();
      }
    });
    expect(shown).toMatch(/node +nsenter --net=\/run\/netns\/kpx-\d+-1-node bash/);
    expect(status).toBe(0);
    expect(readdirSync('/run/netns').filter((name) => name.startsWith(`kpx-${pid}-`))).toEqual([]);
  });
});
