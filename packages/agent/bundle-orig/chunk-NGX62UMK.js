import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{EXIT_STATUS,NO_AGENT,backendOf,formatResult,recordedStates,usedStates}from"./chunk-RJV7I2BE.js";import{formatComparison}from"./chunk-JTHS2LB6.js";
import"./chunk-MRBMEEG6.js";import"./chunk-GFOJMRHV.js";import{servesLoopbackByRules}from"./chunk-K6JK22O5.js";
import"./chunk-MTSOMN72.js";import"./chunk-C2RJUF7R.js";import"./chunk-UWS5UL64.js";import{DEFAULT_PROXIER_OPTIONS,
ProxierError,compareModes,isProxierError,messageOf,overallVerdict,systemClock}from"./chunk-4LHTYADA.js";import"./chunk-7IMJZ4UJ.js";
import"./chunk-VCSBMK2H.js";async function verifyBetween(between,settings,composition,{print,printError}){let modes=modesOf(between),compared=modes.
map(mode=>comparableMode(backendOf(mode,settings,composition))),states;try{states=settings.manifests.length>0?await usedStates(
settings,composition):await recordedStates(settings)}catch(error){if(settings.manifests.length>0||!isProxierError(error))
throw error;return printError(`kube-proxier: ${messageOf(error)}
`),NO_AGENT}let begin=systemClock.monotonic(),families=states.map(state=>{let localAddresses=[...state.node.addresses,"1\
27.0.0.1","::1"],[first,second]=compared.map(({mode,servesLoopback,plannedPath})=>({mode,servesLoopback,path:plannedPath(
{state,options:{...DEFAULT_PROXIER_OPTIONS,...settings.proxier},localAddresses})}));return compareModes(state,first,second)}),
result={apiVersion:"kube-proxier.io/v1alpha1",kind:"ModeComparison",verdict:overallVerdict(families),modes,time:new Date(
systemClock.now()).toISOString(),seconds:Math.round(systemClock.monotonic()-begin)/1e3,families};return print(formatResult(
result,settings.output,formatComparison)),EXIT_STATUS[result.verdict]}function modesOf(between){let[first="",second="",...more]=between.
split(",").map(mode=>mode.trim());if(first===""||second===""||more.length>0||first===second)throw new ProxierError("INVA\
LID_ARGUMENT",`--between "${between}" must be two modes, separated by a comma, such as iptables,nftables`);return[first,
second]}function comparableMode(backend){let{mode}=backend;if(backend.plannedPath===void 0)throw new ProxierError("MODE_\
NOT_COMPARABLE",`mode ${mode} cannot be compared: what it plans cannot be interpreted without a kernel; compare iptables\
,nftables`);return{mode,servesLoopback:servesLoopbackByRules(backend),plannedPath:backend.plannedPath.bind(backend)}}export{verifyBetween};
//# sourceMappingURL=chunk-NGX62UMK.js.map
