/**
 * `spec <id>` in comments refers to a rule of docs/behaviour in the repository of this package.
 *
 * @packageDocumentation
 */

export { runCommand } from './agent.js';
export type { AgentEnvironment } from './agent-environment.js';
export { type Composition, compose } from './compose.js';
export { type ConfiguredIptablesOptions, createConfiguredIptablesBackend } from './configured-iptables.js';
export { type ConfiguredIpvsOptions, createConfiguredIpvsBackend } from './configured-ipvs.js';
export { type ConfiguredNftablesOptions, createConfiguredNftablesBackend } from './configured-nftables.js';
export type { AgentSettings, KubernetesSettings, LoggingSettings } from './flags/agent-settings.js';
export { type AgentCommand, type CommandLine, parseCommandLine } from './flags/command-line.js';
export { FLAGS, type FlagName } from './flags/flag.js';
export type { Flag, FlagGroup, FlagType } from './flags/flag-definition.js';
export { helpText } from './flags/help-text.js';
export { CommandLineError, readSettings } from './flags/settings.js';
export {
  type AdjustableLogger,
  createStreamLogger,
  type LoggingFormat,
  type StreamLoggerOptions,
} from './logging/stream-logger.js';
export { VERSION } from './version.js';
export type { LocalhostNodePortSetting } from './with-localhost-node-ports.js';
