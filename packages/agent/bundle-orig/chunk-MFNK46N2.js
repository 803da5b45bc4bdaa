import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{formatAge}from"./chunk-IECCYJFR.js";import{plainStyle}from"./chunk-4UHNWRYH.js";import{queryAgent}from"./chunk-4OP7SHWD.js";
import{require_dist}from"./chunk-UWS5UL64.js";import{assertNever,isProxierError,messageOf,pause,systemClock}from"./chunk-4LHTYADA.js";
import"./chunk-7IMJZ4UJ.js";import{__toESM}from"./chunk-VCSBMK2H.js";var import_yaml=__toESM(require_dist(),1);var VERDICTS={ok:["good","OK"],degraded:["warning","DEGRADED"],"not-serving":["bad","NOT SERVING"]},WIDTH=18;function formatStatus(status2,now,style=plainStyle){
let{verdict,problems,mode,nodeName}=status2,of=mode===""?"":` (mode ${mode})`,lines=[`${style(...VERDICTS[verdict])}: ku\
be-proxier ${status2.version} on node ${nodeName}${of}`];if(problems.length>0){lines.push("","Problems:");for(let{found,
advice}of problems)lines.push(`  - ${found}`,`    ${advice}`)}lines.push("");let row=(name,value)=>lines.push(`${`${name}\
:`.padEnd(WIDTH)}${value}`);status2.modeReason!==null&&row("Mode",`${mode}, because ${status2.modeReason}`),row("In forc\
e",`${count(status2.services,"Service")}, ${count(status2.endpoints,"endpoint")}`);for(let[family,one]of Object.entries(
status2.families))row(family,one.programmed?`${count(one.servicePorts,"service port")}, last sync ${ago(one.lastSync,now)}\
 in ${one.lastSyncMilliseconds} ms, last full sync ${ago(one.lastFullSync,now)}`:"not programmed yet");for(let[family,{nodePortAddresses}]of Object.
entries(status2.families))nodePortAddresses&&row(`${family} NodePorts`,nodePorts(nodePortAddresses));for(let{description}of status2.
sources)row("Source",description);row("Last change",status2.lastObjectChange===null?"none since the start":ago(status2.lastObjectChange,
now)),row("Verified",verification(status2,now)),status2.leftovers&&row("Leftovers",status2.leftovers);for(let[family,one]of Object.
entries(status2.probe??{}))row(`${family} probe`,describeProbe(one,now));if(status2.healthChecks){let{up,down,unknown,invalidServices,
failing}=status2.healthChecks;if(up+down+unknown+invalidServices>0){let invalid=invalidServices===0?"":`; ${count(invalidServices,
"Service")} with invalid annotations`;row("Health checks",`${up} passed, ${down} failed, ${unknown} without a result${invalid}`)}
for(let{service,endpoint,reason,since}of failing)lines.push(`  ${endpoint} of ${service}: ${reason}, for ${formatAge(Date.
parse(since),now)}`);down>failing.length&&lines.push(`  and ${down-failing.length} more`)}row("Drift repairs",repairs(status2,
now)),row("Stale flows",`${status2.staleFlowsDeleted} deleted`);let failures=Object.entries(status2.failures).filter(([,
number])=>number>0);return row("Other failures",failures.length===0?"none":failures.map(([part,number])=>`${number} of ${part}`).
join(", ")),row("Memory",`${megabytes(status2.memory.residentBytes)} resident, ${megabytes(status2.memory.heapBytes)} he\
ap`),row("Running",`${formatAge(Date.parse(status2.startTime),now)}, process ${status2.pid}`),`${lines.join(`
`)}
`}function nodePorts(addresses){return addresses.length===0?"on no address":`on ${addresses.map(one=>one==="all"?"all ad\
dresses":one).join(", ")}`}function verification({verification:last},now){if(last===null)return"not yet";let when=`${ago(
last.time,now)}, ${count(last.packetClasses,"class","es")} of packets`;switch(last.verdict){case"verified":return when;case"\
different":return`${when}: ${count(last.differences,"difference")}`;case"unknown":return`${when}: not everything could b\
e verified: ${last.firstFinding}`;default:return assertNever(last.verdict)}}function describeProbe({verdict,frontend,reason,
lastSuccess,milliseconds},now){switch(verdict){case"ok":return`${frontend} answered ${ago(lastSuccess,now)} in ${milliseconds}\
 ms`;case"failed":return`${frontend} failed: ${reason}; last answer ${ago(lastSuccess,now)}`;case"unknown":return`${frontend}\
 unknown: ${reason}`;default:return assertNever(verdict)}}function repairs({driftRepairs,lastDrift},now){return lastDrift===
null?String(driftRepairs):`${driftRepairs}, last ${ago(lastDrift.time,now)}: ${lastDrift.what}`}function ago(time,now){return time===
null?"never":`${formatAge(Date.parse(time),now)} ago`}function count(number,name,plural="s"){return`${number} ${name}${number===
1?"":plural}`}function megabytes(bytes){return`${Math.round(bytes/1e6)} MB`}var EXIT_STATUS={ok:0,degraded:1,"not-serving":2,"no-agent":3},INTERVAL=1e3;async function status({status:address,output},watch,{
print,printError,style,signal}){let shown="";for(;;){let answer=await ask(address);if(typeof answer=="string"?(shown!==answer&&
printError(`kube-proxier: ${answer}
`),shown=answer):shown!==fingerprint(answer)&&(print(`${shown===""?"":`
`}${format(answer,output,style)}`),shown=fingerprint(answer)),!watch||signal.aborted)return EXIT_STATUS[typeof answer=="\
string"?"no-agent":answer.verdict];await pause(systemClock,INTERVAL,signal)}}async function ask(address){try{return JSON.
parse(await queryAgent(address,"/debug/status"))}catch(error){if(isProxierError(error))return messageOf(error);throw error}}
function format(answer,output,style){switch(output){case"json":return`${JSON.stringify(answer,void 0,2)}
`;case"yaml":return(0,import_yaml.stringify)(answer);default:return formatStatus(answer,Date.now(),style)}}function fingerprint({
memory:_memory,families,problems,probe,...rest}){let stable=Object.entries(families).map(([family,{pendingSeconds:_pending,
...one}])=>[family,one]),probed=Object.entries(probe??{}).map(([family,{verdict,reason}])=>[family,verdict,reason]);return JSON.
stringify([stable,probed,problems.map(({severity,advice})=>[severity,advice]),rest])}export{status};
//# sourceMappingURL=chunk-MFNK46N2.js.map
