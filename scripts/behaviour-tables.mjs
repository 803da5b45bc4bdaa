/**
 * Writes the tables of docs/behaviour that have a row for each row of packages/core/test-data:
 * `node scripts/behaviour-tables.mjs [directory of the repository]`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * @typedef {object} PolicyRow of policy-flows.json
 * @property {string} id
 * @property {string} state
 * @property {readonly string[]} to
 * @property {string} policy
 * @property {unknown} [detector]
 * @property {boolean} [masqueradeAll]
 * @property {Record<'P' | 'H' | 'N' | 'X', string>} expect by client
 *
 * @typedef {object} TopologyRow of topology.json
 * @property {string} id
 * @property {string} case
 * @property {{cluster: readonly string[] | null, local: readonly string[] | null, hasAny: boolean}} expect
 */

/** Where the tables are written, below the directory of the repository. */
export const TABLES = 'docs/behaviour/policy-tables.md';

const INTRODUCTION = `# Tables of traffic policies and topology

<!-- Written by \`node scripts/behaviour-tables.mjs\` from packages/core/test-data; not by hand. -->

One rule for each row of \`packages/core/test-data/policy-flows.json\` and \`packages/core/test-data/topology.json\`. The
simulator of \`@kube-proxier/core\` answers each of them, and the [conformance kit](../conformance.md) sends its packets
through every backend.

An endpoint is \`L\` on this node or \`R\` on another one. A letter behind it says what it lacks: \`t\` serves and
terminates, \`x\` terminates and does not serve, \`u\` is not ready. Clients: \`P\` a pod that is no endpoint, \`H\` the local
endpoint, \`N\` a process of the node, \`X\` a client outside the cluster. \`L+R\`: one of the two, equally likely. \`M\`:
masqueraded. \`*\`: masqueraded when the endpoint is the client. \`n/a\`: there is no such client.
`;

const ORIGIN =
  'Origin: `pkg/proxy/topology.go`, `pkg/proxy/iptables/proxier.go`. Tests:\n`packages/core/src/simulator/packet-flows.spec.ts`.';

const TOPOLOGY = `## Topology

The cluster list and the local list by the names of their endpoints; \`-\` where the list is not in use.

Origin: \`pkg/proxy/topology.go\`, KEP-2433, KEP-3015, KEP-1669. Tests:
\`packages/core/src/simulator/packet-flows.spec.ts\`.`;

/**
 * @param {{rows: readonly PolicyRow[]}} policies content of policy-flows.json
 * @param {{rows: readonly TopologyRow[]}} topology content of topology.json
 * @returns {string} the page
 */
export function formatTables(policies, topology) {
  const groups = groupBy(policies.rows, groupOf);
  const sections = [...groups].map(([title, rows]) => {
    const cells = rows.map(({ id, state, expect }) => [`**${id}**`, state, expect.P, expect.H, expect.N, expect.X]);
    return `## ${title}\n\n${ORIGIN}\n\n${table(['id', 'endpoints', 'P', 'H', 'N', 'X'], cells)}`;
  });
  const cells = topology.rows.map(({ id, case: what, expect }) => {
    return [`**${id}**`, what, list(expect.cluster), list(expect.local), expect.hasAny ? 'no' : 'yes'];
  });
  sections.push(`${TOPOLOGY}\n\n${table(['id', 'case', 'cluster', 'local', 'rejected'], cells)}`);
  return `${INTRODUCTION}\n${sections.join('\n')}`;
}

/**
 * Aligned, as the formatter wants it.
 *
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
function table(head, rows) {
  const widths = head.map((_cell, column) => Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const rule = widths.map((width) => '-'.repeat(width));
  return [head, rule, ...rows]
    .map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`)
    .join('');
}

/**
 * @template Row
 * @param {readonly Row[]} rows
 * @param {(row: Row) => string} keyOf
 */
function groupBy(rows, keyOf) {
  /** @type {Map<string, Row[]>} */
  const groups = new Map();
  for (const row of rows) {
    const key = keyOf(row);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return groups;
}

/** @param {PolicyRow} row */
function groupOf({ to, policy, detector, masqueradeAll }) {
  const destination = to.includes('clusterIP') ? 'Cluster IP' : 'NodePort, load balancer IP, external IP';
  const options = [detector ? undefined : 'no detector', masqueradeAll ? 'masqueradeAll' : undefined].filter(Boolean);
  return [`${destination}, policy ${policy}`, ...options].join(', ');
}

/** @param {readonly string[] | null} names */
function list(names) {
  return names === null ? '-' : names.length === 0 ? 'none' : names.join(', ');
}

/**
 * @param {string} root directory of the repository
 * @returns {string} the page for the test data of that repository
 */
export function readTables(root) {
  const read = (/** @type {string} */ name) =>
    JSON.parse(readFileSync(join(root, 'packages/core/test-data', name), 'utf8'));
  return formatTables(read('policy-flows.json'), read('topology.json'));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)));
  writeFileSync(join(root, TABLES), readTables(root));
}
