import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{ProxierError,joinHostPort,messageOf}from"./chunk-4LHTYADA.js";var ANSWER_TIMEOUT=5e3,NOTHING_IN_FORCE="has nothing in force yet; see kube-proxier status, and try again";async function queryAgent(address,path,alternative,{
method="GET",timeout=ANSWER_TIMEOUT}={}){if(!address){let advice="set --metrics-bind-address as the agent has it";throw new ProxierError(
"NO_AGENT",`no agent can be queried: ${alternative?`${alternative}, or ${advice}`:advice}`)}let where=joinHostPort(address.
host,address.port),late=error=>new ProxierError("AGENT_TIMEOUT",`the agent at ${where} has not answered within ${timeout/
1e3} s (${messageOf(error)}); see its log, and try again`,{cause:error}),signal=AbortSignal.timeout(timeout),response;try{
response=await fetch(`http://${where}${path}`,{method,signal})}catch(error){if(signal.aborted)throw late(error);let reason=messageOf(
error instanceof Error&&error.cause?error.cause:error);throw new ProxierError("NO_AGENT",`no agent answers at ${where} (${reason}\
); start kube-proxier${alternative?`, or ${alternative}`:""}`,{cause:error})}let body=await response.text().catch(error=>{
throw late(error)});if(!response.ok)throw new ProxierError("AGENT_REFUSED",`the agent at ${where} answers: ${body.trim()}`);
return body}export{NOTHING_IN_FORCE,queryAgent};
//# sourceMappingURL=chunk-4OP7SHWD.js.map
