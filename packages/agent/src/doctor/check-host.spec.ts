import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import type { Diagnosis } from '@kube-proxier/core';
import { DEFAULT_CONNTRACK_TUNING } from '@kube-proxier/server';
import { textStyleFor } from '../terminal/text-style.js';
import { checkHost, type HostNeeds } from './check-host.js';
import { diagnosesAsData, exitStatusOf, formatDiagnoses } from './format-diagnoses.js';
import { countRules, type HostFacts, listeningPorts } from './host-facts.js';

/** A host without problems. */
const FACTS: HostFacts = {
  kernel: '6.1.0-18-amd64',
  tools: {
    iptables: 'iptables v1.8.9 (nf_tables)',
    nft: 'nftables v1.0.6',
    conntrack: 'conntrack v1.4.7',
  },
  brokenTools: {},
  netlink: { transport: 'koffi' },
  conntrackByNetlink: undefined,
  iptables: { legacy: 0, nft: 30 },
  forwarded: { IPv4: { result: 'passed' }, IPv6: { result: 'passed' } },
  knowsPods: { IPv4: true, IPv6: true },
  unreadable: {},
  instance: undefined,
  kubeProxy: { status: 'not-found' },
  listening: new Set([22]),
  sysctls: {
    'net/ipv4/ip_forward': '1',
    'net/ipv6/conf/all/forwarding': '1',
    'net/ipv6/conf/all/disable_ipv6': '0',
    'net/ipv4/conf/all/rp_filter': '2',
    'net/ipv4/conf/all/route_localnet': '0',
    'net/netfilter/nf_conntrack_count': '100',
    'net/netfilter/nf_conntrack_max': '262144',
  },
  capabilities: 0x3000n,
};

const NEEDS: HostNeeds = {
  backend: { mode: 'iptables', requirements: { tools: ['iptables'], routesLocalnet: true } },
  ipv6: true,
  conntrack: DEFAULT_CONNTRACK_TUNING,
  cpus: 4,
  ports: [
    { port: 10_256, name: 'health' },
    { port: 10_249, name: 'metrics' },
  ],
};

/** Diagnoses that are not ok. */
function found(facts: Partial<HostFacts>, needs: Partial<HostNeeds> = {}): readonly Diagnosis[] {
  const sysctls = { ...FACTS.sysctls, ...facts.sysctls };
  return checkHost({ ...FACTS, ...facts, sysctls }, { ...NEEDS, ...needs }).filter(({ status }) => status !== 'ok');
}

describe('checkHost', () => {
  test('reports no problems for a good host', () => {
    expect(found({})).toEqual([]);
  });

  test('a rule of another program that stops forwarded packets is named', () => {
    const by = { system: 'nftables', table: 'inet filter', chain: 'forward', text: 'policy drop', foreign: true };
    const forwarded = { ...FACTS.forwarded, IPv6: { result: 'stopped', verdict: 'dropped', by } } as const;
    const backend = { mode: 'nftables' };
    expect(found({ forwarded }, { backend })).toEqual([
      {
        check: 'IPv6 firewall',
        status: 'warning',
        found:
          'forwarded packets of Services are dropped by "policy drop" in chain forward of table inet filter (nftables)',
        advice: expect.stringContaining('docs/operating.md'),
      },
    ]);
    expect(found({ forwarded, knowsPods: { IPv4: false, IPv6: false } }, { backend })).toEqual([
      expect.objectContaining({ found: expect.stringContaining('unless it accepts those of pods') }),
    ]);
    const iptables = { mode: 'iptables', requirements: { routesLocalnet: true, forwards: 'source-kept' } } as const;
    expect(found({ forwarded }, { backend: iptables })).toEqual([
      expect.objectContaining({ found: expect.stringContaining('packets of Services are dropped') }),
    ]);
    const policy = { system: 'iptables', table: 'filter', chain: 'FORWARD', text: 'policy DROP' };
    const byPolicy = { ...forwarded, IPv6: { ...forwarded.IPv6, by: policy } };
    expect(found({ forwarded: byPolicy }, { backend: iptables })).toEqual([
      expect.objectContaining({ found: expect.stringContaining('of Services, except masqueraded ones, are dropped') }),
    ]);
    expect(found({ forwarded }, { backend, ipv6: false })).toEqual([]);
    expect(found({ forwarded }, { backend: { mode: 'ipvs', requirements: { forwards: 'none' } } })).toEqual([]);
  });

  test('a packet that a network policy stops shows nothing about other rules', () => {
    const by = { system: 'iptables (nft)', table: 'filter', chain: 'cali-tw-cali1234', text: '-j DROP', foreign: true };
    const forwarded = { ...FACTS.forwarded, IPv4: { result: 'stopped', verdict: 'dropped', by } } as const;
    expect(found({ forwarded }, { backend: { mode: 'nftables' } })).toEqual([
      {
        check: 'IPv4 firewall',
        status: 'unknown',
        found:
          'a network policy stops the packet that was checked ("-j DROP" in chain cali-tw-cali1234 of table filter (iptables (nft))); rules after it were not checked',
        advice: expect.stringContaining('kube-proxier verify'),
      },
    ]);
  });

  test('rules that cannot be read are unknown, not ok', () => {
    const forwarded = { ...FACTS.forwarded, IPv4: { result: 'unknown', reason: 'permission denied' } } as const;
    expect(found({ forwarded }, { backend: { mode: 'nftables' } })).toEqual([
      expect.objectContaining({
        check: 'IPv4 firewall',
        status: 'unknown',
        found: expect.stringContaining('permission denied'),
      }),
    ]);
  });

  test('needs either netlink or the tool conntrack', () => {
    expect(found({ tools: { iptables: 'v1' } })).toEqual([]);
    const facts = { ...FACTS, conntrackByNetlink: { notPermitted: false, reason: 'no module' } };
    expect(checkHost(facts, NEEDS)).toContainEqual({
      check: 'stale flows',
      status: 'ok',
      found: 'can be deleted by conntrack v1.4.7, but not by netlink: no module',
    });
  });

  test.each<[string, Partial<HostFacts>, Partial<HostNeeds>, Partial<Diagnosis>]>([
    [
      'netlink sockets through the package netlink: changes are polled',
      { netlink: { transport: 'netlink', reason: 'koffi cannot be loaded: no such file' } },
      {},
      {
        check: 'netlink',
        status: 'warning',
        found:
          'sockets are opened through the package netlink, so changes are polled, as koffi cannot be loaded: no such file',
      },
    ],
    [
      'no netlink sockets',
      { netlink: { obstacle: 'socket: EPERM' } },
      {},
      { check: 'netlink', status: 'warning', found: 'no socket can be opened: socket: EPERM' },
    ],
    [
      'rules in both variants',
      { iptables: { legacy: 3, nft: 4 } },
      {},
      { check: 'iptables variants', status: 'warning', found: expect.stringContaining('legacy 3, nft 4') as never },
    ],
    [
      'a kube-proxy that runs',
      { kubeProxy: { status: 'found', pid: 9, mode: 'iptables', how: 'process 9' } },
      {},
      {
        check: 'other proxies',
        status: 'problem',
        found: 'kube-proxy (pid 9, mode iptables) runs in this network namespace',
      },
    ],
    ['a port in use', { listening: new Set([10_256]) }, {}, { check: 'port 10256', status: 'problem' }],
    ['no forwarding', { sysctls: { 'net/ipv4/ip_forward': '0' } }, {}, { check: 'IPv4 forwarding', status: 'problem' }],
    [
      'no IPv6 forwarding',
      { sysctls: { 'net/ipv6/conf/all/forwarding': '0' } },
      {},
      { check: 'IPv6 forwarding', status: 'warning', advice: 'set sysctl net.ipv6.conf.all.forwarding=1' },
    ],
    [
      'bridges that bypass the rules',
      { sysctls: { 'net/bridge/bridge-nf-call-iptables': '0' } },
      {},
      { check: 'bridged packets', status: 'warning' },
    ],
    [
      'a strict reverse path filter',
      { sysctls: { 'net/ipv4/conf/all/rp_filter': '1' } },
      {},
      { check: 'reverse path filter', status: 'warning' },
    ],
    [
      'a table of connections that is nearly full',
      { sysctls: { 'net/netfilter/nf_conntrack_count': '220000' } },
      {},
      { check: 'connection tracking', status: 'warning' },
    ],
    [
      'a kernel that takes up no connections (spec R-8)',
      { sysctls: { 'net/netfilter/nf_conntrack_tcp_loose': '0' } },
      {},
      {
        check: 'connection tracking',
        status: 'warning',
        found:
          '100 of 262144 connections; net.netfilter.nf_conntrack_tcp_loose is 0, so kube-proxier.io/when-endpoint-goes: reset has no effect for packets of other hosts and pods',
      },
    ],
    [
      'one that is full',
      { sysctls: { 'net/netfilter/nf_conntrack_count': '262000' } },
      {},
      { check: 'connection tracking', status: 'problem' },
    ],
    [
      'one that is small',
      { sysctls: { 'net/netfilter/nf_conntrack_max': '65536' } },
      {},
      { check: 'connection tracking', found: '100 of 65536 connections, fewer than the configured limit of 131072' },
    ],
    ['no right to do it', { capabilities: 0n }, {}, { check: 'capabilities', status: 'problem' }],
    ['no iptables', { tools: { conntrack: 'v1' } }, {}, { check: 'tool iptables', status: 'problem' }],
    [
      'an iptables that is no program',
      { tools: { conntrack: 'v1' }, brokenTools: { iptables: 'iptables may not be run by this user; check its mode' } },
      {},
      {
        check: 'tool iptables',
        status: 'problem',
        found: 'is installed but cannot be run: iptables may not be run by this user; check its mode',
        advice: 'reinstall the package that provides it, or use another mode than iptables',
      },
    ],
    [
      'no netlink for connection tracking, and no conntrack',
      { tools: { iptables: 'v1' }, conntrackByNetlink: { notPermitted: false, reason: 'no module' } },
      {},
      {
        check: 'stale flows',
        status: 'warning',
        found: 'no module; the tool conntrack is not installed',
        advice: expect.stringMatching(/nf_conntrack_netlink, or install conntrack/) as never,
      },
    ],
    [
      'no right to delete tracked connections',
      { conntrackByNetlink: { notPermitted: true, reason: 'not permitted' } },
      {},
      {
        check: 'stale flows',
        status: 'unknown',
        found: 'cannot check whether they can be deleted: not permitted',
      },
    ],
  ])('finds %s', (_what, facts, needs, expected) => {
    expect(found(facts, needs)).toEqual([expect.objectContaining(expected)]);
  });

  test('a check that could not be made is unknown, never ok', () => {
    const facts: HostFacts = {
      ...FACTS,
      kernel: undefined,
      capabilities: undefined,
      conntrackByNetlink: { notPermitted: true, reason: 'needs root' },
      iptables: { legacy: undefined, nft: undefined },
      unreadable: { legacy: 'needs root', nft: 'needs root' },
      forwarded: {
        IPv4: { result: 'unknown', reason: 'needs root' },
        IPv6: { result: 'unknown', reason: 'needs root' },
      },
      kubeProxy: { status: 'unknown', reason: 'not all processes of this host are visible' },
      listening: undefined,
      sysctls: {},
    };
    const rows = checkHost(facts, NEEDS);
    // Whether a socket can be opened is always known.
    const known = /^(tool .*|netlink)$/;
    expect(rows.filter(({ status, check }) => status !== 'unknown' && !known.test(check))).toEqual([]);
    expect(rows.every(({ status, advice }) => status !== 'unknown' || advice !== undefined)).toBe(true);
    expect(exitStatusOf(checkHost(facts, NEEDS))).toBe(2);
    expect(exitStatusOf([...checkHost(facts, NEEDS), { check: 'x', status: 'problem', found: 'x' }])).toBe(1);
    expect(exitStatusOf(checkHost(FACTS, NEEDS))).toBe(0);
    expect(diagnosesAsData(checkHost(facts, NEEDS))).toMatchObject({ healthy: false, complete: false });
    expect(diagnosesAsData(checkHost(FACTS, NEEDS))).toMatchObject({ healthy: true, complete: true });
    expect(formatDiagnoses(checkHost(facts, NEEDS))).toMatch(/\n\n0 problems, 0 warnings, \d+ unknown, 2 ok\n$/);
  });

  test('a backend without kernel rules needs neither forwarding, nor tools, nor all privileges', () => {
    const facts = { tools: {}, capabilities: 0n, sysctls: { 'net/ipv4/ip_forward': '0' } };
    const backend = {
      mode: 'sockets',
      capabilities: { tracksConnections: false },
      requirements: { netAdmin: 'optional' },
    } as const;
    expect(found(facts, { backend })).toEqual([expect.objectContaining({ check: 'capabilities', status: 'warning' })]);
  });
});

test('a table is printed in columns, with advice', () => {
  expect(
    formatDiagnoses([
      { check: 'kernel', status: 'ok', found: 'Linux 6.1' },
      { check: 'IPv4 forwarding', status: 'problem', found: 'is off', advice: 'switch it\u001b[31m on' },
    ]),
  ).toBe(
    [
      'ok       kernel           Linux 6.1',
      'problem  IPv4 forwarding  is off',
      '                          -> switch it\\u{1b}[31m on',
      '',
      '1 problem, 0 warnings, 1 ok',
      '',
    ].join('\n'),
  );
});

test('only problems: ok checks are counted and omitted', () => {
  const ok: Diagnosis = { check: 'kernel', status: 'ok', found: 'Linux 6.1' };
  const warning: Diagnosis = { check: 'leftovers', status: 'warning', found: 'of mode ipvs (1 interface)' };
  expect(formatDiagnoses([ok, warning], { onlyProblems: true })).toBe(
    'warning  leftovers  of mode ipvs (1 interface)\n\n0 problems, 1 warning, 1 ok\n',
  );
  expect(formatDiagnoses([ok], { onlyProblems: true })).toBe('0 problems, 0 warnings, 1 ok\n');
});

test('a terminal shows statuses in colours, aligned as without', () => {
  const rows: Diagnosis[] = [
    { check: 'kernel', status: 'ok', found: 'Linux 6.1' },
    { check: 'IPv4 forwarding', status: 'problem', found: 'is off' },
  ];
  const coloured = formatDiagnoses(rows, { style: textStyleFor(true, {}) });
  expect(coloured).toContain('\u001b[31mproblem\u001b[39m  IPv4 forwarding  is off');
  expect(stripVTControlCharacters(coloured)).toBe(formatDiagnoses(rows));
});

test('a table for a terminal wraps texts within their column', () => {
  const row: Diagnosis = {
    check: 'IPv4 forwarding',
    status: 'problem',
    found: 'packets to pods are dropped, as /proc/sys/net/ipv4/ip_forward is 0',
    advice: 'set net.ipv4.ip_forward to 1 in /etc/sysctl.d',
  };
  expect(formatDiagnoses([row], { columns: 60 })).toBe(
    [
      'problem  IPv4 forwarding  packets to pods are dropped, as',
      '                          /proc/sys/net/ipv4/ip_forward is 0',
      '                          -> set net.ipv4.ip_forward to 1 in',
      '                             /etc/sysctl.d',
      '',
      '1 problem, 0 warnings, 0 ok',
      '',
    ].join('\n'),
  );
  // A terminal that is too narrow, and no terminal.
  expect(formatDiagnoses([row], { columns: 40 })).toBe(formatDiagnoses([row]));
  expect(formatDiagnoses([row])).toContain(row.found);
});

test('rules are counted', () => {
  expect(
    countRules('*nat\n:KUBE-SERVICES - [0:0]\n[1:60] -A INPUT -j ACCEPT\n-A KUBE-SERVICES -j RETURN\nCOMMIT\n'),
  ).toBe(2);
});

test('reads ports in state LISTEN', () => {
  const table = `  sl  local_address rem_address   st tx_queue rx_queue
   0: 0100007F:2809 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
   1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
   0: 00000000000000000000000000000000:2810 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 0\n`;
  expect([...listeningPorts(table)]).toEqual([10_249, 10_256]);
});
