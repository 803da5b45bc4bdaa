import 'reflect-metadata';

export { CleanupError, cleanupBackends } from './cleanup-backends.js';
export { combineObservers } from './combine-observers.js';
export { ConntrackCleaner } from './conntrack-cleaner.js';
export { type HostNetwork, thisHost } from './host-network.js';
export { type NodeAddresses, resolveNodeAddresses } from './node-addresses.js';
export { resolveNodeName } from './node-name.js';
export { ProxyServer, type ProxyServerInfo, type ProxyServerOptions } from './proxy-server.js';
export { mayLeaveStaleFlows, staleFlows, type TrackedFlow } from './stale-flows.js';
export { StatusServer, type StatusServerOptions } from './status-server.js';
