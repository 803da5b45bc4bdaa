import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { everything, makeService, makeSlice, resolveObjects } from '@kube-proxier/core/testing';
import { createCommandRunner, createIptables, PacketCountersNetlink } from '@kube-proxier/linux';
import { IptablesDataplane } from './dataplane.js';
import { COUNTERS } from './plan/fixed-chains.js';

/** In the kernel that the ipvs tests boot: it has `nfnetlink_acct`, which others often lack. */

/** An address of this host without a listener: the first packet is what counts. */
const ENDPOINT = '10.244.0.9';
const address = (what: 'add' | 'del') => execFileSync('ip', ['address', what, `${ENDPOINT}/32`, 'dev', 'lo']);

const counters = new PacketCountersNetlink();
const dataplane = new IptablesDataplane({
  family: 'IPv4',
  iptables: async () => createIptables({ family: 'IPv4', variant: 'legacy', runner: createCommandRunner() }),
  counters,
});

beforeEach(() => {
  address('add');
});

afterEach(async () => {
  address('del');
  await dataplane.cleanup();
  dataplane.close();
  counters.close();
});

test('connections to a NodePort on 127.0.0.1 are counted, also after a restart', async () => {
  const state = resolveObjects(
    {
      services: [
        makeService('web', { type: 'NodePort', clusterIP: '10.96.0.10', ports: [{ port: 80, nodePort: 30_080 }] }),
      ],
      slices: [makeSlice('web', [ENDPOINT])],
    },
    { localhostNodePorts: true, nodePortAddresses: { kind: 'all' } },
  );
  const install = async () => {
    const transaction = dataplane.plan(state, everything(state), await dataplane.readBack());
    if (transaction !== undefined) {
      await dataplane.apply(transaction);
    }
    return transaction;
  };
  await install();
  const before = (await counters.read(COUNTERS.localhostNodePorts))?.packets ?? Number.NaN;
  const connect = () => execFileSync('bash', ['-c', 'exec 3<>/dev/tcp/127.0.0.1/30080 || true'], { stdio: 'ignore' });
  connect();
  connect();
  expect((await counters.read(COUNTERS.localhostNodePorts))?.packets).toBe(before + 2);
  expect(await install()).toBeUndefined();
  connect();
  expect((await counters.read(COUNTERS.localhostNodePorts))?.packets).toBe(before + 3);
  expect(await counters.read('no_such_accounting_object')).toBeUndefined();
});
