import {
  checkProxierContext,
  GONE_AFTER,
  type Proxier,
  type ProxierContext,
  ReconcilingProxier,
} from '@kube-proxier/core';
import { IpvsDataplane, type IpvsDataplaneOptions } from './dataplane.js';

/** Creates the proxier of one IP family. @param onDataplane gets its dataplane. */
export function createIpvsProxier(
  context: ProxierContext,
  options: Omit<
    IpvsDataplaneOptions,
    'family' | 'logger' | 'clock' | 'masqueradeBit' | 'countConnections' | 'lostAfter'
  >,
  onDataplane: (dataplane: IpvsDataplane) => void = () => {},
): Proxier {
  checkProxierContext('ipvs', context);
  const { family, logger, clock } = context;
  const { masqueradeBit, countConnections, minSyncPeriod } = context.options;
  const lostAfter = 2 * GONE_AFTER + (minSyncPeriod === 'adaptive' ? 0 : minSyncPeriod);
  const dataplane = new IpvsDataplane({
    ...options,
    ...{ family, logger, clock, masqueradeBit, countConnections, lostAfter },
  });
  onDataplane(dataplane);
  return new ReconcilingProxier({ mode: 'ipvs', context: withoutVirtualAddresses(context, dataplane), dataplane });
}

/** A context without the virtual addresses. There may be thousands of them, and they cannot serve NodePorts. */
function withoutVirtualAddresses(
  context: ProxierContext,
  dataplane: Pick<IpvsDataplane, 'isOwnInterface' | 'localAddresses'>,
): ProxierContext {
  const { watchAddresses } = context;
  const localAddresses = () => dataplane.localAddresses();
  if (watchAddresses === undefined) {
    return { ...context, localAddresses };
  }
  return {
    ...context,
    localAddresses,
    watchAddresses: (onChange, signal) =>
      watchAddresses(async (changes) => {
        const others = changes?.filter(({ link }) => !dataplane.isOwnInterface(link));
        if (others?.length !== 0) {
          await onChange(others);
        }
      }, signal),
  };
}
