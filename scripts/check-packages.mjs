/**
 * `npm run check-packages`: packages as users get them. Packs every package; looks at what is in it; installs it, with its
 * own dependencies only, into an empty project; imports and type-checks all its entry points there; has publint and
 * attw look at it; compiles the code of all READMEs, and runs what can be run; measures what a user of the API server and mode
 * nftables installs, and imports it from CommonJS.
 *
 *   npm run check-packages                       all of them, a minute: one project has all packages. With KUBE_PROXIER_TESTS=thorough,
 *                                                each has a project of its own, which takes three
 *   npm run check-packages -- core linux         some, each in a project of its own; `readmes` for the code of the READMEs, `size` for the size of an installation
 *   npm run check-packages -- --node 22 --node 24    imports them with these versions of Node too, from the npm registry
 */

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { closureOf, packPackages, ROOT, readPackages, run } from './pack-packages.mjs';
import { IS_THOROUGH, PrepareError, prepare, runScript } from './prepare.mjs';
import { codeOf } from './readme-code.mjs';

/**
 * @typedef {import('./pack-packages.mjs').Manifest} Manifest
 * @typedef {import('./pack-packages.mjs').WorkspacePackage} WorkspacePackage
 */

const INSTALL = ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'];
const INSTALL_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'];
/** Content of the directory `manifests` for the code examples. */
const MANIFEST = `apiVersion: v1
kind: Service
metadata: { name: web, namespace: default }
spec: { clusterIP: 10.96.0.80, ports: [{ port: 80 }] }
`;
const BIN = join(ROOT, 'node_modules/.bin');
/** Packages of a program that serves one mode, from an API server. */
const TYPICAL = ['core', 'server', 'nftables', 'source-kubernetes'].map((name) => `@kube-proxier/${name}`);
/** Size limits of its installation, with all dependencies. */
const MAX_INSTALLED = { megabytes: 25, packages: 60 };
/** Names of checks on the command line that are not packages. */
const OTHER_CHECKS = ['readmes', 'size'];

await runScript(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { node: { type: 'string', multiple: true, default: [] } },
  });
  prepare();
  const packages = readPackages();
  const chosen = positionals.filter((name) => !OTHER_CHECKS.includes(name)).map((name) => `@kube-proxier/${name}`);
  const names = positionals.length > 0 ? chosen : [...packages.keys()];
  const unknown = names.filter((name) => !packages.has(name));
  if (unknown.length > 0) {
    throw new PrepareError(`There is no package ${unknown.join(', ')}; there are: ${[...packages.keys()].join(', ')}`);
  }
  const directory = mkdtempSync(join(tmpdir(), 'kube-proxier-packages-'));
  try {
    const nodes = await Promise.all(
      values.node.map((version) => installNode(version, join(directory, `node-${version}`))),
    );
    const packed = await packPackages([...packages.keys()], directory);
    const readmes = join(directory, 'readmes');
    const hasReadmes = positionals.length === 0 || positionals.includes('readmes');
    if (hasReadmes) {
      await install(
        readmes,
        [...packed.values()].map(({ tarball }) => tarball),
      );
    }
    // In a shared project, undeclared dependencies are detected in the code only.
    const together = !IS_THOROUGH && positionals.length === 0;
    const check = async (/** @type {string} */ name) => {
      const { manifest } = present(packages, name);
      const { tarball, files } = present(packed, name);
      checkContents(manifest, files);
      await lint(tarball);
      const project = together ? readmes : join(directory, name.replaceAll('/', '+'));
      if (!together) {
        await install(
          project,
          closureOf(name, packages).map((one) => present(packed, one).tarball),
        );
      }
      checkDeclared(manifest, join(project, 'node_modules', name), files);
      checkSourceMaps(name, join(project, 'node_modules', name), files);
      if (!together) {
        await checkImports([manifest], project, [process.execPath, ...nodes]);
      }
      say(`ok  ${name}: ${files.length} files, ${entriesOf(manifest).join(', ')}`);
    };
    // Two at a time: much of it is waiting for npm.
    const queue = [...names];
    const work = async () => {
      for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
        await check(name);
      }
    };
    // Both end before their directory is removed, whichever fails.
    const failures = (await Promise.allSettled([work(), work()])).filter((one) => one.status === 'rejected');
    for (const { reason } of failures) {
      throw reason;
    }
    if (together) {
      const manifests = names.map((name) => present(packages, name).manifest);
      await checkImports(manifests, readmes, [process.execPath, ...nodes]);
      say(`ok  all together: ${nodes.length + 1} versions of Node import them`);
    }
    if (hasReadmes) {
      await checkReadmes(readmes, packages);
    }
    if (positionals.length === 0 || positionals.includes('size')) {
      const project = join(directory, 'size');
      const closure = new Set(TYPICAL.flatMap((name) => closureOf(name, packages)));
      await install(
        project,
        [...closure].map((name) => present(packed, name).tarball),
      );
      checkSize(project);
      await checkCommonJS(project);
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

/**
 * @template Value
 * @param {ReadonlyMap<string, Value>} map
 * @param {string} name
 * @returns {Value}
 */
function present(map, name) {
  const value = map.get(name);
  if (value === undefined) {
    throw new PrepareError(`${name}: not among ${[...map.keys()].join(', ')}`);
  }
  return value;
}

/** @param {string} text */
function say(text) {
  process.stdout.write(`${text}\n`);
}

/**
 * @param {unknown} condition
 * @param {string} name
 * @param {string} problem
 */
function demand(condition, name, problem) {
  if (!condition) {
    throw new PrepareError(`${name}: ${problem}`);
  }
}

/**
 * Names to import a package by.
 *
 * @param {Manifest} manifest
 */
function entriesOf({ name, exports }) {
  return Object.entries(exports)
    .filter(([, target]) => typeof target !== 'string')
    .map(([subpath]) => name + subpath.slice(1));
}

/**
 * @param {Manifest} manifest
 * @param {readonly string[]} files
 */
function checkContents(manifest, files) {
  const { name, exports, bin = {}, scripts = {}, engines, license, keywords = [] } = manifest;
  const strange = files.filter((path) =>
    /\.(spec|tsbuildinfo)\b|\.d\.m?ts\.map$|^(src|test|testdata)\/|^tsconfig/.test(path),
  );
  demand(strange.length === 0, name, `must not be published: ${strange.join(', ')}`);
  const targets = Object.values(exports).flatMap((target) =>
    typeof target === 'string' ? [target] : Object.values(target),
  );
  const missing = [...targets, ...Object.values(bin), 'README.md', 'package.json']
    .map((path) => path.replace('./', ''))
    .filter((path) => !path.includes('*') && !files.includes(path));
  demand(missing.length === 0, name, `is not in the package: ${missing.join(', ')}`);
  const found = INSTALL_SCRIPTS.filter((script) => script in scripts);
  demand(found.length === 0, name, `has an install script: ${found.join(', ')}`);
  demand(engines?.node && license, name, 'must say its license and which Node it needs');
  demand(keywords.includes('kubernetes'), name, 'has no keywords to be found by');
}

/** @param {string} tarball */
async function lint(tarball) {
  await run(join(BIN, 'publint'), ['run', tarball, '--strict'], ROOT);
  await run(join(BIN, 'attw'), [tarball, '--profile', 'esm-only', '--format', 'ascii'], ROOT);
}

/**
 * @param {string} project
 * @param {readonly string[]} tarballs
 */
async function install(project, tarballs) {
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "name": "user", "private": true, "type": "module" }\n');
  await run('npm', [...INSTALL, ...tarballs], project);
}

/**
 * Every package that the code names must be declared: that it happens to be there is no promise.
 *
 * @param {Manifest} manifest
 * @param {string} directory
 * @param {readonly string[]} files
 */
function checkDeclared({ name, dependencies, peerDependencies }, directory, files) {
  const declared = new Set([name, ...Object.keys({ ...dependencies, ...peerDependencies })]);
  for (const path of files.filter((file) => /\.(m?js|d\.ts)$/.test(file))) {
    const text = readFileSync(join(directory, path), 'utf8');
    for (const [, wanted = ''] of text.matchAll(
      /^(?:import |(?:import|export)\b[^;]*? from )['"]([^'".][^'"]*)['"]/gm,
    )) {
      const owner = wanted
        .split('/')
        .slice(0, wanted.startsWith('@') ? 2 : 1)
        .join('/');
      const known = declared.has(owner) || wanted.startsWith('node:') || builtinModules.includes(owner);
      demand(known, name, `${path} imports ${wanted}, which is neither a dependency nor a peer`);
    }
  }
}

/**
 * Sources are not in the package, so a map without their text leads nowhere.
 *
 * @param {string} name
 * @param {string} directory
 * @param {readonly string[]} files
 */
function checkSourceMaps(name, directory, files) {
  for (const path of files.filter((file) => file.endsWith('js.map'))) {
    const { sources, sourcesContent = [] } = JSON.parse(readFileSync(join(directory, path), 'utf8'));
    // A bundle has maps of third-party packages too, some of which come without their sources.
    const missing = sources.filter(
      (/** @type {string} */ source, /** @type {number} */ index) =>
        !source.includes('node_modules/') && typeof sourcesContent[index] !== 'string',
    );
    demand(missing.length === 0, name, `${path} leads to sources that are not in the package`);
  }
}

/**
 * @param {readonly Manifest[]} manifests
 * @param {string} project
 * @param {readonly string[]} nodes
 */
async function checkImports(manifests, project, nodes) {
  const entries = manifests.flatMap(entriesOf);
  const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}';\nvoid entry${index};\n`);
  // Modules that need a test runner are imported by one.
  const plain = entries.filter((entry) => !entry.endsWith('/jest'));
  const code = plain.map(
    (entry) =>
      `if (Object.keys(await import('${entry}')).length === 0) throw new Error('${entry}: nothing is exported');\n`,
  );
  writeFileSync(join(project, 'user.mjs'), code.join(''));
  for (const node of nodes) {
    await run(node, ['user.mjs'], project);
  }
  if (entries.some((entry) => entry.endsWith('/jest'))) {
    await run('npm', [...INSTALL, `@jest/globals@${rootVersion('@jest/globals')}`], project);
  }
  writeFileSync(join(project, 'user.ts'), imports.join(''));
  await typeCheck(project, ['user.ts']);
  for (const { name, bin = {} } of manifests) {
    for (const [command, path] of Object.entries(bin)) {
      demand(existsSync(join(project, 'node_modules/.bin', command)), name, `${path} is not installed`);
      await run(join(project, 'node_modules/.bin', command), ['--help'], project);
    }
  }
}

/**
 * As a user with the strictest settings. Node's own types are those of this repository.
 *
 * @param {string} project
 * @param {readonly string[]} files
 */
async function typeCheck(project, files) {
  const compilerOptions = {
    ...{ target: 'es2022', lib: ['es2023'], module: 'nodenext', noEmit: false, outDir: 'out', rootDir: '.' },
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, verbatimModuleSyntax: true },
    ...{ types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')], skipLibCheck: false },
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  await run(join(BIN, 'tsc'), ['-p', 'tsconfig.json'], project);
}

/** @param {string} name */
function rootVersion(name) {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).devDependencies[name];
}

/**
 * Every `ts` block of every README is a program of its own.
 *
 * @param {string} project
 * @param {ReadonlyMap<string, WorkspacePackage>} packages
 */
async function checkReadmes(project, packages) {
  if (!existsSync(join(project, 'node_modules/@jest/globals'))) {
    await run('npm', [...INSTALL, `@jest/globals@${rootVersion('@jest/globals')}`], project);
  }
  const blocks = [...packages].flatMap(([name, { directory }]) =>
    codeOf(readFileSync(join(directory, 'README.md'), 'utf8')).map((block, index) => ({
      ...block,
      name,
      file: `${name.split('/')[1]}-${index + 1}`,
    })),
  );
  for (const { file, code } of blocks) {
    writeFileSync(join(project, `${file}.ts`), `${code}\nexport {};\n`);
  }
  await typeCheck(
    project,
    blocks.map(({ file }) => `${file}.ts`),
  );
  mkdirSync(join(project, 'manifests'));
  writeFileSync(join(project, 'manifests/web.yaml'), MANIFEST);
  const runnable = blocks.filter((block) => block.run);
  for (const { name, file, shows } of runnable) {
    const output = await run(process.execPath, [`out/${file}.js`], project);
    for (const text of shows) {
      demand(output.includes(text), name, `the code of its README should print "${text}", and prints:\n${output}`);
    }
  }
  say(`ok  READMEs: ${blocks.length} pieces of code compile, ${runnable.length} of them ran`);
}

/** @param {string} project with the packages of {@link TYPICAL} */
function checkSize(project) {
  const modules = join(project, 'node_modules');
  const entries = readdirSync(modules, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const bytes = files.reduce((sum, path) => sum + statSync(path).size, 0);
  const packages = files.filter((path) => /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(path)).length;
  const megabytes = bytes / 1e6;
  const short = TYPICAL.map((name) => name.split('/')[1]).join(' + ');
  demand(
    megabytes <= MAX_INSTALLED.megabytes && packages <= MAX_INSTALLED.packages,
    short,
    `installs ${megabytes.toFixed(1)} MB in ${packages} packages; at most ${MAX_INSTALLED.megabytes} MB and ${MAX_INSTALLED.packages} packages are allowed`,
  );
  demand(
    !existsSync(join(modules, '@kubernetes')),
    short,
    'installs @kubernetes/client-node, which is an optional peer',
  );
  say(`ok  ${short}: ${megabytes.toFixed(1)} MB in ${packages} packages (${files.length} files)`);
}

/**
 * What docs/embedding.md says about CommonJS: `import()` works with every module setting, and a static import with `nodenext`, but
 * not with `node16`.
 *
 * @param {string} project with the packages of {@link TYPICAL}
 */
async function checkCommonJS(project) {
  const names = TYPICAL.map((name) => `'${name}'`);
  const all = names.map((name, index) => `import * as entry${index} from ${name};`).join('\n');
  const used = names.map((_name, index) => `Object.keys(entry${index}).length`).join(' * ');
  const imported = names.map((name) => `Object.keys(await import(${name})).length`).join(' * ');
  const code = {
    static: `${all}\nif (${used} === 0) throw new Error('nothing is exported');\n`,
    dynamic: `const all = async () => ${imported};\nall().then((product) => { if (product === 0) throw new Error('nothing is exported'); });\n`,
  };
  const compile = async (/** @type {'static' | 'dynamic'} */ kind, /** @type {string} */ module) => {
    const file = `${kind}-${module}.cts`;
    writeFileSync(join(project, file), code[kind]);
    const compilerOptions = {
      ...{ target: 'es2022', lib: ['es2023'], module, outDir: 'out', rootDir: '.', strict: true, skipLibCheck: true },
      ...{ types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] },
    };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }));
    await run(join(BIN, 'tsc'), ['-p', 'tsconfig.json'], project);
    await run(process.execPath, [`out/${kind}-${module}.cjs`], project);
  };
  await compile('dynamic', 'node16');
  await compile('dynamic', 'nodenext');
  await compile('static', 'nodenext');
  const refusal = await compile('static', 'node16').then(
    () => '',
    (error) => String(error),
  );
  demand(
    refusal.includes('TS1479'),
    'CommonJS',
    `docs/embedding.md says that node16 refuses a static import: ${refusal}`,
  );
  say('ok  CommonJS: import() with node16, import with nodenext');
}

/**
 * @param {string} version
 * @param {string} directory
 * @returns the path of another version of Node, from the registry of npm
 */
async function installNode(version, directory) {
  mkdirSync(directory);
  writeFileSync(join(directory, 'package.json'), '{ "name": "node-for-tests", "private": true }\n');
  const architecture = process.arch === 'x64' ? 'x64' : process.arch;
  await run('npm', [...INSTALL, `node-linux-${architecture}@${version}`], directory);
  const path = join(directory, `node_modules/node-linux-${architecture}/bin/node`);
  say(`Node ${(await run(path, ['--version'], directory)).trim()}`);
  return path;
}
