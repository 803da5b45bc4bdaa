import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
var UNITS={ns:1e-6,us:.001,\u00B5s:.001,\u03BCs:.001,ms:1,s:1e3,m:6e4,h:36e5};function parseGoDuration(text){let[,sign,rest]=/^([+-]?)(.*)$/s.
exec(text)??[];if(rest===void 0||text.length>64)return;if(rest==="0")return 0;if(!/^((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/.
test(rest))return;let total=0;for(let[,amount,unit]of rest.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g))total+=
Number(amount)*(UNITS[unit??""]??0);return sign==="-"?-total:total}function formatGoDuration(milliseconds){let sign=milliseconds<
0?"-":"",total=Math.abs(milliseconds);if(total>0&&total<1e3){let micro=Math.round(total*1e3);return total>=1?`${sign}${micro/
1e3}ms`:`${sign}${micro}\xB5s`}let hours=Math.floor(total/36e5),minutes=Math.floor(total/6e4)%60,seconds=Math.round(total%
6e4)/1e3,prefix=hours>0?`${hours}h${minutes}m`:minutes>0?`${minutes}m`:"";return`${sign}${prefix}${seconds}s`}function parseGoBool(text){
return["1","t","T","TRUE","true","True"].includes(text)?!0:["0","f","F","FALSE","false","False"].includes(text)?!1:void 0}
function parseGoInt(text){return/^[+-]?(\d{1,10}|0[xX][0-9a-fA-F]{1,8})$/.test(text)?Number(text.replace(/^\+/,"")):void 0}
function parseGoFloat(text){return/^\+?(\d+\.?\d*|\.\d+)$/.test(text)&&text.length<=32?Number(text):void 0}export{parseGoDuration,formatGoDuration,parseGoBool,parseGoInt,parseGoFloat};
//# sourceMappingURL=chunk-ZZVTHHAR.js.map
