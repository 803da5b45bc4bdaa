import { type Frontend, hostCIDR, type IPFamily, type LocalTrafficDetector, type Route } from '@kube-proxier/core';
import { IptablesRule, type IptablesRuleParts, type IptablesTarget } from '@kube-proxier/linux';
import { FROM_HERE, fromPods } from './fixed-chains.js';
import { type MarkLayout, setName } from './layout.js';

/** Input of the rules of a range. */
export interface RangeContext {
  readonly family: IPFamily;
  readonly detector: LocalTrafficDetector;
  readonly marks: MarkLayout;
  /** The number in the marks of an endpoint list. */
  readonly numberOf: (list: 'cluster' | 'local') => number;
}

/** The rules of one frontend with a range, and the marks that they set. */
export interface RangeRules {
  readonly rules: readonly IptablesRule[];
  readonly marks: ReadonlyMap<number, 'cluster' | 'local' | 'none'>;
}

/**
 * Rules that set the mark of a virtual server, which keeps the port, on the first packet of a connection to any port of
 * a range. IPVS compares the whole mark, so masqueraded packets use a different mark and virtual server. A later rule
 * overrides an earlier one: routes are in reverse order.
 */
export function rangeRules(frontend: Frontend, context: RangeContext): RangeRules {
  const { family, detector, marks, numberOf } = context;
  const { address = '', port, lastPort = port, routes, allowedSources } = frontend;
  const protocol = frontend.protocol.toLowerCase() as Lowercase<Frontend['protocol']>;
  const given = new Map<number, 'cluster' | 'local' | 'none'>();
  const rules: IptablesRule[] = [];
  const add = (target: IptablesTarget, parts: IptablesRuleParts = {}) => {
    const matches = [{ match: 'port', protocol, first: port, last: lastPort } as const, ...(parts.matches ?? [])];
    rules.push(new IptablesRule({ ...parts, destination: { value: hostCIDR(address) }, protocol, matches, target }));
  };
  const setTo = (value: number): IptablesTarget => ({ target: 'MARK', value, mask: 0xffff_ffff });
  const isMarked = (value: number) => ({ match: 'mark', value, mask: 0xffff_ffff }) as const;
  const dropped = marks.dropMark;
  if (allowedSources !== undefined) {
    add(setTo(dropped));
    for (const value of allowedSources) {
      add(setTo(0), { source: { value } });
    }
    add({ target: 'DROP' }, { matches: [isMarked(dropped)] });
  }
  const give = (route: Route, isMasqueraded: boolean, parts: IptablesRuleParts) => {
    if (route.action === 'drop') {
      add(setTo(dropped), parts);
      return;
    }
    const list = route.action === 'forward' ? route.endpoints : 'none';
    // One without endpoints rejects.
    const mark = marks.rangeMark(numberOf(list === 'local' ? 'local' : 'cluster'), isMasqueraded);
    given.set(mark, list);
    add(setTo(mark), parts);
  };
  for (const route of [...routes].reverse()) {
    const pods = detector.kind === 'none' ? undefined : fromPods(detector);
    if (route.source === 'pod' && pods === undefined) {
      continue;
    }
    const from: IptablesRuleParts =
      route.source === 'any' ? {} : route.source === 'node' ? { matches: [FROM_HERE] } : (pods ?? {});
    const masquerade = route.action === 'forward' ? route.masquerade : 'never';
    give(route, masquerade === 'always' || (masquerade === 'off-cluster' && route.source !== 'pod'), from);
    if (masquerade === 'off-cluster' && route.source !== 'pod' && pods !== undefined) {
      give(route, false, { ...pods, ...(from.matches ? { matches: from.matches } : {}) });
    }
    if (route.source === 'any' && route.action === 'forward' && masquerade !== 'always') {
      // A process of this node that connects to a virtual address uses it as its source address.
      give(route, true, { matches: [{ match: 'set', set: setName('ADDRESSES', family), sides: ['src'] }] });
    }
  }
  if (routes.some(({ action }) => action === 'drop')) {
    add({ target: 'DROP' }, { matches: [isMarked(dropped)] });
  }
  return { rules, marks: given };
}
