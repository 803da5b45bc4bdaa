import type { IPFamily } from '@kube-proxier/core';

/** The NodePorts of one IP family that sockets serve, for metrics. */
export interface NodePortListeners {
  readonly family: IPFamily;
  /** Protocols and ports whose sockets are all open. */
  readonly open: number;
  /** How often a socket could not be opened, attempts that were repeated included. */
  readonly failures: number;
}
