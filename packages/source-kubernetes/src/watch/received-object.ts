import { flatText, isRecord, isText } from '@kube-proxier/core';
import type { Shape } from './object-shape.js';

/** A received object, reduced to the retained part. */
export interface ReceivedObject {
  /** Namespace and name; undefined without a name. */
  readonly key: string | undefined;
  /** The retained part. */
  readonly kept: unknown;
}

/** Selects the retained part of an object. */
export function receivedObject(object: unknown, shape: Shape): ReceivedObject {
  return { key: keyOf(object), kept: shape.take(object) };
}

/** Namespace and name of an object; undefined without a name. */
export function keyOf(object: unknown): string | undefined {
  const metadata = isRecord(object) ? object.metadata : undefined;
  if (!isRecord(metadata) || !isText(metadata.name)) {
    return undefined;
  }
  return isText(metadata.namespace) ? flatText(metadata.namespace, '/', metadata.name) : metadata.name;
}
