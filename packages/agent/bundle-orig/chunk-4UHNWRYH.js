import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{styleText}from"./chunk-7IMJZ4UJ.js";var FORMATS={good:"green",warning:"yellow",bad:"red",strong:"bold",faint:"dim"},plainStyle=(_tone,text)=>text,colourStyle=(tone,text)=>styleText(
FORMATS[tone],text,{validateStream:!1});function textStyleFor(isTerminal,variables){let{NO_COLOR:noColour="",TERM:terminal}=variables;
return isTerminal&&noColour===""&&terminal!=="dumb"?colourStyle:plainStyle}export{plainStyle,textStyleFor};
//# sourceMappingURL=chunk-4UHNWRYH.js.map
