import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { casesOf } from '@kube-proxier/core/testing';

const BUILD = fileURLToPath(new URL('../dist/index.js', import.meta.url));
/** Generous timeout for busy machines; the test distinguishes a second from minutes. */
const BUSY = 10;
const MEBIBYTE = 1024 * 1024;

/** A separate process with a ManifestSource, for its own memory and event loop. */
const PROGRAM = `
import { writeFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { ManifestSource } from ${JSON.stringify(BUILD)};
const [directory, hostile, atStart] = process.argv.slice(1);
const files = JSON.parse(hostile).map(({ name, make }) => ({ name, text: (0, eval)(make)() }));
const isHostile = (line) => files.some(({ name }) => line.includes(name));
const service = (name, address) => 'apiVersion: v1\\nkind: Service\\nmetadata: {name: ' + name + '}\\nspec: {clusterIP: ' + address + ', ports: [{port: 80}]}\\n';
const write = (name, text) => {
  writeFileSync(join(directory, '.next'), text);
  renameSync(join(directory, '.next'), join(directory, name));
};
const lines = [];
const say = (line) => lines.push(line);
const inForce = new Map();
const handler = {
  onServiceUpdate: (previous, current) => {
    if (current) inForce.set(current.metadata.name, performance.now());
    else inForce.delete(previous.metadata.name);
  },
  onEndpointsUpdate() {}, onServicesSynced() {}, onEndpointsSynced() {}, onNodeUpdate() {}, onServiceCIDRsUpdate() {},
};
const until = async (holds) => {
  const end = performance.now() + 100_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error('never: ' + holds + '\\n' + lines.join('\\n'));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};
let lag = 0;
let last = performance.now();
setInterval(() => {
  lag = Math.max(lag, performance.now() - last);
  last = performance.now();
}, 5);
const logger = { debug: (level, line) => say(line), info: say, warn: say, error: say, v: () => true };
const source = new ManifestSource({ path: directory, logger });
write('first.yaml', service('first', '10.96.0.1'));
files.forEach(({ name, text }, index) => write(name, atStart === 'true' ? text : service('kept' + index, '10.96.1.' + index)));
const begun = performance.now();
await source.start(handler, { nodeName: 'node1' });
const started = performance.now() - begun;
gc();
await new Promise((resolve) => setTimeout(resolve, 100));
lag = 0;
last = performance.now();
const before = process.memoryUsage().rss;
let most = 0;
const watching = setInterval(() => { most = Math.max(most, process.memoryUsage().rss); }, 20);
const written = performance.now();
write('second.yaml', service('second', '10.96.0.3'));
if (atStart === 'false') for (const { name, text } of files) write(name, text);
await until(() => inForce.has('second'));
const second = inForce.get('second') - written;
await until(() => inForce.size > 1000 || files.every(({ name }) => lines.some((line) => line.includes(name))));
const reported = performance.now() - written;
clearInterval(watching);
console.log(JSON.stringify({
  started, second, reported, lag, most: most - before, lines: lines.filter(isHostile).map((line) => line.slice(0, 400)),
  kept: files.every((_, index) => inForce.has('kept' + index)), objects: inForce.size,
}));
await source.stop();
process.exit(0);
`;

interface Report {
  readonly started: number;
  readonly second: number;
  readonly reported: number;
  readonly lag: number;
  readonly most: number;
  readonly lines: readonly string[];
  readonly kept: boolean;
  readonly objects: number;
}

interface HostileFile {
  readonly name: string;
  /** A JavaScript function that returns its content. */
  readonly make: string;
}

function run(files: readonly HostileFile[], atStart: boolean): Report {
  const directory = mkdtempSync(join(tmpdir(), 'hostile-manifests-'));
  try {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--expose-gc', '--input-type=module', '-e', PROGRAM, directory, JSON.stringify(files), String(atStart)],
      { encoding: 'utf8', timeout: 180_000, killSignal: 'SIGKILL' },
    );
    if (status !== 0) {
      throw new Error(`status ${status}: ${stderr.slice(-3000)}`);
    }
    return JSON.parse(stdout) as Report;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const MALFORMED = 'is malformed: until it is fixed, its last good objects (1) stay in force';
const CONFIG_MAP = `'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: large}\\ndata:\\n'`;

type HostileCase = readonly [what: string, name: string, make: string, logged: string];

/** The content of one file, and the beginning of the log message about it. */
const CASES = casesOf<HostileCase>(
  [
    ['5,000,000 opening brackets', 'big.json', `() => '['.repeat(5e6)`, 'is nested too deeply'],
    [
      'a ConfigMap with 10,000 keys',
      'map.yaml',
      `() => ${CONFIG_MAP} + Array.from({length: 1e4}, (_, i) => '  "key ' + i + '": {a: [' + i + ']}\\n').join('')`,
      'ignored ConfigMap',
    ],
    [
      'aliases of aliases',
      'bomb.yaml',
      `() => 'a0: &a0 [x,x,x,x,x,x,x,x,x]\\n' + Array.from({length: 30}, (_, i) => 'a' + (i + 1) + ': &a' + (i + 1) + ' [' + ('*a' + i + ',').repeat(9) + ']\\n').join('')`,
      'Excessive alias count',
    ],
    [
      'a list with 15 million values',
      'wide.json',
      `() => '{"a":[' + '1,'.repeat(15e6) + '1]}'`,
      'values, more than the',
    ],
    ['a million documents', 'documents.yaml', `() => '---\\na: [1]\\n'.repeat(1e6)`, ''],
  ],
  [
    [
      '600 kB of deep objects',
      'deep.json',
      `() => '{"a":'.repeat(1e5) + '1' + '}'.repeat(1e5)`,
      'is nested too deeply',
    ],
    [
      'a large JSON that breaks off',
      'cut.json',
      `() => '{"kind":"List","items":[' + '{"a":"b"},'.repeat(2e5)`,
      'is not valid JSON',
    ],
    [
      'a million lines of comments before something',
      'comments.yaml',
      `() => '# nothing\\n'.repeat(1e6) + '{}\\n'`,
      'is missing or not a text',
    ],
    ['a million aliases', 'bomb.yaml', `() => 'a: &a x\\nb: [' + '*a,'.repeat(5e5) + ']\\n'`, ''],
    ['an open quote of 5 MB', 'quote.json', `() => '"' + '\\\\"'.repeat(25e5)`, 'is not valid JSON'],
    ['lists in lists', 'dashes.yaml', `() => '- '.repeat(2e5)`, 'is nested too deeply'],
    ['5,000,000 opening brackets in YAML', 'big.yaml', `() => '['.repeat(5e6)`, 'is nested too deeply'],
    ['5,000,000 opening brackets in a field', 'big.yaml', `() => 'a: ' + '['.repeat(5e6)`, 'is nested too deeply'],
    ['600 kB of deep JSON', 'deep.json', `() => '['.repeat(3e5) + ']'.repeat(3e5)`, 'is nested too deeply'],
    [
      'a ConfigMap with a program in it',
      'map.yaml',
      `() => ${CONFIG_MAP} + '  program: >\\n' + '    a [[ b {{ c\\n'.repeat(2e5)`,
      'ignored ConfigMap',
    ],
    [
      '2 MB of newlines before something',
      'newlines.yaml',
      `() => '\\n'.repeat(2e6) + '{}\\n'`,
      'is missing or not a text',
    ],
    ['a flow list with a million items', 'wide.yaml', `() => 'a: [' + 'x,'.repeat(1e6) + ']\\n'`, ''],
    [
      '20 MB in one list',
      'wide.yaml',
      `() => 'a: [' + 'x,'.repeat(1e7) + ']\\n'`,
      'that are read of what is not plain block style',
    ],
    ['questions in questions', 'questions.yaml', `() => '? '.repeat(2e5)`, 'is nested too deeply'],
  ],
);

/** Small files, which are read at once: content that could overflow the stack or take excessive time. */
const DEEP = ['[', '- ', '? ', ': ', '{a: ', 'a: ', '- [', '? [', '&a [', '"a": ', '[}', '["]"', "{'}': ", '[ # ]\n'];

test.each(casesOf(['yaml'], ['json']))('16 kB of each piece that nests are refused at once, as %s', (format) => {
  const files = DEEP.map((piece, index) => ({
    name: `deep-${index}.${format}`,
    make: `() => ${JSON.stringify(piece)}.repeat(${Math.floor(16_000 / piece.length)})`,
  }));
  const report = run(files, false);
  expect(report.kept).toBe(true);
  expect(report.lag).toBeLessThan(150 * BUSY);
  for (const [index, { name }] of files.entries()) {
    const logged = report.lines.filter((line) => line.includes(name)).join('\n');
    expect({ piece: DEEP[index], logged }).toEqual({
      piece: DEEP[index],
      logged: expect.stringContaining('is nested too deeply'),
    });
  }
});

describe('for any content of one file, the others are in force soon, and the process keeps running', () => {
  test.each(CASES)('%s', (_what, name, make, logged) => {
    const report = run([{ name, make }], false);
    expect(report.second).toBeLessThan(1000 * BUSY);
    expect(report.lag).toBeLessThan(150 * BUSY);
    expect(report.most / MEBIBYTE).toBeLessThan(160);
    if (process.env.HOSTILE_MANIFESTS_REPORT) {
      process.stderr.write(`${JSON.stringify({ _what, ...report, most: Math.round(report.most / MEBIBYTE) })}\n`);
    }
    expect(report.kept || logged.startsWith('ignored')).toBe(true);
    expect(report.lines.join('\n')).toContain(logged);
    if (!logged.startsWith('ignored')) {
      expect(report.lines).toContainEqual(expect.stringContaining(MALFORMED));
    }
  });

  test.each(
    casesOf<readonly [what: string, name: string, make: string]>(
      [['aliases that take too much memory', 'bomb.yaml', `() => 'a: &a x\\nb: [' + '*a,'.repeat(3e5) + ']\\n'`]],
      [['5,000,000 opening brackets', 'big.json', `() => '['.repeat(5e6)`]],
    ),
  )('%s exist at the start', (_what, name, make) => {
    const report = run([{ name, make }], true);
    expect(report.started).toBeLessThan(2000 * BUSY);
    expect(report.objects).toBe(2);
    expect(report.lines.join('\n')).toContain('none of its objects is in force');
  });

  test.each(
    casesOf<readonly [what: string, join: string, head?: string]>(
      [['documents', `.join('---\\n')`]],
      [
        [
          'items of a list',
          `.map((text) => '- ' + text.trim().split('\\n').join('\\n  ') + '\\n').join('')`,
          'apiVersion: v1\\nkind: List\\nitems:\\n',
        ],
      ],
    ),
  )(
    '10,000 Services as %s of one file of 6.5 MB are in force within 3 s of a quiet machine',
    (_what, join, head = '') => {
      const one = `(_, i) => 'apiVersion: v1\\nkind: Service\\nmetadata:\\n  name: s' + i + '\\n  annotations:\\n    note: "' + 'x'.repeat(430) + '"\\nspec:\\n  clusterIP: 10.96.' + (i >> 8) + '.' + (i & 255) + '\\n  ports:\\n  - name: http\\n    port: 80\\n    protocol: TCP\\n    targetPort: 8080\\n  selector:\\n    app: a' + i + '\\n'`;
      const make = `() => '${head}' + Array.from({ length: 1e4 }, ${one})${join} + '# many.yaml'`;
      const report = run([{ name: 'many.yaml', make }], true);
      expect(report.objects).toBe(10_002);
      expect(report.started).toBeLessThan(3000 * 4);
    },
  );
});

test('an idle thread keeps no process alive', () => {
  const parser = fileURLToPath(new URL('../dist/manifest-parser.js', import.meta.url));
  const program = `
    import { ManifestParser } from ${JSON.stringify(parser)};
    const bytes = new Uint8Array(100_000).fill(10);
    console.log(JSON.stringify(await new ManifestParser().parse('a.yaml', bytes, {})));`;
  const begin = performance.now();
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  expect({ status, ...JSON.parse(stdout) }).toEqual({ status: 0, objects: [], problems: [], ignored: [] });
  expect(performance.now() - begin).toBeLessThan(60_000);
});
