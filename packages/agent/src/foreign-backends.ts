import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BackendModule, messageOf, printable } from '@kube-proxier/core';

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
 * @param options `key=value` for the only backend, `mode:key=value` for one of several. Of several with one key, the last
 * counts.
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
  const wrong = (name: string, what: string) =>
    problems.push(`${place}: "${printable(name, 200)}" ${printable(what, 600)}`);
  const modules: (readonly [name: string, offers: readonly Offer[]])[] = [];
  let allLoaded = true;
  for (const name of new Set(names)) {
    try {
      modules.push([name, offersOf(await load(name, directory), given.length > 0)]);
    } catch (error) {
      allLoaded = false;
      wrong(
        name,
        isMissing(error)
          ? `cannot be loaded: ${withoutStack(messageOf(error))}; install it next to kube-proxier, or set the path of its module`
          : `failed while it was loaded: ${messageOf(error)}`,
      );
    }
  }
  const isOnly = allLoaded && modules.flatMap(([, offers]) => offers).length === 1;
  for (const [name, offers] of modules) {
    if (offers.length === 0) {
      wrong(
        name,
        'has no backend: it must export an object with mode, description, probe() and module, as BackendModule of ' +
          '@kube-proxier/core says',
      );
    }
    for (const offer of offers) {
      let candidate: Candidate;
      try {
        candidate = take(offer, given, isOnly);
      } catch (error) {
        wrong(name, `cannot be made with its options: ${messageOf(error)}`);
        continue;
      }
      const { backend, lacks } = candidate;
      const taken = [...known, ...backends].some(({ mode }) => mode === backend.mode);
      if (lacks.length > 0) {
        wrong(name, `has an incomplete backend: ${lacks.join('; ')}`);
      } else if (taken) {
        wrong(name, `has mode ${backend.mode}, which another backend already has`);
      } else {
        backends.push(backend);
      }
    }
  }
  // An option may be for a backend that could not be loaded.
  for (const { text, mode, used } of allLoaded ? given : []) {
    if (!used) {
      const found = modules.flatMap(([, offers]) => offers.flatMap((offer) => offer.mode ?? []));
      problems.push(`${OPTION_FLAG}: "${printable(text, 200)}" ${printable(whyUnused(mode, found), 400)}`);
    }
  }
  return { backends, problems };
}

const OPTION_FLAG = '--backend-option';

function whyUnused(mode: string | undefined, found: readonly string[]): string {
  if (found.length === 0) {
    return 'is for a backend that --backend names, and there is none';
  }
  const modes = `there ${found.length === 1 ? 'is' : 'are'} ${found.join(', ')}`;
  return mode === undefined
    ? `must say which backend it is for, as in ${found[0]}:key=value; ${modes}`
    : `is for the mode ${mode}, which no backend of --backend has; ${modes}`;
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
      problems.push(`${OPTION_FLAG}: "${printable(text, 200)}" is not key=value or mode:key=value`);
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

type Maker = (options?: object) => unknown;

/** A backend that a module has, or can make. */
interface Offer {
  /** Undefined when it is not known before it is made. */
  readonly mode: string | undefined;
  /** As it is without options; undefined when it cannot be had without. */
  readonly ready: Candidate | undefined;
  /** Make it with options. None when it takes none. */
  readonly makers: readonly Maker[];
}

/** Backends that a module exports, or those that its `create…Backend` functions make. */
function offersOf(exported: unknown, withOptions: boolean): readonly Offer[] {
  const entries = typeof exported === 'object' && exported !== null ? Object.entries(exported) : [];
  const exportedOnes = backendsIn(exported);
  if (exportedOnes.length > 0 && !withOptions) {
    return exportedOnes.map((ready) => ({ mode: ready.backend.mode, ready, makers: [] }));
  }
  const makers = new Set(
    entries.flatMap(([name, value]) =>
      /^create\w*Backend$/.test(name) && typeof value === 'function' ? [value as Maker] : [],
    ),
  );
  const made = [...makers].map((make) => ({ make, ...makeWithoutOptions(make) }));
  if (exportedOnes.length === 0) {
    return made
      .filter(({ ready, needsOptions }) => ready !== undefined || needsOptions)
      .map(({ make, ready }) => ({ mode: ready?.backend.mode, ready, makers: [make] }));
  }
  return exportedOnes.map((ready) => {
    const { mode } = ready.backend;
    const own = made.filter((one) => one.ready?.backend.mode === mode);
    // One that needs options may make any mode.
    const fitting = own.length > 0 ? own : made.filter(({ needsOptions }) => needsOptions);
    return { mode, ready, makers: fitting.map(({ make }) => make) };
  });
}

function makeWithoutOptions(make: Maker): { readonly ready: Candidate | undefined; readonly needsOptions: boolean } {
  try {
    return { ready: backendsIn({ made: make() })[0], needsOptions: false };
  } catch {
    return { ready: undefined, needsOptions: true };
  }
}

/**
 * The backend of an offer, made anew where there are options for it.
 *
 * @throws what its `create…Backend` throws, or TypeError when there is none.
 */
function take({ mode, ready, makers }: Offer, given: readonly GivenOption[], isOnly: boolean): Candidate {
  const own = given.filter((option) =>
    option.mode === undefined || mode === undefined ? isOnly : option.mode === mode,
  );
  for (const option of own) {
    option.used = true;
  }
  if (own.length === 0 && ready) {
    return ready;
  }
  const options = Object.fromEntries(own.map(({ key, value }) => [key, value]));
  for (const make of makers) {
    const [one] = backendsIn({ made: own.length === 0 ? make() : make(options) });
    if (
      one &&
      (mode ?? own.find((option) => option.mode !== undefined)?.mode ?? one.backend.mode) === one.backend.mode
    ) {
      return one;
    }
  }
  throw new TypeError(`it exports no create...Backend that makes ${mode === undefined ? 'it' : `the mode ${mode}`}`);
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
