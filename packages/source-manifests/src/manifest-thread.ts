/** Parses manifests in a separate thread, one after the other. Started by `manifest-parser.ts`. */
import { parentPort } from 'node:worker_threads';
import type { EndpointSliceReadOptions } from '@kube-proxier/core';
import { readManifest, refusedManifest, textOf } from './read-manifest.js';

/** The message to the thread: one file. */
export interface ManifestRequest {
  readonly file: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly options: EndpointSliceReadOptions;
}

parentPort?.on('message', ({ file, bytes, options }: ManifestRequest) => {
  const manifest = readManifest(file, textOf(bytes), options);
  try {
    parentPort?.postMessage(manifest);
  } catch {
    // Values nested deeper than the stack allows cannot be transferred.
    parentPort?.postMessage(refusedManifest(file, 'it is nested too deeply'));
  }
});
