import { isAbsolute } from 'node:path';
import { isText, printable } from '@kube-proxier/core';
import type { HealthCheckSettings, KubernetesSettings } from './agent-settings.js';
import type { FlagValues } from './flag-values.js';

/**
 * Reads where Kubernetes objects come from, beside manifests.
 *
 * @returns undefined when they come from manifests only, and when the command needs no objects.
 */
export function readKubernetes(
  values: FlagValues,
  environment: Readonly<Record<string, string | undefined>>,
): KubernetesSettings | undefined {
  const kubeconfig = values.text('kubeconfig');
  const master = values.text('master');
  const { encoding } = readContentTypes(values);
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(master) ? master : `http://${master}`;
  if (master !== '' && !(URL.canParse(full) && /^https?:/i.test(full))) {
    values.wrong('master', master, 'is not the URL of an API server; write it like https://10.0.0.1:6443');
  }
  if (kubeconfig !== '' || master !== '') {
    return { kubeconfig, master, encoding };
  }
  const runs = values.commandLine.command === 'run' && !values.given('init-only') && !values.given('write-config-to');
  if (values.given('manifests') || !runs) {
    return undefined;
  }
  if ((environment.KUBERNETES_SERVICE_HOST ?? '') !== '') {
    return { kubeconfig, master, encoding };
  }
  if (values.commandLine.errors.length > 0 || (values.configuration?.problems.length ?? 0) > 0) {
    // The misspelt flag may be the missing one.
    return undefined;
  }
  const where = values.configuration ? 'set clientConnection.kubeconfig to' : 'give --kubeconfig with';
  values.problems.push(
    `no Service source configured: ${where} the path of a kubeconfig file, or give --manifests ` +
      'with a directory of Kubernetes YAML, or run it in a pod (KUBERNETES_SERVICE_HOST is not set, so this is not a ' +
      'pod)',
  );
  return undefined;
}

const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';
const JSON_TYPES: readonly string[] = ['application/json', 'application/*', '*/*'];
const ACCEPTED_TYPES = 'clientConnection.acceptContentTypes';

/**
 * Reads the encoding of requested objects. As in kube-proxy, the accepted types, in order of preference, precede the
 * content type.
 */
export function readContentTypes(values: FlagValues): {
  readonly encoding: 'auto' | 'json';
  /** Types that are not read. */
  readonly warnings: readonly string[];
} {
  const accepted = values.configuration?.fieldsWithoutFlag.get(ACCEPTED_TYPES);
  const isAccepted = isText(accepted);
  const text = isAccepted ? accepted : values.text('kube-api-content-type');
  const types = text.split(',').map((type) => type.split(';')[0]?.trim().toLowerCase() ?? '');
  const preferred = types.find((type) => type === PROTOBUF_TYPE || JSON_TYPES.includes(type));
  if (preferred !== undefined || text === '') {
    return { encoding: preferred === PROTOBUF_TYPE ? 'auto' : 'json', warnings: [] };
  }
  const place = isAccepted ? ACCEPTED_TYPES : values.place('kube-api-content-type');
  const what = `has neither ${PROTOBUF_TYPE} nor application/json; objects are read as JSON`;
  return { encoding: 'json', warnings: [`${place}: ${JSON.stringify(printable(text, 120))} ${what}`] };
}

/** Reads the paths of manifests. */
export function readManifests(values: FlagValues): readonly string[] {
  // Unlike other lists, not split at commas: these are paths.
  const paths = values.commandLine.values.get('manifests') ?? [];
  if (paths.includes('')) {
    values.wrong('manifests', '', 'must be the path of a directory or a file');
  }
  return [...new Set(paths)];
}

const CHECKED_SOURCES = ['manifests', 'all', 'none'] as const;

/** Reads which endpoints are checked. */
export function readHealthChecks(values: FlagValues): HealthCheckSettings {
  const text = values.text('health-checks');
  const of = CHECKED_SOURCES.find((candidate) => candidate === text);
  if (of === undefined) {
    values.wrong('health-checks', text, `must be one of ${CHECKED_SOURCES.join(', ')}`);
  }
  const scripts = values.text('health-check-scripts');
  if (scripts !== '' && !isAbsolute(scripts)) {
    values.wrong('health-check-scripts', scripts, 'must be an absolute path');
  }
  return { of: of ?? 'none', scripts };
}
