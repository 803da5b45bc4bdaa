import type { IPFamily } from '@kube-proxier/core';

/**
 * Every kind of rule that backends write, as `iptables-save` prints it; those of the nat table use only targets of that
 * table.
 */
export function filterSamples(family: IPFamily): readonly string[] {
  const six = family === 'IPv6';
  const host = six ? '2001:db8::8/128' : '198.51.100.8/32';
  const loopback = six ? '::1/128' : '127.0.0.0/8';
  const reject = six ? 'icmp6-port-unreachable' : 'icmp-port-unreachable';
  return [
    `-d ${host} -p tcp -m comment --comment "a/b:c has no endpoints" -m tcp --dport 81 -j REJECT --reject-with ${reject}`,
    `-d ${host} -p tcp -m comment --comment "a/b:c has no endpoints" -m tcp --dport 81 -j REJECT --reject-with tcp-reset`,
    `-d ${host} -p tcp -m tcp --dport 81 --tcp-flags SYN NONE -j REJECT --reject-with tcp-reset`,
    '-p tcp -m tcp --tcp-flags SYN NONE -j RETURN',
    `-s ${six ? 'fd00::/8' : '10.0.0.0/8'} -j RETURN`,
    `-d ${six ? '::5/8000::f' : '0.0.0.5/128.0.0.15'} -j KUBE-FW-X`,
    `-d ${six ? '8000::5/8000::f' : '128.0.0.5/128.0.0.15'} -j KUBE-FW-X`,
    `-d ${six ? '::5/::f' : '0.0.0.5/0.0.0.15'} -j KUBE-FW-X`,
    `-d ${six ? '::/::f' : '0.0.0.0/0.0.0.15'} -g KUBE-FW-X`,
    `-d ${six ? '::1f0/::1f0' : '0.0.1.240/0.0.1.240'} -j KUBE-FW-X`,
    '-p sctp -m sctp --dport 7 -j DROP',
    '-p udp -m udp --dport 30000:31023 -j KUBE-FW-X',
    '-m conntrack --ctstate INVALID -j DROP',
    '-m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT',
    `! -s ${loopback} -d ${loopback} -m comment --comment "block incoming localnet connections" -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP`,
    '-i cali+ -p tcp -j KUBE-FW-X',
    '! -i br0 -p tcp -j KUBE-FW-X',
    '-o eth0 -j ACCEPT',
    '-m mark --mark 0x4000/0x4000 -j ACCEPT',
    '-m comment --comment "other traffic"',
    '-m conntrack --ctstate NEW -m comment --comment "kubernetes service portals" -j KUBE-FW-X',
  ];
}

export function natSamples(family: IPFamily): readonly string[] {
  const six = family === 'IPv6';
  const host = six ? 'fd00::1/128' : '10.0.0.1/32';
  const to = six ? '[fd00::1]:80' : '10.0.0.1:80';
  const mask = six ? 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff' : '255.255.255.255';
  return [
    `! -s ${six ? 'fd00:10::/56' : '10.244.0.0/16'} -d ${host} -j KUBE-MARK-MASQ`,
    ...['tcp', 'udp', 'sctp'].map((protocol) => `-p ${protocol} -j DNAT --to-destination ${to}`),
    `-d ${host} -p udp -m udp --dport 10000:10200 -j DNAT --to-destination ${six ? 'fd00::1' : '10.0.0.1'}`,
    `-d ${host} -p tcp -m tcp --dport 10000:10200 -j DNAT --to-destination ${to}-280/10000`,
    `-p tcp -m statistic --mode random --probability 0.33333333349 -j DNAT --to-destination ${to}`,
    `-p tcp -m comment --comment "a/b -> ${to}" -m statistic --mode random --probability 0.50000000000 -j DNAT --to-destination ${to}`,
    '-p udp -m udp --dport 53 -j REDIRECT --to-ports 40053',
    `-m recent --rcheck --seconds 600 --reap --name KUBE-SEP-X --mask ${mask} --rsource -j KUBE-SEP-X`,
    `-p tcp -m recent --set --name KUBE-SEP-X --mask ${mask} --rsource -j DNAT --to-destination ${to}`,
    '-j MARK --set-xmark 0x4000/0x4000',
    '-j MARK --set-xmark 0x80000000/0x80000000',
    '-j MARK --set-xmark 0x4000/0x0',
    '-m mark ! --mark 0x4000/0x4000 -j RETURN',
    '-m mark ! --mark 0x4000/0x4000 -m conntrack --ctstate DNAT -j KUBE-SEP-X',
    '-m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE --random-fully',
    `-s ${host} -d ${host} -j MASQUERADE`,
    '-m addrtype --src-type LOCAL -j KUBE-SEP-X',
    '-m addrtype ! --dst-type LOCAL -j KUBE-SEP-X',
    `! -d ${six ? '::1/128' : '127.0.0.0/8'} -m addrtype --dst-type LOCAL -j KUBE-SEP-X`,
  ];
}

export function ruleSamples(family: IPFamily): readonly string[] {
  return [...filterSamples(family), ...natSamples(family)];
}
