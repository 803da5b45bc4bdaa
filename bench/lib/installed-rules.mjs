import { execFileSync, spawnSync } from 'node:child_process';

/** Commands that print everything that is installed in the kernel, by subject: a mode, and for iptables its variant. */
const PRINT = new Map([
  ['nftables', ['nft', 'list', 'ruleset', 'ip']],
  ['iptables-nft', ['iptables-nft-save']],
  ['iptables-legacy', ['iptables-legacy-save']],
  ['ipvs', ['ipvsadm', '-Sn']],
]);
const REMOVE = new Map([
  ['ipvs', 'ipvsadm -C'],
  [
    'iptables-legacy',
    ['nat', 'filter', 'mangle']
      .map((table) => `iptables-legacy -t ${table} -F; iptables-legacy -t ${table} -X`)
      .join(';'),
  ],
]);

/**
 * Everything that is installed in the kernel for a mode, as text.
 *
 * @param {string} subject
 */
export function installedRules(subject) {
  const [command = 'false', ...args] = PRINT.get(subject) ?? [];
  return execFileSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 30 });
}

/**
 * @param {string} subject
 * @param {readonly string[]} addresses that rules must name
 * @param {string} when such as `after the first sync of kube-proxy`
 * @throws Error with their number, and one of them, when some are not in the kernel
 */
export function requireInstalled(subject, addresses, when) {
  const installed = new Set(installedRules(subject).match(/(?<![\d.])\d+\.\d+\.\d+\.\d+/g));
  const missing = addresses.filter((address) => !installed.has(address));
  if (missing.length > 0) {
    throw new Error(
      `${missing.length} of ${addresses.length} addresses are not in the kernel ${when}, such as ${missing[0]}`,
    );
  }
}

/**
 * The next start begins with a kernel without rules.
 *
 * @param {string} subject
 */
export function removeRules(subject) {
  spawnSync('sh', ['-c', REMOVE.get(subject) ?? 'nft flush ruleset'], { stdio: 'ignore' });
}

/**
 * The agent uses the variant of iptables in which a kubelet left its hint.
 *
 * @param {string} subject
 */
export function leaveIptablesHint(subject) {
  const [mode, variant] = subject.split('-');
  if (mode === 'iptables') {
    spawnSync(`iptables-${variant}`, ['-t', 'mangle', '-N', 'KUBE-IPTABLES-HINT']);
  }
}
