import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';

/** Files of the page by their path, with their type. */
const FILES: Readonly<Record<string, { readonly file: string; readonly type: string }>> = {
  '/': { file: 'status-page.html', type: 'text/html; charset=utf-8' },
  '/page/status-page.js': { file: 'status-page.js', type: 'text/javascript; charset=utf-8' },
  '/page/status-page.css': { file: 'status-page.css', type: 'text/css; charset=utf-8' },
};

/** Allows only files and responses of this server; nothing inline, no frames, no foreign forms. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Located next to this module, or next to the bundle that contains it. */
const DIRECTORY = new URL('./page/', import.meta.url);

/** The status page at `/`: static files that query the status server. Files are read when they are first requested. */
export class StatusPage {
  readonly #contents = new Map<string, Buffer>();

  /** @param directory of the built page. Default: that of this package. */
  constructor(private readonly directory = DIRECTORY) {}

  /** @returns false for another path, or when the page has not been built. */
  answer(pathname: string, response: ServerResponse): boolean {
    const found = Object.hasOwn(FILES, pathname) ? FILES[pathname] : undefined;
    const content = found && this.#read(found.file);
    if (!found || !content) {
      return false;
    }
    response.writeHead(200, {
      'Content-Type': found.type,
      'Content-Length': content.length,
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-cache',
    });
    response.end(content);
    return true;
  }

  #read(file: string): Buffer | undefined {
    let content = this.#contents.get(file);
    if (content === undefined) {
      try {
        content = readFileSync(fileURLToPath(new URL(file, this.directory)));
      } catch {
        return undefined;
      }
      this.#contents.set(file, content);
    }
    return content;
  }
}
