import { expect, test } from '@jest/globals';
import { ContainerModule } from 'inversify';
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

test('a deprecated mode is an Event on the node, as in kube-proxy, beside the start', () => {
  const events: { readonly type: string; readonly reason: string }[] = [];
  const sink = { record: (event: (typeof events)[number]) => void events.push(event), stop: async () => {} };
  const selection = {
    ...{ mode: 'ipvs', requested: 'ipvs', defaulted: false, detail: undefined, families: [], reason: undefined },
    backend: {
      mode: 'ipvs',
      description: '',
      probe: async () => ({ usable: true as const }),
      module: new ContainerModule(() => {}),
    },
  };
  new NodeEvents(sink, 'node1').modeSelected({
    ...selection,
    backend: { ...selection.backend, deprecation: 'It is old' },
  });
  expect(events).toMatchObject([
    { type: 'Warning', reason: 'IPVSDeprecation', action: 'StartKubeProxy', note: 'It is old.' },
    { type: 'Normal', reason: 'Starting' },
  ]);
  events.length = 0;
  new NodeEvents(sink, 'node1').modeSelected(selection);
  expect(events).toMatchObject([{ type: 'Normal', reason: 'Starting' }]);
});
