import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { casesOf, isThorough } from '@kube-proxier/core/testing';
import { createIptables } from '@kube-proxier/linux';
import { syncAsKubeProxy } from '@kube-proxier/network-sandbox';
import { AgentOnNode, type CommandOutcome } from '../testing/agent-on-node.js';
import { expectGolden } from '../testing/golden-file.js';
import type { PlanDocument } from './plan-document.js';

const TESTDATA = fileURLToPath(new URL('../../testdata/commands/', import.meta.url));
const CHANGE = join(TESTDATA, 'change.yaml');
const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

let node: AgentOnNode;
let directory: string;

beforeAll(async () => {
  node = await AgentOnNode.create('nft');
  // New network namespaces inherit it from the host.
  await node.sandbox.node.exec(['sysctl', '-qw', 'net.ipv4.conf.all.route_localnet=0']);
  copyFileSync(join(TESTDATA, 'cluster.yaml'), join(node.directory, 'cluster.yaml'));
  directory = mkdtempSync(join(tmpdir(), 'plan-'));
}, 240_000);

afterAll(async () => {
  await node.close();
  rmSync(directory, { recursive: true, force: true });
}, 60_000);

const file = (name: string, text: string) => {
  writeFileSync(join(directory, name), text);
  return join(directory, name);
};

/** Everything of the node's network that a proxy could write, without values that change with time and traffic. */
async function kernelState(): Promise<string> {
  const { stdout } = await node.sandbox.node.exec(['sh', '-ec', KERNEL_STATE]);
  return (
    stdout
      .replace(/^#.*$/gm, '')
      .replace(/\[\d+:\d+\]/g, '[0:0]')
      .replace(/(valid_lft|preferred_lft) \d+sec/g, '$1')
      .replace(/^net\.netfilter\.nf_conntrack_count.*$/gm, '')
      // Carrier and link-local addresses appear some time after their interface.
      .replace(/NO-CARRIER,|\bstate (UP|DOWN)\b/g, '')
      .replace(/^.*\b(fe80|ff00)::.*\n/gm, '')
  );
}

const KERNEL_STATE = [
  'nft -s list ruleset',
  'iptables-nft-save',
  'ip6tables-nft-save',
  'iptables-legacy-save',
  'ip6tables-legacy-save',
  'ip -o link',
  'ip -o address show',
  'ip route show table all',
  'ip rule',
  "sysctl -a -r '^net[.](ipv4|ipv6|netfilter|bridge)[.]'",
  'ss -Hlntu',
].join('\n');

const NORMALISED = () =>
  [
    [new RegExp(node.directory, 'g'), '<manifests>'],
    [new RegExp(directory, 'g'), '<directory>'],
    [new RegExp(TESTDATA, 'g'), '<testdata>/'],
    [/(network namespace: kube-proxier, )[^\n"]*/g, '$1<holder>.'],
    [/# handle \d+/g, '# handle <n>'],
    // Versions of nft print the same rule differently.
    [/^( +- rule \S+ ).*(comment "\w+")$/gm, '$1<as nft prints it> $2'],
    [/("action": "remove",[^}]*"text": "rule \S+ ).*(comment \\"\w+\\")"$/gm, '$1<as nft prints it> $2"'],
  ] as const;

/** Runs the command, and asserts that it has written nothing. */
async function plan(args: readonly string[], options: Parameters<AgentOnNode['run']>[1] = {}): Promise<CommandOutcome> {
  const before = await kernelState();
  const outcome = await node.run(['plan', ...args], options);
  expect(await kernelState()).toBe(before);
  return outcome;
}

/** Runs it as text and as JSON, and compares both with golden files. */
async function expectPlan(name: string, status: number, args: readonly string[]): Promise<PlanDocument> {
  const before = await kernelState();
  const [text, json] = await Promise.all([node.run(['plan', ...args]), node.run(['plan', ...args, '-o', 'json'])]);
  expect(await kernelState()).toBe(before);
  expect([text, json]).toMatchObject([
    { status, stderr: '' },
    { status, stderr: '' },
  ]);
  expectGolden(text.stdout, `commands/plan-${name}.txt`, NORMALISED());
  expectGolden(json.stdout, `commands/plan-${name}.json`, NORMALISED());
  return JSON.parse(json.stdout) as PlanDocument;
}

describe.each(casesOf(['nftables'], ['iptables']))('plan next to an agent in mode %s', (mode) => {
  const other = mode === 'nftables' ? 'iptables' : 'nftables';

  beforeAll(async () => {
    node.start(mode);
    await node.until('the agent is well', async () => (await node.run(['status'])).status === 0);
    await node.until('leftovers are removed', () => node.log.includes('No leftovers of other proxy modes'));
  }, 240_000);

  afterAll(async () => {
    await node.stop();
    await node.cleanUp();
  }, 60_000);

  test('no differences: exit status 0', async () => {
    await expectPlan(`${mode}-same`, 0, []);
  }, 240_000);

  test('other objects: differences for packets and rules', async () => {
    const { rules } = await expectPlan(`${mode}-change`, 1, ['-f', CHANGE, '-n', 'shop', '--rules']);
    const actions = rules?.changes?.map(({ action }) => action);
    expect(actions?.filter((action) => action === 'add')).toHaveLength(rules?.add ?? -1);
    expect(actions?.filter((action) => action === 'remove')).toHaveLength(rules?.remove ?? -1);
    const removed = rules?.changes?.filter(({ action, kind }) => action === 'remove' && kind === 'rule') ?? [];
    expect(removed.length).toBeGreaterThan(0);
    const list = mode === 'nftables' ? 'nft -s list ruleset' : 'iptables-save; ip6tables-save';
    const { stdout } = await node.sandbox.node.exec(['sh', '-c', list]);
    const listed = stdout.replace(/\s+/g, ' ');
    for (const { text } of removed) {
      expect(listed).toContain(mode === 'nftables' ? text.replace(/^rule \S+ /, '') : text);
    }
  }, 240_000);

  test('other objects from standard input, without privileges: the kernel is not read', async () => {
    const ofRoot = await plan(['-f', CHANGE, '-n', 'shop']);
    expect(ofRoot).toMatchObject({ status: 1, stderr: '' });
    const options = { stdin: readFileSync(CHANGE, 'utf8'), isUnprivileged: true };
    const { status, stdout, stderr } = await plan(['-f', '-', '-n', 'shop'], options);
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
    expect(stdout).toBe(ofRoot.stdout.replace(CHANGE, 'standard input'));
    expect(stdout).not.toContain('Rules and objects');
  }, 240_000);

  test('a deletion: exit status 1; of a missing object: 2', async () => {
    const { status, stdout, stderr } = await plan(['--delete', 'svc/checkout', '-n', 'shop'], { isUnprivileged: true });
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' });
    expect(stdout).toContain('changed by --delete svc/checkout');
    expect(stdout).toMatch(/^- shop\/checkout:http/m);
    expect(stdout).toMatch(/Plan: 0 Services to add, 0 to change, 1 to remove\.\n$/);
    expect(await plan(['--delete', 'svc/checkout'])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/there is no Service default\/checkout/),
    });
  }, 240_000);

  if (isThorough) {
    test('objects as they are: exit status 0, and 1 with another mode', async () => {
      const same = ['-f', join(node.directory, 'cluster.yaml')];
      expect(await plan(same)).toMatchObject({
        status: 0,
        stdout: expect.stringMatching(/\nNo differences\.\n$/),
        stderr: '',
      });
      expect(await plan([...same, '--proxy-mode', other])).toMatchObject({ status: 1, stderr: '' });
    }, 240_000);
  }

  if (isThorough) {
    test('another option: masquerading', async () => {
      await expectPlan(`${mode}-masquerade-all`, 1, ['--masquerade-all']);
    }, 240_000);
  }

  test('a configuration file', async () => {
    const configuration = `apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: ${mode}
clusterCIDR: 10.244.0.0/16
detectLocalMode: ClusterCIDR
hostnameOverride: node1
`;
    expect(await plan(['--config', file('same.yaml', configuration)])).toMatchObject({ status: 0, stderr: '' });
    const changed = file('config.yaml', `${configuration}nodePortAddresses: [192.168.1.0/24]\n`);
    const { status, stdout } = await plan(['--config', changed]);
    expect(status).toBe(1);
    expect(stdout).toContain('\n~ node, IPv4: NodePort addresses: ');
    expect(stdout).toContain(' -> 192.168.1.2\n');
  }, 240_000);

  test('another mode, with the objects to remove', async () => {
    const { rules, removals } = await expectPlan(`${mode}-other-mode`, 1, ['--proxy-mode', other]);
    expect(rules).toMatchObject({ mode: other, add: expect.any(Number) });
    expect(removals.map((one) => [one.mode, one.owner])).toEqual([[mode, 'backend']]);
  }, 240_000);

  test('a cleanup', async () => {
    await expectPlan(`${mode}-cleanup`, 1, ['--cleanup', '--hostname-override=node1']);
    const elsewhere = await plan(['--cleanup', '--proxy-mode', other]);
    expect(elsewhere).toMatchObject({ status: 0, stdout: expect.stringContaining('\nNothing to remove.\n') });
  }, 240_000);

  test('without privileges, the rules are unknown, not equal: exit status 2', async () => {
    const outcome = await plan([], { isUnprivileged: true });
    expect(outcome).toMatchObject({ status: 2, stdout: '' });
    expect(outcome.stderr).toMatch(/^kube-proxier: cannot read what mode \w+ has installed: .*run it as root.*\n$/);
    const cleanup = await plan(['--cleanup'], { isUnprivileged: true });
    expect(cleanup).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('run it as root') });
  }, 240_000);
});

describe('plan without an agent', () => {
  const ALONE = ['--hostname-override=node1', '--cluster-cidr=10.244.0.0/16'];
  const manifests = () => `--manifests=${node.directory}`;

  test('no agent and no objects: exit status 2', async () => {
    const outcome = await plan([]);
    expect(outcome).toMatchObject({ status: 2, stdout: '' });
    expect(outcome.stderr).toMatch(/^kube-proxier: no agent answers on this node, .*--manifests or --kubeconfig.*\n$/);
  }, 240_000);

  test('a wrong flag, and an unreadable configuration: exit status 2', async () => {
    const lines = [['--ruels'], ['--kube-proxy', manifests()], ['--config', join(directory, 'missing')]];
    for (const outcome of await Promise.all(lines.map((line) => node.run(['plan', ...line])))) {
      expect(outcome).toMatchObject({
        status: 2,
        stdout: '',
        stderr: expect.stringMatching(/^kube-proxier: .*--(ruels|kube-proxy|config)/),
      });
    }
  }, 240_000);

  test.each(casesOf(['nftables'], ['iptables']))(
    'mode %s on a clean node, then installed, then damaged',
    async (mode) => {
      const args = [manifests(), ...ALONE, '--proxy-mode', mode];
      const clean = await plan(args);
      expect(clean).toMatchObject({ status: 1, stderr: '' });
      expect(clean.stdout).toMatch(
        /^Plan: 3 Services to add, 0 to change, 0 to remove; rules and objects: \d+ to add, \d to/m,
      );

      node.start(mode);
      await node.until('it serves', async () => (await node.run(['status'])).status === 0);
      await node.stop();
      expect(await plan(args)).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('\nNo differences: the rules'),
      });

      if (mode === 'nftables') {
        await node.sandbox.node.exec(['nft', 'flush', 'map', 'ip', 'kube-proxier', 'services']);
      } else {
        await node.iptables.restore(
          '*nat\n-F KUBE-NODEPORTS\n-A KUBE-NODEPORTS -p tcp -m tcp --dport 9 -j RETURN\nCOMMIT\n',
        );
      }
      expectGolden((await plan([...args, '--rules'])).stdout, `commands/plan-${mode}-damaged.txt`, NORMALISED());
      expect((await plan(args)).status).toBe(1);
      await node.cleanUp();
    },
    240_000,
  );

  test('a hostile file, and one that cannot be read: exit status 2, and one line that names it', async () => {
    const hostile = file('hostile.yaml', 'kind: "\\e[2J\\u202e"\nmetadata: 1\n');
    const paths = [hostile, join(directory, 'missing.yaml'), directory];
    const outcomes = await Promise.all(paths.map((path) => node.run(['plan', manifests(), ...ALONE, '-f', path])));
    for (const [index, outcome] of outcomes.entries()) {
      expect(outcome).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(`-f ${paths[index]}: `) });
      expect(outcome.stderr).toMatch(/^kube-proxier: [\x20-\x7e]*\n$/);
    }
    expect(outcomes[0]?.stderr).toContain('u{1b}[2J');
    expect(outcomes[1]?.stderr).toContain('cannot be read');
  });

  test('a takeover from kube-proxy: the same endpoints, and a reported difference', async () => {
    const file = join(directory, 'same.yaml');
    writeFileSync(
      file,
      `apiVersion: v1
kind: Service
metadata: {name: web, namespace: work}
spec: {clusterIP: 10.96.0.10, ports: [{port: 80, protocol: TCP}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: web-1, namespace: work, labels: {kubernetes.io/service-name: web}}
addressType: IPv4
ports: [{port: 8080, protocol: TCP}]
endpoints: [{addresses: [10.244.0.11]}]
`,
    );
    const rules = (endpoint: string) => `*nat
:KUBE-SERVICES - [0:0]
:KUBE-MARK-MASQ - [0:0]
:KUBE-POSTROUTING - [0:0]
:KUBE-SVC-AAAAAAAAAAAAAAAA - [0:0]
:KUBE-SEP-AAAAAAAAAAAAAAAA - [0:0]
-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A OUTPUT -m comment --comment "kubernetes service portals" -j KUBE-SERVICES
-A POSTROUTING -m comment --comment "kubernetes postrouting rules" -j KUBE-POSTROUTING
-A KUBE-MARK-MASQ -j MARK --or-mark 0x4000
-A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN
-A KUBE-POSTROUTING -j MARK --xor-mark 0x4000
-A KUBE-POSTROUTING -m comment --comment "kubernetes service traffic requiring SNAT" -j MASQUERADE
-A KUBE-SERVICES -d 10.96.0.10/32 -p tcp -m comment --comment "work/web cluster IP" -m tcp --dport 80 -j KUBE-SVC-AAAAAAAAAAAAAAAA
-A KUBE-SVC-AAAAAAAAAAAAAAAA ! -s 10.244.0.0/16 -d 10.96.0.10/32 -p tcp -m comment --comment "work/web cluster IP" -m tcp --dport 80 -j KUBE-MARK-MASQ
-A KUBE-SVC-AAAAAAAAAAAAAAAA -m comment --comment "work/web" -j KUBE-SEP-AAAAAAAAAAAAAAAA
-A KUBE-SEP-AAAAAAAAAAAAAAAA -s ${endpoint}/32 -m comment --comment "work/web" -j KUBE-MARK-MASQ
-A KUBE-SEP-AAAAAAAAAAAAAAAA -p tcp -m comment --comment "work/web" -m tcp -j DNAT --to-destination ${endpoint}:8080
COMMIT
`;
    const planned = async (endpoint: string) => {
      await node.iptables.restore(rules(endpoint));
      const { stdout } = await plan([`--manifests=${file}`, ...ALONE, '--proxy-mode', 'nftables', '-o', 'json']);
      await node.cleanUp('--kube-proxy');
      const { traffic } = JSON.parse(stdout) as PlanDocument;
      return traffic?.families.find(({ family }) => family === 'IPv4');
    };
    const same = await planned('10.244.0.11');
    expect(same?.classes).toBeGreaterThan(3);
    expect(same?.findings.filter(({ servicePorts }) => servicePorts.includes('work/web'))).toEqual([]);
    const other = await planned('10.244.0.12');
    expect(other?.findings.map(({ kind, message }) => [kind, message])).toContainEqual([
      'wrong-endpoint',
      expect.stringContaining('sent to 10.244.0.12:8080, not forwarded to 10.244.0.11:8080'),
    ]);
  }, 240_000);

  test('a takeover from kube-proxy: removed and kept objects, and changes by rule', async () => {
    const six = createIptables({ family: 'IPv6', variant: 'nft', runner: node.sandbox.node.runner });
    const sample = (name: string) => read(`iptables/testdata/${name}`).replace(/ -m nfacct --nfacct-name {2}\S+/g, '');
    await syncAsKubeProxy(node.iptables, sample('kube-proxy-iptables.save'));
    await syncAsKubeProxy(six, sample('kube-proxy-ip6tables.save'));
    await node.sandbox.node.exec(['nft', '-f', '-'], { stdin: read('nftables/testdata/kube-proxy.nft') });

    const args = [manifests(), ...ALONE];
    const toNftables = await expectPlan('takeover-nftables', 1, [...args, '--proxy-mode', 'nftables']);
    // Objects of another cluster: the rules send these packets elsewhere now.
    expect(toNftables.traffic).toMatchObject({ modes: ['iptables', 'nftables'], verdict: 'different' });
    const owners = ({ removals }: PlanDocument) => removals.map(({ mode, owner }) => `${owner} ${mode}`);
    expect(owners(toNftables)).toEqual(['kube-proxy iptables', 'kube-proxy nftables']);
    const toIptables = await expectPlan('takeover-iptables', 1, [...args, '--proxy-mode', 'iptables']);
    expect(owners(toIptables)).toEqual(['kube-proxy nftables']);
    expect(toIptables.adopted.map(({ mode, owner }) => `${owner} ${mode}`)).toEqual(['kube-proxy iptables']);

    const kept = await plan([...args, '--proxy-mode', 'nftables', '--takeover=false', '-o', 'json']);
    expect(JSON.parse(kept.stdout)).toMatchObject({ removals: [], adopted: [] });
    const cleanup = await expectPlan('cleanup-kube-proxy', 1, [
      '--cleanup',
      '--kube-proxy',
      '--hostname-override=node1',
    ]);
    expect(owners(cleanup)).toEqual(['kube-proxy iptables', 'kube-proxy nftables']);
    expect(await plan(['--cleanup'])).toMatchObject({ status: 0 });

    // Exactly the planned objects are removed.
    const before = await tables();
    await node.cleanUp('--kube-proxy');
    expect(before).toContain('table ip kube-proxy');
    expect(await tables()).not.toContain('kube-proxy');
    expect(await plan(['--cleanup', '--kube-proxy'])).toMatchObject({ status: 0, stderr: '' });
  }, 240_000);

  const tables = async () => (await node.sandbox.node.exec(['nft', 'list', 'tables'])).stdout;
});
