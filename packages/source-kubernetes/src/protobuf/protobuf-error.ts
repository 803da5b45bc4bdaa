import { ApiError } from '../api/kubernetes-error.js';

/** An answer claims to be protobuf, and is not, or not that of Kubernetes (`API_RESPONSE_INVALID`). The same may be readable as JSON. */
export class ProtobufError extends ApiError {
  /** @param why the rest of a sentence about the answer. */
  constructor(why: string) {
    super('API_RESPONSE_INVALID', `the answer is not protobuf of Kubernetes: ${why}`);
  }
}
