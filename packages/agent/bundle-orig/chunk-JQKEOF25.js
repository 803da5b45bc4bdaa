import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{formatAge}from"./chunk-IECCYJFR.js";import{formatBytes,formatPorts,formatTable,joinHostPort,serviceKey}from"./chunk-4LHTYADA.js";var RESOURCES=["services","endpoints","frontends"],ALIASES={service:"services",svc:"services",endpoint:"endpoints",ep:"e\
ndpoints",frontend:"frontends"};function findResource(name){return RESOURCES.find(resource=>resource===name)??ALIASES[name]}
function formatResources(resource,ports,options){switch(resource){case"services":return servicesTable(ports,options);case"\
endpoints":return endpointsTable(ports,options);case"frontends":return frontendsTable(ports,options)}}function servicesTable(ports,{
wide,withNamespace,now}){let head=["NAME","CLUSTER-IP","EXTERNAL-IP","PORT(S)","ENDPOINTS","AGE"],counters=wide?countersOf(
ports):[],more=wide?["INTERNAL","EXTERNAL","AFFINITY","TOPOLOGY",...counters.map(({head:head2})=>head2)]:[],rows=grouped(
ports,serviceKey).map(group=>{let[first]=group,external=unique(group.flatMap(({externalIPs,loadBalancerIPs})=>[...loadBalancerIPs,
...externalIPs])),endpoints=group.flatMap(port=>port.endpoints);return[...withNamespace?[first.namespace]:[],first.name,
listed(unique(group.map(({clusterIP})=>clusterIP))),listed(external,"<none>"),listed(unique(group.map(({port,lastPort,nodePort,
protocol})=>`${formatPorts({port,lastPort})}${nodePort===null?"":`:${nodePort}`}/${protocol}`))),`${endpoints.filter(({used})=>used).
length}/${endpoints.length}`,formatAge(Math.min(...group.map(({createdAt})=>createdAt)),now),...wide?[first.internalTrafficPolicy,
first.externalTrafficPolicy,first.affinitySeconds===null?"<none>":`ClientIP ${first.affinitySeconds}s`,first.topology===
"none"?"<none>":first.topology,...counters.map(({of})=>of(group))]:[]]});return formatTable([[...withNamespace?["NAMESPA\
CE"]:[],...head,...more],...rows])}function countersOf(counts){let counter=(head,read,format)=>{let of=some=>{let counted=some.
flatMap(count=>read(count)??[]);return counted.length===0?"<none>":format(counted.reduce((sum,value)=>sum+value,0))};return counts.
some(count=>read(count)!==void 0)?[{head,of}]:[]};return[...counter("CONNECTIONS",({connections})=>connections,String),...counter(
"TO-ENDPOINTS",({bytes})=>bytes?.toEndpoints,formatBytes),...counter("TO-CLIENTS",({bytes})=>bytes?.toClients,formatBytes)]}
function endpointsTable(ports,{wide,withNamespace}){let counters=wide?countersOf(ports.flatMap(port=>port.endpoints)):[],
rows=ports.flatMap(port=>port.endpoints.map(endpoint=>[...withNamespace?[port.namespace]:[],port.name,portLabel(port),joinHostPort(
endpoint.address,endpoint.port),...wide?[endpoint.podName??"<unknown>",endpoint.nodeName??"<unknown>",endpoint.isLocal?"\
yes":"no",String(endpoint.weight),...counters.map(({of})=>of([endpoint]))]:[],endpoint.used?"yes":"no",endpoint.reason])),
details=["POD","NODE","LOCAL","WEIGHT",...counters.map(({head:head2})=>head2)],head=["SERVICE","PORT","ENDPOINT",...wide?
details:[],"USED","REASON"];return formatTable([[...withNamespace?["NAMESPACE"]:[],...head],...rows])}function frontendsTable(ports,{
wide,withNamespace}){let rows=ports.flatMap(port=>port.frontends.map(frontend=>[...withNamespace?[port.namespace]:[],port.
name,frontend.address===null?`<node>:${frontend.port}`:joinHostPort(frontend.address,formatPorts(frontend)),port.protocol,
frontend.kind,actionOf(frontend,port),...wide?[frontend.masquerade??"<none>",listed(frontend.allowedSources??["<all>"],"\
<none>")]:[]])),head=["SERVICE","ADDRESS","PROTOCOL","KIND","ACTION",...wide?["MASQUERADE","SOURCES"]:[]];return formatTable(
[[...withNamespace?["NAMESPACE"]:[],...head],...rows])}function actionOf({action,endpoints},port){if(action!=="forward")
return action;let used=port.endpoints.filter(({used:used2,isLocal})=>used2&&(endpoints==="cluster"||isLocal)).length;return`\
forward to ${used} ${endpoints==="local"?"local ":""}endpoint${used===1?"":"s"}`}function portLabel({portName,port,protocol}){
return`${portName===""?port:portName}/${protocol}`}function grouped(items,keyOf){let groups=new Map;for(let item of items){
let group=groups.get(keyOf(item));group?group.push(item):groups.set(keyOf(item),[item])}return[...groups.values()]}function unique(texts){
return[...new Set(texts)]}function listed(texts,none="<none>"){return texts.length===0?none:texts.join(",")}export{RESOURCES,findResource,formatResources};
//# sourceMappingURL=chunk-JQKEOF25.js.map
