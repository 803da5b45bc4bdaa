import type { CountedTotal } from '../backend/messages.js';
import type { CaseVariant } from './case-result.js';
import type { FlowMismatch } from './judge-flow.js';

/** The traffic sent to a Service, by endpoint. */
export interface Sent {
  readonly flow: string;
  /** `namespace/name` of the Service. */
  readonly service: string;
  /** Services without traffic. */
  readonly otherServices: readonly string[];
  readonly variant: CaseVariant;
  readonly quantity: CountedTotal['quantity'];
  /** Connections, or bytes of payload in each direction, by the address of the endpoint. */
  readonly byEndpoint: ReadonlyMap<string, number>;
}

const DIRECTIONS: Readonly<Record<CountedTotal['quantity'], readonly (string | undefined)[]>> = {
  connections: [undefined],
  bytes: ['to-endpoints', 'to-clients'],
};
/** Tolerance for headers, acknowledgements and retransmissions. Double counting would at least double the bytes. */
const MOST = { factor: 1.5, bytes: 4000 };

/** The error in the increments: too low or too high. Undefined when correct. Pure. */
export function judgeCounters(
  sent: Sent,
  before: readonly CountedTotal[],
  after: readonly CountedTotal[],
): (FlowMismatch & { readonly isTooLittle: boolean }) | undefined {
  const { flow, quantity, variant, byEndpoint } = sent;
  const total = [...byEndpoint.values()].reduce((sum, one) => sum + one, 0);
  const services = [
    { service: sent.service, wanted: [...byEndpoint] },
    ...sent.otherServices.map((service) => ({ service, wanted: [] })),
  ];
  for (const { service, wanted } of services) {
    const isOfService = (one: CountedTotal) =>
      one.quantity === quantity &&
      one.service === service &&
      one.protocol === variant.protocol &&
      one.family === variant.family;
    const keyOf = ({ endpoint, direction }: Pick<CountedTotal, 'endpoint' | 'direction'>) =>
      `${endpoint ?? ''} ${direction ?? ''}`;
    const known = new Map(before.filter(isOfService).map((one) => [keyOf(one), one.value]));
    const added = new Map(
      after.filter(isOfService).map((one) => [keyOf(one), one.value - (known.get(keyOf(one)) ?? 0)]),
    );
    const endpoints = new Set([...before, ...after].filter(isOfService).map(({ endpoint }) => endpoint));
    const had = wanted.map(([address, value]) => ({
      value,
      endpoint:
        [...endpoints].find((one) => one?.startsWith(`${address}:`) || one?.startsWith(`[${address}]:`)) ?? address,
    }));
    const others = [...endpoints].filter((one) => one !== undefined && had.every(({ endpoint }) => endpoint !== one));
    const rows = [
      { endpoint: undefined, value: wanted.length === 0 ? 0 : total },
      ...had,
      ...others.map((endpoint) => ({ endpoint, value: 0 })),
    ];
    for (const direction of DIRECTIONS[quantity]) {
      for (const { endpoint, value } of rows) {
        const most = quantity === 'connections' || value === 0 ? value : value * MOST.factor + MOST.bytes;
        const found = added.get(
          keyOf({ ...(endpoint === undefined ? {} : { endpoint }), ...(direction === undefined ? {} : { direction }) }),
        );
        if (found === undefined || found < value || found > most) {
          const what = direction === undefined ? quantity : `${quantity} ${direction}`;
          const of = endpoint === undefined ? `of the Service ${service}` : `of the endpoint ${endpoint} of ${service}`;
          const much = value === 0 ? 'no' : most === value ? `${value}` : `${value} to ${most}`;
          return {
            flow,
            expected: `${much} ${what} ${of} counted`,
            actual: found === undefined ? 'none are counted' : `${found}`,
            isTooLittle: (found ?? 0) < value,
          };
        }
      }
    }
  }
  return undefined;
}
