import { readFileSync } from 'node:fs';

/** Version of this package, as it is published. */
export const VERSION: string = readVersion();

/** Output of `--version`. */
export function versionText(): string {
  return `kube-proxier ${VERSION}\n`;
}

function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const manifest = JSON.parse(text) as { readonly version?: unknown };
  return typeof manifest.version === 'string' ? manifest.version : 'unknown';
}
