import type { IPFamily } from '../model/address.js';
import { printableValue } from '../text/printable.js';
import type { ServiceDefinition, ServiceFamilyDefinition, ServicePortDefinition } from './definitions.js';
import { FieldReader } from './field-reader.js';
import type { ReadResult } from './object-problem.js';
import { SERVICE_PROXY_NAME_LABEL } from './objects.js';
import { readAnnotations } from './read-annotations.js';
import { readPortRanges } from './read-port-ranges.js';
import { readSlowStart, readWeightRules } from './read-weights.js';
import { readWhenEndpointGoes } from './read-when-endpoint-goes.js';
import { isRecord } from './unknown-record.js';

const FAMILIES: readonly IPFamily[] = ['IPv4', 'IPv6'];
/** `sessionAffinityConfig.clientIP.timeoutSeconds` when the object omits it: the default of the API. */
export const DEFAULT_AFFINITY_SECONDS = 10_800;
const MAX_AFFINITY_SECONDS = 86_400;

type MutableByFamily<T> = Record<IPFamily, T[]>;
type ByFamily<T> = Readonly<Record<IPFamily, readonly T[]>>;

/** Most Services have no such addresses, and share this value. */
const NONE: readonly string[] = [];
const NONE_OF_BOTH: ByFamily<string> = { IPv4: NONE, IPv6: NONE };
const ALL_SOURCES: Record<IPFamily, undefined> = { IPv4: undefined, IPv6: undefined };

/** Which fields of a Service are read. */
export interface ServiceReadOptions {
  /** External IPs are served (gate AllowServiceExternalIPs). Default true. */
  readonly serviceExternalIPs?: boolean;
}

/**
 * Reads and validates a Service (spec K-10…K-27). Never throws, on any input.
 *
 * A malformed port, address or range is omitted and reported; the rest of the Service is used. A Service whose cluster
 * IPs cannot be parsed is malformed as a whole.
 */
export function readService(object: unknown, options: ServiceReadOptions = {}): ReadResult<ServiceDefinition> {
  const reader = new FieldReader('Service');
  const identity = reader.readIdentity(object, true);
  const result = (definition?: ServiceDefinition, skipped?: string): ReadResult<ServiceDefinition> => ({
    identity,
    definition,
    skipped,
    problems: reader.finish(),
  });
  if (!identity || !isRecord(object) || !isRecord(object.metadata)) {
    return result();
  }
  const { metadata } = object;
  const labels = reader.record(metadata.labels, 'metadata.labels') ?? {};
  if (Object.hasOwn(labels, SERVICE_PROXY_NAME_LABEL)) {
    return result(undefined, `it is left to another proxy by the label ${SERVICE_PROXY_NAME_LABEL}`);
  }
  const spec = object.spec;
  if (!isRecord(spec)) {
    reader.ignoreObject('spec', 'is missing');
    return result();
  }
  const type = reader.oneOf(
    spec.type,
    ['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'],
    'ClusterIP',
    'spec.type',
  );
  if (type === 'ExternalName') {
    return result(undefined, 'its type is ExternalName');
  }
  if (spec.clusterIP === 'None') {
    return result(undefined, 'it is headless (clusterIP: None)');
  }
  if (!spec.clusterIP && reader.list(spec.clusterIPs, 'spec.clusterIPs').length === 0) {
    return result(undefined, 'it has no cluster IP');
  }
  const clusterIPs = readClusterIPs(reader, spec);
  if (!clusterIPs) {
    return result();
  }

  const served = options.serviceExternalIPs ?? true;
  const externalIPs = readAddresses(reader, served ? spec.externalIPs : undefined, 'spec.externalIPs');
  const vips = readLoadBalancerVIPs(reader, object.status);
  const ranges = readSourceRanges(reader, spec.loadBalancerSourceRanges);
  const families: Partial<Record<IPFamily, ServiceFamilyDefinition>> = {};
  for (const family of FAMILIES) {
    const clusterIP = clusterIPs[family];
    if (clusterIP !== undefined) {
      families[family] = {
        clusterIP,
        externalIPs: externalIPs[family],
        loadBalancerVIPs: vips[family],
        loadBalancerSourceRanges: ranges[family],
      };
    }
  }
  const annotations = readAnnotations(reader, reader.record(metadata.annotations, 'metadata.annotations'));
  const ports = readPortRanges(reader, annotations, readPorts(reader, spec.ports));
  const externallyAccessible = type !== 'ClusterIP' || externalIPs.IPv4.length + externalIPs.IPv6.length > 0;
  const externalTrafficPolicy = reader.oneOf(
    spec.externalTrafficPolicy,
    ['Cluster', 'Local'],
    'Cluster',
    'spec.externalTrafficPolicy',
  );
  const external = externallyAccessible && externalTrafficPolicy === 'Local' ? 'Local' : 'Cluster';
  const healthCheckNodePort = reader.port(spec.healthCheckNodePort, 'spec.healthCheckNodePort');
  if (type === 'LoadBalancer' && external === 'Local' && healthCheckNodePort === 0) {
    reader.ignoreField(
      'spec.healthCheckNodePort',
      'is missing; a LoadBalancer with externalTrafficPolicy Local needs one for its health checks',
    );
  }
  // Not a spread: V8 would create a separate hidden class for each object that is spread from another and extended.
  return result({
    namespace: identity.namespace,
    name: identity.name,
    createdAt: reader.time(metadata.creationTimestamp) ?? 0,
    ports,
    families,
    externalTrafficPolicy: external,
    internalTrafficPolicy: reader.oneOf(
      spec.internalTrafficPolicy,
      ['Cluster', 'Local'],
      'Cluster',
      'spec.internalTrafficPolicy',
    ),
    affinitySeconds: readAffinity(reader, spec),
    healthCheckNodePort: type === 'LoadBalancer' && external === 'Local' ? healthCheckNodePort : 0,
    annotations,
    endpointWeights: readWeightRules(reader, annotations),
    slowStartSeconds: readSlowStart(reader, annotations),
    whenEndpointGoes: readWhenEndpointGoes(reader, annotations),
  });
}

/**
 * Cluster IPs by family (spec K-12): by `ipFamilies` where present, otherwise by the family of each address. Undefined,
 * and recorded, when one of them is not an address.
 */
function readClusterIPs(
  reader: FieldReader,
  spec: Readonly<Record<string, unknown>>,
): Partial<Record<IPFamily, string>> | undefined {
  const listed = reader.list(spec.clusterIPs, 'spec.clusterIPs');
  const texts = listed.length > 0 ? listed : [spec.clusterIP];
  const path = (index: number) => (listed.length > 0 ? `spec.clusterIPs[${index}]` : 'spec.clusterIP');
  const found: Partial<Record<IPFamily, string>> = {};
  const declared = reader.list(spec.ipFamilies, 'spec.ipFamilies');
  for (let index = 0; index < texts.length; index += 1) {
    const address = reader.address(texts[index], path(index));
    if (!address) {
      reader.ignoreObject(path(index), 'without its cluster IP the Service cannot be programmed');
      return undefined;
    }
    if (declared.length > 0 && declared[index] !== address.family) {
      const entry = declared[index] === undefined ? 'has no entry for it' : `has ${printableValue(declared[index])}`;
      reader.ignoreField(path(index), `${address.text} is an ${address.family} address, but spec.ipFamilies ${entry}`);
      continue;
    }
    found[address.family] ??= address.text;
  }
  return found;
}

function readAddresses(reader: FieldReader, value: unknown, field: string): ByFamily<string> {
  const list = reader.list(value, field);
  if (list.length === 0) {
    return NONE_OF_BOTH;
  }
  const found: MutableByFamily<string> = { IPv4: [], IPv6: [] };
  for (const [index, text] of list.entries()) {
    if (typeof text === 'string' && text.trim() === '') {
      continue;
    }
    const address = reader.address(text, `${field}[${index}]`);
    if (address && !found[address.family].includes(address.text)) {
      found[address.family].push(address.text);
    }
  }
  return sorted(found);
}

/** The order of addresses has no meaning, so it must not count as a change. */
function sorted({ IPv4, IPv6 }: MutableByFamily<string>): ByFamily<string> {
  return { IPv4: IPv4.length === 0 ? NONE : IPv4.sort(), IPv6: IPv6.length === 0 ? NONE : IPv6.sort() };
}

function readLoadBalancerVIPs(reader: FieldReader, status: unknown): ByFamily<string> {
  const loadBalancer = reader.record(reader.record(status, 'status')?.loadBalancer, 'status.loadBalancer');
  const ingress = reader.list(loadBalancer?.ingress, 'status.loadBalancer.ingress');
  if (ingress.length === 0) {
    return NONE_OF_BOTH;
  }
  const found: MutableByFamily<string> = { IPv4: [], IPv6: [] };
  for (const [index, entry] of ingress.entries()) {
    const field = `status.loadBalancer.ingress[${index}]`;
    const record = reader.record(entry, field);
    if (!record?.ip || reader.oneOf(record.ipMode, ['VIP', 'Proxy'], 'VIP', `${field}.ipMode`) === 'Proxy') {
      continue;
    }
    const address = reader.address(record.ip, `${field}.ip`);
    if (address && !found[address.family].includes(address.text)) {
      found[address.family].push(address.text);
    }
  }
  return sorted(found);
}

/**
 * A malformed range narrows the allowed sources and never widens them: where ranges were given and no range of a family
 * is left because of a malformed one, that family allows no source. A range of length 0 allows all sources (spec
 * F-LB-12); a family that no valid range names is open (spec F-LB-14).
 */
function readSourceRanges(reader: FieldReader, value: unknown): Record<IPFamily, readonly string[] | undefined> {
  const list = reader.list(value, 'spec.loadBalancerSourceRanges');
  if (list.length === 0) {
    return ALL_SOURCES;
  }
  const found: MutableByFamily<string> = { IPv4: [], IPv6: [] };
  const open: Record<IPFamily, boolean> = { IPv4: false, IPv6: false };
  let malformed = false;
  for (const [index, text] of list.entries()) {
    const cidr = reader.cidr(text, `spec.loadBalancerSourceRanges[${index}]`);
    if (!cidr) {
      malformed = true;
    } else if (cidr.prefixLength === 0) {
      open[cidr.family] = true;
    } else if (!found[cidr.family].includes(cidr.text)) {
      found[cidr.family].push(cidr.text);
    }
  }
  const ranges = sorted(found);
  const of = (family: IPFamily) =>
    open[family] || (ranges[family].length === 0 && !malformed) ? undefined : ranges[family];
  return { IPv4: of('IPv4'), IPv6: of('IPv6') };
}

function readPorts(reader: FieldReader, value: unknown): readonly ServicePortDefinition[] {
  const ports: ServicePortDefinition[] = [];
  const list = reader.list(value, 'spec.ports');
  // A Service usually has one port.
  const twinOf = list.length > 1 ? twinFinder(ports) : () => undefined;
  for (let index = 0; index < list.length; index += 1) {
    const entry = list[index];
    const field = `spec.ports[${index}]`;
    const record = reader.record(entry, field);
    if (!record) {
      continue;
    }
    const portName = reader.portName(record.name, `${field}.name`);
    const protocol = reader.protocol(record.protocol, `${field}.protocol`);
    if (portName === undefined || protocol === undefined) {
      continue;
    }
    const port = reader.port(record.port, `${field}.port`);
    if (port === 0) {
      if (record.port === undefined || record.port === null || record.port === 0) {
        reader.ignoreField(`${field}.port`, 'is missing');
      }
      continue;
    }
    const read: ServicePortDefinition = {
      portName,
      protocol,
      port,
      nodePort: reader.port(record.nodePort, `${field}.nodePort`),
    };
    const twin = twinOf(read);
    if (twin) {
      reader.ignoreField(field, `has the ${twin.port === port ? 'port' : 'name'} and protocol of an earlier port`);
      continue;
    }
    ports.push(read);
  }
  return ports.slice();
}

/**
 * Finds the first earlier port with the protocol and the number, or the protocol and the name, of one. Without one, remembers it as the
 * next of `ports`.
 */
function twinFinder(
  ports: readonly ServicePortDefinition[],
): (port: ServicePortDefinition) => ServicePortDefinition | undefined {
  /** Positions of ports, by protocol and port, and by protocol and name. */
  const taken = new Map<string, number>();
  return ({ protocol, port, portName }) => {
    const keys = [`${protocol} ${port}`, `${protocol} name ${portName}`] as const;
    const [ofPort = ports.length, ofName = ports.length] = keys.map((key) => taken.get(key));
    const twin = ports[Math.min(ofPort, ofName)];
    if (twin === undefined) {
      for (const key of keys) {
        taken.set(key, ports.length);
      }
    }
    return twin;
  };
}

function readAffinity(reader: FieldReader, spec: Readonly<Record<string, unknown>>): number | undefined {
  if (reader.oneOf(spec.sessionAffinity, ['None', 'ClientIP'], 'None', 'spec.sessionAffinity') === 'None') {
    return undefined;
  }
  const config = reader.record(spec.sessionAffinityConfig, 'spec.sessionAffinityConfig');
  const seconds = reader.record(config?.clientIP, 'spec.sessionAffinityConfig.clientIP')?.timeoutSeconds;
  if (seconds === undefined || seconds === null) {
    return DEFAULT_AFFINITY_SECONDS;
  }
  if (typeof seconds === 'number' && Number.isInteger(seconds) && seconds > 0 && seconds <= MAX_AFFINITY_SECONDS) {
    return seconds;
  }
  reader.ignoreField(
    'spec.sessionAffinityConfig.clientIP.timeoutSeconds',
    `${printableValue(seconds)} is not a number of seconds (1 to ${MAX_AFFINITY_SECONDS}); taken as ${DEFAULT_AFFINITY_SECONDS}`,
  );
  return DEFAULT_AFFINITY_SECONDS;
}
