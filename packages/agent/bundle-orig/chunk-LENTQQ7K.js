import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{VERSION}from"./chunk-NDLARBRE.js";import{ConntrackTuning,ListenError,ProxyMetrics,ProxyServer,combineObservers,
resolveNodeName}from"./chunk-K6JK22O5.js";import"./chunk-MTSOMN72.js";import"./chunk-C2RJUF7R.js";import{
DEFAULT_PROXIER_OPTIONS,ProxierError,messageOf,parseAddress,parseCIDR,systemClock,unselectedFamilies,unservedLoopback}from"./chunk-4LHTYADA.js";
import"./chunk-7IMJZ4UJ.js";import"./chunk-VCSBMK2H.js";import{hostname}from"node:os";function checkFamilies({proxier,health,status},families,{mode,capabilities={}}={}){let{preservesSource=!0}=capabilities,
fatal=[],warnings=[],advice=[],[primary="IPv4"]=families,dualStack=families.length>1,{nodePortAddresses,localTrafficDetection}=proxier;
if(nodePortAddresses?.kind==="all"&&advice.push("NodePorts are served on all addresses of this node; consider --nodeport\
-addresses=primary, to serve them on the node's own only"),nodePortAddresses!==void 0&&nodePortAddresses.kind!=="all"){let missing=unselectedFamilies(
nodePortAddresses,families);missing.length>0&&warnings.push(`--nodeport-addresses names no ${missing.join(" and no ")} n\
etwork, so ${missing.join(" and ")} NodePorts are served on all addresses of this node`);let{localhostNodePorts=DEFAULT_PROXIER_OPTIONS.
localhostNodePorts}=proxier;warnings.push(...loopbackWarnings(unservedLoopback({nodePortAddresses,localhostNodePorts},families,
capabilities),mode))}if(localTrafficDetection?.kind==="none"&&!proxier.masqueradeAll&&preservesSource&&warnings.push("--\
cluster-cidr is not set, so traffic from outside the cluster cannot be detected: off-cluster traffic to cluster IPs thro\
ugh this node is not masqueraded"),localTrafficDetection?.kind==="cluster-cidr"){let present=familiesOf(localTrafficDetection.
cidrs);if(present.size>0&&!present.has(primary)){let text=`--cluster-cidr ${localTrafficDetection.cidrs.join(",")} has n\
o ${primary} network, and ${primary} is the primary IP family`;(dualStack?warnings:fatal).push(text)}}if(!dualStack)for(let[
flag,address]of[["--healthz-bind-address",health],["--metrics-bind-address",status]]){let family=address&&!/^(0\.0\.0\.0|::)$/.
test(address.host)?parseAddress(address.host)?.family:void 0;family!==void 0&&family!==primary&&warnings.push(`${flag} ${address?.
host} is an ${family} address, and only ${primary} is served on this node`)}return{fatal,warnings,advice}}function familiesOf(cidrs){
return new Set(cidrs.flatMap(cidr=>parseCIDR(cidr)?.family??[]))}function loopbackWarnings(unserved,mode=""){let[forbidden,
impossible]=[!0,!1].map(isOption=>unserved.filter(({cause})=>cause==="option"===isOption)),networksOf=items=>items.map(({
network})=>network).join(" and "),consequence=items=>{let without=items.filter(({isOnly})=>isOnly).map(({family})=>family);
return without.length===0?"":`; nothing else is listed, so no address has ${without.join(" and ")} NodePorts`},warnings=[];
if(impossible&&impossible.length>0){let missing=impossible.map(({cause})=>cause),remedy=mode==="nftables"?" without --fe\
ature-gates=KubeProxyNFTablesLocalhostNodePorts=true or --nftables-localhost-nodeports":mode==="ipvs"?" without --ipvs-l\
ocalhost-nodeports":"";warnings.push(`--nodeport-addresses includes ${networksOf(impossible)}, and mode ${mode} serves n\
o NodePorts there${remedy} (it lacks ${missing.join(" and ")})${consequence(impossible)}`)}return forbidden&&forbidden.length>
0&&warnings.push(`--nodeport-addresses includes ${networksOf(forbidden)}, but --iptables-localhost-nodeports=false was p\
assed: NodePorts are not served there${consequence(forbidden)}`),warnings}var OOM_SCORE="/proc/self/oom_score_adj";async function adjustOomScore({files},{oomScoreAdj,explicit},logger){try{Number(
(await files.read(OOM_SCORE)).trim())!==oomScoreAdj&&(await files.write(OOM_SCORE,String(oomScoreAdj)),logger.debug(2,"S\
et the OOM score of this process",{oomScoreAdj}))}catch(error){let text=`Cannot set ${OOM_SCORE} to ${oomScoreAdj}; the \
OOM score of this process is unchanged: ${messageOf(error)}`;explicit.oomScoreAdj?logger.warn(`${text}; lowering it need\
s CAP_SYS_RESOURCE`):logger.debug(1,text)}}function conntrackTuning(host,settings,logger){let{conntrack:options,explicit}=settings;
return new ConntrackTuning({...host,options,isExplicit:explicit.conntrack,logger})}var NodeEvents=class{sink;nodeName;constructor(sink,nodeName){this.sink=sink,this.nodeName=nodeName}modeSelected({mode,requested,
reason,defaulted,backend:{deprecation}}){if(deprecation!==void 0&&this.#record("Warning",`${mode.toUpperCase()}Deprecati\
on`,"StartKubeProxy",`${deprecation}.`),reason!==void 0){let note=`This node cannot run proxy mode ${requested}: ${reason}\
. It runs ${mode} instead.`;this.#record("Warning","ProxyModeFallback","SelectProxyMode",note);return}let why=defaulted?
", the default":"";this.#record("Normal","Starting","StartKubeProxy",`kube-proxier ${VERSION} is starting in proxy mode ${mode}${why}\
.`)}repaired({family,what}){this.#record("Warning","DriftRepaired","Repair",`${family} rules drifted and are being recon\
ciled: ${what}.`)}serviceHealthFailed({namespace,name,port},error){this.sink.record({type:"Warning",reason:"FailedToStar\
tServiceHealthcheck",action:"Listen",note:`Node ${this.nodeName} failed to start healthcheck "${namespace}/${name}" on p\
ort ${port}: ${messageOf(error)}`,regarding:{apiVersion:"v1",kind:"Service",namespace,name}})}configurationProblems(problems){
problems.length>0&&this.#record("Warning","ConfigurationProblem","ReadConfiguration",problems.join(`
`))}failed(error){if(error instanceof ListenError){let reason=error.server==="health server"?"FailedToStartProxierHealth\
check":"FailedToStartMetricServer";this.#record("Warning",reason,"StartKubeProxy",messageOf(error))}}#record(type,reason,action,note){
let regarding={apiVersion:"v1",kind:"Node",name:this.nodeName};this.sink.record({type,reason,action,note,regarding})}};var PodNetworkCheck=class{settings;logger;#missing=!1;constructor(settings,logger){this.settings=settings,this.logger=logger}nodeEvent({
spec}){if(this.settings.proxier.localTrafficDetection?.kind!=="node-cidr")return;let missing=!spec?.podCIDR&&!spec?.podCIDRs?.
length;missing!==this.#missing&&(this.#missing=missing,missing?this.logger.warn("This node has no spec.podCIDRs, so --de\
tect-local-mode=NodeCIDR cannot detect off-cluster traffic: such traffic to cluster IPs through this node is not masquer\
aded. Enable the allocation of pod CIDRs to nodes, or use another mode"):this.logger.info("This node has spec.podCIDRs n\
ow, and --detect-local-mode=NodeCIDR works"))}};var EVENT_FLUSH_TIMEOUT=300,SETTLE_DELAY=2e3;async function runAgent({composition,settings,logger,signal,onRunning,onSettled}){
if(signal.aborted)return;let nodeName=resolveNodeName(settings.proxier.nodeName,hostname());logger.info(`kube-proxier ${VERSION}\
 is starting`,{nodeName,pid:process.pid,nodejs:process.version}),composition.host&&await adjustOomScore(composition.host,
settings,logger);let sink=composition.events?.(settings,nodeName,logger),events=sink&&new NodeEvents(sink,nodeName);events?.
configurationProblems(settings.warnings);let metrics=new ProxyMetrics({counterSeries:settings.counterSeries}),plain=await composition.
sources(settings,logger),checked=await composition.healthChecks?.(plain,settings,logger,metrics),{sources,status:healthChecks}=checked??
{sources:plain};if(signal.aborted){await sink?.stop(EVENT_FLUSH_TIMEOUT);return}let options=serverOptions(composition,settings,
logger),server=new ProxyServer({...options,...scrapeOptions(composition,settings),sources,...healthChecks?{healthChecks}:
{},metrics,observer:combineObservers([new PodNetworkCheck(settings,logger),...events?[events]:[],...onSettled?[new Settling(
onSettled)]:[]],logger)}),stop=()=>{logger.info("kube-proxier is stopping"),server.stop()};signal.addEventListener("abor\
t",stop);let quit=()=>{},ended=new Promise((_resolve,reject)=>{quit=onRunning?.(reject,problems=>{events?.configurationProblems(
problems)})??quit});ended.catch(()=>{});try{let{selection,families}=await Promise.race([server.start(),ended]);logger.info(
`kube-proxier ${VERSION} is running`,{mode:selection.mode,...selection.defaulted?{why:"the default"}:{},...selection.reason===
void 0?{}:{why:`in place of ${selection.requested}`},nodeName,families:families.join(","),watching:sources.map(({description})=>description).
join("; ")}),await Promise.race([server.finished,ended]),logger.info(selection.backend.capabilities?.servesWithoutProcess??
!0?"kube-proxier has stopped; installed rules stay in place":`kube-proxier has stopped, and all connections are closed: \
in mode ${selection.mode} they pass through its process`)}catch(error){throw events?.failed(error),error}finally{quit(),
signal.removeEventListener("abort",stop),await Promise.all([server.stop(),sink?.stop(EVENT_FLUSH_TIMEOUT)])}}async function prepareHost({
composition,settings,logger}){await new ProxyServer({...serverOptions(composition,settings,logger),sources:[]}).prepare(),
logger.info("The host setup is complete, and the proxier can run with CAP_NET_ADMIN; exiting because of --init-only")}function serverOptions(composition,settings,logger){
let{conntrack,tcpSockets,host}=composition,{effective}=settings;return{backends:composition.configure?.(settings)??composition.
backends,mode:settings.mode,fallback:settings.fallback,takeover:settings.takeover,...settings.verifyPeriod>0?{verification:{
period:settings.verifyPeriod}}:{},exclusive:(composition.exclusive??!1)&&!settings.allowMultipleInstances,announce:composition.
exclusive??!1,proxier:settings.proxier,bindAddress:settings.bindAddress,allowLoopbackEndpoints:settings.allowLoopbackEndpoints,
serviceExternalIPs:settings.featureGates.allowServiceExternalIPs,logger,...conntrack?{conntrack}:{},...tcpSockets?{tcpSockets}:
{},...host?{conntrackTuning:conntrackTuning(host,settings,logger),sysctl:host.sysctl}:{},...settings.status?{statusAddress:settings.
status}:{},...settings.health?{healthAddress:settings.health}:{},bindAddressHardFail:settings.bindAddressHardFail,...settings.
profiling?{profiling:profilingOf(logger)}:{},...settings.probe?{probe:settings.probe}:{},...settings.recording?{recording:settings.
recording}:{},configuration:()=>({"kubeproxy.config.k8s.io":effective.kubeProxy,"kube-proxier.io":effective.own}),checkFamilies:(families,backend)=>{
let{fatal,warnings,advice}=checkFamilies(settings,families,backend);for(let text of advice)logger.info(text);for(let warning of warnings)
logger.warn(`The configuration may be incomplete or invalid: ${warning}`);if(fatal.length>0)throw new ProxierError("CONF\
IGURATION_UNFIT",`the configuration is invalid: ${fatal.join("; ")}`)}}}function scrapeOptions(composition,settings){let{
scrape}=settings,access=scrape?.access==="everybody"?scrape.access:composition.accessReviewer?.(settings);return scrape&&
access?{scrape:{...scrape,access}}:{}}function profilingOf(logger){return"setVerbosity"in logger?{setVerbosity(level){logger.
setVerbosity(level),logger.info("Set the log verbosity by request",{v:level})}}:{}}var Settling=class{onSettled;#families=new Set;#pending;#isVerified=!1;constructor(onSettled){
this.onSettled=onSettled}synced({family}){this.#families.has(family)||(this.#families.add(family),this.#settleLater())}verified(){
this.#isVerified||(this.#isVerified=!0,this.#settleLater())}#settleLater(){this.#pending?.cancel(),this.#pending=systemClock.
setTimer(SETTLE_DELAY,this.onSettled)}};export{prepareHost,runAgent};
//# sourceMappingURL=chunk-LENTQQ7K.js.map
