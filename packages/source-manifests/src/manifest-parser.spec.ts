import { afterEach, describe, expect, test } from '@jest/globals';
import { ManifestParser } from './manifest-parser.js';

/** Parsed in a thread, whose start takes longer than a millisecond. */
const LARGE = `apiVersion: v1
kind: Secret
stringData: {text: ${'x'.repeat(20_000)}}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {clusterIP: 10.96.0.10, ports: [{port: 80}]}
`;

describe('the time limit of a file', () => {
  let parser: ManifestParser;

  afterEach(() => parser.close());

  const parse = () => parser.parse('web.yaml', new TextEncoder().encode(LARGE), {});

  test('a file that gets no CPU time, as while a busy node starts, is read when it gets some', async () => {
    parser = new ManifestParser({ timeLimit: 1, cpuTime: () => 0 });
    expect(await parse()).toMatchObject({ objects: [{ kind: 'Service' }], problems: [] });
  });

  test('a file that takes too much CPU time is refused, and is read again later', async () => {
    let time = 0;
    parser = new ManifestParser({ timeLimit: 1, cpuTime: () => time++ });
    const message = 'cannot be read: it took more than 1 ms of CPU time; it is read again later';
    expect(await parse()).toMatchObject({ objects: [], timedOut: true, problems: [{ message }] });
  });

  test('a file that gets no CPU time for too long is refused', async () => {
    parser = new ManifestParser({ maxDuration: 1, cpuTime: () => 0 });
    const message = 'cannot be read: it took more than 1 ms; it is read again later';
    expect(await parse()).toMatchObject({ objects: [], timedOut: true, problems: [{ message }] });
  });
});
