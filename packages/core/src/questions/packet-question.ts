import { ProxierError } from '../contract/proxier-error.js';
import { parseAddress } from '../model/address.js';
import type { FrontendKind } from '../model/frontend.js';
import type { Protocol } from '../model/service-port-name.js';
import { printable } from '../text/printable.js';

/** The sender of a packet, as asked: an address or a name. */
export type ClientReference =
  | { readonly kind: 'address'; readonly address: string }
  /** A pod that is an endpoint of a Service. */
  | { readonly kind: 'pod'; readonly namespace: string; readonly name: string }
  /** A process on the node itself. */
  | { readonly kind: 'node' }
  /** A client outside the cluster. */
  | { readonly kind: 'outside' };

/** The destination of a packet, as asked. */
export type DestinationReference =
  | { readonly kind: 'address'; readonly address: string; readonly port: number; readonly protocol: Protocol }
  | {
      readonly kind: 'service';
      readonly namespace: string;
      readonly name: string;
      /** Name of a port, or its number; undefined for all ports. */
      readonly port: string | undefined;
      /** Undefined for any. */
      readonly protocol: Protocol | undefined;
    };

/** A question to `kube-proxier explain`. */
export interface PacketQuestion {
  /** Undefined: every kind of client. Only with a Service as the destination. */
  readonly client: ClientReference | undefined;
  readonly destination: DestinationReference;
  /** Of a Service: only frontends of this kind. Default: those that clients of this kind use. */
  readonly via?: FrontendKind;
}

/** A question cannot be answered: it is invalid, or names an unknown object. */
export class QuestionError extends ProxierError {
  constructor(message: string, code: 'INVALID_QUESTION' | 'NOT_FOUND' = 'INVALID_QUESTION') {
    super(code, message);
  }
}

/** The text of a question: the operands and flags of `kube-proxier explain`, the parameters of `/debug/explain`. */
export interface QuestionText {
  /** Absent or empty: every kind of client. */
  readonly source?: string;
  readonly destination: string;
  /** Namespace of names without one. Default `default`. */
  readonly namespace?: string;
  /** A value of `VIA_NAMES`. Default: the frontends that the clients use. */
  readonly via?: string;
}

/** Values of `--via`, with the kind of frontend that each selects. */
export const VIA_NAMES: Readonly<Record<string, FrontendKind>> = {
  'cluster-ip': 'ClusterIP',
  'external-ip': 'ExternalIP',
  'load-balancer': 'LoadBalancerIP',
  'node-port': 'NodePort',
};

const ADDRESS_AND_PORT = /^(?:\[([^\]]+)\]|([^:/]+)):(\d{1,5})(?:\/([a-z]+))?$/i;
const SERVICE = /^(?:svc|service|services)\/(?:([^/:]+)\/)?([^/:]+)(?::([^/:]+))?(?:\/([a-z]+))?$/i;
const POD = /^(?:pod|pods|po)\/(?:([^/]+)\/)?([^/]+)$/i;
const PROTOCOLS: readonly Protocol[] = ['TCP', 'UDP', 'SCTP'];
const SERVICE_FORM = 'svc/checkout, svc/checkout:http, svc/shop/checkout:80/udp';

/**
 * Reads a question. Clients: `10.244.0.5`, `pod/web-1`, `pod/shop/web-1`, `node`, `outside` (or `external`).
 * Destinations: `10.96.0.10:80`, `[fd00::10]:53/udp`, `svc/checkout`, `svc/checkout:http`, `svc/shop/checkout:80/udp`.
 *
 * @throws QuestionError `INVALID_QUESTION` naming the invalid part and the expected format.
 */
export function readPacketQuestion({ source, destination, namespace = 'default', via }: QuestionText): PacketQuestion {
  const client = source === undefined || source === '' ? undefined : readClient(source, namespace);
  const to = readDestination(destination, namespace);
  if (to.kind === 'address') {
    if (client === undefined) {
      throw new QuestionError(
        `the destination ${printable(destination)} needs a source, as in: explain 10.244.0.5 ${printable(destination)}; ` +
          'a question without one names a Service, as in: explain svc/checkout',
      );
    }
    if (via !== undefined) {
      throw new QuestionError(`--via needs a Service as the destination, as in ${SERVICE_FORM}`);
    }
    if (client.kind === 'address') {
      checkFamilies(client.address, to.address);
    }
    return { client, destination: to };
  }
  if (via === undefined) {
    return { client, destination: to };
  }
  const kind = VIA_NAMES[via];
  if (kind === undefined) {
    throw new QuestionError(`--via: "${printable(via)}" must be one of ${Object.keys(VIA_NAMES).join(', ')}`);
  }
  return { client, destination: to, via: kind };
}

function checkFamilies(source: string, destination: string): void {
  if (source.includes(':') !== destination.includes(':')) {
    throw new QuestionError(
      `${source} and ${destination} are of different IP families; a packet has addresses of one IP family`,
    );
  }
}

function readClient(text: string, namespace: string): ClientReference {
  const address = parseAddress(text);
  if (address) {
    return { kind: 'address', address: address.text };
  }
  const pod = POD.exec(text);
  if (pod) {
    return { kind: 'pod', namespace: pod[1] ?? namespace, name: pod[2] ?? '' };
  }
  switch (text) {
    case 'node':
      return { kind: 'node' };
    case 'outside':
    case 'external':
      return { kind: 'outside' };
    default:
      throw new QuestionError(
        `source "${printable(text)}" is not an IP address; use one, pod/<name>, pod/<namespace>/<name>, node or outside`,
      );
  }
}

function readDestination(text: string, namespace: string): DestinationReference {
  const service = SERVICE.exec(text);
  if (service) {
    const [, own, name = '', port, protocol] = service;
    return {
      kind: 'service',
      namespace: own ?? namespace,
      name,
      port,
      protocol: protocol === undefined ? undefined : readProtocol(protocol),
    };
  }
  const match = ADDRESS_AND_PORT.exec(text);
  const to = parseAddress(match?.[1] ?? match?.[2]);
  if (!match || !to) {
    throw new QuestionError(
      `destination "${printable(text)}" must be an IP address and a port, as in 10.96.0.10:80, [fd00::10]:80 or ` +
        `10.96.0.10:53/udp, or a Service, as in ${SERVICE_FORM}`,
    );
  }
  const port = Number(match[3]);
  if (port < 1 || port > 65_535) {
    throw new QuestionError(`port ${match[3]} is not a port (1 to 65535)`);
  }
  return { kind: 'address', address: to.text, port, protocol: readProtocol(match[4] ?? 'TCP') };
}

function readProtocol(text: string): Protocol {
  const protocol = PROTOCOLS.find((known) => known === text.toUpperCase());
  if (protocol === undefined) {
    throw new QuestionError(`protocol "${printable(text)}" is not one of tcp, udp, sctp`);
  }
  return protocol;
}
