import { diffStates, type IPFamily, type Proxier, type ProxyState } from '@kube-proxier/core';
import { feedResolver, makeResolver, type RandomCluster, resolveObjects } from '@kube-proxier/core/testing';
import { IpvsDataplane } from '../dataplane.js';
import type { IpvsHost } from '../ipvs-host.js';
import { HOST_ADDRESSES } from './contents.js';

const OPTIONS = {
  localTrafficDetection: { kind: 'cluster-cidr', cidrs: ['10.244.0.0/16', 'fd00:244::/64'] },
  // Others are not in the states of this mode.
  portRanges: 'same-port',
} as const;

/** One family: events in, virtual servers out. */
export class Subject {
  readonly dataplane: IpvsDataplane;
  readonly handler: Proxier;
  readonly #resolver: ReturnType<typeof makeResolver>;
  #installed: ProxyState | undefined;
  #addresses: readonly string[] = HOST_ADDRESSES;

  constructor(
    readonly family: IPFamily,
    host: IpvsHost,
  ) {
    this.#resolver = makeResolver({ family, ...OPTIONS, includesLocalAddresses: true });
    this.#resolver.updateLocalAddresses(HOST_ADDRESSES);
    this.dataplane = new IpvsDataplane({ family, host });
    this.handler = feedResolver(this.#resolver);
  }

  async sync(): Promise<void> {
    const { state, changes } = this.#resolver.applyPending();
    const transaction = this.#installed
      ? this.dataplane.plan(state, changes)
      : this.dataplane.plan(state, diffStates(undefined, state), await this.dataplane.readBack());
    if (transaction) {
      await this.dataplane.apply(transaction);
    }
    this.#installed = state;
  }

  /** Addresses of the host other than the virtual ones. */
  moveTo(addresses: readonly string[]): void {
    this.#addresses = addresses;
    this.#resolver.updateLocalAddresses(addresses);
  }

  /** As after a restart of the process: the next sync reads back. */
  forget(): void {
    this.#installed = undefined;
  }

  /** What a cluster means, from the start. */
  resolve(cluster: RandomCluster): ProxyState {
    return resolveObjects({ ...cluster.objects, localAddresses: this.#addresses }, { family: this.family, ...OPTIONS });
  }
}

/** Emits an event for each of them. */
export function both(subjects: readonly Subject[]): Proxier {
  const handlers = subjects.map(({ handler }) => handler);
  return {
    ...(handlers[0] as Proxier),
    onServiceUpdate: (...event) => handlers.forEach((handler) => void handler.onServiceUpdate(...event)),
    onEndpointsUpdate: (...event) => handlers.forEach((handler) => void handler.onEndpointsUpdate(...event)),
    onNodeUpdate: (node) => handlers.forEach((handler) => void handler.onNodeUpdate(node)),
  };
}
