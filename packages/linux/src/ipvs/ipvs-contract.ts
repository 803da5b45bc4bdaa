import type { IpSetDefinition, IpSets } from '../ipset/ip-sets.js';
import type { Links } from '../link/links.js';
import type { Ipvs, RealServer, VirtualServer, VirtualServerAddress } from './ipvs.js';

/** The environment of a contract case: the kernel of a namespace, or fakes. */
export interface ContractSubject {
  readonly ipvs: Ipvs;
  readonly links: Links;
  readonly sets: IpSets;
}

/** One case: its commands, as text, and their result, which is the same everywhere. */
export interface ContractCase {
  readonly name: string;
  run(subject: ContractSubject): Promise<unknown>;
  readonly expected: unknown;
}

const AT: VirtualServerAddress = { kind: 'address', family: 'IPv4', protocol: 'TCP', address: '10.96.0.1', port: 80 };
const AT6: VirtualServerAddress = { kind: 'address', family: 'IPv6', protocol: 'UDP', address: 'fd00::a', port: 53 };
const MARK: VirtualServerAddress = { kind: 'mark', family: 'IPv6', mark: 0x5ac0_0001 };
const REAL: RealServer = { address: '10.244.0.1', port: 8080, weight: 1 };

function virtual(at: VirtualServerAddress, rest: Partial<VirtualServer> = {}): VirtualServer {
  return { at, scheduler: 'rr', schedulerFlags: 0, persistence: undefined, ...rest };
}

function set(name: string, rest: Partial<IpSetDefinition> = {}): IpSetDefinition {
  return { name, type: 'hash:ip', family: 'IPv4', maxEntries: 2048, marks: false, ...rest };
}

function names(results: readonly ({ readonly errnoName: string } | undefined)[]): readonly (string | undefined)[] {
  return results.map((result) => result?.errnoName);
}

function byText(left: unknown, right: unknown): number {
  return JSON.stringify(left) < JSON.stringify(right) ? -1 : 1;
}

/** The semantics that backends rely on, of the kernel and of the fakes. Cases build on one another, in order. */
export const IPVS_CONTRACT: readonly ContractCase[] = [
  {
    name: 'a virtual server is added once, changed when it exists, and listed unchanged',
    run: async ({ ipvs }) => [
      names(
        await ipvs.execute([
          { do: 'set-virtual', virtual: virtual(AT) },
          { do: 'add-virtual', virtual: virtual(AT) },
          { do: 'add-virtual', virtual: virtual(AT) },
          { do: 'set-virtual', virtual: virtual(AT, { scheduler: 'wlc', persistence: 60 }) },
          { do: 'add-virtual', virtual: virtual(AT6, { scheduler: 'mh', schedulerFlags: 0x10 }) },
          { do: 'add-virtual', virtual: virtual(MARK) },
        ]),
      ),
      [...(await ipvs.virtualServers())].sort(byText),
      await ipvs.has(AT),
      await ipvs.has({ ...AT, port: 81 }),
    ],
    expected: [
      ['ESRCH', undefined, 'EEXIST', undefined, undefined, undefined],
      [
        virtual(AT, { scheduler: 'wlc', persistence: 60 }),
        virtual(AT6, { scheduler: 'mh', schedulerFlags: 0x10 }),
        virtual(MARK),
      ].sort(byText),
      true,
      false,
    ],
  },
  {
    name: 'a scheduler that the kernel lacks is refused, and nothing changes',
    run: async ({ ipvs }) => [
      names(
        await ipvs.execute([{ do: 'add-virtual', virtual: virtual({ ...AT, port: 82 }, { scheduler: 'none-such' }) }]),
      ),
      await ipvs.has({ ...AT, port: 82 }),
    ],
    expected: [['ENOENT'], false],
  },
  {
    name: 'real servers are added once, changed when they exist, and belong to one virtual server',
    run: async ({ ipvs }) => [
      names(
        await ipvs.execute([
          { do: 'set-real', at: AT, real: REAL },
          { do: 'add-real', at: AT, real: REAL },
          { do: 'add-real', at: AT, real: REAL },
          { do: 'set-real', at: AT, real: { ...REAL, weight: 0 } },
          { do: 'add-real', at: MARK, real: { address: 'fd00::7', port: 8080, weight: 3 } },
          { do: 'add-real', at: { ...AT, port: 83 }, real: REAL },
          { do: 'delete-real', at: AT, address: '10.244.0.9', port: 1 },
          { do: 'delete-real', at: { ...AT, port: 83 }, address: '10.244.0.9', port: 1 },
        ]),
      ),
      await ipvs.realServers(AT),
      await ipvs.realServers(MARK),
      await ipvs.realServers({ ...AT, port: 83 }),
    ],
    expected: [
      ['ENOENT', undefined, 'EEXIST', undefined, undefined, 'ESRCH', 'ENOENT', 'ESRCH'],
      [
        {
          ...REAL,
          weight: 0,
          forwarding: 0,
          connectionLimit: 0,
          activeConnections: 0,
          inactiveConnections: 0,
          persistentConnections: 0,
        },
      ],
      [
        {
          ...{ address: 'fd00::7', port: 8080, weight: 3, forwarding: 0, connectionLimit: 0 },
          ...{ activeConnections: 0, inactiveConnections: 0, persistentConnections: 0 },
        },
      ],
      [],
    ],
  },
  {
    name: 'a real server that no connection went to has counted nothing',
    run: async ({ ipvs }) => [await ipvs.counts(MARK), await ipvs.counts({ ...AT, port: 83 })],
    expected: [
      [
        {
          ...{ address: 'fd00::7', port: 8080, connections: 0 },
          ...{ packetsToServer: 0, packetsToClients: 0, bytesToServer: 0, bytesToClients: 0 },
        },
      ],
      [],
    ],
  },
  {
    name: 'deleting a virtual server deletes its real servers',
    run: async ({ ipvs }) => [
      names(
        await ipvs.execute([
          { do: 'delete-virtual', at: AT },
          { do: 'delete-virtual', at: AT },
          { do: 'add-virtual', virtual: virtual(AT) },
        ]),
      ),
      await ipvs.realServers(AT),
      names(await ipvs.execute([AT, AT6, MARK].map((at) => ({ do: 'delete-virtual', at })))),
      await ipvs.virtualServers(),
    ],
    expected: [[undefined, 'ESRCH', undefined], [], [undefined, undefined, undefined], []],
  },
  {
    name: 'timeouts that exceed the range of the kernel are refused, all three',
    run: async ({ ipvs }) => [
      await ipvs.setTimeouts({ tcp: 77, tcpFin: 0, udp: 0x7fff_ffff }).catch(({ errnoName }) => errnoName),
      (await ipvs.timeouts()).tcp === 77,
    ],
    expected: ['EINVAL', false],
  },
  {
    name: 'timeouts of 0 are unchanged',
    run: async ({ ipvs }) => {
      await ipvs.setTimeouts({ tcp: 600, tcpFin: 0, udp: 0 });
      return [await ipvs.timeouts(), await ipvs.version()];
    },
    expected: [{ tcp: 600, tcpFin: 120, udp: 300 }, '1.2.1'],
  },
  {
    name: 'interfaces and addresses can be added once',
    run: async ({ links }) => {
      await links.addDummy('kpx-dummy');
      const again = await links.addDummy('kpx-dummy').catch((error) => error.errnoName);
      const link = (await links.find('kpx-dummy'))?.index ?? 0;
      const results = await links.execute([
        { do: 'add-address', link, address: '10.96.0.1' },
        { do: 'add-address', link, address: '10.96.0.1' },
        { do: 'add-address', link, address: 'fd00::a' },
        { do: 'delete-address', link, address: '10.96.0.9' },
        { do: 'delete-address', link, address: 'fd00::b' },
        { do: 'add-address', link: 4711, address: '10.96.0.1' },
      ]);
      const there = (await links.addresses()).filter((address) => address.link === link);
      await links.remove('kpx-dummy');
      return [
        again,
        names(results),
        there.map(({ family, address }) => `${family} ${address}`).sort(),
        await links.find('kpx-dummy'),
        await links.remove('kpx-dummy').catch((error) => error.errnoName),
        (await links.addresses()).filter((address) => address.link === link),
      ];
    },
    expected: [
      'EEXIST',
      [undefined, 'EEXIST', undefined, 'EADDRNOTAVAIL', 'EADDRNOTAVAIL', 'ENODEV'],
      ['IPv4 10.96.0.1', 'IPv6 fd00::a'],
      undefined,
      'ENODEV',
      [],
    ],
  },
  {
    name: 'sets: adding and removing entries is idempotent, creating a set of another kind under the same name is refused',
    run: async ({ sets }) => [
      names(
        await sets.execute([
          { do: 'create-set', set: set('kpx-a') },
          { do: 'create-set', set: set('kpx-a') },
          { do: 'create-set', set: set('kpx-a', { type: 'hash:ip,port' }) },
          { do: 'create-set', set: set('kpx-marks', { type: 'hash:ip,port', family: 'IPv6', marks: true }) },
          { do: 'create-set', set: set('kpx-net', { type: 'hash:ip,port,net' }) },
          { do: 'create-set', set: set('kpx-ip', { type: 'hash:ip,port,ip' }) },
          { do: 'add-entry', set: 'kpx-a', entry: { address: '10.0.0.1' } },
          { do: 'add-entry', set: 'kpx-a', entry: { address: '10.0.0.1' } },
          { do: 'delete-entry', set: 'kpx-a', entry: { address: '10.0.0.2' } },
          { do: 'add-entry', set: 'none-such', entry: { address: '10.0.0.1' } },
          { do: 'add-entry', set: 'kpx-marks', entry: { address: 'fd00::a', port: 80, protocol: 'SCTP', mark: 1 } },
          {
            do: 'add-entry',
            set: 'kpx-marks',
            entry: { address: 'fd00::a', port: 80, protocol: 'SCTP', mark: 0x80000007 },
          },
          {
            do: 'add-entry',
            set: 'kpx-net',
            entry: { address: '10.0.0.1', port: 80, protocol: 'TCP', network: '192.0.2.128/25' },
          },
          {
            do: 'add-entry',
            set: 'kpx-ip',
            entry: { address: '10.0.0.1', port: 80, protocol: 'UDP', second: '10.0.0.1' },
          },
        ]),
      ),
      await sets.find('kpx-a'),
      await sets.find('kpx-marks'),
      (await sets.find('kpx-net'))?.entries,
      (await sets.find('kpx-ip'))?.entries,
      await sets.find('none-such'),
      [...(await sets.names())].sort(),
    ],
    expected: [
      [undefined, undefined, 'EEXIST', ...Array(6).fill(undefined), 'ENOENT', ...Array(4).fill(undefined)],
      { ...set('kpx-a'), entries: [{ address: '10.0.0.1' }] },
      {
        ...set('kpx-marks', { type: 'hash:ip,port', family: 'IPv6', marks: true }),
        entries: [{ address: 'fd00::a', port: 80, protocol: 'SCTP', mark: 0x80000007 }],
      },
      [{ address: '10.0.0.1', port: 80, protocol: 'TCP', network: '192.0.2.128/25' }],
      [{ address: '10.0.0.1', port: 80, protocol: 'UDP', second: '10.0.0.1' }],
      undefined,
      ['kpx-a', 'kpx-ip', 'kpx-marks', 'kpx-net'],
    ],
  },
  {
    name: 'a set holds no more than its maximum, can be flushed, and can be destroyed',
    run: async ({ sets }) => {
      const addresses = Array.from({ length: 80 }, (_, index) => `10.1.0.${index + 1}`);
      await sets.execute([{ do: 'create-set', set: set('kpx-small', { maxEntries: 64 }) }]);
      const full = names(
        await sets.execute(addresses.map((address) => ({ do: 'add-entry', set: 'kpx-small', entry: { address } }))),
      );
      const all = ['kpx-a', 'kpx-ip', 'kpx-marks', 'kpx-net', 'kpx-small', 'kpx-small'];
      return [
        full.filter((name) => name !== undefined).every((name) => name === 'IPSET_HASH_FULL'),
        full.includes('IPSET_HASH_FULL'),
        names(await sets.execute([{ do: 'flush-set', name: 'kpx-small' }])),
        (await sets.find('kpx-small'))?.entries,
        names(await sets.execute(all.map((name) => ({ do: 'destroy-set', name })))),
        await sets.names(),
      ];
    },
    expected: [true, true, [undefined], [], Array(6).fill(undefined), []],
  },
];
