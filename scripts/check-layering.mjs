/**
 * Fails on an import between packages that does not run downwards, in sources and in package.json, and on circular imports
 * within a package, of types too.
 * `npm run layering`, or `node scripts/check-layering.mjs [directory of the repository]`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * @typedef {import('./pack-packages.mjs').Manifest} Manifest
 *
 * @typedef {object} Context the package that a file belongs to
 * @property {string} name below packages
 * @property {string} home its directory
 * @property {readonly string[]} allowed packages of ours that it may import
 * @property {Partial<Manifest>} manifest
 */

const SCOPE = '@kube-proxier/';
const BACKEND = ['core', 'linux'];

/**
 * The own packages that each package may import. A package that is not named here is an error: decide where it belongs.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
export const LAYERS = {
  core: [],
  linux: ['core'],
  'network-sandbox': BACKEND,
  userspace: BACKEND,
  iptables: BACKEND,
  ipvs: BACKEND,
  nftables: BACKEND,
  'source-kubernetes': ['core'],
  'source-manifests': ['core'],
  'health-checks': ['core', 'linux'],
  server: ['core', 'linux'],
  conformance: ['core', 'linux', 'network-sandbox', 'server'],
  agent: [
    ...['core', 'linux', 'userspace', 'iptables', 'ipvs', 'nftables'],
    ...['source-kubernetes', 'source-manifests', 'health-checks', 'server', 'conformance'],
  ],
};

/**
 * What its tests may import on top of that: as a dependency for development, from specs and from a directory `testing` that is
 * not published.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const TEST_LAYERS = {
  userspace: ['conformance', 'network-sandbox'],
  iptables: ['conformance', 'network-sandbox'],
  ipvs: ['conformance', 'network-sandbox'],
  nftables: ['conformance', 'network-sandbox'],
  'health-checks': ['network-sandbox'],
  server: ['network-sandbox'],
  agent: ['network-sandbox'],
};

/** Packages that are commands: these read flags, write to the console and end the process. */
const COMMANDS = ['agent', 'conformance'];

/** Files that are started as processes of their own: these may end themselves. */
const PROGRAMS = ['network-sandbox/src/sandbox/probe.mjs'];

/**
 * What only commands may do.
 *
 * @type {readonly (readonly [pattern: RegExp, what: string])[]}
 */
const RESERVED_TO_COMMANDS = [
  [/\bconsole\s*\./, 'writes to the console'],
  [/\bprocess\s*\.\s*exit\s*\(/, 'ends the process'],
  [/\bprocess\s*\.\s*argv\b/, 'reads flags'],
];

/**
 * Third-party packages that only some of ours may use, and why. `bundledBy`: its package.json names it too, as its bundle loads it.
 *
 * @type {Readonly<Record<string, {readonly only: readonly string[], readonly why: string, readonly bundledBy?: string}>>}
 */
const RESERVED = {
  '@kubernetes/client-node': {
    only: ['source-kubernetes'],
    bundledBy: 'agent',
    why: 'it is most of the size of an installation',
  },
  koffi: {
    only: ['linux', 'userspace'],
    bundledBy: 'agent',
    why: 'calls of the C library stay behind small interfaces',
  },
  netlink: {
    only: ['linux'],
    bundledBy: 'agent',
    why: 'its native part ends the process when a socket overruns',
  },
  commander: { only: COMMANDS, why: 'nothing else reads flags' },
};

const BUILTINS = new Set(builtinModules);
const SOURCE = /\.(ts|mts|cts|tsx|js|mjs|cjs|jsx)$/;
const SPEC = /\.spec\.\w+$/;
const DEPENDENCY_KINDS = /** @type {const} */ ([
  'dependencies',
  'peerDependencies',
  'optionalDependencies',
  'devDependencies',
]);

/** Everything that names a module: static, type-only, re-exporting, side-effect, dynamic and CommonJS imports. */
const IMPORTS = [
  /\bfrom\s*(['"])(?<specifier>[^'"\n]+)\1/g,
  /\bimport\s*(['"])(?<specifier>[^'"\n]+)\1/g,
  /\b(?:import|require|require\.resolve)\s*\(\s*(['"`])(?<specifier>[^'"`\n$]+)\1/g,
];

/**
 * @param {string} root directory of the repository
 * @returns {{files: number, packages: number, violations: string[]}}
 */
export function checkLayering(root) {
  const violations = [];
  const directory = join(root, 'packages');
  const names = existsSync(directory)
    ? readdirSync(directory)
        .filter((name) => !name.startsWith('.'))
        .sort()
    : [];
  let files = 0;
  /** @type {Map<string, string[]>} */
  const imports = new Map();
  for (const name of names) {
    const home = join(directory, name);
    const allowed = LAYERS[name];
    if (!allowed) {
      violations.push(`packages/${name}: not in the table of layers (scripts/check-layering.mjs)`);
      continue;
    }
    const manifest = readManifest(home);
    const context = { name, home, allowed, manifest };
    violations.push(...checkManifest(context));
    const sources = listSources(join(home, 'src'));
    if (sources.length === 0) {
      violations.push(`packages/${name}: no sources found, so nothing was checked`);
    }
    files += sources.length;
    for (const file of sources) {
      const where = relative(root, file);
      const text = withoutComments(readFileSync(file, 'utf8'));
      violations.push(...checkSource(context, file, text).map((problem) => `${where}: ${problem}`));
      if (!SPEC.test(file)) {
        imports.set(file, importedFiles(file, text));
      }
    }
  }
  if (files === 0) {
    violations.push('no source files found: a check of nothing proves nothing');
  }
  for (const circle of circlesIn(imports)) {
    const path = [...circle, ...circle.slice(0, 1)].map((file) => relative(root, file)).join(' → ');
    violations.push(`circular imports: ${path}; move what both need to a file of its own`);
  }
  return { files, packages: names.length, violations };
}

/**
 * Names of the modules that a text imports.
 *
 * @param {string} text
 */
function specifiersIn(text) {
  return IMPORTS.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match.groups?.specifier ?? ''));
}

/**
 * Files of the same package that a file imports, also for types only.
 *
 * @param {string} file
 * @param {string} text
 */
function importedFiles(file, text) {
  return specifiersIn(text)
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) => resolve(dirname(file), specifier.replace(/\.js$/, '.ts')));
}

/**
 * Circles of imports, one for each group of files that import each other, with as few files as a search finds.
 *
 * @param {Map<string, string[]>} imports by file
 * @returns {string[][]}
 */
function circlesIn(imports) {
  /** @type {string[][]} */
  const found = [];
  /** @type {Set<string>} */
  const inCircle = new Set();
  for (const start of [...imports.keys()].sort()) {
    if (inCircle.has(start)) {
      continue;
    }
    // Breadth first, so the way back is a shortest one.
    /** @type {Map<string, string>} */
    const cameFrom = new Map();
    const queue = [start];
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      if ((imports.get(file) ?? []).includes(start)) {
        const circle = [file];
        for (let one = cameFrom.get(file); one !== undefined; one = cameFrom.get(one)) {
          circle.unshift(one);
        }
        found.push(circle);
        for (const one of circle) {
          inCircle.add(one);
        }
        break;
      }
      for (const next of imports.get(file) ?? []) {
        if (next !== start && !cameFrom.has(next) && imports.has(next)) {
          cameFrom.set(next, file);
          queue.push(next);
        }
      }
    }
  }
  return found;
}

/**
 * @param {string} home
 * @returns {Partial<Manifest>}
 */
function readManifest(home) {
  const path = join(home, 'package.json');
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
}

/** @param {Context} context */
function checkManifest({ name, allowed, manifest }) {
  /** @type {string[]} */
  const problems = [];
  for (const kind of DEPENDENCY_KINDS) {
    for (const dependency of Object.keys(manifest[kind] ?? {})) {
      const target = dependency.startsWith(SCOPE) ? dependency.slice(SCOPE.length) : undefined;
      const inTests = kind === 'devDependencies' ? (TEST_LAYERS[name] ?? []) : [];
      if (target !== undefined && !allowed.includes(target) && !inTests.includes(target)) {
        problems.push(`packages/${name}/package.json: ${kind} has ${dependency}; ${mayImport(name, allowed)}`);
      }
      const reserved = RESERVED[dependency];
      if (reserved && !reserved.only.includes(name) && reserved.bundledBy !== name) {
        problems.push(
          `packages/${name}/package.json: ${kind} has ${dependency}, which only ${reserved.only.join(' and ')} may use: ${reserved.why}`,
        );
      }
    }
  }
  return problems;
}

/**
 * @param {Context} context
 * @param {string} file
 * @param {string} text
 */
function checkSource(context, file, text) {
  const { name, home, manifest } = context;
  const isSpec = SPEC.test(file) || isUnpublishedTestCode(home, manifest, file);
  /** @type {string[]} */
  const problems = [];
  for (const specifier of new Set(specifiersIn(text))) {
    const problem = specifier.startsWith('.')
      ? checkRelative(home, file, specifier)
      : checkBare(context, specifier, isSpec);
    if (problem) {
      problems.push(problem);
    }
  }
  // Processes of their own, started by tests, may end themselves.
  const isProgram = PROGRAMS.includes([name, ...relative(home, file).split(sep)].join('/'));
  const isTool = isSpec || isProgram || relative(home, file).split(sep).includes('testing');
  if (!COMMANDS.includes(name) && !isTool) {
    for (const [pattern, what] of RESERVED_TO_COMMANDS) {
      if (pattern.test(text)) {
        problems.push(`${what}; only ${COMMANDS.join(' and ')} may`);
      }
    }
    if (/\bimport\s*\(\s*[^'"`\s)]/.test(text)) {
      problems.push(`imports a module that is chosen when it runs; only ${COMMANDS.join(' and ')} may`);
    }
  }
  if (!isSpec && relative(home, file).startsWith(join('src', 'plan') + sep)) {
    problems.push(...checkPlanning(home, file, text));
  }
  if (manifest.name === undefined) {
    problems.push('its package has no package.json');
  }
  return problems;
}

/** What `plan/` of a backend may import besides its own files. */
const PLANNING_IMPORTS = ['@kube-proxier/core', '@kube-proxier/linux', 'node:crypto'];

/**
 * What makes a function impure, or wait.
 *
 * @type {readonly (readonly [pattern: RegExp, what: string])[]}
 */
const IMPURE = [
  [/\b(async|await)\b/, 'is asynchronous'],
  [/\bDate\s*\.\s*now\b|\bnew Date\s*\(\s*\)|\bperformance\s*\./, 'reads a clock'],
  [/\bMath\s*\.\s*random\b/, 'is random'],
  [/\bset(Timeout|Interval|Immediate)\b/, 'sets a timer'],
  [/\bprocess\s*\./, 'uses the process'],
];

/**
 * Planning is pure: files in `plan/` import each other, the errors of their package, core, and types and pure functions of
 * linux.
 *
 * @param {string} home
 * @param {string} file
 * @param {string} text
 */
function checkPlanning(home, file, text) {
  const plan = join(home, 'src', 'plan') + sep;
  /** @type {string[]} */
  const problems = [];
  for (const specifier of new Set(specifiersIn(text))) {
    const isAllowed = specifier.startsWith('.')
      ? resolve(dirname(file), specifier).startsWith(plan) || /-error\.js$/.test(specifier)
      : PLANNING_IMPORTS.includes(specifier);
    if (!isAllowed) {
      problems.push(`imports '${specifier}'; plan/ may import its own files and ${PLANNING_IMPORTS.join(', ')}`);
    }
  }
  for (const [pattern, what] of IMPURE) {
    if (pattern.test(text)) {
      problems.push(`${what}; plan/ is pure`);
    }
  }
  return problems;
}

/**
 * Code for the tests of a package only: in a directory `testing` that its package.json keeps out of what is published.
 *
 * @param {string} home
 * @param {{readonly files?: readonly string[]}} manifest
 * @param {string} file
 */
function isUnpublishedTestCode(home, manifest, file) {
  return (manifest.files ?? []).includes('!dist/testing') && file.startsWith(join(home, 'src', 'testing') + sep);
}

/**
 * @param {string} home
 * @param {string} file
 * @param {string} specifier
 */
function checkRelative(home, file, specifier) {
  const target = resolve(dirname(file), specifier);
  const inside = target.startsWith(join(home, 'src') + sep) || target === join(home, 'package.json');
  return inside ? undefined : `reaches out of its package: '${specifier}'`;
}

/**
 * @param {Context} context
 * @param {string} specifier
 * @param {boolean} isSpec
 */
function checkBare({ name, allowed, manifest }, specifier, isSpec) {
  const packageName = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  if (specifier.startsWith('node:') || BUILTINS.has(packageName)) {
    return name === 'core' && !isSpec ? `imports '${specifier}'; core runs on any platform` : undefined;
  }
  const reserved = RESERVED[packageName];
  if (reserved && !reserved.only.includes(name)) {
    return `imports '${packageName}', which only ${reserved.only.join(' and ')} may use: ${reserved.why}`;
  }
  if (!packageName.startsWith(SCOPE)) {
    return undefined;
  }
  const target = packageName.slice(SCOPE.length);
  if (target === name) {
    return `imports its own package by name: '${specifier}'`;
  }
  if (!allowed.includes(target) && !(isSpec && TEST_LAYERS[name]?.includes(target))) {
    return `imports '${specifier}'; ${mayImport(name, allowed)}`;
  }
  const kinds = isSpec ? DEPENDENCY_KINDS : DEPENDENCY_KINDS.filter((kind) => kind !== 'devDependencies');
  return kinds.some((kind) => packageName in (manifest[kind] ?? {}))
    ? undefined
    : `imports '${specifier}', which its package.json does not name`;
}

/**
 * @param {string} name
 * @param {readonly string[]} allowed
 */
function mayImport(name, allowed) {
  return allowed.length === 0 ? `${name} may import nothing of ours` : `${name} may import ${allowed.join(', ')}`;
}

/** @param {string} directory */
function listSources(directory) {
  if (!existsSync(directory)) {
    return [];
  }
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && SOURCE.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

/**
 * Comments show imports in examples. Line breaks stay, and so do strings, in which `//` begins no comment.
 *
 * @param {string} text
 */
function withoutComments(text) {
  return text.replace(
    /(?<string>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
    (whole, /** @type {string | undefined} */ string) => string ?? whole.replace(/[^\n]/g, ''),
  );
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
  const { files, packages, violations } = checkLayering(root);
  for (const violation of violations) {
    process.stderr.write(`${violation}\n`);
  }
  process.stdout.write(`layering: ${files} files in ${packages} packages, ${violations.length} violations\n`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
