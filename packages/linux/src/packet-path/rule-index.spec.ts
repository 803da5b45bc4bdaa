import { expect, test } from '@jest/globals';
import type { CompiledRule } from './compiled-rule.js';
import { RuleIndex } from './rule-index.js';
import { startWalk } from './walker.js';

const PORTS = 5000;

test('the rules of a Service with thousands of ports are not all compared with each packet', () => {
  let compared = 0;
  const rules = Array.from(
    { length: PORTS },
    (_, index): CompiledRule => ({
      rule: { system: 'iptables', text: '' },
      destination: '10.96.0.1',
      get port() {
        compared += 1;
        return 1 + index;
      },
      evaluate: () => undefined,
    }),
  );
  const index = new RuleIndex([...rules, { ...rules[0], destination: '10.96.0.1' } as CompiledRule]);
  const packet = { source: '203.0.113.1', sourcePort: 40_000, destination: '10.96.0.1', protocol: 'TCP' as const };
  const entry = { kind: 'interface' as const, name: undefined };
  compared = 0;
  expect(index.candidates(startWalk({ ...packet, port: 4001, entry }, 'prerouting', undefined))).toEqual([4000]);
  expect(index.candidates(startWalk({ ...packet, port: 1, entry }, 'prerouting', undefined))).toEqual([0, PORTS]);
  expect(compared).toBe(0);
});
