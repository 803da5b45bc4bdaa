import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{require_dist}from"./chunk-UWS5UL64.js";import{SERVICE_NAME_LABEL,assertNever,isRecord,messageOf,nestingOfText,
parseAddress,printable,readEndpointSlice,readNode,readService,readServiceCIDR,serviceKey}from"./chunk-4LHTYADA.js";
import{__toESM}from"./chunk-VCSBMK2H.js";var import_yaml3=__toESM(require_dist(),1);var KEY=/^([A-Za-z_][A-Za-z0-9_./-]*):(?: +(.*))?$/,DOUBLE_QUOTED=/^"([ !\x23-\x5b\x5d-\x7e]*)"$/,SINGLE_QUOTED=/^'([\x20-\x26\x28-\x7e]*)'$/,
PLAIN=/^[A-Za-z0-9_./+-][A-Za-z0-9 _./:+=@,()$*;~-]*$/,NUMBER=/^(?:0|[1-9]\d{0,14})$/,NUMERIC=/^(?:[-+]?\d+|0o[0-7]+|0x[\da-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)|[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?)$/,
WORDS=new Map([...["null","Null","NULL"].map(word=>[word,null]),...["true","True","TRUE"].map(word=>[word,!0]),...["fals\
e","False","FALSE"].map(word=>[word,!1])]),LITERAL=/^\|(-?)$/,PRINTABLE=/^[\x20-\x7e]*$/,MAX_DEPTH=64,SPACE=32,BeyondBlockYaml=class extends Error{};
function parseBlockYaml(text,firstLine){try{let reader=new BlockReader(text,firstLine);return{value:reader.read(),positionOf:one=>reader.
positions.get(one)}}catch(error){if(error instanceof BeyondBlockYaml)return;throw error}}var BlockReader=class{text;positions=new WeakMap;#next=0;#line;#indent=-1;#content="";#depth=0;constructor(text,firstLine){
this.text=text,this.#line=firstLine-1}read(){if(this.#advance(),this.#indent<0)return null;let value=this.#node();return this.#indent<
0?value:beyond()}#advance(){let{text}=this;for(;this.#next<text.length;){let begin=this.#next,found=text.indexOf(`
`,begin),end=found<0?text.length:found;this.#next=end+1,this.#line+=1;let at=begin;for(;at<end&&text.charCodeAt(at)===SPACE;)
at+=1;if(!(at===end||text[at]==="#"||text[at]==="\r"&&at===end-1)){this.#indent=at-begin,this.#content=text.slice(at,end).
trimEnd();return}}this.#indent=-1,this.#content=""}#node(){this.#depth+=1,this.#depth>MAX_DEPTH&&beyond();let value=isItem(
this.#content)?this.#list(this.#indent):this.#mapping(this.#indent);return this.#depth-=1,value}#mapping(indent){let mapping={};
for(this.positions.set(mapping,{line:this.#line,column:indent+1});this.#indent===indent&&!isItem(this.#content);){let match=KEY.
exec(this.#content),key=match?.[1]??beyond();(Object.hasOwn(mapping,key)||key==="__proto__"||WORDS.has(key))&&beyond(),mapping[key]=
this.#value(match?.[2]??"",indent)}return this.#indent>=indent?beyond():mapping}#value(text,indent){let literal=LITERAL.
exec(text);return literal?this.#literal(indent,literal[1]==="-"):(this.#advance(),text===""?this.#indent>indent?this.#node():
this.#indent===indent&&isItem(this.#content)?this.#list(indent,!0):null:this.#indent>indent?beyond():scalar(text))}#list(indent,inMapping=!1){
let list=[];for(;this.#indent===indent&&isItem(this.#content);){let text=this.#content.slice(1).trimStart(),inner=indent+
this.#content.length-text.length;text===""?(this.#advance(),list.push(this.#indent>indent?this.#node():null)):KEY.test(text)?
(this.#indent=inner,this.#content=text,list.push(this.#node())):(this.#advance(),list.push(this.#indent>indent?beyond():
scalar(text)))}return this.#indent>indent||this.#indent===indent&&!inMapping?beyond():list}#literal(indent,strip){let{text}=this,
lines=[],own=-1;for(;this.#next<text.length;){let found=text.indexOf(`
`,this.#next),end=found<0?text.length:found,line=text.slice(this.#next,end),deep=line.search(/[^ ]/);if(deep>=0&&deep<=indent)
break;own<0&&(own=deep),(own<0||deep>=0&&deep<own||deep<0&&line.length>own||!PRINTABLE.test(line))&&beyond(),lines.push(
line.slice(own)),this.#next=end+1,this.#line+=1}for(;lines.at(-1)==="";)lines.pop();return(lines.length===0||lines.at(-1)?.
trim()==="")&&beyond(),this.#advance(),`${lines.join(`
`)}${strip?"":`
`}`}};function beyond(){throw new BeyondBlockYaml}function isItem(content){return content==="-"||content.startsWith("- ")}
function scalar(text){switch(text[0]){case'"':return DOUBLE_QUOTED.exec(text)?.[1]??beyond();case"'":return SINGLE_QUOTED.
exec(text)?.[1]??beyond();case"{":return text==="{}"?{}:beyond();case"[":return text==="[]"?[]:beyond()}let unclear=/^(?:-(?:$| )|---|\.\.\.)|: |:$/;
return(!PLAIN.test(text)||unclear.test(text))&&beyond(),NUMBER.test(text)?Number(text):(NUMERIC.test(text)&&beyond(),WORDS.
has(text)?WORDS.get(text):text)}var SKIP_MIRROR_LABEL="endpointslice.kubernetes.io/skip-mirror";function convertEndpoints(endpoints){let slices=[],problems=[],
list=(value,field)=>(value!=null&&!Array.isArray(value)&&problems.push({field,message:"is not a list"}),Array.isArray(value)?
value:[]);for(let[index,subset]of list(endpoints.subsets,"subsets").entries()){let path=`subsets[${index}]`;if(!isRecord(
subset)){problems.push({field:path,message:"is not an object"});continue}let addresses=[];for(let[name,ready]of[["addres\
ses",!0],["notReadyAddresses",!1]])for(let[position,record]of list(subset[name],`${path}.${name}`).entries()){let field=`${path}\
.${name}[${position}]`,parsed=isRecord(record)?parseAddress(record.ip):void 0;if(!isRecord(record)||!parsed){let value=isRecord(
record)?record.ip:record,text=typeof value=="string"?`"${printable(value,60)}"`:typeof value;problems.push({field:isRecord(
record)?`${field}.ip`:field,message:`${text} is not an IP address`});continue}addresses.push({record,path:field,family:parsed.
family,ready})}let ports=list(subset.ports,`${path}.ports`);for(let family of["IPv4","IPv6"]){let members=addresses.filter(
address=>address.family===family);members.length>0&&slices.push(makeSlice(endpoints,index,family,members,ports))}}return{
slices,problems}}function makeSlice(endpoints,subset,family,addresses,ports){let metadata=isRecord(endpoints.metadata)?endpoints.
metadata:{},labels=isRecord(metadata.labels)?metadata.labels:{},suffix=subset===0?"":`-${subset+1}`;return{slice:{apiVersion:"\
discovery.k8s.io/v1",kind:"EndpointSlice",metadata:{...metadata,name:`${String(metadata.name)}.endpoints-${family.toLowerCase()}${suffix}`,
labels:{...labels,[SERVICE_NAME_LABEL]:metadata.name}},addressType:family,ports,endpoints:addresses.map(({record,ready})=>({
addresses:[record.ip],conditions:ready?{ready:!0}:{ready:!1,serving:!1},...record.nodeName===void 0?{}:{nodeName:record.
nodeName}}))},originOf:field=>{let endpoint=/^endpoints\[(\d+)\](.*)$/.exec(field);if(endpoint){let origin=addresses[Number(
endpoint[1])]?.path??"subsets";return endpoint[2]?.startsWith(".addresses")?`${origin}.ip`:`${origin}${endpoint[2]}`}return field.
startsWith("ports")?`subsets[${subset}].${field}`:field}}}var import_yaml=__toESM(require_dist(),1),STEP=/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g;function parseFieldPath(field){
return[...field.matchAll(STEP)].map(([,quoted,index,name])=>index===void 0?quoted??name??"":Number(index))}function positionOf(document,path,lines){
let node=document.contents,best=document.contents?.range?.[0]??document.range?.[0]??0;for(let step of path){let next=childOf(
(0,import_yaml.isAlias)(node)?node.resolve(document):node,step);if(!next)break;best=next.offset??best,node=next.value}let{
line,col}=lines.linePos(best);return{line:Math.max(line,1),column:Math.max(col,1)}}function childOf(node,step){if((0,import_yaml.isSeq)(
node)&&typeof step=="number"){let item=node.items[step];return(0,import_yaml.isNode)(item)?{value:item,offset:item.range?.[0]}:
void 0}if((0,import_yaml.isMap)(node)){let pair=node.items.find(({key})=>((0,import_yaml.isScalar)(key)?String(key.value):
key)===String(step));if(pair){let value=(0,import_yaml.isNode)(pair.value)?pair.value:void 0,place=(value===void 0||(0,import_yaml.isScalar)(
value)&&value.source==="")&&(0,import_yaml.isNode)(pair.key)?pair.key:value;return{value,offset:place?.range?.[0]}}}}var import_yaml2=__toESM(require_dist(),1),MAX_NESTING=200,MAX_BRACKETS=100,MARKER=/^---(?=[ \t\r\n]|$)/gm,BARE_MARKER=/^---[ \t]*\r?(?:\n|$)/,
NEWLINE=10;function*splitDocuments(text){if(/^%/m.test(text)){yield{text,line:1,marked:!0};return}let begin=0,line=1,piece=end=>{
let whole=text.slice(begin,end),marker=BARE_MARKER.exec(whole)?.[0],document=marker===void 0?{text:whole,line,marked:whole.
startsWith("---")}:{text:whole.slice(marker.length),line:line+(marker.endsWith(`
`)?1:0),marked:!1};return line+=countLines(whole),begin=end,document};for(let{index}of text.matchAll(MARKER))index>begin&&
(yield piece(index));yield piece(text.length)}function withoutLeadingComments({text,line,marked}){let lead=/[ \t\r]*(?:#.*)?\n/y,
at=0,skipped=0;for(;lead.test(text);)at=lead.lastIndex,skipped+=1;return{text:text.slice(at),line:line+skipped,marked}}function measureJson(text,limit){
let depth=0,deepest=0,values=1;for(let at=0;at<text.length&&depth<=limit;at+=1)switch(text[at]){case'"':for(at+=1;at<text.
length&&text[at]!=='"';)at+=text[at]==="\\"?2:1;break;case"[":case"{":depth+=1,values+=1,deepest=Math.max(deepest,depth);
break;case"]":case"}":depth-=1;break;case",":values+=1;break}return{depth:deepest,values}}function isTooDeep(text){return nestingOfText(
text,MAX_NESTING)>MAX_NESTING?!0:(text.match(/[[{]/g)?.length??0)>MAX_BRACKETS&&bracketDepth(text)>MAX_BRACKETS}function bracketDepth(text){
let missing=[],deepest=0;for(let token of new import_yaml2.Lexer().lex(text))if(token==="["||token==="{"){if(missing.push(
token==="["?"]":"}"),deepest=Math.max(deepest,missing.length),deepest>MAX_BRACKETS)break}else token===missing.at(-1)&&missing.
pop();return deepest}function countLines(text){let count=0;for(let at=0;at<text.length;at+=1)count+=text.charCodeAt(at)===
NEWLINE?1:0;return count}function refusedManifest(file,reason,timedOut=!1){let problem={...{file,line:0,column:0,object:"",field:""},message:`can\
not be read: ${printable(reason)}`,severity:"error"};return{objects:[],problems:[problem],ignored:[],...timedOut?{timedOut}:
{}}}var MAX_PROBLEMS=20,MAX_ALIASES=1e3,MAX_LIST_DEPTH=4,MAX_JSON_DEPTH=100,MAX_JSON_VALUES=3e6,SMALL=64*1024,MAX_PARSED=1024*
1024,START={line:1,column:1},GROUPS={Service:{group:"",versions:["v1"]},Endpoints:{group:"",versions:["v1"]},Node:{group:"",
versions:["v1"]},EndpointSlice:{group:"discovery.k8s.io",versions:["v1"]},ServiceCIDR:{group:"networking.k8s.io",versions:[
"v1","v1beta1"]}};function readManifest(file,text,options={}){let reader=new ManifestReader(file,text,options);try{reader.
read()}catch(error){let reason=error instanceof RangeError?"it is nested too deeply":messageOf(error);reader.wholeFile(`\
cannot be read: ${printable(reason)}`)}return reader.result()}function textOf(bytes){return Buffer.from(bytes.buffer,bytes.
byteOffset,bytes.length).toString("utf8")}var ManifestReader=class{file;text;options;#objects=[];#problems=[];#ignored=[];#suppressed=0;#locate=()=>START;#placeOf=()=>START;constructor(file,text,options){
this.file=file,this.text=text,this.options=options}read(){let{text}=this,isJson=this.file.endsWith(".json"),small=text.length<=
SMALL;if(!((isJson||!small&&/^\s*[[{]/.test(text))&&this.#readJson(isJson,small)))for(let document of splitDocuments(text))
this.#readYaml(document)}#readJson(isJson,small){let{depth,values}=measureJson(this.text,MAX_JSON_DEPTH);if(depth>MAX_JSON_DEPTH||
values>MAX_JSON_VALUES)return this.wholeFile(depth>MAX_JSON_DEPTH?`is nested too deeply: more than ${MAX_JSON_DEPTH} obj\
ects and lists inside of each other`:`has ${values} values, more than the ${MAX_JSON_VALUES} that are read; split it`),!0;
let json;try{json=JSON.parse(this.text)}catch(error){return isJson&&!small&&this.wholeFile(`is not valid JSON: ${printable(
messageOf(error))}`),isJson&&!small}let parsed;return this.#locate=path=>small?(parsed??=parseFirst(this.text),parsed.document?
positionOf(parsed.document,path,parsed.lines):START):START,this.#placeOf=()=>START,this.#readDocument(json),!0}#readYaml(document){
let block=document.marked?void 0:parseBlockYaml(document.text,document.line);if(block){this.#readBlockDocument(document,
block);return}let{text,line}=document.text.length<=SMALL?document:withoutLeadingComments(document),deep=isTooDeep(text);
if(deep||text.length>SMALL){let kind=kindOfLarge(text);if(kind!==void 0&&!isOfUse(kind)){this.#ignored.push(`${printable(
kind)} in line ${line}: objects of kind ${printable(kind)} are not used`);return}}if(deep||text.length>MAX_PARSED){let message=deep?
"is nested too deeply; write it in plain block style or as JSON":`the document has ${text.length} characters, more than \
the ${MAX_PARSED} that are read of what is not plain block style; split it, or write it as JSON`;this.#note({line,column:1,
object:"",field:"",message,severity:"error"});return}let lines=new import_yaml3.LineCounter,moved=position=>({line:position.
line+line-1,column:position.column});for(let parsed of parseDocuments(text,lines)){if(this.#locate=path=>moved(positionOf(
parsed,path,lines)),this.#placeOf=this.#locate,parsed.errors.length>0){for(let error of parsed.errors)this.#syntaxError(
error,offset=>{let{line:at,col}=lines.linePos(offset);return moved({line:Math.max(at,1),column:Math.max(col,1)})});continue}
let value;try{value=parsed.toJS({maxAliasCount:MAX_ALIASES})}catch(error){this.#problem("","",[],printable(messageOf(error)));
continue}value!=null&&this.#readDocument(value)}}#readBlockDocument({text,line},{value,positionOf:placeOf}){if(value===null)
return;let parsed;this.#locate=path=>{if(text.length>SMALL)return innermost(value,path,placeOf)??{line,column:1};parsed??=
parseFirst(text);let position=parsed.document?positionOf(parsed.document,path,parsed.lines):START;return{line:position.line+
line-1,column:position.column}},this.#placeOf=(path,object)=>placeOf(object)??this.#locate(path),this.#readDocument(value)}wholeFile(message){
this.#problems.push({file:this.file,line:0,column:0,object:"",field:"",message,severity:"error"})}result(){return this.#suppressed>
0&&this.wholeFile(`and ${this.#suppressed} more problems in this file`),{objects:this.#objects,problems:this.#problems,ignored:this.#ignored}}#readDocument(value){
this.#readObject(value,[],void 0,0)}#readObject(value,path,implied,depth){if(!isRecord(value)){this.#problem("","",path,
"is not a Kubernetes object: expected a mapping with apiVersion, kind and metadata");return}let kind=value.kind??implied?.
kind,apiVersion=value.apiVersion??implied?.apiVersion;if(typeof kind!="string"||kind===""||typeof apiVersion!="string"||
apiVersion===""){let missing=typeof kind!="string"||kind===""?"kind":"apiVersion";this.#problem("",missing,[...path,missing],
'is missing or not a text; write for example "kind: Service"');return}if(kind==="List"||kind.endsWith("List")&&value.items!==
void 0){this.#readList(value,kind,apiVersion,path,depth);return}let family=familyOf(kind,apiVersion);if(!family){let meant=Object.
keys(GROUPS).find(name=>isSlipOf(name,kind));if(meant!==void 0){let message=`objects of kind ${printable(kind)} are not \
used; is ${meant} meant?`;this.#problem(`${printable(kind)} ${nameOf(value)}`,"kind",[...path,"kind"],message,"warning");
return}this.#ignored.push(`${printable(kind)} ${nameOf(value)}: objects of kind ${printable(kind)} are not used`);return}
let{group,versions}=GROUPS[family];if(!versions.includes(apiVersion.slice(group===""?0:group.length+1))){let wanted=versions.
map(version=>group===""?version:`${group}/${version}`).join(" or "),message=`${printable(apiVersion)} is not a version o\
f ${family} that is read; write ${wanted}`;this.#problem(`${family} ${nameOf(value)}`,"apiVersion",[...path,"apiVersion"],
message);return}this.#readFamily(family,{...value,apiVersion,kind},path,this.#placeOf(path,value))}#readList(value,kind,apiVersion,path,depth){
let{items}=value;if(items==null)return;if(!Array.isArray(items)||depth>=MAX_LIST_DEPTH){let message=Array.isArray(items)?
"is a list in a list in a list, too deep":"is not a list";this.#problem(printable(kind),"items",[...path,"items"],message);
return}let implied=kind==="List"?void 0:{kind:kind.slice(0,-4),apiVersion};if(implied&&!familyOf(implied.kind,apiVersion)){
this.#ignored.push(`${printable(kind)}: objects of kind ${printable(implied.kind)} are not used`);return}for(let[index,item]of items.
entries())this.#readObject(item,[...path,"items",index],implied,depth+1)}#readFamily(family,raw,path,position){let value=trim(
raw,family!=="Node"&&family!=="ServiceCIDR");switch(family){case"Service":{let result=this.#check(readService(value),path);
result&&(this.#adviseOnService(value,result,path),this.#objects.push({key:`Service ${identityOf(result)}`,kind:family,value,
...position}));return}case"EndpointSlice":this.#readSlice(value,path,position);return;case"Endpoints":this.#readEndpoints(
value,path,position);return;case"Node":{let result=this.#check(readNode(value),path);result&&this.#objects.push({key:`No\
de ${identityOf(result)}`,kind:family,value,...position});return}case"ServiceCIDR":{let result=this.#check(readServiceCIDR(
value),path);if(result){let cidrs=result.definition?.cidrs??[];this.#objects.push({key:`ServiceCIDR ${identityOf(result)}`,
kind:family,value,cidrs,...position})}return}default:assertNever(family)}}#readSlice(value,path,position,converted){let result=this.#check(
readEndpointSlice(value,this.options),path,converted);if(!result)return;let service=(isRecord(value.metadata)&&isRecord(
value.metadata.labels)?value.metadata.labels:{})[SERVICE_NAME_LABEL];this.#objects.push({key:`EndpointSlice ${identityOf(
result)}`,kind:"EndpointSlice",value,service:typeof service=="string"?serviceKey({namespace:result.identity?.namespace??
"",name:service}):void 0,converted:converted!==void 0,...position}),result.skipped!==void 0&&service===void 0&&this.#advise(
`EndpointSlice ${identityOf(result)}`,"metadata.labels",path,`${result.skipped}; it is not used`)}#readEndpoints(value,path,position){
let who=`Endpoints ${nameOf(value)}`;if(isRecord(value.metadata)&&isRecord(value.metadata.labels)&&value.metadata.labels[SKIP_MIRROR_LABEL]===
"true"){this.#ignored.push(`${who}: it has the label ${SKIP_MIRROR_LABEL}`);return}if(!isRecord(value.metadata)||typeof value.
metadata.name!="string"){this.#problem(who,"metadata.name",[...path,"metadata","name"],"is missing; an object needs a na\
me");return}let{slices,problems}=convertEndpoints(value);for(let{field,message}of problems)this.#problem(who,field,[...path,
...parseFieldPath(field)],message);for(let{slice,originOf}of slices)this.#readSlice(slice,path,position,{from:who,originOf})}#check(result,path,converted){
for(let problem of result.problems){let field=converted?converted.originOf(problem.field):problem.field,namespace=problem.
namespace===""?"":`${problem.namespace}/`,who=converted?.from??`${problem.kind} ${namespace}${problem.name}`,severity=isAdvice(
problem)?"warning":"error";this.#problem(who,field,[...path,...parseFieldPath(field)],problem.message,severity)}return result.
identity&&(result.definition!==void 0||result.skipped!==void 0)?result:void 0}#adviseOnService(value,result,path){let spec=isRecord(
value.spec)?value.spec:{},addressless=!spec.clusterIP&&!spec.clusterIPs&&spec.type!=="ExternalName";if(result.skipped!==
void 0&&addressless){let message=`${result.skipped}, so nothing can reach it; manifests have to give one in spec.cluster\
IP`;this.#advise(`Service ${identityOf(result)}`,"spec.clusterIP",[...path,"spec","clusterIP"],message)}}#syntaxError(error,place){
let position=place(error.pos[0]);this.#note({...position,object:"",field:"",message:printable(error.message),severity:"e\
rror"})}#advise(object,field,path,message){this.#problem(object,field,path,message,"warning")}#problem(object,field,path,message,severity="\
error"){let place=this.#problems.length<MAX_PROBLEMS?this.#locate(path):START;this.#note({...place,object,field:printable(
field),message,severity})}#note(problem){if(this.#problems.length>=MAX_PROBLEMS){this.#suppressed+=problem.severity==="e\
rror"?1:0;return}this.#problems.push({file:this.file,...problem})}};function isAdvice(problem){return problem.ignored===
"object"||!problem.message.startsWith("is missing")?!1:problem.field==="spec.healthCheckNodePort"||problem.kind==="Endpo\
intSlice"}function innermost(root,path,placeOf){let value=root,best=placeOf(root);for(let step of path)value=typeof value==
"object"&&value!==null?value[step]:void 0,best=placeOf(value)??best;return best}function kindOfLarge(text){let[first,second]=text.
matchAll(/^kind:[ ]+(["']?)(\w+)\1[ ]*\r?$/gm);return second===void 0?first?.[2]:void 0}function isOfUse(kind){return kind.
endsWith("List")||Object.keys(GROUPS).some(name=>name===kind||isSlipOf(name,kind))}function parseDocuments(text,lines){let parser=new import_yaml3.Parser(
lines.addNewLine);return new import_yaml3.Composer({merge:!0,prettyErrors:!1}).compose(parser.parse(text))}function parseFirst(text){
let lines=new import_yaml3.LineCounter,[document]=parseDocuments(text,lines);return{document,lines}}function familyOf(kind,apiVersion){
let slash=apiVersion.indexOf("/"),group=slash<0?"":apiVersion.slice(0,slash);return Object.hasOwn(GROUPS,kind)&&(GROUPS[kind].
group===group||group==="")?kind:void 0}function isSlipOf(word,other){let[a,b]=[word.toLowerCase(),other.toLowerCase()],at=0;
for(;at<a.length&&a[at]===b[at];)at+=1;let[restOfA,restOfB]=[a.slice(at),b.slice(at)],swapped=`${restOfA[1]??""}${restOfA[0]??
""}${restOfA.slice(2)}`;return word!==other&&(restOfA.slice(1)===restOfB.slice(1)||restOfA.slice(1)===restOfB||restOfA===
restOfB.slice(1)||swapped===restOfB)}function trim(value,namespaced){if(!isRecord(value.metadata))return value;let{managedFields:_managedFields,
...rest}=value.metadata,metadata=rest;if(namespaced&&(metadata.namespace===void 0||metadata.namespace===null||metadata.namespace===
"")&&(metadata.namespace="default"),isRecord(metadata.annotations)){let{"kubectl.kubernetes.io/last-applied-configuratio\
n":_applied,...annotations}=metadata.annotations;metadata.annotations=annotations}return{...value,metadata}}function identityOf(result){
let{namespace="",name=""}=result.identity??{};return namespace===""?name:`${namespace}/${name}`}function nameOf(value){let metadata=isRecord(
value.metadata)?value.metadata:{},name=typeof metadata.name=="string"?printable(metadata.name,80):"(without a name)";return typeof metadata.
namespace=="string"?`${printable(metadata.namespace,80)}/${name}`:name}export{refusedManifest,readManifest,textOf};
//# sourceMappingURL=chunk-DN2MOHMJ.js.map
