import { expect, test } from '@jest/globals';
import { silentLogger } from '@kube-proxier/core';
import { FakeIptables } from '@kube-proxier/linux/testing';
import { findLeftovers, removeRules } from './table-cleanup.js';
import { fakeSettings } from './testing/fake-settings.js';

const SERVICES = 50_000;
const CHAINS = Array.from({ length: SERVICES }, (_, index) => `KUBE-SVC-${String(index).padStart(16, '0')}`);
const RULES_OF_KUBE_PROXY = [
  '*nat',
  ...[':PREROUTING ACCEPT [0:0]', ':KUBE-SERVICES - [0:0]', ...CHAINS.map((chain) => `:${chain} - [0:0]`)],
  '-A PREROUTING -j KUBE-SERVICES',
  ...CHAINS.map((chain) => `-A KUBE-SERVICES -d 10.0.0.1/32 -p tcp -m tcp --dport 80 -j ${chain}`),
  ...CHAINS.map((chain) => `-A ${chain} -p tcp -m tcp -j DNAT --to-destination 10.1.0.1:8080`),
  ...['COMMIT', ''],
].join('\n');

/** A host with kube-proxy's rules of a large cluster, and the documents that are written to it. */
function hostWithKubeProxy() {
  const iptables = new FakeIptables();
  const written: string[] = [];
  iptables.save = () => Promise.resolve(RULES_OF_KUBE_PROXY);
  iptables.restore = (text) => {
    written.push(text);
    return Promise.resolve();
  };
  return { iptables, written };
}

/** How often others had their turn during some work. */
async function turnsDuring(work: () => Promise<void>): Promise<number> {
  let turns = 0;
  const others = setInterval(() => {
    turns += 1;
  }, 0);
  await work();
  clearInterval(others);
  return turns;
}

test("while the rules of kube-proxy's 50,000 Services are removed, others have their turn", async () => {
  const { iptables, written } = hostWithKubeProxy();
  const turns = await turnsDuring(async () => {
    const options = { owner: 'kube-proxy', sysctl: fakeSettings(), logger: silentLogger } as const;
    const removed = await removeRules(iptables, options);
    expect(removed.find(({ kind }) => kind === 'chain')?.names).toHaveLength(SERVICES + 1);
  });
  const lines = written.join('').split('\n');
  expect(lines.filter((line) => line.startsWith('-X '))).toHaveLength(SERVICES + 1);
  expect(lines).toContain('-D PREROUTING -j KUBE-SERVICES');
  expect(turns).toBeGreaterThan(10);
});

test('while they are looked for, others have their turn', async () => {
  const turns = await turnsDuring(async () => {
    const found = await findLeftovers('IPv4', RULES_OF_KUBE_PROXY, { owner: 'kube-proxy' });
    expect(found.find(({ kind }) => kind === 'chain')?.names).toHaveLength(SERVICES + 1);
  });
  expect(turns).toBeGreaterThan(5);
});
