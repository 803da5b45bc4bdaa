import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{formatMoment,parseMoment}from"./chunk-R4WQD5TR.js";import{openRecording}from"./chunk-MRBMEEG6.js";import{
resolveManifests}from"./chunk-GFOJMRHV.js";import{replayRecording}from"./chunk-K6JK22O5.js";import"./chunk-ZZVTHHAR.js";
import"./chunk-MTSOMN72.js";import"./chunk-C2RJUF7R.js";import{queryAgent}from"./chunk-4OP7SHWD.js";import{
require_dist}from"./chunk-UWS5UL64.js";import{ProxierError,answerPacketQuestion,assertNever,describeChange,familyOf,
formatPacketAnswer,readPacketQuestion,structurallyEqual}from"./chunk-4LHTYADA.js";import"./chunk-7IMJZ4UJ.js";
import{__toESM}from"./chunk-VCSBMK2H.js";var import_yaml=__toESM(require_dist(),1);async function explainAt(question,at,source){let{begin,end}=source.moments;if(at<begin||at>end)throw new ProxierError("N\
OT_RECORDED",`${formatMoment(at)} is not recorded: the recording of ${source.description} has ${formatMoment(begin)} to ${formatMoment(
end)}`);let search=new Search(question,at),{replay}=await replayRecording(source.open(),search),found=search.finish(replay);
if(found===void 0)throw new ProxierError("NOT_RECORDED",`nothing was in force at ${formatMoment(at)}, by the recording o\
f ${source.description}: no sync had succeeded`);return found}var Search=class{question;time;#changes=new Map;#syncs=[];#answer;#states=[];#host={};#isPast=!1;#change;constructor(question,time){
this.question=question,this.time=time}before(entry,replay){return!this.#isPast&&entry.entry!=="begin"&&replay.timeOf(entry)>
this.time&&this.#stop(replay),!this.#isPast||this.#change!==void 0&&this.#programming===void 0}after({at},{change,sync,time}){
sync!==void 0&&this.#syncs.push(sync);let[family]=change?.needsSync??[];if(!this.#isPast&&change!==void 0&&!change.isInitial&&
family!==void 0)for(let{service,what}of describeChange(change))service!==void 0&&this.#changes.set(service,{at,time,what,
family});return!0}finish(replay){if(this.#stop(replay),this.#answer===void 0)return;let change=this.#change,sync=this.#programming,
next=sync!==void 0&&sync.time>this.time?this.#answerAfter(sync):null,lastChange=change===void 0?null:{time:new Date(change.
time).toISOString(),what:change.what,programmed:sync===void 0?null:describeSync(sync),delayMilliseconds:sync===void 0?null:
Math.round((sync.time-change.time)*10)/10};return{...this.#answer,lastChange,next:next!==null&&!structurallyEqual(next,this.#answer.
items)?next:null}}get#programming(){let change=this.#change;return change&&this.#syncs.find(({entry,resolvedAt})=>entry.
family===change.family&&resolvedAt>=change.at)}#stop(replay){if(this.#isPast||(this.#isPast=!0,this.#states=replay.families.
flatMap(family=>replay.inForce(family)??[]),this.#states.length===0))return;this.#host=replay.hostOf(this.#states[0]?.family??
"IPv4");let{cases,notes}=answerPacketQuestion(this.#states,this.question,this.#host),families=new Set(cases.map(({explanation})=>familyOf(
explanation.packet.destination))),services=new Set(cases.flatMap(({explanation})=>explanation.servicePort?.split(":")[0]??
[]));this.#answer={apiVersion:"kube-proxier.io/v1alpha1",kind:"ExplanationAt",at:new Date(this.time).toISOString(),nodeName:replay.
begin.nodeName,items:cases,notes,inForceSince:[...families].flatMap(family=>{let sync=replay.lastSync(family);return sync===
void 0?[]:[describeSync(sync)]}),failing:[...families].filter(family=>replay.isFailing(family))},this.#change=[...services.
size===0?this.#servicesOfAddress(replay):services].flatMap(service=>this.#changes.get(service)??[]).filter(({family})=>families.
has(family)).reduce((latest,one)=>latest&&latest.at>one.at?latest:one,void 0)}#servicesOfAddress(replay){let{destination}=this.
question;if(destination.kind!=="address")return[];let address=JSON.stringify(destination.address);return replay.objects().
filter(({kind,value})=>kind==="Service"&&JSON.stringify(value).includes(address)).map(({name})=>name)}#answerAfter({entry,
state}){let states=[...this.#states.filter(({family})=>family!==entry.family),state];try{return answerPacketQuestion(states,
this.question,this.#host).cases}catch{return[]}}};function describeSync({entry,time}){return{family:entry.family,time:new Date(
time).toISOString(),full:entry.full,milliseconds:entry.duration,servicePorts:entry.changes}}function formatExplanationAt(answer,details=!1){
let{nodeName,items,notes,inForceSince,lastChange,failing,next}=answer,at=Date.parse(answer.at);return`${[`At ${formatMoment(
at)} on ${nodeName}:`,formatPacketAnswer({cases:items,notes},details).trimEnd(),"",...inForceSince.map(sync=>`In force s\
ince ${formatMoment(Date.parse(sync.time))}: ${syncText(sync)}.`),...failing.map(family=>`Syncs of ${family} failed at t\
hat time: the kernel may have had a part of a later state.`),...lastChange===null?["The recording has no earlier change \
of this Service."]:followedLines(lastChange,at),...next===null?[]:["","After that:",next.length===0?"nothing":formatPacketAnswer(
{cases:next,notes:[]},details).trimEnd()]].join(`
`)}
`}function followedLines({time,what,programmed,delayMilliseconds},at){let change=`Last change: ${formatMoment(Date.parse(
time))}, ${what}.`;if(programmed===null)return[change,"The kernel did not follow until the end of the recording."];let when=formatMoment(
Date.parse(programmed.time)),late=Date.parse(programmed.time)>at?"It was not in force yet. ":"";return[change,`${late}Th\
e kernel followed at ${when}, ${delayMilliseconds} ms later: ${syncText(programmed)}.`]}function syncText({family,full,milliseconds,
servicePorts}){let ports=`${servicePorts} service port${servicePorts===1?"":"s"}`;return`a ${full?"full ":""}sync of ${family}\
, ${ports} in ${milliseconds} ms`}async function explain({operands,namespace,via,at,recording},settings,composition){let source=operands.length>1?operands[0]:
void 0,text={...source===void 0?{}:{source},destination:operands.at(-1)??"",namespace,...via===void 0?{}:{via}},question=readPacketQuestion(
text);if(at!==""||recording!=="")return await explainRecording(question,{at,recording},settings);let answer=settings.manifests.
length>0?answerPacketQuestion(await resolveManifests(["IPv4","IPv6"],settings,composition),question):await queryAnswer(text,
settings),isPlain=question.client?.kind==="address"&&question.destination.kind==="address";switch(settings.output){case"\
json":return`${JSON.stringify(documentOf(answer,isPlain),void 0,2)}
`;case"yaml":return(0,import_yaml.stringify)(documentOf(answer,isPlain));case"text":case"wide":return formatPacketAnswer(
answer,settings.output==="wide");default:return assertNever(settings.output)}}async function explainRecording(question,{
at,recording},settings){if(settings.manifests.length>0)throw new ProxierError("INVALID_ARGUMENT","manifests have no past\
: remove --manifests, or --at and --recording");let source=await openRecording(recording,settings),moment=at===""?source.
moments.end:parseMoment("at",at,source.moments),answer=await explainAt(question,moment,source);switch(settings.output){case"\
json":return`${JSON.stringify(answer,void 0,2)}
`;case"yaml":return(0,import_yaml.stringify)(answer);default:return formatExplanationAt(answer,settings.output==="wide")}}
function documentOf({cases,notes},isPlain){let[only]=cases;return isPlain&&only?only.explanation:{apiVersion:"kube-proxi\
er.io/v1alpha1",kind:"ExplanationList",items:cases,notes}}async function queryAnswer(text,{status}){let query=new URLSearchParams(
{...text}),answer=await queryAgent(status,`/debug/explain?${query}`,"set --manifests to simulate the packet");return JSON.
parse(answer)}export{explain};
//# sourceMappingURL=chunk-DLZKUFRY.js.map
