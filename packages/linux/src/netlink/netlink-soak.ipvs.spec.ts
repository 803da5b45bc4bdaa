import { expect, test } from '@jest/globals';
import { IpvsNetlink } from '../ipvs/ipvs-netlink.js';
import { soakNetlink } from './netlink-soak.js';
import { NetlinkSocket } from './netlink-socket.js';

test('twenty thousand messages, with errors and lost answers: every answer and the whole state are as expected', async () => {
  const steady = new IpvsNetlink();
  // The smallest buffer that the kernel allows: some answers fit, a batch of errors does not.
  const overrunning = new IpvsNetlink(new NetlinkSocket('generic', { receiveBuffer: 1 }));
  try {
    const { refused, lost, comparisons } = await soakNetlink({ messages: 20_000, seed: 7, steady, overrunning });
    expect(comparisons).toBe(2);
    expect(refused).toBeGreaterThan(5000);
    expect(lost).toBeGreaterThan(10);
  } finally {
    steady.close();
    overrunning.close();
  }
}, 300_000);
