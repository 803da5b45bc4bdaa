/** Descriptor limits of the ports of a server. */
export interface DescriptorShares {
  /** Listening sockets of health check node ports of Services. */
  readonly healthCheckSockets: number;
  /** Connections to all health check node ports together. */
  readonly healthCheckConnections: ConnectionShare;
  /** Connections to each of the other ports: health, status, metrics. */
  readonly connections: ConnectionShare;
}

/** Maximum concurrent connections, of remote clients and of the node itself. */
export interface ConnectionShare {
  readonly foreign: number;
  readonly own: number;
}

/**
 * Divides the descriptors of this process so that its ports stay responsive and tools can run, regardless of the number
 * of health check node ports and clients. Half is for health check node ports, at least a quarter for files, tools and
 * the API server. With a high limit, the shares are the needs of clients. Pure.
 *
 * @param limit of open files; Infinity for no limit.
 * @param proxiesInProcess the mode proxies through own sockets, and leaves a quarter to the server.
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
