import { describe, expect, test } from '@jest/globals';
import type { IPFamily } from '@kube-proxier/core';
import { casesOf, Random } from '@kube-proxier/core/testing';
import { NetlinkSocket } from '../../netlink/netlink-socket.js';
import { PacketCountersNetlink } from '../../nfacct/packet-counters-netlink.js';
import { canMakeNamespaces, type TestNamespace, withNamespace } from '../../process/network-namespace.js';
import type { IptablesTable } from '../iptables.js';
import { iptablesProgram } from '../iptables-command.js';
import { parseSavedTable } from '../iptables-document.js';
import { filterSamples, natSamples } from '../iptables-rule-samples.js';
import { IptablesNetlink } from './iptables-netlink.js';
import { IptablesRuleLookup } from './iptables-rule-lookup.js';

const families = casesOf(['IPv4', 'IPv6'] as const, []);
/** A counter of nfacct; a name may have 31 characters. */
const COUNTER = 'a_counter_with_31_characters_aa';
const CHAINS = ['T', 'KUBE-FW-X', 'KUBE-SEP-X', 'KUBE-MARK-MASQ'];

/** Rules of other programs, in any notation that iptables accepts. */
function otherSamples(family: IPFamily, table: IptablesTable): readonly string[] {
  const six = family === 'IPv6';
  const [one, two] = six ? ['2001:db8::1', '2001:db8::9'] : ['192.0.2.1', '192.0.2.9'];
  const networks = six
    ? ['2001:db8::/32', '2001:db8::/33', '2001:db8::/127', '::/1', '::1/ffff::ff']
    : ['10.0.0.0/8', '10.128.0.0/9', '10.0.0.0/31', '128.0.0.0/1', '10.0.0.1/255.0.0.255'];
  const masks = ['0x1', '0x1/0x1', '0x0/0xff', '0xffffffff', '0x80000000/0x80000000'];
  const common = [
    ...networks.flatMap((network) => [`-s ${network}`, `! -s ${network}`, `-d ${network}`, `! -d ${network}`]),
    `-s ${one} ! -d ${two}`,
    ...['tcp', 'udp', 'sctp', six ? 'icmpv6' : 'icmp', 'esp', 'ah', '200'].flatMap((name) => [
      `-p ${name}`,
      `! -p ${name}`,
    ]),
    ...['tcp', 'udp', 'sctp'].flatMap((name) =>
      ['80', '1:65535', '0:1023', '1024:65535', '8080:8090', ':1023', '1024:', '0', '65535'].flatMap((ports) =>
        ['--sport', '--dport'].flatMap((flag) => [
          `-p ${name} -m ${name} ${flag} ${ports}`,
          `-p ${name} -m ${name} ! ${flag} ${ports}`,
        ]),
      ),
    ),
    '-p tcp -m tcp --sport 1 --dport 2 --tcp-flags SYN,RST,ACK SYN',
    '-p tcp -m tcp ! --sport 1:5 ! --dport 2:6',
    '-p tcp --syn',
    '-p tcp ! --syn',
    '-p tcp -m tcp ! --tcp-flags ALL NONE',
    '-p tcp -m tcp --tcp-flags FIN,SYN FIN,SYN',
    '-p udp -m udp --sport 53 ! --dport 53:99',
    ...['tcp', 'udp', 'sctp'].flatMap((name) => [
      `-p ${name} -m multiport --dports 80,443`,
      `-p ${name} -m multiport ! --sports 1,5:9,8080`,
      `-p ${name} -m multiport --ports 1:2,3`,
    ]),
    ...masks.flatMap((mark) => [
      `-m mark --mark ${mark}`,
      `-m mark ! --mark ${mark}`,
      `-m connmark --mark ${mark}`,
      `-m connmark ! --mark ${mark}`,
    ]),
    '-m mark --mark 0x1/0x1 -m mark ! --mark 0x2/0x2',
    ...['NEW', 'INVALID', 'RELATED,ESTABLISHED', 'NEW,UNTRACKED,SNAT,DNAT'].flatMap((states) => [
      `-m conntrack --ctstate ${states}`,
      `-m conntrack ! --ctstate ${states}`,
    ]),
    '-m state --state RELATED,ESTABLISHED',
    '-m state ! --state NEW',
    `-m conntrack --ctorigdst ${one}`,
    `-m conntrack ! --ctorigsrc ${networks[0]} --ctreplsrc ${one} ! --ctrepldst ${two}`,
    '-m conntrack --ctproto 6 --ctorigdstport 80 ! --ctorigsrcport 1:9',
    '-m conntrack --ctproto 6 --ctreplsrcport 80 --ctrepldstport 1024:65535',
    '-m conntrack --ctstatus NONE',
    '-m conntrack ! --ctstatus SEEN_REPLY,ASSURED',
    '-m conntrack --ctdir ORIGINAL',
    '-m conntrack --ctstate NEW --ctdir REPLY',
    ...[
      ...['LOCAL', 'UNICAST,LOCAL', 'MULTICAST,ANYCAST'],
      ...(six ? [] : ['BROADCAST', 'UNSPEC,BLACKHOLE,UNREACHABLE,PROHIBIT']),
    ].flatMap((types) => [`-m addrtype --src-type ${types}`, `-m addrtype ! --dst-type ${types}`]),
    '-m addrtype --src-type LOCAL ! --dst-type LOCAL',
    '-m statistic --mode random --probability 0.1',
    '-m statistic --mode random ! --probability 0.99999',
    '-m statistic --mode nth --every 3 --packet 2',
    '-m statistic --mode nth ! --every 2 --packet 0',
    '-m recent --name A --set',
    '-m recent --name A ! --set --rdest',
    '-m recent --name A --rcheck --seconds 5 --hitcount 3 --rttl',
    '-m recent --name A --update --seconds 5 --reap',
    `-m recent --name A --remove --mask ${six ? 'ffff:ffff::' : '255.255.0.0'}`,
    `-m iprange --src-range ${one}-${two}`,
    `-m iprange ! --src-range ${one}-${two} ! --dst-range ${one}-${one}`,
    '-m comment --comment plain',
    '-m comment --comment "two words -j DROP"',
    '-m comment --comment "a \\"quoted\\" and \\\\ back"',
    `-p tcp -m comment --comment before -m tcp --dport 1 -m comment --comment after`,
    '-m comment --comment one -m conntrack --ctstate NEW -m mark --mark 0x1 -m addrtype --dst-type LOCAL',
    ...(six ? [] : ['-f', '! -f', '! -f -p udp']),
    '-g KUBE-FW-X',
    '-j KUBE-FW-X',
    '-j ACCEPT',
    '-j RETURN',
  ];
  const inHooks = [
    '-i eth0',
    '! -i eth0',
    '-i eth+',
    '! -i eth+',
    '-i a23456789012345',
    '-o lo',
    '! -o cali+',
    '-i + -o +',
    '! -i +',
  ];
  const marks = masks.map((mark) => `-j MARK --set-xmark ${mark}`);
  const connmarks = [
    ...masks.map((mark) => `-j CONNMARK --set-xmark ${mark}`),
    '-j CONNMARK --save-mark',
    '-j CONNMARK --restore-mark --nfmask 0xff --ctmask 0xff00',
    '-j CONNMARK --save-mark --nfmask 0xf000 --ctmask 0xf000',
  ];
  const bracket = (text: string) => (six ? `[${text}]` : text);
  const targets: Partial<Record<IptablesTable, readonly string[]>> = {
    filter: [
      '-j DROP',
      ...(six
        ? ['icmp6-no-route', 'icmp6-adm-prohibited', 'icmp6-addr-unreachable', 'icmp6-port-unreachable']
        : ['icmp-net-unreachable', 'icmp-host-unreachable', 'icmp-proto-unreachable', 'icmp-port-unreachable']
      ).map((answer) => `-j REJECT --reject-with ${answer}`),
      ...(six ? [] : ['icmp-net-prohibited', 'icmp-host-prohibited', 'icmp-admin-prohibited']).map(
        (answer) => `-j REJECT --reject-with ${answer}`,
      ),
      '-p tcp -j REJECT --reject-with tcp-reset',
    ],
    nat: [
      ...['', ' --random', ' --random-fully'].map((flag) => `-j MASQUERADE${flag}`),
      '-p tcp -j MASQUERADE --to-ports 1000-2000',
      '-p udp -j MASQUERADE --to-ports 1000 --random',
      '-p tcp -j REDIRECT --to-ports 8080',
      '-p tcp -j REDIRECT --to-ports 8080-8090 --random',
      '-p tcp -j REDIRECT',
      ...['SNAT --to-source', 'DNAT --to-destination'].flatMap((target) => [
        `-j ${target} ${one}`,
        `-j ${target} ${one}-${two}`,
        `-j ${target} ${one} --random --persistent`,
        `-p tcp -j ${target} ${bracket(one)}:80`,
        `-p tcp -j ${target} ${bracket(`${one}-${two}`)}:80-90`,
        `-p tcp -j ${target} :80`,
      ]),
      `-j SNAT --to-source ${one} --random-fully`,
      `-p tcp -j DNAT --to-destination ${bracket(one)}:80-90/1000`,
    ],
    mangle: [...marks, ...connmarks],
    raw: ['-j NOTRACK', '-j CT --notrack', '-j DROP'],
  };
  return [...common, ...(table === 'mangle' ? inHooks : []), ...(targets[table] ?? [])];
}

/** Rules with several matches, in any order. */
function mixedSamples(family: IPFamily, count: number): readonly string[] {
  const [one, two] = family === 'IPv6' ? ['2001:db8::/64', 'fd00::7'] : ['192.0.2.0/24', '10.9.8.7'];
  const matches = [
    ...['-m tcp --dport 80', '-m tcp ! --sport 1:9', '-m tcp --tcp-flags SYN,ACK SYN', '-m mark --mark 0x1/0xff'],
    ...['-m mark ! --mark 0x200', '-m conntrack --ctstate NEW', '-m comment --comment "some words"'],
    ...['-m addrtype --dst-type LOCAL', '-m multiport --dports 1,2', '-m statistic --mode random --probability 0.3'],
    ...['-m recent --rcheck --name R', `-m iprange --src-range ${two}-${two}`],
  ];
  const ends = ['', '-j ACCEPT', '-g KUBE-FW-X', '-j REJECT', '-j MARK --set-mark 0x1', '-j CONNMARK --save-mark'];
  const random = new Random(1);
  return Array.from({ length: count }, () =>
    [
      random.pick(['', `-s ${one}`, `! -s ${two}`]),
      random.pick(['', `-d ${two}`, `! -d ${one}`]),
      '-p tcp',
      ...random.shuffle(matches).slice(0, random.below(5)),
      random.pick(ends),
    ].join(' '),
  );
}

function section(table: string, rules: readonly string[], chain = 'T'): string {
  return [
    `*${table}`,
    ...CHAINS.map((name) => `:${name} - [0:0]`),
    ...rules.map((rule) => `-A ${chain} ${rule}`),
    'COMMIT',
    '',
  ].join('\n');
}

async function restore(family: IPFamily, { runner }: TestNamespace, document: string): Promise<void> {
  await runner.run({ command: iptablesProgram(family, 'nft', 'restore'), args: ['--noflush'], stdin: document });
}

/** What the program prints, and what is decoded. */
async function bothTexts(family: IPFamily, { path, runner }: TestNamespace, table: IptablesTable) {
  const saved = await runner.run({ command: iptablesProgram(family, 'nft', 'save'), args: ['-t', table] });
  const lookup = await IptablesRuleLookup.open(family, { namespace: path });
  const rules = lookup?.rules(table, 'T') ?? [];
  lookup?.close();
  return {
    // Version 1.8.7 prints a blank after the last word.
    printed: parseSavedTable(saved.stdout, table)
      .get('T')
      ?.rules.map((rule) => rule.trimEnd()),
    decoded: rules.map(({ text }) => text),
    notDecoded: rules.flatMap(({ notDecoded }) => notDecoded),
    jumps: rules.map(({ jump }) => jump),
  };
}

const on = canMakeNamespaces() ? describe : describe.skip;

on.each(families)('decoded rules of iptables-nft, %s', (family) => {
  test.each(['filter', 'nat', 'mangle', 'raw'] as const)(
    'table %s: rules of all kinds are decoded as iptables-save prints them',
    async (table) => {
      await withNamespace(async (namespace) => {
        const mixed = table === 'filter' ? mixedSamples(family, 200) : [];
        await restore(family, namespace, section(table, [...otherSamples(family, table), ...mixed]));
        const { decoded, notDecoded, printed } = await bothTexts(family, namespace, table);
        expect(decoded).toEqual(printed);
        expect(notDecoded).toEqual([]);
      });
    },
  );

  test.each([
    ['filter', '-m physdev --physdev-in eth0'],
    ['filter', '-m physdev ! --physdev-in eth+ --physdev-is-bridged'],
    ['filter', '-m physdev --physdev-is-in ! --physdev-is-out'],
    ['filter', '-m physdev --physdev-out veth0 ! --physdev-is-in'],
    ['raw', '-m rpfilter'],
    ['raw', '-m rpfilter --loose --validmark'],
    ['mangle', '-m rpfilter --accept-local --invert'],
    ['filter', `-m nfacct --nfacct-name ${COUNTER}`],
    ['filter', `-p tcp -m nfacct --nfacct-name ${COUNTER} -m tcp --dport 80`],
  ] as const)('table %s, on kernels that have it: %s', async (table, match) => {
    await withNamespace(async (namespace) => {
      if (match.includes(COUNTER)) {
        const counters = new PacketCountersNetlink(() => new NetlinkSocket('netfilter', { namespace: namespace.path }));
        await counters.ensure(COUNTER);
        counters.close();
      }
      const document = section(table, [`${match} -j ACCEPT`]);
      const isThere = await restore(family, namespace, document).then(
        () => true,
        (error: unknown) => !/No such file|missing kernel module|not supported/i.test(String(error)),
      );
      if (isThere) {
        const { decoded, notDecoded, printed } = await bothTexts(family, namespace, table);
        expect(decoded).toEqual(printed);
        expect(decoded).toHaveLength(1);
        expect(notDecoded).toEqual([]);
      }
    });
  });

  test.each(['filter', 'nat'] as const)('table %s: every rule of the backends is decoded', async (table) => {
    await withNamespace(async (namespace) => {
      const samples = table === 'nat' ? natSamples(family) : filterSamples(family);
      const document = section(table, samples);
      await restore(family, namespace, document);
      const byProgram = await bothTexts(family, namespace, table);
      const netlink = new IptablesNetlink(family, { namespace: namespace.path });
      expect(await netlink.write(document, 0)).toBe(document.length);
      netlink.close();
      const byNetlink = await bothTexts(family, namespace, table);
      for (const { decoded, notDecoded } of [byProgram, byNetlink]) {
        expect(decoded).toEqual(samples);
        expect(notDecoded).toEqual([]);
      }
    });
  });
});
