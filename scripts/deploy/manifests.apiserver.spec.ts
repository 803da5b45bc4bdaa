import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ADMINISTRATOR_TOKEN, ApiServerProcess, apiServerPrograms } from '@kube-proxier/source-kubernetes/testing';
import { parse } from 'yaml';
import { ACCEPTED } from './check-chart.mjs';
import { clusterTools } from './cluster-tools.mjs';
import { renderChart } from './render-chart.mjs';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Path to create an object of the chart. */
function collectionOf({ apiVersion, kind, metadata: { namespace } }: Manifest): string {
  const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return `${base}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${kind.toLowerCase()}s`;
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const programs = apiServerPrograms();

(programs ? describe : describe.skip)('a real API server', () => {
  let server: ApiServerProcess;

  beforeAll(async () => {
    server = await ApiServerProcess.start(programs as NonNullable<typeof programs>);
  });

  afterAll(() => server?.stop());

  test.each(Object.entries(ACCEPTED))(
    'takes every object of the chart with %s, and no field is unknown',
    async (_what, values) => {
      const manifests = [...renderChart(values).values()]
        .map((text) => parse(text) as Manifest)
        // Custom resources, whose definitions it does not have.
        .filter(({ apiVersion }) => !apiVersion.startsWith('monitoring.coreos.com/'));
      expect(manifests.length).toBeGreaterThan(4);
      for (const manifest of manifests) {
        const path = `${collectionOf(manifest)}?dryRun=All&fieldValidation=Strict`;
        const { status, headers, body } = await server.request('POST', path, manifest);
        expect({ ...manifest.metadata, kind: manifest.kind, status, warning: headers.warning, body }).toMatchObject({
          status: 201,
          warning: undefined,
        });
      }
    },
  );

  (process.arch === 'x64' ? describe : describe.skip)('with helm and kubectl', () => {
    let directory: string;
    let kubeconfig: string;
    let tools: ReturnType<typeof clusterTools>;
    const run = (program: 'helm' | 'kubectl', ...args: readonly string[]) => {
      const all = ['--kubeconfig', kubeconfig, '--namespace', 'kube-system', ...args];
      const { status, stdout, stderr } = spawnSync(tools?.[program] ?? program, all, {
        ...{ encoding: 'utf8', cwd: ROOT, timeout: 60_000 },
        // Caches of both programs.
        env: { ...process.env, HOME: directory },
      });
      return { status, stdout, stderr };
    };
    const succeeds = (program: 'helm' | 'kubectl', ...args: readonly string[]): string => {
      const result = run(program, ...args);
      expect(result).toMatchObject({ status: 0 });
      return result.stdout;
    };
    const volumes = () =>
      succeeds(
        'kubectl',
        ...['get', 'daemonset', 'kube-proxier'],
        ...['--output', 'jsonpath={.spec.template.spec.volumes[*].name}'],
      ).split(' ');
    const CHART = 'deploy/helm/kube-proxier';

    beforeAll(() => {
      tools = clusterTools();
      directory = mkdtempSync(join(tmpdir(), 'kube-proxier-helm-'));
      kubeconfig = join(directory, 'kubeconfig');
      writeFileSync(kubeconfig, server.kubeconfig({ token: ADMINISTRATOR_TOKEN }));
    });

    afterAll(() => rmSync(directory, { recursive: true, force: true }));

    test('the chart is installed, upgraded, rolled back and uninstalled', () => {
      const required = ['--set', 'apiServer.host=192.0.2.1', '--set', 'config.clusterCIDR=10.244.0.0/16'];
      succeeds('helm', 'install', 'kube-proxier', CHART, ...required);
      expect(volumes()).not.toContain('recording');
      const recording = ['--set', 'proxierConfig.recording.directory=/var/log/kube-proxier'];
      succeeds('helm', 'upgrade', 'kube-proxier', CHART, '--reuse-values', ...recording);
      expect(volumes()).toContain('recording');
      expect(
        run('helm', 'upgrade', 'kube-proxier', CHART, '--reuse-values', '--set', 'config.mode=nftable'),
      ).toMatchObject({
        status: 1,
        stderr: expect.stringContaining("at '/config/mode'"),
      });
      succeeds('helm', 'rollback', 'kube-proxier', '1');
      expect(volumes()).not.toContain('recording');
      succeeds('helm', 'uninstall', 'kube-proxier');
      expect(succeeds('kubectl', 'get', 'daemonsets', '--output', 'name')).toBe('');
    });

    test('the kustomization is applied, is then unchanged, and is deleted', () => {
      succeeds('kubectl', 'apply', '--kustomize', 'deploy/kustomize');
      // The exit status of a difference is 1.
      expect(succeeds('kubectl', 'diff', '--kustomize', 'deploy/kustomize')).toBe('');
      succeeds('kubectl', 'delete', '--kustomize', 'deploy/kustomize', '--wait=false');
    });
  });
});
