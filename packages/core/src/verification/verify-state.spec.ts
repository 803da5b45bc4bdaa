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

/** A kernel that does what a state says, read at the moment of the question. */
class LiveKernel implements PacketPath {
  readonly family = family;
  readonly localAddresses = new Set([sketchAddresses.node(family)]);
  readonly interfaces = ['eth0'];
  readonly unread = [];
  readonly isLive = true;
  /** Packets that were asked for. */
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

describe('a path that is read while packets are followed', () => {
  test('a change that is on its way is no difference', () => {
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

  test('what differs each time is unknown where its Service has changed since the rules were read', () => {
    const { before, after } = cluster();
    const result = verifyState(before, new LiveKernel(() => before), { current: () => after });
    expect(result).toMatchObject({ verdict: 'unknown', different: 0 });
    expect(result.findings[0]?.message).toContain('changed while they were verified');
  });

  test('what differs each time is a difference', () => {
    const { before, after } = cluster();
    const result = verifyState(before, new LiveKernel(() => after));
    expect(result.verdict).toBe('different');
    expect(result.findings.map(({ example }) => example?.packet.destination)).toContain(CLUSTER_IP);
  });

  test('what could not be read once is read again', () => {
    const { before } = cluster();
    const path = new LiveKernel((asked) => (asked % 3 === 0 && asked < 20 ? new Error('busy') : before));
    expect(verifyState(before, path).verdict).toBe('verified');
  });

  test('what can never be read is an error, not a difference', () => {
    const { before } = cluster();
    expect(() => verifyState(before, new LiveKernel(() => new Error('no permission')))).toThrow('no permission');
  });
});
