import { readFileSync } from 'node:fs';

/** The fields of package.json with the location of the sources. */
export interface SourceManifest {
  /** Set in published packages, as npm requires it for provenance: `git+https://<host>/<path>.git`. */
  readonly repository?: { readonly url?: string };
}

const DIRECTORY = 'docs/behaviour';

/**
 * Where the rules are defined whose ids a report prints: a URL in a published package, else the directory in words.
 *
 * @param manifest default: package.json of this package.
 */
export function rulesLocation(manifest: SourceManifest = ownManifest()): string {
  const [, web] = /^(?:git\+)?(https?:\/\/[^\s?#]+?)(?:\.git)?\/?$/.exec(manifest.repository?.url ?? '') ?? [];
  return web === undefined ? `${DIRECTORY} in the repository of kube-proxier` : `${web}/tree/HEAD/${DIRECTORY}`;
}

/** One sentence for the end of a report with failures. */
export function rulesNote(manifest?: SourceManifest): string {
  return `The ids in parentheses are rules: see ${rulesLocation(manifest)}`;
}

function ownManifest(): SourceManifest {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as SourceManifest;
}
