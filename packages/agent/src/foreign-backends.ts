import { type BackendModule, messageOf, printable } from '@kube-proxier/core';
import {
  type BackendCandidate,
  BackendLoadError,
  type BackendOffer,
  createOffered,
  importBackend,
  offeredBackends,
} from '@kube-proxier/server';

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
 * @param place origin of the names, for messages: `--backend`.
 * @param options `key=value` for the only backend, `mode:key=value` for one of several. The last of several with one
 *   key applies.
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
  const modules: (readonly [name: string, offers: readonly BackendOffer[]])[] = [];
  let allLoaded = true;
  for (const name of new Set(names)) {
    try {
      modules.push([name, offeredBackends(await importBackend(name, { importModule, directory }), given.length > 0)]);
    } catch (error) {
      allLoaded = false;
      wrong(
        name,
        error instanceof BackendLoadError && error.code === 'BACKEND_NOT_FOUND'
          ? `cannot be loaded: ${messageOf(error)}; install it next to kube-proxier, or set the path of its module`
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
      let candidate: BackendCandidate;
      try {
        candidate = createWithOptions(offer, given, isOnly);
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

/**
 * The backend of an offer, created again when there are options for it.
 *
 * @throws what its `create…Backend` throws, or TypeError when there is none.
 */
function createWithOptions(offer: BackendOffer, given: readonly GivenOption[], isOnly: boolean): BackendCandidate {
  const { mode } = offer;
  const own = given.filter((option) =>
    option.mode === undefined || mode === undefined ? isOnly : option.mode === mode,
  );
  for (const option of own) {
    option.used = true;
  }
  const options = own.length === 0 ? undefined : Object.fromEntries(own.map(({ key, value }) => [key, value]));
  const created = createOffered(offer, options, mode ?? own.find((option) => option.mode !== undefined)?.mode);
  if (created === undefined) {
    throw new TypeError(`it exports no create...Backend that makes ${mode === undefined ? 'it' : `the mode ${mode}`}`);
  }
  return created;
}

/** Packages are resolved relative to this file first. */
async function importModule(specifier: string): Promise<unknown> {
  return await import(specifier);
}
