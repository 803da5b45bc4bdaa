import {
  type EndpointSlice,
  formatObjectProblem,
  isRecord,
  messageOf,
  type Node,
  type ObjectProblem,
  ObjectReader,
  ProxierError,
  printable,
  SERVICE_NAME_LABEL,
  type Service,
  SPLIT_SLICE,
} from '@kube-proxier/core';
import { parseAllDocuments } from 'yaml';
import { type ClusterObjects, type ListedObject, objectKey } from '../objects/cluster-objects.js';

/** A file of `-f`: its name, for messages, and its text. */
export interface ChangeFile {
  readonly name: string;
  readonly text: string;
}

/** The changed objects, and what could not be predicted. */
export interface ChangedObjects {
  readonly objects: ClusterObjects;
  /** Services that get their addresses from the API server, which is not queried: `namespace/name`. */
  readonly withoutAddress: readonly string[];
  /** Other fields that the API server assigns. */
  readonly assigned: readonly AssignedField[];
  /** In full sentences. */
  readonly notes: readonly string[];
}

/** A field that a file omits, and that the API server assigns. */
export interface AssignedField {
  /** `namespace/name`. */
  readonly service: string;
  /** As `ObjectProblem.field`. */
  readonly field: string;
  /** In words. */
  readonly what: string;
}

/** Limit of YAML aliases, against "a billion laughs". */
const MAX_ALIASES = 1000;
const READ: readonly string[] = ['Service', 'EndpointSlice', 'Node', 'ServiceCIDR'];

/**
 * Replaces objects by those of files with the same kind and name, as after `kubectl apply`: allocated fields, such as
 * cluster IPs and NodePorts, are kept unless a file sets them.
 *
 * @param namespace of objects without one.
 * @throws ProxierError `INVALID_CHANGE` when a file is not valid.
 */
export function changeObjects(
  objects: ClusterObjects,
  files: readonly ChangeFile[],
  namespace: string,
): ChangedObjects {
  const services = new Map(objects.services);
  const endpointSlices = new Map(objects.endpointSlices);
  const nodes = new Map(objects.nodes);
  let { serviceCIDRs } = objects;
  const changed = new Map<string, Service>();
  const ignored = new Map<string, number>();
  const problems: ObjectProblem[] = [];
  for (const object of files.flatMap((file) => readChange(file, namespace))) {
    const key = objectKey(object);
    switch (object.kind) {
      case 'Service': {
        const service = asAllocated(object, services.get(key));
        services.set(key, service);
        changed.set(key, service);
        break;
      }
      case 'EndpointSlice':
        for (const name of [...endpointSlices.keys()]) {
          if (name === key || name.startsWith(`${key}${SPLIT_SLICE}`)) {
            endpointSlices.delete(name);
          }
        }
        endpointSlices.set(key, object as EndpointSlice);
        break;
      case 'Node':
        nodes.set(object.metadata?.name ?? '', object as Node);
        break;
      case 'ServiceCIDR':
        serviceCIDRs = [...new Set([...serviceCIDRs, ...cidrsOf(object)])];
        problems.push(...problemsOf(object));
        break;
      default:
        ignored.set(object.kind ?? '', (ignored.get(object.kind ?? '') ?? 0) + 1);
    }
  }
  const kinds = [...ignored].map(([kind, count]) => `${count} ${printable(kind, 80)}`).join(', ');
  return {
    objects: { services, endpointSlices, nodes, serviceCIDRs },
    withoutAddress: [...changed].flatMap(([key, service]) => (needsAddress(service) ? [key] : [])),
    assigned: [...changed].flatMap(([key, service]) => assignedFields(key, service)),
    notes: [
      ...(kinds === '' ? [] : [`Ignored, as a service proxy does not read them: ${kinds}.`]),
      ...problems.map((problem) => `${formatObjectProblem(problem)}.`),
    ],
  };
}

const KINDS: Readonly<Record<string, 'services' | 'endpointSlices'>> = {
  ...{ svc: 'services', service: 'services', services: 'services' },
  ...{ endpointslice: 'endpointSlices', endpointslices: 'endpointSlices' },
};

/**
 * Removes objects, as after `kubectl delete`: with a Service, its EndpointSlices are deleted.
 *
 * @param names `svc/name`, `endpointslice/name`, each with a namespace before the name or without one.
 * @param namespace of names without one.
 * @throws ProxierError `INVALID_CHANGE` for another kind, or an object that does not exist.
 */
export function deleteObjects(objects: ClusterObjects, names: readonly string[], namespace: string): ClusterObjects {
  const left = { services: new Map(objects.services), endpointSlices: new Map(objects.endpointSlices) };
  for (const text of names) {
    const [kind = '', ...rest] = text.split('/');
    const listed = KINDS[kind.toLowerCase()];
    if (listed === undefined || rest.length < 1 || rest.length > 2 || rest.includes('')) {
      const given = printable(text, 80);
      throw new ProxierError(
        'INVALID_CHANGE',
        `--delete ${given}: not svc/[<namespace>/]<name> or endpointslice/[<namespace>/]<name>`,
      );
    }
    const key = rest.length === 2 ? rest.join('/') : `${namespace}/${rest[0]}`;
    const isDeleted = left[listed].delete(key);
    const parts = [...left.endpointSlices].filter(([name, slice]) =>
      listed === 'services' ? serviceOf(slice) === key : name.startsWith(`${key}${SPLIT_SLICE}`),
    );
    if (!isDeleted && (listed === 'services' || parts.length === 0)) {
      throw new ProxierError(
        'INVALID_CHANGE',
        `--delete ${printable(text, 80)}: there is no ${listed === 'services' ? 'Service' : 'EndpointSlice'} ` +
          `${printable(key, 80)}; kube-proxier get services -A lists the Services, and -n sets the namespace`,
      );
    }
    for (const [name] of parts) {
      left.endpointSlices.delete(name);
    }
  }
  return { ...objects, ...left };
}

function serviceOf({ metadata }: EndpointSlice): string | undefined {
  const service = metadata?.labels?.[SERVICE_NAME_LABEL];
  return service === undefined ? undefined : `${metadata?.namespace}/${service}`;
}

/** @throws ProxierError `INVALID_CHANGE` naming the file and the place. */
function readChange({ name, text }: ChangeFile, namespace: string): readonly ListedObject[] {
  const invalid = (problem: string) =>
    new ProxierError(
      'INVALID_CHANGE',
      `-f ${printable(name)}: ${printable(problem, 400)}; give Kubernetes objects as YAML or JSON`,
    );
  const documents = parseAllDocuments(text, { logLevel: 'silent' });
  const found = (Array.isArray(documents) ? documents : []).flatMap((document) => {
    const [error] = document.errors;
    if (error) {
      // An excerpt of the line follows.
      throw invalid(error.message.split('\n')[0]?.replace(/:$/, '') ?? '');
    }
    let value: unknown;
    try {
      value = document.toJS({ maxAliasCount: MAX_ALIASES });
    } catch (cause) {
      throw invalid(messageOf(cause));
    }
    return value === null || value === undefined ? [] : objectsIn(value, invalid);
  });
  if (found.length === 0) {
    throw invalid('it has no objects');
  }
  return found.map((object) => {
    const hasNamespace = object.kind === 'Service' || object.kind === 'EndpointSlice';
    if (READ.includes(object.kind ?? '') && !object.metadata?.name) {
      throw invalid(`a ${object.kind} has no metadata.name`);
    }
    const complete =
      hasNamespace && object.metadata?.namespace === undefined
        ? { ...object, metadata: { ...object.metadata, namespace } }
        : object;
    const [problem] = problemsOf(complete).filter(({ ignored }) => ignored === 'object');
    if (problem) {
      // The API server would reject it.
      throw invalid(formatObjectProblem(problem));
    }
    return complete;
  });
}

function problemsOf(object: ListedObject): readonly ObjectProblem[] {
  const reader = new ObjectReader();
  switch (object.kind) {
    case 'Service':
      return reader.readService(object).problems;
    case 'EndpointSlice':
      return reader.readEndpointSlice(object).problems;
    case 'Node':
      return reader.readNode(object).problems;
    case 'ServiceCIDR':
      return reader.readServiceCIDR(object).problems;
    default:
      return [];
  }
}

/** One object, or those of a `List` or a list of one kind. */
function objectsIn(value: unknown, invalid: (problem: string) => ProxierError): readonly ListedObject[] {
  if (!isRecord(value) || typeof value.kind !== 'string') {
    throw invalid('it has something that is not an object with a kind');
  }
  if (Array.isArray(value.items)) {
    const kind = value.kind.replace(/List$/, '');
    return value.items.flatMap((item: unknown) =>
      objectsIn(isRecord(item) && item.kind === undefined && kind !== '' ? { ...item, kind } : item, invalid),
    );
  }
  if (value.metadata !== undefined && !isRecord(value.metadata)) {
    throw invalid(`metadata of a ${value.kind} is not an object`);
  }
  return [value as ListedObject];
}

/** Adds previously allocated fields that the file omits. */
function asAllocated(object: ListedObject, existing: Service | undefined): Service {
  const service = object as Service;
  const { spec } = service;
  const known = existing?.spec;
  if (!isRecord(spec) || !known || existing === undefined) {
    return service;
  }
  const isExternal = spec.type === 'NodePort' || spec.type === 'LoadBalancer';
  const hasAddress = spec.clusterIP !== undefined || spec.clusterIPs !== undefined || spec.type === 'ExternalName';
  const { clusterIP, clusterIPs, ipFamilies, healthCheckNodePort } = known;
  const status = spec.type === 'LoadBalancer' ? (service.status ?? existing.status) : service.status;
  const createdAt = service.metadata?.creationTimestamp ?? existing.metadata?.creationTimestamp;
  return {
    ...service,
    metadata: { ...service.metadata, ...(createdAt === undefined ? {} : { creationTimestamp: createdAt }) },
    spec: {
      ...(hasAddress ? {} : defined({ clusterIP, clusterIPs, ipFamilies })),
      ...(spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local'
        ? defined({ healthCheckNodePort })
        : {}),
      ...spec,
      ...(isExternal && Array.isArray(spec.ports)
        ? { ports: spec.ports.map((port) => (isRecord(port) ? withNodePort(port, known) : port)) }
        : {}),
    },
    ...(status === undefined ? {} : { status }),
  };
}

type ServicePortEntry = NonNullable<NonNullable<Service['spec']>['ports']>[number];

function withNodePort(port: ServicePortEntry, { ports = [] }: NonNullable<Service['spec']>): ServicePortEntry {
  const protocol = port.protocol ?? 'TCP';
  const known = ports.find(
    (other) => other.port === port.port && (other.protocol ?? 'TCP') === protocol && other.nodePort !== undefined,
  );
  return port.nodePort !== undefined || known?.nodePort === undefined ? port : { ...port, nodePort: known.nodePort };
}

function needsAddress({ spec }: Service): boolean {
  return isRecord(spec) && spec.type !== 'ExternalName' && !spec.clusterIP && (spec.clusterIPs ?? []).length === 0;
}

function assignedFields(service: string, { spec }: Service): readonly AssignedField[] {
  if (!isRecord(spec) || (spec.type !== 'NodePort' && spec.type !== 'LoadBalancer')) {
    return [];
  }
  const { allocateLoadBalancerNodePorts } = spec as { readonly allocateLoadBalancerNodePorts?: unknown };
  const withoutNodePorts = spec.type === 'LoadBalancer' && allocateLoadBalancerNodePorts === false;
  const nodePorts = (Array.isArray(spec.ports) ? spec.ports : []).flatMap((entry, index) =>
    isRecord(entry) && entry.nodePort === undefined && !withoutNodePorts
      ? [
          {
            service,
            field: `spec.ports[${index}].nodePort`,
            what: `NodePort of ${service} port ${printable(String(entry.port))}`,
          },
        ]
      : [],
  );
  const needsHealthCheck =
    spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local' && spec.healthCheckNodePort === undefined;
  return needsHealthCheck
    ? [...nodePorts, { service, field: 'spec.healthCheckNodePort', what: `health check node port of ${service}` }]
    : nodePorts;
}

function cidrsOf(object: ListedObject): readonly string[] {
  return new ObjectReader().readServiceCIDR(object).definition?.cidrs ?? [];
}

function defined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
