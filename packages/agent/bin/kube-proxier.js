#!/usr/bin/env node
// Not built, so that the command is linked by an install that comes before the first build.
import * as nodeModule from 'node:module';

// Node reads the variable itself, but not where its program has a file capability. Node.js 20 has no such cache.
const { enableCompileCache } = /** @type {{ enableCompileCache?: (directory: string) => unknown }} */ (nodeModule);
if (process.env.NODE_COMPILE_CACHE) {
  enableCompileCache?.(process.env.NODE_COMPILE_CACHE);
}

// An import would load all that it exports.
const { existsSync } = /** @type {typeof import('node:fs')} */ (nodeModule.createRequire(import.meta.url)('node:fs'));

// Third-party backends share modules with this program, so with them the packages run, not the bundle.
const hasThirdPartyBackends = process.argv.some((arg) => /^--backend(=|$)/.test(arg));
const bundle = new URL('../bundle/kube-proxier.js', import.meta.url);
const packages = new URL('../dist/main.js', import.meta.url);
if (hasThirdPartyBackends && !existsSync(packages)) {
  process.stderr.write(
    'Error: --backend: this installation is the bundle without the packages that a third-party backend shares. ' +
      'Install @kube-proxier/agent and the backend with npm.\n',
  );
  process.exit(1);
}
await import((!hasThirdPartyBackends && existsSync(bundle) ? bundle : packages).href);
