import {
  type BackendModule,
  type Cleanup,
  type Diagnosis,
  diffStates,
  type IPFamily,
  messageOf,
  type ProbeResult,
  Tokens,
} from '@kube-proxier/core';
import {
  type CommandRunner,
  canRun,
  createCommandRunner,
  createNft,
  inNewNamespace,
  type Nft,
  NftError,
} from '@kube-proxier/linux';
import { ContainerModule } from 'inversify';
import { NftablesDataplane, removeTable } from './nftables-dataplane.js';
import { NftablesLeftovers } from './nftables-error.js';
import { NftablesProxier } from './nftables-proxier.js';
import { trialState } from './trial-state.js';

export interface NftablesBackendOptions {
  /** Runs nft. Default: on this host. */
  readonly runner?: CommandRunner;
}

const FAMILIES: readonly IPFamily[] = ['IPv4', 'IPv6'];

/** Makes the nftables backend. Touches nothing until it is used. */
export function createNftablesBackend(options: NftablesBackendOptions = {}): BackendModule {
  const runner = options.runner ?? createCommandRunner();
  return {
    mode: 'nftables',
    description: 'Programs netfilter through nftables, with a ruleset that does not grow with the cluster',
    capabilities: { localhostNodePorts: false },
    probe: () => probe(runner),
    diagnose: () => diagnose(runner),
    module: new ContainerModule(({ bind }) => {
      bind(Tokens.ProxierFactory).toConstantValue((context) => new NftablesProxier(context, createNft({ runner })));
      bind(Tokens.Cleanup).toConstantValue(() => cleanup(createNft({ runner })));
    }),
  };
}

/**
 * Loads a table with every kind of rule there is, as a first sync would, in a namespace of its own; where that cannot
 * be made, has the kernel check it. So what this nft or this kernel does not know comes out now, and no version need be
 * known for it.
 */
async function probe(runner: CommandRunner): Promise<ProbeResult> {
  try {
    const nft = createNft({ runner });
    const version = await nft.version();
    await nft.tables('ip');
    const own = inNewNamespace(runner);
    const isolated = await canRun(own);
    const trial = isolated ? createNft({ runner: own }) : nft;
    for (const family of FAMILIES) {
      const state = trialState(family);
      const plan = new NftablesDataplane({ family, nft }).plan(state, diffStates(undefined, state));
      const write = plan && { ...plan.write, table: isolated ? plan.write.table : `${plan.write.table}-trial` };
      if (write !== undefined) {
        await (isolated ? trial.run(write) : trial.check(write));
      }
    }
    return { usable: true, detail: `nft ${version}` };
  } catch (error) {
    return { usable: false, reason: messageOf(error).replace(/\.$/, '') };
  }
}

/** Whether the kernel of this host, in its own namespace, would take a table with every kind of rule there is. */
async function diagnose(runner: CommandRunner): Promise<readonly Diagnosis[]> {
  const check = 'nftables layout';
  const nft = createNft({ runner });
  try {
    for (const family of FAMILIES) {
      const state = trialState(family);
      const plan = new NftablesDataplane({ family, nft }).plan(state, diffStates(undefined, state));
      if (plan) {
        await nft.check({ ...plan.write, table: `${plan.write.table}-trial` });
      }
    }
    return [{ check, status: 'ok', found: 'is accepted by nft --check, for IPv4 and IPv6' }];
  } catch (error) {
    const advice = 'use a newer nft and kernel, or another mode';
    return [{ check, status: 'problem', found: `is refused: ${messageOf(error)}`, advice }];
  } finally {
    nft.close();
  }
}

/** Where there is no nft, there is nothing to clean up (spec N-70). */
async function cleanup(nft: Nft): ReturnType<Cleanup> {
  const left: string[] = [];
  let cause: unknown;
  for (const family of FAMILIES) {
    try {
      await removeTable(nft, family);
    } catch (error) {
      if (error instanceof NftError && error.code === 'NFT_MISSING') {
        return;
      }
      left.push(`${family} table: ${messageOf(error)}`);
      cause = error;
    }
  }
  nft.close();
  if (left.length > 0) {
    throw new NftablesLeftovers(left, { cause });
  }
}

/** The backend with its defaults. */
export const nftablesBackend: BackendModule = createNftablesBackend();
