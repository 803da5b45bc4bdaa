import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{readManifest,refusedManifest,textOf}from"./chunk-DN2MOHMJ.js";import"./chunk-UWS5UL64.js";import"./chunk-4LHTYADA.js";
import"./chunk-VCSBMK2H.js";import{parentPort}from"node:worker_threads";parentPort?.on("message",({file,bytes,options})=>{let manifest=readManifest(file,textOf(bytes),options);try{parentPort?.
postMessage(manifest)}catch{parentPort?.postMessage(refusedManifest(file,"it is nested too deeply"))}});
//# sourceMappingURL=manifest-thread.js.map
