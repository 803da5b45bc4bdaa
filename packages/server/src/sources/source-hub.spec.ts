import { describe, expect, test } from '@jest/globals';
import type { Proxier, ReportedObjects, Service } from '@kube-proxier/core';
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

  describe('the objects for a recording', () => {
    const service = makeService('work/web');
    const other = makeService('work/other');
    const identity = { namespace: 'work', name: 'web' };
    const recorded = () => {
      const proxier = new Recorder();
      return new SourceHub(proxier, { bindAddress: '', isRecorded: true, logger: new RecordingLogger() });
    };

    test('are those of the only source, where it can list them', () => {
      const hub = recorded();
      const objects: ReportedObjects = { all: () => [service], get: () => service };
      hub.handler({ description: 'a source', objects }).onServiceUpdate(undefined, other);
      expect([...hub.objects.all('Services')]).toEqual([service]);
      expect(hub.objects.get('Services', identity)).toBe(service);
    });

    test('are kept where the only source cannot list them', () => {
      const hub = recorded();
      const source = hub.handler();
      source.onServiceUpdate(undefined, service);
      source.onServiceUpdate(undefined, other);
      const before = hub.objects.all('Services');
      source.onServiceUpdate(other, undefined);
      expect([...before]).toEqual([service, other]);
      expect([...hub.objects.all('Services')]).toEqual([service]);
      expect(hub.objects.get('Services', identity)).toBe(service);
      expect(hub.objects.get('EndpointSlices', identity)).toBeUndefined();
      expect([...hub.objects.all('EndpointSlices')]).toEqual([]);
    });

    test('are merged where several sources have them', () => {
      const hub = recorded();
      const objects: ReportedObjects = { all: () => [other], get: () => other };
      const [first, second] = [hub.handler({ description: 'first', objects }), hub.handler()];
      const changed = makeService('work/web', { ports: [{ port: 90 }] });
      second.onServiceUpdate(undefined, changed);
      first.onServiceUpdate(undefined, service);
      second.onServiceUpdate(undefined, other);
      expect([...hub.objects.all('Services')]).toEqual([service, other]);
      first.onServiceUpdate(service, undefined);
      expect(hub.objects.get('Services', identity)).toBe(changed);
    });

    test('are not kept without a recording', () => {
      const hub = new SourceHub(new Recorder(), { bindAddress: '', isRecorded: false, logger: new RecordingLogger() });
      hub.handler().onServiceUpdate(undefined, service);
      expect([...hub.objects.all('Services')]).toEqual([]);
    });
  });

  test('tolerates a proxier that throws, and delivers nothing when closed', () => {
    const { proxier, hub, first } = setUp();
    first.onEndpointsUpdate(undefined, {});
    hub.close();
    first.onServiceUpdate(undefined, makeService('work/web'));
    expect(proxier.services.size).toBe(0);
  });
});
