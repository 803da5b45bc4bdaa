import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
var VERDICTS={verified:"VERIFIED: the kernel does what the state says",different:"DIFFERENT: the kernel does not do what\
 the state says",unknown:"UNKNOWN: no difference was found, but not everything could be verified"},MAX_SERVICE_PORTS=5;function formatVerification({
verdict,mode,seconds,families}){return formatFamilies(`${VERDICTS[verdict]} (mode ${mode})`,"verified",seconds,families)}
function formatConnections({verdict,mode,seconds,families}){return formatFamilies(`${{verified:"VERIFIED: real connectio\
ns of this node go where the state says",different:"DIFFERENT: real connections of this node do not go where the state s\
ays",unknown:"UNKNOWN: no difference was found, but not every connection could be compared"}[verdict]} (mode ${mode})`,"\
verified",seconds,families)}function formatComparison({verdict,modes,seconds,families}){let[first,second]=modes,texts={verified:`\
THE SAME: modes ${first} and ${second} do the same with every packet`,different:`DIFFERENT: modes ${first} and ${second}\
 do different things`,unknown:`UNKNOWN: not everything that modes ${first} and ${second} do could be compared`};return formatFamilies(
texts[verdict],"the same",seconds,families)}function formatFamilies(headline,good,seconds,families){let lines=[headline,
"",...countLines(good,families)];return families.every(({classes,findings})=>classes===0&&findings.length===0)&&lines.push(
"No Service has an address, so there is nothing to verify."),lines.push(`Duration: ${seconds.toFixed(1)} s`,...findingLines(
families)),`${lines.join(`
`)}
`}function countLines(good,families){return families.map(({family,classes,different,unknown})=>`${family}: ${classes} cl\
asses of packets: ${classes-different-unknown} ${good}, ${different} different, ${unknown} unknown`)}function findingLines(families){
let lines=[];for(let{family,findings,moreFindings}of families){for(let finding of findings)lines.push("",...formatFinding(
family,finding));moreFindings>0&&lines.push("",`${family}: and ${moreFindings} more findings`)}return lines}function formatFinding(family,{
result,message,classes,servicePorts}){let shown=servicePorts.slice(0,MAX_SERVICE_PORTS).join(", "),more=servicePorts.length>
MAX_SERVICE_PORTS?" and more":"";return[`${result==="different"?"Different":"Unknown"} (${family}): ${message}.`,...classes>
1?[`  The same for ${classes} classes of packets${shown===""?"":`, of ${shown}${more}`}.`]:[]]}export{formatVerification,formatConnections,formatComparison,countLines,findingLines};
//# sourceMappingURL=chunk-JTHS2LB6.js.map
