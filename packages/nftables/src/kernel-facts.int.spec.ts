import { expect, test } from '@jest/globals';
import { canMakeNamespaces } from '@kube-proxier/linux/testing';
import { NetworkSandbox } from '@kube-proxier/network-sandbox';

const whereAllowed = canMakeNamespaces() ? test : test.skip;

whereAllowed(
  'a rule translates a range of ports to any port of another range, not to the one in the same place (docs/modes.md)',
  async () => {
    const sandbox = await NetworkSandbox.create({ pods: 1, remotePods: 0 });
    try {
      const { client, node } = sandbox;
      const endpoint = sandbox.pod(1);
      const places = [0, 1, 2, 3];
      for (const place of places) {
        await endpoint.serve({ port: 9000 + place, name: `place ${place}` });
      }
      const rule = `ip daddr ${node.ipv4} tcp dport 8000-8003 dnat to ${endpoint.ipv4}:9000-9003`;
      await node.exec(['nft', '-f', '-'], {
        stdin: `table ip facts { chain c { type nat hook prerouting priority -100; ${rule}; }; }\n`,
      });
      const answers: (readonly [number, string])[] = [];
      for (const place of [...places, ...places, ...places, ...places]) {
        const outcome = await client.connect({ to: node.ipv4, port: 8000 + place });
        answers.push([place, outcome.kind === 'answered' ? outcome.by : outcome.kind]);
      }
      expect(answers.every(([, by]) => by.startsWith('place '))).toBe(true);
      // By chance alone, one time in 4¹⁶.
      expect(answers.every(([place, by]) => by === `place ${place}`)).toBe(false);
    } finally {
      await sandbox.close();
    }
  },
);

whereAllowed(
  'without route_localnet, packets from 127.0.0.1 that a rule translates do not leave the node (docs/modes.md)',
  async () => {
    const sandbox = await NetworkSandbox.create({ pods: 1, remotePods: 0 });
    try {
      const { node } = sandbox;
      const endpoint = sandbox.pod(1);
      await endpoint.serve({ port: 8080 });
      await node.exec(['nft', '-f', '-'], {
        stdin: `
          table ip facts {
            chain out { type nat hook output priority -100; ip daddr 127.0.0.1 tcp dport 30080 counter dnat to ${endpoint.ipv4}:8080; }
            chain post { type nat hook postrouting priority 100; ct status dnat masquerade; }
          }\n`.replaceAll('; }', '\n}'),
      });
      const nodePort = { to: '127.0.0.1', port: 30080, timeout: 1000 };
      expect((await node.connect(nodePort)).kind).not.toBe('answered');
      const { stdout } = await node.exec(['nft', 'list', 'table', 'ip', 'facts']);
      expect(stdout).toMatch(/dport 30080 counter packets [1-9]/);
      await node.exec(['sysctl', '-qw', 'net.ipv4.conf.all.route_localnet=1']);
      expect(await node.connect(nodePort)).toMatchObject({ kind: 'answered', by: 'pod1' });
    } finally {
      await sandbox.close();
    }
  },
);
