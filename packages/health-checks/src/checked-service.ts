import {
  type EndpointSlice,
  type EndpointSliceDefinition,
  type IPFamily,
  isDrained,
  parseAddress,
  type SliceEndpointDefinition,
  structurallyEqual,
  type WeightRule,
  weightByRules,
} from '@kube-proxier/core';
import type { HealthCheckSettings } from './check-settings.js';
import type { EndpointCheck } from './endpoint-check.js';
import { type EndpointSelection, isSelected, selectEndpoints, type VerdictCounts } from './endpoint-selection.js';
import type { HealthState, HealthVerdict } from './health-state.js';

/** The relevant part of an EndpointSlice. */
export interface SliceContent {
  /** The object as reported by the source. */
  readonly input: EndpointSlice;
  /** Its validated definition. */
  readonly definition: EndpointSliceDefinition;
  /** Its endpoints are used only while no other is. */
  readonly isBackup: boolean;
}

/** An EndpointSlice of a source. */
export interface SliceEntry {
  content: SliceContent;
  /** The object last passed on. */
  output: EndpointSlice;
  /** Passes a change on. */
  readonly report: (previous: EndpointSlice, current: EndpointSlice) => void;
}

/** Creates the check of an address and port, with an inherited state. */
export type CreateCheck = (
  address: string,
  port: number,
  family: IPFamily,
  settings: HealthCheckSettings,
  inherited: HealthState | undefined,
) => EndpointCheck;

/** An address with what is checked of it: the same for all slices that list it with the same ports. */
interface CheckedEndpoint {
  readonly key: string;
  readonly group: FamilyGroup;
  readonly checks: readonly EndpointCheck[];
  verdict: HealthVerdict;
  /** Why it is down, from the time of the transition. */
  reason: string;
  /** Number of entries in each slice. */
  readonly slices: Map<SliceEntry, number>;
  /** Number of ready, undrained entries in slices that are not backups. */
  primary: number;
  /** Number of ready, undrained entries in backup slices. */
  backup: number;
  /** Where it is counted. */
  counts: VerdictCounts | undefined;
}

interface FamilyGroup {
  readonly family: IPFamily;
  readonly primary: VerdictCounts;
  readonly backup: VerdictCounts;
  selection: EndpointSelection;
}

const noCounts = (): VerdictCounts => ({ up: 0, down: 0, unknown: 0 });

/**
 * One Service: its slices, and the checks of their endpoints. Decides the conditions to pass on. The cost of a change
 * is proportional to the slice, that of a result to the slices that list the endpoint.
 */
export class CheckedService {
  readonly #slices = new Set<SliceEntry>();
  #settings: HealthCheckSettings | undefined;
  #weights: readonly WeightRule[] = [];
  /** By address and port. */
  #checks = new Map<string, EndpointCheck>();
  /** Checks from before the settings changed, whose state is inherited. */
  #former: ReadonlyMap<string, EndpointCheck> = new Map();
  #users = new Map<EndpointCheck, Set<CheckedEndpoint>>();
  /** By address and ports. */
  #endpoints = new Map<string, CheckedEndpoint>();
  #groups = new Map<IPFamily, FamilyGroup>();
  readonly #dirty = new Set<SliceEntry>();

  /**
   * @param name `namespace/name`.
   * @param create called for each new check.
   * @param discard called for each check that ends.
   */
  constructor(
    readonly name: string,
    private readonly create: CreateCheck,
    private readonly discard: (check: EndpointCheck) => void,
  ) {}

  get settings(): HealthCheckSettings | undefined {
    return this.#settings;
  }

  get hasSlices(): boolean {
    return this.#slices.size > 0;
  }

  /** All checks. */
  get checks(): Iterable<EndpointCheck> {
    return this.#checks.values();
  }

  /** What is selected in each family that has endpoints. */
  get selections(): ReadonlyMap<IPFamily, EndpointSelection> {
    return new Map([...this.#groups].map(([family, { selection }]) => [family, selection]));
  }

  /** Sets how its endpoints are checked; undefined ends the checks. Earlier results are in force until the next one. */
  configure(settings: HealthCheckSettings | undefined): void {
    if (structurallyEqual(settings, this.#settings)) {
      return;
    }
    this.#settings = settings;
    this.#former = this.#checks;
    this.#checks = new Map();
    this.#users = new Map();
    this.#endpoints = new Map();
    this.#groups = new Map();
    const touched = new Set<CheckedEndpoint>();
    for (const slice of this.#slices) {
      this.#acquire(slice, slice.content, touched);
      this.#dirty.add(slice);
    }
    for (const check of this.#former.values()) {
      this.discard(check);
    }
    this.#former = new Map();
    this.#settle(touched);
  }

  /**
   * Sets the weights of endpoints that their slices do not name: drained endpoints do not exclude others. Restarts no
   * check.
   */
  weigh(weights: readonly WeightRule[]): void {
    const before = this.#weights;
    if (structurallyEqual(weights, before)) {
      return;
    }
    const touched = new Set<CheckedEndpoint>();
    for (const slice of this.#slices) {
      this.#weights = weights;
      this.#acquire(slice, slice.content, touched);
      this.#weights = before;
      this.#release(slice, slice.content, touched);
      this.#dirty.add(slice);
    }
    this.#weights = weights;
    this.#settle(touched);
  }

  add(slice: SliceEntry): void {
    this.#slices.add(slice);
    const touched = new Set<CheckedEndpoint>();
    this.#acquire(slice, slice.content, touched);
    this.#settle(touched);
  }

  update(slice: SliceEntry, content: SliceContent): void {
    const old = slice.content;
    slice.content = content;
    if (old.isBackup === content.isBackup && structurallyEqual(old.definition, content.definition)) {
      return;
    }
    const touched = new Set<CheckedEndpoint>();
    this.#acquire(slice, content, touched);
    this.#release(slice, old, touched);
    this.#settle(touched);
  }

  remove(slice: SliceEntry): void {
    if (this.#slices.delete(slice)) {
      this.#dirty.delete(slice);
      const touched = new Set<CheckedEndpoint>();
      this.#release(slice, slice.content, touched);
      this.#settle(touched);
    }
  }

  /** Records a new result, in time proportional to the slices that list the endpoint. */
  checked(check: EndpointCheck): void {
    for (const endpoint of this.#users.get(check) ?? []) {
      const verdict = verdictOf(endpoint.checks);
      if (verdict === endpoint.verdict) {
        continue;
      }
      if (endpoint.counts) {
        endpoint.counts[endpoint.verdict] -= 1;
        endpoint.counts[verdict] += 1;
      }
      endpoint.verdict = verdict;
      endpoint.reason = reasonOf(endpoint.checks);
      for (const slice of endpoint.slices.keys()) {
        this.#dirty.add(slice);
      }
    }
    this.#select();
  }

  /** Passes on changes. */
  flush(): void {
    const dirty = [...this.#dirty];
    this.#dirty.clear();
    for (const slice of dirty) {
      const output = this.outputOf(slice);
      if (this.#slices.has(slice) && !structurallyEqual(output, slice.output)) {
        const previous = slice.output;
        slice.output = output;
        slice.report(previous, output);
      }
    }
  }

  /** The slice with the conditions by health checks. The input object when nothing differs. */
  outputOf({ content: { input, definition, isBackup } }: SliceEntry): EndpointSlice {
    const settings = this.#settings;
    const selection = this.#groups.get(definition.family)?.selection;
    if (!settings || !selection) {
      return input;
    }
    let differs = false;
    const suffix = portsOf(definition, settings).join();
    const drained = new Set(definition.endpoints.filter((one) => this.#isDrained(one)).map(({ address }) => address));
    const endpoints = (input.endpoints ?? []).map((endpoint) => {
      const address = parseAddress(endpoint?.addresses?.[0])?.text;
      const checked = address === undefined ? undefined : this.#endpoints.get(endpointKey(address, suffix));
      if (!checked || address === undefined) {
        return endpoint;
      }
      const { ready, serving } = endpoint.conditions ?? {};
      // A drained one that does not fail stays as it is: its weight keeps new connections away.
      const isOut =
        ready !== false
          ? !isSelected(selection, isBackup, checked.verdict) && (checked.verdict === 'down' || !drained.has(address))
          : checked.verdict === 'down' && selection !== 'open' && serving !== false;
      if (!isOut) {
        return endpoint;
      }
      differs = true;
      const reason = reasonNotUsed(checked, selection, isBackup);
      return { ...endpoint, conditions: { ...endpoint.conditions, ready: false, serving: false, reason } };
    });
    return differs ? { ...input, endpoints } : input;
  }

  #acquire(slice: SliceEntry, { definition, isBackup }: SliceContent, touched: Set<CheckedEndpoint>): void {
    const settings = this.#settings;
    if (!settings) {
      return;
    }
    const { family, endpoints } = definition;
    const ports = portsOf(definition, settings);
    const suffix = ports.join();
    for (const one of endpoints) {
      const { address, ready, serving } = one;
      if (!ready && !serving) {
        continue;
      }
      const key = endpointKey(address, suffix);
      let endpoint = this.#endpoints.get(key);
      if (!endpoint) {
        const checks = ports.map((port) => this.#checkOf(address, port, family, settings));
        endpoint = {
          ...{ key, group: this.#groupOf(family), checks, verdict: verdictOf(checks), slices: new Map() },
          reason: reasonOf(checks),
          ...{ primary: 0, backup: 0, counts: undefined },
        };
        this.#endpoints.set(key, endpoint);
        for (const check of checks) {
          const users = this.#users.get(check) ?? new Set();
          this.#users.set(check, users.add(endpoint));
        }
      }
      endpoint.slices.set(slice, (endpoint.slices.get(slice) ?? 0) + 1);
      endpoint[isBackup ? 'backup' : 'primary'] += ready && !this.#isDrained(one) ? 1 : 0;
      touched.add(endpoint);
    }
  }

  #release(slice: SliceEntry, { definition, isBackup }: SliceContent, touched: Set<CheckedEndpoint>): void {
    const settings = this.#settings;
    const suffix = settings ? portsOf(definition, settings).join() : '';
    for (const one of settings ? definition.endpoints : []) {
      const { address, ready, serving } = one;
      const endpoint = this.#endpoints.get(endpointKey(address, suffix));
      if (!endpoint || !(ready || serving)) {
        continue;
      }
      const times = endpoint.slices.get(slice) ?? 1;
      if (times > 1) {
        endpoint.slices.set(slice, times - 1);
      } else {
        endpoint.slices.delete(slice);
      }
      endpoint[isBackup ? 'backup' : 'primary'] -= ready && !this.#isDrained(one) ? 1 : 0;
      touched.add(endpoint);
    }
  }

  /** Whether it gets no new connections although it is ready. */
  #isDrained(endpoint: SliceEndpointDefinition): boolean {
    const weight = endpoint.weight ?? weightByRules(this.#weights, endpoint);
    return weight !== undefined && isDrained({ weight });
  }

  /** Counts each endpoint once, as backup only if no other slice has it, and ends unused checks. */
  #settle(touched: ReadonlySet<CheckedEndpoint>): void {
    for (const endpoint of touched) {
      const { group, primary, backup, verdict, checks } = endpoint;
      const counts = primary > 0 ? group.primary : backup > 0 ? group.backup : undefined;
      if (counts !== endpoint.counts) {
        if (endpoint.counts) {
          endpoint.counts[verdict] -= 1;
        }
        endpoint.counts = counts;
        if (counts) {
          counts[verdict] += 1;
        }
      }
      if (endpoint.slices.size > 0) {
        continue;
      }
      this.#endpoints.delete(endpoint.key);
      for (const check of checks) {
        const users = this.#users.get(check);
        users?.delete(endpoint);
        if (users?.size === 0) {
          this.#users.delete(check);
          this.#checks.delete(checkKey(check.address, check.port));
          this.discard(check);
        }
      }
    }
    this.#select();
  }

  #checkOf(address: string, port: number, family: IPFamily, settings: HealthCheckSettings): EndpointCheck {
    const key = checkKey(address, port);
    let check = this.#checks.get(key);
    if (!check) {
      check = this.create(address, port, family, settings, this.#former.get(key)?.state);
      this.#checks.set(key, check);
    }
    return check;
  }

  #groupOf(family: IPFamily): FamilyGroup {
    let group = this.#groups.get(family);
    if (!group) {
      group = { family, primary: noCounts(), backup: noCounts(), selection: 'closed' };
      this.#groups.set(family, group);
    }
    return group;
  }

  #select(): void {
    for (const [family, group] of this.#groups) {
      const selection = selectEndpoints(group, this.#settings?.allFailed ?? 'closed');
      if (selection !== group.selection) {
        group.selection = selection;
        for (const slice of this.#slices) {
          if (slice.content.definition.family === family) {
            this.#dirty.add(slice);
          }
        }
      }
    }
  }
}

function checkKey(address: string, port: number): string {
  return `${address} ${port}`;
}

function endpointKey(address: string, ports: string): string {
  return `${address} ${ports}`;
}

/** The ports of a slice that are checked, sorted. */
function portsOf(definition: EndpointSliceDefinition, { port, probe }: HealthCheckSettings): readonly number[] {
  if (typeof port === 'number') {
    return [port];
  }
  const ports = definition.ports.filter(({ portName, protocol }) =>
    port === undefined ? protocol === 'TCP' || probe.kind === 'script' : portName === port,
  );
  return [...new Set(ports.map((one) => one.port))].sort((left, right) => left - right);
}

/** Down when one check says so, up when all do. Without a check, the conditions of the object apply. */
function verdictOf(checks: readonly EndpointCheck[]): HealthVerdict {
  let verdict: HealthVerdict = 'up';
  for (const { state } of checks) {
    if (state.verdict === 'down') {
      return 'down';
    }
    if (state.verdict === 'unknown') {
      verdict = 'unknown';
    }
  }
  return verdict;
}

/** Why an endpoint is down; empty when it is not. */
function reasonOf(checks: readonly EndpointCheck[]): string {
  const failed = checks.find(({ state }) => state.verdict === 'down');
  if (!failed) {
    return '';
  }
  const { reason, run, since } = failed.state;
  const port = checks.length > 1 ? `port ${failed.port}: ` : '';
  const times = run > 1 ? `, ${run} times in a row` : '';
  return `health check failed: ${port}${reason}${times} since ${new Date(since).toISOString().slice(0, 19)}Z`;
}

function reasonNotUsed({ verdict, reason }: CheckedEndpoint, selection: EndpointSelection, isBackup: boolean): string {
  switch (verdict) {
    case 'down':
      return reason;
    case 'unknown':
      return isBackup && selection.startsWith('primary') ? 'a backup, which is not needed' : 'not checked yet';
    case 'up':
      return 'a backup, which is not needed';
  }
}
