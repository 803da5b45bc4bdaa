/** How many descriptors the ports of a server may take. */
export interface DescriptorShares {
  /** Listening sockets of health check node ports of Services. */
  readonly healthCheckSockets: number;
  /** Connections to all health check node ports together. */
  readonly healthCheckConnections: ConnectionShare;
  /** Connections to each of the other ports: health, status, metrics. */
  readonly connections: ConnectionShare;
}

/** Connections at the same time, of clients elsewhere and of the node itself. */
export interface ConnectionShare {
  readonly foreign: number;
  readonly own: number;
}

/**
 * Divides the descriptors of this process so that its ports are answered, and tools can be run, however many Services have a health
 * check node port and however many clients connect. Half is for health check node ports, a quarter or more for files, tools,
 * the API server. Where the limit is high, the shares are what clients need. Pure.
 *
 * @param limit of open files; Infinity for no limit.
 * @param proxiesInProcess the mode has its own sockets: it leaves a quarter to the server.
 */
export function descriptorShares(limit: number, proxiesInProcess = false): DescriptorShares {
  const available = proxiesInProcess ? limit / 4 : limit;
  const part = (divisor: number, most: number) => Math.min(most, Math.max(8, Math.floor(available / divisor)));
  const healthCheckConnections = { foreign: part(8, 4096), own: part(32, 512) };
  const { foreign, own } = healthCheckConnections;
  return {
    healthCheckSockets: Math.max(0, Math.floor(available / 2) - foreign - own),
    healthCheckConnections,
    connections: { foreign: part(16, 256), own: part(32, 64) },
  };
}
