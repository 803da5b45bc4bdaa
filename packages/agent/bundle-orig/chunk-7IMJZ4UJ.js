import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{createRequire}from"node:module";var required=createRequire(import.meta.url)("node:util");var{aborted,callbackify,debuglog,getSystemErrorMap,getSystemErrorName,inspect,isDeepStrictEqual,parseArgs,promisify,stripVTControlCharacters,
styleText,types}=required;export{aborted,callbackify,debuglog,getSystemErrorMap,getSystemErrorName,inspect,isDeepStrictEqual,promisify,stripVTControlCharacters,
styleText};
//# sourceMappingURL=chunk-7IMJZ4UJ.js.map
