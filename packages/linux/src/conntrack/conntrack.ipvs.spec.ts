import { expect, test } from '@jest/globals';
import { createCommandRunner } from '../process/command-runner.js';
import { ConntrackNetlink } from './conntrack-netlink.js';

// That kernel is older than 6.11. Misinterpreting the request would flush the whole table.
test('a kernel that cannot delete by translation deletes nothing, and the result is undefined', async () => {
  const runner = createCommandRunner();
  for (const [port, endpoint] of [
    [4000, '10.244.0.11'],
    [4001, '10.244.0.12'],
  ]) {
    const words = `-I -p udp -s 203.0.113.2 -d 10.96.0.10 --sport ${port} --dport 53 -r ${endpoint} -q 203.0.113.2`;
    const reply = `--reply-port-src 5353 --reply-port-dst ${port} -t 600`;
    await runner.run({ command: 'conntrack', args: `${words} ${reply}`.split(' ') });
  }
  const conntrack = new ConntrackNetlink();
  const before = await conntrack.list('IPv4', 'UDP');
  expect(before).toHaveLength(2);
  const translation = {
    ...{ destination: '10.96.0.10', destinationPort: 53 },
    ...{ source: '10.244.0.12', sourcePort: 5353 },
  };
  expect(await conntrack.deleteTranslated('IPv4', 'UDP', [translation])).toBeUndefined();
  expect(await conntrack.list('IPv4', 'UDP')).toHaveLength(2);
  expect(await conntrack.delete(before)).toBe(2);
});
