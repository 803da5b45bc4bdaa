import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { StatusPage } from './status-page.js';
import { StatusServer } from './status-server.js';

describe('StatusPage', () => {
  let directory: string;
  let server: StatusServer;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'status-page-'));
    writeFileSync(join(directory, 'status-page.html'), '<!doctype html><title>page</title>');
    server = new StatusServer({
      host: '127.0.0.1',
      port: 0,
      page: new StatusPage(pathToFileURL(`${directory}/`)),
    });
    await server.start();
  });

  afterEach(async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`http://127.0.0.1:${server.address?.port}${path}`, { headers });

  test('is served at / with a policy that allows its own files and responses only', async () => {
    const response = await get('/');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none';/);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await response.text()).toContain('<title>page</title>');
  });

  test.each([
    '/page/status-page.js.map',
    '/page/../status-page.html',
    '/page/%2e%2e/%2e%2e/package.json',
    '/page/constructor',
    '/constructor',
    '/page/',
  ])('%s is not served', async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  test('a file that has not been built is not found', async () => {
    expect((await get('/page/status-page.js')).status).toBe(404);
  });
});
