import type { IPFamily, PathRule } from '@kube-proxier/core';
import { type CommandRunner, type KernelFiles, type NetfilterPath, readNetfilterPath } from '@kube-proxier/linux';
import { TABLE } from './plan/layout.js';

/** Whether a rule stands in another table than this backend's. Pure. */
export function isForeignRule({ system, table }: PathRule): boolean {
  return system !== 'nftables' || (table !== `ip ${TABLE}` && table !== `ip6 ${TABLE}`);
}

/** Reads the way of packets of one family through this host. */
export function readPacketPath(
  family: IPFamily,
  host: { readonly runner: CommandRunner; readonly files?: KernelFiles },
): Promise<NetfilterPath> {
  return readNetfilterPath({ family, ...host, isForeign: isForeignRule });
}
