import { describe, expect, test } from '@jest/globals';
import type { ConformanceReport } from '../run/run-conformance.js';
import { formatReport } from './format-report.js';
import { rulesNote } from './rules-location.js';

const report: ConformanceReport = {
  choice: { backend: '@acme/ebpf', options: { fast: true } },
  backend: { mode: 'ebpf', description: 'ACME', capabilities: { preservesSource: false } },
  milliseconds: 2400,
  interrupted: false,
  results: [
    {
      case: { id: 'A', title: 'works', spec: [] },
      outcome: 'passed',
      failures: [],
      lacks: [{ capability: 'preservesSource', count: 3 }],
      flows: 4,
      milliseconds: 1000,
    },
    {
      case: { id: 'B', title: 'a <wrong> one', spec: ['F-1'] },
      outcome: 'failed',
      failures: [
        {
          variant: 'IPv4 TCP',
          step: 2,
          spec: 'F-1/X',
          flow: 'client to 10.96.0.1 port 80/TCP',
          expected: 'no answer',
          actual: 'answered by pod1\u0007',
        },
      ],
      lacks: [],
      flows: 2,
      milliseconds: 1400,
    },
    {
      case: { id: 'C', title: 'left out', spec: [] },
      outcome: 'skipped',
      failures: [],
      lacks: [{ capability: 'localhostNodePorts', count: 1 }],
      flows: 0,
      milliseconds: 0,
    },
  ],
};

describe('a report', () => {
  test('as text: the flow, its expected and actual outcome, how to run it alone, and skipped checks', () => {
    expect(formatReport(report, 'text')).toBe(
      `FAIL B: a <wrong> one
  IPv4 TCP, step 2: client to 10.96.0.1 port 80/TCP
    expected  no answer (F-1/X)
    actual    answered by pod1\u0007
  alone:  npx @kube-proxier/conformance --backend @acme/ebpf --option fast=true --cases 'B' --keep

skipped, as the backend lacks localhostNodePorts: C
skipped in cases, as the backend lacks preservesSource: 3 checks of the source address that an endpoint sees
ebpf: 1 passed, 1 failed, 1 skipped; 6 flows in 2 s
${rulesNote()}
`,
    );
  });

  test.each(['text', 'junit'] as const)(
    'as %s: says once where rules are defined, and only when one failed',
    (format) => {
      expect(formatReport(report, format).split(rulesNote())).toHaveLength(2);
      const passed = { ...report, results: report.results.filter(({ outcome }) => outcome !== 'failed') };
      expect(formatReport(passed, format)).not.toContain(rulesNote());
    },
  );

  test('as JUnit: escaped, counted', () => {
    const text = formatReport(report, 'junit');
    expect(text).toContain('<testsuite name="conformance ebpf" tests="3" failures="1" skipped="1" time="2.400">');
    expect(text).toContain('name="B a &lt;wrong&gt; one"');
    expect(text).toContain('<skipped message="the backend lacks localhostNodePorts"/>');
    expect(text).not.toContain('\u0007');
  });

  test('as JSON: complete', () => {
    expect(JSON.parse(formatReport(report, 'json'))).toEqual(JSON.parse(JSON.stringify(report)));
  });
});
