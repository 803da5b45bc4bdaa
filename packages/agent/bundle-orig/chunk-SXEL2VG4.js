import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{systemClock}from"./chunk-4LHTYADA.js";var SHOWN_AFTER=1e3,INTERVAL=1e3,CLEAR="\r\x1B[K",ProgressLine=class{#write;#clock;#running=[];#timer;#isShown=!1;constructor(write,clock=systemClock){
this.#write=write,this.#clock=clock}async during(what,work){if(this.#write===void 0)return await work();let entry={what,
since:this.#clock.monotonic()};this.#running.push(entry),this.#timer??=this.#clock.setTimer(SHOWN_AFTER,()=>this.#show());
try{return await work()}finally{this.#running.splice(this.#running.indexOf(entry),1),this.#running.length===0&&(this.clear(),
this.#timer?.cancel(),this.#timer=void 0)}}clear(){this.#isShown&&(this.#write?.(CLEAR),this.#isShown=!1)}#show(){let last=this.#running.
at(-1);if(last===void 0)return;let seconds=Math.floor((this.#clock.monotonic()-(this.#running[0]??last).since)/1e3);this.#write?.(
`${CLEAR}${last.what} \u2026 ${seconds} s`),this.#isShown=!0,this.#timer=this.#clock.setTimer(INTERVAL,()=>this.#show())}};export{ProgressLine};
//# sourceMappingURL=chunk-SXEL2VG4.js.map
