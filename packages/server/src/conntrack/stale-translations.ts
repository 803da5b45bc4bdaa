import {
  type ChangeSet,
  type Endpoint,
  endpointsKeepingFlows,
  type Frontend,
  familyOf,
  type ProxyState,
  type ResolvedServicePort,
} from '@kube-proxier/core';
import type { ConntrackTranslation } from '@kube-proxier/linux';
import type { StaleProtocol, StaleReason } from './stale-flows.js';

/** Stale flows of one protocol and for one reason, by their translation. */
export interface StaleTranslations {
  readonly protocol: StaleProtocol;
  readonly reason: StaleReason;
  readonly translations: readonly ConntrackTranslation[];
}

/** Number of translations from which a dump of all flows is cheaper than a pass over the table for each. */
const MAX_TRANSLATIONS = 32;

/**
 * The translations of flows that become stale by these changes, if they follow from the changes alone. Flows that a
 * `staleFlowJudge` finds stale have one of these, if none was stale before. Cost is proportional to the changes. Pure.
 *
 * @param localAddresses canonical addresses of this host.
 * @returns undefined when the previous state is unknown, or when there are so many that a dump is cheaper.
 */
export function staleTranslations(
  state: ProxyState,
  { previous: known, resolvedServicePorts }: ChangeSet,
  localAddresses: ReadonlySet<string>,
): readonly StaleTranslations[] | undefined {
  if (known === undefined) {
    return undefined;
  }
  const found = new Map<
    string,
    { protocol: StaleProtocol; reason: StaleReason; translations: ConntrackTranslation[] }
  >();
  const ofNode = [...localAddresses].filter((address) => familyOf(address) === state.family);
  let count = 0;
  const add = (reason: StaleReason, frontend: Frontend, answeredBy: readonly (Endpoint | undefined)[]): void => {
    const { protocol, address, port } = frontend;
    if ((protocol !== 'UDP' && protocol !== 'SCTP') || answeredBy.length === 0) {
      return;
    }
    const addresses = address === undefined ? ofNode : [address];
    count += addresses.length * answeredBy.length;
    if (count > MAX_TRANSLATIONS) {
      return;
    }
    const key = `${protocol} ${reason}`;
    const group = found.get(key) ?? { protocol, reason, translations: [] };
    found.set(key, group);
    for (const destination of addresses) {
      for (const endpoint of answeredBy) {
        // Without an endpoint, the destination itself answered.
        const { address: source, port: sourcePort } = endpoint ?? { address: destination, port };
        group.translations.push({ destination, destinationPort: port, source, sourcePort });
      }
    }
  };
  for (const { previous, current } of resolvedServicePorts.values()) {
    if (hasRange(previous) || hasRange(current)) {
      // A range of ports has a translation for each port.
      return undefined;
    }
    const keeping = new Set(current === undefined ? [] : endpointsKeepingFlows(current).map(({ key }) => key));
    const isServed = current?.candidates.some(({ serving }) => serving) ?? false;
    const remaining = new Set(current?.frontends.map(({ key }) => key));
    for (const frontend of previous?.frontends ?? []) {
      if (!state.frontends.has(frontend.key)) {
        add('frontend-gone', frontend, previous?.candidates ?? []);
      } else if (remaining.has(frontend.key)) {
        add(
          'endpoint-gone',
          frontend,
          (previous?.candidates ?? []).filter(({ key }) => !keeping.has(key)),
        );
      }
    }
    const before = new Set(previous?.frontends.map(({ key }) => key));
    const wasServed = previous?.candidates.some(({ serving }) => serving) ?? false;
    for (const frontend of current?.frontends ?? []) {
      if (!before.has(frontend.key) && known.frontends.has(frontend.key)) {
        // It led to endpoints of another Service, which are not available here.
        return undefined;
      }
      if (isServed && (!wasServed || !before.has(frontend.key))) {
        add('untranslated', frontend, [undefined]);
      }
    }
    if (count > MAX_TRANSLATIONS) {
      return undefined;
    }
  }
  return [...found.values()];
}

function hasRange(port: ResolvedServicePort | undefined): boolean {
  return port?.frontends.some(({ protocol, lastPort }) => lastPort !== undefined && protocol !== 'TCP') ?? false;
}
