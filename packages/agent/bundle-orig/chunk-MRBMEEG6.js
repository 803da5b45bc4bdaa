import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{readRecording}from"./chunk-K6JK22O5.js";import{ProxierError,joinHostPort,messageOf,printable}from"./chunk-4LHTYADA.js";import{createReadStream}from"node:fs";var DUMP_TIMEOUT=12e4;async function openRecording(file,{status}){if(file!==""){let open2=()=>readFile(file),{begin:begin2,
end:end2,damage:damage2}=await rangeOf(open2());return{description:printable(file),open:open2,moments:{begin:begin2,end:end2,
now:end2},damage:damage2}}let parts=[];for await(let part of fetchRecording(status))parts.push(part);async function*open(){
yield*parts}let{begin,end,damage}=await rangeOf(open()),now=Date.now();return{description:"the running agent",open,moments:{
begin,end:Math.max(end,now),now},damage}}async function*readFile(file){try{yield*createReadStream(file)}catch(error){let advice="\
give the path of a recording, or write one with kube-proxier record dump > FILE";throw new ProxierError("CANNOT_READ_REC\
ORDING",`cannot read the recording ${printable(file)}: ${messageOf(error)}; ${advice}`,{cause:error})}}async function*fetchRecording(address){
if(!address)throw new ProxierError("NO_AGENT","no agent can be queried: set --metrics-bind-address as the agent has it");
let where=joinHostPort(address.host,address.port),response=await fetch(`http://${where}/debug/recording`,{signal:AbortSignal.
timeout(DUMP_TIMEOUT)}).catch(error=>{let reason=messageOf(error instanceof Error&&error.cause?error.cause:error);throw new ProxierError(
"NO_AGENT",`no agent answers at ${where} (${reason}); start kube-proxier, or set --recording to a file`,{cause:error})});
if(!response.ok||response.body===null)throw new ProxierError("NO_RECORDING",`the agent at ${where} has no recording; sta\
rt it with --recording-age greater than 0`);yield*response.body}async function rangeOf(data){let damage,epoch=0,begin,end=Number.
NEGATIVE_INFINITY,entries=readRecording(data,what=>{damage=what});for await(let entry of entries){(entry.entry==="begin"||
entry.entry==="clock")&&(epoch=Date.parse(entry.time)-entry.at);let time=epoch+entry.at;begin??=time,end=Math.max(end,time)}
return{begin:begin??0,end,damage}}export{openRecording,fetchRecording};
//# sourceMappingURL=chunk-MRBMEEG6.js.map
