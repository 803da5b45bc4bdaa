import type { IPFamily, ProbeResult } from '@kube-proxier/core';
import { messageOf } from '@kube-proxier/core';
import {
  type Iptables,
  IptablesRule,
  type IptablesRuleParts,
  type IptablesTableDocument,
  ProcSysctl,
  removeChains,
  renderDocument,
  userChain,
  type VirtualServerAddress,
} from '@kube-proxier/linux';
import { trySettings } from './apply/host-settings.js';
import type { IpvsHost } from './ipvs-host.js';
import { type FixedChains, fixedChains, RULE_TABLES, type RuleTable } from './plan/fixed-chains.js';
import { INTERFACE, MARK_NUMBERS, MarkLayout, SET_ROLES, setDefinition } from './plan/layout.js';
import { writeRules } from './plan/rule-documents.js';
import { SCHEDULER_NAMES, schedulerFlags } from './plan/schedulers.js';

const TRIAL_INTERFACE = 'kube-ipvs-try';
const TRIAL = 'TRIAL-';

/** Host capabilities, determined by trials. */
export interface HostProbe {
  readonly result: ProbeResult;
  /** Of all schedulers, those that the kernel has; empty when it has no IPVS. */
  readonly schedulers: ReadonlySet<string>;
}

export interface HostProbeOptions {
  readonly host: (family: IPFamily) => IpvsHost;
  /** Whether the kernel supports IPv6. */
  readonly supportsIPv6: () => Promise<boolean>;
  /** The required scheduler. */
  readonly scheduler: string;
}

/**
 * Tests everything that the backend needs: a virtual server with each scheduler, for a mark that no packet has; a set
 * of each type; a dummy interface; the required setting; rules that match sets, in chains that no packet traverses.
 * Everything is removed when this returns.
 */
export async function probeHost({ host, supportsIPv6, scheduler }: HostProbeOptions): Promise<HostProbe> {
  const schedulers = new Set<string>();
  const fails = (reason: string): HostProbe => ({ result: { usable: false, reason }, schedulers });
  try {
    const { ipvs } = host('IPv4');
    const version = await ipvs.version();
    for (const name of await trySchedulers(host('IPv4'))) {
      schedulers.add(name);
    }
    if (!schedulers.has(scheduler)) {
      const has = [...schedulers].join(', ') || 'none';
      return fails(`the kernel lacks the IPVS scheduler ${scheduler} (module ip_vs_${scheduler}); it has ${has}`);
    }
    await trySettings(host('IPv4').sysctl ?? new ProcSysctl());
    await tryInterface(host('IPv4'));
    await tryRules('IPv4', host('IPv4'));
    const six =
      (await supportsIPv6()) &&
      (await tryRules('IPv6', host('IPv6')).then(
        () => true,
        () => false,
      ));
    const detail = `IPVS ${version}, schedulers ${[...schedulers].join(' ')}`;
    return { result: { usable: true, detail, families: six ? ['IPv4', 'IPv6'] : ['IPv4'] }, schedulers };
  } catch (error) {
    return fails(messageOf(error).replace(/\.$/, ''));
  }
}

/** As the kernel refuses a scheduler that it does not have and cannot load. */
const NO_SUCH_SCHEDULER = 'ENOENT';

async function trySchedulers({ ipvs }: IpvsHost): Promise<readonly string[]> {
  const at: VirtualServerAddress = { kind: 'mark', family: 'IPv4', mark: new MarkLayout(14).mark(MARK_NUMBERS - 1) };
  const found: string[] = [];
  for (const name of SCHEDULER_NAMES) {
    const virtual = { at, scheduler: name, schedulerFlags: schedulerFlags(name), persistence: undefined };
    const [refused] = await ipvs.execute([
      { do: 'add-virtual', virtual },
      { do: 'delete-virtual', at },
    ]);
    if (refused === undefined) {
      found.push(name);
    } else if (refused.errnoName !== NO_SUCH_SCHEDULER) {
      throw refused;
    }
  }
  return found;
}

async function tryInterface({ links }: IpvsHost): Promise<void> {
  if ((await links.find(INTERFACE)) === undefined) {
    await links.addDummy(TRIAL_INTERFACE);
    await links.remove(TRIAL_INTERFACE);
  }
}

/** Creates every set and every rule under other names, and removes them. */
async function tryRules(family: IPFamily, { sets, iptables }: IpvsHost): Promise<void> {
  const definitions = SET_ROLES.map((role) => {
    const wanted = setDefinition(role, family);
    return { ...wanted, name: wanted.name.replace('KUBE-', TRIAL) };
  });
  const tools = await iptables();
  const remove = async () => {
    try {
      await removeTrialChains(tools, trialRules(family, false));
    } finally {
      await sets.execute(definitions.map(({ name }) => ({ do: 'destroy-set', name })));
    }
  };
  try {
    for (const refused of await sets.execute(definitions.map((set) => ({ do: 'create-set', set })))) {
      if (refused !== undefined) {
        throw refused;
      }
    }
    const { randomFully } = await tools.version();
    await tools.restore(renderDocument(writeRules(trialRules(family, randomFully))));
  } catch (error) {
    // Where a table cannot be written, it cannot be cleaned either: the first failure is the reason.
    await remove().catch(() => {});
    throw error;
  }
  await remove();
}

const TRIAL_NODE = {
  name: '',
  zone: undefined,
  addresses: [],
  nodePortAddresses: { kind: 'all', loopback: false },
} as const;

/** Every rule that this backend writes, in chains with other names. */
function trialRules(family: IPFamily, randomFully: boolean): FixedChains {
  const six = family === 'IPv6';
  const rules = fixedChains({
    family,
    node: {
      ...TRIAL_NODE,
      detector: { kind: 'source-cidr', cidr: six ? '2001:db8::/32' : '192.0.2.0/24' },
      serviceCIDRs: [six ? '2001:db8::/32' : '192.0.2.0/24'],
    },
    masqueradeBit: 14,
    marks: new MarkLayout(14),
    randomFully,
  });
  const renamedTable = (table: RuleTable) =>
    new Map([...rules[table]].map(([chain, list]) => [renamed(chain), list.map(({ parts }) => renamedRule(parts))]));
  return { mangle: renamedTable('mangle'), nat: renamedTable('nat'), filter: renamedTable('filter') };
}

/** Not by what is installed: a list of all rules takes a second on a slow machine. */
async function removeTrialChains(tools: Iptables, trial: FixedChains): Promise<void> {
  const document = new Map<RuleTable, IptablesTableDocument>();
  for (const table of RULE_TABLES) {
    const chains = [...trial[table].keys()].map((chain) => [chain, userChain()] as const);
    document.set(
      table,
      removeChains(new Map(chains), () => true),
    );
  }
  await tools.restore(renderDocument(document));
}

function renamed(name: string): string {
  return name.replace('KUBE-', TRIAL);
}

function renamedRule(parts: IptablesRuleParts): IptablesRule {
  return new IptablesRule(JSON.parse(JSON.stringify(parts).replaceAll('"KUBE-', `"${TRIAL}`)));
}
