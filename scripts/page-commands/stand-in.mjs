/**
 * Stands in for `kubectl`, `helm`, `kind` and `npm` while commands of pages are tested; its
 * first argument says for which. It has the objects of a cluster of kubeadm with one node, and does what a page does with them; whatever it
 * does not know, a flag that is misspelt included, ends it with status 64. The node is the network namespace that it runs in:
 * there it starts and ends the real agent, as the kubelet would.
 *
 * `STAND_IN` is its directory: `state.json`, `bin` (in PATH), and what the agent writes to its log. Every call is a line in
 * `calls.jsonl`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parse, stringify } from 'yaml';
import { KUBEADM_CONFIG, kubeadmKubeconfig } from '../../packages/agent/dist/testing/kubeadm-files.js';
import { CHART, chartValues, renderChart, valuesProblems } from '../deploy/render-chart.mjs';
import { messageOf } from '../prepare.mjs';

/**
 * @typedef {object} ClusterObject
 * @property {string} [apiVersion]
 * @property {string} kind
 * @property {{name: string, namespace?: string, labels?: Record<string, string>}} metadata
 * @property {DaemonSetSpec} [spec]
 * @property {Record<string, string>} [data]
 *
 * @typedef {object} DaemonSetSpec
 * @property {unknown} [selector]
 * @property {{metadata: {labels: Record<string, string>}, spec: PodSpec}} template
 *
 * @typedef {object} PodSpec
 * @property {readonly Container[]} containers
 * @property {Record<string, string>} [nodeSelector]
 * @property {{nodeAffinity?: {requiredDuringSchedulingIgnoredDuringExecution?: {nodeSelectorTerms: readonly NodeSelectorTerm[]}}}} [affinity]
 *
 * @typedef {object} Container
 * @property {string} image
 * @property {readonly string[]} [args]
 * @property {readonly {name: string, mountPath: string}[]} [volumeMounts]
 *
 * @typedef {object} NodeSelectorTerm
 * @property {readonly {key: string, operator: string, values: readonly (string | undefined)[]}[]} matchExpressions
 *
 * @typedef {object} State of the cluster
 * @property {Record<string, ClusterObject>} objects by `kind/name`
 * @property {Record<string, ClusterObject | undefined>} before what was replaced last
 * @property {Record<string, string>} labels of the node
 * @property {string[]} images that were loaded
 * @property {string} [built] archive of the image that was built
 * @property {Record<string, readonly string[]>} releases of helm: keys of their objects
 * @property {number | undefined} agent its process id
 *
 * @typedef {readonly string[]} Words
 * @typedef {import('node:util').ParseArgsConfig['options']} Options
 * @typedef {(state: State, args: Words) => Promise<number | null | void>} Command
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HOME = process.env.STAND_IN ?? '';
const STATE = join(HOME, 'state.json');
const AGENT = join(ROOT, 'packages/agent/bin/kube-proxier.js');
const NODE = 'worker-1';
/** What `npm run image` writes, and the image in it. */
const ARCHIVE = 'image/kube-proxier-0.1.0.oci.tar';
const IMAGE = 'kube-proxier:0.1.0';
/** What the agent serves, as there is no API server. */
const MANIFESTS = join(ROOT, 'examples/traffic-policies');

class Refused extends Error {}

/**
 * @param {string} what
 * @returns {never}
 */
function refuse(what) {
  throw new Refused(what);
}

/** As kubeadm 1.36 installs it, as far as a page changes it. */
const KUBEADM_DAEMON_SET = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'kube-proxy', namespace: 'kube-system', labels: { 'k8s-app': 'kube-proxy' } },
  spec: {
    selector: { matchLabels: { 'k8s-app': 'kube-proxy' } },
    template: {
      metadata: { labels: { 'k8s-app': 'kube-proxy' } },
      spec: {
        containers: [
          {
            name: 'kube-proxy',
            image: 'registry.k8s.io/kube-proxy:v1.36.0',
            command: [
              '/usr/local/bin/kube-proxy',
              '--config=/var/lib/kube-proxy/config.conf',
              '--hostname-override=$(NODE_NAME)',
            ],
            env: [{ name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
            securityContext: { privileged: true },
          },
        ],
        nodeSelector: { 'kubernetes.io/os': 'linux' },
      },
    },
  },
};

/** @returns {State} */
function newState() {
  const configMap = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kube-proxy', namespace: 'kube-system' },
    data: { 'config.conf': KUBEADM_CONFIG, 'kubeconfig.conf': kubeadmKubeconfig('https://api.example:6443') },
  };
  /** @type {Record<string, ClusterObject>} */
  const objects = {};
  for (const object of [KUBEADM_DAEMON_SET, configMap]) {
    objects[keyOf(object)] = object;
  }
  return { objects, before: {}, labels: { 'kubernetes.io/os': 'linux' }, images: [], releases: {}, agent: undefined };
}

/** @param {ClusterObject} object */
function keyOf({ kind, metadata }) {
  return `${kind.toLowerCase()}/${metadata.name}`;
}

/**
 * @param {State} state
 * @param {ClusterObject} object
 */
async function put(state, object) {
  // It loads the models of the whole API, which most calls need not.
  const { checkManifest } = await import('../deploy/check-manifest.mjs');
  const problems = checkManifest(object);
  if (problems.length > 0) {
    refuse(`${keyOf(object)}: ${problems.join('; ')}`);
  }
  state.before[keyOf(object)] = state.objects[keyOf(object)];
  state.objects[keyOf(object)] = object;
}

/**
 * @param {State} state
 * @param {Words} words
 */
function take(state, ...words) {
  const key = words.join('/');
  return state.objects[key] ?? refuse(`there is no ${key}; there are ${Object.keys(state.objects).join(', ')}`);
}

/**
 * @template {NonNullable<Options>} Flags
 * @param {Words} args
 * @param {Flags} options
 */
function parseFlags(args, options) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    return refuse(messageOf(error));
  }
}

/**
 * Everything else than these flags and this number of positionals is refused.
 *
 * @template {NonNullable<Options>} Flags
 * @param {Words} args
 * @param {Flags} options
 * @param {number} positionals
 */
function read(args, options, positionals) {
  const parsed = parseFlags(args, options);
  if (parsed.positionals.length !== positionals) {
    refuse(`${parsed.positionals.length} arguments, where ${positionals} belong: ${parsed.positionals.join(' ')}`);
  }
  return { words: parsed.positionals, values: parsed.values };
}

const text = /** @type {const} */ ({ type: 'string' });
const yes = /** @type {const} */ ({ type: 'boolean' });
const IN_KUBE_SYSTEM = { namespace: text };

/**
 * @param {string} name of a flag
 * @param {unknown} value
 * @param {string} expected
 */
function mustBe(name, value, expected) {
  if (value !== expected) {
    refuse(`--${name} is ${value}, and must be ${expected}`);
  }
}

/**
 * RFC 6902, as far as it replaces: what is not there cannot be replaced.
 *
 * @param {ClusterObject} object
 * @param {readonly {op: string, path: string, value: unknown}[]} operations
 */
function jsonPatch(object, operations) {
  const copy = structuredClone(object);
  for (const { op, path, value } of operations) {
    const steps = path.split('/').slice(1);
    const last = steps.pop() ?? '';
    const holder = steps.reduce(fieldOf, /** @type {unknown} */ (copy));
    if (op !== 'replace' || !isMap(holder) || holder[last] === undefined) {
      refuse(`${op} ${path}: there is no such field`);
    }
    holder[last] = value;
  }
  return copy;
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>} lists too have fields, by number
 */
function isMap(value) {
  return typeof value === 'object' && value !== null;
}

/**
 * @param {unknown} holder
 * @param {string} name
 */
function fieldOf(holder, name) {
  return isMap(holder) ? holder[name] : undefined;
}

/**
 * As a merge patch.
 *
 * @param {unknown} object
 * @param {unknown} change
 * @returns {unknown}
 */
function merge(object, change) {
  if (!isMap(object) || !isMap(change) || Array.isArray(object) || Array.isArray(change)) {
    return change;
  }
  /** @type {Record<string, unknown>} */
  const merged = { ...object };
  for (const [name, value] of Object.entries(change)) {
    merged[name] = merge(object[name], value);
  }
  return merged;
}

/** @param {ClusterObject} daemonSet */
function podOf(daemonSet) {
  return daemonSet.spec?.template.spec ?? refuse(`${keyOf(daemonSet)} has no pod`);
}

/** @param {ClusterObject} daemonSet */
function containerOf(daemonSet) {
  const [container] = podOf(daemonSet).containers;
  return container ?? refuse(`${keyOf(daemonSet)} has no container`);
}

/**
 * Whether a pod of a DaemonSet belongs on the node.
 *
 * @param {ClusterObject} daemonSet
 * @param {State['labels']} labels of the node
 */
function isWanted(daemonSet, labels) {
  const { nodeSelector = {}, affinity } = podOf(daemonSet);
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const fits = (/** @type {NodeSelectorTerm['matchExpressions'][number]} */ { key, operator, values }) =>
    operator === 'NotIn'
      ? !values.includes(labels[key])
      : operator === 'In'
        ? values.includes(labels[key])
        : refuse(`operator ${operator} is not known here`);
  return (
    Object.entries(nodeSelector).every(([name, value]) => labels[name] === value) &&
    (terms.length === 0 || terms.some(({ matchExpressions }) => matchExpressions.every(fits)))
  );
}

/**
 * What the kubelet does: the agent runs where its DaemonSet wants it, and kube-proxy does not then.
 *
 * @param {State} state
 */
async function reconcile(state) {
  const daemonSet = state.objects['daemonset/kube-proxier'];
  const wanted = daemonSet !== undefined && isWanted(daemonSet, state.labels);
  const kubeProxy = state.objects['daemonset/kube-proxy'];
  if (wanted && kubeProxy && isWanted(kubeProxy, state.labels)) {
    // Every node of kind has kubeProxyMode none, and no such DaemonSet.
    refuse('kube-proxy and kube-proxier are both wanted on the node: kube-proxier would wait for ever');
  }
  if (wanted && state.agent === undefined) {
    state.agent = startAgent(state, daemonSet);
  } else if (!wanted && state.agent !== undefined) {
    await endAgent(state);
  }
}

/**
 * @param {State} state
 * @param {ClusterObject} daemonSet
 */
function startAgent(state, daemonSet) {
  const { args = [], volumeMounts = [] } = containerOf(daemonSet);
  const mount =
    volumeMounts.find(({ name }) => name === 'config')?.mountPath ?? refuse('the configuration is mounted nowhere');
  const directory = join(HOME, 'pod');
  mkdirSync(directory, { recursive: true });
  const configuration =
    take(state, 'configmap', 'kube-proxier').data?.['config.conf'] ?? refuse('the ConfigMap has no config.conf');
  writeFileSync(join(directory, 'config.conf'), configuration);
  const flags = args.map((argument) => argument.replace(`${mount}/`, `${directory}/`).replace('$(NODE_NAME)', NODE));
  const log = openSync(join(HOME, 'agent.log'), 'a');
  const child = spawn(process.execPath, [AGENT, ...flags, '--manifests', MANIFESTS], {
    detached: true,
    stdio: ['ignore', log, log],
    env: { PATH: process.env.PATH },
  });
  child.unref();
  return child.pid;
}

/** @param {State} state */
async function endAgent(state) {
  const { agent } = state;
  if (agent !== undefined) {
    process.kill(agent, 'SIGTERM');
    await until('the agent ends', async () => !existsSync(`/proc/${agent}`));
  }
  state.agent = undefined;
}

/**
 * @param {string} what
 * @param {() => Promise<boolean>} holds
 */
async function until(what, holds) {
  const deadline = Date.now() + 60_000;
  while (!(await holds())) {
    if (Date.now() > deadline) {
      refuse(`this condition never held: ${what}`);
    }
    await new Promise((done) => setTimeout(done, 50));
  }
}

async function isReady() {
  try {
    return (await fetch('http://127.0.0.1:10256/readyz')).status === 200;
  } catch {
    return false;
  }
}

/** @type {Record<string, Command>} */
const KUBECTL = {
  async apply(state, args) {
    const { values } = read(args, { kustomize: { ...text, short: 'k' } }, 0);
    const directory = resolve(ROOT, values.kustomize ?? refuse('--kustomize is missing'));
    const { resources } = parse(readFileSync(join(directory, 'kustomization.yaml'), 'utf8'));
    for (const file of resources) {
      await put(state, parse(readFileSync(join(directory, file), 'utf8')));
    }
    const { image } = containerOf(take(state, 'daemonset/kube-proxier'));
    if (!state.images.includes(image)) {
      refuse(`${image} was not loaded into the nodes; there are ${state.images.join(', ')}`);
    }
    await reconcile(state);
  },

  async rollout(state, args) {
    const { words, values } = read(args, IN_KUBE_SYSTEM, 2);
    mustBe('namespace', values.namespace, 'kube-system');
    const [verb, name = ''] = words;
    const daemonSet = take(state, name);
    if (verb === 'status') {
      if (name === 'daemonset/kube-proxier' && state.agent !== undefined) {
        await until('the agent is ready', isReady);
      }
      console.log(`daemon set "${daemonSet.metadata.name}" successfully rolled out`);
    } else if (verb === 'undo') {
      await put(state, state.before[name] ?? refuse(`${name} was not changed`));
    } else if (verb !== 'restart') {
      refuse(`rollout ${verb} is not known here`);
    } else if (name === 'daemonset/kube-proxier' && state.agent !== undefined) {
      await endAgent(state);
      await reconcile(state);
    }
  },

  async patch(state, args) {
    const { words, values } = read(args, { ...IN_KUBE_SYSTEM, type: text, patch: text }, 2);
    mustBe('namespace', values.namespace, 'kube-system');
    const object = take(state, ...words);
    const change = parse(values.patch ?? refuse('--patch is missing'));
    const patched = values.type === 'json' ? jsonPatch(object, change) : merge(object, change);
    await put(state, /** @type {ClusterObject} */ (patched));
    await reconcile(state);
  },

  async label(state, args) {
    const { words, values } = read(args, { all: yes }, args.includes('--all') ? 2 : 3);
    const [kind = '', name] = values.all ? [words[0], NODE] : words;
    if (!/^nodes?$/.test(kind) || name !== NODE) {
      refuse(`there is no ${kind} ${name}`);
    }
    const [, key = '', value] =
      /^([\w./-]+?)(?:=(\w[\w.-]*)|-)$/.exec(words.at(-1) ?? '') ?? refuse(`${words.at(-1)} is no label`);
    if (value === undefined) {
      delete state.labels[key];
    } else {
      state.labels[key] = value;
    }
    await reconcile(state);
  },

  async get(state, args) {
    const options = { ...IN_KUBE_SYSTEM, output: text, selector: text };
    const { words, values } = read(args, options, args[0] === 'configmap' || args[2] === 'configmap' ? 2 : 1);
    if (words[0] === 'events') {
      mustBe('namespace', values.namespace, 'default');
    } else if (words[0] === 'pods') {
      mustBe('namespace', values.namespace, 'kube-system');
      const [name = '', value] = (values.selector ?? '').split('=');
      const fits = Object.values(state.objects).filter(
        ({ kind, spec }) => kind === 'DaemonSet' && spec?.template.metadata.labels[name] === value,
      );
      console.log(fits.length > 0 ? `kube-proxier-x7k2p 1/1 Running ${NODE}` : refuse('no pod has this label'));
    } else {
      mustBe('namespace', values.namespace, 'kube-system');
      const object = take(state, ...words);
      const [, field] = /^jsonpath=\{\.data\.((?:[^.\\}]|\\.)+)\}$/.exec(values.output ?? '') ?? [];
      if (field === undefined) {
        mustBe('output', values.output, 'yaml');
        process.stdout.write(stringify(object));
      } else {
        const name = field.replaceAll('\\', '');
        process.stdout.write(object.data?.[name] ?? refuse(`there is no ${name} in ${words.join(' ')}`));
      }
    }
  },

  async delete(state, args) {
    const { words, values } = read(args, IN_KUBE_SYSTEM, 2);
    mustBe('namespace', values.namespace, 'kube-system');
    take(state, ...words);
    delete state.objects[words.join('/')];
  },

  /** The pod of `--profile=sysadmin` is privileged, in the network and process namespaces of the host. */
  async debug(_state, args) {
    const at = args.indexOf('--');
    const options = {
      stdin: { ...yes, short: 'i' },
      tty: { ...yes, short: 't' },
      profile: text,
      image: text,
    };
    const { words, values } = read(args.slice(0, at), options, 1);
    mustBe('profile', values.profile, 'sysadmin');
    if (words[0] !== `node/${NODE}` || !/(^|\/)kube-proxier:/.test(values.image ?? '')) {
      refuse(`${words[0]}, ${values.image}: there is no such node, or image`);
    }
    const [program, ...rest] = args.slice(at + 1);
    if (program !== 'kube-proxier') {
      refuse(`${program} is not in the image`);
    }
    return spawnSync(process.execPath, [AGENT, ...rest], { stdio: 'inherit' }).status;
  },
};

/**
 * The verb comes first, or behind `--namespace`.
 *
 * @param {State} state
 * @param {Words} args
 */
async function kubectl(state, args) {
  const at = args[0] === '--namespace' ? 2 : 0;
  const verb = args[at] ?? '';
  const run = (Object.hasOwn(KUBECTL, verb) ? KUBECTL[verb] : undefined) ?? refuse(`${verb} is not known here`);
  return await run(state, [...args.slice(0, at), ...args.slice(at + 1)]);
}

/**
 * @param {State} state
 * @param {Words} args
 */
async function helm(state, args) {
  const options = { ...IN_KUBE_SYSTEM, set: /** @type {const} */ ({ type: 'string', multiple: true }) };
  const [verb, ...rest] = args;
  const { words, values } = read(rest, options, verb === 'install' ? 2 : 1);
  const [release = '', chart = ''] = words;
  mustBe('namespace', values.namespace, 'kube-system');
  if (verb === 'uninstall') {
    for (const key of state.releases[release] ?? refuse(`there is no release ${release}`)) {
      delete state.objects[key];
    }
    delete state.releases[release];
  } else if (verb === 'install') {
    if (resolve(ROOT, chart) !== resolve(CHART)) {
      refuse(`${chart} is no chart`);
    }
    /** @type {Record<string, unknown>} */
    const changes = {};
    for (const setting of (values.set ?? []).flatMap((list) => list.split(','))) {
      const [path = '', value = ''] = setting.split('=');
      const names = path.split('.');
      const last = names.pop() ?? '';
      let holder = changes;
      for (const name of names) {
        const inner = holder[name] ?? {};
        holder[name] = inner;
        holder = isMap(inner) ? inner : refuse(`--set ${setting}: ${name} is no map`);
      }
      holder[last] = /^\d+$/.test(value) ? Number(value) : value;
    }
    const problems = valuesProblems(chartValues(changes));
    if (problems.length > 0) {
      refuse(`values: ${problems.join('; ')}`);
    }
    /** @type {ClusterObject[]} */
    const objects = [...renderChart(changes, values.namespace).values()].map((manifest) => parse(manifest));
    for (const object of objects) {
      await put(state, object);
    }
    state.releases[release] = objects.map(keyOf);
  } else {
    refuse(`${verb} is not known here`);
  }
  await reconcile(state);
}

/**
 * @param {State} state
 * @param {Words} args
 */
async function kind(state, args) {
  const { words, values } = read(args, { config: text }, args[0] === 'load' ? 3 : 2);
  if (words.join(' ') === 'create cluster') {
    const {
      kind: what,
      apiVersion,
      networking,
    } = parse(readFileSync(values.config ?? refuse('--config is missing'), 'utf8'));
    if (what !== 'Cluster' || apiVersion !== 'kind.x-k8s.io/v1alpha4' || networking?.kubeProxyMode !== 'none') {
      refuse(`${values.config} does not make a cluster without kube-proxy`);
    }
    delete state.objects['daemonset/kube-proxy'];
  } else if (words.slice(0, 2).join(' ') === 'load image-archive') {
    const [, , archive = ''] = words;
    state.images.push(state.built === archive ? IMAGE : refuse(`${archive} was not built`));
  } else {
    refuse(`${words.join(' ')} is not known here`);
  }
}

/**
 * Links the commands of a package of this repository, as `npm install --global` does. `npm run image` only reports where the
 * archive is: `npm run check-image` tests the build.
 *
 * @param {State} state
 * @param {Words} args
 */
async function npm(state, args) {
  if (args.join(' ') === 'run image') {
    state.built = ARCHIVE;
    return;
  }
  const { words } = read(args, { global: yes }, 2);
  const [, wanted = ''] = words;
  const directory = join(ROOT, 'packages', wanted.replace(/^@kube-proxier\//, ''));
  if (words[0] !== 'install' || !args.includes('--global') || !existsSync(directory)) {
    refuse(`npm ${args.join(' ')} is not known here`);
  }
  /** @type {import('../pack-packages.mjs').Manifest} */
  const { name, bin = {} } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  if (name !== wanted) {
    refuse(`there is no package ${wanted}`);
  }
  for (const [command, path] of Object.entries(bin)) {
    symlinkSync(join(directory, path), join(HOME, 'bin', command));
  }
}

/** @type {Readonly<Record<string, Command>>} */
const PROGRAMS = { kubectl, helm, kind, npm };

async function main() {
  const [program = '', ...args] = process.argv.slice(2);
  appendFileSync(join(HOME, 'calls.jsonl'), `${JSON.stringify([program, ...args])}\n`);
  const state = existsSync(STATE) ? JSON.parse(readFileSync(STATE, 'utf8')) : newState();
  try {
    const run = PROGRAMS[program] ?? refuse(`${program} is not known here`);
    process.exitCode = (await run(state, args)) ?? 0;
    writeFileSync(STATE, JSON.stringify(state));
  } catch (error) {
    console.error(
      `stand-in for ${program}: ${error instanceof Error && !(error instanceof Refused) ? error.stack : messageOf(error)}`,
    );
    process.exitCode = 64;
  }
}

await main();
