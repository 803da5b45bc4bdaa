import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{VERSION}from"./chunk-NDLARBRE.js";import{CleanupError,InstanceLock,cleanupBackends,describeHolder,describeKubeProxy,
describeRemoved,findKubeProxy,findLeftovers,nameOfLeftoverOwner}from"./chunk-K6JK22O5.js";import{ProxierError,messageOf,
printable}from"./chunk-4LHTYADA.js";import{hostname}from"node:os";var runningProxies=()=>({lock:new InstanceLock,findKubeProxy});async function cleanUp(request,environment){let{logger,print}=environment,
backends=chosen(environment.backends,request.mode);if(request.dryRun){await printLeftovers(request,backends,environment);
return}let held=request.force?void 0:await ensureNoneRuns(request,environment);try{let summary=await cleanupBackends(backends,
{logger,kubeProxy:request.kubeProxy});print(formatSummary(summary)),request.kubeProxy||print(await formatKubeProxyLeftovers(
backends,logger))}catch(error){throw error instanceof CleanupError&&error.summary.removed.length>0&&print(formatSummary(
error.summary)),error}finally{await held?.release()}}function chosen(backends,mode){if(mode===void 0||mode==="")return backends;
let found=backends.filter(backend=>backend.mode===mode);if(found.length===0){let modes=backends.map(backend=>backend.mode).
join(", "),message=`--proxy-mode: unknown proxy mode "${printable(mode,80)}"; set one of ${modes}, or leave it unset for\
 all`;throw new ProxierError("UNKNOWN_PROXY_MODE",message)}return found}async function ensureNoneRuns({kubeProxy},{logger,
running}){if(running===void 0)return;let held=await acquire(running,logger);try{let finding=await running.findKubeProxy();
if(finding.status==="found")throw refusal(describeKubeProxy(finding));if(finding.status==="unknown"){if(kubeProxy){let message=`\
cannot determine whether a kube-proxy runs in this network namespace: ${finding.reason}; stop it, then use --force`;throw new ProxierError(
"PROXY_RUNNING",message)}logger.info(`Cannot determine whether a kube-proxy runs in this network namespace: ${finding.reason}`)}
return held}catch(error){throw await held?.release(),error}}async function acquire({lock},logger){let identity={pid:process.
pid,version:VERSION,mode:"cleanup",nodeName:hostname()},abort=new AbortController,holder;try{return await lock.acquire(identity,
{signal:abort.signal,onWaiting:found=>{holder??=describeHolder(found),abort.abort()}})}catch(error){if(holder!==void 0)throw refusal(
`kube-proxier, ${holder}`);logger.warn(`Cannot determine whether another kube-proxier runs in this network namespace: ${messageOf(
error)}`);return}}function refusal(holder){let message=`a proxy runs in this network namespace: ${holder}; stop it first\
, or use --force`;return new ProxierError("PROXY_RUNNING",message)}async function printLeftovers({kubeProxy},backends,{logger,
print,running}){let owners=kubeProxy?["backend","kube-proxy"]:["backend"],{found,unlisted,failures}=await findLeftovers(
backends,{logger,owners});print(formatRemoved("Would remove",found));for(let mode of unlisted)print(`Cannot list what wo\
uld be removed of mode ${mode}: its backend does not support it
`);found.length===0&&unlisted.length===0&&failures.length===0&&print(NOTHING);let holder=await describeRunningProxy(running);
if(holder!==void 0&&print(`Without --dry-run, the cleanup would be refused, because a proxy runs in this network namespa\
ce: ${holder}
`),failures.length>0){let message=`cannot list what would be removed (${failures.map(({mode,error})=>`${mode}: ${messageOf(
error)}`).join("; ")}); fix it and run the command again`;throw new ProxierError("LEFTOVERS_UNKNOWN",message,{cause:failures[0]?.
error})}}async function describeRunningProxy(running){let holder=await running?.lock.currentHolder();if(holder!==void 0)
return`kube-proxier, ${describeHolder(holder)}`;let finding=await running?.findKubeProxy();return finding?.status==="fou\
nd"?describeKubeProxy(finding):void 0}var NOTHING=`No leftovers found
`;function formatSummary({removed,unreported}){let ran=unreported.map(mode=>`Cleaned up after mode ${mode}; its backend \
does not report what it removed
`),text=`${formatRemoved("Removed",removed)}${ran.join("")}`;return text===""?NOTHING:text}function formatRemoved(verb,removed){
return removed.map(({mode,owner,objects})=>{let lines=describeRemoved(objects).map(line=>`  ${line}
`);return`${verb} what ${nameOfLeftoverOwner(owner,mode)} had installed:
${lines.join("")}`}).join("")}async function formatKubeProxyLeftovers(backends,logger){let{found}=await findLeftovers(backends,
{logger,owners:["kube-proxy"]});return found.map(({mode})=>`Kept what kube-proxy has installed in mode ${mode}; use --ku\
be-proxy to remove it
`).join("")}export{runningProxies,cleanUp,describeRunningProxy};
//# sourceMappingURL=chunk-XLSJRZ32.js.map
