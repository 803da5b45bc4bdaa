import type { AffinityClient, FormerAffinity, IPFamily } from '@kube-proxier/core';
import { type CommandRunner, readIpvsTemplates } from '@kube-proxier/linux';

type Server = readonly [address: string, port: number];

/**
 * The clients of session affinity of mode ipvs, kube-proxier's or kube-proxy's. A client may keep another endpoint for
 * each address of a Service there: the one that it keeps longest counts.
 *
 * @param runner of the network namespace to read. Default: that of this process.
 * @throws Error of the system when the connections of IPVS cannot be read.
 */
export async function readTemplateAffinity(family: IPFamily, runner?: CommandRunner): Promise<FormerAffinity> {
  const clients = new Map<string, AffinityClient[]>();
  for (const template of await readIpvsTemplates(family, runner)) {
    const { protocol, virtualAddress, virtualPort, realAddress, realPort, client, seconds } = template;
    if (seconds < 1) {
      continue;
    }
    // Any address can be one of the node's, at which a NodePort is reached.
    for (const address of [virtualAddress, '']) {
      const key = keyOf(protocol, [address, virtualPort], [realAddress, realPort]);
      const found = clients.get(key);
      if (found === undefined) {
        clients.set(key, [{ address: client, seconds }]);
      } else {
        found.push({ address: client, seconds });
      }
    }
  }
  return {
    clientsOf(port, { address, port: realPort }) {
      return clients.size === 0
        ? []
        : port.frontends.flatMap(
            (frontend) =>
              clients.get(keyOf(frontend.protocol, [frontend.address ?? '', frontend.port], [address, realPort])) ?? [],
          );
    },
  };
}

function keyOf(protocol: string, virtual: Server, real: Server): string {
  return [protocol, ...virtual, ...real].join(' ');
}
