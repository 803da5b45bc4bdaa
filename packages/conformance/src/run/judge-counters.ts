import type { CountedBytes } from '../backend/messages.js';
import type { CaseVariant } from './case-result.js';
import type { FlowMismatch } from './judge-flow.js';

/** What was carried in each direction, and by which endpoints. */
export interface Transferred {
  readonly flow: string;
  /** `namespace/name` of the Service. */
  readonly service: string;
  readonly variant: CaseVariant;
  /** Bytes of payload by the address of the endpoint. */
  readonly byEndpoint: ReadonlyMap<string, number>;
}

const DIRECTIONS = ['to-endpoints', 'to-clients'] as const;
/**
 * Packets have headers, are acknowledged and at times sent again. Those that are counted twice have at least twice as many bytes.
 */
const MOST = { factor: 1.5, bytes: 4000 };

/** What is wrong with what was counted in between: too little, or too much. Undefined where all is right. Pure. */
export function judgeCounters(
  { flow, service, variant, byEndpoint }: Transferred,
  before: readonly CountedBytes[],
  after: readonly CountedBytes[],
): (FlowMismatch & { readonly isTooLittle: boolean }) | undefined {
  const isOfService = (one: CountedBytes) =>
    one.service === service && one.protocol === variant.protocol && one.family === variant.family;
  const keyOf = ({ endpoint, direction }: CountedBytes) => `${endpoint ?? ''} ${direction}`;
  const known = new Map(before.filter(isOfService).map((one) => [keyOf(one), one.bytes]));
  const added = new Map(after.filter(isOfService).map((one) => [keyOf(one), one.bytes - (known.get(keyOf(one)) ?? 0)]));
  const endpoints = new Set([...before, ...after].filter(isOfService).map(({ endpoint }) => endpoint));
  const total = [...byEndpoint.values()].reduce((sum, bytes) => sum + bytes, 0);
  const wanted = [...byEndpoint].map(([address, bytes]) => ({
    bytes,
    endpoint:
      [...endpoints].find((one) => one?.startsWith(`${address}:`) || one?.startsWith(`[${address}]:`)) ?? address,
  }));
  const others = [...endpoints].filter((one) => one !== undefined && wanted.every(({ endpoint }) => endpoint !== one));
  const rows = [
    { endpoint: undefined, bytes: total },
    ...wanted,
    ...others.map((endpoint) => ({ endpoint, bytes: 0 })),
  ];
  for (const direction of DIRECTIONS) {
    for (const { endpoint, bytes } of rows) {
      const most = bytes === 0 ? 0 : bytes * MOST.factor + MOST.bytes;
      const found = added.get(`${endpoint ?? ''} ${direction}`);
      if (found === undefined || found < bytes || found > most) {
        const of = endpoint === undefined ? 'of the Service' : `of the endpoint ${endpoint}`;
        return {
          flow,
          expected: `${bytes === 0 ? 'no bytes' : `${bytes} to ${most} bytes`} ${direction} ${of} counted`,
          actual: found === undefined ? 'none are counted' : `${found}`,
          isTooLittle: (found ?? 0) < bytes,
        };
      }
    }
  }
  return undefined;
}
