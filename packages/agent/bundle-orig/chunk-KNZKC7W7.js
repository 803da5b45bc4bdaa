import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{EXIT_STATUS,NO_AGENT,backendOf,formatResult,usedStates}from"./chunk-RJV7I2BE.js";import{formatVerification}from"./chunk-JTHS2LB6.js";
import"./chunk-MRBMEEG6.js";import"./chunk-GFOJMRHV.js";import{verifyNode}from"./chunk-K6JK22O5.js";import"./chunk-MTSOMN72.js";
import{ProcLocalNetwork}from"./chunk-C2RJUF7R.js";import{queryAgent}from"./chunk-4OP7SHWD.js";import"./chunk-UWS5UL64.js";
import{DEFAULT_PROXIER_OPTIONS,ProxierError,isProxierError,messageOf,pause,systemClock}from"./chunk-4LHTYADA.js";import"./chunk-7IMJZ4UJ.js";
import"./chunk-VCSBMK2H.js";var INTERVAL=100;async function verify(settings,composition,{print,printError,signal}){let result;if(settings.manifests.
length>0)result=await verifyManifests(settings,composition,signal);else try{result=await askAgent(settings,signal)}catch(error){
if(!isProxierError(error))throw error;return printError(`kube-proxier: ${messageOf(error)}
`),NO_AGENT}return print(formatResult(result,settings.output,formatVerification)),EXIT_STATUS[result.verdict]}async function askAgent({
status},signal){let started=JSON.parse(await queryAgent(status,"/debug/verify","set --manifests to verify them",{method:"\
POST"}));for(;;){let report=JSON.parse(await queryAgent(status,"/debug/verify"));if(report.finished>=started.number&&report.
last!==null)return report.last;if(signal.aborted||!report.running&&report.finished<started.number)throw new ProxierError(
"VERIFICATION_ENDED","the verification was ended early; run kube-proxier verify again");await pause(systemClock,INTERVAL,
signal)}}async function verifyManifests(settings,composition,signal){let backend=backendOf(settings.mode,settings,composition),
localAddresses=await new ProcLocalNetwork().localAddresses(),states=new Map((await usedStates(settings,composition,localAddresses)).
map(state=>[state.family,state]));return await verifyNode({backend,options:{...DEFAULT_PROXIER_OPTIONS,...settings.proxier},
states:()=>states,clock:systemClock,signal})}export{verify};
//# sourceMappingURL=chunk-KNZKC7W7.js.map
