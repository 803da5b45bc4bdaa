import { messageOf } from '@kube-proxier/core';
import { LibcTcpConnects, type TcpConnects } from '@kube-proxier/linux';
import type { HealthProbe, HealthProbes, ProbeTarget } from './health-probe.js';
import { httpProbe } from './http-probe.js';
import { scriptProbe } from './script-probe.js';
import { tcpProbe } from './tcp-probe.js';

/** The {@link HealthProbes} of this host. */
export class HostProbes implements HealthProbes {
  #connects: TcpConnects | undefined;
  #isStopped = false;

  /** @param scriptDirectory absolute; undefined: scripts cannot be run. */
  constructor(private readonly scriptDirectory: string | undefined) {}

  create(target: ProbeTarget): HealthProbe {
    const { probe } = target.settings;
    switch (probe.kind) {
      case 'tcp':
        return this.#tcp(target);
      case 'http':
      case 'https':
        return httpProbe(target, probe);
      case 'script':
        return this.scriptDirectory === undefined
          ? cannotBeMade('no directory of scripts is configured')
          : scriptProbe(target, this.scriptDirectory, probe.name);
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#connects?.close();
  }

  /** The C library is loaded with the first attempt. */
  #tcp(target: ProbeTarget): HealthProbe {
    let probe: HealthProbe | undefined;
    return (callback) => {
      if (this.#connects) {
        probe ??= tcpProbe(target, this.#connects);
        probe(callback);
        return;
      }
      LibcTcpConnects.load().then(
        (loaded) => {
          if (this.#isStopped) {
            loaded.close();
            return;
          }
          this.#connects ??= loaded;
          if (this.#connects !== loaded) {
            loaded.close();
          }
          probe ??= tcpProbe(target, this.#connects);
          probe(callback);
        },
        (error: unknown) => callback({ outcome: 'error', reason: messageOf(error), milliseconds: 0 }),
      );
    };
  }
}

function cannotBeMade(reason: string): HealthProbe {
  return (callback) => {
    queueMicrotask(() => callback({ outcome: 'error', reason, milliseconds: 0 }));
  };
}
