#!/usr/bin/env node
import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{versionText}from"./chunk-NDLARBRE.js";import"./chunk-VCSBMK2H.js";import*as nodeModule from"node:module";function writeCompileCache(){let{flushCompileCache}=nodeModule;flushCompileCache?.()}import{readFileSync}from"node:fs";async function raisePermittedNetAdmin(){let[,permitted,effective]=/^CapPrm:\s*(\S+)\nCapEff:\s*(\S+)$/m.
exec(ownStatus())??[];if(permitted!==effective){let{raiseNetAdmin}=await import("./chunk-4G6AVJ4G.js");await raiseNetAdmin()}}
function ownStatus(){try{return readFileSync("/proc/self/status","utf8")}catch{return""}}import{readFileSync as readFileSync2}from"node:fs";var MIN_OPEN_FILES=256;function openFilesShortage(){let limit=Number(
/^Max open files\s+(\d+)/m.exec(limits())?.[1]??Number.POSITIVE_INFINITY);return limit<MIN_OPEN_FILES?`the open files li\
mit is ${limit}, but must be at least ${MIN_OPEN_FILES}; raise it (ulimit -n, LimitNOFILE)`:void 0}function limits(){try{
return readFileSync2("/proc/self/limits","utf8")}catch{return""}}import{setFlagsFromString}from"node:v8";import{runInNewContext}from"node:vm";var MORE_THAN_YOUNG_GENERATION=3e4;function holdMemory(){
setFlagsFromString("--heap-growing-percent=30"),doubleYoungGeneration(),setFlagsFromString("--semi-space-growth-factor=1")}
async function settleMemory(){setFlagsFromString("--heap-growing-percent=0"),setFlagsFromString("--semi-space-growth-fac\
tor=2"),setFlagsFromString("--optimize-for-size"),collectGarbage({type:"major",execution:"sync",flavor:"last-resort"});let{
releaseUnusedMemory}=await import("./chunk-4G6AVJ4G.js");await releaseUnusedMemory().catch(()=>{})}function doubleYoungGeneration(){
let survivors=Array.from({length:MORE_THAN_YOUNG_GENERATION},(_,index)=>({index}));collectGarbage({type:"minor",execution:"\
sync"}),survivors.length=0}function collectGarbage(options){setFlagsFromString("--expose-gc");let collect=runInNewContext(
"gc");typeof collect=="function"&&collect(options)}var shortage=openFilesShortage();if(process.argv.length===3&&process.argv[2]==="--version")process.stdout.write(versionText());else if(shortage===
void 0){await raisePermittedNetAdmin(),holdMemory();let{runProcess}=await import("./chunk-7JSWGAKJ.js");await runProcess(
async()=>(await import("./chunk-Y24WAE2R.js")).compose(),()=>{writeCompileCache(),settleMemory()})}else process.stderr.
write(`kube-proxier cannot start: ${shortage}
`),process.exitCode=1;
//# sourceMappingURL=kube-proxier.js.map
