import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{cleanUp,describeRunningProxy,runningProxies}from"./chunk-XLSJRZ32.js";import"./chunk-NDLARBRE.js";import"./chunk-K6JK22O5.js";
import"./chunk-MTSOMN72.js";import"./chunk-C2RJUF7R.js";import"./chunk-4LHTYADA.js";import"./chunk-7IMJZ4UJ.js";
import"./chunk-VCSBMK2H.js";export{cleanUp,describeRunningProxy,runningProxies};
//# sourceMappingURL=chunk-SPYK4UCG.js.map
