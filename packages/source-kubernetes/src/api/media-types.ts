import type { IncomingHttpHeaders } from 'node:http';

const JSON_TYPE = 'application/json';
/** Objects in the protobuf messages of Kubernetes. */
export const PROTOBUF_TYPE = 'application/vnd.kubernetes.protobuf';

/**
 * The value of `Accept`. Where protobuf is accepted, the server may answer with either.
 *
 * @param protobuf whether protobuf is preferred to JSON.
 * @param watch whether a stream of events is requested.
 */
export function acceptedTypes(protobuf: boolean, watch: boolean): string {
  if (!protobuf) {
    return JSON_TYPE;
  }
  return [PROTOBUF_TYPE, JSON_TYPE].map((type) => (watch ? `${type};stream=watch` : type)).join(', ');
}

/** Whether an answer is in protobuf. */
export function isProtobuf(headers: Pick<IncomingHttpHeaders, 'content-type'>): boolean {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  return type.trim().toLowerCase() === PROTOBUF_TYPE;
}
