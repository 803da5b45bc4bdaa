import { isAbsolute } from 'node:path';
import { type BackendModule, messageOf } from '@kube-proxier/core';
import { BackendLoadError, lacksOf, loadBackend } from '@kube-proxier/server';
import { ConformanceError } from '../conformance-error.js';
import { nearest } from '../nearest.js';
import type { BackendChoice } from './messages.js';

/**
 * Loads the backend under test, as `loadBackend` of `@kube-proxier/server` does.
 *
 * @throws ConformanceError `CONFORMANCE_UNKNOWN_BACKEND`, `CONFORMANCE_UNKNOWN_MODE` or `CONFORMANCE_BAD_OPTION`.
 */
export async function loadChosenBackend(choice: BackendChoice): Promise<BackendModule> {
  const { backend, mode, options } = choice;
  try {
    const importModule = async (specifier: string): Promise<unknown> => await import(specifier);
    return await loadBackend(backend, { importModule, options, ...(mode === undefined ? {} : { mode }) });
  } catch (error) {
    throw error instanceof BackendLoadError ? conformanceErrorOf(error, choice) : error;
  }
}

function conformanceErrorOf(error: BackendLoadError, { backend, mode }: BackendChoice): ConformanceError {
  const { cause, exported, modes } = error;
  switch (error.code) {
    case 'BACKEND_NOT_FOUND':
    case 'BACKEND_IMPORT_FAILED':
      return new ConformanceError('CONFORMANCE_UNKNOWN_BACKEND', whyNotLoaded(backend, cause), { cause });
    case 'BACKEND_ACCEPTS_NO_OPTIONS':
      return new ConformanceError('CONFORMANCE_BAD_OPTION', `${error.message}; remove --option`, { cause: error });
    case 'BACKEND_NOT_EXPORTED':
    case 'BACKEND_INCOMPLETE':
      return new ConformanceError(
        'CONFORMANCE_UNKNOWN_BACKEND',
        `${backend} exports no BackendModule, nor a create...Backend function that returns one: ${whatInstead(exported)}`,
        { cause: error },
      );
    case 'BACKEND_MODE_AMBIGUOUS':
      return new ConformanceError('CONFORMANCE_UNKNOWN_MODE', `${error.message} with --mode`, { cause: error });
    case 'BACKEND_MODE_UNKNOWN': {
      const near = mode === undefined ? undefined : nearest(mode, modes);
      const suggestion = near ? `did you mean ${near}? ` : '';
      return new ConformanceError(
        'CONFORMANCE_UNKNOWN_MODE',
        `${backend} has no mode ${mode}; ${suggestion}it has ${modes.join(', ')}`,
        { cause: error },
      );
    }
  }
}

function whyNotLoaded(backend: string, error: unknown): string {
  const { code, name, stack = '' } = error as { readonly code?: unknown } & Partial<Error>;
  const isMissing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
  if (isMissing && messageOf(error).includes(`'${backend}'`)) {
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
function whatInstead(exported: unknown): string {
  const [nearestExport] = Object.entries(Object(exported) as Record<string, unknown>)
    .map(([name, value]) => {
      const object = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
      const missing = Object.entries(MEMBERS).flatMap(([member, type]) =>
        typeof object[member] === type ? [] : [`${member} (${type})`],
      );
      return { name, object, missing };
    })
    .sort((a, b) => a.missing.length - b.missing.length);
  if (nearestExport === undefined) {
    return 'it exports nothing';
  }
  const { name, object, missing } = nearestExport;
  return missing.length > 0
    ? `its ${name} lacks ${missing.join(', ')}`
    : `its ${name} is incomplete: ${lacksOf(object).join('; ')}`;
}
