import type { IPFamily } from '../model/address.js';
import { CILIUM_SLICE_WEIGHT_ANNOTATION, type WeightRule, weightByRules } from '../model/endpoint-weights.js';
import type { Protocol } from '../model/service-port-name.js';
import { printable, printableValue } from '../text/printable.js';
import type { EndpointSliceDefinition, SliceEndpointDefinition } from './definitions.js';
import { FieldReader, isDnsSubdomain } from './field-reader.js';
import type { ReadResult } from './object-problem.js';
import { HEADLESS_SERVICE_LABEL, LAST_CHANGE_TRIGGER_TIME_ANNOTATION, SERVICE_NAME_LABEL } from './objects.js';
import { readAnnotations } from './read-annotations.js';
import { readSliceWeight, readWeightRules } from './read-weights.js';
import { isRecord, type UnknownRecord } from './unknown-record.js';

const NO_HINTS: readonly string[] = [];
/** Maximum length of the reason why an endpoint is not ready, in characters. */
const MAX_REASON = 200;

/** Exceptions from the rules of the API server. */
export interface EndpointSliceReadOptions {
  /**
   * Read endpoints on loopback addresses. Default false: such an address lets a Service redirect traffic into the node
   * itself. For experiments on one computer, by a proxy that runs as an unprivileged user.
   */
  readonly allowLoopbackEndpoints?: boolean;
}

/**
 * Reads and validates an EndpointSlice (spec K-30…K-40). Never throws, on any input. A malformed port or endpoint is
 * omitted and reported; the rest of the slice is used.
 */
export function readEndpointSlice(
  object: unknown,
  options: EndpointSliceReadOptions = {},
): ReadResult<EndpointSliceDefinition> {
  const reader = new FieldReader('EndpointSlice');
  const identity = reader.readIdentity(object, true);
  const result = (definition?: EndpointSliceDefinition, skipped?: string): ReadResult<EndpointSliceDefinition> => ({
    identity,
    definition,
    skipped,
    problems: reader.finish(),
  });
  if (!identity || !isRecord(object) || !isRecord(object.metadata)) {
    return result();
  }
  const labels = reader.record(object.metadata.labels, 'metadata.labels') ?? {};
  if (Object.hasOwn(labels, HEADLESS_SERVICE_LABEL)) {
    return result(undefined, `it has the label ${HEADLESS_SERVICE_LABEL}`);
  }
  const serviceName = labels[SERVICE_NAME_LABEL];
  if (serviceName === undefined || serviceName === '') {
    return result(undefined, `it has no label ${SERVICE_NAME_LABEL}`);
  }
  if (!isDnsSubdomain(serviceName)) {
    reader.ignoreObject(
      `metadata.labels["${SERVICE_NAME_LABEL}"]`,
      `${printableValue(serviceName)} is not a Service name`,
    );
    return result();
  }
  const { addressType } = object;
  if (addressType === 'FQDN') {
    return result(undefined, 'its addressType is FQDN');
  }
  if (addressType !== 'IPv4' && addressType !== 'IPv6') {
    reader.ignoreObject('addressType', `${printableValue(addressType)} is not one of IPv4, IPv6, FQDN`);
    return result();
  }
  const record = reader.record(object.metadata.annotations, 'metadata.annotations');
  const annotations = readAnnotations(reader, record, [CILIUM_SLICE_WEIGHT_ANNOTATION]);
  const weights = { all: readSliceWeight(reader, annotations), rules: readWeightRules(reader, annotations) };
  return result({
    namespace: identity.namespace,
    name: identity.name,
    serviceName,
    family: addressType,
    ports: readPorts(reader, object.ports),
    endpoints: readEndpoints(
      reader,
      object.endpoints,
      addressType,
      options.allowLoopbackEndpoints ?? false,
      identity.namespace,
      weights,
    ),
    triggerTime: reader.time(record?.[LAST_CHANGE_TRIGGER_TIME_ANNOTATION]),
  });
}

function readPorts(reader: FieldReader, value: unknown): EndpointSliceDefinition['ports'] {
  const ports: { portName: string; protocol: Protocol; port: number }[] = [];
  const list = reader.list(value, 'ports');
  for (let index = 0; index < list.length; index += 1) {
    const entry = list[index];
    const field = `ports[${index}]`;
    const record = reader.record(entry, field);
    if (!record) {
      continue;
    }
    // A port without a number means "all ports", which no mode of kube-proxy supports either (spec K-35, B-1).
    if (record.port === undefined || record.port === null) {
      reader.ignoreField(`${field}.port`, 'is missing, and a port that means "all ports" cannot be proxied');
      continue;
    }
    const portName = reader.portName(record.name, `${field}.name`);
    const protocol = reader.protocol(record.protocol, `${field}.protocol`);
    if (portName === undefined || protocol === undefined) {
      continue;
    }
    const port = reader.port(record.port, `${field}.port`);
    if (port !== 0) {
      ports.push({ portName, protocol, port });
    }
  }
  return ports;
}

function readEndpoints(
  reader: FieldReader,
  value: unknown,
  family: IPFamily,
  allowLoopback: boolean,
  namespace: string,
  weights: { readonly all: number | undefined; readonly rules: readonly WeightRule[] },
): readonly SliceEndpointDefinition[] {
  const endpoints: SliceEndpointDefinition[] = [];
  const list = reader.list(value, 'endpoints');
  for (let index = 0; index < list.length; index += 1) {
    const entry = list[index];
    const record = isRecord(entry) ? entry : undefined;
    if (!record) {
      reader.ignoreField(`endpoints[${index}]`, `${printableValue(entry)} is not an object`);
      continue;
    }
    const addresses = record.addresses;
    if (!Array.isArray(addresses) || addresses.length === 0) {
      reader.ignoreField(`endpoints[${index}].addresses`, `${printableValue(addresses)} is not a list with an address`);
      continue;
    }
    const address = reader.address(addresses[0], `endpoints[${index}].addresses[0]`, family, allowLoopback);
    if (!address) {
      continue;
    }
    const conditions = isRecord(record.conditions) ? record.conditions : {};
    checkConditions(reader, conditions, index);
    const hints = isRecord(record.hints) ? record.hints : undefined;
    const nodeName = typeof record.nodeName === 'string' && record.nodeName !== '' ? record.nodeName : undefined;
    const podName = readPodName(record.targetRef, namespace);
    endpoints.push({
      address: address.text,
      ready: conditions.ready !== false,
      serving: conditions.serving !== false,
      terminating: conditions.terminating === true,
      notReadyReason:
        conditions.ready === false && typeof conditions.reason === 'string'
          ? printable(conditions.reason, MAX_REASON)
          : undefined,
      weight:
        weights.rules.length === 0
          ? weights.all
          : (weightByRules(weights.rules, { address: address.text, nodeName, podName }) ?? weights.all),
      nodeName,
      podName,
      zoneHints: readHints(hints?.forZones),
      nodeHints: readHints(hints?.forNodes),
    });
  }
  return endpoints;
}

/** Records conditions that are neither true nor false; they are read as absent. */
function checkConditions(reader: FieldReader, conditions: UnknownRecord, index: number): void {
  checkCondition(reader, conditions.ready, index, 'ready');
  checkCondition(reader, conditions.serving, index, 'serving');
  checkCondition(reader, conditions.terminating, index, 'terminating');
}

function checkCondition(reader: FieldReader, value: unknown, index: number, name: string): void {
  if (typeof value !== 'boolean' && value !== undefined && value !== null) {
    reader.ignoreField(`endpoints[${index}].conditions.${name}`, `${printableValue(value)} is not true or false`);
  }
}

/** Used for names only, never for decisions. Undefined unless it names a pod of this namespace. */
function readPodName(targetRef: unknown, namespace: string): string | undefined {
  if (!isRecord(targetRef) || targetRef.kind !== 'Pod' || (targetRef.namespace ?? namespace) !== namespace) {
    return undefined;
  }
  return typeof targetRef.name === 'string' && isDnsSubdomain(targetRef.name) ? targetRef.name : undefined;
}

function readHints(value: unknown): readonly string[] {
  if (!Array.isArray(value) || value.length === 0) {
    return NO_HINTS;
  }
  return value
    .map((hint) => (isRecord(hint) ? hint.name : undefined))
    .filter((name): name is string => typeof name === 'string' && name !== '');
}
