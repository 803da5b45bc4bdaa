/** What a backend needs of the host that it runs on. `kube-proxier doctor` checks it. */
export interface HostRequirements {
  /** Names of the programs that it runs. Default none. */
  readonly tools?: readonly string[];
  /** The capability NET_ADMIN: `optional` when it serves less without it. Default `required`. */
  readonly netAdmin?: 'required' | 'optional';
  /** It sets the sysctl `route_localnet` to serve NodePorts on 127.0.0.1. Default false. */
  readonly routesLocalnet?: boolean;
  /**
   * Packets of Services that traverse the hook `forward` and that the filters of other programs there must accept: all, those that
   * keep their source address (the backend accepts the masqueraded ones), or none. Default `all`.
   */
  readonly forwards?: 'all' | 'source-kept' | 'none';
}
