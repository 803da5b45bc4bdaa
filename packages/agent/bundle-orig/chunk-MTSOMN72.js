import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{createRequire}from"node:module";var required=createRequire(import.meta.url)("node:http");var{Agent,createServer,get,request,STATUS_CODES}=required;export{Agent,createServer,get,request};
//# sourceMappingURL=chunk-MTSOMN72.js.map
