import { EventLoopPace, finishWithPauses, type IPFamily, type Logger, type RemovedObjects } from '@kube-proxier/core';
import {
  type Iptables,
  type IptablesDocument,
  type IptablesTable,
  type IptablesVariant,
  parseSavedTableInSlices,
  removedObjects,
  renderDocument,
  renderDocumentInSlices,
  type Sysctl,
  SysctlError,
} from '@kube-proxier/linux';
import { ROUTE_LOCALNET } from './plan/fixed-chains.js';
import { type CleanupOwner, hasGuard, isKubeProxyLocalnet, planRemoval } from './plan/iptables-removal.js';

/** Options of {@link findLeftovers}. */
export interface IptablesLeftoverOptions {
  readonly owner: CleanupOwner;
  /** The variant that `iptables` is of, for the report. Default: not named. */
  readonly variant?: IptablesVariant;
}

/** Options of {@link removeRules}. */
export interface IptablesCleanupOptions extends IptablesLeftoverOptions {
  readonly sysctl: Sysctl;
  readonly logger: Logger;
  /**
   * NodePorts on 127.0.0.1 are served, and guarded, by the rules of another variant: the sysctl that admits packets is
   * kept. Default false.
   */
  readonly servesLocalnet?: boolean;
}

/**
 * Removes chains of one owner, and every jump to one, from one family and variant. Keeps foreign rules in the same
 * tables. Does not create unused tables.
 *
 * @returns what was removed.
 */
export async function removeRules(
  iptables: Iptables,
  options: IptablesCleanupOptions,
): Promise<readonly RemovedObjects[]> {
  const { sysctl, logger, servesLocalnet = false } = options;
  const pace = new EventLoopPace();
  const plan = planRemoval(iptables.family, await iptables.save(), options.owner);
  const { document, guard } = await finishWithPauses(plan, pace);
  const location = locationIn(iptables.family, options);
  const text = await finishWithPauses(renderDocumentInSlices(document), pace);
  if (text !== '') {
    await iptables.restore(text);
  }
  const removed = describe(document, location);
  if (guard === undefined) {
    return removed;
  }
  // The setting is reset first: without the rule it would be insecure.
  const closed = servesLocalnet ? [] : await closeLocalnet(sysctl, logger);
  await iptables.restore(renderDocument(guard));
  return [...removed, ...describe(guard, location), ...closed];
}

/** What {@link removeRules} would remove, but for kernel settings. Changes nothing. */
export async function findLeftovers(
  family: IPFamily,
  saved: string,
  options: IptablesLeftoverOptions,
): Promise<readonly RemovedObjects[]> {
  const { document, guard } = await finishWithPauses(planRemoval(family, saved, options.owner), new EventLoopPace());
  const location = locationIn(family, options);
  return [...describe(document, location), ...(guard === undefined ? [] : describe(guard, location))];
}

/** Names tables in a report. */
function locationIn(
  family: IPFamily,
  { variant }: Pick<IptablesLeftoverOptions, 'variant'>,
): (table: IptablesTable) => string {
  return (table) => [`${table} table`, family, ...(variant === undefined ? [] : [variant])].join(', ');
}

function describe(document: IptablesDocument, location: (table: IptablesTable) => string): readonly RemovedObjects[] {
  return [...document].flatMap(([table, content]) => removedObjects(content, location(table)));
}

/** Whether kube-proxy's rules are installed and let packets to 127.0.0.0/8, guarded. */
export async function servesKubeProxyLocalnet(iptables: Iptables): Promise<boolean> {
  return await finishWithPauses(isKubeProxyLocalnet(await iptables.save()), new EventLoopPace());
}

/** Whether others are kept out of 127.0.0.0/8, as they are where NodePorts are served there. */
export async function guardsLocalnet(iptables: Iptables): Promise<boolean> {
  const slices = parseSavedTableInSlices(await iptables.save('filter'), 'filter');
  return hasGuard(await finishWithPauses(slices, new EventLoopPace()));
}

/** Keeps packets from other hosts from being routed to 127.0.0.0/8. */
async function closeLocalnet(sysctl: Sysctl, logger: Logger): Promise<readonly RemovedObjects[]> {
  try {
    if (await sysctl.write(ROUTE_LOCALNET, 0)) {
      logger.info('set route_localnet=0: nothing serves NodePorts on 127.0.0.1 any more');
      return [{ kind: 'setting', names: [`${ROUTE_LOCALNET}=1`] }];
    }
  } catch (error) {
    // Without the setting, nothing is open. If the setting stays enabled, the rule must be kept.
    if (!(error instanceof SysctlError) || error.code !== 'SYSCTL_ABSENT') {
      throw error;
    }
  }
  return [];
}
