import { createRequire } from 'node:module';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { IpSetsNetlink } from '../ipset/ip-sets-netlink.js';
import { encodeEverything, encodeLink, ROUTE_MESSAGES } from '../link/link-messages.js';
import { LinksNetlink } from '../link/links-netlink.js';
import { canMakeNamespaces, makeNamespace, type TestNamespace } from '../process/network-namespace.js';
import { NETLINK_FLAGS, type NetlinkProtocol } from './netlink.js';
import { NetlinkSocket } from './netlink-socket.js';

const PACKAGE = createRequire(import.meta.url).resolve('netlink');
/** A script that uses the package, with the smallest socket buffer that the kernel allows. */
const OPEN = `
  const { RawNetlinkSocket } = require(${JSON.stringify(PACKAGE)});
  const socket = new RawNetlinkSocket(0, { recvBufferSize: 1, sendBufferSize: 0 });
  socket.on('message', () => {});
  socket.on('error', (error) => console.log('error event', error.code));
  process.on('uncaughtException', (error) => console.log('exception', error.code));
  setTimeout(() => process.exit(0), 30_000);
  const refused = Buffer.alloc(32);
  refused.writeUInt32LE(32, 0);
  refused.writeUInt16LE(4711, 4);
  refused.writeUInt16LE(1, 6);
`;
const OVERRUNS = {
  'more refusals than it holds': `
    socket.send(Buffer.concat(Array.from({ length: 100 }, () => refused)), {}, () => {});
  `,
  'more notifications than it holds': `
    socket.addMembership(5);
    const { execFileSync } = require('node:child_process');
    const add = Array.from({ length: 200 }, (_, i) => 'address add 10.1.0.' + i + '/32 dev lo').join('\\n');
    execFileSync('ip', ['-batch', '-'], { input: add });
  `,
} as const;
const whereAllowed = canMakeNamespaces() ? describe : describe.skip;

whereAllowed('The package netlink', () => {
  let namespace: TestNamespace;

  beforeEach(async () => {
    namespace = makeNamespace();
    await namespace.runner.run({ command: 'ip', args: ['link', 'set', 'lo', 'up'] });
  });

  afterEach(() => namespace.remove());

  /** With the smallest buffer that is used. */
  const open = (protocol: NetlinkProtocol) =>
    new NetlinkSocket(protocol, { namespace: namespace.path, transport: 'netlink', receiveBuffer: 1 });
  const node = (program: string) =>
    namespace.runner.run({ command: process.execPath, args: ['--eval', program], timeout: 60_000 });

  test.each(Object.entries(OVERRUNS))('ends the process when a socket receives %s', async (_what, overrun) => {
    await expect(node(`${OPEN}${overrun}`)).rejects.toThrow(/SIGABRT|Error in native callback/);
  });

  test('does not end the process when the answers fit into the buffer', async () => {
    const one = "socket.once('message', () => process.exit(0)); socket.send(refused, {}, () => {});";
    await expect(node(`${OPEN}${one}`)).resolves.toMatchObject({ stdout: '' });
  });

  test('has no more requests in flight than their refusals fit into the buffer, at any size', async () => {
    const socket = open('route');
    const large = { type: 4711, flags: 0, payload: Buffer.alloc(40_000) };
    const small = { type: ROUTE_MESSAGES.deleteLink, flags: 0, payload: encodeLink('none-such') };
    const requests = Array.from({ length: 1000 }, (_, index) => (index % 10 === 0 ? large : small));
    expect(await socket.execute(requests)).toEqual(requests.map((request) => (request === large ? 95 : 19)));
    expect(await socket.requestEach(requests)).toEqual(requests.map((request) => (request === large ? 95 : 19)));
    socket.close();
  });

  test('receives a dump of any length: the kernel waits for the reader', async () => {
    const addresses = Array.from({ length: 5000 }, (_, index) => `10.1.${index >> 8}.${index & 255}`);
    const stdin = addresses.map((address) => `address add ${address}/32 dev lo\n`).join('');
    await namespace.runner.run({ command: 'ip', args: ['-batch', '-'], stdin });
    const socket = open('route');
    const request = {
      type: ROUTE_MESSAGES.getAddress,
      flags: NETLINK_FLAGS.dump,
      payload: encodeEverything('addresses'),
    };
    let count = 0;
    await socket.dump(request, () => {
      count++;
      if (count % 1000 === 0) {
        // A slow reader.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      }
    });
    expect(count).toBeGreaterThan(addresses.length);
    expect(await socket.request(request)).toHaveLength(count);
    socket.close();
  });

  test('serves links and ipset', async () => {
    const links = new LinksNetlink(open('route'));
    const link = (await links.find('lo'))?.index ?? 0;
    expect(await links.find('none-such')).toBeUndefined();
    const addresses = Array.from({ length: 300 }, (_, index) => `10.96.${index >> 8}.${index & 255}`);
    const add = addresses.map((address) => ({ do: 'add-address', link, address }) as const);
    expect((await links.execute(add)).filter((error) => error !== undefined)).toEqual([]);
    expect((await links.execute(add)).map((error) => error?.errnoName)).toEqual(addresses.map(() => 'EEXIST'));
    expect((await links.addresses()).filter((found) => found.address.startsWith('10.96.'))).toHaveLength(300);
    links.close();

    const sets = new IpSetsNetlink(open('netfilter'));
    const set = { name: 'kpx-set', type: 'hash:ip', family: 'IPv4', maxEntries: 4096, marks: false } as const;
    const entries = addresses.map((address) => ({ do: 'add-entry', set: set.name, entry: { address } }) as const);
    const done = await sets.execute([{ do: 'create-set', set }, ...entries]);
    expect(done.filter((error) => error !== undefined)).toEqual([]);
    expect((await sets.find(set.name))?.entries).toHaveLength(300);
    sets.close();
  });
});
