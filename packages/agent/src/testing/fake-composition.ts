import { type BackendModule, type IPFamily, type ProbeResult, ReconcilingProxier, Tokens } from '@kube-proxier/core';
import { FakeDataplane } from '@kube-proxier/core/testing';
import type { KernelFiles } from '@kube-proxier/linux';
import { FakeSysctl } from '@kube-proxier/linux/testing';
import { ContainerModule } from 'inversify';
import type { Composition } from '../compose.js';
import { createSources } from '../create-sources.js';

/** A backend whose kernel is a map. */
export class MapBackend implements BackendModule {
  readonly description = 'A map in place of the kernel';
  readonly dataplanes = new Map<IPFamily, FakeDataplane>();
  readonly #watchers = new Set<(what: string) => void>();
  /** How often it was prepared. */
  prepared = 0;
  readonly module = new ContainerModule(({ bind }) => {
    bind(Tokens.ProxierFactory).toConstantValue((context) => {
      const dataplane = Object.assign(new FakeDataplane(), {
        watch: (onDrift: (what: string) => void, signal: AbortSignal) => {
          this.#watchers.add(onDrift);
          return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        },
      });
      this.dataplanes.set(context.family, dataplane);
      return new ReconcilingProxier({ mode: this.mode, context, dataplane });
    });
    bind(Tokens.Cleanup).toConstantValue(async () => {});
    bind(Tokens.Leftovers).toConstantValue(async () => []);
  });

  constructor(
    readonly mode: string,
    private readonly result: ProbeResult = { usable: true },
  ) {}

  async probe(): Promise<ProbeResult> {
    return this.result;
  }

  /** Removes everything, as another program would, and reports the drift. */
  flush(): void {
    for (const dataplane of this.dataplanes.values()) {
      dataplane.flush();
    }
    for (const notice of this.#watchers) {
      notice('everything is gone');
    }
  }

  async prepare(): Promise<void> {
    this.prepared += 1;
  }
}

/** Kernel files in memory; others do not exist. */
export class FakeFiles implements KernelFiles {
  readonly contents: Map<string, string>;
  /** Paths that are read-only. */
  readonly readOnly = new Set<string>();

  constructor(contents: Readonly<Record<string, string>> = {}) {
    this.contents = new Map(Object.entries(contents));
  }

  async read(path: string): Promise<string> {
    const text = this.contents.get(path);
    if (text === undefined) {
      throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' });
    }
    return text;
  }

  async write(path: string, text: string): Promise<void> {
    if (this.readOnly.has(path)) {
      throw Object.assign(new Error(`EACCES: permission denied, open '${path}'`), { code: 'EACCES' });
    }
    this.contents.set(path, text);
  }
}

/** The parts of an agent that does not change the host. */
export function fakeComposition(
  rest: Partial<Composition> = {},
): Composition & { readonly backend: MapBackend; readonly sysctl: FakeSysctl; readonly files: FakeFiles } {
  const backend = new MapBackend('iptables');
  const ipvs = new MapBackend('ipvs', { usable: false, reason: 'the kernel has no ip_vs' });
  const sysctl = new FakeSysctl({
    'net/netfilter/nf_conntrack_max': 65_536,
    'net/netfilter/nf_conntrack_tcp_timeout_established': 432_000,
    'net/netfilter/nf_conntrack_tcp_timeout_close_wait': 60,
    'net/netfilter/nf_conntrack_udp_timeout': 30,
  });
  const files = new FakeFiles({ '/proc/self/oom_score_adj': '0\n' });
  return {
    backends: [backend, ipvs],
    sources: createSources,
    host: { sysctl, files, cpus: 4 },
    ...rest,
    ...{ backend, sysctl, files },
  };
}
