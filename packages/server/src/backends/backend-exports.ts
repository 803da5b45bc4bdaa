import type { BackendModule } from '@kube-proxier/core';

/** An object that looks like a backend. */
export interface BackendCandidate {
  readonly backend: BackendModule;
  /** What must be fixed before it can be used, one phrase each; empty for a complete backend. */
  readonly lacks: readonly string[];
}

/** A `create…Backend` function. */
export type BackendMaker = (options?: object) => unknown;

/** A backend that a module exports or can create. */
export interface BackendOffer {
  /** Undefined when it is unknown before the backend is created. */
  readonly mode: string | undefined;
  /** The backend without options; undefined when it requires options. */
  readonly ready: BackendCandidate | undefined;
  /** Functions that create it with options. Empty when it accepts none. */
  readonly makers: readonly BackendMaker[];
}

/**
 * Finds the backends of a module: those that it exports, under any name, or else those that its `create…Backend` functions
 * create.
 *
 * @param exported the namespace object of the module.
 * @param withOptions whether options will be applied. Without, no function of a module that exports backends is called.
 */
export function offeredBackends(exported: unknown, withOptions: boolean): readonly BackendOffer[] {
  const candidates = candidatesIn(exported);
  if (candidates.length > 0 && !withOptions) {
    return candidates.map((ready) => ({ mode: ready.backend.mode, ready, makers: [] }));
  }
  const created = makersIn(exported).map((make) => ({ make, ...createWithoutOptions(make) }));
  if (candidates.length === 0) {
    return created
      .filter(({ ready, needsOptions }) => ready !== undefined || needsOptions)
      .map(({ make, ready }) => ({ mode: ready?.backend.mode, ready, makers: [make] }));
  }
  return candidates.map((ready) => {
    const { mode } = ready.backend;
    const own = created.filter((one) => one.ready?.backend.mode === mode);
    // A function that requires options may create any mode.
    const fitting = own.length > 0 ? own : created.filter(({ needsOptions }) => needsOptions);
    return { mode, ready, makers: fitting.map(({ make }) => make) };
  });
}

/**
 * The backend of an offer, created again when there are options.
 *
 * @param options undefined for none.
 * @param mode that the backend must have. Default: any where the offer has none.
 * @returns undefined when no function of the module creates it.
 * @throws what its `create…Backend` throws.
 */
export function createOffered(
  { mode: offered, ready, makers }: BackendOffer,
  options: object | undefined,
  mode = offered,
): BackendCandidate | undefined {
  if (options === undefined && ready) {
    return ready;
  }
  for (const make of makers) {
    const [created] = candidatesIn({ created: options === undefined ? make() : make(options) });
    if (created && (mode ?? created.backend.mode) === created.backend.mode) {
      return created;
    }
  }
  return undefined;
}

/** The `create…Backend` functions of a module. */
export function makersIn(exported: unknown): readonly BackendMaker[] {
  const makers = entriesOf(exported).flatMap(([name, value]) =>
    /^create\w*Backend$/.test(name) && typeof value === 'function' ? [value as BackendMaker] : [],
  );
  return [...new Set(makers)];
}

/** The missing members of a {@link BackendModule}. */
export function lacksOf(value: object): readonly string[] {
  const { mode, description, probe, module, capabilities, requirements, deprecation, diagnose, prepare } =
    value as Record<string, unknown>;
  const optional = (member: unknown, type: string) => member === undefined || typeof member === type;
  return [
    ...(typeof mode === 'string' && /^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/.test(mode)
      ? []
      : ['mode must be lower case letters, digits and dashes']),
    ...(typeof description === 'string' ? [] : ['description must be a text']),
    ...(typeof probe === 'function' ? [] : ['probe must be a function']),
    ...(typeof module === 'object' && module !== null ? [] : ['module must be an inversify ContainerModule']),
    ...(optional(capabilities, 'object') ? [] : ['capabilities must be an object']),
    ...(optional(deprecation, 'string') ? [] : ['deprecation must be a text']),
    ...(optional(requirements, 'object') ? [] : ['requirements must be an object']),
    ...(optional(diagnose, 'function') ? [] : ['diagnose must be a function']),
    ...(optional(prepare, 'function') ? [] : ['prepare must be a function']),
  ];
}

function createWithoutOptions(make: BackendMaker): {
  readonly ready: BackendCandidate | undefined;
  readonly needsOptions: boolean;
} {
  try {
    return { ready: candidatesIn({ created: make() })[0], needsOptions: false };
  } catch {
    return { ready: undefined, needsOptions: true };
  }
}

function candidatesIn(exported: unknown): readonly BackendCandidate[] {
  const values = entriesOf(exported).map(([, value]) => value);
  return [...new Set(values)].flatMap((value) => {
    // An object with a mode and a probe counts as a backend.
    if (typeof value !== 'object' || value === null || !('mode' in value) || !('probe' in value || 'module' in value)) {
      return [];
    }
    return [{ backend: value as BackendModule, lacks: lacksOf(value) }];
  });
}

function entriesOf(exported: unknown): readonly (readonly [string, unknown])[] {
  return typeof exported === 'object' && exported !== null ? Object.entries(exported) : [];
}
