import { describe, expect, test } from '@jest/globals';
import { VirtualClock } from '@kube-proxier/core/testing';
import { FakeIptables } from './fake-iptables.js';
import { watchRules } from './watch-rules.js';

const INSTALL = '*nat\n:OURS - [0:0]\n-A PREROUTING -j OURS\nCOMMIT\n';
const FLUSH = '*nat\n-F PREROUTING\n-X OURS\nCOMMIT\n';

function watch(iptables = new FakeIptables()) {
  const clock = new VirtualClock();
  const abort = new AbortController();
  const gone: string[] = [];
  const failures: string[] = [];
  const placed = { times: 0 };
  const watching = watchRules({
    rules: [{ table: 'nat', from: 'PREROUTING', text: '-j OURS' }],
    iptables: async () => iptables,
    clock,
    signal: abort.signal,
    placed: () => placed.times,
    onDrift: (what) => gone.push(what),
    onFailure: (reason) => failures.push(reason),
  });
  return { iptables, clock, abort, gone, failures, placed, watching };
}

describe('watchRules', () => {
  test.each([true, false])('reports a flush within half a second, with stamps: %s', async (stamps) => {
    const { iptables, clock, abort, gone, failures, placed, watching } = watch();
    iptables.stamps = stamps;
    await iptables.restore(INSTALL);
    placed.times++;
    await clock.advance(10_000);
    expect(gone).toEqual([]);
    await iptables.restore(FLUSH);
    await clock.advance(500);
    expect(gone).toEqual(['the jump from PREROUTING in the nat table is gone, as after a flush']);
    await clock.advance(60_000);
    expect(gone).toHaveLength(1);
    expect(failures).toEqual([]);
    abort.abort();
    await watching;
    expect(clock.pending).toBe(0);
  });

  test('reports a flush of rules that were never checked: at the start, and right after a repair', async () => {
    const { iptables, clock, gone, placed } = watch();
    for (let flushes = 1; flushes <= 3; flushes++) {
      await iptables.restore(INSTALL);
      placed.times++;
      await iptables.restore(FLUSH);
      await clock.advance(500);
      expect(gone).toHaveLength(flushes);
    }
    await clock.advance(60_000);
    expect(gone).toHaveLength(3);
  });

  test('rules installed during a check are reported as missing by the next check', async () => {
    const { iptables, clock, gone, placed } = watch();
    placed.times++;
    await clock.advance(500);
    expect(gone).toHaveLength(1);
    // Each check runs the program.
    iptables.stamps = false;
    const { ruleExists } = FakeIptables.prototype;
    iptables.ruleExists = async (...rule) => {
      const isThere = await ruleExists.apply(iptables, rule);
      iptables.ruleExists = ruleExists;
      await iptables.restore(INSTALL);
      placed.times++;
      await iptables.restore(FLUSH);
      return isThere;
    };
    // The time for which a repair is awaited.
    await clock.advance(500 * 21);
    expect({ gone: gone.length, placed: placed.times }).toEqual({ gone: 1, placed: 2 });
    await clock.advance(500);
    expect(gone).toHaveLength(2);
  });

  test('starts no program before the first install or detection of rules', async () => {
    const { iptables, clock, gone, placed } = watch();
    let checks = 0;
    const { ruleExists } = FakeIptables.prototype;
    iptables.ruleExists = (...rule) => {
      checks++;
      return ruleExists.apply(iptables, rule);
    };
    await iptables.restore(INSTALL);
    await clock.advance(5000);
    expect(checks).toBe(0);
    placed.times++;
    await clock.advance(500);
    expect(checks).toBe(1);
    expect(gone).toEqual([]);
  });

  test('reports a failure once until a check succeeds, and continues', async () => {
    const { iptables, clock, gone, failures, placed } = watch();
    await iptables.restore(INSTALL);
    placed.times++;
    await clock.advance(500);
    await iptables.restore(FLUSH);
    iptables.failNext(new Error('no more processes'));
    iptables.failNext(new Error('still none'));
    await clock.advance(1000);
    expect(failures).toEqual(['no more processes']);
    await clock.advance(500);
    expect(gone).toHaveLength(1);
    await iptables.restore(INSTALL);
    placed.times++;
    iptables.failNext(new Error('again none'));
    await clock.advance(500);
    expect(failures).toEqual(['no more processes', 'again none']);
  });
});
