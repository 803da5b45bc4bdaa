/** Reads manifests in a thread of its own, one after the other. Started by `manifest-parser.ts`. */
import { parentPort } from 'node:worker_threads';
import type { EndpointSliceReadOptions } from '@kube-proxier/core';
import { readManifest, refusedManifest, textOf } from './read-manifest.js';

/** What the thread is sent: one file. */
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
    // Values nested deeper than the stack cannot be handed over.
    parentPort?.postMessage(refusedManifest(file, 'it is nested too deeply'));
  }
});
