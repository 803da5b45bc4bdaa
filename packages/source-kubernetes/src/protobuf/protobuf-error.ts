import { ApiError } from '../api/kubernetes-error.js';

/**
 * An answer in protobuf is malformed, or not from Kubernetes (`API_RESPONSE_INVALID`). The JSON form may be readable.
 */
export class ProtobufError extends ApiError {
  /** @param why the rest of a sentence about the answer. */
  constructor(why: string) {
    super('API_RESPONSE_INVALID', `the answer is not protobuf of Kubernetes: ${why}`);
  }
}
