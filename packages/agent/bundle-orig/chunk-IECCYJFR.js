import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
function formatAge(since,now){let seconds=Math.floor((now-since)/1e3);if(since<=0||seconds<0)return"<unknown>";let minutes=Math.
floor(seconds/60),hours=Math.floor(minutes/60),days=Math.floor(hours/24);return seconds<120?`${seconds}s`:minutes<10?seconds%
60===0?`${minutes}m`:`${minutes}m${seconds%60}s`:hours<3?`${minutes}m`:hours<8?minutes%60===0?`${hours}h`:`${hours}h${minutes%
60}m`:hours<48?`${hours}h`:days<8?hours%24===0?`${days}d`:`${days}d${hours%24}h`:days<730?`${days}d`:`${Math.floor(days/
365)}y`}export{formatAge};
//# sourceMappingURL=chunk-IECCYJFR.js.map
