import { EventLoopPace, finishWithPauses } from '@kube-proxier/core';
import {
  type Iptables,
  IptablesError,
  IptablesRule,
  type PacketCounters,
  parseSavedTableInSlices,
  type Sysctl,
  SysctlError,
} from '@kube-proxier/linux';
import { COUNTERS, ROUTE_LOCALNET } from '../plan/fixed-chains.js';
import type { InstalledIptables } from '../plan/installed-iptables.js';

const TCP_BE_LIBERAL = 'net/netfilter/nf_conntrack_tcp_be_liberal';

/** Options of the read-back. */
export interface ReadTarget {
  readonly iptables: Iptables;
  readonly sysctl: Sysctl;
  /** Counters of the kernel; undefined when nothing is counted. */
  readonly counters: PacketCounters | undefined;
}

/** Reads the tables and settings of one family. Counters that the rules need are created. */
export async function readInstalled({ iptables, sysctl, counters }: ReadTarget): Promise<InstalledIptables> {
  const { randomFully } = await iptables.version();
  const [existing, saved, liberal, routeLocalnet] = await Promise.all([
    counters === undefined ? new Set<string>() : existingCounters(counters),
    iptables.save(),
    readSetting(sysctl, TCP_BE_LIBERAL),
    readSetting(sysctl, ROUTE_LOCALNET),
  ]);
  const pace = new EventLoopPace();
  return {
    filter: await finishWithPauses(parseSavedTableInSlices(saved, 'filter'), pace),
    nat: await finishWithPauses(parseSavedTableInSlices(saved, 'nat'), pace),
    routeLocalnet: routeLocalnet === '1',
    facts: {
      randomFully,
      dropInvalid: liberal === undefined || liberal === '0',
      counters: await usableCounters(existing, saved, iptables),
    },
  };
}

/** Creates the counters where the kernel supports them (spec I-72, I-23). */
async function existingCounters(counters: PacketCounters): Promise<ReadonlySet<string>> {
  const existing = new Set<string>();
  for (const name of Object.values(COUNTERS)) {
    if (await counters.ensure(name)) {
      existing.add(name);
    }
  }
  return existing;
}

/** A rule of this program with a counter; quoted text is a comment. */
const COUNTING_RULE = /^-A KUBE-FORWARD [^"]*-m nfacct --nfacct-name /m;

/** The counters that rules can refer to. Existing rules imply support without running a program. */
async function usableCounters(
  existing: ReadonlySet<string>,
  saved: string,
  iptables: Iptables,
): Promise<ReadonlySet<string>> {
  const [some] = existing;
  return some === undefined || COUNTING_RULE.test(saved) || (await canCountIn(iptables, some)) ? existing : new Set();
}

/** A kernel may have the counters without the match. A rule with it would then be refused, and all rules with it. */
async function canCountIn(iptables: Iptables, name: string): Promise<boolean> {
  try {
    const { text } = new IptablesRule({ matches: [{ match: 'nfacct', counter: name }] });
    await iptables.ruleExists('filter', 'FORWARD', text);
    return true;
  } catch (error) {
    if (error instanceof IptablesError && error.code === 'IPTABLES_FAILED') {
      return false;
    }
    throw error;
  }
}

/** Undefined when the kernel does not have the setting, or it cannot be read. */
async function readSetting(sysctl: Sysctl, name: string): Promise<string | undefined> {
  try {
    return await sysctl.read(name);
  } catch (error) {
    if (error instanceof SysctlError) {
      return undefined;
    }
    throw error;
  }
}
