import { nearestName, printable, type Service } from '@kube-proxier/core';
import type { AllFailedPolicy } from './endpoint-selection.js';
import type { HealthThresholds } from './health-state.js';

/** The annotation of a Service that enables checks of its endpoints; the others begin with it and a hyphen. */
export const HEALTH_CHECK_ANNOTATION = 'kube-proxier.io/health-check';

/** The annotation of an EndpointSlice whose endpoints are used only while no other endpoint of the Service is. */
export const HEALTH_CHECK_BACKUP_ANNOTATION = 'kube-proxier.io/health-check-backup';

/** Suffixes of the annotations after `health-check-`. */
const OPTIONS = [
  'interval',
  'timeout',
  'rise',
  'fall',
  'port',
  'host',
  'expected-status',
  'tls-verify',
  'namespace',
  'all-failed',
] as const;

type OptionName = (typeof OPTIONS)[number];

/** The probe of a check. */
export type ProbeSettings =
  | { readonly kind: 'tcp' }
  | {
      readonly kind: 'http' | 'https';
      /** With the query, from `/`. */
      readonly path: string;
      /** For the header `Host` and for TLS. Undefined: the address of the endpoint. */
      readonly host: string | undefined;
      /** Ranges of status codes that pass. */
      readonly statuses: readonly (readonly [first: number, last: number])[];
      /** The certificate must be valid for the host. */
      readonly verifiesCertificate: boolean;
    }
  | { readonly kind: 'script'; readonly name: string };

/** How the endpoints of one Service are checked. */
export interface HealthCheckSettings extends HealthThresholds {
  readonly probe: ProbeSettings;
  /** Milliseconds from the start of a check to the start of the next one. */
  readonly interval: number;
  /** Timeout of a check in milliseconds. */
  readonly timeout: number;
  /** A number, or the name of a port of the EndpointSlice. Undefined: every TCP port; of other probes the only port. */
  readonly port: number | string | undefined;
  /** Path of the network namespace to check from. Undefined: that of this process. */
  readonly namespace: string | undefined;
  readonly allFailed: AllFailedPolicy;
}

/** The parsed annotations of a Service. */
export interface HealthCheckReading {
  /** Undefined: no checks, or a problem. */
  readonly settings: HealthCheckSettings | undefined;
  /** Each names its annotation. With a problem, none of the annotations is used. */
  readonly problems: readonly string[];
}

/** Permissions of annotations. */
export interface HealthCheckReadOptions {
  /** Scripts can be run. Default false. */
  readonly allowScripts?: boolean;
  /** Checks can run in other network namespaces. Default false. */
  readonly allowNamespaces?: boolean;
}

const NO_CHECKS: HealthCheckReading = { settings: undefined, problems: [] };
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };
const FILE_NAME = /^[A-Za-z0-9][\w.-]{0,62}$/;
const MAX_TIME = 3_600_000;
const MIN_INTERVAL = 100;
const MIN_TIMEOUT = 10;
const MAX_COUNT = 100;

/** Reads the annotations of a Service. Never throws, on any input. Pure. */
export function readHealthCheck(service: Service, options: HealthCheckReadOptions = {}): HealthCheckReading {
  const given = Object.entries(service.metadata?.annotations ?? {}).filter(
    ([name, value]) => name.startsWith(HEALTH_CHECK_ANNOTATION) && typeof value === 'string',
  );
  return given.length === 0 ? NO_CHECKS : new AnnotationReader(new Map(given), service, options).read();
}

class AnnotationReader {
  readonly #problems: string[] = [];

  constructor(
    private readonly annotations: ReadonlyMap<string, string>,
    private readonly service: Service,
    private readonly options: HealthCheckReadOptions,
  ) {}

  read(): HealthCheckReading {
    this.#checkNames();
    const probe = this.#probe();
    const settings = {
      interval: this.#duration('interval', 5000, MIN_INTERVAL),
      timeout: this.#duration('timeout', 2000, MIN_TIMEOUT),
      rise: this.#count('rise', 2),
      fall: this.#count('fall', 3),
      port: this.#port(probe?.kind),
      namespace: this.#namespace(),
      allFailed: this.#choice('all-failed', ['open', 'closed'], 'closed'),
    };
    const isValid = probe !== undefined && this.#problems.length === 0;
    return { settings: isValid ? { probe, ...settings } : undefined, problems: this.#problems };
  }

  #checkNames(): void {
    const prefix = `${HEALTH_CHECK_ANNOTATION}-`;
    for (const name of this.annotations.keys()) {
      const option = name.slice(prefix.length);
      if (name !== HEALTH_CHECK_ANNOTATION && !(name.startsWith(prefix) && OPTIONS.some((known) => known === option))) {
        const nearest = nearestName(option, OPTIONS);
        const hint = nearest === undefined ? OPTIONS.map((known) => `-${known}`).join(', ') : `${prefix}${nearest}`;
        this.#problems.push(`${printable(name)}: there is no such annotation; use ${hint}`);
      }
    }
  }

  #probe(): ProbeSettings | undefined {
    const text = this.annotations.get(HEALTH_CHECK_ANNOTATION);
    if (text === undefined) {
      this.#problems.push(
        `${HEALTH_CHECK_ANNOTATION}: is missing, and the other annotations have no effect without it; set it to tcp, ` +
          'http:/PATH, https:/PATH or script:NAME',
      );
      return undefined;
    }
    const [, kind = '', rest = ''] = /^([a-z]+)(?::([\s\S]*))?$/.exec(text.trim()) ?? [];
    if (kind === 'tcp' && rest === '') {
      this.#onlyFor(['http', 'https'], kind);
      return { kind };
    }
    if ((kind === 'http' || kind === 'https') && (rest === '' || /^\/[\x21-\x7e]{0,1000}$/.test(rest))) {
      return {
        kind,
        path: rest === '' ? '/' : rest,
        host: this.#host(),
        statuses: this.#statuses(),
        verifiesCertificate: this.#choice('tls-verify', ['true', 'false'], 'false') === 'true',
      };
    }
    if (kind === 'script' && FILE_NAME.test(rest)) {
      this.#onlyFor(['http', 'https'], kind);
      if (!this.options.allowScripts) {
        this.#wrong('', text, 'cannot run a script: no directory of scripts is configured (--health-check-scripts)');
        return undefined;
      }
      return { kind, name: rest };
    }
    this.#wrong('', text, 'must be tcp, http:/PATH, https:/PATH or script:NAME with a file name');
    return undefined;
  }

  #onlyFor(kinds: readonly string[], kind: string): void {
    for (const option of ['host', 'expected-status', 'tls-verify'] as const) {
      if (this.#text(option) !== undefined) {
        this.#wrong(
          option,
          this.#text(option),
          `has no effect with a ${kind} check; use it with ${kinds.join(' or ')}`,
        );
      }
    }
  }

  #host(): string | undefined {
    const text = this.#text('host');
    if (text !== undefined && !/^(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/.test(text)) {
      this.#wrong('host', text, 'must be a host name, with a port if needed');
    }
    return text;
  }

  #statuses(): readonly (readonly [number, number])[] {
    const text = this.#text('expected-status') ?? '200-399';
    const ranges = text.split(',').map((part): readonly [number, number] => {
      const [, first = '', last = first] = /^\s*([1-5]\d\d)(?:-([1-5]\d\d))?\s*$/.exec(part) ?? [];
      return [Number(first), Number(last)];
    });
    if (ranges.some(([first, last]) => first === 0 || first > last)) {
      this.#wrong('expected-status', text, 'must be status codes and ranges, such as 200-399 or 200,204,301-308');
    }
    return ranges;
  }

  #port(kind: ProbeSettings['kind'] | undefined): number | string | undefined {
    const text = this.#text('port');
    const ports = this.service.spec?.ports ?? [];
    if (text === undefined) {
      if (kind === 'tcp' && ports.length > 0 && !ports.some(({ protocol = 'TCP' }) => protocol === 'TCP')) {
        this.#wrong('port', undefined, 'is missing, and the Service has no TCP port to connect to; set it');
      }
      if (kind !== 'tcp' && kind !== undefined && ports.length > 1) {
        this.#wrong('port', undefined, `is missing, and the Service has ${ports.length} ports; set the one to check`);
      }
      return undefined;
    }
    const number = /^\d{1,5}$/.test(text) ? Number(text) : undefined;
    if (number !== undefined ? number < 1 || number > 65_535 : !/^[a-z0-9-]{1,63}$/.test(text)) {
      this.#wrong('port', text, 'must be a port from 1 to 65535, or the name of a port of the Service');
    } else if (number === undefined && !ports.some(({ name }) => name === text)) {
      this.#wrong('port', text, 'is not the name of a port of the Service');
    }
    return number ?? text;
  }

  #namespace(): string | undefined {
    const text = this.#text('namespace');
    if (text === undefined) {
      return undefined;
    }
    if (!FILE_NAME.test(text)) {
      this.#wrong('namespace', text, 'must be the name of a network namespace, as "ip netns list" prints it');
    } else if (!this.options.allowNamespaces) {
      this.#wrong(
        'namespace',
        text,
        'is not allowed for Services from an API server; only Services from manifests may',
      );
    }
    return `/run/netns/${text}`;
  }

  #duration(option: OptionName, missing: number, minimum: number): number {
    const text = this.#text(option);
    if (text === undefined) {
      return missing;
    }
    const [, number = '', unit = ''] = /^(\d{1,7}(?:\.\d{1,3})?)(ms|s|m)$/.exec(text) ?? [];
    const value = Number(number) * (UNITS[unit] ?? 0);
    if (!(value >= minimum && value <= MAX_TIME)) {
      this.#wrong(option, text, `must be a duration from ${minimum}ms to 60m, such as 500ms, 5s or 1m`);
    }
    return value;
  }

  #count(option: OptionName, missing: number): number {
    const text = this.#text(option);
    const value = text === undefined ? missing : Number(text);
    if (text !== undefined && !(/^\d{1,3}$/.test(text) && value >= 1 && value <= MAX_COUNT)) {
      this.#wrong(option, text, `must be a number from 1 to ${MAX_COUNT}`);
    }
    return value;
  }

  #choice<Choice extends string>(option: OptionName, choices: readonly Choice[], missing: Choice): Choice {
    const text = this.#text(option);
    const found = choices.find((choice) => choice === text);
    if (text !== undefined && found === undefined) {
      this.#wrong(option, text, `must be one of ${choices.join(', ')}`);
    }
    return found ?? missing;
  }

  #text(option: OptionName): string | undefined {
    return this.annotations.get(`${HEALTH_CHECK_ANNOTATION}-${option}`)?.trim();
  }

  /** @param option empty for the annotation that enables checks. */
  #wrong(option: OptionName | '', value: string | undefined, what: string): void {
    const name = option === '' ? HEALTH_CHECK_ANNOTATION : `${HEALTH_CHECK_ANNOTATION}-${option}`;
    const quoted = value === undefined ? '' : `"${printable(value, 80)}" `;
    this.#problems.push(`${name}: ${quoted}${what}`);
  }
}
