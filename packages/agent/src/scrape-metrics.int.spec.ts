import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { findTool } from '@kube-proxier/linux';
import { AgentOnNode } from './testing/agent-on-node.js';

/** Milliseconds; a scrape takes a few, on an idle machine. */
const SOON = 5000;

describe('scraping metrics in mode nftables', () => {
  let node: AgentOnNode;
  let directory: string;
  const path = process.env.PATH;
  const starts = () => (existsSync(`${directory}/starts`) ? readFileSync(`${directory}/starts`, 'utf8') : '');

  beforeEach(async () => {
    node = await AgentOnNode.create('nft');
    directory = mkdtempSync(join(tmpdir(), 'fake-nft-'));
    const nft = await findTool('nft');
    // Logs each start, hangs on request, and otherwise executes nft.
    writeFileSync(
      `${directory}/nft`,
      `#!/bin/sh\necho "$*" >> ${directory}/starts\n[ -e ${directory}/hang ] && exec sleep 1000\nexec ${nft} "$@"\n`,
      { mode: 0o755 },
    );
    process.env.PATH = `${directory}:${path}`;
  });

  afterEach(async () => {
    process.env.PATH = path;
    await node.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** All texts, of scrapes one after the other. */
  async function scrape(times = 1): Promise<string> {
    const script = `
      for (let round = 0; round < ${times}; round++) {
        const begin = performance.now();
        const text = await (await fetch('http://127.0.0.1:10249/metrics')).text();
        console.log('took ' + (performance.now() - begin));
        console.log(text);
      }`;
    const { stdout } = await node.sandbox.node.exec([process.execPath, '--input-type=module', '-e', script]);
    const took = [...stdout.matchAll(/^took (\S+)$/gm)].map(([, value]) => Number(value));
    expect(took).toHaveLength(times);
    expect(Math.max(...took)).toBeLessThan(SOON);
    return stdout;
  }

  async function start(...flags: string[]): Promise<void> {
    node.write(node.sandbox.pod(1).ipv4);
    node.start('nftables', '--nftables-program=nft', ...flags);
    await node.until(
      'the first syncs',
      () => /Synced family="IPv4"/.test(node.log) && /Synced family="IPv6"/.test(node.log),
    );
  }

  test('starts no process if nothing is counted', async () => {
    await start();
    // The session that writes changes begins some time after the first syncs.
    await node.until('20 scrapes in a row start nothing', async () => {
      const before = starts();
      expect(await scrape(20)).not.toContain('kube_proxier_service_connections_total{');
      return starts() === before;
    });
    expect(starts()).not.toBe('');
    expect(starts()).not.toContain('counters');
  });

  test('is answered immediately while the nft that lists counters hangs, and reports their age', async () => {
    await start('--nftables-count-connections');
    const age = (text: string) => {
      const value = /^kube_proxier_kernel_counters_age_seconds\{counters="connections"\} (\S+)$/m.exec(text)?.[1];
      return value === undefined ? undefined : Number(value);
    };
    await node.until('counters are read', async () => age(await scrape()) !== undefined);
    expect(await scrape()).toContain('kube_proxier_service_connections_total{service="work/web"');
    writeFileSync(`${directory}/hang`, '');
    const before = starts().split('\n').length;
    await node.until('they are read again', async () => {
      await scrape();
      return starts().split('\n').length > before;
    });
    // From now on each of them hangs.
    const old = age(await scrape()) ?? 0;
    await node.until('they get older', async () => (age(await scrape()) ?? 0) > old + 1);
    const text = await scrape();
    expect(text).toContain('kube_proxier_service_connections_total{service="work/web"');
    // One for each IP family that has such a Service, and not one for each scrape.
    expect(starts().split('\n').length - before).toBeLessThanOrEqual(2);
  });
});
