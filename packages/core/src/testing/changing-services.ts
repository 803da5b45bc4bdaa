import type { Dataplane } from '../contract/dataplane.js';
import type { ProxyState } from '../model/proxy-state.js';
import type { PacketPath } from '../verification/packet-path.js';
import type { FamilyVerification } from '../verification/verification-result.js';
import { verifyInSlices } from '../verification/verify-state.js';
import { type ClusterSketch, EXAMPLE_SERVICE, everything, type ServiceSketch } from './cluster-sketch.js';

/** Milliseconds between two changes. */
const PAUSE = 10;

/** A dataplane whose Services change all the time, one with each sync; the last Service does not change. */
export class ChangingServices<Transaction, Installed> {
  #state: ProxyState | undefined;
  #syncs = 0;
  #isOver = false;
  #changing: Promise<void> = Promise.resolve();

  /**
   * @param count number of Services, named `ns/svc1` and so on, with one endpoint on this node and one on another.
   * @param vary what differs between Services and changes, by the numbers of the Service and of its first endpoint.
   */
  constructor(
    private readonly cluster: ClusterSketch,
    private readonly dataplane: Pick<Dataplane<Transaction, Installed>, 'plan' | 'readBack' | 'apply'>,
    private readonly count: number,
    private readonly vary: (number: number, endpoint: number) => Partial<ServiceSketch>,
  ) {
    for (let number = 1; number <= count; number++) {
      this.set(number, 2 * number);
    }
  }

  /** Sets a Service, to be installed with the next sync. */
  set(number: number, endpoint: number): void {
    this.cluster.set({
      ...{ ...EXAMPLE_SERVICE, name: `ns/svc${number}`, number },
      endpoints: [
        { number: endpoint, node: 'node1' },
        { number: endpoint + 1, node: 'node2' },
      ],
      ...this.vary(number, endpoint),
    });
  }

  async sync(): Promise<void> {
    const { state, changes } = this.cluster.next();
    const isFirst = this.#state === undefined;
    const transaction = this.dataplane.plan(
      state,
      isFirst ? everything(state) : changes,
      isFirst ? await this.dataplane.readBack() : undefined,
    );
    if (transaction !== undefined) {
      await this.dataplane.apply(transaction);
    }
    this.#state = state;
  }

  /** @param onChange further changes, before each sync; its number begins at 0. Default: none. */
  start(onChange: (sync: number) => void = () => {}): void {
    this.#changing = this.#change(onChange);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#changing;
  }

  /**
   * Verifies the state that is in force at each moment, and closes the path.
   *
   * @param run runs the verification.
   * @returns its result, and the number of syncs meanwhile.
   */
  async verify(
    path: PacketPath,
    run: (slices: ReturnType<typeof verifyInSlices>) => Promise<FamilyVerification | undefined>,
  ): Promise<Partial<FamilyVerification> & { readonly syncs: number }> {
    const before = this.#syncs;
    const current = () => this.#state as ProxyState;
    const result = await run(verifyInSlices(current(), path, { current }));
    path.close?.();
    return { ...result, syncs: this.#syncs - before };
  }

  async #change(onChange: (sync: number) => void): Promise<void> {
    for (; !this.#isOver; this.#syncs++) {
      const number = 1 + ((this.#syncs * 7919) % (this.count - 1));
      this.set(number, 2 * number + 10_001 * (this.#syncs % 2));
      onChange(this.#syncs);
      await this.sync();
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }
}
