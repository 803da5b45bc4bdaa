import { type IPFamily, type ParsedAddress, type ParsedCIDR, parseAddress, parseCIDR } from '../model/address.js';
import type { Protocol } from '../model/service-port-name.js';
import { printableValue } from '../text/printable.js';
import type { ObjectIdentity, ObjectProblem } from './object-problem.js';
import { isRecord, type UnknownRecord } from './unknown-record.js';

const PROTOCOLS: readonly Protocol[] = ['TCP', 'UDP', 'SCTP'];
const MAX_PROBLEMS = 20;
/** Most lists are absent, and share this value. */
const NO_ITEMS: readonly unknown[] = [];
const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const DNS_LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

export function isDnsLabel(value: unknown): value is string {
  return typeof value === 'string' && DNS_LABEL.test(value);
}

export function isDnsSubdomain(value: unknown): value is string {
  return typeof value === 'string' && DNS_SUBDOMAIN.test(value);
}

/** Identity of an object, as far as its events need it; undefined without a usable name. */
export function identityOf(object: unknown): ObjectIdentity | undefined {
  const metadata = isRecord(object) ? object.metadata : undefined;
  if (!isRecord(metadata) || !isDnsSubdomain(metadata.name)) {
    return undefined;
  }
  return { namespace: typeof metadata.namespace === 'string' ? metadata.namespace : '', name: metadata.name };
}

/**
 * Why an address must not be a forwarding target or a Service address; undefined when it may: such an address would let a
 * Service redirect traffic of the node itself. The rules of the API server for endpoints and external IPs, for load balancer
 * IPs too.
 */
export function specialAddress(address: ParsedAddress): string | undefined {
  const { text } = address;
  if (text === '0.0.0.0' || text === '::') {
    return 'is the unspecified address';
  }
  if (isLoopback(address)) {
    return 'is a loopback address';
  }
  if (text.startsWith('169.254.') || /^fe[89ab]/.test(text)) {
    return 'is a link-local address';
  }
  if (address.family === 'IPv4' ? Number(text.slice(0, text.indexOf('.'))) >= 224 : text.startsWith('ff')) {
    return 'is a multicast or reserved address';
  }
  return undefined;
}

function isLoopback({ text }: ParsedAddress): boolean {
  return text.startsWith('127.') || text === '::1';
}

/** Reads fields of one object and records the problems, field by field. Never throws. */
export class FieldReader {
  readonly problems: ObjectProblem[] = [];
  #suppressed = 0;
  /** As found in the object; made printable only when there is something to report. */
  #claimed: { readonly namespace: unknown; readonly name: unknown } = {
    namespace: '',
    name: '(without a name)',
  };

  constructor(private readonly kind: string) {}

  /** Records that one part of the object is ignored. */
  ignoreField(field: string, message: string): void {
    this.#note(field, message, 'field');
  }

  /** Records that the whole object is ignored. */
  ignoreObject(field: string, message: string): void {
    this.#note(field, message, 'object');
  }

  /** All problems; those beyond the limit are summarized in one line. */
  finish(): readonly ObjectProblem[] {
    if (this.#suppressed > 0) {
      const more = `and ${this.#suppressed} more problems of this object`;
      this.problems.push({ kind: this.kind, ...this.#identity, field: '', message: more, ignored: 'field' });
      this.#suppressed = 0;
    }
    return this.problems;
  }

  /** Reads the identity of the object; undefined, and recorded, when it has none. */
  readIdentity(object: unknown, namespaced: boolean): ObjectIdentity | undefined {
    if (!isRecord(object)) {
      this.ignoreObject('', `${printableValue(object)} is not an object`);
      return undefined;
    }
    const metadata = object.metadata;
    if (!isRecord(metadata)) {
      this.ignoreObject('metadata', 'is missing; an object needs metadata.name');
      return undefined;
    }
    this.#claimed = {
      namespace: namespaced ? (metadata.namespace ?? '') : '',
      name: metadata.name ?? '(without a name)',
    };
    if (!isDnsSubdomain(metadata.name)) {
      this.ignoreObject(
        'metadata.name',
        `${printableValue(metadata.name)} is not a name (lower case letters, digits, "-", ".")`,
      );
      return undefined;
    }
    if (namespaced && !isDnsLabel(metadata.namespace)) {
      this.ignoreObject(
        'metadata.namespace',
        `${printableValue(metadata.namespace)} is not a namespace (lower case letters, digits, "-", at most 63)`,
      );
      return undefined;
    }
    return { namespace: namespaced ? (metadata.namespace as string) : '', name: metadata.name };
  }

  /** A list, empty when absent; an invalid value is recorded and read as empty. */
  list(value: unknown, field: string): readonly unknown[] {
    if (value === undefined || value === null) {
      return NO_ITEMS;
    }
    if (Array.isArray(value)) {
      return value;
    }
    this.ignoreField(field, `${printableValue(value)} is not a list`);
    return NO_ITEMS;
  }

  /** A record, undefined when absent; an invalid value is recorded and read as absent. */
  record(value: unknown, field: string): UnknownRecord | undefined {
    if (value === undefined || value === null) {
      return undefined;
    }
    if (isRecord(value)) {
      return value;
    }
    this.ignoreField(field, `${printableValue(value)} is not an object`);
    return undefined;
  }

  /** A port number; 0 when absent or 0, and recorded when it is invalid. */
  port(value: unknown, field: string): number {
    if (value === undefined || value === null || value === 0) {
      return 0;
    }
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65535) {
      return value;
    }
    this.ignoreField(field, `${printableValue(value)} is not a port (1 to 65535)`);
    return 0;
  }

  /** The name of a port, empty when absent; undefined, and recorded, when it is invalid. */
  portName(value: unknown, field: string): string | undefined {
    const name = value ?? '';
    if (name === '' || isDnsLabel(name)) {
      return name;
    }
    this.ignoreField(field, `${printableValue(name)} is not a port name (lower case letters, digits, "-")`);
    return undefined;
  }

  /** A protocol, TCP when absent; undefined, and recorded, when it is invalid. */
  protocol(value: unknown, field: string): Protocol | undefined {
    const found = PROTOCOLS.find((protocol) => protocol === (value ?? 'TCP'));
    if (!found) {
      this.ignoreField(field, `${printableValue(value)} is not one of ${PROTOCOLS.join(', ')}`);
    }
    return found;
  }

  /** One of `allowed`, `fallback` when absent, and recorded when it is anything else. */
  oneOf<const T extends string>(value: unknown, allowed: readonly T[], fallback: T, field: string): T {
    if (value === undefined || value === null || value === '') {
      return fallback;
    }
    const found = allowed.find((candidate) => candidate === value);
    if (found !== undefined) {
      return found;
    }
    this.ignoreField(field, `${printableValue(value)} is not one of ${allowed.join(', ')}; taken as ${fallback}`);
    return fallback;
  }

  /** An address that a Service or endpoint may have, or undefined and recorded. */
  address(value: unknown, field: string, family?: IPFamily, allowLoopback = false): ParsedAddress | undefined {
    const address = parseAddress(typeof value === 'string' ? value.trim() : value);
    if (!address) {
      this.ignoreField(field, `${printableValue(value)} is not an IP address`);
      return undefined;
    }
    const special = specialAddress(address);
    if (special && !(allowLoopback && isLoopback(address))) {
      this.ignoreField(field, `${address.text} ${special} and cannot be used here`);
      return undefined;
    }
    if (family && address.family !== family) {
      this.ignoreField(field, `${address.text} is not an ${family} address`);
      return undefined;
    }
    return address;
  }

  /** A network, or undefined and recorded. Surrounding blanks are dropped (spec F-LB-13). */
  cidr(value: unknown, field: string): ParsedCIDR | undefined {
    const cidr = parseCIDR(typeof value === 'string' ? value.trim() : value);
    if (!cidr) {
      this.ignoreField(field, `${printableValue(value)} is not a network such as 10.0.0.0/8 or fd00::/64`);
    }
    return cidr;
  }

  /** Milliseconds since the epoch, undefined when absent or not a time. */
  time(value: unknown): number | undefined {
    // Not `instanceof`, which fails for a Date from `structuredClone` or another realm.
    if (typeof value === 'string' || Object.prototype.toString.call(value) === '[object Date]') {
      const milliseconds = new Date(value as string | Date).getTime();
      return Number.isNaN(milliseconds) ? undefined : milliseconds;
    }
    return undefined;
  }

  get #identity(): ObjectIdentity {
    const text = (value: unknown) => printableValue(value).replaceAll('"', '');
    return { namespace: text(this.#claimed.namespace), name: text(this.#claimed.name) };
  }

  #note(field: string, message: string, ignored: 'object' | 'field'): void {
    if (this.problems.length >= MAX_PROBLEMS) {
      this.#suppressed += 1;
      return;
    }
    this.problems.push({ kind: this.kind, ...this.#identity, field, message, ignored });
  }
}
