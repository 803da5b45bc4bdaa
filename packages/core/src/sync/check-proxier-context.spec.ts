import { expect, test } from '@jest/globals';
import type { ProxierContext } from '../contract/backend-module.js';
import { silentLogger } from '../contract/logger.js';
import { FakeDataplane, VirtualClock } from '../testing/index.js';
import { checkProxierContext } from './check-proxier-context.js';
import { DEFAULT_PROXIER_OPTIONS } from './proxier-options.js';
import { ReconcilingProxier } from './reconciling-proxier.js';

const CONTEXT: ProxierContext = {
  family: 'IPv4',
  options: { ...DEFAULT_PROXIER_OPTIONS, nodeName: 'node1' },
  logger: silentLogger,
  clock: new VirtualClock(0),
  observer: {},
  localAddresses: async () => [],
};

test('accepts a complete context', () => {
  expect(() => checkProxierContext('acme', CONTEXT)).not.toThrow();
});

test.each<[unknown, string]>([
  [undefined, 'the ProxierContext of mode acme needs the member family; it must be one of IPv4, IPv6'],
  [
    { ...CONTEXT, family: 'ipv4' },
    'member family of the ProxierContext of mode acme is "ipv4"; it must be one of IPv4',
  ],
  [{ ...CONTEXT, options: { nodeName: 'node1' } }, 'it must be an object with all ProxierOptions: { ...DEFAULT_PROX'],
  [{ ...CONTEXT, logger: undefined }, 'needs the member logger; it must be an object with error() and warn()'],
  [{ ...CONTEXT, localAddresses: [] }, 'member localAddresses of the ProxierContext of mode acme is []; it must be a'],
])('names the member that is missing or invalid: %#', (context, message) => {
  const refusal = expect.objectContaining({ code: 'PROXIER_CONTEXT', message: expect.stringContaining(message) });
  expect(() => checkProxierContext('acme', context as ProxierContext)).toThrow(refusal);
  const options = { mode: 'acme', context: context as ProxierContext, dataplane: new FakeDataplane() };
  expect(() => new ReconcilingProxier(options)).toThrow(refusal);
});
