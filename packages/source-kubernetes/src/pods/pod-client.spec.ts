import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ApiError } from '../api/kubernetes-error.js';
import { type ExecOutcome, type ExecRequest, FakeApiServer, TestCertificateAuthority } from '../testing/index.js';
import { isForbidden, PodClient } from './pod-client.js';
import { controlFrame, WebSocketReader } from './web-socket-reader.js';

const authority = new TestCertificateAuthority();
const { signal } = new AbortController();
const COMMAND = { namespace: 'kube-system', pod: 'agent-1', container: 'kube-proxier', command: ['a b', '--c=d&e'] };

let directory: string;
let server: FakeApiServer;
let client: PodClient;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pod-client-'));
  const { certificate, key } = authority.issue({ commonName: 'api', hosts: ['127.0.0.1'], use: 'server' });
  server = await FakeApiServer.start({ tls: { certificate, key }, tokens: new Set(['secret']) });
  const kubeconfig = join(directory, 'config');
  const ca = Buffer.from(authority.certificate).toString('base64');
  await writeFile(
    kubeconfig,
    JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
      clusters: [{ name: 'k', cluster: { server: server.url, 'certificate-authority-data': ca } }],
      users: [{ name: 'u', user: { token: 'secret' } }],
    }),
  );
  client = new PodClient({ kubeconfig, userAgent: 'test', timeout: 3000 });
  for (const [name, node, namespace] of [
    ['agent-1', 'node1', 'kube-system'],
    ['agent-2', 'node2', 'kube-system'],
    ['other', 'node2', 'default'],
  ] as const) {
    server.store.put('pods', {
      metadata: { name, namespace, labels: { app: 'agent' } },
      spec: { nodeName: node, containers: [{ name: 'kube-proxier', args: ['--config=/c', '-v=2'] }] },
      status: { phase: 'Running' },
    });
  }
});
afterEach(async () => {
  client.close();
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

function answerWith(outcome: ExecOutcome): ExecRequest[] {
  const requests: ExecRequest[] = [];
  server.onExec = async (request) => {
    requests.push(request);
    return outcome;
  };
  return requests;
}

describe('a PodClient', () => {
  test('lists the pods of a namespace', async () => {
    expect(await client.listPods('kube-system', 'app=agent', signal)).toEqual([
      {
        namespace: 'kube-system',
        name: 'agent-1',
        nodeName: 'node1',
        phase: 'Running',
        containers: [{ name: 'kube-proxier', args: ['--config=/c', '-v=2'] }],
      },
      expect.objectContaining({ name: 'agent-2', nodeName: 'node2' }),
    ]);
    expect(await client.listPods('kube-system', 'app=other', signal)).toEqual([]);
  });

  test('runs a command: output, errors and exit status', async () => {
    const requests = answerWith({ stdout: 'ä\n', stderr: 'warning\n', exitStatus: 3 });
    expect(await client.run(COMMAND, signal)).toEqual({ stdout: 'ä\n', stderr: 'warning\n', exitStatus: 3 });
    expect(requests).toEqual([COMMAND]);
    answerWith({ stdout: '', stderr: '', exitStatus: 0 });
    expect(await client.run(COMMAND, signal)).toEqual({ stdout: '', stderr: '', exitStatus: 0 });
  });

  test('reads an output of many messages', async () => {
    const stdout = Array.from({ length: 100_000 }, (_, index) => `line ${index} ü\n`).join('');
    answerWith({ stdout, stderr: '', exitStatus: 0 });
    expect((await client.run(COMMAND, signal)).stdout).toBe(stdout);
  });

  test.each([
    ['hang', 'API_SILENT', /no complete answer came within 3000 ms/],
    ['reset', 'API_UNREACHABLE', /ECONNRESET|closed before the command had ended/],
    [{ refused: 'container not found ("kube-proxier")' }, 'COMMAND_FAILED', /container not found/],
  ] as const)('a command that ends otherwise: %j', async (outcome, code, message) => {
    answerWith(outcome);
    await expect(client.run(COMMAND, signal)).rejects.toMatchObject({ message: expect.stringMatching(message) });
    await expect(client.run(COMMAND, signal)).rejects.toMatchObject({ code });
  });

  test('a command that hangs times out, though garbage is collected meanwhile', async () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const collecting = setInterval(collectGarbage, 100);
    answerWith('hang');
    await expect(client.run(COMMAND, signal)).rejects.toMatchObject({ code: 'API_SILENT' });
    clearInterval(collecting);
  }, 20_000);

  test('a pod that does not exist, and missing permissions', async () => {
    await expect(client.run({ ...COMMAND, pod: 'gone' }, signal)).rejects.toThrow(
      /404 NotFound: pods "gone" not found/,
    );
    server.forbidden.add('pods/exec');
    const error = await client.run(COMMAND, signal).catch((caught: unknown) => caught);
    expect(isForbidden(error)).toBe(true);
    expect(isForbidden(new ApiError('API_SILENT', ''))).toBe(false);
  });

  test('a command is aborted at once', async () => {
    answerWith('hang');
    const abort = new AbortController();
    const running = client.run(COMMAND, abort.signal);
    setImmediate(() => abort.abort());
    await expect(running).rejects.toMatchObject({ message: expect.stringMatching(/abort/) });
  });
});

describe('a WebSocketReader', () => {
  const message = Buffer.from([0x82, 0x03, 1, 2, 3]);

  test('reads the same however it is divided', () => {
    const stream = Buffer.concat([
      message,
      Buffer.from([0x02, 1, 7]),
      Buffer.from([0x89, 0]),
      Buffer.from([0x80, 1, 8]),
    ]);
    const expected = [
      { kind: 'message', data: Buffer.from([1, 2, 3]) },
      { kind: 'ping', data: Buffer.alloc(0) },
      { kind: 'message', data: Buffer.from([7, 8]) },
    ];
    for (let at = 0; at <= stream.length; at += 1) {
      const reader = new WebSocketReader(100);
      expect([...reader.read(stream.subarray(0, at)), ...reader.read(stream.subarray(at))]).toEqual(expected);
    }
  });

  test.each([
    [[0x82, 0x81, 0, 0, 0, 0, 0], 'must not send'],
    [[0xc2, 0x00], 'must not send'],
    [[0x82, 127, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], 'more than the 100 bytes'],
    [[0x82, 126, 0, 101], 'more than the 100 bytes'],
    [[0x09, 0x00], 'control frame'],
  ] as const)('refuses %j', (bytes, reason) => {
    expect(() => new WebSocketReader(100).read(Buffer.from(bytes))).toThrow(reason);
  });

  test('fragments count together', () => {
    const reader = new WebSocketReader(4);
    expect(reader.read(Buffer.from([0x02, 3, 1, 2, 3]))).toEqual([]);
    expect(() => reader.read(Buffer.from([0x80, 2, 4, 5]))).toThrow('more than the 4 bytes');
  });

  test('control frames of a client are masked', () => {
    expect([...controlFrame('pong', Buffer.from([1, 2]), Buffer.from([255, 0, 0, 0]))]).toEqual([
      ...[0x8a, 0x82],
      ...[255, 0, 0, 0],
      ...[254, 2],
    ]);
  });
});
