import { ProxierError } from '../contract/proxier-error.js';
import type { IPFamily } from '../model/address.js';
import { isRecord, type UnknownRecord } from '../objects/unknown-record.js';
import type { ProxierOptions } from '../sync/proxier-options.js';
import { printable, printableValue } from '../text/printable.js';
import type { StructuralDelta } from './structural-delta.js';

/** Names the format in the first entry of each recording. */
export const RECORDING_FORMAT = 'kube-proxier.io/recording';
/** Version of the format. Readers refuse another one; fields and kinds of entries that they do not know are ignored. */
export const RECORDING_VERSION = 1;

/** Kinds of recorded objects. `ServiceCIDRs` and `Addresses` are lists of texts; the others are Kubernetes objects. */
export type RecordedKind = 'Service' | 'EndpointSlice' | 'Node' | 'ServiceCIDRs' | 'Addresses';

const KINDS: readonly RecordedKind[] = ['Service', 'EndpointSlice', 'Node', 'ServiceCIDRs', 'Addresses'];

/** Options of a proxier that its states depend on. */
export type RecordedOptions = Pick<
  ProxierOptions,
  | 'nodeName'
  | 'nodeAddresses'
  | 'localTrafficDetection'
  | 'masqueradeAll'
  | 'nodePortAddresses'
  | 'localhostNodePorts'
  | 'nodeTopologyHints'
  | 'overlappingExternalAddresses'
>;

interface Stamped {
  /** Milliseconds since the recorder was created, by the monotonic clock. */
  readonly at: number;
}

/** The first entry. */
export interface BeginEntry extends Stamped {
  readonly entry: 'begin';
  readonly format: typeof RECORDING_FORMAT;
  readonly version: number;
  /** ISO 8601, in UTC: the host's clock at `at`. */
  readonly time: string;
  readonly nodeName: string;
  /** Version of the program that recorded it. */
  readonly program: string;
  /** Endpoints may have loopback addresses. */
  readonly allowLoopbackEndpoints: boolean;
  /** Some changes of the checkpoint were not programmed yet; states until the next sync are approximate. */
  readonly unsettled?: boolean;
}

/** The host's clock was set. */
export interface ClockEntry extends Stamped {
  readonly entry: 'clock';
  /** ISO 8601, in UTC. */
  readonly time: string;
}

/** The mode is selected. */
export interface ModeEntry extends Stamped {
  readonly entry: 'mode';
  readonly mode: string;
}

/** A family is served. */
export interface FamilyEntry extends Stamped {
  readonly entry: 'family';
  readonly family: IPFamily;
  readonly options: RecordedOptions;
  /** States include the addresses of interfaces. */
  readonly includesLocalAddresses: boolean;
}

/** The current version of an object. Exactly one of `is`, `to` and `gone` is set. */
export interface ObjectEntry extends Stamped {
  readonly entry: 'object';
  readonly kind: RecordedKind;
  /** `namespace/name`, the name of the node, or the family of addresses; empty for ServiceCIDRs. */
  readonly name: string;
  /** The object, reduced to what a proxy reads. */
  readonly is?: unknown;
  /** The delta from the previous version. */
  readonly to?: StructuralDelta;
  readonly gone?: true;
}

/** End of the checkpoint: the following entries are changes. */
export interface CheckpointEntry extends Stamped {
  readonly entry: 'checkpoint';
}

/** A sync of this family covers all changes up to here. */
export interface ResolvedEntry extends Stamped {
  readonly entry: 'resolved';
  readonly family: IPFamily;
}

/** A sync succeeded: the state resolved last is in force. */
export interface SyncEntry extends Stamped {
  readonly entry: 'sync';
  readonly family: IPFamily;
  readonly full: boolean;
  /** Milliseconds. */
  readonly duration: number;
  /** Service ports that it wrote. */
  readonly changes: number;
  /** `ProxyState.revision`. */
  readonly revision: number;
}

/** A sync failed. */
export interface FailedEntry extends Stamped {
  readonly entry: 'failed';
  readonly family: IPFamily;
  readonly full: boolean;
  /** Milliseconds. */
  readonly duration: number;
  /** Consecutive failures, this one included. */
  readonly failures: number;
  readonly error: string;
}

/** Drift was repaired. */
export interface DriftEntry extends Stamped {
  readonly entry: 'drift';
  readonly family: IPFamily;
  readonly what: string;
}

/** The readiness has changed. */
export interface ReadyEntry extends Stamped {
  readonly entry: 'ready';
  readonly ready: boolean;
  /** Why it is not ready; absent when it is. */
  readonly reason?: string;
}

/** Something failed that does not affect the data plane. */
export interface FailureEntry extends Stamped {
  readonly entry: 'failure';
  readonly part: string;
  readonly error: string;
}

/** One line of a recording. */
export type RecordedEntry =
  | BeginEntry
  | ClockEntry
  | ModeEntry
  | FamilyEntry
  | ObjectEntry
  | CheckpointEntry
  | ResolvedEntry
  | SyncEntry
  | FailedEntry
  | DriftEntry
  | ReadyEntry
  | FailureEntry;

/** A recording cannot be read, or only in part. */
export class RecordingError extends ProxierError {
  constructor(code: 'NOT_A_RECORDING' | 'RECORDING_VERSION' | 'RECORDING_DAMAGED', message: string, cause?: unknown) {
    super(code, message, { cause });
  }
}

/** Field checks of {@link parseRecordedEntry} by kind of entry. */
const FIELDS: Readonly<Record<RecordedEntry['entry'], Readonly<Record<string, (value: unknown) => boolean>>>> = {
  begin: { format: isString, version: isNumber, time: isTime, nodeName: isString, program: isString },
  clock: { time: isTime },
  mode: { mode: isString },
  family: { family: isFamily, options: isOptions, includesLocalAddresses: isBoolean },
  object: { kind: (value) => KINDS.some((kind) => kind === value), name: isString },
  checkpoint: {},
  resolved: { family: isFamily },
  sync: { family: isFamily, full: isBoolean, duration: isNumber, changes: isNumber, revision: isNumber },
  failed: { family: isFamily, full: isBoolean, duration: isNumber, failures: isNumber, error: isString },
  drift: { family: isFamily, what: isString },
  ready: { ready: isBoolean },
  failure: { part: isString, error: isString },
};

/** Maximum nesting of a line: a Kubernetes object within a delta has less. */
const MAX_NESTING = 64;

/**
 * Reads one line of a recording, which is untrusted input.
 *
 * @returns undefined for a kind of entry that this version does not know.
 * @throws RecordingError `RECORDING_DAMAGED`, naming the field.
 */
export function parseRecordedEntry(line: string): RecordedEntry | undefined {
  const value = parseLine(line);
  if (!isRecord(value) || !isNumber(value.at)) {
    throw damaged(`${printable(line, 80)} is not an entry`);
  }
  const { entry } = value;
  if (typeof entry !== 'string' || !Object.hasOwn(FIELDS, entry)) {
    return undefined;
  }
  for (const [field, holds] of Object.entries(FIELDS[entry as RecordedEntry['entry']])) {
    if (!holds(value[field])) {
      throw damaged(`an entry ${entry} has ${field}: ${printableValue(value[field])}`);
    }
  }
  return value as unknown as RecordedEntry;
}

function parseLine(line: string): unknown {
  if (nestingOf(line) > MAX_NESTING) {
    throw damaged(`${printable(line, 80)} is nested too deeply`);
  }
  try {
    return JSON.parse(line);
  } catch (error) {
    throw damaged(`${printable(line, 80)} is not JSON`, error);
  }
}

/** Upper bound of the nesting of JSON text: brackets in strings count, too. */
function nestingOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0x7b || code === 0x5b) {
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    }
  }
  return deepest;
}

function damaged(what: string, cause?: unknown): RecordingError {
  return new RecordingError('RECORDING_DAMAGED', `the recording is damaged: ${what}`, cause);
}

function isString(value: unknown): boolean {
  return typeof value === 'string';
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value);
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

function isFamily(value: unknown): value is IPFamily {
  return value === 'IPv4' || value === 'IPv6';
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isString);
}

function isOptions(value: unknown): boolean {
  return (
    isRecord(value) &&
    isString(value.nodeName) &&
    isTexts(value.nodeAddresses) &&
    isBoolean(value.masqueradeAll) &&
    (isBoolean(value.localhostNodePorts) || value.localhostNodePorts === 'listed') &&
    isBoolean(value.nodeTopologyHints) &&
    isString(value.overlappingExternalAddresses) &&
    isSelection(value.nodePortAddresses) &&
    isDetection(value.localTrafficDetection)
  );
}

function isSelection(value: unknown): boolean {
  return (
    isRecord(value) &&
    (value.kind === 'all' ||
      value.kind === 'primary' ||
      (value.kind === 'cidrs' && isTexts(value.cidrs)) ||
      (value.kind === 'entries' && isTexts(value.entries)))
  );
}

function isDetection(value: unknown): boolean {
  return isRecord(value) && isDetectionOf(value);
}

function isDetectionOf(value: UnknownRecord): boolean {
  switch (value.kind) {
    case 'none':
    case 'node-cidr':
      return true;
    case 'cluster-cidr':
      return isTexts(value.cidrs);
    case 'source-cidr':
      return isString(value.cidr);
    case 'interface':
      return isString(value.name);
    case 'interface-prefix':
      return isString(value.prefix);
    default:
      return false;
  }
}
