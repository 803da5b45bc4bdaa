import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SANDBOX_NETWORK } from '@kube-proxier/network-sandbox';
import { type Browser, chromium, type Page } from 'playwright-core';
import { AgentOnNode } from './testing/agent-on-node.js';

const URL = 'http://127.0.0.1:10249/';
/** Flags that disable Chromium's connections to its vendor at start. */
const QUIET = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-component-update'],
  ...['--disable-background-networking', '--disable-sync'],
];

describe('the status page in a browser', () => {
  let node: AgentOnNode;
  let browser: Browser;
  let page: Page;
  let directory: string;
  const requested: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    node = await AgentOnNode.create('nft');
    node.write(...node.sandbox.pods.map(({ ipv4 }) => ipv4));
    node.start('nftables');
    await node.until('first sync', () => node.log.includes('First sync'));
    directory = mkdtempSync(join(tmpdir(), 'status-page-'));
    const executablePath = join(directory, 'chromium');
    writeFileSync(executablePath, `#!/bin/sh\nexec nsenter --net=${node.sandbox.node.namespacePath} chromium "$@"\n`);
    chmodSync(executablePath, 0o755);
    browser = await chromium.launch({ executablePath, args: QUIET });
    page = await browser.newPage();
    page.on('request', (request) => requested.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(URL);
  });

  afterAll(async () => {
    await browser?.close();
    await node?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  test('the verdict, the node and the Services in force are shown', async () => {
    await page.waitForSelector('#verdict.ok');
    expect(await page.textContent('h1')).toMatch(
      new RegExp(`^OK: kube-proxier \\S+ on node ${SANDBOX_NETWORK.nodeName} \\(mode nftables\\)$`),
    );
    expect(await page.title()).toBe(`OK: ${SANDBOX_NETWORK.nodeName}`);
    await page.waitForSelector('#services tbody tr');
    expect(await page.locator('#services tbody tr').first().locator('td').allTextContents()).toEqual([
      'work',
      'web',
      '80/TCP',
      '10.96.0.10',
      '31269',
      '',
      '2/2',
    ]);
    expect(await page.locator('canvas').count()).toBe(1);
  });

  test('a change appears without a reload', async () => {
    const [first = ''] = node.sandbox.pods.map(({ ipv4 }) => ipv4);
    node.write(first);
    await page.locator('#services tbody tr', { hasText: /1\/1$/ }).waitFor();
  });

  test('Services are found by name', async () => {
    await page.fill('#search', 'nothing-like-it');
    await page.locator('[role=status]', { hasText: /^0 ports$/ }).waitFor();
    expect(await page.locator('#services tbody tr').count()).toBe(0);
    await page.fill('#search', 'work/we');
    await page.waitForSelector('#services tbody tr');
  });

  test('a packet is explained, and errors are shown', async () => {
    await page.fill('#source', '10.244.7.7');
    await page.fill('#destination', '10.96.0.10:80/tcp');
    await page.click('button');
    await page.waitForSelector('#explanation');
    expect(await page.textContent('#explanation')).toContain('10.244.7.7 -> 10.96.0.10:80/TCP: forwarded to');
    await page.fill('#destination', 'svc/work/wbe');
    await page.click('button');
    await page.locator('#explanation', { hasText: 'Service "wbe" not found in namespace work' }).waitFor();
  });

  test('it queries its own server only, and violates no content security policy', () => {
    expect(requested.filter((url) => !url.startsWith(URL) && !url.startsWith('data:'))).toEqual([]);
    // The response to the question with the wrong name, and nothing else.
    expect(complaints).toEqual([expect.stringMatching(/404/)]);
  });

  test('the page shows that the agent has ended', async () => {
    await node.stop();
    await page.waitForSelector('h1 .unreachable');
    expect(await page.textContent('h1')).toMatch(/^NO ANSWER: the agent on node \S+ does not answer/);
  });
});
