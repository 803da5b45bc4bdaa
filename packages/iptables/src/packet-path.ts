import type { PacketPathRequest, PathRule } from '@kube-proxier/core';
import {
  type CommandRunner,
  type KernelFiles,
  type NetfilterPath,
  readNetfilterPath,
  targetOf,
} from '@kube-proxier/linux';
import { CHAINS, isOurChain } from './plan/layout.js';

/** Whether a rule is not this backend's: it stands in a chain of another program, and leads to none of ours. Pure. */
export function isForeignRule({ system, table = '', chain = '', text }: PathRule): boolean {
  if (!system.startsWith('iptables') || (table !== 'nat' && table !== 'filter')) {
    return true;
  }
  const target = targetOf(text);
  return (
    !isOurChain(table, chain) && (target === undefined || !isOurChain(table, target)) && chain !== CHAINS.localnetGuard
  );
}

/** Reads the way of packets of one family through this host. */
export function readPacketPath(
  { family, ignores, ignoredInterfaces }: Omit<PacketPathRequest, 'options'>,
  host: { readonly runner: CommandRunner; readonly files?: KernelFiles },
): Promise<NetfilterPath> {
  return readNetfilterPath({
    ...{ family, ...host, isForeign: isForeignRule },
    ...(ignores ? { ignores } : {}),
    ...(ignoredInterfaces ? { ignoredInterfaces } : {}),
  });
}
