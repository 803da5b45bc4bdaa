import { formatTable, type IPFamily } from '@kube-proxier/core';
import type { NodeStatus } from '@kube-proxier/server';
import { formatAge } from '../commands/format-age.js';
import type { DigestComparison } from './compare-digests.js';
import type { NodeAnswer } from './query-nodes.js';

/** The status of a node, or why there is none. */
export interface NodeStatusItem {
  readonly nodeName: string;
  readonly podName: string | null;
  readonly status: NodeStatus | null;
  readonly error: string | null;
}

/** The schema of `kubectl proxier status` with `-o json` and `-o yaml`. */
export interface NodeStatusList extends DigestComparison {
  readonly apiVersion: 'kube-proxier.io/v1alpha1';
  readonly kind: 'NodeStatusList';
  readonly items: readonly NodeStatusItem[];
}

/** The answer of a node to another command. */
export interface NodeAnswerItem {
  readonly nodeName: string;
  readonly podName: string | null;
  readonly exitStatus: number | null;
  /** The document that the command printed. */
  readonly answer: unknown;
  readonly error: string | null;
}

/** The schema of the other commands with `-o json` and `-o yaml`, when several nodes are queried. */
export interface NodeAnswerList {
  readonly apiVersion: 'kube-proxier.io/v1alpha1';
  readonly kind: 'NodeAnswerList';
  readonly items: readonly NodeAnswerItem[];
}

const VERDICTS = { ok: 'OK', degraded: 'DEGRADED', 'not-serving': 'NOT SERVING' } as const;
const NONE = '-';

/**
 * One line for each node, then problems, then differing nodes.
 *
 * @param now milliseconds since the epoch.
 */
export function formatNodeStatuses({ items, groups, differing }: NodeStatusList, now: number): string {
  const rows = items.map(({ nodeName, status }) =>
    status === null
      ? [nodeName, 'NO ANSWER', ...Array.from({ length: 5 }, () => NONE)]
      : [
          nodeName,
          VERDICTS[status.verdict],
          status.mode === '' ? NONE : status.mode,
          ...[String(status.services), String(status.endpoints)],
          lastSync(status, now),
          digestOf(status) + (differing.includes(nodeName) ? ' *' : ''),
        ],
  );
  const table = formatTable([['NODE', 'STATUS', 'MODE', 'SERVICES', 'ENDPOINTS', 'LAST SYNC', 'DIGEST'], ...rows]);
  const problems = items.flatMap(({ nodeName, status, error }) =>
    error === null
      ? (status?.problems ?? []).flatMap(({ found, advice }) => [`  - ${nodeName}: ${found}`, `    ${advice}`])
      : [`  - ${nodeName}: ${error}`],
  );
  const differences = differing.length === 0 ? [] : describeDifferences(groups);
  return [
    table,
    ...(problems.length === 0 ? [] : ['\nProblems:\n', ...problems.map((line) => `${line}\n`)]),
    ...(differences.length === 0
      ? []
      : [
          '\n* Nodes differ in the Services or endpoints that are in force:\n',
          ...differences.map((line) => `${line}\n`),
        ]),
  ].join('');
}

/** Answers of other commands: nodes with the same answer together. */
export function formatNodeAnswers(answers: readonly NodeAnswer[]): string {
  const groups = new Map<string, { readonly text: string; readonly nodes: string[] }>();
  for (const { nodeName, result, error } of answers) {
    const text = result === undefined ? `no answer: ${error}\n` : `${result.stdout}${result.stderr}`;
    const group = groups.get(text) ?? { text, nodes: [] };
    group.nodes.push(nodeName);
    groups.set(text, group);
  }
  return [...groups.values()]
    .map(({ text, nodes }) => `${nodes.join(', ')}:\n${text.replace(/^(?=.)/gm, '  ')}`)
    .join('\n');
}

function describeDifferences(groups: DigestComparison['groups']): readonly string[] {
  const families: readonly IPFamily[] = [...new Set(groups.map(({ family }) => family))];
  return families.flatMap((family) => {
    const ofFamily = groups.filter((group) => group.family === family);
    return ofFamily.length < 2 ? [] : ofFamily.map(({ digest, nodes }) => `  ${family} ${digest}: ${listNodes(nodes)}`);
  });
}

function listNodes(nodes: readonly string[]): string {
  const shown = nodes.slice(0, 10).join(', ');
  return nodes.length > 10 ? `${shown} and ${nodes.length - 10} more` : shown;
}

/** The first half of each digest, for visual comparison. */
function digestOf({ families }: NodeStatus): string {
  return Object.values(families)
    .map(({ digest }) => digest?.slice(0, 8) ?? NONE)
    .join('/');
}

function lastSync({ families }: NodeStatus, now: number): string {
  const times = Object.values(families).flatMap(({ lastSync: time }) => (time === null ? [] : [Date.parse(time)]));
  return times.length === 0 ? 'never' : formatAge(Math.min(Math.max(...times), now), now);
}
