import {
  finish,
  type IPFamily,
  type PacketPath,
  type PathOutcome,
  type PathPacket,
  type PathRule,
} from '@kube-proxier/core';
import type { BaseChain } from './base-chain.js';
import { type ChainEnd, walkChain } from './chain-walk.js';
import { assuming } from './chance.js';
import type { CompiledLiveTable } from './live-iptables.js';
import { withoutDuplicates } from './merge-walkers.js';
import { isLoopback, type PathHost } from './path-host.js';
import { type Ended, summarise } from './path-outcomes.js';
import { StepCount, TooManySteps } from './step-count.js';
import { sysctlRule } from './sysctl-rule.js';
import { append, type Hook, startWalk, type Visit, type Walker, withChanges } from './walker.js';

/** IPVS, for backends that program it. */
export interface PathStage {
  /**
   * Called for packets delivered to the host, after its filters, and for packets from the host itself, before its
   * filters.
   *
   * @returns the action for the packet; undefined when IPVS does not process it.
   */
  balance(walker: Walker): readonly StageOutcome[] | undefined;
  /** Why it does not process a packet, as one sentence without a full stop. */
  missed(walker: Walker): string;
}

export interface StageOutcome {
  readonly walker: Walker;
  readonly verdict: 'forwarded' | 'refused' | 'dropped';
  readonly by: PathRule;
}

/** A handler at a hook. */
type Step = BaseChain | 'stage';

/** Hook priorities of IPVS: after DNAT in `output`, before SNAT in `input`. */
const STAGE_PRIORITY: Readonly<Partial<Record<Hook, number>>> = { output: -98, input: 98 };

export interface NetfilterPathOptions {
  readonly family: IPFamily;
  readonly host: PathHost;
  readonly chains: readonly BaseChain[];
  readonly unread?: readonly string[];
  readonly stage?: PathStage;
  /** Lookup of chains and elements on demand. Default: all were read in advance. */
  readonly live?: LivePath;
  /** Tables with long chains that change. Default: none. */
  readonly prepared?: readonly Pick<CompiledLiveTable, 'prepareInSlices'>[];
}

/** The lookups of a live path. */
export interface LivePath {
  /**
   * Later lookups read the kernel again.
   *
   * @param isUrgent default true. Otherwise the result of a slow lookup may be used for a while.
   */
  forget(isUrgent?: boolean): void;
  close(): void;
}

/** The evaluation of one packet. */
class Evaluation {
  readonly ends: Ended[] = [];
  /** What remains to be done, the next last. */
  readonly #tasks: (() => void)[] = [];

  constructor(readonly steps: StepCount) {}

  /** In this order, before what was added earlier. */
  add(tasks: readonly (() => void)[]): void {
    for (let index = tasks.length - 1; index >= 0; index--) {
      this.#tasks.push(tasks[index] as () => void);
    }
  }

  /** @throws TooManySteps */
  *run(): Generator<undefined, readonly Ended[]> {
    for (let task = this.#tasks.pop(); task !== undefined; task = this.#tasks.pop()) {
      task();
      if (this.steps.isPauseDue()) {
        yield;
      }
    }
    return this.ends;
  }
}

/**
 * Simulates packets through all rules of a host: the hooks in the kernel's order, NAT once per connection, routing, and
 * kernel settings. Pure.
 */
export class NetfilterPath implements PacketPath {
  readonly family: IPFamily;
  readonly localAddresses: ReadonlySet<string>;
  readonly interfaces: readonly string[];
  readonly unread: readonly string[];
  readonly #host: PathHost;
  readonly #hooks = new Map<Hook, readonly Step[]>();
  readonly #stage: PathStage | undefined;
  readonly #live: LivePath | undefined;
  readonly #prepared: readonly Pick<CompiledLiveTable, 'prepareInSlices'>[];
  readonly #steps = new StepCount();

  constructor({ family, host, chains, live, prepared = [], unread = [], stage }: NetfilterPathOptions) {
    this.#prepared = prepared;
    this.family = family;
    this.#live = live;
    this.#host = host;
    this.#stage = stage;
    this.unread = unread;
    this.localAddresses = host.facts.localAddresses;
    this.interfaces = [...host.facts.addressesOf.keys()];
    for (const hook of ['prerouting', 'input', 'forward', 'output', 'postrouting'] as const) {
      // An empty filter chain has no effect; an empty NAT chain is kept for findings.
      const those = chains.filter(
        (one) =>
          one.hook === hook &&
          (one.type === 'nat' || one.policy === 'drop' || one.isLive === true || one.chain.rules.length > 0),
      );
      this.#hooks.set(hook, this.#withStage(inOrder(those, hook), hook));
    }
  }

  get isLive(): boolean {
    return this.#live !== undefined;
  }

  refresh(isUrgent = true): void {
    this.#live?.forget(isUrgent);
  }

  *prepareInSlices(): Generator<undefined, void> {
    for (const table of this.#prepared) {
      yield* table.prepareInSlices();
    }
  }

  close(): void {
    this.#live?.close();
  }

  #withStage(chains: readonly BaseChain[], hook: Hook): readonly Step[] {
    const priority = STAGE_PRIORITY[hook];
    if (this.#stage === undefined || priority === undefined) {
      return chains;
    }
    const at = chains.findIndex((chain) => placeOf(chain, hook) > priority);
    return at < 0 ? [...chains, 'stage'] : [...chains.slice(0, at), 'stage', ...chains.slice(at)];
  }

  outcomesOf(packet: PathPacket, explains = true): readonly PathOutcome[] {
    return finish(this.outcomesInSlices(packet, explains));
  }

  *outcomesInSlices(packet: PathPacket, explains = true): Generator<undefined, readonly PathOutcome[]> {
    this.#steps.begin();
    try {
      return yield* this.#outcomes(packet, explains);
    } catch (error) {
      if (error instanceof TooManySteps) {
        return [unknownOutcome(error.rule)];
      }
      throw error;
    }
  }

  *#outcomes(packet: PathPacket, explains: boolean): Generator<undefined, readonly PathOutcome[]> {
    const outcomes = yield* this.#outcomesFrom(packet, explains);
    if (packet.entry.kind !== 'host' || !this.#host.isVirtual(packet.destination)) {
      return outcomes;
    }
    // A process without a bound source address gets the virtual address. Remote endpoints cannot reply to it.
    const text = `${packet.destination} is the source address of processes that choose none, and is kept`;
    const unanswered = (yield* this.#outcomesFrom({ ...packet, source: packet.destination }, explains))
      .filter(({ verdict, destination, masqueraded }) => verdict === 'accepted' && destination && !masqueraded)
      .map((outcome): PathOutcome => ({ ...outcome, verdict: 'dropped', decidedBy: { system: 'ipvs', text } }));
    return unanswered.length > 0 && outcomes.every(({ verdict }) => verdict === 'accepted') ? unanswered : outcomes;
  }

  *#outcomesFrom(packet: PathPacket, explains: boolean): Generator<undefined, readonly PathOutcome[]> {
    const evaluation = new Evaluation(this.#steps);
    const fromHost = packet.entry.kind === 'host';
    const hook = fromHost ? 'output' : 'prerouting';
    const start = withChanges(startWalk(packet, hook, fromHost ? null : this.#inputInterface(packet)), { explains });
    const first = fromHost ? withChanges(start, { outInterface: this.#outInterface(start) }) : start;
    const martian = fromHost ? undefined : this.#reversePathRule(first);
    if (martian !== undefined) {
      evaluation.ends.push({ walker: first, verdict: 'dropped', by: martian });
    } else {
      this.#pass(hook, first, evaluation, (walker) =>
        fromHost ? this.#afterOutput(walker, evaluation) : this.#route(walker, evaluation),
      );
    }
    return summarise(yield* evaluation.run(), this.#stage);
  }

  /** The input interface of a packet: the output interface of the route to its source. */
  #inputInterface({ source, destination, entry }: PathPacket): string | undefined {
    if (entry.kind === 'interface' && entry.name !== undefined) {
      return entry.name;
    }
    return this.#host.routeOf({ source: destination, destination: source, mark: 0 })?.interfaceName;
  }

  #outInterface(walker: Walker): string | undefined {
    return this.#host.isLocal(walker.destination) ? 'lo' : this.#host.routeOf(walker)?.interfaceName;
  }

  /** The rp_filter setting that drops packets whose replies would leave by another interface. */
  #reversePathRule({ source, destination, inInterface }: Walker): PathRule | undefined {
    if (this.family !== 'IPv4') {
      return undefined;
    }
    const name = `net/ipv4/conf/${inInterface ?? 'all'}/rp_filter`;
    const all = this.#host.sysctl('net/ipv4/conf/all/rp_filter') ?? 0;
    const own = this.#host.sysctl(name) ?? 0;
    const mode = Math.max(all, own);
    const back = this.#host.routeOf({ source: destination, destination: source, mark: 0 });
    if (mode === 0 || back === undefined) {
      return undefined;
    }
    const isReached =
      back?.interfaceName !== undefined && (mode === 2 || !inInterface || back.interfaceName === inInterface);
    return isReached ? undefined : sysctlRule(all >= own ? 'net/ipv4/conf/all/rp_filter' : name, mode);
  }

  #route(walker: Walker, evaluation: Evaluation): void {
    if (this.#host.isLocal(walker.destination)) {
      this.#deliver(walker, evaluation);
      return;
    }
    this.#forward(walker, evaluation);
  }

  #forward(start: Walker, evaluation: Evaluation): void {
    const routed = this.#routed(start, evaluation);
    if (routed === undefined) {
      return;
    }
    const outInterface = this.#outInterface(routed);
    const walker: Walker = withChanges(routed, { hook: 'forward', outInterface });
    this.#pass('forward', walker, evaluation, (passed) =>
      this.#pass('postrouting', withChanges(passed, { hook: 'postrouting' }), evaluation, (left) => {
        const bridge = this.#bridgeRule(left);
        const isBridge = bridge === undefined ? false : this.#host.facts.bridges?.has(left.inInterface ?? '');
        // Where bridges are unknown, both are possible.
        const walker = bridge === undefined || isBridge !== undefined ? left : assuming(left, bridge);
        if (isBridge !== true) {
          evaluation.ends.push({ walker, verdict: 'accepted', by: left.translatedBy });
        }
        if (isBridge !== false) {
          evaluation.ends.push({ walker, verdict: 'dropped', by: bridge });
        }
      }),
    );
  }

  /** The packet after the decision whether to forward it; undefined when it is dropped. */
  #routed(start: Walker, evaluation: Evaluation): Walker | undefined {
    const name = this.#forwardingSetting(start);
    const value = this.#host.sysctl(name);
    if (value !== undefined && value !== 0) {
      return start;
    }
    const rule = sysctlRule(name, value);
    // Where the setting is unknown, both are possible.
    const routed = value === undefined ? assuming(start, rule) : start;
    evaluation.ends.push({ walker: routed, verdict: 'dropped', by: rule });
    return value === undefined ? routed : undefined;
  }

  /** The setting that determines whether the kernel forwards a packet. */
  #forwardingSetting({ inInterface }: Walker): string {
    if (this.family === 'IPv6') {
      return 'net/ipv6/conf/all/forwarding';
    }
    // The setting of the interface applies; if unknown, that of all. Where both are off, that of all is named.
    const all = 'net/ipv4/ip_forward';
    const own = `net/ipv4/conf/${inInterface}/forwarding`;
    const value = inInterface ? this.#host.sysctl(own) : undefined;
    return value === undefined || (value === 0 && this.#host.sysctl(all) === 0) ? all : own;
  }

  /**
   * The setting that applies if the interface is a bridge. Replies between two pods on one bridge bypass conntrack, unless
   * bridged packets pass netfilter: the client then receives a reply from an unexpected address.
   */
  #bridgeRule({ inInterface, outInterface, translatedBy, masqueradedBy }: Walker): PathRule | undefined {
    if (!inInterface || inInterface !== outInterface || translatedBy === undefined || masqueradedBy !== undefined) {
      return undefined;
    }
    const name = `net/bridge/bridge-nf-call-${this.family === 'IPv4' ? 'iptables' : 'ip6tables'}`;
    return this.#host.sysctl(name) === 0 ? sysctlRule(name, 0) : undefined;
  }

  #afterOutput(start: Walker, evaluation: Evaluation): void {
    const outInterface = this.#outInterface(start);
    if (isLoopback(start.source) && !this.#host.isLocal(start.destination) && this.family === 'IPv4') {
      const name = `net/ipv4/conf/${outInterface ?? 'all'}/route_localnet`;
      const all = this.#host.sysctl('net/ipv4/conf/all/route_localnet');
      if (all === 0 && (this.#host.sysctl(name) ?? 0) === 0) {
        evaluation.ends.push({
          walker: start,
          verdict: 'dropped',
          by: sysctlRule('net/ipv4/conf/all/route_localnet', 0),
        });
        return;
      }
    }
    const walker: Walker = withChanges(start, { hook: 'postrouting', outInterface });
    this.#pass('postrouting', walker, evaluation, (left) => {
      if (!this.#host.isLocal(left.destination)) {
        evaluation.ends.push({ walker: left, verdict: 'accepted', by: left.translatedBy });
        return;
      }
      // Over the loopback interface: the packet is already tracked, so NAT rules are not evaluated again.
      const looped = withChanges(left, { hook: 'prerouting' as const, inInterface: 'lo', outInterface: null });
      this.#pass('prerouting', looped, evaluation, (arrived) => this.#deliver(arrived, evaluation), true);
    });
  }

  #deliver(start: Walker, evaluation: Evaluation): void {
    this.#pass('input', withChanges(start, { hook: 'input' }), evaluation, (passed) =>
      evaluation.ends.push({ walker: passed, verdict: 'accepted', by: passed.translatedBy }),
    );
  }

  /** IPVS sends packets through all of `output` and `postrouting`. */
  #leaveStage(start: Walker, evaluation: Evaluation): void {
    const routed = start.packet.entry.kind === 'host' ? start : this.#routed(start, evaluation);
    if (routed === undefined) {
      return;
    }
    const walker: Walker = withChanges(routed, {
      hook: 'output',
      isBalanced: true,
      outInterface: this.#outInterface(routed),
    });
    this.#pass(
      'output',
      walker,
      evaluation,
      (passed) =>
        this.#pass('postrouting', withChanges(passed, { hook: 'postrouting' }), evaluation, (left) =>
          this.#answer(left, evaluation),
        ),
      true,
    );
  }

  /** IPVS packets to endpoints do not pass `forward`, but their replies do, so filters may drop them. */
  #answer(left: Walker, evaluation: Evaluation): void {
    const { packet, destination, port } = left;
    const answered = (walker: Walker): void => {
      evaluation.ends.push({
        walker: withChanges(left, { unknown: walker.unknown }),
        verdict: 'accepted',
        by: left.translatedBy,
      });
    };
    if (packet.entry.kind === 'host' || this.#host.isLocal(destination)) {
      answered(left);
      return;
    }
    const back: PathPacket = {
      ...packet,
      source: destination,
      sourcePort: port,
      destination: packet.source,
      port: packet.sourcePort,
    };
    const reply = withChanges(startWalk(back, 'forward', this.#outInterface(left)), {
      probability: left.probability,
      unknown: left.unknown,
      isReply: true,
      isBalanced: true,
    });
    const ofReply = new Evaluation(evaluation.steps);
    this.#pass('forward', withChanges(reply, { outInterface: this.#outInterface(reply) }), ofReply, answered);
    for (const { walker, verdict, by } of finish(ofReply.run())) {
      evaluation.ends.push({ walker: withChanges(left, { unknown: walker.unknown }), verdict, by });
    }
  }

  /** Adds the evaluation of all chains of a hook. `then` is called for each branch. */
  #pass(hook: Hook, start: Walker, evaluation: Evaluation, then: (walker: Walker) => void, withoutNat = false): void {
    const chains = this.#hooks.get(hook) ?? [];
    const isSource = hook === 'postrouting' || hook === 'input';
    const step = (walker: Walker, index: number): void => {
      const base = chains[index];
      if (base === undefined) {
        then(walker);
        return;
      }
      if (base === 'stage') {
        const staged = walker.isBalanced ? undefined : this.#stage?.balance(walker);
        if (staged === undefined) {
          step(walker, index + 1);
          return;
        }
        evaluation.add(
          staged.map(({ walker: left, verdict, by }) => () => {
            if (verdict === 'forwarded' && hook === 'input' && this.#host.isLocal(left.destination)) {
              // IPVS accepts such a packet: it continues in this hook and is never sent.
              step(left, index + 1);
            } else if (verdict === 'forwarded') {
              this.#leaveStage(left, evaluation);
            } else {
              evaluation.ends.push({ walker: left, verdict, by });
            }
          }),
        );
        return;
      }
      const isDecided = isSource ? walker.sourceDecided : walker.destinationDecided;
      if (base.type === 'nat' && (isDecided || withoutNat || walker.untracked)) {
        step(walker, index + 1);
        return;
      }
      const before: Walker =
        base.type !== 'nat' || isSource || walker.destinationDecided || !walker.explains
          ? walker
          : withChanges(walker, { isNoted: true, visits: append(walker.visits, visitOf(base)) });
      const next = (left: Walker) => () => step(rerouted(this.#host, left, walker), index + 1);
      const ends = walkChain(base.chains, base.chain, before, evaluation.steps);
      const [only] = ends;
      if (only !== undefined && ends.length === 1) {
        evaluation.add([this.#ending(base, only, isSource, evaluation) ?? next(afterChain(base, only, isSource))]);
        return;
      }
      const tasks: (() => void)[] = [];
      const continuing: Walker[] = [];
      const add = (list: readonly Walker[]) => {
        for (const left of list) {
          tasks.push(next(left));
        }
      };
      for (const end of ends) {
        const ending = this.#ending(base, end, isSource, evaluation);
        if (ending === undefined) {
          continuing.push(afterChain(base, end, isSource));
        } else {
          add(withoutDuplicates(continuing.splice(0), undefined));
          tasks.push(ending);
        }
      }
      const hasNoEnd = tasks.length === 0 && !before.isNoted;
      add(withoutDuplicates(continuing, hasNoEnd ? walker : undefined));
      evaluation.add(tasks);
    };
    evaluation.add([() => step(start, 0)]);
  }

  /** What is to be done for a packet that ends in a chain; undefined when it continues. */
  #ending(base: BaseChain, chainEnd: ChainEnd, isSource: boolean, { ends }: Evaluation): (() => void) | undefined {
    const { end, by } = chainEnd;
    if (end === 'drop' || (end === 'passed' && base.policy === 'drop')) {
      return () =>
        ends.push({ walker: afterChain(base, chainEnd, isSource), verdict: 'dropped', by: by ?? base.policyRule });
    }
    return end === 'refuse'
      ? () => ends.push({ walker: afterChain(base, chainEnd, isSource), verdict: 'refused', by })
      : undefined;
  }
}

function afterChain({ type }: BaseChain, { walker, end, by }: ChainEnd, isSource: boolean): Walker {
  const noted = walker.isNoted ? withChanges(walker, { isNoted: false }) : walker;
  return type === 'nat' && end === 'accept' && by !== undefined ? keptBy(noted, by, isSource) : noted;
}

/** An outcome that may be as expected or not, whatever is expected. */
function unknownOutcome(rule: PathRule): PathOutcome {
  return {
    probability: 1,
    verdict: 'accepted',
    destination: 'an unknown address',
    masqueraded: false,
    decidedBy: rule,
    unknown: [rule],
  };
}

/** A packet with a changed destination is rerouted before it leaves the host. */
function rerouted(host: PathHost, left: Walker, before: Walker): Walker {
  if (left.hook !== 'output' || left.destination === before.destination || left.outInterface === null) {
    return left;
  }
  const outInterface = host.isLocal(left.destination) ? 'lo' : host.routeOf(left)?.interfaceName;
  return withChanges(left, { outInterface });
}

/** A rule that ended NAT evaluation without a translation. */
function keptBy(walker: Walker, by: PathRule, isSource: boolean): Walker {
  if (isSource) {
    return walker.masqueradedBy === undefined ? withChanges(walker, { sourceKeptBy: by }) : walker;
  }
  return walker.translatedBy === undefined ? withChanges(walker, { destinationKeptBy: by }) : walker;
}

function visitOf({ chain }: BaseChain): Visit {
  return { table: chain.table, chain: chain.name, depth: 0 };
}

/** The kernel's order. All chains of type `nat` are called in their order where the kernel translates addresses. */
function inOrder(chains: readonly BaseChain[], hook: Hook): readonly BaseChain[] {
  return [...chains].sort((a, b) => placeOf(a, hook) - placeOf(b, hook) || a.priority - b.priority);
}

function placeOf({ type, priority }: BaseChain, hook: Hook): number {
  return type === 'nat' ? (hook === 'postrouting' || hook === 'input' ? 100 : -100) : priority;
}
