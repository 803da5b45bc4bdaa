import { isRecord, type UnknownRecord } from '@kube-proxier/core';

/** Booleans of YAML 1.1, which kubectl reads, and their meaning. The parsers here are for YAML 1.2, where they are texts. */
const YAML_1_1_BOOLEANS: ReadonlyMap<unknown, boolean> = new Map([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON'].map((text) => [text, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF'].map((text) => [text, false] as const),
]);

const CONDITIONS = ['ready', 'serving', 'terminating'] as const;

/** An EndpointSlice whose conditions are booleans where YAML 1.1 has them; the same object where nothing differs. Pure. */
export function withBooleanConditions(slice: UnknownRecord): UnknownRecord {
  const { endpoints } = slice;
  if (!Array.isArray(endpoints) || !endpoints.some((endpoint) => isChanged(conditionsOf(endpoint)))) {
    return slice;
  }
  return {
    ...slice,
    endpoints: endpoints.map((endpoint: unknown) => {
      const conditions = conditionsOf(endpoint);
      return isChanged(conditions)
        ? { ...(endpoint as UnknownRecord), conditions: withBooleans(conditions) }
        : endpoint;
    }),
  };
}

function conditionsOf(endpoint: unknown): UnknownRecord {
  return isRecord(endpoint) && isRecord(endpoint.conditions) ? endpoint.conditions : {};
}

function isChanged(conditions: UnknownRecord): boolean {
  return CONDITIONS.some((name) => YAML_1_1_BOOLEANS.has(conditions[name]));
}

function withBooleans(conditions: UnknownRecord): UnknownRecord {
  const changed = CONDITIONS.filter((name) => YAML_1_1_BOOLEANS.has(conditions[name]));
  return {
    ...conditions,
    ...Object.fromEntries(changed.map((name) => [name, YAML_1_1_BOOLEANS.get(conditions[name])])),
  };
}
