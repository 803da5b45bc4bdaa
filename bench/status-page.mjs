#!/usr/bin/env node
// The status page with many Services: npm run bench:status-page (as root, with Chromium). How long it takes to open,
// until the first Services are shown, and the additional cost of the agent while it is open. The agent and the browser
// run in a network namespace of their own. `--screenshots DIR` writes what the page looks like, in light and dark.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { bringLoopbackUp, runInNewNetwork, startAgent } from './lib/child-processes.mjs';
import { podsOf, service, slice } from './lib/cluster.mjs';
import { cpuSeconds, wait } from './lib/process-usage.mjs';
import { Report } from './lib/report.mjs';

const { values, positionals } = parseArgs({
  options: {
    services: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '30' },
    screenshots: { type: 'string' },
  },
  allowPositionals: true,
});
const SELF = fileURLToPath(import.meta.url);
const PAGE = 'http://127.0.0.1:10249/';
/** Milliseconds after the first sync until its follow-up work is done. */
const SETTLE = 10_000;
/** Pages that are opened; the median counts. */
const OPENED = 7;
/** Flags that disable Chromium's connections to its vendor at start. */
const QUIET = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-component-update'],
  ...['--disable-background-networking', '--disable-sync'],
];

/** @param {number} count */
function manifest(count) {
  const objects = Array.from({ length: count }, (_, index) => [service(index), slice(index, podsOf(index, 2))]).flat();
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
}

/**
 * @param {number} pid
 * @returns {Promise<number>} share of one processor, in percent
 */
async function measureCpu(pid) {
  const before = cpuSeconds(pid);
  await wait(Number(values.seconds) * 1000);
  return (100 * (cpuSeconds(pid) - before)) / Number(values.seconds);
}

async function inside() {
  bringLoopbackUp();
  const directory = mkdtempSync(join(tmpdir(), 'bench-status-page-'));
  const file = join(directory, 'services.json');
  writeFileSync(file, manifest(Number(values.services)));
  const report = new Report('status-page', `the status page of an agent with ${values.services} Services`);
  const agent = await startAgent(['--proxy-mode=nftables', `--manifests=${directory}`], ['IPv4', 'IPv6']);
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: QUIET });
  try {
    await wait(SETTLE);
    const closed = await measureCpu(agent.pid);
    const opened = [];
    for (let count = 0; count < OPENED; count++) {
      const page = await browser.newPage();
      const begin = performance.now();
      await page.goto(PAGE);
      await page.waitForSelector('#services tbody tr:nth-child(100)');
      opened.push(performance.now() - begin);
      await page.close();
    }
    opened.sort((a, b) => a - b);
    const page = await browser.newPage({ viewport: { width: 1100, height: 900 } });
    await page.goto(PAGE);
    await page.waitForSelector('#services tbody tr');
    const open = await measureCpu(agent.pid);
    report.add('page opened until 100 Services are shown, median', opened[OPENED >> 1] ?? Number.NaN, 'ms', {
      atMost: 1000,
    });
    report.add('CPU of the agent, page closed', closed, '%');
    report.add('CPU of the agent, page open, beyond that', open - closed, '%', { atMost: 1 });
    if (values.screenshots !== undefined) {
      await page.fill('#search', 'svc-700');
      await page.fill('#destination', '10.96.0.7:80/tcp');
      await page.fill('#source', 'outside');
      await page.click('button');
      await page.waitForSelector('#explanation');
      for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: join(values.screenshots, `status-page-${colorScheme}.png`), fullPage: true });
      }
    }
  } finally {
    await browser.close();
    await agent.stop();
    rmSync(directory, { recursive: true });
  }
  process.exitCode = report.finish();
}

if (positionals[0] === 'inside') {
  await inside();
} else {
  process.exitCode = runInNewNetwork(SELF, process.argv.slice(2)).status;
}
