import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { casesOf } from '@kube-proxier/core/testing';
import { AgentOnNode, NODE_PORT } from '../testing/agent-on-node.js';

/** Firewalls that drop what no rule accepts, reduced to the rules that decide about forwarded packets. */
const FIREWALLS = {
  ufw: {
    iptables: `*filter
:INPUT DROP [0:0]
:FORWARD DROP [0:0]
:ufw-before-input - [0:0]
:ufw-before-forward - [0:0]
:ufw-user-forward - [0:0]
-A INPUT -j ufw-before-input
-A FORWARD -j ufw-before-forward
-A ufw-before-input -i lo -j ACCEPT
-A ufw-before-input -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
-A ufw-before-forward -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT
-A ufw-before-forward -m limit --limit 3/min -j DROP
-A ufw-before-forward -j ufw-user-forward
COMMIT
`,
    decides: '"policy DROP" in chain FORWARD of table filter (iptables)',
    // As "ufw route allow to" and "ufw route allow from" with a network of pods.
    remedy: [
      'iptables-nft -D ufw-before-forward -m limit --limit 3/min -j DROP',
      'iptables-nft -A ufw-user-forward -d 10.244.0.0/16 -j ACCEPT',
      'iptables-nft -A ufw-user-forward -s 10.244.0.0/16 -j ACCEPT',
    ],
  },
  Docker: {
    iptables: `*filter
:FORWARD DROP [0:0]
:DOCKER-USER - [0:0]
:DOCKER-ISOLATION-STAGE-1 - [0:0]
-A FORWARD -j DOCKER-USER
-A FORWARD -j DOCKER-ISOLATION-STAGE-1
-A FORWARD -i docker0 ! -o docker0 -j ACCEPT
-A DOCKER-USER -j RETURN
-A DOCKER-ISOLATION-STAGE-1 -j RETURN
COMMIT
`,
    decides: '"policy DROP" in chain FORWARD of table filter (iptables)',
    remedy: [
      'iptables-nft -I DOCKER-USER -d 10.244.0.0/16 -j ACCEPT',
      'iptables-nft -I DOCKER-USER -s 10.244.0.0/16 -j ACCEPT',
    ],
  },
  'a filter of nftables': {
    nft: `table inet filter {
  chain input { type filter hook input priority filter; policy drop; ct state established,related accept; iif lo accept; }
  chain forward { type filter hook forward priority filter; policy drop; ct state established,related accept; }
}
`,
    decides: '"policy drop" in chain forward of table inet filter (nftables)',
    remedy: ['nft add rule inet filter forward ct status dnat accept'],
  },
} as const;

const CASES = casesOf<[keyof typeof FIREWALLS, string]>(
  [
    ['ufw', 'nftables'],
    ['Docker', 'iptables'],
  ],
  [
    ['a filter of nftables', 'nftables'],
    ['ufw', 'iptables'],
    ['Docker', 'nftables'],
    ['a filter of nftables', 'iptables'],
  ],
);

describe('a node with a firewall that drops forwarded packets', () => {
  let node: AgentOnNode;
  beforeEach(async () => {
    node = await AgentOnNode.create('nft');
    node.write(node.sandbox.pods[0]?.ipv4 ?? '');
  }, 120_000);
  afterEach(async () => {
    await node.close();
  }, 60_000);

  /** The rules of the firewall, which are those without the agent. */
  async function rules(): Promise<string> {
    const { stdout: filter } = await node.sandbox.node.exec(['iptables-nft-save', '-t', 'filter']);
    const { stdout: tables } = await node.sandbox.node.exec(['nft', 'list', 'tables']);
    const other = tables.includes('table inet filter')
      ? (await node.sandbox.node.exec(['nft', 'list', 'table', 'inet', 'filter'])).stdout
      : '';
    const lines = filter.split('\n').filter((line) => !/^#|KUBE-/.test(line));
    return `${lines.join('\n').replaceAll(/\[\d+:\d+\]/g, '')}${other}`;
  }

  /** What `kube-proxier doctor` says about firewalls. */
  async function firewallOf(mode: string): Promise<string> {
    const { stdout } = await node.run(['doctor', `--proxy-mode=${mode}`, '--cluster-cidr=10.244.0.0/16']);
    return stdout.split('\n').find((line) => line.includes('IPv4 firewall')) ?? stdout;
  }

  test.each(CASES)(
    '%s, mode %s: every answer names its rule, which stays; then its remedy works',
    async (name, mode) => {
      const firewall = FIREWALLS[name];
      const [pod, other] = node.sandbox.pods;
      if ('nft' in firewall) {
        await node.sandbox.node.exec(['nft', '-f', '-'], { stdin: firewall.nft });
      } else {
        await node.sandbox.node.exec(['iptables-nft-restore', '--noflush'], { stdin: firewall.iptables });
      }
      const before = await rules();
      node.start(mode);
      await node.until('the agent is well', async () => (await node.run(['status'])).status === 0);
      expect(await other?.connect({ to: '10.96.0.10', port: 80, timeout: 500 })).toMatchObject({ kind: 'timeout' });

      const answers = {
        verify: (await node.run(['verify'])).stdout,
        status: (await node.run(['status'])).stdout,
        explain: (await node.run(['explain', other?.ipv4 ?? '', '10.96.0.10:80'])).stdout,
      };
      expect(answers).toEqual({
        verify: expect.stringMatching(/^DIFFERENT: /),
        status: expect.stringMatching(/^DEGRADED: /),
        explain: expect.stringContaining('Note: The kernel did not do so at the last verification'),
      });
      const document = await node.run(['explain', other?.ipv4 ?? '', '10.96.0.10:80', '-o', 'json']);
      expect(JSON.parse(document.stdout)).toMatchObject({
        notes: [expect.stringContaining('did not do so at the last verification')],
      });
      for (const answer of Object.values(answers)) {
        expect(answer).toContain(`are dropped, `);
        expect(answer).toContain(`decided by ${firewall.decides}, a rule of another program`);
      }
      const diagnosis = await firewallOf(mode);
      expect(diagnosis).toMatch(/^warning +IPv4 firewall/);
      expect(diagnosis).toContain(`are dropped by ${firewall.decides}`);
      await node.until('it is logged', () => node.log.includes(`decided by ${firewall.decides}, a rule of another`));

      for (const command of firewall.remedy) {
        await node.sandbox.node.exec(command.split(' ') as [string, ...string[]]);
      }
      const remedied = await rules();
      expect(remedied).not.toBe(before);
      expect(await other?.connect({ to: '10.96.0.10', port: 80 })).toMatchObject({ kind: 'answered', by: pod?.name });
      expect(await node.sandbox.client.connect({ to: node.sandbox.node.ipv4, port: NODE_PORT })).toMatchObject({
        kind: 'answered',
        by: pod?.name,
      });
      expect(await firewallOf(mode)).toMatch(/^ok +IPv4 firewall/);
      expect((await node.run(['verify'])).stdout).toMatch(/^VERIFIED: /);
      expect((await node.run(['status'])).stdout).toMatch(/^OK: /);
      expect((await node.run(['explain', other?.ipv4 ?? '', '10.96.0.10:80'])).stdout).not.toContain('Note:');
      await node.stop();
      await node.cleanUp();
      expect(await rules()).toBe(remedied);
    },
    240_000,
  );
});
