import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { StickyClients } from './testing/sticky-clients.js';

/** Milliseconds: this kernel has one slow CPU, and its host may be busy. */
const TIMEOUT = 420_000;

describe('session affinity when mode ipvs is replaced', () => {
  let clients: StickyClients;

  beforeAll(async () => {
    clients = await StickyClients.create('legacy');
  }, TIMEOUT);

  afterAll(() => clients?.node.close());

  test(
    'clients keep their endpoints in mode nftables',
    async () => {
      await clients.runMode('ipvs', TIMEOUT);
      const before = await clients.endpoints();
      expect(new Set(Object.values(before))).toEqual(new Set(['pod1', 'pod2', 'remote-pod1']));
      await clients.node.stop();
      await clients.runMode('nftables', TIMEOUT);
      expect(await clients.endpoints()).toEqual(before);
    },
    3 * TIMEOUT,
  );
});
