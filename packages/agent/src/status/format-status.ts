import { assertNever, countOf } from '@kube-proxier/core';
import type { NodeStatus, ProbeStatus, StatusVerdict } from '@kube-proxier/server';
import { formatAge } from '../commands/format-age.js';
import { plainStyle, type Tone } from '../terminal/text-style.js';

const VERDICTS: Readonly<Record<StatusVerdict, readonly [Tone, string]>> = {
  ok: ['good', 'OK'],
  degraded: ['warning', 'DEGRADED'],
  'not-serving': ['bad', 'NOT SERVING'],
};

/** Width of the column of names. */
const WIDTH = 18;

/**
 * A status as text: the verdict, the problems, then the facts.
 *
 * @param now milliseconds since the epoch.
 * @param style default: without colours.
 */
export function formatStatus(status: NodeStatus, now: number, style = plainStyle): string {
  const { verdict, problems, mode, nodeName } = status;
  const of = mode === '' ? '' : ` (mode ${mode})`;
  const lines = [`${style(...VERDICTS[verdict])}: kube-proxier ${status.version} on node ${nodeName}${of}`];
  if (problems.length > 0) {
    lines.push('', 'Problems:');
    for (const { found, advice } of problems) {
      lines.push(`  - ${found}`, `    ${advice}`);
    }
  }
  lines.push('');
  const row = (name: string, value: string) => lines.push(`${`${name}:`.padEnd(WIDTH)}${value}`);
  if (status.modeReason !== null) {
    row('Mode', `${mode}, because ${status.modeReason}`);
  }
  row('In force', `${countOf(status.services, 'Service')}, ${countOf(status.endpoints, 'endpoint')}`);
  for (const [family, one] of Object.entries(status.families)) {
    row(
      family,
      one.programmed
        ? `${countOf(one.servicePorts, 'service port')}, last sync ${ago(one.lastSync, now)} in ${one.lastSyncMilliseconds} ms, last full sync ${ago(one.lastFullSync, now)}`
        : 'not programmed yet',
    );
  }
  for (const [family, { nodePortAddresses }] of Object.entries(status.families)) {
    // An agent of an earlier version does not report it.
    if (nodePortAddresses) {
      row(`${family} NodePorts`, nodePorts(nodePortAddresses));
    }
  }
  for (const { description } of status.sources) {
    row('Source', description);
  }
  row('Last change', status.lastObjectChange === null ? 'none since the start' : ago(status.lastObjectChange, now));
  row('Verified', verification(status, now));
  // An agent of an earlier version does not report it.
  if (status.leftovers) {
    row('Leftovers', status.leftovers);
  }
  for (const [family, one] of Object.entries(status.probe ?? {})) {
    row(`${family} probe`, describeProbe(one, now));
  }
  // An agent of an earlier version does not report it.
  if (status.healthChecks) {
    const { up, down, unknown, invalidServices, failing } = status.healthChecks;
    if (up + down + unknown + invalidServices > 0) {
      const invalid = invalidServices === 0 ? '' : `; ${countOf(invalidServices, 'Service')} with invalid annotations`;
      row('Health checks', `${up} passed, ${down} failed, ${unknown} without a result${invalid}`);
    }
    for (const { service, endpoint, reason, since } of failing) {
      lines.push(`  ${endpoint} of ${service}: ${reason}, for ${formatAge(Date.parse(since), now)}`);
    }
    if (down > failing.length) {
      lines.push(`  and ${down - failing.length} more`);
    }
  }
  row('Drift repairs', repairs(status, now));
  row('Stale flows', `${status.staleFlowsDeleted} deleted`);
  const failures = Object.entries(status.failures).filter(([, number]) => number > 0);
  row(
    'Other failures',
    failures.length === 0 ? 'none' : failures.map(([part, number]) => `${number} of ${part}`).join(', '),
  );
  row('Memory', `${megabytes(status.memory.residentBytes)} resident, ${megabytes(status.memory.heapBytes)} heap`);
  row('Running', `${formatAge(Date.parse(status.startTime), now)}, process ${status.pid}`);
  return `${lines.join('\n')}\n`;
}

function nodePorts(addresses: readonly string[]): string {
  return addresses.length === 0
    ? 'on no address'
    : `on ${addresses.map((one) => (one === 'all' ? 'all addresses' : one)).join(', ')}`;
}

function verification({ verification: last }: NodeStatus, now: number): string {
  if (last === null) {
    return 'not yet';
  }
  const when = `${ago(last.time, now)}, ${countOf(last.packetClasses, 'class', 'classes')} of packets`;
  switch (last.verdict) {
    case 'verified':
      return when;
    case 'different':
      return `${when}: ${countOf(last.differences, 'difference')}`;
    case 'unknown':
      return `${when}: not everything could be verified: ${last.firstFinding}`;
    default:
      return assertNever(last.verdict);
  }
}

function describeProbe({ verdict, frontend, reason, lastSuccess, milliseconds }: ProbeStatus, now: number): string {
  switch (verdict) {
    case 'ok':
      return `${frontend} answered ${ago(lastSuccess, now)} in ${milliseconds} ms`;
    case 'failed':
      return `${frontend} failed: ${reason}; last answer ${ago(lastSuccess, now)}`;
    case 'unknown':
      return `${frontend} unknown: ${reason}`;
    default:
      return assertNever(verdict);
  }
}

function repairs({ driftRepairs, lastDrift }: NodeStatus, now: number): string {
  return lastDrift === null
    ? String(driftRepairs)
    : `${driftRepairs}, last ${ago(lastDrift.time, now)}: ${lastDrift.what}`;
}

function ago(time: string | null, now: number): string {
  return time === null ? 'never' : `${formatAge(Date.parse(time), now)} ago`;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}
