import { Container, ContainerModule, type ResolutionContext } from 'inversify';
import type { BackendModule, ProxierContext, ProxierFactory } from '../contract/backend-module.js';
import type { Logger } from '../contract/logger.js';
import { Tokens } from '../contract/tokens.js';
import type { Clock } from '../sync/clock.js';
import { CompanionProgress } from '../sync/companion-progress.js';
import { CompanionProxier } from '../sync/companion-proxier.js';

/**
 * A backend with a companion that adds missing features: NodePorts on 127.0.0.1 for nftables, for example. Mode, probe
 * and metadata are those of the main backend. A sync is reported when both are done (or the companion failed, or took
 * more than a second).
 *
 * @param contextOf - derives the companion's context from that of the main backend; undefined where no companion is
 *   needed.
 */
export function withCompanion(
  primary: BackendModule,
  companion: BackendModule,
  contextOf: (context: ProxierContext) => ProxierContext | undefined,
): BackendModule {
  const factory: ProxierFactory = (context) => {
    const create = (backend: BackendModule, given: ProxierContext) =>
      partsOf(backend, given).get(Tokens.ProxierFactory)(given);
    const companionContext = contextOf(context);
    if (companionContext === undefined) {
      return create(primary, context);
    }
    const progress = new CompanionProgress(context.clock);
    const [first, second] = [
      create(primary, progress.waitedFor(context)),
      create(companion, progress.watched(companionContext, context.observer)),
    ];
    return new CompanionProxier(first, second, progress, context.logger);
  };
  return {
    ...primary,
    module: new ContainerModule(({ bind }) => {
      bind(Tokens.ProxierFactory).toConstantValue(factory);
      const parts = (resolution: ResolutionContext) =>
        partsOf(primary, { logger: resolution.get(Tokens.Logger), clock: resolution.get(Tokens.Clock) });
      const own = new Container();
      own.load(primary.module);
      bind(Tokens.Cleanup).toDynamicValue((resolution) => parts(resolution).get(Tokens.Cleanup));
      if (own.isBound(Tokens.KubeProxyCleanup)) {
        bind(Tokens.KubeProxyCleanup).toDynamicValue((resolution) => parts(resolution).get(Tokens.KubeProxyCleanup));
      }
      if (own.isBound(Tokens.Leftovers)) {
        bind(Tokens.Leftovers).toDynamicValue((resolution) => parts(resolution).get(Tokens.Leftovers));
      }
    }),
  };
}

function partsOf({ module }: BackendModule, { logger, clock }: { readonly logger: Logger; readonly clock: Clock }) {
  const container = new Container();
  container.bind(Tokens.Logger).toConstantValue(logger);
  container.bind(Tokens.Clock).toConstantValue(clock);
  container.load(module);
  return container;
}
