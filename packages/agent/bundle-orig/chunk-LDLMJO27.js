import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{ProgressLine}from"./chunk-SXEL2VG4.js";import"./chunk-4LHTYADA.js";import"./chunk-VCSBMK2H.js";export{ProgressLine};
//# sourceMappingURL=chunk-LDLMJO27.js.map
