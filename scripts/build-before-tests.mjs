/** Jest's global set-up: what tests start as processes of their own comes from the build. A second when nothing changed. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export default function build() {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const tsc = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-b'], { cwd: root, encoding: 'utf8' });
  if (tsc.status !== 0) {
    throw new Error(`tsc -b failed:\n${tsc.stdout}${tsc.stderr}`);
  }
}
