import { readFileSync } from 'node:fs';
import {
  type BackendModule,
  compareStates,
  formatObjectProblem,
  type IPFamily,
  isEmptyComparison,
  type Logger,
  type LoopbackCapabilities,
  messageOf,
  type ObjectProblem,
  type Preview,
  ProxierError,
  printable,
  type RuleChange,
  type StatePair,
  selectProxyMode,
  silentLogger,
  systemClock,
} from '@kube-proxier/core';
import { findLeftovers, previewBackend, type RemovedOfMode, thisHost, verifyNode } from '@kube-proxier/server';
import { stringify } from 'yaml';
import { describeRunningProxy, runningProxies } from '../cleanup/clean-up.js';
import { settingsOf } from '../commands/interpret-command-line.js';
import { readManifestObjects } from '../commands/resolve-manifests.js';
import type { Composition } from '../compose.js';
import type { AgentSettings } from '../flags/agent-settings.js';
import type { CommandLine } from '../flags/command-line.js';
import { type ClusterObjects, collectObjects } from '../objects/cluster-objects.js';
import { capabilitiesOf, proxierOptionsOf, type ResolvedHost, resolvePairs } from '../objects/resolve-cluster.js';
import { plainStyle, type TextStyle } from '../terminal/text-style.js';
import { type AssignedField, type ChangeFile, changeObjects, deleteObjects } from './changed-objects.js';
import { countByOwner, formatPlan, type PlanDocument, type TrafficComparison } from './plan-document.js';
import { queryRunningAgent, type RunningAgent } from './running-agent.js';

/** Arguments of `kube-proxier plan`. */
export interface PlanRequest {
  /** Files of objects; `-` is standard input. */
  readonly files: readonly string[];
  /** Objects that are deleted: `svc/name`. */
  readonly deletions: readonly string[];
  /** Lists every rule. */
  readonly rules: boolean;
  /** Plans a clean-up. */
  readonly cleanup: boolean;
  /** For a clean-up: includes objects of kube-proxy. */
  readonly kubeProxy: boolean;
  /** Namespace of objects without one. */
  readonly namespace: string;
}

/** Input of a plan. */
export interface PlanContext {
  readonly commandLine: CommandLine;
  /** Settings of the command line and its configuration file. */
  readonly settings: AgentSettings;
  readonly composition: Composition;
  /** Default: none. */
  readonly style?: TextStyle;
  /** Reads standard input. Default: that of this process. */
  readonly readStandardInput?: () => string;
}

/**
 * Plans the writes, and writes nothing.
 *
 * @returns the exit status: 0 no differences, 1 differences.
 * @throws ProxierError when it cannot be planned.
 */
export async function plan(
  request: PlanRequest,
  context: PlanContext,
): Promise<{ readonly text: string; readonly status: number }> {
  const { document, changes } = await (request.cleanup ? planCleanup(request, context) : planState(request, context));
  const { output } = context.settings;
  const status = document.changed ? 1 : 0;
  if (output === 'json' || output === 'yaml') {
    return { text: output === 'json' ? `${JSON.stringify(document, undefined, 2)}\n` : stringify(document), status };
  }
  const format = { rules: request.rules, byOwner: countByOwner(changes), style: context.style ?? plainStyle };
  return { text: formatPlan(document, format), status };
}

interface Planned {
  readonly document: PlanDocument;
  readonly changes: readonly RuleChange[];
}

async function planCleanup(
  { kubeProxy }: PlanRequest,
  { commandLine, settings, composition }: PlanContext,
): Promise<Planned> {
  const mode = commandLine.values.get('proxy-mode')?.at(-1);
  const backends = configured(composition, settings).filter((backend) => mode === undefined || backend.mode === mode);
  const owners = kubeProxy ? (['backend', 'kube-proxy'] as const) : (['backend'] as const);
  const { removals, notes } = await leftoversOf(backends, { owners });
  const holder = composition.exclusive ? await describeRunningProxy(runningProxies()) : undefined;
  const refusal = `The cleanup is refused while a proxy runs in this network namespace: ${holder}.`;
  const document: PlanDocument = {
    ...emptyPlan(settings),
    changed: removals.length > 0,
    removals,
    notes: holder === undefined ? notes : [...notes, refusal],
  };
  return { document, changes: [] };
}

function emptyPlan(settings: AgentSettings): PlanDocument {
  return {
    apiVersion: 'kube-proxier.io/v1alpha1',
    kind: 'Plan',
    changed: false,
    nodeName: proxierOptionsOf(settings, 'IPv4').nodeName,
    ...{ from: null, to: null, comparison: null, rules: null },
    ...{ removals: [], adopted: [], traffic: null, withoutAddress: [], notes: [] },
  };
}

async function planState(request: PlanRequest, context: PlanContext): Promise<Planned> {
  const { settings: given, composition } = context;
  const agent = await queryRunningAgent(given.status);
  const inForce = agent && settingsOfAgent(agent, context);
  const settings = inForce && given.configFile === '' ? withFlags(agent, context) : given;
  const { objects, source } = await objectsToPlan(agent, settings, context);
  const files = request.files.map((name) => readChangeFile(name, context));
  const left = deleteObjects(objects, request.deletions, request.namespace);
  const { objects: next, withoutAddress, assigned, notes } = changeObjects(left, files, request.namespace);
  const changedBy = [...files.map(({ name }) => name), ...request.deletions.map((name) => `--delete ${name}`)];
  const isOfObjects = changedBy.length > 0;
  // In a pod, an agent without these flags has the API server of its cluster.
  const hasServer = settings.kubernetes !== undefined || settings.manifests.length === 0;
  const planned: Planner = {
    ...{ request, agent, settings, next, composition, assigned: hasServer ? assigned : [] },
    inForce: inForce ?? (isOfObjects ? settings : undefined),
    before: agent?.objects ?? (isOfObjects ? objects : undefined),
  };
  const result = request.rules || !isOfObjects ? await planOnHost(planned) : planObjects(planned);
  const document: PlanDocument = {
    ...emptyPlan(settings),
    ...result.document,
    changed: result.document.changed || (hasServer && withoutAddress.length > 0),
    from: agent ? { mode: agent.mode, objects: 'the objects of the agent' } : null,
    to: { mode: result.mode, objects: isOfObjects ? `${source}, changed by ${changedBy.join(', ')}` : source },
    withoutAddress: hasServer ? withoutAddress : [],
    notes: [
      ...given.warnings.map((warning) => `${warning}.`),
      ...notes,
      ...(agent === undefined && isOfObjects ? [`No agent runs here: compared with ${source} as they are.`] : []),
      ...notesOfAllocation(hasServer, withoutAddress, assigned),
      ...(result.document.notes ?? []),
    ],
  };
  return { document, changes: result.changes };
}

/** Fields that an API server assigns. */
function notesOfAllocation(
  hasServer: boolean,
  withoutAddress: readonly string[],
  assigned: readonly AssignedField[],
): readonly string[] {
  if (hasServer) {
    const list = assigned.map(({ what }) => what).join(', ');
    return list === '' ? [] : [`Assigned by the API server, and not part of this plan: ${list}.`];
  }
  const names = withoutAddress.map((name) => printable(name)).join(', ');
  return names === '' ? [] : [`Not served, because without an API server nothing assigns a cluster IP: ${names}.`];
}

/** Complete input of a plan. */
interface Planner {
  readonly request: PlanRequest;
  readonly agent: RunningAgent | undefined;
  /** Settings of the running agent; undefined when none runs. */
  readonly inForce: AgentSettings | undefined;
  /** Objects that are in force; undefined when they are not known. */
  readonly before: ClusterObjects | undefined;
  readonly settings: AgentSettings;
  readonly next: ClusterObjects;
  readonly assigned: readonly AssignedField[];
  readonly composition: Composition;
}

interface PlanResult extends Pick<Planned, 'changes'> {
  readonly document: Partial<PlanDocument> & Pick<PlanDocument, 'changed'>;
  readonly mode: string;
}

/** Compares states only: needs no privileges, and does not read the kernel. */
function planObjects({ agent, inForce, before, settings, next, assigned, composition }: Planner): PlanResult {
  const problems = new ProblemNotes(assigned);
  const families: readonly IPFamily[] = agent?.families ?? ['IPv4', 'IPv6'];
  const pairs = resolvePairs(
    families,
    inForce &&
      before && {
        ...{ objects: before, settings: inForce },
        host: () => ({ capabilities: capabilitiesOf(inForce, composition) }),
      },
    { objects: next, settings, host: () => ({ capabilities: capabilitiesOf(settings, composition) }) },
    problems.add,
  );
  const comparison = compareStates(pairs);
  const mode = settings.mode === '' ? (agent?.mode ?? '<default>') : settings.mode;
  const changed = !isEmptyComparison(comparison) || (agent !== undefined && agent.mode !== mode);
  return { document: { changed, comparison, notes: problems.notes }, mode, changes: [] };
}

/** Compares rules as well: reads the kernel. */
async function planOnHost({
  request,
  agent,
  inForce,
  before,
  settings,
  next,
  assigned,
  composition,
}: Planner): Promise<PlanResult> {
  const backends = configured(composition, settings);
  const { backend, families: servable, notes } = await selectBackend(backends, agent, settings);
  const families = agent?.families ?? servable;
  const problems = new ProblemNotes(assigned);
  const changes: RuleChange[] = [];
  const isSameMode = agent?.mode === backend.mode;
  const previews = previewsOf(backend, families, settings);
  let pairs: readonly StatePair[];
  try {
    const hosts = new Map<IPFamily, Omit<ResolvedHost, 'onProblem' | 'capabilities'>>();
    for (const [family, preview] of previews) {
      const localAddresses = await preview.localAddresses();
      hosts.set(family, { localAddresses, includesLocalAddresses: preview.followsLocalAddresses });
    }
    const host = (capabilities: LoopbackCapabilities | undefined) => (family: IPFamily) => ({
      ...hosts.get(family),
      capabilities,
    });
    const resolved = resolvePairs(
      families,
      inForce &&
        before && {
          ...{ objects: before, settings: inForce },
          host: host(capabilitiesOf(inForce, composition)),
        },
      { objects: next, settings, host: host(backend.capabilities ?? {}) },
      problems.add,
    );
    pairs = resolved;
    for (const pair of resolved) {
      const found = await previews.get(pair.family)?.changes(pair.after, isSameMode ? pair.before : undefined);
      for (const change of found ?? []) {
        changes.push(change);
      }
    }
  } catch (error) {
    throw unreadable(backend, error);
  } finally {
    for (const preview of previews.values()) {
      await preview.close();
    }
  }
  const takeover = isSameMode ? NO_TAKEOVER : await planTakeover(backends, backend, settings);
  const isClean = before === undefined && !takeover.ownFound;
  const ofKubeProxy = [...takeover.removals, ...takeover.adopted].filter(({ owner }) => owner === 'kube-proxy');
  const comparison = before !== undefined || isClean ? compareStates(pairs) : null;
  const traffic = isClean ? await compareTraffic(ofKubeProxy, backends, settings, pairs) : null;
  const count = (action: RuleChange['action']) => changes.filter((change) => change.action === action).length;
  return {
    document: {
      changed:
        changes.length > 0 ||
        takeover.removals.length > 0 ||
        (agent !== undefined && !isSameMode) ||
        (before !== undefined && comparison !== null && !isEmptyComparison(comparison)),
      comparison,
      rules: {
        ...{ mode: backend.mode, add: count('add'), remove: count('remove') },
        ...(request.rules ? { changes } : {}),
      },
      removals: takeover.removals,
      adopted: takeover.adopted,
      traffic,
      notes: [...notes, ...(traffic === null ? [] : [KUBE_PROXY_IS_INSTALLED]), ...takeover.notes, ...problems.notes],
    },
    mode: backend.mode,
    changes,
  };
}

const KUBE_PROXY_IS_INSTALLED =
  'Rules of kube-proxy are installed. Its Services are unknown, so all are listed as added; what its rules do with packets is compared.';

/** Compares the rules of kube-proxy with the planned state; null when it has none. */
async function compareTraffic(
  ofKubeProxy: readonly RemovedOfMode[],
  backends: readonly BackendModule[],
  settings: AgentSettings,
  pairs: readonly StatePair[],
): Promise<TrafficComparison | null> {
  const installed = backends.filter((one) => ofKubeProxy.some(({ mode }) => mode === one.mode));
  // A backend's packet path covers all rules of the node, including other modes.
  const backend = installed.find((one) => one.readPacketPath !== undefined);
  if (backend === undefined) {
    return null;
  }
  const states = new Map(pairs.flatMap(({ family, after }) => (after === undefined ? [] : [[family, after] as const])));
  const { verdict, families } = await verifyNode({
    ...{ backend, states: () => states, clock: systemClock },
    options: proxierOptionsOf(settings, 'IPv4', backend.capabilities),
  });
  return { modes: installed.map(({ mode }) => mode), verdict, families };
}

/** @throws ProxierError `NO_PREVIEW` for a backend that cannot plan. */
function previewsOf(
  backend: BackendModule,
  families: readonly IPFamily[],
  settings: AgentSettings,
): ReadonlyMap<IPFamily, Preview> {
  const previews = new Map<IPFamily, Preview>();
  for (const family of families) {
    const proxier = proxierOptionsOf(settings, family, backend.capabilities);
    const preview = previewBackend(backend, { family, proxier, logger: silentLogger });
    if (preview === undefined) {
      throw new ProxierError(
        'NO_PREVIEW',
        `mode ${backend.mode} cannot show what it would write; use -f without --rules to compare objects`,
      );
    }
    previews.set(family, preview);
  }
  return previews;
}

interface PlannedTakeover {
  readonly removals: readonly RemovedOfMode[];
  readonly adopted: readonly RemovedOfMode[];
  readonly notes: readonly string[];
  /** Whether objects of the planned mode itself are installed. */
  readonly ownFound: boolean;
}

const NO_TAKEOVER: PlannedTakeover = { removals: [], adopted: [], notes: [], ownFound: true };

/** The objects removed and adopted when the mode comes into force. */
async function planTakeover(
  backends: readonly BackendModule[],
  backend: BackendModule,
  { takeover }: AgentSettings,
): Promise<PlannedTakeover> {
  // The host is read once: it may have many rules.
  const reading = {};
  const own = await leftoversOf([backend], { owners: takeover ? ['backend', 'kube-proxy'] : ['backend'], reading });
  const ownFound = own.removals.some(({ owner }) => owner === 'backend');
  if (!takeover) {
    return { ...NO_TAKEOVER, notes: own.notes, ownFound };
  }
  const inForce = backend.mode;
  const { removals, notes } = await leftoversOf(backends, { owners: ['backend', 'kube-proxy'], inForce, reading });
  const removed = removals.find(({ mode, owner }) => mode === inForce && owner === 'kube-proxy')?.objects ?? [];
  const isRemoved = (location: string | undefined) => removed.some((object) => object.location === location);
  const adopted = own.removals
    .filter(({ owner }) => owner === 'kube-proxy')
    .map((found) => ({ ...found, objects: found.objects.filter(({ location }) => !isRemoved(location)) }))
    .filter(({ objects }) => objects.length > 0);
  return { removals, adopted, notes: [...new Set([...own.notes, ...notes])], ownFound };
}

/** @throws ProxierError `LEFTOVERS_UNKNOWN` when the host cannot be read. */
async function leftoversOf(
  backends: readonly BackendModule[],
  options: Omit<Parameters<typeof findLeftovers>[1], 'logger'>,
): Promise<{ readonly removals: readonly RemovedOfMode[]; readonly notes: readonly string[] }> {
  const { found, unlisted, failures } = await findLeftovers(backends, { logger: silentLogger, ...options });
  if (failures.length > 0) {
    const reasons = [...new Set(failures.map(({ mode, error }) => `${mode}: ${messageOf(error)}`))].join('; ');
    throw new ProxierError('LEFTOVERS_UNKNOWN', `cannot list what would be removed (${reasons}); run it as root`, {
      cause: failures[0]?.error,
    });
  }
  return {
    removals: found,
    notes: unlisted.map((mode) => `What mode ${mode} has installed is unknown: its backend does not list it.`),
  };
}

async function selectBackend(
  backends: readonly BackendModule[],
  agent: RunningAgent | undefined,
  settings: AgentSettings,
): Promise<{
  readonly backend: BackendModule;
  readonly families: readonly IPFamily[];
  readonly notes: readonly string[];
}> {
  const running = agent && backends.find(({ mode }) => mode === agent.mode);
  if (agent && running && (settings.mode === '' || settings.mode === agent.mode)) {
    return { backend: running, families: agent.families, notes: [] };
  }
  const selection = await selectProxyMode({
    ...{ requested: settings.mode, backends, fallback: settings.fallback, logger: QUIET },
  });
  const { backend, mode, requested, reason } = selection;
  const hasIPv6 = await thisHost.hasIPv6();
  return {
    backend,
    families: selection.families.filter((family) => family === 'IPv4' || hasIPv6),
    notes: reason === undefined ? [] : [`Mode ${mode} would be used in place of ${requested}: ${reason}.`],
  };
}

const QUIET: Logger = silentLogger;

/** The settings that the agent has. */
function settingsOfAgent(agent: RunningAgent, { commandLine, composition }: PlanContext): AgentSettings {
  return settingsOf({ ...commandLine, values: agent.values, errors: [] }, composition.backends, undefined, []);
}

/** The settings of the agent, overridden by the flags of the command line. */
function withFlags(agent: RunningAgent, { commandLine, composition }: PlanContext): AgentSettings {
  const values = new Map([...agent.values, ...commandLine.values]);
  const settings = settingsOf({ ...commandLine, values }, composition.backends, undefined, []);
  // A default may have been replaced by the fallback.
  return commandLine.values.has('proxy-mode') ? settings : { ...settings, mode: agent.mode };
}

async function objectsToPlan(
  agent: RunningAgent | undefined,
  settings: AgentSettings,
  { commandLine, settings: given, composition }: PlanContext,
): Promise<{ readonly objects: ClusterObjects; readonly source: string }> {
  const { values } = commandLine;
  if (values.has('manifests') || (agent === undefined && given.manifests.length > 0)) {
    const { manifests } = given;
    const objects = await readManifestObjects({ ...settings, manifests }, composition);
    return { objects, source: `the objects in ${manifests.join(', ')}` };
  }
  const wantsServer = values.has('kubeconfig') || values.has('master') || agent === undefined;
  if (wantsServer && given.kubernetes !== undefined) {
    const { nodeName } = proxierOptionsOf(settings, 'IPv4');
    const sources = await composition.sources(
      { ...settings, kubernetes: given.kubernetes, manifests: [] },
      silentLogger,
    );
    return { objects: await collectObjects(sources, nodeName), source: 'the objects of the API server' };
  }
  if (agent === undefined) {
    // With --config, flags that kube-proxy has are ignored.
    const server = given.configFile === '' ? '--kubeconfig' : 'clientConnection.kubeconfig in the file of --config';
    throw new ProxierError(
      'NO_OBJECTS',
      `no agent answers on this node, so its objects are unknown; set --manifests or ${server}, or ` +
        '--metrics-bind-address as the agent has it',
    );
  }
  return { objects: agent.objects, source: 'the objects of the agent' };
}

function readChangeFile(name: string, { readStandardInput = () => readFileSync(0, 'utf8') }: PlanContext): ChangeFile {
  try {
    return name === '-'
      ? { name: 'standard input', text: readStandardInput() }
      : { name, text: readFileSync(name, 'utf8') };
  } catch (error) {
    throw new ProxierError('INVALID_CHANGE', `-f ${printable(name)}: cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function configured(composition: Composition, settings: AgentSettings): readonly BackendModule[] {
  return composition.configure?.(settings) ?? composition.backends;
}

function unreadable({ mode }: BackendModule, error: unknown): ProxierError {
  return new ProxierError(
    'KERNEL_UNREADABLE',
    `cannot read what mode ${mode} has installed: ${messageOf(error)}; run it as root on the node, or use -f without ` +
      '--rules to compare objects only',
    { cause: error },
  );
}

/** Problems of the planned objects. Most are found for both families. */
class ProblemNotes {
  readonly #texts = new Set<string>();

  /** @param assigned fields without a value yet, which are not reported. */
  constructor(private readonly assigned: readonly AssignedField[]) {}

  readonly add = (problem: ObjectProblem): void => {
    const service = `${problem.namespace}/${problem.name}`;
    if (this.assigned.some((one) => one.service === service && one.field === problem.field)) {
      return;
    }
    this.#texts.add(`${formatObjectProblem(problem)}.`);
  };

  get notes(): readonly string[] {
    return [...this.#texts];
  }
}
