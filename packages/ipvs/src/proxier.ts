import { type ProxierContext, ReconcilingProxier } from '@kube-proxier/core';
import { IpvsDataplane, type IpvsSettings } from './dataplane.js';
import type { IpvsHost } from './ipvs-host.js';
import type { InstalledIpvs } from './plan/ipvs-planner.js';
import type { IpvsTransaction } from './plan/ipvs-transaction.js';

export interface IpvsProxierOptions extends IpvsSettings {
  readonly host: IpvsHost;
  readonly availableSchedulers?: () => ReadonlySet<string> | undefined;
}

/** The proxier of one IP family through IPVS. */
export class IpvsProxier extends ReconcilingProxier<IpvsTransaction, InstalledIpvs> {
  constructor(context: ProxierContext, options: IpvsProxierOptions) {
    const { family, logger, clock } = context;
    const { masqueradeBit } = context.options;
    const dataplane = new IpvsDataplane({ ...options, family, logger, clock, masqueradeBit });
    const { watchAddresses } = context;
    super({
      mode: 'ipvs',
      // The virtual addresses are local ones too, by the thousand; only the others can serve NodePorts.
      context: {
        ...context,
        localAddresses: () => dataplane.localAddresses(),
        ...(watchAddresses === undefined
          ? {}
          : {
              watchAddresses: (onChange, signal) =>
                watchAddresses(async (changes) => {
                  const others = changes?.filter(({ link }) => !dataplane.isOwnInterface(link));
                  if (others?.length !== 0) {
                    await onChange(others);
                  }
                }, signal),
            }),
      },
      dataplane,
    });
  }
}
