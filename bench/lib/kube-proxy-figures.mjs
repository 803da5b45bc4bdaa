/**
 * kube-proxy 1.36.2 as it was measured once, on another machine of this kind (2 processors, Linux 6.18), with a real API server
 * and etcd; the middle where several runs differed. Services of 2 endpoints, and of 10 where there are 1,000. Milliseconds and MB.
 */
export const KUBE_PROXY = {
  name: 'kube-proxy 1.36.2',
  /** @type {Readonly<Record<string, Readonly<Record<string, readonly (readonly [services: number, value: number])[]>>>>} */
  plots: {
    load: {
      nftables: [
        [1000, 1000],
        [5000, 3950],
        [10_000, 16_000],
      ],
      'iptables-nft': [
        [1000, 9650],
        [5000, 14_500],
        [10_000, 56_500],
      ],
      'iptables-legacy': [
        [1000, 900],
        [5000, 2050],
        [10_000, 2100],
      ],
    },
    change: {
      nftables: [
        [1000, 203],
        [5000, 1475],
        [10_000, 3500],
      ],
      'iptables-nft': [
        [1000, 125],
        [5000, 410],
        [10_000, 1250],
      ],
      'iptables-legacy': [
        [1000, 137],
        [5000, 275],
        [10_000, 623],
      ],
    },
    lag: {
      nftables: [
        [1000, 400],
        [5000, 3800],
        [10_000, 7000],
      ],
      'iptables-nft': [
        [1000, 220],
        [5000, 800],
        [10_000, 2600],
      ],
    },
    memory: {
      nftables: [
        [1000, 83],
        [5000, 123],
        [10_000, 185],
      ],
      'iptables-nft': [
        [1000, 90],
        [5000, 122],
        [10_000, 189],
      ],
      'iptables-legacy': [
        [1000, 87],
        [5000, 122],
        [10_000, 185],
      ],
    },
  },
};
