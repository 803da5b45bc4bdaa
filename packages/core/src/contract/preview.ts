import type { ProxyState } from '../model/proxy-state.js';
import { diffStates } from '../resolution/diff-states.js';
import type { ProxierContext } from './backend-module.js';
import type { Dataplane } from './dataplane.js';
import type { RuleChange } from './rule-change.js';

/** The dependencies of a preview. */
export type PreviewContext = Pick<ProxierContext, 'family' | 'options' | 'logger' | 'clock' | 'localAddresses'>;

/**
 * Shows what a proxier of a backend would write, for one IP family. It never writes: it reads the kernel, and plans.
 */
export interface Preview {
  /** As {@link Dataplane.followsLocalAddresses}: the states must have `NodeState.localAddresses`. */
  readonly followsLocalAddresses: boolean;
  /** The addresses that states are to be resolved with. */
  localAddresses(): Promise<readonly string[]>;
  /**
   * The changes that lead from what is installed to `next`.
   *
   * @param previous the state that an agent has in force; undefined when none runs in this mode. For backends whose
   * objects live in the process of the agent, which cannot be read.
   * @throws ProxierError when the kernel cannot be read, for example without privileges.
   */
  changes(next: ProxyState, previous: ProxyState | undefined): Promise<readonly RuleChange[]>;
  /** Stops background work. */
  close(): Promise<void>;
}

/** Creates the preview of one IP family. Must not access the kernel: that begins with {@link Preview.changes}. */
export type PreviewFactory = (context: PreviewContext) => Preview;

/** What {@link createPreview} needs of a backend. */
export interface PreviewOptions<Transaction, Installed> {
  /** Reading it back must not change anything, nor begin any work. */
  readonly dataplane: Pick<Dataplane<Transaction, Installed>, 'followsLocalAddresses' | 'plan' | 'readBack' | 'close'> &
    Required<Pick<Dataplane<Transaction, Installed>, 'render'>>;
  readonly localAddresses: () => Promise<readonly string[]>;
  /** Completes changes with what only a tool can print, before they are written. Default: nothing. */
  readonly complete?: (changes: readonly RuleChange[]) => Promise<readonly RuleChange[]>;
}

/** A preview from a dataplane: reads back and plans, but never applies. */
export function createPreview<Transaction, Installed>({
  dataplane,
  localAddresses,
  complete = async (changes) => changes,
}: PreviewOptions<Transaction, Installed>): Preview {
  return {
    followsLocalAddresses: dataplane.followsLocalAddresses ?? false,
    localAddresses,
    async changes(next) {
      const installed = await dataplane.readBack();
      const transaction = dataplane.plan(next, diffStates(undefined, next), installed);
      return transaction === undefined ? [] : await complete(dataplane.render(transaction, installed));
    },
    async close() {
      await dataplane.close?.();
    },
  };
}
