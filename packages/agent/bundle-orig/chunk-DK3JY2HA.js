import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{request}from"./chunk-MTSOMN72.js";import{CommandError,LibcTcpConnects,createCommandRunner,tcpSocketIn}from"./chunk-C2RJUF7R.js";
import{SourceReporter,isRecord,messageOf,nearestName,parseAddress,printable,readEndpointSlice,silentLogger,structurallyEqual,
systemClock}from"./chunk-4LHTYADA.js";import"./chunk-7IMJZ4UJ.js";import"./chunk-VCSBMK2H.js";var HEALTH_CHECK_ANNOTATION="kube-proxier.io/health-check",HEALTH_CHECK_BACKUP_ANNOTATION="kube-proxier.io/health-check-\
backup",OPTIONS=["interval","timeout","rise","fall","port","host","expected-status","tls-verify","namespace","all-failed"],
NO_CHECKS={settings:void 0,problems:[]},UNITS={ms:1,s:1e3,m:6e4},FILE_NAME=/^[A-Za-z0-9][\w.-]{0,62}$/,MAX_TIME=36e5,MIN_INTERVAL=100,
MIN_TIMEOUT=10,MAX_COUNT=100;function readHealthCheck(service,options={}){let given=Object.entries(service.metadata?.annotations??
{}).filter(([name,value])=>name.startsWith(HEALTH_CHECK_ANNOTATION)&&typeof value=="string");return given.length===0?NO_CHECKS:
new AnnotationReader(new Map(given),service,options).read()}var AnnotationReader=class{annotations;service;options;#problems=[];constructor(annotations,service,options){
this.annotations=annotations,this.service=service,this.options=options}read(){this.#checkNames();let probe=this.#probe(),
settings={interval:this.#duration("interval",5e3,MIN_INTERVAL),timeout:this.#duration("timeout",2e3,MIN_TIMEOUT),rise:this.#count(
"rise",2),fall:this.#count("fall",3),port:this.#port(probe?.kind),namespace:this.#namespace(),allFailed:this.#choice("al\
l-failed",["open","closed"],"closed")};return{settings:probe!==void 0&&this.#problems.length===0?{probe,...settings}:void 0,
problems:this.#problems}}#checkNames(){let prefix=`${HEALTH_CHECK_ANNOTATION}-`;for(let name of this.annotations.keys()){
let option=name.slice(prefix.length);if(name!==HEALTH_CHECK_ANNOTATION&&!(name.startsWith(prefix)&&OPTIONS.some(known=>known===
option))){let nearest=nearestName(option,OPTIONS),hint=nearest===void 0?OPTIONS.map(known=>`-${known}`).join(", "):`${prefix}${nearest}`;
this.#problems.push(`${printable(name)}: there is no such annotation; use ${hint}`)}}}#probe(){let text=this.annotations.
get(HEALTH_CHECK_ANNOTATION);if(text===void 0){this.#problems.push(`${HEALTH_CHECK_ANNOTATION}: is missing, and the othe\
r annotations have no effect without it; set it to tcp, http:/PATH, https:/PATH or script:NAME`);return}let[,kind="",rest=""]=/^([a-z]+)(?::([\s\S]*))?$/.
exec(text.trim())??[];if(kind==="tcp"&&rest==="")return this.#onlyFor(["http","https"],kind),{kind};if((kind==="http"||kind===
"https")&&(rest===""||/^\/[\x21-\x7e]{0,1000}$/.test(rest)))return{kind,path:rest===""?"/":rest,host:this.#host(),statuses:this.#statuses(),
verifiesCertificate:this.#choice("tls-verify",["true","false"],"false")==="true"};if(kind==="script"&&FILE_NAME.test(rest)){
if(this.#onlyFor(["http","https"],kind),!this.options.allowScripts){this.#wrong("",text,"cannot run a script: no directo\
ry of scripts is configured (--health-check-scripts)");return}return{kind,name:rest}}this.#wrong("",text,"must be tcp, h\
ttp:/PATH, https:/PATH or script:NAME with a file name")}#onlyFor(kinds,kind){for(let option of["host","expected-status",
"tls-verify"])this.#text(option)!==void 0&&this.#wrong(option,this.#text(option),`has no effect with a ${kind} check; us\
e it with ${kinds.join(" or ")}`)}#host(){let text=this.#text("host");return text!==void 0&&!/^(?:[A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/.
test(text)&&this.#wrong("host",text,"must be a host name, with a port if needed"),text}#statuses(){let text=this.#text("\
expected-status")??"200-399",ranges=text.split(",").map(part=>{let[,first="",last=first]=/^\s*([1-5]\d\d)(?:-([1-5]\d\d))?\s*$/.
exec(part)??[];return[Number(first),Number(last)]});return ranges.some(([first,last])=>first===0||first>last)&&this.#wrong(
"expected-status",text,"must be status codes and ranges, such as 200-399 or 200,204,301-308"),ranges}#port(kind){let text=this.#text(
"port"),ports=this.service.spec?.ports??[];if(text===void 0){kind==="tcp"&&ports.length>0&&!ports.some(({protocol="TCP"})=>protocol===
"TCP")&&this.#wrong("port",void 0,"is missing, and the Service has no TCP port to connect to; set it"),kind!=="tcp"&&kind!==
void 0&&ports.length>1&&this.#wrong("port",void 0,`is missing, and the Service has ${ports.length} ports; set the one to\
 check`);return}let number=/^\d{1,5}$/.test(text)?Number(text):void 0;return(number!==void 0?number<1||number>65535:!/^[a-z0-9-]{1,63}$/.
test(text))?this.#wrong("port",text,"must be a port from 1 to 65535, or the name of a port of the Service"):number===void 0&&
!ports.some(({name})=>name===text)&&this.#wrong("port",text,"is not the name of a port of the Service"),number??text}#namespace(){
let text=this.#text("namespace");if(text!==void 0)return FILE_NAME.test(text)?this.options.allowNamespaces||this.#wrong(
"namespace",text,"is not allowed for Services from an API server; only Services from manifests may"):this.#wrong("namesp\
ace",text,'must be the name of a network namespace, as "ip netns list" prints it'),`/run/netns/${text}`}#duration(option,missing,minimum){
let text=this.#text(option);if(text===void 0)return missing;let[,number="",unit=""]=/^(\d{1,7}(?:\.\d{1,3})?)(ms|s|m)$/.
exec(text)??[],value=Number(number)*(UNITS[unit]??0);return value>=minimum&&value<=MAX_TIME||this.#wrong(option,text,`mu\
st be a duration from ${minimum}ms to 60m, such as 500ms, 5s or 1m`),value}#count(option,missing){let text=this.#text(option),
value=text===void 0?missing:Number(text);return text!==void 0&&!(/^\d{1,3}$/.test(text)&&value>=1&&value<=MAX_COUNT)&&this.#wrong(
option,text,`must be a number from 1 to ${MAX_COUNT}`),value}#choice(option,choices,missing){let text=this.#text(option),
found=choices.find(choice=>choice===text);return text!==void 0&&found===void 0&&this.#wrong(option,text,`must be one of ${choices.
join(", ")}`),found??missing}#text(option){return this.annotations.get(`${HEALTH_CHECK_ANNOTATION}-${option}`)?.trim()}#wrong(option,value,what){
let name=option===""?HEALTH_CHECK_ANNOTATION:`${HEALTH_CHECK_ANNOTATION}-${option}`,quoted=value===void 0?"":`"${printable(
value,80)}" `;this.#problems.push(`${name}: ${quoted}${what}`)}};var HealthCheckedSource=class{source;checks;options;description;#handle;#reporter;#cancelWait=()=>{};#hasServices=!1;#hasEndpoints=!1;#isWaiting=!1;constructor(source,checks,options={}){
this.source=source,this.checks=checks,this.options=options,this.description=source.description}async start(handler,context){
let{checks,source}=this,handle=checks.attach({allowNamespaces:this.options.allowNamespaces??!1}),reporter=new SourceReporter(
handler,error=>checks.logger.error(`${this.description}: the handler failed: ${messageOf(error)}`,{error}));this.#handle=
handle,this.#reporter=reporter;let change=(previous,current)=>reporter.onEndpointsUpdate(previous,current);try{await source.
start({onServiceUpdate:(previous,current)=>{checks.updateService(handle,previous,current),reporter.onServiceUpdate(previous,
current)},onEndpointsUpdate:(previous,current)=>reporter.onEndpointsUpdate(...checks.updateSlice(handle,previous,current,
change)),onNodeUpdate:node=>reporter.onNodeUpdate(node),onServiceCIDRsUpdate:cidrs=>reporter.onServiceCIDRsUpdate(cidrs),
onServicesSynced:()=>{this.#hasServices=!0,reporter.onServicesSynced(),this.#waitForResults(reporter)},onEndpointsSynced:()=>{
this.#hasEndpoints=!0,this.#waitForResults(reporter)}},context)}catch(error){throw checks.detach(handle),error}}obstacle(kind){
let pending=this.#isWaiting&&kind==="EndpointSlices"?this.checks.pendingFirstResults:void 0;return pending?`the first he\
alth checks are running: ${pending.pending} of ${pending.checks} have no result yet`:this.source.obstacle?.(kind)}async stop(){
this.#reporter?.close(),this.#cancelWait(),this.#handle&&this.checks.detach(this.#handle),await this.source.stop()}#waitForResults(reporter){
this.#hasServices&&this.#hasEndpoints&&!this.#isWaiting&&(this.#isWaiting=!0,this.#cancelWait=this.checks.whenChecked(()=>{
this.#isWaiting=!1,reporter.onEndpointsSynced()}))}};var CheckScheduler=class{#clock;#limitOf;#random;#entries=new Map;#wheel=new Map;#pools=new Map;#timer;#armed=Number.POSITIVE_INFINITY;#done;constructor({
clock,limitOf,random=Math.random}){this.#clock=clock,this.#limitOf=limitOf,this.#random=random,this.#done=this.#slotOf(clock.
monotonic())}get waiting(){let sum=0;for(let{queue,next}of this.#pools.values())sum+=queue.length-next;return sum}add(task){
let entry={task,planned:void 0,isRemoved:!1,pool:void 0,done:()=>this.#ended(entry)};this.#entries.set(task,entry),this.#enqueue(
entry),this.#startWaiting(task.pool)}remove(task){let entry=this.#entries.get(task);entry&&(entry.isRemoved=!0,this.#entries.
delete(task))}stop(){for(let task of[...this.#entries.keys()])this.remove(task);this.#wheel.clear(),this.#pools.clear(),
this.#timer?.cancel(),this.#timer=void 0,this.#armed=Number.POSITIVE_INFINITY}#slotOf(time){return Math.floor(time/50)}#enqueue(entry){
this.#poolOf(entry.task.pool).queue.push(entry)}#poolOf(name){let pool=this.#pools.get(name);return pool||(pool={running:0,
queue:[],next:0},this.#pools.set(name,pool)),pool}#startWaiting(name){let pool=this.#poolOf(name),limit=this.#limitOf(name);
for(;pool.running<limit&&pool.next<pool.queue.length;){let entry=pool.queue[pool.next++];entry&&!entry.isRemoved&&this.#start(
entry,pool)}pool.next===pool.queue.length?(pool.queue=[],pool.next=0):pool.next>1e4&&(pool.queue=pool.queue.slice(pool.next),
pool.next=0)}#start(entry,pool){pool.running+=1;let{task}=entry,now=this.#clock.monotonic(),isFirst=entry.planned===void 0,
from=Math.max(entry.planned??now,now-task.interval),part=isFirst?this.#random():1+(this.#random()*2-1)*.1;entry.planned=
from+part*task.interval,entry.pool=pool,task.run(entry.done)}#ended(entry){let{pool,task}=entry;pool!==void 0&&(entry.pool=
void 0,pool.running-=1),entry.isRemoved||this.#plan(entry),pool!==void 0&&pool.next<pool.queue.length&&this.#startWaiting(
task.pool)}#plan(entry){let slot=Math.max(this.#slotOf(entry.planned??0),this.#slotOf(this.#clock.monotonic())+1,this.#done+
1),entries=this.#wheel.get(slot);entries?entries.push(entry):this.#wheel.set(slot,[entry]),slot<this.#armed&&this.#arm(slot)}#arm(slot){
this.#timer?.cancel(),this.#armed=slot,this.#timer=this.#clock.setTimer(Math.max(0,slot*50-this.#clock.monotonic()),()=>this.#turn())}#turn(){
this.#timer=void 0,this.#armed=Number.POSITIVE_INFINITY;let last=this.#slotOf(this.#clock.monotonic()),pools=new Set;for(let slot=this.#done+
1;slot<=last;slot+=1){for(let entry of this.#wheel.get(slot)??[])entry.isRemoved||(this.#enqueue(entry),pools.add(entry.
task.pool));this.#wheel.delete(slot)}this.#done=Math.max(this.#done,last);for(let pool of pools)this.#startWaiting(pool);
if(this.#wheel.size>0){let next=this.#done+1;for(;!this.#wheel.has(next);)next+=1;next<this.#armed&&this.#arm(next)}}};function selectEndpoints({primary,backup},allFailed){return primary.up>0?"primary up":primary.unknown>0?"primary unknown":
backup.up>0?"backup up":backup.unknown>0?"backup unknown":allFailed}function isSelected(selection,isBackup,verdict){switch(selection){case"\
open":return!isBackup;case"closed":return!1;default:return selection===`${isBackup?"backup":"primary"} ${verdict}`}}var noCounts=()=>({up:0,down:0,unknown:0}),CheckedService=class{name;create;discard;#slices=new Set;#settings;#checks=new Map;#former=new Map;#users=new Map;#endpoints=new Map;#groups=new Map;#dirty=new Set;constructor(name,create,discard){
this.name=name,this.create=create,this.discard=discard}get settings(){return this.#settings}get hasSlices(){return this.#slices.
size>0}get checks(){return this.#checks.values()}get selections(){return new Map([...this.#groups].map(([family,{selection}])=>[
family,selection]))}configure(settings){if(structurallyEqual(settings,this.#settings))return;this.#settings=settings,this.#former=
this.#checks,this.#checks=new Map,this.#users=new Map,this.#endpoints=new Map,this.#groups=new Map;let touched=new Set;for(let slice of this.#slices)
this.#acquire(slice,slice.content,touched),this.#dirty.add(slice);for(let check of this.#former.values())this.discard(check);
this.#former=new Map,this.#settle(touched)}add(slice){this.#slices.add(slice);let touched=new Set;this.#acquire(slice,slice.
content,touched),this.#settle(touched)}update(slice,content){let old=slice.content;if(slice.content=content,old.isBackup===
content.isBackup&&structurallyEqual(old.definition,content.definition))return;let touched=new Set;this.#acquire(slice,content,
touched),this.#release(slice,old,touched),this.#settle(touched)}remove(slice){if(this.#slices.delete(slice)){this.#dirty.
delete(slice);let touched=new Set;this.#release(slice,slice.content,touched),this.#settle(touched)}}checked(check){for(let endpoint of this.#users.
get(check)??[]){let verdict=verdictOf(endpoint.checks);if(verdict!==endpoint.verdict){endpoint.counts&&(endpoint.counts[endpoint.
verdict]-=1,endpoint.counts[verdict]+=1),endpoint.verdict=verdict,endpoint.reason=reasonOf(endpoint.checks);for(let slice of endpoint.
slices.keys())this.#dirty.add(slice)}}this.#select()}flush(){let dirty=[...this.#dirty];this.#dirty.clear();for(let slice of dirty){
let output=this.outputOf(slice);if(this.#slices.has(slice)&&!structurallyEqual(output,slice.output)){let previous=slice.
output;slice.output=output,slice.report(previous,output)}}}outputOf({content:{input,definition,isBackup}}){let settings=this.#settings,
selection=this.#groups.get(definition.family)?.selection;if(!settings||!selection)return input;let differs=!1,suffix=portsOf(
definition,settings).join(),endpoints=(input.endpoints??[]).map(endpoint=>{let address=parseAddress(endpoint?.addresses?.[0])?.
text,checked=address===void 0?void 0:this.#endpoints.get(endpointKey(address,suffix));if(!checked)return endpoint;let{ready,
serving}=endpoint.conditions??{};if(!(ready!==!1?!isSelected(selection,isBackup,checked.verdict):checked.verdict==="down"&&
selection!=="open"&&serving!==!1))return endpoint;differs=!0;let reason=reasonNotUsed(checked,selection,isBackup);return{
...endpoint,conditions:{...endpoint.conditions,ready:!1,serving:!1,reason}}});return differs?{...input,endpoints}:input}#acquire(slice,{
definition,isBackup},touched){let settings=this.#settings;if(!settings)return;let{family,endpoints}=definition,ports=portsOf(
definition,settings),suffix=ports.join();for(let{address,ready,serving}of endpoints){if(!ready&&!serving)continue;let key=endpointKey(
address,suffix),endpoint=this.#endpoints.get(key);if(!endpoint){let checks=ports.map(port=>this.#checkOf(address,port,family,
settings));endpoint={key,group:this.#groupOf(family),checks,verdict:verdictOf(checks),slices:new Map,reason:reasonOf(checks),
primary:0,backup:0,counts:void 0},this.#endpoints.set(key,endpoint);for(let check of checks){let users=this.#users.get(check)??
new Set;this.#users.set(check,users.add(endpoint))}}endpoint.slices.set(slice,(endpoint.slices.get(slice)??0)+1),endpoint[isBackup?
"backup":"primary"]+=ready?1:0,touched.add(endpoint)}}#release(slice,{definition,isBackup},touched){let settings=this.#settings,
suffix=settings?portsOf(definition,settings).join():"";for(let{address,ready,serving}of settings?definition.endpoints:[]){
let endpoint=this.#endpoints.get(endpointKey(address,suffix));if(!endpoint||!(ready||serving))continue;let times=endpoint.
slices.get(slice)??1;times>1?endpoint.slices.set(slice,times-1):endpoint.slices.delete(slice),endpoint[isBackup?"backup":
"primary"]-=ready?1:0,touched.add(endpoint)}}#settle(touched){for(let endpoint of touched){let{group,primary,backup,verdict,
checks}=endpoint,counts=primary>0?group.primary:backup>0?group.backup:void 0;if(counts!==endpoint.counts&&(endpoint.counts&&
(endpoint.counts[verdict]-=1),endpoint.counts=counts,counts&&(counts[verdict]+=1)),!(endpoint.slices.size>0)){this.#endpoints.
delete(endpoint.key);for(let check of checks){let users=this.#users.get(check);users?.delete(endpoint),users?.size===0&&
(this.#users.delete(check),this.#checks.delete(checkKey(check.address,check.port)),this.discard(check))}}}this.#select()}#checkOf(address,port,family,settings){
let key=checkKey(address,port),check=this.#checks.get(key);return check||(check=this.create(address,port,family,settings,
this.#former.get(key)?.state),this.#checks.set(key,check)),check}#groupOf(family){let group=this.#groups.get(family);return group||
(group={family,primary:noCounts(),backup:noCounts(),selection:"closed"},this.#groups.set(family,group)),group}#select(){
for(let[family,group]of this.#groups){let selection=selectEndpoints(group,this.#settings?.allFailed??"closed");if(selection!==
group.selection){group.selection=selection;for(let slice of this.#slices)slice.content.definition.family===family&&this.#dirty.
add(slice)}}}};function checkKey(address,port){return`${address} ${port}`}function endpointKey(address,ports){return`${address}\
 ${ports}`}function portsOf(definition,{port,probe}){if(typeof port=="number")return[port];let ports=definition.ports.filter(
({portName,protocol})=>port===void 0?protocol==="TCP"||probe.kind==="script":portName===port);return[...new Set(ports.map(
one=>one.port))].sort((left,right)=>left-right)}function verdictOf(checks){let verdict="up";for(let{state}of checks){if(state.
verdict==="down")return"down";state.verdict==="unknown"&&(verdict="unknown")}return verdict}function reasonOf(checks){let failed=checks.
find(({state})=>state.verdict==="down");if(!failed)return"";let{reason,run,since}=failed.state,port=checks.length>1?`por\
t ${failed.port}: `:"",times=run>1?`, ${run} times in a row`:"";return`health check failed: ${port}${reason}${times} sin\
ce ${new Date(since).toISOString().slice(0,19)}Z`}function reasonNotUsed({verdict,reason},selection,isBackup){switch(verdict){case"\
down":return reason;case"unknown":return isBackup&&selection.startsWith("primary")?"a backup, which is not needed":"not \
checked yet";case"up":return"a backup, which is not needed"}}var UNCHECKED={verdict:"unknown",isFresh:!0,run:0,passed:void 0,since:0,reason:void 0};function nextHealth(state,failure,{
rise,fall},now){let passed=failure===void 0;if(passed&&state.passed&&!state.isFresh&&state.verdict==="up"&&state.run>=rise)
return state;let continues=state.passed===passed,run=continues?state.run+1:1;return{verdict:state.isFresh||run>=(passed?
rise:fall)?passed?"up":"down":state.verdict,isFresh:!1,run,passed,since:continues?state.since:now,reason:failure}}var EndpointCheck=class{address;port;settings;probe;now;listener;interval;pool;#state;#isStopped=!1;#done;#finish=result=>this.#finished(
result);constructor(address,port,settings,probe,now,listener,inherited=UNCHECKED){this.address=address,this.port=port,this.
settings=settings,this.probe=probe,this.now=now,this.listener=listener,this.interval=settings.interval,this.pool=settings.
probe.kind,this.#state=inherited.isFresh?inherited:{...inherited,isFresh:!0}}get state(){return this.#state}run(done){this.#done=
done,this.probe(this.#finish)}#finished(result){if(!this.#isStopped){let previous=this.#state;if(result.outcome!=="error"){
let failure=result.outcome==="passed"?void 0:result.reason;this.#state=nextHealth(previous,failure,this.settings,this.now())}
this.listener(this,result,previous)}let done=this.#done;this.#done=void 0,done?.()}stop(){this.#isStopped=!0}};import{request as requestHttps}from"node:https";import{isIP}from"node:net";import{connect as connectTls}from"node:tls";function connectFailure(failure,milliseconds,timeout){switch(failure){case"ECONNREFUSED":return{outcome:"refused",reason:"\
connection refused",milliseconds};case"ETIMEDOUT":return{outcome:"timeout",reason:`no answer within ${timeout} ms`,milliseconds};case"\
EHOSTUNREACH":return{outcome:"unreachable",reason:"host unreachable",milliseconds};case"ENETUNREACH":return{outcome:"unr\
eachable",reason:"network unreachable",milliseconds};case"ECONNRESET":return{outcome:"refused",reason:"connection reset",
milliseconds};default:return{outcome:"error",reason:failure,milliseconds}}}var MAX_HEADERS=16384;function httpProbe({family,address,port,settings},http){let{timeout,namespace}=settings,defaultPort=http.
kind==="https"?443:80,literal=address.includes(":")?`[${address}]`:address,host=http.host??(port===defaultPort?literal:`${literal}\
:${port}`),name=host.replace(/:\d+$/,""),tls={rejectUnauthorized:http.verifiesCertificate,servername:isIP(name.replace(/[[\]]/g,
""))===0?name:""},options={...tls,host:address,port,path:http.path,method:"GET",agent:!1,maxHeaderSize:MAX_HEADERS,headers:{
Host:host,"User-Agent":"kube-proxier-health-check",Accept:"*/*",Connection:"close"}},isExpected=status=>http.statuses.some(
([first,last])=>status>=first&&status<=last);return callback=>{let begin=performance.now(),isDone=!1,request2,socket,finish=result=>{
isDone||(isDone=!0,clearTimeout(timer),http.kind==="http"&&(request2?.socket??socket)?.resetAndDestroy(),request2?.destroy(),
socket?.destroy(),callback({...result,milliseconds:performance.now()-begin}))},failed=error=>finish(httpFailure(error,timeout)),
timer=setTimeout(()=>finish(connectFailure("ETIMEDOUT",0,timeout)),timeout);timer.unref();let send=own=>{request2=(http.
kind==="https"?requestHttps:request)({...options,...own}),request2.on("error",failed),request2.on("response",response=>{
let status=response.statusCode??0;response.on("error",()=>{}),finish(isExpected(status)?{outcome:"passed",reason:""}:{outcome:"\
status",reason:`HTTP status ${status}`})}),request2.end()};if(namespace===void 0){send({});return}tcpSocketIn(namespace,
family).then(own=>{if(isDone){own.destroy();return}socket=own,own.on("error",failed),own.connect({host:address,port},()=>{
isDone||send({createConnection:()=>http.kind==="https"?connectTls({...tls,socket:own}):own})})},error=>finish({outcome:"\
error",reason:messageOf(error)}))}}function httpFailure(error,timeout){let code=isRecord(error)&&typeof error.code=="str\
ing"?error.code:"";return["EMFILE","ENFILE","ENOBUFS","ENOMEM","EADDRNOTAVAIL","EPERM","EACCES","EAGAIN"].includes(code)||
["ECONNREFUSED","ETIMEDOUT","EHOSTUNREACH","ENETUNREACH","ECONNRESET"].includes(code)?connectFailure(code,0,timeout):{outcome:"\
failed",reason:printable(messageOf(error),200)}}import{statSync}from"node:fs";import{join}from"node:path";function scriptProbe({address,port,service,settings},directory,name){let{timeout,namespace}=settings,runner=createCommandRunner(
namespace===void 0?{}:{prefix:["nsenter",`--net=${namespace}`,"--"]}),request2={command:join(directory,name),args:[address,
String(port)],stdout:"ignore",timeout,env:{HEALTH_CHECK_ADDRESS:address,HEALTH_CHECK_PORT:String(port),HEALTH_CHECK_SERVICE:service}};
return callback=>{let begin=performance.now(),finish=result=>callback({...result,milliseconds:performance.now()-begin});
if(isWritableByOthers(request2.command)){let reason=`the script ${name} can be written to by other users; remove that wi\
th chmod go-w`;queueMicrotask(()=>finish({outcome:"error",reason}));return}runner.run(request2).then(()=>finish({outcome:"\
passed",reason:""}),error=>finish(scriptFailure(error,name,timeout)))}}function isWritableByOthers(path){let found=statSync(
path,{throwIfNoEntry:!1});return found!==void 0&&(found.mode&18)!==0}function scriptFailure(error,name,timeout){if(!(error instanceof
CommandError))return{outcome:"error",reason:messageOf(error)};switch(error.failure){case"timeout":return{outcome:"timeou\
t",reason:`the script ${name} did not end within ${timeout} ms`};case"exit-code":{if(/^nsenter: /.test(error.stderr))return{
outcome:"error",reason:printable(error.stderr.trim(),200)};let text=printable(error.stderr.trim().replace(/\s*\n\s*/g,";\
 "),200);return{outcome:"script",reason:`the script ${name} ended with status ${error.exitCode}${text===""?"":`: ${text}`}`}}default:
return{outcome:"error",reason:error.message}}}function tcpProbe({family,address,port,settings},connects){let{timeout,namespace}=settings,target={family,address,port,timeout,
namespace};return callback=>connects.attempt(target,(failure,milliseconds)=>callback(failure===void 0?{outcome:"passed",
reason:"",milliseconds}:connectFailure(failure,milliseconds,timeout)))}var HostProbes=class{scriptDirectory;#connects;#isStopped=!1;constructor(scriptDirectory){this.scriptDirectory=scriptDirectory}create(target){
let{probe}=target.settings;switch(probe.kind){case"tcp":return this.#tcp(target);case"http":case"https":return httpProbe(
target,probe);case"script":return this.scriptDirectory===void 0?cannotBeMade("no directory of scripts is configured"):scriptProbe(
target,this.scriptDirectory,probe.name)}}stop(){this.#isStopped=!0,this.#connects?.close()}#tcp(target){let probe;return callback=>{
if(this.#connects){probe??=tcpProbe(target,this.#connects),probe(callback);return}LibcTcpConnects.load().then(loaded=>{if(this.#isStopped){
loaded.close();return}this.#connects??=loaded,this.#connects!==loaded&&loaded.close(),probe??=tcpProbe(target,this.#connects),
probe(callback)},error=>callback({outcome:"error",reason:messageOf(error),milliseconds:0}))}}};function cannotBeMade(reason){
return callback=>{queueMicrotask(()=>callback({outcome:"error",reason,milliseconds:0}))}}var TransitionLog=class{logger;clock;#lines=0;#left=0;#window;constructor(logger,clock){this.logger=logger,this.clock=clock}log(level,message,fields){
this.#window??=this.clock.setTimer(1e4,()=>this.#endWindow()),this.#lines<50?(this.#lines+=1,this.logger[level](message,
fields)):this.#left+=1}stop(){this.#window?.cancel(),this.#endWindow()}#endWindow(){this.#window=void 0,this.#left>0&&this.
logger.warn(`Health checks: ${this.#left} more endpoints changed within ${1e4/1e3} s`),this.#lines=0,this.#left=0}};var DEFAULT_LIMITS={tcp:2048,http:512,https:256,script:16},DEFAULT_FIRST_RESULTS_TIMEOUT=1e4,FLUSH_DELAY=10,HealthChecks=class{firstResultsTimeout;#logger;#clock;#observer;#probes;#scheduler;#transitions;#allowScripts;#allowLoopback;#services=new Map;#entries=new Map;#checks=new Set;#changed=new Set;#counts={
up:0,down:0,unknown:0};#unattempted=new Set;#waiters=new Set;#errors=new Set;#flushing;#places=0;constructor(options={}){
let{logger=silentLogger,clock=systemClock,observer={},scriptDirectory,limits={},random}=options;this.#logger=logger,this.#clock=
clock,this.#observer=observer,this.#allowScripts=scriptDirectory!==void 0,this.#allowLoopback=options.allowLoopbackEndpoints??
!1,this.#probes=options.probes??new HostProbes(scriptDirectory),this.firstResultsTimeout=options.firstResultsTimeout??DEFAULT_FIRST_RESULTS_TIMEOUT;
let allLimits={...DEFAULT_LIMITS,...limits};this.#scheduler=new CheckScheduler({clock,limitOf:pool=>allLimits[pool]??1,...random?
{random}:{}}),this.#transitions=new TransitionLog(logger,clock)}get logger(){return this.#logger}get clock(){return this.#clock}summary(){
let invalidServices=0;for(let{problems}of this.#services.values())invalidServices+=problems.length>0?1:0;return{endpoints:{
...this.#counts},waiting:this.#scheduler.waiting,invalidServices}}services(){return[...this.#services.values()].filter(({
checked})=>checked.settings!==void 0).map(({checked})=>({service:checked.name,selections:checked.selections,endpoints:[...checked.
checks].map(({address,port,state})=>({address,port,state}))})).sort((left,right)=>left.service<right.service?-1:1)}get problems(){
return[...this.#services.values()].flatMap(({checked,problems})=>problems.map(problem=>`Service ${checked.name}: ${problem}`))}attach(rights){
let origin={...rights,place:this.#places++};return this.#entries.set(origin,new Map),origin}detach(handle){let origin=handle,
entries=this.#entries.get(origin);if(entries){this.#entries.delete(origin);for(let entry of entries.values())this.#removeEntry(
entry);for(let[key,known]of[...this.#services])known.candidates.delete(origin)&&(this.#configure(known),this.#forget(key,
known));this.#entries.size===0&&(this.#scheduler.stop(),this.#probes.stop(),this.#transitions.stop(),this.#flushing?.cancel())}}updateService(handle,previous,current){
let origin=handle,key=nameOf(current??previous),known=this.#known(key);current?known.candidates.set(origin,current):known.
candidates.delete(origin),this.#configure(known),this.#forget(key,known),this.#flushSoon(known.checked)}updateSlice(handle,previous,current,report){
let entries=this.#entries.get(handle),key=nameOf(current??previous),old=entries?.get(key);if(!entries)return[previous,current];
let definition=current&&this.#read(current);if(!current||!definition)return old&&(entries.delete(key),this.#removeEntry(
old)),[old?.output??previous,current];let isBackup=current.metadata?.annotations?.[HEALTH_CHECK_BACKUP_ANNOTATION]==="tr\
ue",{checked}=this.#known(ownerOf(definition)),content={input:current,definition,isBackup},before=old?.output??previous,
entry=old;return entry&&ownerOf(entry.content.definition)===checked.name?checked.update(entry,content):(entry={content,output:current,
report},checked.add(entry),entries.set(key,entry),old&&this.#removeEntry(old)),entry.output=checked.outputOf(entry),this.#flushSoon(
checked),[before,entry.output]}get pendingFirstResults(){return this.#unattempted.size===0?void 0:{pending:this.#unattempted.
size,checks:this.#checks.size}}whenChecked(callback){if(this.#flush(),this.#unattempted.size===0)return callback(),()=>{};
let end=()=>{cancel(),this.#flush(),callback()},timer=this.#clock.setTimer(this.firstResultsTimeout,()=>{let{pending,checks}=this.
pendingFirstResults??{pending:0,checks:0};this.#logger.warn(`Health checks: ${pending} of ${checks} have no result after\
 ${this.firstResultsTimeout} ms; starting without them`),end()}),cancel=()=>{timer.cancel(),this.#waiters.delete(end)};return this.#waiters.
add(end),cancel}#read(slice){return readEndpointSlice(slice,{allowLoopbackEndpoints:this.#allowLoopback}).definition}#known(key){
let known=this.#services.get(key);if(!known){let created={candidates:new Map,checked:new CheckedService(key,(address,port,family,settings,inherited)=>{
let probe=this.#probes.create({address,port,family,settings,service:key}),check=new EndpointCheck(address,port,settings,
probe,()=>this.#clock.now(),(one,result,previous)=>this.#checked(created,settings.probe.kind,one,result,previous),inherited);
return this.#checks.add(check),this.#counts[check.state.verdict]+=1,check.state.verdict==="unknown"&&this.#unattempted.add(
check),this.#scheduler.add(check),check},check=>this.#discard(check)),problems:[]};known=created,this.#services.set(key,
known)}return known}#discard(check){check.stop(),this.#scheduler.remove(check),this.#checks.delete(check),this.#counts[check.
state.verdict]-=1,this.#attempted(check)}#attempted(check){if(this.#unattempted.delete(check)&&this.#unattempted.size===
0)for(let waiter of[...this.#waiters])waiter()}#forget(key,{candidates,checked}){candidates.size===0&&!checked.hasSlices&&
this.#services.delete(key)}#removeEntry(entry){let key=ownerOf(entry.content.definition),known=this.#services.get(key);known&&
(known.checked.remove(entry),this.#forget(key,known),this.#flushSoon(known.checked))}#configure(known){let[first]=[...known.
candidates].sort(([left],[right])=>left.place-right.place),{settings,problems}=first?readHealthCheck(first[1],{allowScripts:this.#allowScripts,
allowNamespaces:first[0].allowNamespaces}):{settings:void 0,problems:[]},{checked}=known;if(problems.length>0){if(problems.
join()!==known.problems.join()){let now=checked.settings?"the checks from before stay in force":"its endpoints are not c\
hecked, and used as their objects say";for(let problem of problems)this.#logger.error(`Service ${printable(checked.name)}\
: ${problem}; ${now}`)}known.problems=problems;return}known.problems.length>0&&settings&&this.#logger.info(`Service ${printable(
checked.name)}: the annotations of its health checks are valid again`),known.problems=[],checked.configure(settings)}#checked(known,kind,check,result,previous){
let{outcome,milliseconds,reason}=result;try{this.#observer.checked?.(kind,outcome,milliseconds)}catch(error){this.#logger.
error(`The observer of health checks failed: ${messageOf(error)}`,{error})}let{state}=check;outcome==="error"&&this.#logError(
known.checked.name,check,reason),state.verdict!==previous.verdict&&(this.#counts[previous.verdict]-=1,this.#counts[state.
verdict]+=1,this.#logTransition(known.checked.name,check,previous),known.checked.checked(check),this.#flushSoon(known.checked)),
this.#attempted(check)}#logTransition(service,{address,port,state},previous){let endpoint=endpointText(address,port),where=`\
endpoint ${endpoint} of Service ${printable(service)}`,fields={service,endpoint,since:new Date(state.since).toISOString()};
if(state.verdict==="down"){let times=state.run===1?"":`, ${state.run} times in a row`;this.#transitions.log("warn",`Heal\
th check failed: ${where} is not used: ${state.reason}${times}`,{...fields,failures:state.run})}else previous.verdict===
"down"&&this.#transitions.log("info",`Health check passed: ${where} is used again`,{...fields,passes:state.run})}#logError(service,{
address,port},reason){let key=`${service} ${reason}`;this.#errors.has(key)||(this.#errors.size>=1e3&&this.#errors.clear(),
this.#errors.add(key),this.#logger.error(`Health check not possible: endpoint ${endpointText(address,port)} of Service ${printable(
service)}: ${reason}; the last result of its endpoints stays in force`))}#flushSoon(checked){this.#changed.add(checked),
this.#flushing??=this.#clock.setTimer(FLUSH_DELAY,()=>this.#flush())}#flush(){this.#flushing?.cancel(),this.#flushing=void 0;
for(let checked of this.#changed)this.#changed.delete(checked),checked.flush()}};function nameOf(object){return`${object?.
metadata?.namespace??""}/${object?.metadata?.name??""}`}function ownerOf({namespace,serviceName}){return`${namespace}/${serviceName}`}
function endpointText(address,port){return address.includes(":")?`[${address}]:${port}`:`${address}:${port}`}export{HEALTH_CHECK_ANNOTATION,HEALTH_CHECK_BACKUP_ANNOTATION,HealthCheckedSource,HealthChecks,HostProbes,readHealthCheck};
//# sourceMappingURL=chunk-DK3JY2HA.js.map
