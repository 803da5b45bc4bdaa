import { describe, expect, test } from '@jest/globals';
import type { Proxier } from '../contract/proxier.js';
import type { ObjectProblem } from '../objects/object-problem.js';
import { ObjectReader } from '../objects/object-reader.js';
import type { EndpointSlice, Node, Service } from '../objects/objects.js';
import { makeService, makeSlice, Random, RandomCluster, ReportedObjectList, runCount } from '../testing/index.js';
import { type JournalObject, type ObjectChange, ObjectJournal } from './object-journal.js';
import { parseRecordedEntry } from './recorded-entry.js';
import { reducedEndpointSlice, reducedNode, reducedService } from './reduced-objects.js';
import { applyDelta, deltaOf, differenceOf } from './structural-delta.js';

describe('structural deltas', () => {
  const values: readonly unknown[] = [
    { a: 1 },
    { a: 2, b: [1, 2, 3] },
    { b: [1, 2, 3, 4] },
    { b: [1, 9, 3, 4] },
    { b: [4, 1, 2, 3], c: { d: { e: 'x' } } },
    { c: { d: {} } },
    { c: [] },
    {},
    [],
    [{ a: 1 }, { a: 2 }, { a: 3 }],
    [{ a: 1 }, { a: 3 }],
    [{ a: 3 }, { a: 2 }, { a: 1 }],
    'text',
  ];
  const pairs = values.flatMap((previous) => values.map((current) => [previous, current]));

  test('lead from any value to any other', () => {
    for (const [previous, current] of pairs) {
      const delta = JSON.parse(JSON.stringify(deltaOf(previous, current)));
      const before = JSON.stringify(previous);
      expect(applyDelta(previous, delta)).toEqual(current);
      expect(JSON.stringify(previous)).toBe(before);
    }
  });

  test('are absent exactly where the values are equal', () => {
    const copies = pairs.map(([previous, current]) => [previous, JSON.parse(JSON.stringify(current))]);
    for (const [previous, current] of copies) {
      expect(differenceOf(previous, current) === undefined).toBe(JSON.stringify(previous) === JSON.stringify(current));
    }
    expect(differenceOf({ a: 1 }, { a: 1, b: undefined })).toBeUndefined();
    expect(differenceOf({ a: 1, b: undefined }, { a: 1 })).toBeUndefined();
  });

  test('are small where the change is small', () => {
    const slice = makeSlice(
      'a',
      Array.from({ length: 100 }, (_, index) => `10.0.0.${index}`),
    );
    const endpoints = [...(slice.endpoints ?? [])];
    endpoints[7] = { ...endpoints[7], conditions: { ready: false } };
    expect(JSON.stringify(deltaOf(slice, { ...slice, endpoints })).length).toBeLessThan(150);
    endpoints.splice(50, 1);
    expect(JSON.stringify(deltaOf(slice, { ...slice, endpoints })).length).toBeLessThan(10_000);
    expect(JSON.stringify(deltaOf(slice.endpoints, slice.endpoints?.toSpliced(50, 1)))).toBe(
      '{"from":50,"drop":1,"add":[]}',
    );
  });

  test.each<[unknown, unknown]>([
    [{}, { at: { 0: { to: 1 } } }],
    [[1], { at: { 1: { to: 1 } } }],
    [[1], { at: { x: { to: 1 } } }],
    [[1], { from: 0, drop: 2, add: [] }],
    [[1], { from: -1, drop: 1, add: [] }],
    [1, { of: {} }],
    [{}, { unknown: 1 }],
    [{}, 7],
  ])('that do not fit %j are refused: %j', (previous, delta) => {
    expect(() => applyDelta(previous, delta)).toThrow(/delta/);
  });

  test('do not change prototypes', () => {
    const result = applyDelta({}, JSON.parse('{"of": {"__proto__": {"to": {"isAdmin": true}}}}')) as object;
    expect((result as { isAdmin?: boolean }).isAdmin).toBeUndefined();
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
  });
});

describe('reduced objects', () => {
  test('are read as what they were reduced from, and contain nothing else', () => {
    const reader = new ObjectReader();
    const check = (kind: 'Service' | 'EndpointSlice' | 'Node', object: unknown) => {
      const read = (given: unknown) =>
        kind === 'Service'
          ? reader.readService(given).definition
          : kind === 'EndpointSlice'
            ? reader.readEndpointSlice(given).definition
            : reader.readNode(given).definition;
      const definition = read(object);
      if (definition === undefined) {
        return;
      }
      const reduced =
        kind === 'Service'
          ? reducedService(definition as never)
          : kind === 'EndpointSlice'
            ? reducedEndpointSlice(definition as never)
            : reducedNode(definition as never);
      expect(read(JSON.parse(JSON.stringify(reduced)))).toEqual(definition);
    };
    for (let seed = 1; seed <= runCount(20, 300); seed += 1) {
      const cluster = new RandomCluster(new Random(seed));
      const proxier: Proxier = {
        ...silentProxier(),
        onServiceUpdate: (_previous, current) => check('Service', current),
        onEndpointsUpdate: (_previous, current) => check('EndpointSlice', current),
        onNodeUpdate: (node) => check('Node', node),
      };
      for (let step = 0; step < 100; step += 1) {
        cluster.step(proxier);
      }
    }
    const secret = 'c2VjcmV0';
    const annotated = {
      ...makeService('work/web', { sessionAffinity: 'ClientIP', loadBalancerSourceRanges: ['nonsense'] }),
      data: { password: secret },
    };
    const withSecrets = {
      ...annotated,
      metadata: {
        ...annotated.metadata,
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': secret, 'kube-proxier.io/x': 'kept' },
        labels: { token: secret },
        managedFields: [secret],
      },
    };
    check('Service', withSecrets);
    const { definition } = reader.readService(withSecrets);
    const text = JSON.stringify(definition && reducedService(definition));
    expect(text).not.toContain(secret);
    expect(text).toContain('kept');
    for (const ranges of [['0.0.0.0/0', 'x'], ['10.0.0.0/8', 'x'], ['::/0', 'x'], ['fd00::/8'], ['x']]) {
      check('Service', makeService('dual', { clusterIPs: ['10.96.0.1', 'fd00::1'], loadBalancerSourceRanges: ranges }));
      check('Service', makeService('single', { loadBalancerSourceRanges: ranges }));
    }
    check('Service', makeService('mismatched', { clusterIPs: ['10.96.0.1'], ipFamilies: ['IPv6'] }));
    check('Node', {
      metadata: { name: 'n', deletionTimestamp: '2026-01-01T00:00:00Z' },
      spec: { podCIDR: '10.0.0.0/24', taints: [{ key: 'a', value: secret }] },
      status: {
        addresses: [
          { type: 'ExternalIP', address: '192.0.2.1' },
          { type: 'InternalIP', address: '10.1.1.1' },
        ],
      },
    } satisfies Node);
  });
});

describe('ObjectJournal', () => {
  test('has all objects in their current version, and in their version at the beginning of the window', () => {
    for (let seed = 1; seed <= runCount(5, 200); seed += 1) {
      const random = new Random(seed);
      const cluster = new RandomCluster(random);
      const reported = new ReportedObjectList();
      const journal = new ObjectJournal(new ObjectReader(), reported);
      const changes: ObjectChange[] = [];
      const snapshots: { readonly after: number; readonly objects: ReadonlyMap<string, unknown> }[] = [];
      const proxier: Proxier = reported.before({
        ...silentProxier(),
        onServiceUpdate: (...event) => void changes.push(...journal.updateService(...event)),
        onEndpointsUpdate: (...event) => void changes.push(...journal.updateEndpointSlice(...event)),
        onNodeUpdate: (node) => void changes.push(...journal.updateNode(node, 'node1')),
      });
      for (let step = 0; step < 20; step += 1) {
        cluster.step(proxier);
      }
      expect(changes).toEqual([]);
      journal.begin();
      for (let step = 0; step < 100; step += 1) {
        if (step % 10 === 0) {
          snapshots.push({ after: changes.length, objects: contentsOf(journal.current()) });
        }
        cluster.step(proxier);
      }
      snapshots.push({ after: changes.length, objects: contentsOf(journal.current()) });
      let forgotten = 0;
      for (const { after, objects } of snapshots) {
        for (; forgotten < after; forgotten += 1) {
          journal.forget(changes[forgotten] as ObjectChange);
        }
        expect(contentsOf(journal.origin())).toEqual(objects);
      }
      expect(journal.originSize).toBe(0);
    }
  });

  test('a resync, a malformed object and an unchanged one are no changes', () => {
    const journal = new ObjectJournal(new ObjectReader(), new ReportedObjectList());
    journal.begin();
    const service = makeService('work/web');
    expect(journal.updateService(undefined, service)).toHaveLength(1);
    expect(journal.updateService(service, structuredClone(service))).toEqual([]);
    expect(journal.updateService(service, { ...service, spec: { clusterIP: 'x' } })).toEqual([]);
    expect(
      journal.updateService(service, { ...service, metadata: { ...service.metadata, labels: { a: 'b' } } }),
    ).toEqual([]);
    expect(journal.updateService(service, { ...service, spec: { clusterIP: 'None' } })).toEqual([
      { kind: 'Service', name: 'work/web', gone: true },
    ]);
  });

  test('what a list has does not change while it is read', () => {
    const reported = new ReportedObjectList();
    const journal = new ObjectJournal(new ObjectReader(), reported);
    const proxier = reported.before({
      ...silentProxier(),
      onServiceUpdate: (...event) => void journal.updateService(...event),
    });
    const [first, second] = [makeService('work/first'), makeService('work/second')];
    const broken = { ...second, spec: { clusterIP: 'x' } };
    proxier.onServiceUpdate(undefined, first);
    proxier.onServiceUpdate(undefined, second);
    journal.begin();
    proxier.onServiceUpdate(second, broken);
    const lists = [journal.current(), journal.origin()].map(
      (objects) => objects[Symbol.iterator]() as IterableIterator<JournalObject>,
    );
    const begun = lists.map((list) => list.next().value);
    proxier.onServiceUpdate(first, undefined);
    proxier.onServiceUpdate(broken, undefined);
    proxier.onServiceUpdate(undefined, makeService('work/third'));
    for (const [index, list] of lists.entries()) {
      expect([begun[index] as JournalObject, ...list].map(({ name }) => name)).toEqual(['work/first', 'work/second']);
    }
    expect([...contentsOf(journal.current()).keys()]).toEqual(['Service work/third']);
    expect([...contentsOf(journal.origin()).keys()]).toEqual(['Service work/first', 'Service work/second']);
  });

  test.each([false, true])(
    'a malformed version leaves the one before in force; recorded since then: %s',
    (isRecorded) => {
      const reported = new ReportedObjectList();
      const journal = new ObjectJournal(new ObjectReader(), reported);
      const changes: ObjectChange[] = [];
      const proxier = reported.before({
        ...silentProxier(),
        onServiceUpdate: (...event) => void changes.push(...journal.updateService(...event)),
      });
      if (isRecorded) {
        journal.begin();
      }
      const good = makeService('work/web');
      const broken = { ...good, spec: { ...good.spec, clusterIP: 'x' } };
      const brokenAgain = { ...good, spec: { ...good.spec, clusterIP: 'y' } };
      proxier.onServiceUpdate(undefined, good);
      const inForce = contentsOf(journal.current());
      expect(inForce.size).toBe(1);
      proxier.onServiceUpdate(good, broken);
      proxier.onServiceUpdate(broken, brokenAgain);
      expect(contentsOf(journal.current())).toEqual(inForce);
      journal.begin();
      changes.length = 0;
      proxier.onServiceUpdate(brokenAgain, good);
      expect(changes).toEqual([]);
      proxier.onServiceUpdate(good, broken);
      proxier.onServiceUpdate(broken, undefined);
      expect(changes).toEqual([{ kind: 'Service', name: 'work/web', gone: true }]);
      expect(contentsOf(journal.current()).size).toBe(0);
    },
  );

  test('the problems of an object are reported once', () => {
    const problems: ObjectProblem[] = [];
    const reported = new ReportedObjectList();
    const journal = new ObjectJournal(new ObjectReader((problem) => problems.push(problem)), reported);
    const proxier = reported.before({
      ...silentProxier(),
      onServiceUpdate: (...event) => void journal.updateService(...event),
    });
    const service = makeService('work/web', { externalIPs: ['x'] });
    journal.begin();
    proxier.onServiceUpdate(undefined, service);
    const reports = [...problems];
    expect(reports).toHaveLength(1);
    [...journal.current(), ...journal.origin()].map(({ text }) => text);
    proxier.onServiceUpdate(service, undefined);
    expect(problems).toEqual(reports);
  });
});

describe('parseRecordedEntry', () => {
  test.each([
    '',
    'x',
    '[]',
    '{"entry":"mode"}',
    '{"at":1,"entry":"mode","mode":1}',
    '{"at":"1","entry":"mode","mode":"x"}',
    '{"at":1,"entry":"resolved","family":"IPv5"}',
    '{"at":1,"entry":"object","kind":"Secret","name":"x"}',
    '{"at":1,"entry":"family","family":"IPv4","options":{},"includesLocalAddresses":true}',
    `{"at":1,"entry":"object","kind":"Node","name":"n","is":${'['.repeat(1000)}${']'.repeat(1000)}}`,
  ])('%.80s is no entry', (line) => {
    expect(() => parseRecordedEntry(line)).toThrow(/the recording is damaged/);
  });

  test('a kind of entry of a later version is ignored', () => {
    expect(parseRecordedEntry('{"at":1,"entry":"constructor"}')).toBeUndefined();
    expect(parseRecordedEntry('{"at":1,"entry":"later"}')).toBeUndefined();
  });
});

function contentsOf(objects: Iterable<JournalObject>): ReadonlyMap<string, unknown> {
  return new Map([...objects].map(({ kind, name, text }) => [`${kind} ${name}`, JSON.parse(text)]));
}

function silentProxier(): Proxier {
  return {
    mode: 'test',
    onServiceUpdate(_previous: Service | undefined, _current: Service | undefined) {},
    onEndpointsUpdate(_previous: EndpointSlice | undefined, _current: EndpointSlice | undefined) {},
    onServicesSynced() {},
    onEndpointsSynced() {},
    onNodeUpdate() {},
    onServiceCIDRsUpdate() {},
    sync() {},
    syncLoop: async () => {},
  };
}
