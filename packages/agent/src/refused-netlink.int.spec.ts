import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { casesOf } from '@kube-proxier/core/testing';
import { AgentOnNode, NODE_PORT } from './testing/agent-on-node.js';

const dataUrl = (text: string) => `data:text/javascript,${encodeURIComponent(text)}`;

/** Numbers of the system call socket. */
const SOCKET = { x64: 41, arm64: 198 }[process.arch as 'x64' | 'arm64'];
const ERRORS = { EPERM: 1, EACCES: 13, EAFNOSUPPORT: 97 } as const;

/**
 * Runs Node with a seccomp filter that refuses netlink sockets, to the programs that it starts as well.
 *
 * @param which `own` refuses only those that do not block, which no other program opens.
 */
function withSeccomp(error: keyof typeof ERRORS, which: 'own' | 'all'): readonly string[] {
  const install = `
    import { createRequire } from 'node:module';
    const koffi = createRequire(${JSON.stringify(import.meta.url)})('koffi');
    const [LOAD, IS, HAS, RETURN] = [0x20, 0x15, 0x45, 0x06];
    const ALLOW = 0x7fff0000;
    // Offsets in struct seccomp_data: the number of the call, and its first two arguments. AF_NETLINK is 16.
    const filter = [
      [LOAD, 0, 0, 0],
      [IS, 0, 5, ${SOCKET}],
      [LOAD, 0, 0, 16],
      [IS, 0, 3, 16],
      [LOAD, 0, 0, 24],
      [HAS, 0, 1, ${which === 'own' ? 0o4000 : 3}],
      [RETURN, 0, 0, 0x50000 | ${ERRORS[error]}],
      [RETURN, 0, 0, ALLOW],
    ];
    const bytes = Buffer.alloc(8 * filter.length);
    for (const [index, [code, yes, no, value]] of filter.entries()) {
      bytes.writeUInt16LE(code, 8 * index);
      bytes.writeUInt8(yes, 8 * index + 2);
      bytes.writeUInt8(no, 8 * index + 3);
      bytes.writeUInt32LE(value, 8 * index + 4);
    }
    const program = koffi.struct({ length: 'uint16', filter: 'void *' });
    const libc = koffi.load(null);
    const prctl = libc.func('prctl', 'int', ['int', 'unsigned long', koffi.pointer(program), 'long', 'long']);
    const [NO_NEW_PRIVILEGES, SECCOMP, MODE_FILTER] = [38, 22, 2];
    if (prctl(NO_NEW_PRIVILEGES, 1, null, 0, 0) !== 0 ||
        prctl(SECCOMP, MODE_FILTER, { length: filter.length, filter: bytes }, 0, 0) !== 0) {
      throw new Error('no seccomp here: ' + koffi.errno());
    }`;
  return ['env', `NODE_OPTIONS=--import=${dataUrl(install)}`];
}

describe('mode nftables, with netlink sockets refused', () => {
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
  const answers = (by: string) =>
    node.until(`an answer of ${by}`, async () => {
      const outcome = await node.sandbox.client.connect({ to: node.sandbox.node.ipv4, port: NODE_PORT });
      return outcome.kind === 'answered' && outcome.by === by;
    });

  test('seccomp refuses netlink sockets to the agent: the program nft is used, and doctor reports why', async () => {
    for (const error of [...casesOf<keyof typeof ERRORS>([], ['EACCES', 'EAFNOSUPPORT']), 'EPERM'] as const) {
      node.wrapper = withSeccomp(error, 'own');
      const { stdout } = await node.run(['doctor', '--proxy-mode=nftables']);
      expect(stdout).toMatch(
        new RegExp(`nftables access +nft \\S+, as netlink does not work: .*cannot be used here: socket: ${error}`),
      );
      expect(stdout).toMatch(new RegExp(`netlink +no socket can be opened: .*socket: ${error}`));
    }
    node.start('nftables');
    await answers('pod1');
    expect(node.log).toMatch(/nft \S+, as netlink does not work: .*socket: EPERM/);
    node.write(two);
    await answers('pod2');
    await nft('flush', 'chain', 'ip', 'kube-proxier', 'nat-prerouting');
    await node.until('repair', () => /Drift repaired/.test(node.log));
    await answers('pod2');
  });

  test('seccomp refuses netlink sockets to all programs: doctor reports it, and the agent is not ready', async () => {
    for (const error of [...casesOf<keyof typeof ERRORS>([], ['EAFNOSUPPORT']), 'EPERM'] as const) {
      node.wrapper = withSeccomp(error, 'all');
      const { stdout, status } = await node.run(['doctor', '--proxy-mode=nftables']);
      expect(stdout).toMatch(/^warning +mode nftables +cannot be used: /m);
      expect(stdout).toMatch(
        new RegExp(`^warning +netlink +no socket .*socket: ${error}\\n.*allow netlink sockets \\(seccomp\\)`, 'm'),
      );
      expect(status).not.toBe(0);
    }
    node.start('nftables', '--nftables-program=netlink');
    await node.until('the error', () => /nf_tables cannot be reached by netlink: .*socket: EPERM/.test(node.log));
    expect(node.log).not.toMatch(/Synced/);
  });
});
