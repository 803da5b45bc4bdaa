import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IptablesVariant } from '@kube-proxier/linux';
import { SANDBOX_NETWORK } from '@kube-proxier/network-sandbox';
import { AgentOnNode } from './agent-on-node.js';

/** NodePort of the Service `work/sticky`, with session affinity and endpoints of both families. */
export const STICKY_NODE_PORT = 31_270;
const FAMILIES = ['IPv4', 'IPv6'] as const;

/**
 * Twelve clients of each family outside the cluster, and three endpoints with session affinity: that all clients of one
 * family keep their endpoint by chance has a probability of 3^-12, 2 in a million.
 */
export class StickyClients {
  static readonly count = 12;
  readonly #addresses: Readonly<Record<'IPv4' | 'IPv6', readonly string[]>>;

  private constructor(readonly node: AgentOnNode) {
    const numbers = Array.from({ length: StickyClients.count }, (_, index) => index + 20);
    this.#addresses = {
      IPv4: numbers.map((number) => `203.0.113.${number}`),
      IPv6: numbers.map((number) => `2001:db8:203::${number}`),
    };
  }

  /** Creates the network, with the Service in the manifests, but no agent. */
  static async create(variant: IptablesVariant): Promise<StickyClients> {
    const clients = new StickyClients(await AgentOnNode.create(variant));
    await clients.#addAddresses();
    clients.#writeManifest();
    return clients;
  }

  /** Starts the agent in a mode, and waits until nothing of other modes is left. */
  async runMode(mode: string, timeout?: number): Promise<void> {
    this.node.start(mode);
    const isAlone = () => this.node.log.includes('No leftovers of other proxy modes found');
    await this.node.until(`only ${mode}`, isAlone, timeout);
  }

  /** The pod that answers each client at the NodePort. Default: clients of both families. */
  async endpoints(...families: readonly ('IPv4' | 'IPv6')[]): Promise<Readonly<Record<string, string>>> {
    const { client, node } = this.node.sandbox;
    const found: Record<string, string> = {};
    for (const family of families.length === 0 ? FAMILIES : families) {
      for (const from of this.#addresses[family]) {
        const to = node.address(family);
        const outcome = await client.connect({ to, port: STICKY_NODE_PORT, from, timeout: 10_000 });
        found[from] = outcome.kind === 'answered' ? outcome.by : outcome.kind;
      }
    }
    return found;
  }

  async #addAddresses(): Promise<void> {
    const { client, router } = this.node.sandbox;
    for (const family of FAMILIES) {
      const [length, options] = family === 'IPv4' ? ['/32', []] : ['/128', ['nodad']];
      for (const address of this.#addresses[family]) {
        await client.exec(['ip', 'address', 'add', address + length, 'dev', 'eth0', ...options]);
        const gateway = ['via', client.address(family), 'dev', 'client', 'onlink'];
        await router.exec(['ip', 'route', 'add', address + length, ...gateway]);
      }
    }
  }

  #writeManifest(): void {
    const { node, pods, remotePods } = this.node.sandbox;
    const endpoints = [...pods, ...remotePods];
    const slices = FAMILIES.map(
      (family) => `---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: sticky-${family.toLowerCase()}, namespace: work, labels: {kubernetes.io/service-name: sticky}}
addressType: ${family}
ports: [{port: 8080}]
endpoints: [${endpoints.map((pod) => `{addresses: ["${pod.address(family)}"]}`).join(', ')}]
`,
    );
    writeFileSync(
      join(this.node.directory, 'sticky.yaml'),
      `apiVersion: v1
kind: Service
metadata: {name: sticky, namespace: work}
spec:
  type: NodePort
  ipFamilyPolicy: RequireDualStack
  ipFamilies: [IPv4, IPv6]
  clusterIPs: [10.96.0.20, "fd00:10:96::20"]
  clusterIP: 10.96.0.20
  ports: [{port: 80, nodePort: ${STICKY_NODE_PORT}}]
  sessionAffinity: ClientIP
${slices.join('')}---
apiVersion: v1
kind: Node
metadata: {name: ${SANDBOX_NETWORK.nodeName}}
status: {addresses: [{type: InternalIP, address: ${node.ipv4}}]}
`,
    );
  }
}
