import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { systemClock } from '@kube-proxier/core';
import { RecordingLogger, until } from '@kube-proxier/core/testing';
import { stringify } from 'yaml';
import { KubernetesSource, type KubernetesSourceOptions } from '../kubernetes-source.js';
import {
  FakeApiServer,
  type FakeApiServerOptions,
  FastClock,
  RecordingHandler,
  TestCertificateAuthority,
} from '../testing/index.js';
import { createApiCredentials } from './api-credentials.js';
import { parseKubeconfig } from './kubeconfig.js';

let directory: string;
let server: FakeApiServer;
const authority = new TestCertificateAuthority();
const ending: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'credentials-'));
  await write('ca.crt', authority.certificate);
});

afterEach(async () => {
  for (const end of ending.splice(0).reverse()) {
    await end();
  }
  await rm(directory, { recursive: true, force: true });
});

async function write(name: string, text: string): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, text);
  return path;
}

async function serve(options: FakeApiServerOptions = {}, hosts = ['127.0.0.1']): Promise<FakeApiServer> {
  const { certificate, key } = authority.issue({ commonName: 'api', hosts, use: 'server' });
  server = await FakeApiServer.start({ tls: { certificate, key, clientAuthority: authority.certificate }, ...options });
  server.store.put('services', { metadata: { name: 'web', namespace: 'default' }, spec: { clusterIP: '10.96.0.1' } });
  server.store.put('nodes', { metadata: { name: 'node1' } });
  ending.push(() => server.stop());
  return server;
}

function kubeconfig(user: object, cluster: object = {}): Promise<string> {
  return write(
    'kubeconfig',
    JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
      clusters: [{ name: 'k', cluster: { server: server.url, 'certificate-authority': 'ca.crt', ...cluster } }],
      users: [{ name: 'u', user }],
    }),
  );
}

async function begin(options: KubernetesSourceOptions) {
  const logger = new RecordingLogger();
  const source = new KubernetesSource({ clock: new FastClock(100), logger, ...options });
  ending.push(() => source.stop());
  const handler = new RecordingHandler();
  await source.start(handler, { nodeName: 'node1' });
  return { source, handler, logger };
}

/** Ends the watches, so that the next requests use the current credentials; a new Service shows that they succeeded. */
async function getsThrough(handler: RecordingHandler, name: string): Promise<void> {
  server.store.put('services', { metadata: { name, namespace: 'default' }, spec: { clusterIP: '10.96.0.1' } });
  server.disturbWatches('reset');
  await until(() => handler.services.has(`default/${name}`), `Service ${name}`);
}

/** `/proc/net/tcp`: the keepalive timer is active. */
const KEEPALIVE_TIMER = '02';
const ESTABLISHED = '01';

/** Which timer runs for each connection of this host to a port, from `/proc/net/tcp`. */
async function connectionsTo(port: number): Promise<readonly string[]> {
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = (await readFile('/proc/net/tcp', 'utf8')).trim().split('\n').slice(1);
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , to = '', state]) => to.endsWith(remote) && state === ESTABLISHED)
    .map(([, , , , , timer = '']) => timer.split(':')[0] ?? '');
}

describe('credentials', () => {
  test('are a client certificate, in place or in files that rotate', async () => {
    await serve({ tokens: new Set() });
    const first = authority.issue({ commonName: 'first', use: 'client' });
    const second = authority.issue({ commonName: 'second', use: 'client' });
    await write('tls.crt', first.certificate);
    await write('tls.key', first.key);
    const { handler } = await begin({
      kubeconfig: await kubeconfig({ 'client-certificate': 'tls.crt', 'client-key': 'tls.key' }),
    });
    await until(() => handler.servicesSynced === 1, 'synced');
    expect(server.requests.at(-1)?.certificate).toBe('first');
    await write('tls.crt', second.certificate);
    await write('tls.key', second.key);
    await getsThrough(handler, 'rotated');
    expect(server.requests.at(-1)?.certificate).toBe('second');
    await kubeconfig({
      'client-certificate-data': Buffer.from(first.certificate).toString('base64'),
      'client-key-data': Buffer.from(first.key).toString('base64'),
    });
    await getsThrough(handler, 'in-place');
    expect(server.requests.at(-1)?.certificate).toBe('first');
  });

  test('are a token file that rotates, as in the kubeconfig that kubeadm writes', async () => {
    await serve({ tokens: new Set(['one']) });
    const tokenFile = await write('token', 'one\n');
    const { handler, logger } = await begin({ kubeconfig: await kubeconfig({ tokenFile }) });
    await until(() => handler.servicesSynced === 1, 'synced');
    server.tokens = new Set(['two']);
    server.disturbWatches('reset');
    const refused = /it rejected the credentials \(401 Unauthorized: Unauthorized\); renew the token/;
    await until(() => logger.messages().some((line) => refused.test(line)), 'a refusal');
    await write('token', 'two\n');
    await getsThrough(handler, 'rotated');
    expect(logger.messages().filter((line) => line.includes('rejected the credentials'))).toHaveLength(1);
    expect(handler.violations).toEqual([]);
  });

  test('are those of a pod, read for each request', async () => {
    await serve({ tokens: new Set(['one', 'two']) });
    await write('token', 'one');
    const { port } = new URL(server.url);
    const environment = { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: port };
    const { handler, source } = await begin({ environment, serviceAccountDirectory: directory });
    await until(() => handler.servicesSynced === 1, 'synced');
    expect(source.description).toBe(`the API server ${server.url}`);
    expect(server.requests.at(-1)?.authorization).toBe('Bearer one');
    await write('token', 'two');
    await getsThrough(handler, 'rotated');
    expect(server.requests.at(-1)?.authorization).toBe('Bearer two');
  });

  test('come from a plug-in, which runs again when they expire or are rejected', async () => {
    await serve({ tokens: new Set(['t1']) });
    const plugin = await write(
      'plugin',
      `#!/bin/sh
echo "$KUBERNETES_EXEC_INFO" > ${directory}/info
n=$(cat ${directory}/count 2>/dev/null || echo 0); n=$((n + 1)); echo $n > ${directory}/count
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"'$PREFIX$n'"}}'
`,
    );
    await chmod(plugin, 0o755);
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: './plugin',
      env: [{ name: 'PREFIX', value: 't' }],
      provideClusterInfo: true,
      interactiveMode: 'Never',
    };
    const { handler } = await begin({ kubeconfig: await kubeconfig({ exec }) });
    await until(() => handler.servicesSynced === 1, 'synced');
    expect(new Set(server.requests.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer t1']));
    server.tokens = new Set(['t2', 't3', 't4', 't5', 't6']);
    await getsThrough(handler, 'renewed');
    expect(server.requests.at(-1)?.authorization).not.toBe('Bearer t1');
  });

  test('may be delayed: a failing plug-in is logged and retried', async () => {
    await serve({ tokens: new Set(['late']) });
    const plugin = await write('plugin', '#!/bin/sh\necho "not yet" >&2\nexit 3\n');
    await chmod(plugin, 0o755);
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: plugin, installHint: 'install it' };
    const { handler, logger } = await begin({ kubeconfig: await kubeconfig({ exec }) });
    await until(() => logger.entries.length > 0, 'a complaint');
    expect(logger.messages()[0]).toMatch(
      /the credential plug-in .*plugin ended with status 3: not yet; run it in a shell.*install it/,
    );
    const status = { token: 'late', expirationTimestamp: '2099-01-01T00:00:00Z' };
    await write('plugin.new', `#!/bin/sh\necho '${JSON.stringify({ kind: 'ExecCredential', status })}'\n`);
    await chmod(join(directory, 'plugin.new'), 0o755);
    await kubeconfig({ exec: { ...exec, command: './plugin.new' } });
    await until(() => handler.servicesSynced === 1, 'synced');
  });

  test('are a name and password, and may impersonate another user', async () => {
    await serve();
    const user = { username: 'kim', password: 'secret', as: 'system:kube-proxy', 'as-groups': ['a', 'b'] };
    const { handler } = await begin({ kubeconfig: await kubeconfig(user) });
    await until(() => handler.servicesSynced === 1, 'synced');
    expect(server.requests.at(-1)?.authorization).toBe(`Basic ${Buffer.from('kim:secret').toString('base64')}`);
  });

  test('are not sent to a server that cannot be authenticated', async () => {
    await serve({}, ['other.example']);
    const path = await kubeconfig({ token: 'secret' });
    const { handler, logger } = await begin({ kubeconfig: path });
    await until(() => logger.entries.length > 0, 'a complaint');
    expect(logger.messages()[0]).toMatch(
      /does not answer correctly: .*127\.0\.0\.1 is not in the cert's list.* set tls-server-name/,
    );
    expect(server.requests).toEqual([]);
    await kubeconfig({ token: 'secret' }, { 'tls-server-name': 'other.example' });
    await until(() => handler.servicesSynced === 1, 'synced');
    await kubeconfig({ token: 'x' }, { 'certificate-authority': undefined, 'insecure-skip-tls-verify': true });
    await getsThrough(handler, 'insecure');
  });

  test('are not sent to a server with a certificate of another authority', async () => {
    await serve();
    const other = Buffer.from(new TestCertificateAuthority().certificate).toString('base64');
    const wrong = { 'certificate-authority': undefined, 'certificate-authority-data': other };
    const { logger } = await begin({ kubeconfig: await kubeconfig({ token: 'secret' }, wrong) });
    await until(() => logger.entries.length > 0, 'a complaint');
    expect(logger.messages()[0]).toMatch(
      /does not answer correctly: .*: correct certificate-authority in the kubeconfig/,
    );
    expect(server.requests).toEqual([]);
  });

  test('are sent on connections with TCP keepalive, so that a dead one is detected', async () => {
    await serve();
    const { handler } = await begin({ kubeconfig: await kubeconfig({ token: 'x' }) });
    await until(() => handler.servicesSynced === 1 && server.openWatches.length === 4, 'watches');
    const withoutTimer = async () => {
      const connections = await connectionsTo(Number(new URL(server.url).port));
      expect(connections.length).toBeGreaterThanOrEqual(4);
      return connections.filter((timer) => timer !== KEEPALIVE_TIMER);
    };
    // Another timer runs while sent data is not acknowledged.
    await until(async () => (await withoutTimer()).length === 0, 'probes of each connection');
  });

  test('are sent through a proxy', async () => {
    await serve();
    let through = 0;
    const proxy = createServer();
    proxy.on('connect', (request, socket, head) => {
      through += 1;
      const [host, port] = (request.url ?? '').split(':');
      const target = connect(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        target.write(head);
        socket.pipe(target).pipe(socket);
      });
      for (const [one, other] of [
        [socket, target],
        [target, socket],
      ] as const) {
        one.on('error', () => {});
        one.on('close', () => other.destroy());
      }
    });
    await new Promise<void>((resolve) => {
      proxy.listen(0, '127.0.0.1', resolve);
    });
    ending.push(() => new Promise((resolve) => proxy.close(resolve)));
    const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const { handler } = await begin({ kubeconfig: await kubeconfig({ token: 'x' }, { 'proxy-url': proxyUrl }) });
    await until(() => handler.servicesSynced === 1, 'synced');
    expect(through).toBeGreaterThan(0);
  });

  test.each([
    ['proxy-url', { token: 'x' }, { 'proxy-url': 'http://127.0.0.1:1' }],
    ['auth-provider', { 'auth-provider': { name: 'oidc', config: {} } }, {}],
  ])('that need client-node name the package to install: %s', async (field, user, cluster) => {
    await serve({ tokens: new Set() });
    const credentials = createApiCredentials({
      kubeconfig: await kubeconfig(user, cluster),
      clock: systemClock,
      importClientNode: () => Promise.reject(new Error('Cannot find package')),
    });
    await expect(credentials.get(new AbortController().signal)).rejects.toMatchObject({
      code: 'CLIENT_NODE_MISSING',
      message: expect.stringMatching(`the kubeconfig has ${field}, .* run npm install @kubernetes/client-node`),
    });
  });

  test('stay valid while the kubeconfig is malformed, and a server URL in the options has precedence', async () => {
    await serve({ tokens: new Set(['one']) });
    const path = await kubeconfig({ token: 'one' }, { server: 'https://127.0.0.1:1' });
    const { handler } = await begin({ kubeconfig: path, master: server.url });
    await until(() => handler.servicesSynced === 1, 'synced');
    await write('kubeconfig', '{"half');
    await getsThrough(handler, 'still');
  });

  test.each(['yes', 'on', 'Y', 'true'])(
    'are sent to a server that is not verified: insecure-skip-tls-verify: %s',
    async (text) => {
      await serve({}, ['other.example']);
      const path = await write(
        'kubeconfig',
        `current-context: c
contexts: [{ name: c, context: { cluster: k, user: u } }]
users: [{ name: u, user: { token: secret } }]
clusters: [{ name: k, cluster: { server: "${server.url}", insecure-skip-tls-verify: ${text} } }]
`,
      );
      const { handler } = await begin({ kubeconfig: path });
      await until(() => handler.servicesSynced === 1, 'synced');
    },
  );

  test('are read where a mapping is merged from another', async () => {
    await serve({ tokens: new Set(['secret']) });
    const path = await write(
      'kubeconfig',
      `base: &base { server: "${server.url}", certificate-authority: ca.crt }
current-context: c
contexts: [{ name: c, context: { cluster: k, user: u } }]
users: [{ name: u, user: { token: secret } }]
clusters: [{ name: k, cluster: { <<: *base } }]
`,
    );
    const { handler } = await begin({ kubeconfig: path });
    await until(() => handler.servicesSynced === 1, 'synced');
  });

  test('come with disable-compression, as kubectl reads it', async () => {
    await serve();
    const asked = async (cluster: object) => {
      const from = server.requests.length;
      const { handler, source } = await begin({ kubeconfig: await kubeconfig({ token: 'x' }, cluster) });
      await until(() => handler.servicesSynced === 1, 'synced');
      await source.stop();
      const lists = server.requests.slice(from).filter(({ verb }) => verb === 'list');
      return new Set(lists.map(({ acceptedCompression }) => acceptedCompression));
    };
    expect(await asked({})).toEqual(new Set(['gzip']));
    expect(await asked({ 'disable-compression': true })).toEqual(new Set(['identity']));
  });

  test.each([
    [
      {},
      { 'insecure-skip-tls-verify': 'never' },
      'clusters[k].cluster.insecure-skip-tls-verify is "never"; it must be true or false',
    ],
    [{}, { 'disable-compression': 1 }, 'clusters[k].cluster.disable-compression is 1; it must be true or false'],
    [{}, { 'proxy-url': 'u:secret@10.0.0.1' }, 'clusters[k].cluster.proxy-url is no URL of a proxy; write it like'],
    [{}, { 'proxy-url': 'ftp://10.0.0.1' }, 'clusters[k].cluster.proxy-url is no URL of a proxy; write it like'],
    [{}, { 'tls-server-name': 1 }, 'clusters[k].cluster.tls-server-name is not text; put it in quotes'],
    [{ provideClusterInfo: 'x' }, {}, 'users[u].user.exec.provideClusterInfo is "x"; it must be true or false'],
    [{ env: [{ name: 'A', value: 1 }] }, {}, 'users[u].user.exec.env[0].value is not text; put it in quotes'],
    [{ env: [{ value: 'b' }] }, {}, 'users[u].user.exec.env[0].name is missing; it names an environment variable'],
    [{ env: { A: 'b' } }, {}, 'users[u].user.exec.env is not a list of objects with name and value'],
  ])('are refused with a field of a wrong type: %j %j', async (exec, cluster, message) => {
    const plugin = { apiVersion: 'client.authentication.k8s.io/v1', command: 'true', ...exec };
    const path = await write(
      'kubeconfig',
      JSON.stringify({
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
        clusters: [{ name: 'k', cluster: { server: 'https://127.0.0.1:1', ...cluster } }],
        users: [{ name: 'u', user: { exec: plugin } }],
      }),
    );
    const failure = await start({ kubeconfig: path }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'KUBECONFIG_INVALID', message: expect.stringContaining(message) });
    expect(String(failure)).not.toContain('secret');
  });

  test('have the same content in JSON, in YAML in blocks, and in YAML that looks like JSON', () => {
    const content = {
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
      clusters: [{ name: 'k', cluster: { server: 'https://127.0.0.1:1' } }],
      users: [{ name: 'u', user: { token: 'secret' } }],
    };
    const json = JSON.stringify(content, null, 2);
    const texts = [json, stringify(content), `# a comment\n${json}`, json.replace('"c"', 'c')];
    const [first, ...others] = texts.map((text) => parseKubeconfig(text, 'kubeconfig', '/'));
    expect(first).toMatchObject({ server: 'https://127.0.0.1:1', token: 'secret' });
    for (const other of others) {
      expect(other).toEqual(first);
    }
  });

  test('have the last value of a key that is twice in JSON', () => {
    const text = `{
      "current-context": "old",
      "contexts": [{"name": "c", "context": {"cluster": "k"}}],
      "clusters": [{"name": "k", "cluster": {"server": "https://127.0.0.1:1", "server": "https://127.0.0.1:2"}}],
      "current-context": "c"
    }`;
    expect(parseKubeconfig(text, 'kubeconfig', '/')).toMatchObject({ server: 'https://127.0.0.1:2' });
  });

  const start = (options: KubernetesSourceOptions) =>
    new KubernetesSource(options).start(new RecordingHandler(), { nodeName: 'node1' });

  test.each([
    ['['.repeat(100_000), 'KUBECONFIG_INVALID', /is too large, or nested too deeply, for a kubeconfig/],
    ['# note\n'.repeat(200_000), 'KUBECONFIG_INVALID', /is too large, or nested too deeply, for a kubeconfig/],
    ['{', 'KUBECONFIG_INVALID', /kubeconfig is no YAML/],
    ['hello', 'KUBECONFIG_INVALID', /is no kubeconfig but plain text; it should have clusters, users/],
    ['', 'KUBECONFIG_INVALID', /is no kubeconfig but empty/],
    ['{}', 'KUBECONFIG_INVALID', /is no kubeconfig but empty/],
    ['[1]', 'KUBECONFIG_INVALID', /is no kubeconfig but a list/],
    ['kind: Pod\napiVersion: v1', 'KUBECONFIG_INVALID', /is no kubeconfig but an object of kind Pod; it should/],
    ['replicas: 3\nimage: a', 'KUBECONFIG_INVALID', /is no kubeconfig but YAML with the fields replicas, image;/],
    ['kind: Config\n---\nkind: Config', 'KUBECONFIG_INVALID', /has several YAML documents; a kubeconfig is one/],
    ['kind: Config\nclusters: []', 'KUBECONFIG_INVALID', /current-context is missing/],
    ['current-context: a', 'KUBECONFIG_INVALID', /current-context is "a", which is not in contexts; it is empty/],
    [
      'current-context: a\ncontexts: [{name: b, context: {}}, {name: a, context: {cluster: x}}]\nclusters: [{name: y, cluster: {}}]',
      'KUBECONFIG_INVALID',
      /contexts\[a\]\.context\.cluster is "x", which is not in clusters; it has y/,
    ],
    [
      'current-context: a\ncontexts: [{name: a, context: {cluster: x}}]\nclusters: [{name: x, cluster: {server: "ftp://x"}}]',
      'KUBECONFIG_INVALID',
      /clusters\[x\]\.cluster\.server is "ftp:\/\/x", which is no URL of an API server/,
    ],
    [
      'current-context: a\ncontexts: [{name: a, context: {cluster: x}}]\nclusters: [{name: x, cluster: {}}]',
      'KUBECONFIG_INVALID',
      /^the kubeconfig names no server; give one, or its URL as master/,
    ],
    [
      'current-context: a\ncontexts: [{name: a, context: {cluster: x, user: u}}]\nclusters: [{name: x, cluster: {server: "https://x"}}]\nusers: [{name: u, user: {tokenFile: none}}]',
      'CREDENTIALS_UNREADABLE',
      /the token cannot be read: .*ENOENT/,
    ],
    [
      'current-context: a\ncontexts: [{name: a, context: {cluster: x, user: u}}]\nclusters: [{name: x, cluster: {server: "https://x"}}]\nusers: [{name: u, user: {client-key: none}}]',
      'KUBECONFIG_INVALID',
      /users\[u\]\.user has only one of client-certificate and client-key/,
    ],
    [
      'current-context: a\ncontexts: [{name: a, context: {cluster: x, user: u}}]\nclusters: [{name: x, cluster: {server: "https://x"}}]\nusers: [{name: u, user: {exec: {command: a, apiVersion: v0}}}]',
      'KUBECONFIG_INVALID',
      /exec\.apiVersion is "v0"; it must be client/,
    ],
  ])('are refused from the kubeconfig %j', async (text, code, message) => {
    const path = await write('kubeconfig', text);
    await expect(start({ kubeconfig: path })).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test('are required', async () => {
    await expect(start({ kubeconfig: join(directory, 'none') })).rejects.toMatchObject({
      code: 'KUBECONFIG_NOT_FOUND',
    });
    await expect(start({ kubeconfig: directory })).rejects.toMatchObject({ code: 'KUBECONFIG_UNREADABLE' });
    await expect(start({ environment: {} })).rejects.toMatchObject({ code: 'NOT_IN_CLUSTER' });
    await expect(start({ master: 'ftp://a' })).rejects.toMatchObject({ code: 'KUBECONFIG_INVALID' });
  });
});
