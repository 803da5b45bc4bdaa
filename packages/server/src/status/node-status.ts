import type { IPFamily, VerificationVerdict } from '@kube-proxier/core';
import { PROBE_FAILURES, type ProbeStatuses } from '../probe/probe-options.js';

/**
 * - `ok`: every family is programmed, and nothing fails.
 * - `degraded`: installed rules are in force, but changes may not reach them.
 * - `not-serving`: a family has never been programmed.
 */
export type StatusVerdict = 'ok' | 'degraded' | 'not-serving';

/** Something that an operator should investigate. */
export interface StatusProblem {
  readonly severity: 'degraded' | 'not-serving';
  /** The finding, one sentence without a full stop. */
  readonly found: string;
  /** The remedy, one sentence without a full stop. */
  readonly advice: string;
}

/** The state of the proxier of one IP family. Times are ISO 8601, in UTC. */
export interface FamilyStatus {
  /** It had a successful full sync. */
  readonly programmed: boolean;
  readonly lastSync: string | null;
  /** Duration of the last successful sync. */
  readonly lastSyncMilliseconds: number | null;
  readonly lastFullSync: string | null;
  /** Consecutive failed syncs. */
  readonly failures: number;
  readonly lastError: string | null;
  /** Seconds that the oldest change has been waiting for a sync; null when none is pending. */
  readonly pendingSeconds: number | null;
  /**
   * Equal on nodes with the same Services and endpoints in force (see `stateDigest` of core); null before the first sync.
   */
  readonly digest: string | null;
  readonly servicePorts: number;
  /**
   * Addresses on which NodePorts are served, as resolved: `all` for every address of the node, and the loopback network where that
   * is served, too; empty for none, null before the first sync.
   */
  readonly nodePortAddresses: readonly string[] | null;
  /** Endpoints that traffic can be sent to; one counts once for each service port, as in the log of kube-proxy. */
  readonly endpoints: number;
}

/** The status of a source. */
export interface SourceStatus {
  readonly description: string;
  /** Why objects cannot be read; empty without a known problem. */
  readonly obstacles: readonly string[];
}

/** The last verification of the kernel against the state. */
export interface VerificationStatus {
  readonly verdict: VerificationVerdict;
  readonly time: string;
  /** Classes of packets that were checked. */
  readonly packetClasses: number;
  /** Number of differences. */
  readonly differences: number;
  /** Number of classes that could not be checked. */
  readonly unknowns: number;
  /** The first difference, or the first unchecked class, as a sentence; null without either. */
  readonly firstFinding: string | null;
}

/** An endpoint that its health check excludes. */
export interface FailingEndpoint {
  /** `namespace/name`. */
  readonly service: string;
  /** The checked address and port. */
  readonly endpoint: string;
  readonly reason: string;
  /** Time of the first of the consecutive failures. */
  readonly since: string;
}

/** Health checks that this process makes. */
export interface HealthCheckStatus {
  /** Checked addresses and ports by verdict; `unknown` before the first result. */
  readonly up: number;
  readonly down: number;
  readonly unknown: number;
  /** Services whose annotations have problems. */
  readonly invalidServices: number;
  /** Longest failing first; at most {@link MAX_FAILING_ENDPOINTS}. */
  readonly failing: readonly FailingEndpoint[];
}

/** Maximum number of endpoints in `HealthCheckStatus.failing`. */
export const MAX_FAILING_ENDPOINTS = 20;

/** What `kube-proxier status` prints: the state of the agent of one node. */
export interface NodeStatus {
  readonly apiVersion: 'kube-proxier.io/v1alpha1';
  readonly kind: 'NodeStatus';
  readonly verdict: StatusVerdict;
  /** The most severe first. */
  readonly problems: readonly StatusProblem[];
  readonly nodeName: string;
  readonly version: string;
  readonly pid: number;
  readonly startTime: string;
  /** Empty before it is selected. */
  readonly mode: string;
  readonly requestedMode: string;
  /** Why another mode than the requested one is in force, or why it is the default; null otherwise. */
  readonly modeReason: string | null;
  readonly families: Readonly<Partial<Record<IPFamily, FamilyStatus>>>;
  readonly services: number;
  readonly endpoints: number;
  readonly sources: readonly SourceStatus[];
  /** When a source last reported a changed Service or EndpointSlice. */
  readonly lastObjectChange: string | null;
  readonly driftRepairs: number;
  readonly lastDrift: { readonly time: string; readonly what: string } | null;
  /** The last verification; null before the first. */
  readonly verification: VerificationStatus | null;
  /**
   * Leftover rules of other modes or of kube-proxy while this mode is in force: `kept, because …`, `not known: …`; null
   * when there are none, or before the first check.
   */
  readonly leftovers: string | null;
  /** Probes of the data plane, by family; null without probes. */
  readonly probe: ProbeStatuses | null;
  /** Null without health checks. */
  readonly healthChecks: HealthCheckStatus | null;
  readonly staleFlowsDeleted: number;
  /** Failures that do not affect the data plane, by part. */
  readonly failures: Readonly<Record<string, number>>;
  readonly memory: { readonly residentBytes: number; readonly heapBytes: number };
}

/** Input of the verdict. */
export type StatusFacts = Pick<NodeStatus, 'families' | 'sources' | 'verification' | 'probe'> & {
  /** Why the node is not programmed; undefined when it is. */
  readonly notReady: string | undefined;
  /** Milliseconds that a change may be pending. */
  readonly maxPending: number;
  /** Why a companion of the backend, such as sockets for NodePorts on 127.0.0.1, is not up to date. */
  readonly companions: readonly string[];
  /** Why `/healthz` answers 503 although the proxy is healthy; undefined when it does not. */
  readonly ineligible: string | undefined;
  /** Why servers of this process do not listen. */
  readonly listenerObstacles: readonly string[];
  /** Which ports are not open for lack of descriptors; undefined when all are. */
  readonly descriptorShortage: string | undefined;
  /** Why the recording is not on disk; undefined when it is, or need not be. */
  readonly recordingObstacle: string | undefined;
  /** Which memory limit is almost reached, and the remedy; undefined when none is. */
  readonly memoryShortage: string | undefined;
  /** Problems of a configuration that is not in force. */
  readonly configurationProblems: readonly string[];
};

/** All problems, the most severe first. */
export function findProblems({
  notReady,
  families,
  sources,
  verification,
  probe,
  maxPending,
  companions,
  ineligible,
  listenerObstacles,
  descriptorShortage,
  recordingObstacle,
  memoryShortage,
  configurationProblems,
}: StatusFacts): readonly StatusProblem[] {
  const problems: StatusProblem[] = [];
  if (notReady !== undefined) {
    problems.push({
      severity: 'not-serving',
      found: `this node is not programmed: ${notReady}`,
      advice: 'see the log of the agent; run kube-proxier doctor to check this host',
    });
  }
  for (const [family, { failures, lastError, pendingSeconds }] of Object.entries(families)) {
    if (failures > 0) {
      problems.push({
        severity: 'degraded',
        found: `${failures} ${family} ${failures === 1 ? 'sync' : 'syncs'} failed in a row: ${lastError ?? 'unknown error'}`,
        advice: 'the rules of the last successful sync stay in force, and syncs are retried; fix the error',
      });
    } else if (pendingSeconds !== null && pendingSeconds * 1000 > maxPending) {
      problems.push({
        severity: 'degraded',
        found: `a change of ${family} has been waiting for ${Math.round(pendingSeconds)} s`,
        advice: 'see the log of the agent for a command that does not end',
      });
    }
  }
  for (const found of companions) {
    problems.push({
      severity: 'degraded',
      found,
      advice: 'NodePorts on loopback addresses are affected, and it is retried',
    });
  }
  if (verification?.verdict === 'different') {
    const { differences, firstFinding } = verification;
    problems.push({
      severity: 'degraded',
      found: `the kernel does not do what the state says (${differences} ${differences === 1 ? 'difference' : 'differences'}): ${firstFinding}`,
      advice: 'run kube-proxier verify to list all differences and the rules that decide',
    });
  }
  problems.push(...problemsOfProbe(probe ?? {}));
  if (ineligible !== undefined) {
    problems.push({
      severity: 'degraded',
      found: `/healthz answers 503: ${ineligible}`,
      advice:
        'load balancers send no new connections to this node, whose rules stay in force; remove the taint to keep the node',
    });
  }
  for (const found of listenerObstacles) {
    problems.push({
      severity: 'degraded',
      found: `the ${found}`,
      advice:
        'who asks this port gets no answer, or that of another process; free the port or choose another, or renew the certificate',
    });
  }
  if (descriptorShortage !== undefined) {
    problems.push({
      severity: 'degraded',
      found: `the ${descriptorShortage}`,
      advice:
        'load balancers that check them send no traffic to this node; raise the limit of open files (ulimit -n, LimitNOFILE) and restart the agent',
    });
  }
  if (recordingObstacle !== undefined) {
    problems.push({
      severity: 'degraded',
      found: `the ${recordingObstacle}`,
      advice:
        'Services are not affected, and the recording stays in memory until the agent ends; check the free space and the permissions of --recording-directory',
    });
  }
  if (memoryShortage !== undefined) {
    problems.push({
      severity: 'degraded',
      found: memoryShortage,
      advice: 'rules of a killed process stay in force, but are not updated until it runs again',
    });
  }
  for (const problem of configurationProblems) {
    problems.push({
      severity: 'degraded',
      found: `the changed configuration is invalid: ${problem}`,
      advice: 'the configuration of before stays in force, and the next start fails; correct it',
    });
  }
  for (const { description, obstacles } of sources) {
    for (const obstacle of obstacles) {
      problems.push({
        severity: 'degraded',
        found: `${description}: ${obstacle}`,
        advice: 'the objects that were read last stay in force; fix the cause',
      });
    }
  }
  return problems;
}

function problemsOfProbe(probe: ProbeStatuses): readonly StatusProblem[] {
  return Object.entries(probe).flatMap(
    ([family, { verdict, frontend, reason, failures, impossible }]): StatusProblem[] => {
      if (verdict === 'failed' && failures >= PROBE_FAILURES) {
        return [
          {
            severity: 'degraded',
            found: `${failures} ${family} probes of ${frontend} failed in a row: ${reason ?? 'unknown error'}`,
            advice:
              'connections of this node to Services may fail; look for rules of other programs before those of kube-proxier',
          },
        ];
      }
      return verdict === 'unknown' && impossible
        ? [
            {
              severity: 'degraded',
              found: `the ${family} data plane cannot be probed at ${frontend}: ${reason ?? 'unknown error'}`,
              advice: 'set --probe-addresses to an address that nothing else has, or without this IP family',
            },
          ]
        : [];
    },
  );
}

/** The verdict is that of the most severe problem. */
export function verdictOf(problems: readonly StatusProblem[]): StatusVerdict {
  return problems.some(({ severity }) => severity === 'not-serving')
    ? 'not-serving'
    : problems.length > 0
      ? 'degraded'
      : 'ok';
}
