import { describe, expect, test } from '@jest/globals';
import type { ProxyState } from '../model/proxy-state.js';
import { decidePacket } from '../simulator/simulate-packet.js';
import { ClusterSketch, EXAMPLE_SERVICE, sketchAddresses } from '../testing/index.js';
import type { PacketPath, PathOutcome, PathPacket } from './packet-path.js';
import { verifyInSlices, verifyState } from './verify-state.js';

const family = 'IPv4';
const CLUSTER_IP = sketchAddresses.cluster(family, EXAMPLE_SERVICE.number);

function cluster(): { readonly before: ProxyState; readonly after: ProxyState } {
  const sketch = new ClusterSketch(family, { localhostNodePorts: false });
  sketch.set({ ...EXAMPLE_SERVICE, endpoints: [{ number: 20, node: 'node2' }] });
  const { state: before } = sketch.next();
  sketch.set({ ...EXAMPLE_SERVICE, endpoints: [{ number: 21, node: 'node2' }] });
  return { before, after: sketch.next().state };
}

/** A state with that many Services, and one with none. */
function manyServices(count: number): { readonly state: ProxyState; readonly empty: ProxyState } {
  const sketch = new ClusterSketch(family, { localhostNodePorts: false });
  for (let number = 1; number <= count; number++) {
    sketch.set({ ...EXAMPLE_SERVICE, name: `svc-${number}`, number, endpoints: [{ number: 20, node: 'node2' }] });
  }
  return { state: sketch.next().state, empty: new ClusterSketch(family, { localhostNodePorts: false }).next().state };
}

/** A kernel that implements a state, read at the time of each call. */
class LiveKernel implements PacketPath {
  readonly family = family;
  readonly localAddresses = new Set([sketchAddresses.node(family)]);
  readonly interfaces = ['eth0'];
  readonly unread = [];
  readonly isLive = true;
  /** The queried packets. */
  asked = 0;

  constructor(
    /** The state that is in the kernel, or an error. */
    private readonly kernel: (asked: number) => ProxyState | Error,
  ) {}

  outcomesOf(packet: PathPacket): readonly PathOutcome[] {
    const state = this.kernel(++this.asked);
    if (state instanceof Error) {
      throw state;
    }
    const { outcome } = decidePacket(state, packet, { localAddresses: this.localAddresses });
    const common = { destination: undefined, masqueraded: false, decidedBy: undefined, unknown: [] };
    if (outcome.kind === 'forwarded') {
      return outcome.choices.map(({ endpoint, masqueraded }) => ({
        ...{ ...common, masqueraded, verdict: 'accepted', probability: 1 / outcome.choices.length },
        destination: `${endpoint.address}:${endpoint.port}`,
      }));
    }
    return [{ ...common, probability: 1, verdict: outcome.kind === 'passed-on' ? 'accepted' : outcome.kind }];
  }
}

describe('a live path', () => {
  test('a change that is being written is no difference', () => {
    const { before, after } = cluster();
    let state = before;
    const path = new LiveKernel(() => after);
    const slices = verifyInSlices(before, path, { current: () => state });
    let waited = 0;
    for (;;) {
      const { done, value } = slices.next();
      if (done) {
        expect(value).toMatchObject({ verdict: 'verified', different: 0 });
        break;
      }
      if (value === 'later') {
        waited += 1;
        state = after;
      }
    }
    expect(waited).toBe(1);
  });

  test('a class that differs in every check is unknown where its Service changed until the end', () => {
    const { before, after } = cluster();
    let checks = 0;
    // The kernel always has the other of two states.
    const current = () => (checks % 2 === 0 ? before : after);
    const slices = verifyInSlices(before, new LiveKernel(() => (checks % 2 === 0 ? after : before)), { current });
    for (;;) {
      const { done, value } = slices.next();
      if (done) {
        expect(value).toMatchObject({ verdict: 'unknown', different: 0 });
        expect(value.findings[0]?.message).toMatch(/^\d+ packet class(es)? changed while they were verified$/);
        break;
      }
      checks += value === 'later' ? 1 : 0;
    }
  });

  test('a change of the state that never reaches the kernel is a difference', () => {
    const { before, after } = cluster();
    const result = verifyState(before, new LiveKernel(() => before), { current: () => after });
    expect(result.verdict).toBe('different');
    expect(result.findings.map(({ example }) => example?.packet.destination)).toContain(CLUSTER_IP);
  });

  test('a class that differs in every check is a difference', () => {
    const { before, after } = cluster();
    const result = verifyState(before, new LiveKernel(() => after));
    expect(result.verdict).toBe('different');
    expect(result.findings.map(({ example }) => example?.packet.destination)).toContain(CLUSTER_IP);
  });

  test('a class that could not be read once is checked again', () => {
    const { before } = cluster();
    const path = new LiveKernel((asked) => (asked % 3 === 0 && asked < 20 ? new Error('busy') : before));
    expect(verifyState(before, path).verdict).toBe('verified');
  });

  test('a path that can never be read is an error, not a difference', () => {
    const { before } = cluster();
    expect(() => verifyState(before, new LiveKernel(() => new Error('no permission')))).toThrow('no permission');
  });
});

describe('a Service with very many endpoints', () => {
  /** All may be local: slices without `nodeName`. */
  const endpointsOf = (many: number) =>
    Array.from({ length: many }, (_, index) => ({ number: index + 1, node: undefined }));
  const kernelOf = (many: number) => {
    const sketch = new ClusterSketch(family, { localhostNodePorts: false });
    sketch.set({ ...EXAMPLE_SERVICE, endpoints: endpointsOf(many) });
    const { state } = sketch.next();
    return { state, path: new LiveKernel(() => state) };
  };

  test('is verified with pauses after each few classes, and for a part of its endpoints', () => {
    const { state, path } = kernelOf(2000);
    let asked = 0;
    let most = 0;
    const slices = verifyInSlices(state, path);
    for (;;) {
      const { done, value } = slices.next();
      most = Math.max(most, path.asked - asked);
      asked = path.asked;
      if (done) {
        expect(value).toMatchObject({ verdict: 'unknown', different: 0 });
        expect(value.findings.map(({ message }) => message)).toEqual([
          expect.stringMatching(
            /^Packets from endpoints of \S+ to \S+ were verified for one in 16 endpoints only: 2000 of 2000 may be local/,
          ),
        ]);
        break;
      }
    }
    expect(most).toBeLessThan(16);
    expect(asked).toBeLessThan(400);
  });

  test('is not verified from 10,000 endpoints on, and the others are', () => {
    const { state, path } = kernelOf(10_001);
    const { verdict, findings, classes } = verifyState(state, path);
    expect(verdict).toBe('unknown');
    expect(findings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Packets to \S+ were not verified: it has 10001 endpoints, more than 10000$/),
    ]);
    expect(classes).toBeGreaterThan(0);
  });
});

/** A kernel that evaluates many rules for each packet. */
class SlowKernel extends LiveKernel {
  isEvaluating = false;
  *outcomesInSlices(packet: PathPacket): Generator<undefined, readonly PathOutcome[]> {
    this.isEvaluating = true;
    yield;
    yield;
    this.isEvaluating = false;
    return this.outcomesOf(packet);
  }
}

test('the verification can pause while the outcomes of one packet are determined', () => {
  const { before } = cluster();
  const path = new SlowKernel(() => before);
  const slices = verifyInSlices(before, path);
  let pauses = 0;
  for (;;) {
    const { done, value } = slices.next();
    if (done) {
      expect(value.verdict).toBe('verified');
      break;
    }
    pauses += 1;
  }
  expect(pauses).toBeGreaterThanOrEqual(2 * path.asked);
});

test('the verification can pause after each class, and reads a live path again after a pause', () => {
  const { state } = manyServices(100);
  const verify = (hasPaused: boolean) => {
    const path = Object.assign(new LiveKernel(() => state), { refreshed: 0 });
    const refresh = () => {
      path.refreshed += 1;
    };
    const slices = verifyInSlices(state, Object.assign(path, { refresh }));
    let most = 0;
    for (let asked = 0; ; asked = path.asked) {
      const { done, value } = slices.next(hasPaused);
      most = Math.max(most, path.asked - asked);
      if (done) {
        return { most, classes: value.classes, refreshed: path.refreshed, verdict: value.verdict };
      }
    }
  };
  const paused = verify(true);
  expect(paused).toMatchObject({ most: 1, verdict: 'verified' });
  expect(paused.refreshed).toBeGreaterThanOrEqual(paused.classes);
  // Without pauses, after some classes only.
  const running = verify(false);
  expect(running.refreshed).toBeGreaterThan(0);
  expect(running.refreshed).toBeLessThan(running.classes / 10);
});

test('a live path is read again after a pause within the evaluation of one packet', () => {
  const { before } = cluster();
  const path = Object.assign(new SlowKernel(() => before), { refreshed: 0 });
  const refresh = () => {
    path.refreshed += 1;
  };
  const slices = verifyInSlices(before, Object.assign(path, { refresh }));
  for (;;) {
    const { done, value } = slices.next(path.isEvaluating);
    if (done) {
      expect(value.verdict).toBe('verified');
      expect(path.refreshed).toBe(value.classes);
      break;
    }
  }
});

test('on a live path, parts that take long to read are read again for each check, not for each class that differs', () => {
  const { state, empty } = manyServices(300);
  const path = Object.assign(new LiveKernel(() => empty), { urgent: 0 });
  const refresh = (isUrgent = true) => {
    path.urgent += isUrgent ? 1 : 0;
  };
  const { different } = verifyState(state, Object.assign(path, { refresh }));
  expect(different).toBeGreaterThan(1000);
  // The second and the third check.
  expect(path.urgent).toBe(2);
});

test('classes that differ are checked again before further ones once there are many, with the same result', () => {
  const { state, empty } = manyServices(100);
  const run = (maxSuspects?: number) => {
    const path = new LiveKernel(() => empty);
    const slices = verifyInSlices(state, path, maxSuspects === undefined ? {} : { maxSuspects });
    const askedBefore: number[] = [];
    for (;;) {
      const { done, value } = slices.next();
      if (done) {
        return { askedBefore, result: value };
      }
      if (value === 'later') {
        askedBefore.push(path.asked);
      }
    }
  };
  const all = run();
  const batches = run(300);
  expect(batches.result).toEqual(all.result);
  expect(all.result.different).toBeGreaterThan(300);
  // Two further checks of each batch; the first after no more classes than may wait.
  expect(all.askedBefore).toHaveLength(2);
  expect(batches.askedBefore[0]).toBeLessThan(all.askedBefore[0] ?? 0);
  expect(batches.askedBefore).toHaveLength(2 * Math.ceil(all.result.different / 300));
});
