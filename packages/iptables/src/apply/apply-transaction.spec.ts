import { describe, expect, test } from '@jest/globals';
import { PartlyAppliedError, silentLogger } from '@kube-proxier/core';
import { RecordingLogger } from '@kube-proxier/core/testing';
import { IptablesDocumentRefused, IptablesError, type Sysctl } from '@kube-proxier/linux';
import { FakeIptables, FakeSysctl } from '@kube-proxier/linux/testing';
import { IptablesDataplane } from '../dataplane.js';
import { addresses, ClusterSketch, chainOf, everything, sketch } from '../testing/clusters.js';
import { fakeSettings } from '../testing/fake-settings.js';

function host() {
  const iptables = new FakeIptables();
  const sysctl = fakeSettings();
  return {
    iptables,
    sysctl,
    dataplane: new IptablesDataplane({ family: 'IPv4', iptables: async () => iptables, sysctl }),
  };
}

describe('applying', () => {
  test('a rejected Service does not affect others', async () => {
    const cluster = new ClusterSketch('IPv4');
    const { iptables, dataplane } = host();
    for (let number = 1; number <= 50; number++) {
      cluster.set(sketch(number, number === 17 ? { affinity: true } : {}));
    }
    iptables.refuses = (line) => line.includes('--rcheck');
    const { state } = cluster.next();
    const applied = dataplane.apply(dataplane.plan(state, everything(state), await dataplane.readBack())!);
    await expect(applied).rejects.toMatchObject({
      code: 'IPTABLES_PARTLY_APPLIED',
      refused: new Map([['ns/svc17:p/TCP', expect.any(String)]]),
    });
    expect(iptables.rulesOf('nat', chainOf(16))).toHaveLength(2);
    expect(iptables.rulesOf('nat', chainOf(17))).toBeUndefined();
    expect(iptables.rulesOf('nat', 'PREROUTING')).toHaveLength(1);
    expect(iptables.rulesOf('filter', 'INPUT')).toHaveLength(3 + 1);

    // When the kernel accepts it, the next reconcile adds it.
    iptables.refuses = () => false;
    await dataplane.apply(dataplane.plan(state, everything(state), await dataplane.readBack())!);
    expect(iptables.rulesOf('nat', chainOf(17))).toHaveLength(3);
    expect(dataplane.plan(state, everything(state), await dataplane.readBack())).toBeUndefined();
  });

  test('the bisection stops after too many rejected Services, and the error reports it', async () => {
    const cluster = new ClusterSketch('IPv4');
    const { iptables, dataplane } = host();
    for (let number = 1; number <= 60; number++) {
      cluster.set(sketch(number));
    }
    const { state } = cluster.next();
    const transaction = dataplane.plan(state, everything(state), await dataplane.readBack());
    const real = iptables.restore.bind(iptables);
    let documents = 0;
    iptables.restore = async (document) => {
      documents += document.includes('*nat\n') ? 1 : 0;
      if (document.includes('--to-destination')) {
        throw new IptablesDocumentRefused(undefined, undefined, 'line unknown');
      }
      await real(document);
    };
    await expect(dataplane.apply(transaction!)).rejects.toMatchObject({
      code: 'IPTABLES_PARTLY_APPLIED',
      kind: 'partly-applied',
      refused: new Map([['rules of service ports that were not identified', 'line unknown']]),
    });
    expect(documents).toBe(1 + 64);
  });

  test('a bad Service is found when only the commit is refused', async () => {
    const cluster = new ClusterSketch('IPv4');
    const { iptables, dataplane } = host();
    cluster.set(sketch(1));
    const first = cluster.next();
    await dataplane.apply(dataplane.plan(first.state, everything(first.state), await dataplane.readBack())!);
    for (let number = 2; number <= 20; number++) {
      cluster.set(sketch(number));
    }
    const { state, changes } = cluster.next();
    let bad = false;
    iptables.refuses = (line) => {
      bad = line.startsWith('*') ? false : bad || line.includes(addresses.pod('IPv4', 13));
      return bad && line.startsWith(':') === false && line.startsWith('-X');
    };
    const real = iptables.restore.bind(iptables);
    iptables.restore = async (document) => {
      if (document.includes('--to-destination 10.244.0.13:')) {
        throw new IptablesDocumentRefused(undefined, undefined, 'line unknown');
      }
      await real(document);
    };
    await expect(dataplane.apply(dataplane.plan(state, changes)!)).rejects.toBeInstanceOf(PartlyAppliedError);
    for (const number of [2, 12, 14, 20]) {
      expect(iptables.rulesOf('nat', chainOf(number))).toHaveLength(2);
    }
    expect(iptables.rulesOf('nat', chainOf(13))).toBeUndefined();
  });

  test('a chain with foreign jumps is emptied, not deleted', async () => {
    const cluster = new ClusterSketch('IPv4');
    const { iptables, dataplane } = host();
    cluster.set(sketch(1));
    const first = cluster.next();
    await dataplane.apply(dataplane.plan(first.state, everything(first.state), await dataplane.readBack())!);
    await iptables.restore(`*nat\n:MINE - [0:0]\n-A MINE -j ${chainOf(1)}\nCOMMIT\n`);
    cluster.remove('ns/svc1');
    const { state, changes } = cluster.next();
    await dataplane.apply(dataplane.plan(state, changes)!);
    expect(iptables.rulesOf('nat', chainOf(1))).toEqual([]);
    await dataplane.cleanup();
    expect(iptables.rulesOf('nat', 'MINE')).toEqual([`-j ${chainOf(1)}`]);
    expect(iptables.chainsOf('nat').filter((name) => name.startsWith('KUBE-'))).toEqual([chainOf(1)]);
  });

  test('another failure is reported unchanged', async () => {
    const { iptables, dataplane } = host();
    const { state } = new ClusterSketch('IPv4').next();
    const transaction = dataplane.plan(state, everything(state), await dataplane.readBack())!;
    iptables.failNext(new IptablesError('IPTABLES_LOCKED', 'busy'));
    await expect(dataplane.apply({ ...transaction, localnet: false })).rejects.toMatchObject({
      code: 'IPTABLES_LOCKED',
    });
  });

  test('route_localnet is enabled after the guard rule is added, once, beside the rules of a kubelet', async () => {
    const { iptables, sysctl, dataplane } = host();
    await iptables.restore(
      '*filter\n:KUBE-FIREWALL - [0:0]\n-A KUBE-FIREWALL -m mark --mark 0x8000/0x8000 -j DROP\n-A INPUT -j KUBE-FIREWALL\nCOMMIT\n',
    );
    const { state } = new ClusterSketch('IPv4').next();
    await dataplane.apply(dataplane.plan(state, everything(state), await dataplane.readBack())!);
    expect(await sysctl.read('net/ipv4/conf/all/route_localnet')).toBe('1');
    expect(iptables.rulesOf('filter', 'KUBE-FIREWALL')).toEqual([
      '-m mark --mark 0x8000/0x8000 -j DROP',
      '! -s 127.0.0.0/8 -d 127.0.0.0/8 -m comment --comment "block incoming localnet connections" -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP',
    ]);
    expect(iptables.rulesOf('filter', 'OUTPUT')?.filter((rule) => rule === '-j KUBE-FIREWALL')).toHaveLength(1);
    expect(dataplane.plan(state, everything(state), await dataplane.readBack())).toBeUndefined();
    await dataplane.cleanup();
    expect(iptables.rulesOf('filter', 'KUBE-FIREWALL')).toEqual(['-m mark --mark 0x8000/0x8000 -j DROP']);
  });

  test('a kubelet may create the chain of the guard between the read and the write', async () => {
    const { iptables, sysctl, dataplane } = host();
    const cluster = new ClusterSketch('IPv4');
    cluster.set(sketch(1));
    const { state } = cluster.next();
    const transaction = dataplane.plan(state, everything(state), await dataplane.readBack())!;
    await iptables.restore('*filter\n:KUBE-FIREWALL - [0:0]\n-A OUTPUT -j KUBE-FIREWALL\nCOMMIT\n');
    await dataplane.apply(transaction);
    expect(await sysctl.read('net/ipv4/conf/all/route_localnet')).toBe('1');
    expect(iptables.rulesOf('filter', 'KUBE-FIREWALL')).toHaveLength(1);
    expect(iptables.rulesOf('filter', 'INPUT')).toHaveLength(3 + 1);
    expect(iptables.rulesOf('filter', 'OUTPUT')).toHaveLength(3 + 1);
    expect(iptables.rulesOf('nat', chainOf(1))).toHaveLength(2);
    expect(dataplane.plan(state, everything(state), await dataplane.readBack())).toBeUndefined();
  });

  test('a host that does not open 127.0.0.1 is reported once, and is not treated as drift', async () => {
    const localnet = 'net/ipv4/conf/all/route_localnet';
    let settings = new FakeSysctl({ [localnet]: 0, 'net/netfilter/nf_conntrack_tcp_be_liberal': 0 }, [localnet]);
    const sysctl: Sysctl = {
      read: (name) => settings.read(name),
      write: (name, value) => settings.write(name, value),
    };
    const iptables = new FakeIptables();
    const logger = new RecordingLogger();
    const dataplane = new IptablesDataplane({ family: 'IPv4', iptables: async () => iptables, sysctl, logger });
    const { state } = new ClusterSketch('IPv4').next();
    const again = async () => dataplane.plan(state, everything(state), await dataplane.readBack());
    await dataplane.apply((await again())!);
    expect(await again()).toBeUndefined();
    expect(logger.messages('warn')).toEqual(['NodePorts are not served on 127.0.0.1']);

    // The administrator enables it, and another program removes the guard.
    settings = fakeSettings({ [localnet]: 1 });
    expect(await again()).toBeUndefined();
    await iptables.restore('*filter\n-F KUBE-FIREWALL\nCOMMIT\n');
    await dataplane.apply((await again())!);
    expect(iptables.rulesOf('filter', 'KUBE-FIREWALL')).toHaveLength(1);
  });

  test('one endpoint costs one chain, and nothing is read', async () => {
    const cluster = new ClusterSketch('IPv4');
    const { iptables, dataplane } = host();
    for (let number = 1; number <= 100; number++) {
      cluster.set(sketch(number));
    }
    const first = cluster.next();
    await dataplane.apply(dataplane.plan(first.state, everything(first.state), await dataplane.readBack())!);
    const saves = iptables.saves;
    cluster.set(sketch(7, { endpoints: [{ number: 8, node: 'node2' }] }));
    const { state, changes } = cluster.next();
    await dataplane.apply(dataplane.plan(state, changes)!);
    expect(iptables.saves).toBe(saves);
    expect(iptables.documents.at(-1)?.split('\n')).toEqual([
      '*nat',
      `:${chainOf(7)} - [0:0]`,
      `-A ${chainOf(7)} ! -s 10.244.0.0/16 -d 10.96.0.7/32 -m comment --comment "ns/svc7:p cluster IP" -j KUBE-MARK-MASQ`,
      `-A ${chainOf(7)} -p tcp -m comment --comment "ns/svc7:p -> 10.244.0.8:8080" -j DNAT --to-destination 10.244.0.8:8080`,
      'COMMIT',
      '',
    ]);
    expect(silentLogger.v(4)).toBe(false);
  });

  test('large clusters have no comments, and the same rules', async () => {
    const cluster = new ClusterSketch('IPv4');
    const { iptables, dataplane } = host();
    const many = (count: number) => {
      for (let number = 1; number <= count; number++) {
        cluster.set(sketch(number));
      }
      return cluster.next();
    };
    const few = many(990);
    await dataplane.apply(dataplane.plan(few.state, everything(few.state), await dataplane.readBack())!);
    const more = many(1010);
    await dataplane.apply(dataplane.plan(more.state, more.changes)!);
    expect(iptables.rulesOf('nat', chainOf(1))?.[1]).toContain('--comment');
    expect(iptables.rulesOf('nat', chainOf(1005))?.[1]).not.toContain('--comment');
    expect(dataplane.plan(more.state, more.changes, await dataplane.readBack())).toBeUndefined();
    for (let number = 500; number <= 1010; number++) {
      cluster.remove(`ns/svc${number}`);
    }
    const less = cluster.next();
    await dataplane.apply(dataplane.plan(less.state, less.changes)!);
    expect(dataplane.plan(less.state, less.changes, await dataplane.readBack())).toBeUndefined();
  });
});
