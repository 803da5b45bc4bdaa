// Processes, conntrack, sysctl, network, ipvs.
export * from './conntrack/conntrack.js';
export * from './conntrack/conntrack-text.js';
export * from './conntrack/conntrack-tool.js';
export * from './ipvs/probe-ipvs.js';
export { type LocalNetwork, ProcLocalNetwork } from './network/local-network.js';
export * from './network/supports-ipv6.js';
export * from './process/find-tool.js';
export * from './process/kernel-files.js';
export * from './process/run-command.js';
export { ProcSysctl, type Sysctl, SysctlError, type SysctlErrorCode } from './sysctl/sysctl.js';
