import { assertNever } from '@kube-proxier/core';
import { stringify } from 'yaml';
import { FLAGS, type FlagName } from '../flags/flag.js';
import type { Flag } from '../flags/flag-definition.js';
import { formatGoDuration, parseGoBool, parseGoDuration } from '../flags/go-values.js';
import {
  API_VERSION,
  FIELDS,
  type Field,
  KIND,
  OWN_API_VERSION,
  OWN_FIELDS,
  OWN_KIND,
} from './kube-proxy-configuration.js';

/** The effective configuration of flags and files, in the format of a configuration file. */
export interface EffectiveConfiguration {
  /** A KubeProxyConfiguration with all fields. */
  readonly kubeProxy: Readonly<Record<string, unknown>>;
  /** A KubeProxierConfiguration with all fields. */
  readonly own: Readonly<Record<string, unknown>>;
}

/** Values of flags, already checked. */
type Values = ReadonlyMap<FlagName, readonly string[]>;

/**
 * Converts values of flags into the format of a configuration file, with defaults for unset values. Reading the result
 * gives the same settings. Pure.
 *
 * @param fieldsWithoutFlag fields that have no flag, by path.
 */
export function effectiveConfiguration(
  values: Values,
  fieldsWithoutFlag: ReadonlyMap<string, unknown>,
): EffectiveConfiguration {
  const mode = values.get('proxy-mode')?.at(-1) ?? '';
  // Spec C-40: periods and masquerading go back to the section of the mode, those of any other mode to the section iptables.
  const section = mode === 'ipvs' || mode === 'nftables' ? mode : '';
  const kubeProxy = build(FIELDS, values, fieldsWithoutFlag, section);
  return {
    kubeProxy: {
      ...kubeProxy,
      // Spec M-1, M-3: the defaults that kube-proxy fills in.
      mode: mode === '' ? 'iptables' : mode,
      detectLocalMode: kubeProxy.detectLocalMode === '' ? 'ClusterCIDR' : kubeProxy.detectLocalMode,
      apiVersion: API_VERSION,
      kind: KIND,
    },
    own: { ...build(OWN_FIELDS, values, fieldsWithoutFlag, section), apiVersion: OWN_API_VERSION, kind: OWN_KIND },
  };
}

/** Formats it as a file for `--config`, with keys in alphabetical order, as kube-proxy does. */
export function formatConfiguration({ kubeProxy, own }: EffectiveConfiguration): string {
  const text = (document: Readonly<Record<string, unknown>>) => stringify(document, { sortMapEntries: true });
  return `${text(kubeProxy)}---\n${text(own)}`;
}

function build(
  fields: Readonly<Record<string, Field>>,
  values: Values,
  fieldsWithoutFlag: ReadonlyMap<string, unknown>,
  section: string,
): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [path, field] of Object.entries(fields)) {
    const counts = field.modes === undefined || field.modes.includes(section);
    const texts = field.flag === undefined || !counts ? undefined : (values.get(field.flag) ?? defaultOf(field.flag));
    put(
      root,
      path.split('.'),
      texts === undefined ? (fieldsWithoutFlag.get(path) ?? zero(field)) : fieldValue(field, texts),
    );
  }
  return root;
}

function put(root: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    root[name] = value;
    return;
  }
  const inner = (root[name] ?? {}) as Record<string, unknown>;
  root[name] = inner;
  put(inner, rest, value);
}

function defaultOf(name: FlagName): readonly string[] {
  const flag: Flag | undefined = FLAGS.find((candidate) => candidate.name === name);
  return flag?.default === undefined ? [] : [flag.default];
}

/** The value for "unset": null where zero has its own meaning. */
function zero({ type, zeroCounts }: Field): unknown {
  if (zeroCounts) {
    return null;
  }
  switch (type) {
    case 'bool':
      return false;
    case 'int':
    case 'float':
      return 0;
    case 'duration':
    case 'period':
      return '0s';
    case 'list':
    case 'texts':
    case 'levels':
      return null;
    case 'switches':
      return {};
    case 'text':
    case 'size':
      return '';
    default:
      return assertNever(type);
  }
}

function fieldValue(field: Field, texts: readonly string[]): unknown {
  const text = texts.at(-1) ?? '';
  const items = texts.flatMap((list) => list.split(',')).flatMap((item) => (item.trim() === '' ? [] : [item.trim()]));
  switch (field.type) {
    case 'text':
      // Some lists are one comma-separated text in the file.
      return FLAGS.some(({ name, type }) => name === field.flag && type === 'list') ? texts.join(',') : text;
    case 'bool':
      return parseGoBool(text) ?? false;
    case 'int':
    case 'float':
      return Number(text);
    case 'duration':
    case 'period':
      return formatGoDuration(parseGoDuration(text) ?? 0);
    case 'size':
      return text;
    case 'list':
      return items.length === 0 ? null : items;
    case 'texts':
      return texts.length === 0 ? null : texts;
    case 'switches':
      return Object.fromEntries(items.map((item) => item.split('=')).map(([name, on]) => [name, on === 'true']));
    case 'levels':
      return items.length === 0
        ? null
        : items
            .map((item) => item.split('='))
            .map(([filePattern, level]) => ({ filePattern, verbosity: Number(level) }));
  }
}
