#!/usr/bin/env node
/**
 * Writes what is generated in deploy/, from one source each: `node scripts/deploy/generate.mjs`.
 *
 * - the chart's alerts and dashboard, from docs/dashboards;
 * - the fields that its schema takes in `config` and `proxierConfig`, from those that the agent reads;
 * - the table of values in its README, from the comments of values.yaml;
 * - deploy/kustomize/monitoring and deploy/kustomize/non-root, from the chart.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMap, isScalar, parse, parseDocument } from 'yaml';
import { FIELDS, OWN_FIELDS } from '../../packages/agent/dist/configuration/kube-proxy-configuration.js';
import { CHART, renderChart } from './render-chart.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MONITORING = join(ROOT, 'deploy/kustomize/monitoring');
const NON_ROOT = join(ROOT, 'deploy/kustomize/non-root');
/** What deploy/kustomize is set up for, as values of the chart. */
const BASE_VALUES = { apiServer: { host: 'kind-control-plane' }, config: { clusterCIDR: '10.244.0.0/16' } };
/** What deploy/kustomize/monitoring adds to deploy/kustomize, as values of the chart. */
const MONITORING_VALUES = {
  ...BASE_VALUES,
  metrics: { enabled: true },
  podMonitor: { enabled: true },
  prometheusRule: { enabled: true },
  dashboard: { enabled: true },
};
/** Files of the chart and of docs/dashboards with one content. */
const SHARED = ['alerts.yaml', 'kube-proxier.json'];

/** @typedef {Readonly<Record<string, {readonly type: string}>>} Fields by path */

const DURATION = { type: ['string', 'integer'] };
const TEXTS = { type: 'array', items: { type: 'string' } };

/** @type {Readonly<Record<string, object>>} */
const TYPES = {
  text: { type: 'string' },
  bool: { type: 'boolean' },
  int: { type: 'integer' },
  float: { type: 'number' },
  duration: DURATION,
  period: DURATION,
  size: DURATION,
  list: TEXTS,
  texts: TEXTS,
  switches: { type: 'object', additionalProperties: { type: 'boolean' } },
  levels: { type: 'array', items: { type: 'object' } },
};

/**
 * @param {Fields} fields
 * @returns {object} a schema of an object with these fields, and no others. The chart sets apiVersion and kind.
 */
function schemaOf(fields) {
  /** @type {Record<string, Fields>} */
  const sections = {};
  /** @type {Record<string, unknown>} */
  const properties = {};
  for (const [path, field] of Object.entries(fields)) {
    const [name = '', ...rest] = path.split('.');
    if (rest.length > 0) {
      sections[name] = { ...sections[name], [rest.join('.')]: field };
      properties[name] = schemaOf(sections[name]);
    } else {
      properties[name] = name === 'apiVersion' || name === 'kind' ? false : TYPES[field.type];
    }
  }
  return { type: 'object', additionalProperties: false, properties };
}

function valuesSchema() {
  const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8'));
  const { if: condition, then } = schema.properties.config;
  Object.assign(schema.properties, {
    config: { ...schemaOf(FIELDS), if: condition, then },
    proxierConfig: schemaOf(OWN_FIELDS),
  });
  return schema;
}

/** @typedef {{readonly path: string, readonly value: unknown, readonly comment: string}} Value */

/**
 * @param {import('yaml').YAMLMap} map
 * @param {string} prefix
 * @returns {readonly Value[]} every value with a comment; one without is an error
 */
function documentedValues(map, prefix = '') {
  return map.items.flatMap((pair, index) => {
    if (!isScalar(pair.key)) {
      throw new Error('values.yaml: a key is no text');
    }
    const { key, value } = pair;
    const path = `${prefix}${key.value}`;
    // What is before the first key of a map belongs to the map.
    const above = `${index === 0 && prefix !== '' ? (map.commentBefore ?? '') : ''}${key.commentBefore ?? ''}`;
    const comment = above.replace(/\s*\n ?/g, ' ').trim();
    const inner = isMap(value) && value.items.length > 0 && hasComments(value) ? value : undefined;
    if (comment === '' && !inner) {
      throw new Error(`values.yaml: ${path} has no comment`);
    }
    return [
      ...(comment === '' ? [] : [{ path, value: inner ? undefined : plain(value), comment }]),
      ...(inner ? documentedValues(inner, `${path}.`) : []),
    ];
  });
}

/** @param {unknown} node */
function plain(node) {
  return /** @type {{toJSON: () => unknown}} */ (node).toJSON();
}

/** @param {import('yaml').YAMLMap} map */
function hasComments(map) {
  return (
    map.commentBefore !== undefined || map.items.some(({ key }) => isScalar(key) && key.commentBefore !== undefined)
  );
}

/** @returns {string} a table in Markdown */
export function valuesTable() {
  const { contents } = parseDocument(readFileSync(join(CHART, 'values.yaml'), 'utf8'));
  if (!isMap(contents)) {
    throw new Error('values.yaml is no map');
  }
  const rows = documentedValues(contents).map(({ path, value, comment }) => [
    `\`${path}\``,
    value === undefined ? '' : `\`${JSON.stringify(value)}\``,
    comment.replaceAll('|', '\\|'),
  ]);
  const header = ['value', 'default', 'description'];
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (/** @type {readonly string[]} */ cells) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

function chartReadme() {
  const text = readFileSync(join(CHART, 'README.md'), 'utf8');
  const next = text.replace(/^\| value .*\n(?:\|.*\n)+/m, () => `${valuesTable()}\n`);
  if (!next.includes('\n| value')) {
    throw new Error('the README of the chart has no table of values');
  }
  return next;
}

/** @returns {ReadonlyMap<string, string>} what the monitoring options of the chart add, by file name */
function monitoringManifests() {
  const { metrics, podMonitor, prometheusRule, dashboard, ...plainValues } = MONITORING_VALUES;
  const without = renderChart(plainValues);
  const all = renderChart({ ...plainValues, metrics, podMonitor, prometheusRule, dashboard });
  const added = [...all].filter(([file]) => !without.has(file));
  const manifests = new Map(
    added.map(([file, text]) => [
      file,
      `${text
        .trimStart()
        .replace(/[ \t]+$/gm, '')
        .trimEnd()}\n`,
    ]),
  );
  const kustomization = [
    '# An option of deploy/kustomize: components: [monitoring]. It needs the custom resources of the Prometheus operator.',
    '# Written by scripts/deploy/generate.mjs from the chart.',
    'apiVersion: kustomize.config.k8s.io/v1alpha1',
    'kind: Component',
    'resources:',
    ...[...manifests.keys()].map((file) => `  - ${file}`),
    'patches:',
    '  - target: { group: apps, version: v1, kind: DaemonSet, name: kube-proxier }',
    '    patch: |-',
    ...argumentsAdded(without, all).map(
      (argument) => `      - { op: add, path: /spec/template/spec/containers/0/args/-, value: "${argument}" }`,
    ),
  ];
  return new Map([...manifests, ['kustomization.yaml', `${kustomization.join('\n')}\n`]]);
}

/**
 * @param {ReadonlyMap<string, string>} without
 * @param {ReadonlyMap<string, string>} all
 */
function argumentsAdded(without, all) {
  const lines = (/** @type {ReadonlyMap<string, string>} */ files) => (files.get('daemon-set.yaml') ?? '').split('\n');
  const known = new Set(lines(without));
  const added = lines(all).filter((text) => !known.has(text));
  return added.map((text) => {
    const [, argument = ''] = /^ +- (--metrics-.*)$/.exec(text) ?? [];
    if (argument === '') {
      throw new Error(`the kustomization cannot add to the DaemonSet: ${text}`);
    }
    return argument;
  });
}

/**
 * What `nonRoot.enabled` of the chart changes in the DaemonSet.
 *
 * @returns {string} a kustomization
 */
function nonRootKustomization() {
  const podOf = (/** @type {object} */ values) =>
    parse(renderChart({ ...BASE_VALUES, ...values }).get('daemon-set.yaml') ?? '').spec.template.spec;
  const operations = replacements(podOf({}), podOf({ nonRoot: { enabled: true } }), '/spec/template/spec');
  return `${[
    '# An option of deploy/kustomize: components: [non-root]. The agent runs without root, in mode nftables, by the image that',
    '# "npm run image -- --flavour kube-proxier-nftables" builds. Written by scripts/deploy/generate.mjs from the chart.',
    'apiVersion: kustomize.config.k8s.io/v1alpha1',
    'kind: Component',
    'patches:',
    '  - target: { group: apps, version: v1, kind: DaemonSet, name: kube-proxier }',
    '    patch: |-',
    ...operations.map((operation) => `      - ${JSON.stringify(operation)}`),
  ].join('\n')}\n`;
}

/** Fields that are replaced as a whole. */
const WHOLE = ['securityContext', 'volumeMounts', 'volumes'];

/**
 * @param {unknown} before
 * @param {unknown} after
 * @param {string} path
 * @returns {readonly object[]} operations of a JSON patch that replace what differs
 */
function replacements(before, after, path) {
  if (JSON.stringify(before) === JSON.stringify(after)) {
    return [];
  }
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (!isObject(before) || !isObject(after) || WHOLE.includes(name)) {
    return [{ op: 'replace', path, value: after }];
  }
  if (Object.keys(before).join() !== Object.keys(after).join()) {
    throw new Error(`the kustomization cannot add to or remove from ${path}`);
  }
  return Object.keys(before).flatMap((key) => replacements(before[key], after[key], `${path}/${key}`));
}

/**
 * @param {unknown} value
 * @returns {value is Readonly<Record<string, unknown>>} also for a list
 */
function isObject(value) {
  return typeof value === 'object' && value !== null;
}

/** @returns {ReadonlyMap<string, string>} the content of each generated file, by its path in the repository */
export function generatedFiles() {
  /** @type {[path: string, text: string][]} */
  const files = [
    [join(CHART, 'values.schema.json'), `${JSON.stringify(valuesSchema(), null, 2)}\n`],
    [join(CHART, 'README.md'), chartReadme()],
  ];
  for (const name of SHARED) {
    files.push([join(CHART, 'files', name), readFileSync(join(ROOT, 'docs/dashboards', name), 'utf8')]);
  }
  for (const [name, text] of monitoringManifests()) {
    files.push([join(MONITORING, name), text]);
  }
  files.push([join(NON_ROOT, 'kustomization.yaml'), nonRootKustomization()]);
  return new Map(files.map(([path, text]) => [relative(ROOT, path), text]));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of generatedFiles()) {
    writeFileSync(join(ROOT, path), text);
  }
}
