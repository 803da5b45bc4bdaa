import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{isProxierError,printable}from"./chunk-4LHTYADA.js";var MAX_MESSAGE_LENGTH=8192,MAX_KEY_LENGTH=64,MAX_VALUE_LENGTH=2048;function formatTextLine(entry){let level=entry.level.
toUpperCase().padEnd(5),fields=Object.entries(entry.fields??{}).map(([key,value])=>` ${printable(key,MAX_KEY_LENGTH)}=${textOf(
value)}`);return`${new Date(entry.time).toISOString()} ${level} ${printable(entry.message,MAX_MESSAGE_LENGTH)}${fields.join(
"")}`}function formatJsonLine(entry){let fields={};for(let[key,value]of Object.entries(entry.fields??{}))fields[key]=plainOf(
value);let line={...fields,ts:entry.time,level:entry.level,v:entry.v,msg:entry.message};return(stringify(line)??"{}").replace(
/[^\x20-\x7e]/g,character=>`\\u${character.charCodeAt(0).toString(16).padStart(4,"0")}`)}function textOf(value){let plain=plainOf(
value);return printable(stringify(plain)??String(plain),MAX_VALUE_LENGTH)}function plainOf(value){return value instanceof
Error?isProxierError(value)?`${value.code}: ${value.message}`:`${value.name}: ${value.message}`:typeof value=="bigint"?value.
toString():value}function stringify(value){try{return JSON.stringify(value,(_key,inner)=>plainOf(inner))}catch{return'"(\
cannot be shown)"'}}export{MAX_MESSAGE_LENGTH,formatTextLine,formatJsonLine};
//# sourceMappingURL=chunk-OAH5SUEQ.js.map
