import { expect, test } from '@jest/globals';
import { makeService, makeSlice } from '../testing/objects.js';
import { resolveObjects } from '../testing/resolve-objects.js';
import { NO_ENDPOINTS } from '../tracking/sorted-endpoints.js';
import { resolvedServicePort } from './resolved-service-port.js';

const state = resolveObjects({ services: [makeService('work/web')], slices: [makeSlice('work/web', ['10.244.0.5'])] });
const [known] = state.servicePorts.values();

test('unchanged parts are the same object, and lists that no frontend uses are empty', () => {
  if (known === undefined) {
    throw new Error('there is no service port');
  }
  const { servicePort, frontends, cluster, candidates, selection, overlaps } = known;
  const view = { cluster, local: cluster, candidates, selection } as never;
  const wanted = { servicePort, view, frontends: structuredClone(frontends), rangeProblem: undefined };
  expect(resolvedServicePort(wanted, wanted.frontends, overlaps, known)).toBe(known);
  expect(resolvedServicePort(wanted, wanted.frontends, overlaps, undefined).frontends).toBe(wanted.frontends);
  const none = resolvedServicePort(wanted, [], overlaps, known);
  expect([none.frontends, none.cluster, none.local]).toEqual([[], NO_ENDPOINTS, NO_ENDPOINTS]);
  expect(none.candidates).toBe(candidates);
});
