import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeNamespace, type TestNamespace } from '../process/network-namespace.js';
import { FakeLocalNetwork } from './fake-local-network.js';
import { type LocalNetwork, ProcLocalNetwork, parseFibTrie, parseIfInet6 } from './local-network.js';

interface Host {
  readonly network: LocalNetwork;
  add(address: string): Promise<void>;
  remove(address: string): Promise<void>;
}

function localNetworkSuite(host: () => Host, own: readonly string[]): void {
  const withoutLinkLocal = async (): Promise<string[]> =>
    (await host().network.localAddresses()).filter((address) => !address.startsWith('fe80:'));

  test('returns the addresses of all interfaces, including loopback, sorted', async () => {
    expect(await withoutLinkLocal()).toEqual([...own, '127.0.0.1', '::1'].sort());
  });

  test('reflects added and removed addresses at once', async () => {
    for (const address of ['198.51.100.7', 'fd00:5::7']) {
      await host().add(address);
      expect(await withoutLinkLocal()).toContain(address);
      await host().remove(address);
      expect(await withoutLinkLocal()).not.toContain(address);
    }
  });
}

const NODE = ['192.168.0.2', '192.168.1.2', 'fd00:192:168::2', 'fd00:192:168:1::2'];

describe('FakeLocalNetwork', () => {
  const network = new FakeLocalNetwork(NODE);
  localNetworkSuite(
    () => ({
      network,
      add: async (address) => network.add(address),
      remove: async (address) => network.remove(address),
    }),
    NODE,
  );
});

describe('ProcLocalNetwork, in the kernel', () => {
  let namespace: TestNamespace;
  const ip = (...args: string[]) => namespace.runner.run({ command: 'ip', args });

  const change =
    (verb: string) =>
    async (address: string): Promise<void> => {
      const prefix = address.includes(':') ? 128 : 32;
      const atOnce = verb === 'add' && prefix === 128 ? ['nodad'] : [];
      await ip('address', verb, `${address}/${prefix}`, 'dev', 'eth0', ...atOnce);
    };

  beforeAll(async () => {
    namespace = makeNamespace();
    await ip('link', 'set', 'lo', 'up');
    await ip('link', 'add', 'eth0', 'up', 'type', 'veth', 'peer', 'name', 'peer');
    for (const address of NODE) {
      await change('add')(address);
    }
  });
  afterAll(() => namespace.remove());

  localNetworkSuite(
    () => ({ network: new ProcLocalNetwork(namespace.files), add: change('add'), remove: change('del') }),
    NODE,
  );

  test('returns addresses of interfaces that are down', async () => {
    await ip('link', 'add', 'kube-ipvs0', 'type', 'veth', 'peer', 'name', 'other');
    await ip('address', 'add', '10.96.0.1/32', 'dev', 'kube-ipvs0');
    expect(await new ProcLocalNetwork(namespace.files).localAddresses()).toContain('10.96.0.1');
  });

  test('falls back to os.networkInterfaces', async () => {
    const unreadable = { read: () => Promise.reject(new Error('no')), write: () => Promise.reject(new Error('no')) };
    expect(await new ProcLocalNetwork(unreadable).localAddresses()).toContain('127.0.0.1');
  });
});

describe('parsers', () => {
  test('fib_trie: local host routes only', () => {
    const text = `Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
     |-- 192.168.0.0
        /24 link UNICAST
Local:
     +-- 127.0.0.0/8 2 0 2
        +-- 127.0.0.0/31 1 0 0
           |-- 127.0.0.0
              /8 host LOCAL
           |-- 127.0.0.1
              /32 host LOCAL
        |-- 127.255.255.255
           /32 link BROADCAST
     |-- 192.168.0.2
        /32 host LOCAL
`;
    expect(parseFibTrie(text)).toEqual(['127.0.0.1', '192.168.0.2']);
  });

  test('if_inet6: canonical spelling', () => {
    const text =
      '00000000000000000000000000000001 01 80 10 80       lo\nfd000000000000000000000000000a00 02 40 00 80 eth0\n';
    expect(parseIfInet6(text)).toEqual(['::1', 'fd00::a00']);
  });

  test('if_inet6: without addresses during duplicate address detection, or with a duplicate', () => {
    const line = (last: number, flags: string) => `fd0000000000000000000000000000${last} 02 40 00 ${flags} eth0\n`;
    // Tentative; tentative and optimistic; duplicate; secondary and permanent.
    const text = [line(11, 'c0'), line(12, 'c4'), line(13, '88'), line(14, '81')].join('');
    expect(parseIfInet6(text)).toEqual(['fd00::12', 'fd00::14']);
  });
});
