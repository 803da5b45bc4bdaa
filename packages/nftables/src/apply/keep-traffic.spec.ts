import { expect, test } from '@jest/globals';
import { diffStates, type ProxyState } from '@kube-proxier/core';
import { makeService, makeSlice, RecordingLogger, resolveObjects } from '@kube-proxier/core/testing';
import { NftError } from '@kube-proxier/linux';
import { FakeNft } from '@kube-proxier/linux/testing';
import { NftablesDataplane } from '../dataplane.js';
import { TABLE } from '../plan/layout.js';

function stateOf(...endpoints: readonly string[]): ProxyState {
  const services = [makeService('web', { clusterIP: '10.96.0.10', ports: [{ port: 80 }] })];
  return resolveObjects({ services, slices: [makeSlice('web', endpoints)] });
}

async function serving(state: ProxyState) {
  const nft = new FakeNft();
  const logger = new RecordingLogger();
  const dataplane = new NftablesDataplane({ family: 'IPv4', nft, logger, countTraffic: true });
  const write = async (next: ProxyState, previous?: ProxyState) => {
    const installed = previous === undefined ? await dataplane.readBack() : undefined;
    const transaction = dataplane.plan(next, diffStates(previous, next), installed);
    await (transaction && dataplane.apply(transaction));
  };
  await write(state);
  return { nft, logger, dataplane, write };
}

test('an endpoint is removed also where counters cannot be read, which is logged', async () => {
  const before = stateOf('10.244.0.1', '10.244.0.2');
  const { nft, logger, write } = await serving(before);
  nft.listCounters = async () => {
    throw new NftError('NFT_BUSY', 'the table changed each time that it was read');
  };
  await write(stateOf('10.244.0.2'), before);
  expect(JSON.stringify(await nft.list('ip', TABLE), replacer)).not.toContain('10.244.0.1');
  expect(logger.messages('warn')).toEqual([expect.stringMatching(/^Packets .* are lost, .* changed each time/)]);
});

test('an endpoint is removed while all counters are being read', async () => {
  const before = stateOf('10.244.0.1', '10.244.0.2');
  const { nft, dataplane, write } = await serving(before);
  const list = nft.listCounters.bind(nft);
  let finish = () => {};
  const held = new Promise<void>((resolve) => {
    finish = resolve;
  });
  nft.listCounters = async (family, table, names?: readonly string[]) => {
    await (names === undefined ? held : undefined);
    return await list(family, table);
  };
  const reading = dataplane.connections();
  await write(stateOf('10.244.0.2'), before);
  expect(JSON.stringify(await nft.list('ip', TABLE), replacer)).not.toContain('10.244.0.1');
  finish();
  expect((await reading).map(({ endpoint }) => endpoint)).toEqual([undefined, '10.244.0.2:80']);
});

/** Maps as lists of their entries. */
function replacer(_key: string, value: unknown): unknown {
  return value instanceof Map ? [...value] : value;
}
