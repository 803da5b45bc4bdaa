import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{EXIT_STATUS,NO_AGENT,backendOf,formatResult,recordedStates,usedStates}from"./chunk-RJV7I2BE.js";import{formatConnections}from"./chunk-JTHS2LB6.js";
import"./chunk-MRBMEEG6.js";import"./chunk-GFOJMRHV.js";import{verifyConnections}from"./chunk-K6JK22O5.js";
import"./chunk-MTSOMN72.js";import{HostConntrack,ProcLocalNetwork}from"./chunk-C2RJUF7R.js";import{queryAgent}from"./chunk-4OP7SHWD.js";
import"./chunk-UWS5UL64.js";import{isProxierError,messageOf,systemClock}from"./chunk-4LHTYADA.js";import"./chunk-7IMJZ4UJ.js";
import"./chunk-VCSBMK2H.js";async function verifyByConnections(settings,composition,{print,printError,signal}){let localAddresses=await new ProcLocalNetwork().
localAddresses(),mode,states;if(settings.manifests.length>0)({mode}=backendOf(settings.mode,settings,composition)),states=
await usedStates(settings,composition,localAddresses);else try{mode=await queryAgent(settings.status,"/proxyMode","set -\
-manifests to verify their Services"),states=await recordedStates(settings)}catch(error){if(!isProxierError(error))throw error;
return printError(`kube-proxier: ${messageOf(error)}
`),NO_AGENT}let isKernel=backendOf(mode,settings,composition).capabilities?.servesWithoutProcess!==!1,result=await verifyConnections(
{states,mode,localAddresses,clock:systemClock,signal,...isKernel?{conntrack:new HostConntrack}:{}});return print(formatResult(
result,settings.output,formatConnections)),EXIT_STATUS[result.verdict]}export{verifyByConnections};
//# sourceMappingURL=chunk-TAWC44EN.js.map
