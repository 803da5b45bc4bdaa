import { expect, test } from '@jest/globals';
import { checkCounting } from './check-counting.js';

test('the counts of a mode are listed when counting is requested, and a mode without counts is a warning', () => {
  const capabilities = { counting: { servicePorts: ['connections', 'bytes'], endpoints: [] } } as const;
  expect(checkCounting({ mode: 'some', capabilities }, { countConnections: true })).toEqual({
    check: 'counters',
    status: 'ok',
    found: 'connections and bytes of service ports, nothing of endpoints',
  });
  expect(checkCounting({ mode: 'some', capabilities }, {})).toBeUndefined();
  expect(checkCounting({ mode: 'other' }, { countConnections: true })).toMatchObject({
    status: 'warning',
    found: 'mode other counts nothing, and --count-connections has no effect',
  });
  expect(checkCounting({ mode: 'some', capabilities }, { countTraffic: true })).toMatchObject({ status: 'ok' });
  const connectionsOnly = { counting: { servicePorts: ['connections'], endpoints: [] } } as const;
  expect(checkCounting({ mode: 'one', capabilities: connectionsOnly }, { countTraffic: true })).toMatchObject({
    status: 'warning',
    found: 'mode one counts no packets and no bytes, so --count-traffic counts connections only',
  });
});
