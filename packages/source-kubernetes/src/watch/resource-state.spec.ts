import { describe, expect, test } from '@jest/globals';
import { PlainTextStore, silentLogger } from '@kube-proxier/core';
import { ApiError } from '../api/kubernetes-error.js';
import { WatchListUnsupported } from './initial-events.js';
import type { ReceivedObject } from './received-object.js';
import { ResourceState } from './resource-state.js';
import type { WatchEvent, WatchEventType } from './watch-event.js';
import { SERVICES } from './watched-resource.js';

const RUNNING = new AbortController().signal;

function service(name: string, clusterIP = '10.0.0.1'): ReceivedObject {
  return { key: `default/${name}`, kept: { metadata: { namespace: 'default', name }, spec: { clusterIP } } };
}

function event(type: WatchEventType, resourceVersion: string, object: ReceivedObject = service('web')): WatchEvent {
  return { type, object, resourceVersion, endsInitialEvents: false };
}

function endOfInitialEvents(resourceVersion: string): WatchEvent {
  return { type: 'BOOKMARK', object: { key: undefined, kept: {} }, resourceVersion, endsInitialEvents: true };
}

/** A state with what it reported: `+name` for added and changed objects, `-name` for deleted ones. */
function stateWithReports(maxObjects = 10) {
  const reports: string[] = [];
  const state = new ResourceState(
    { resource: SERVICES, texts: new PlainTextStore(), logger: silentLogger, maxObjects },
    {
      changed: ({ previous, current }) => {
        const { metadata } = (current ?? previous) as { metadata: { name: string } };
        reports.push(`${current ? '+' : '-'}${metadata.name}`);
      },
      completed: () => reports.push('complete'),
      restored: () => reports.push('restored'),
    },
  );
  return { state, reports };
}

function list(state: ResourceState, version: string, ...objects: ReceivedObject[]): void {
  state.beginList();
  state.acceptVersion(version);
  for (const object of objects) {
    state.put(object);
  }
  state.completeList(version, RUNNING);
}

describe('lists', () => {
  test('an object that a complete list does not contain is deleted; the watch continues from its version', () => {
    const { state, reports } = stateWithReports();
    list(state, '5', service('web'), service('db'));
    list(state, '8', service('db'));
    expect(reports).toEqual(['+web', '+db', 'complete', '-web', 'complete']);
    expect(state.resourceVersion).toBe('8');
  });

  test('a list that ends early deletes nothing', () => {
    const { state, reports } = stateWithReports();
    list(state, '5', service('web'));
    state.beginList();
    state.acceptVersion('6');
    expect(state.cache.size).toBe(1);
    expect(reports).toEqual(['+web', 'complete']);
    expect(state.resourceVersion).toBe('5');
  });

  test('older lists are refused twice, the third from etcd is a restored server', () => {
    const { state, reports } = stateWithReports();
    list(state, '50', service('web'));
    const older = () => state.acceptVersion('7');
    expect(state.listAge).toEqual({ notOlderThan: '50' });
    expect(older).toThrow(new ApiError('API_STALE', 'the list is of version 7, and 50 was seen already'));
    expect(older).toThrow(ApiError);
    expect(state.listAge).toBe('consistent');
    expect(older).not.toThrow();
    expect(reports).toEqual(['+web', 'complete', 'restored']);
  });

  test('objects of a list that is too large, and rejected, are removed', () => {
    const { state, reports } = stateWithReports(1);
    state.beginList();
    for (const name of ['a', 'b', 'c']) {
      state.put(service(name));
    }
    expect(() => state.put(service('d'))).toThrow('more than the 1 objects');
    expect(state.undoOversizedList()).toBe(true);
    expect(state.cache.size).toBe(0);
    expect(reports).toEqual(['+a', '+b', '+c', '-a', '-b', '-c']);
  });
});

describe('events', () => {
  test('a repeated event changes nothing', () => {
    const { state, reports } = stateWithReports();
    list(state, '5', service('web'));
    state.apply(event('DELETED', '5'), RUNNING);
    state.apply(event('MODIFIED', '6', service('web', '10.0.0.2')), RUNNING);
    expect(reports).toEqual(['+web', 'complete', '+web']);
    expect(state.resourceVersion).toBe('6');
  });

  test('an event for an object without a name is an error for a deletion only', () => {
    const { state, reports } = stateWithReports();
    list(state, '5');
    const nameless = { key: undefined, kept: {} };
    state.apply(event('ADDED', '6', nameless), RUNNING);
    expect(() => state.apply(event('DELETED', '7', nameless), RUNNING)).toThrow('without a name');
    expect(reports).toEqual(['complete']);
  });
});

describe('initial events', () => {
  test('the first ones apply as they arrive', () => {
    const { state, reports } = stateWithReports();
    expect(state.beginInitialEvents()).toBeUndefined();
    state.apply(event('ADDED', '3'), RUNNING);
    expect(reports).toEqual(['+web']);
    state.apply(endOfInitialEvents('9'), RUNNING);
    expect(reports).toEqual(['+web', 'complete']);
    expect(state.awaitsInitialEvents).toBe(false);
    expect(state.resourceVersion).toBe('9');
  });

  test('later ones apply at their end, when their version is known', () => {
    const { state, reports } = stateWithReports();
    list(state, '5', service('web'), service('db'));
    expect(state.beginInitialEvents()).toBe('5');
    state.apply(event('ADDED', '6', service('web', '10.0.0.9')), RUNNING);
    state.apply(event('ADDED', '7', service('cache')), RUNNING);
    state.apply(event('DELETED', '8', service('cache')), RUNNING);
    expect(state.named).toBe(2);
    expect(reports).toEqual(['+web', '+db', 'complete']);
    state.apply(endOfInitialEvents('9'), RUNNING);
    expect(reports).toEqual(['+web', '+db', 'complete', '+web', '-db', 'complete']);
  });

  test('those of an older server apply nothing', () => {
    const { state, reports } = stateWithReports();
    list(state, '5', service('web'));
    state.beginInitialEvents();
    state.apply(event('ADDED', '2', service('old')), RUNNING);
    expect(() => state.apply(endOfInitialEvents('3'), RUNNING)).toThrow('version 3, and 5 was seen already');
    expect(reports).toEqual(['+web', 'complete']);
  });

  test('a bookmark before their end shows a server without initial events', () => {
    const { state } = stateWithReports();
    state.beginInitialEvents();
    expect(() => state.apply(event('BOOKMARK', '4'), RUNNING)).toThrow(WatchListUnsupported);
  });
});
