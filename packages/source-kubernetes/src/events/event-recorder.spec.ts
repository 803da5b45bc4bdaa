import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { RecordingLogger, until } from '@kube-proxier/core/testing';
import { FakeApiServer, FastClock } from '../testing/index.js';
import { type ClusterEvent, EventRecorder, type EventRecorderOptions } from './event-recorder.js';

const NODE = { apiVersion: 'v1', kind: 'Node', name: 'n1' };
const event = (note: string, rest: Partial<ClusterEvent> = {}): ClusterEvent => ({
  type: 'Normal',
  reason: 'Starting',
  action: 'StartKubeProxy',
  note,
  regarding: NODE,
  ...rest,
});

describe('EventRecorder', () => {
  let server: FakeApiServer;
  let recorder: EventRecorder;
  let logger: RecordingLogger;
  const clock = new FastClock(50);

  function record(options: Partial<EventRecorderOptions> = {}): EventRecorder {
    recorder = new EventRecorder({
      master: server.url,
      controller: 'kube-proxier',
      instance: 'kube-proxier-n1',
      logger,
      clock,
      ...options,
    });
    return recorder;
  }

  const notes = () => server.events.map(({ note }) => note);

  beforeEach(async () => {
    server = await FakeApiServer.start();
    logger = new RecordingLogger();
  });

  afterEach(async () => {
    await recorder.stop();
    await server.stop();
  });

  test.each([undefined, {}, { ...event('one'), regarding: undefined }, { ...event('one'), note: undefined }])(
    'what is no event is dropped with a warning: %j',
    async (wrong) => {
      record();
      recorder.record(wrong as never);
      recorder.record(event('two'));
      await until(() => server.events.length === 1, 'the other event is created');
      expect(notes()).toEqual(['two']);
      expect(logger.warnings).toEqual([
        expect.stringMatching(/^An event was dropped: it needs the texts type, reason/),
      ]);
    },
  );

  test('creates events of a Node and of a Service that an API server accepts', async () => {
    record();
    recorder.record(event('one'));
    recorder.record(
      event('two', {
        regarding: { apiVersion: 'v1', kind: 'Service', name: 'web', namespace: 'work' },
        type: 'Warning',
      }),
    );
    await until(() => server.events.length === 2, 'events are created');
    expect(server.events[0]).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { namespace: 'default', name: expect.stringMatching(/^n1\.[0-9a-f]+$/) },
      eventTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      reportingController: 'kube-proxier',
      reportingInstance: 'kube-proxier-n1',
      type: 'Normal',
      reason: 'Starting',
      action: 'StartKubeProxy',
      note: 'one',
      regarding: NODE,
    });
    expect(server.events[1]).toMatchObject({
      metadata: { namespace: 'work' },
      regarding: { kind: 'Service', namespace: 'work' },
    });
    expect(server.requests.map(({ verb, resource }) => `${verb} ${resource}`)).toEqual([
      'create events',
      'create events',
    ]);
  });

  test('is rate-limited, suppresses repetitions, and truncates long messages', async () => {
    record({ burst: 3, refill: 86_400_000, repeatAfter: 86_400_000 });
    for (const note of ['a', 'a', 'b', 'c'.repeat(5000), 'd']) {
      recorder.record(event(note));
    }
    await until(() => server.events.length === 3, 'events are created');
    await recorder.stop(1000);
    expect(notes()).toEqual(['a', 'b', expect.stringMatching(/^c+\.\.\.$/)]);
    expect(String(notes()[2])).toHaveLength(1024);
  });

  test('retries after errors, in order', async () => {
    let failures = 0;
    server.faultFor = () => {
      failures += 1;
      return failures <= 3 ? { kind: 'status', code: 503 } : undefined;
    };
    record();
    recorder.record(event('a'));
    recorder.record(event('b'));
    await until(() => server.events.length === 2, 'events are created');
    expect(notes()).toEqual(['a', 'b']);
    expect(logger.warnings).toEqual([]);
  });

  test('stops retrying when forbidden, and logs that once', async () => {
    server.forbidden.add('events');
    record();
    recorder.record(event('a'));
    recorder.record(event('b'));
    await until(() => server.requests.length === 2, 'events are created');
    await recorder.stop(1000);
    expect(logger.warnings).toEqual([
      expect.stringMatching(/^Events cannot be created in .*: 403 Forbidden: events\.events\.k8s\.io is forbidden/),
    ]);
  });

  test('does not block callers while the API server does not answer', async () => {
    server.faultFor = () => ({ kind: 'hang' });
    record({ clock: new FastClock(1) });
    recorder.record(event('a'));
    await until(() => server.requests.length === 1, 'events are created');
    await recorder.stop();
    recorder.record(event('b'));
    expect(server.events).toEqual([]);
    await server.goAway();
    record({ kubeconfig: '/nowhere' }).record(event('c'));
    await recorder.stop(10);
  });
});
