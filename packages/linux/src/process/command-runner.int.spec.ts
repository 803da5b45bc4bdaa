import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { until } from '@kube-proxier/core/testing';
import { CollectedOutput } from './child-program.js';
import { createCommandRunner } from './command-runner.js';
import { CommandSession } from './command-session.js';
import { type SlowCommand, slowCommands, superviseProcess } from './process-group.js';

const runner = createCommandRunner();
let directory = '';

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'command-runner-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

async function tool(text: string): Promise<string> {
  const path = join(directory, 'tool');
  await writeFile(path, `#!/bin/sh\n${text}`, { mode: 0o755 });
  return path;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const LONG = 100_000;

describe('a program that hangs', () => {
  test('is killed with its descendants, also when these hold its pipes open', async () => {
    const command = await tool(`sleep 1000 & echo $! > ${join(directory, 'descendant')}; sleep 1000`);
    const before = performance.now();
    await expect(runner.run({ command, args: [], stdin: 'x'.repeat(1 << 20), timeout: 500 })).rejects.toMatchObject({
      code: 'COMMAND_TIMED_OUT',
      message: expect.stringContaining('did not end within 500 ms and was stopped'),
    });
    expect(performance.now() - before).toBeLessThan(LONG);
    const descendant = Number(await readFile(join(directory, 'descendant'), 'utf8'));
    await until(() => !isAlive(descendant));
  });

  test('is killed when it is aborted', async () => {
    const outdated = new AbortController();
    const run = runner.run({ command: 'sh', args: ['-c', 'sleep 300; true'], signal: outdated.signal });
    outdated.abort();
    await expect(run).rejects.toMatchObject({ code: 'COMMAND_KILLED' });
    const late = runner.run({ command: 'sleep', args: ['300'], signal: outdated.signal });
    await expect(late).rejects.toMatchObject({ code: 'COMMAND_KILLED' });
  });

  test('does not block the caller when a descendant has left its process group', async () => {
    const command = await tool(
      `setsid sh -c 'echo $$ > ${join(directory, 'descendant')}; exec sleep 1000' & sleep 1000`,
    );
    await expect(runner.run({ command, args: [], timeout: 1000 })).rejects.toMatchObject({ code: 'COMMAND_TIMED_OUT' });
    process.kill(Number(await readFile(join(directory, 'descendant'), 'utf8')), 'SIGKILL');
  });
});

describe('a program that ends, and leaves a descendant that holds its pipes open', () => {
  test('succeeds with its exit code 0', async () => {
    const command = await tool(`echo done; setsid sleep 1000 & echo $! > ${join(directory, 'descendant')}; exit 0`);
    await expect(runner.run({ command, args: [] })).resolves.toMatchObject({ stdout: 'done\n' });
    process.kill(Number(await readFile(join(directory, 'descendant'), 'utf8')), 'SIGKILL');
  });

  test('fails with its exit code', async () => {
    const command = await tool(
      `echo 'no such chain' >&2; setsid sleep 1000 & echo $! > ${join(directory, 'descendant')}; exit 3`,
    );
    await expect(runner.run({ command, args: [] })).rejects.toMatchObject({
      code: 'COMMAND_FAILED',
      exitCode: 3,
      message: expect.stringContaining('no such chain'),
    });
    process.kill(Number(await readFile(join(directory, 'descendant'), 'utf8')), 'SIGKILL');
  });
});

test.each([
  [{ prefix: 'nsenter' }, `option prefix of createCommandRunner is "nsenter"; it must be a list of texts`],
  [{ prefix: [3] }, 'option prefix of createCommandRunner is [3]'],
  [{ networkNamespace: 3 }, 'option networkNamespace of createCommandRunner is 3; it must be a text'],
  [{ prefixes: [] }, 'createCommandRunner has no option "prefixes"'],
  ['nsenter', 'the options of createCommandRunner are "nsenter"'],
])('refuses the options %j', (options, message) => {
  expect(() => createCommandRunner(options as never)).toThrow(
    expect.objectContaining({ code: 'COMMAND_RUNNER_OPTION', message: expect.stringContaining(message) }),
  );
});

test('a program that cannot be started for lack of descriptors fails with the remedy, and does not end this process', async () => {
  // In another process: the limit concerns all of its descriptors.
  const script = `
    import { openSync } from 'node:fs';
    import { createCommandRunner } from ${JSON.stringify(new URL('../../dist/process/command-runner.js', import.meta.url).href)};
    const runner = createCommandRunner();
    await runner.run({ command: 'true', args: [] });
    try {
      for (;;) openSync('/dev/null');
    } catch {}
    const ended = [];
    for (const request of [{ command: 'true', args: [] }, { command: 'cat', args: [], stdin: 'x' }]) {
      ended.push(await runner.run(request).catch(({ code, message }) => ({ code, message })));
    }
    ended.push(await runner.start({ command: 'cat', args: [] }, { stdout() {} }).ended);
    process._rawDebug(JSON.stringify(ended));
    process.exit(7);`;
  const limited = ['-c', 'ulimit -n 512; exec "$0" --input-type=module --eval "$1"', process.execPath, script];
  const child = spawn('sh', limited, { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [status] = await once(child, 'close');
  expect({ status, output: JSON.parse(output) }).toEqual({
    status: 7,
    output: [
      { code: 'COMMAND_NOT_STARTED', message: expect.stringMatching(/^true cannot be started: .*open files; raise/) },
      { code: 'COMMAND_NOT_STARTED', message: expect.stringMatching(/^cat cannot be started: .*open files; raise/) },
      { failure: 'not-started' },
    ],
  });
});

test('a program whose arguments are too long fails with the reason', async () => {
  // Node throws this error of the system call at once, unlike those of a missing program.
  const args = ['x'.repeat(1 << 20)];
  const error = await runner.run({ command: 'true', args }).catch((reason: Error) => reason);
  expect(error).toMatchObject({ code: 'COMMAND_NOT_STARTED', message: 'true cannot be started: E2BIG' });
  expect(error).toHaveProperty('cause.code', 'E2BIG');
  await expect(runner.start({ command: 'true', args }, {}).ended).resolves.toMatchObject({ failure: 'not-started' });
});

test('a program that does not stop printing is killed, with its descendants', async () => {
  const run = runner.run({ command: 'sh', args: ['-c', 'cat /dev/zero; true'] });
  await expect(run).rejects.toMatchObject({
    code: 'COMMAND_KILLED',
    message: expect.stringMatching(/^sh printed more than 268435456 bytes and was stopped/),
  });
});

test('a character that arrives in two parts is one character', async () => {
  // A pipe holds a number of bytes that no multiple of three equals.
  const text = '€'.repeat(200_000);
  const { stdout } = await runner.run({ command: 'cat', args: [], stdin: text });
  expect(stdout === text).toBe(true);
  let heard = '';
  const listener = (part: string) => (heard += part);
  const halves = `printf 'a\\342\\202'; read line; printf '\\254'; cat`;
  const running = runner.start({ command: 'sh', args: ['-c', halves] }, { stdout: listener });
  await until(() => heard === 'a');
  running.write('\n');
  await until(() => heard === 'a€');
  running.stop();
});

test('an output that cannot be read is not a short one', async () => {
  const output = new PassThrough();
  const collected = new CollectedOutput(output, undefined);
  output.write('*nat');
  await until(() => collected.text === '*nat');
  expect(collected.error).toBeUndefined();
  output.destroy(new Error('EIO'));
  await until(() => collected.error !== undefined);
});

test('a program that succeeds without reading its input is no error', async () => {
  const stdin = 'x'.repeat(1 << 22);
  await expect(runner.run({ command: 'true', args: [], stdin })).resolves.toMatchObject({ stdout: '' });
});

test('a long-running program is stopped with its descendants', async () => {
  const command = await tool(`sleep 1000 & echo $! > ${join(directory, 'descendant')}; echo ready; sleep 1000`);
  let output = '';
  const running = runner.start({ command, args: [] }, { stdout: (text) => (output += text) });
  await until(() => output.includes('ready'));
  running.stop();
  await running.ended;
  const descendant = Number(await readFile(join(directory, 'descendant'), 'utf8'));
  await until(() => !isAlive(descendant));
});

test('a slow program is reported with its name, while it runs', async () => {
  const reported: SlowCommand[] = [];
  const note = (message: unknown) => reported.push(message as SlowCommand);
  slowCommands.subscribe(note);
  const child = spawn('sleep', ['1000'], { detached: true });
  const supervised = superviseProcess('sleep', child, once(child, 'close'), LONG, 50);
  await until(() => reported.length > 0);
  slowCommands.unsubscribe(note);
  expect(reported).toEqual([{ command: 'sleep', pid: child.pid, elapsed: expect.any(Number), timeout: LONG }]);
  child.kill('SIGKILL');
  await expect(supervised).resolves.toBe('ended');
});

test('a long-running program that does not answer a request is reported with its name', async () => {
  const reported: SlowCommand[] = [];
  const note = (message: unknown) => reported.push(message as SlowCommand);
  slowCommands.subscribe(note);
  const command = await tool('read request; sleep 1000');
  const session = new CommandSession(runner.start, { command, args: [] }, 50);
  const unanswered = session.exchange('request\n', () => undefined, LONG);
  await until(() => reported.length > 0);
  slowCommands.unsubscribe(note);
  expect(reported).toEqual([{ command, pid: session.pid, elapsed: expect.any(Number), timeout: LONG }]);
  session.stop();
  await expect(unanswered).resolves.toBeUndefined();
});
