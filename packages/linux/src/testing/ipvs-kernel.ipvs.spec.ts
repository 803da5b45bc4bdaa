import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { IpSetsNetlink } from '../ipset/ip-sets-netlink.js';
import { IpvsNetlink } from '../ipvs/ipvs-netlink.js';
import { LinksNetlink } from '../link/links-netlink.js';
import { NetlinkSocket } from '../netlink/netlink-socket.js';
import { type ContractSubject, IPVS_CONTRACT } from './ipvs-contract.js';
import { makeNamespace, type TestNamespace } from './network-namespace.js';

describe('the kernel', () => {
  let namespace: TestNamespace;
  let subject: ContractSubject;

  beforeAll(async () => {
    namespace = makeNamespace();
    // Without a local routing table the kernel takes no address for one that a server could have.
    await namespace.runner.run({ command: 'ip', args: ['link', 'set', 'lo', 'up'] });
    const inside = { namespace: `/run/netns/${namespace.name}` };
    subject = {
      ipvs: new IpvsNetlink(new NetlinkSocket('generic', inside)),
      links: new LinksNetlink(new NetlinkSocket('route', inside)),
      sets: new IpSetsNetlink(new NetlinkSocket('netfilter', inside)),
    };
  });

  afterAll(() => {
    namespace?.remove();
  });

  test.each(IPVS_CONTRACT.map((each) => [each.name, each] as const))('%s', async (_name, { run, expected }) => {
    expect(await run(subject)).toEqual(expected);
  });

  test('a set that a rule looks at stays', async () => {
    const { sets } = subject;
    const set = { name: 'kpx-used', type: 'hash:ip', family: 'IPv4', maxEntries: 64, marks: false } as const;
    await sets.execute([{ do: 'create-set', set }]);
    const rule = ['OUTPUT', '-m', 'set', '--match-set', set.name, 'dst'];
    await namespace.runner.run({ command: 'iptables', args: ['-A', ...rule] });
    const destroy = async () => (await sets.execute([{ do: 'destroy-set', name: set.name }]))[0]?.errnoName;
    expect(await destroy()).toBe('IPSET_BUSY');
    await namespace.runner.run({ command: 'iptables', args: ['-D', ...rule] });
    expect(await destroy()).toBeUndefined();
  });

  test.each([
    ['10.96.0.1', 24],
    ['fd00::a', 64],
  ])('an address that has the prefix length of a network is removed as well: %s/%i', async (address, length) => {
    const { links } = subject;
    await links.addDummy('kpx-dummy');
    await namespace.runner.run({ command: 'ip', args: ['address', 'add', `${address}/${length}`, 'dev', 'kpx-dummy'] });
    const link = (await links.find('kpx-dummy'))?.index ?? 0;
    expect(await links.execute([{ do: 'delete-address', link, address }])).toEqual([undefined]);
    expect((await links.addresses()).filter((found) => found.link === link)).toEqual([]);
    await links.remove('kpx-dummy');
  });
});
