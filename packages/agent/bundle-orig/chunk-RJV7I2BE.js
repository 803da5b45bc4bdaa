import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{openRecording}from"./chunk-MRBMEEG6.js";import{resolveManifests}from"./chunk-GFOJMRHV.js";import{replayRecording}from"./chunk-K6JK22O5.js";
import{require_dist}from"./chunk-UWS5UL64.js";import{DEFAULT_PROXY_MODE,ProxierError}from"./chunk-4LHTYADA.js";
import{__toESM}from"./chunk-VCSBMK2H.js";var FAMILIES=["IPv4","IPv6"];function backendOf(name,settings,composition){let mode=name===""?DEFAULT_PROXY_MODE:name,backends=composition.
configure?.(settings)??composition.backends,backend=backends.find(candidate=>candidate.mode===mode);if(backend===void 0){
let modes=backends.map(candidate=>candidate.mode).join(", ");throw new ProxierError("UNKNOWN_PROXY_MODE",`there is no pr\
oxy mode ${mode}; choose one of ${modes}`)}return backend}async function usedStates(settings,composition,localAddresses){
let resolved=await resolveManifests(FAMILIES,settings,composition,localAddresses),used=resolved.filter(({servicePorts})=>servicePorts.
size>0);return used.length>0?used:resolved.slice(0,1)}async function recordedStates(settings){let source=await openRecording(
"",settings),{replay}=await replayRecording(source.open()),states=replay.families.flatMap(family=>replay.inForce(family)??
[]);if(states.length===0)throw new ProxierError("NOT_RECORDED","nothing is in force yet; set --manifests to verify witho\
ut an agent");return states}var import_yaml=__toESM(require_dist(),1),EXIT_STATUS={verified:0,different:1,unknown:2},NO_AGENT=3;function formatResult(result,output,asText){
switch(output){case"json":return`${JSON.stringify(result,void 0,2)}
`;case"yaml":return(0,import_yaml.stringify)(result);default:return asText(result)}}export{backendOf,usedStates,recordedStates,EXIT_STATUS,NO_AGENT,formatResult};
//# sourceMappingURL=chunk-RJV7I2BE.js.map
