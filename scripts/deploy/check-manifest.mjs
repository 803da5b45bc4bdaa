import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as client from '@kubernetes/client-node';

/** @typedef {{readonly name: string, readonly baseName: string, readonly type: string}} Field of a model */

/** @type {ReadonlyMap<string, unknown>} */
const exported = new Map(Object.entries(client));
const MODELS = join(dirname(createRequire(import.meta.url).resolve('@kubernetes/client-node')), 'gen/models');
/** @type {Readonly<Record<string, string>>} */
const KINDS = {
  'v1 ConfigMap': 'V1ConfigMap',
  'v1 Secret': 'V1Secret',
  'v1 ServiceAccount': 'V1ServiceAccount',
  'v1 Service': 'V1Service',
  'v1 Endpoints': 'V1Endpoints',
  'v1 Node': 'V1Node',
  'apps/v1 DaemonSet': 'V1DaemonSet',
  'discovery.k8s.io/v1 EndpointSlice': 'V1EndpointSlice',
  'rbac.authorization.k8s.io/v1 ClusterRole': 'V1ClusterRole',
  'rbac.authorization.k8s.io/v1 ClusterRoleBinding': 'V1ClusterRoleBinding',
};
const QUANTITY = /^\d+(?:\.\d+)?(?:m|k|M|G|T|Ki|Mi|Gi|Ti)?$/;

/**
 * Holds an object against the OpenAPI schema that Kubernetes publishes, strictly: fields that it does not have, fields
 * that are missing, and values of another type are problems. The schema is that of the API client, which is generated
 * from it: the fields and types of its models, and, from their declarations, which of them are required.
 *
 * @param {unknown} object
 * @returns {string[]} problems, each with the path of the field
 */
export function checkManifest(object) {
  const { apiVersion, kind } = isRecord(object) ? object : {};
  const model = KINDS[`${apiVersion} ${kind}`];
  return model === undefined
    ? [`${apiVersion} ${kind} is not a kind that is known here`]
    : checkModel(model, object, '');
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * @param {string} model
 * @returns {readonly Field[]}
 */
function fieldsOf(model) {
  const found = exported.get(model);
  if (typeof found !== 'function' || !('getAttributeTypeMap' in found)) {
    throw new Error(`the API client has no model ${model}`);
  }
  return /** @type {{getAttributeTypeMap: () => readonly Field[]}} */ (
    /** @type {unknown} */ (found)
  ).getAttributeTypeMap();
}

/**
 * @param {string} model
 * @param {unknown} object
 * @param {string} path
 * @returns {string[]}
 */
function checkModel(model, object, path) {
  if (!isRecord(object)) {
    return [`${path}: not an object`];
  }
  const fields = new Map(fieldsOf(model).map((field) => [field.baseName, field]));
  const missing = requiredFields(model).filter((name) => object[fields.get(name)?.baseName ?? name] === undefined);
  return [
    ...missing.map((name) => `${path}/${name}: missing`),
    ...Object.entries(object).flatMap(([name, value]) => {
      const field = fields.get(name);
      return field ? checkType(field.type, value, `${path}/${name}`) : [`${path}/${name}: no such field in ${model}`];
    }),
  ];
}

/**
 * @param {string} type
 * @param {unknown} value
 * @param {string} path
 * @returns {string[]}
 */
function checkType(type, value, path) {
  const list = /^Array<(.*)>$/.exec(type);
  if (list) {
    return Array.isArray(value)
      ? value.flatMap((item, index) => checkType(list[1] ?? '', item, `${path}/${index}`))
      : [`${path}: not a list`];
  }
  const map = /^\{ \[key: string\]: (.*); \}$/.exec(type);
  if (map) {
    if (!isRecord(value)) {
      return [`${path}: not a map`];
    }
    const isQuantity = /\/(?:limits|requests)$/.test(path);
    return Object.entries(value).flatMap(([name, inner]) =>
      isQuantity && !QUANTITY.test(String(inner))
        ? [`${path}/${name}: not a quantity`]
        : checkType(map[1] ?? '', inner, `${path}/${name}`),
    );
  }
  switch (type) {
    case 'string':
    case 'boolean':
    case 'number':
      return typeof value === type ? [] : [`${path}: not a ${type}`];
    case 'IntOrString':
      return Number.isInteger(value) || typeof value === 'string' ? [] : [`${path}: not a number or string`];
    case 'Date':
      return Number.isNaN(Date.parse(String(value))) ? [`${path}: not a time`] : [];
    default:
      return checkModel(type, value, path);
  }
}

/** @type {Map<string, string[]>} */
const required = new Map();

/**
 * Fields that a model's declaration does not make optional.
 *
 * @param {string} model
 */
function requiredFields(model) {
  let names = required.get(model);
  if (!names) {
    const text = readFileSync(join(MODELS, `${model}.d.ts`), 'utf8');
    names = [...text.matchAll(/^ {4}'(\w+)':/gm)].map(([, name = '']) => name);
    required.set(model, names);
  }
  return names;
}
