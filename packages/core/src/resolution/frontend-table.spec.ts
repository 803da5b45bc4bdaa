import { expect, test } from '@jest/globals';
import type { FrontendKey } from '../model/frontend.js';
import { PersistentMap } from '../model/persistent-map.js';
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
    const after = new Map([
      [web, having('a', 'c')],
      [cart, having('b')],
    ]);
    const before = { a: web, b: web, c: cart } as Record<FrontendKey, ServicePortKey>;
    const table = PersistentMap.of(Object.entries(before) as [FrontendKey, ServicePortKey][]).draft();
    const owners = () => Object.fromEntries(table.finish());
    const moved = order.map((key) => ({ key, before: previous.get(key) }));
    finish(moveFrontends(table, moved, after, true));
    expect(owners()).toEqual({ a: web, b: cart, c: web });
    finish(moveFrontends(table, [{ key: cart, before: after.get(cart) }], new Map(), false));
    expect(owners()).toEqual({ a: web, c: web });
  },
);
