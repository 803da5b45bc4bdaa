import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { runConformance } from '@kube-proxier/conformance';
import { casesOf, isThorough } from '@kube-proxier/core/testing';

const backend = fileURLToPath(new URL('../test/wrong-backends.mjs', import.meta.url));

interface WrongBackend {
  readonly mode: string;
  /** Ids of the cases that it fails. */
  readonly fails: readonly string[];
  readonly says: RegExp;
}

/** Maximum concurrent sandboxes. Few cases share one, as creating one takes as long as many cases. */
const JOBS = isThorough ? 2 : 1;
/** Cases that a wrong backend may pass or fail. */
const CASES = casesOf(
  [
    ...['EXT-C-S1', 'EXT-L-S1', 'EXT-L-S2', 'affinity-moved', 'open-connection-goes-on'],
    ...['endpoint-removed', 'endpoint-weights'],
  ],
  [
    ...[
      'CIP-C-S1',
      'F-I-1',
      'F-CIP-2',
      'service-changes-external-policy',
      'CIP-C-S0',
      'CIP-L-S1',
      'CIP-L-S2',
      'EXT-C-S0',
      'EXT-L-S0',
      'EXT-L-S3',
      'F-CIP-1',
      'endpoint-*',
    ],
    'service-changes-internal-policy',
  ],
);
/** The cases of a list that are run. */
const ofRun = (ids: readonly string[], patterns: readonly string[]) =>
  ids.filter((id) =>
    patterns.some((pattern) => pattern === id || (pattern.endsWith('*') && id.startsWith(pattern.slice(0, -1)))),
  );

/** Tests of the kit: each wrong backend fails exactly the cases about its defect. */
describe('backends that are wrong on purpose', () => {
  test.each(
    casesOf<WrongBackend>(
      [
        {
          mode: 'ignores-external-local',
          fails: ['EXT-L-S1', 'EXT-L-S2', 'EXT-L-S3', 'service-changes-external-policy'],
          says: /"no answer","actual":"answered by remote-pod1, which saw 192\.168\.0\.2 \(1 of 1\)".*"EXT-L-S2\/X"/,
        },
        {
          mode: 'keeps-removed-endpoints',
          fails: [
            'endpoint-removed',
            'endpoint-terminating',
            'endpoint-drained',
            'affinity-moved',
            'open-connection-goes-on',
          ],
          says: /"answered by remote-pod1, seeing the node's address","actual":"answered by pod1, which saw/,
        },
      ],
      [
        {
          mode: 'forgets-masquerade',
          // Cases that require masquerading of a client other than the node and the endpoint itself.
          fails: [
            ...['CIP-C-S1', 'CIP-L-S1', 'EXT-C-S1', 'F-CIP-1', 'endpoint-added', 'endpoint-removed', 'affinity-moved'],
            ...['endpoint-terminating', 'service-changes-external-policy', 'service-changes-internal-policy'],
            ...['open-connection-goes-on', 'endpoint-drained', 'endpoint-weights', 'endpoint-of-host-network'],
          ],
          says: /saw the source address 203\.0\.113\.2"/,
        },
        {
          mode: 'ignores-weights',
          fails: ['endpoint-weights'],
          says: /"answered in the proportion pod1 \(9\), remote-pod1 \(1\)","actual":"answered by /,
        },
      ],
    ),
  )('$mode', async ({ mode, fails, says }) => {
    const { results } = await runConformance({ backend, mode, cases: CASES, jobs: JOBS });
    const failed = results.filter(({ outcome }) => outcome === 'failed');
    expect(failed.map((result) => result.case.id).sort()).toEqual(ofRun(fails, CASES).sort());
    expect(JSON.stringify(failed)).toMatch(says);
  });
});

/** Cases of connections to removed endpoints. */
const RESETS = casesOf(
  ['reset-endpoint-gone', 'reset-dropped', 'keep-endpoint-gone'],
  ['reset-last-endpoint-gone', 'reset-while-dead', 'reset-spares-existing', 'reset-spares-removed-service'],
);

describe('backends that handle connections to removed endpoints incorrectly', () => {
  test.each(
    casesOf<WrongBackend>(
      [{ mode: 'leaves-connections', fails: RESETS, says: /"is reset within 10 s","actual":"continues"/ }],
      [
        {
          mode: 'answers-nothing',
          fails: ['reset-last-endpoint-gone', 'reset-dropped'],
          says: /"is reset within 10 s","actual":"no answer"/,
        },
      ],
    ),
  )('$mode', async ({ mode, fails, says }) => {
    const { results } = await runConformance({ backend, mode, cases: RESETS, jobs: JOBS });
    const failed = results.filter(({ outcome }) => outcome === 'failed');
    expect(failed.map((result) => result.case.id).sort()).toEqual(ofRun(fails, RESETS).sort());
    expect(JSON.stringify(failed)).toMatch(says);
  });
});

/** Cases of counting. */
const COUNTERS = casesOf(['counters-bytes'], ['counters-endpoint-replaced']);
const [SHARED, ...CONNECTIONS] = ['counters-connections-shared-endpoint', 'counters-connections-endpoint-replaced'];

describe('backends that count incorrectly', () => {
  const amounts = [
    { mode: 'counts-nothing', fails: COUNTERS, says: /"expected":"40000 to \d+ bytes to-endpoints of the Service/ },
    { mode: 'counts-other-endpoint', fails: COUNTERS, says: /of the endpoint \S+:8080 of \S+ counted/ },
    {
      mode: 'counts-twice',
      fails: COUNTERS,
      says: /bytes to-endpoints of the Service \S+ counted","actual":"[89]\d{4}"/,
    },
    {
      mode: 'counts-one-direction',
      fails: COUNTERS,
      says: /bytes to-clients of the Service \S+ counted","actual":"0"/,
    },
  ];
  test.each(casesOf(amounts.slice(2, 3), [...amounts.slice(0, 2), ...amounts.slice(3)]))(
    '$mode',
    async ({ mode, fails, says }) => {
      const { results } = await runConformance({ backend, mode, cases: COUNTERS, jobs: JOBS });
      const failed = results.filter(({ outcome }) => outcome === 'failed');
      expect(failed.map((result) => result.case.id).sort()).toEqual([...fails].sort());
      expect(JSON.stringify(failed)).toMatch(says);
    },
  );

  const ofEndpoint = (expected: string, actual: string) =>
    new RegExp(`"expected":"${expected} connections of the endpoint \\S+:8080 of \\S+ counted","actual":"${actual}"`);
  const connections = [
    { mode: 'counts-no-connections', fails: [SHARED, ...CONNECTIONS], says: ofEndpoint('3', '0') },
    { mode: 'counts-connections-twice', fails: [SHARED, ...CONNECTIONS], says: ofEndpoint('3', '6') },
    { mode: 'counts-shared-endpoints', fails: [SHARED], says: ofEndpoint('no', '[1-4]') },
  ];
  test.each(casesOf(connections.slice(2), connections.slice(0, 2)))('$mode', async ({ mode, fails, says }) => {
    const { results } = await runConformance({ backend, mode, cases: [SHARED, ...CONNECTIONS], jobs: JOBS });
    const failed = results.filter(({ outcome }) => outcome === 'failed');
    expect(failed.map((result) => result.case.id).sort()).toEqual([...fails].sort());
    expect(JSON.stringify(failed)).toMatch(says);
  });
});
