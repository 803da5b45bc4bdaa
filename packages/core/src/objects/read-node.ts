import { parseAddress } from '../model/address.js';
import { printableValue } from '../text/printable.js';
import type { NodeDefinition, ServiceCIDRDefinition } from './definitions.js';
import { FieldReader } from './field-reader.js';
import type { ReadResult } from './object-problem.js';
import { TOPOLOGY_ZONE_LABEL } from './objects.js';
import { isRecord } from './unknown-record.js';

/** Reads and validates a Node (spec W-10, W-22, H-6). Never throws, on any input. */
export function readNode(object: unknown): ReadResult<NodeDefinition> {
  const reader = new FieldReader('Node');
  const identity = reader.readIdentity(object, false);
  if (!identity || !isRecord(object) || !isRecord(object.metadata)) {
    return { identity, definition: undefined, skipped: undefined, problems: reader.finish() };
  }
  const labels = reader.record(object.metadata.labels, 'metadata.labels');
  const zone = labels?.[TOPOLOGY_ZONE_LABEL];
  const spec = reader.record(object.spec, 'spec');
  const status = reader.record(object.status, 'status');
  const podCIDRs = reader.list(spec?.podCIDRs, 'spec.podCIDRs');
  const cidrs = podCIDRs.length > 0 ? podCIDRs : spec?.podCIDR ? [spec.podCIDR] : [];
  const taints = reader.list(spec?.taints, 'spec.taints');
  const definition: NodeDefinition = {
    name: identity.name,
    zone: typeof zone === 'string' && zone !== '' ? zone : undefined,
    addresses: readAddresses(reader, status?.addresses),
    podCIDRs: cidrs.flatMap((text, index) => reader.cidr(text, `spec.podCIDRs[${index}]`)?.text ?? []),
    deleting: object.metadata.deletionTimestamp !== undefined && object.metadata.deletionTimestamp !== null,
    taintKeys: taints.flatMap((taint) => (isRecord(taint) && typeof taint.key === 'string' ? [taint.key] : [])),
  };
  return { identity, definition, skipped: undefined, problems: reader.finish() };
}

function readAddresses(reader: FieldReader, value: unknown): readonly string[] {
  const byType: Record<'InternalIP' | 'ExternalIP', string[]> = { InternalIP: [], ExternalIP: [] };
  for (const [index, entry] of reader.list(value, 'status.addresses').entries()) {
    if (!isRecord(entry) || (entry.type !== 'InternalIP' && entry.type !== 'ExternalIP')) {
      continue;
    }
    const address = parseAddress(entry.address);
    if (address) {
      byType[entry.type].push(address.text);
    } else {
      reader.ignoreField(`status.addresses[${index}].address`, `${printableValue(entry.address)} is not an IP address`);
    }
  }
  return [...new Set([...byType.InternalIP, ...byType.ExternalIP])];
}

/** Reads and validates a ServiceCIDR (spec W-3). Never throws, on any input. */
export function readServiceCIDR(object: unknown): ReadResult<ServiceCIDRDefinition> {
  const reader = new FieldReader('ServiceCIDR');
  const identity = reader.readIdentity(object, false);
  if (!identity || !isRecord(object)) {
    return { identity, definition: undefined, skipped: undefined, problems: reader.finish() };
  }
  const cidrs = reader.list(reader.record(object.spec, 'spec')?.cidrs, 'spec.cidrs');
  const definition: ServiceCIDRDefinition = {
    name: identity.name,
    cidrs: cidrs.flatMap((text, index) => reader.cidr(text, `spec.cidrs[${index}]`)?.text ?? []),
  };
  return { identity, definition, skipped: undefined, problems: reader.finish() };
}
