import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { casesOf } from '@kube-proxier/core/testing';
import { failuresOf } from '@kube-proxier/network-sandbox';
import { AgentOnNode, NODE_PORT } from './testing/agent-on-node.js';

/** Runs a command on a host without nft or any other network tool. */
const WITHOUT_TOOLS = [
  ...['unshare', '--mount', 'sh', '-c'],
  'mount -t tmpfs none /usr/sbin && ! command -v nft && exec "$@"',
  'sh',
];
const dataUrl = (text: string) => `data:text/javascript,${encodeURIComponent(text)}`;

/** Runs Node on a host on which packages cannot be loaded. */
function withoutPackages(...names: readonly string[]): readonly string[] {
  const hook = `export const resolve = (name, context, next) => {
    if (${JSON.stringify(names)}.includes(name)) throw new Error('no ' + name + ' here');
    return next(name, context);
  };`;
  // Hooks of imports do not apply to `require`.
  const register = `import Module, { register } from 'node:module';
    register(${JSON.stringify(dataUrl(hook))});
    const resolveRequired = Module._resolveFilename;
    Module._resolveFilename = (name, ...rest) => {
      if (${JSON.stringify(names)}.includes(name)) throw new Error('no ' + name + ' here');
      return resolveRequired(name, ...rest);
    };`;
  return ['env', `NODE_OPTIONS=--import=${dataUrl(register)}`];
}

const WITHOUT_KOFFI = withoutPackages('koffi');
const WITHOUT_NETLINK = withoutPackages('koffi', 'netlink');

const KUBE_PROXY = `table ip kube-proxy {
  chain nat-prerouting {
    type nat hook prerouting priority dstnat; policy accept;
  }
}
table ip acme {
}
`;

describe('mode nftables', () => {
  let node: AgentOnNode;
  let one: string;
  let two: string;

  beforeEach(async () => {
    node = await AgentOnNode.create('nft');
    [one, two] = node.sandbox.pods.map((pod) => pod.ipv4) as [string, string];
    node.write(one);
  });

  afterEach(async () => {
    await node.close();
  });

  const nft = async (...args: readonly string[]) => (await node.sandbox.node.exec(['nft', ...args])).stdout;
  const tables = async () =>
    (await nft('list', 'tables'))
      .split('\n')
      .filter((line) => /kube-prox|acme/.test(line))
      .sort();
  const connect = () => node.sandbox.client.connect({ to: node.sandbox.node.ipv4, port: NODE_PORT });
  const answers = (by: string) =>
    node.until(`an answer of ${by}`, async () => {
      const outcome = await connect();
      return outcome.kind === 'answered' && outcome.by === by;
    });

  test('without nft: takes over, follows changes, repairs, and cleans up', async () => {
    await node.sandbox.node.exec(['nft', '-f', '-'], { stdin: KUBE_PROXY });
    node.wrapper = WITHOUT_TOOLS;
    node.start('nftables');
    await node.until('kube-proxy’s table is removed', async () => !(await tables()).includes('table ip kube-proxy'));
    expect(await tables()).toEqual(['table ip acme', 'table ip kube-proxier', 'table ip6 kube-proxier']);
    await answers('pod1');
    const client = await node.sandbox.client.startClient({ to: node.sandbox.node.ipv4, port: NODE_PORT }, 20);
    node.write(two);
    await answers('pod2');
    expect(failuresOf(await client.stop())).toBe(0);
    await nft('flush', 'chain', 'ip', 'kube-proxier', 'nat-prerouting');
    await node.until('repair', () =>
      /Drift repaired: table ip kube-proxier changed by nft \(process \d+\)/.test(node.log),
    );
    await answers('pod2');
    node.log = '';
    const listed = await nft('-a', 'list', 'chain', 'ip', 'kube-proxier', 'nat-prerouting');
    const [, comment = '', handle = ''] = /jump dispatch comment "(\S+)" # handle (\d+)/.exec(listed) ?? [];
    const other = ['accept', 'comment', `"${comment}"`];
    await nft('replace', 'rule', 'ip', 'kube-proxier', 'nat-prerouting', 'handle', handle, ...other);
    await node.until('repair of a rule with the same comment', () => /Drift repaired: .*changed by nft/.test(node.log));
    await answers('pod2');
    expect(node.log).not.toMatch(/ERROR/);
    await node.stop();
    await answers('pod2');
    expect(await node.run(['cleanup'])).toMatchObject({ status: 0 });
    expect(await tables()).toEqual(['table ip acme']);
  });

  test('without koffi: nft is used', async () => {
    node.wrapper = WITHOUT_KOFFI;
    const { stdout } = await node.run(['doctor', '--proxy-mode=nftables']);
    expect(stdout).toMatch(/nftables access +nft \S+, as netlink does not work: .*no koffi here/);
    expect(stdout).toMatch(/netlink +sockets are opened through the package netlink.*no koffi here/);
    node.start('nftables');
    await node.until('the first sync', () => /Synced family="IPv4"/.test(node.log));
    await answers('pod1');
  });

  test.each(
    casesOf<readonly [name: string, wrapper: readonly string[], flags: readonly string[]]>(
      [['without koffi and nft', [...WITHOUT_TOOLS, ...WITHOUT_KOFFI], []]],
      [
        [
          'without koffi, with an owned table',
          WITHOUT_KOFFI,
          ['--nftables-program=netlink', '--nftables-owned-table=always'],
        ],
      ],
    ),
  )('%s: the package netlink is used; follows changes, repairs, and cleans up', async (_name, wrapper, flags) => {
    await node.sandbox.node.exec(['nft', '-f', '-'], { stdin: 'table ip acme {\n}\n' });
    node.wrapper = wrapper;
    const { stdout } = await node.run(['doctor', '--proxy-mode=nftables', ...flags]);
    expect(stdout).toMatch(/nftables access +by netlink, Linux \S+, through the package netlink.*no koffi here/);
    node.start('nftables', ...flags);
    await answers('pod1');
    node.write(two);
    await answers('pod2');
    if (flags.length === 0) {
      await nft('flush', 'chain', 'ip', 'kube-proxier', 'nat-prerouting');
      await node.until('repair', () => /Drift repaired/.test(node.log));
      await answers('pod2');
    } else {
      await expect(nft('flush', 'chain', 'ip', 'kube-proxier', 'nat-prerouting')).rejects.toThrow(/not permitted/);
    }
    await nft('add', 'chain', 'ip', 'acme', 'a');
    node.write(one);
    await answers('pod1');
    expect(node.log).not.toMatch(/ERROR/);
    await node.stop();
    expect(await node.run(['cleanup'])).toMatchObject({ status: 0 });
    expect(await tables()).toEqual(['table ip acme']);
  });

  test('without any package for netlink: requiring it fails, and nft is needed', async () => {
    node.wrapper = WITHOUT_NETLINK;
    node.start('nftables', '--nftables-program=netlink');
    await node.until('the error', () =>
      /nf_tables cannot be reached by netlink: .*no koffi here.*no netlink here.*use the program nft/.test(node.log),
    );
    node.kill();
    node.wrapper = [...WITHOUT_TOOLS, ...WITHOUT_NETLINK];
    node.start('nftables');
    await node.until('the error', () => /nft was not found/.test(node.log));
  });
});
