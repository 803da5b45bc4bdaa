import type { ApiObject } from './api-object.js';

/** The value that an object is compared with. */
export type Matcher = (object: ApiObject) => boolean;

/** A selector that cannot be parsed; its message is that of an API server. */
export class SelectorError extends Error {}

/** Fields that a field selector supports in addition to name and namespace, by resource. */
const FIELDS: Readonly<Record<string, readonly string[]>> = { services: ['spec.clusterIP', 'spec.type'] };

/**
 * @param text `!a`, `a`, `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, with commas between.
 * @throws SelectorError
 */
export function parseLabelSelector(text: string): Matcher {
  const matchers = splitTerms(text).map((term): Matcher => {
    const set = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(term);
    if (set) {
      const [, key = '', operator, list = ''] = set;
      const values = list.split(',').map((value) => value.trim());
      return (object) => {
        const value = object.metadata.labels?.[key];
        return (value !== undefined && values.includes(value)) === (operator === 'in');
      };
    }
    const compare = /^([^!=\s]+)\s*(==|=|!=)\s*(\S*)$/.exec(term);
    if (compare) {
      const [, key = '', operator, value] = compare;
      return (object) => (object.metadata.labels?.[key] === value) === (operator !== '!=');
    }
    const exists = /^(!?)([^!=\s]+)$/.exec(term);
    if (!exists) {
      throw new SelectorError(`unable to parse requirement: ${term}`);
    }
    const [, not, key = ''] = exists;
    return (object) => Object.hasOwn(object.metadata.labels ?? {}, key) === (not === '');
  });
  return (object) => matchers.every((matches) => matches(object));
}

/**
 * @param text `a=b`, `a==b`, `a!=b`, with commas between.
 * @throws SelectorError
 */
export function parseFieldSelector(text: string, resource: string): Matcher {
  const known = ['metadata.name', 'metadata.namespace', ...(FIELDS[resource] ?? [])];
  const matchers = splitTerms(text).map((term): Matcher => {
    const compare = /^([^!=]+)(==|=|!=)(.*)$/.exec(term);
    if (!compare) {
      throw new SelectorError(`invalid selector: '${term}'; can't understand '${term}'`);
    }
    const [, field = '', operator, value = ''] = compare;
    if (!known.includes(field)) {
      throw new SelectorError(`field label not supported: ${field}`);
    }
    return (object) => (fieldOf(object, field) === value) === (operator !== '!=');
  });
  return (object) => matchers.every((matches) => matches(object));
}

function splitTerms(text: string): string[] {
  return text
    .split(/,(?![^(]*\))/)
    .map((term) => term.trim())
    .filter((term) => term !== '');
}

function fieldOf(object: ApiObject, field: string): string {
  let value: unknown = object;
  for (const step of field.split('.')) {
    value =
      typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[step] : undefined;
  }
  return typeof value === 'string' ? value : '';
}
