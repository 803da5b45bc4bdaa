import { type IPFamily, messageOf, ProxierError } from '@kube-proxier/core';
import { CommandError, type CommandRunner } from '../process/command-runner.js';
import type { IptablesVariant } from './iptables.js';
import { iptablesProgram, parseIptablesVersion, type SavedRules } from './iptables-command.js';
import { createTableStamps } from './table-stamps.js';
import { hasIptablesTables } from './tables-in-use.js';

/** The selected variant, with the reason as text for a log line. */
export interface IptablesVariantChoice {
  /** Undefined: neither set of tools is installed under its own name; use `iptables` in PATH. */
  readonly variant: IptablesVariant | undefined;
  readonly reason: string;
  /** False when a variant is installed, but its tables could not be listed. Default true. */
  readonly isCertain?: boolean;
  /** The rules of the variant, as printed by its `save`, for the families that could be saved. */
  readonly saved?: SavedFamilies;
}

/** The dumps by IP family. */
export type SavedFamilies = ReadonlyMap<IPFamily, SavedRules>;

/** Chains that a kubelet creates to indicate which variant the host uses. */
const HINTS = /^:KUBE-(?:IPTABLES-HINT|KUBELET-CANARY) /m;

const VARIANTS: readonly IptablesVariant[] = ['nft', 'legacy'];
const FAMILIES: readonly IPFamily[] = ['IPv4', 'IPv6'];

/**
 * Detects which variant the host uses, as the image of kube-proxy does: the variant with the hint chain of a kubelet;
 * otherwise the variant with more rules; otherwise the variant of `iptables` in PATH. Changes nothing and does not load
 * kernel modules. If the kernel has tables of one variant only, and they have rules, the tools of the other variant are
 * not started.
 */
export async function detectIptablesVariant(runner: CommandRunner): Promise<IptablesVariantChoice> {
  const rules = new Map<IptablesVariant, number>();
  const all = new Map<IptablesVariant, SavedFamilies>();
  const unlisted: string[] = [];
  let isCertain = true;
  const inUse = await variantsInUse(runner);
  for (const variant of [...inUse, ...VARIANTS.filter((other) => !inUse.includes(other))]) {
    const refused: ProxierError[] = [];
    const saved = await savedRules(runner, variant, (error) => refused.push(error));
    const [failure] = refused;
    if (saved.size === 0) {
      if (failure !== undefined && wasInterrupted(failure) && inUse.length === 1 && inUse[0] === variant) {
        const reason = `the kernel has only ${variant} tables, which could not be listed (${messageOf(failure)})`;
        return { variant, reason, isCertain: false };
      }
      if (failure !== undefined) {
        unlisted.push(messageOf(failure));
        // Without tables of a variant in the kernel, there is nothing to list.
        isCertain &&= !inUse.includes(variant);
      }
      continue;
    }
    const texts = [...saved.values()].map(({ text }) => text);
    if (texts.some((text) => HINTS.test(text))) {
      return { variant, reason: `a kubelet left its hint chain in the ${variant} tables`, saved };
    }
    const count = texts.reduce((sum, text) => sum + (text.match(/^-A /gm)?.length ?? 0), 0);
    if (count > 0 && inUse.length === 1 && inUse[0] === variant) {
      return { variant, reason: `the kernel has only ${variant} tables`, saved };
    }
    all.set(variant, saved);
    rules.set(variant, count);
  }
  const savedOf = (variant: IptablesVariant | undefined) => {
    const saved = variant && all.get(variant);
    return saved === undefined ? {} : { saved };
  };
  const only = [...rules.keys()];
  const [reason] = unlisted;
  if (only.length === 1) {
    return reason === undefined
      ? { variant: only[0], reason: `only the ${only[0]} tools are installed`, ...savedOf(only[0]) }
      : {
          ...{ variant: only[0], reason: `only the ${only[0]} tables can be listed (${reason})` },
          ...{ isCertain, ...savedOf(only[0]) },
        };
  }
  const [nft = 0, legacy = 0] = [rules.get('nft'), rules.get('legacy')];
  if (nft !== legacy) {
    const variant = nft > legacy ? 'nft' : 'legacy';
    return {
      ...{ variant, reason: `the ${variant} tables hold more rules (nft ${nft}, legacy ${legacy})` },
      ...savedOf(variant),
    };
  }
  const inPath = await variantInPath(runner);
  return inPath === undefined
    ? { variant: undefined, reason: 'the tools do not report their variant' }
    : {
        variant: inPath,
        reason: `iptables in PATH is the ${inPath} variant${reason === undefined ? '' : `, and no tables can be listed (${reason})`}`,
        isCertain,
        ...savedOf(inPath),
      };
}

/** The variants whose tables exist in the kernel, or may exist. */
async function variantsInUse({ networkNamespace: place }: CommandRunner): Promise<readonly IptablesVariant[]> {
  if (place === undefined) {
    return VARIANTS;
  }
  const found = await Promise.all(
    VARIANTS.map(async (variant) => {
      const has = await hasIptablesTables(variant, place === 'own' ? undefined : place);
      return has === false ? [] : [variant];
    }),
  );
  return found.flat();
}

/** The rules of each family, without those for which the tools of this variant are missing or cannot be used. */
async function savedRules(
  runner: CommandRunner,
  variant: IptablesVariant,
  onRefused: (error: ProxierError) => void,
): Promise<SavedFamilies> {
  const saved = await Promise.all(
    FAMILIES.map(async (family) => {
      const stamp = await stampOf(runner, variant, family);
      try {
        const { stdout } = await runner.run({ command: iptablesProgram(family, variant, 'save'), args: [] });
        return [[family, { text: stdout, ...(stamp === undefined ? {} : { stamp }) }] as const];
      } catch (error) {
        if (!(error instanceof ProxierError)) {
          throw error;
        }
        if (!(error instanceof CommandError && error.failure === 'not-found')) {
          onRefused(error);
        }
        return [];
      }
    }),
  );
  return new Map(saved.flat());
}

/** A program that was killed, timed out, or could not be started gives no information about the variant of the host. */
function wasInterrupted(error: ProxierError): boolean {
  return error instanceof CommandError && ['signal', 'timeout', 'not-started'].includes(error.failure);
}

/** A value that changes only when the rules change. */
async function stampOf(
  { networkNamespace: place }: CommandRunner,
  variant: IptablesVariant,
  family: IPFamily,
): Promise<string | undefined> {
  if (place === undefined) {
    return undefined;
  }
  const stamps = createTableStamps(family, variant, place === 'own' ? undefined : place);
  try {
    return await stamps.ofRules();
  } finally {
    stamps.close();
  }
}

async function variantInPath(runner: CommandRunner): Promise<IptablesVariant | undefined> {
  try {
    const { stdout } = await runner.run({ command: 'iptables', args: ['--version'] });
    return parseIptablesVersion(stdout)?.variant;
  } catch (error) {
    if (error instanceof ProxierError) {
      return undefined;
    }
    throw error;
  }
}
