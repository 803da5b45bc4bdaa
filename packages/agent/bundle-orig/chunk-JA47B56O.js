import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
var OUTPUTS=["text","json","yaml","wide"];function isOutput(text){return OUTPUTS.some(output=>output===text)}export{OUTPUTS,isOutput};
//# sourceMappingURL=chunk-JA47B56O.js.map
