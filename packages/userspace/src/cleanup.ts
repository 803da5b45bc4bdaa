import {
  type CleanupReport,
  type IPFamily,
  type LeftoverOwner,
  LeftoversError,
  messageOf,
  type RemovedObjects,
} from '@kube-proxier/core';
import {
  type Iptables,
  type IptablesDocument,
  IptablesError,
  type IptablesVariant,
  removedObjects,
} from '@kube-proxier/linux';
import { findPortalChains, removePortalChains } from './apply/portal-chains.js';

const FAMILIES: readonly IPFamily[] = ['IPv4', 'IPv6'];

/** Possible locations of redirect rules. */
export interface RuleAccess {
  /** All that may have been used before. */
  readonly variants: readonly IptablesVariant[];
  readonly iptables: (family: IPFamily, variant: IptablesVariant) => Iptables;
}

/** A resource of this process, and its close function. */
export interface OwnResource {
  /** For messages. */
  readonly name: string;
  readonly close: () => Promise<void>;
}

/**
 * Closes the resources of this process, and removes the redirect rules of both families.
 *
 * @throws LeftoversError `USERSPACE_LEFTOVERS` after everything was tried.
 */
export async function cleanUp(access: RuleAccess, resources: readonly OwnResource[]): Promise<CleanupReport> {
  const removed: RemovedObjects[] = [];
  const leftovers: string[] = [];
  let cause: unknown;
  const attempt = async (name: string, run: () => Promise<void>) => {
    try {
      await run();
    } catch (error) {
      leftovers.push(...(error instanceof LeftoversError ? error.leftovers : [`${name} (${messageOf(error)})`]));
      cause = error;
    }
  };
  for (const { name, close } of resources) {
    await attempt(name, close);
  }
  for (const [family, variant] of places(access)) {
    await attempt(`${family} rules of ${variant}`, async () => {
      removed.push(...(await withRules(access, family, variant, removePortalChains)));
    });
  }
  if (leftovers.length > 0) {
    throw new LeftoversError('USERSPACE_LEFTOVERS', leftovers, { cause });
  }
  return { removed };
}

/** Lists the redirect rules: sockets end with their process. */
export async function findLeftovers(access: RuleAccess, owner: LeftoverOwner): Promise<readonly RemovedObjects[]> {
  const found: RemovedObjects[] = [];
  for (const [family, variant] of owner === 'backend' ? places(access) : []) {
    found.push(...(await withRules(access, family, variant, findPortalChains)));
  }
  return found;
}

function places({ variants }: RuleAccess): readonly (readonly [IPFamily, IptablesVariant])[] {
  return FAMILIES.flatMap((family) => variants.map((variant) => [family, variant] as const));
}

/** Where the tools are not installed, there are no rules. */
async function withRules(
  { iptables }: RuleAccess,
  family: IPFamily,
  variant: IptablesVariant,
  run: (iptables: Iptables) => Promise<IptablesDocument>,
): Promise<readonly RemovedObjects[]> {
  try {
    const document = await run(iptables(family, variant));
    return [...document].flatMap(([table, content]) =>
      removedObjects(content, `${table} table, ${family}, ${variant}`),
    );
  } catch (error) {
    if (error instanceof IptablesError && error.code === 'IPTABLES_MISSING') {
      return [];
    }
    throw error;
  }
}
