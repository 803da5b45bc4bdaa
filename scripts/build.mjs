/**
 * `npm run build`: compiles the packages, and bundles the agent. Incremental: about a second without changes.
 *
 * The command `kube-proxier` runs the bundle `packages/agent/bundle/`: one module and what it loads on demand, so that a
 * start reads a dozen files instead of 1,200. The packages stay as they are for programs that embed them, and for agents
 * with third-party backends, which share modules with them.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundle } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BUNDLE = join(ROOT, 'packages/agent/bundle');
/** Directories of the served status page. */
const PAGES = [join(ROOT, 'packages/server/dist/status/page'), join(BUNDLE, 'page')];

/** Names in the bundle, and the modules that they are made of. Worker threads are loaded by path, so they keep their names. */
const ENTRY_POINTS = {
  'kube-proxier': 'packages/agent/dist/main.js',
  'kubectl-proxier': 'packages/agent/dist/kubectl/main.js',
  'manifest-thread': 'packages/source-manifests/dist/manifest-thread.js',
  'splice-thread.mjs': 'packages/userspace/dist/splice/splice-thread.mjs',
};

/** Not bundled: one has a native library, the other is large and loaded only where a kubeconfig needs it. */
const EXTERNAL = ['koffi', 'netlink', '@kubernetes/client-node'];

/** Bundled CommonJS packages require Node's modules. */
const BANNER =
  "import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);";

/** @throws Error with the output of the compiler or the bundler. */
export async function build() {
  const compiler = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-b'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (compiler.status !== 0) {
    throw new Error(`tsc -b failed:\n${compiler.stdout}${compiler.stderr}`, { cause: compiler.error });
  }
  await bundleStatusPage();
  await bundleAgent();
}

/** The status page: static files beside the module that serves them, in the package and in the bundle of the agent. */
async function bundleStatusPage() {
  const { outputFiles } = await bundle({
    absWorkingDir: join(ROOT, 'packages/server/page'),
    entryPoints: ['src/status-page.tsx', 'src/status-page.css'],
    outdir: 'out',
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'inline',
    write: false,
    logLevel: 'error',
  });
  const page = readFileSync(join(ROOT, 'packages/server/page/status-page.html'));
  const licenses = ['preact', 'uplot'].map((name) => {
    const text = readFileSync(join(ROOT, 'node_modules', name, 'LICENSE'), 'utf8');
    return `${name}\n\n${text.trim()}\n`;
  });
  const files = [
    ...outputFiles.map(({ path, contents }) => ({ name: basename(path), contents })),
    { name: 'status-page.html', contents: page },
    { name: 'LICENSES.txt', contents: Buffer.from(licenses.join('\n')) },
  ];
  for (const directory of PAGES) {
    mkdirSync(directory, { recursive: true });
    for (const { name, contents } of files) {
      writeChanged(join(directory, name), contents);
    }
  }
}

/**
 * Parts of prom-client that the agent does not call, and that depend on packages: summaries (tdigest, bintrees), and the trace of an exemplar
 * (OpenTelemetry). The agent has no summaries and no exemplars; a call would fail with this text.
 *
 * @type {import('esbuild').Plugin}
 */
const UNUSED_PARTS = {
  name: 'unused-parts',
  setup(build) {
    build.onResolve({ filter: /^(tdigest|@opentelemetry\/api)$/ }, ({ path }) => ({ path, namespace: 'unused' }));
    build.onLoad({ filter: /.*/, namespace: 'unused' }, ({ path }) => ({
      contents: `const fail = () => { throw new Error('${path} is not part of the bundle'); };
const unused = new Proxy(fail, { get: () => unused, apply: fail, construct: fail });
module.exports = unused;`,
    }));
  },
};

/** The used exports of Node modules that are expensive to import. The bundler reports an import of anything else. */
const REQUIRED = new Map([
  [
    'crypto',
    [
      'createHash',
      'createPrivateKey',
      'generateKeyPairSync',
      'hash',
      'randomBytes',
      'randomUUID',
      'sign',
      'X509Certificate',
    ],
  ],
  [
    'fs',
    [
      ...['constants', 'createReadStream', 'existsSync', 'readFileSync', 'statSync'],
      ...['unwatchFile', 'watch', 'watchFile', 'writeFileSync'],
    ],
  ],
  ['http', ['Agent', 'createServer', 'get', 'request', 'STATUS_CODES']],
  ['https', ['Agent', 'createServer', 'request']],
  ['util', ['getSystemErrorMap', 'getSystemErrorName', 'isDeepStrictEqual', 'promisify', 'styleText']],
  ['zlib', ['createGunzip', 'deflateRawSync', 'gunzipSync', 'gzip', 'inflateRawSync']],
]);

const REQUIRED_NAMES = new RegExp(`^(node:)?(${[...REQUIRED.keys()].join('|')})$`);

/**
 * An import of a module of Node reads all that it exports, some of which is loaded at the first use: of `node:http`, in Node 22 and later,
 * undici, which takes a tenth of a second and several megabytes; of `node:fs` and `node:crypto`, what returns promises and Web Crypto.
 * `require` does not.
 *
 * @type {import('esbuild').Plugin}
 */
const REQUIRED_MODULES = {
  name: 'required-modules',
  setup(build) {
    build.onResolve({ filter: REQUIRED_NAMES }, ({ kind, path }) =>
      kind === 'import-statement'
        ? { path: path.replace('node:', ''), namespace: 'required', sideEffects: false }
        : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `import { createRequire } from 'node:module';
const required = createRequire(import.meta.url)('node:${path}');
export default required;
export const { ${REQUIRED.get(path)?.join(', ')} } = required;`,
      resolveDir: ROOT,
    }));
  },
};

/** The used exports of the package `yaml`. The bundler reports an import of anything else. */
const YAML = {
  functions: ['isAlias', 'isMap', 'isNode', 'isScalar', 'isSeq', 'parse', 'parseAllDocuments', 'stringify'],
  classes: ['Composer', 'Lexer', 'LineCounter', 'Parser'],
};

/**
 * Loads the package `yaml` at the first use: an agent whose files are all in JSON, or that has none, does not need it.
 *
 * @type {import('esbuild').Plugin}
 */
const YAML_ON_DEMAND = {
  name: 'yaml-on-demand',
  setup(build) {
    build.onResolve({ filter: /^yaml$/ }, ({ kind, path }) =>
      kind === 'import-statement' ? { path, namespace: 'on-demand', sideEffects: false } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: 'on-demand' }, () => ({
      contents: `let loaded;
const yaml = () => (loaded ??= require('yaml'));
${YAML.functions.map((name) => `export const ${name} = (...args) => yaml().${name}(...args);`).join('\n')}
${YAML.classes.map((name) => `export const ${name} = function (...args) { return new (yaml().${name})(...args); };`).join('\n')}`,
      resolveDir: ROOT,
    }));
  },
};

async function bundleAgent() {
  const { outputFiles } = await bundle({
    absWorkingDir: ROOT,
    entryPoints: ENTRY_POINTS,
    outdir: BUNDLE,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: EXTERNAL,
    plugins: [UNUSED_PARTS, REQUIRED_MODULES, YAML_ON_DEMAND],
    // Packages leave out what helps in development.
    define: { 'process.env.NODE_ENV': '"production"' },
    banner: { js: BANNER },
    chunkNames: 'chunk-[hash]',
    sourcemap: true,
    // V8 holds the source of what it has loaded: with comments it is half as long again, and one character that is not Latin-1 doubles it.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 120,
    // Names of classes are part of messages.
    keepNames: false,
    write: false,
    logLevel: 'error',
  });
  mkdirSync(BUNDLE, { recursive: true });
  const names = new Set();
  for (const { path: file, contents, text } of outputFiles) {
    // A worker thread keeps its extension, and its source map is beside it.
    const path = file.replace('.mjs.js', '.mjs');
    const written = path === file ? contents : Buffer.from(text.replace('.mjs.js.map', '.mjs.map'));
    names.add(path.slice(BUNDLE.length + 1));
    writeChanged(path, written);
  }
  for (const name of readdirSync(BUNDLE)) {
    if (!names.has(name) && name !== 'page' && !/\.\d+$/.test(name)) {
      rmSync(join(BUNDLE, name), { force: true });
    }
  }
}

/**
 * Replaces a file if its content differs: another process may be loading it.
 *
 * @param {string} path
 * @param {Uint8Array} contents
 */
function writeChanged(path, contents) {
  if (!isWritten(path, contents)) {
    const draft = `${path}.${process.pid}`;
    writeFileSync(draft, contents);
    renameSync(draft, path);
  }
}

/**
 * @param {string} path
 * @param {Uint8Array} contents
 */
function isWritten(path, contents) {
  try {
    return readFileSync(path).equals(contents);
  } catch {
    return false;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    if (process.argv.includes('--clean')) {
      for (const directory of [BUNDLE, ...PAGES]) {
        rmSync(directory, { recursive: true, force: true });
      }
    } else {
      await build();
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}
