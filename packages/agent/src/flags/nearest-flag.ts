import { nearestName } from '@kube-proxier/core';
import { FLAGS } from './flag.js';

/** The flag most similar to `name`; undefined when none is similar. */
export function nearestFlag(name: string): string | undefined {
  return nearestName(
    name,
    FLAGS.map((flag) => flag.name),
  );
}
