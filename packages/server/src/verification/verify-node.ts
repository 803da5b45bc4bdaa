import {
  type BackendModule,
  type Clock,
  type FamilyVerification,
  type IPFamily,
  messageOf,
  overallVerdict,
  type PathRule,
  type ProxierOptions,
  type ProxyState,
  readWhileCurrent,
  type VerificationVerdict,
  verifyInSlices,
} from '@kube-proxier/core';
import { runInSlices } from '@kube-proxier/linux';

/** The result of one verification of a node. */
export interface NodeVerification {
  readonly apiVersion: 'kube-proxier.io/v1alpha1';
  readonly kind: 'NodeVerification';
  readonly verdict: VerificationVerdict;
  readonly mode: string;
  /** When it ended: ISO 8601, in UTC. */
  readonly time: string;
  /** Its duration in seconds. */
  readonly seconds: number;
  readonly families: readonly FamilyVerification[];
}

export interface VerifyNodeOptions {
  readonly backend: Pick<BackendModule, 'mode' | 'capabilities' | 'readPacketPath'>;
  readonly options: ProxierOptions;
  /** The state in force, or to verify, by family; read again after the kernel was read. */
  readonly states: () => ReadonlyMap<IPFamily, ProxyState>;
  readonly clock: Clock;
  /** Rules to ignore. Default: none. */
  readonly ignores?: (rule: PathRule) => boolean;
  /** Interfaces to ignore. Default: none. */
  readonly ignoredInterfaces?: readonly string[];
  /** Aborts the verification: the rest is unknown. */
  readonly signal?: AbortSignal;
}

/** Maximum attempts to read the kernel without a concurrent change of the state. */
const ATTEMPTS = 8;

/**
 * Verifies every family: reads the kernel, and compares its packet handling with the state. A difference counts when a
 * second read confirms it, as a change may have been written meanwhile. Pauses often, so that the process stays
 * responsive. Never rejects: failures are reported as unknown.
 */
export async function verifyNode(options: VerifyNodeOptions): Promise<NodeVerification> {
  const { backend, clock, states } = options;
  const start = clock.monotonic();
  const families: FamilyVerification[] = [];
  for (const family of states().keys()) {
    families.push(await verifyFamily(family, options));
  }
  return {
    apiVersion: 'kube-proxier.io/v1alpha1',
    kind: 'NodeVerification',
    verdict: overallVerdict(families),
    mode: backend.mode,
    time: new Date(clock.now()).toISOString(),
    seconds: Math.round(clock.monotonic() - start) / 1000,
    families,
  };
}

/** Whether NodePorts on loopback addresses are served by rules. If sockets serve them, no rule decides. */
export function servesLoopbackByRules({ capabilities = {} }: Pick<BackendModule, 'capabilities'>): boolean {
  const { localhostNodePorts = false, localhostNetwork = true } = capabilities;
  return localhostNodePorts && localhostNetwork;
}

async function verifyFamily(family: IPFamily, options: VerifyNodeOptions): Promise<FamilyVerification> {
  const { backend, clock, ignores, ignoredInterfaces, options: proxier, signal, states } = options;
  const servesLoopback = servesLoopbackByRules(backend);
  let confirming: FamilyVerification | undefined;
  try {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const readPacketPath = backend.readPacketPath?.bind(backend);
      if (readPacketPath === undefined) {
        return unverified(states().get(family), family, whyUnreadable(backend));
      }
      const state = states().get(family);
      const read = await readWhileCurrent(
        (reading) =>
          readPacketPath({
            ...{ family, options: proxier, signal: reading.signal, onRead: () => reading.end() },
            ...(ignores ? { ignores } : {}),
            ...(ignoredInterfaces ? { ignoredInterfaces } : {}),
          }),
        { clock, isCurrent: () => states().get(family) === state, ...(signal ? { signal } : {}) },
      );
      if (read === undefined) {
        continue;
      }
      const { value: path } = read;
      const isLive = path.isLive === true;
      if (state === undefined || (!isLive && !read.isCurrent)) {
        path.close?.();
        continue;
      }
      const current = isLive ? { current: () => states().get(family) ?? state } : {};
      const slices = verifyInSlices(state, path, { servesLoopback, ...current });
      const result = await runInSlices(slices, signal).finally(() => path.close?.());
      if (result === undefined) {
        return unverified(state, family, 'the verification was ended early');
      }
      if (result.verdict !== 'different' || confirming !== undefined) {
        return result;
      }
      confirming = result;
    }
  } catch (error) {
    return unverified(states().get(family), family, messageOf(error));
  }
  return unverified(states().get(family), family, 'the state changed whenever the kernel was read; try again later');
}

function whyUnreadable({ mode, capabilities }: Pick<BackendModule, 'mode' | 'capabilities'>): string {
  return capabilities?.servesWithoutProcess === false
    ? `in mode ${mode} a process chooses the endpoints, not the kernel, so the rules do not say what happens to packets`
    : `mode ${mode} cannot read what the kernel does`;
}

function unverified(state: ProxyState | undefined, family: IPFamily, reason: string): FamilyVerification {
  return {
    family,
    verdict: 'unknown',
    revision: state?.revision ?? 0,
    classes: 0,
    different: 0,
    unknown: 0,
    findings: [
      {
        result: 'unknown',
        kind: 'unknown',
        family,
        example: undefined,
        classes: 0,
        servicePorts: [],
        expected: 'rules that can be read',
        actual: reason,
        decidedBy: undefined,
        message: `Nothing could be verified: ${reason}`,
      },
    ],
    moreFindings: 0,
  };
}
