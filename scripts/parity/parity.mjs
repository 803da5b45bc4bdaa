#!/usr/bin/env node
/**
 * Writes docs/parity.md: what kube-proxy has (kube-proxy.json beside this file), and what this code does with it. With
 * `--check`, the page is only compared.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compose } from '../../packages/agent/dist/compose.js';
import { FIELDS, OWN_FIELDS } from '../../packages/agent/dist/configuration/kube-proxy-configuration.js';
import { parseCommandLine } from '../../packages/agent/dist/flags/command-line.js';
import { FEATURE_GATES } from '../../packages/agent/dist/flags/feature-gates.js';
import { FLAGS } from '../../packages/agent/dist/flags/flag.js';
import { CommandLineError, readSettings } from '../../packages/agent/dist/flags/settings.js';
import { ProxyMetrics } from '../../packages/server/dist/index.js';

/**
 * @typedef {object} Entry what kube-proxy has
 * @property {string} [since] the first version that has it
 * @property {string} [until] the last version that has it
 * @property {string} [note] what is different here
 * @property {string} [absent] why it is not here
 * @property {Readonly<Record<string, string>>} [stages] of a feature gate, by version
 *
 * @typedef {Readonly<Record<string, Entry>>} Entries
 *
 * @typedef {object} Surface
 * @property {readonly string[]} versions
 * @property {Entries} flags
 * @property {Entries} fields
 * @property {Entries} gates
 * @property {Entries} metrics
 * @property {readonly {argument: string, problem: string, why: string}[]} refused
 *
 * @typedef {object} Known what the code does with one name
 * @property {string} [without] why it has no effect; absent if it has one
 * @property {boolean} [locked] a gate that can only be true
 *
 * @typedef {object} Knowledge what the code knows, by name
 * @property {ReadonlyMap<string, Known>} flags
 * @property {ReadonlyMap<string, Known>} fields
 * @property {ReadonlySet<string>} ownFields
 * @property {ReadonlyMap<string, Known>} gates
 * @property {ReadonlySet<string>} metrics
 * @property {(argument: string) => readonly string[]} problemsOf problems of a command line
 *
 * @typedef {'flags' | 'fields' | 'gates' | 'metrics'} Part
 */

export const PAGE = fileURLToPath(new URL('../../docs/parity.md', import.meta.url));
const SURFACE = new URL('kube-proxy.json', import.meta.url);

/** @returns {Surface} */
export const readSurface = () => JSON.parse(readFileSync(SURFACE, 'utf8'));

/**
 * What the code knows.
 *
 * @returns {Promise<Knowledge>}
 */
export async function readKnowledge() {
  const composition = compose();
  const modes = composition.backends.map(({ mode }) => mode);
  /** @param {string} argument */
  const settingsOf = (argument) =>
    readSettings(parseCommandLine(['--manifests=m', ...argument.split(' ')]), modes, undefined, {});
  /** @type {readonly import('../../packages/agent/dist/flags/flag-definition.js').Flag[]} */
  const all = FLAGS;
  const flags = new Map(all.map(({ name, unused }) => [name, unused === undefined ? {} : { without: unused }]));
  const fields = new Map(
    Object.entries(FIELDS).map(([name, { flag, without }]) => [
      name,
      without === undefined ? (flag === undefined ? {} : (flags.get(flag) ?? {})) : { without },
    ]),
  );
  const gates = new Map(
    FEATURE_GATES.map(({ name, without, locked }) => [
      name,
      { ...(without === undefined ? {} : { without }), ...(locked === undefined ? {} : { locked }) },
    ]),
  );
  const settings = settingsOf('--proxy-mode=nftables --feature-gates=KubeProxyNFTablesLocalhostNodePorts=true');
  const backends = composition.configure?.(settings) ?? composition.backends;
  const measured = backends.flatMap(({ metrics = [], syncMetrics = {} }) => [
    ...metrics.flatMap((measurement) => measurement.metrics),
    ...Object.values(syncMetrics),
  ]);
  const registered = await new ProxyMetrics().registry.getMetricsAsJSON();
  return {
    flags,
    fields,
    ownFields: new Set(Object.keys(OWN_FIELDS)),
    gates,
    metrics: new Set([...registered, ...measured].map(({ name }) => name)),
    problemsOf: (argument) => {
      try {
        settingsOf(argument);
      } catch (error) {
        if (error instanceof CommandLineError) {
          return error.problems;
        }
        throw error;
      }
      return [];
    },
  };
}

/** Names of Prometheus clients for other languages, of which the list has the group only. */
const OF_THE_RUNTIME = /^nodejs_|^process_(cpu_user|cpu_system|heap)/;
const OF_THE_FILE = new Set(['apiVersion', 'kind']);

/**
 * What is wrong with the list: nothing of kube-proxy may be unknown to the code without a reason, and nothing that the code
 * shares with kube-proxy may be missing.
 *
 * @param {Surface} surface
 * @param {Knowledge} knowledge
 * @returns {readonly string[]}
 */
export function problemsOf(surface, knowledge) {
  /** @type {string[]} */
  const problems = [];
  for (const part of /** @type {const} */ (['flags', 'fields', 'gates', 'metrics'])) {
    for (const [name, { absent }] of Object.entries(surface[part])) {
      const isKnown = knowledge[part].has(name);
      if (!isKnown && absent === undefined) {
        problems.push(`${part}: the code does not know ${name}, and the list gives no reason`);
      } else if (isKnown && absent !== undefined) {
        problems.push(`${part}: the list says that ${name} is not here, but the code knows it`);
      }
    }
  }
  for (const name of knowledge.fields.keys()) {
    if (!(name in surface.fields)) {
      problems.push(`fields: ${name} is a field of KubeProxyConfiguration in the code, and not in the list`);
    }
  }
  for (const name of knowledge.gates.keys()) {
    if (!(name in surface.gates)) {
      problems.push(`gates: the code knows ${name}, and the list does not`);
    }
  }
  for (const name of knowledge.metrics) {
    if (name.startsWith('kubeproxy_') && !(name in surface.metrics)) {
      problems.push(`metrics: ${name} has a name of kube-proxy, and is not in the list`);
    }
  }
  for (const { argument, problem } of surface.refused) {
    const found = knowledge.problemsOf(argument);
    if (found.length !== 1 || found[0] !== problem) {
      problems.push(`refused: ${argument} has the problems ${JSON.stringify(found)}, not ${JSON.stringify(problem)}`);
    }
  }
  return problems;
}

/**
 * @param {Surface} surface
 * @param {Entry} entry
 */
function versionsOf({ versions }, { since, until, stages }) {
  const inForce = versions.filter((version) => (!since || version >= since) && (!until || version <= until));
  return versions.map((version) => (stages ? (stages[version] ?? '-') : inForce.includes(version) ? 'yes' : '-'));
}

/**
 * @param {Entry} entry
 * @param {Known | undefined} known
 */
function verdictOf({ absent, note }, known) {
  if (known === undefined) {
    return `not here: ${absent}`;
  }
  const details = note === undefined ? '' : `: ${note}`;
  return known.without === undefined
    ? known.locked
      ? `same${details}; \`false\` is refused`
      : `same${details}`
    : `accepted without effect: ${known.without}`;
}

/** @param {readonly (readonly string[])[]} rows the first is the heading */
function table(rows) {
  const escaped = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = (escaped[0] ?? []).map((_cell, column) =>
    Math.max(...escaped.map((row) => (row[column] ?? '').length)),
  );
  const line = (/** @type {readonly string[]} */ cells) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [heading = [], ...rest] = escaped;
  return [line(heading), line(widths.map((width) => '-'.repeat(width))), ...rest.map(line)].join('\n');
}

/**
 * @param {Surface} surface
 * @param {Knowledge} knowledge
 */
export function formatPage(surface, knowledge) {
  const sorted = (/** @type {Iterable<string>} */ names) => [...names].sort((one, other) => (one < other ? -1 : 1));
  /**
   * @param {Part} part
   * @param {string} title
   * @param {string} prefix
   */
  const shared = (part, title, prefix) => {
    const known = knowledge[part];
    return table([
      [title, ...surface.versions, 'kube-proxier'],
      ...sorted(Object.keys(surface[part])).map((name) => {
        const entry = surface[part][name] ?? {};
        const here = known instanceof Map ? known.get(name) : known.has(name) ? {} : undefined;
        const dashes = prefix === '' ? '' : name.length === 1 ? '-' : prefix;
        return [`\`${dashes}${name}\``, ...versionsOf(surface, entry), verdictOf(entry, here)];
      }),
    ]);
  };
  /** @param {Iterable<string>} names */
  const list = (names) =>
    sorted(names)
      .map((name) => `\`${name}\``)
      .join(', ');
  const ownFlags = [...knowledge.flags.keys()].filter((name) => !(name in surface.flags));
  const ownMetrics = [...knowledge.metrics].filter((name) => name.startsWith('kube_proxier_'));
  const ofRuntime = [...knowledge.metrics].filter((name) => OF_THE_RUNTIME.test(name));
  return `# Parity with kube-proxy

<!-- Written by \`node scripts/parity/parity.mjs\`; not by hand. -->

Every flag, field of KubeProxyConfiguration, feature gate and metric of kube-proxy ${surface.versions.join(' and ')}, and what kube-proxier does
with it. The tables are compared with the code by a test. How packets are handled is in [migrating](migrating.md#what-is-different) and in the pages of
each mode.

- **same**: it has the same meaning; what differs is named.
- **accepted without effect**: it may be set, and a value other than the default causes a warning.
- **refused**: an error, and the agent does not start.
- **not here**: a metric that is not exported.
- **own**: kube-proxy does not have it.

What changed from 1.36 to 1.37: \`nodePortAddresses\` has keywords that can be mixed with networks (KEP-6032); the gates
\`KubeProxyNFTablesLocalhostNodePorts\`, \`KubeProxyIPVS\` and \`NFTablesNetlink\` are new, and \`NativeHistograms\` is on by default; there are three
metrics of NodePorts on loopback addresses, and three of Windows. No flag or field was added or removed. kube-proxy 1.37 warns when
no mode is configured, as its default will become nftables, and since 1.35 when the mode is ipvs; kube-proxier warns in both cases. It keeps
mode ipvs, and records the event \`IPVSDeprecation\` as kube-proxy does.

The list was made from the sources of kube-proxy 1.36.2, KEP-6032, KEP-5495, the modules \`k8s.io/kube-proxy\` and \`k8s.io/component-base\`
at 1.37.0-beta.0 and later, and the release notes of 1.37.0-rc.0. Of kube-proxy 1.37 itself, \`cmd/kube-proxy\` was read as of July 2026, the
code freeze. Its exact error for an invalid entry of \`nodePortAddresses\`, and its exact warnings for a mode that is not configured and for
the gate \`KubeProxyIPVS\`, could not be read; the texts here are kube-proxier's own.

## Flags

${shared('flags', 'flag', '--')}

Own flags: ${list(ownFlags.map((name) => `--${name}`))}. \`kube-proxier help\` explains them.

## Fields of KubeProxyConfiguration

${shared('fields', 'field', '')}

Unknown fields are ignored with a warning, as in kube-proxy. Own fields, in a second document of kind KubeProxierConfiguration, where an
unknown field is an error: ${list([...knowledge.ownFields].filter((name) => !OF_THE_FILE.has(name)))}.

## Feature gates

Those on which kube-proxy's own code depends, with their stage and default. kube-proxy accepts every gate of Kubernetes; here, each other gate
is accepted without effect, with a warning. Deprecated gates cause a warning when they are set.

${shared('gates', 'gate', '')}

## Metrics

Metrics of a mode are exported while it is in force. All metrics are at \`/metrics\` of \`--metrics-bind-address\`.

${shared('metrics', 'metric', '')}

Own metrics: ${list(ownMetrics)}. Of the Node.js process: ${list(ofRuntime)}.

## Refused values

${table([
  ['flags', 'error', 'why'],
  ...surface.refused.map(({ argument, problem, why }) => [`\`${argument}\``, `\`${problem}\``, why]),
])}
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const surface = readSurface();
  const knowledge = await readKnowledge();
  const problems = problemsOf(surface, knowledge);
  for (const problem of problems) {
    console.error(problem);
  }
  const page = formatPage(surface, knowledge);
  const isCheck = process.argv.includes('--check');
  if (isCheck && readFileSync(PAGE, 'utf8') !== page) {
    console.error('docs/parity.md is outdated; run node scripts/parity/parity.mjs');
    process.exitCode = 1;
  } else if (!isCheck) {
    writeFileSync(PAGE, page);
  }
  process.exitCode = problems.length > 0 ? 1 : (process.exitCode ?? 0);
}
