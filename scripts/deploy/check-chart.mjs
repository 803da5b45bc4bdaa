#!/usr/bin/env node
/**
 * Compares the chart as helm renders it, and the kustomization as kubectl builds it, with what render-chart.mjs makes:
 * `node scripts/deploy/check-chart.mjs [--require-tools]`. A program that is not installed is downloaded (cluster-tools.mjs); where that is
 * not possible, it says so and skips that part, or fails with --require-tools.
 */
import { deepStrictEqual } from 'node:assert';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { clusterTools } from './cluster-tools.mjs';
import { CHART, renderChart } from './render-chart.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const REQUIRED = { apiServer: { host: 'kind-control-plane' }, config: { clusterCIDR: '10.244.0.0/16' } };
const MONITORING = {
  ...REQUIRED,
  metrics: { enabled: true },
  podMonitor: { enabled: true },
  prometheusRule: { enabled: true },
  dashboard: { enabled: true },
};

/** @typedef {Readonly<Record<string, unknown>>} Values */

/** @type {Readonly<Record<string, Values>>} */
export const ACCEPTED = {
  'required values only': REQUIRED,
  monitoring: MONITORING,
  'a certificate of its own, and labels': {
    ...MONITORING,
    metrics: { enabled: true, bindAddress: '::', tlsSecretName: 'metrics-tls' },
    podMonitor: { enabled: true, labels: { release: 'prometheus' }, tokenSecretName: 'token' },
    prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
  },
  'plain metrics for everybody': {
    ...MONITORING,
    metrics: { enabled: true, access: 'everybody', tls: false, port: 9100 },
  },
  'the agent without root': { ...REQUIRED, nonRoot: { enabled: true } },
  'the agent without root, for Docker, with monitoring': {
    ...MONITORING,
    image: { repository: 'registry.example/proxy' },
    nonRoot: { enabled: true, allowPrivilegeEscalation: true },
  },
  'health on a loopback address': {
    ...REQUIRED,
    config: { ...REQUIRED.config, healthzBindAddress: '127.0.0.1:10300' },
  },
  'directories of the node': {
    ...REQUIRED,
    proxierConfig: {
      manifests: ['/etc/kube-proxier/manifests', '/srv/manifests', '/srv/manifests'],
      healthChecks: { scripts: '/etc/kube-proxier/scripts' },
      recording: { directory: '/var/log/kube-proxier' },
    },
  },
  'manifests of a ConfigMap': {
    ...REQUIRED,
    proxierConfig: {
      manifests: ['/etc/manifests/static'],
      healthChecks: { sources: 'none' },
      recording: { age: '1h' },
    },
    extraVolumes: [{ name: 'static', configMap: { name: 'static-services' } }],
    extraVolumeMounts: [{ name: 'static', mountPath: '/etc/manifests/static', readOnly: true }],
  },
  'everything else changed': {
    ...REQUIRED,
    image: { repository: 'registry.example/kube-proxier', tag: '1.2.3', pullPolicy: 'Always' },
    imagePullSecrets: [{ name: 'key' }],
    config: { detectLocalMode: 'NodeCIDR', mode: 'iptables', nodePortAddresses: ['primary'], conntrack: { min: 1 } },
    proxierConfig: { verifyPeriod: '5m', probe: { interval: '5s' } },
    extraArgs: ['-v=2'],
    resources: {},
    tolerations: [],
    maxUnavailable: 0,
    maxSurge: 1,
    podAnnotations: { a: 'b' },
  },
};

/** @type {Readonly<Record<string, Values>>} */
export const REFUSED = {
  'no API server': { ...REQUIRED, apiServer: { host: '' } },
  'the URL of an API server': { ...REQUIRED, apiServer: { host: 'https://api.example' } },
  'no network of the pods': { ...REQUIRED, config: {} },
  'no network of the pods in mode ClusterCIDR': { ...REQUIRED, config: { detectLocalMode: 'ClusterCIDR' } },
  'a PodMonitor without metrics': { ...REQUIRED, podMonitor: { enabled: true } },
  'tokens in clear text': { ...REQUIRED, metrics: { enabled: true, tls: false } },
  'the port of the status server for metrics': { ...REQUIRED, metrics: { enabled: true, port: 10249 } },
  'the port of the health checks for metrics': { ...REQUIRED, metrics: { enabled: true, port: 10256 } },
  'mode iptables without root': {
    ...REQUIRED,
    config: { ...REQUIRED.config, mode: 'iptables' },
    nonRoot: { enabled: true },
  },
  'mode ipvs without root': { ...REQUIRED, config: { ...REQUIRED.config, mode: 'ipvs' }, nonRoot: { enabled: true } },
  'neither surge nor unavailable pods': { ...REQUIRED, maxUnavailable: 0 },
  'both surge and unavailable pods': { ...REQUIRED, maxSurge: 1 },
  'manifests in the working directory': { ...REQUIRED, proxierConfig: { manifests: ['manifests'] } },
  'one file of manifests': { ...REQUIRED, proxierConfig: { manifests: ['/etc/manifests/web.yaml'] } },
  'scripts in the working directory': { ...REQUIRED, proxierConfig: { healthChecks: { scripts: 'scripts' } } },
  'a recording in the directory of the configuration': {
    ...REQUIRED,
    proxierConfig: { recording: { directory: '/var/lib/kube-proxier/recording' } },
  },
};

/** What only the schema can refuse: names that no template reads. */
/** @type {Readonly<Record<string, Values>>} */
export const MISSPELT = {
  'a misspelt value': { ...REQUIRED, tolerationss: [] },
  'a misspelt value of the image': { ...REQUIRED, image: { repo: 'a' } },
  'a misspelt value of metrics': { ...REQUIRED, metrics: { enable: true } },
  'a misspelt field of config': { ...REQUIRED, config: { ...REQUIRED.config, nodePortAdresses: ['primary'] } },
  'a misspelt field of proxierConfig': { ...REQUIRED, proxierConfig: { verifyPeroid: '5m' } },
  'a field of another section': { ...REQUIRED, config: { ...REQUIRED.config, conntrack: { strictARP: true } } },
  'a misspelt mode': { ...REQUIRED, config: { ...REQUIRED.config, mode: 'nftable' } },
  'a misspelt fallback': { ...REQUIRED, proxierConfig: { modeFallback: 'iptable' } },
  'a misspelt way to detect pods': { ...REQUIRED, config: { ...REQUIRED.config, detectLocalMode: 'NodeCidr' } },
  'a value of another type': { ...REQUIRED, proxierConfig: { takeover: 'yes' } },
  'a misspelt value of nonRoot': { ...REQUIRED, nonRoot: { enable: true } },
  'the kind of the configuration': { ...REQUIRED, config: { ...REQUIRED.config, kind: 'Other' } },
};

/**
 * @param {readonly string[]} texts of manifests
 * @returns {readonly unknown[]} objects in one order, with the documents of the configuration parsed
 */
function objectsOf(texts) {
  return texts
    .flatMap((text) => parseAllDocuments(text))
    .flatMap((document) => document.toJS() ?? [])
    .map(({ data, ...rest }) => {
      const configuration = data?.['config.conf'];
      const parsed = configuration && {
        'config.conf': parseAllDocuments(configuration).map((document) => document.toJS()),
      };
      return data === undefined ? rest : { ...rest, data: { ...data, ...parsed } };
    })
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** @param {{readonly kind: string, readonly metadata: {readonly name: string}}} object */
function keyOf({ kind, metadata }) {
  return `${kind} ${metadata.name}`;
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
function run(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', cwd: ROOT });
  return { missing: error !== undefined && 'code' in error && error.code === 'ENOENT', status, stdout, stderr };
}

/**
 * @param {string} program
 * @param {string} directory for files
 */
function checkHelm(program, directory) {
  const lint = (/** @type {Values} */ values) => helm(['lint', '--strict', CHART], values);
  const template = (/** @type {Values} */ values, /** @type {readonly string[]} */ more = []) =>
    helm(['template', 'kube-proxier', CHART, '--namespace', 'kube-system', ...more], values);
  const helm = (/** @type {readonly string[]} */ args, /** @type {Values} */ values) => {
    const file = join(directory, 'values.json');
    writeFileSync(file, JSON.stringify(values));
    return run(program, [...args, '--values', file]);
  };
  for (const [name, values] of Object.entries(ACCEPTED)) {
    for (const { status, stdout, stderr } of [lint(values), template(values)]) {
      if (status !== 0) {
        throw new Error(`helm refuses ${name}: ${stderr}${stdout}`);
      }
    }
    deepStrictEqual(objectsOf([template(values).stdout]), objectsOf([...renderChart(values).values()]), name);
  }
  for (const [name, values] of Object.entries({ ...REFUSED, ...MISSPELT })) {
    if (template(values).status === 0) {
      throw new Error(`helm takes ${name}`);
    }
  }
  const skipsSchema = run(program, ['template', '--help']).stdout.includes('--skip-schema-validation');
  for (const [name, values] of Object.entries(skipsSchema ? REFUSED : {})) {
    if (template(values, ['--skip-schema-validation']).status === 0) {
      throw new Error(`helm takes ${name} without the schema`);
    }
  }
}

/**
 * @param {string} program
 * @param {string} directory for files, inside of the repository
 */
function checkKustomize(program, directory) {
  const base = run(program, ['kustomize', 'deploy/kustomize']);
  deepStrictEqual(objectsOf([base.stdout]), objectsOf([...renderChart(REQUIRED).values()]), base.stderr);
  mkdirSync(directory);
  const path = (/** @type {string} */ to) => relative(directory, join(ROOT, to));
  const nonRoot = { nonRoot: { enabled: true } };
  /** @type {readonly [components: readonly string[], values: Values][]} */
  const options = [
    [['monitoring'], MONITORING],
    [['non-root'], { ...REQUIRED, ...nonRoot }],
    [['monitoring', 'non-root'], { ...MONITORING, ...nonRoot }],
  ];
  for (const [components, values] of options) {
    const kustomization = {
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: [path('deploy/kustomize')],
      components: components.map((name) => path(`deploy/kustomize/${name}`)),
    };
    writeFileSync(join(directory, 'kustomization.yaml'), JSON.stringify(kustomization));
    const all = run(program, ['kustomize', directory]);
    deepStrictEqual(objectsOf([all.stdout]), objectsOf([...renderChart(values).values()]), all.stderr);
  }
}

/** Neither asks the cluster of a kubeconfig. */
const VERSION = { helm: ['version', '--short'], kubectl: ['version', '--client'] };

/**
 * @param {'helm' | 'kubectl'} name
 * @param {boolean} isRequired
 * @param {(program: string) => void} check
 */
function checkWith(name, isRequired, check) {
  const program = find(name);
  if (program === undefined) {
    process.stdout.write(`skipped: no ${name}\n`);
    process.exitCode = isRequired ? 1 : process.exitCode;
    return;
  }
  check(program);
  const { stdout } = run(program, VERSION[name]);
  process.stdout.write(`ok: ${name} ${/v\d[\w.]*/.exec(stdout)?.[0] ?? ''}\n`);
}

/** @param {'helm' | 'kubectl'} name */
function find(name) {
  if (!run(name, VERSION[name]).missing) {
    return name;
  }
  try {
    return clusterTools()?.[name];
  } catch (error) {
    process.stdout.write(`${name} cannot be downloaded: ${error instanceof Error ? error.message : error}\n`);
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { 'require-tools': { type: 'boolean', default: false } } });
  const directory = mkdtempSync(join(tmpdir(), 'kube-proxier-chart-'));
  const inside = join(ROOT, `.check-chart-${process.pid}`);
  try {
    checkWith('helm', values['require-tools'], (program) => checkHelm(program, directory));
    checkWith('kubectl', values['require-tools'], (program) => checkKustomize(program, inside));
  } finally {
    rmSync(directory, { recursive: true });
    rmSync(inside, { recursive: true, force: true });
  }
}
