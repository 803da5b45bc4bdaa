import { expect, test } from '@jest/globals';
import { NodeEvents } from './node-events.js';

test('a health check node port that cannot be listened on is an Event on its Service (spec H-19)', () => {
  const events: object[] = [];
  const sink = { record: (event: object) => void events.push(event), stop: async () => {} };
  const check = { namespace: 'default', name: 'web', port: 30100, localEndpoints: 1 };
  new NodeEvents(sink, 'node1').serviceHealthFailed(check, new Error('address in use'));
  expect(events).toEqual([
    {
      type: 'Warning',
      reason: 'FailedToStartServiceHealthcheck',
      action: 'Listen',
      note: 'Node node1 failed to start healthcheck "default/web" on port 30100: address in use',
      regarding: { apiVersion: 'v1', kind: 'Service', namespace: 'default', name: 'web' },
    },
  ]);
});
