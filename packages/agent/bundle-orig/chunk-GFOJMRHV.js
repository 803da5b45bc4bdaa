import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{resolveNodeAddresses,resolveNodeName,withBindAddress}from"./chunk-K6JK22O5.js";import{DEFAULT_PROXIER_OPTIONS,
DEFAULT_PROXY_MODE,ObjectReader,ProxierError,ProxyStateResolver,optionsOfFamily,pause,silentLogger,structurallyEqual,systemClock}from"./chunk-4LHTYADA.js";var LIST_TIMEOUT=6e4,INTERVAL=20;async function collectObjects(sources,nodeName,timeout=LIST_TIMEOUT){let services=new Map,
endpointSlices=new Map,nodes=new Map,cidrs=new Map,unsynced=new Map(sources.map(source=>[source,new Set(["Services","End\
pointSlices"])]));try{for(let source of sources)await source.start({onServiceUpdate:(previous,current)=>put(services,previous,
current),onEndpointsUpdate:(previous,current)=>put(endpointSlices,previous,current),onNodeUpdate:node=>{nodes.set(node.metadata?.
name??"",node)},onServiceCIDRsUpdate:list=>{cidrs.set(source,list)},onServicesSynced:()=>{unsynced.get(source)?.delete("\
Services")},onEndpointsSynced:()=>{unsynced.get(source)?.delete("EndpointSlices")}},{nodeName});let deadline=systemClock.
monotonic()+timeout;for(;[...unsynced.values()].some(({size})=>size>0);){if(systemClock.monotonic()>deadline)throw incomplete(
unsynced);await pause(systemClock,INTERVAL,new AbortController().signal)}}finally{await Promise.all(sources.map(source=>source.
stop()))}return{services,endpointSlices,nodes,serviceCIDRs:[...cidrs.values()].flat()}}function objectsOfList(items){let services=new Map,
endpointSlices=new Map,nodes=new Map,serviceCIDRs=[];for(let item of items)switch(item.kind){case"Service":put(services,
void 0,item);break;case"EndpointSlice":put(endpointSlices,void 0,item);break;case"Node":nodes.set(item.metadata?.name??"",
item);break;case"ServiceCIDR":serviceCIDRs.push(...item.spec?.cidrs??[]);break}return{services,endpointSlices,nodes,serviceCIDRs}}
function objectKey({metadata}){return`${metadata?.namespace??"default"}/${metadata?.name??""}`}function put(into,previous,current){
previous!==void 0&&(current===void 0||objectKey(previous)!==objectKey(current))&&into.delete(objectKey(previous)),current!==
void 0&&into.set(objectKey(current),current)}function incomplete(unsynced){let texts=[...unsynced].flatMap(([source,kinds])=>[
...kinds].map(kind=>{let obstacle=source.obstacle?.(kind);return`${kind} from ${source.description}${obstacle===void 0?"":
`: ${obstacle}`}`}));return new ProxierError("OBJECTS_INCOMPLETE",`lists of objects are not complete: ${texts.join("; ")}\
; restore the access, or set --manifests`)}import{hostname}from"node:os";var DEFAULT_CAPABILITIES={localhostNodePorts:!0};function proxierOptionsOf(settings,family,capabilities=DEFAULT_CAPABILITIES){
let options={...DEFAULT_PROXIER_OPTIONS,...settings.proxier};return{...optionsOfFamily(options,family,capabilities),nodeName:resolveNodeName(
options.nodeName,hostname()),nodeAddresses:resolveNodeAddresses(options.nodeAddresses,settings.bindAddress).addresses}}function resolveCluster(objects,family,settings,{
onProblem,...host}={}){let resolver=new ClusterResolver([family],settings,()=>host,onProblem);return resolver.moveTo(objects),
resolver.stateOf(family)}function resolvePairs(families,before,after,onProblem){let isBefore=!0,hasProblems=!1,first=before&&
new ClusterResolver(families,before.settings,before.host,problem=>{isBefore?hasProblems=!0:onProblem(problem)});first?.moveTo(
before?.objects??NO_OBJECTS);let states=new Map(families.map(family=>[family,first?.stateOf(family)]));isBefore=!1;let second=before&&
!hasProblems&&families.every(family=>haveSameOptions(family,before,after))&&first?first:new ClusterResolver(families,after.
settings,after.host,onProblem);return second.moveTo(after.objects),families.map(family=>({family,before:states.get(family),
after:second.stateOf(family)}))}function haveSameOptions(family,left,right){let optionsOf=({settings,host,objects})=>{let{
capabilities,...addresses}=host(family),{bindAddress,allowLoopbackEndpoints,featureGates}=settings,options=proxierOptionsOf(
settings,family,capabilities),hasNode=objects.nodes.has(options.nodeName);return{options,addresses,bindAddress,allowLoopbackEndpoints,
featureGates,hasNode}};return structurallyEqual(optionsOf(left),optionsOf(right))}var NO_OBJECTS={services:new Map,endpointSlices:new Map,
nodes:new Map,serviceCIDRs:[]},ClusterResolver=class{#resolvers=new Map;#settings;#nodeName;#objects=NO_OBJECTS;constructor(families,settings,hostOf,onProblem){
this.#settings=settings;let reader=new ObjectReader(onProblem,{allowLoopbackEndpoints:settings.allowLoopbackEndpoints,serviceExternalIPs:settings.
featureGates.allowServiceExternalIPs}),nodeName="";for(let family of families){let host=hostOf(family),options=proxierOptionsOf(
settings,family,host.capabilities);({nodeName}=options);let resolver=new ProxyStateResolver({family,options,reader,since:0,
includesLocalAddresses:host.includesLocalAddresses??!1,...onProblem===void 0?{}:{onProblem}});this.#resolvers.set(family,
{resolver,host})}this.#nodeName=nodeName}stateOf(family){let one=this.#resolvers.get(family);if(one===void 0)throw new RangeError(
`${family} is not resolved`);return one.resolver.latest}moveTo(next){let{services,endpointSlices,nodes}=this.#objects,resolvers=[
...this.#resolvers.values()],node=next.nodes.get(this.#nodeName),{bindAddress}=this.#settings;if(node!==void 0&&node!==nodes.
get(this.#nodeName)){let bound=bindAddress===""?node:withBindAddress(node,bindAddress);resolvers.forEach(({resolver})=>{
resolver.updateNode(bound)})}resolvers.forEach(({resolver})=>{resolver.updateServiceCIDRs(next.serviceCIDRs)}),eachDifference(
services,next.services,(previous,current)=>resolvers.forEach(({resolver})=>{resolver.updateService(previous,current)})),
eachDifference(endpointSlices,next.endpointSlices,(previous,current)=>resolvers.forEach(({resolver})=>{resolver.updateEndpointSlice(
previous,current)}));for(let{resolver,host}of resolvers){let known=host.localAddresses??[...resolver.applyPending().state.
node.addresses,"127.0.0.1","::1"];resolver.updateLocalAddresses(known),resolver.applyPending()}this.#objects=next}};function eachDifference(before,after,visit){
for(let[key,previous]of before)after.has(key)||visit(previous,void 0);for(let[key,current]of after){let previous=before.
get(key);previous!==current&&visit(previous,current)}}function capabilitiesOf(settings,{configure,backends}){let mode=settings.
mode===""?DEFAULT_PROXY_MODE:settings.mode,backend=(configure?.(settings)??backends).find(candidate=>candidate.mode===mode);
return backend&&(backend.capabilities??{})}import{hostname as hostname2}from"node:os";async function readManifestObjects(settings,composition){let sources=await composition.sources({...settings,kubernetes:void 0},
silentLogger);return collectObjects(sources,resolveNodeName(settings.proxier.nodeName,hostname2()))}async function resolveManifests(families,settings,composition,localAddresses){
let objects=await readManifestObjects(settings,composition),host={capabilities:capabilitiesOf(settings,composition),...localAddresses===
void 0?{}:{localAddresses}};return families.map(family=>resolveCluster(objects,family,settings,host))}export{collectObjects,objectsOfList,objectKey,proxierOptionsOf,resolvePairs,capabilitiesOf,readManifestObjects,resolveManifests};
//# sourceMappingURL=chunk-GFOJMRHV.js.map
