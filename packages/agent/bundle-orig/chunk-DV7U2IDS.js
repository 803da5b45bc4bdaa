import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{readManifest,refusedManifest,textOf}from"./chunk-DN2MOHMJ.js";import"./chunk-UWS5UL64.js";import{ProxierError,
SourceReporter,assertNever,isRecord,messageOf,printable,silentLogger,systemClock}from"./chunk-4LHTYADA.js";import{
isDeepStrictEqual}from"./chunk-7IMJZ4UJ.js";import"./chunk-VCSBMK2H.js";var ManifestError=class extends ProxierError{};function formatManifestProblem(problem){let where=problem.line===0?"":`:${problem.line}:${problem.column}`;return[`${printable(
problem.file)}${where}`,problem.object,problem.field,problem.message].filter(part=>part!=="").join(": ")}var DirectoryWatcher=class{options;#watch;#watchedStamp="";#failure="";#retryAt=0;constructor(options){this.options=options}follow(snapshot){
let{watch:watch2,clock,onChange}=this.options,isWatched=this.#watch!==void 0&&this.#watchedStamp===snapshot.watchedStamp;
if(!watch2||isWatched||clock.monotonic()<this.#retryAt)return!1;this.close();try{return this.#watch=watch2(snapshot.watched,
()=>{this.#failure="",onChange()},error=>this.#failed(error)),this.#watchedStamp=snapshot.watchedStamp,!0}catch(error){return this.#failed(
error),!1}}close(){this.#watch?.close(),this.#watch=void 0}#failed(error){let{clock,description,logger,pollInterval}=this.
options;this.close(),this.#retryAt=clock.monotonic()+pollInterval;let reason=printable(messageOf(error));this.#failure!==
reason&&(this.#failure=reason,logger.warn(`${description}: changes are seen only every ${pollInterval} ms, since watchin\
g failed: ${reason}`))}};import{constants}from"node:fs";import{open,readdir,stat}from"node:fs/promises";import{basename,dirname,join}from"node:path";var MANIFEST_NAME=/^[^.].*\.(ya?ml|json)$/i;async function readSnapshot(path){try{let root=await stat(path,{bigint:!0}),
directory=root.isDirectory();if(!directory&&!root.isFile())throw new ManifestError("MANIFESTS_UNREADABLE",`${printable(path)}\
 is neither a directory nor a file`);let watched=directory?path:dirname(path),names=directory?(await readdir(path)).filter(
name=>MANIFEST_NAME.test(name)).sort():[basename(path)],files=new Map;for await(let file of ahead(names,name=>stampOf(watched,
name)))file&&files.set(file.name,file);let{dev,ino}=directory?root:await stat(watched,{bigint:!0});return{watched,watchedStamp:`${dev}\
:${ino}`,files}}catch(error){throw error instanceof ManifestError?error:pathError(path,error)}}var AT_A_TIME=16;async function*ahead(items,work){
let pending=[];for(let item of items)pending.push(work(item)),pending.length>=AT_A_TIME&&(yield await pending.shift());for(let result of pending)
yield await result}async function stampOf(directory,name){let path=join(directory,name);try{let found=await stat(path,{bigint:!0});
if(!found.isFile())return;let stamp=`${found.dev}:${found.ino}:${found.size}:${found.mtimeNs}:${found.ctimeNs}`;return{name,
path,stamp,changedAt:Math.max(Number(found.mtimeMs),Number(found.ctimeMs))}}catch(error){let code=codeOf(error);return code===
"ENOENT"||code==="ENOTDIR"?void 0:{name,path,stamp:`unreadable:${code}`,changedAt:0}}}async function readFileOf(stamp,maxBytes){
try{let handle=await open(stamp.path,constants.O_RDONLY|constants.O_NONBLOCK);try{let{size}=await handle.stat();if(size>
maxBytes)return{kind:"unreadable",reason:`it has ${size} bytes, more than the ${maxBytes} that are read`};let bytes=await readAtMost(
handle,size+GROWTH),after2=await stampOf(dirname(stamp.path),stamp.name);return bytes!==void 0&&after2?.stamp===stamp.stamp?
{kind:"bytes",bytes}:{kind:"changed"}}finally{await handle.close()}}catch(error){return codeOf(error)==="ENOENT"?{kind:"\
changed"}:{kind:"unreadable",reason:`it cannot be read (${codeOf(error)})`}}}var GROWTH=4096;async function readAtMost(handle,limit){
let bytes=new Uint8Array(limit),length=0;for(;length<limit;){let{bytesRead}=await handle.read(bytes,length,limit-length);
if(bytesRead===0)return bytes.subarray(0,length);length+=bytesRead}}function pathError(path,error){let code=codeOf(error);
return code==="ENOENT"||code==="ENOTDIR"?new ManifestError("MANIFESTS_NOT_FOUND",`${printable(path)} does not exist (${code}\
)`,{cause:error}):new ManifestError("MANIFESTS_UNREADABLE",`${printable(path)} cannot be read (${code})`,{cause:error})}
function codeOf(error){let code=isRecord(error)?error.code:void 0;return typeof code=="string"?code:printable(messageOf(
error))}import{createHash}from"node:crypto";import{Worker}from"node:worker_threads";var MAX_LANES=3,HEAP=32,HEAP_PER_MEBIBYTE=12,MEBIBYTE=1024*1024,IDLE=5e3,ManifestParser=class{#maxInline;#timeLimit;#patience;#lanes=new Set;#queue=[];#again;#closed=!1;constructor({
maxInline=16384,timeLimit=1e4,patience=400}={}){this.#maxInline=maxInline,this.#timeLimit=timeLimit,this.#patience=patience}async parse(file,bytes,options){
return bytes.length<=this.#maxInline?readManifest(file,textOf(bytes),options):await new Promise(resolve=>{this.#queue.push(
{request:{file,bytes,options},heap:heapFor(bytes),resolve}),this.#next()})}async close(){this.#closed=!0,clearTimeout(this.#again);
for(let{request,resolve}of this.#queue.splice(0))resolve(refusedManifest(request.file,"reading was ended"));await Promise.
all([...this.#lanes].map(lane=>this.#end(lane,"reading was ended")))}#next(){for(clearTimeout(this.#again);!this.#closed;){
let[job]=this.#queue;if(job===void 0)return;let lanes=[...this.#lanes],free=lanes.find(lane=>lane.job===void 0&&lane.heap>=
job.heap);if(free===void 0&&lanes.length>=MAX_LANES){let idle=lanes.find(lane=>lane.job===void 0);if(idle===void 0)return;
this.#end(idle,"");continue}let wait=Math.max(0,...lanes.map(lane=>lane.since+this.#patience-performance.now()));if(free===
void 0&&wait>0&&lanes.some(lane=>lane.job!==void 0)){this.#again=setTimeout(()=>this.#next(),wait);return}this.#queue.shift(),
this.#begin(free??this.#open(job),job)}}#open(job){let sources=import.meta.url.endsWith(".ts"),script=new URL(sources?".\
./dist/manifest-thread.js":"./manifest-thread.js",import.meta.url),worker=new Worker(script,{name:"manifests",execArgv:[],
resourceLimits:{maxOldGenerationSizeMb:job.heap,maxYoungGenerationSizeMb:16,stackSizeMb:4}}),lane={worker,heap:job.heap,
job:void 0,since:0,timer:void 0};return worker.on("message",manifest=>this.#done(lane,manifest)),worker.on("error",error=>this.#failed(
lane,error)),worker.on("exit",()=>{this.#end(lane,"the thread that reads it ended")}),this.#lanes.add(lane),lane}#begin(lane,job){
clearTimeout(lane.timer),lane.job=job,lane.since=performance.now(),lane.timer=setTimeout(()=>{this.#end(lane,`it took mo\
re than ${this.#timeLimit} ms; it is read again later`,!0)},this.#timeLimit),lane.worker.ref(),lane.worker.postMessage(job.
request,[job.request.bytes.buffer])}#done(lane,manifest){let{job}=lane;clearTimeout(lane.timer),lane.job=void 0,lane.since=
0,lane.worker.unref(),lane.timer=setTimeout(()=>{this.#end(lane,"")},IDLE),lane.timer.unref(),job?.resolve(manifest),this.#next()}#failed(lane,error){
let code=error instanceof Error&&"code"in error?error.code:void 0,{job}=lane;if(code==="ERR_WORKER_OUT_OF_MEMORY"||job===
void 0){this.#end(lane,"it takes too much memory");return}this.#end(lane,messageOf(error))}async#end(lane,reason,timedOut=!1){
if(!this.#lanes.delete(lane))return;clearTimeout(lane.timer);let{job}=lane;lane.job=void 0,job!==void 0&&job.resolve(refusedManifest(
job.request.file,reason,timedOut)),this.#next(),await lane.worker.terminate()}};function heapFor(bytes){return HEAP+Math.
ceil(bytes.length/MEBIBYTE)*HEAP_PER_MEBIBYTE}var STAMP_GRANULARITY=2e3,SLOW_FILE_TIMEOUT=300,PARSE_RETRY_DELAY=3e5,ManifestReader=class{options;#parser;#parsings=new Map;#closed=!1;constructor(options){
this.options=options,this.#parser=options.parser??new ManifestParser}differs(snapshot,files){return snapshot.files.size!==
files.size||[...snapshot.files.values()].some(found=>!this.#isCurrent(files.get(found.name),found))}async read(snapshot,files,slowFiles){
let contents=ahead(snapshot.files.values(),async found=>{let known=files.get(found.name),content=this.#isCurrent(known,found)?
void 0:await readFileOf(found,this.options.maxFileBytes),parsing=content?.kind==="bytes"?this.#parse(found,content.bytes,
known):void 0;return{found,known,content,parsing}}),timeout=slowFiles==="wait"?void 0:after(SLOW_FILE_TIMEOUT);for(let name of this.#parsings.
keys())snapshot.files.has(name)||this.#parsings.delete(name);let next=new Map,incomplete=!1;for await(let{found,known,content,
parsing}of contents){if(this.#closed)return{files:next,incomplete:!0};incomplete||=content?.kind==="changed";let state=await this.#nextState(
found,known,content,parsing,timeout);state&&next.set(found.name,state)}return{files:next,incomplete}}release(files){for(let[
name,{digest,used}]of this.#parsings)used&&files.get(name)?.digest===digest&&this.#parsings.delete(name)}async close(){this.#closed=
!0,await this.#parser.close()}#isCurrent(known,found){return known?.stamp===found.stamp&&!known.unsettled&&!this.#isDueAgain(
known)}#isDueAgain({retryAt}){return retryAt!==void 0&&this.options.clock.monotonic()>=retryAt}async#nextState(found,known,content,parsing,timeout){
if(!content||content.kind==="changed")return known;let{clock,logger}=this.options,stamp={name:found.name,stamp:found.stamp,
unsettled:clock.now()-found.changedAt<STAMP_GRANULARITY};if(content.kind==="unreadable"){let problem={...{file:found.path,
line:0,column:0,object:"",field:""},message:content.reason,severity:"error"};return{...stamp,digest:"",objects:known?.objects??
[],problems:[problem]}}if(parsing===void 0)return known&&{...known,...stamp};let manifest=parsing.manifest??await(timeout?
Promise.race([parsing.done,timeout]):parsing.done);if(manifest===void 0)return parsing.late=!0,known;parsing.used=!0;for(let ignored of manifest.
ignored)logger.debug(4,`${printable(found.path)}: passed over ${ignored}`);let{problems,objects,timedOut}=manifest;return{
...stamp,digest:parsing.digest,objects:isMalformed(manifest)?known?.objects??[]:objects,problems,...timedOut?{retryAt:clock.
monotonic()+PARSE_RETRY_DELAY}:{}}}#parse({name,path},bytes,known){let digest=createHash("sha256").update(bytes).digest(
"base64");if(known?.digest===digest&&!this.#isDueAgain(known))return;let under=this.#parsings.get(name);if(under?.digest===
digest)return under;let{allowLoopbackEndpoints,onParsed}=this.options,done=this.#parser.parse(path,bytes,{allowLoopbackEndpoints}),
parsing={digest,done,late:!1,used:!1};return this.#parsings.set(name,parsing),done.then(manifest=>{parsing.manifest=manifest,
parsing.late&&this.#parsings.get(name)===parsing&&onParsed()}),parsing}};function isMalformed({problems}){return problems.
some(({severity})=>severity==="error")}function after(milliseconds){return new Promise(resolve=>{setTimeout(resolve,milliseconds,
void 0).unref()})}function reportFiles(previous,next){let lines=[];for(let file of next.values()){let known=previous.get(file.name);if(known&&
known.digest===file.digest&&problemsOf(known)===problemsOf(file))continue;for(let problem of file.problems){let level=problem.
severity==="error"?"error":"warn";lines.push({level,message:formatManifestProblem(problem)})}let name=printable(file.name),
count=file.objects.length;if(isMalformed(file)){let inForce=count===0?"none of its objects is in force":`its last good o\
bjects (${count}) stay in force`;lines.push({level:"error",message:`manifest ${name} is malformed: until it is fixed, ${inForce}`})}else
known&&isMalformed(known)&&lines.push({level:"info",message:`manifest ${name} is good again: its objects (${count}) are \
in force`})}for(let[name,known]of previous)isMalformed(known)&&!next.has(name)&&lines.push({level:"info",message:`manife\
st ${printable(name)}, which was malformed, is gone`});return lines}function reportDuplicates(previous,next){let known=new Set(
previous.map(identityOf)),lines=[];for(let duplicate of next)if(!known.has(identityOf(duplicate))){let{key,winner,winnerLine,
loser,loserLine}=duplicate,text=`${printable(loser)}:${loserLine}: ${key} is already defined in ${printable(winner)}, wh\
ich has precedence`;lines.push({level:"warn",message:`${text} (line ${winnerLine}); this one is ignored`})}return lines}
function nodeNameWarning(objects,nodeName){let names=[...objects].flatMap(object=>object.kind==="Node"?[String(object.value.
metadata?.name)]:[]);return names.length===0||names.includes(nodeName)?void 0:`there are Nodes (${printable(names.sort().
join(", "),120)}), and none is called ${printable(nodeName)} as this one is; no endpoint counts as local unless it says \
that name; if this is one of them, give its name as nodeName (the hostname override)`}function identityOf({key,winner,loser}){
return JSON.stringify([key,winner,loser])}function problemsOf(file){return JSON.stringify(file.problems)}function selectObjects(files){let sorted=[...files].sort((a,b)=>a.name<b.name?-1:a.name>b.name?1:0),objects=new Map,owners=new Map,
duplicates=[],sliced=new Set;for(let file of sorted)for(let object of file.objects){let winner=objects.get(object.key);if(winner){
let places={winner:owners.get(object.key)??"",winnerLine:winner.line};duplicates.push({key:object.key,...places,loser:file.
name,loserLine:object.line});continue}objects.set(object.key,object),owners.set(object.key,file.name),object.kind==="End\
pointSlice"&&!object.converted&&object.service!==void 0&&sliced.add(object.service)}for(let[key,object]of objects)object.
kind==="EndpointSlice"&&object.converted&&object.service!==void 0&&sliced.has(object.service)&&objects.delete(key);return{
objects,duplicates}}function diffObjects(previous,next){let objects=new Map,events=[];for(let[key,object]of previous)next.
has(key)||events.push({previous:object,current:void 0});for(let[key,object]of next){let known=previous.get(key);if(known&&
sameContent(known.value,object.value)){objects.set(key,known);continue}objects.set(key,object),events.push({previous:known,
current:object})}return{objects,events}}function sameContent(a,b){try{return isDeepStrictEqual(a,b)}catch{return!1}}var ScanLoop=class{clock;scan;#timer;#due=0;#running;#repeats=!1;#stopped=!1;constructor(clock,scan){this.clock=clock,this.
scan=scan}run(){if(!this.#stopped){if(this.#running){this.#repeats=!0;return}this.#timer?.cancel(),this.#running=this.scan().
then(next=>{this.#running=void 0,this.#repeats?(this.#repeats=!1,this.run()):this.#runIn(next)})}}runWithin(milliseconds){
this.#running?this.#repeats=!0:this.#due>this.clock.monotonic()+milliseconds&&this.#runIn(milliseconds)}cancel(){this.#stopped=
!0,this.#timer?.cancel()}async idle(){await this.#running}#runIn(milliseconds){this.#timer?.cancel(),this.#stopped||(this.#due=
this.clock.monotonic()+milliseconds,this.#timer=this.clock.setTimer(milliseconds,()=>this.run()))}};function isOverdue({pendingSince},now,{maxSettleTime}){return now-pendingSince>=maxSettleTime}function settleDelay(change,now,times,effect){
let quiet=effect==="remove"?Math.max(times.removalSettleTime,times.settleTime):times.settleTime;return isOverdue(change,
now,times)?0:Math.max(0,quiet-(now-change.changedAt))}import{watch}from"node:fs";var watchDirectory=(path,onChange,onError)=>{let watcher=watch(path,{persistent:!1}),close=()=>{
watcher?.close(),watcher=void 0};return watcher.on("change",()=>{watcher&&onChange()}),watcher.on("error",error=>{watcher&&
(close(),onError(error))}),{close}};var MIN_POLL_RATIO=50,ManifestSource=class{description;#path;#logger;#clock;#times;#pollInterval;#watcher;#reader;#loop;#started;#stopped=!1;#synced;#seen="";#changedAt=0;#pendingSince;#failure="";#files=new Map;#objects=new Map;#duplicates=[];constructor(options){
let{logger=silentLogger,clock=systemClock,settleTime=100}=options;this.#path=options.path,this.description=`manifests in\
 ${printable(options.path)}`,this.#logger=logger,this.#clock=clock,this.#times={settleTime,removalSettleTime:options.removalSettleTime??
500,maxSettleTime:options.maxSettleTime??5e3},this.#pollInterval=options.pollInterval??5e3,this.#watcher=new DirectoryWatcher(
{description:this.description,watch:options.watch===!1?void 0:options.watch??watchDirectory,pollInterval:this.#pollInterval,
clock,logger,onChange:()=>{this.#changedAt=clock.monotonic(),this.#loop.runWithin(settleTime)}}),this.#loop=new ScanLoop(
clock,()=>this.#scan().catch(error=>(logger.error(`${this.description}: the scan failed; retrying`,{error}),this.#pollInterval))),
this.#reader=new ManifestReader({clock,logger,maxFileBytes:options.maxFileBytes??32*1024*1024,allowLoopbackEndpoints:options.
allowLoopbackEndpoints??!1,onParsed:()=>this.#loop.run()})}get problems(){return[...this.#files.values()].flatMap(file=>file.
problems)}obstacle(){if(this.#failure!=="")return this.#failure;let malformed=[...this.#files.values()].filter(file=>isMalformed(
file)),[problem]=malformed.flatMap(file=>file.problems.filter(({severity})=>severity==="error"));if(problem===void 0)return;
let others=malformed.length>1?`, and ${malformed.length-1} more files are malformed`:"";return`${formatManifestProblem(problem)}${others}`}async start(handler,context){
if(this.#started)throw new ManifestError("MANIFESTS_IN_USE",`${this.description} were started before; make a new Manifes\
tSource`);let reporter=new SourceReporter(handler,error=>this.#logger.error(`${this.description}: an event handler faile\
d; continuing with the next event: ${messageOf(error)}`,{error}));this.#started={reporter,nodeName:context.nodeName};let first=await readSnapshot(
this.#path).catch(error=>{let message=`${messageOf(error)}; manifests are read from there, so it has to exist at the sta\
rt`;throw error instanceof ManifestError?new ManifestError(error.code,message,{cause:error}):error});if(this.#stopped)return;
let now=this.#clock.monotonic();this.#seen=fingerprint(first);let newest=Math.max(0,...[...first.files.values()].map(file=>file.
changedAt));this.#changedAt=now-Math.max(0,this.#clock.now()-newest),this.#pendingSince=now;let done=new Promise(resolve=>{
this.#synced=resolve});this.#loop.run(),await done}async stop(){this.#stopped=!0,this.#started?.reporter.close(),this.#loop.
cancel(),this.#watcher.close(),await this.#reader.close(),await this.#loop.idle(),this.#synced?.()}async#scan(){let begin=this.#clock.
monotonic(),snapshot;try{snapshot=await readSnapshot(this.#path)}catch(error){return this.#unavailable(messageOf(error)),
Math.min(this.#pollInterval,1e3)}return this.#stopped?0:(this.#available(),this.#watcher.follow(snapshot)&&this.#loop.run(),
this.#readWhenSettled(snapshot,begin))}async#readWhenSettled(snapshot,begin){let now=this.#clock.monotonic(),fingerprintNow=fingerprint(
snapshot);if(fingerprintNow!==this.#seen&&(this.#seen=fingerprintNow,this.#changedAt=now),this.#synced===void 0&&!this.#reader.
differs(snapshot,this.#files))return this.#pendingSince=void 0,Math.max(this.#pollInterval,(now-begin)*MIN_POLL_RATIO);this.#pendingSince??=
now;let change={changedAt:this.#changedAt,pendingSince:this.#pendingSince},delay=settleDelay(change,now,this.#times,"rea\
d");if(delay>0)return delay;let reading=await this.#reader.read(snapshot,this.#files,this.#synced?"wait":"defer");if(this.#stopped)
return 0;if(reading.incomplete&&!isOverdue(change,now,this.#times))return this.#changedAt=now,this.#times.settleTime;let selection=selectObjects(
reading.files.values()),difference=diffObjects(this.#objects,selection.objects),removalDelay=difference.events.some(({current})=>current===
void 0)?settleDelay(change,now,this.#times,"remove"):0;return removalDelay>0?removalDelay:(this.#putInForce(reading,selection.
duplicates,difference),reading.incomplete?this.#times.settleTime:this.#pollInterval)}#putInForce({files},duplicates,{objects,
events}){this.#log([...reportFiles(this.#files,files),...reportDuplicates(this.#duplicates,duplicates)]),this.#files=files,
this.#duplicates=duplicates,this.#objects=objects,this.#pendingSince=void 0,this.#reader.release(files),this.#started&&this.#report(
this.#started,events)}#report({reporter,nodeName},events){events.length>0&&this.#logger.debug(2,`${this.description}: ${events.
length} objects changed`),reporter.onServiceCIDRsUpdate([...this.#objects.values()].flatMap(object=>object.kind==="Servi\
ceCIDR"?object.cidrs:[]));for(let event of events)reportEvent(reporter,nodeName,event);if(this.#synced){let resolve=this.#synced;
this.#synced=void 0,this.#logger.info(`${this.description}: read ${this.#objects.size} objects in ${this.#files.size} fi\
les`);let warning=nodeNameWarning(this.#objects.values(),nodeName);warning!==void 0&&this.#logger.warn(`${this.description}\
: ${warning}`),reporter.onServicesSynced(),reporter.onEndpointsSynced(),resolve()}}#log(lines){for(let{level,message}of lines)
this.#logger[level](message)}#unavailable(reason){this.#watcher.close(),this.#failure!==reason&&(this.#failure=reason,this.#logger.
error(`${this.description}: ${reason}; what was read last stays in force until it is back`))}#available(){this.#failure!==
""&&(this.#failure="",this.#logger.info(`${this.description}: can be read again`))}};function reportEvent(reporter,nodeName,{
previous,current}){let kind=(current??previous)?.kind;switch(kind){case"Service":reporter.onServiceUpdate(serviceOf(previous),
serviceOf(current));return;case"EndpointSlice":reporter.onEndpointsUpdate(sliceOf(previous),sliceOf(current));return;case"\
Node":current?.kind==="Node"&&current.value.metadata?.name===nodeName&&reporter.onNodeUpdate(current.value);return;case"\
ServiceCIDR":case void 0:return;default:assertNever(kind)}}function fingerprint(snapshot){return[...snapshot.files.values()].
map(({name,stamp})=>`${name}\0${stamp}`).join(`
`)}function serviceOf(object){return object?.kind==="Service"?object.value:void 0}function sliceOf(object){return object?.
kind==="EndpointSlice"?object.value:void 0}export{ManifestError,ManifestSource,formatManifestProblem,watchDirectory};
//# sourceMappingURL=chunk-DV7U2IDS.js.map
