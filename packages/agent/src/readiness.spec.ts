import { afterEach, describe, expect, test } from '@jest/globals';
import { RecordingLogger, until } from '@kube-proxier/core/testing';
import { FakeApiServer, freePort } from '@kube-proxier/source-kubernetes/testing';
import { runCommand } from './agent.js';
import { fakeComposition } from './testing/fake-composition.js';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) {
    await stop();
  }
});

/** The agent in this process, with an API server and a map instead of the kernel. */
class Agent {
  readonly #logger = new RecordingLogger();
  #errors = '';
  readonly composition = fakeComposition();
  readonly #health: string;

  private constructor(master: string, port: number) {
    this.#health = `127.0.0.1:${port}`;
    const abort = new AbortController();
    const status = runCommand(
      [
        '--proxy-mode=iptables',
        `--master=${master}`,
        '--hostname-override=n1',
        `--healthz-bind-address=${this.#health}`,
        '--metrics-bind-address=',
      ],
      {
        composition: this.composition,
        print: () => {},
        printError: (text) => {
          this.#errors += text;
        },
        createLogger: () => this.#logger,
        signal: abort.signal,
      },
    );
    stops.push(() => {
      abort.abort();
      return status;
    });
  }

  static async start(master: string): Promise<Agent> {
    return new Agent(master, await freePort());
  }

  async get(path: string): Promise<{ readonly status: number; readonly body: Record<string, unknown> } | undefined> {
    try {
      const answer = await fetch(`http://${this.#health}${path}`);
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    } catch {
      return undefined;
    }
  }

  /** Waits until `/readyz` reports this reason; undefined: until it is ready. */
  async isUnready(reason: RegExp | undefined): Promise<void> {
    const deadline = Date.now() + 120_000;
    for (;;) {
      const answer = await this.get('/readyz');
      const actual = answer?.body.reason;
      if (reason === undefined ? answer?.status === 200 : typeof actual === 'string' && reason.test(actual)) {
        expect(answer?.status).toBe(reason === undefined ? 200 : 503);
        return;
      }
      if (Date.now() > deadline) {
        throw new Error(
          `never ${reason ?? 'ready'}; last: ${JSON.stringify(answer)}\n${this.#logger.linesWithFields.join('\n')}\n${this.#errors}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Log lines about this node being programmed. */
  get programmed(): readonly string[] {
    return this.#logger.linesWithFields.filter((line) => line.includes('this node is programmed'));
  }
}

async function startApi(): Promise<FakeApiServer> {
  const api = await FakeApiServer.start();
  stops.push(() => api.stop());
  api.store.put('nodes', {
    metadata: { name: 'n1' },
    status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] },
  });
  api.store.put('services', {
    metadata: { name: 'web', namespace: 'work' },
    spec: { clusterIP: '10.96.0.10', ports: [{ port: 80 }] },
  });
  api.store.put('endpointslices', {
    metadata: { name: 'web-1', namespace: 'work', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    ports: [{ port: 8080 }],
    endpoints: [{ addresses: ['10.244.0.5'] }, { addresses: ['10.244.0.6'] }],
  });
  return api;
}

describe('ready means programmed', () => {
  test('a node without permission to list EndpointSlices is not ready, reports it, and is ready once it has the permission', async () => {
    const api = await startApi();
    api.forbidden.add('endpointslices');
    const agent = await Agent.start(api.url);
    await agent.isUnready(
      /^waiting for EndpointSlices from the API server http:\/\/[^ ]+: it forbids to list or watch endpointslices \(.*forbidden/,
    );
    // Before anything is programmed, lastUpdated is zero.
    for (const path of ['/healthz', '/livez']) {
      const answer = await agent.get(path);
      expect(answer?.status).toBe(200);
      expect(answer?.body).toMatchObject({ healthy: true, lastUpdated: '0001-01-01T00:00:00Z' });
      expect(JSON.stringify(answer?.body.status)).not.toContain('"lastUpdated":"2');
    }
    expect(agent.programmed).toEqual([]);
    expect(agent.composition.backend.dataplanes.get('IPv4')?.contents.size).toBe(0);
    api.forbidden.clear();
    await agent.isUnready(undefined);
    // The counts of the line take a moment longer.
    await until(() => agent.programmed.length > 0, 'the log says so');
    expect(agent.programmed).toEqual([
      expect.stringMatching(
        /^I First sync: this node is programmed \{"services":1,"endpoints":2,"families":"IPv4(,IPv6)?","milliseconds":\d+\}$/,
      ),
    ]);
    expect((await agent.get('/healthz'))?.body.lastUpdated).toMatch(/^2\d{3}-/);
  });

  test('a node whose API server is unreachable is not ready, and reports it', async () => {
    const agent = await Agent.start(`http://127.0.0.1:${await freePort()}`);
    await agent.isUnready(/^waiting for Services and EndpointSlices from the API server http:[^ ]+: .*ECONNREFUSED/);
    expect((await agent.get('/livez'))?.status).toBe(200);
    expect(agent.programmed).toEqual([]);
  });

  test('a node whose API server never answers is not ready', async () => {
    const api = await startApi();
    api.faultFor = ({ verb }) => (verb === 'list' ? { kind: 'hang' } : undefined);
    const agent = await Agent.start(api.url);
    await agent.isUnready(/^waiting for Services and EndpointSlices from the API server http:[^ ]+$/);
  });
});

describe('log lines about a programmed node', () => {
  test('one line after each outage', async () => {
    const api = await startApi();
    const agent = await Agent.start(api.url);
    await agent.isUnready(undefined);
    const dataplanes = [...agent.composition.backend.dataplanes.values()];
    for (const dataplane of dataplanes) {
      dataplane.failNext('before', 'halfway');
    }
    api.store.put('services', {
      metadata: { name: 'api', namespace: 'work' },
      spec: { clusterIP: '10.96.0.11', ports: [{ port: 80 }] },
    });
    const deadline = Date.now() + 60_000;
    while (agent.programmed.length < 2 && Date.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(agent.programmed).toHaveLength(2);
    expect(agent.programmed[1]).toMatch(
      /^I Syncs succeed again: this node is programmed \{"services":2,"endpoints":2,.*"milliseconds":\d+\}$/,
    );
    expect((await agent.get('/readyz'))?.status).toBe(200);
  });
});
