import { formatPorts, type PortRangeSupport } from '../model/port-range.js';
import type { ServicePort } from '../model/service-port.js';
import type { EndpointView } from '../tracking/endpoint-set.js';

/** The range of a service port as far as it can be served. */
export interface UsableRange {
  readonly lastPort: number | undefined;
  /** Why a requested range cannot be served. */
  readonly problem: string | undefined;
}

const NO_RANGE: UsableRange = { lastPort: undefined, problem: undefined };
const MAX_PORT = 65_535;

/** Whether the range of a service port can be served for its endpoints, in this mode (spec PR-3, PR-6). Pure. */
export function usableRange(
  { port, lastPort, name: { protocol } }: ServicePort,
  { candidates }: Pick<EndpointView, 'candidates'>,
  support: PortRangeSupport,
): UsableRange {
  if (lastPort === undefined) {
    return NO_RANGE;
  }
  const none = (why: string, remedy: string): UsableRange => ({
    lastPort: undefined,
    problem: `${why}, so of the range only port ${port}/${protocol} is served; ${remedy}`,
  });
  if (support === 'none') {
    return none('this mode serves no port ranges', 'use another mode');
  }
  const beyond = candidates.find((endpoint) => endpoint.port + lastPort - port > MAX_PORT);
  if (beyond !== undefined) {
    return none(
      `the ports of endpoint ${beyond.key} would go beyond ${MAX_PORT}`,
      'use a shorter range or a lower target port',
    );
  }
  const shifted = support === 'same-port' && candidates.find((endpoint) => endpoint.port !== port);
  if (shifted) {
    return none(
      `this mode sends the ports ${formatPorts({ port, lastPort })} to the same ports of endpoints only, and that of endpoint ${shifted.key} is another`,
      `use the target port ${port}, or another mode`,
    );
  }
  return { lastPort, problem: undefined };
}
