import 'reflect-metadata';
import { type BackendModule, type Logger, type Source, systemClock } from '@kube-proxier/core';
import { createIptablesBackend } from '@kube-proxier/iptables';
import { createNftablesBackend } from '@kube-proxier/nftables';
import { ProxyMetrics, ProxyServer, type ProxyServerOptions } from '@kube-proxier/server';
import { ManifestSource } from '@kube-proxier/source-manifests';
import { Container, type ServiceIdentifier } from 'inversify';
import { Registry } from 'prom-client';
import { ServiceInventory } from './service-inventory.js';
import { SyncJournal } from './sync-journal.js';
import { createAgentLog, ProxyLog } from './winston-logger.js';

function token<T>(name: string): ServiceIdentifier<T> {
  return Symbol.for(`node-agent/${name}`) as ServiceIdentifier<T>;
}

/** Tokens of the parts of the agent. A test or another agent can bind other parts. */
export const AgentTokens = {
  Options: token<AgentOptions>('Options'),
  Logger: token<Logger>('Logger'),
  Registry: token<Registry>('Registry'),
  Backend: token<BackendModule>('Backend'),
  Source: token<Source>('Source'),
  ProxyServer: token<ProxyServer>('ProxyServer'),
} as const;

export interface AgentOptions {
  /** `nftables` or `iptables`, which is also the fallback on a host without nftables. */
  readonly mode: string;
  /** Directory of manifests. */
  readonly manifests: string;
  readonly nodeName: string;
  /** Port of 127.0.0.1 for /metrics, /proxyMode and /debug/state. */
  readonly statusPort: number;
  /** Writes a log line. */
  readonly write: (line: string) => void;
}

export function createContainer(options: AgentOptions): Container {
  const container = new Container({ defaultScope: 'Singleton' });
  container.bind(AgentTokens.Options).toConstantValue(options);
  container.bind(AgentTokens.Logger).toConstantValue(new ProxyLog(createAgentLog(options.write)));
  container.bind(AgentTokens.Registry).toConstantValue(new Registry());
  container.bind(AgentTokens.Backend).toConstantValue(createNftablesBackend());
  container.bind(AgentTokens.Backend).toConstantValue(createIptablesBackend());
  container
    .bind(AgentTokens.Source)
    .toResolvedValue((logger) => new ManifestSource({ path: options.manifests, logger }), [AgentTokens.Logger]);
  container
    .bind(AgentTokens.ProxyServer)
    .toResolvedValue(
      (logger, registry) => new ProxyServer(proxyOptions(container, logger, registry)),
      [AgentTokens.Logger, AgentTokens.Registry],
    );
  return container;
}

function proxyOptions(container: Container, logger: Logger, registry: Registry): ProxyServerOptions {
  const { mode, nodeName, statusPort } = container.get(AgentTokens.Options);
  return {
    backends: container.getAll(AgentTokens.Backend),
    sources: container.getAll(AgentTokens.Source),
    mode,
    proxier: { nodeName },
    logger,
    clock: systemClock,
    metrics: new ProxyMetrics({ registry }),
    statusAddress: { host: '127.0.0.1', port: statusPort },
    handlers: [new ServiceInventory(registry)],
    observer: new SyncJournal(logger),
  };
}
