import {
  type EndpointSlice,
  type IPFamily,
  isRecord,
  parseAddress,
  printable,
  SERVICE_NAME_LABEL,
  type UnknownRecord,
} from '@kube-proxier/core';

/** An EndpointSlice derived from a part of an Endpoints object, with a mapping of field paths for messages. */
export interface ConvertedSlice {
  readonly slice: EndpointSlice;
  /** The path in the Endpoints object that corresponds to a path in the slice. */
  readonly originOf: (field: string) => string;
}

/** A field of the Endpoints object that cannot be converted. */
export interface ConversionProblem {
  readonly field: string;
  readonly message: string;
}

interface Address {
  readonly record: UnknownRecord;
  readonly path: string;
  readonly family: IPFamily;
  readonly ready: boolean;
}

/** Endpoints with this label, set to `true`, are not mirrored by Kubernetes, and not converted here. */
export const SKIP_MIRROR_LABEL = 'endpointslice.kubernetes.io/skip-mirror';

/**
 * Converts a v1 Endpoints object to EndpointSlices, as Kubernetes mirrors them: one for each subset and IP family,
 * named `NAME.endpoints-ipv4`, `NAME.endpoints-ipv6`, with a number suffix from the second subset on. Addresses that
 * are not ready get `ready: false` and `serving: false`.
 *
 * Validates only the structure; the slices are validated like any other.
 */
export function convertEndpoints(endpoints: UnknownRecord): {
  readonly slices: readonly ConvertedSlice[];
  readonly problems: readonly ConversionProblem[];
} {
  const slices: ConvertedSlice[] = [];
  const problems: ConversionProblem[] = [];
  const list = (value: unknown, field: string): readonly unknown[] => {
    if (value !== undefined && value !== null && !Array.isArray(value)) {
      problems.push({ field, message: 'is not a list' });
    }
    return Array.isArray(value) ? value : [];
  };

  for (const [index, subset] of list(endpoints.subsets, 'subsets').entries()) {
    const path = `subsets[${index}]`;
    if (!isRecord(subset)) {
      problems.push({ field: path, message: 'is not an object' });
      continue;
    }
    const addresses: Address[] = [];
    for (const [name, ready] of [['addresses', true] as const, ['notReadyAddresses', false] as const]) {
      for (const [position, record] of list(subset[name], `${path}.${name}`).entries()) {
        const field = `${path}.${name}[${position}]`;
        const parsed = isRecord(record) ? parseAddress(record.ip) : undefined;
        if (!isRecord(record) || !parsed) {
          const value = isRecord(record) ? record.ip : record;
          const text = typeof value === 'string' ? `"${printable(value, 60)}"` : typeof value;
          problems.push({ field: isRecord(record) ? `${field}.ip` : field, message: `${text} is not an IP address` });
          continue;
        }
        addresses.push({ record, path: field, family: parsed.family, ready });
      }
    }
    const ports = list(subset.ports, `${path}.ports`);
    for (const family of ['IPv4', 'IPv6'] as const) {
      const members = addresses.filter((address) => address.family === family);
      if (members.length > 0) {
        slices.push(makeSlice(endpoints, index, family, members, ports));
      }
    }
  }
  return { slices, problems };
}

function makeSlice(
  endpoints: UnknownRecord,
  subset: number,
  family: IPFamily,
  addresses: readonly Address[],
  ports: readonly unknown[],
): ConvertedSlice {
  const metadata = isRecord(endpoints.metadata) ? endpoints.metadata : {};
  const labels = isRecord(metadata.labels) ? metadata.labels : {};
  const suffix = subset === 0 ? '' : `-${subset + 1}`;
  const slice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      ...metadata,
      name: `${String(metadata.name)}.endpoints-${family.toLowerCase()}${suffix}`,
      labels: { ...labels, [SERVICE_NAME_LABEL]: metadata.name },
    },
    addressType: family,
    ports,
    endpoints: addresses.map(({ record, ready }) => ({
      addresses: [record.ip],
      conditions: ready ? { ready: true } : { ready: false, serving: false },
      ...(record.nodeName === undefined ? {} : { nodeName: record.nodeName }),
    })),
  };
  const originOf = (field: string): string => {
    const endpoint = /^endpoints\[(\d+)\](.*)$/.exec(field);
    if (endpoint) {
      const origin = addresses[Number(endpoint[1])]?.path ?? 'subsets';
      return endpoint[2]?.startsWith('.addresses') ? `${origin}.ip` : `${origin}${endpoint[2]}`;
    }
    return field.startsWith('ports') ? `subsets[${subset}].${field}` : field;
  };
  // Its fields are external data and are validated by their reader, as with every object.
  return { slice: slice as unknown as EndpointSlice, originOf };
}
