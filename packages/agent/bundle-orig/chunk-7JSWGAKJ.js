import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{formatTextLine}from"./chunk-OAH5SUEQ.js";import"./chunk-4LHTYADA.js";import"./chunk-VCSBMK2H.js";var GRACE=800;async function runProcess(load,onSettled){let abort=new AbortController,unexpected=error=>{let stack=error instanceof
Error?error.stack:String(error);process.stderr.write(`${formatTextLine({time:Date.now(),level:"error",v:0,message:"kube-\
proxier exits because of an unexpected error; installed rules stay in place",fields:{error:stack}})}
`),process.exit(1)},onWarning=warning=>{let message=warningText(warning);process.stderr.write(`${formatTextLine({time:Date.
now(),level:"warn",v:0,message,fields:void 0})}
`)};process.removeAllListeners("warning"),process.on("warning",warning=>onWarning(warning)),process.on("uncaughtExceptio\
n",unexpected),process.on("unhandledRejection",unexpected),process.stdout.on("error",()=>{}),process.stderr.on("error",()=>{});
for(let signal of["SIGTERM","SIGINT"])process.on(signal,()=>{abort.signal.aborted&&process.exit(0),setTimeout(()=>process.
exit(0),GRACE).unref(),abort.abort()});let alive=setInterval(()=>{},2**30),[{runCommand},{createWinstonLogger},{textStyleFor},
{ProgressLine},composition]=await Promise.all([import("./chunk-GI2U3X4O.js"),import("./chunk-S35ZJ4RE.js"),import("./chunk-MOZX6AXQ.js"),
import("./chunk-LDLMJO27.js"),load()]),status=await runCommand(process.argv.slice(2),{composition,print:text=>{process.
stdout.write(text)},write:data=>new Promise((resolve,reject)=>{process.stdout.write(data,error=>error?reject(error):resolve())}),
...process.stdout.isTTY?{columns:process.stdout.columns}:{},style:textStyleFor(process.stdout.isTTY,process.env),progress:new ProgressLine(
process.stderr.isTTY?text=>{process.stderr.write(text)}:void 0),printError:text=>{process.stderr.write(text)},createLogger:logging=>{
let logger=createWinstonLogger({...logging,stream:process.stderr});return onWarning=warning=>logger.warn(warningText(warning)),
logger},signal:abort.signal,...onSettled?{onSettled}:{}});clearInterval(alive),process.exitCode=status,setTimeout(()=>process.
exit(status),100).unref()}function warningText({name,message}){return`Node.js warning (${name}): ${message}`}export{runProcess};
//# sourceMappingURL=chunk-7JSWGAKJ.js.map
