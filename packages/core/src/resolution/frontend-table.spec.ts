import { expect, test } from '@jest/globals';
import { Map as PersistentMap } from 'immutable';
import type { FrontendKey } from '../model/frontend.js';
import type { ResolvedServicePort } from '../model/proxy-state.js';
import type { ServicePortKey } from '../model/service-port-name.js';
import { finish } from '../pacing/slices.js';
import { moveFrontends } from './frontend-table.js';

const [web, cart] = ['work/web' as ServicePortKey, 'work/cart' as ServicePortKey];

function having(...keys: readonly string[]): ResolvedServicePort {
  return { frontends: keys.map((key) => ({ key })) } as unknown as ResolvedServicePort;
}

test.each([[[web, cart]], [[cart, web]]])(
  'frontends go from one service port to another, in any order: %j',
  (order) => {
    const previous = new Map([
      [web, having('a', 'b')],
      [cart, having('c')],
    ]);
    const after = PersistentMap([
      [web, having('a', 'c')],
      [cart, having('b')],
    ]);
    const before = PersistentMap({ a: web, b: web, c: cart }) as unknown as PersistentMap<FrontendKey, ServicePortKey>;
    const table = before.asMutable();
    const moved = order.map((key) => ({ key, before: previous.get(key) }));
    finish(moveFrontends(table, moved, after, true));
    expect(table.toObject()).toEqual({ a: web, b: cart, c: web });
    finish(moveFrontends(table, [{ key: cart, before: after.get(cart) }], PersistentMap(), false));
    expect(table.toObject()).toEqual({ a: web, c: web });
  },
);
