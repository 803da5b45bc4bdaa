import { isRecord } from '@kube-proxier/core';

/** JSON merge patch (RFC 7386): fields of `patch` replace those of `target`, null removes one. Pure. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) {
    return patch;
  }
  const result: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) {
      delete result[field];
    } else {
      result[field] = mergePatch(result[field], value);
    }
  }
  return result;
}
