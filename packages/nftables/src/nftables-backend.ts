import {
  type BackendModule,
  type Cleanup,
  diffStates,
  type IPFamily,
  messageOf,
  type ProbeResult,
  type Proxier,
  type ProxierContext,
  type ProxyMode,
  ReconcilingProxier,
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
import { TABLE } from './layout.js';
import { NftablesDataplane, removeTable } from './nftables-dataplane.js';
import { NftablesLeftovers } from './nftables-error.js';
import { trialState } from './trial-state.js';

export interface NftablesBackendOptions {
  /** Runs nft. Default: on this host. */
  readonly runner?: CommandRunner;
}

const MODE: ProxyMode = 'nftables';
const FAMILIES: readonly IPFamily[] = ['IPv4', 'IPv6'];

/** Makes the nftables backend. Touches nothing until it is used. */
export function createNftablesBackend(options: NftablesBackendOptions = {}): BackendModule {
  const runner = options.runner ?? createCommandRunner();
  return {
    mode: MODE,
    description: 'Programs netfilter through nftables, with a ruleset that does not grow with the cluster',
    capabilities: { localhostNodePorts: false },
    probe: () => probe(runner),
    module: new ContainerModule(({ bind }) => {
      bind(Tokens.ProxierFactory).toConstantValue((context) => createProxier(context, createNft({ runner })));
      bind(Tokens.Cleanup).toConstantValue((_logger, inForce) => cleanup(createNft({ runner }), inForce));
    }),
  };
}

/** Makes the proxier of one family, which writes through `nft`. */
export function createProxier(context: ProxierContext, nft: Nft): Proxier {
  const { family, logger, clock, options } = context;
  const dataplane = new NftablesDataplane({ family, nft, masqueradeBit: options.masqueradeBit, logger, clock });
  return new ReconcilingProxier({ mode: MODE, context, dataplane });
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

/** The table that kube-proxy has for itself in each family (spec N-1). Who goes back to kube-proxy needs it. */
const KUBE_PROXY_TABLE = 'kube-proxy';

/** Where there is no nft, there is nothing to clean up (spec N-70). */
async function cleanup(nft: Nft, inForce: ProxyMode | undefined): ReturnType<Cleanup> {
  const tables = [...(inForce === MODE ? [] : [TABLE]), ...(inForce === undefined ? [] : [KUBE_PROXY_TABLE])];
  const left: string[] = [];
  let cause: unknown;
  for (const family of FAMILIES) {
    for (const table of tables) {
      try {
        await removeTable(nft, family, table);
      } catch (error) {
        if (error instanceof NftError && error.code === 'NFT_MISSING') {
          return;
        }
        left.push(`${family} table ${table}: ${messageOf(error)}`);
        cause = error;
      }
    }
  }
  nft.close();
  if (left.length > 0) {
    throw new NftablesLeftovers(left, { cause });
  }
}

/** The backend with its defaults. */
export const nftablesBackend: BackendModule = createNftablesBackend();
