import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { IpSetsNetlink } from '../ipset/ip-sets-netlink.js';
import { LinksNetlink } from '../link/links-netlink.js';
import { NetlinkSocket } from '../netlink/netlink-socket.js';
import { makeNamespace, type TestNamespace } from '../process/network-namespace.js';
import { type ContractSubject, IPVS_CONTRACT } from './ipvs-contract.js';
import { IpvsNetlink } from './ipvs-netlink.js';
import { readIpvsTemplates } from './ipvs-templates.js';

describe.each(['koffi', 'netlink'] as const)('the kernel, through %s', (transport) => {
  let namespace: TestNamespace;
  let subject: ContractSubject;

  beforeAll(async () => {
    namespace = makeNamespace();
    // Without a local routing table the kernel treats no address as local, which a virtual server requires.
    await namespace.runner.run({ command: 'ip', args: ['link', 'set', 'lo', 'up'] });
    const inside = { namespace: namespace.path, transport };
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

  test('a set that a rule refers to cannot be destroyed', async () => {
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

  test.each([
    ['IPv4', '10.96.0.8', '127.0.0.1'],
    ['IPv6', 'fd00:10:96::8', '::1'],
  ] as const)('the clients of a virtual server with persistence are listed: %s', async (family, address, real) => {
    const { ipvs } = subject;
    const at = { kind: 'address', family, protocol: 'TCP', address, port: 80 } as const;
    await ipvs.execute([
      { do: 'add-virtual', virtual: { at, scheduler: 'rr', schedulerFlags: 0, persistence: 600 } },
      { do: 'add-real', at, real: { address: real, port: 9, weight: 1 } },
    ]);
    const prefix = family === 'IPv4' ? '/32' : '/128';
    await namespace.runner.run({ command: 'ip', args: ['address', 'add', address + prefix, 'dev', 'lo'] });
    expect(await readIpvsTemplates(family, namespace.runner)).toEqual([]);
    // Nothing listens at the real server, which refuses the connection; IPVS remembers the client.
    const connect = `exec 3<>/dev/tcp/${address}/80`;
    await namespace.runner.run({ command: 'bash', args: ['-c', `${connect} || true`] });
    const [template, ...others] = await readIpvsTemplates(family, namespace.runner);
    expect(others).toEqual([]);
    expect(template).toMatchObject({
      ...{ protocol: 'TCP', client: address, virtualAddress: address, virtualPort: 80 },
      ...{ realAddress: real, realPort: 9 },
    });
    expect(template?.seconds).toBeGreaterThan(500);
    expect(template?.seconds).toBeLessThanOrEqual(600);
    await ipvs.execute([{ do: 'delete-virtual', at }]);
  });

  test('foreign server settings are listed: one-packet scheduling, and a connection limit', async () => {
    const { ipvs } = subject;
    const at = { kind: 'address', family: 'IPv4', protocol: 'UDP', address: '10.96.0.7', port: 53 } as const;
    const real = { address: '10.244.0.1', port: 53, weight: 1 };
    const virtual = { at, scheduler: 'rr', schedulerFlags: 0, persistence: undefined };
    await ipvs.execute([
      { do: 'add-virtual', virtual },
      { do: 'add-real', at, real },
    ]);
    const run = (line: string) => namespace.runner.run({ command: 'ipvsadm', args: line.split(' ') });
    await run('-E -u 10.96.0.7:53 -s rr -o');
    await run('-e -u 10.96.0.7:53 -r 10.244.0.1:53 -m -w 1 -x 3 -y 2');
    const found = async () => [
      (await ipvs.virtualServers()).find((server) => server.at.kind === 'address' && server.at.address === at.address),
      ...(await ipvs.realServers(at)),
    ];
    expect(await found()).toMatchObject([{ schedulerFlags: 0x4 }, { connectionLimit: 3 }]);
    await ipvs.execute([
      { do: 'set-virtual', virtual },
      { do: 'set-real', at, real },
    ]);
    expect(await found()).toMatchObject([virtual, { ...real, connectionLimit: 0 }]);
    await ipvs.execute([{ do: 'delete-virtual', at }]);
  });
});
