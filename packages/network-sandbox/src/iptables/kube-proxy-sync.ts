import { type Iptables, IptablesError, parseSavedTable } from '@kube-proxier/linux';

/** Shared with the kubelet, so kube-proxy only appends to it. */
const GUARD = 'KUBE-FIREWALL';
/** Chains that kube-proxy removes from the nat table when it does not need them (`isServiceChainName`). */
const SERVICE_CHAIN = /^KUBE-(SVC|SVL|SEP|FW|XLB|EXT)-/;
const CANARY = 'KUBE-PROXY-CANARY';

/**
 * Installs rules as the first sync of a kube-proxy in iptables mode does: creates its canaries and its missing jumps,
 * then rewrites all of its chains and removes unused service chains, in one document.
 *
 * @param wanted the rules of a kube-proxy, as `iptables-save` prints them; chains other than `KUBE-…` are ignored.
 * @throws IptablesError when kube-proxy's document would be rejected; kube-proxy then fails in every sync.
 */
export async function syncAsKubeProxy(iptables: Iptables, wanted: string): Promise<void> {
  const parsed = (['filter', 'nat'] as const).map((table) => ({ table, saved: parseSavedTable(wanted, table) }));
  await iptables.restore(
    ['mangle', 'nat', 'filter'].map((table) => `*${table}\n:${CANARY} - [0:0]\nCOMMIT\n`).join(''),
  );
  const document: string[] = [];
  for (const { table, saved } of parsed) {
    const before = parseSavedTable(await iptables.save(table), table);
    const chains = [...saved].filter(([name]) => name.startsWith('KUBE-') && name !== CANARY);
    const missing = chains.filter(([name]) => !before.has(name)).map(([name]) => `:${name} - [0:0]`);
    if (missing.length > 0) {
      await iptables.restore([`*${table}`, ...missing, 'COMMIT', ''].join('\n'));
    }
    for (const [hook, { rules }] of [...saved].filter(([, { policy }]) => policy !== '-')) {
      for (const rule of [...rules].reverse()) {
        if (rule.includes('KUBE-') && !(await ruleExists(iptables, table, hook, rule))) {
          await iptables.restore(`*${table}\n-I ${hook} 1 ${rule}\nCOMMIT\n`);
        }
      }
    }
    for (const rule of saved.get(GUARD)?.rules ?? []) {
      if (!(await ruleExists(iptables, table, GUARD, rule))) {
        await iptables.restore(`*${table}\n-A ${GUARD} ${rule}\nCOMMIT\n`);
      }
    }
    const written = chains.filter(([name]) => name !== GUARD);
    const stale =
      table === 'nat' ? [...before.keys()].filter((name) => SERVICE_CHAIN.test(name) && !saved.has(name)) : [];
    document.push(
      `*${table}`,
      ...[...written.map(([name]) => name), ...stale].map((name) => `:${name} - [0:0]`),
      ...written.flatMap(([name, { rules }]) => rules.map((rule) => `-A ${name} ${rule}`)),
      ...stale.map((name) => `-X ${name}`),
      'COMMIT',
      '',
    );
  }
  await iptables.restore(document.join('\n'));
}

async function ruleExists(iptables: Iptables, table: 'filter' | 'nat', chain: string, rule: string): Promise<boolean> {
  try {
    return await iptables.ruleExists(table, chain, rule);
  } catch (error) {
    if (error instanceof IptablesError) {
      return false;
    }
    throw error;
  }
}
