import { structurallyEqual } from '../model/structurally-equal.js';
import { SERVICE_NAME_LABEL } from '../objects/objects.js';
import { isRecord, type UnknownRecord } from '../objects/unknown-record.js';
import { printable, printableValue } from '../text/printable.js';
import type { ReplayedChange } from './recording-replay.js';

/** Kinds of changes of objects. */
export type ChangeType =
  | 'service-added'
  | 'service-removed'
  | 'service-changed'
  | 'endpoint-added'
  | 'endpoint-removed'
  | 'endpoint-changed'
  | 'node-changed'
  | 'networks-changed'
  | 'addresses-changed';

/** One effect of a change of an object, in words. Texts are safe to print. */
export interface DescribedChange {
  readonly type: ChangeType;
  /** `namespace/name` of the Service that it concerns; undefined for none. */
  readonly service: string | undefined;
  readonly what: string;
}

/** The effects of a recorded change: one item for each endpoint, else one for the object. */
export function describeChange({ kind, name, previous, current }: ReplayedChange): readonly DescribedChange[] {
  switch (kind) {
    case 'Service':
      return [describeService(printable(name), previous, current)];
    case 'EndpointSlice':
      return describeSlice(name, previous, current);
    case 'Node':
      return [
        { type: 'node-changed', service: undefined, what: `Node ${printable(name)}: ${fieldsOf(previous, current)}` },
      ];
    case 'ServiceCIDRs':
      return [
        { type: 'networks-changed', service: undefined, what: `Service networks: ${listsOf(previous, current)}` },
      ];
    case 'Addresses':
      return [
        {
          type: 'addresses-changed',
          service: undefined,
          what: `addresses of interfaces, as read for ${printable(name)}: ${listsOf(previous, current)}`,
        },
      ];
  }
}

function describeService(service: string, previous: unknown, current: unknown): DescribedChange {
  if (current === undefined) {
    return { type: 'service-removed', service, what: 'Service removed' };
  }
  if (previous === undefined) {
    return { type: 'service-added', service, what: `Service added: ${summaryOf(current)}` };
  }
  return { type: 'service-changed', service, what: `Service changed: ${fieldsOf(previous, current)}` };
}

function summaryOf(service: unknown): string {
  const spec = recordOf(recordOf(service).spec);
  const ports = listOf(spec.ports).map((port) => {
    const { port: number, protocol = 'TCP' } = recordOf(port);
    return `${String(number)}/${String(protocol)}`;
  });
  const addresses = listOf(spec.clusterIPs);
  return printable(
    `${(addresses.length === 0 ? [spec.clusterIP] : addresses).join(', ')}, ${ports.length === 0 ? 'no port' : ports.join(', ')}`,
  );
}

function describeSlice(name: string, previous: unknown, current: unknown): readonly DescribedChange[] {
  const service = serviceOf(name, current) ?? serviceOf(name, previous);
  const slice = printable(name.slice(name.indexOf('/') + 1));
  const before = endpointsOf(previous);
  const after = endpointsOf(current);
  const changes: DescribedChange[] = [];
  const add = (type: ChangeType, what: string) =>
    changes.push({ type, service, what: `${what} (EndpointSlice ${slice})` });
  for (const [address, endpoint] of before) {
    if (!after.has(address)) {
      add('endpoint-removed', `endpoint ${address} went; it was ${conditionsOf(endpoint)}`);
    }
  }
  for (const [address, endpoint] of after) {
    const earlier = before.get(address);
    if (earlier === undefined) {
      const { nodeName } = endpoint;
      const where = typeof nodeName === 'string' ? `, on ${printable(nodeName)}` : '';
      add('endpoint-added', `endpoint ${address} came: ${conditionsOf(endpoint)}${where}`);
    } else if (!structurallyEqual(earlier, endpoint)) {
      add('endpoint-changed', `endpoint ${address}: ${endpointChange(earlier, endpoint)}`);
    }
  }
  if (changes.length === 0) {
    const verb = previous === undefined ? 'added' : current === undefined ? 'removed' : undefined;
    const what = verb ? `EndpointSlice ${verb}, without endpoints` : fieldsOf(previous, current);
    add('endpoint-changed', what);
  }
  return changes;
}

/** The Service that a slice belongs to, by its label. */
function serviceOf(name: string, slice: unknown): string | undefined {
  const label = recordOf(recordOf(recordOf(slice).metadata).labels)[SERVICE_NAME_LABEL];
  return typeof label === 'string' ? printable(`${name.slice(0, name.indexOf('/'))}/${label}`) : undefined;
}

function endpointsOf(slice: unknown): ReadonlyMap<string, UnknownRecord> {
  return new Map(
    listOf(recordOf(slice).endpoints).map((endpoint) => {
      const record = recordOf(endpoint);
      return [printable(String(listOf(record.addresses)[0])), record];
    }),
  );
}

function conditionsOf(endpoint: UnknownRecord): string {
  const { ready, serving, terminating } = recordOf(endpoint.conditions);
  const words = [ready === false ? 'not ready' : 'ready'];
  if (serving === false && ready !== false) {
    words.push('not serving');
  }
  if (terminating === true) {
    words.push(serving === false ? 'terminating' : 'terminating but serving');
  }
  return words.join(', ');
}

function endpointChange(previous: UnknownRecord, current: UnknownRecord): string {
  const [before, after] = [conditionsOf(previous), conditionsOf(current)];
  return before === after ? fieldsOf(previous, current) : `${before} -> ${after}`;
}

/** Fields that differ, with their values. */
function fieldsOf(previous: unknown, current: unknown): string {
  const fields = [...differences(recordOf(previous), recordOf(current), '', 2)];
  return printable(fields.length === 0 ? 'nothing that is visible' : fields.join('; '), 500);
}

function* differences(previous: UnknownRecord, current: UnknownRecord, path: string, depth: number): Generator<string> {
  for (const key of new Set([...Object.keys(previous), ...Object.keys(current)])) {
    const [before, after] = [previous[key], current[key]];
    if (structurallyEqual(before, after)) {
      continue;
    }
    const field = path === '' ? key : `${path}.${key}`;
    if (depth > 1 && isRecord(before) && isRecord(after)) {
      yield* differences(before, after, field, depth - 1);
    } else {
      yield `${field}: ${shown(before)} -> ${shown(after)}`;
    }
  }
}

function shown(value: unknown): string {
  return value === undefined ? 'none' : typeof value === 'string' ? value : printableValue(value, 120);
}

function listsOf(previous: unknown, current: unknown): string {
  const [before, after] = [listOf(previous), listOf(current)];
  const parts = [
    ...after.filter((item) => !before.includes(item)).map((item) => `+${String(item)}`),
    ...before.filter((item) => !after.includes(item)).map((item) => `-${String(item)}`),
  ];
  return printable(parts.length === 0 ? 'in another order' : parts.join(' '));
}

function recordOf(value: unknown): UnknownRecord {
  return isRecord(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
