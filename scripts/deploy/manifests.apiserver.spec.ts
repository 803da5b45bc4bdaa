import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ApiServerProcess, apiServerPrograms } from '@kube-proxier/source-kubernetes/testing';
import { parse } from 'yaml';
import { ACCEPTED } from './check-chart.mjs';
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
});
