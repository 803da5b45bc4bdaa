import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BackendModule, messageOf, ProxierError } from '@kube-proxier/core';
import { createOffered, lacksOf, makersIn, offeredBackends } from './backend-exports.js';

/** Resolution and import of backend modules. */
export interface BackendImport {
  /**
   * Imports a module: `(specifier) => import(specifier)`. The host passes it, as packages are resolved relative to the file
   * that has the `import`.
   */
  readonly importModule: (specifier: string) => Promise<unknown>;
  /** Base directory of relative paths, and of packages that the host does not have. Default: working directory. */
  readonly directory?: string;
}

/** Which backend to load. */
export interface BackendRequest extends BackendImport {
  /** Required when the module has several backends. */
  readonly mode?: string;
  /** For the module's `create…Backend`. Default none. */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** Why a backend cannot be loaded. */
export type BackendLoadErrorCode =
  | 'BACKEND_NOT_FOUND'
  | 'BACKEND_IMPORT_FAILED'
  | 'BACKEND_NOT_EXPORTED'
  | 'BACKEND_INCOMPLETE'
  | 'BACKEND_ACCEPTS_NO_OPTIONS'
  | 'BACKEND_MODE_AMBIGUOUS'
  | 'BACKEND_MODE_UNKNOWN';

/** A backend cannot be loaded. */
export class BackendLoadError extends ProxierError {
  declare readonly code: BackendLoadErrorCode;
  /** Modes of the module, as far as they are known. */
  readonly modes: readonly string[];
  /** The namespace object of the module; undefined when it could not be imported. */
  readonly exported: unknown;

  constructor(
    code: BackendLoadErrorCode,
    message: string,
    {
      modes = [],
      exported,
      ...options
    }: ErrorOptions & { readonly modes?: readonly string[]; readonly exported?: unknown } = {},
  ) {
    super(code, message, options);
    this.modes = modes;
    this.exported = exported;
  }
}

/** Callers in JavaScript have no compiler checks. */
function checkRequest(called: string, name: unknown, request: unknown): void {
  const { importModule, directory }: { readonly importModule?: unknown; readonly directory?: unknown } =
    Object(request);
  const wrong =
    typeof name !== 'string'
      ? 'name: give the name of a package, or a path'
      : typeof importModule !== 'function'
        ? 'importModule: give a function that imports a module by its specifier'
        : directory !== undefined && typeof directory !== 'string'
          ? 'directory: give a path, or nothing for the working directory'
          : undefined;
  if (wrong !== undefined) {
    throw new ProxierError('BACKEND_REQUEST', `${called} has no valid ${wrong}`);
  }
}

/**
 * Imports the module of a backend. A package is resolved relative to the host first, then in the `node_modules` of the
 * directory and above.
 *
 * @param name package, or path (absolute, or beginning with a dot).
 * @throws BackendLoadError `BACKEND_NOT_FOUND`, or `BACKEND_IMPORT_FAILED` when the module throws; ProxierError `BACKEND_REQUEST`
 *   when an argument is missing or invalid.
 */
export async function importBackend(name: string, request: BackendImport): Promise<unknown> {
  checkRequest('importBackend', name, request);
  const { importModule, directory = process.cwd() } = request;
  const { resolve: resolveIn } = createRequire(join(directory, 'package.json'));
  const importFile = async (path: string) => await importModule(pathToFileURL(path).href);
  try {
    if (isAbsolute(name) || /^\.{1,2}(\/|$)/.test(name)) {
      // A directory of a package resolves to its main module.
      return await importFile(resolveIn(resolve(directory, name)));
    }
    try {
      return await importModule(name);
    } catch (error) {
      if (!isModuleNotFound(error) || !messageOf(error).includes(`'${name}'`)) {
        throw error;
      }
      return await importFile(resolveIn(name));
    }
  } catch (error) {
    throw isModuleNotFound(error)
      ? new BackendLoadError('BACKEND_NOT_FOUND', withoutRequireStack(messageOf(error)), { cause: error })
      : new BackendLoadError('BACKEND_IMPORT_FAILED', messageOf(error), { cause: error });
  }
}

/**
 * Loads one backend: the `BackendModule` that a module exports, under any name. With options, or without such an export, it
 * is created by `create…Backend(options)`.
 *
 * @param name package, or path (absolute, or beginning with a dot).
 * @throws BackendLoadError when there is none, or it is unclear which one; ProxierError `BACKEND_REQUEST` when an argument is
 *   missing or invalid; and what `create…Backend` throws.
 */
export async function loadBackend(name: string, request: BackendRequest): Promise<BackendModule> {
  checkRequest('loadBackend', name, request);
  const { mode, options = {} } = request;
  const exported = await importBackend(name, request);
  const given = Object.keys(options).length > 0 ? options : undefined;
  if (given !== undefined && makersIn(exported).length === 0) {
    const message = `${name} exports no create...Backend function, so it accepts no options`;
    throw new BackendLoadError('BACKEND_ACCEPTS_NO_OPTIONS', message, { exported });
  }
  const offers = offeredBackends(exported, given !== undefined);
  const modes = [...new Set(offers.flatMap((offer) => offer.mode ?? []))];
  const fail = (code: BackendLoadErrorCode, message: string) =>
    new BackendLoadError(code, message, { modes, exported });
  const fitting = mode === undefined ? offers : offers.filter((offer) => (offer.mode ?? mode) === mode);
  const [offer, another] = fitting;
  if (offers.length === 0) {
    throw fail('BACKEND_NOT_EXPORTED', `${name} exports no BackendModule, nor a create...Backend function for one`);
  }
  if (mode === undefined && another) {
    throw fail('BACKEND_MODE_AMBIGUOUS', `${name} has several modes: select one of ${modes.join(', ')}`);
  }
  const candidate = offer && createOffered(offer, given, mode);
  if (!candidate) {
    throw mode === undefined
      ? fail('BACKEND_NOT_EXPORTED', `${name} exports no create...Backend function that creates its backend`)
      : fail('BACKEND_MODE_UNKNOWN', `${name} has no mode ${mode}; it has ${modes.join(', ')}`);
  }
  if (candidate.lacks.length > 0) {
    throw fail('BACKEND_INCOMPLETE', `${name} has an incomplete backend: ${lacksOf(candidate.backend).join('; ')}`);
  }
  return candidate.backend;
}

/** The error of Node without the list of importing modules, which are part of the host. */
function withoutRequireStack(message: string): string {
  return message.replace(/; Require stack:.*$/s, '');
}

function isModuleNotFound(error: unknown): boolean {
  const { code } = Object(error) as { readonly code?: unknown };
  return typeof code === 'string' && /^(ERR_)?MODULE_NOT_FOUND$/.test(code);
}
