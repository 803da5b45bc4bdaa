import { type DriftRepair, type HealthCheckNodePort, type ModeSelection, messageOf } from '@kube-proxier/core';
import { ListenError, type ServerObserver } from '@kube-proxier/server';
import type { EventRecorder } from '@kube-proxier/source-kubernetes';
import { VERSION } from '../version.js';

/** Receiver of Kubernetes events. */
export type EventSink = Pick<EventRecorder, 'record' | 'stop'>;

/** Records Kubernetes events about this node. */
export class NodeEvents implements ServerObserver {
  constructor(
    private readonly sink: EventSink,
    private readonly nodeName: string,
  ) {}

  modeSelected({ mode, requested, reason, defaulted, backend: { deprecation } }: ModeSelection): void {
    if (deprecation !== undefined) {
      this.#record('Warning', `${mode.toUpperCase()}Deprecation`, 'StartKubeProxy', `${deprecation}.`);
    }
    if (reason !== undefined) {
      const note = `This node cannot run proxy mode ${requested}: ${reason}. It runs ${mode} instead.`;
      this.#record('Warning', 'ProxyModeFallback', 'SelectProxyMode', note);
      return;
    }
    const why = defaulted ? ', the default' : '';
    this.#record(
      'Normal',
      'Starting',
      'StartKubeProxy',
      `kube-proxier ${VERSION} is starting in proxy mode ${mode}${why}.`,
    );
  }

  repaired({ family, what }: DriftRepair): void {
    this.#record('Warning', 'DriftRepaired', 'Repair', `${family} rules drifted and are being reconciled: ${what}.`);
  }

  serviceHealthFailed({ namespace, name, port }: HealthCheckNodePort, error: unknown): void {
    this.sink.record({
      type: 'Warning',
      reason: 'FailedToStartServiceHealthcheck',
      action: 'Listen',
      note: `Node ${this.nodeName} failed to start healthcheck "${namespace}/${name}" on port ${port}: ${messageOf(error)}`,
      regarding: { apiVersion: 'v1', kind: 'Service', namespace, name },
    });
  }

  /** Records problems of the configuration. */
  configurationProblems(problems: readonly string[]): void {
    if (problems.length > 0) {
      this.#record('Warning', 'ConfigurationProblem', 'ReadConfiguration', problems.join('\n'));
    }
  }

  /** Records why the agent fails. */
  failed(error: unknown): void {
    if (error instanceof ListenError) {
      const reason = error.server === 'health server' ? 'FailedToStartProxierHealthcheck' : 'FailedToStartMetricServer';
      this.#record('Warning', reason, 'StartKubeProxy', messageOf(error));
    }
  }

  #record(type: 'Normal' | 'Warning', reason: string, action: string, note: string): void {
    const regarding = { apiVersion: 'v1', kind: 'Node', name: this.nodeName };
    this.sink.record({ type, reason, action, note, regarding });
  }
}
