import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import { casesOf, isThorough, until } from '@kube-proxier/core/testing';
import { type ApiRequestInfo, FakeApiServer, type RequestFault } from './testing/index.js';
import { LineSplitter } from './watch/line-splitter.js';

const BUILD = fileURLToPath(new URL('../dist/index.js', import.meta.url));
const TESTING = fileURLToPath(new URL('../dist/testing/index.js', import.meta.url));
/** Speed-up of the source's clock, as its backoff is long. */
const FASTER = 8;
const MEBIBYTE = 1024 * 1024;

/** A separate process with a KubernetesSource, for memory measurements. It reports for each input line. */
const PROGRAM = `
import { createInterface } from 'node:readline';
import { KubernetesSource } from ${JSON.stringify(BUILD)};
import { FastClock } from ${JSON.stringify(TESTING)};
const [master, options] = process.argv.slice(1);
const lines = [];
const say = (line) => lines.push(line);
const names = new Set();
const handler = {
  onServiceUpdate: (previous, current) => {
    if (current) names.add(current.metadata.name);
    else names.delete(previous.metadata.name);
  },
  onEndpointsUpdate() {}, onServicesSynced() {}, onEndpointsSynced() {}, onNodeUpdate() {}, onServiceCIDRsUpdate() {},
};
let most = 0;
gc();
const before = process.memoryUsage().rss;
setInterval(() => { most = Math.max(most, process.memoryUsage().rss - before); }, 10);
const logger = { debug() {}, info: say, warn: say, error: say, v: () => false };
const source = new KubernetesSource({ master, logger, clock: new FastClock(${FASTER}), ...JSON.parse(options) });
await source.start(handler, { nodeName: 'node1' });
createInterface({ input: process.stdin }).on('line', () => {
  const known = [...names].filter((name) => !name.startsWith('x-')).sort();
  console.log(JSON.stringify({ lines, most, names: names.size, known }));
});
`;

interface Report {
  readonly lines: readonly string[];
  readonly most: number;
  readonly names: number;
  readonly known: readonly string[];
}

const ending: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) {
    await end();
  }
});

class Fixture {
  private constructor(
    readonly server: FakeApiServer,
    private readonly child: ChildProcess,
  ) {}

  static async make(faultFor: (request: ApiRequestInfo) => RequestFault | undefined, options = {}): Promise<Fixture> {
    const server = await FakeApiServer.start();
    ending.push(() => server.stop());
    server.faultFor = faultFor;
    for (const name of ['a', 'b', 'c']) {
      server.store.put('services', { metadata: { name, namespace: 'work' }, spec: { clusterIP: '10.96.0.1' } });
    }
    const child = spawn(
      process.execPath,
      ['--expose-gc', '--input-type=module', '-e', PROGRAM, server.url, JSON.stringify(options)],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    ending.push(async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    });
    return new Fixture(server, child);
  }

  async report(): Promise<Report> {
    const { stdout, stdin } = this.child;
    const answer = new Promise<string>((resolve) => {
      let text = '';
      const take = (data: Buffer) => {
        text += data;
        if (text.endsWith('\n')) {
          stdout?.off('data', take);
          resolve(text);
        }
      };
      stdout?.on('data', take);
    });
    stdin?.write('\n');
    return JSON.parse(await answer) as Report;
  }

  lists(resource: string): number {
    return this.server.requests.filter((one) => one.resource === resource && one.verb === 'list').length;
  }

  /** For each list of the Services that was requested from its beginning, the number of pages. */
  pages(): readonly number[] {
    const pages: number[] = [];
    for (const { resource, verb, query } of this.server.requests) {
      if (resource === 'services' && verb === 'list') {
        pages.push(query.has('continue') ? (pages.pop() ?? 0) + 1 : 1);
      }
    }
    return pages;
  }

  async until(holds: (report: Report) => boolean): Promise<Report> {
    const end = performance.now() + 60_000;
    for (;;) {
      const report = await this.report();
      if (holds(report)) {
        return report;
      }
      if (performance.now() > end) {
        throw new Error(`it did not come to this: ${holds}\n${JSON.stringify(report).slice(0, 2000)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

const ofServices = (fault: RequestFault) => (request: ApiRequestInfo) =>
  request.resource === 'services' && request.verb === 'list' ? fault : undefined;

describe('an API server with endless responses', () => {
  test.each(casesOf(['from the watch cache'], ['in pages']))(
    'an endless list %s is rejected by its objects, logged once, and requested again with pauses',
    async (how) => {
      const paged = how === 'in pages';
      const faultFor = (request: ApiRequestInfo): RequestFault =>
        paged && !request.readsEtcd ? { kind: 'status', code: 410 } : { kind: 'endless' };
      const fixture = await Fixture.make((request) => ofServices(faultFor(request))(request), { maxObjects: 20_000 });
      await until(() => fixture.lists('services') >= 4, 'that many requests', 120_000);
      const { most, lines, names } = await fixture.report();
      expect(lines.filter((line) => line.includes('more than the 20000 objects'))).toHaveLength(1);
      // Objects of an incomplete list are kept for a while: they may be the beginning of the next one.
      expect(names).toBeLessThanOrEqual(3 * 20_000);
      expect(most / MEBIBYTE).toBeLessThan(130);
      fixture.server.faultFor = () => undefined;
      await fixture.until(({ known, names: all }) => known.join() === 'a,b,c' && all === 3);
    },
  );

  test.each(
    casesOf<readonly [what: string, fault: RequestFault]>(
      [['the same objects', { kind: 'endless-page', objects: 500, names: 'same' }]],
      [['no objects', { kind: 'endless-page', objects: 0 }]],
    ),
  )('pages of %s that never end are refused after ten', async (_what, fault) => {
    const fixture = await Fixture.make(ofServices(fault));
    const { lines } = await fixture.until((report) => report.lines.some((line) => line.includes('does not end')));
    expect(lines.filter((line) => line.includes('does not end'))).toHaveLength(1);
    await until(() => fixture.pages().length >= 4, 'that many lists', 120_000);
    expect(Math.max(...fixture.pages())).toBeLessThanOrEqual(11);
    expect((await fixture.report()).lines.filter((line) => line.includes('does not end'))).toHaveLength(1);
    fixture.server.faultFor = () => undefined;
    await fixture.until(({ known, names }) => known.join() === 'a,b,c' && names === 3);
  });

  test('pages with endless new objects are rejected, and their objects do not accumulate', async () => {
    const fixture = await Fixture.make(ofServices({ kind: 'endless-page', objects: 500 }), { maxObjects: 2000 });
    const { lines } = await fixture.until((report) => report.lines.some((line) => line.includes('more than the 2000')));
    expect(lines.filter((line) => line.includes('more than the 2000'))).toHaveLength(1);
    await until(() => fixture.pages().length >= 5, 'that many lists', 120_000);
    expect((await fixture.report()).names).toBeLessThanOrEqual(3 * 2000);
    fixture.server.faultFor = () => undefined;
    await fixture.until(({ known, names }) => known.join() === 'a,b,c' && names === 3);
  });

  if (isThorough) {
    test('pages of one object each are rejected', async () => {
      const fixture = await Fixture.make(ofServices({ kind: 'endless-page', objects: 1 }));
      await fixture.until((report) => report.lines.some((line) => line.includes('does not end')));
      expect(Math.max(...fixture.pages())).toBeLessThan(150);
    });
  }

  test('events with endless new objects are rejected, and the next list restores the state', async () => {
    const fixture = await Fixture.make(() => undefined, { maxObjects: 2000 });
    await fixture.until(({ known }) => known.join() === 'a,b,c');
    await until(() => fixture.server.openWatches.includes('services'), 'that many requests', 60_000);
    fixture.server.disturbWatches('flood', 'services');
    await until(() => fixture.lists('services') >= 2, 'that many requests', 60_000);
    const { most } = await fixture.until(({ known, names }) => known.join() === 'a,b,c' && names === 3);
    expect(most / MEBIBYTE).toBeLessThan(130);
  });

  test('an endless line of a watch is rejected', async () => {
    const fixture = await Fixture.make(() => undefined);
    await fixture.until(({ known }) => known.join() === 'a,b,c');
    await until(() => fixture.server.openWatches.includes('services'), 'that many requests', 60_000);
    fixture.server.disturbWatches({ endless: 50_000_000 }, 'services');
    await until(() => fixture.lists('services') >= 2, 'that many requests', 60_000);
    const { most } = await fixture.until(({ known }) => known.join() === 'a,b,c');
    expect(most / MEBIBYTE).toBeLessThan(130);
  });
});

test('an event that arrives byte by byte takes about its size', () => {
  const splitter = new LineSplitter(4 * MEBIBYTE);
  const before = process.memoryUsage();
  const byte = Buffer.from('x');
  for (let index = 0; index < 2 * MEBIBYTE; index += 1) {
    splitter.push(byte);
  }
  const after = process.memoryUsage();
  expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(16 * MEBIBYTE);
  const [line] = splitter.push(Buffer.from('\n'));
  expect(line).toHaveLength(2 * MEBIBYTE);
});
