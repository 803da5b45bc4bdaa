import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{plainStyle,textStyleFor}from"./chunk-4UHNWRYH.js";import"./chunk-7IMJZ4UJ.js";import"./chunk-VCSBMK2H.js";export{plainStyle,textStyleFor};
//# sourceMappingURL=chunk-MOZX6AXQ.js.map
