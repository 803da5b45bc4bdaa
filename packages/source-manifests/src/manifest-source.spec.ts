import { mkdir, mkdtemp, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type Clock,
  type EndpointSlice,
  type Node,
  type Service,
  type SourceHandler,
  systemClock,
} from '@kube-proxier/core';
import { RecordingLogger, until } from '@kube-proxier/core/testing';
import fc from 'fast-check';
import { ManifestSource, type ManifestSourceOptions } from './manifest-source.js';
import type { WatchDirectory } from './watch-directory.js';

/** Replays events into tables, and checks that each carries the previous object. */
class Recorder implements SourceHandler {
  readonly services = new Map<string, Service>();
  readonly slices = new Map<string, EndpointSlice>();
  readonly events: string[] = [];
  readonly nodes: Node[] = [];
  cidrs: readonly string[] = [];

  onServiceUpdate(previous: Service | undefined, current: Service | undefined): void {
    this.#fold('service', this.services, previous, current);
  }
  onEndpointsUpdate(previous: EndpointSlice | undefined, current: EndpointSlice | undefined): void {
    this.#fold('slice', this.slices, previous, current);
  }
  onServicesSynced(): void {
    this.events.push('services synced');
  }
  onEndpointsSynced(): void {
    this.events.push('endpoints synced');
  }
  onNodeUpdate(node: Node): void {
    this.nodes.push(node);
  }
  onServiceCIDRsUpdate(cidrs: readonly string[]): void {
    this.cidrs = cidrs;
  }

  #fold<T extends Service | EndpointSlice>(
    kind: string,
    table: Map<string, T>,
    previous: T | undefined,
    current: T | undefined,
  ): void {
    const { namespace, name } = (current ?? previous)?.metadata ?? {};
    const key = `${namespace}/${name}`;
    expect(table.get(key)).toBe(previous);
    this.events.push(`${previous ? (current ? 'change' : 'remove') : 'add'} ${kind} ${key}`);
    if (current) {
      table.set(key, current);
    } else {
      table.delete(key);
    }
  }
}

function service(name: string, port = 80, namespace = 'work'): string {
  return `apiVersion: v1
kind: Service
metadata: { name: ${name}, namespace: ${namespace} }
spec: { clusterIP: 10.96.0.10, ports: [{ port: ${port} }] }
`;
}

function slice(name: string, address: string): string {
  return `apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: ${name}, namespace: work, labels: { kubernetes.io/service-name: web } }
addressType: IPv4
ports: [{ port: 80 }]
endpoints: [{ addresses: [${address}] }]
`;
}

const FAST = { settleTime: 10, removalSettleTime: 30, pollInterval: 200 };

describe('ManifestSource', () => {
  let directory: string;
  let recorder: Recorder;
  let log: RecordingLogger;
  let sources: ManifestSource[];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'manifests-'));
    recorder = new Recorder();
    log = new RecordingLogger();
    sources = [];
  });

  afterEach(async () => {
    await Promise.all(sources.map((source) => source.stop()));
    await rm(directory, { recursive: true, force: true });
  });

  async function begin(options: Partial<ManifestSourceOptions> = {}): Promise<ManifestSource> {
    const source = new ManifestSource({ path: directory, logger: log, ...FAST, ...options });
    sources.push(source);
    await source.start(recorder, { nodeName: 'n1' });
    return source;
  }

  /** A marker change, made after all earlier changes were observed. */
  let markers = 0;
  async function marker(): Promise<void> {
    markers += 1;
    const name = `marker-${markers}`;
    await write('marker.yaml', service(name, 80, 'marker'));
    await until(() => recorder.services.has(`marker/${name}`));
  }

  async function write(name: string, text: string): Promise<void> {
    await writeFile(join(directory, name), text);
  }

  const portOf = (name: string) => recorder.services.get(`work/${name}`)?.spec?.ports?.[0]?.port;

  test('reports all objects, then synced, once', async () => {
    await write('a.yaml', `${service('web')}---\n${slice('web-1', '10.0.0.1')}`);
    await write('b.json', '{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}}');
    await write('c.yml', 'apiVersion: v1\nkind: Node\nmetadata: { name: another }\n');
    await write(
      'd.yaml',
      'apiVersion: networking.k8s.io/v1\nkind: ServiceCIDR\nmetadata: {name: k}\nspec: {cidrs: [10.96.0.0/12]}\n',
    );
    await write('.hidden.yaml', 'nonsense');
    await write('notes.txt', 'nonsense');
    await mkdir(join(directory, 'sub.yaml'));
    await begin();
    expect(recorder.events).toEqual([
      'add service work/web',
      'add slice work/web-1',
      'services synced',
      'endpoints synced',
    ]);
    expect(recorder.nodes.map((node) => node.metadata?.name)).toEqual(['n1']);
    expect(recorder.cidrs).toEqual(['10.96.0.0/12']);
    expect(log.has(/^[EW]/)).toBe(false);
    await marker();
    expect(recorder.events.filter((event) => event.endsWith('synced'))).toHaveLength(2);
  });

  test('warns when no Node has the name of this node', async () => {
    await write('a.yaml', 'apiVersion: v1\nkind: Node\nmetadata: { name: n2 }\n');
    await begin();
    expect(log.lines.filter((line) => line.startsWith('W'))).toEqual([
      expect.stringMatching(/there are Nodes \(n2\), and none is called n1 as this one is/),
    ]);
    expect(recorder.nodes).toEqual([]);
  });

  test('reports the minimal events for a written, replaced, renamed and removed file', async () => {
    await write('a.yaml', service('web'));
    await begin();
    recorder.events.length = 0;

    await write('b.yaml', slice('web-1', '10.0.0.1'));
    await until(() => recorder.events.includes('add slice work/web-1'));
    await write('.b.tmp', slice('web-1', '10.0.0.2'));
    await rename(join(directory, '.b.tmp'), join(directory, 'b.yaml'));
    await until(() => recorder.events.includes('change slice work/web-1'));
    await rename(join(directory, 'b.yaml'), join(directory, 'c.yaml'));
    await write('a.yaml', `# a comment\n${service('web')}`);
    await marker();
    await rm(join(directory, 'c.yaml'));
    await until(() => recorder.events.includes('remove slice work/web-1'));
    expect(recorder.events.filter((event) => !event.includes('marker'))).toEqual([
      'add slice work/web-1',
      'change slice work/web-1',
      'remove slice work/web-1',
    ]);
  });

  test('keeps the last valid objects of a malformed file, logs the position, and logs the recovery', async () => {
    await write('a.yaml', `${service('one')}---\n${service('two')}`);
    const source = await begin();
    await write('a.yaml', `${service('one', 81)}---\n${service('two', 70000)}`);
    await until(() => log.has(/^E .*a\.yaml:9:\d+: Service work\/two: spec\.ports\[0\]\.port: 70000 is not a port/));
    expect(
      log.has(/^E manifest a\.yaml is malformed: until it is fixed, its last good objects \(2\) stay in force/),
    ).toBe(true);
    await marker();
    expect([portOf('one'), portOf('two')]).toEqual([80, 80]);
    expect(source.problems).toHaveLength(1);

    await write('a.yaml', 'a: [');
    await until(() => log.has(/^E .*a\.yaml:\d+:\d+: Flow sequence/));
    await marker();
    expect([portOf('one'), portOf('two')]).toEqual([80, 80]);

    await write('a.yaml', service('one', 82));
    await until(() => log.has(/^I manifest a\.yaml is good again: its objects \(1\) are in force/));
    await until(() => portOf('one') === 82);
    expect(portOf('two')).toBeUndefined();
    expect(source.problems).toEqual([]);
  });

  test('ignores a file that is malformed from the start', async () => {
    await write('a.yaml', 'kind: [');
    await write('b.yaml', service('web'));
    await begin();
    expect(recorder.events).toEqual(['add service work/web', 'services synced', 'endpoints synced']);
    expect(log.has(/^E manifest a\.yaml is malformed: until it is fixed, none of its objects is in force/)).toBe(true);
  });

  test('after a restart, an error in one field does not remove all objects of its file', async () => {
    const invalid = service('two').replace('port: 80', 'port: 80000');
    expect(invalid).not.toBe(service('two'));
    await write('a.yaml', `${service('one')}---\n${invalid}---\n${service('three')}`);
    const source = await begin();
    // Proxiers ignore the invalid field.
    expect([portOf('one'), portOf('three')]).toEqual([80, 80]);
    expect(
      log.has(
        /^E manifest a\.yaml is malformed: until it is fixed, its objects \(3\) are in force without what is invalid/,
      ),
    ).toBe(true);
    expect(source.obstacle()).toMatch(/80000/);
    // From then on, they are the last valid objects; a malformed file that is new adds nothing.
    await write('a.yaml', `${service('one', 81)}---\n${invalid}`);
    await write('b.yaml', `${service('four')}---\n${invalid.replace('two', 'five')}`);
    await until(() => log.has(/^E manifest b\.yaml is malformed: until it is fixed, none of its objects is in force/));
    await until(() =>
      log.has(/^E manifest a\.yaml is malformed: until it is fixed, its last good objects \(3\) stay in force/),
    );
    expect([portOf('one'), portOf('three'), portOf('four')]).toEqual([80, 80, undefined]);
    await write('a.yaml', service('one', 82));
    await until(() => portOf('one') === 82);
    expect(portOf('three')).toBeUndefined();
  });

  test('does not treat a file that is written in steps as a removal', async () => {
    await write('a.yaml', service('web'));
    const timers: number[] = [];
    const clock: Clock = {
      now: systemClock.now,
      monotonic: systemClock.monotonic,
      setTimer(milliseconds, callback) {
        timers.push(milliseconds);
        return systemClock.setTimer(milliseconds, callback);
      },
    };
    await begin({ clock, removalSettleTime: 10_000, maxSettleTime: 60_000 });
    /** The source has detected a removal, and is waiting. */
    const hesitates = () => until(() => timers.splice(0).some((milliseconds) => milliseconds > 1000));
    await truncate(join(directory, 'a.yaml'), 0);
    await hesitates();
    await write('a.yaml', service('web', 81));
    await until(() => portOf('web') === 81);
    timers.length = 0;
    await rm(join(directory, 'a.yaml'));
    await hesitates();
    await write('a.yaml', service('web', 82));
    await until(() => portOf('web') === 82);
    expect(recorder.events.filter((event) => event.startsWith('remove'))).toEqual([]);
  });

  test('gives the first of two files precedence, and falls back to the other', async () => {
    await write('a.yaml', service('web', 1));
    await write('b.yaml', `# second\n${service('web', 2)}`);
    await begin();
    expect(portOf('web')).toBe(1);
    const duplicates = () => log.lines.filter((line) => line.includes('is already defined'));
    expect(duplicates()).toEqual([
      'W b.yaml:2: Service work/web is already defined in a.yaml, which has precedence (line 1); this one is ignored',
    ]);
    await write('b.yaml', `# still second\n\n${service('web', 2)}`);
    await marker();
    expect(duplicates()).toHaveLength(1);
    await rm(join(directory, 'a.yaml'));
    await until(() => portOf('web') === 2);
    expect(recorder.events.filter((event) => event.startsWith('remove service work'))).toEqual([]);
  });

  test('follows a directory that is swapped by symbolic link, as mounted ConfigMaps are', async () => {
    const version = async (name: string, port: number) => {
      await mkdir(join(directory, name));
      await writeFile(join(directory, name, 'web.yaml'), service('web', port));
      await symlink(name, join(directory, '..data_tmp'));
      await rename(join(directory, '..data_tmp'), join(directory, '..data'));
    };
    await version('..2026_1', 1);
    await symlink('..data/web.yaml', join(directory, 'web.yaml'));
    await begin();
    expect(portOf('web')).toBe(1);
    await version('..2026_2', 2);
    await rm(join(directory, '..2026_1'), { recursive: true });
    await until(() => portOf('web') === 2);
    expect(recorder.events.filter((event) => event.startsWith('remove'))).toEqual([]);
  });

  test('follows a path that is itself a symbolic link', async () => {
    await mkdir(join(directory, 'one'));
    await mkdir(join(directory, 'two'));
    await write('one/web.yaml', service('web', 1));
    await write('two/web.yaml', service('web', 2));
    await symlink('one', join(directory, 'current'));
    await begin({ path: join(directory, 'current') });
    await symlink('two', join(directory, 'next'));
    await rename(join(directory, 'next'), join(directory, 'current'));
    await until(() => portOf('web') === 2);
    await write('two/web.yaml', service('web', 3));
    await until(() => portOf('web') === 3);
  });

  test('keeps everything when the directory is removed, and continues when it is restored', async () => {
    const path = join(directory, 'inner');
    await mkdir(path);
    await write('inner/web.yaml', service('web', 1));
    const source = await begin({ path });
    await rm(path, { recursive: true });
    await until(() =>
      log.has(/^E manifests in .*inner: .*does not exist \(ENOENT\); the objects that were read last stay in force/),
    );
    expect(portOf('web')).toBe(1);
    expect(source.obstacle()).toMatch(/does not exist \(ENOENT\)$/);
    await mkdir(join(directory, 'new'));
    await write('new/web.yaml', service('web', 2));
    await rename(join(directory, 'new'), path);
    await until(() => portOf('web') === 2);
    expect(log.has(/^I manifests in .*inner: can be read again/)).toBe(true);
    expect(source.obstacle()).toBeUndefined();
    await write('inner/web.yaml', 'kind: [');
    await until(() => source.obstacle() !== undefined);
    expect(source.obstacle()).toMatch(/web\.yaml:1:/);
    await write('inner/web.yaml', service('web', 3));
    await until(() => portOf('web') === 3);
    expect(source.obstacle()).toBeUndefined();
    expect(recorder.events.filter((event) => event.startsWith('remove'))).toEqual([]);
  });

  test('watches one file, through replacement and absence', async () => {
    const path = join(directory, 'web.yaml');
    await write('web.yaml', service('web', 1));
    await write('other.yaml', service('other'));
    await begin({ path });
    expect([...recorder.services.keys()]).toEqual(['work/web']);
    await write('tmp', service('web', 2));
    await rename(join(directory, 'tmp'), path);
    await until(() => portOf('web') === 2);
    await rm(path);
    await until(() => log.has(/^E .*does not exist/));
    expect(portOf('web')).toBe(2);
    await write('web.yaml', service('web', 3));
    await until(() => portOf('web') === 3);
  });

  test('refuses to start without its directory', async () => {
    await expect(begin({ path: join(directory, 'none') })).rejects.toMatchObject({
      code: 'MANIFESTS_NOT_FOUND',
      message: expect.stringMatching(
        /none does not exist \(ENOENT\); manifests are read from there, so it has to exist/,
      ),
    });
    await expect(begin({ path: '/dev/null' })).rejects.toMatchObject({ code: 'MANIFESTS_UNREADABLE' });
  });

  test.each<[string, WatchDirectory | false]>([
    [
      'cannot be set up',
      () => {
        throw Object.assign(new Error('ENOSPC: no space left on device, watch'), { code: 'ENOSPC' });
      },
    ],
    [
      'fails later',
      (_path, _onChange, onError) => {
        queueMicrotask(() => onError(new Error('EIO')));
        return { close() {} };
      },
    ],
    ['loses every event', () => ({ close() {} })],
    ['is switched off', false],
  ])('sees changes by polling where watching %s', async (name, watch) => {
    await write('a.yaml', service('web', 1));
    await begin({ watch, pollInterval: 20 });
    await write('a.yaml', service('web', 2));
    await until(() => portOf('web') === 2);
    expect(log.has(/^W .*changes are seen only every 20 ms/)).toBe(
      name === 'cannot be set up' || name === 'fails later',
    );
    expect(log.lines.filter((line) => line.startsWith('W')).length).toBeLessThanOrEqual(1);
  });

  test('rejects a file that is too large, and keeps its last objects', async () => {
    await write('a.yaml', service('web', 1));
    await begin({ maxFileBytes: 1000 });
    await write('a.yaml', `${service('web', 2)}#${'x'.repeat(1000)}\n`);
    await until(() => log.has(/^E .*a\.yaml: it has \d+ bytes, more than the 1000 that are read/));
    expect(portOf('web')).toBe(1);
  });

  test('continues when a handler throws', async () => {
    await write('a.yaml', `${service('one')}---\n${service('two')}`);
    const { onServiceUpdate } = recorder;
    let thrown = false;
    recorder.onServiceUpdate = (previous, current) => {
      if (!thrown) {
        thrown = true;
        throw new Error('no');
      }
      onServiceUpdate.call(recorder, previous, current);
    };
    await begin();
    expect(recorder.events).toEqual(['add service work/two', 'services synced', 'endpoints synced']);
  });

  test('reports nothing after it was stopped', async () => {
    await write('a.yaml', service('web', 1));
    const source = await begin();
    await source.stop();
    await source.stop();
    const count = recorder.events.length;
    await write('a.yaml', service('web', 2));
    const second = new Recorder();
    const other = new ManifestSource({ path: directory, ...FAST });
    sources.push(other);
    await other.start(second, { nodeName: 'n1' });
    expect(second.services.size).toBe(1);
    expect(recorder.events).toHaveLength(count);
  });

  test.each<[unknown, string]>([
    [{}, 'ManifestSource needs the option path; it must be a text'],
    ['manifests', 'the options of ManifestSource are "manifests"; they must be an object'],
    [{ path: 'manifests', settleTime: '1s' }, 'option settleTime of ManifestSource is "1s"; it must be a whole number'],
    [{ path: 'manifests', watch: true }, 'option watch of ManifestSource is true; it must be a function, or false'],
  ])('options that are wrong are refused by name: %j', (options, message) => {
    expect(() => new ManifestSource(options as ManifestSourceOptions)).toThrow(
      expect.objectContaining({ code: 'MANIFESTS_OPTION', message: expect.stringContaining(message) }),
    );
  });

  test('a start without arguments names the one that is missing', async () => {
    const source = new ManifestSource({ path: directory });
    await expect((source as unknown as { start(): Promise<void> }).start()).rejects.toMatchObject({
      code: 'SOURCE_START',
      message: expect.stringMatching(/^ManifestSource\.start needs the argument handler; it must be /),
    });
  });

  test('replaces Endpoints by EndpointSlices of the same Service', async () => {
    await write(
      'a.yaml',
      'apiVersion: v1\nkind: Endpoints\nmetadata: {name: web, namespace: work}\nsubsets: [{addresses: [{ip: 10.0.0.9}], ports: [{port: 80}]}]\n',
    );
    await begin();
    expect([...recorder.slices.keys()]).toEqual(['work/web.endpoints-ipv4']);
    await write('b.yaml', slice('web-1', '10.0.0.1'));
    await until(() => recorder.slices.has('work/web-1'));
    await until(() => !recorder.slices.has('work/web.endpoints-ipv4'));
  });

  test('converges to the content of the files after any sequence of changes (property)', async () => {
    const names = ['a.yaml', 'b.yml', 'c.json'];
    const edit = fc.record({
      file: fc.constantFrom(...names),
      how: fc.constantFrom('write', 'replace', 'remove', 'break', 'touch'),
      objects: fc.uniqueArray(
        fc.record({ name: fc.constantFrom('s1', 's2', 's3', 's4'), port: fc.integer({ min: 1, max: 3 }) }),
        {
          selector: ({ name }) => name,
          maxLength: 3,
        },
      ),
    });
    const contentOf = (file: string, objects: readonly { name: string; port: number }[]) => {
      const items = objects.map(({ name, port }) => ({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name, namespace: 'work' },
        spec: { clusterIP: '10.96.0.10', ports: [{ port }] },
      }));
      return file.endsWith('json')
        ? JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
        : items.map((item) => JSON.stringify(item)).join('\n---\n');
    };
    await begin({ settleTime: 5, removalSettleTime: 10 });
    const good = new Map<string, readonly { name: string; port: number }[]>();
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 12 }), async (edits) => {
        for (const { file, how, objects } of edits) {
          const path = join(directory, file);
          if (how === 'remove') {
            await rm(path, { force: true });
            good.delete(file);
          } else if (how === 'break') {
            // Only observed objects can stay in force.
            await marker();
            await write(file, '{"kind": ');
            good.set(file, good.get(file) ?? []);
            await marker();
          } else if (how === 'replace') {
            await write('.tmp', contentOf(file, objects));
            await rename(join(directory, '.tmp'), path);
            good.set(file, objects);
          } else if (how === 'write') {
            await write(file, contentOf(file, objects));
            good.set(file, objects);
          }
        }
        const expected = new Map<string, number>();
        for (const file of names) {
          for (const { name, port } of good.get(file) ?? []) {
            if (!expected.has(name)) {
              expected.set(name, port);
            }
          }
        }
        const want = JSON.stringify([...expected].sort());
        const have = () =>
          JSON.stringify(
            [...recorder.services.values()]
              .filter((found) => found.metadata?.namespace === 'work')
              .map((found) => [found.metadata?.name, found.spec?.ports?.[0]?.port])
              .sort(),
          );
        await marker();
        await until(() => have() === want, `${have()} to become ${want}`);
      }),
      { numRuns: 25 },
    );
  });
});
