import { isRecord, type UnknownRecord, yamlBoolean } from '@kube-proxier/core';

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
  return CONDITIONS.some((name) => yamlBoolean(conditions[name]) !== undefined);
}

function withBooleans(conditions: UnknownRecord): UnknownRecord {
  const changed = CONDITIONS.filter((name) => yamlBoolean(conditions[name]) !== undefined);
  return {
    ...conditions,
    ...Object.fromEntries(changed.map((name) => [name, yamlBoolean(conditions[name])])),
  };
}
