#!/usr/bin/env node
// The cost of a list in each encoding: npm run bench:list-encodings. Bytes, with and without gzip; CPU time to
// compress, to decompress, to read, and to record it in the cache. Each reading is in a fresh process; numbers are
// medians of seven. The objects have identities of their own, as real ones do. With LIBRARY=PATH of the package pbf,
// its reader is measured too, with the whole list in memory.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gunzipSync, gzipSync } from 'node:zlib';
import { apiService, apiSlice } from './lib/api-objects.mjs';
import { sendToParent } from './lib/child-processes.mjs';
import { toMegabytes } from './lib/process-usage.mjs';
import { Report } from './lib/report.mjs';
import { median } from './lib/statistics.mjs';

/**
 * @typedef {'json' | 'protobuf'} Encoding
 * @typedef {'read' | 'record' | 'library'} Task read it; read it into the cache; read it with the library
 * @typedef {'Service' | 'EndpointSlice'} Kind
 */

const OBJECTS = Number(process.env.OBJECTS ?? 10_000);
const ROUNDS = Number(process.env.ROUNDS ?? 7);
const CHUNK = 32 * 1024;
const LIBRARY = process.env.LIBRARY ?? '';
const SELF = fileURLToPath(import.meta.url);
const DIST = '../packages/source-kubernetes/dist';

/** @param {Kind} kind */
async function makeLists(kind) {
  const { encodeList, encodeMessage, normalizedObject } = await import(`${DIST}/testing/api-encoding.js`);
  const apiVersion = kind === 'Service' ? 'v1' : 'discovery.k8s.io/v1';
  const objects = Array.from({ length: OBJECTS }, (_, index) => {
    const { metadata, ...rest } = kind === 'Service' ? apiService(index) : apiSlice(index, 2);
    const uid = `0b3d7a${index % 90}-5f9d-4b0c-8d3a-${String(index * 7919).padStart(12, '0')}`;
    const own = { uid, resourceVersion: String(1000 + index), creationTimestamp: '2026-11-20T22:03:43Z' };
    return normalizedObject(kind, { metadata: { ...metadata, ...own }, ...rest });
  });
  const metadata = { resourceVersion: '5000' };
  return {
    json: Buffer.from(JSON.stringify({ kind: `${kind}List`, apiVersion, metadata, items: objects })),
    protobuf: encodeList(
      apiVersion,
      kind,
      metadata,
      objects.map((object) => encodeMessage(kind, object)),
    ),
  };
}

/** @param {() => unknown} work @returns {number} milliseconds of CPU */
function cpuOf(work) {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** @param {Kind} kind @param {Encoding} encoding @param {Task} task */
async function measure(kind, encoding, task) {
  const bytes = (await makeLists(kind))[encoding];
  if (task === 'library') {
    const { PbfReader } = await import(pathToFileURL(LIBRARY).href);
    const { API_MESSAGES } = await import(`${DIST}/testing/api-messages.js`);
    sendToParent({ cpu: cpuOf(() => readByLibrary(PbfReader, API_MESSAGES, kind, bytes)) });
    process.disconnect();
    return;
  }
  const { ObjectFormat } = await import(`${DIST}/watch/object-format.js`);
  const { ObjectCache } = await import(`${DIST}/watch/object-cache.js`);
  const { ProtobufSupport } = await import(`${DIST}/watch/protobuf-support.js`);
  const { SERVICES, ENDPOINT_SLICES } = await import(`${DIST}/watch/watched-resource.js`);
  const resource = kind === 'Service' ? SERVICES : ENDPOINT_SLICES;
  const cache = new ObjectCache(resource);
  cache.beginList();
  let count = 0;
  const cpu = cpuOf(() => {
    const format = new ObjectFormat(resource, new ProtobufSupport());
    const reader = format.listReader(encoding === 'protobuf', 1e7);
    for (let from = 0; from < bytes.length; from += CHUNK) {
      for (const item of reader.push(bytes.subarray(from, from + CHUNK))) {
        count += 1;
        if (task === 'record') {
          cache.put(item);
        }
      }
    }
    reader.end();
  });
  if (count !== OBJECTS) {
    throw new Error(`${count} objects were read`);
  }
  sendToParent({ cpu });
  process.disconnect();
}

/**
 * The whole list, with all fields, as generated code would read it.
 *
 * @param {any} PbfReader
 * @param {Readonly<Record<string, Readonly<Record<string, string>>>>} messages
 * @param {string} kind
 * @param {Buffer} bytes
 */
function readByLibrary(PbfReader, messages, kind, bytes) {
  const fields = new Map(
    Object.entries(messages).map(([name, texts]) => [
      name,
      new Map(
        Object.entries(texts).map(([field, text]) => {
          const [, number, type, list] = /^(\d+) (\w+)(\*?)/.exec(text) ?? [];
          return [Number(number), { field, type, isList: list === '*' }];
        }),
      ),
    ]),
  );
  /** @param {string} name @param {any} reader @param {number} end */
  const read = (name, reader, end) =>
    reader.readFields(
      (/** @type {number} */ tag, /** @type {any} */ object) => {
        const known = fields.get(name)?.get(tag);
        if (known === undefined) {
          return;
        }
        const { field, type = '', isList } = known;
        const value = fields.has(type)
          ? read(type, reader, reader.readVarint() + reader.pos)
          : type === 'string'
            ? reader.readString()
            : type === 'bool' || type.startsWith('int')
              ? reader.readVarint(true)
              : reader.readBytes();
        if (isList) {
          object[field] = [...(object[field] ?? []), value];
        } else {
          object[field] = value;
        }
      },
      {},
      end,
    );
  let count = 0;
  const outer = new PbfReader(bytes.subarray(4));
  outer.readFields((/** @type {number} */ tag) => {
    if (tag === 2) {
      outer.readVarint();
      outer.readFields((/** @type {number} */ inner) => {
        if (inner === 2) {
          read(kind, outer, outer.readVarint() + outer.pos);
          count += 1;
        }
      }, {});
    }
  }, {});
  if (count !== OBJECTS) {
    throw new Error(`${count} objects were read`);
  }
}

async function main() {
  const report = new Report('list-encodings', `${OBJECTS} Services and as many slices of 2`);
  for (const kind of /** @type {const} */ (['Service', 'EndpointSlice'])) {
    const lists = await makeLists(kind);
    for (const encoding of /** @type {const} */ (['json', 'protobuf'])) {
      const what = `${kind}s, ${encoding}`;
      const bytes = lists[encoding];
      const compressed = gzipSync(bytes, { level: 1 });
      report.add(`${what}: size`, toMegabytes(bytes.length), 'MB');
      report.add(`${what}: size with gzip`, toMegabytes(compressed.length), 'MB');
      /** @param {() => unknown} work */
      const often = (work) => median(Array.from({ length: ROUNDS }, () => cpuOf(work)));
      report.add(
        `${what}: to compress`,
        often(() => gzipSync(bytes, { level: 1 })),
        'ms',
      );
      report.add(
        `${what}: to decompress`,
        often(() => gunzipSync(compressed)),
        'ms',
      );
      /** @type {readonly (readonly [string, Task])[]} */
      const tasks = [
        ['to read', 'read'],
        ['to read and record', 'record'],
        ...(encoding === 'protobuf' && LIBRARY !== '' ? [/** @type {const} */ (['to read with pbf', 'library'])] : []),
      ];
      for (const [title, task] of tasks) {
        const times = [];
        for (let round = 0; round < ROUNDS; round += 1) {
          const child = fork(SELF, [kind, encoding, task]);
          const [{ cpu }] = /** @type {[{cpu: number}]} */ (await once(child, 'message'));
          times.push(cpu);
        }
        report.add(`${what}: ${title}`, median(times), 'ms');
      }
    }
  }
  report.finish();
}

const [kind, encoding, task] = process.argv.slice(2);
if (kind === undefined) {
  await main();
} else {
  await measure(/** @type {Kind} */ (kind), /** @type {Encoding} */ (encoding), /** @type {Task} */ (task));
}
