/** Options and headers of requests, as interpreted by an API server. */

const JSON_TYPE = 'application/json';
const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';

/** Why a request is refused. */
export interface Refusal {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
}

/** Conflicting options. */
export function invalidOptions(
  verb: string,
  query: URLSearchParams,
  watchList: 'served' | 'refused' | 'ignored',
): Refusal | undefined {
  const forbidden = (field: string, why: string): Refusal => ({
    code: 422,
    reason: 'Invalid',
    message: `ListOptions.meta.k8s.io "" is invalid: ${field}: Forbidden: ${why}`,
  });
  const initialEvents = query.has('sendInitialEvents');
  const match = query.get('resourceVersionMatch') ?? '';
  if (verb === 'list') {
    return query.has('continue') && !['', '0'].includes(query.get('resourceVersion') ?? '')
      ? {
          code: 400,
          reason: 'BadRequest',
          message: 'specifying resource version is not allowed when using continue',
        }
      : initialEvents
        ? forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list')
        : undefined;
  }
  if (verb !== 'watch' || watchList === 'ignored') {
    return undefined;
  }
  if (initialEvents && match !== 'NotOlderThan') {
    const why = 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
    return forbidden('resourceVersionMatch', why);
  }
  if (initialEvents && watchList === 'refused') {
    const why = 'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';
    return forbidden('sendInitialEvents', why);
  }
  if (match !== '' && !initialEvents) {
    const why = 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided';
    return forbidden('resourceVersionMatch', why);
  }
  return undefined;
}

/** The encoding that a client accepts first. */
export function preferredEncoding(
  accept: string,
  protobuf: 'served' | 'ignored' | 'refused',
): 'json' | 'protobuf' | 'only-protobuf' | 'none' {
  const types = accept.split(',').map((type) => type.split(';')[0]?.trim() ?? '');
  const acceptsJson = types.some((type) => ['', '*/*', 'application/*', JSON_TYPE].includes(type));
  if (!types.includes(PROTOBUF_TYPE)) {
    return acceptsJson ? 'json' : 'none';
  }
  if (protobuf !== 'served') {
    return acceptsJson && protobuf === 'ignored' ? 'json' : 'none';
  }
  if (!acceptsJson) {
    return 'only-protobuf';
  }
  return types.indexOf(PROTOBUF_TYPE) < types.findIndex((type) => type !== PROTOBUF_TYPE) ? 'protobuf' : 'json';
}

/** Start of the next page of a list. */
export interface ContinueToken {
  /** Version of the list; -1 for the current one. */
  readonly rv: number;
  /** Name of the last object of the previous page. */
  readonly start: string;
}

export function encodeToken(token: ContinueToken): string {
  return Buffer.from(JSON.stringify(token)).toString('base64url');
}

export function decodeToken(text: string): ContinueToken | undefined {
  try {
    const token = JSON.parse(Buffer.from(text, 'base64url').toString()) as Partial<ContinueToken>;
    return typeof token.rv === 'number' && typeof token.start === 'string'
      ? { rv: token.rv, start: token.start }
      : undefined;
  } catch {
    return undefined;
  }
}
