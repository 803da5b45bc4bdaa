import { describe, expect, test } from '@jest/globals';
import type { Proxier, Service } from '@kube-proxier/core';
import { makeService, RecordingLogger } from '@kube-proxier/core/testing';
import { SourceHub } from './source-hub.js';

class Recorder implements Proxier {
  readonly mode = 'test';
  readonly services = new Map<string, Service>();
  readonly log: string[] = [];
  onServiceUpdate(previous: Service | undefined, current: Service | undefined): void {
    const name = (current ?? previous)?.metadata?.name ?? '';
    expect(this.services.get(name)).toBe(previous);
    if (current) {
      this.services.set(name, current);
    } else {
      this.services.delete(name);
    }
  }
  onEndpointsUpdate(): void {
    throw new Error('a proxier must not');
  }
  onServicesSynced(): void {
    this.log.push('services');
  }
  onEndpointsSynced(): void {
    this.log.push('endpoints');
  }
  onNodeUpdate(): void {}
  onServiceCIDRsUpdate(cidrs: readonly string[]): void {
    this.log.push(cidrs.join());
  }
  sync(): void {}
  async syncLoop(): Promise<void> {}
}

function setUp() {
  const proxier = new Recorder();
  const logger = new RecordingLogger();
  const hub = new SourceHub(proxier, { bindAddress: '', isRecorded: false, logger });
  return { proxier, logger, hub, first: hub.handler(), second: hub.handler() };
}

describe('SourceHub', () => {
  test('prefers the first source, and falls back to the other', () => {
    const { proxier, logger, first, second } = setUp();
    const [a1, a2, b1, b2] = [80, 81, 90, 91].map((port) => makeService('work/web', { ports: [{ port }] }));
    second.onServiceUpdate(undefined, b1);
    expect(proxier.services.get('web')).toBe(b1);
    first.onServiceUpdate(undefined, a1);
    expect(proxier.services.get('web')).toBe(a1);
    second.onServiceUpdate(b1, b2);
    first.onServiceUpdate(a1, a2);
    expect(proxier.services.get('web')).toBe(a2);
    first.onServiceUpdate(a2, undefined);
    expect(proxier.services.get('web')).toBe(b2);
    second.onServiceUpdate(b2, undefined);
    expect(proxier.services.size).toBe(0);
    expect(logger.warnings).toEqual(['Service work/web comes from two sources; the first configured source wins']);
  });

  test('is synced when all sources are, once', () => {
    const { proxier, first, second } = setUp();
    first.onServicesSynced();
    first.onServicesSynced();
    first.onEndpointsSynced();
    second.onEndpointsSynced();
    expect(proxier.log).toEqual(['endpoints']);
    second.onServicesSynced();
    second.onServicesSynced();
    expect(proxier.log).toEqual(['endpoints', 'services']);
  });

  test('merges ServiceCIDRs', () => {
    const { proxier, first, second } = setUp();
    first.onServiceCIDRsUpdate(['10.96.0.0/16']);
    second.onServiceCIDRsUpdate(['fd00::/108', '10.96.0.0/16']);
    first.onServiceCIDRsUpdate([]);
    first.onServiceCIDRsUpdate(['10.97.0.0/16']);
    expect(proxier.log).toEqual(['10.96.0.0/16', '10.96.0.0/16,fd00::/108', '10.96.0.0/16,10.97.0.0/16,fd00::/108']);
  });

  test('deletes and adds a slice when the other source has it with another address type', () => {
    const { proxier, first, second } = setUp();
    const changes: unknown[] = [];
    proxier.onEndpointsUpdate = (...change: unknown[]) => void changes.push(change);
    const [ipv4, ipv6] = (['IPv4', 'IPv6'] as const).map((addressType) => ({ metadata: { name: 'a' }, addressType }));
    first.onEndpointsUpdate(undefined, ipv4);
    second.onEndpointsUpdate(undefined, ipv6);
    first.onEndpointsUpdate(ipv4, undefined);
    expect(changes).toEqual([
      [undefined, ipv4],
      [ipv4, undefined],
      [undefined, ipv6],
    ]);
  });

  test('tolerates a proxier that throws, and delivers nothing when closed', () => {
    const { proxier, hub, first } = setUp();
    first.onEndpointsUpdate(undefined, {});
    hub.close();
    first.onServiceUpdate(undefined, makeService('work/web'));
    expect(proxier.services.size).toBe(0);
  });
});
