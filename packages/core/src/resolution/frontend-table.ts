import type { FrontendKey } from '../model/frontend.js';
import type { MapDraft } from '../model/persistent-map.js';
import type { ResolvedServicePort } from '../model/proxy-state.js';
import type { ServicePortKey } from '../model/service-port-name.js';
import type { Slices } from '../pacing/slices.js';

/** A service port whose frontends differ from those of the previous state. */
export interface MovedFrontends {
  readonly key: ServicePortKey;
  readonly before: ResolvedServicePort | undefined;
}

/**
 * Updates the owners of frontends. All removals precede additions, because a frontend may move from one service port to
 * another.
 *
 * @param frontends the table of the next state.
 * @param after the service ports of the next state.
 * @param isLong whether it yields after each service port.
 */
export function* moveFrontends(
  frontends: MapDraft<FrontendKey, ServicePortKey>,
  moved: readonly MovedFrontends[],
  after: Pick<ReadonlyMap<ServicePortKey, ResolvedServicePort>, 'get'>,
  isLong: boolean,
): Slices<void> {
  for (const { key, before } of moved) {
    if (isLong) {
      yield;
    }
    const current = after.get(key);
    for (const frontend of before?.frontends ?? []) {
      const isKept = current?.frontends.some((kept) => kept.key === frontend.key) ?? false;
      if (frontends.get(frontend.key) === key && !isKept) {
        frontends.delete(frontend.key);
      }
    }
  }
  for (const { key } of moved) {
    if (isLong) {
      yield;
    }
    for (const frontend of after.get(key)?.frontends ?? []) {
      frontends.set(frontend.key, key);
    }
  }
}
