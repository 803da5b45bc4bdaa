import { PORT_RANGE_ANNOTATION } from '../model/port-range.js';
import { printableValue } from '../text/printable.js';
import type { ServicePortDefinition } from './definitions.js';
import type { FieldReader } from './field-reader.js';

/** Maximum number of ranges of a Service. */
const MAX_RANGES = 64;
const MAX_PORT = 65_535;

/**
 * The ports of a Service with the ranges of `kube-proxier.io/port-range` (spec PR-1). An invalid range is reported, and
 * only the port that it would extend is served (spec PR-3).
 */
export function readPortRanges(
  reader: FieldReader,
  annotations: Readonly<Record<string, string>>,
  ports: readonly ServicePortDefinition[],
): readonly ServicePortDefinition[] {
  const text = annotations[PORT_RANGE_ANNOTATION];
  if (text === undefined) {
    return ports;
  }
  const field = `metadata.annotations["${PORT_RANGE_ANNOTATION}"]`;
  const lastPorts = new Map<number, number>();
  for (const item of text.split(',').map((part) => part.trim())) {
    if (item === '') {
      continue;
    }
    const [, from, to] = /^([1-9]\d{0,4})\s*-\s*([1-9]\d{0,4})$/.exec(item) ?? [];
    const [first, last] = [Number(from), Number(to)];
    if (from === undefined || last > MAX_PORT || last < first || lastPorts.size >= MAX_RANGES) {
      reader.ignoreField(
        field,
        `${printableValue(item)} is not FIRST-LAST, for example 10000-20000, with ports from 1 to ${MAX_PORT}, at most ${MAX_RANGES} of them`,
      );
    } else if (!ports.some(({ port }) => port === first)) {
      reader.ignoreField(
        field,
        `${item}: the Service has no port ${first}; add one to spec.ports, which the range extends`,
      );
    } else if (lastPorts.has(first)) {
      reader.ignoreField(field, `${item}: port ${first} has a range already; name each first port once`);
    } else {
      lastPorts.set(first, last);
    }
  }
  return ports.map((definition) => {
    const { port, protocol } = definition;
    const last = lastPorts.get(port) ?? port;
    if (last === port) {
      return definition;
    }
    const inside = ports.find((other) => other.protocol === protocol && other.port > port && other.port <= last);
    if (inside !== undefined) {
      reader.ignoreField(
        field,
        `${port}-${last} contains port ${inside.port}/${protocol} of the same Service, so of the range only port ${port}/${protocol} is served; let the range end before it, or remove that port`,
      );
      return definition;
    }
    return { ...definition, lastPort: last };
  });
}
