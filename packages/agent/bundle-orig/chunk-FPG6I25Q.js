import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{RESOURCES,findResource,formatResources}from"./chunk-JQKEOF25.js";import"./chunk-IECCYJFR.js";import{resolveManifests}from"./chunk-GFOJMRHV.js";
import"./chunk-K6JK22O5.js";import"./chunk-MTSOMN72.js";import"./chunk-C2RJUF7R.js";import{NOTHING_IN_FORCE,
queryAgent}from"./chunk-4OP7SHWD.js";import{require_dist}from"./chunk-UWS5UL64.js";import{ProxierError,printable,
viewServicePorts}from"./chunk-4LHTYADA.js";import"./chunk-7IMJZ4UJ.js";import{__toESM}from"./chunk-VCSBMK2H.js";var import_yaml=__toESM(require_dist(),1);async function get({operands,namespace,output},settings,composition,now=Date.now()){let[kind="",name]=operands,resource=findResource(
kind);if(resource===void 0)throw new ProxierError("UNKNOWN_RESOURCE",`unknown resource "${printable(kind)}"; use one of ${RESOURCES.
join(", ")}`);let selected=await readServicePorts(selectionOf(name,namespace),settings,composition);if(name!==void 0&&selected.
length===0)throw new ProxierError("NOT_FOUND",`Service "${printable(name)}" not found${inNamespace(name,namespace)}`);if(output===
"json"||output==="yaml"){let list={apiVersion:"kube-proxier.io/v1alpha1",kind:"ServicePortList",items:selected};return{text:output===
"json"?`${JSON.stringify(list,void 0,2)}
`:(0,import_yaml.stringify)(list),message:""}}if(selected.length===0)return{text:"",message:`No ${resource} found${inNamespace(
name,namespace)}.`};let withNamespace=namespace===void 0&&!(name?.includes("/")??!1);return{text:formatResources(resource,
selected,{wide:output==="wide",withNamespace,now}),message:""}}function inNamespace(name,namespace){return namespace===void 0||
name?.includes("/")?"":` in namespace ${printable(namespace)}`}function selectionOf(name,namespace){let[first="",second]=name?.
split("/")??[],selected=second===void 0?{namespace,name}:{namespace:first,name:second};return{...selected.namespace===void 0?
{}:{namespace:selected.namespace},...selected.name===void 0?{}:{name:selected.name}}}async function readServicePorts(selection,settings,composition){
if(settings.manifests.length>0)return(await resolveManifests(["IPv4","IPv6"],settings,composition)).flatMap(state=>viewServicePorts(
state,selection));let query=new URLSearchParams({...selection}),answer=await queryAgent(settings.status,`/debug/services\
?${query}`,"set --manifests to read objects from files"),{families,servicePorts}=JSON.parse(answer);if(families?.length===
0)throw new ProxierError("AGENT_NOT_READY",`the agent on this node ${NOTHING_IN_FORCE}`);return servicePorts}export{get};
//# sourceMappingURL=chunk-FPG6I25Q.js.map
