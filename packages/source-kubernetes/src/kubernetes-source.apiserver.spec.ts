import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { RecordingLogger, until } from '@kube-proxier/core/testing';
import { KubernetesSource, type KubernetesSourceOptions } from './kubernetes-source.js';
import { type ApiObject, ApiServerProcess, apiServerPrograms, RecordingHandler } from './testing/index.js';
import { checkApiAccess } from './watch/check-api-access.js';

const DEPLOYMENT = fileURLToPath(new URL('../../../deploy/kustomize/', import.meta.url));
const MANIFESTS = ['service-account.yaml', 'cluster-role.yaml'].map((name) => join(DEPLOYMENT, name));
const BINDING = join(DEPLOYMENT, 'cluster-role-binding.yaml');
const NAMESPACE = 'kube-system';
const ACCOUNT = 'kube-proxier';
const FOREVER = 3600;
/** Milliseconds; the server caches accepted tokens for ten seconds. */
const TIMEOUT = 120_000;

function service(name: string, port = 80): ApiObject {
  return { metadata: { name, namespace: 'default' }, spec: { ports: [{ name: 'http', port }] } };
}

function slice(name: string, ...addresses: readonly string[]): ApiObject {
  return {
    metadata: { name, namespace: 'default', labels: { 'kubernetes.io/service-name': 'web' } },
    addressType: 'IPv4',
    endpoints: [{ addresses, conditions: { ready: true } }],
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  };
}

/** Forwards connections, until they are cut. */
class Wire {
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;

  constructor(private readonly target: number) {}

  get url(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  async join(): Promise<void> {
    const server = createServer((client) => {
      const upstream = connect(this.target, '127.0.0.1');
      for (const [socket, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.#sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
        socket.pipe(other);
      }
    });
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async cut(): Promise<void> {
    const server = this.#server;
    if (server?.listening) {
      server.close();
      for (const socket of this.#sockets) {
        socket.destroy();
      }
      await once(server, 'close');
    }
  }
}

const programs = apiServerPrograms();
if (programs === undefined) {
  throw new Error('set KUBE_APISERVER and ETCD, and use npm run test:apiserver');
}

describe.each(['few', 'all', 'none'] as const)('KubernetesSource at a real API server, watchList: %s', (watchList) => {
  const directory = mkdtempSync(join(tmpdir(), 'apiserver-spec-'));
  const tokenFile = join(directory, 'token');
  const kubeconfig = join(directory, 'kubeconfig');
  const handler = new RecordingHandler();
  const log = new RecordingLogger(9);
  let server: ApiServerProcess;
  let wire: Wire;
  let source: KubernetesSource;

  const waitFor = (what: string, condition: () => boolean | Promise<boolean>) =>
    until(condition, () => `${what}\n${log.lines.slice(-40).join('\n')}`, TIMEOUT);

  async function writeToken(expiresIn: number): Promise<string> {
    const token = await server.token({ namespace: NAMESPACE, name: ACCOUNT, expiresIn });
    writeFileSync(join(directory, 'next'), token);
    renameSync(join(directory, 'next'), tokenFile);
    return token;
  }

  beforeAll(async () => {
    server = await ApiServerProcess.start(programs);
    wire = new Wire(Number(new URL(server.url).port));
    await wire.join();
    await server.create([...MANIFESTS, BINDING], NAMESPACE);
    await server.put('nodes', {
      metadata: { name: 'node1', labels: { 'topology.kubernetes.io/zone': 'z1' } },
      spec: { podCIDRs: ['10.244.0.0/24'], podCIDR: '10.244.0.0/24' },
      status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] },
    });
    for (let index = 0; index < 30; index += 1) {
      await server.put('services', service(`s${index}`));
    }
    await server.put('services', { ...service('none'), spec: { clusterIP: 'None', ports: [{ port: 80 }] } });
    await server.put('services', service('web'));
    await server.put('endpointslices', slice('web-a', '10.244.0.5'));
    await writeToken(FOREVER);
    writeFileSync(kubeconfig, server.kubeconfig({ tokenFile }, wire.url));
    const options: KubernetesSourceOptions = { kubeconfig, logger: log, watchList, pageSize: 7 };
    source = new KubernetesSource(options);
    await source.start(handler, { nodeName: 'node1' });
    await waitFor('synced', () => handler.servicesSynced === 1 && handler.endpointsSynced === 1);
  });

  afterEach(async () => {
    expect(handler.violations).toEqual([]);
    expect([handler.servicesSynced, handler.endpointsSynced]).toEqual([1, 1]);
    await expectExact();
  });

  afterAll(async () => {
    await source.stop();
    await wire.cut();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  /** Whether the handler has the objects of the server. */
  async function expectExact(): Promise<void> {
    const services = (await server.names('services')).filter((name) => name !== 'default/none');
    const slices = await server.names('endpointslices');
    await waitFor(
      'all Services',
      () => JSON.stringify([...handler.services.keys()].sort()) === JSON.stringify(services),
    );
    await waitFor('all slices', () => JSON.stringify([...handler.slices.keys()].sort()) === JSON.stringify(slices));
  }

  const comesThrough = async (name: string) => {
    await server.put('services', service(name));
    await waitFor(`Service ${name}`, () => handler.services.has(`default/${name}`));
  };

  test('reads everything with the ClusterRole of the deployment', async () => {
    expect(handler.node).toMatchObject({
      metadata: { name: 'node1', labels: { 'topology.kubernetes.io/zone': 'z1' } },
      spec: { podCIDRs: ['10.244.0.0/24'] },
      status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] },
    });
    await waitFor('networks', () => handler.cidrs?.length === 2);
    expect(handler.cidrs).toEqual(['10.96.0.0/16', 'fd00:96::/112']);
    expect(handler.services.has('default/none')).toBe(false);
    expect(handler.slices.get('default/web-a')?.endpoints).toEqual([
      { addresses: ['10.244.0.5'], conditions: { ready: true } },
    ]);
    const { access } = await checkApiAccess({ kubeconfig, nodeName: 'node1' });
    expect(access.map(({ resource, refusal }) => [resource, refusal])).toEqual([
      ['services', undefined],
      ['endpointslices', undefined],
      ['nodes', undefined],
      ['servicecidrs', undefined],
    ]);
  });

  test('reports changes, and Services that stop matching its selectors', async () => {
    await comesThrough('next');
    await server.put('endpointslices', slice('web-a', '10.244.0.6'));
    await waitFor('a changed slice', () => handler.events.includes('~ EndpointSlice default/web-a'));
    const labels = { 'service.kubernetes.io/service-proxy-name': 'other' };
    const { metadata, ...rest } = service('next');
    await server.put('services', { ...rest, metadata: { ...metadata, labels } });
    await waitFor('a Service of another proxy', () => !handler.services.has('default/next'));
    await server.delete('services', 'next', 'default');
  });

  test('recovers after a restart of the server', async () => {
    await server.stopServer();
    await server.startServer();
    await comesThrough('after-restart');
  });

  test('recovers after an outage in which its version was compacted', async () => {
    await wire.cut();
    await server.delete('services', 's1', 'default');
    await server.put('services', service('during-outage'));
    await server.put('endpointslices', slice('web-b', '10.244.0.7'));
    await server.compact();
    await server.stopServer();
    await server.startServer();
    const before = handler.events.length;
    await wire.join();
    await waitFor('the new Service', () => handler.services.has('default/during-outage'));
    await waitFor('the removal', () => !handler.services.has('default/s1'));
    await waitFor('the new slice', () => handler.slices.has('default/web-b'));
    // Only the differences.
    expect(
      handler.events
        .slice(before)
        .filter((event) => event.includes(' Service '))
        .sort(),
    ).toEqual(['+ Service default/during-outage', '- Service default/s1']);
    await comesThrough('after-compaction');
  });

  test('names a missing permission, and recovers when it is granted', async () => {
    await server.delete('clusterrolebindings', 'kube-proxier');
    await wire.cut();
    await wire.join();
    await waitFor('a refusal in the log', () =>
      log.lines.some(
        (line) => line.includes('cannot') && line.includes(`system:serviceaccount:${NAMESPACE}:${ACCOUNT}`),
      ),
    );
    await server.create([BINDING], NAMESPACE);
    await comesThrough('after-grant');
  });

  test('recovers from an expired token when the file has the next one', async () => {
    const short = await writeToken(2);
    await waitFor('the token has expired', async () => {
      const { status } = await server.request('GET', '/api/v1/services?limit=1', undefined, short);
      return status === 401;
    });
    await wire.cut();
    await wire.join();
    await waitFor('401 in the log', () =>
      log.lines.some((line) => line.includes('401') || line.includes('Unauthorized')),
    );
    await writeToken(FOREVER);
    await comesThrough('after-rotation');
  });
});
