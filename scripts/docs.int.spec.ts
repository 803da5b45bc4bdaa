import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { failuresOf } from '@kube-proxier/network-sandbox';
import { AgentOnNode, NODE_PORT } from '../packages/agent/src/testing/agent-on-node.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');

const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');

interface Command {
  readonly command: string;
  /** What it prints; undefined in a line stands for anything, on that line or over any number of lines. */
  readonly output: string;
}

/** Commands after `$` in console blocks, each with the lines up to the next. */
function commandsOf(page: string): readonly Command[] {
  return [...read(page).matchAll(/```console\n(.*?)```/gs)].flatMap(([, block = '']) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((part) => {
        const [, command = '', output = ''] = /^((?:.*\\\n)*.*)\n?([\s\S]*)$/.exec(part) ?? [];
        return { command, output };
      }),
  );
}

/** `…` by itself on a line is any number of lines; within a line, any text. */
function matcherOf(output: string): RegExp {
  const escaped = output
    .trimEnd()
    .split('\n')
    .map((line) =>
      line === '…' ? '(?:.*\\n)*?.*' : line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*'),
    );
  return new RegExp(`^${escaped.join('\\n')}$`);
}

const canHaveNamespace = spawnSync('unshare', ['--net', 'true']).status === 0;
const RUN = ['docs/getting-started.md', 'docs/operating.md'];

(canHaveNamespace ? describe : describe.skip)('commands print what it says', () => {
  test.each(RUN)('%s', (page) => {
    const commands = commandsOf(page);
    expect(commands.length).toBeGreaterThan(0);
    // One shell for the page, in a network namespace of its own, so that a command finds what the one before left.
    const script = [
      'ip link set lo up',
      'trap "kill $(jobs -p) 2>/dev/null" EXIT',
      ...commands.map(({ command }, index) => `${command}\necho "<<${index}:$?>>"`),
    ].join('\n');
    const { stdout } = spawnSync(
      'unshare',
      ['--net', '--pid', '--fork', '--kill-child', '--mount-proc', 'bash', '-c', script],
      {
        cwd: ROOT,
        encoding: 'utf8',
        timeout: 90_000,
        env: { ...process.env, npm_config_loglevel: 'error' },
      },
    );
    let rest = stdout;
    const said = commands.map(({ command }, index) => {
      const mark = new RegExp(`<<${index}:(\\d+)>>\\n`).exec(rest);
      const output = rest.slice(0, mark?.index ?? rest.length);
      rest = mark === null ? '' : rest.slice(mark.index + mark[0].length);
      return { command, output: output.trimEnd() };
    });
    for (const [index, { command, output }] of commands.entries()) {
      if (output.trim() !== '') {
        expect(said[index]).toEqual({ command, output: expect.stringMatching(matcherOf(output)) });
      }
    }
  });
});

describe('code compiles, and what needs no kernel runs', () => {
  const blocks = [...read('docs/embedding.md').matchAll(/```ts\n(.*?)```/gs)].map(([, code = '']) => code);
  let directory: string;
  let files: readonly string[];

  beforeAll(() => {
    directory = mkdtempSync(join(ROOT, 'node_modules/.docs-'));
    files = blocks.map((_code, index) => join(directory, `block-${index}.ts`));
    writeFileSync(join(directory, 'package.json'), '{"type": "module"}');
    for (const [index, code] of blocks.entries()) {
      writeFileSync(files[index] as string, code);
    }
  });

  afterAll(() => rmSync(directory, { recursive: true }));

  test('docs/embedding.md', () => {
    expect(files).toHaveLength(5);
    const options = [
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--strict',
      '--skipLibCheck',
      '--types',
      'node',
      '--ignoreConfig',
    ];
    const { stdout, status } = spawnSync(process.execPath, [TSC, ...options, ...files], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect([stdout, status]).toEqual(['', 0]);
    const last = (files.at(-1) as string).replace(/ts$/, 'js');
    expect(spawnSync(process.execPath, [last], { encoding: 'utf8' }).stdout).toBe('forwarded\n');
  });
});

describe('a backend that is typed as the guide has it', () => {
  const guide = read('docs/writing-a-backend.md');
  const fileOf = (name: string) => guide.split(`<!-- ${name} -->`)[1]?.match(/```\w+\n(.*?)```/s)?.[1] ?? '';
  let directory: string;

  beforeAll(() => {
    directory = mkdtempSync(join(ROOT, 'node_modules/.docs-'));
    mkdirSync(join(directory, 'src'));
    writeFileSync(join(directory, 'package.json'), '{"type": "module"}');
    for (const name of ['tsconfig.json', 'src/index.ts']) {
      writeFileSync(join(directory, name), fileOf(name));
    }
  });

  afterAll(() => rmSync(directory, { recursive: true }));

  test('compiles', () => {
    const { stdout, status } = spawnSync(process.execPath, [TSC], { cwd: directory, encoding: 'utf8' });
    expect([stdout, status]).toEqual(['', 0]);
  });

  (canHaveNamespace ? test : test.skip)(
    'still serves when the agent has taken over from other modes',
    async () => {
      const node = await AgentOnNode.create('nft');
      try {
        const { ipv4 } = node.sandbox.pod(1);
        await node.sandbox.node.exec(['nft', 'add', 'table', 'ip', 'kube-proxy']);
        node.write(ipv4);
        node.start('first-packet', `--backend=${join(directory, 'dist/src/index.js')}`);
        await node.until('the takeover has ended', () => node.log.includes('No leftovers of other proxy modes found'));
        expect(node.log).toContain('Removed what kube-proxy in mode nftables had installed: 1 table: ip kube-proxy');
        const client = await node.sandbox.client.startClient({ to: node.sandbox.node.ipv4, port: NODE_PORT }, 20);
        await client.moreAttempts(50);
        expect(failuresOf(await client.stop())).toBe(0);
      } finally {
        await node.close();
      }
    },
    180_000,
  );

  (canHaveNamespace ? test : test.skip)(
    'serves the first packets',
    () => {
      const kit = join(ROOT, 'packages/conformance/bin/kube-proxier-conformance.js');
      const args = [kit, '--backend', './dist/src/index.js', '--cases', 'endpoint-added', '--patience', '3'];
      const { stdout } = spawnSync(process.execPath, args, { cwd: directory, encoding: 'utf8', timeout: 90_000 });
      expect(stdout).toContain('first-packet: 1 passed, 0 failed');
    },
    100_000,
  );
});
