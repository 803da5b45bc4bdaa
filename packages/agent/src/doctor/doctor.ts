import { availableParallelism, hostname } from 'node:os';
import { type BackendModule, DEFAULT_PROXY_MODE, type Diagnosis, messageOf, silentLogger } from '@kube-proxier/core';
import { DEFAULT_CONNTRACK_TUNING, findLeftovers, resolveNodeName } from '@kube-proxier/server';
import { type ApiAccess, checkApiAccess } from '@kube-proxier/source-kubernetes';
import { stringify } from 'yaml';
import type { Composition } from '../compose.js';
import type { AgentSettings } from '../flags/agent-settings.js';
import type { CommandLine } from '../flags/command-line.js';
import { ProgressLine } from '../terminal/progress-line.js';
import { checkCounting } from './check-counting.js';
import { checkHost } from './check-host.js';
import { checkLeftovers, modeInForce } from './check-leftovers.js';
import { checkPortRanges } from './check-port-ranges.js';
import { type DiagnosisFormat, diagnosesAsData, exitStatusOf, formatDiagnoses } from './format-diagnoses.js';

/** Result of reading the command line and the configuration: settings, or their problems. */
export type DoctorCase =
  | { readonly settings: AgentSettings; readonly commandLine: CommandLine }
  | { readonly problems: readonly string[]; readonly commandLine: CommandLine };

/**
 * Checks whether this host can run the proxier, and reports problems. Changes nothing.
 *
 * @param format of text output.
 * @param progress shows the running check.
 * @returns what to print, and the exit status: 1 when there is a problem, 2 when there is none, but not everything could
 * be checked.
 */
export async function doctor(
  composition: Composition,
  found: DoctorCase,
  format: DiagnosisFormat = {},
  progress = new ProgressLine(),
): Promise<{ readonly text: string; readonly status: number }> {
  const settings = 'settings' in found ? found.settings : undefined;
  const diagnoses = [
    ...checkConfiguration(found),
    ...(await checkBackends(composition, settings, progress)),
    ...(await progress.during('Checking this host', () => checkThisHost(composition, settings))),
    ...(settings ? await progress.during('Checking the API server', () => checkApi(settings)) : []),
  ];
  const output = settings?.output ?? found.commandLine.values.get('output')?.at(-1);
  return {
    text: formatAs(output, diagnoses, format),
    status: exitStatusOf(diagnoses),
  };
}

function formatAs(output: string | undefined, diagnoses: readonly Diagnosis[], format: DiagnosisFormat): string {
  switch (output) {
    case 'json':
      return `${JSON.stringify(diagnosesAsData(diagnoses), undefined, 2)}\n`;
    case 'yaml':
      return stringify(diagnosesAsData(diagnoses));
    default:
      return formatDiagnoses(diagnoses, format);
  }
}

function checkConfiguration(found: DoctorCase): readonly Diagnosis[] {
  const check = 'configuration';
  if (!('settings' in found)) {
    return found.problems.map((text) => ({ check, status: 'problem', found: text }));
  }
  const { warnings, configFile } = found.settings;
  if (warnings.length > 0) {
    return warnings.map((text) => ({ check, status: 'warning', found: text }));
  }
  return [{ check, status: 'ok', found: configFile === '' ? 'the flags are valid' : `${configFile} is valid` }];
}

/** Checks the requested mode and its fallback; every mode if none is requested. */
async function checkBackends(
  composition: Composition,
  settings: AgentSettings | undefined,
  progress: ProgressLine,
): Promise<readonly Diagnosis[]> {
  const backends = (settings && composition.configure?.(settings)) ?? composition.backends;
  const requested = settings?.mode ?? '';
  const mode = requested === '' ? DEFAULT_PROXY_MODE : requested;
  const fallback = settings?.fallback ?? DEFAULT_PROXY_MODE;
  const candidates = requested === '' ? backends : backends.filter((one) => one.mode === mode || one.mode === fallback);
  const rows: Diagnosis[] = [];
  for (const backend of candidates) {
    const result = await progress
      .during(`Checking mode ${backend.mode}`, () => backend.probe())
      .catch((error: unknown) => ({ usable: false as const, reason: messageOf(error) }));
    const check = `mode ${backend.mode}`;
    if (result.usable) {
      rows.push({
        check,
        status: 'ok',
        found: `can be used${result.detail === undefined ? '' : `: ${result.detail}`}`,
      });
      const missing = (['IPv4', 'IPv6'] as const).filter((family) => !(result.families ?? [family]).includes(family));
      if (missing.length > 0) {
        rows.push({ check, status: 'warning', found: `serves no ${missing.join(' and no ')} on this host` });
      }
      if (requested !== '' || backend.mode === mode) {
        rows.push(...(await progress.during(`Checking mode ${backend.mode}`, () => diagnose(backend))));
      }
    } else {
      const found = `cannot be used: ${result.reason}`;
      const serious = backend.mode === mode && (fallback === mode || fallback === 'none');
      const advice = backend.mode === mode && !serious ? { advice: `it falls back to ${fallback}` } : {};
      rows.push({ check, status: serious ? 'problem' : 'warning', found, ...advice });
    }
  }
  return rows;
}

async function diagnose(backend: BackendModule): Promise<readonly Diagnosis[]> {
  try {
    return (await backend.diagnose?.()) ?? [];
  } catch (error) {
    return [{ check: `mode ${backend.mode}`, status: 'unknown', found: `its diagnosis failed: ${messageOf(error)}` }];
  }
}

async function checkThisHost(composition: Composition, settings?: AgentSettings): Promise<readonly Diagnosis[]> {
  if (!composition.inspect) {
    return [];
  }
  const pods = settings?.proxier.localTrafficDetection;
  const facts = await composition.inspect(pods?.kind === 'cluster-cidr' ? pods.cidrs : []);
  const ports = [
    { port: settings?.health?.port, name: 'health' },
    { port: settings?.status?.port, name: 'metrics' },
  ].flatMap(({ port, name }) => (port === undefined ? [] : [{ port, name }]));
  const requested = settings?.mode ?? '';
  const backends = (settings && composition.configure?.(settings)) ?? composition.backends;
  const mode = requested === '' ? DEFAULT_PROXY_MODE : requested;
  const leftovers = await findLeftovers(backends, {
    logger: silentLogger,
    owners: ['backend', 'kube-proxy'],
    inForce: modeInForce(facts.instance, mode),
  });
  const backend = backends.find((one) => one.mode === mode) ?? { mode };
  const counting = checkCounting(backend, settings?.proxier ?? {});
  const rows = checkHost(facts, {
    backend,
    ipv6: true,
    conntrack: settings?.conntrack ?? DEFAULT_CONNTRACK_TUNING,
    cpus: composition.host?.cpus ?? availableParallelism(),
    ports,
  });
  const ranges = checkPortRanges(backend);
  return [...rows, ...(counting ? [counting] : []), ...(ranges ? [ranges] : []), checkLeftovers(leftovers, facts)];
}

async function checkApi(settings: AgentSettings): Promise<readonly Diagnosis[]> {
  if (!settings.kubernetes) {
    return [];
  }
  const nodeName = resolveNodeName(settings.proxier.nodeName, hostname());
  const { server, access } = await checkApiAccess({ ...settings.kubernetes, nodeName });
  const refusals = new Set(access.map(({ refusal }) => refusal));
  const [refusal] = refusals;
  if (refusals.size === 1 && refusal !== undefined) {
    const advice = 'check the kubeconfig, and the network to the API server';
    return [{ check: 'API server', status: 'problem', found: `${server}: ${refusal}`, advice }];
  }
  return access.map((one) => judgeAccess(one, server, nodeName));
}

function judgeAccess({ resource, refusal, optional, found }: ApiAccess, server: string, nodeName: string): Diagnosis {
  const check = `API ${resource}`;
  if (refusal !== undefined) {
    const advice = 'check the kubeconfig, the network to the API server, and the role system:node-proxier';
    return { check, status: optional ? 'warning' : 'problem', found: `${server}: ${refusal}`, advice };
  }
  if (resource === 'nodes' && found === 0) {
    const advice = 'set --hostname-override to the name of the Node object of this host';
    return { check, status: 'warning', found: `Node ${nodeName} does not exist`, advice };
  }
  return { check, status: 'ok', found: `${server} permits to read them` };
}
