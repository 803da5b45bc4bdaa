import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{formatMoment}from"./chunk-R4WQD5TR.js";import{fetchRecording,openRecording}from"./chunk-MRBMEEG6.js";
import{replayRecording}from"./chunk-K6JK22O5.js";import"./chunk-ZZVTHHAR.js";import"./chunk-MTSOMN72.js";
import"./chunk-C2RJUF7R.js";import{require_dist}from"./chunk-UWS5UL64.js";import{ProxierError,messageOf,printable}from"./chunk-4LHTYADA.js";
import"./chunk-7IMJZ4UJ.js";import{__toESM}from"./chunk-VCSBMK2H.js";var import_yaml=__toESM(require_dist(),1);async function record(operands,settings,output){let[verb="",file]=operands;if(verb==="dump"&&file===void 0)return await dump(
settings,output),0;if(verb==="show"&&file!==void 0){let summary=await summarize(file,settings);return output.print(formatSummary(
summary,settings.output)),0}let syntax="use kube-proxier record dump > FILE, or kube-proxier record show FILE",stray=verb===
"dump"?`"${printable(file??"")}"`:`"${printable(verb)}"`;throw new ProxierError("INVALID_ARGUMENT",verb==="show"?`record\
 show needs a file; ${syntax}`:`${stray} is not understood; ${syntax}`)}async function dump({status},{write}){if(write===
void 0)throw new ProxierError("NO_OUTPUT","this program cannot write bytes to its output; use the command kube-proxier");
try{for await(let part of fetchRecording(status))await write(part)}catch(error){throw error instanceof ProxierError?error:
new ProxierError("RECORDING_INTERRUPTED",`the recording is incomplete: ${messageOf(error)}; what was written can be read\
 up to there`,{cause:error})}}async function summarize(file,settings){let source=await openRecording(file,settings),bytes=0;
async function*counted(){for await(let part of source.open())bytes+=part.length,yield part}let tally=new Tally,{replay,damage}=await replayRecording(
counted(),{after:(entry,{change})=>(tally.count(entry,change?.isInitial??!1),!0)}),{begin,end}=source.moments;return{apiVersion:"\
kube-proxier.io/v1alpha1",kind:"RecordingSummary",nodeName:replay.begin.nodeName,program:replay.begin.program,mode:replay.
mode??null,begin:new Date(begin).toISOString(),end:new Date(end).toISOString(),seconds:Math.round(end-begin)/1e3,bytes,objects:{
services:replay.countOf("Service"),endpointSlices:replay.countOf("EndpointSlice")},changes:tally.changes,syncs:Object.fromEntries(
tally.syncs),driftRepairs:tally.driftRepairs,failures:tally.failures,ready:tally.ready??null,damage:damage??null}}var Tally=class{changes={
services:0,endpointSlices:0,others:0};syncs=new Map;driftRepairs=0;failures=0;ready;count(entry,isInitial){switch(entry.
entry){case"object":if(!isInitial){let kind=entry.kind==="Service"?"services":entry.kind==="EndpointSlice"?"endpointSlic\
es":"others";this.changes[kind]+=1}break;case"sync":{let{succeeded=0,failed=0,longestMilliseconds=null}=this.syncs.get(entry.
family)??{},longest=Math.max(longestMilliseconds??0,entry.duration);this.syncs.set(entry.family,{succeeded:succeeded+1,failed,
longestMilliseconds:longest});break}case"failed":{let{succeeded=0,failed=0,longestMilliseconds=null}=this.syncs.get(entry.
family)??{};this.syncs.set(entry.family,{succeeded,failed:failed+1,longestMilliseconds});break}case"drift":this.driftRepairs+=
1;break;case"failure":this.failures+=1;break;case"ready":this.ready=entry.ready;break}}};function formatSummary(summary,output){
if(output==="json")return`${JSON.stringify(summary,void 0,2)}
`;if(output==="yaml")return(0,import_yaml.stringify)(summary);let{objects,changes,syncs,ready,damage}=summary;return[["N\
ode",`${printable(summary.nodeName)}, mode ${printable(summary.mode??"unknown")}`],["Recorded by",printable(summary.program)],
["From",formatMoment(Date.parse(summary.begin))],["To",`${formatMoment(Date.parse(summary.end))} (${summary.seconds} s)`],
["Size",`${summary.bytes} bytes`],["Objects",`${objects.services} Services, ${objects.endpointSlices} EndpointSlices at \
the end`],["Changes",`${changes.services} of Services, ${changes.endpointSlices} of EndpointSlices, ${changes.others} of\
 the node`],...Object.entries(syncs).map(([family,one])=>[`Syncs ${family}`,`${one.succeeded} succeeded${one.longestMilliseconds===
null?"":`, at most ${one.longestMilliseconds} ms`}; ${one.failed} failed`]),["Drift",`${summary.driftRepairs} repairs`],
["Failures",`${summary.failures} of other parts`],["Ready",ready===null?"unknown":ready?"yes, at the end":"no, at the en\
d"],...damage===null?[]:[["Damaged",printable(damage)]]].map(([name,value])=>`${`${name}:`.padEnd(14)}${value}
`).join("")}export{record};
//# sourceMappingURL=chunk-L27PE3HI.js.map
