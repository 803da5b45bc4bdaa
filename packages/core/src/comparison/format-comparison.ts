import { joinHostPort } from '../model/address.js';
import { formatPorts } from '../model/port-range.js';
import { formatServicePortName } from '../model/service-port-name.js';
import { countOf } from '../text/count-of.js';
import {
  type Change,
  type EndpointChange,
  endpointAddress,
  type FrontendChange,
  type PropertyChange,
  type ServicePortComparison,
  type StateComparison,
} from './compare-states.js';

/** One line of a plan: its mark, and the text after it. */
export interface PlanLine {
  /** Absent for a line without a change mark. */
  readonly change?: Change;
  /** Colour of the mark. */
  readonly indent: number;
  readonly text: string;
}

export const MARKS: Readonly<Record<Change, string>> = { add: '+', change: '~', remove: '-' };

/** A comparison as lines for a person, without marks and colours: names first, then addresses. */
export function comparisonLines({ servicePorts, node }: StateComparison): readonly PlanLine[] {
  const changes = new Map<string, Set<Change>>();
  for (const port of servicePorts) {
    changes.set(labelOf(port), (changes.get(labelOf(port)) ?? new Set()).add(port.change));
  }
  return [
    ...node.map(
      (one): PlanLine => ({ change: 'change', indent: 0, text: `node, ${one.family}: ${propertyText(one)}` }),
    ),
    ...servicePorts.flatMap((port, index): PlanLine[] => [
      ...(labelOf(port) === labelOf(servicePorts[index - 1]) ? [] : [headOf(port, changes)]),
      ...port.properties.map((one): PlanLine => ({ change: 'change', indent: 4, text: propertyText(one) })),
      ...port.frontends.flatMap(frontendLines),
      ...port.endpoints.map(endpointLine),
    ]),
  ];
}

/** Lines with their marks: `    + ClusterIP 10.96.0.10:80: forward to cluster endpoints`. */
export function formatPlanLines(lines: readonly PlanLine[]): string {
  return lines
    .map(
      ({ change, indent, text }) => `${' '.repeat(indent)}${change === undefined ? '' : `${MARKS[change]} `}${text}\n`,
    )
    .join('');
}

/** `2 Services to add, 1 to change, 0 to remove` */
export function formatPlanSummary({ summary: { add, change, remove } }: Pick<StateComparison, 'summary'>): string {
  return `${countOf(add, 'Service')} to add, ${change} to change, ${remove} to remove`;
}

/** One line covers both families of a service port. */
function headOf(port: ServicePortComparison, changes: ReadonlyMap<string, ReadonlySet<Change>>): PlanLine {
  const isMixed = (changes.get(labelOf(port))?.size ?? 0) > 1;
  return { change: isMixed ? 'change' : port.change, indent: 0, text: labelOf(port) };
}

function labelOf(port: ServicePortComparison | undefined): string {
  return port === undefined ? '' : `${formatServicePortName(port)} (${port.protocol})`;
}

function frontendLines({ change, kind, address, action, properties, ...ports }: FrontendChange): readonly PlanLine[] {
  const name = `${kind} ${address === null ? `<node>:${ports.port}` : joinHostPort(address, formatPorts(ports))}`;
  return change === 'change'
    ? properties.map((one) => ({ change, indent: 4, text: `${name}: ${propertyText(one)}` }))
    : [{ change, indent: 4, text: `${name}: ${action}` }];
}

function endpointLine(endpoint: EndpointChange): PlanLine {
  const { change, podName, nodeName, before, after, isLocal, reason } = endpoint;
  const address = endpointAddress(endpoint);
  const name = podName === null ? address : `${podName} ${address}`;
  const where = nodeName === null ? '' : ` on ${nodeName}`;
  const [was, is] = [before.join(' and '), after.join(' and ')];
  const { weightBefore, weightAfter } = endpoint;
  const moved =
    weightBefore !== weightAfter
      ? `: weight ${weightBefore} -> ${weightAfter}`
      : isLocal
        ? ': now on this node'
        : ': no longer on this node';
  const lists = change !== 'change' ? '' : was === is ? moved : `: ${was} -> ${is}`;
  const why = reason === null || change === 'change' ? '' : `: ${reason}`;
  return { change, indent: 4, text: `endpoint ${name}${where}${lists}${why}` };
}

function propertyText({ property, before, after }: PropertyChange): string {
  return `${property}: ${before ?? '<none>'} -> ${after ?? '<none>'}`;
}
