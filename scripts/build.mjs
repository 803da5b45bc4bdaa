/**
 * `npm run build`: compiles the packages, and bundles the agent. Incremental: about a second without changes.
 *
 * The command `kube-proxier` runs the bundle `packages/agent/bundle/`: one module and what it loads on demand, so that a
 * start reads a dozen files instead of 1,200. The packages stay as they are for programs that embed them, and for agents
 * with third-party backends, which share modules with them.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundle } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BUNDLE = join(ROOT, 'packages/agent/bundle');

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
  await bundleAgent();
}

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
    banner: { js: BANNER },
    chunkNames: 'chunk-[hash]',
    sourcemap: true,
    // Names of classes are part of messages.
    keepNames: true,
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
    if (!isWritten(path, written)) {
      // Another process may be loading it.
      const draft = `${path}.${process.pid}`;
      writeFileSync(draft, written);
      renameSync(draft, path);
    }
  }
  for (const name of readdirSync(BUNDLE)) {
    if (!names.has(name) && !/\.\d+$/.test(name)) {
      rmSync(join(BUNDLE, name), { force: true });
    }
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
      rmSync(BUNDLE, { recursive: true, force: true });
    } else {
      await build();
    }
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}
