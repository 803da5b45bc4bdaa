import type { UnknownRecord } from '@kube-proxier/core';
import { encodeMessage, encodeObject, hasMessage, NotEncodable, normalizedObject } from './api-encoding.js';
import type { ApiObject } from './api-object.js';

/** The type of an object. */
export interface ObjectType {
  readonly kind: string;
  readonly apiVersion: string;
}

/** Encodes the objects of a server, each of them once. */
export class ObjectEncoder {
  readonly #json = new WeakMap<ApiObject, string>();
  readonly #messages = new WeakMap<ApiObject, Buffer>();

  /** JSON of an object, without its type. Invalid objects are sent unchanged. */
  json(kind: string, object: ApiObject): string {
    let text = this.#json.get(object);
    if (text === undefined) {
      text = JSON.stringify(normalizedOrSame(kind, object));
      this.#json.set(object, text);
    }
    return text;
  }

  /** @throws NotEncodable */
  message(kind: string, object: ApiObject): Buffer {
    let message = this.#messages.get(object);
    if (message === undefined) {
      // Without the space that the writer reserved.
      message = Buffer.from(encodeMessage(kind, object));
      this.#messages.set(object, message);
    }
    return message;
  }

  /** Their messages; undefined when one of them cannot be encoded. */
  messages(kind: string, objects: readonly ApiObject[]): readonly Buffer[] | undefined {
    try {
      return objects.map((object) => this.message(kind, object));
    } catch (error) {
      if (error instanceof NotEncodable) {
        return undefined;
      }
      throw error;
    }
  }
}

/** JSON of an object with its type. */
export function withType({ kind, apiVersion }: ObjectType, json: string): string {
  const type = JSON.stringify({ kind, apiVersion });
  return json === '{}' ? type : `${type.slice(0, -1)},${json.slice(1)}`;
}

/** A Status in protobuf, as it is sent. */
export function encodeStatus(status: UnknownRecord): Buffer {
  return encodeObject('v1', 'Status', encodeMessage('Status', status));
}

function normalizedOrSame(kind: string, object: ApiObject): UnknownRecord {
  try {
    return hasMessage(kind) ? normalizedObject(kind, object) : object;
  } catch (error) {
    if (error instanceof NotEncodable) {
      return object;
    }
    throw error;
  }
}
