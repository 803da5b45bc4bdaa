import { isAbsolute } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BackendModule, messageOf } from '@kube-proxier/core';
import { ConformanceError } from '../conformance-error.js';
import { nearest } from '../nearest.js';
import type { BackendChoice } from './messages.js';

/**
 * Loads a backend: what a module exports that is a {@link BackendModule}, under any name. With options, or without such
 * an export, its function `create…Backend(options)` makes it.
 *
 * @throws ConformanceError `CONFORMANCE_UNKNOWN_BACKEND`, `CONFORMANCE_UNKNOWN_MODE` or `CONFORMANCE_BAD_OPTION`.
 */
export async function loadBackend({ backend, mode, options }: BackendChoice): Promise<BackendModule> {
  let found: Record<string, unknown>;
  try {
    found = (await import(isAbsolute(backend) ? pathToFileURL(backend).href : backend)) as Record<string, unknown>;
  } catch (error) {
    throw new ConformanceError(
      'CONFORMANCE_UNKNOWN_BACKEND',
      `cannot load the backend ${backend}: ${messageOf(error)}; give the name of an installed package, or the path of its module`,
      { cause: error },
    );
  }
  const entries = Object.entries(found);
  const makers = entries.filter(([name, value]) => /^create\w*Backend$/.test(name) && typeof value === 'function');
  const ready = entries.map(([, value]) => value).filter(isBackendModule);
  const wantsOptions = Object.keys(options).length > 0;
  if (wantsOptions && makers.length === 0) {
    throw new ConformanceError(
      'CONFORMANCE_BAD_OPTION',
      `${backend} exports no create…Backend, so it takes no options`,
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
      `${backend} exports no BackendModule; see the contract in @kube-proxier/core`,
    );
  }
  const near = mode === undefined ? undefined : nearest(mode, modes);
  throw new ConformanceError(
    'CONFORMANCE_UNKNOWN_MODE',
    mode === undefined
      ? `${backend} has several modes: say one of ${modes.join(', ')} with --mode`
      : `${backend} has no mode ${mode}${near ? `; did you mean ${near}?` : ''} It has ${modes.join(', ')}.`,
  );
}

function isBackendModule(value: unknown): value is BackendModule {
  const module = value as Partial<BackendModule> | undefined;
  return (
    typeof module === 'object' &&
    module !== null &&
    typeof module.mode === 'string' &&
    typeof module.probe === 'function' &&
    typeof module.module === 'object'
  );
}
