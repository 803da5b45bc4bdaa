import type { CommandRunner } from '../process/command-runner.js';

/** Makes a network namespace a node that forwards: these addresses, a default route, and no network behind it. */
export async function becomeNode(runner: CommandRunner, addresses: readonly string[]): Promise<void> {
  const run = (command: string, ...args: string[]) => runner.run({ command, args });
  await run('ip', 'link', 'set', 'lo', 'up');
  await run('ip', 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'peer0');
  await run('ip', 'link', 'set', 'peer0', 'up');
  for (const address of addresses) {
    const isIPv6 = address.includes(':');
    await run('ip', 'addr', 'add', `${address}/${isIPv6 ? 64 : 24}`, 'dev', 'eth0', ...(isIPv6 ? ['nodad'] : []));
  }
  await run('ip', 'link', 'set', 'eth0', 'up');
  await run('ip', 'route', 'add', 'default', 'dev', 'eth0');
  await run('ip', '-6', 'route', 'add', 'default', 'dev', 'eth0');
  for (const setting of [
    'net.ipv4.ip_forward=1',
    'net.ipv6.conf.all.forwarding=1',
    'net.ipv4.conf.all.rp_filter=0',
    'net.ipv4.conf.eth0.rp_filter=0',
    'net.ipv4.conf.all.route_localnet=1',
  ]) {
    await run('sysctl', '-qw', setting);
  }
}
