import { expect, test } from '@jest/globals';
import { ObjectReader } from '../objects/object-reader.js';
import { makeSlice } from '../testing/index.js';
import { EndpointSliceTracker } from './endpoint-slice-tracker.js';

const PORTS = 1000;

test('the changes of a slice with many ports can pause between ports', () => {
  const place = { nodeName: 'node1', zone: undefined, nodeHints: false };
  const tracker = new EndpointSliceTracker('IPv4', new ObjectReader(), place, 0);
  const ports = Array.from({ length: PORTS }, (_, index) => ({ name: `p${index}`, port: 1 + index }));
  const slices = ['10.0.0.1', '10.0.0.2'].map((address) => makeSlice('work/web', [address], { ports }));
  for (const [index, slice] of slices.entries()) {
    tracker.update(slices[index - 1], slice);
    tracker.take();
    const work = tracker.applyInSlices(undefined, 64);
    let pauses = 0;
    for (;;) {
      const { done, value } = work.next();
      if (done) {
        expect(value.touched.size).toBe(PORTS);
        break;
      }
      pauses += 1;
    }
    expect(pauses).toBeGreaterThanOrEqual(PORTS);
  }
});
