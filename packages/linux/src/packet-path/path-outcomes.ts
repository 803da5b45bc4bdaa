import { describePathRule, joinHostPort, LinearMap, type PathOutcome, type PathRule } from '@kube-proxier/core';
import { itemsOf, type Visit, type Walker } from './walker.js';

export interface Ended {
  readonly walker: Walker;
  readonly verdict: PathOutcome['verdict'];
  readonly by: PathRule | undefined;
}

/** Describes why a packet was not translated. */
interface MissedStage {
  missed(walker: Walker): string;
}

/**
 * The outcomes of a packet: equal ends are merged.
 *
 * @param stage that packets may have passed besides the rules, such as IPVS.
 */
export function summarise(ends: readonly Ended[], stage: MissedStage | undefined): readonly PathOutcome[] {
  const outcomes = new LinearMap<
    PathOutcome & { probability: number; emptyChain?: string; decidedBy: PathRule | undefined }
  >();
  for (const { walker, verdict, by } of ends) {
    const { translatedBy, masqueradedBy } = walker;
    const destination = translatedBy === undefined ? undefined : joinHostPort(walker.destination, walker.port);
    const unknown = itemsOf(walker.unknown);
    const assumed = unknown.map(({ table, chain, text }) => `${table} ${chain} ${text}`).join('\n');
    const key = `${verdict} ${destination ?? ''} ${masqueradedBy === undefined ? '' : 'masqueraded'} ${assumed}`;
    const known = outcomes.get(key);
    const emptyChain = walker.emptyChain && `chain ${walker.emptyChain.chain} of table ${walker.emptyChain.table}`;
    if (known !== undefined) {
      known.probability += walker.probability;
      if (known.decidedBy !== undefined && unknown.includes(known.decidedBy) && by !== undefined) {
        // A rule that decides in any case, rather than one with an unknown effect.
        known.decidedBy = by;
      }
      if (emptyChain !== undefined) {
        known.emptyChain ??= emptyChain;
      }
      continue;
    }
    outcomes.set(key, {
      probability: walker.probability,
      verdict,
      destination,
      masqueraded: masqueradedBy !== undefined,
      decidedBy: by,
      ...(masqueradedBy === undefined ? {} : { masqueradedBy }),
      ...(walker.mark === 0 ? {} : { mark: walker.mark }),
      ...(walker.markedBy === undefined ? {} : { markedBy: walker.markedBy }),
      ...(destination === undefined && walker.explains ? { missed: missedText(walker, stage) } : {}),
      ...(emptyChain === undefined ? {} : { emptyChain }),
      ...(walker.sourceKeptBy === undefined ? {} : { sourceKeptBy: walker.sourceKeptBy }),
      ...(walker.unevenly ? { unevenly: true } : {}),
      unknown,
    });
  }
  return outcomes.values;
}

/** The progress of a packet that no rule decided about. */
function missedText(walker: Walker, stage: MissedStage | undefined): string {
  if (walker.destinationKeptBy !== undefined) {
    return `${describePathRule(walker.destinationKeptBy)} ends the search for another destination`;
  }
  if (stage !== undefined) {
    return stage.missed(walker);
  }
  const misses = itemsOf(walker.misses);
  if (misses.length > 0) {
    return [...new Set(misses)].join(', and ');
  }
  const visits = itemsOf(walker.visits);
  let deepest: Visit | undefined;
  for (const visit of visits) {
    if (deepest === undefined || visit.depth > deepest.depth || (visit.depth === deepest.depth && visit.depth > 0)) {
      deepest = visit;
    }
  }
  if (deepest === undefined) {
    return 'no table that translates addresses has a rule for it';
  }
  return deepest.depth === 0
    ? `no rule of chain ${deepest.chain} of table ${deepest.table} leads to it`
    : `chain ${deepest.chain} of table ${deepest.table} ends without a rule that applies`;
}
