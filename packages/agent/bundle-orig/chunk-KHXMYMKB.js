import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{Agent,request}from"./chunk-MTSOMN72.js";import{require_dist}from"./chunk-UWS5UL64.js";import{ENDPOINT_SLICE_ANNOTATIONS,
HEADLESS_SERVICE_LABEL,ProxierError,SERVICE_NAME_LABEL,SERVICE_PROXY_NAME_LABEL,SourceReporter,TOPOLOGY_ZONE_LABEL,assertNever,
flatText,isProxierError,isRecord,isText,messageOf,nestingOfText,printable,readServiceCIDR,silentLogger,systemClock}from"./chunk-4LHTYADA.js";
import{__toESM}from"./chunk-VCSBMK2H.js";import{createHash,randomBytes}from"node:crypto";import{Agent as HttpsAgent,request as requestHttps}from"node:https";import{StringDecoder}from"node:string_decoder";var JSON_TYPE="application/json",PROTOBUF_TYPE="application/vnd.kubernetes.protobuf";function acceptedTypes(protobuf,watch){
return protobuf?[PROTOBUF_TYPE,JSON_TYPE].map(type=>watch?`${type};stream=watch`:type).join(", "):JSON_TYPE}function isProtobuf(headers){
let[type=""]=(headers["content-type"]??"").split(";");return type.trim().toLowerCase()===PROTOBUF_TYPE}function odd(value){return{odd:value}}function isOdd(packed){return isRecord(packed)}var whole={structure:{kind:"whole"},
take:value=>value,pack:kept=>kept===null||isRecord(kept)?odd(kept):kept,unpack:packed=>isOdd(packed)?packed.odd:packed};
function fields(shapes){let entries=Object.entries(shapes),names2=entries.map(([name])=>name),parts=entries.map(([,shape])=>shape);
return{structure:{kind:"fields",fields:shapes,orNothing:!1},take:value=>isRecord(value)?taken(value,entries):value,pack(kept){
if(!isRecord(kept))return odd(kept);let packed=[];for(let place=0;place<names2.length;place+=1){let field=kept[names2[place]??
""];if(field!==void 0){for(;packed.length<place;)packed.push(null);packed.push(parts[place]?.pack(field))}}return packed},
unpack(packed){if(!Array.isArray(packed))return isOdd(packed)?packed.odd:packed;let kept={};return packed.forEach((field,place)=>{
let entry=entries[place];entry&&field!==null&&(kept[entry[0]]=entry[1].unpack(field))}),kept}}}function anyFieldsOf(shapes){
let shape=fields(shapes);return{...shape,structure:{kind:"fields",fields:shapes,orNothing:!0},take(value){let kept=shape.
take(value);return isRecord(kept)&&Object.keys(kept).length===0?void 0:kept}}}function listOf(shape){return{structure:{kind:"\
list",of:shape},take:value=>Array.isArray(value)?value.map(shape.take):value,pack:kept=>Array.isArray(kept)?kept.map(shape.
pack):odd(kept),unpack:packed=>isOdd(packed)?packed.odd:Array.isArray(packed)?packed.map(shape.unpack):packed}}function entriesWhere(choose){
return{structure:{kind:"entries",choose},take(value){if(!isRecord(value))return value;let kept=Object.entries(value).filter(
([name])=>choose(name));return kept.sort(([left],[right])=>left<right?-1:1),kept.length===0?void 0:Object.fromEntries(kept)},
pack:odd,unpack:packed=>isOdd(packed)?packed.odd:packed}}function taken(value,entries){let kept={};for(let[name,shape]of entries){
let field=value[name];if(field!==void 0){let part=shape.take(field);part!==void 0&&(kept[name]=part)}}return kept}function message(name,fields2){return{name,fields:fields2}}function scalar(type){return(number,presence="omitted")=>({number,
type,presence,repeated:!1})}var text=scalar("text"),int32=scalar("int32"),int64=scalar("int64"),bool=scalar("bool"),time=scalar(
"time");function texts(number,presence="omitted"){return{number,type:"text",presence,repeated:!0}}function textMap(number){
return{number,type:"map",presence:"omitted",repeated:!1}}function structure(number,layout){return{number,type:"message",
presence:"written",repeated:!1,message:layout}}function pointer(number,layout){return{number,type:"message",presence:"po\
inter",repeated:!1,message:layout}}function list(number,layout,presence="omitted"){return{number,type:"message",presence,
repeated:!0,message:layout}}var TYPE_META=message("TypeMeta",{apiVersion:text(1),kind:text(2)}),OBJECT_META=message("ObjectMeta",{name:text(1),namespace:text(
3),uid:text(5),resourceVersion:text(6),creationTimestamp:time(8),deletionTimestamp:time(9,"pointer"),labels:textMap(11),
annotations:textMap(12)}),LIST_META=message("ListMeta",{resourceVersion:text(2),continue:text(3)}),STATUS_CAUSE=message(
"StatusCause",{reason:text(1),message:text(2),field:text(3)}),STATUS_DETAILS=message("StatusDetails",{name:text(1),group:text(
2),kind:text(3),causes:list(4,STATUS_CAUSE),retryAfterSeconds:int32(5),uid:text(6)}),STATUS=message("Status",{status:text(
2),message:text(3),reason:text(4),details:pointer(5,STATUS_DETAILS),code:int32(6)}),CLIENT_IP_CONFIG=message("ClientIPCo\
nfig",{timeoutSeconds:int32(1,"pointer")}),SERVICE_SPEC=message("ServiceSpec",{ports:list(1,message("ServicePort",{name:text(
1),protocol:text(2),port:int32(3,"written"),nodePort:int32(5)})),clusterIP:text(3),type:text(4),externalIPs:texts(5),sessionAffinity:text(
7),loadBalancerSourceRanges:texts(9),externalTrafficPolicy:text(11),healthCheckNodePort:int32(12),sessionAffinityConfig:pointer(
14,message("SessionAffinityConfig",{clientIP:pointer(1,CLIENT_IP_CONFIG)})),clusterIPs:texts(18),ipFamilies:texts(19),internalTrafficPolicy:text(
22,"pointer")}),LOAD_BALANCER_INGRESS=message("LoadBalancerIngress",{ip:text(1),hostname:text(2),ipMode:text(3,"pointer")}),
LOAD_BALANCER_STATUS=message("LoadBalancerStatus",{ingress:list(1,LOAD_BALANCER_INGRESS)}),SERVICE=message("Service",{metadata:structure(
1,OBJECT_META),spec:structure(2,SERVICE_SPEC),status:structure(3,message("ServiceStatus",{loadBalancer:structure(1,LOAD_BALANCER_STATUS)}))}),
NODE=message("Node",{metadata:structure(1,OBJECT_META),spec:structure(2,message("NodeSpec",{podCIDR:text(1),taints:list(
5,message("Taint",{key:text(1,"written"),value:text(2),effect:text(3,"written")})),podCIDRs:texts(7)})),status:structure(
3,message("NodeStatus",{addresses:list(5,message("NodeAddress",{type:text(1,"written"),address:text(2,"written")}))}))}),
FOR_ZONE=message("ForZone",{name:text(1,"written")}),FOR_NODE=message("ForNode",{name:text(1,"written")}),ENDPOINT=message(
"Endpoint",{addresses:texts(1,"written"),conditions:structure(2,message("EndpointConditions",{ready:bool(1,"pointer"),serving:bool(
2,"pointer"),terminating:bool(3,"pointer")})),targetRef:pointer(4,message("ObjectReference",{kind:text(1),name:text(3)})),
nodeName:text(6,"pointer"),hints:pointer(8,message("EndpointHints",{forZones:list(1,FOR_ZONE),forNodes:list(2,FOR_NODE)}))}),
ENDPOINT_SLICE=message("EndpointSlice",{metadata:structure(1,OBJECT_META),endpoints:list(2,ENDPOINT,"written"),ports:list(
3,message("EndpointPort",{name:text(1,"pointer"),protocol:text(2,"pointer"),port:int32(3,"pointer")}),"written"),addressType:text(
4,"written")}),SERVICE_CIDR=message("ServiceCIDR",{metadata:structure(1,OBJECT_META),spec:structure(2,message("ServiceCI\
DRSpec",{cidrs:texts(1)}))});var KubernetesError=class extends ProxierError{},ApiError=class extends ProxierError{},ResponseTooLarge=class extends ApiError{constructor(maxBytes){
super("API_RESPONSE_INVALID",`the answer is larger than the ${maxBytes} bytes that are read, and was refused`)}},ApiStatusError=class extends ApiError{status;reason;retryAfter;isVersionTooLarge;constructor(status,reason,message2,retryAfter,isVersionTooLarge=!1){
super("API_STATUS",message2),this.isVersionTooLarge=isVersionTooLarge,this.status=status,this.reason=reason,this.retryAfter=
retryAfter}};var ProtobufError=class extends ApiError{constructor(why){super("API_RESPONSE_INVALID",`the answer is not protobuf of Ku\
bernetes: ${why}`)}};import{isUtf8}from"node:buffer";var VARINT=0,FIXED64=1,DELIMITED=2,FIXED32=5,MAX_LENGTH=2147483647,MAX_VARINT_BYTES=10,SHARED_BYTES=64,SHARED_TEXTS=2048,
PRIME=16777619,WireReader=class{at=0;end=0;#bytes=Buffer.alloc(0);#texts=Array.from({length:SHARED_TEXTS},()=>"");#high=0;open(bytes,from,to){
this.#bytes=bytes,this.at=from,this.end=to}tag(){let low=this.#varint();return this.#high===0?checkedTag(low):checkedTag(
0)}int32(){return this.#varint()|0}bool(){return this.#varint()!==0||this.#high!==0}int64(){let low=this.#varint();return(this.#high|
0)*2**32+low}delimited(){let length=this.#varint();if(this.#high!==0||length>this.end-this.at)throw new ProtobufError("a\
 length exceeds the message that it is in");return this.at+length}text(){let to=this.delimited();return this.textUntil(this.
at,to)}textUntil(from,to){this.at=to;let length=to-from,bytes=this.#bytes;if(length>SHARED_BYTES)return this.#decoded(from,
to);let hash=length,all=0;for(let at=from;at<to;at+=1){let byte=bytes[at]??0;all|=byte,hash=Math.imul(hash^byte,PRIME)}if(all>
127)return this.#decoded(from,to);let place=(hash^hash>>>15)&SHARED_TEXTS-1,known=this.#texts[place]??"";if(known.length===
length&&isSame(known,bytes,from))return known;let text2=bytes.toString("latin1",from,to);return this.#texts[place]=text2,
text2}skip(type){if(type===VARINT){this.#varint();return}if(type===DELIMITED){this.at=this.delimited();return}let size=fixedSize(
type);if(size>this.end-this.at)throw new ProtobufError("a message ends within a field");this.at+=size}#decoded(from,to){
let bytes=this.#bytes;if(!isUtf8(bytes.subarray(from,to)))throw new ProtobufError("a text is not UTF-8");return bytes.toString(
"utf8",from,to)}#varint(){let bytes=this.#bytes,{at,end}=this,first=bytes[at]??0;return first<128&&at<end?(this.at=at+1,
this.#high=0,first):this.#longVarint()}#longVarint(){let bytes=this.#bytes,low=0,high=0;for(let index=0;index<MAX_VARINT_BYTES;index+=
1){if(this.at>=this.end)throw new ProtobufError("a message ends within a number");let byte=bytes[this.at]??0;this.at+=1;
let bits=byte&127;if(index<4?low|=bits<<7*index:index===4?(low|=bits<<28,high=bits>>>4):high|=bits<<7*index-32,byte<128){
if(index===MAX_VARINT_BYTES-1&&byte>1)break;return this.#high=high>>>0,low>>>0}}throw new ProtobufError("a number has mo\
re than 64 bits")}};function fixedSize(type){if(type===FIXED64)return 8;if(type===FIXED32)return 4;throw new ProtobufError(
`a field has the unknown wire type ${type}`)}var VarintCollector=class{#value=0;#count=0;push(byte){if(this.#value+=(byte&
127)*2**(7*this.#count),this.#count+=1,byte>=128){if(this.#count===MAX_VARINT_BYTES)throw new ProtobufError("a number ha\
s more than 64 bits");return}let value=this.#value;return this.#value=0,this.#count=0,value}get isEmpty(){return this.#count===
0}};function checkedLength(length){if(length>MAX_LENGTH)throw new ProtobufError("a length exceeds 2 GiB");return length}
function isSame(text2,bytes,from){for(let index=0;index<text2.length;index+=1)if(text2.charCodeAt(index)!==bytes[from+index])
return!1;return!0}function checkedTag(tag){if(tag<8||tag>4294967295)throw new ProtobufError("a field has an impossible n\
umber");return tag}var EMPTY=Buffer.alloc(0),KEY=8|DELIMITED,VALUE=16|DELIMITED,SECONDS=8|VARINT,MILLISECONDS=1e3,YEAR_1=-62135596800,YEAR_10000=253402300800,
nothing=new WireReader,MessageReader=class{#wire=new WireReader;#read;constructor(layout,shape){this.#read=recordReader(
layout,shape)}read(bytes,from=0,to=bytes.length){let wire=this.#wire;wire.open(bytes,from,to);try{return this.#read(wire)}finally{
wire.open(EMPTY,0,0)}}};function recordReader(layout,shape){let{structure:structure2}=shape,readers=((structure2.kind===
"fields"?Object.entries(structure2.fields):void 0)??Object.keys(layout.fields).map(name=>[name,shape])).map(([name,part])=>{
let field=layout.fields[name];if(field===void 0)throw new TypeError(`the layout of ${layout.name} lacks ${name}`);return fieldReader(
name,field,part)}),places=[];readers.forEach(({number},place)=>{places[number]=place});let count=readers.length;return wire=>{
let values=new Array(count);for(;wire.at<wire.end;){let tag=wire.tag(),place=places[tag>>>3],reader=place===void 0?void 0:
readers[place];if(place===void 0||reader===void 0){wire.skip(tag&7);continue}if((tag&7)!==reader.wireType)throw new ProtobufError(
`${reader.name} has the wrong wire type ${tag&7}`);let before=values[place];if(before!==void 0&&!reader.repeated)throw new ProtobufError(
`${reader.name} comes twice`);values[place]=reader.read(wire,before)}let record={};for(let place=0;place<count;place+=1){
let reader=readers[place],value=reader?.finish(values[place]);reader!==void 0&&value!==void 0&&(record[reader.name]=value)}
return record}}function fieldReader(name,field,shape){let{number,type,repeated}=field,isMap=type==="map";return{name,number,
wireType:type==="int32"||type==="int64"||type==="bool"?VARINT:DELIMITED,repeated:repeated||isMap,read:isMap?mapEntryReader(
shape):repeated?itemReader(field,shape):valueReader(field,shape),finish:isMap?finishedMap(shape):finishedValue(field,shape)}}
function itemReader(field,shape){let{structure:structure2}=shape,read2=valueReader(field,structure2.kind==="list"?structure2.
of:shape);return(wire,before)=>{let item=read2(wire,void 0);return Array.isArray(before)?(before.push(item),before):[item]}}
function valueReader({type,presence,message:message2},shape){switch(type){case"text":return wire=>wire.text();case"int32":
return wire=>wire.int32();case"int64":return wire=>wire.int64();case"bool":return wire=>wire.bool();case"time":return wire=>readTime(
wire,presence==="pointer"?null:void 0);case"message":{if(message2===void 0)throw new TypeError("a message has no layout");
let read2=recordReader(message2,shape);return wire=>within(wire,read2)}default:throw new TypeError(`values of the type ${type}\
 are not read`)}}function within(wire,read2){let outer=wire.end;wire.end=wire.delimited();let value=read2(wire);return wire.
end=outer,value}function finishedValue({type,presence,repeated,message:message2},shape){if(repeated)return presence==="w\
ritten"?value=>value??null:value=>value;if(presence==="pointer")return value=>value;if(type==="message"&&message2!==void 0){
let read2=recordReader(message2,shape);return value=>value??read2(nothing)}let zero=type==="text"?"":type==="bool"?!1:type===
"time"?void 0:0;return presence==="written"?value=>value??zero:value=>value===zero?void 0:value}function readTime(wire,zero){
let seconds=within(wire,readSeconds);if(seconds===void 0||seconds===YEAR_1)return zero;if(seconds<YEAR_1||seconds>=YEAR_10000)
throw new ProtobufError("a time is not in the years 1 to 9999");return new Date(seconds*MILLISECONDS).toISOString().replace(
".000Z","Z")}function readSeconds(wire){if(wire.at===wire.end)return;let seconds=0;for(;wire.at<wire.end;){let tag=wire.
tag();tag===SECONDS?seconds=wire.int64():wire.skip(tag&7)}return seconds}function mapEntryReader(shape){let retains=chooser(
shape);return(wire,before)=>{let entries=before instanceof Map?before:new Map,outer=wire.end,end=wire.delimited();wire.end=
end;let key="",valueAt=end;for(;wire.at<end;){let tag=wire.tag();tag===KEY?key=wire.text():tag===VALUE?(valueAt=wire.at,
wire.skip(DELIMITED)):wire.skip(tag&7)}return retains(key)&&(wire.at=valueAt,entries.set(key,valueAt<end?wire.text():"")),
wire.at=end,wire.end=outer,entries}}function chooser({structure:structure2}){switch(structure2.kind){case"fields":{let names2=new Set(
Object.keys(structure2.fields));return name=>names2.has(name)}case"entries":return structure2.choose;default:return()=>!0}}
function finishedMap({structure:structure2}){if(structure2.kind==="fields"){let names2=Object.keys(structure2.fields),{orNothing}=structure2;
return value=>{if(!(value instanceof Map))return;let record={},isEmpty=!0;for(let name of names2){let entry=value.get(name);
entry!==void 0&&(record[name]=entry,isEmpty=!1)}return isEmpty&&orNothing?void 0:record}}return value=>{if(!(value instanceof
Map)||value.size===0)return;let entries=[...value];return structure2.kind==="entries"&&entries.sort(([left],[right])=>left<
right?-1:1),Object.fromEntries(entries)}}var MAGIC=Buffer.from([107,56,115,0]),TYPE_META_TAG=8|DELIMITED,RAW_TAG=16|DELIMITED,CONTENT_ENCODING_TAG=24|DELIMITED,CONTENT_TYPE_TAG=32|
DELIMITED,typeReader=new MessageReader(TYPE_META,whole),statusReader=new MessageReader(STATUS,whole);function openEnvelope(bytes,from=0,to=bytes.
length){if(to-from<MAGIC.length||MAGIC.compare(bytes,from,from+MAGIC.length)!==0)throw new ProtobufError('it does not be\
gin with "k8s"');let wire=new WireReader;wire.open(bytes,from+MAGIC.length,to);let type={apiVersion:void 0,kind:void 0},
place;for(;wire.at<wire.end;){let tag=wire.tag();if((tag&7)!==DELIMITED){wire.skip(tag&7);continue}let end=wire.delimited();
if(tag===TYPE_META_TAG)type=readTypeMeta(bytes,wire.at,end);else if(tag===RAW_TAG){if(place!==void 0)throw new ProtobufError(
"an object has its message twice");place={from:wire.at,to:end}}else(tag===CONTENT_ENCODING_TAG||tag===CONTENT_TYPE_TAG)&&
checkContent(wire.textUntil(wire.at,end));wire.at=end}return{...type,from:place?.from??to,to:place?.to??to}}function readTypeMeta(bytes,from,to){
let{apiVersion,kind}=typeReader.read(bytes,from,to);return{apiVersion:isText(apiVersion)?apiVersion:void 0,kind:isText(kind)?
kind:void 0}}function checkContent(type){if(type!==""&&type!==PROTOBUF_TYPE)throw new ProtobufError(`it contains ${printable(
type,60)}`)}function readStatus(bytes,from=0,to=bytes.length){let envelope=openEnvelope(bytes,from,to);if(envelope.kind!==
"Status")throw new ProtobufError(`it is a ${printable(envelope.kind??"nothing",60)} where a Status is expected`);return{
kind:"Status",...statusReader.read(bytes,envelope.from,envelope.to)}}var ByteCollector=class{#buffer=Buffer.alloc(0);#used=0;get length(){return this.#used}push(piece){let needed=this.#used+
piece.length;if(needed>this.#buffer.length){let larger=Buffer.allocUnsafeSlow(Math.max(needed,this.#buffer.length*2,4096));
this.#buffer.copy(larger,0,0,this.#used),this.#buffer=larger}this.#buffer.set(piece,this.#used),this.#used=needed}take(){
let text2=this.#buffer.toString("utf8",0,this.#used);return this.clear(),text2}takeBytes(){let bytes=this.#buffer.subarray(
0,this.#used);return this.#used=0,bytes}clear(){this.#used=0,this.#buffer.length>16*4096&&(this.#buffer=Buffer.alloc(0))}};var InactivityTimer=class{clock;limit;onInactive;#last;#timer;constructor(clock,limit,onInactive){this.clock=clock,this.
limit=limit,this.onInactive=onInactive,this.#last=clock.monotonic(),this.#wait(limit)}touch(){this.#last=this.clock.monotonic()}cancel(){
this.#timer?.cancel(),this.#timer=void 0}#wait(milliseconds){this.#timer=this.clock.setTimer(milliseconds,()=>{let left=this.#last+
this.limit-this.clock.monotonic();left>0?this.#wait(left):(this.#timer=void 0,this.onInactive())})}};import{pipeline}from"node:stream";import{createGunzip}from"node:zlib";var GUNZIP_BYTES=32*1024;async function*responseChunks(response,clock,{maxBytes,silenceLimit}){let timer=new InactivityTimer(
clock,silenceLimit,()=>{response.destroy(new ApiError("API_SILENT",`the answer broke off: nothing more came within ${silenceLimit}\
 ms`))}),length=0;try{for await(let chunk of decompressed(response,()=>timer.touch())){if(timer.touch(),length+=chunk.length,
length>maxBytes)throw new ResponseTooLarge(maxBytes);yield chunk}if(!response.complete)throw brokenOff()}catch(error){throw isProxierError(
error)?error:bodyError(error)}finally{timer.cancel(),response.complete||response.destroy()}}function decompressed(response,onData){
let encoding=(response.headers["content-encoding"]??"identity").toLowerCase();if(encoding==="identity")return response;if(encoding!==
"gzip")throw response.destroy(),new ApiError("API_RESPONSE_INVALID",`the answer is compressed by ${encoding}, which was \
not requested`);let gunzip=createGunzip({chunkSize:GUNZIP_BYTES});return response.on("data",onData),pipeline(response,gunzip,
()=>{})}function bodyError(error){let code=error instanceof Error&&"code"in error?String(error.code):"";return code.startsWith(
"Z_")?new ApiError("API_RESPONSE_INVALID","the compressed answer is damaged or incomplete",{cause:error}):code==="ERR_ST\
REAM_PREMATURE_CLOSE"||code==="ECONNRESET"?brokenOff(error):error}function brokenOff(cause){return new ApiError("API_UNR\
EACHABLE","the connection was closed in the middle of an answer",{cause})}var NO_QUERY=new URLSearchParams,TEXT_BYTES=32*1024,WEB_SOCKET_ID="258EAFA5-E914-47DA-95CA-C5AB0DC85B11",MAX_ERROR_BYTES=64*
1024,PROBE_AFTER=15e3,OTHER_AUTHORITY="its certificate is not from the authority that is trusted for it: correct certifi\
cate-authority in the kubeconfig",CERTIFICATE_ADVICE={UNABLE_TO_VERIFY_LEAF_SIGNATURE:OTHER_AUTHORITY,UNABLE_TO_GET_ISSUER_CERT:OTHER_AUTHORITY,
UNABLE_TO_GET_ISSUER_CERT_LOCALLY:OTHER_AUTHORITY,SELF_SIGNED_CERT_IN_CHAIN:OTHER_AUTHORITY,DEPTH_ZERO_SELF_SIGNED_CERT:OTHER_AUTHORITY,
CERT_SIGNATURE_FAILURE:OTHER_AUTHORITY,ERR_TLS_CERT_ALTNAME_INVALID:"ask it by a name that is in its certificate, or set\
 tls-server-name in the kubeconfig",CERT_HAS_EXPIRED:"renew the certificate of the API server, or set the clock of this \
machine",CERT_NOT_YET_VALID:"set the clock of this machine"},ApiClient=class{options;#agents=new Map;constructor(options){
this.options=options}getPage(path,query,signal,maxBytes){return this.#exchange({path,query},signal,maxBytes)}create(path,object,signal){
return this.#exchange({path,query:NO_QUERY,body:JSON.stringify(object)},signal)}async*streamPage(asked,signal,limit){let{
clock,responseTimeout}=this.options,attempt=this.#attempt(signal);try{let response=await this.#send(asked,attempt.signal),
inProtobuf=isProtobuf(response.headers);for await(let bytes of responseChunks(response,clock,{maxBytes:limit,silenceLimit:responseTimeout}))
yield{bytes,isProtobuf:inProtobuf}}catch(error){throw attempt.failure()??asApiError(error)}finally{attempt.end()}}async#exchange(asked,signal,maxBytes=this.
options.maxPageBytes){let{clock,responseTimeout}=this.options,attempt=this.#attempt(signal);try{let response=await this.#send(
asked,attempt.signal),body=await readBody(response,clock,{maxBytes,silenceLimit:responseTimeout});return parsePage(body)}catch(error){
throw attempt.failure()??asApiError(error)}finally{attempt.end()}}#attempt(signal){let{clock,pageTimeout}=this.options;signal.
throwIfAborted();let attempt=new AbortController,failure,stop=()=>attempt.abort();signal.addEventListener("abort",stop);
let total=clock.setTimer(pageTimeout,()=>{failure=new ApiError("API_SILENT",`the answer was not complete after ${pageTimeout}\
 ms`),attempt.abort()});return{signal:attempt.signal,failure:()=>failure,end:()=>{total.cancel(),signal.removeEventListener(
"abort",stop)}}}async openWatch(asked,signal){try{return await this.#send({...asked,watch:!0},signal)}catch(error){throw asApiError(
error)}}async openWebSocket(path,query,protocols,signal){let access=await this.options.credentials.get(signal);signal.throwIfAborted();
let{url,options}=this.#optionsOf(access,{path,query,watch:!0},signal),key=randomBytes(16).toString("base64"),headers={...options.
headers,Connection:"Upgrade",Upgrade:"websocket","Sec-WebSocket-Version":"13","Sec-WebSocket-Key":key,"Sec-WebSocket-Pro\
tocol":protocols.join(", ")};try{return await new Promise((resolve,reject)=>{let upgrade={...options,headers},request2=url.
protocol==="https:"?requestHttps(url,upgrade):request(url,upgrade);request2.on("upgrade",({headers:answered},socket,head)=>{
let accepted=createHash("sha1").update(`${key}${WEB_SOCKET_ID}`).digest("base64"),protocol=answered["sec-websocket-proto\
col"]??"";if(answered["sec-websocket-accept"]!==accepted||!protocols.includes(protocol)){socket.destroy(),reject(new ApiError(
"API_RESPONSE_INVALID","the answer is no WebSocket of a protocol that was offered"));return}resolve({socket,head})}),request2.
on("response",response=>{this.#readError(response).then(reject,reject)}),request2.on("error",reject),request2.end()})}catch(error){
throw asApiError(error)}}dropIdleConnections(){for(let agent of this.#agents.values())for(let sockets of Object.values(agent.
freeSockets))for(let socket of sockets??[])socket.destroy()}close(){for(let agent of this.#agents.values())agent.destroy();
this.#agents.clear()}async#send(asked,signal){let access=await this.options.credentials.get(signal);signal.throwIfAborted();
let response;try{response=await this.#sendOnce(access,asked,signal)}catch(error){if(!(error instanceof StaleConnection))
throw error;response=await this.#sendOnce(access,asked,signal)}if(response.statusCode!==200&&response.statusCode!==201)throw await this.#readError(
response);return response}#sendOnce(access,asked,signal){let{clock,responseTimeout}=this.options,{body}=asked,{url,options}=this.#optionsOf(
access,asked,signal);return new Promise((resolve,reject)=>{let request2=url.protocol==="https:"?requestHttps(url,options):
request(url,options),timer=new InactivityTimer(clock,responseTimeout,()=>{request2.destroy(new ApiError("API_SILENT",`no\
 answer came within ${responseTimeout} ms`))});request2.on("response",response=>{timer.cancel(),resolve(response)}),request2.
on("error",error=>{timer.cancel();let stale=request2.reusedSocket&&"code"in error&&(error.code==="ECONNRESET"||error.code===
"EPIPE");reject(stale?new StaleConnection(error.message):error)}),request2.end(body)})}#optionsOf(access,{path,query,body,
watch=!1,protobuf=!1},signal){let{userAgent}=this.options,url=new URL(access.server);url.pathname=`${url.pathname.replace(
/\/+$/,"")}${path}`,url.search=query.toString();let headers=Object.fromEntries(Object.entries(access.headers).map(([name,
value])=>[name,typeof value=="string"?value:[...value]])),options={agent:access.agent??this.#agentFor(url.protocol),headers:{
Accept:acceptedTypes(protobuf,watch&&protobuf),"Accept-Encoding":watch?"identity":"gzip","User-Agent":userAgent,...body===
void 0?{}:{"Content-Type":"application/json","Content-Length":Buffer.byteLength(body)},...headers},method:body===void 0?
"GET":"POST",signal,...access.tls};return{url,options}}#agentFor(protocol){let agent=this.#agents.get(protocol);if(!agent){
let options={keepAlive:!0,keepAliveMsecs:PROBE_AFTER,maxFreeSockets:4};agent=protocol==="https:"?new HttpsAgent(options):
new Agent(options),this.#agents.set(protocol,agent)}return agent}async#readError(response){let code=response.statusCode??
0,{clock,responseTimeout}=this.options,retryAfter=millisecondsOf(response.headers["retry-after"],clock.now()),status={};
try{let limits={maxBytes:MAX_ERROR_BYTES,silenceLimit:responseTimeout},parsed=isProtobuf(response.headers)?readStatus(await readBytes(
response,clock,limits)):JSON.parse(await readBody(response,clock,limits));status=isRecord(parsed)?parsed:{}}catch{}return statusError(
status,code,retryAfter)}};function millisecondsOf(header,now){let seconds=Number(header),milliseconds=Number.isNaN(seconds)?
Date.parse(header??"")-now:seconds*1e3;return milliseconds>0?milliseconds:void 0}var StaleConnection=class extends Error{};
function statusError(status,code,retryAfter){let details=isRecord(status.details)?status.details:{},seconds=details.retryAfterSeconds,
number=typeof status.code=="number"?status.code:code,reason=isText(status.reason)?printable(status.reason,60):"",message2=isText(
status.message)?printable(status.message):"without a message",wait=retryAfter??(typeof seconds=="number"&&seconds>0?seconds*
1e3:void 0),text2=`${number}${reason===""?"":` ${reason}`}: ${message2}`,isVersionTooLarge=(Array.isArray(details.causes)?
details.causes:[]).some(cause=>isRecord(cause)&&cause.reason==="ResourceVersionTooLarge")||number===504&&/too large resource version/i.
test(message2);return new ApiStatusError(number,reason,text2,wait,isVersionTooLarge)}async function readBytes(response,clock,limits){
let collected=new ByteCollector;for await(let chunk of responseChunks(response,clock,limits))collected.push(chunk);return collected.
takeBytes()}async function readBody(response,clock,limits){let pending=new ByteCollector,decoder=new StringDecoder("utf8"),
body="";for await(let chunk of responseChunks(response,clock,limits))pending.push(chunk),pending.length>=TEXT_BYTES&&(body+=
decoder.write(pending.takeBytes()));return body+decoder.end(pending.takeBytes())}function parsePage(body){let page;try{page=
JSON.parse(body)}catch(error){throw new ApiError("API_RESPONSE_INVALID",`the response is not JSON: ${printable(messageOf(
error))}`,{cause:error})}if(!isRecord(page))throw new ApiError("API_RESPONSE_INVALID","the response is not a list of obj\
ects");return page}function asApiError(error){if(isProxierError(error))return error;let code=isRecord(error)?String(error.
code):"",advice=CERTIFICATE_ADVICE[code],reason=printable(messageOf(error));return new ApiError("API_UNREACHABLE",advice===
void 0?reason:`${reason} (${advice})`,{cause:error})}import{readFile}from"node:fs/promises";import{isIPv6}from"node:net";import{dirname,join as join2}from"node:path";import{spawn}from"node:child_process";var TIME_LIMIT=6e4,MAX_OUTPUT=1024*1024;async function runExecPlugin(plugin,cluster,signal){let info={apiVersion:plugin.
apiVersion,kind:"ExecCredential",spec:{interactive:!1,...plugin.provideClusterInfo?{cluster}:{}}},env={...process.env,...plugin.
env,KUBERNETES_EXEC_INFO:JSON.stringify(info)},output=await run(plugin,env,signal),answer;try{answer=JSON.parse(output)}catch(error){
throw failed(plugin,"did not write JSON",error)}let status=isRecord(answer)&&answer.kind==="ExecCredential"?answer.status:
void 0;if(!isRecord(status))throw failed(plugin,"did not write an ExecCredential with a status");let{token,clientCertificateData:certificate,
clientKeyData:key,expirationTimestamp}=status;if(!isText(token)&&!(isText(certificate)&&isText(key)))throw failed(plugin,
"gave neither a token nor a client certificate with its key");let expires=isText(expirationTimestamp)?Date.parse(expirationTimestamp):
Number.NaN;return{token:isText(token)?token:void 0,certificate:isText(certificate)?certificate:void 0,key:isText(key)?key:
void 0,expires:Number.isNaN(expires)?void 0:expires}}function run(plugin,env,signal){return new Promise((resolve,reject)=>{
let child=spawn(plugin.command,plugin.args,{env,stdio:["ignore","pipe","pipe"],signal,timeout:TIME_LIMIT,killSignal:"SIG\
KILL"}),output="",complaint="";child.stdout.setEncoding("utf8").on("data",text2=>{output+=text2,output.length>MAX_OUTPUT&&
child.kill("SIGKILL")}),child.stderr.setEncoding("utf8").on("data",text2=>{complaint=(complaint+text2).slice(-300)}),child.
on("error",error=>{child.stdout.destroy(),child.stderr.destroy(),reject(failed(plugin,`cannot be run: ${messageOf(error)}`,
error))}),child.on("exit",(_status,killedBy)=>{killedBy!==null&&(child.stdout.destroy(),child.stderr.destroy())}),child.
on("close",(status,killedBy)=>{if(status===0)resolve(output);else{let end=killedBy===null?`ended with status ${status}`:
"did not end in time and was ended";reject(failed(plugin,`${end}: ${complaint.trim()}`))}})})}function failed(plugin,what,cause){
let hint=plugin.installHint===""?"":`; ${printable(plugin.installHint)}`;return new KubernetesError("EXEC_PLUGIN_FAILED",
`the credential plug-in ${printable(plugin.command)} ${printable(what)}; run it by hand to see why${hint}`,{cause})}import{isAbsolute,join}from"node:path";var import_yaml=__toESM(require_dist(),1);var EXEC_VERSIONS=["client.authentication.k8s.io/v1","client.authentication.k8s.io/v1beta1"];function parseKubeconfig(text2,path,directory,contextName){
return new KubeconfigReader(path,directory).read(text2,contextName)}var FIELDS=["clusters","users","contexts","current-c\
ontext"];function isOtherThanConfig({kind="Config",...config}){return kind!=="Config"||!FIELDS.some(field=>field in config)}
function whatItIs(content){if(content==null)return"empty";if(!isRecord(content))return Array.isArray(content)?"a list":"\
plain text";if(isText(content.kind)&&content.kind!=="Config")return`an object of kind ${printable(content.kind)}`;let names2=Object.
keys(content);return names2.length===0?"empty":`YAML with the fields ${printable(names2.slice(0,5).join(", "))}`}var MAX_LENGTH2=1024*
1024,MAX_NESTING=200,KubeconfigReader=class{path;directory;constructor(path,directory){this.path=path,this.directory=directory}read(text2,contextName){
if(text2.length>MAX_LENGTH2||nestingOfText(text2,MAX_NESTING)>MAX_NESTING)throw this.#invalid("","is too large, or neste\
d too deeply, for a kubeconfig");let config;try{config=(0,import_yaml.parse)(text2)}catch(error){if(isRecord(error)&&error.
code==="MULTIPLE_DOCS")throw this.#invalid("","has several YAML documents; a kubeconfig is one");let first=error instanceof
Error?error.message.split(`
`)[0]??"":String(error);throw new KubernetesError("KUBECONFIG_INVALID",`${printable(this.path)} is no YAML: ${printable(
first)}`,{cause:error})}if(!isRecord(config)||isOtherThanConfig(config))throw this.#invalid("",`is no kubeconfig but ${whatItIs(
config)}; it should have clusters, users, contexts and current-context`);let name=contextName??config["current-context"];
if(!isText(name))throw this.#invalid("current-context","is missing; set it with kubectl config use-context");let context=this.#entry(
config,"contexts","context",name,"current-context"),at=`contexts[${printable(name)}].context`;if(!isText(context.cluster))
throw this.#invalid(`${at}.cluster`,"is missing; it names an entry of clusters");let cluster=this.#entry(config,"cluster\
s","cluster",context.cluster,`${at}.cluster`),user=isText(context.user)?this.#entry(config,"users","user",context.user,`${at}\
.user`):{};return{...this.#readCluster(cluster,`clusters[${printable(context.cluster)}].cluster`),...this.#readUser(user,
`users[${printable(String(context.user))}].user`)}}#readCluster(cluster,at){let server=this.#text(cluster,"server",at)??
"";server!==""&&parseServer(server,`${printable(this.path)}: ${at}.server`);let skipTlsVerify=cluster["insecure-skip-tls\
-verify"]===!0;return{server:server.replace(/\/+$/,""),ca:skipTlsVerify?{}:this.#material(cluster,"certificate-authority",
at),skipTlsVerify,tlsServerName:this.#text(cluster,"tls-server-name",at),proxyUrl:this.#text(cluster,"proxy-url",at)}}#readUser(user,at){
let tokenFile=this.#text(user,"tokenFile",at),username=this.#text(user,"username",at),certificate=this.#material(user,"c\
lient-certificate",at),key=this.#material(user,"client-key",at);if((certificate.file??certificate.data)===void 0?key.file||
key.data:!(key.file||key.data))throw this.#invalid(at,"has only one of client-certificate and client-key; it needs both,\
 or none");return{certificate,key,token:this.#text(user,"token",at),tokenFile:tokenFile===void 0?void 0:this.#resolve(tokenFile),
basic:username===void 0?void 0:{username,password:this.#text(user,"password",at)??""},impersonate:this.#impersonation(user,
at),exec:this.#exec(user,at),authProvider:this.#authProvider(user,at)}}#impersonation(user,at){let headers={},as=this.#text(
user,"as",at),uid=this.#text(user,"as-uid",at),groups=this.#texts(user["as-groups"],`${at}.as-groups`);as!==void 0&&(headers["\
Impersonate-User"]=as),uid!==void 0&&(headers["Impersonate-Uid"]=uid),groups.length>0&&(headers["Impersonate-Group"]=groups);
let extra=user["as-user-extra"];for(let[name,values]of Object.entries(isRecord(extra)?extra:{}))headers[`Impersonate-Ext\
ra-${encodeURIComponent(name)}`]=this.#texts(values,`${at}.as-user-extra`);return headers}#exec(user,at){let exec=user.exec;
if(exec==null)return;if(!isRecord(exec)||!isText(exec.command))throw this.#invalid(`${at}.exec.command`,"is missing; it \
names the program that provides credentials");let apiVersion=this.#text(exec,"apiVersion",`${at}.exec`)??"";if(!EXEC_VERSIONS.
includes(apiVersion)){let right=EXEC_VERSIONS.join(" or ");throw this.#invalid(`${at}.exec.apiVersion`,`is "${printable(
apiVersion)}"; it must be ${right}`)}if(exec.interactiveMode==="Always")throw this.#invalid(`${at}.exec.interactiveMode`,
"is Always, and there is no user to ask; use a plug-in that is not interactive");let env={};for(let entry of Array.isArray(
exec.env)?exec.env:[])isRecord(entry)&&isText(entry.name)&&(env[entry.name]=typeof entry.value=="string"?entry.value:"");
let command=exec.command.includes("/")?this.#resolve(exec.command):exec.command;return{apiVersion,command,args:this.#texts(
exec.args,`${at}.exec.args`),env,installHint:this.#text(exec,"installHint",`${at}.exec`)??"",provideClusterInfo:exec.provideClusterInfo===
!0}}#authProvider(user,at){let provider=user["auth-provider"];if(provider!=null){if(!isRecord(provider)||!isText(provider.
name))throw this.#invalid(`${at}.auth-provider.name`,"is missing");return{name:provider.name,config:isRecord(provider.config)?
provider.config:{}}}}#material(record,field,at){let data=this.#text(record,`${field}-data`,at);if(data!==void 0)return{data:Buffer.
from(data,"base64")};let file=this.#text(record,field,at);return file===void 0?{}:{file:this.#resolve(file)}}#entry(config,list2,field,name,named){
let entries=Array.isArray(config[list2])?config[list2]:[],found=entries.find(entry=>isRecord(entry)&&entry.name===name),
value=isRecord(found)?found[field]:void 0;if(!isRecord(value)){let names2=entries.flatMap(entry=>isRecord(entry)&&isText(
entry.name)?[entry.name]:[]),there=names2.length===0?"it is empty":`it has ${printable(names2.join(", "))}`;throw this.#invalid(
named,`is "${printable(name)}", which is not in ${list2}; ${there}`)}return value}#text(record,field,at){let value=record[field];
if(!(value==null||value==="")){if(typeof value!="string")throw this.#invalid(`${at}.${field}`,"is not text; put it in qu\
otes");return value}}#texts(value,at){if(value==null)return[];if(!Array.isArray(value)||!value.every(item=>typeof item==
"string"))throw this.#invalid(at,"is not a list of texts");return value}#resolve(path){return isAbsolute(path)?path:join(
this.directory,path)}#invalid(field,problem){let where=field===""?printable(this.path):`${printable(this.path)}: ${field}`;
return new KubernetesError("KUBECONFIG_INVALID",`${where} ${problem}`)}};function parseServer(text2,named){let full=/^[a-z][a-z0-9+.-]*:\/\//i.
test(text2)?text2:`http://${text2}`,url=URL.canParse(full)?new URL(full):void 0;if(!url||url.protocol!=="https:"&&url.protocol!==
"http:"||url.hostname==="")throw new KubernetesError("KUBECONFIG_INVALID",`${named} is "${printable(text2)}", which is n\
o URL of an API server; write it like https://10.0.0.1:6443`);return url}var SERVICE_ACCOUNT="/var/run/secrets/kubernetes.io/serviceaccount",RENEW_EARLY=1e4,NOTHING={server:"",ca:{},skipTlsVerify:!1,
tlsServerName:void 0,proxyUrl:void 0,certificate:{},key:{},token:void 0,tokenFile:void 0,basic:void 0,impersonate:{},exec:void 0,
authProvider:void 0};function createApiCredentials(options){let{kubeconfig="",master="",environment=process.env}=options;
if(kubeconfig!=="")return new ContextCredentials(options,kubeconfigReader(kubeconfig,options.context),"the kubeconfig");
if(master!=="")return new ContextCredentials(options,async()=>NOTHING,"master");let inCluster=inClusterContext(environment,
options.serviceAccountDirectory??SERVICE_ACCOUNT);return new ContextCredentials(options,async()=>inCluster(),"in-cluster")}
function kubeconfigReader(path,contextName){let last;return async()=>{try{let text2=await readFile(path,"utf8").catch(error=>{
let missing=isRecord(error)&&error.code==="ENOENT";throw new KubernetesError(missing?"KUBECONFIG_NOT_FOUND":"KUBECONFIG_\
UNREADABLE",`the kubeconfig cannot be read: ${printable(messageOf(error))}; give the path of one that this user can read`,
{cause:error})});last?.text!==text2&&(last={text:text2,context:parseKubeconfig(text2,path,dirname(path),contextName)})}catch(error){
if(!last)throw error}return last.context}}function inClusterContext(environment,directory){return()=>{let host=environment.
KUBERNETES_SERVICE_HOST??"",port=environment.KUBERNETES_SERVICE_PORT??"";if(host===""||port==="")throw new KubernetesError(
"NOT_IN_CLUSTER","KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set, so this is no pod; give a kubeconfig");
return{...NOTHING,server:`https://${isIPv6(host)?`[${host}]`:host}:${port}`,ca:{file:join2(directory,"ca.crt")},tokenFile:join2(
directory,"token")}}}var ContextCredentials=class{options;readContext;origin;server="the API server";#execCredential;#execRunning;#foreign;constructor(options,readContext,origin){
this.options=options,this.readContext=readContext,this.origin=origin}async get(signal){let context=await this.readContext(),
{master=""}=this.options,text2=master===""?context.server:master;if(text2==="")throw new KubernetesError("KUBECONFIG_INV\
ALID",`${this.origin} names no server; give one, or its URL as master`);let server=parseServer(text2,master===""?this.origin:
"master");this.server=`the API server ${server.origin}`;let[ca,cert,key,token]=await Promise.all([read(context.ca,"CA ce\
rtificate"),read(context.certificate,"client certificate"),read(context.key,"client key"),context.tokenFile===void 0?context.
token:readToken(context.tokenFile,context.token)]),headers={...context.impersonate};if(token!==void 0)headers.Authorization=
`Bearer ${token}`;else if(context.basic){let{username,password}=context.basic;headers.Authorization=`Basic ${Buffer.from(
`${username}:${password}`).toString("base64")}`}let tls={...ca?{ca}:{},...cert?{cert}:{},...key?{key}:{},...context.tlsServerName===
void 0?{}:{servername:context.tlsServerName},...context.skipTlsVerify?{rejectUnauthorized:!1}:{}};if(context.exec){let credential=await this.#fromPlugin(
context,server,ca,signal);credential.token!==void 0&&(headers.Authorization=`Bearer ${credential.token}`),credential.certificate!==
void 0&&credential.key!==void 0&&(tls.cert=credential.certificate,tls.key=credential.key)}let agent;if(context.authProvider||
context.proxyUrl!==void 0){let foreign=await this.#fromClientNode(context,server,tls);Object.assign(headers,foreign.headers),
agent=foreign.agent}return{server,headers,tls,agent}}refused(){this.#execCredential=void 0,this.#foreign=void 0}async#fromPlugin(context,server,ca,signal){
let{exec}=context;if(!exec)throw new KubernetesError("EXEC_PLUGIN_FAILED","no credential plug-in is configured");let known=this.#execCredential,
now=this.options.clock.now();if(known&&known.of===exec&&(known.value.expires===void 0||known.value.expires-RENEW_EARLY>now))
return known.value;let cluster={server:server.href,...context.tlsServerName===void 0?{}:{"tls-server-name":context.tlsServerName},
...context.skipTlsVerify?{"insecure-skip-tls-verify":!0}:{},...ca?{"certificate-authority-data":ca.toString("base64")}:{}};
this.#execRunning??=runExecPlugin(exec,cluster,signal).finally(()=>{this.#execRunning=void 0});let value=await this.#execRunning;
return this.#execCredential={of:exec,value},value}async#clientNode({proxyUrl}){let{importClientNode=()=>import("@kubernetes/client-node")}=this.
options;try{return await importClientNode()}catch(error){let field=proxyUrl===void 0?"auth-provider":"proxy-url";throw new KubernetesError(
"CLIENT_NODE_MISSING",`the kubeconfig has ${field}, which needs the package @kubernetes/client-node; run npm install @ku\
bernetes/client-node (${messageOf(error)})`,{cause:error})}}async#fromClientNode(context,server,tls){if(this.#foreign?.of!==
context){let{KubeConfig}=await this.#clientNode(context),config=new KubeConfig,cluster={name:"cluster",server:server.href,
skipTLSVerify:context.skipTlsVerify,...context.proxyUrl===void 0?{}:{proxyUrl:context.proxyUrl}},user={name:"user",...context.
authProvider?{authProvider:context.authProvider}:{}};config.loadFromClusterAndUser(cluster,user),this.#foreign={of:context,
config}}let request2={headers:{},...tls.ca?{ca:tls.ca}:{},...tls.cert?{cert:tls.cert}:{},...tls.key?{key:tls.key}:{},...tls.
servername===void 0?{}:{servername:tls.servername}};await this.#foreign.config.applyToHTTPSOptions(request2);let headers={};
for(let[name,value]of Object.entries(request2.headers??{}))headers[name]=String(value);let{agent}=request2;return{headers,
agent:context.proxyUrl!==void 0&&typeof agent=="object"?agent:void 0}}};async function read({data,file},what){return file===
void 0?data:readFile(file).catch(error=>{throw unreadable(what,error)})}async function readToken(file,inPlace){try{let token=(await readFile(
file,"utf8")).trim();if(token==="")throw new Error(`${file} is empty`);return token}catch(error){if(inPlace!==void 0)return inPlace;
throw unreadable("token",error)}}function unreadable(what,error){return new KubernetesError("CREDENTIALS_UNREADABLE",`th\
e ${what} cannot be read: ${printable(messageOf(error))}; the configuration of the API server refers to it`,{cause:error})}var TOKEN_REVIEWS="/apis/authentication.k8s.io/v1/tokenreviews",ACCESS_REVIEWS="/apis/authorization.k8s.io/v1/subjectacc\
essreviews",MAX_BYTES=256*1024,MetricsAccessReviewer=class{#credentials;#client;#path;constructor(options={}){let{clock=systemClock,
path="/metrics",timeout=3e3,userAgent="kube-proxier"}=options;this.#path=path,this.#credentials=createApiCredentials({...options,
clock}),this.#client=new ApiClient({credentials:this.#credentials,clock,responseTimeout:timeout,pageTimeout:timeout,maxPageBytes:MAX_BYTES,
userAgent})}async review(token,signal){let reviewed=await this.#create(TOKEN_REVIEWS,{apiVersion:"authentication.k8s.io/\
v1",kind:"TokenReview",spec:{token}},signal);if(reviewed.authenticated!==!0)return"unauthenticated";let{user}=reviewed;if(!isRecord(
user)||typeof user.username!="string"||user.username==="")throw new ApiError("API_RESPONSE_INVALID","the TokenReview nam\
es no user for a valid token");let{username,uid,groups,extra}=user,access=await this.#create(ACCESS_REVIEWS,{apiVersion:"\
authorization.k8s.io/v1",kind:"SubjectAccessReview",spec:{user:username,...uid===void 0?{}:{uid},...groups===void 0?{}:{
groups},...extra===void 0?{}:{extra},nonResourceAttributes:{path:this.#path,verb:"get"}}},signal);return access.allowed===
!0&&access.denied!==!0?"allowed":"forbidden"}close(){this.#client.close()}async#create(path,object,signal){try{let{status}=await this.#client.
create(path,object,signal);if(!isRecord(status))throw new ApiError("API_RESPONSE_INVALID",`the answer to a request to ${path}\
 has no status`);return status}catch(error){throw error instanceof ApiStatusError&&error.status===401&&this.#credentials.
refused(),error}}};var NOTE_BYTES=1024,MAX_QUEUE_LENGTH=100,ATTEMPTS=5,FIRST_PAUSE=1e3,EventRecorder=class{#options;#logger;#clock;#credentials;#client;#abort=new AbortController;#queue=[];#recent=new Map;#tokens;#refilled;#names=0;#sending;#pause;#complained=!1;constructor(options){
this.#options=options,this.#logger=options.logger??silentLogger,this.#clock=options.clock??systemClock,this.#credentials=
createApiCredentials({...options,clock:this.#clock}),this.#client=new ApiClient({credentials:this.#credentials,clock:this.#clock,
responseTimeout:1e4,pageTimeout:1e4,maxPageBytes:1024*1024,userAgent:options.userAgent??options.controller}),this.#tokens=
options.burst??25,this.#refilled=this.#clock.monotonic()}record(event){let key=JSON.stringify(event);if(this.#abort.signal.
aborted||this.#queue.length>=MAX_QUEUE_LENGTH||this.#isRepeated(key)||!this.#consumeToken()){this.#logger.debug(4,"An ev\
ent was dropped",{reason:event.reason});return}this.#recent.set(key,this.#clock.monotonic()),this.#queue.push(this.#waiting(
event)),this.#sending??=this.#sendAll().finally(()=>{this.#sending=void 0})}async stop(patience=0){if(this.#sending&&patience>
0){let timer,late=new Promise(resolve=>{timer=this.#clock.setTimer(patience,resolve)});await Promise.race([this.#sending,
late]),timer?.cancel()}this.#abort.abort(),this.#pause?.(),this.#client.close(),await this.#sending}#isRepeated(key){let{
repeatAfter=6e5}=this.#options,now=this.#clock.monotonic();for(let[known,at]of this.#recent)now-at>=repeatAfter&&this.#recent.
delete(known);return this.#recent.has(key)}#consumeToken(){let{burst=25,refill=3e5}=this.#options,now=this.#clock.monotonic(),
gained=Math.floor((now-this.#refilled)/refill);return gained>0&&(this.#tokens=Math.min(burst,this.#tokens+gained),this.#refilled+=
gained*refill),this.#tokens<1?!1:(this.#tokens-=1,!0)}#waiting({regarding,note,...event}){let{controller,instance}=this.#options,
{namespace,...subject}=regarding,now=Math.floor(this.#clock.now());this.#names+=1;let body={apiVersion:"events.k8s.io/v1",
kind:"Event",metadata:{name:`${regarding.name}.${now.toString(16)}${this.#names.toString(16).padStart(4,"0")}`,namespace:namespace??
"default"},eventTime:new Date(now).toISOString().replace("Z","000Z"),reportingController:controller,reportingInstance:instance.
slice(0,128),...event,note:shorten(note),regarding:namespace===void 0?subject:{...subject,namespace}};return{namespace:namespace??
"default",body}}async#sendAll(){let{signal}=this.#abort;for(let next=this.#queue.shift();next!==void 0&&!signal.aborted;next=
this.#queue.shift())await this.#send(next)}async#send({namespace,body}){let{signal}=this.#abort;for(let attempt=1;!signal.
aborted;attempt+=1)try{await this.#client.create(`/apis/events.k8s.io/v1/namespaces/${namespace}/events`,body,signal);return}catch(error){
if(signal.aborted)return;let status=error instanceof ApiStatusError?error.status:0;if(status===401&&this.#credentials.refused(),
status>=400&&status<500&&status!==401&&status!==429||attempt>=ATTEMPTS){this.#complain(error);return}let asked=error instanceof
ApiStatusError?error.retryAfter??0:0;await this.#wait(Math.max(asked,FIRST_PAUSE*2**(attempt-1)))}}#wait(milliseconds){return new Promise(
resolve=>{let timer=this.#clock.setTimer(milliseconds,resolve);this.#pause=()=>{timer.cancel(),resolve()}})}#complain(error){
this.#complained||(this.#complained=!0,this.#logger.warn(`Events cannot be created in ${this.#credentials.server}: ${printable(
messageOf(error))}`))}};function shorten(note){return printable(note,NOTE_BYTES)}var ApiAvailability=class{server;logger;clock;#away=new Map;#awaySince=0;#refusals=new Map;#readable=new Map;constructor(server,logger,clock){
this.server=server,this.logger=logger,this.clock=clock}unreachable(resource,reason){this.#away.size===0&&(this.#awaySince=
this.clock.monotonic(),this.logger.error(`${this.server} does not answer correctly: ${reason}; the last known objects st\
ay in force, and requests are retried`)),this.#away.set(resource,reason)}obstacle(resource){return this.#away.get(resource)??
this.#refusals.get(resource)}refused(resource,message2,severity="error"){this.#noLongerAway(resource);let isKnown=this.#holds(
message2);this.#refusals.set(resource,message2),isKnown||this.logger[severity](`${this.server}: ${message2}`)}answered(resource){
this.#noLongerAway(resource);let message2=this.#refusals.get(resource);if(message2===void 0)return;this.#refusals.delete(
resource);let readable=[...this.#readable.get(message2)??[],resource];this.#holds(message2)?this.#readable.set(message2,
readable):(this.#readable.delete(message2),this.logger.info(`${this.server}: ${readable.join(", ")} can be read again`))}#holds(message2){
return[...this.#refusals.values()].includes(message2)}#noLongerAway(resource){if(this.#away.delete(resource)&&this.#away.
size===0){let seconds=Math.round((this.clock.monotonic()-this.#awaySince)/1e3);this.logger.info(`${this.server} answers \
again after ${seconds} s`)}}};var WatchListSupport=class{#refused=!1;get isRefused(){return this.#refused}refuse(){this.#refused=!0}},WatchListUnsupported=class extends ApiError{constructor(message2){
super("WATCH_LIST_UNSUPPORTED",message2)}};function refusesInitialEvents(error){return error instanceof WatchListUnsupported||
error instanceof ApiStatusError&&(error.status===400||error.status===422)&&/sendInitialEvents|resourceVersionMatch/.test(
error.message)}function mayListInstead(error){return error instanceof ApiStatusError?![401,403,404,410,429,503].includes(
error.status)&&!error.isVersionTooLarge:error instanceof ApiError&&["API_RESPONSE_INVALID","API_INCOMPLETE","API_SILENT"].
includes(error.code)}var NO_BACKOFF={next:800,lastFailure:void 0};function backOff({next,lastFailure},now,random){let base=lastFailure!==void 0&&
now-lastFailure>12e4?800:next;return{state:{next:Math.min(base*2,3e4),lastFailure:now},delay:Math.min(base*(1+random),3e4)}}var OUTAGE_AFTER=3,MAX_RETRY_AFTER=12e4,RELIST_SPREAD=5e3,ABSENT_RETRY=3e5,NO_REQUESTS={failures:0,unauthorized:!1,backoff:NO_BACKOFF};
function afterAnswer(history){return{...history,failures:0,unauthorized:!1}}function isOutage({failures}){return failures>=
OUTAGE_AFTER}function reactToFailure(before,failure){let{error,operation,resource,now,random}=failure,{state:backoff,delay}=backOff(
before.backoff,now,random),history={...before,failures:before.failures+1,backoff},reaction={history,delay,relist:!1,report:void 0,
renewCredentials:!1,dropFieldSelector:!1,unavailable:!1};return error instanceof ApiStatusError?reactToStatus(error,failure,
reaction):isProxierError(error)?{...reaction,relist:error.code==="API_RESPONSE_INVALID",report:error instanceof ApiError?
outage(operation,history,`${resource.name}: ${messageOf(error)}`):{kind:"refused",message:messageOf(error),severity:"err\
or"}}:{...reaction,relist:!0,report:{kind:"unexpected"}}}function reactToStatus(error,failure,reaction){let{operation,resource,
hasFieldSelector,random}=failure,{name,group}=resource,history=reaction.history,requested=Math.min(error.retryAfter??0,MAX_RETRY_AFTER)*
(1+random/2),waiting={...reaction,delay:Math.max(reaction.delay,requested)},refused=(message2,severity="error")=>({...waiting,
report:{kind:"refused",message:message2,severity}});switch(error.status){case 410:return{...waiting,relist:!0,delay:operation===
"watch"?Math.max(waiting.delay,relistDelay(random)):waiting.delay};case 401:{let renewing={renewCredentials:!0,history:{
...history,unauthorized:!0}};return history.unauthorized?{...refused(`it rejected the credentials (${messageOf(error)});\
 renew the token or certificate`),...renewing}:{...waiting,...renewing,delay:0}}case 403:{let rule=`{apiGroups: ["${group}\
"], resources: ["${name}"], verbs: ["list", "watch"]}`,text2=`it forbids to list or watch ${name} (${messageOf(error)});\
 grant it by a ClusterRole with the rule ${rule}`;return{...refused(text2,resource.optional?"warn":"error"),unavailable:!0}}case 404:
return resource.optional?{...waiting,delay:ABSENT_RETRY*(1+random),report:{kind:"absent"},unavailable:!0}:refused(`it ha\
s no resource ${name} (${messageOf(error)}); is this the URL of a Kubernetes API server?`);case 400:return hasFieldSelector&&
resource.fieldSelectorOptional?{...waiting,delay:0,relist:!0,dropFieldSelector:!0}:{...refused(`it rejected the request \
for ${name} (${messageOf(error)})`),relist:!0};default:return{...waiting,report:outage(operation,history,`${name}: ${messageOf(
error)}`)}}}function relistDelay(random){return random*RELIST_SPREAD}function outage(operation,history,message2){return operation===
"list"||isOutage(history)?{kind:"unreachable",message:message2}:void 0}var ObjectCache=class{resource;#objects=new Map;#list=0;#namedInList=0;constructor(resource){this.resource=resource}get size(){
return this.#objects.size}get named(){return this.#namedInList}beginList(){this.#namedInList=0,this.#list+=1}put({key,kept}){
return key===void 0?"malformed":this.#put({key,text:this.#textOf(kept)},kept)}putPrepared(prepared){return this.#put(prepared,
this.resource.shape.unpack(JSON.parse(prepared.text)))}#put({key,text:text2},kept){let known=this.#objects.get(key);if(known?.
list!==this.#list&&(this.#namedInList+=1),known?.text===text2){known.list=this.#list;return}let current=this.#complete(kept);
return this.#objects.set(key,{text:text2,handedOut:new WeakRef(current),list:this.#list,since:known?.since??this.#list}),
{previous:known&&this.#recall(known),current}}prepareUnlessKnown(key,kept){let known=this.#objects.get(key),text2=this.#textOf(
kept);if(known?.text!==text2)return{key,text:text2};known.list!==this.#list&&(this.#namedInList+=1,known.list=this.#list)}unconfirm(key){
let known=this.#objects.get(key);known?.list===this.#list&&(this.#namedInList-=1,known.list-=1)}remove({key}){let known=key===
void 0?void 0:this.#objects.get(key);if(key===void 0)return"malformed";if(known)return this.#objects.delete(key),{previous:this.#recall(
known),current:void 0}}endList(){let changes=[];for(let[key,known]of this.#objects)known.list!==this.#list&&(this.#objects.
delete(key),changes.push({previous:this.#recall(known),current:void 0}));return changes}undoList(){let changes=[];for(let[
key,known]of this.#objects)known.since===this.#list&&(this.#objects.delete(key),changes.push({previous:this.#recall(known),
current:void 0}));return changes}has({key}){return this.#objects.has(key??"")}get(name,namespace){let known=this.#objects.
get(namespace===void 0?name:`${namespace}/${name}`);return known&&this.#recall(known)}*values(){for(let known of this.#objects.
values())yield this.#recall(known)}#textOf(kept){return flatText(JSON.stringify(this.resource.shape.pack(kept)))}#recall(known){
return known.handedOut.deref()??this.#complete(this.resource.shape.unpack(JSON.parse(known.text)))}#complete(kept){return{
apiVersion:this.resource.apiVersion,kind:this.resource.kind,...kept}}};var HEADER_BYTES=4,FrameSplitter=class{maxBytes;#pending=new ByteCollector;#headerBytes=0;#length=0;constructor(maxBytes){
this.maxBytes=maxBytes}*push(chunk){let at=0;for(;;){for(;this.#headerBytes<HEADER_BYTES&&at<chunk.length;)this.#length=
this.#length*256+(chunk[at]??0),this.#headerBytes+=1,at+=1;if(this.#headerBytes<HEADER_BYTES)return;if(this.#length>this.
maxBytes)throw new ApiError("API_RESPONSE_INVALID",`an event is longer than ${this.maxBytes} bytes`);let missing=this.#length-
this.#pending.length;if(chunk.length-at<missing){this.#pending.push(chunk.subarray(at));return}let rest=chunk.subarray(at,
at+missing);at+=missing,this.#headerBytes=0,this.#length=0,this.#pending.length===0?yield rest:(this.#pending.push(rest),
yield this.#pending.takeBytes(),this.#pending.clear())}}};function receivedObject(object,shape){return{key:keyOf(object),kept:shape.take(object)}}function keyOf(object){let metadata=isRecord(
object)?object.metadata:void 0;if(!(!isRecord(metadata)||!isText(metadata.name)))return isText(metadata.namespace)?flatText(
metadata.namespace,"/",metadata.name):metadata.name}var INITIAL_EVENTS_END="k8s.io/initial-events-end";function isWatchEventType(type){return type==="ADDED"||type==="MODIFI\
ED"||type==="DELETED"||type==="BOOKMARK"}var TYPE_TAG=8|DELIMITED,OBJECT_TAG=16|DELIMITED,RAW_TAG2=8|DELIMITED,versioned=fields({metadata:fields({resourceVersion:whole,
annotations:anyFieldsOf({[INITIAL_EVENTS_END]:whole})})}),ObjectReader=class{kind;#objects;#versions;#wire=new WireReader;constructor(kind,layout,shape){
this.kind=kind,this.#objects=new MessageReader(layout,shape),this.#versions=new MessageReader(layout,versioned)}readItem(bytes,from,to){
let kept=this.#objects.read(bytes,from,to);return{key:keyOf(kept),kept}}readEvent(frame){let{type,from,to}=this.#openEvent(
frame);if(type==="ERROR")throw statusError(readStatus(frame,from,to),500);if(!isWatchEventType(type))throw new ApiError(
"API_RESPONSE_INVALID",`an event is of the unknown type ${printable(type,30)}`);let envelope=openEnvelope(frame,from,to);
if(envelope.kind!==this.kind)throw new ProtobufError(`an event has a ${printable(envelope.kind??"nothing",60)} instead o\
f a ${this.kind}`);let{metadata}=this.#versions.read(frame,envelope.from,envelope.to),{annotations,resourceVersion}=isRecord(
metadata)?metadata:{};return{type,object:this.readItem(frame,envelope.from,envelope.to),resourceVersion:isText(resourceVersion)?
resourceVersion:void 0,endsInitialEvents:type==="BOOKMARK"&&isRecord(annotations)&&annotations[INITIAL_EVENTS_END]==="tr\
ue"}}#openEvent(frame){let wire=this.#wire;wire.open(frame,0,frame.length);let type="",from,to=0;for(;wire.at<wire.end;){
let tag=wire.tag();if(tag===TYPE_TAG)type=wire.text();else if(tag===OBJECT_TAG){let outer=wire.end;for(wire.end=wire.delimited();wire.
at<wire.end;){let inner=wire.tag();if(inner===RAW_TAG2){if(from!==void 0)throw new ProtobufError("an event has two objec\
ts");to=wire.delimited(),from=wire.at,wire.at=to}else wire.skip(inner&7)}wire.end=outer}else wire.skip(tag&7)}if(from===
void 0)throw new ApiError("API_RESPONSE_INVALID","an event is not an object");return{type,from,to}}};var LIST_META_TAG=8|DELIMITED,ITEM_TAG=16|DELIMITED,MAX_HEAD_BYTES=1024*1024,listMetaReader=new MessageReader(LIST_META,
whole),ProtobufListSplitter=class{kind;maxItemBytes;readItem;#pending=new ByteCollector;#varint=new VarintCollector;#next="\
magic";#tag=0;#missing=MAGIC.length;#position=0;#listEnd;#hasList=!1;#hasItems=!1;#head={};#headBytes=0;constructor(kind,maxItemBytes,readItem){
this.kind=kind,this.maxItemBytes=maxItemBytes,this.readItem=readItem}get head(){return this.#hasItems?{...this.#head,items:[]}:
void 0}push(chunk){let items=[],at=0;for(;at<chunk.length;){let next=this.#readPart(chunk,at,items);this.#position+=next-
at,at=next,this.#checkEndOfList()}return items}end(){if(this.#next!=="tag"||!this.#varint.isEmpty||this.#listEnd!==void 0)
throw new ApiError("API_RESPONSE_INVALID","the response is not complete: it ends within a list");return this.#hasList?{...this.#head,
items:[]}:this.#head}#readPart(chunk,at,items){switch(this.#next){case"tag":case"length":case"number":return this.#readNumber(
chunk[at]??0,items),at+1;case"skipped":{let end=Math.min(chunk.length,at+this.#missing);return this.#missing-=end-at,this.#missing===
0&&(this.#next="tag"),end}default:return this.#readValue(chunk,at,items)}}#readNumber(byte,items){let value=this.#varint.
push(byte);if(value!==void 0)if(this.#next==="number")this.#next="tag";else if(this.#next==="length")this.#beginValue(checkedLength(
value),this.#position+1,items);else{this.#tag=checkedTag(value);let type=this.#tag&7;type===DELIMITED?this.#next="length":
type===VARINT?this.#next="number":this.#beginSkipped(fixedSize(type),this.#position+1)}}#beginValue(length,position,items){
if(this.#listEnd===void 0&&this.#tag===RAW_TAG){this.#beginList(position+length);return}if(!this.#isRead()){this.#beginSkipped(
length,position);return}if(this.#isItem()){if(this.#checkWithinList(position+length),length>this.maxItemBytes)throw new ResponseTooLarge(
this.maxItemBytes);this.#hasItems=!0}else this.#checkHead(length,position);this.#missing=length,this.#next="value",length===
0&&this.#complete(Buffer.alloc(0),0,0,items)}#beginSkipped(length,position){this.#checkHead(length,position),this.#missing=
length,this.#next=length===0?"tag":"skipped"}#beginList(end){if(this.#hasList)throw new ApiError("API_RESPONSE_INVALID",
"the response has items twice");if(this.#head.kind!==void 0&&this.#head.kind!==`${this.kind}List`)throw new ApiError("AP\
I_RESPONSE_INVALID",`the response is not a ${this.kind}List`);this.#hasList=!0,this.#listEnd=end,this.#next="tag"}#isRead(){
return this.#listEnd!==void 0?this.#tag===ITEM_TAG||this.#tag===LIST_META_TAG:this.#tag===TYPE_META_TAG||this.#tag===CONTENT_TYPE_TAG||
this.#tag===CONTENT_ENCODING_TAG}#isItem(){return this.#listEnd!==void 0&&this.#tag===ITEM_TAG}#readValue(chunk,at,items){
let end=at+this.#missing;if(end>chunk.length)return this.#pending.push(chunk.subarray(at)),this.#missing=end-chunk.length,
chunk.length;if(this.#pending.length===0)this.#complete(chunk,at,end,items);else{this.#pending.push(chunk.subarray(at,end));
let bytes=this.#pending.takeBytes();this.#complete(bytes,0,bytes.length,items),this.#pending.clear()}return end}#complete(bytes,from,to,items){
if(this.#next==="magic"){if(MAGIC.compare(bytes,from,to)!==0)throw new ProtobufError('it does not begin with "k8s"')}else
this.#isItem()?items.push(this.readItem(bytes,from,to)):this.#listEnd!==void 0?this.#head={...this.#head,metadata:listMetaReader.
read(bytes,from,to)}:this.#tag===TYPE_META_TAG?this.#head={...this.#head,...readTypeMeta(bytes,from,to)}:checkContent(bytes.
toString("utf8",from,to));this.#next="tag"}#checkHead(length,position){if(this.#checkWithinList(position+length),this.#headBytes+=
length,this.#headBytes>MAX_HEAD_BYTES)throw new ResponseTooLarge(MAX_HEAD_BYTES)}#checkWithinList(position){if(this.#listEnd!==
void 0&&position>this.#listEnd)throw new ProtobufError("a length exceeds the list that it is in")}#checkEndOfList(){if(this.#listEnd!==
void 0&&this.#position>=this.#listEnd){if(this.#next!=="tag"||!this.#varint.isEmpty)throw new ProtobufError("a list ends\
 within a field");this.#listEnd=void 0}}};function parseWatchEvent(line,shape){let event;try{event=JSON.parse(line)}catch(error){throw new ApiError("API_RESPONSE_\
INVALID",`an event is not JSON: ${printable(messageOf(error))}`,{cause:error})}if(!isRecord(event)||!isRecord(event.object))
throw new ApiError("API_RESPONSE_INVALID","an event is not an object");let{type,object}=event;if(type==="ERROR")throw statusError(
object,500);if(!isWatchEventType(type))throw new ApiError("API_RESPONSE_INVALID",`an event is of the unknown type ${printable(
String(type),30)}`);let metadata=isRecord(object.metadata)?object.metadata:{},{annotations,resourceVersion}=metadata;return{
type,object:receivedObject(object,shape),resourceVersion:isText(resourceVersion)?resourceVersion:void 0,endsInitialEvents:type===
"BOOKMARK"&&isRecord(annotations)&&annotations[INITIAL_EVENTS_END]==="true"}}var NEWLINE=10,LineSplitter=class{maxBytes;#pending=new ByteCollector;constructor(maxBytes){this.maxBytes=maxBytes}push(chunk){
let lines=[],from=0;for(let end=chunk.indexOf(NEWLINE);end>=0;end=chunk.indexOf(NEWLINE,from)){let part=chunk.subarray(from,
end),line;this.#pending.length===0?(this.#check(part.length),line=part.toString("utf8")):(this.#hold(part),line=this.#pending.
take()),line.trim()!==""&&lines.push(line),from=end+1}return from<chunk.length&&this.#hold(chunk.subarray(from)),lines}#hold(part){
this.#check(this.#pending.length+part.length),this.#pending.push(part)}#check(size){if(size>this.maxBytes)throw this.#pending.
clear(),new ApiError("API_RESPONSE_INVALID",`an event is longer than ${this.maxBytes} bytes`)}};import{StringDecoder as StringDecoder2}from"node:string_decoder";var TAB=9,NEWLINE2=10,RETURN=13,SPACE=32,QUOTE=34,COMMA=44,COLON=58,BACKSLASH=92,OPEN_ARRAY=91,CLOSE_ARRAY=93,OPEN_OBJECT=123,
CLOSE_OBJECT=125,MAX_HEAD_BYTES2=1024*1024,MAX_NAME_BYTES=100,ListSplitter=class{maxItemBytes;#item=new ByteCollector;#head="";#decoder=new StringDecoder2(
"utf8");#headBefore;#place="head";#depth=0;#inString=!1;#escaped=!1;#nameBytes;#name="";#valueNext=!1;#hasItems=!1;constructor(maxItemBytes){
this.maxItemBytes=maxItemBytes}get head(){return this.#headBefore}push(chunk){let items=[],at=0;for(;at<chunk.length;)if(this.#place===
"head")at=this.#readHead(chunk,at);else if(this.#place==="first"||this.#place==="next"||this.#place==="after")at=this.#readBetween(
chunk,at);else{let end=this.#endOfItem(chunk,at);if(end<0){this.#hold(chunk.subarray(at));break}items.push(this.#parseItem(
chunk,at,end)),this.#place="after",at=end}return items}end(){if(this.#head+=this.#decoder.end(),this.#place!=="head")throw new ApiError(
"API_RESPONSE_INVALID","the response is not JSON: it ends within the items of a list");return parseHead(this.#head)}#readHead(chunk,from){
let at=from;for(;at<chunk.length;){let byte=chunk[at]??0;if(at+=1,this.#inString)this.#readHeadString(byte);else if(byte===
QUOTE)this.#inString=!0,this.#nameBytes=this.#depth===1&&!this.#valueNext?[]:void 0;else{if(byte===OPEN_ARRAY&&this.#depth===
1&&this.#valueNext&&this.#name==="items")return this.#extendHead(chunk.subarray(from,at)),this.#beginItems(),at;byte===OPEN_OBJECT||
byte===OPEN_ARRAY?this.#depth+=1:byte===CLOSE_OBJECT||byte===CLOSE_ARRAY?this.#depth-=1:this.#depth===1&&byte===COLON?this.#valueNext=
!0:this.#depth===1&&byte===COMMA&&(this.#valueNext=!1)}}return this.#extendHead(chunk.subarray(from,at)),at}#readHeadString(byte){
if(byte===QUOTE&&!this.#escaped){this.#inString=!1,this.#nameBytes&&(this.#name=decodeName(this.#nameBytes),this.#nameBytes=
void 0);return}this.#escaped=byte===BACKSLASH&&!this.#escaped,this.#nameBytes&&this.#nameBytes.length<MAX_NAME_BYTES&&this.#nameBytes.
push(byte)}#beginItems(){if(this.#hasItems)throw new ApiError("API_RESPONSE_INVALID","the response has items twice");this.#hasItems=
!0,this.#headBefore=parseHead(`${this.#head}]}`),this.#place="first",this.#valueNext=!1}#readBetween(chunk,from){let at=from;
for(;at<chunk.length;){let byte=chunk[at]??0;if(byte===SPACE||byte===NEWLINE2||byte===RETURN||byte===TAB)at+=1;else{if(byte===
CLOSE_ARRAY&&this.#place!=="next")return this.#place="head",this.#depth=2,this.#inString=!1,at;if(this.#place==="after"){
if(byte!==COMMA)throw new ApiError("API_RESPONSE_INVALID","the response is not JSON: there is no comma between two items");
this.#place="next",at+=1}else return this.#beginItem(byte),at}}return at}#beginItem(byte){this.#depth=0,this.#inString=!1,
this.#escaped=!1,this.#place=byte===OPEN_OBJECT||byte===OPEN_ARRAY?"nested":byte===QUOTE?"text":"plain"}#endOfItem(chunk,from){
if(this.#place==="plain")return endOfPlain(chunk,from);let depth=this.#depth,inString=this.#inString,escaped=this.#escaped,
{length}=chunk,endOfString=this.#place==="text"?0:-1,at=from,found=-1;for(;at<length;){let byte=chunk[at];if(at+=1,inString){
if(escaped)escaped=!1;else if(byte===BACKSLASH)escaped=!0;else if(byte===QUOTE&&(inString=!1,depth===endOfString)){found=
at;break}}else if(byte===QUOTE)inString=!0;else if(byte===OPEN_OBJECT||byte===OPEN_ARRAY)depth+=1;else if((byte===CLOSE_OBJECT||
byte===CLOSE_ARRAY)&&(depth-=1,depth===0)){found=at;break}}return this.#depth=depth,this.#inString=inString,this.#escaped=
escaped,found}#parseItem(chunk,from,end){let text2;return this.#item.length===0?(this.#checkItem(end-from),text2=chunk.toString(
"utf8",from,end)):(this.#hold(chunk.subarray(from,end)),text2=this.#item.take()),parse2(text2)}#hold(part){this.#checkItem(
this.#item.length+part.length),this.#item.push(part)}#checkItem(size){if(size>this.maxItemBytes)throw this.#item.clear(),
new ResponseTooLarge(this.maxItemBytes)}#extendHead(part){if(this.#head+=this.#decoder.write(part),this.#head.length>MAX_HEAD_BYTES2)
throw this.#head="",new ResponseTooLarge(MAX_HEAD_BYTES2)}};function endOfPlain(chunk,from){for(let at=from;at<chunk.length;at+=
1){let byte=chunk[at];if(byte===COMMA||byte===CLOSE_ARRAY||byte===CLOSE_OBJECT||byte===SPACE||byte===NEWLINE2||byte===RETURN||
byte===TAB)return at}return-1}function decodeName(bytes){let text2=Buffer.from(bytes).toString("utf8");if(!text2.includes(
"\\"))return text2;try{return JSON.parse(`"${text2}"`)}catch{return""}}function parseHead(text2){let head=parse2(text2);
if(!isRecord(head))throw new ApiError("API_RESPONSE_INVALID","the response is not a list of objects");return head}function parse2(text2){
try{return JSON.parse(text2)}catch(error){throw new ApiError("API_RESPONSE_INVALID",`the response is not JSON: ${printable(
messageOf(error))}`,{cause:error})}}var NOT_ACCEPTABLE=406,UNREADABLE_ANSWERS=3,ObjectFormat=class{resource;support;#reader;#unreadable=0;constructor(resource,support){
this.resource=resource,this.support=support}get acceptsProtobuf(){return this.resource.protobuf!==void 0&&!this.support.
isRefused&&this.#unreadable<UNREADABLE_ANSWERS}failed(error){return error instanceof ProtobufError?this.#unreadable+=1:error instanceof
ApiStatusError&&error.status===NOT_ACCEPTABLE&&this.support.refuse(),!this.acceptsProtobuf}listReader(isProtobuf2,maxItemBytes){
let{kind,shape}=this.resource;if(isProtobuf2){let reader=this.#objectReader();return new ProtobufListSplitter(kind,maxItemBytes,
(bytes,from,to)=>reader.readItem(bytes,from,to))}let splitter=new ListSplitter(maxItemBytes);return{get head(){return splitter.
head},push:chunk=>splitter.push(chunk).map(item=>receivedObject(item,shape)),end:()=>splitter.end()}}eventReader(isProtobuf2,maxEventBytes){
if(isProtobuf2){let reader=this.#objectReader(),frames=new FrameSplitter(maxEventBytes);return{push:chunk=>mapped(frames.
push(chunk),frame=>reader.readEvent(frame))}}let{shape}=this.resource,lines=new LineSplitter(maxEventBytes);return{push:chunk=>mapped(
lines.push(chunk),line=>parseWatchEvent(line,shape))}}#objectReader(){let{kind,protobuf,shape}=this.resource;if(protobuf===
void 0)throw new ApiError("API_RESPONSE_INVALID","the answer is protobuf, which was not requested");return this.#reader??=
new ObjectReader(kind,protobuf,shape),this.#reader}};function*mapped(items,map){for(let item of items)yield map(item)}import{setImmediate as nextTurn}from"node:timers/promises";var IDLE_PAGES=10,SPARE_PAGES=100,FEW_OBJECTS=10,UNPAGED_RATIO=64,SMALLER_PAGE=4,SLICE_BYTES=32*1024,TURN_BYTES=64*1024,
PagedList=class{options;#pageSize;#unpaged=!1;constructor(options){this.options=options,this.#pageSize=options.pageSize}async*parts(selectors,age,countObjects,signal){
let{maxObjects}=this.options,unpaged=this.#unpaged&&age==="consistent",limit=unpaged||typeof age=="object"?void 0:this.#pageSize,
token,pages=0,idlePages=0;do{let query=new URLSearchParams(selectors);limit!==void 0&&query.set("limit",String(limit)),token!==
void 0?query.set("continue",token):age!=="consistent"&&query.set("resourceVersion",age==="any"?"0":age.notOlderThan);let before=countObjects(),
continued=token!==void 0,next=yield*this.#page(query,{paged:continued||age==="consistent"&&!unpaged,continued},signal),objects=countObjects();
if(pages+=1,idlePages=objects>before?0:idlePages+1,refuseEndlessList({pages,idlePages,objects,limit,maxObjects}),next!==
void 0&&next===token)throw new ApiError("API_RESPONSE_INVALID","a page names itself as the one that follows it");token=next}while(token!==
void 0);age==="consistent"&&(this.#unpaged=!1)}async*#page(query,{paged,continued},signal){try{return yield*this.#readPage(
query,paged,signal)}catch(error){throw error instanceof ResponseTooLarge&&(this.#unpaged=!1,paged&&(this.#pageSize=Math.
max(1,Math.floor(this.#pageSize/SMALLER_PAGE)))),continued&&error instanceof ApiStatusError&&error.status===410&&(this.#unpaged=
!0),error}}async*#readPage(query,paged,signal){let{client,format,maxObjects,maxPageBytes,resource}=this.options,{acceptsProtobuf:protobuf}=format,
reader,limit=paged?maxPageBytes:maxPageBytes*UNPAGED_RATIO,early=[],bytes=0,count=0,version,asked={path:resource.path,query,
protobuf};for await(let{bytes:chunk,isProtobuf:isProtobuf2}of client.streamPage(asked,signal,limit)){reader??=format.listReader(
isProtobuf2,maxPageBytes);for(let from=0;from<chunk.length;from+=SLICE_BYTES){let slice=chunk.subarray(from,from+SLICE_BYTES),
items=reader.push(slice);if(count+=items.length,refuseTooMany(count,maxObjects),Math.floor((bytes+slice.length)/TURN_BYTES)>
Math.floor(bytes/TURN_BYTES)&&await nextTurn(),bytes+=slice.length,version??=versionOf(resource.kind,reader.head),version!==
void 0)items.length>0&&(yield{resourceVersion:version,items});else{if(bytes>maxPageBytes)throw new ResponseTooLarge(maxPageBytes);
early=early.concat(items)}}}let page=checkedPage(resource.kind,(reader??format.listReader(!1,maxPageBytes)).end());if(version!==
void 0&&version!==page.resourceVersion)throw new ApiError("API_RESPONSE_INVALID","the list has two versions");return yield{
resourceVersion:page.resourceVersion,items:early},page.continue}};function versionOf(kind,head){if(!(head===void 0||!isRecord(
head.metadata)||head.kind===void 0))return checkedPage(kind,head).resourceVersion}function checkedPage(kind,page){let{metadata}=page,
{items}=page;if(page.kind!==`${kind}List`||!isRecord(metadata)||items!==null&&!Array.isArray(items))throw new ApiError("\
API_RESPONSE_INVALID",`the response is not a ${kind}List`);if(!isText(metadata.resourceVersion))throw new ApiError("API_\
RESPONSE_INVALID","the list has no resourceVersion");return{resourceVersion:metadata.resourceVersion,continue:isText(metadata.
continue)?metadata.continue:void 0}}function refuseEndlessList(list2){let{pages,idlePages,objects,limit,maxObjects}=list2;
refuseTooMany(objects,maxObjects);let few=Math.min(FEW_OBJECTS,limit??FEW_OBJECTS);if(idlePages>=IDLE_PAGES||pages>SPARE_PAGES+
objects/few)throw new ApiError("API_RESPONSE_INVALID",`the list does not end (${pages} pages, ${objects} objects), and w\
as refused`)}function refuseTooMany(objects,maxObjects){if(objects>maxObjects)throw new ApiError("API_RESPONSE_INVALID",
`the list has more than the ${maxObjects} objects that are read, and was refused`)}var DECIMAL=/^(0|[1-9]\d*)$/;function compareResourceVersions(left,right){if(left===right)return 0;if(!(!DECIMAL.test(left)||
!DECIMAL.test(right)))return left.length!==right.length?left.length-right.length:left<right?-1:1}import{setImmediate as nextTurn2}from"node:timers/promises";var TURN_BYTES2=64*1024;async function*watchEvents(response,options){let{clock,format,silenceLimit,maxEventBytes,onSilence}=options,
reader=format.eventReader(isProtobuf(response.headers),maxEventBytes),timer=new InactivityTimer(clock,silenceLimit,()=>{
onSilence(),response.destroy(new ApiError("API_SILENT",`a watch was silent for ${silenceLimit} ms`))}),bytes=0;try{for await(let chunk of response)
timer.touch(),yield reader.push(chunk),bytes+=chunk.length,bytes>=TURN_BYTES2&&(bytes=0,await nextTurn2())}catch(error){
throw isProxierError(error)?error:new ApiError("API_UNREACHABLE",printable(messageOf(error)),{cause:error})}finally{timer.
cancel()}}var SHORT_WATCH=1e3,STALE_LISTS=3,ListWatch=class{options;listener;#resource;#cache;#format;#pagedList;#resourceVersion;#newest="";#wasComplete=!1;#staleLists=0;#consistent=!1;#listInstead=!1;#initialEvents;#fieldSelector;#history=NO_REQUESTS;#lastAnswer=0;constructor(options,listener){
this.options=options,this.listener=listener,this.#resource=options.resource,this.#cache=new ObjectCache(options.resource),
this.#format=new ObjectFormat(options.resource,options.protobuf),this.#pagedList=new PagedList({...options,format:this.#format}),
this.#fieldSelector=options.resource.fieldSelector}async run(signal){let{clock,random,relistAfter}=this.options;for(this.
listener.began(this.#cache);!signal.aborted;){let delay=0;try{let{watchList}=this.options;this.#resourceVersion===void 0&&
(this.#listInstead||watchList===void 0||watchList.isRefused)&&await this.#orUndo(()=>this.#list(signal)),await this.#orUndo(
()=>this.#watch(signal))}catch(error){if(signal.aborted)return;delay=this.#recover(error)}this.#resourceVersion!==void 0&&
clock.monotonic()-this.#lastAnswer>=relistAfter&&(this.#note(2,`nothing was heard for ${relistAfter} ms; listing`),this.#resourceVersion=
void 0,delay=Math.max(delay,relistDelay(random()))),await this.#sleep(delay,signal)}}async#orUndo(request2){try{await request2()}catch(error){
if(this.#resourceVersion===void 0&&this.#cache.size>2*this.options.maxObjects){for(let change of this.#cache.undoList())
this.#report(change);this.listener.settled(this.#cache)}throw error}}async#list(signal){let version,age=this.#listAge();
this.#cache.beginList();for await(let part of this.#pagedList.parts(this.#selectors(),age,()=>this.#cache.named,signal)){
version===void 0&&(version=part.resourceVersion,this.#refuseStale(version));for(let item of part.items){if(signal.aborted)
return;this.#put(item)}this.listener.settled(this.#cache)}if(version===void 0)throw new ApiError("API_RESPONSE_INVALID",
"the list has no pages");this.#completeList(version,signal)}#completeList(version,signal){for(let change of this.#cache.
endList()){if(signal.aborted)return;this.#report(change)}this.#wasComplete=!0,this.#staleLists=0,this.#consistent=!1,this.#listInstead=
!1,this.#newest=version,this.#resourceVersion=version,this.#answered(),this.options.availability.answered(this.#resource.
name),this.#note(2,`listed ${this.#cache.size} objects`,{resourceVersion:version}),this.listener.settled(this.#cache),this.
listener.listed(this.#cache)}#listAge(){return this.#consistent?"consistent":this.#newest===""?"any":{notOlderThan:this.#newest}}#refuseStale(version){
let order=this.#newest===""?0:compareResourceVersions(version,this.#newest);if(order===void 0||order>=0){this.#newest=version;
return}if(this.#staleLists+=1,this.#staleLists<STALE_LISTS||!this.#consistent)throw this.#consistent||=this.#staleLists>=
STALE_LISTS-1,new ApiError("API_STALE",`the list is of version ${version}, and ${this.#newest} was seen already`);this.options.
logger.warn(`${this.#resource.name}: the API server continues from version ${version}, which is older than ${this.#newest}\
; it was restored, and its current state is used`),this.#newest=version}async#watch(signal){let{client,clock,random,availability}=this.
options,query=this.#selectors();query.set("watch","true"),query.set("allowWatchBookmarks","true"),query.set("timeoutSeco\
nds",String(300+Math.floor(random()*300))),this.#initialEvents=void 0,this.#resourceVersion===void 0?this.#requestInitialEvents(
query):query.set("resourceVersion",this.#resourceVersion);let begin=clock.monotonic(),response=await client.openWatch({path:this.#resource.
path,query,protobuf:this.#format.acceptsProtobuf},signal);!isOutage(this.#history)&&this.#initialEvents===void 0&&availability.
answered(this.#resource.name);let patience=this.#initialEvents?this.#initialTimer(response):void 0,events=0;try{for await(let arrived of watchEvents(
response,{...this.options,format:this.#format,onSilence:()=>client.dropIdleConnections()})){patience?.touch();for(let event of arrived){
if(signal.aborted)return;this.#initialEvents?this.#applyInitial(event,this.#initialEvents,signal):this.#apply(event),events+=
1}this.#initialEvents||patience?.cancel(),this.listener.settled(this.#cache)}}finally{patience?.cancel()}if(this.#initialEvents)
throw new ApiError("API_INCOMPLETE","the watch ended within its initial events");let lived=clock.monotonic()-begin;if(this.#note(
4,"the watch ended",{events,milliseconds:Math.round(lived)}),events===0&&lived<SHORT_WATCH)throw new ApiError("API_UNREA\
CHABLE","the server ended a watch as soon as it began")}#initialTimer(response){let{clock,initialPatience}=this.options;
return new InactivityTimer(clock,initialPatience,()=>{this.#initialEvents&&response.destroy(new WatchListUnsupported(`ne\
ither events nor their end came within ${initialPatience} ms`))})}#requestInitialEvents(query){query.set("sendInitialEve\
nts","true"),query.set("resourceVersionMatch","NotOlderThan"),this.#wasComplete&&!this.#consistent&&query.set("resourceV\
ersion",this.#newest),this.#cache.beginList(),this.#initialEvents={held:this.#wasComplete?new Map:void 0}}#applyInitial(event,{
held},signal){let{type,object,resourceVersion:version}=event;if(type==="BOOKMARK"){if(!event.endsInitialEvents)throw new WatchListUnsupported(
"a bookmark came before the end of the initial events");if(version===void 0)throw new ApiError("API_RESPONSE_INVALID","t\
he end of the initial events has no version");this.#refuseStale(version),this.#initialEvents=void 0;for(let prepared of held?.
values()??[])prepared!==void 0&&this.#report(this.#cache.putPrepared(prepared));this.#completeList(version,signal);return}
let{key}=object;if(this.#cache.named+(held?.size??0)>this.options.maxObjects)throw new ApiError("API_RESPONSE_INVALID",`\
there are more than the ${this.options.maxObjects} initial events that are read; the watch was refused`);if(held===void 0||
key===void 0)this.#applyObject(type,object),version!==void 0&&(compareResourceVersions(version,this.#newest)??1)>0&&(this.#newest=
version);else if(type==="DELETED")held.set(key,void 0),this.#cache.unconfirm(key);else{let prepared=this.#cache.prepareUnlessKnown(
key,object.kept);prepared?held.set(key,prepared):held.delete(key)}}#apply({type,object,resourceVersion:version}){this.#answered();
let order=version===void 0?void 0:compareResourceVersions(version,this.#resourceVersion??"");if(order!==void 0&&order<=0){
this.#note(type==="BOOKMARK"?6:4,"an event came again",{type,resourceVersion:version});return}this.#applyObject(type,object),
version!==void 0&&(this.#resourceVersion=version,this.#newest=version)}#applyObject(type,object){if(type==="ADDED"||type===
"MODIFIED")this.#put(object);else if(type==="DELETED"){let change=this.#cache.remove(object);if(change==="malformed")throw new ApiError(
"API_RESPONSE_INVALID","an object without a name was deleted");this.#report(change)}}#put(object){let room=(this.#resourceVersion===
void 0?3:2)*this.options.maxObjects;if(this.#cache.size>=room&&!this.#cache.has(object))throw new ApiError("API_RESPONSE\
_INVALID",`there are more than the ${this.options.maxObjects} objects that are read; further ones were refused`);let change=this.#cache.
put(object);if(change==="malformed"){this.options.logger.warn(`${this.#resource.name}: an object without a name is left \
out`);return}this.#report(change)}#report(change){change&&this.listener.changed(change)}#answered(){this.#lastAnswer=this.
options.clock.monotonic();let failed2=this.#history.failures>0;this.#history=afterAnswer(this.#history),failed2&&this.options.
availability.answered(this.#resource.name)}#recover(error){let{clock,onUnauthorized,random}=this.options,operation=this.#resourceVersion===
void 0?"list":"watch",initialEvents=this.#initialEvents!==void 0;if(this.#initialEvents=void 0,this.#format.acceptsProtobuf&&
this.#format.failed(error))return this.options.logger.warn(`${this.#resource.name}: the API server, or a proxy before it\
, does not send protobuf that can be read (${messageOf(error)}); objects are read as JSON`),0;if(initialEvents&&refusesInitialEvents(
error))return this.#note(2,`this API server does not send initial events (${messageOf(error)}); listing`),this.options.watchList?.
refuse(),0;this.#listInstead||=initialEvents&&mayListInstead(error),operation==="list"&&isUnavailableInCache(error)&&(this.#consistent=
!0);let reaction=reactToFailure(this.#history,{error,operation,resource:this.#resource,hasFieldSelector:this.#fieldSelector!==
void 0,now:clock.monotonic(),random:random()});return this.#history=reaction.history,this.#note(2,`a ${operation} failed\
: ${messageOf(error)}; retrying in ${Math.round(reaction.delay)} ms`),this.#reportFailure(error,reaction),reaction.relist&&
(this.#resourceVersion=void 0),reaction.renewCredentials&&onUnauthorized(),reaction.dropFieldSelector&&(this.#note(2,"th\
is API server does not support the field selector; requesting without it"),this.#fieldSelector=void 0),reaction.unavailable&&
this.listener.unavailable(),reaction.delay}#reportFailure(error,{report}){let{availability,logger}=this.options,{name}=this.#resource;
switch(report?.kind){case"unreachable":availability.unreachable(name,report.message);return;case"refused":availability.refused(
name,report.message,report.severity);return;case"absent":this.#note(2,"this API server does not have them"),availability.
answered(name);return;case"unexpected":logger.error(`${name}: watching failed by an error of its own: ${messageOf(error)}\
; listing again`,{error});return;case void 0:return;default:assertNever(report)}}#selectors(){let query=new URLSearchParams;
return this.#resource.labelSelector!==void 0&&query.set("labelSelector",this.#resource.labelSelector),this.#fieldSelector!==
void 0&&query.set("fieldSelector",this.#fieldSelector),query}#sleep(milliseconds,signal){return milliseconds<=0||signal.
aborted?Promise.resolve():new Promise(resolve=>{let done=()=>{timer.cancel(),signal.removeEventListener("abort",done),resolve()},
timer=this.options.clock.setTimer(milliseconds,done);signal.addEventListener("abort",done)})}#note(level,text2,fields2={}){
let{logger}=this.options;logger.v(level)&&logger.debug(level,`${this.#resource.name}: ${text2}`,fields2)}};function isUnavailableInCache(error){
return error instanceof ResponseTooLarge||error instanceof ApiStatusError&&(error.status===410||error.isVersionTooLarge)}var ProtobufSupport=class{#isRefused;constructor(isRefused=!1){this.#isRefused=isRefused}get isRefused(){return this.#isRefused}refuse(){
this.#isRefused=!0}};var NO_LISTENER={began(){},changed(){},listed(){},settled(){},unavailable(){}},ApiConnection=class{credentials;logger;clock;#client;#availability;#watchListSupport=new WatchListSupport;#protobufSupport;#limits;constructor(options,credentials,server,logger,clock){
this.credentials=credentials,this.logger=logger,this.clock=clock;let responseTimeout=options.responseTimeout??3e4,maxPageBytes=options.
maxPageBytes??16*1024*1024;this.#client=new ApiClient({credentials,clock,responseTimeout,pageTimeout:options.pageTimeout??
3e5,maxPageBytes,userAgent:options.userAgent??"kube-proxier"}),this.#protobufSupport=new ProtobufSupport(options.encoding===
"json"),this.#availability=new ApiAvailability(server,logger,clock),this.#limits={random:options.random??Math.random,pageSize:options.
pageSize??500,initialPatience:responseTimeout/3,silenceLimit:options.silenceLimit??9e4,relistAfter:options.relistAfter??
3e5,maxPageBytes,maxEventBytes:options.maxEventBytes??4*1024*1024,maxObjects:options.maxObjects??3e5}}follow(resource,watchList,listener,signal){
return new ListWatch({...this.#limits,resource,client:this.#client,availability:this.#availability,onUnauthorized:()=>this.
credentials.refused(),logger:this.logger,clock:this.clock,watchList:watchList?this.#watchListSupport:void 0,protobuf:this.#protobufSupport},
{...NO_LISTENER,...listener}).run(signal)}obstacle(resource){return this.#availability.obstacle(resource)}close(){this.#client.
close()}};var OWN_ANNOTATIONS="kube-proxier.io/",labels=anyFieldsOf({[SERVICE_NAME_LABEL]:whole,[SERVICE_PROXY_NAME_LABEL]:whole,[HEADLESS_SERVICE_LABEL]:whole,
[TOPOLOGY_ZONE_LABEL]:whole}),names=listOf(fields({name:whole})),SERVICES={name:"services",kind:"Service",apiVersion:"v1",
group:"",path:"/api/v1/services",labelSelector:`!${SERVICE_PROXY_NAME_LABEL}`,fieldSelector:"spec.clusterIP!=None",fieldSelectorOptional:!0,
isLarge:!0,protobuf:SERVICE,shape:fields({metadata:fields({name:whole,namespace:whole,creationTimestamp:whole,labels,annotations:entriesWhere(
name=>name.startsWith(OWN_ANNOTATIONS))}),spec:fields({type:whole,clusterIP:whole,clusterIPs:whole,ipFamilies:whole,externalIPs:whole,
ports:listOf(fields({name:whole,protocol:whole,port:whole,nodePort:whole})),sessionAffinity:whole,sessionAffinityConfig:fields(
{clientIP:fields({timeoutSeconds:whole})}),externalTrafficPolicy:whole,internalTrafficPolicy:whole,healthCheckNodePort:whole,
loadBalancerSourceRanges:whole}),status:fields({loadBalancer:fields({ingress:listOf(fields({ip:whole,hostname:whole,ipMode:whole}))})})})},
ENDPOINT_SLICES={name:"endpointslices",kind:"EndpointSlice",apiVersion:"discovery.k8s.io/v1",group:"discovery.k8s.io",path:"\
/apis/discovery.k8s.io/v1/endpointslices",labelSelector:`!${HEADLESS_SERVICE_LABEL}`,isLarge:!0,protobuf:ENDPOINT_SLICE,
shape:fields({metadata:fields({name:whole,namespace:whole,labels,annotations:anyFieldsOf(Object.fromEntries(ENDPOINT_SLICE_ANNOTATIONS.
map(name=>[name,whole])))}),addressType:whole,ports:listOf(fields({name:whole,protocol:whole,port:whole})),endpoints:listOf(
fields({addresses:whole,conditions:fields({ready:whole,serving:whole,terminating:whole}),nodeName:whole,targetRef:fields(
{kind:whole,name:whole}),hints:fields({forZones:names,forNodes:names})}))})};function ownNode(nodeName){return{name:"nod\
es",kind:"Node",apiVersion:"v1",group:"",path:"/api/v1/nodes",fieldSelector:`metadata.name=${escapeSelectorValue(nodeName)}`,
protobuf:NODE,shape:fields({metadata:fields({name:whole,uid:whole,deletionTimestamp:whole,labels}),spec:fields({podCIDR:whole,
podCIDRs:whole,taints:listOf(fields({key:whole,value:whole,effect:whole}))}),status:fields({addresses:listOf(fields({type:whole,
address:whole}))})})}}var SERVICE_CIDRS={name:"servicecidrs",kind:"ServiceCIDR",apiVersion:"networking.k8s.io/v1",group:"\
networking.k8s.io",path:"/apis/networking.k8s.io/v1/servicecidrs",optional:!0,protobuf:SERVICE_CIDR,shape:fields({metadata:fields(
{name:whole}),spec:fields({cidrs:whole})})};function escapeSelectorValue(value){return value.replace(/[\\,=]/g,character=>`\
\\${character}`)}var KubernetesSource=class{#options;#logger;#clock;#credentials;#abort=new AbortController;#connection;#reporter;#begun=!1;#running=Promise.
resolve();#timers=[];constructor(options={}){this.#options=options,this.#logger=options.logger??silentLogger,this.#clock=
options.clock??systemClock,this.#credentials=createApiCredentials({...options,clock:this.#clock})}get description(){return this.#credentials.
server}async start(handler,context){if(this.#begun)throw new KubernetesError("SOURCE_IN_USE","this KubernetesSource was \
started before; make a new one");this.#begun=!0;let{signal}=this.#abort;try{await this.#credentials.get(signal)}catch(error){
if(!signal.aborted&&!(error instanceof KubernetesError&&error.code==="EXEC_PLUGIN_FAILED"))throw error}signal.aborted||this.#run(
handler,context.nodeName,signal)}obstacle(kind){let{name}=kind==="Services"?SERVICES:ENDPOINT_SLICES;return this.#connection?.
obstacle(name)??this.#connection?.obstacle(ownNode("").name)}async stop(){this.#begun=!0,this.#abort.abort(),this.#reporter?.
close();for(let timer of this.#timers)timer.cancel();this.#connection?.close(),await this.#running}#run(handler,nodeName,signal){
let credentials=this.#credentials,clock=this.#clock,logger=this.#logger,options=this.#options,reporter=new SourceReporter(
handler,error=>logger.error(`${this.description}: an event handler failed; continuing with the next event: ${messageOf(error)}`,
{error}));this.#reporter=reporter;let connection=new ApiConnection(options,credentials,this.description,logger,clock);this.#connection=
connection;let{watchList:choice="few"}=options,watchList=({isLarge=!1})=>choice==="all"||choice==="few"&&!isLarge,follow=(resource,listener)=>connection.
follow(resource,watchList(resource),listener,signal),nodeKnown=this.#untilNodeKnown(),whenNodeKnown=report=>()=>{nodeKnown.
promise.then(report)};this.#running=Promise.all([follow(ownNode(nodeName),this.#nodeListener(reporter,nodeName,nodeKnown.
settle)),follow(SERVICE_CIDRS,serviceCIDRListener(reporter)),follow(SERVICES,{changed:({previous,current})=>reporter.onServiceUpdate(
previous,current),listed:whenNodeKnown(()=>reporter.onServicesSynced())}),follow(ENDPOINT_SLICES,{changed:({previous,current})=>reporter.
onEndpointsUpdate(previous,current),listed:whenNodeKnown(()=>reporter.onEndpointsSynced())})])}#untilNodeKnown(){let settle=()=>{},
promise=new Promise(resolve=>{settle=resolve});return this.#timers.push(this.#clock.setTimer(this.#options.nodeTimeout??
3e4,settle)),{promise,settle}}#nodeListener(reporter,nodeName,known){let missing=!1,name=printable(nodeName);return{changed:({
previous,current})=>{(current??previous).metadata?.name===nodeName&&(current?(missing=!1,reporter.onNodeUpdate(current)):
previous&&(missing=!0,this.#logger.warn(`Node ${name} was deleted from the API; its last known state stays in force`)))},
listed:cache=>{cache.size===0&&!missing&&(missing=!0,this.#logger.warn(`there is no Node ${name}; its zone and addresses\
 are unknown until there is, or until nodeName (the hostname override) names the one that this is`)),known()},unavailable:known}}};
function serviceCIDRListener(reporter){let listed=!1,changed=!1,report=cache=>reporter.onServiceCIDRsUpdate([...cache.values()].
flatMap(object=>readServiceCIDR(object).definition?.cidrs??[]));return{changed:()=>{changed=!0},settled:cache=>{changed&&
listed&&(changed=!1,report(cache))},listed:cache=>{listed=!0,report(cache)}}}import{randomBytes as randomBytes2}from"node:crypto";var FINAL=128,MASKED=128,RESERVED=112,MAX_CONTROL=125,WebSocketReader=class{maxBytes;#pending=Buffer.alloc(0);#fragments=[];#size=0;constructor(maxBytes){
this.maxBytes=maxBytes}read(data){this.#pending=this.#pending.length===0?data:Buffer.concat([this.#pending,data]);let events=[];
for(;;){let frame=this.#takeFrame();if(frame===void 0)return events;let event=this.#eventOf(frame);event!==void 0&&events.
push(event)}}#takeFrame(){let data=this.#pending;if(data.length<2)return;let[first=0,second=0]=data;if((first&RESERVED)!==
0||(second&MASKED)!==0)throw invalid("it sent a frame that a server must not send");let short=second&127,headerLength=short===
127?10:short===126?4:2;if(data.length<headerLength)return;let length=short===127?Number(data.readBigUInt64BE(2)):short===
126?data.readUInt16BE(2):short;if(length+this.#size>this.maxBytes)throw invalid(`it sent more than the ${this.maxBytes} \
bytes that are read`);if(data.length<headerLength+length)return;this.#pending=data.subarray(headerLength+length);let payload=data.
subarray(headerLength,headerLength+length);return{opcode:first&15,isFinal:(first&FINAL)!==0,payload}}#eventOf({opcode,isFinal,
payload}){if(opcode>=8){if(!isFinal||payload.length>MAX_CONTROL)throw invalid("it sent a control frame that is too long");
return opcode===8?{kind:"close"}:opcode===9?{kind:"ping",data:payload}:void 0}if(this.#fragments.push(payload),this.#size+=
payload.length,!isFinal)return;let message2=this.#fragments.length===1?payload:Buffer.concat(this.#fragments);return this.#fragments=
[],this.#size=0,{kind:"message",data:message2}}};function controlFrame(kind,payload,mask){let masked=Buffer.from(payload.
map((byte,index)=>byte^(mask[index%4]??0))),header=Buffer.from([FINAL|(kind==="close"?8:10),MASKED|payload.length]);return Buffer.
concat([header,mask,masked])}function invalid(what){return new ApiError("API_RESPONSE_INVALID",`the answer is no valid W\
ebSocket: ${what}`)}var PROTOCOL="v4.channel.k8s.io",STREAMS={stdout:1,stderr:2,status:3},MAX_OUTPUT_BYTES=64*1024*1024,PAGE_SIZE=500,MAX_PAGE_BYTES=64*
1024*1024,PodClient=class{#client;#timeout;constructor({userAgent,timeout=15e3,...credentials}){this.#timeout=timeout,this.#client=
new ApiClient({credentials:createApiCredentials({...credentials,clock:systemClock}),clock:systemClock,responseTimeout:timeout,
pageTimeout:timeout,maxPageBytes:MAX_PAGE_BYTES,userAgent})}async listPods(namespace,labelSelector,signal){let path=`/ap\
i/v1/namespaces/${encodeURIComponent(namespace)}/pods`;return(await this.#list(path,{labelSelector},signal)).flatMap(pod=>readPod(
pod)??[])}async listNodeNames(labelSelector,signal){return(await this.#list("/api/v1/nodes",{labelSelector},signal)).flatMap(
({metadata})=>isRecord(metadata)&&isText(metadata.name)?[metadata.name]:[])}async run({namespace,pod,container,command},signal){
let path=`/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/exec`,query=new URLSearchParams(
{container,stdout:"true",stderr:"true"});for(let word of command)query.append("command",word);let deadline=AbortSignal.any(
[signal,AbortSignal.timeout(this.#timeout)]);try{let{socket,head}=await this.#client.openWebSocket(path,query,[PROTOCOL],
deadline);return await new CommandOutput(socket).collect(head,deadline)}catch(error){throw deadline.aborted&&!signal.aborted?
new ApiError("API_SILENT",`no complete answer came within ${this.#timeout} ms`,{cause:error}):error}}close(){this.#client.
close()}async#list(path,selector,signal){let found=[],token="";do{let query=new URLSearchParams({...selector,limit:String(
PAGE_SIZE)});token!==""&&query.set("continue",token);let page=await this.#client.getPage(path,query,signal);if(!Array.isArray(
page.items))throw new ApiError("API_RESPONSE_INVALID","the response is not a list of objects");let before=found.length;found.
push(...page.items.filter(isRecord));let next=isRecord(page.metadata)&&isText(page.metadata.continue)?page.metadata.continue:
"";token=found.length>before?next:""}while(token!=="");return found}},CommandOutput=class{socket;#reader=new WebSocketReader(
MAX_OUTPUT_BYTES);#parts={stdout:[],stderr:[]};#size=0;constructor(socket){this.socket=socket}async collect(head,signal){
let{socket}=this,stop=()=>socket.destroy(new ApiError("API_SILENT","the command was aborted"));signal.addEventListener("\
abort",stop);try{return await new Promise((resolve,reject)=>{let take=data=>{try{let result=this.#read(data);result!==void 0&&
(socket.end(controlFrame("close",Buffer.alloc(0),randomBytes2(4))),resolve(result))}catch(error){reject(error)}};socket.
on("data",take),socket.on("error",reject),socket.on("close",()=>reject(cutOff())),socket.on("end",()=>reject(cutOff())),
signal.aborted&&stop(),take(head)})}finally{signal.removeEventListener("abort",stop),socket.on("error",()=>{}),socket.destroy()}}#read(data){
for(let event of this.#reader.read(data)){if(event.kind==="close")throw cutOff();if(event.kind==="ping"){this.socket.write(
controlFrame("pong",event.data,randomBytes2(4)));continue}let payload=event.data.subarray(1);switch(event.data[0]){case STREAMS.
stdout:this.#add("stdout",payload);break;case STREAMS.stderr:this.#add("stderr",payload);break;case STREAMS.status:return{
exitStatus:exitStatusOf(payload.toString("utf8")),...this.#texts()};default:break}}}#add(stream,payload){if(this.#size+=
payload.length,this.#size>MAX_OUTPUT_BYTES)throw new ApiError("API_RESPONSE_INVALID",`the command printed more than ${MAX_OUTPUT_BYTES}\
 bytes`);this.#parts[stream].push(payload)}#texts(){let{stdout,stderr}=this.#parts;return{stdout:Buffer.concat(stdout).toString(
"utf8"),stderr:Buffer.concat(stderr).toString("utf8")}}};function cutOff(){return new ApiError("API_UNREACHABLE","the co\
nnection was closed before the command had ended")}function exitStatusOf(text2){let status;try{status=JSON.parse(text2)}catch(error){
throw new ApiError("API_RESPONSE_INVALID",`the status of the command is not JSON: ${printable(messageOf(error))}`)}if(isRecord(
status)&&status.status==="Success")return 0;let details=isRecord(status)&&isRecord(status.details)?status.details:{},causes=Array.
isArray(details.causes)?details.causes.filter(isRecord):[],code=Number(causes.find(({reason})=>reason==="ExitCode")?.message??
Number.NaN);if(Number.isInteger(code)&&code!==0)return code;let message2=isRecord(status)&&isText(status.message)?printable(
status.message,500):"without a message";throw new ApiError("COMMAND_FAILED",`the command could not be run: ${message2}`)}
function readPod({metadata,spec,status}){if(!isRecord(metadata)||!isText(metadata.name)||!isText(metadata.namespace)||!isRecord(
spec))return;let containers=Array.isArray(spec.containers)?spec.containers.filter(isRecord):[],phase=isRecord(status)&&isText(
status.phase)?status.phase:"Unknown";return{namespace:metadata.namespace,name:metadata.name,nodeName:isText(spec.nodeName)?
spec.nodeName:"",phase:isText(metadata.deletionTimestamp)?"Terminating":phase,containers:containers.map(({name,command,args})=>({
name:isText(name)?name:"",args:[command,args].flatMap(list2=>Array.isArray(list2)?list2.filter(isText):[])}))}}function isForbidden(error){
return error instanceof ApiStatusError&&error.status===403}var Reflector=class{#options;#resource;#logger;#clock;#credentials;#abort=new AbortController;#synced;#settle;#connection;#cache;#isSynced=!1;#running;constructor(options){
this.#options=options,this.#resource=watchedResource(options),this.#logger=options.logger??silentLogger,this.#clock=options.
clock??systemClock,this.#credentials=createApiCredentials({...options,clock:this.#clock}),this.#synced=new Promise((resolve,reject)=>{
this.#settle={resolve,reject}}),this.#synced.catch(()=>{})}get synced(){return this.#synced}get isSynced(){return this.#isSynced}get size(){
return this.#cache?.size??0}get obstacle(){return this.#connection?.obstacle(this.#resource.name)}get(name,namespace){return this.#cache?.
get(name,namespace)}*values(){for(let object of this.#cache?.values()??[])yield object}async start(){let{signal}=this.#abort;
if(this.#running!==void 0||signal.aborted)throw new KubernetesError("SOURCE_IN_USE","this Reflector was started before; \
make a new one");let begin=()=>{};this.#running=new Promise(resolve=>{begin=resolve});try{await this.#credentials.get(signal)}catch(error){
if(!signal.aborted&&!(error instanceof KubernetesError&&error.code==="EXEC_PLUGIN_FAILED"))throw begin(),error}signal.aborted||
(this.#running=this.#run(signal)),begin()}async stop(){this.#abort.abort(),this.#settle?.reject(new KubernetesError("STO\
PPED","the Reflector was stopped before its cache was complete")),this.#connection?.close(),await this.#running}async#run(signal){
let{onChange,onSynced,watchList=!1}=this.#options,connection=new ApiConnection(this.#options,this.#credentials,this.#credentials.
server,this.#logger,this.#clock);this.#connection=connection,await connection.follow(this.#resource,watchList,{began:cache=>{
this.#cache=cache},changed:({previous,current})=>this.#call(()=>onChange?.(previous,current)),listed:()=>{this.#isSynced||
(this.#isSynced=!0,this.#settle?.resolve(),this.#call(()=>onSynced?.()))}},signal)}#call(callback){if(!this.#abort.signal.
aborted)try{callback()}catch(error){this.#logger.error(`${this.#resource.name}: a callback failed; continuing with the n\
ext change: ${messageOf(error)}`,{error})}}},API_VERSION=/^(?:[a-z0-9.-]+\/)?v[a-z0-9]+$/,PATH_SEGMENT=/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;
function watchedResource(options){let{resource,namespace,labelSelector,fieldSelector,keep}=options,{apiVersion,kind,plural}=resource,
parts=[plural,...namespace===void 0?[]:[namespace]],wrong=API_VERSION.test(apiVersion)?parts.find(part=>!PATH_SEGMENT.test(
part)):apiVersion;if(wrong!==void 0)throw new KubernetesError("RESOURCE_INVALID",`"${printable(wrong,60)}" cannot be par\
t of the URL of a resource; write it as in "kubectl api-resources"`);let isCore=!apiVersion.includes("/"),scope=namespace===
void 0?"":`/namespaces/${namespace}`;return{name:plural,kind,apiVersion,group:isCore?"":apiVersion.split("/")[0]??"",path:`\
/${isCore?"api":"apis"}/${apiVersion}${scope}/${plural}`,...labelSelector===void 0?{}:{labelSelector},...fieldSelector===
void 0?{}:{fieldSelector},shape:{...whole,take:object=>{let named=isRecord(object)?{apiVersion,kind,...object}:object;return keep?
keep(named):withoutManagedFields(named)}}}}function withoutManagedFields(object){if(!isRecord(object)||!isRecord(object.
metadata))return object;let{managedFields:_managedFields,...metadata}=object.metadata;return{...object,metadata}}async function checkApiAccess({timeout=5e3,nodeName,...options}){let clock=systemClock,credentials=createApiCredentials(
{...options,clock}),client=new ApiClient({credentials,clock,responseTimeout:timeout,pageTimeout:timeout,maxPageBytes:64*
1024*1024,userAgent:"kube-proxier"}),{signal}=new AbortController;try{let access=await Promise.all([SERVICES,ENDPOINT_SLICES,
ownNode(nodeName),SERVICE_CIDRS].map(async resource=>{let{name,path,fieldSelector,optional=!1}=resource,query=new URLSearchParams(
{limit:"1",...fieldSelector===void 0?{}:{fieldSelector}});try{let{items}=await client.getPage(path,query,signal);return{
resource:name,refusal:void 0,optional,found:Array.isArray(items)?items.length:0}}catch(error){return{resource:name,refusal:printable(
messageOf(error)),optional,found:0}}}));return{server:credentials.server,access}}finally{client.close()}}export{KubernetesError,MetricsAccessReviewer,EventRecorder,KubernetesSource,PodClient,isForbidden,Reflector,checkApiAccess};
//# sourceMappingURL=chunk-KHXMYMKB.js.map
