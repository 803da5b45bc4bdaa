import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BackendModule, messageOf } from '@kube-proxier/core';
import { ConformanceError } from '../conformance-error.js';
import { nearest } from '../nearest.js';
import type { BackendChoice } from './messages.js';

/**
 * Loads a backend: the {@link BackendModule} that a module exports, under any name. With options, or without such an
 * export, it is created by `create…Backend(options)`.
 *
 * @throws ConformanceError `CONFORMANCE_UNKNOWN_BACKEND`, `CONFORMANCE_UNKNOWN_MODE` or `CONFORMANCE_BAD_OPTION`.
 */
export async function loadBackend({ backend, mode, options }: BackendChoice): Promise<BackendModule> {
  let found: Record<string, unknown>;
  try {
    found = (await import(isAbsolute(backend) ? pathToFileURL(backend).href : backend)) as Record<string, unknown>;
  } catch (error) {
    throw new ConformanceError('CONFORMANCE_UNKNOWN_BACKEND', whyNotLoaded(backend, error), { cause: error });
  }
  const entries = Object.entries(found);
  const makers = entries.filter(([name, value]) => /^create\w*Backend$/.test(name) && typeof value === 'function');
  const ready = entries.map(([, value]) => value).filter(isBackendModule);
  const wantsOptions = Object.keys(options).length > 0;
  if (wantsOptions && makers.length === 0) {
    throw new ConformanceError(
      'CONFORMANCE_BAD_OPTION',
      `${backend} exports no create...Backend function, so it accepts no options; remove --option`,
    );
  }
  const modules =
    ready.length > 0 && !wantsOptions
      ? ready
      : makers.map(([, make]) => (make as (given: unknown) => unknown)(options)).filter(isBackendModule);
  const byMode = new Map(modules.map((module) => [module.mode, module]));
  const modes = [...byMode.keys()];
  const chosen = mode === undefined ? (modes.length === 1 ? modules[0] : undefined) : byMode.get(mode);
  if (chosen) {
    return chosen;
  }
  if (modes.length === 0) {
    throw new ConformanceError(
      'CONFORMANCE_UNKNOWN_BACKEND',
      `${backend} exports no BackendModule, nor a create...Backend function that returns one: ${whatInstead(entries)}`,
    );
  }
  const near = mode === undefined ? undefined : nearest(mode, modes);
  throw new ConformanceError(
    'CONFORMANCE_UNKNOWN_MODE',
    mode === undefined
      ? `${backend} has several modes: select one of ${modes.join(', ')} with --mode`
      : `${backend} has no mode ${mode}; ${near ? `did you mean ${near}? ` : ''}it has ${modes.join(', ')}`,
  );
}

function isBackendModule(value: unknown): value is BackendModule {
  const module = value as Partial<BackendModule> | undefined;
  return (
    typeof module === 'object' &&
    module !== null &&
    typeof module.mode === 'string' &&
    typeof module.description === 'string' &&
    typeof module.probe === 'function' &&
    typeof module.module === 'object'
  );
}

function whyNotLoaded(backend: string, error: unknown): string {
  const { code, name, stack = '' } = error as { readonly code?: unknown } & Partial<Error>;
  const missing = code === 'ERR_MODULE_NOT_FOUND' || code === 'ERR_UNSUPPORTED_DIR_IMPORT';
  if (missing && messageOf(error).includes(`'${backend}'`)) {
    const advice = isAbsolute(backend)
      ? 'set the path of its module, and build it first'
      : 'set the name of an installed package, or the path of its module';
    return `cannot load the backend ${backend}: module not found; ${advice}`;
  }
  // Node reports the location of a syntax error only when it exits because of it.
  const place = name === 'SyntaxError' ? `run "node ${backend}" to see where` : /\bfile:\S+:\d+/.exec(stack)?.[0];
  return `the backend ${backend} failed to load: ${messageOf(error)}${place === undefined ? '' : ` (${place})`}`;
}

const MEMBERS = { mode: 'string', description: 'string', probe: 'function', module: 'object' } as const;

/** The export most similar to a backend, and what it lacks. */
function whatInstead(entries: readonly (readonly [string, unknown])[]): string {
  const lacks = ([name, value]: readonly [string, unknown]) => {
    const object = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
    const missing = Object.entries(MEMBERS).flatMap(([member, type]) =>
      typeof object[member] === type ? [] : [`${member} (${type})`],
    );
    return { name, missing };
  };
  const [nearest] = entries.map(lacks).sort((a, b) => a.missing.length - b.missing.length);
  return nearest === undefined ? 'it exports nothing' : `its ${nearest.name} lacks ${nearest.missing.join(', ')}`;
}
