import type {
  EndpointSliceDefinition,
  NodeDefinition,
  ServiceCIDRDefinition,
  ServiceDefinition,
} from './definitions.js';
import type { ObjectIdentity, ObjectProblem, ReadResult } from './object-problem.js';
import { type EndpointSliceReadOptions, readEndpointSlice } from './read-endpoint-slice.js';
import { readNode, readServiceCIDR } from './read-node.js';
import { readService, type ServiceReadOptions } from './read-service.js';

/**
 * Reads objects and reports their problems: each problem once while the object has it, however often the object is
 * read. Reading the same object twice in a row costs nothing, so the proxiers of two IP families share one reader.
 */
export class ObjectReader {
  /** The object read last of each kind: the proxiers of both families read it one after the other. */
  readonly #latest = new Map<string, { readonly object: object; readonly result: ReadResult<unknown> }>();
  readonly #reported = new Map<string, string>();

  /**
   * @param onProblem called for each new problem. Default: none.
   * @param options exceptions from the rules of the API server, in both directions.
   */
  constructor(
    private readonly onProblem: (problem: ObjectProblem) => void = () => {},
    private readonly options: EndpointSliceReadOptions & ServiceReadOptions = {},
  ) {}

  /** Creates a reader of the same options that reports no problems, for versions of objects that were read before. */
  withoutReports(): ObjectReader {
    return new ObjectReader(() => {}, this.options);
  }

  readService(object: unknown): ReadResult<ServiceDefinition> {
    return this.#read('Service', object, (given) => readService(given, this.options));
  }

  readEndpointSlice(object: unknown): ReadResult<EndpointSliceDefinition> {
    return this.#read('EndpointSlice', object, (given) => readEndpointSlice(given, this.options));
  }

  readNode(object: unknown): ReadResult<NodeDefinition> {
    return this.#read('Node', object, readNode);
  }

  readServiceCIDR(object: unknown): ReadResult<ServiceCIDRDefinition> {
    return this.#read('ServiceCIDR', object, readServiceCIDR);
  }

  /** Called when the object is deleted: its problems are reported again if it is recreated with them. */
  forget(kind: 'Service' | 'EndpointSlice', identity: ObjectIdentity): void {
    this.#reported.delete(`${kind} ${identity.namespace}/${identity.name}`);
  }

  #read<D>(kind: string, object: unknown, parse: (object: unknown) => ReadResult<D>): ReadResult<D> {
    const latest = this.#latest.get(kind);
    if (latest && latest.object === object) {
      return latest.result as ReadResult<D>;
    }
    const result = parse(object);
    if (typeof object === 'object' && object !== null) {
      this.#latest.set(kind, { object, result });
    }
    this.#report(kind, result);
    return result;
  }

  #report(kind: string, result: ReadResult<unknown>): void {
    const isValid = result.problems.length === 0;
    if (isValid && this.#reported.size === 0) {
      return;
    }
    const key = result.identity ? `${kind} ${result.identity.namespace}/${result.identity.name}` : kind;
    if (isValid) {
      this.#reported.delete(key);
      return;
    }
    const text = JSON.stringify(result.problems);
    if (this.#reported.get(key) === text) {
      return;
    }
    this.#reported.set(key, text);
    for (const problem of result.problems) {
      this.onProblem(problem);
    }
  }
}
