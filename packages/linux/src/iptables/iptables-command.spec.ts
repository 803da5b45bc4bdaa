import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { until } from '@kube-proxier/core/testing';
import { ConntrackTool } from '../conntrack/conntrack-tool.js';
import { createNft } from '../nftables/nft-program.js';
import {
  CommandError,
  type CommandRequest,
  type CommandRunner,
  createCommandRunner,
  type RunningCommandEnd,
} from '../process/command-runner.js';
import { createIptables, parseIptablesVersion } from './iptables-command.js';
import { detectIptablesVariant } from './iptables-variant.js';

function failing(exitCode: number, stderr: string, times = Number.POSITIVE_INFINITY): CommandRunner & { runs: number } {
  return {
    runs: 0,
    async run(request) {
      this.runs++;
      if (this.runs > times) {
        return { stdout: '', stderr: '' };
      }
      throw new CommandError('exit-code', request.command, exitCode, undefined, stderr, 'it failed');
    },
  };
}

describe('createIptables', () => {
  const make = (runner: CommandRunner) => createIptables({ family: 'IPv4', runner });

  test('waits for the lock for a limited time', async () => {
    const busy =
      'Another app is currently holding the xtables lock; still 0s 0us time ahead to have a chance to grab the lock...';
    const runner = failing(4, busy);
    await expect(make(runner).restore('*nat\nCOMMIT\n')).rejects.toMatchObject({ code: 'IPTABLES_LOCKED' });
    expect(runner.runs).toBe(3);
    await make(failing(4, busy, 2)).restore('*nat\nCOMMIT\n');
  });

  test('saves tables concurrently, and serializes everything else in the order of the calls', async () => {
    const events: string[] = [];
    const ends: (() => void)[] = [];
    const iptables = make({
      run: async ({ command }) => {
        events.push(`begin ${command}`);
        await new Promise<void>((resolve) => ends.push(resolve));
        events.push(`end ${command}`);
        return { stdout: '', stderr: '' };
      },
    });
    const calls = [
      iptables.save('nat'),
      iptables.save('filter'),
      iptables.restore('*nat\nCOMMIT\n'),
      iptables.save('nat'),
      iptables.restore('*nat\nCOMMIT\n'),
    ];
    const inProgress = async (count: number) => {
      await until(() => ends.length === count);
      for (const end of ends.splice(0)) {
        end();
      }
    };
    await inProgress(2);
    await inProgress(1);
    await inProgress(1);
    await inProgress(1);
    await Promise.all(calls);
    const [save, restore] = ['iptables-save', 'iptables-restore'];
    expect(events).toEqual([
      ...[`begin ${save}`, `begin ${save}`, `end ${save}`, `end ${save}`],
      ...[restore, save, restore].flatMap((program) => [`begin ${program}`, `end ${program}`]),
    ]);
  });

  test('reports missing permission', async () => {
    const runner = failing(
      4,
      'iptables v1.8.9 (nf_tables): Could not fetch rule set generation id: Permission denied (you must be root)\n',
    );
    await expect(make(runner).save('nat')).rejects.toMatchObject({
      code: 'IPTABLES_PERMISSION_DENIED',
      kind: 'permission-denied',
    });
    expect(await make(runner).isPresent()).toBe(false);
  });

  test('reports that a file is not a program, rather than missing permission', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tools-'));
    try {
      await writeFile(join(directory, 'tool'), '', { mode: 0o644 });
      const runner: CommandRunner = {
        run: (request) => createCommandRunner().run({ ...request, command: join(directory, 'tool') }),
      };
      const message = expect.stringMatching(/tool may not be run by this user; check its mode/);
      await expect(make(runner).version()).rejects.toMatchObject({
        code: 'IPTABLES_PERMISSION_DENIED',
        kind: 'permission-denied',
        message,
      });
      await expect(createNft({ runner }).version()).rejects.toMatchObject({
        code: 'NFT_PERMISSION_DENIED',
        kind: 'permission-denied',
        message,
      });
      await expect(new ConntrackTool(runner).list('IPv4', 'UDP')).rejects.toMatchObject({
        code: 'CONNTRACK_NOT_PERMITTED',
        message,
      });
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  test.each([
    ['iptables-restore: line 3 failed\n', 3],
    ['iptables-nft-restore: line 3 failed: No chain/target/match by that name.\n', 3],
    [
      'iptables-restore v1.8.9 (legacy): unknown option "--foo"\nError occurred at line: 2\nTry `x -h\' for more information.\n',
      2,
    ],
    ['iptables-nft-restore v1.8.9 (nf_tables): \nline 3: CHAIN_DEL failed (Device or resource busy): chain A\n', 3],
    ['something else\n', undefined],
  ])('finds the refused line: %s', async (stderr, line) => {
    const text = line === undefined ? undefined : ['*nat', ':A - [0:0]', '-X A', 'COMMIT'][line - 1];
    const refused = make(failing(1, stderr)).restore('*nat\n:A - [0:0]\n-X A\nCOMMIT\n');
    await expect(refused).rejects.toMatchObject({ code: 'IPTABLES_DOCUMENT_REFUSED', line, lineText: text });
  });

  test('runs one call at a time', async () => {
    let running = 0;
    const seen: CommandRequest[] = [];
    const runner: CommandRunner = {
      async run(request) {
        expect(++running).toBe(1);
        seen.push(request);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        return { stdout: '', stderr: '' };
      },
    };
    const iptables = make(runner);
    await Promise.all([iptables.restore('a'), iptables.save('nat'), iptables.restore('b')]);
    expect(seen.map((request) => request.command)).toEqual(['iptables-restore', 'iptables-save', 'iptables-restore']);
    expect(seen[0]).toMatchObject({ args: ['--noflush', '-w', '5'], stdin: 'a', stdout: 'ignore' });
  });

  test('a long-running tool that is killed, or hangs, in the middle of a document: the outcome is reported as unknown', async () => {
    const gone = { failure: 'signal', exitCode: undefined, signal: 'SIGKILL' } as const;
    let starts = 0;
    const staying = (runner: CommandRunner) => createIptables({ family: 'IPv4', variant: 'nft', runner });
    const runner = (ended: () => Promise<RunningCommandEnd>): CommandRunner => ({
      run: async () => ({ stdout: '', stderr: '' }),
      start: () => {
        starts += 1;
        return { pid: undefined, write: () => {}, stop: () => {}, ended: ended() };
      },
    });
    await expect(staying(runner(async () => gone)).restore('*nat\nCOMMIT\n')).rejects.toMatchObject({
      code: 'IPTABLES_FAILED',
      message: expect.stringContaining('was killed'),
    });
    const silent = runner(() => new Promise(() => {}));
    const impatient = createIptables({ family: 'IPv4', variant: 'nft', runner: silent, timeout: 5 });
    await expect(impatient.restore('*nat\nCOMMIT\n')).rejects.toMatchObject({ code: 'IPTABLES_TIMED_OUT' });
    expect(starts).toBe(2);
    const missing = runner(async () => ({ ...gone, failure: 'not-found' }));
    await expect(staying(missing).restore('*nat\nCOMMIT\n')).rejects.toMatchObject({ code: 'IPTABLES_MISSING' });
  });

  test('reports missing programs, and stops programs that hang', async () => {
    const runner = createCommandRunner();
    await expect(runner.run({ command: 'kube-proxier-no-such-program', args: [] })).rejects.toMatchObject({
      code: 'COMMAND_NOT_FOUND',
    });
    await expect(runner.run({ command: 'sleep', args: ['60'], timeout: 20 })).rejects.toMatchObject({
      code: 'COMMAND_TIMED_OUT',
    });
    await expect(runner.run({ command: 'sh', args: ['-c', 'echo no >&2; exit 3'] })).rejects.toMatchObject({
      code: 'COMMAND_FAILED',
      exitCode: 3,
      stderr: 'no\n',
    });
    const big = 'x'.repeat(1_000_000);
    expect((await runner.run({ command: 'cat', args: [], stdin: big })).stdout).toBe(big);
    await runner.run({ command: 'true', args: [], stdin: big, stdout: 'ignore' });
  });

  test('distinguishes a missing tool from a failing tool', async () => {
    const runner: CommandRunner = {
      run: async ({ command }) => {
        throw new CommandError('not-found', command, undefined, undefined, '', 'not there');
      },
    };
    await expect(make(runner).save('nat')).rejects.toMatchObject({ code: 'IPTABLES_MISSING' });
    expect(await detectIptablesVariant(runner)).toMatchObject({ variant: undefined });
  });
});

describe('variants', () => {
  const saying = (outputs: Readonly<Record<string, string>>): CommandRunner => ({
    run: async ({ command }) => {
      const stdout = outputs[command];
      if (stdout === undefined) {
        throw new CommandError('not-found', command, undefined, undefined, '', 'not there');
      }
      return { stdout, stderr: '' };
    },
  });
  const some = '*nat\n:A - [0:0]\n-A A -j RETURN\nCOMMIT\n';
  const hint = '*mangle\n:KUBE-IPTABLES-HINT - [0:0]\nCOMMIT\n';

  test.each([
    [{ 'iptables-nft-save': '', 'iptables-legacy-save': some, 'ip6tables-nft-save': hint }, 'nft'],
    [{ 'iptables-nft-save': some, 'iptables-legacy-save': hint }, 'legacy'],
    [{ 'iptables-nft-save': some, 'iptables-legacy-save': '' }, 'nft'],
    [{ 'iptables-nft-save': '', 'iptables-legacy-save': some }, 'legacy'],
    [{ 'iptables-nft-save': '', 'iptables-legacy-save': '', iptables: 'iptables v1.8.9 (legacy)' }, 'legacy'],
    [{ 'iptables-legacy-save': '', iptables: 'iptables v1.8.9 (nf_tables)' }, 'legacy'],
    [{ iptables: 'iptables v1.6.1' }, 'legacy'],
  ])('%j is %s', async (outputs, variant) => {
    expect(await detectIptablesVariant(saying(outputs))).toMatchObject({ variant });
  });

  test('versions', () => {
    expect(parseIptablesVersion('iptables v1.8.9 (nf_tables)\n')).toEqual({
      text: '1.8.9',
      variant: 'nft',
      randomFully: true,
    });
    expect(parseIptablesVersion('iptables v1.6.1\n')).toEqual({ text: '1.6.1', variant: 'legacy', randomFully: false });
    expect(parseIptablesVersion('nonsense')).toBeUndefined();
  });
});
