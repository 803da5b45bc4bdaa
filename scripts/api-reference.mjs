/**
 * `npm run api-reference`: writes the API reference of every entry point of every package to docs/api/out, from the
 * docstrings. Fails when a docstring has a broken reference.
 *
 * TypeDoc works on the API of the compiler, which TypeScript 7 does not have: docs/api brings a TypeScript 6 for it.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, readPackages, run } from './pack-packages.mjs';
import { PrepareError, prepare, runScript } from './prepare.mjs';

const HOME = join(ROOT, 'docs/api');
const OUT = join(HOME, 'out');

await runScript(async () => {
  prepare();
  const entries = [...readPackages().values()].flatMap(({ directory, manifest }) =>
    Object.values(manifest.exports)
      .flatMap((target) => (typeof target === 'string' ? [] : (target.default ?? [])))
      .map((path) => join(directory, path.replace('./dist/', 'src/').replace(/\.js$/, '.ts'))),
  );
  rmSync(OUT, { recursive: true, force: true });
  const options = entries.flatMap((entry) => ['--entryPoints', entry]);
  const typedoc = join(HOME, 'node_modules/typedoc/bin/typedoc');
  const bin = existsSync(typedoc) ? typedoc : join(ROOT, 'node_modules/typedoc/bin/typedoc');
  await run(process.execPath, [bin, ...options, '--treatValidationWarningsAsErrors', '--logLevel', 'Warn'], HOME);
  writeFileSync(join(OUT, '.nojekyll'), '');
  if (!existsSync(join(OUT, 'index.html'))) {
    throw new PrepareError('TypeDoc wrote nothing');
  }
  process.stdout.write(`docs/api/out/index.html: ${entries.length} entry points\n`);
});
