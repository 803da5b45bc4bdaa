import {
  comparisonLines,
  countOf,
  type FamilyVerification,
  formatPlanSummary,
  MARKS,
  type PlanLine,
  type ProxyMode,
  printable,
  type RuleChange,
  type StateComparison,
  type VerificationVerdict,
} from '@kube-proxier/core';
import { describeRemoved, nameOfLeftoverOwner, type RemovedOfMode } from '@kube-proxier/server';
import type { TextStyle } from '../terminal/text-style.js';
import { countLines, findingLines } from '../verify/format-verification.js';

/** The schema of `kube-proxier plan -o json`. */
export interface PlanDocument {
  readonly apiVersion: 'kube-proxier.io/v1alpha1';
  readonly kind: 'Plan';
  /** Whether something would be written or removed: the exit status is then 1. */
  readonly changed: boolean;
  readonly nodeName: string;
  /** The state in force. Null when no agent runs here. */
  readonly from: PlanSide | null;
  /** The planned state. Null for a cleanup. */
  readonly to: PlanSide | null;
  /** Comparison of states. Null when only the rules in force are known. */
  readonly comparison: StateComparison | null;
  /** Changes of rules. Null when the kernel was not read. */
  readonly rules: PlannedRules | null;
  /** What a cleanup or a takeover would remove of other modes and of kube-proxy. */
  readonly removals: readonly RemovedOfMode[];
  /** Objects of kube-proxy that the mode adopts; the rest is in `rules`. */
  readonly adopted: readonly RemovedOfMode[];
  /** Comparison of the packet handling of kube-proxy's rules with the plan. Null if not compared. */
  readonly traffic: TrafficComparison | null;
  /** Services that get their addresses from the API server when they are created: `namespace/name`. */
  readonly withoutAddress: readonly string[];
  /** Limitations of the plan, in full sentences. */
  readonly notes: readonly string[];
}

/**
 * Comparison of the node's rules, including those of kube-proxy, with the planned state, for each class of packets: in
 * findings, `expected` is the planned outcome, and `actual` the current one.
 */
export interface TrafficComparison {
  /** Modes of kube-proxy that have rules. */
  readonly modes: readonly ProxyMode[];
  readonly verdict: VerificationVerdict;
  readonly families: readonly FamilyVerification[];
}

export interface PlanSide {
  readonly mode: ProxyMode;
  /** Origin of its objects, in words. */
  readonly objects: string;
}

export interface PlannedRules {
  readonly mode: ProxyMode;
  /** Number of objects. */
  readonly add: number;
  readonly remove: number;
  /** In the terms of the mode; only with `--rules`. */
  readonly changes?: readonly RuleChange[];
}

/** Options of {@link formatPlan}. */
export interface PlanFormat {
  /** Every rule. */
  readonly rules: boolean;
  /** Service ports whose rules would change, with the numbers, where the comparison is null. */
  readonly byOwner: readonly OwnedChanges[];
  readonly style: TextStyle;
}

/** Number of changes of the rules of one service port. */
export interface OwnedChanges {
  /** Key of the service port; undefined for shared rules. */
  readonly owner: string | undefined;
  readonly add: number;
  readonly remove: number;
}

/** Counts changes by service port, sorted by its key. */
export function countByOwner(changes: readonly RuleChange[]): readonly OwnedChanges[] {
  const counts = new Map<string | undefined, { add: number; remove: number }>();
  for (const { action, owner } of changes) {
    const count = counts.get(owner) ?? { add: 0, remove: 0 };
    counts.set(owner, count);
    count[action] += 1;
  }
  return [...counts]
    .map(([owner, count]) => ({ owner, ...count }))
    .sort((left, right) => ((left.owner ?? '\uffff') < (right.owner ?? '\uffff') ? -1 : 1));
}

/** A plan as text for a person. */
export function formatPlan(plan: PlanDocument, format: PlanFormat): string {
  const sections = [
    headline(plan),
    marked(plan.comparison === null ? ownerLines(format.byOwner) : comparisonLines(plan.comparison), format.style),
    plan.withoutAddress
      .map((name) => mark(`+ ${name}: its addresses are assigned by the API server\n`, format.style))
      .join(''),
    rulesSection(plan, format),
    removalSection(plan, format.style),
    adoptedSection(plan),
    plan.traffic === null ? '' : trafficSection(plan.traffic),
    plan.notes.map((note) => `Note: ${note}\n`).join(''),
    verdict(plan),
  ];
  return sections.filter((text) => text !== '').join('\n');
}

function headline({ nodeName, from, to }: PlanDocument): string {
  const node = printable(nodeName);
  const side = ({ mode, objects }: PlanSide) => `mode ${printable(mode)}, ${printable(objects, 200)}`;
  if (to === null) {
    return `Cleanup of node ${node}\n`;
  }
  return `Node ${node}\n  in force: ${from === null ? 'no agent runs here' : side(from)}\n  planned:  ${side(to)}\n`;
}

function marked(lines: readonly PlanLine[], style: TextStyle): string {
  return lines
    .map(({ change, indent, text }) =>
      mark(`${' '.repeat(indent)}${change === undefined ? '' : `${MARKS[change]} `}${printable(text, 1000)}\n`, style),
    )
    .join('');
}

/** Colours a line by its mark. */
function mark(line: string, style: TextStyle): string {
  const [, sign] = /^ *([+~-]) /.exec(line) ?? [];
  switch (sign) {
    case '+':
      return style('good', line);
    case '-':
      return style('bad', line);
    case '~':
      return style('warning', line);
    default:
      return line;
  }
}

function ownerLines(owners: readonly OwnedChanges[]): readonly PlanLine[] {
  return owners.map(({ owner, add, remove }) => ({
    change: remove === 0 ? 'add' : add === 0 ? 'remove' : 'change',
    indent: 0,
    text: `${owner ?? 'shared by Services'}: ${add} to add, ${remove} to remove`,
  }));
}

function rulesSection({ rules }: PlanDocument, { rules: all, style }: PlanFormat): string {
  if (rules === null || rules.add + rules.remove === 0) {
    return '';
  }
  const advice = all ? '' : '; --rules lists them';
  const head = `Rules and objects of mode ${printable(rules.mode)}: ${rules.add} to add, ${rules.remove} to remove${advice}\n`;
  let table = '';
  const lines = (rules.changes ?? []).map((change) => {
    const title = change.table === table ? '' : `${printable(change.table)}\n`;
    table = change.table;
    const sign = change.action === 'add' ? '+' : '-';
    return `${title}${mark(`  ${sign} ${printable(change.text, 4000)}\n`, style)}`;
  });
  return `${head}${lines.join('')}`;
}

function removalSection({ removals }: PlanDocument, style: TextStyle): string {
  return removals
    .map(({ mode, owner, objects }) => {
      const lines = describeRemoved(objects).map((line) => mark(`  - ${line}\n`, style));
      return `To be removed of ${nameOfLeftoverOwner(owner, mode)}:\n${lines.join('')}`;
    })
    .join('');
}

function adoptedSection({ adopted }: PlanDocument): string {
  return adopted
    .map(({ mode, owner, objects }) => {
      const lines = describeRemoved(objects).map((line) => `  ${line}\n`);
      return `Taken over from ${nameOfLeftoverOwner(owner, mode)}, and changed only where it differs:\n${lines.join('')}`;
    })
    .join('');
}

function trafficSection({ modes, families }: TrafficComparison): string {
  const lines = [
    `What happens to packets now, by the rules of kube-proxy (mode ${modes.map((mode) => printable(mode)).join(', ')}), compared with the plan:`,
    ...[...countLines('the same', families), ...findingLines(families)].map((line) => (line === '' ? '' : `  ${line}`)),
  ];
  return `${lines.join('\n')}\n`;
}

function verdict({ changed, comparison, rules, removals, to, withoutAddress }: PlanDocument): string {
  if (!changed) {
    return to === null
      ? 'Nothing to remove.\n'
      : rules === null
        ? 'No differences.\n'
        : 'No differences: the rules of this node are as planned.\n';
  }
  const removed = removals.flatMap(({ objects }) => objects).reduce((sum, { names }) => sum + names.length, 0);
  if (to === null) {
    return `Plan: ${countOf(removed, 'object')} to remove.\n`;
  }
  const parts = [
    ...(comparison === null ? [] : [servicesOf(comparison, withoutAddress.length)]),
    ...(rules === null ? [] : [`rules and objects: ${rules.add} to add, ${rules.remove} to remove`]),
    ...(removed === 0 ? [] : [`${countOf(removed, 'object')} of other modes and of kube-proxy to remove`]),
  ];
  return `Plan: ${parts.join('; ')}.\n`;
}

function servicesOf({ summary }: StateComparison, withoutAddress: number): string {
  return formatPlanSummary({ summary: { ...summary, add: summary.add + withoutAddress } });
}
