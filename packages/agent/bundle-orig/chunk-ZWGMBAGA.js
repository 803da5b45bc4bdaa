import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{formatMoment,formatTimeOfDay,parseMoment}from"./chunk-R4WQD5TR.js";import{openRecording}from"./chunk-MRBMEEG6.js";
import{replayRecording}from"./chunk-K6JK22O5.js";import"./chunk-ZZVTHHAR.js";import"./chunk-MTSOMN72.js";
import"./chunk-C2RJUF7R.js";import{require_dist}from"./chunk-UWS5UL64.js";import{describeChange,printable,serviceOfPort}from"./chunk-4LHTYADA.js";
import"./chunk-7IMJZ4UJ.js";import{__toESM}from"./chunk-VCSBMK2H.js";var import_yaml=__toESM(require_dist(),1);async function whatChanged(request,settings){let source=await openRecording(request.recording,settings),{moments}=source,
since=request.since===""?moments.begin:parseMoment("since",request.since,moments),until=request.until===""?moments.end:parseMoment(
"until",request.until,moments),service=request.service===void 0?void 0:serviceNameOf(request.service,request.namespace),
items=[],{replay,damage}=await replayRecording(source.open(),{before:(entry,current)=>entry.entry==="begin"||current.timeOf(
entry)<=until,after:(entry,step)=>(step.time>=since&&items.push(...eventsOf(entry,step,service)),!0)}),list={apiVersion:"\
kube-proxier.io/v1alpha1",kind:"RecordedEventList",nodeName:replay.begin.nodeName,since:new Date(since).toISOString(),until:new Date(
until).toISOString(),items,damage:damage??null},notes=[...since<moments.begin?[`the recording begins at ${formatMoment(moments.
begin)}; nothing earlier is known`]:[],...items.length===0?[`nothing changed from ${formatMoment(since)} to ${formatMoment(
until)}`]:[],...damage===void 0?[]:[`${damage}; what follows is not known`]];return{text:format(list,settings.output),message:notes.
join(`
`)}}function serviceNameOf(text,namespace){let parts=text.split("/");return parts.length>1&&["svc","service","services"].
includes(parts[0]??"")&&parts.shift(),parts.length>1?parts.join("/"):`${namespace}/${parts[0]}`}function eventsOf(entry,{
time,change,sync},service){let event=(type,what,rest={})=>({time:new Date(time).toISOString(),type,service:null,family:null,
what,...rest});switch(entry.entry){case"object":return change===void 0||change.isInitial?[]:describeChange(change).filter(
one=>service===void 0||one.service===void 0||one.service===service).map(one=>event(one.type,one.what,{service:one.service??
null}));case"sync":{let{family}=entry,services=new Set([...sync?.changes.servicePorts.keys()??[]].map(serviceOfPort));if(!(service===
void 0?!0:[...services].some(one=>one===service))||entry.changes===0&&!entry.full)return[];let whole=entry.full?"full sy\
nc":"sync",ports=`${entry.changes} service port${entry.changes===1?"":"s"}`,[only]=services,single=!entry.full&&services.
size===1?only??null:null,names=!entry.full&&services.size>1&&services.size<=3?` of ${[...services].join(", ")}`:"",what=`${whole}\
 of ${family}: ${ports}${names} in ${entry.duration} ms`;return[event("sync",what,{family,service:single})]}case"failed":{
let{family,failures,error}=entry;return[event("sync-failed",`sync of ${family} failed (${failures} in a row): ${printable(
error)}`,{family})]}case"drift":return[event("drift",`drift repaired: ${printable(entry.what)}`,{family:entry.family})];case"\
ready":return[entry.ready?event("ready","the node is ready"):event("not-ready",`the node is not ready: ${printable(entry.
reason??"unknown")}`)];case"failure":return[event("failure",`${printable(entry.part)} failed: ${printable(entry.error)}`)];case"\
clock":return[event("clock","the clock of the host was set")];case"mode":return[event("mode",`mode ${printable(entry.mode)}\
 was selected`)];default:return[]}}function format(list,output){switch(output){case"json":return`${JSON.stringify(list,void 0,
2)}
`;case"yaml":return(0,import_yaml.stringify)(list);default:{let day=time=>formatMoment(Date.parse(time)).slice(0,10),formatTime=day(
list.since)===day(list.until)?formatTimeOfDay:formatMoment,width=Math.max(0,...list.items.map(({service})=>(service??"-").
length));return list.items.map(({time,service,what})=>`${formatTime(Date.parse(time))}  ${(service??"-").padEnd(width)} \
 ${what}
`).join("")}}}export{serviceNameOf,whatChanged};
//# sourceMappingURL=chunk-ZWGMBAGA.js.map
