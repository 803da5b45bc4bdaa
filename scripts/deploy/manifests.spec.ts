import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { until } from '@kube-proxier/core/testing';
import { EventRecorder, KubernetesSource, MetricsAccessReviewer, PodClient } from '@kube-proxier/source-kubernetes';
import { FakeApiServer, RecordingHandler } from '@kube-proxier/source-kubernetes/testing';
import { parse, parseAllDocuments } from 'yaml';
import { ACCEPTED, MISSPELT, REFUSED } from './check-chart.mjs';
import { checkManifest } from './check-manifest.mjs';
import { generatedFiles } from './generate.mjs';
import { renderChart } from './render-chart.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const KUSTOMIZE = join(ROOT, 'deploy/kustomize');
/** What the kustomization is set up for. */
const KIND = { apiServer: { host: 'kind-control-plane' }, config: { clusterCIDR: '10.244.0.0/16' } };

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly securityContext: { readonly privileged?: boolean; readonly capabilities?: unknown };
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly rules?: readonly { readonly apiGroups: string[]; readonly resources: string[]; readonly verbs: string[] }[];
  readonly spec?: {
    readonly template: { readonly spec: { readonly containers: Container[]; readonly initContainers: Container[] } };
  };
}

function kustomized(): readonly Manifest[] {
  const { resources } = parse(readFileSync(join(KUSTOMIZE, 'kustomization.yaml'), 'utf8')) as { resources: string[] };
  const files = readdirSync(KUSTOMIZE, { withFileTypes: true }).filter((entry) => entry.isFile());
  expect([...resources, 'kustomization.yaml'].sort()).toEqual(files.map(({ name }) => name).sort());
  return resources.map((file) => parse(readFileSync(join(KUSTOMIZE, file), 'utf8')) as Manifest);
}

function charted(changes: Readonly<Record<string, unknown>> = KIND, namespace?: string): readonly Manifest[] {
  return [...renderChart(changes, namespace).values()].map((text) => parse(text) as Manifest);
}

function pick(manifests: readonly Manifest[], kind: string, name?: string): Manifest {
  const found = manifests.filter(
    ({ kind: actual, metadata }) => actual === kind && (name === undefined || metadata.name === name),
  );
  expect(found).toHaveLength(1);
  return found[0] as Manifest;
}

const configurationOf = (manifests: readonly Manifest[]) =>
  pick(manifests, 'ConfigMap', 'kube-proxier').data?.['config.conf'] ?? '';

/** By kind, with the documents inside of the ConfigMap as what they say. */
function comparable(manifests: readonly Manifest[]) {
  const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;
  const sorted = [...manifests].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  return sorted.map(({ data, ...rest }) =>
    data === undefined
      ? rest
      : {
          ...rest,
          data: {
            ...data,
            'config.conf': parseAllDocuments(data['config.conf'] ?? '').map((document) => document.toJS() as unknown),
          },
        },
  );
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: number };
}

interface Mount {
  readonly name: string;
  readonly mountPath: string;
}

interface DaemonSet {
  readonly spec: {
    readonly updateStrategy: { readonly rollingUpdate: object };
    readonly template: {
      readonly spec: {
        readonly containers: readonly {
          readonly readinessProbe: Probe;
          readonly livenessProbe: Probe;
          readonly volumeMounts: readonly Mount[];
        }[];
        readonly initContainers: readonly { readonly volumeMounts: readonly Mount[] }[];
        readonly volumes: readonly { readonly name: string }[];
      };
    };
  };
}

/** What the DaemonSet mounts at each path, more than with the required values. */
function addedMounts(changes: Readonly<Record<string, unknown>>) {
  const podOf = (values: Readonly<Record<string, unknown>>) =>
    (pick(charted(values), 'DaemonSet') as unknown as DaemonSet).spec.template.spec;
  const pod = podOf(changes);
  const without = podOf(KIND);
  expect(pod.initContainers).toEqual(without.initContainers);
  expect(pod.volumes.slice(0, without.volumes.length)).toEqual(without.volumes);
  const mounts = pod.containers[0]?.volumeMounts ?? [];
  const before = without.containers[0]?.volumeMounts ?? [];
  expect(mounts.slice(0, before.length)).toEqual(before);
  const added = mounts.slice(before.length);
  const volumes = pod.volumes.slice(without.volumes.length);
  expect(volumes.map(({ name }) => name).sort()).toEqual(added.map(({ name }) => name).sort());
  return added.map(({ name, ...mount }) => {
    const { name: _, ...volume } = volumes.find((one) => one.name === name) as { name: string };
    return { ...mount, ...volume };
  });
}

/** `verb resource.group` of each permission, sorted. */
function grantedBy({ rules = [] }: Manifest): readonly string[] {
  return rules
    .flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}.${group}`)),
      ),
    )
    .sort();
}

/** What `node scripts/deploy/render-chart.mjs` prints for these values. */
function commandFor(...settings: readonly string[]) {
  const args = settings.flatMap((setting) => ['--set', setting]);
  return spawnSync(process.execPath, [join(ROOT, 'scripts/deploy/render-chart.mjs'), ...args], { encoding: 'utf8' });
}

interface PodMonitor {
  readonly metadata: { readonly labels: object };
  readonly spec: {
    readonly podMetricsEndpoints: readonly [
      { readonly relabelings: readonly { readonly regex?: string; readonly replacement?: string }[] },
    ];
  };
}

const podMonitorOf = (changes: Readonly<Record<string, unknown>>) =>
  pick(charted(changes), 'PodMonitor') as unknown as PodMonitor;

describe('deploy/', () => {
  test('the kustomization and the chart make the same objects', () => {
    expect(comparable(charted())).toEqual(comparable(kustomized()));
  });

  test.each([
    ['the kustomization', kustomized],
    ['the chart', () => charted()],
    [
      'the chart with everything changed',
      () =>
        charted(
          {
            ...KIND,
            image: { tag: '1.2.3' },
            imagePullSecrets: [{ name: 'key' }],
            extraArgs: ['-v=2'],
            nodeSelector: {},
            tolerations: [],
            resources: {},
            maxUnavailable: 1,
            podAnnotations: { a: 'b' },
            proxierConfig: {},
          },
          'proxy',
        ),
    ],
  ])('%s is what the API of Kubernetes takes', (_name, manifests) => {
    for (const manifest of manifests()) {
      expect({ kind: manifest.kind, problems: checkManifest(manifest) }).toEqual({ kind: manifest.kind, problems: [] });
    }
  });

  test('a second pod can be placed beside the one that it replaces, and counts as ready when its node is programmed', () => {
    const values = { ...KIND, maxSurge: 1, maxUnavailable: 0 };
    for (const manifests of [kustomized(), charted(values)]) {
      const { spec } = manifests.find(({ kind }) => kind === 'DaemonSet') as unknown as DaemonSet;
      const [container] = spec.template.spec.containers;
      // On the node's network, declared ports are reserved on the node.
      expect(container).not.toHaveProperty('ports');
      expect(container?.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 10_256 });
      expect(container?.livenessProbe.httpGet).toEqual({ path: '/livez', port: 10_256 });
    }
    const [daemonSet] = charted(values).filter(({ kind }) => kind === 'DaemonSet') as unknown as readonly DaemonSet[];
    expect(daemonSet?.spec.updateStrategy.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
  });

  test.each([
    [undefined, { port: 10_256 }],
    ['', { port: 10_256 }],
    ['0.0.0.0', { port: 10_256 }],
    ['0.0.0.0:10300', { port: 10_300 }],
    ['[::]:10300', { port: 10_300 }],
    ['fd00::a:1', { port: 10_256 }],
    ['[fd00::a:1]:10300', { port: 10_300 }],
    ['127.0.0.1:10300', { host: '127.0.0.1', port: 10_300 }],
    ['[::1]:10300', { host: '::1', port: 10_300 }],
    ['::1', { host: '::1', port: 10_256 }],
  ])('the probes of the chart ask where healthzBindAddress %j is served', (healthzBindAddress, where) => {
    const config = { ...KIND.config, ...(healthzBindAddress === undefined ? {} : { healthzBindAddress }) };
    const { spec } = charted({ ...KIND, config }).find(({ kind }) => kind === 'DaemonSet') as unknown as DaemonSet;
    const [container] = spec.template.spec.containers;
    expect(container?.readinessProbe.httpGet).toEqual({ path: '/readyz', ...where });
    expect(container?.livenessProbe.httpGet).toEqual({ path: '/livez', ...where });
  });

  test('the certificate of metrics is mounted only where metrics are served', () => {
    const mounting = (enabled: boolean) =>
      JSON.stringify(charted({ ...KIND, metrics: { enabled, tlsSecretName: 'own-certificate' } })).includes(
        'own-certificate',
      );
    expect([mounting(true), mounting(false)]).toEqual([true, false]);
  });

  test('the directories that the configuration names are those of the node; only the recording is written', () => {
    const node = (path: string, type: string) => ({ mountPath: path, hostPath: { path, type } });
    const readOnly = { readOnly: true };
    expect(addedMounts(ACCEPTED['directories of the node'] ?? {})).toEqual([
      { ...node('/etc/kube-proxier/manifests', 'Directory'), ...readOnly },
      { ...node('/srv/manifests', 'Directory'), ...readOnly },
      { ...node('/etc/kube-proxier/scripts', 'Directory'), ...readOnly },
      node('/var/log/kube-proxier', 'DirectoryOrCreate'),
    ]);
  });

  test.each(['/etc/manifests', '/etc/manifests/', '/etc/manifests/static'])(
    'a directory inside of a further volume at %s is not mounted from the node',
    (mountPath) => {
      const volume = { configMap: { name: 'static-services' } };
      const values = {
        ...KIND,
        proxierConfig: { manifests: ['/etc/manifests/static'] },
        extraVolumes: [{ name: 'static', ...volume }],
        extraVolumeMounts: [{ name: 'static', mountPath }],
      };
      expect(addedMounts(values)).toEqual([{ mountPath, ...volume }]);
    },
  );

  test('a directory beside a further volume is mounted from the node', () => {
    const values = {
      ...KIND,
      proxierConfig: { recording: { directory: '/var/log/recording' } },
      extraVolumes: [{ name: 'own', emptyDir: {} }],
      extraVolumeMounts: [{ name: 'own', mountPath: '/var/log/rec' }],
    };
    expect(addedMounts(values).map(({ mountPath }) => mountPath)).toEqual(['/var/log/recording', '/var/log/rec']);
  });

  test('what the API would not take is a problem', () => {
    const daemonSet = structuredClone(pick(kustomized(), 'DaemonSet')) as unknown as {
      spec: Record<string, unknown> & { template: { spec: Record<string, unknown> } };
    };
    delete daemonSet.spec.selector;
    Object.assign(daemonSet.spec.template.spec, { hostNetwork: 'true', priorityClass: 'high' });
    expect(checkManifest(daemonSet)).toEqual([
      '/spec/selector: missing',
      '/spec/template/spec/hostNetwork: not a boolean',
      '/spec/template/spec/priorityClass: no such field in V1PodSpec',
    ]);
    expect(checkManifest({ apiVersion: 'v1', kind: 'Kitchen' })).toEqual([
      'v1 Kitchen is not a kind that is known here',
    ]);
  });

  test('what is generated is up to date: node scripts/deploy/generate.mjs', () => {
    const files = generatedFiles();
    expect(files.size).toBeGreaterThan(10);
    for (const [path, text] of files) {
      const actual = readFileSync(join(ROOT, path), 'utf8');
      // JSON is formatted by biome.
      const content = (json: string): unknown => (path.endsWith('.json') ? JSON.parse(json) : json);
      expect({ path, content: content(actual) }).toEqual({ path, content: content(text) });
    }
    const written = ['monitoring', 'non-root'].flatMap((component) =>
      readdirSync(join(KUSTOMIZE, component)).map((name) => `deploy/kustomize/${component}/${name}`),
    );
    expect(written.filter((path) => !files.has(path))).toEqual([]);
  });

  test.each(Object.entries(ACCEPTED))('the chart takes %s', (_what, values) => {
    for (const manifest of charted(values)) {
      const known = !manifest.apiVersion.startsWith('monitoring.coreos.com/');
      expect({ kind: manifest.kind, problems: known ? checkManifest(manifest) : [] }).toEqual({
        kind: manifest.kind,
        problems: [],
      });
    }
  });

  test.each(Object.entries(REFUSED))('the chart refuses %s, with its schema and without', (_what, values) => {
    expect(() => renderChart(values)).toThrow('values.schema.json');
    expect(() => renderChart(values, 'kube-system', { schema: false })).toThrow(
      /^(set |apiServer|nonRoot|podMonitor|metrics|one of|proxierConfig)/,
    );
  });

  test.each(Object.entries(MISSPELT))('the chart refuses %s', (_what, values) => {
    expect(() => renderChart(values)).toThrow('values.schema.json');
  });

  test('the chart takes the mode of a third party where its backend is named', () => {
    const values = { ...KIND, config: { ...KIND.config, mode: 'acme' } };
    expect(() => renderChart(values)).toThrow('config.mode: must be equal to one of the allowed values');
    expect(configurationOf(charted({ ...values, proxierConfig: { backends: ['@acme/backend'] } }))).toContain(
      'mode: acme',
    );
  });

  test('the command that renders the chart prints nothing for values that are refused', () => {
    const network = 'config.clusterCIDR=10.244.0.0/16';
    expect(commandFor()).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('apiServer.host') });
    for (const settings of [
      ['apiServer.host=', network],
      ['apiServer.host=a', network, 'tolerationss=[]'],
      ['apiServer.host=a', network, 'metrics.enable=true'],
    ]) {
      expect({ settings, ...commandFor(...settings) }).toMatchObject({ status: 1, stdout: '' });
    }
    expect(commandFor('apiServer.host=a', network)).toMatchObject({ status: 0, stderr: '' });
  });

  test('without monitoring there is nothing of it: no permission, no port, no object', () => {
    const text = JSON.stringify(charted());
    expect(text).not.toMatch(/metrics-scrape|tokenreviews|PodMonitor|PrometheusRule|dashboard|"Secret"/);
  });

  test('the agent takes the arguments of the DaemonSet with monitoring', () => {
    for (const values of Object.values(ACCEPTED)) {
      const { containers = [] } = pick(charted(values), 'DaemonSet').spec?.template.spec ?? {};
      const directory = mkdtempSync(join(tmpdir(), 'deploy-'));
      try {
        const file = join(directory, 'config.conf');
        writeFileSync(file, configurationOf(charted(values)));
        const [, ...args] = containers[0]?.args ?? [];
        const output = `--write-config-to=${join(directory, 'out')}`;
        const { status, stderr } = spawnSync(
          process.execPath,
          ['packages/agent/bin/kube-proxier.js', `--config=${file}`, ...args, output],
          {
            cwd: ROOT,
            encoding: 'utf8',
            env: { ...process.env, KUBERNETES_SERVICE_HOST: 'a', KUBERNETES_SERVICE_PORT: '1' },
          },
        );
        expect({ status, problems: stderr.split('\n').filter((line) => /ERROR|kube-proxier: --/.test(line)) }).toEqual({
          status: 0,
          problems: [],
        });
      } finally {
        rmSync(directory, { recursive: true });
      }
    }
  });

  test('the ClusterRole of the reviewer grants exactly what it requests, and that of readers what is reviewed', async () => {
    const server = await FakeApiServer.start();
    const reviewer = new MetricsAccessReviewer({ master: server.url });
    try {
      server.users.set('token', { username: 'prometheus' });
      const all = charted(ACCEPTED.monitoring);
      const [rule] = pick(all, 'ClusterRole', 'kube-proxier-metrics-reader').rules as unknown as readonly [
        { readonly nonResourceURLs: readonly string[]; readonly verbs: readonly string[] },
      ];
      server.permissions.set('prometheus', new Set([`${rule.verbs.join()} ${rule.nonResourceURLs.join()}`]));
      expect(await reviewer.review('token', new AbortController().signal)).toBe('allowed');
      const group = new Map([
        ['tokenreviews', 'authentication.k8s.io'],
        ['subjectaccessreviews', 'authorization.k8s.io'],
      ]);
      const asked = server.requests.map(({ verb, resource }) => `${verb} ${resource}.${group.get(resource)}`);
      expect(grantedBy(pick(all, 'ClusterRole', 'kube-proxier-metrics-reviewer'))).toEqual(asked.sort());
      // The token of the PodMonitor reads metrics, and does nothing else.
      const bindings = all.filter(({ kind }) => kind === 'ClusterRoleBinding').map((one) => JSON.stringify(one));
      const ofReader = bindings.filter((text) => /"ServiceAccount","name":"kube-proxier-metrics-reader"/.test(text));
      expect(ofReader).toHaveLength(1);
      expect(ofReader[0]).toContain('"kind":"ClusterRole","name":"kube-proxier-metrics-reader"');
    } finally {
      reviewer.close();
      await server.stop();
    }
  });

  test('the PodMonitor scrapes as the agent serves', () => {
    const { spec } = podMonitorOf(ACCEPTED.monitoring ?? {});
    expect(spec).toMatchObject({
      jobLabel: 'app.kubernetes.io/name',
      podMetricsEndpoints: [
        {
          ...{ path: '/metrics', scheme: 'https', tlsConfig: { insecureSkipVerify: true } },
          authorization: { credentials: { name: 'kube-proxier-metrics-reader', key: 'token' } },
        },
      ],
    });
    const addressOf = (ip: string) =>
      spec.podMetricsEndpoints[0].relabelings.flatMap(({ regex = '', replacement }) =>
        replacement !== undefined && new RegExp(`^(?:${regex})$`).test(ip) ? ip.replace(/^(.*)$/, replacement) : [],
      );
    expect(addressOf('10.0.0.5')).toEqual(['10.0.0.5:10269']);
    expect(addressOf('fd00::5')).toEqual(['[fd00::5]:10269']);

    const own = podMonitorOf(ACCEPTED['a certificate of its own, and labels'] ?? {});
    expect(own.metadata.labels).toEqual({ 'app.kubernetes.io/name': 'kube-proxier', release: 'prometheus' });
    expect(own.spec.podMetricsEndpoints[0]).toMatchObject({
      tlsConfig: { ca: { secret: { name: 'metrics-tls', key: 'ca.crt' } }, serverName: 'kube-proxier' },
      authorization: { credentials: { name: 'token', key: 'token' } },
    });
    const plain = podMonitorOf(ACCEPTED['plain metrics for everybody'] ?? {}).spec.podMetricsEndpoints[0];
    expect(plain).toMatchObject({ scheme: 'http' });
    expect(Object.keys(plain)).not.toEqual(expect.arrayContaining(['tlsConfig']));
    expect(Object.keys(plain)).not.toEqual(expect.arrayContaining(['authorization']));
  });

  test('alerts and dashboard are those of docs/dashboards', () => {
    const all = charted(ACCEPTED.monitoring);
    const alerts = parse(readFileSync(join(ROOT, 'docs/dashboards/alerts.yaml'), 'utf8')) as unknown;
    expect(pick(all, 'PrometheusRule').spec).toEqual(alerts);
    const dashboard = pick(all, 'ConfigMap', 'kube-proxier-dashboard').data?.['kube-proxier.json'] ?? '';
    expect(JSON.parse(dashboard)).toEqual(
      JSON.parse(readFileSync(join(ROOT, 'docs/dashboards/kube-proxier.json'), 'utf8')),
    );
  });

  test('only the init container is privileged; what serves has the two capabilities that packet filters take', () => {
    const spec = pick(kustomized(), 'DaemonSet').spec?.template.spec;
    const [init, ...otherInits] = spec?.initContainers ?? [];
    const [main, ...others] = spec?.containers ?? [];
    expect([otherInits, others]).toEqual([[], []]);
    expect(init?.securityContext.privileged).toBe(true);
    expect(init?.args).toEqual([...(main?.args ?? []), '--init-only']);
    expect(main?.securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'], add: ['NET_ADMIN', 'NET_RAW'] },
    });
    expect(main?.securityContext.privileged).toBeUndefined();
  });

  test('without root, the agent is another user with one capability, and the images and mounts are those of mode nftables', () => {
    const daemonSet = pick(charted({ ...KIND, nonRoot: { enabled: true } }), 'DaemonSet');
    const { initContainers = [], containers = [] } = daemonSet.spec?.template.spec ?? {};
    expect(containers[0]?.securityContext).toEqual({
      ...{ runAsNonRoot: true, runAsUser: 65_532, runAsGroup: 65_532 },
      ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
      seccompProfile: { type: 'RuntimeDefault' },
      capabilities: { drop: ['ALL'], add: ['NET_ADMIN'] },
    });
    expect(initContainers[0]?.securityContext).toEqual({ privileged: true, readOnlyRootFilesystem: true });
    expect(JSON.stringify(daemonSet)).not.toMatch(/xtables|lib-modules/);
    expect([...initContainers, ...containers].map(({ image }) => image)).toEqual([
      expect.stringMatching(/^kube-proxier-nftables:/),
      expect.stringMatching(/^kube-proxier-nftables:/),
    ]);
  });

  test('the component non-root makes the objects that nonRoot.enabled makes', () => {
    const { patches } = parse(readFileSync(join(KUSTOMIZE, 'non-root/kustomization.yaml'), 'utf8')) as {
      patches: readonly [{ readonly patch: string }];
    };
    const manifests = structuredClone(kustomized());
    const daemonSet = pick(manifests, 'DaemonSet');
    for (const { op, path, value } of parse(patches[0].patch) as { op: string; path: string; value: unknown }[]) {
      expect(op).toBe('replace');
      const [field = '', ...parents] = path.slice(1).split('/').reverse();
      const parent = parents.reduceRight<unknown>(
        (object, name) => (object as Record<string, unknown>)[name],
        daemonSet,
      );
      expect(parent).toHaveProperty(field);
      Object.assign(parent as object, { [field]: value });
    }
    expect(comparable(manifests)).toEqual(comparable(charted({ ...KIND, nonRoot: { enabled: true } })));
  });

  test('a mode that needs programs is refused without root, with the mode that works', () => {
    const values = { ...KIND, config: { ...KIND.config, mode: 'iptables' }, nonRoot: { enabled: true } };
    expect(() => renderChart(values)).toThrow('config.mode: must be equal to constant: nftables');
    expect(() => renderChart(values, 'kube-system', { schema: false })).toThrow(
      /^nonRoot\.enabled needs config\.mode=nftables: the programs of the other modes get no capabilities/,
    );
  });

  test.each([
    ['the kustomization', () => configurationOf(kustomized())],
    ['the chart', () => configurationOf(charted())],
  ])('the agent takes the configuration of %s without a word', (_name, configuration) => {
    const directory = mkdtempSync(join(tmpdir(), 'deploy-'));
    try {
      const file = join(directory, 'config.conf');
      writeFileSync(file, configuration());
      const flags = [`--config=${file}`, `--write-config-to=${join(directory, 'out')}`];
      const { status, stderr } = spawnSync(process.execPath, ['packages/agent/bin/kube-proxier.js', ...flags], {
        cwd: ROOT,
        encoding: 'utf8',
      });
      expect({ status, warnings: stderr.split('\n').filter((line) => /WARN|ERROR/.test(line)) }).toEqual({
        status: 0,
        warnings: [],
      });
      expect(readFileSync(join(directory, 'out'), 'utf8')).toMatch(/^mode: nftables$/m);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test('the ClusterRole grants exactly what the source requests from an API server', async () => {
    // Without WatchList everything has to be listed.
    const server = await FakeApiServer.start({ watchList: 'refused' });
    try {
      const source = new KubernetesSource({ master: server.url });
      await source.start(new RecordingHandler(), { nodeName: 'node1' });
      const events = new EventRecorder({
        master: server.url,
        controller: 'kube-proxier',
        instance: 'kube-proxier-node1',
      });
      events.record({
        type: 'Normal',
        reason: 'Starting',
        action: 'StartKubeProxy',
        note: 'starting',
        regarding: { apiVersion: 'v1', kind: 'Node', name: 'node1' },
      });
      await until(() => server.openWatches.length === 4 && server.events.length === 1, 'four watches and an event');
      await source.stop();
      await events.stop(0);

      const group = new Map([
        ['services', ''],
        ['nodes', ''],
        ['endpointslices', 'discovery.k8s.io'],
        ['servicecidrs', 'networking.k8s.io'],
        ['events', 'events.k8s.io'],
      ]);
      const asked = server.requests.map(({ verb, resource }) => `${verb} ${resource}.${group.get(resource)}`);
      expect(grantedBy(pick(kustomized(), 'ClusterRole', 'kube-proxier'))).toEqual([...new Set(asked)].sort());
    } finally {
      await server.stop();
    }
  });

  test('the ClusterRoles of the kubectl plugin grant exactly what it requests, and are bound to nobody', async () => {
    const server = await FakeApiServer.start();
    const client = new PodClient({ master: server.url, userAgent: 'test' });
    try {
      const { signal } = new AbortController();
      server.store.put('pods', { metadata: { name: 'agent', namespace: 'kube-system' }, spec: {} });
      server.onExec = async () => ({ stdout: '', stderr: '', exitStatus: 0 });
      await client.listPods('kube-system', '', signal);
      await client.listNodeNames('', signal);
      await client.run({ namespace: 'kube-system', pod: 'agent', container: 'c', command: ['true'] }, signal);
      const asked = server.requests.map(({ verb, resource }) => `${verb} ${resource}.`);
      // A WebSocket begins with GET: API servers ask for one of the verbs or for both, depending on their version.
      const all = kustomized();
      const ofNamespace = grantedBy(pick(all, 'ClusterRole', 'kube-proxier-kubectl'));
      const ofNodes = grantedBy(pick(all, 'ClusterRole', 'kube-proxier-kubectl-nodes'));
      expect([...ofNamespace, ...ofNodes].sort()).toEqual([...asked, 'get pods/exec.'].sort());
      // What is bound for the whole cluster must not allow to run commands everywhere.
      expect(ofNodes).toEqual(['list nodes.']);
      const bindings = JSON.stringify(kustomized().filter(({ kind }) => kind.endsWith('Binding')));
      expect(bindings).not.toContain('kube-proxier-kubectl');
    } finally {
      client.close();
      await server.stop();
    }
  });
});

describe('the image', () => {
  const lock = JSON.parse(readFileSync(join(ROOT, 'deploy/image/image.lock.json'), 'utf8')) as {
    architectures: Readonly<
      Record<string, { node: Record<string, string>; packages: readonly { name: string; sha256: string }[] }>
    >;
  };

  test.each(['amd64', 'arm64'])('pins the tools that the agent runs, and Node, by digest: %s', (architecture) => {
    const { node, packages } = lock.architectures[architecture] ?? { node: {}, packages: [] };
    expect(packages.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['iptables', 'nftables', 'conntrack', 'ipset', 'kmod', 'libatomic1', 'libstdc++6']),
    );
    for (const { name, sha256 } of packages) {
      expect([name, sha256]).toEqual([name, expect.stringMatching(/^[0-9a-f]{64}$/)]);
    }
    expect(node).toMatchObject({
      integrity: expect.stringMatching(/^sha512-/),
      version: expect.stringMatching(/^26\./),
    });
  });
});
