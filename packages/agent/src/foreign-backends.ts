import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BackendModule, messageOf } from '@kube-proxier/core';
import { printable } from './logging/printable.js';

/** Backends that could be loaded, and the problems of others, one per line. */
export interface ForeignBackends {
  readonly backends: readonly BackendModule[];
  readonly problems: readonly string[];
}

/**
 * Loads third-party backends. A package is resolved relative to this program first, then in the
 * `node_modules` of the working directory and above. Never rejects.
 *
 * A module may export one or several backends: every exported `BackendModule` is used.
 *
 * @param names packages, or paths (absolute, or beginning with a dot).
 * @param known backends that are already available: a mode can have only one.
 * @param place where the names come from, for messages: `--backend`.
 * @param options `key=value` for the only backend, `mode:key=value` for one of several.
 */
export async function loadForeignBackends(
  names: readonly string[],
  known: readonly BackendModule[],
  place = '--backend',
  directory = process.cwd(),
  options: readonly string[] = [],
): Promise<ForeignBackends> {
  const backends: BackendModule[] = [];
  const problems: string[] = [];
  const given = readOptions(options, problems);
  for (const name of new Set(names)) {
    const wrong = (what: string) => problems.push(`${place}: "${printable(name, 200)}" ${printable(what, 600)}`);
    let exported: unknown;
    try {
      exported = await load(name, directory);
    } catch (error) {
      wrong(
        isMissing(error)
          ? `cannot be loaded: ${withoutStack(messageOf(error))}; install it next to kube-proxier, or set the path of its module`
          : `failed while it was loaded: ${messageOf(error)}`,
      );
      continue;
    }
    const ready = backendsIn(exported);
    let found = ready;
    try {
      found = withOptions(exported, ready, given);
    } catch (error) {
      wrong(`rejects its options: ${messageOf(error)}`);
      continue;
    }
    if (found.length === 0) {
      wrong(
        'has no backend: it must export an object with mode, description, probe() and module, as defined by ' +
          'BackendModule of @kube-proxier/core',
      );
    }
    for (const { backend, lacks } of found) {
      const taken = [...known, ...backends].some(({ mode }) => mode === backend.mode);
      if (lacks.length > 0) {
        wrong(`has an incomplete backend: ${lacks.join('; ')}`);
      } else if (taken) {
        wrong(`has mode ${backend.mode}, which another backend already has`);
      } else {
        backends.push(backend);
      }
    }
  }
  for (const { text, used } of given) {
    if (!used) {
      problems.push(`--backend-option: "${printable(text, 200)}" matches no backend of --backend`);
    }
  }
  return { backends, problems };
}

interface GivenOption {
  readonly text: string;
  /** Undefined: for the only foreign backend. */
  readonly mode: string | undefined;
  readonly key: string;
  readonly value: unknown;
  used: boolean;
}

function readOptions(texts: readonly string[], problems: string[]): readonly GivenOption[] {
  return texts.flatMap((text) => {
    const match = /^(?:([a-z0-9-]+):)?([A-Za-z_$][\w$]*)=(.*)$/s.exec(text);
    if (match === null) {
      problems.push(`--backend-option: "${printable(text, 200)}" is not key=value or mode:key=value`);
      return [];
    }
    const [, mode, key = '', value = ''] = match;
    return [{ text, mode, key, value: optionValue(value), used: false }];
  });
}

/** The parsed value if it is valid JSON, else the text. */
function optionValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The backends of a module; those with options are created by its `create…Backend` function. */
function withOptions(
  exported: unknown,
  ready: readonly Candidate[],
  given: readonly GivenOption[],
): readonly Candidate[] {
  const entries = typeof exported === 'object' && exported !== null ? Object.entries(exported) : [];
  const makers = entries.flatMap(([name, value]) =>
    /^create\w*Backend$/.test(name) && typeof value === 'function' ? [value as (options?: object) => unknown] : [],
  );
  const made = () => backendsIn(Object.fromEntries(makers.map((make, index) => [index, make()])));
  const candidates = ready.length > 0 ? ready : made();
  return candidates.map((candidate) => {
    const { mode } = candidate.backend;
    const own = given.filter(
      (option) => option.mode === mode || (option.mode === undefined && candidates.length === 1),
    );
    if (own.length === 0) {
      return candidate;
    }
    const options = Object.fromEntries(own.map(({ key, value }) => [key, value]));
    for (const make of makers) {
      const [one] = backendsIn({ made: make(options) });
      if (one?.backend.mode === mode) {
        for (const option of own) {
          option.used = true;
        }
        return one;
      }
    }
    throw new TypeError(`it exports no create…Backend that makes the mode ${mode}`);
  });
}

async function load(name: string, directory: string): Promise<unknown> {
  if (isAbsolute(name) || /^\.{1,2}(\/|$)/.test(name)) {
    // A directory of a package resolves to its main module.
    const path = createRequire(join(directory, 'package.json')).resolve(resolve(directory, name));
    return await import(pathToFileURL(path).href);
  }
  try {
    return await import(name);
  } catch (error) {
    if (!isMissing(error) || !error.message.includes(`'${name}'`)) {
      throw error;
    }
    const path = createRequire(join(directory, 'package.json')).resolve(name);
    return await import(pathToFileURL(path).href);
  }
}

/** The error of Node for a missing package, without the list of importing modules, which are part of this program. */
function withoutStack(message: string): string {
  return message.replace(/; Require stack:.*$/s, '');
}

function isMissing(error: unknown): error is Error {
  const { code } = Object(error) as { readonly code?: unknown };
  return typeof code === 'string' && /^(ERR_)?MODULE_NOT_FOUND$/.test(code);
}

interface Candidate {
  readonly backend: BackendModule;
  readonly lacks: readonly string[];
}

function backendsIn(exported: unknown): readonly Candidate[] {
  const values = typeof exported === 'object' && exported !== null ? Object.values(exported) : [];
  return [...new Set(values)].flatMap((value: unknown) => {
    // An object with a mode and a probe is meant to be a backend.
    if (typeof value !== 'object' || value === null || !('mode' in value) || !('probe' in value || 'module' in value)) {
      return [];
    }
    const backend = value as BackendModule;
    return [{ backend, lacks: lacksOf(value) }];
  });
}

function lacksOf(value: object): readonly string[] {
  const { mode, description, probe, module, capabilities, diagnose, prepare } = value as Record<string, unknown>;
  const optional = (what: unknown, type: string) => what === undefined || typeof what === type;
  return [
    ...(typeof mode === 'string' && /^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/.test(mode)
      ? []
      : ['mode must be lower case letters, digits and dashes']),
    ...(typeof description === 'string' ? [] : ['description must be a text']),
    ...(typeof probe === 'function' ? [] : ['probe must be a function']),
    ...(typeof module === 'object' && module !== null ? [] : ['module must be an inversify ContainerModule']),
    ...(optional(capabilities, 'object') ? [] : ['capabilities must be an object']),
    ...(optional(diagnose, 'function') ? [] : ['diagnose must be a function']),
    ...(optional(prepare, 'function') ? [] : ['prepare must be a function']),
  ];
}
