import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{EventLoopPace,ProxierError,addressNumber,assertNever,describePathRule,familyOf,finish,finishWithPauses,isProxierError,
isRecord,joinHostPort,listDifference,messageOf,parseAddress,pause}from"./chunk-4LHTYADA.js";import{aborted,callbackify,
debuglog,getSystemErrorMap,getSystemErrorName,inspect,isDeepStrictEqual,promisify,stripVTControlCharacters}from"./chunk-7IMJZ4UJ.js";
import{__commonJS,__require,__toESM}from"./chunk-VCSBMK2H.js";var require_windows=__commonJS({"node_modules/isexe/windows.js"(exports,module){module.exports=isexe;isexe.sync=sync;var fs=__require("fs");
function checkPathExt(path6,options){var pathext=options.pathExt!==void 0?options.pathExt:process.env.PATHEXT;if(!pathext||
(pathext=pathext.split(";"),pathext.indexOf("")!==-1))return!0;for(var i2=0;i2<pathext.length;i2++){var p=pathext[i2].toLowerCase();
if(p&&path6.substr(-p.length).toLowerCase()===p)return!0}return!1}function checkStat(stat,path6,options){return!stat.isSymbolicLink()&&
!stat.isFile()?!1:checkPathExt(path6,options)}function isexe(path6,options,cb){fs.stat(path6,function(er,stat){cb(er,er?
!1:checkStat(stat,path6,options))})}function sync(path6,options){return checkStat(fs.statSync(path6),path6,options)}}});var require_mode=__commonJS({"node_modules/isexe/mode.js"(exports,module){module.exports=isexe;isexe.sync=sync;var fs=__require("fs");
function isexe(path6,options,cb){fs.stat(path6,function(er,stat){cb(er,er?!1:checkStat(stat,options))})}function sync(path6,options){
return checkStat(fs.statSync(path6),options)}function checkStat(stat,options){return stat.isFile()&&checkMode(stat,options)}
function checkMode(stat,options){var mod=stat.mode,uid=stat.uid,gid=stat.gid,myUid=options.uid!==void 0?options.uid:process.
getuid&&process.getuid(),myGid=options.gid!==void 0?options.gid:process.getgid&&process.getgid(),u2=parseInt("100",8),g=parseInt(
"010",8),o2=parseInt("001",8),ug=u2|g,ret=mod&o2||mod&g&&gid===myGid||mod&u2&&uid===myUid||mod&ug&&myUid===0;return ret}}});var require_isexe=__commonJS({"node_modules/isexe/index.js"(exports,module){var fs=__require("fs"),core;process.platform===
"win32"||global.TESTING_WINDOWS?core=require_windows():core=require_mode();module.exports=isexe;isexe.sync=sync;function isexe(path6,options,cb){
if(typeof options=="function"&&(cb=options,options={}),!cb){if(typeof Promise!="function")throw new TypeError("callback \
not provided");return new Promise(function(resolve,reject){isexe(path6,options||{},function(er,is){er?reject(er):resolve(
is)})})}core(path6,options||{},function(er,is){er&&(er.code==="EACCES"||options&&options.ignoreErrors)&&(er=null,is=!1),
cb(er,is)})}function sync(path6,options){try{return core.sync(path6,options||{})}catch(er){if(options&&options.ignoreErrors||
er.code==="EACCES")return!1;throw er}}}});var require_which=__commonJS({"node_modules/which/which.js"(exports,module){var isWindows=process.platform==="win32"||process.
env.OSTYPE==="cygwin"||process.env.OSTYPE==="msys",path6=__require("path"),COLON=isWindows?";":":",isexe=require_isexe(),
getNotFoundError=cmd=>Object.assign(new Error(`not found: ${cmd}`),{code:"ENOENT"}),getPathInfo=(cmd,opt)=>{let colon=opt.
colon||COLON,pathEnv=cmd.match(/\//)||isWindows&&cmd.match(/\\/)?[""]:[...isWindows?[process.cwd()]:[],...(opt.path||process.
env.PATH||"").split(colon)],pathExtExe=isWindows?opt.pathExt||process.env.PATHEXT||".EXE;.CMD;.BAT;.COM":"",pathExt=isWindows?
pathExtExe.split(colon):[""];return isWindows&&cmd.indexOf(".")!==-1&&pathExt[0]!==""&&pathExt.unshift(""),{pathEnv,pathExt,
pathExtExe}},which=(cmd,opt,cb)=>{typeof opt=="function"&&(cb=opt,opt={}),opt||(opt={});let{pathEnv,pathExt,pathExtExe}=getPathInfo(
cmd,opt),found=[],step=i2=>new Promise((resolve,reject)=>{if(i2===pathEnv.length)return opt.all&&found.length?resolve(found):
reject(getNotFoundError(cmd));let ppRaw=pathEnv[i2],pathPart=/^".*"$/.test(ppRaw)?ppRaw.slice(1,-1):ppRaw,pCmd=path6.join(
pathPart,cmd),p=!pathPart&&/^\.[\\\/]/.test(cmd)?cmd.slice(0,2)+pCmd:pCmd;resolve(subStep(p,i2,0))}),subStep=(p,i2,ii)=>new Promise(
(resolve,reject)=>{if(ii===pathExt.length)return resolve(step(i2+1));let ext=pathExt[ii];isexe(p+ext,{pathExt:pathExtExe},
(er,is)=>{if(!er&&is)if(opt.all)found.push(p+ext);else return resolve(p+ext);return resolve(subStep(p,i2,ii+1))})});return cb?
step(0).then(res=>cb(null,res),cb):step(0)},whichSync=(cmd,opt)=>{opt=opt||{};let{pathEnv,pathExt,pathExtExe}=getPathInfo(
cmd,opt),found=[];for(let i2=0;i2<pathEnv.length;i2++){let ppRaw=pathEnv[i2],pathPart=/^".*"$/.test(ppRaw)?ppRaw.slice(1,
-1):ppRaw,pCmd=path6.join(pathPart,cmd),p=!pathPart&&/^\.[\\\/]/.test(cmd)?cmd.slice(0,2)+pCmd:pCmd;for(let j=0;j<pathExt.
length;j++){let cur=p+pathExt[j];try{if(isexe.sync(cur,{pathExt:pathExtExe}))if(opt.all)found.push(cur);else return cur}catch{}}}
if(opt.all&&found.length)return found;if(opt.nothrow)return null;throw getNotFoundError(cmd)};module.exports=which;which.
sync=whichSync}});var require_path_key=__commonJS({"node_modules/path-key/index.js"(exports,module){"use strict";var pathKey2=(options={})=>{
let environment=options.env||process.env;return(options.platform||process.platform)!=="win32"?"PATH":Object.keys(environment).
reverse().find(key=>key.toUpperCase()==="PATH")||"Path"};module.exports=pathKey2;module.exports.default=pathKey2}});var require_resolveCommand=__commonJS({"node_modules/cross-spawn/lib/util/resolveCommand.js"(exports,module){"use strict";
var path6=__require("path"),which=require_which(),getPathKey=require_path_key();function resolveCommandAttempt(parsed,withoutPathExt){
let env=parsed.options.env||process.env,cwd=process.cwd(),hasCustomCwd=parsed.options.cwd!=null,shouldSwitchCwd=hasCustomCwd&&
process.chdir!==void 0&&!process.chdir.disabled;if(shouldSwitchCwd)try{process.chdir(parsed.options.cwd)}catch{}let resolved;
try{resolved=which.sync(parsed.command,{path:env[getPathKey({env})],pathExt:withoutPathExt?path6.delimiter:void 0})}catch{}finally{
shouldSwitchCwd&&process.chdir(cwd)}return resolved&&(resolved=path6.resolve(hasCustomCwd?parsed.options.cwd:"",resolved)),
resolved}function resolveCommand(parsed){return resolveCommandAttempt(parsed)||resolveCommandAttempt(parsed,!0)}module.exports=
resolveCommand}});var require_escape=__commonJS({"node_modules/cross-spawn/lib/util/escape.js"(exports,module){"use strict";var metaCharsRegExp=/([()\][%!^"`<>&|;, *?])/g;
function escapeCommand(arg){return arg=arg.replace(metaCharsRegExp,"^$1"),arg}function escapeArgument(arg,doubleEscapeMetaChars){
return arg=`${arg}`,arg=arg.replace(/(?=(\\+?)?)\1"/g,'$1$1\\"'),arg=arg.replace(/(?=(\\+?)?)\1$/,"$1$1"),arg=`"${arg}"`,
arg=arg.replace(metaCharsRegExp,"^$1"),doubleEscapeMetaChars&&(arg=arg.replace(metaCharsRegExp,"^$1")),arg}module.exports.
command=escapeCommand;module.exports.argument=escapeArgument}});var require_shebang_regex=__commonJS({"node_modules/shebang-regex/index.js"(exports,module){"use strict";module.exports=
/^#!(.*)/}});var require_shebang_command=__commonJS({"node_modules/shebang-command/index.js"(exports,module){"use strict";var shebangRegex=require_shebang_regex();
module.exports=(string="")=>{let match=string.match(shebangRegex);if(!match)return null;let[path6,argument]=match[0].replace(
/#! ?/,"").split(" "),binary=path6.split("/").pop();return binary==="env"?argument:argument?`${binary} ${argument}`:binary}}});var require_readShebang=__commonJS({"node_modules/cross-spawn/lib/util/readShebang.js"(exports,module){"use strict";var fs=__require("fs"),
shebangCommand=require_shebang_command();function readShebang(command2){let buffer=Buffer.alloc(150),fd;try{fd=fs.openSync(
command2,"r"),fs.readSync(fd,buffer,0,150,0),fs.closeSync(fd)}catch{}return shebangCommand(buffer.toString())}module.exports=
readShebang}});var require_parse=__commonJS({"node_modules/cross-spawn/lib/parse.js"(exports,module){"use strict";var path6=__require("path"),
resolveCommand=require_resolveCommand(),escape=require_escape(),readShebang=require_readShebang(),isWin=process.platform===
"win32",isExecutableRegExp=/\.(?:com|exe)$/i,isCmdShimRegExp=/node_modules[\\/].bin[\\/][^\\/]+\.cmd$/i;function detectShebang(parsed){
parsed.file=resolveCommand(parsed);let shebang=parsed.file&&readShebang(parsed.file);return shebang?(parsed.args.unshift(
parsed.file),parsed.command=shebang,resolveCommand(parsed)):parsed.file}function parseNonShell(parsed){if(!isWin)return parsed;
let commandFile=detectShebang(parsed),needsShell=!isExecutableRegExp.test(commandFile);if(parsed.options.forceShell||needsShell){
let needsDoubleEscapeMetaChars=isCmdShimRegExp.test(commandFile);parsed.command=path6.normalize(parsed.command),parsed.command=
escape.command(parsed.command),parsed.args=parsed.args.map(arg=>escape.argument(arg,needsDoubleEscapeMetaChars));let shellCommand=[
parsed.command].concat(parsed.args).join(" ");parsed.args=["/d","/s","/c",`"${shellCommand}"`],parsed.command=process.env.
comspec||"cmd.exe",parsed.options.windowsVerbatimArguments=!0}return parsed}function parse(command2,args,options){args&&
!Array.isArray(args)&&(options=args,args=null),args=args?args.slice(0):[],options=Object.assign({},options);let parsed={
command:command2,args,options,file:void 0,original:{command:command2,args}};return options.shell?parsed:parseNonShell(parsed)}
module.exports=parse}});var require_enoent=__commonJS({"node_modules/cross-spawn/lib/enoent.js"(exports,module){"use strict";var isWin=process.platform===
"win32";function notFoundError(original,syscall){return Object.assign(new Error(`${syscall} ${original.command} ENOENT`),
{code:"ENOENT",errno:"ENOENT",syscall:`${syscall} ${original.command}`,path:original.command,spawnargs:original.args})}function hookChildProcess(cp,parsed){
if(!isWin)return;let originalEmit=cp.emit;cp.emit=function(name,arg1){if(name==="exit"){let err=verifyENOENT(arg1,parsed);
if(err)return originalEmit.call(cp,"error",err)}return originalEmit.apply(cp,arguments)}}function verifyENOENT(status,parsed){
return isWin&&status===1&&!parsed.file?notFoundError(parsed.original,"spawn"):null}function verifyENOENTSync(status,parsed){
return isWin&&status===1&&!parsed.file?notFoundError(parsed.original,"spawnSync"):null}module.exports={hookChildProcess,
verifyENOENT,verifyENOENTSync,notFoundError}}});var require_cross_spawn=__commonJS({"node_modules/cross-spawn/index.js"(exports,module){"use strict";var cp=__require("child_process"),
parse=require_parse(),enoent=require_enoent();function spawn2(command2,args,options){let parsed=parse(command2,args,options),
spawned=cp.spawn(parsed.command,parsed.args,parsed.options);return enoent.hookChildProcess(spawned,parsed),spawned}function spawnSync3(command2,args,options){
let parsed=parse(command2,args,options),result=cp.spawnSync(parsed.command,parsed.args,parsed.options);return result.error=
result.error||enoent.verifyENOENTSync(result.status,parsed),result}module.exports=spawn2;module.exports.spawn=spawn2;module.
exports.sync=spawnSync3;module.exports._parse=parse;module.exports._enoent=enoent}});function repliesComeFrom({reply},from){return from===void 0||reply.source===from.source&&reply.sourcePort===from.sourcePort}
var ConntrackError=class extends ProxierError{constructor(code,message6,options){super(code,message6,options)}};var NETLINK_PROTOCOLS={route:0,"socket-diag":4,netfilter:12,generic:16},NETLINK_FLAGS={request:1,multi:2,ack:4,echo:8,dumpInterrupted:16,
dump:768,exclusive:512,create:1024};var NetlinkError=class extends ProxierError{constructor(code,message6,options){super(code,message6,options)}},NetlinkRefused=class extends NetlinkError{errno;errnoName;constructor(errno,what){
let name=errnoName(errno);super("NETLINK_REFUSED",`the kernel refused to ${what}: ${name}${hintFor(name)}`),this.errno=errno,
this.errnoName=name}},IPSET_ERRORS={4097:"IPSET_PROTOCOL",4098:"IPSET_FIND_TYPE",4099:"IPSET_MAX_SETS",4100:"IPSET_BUSY",
4101:"IPSET_EXIST_SETNAME2",4102:"IPSET_TYPE_MISMATCH",4103:"IPSET_EXIST",4104:"IPSET_INVALID_CIDR",4105:"IPSET_INVALID_\
NETMASK",4106:"IPSET_INVALID_FAMILY",4107:"IPSET_TIMEOUT",4108:"IPSET_REFERENCED",4109:"IPSET_IPADDR_IPV4",4110:"IPSET_I\
PADDR_IPV6",4352:"IPSET_HASH_FULL"};function errnoName(errno){let own=IPSET_ERRORS[errno];if(own!==void 0)return own;try{
return getSystemErrorName(-errno)}catch{return`ERRNO_${errno}`}}function hintFor(name){switch(name){case"EPERM":return" \
(this process lacks CAP_NET_ADMIN)";case"IPSET_FIND_TYPE":return" (the kernel lacks this type of set, or its module cann\
ot be loaded)";case"IPSET_HASH_FULL":return" (the set holds as much as it may)";default:return""}}import{endianness}from"node:os";var LITTLE=endianness()==="LE",NESTED=32768,NET_BYTE_ORDER=16384,TYPE_MASK=16383,HEADER=4;
function align(length){return length+3&-4}function lengthOf({value}){return HEADER+(value instanceof Uint8Array?value.length:
attributesLength(value))}function attributesLength(attributes2){let length=0;for(let attribute of attributes2)length+=align(
lengthOf(attribute));return length}function encodeAttributes(attributes2,head=new Uint8Array){let start2=align(head.length),
buffer=Buffer.alloc(start2+attributesLength(attributes2));return buffer.set(head),writeAttributes(buffer,start2,attributes2),
buffer}function writeAttributes(buffer,start2,attributes2){let at=start2;for(let attribute of attributes2){let{type,value,
netByteOrder=!1}=attribute,flat=value instanceof Uint8Array;if(writeU16(buffer,type|(flat?0:NESTED)|(netByteOrder?NET_BYTE_ORDER:
0),at+2),flat)buffer.set(value,at+HEADER),writeU16(buffer,HEADER+value.length,at),at+=align(HEADER+value.length);else{let end=writeAttributes(
buffer,at+HEADER,value);writeU16(buffer,end-at,at),at=end}}return at}function readAttributes(buffer){let found=[];for(let at=0;at+
HEADER<=buffer.length;){let length=readU16(buffer,at);if(length<HEADER||at+length>buffer.length)break;found.push([readU16(
buffer,at+2)&TYPE_MASK,buffer.subarray(at+HEADER,at+length)]),at+=align(length)}return found}function findAttribute(buffer,type,start2,end){
for(let at=start2;at+HEADER<=end;){let length=readU16(buffer,at);if(length<HEADER||at+length>end)return-1;if((readU16(buffer,
at+2)&TYPE_MASK)===type)return at;at+=align(length)}return-1}function attributeEnd(buffer,at){return at+readU16(buffer,at)}
function attributeMap(buffer){return new Map(readAttributes(buffer))}function writeU16(buffer,value,at){LITTLE?buffer.writeUInt16LE(
value,at):buffer.writeUInt16BE(value,at)}function readU16(buffer,at){return LITTLE?buffer.readUInt16LE(at):buffer.readUInt16BE(
at)}function writeU32(buffer,value,at){LITTLE?buffer.writeUInt32LE(value>>>0,at):buffer.writeUInt32BE(value>>>0,at)}function readU32(buffer,at){
return LITTLE?buffer.readUInt32LE(at):buffer.readUInt32BE(at)}function u8(value){return Buffer.of(value)}function u16(value){
let buffer=Buffer.alloc(2);return writeU16(buffer,value,0),buffer}function u32(value){let buffer=Buffer.alloc(4);return writeU32(
buffer,value,0),buffer}function be16(value){return Buffer.of(value>>>8,value&255)}function be32(value){let buffer=Buffer.
alloc(4);return buffer.writeUInt32BE(value>>>0),buffer}function cString(text){return Buffer.from(`${text}\0`,"latin1")}function asU8(value){
return value?.[0]??0}function asU16(value){return value===void 0||value.length<2?0:readU16(value,0)}function asU32(value,at=0){
return value===void 0||value.length<at+4?0:readU32(value,at)}function asU64(value){return value===void 0||value.length<8?
0:Number(LITTLE?value.readBigUInt64LE(0):value.readBigUInt64BE(0))}function asBe16(value){return value===void 0||value.length<
2?0:value.readUInt16BE(0)}function asBe32(value,at=0){return value===void 0||value.length<at+4?0:value.readUInt32BE(at)}
function asText(value){let end=value?.indexOf(0)??-1;return value?.toString("latin1",0,end<0?value.length:end)??""}var CLONE_NEWNET=1073741824,O_CLOEXEC=524288,NEW_NAMESPACE="new";function inNamespace(libc,namespace,work){if(namespace===
void 0)return work();let own=libc.open("/proc/thread-self/ns/net",O_CLOEXEC),isNew=namespace===NEW_NAMESPACE,other=isNew?
-1:libc.open(namespace,O_CLOEXEC);try{if(own<0||(isNew?libc.unshare(CLONE_NEWNET)<0:other<0||libc.setns(other,CLONE_NEWNET)<
0))throw new Error(`${namespace} cannot be entered: ${errnoName(libc.errno())}`);try{return work()}finally{libc.setns(own,
CLONE_NEWNET)<0&&process.abort()}}finally{for(let fd of[own,other])fd>=0&&libc.close(fd)}}var RECEIVE_BUFFER=1024*1024,AF_NETLINK=16,SOCK_RAW_CLOEXEC_NONBLOCK=526339,SOL_SOCKET=1,SO_RCVBUF=8;function openSocket(libc,protocol,{
namespace,receiveBuffer=RECEIVE_BUFFER},groups=0){return inNamespace(libc,namespace,()=>openHere(libc,protocol,receiveBuffer,
groups))}function openHere(libc,protocol,receiveBuffer,groups){let fd=libc.socket(AF_NETLINK,SOCK_RAW_CLOEXEC_NONBLOCK,NETLINK_PROTOCOLS[protocol]);
if(fd<0)throw new Error(`socket: ${errnoName(libc.errno())}`);let address2=Buffer.concat([u16(AF_NETLINK),Buffer.alloc(6),
u32(groups)]),size=u32(receiveBuffer);if(libc.bind(fd,address2,address2.length)<0||libc.setsockopt(fd,SOL_SOCKET,SO_RCVBUF,
size,size.length)<0){let errno=libc.errno();throw libc.close(fd),new Error(`bind: ${errnoName(errno)}`)}return fd}function unavailable(protocol,cause,other){
let also=other===void 0?"":`; ${other}`;return new NetlinkError("NETLINK_UNAVAILABLE",`netlink (${protocol}) cannot be u\
sed here: ${messageOf(cause)}${also}`,{cause})}function lostAnswer(why){return new NetlinkError("NETLINK_LOST",`an answe\
r of the kernel was lost (${why}); read back the current state`)}function tooLarge(bytes2,advice){return new NetlinkError(
"NETLINK_REFUSED",`${bytes2} bytes are too many for one transaction here; ${advice}`)}var MAX_IN_FLIGHT=100,MAX_BYTES=64*1024,HEADER2=16,ANSWER_SIZE=8704;function refusalSize(message6){let content=384+message6;
return 2**Math.ceil(Math.log2(content))+512}function nextBatch(requests,from,capacity=Number.POSITIVE_INFINITY){let bytes2=0,
answers2=refusalSize(0),end=from;for(;end<requests.length&&end-from<MAX_IN_FLIGHT;){let size=HEADER2+align(requests[end].
payload.length);if(bytes2+=size,answers2+=Math.max(ANSWER_SIZE,refusalSize(size)),end>from&&(bytes2>MAX_BYTES||answers2>
capacity))break;end++}return requests.slice(from,end)}function encodeMessages(requests,first,lastFlags){let length=requests.
reduce((sum,{payload:payload2})=>sum+HEADER2+align(payload2.length),0),buffer=Buffer.alloc(length),at=0;for(let[index,{type,
flags,payload:payload2}]of requests.entries()){let isLast=index===requests.length-1;writeU32(buffer,HEADER2+payload2.length,
at),writeU16(buffer,type,at+4),writeU16(buffer,flags|NETLINK_FLAGS.request|(isLast?lastFlags:0),at+6),writeU32(buffer,first+
index,at+8),buffer.set(payload2,at+HEADER2),at+=HEADER2+align(payload2.length)}return buffer}var MSG_TRUNC=32,[EINTR,EAGAIN,EMSGSIZE]=[4,11,90],SOL_SOCKET2=1,SO_SNDBUF=7,SO_SNDBUFFORCE=32,SO_RCVBUFFORCE=33,SOL_NETLINK=270,
NETLINK_CAP_ACK=10,NETLINK_EXT_ACK=11,SEND_BUFFER=128*1024,sending=0;function openKoffiSocket(libc,protocol,options={}){
try{return new KoffiSocket(libc,openSocket(libc,protocol,options),options)}catch(error){throw unavailable(protocol,error)}}
var KoffiSocket=class{libc;fd;transport="koffi";portId;capacity=void 0;isAnsweredAtOnce=!0;#buffer=Buffer.alloc(MAX_BYTES);received=this.#buffer.
subarray(0,0);#sendBuffer=SEND_BUFFER;constructor(libc,fd,{forcedReceiveBuffer,isExplaining=!1}){this.libc=libc,this.fd=
fd;for(let option of isExplaining?[NETLINK_CAP_ACK,NETLINK_EXT_ACK]:[])libc.setsockopt(fd,SOL_NETLINK,option,u32(1),4);forcedReceiveBuffer!==
void 0&&libc.setsockopt(fd,SOL_SOCKET2,SO_RCVBUFFORCE,u32(forcedReceiveBuffer),4);let address2=Buffer.alloc(12);libc.getsockname(
fd,address2,u32(address2.length)),this.portId=readU32(address2,4)}send(bytes2,inBackground=!1){return inBackground||sending>
0||bytes2.length>SEND_BUFFER?this.#sendInBackground(bytes2):this.#sendAll(bytes2)}receive(){for(;;){let length=this.libc.
recv(this.fd,this.#buffer,this.#buffer.length,MSG_TRUNC);if(length>this.#buffer.length)throw lostAnswer("it was cut shor\
t");if(length>=0)return this.received=this.#buffer.subarray(0,length),!0;let errno=this.libc.errno();if(errno===EAGAIN)return!1;
if(errno!==EINTR)throw lostAnswer(errnoName(errno))}}arrival(){return new Promise(resolve=>setTimeout(resolve,1))}othersTurn(){
return new Promise(resolve=>setImmediate(resolve))}close(){this.libc.close(this.fd)}async#sendInBackground(bytes2){this.#provideBuffer(
bytes2.length),sending+=1;try{if(await this.libc.sendInBackground(this.fd,bytes2,bytes2.length,0)>=0)return}finally{sending-=
1}this.#sendAll(bytes2)}#sendAll(bytes2){for(;this.libc.send(this.fd,bytes2,bytes2.length,0)<0;){let errno=this.libc.errno();
if(errno===EMSGSIZE)throw tooLarge(bytes2.length,"raise the sysctl net.core.wmem_max");if(errno!==EINTR)throw lostAnswer(
`sending failed with ${errnoName(errno)}`)}}#provideBuffer(length){if(length<=this.#sendBuffer)return;let size=u32(length+
MAX_BYTES);this.libc.setsockopt(this.fd,SOL_SOCKET2,SO_SNDBUFFORCE,size,size.length)<0&&this.libc.setsockopt(this.fd,SOL_SOCKET2,
SO_SNDBUF,size,size.length),this.#sendBuffer=length}};var SIGNATURES={socket:"int socket(int, int, int)",bind:"int bind(int, const void *, unsigned int)",connect:"int connect\
(int, const void *, unsigned int)",poll:"int poll(void *, unsigned long, int)",setsockopt:"int setsockopt(int, int, int,\
 const void *, unsigned int)",getsockopt:"int getsockopt(int, int, int, void *, void *)",getsockname:"int getsockname(in\
t, void *, void *)",send:"long send(int, const void *, size_t, int)",recv:"long recv(int, void *, size_t, int)",open:"in\
t open(const char *, int)",setns:"int setns(int, int)",unshare:"int unshare(int)",close:"int close(int)",fcntl:"int fcnt\
l(int, int, int)",eventfd:"int eventfd(unsigned int, int)",write:"long write(int, const void *, size_t)",capget:"int cap\
get(void *, void *)",capset:"int capset(void *, const void *)",getxattr:"long getxattr(const char *, const char *, void \
*, size_t)",madvise:"int madvise(uintptr_t, size_t, int)"},loaded,bound;function loadedLibc(){return bound}function loadLibc(){
return loaded??=bindLibc().catch(error=>{throw loaded=void 0,error}),loaded}async function bindLibc(){let{default:koffi}=await import("koffi"),
library=koffi.load(null),functions=Object.fromEntries(Object.entries(SIGNATURES).map(([name,signature])=>[name,library.func(
signature)])),send=library.func(SIGNATURES.send),mallocTrim=optional(()=>library.func("int malloc_trim(size_t)"));return bound=
{...functions,...mallocTrim?{mallocTrim}:{},errno:()=>koffi.errno(),sendInBackground:(...request2)=>new Promise((resolve,reject)=>{
send.async(...request2,(error,sent)=>error?reject(error):resolve(Number(sent)))})},bound}function optional(bind){try{return bind()}catch{
return}}var BUFFER=8*1024*1024,LEAST=4*ANSWER_SIZE,ADVICE="raise the sysctl net.core.wmem_max, or install the package koffi",MOMENT=50;
async function openPackageSocket(protocol,{namespace,receiveBuffer=BUFFER}){try{let{RawNetlinkSocket:Socket3}=await import("netlink"),
open=()=>new Socket3(NETLINK_PROTOCOLS[protocol],{recvBufferSize:Math.max(receiveBuffer,LEAST),sendBufferSize:BUFFER}),socket=namespace===
void 0?open():inNamespace(await libcFor(namespace),namespace,open);if(socket.getRecvBufferSize()<LEAST)throw socket.close(),
new Error(`the receive buffer of a socket is limited to less than ${LEAST} bytes (net.core.rmem_max)`);return new PackageSocket(
socket)}catch(error){throw unavailable(protocol,error)}}async function libcFor(namespace){try{return await loadLibc()}catch(error){
throw new Error(`without koffi, sockets cannot be opened in ${namespace}`,{cause:error})}}var PackageSocket=class{socket;transport="\
netlink";portId;capacity;isAnsweredAtOnce=!1;received=Buffer.alloc(0);#queue=[];#failure;#isClosed=!1;#wake=()=>{};constructor(socket){
this.socket=socket,this.portId=socket.address().port,this.capacity=socket.getRecvBufferSize(),socket.on("message",message6=>{
this.#queue.push(message6),this.#wake()}),socket.on("error",error=>this.#fail(error)),socket.unref()}send(bytes2){return new Promise(
(resolve,reject)=>{try{this.socket.send(bytes2,{},error=>{error===void 0?setImmediate(resolve):error.code==="EMSGSIZE"?setImmediate(
reject,tooLarge(bytes2.length,ADVICE)):setImmediate(reject,lostAnswer(error.message))})}catch(error){throw lostAnswer(messageOf(
error))}})}receive(){let next=this.#queue.shift();if(next!==void 0)return this.received=next,!0;let failure2=this.#failure;
if(failure2!==void 0)throw this.#failure=void 0,lostAnswer(failure2.message);return!1}async arrival(){this.#queue.length>
0||this.#failure!==void 0||(await new Promise(resolve=>{let timer=setTimeout(resolve,MOMENT);this.#wake=()=>{clearTimeout(
timer),setImmediate(resolve)}}),this.#wake=()=>{})}async othersTurn(){this.#queue.length===0&&await new Promise(resolve=>setImmediate(
resolve))}close(){this.#isClosed||(this.#isClosed=!0,this.socket.close())}#fail(error){this.#failure=error,this.#wake()}};async function openDatagramSocket(protocol,options={}){let{transport}=options;if(transport==="netlink")return openPackageSocket(
protocol,options);let libc;try{libc=await loadLibc()}catch(error){if(transport==="koffi")throw unavailable(protocol,error);
return openInPlaceOfKoffi(protocol,options,error)}return openKoffiSocket(libc,protocol,options)}async function openInPlaceOfKoffi(protocol,options,why){
try{return await openPackageSocket(protocol,options)}catch(error){throw unavailable(protocol,why,messageOf(error))}}async function chooseNetlinkTransport(protocol,options={}){
let socket=await openDatagramSocket(protocol,options),{transport}=socket;if(socket.close(),transport==="koffi")return{transport};
let reason=await loadLibc().then(()=>{},messageOf);return{transport,...reason===void 0?{}:{reason:`koffi cannot be loade\
d: ${reason}`}}}var TIMEOUT=2e4,ERROR=2,DONE=3,EPERM=1,NetlinkSocket=class{protocol;options;#socket;#queue=Promise.resolve();#sequence=1;#closed=!1;constructor(protocol,options={}){
this.protocol=protocol,this.options=options}async execute(requests,{inBackground=!1}={}){let results=[];return await this.#inBatches(
requests,async batch=>{let{first,errors}=await this.#converse(batch,{lastFlags:NETLINK_FLAGS.ack,inBackground});results.
push(...batch.map((_request,index)=>errors.get(first+index)??0))}),results}async request(request2){let answers2=[],dump=(request2.
flags&NETLINK_FLAGS.dump)===NETLINK_FLAGS.dump,lastFlags=dump?0:NETLINK_FLAGS.ack;return await this.#askOne(request2,{dump,
lastFlags,take:answer=>answers2.push(copyOf(answer))}),answers2}async requestEach(requests){let results=[];return await this.#inBatches(
requests,async batch=>{let answers2=new Map,{first,errors}=await this.#converse(batch,{lastFlags:NETLINK_FLAGS.ack,take:(answer,sequence)=>answers2.
set(sequence,copyOf(answer))});results.push(...batch.map((_request,index)=>errors.get(first+index)??answers2.get(first+index)??
0))}),results}async dump(request2,take){await this.#askOne(request2,{dump:!0,patient:!0,take})}close(){this.#closed=!0,this.#inTurn(
async()=>this.#drop())}#askOne(request2,conversation){return this.#inTurn(async()=>{let{first,errors}=await this.#converse(
[request2],conversation),errno=errors.get(first)??0;if(errno!==0)throw new NetlinkRefused(errno,`answer (netlink ${this.
protocol}, message type ${request2.type})`)})}#inBatches(requests,work){return this.#inTurn(async()=>{for(let from=0;from<
requests.length;){let batch=nextBatch(requests,from,(await this.#open()).capacity);await work(batch),from+=batch.length,
from<requests.length&&await othersTurn()}})}#inTurn(work){let result=this.#queue.then(work);return this.#queue=result.catch(
()=>{}),result}async#converse(requests,{lastFlags=0,dump=!1,patient=!1,inBackground=!1,take=()=>{}}){let socket=await this.#open(),
first=this.#sequence,last=first+requests.length-1;this.#sequence=last>2147418112?1:last+1;let exchange={first,last,dump,
take,errors:new Map,done:!1};try{await socket.send(encodeMessages(requests,first,lastFlags),inBackground);let timeout=this.
options.timeout??TIMEOUT,deadline=performance.now()+timeout,isQuiet=!1;for(;!exchange.done;){if(socket.receive()){isQuiet=
!1,receiveAll(exchange,socket.received),patient&&(await socket.othersTurn(),deadline=performance.now()+timeout);continue}
if(isQuiet&&exchange.errors.get(first)===EPERM){refuseAll(exchange,EPERM);break}if(performance.now()>deadline)throw lostAnswer(
"none came in time");await socket.arrival(),isQuiet=!0}return exchange}catch(error){throw this.#drop(),error}}async#open(){
if(this.#closed)throw new NetlinkError("NETLINK_CLOSED","the netlink socket was closed");return this.#socket??=await openDatagramSocket(
this.protocol,this.options),this.#socket}#drop(){this.#socket?.close(),this.#socket=void 0}};function receiveAll(exchange,datagram){
for(let at=0;at+HEADER2<=datagram.length;){let size=readU32(datagram,at);if(size<HEADER2||at+size>datagram.length)throw lostAnswer(
"it could not be read");receive(exchange,datagram.subarray(at,at+size)),at+=align(size)}}function receive(exchange,message6){
let type=readU16(message6,4),sequence=readU32(message6,8);if(sequence<exchange.first||sequence>exchange.last)return;if((readU16(
message6,6)&NETLINK_FLAGS.dumpInterrupted)!==0)throw lostAnswer("what was being listed changed meanwhile");if(type!==ERROR&&
!(type===DONE&&exchange.dump)){exchange.take({type,payload:message6.subarray(HEADER2)},sequence);return}let errno=message6.
length>=HEADER2+4?-(readU32(message6,HEADER2)|0):0;errno>0&&exchange.errors.set(sequence,errno),exchange.done||=sequence===
exchange.last}function refuseAll({first,last,errors},errno){for(let sequence=first;sequence<=last;sequence++)errors.set(
sequence,errno)}function copyOf({type,payload:payload2}){return{type,payload:Buffer.from(payload2)}}function othersTurn(){
return new Promise(resolve=>setImmediate(resolve))}var ADDRESS_FAMILIES={IPv4:2,IPv6:10},PROTOCOL_NUMBERS={TCP:6,UDP:17,SCTP:132};function familyOfNumber(number2){return number2===
2?"IPv4":number2===10?"IPv6":void 0}function addressBytes(address2){if(!address2.includes(":"))return Buffer.from(address2.
split(".").map(Number));let[head="",tail]=address2.split("::"),words=text=>text?text.split(":").map(word=>Number.parseInt(
word,16)):[],left=words(head),right=words(tail),zeros=tail===void 0?0:8-left.length-right.length,buffer=Buffer.alloc(16);
for(let[index,word]of[...left,...Array(zeros).fill(0),...right].entries())buffer.writeUInt16BE(word,index*2);return buffer}
function addressText(bytes2,family){if(family==="IPv4")return`${bytes2[0]??0}.${bytes2[1]??0}.${bytes2[2]??0}.${bytes2[3]??
0}`;let words=Array.from({length:8},(_,index)=>bytes2.readUInt16BE(index*2)),best={at:-1,length:1};for(let at=0;at<8;at++){
let length=0;for(;words[at+length]===0;)length++;length>best.length&&(best={at,length})}let hex2=part=>part.map(word=>word.
toString(16)).join(":");return best.at<0?hex2(words):`${hex2(words.slice(0,best.at))}::${hex2(words.slice(best.at+best.length))}`}var CONNTRACK_COMMANDS={get:1,delete:2,statistics:5};function conntrackMessageType(command2){return 256|CONNTRACK_COMMANDS[command2]}
var FLOW={original:1,reply:2,id:12,zone:18,filter:25},TUPLE={address:1,protocol:2,zone:3},ADDRESS={IPv4:{source:1,destination:2,
length:4},IPv6:{source:3,destination:4,length:16}},PROTOCOL={number:1,sourcePort:2,destinationPort:3},FILTER={originalFlags:1,
replyFlags:2},BY={source:1,destination:2,protocol:8,sourcePort:16,destinationPort:32},STATISTICS={entries:1},HEAD=4,ATTRIBUTE_HEAD=4;
function message(family,attributes2){return encodeAttributes(attributes2,Buffer.of(family===void 0?0:ADDRESS_FAMILIES[family],
0,0,0))}function encodeStatisticsRequest(){return message(void 0,[])}function encodeListRequest(family,protocol,repliesFrom){
if(protocol===void 0)return message(family,[]);let number2={type:PROTOCOL.number,value:u8(PROTOCOL_NUMBERS[protocol])};if(repliesFrom!==
void 0){let port={type:PROTOCOL.sourcePort,value:be16(repliesFrom.sourcePort)},protocolAndPort={type:TUPLE.protocol,value:[
number2,port]},filter=flags2=>({type:FLOW.filter,value:[{type:FILTER.replyFlags,value:u32(flags2)}]}),flags=BY.protocol|
BY.sourcePort;if(family==="IPv6")return message(family,[{type:FLOW.reply,value:[protocolAndPort]},filter(flags)]);let address2={
type:ADDRESS[family].source,value:addressBytes(repliesFrom.source)};return message(family,[{type:FLOW.reply,value:[{type:TUPLE.
address,value:[address2]},protocolAndPort]},filter(flags|BY.source)])}return message(family,[{type:FLOW.original,value:[
{type:TUPLE.protocol,value:[number2]}]},{type:FLOW.filter,value:[{type:FILTER.originalFlags,value:u32(BY.protocol)}]}])}
function encodeFlowRequest({family,protocol,original,zone}){return message(family,[tuple(FLOW.original,family,protocol,original),
...zoneOf(zone)])}function encodeDeletion({entry:{family,protocol,reply},id,replyZone}){return message(family,[tuple(FLOW.
reply,family,protocol,reply),{type:FLOW.id,value:be32(id)},...zoneOf(replyZone)])}function encodeDeletionOfTranslated(family,protocol,{
destination:destination2,destinationPort,source,sourcePort}){let numbers=ADDRESS[family],number2={type:PROTOCOL.number,value:u8(
PROTOCOL_NUMBERS[protocol])};return message(family,[{type:FLOW.original,value:[{type:TUPLE.address,value:[{type:numbers.
destination,value:addressBytes(destination2)}]},{type:TUPLE.protocol,value:[number2,{type:PROTOCOL.destinationPort,value:be16(
destinationPort)}]}]},{type:FLOW.reply,value:[{type:TUPLE.address,value:[{type:numbers.source,value:addressBytes(source)}]},
{type:TUPLE.protocol,value:[number2,{type:PROTOCOL.sourcePort,value:be16(sourcePort)}]}]},{type:FLOW.filter,value:[{type:FILTER.
originalFlags,value:u32(BY.destination|BY.protocol|BY.destinationPort)},{type:FILTER.replyFlags,value:u32(BY.source|BY.protocol|
BY.sourcePort)}]}])}function decodeStatistics(payload2){let at=findAttribute(payload2,STATISTICS.entries,HEAD,payload2.length);
return valueLength(payload2,at)===4?payload2.readUInt32BE(at+ATTRIBUTE_HEAD):void 0}function zoneOf(zone){return zone===0?[]:[{type:FLOW.zone,value:be16(zone)}]}function tuple(type,family,protocol,{source,
sourcePort,destination:destination2,destinationPort},more=[]){let numbers=ADDRESS[family],addresses=[{type:numbers.source,
value:addressBytes(source)},{type:numbers.destination,value:addressBytes(destination2)}],ports=[{type:PROTOCOL.number,value:u8(
PROTOCOL_NUMBERS[protocol])},{type:PROTOCOL.sourcePort,value:be16(sourcePort)},{type:PROTOCOL.destinationPort,value:be16(
destinationPort)}];return{type,value:[{type:TUPLE.address,value:addresses},{type:TUPLE.protocol,value:ports},...more]}}function decodeEntry(payload2,family,protocol){
if(payload2.length<HEAD||familyOfNumber(payload2[0]??0)!==family)return;let originalAt=findAttribute(payload2,FLOW.original,
HEAD,payload2.length),original=readTuple(payload2,originalAt,family,protocol);if(original===void 0)return;let reply=readTuple(
payload2,findAttribute(payload2,FLOW.reply,HEAD,payload2.length),family,protocol);if(reply!==void 0)return{family,protocol,
original,reply,zone:readZone(payload2,originalAt)}}function decodeFlow(payload2,family,protocol){let entry=decodeEntry(payload2,
family,protocol),idAt=findAttribute(payload2,FLOW.id,HEAD,payload2.length);if(entry===void 0||valueLength(payload2,idAt)!==
4)return;let replyAt=findAttribute(payload2,FLOW.reply,HEAD,payload2.length);return{entry,id:payload2.readUInt32BE(idAt+
ATTRIBUTE_HEAD),replyZone:readZone(payload2,replyAt)}}function readZone(payload2,tupleAt){let wholeAt=findAttribute(payload2,
FLOW.zone,HEAD,payload2.length),at=wholeAt>=0?wholeAt:findInside(payload2,TUPLE.zone,tupleAt);return valueLength(payload2,
at)===2?payload2.readUInt16BE(at+ATTRIBUTE_HEAD):0}function readTuple(payload2,at,family,protocol){let protocolAt=findInside(
payload2,TUPLE.protocol,at),numberAt=findInside(payload2,PROTOCOL.number,protocolAt);if(valueLength(payload2,numberAt)!==
1||payload2[numberAt+ATTRIBUTE_HEAD]!==PROTOCOL_NUMBERS[protocol])return;let{source,destination:destination2,length}=ADDRESS[family],
addressAt=findInside(payload2,TUPLE.address,at),sourceAt=findInside(payload2,source,addressAt),destinationAt=findInside(
payload2,destination2,addressAt),sourcePortAt=findInside(payload2,PROTOCOL.sourcePort,protocolAt),destinationPortAt=findInside(
payload2,PROTOCOL.destinationPort,protocolAt);if(valueLength(payload2,sourceAt)!==length||valueLength(payload2,destinationAt)!==
length||valueLength(payload2,sourcePortAt)!==2||valueLength(payload2,destinationPortAt)!==2)return;let address2=position=>readAddress(
payload2,position+ATTRIBUTE_HEAD,length,family);return{source:address2(sourceAt),sourcePort:payload2.readUInt16BE(sourcePortAt+
ATTRIBUTE_HEAD),destination:address2(destinationAt),destinationPort:payload2.readUInt16BE(destinationPortAt+ATTRIBUTE_HEAD)}}
function readAddress(payload2,at,length,family){return family==="IPv4"?`${payload2[at]}.${payload2[at+1]}.${payload2[at+
2]}.${payload2[at+3]}`:addressText(payload2.subarray(at,at+length),family)}function findInside(payload2,type,outerAt){return outerAt<
0?-1:findAttribute(payload2,type,outerAt+ATTRIBUTE_HEAD,attributeEnd(payload2,outerAt))}function valueLength(payload2,at){
return at<0?-1:attributeEnd(payload2,at)-at-ATTRIBUTE_HEAD}var PROTOCOLS={tcp:"TCP",udp:"UDP",sctp:"SCTP"};function parseConntrackList(text){return text.split(`
`).flatMap(line=>parseConntrackLine(line)??[])}function parseConntrackLine(line){let name=/^(?:ipv[46]\s+\d+\s+)?([a-z]+)\s+\d+\s/.
exec(line)?.[1],protocol=name===void 0?void 0:PROTOCOLS[name],original=parseTuple(line,0),reply=parseTuple(line,1);if(!protocol||
!original||!reply)return;let zone=Number(/\szone(?:-orig)?=(\d+)/.exec(line)?.[1]??0);return{family:familyOf(original.source),
protocol,original,reply,zone}}function parseTuple(line,direction){let value=key=>[...line.matchAll(new RegExp(`\\s${key}\
=(\\S+)`,"g"))][direction]?.[1]??"",source=parseAddress(value("src"))?.text,destination2=parseAddress(value("dst"))?.text,
sourcePort=Number.parseInt(value("sport"),10),destinationPort=Number.parseInt(value("dport"),10);if(!(!source||!destination2||
Number.isNaN(sourcePort)||Number.isNaN(destinationPort)))return{source,sourcePort,destination:destination2,destinationPort}}
function conntrackArguments(entry){let{original,reply}=entry;return[["-p",entry.protocol.toLowerCase()],["-s",original.source],
["-d",original.destination],["-r",reply.source],["-q",reply.destination],["--sport",`${original.sourcePort}`],["--dport",
`${original.destinationPort}`],["--reply-port-src",`${reply.sourcePort}`],["--reply-port-dst",`${reply.destinationPort}`],
["-w",`${entry.zone}`]].flat()}function conntrackKey(entry){return conntrackArguments(entry).join(" ")}var EPERM2=1,ENOENT=2,EINVAL=22,EOPNOTSUPP=95,NOT_THERE=[EINVAL,EOPNOTSUPP],ATTEMPTS=5,MAX_AT_ONCE=1e3,ConntrackNetlink=class{connect;constructor(connect=()=>new NetlinkSocket(
"netfilter")){this.connect=connect}async check(){await this.#withNetlink(async netlink=>{await netlink.request(request("\
statistics",encodeStatisticsRequest()))})}list(family,protocol,wanted=()=>!0,repliesFrom){return this.#withNetlink(netlink=>repeated(
async()=>{let entries=[],read=payload2=>netlink.dump(request("get",payload2,NETLINK_FLAGS.dump),answer=>{let entry=decodeEntry(
answer.payload,family,protocol);entry!==void 0&&repliesComeFrom(entry,repliesFrom)&&wanted(entry)&&entries.push(entry)});
try{await read(encodeListRequest(family,protocol,repliesFrom))}catch(error){if(!isNotThere(error))throw error;await read(
encodeListRequest(family,void 0))}return entries}))}async delete(entries){return entries.length===0?0:this.#withNetlink(
async netlink=>{let deleted=0;for(let from=0;from<entries.length;from+=MAX_AT_ONCE)deleted+=await deleteSome(netlink,entries.
slice(from,from+MAX_AT_ONCE));return deleted})}deleteTranslated(family,protocol,translations){return family==="IPv6"?Promise.
resolve(void 0):this.#withNetlink(netlink=>repeated(async()=>{let before=await countEntries(netlink),requests=translations.
map(one=>request("delete",encodeDeletionOfTranslated(family,protocol,one))),results=await netlink.execute(requests,{inBackground:!0});
if(results.some(errno=>NOT_THERE.includes(errno)))return;let refused=results.find(errno=>errno!==0);if(refused!==void 0)
throw new NetlinkRefused(refused,"delete tracked connections");return Math.max(0,before-await countEntries(netlink))}))}async#withNetlink(work){
let netlink=this.connect();try{return await work(netlink)}catch(error){throw describe(error)}finally{netlink.close()}}};
async function countEntries(netlink){return(await netlink.request(request("statistics",encodeStatisticsRequest()))).map(
({payload:payload2})=>decodeStatistics(payload2)).find(count2=>count2!==void 0)??0}async function deleteSome(netlink,entries){
let before,deleted=0;return await repeated(async()=>{let flows=await findFlows(netlink,entries);deleted+=before===void 0?
0:before-flows.length,before=flows.length;let results=await netlink.execute(flows.map(flow=>request("delete",encodeDeletion(
flow))));for(let errno of results)if(errno===0)deleted++;else if(errno!==ENOENT)throw new NetlinkRefused(errno,"delete a\
 tracked connection")}),deleted}async function findFlows(netlink,entries){let answers2=await netlink.requestEach(entries.
map(entry=>request("get",encodeFlowRequest(entry))));return entries.flatMap((entry,index)=>{let answer=answers2[index]??
ENOENT;if(typeof answer=="number"){if(answer!==ENOENT&&answer!==0)throw new NetlinkRefused(answer,"look up a tracked con\
nection");return[]}let flow=decodeFlow(answer.payload,entry.family,entry.protocol);return flow!==void 0&&conntrackKey(flow.
entry)===conntrackKey(entry)?[flow]:[]})}function request(command2,payload2,flags=0){return{type:conntrackMessageType(command2),
flags,payload:payload2}}async function repeated(work){for(let attempt=1;;attempt++)try{return await work()}catch(error){
if(attempt===ATTEMPTS||!(error instanceof NetlinkError&&error.code==="NETLINK_LOST"))throw error}}function isNotThere(error){
return error instanceof NetlinkRefused&&NOT_THERE.includes(error.errno)}function describe(error){if(!(error instanceof NetlinkError))
return error;let cause={cause:error};return isNotThere(error)?new ConntrackError("CONNTRACK_NO_NETLINK",`the kernel has \
no netlink for connection tracking (module nf_conntrack_netlink): ${messageOf(error)}`,cause):error.code==="NETLINK_UNAV\
AILABLE"?new ConntrackError("CONNTRACK_NO_NETLINK",messageOf(error),cause):error instanceof NetlinkRefused&&error.errno===
EPERM2?new ConntrackError("CONNTRACK_NOT_PERMITTED","changing tracked connections needs root or the capability NET_ADMIN",
cause):new ConntrackError("CONNTRACK_FAILED",`conntrack over netlink failed: ${messageOf(error)}`,cause)}import{spawnSync as spawnSync2}from"node:child_process";function isPlainObject(value){if(typeof value!="object"||value===null)return!1;let prototype=Object.getPrototypeOf(value);
return(prototype===null||prototype===Object.prototype||Object.getPrototypeOf(prototype)===null)&&!(Symbol.toStringTag in
value)&&!(Symbol.iterator in value)}import{fileURLToPath}from"node:url";var safeNormalizeFileUrl=(file,name)=>{let fileString=normalizeFileUrl(normalizeDenoExecPath(
file));if(typeof fileString!="string")throw new TypeError(`${name} must be a string or a file URL: ${fileString}.`);return fileString},
normalizeDenoExecPath=file=>isDenoExecPath(file)?file.toString():file,isDenoExecPath=file=>typeof file!="string"&&file&&
Object.getPrototypeOf(file)===String.prototype,normalizeFileUrl=file=>file instanceof URL?fileURLToPath(file):file;var normalizeParameters=(rawFile,rawArguments=[],rawOptions={})=>{let filePath=safeNormalizeFileUrl(rawFile,"First argum\
ent"),[commandArguments,options]=isPlainObject(rawArguments)?[[],rawArguments]:[rawArguments,rawOptions];if(!Array.isArray(
commandArguments))throw new TypeError(`Second argument must be either an array of arguments or an options object: ${commandArguments}`);
if(commandArguments.some(commandArgument=>typeof commandArgument=="object"&&commandArgument!==null))throw new TypeError(
`Second argument must be an array of strings: ${commandArguments}`);let normalizedArguments=commandArguments.map(String),
nullByteArgument=normalizedArguments.find(normalizedArgument=>normalizedArgument.includes("\0"));if(nullByteArgument!==void 0)
throw new TypeError(`Arguments cannot contain null bytes ("\\0"): ${nullByteArgument}`);if(!isPlainObject(options))throw new TypeError(
`Last argument must be an options object: ${options}`);return[filePath,normalizedArguments,options]};import{ChildProcess}from"node:child_process";import{StringDecoder}from"node:string_decoder";var{toString:objectToString}=Object.prototype,isArrayBuffer=value=>objectToString.
call(value)==="[object ArrayBuffer]",isUint8Array=value=>objectToString.call(value)==="[object Uint8Array]",bufferToUint8Array=buffer=>new Uint8Array(
buffer.buffer,buffer.byteOffset,buffer.byteLength),textEncoder=new TextEncoder,stringToUint8Array=string=>textEncoder.encode(
string),textDecoder=new TextDecoder,uint8ArrayToString=uint8Array=>textDecoder.decode(uint8Array),joinToString=(uint8ArraysOrStrings,encoding)=>uint8ArraysToStrings(
uint8ArraysOrStrings,encoding).join(""),uint8ArraysToStrings=(uint8ArraysOrStrings,encoding)=>{if(encoding==="utf8"&&uint8ArraysOrStrings.
every(uint8ArrayOrString=>typeof uint8ArrayOrString=="string"))return uint8ArraysOrStrings;let decoder=new StringDecoder(
encoding),strings=uint8ArraysOrStrings.map(uint8ArrayOrString=>typeof uint8ArrayOrString=="string"?stringToUint8Array(uint8ArrayOrString):
uint8ArrayOrString).map(uint8Array=>decoder.write(uint8Array)),finalString=decoder.end();return finalString===""?strings:
[...strings,finalString]},joinToUint8Array=uint8ArraysOrStrings=>uint8ArraysOrStrings.length===1&&isUint8Array(uint8ArraysOrStrings[0])?
uint8ArraysOrStrings[0]:concatUint8Arrays(stringsToUint8Arrays(uint8ArraysOrStrings)),stringsToUint8Arrays=uint8ArraysOrStrings=>uint8ArraysOrStrings.
map(uint8ArrayOrString=>typeof uint8ArrayOrString=="string"?stringToUint8Array(uint8ArrayOrString):uint8ArrayOrString),concatUint8Arrays=uint8Arrays=>{
let result=new Uint8Array(getJoinLength(uint8Arrays)),index=0;for(let uint8Array of uint8Arrays)result.set(uint8Array,index),
index+=uint8Array.length;return result},getJoinLength=uint8Arrays=>{let joinLength=0;for(let uint8Array of uint8Arrays)joinLength+=
uint8Array.length;return joinLength};var isTemplateString=templates=>Array.isArray(templates)&&Array.isArray(templates.raw),parseTemplates=(templates,expressions)=>{
let tokens=[];for(let[index,template]of templates.entries())tokens=parseTemplate({templates,expressions,tokens,index,template});
if(tokens.length===0)throw new TypeError("Template script must not be empty");let[file,...commandArguments]=tokens;return[
file,commandArguments,{}]},parseTemplate=({templates,expressions,tokens,index,template})=>{if(template===void 0)throw new TypeError(
`Invalid backslash sequence: ${templates.raw[index]}`);let{nextTokens,leadingWhitespaces,trailingWhitespaces}=splitByWhitespaces(
template,templates.raw[index]),newTokens=concatTokens(tokens,nextTokens,leadingWhitespaces);if(index===expressions.length)
return newTokens;let expression=expressions[index],expressionTokens=Array.isArray(expression)?expression.map(expression2=>parseExpression(
expression2)):[parseExpression(expression)];return concatTokens(newTokens,expressionTokens,trailingWhitespaces)},splitByWhitespaces=(template,rawTemplate)=>{
if(rawTemplate.length===0)return{nextTokens:[],leadingWhitespaces:!1,trailingWhitespaces:!1};let nextTokens=[],templateStart=0,
leadingWhitespaces=DELIMITERS.has(rawTemplate[0]);for(let templateIndex=0,rawIndex=0;templateIndex<template.length;templateIndex+=
1,rawIndex+=1){let rawCharacter=rawTemplate[rawIndex];if(DELIMITERS.has(rawCharacter))templateStart!==templateIndex&&nextTokens.
push(template.slice(templateStart,templateIndex)),templateStart=templateIndex+1;else if(rawCharacter==="\\"){let nextRawCharacter=rawTemplate[rawIndex+
1];nextRawCharacter===`
`?(templateIndex-=1,rawIndex+=1):nextRawCharacter==="u"&&rawTemplate[rawIndex+2]==="{"?rawIndex=rawTemplate.indexOf("}",
rawIndex+3):rawIndex+=ESCAPE_LENGTH[nextRawCharacter]??1}}let trailingWhitespaces=templateStart===template.length;return trailingWhitespaces||
nextTokens.push(template.slice(templateStart)),{nextTokens,leadingWhitespaces,trailingWhitespaces}},DELIMITERS=new Set([
" ","	","\r",`
`]),ESCAPE_LENGTH={x:3,u:5},concatTokens=(tokens,nextTokens,isSeparated)=>isSeparated||tokens.length===0||nextTokens.length===
0?[...tokens,...nextTokens]:[...tokens.slice(0,-1),`${tokens.at(-1)}${nextTokens[0]}`,...nextTokens.slice(1)],parseExpression=expression=>{
let typeOfExpression=typeof expression;if(typeOfExpression==="string")return expression;if(typeOfExpression==="number")return String(
expression);if(isPlainObject(expression)&&("stdout"in expression||"isMaxBuffer"in expression))return getSubprocessResult(
expression);throw expression instanceof ChildProcess||Object.prototype.toString.call(expression)==="[object Promise]"?new TypeError(
"Unexpected subprocess in template expression. Please use ${await subprocess} instead of ${subprocess}."):new TypeError(
`Unexpected "${typeOfExpression}" in template expression`)},getSubprocessResult=({stdout})=>{if(typeof stdout=="string")
return stdout;if(isUint8Array(stdout))return uint8ArrayToString(stdout);throw stdout===void 0?new TypeError(`Missing res\
ult.stdout in template expression. This is probably due to the previous subprocess' "stdout" option.`):new TypeError(`Un\
expected "${typeof stdout}" stdout in template expression`)};import{spawnSync}from"node:child_process";import process2 from"node:process";var isStandardStream=stream=>STANDARD_STREAMS.includes(stream),STANDARD_STREAMS=[process2.
stdin,process2.stdout,process2.stderr],STANDARD_STREAMS_ALIASES=["stdin","stdout","stderr"],getStreamName=fdNumber=>STANDARD_STREAMS_ALIASES[fdNumber]??
`stdio[${fdNumber}]`;var normalizeFdSpecificOptions=options=>{let optionsCopy={...options};for(let optionName of FD_SPECIFIC_OPTIONS)optionsCopy[optionName]=
normalizeFdSpecificOption(options,optionName);return optionsCopy},normalizeFdSpecificOption=(options,optionName)=>{let optionBaseArray=Array.
from({length:getStdioLength(options)+1}),optionArray=normalizeFdSpecificValue(options[optionName],optionBaseArray,optionName);
return addDefaultValue(optionArray,optionName)},getStdioLength=({stdio})=>Array.isArray(stdio)?Math.max(stdio.length,STANDARD_STREAMS_ALIASES.
length):STANDARD_STREAMS_ALIASES.length,normalizeFdSpecificValue=(optionValue,optionArray,optionName)=>isPlainObject(optionValue)?
normalizeOptionObject(optionValue,optionArray,optionName):optionArray.fill(optionValue),normalizeOptionObject=(optionValue,optionArray,optionName)=>{
for(let fdName of Object.keys(optionValue).sort(compareFdName))for(let fdNumber of parseFdName(fdName,optionName,optionArray))
optionArray[fdNumber]=optionValue[fdName];return optionArray},compareFdName=(fdNameA,fdNameB)=>getFdNameOrder(fdNameA)<getFdNameOrder(
fdNameB)?1:-1,getFdNameOrder=fdName=>fdName==="stdout"||fdName==="stderr"?0:fdName==="all"?2:1,parseFdName=(fdName,optionName,optionArray)=>{
if(fdName==="ipc")return[optionArray.length-1];let fdNumber=parseFd(fdName);if(fdNumber===void 0||fdNumber===0)throw new TypeError(
`"${optionName}.${fdName}" is invalid.
It must be "${optionName}.stdout", "${optionName}.stderr", "${optionName}.all", "${optionName}.ipc", or "${optionName}.f\
d3", "${optionName}.fd4" (and so on).`);if(fdNumber>=optionArray.length)throw new TypeError(`"${optionName}.${fdName}" i\
s invalid: that file descriptor does not exist.
Please set the "stdio" option to ensure that file descriptor exists.`);return fdNumber==="all"?[1,2]:[fdNumber]},parseFd=fdName=>{
if(fdName==="all")return fdName;if(STANDARD_STREAMS_ALIASES.includes(fdName))return STANDARD_STREAMS_ALIASES.indexOf(fdName);
let regexpResult=FD_REGEXP.exec(fdName);if(regexpResult!==null)return Number(regexpResult[1])},FD_REGEXP=/^fd(\d+)$/,addDefaultValue=(optionArray,optionName)=>optionArray.
map(optionValue=>optionValue===void 0?DEFAULT_OPTIONS[optionName]:optionValue),verboseDefault=debuglog("execa").enabled?
"full":"none",DEFAULT_OPTIONS={lines:!1,buffer:!0,maxBuffer:1e3*1e3*100,verbose:verboseDefault,stripFinalNewline:!0},FD_SPECIFIC_OPTIONS=[
"lines","buffer","maxBuffer","verbose","stripFinalNewline"],getFdSpecificValue=(optionArray,fdNumber)=>fdNumber==="ipc"?
optionArray.at(-1):optionArray[fdNumber];var isVerbose=({verbose},fdNumber)=>getFdVerbose(verbose,fdNumber)!=="none",isFullVerbose=({verbose},fdNumber)=>!["none",
"short"].includes(getFdVerbose(verbose,fdNumber)),getVerboseFunction=({verbose},fdNumber)=>{let fdVerbose=getFdVerbose(verbose,
fdNumber);return isVerboseFunction(fdVerbose)?fdVerbose:void 0},getFdVerbose=(verbose,fdNumber)=>fdNumber===void 0?getFdGenericVerbose(
verbose):getFdSpecificValue(verbose,fdNumber),getFdGenericVerbose=verbose=>verbose.find(fdVerbose=>isVerboseFunction(fdVerbose))??
VERBOSE_VALUES.findLast(fdVerbose=>verbose.includes(fdVerbose)),isVerboseFunction=fdVerbose=>typeof fdVerbose=="function",
VERBOSE_VALUES=["none","short","full"];import{platform}from"node:process";var joinCommand=(filePath,rawArguments)=>{let fileAndArguments=[filePath,...rawArguments],command2=fileAndArguments.join(
" "),escapedCommand=fileAndArguments.map(fileAndArgument=>quoteString(escapeControlCharacters(fileAndArgument))).join(" ");
return{command:command2,escapedCommand}},escapeLines=lines=>stripVTControlCharacters(lines).split(`
`).map(line=>escapeControlCharacters(line)).join(`
`),escapeControlCharacters=line=>line.replaceAll(SPECIAL_CHAR_REGEXP,character=>escapeControlCharacter(character)),escapeControlCharacter=character=>{
let commonEscape=COMMON_ESCAPES[character];if(commonEscape!==void 0)return commonEscape;let codepoint=character.codePointAt(
0),codepointHex=codepoint.toString(16);return codepoint<=ASTRAL_START?`\\u${codepointHex.padStart(4,"0")}`:`\\U${codepointHex}`},
getSpecialCharRegExp=()=>{try{return new RegExp("\\p{Separator}|\\p{Other}","gu")}catch{return/[\s\u0000-\u001F\u007F-\u009F\u00AD]/g}},
SPECIAL_CHAR_REGEXP=getSpecialCharRegExp(),COMMON_ESCAPES={" ":" ","\b":"\\b","\f":"\\f","\n":"\\n","\r":"\\r","	":"\\t"},
ASTRAL_START=65535,quoteString=escapedArgument=>NO_ESCAPE_REGEXP.test(escapedArgument)?escapedArgument:platform==="win32"?
`"${escapedArgument.replaceAll('"','""')}"`:`'${escapedArgument.replaceAll("'","'\\''")}'`,NO_ESCAPE_REGEXP=/^[\w./-]+$/;import process3 from"node:process";function isUnicodeSupported(){let{env}=process3,{TERM,TERM_PROGRAM}=env;return process3.
platform!=="win32"?TERM!=="linux":!!env.WT_SESSION||!!env.TERMINUS_SUBLIME||env.ConEmuTask==="{cmd::Cmder}"||TERM_PROGRAM===
"Terminus-Sublime"||TERM_PROGRAM==="vscode"||TERM==="xterm-256color"||TERM==="alacritty"||TERM==="rxvt-unicode"||TERM===
"rxvt-unicode-256color"||env.TERMINAL_EMULATOR==="JetBrains-JediTerm"}var common={circleQuestionMark:"(?)",questionMarkPrefix:"(?)",square:"\u2588",squareDarkShade:"\u2593",squareMediumShade:"\
\u2592",squareLightShade:"\u2591",squareTop:"\u2580",squareBottom:"\u2584",squareLeft:"\u258C",squareRight:"\u2590",squareCenter:"\
\u25A0",bullet:"\u25CF",dot:"\u2024",ellipsis:"\u2026",pointerSmall:"\u203A",triangleUp:"\u25B2",triangleUpSmall:"\u25B4",
triangleDown:"\u25BC",triangleDownSmall:"\u25BE",triangleLeftSmall:"\u25C2",triangleRightSmall:"\u25B8",home:"\u2302",heart:"\
\u2665",musicNote:"\u266A",musicNoteBeamed:"\u266B",arrowUp:"\u2191",arrowDown:"\u2193",arrowLeft:"\u2190",arrowRight:"\u2192",
arrowLeftRight:"\u2194",arrowUpDown:"\u2195",almostEqual:"\u2248",notEqual:"\u2260",lessOrEqual:"\u2264",greaterOrEqual:"\
\u2265",identical:"\u2261",infinity:"\u221E",subscriptZero:"\u2080",subscriptOne:"\u2081",subscriptTwo:"\u2082",subscriptThree:"\
\u2083",subscriptFour:"\u2084",subscriptFive:"\u2085",subscriptSix:"\u2086",subscriptSeven:"\u2087",subscriptEight:"\u2088",
subscriptNine:"\u2089",oneHalf:"\xBD",oneThird:"\u2153",oneQuarter:"\xBC",oneFifth:"\u2155",oneSixth:"\u2159",oneEighth:"\
\u215B",twoThirds:"\u2154",twoFifths:"\u2156",threeQuarters:"\xBE",threeFifths:"\u2157",threeEighths:"\u215C",fourFifths:"\
\u2158",fiveSixths:"\u215A",fiveEighths:"\u215D",sevenEighths:"\u215E",line:"\u2500",lineBold:"\u2501",lineDouble:"\u2550",
lineDashed0:"\u2504",lineDashed1:"\u2505",lineDashed2:"\u2508",lineDashed3:"\u2509",lineDashed4:"\u254C",lineDashed5:"\u254D",
lineDashed6:"\u2574",lineDashed7:"\u2576",lineDashed8:"\u2578",lineDashed9:"\u257A",lineDashed10:"\u257C",lineDashed11:"\
\u257E",lineDashed12:"\u2212",lineDashed13:"\u2013",lineDashed14:"\u2010",lineDashed15:"\u2043",lineVertical:"\u2502",lineVerticalBold:"\
\u2503",lineVerticalDouble:"\u2551",lineVerticalDashed0:"\u2506",lineVerticalDashed1:"\u2507",lineVerticalDashed2:"\u250A",
lineVerticalDashed3:"\u250B",lineVerticalDashed4:"\u254E",lineVerticalDashed5:"\u254F",lineVerticalDashed6:"\u2575",lineVerticalDashed7:"\
\u2577",lineVerticalDashed8:"\u2579",lineVerticalDashed9:"\u257B",lineVerticalDashed10:"\u257D",lineVerticalDashed11:"\u257F",
lineDownLeft:"\u2510",lineDownLeftArc:"\u256E",lineDownBoldLeftBold:"\u2513",lineDownBoldLeft:"\u2512",lineDownLeftBold:"\
\u2511",lineDownDoubleLeftDouble:"\u2557",lineDownDoubleLeft:"\u2556",lineDownLeftDouble:"\u2555",lineDownRight:"\u250C",
lineDownRightArc:"\u256D",lineDownBoldRightBold:"\u250F",lineDownBoldRight:"\u250E",lineDownRightBold:"\u250D",lineDownDoubleRightDouble:"\
\u2554",lineDownDoubleRight:"\u2553",lineDownRightDouble:"\u2552",lineUpLeft:"\u2518",lineUpLeftArc:"\u256F",lineUpBoldLeftBold:"\
\u251B",lineUpBoldLeft:"\u251A",lineUpLeftBold:"\u2519",lineUpDoubleLeftDouble:"\u255D",lineUpDoubleLeft:"\u255C",lineUpLeftDouble:"\
\u255B",lineUpRight:"\u2514",lineUpRightArc:"\u2570",lineUpBoldRightBold:"\u2517",lineUpBoldRight:"\u2516",lineUpRightBold:"\
\u2515",lineUpDoubleRightDouble:"\u255A",lineUpDoubleRight:"\u2559",lineUpRightDouble:"\u2558",lineUpDownLeft:"\u2524",lineUpBoldDownBoldLeftBold:"\
\u252B",lineUpBoldDownBoldLeft:"\u2528",lineUpDownLeftBold:"\u2525",lineUpBoldDownLeftBold:"\u2529",lineUpDownBoldLeftBold:"\
\u252A",lineUpDownBoldLeft:"\u2527",lineUpBoldDownLeft:"\u2526",lineUpDoubleDownDoubleLeftDouble:"\u2563",lineUpDoubleDownDoubleLeft:"\
\u2562",lineUpDownLeftDouble:"\u2561",lineUpDownRight:"\u251C",lineUpBoldDownBoldRightBold:"\u2523",lineUpBoldDownBoldRight:"\
\u2520",lineUpDownRightBold:"\u251D",lineUpBoldDownRightBold:"\u2521",lineUpDownBoldRightBold:"\u2522",lineUpDownBoldRight:"\
\u251F",lineUpBoldDownRight:"\u251E",lineUpDoubleDownDoubleRightDouble:"\u2560",lineUpDoubleDownDoubleRight:"\u255F",lineUpDownRightDouble:"\
\u255E",lineDownLeftRight:"\u252C",lineDownBoldLeftBoldRightBold:"\u2533",lineDownLeftBoldRightBold:"\u252F",lineDownBoldLeftRight:"\
\u2530",lineDownBoldLeftBoldRight:"\u2531",lineDownBoldLeftRightBold:"\u2532",lineDownLeftRightBold:"\u252E",lineDownLeftBoldRight:"\
\u252D",lineDownDoubleLeftDoubleRightDouble:"\u2566",lineDownDoubleLeftRight:"\u2565",lineDownLeftDoubleRightDouble:"\u2564",
lineUpLeftRight:"\u2534",lineUpBoldLeftBoldRightBold:"\u253B",lineUpLeftBoldRightBold:"\u2537",lineUpBoldLeftRight:"\u2538",
lineUpBoldLeftBoldRight:"\u2539",lineUpBoldLeftRightBold:"\u253A",lineUpLeftRightBold:"\u2536",lineUpLeftBoldRight:"\u2535",
lineUpDoubleLeftDoubleRightDouble:"\u2569",lineUpDoubleLeftRight:"\u2568",lineUpLeftDoubleRightDouble:"\u2567",lineUpDownLeftRight:"\
\u253C",lineUpBoldDownBoldLeftBoldRightBold:"\u254B",lineUpDownBoldLeftBoldRightBold:"\u2548",lineUpBoldDownLeftBoldRightBold:"\
\u2547",lineUpBoldDownBoldLeftRightBold:"\u254A",lineUpBoldDownBoldLeftBoldRight:"\u2549",lineUpBoldDownLeftRight:"\u2540",
lineUpDownBoldLeftRight:"\u2541",lineUpDownLeftBoldRight:"\u253D",lineUpDownLeftRightBold:"\u253E",lineUpBoldDownBoldLeftRight:"\
\u2542",lineUpDownLeftBoldRightBold:"\u253F",lineUpBoldDownLeftBoldRight:"\u2543",lineUpBoldDownLeftRightBold:"\u2544",lineUpDownBoldLeftBoldRight:"\
\u2545",lineUpDownBoldLeftRightBold:"\u2546",lineUpDoubleDownDoubleLeftDoubleRightDouble:"\u256C",lineUpDoubleDownDoubleLeftRight:"\
\u256B",lineUpDownLeftDoubleRightDouble:"\u256A",lineCross:"\u2573",lineBackslash:"\u2572",lineSlash:"\u2571"},specialMainSymbols={
tick:"\u2714",info:"\u2139",warning:"\u26A0",cross:"\u2718",squareSmall:"\u25FB",squareSmallFilled:"\u25FC",circle:"\u25EF",
circleFilled:"\u25C9",circleDotted:"\u25CC",circleDouble:"\u25CE",circleCircle:"\u24DE",circleCross:"\u24E7",circlePipe:"\
\u24BE",radioOn:"\u25C9",radioOff:"\u25EF",checkboxOn:"\u2612",checkboxOff:"\u2610",checkboxCircleOn:"\u24E7",checkboxCircleOff:"\
\u24BE",pointer:"\u276F",triangleUpOutline:"\u25B3",triangleLeft:"\u25C0",triangleRight:"\u25B6",lozenge:"\u25C6",lozengeOutline:"\
\u25C7",hamburger:"\u2630",smiley:"\u32E1",mustache:"\u0DF4",star:"\u2605",play:"\u25B6",nodejs:"\u2B22",oneSeventh:"\u2150",
oneNinth:"\u2151",oneTenth:"\u2152"},specialFallbackSymbols={tick:"\u221A",info:"i",warning:"\u203C",cross:"\xD7",squareSmall:"\
\u25A1",squareSmallFilled:"\u25A0",circle:"( )",circleFilled:"(*)",circleDotted:"( )",circleDouble:"( )",circleCircle:"(\
\u25CB)",circleCross:"(\xD7)",circlePipe:"(\u2502)",radioOn:"(*)",radioOff:"( )",checkboxOn:"[\xD7]",checkboxOff:"[ ]",checkboxCircleOn:"\
(\xD7)",checkboxCircleOff:"( )",pointer:">",triangleUpOutline:"\u2206",triangleLeft:"\u25C4",triangleRight:"\u25BA",lozenge:"\
\u2666",lozengeOutline:"\u25CA",hamburger:"\u2261",smiley:"\u263A",mustache:"\u250C\u2500\u2510",star:"\u2736",play:"\u25BA",
nodejs:"\u2666",oneSeventh:"1/7",oneNinth:"1/9",oneTenth:"1/10"},mainSymbols={...common,...specialMainSymbols},fallbackSymbols={
...common,...specialFallbackSymbols},shouldUseMain=isUnicodeSupported(),figures=shouldUseMain?mainSymbols:fallbackSymbols,
figures_default=figures,replacements=Object.entries(specialMainSymbols);import tty from"node:tty";var hasColors=tty?.WriteStream?.prototype?.hasColors?.()??!1,format=(open,close)=>{if(!hasColors)
return input=>input;let openCode=`\x1B[${open}m`,closeCode=`\x1B[${close}m`;return input=>{let string=input+"",index=string.
indexOf(closeCode);if(index===-1)return openCode+string+closeCode;let result=openCode,lastIndex=0,replaceCode=(close===22?
closeCode:"")+openCode;for(;index!==-1;)result+=string.slice(lastIndex,index)+replaceCode,lastIndex=index+closeCode.length,
index=string.indexOf(closeCode,lastIndex);return result+=string.slice(lastIndex)+closeCode,result}},reset=format(0,0),bold=format(
1,22),dim=format(2,22),italic=format(3,23),underline=format(4,24),underlineDouble=format("4:2",24),underlineCurly=format(
"4:3",24),underlineDotted=format("4:4",24),underlineDashed=format("4:5",24),overline=format(53,55),inverse=format(7,27),
hidden=format(8,28),strikethrough=format(9,29),black=format(30,39),red=format(31,39),green=format(32,39),yellow=format(33,
39),blue=format(34,39),magenta=format(35,39),cyan=format(36,39),white=format(37,39),gray=format(90,39),bgBlack=format(40,
49),bgRed=format(41,49),bgGreen=format(42,49),bgYellow=format(43,49),bgBlue=format(44,49),bgMagenta=format(45,49),bgCyan=format(
46,49),bgWhite=format(47,49),bgGray=format(100,49),redBright=format(91,39),greenBright=format(92,39),yellowBright=format(
93,39),blueBright=format(94,39),magentaBright=format(95,39),cyanBright=format(96,39),whiteBright=format(97,39),bgRedBright=format(
101,49),bgGreenBright=format(102,49),bgYellowBright=format(103,49),bgBlueBright=format(104,49),bgMagentaBright=format(105,
49),bgCyanBright=format(106,49),bgWhiteBright=format(107,49),underlineBlack=format("58;5;0",59),underlineRed=format("58;\
5;1",59),underlineGreen=format("58;5;2",59),underlineYellow=format("58;5;3",59),underlineBlue=format("58;5;4",59),underlineMagenta=format(
"58;5;5",59),underlineCyan=format("58;5;6",59),underlineWhite=format("58;5;7",59),underlineGray=format("58;5;8",59),underlineRedBright=format(
"58;5;9",59),underlineGreenBright=format("58;5;10",59),underlineYellowBright=format("58;5;11",59),underlineBlueBright=format(
"58;5;12",59),underlineMagentaBright=format("58;5;13",59),underlineCyanBright=format("58;5;14",59),underlineWhiteBright=format(
"58;5;15",59);var defaultVerboseFunction=({type,message:message6,timestamp,piped,commandId,result:{failed=!1}={},options:{reject=!0}})=>{
let timestampString=serializeTimestamp(timestamp),icon=ICONS[type]({failed,reject,piped}),color=COLORS[type]({reject});return`${gray(
`[${timestampString}]`)} ${gray(`[${commandId}]`)} ${color(icon)} ${color(message6)}`},serializeTimestamp=timestamp=>`${padField(
timestamp.getHours(),2)}:${padField(timestamp.getMinutes(),2)}:${padField(timestamp.getSeconds(),2)}.${padField(timestamp.
getMilliseconds(),3)}`,padField=(field,padding)=>String(field).padStart(padding,"0"),getFinalIcon=({failed,reject})=>failed?
reject?figures_default.cross:figures_default.warning:figures_default.tick,ICONS={command:({piped})=>piped?"|":"$",output:()=>"\
 ",ipc:()=>"*",error:getFinalIcon,duration:getFinalIcon},identity=string=>string,COLORS={command:()=>bold,output:()=>identity,
ipc:()=>identity,error:({reject})=>reject?redBright:yellowBright,duration:()=>gray};var applyVerboseOnLines=(printedLines,verboseInfo,fdNumber)=>{let verboseFunction=getVerboseFunction(verboseInfo,fdNumber);
return printedLines.map(({verboseLine,verboseObject})=>applyVerboseFunction(verboseLine,verboseObject,verboseFunction)).
filter(printedLine=>printedLine!==void 0).map(printedLine=>appendNewline(printedLine)).join("")},applyVerboseFunction=(verboseLine,verboseObject,verboseFunction)=>{
if(verboseFunction===void 0)return verboseLine;let printedLine=verboseFunction(verboseLine,verboseObject);if(typeof printedLine==
"string")return printedLine},appendNewline=printedLine=>printedLine.endsWith(`
`)?printedLine:`${printedLine}
`;var verboseLog=({type,verboseMessage,fdNumber,verboseInfo,result})=>{let verboseObject=getVerboseObject({type,result,verboseInfo}),
printedLines=getPrintedLines(verboseMessage,verboseObject),finalLines=applyVerboseOnLines(printedLines,verboseInfo,fdNumber);
finalLines!==""&&console.warn(finalLines.slice(0,-1))},getVerboseObject=({type,result,verboseInfo:{escapedCommand,commandId,
rawOptions:{piped=!1,...options}}})=>({type,escapedCommand,commandId:`${commandId}`,timestamp:new Date,piped,result,options}),
getPrintedLines=(verboseMessage,verboseObject)=>verboseMessage.split(`
`).map(message6=>getPrintedLine({...verboseObject,message:message6})),getPrintedLine=verboseObject=>({verboseLine:defaultVerboseFunction(
verboseObject),verboseObject}),serializeVerboseMessage=message6=>{let messageString=typeof message6=="string"?message6:inspect(
message6);return escapeLines(messageString).replaceAll("	"," ".repeat(TAB_SIZE))},TAB_SIZE=2;var logCommand=(escapedCommand,verboseInfo)=>{isVerbose(verboseInfo)&&verboseLog({type:"command",verboseMessage:escapedCommand,
verboseInfo})};var getVerboseInfo=(verbose,escapedCommand,rawOptions)=>{validateVerbose(verbose);let commandId=getCommandId(verbose);return{
verbose,escapedCommand,commandId,rawOptions}},getCommandId=verbose=>isVerbose({verbose})?COMMAND_ID++:void 0,COMMAND_ID=0n,
validateVerbose=verbose=>{for(let fdVerbose of verbose){if(fdVerbose===!1)throw new TypeError(`The "verbose: false" opti\
on was renamed to "verbose: 'none'".`);if(fdVerbose===!0)throw new TypeError(`The "verbose: true" option was renamed to \
"verbose: 'short'".`);if(!VERBOSE_VALUES.includes(fdVerbose)&&!isVerboseFunction(fdVerbose)){let allowedValues=VERBOSE_VALUES.
map(allowedValue=>`'${allowedValue}'`).join(", ");throw new TypeError(`The "verbose" option must not be ${fdVerbose}. Al\
lowed values are: ${allowedValues} or a function.`)}}};import{hrtime}from"node:process";var getStartTime=()=>hrtime.bigint(),getDurationMs=startTime=>Number(hrtime.bigint()-startTime)/
1e6;var handleCommand=(filePath,rawArguments,rawOptions)=>{let startTime=getStartTime(),{command:command2,escapedCommand}=joinCommand(
filePath,rawArguments),verbose=normalizeFdSpecificOption(rawOptions,"verbose"),verboseInfo=getVerboseInfo(verbose,escapedCommand,
{...rawOptions});return logCommand(escapedCommand,verboseInfo),{command:command2,escapedCommand,startTime,verboseInfo}};var import_cross_spawn=__toESM(require_cross_spawn(),1);import path5 from"node:path";import process6 from"node:process";import process4 from"node:process";import path2 from"node:path";function pathKey(options={}){let{env=process.env,platform:platform2=process.platform}=options;return platform2!=="win32"?
"PATH":Object.keys(env).reverse().find(key=>key.toUpperCase()==="PATH")||"Path"}import{execFile as execFileCallback,execFileSync as execFileSyncOriginal}from"node:child_process";import path from"node:path";
import{fileURLToPath as fileURLToPath2}from"node:url";var execFileOriginal=promisify(execFileCallback);function toPath(urlOrPath){
return urlOrPath instanceof URL?fileURLToPath2(urlOrPath):urlOrPath}function traversePathUp(startPath){return{*[Symbol.iterator](){let currentPath=path.resolve(toPath(startPath)),previousPath;
for(;previousPath!==currentPath;)yield currentPath,previousPath=currentPath,currentPath=path.resolve(currentPath,"..")}}}
var TEN_MEGABYTES_IN_BYTES=10*1024*1024;var npmRunPath=({cwd=process4.cwd(),path:pathOption=process4.env[pathKey()],preferLocal=!0,execPath:execPath2=process4.execPath,
addExecPath=!0}={})=>{let cwdPath=path2.resolve(toPath(cwd)),result=[],pathParts=pathOption.split(path2.delimiter);return preferLocal&&
applyPreferLocal(result,pathParts,cwdPath),addExecPath&&applyExecPath(result,pathParts,execPath2,cwdPath),pathOption===""||
pathOption===path2.delimiter?`${result.join(path2.delimiter)}${pathOption}`:[...result,pathOption].join(path2.delimiter)},
applyPreferLocal=(result,pathParts,cwdPath)=>{for(let directory of traversePathUp(cwdPath)){let pathPart=path2.join(directory,
"node_modules/.bin");pathParts.includes(pathPart)||result.push(pathPart)}},applyExecPath=(result,pathParts,execPath2,cwdPath)=>{
let pathPart=path2.resolve(cwdPath,toPath(execPath2),"..");pathParts.includes(pathPart)||result.push(pathPart)},npmRunPathEnv=({
env=process4.env,...options}={})=>{env={...env};let pathName=pathKey({env});return options.path=env[pathName],env[pathName]=
npmRunPath(options),env};import{setTimeout as setTimeout2}from"node:timers/promises";var getFinalError=(originalError,message6,isSync)=>{let ErrorClass=isSync?ExecaSyncError:ExecaError,options=originalError instanceof
DiscardedError?{}:{cause:originalError};return new ErrorClass(message6,options)},DiscardedError=class extends Error{},setErrorName=(ErrorClass,value)=>{
Object.defineProperty(ErrorClass.prototype,"name",{value,writable:!0,enumerable:!1,configurable:!0}),Object.defineProperty(
ErrorClass.prototype,execaErrorSymbol,{value:!0,writable:!1,enumerable:!1,configurable:!1})},isExecaError=error=>isErrorInstance(
error)&&execaErrorSymbol in error,execaErrorSymbol=Symbol("isExecaError"),isErrorInstance=value=>Object.prototype.toString.
call(value)==="[object Error]",ExecaError=class extends Error{};setErrorName(ExecaError,ExecaError.name);var ExecaSyncError=class extends Error{};
setErrorName(ExecaSyncError,ExecaSyncError.name);import{constants as constants3}from"node:os";import{constants as constants2}from"node:os";var getRealtimeSignals=()=>{let length=SIGRTMAX-SIGRTMIN+1;return Array.from({length},getRealtimeSignal)},getRealtimeSignal=(value,index)=>({
name:`SIGRT${index+1}`,number:SIGRTMIN+index,action:"terminate",description:"Application-specific signal (realtime)",standard:"\
posix"}),SIGRTMIN=34,SIGRTMAX=64;import{constants}from"node:os";var SIGNALS=[{name:"SIGHUP",number:1,action:"terminate",description:"Terminal closed",standard:"posix"},{name:"SIGINT",number:2,
action:"terminate",description:"User interruption with CTRL-C",standard:"ansi"},{name:"SIGQUIT",number:3,action:"core",description:"\
User interruption with CTRL-\\",standard:"posix"},{name:"SIGILL",number:4,action:"core",description:"Invalid machine ins\
truction",standard:"ansi"},{name:"SIGTRAP",number:5,action:"core",description:"Debugger breakpoint",standard:"posix"},{name:"\
SIGABRT",number:6,action:"core",description:"Aborted",standard:"ansi"},{name:"SIGIOT",number:6,action:"core",description:"\
Aborted",standard:"bsd"},{name:"SIGBUS",number:7,action:"core",description:"Bus error due to misaligned, non-existing ad\
dress or paging error",standard:"bsd"},{name:"SIGEMT",number:7,action:"terminate",description:"Command should be emulate\
d but is not implemented",standard:"other"},{name:"SIGFPE",number:8,action:"core",description:"Floating point arithmetic\
 error",standard:"ansi"},{name:"SIGKILL",number:9,action:"terminate",description:"Forced termination",standard:"posix",forced:!0},
{name:"SIGUSR1",number:10,action:"terminate",description:"Application-specific signal",standard:"posix"},{name:"SIGSEGV",
number:11,action:"core",description:"Segmentation fault",standard:"ansi"},{name:"SIGUSR2",number:12,action:"terminate",description:"\
Application-specific signal",standard:"posix"},{name:"SIGPIPE",number:13,action:"terminate",description:"Broken pipe or \
socket",standard:"posix"},{name:"SIGALRM",number:14,action:"terminate",description:"Timeout or timer",standard:"posix"},
{name:"SIGTERM",number:15,action:"terminate",description:"Termination",standard:"ansi"},{name:"SIGSTKFLT",number:16,action:"\
terminate",description:"Stack is empty or overflowed",standard:"other"},{name:"SIGCHLD",number:17,action:"ignore",description:"\
Child process terminated, paused or unpaused",standard:"posix"},{name:"SIGCLD",number:17,action:"ignore",description:"Ch\
ild process terminated, paused or unpaused",standard:"other"},{name:"SIGCONT",number:18,action:"unpause",description:"Un\
paused",standard:"posix",forced:!0},{name:"SIGSTOP",number:19,action:"pause",description:"Paused",standard:"posix",forced:!0},
{name:"SIGTSTP",number:20,action:"pause",description:'Paused using CTRL-Z or "suspend"',standard:"posix"},{name:"SIGTTIN",
number:21,action:"pause",description:"Background process cannot read terminal input",standard:"posix"},{name:"SIGBREAK",
number:21,action:"terminate",description:"User interruption with CTRL-BREAK",standard:"other"},{name:"SIGTTOU",number:22,
action:"pause",description:"Background process cannot write to terminal output",standard:"posix"},{name:"SIGURG",number:23,
action:"ignore",description:"Socket received out-of-band data",standard:"bsd"},{name:"SIGXCPU",number:24,action:"core",description:"\
Process timed out",standard:"bsd"},{name:"SIGXFSZ",number:25,action:"core",description:"File too big",standard:"bsd"},{name:"\
SIGVTALRM",number:26,action:"terminate",description:"Timeout or timer",standard:"bsd"},{name:"SIGPROF",number:27,action:"\
terminate",description:"Timeout or timer",standard:"bsd"},{name:"SIGWINCH",number:28,action:"ignore",description:"Termin\
al window size changed",standard:"bsd"},{name:"SIGIO",number:29,action:"terminate",description:"I/O is available",standard:"\
other"},{name:"SIGPOLL",number:29,action:"terminate",description:"Watched event",standard:"other"},{name:"SIGINFO",number:29,
action:"ignore",description:"Request for process information",standard:"other"},{name:"SIGPWR",number:30,action:"termina\
te",description:"Device running out of power",standard:"systemv"},{name:"SIGSYS",number:31,action:"core",description:"In\
valid system call",standard:"other"},{name:"SIGUNUSED",number:31,action:"terminate",description:"Invalid system call",standard:"\
other"}];var getSignals=()=>{let realtimeSignals=getRealtimeSignals();return[...SIGNALS,...realtimeSignals].map(normalizeSignal)},
normalizeSignal=({name,number:defaultNumber,description,action,forced=!1,standard})=>{let{signals:{[name]:constantSignal}}=constants,
supported=constantSignal!==void 0;return{name,number:supported?constantSignal:defaultNumber,description,supported,action,
forced,standard}};var getSignalsByName=()=>{let signals2=getSignals();return Object.fromEntries(signals2.map(getSignalByName))},getSignalByName=({
name,number:number2,description,supported,action,forced,standard})=>[name,{name,number:number2,description,supported,action,
forced,standard}],signalsByName=getSignalsByName(),getSignalsByNumber=()=>{let signals2=getSignals(),length=65,signalsA=Array.
from({length},(value,number2)=>getSignalByNumber(number2,signals2));return Object.assign({},...signalsA)},getSignalByNumber=(number2,signals2)=>{
let signal=findSignalByNumber(number2,signals2);if(signal===void 0)return{};let{name,description,supported,action,forced,
standard}=signal;return{[number2]:{name,number:number2,description,supported,action,forced,standard}}},findSignalByNumber=(number2,signals2)=>{
let signal=signals2.find(({name})=>constants2.signals[name]===number2);return signal!==void 0?signal:signals2.find(signalA=>signalA.
number===number2)},signalsByNumber=getSignalsByNumber();var normalizeKillSignal=killSignal=>{let optionName="option `killSignal`";if(killSignal===0)throw new TypeError(`Invalid\
 ${optionName}: 0 cannot be used.`);return normalizeSignal2(killSignal,optionName)},normalizeSignalArgument=signal=>signal===
0?signal:normalizeSignal2(signal,"`subprocess.kill()`'s argument"),normalizeSignal2=(signalNameOrInteger,optionName)=>{if(Number.
isInteger(signalNameOrInteger))return normalizeSignalInteger(signalNameOrInteger,optionName);if(typeof signalNameOrInteger==
"string")return normalizeSignalName(signalNameOrInteger,optionName);throw new TypeError(`Invalid ${optionName} ${String(
signalNameOrInteger)}: it must be a string or an integer.
${getAvailableSignals()}`)},normalizeSignalInteger=(signalInteger,optionName)=>{if(signalsIntegerToName.has(signalInteger))
return signalsIntegerToName.get(signalInteger);throw new TypeError(`Invalid ${optionName} ${signalInteger}: this signal \
integer does not exist.
${getAvailableSignals()}`)},getSignalsIntegerToName=()=>new Map(Object.entries(constants3.signals).reverse().map(([signalName,
signalInteger])=>[signalInteger,signalName])),signalsIntegerToName=getSignalsIntegerToName(),normalizeSignalName=(signalName,optionName)=>{
if(signalName in constants3.signals)return signalName;throw signalName.toUpperCase()in constants3.signals?new TypeError(
`Invalid ${optionName} '${signalName}': please rename it to '${signalName.toUpperCase()}'.`):new TypeError(`Invalid ${optionName}\
 '${signalName}': this signal name does not exist.
${getAvailableSignals()}`)},getAvailableSignals=()=>`Available signal names: ${getAvailableSignalNames()}.
Available signal numbers: ${getAvailableSignalIntegers()}.`,getAvailableSignalNames=()=>Object.keys(constants3.signals).
sort().map(signalName=>`'${signalName}'`).join(", "),getAvailableSignalIntegers=()=>[...new Set(Object.values(constants3.
signals).sort((signalInteger,signalIntegerTwo)=>signalInteger-signalIntegerTwo))].join(", "),getSignalDescription=signal=>signalsByName[signal].
description;var normalizeForceKillAfterDelay=forceKillAfterDelay=>{if(forceKillAfterDelay===!1)return forceKillAfterDelay;if(forceKillAfterDelay===
!0)return DEFAULT_FORCE_KILL_TIMEOUT;if(!Number.isFinite(forceKillAfterDelay)||forceKillAfterDelay<0)throw new TypeError(
`Expected the \`forceKillAfterDelay\` option to be a non-negative integer, got \`${forceKillAfterDelay}\` (${typeof forceKillAfterDelay}\
)`);return forceKillAfterDelay},DEFAULT_FORCE_KILL_TIMEOUT=1e3*5,subprocessKill=({kill,options:{forceKillAfterDelay,killSignal},
onInternalError,context,controller},signalOrError,errorArgument)=>{let{signal,error}=parseKillArguments(signalOrError,errorArgument,
killSignal);emitKillError(error,onInternalError);let killResult=kill(signal);return setKillTimeout({kill,signal,forceKillAfterDelay,
killSignal,killResult,context,controller}),killResult},parseKillArguments=(signalOrError,errorArgument,killSignal)=>{let[
signal=killSignal,error]=isErrorInstance(signalOrError)?[void 0,signalOrError]:[signalOrError,errorArgument];if(typeof signal!=
"string"&&!Number.isInteger(signal))throw new TypeError(`The first argument must be an error instance or a signal name s\
tring/integer: ${String(signal)}`);if(error!==void 0&&!isErrorInstance(error))throw new TypeError(`The second argument i\
s optional. If specified, it must be an error instance: ${error}`);return{signal:normalizeSignalArgument(signal),error}},
emitKillError=(error,onInternalError)=>{error!==void 0&&onInternalError.reject(error)},setKillTimeout=async({kill,signal,
forceKillAfterDelay,killSignal,killResult,context,controller})=>{signal===killSignal&&killResult&&killOnTimeout({kill,forceKillAfterDelay,
context,controllerSignal:controller.signal})},killOnTimeout=async({kill,forceKillAfterDelay,context,controllerSignal})=>{
if(forceKillAfterDelay!==!1)try{await setTimeout2(forceKillAfterDelay,void 0,{signal:controllerSignal}),kill("SIGKILL")&&
(context.isForcefullyTerminated??=!0)}catch{}};import{once}from"node:events";var onAbortedSignal=async(mainSignal,stopSignal)=>{mainSignal.aborted||await once(mainSignal,
"abort",{signal:stopSignal})};var validateCancelSignal=({cancelSignal})=>{if(cancelSignal!==void 0&&Object.prototype.toString.call(cancelSignal)!=="[o\
bject AbortSignal]")throw new Error(`The \`cancelSignal\` option must be an AbortSignal: ${String(cancelSignal)}`)},throwOnCancel=({
subprocess,cancelSignal,gracefulCancel,context,controller})=>cancelSignal===void 0||gracefulCancel?[]:[terminateOnCancel(
subprocess,cancelSignal,context,controller)],terminateOnCancel=async(subprocess,cancelSignal,context,{signal})=>{throw await onAbortedSignal(
cancelSignal,signal),context.terminationReason??="cancel",subprocess.kill(),cancelSignal.reason};import{scheduler as scheduler2}from"node:timers/promises";var validateIpcMethod=({methodName,isSubprocess,ipc,isConnected:isConnected2})=>{validateIpcOption(methodName,isSubprocess,
ipc),validateConnection(methodName,isSubprocess,isConnected2)},validateIpcOption=(methodName,isSubprocess,ipc)=>{if(!ipc)
throw new Error(`${getMethodName(methodName,isSubprocess)} can only be used if the \`ipc\` option is \`true\`.`)},validateConnection=(methodName,isSubprocess,isConnected2)=>{
if(!isConnected2)throw new Error(`${getMethodName(methodName,isSubprocess)} cannot be used: the ${getOtherProcessName(isSubprocess)}\
 has already exited or disconnected.`)},throwOnEarlyDisconnect=isSubprocess=>{throw new Error(`${getMethodName("getOneMe\
ssage",isSubprocess)} could not complete: the ${getOtherProcessName(isSubprocess)} exited or disconnected.`)},throwOnStrictDeadlockError=isSubprocess=>{
throw new Error(`${getMethodName("sendMessage",isSubprocess)} failed: the ${getOtherProcessName(isSubprocess)} is sendin\
g a message too, instead of listening to incoming messages.
This can be fixed by both sending a message and listening to incoming messages at the same time:

const [receivedMessage] = await Promise.all([
	${getMethodName("getOneMessage",isSubprocess)},
	${getMethodName("sendMessage",isSubprocess,"message, {strict: true}")},
]);`)},getStrictResponseError=(error,isSubprocess)=>new Error(`${getMethodName("sendMessage",isSubprocess)} failed when \
sending an acknowledgment response to the ${getOtherProcessName(isSubprocess)}.`,{cause:error}),throwOnMissingStrict=isSubprocess=>{
throw new Error(`${getMethodName("sendMessage",isSubprocess)} failed: the ${getOtherProcessName(isSubprocess)} is not li\
stening to incoming messages.`)},throwOnStrictDisconnect=isSubprocess=>{throw new Error(`${getMethodName("sendMessage",isSubprocess)}\
 failed: the ${getOtherProcessName(isSubprocess)} exited without listening to incoming messages.`)},getAbortDisconnectError=()=>new Error(
`\`cancelSignal\` aborted: the ${getOtherProcessName(!0)} disconnected.`),throwOnMissingParent=()=>{throw new Error("`ge\
tCancelSignal()` cannot be used without setting the `cancelSignal` subprocess option.")},handleEpipeError=({error,methodName,
isSubprocess})=>{if(error.code==="EPIPE")throw new Error(`${getMethodName(methodName,isSubprocess)} cannot be used: the ${getOtherProcessName(
isSubprocess)} is disconnecting.`,{cause:error})},handleSerializationError=({error,methodName,isSubprocess,message:message6})=>{
if(isSerializationError(error))throw new Error(`${getMethodName(methodName,isSubprocess)}'s argument type is invalid: th\
e message cannot be serialized: ${String(message6)}.`,{cause:error})},isSerializationError=({code,message:message6})=>SERIALIZATION_ERROR_CODES.
has(code)||SERIALIZATION_ERROR_MESSAGES.some(serializationErrorMessage=>message6.includes(serializationErrorMessage)),SERIALIZATION_ERROR_CODES=new Set(
["ERR_MISSING_ARGS","ERR_INVALID_ARG_TYPE"]),SERIALIZATION_ERROR_MESSAGES=["could not be cloned","circular structure","c\
all stack size exceeded"],getMethodName=(methodName,isSubprocess,parameters="")=>methodName==="cancelSignal"?"`cancelSig\
nal`'s `controller.abort()`":`${getNamespaceName(isSubprocess)}${methodName}(${parameters})`,getNamespaceName=isSubprocess=>isSubprocess?
"":"subprocess.",getOtherProcessName=isSubprocess=>isSubprocess?"parent process":"subprocess",disconnect=anyProcess=>{anyProcess.
connected&&anyProcess.disconnect()};var createDeferred=()=>{let methods={},promise=new Promise((resolve,reject)=>{Object.assign(methods,{resolve,reject})});
return Object.assign(promise,methods)};var getToStream=(destination2,to="stdin")=>{let{options,fileDescriptors}=SUBPROCESS_OPTIONS.get(destination2),fdNumber=getFdNumber(
fileDescriptors,to,!0),destinationStream=destination2.stdio[fdNumber];if(destinationStream===null)throw new TypeError(getInvalidStdioOptionMessage(
fdNumber,to,options,!0));return destinationStream},getFromStream=(source,from="stdout")=>{let{options,fileDescriptors}=SUBPROCESS_OPTIONS.
get(source),fdNumber=getFdNumber(fileDescriptors,from,!1),sourceStream=fdNumber==="all"?source.all:source.stdio[fdNumber];
if(sourceStream==null)throw new TypeError(getInvalidStdioOptionMessage(fdNumber,from,options,!1));return sourceStream},SUBPROCESS_OPTIONS=new WeakMap,
getFdNumber=(fileDescriptors,fdName,isWritable)=>{let fdNumber=parseFdNumber(fdName,isWritable);return validateFdNumber(
fdNumber,fdName,isWritable,fileDescriptors),fdNumber},parseFdNumber=(fdName,isWritable)=>{let fdNumber=parseFd(fdName);if(fdNumber!==
void 0)return fdNumber;let{validOptions,defaultValue}=isWritable?{validOptions:'"stdin"',defaultValue:"stdin"}:{validOptions:'\
"stdout", "stderr", "all"',defaultValue:"stdout"};throw new TypeError(`"${getOptionName(isWritable)}" must not be "${fdName}\
".
It must be ${validOptions} or "fd3", "fd4" (and so on).
It is optional and defaults to "${defaultValue}".`)},validateFdNumber=(fdNumber,fdName,isWritable,fileDescriptors)=>{let fileDescriptor=fileDescriptors[getUsedDescriptor(
fdNumber)];if(fileDescriptor===void 0)throw new TypeError(`"${getOptionName(isWritable)}" must not be ${fdName}. That fi\
le descriptor does not exist.
Please set the "stdio" option to ensure that file descriptor exists.`);if(fileDescriptor.direction==="input"&&!isWritable)
throw new TypeError(`"${getOptionName(isWritable)}" must not be ${fdName}. It must be a readable stream, not writable.`);
if(fileDescriptor.direction!=="input"&&isWritable)throw new TypeError(`"${getOptionName(isWritable)}" must not be ${fdName}\
. It must be a writable stream, not readable.`)},getInvalidStdioOptionMessage=(fdNumber,fdName,options,isWritable)=>{if(fdNumber===
"all"&&!options.all)return`The "all" option must be true to use "from: 'all'".`;let{optionName,optionValue}=getInvalidStdioOption(
fdNumber,options);return`The "${optionName}: ${serializeOptionValue(optionValue)}" option is incompatible with using "${getOptionName(
isWritable)}: ${serializeOptionValue(fdName)}".
Please set this option with "pipe" instead.`},getInvalidStdioOption=(fdNumber,{stdin,stdout,stderr,stdio})=>{let usedDescriptor=getUsedDescriptor(
fdNumber);return usedDescriptor===0&&stdin!==void 0?{optionName:"stdin",optionValue:stdin}:usedDescriptor===1&&stdout!==
void 0?{optionName:"stdout",optionValue:stdout}:usedDescriptor===2&&stderr!==void 0?{optionName:"stderr",optionValue:stderr}:
{optionName:`stdio[${usedDescriptor}]`,optionValue:stdio[usedDescriptor]}},getUsedDescriptor=fdNumber=>fdNumber==="all"?
1:fdNumber,getOptionName=isWritable=>isWritable?"to":"from",serializeOptionValue=value=>typeof value=="string"?`'${value}\
'`:typeof value=="number"?`${value}`:"Stream";import{once as once3}from"node:events";import{addAbortListener}from"node:events";var incrementMaxListeners=(eventEmitter,maxListenersIncrement,signal)=>{let maxListeners=eventEmitter.
getMaxListeners();maxListeners===0||maxListeners===Number.POSITIVE_INFINITY||(eventEmitter.setMaxListeners(maxListeners+
maxListenersIncrement),addAbortListener(signal,()=>{eventEmitter.setMaxListeners(eventEmitter.getMaxListeners()-maxListenersIncrement)}))};import{EventEmitter}from"node:events";import{once as once2}from"node:events";import{scheduler}from"node:timers/promises";var addReference=(channel2,reference)=>{reference&&addReferenceCount(channel2)},addReferenceCount=channel2=>{channel2.refCounted()},
removeReference=(channel2,reference)=>{reference&&removeReferenceCount(channel2)},removeReferenceCount=channel2=>{channel2.
unrefCounted()},undoAddedReferences=(channel2,isSubprocess)=>{isSubprocess&&(removeReferenceCount(channel2),removeReferenceCount(
channel2))},redoAddedReferences=(channel2,isSubprocess)=>{isSubprocess&&(addReferenceCount(channel2),addReferenceCount(channel2))};var onMessage=async({anyProcess,channel:channel2,isSubprocess,ipcEmitter},wrappedMessage)=>{if(handleStrictResponse(wrappedMessage)||
handleAbort(wrappedMessage))return;INCOMING_MESSAGES.has(anyProcess)||INCOMING_MESSAGES.set(anyProcess,[]);let incomingMessages=INCOMING_MESSAGES.
get(anyProcess);if(incomingMessages.push(wrappedMessage),!(incomingMessages.length>1))for(;incomingMessages.length>0;){await waitForOutgoingMessages(
anyProcess,ipcEmitter,wrappedMessage),await scheduler.yield();let message6=await handleStrictRequest({wrappedMessage:incomingMessages[0],
anyProcess,channel:channel2,isSubprocess,ipcEmitter});incomingMessages.shift(),ipcEmitter.emit("message",message6),ipcEmitter.
emit("message:done")}},onDisconnect=async({anyProcess,channel:channel2,isSubprocess,ipcEmitter,boundOnMessage})=>{abortOnDisconnect();
let incomingMessages=INCOMING_MESSAGES.get(anyProcess);for(;incomingMessages?.length>0;)await once2(ipcEmitter,"message:\
done");anyProcess.removeListener("message",boundOnMessage),redoAddedReferences(channel2,isSubprocess),ipcEmitter.connected=
!1,ipcEmitter.emit("disconnect")},INCOMING_MESSAGES=new WeakMap;var getIpcEmitter=(anyProcess,channel2,isSubprocess)=>{if(IPC_EMITTERS.has(anyProcess))return IPC_EMITTERS.get(anyProcess);
let ipcEmitter=new EventEmitter;return ipcEmitter.connected=!0,IPC_EMITTERS.set(anyProcess,ipcEmitter),forwardEvents({ipcEmitter,
anyProcess,channel:channel2,isSubprocess}),ipcEmitter},IPC_EMITTERS=new WeakMap,forwardEvents=({ipcEmitter,anyProcess,channel:channel2,
isSubprocess})=>{let boundOnMessage=onMessage.bind(void 0,{anyProcess,channel:channel2,isSubprocess,ipcEmitter});anyProcess.
on("message",boundOnMessage),anyProcess.once("disconnect",onDisconnect.bind(void 0,{anyProcess,channel:channel2,isSubprocess,
ipcEmitter,boundOnMessage})),undoAddedReferences(channel2,isSubprocess)},isConnected=anyProcess=>{let ipcEmitter=IPC_EMITTERS.
get(anyProcess);return ipcEmitter===void 0?anyProcess.channel!==null:ipcEmitter.connected};var handleSendStrict=({anyProcess,channel:channel2,isSubprocess,message:message6,strict})=>{if(!strict)return message6;let ipcEmitter=getIpcEmitter(
anyProcess,channel2,isSubprocess),hasListeners=hasMessageListeners(anyProcess,ipcEmitter);return{id:count++,type:REQUEST_TYPE,
message:message6,hasListeners}},count=0n,validateStrictDeadlock=(outgoingMessages,wrappedMessage)=>{if(!(wrappedMessage?.
type!==REQUEST_TYPE||wrappedMessage.hasListeners))for(let{id}of outgoingMessages)id!==void 0&&STRICT_RESPONSES[id].resolve(
{isDeadlock:!0,hasListeners:!1})},handleStrictRequest=async({wrappedMessage,anyProcess,channel:channel2,isSubprocess,ipcEmitter})=>{
if(wrappedMessage?.type!==REQUEST_TYPE||!anyProcess.connected)return wrappedMessage;let{id,message:message6}=wrappedMessage,
response={id,type:RESPONSE_TYPE,message:hasMessageListeners(anyProcess,ipcEmitter)};try{await sendMessage({anyProcess,channel:channel2,
isSubprocess,ipc:!0},response)}catch(error){ipcEmitter.emit("strict:error",error)}return message6},handleStrictResponse=wrappedMessage=>{
if(wrappedMessage?.type!==RESPONSE_TYPE)return!1;let{id,message:hasListeners}=wrappedMessage;return STRICT_RESPONSES[id]?.
resolve({isDeadlock:!1,hasListeners}),!0},waitForStrictResponse=async(wrappedMessage,anyProcess,isSubprocess)=>{if(wrappedMessage?.
type!==REQUEST_TYPE)return;let deferred=createDeferred();STRICT_RESPONSES[wrappedMessage.id]=deferred;let controller=new AbortController;
try{let{isDeadlock,hasListeners}=await Promise.race([deferred,throwOnDisconnect(anyProcess,isSubprocess,controller)]);isDeadlock&&
throwOnStrictDeadlockError(isSubprocess),hasListeners||throwOnMissingStrict(isSubprocess)}finally{controller.abort(),delete STRICT_RESPONSES[wrappedMessage.
id]}},STRICT_RESPONSES={},throwOnDisconnect=async(anyProcess,isSubprocess,{signal})=>{incrementMaxListeners(anyProcess,1,
signal),await once3(anyProcess,"disconnect",{signal}),throwOnStrictDisconnect(isSubprocess)},REQUEST_TYPE="execa:ipc:req\
uest",RESPONSE_TYPE="execa:ipc:response";var startSendMessage=(anyProcess,wrappedMessage,strict)=>{OUTGOING_MESSAGES.has(anyProcess)||OUTGOING_MESSAGES.set(anyProcess,
new Set);let outgoingMessages=OUTGOING_MESSAGES.get(anyProcess),onMessageSent=createDeferred(),id=strict?wrappedMessage.
id:void 0,outgoingMessage={onMessageSent,id};return outgoingMessages.add(outgoingMessage),{outgoingMessages,outgoingMessage}},
endSendMessage=({outgoingMessages,outgoingMessage})=>{outgoingMessages.delete(outgoingMessage),outgoingMessage.onMessageSent.
resolve()},waitForOutgoingMessages=async(anyProcess,ipcEmitter,wrappedMessage)=>{for(;!hasMessageListeners(anyProcess,ipcEmitter)&&
OUTGOING_MESSAGES.get(anyProcess)?.size>0;){let outgoingMessages=[...OUTGOING_MESSAGES.get(anyProcess)];validateStrictDeadlock(
outgoingMessages,wrappedMessage),await Promise.all(outgoingMessages.map(({onMessageSent})=>onMessageSent))}},OUTGOING_MESSAGES=new WeakMap,
hasMessageListeners=(anyProcess,ipcEmitter)=>ipcEmitter.listenerCount("message")>getMinListenerCount(anyProcess),getMinListenerCount=anyProcess=>SUBPROCESS_OPTIONS.
has(anyProcess)&&!getFdSpecificValue(SUBPROCESS_OPTIONS.get(anyProcess).options.buffer,"ipc")?1:0;var sendMessage=({anyProcess,channel:channel2,isSubprocess,ipc},message6,{strict=!1}={})=>{let methodName="sendMessage";
return validateIpcMethod({methodName,isSubprocess,ipc,isConnected:anyProcess.connected}),sendMessageAsync({anyProcess,channel:channel2,
methodName,isSubprocess,message:message6,strict})},sendMessageAsync=async({anyProcess,channel:channel2,methodName,isSubprocess,
message:message6,strict})=>{let wrappedMessage=handleSendStrict({anyProcess,channel:channel2,isSubprocess,message:message6,
strict}),outgoingMessagesState=startSendMessage(anyProcess,wrappedMessage,strict);try{await sendOneMessage({anyProcess,methodName,
isSubprocess,wrappedMessage,message:message6})}catch(error){throw disconnect(anyProcess),error}finally{endSendMessage(outgoingMessagesState)}},
sendOneMessage=async({anyProcess,methodName,isSubprocess,wrappedMessage,message:message6})=>{let sendMethod=getSendMethod(
anyProcess);try{await Promise.all([waitForStrictResponse(wrappedMessage,anyProcess,isSubprocess),sendMethod(wrappedMessage)])}catch(error){
throw handleEpipeError({error,methodName,isSubprocess}),handleSerializationError({error,methodName,isSubprocess,message:message6}),
error}},getSendMethod=anyProcess=>{if(PROCESS_SEND_METHODS.has(anyProcess))return PROCESS_SEND_METHODS.get(anyProcess);let sendMethod=promisify(
anyProcess.send.bind(anyProcess));return PROCESS_SEND_METHODS.set(anyProcess,sendMethod),sendMethod},PROCESS_SEND_METHODS=new WeakMap;var sendAbort=(subprocess,message6)=>{let methodName="cancelSignal";return validateConnection(methodName,!1,subprocess.connected),
sendOneMessage({anyProcess:subprocess,methodName,isSubprocess:!1,wrappedMessage:{type:GRACEFUL_CANCEL_TYPE,message:message6},
message:message6})},getCancelSignal=async({anyProcess,channel:channel2,isSubprocess,ipc})=>(await startIpc({anyProcess,channel:channel2,
isSubprocess,ipc}),cancelController.signal),startIpc=async({anyProcess,channel:channel2,isSubprocess,ipc})=>{if(!cancelListening){
if(cancelListening=!0,!ipc){throwOnMissingParent();return}if(channel2===null){abortOnDisconnect();return}getIpcEmitter(anyProcess,
channel2,isSubprocess),await scheduler2.yield()}},cancelListening=!1,handleAbort=wrappedMessage=>wrappedMessage?.type!==
GRACEFUL_CANCEL_TYPE?!1:(cancelController.abort(wrappedMessage.message),!0),GRACEFUL_CANCEL_TYPE="execa:ipc:cancel",abortOnDisconnect=()=>{
cancelController.abort(getAbortDisconnectError())},cancelController=new AbortController;var validateGracefulCancel=({gracefulCancel,cancelSignal,ipc,serialization})=>{if(gracefulCancel){if(cancelSignal===void 0)
throw new Error("The `cancelSignal` option must be defined when setting the `gracefulCancel` option.");if(!ipc)throw new Error(
"The `ipc` option cannot be false when setting the `gracefulCancel` option.");if(serialization==="json")throw new Error(
"The `serialization` option cannot be 'json' when setting the `gracefulCancel` option.")}},throwOnGracefulCancel=({subprocess,
cancelSignal,gracefulCancel,forceKillAfterDelay,context,controller})=>gracefulCancel?[sendOnAbort({subprocess,cancelSignal,
forceKillAfterDelay,context,controller})]:[],sendOnAbort=async({subprocess,cancelSignal,forceKillAfterDelay,context,controller:{
signal}})=>{await onAbortedSignal(cancelSignal,signal);let reason=getReason(cancelSignal);throw await sendAbort(subprocess,
reason),killOnTimeout({kill:subprocess.kill,forceKillAfterDelay,context,controllerSignal:signal}),context.terminationReason??=
"gracefulCancel",cancelSignal.reason},getReason=({reason})=>{if(!(reason instanceof DOMException))return reason;let error=new Error(
reason.message);return Object.defineProperty(error,"stack",{value:reason.stack,enumerable:!1,configurable:!0,writable:!0}),
error};import{setTimeout as setTimeout3}from"node:timers/promises";var validateTimeout=({timeout})=>{if(timeout!==void 0&&(!Number.isFinite(timeout)||timeout<0))throw new TypeError(`Expec\
ted the \`timeout\` option to be a non-negative integer, got \`${timeout}\` (${typeof timeout})`)},throwOnTimeout=(subprocess,timeout,context,controller)=>timeout===
0||timeout===void 0?[]:[killAfterTimeout(subprocess,timeout,context,controller)],killAfterTimeout=async(subprocess,timeout,context,{
signal})=>{throw await setTimeout3(timeout,void 0,{signal}),context.terminationReason??="timeout",subprocess.kill(),new DiscardedError};import{execPath,execArgv}from"node:process";import path3 from"node:path";var mapNode=({options})=>{if(options.node===!1)throw new TypeError('The "node" option cannot be false with `execaNode()`\
.');return{options:{...options,node:!0}}},handleNodeOption=(file,commandArguments,{node:shouldHandleNode=!1,nodePath=execPath,
nodeOptions=execArgv.filter(nodeOption=>!nodeOption.startsWith("--inspect")),cwd,execPath:formerNodePath,...options})=>{
if(formerNodePath!==void 0)throw new TypeError('The "execPath" option has been removed. Please use the "nodePath" option\
 instead.');let normalizedNodePath=safeNormalizeFileUrl(nodePath,'The "nodePath" option'),resolvedNodePath=path3.resolve(
cwd,normalizedNodePath),newOptions={...options,nodePath:resolvedNodePath,node:shouldHandleNode,cwd};if(!shouldHandleNode)
return[file,commandArguments,newOptions];if(path3.basename(file,".exe")==="node")throw new TypeError('When the "node" op\
tion is true, the first argument does not need to be "node".');return[resolvedNodePath,[...nodeOptions,file,...commandArguments],
{ipc:!0,...newOptions,shell:!1}]};import{serialize}from"node:v8";var validateIpcInputOption=({ipcInput,ipc,serialization})=>{if(ipcInput!==void 0){if(!ipc)
throw new Error("The `ipcInput` option cannot be set unless the `ipc` option is `true`.");validateIpcInput[serialization](
ipcInput)}},validateAdvancedInput=ipcInput=>{try{serialize(ipcInput)}catch(error){throw new Error("The `ipcInput` option\
 is not serializable with a structured clone.",{cause:error})}},validateJsonInput=ipcInput=>{try{JSON.stringify(ipcInput)}catch(error){
throw new Error("The `ipcInput` option is not serializable with JSON.",{cause:error})}},validateIpcInput={advanced:validateAdvancedInput,
json:validateJsonInput},sendIpcInput=async(subprocess,ipcInput)=>{ipcInput!==void 0&&await subprocess.sendMessage(ipcInput)};var validateEncoding=({encoding})=>{if(ENCODINGS.has(encoding))return;let correctEncoding=getCorrectEncoding(encoding);if(correctEncoding!==
void 0)throw new TypeError(`Invalid option \`encoding: ${serializeEncoding(encoding)}\`.
Please rename it to ${serializeEncoding(correctEncoding)}.`);let correctEncodings=[...ENCODINGS].map(correctEncoding2=>serializeEncoding(
correctEncoding2)).join(", ");throw new TypeError(`Invalid option \`encoding: ${serializeEncoding(encoding)}\`.
Please rename it to one of: ${correctEncodings}.`)},TEXT_ENCODINGS=new Set(["utf8","utf16le"]),BINARY_ENCODINGS=new Set(
["buffer","hex","base64","base64url","latin1","ascii"]),ENCODINGS=new Set([...TEXT_ENCODINGS,...BINARY_ENCODINGS]),getCorrectEncoding=encoding=>{
if(encoding===null)return"buffer";if(typeof encoding!="string")return;let lowerEncoding=encoding.toLowerCase();if(lowerEncoding in
ENCODING_ALIASES)return ENCODING_ALIASES[lowerEncoding];if(ENCODINGS.has(lowerEncoding))return lowerEncoding},ENCODING_ALIASES={
"utf-8":"utf8","utf-16le":"utf16le","ucs-2":"utf16le",ucs2:"utf16le",binary:"latin1"},serializeEncoding=encoding=>typeof encoding==
"string"?`"${encoding}"`:String(encoding);import{statSync}from"node:fs";import path4 from"node:path";import process5 from"node:process";var normalizeCwd=(cwd=getDefaultCwd())=>{let cwdString=safeNormalizeFileUrl(cwd,'The "cwd" option');return path4.resolve(
cwdString)},getDefaultCwd=()=>{try{return process5.cwd()}catch(error){throw error.message=`The current directory does no\
t exist.
${error.message}`,error}},fixCwdError=(originalMessage,cwd)=>{if(cwd===getDefaultCwd())return originalMessage;let cwdStat;
try{cwdStat=statSync(cwd)}catch(error){return`The "cwd" option is invalid: ${cwd}.
${error.message}
${originalMessage}`}return cwdStat.isDirectory()?originalMessage:`The "cwd" option is not a directory: ${cwd}.
${originalMessage}`};var normalizeOptions=(filePath,rawArguments,rawOptions)=>{rawOptions.cwd=normalizeCwd(rawOptions.cwd);let[processedFile,
processedArguments,processedOptions]=handleNodeOption(filePath,rawArguments,rawOptions),{command:file,args:commandArguments,
options:initialOptions}=import_cross_spawn.default._parse(processedFile,processedArguments,processedOptions),fdOptions=normalizeFdSpecificOptions(
initialOptions),options=addDefaultOptions(fdOptions);return validateTimeout(options),validateEncoding(options),validateIpcInputOption(
options),validateCancelSignal(options),validateGracefulCancel(options),options.shell=normalizeFileUrl(options.shell),options.
env=getEnv(options),options.killSignal=normalizeKillSignal(options.killSignal),options.forceKillAfterDelay=normalizeForceKillAfterDelay(
options.forceKillAfterDelay),options.lines=options.lines.map((lines,fdNumber)=>lines&&!BINARY_ENCODINGS.has(options.encoding)&&
options.buffer[fdNumber]),process6.platform==="win32"&&path5.basename(file,".exe")==="cmd"&&commandArguments.unshift("/q"),
{file,commandArguments,options}},addDefaultOptions=({extendEnv=!0,preferLocal=!1,cwd,localDir:localDirectory=cwd,encoding="\
utf8",reject=!0,cleanup=!0,all=!1,windowsHide=!0,killSignal="SIGTERM",forceKillAfterDelay=!0,gracefulCancel=!1,ipcInput,
ipc=ipcInput!==void 0||gracefulCancel,serialization="advanced",...options})=>({...options,extendEnv,preferLocal,cwd,localDirectory,
encoding,reject,cleanup,all,windowsHide,killSignal,forceKillAfterDelay,gracefulCancel,ipcInput,ipc,serialization}),getEnv=({
env:envOption,extendEnv,preferLocal,node,localDirectory,nodePath})=>{let env=extendEnv?{...process6.env,...envOption}:envOption;
return preferLocal||node?npmRunPathEnv({env,cwd:localDirectory,execPath:nodePath,preferLocal,addExecPath:node}):env};var concatenateShell=(file,commandArguments,options)=>options.shell&&commandArguments.length>0?[[file,...commandArguments].
join(" "),[],options]:[file,commandArguments,options];function stripFinalNewline(input){if(typeof input=="string")return stripFinalNewlineString(input);if(!(ArrayBuffer.isView(
input)&&input.BYTES_PER_ELEMENT===1))throw new Error("Input must be a string or a Uint8Array");return stripFinalNewlineBinary(
input)}var stripFinalNewlineString=input=>input.at(-1)===LF?input.slice(0,input.at(-2)===CR?-2:-1):input,stripFinalNewlineBinary=input=>input.
at(-1)===LF_BINARY?input.subarray(0,input.at(-2)===CR_BINARY?-2:-1):input,LF=`
`,LF_BINARY=LF.codePointAt(0),CR="\r",CR_BINARY=CR.codePointAt(0);import{on}from"node:events";import{finished}from"node:stream/promises";function isStream(stream,{checkOpen=!0}={}){return stream!==null&&typeof stream=="object"&&(stream.writable||stream.readable||
!checkOpen||stream.writable===void 0&&stream.readable===void 0)&&typeof stream.pipe=="function"}function isWritableStream(stream,{
checkOpen=!0}={}){return isStream(stream,{checkOpen})&&(stream.writable||!checkOpen)&&typeof stream.write=="function"&&typeof stream.
end=="function"&&typeof stream.writable=="boolean"&&typeof stream.writableObjectMode=="boolean"&&typeof stream.destroy==
"function"&&typeof stream.destroyed=="boolean"}function isReadableStream(stream,{checkOpen=!0}={}){return isStream(stream,
{checkOpen})&&(stream.readable||!checkOpen)&&typeof stream.read=="function"&&typeof stream.readable=="boolean"&&typeof stream.
readableObjectMode=="boolean"&&typeof stream.destroy=="function"&&typeof stream.destroyed=="boolean"}function isDuplexStream(stream,options){
return isWritableStream(stream,options)&&isReadableStream(stream,options)}var a=Object.getPrototypeOf(Object.getPrototypeOf(async function*(){}).prototype),c=class{#t;#n;#r=!1;#e=void 0;constructor(e,t){
this.#t=e,this.#n=t}next(){let e=()=>this.#s();return this.#e=this.#e?this.#e.then(e,e):e(),this.#e}return(e){let t=()=>this.#i(
e);return this.#e?this.#e.then(t,t):t()}async#s(){if(this.#r)return{done:!0,value:void 0};let e;try{e=await this.#t.read()}catch(t){
throw this.#e=void 0,this.#r=!0,this.#t.releaseLock(),t}return e.done&&(this.#e=void 0,this.#r=!0,this.#t.releaseLock()),
e}async#i(e){if(this.#r)return{done:!0,value:e};if(this.#r=!0,!this.#n){let t=this.#t.cancel(e);return this.#t.releaseLock(),
await t,{done:!0,value:e}}return this.#t.releaseLock(),{done:!0,value:e}}},n=Symbol();function i(){return this[n].next()}
Object.defineProperty(i,"name",{value:"next"});function o(r){return this[n].return(r)}Object.defineProperty(o,"name",{value:"\
return"});var u=Object.create(a,{next:{enumerable:!0,configurable:!0,writable:!0,value:i},return:{enumerable:!0,configurable:!0,
writable:!0,value:o}});function h({preventCancel:r=!1}={}){let e=this.getReader(),t=new c(e,r),s=Object.create(u);return s[n]=
t,s}var getAsyncIterable=stream=>{if(isReadableStream(stream,{checkOpen:!1})&&nodeImports.on!==void 0)return getStreamIterable(
stream);if(typeof stream?.[Symbol.asyncIterator]=="function")return stream;if(toString.call(stream)==="[object ReadableS\
tream]")return h.call(stream);throw new TypeError("The first argument must be a Readable, a ReadableStream, or an async \
iterable.")},{toString}=Object.prototype,getStreamIterable=async function*(stream){let controller=new AbortController,state={};
handleStreamEnd(stream,controller,state);try{for await(let[chunk]of nodeImports.on(stream,"data",{signal:controller.signal}))
yield chunk}catch(error){if(state.error!==void 0)throw state.error;if(!controller.signal.aborted)throw error}finally{stream.
destroy()}},handleStreamEnd=async(stream,controller,state)=>{try{await nodeImports.finished(stream,{cleanup:!0,readable:!0,
writable:!1,error:!1})}catch(error){state.error=error}finally{controller.abort()}},nodeImports={};var getStreamContents=async(stream,{init,convertChunk,getSize,truncateChunk,addChunk,getFinalChunk,finalize},{maxBuffer=Number.
POSITIVE_INFINITY}={})=>{let asyncIterable=getAsyncIterable(stream),state=init();state.length=0;try{for await(let chunk of asyncIterable){
let chunkType=getChunkType(chunk),convertedChunk=convertChunk[chunkType](chunk,state);appendChunk({convertedChunk,state,
getSize,truncateChunk,addChunk,maxBuffer})}return appendFinalChunk({state,convertChunk,getSize,truncateChunk,addChunk,getFinalChunk,
maxBuffer}),finalize(state)}catch(error){let normalizedError=typeof error=="object"&&error!==null?error:new Error(error);
throw normalizedError.bufferedData=finalize(state),normalizedError}},appendFinalChunk=({state,getSize,truncateChunk,addChunk,
getFinalChunk,maxBuffer})=>{let convertedChunk=getFinalChunk(state);convertedChunk!==void 0&&appendChunk({convertedChunk,
state,getSize,truncateChunk,addChunk,maxBuffer})},appendChunk=({convertedChunk,state,getSize,truncateChunk,addChunk,maxBuffer})=>{
let chunkSize=getSize(convertedChunk),newLength=state.length+chunkSize;if(newLength<=maxBuffer){addNewChunk(convertedChunk,
state,addChunk,newLength);return}let truncatedChunk=truncateChunk(convertedChunk,maxBuffer-state.length);throw truncatedChunk!==
void 0&&addNewChunk(truncatedChunk,state,addChunk,maxBuffer),new MaxBufferError},addNewChunk=(convertedChunk,state,addChunk,newLength)=>{
state.contents=addChunk(convertedChunk,state,newLength),state.length=newLength},getChunkType=chunk=>{let typeOfChunk=typeof chunk;
if(typeOfChunk==="string")return"string";if(typeOfChunk!=="object"||chunk===null)return"others";if(globalThis.Buffer?.isBuffer(
chunk))return"buffer";let prototypeName=objectToString2.call(chunk);return prototypeName==="[object ArrayBuffer]"?"array\
Buffer":prototypeName==="[object DataView]"?"dataView":Number.isInteger(chunk.byteLength)&&Number.isInteger(chunk.byteOffset)&&
objectToString2.call(chunk.buffer)==="[object ArrayBuffer]"?"typedArray":"others"},{toString:objectToString2}=Object.prototype,
MaxBufferError=class extends Error{name="MaxBufferError";constructor(){super("maxBuffer exceeded")}};var identity2=value=>value,noop=()=>{},getContentsProperty=({contents})=>contents,throwObjectStream=chunk=>{throw new Error(
`Streams in object mode are not supported: ${String(chunk)}`)},getLengthProperty=convertedChunk=>convertedChunk.length;async function getStreamAsArray(stream,options){return getStreamContents(stream,arrayMethods,options)}var initArray=()=>({
contents:[]}),increment=()=>1,addArrayChunk=(convertedChunk,{contents})=>(contents.push(convertedChunk),contents),arrayMethods={
init:initArray,convertChunk:{string:identity2,buffer:identity2,arrayBuffer:identity2,dataView:identity2,typedArray:identity2,
others:identity2},getSize:increment,truncateChunk:noop,addChunk:addArrayChunk,getFinalChunk:noop,finalize:getContentsProperty};async function getStreamAsArrayBuffer(stream,options){return getStreamContents(stream,arrayBufferMethods,options)}var initArrayBuffer=()=>({
contents:new ArrayBuffer(0)}),useTextEncoder=chunk=>textEncoder2.encode(chunk),textEncoder2=new TextEncoder,useUint8Array=chunk=>new Uint8Array(
chunk),useUint8ArrayWithOffset=chunk=>new Uint8Array(chunk.buffer,chunk.byteOffset,chunk.byteLength),truncateArrayBufferChunk=(convertedChunk,chunkSize)=>convertedChunk.
slice(0,chunkSize),addArrayBufferChunk=(convertedChunk,{contents,length:previousLength},length)=>{let newContents=hasArrayBufferResize()?
resizeArrayBuffer(contents,length):resizeArrayBufferSlow(contents,length);return new Uint8Array(newContents).set(convertedChunk,
previousLength),newContents},resizeArrayBufferSlow=(contents,length)=>{if(length<=contents.byteLength)return contents;let arrayBuffer=new ArrayBuffer(
getNewContentsLength(length));return new Uint8Array(arrayBuffer).set(new Uint8Array(contents),0),arrayBuffer},resizeArrayBuffer=(contents,length)=>{
if(length<=contents.maxByteLength)return contents.resize(length),contents;let arrayBuffer=new ArrayBuffer(length,{maxByteLength:getNewContentsLength(
length)});return new Uint8Array(arrayBuffer).set(new Uint8Array(contents),0),arrayBuffer},getNewContentsLength=length=>SCALE_FACTOR**
Math.ceil(Math.log(length)/Math.log(SCALE_FACTOR)),SCALE_FACTOR=2,finalizeArrayBuffer=({contents,length})=>hasArrayBufferResize()?
contents:contents.slice(0,length),hasArrayBufferResize=()=>"resize"in ArrayBuffer.prototype,arrayBufferMethods={init:initArrayBuffer,
convertChunk:{string:useTextEncoder,buffer:useUint8Array,arrayBuffer:useUint8Array,dataView:useUint8ArrayWithOffset,typedArray:useUint8ArrayWithOffset,
others:throwObjectStream},getSize:getLengthProperty,truncateChunk:truncateArrayBufferChunk,addChunk:addArrayBufferChunk,
getFinalChunk:noop,finalize:finalizeArrayBuffer};async function getStreamAsString(stream,options){return getStreamContents(stream,stringMethods,options)}var initString=()=>({
contents:"",textDecoder:new TextDecoder}),useTextDecoder=(chunk,{textDecoder:textDecoder2})=>textDecoder2.decode(chunk,{
stream:!0}),addStringChunk=(convertedChunk,{contents})=>contents+convertedChunk,truncateStringChunk=(convertedChunk,chunkSize)=>convertedChunk.
slice(0,chunkSize),getFinalStringChunk=({textDecoder:textDecoder2})=>{let finalChunk=textDecoder2.decode();return finalChunk===
""?void 0:finalChunk},stringMethods={init:initString,convertChunk:{string:identity2,buffer:useTextDecoder,arrayBuffer:useTextDecoder,
dataView:useTextDecoder,typedArray:useTextDecoder,others:throwObjectStream},getSize:getLengthProperty,truncateChunk:truncateStringChunk,
addChunk:addStringChunk,getFinalChunk:getFinalStringChunk,finalize:getContentsProperty};Object.assign(nodeImports,{on,finished});var handleMaxBuffer=({error,stream,readableObjectMode,lines,encoding,fdNumber})=>{if(!(error instanceof MaxBufferError))
throw error;if(fdNumber==="all")return error;let unit=getMaxBufferUnit(readableObjectMode,lines,encoding);throw error.maxBufferInfo=
{fdNumber,unit},stream.destroy(),error},getMaxBufferUnit=(readableObjectMode,lines,encoding)=>readableObjectMode?"object\
s":lines?"lines":encoding==="buffer"?"bytes":"characters",checkIpcMaxBuffer=(subprocess,ipcOutput,maxBuffer)=>{if(ipcOutput.
length!==maxBuffer)return;let error=new MaxBufferError;throw error.maxBufferInfo={fdNumber:"ipc"},error},getMaxBufferMessage=(error,maxBuffer)=>{
let{streamName,threshold,unit}=getMaxBufferInfo(error,maxBuffer);return`Command's ${streamName} was larger than ${threshold}\
 ${unit}`},getMaxBufferInfo=(error,maxBuffer)=>{if(error?.maxBufferInfo===void 0)return{streamName:"output",threshold:maxBuffer[1],
unit:"bytes"};let{maxBufferInfo:{fdNumber,unit}}=error;delete error.maxBufferInfo;let threshold=getFdSpecificValue(maxBuffer,
fdNumber);return fdNumber==="ipc"?{streamName:"IPC output",threshold,unit:"messages"}:{streamName:getStreamName(fdNumber),
threshold,unit}},isMaxBufferSync=(resultError,output,maxBuffer)=>resultError?.code==="ENOBUFS"&&output!==null&&output.some(
result=>result!==null&&result.length>getMaxBufferSync(maxBuffer)),truncateMaxBufferSync=(result,isMaxBuffer,maxBuffer)=>{
if(!isMaxBuffer)return result;let maxBufferValue=getMaxBufferSync(maxBuffer);return result.length>maxBufferValue?result.
slice(0,maxBufferValue):result},getMaxBufferSync=([,stdoutMaxBuffer])=>stdoutMaxBuffer;var createMessages=({stdio,all,ipcOutput,originalError,signal,signalDescription,exitCode,escapedCommand,timedOut,isCanceled,
isGracefullyCanceled,isMaxBuffer,isForcefullyTerminated,forceKillAfterDelay,killSignal,maxBuffer,timeout,cwd})=>{let errorCode=originalError?.
code,prefix=getErrorPrefix({originalError,timedOut,timeout,isMaxBuffer,maxBuffer,errorCode,signal,signalDescription,exitCode,
isCanceled,isGracefullyCanceled,isForcefullyTerminated,forceKillAfterDelay,killSignal}),originalMessage=getOriginalMessage(
originalError,cwd),suffix=originalMessage===void 0?"":`
${originalMessage}`,shortMessage=`${prefix}: ${escapedCommand}${suffix}`,messageStdio=all===void 0?[stdio[2],stdio[1]]:[
all],message6=[shortMessage,...messageStdio,...stdio.slice(3),ipcOutput.map(ipcMessage=>serializeIpcMessage(ipcMessage)).
join(`
`)].map(messagePart=>escapeLines(stripFinalNewline(serializeMessagePart(messagePart)))).filter(Boolean).join(`

`);return{originalMessage,shortMessage,message:message6}},getErrorPrefix=({originalError,timedOut,timeout,isMaxBuffer,maxBuffer,
errorCode,signal,signalDescription,exitCode,isCanceled,isGracefullyCanceled,isForcefullyTerminated,forceKillAfterDelay,killSignal})=>{
let forcefulSuffix=getForcefulSuffix(isForcefullyTerminated,forceKillAfterDelay);return timedOut?`Command timed out afte\
r ${timeout} milliseconds${forcefulSuffix}`:isGracefullyCanceled?signal===void 0?`Command was gracefully canceled with e\
xit code ${exitCode}`:isForcefullyTerminated?`Command was gracefully canceled${forcefulSuffix}`:`Command was gracefully \
canceled with ${signal} (${signalDescription})`:isCanceled?`Command was canceled${forcefulSuffix}`:isMaxBuffer?`${getMaxBufferMessage(
originalError,maxBuffer)}${forcefulSuffix}`:errorCode!==void 0?`Command failed with ${errorCode}${forcefulSuffix}`:isForcefullyTerminated?
`Command was killed with ${killSignal} (${getSignalDescription(killSignal)})${forcefulSuffix}`:signal!==void 0?`Command \
was killed with ${signal} (${signalDescription})`:exitCode!==void 0?`Command failed with exit code ${exitCode}`:"Command\
 failed"},getForcefulSuffix=(isForcefullyTerminated,forceKillAfterDelay)=>isForcefullyTerminated?` and was forcefully te\
rminated after ${forceKillAfterDelay} milliseconds`:"",getOriginalMessage=(originalError,cwd)=>{if(originalError instanceof
DiscardedError)return;let originalMessage=isExecaError(originalError)?originalError.originalMessage:String(originalError?.
message??originalError),escapedOriginalMessage=escapeLines(fixCwdError(originalMessage,cwd));return escapedOriginalMessage===
""?void 0:escapedOriginalMessage},serializeIpcMessage=ipcMessage=>typeof ipcMessage=="string"?ipcMessage:inspect(ipcMessage),
serializeMessagePart=messagePart=>Array.isArray(messagePart)?messagePart.map(messageItem=>stripFinalNewline(serializeMessageItem(
messageItem))).filter(Boolean).join(`
`):serializeMessageItem(messagePart),serializeMessageItem=messageItem=>typeof messageItem=="string"?messageItem:isUint8Array(
messageItem)?uint8ArrayToString(messageItem):"";var makeSuccessResult=({command:command2,escapedCommand,stdio,all,ipcOutput,options:{cwd},startTime})=>omitUndefinedProperties(
{command:command2,escapedCommand,cwd,durationMs:getDurationMs(startTime),failed:!1,timedOut:!1,isCanceled:!1,isGracefullyCanceled:!1,
isTerminated:!1,isMaxBuffer:!1,isForcefullyTerminated:!1,exitCode:0,stdout:stdio[1],stderr:stdio[2],all,stdio,ipcOutput,
pipedFrom:[]}),makeEarlyError=({error,command:command2,escapedCommand,fileDescriptors,options,startTime,isSync})=>makeError(
{error,command:command2,escapedCommand,startTime,timedOut:!1,isCanceled:!1,isGracefullyCanceled:!1,isMaxBuffer:!1,isForcefullyTerminated:!1,
stdio:Array.from({length:fileDescriptors.length}),ipcOutput:[],options,isSync}),makeError=({error:originalError,command:command2,
escapedCommand,startTime,timedOut,isCanceled,isGracefullyCanceled,isMaxBuffer,isForcefullyTerminated,exitCode:rawExitCode,
signal:rawSignal,stdio,all,ipcOutput,options:{timeoutDuration,timeout=timeoutDuration,forceKillAfterDelay,killSignal,cwd,
maxBuffer},isSync})=>{let{exitCode,signal,signalDescription}=normalizeExitPayload(rawExitCode,rawSignal),{originalMessage,
shortMessage,message:message6}=createMessages({stdio,all,ipcOutput,originalError,signal,signalDescription,exitCode,escapedCommand,
timedOut,isCanceled,isGracefullyCanceled,isMaxBuffer,isForcefullyTerminated,forceKillAfterDelay,killSignal,maxBuffer,timeout,
cwd}),error=getFinalError(originalError,message6,isSync);return Object.assign(error,getErrorProperties({error,command:command2,
escapedCommand,startTime,timedOut,isCanceled,isGracefullyCanceled,isMaxBuffer,isForcefullyTerminated,exitCode,signal,signalDescription,
stdio,all,ipcOutput,cwd,originalMessage,shortMessage})),error},getErrorProperties=({error,command:command2,escapedCommand,
startTime,timedOut,isCanceled,isGracefullyCanceled,isMaxBuffer,isForcefullyTerminated,exitCode,signal,signalDescription,
stdio,all,ipcOutput,cwd,originalMessage,shortMessage})=>omitUndefinedProperties({shortMessage,originalMessage,command:command2,
escapedCommand,cwd,durationMs:getDurationMs(startTime),failed:!0,timedOut,isCanceled,isGracefullyCanceled,isTerminated:signal!==
void 0,isMaxBuffer,isForcefullyTerminated,exitCode,signal,signalDescription,code:error.cause?.code,stdout:stdio[1],stderr:stdio[2],
all,stdio,ipcOutput,pipedFrom:[]}),omitUndefinedProperties=result=>Object.fromEntries(Object.entries(result).filter(([,value])=>value!==
void 0)),normalizeExitPayload=(rawExitCode,rawSignal)=>{let exitCode=rawExitCode===null?void 0:rawExitCode,signal=rawSignal===
null?void 0:rawSignal,signalDescription=signal===void 0?void 0:getSignalDescription(rawSignal);return{exitCode,signal,signalDescription}};var toZeroIfInfinity=value=>Number.isFinite(value)?value:0;function parseNumber(milliseconds){return{days:Math.trunc(milliseconds/
864e5),hours:Math.trunc(milliseconds/36e5%24),minutes:Math.trunc(milliseconds/6e4%60),seconds:Math.trunc(milliseconds/1e3%
60),milliseconds:Math.trunc(milliseconds%1e3),microseconds:Math.trunc(toZeroIfInfinity(milliseconds*1e3)%1e3),nanoseconds:Math.
trunc(toZeroIfInfinity(milliseconds*1e6)%1e3)}}function parseBigint(milliseconds){return{days:milliseconds/86400000n,hours:milliseconds/
3600000n%24n,minutes:milliseconds/60000n%60n,seconds:milliseconds/1000n%60n,milliseconds:milliseconds%1000n,microseconds:0n,
nanoseconds:0n}}function parseMilliseconds(milliseconds){switch(typeof milliseconds){case"number":{if(Number.isFinite(milliseconds))
return parseNumber(milliseconds);break}case"bigint":return parseBigint(milliseconds)}throw new TypeError("Expected a fin\
ite number or bigint")}var isZero=value=>value===0||value===0n,pluralize=(word,count2)=>count2===1||count2===1n?word:`${word}s`,SECOND_ROUNDING_EPSILON=1e-7,
ONE_DAY_IN_MILLISECONDS=24n*60n*60n*1000n;function prettyMilliseconds(milliseconds,options){let isBigInt=typeof milliseconds==
"bigint";if(!isBigInt&&!Number.isFinite(milliseconds))throw new TypeError("Expected a finite number or bigint");options=
{...options};let sign=milliseconds<0?"-":"";milliseconds=milliseconds<0?-milliseconds:milliseconds,options.colonNotation&&
(options.compact=!1,options.formatSubMilliseconds=!1,options.separateMilliseconds=!1,options.verbose=!1),options.compact&&
(options.unitCount=1,options.secondsDecimalDigits=0,options.millisecondsDecimalDigits=0);let result=[],floorDecimals=(value,decimalDigits)=>{
let flooredInterimValue=Math.floor(value*10**decimalDigits+SECOND_ROUNDING_EPSILON);return(Math.round(flooredInterimValue)/
10**decimalDigits).toFixed(decimalDigits)},add=(value,long,short,valueString)=>{if(!((result.length===0||!options.colonNotation)&&
isZero(value)&&!(options.colonNotation&&short==="m"))){if(valueString??=String(value),options.colonNotation){let wholeDigits=valueString.
includes(".")?valueString.split(".")[0].length:valueString.length,minLength=result.length>0?2:1;valueString="0".repeat(Math.
max(0,minLength-wholeDigits))+valueString}else valueString+=options.verbose?" "+pluralize(long,value):short;result.push(
valueString)}},parsed=parseMilliseconds(milliseconds),days=BigInt(parsed.days);if(options.hideYearAndDays?add(BigInt(days)*
24n+BigInt(parsed.hours),"hour","h"):(options.hideYear?add(days,"day","d"):(add(days/365n,"year","y"),add(days%365n,"day",
"d")),add(Number(parsed.hours),"hour","h")),add(Number(parsed.minutes),"minute","m"),!options.hideSeconds)if(options.separateMilliseconds||
options.formatSubMilliseconds||!options.colonNotation&&milliseconds<1e3&&!options.subSecondsAsDecimals){let seconds2=Number(
parsed.seconds),milliseconds2=Number(parsed.milliseconds),microseconds=Number(parsed.microseconds),nanoseconds=Number(parsed.
nanoseconds);if(add(seconds2,"second","s"),options.formatSubMilliseconds)add(milliseconds2,"millisecond","ms"),add(microseconds,
"microsecond","\xB5s"),add(nanoseconds,"nanosecond","ns");else{let millisecondsAndBelow=milliseconds2+microseconds/1e3+nanoseconds/
1e6,millisecondsDecimalDigits=typeof options.millisecondsDecimalDigits=="number"?options.millisecondsDecimalDigits:0,roundedMilliseconds=millisecondsAndBelow>=
1?Math.round(millisecondsAndBelow):Math.ceil(millisecondsAndBelow),maximumMilliseconds=1e3-10**-millisecondsDecimalDigits,
millisecondsString=millisecondsDecimalDigits?Math.min(millisecondsAndBelow,maximumMilliseconds).toFixed(millisecondsDecimalDigits):
Math.min(roundedMilliseconds,maximumMilliseconds);add(Number.parseFloat(millisecondsString),"millisecond","ms",millisecondsString)}}else{
let seconds2=(isBigInt?Number(milliseconds%ONE_DAY_IN_MILLISECONDS):milliseconds)/1e3%60,secondsDecimalDigits=typeof options.
secondsDecimalDigits=="number"?options.secondsDecimalDigits:1,secondsFixed=floorDecimals(seconds2,secondsDecimalDigits),
secondsString=options.keepDecimalsOnWholeSeconds?secondsFixed:secondsFixed.replace(/\.0+$/,"");add(Number.parseFloat(secondsString),
"second","s",secondsString)}if(result.length===0)return sign+"0"+(options.verbose?" milliseconds":"ms");let separator=options.
colonNotation?":":" ";return typeof options.unitCount=="number"&&(result=result.slice(0,Math.max(options.unitCount,1))),
sign+result.join(separator)}var logError=(result,verboseInfo)=>{result.failed&&verboseLog({type:"error",verboseMessage:result.shortMessage,verboseInfo,
result})};var logResult=(result,verboseInfo)=>{isVerbose(verboseInfo)&&(logError(result,verboseInfo),logDuration(result,verboseInfo))},
logDuration=(result,verboseInfo)=>{let verboseMessage=`(done in ${prettyMilliseconds(result.durationMs)})`;verboseLog({type:"\
duration",verboseMessage,verboseInfo,result})};var handleResult=(result,verboseInfo,{reject})=>{if(logResult(result,verboseInfo),result.failed&&reject)throw result;return result};import{readFileSync as readFileSync2}from"node:fs";var getStdioItemType=(value,optionName)=>isAsyncGenerator(value)?"asyncGenerator":isSyncGenerator(value)?"generator":isUrl(
value)?"fileUrl":isFilePathObject(value)?"filePath":isWebStream(value)?"webStream":isStream(value,{checkOpen:!1})?"nativ\
e":isUint8Array(value)?"uint8Array":isAsyncIterableObject(value)?"asyncIterable":isIterableObject(value)?"iterable":isTransformStream(
value)?getTransformStreamType({transform:value},optionName):isTransformOptions(value)?getTransformObjectType(value,optionName):
"native",getTransformObjectType=(value,optionName)=>isDuplexStream(value.transform,{checkOpen:!1})?getDuplexType(value,optionName):
isTransformStream(value.transform)?getTransformStreamType(value,optionName):getGeneratorObjectType(value,optionName),getDuplexType=(value,optionName)=>(validateNonGeneratorType(
value,optionName,"Duplex stream"),"duplex"),getTransformStreamType=(value,optionName)=>(validateNonGeneratorType(value,optionName,
"web TransformStream"),"webTransform"),validateNonGeneratorType=({final,binary,objectMode},optionName,typeName)=>{checkUndefinedOption(
final,`${optionName}.final`,typeName),checkUndefinedOption(binary,`${optionName}.binary`,typeName),checkBooleanOption(objectMode,
`${optionName}.objectMode`)},checkUndefinedOption=(value,optionName,typeName)=>{if(value!==void 0)throw new TypeError(`T\
he \`${optionName}\` option can only be defined when using a generator, not a ${typeName}.`)},getGeneratorObjectType=({transform,
final,binary,objectMode},optionName)=>{if(transform!==void 0&&!isGenerator(transform))throw new TypeError(`The \`${optionName}\
.transform\` option must be a generator, a Duplex stream or a web TransformStream.`);if(isDuplexStream(final,{checkOpen:!1}))
throw new TypeError(`The \`${optionName}.final\` option must not be a Duplex stream.`);if(isTransformStream(final))throw new TypeError(
`The \`${optionName}.final\` option must not be a web TransformStream.`);if(final!==void 0&&!isGenerator(final))throw new TypeError(
`The \`${optionName}.final\` option must be a generator.`);return checkBooleanOption(binary,`${optionName}.binary`),checkBooleanOption(
objectMode,`${optionName}.objectMode`),isAsyncGenerator(transform)||isAsyncGenerator(final)?"asyncGenerator":"generator"},
checkBooleanOption=(value,optionName)=>{if(value!==void 0&&typeof value!="boolean")throw new TypeError(`The \`${optionName}\
\` option must use a boolean.`)},isGenerator=value=>isAsyncGenerator(value)||isSyncGenerator(value),isAsyncGenerator=value=>Object.
prototype.toString.call(value)==="[object AsyncGeneratorFunction]",isSyncGenerator=value=>Object.prototype.toString.call(
value)==="[object GeneratorFunction]",isTransformOptions=value=>isPlainObject(value)&&(value.transform!==void 0||value.final!==
void 0),isUrl=value=>Object.prototype.toString.call(value)==="[object URL]",isRegularUrl=value=>isUrl(value)&&value.protocol!==
"file:",isFilePathObject=value=>isPlainObject(value)&&Object.keys(value).length>0&&Object.keys(value).every(key=>FILE_PATH_KEYS.
has(key))&&isFilePathString(value.file),FILE_PATH_KEYS=new Set(["file","append"]),isFilePathString=file=>typeof file=="s\
tring",isUnknownStdioString=(type,value)=>type==="native"&&typeof value=="string"&&!KNOWN_STDIO_STRINGS.has(value),KNOWN_STDIO_STRINGS=new Set(
["ipc","ignore","inherit","overlapped","pipe"]),isReadableStream2=value=>Object.prototype.toString.call(value)==="[objec\
t ReadableStream]",isWritableStream2=value=>Object.prototype.toString.call(value)==="[object WritableStream]",isWebStream=value=>isReadableStream2(
value)||isWritableStream2(value),isTransformStream=value=>isReadableStream2(value?.readable)&&isWritableStream2(value?.writable),
isAsyncIterableObject=value=>isObject(value)&&typeof value[Symbol.asyncIterator]=="function",isIterableObject=value=>isObject(
value)&&typeof value[Symbol.iterator]=="function",isObject=value=>typeof value=="object"&&value!==null,TRANSFORM_TYPES=new Set(
["generator","asyncGenerator","duplex","webTransform"]),FILE_TYPES=new Set(["fileUrl","filePath","fileNumber"]),SPECIAL_DUPLICATE_TYPES_SYNC=new Set(
["fileUrl","filePath"]),SPECIAL_DUPLICATE_TYPES=new Set([...SPECIAL_DUPLICATE_TYPES_SYNC,"webStream","nodeStream"]),FORBID_DUPLICATE_TYPES=new Set(
["webTransform","duplex"]),TYPE_TO_MESSAGE={generator:"a generator",asyncGenerator:"an async generator",fileUrl:"a file \
URL",filePath:"a file path string",fileNumber:"a file descriptor number",webStream:"a web stream",nodeStream:"a Node.js \
stream",webTransform:"a web TransformStream",duplex:"a Duplex stream",native:"any value",iterable:"an iterable",asyncIterable:"\
an async iterable",string:"a string",uint8Array:"a Uint8Array"};var getTransformObjectModes=(objectMode,index,newTransforms,direction)=>direction==="output"?getOutputObjectModes(objectMode,
index,newTransforms):getInputObjectModes(objectMode,index,newTransforms),getOutputObjectModes=(objectMode,index,newTransforms)=>{
let writableObjectMode=index!==0&&newTransforms[index-1].value.readableObjectMode;return{writableObjectMode,readableObjectMode:objectMode??
writableObjectMode}},getInputObjectModes=(objectMode,index,newTransforms)=>{let writableObjectMode=index===0?objectMode===
!0:newTransforms[index-1].value.readableObjectMode,readableObjectMode=index!==newTransforms.length-1&&(objectMode??writableObjectMode);
return{writableObjectMode,readableObjectMode}},getFdObjectMode=(stdioItems,direction)=>{let lastTransform=stdioItems.findLast(
({type})=>TRANSFORM_TYPES.has(type));return lastTransform===void 0?!1:direction==="input"?lastTransform.value.writableObjectMode:
lastTransform.value.readableObjectMode};var normalizeTransforms=(stdioItems,optionName,direction,options)=>[...stdioItems.filter(({type})=>!TRANSFORM_TYPES.has(
type)),...getTransforms(stdioItems,optionName,direction,options)],getTransforms=(stdioItems,optionName,direction,{encoding})=>{
let transforms=stdioItems.filter(({type})=>TRANSFORM_TYPES.has(type)),newTransforms=Array.from({length:transforms.length});
for(let[index,stdioItem]of Object.entries(transforms))newTransforms[index]=normalizeTransform({stdioItem,index:Number(index),
newTransforms,optionName,direction,encoding});return sortTransforms(newTransforms,direction)},normalizeTransform=({stdioItem,
stdioItem:{type},index,newTransforms,optionName,direction,encoding})=>type==="duplex"?normalizeDuplex({stdioItem,optionName}):
type==="webTransform"?normalizeTransformStream({stdioItem,index,newTransforms,direction}):normalizeGenerator({stdioItem,
index,newTransforms,direction,encoding}),normalizeDuplex=({stdioItem,stdioItem:{value:{transform,transform:{writableObjectMode,
readableObjectMode},objectMode=readableObjectMode}},optionName})=>{if(objectMode&&!readableObjectMode)throw new TypeError(
`The \`${optionName}.objectMode\` option can only be \`true\` if \`new Duplex({objectMode: true})\` is used.`);if(!objectMode&&
readableObjectMode)throw new TypeError(`The \`${optionName}.objectMode\` option cannot be \`false\` if \`new Duplex({objectM\
ode: true})\` is used.`);return{...stdioItem,value:{transform,writableObjectMode,readableObjectMode}}},normalizeTransformStream=({
stdioItem,stdioItem:{value},index,newTransforms,direction})=>{let{transform,objectMode}=isPlainObject(value)?value:{transform:value},
{writableObjectMode,readableObjectMode}=getTransformObjectModes(objectMode,index,newTransforms,direction);return{...stdioItem,
value:{transform,writableObjectMode,readableObjectMode}}},normalizeGenerator=({stdioItem,stdioItem:{value},index,newTransforms,
direction,encoding})=>{let{transform,final,binary:binaryOption=!1,preserveNewlines=!1,objectMode}=isPlainObject(value)?value:
{transform:value},binary=binaryOption||BINARY_ENCODINGS.has(encoding),{writableObjectMode,readableObjectMode}=getTransformObjectModes(
objectMode,index,newTransforms,direction);return{...stdioItem,value:{transform,final,binary,preserveNewlines,writableObjectMode,
readableObjectMode}}},sortTransforms=(newTransforms,direction)=>direction==="input"?newTransforms.reverse():newTransforms;import process7 from"node:process";var getStreamDirection=(stdioItems,fdNumber,optionName)=>{let directions=stdioItems.map(stdioItem=>getStdioItemDirection(
stdioItem,fdNumber));if(directions.includes("input")&&directions.includes("output"))throw new TypeError(`The \`${optionName}\
\` option must not be an array of both readable and writable values.`);return directions.find(Boolean)??DEFAULT_DIRECTION},
getStdioItemDirection=({type,value},fdNumber)=>KNOWN_DIRECTIONS[fdNumber]??guessStreamDirection[type](value),KNOWN_DIRECTIONS=[
"input","output","output"],anyDirection=()=>{},alwaysInput=()=>"input",guessStreamDirection={generator:anyDirection,asyncGenerator:anyDirection,
fileUrl:anyDirection,filePath:anyDirection,iterable:alwaysInput,asyncIterable:alwaysInput,uint8Array:alwaysInput,webStream:value=>isWritableStream2(
value)?"output":"input",nodeStream(value){return isReadableStream(value,{checkOpen:!1})?isWritableStream(value,{checkOpen:!1})?
void 0:"input":"output"},webTransform:anyDirection,duplex:anyDirection,native(value){let standardStreamDirection=getStandardStreamDirection(
value);if(standardStreamDirection!==void 0)return standardStreamDirection;if(isStream(value,{checkOpen:!1}))return guessStreamDirection.
nodeStream(value)}},getStandardStreamDirection=value=>{if([0,process7.stdin].includes(value))return"input";if([1,2,process7.
stdout,process7.stderr].includes(value))return"output"},DEFAULT_DIRECTION="output";var normalizeIpcStdioArray=(stdioArray,ipc)=>ipc&&!stdioArray.includes("ipc")?[...stdioArray,"ipc"]:stdioArray;var normalizeStdioOption=({stdio,ipc,buffer,...options},verboseInfo,isSync)=>{let stdioArray=getStdioArray(stdio,options).
map((stdioOption,fdNumber)=>addDefaultValue2(stdioOption,fdNumber));return isSync?normalizeStdioSync(stdioArray,buffer,verboseInfo):
normalizeIpcStdioArray(stdioArray,ipc)},getStdioArray=(stdio,options)=>{if(stdio===void 0)return STANDARD_STREAMS_ALIASES.
map(alias=>options[alias]);if(hasAlias(options))throw new Error(`It's not possible to provide \`stdio\` in combination wit\
h one of ${STANDARD_STREAMS_ALIASES.map(alias=>`\`${alias}\``).join(", ")}`);if(typeof stdio=="string")return[stdio,stdio,
stdio];if(!Array.isArray(stdio))throw new TypeError(`Expected \`stdio\` to be of type \`string\` or \`Array\`, got \`${typeof stdio}\
\``);let length=Math.max(stdio.length,STANDARD_STREAMS_ALIASES.length);return Array.from({length},(_,fdNumber)=>stdio[fdNumber])},
hasAlias=options=>STANDARD_STREAMS_ALIASES.some(alias=>options[alias]!==void 0),addDefaultValue2=(stdioOption,fdNumber)=>Array.
isArray(stdioOption)?stdioOption.map(item=>addDefaultValue2(item,fdNumber)):stdioOption??(fdNumber>=STANDARD_STREAMS_ALIASES.
length?"ignore":"pipe"),normalizeStdioSync=(stdioArray,buffer,verboseInfo)=>stdioArray.map((stdioOption,fdNumber)=>!buffer[fdNumber]&&
fdNumber!==0&&!isFullVerbose(verboseInfo,fdNumber)&&isOutputPipeOnly(stdioOption)?"ignore":stdioOption),isOutputPipeOnly=stdioOption=>stdioOption===
"pipe"||Array.isArray(stdioOption)&&stdioOption.every(item=>item==="pipe");import{readFileSync}from"node:fs";import tty2 from"node:tty";var handleNativeStream=({stdioItem,stdioItem:{type},isStdioArray,fdNumber,direction,isSync})=>!isStdioArray||type!=="nat\
ive"?stdioItem:isSync?handleNativeStreamSync({stdioItem,fdNumber,direction}):handleNativeStreamAsync({stdioItem,fdNumber}),
handleNativeStreamSync=({stdioItem,stdioItem:{value,optionName},fdNumber,direction})=>{let targetFd=getTargetFd({value,optionName,
fdNumber,direction});if(targetFd!==void 0)return targetFd;if(isStream(value,{checkOpen:!1}))throw new TypeError(`The \`${optionName}\
: Stream\` option cannot both be an array and include a stream with synchronous methods.`);return stdioItem},getTargetFd=({
value,optionName,fdNumber,direction})=>{let targetFdNumber=getTargetFdNumber(value,fdNumber);if(targetFdNumber!==void 0){
if(direction==="output")return{type:"fileNumber",value:targetFdNumber,optionName};if(tty2.isatty(targetFdNumber))throw new TypeError(
`The \`${optionName}: ${serializeOptionValue(value)}\` option is invalid: it cannot be a TTY with synchronous methods.`);
return{type:"uint8Array",value:bufferToUint8Array(readFileSync(targetFdNumber)),optionName}}},getTargetFdNumber=(value,fdNumber)=>{
if(value==="inherit")return fdNumber;if(typeof value=="number")return value;let standardStreamIndex=STANDARD_STREAMS.indexOf(
value);if(standardStreamIndex!==-1)return standardStreamIndex},handleNativeStreamAsync=({stdioItem,stdioItem:{value,optionName},
fdNumber})=>value==="inherit"?{type:"nodeStream",value:getStandardStream(fdNumber,value,optionName),optionName}:typeof value==
"number"?{type:"nodeStream",value:getStandardStream(value,value,optionName),optionName}:isStream(value,{checkOpen:!1})?{
type:"nodeStream",value,optionName}:stdioItem,getStandardStream=(fdNumber,value,optionName)=>{let standardStream=STANDARD_STREAMS[fdNumber];
if(standardStream===void 0)throw new TypeError(`The \`${optionName}: ${value}\` option is invalid: no such standard strea\
m.`);return standardStream};var handleInputOptions=({input,inputFile},fdNumber)=>fdNumber===0?[...handleInputOption(input),...handleInputFileOption(
inputFile)]:[],handleInputOption=input=>input===void 0?[]:[{type:getInputType(input),value:input,optionName:"input"}],getInputType=input=>{
if(isReadableStream(input,{checkOpen:!1}))return"nodeStream";if(typeof input=="string")return"string";if(isUint8Array(input))
return"uint8Array";throw new Error("The `input` option must be a string, a Uint8Array or a Node.js Readable stream.")},handleInputFileOption=inputFile=>inputFile===
void 0?[]:[{...getInputFileType(inputFile),optionName:"inputFile"}],getInputFileType=inputFile=>{if(isUrl(inputFile))return{
type:"fileUrl",value:inputFile};if(isFilePathString(inputFile))return{type:"filePath",value:{file:inputFile}};throw new Error(
"The `inputFile` option must be a file path string or a file URL.")};var filterDuplicates=stdioItems=>stdioItems.filter((stdioItemOne,indexOne)=>stdioItems.every((stdioItemTwo,indexTwo)=>stdioItemOne.
value!==stdioItemTwo.value||indexOne>=indexTwo||stdioItemOne.type==="generator"||stdioItemOne.type==="asyncGenerator")),
getDuplicateStream=({stdioItem:{type,value,optionName},direction,fileDescriptors,isSync})=>{let otherStdioItems=getOtherStdioItems(
fileDescriptors,type);if(otherStdioItems.length!==0){if(isSync){validateDuplicateStreamSync({otherStdioItems,type,value,
optionName,direction});return}if(SPECIAL_DUPLICATE_TYPES.has(type))return getDuplicateStreamInstance({otherStdioItems,type,
value,optionName,direction});FORBID_DUPLICATE_TYPES.has(type)&&validateDuplicateTransform({otherStdioItems,type,value,optionName})}},
getOtherStdioItems=(fileDescriptors,type)=>fileDescriptors.flatMap(({direction,stdioItems})=>stdioItems.filter(stdioItem=>stdioItem.
type===type).map((stdioItem=>({...stdioItem,direction})))),validateDuplicateStreamSync=({otherStdioItems,type,value,optionName,
direction})=>{SPECIAL_DUPLICATE_TYPES_SYNC.has(type)&&getDuplicateStreamInstance({otherStdioItems,type,value,optionName,
direction})},getDuplicateStreamInstance=({otherStdioItems,type,value,optionName,direction})=>{let duplicateStdioItems=otherStdioItems.
filter(stdioItem=>hasSameValue(stdioItem,value));if(duplicateStdioItems.length===0)return;let differentStdioItem=duplicateStdioItems.
find(stdioItem=>stdioItem.direction!==direction);return throwOnDuplicateStream(differentStdioItem,optionName,type),direction===
"output"?duplicateStdioItems[0].stream:void 0},hasSameValue=({type,value},secondValue)=>type==="filePath"?value.file===secondValue.
file:type==="fileUrl"?value.href===secondValue.href:value===secondValue,validateDuplicateTransform=({otherStdioItems,type,
value,optionName})=>{let duplicateStdioItem=otherStdioItems.find(({value:{transform}})=>transform===value.transform);throwOnDuplicateStream(
duplicateStdioItem,optionName,type)},throwOnDuplicateStream=(stdioItem,optionName,type)=>{if(stdioItem!==void 0)throw new TypeError(
`The \`${stdioItem.optionName}\` and \`${optionName}\` options must not target ${TYPE_TO_MESSAGE[type]} that is the same\
.`)};var handleStdio=(addProperties3,options,verboseInfo,isSync)=>{let initialFileDescriptors=normalizeStdioOption(options,verboseInfo,
isSync).map((stdioOption,fdNumber)=>getFileDescriptor({stdioOption,fdNumber,options,isSync})),fileDescriptors=getFinalFileDescriptors(
{initialFileDescriptors,addProperties:addProperties3,options,isSync});return options.stdio=fileDescriptors.map(({stdioItems})=>forwardStdio(
stdioItems)),fileDescriptors},getFileDescriptor=({stdioOption,fdNumber,options,isSync})=>{let optionName=getStreamName(fdNumber),
{stdioItems:initialStdioItems,isStdioArray}=initializeStdioItems({stdioOption,fdNumber,options,optionName}),direction=getStreamDirection(
initialStdioItems,fdNumber,optionName),stdioItems=initialStdioItems.map(stdioItem=>handleNativeStream({stdioItem,isStdioArray,
fdNumber,direction,isSync})),normalizedStdioItems=normalizeTransforms(stdioItems,optionName,direction,options),objectMode=getFdObjectMode(
normalizedStdioItems,direction);return validateFileObjectMode(normalizedStdioItems,objectMode),{direction,objectMode,stdioItems:normalizedStdioItems}},
initializeStdioItems=({stdioOption,fdNumber,options,optionName})=>{let initialStdioItems=[...(Array.isArray(stdioOption)?
stdioOption:[stdioOption]).map(value=>initializeStdioItem(value,optionName)),...handleInputOptions(options,fdNumber)],stdioItems=filterDuplicates(
initialStdioItems),isStdioArray=stdioItems.length>1;return validateStdioArray(stdioItems,isStdioArray,optionName),validateStreams(
stdioItems),{stdioItems,isStdioArray}},initializeStdioItem=(value,optionName)=>({type:getStdioItemType(value,optionName),
value,optionName}),validateStdioArray=(stdioItems,isStdioArray,optionName)=>{if(stdioItems.length===0)throw new TypeError(
`The \`${optionName}\` option must not be an empty array.`);if(isStdioArray){for(let{value,optionName:optionName2}of stdioItems)
if(INVALID_STDIO_ARRAY_OPTIONS.has(value))throw new Error(`The \`${optionName2}\` option must not include \`${value}\`.`)}},
INVALID_STDIO_ARRAY_OPTIONS=new Set(["ignore","ipc"]),validateStreams=stdioItems=>{for(let stdioItem of stdioItems)validateFileStdio(
stdioItem)},validateFileStdio=({type,value,optionName})=>{if(isRegularUrl(value))throw new TypeError(`The \`${optionName}\
: URL\` option must use the \`file:\` scheme.
For example, you can use the \`pathToFileURL()\` method of the \`url\` core module.`);if(isUnknownStdioString(type,value))
throw new TypeError(`The \`${optionName}: { file: '...' }\` option must be used instead of \`${optionName}: '...'\`.`)},
validateFileObjectMode=(stdioItems,objectMode)=>{if(!objectMode)return;let fileStdioItem=stdioItems.find(({type})=>FILE_TYPES.
has(type));if(fileStdioItem!==void 0)throw new TypeError(`The \`${fileStdioItem.optionName}\` option cannot use both file\
s and transforms in objectMode.`)},getFinalFileDescriptors=({initialFileDescriptors,addProperties:addProperties3,options,
isSync})=>{let fileDescriptors=[];try{for(let fileDescriptor of initialFileDescriptors)fileDescriptors.push(getFinalFileDescriptor(
{fileDescriptor,fileDescriptors,addProperties:addProperties3,options,isSync}));return fileDescriptors}catch(error){throw cleanupCustomStreams(
fileDescriptors),error}},getFinalFileDescriptor=({fileDescriptor:{direction,objectMode,stdioItems},fileDescriptors,addProperties:addProperties3,
options,isSync})=>{let finalStdioItems=stdioItems.map(stdioItem=>addStreamProperties({stdioItem,addProperties:addProperties3,
direction,options,fileDescriptors,isSync}));return{direction,objectMode,stdioItems:finalStdioItems}},addStreamProperties=({
stdioItem,addProperties:addProperties3,direction,options,fileDescriptors,isSync})=>{let duplicateStream=getDuplicateStream(
{stdioItem,direction,fileDescriptors,isSync});return duplicateStream!==void 0?{...stdioItem,stream:duplicateStream}:{...stdioItem,
...addProperties3[direction][stdioItem.type](stdioItem,options)}},cleanupCustomStreams=fileDescriptors=>{for(let{stdioItems}of fileDescriptors)
for(let{stream}of stdioItems)stream!==void 0&&!isStandardStream(stream)&&stream.destroy()},forwardStdio=stdioItems=>{if(stdioItems.
length>1)return stdioItems.some(({value:value2})=>value2==="overlapped")?"overlapped":"pipe";let[{type,value}]=stdioItems;
return type==="native"?value:"pipe"};var handleStdioSync=(options,verboseInfo)=>handleStdio(addPropertiesSync,options,verboseInfo,!0),forbiddenIfSync=({type,
optionName})=>{throwInvalidSyncValue(optionName,TYPE_TO_MESSAGE[type])},forbiddenNativeIfSync=({optionName,value})=>((value===
"ipc"||value==="overlapped")&&throwInvalidSyncValue(optionName,`"${value}"`),{}),throwInvalidSyncValue=(optionName,value)=>{
throw new TypeError(`The \`${optionName}\` option cannot be ${value} with synchronous methods.`)},addProperties={generator(){},
asyncGenerator:forbiddenIfSync,webStream:forbiddenIfSync,nodeStream:forbiddenIfSync,webTransform:forbiddenIfSync,duplex:forbiddenIfSync,
asyncIterable:forbiddenIfSync,native:forbiddenNativeIfSync},addPropertiesSync={input:{...addProperties,fileUrl:({value})=>({
contents:[bufferToUint8Array(readFileSync2(value))]}),filePath:({value:{file}})=>({contents:[bufferToUint8Array(readFileSync2(
file))]}),fileNumber:forbiddenIfSync,iterable:({value})=>({contents:[...value]}),string:({value})=>({contents:[value]}),
uint8Array:({value})=>({contents:[value]})},output:{...addProperties,fileUrl:({value})=>({path:value}),filePath:({value:{
file,append:append2}})=>({path:file,append:append2}),fileNumber:({value})=>({path:value}),iterable:forbiddenIfSync,string:forbiddenIfSync,
uint8Array:forbiddenIfSync}};var stripNewline=(value,{stripFinalNewline:stripFinalNewline2},fdNumber)=>getStripFinalNewline(stripFinalNewline2,fdNumber)&&
value!==void 0&&!Array.isArray(value)?stripFinalNewline(value):value,getStripFinalNewline=(stripFinalNewline2,fdNumber)=>fdNumber===
"all"?stripFinalNewline2[1]||stripFinalNewline2[2]:stripFinalNewline2[fdNumber];import{Transform,getDefaultHighWaterMark}from"node:stream";var getSplitLinesGenerator=(binary,preserveNewlines,skipped,state)=>binary||skipped?void 0:initializeSplitLines(preserveNewlines,
state),splitLinesSync=(chunk,preserveNewlines,objectMode)=>objectMode?chunk.flatMap(item=>splitLinesItemSync(item,preserveNewlines)):
splitLinesItemSync(chunk,preserveNewlines),splitLinesItemSync=(chunk,preserveNewlines)=>{let{transform,final}=initializeSplitLines(
preserveNewlines,{});return[...transform(chunk),...final()]},initializeSplitLines=(preserveNewlines,state)=>(state.previousChunks=
"",{transform:splitGenerator.bind(void 0,state,preserveNewlines),final:linesFinal.bind(void 0,state)}),splitGenerator=function*(state,preserveNewlines,chunk){
if(typeof chunk!="string"){yield chunk;return}let{previousChunks}=state,start2=-1;for(let end=0;end<chunk.length;end+=1)
if(chunk[end]===`
`){let newlineLength=getNewlineLength(chunk,end,preserveNewlines,state),line=chunk.slice(start2+1,end+1-newlineLength);previousChunks.
length>0&&(line=concatString(previousChunks,line),previousChunks=""),yield line,start2=end}start2!==chunk.length-1&&(previousChunks=
concatString(previousChunks,chunk.slice(start2+1))),state.previousChunks=previousChunks},getNewlineLength=(chunk,end,preserveNewlines,state)=>preserveNewlines?
0:(state.isWindowsNewline=end!==0&&chunk[end-1]==="\r",state.isWindowsNewline?2:1),linesFinal=function*({previousChunks}){
previousChunks.length>0&&(yield previousChunks)},getAppendNewlineGenerator=({binary,preserveNewlines,readableObjectMode,
state})=>binary||preserveNewlines||readableObjectMode?void 0:{transform:appendNewlineGenerator.bind(void 0,state)},appendNewlineGenerator=function*({
isWindowsNewline=!1},chunk){let{unixNewline,windowsNewline,LF:LF2,concatBytes}=typeof chunk=="string"?linesStringInfo:linesUint8ArrayInfo;
if(chunk.at(-1)===LF2){yield chunk;return}yield concatBytes(chunk,isWindowsNewline?windowsNewline:unixNewline)},concatString=(firstChunk,secondChunk)=>`${firstChunk}${secondChunk}`,
linesStringInfo={windowsNewline:`\r
`,unixNewline:`
`,LF:`
`,concatBytes:concatString},concatUint8Array=(firstChunk,secondChunk)=>{let chunk=new Uint8Array(firstChunk.length+secondChunk.
length);return chunk.set(firstChunk,0),chunk.set(secondChunk,firstChunk.length),chunk},linesUint8ArrayInfo={windowsNewline:new Uint8Array(
[13,10]),unixNewline:new Uint8Array([10]),LF:10,concatBytes:concatUint8Array};import{Buffer as Buffer2}from"node:buffer";var getValidateTransformInput=(writableObjectMode,optionName)=>writableObjectMode?void 0:validateStringTransformInput.bind(
void 0,optionName),validateStringTransformInput=function*(optionName,chunk){if(typeof chunk!="string"&&!isUint8Array(chunk)&&
!Buffer2.isBuffer(chunk))throw new TypeError(`The \`${optionName}\` option's transform must use "objectMode: true" to rec\
eive as input: ${typeof chunk}.`);yield chunk},getValidateTransformReturn=(readableObjectMode,optionName)=>readableObjectMode?
validateObjectTransformReturn.bind(void 0,optionName):validateStringTransformReturn.bind(void 0,optionName),validateObjectTransformReturn=function*(optionName,chunk){
validateEmptyReturn(optionName,chunk),yield chunk},validateStringTransformReturn=function*(optionName,chunk){if(validateEmptyReturn(
optionName,chunk),typeof chunk!="string"&&!isUint8Array(chunk))throw new TypeError(`The \`${optionName}\` option's functi\
on must yield a string or an Uint8Array, not ${typeof chunk}.`);yield chunk},validateEmptyReturn=(optionName,chunk)=>{if(chunk==
null)throw new TypeError(`The \`${optionName}\` option's function must not call \`yield ${chunk}\`.
Instead, \`yield\` should either be called with a value, or not be called at all. For example:
  if (condition) { yield value; }`)};import{Buffer as Buffer3}from"node:buffer";import{StringDecoder as StringDecoder2}from"node:string_decoder";var getEncodingTransformGenerator=(binary,encoding,skipped)=>{if(skipped)return;if(binary)return{transform:encodingUint8ArrayGenerator.
bind(void 0,new TextEncoder)};let stringDecoder=new StringDecoder2(encoding);return{transform:encodingStringGenerator.bind(
void 0,stringDecoder),final:encodingStringFinal.bind(void 0,stringDecoder)}},encodingUint8ArrayGenerator=function*(textEncoder3,chunk){
Buffer3.isBuffer(chunk)?yield bufferToUint8Array(chunk):typeof chunk=="string"?yield textEncoder3.encode(chunk):yield chunk},
encodingStringGenerator=function*(stringDecoder,chunk){yield isUint8Array(chunk)?stringDecoder.write(chunk):chunk},encodingStringFinal=function*(stringDecoder){
let lastChunk=stringDecoder.end();lastChunk!==""&&(yield lastChunk)};var pushChunks=callbackify(async(getChunks,state,getChunksArguments,transformStream)=>{state.currentIterable=getChunks(...getChunksArguments);
try{for await(let chunk of state.currentIterable)transformStream.push(chunk)}finally{delete state.currentIterable}}),transformChunk=async function*(chunk,generators,index){
if(index===generators.length){yield chunk;return}let{transform=identityGenerator}=generators[index];for await(let transformedChunk of transform(
chunk))yield*transformChunk(transformedChunk,generators,index+1)},finalChunks=async function*(generators){for(let[index,
{final}]of Object.entries(generators))yield*generatorFinalChunks(final,Number(index),generators)},generatorFinalChunks=async function*(final,index,generators){
if(final!==void 0)for await(let finalChunk of final())yield*transformChunk(finalChunk,generators,index+1)},destroyTransform=callbackify(
async({currentIterable},error)=>{if(currentIterable!==void 0){await(error?currentIterable.throw(error):currentIterable.return());
return}if(error)throw error}),identityGenerator=function*(chunk){yield chunk};var pushChunksSync=(getChunksSync,getChunksArguments,transformStream,done)=>{try{for(let chunk of getChunksSync(...getChunksArguments))
transformStream.push(chunk);done()}catch(error){done(error)}},runTransformSync=(generators,chunks)=>[...chunks.flatMap(chunk=>[
...transformChunkSync(chunk,generators,0)]),...finalChunksSync(generators)],transformChunkSync=function*(chunk,generators,index){
if(index===generators.length){yield chunk;return}let{transform=identityGenerator2}=generators[index];for(let transformedChunk of transform(
chunk))yield*transformChunkSync(transformedChunk,generators,index+1)},finalChunksSync=function*(generators){for(let[index,
{final}]of Object.entries(generators))yield*generatorFinalChunksSync(final,Number(index),generators)},generatorFinalChunksSync=function*(final,index,generators){
if(final!==void 0)for(let finalChunk of final())yield*transformChunkSync(finalChunk,generators,index+1)},identityGenerator2=function*(chunk){
yield chunk};var generatorToStream=({value,value:{transform,final,writableObjectMode,readableObjectMode},optionName},{encoding})=>{let state={},
generators=addInternalGenerators(value,encoding,optionName),transformAsync=isAsyncGenerator(transform),finalAsync=isAsyncGenerator(
final),transformMethod=transformAsync?pushChunks.bind(void 0,transformChunk,state):pushChunksSync.bind(void 0,transformChunkSync),
finalMethod=transformAsync||finalAsync?pushChunks.bind(void 0,finalChunks,state):pushChunksSync.bind(void 0,finalChunksSync),
destroyMethod=transformAsync||finalAsync?destroyTransform.bind(void 0,state):void 0;return{stream:new Transform({writableObjectMode,
writableHighWaterMark:getDefaultHighWaterMark(writableObjectMode),readableObjectMode,readableHighWaterMark:getDefaultHighWaterMark(
readableObjectMode),transform(chunk,encoding2,done){transformMethod([chunk,generators,0],this,done)},flush(done){finalMethod(
[generators],this,done)},destroy:destroyMethod})}},runGeneratorsSync=(chunks,stdioItems,encoding,isInput)=>{let generators=stdioItems.
filter(({type})=>type==="generator"),reversedGenerators=isInput?generators.reverse():generators;for(let{value,optionName}of reversedGenerators){
let generators2=addInternalGenerators(value,encoding,optionName);chunks=runTransformSync(generators2,chunks)}return chunks},
addInternalGenerators=({transform,final,binary,writableObjectMode,readableObjectMode,preserveNewlines},encoding,optionName)=>{
let state={};return[{transform:getValidateTransformInput(writableObjectMode,optionName)},getEncodingTransformGenerator(binary,
encoding,writableObjectMode),getSplitLinesGenerator(binary,preserveNewlines,writableObjectMode,state),{transform,final},
{transform:getValidateTransformReturn(readableObjectMode,optionName)},getAppendNewlineGenerator({binary,preserveNewlines,
readableObjectMode,state})].filter(Boolean)};var addInputOptionsSync=(fileDescriptors,options)=>{for(let fdNumber of getInputFdNumbers(fileDescriptors))addInputOptionSync(
fileDescriptors,fdNumber,options)},getInputFdNumbers=fileDescriptors=>new Set(Object.entries(fileDescriptors).filter(([,
{direction}])=>direction==="input").map(([fdNumber])=>Number(fdNumber))),addInputOptionSync=(fileDescriptors,fdNumber,options)=>{
let{stdioItems}=fileDescriptors[fdNumber],allStdioItems=stdioItems.filter(({contents})=>contents!==void 0);if(allStdioItems.
length===0)return;if(fdNumber!==0){let[{type,optionName}]=allStdioItems;throw new TypeError(`Only the \`stdin\` option, no\
t \`${optionName}\`, can be ${TYPE_TO_MESSAGE[type]} with synchronous methods.`)}let transformedContents=allStdioItems.map(
({contents})=>contents).map(contents=>applySingleInputGeneratorsSync(contents,stdioItems));options.input=joinToUint8Array(
transformedContents)},applySingleInputGeneratorsSync=(contents,stdioItems)=>{let newContents=runGeneratorsSync(contents,
stdioItems,"utf8",!0);return validateSerializable(newContents),joinToUint8Array(newContents)},validateSerializable=newContents=>{
let invalidItem=newContents.find(item=>typeof item!="string"&&!isUint8Array(item));if(invalidItem!==void 0)throw new TypeError(
`The \`stdin\` option is invalid: when passing objects as input, a transform must be used to serialize them to strings or \
Uint8Arrays: ${invalidItem}.`)};import{writeFileSync,appendFileSync}from"node:fs";var shouldLogOutput=({stdioItems,encoding,verboseInfo,fdNumber})=>fdNumber!=="all"&&isFullVerbose(verboseInfo,fdNumber)&&
!BINARY_ENCODINGS.has(encoding)&&fdUsesVerbose(fdNumber)&&(stdioItems.some(({type,value})=>type==="native"&&PIPED_STDIO_VALUES.
has(value))||stdioItems.every(({type})=>TRANSFORM_TYPES.has(type))),fdUsesVerbose=fdNumber=>fdNumber===1||fdNumber===2,PIPED_STDIO_VALUES=new Set(
["pipe","overlapped"]),logLines=async(linesIterable,stream,fdNumber,verboseInfo)=>{for await(let line of linesIterable)isPipingStream(
stream)||logLine(line,fdNumber,verboseInfo)},logLinesSync=(linesArray,fdNumber,verboseInfo)=>{for(let line of linesArray)
logLine(line,fdNumber,verboseInfo)},isPipingStream=stream=>stream._readableState.pipes.length>0,logLine=(line,fdNumber,verboseInfo)=>{
let verboseMessage=serializeVerboseMessage(line);verboseLog({type:"output",verboseMessage,fdNumber,verboseInfo})};var transformOutputSync=({fileDescriptors,syncResult:{output},options,isMaxBuffer,verboseInfo})=>{if(output===null)return{
output:Array.from({length:3})};let state={},outputFiles=new Set([]);return{output:output.map((result,fdNumber)=>transformOutputResultSync(
{result,fileDescriptors,fdNumber,state,outputFiles,isMaxBuffer,verboseInfo},options)),...state}},transformOutputResultSync=({
result,fileDescriptors,fdNumber,state,outputFiles,isMaxBuffer,verboseInfo},{buffer,encoding,lines,stripFinalNewline:stripFinalNewline2,
maxBuffer})=>{if(result===null)return;let truncatedResult=truncateMaxBufferSync(result,isMaxBuffer,maxBuffer),uint8ArrayResult=bufferToUint8Array(
truncatedResult),{stdioItems,objectMode}=fileDescriptors[fdNumber],chunks=runOutputGeneratorsSync([uint8ArrayResult],stdioItems,
encoding,state),{serializedResult,finalResult=serializedResult}=serializeChunks({chunks,objectMode,encoding,lines,stripFinalNewline:stripFinalNewline2,
fdNumber});logOutputSync({serializedResult,fdNumber,state,verboseInfo,encoding,stdioItems,objectMode});let returnedResult=buffer[fdNumber]?
finalResult:void 0;try{return state.error===void 0&&writeToFiles(serializedResult,stdioItems,outputFiles),returnedResult}catch(error){
return state.error=error,returnedResult}},runOutputGeneratorsSync=(chunks,stdioItems,encoding,state)=>{try{return runGeneratorsSync(
chunks,stdioItems,encoding,!1)}catch(error){return state.error=error,chunks}},serializeChunks=({chunks,objectMode,encoding,
lines,stripFinalNewline:stripFinalNewline2,fdNumber})=>{if(objectMode)return{serializedResult:chunks};if(encoding==="buf\
fer")return{serializedResult:joinToUint8Array(chunks)};let serializedResult=joinToString(chunks,encoding);return lines[fdNumber]?
{serializedResult,finalResult:splitLinesSync(serializedResult,!stripFinalNewline2[fdNumber],objectMode)}:{serializedResult}},
logOutputSync=({serializedResult,fdNumber,state,verboseInfo,encoding,stdioItems,objectMode})=>{if(!shouldLogOutput({stdioItems,
encoding,verboseInfo,fdNumber}))return;let linesArray=splitLinesSync(serializedResult,!1,objectMode);try{logLinesSync(linesArray,
fdNumber,verboseInfo)}catch(error){state.error??=error}},writeToFiles=(serializedResult,stdioItems,outputFiles)=>{for(let{
path:path6,append:append2}of stdioItems.filter(({type})=>FILE_TYPES.has(type))){let pathString=typeof path6=="string"?path6:
path6.toString();append2||outputFiles.has(pathString)?appendFileSync(path6,serializedResult):(outputFiles.add(pathString),
writeFileSync(path6,serializedResult))}};var getAllSync=([,stdout,stderr],options)=>{if(options.all)return stdout===void 0?stderr:stderr===void 0?stdout:Array.isArray(
stdout)?Array.isArray(stderr)?[...stdout,...stderr]:[...stdout,stripNewline(stderr,options,"all")]:Array.isArray(stderr)?
[stripNewline(stdout,options,"all"),...stderr]:isUint8Array(stdout)&&isUint8Array(stderr)?concatUint8Arrays([stdout,stderr]):
`${stdout}${stderr}`};import{once as once4}from"node:events";var waitForExit=async(subprocess,context)=>{let[exitCode,signal]=await waitForExitOrError(subprocess);return context.isForcefullyTerminated??=
!1,[exitCode,signal]},waitForExitOrError=async subprocess=>{let[spawnPayload,exitPayload]=await Promise.allSettled([once4(
subprocess,"spawn"),once4(subprocess,"exit")]);return spawnPayload.status==="rejected"?[]:exitPayload.status==="rejected"?
waitForSubprocessExit(subprocess):exitPayload.value},waitForSubprocessExit=async subprocess=>{try{return await once4(subprocess,
"exit")}catch{return waitForSubprocessExit(subprocess)}},waitForSuccessfulExit=async exitPromise=>{let[exitCode,signal]=await exitPromise;
if(!isSubprocessErrorExit(exitCode,signal)&&isFailedExit(exitCode,signal))throw new DiscardedError;return[exitCode,signal]},
isSubprocessErrorExit=(exitCode,signal)=>exitCode===void 0&&signal===void 0,isFailedExit=(exitCode,signal)=>exitCode!==0||
signal!==null;var getExitResultSync=({error,status:exitCode,signal,output},{maxBuffer})=>{let resultError=getResultError(error,exitCode,
signal),timedOut=resultError?.code==="ETIMEDOUT",isMaxBuffer=isMaxBufferSync(resultError,output,maxBuffer);return{resultError,
exitCode,signal,timedOut,isMaxBuffer}},getResultError=(error,exitCode,signal)=>error!==void 0?error:isFailedExit(exitCode,
signal)?new DiscardedError:void 0;var execaCoreSync=(rawFile,rawArguments,rawOptions)=>{let{file,commandArguments,command:command2,escapedCommand,startTime,
verboseInfo,options,fileDescriptors}=handleSyncArguments(rawFile,rawArguments,rawOptions),result=spawnSubprocessSync({file,
commandArguments,options,command:command2,escapedCommand,verboseInfo,fileDescriptors,startTime});return handleResult(result,
verboseInfo,options)},handleSyncArguments=(rawFile,rawArguments,rawOptions)=>{let{command:command2,escapedCommand,startTime,
verboseInfo}=handleCommand(rawFile,rawArguments,rawOptions),syncOptions=normalizeSyncOptions(rawOptions),{file,commandArguments,
options}=normalizeOptions(rawFile,rawArguments,syncOptions);validateSyncOptions(options);let fileDescriptors=handleStdioSync(
options,verboseInfo);return{file,commandArguments,command:command2,escapedCommand,startTime,verboseInfo,options,fileDescriptors}},
normalizeSyncOptions=options=>options.node&&!options.ipc?{...options,ipc:!1}:options,validateSyncOptions=({ipc,ipcInput,
detached,cancelSignal})=>{ipcInput&&throwInvalidSyncOption("ipcInput"),ipc&&throwInvalidSyncOption("ipc: true"),detached&&
throwInvalidSyncOption("detached: true"),cancelSignal&&throwInvalidSyncOption("cancelSignal")},throwInvalidSyncOption=value=>{
throw new TypeError(`The "${value}" option cannot be used with synchronous methods.`)},spawnSubprocessSync=({file,commandArguments,
options,command:command2,escapedCommand,verboseInfo,fileDescriptors,startTime})=>{let syncResult=runSubprocessSync({file,
commandArguments,options,command:command2,escapedCommand,fileDescriptors,startTime});if(syncResult.failed)return syncResult;
let{resultError,exitCode,signal,timedOut,isMaxBuffer}=getExitResultSync(syncResult,options),{output,error=resultError}=transformOutputSync(
{fileDescriptors,syncResult,options,isMaxBuffer,verboseInfo}),stdio=output.map((stdioOutput,fdNumber)=>stripNewline(stdioOutput,
options,fdNumber)),all=stripNewline(getAllSync(output,options),options,"all");return getSyncResult({error,exitCode,signal,
timedOut,isMaxBuffer,stdio,all,options,command:command2,escapedCommand,startTime})},runSubprocessSync=({file,commandArguments,
options,command:command2,escapedCommand,fileDescriptors,startTime})=>{try{addInputOptionsSync(fileDescriptors,options);let normalizedOptions=normalizeSpawnSyncOptions(
options);return spawnSync(...concatenateShell(file,commandArguments,normalizedOptions))}catch(error){return makeEarlyError(
{error,command:command2,escapedCommand,fileDescriptors,options,startTime,isSync:!0})}},normalizeSpawnSyncOptions=({encoding,
maxBuffer,...options})=>({...options,encoding:"buffer",maxBuffer:getMaxBufferSync(maxBuffer)}),getSyncResult=({error,exitCode,
signal,timedOut,isMaxBuffer,stdio,all,options,command:command2,escapedCommand,startTime})=>error===void 0?makeSuccessResult(
{command:command2,escapedCommand,stdio,all,ipcOutput:[],options,startTime}):makeError({error,command:command2,escapedCommand,
timedOut,isCanceled:!1,isGracefullyCanceled:!1,isMaxBuffer,isForcefullyTerminated:!1,exitCode,signal,stdio,all,ipcOutput:[],
options,startTime,isSync:!0});import{setMaxListeners}from"node:events";import{spawn}from"node:child_process";import process8 from"node:process";import{once as once5,on as on2}from"node:events";var getOneMessage=({anyProcess,channel:channel2,isSubprocess,ipc},{reference=!0,filter}={})=>(validateIpcMethod({methodName:"\
getOneMessage",isSubprocess,ipc,isConnected:isConnected(anyProcess)}),getOneMessageAsync({anyProcess,channel:channel2,isSubprocess,
filter,reference})),getOneMessageAsync=async({anyProcess,channel:channel2,isSubprocess,filter,reference})=>{addReference(
channel2,reference);let ipcEmitter=getIpcEmitter(anyProcess,channel2,isSubprocess),controller=new AbortController;try{return await Promise.
race([getMessage(ipcEmitter,filter,controller),throwOnDisconnect2(ipcEmitter,isSubprocess,controller),throwOnStrictError(
ipcEmitter,isSubprocess,controller)])}catch(error){throw disconnect(anyProcess),error}finally{controller.abort(),removeReference(
channel2,reference)}},getMessage=async(ipcEmitter,filter,{signal})=>{if(filter===void 0){let[message6]=await once5(ipcEmitter,
"message",{signal});return message6}for await(let[message6]of on2(ipcEmitter,"message",{signal}))if(filter(message6))return message6},
throwOnDisconnect2=async(ipcEmitter,isSubprocess,{signal})=>{await once5(ipcEmitter,"disconnect",{signal}),throwOnEarlyDisconnect(
isSubprocess)},throwOnStrictError=async(ipcEmitter,isSubprocess,{signal})=>{let[error]=await once5(ipcEmitter,"strict:er\
ror",{signal});throw getStrictResponseError(error,isSubprocess)};import{once as once6,on as on3}from"node:events";var getEachMessage=({anyProcess,channel:channel2,isSubprocess,ipc},{reference=!0}={})=>loopOnMessages({anyProcess,channel:channel2,
isSubprocess,ipc,shouldAwait:!isSubprocess,reference}),loopOnMessages=({anyProcess,channel:channel2,isSubprocess,ipc,shouldAwait,
reference})=>{validateIpcMethod({methodName:"getEachMessage",isSubprocess,ipc,isConnected:isConnected(anyProcess)}),addReference(
channel2,reference);let ipcEmitter=getIpcEmitter(anyProcess,channel2,isSubprocess),controller=new AbortController,state={};
return stopOnDisconnect(anyProcess,ipcEmitter,controller),abortOnStrictError({ipcEmitter,isSubprocess,controller,state}),
iterateOnMessages({anyProcess,channel:channel2,ipcEmitter,isSubprocess,shouldAwait,controller,state,reference})},stopOnDisconnect=async(anyProcess,ipcEmitter,controller)=>{
try{await once6(ipcEmitter,"disconnect",{signal:controller.signal}),controller.abort()}catch{}},abortOnStrictError=async({
ipcEmitter,isSubprocess,controller,state})=>{try{let[error]=await once6(ipcEmitter,"strict:error",{signal:controller.signal});
state.error=getStrictResponseError(error,isSubprocess),controller.abort()}catch{}},iterateOnMessages=async function*({anyProcess,
channel:channel2,ipcEmitter,isSubprocess,shouldAwait,controller,state,reference}){try{for await(let[message6]of on3(ipcEmitter,
"message",{signal:controller.signal}))throwIfStrictError(state),yield message6}catch{throwIfStrictError(state)}finally{controller.
abort(),removeReference(channel2,reference),isSubprocess||disconnect(anyProcess),shouldAwait&&await anyProcess}},throwIfStrictError=({
error})=>{if(error)throw error};var addIpcMethods=(subprocess,{ipc})=>{Object.assign(subprocess,getIpcMethods(subprocess,!1,ipc))},getIpcExport=()=>{let anyProcess=process8,
isSubprocess=!0,ipc=process8.channel!==void 0;return{...getIpcMethods(anyProcess,isSubprocess,ipc),getCancelSignal:getCancelSignal.
bind(void 0,{anyProcess,channel:anyProcess.channel,isSubprocess,ipc})}},getIpcMethods=(anyProcess,isSubprocess,ipc)=>({sendMessage:sendMessage.
bind(void 0,{anyProcess,channel:anyProcess.channel,isSubprocess,ipc}),getOneMessage:getOneMessage.bind(void 0,{anyProcess,
channel:anyProcess.channel,isSubprocess,ipc}),getEachMessage:getEachMessage.bind(void 0,{anyProcess,channel:anyProcess.channel,
isSubprocess,ipc})});import{ChildProcess as ChildProcess2}from"node:child_process";import{PassThrough,Readable,Writable,Duplex}from"node:stream";var handleEarlyError=({error,command:command2,escapedCommand,fileDescriptors,options,startTime,verboseInfo})=>{cleanupCustomStreams(
fileDescriptors);let subprocess=new ChildProcess2;createDummyStreams(subprocess,fileDescriptors),Object.assign(subprocess,
{readable,writable,duplex});let earlyError=makeEarlyError({error,command:command2,escapedCommand,fileDescriptors,options,
startTime,isSync:!1}),promise=handleDummyPromise(earlyError,verboseInfo,options);return{subprocess,promise}},createDummyStreams=(subprocess,fileDescriptors)=>{
let stdin=createDummyStream(),stdout=createDummyStream(),stderr=createDummyStream(),extraStdio=Array.from({length:fileDescriptors.
length-3},createDummyStream),all=createDummyStream(),stdio=[stdin,stdout,stderr,...extraStdio];Object.assign(subprocess,
{stdin,stdout,stderr,all,stdio})},createDummyStream=()=>{let stream=new PassThrough;return stream.end(),stream},readable=()=>new Readable(
{read(){}}),writable=()=>new Writable({write(){}}),duplex=()=>new Duplex({read(){},write(){}}),handleDummyPromise=async(error,verboseInfo,options)=>handleResult(
error,verboseInfo,options);import{createReadStream,createWriteStream}from"node:fs";import{Buffer as Buffer4}from"node:buffer";import{Readable as Readable2,
Writable as Writable2,Duplex as Duplex2}from"node:stream";var handleStdioAsync=(options,verboseInfo)=>handleStdio(addPropertiesAsync,options,verboseInfo,!1),forbiddenIfAsync=({type,
optionName})=>{throw new TypeError(`The \`${optionName}\` option cannot be ${TYPE_TO_MESSAGE[type]}.`)},addProperties2={
fileNumber:forbiddenIfAsync,generator:generatorToStream,asyncGenerator:generatorToStream,nodeStream:({value})=>({stream:value}),
webTransform({value:{transform,writableObjectMode,readableObjectMode}}){let objectMode=writableObjectMode||readableObjectMode;
return{stream:Duplex2.fromWeb(transform,{objectMode})}},duplex:({value:{transform}})=>({stream:transform}),native(){}},addPropertiesAsync={
input:{...addProperties2,fileUrl:({value})=>({stream:createReadStream(value)}),filePath:({value:{file}})=>({stream:createReadStream(
file)}),webStream:({value})=>({stream:Readable2.fromWeb(value)}),iterable:({value})=>({stream:Readable2.from(value)}),asyncIterable:({
value})=>({stream:Readable2.from(value)}),string:({value})=>({stream:Readable2.from(value)}),uint8Array:({value})=>({stream:Readable2.
from(Buffer4.from(value))})},output:{...addProperties2,fileUrl:({value})=>({stream:createWriteStream(value)}),filePath:({
value:{file,append:append2}})=>({stream:createWriteStream(file,append2?{flags:"a"}:{})}),webStream:({value})=>({stream:Writable2.
fromWeb(value)}),iterable:forbiddenIfAsync,asyncIterable:forbiddenIfAsync,string:forbiddenIfAsync,uint8Array:forbiddenIfAsync}};import{on as on4,once as once7}from"node:events";import{PassThrough as PassThroughStream,getDefaultHighWaterMark as getDefaultHighWaterMark2}from"node:stream";
import{finished as finished2}from"node:stream/promises";function mergeStreams(streams){if(!Array.isArray(streams))throw new TypeError(
`Expected an array, got \`${typeof streams}\`.`);for(let stream of streams)validateStream(stream);let objectMode=streams.
some(({readableObjectMode})=>readableObjectMode),highWaterMark=getHighWaterMark(streams,objectMode),passThroughStream=new MergedStream(
{objectMode,writableHighWaterMark:highWaterMark,readableHighWaterMark:highWaterMark});for(let stream of streams)passThroughStream.
add(stream);return passThroughStream}var getHighWaterMark=(streams,objectMode)=>{if(streams.length===0)return getDefaultHighWaterMark2(
objectMode);let highWaterMarks=streams.filter(({readableObjectMode})=>readableObjectMode===objectMode).map(({readableHighWaterMark})=>readableHighWaterMark);
return Math.max(...highWaterMarks)},MergedStream=class extends PassThroughStream{#streams=new Set([]);#ended=new Set([]);#aborted=new Set(
[]);#onFinished;#unpipeEvent=Symbol("unpipe");#streamPromises=new WeakMap;add(stream){if(validateStream(stream),this.#streams.
has(stream))return;this.#streams.add(stream),this.#onFinished??=onMergedStreamFinished(this,this.#streams,this.#unpipeEvent);
let streamPromise=endWhenStreamsDone({passThroughStream:this,stream,streams:this.#streams,ended:this.#ended,aborted:this.#aborted,
onFinished:this.#onFinished,unpipeEvent:this.#unpipeEvent});this.#streamPromises.set(stream,streamPromise),stream.pipe(this,
{end:!1})}async remove(stream){if(validateStream(stream),!this.#streams.has(stream))return!1;let streamPromise=this.#streamPromises.
get(stream);return streamPromise===void 0?!1:(this.#streamPromises.delete(stream),stream.unpipe(this),await streamPromise,
!0)}},onMergedStreamFinished=async(passThroughStream,streams,unpipeEvent)=>{updateMaxListeners(passThroughStream,PASSTHROUGH_LISTENERS_COUNT);
let controller=new AbortController;try{await Promise.race([onMergedStreamEnd(passThroughStream,controller),onInputStreamsUnpipe(
passThroughStream,streams,unpipeEvent,controller)])}finally{controller.abort(),updateMaxListeners(passThroughStream,-PASSTHROUGH_LISTENERS_COUNT)}},
onMergedStreamEnd=async(passThroughStream,{signal})=>{try{await finished2(passThroughStream,{signal,cleanup:!0})}catch(error){
throw errorOrAbortStream(passThroughStream,error),error}},onInputStreamsUnpipe=async(passThroughStream,streams,unpipeEvent,{
signal})=>{for await(let[unpipedStream]of on4(passThroughStream,"unpipe",{signal}))streams.has(unpipedStream)&&unpipedStream.
emit(unpipeEvent)},validateStream=stream=>{if(typeof stream?.pipe!="function")throw new TypeError(`Expected a readable s\
tream, got: \`${typeof stream}\`.`)},endWhenStreamsDone=async({passThroughStream,stream,streams,ended,aborted:aborted2,onFinished,
unpipeEvent})=>{updateMaxListeners(passThroughStream,PASSTHROUGH_LISTENERS_PER_STREAM);let controller=new AbortController;
try{await Promise.race([afterMergedStreamFinished(onFinished,stream,controller),onInputStreamEnd({passThroughStream,stream,
streams,ended,aborted:aborted2,controller}),onInputStreamUnpipe({stream,streams,ended,aborted:aborted2,unpipeEvent,controller})])}finally{
controller.abort(),updateMaxListeners(passThroughStream,-PASSTHROUGH_LISTENERS_PER_STREAM)}streams.size>0&&streams.size===
ended.size+aborted2.size&&(ended.size===0&&aborted2.size>0?abortStream(passThroughStream):endStream(passThroughStream))},
afterMergedStreamFinished=async(onFinished,stream,{signal})=>{try{await onFinished,signal.aborted||abortStream(stream)}catch(error){
signal.aborted||errorOrAbortStream(stream,error)}},onInputStreamEnd=async({passThroughStream,stream,streams,ended,aborted:aborted2,
controller:{signal}})=>{try{await finished2(stream,{signal,cleanup:!0,readable:!0,writable:!1}),streams.has(stream)&&ended.
add(stream)}catch(error){if(signal.aborted||!streams.has(stream))return;isAbortError(error)?aborted2.add(stream):errorStream(
passThroughStream,error)}},onInputStreamUnpipe=async({stream,streams,ended,aborted:aborted2,unpipeEvent,controller:{signal}})=>{
if(await once7(stream,unpipeEvent,{signal}),!stream.readable)return once7(signal,"abort",{signal});streams.delete(stream),
ended.delete(stream),aborted2.delete(stream)},endStream=stream=>{stream.writable&&stream.end()},errorOrAbortStream=(stream,error)=>{
isAbortError(error)?abortStream(stream):errorStream(stream,error)},isAbortError=error=>error?.code==="ERR_STREAM_PREMATU\
RE_CLOSE",abortStream=stream=>{(stream.readable||stream.writable)&&stream.destroy()},errorStream=(stream,error)=>{stream.
destroyed||(stream.once("error",noop2),stream.destroy(error))},noop2=()=>{},updateMaxListeners=(passThroughStream,increment2)=>{
let maxListeners=passThroughStream.getMaxListeners();maxListeners!==0&&maxListeners!==Number.POSITIVE_INFINITY&&passThroughStream.
setMaxListeners(maxListeners+increment2)},PASSTHROUGH_LISTENERS_COUNT=2,PASSTHROUGH_LISTENERS_PER_STREAM=1;import{finished as finished3}from"node:stream/promises";var pipeStreams=(source,destination2)=>{source.pipe(destination2),onSourceFinish(source,destination2),onDestinationFinish(
source,destination2)},onSourceFinish=async(source,destination2)=>{if(!(isStandardStream(source)||isStandardStream(destination2))){
try{await finished3(source,{cleanup:!0,readable:!0,writable:!1})}catch{}endDestinationStream(destination2)}},endDestinationStream=destination2=>{
destination2.writable&&destination2.end()},onDestinationFinish=async(source,destination2)=>{if(!(isStandardStream(source)||
isStandardStream(destination2))){try{await finished3(destination2,{cleanup:!0,readable:!1,writable:!0})}catch{}abortSourceStream(
source)}},abortSourceStream=source=>{source.readable&&source.destroy()};var pipeOutputAsync=(subprocess,fileDescriptors,controller)=>{let pipeGroups=new Map;for(let[fdNumber,{stdioItems,direction}]of Object.
entries(fileDescriptors)){for(let{stream}of stdioItems.filter(({type})=>TRANSFORM_TYPES.has(type)))pipeTransform(subprocess,
stream,direction,fdNumber);for(let{stream}of stdioItems.filter(({type})=>!TRANSFORM_TYPES.has(type)))pipeStdioItem({subprocess,
stream,direction,fdNumber,pipeGroups,controller})}for(let[outputStream,inputStreams]of pipeGroups.entries()){let inputStream=inputStreams.
length===1?inputStreams[0]:mergeStreams(inputStreams);pipeStreams(inputStream,outputStream)}},pipeTransform=(subprocess,stream,direction,fdNumber)=>{
direction==="output"?pipeStreams(subprocess.stdio[fdNumber],stream):pipeStreams(stream,subprocess.stdio[fdNumber]);let streamProperty=SUBPROCESS_STREAM_PROPERTIES[fdNumber];
streamProperty!==void 0&&(subprocess[streamProperty]=stream),subprocess.stdio[fdNumber]=stream},SUBPROCESS_STREAM_PROPERTIES=[
"stdin","stdout","stderr"],pipeStdioItem=({subprocess,stream,direction,fdNumber,pipeGroups,controller})=>{if(stream===void 0)
return;setStandardStreamMaxListeners(stream,controller);let[inputStream,outputStream]=direction==="output"?[stream,subprocess.
stdio[fdNumber]]:[subprocess.stdio[fdNumber],stream],outputStreams=pipeGroups.get(inputStream)??[];pipeGroups.set(inputStream,
[...outputStreams,outputStream])},setStandardStreamMaxListeners=(stream,{signal})=>{isStandardStream(stream)&&incrementMaxListeners(
stream,MAX_LISTENERS_INCREMENT,signal)},MAX_LISTENERS_INCREMENT=2;import{addAbortListener as addAbortListener2}from"node:events";var signals=[];signals.push("SIGHUP","SIGINT","SIGTERM");process.platform!=="win32"&&signals.push("SIGALRM","SIGABRT","S\
IGVTALRM","SIGXCPU","SIGXFSZ","SIGUSR2","SIGTRAP","SIGSYS","SIGQUIT","SIGIOT");process.platform==="linux"&&signals.push(
"SIGIO","SIGPOLL","SIGPWR","SIGSTKFLT");var processOk=process10=>!!process10&&typeof process10=="object"&&typeof process10.removeListener=="function"&&typeof process10.
emit=="function"&&typeof process10.reallyExit=="function"&&typeof process10.listeners=="function"&&typeof process10.kill==
"function"&&typeof process10.pid=="number"&&typeof process10.on=="function",kExitEmitter=Symbol.for("signal-exit emitter"),
global2=globalThis,ObjectDefineProperty=Object.defineProperty.bind(Object),Emitter=class{emitted={afterExit:!1,exit:!1};listeners={
afterExit:[],exit:[]};count=0;id=Math.random();constructor(){if(global2[kExitEmitter])return global2[kExitEmitter];ObjectDefineProperty(
global2,kExitEmitter,{value:this,writable:!1,enumerable:!1,configurable:!1})}on(ev,fn){this.listeners[ev].push(fn)}removeListener(ev,fn){
let list2=this.listeners[ev],i2=list2.indexOf(fn);i2!==-1&&(i2===0&&list2.length===1?list2.length=0:list2.splice(i2,1))}emit(ev,code,signal){
if(this.emitted[ev])return!1;this.emitted[ev]=!0;let ret=!1;for(let fn of this.listeners[ev])ret=fn(code,signal)===!0||ret;
return ev==="exit"&&(ret=this.emit("afterExit",code,signal)||ret),ret}},SignalExitBase=class{},signalExitWrap=handler=>({
onExit(cb,opts){return handler.onExit(cb,opts)},load(){return handler.load()},unload(){return handler.unload()}}),SignalExitFallback=class extends SignalExitBase{onExit(){
return()=>{}}load(){}unload(){}},SignalExit=class extends SignalExitBase{#hupSig=process9.platform==="win32"?"SIGINT":"S\
IGHUP";#emitter=new Emitter;#process;#originalProcessEmit;#originalProcessReallyExit;#sigListeners={};#loaded=!1;constructor(process10){
super(),this.#process=process10,this.#sigListeners={};for(let sig of signals)this.#sigListeners[sig]=()=>{let listeners=this.#process.
listeners(sig),{count:count2}=this.#emitter,p=process10;if(typeof p.__signal_exit_emitter__=="object"&&typeof p.__signal_exit_emitter__.
count=="number"&&(count2+=p.__signal_exit_emitter__.count),listeners.length===count2){this.unload();let ret=this.#emitter.
emit("exit",null,sig),s=sig==="SIGHUP"?this.#hupSig:sig;ret||process10.kill(process10.pid,s)}};this.#originalProcessReallyExit=
process10.reallyExit,this.#originalProcessEmit=process10.emit}onExit(cb,opts){if(!processOk(this.#process))return()=>{};
this.#loaded===!1&&this.load();let ev=opts?.alwaysLast?"afterExit":"exit";return this.#emitter.on(ev,cb),()=>{this.#emitter.
removeListener(ev,cb),this.#emitter.listeners.exit.length===0&&this.#emitter.listeners.afterExit.length===0&&this.unload()}}load(){
if(!this.#loaded){this.#loaded=!0,this.#emitter.count+=1;for(let sig of signals)try{let fn=this.#sigListeners[sig];fn&&this.#process.
on(sig,fn)}catch{}this.#process.emit=(ev,...a2)=>this.#processEmit(ev,...a2),this.#process.reallyExit=code=>this.#processReallyExit(
code)}}unload(){this.#loaded&&(this.#loaded=!1,signals.forEach(sig=>{let listener=this.#sigListeners[sig];if(!listener)throw new Error(
"Listener not defined for signal: "+sig);try{this.#process.removeListener(sig,listener)}catch{}}),this.#process.emit=this.#originalProcessEmit,
this.#process.reallyExit=this.#originalProcessReallyExit,this.#emitter.count-=1)}#processReallyExit(code){return processOk(
this.#process)?(this.#process.exitCode=code||0,this.#emitter.emit("exit",this.#process.exitCode,null),this.#originalProcessReallyExit.
call(this.#process,this.#process.exitCode)):0}#processEmit(ev,...args){let og=this.#originalProcessEmit;if(ev==="exit"&&
processOk(this.#process)){typeof args[0]=="number"&&(this.#process.exitCode=args[0]);let ret=og.call(this.#process,ev,...args);
return this.#emitter.emit("exit",this.#process.exitCode,null),ret}else return og.call(this.#process,ev,...args)}},process9=globalThis.
process,{onExit,load,unload}=signalExitWrap(processOk(process9)?new SignalExit(process9):new SignalExitFallback);var cleanupOnExit=(subprocess,{cleanup,detached},{signal})=>{if(!cleanup||detached)return;let removeExitHandler=onExit(()=>{
subprocess.kill()});addAbortListener2(signal,()=>{removeExitHandler()})};var normalizePipeArguments=({source,sourcePromise,boundOptions,createNested},...pipeArguments)=>{let startTime=getStartTime(),
{destination:destination2,destinationStream,destinationError,from,unpipeSignal}=getDestinationStream(boundOptions,createNested,
pipeArguments),{sourceStream,sourceError}=getSourceStream(source,from),{options:sourceOptions,fileDescriptors}=SUBPROCESS_OPTIONS.
get(source);return{sourcePromise,sourceStream,sourceOptions,sourceError,destination:destination2,destinationStream,destinationError,
unpipeSignal,fileDescriptors,startTime}},getDestinationStream=(boundOptions,createNested,pipeArguments)=>{try{let{destination:destination2,
pipeOptions:{from,to,unpipeSignal}={}}=getDestination(boundOptions,createNested,...pipeArguments),destinationStream=getToStream(
destination2,to);return{destination:destination2,destinationStream,from,unpipeSignal}}catch(error){return{destinationError:error}}},
getDestination=(boundOptions,createNested,firstArgument,...pipeArguments)=>{if(Array.isArray(firstArgument))return{destination:createNested(
mapDestinationArguments,boundOptions)(firstArgument,...pipeArguments),pipeOptions:boundOptions};if(typeof firstArgument==
"string"||firstArgument instanceof URL||isDenoExecPath(firstArgument)){if(Object.keys(boundOptions).length>0)throw new TypeError(
'Please use .pipe("file", ..., options) or .pipe(execa("file", ..., options)) instead of .pipe(options)("file", ...).');
let[rawFile,rawArguments,rawOptions]=normalizeParameters(firstArgument,...pipeArguments);return{destination:createNested(
mapDestinationArguments)(rawFile,rawArguments,rawOptions),pipeOptions:rawOptions}}if(SUBPROCESS_OPTIONS.has(firstArgument)){
if(Object.keys(boundOptions).length>0)throw new TypeError("Please use .pipe(options)`command` or .pipe($(options)`comman\
d`) instead of .pipe(options)($`command`).");return{destination:firstArgument,pipeOptions:pipeArguments[0]}}throw new TypeError(
`The first argument must be a template string, an options object, or an Execa subprocess: ${firstArgument}`)},mapDestinationArguments=({
options})=>({options:{...options,stdin:"pipe",piped:!0}}),getSourceStream=(source,from)=>{try{return{sourceStream:getFromStream(
source,from)}}catch(error){return{sourceError:error}}};var handlePipeArgumentsError=({sourceStream,sourceError,destinationStream,destinationError,fileDescriptors,sourceOptions,
startTime})=>{let error=getPipeArgumentsError({sourceStream,sourceError,destinationStream,destinationError});if(error!==
void 0)throw createNonCommandError({error,fileDescriptors,sourceOptions,startTime})},getPipeArgumentsError=({sourceStream,
sourceError,destinationStream,destinationError})=>{if(sourceError!==void 0&&destinationError!==void 0)return destinationError;
if(destinationError!==void 0)return abortSourceStream(sourceStream),destinationError;if(sourceError!==void 0)return endDestinationStream(
destinationStream),sourceError},createNonCommandError=({error,fileDescriptors,sourceOptions,startTime})=>makeEarlyError(
{error,command:PIPE_COMMAND_MESSAGE,escapedCommand:PIPE_COMMAND_MESSAGE,fileDescriptors,options:sourceOptions,startTime,
isSync:!1}),PIPE_COMMAND_MESSAGE="source.pipe(destination)";var waitForBothSubprocesses=async subprocessPromises=>{let[{status:sourceStatus,reason:sourceReason,value:sourceResult=sourceReason},
{status:destinationStatus,reason:destinationReason,value:destinationResult=destinationReason}]=await subprocessPromises;
if(destinationResult.pipedFrom.includes(sourceResult)||destinationResult.pipedFrom.push(sourceResult),destinationStatus===
"rejected")throw destinationResult;if(sourceStatus==="rejected")throw sourceResult;return destinationResult};import{finished as finished4}from"node:stream/promises";var pipeSubprocessStream=(sourceStream,destinationStream,maxListenersController)=>{let mergedStream=MERGED_STREAMS.has(destinationStream)?
pipeMoreSubprocessStream(sourceStream,destinationStream):pipeFirstSubprocessStream(sourceStream,destinationStream);return incrementMaxListeners(
sourceStream,SOURCE_LISTENERS_PER_PIPE,maxListenersController.signal),incrementMaxListeners(destinationStream,DESTINATION_LISTENERS_PER_PIPE,
maxListenersController.signal),cleanupMergedStreamsMap(destinationStream),mergedStream},pipeFirstSubprocessStream=(sourceStream,destinationStream)=>{
let mergedStream=mergeStreams([sourceStream]);return pipeStreams(mergedStream,destinationStream),MERGED_STREAMS.set(destinationStream,
mergedStream),mergedStream},pipeMoreSubprocessStream=(sourceStream,destinationStream)=>{let mergedStream=MERGED_STREAMS.
get(destinationStream);return mergedStream.add(sourceStream),mergedStream},cleanupMergedStreamsMap=async destinationStream=>{
try{await finished4(destinationStream,{cleanup:!0,readable:!1,writable:!0})}catch{}MERGED_STREAMS.delete(destinationStream)},
MERGED_STREAMS=new WeakMap,SOURCE_LISTENERS_PER_PIPE=2,DESTINATION_LISTENERS_PER_PIPE=1;var unpipeOnAbort=(unpipeSignal,unpipeContext)=>unpipeSignal===void 0?[]:[unpipeOnSignalAbort(unpipeSignal,unpipeContext)],
unpipeOnSignalAbort=async(unpipeSignal,{sourceStream,mergedStream,fileDescriptors,sourceOptions,startTime})=>{await aborted(
unpipeSignal,sourceStream),await mergedStream.remove(sourceStream);let error=new Error("Pipe canceled by `unpipeSignal` \
option.");throw createNonCommandError({error,fileDescriptors,sourceOptions,startTime})};var pipeToSubprocess=(sourceInfo,...pipeArguments)=>{if(isPlainObject(pipeArguments[0]))return pipeToSubprocess.bind(void 0,
{...sourceInfo,boundOptions:{...sourceInfo.boundOptions,...pipeArguments[0]}});let{destination:destination2,...normalizedInfo}=normalizePipeArguments(
sourceInfo,...pipeArguments),promise=handlePipePromise({...normalizedInfo,destination:destination2});return promise.pipe=
pipeToSubprocess.bind(void 0,{...sourceInfo,source:destination2,sourcePromise:promise,boundOptions:{}}),promise},handlePipePromise=async({
sourcePromise,sourceStream,sourceOptions,sourceError,destination:destination2,destinationStream,destinationError,unpipeSignal,
fileDescriptors,startTime})=>{let subprocessPromises=getSubprocessPromises(sourcePromise,destination2);handlePipeArgumentsError(
{sourceStream,sourceError,destinationStream,destinationError,fileDescriptors,sourceOptions,startTime});let maxListenersController=new AbortController;
try{let mergedStream=pipeSubprocessStream(sourceStream,destinationStream,maxListenersController);return await Promise.race(
[waitForBothSubprocesses(subprocessPromises),...unpipeOnAbort(unpipeSignal,{sourceStream,mergedStream,sourceOptions,fileDescriptors,
startTime})])}finally{maxListenersController.abort()}},getSubprocessPromises=(sourcePromise,destination2)=>Promise.allSettled(
[sourcePromise,destination2]);import{setImmediate as setImmediate2}from"node:timers/promises";import{on as on5}from"node:events";import{getDefaultHighWaterMark as getDefaultHighWaterMark3}from"node:stream";var iterateOnSubprocessStream=({subprocessStdout,subprocess,binary,shouldEncode,encoding,preserveNewlines})=>{let controller=new AbortController;
return stopReadingOnExit(subprocess,controller),iterateOnStream({stream:subprocessStdout,controller,binary,shouldEncode:!subprocessStdout.
readableObjectMode&&shouldEncode,encoding,shouldSplit:!subprocessStdout.readableObjectMode,preserveNewlines})},stopReadingOnExit=async(subprocess,controller)=>{
try{await subprocess}catch{}finally{controller.abort()}},iterateForResult=({stream,onStreamEnd,lines,encoding,stripFinalNewline:stripFinalNewline2,
allMixed})=>{let controller=new AbortController;stopReadingOnStreamEnd(onStreamEnd,controller,stream);let objectMode=stream.
readableObjectMode&&!allMixed;return iterateOnStream({stream,controller,binary:encoding==="buffer",shouldEncode:!objectMode,
encoding,shouldSplit:!objectMode&&lines,preserveNewlines:!stripFinalNewline2})},stopReadingOnStreamEnd=async(onStreamEnd,controller,stream)=>{
try{await onStreamEnd}catch{stream.destroy()}finally{controller.abort()}},iterateOnStream=({stream,controller,binary,shouldEncode,
encoding,shouldSplit,preserveNewlines})=>{let onStdoutChunk=on5(stream,"data",{signal:controller.signal,highWaterMark:HIGH_WATER_MARK,
highWatermark:HIGH_WATER_MARK});return iterateOnData({onStdoutChunk,controller,binary,shouldEncode,encoding,shouldSplit,
preserveNewlines})},DEFAULT_OBJECT_HIGH_WATER_MARK=getDefaultHighWaterMark3(!0),HIGH_WATER_MARK=DEFAULT_OBJECT_HIGH_WATER_MARK,
iterateOnData=async function*({onStdoutChunk,controller,binary,shouldEncode,encoding,shouldSplit,preserveNewlines}){let generators=getGenerators(
{binary,shouldEncode,encoding,shouldSplit,preserveNewlines});try{for await(let[chunk]of onStdoutChunk)yield*transformChunkSync(
chunk,generators,0)}catch(error){if(!controller.signal.aborted)throw error}finally{yield*finalChunksSync(generators)}},getGenerators=({
binary,shouldEncode,encoding,shouldSplit,preserveNewlines})=>[getEncodingTransformGenerator(binary,encoding,!shouldEncode),
getSplitLinesGenerator(binary,preserveNewlines,!shouldSplit,{})].filter(Boolean);var getStreamOutput=async({stream,onStreamEnd,fdNumber,encoding,buffer,maxBuffer,lines,allMixed,stripFinalNewline:stripFinalNewline2,
verboseInfo,streamInfo})=>{let logPromise=logOutputAsync({stream,onStreamEnd,fdNumber,encoding,allMixed,verboseInfo,streamInfo});
if(!buffer){await Promise.all([resumeStream(stream),logPromise]);return}let stripFinalNewlineValue=getStripFinalNewline(
stripFinalNewline2,fdNumber),iterable=iterateForResult({stream,onStreamEnd,lines,encoding,stripFinalNewline:stripFinalNewlineValue,
allMixed}),[output]=await Promise.all([getStreamContents2({stream,iterable,fdNumber,encoding,maxBuffer,lines}),logPromise]);
return output},logOutputAsync=async({stream,onStreamEnd,fdNumber,encoding,allMixed,verboseInfo,streamInfo:{fileDescriptors}})=>{
if(!shouldLogOutput({stdioItems:fileDescriptors[fdNumber]?.stdioItems,encoding,verboseInfo,fdNumber}))return;let linesIterable=iterateForResult(
{stream,onStreamEnd,lines:!0,encoding,stripFinalNewline:!0,allMixed});await logLines(linesIterable,stream,fdNumber,verboseInfo)},
resumeStream=async stream=>{await setImmediate2(),stream.readableFlowing===null&&stream.resume()},getStreamContents2=async({
stream,stream:{readableObjectMode},iterable,fdNumber,encoding,maxBuffer,lines})=>{try{return readableObjectMode||lines?await getStreamAsArray(
iterable,{maxBuffer}):encoding==="buffer"?new Uint8Array(await getStreamAsArrayBuffer(iterable,{maxBuffer})):await getStreamAsString(
iterable,{maxBuffer})}catch(error){return handleBufferedData(handleMaxBuffer({error,stream,readableObjectMode,lines,encoding,
fdNumber}))}},getBufferedData=async streamPromise=>{try{return await streamPromise}catch(error){return handleBufferedData(
error)}},handleBufferedData=({bufferedData})=>isArrayBuffer(bufferedData)?new Uint8Array(bufferedData):bufferedData;import{finished as finished5}from"node:stream/promises";var waitForStream=async(stream,fdNumber,streamInfo,{isSameDirection,
stopOnExit=!1}={})=>{let state=handleStdinDestroy(stream,streamInfo),abortController=new AbortController;try{await Promise.
race([...stopOnExit?[streamInfo.exitPromise]:[],finished5(stream,{cleanup:!0,signal:abortController.signal})])}catch(error){
state.stdinCleanedUp||handleStreamError(error,fdNumber,streamInfo,isSameDirection)}finally{abortController.abort()}},handleStdinDestroy=(stream,{
originalStreams:[originalStdin],subprocess})=>{let state={stdinCleanedUp:!1};return stream===originalStdin&&spyOnStdinDestroy(
stream,subprocess,state),state},spyOnStdinDestroy=(subprocessStdin,subprocess,state)=>{let{_destroy}=subprocessStdin;subprocessStdin.
_destroy=(...destroyArguments)=>{setStdinCleanedUp(subprocess,state),_destroy.call(subprocessStdin,...destroyArguments)}},
setStdinCleanedUp=({exitCode,signalCode},state)=>{(exitCode!==null||signalCode!==null)&&(state.stdinCleanedUp=!0)},handleStreamError=(error,fdNumber,streamInfo,isSameDirection)=>{
if(!shouldIgnoreStreamError(error,fdNumber,streamInfo,isSameDirection))throw error},shouldIgnoreStreamError=(error,fdNumber,streamInfo,isSameDirection=!0)=>streamInfo.
propagating?isStreamEpipe(error)||isStreamAbort(error):(streamInfo.propagating=!0,isInputFileDescriptor(streamInfo,fdNumber)===
isSameDirection?isStreamEpipe(error):isStreamAbort(error)),isInputFileDescriptor=({fileDescriptors},fdNumber)=>fdNumber!==
"all"&&fileDescriptors[fdNumber].direction==="input",isStreamAbort=error=>error?.code==="ERR_STREAM_PREMATURE_CLOSE",isStreamEpipe=error=>error?.
code==="EPIPE";var waitForStdioStreams=({subprocess,encoding,buffer,maxBuffer,lines,stripFinalNewline:stripFinalNewline2,verboseInfo,streamInfo})=>subprocess.
stdio.map((stream,fdNumber)=>waitForSubprocessStream({stream,fdNumber,encoding,buffer:buffer[fdNumber],maxBuffer:maxBuffer[fdNumber],
lines:lines[fdNumber],allMixed:!1,stripFinalNewline:stripFinalNewline2,verboseInfo,streamInfo})),waitForSubprocessStream=async({
stream,fdNumber,encoding,buffer,maxBuffer,lines,allMixed,stripFinalNewline:stripFinalNewline2,verboseInfo,streamInfo})=>{
if(!stream)return;let onStreamEnd=waitForStream(stream,fdNumber,streamInfo);if(isInputFileDescriptor(streamInfo,fdNumber)){
await onStreamEnd;return}let[output]=await Promise.all([getStreamOutput({stream,onStreamEnd,fdNumber,encoding,buffer,maxBuffer,
lines,allMixed,stripFinalNewline:stripFinalNewline2,verboseInfo,streamInfo}),onStreamEnd]);return output};var makeAllStream=({stdout,stderr},{all})=>all&&(stdout||stderr)?mergeStreams([stdout,stderr].filter(Boolean)):void 0,waitForAllStream=({
subprocess,encoding,buffer,maxBuffer,lines,stripFinalNewline:stripFinalNewline2,verboseInfo,streamInfo})=>waitForSubprocessStream(
{...getAllStream(subprocess,buffer),fdNumber:"all",encoding,maxBuffer:maxBuffer[1]+maxBuffer[2],lines:lines[1]||lines[2],
allMixed:getAllMixed(subprocess),stripFinalNewline:stripFinalNewline2,verboseInfo,streamInfo}),getAllStream=({stdout,stderr,
all},[,bufferStdout,bufferStderr])=>{let buffer=bufferStdout||bufferStderr;return buffer?bufferStdout?bufferStderr?{stream:all,
buffer}:{stream:stdout,buffer}:{stream:stderr,buffer}:{stream:all,buffer}},getAllMixed=({all,stdout,stderr})=>all&&stdout&&
stderr&&stdout.readableObjectMode!==stderr.readableObjectMode;import{once as once8}from"node:events";var shouldLogIpc=verboseInfo=>isFullVerbose(verboseInfo,"ipc"),logIpcOutput=(message6,verboseInfo)=>{let verboseMessage=serializeVerboseMessage(
message6);verboseLog({type:"ipc",verboseMessage,fdNumber:"ipc",verboseInfo})};var waitForIpcOutput=async({subprocess,buffer:bufferArray,maxBuffer:maxBufferArray,ipc,ipcOutput,verboseInfo})=>{if(!ipc)
return ipcOutput;let isVerbose2=shouldLogIpc(verboseInfo),buffer=getFdSpecificValue(bufferArray,"ipc"),maxBuffer=getFdSpecificValue(
maxBufferArray,"ipc");for await(let message6 of loopOnMessages({anyProcess:subprocess,channel:subprocess.channel,isSubprocess:!1,
ipc,shouldAwait:!1,reference:!0}))buffer&&(checkIpcMaxBuffer(subprocess,ipcOutput,maxBuffer),ipcOutput.push(message6)),isVerbose2&&
logIpcOutput(message6,verboseInfo);return ipcOutput},getBufferedIpcOutput=async(ipcOutputPromise,ipcOutput)=>(await Promise.
allSettled([ipcOutputPromise]),ipcOutput);var waitForSubprocessResult=async({subprocess,options:{encoding,buffer,maxBuffer,lines,timeoutDuration:timeout,cancelSignal,
gracefulCancel,forceKillAfterDelay,stripFinalNewline:stripFinalNewline2,ipc,ipcInput},context,verboseInfo,fileDescriptors,
originalStreams,onInternalError,controller})=>{let exitPromise=waitForExit(subprocess,context),streamInfo={originalStreams,
fileDescriptors,subprocess,exitPromise,propagating:!1},stdioPromises=waitForStdioStreams({subprocess,encoding,buffer,maxBuffer,
lines,stripFinalNewline:stripFinalNewline2,verboseInfo,streamInfo}),allPromise=waitForAllStream({subprocess,encoding,buffer,
maxBuffer,lines,stripFinalNewline:stripFinalNewline2,verboseInfo,streamInfo}),ipcOutput=[],ipcOutputPromise=waitForIpcOutput(
{subprocess,buffer,maxBuffer,ipc,ipcOutput,verboseInfo}),originalPromises=waitForOriginalStreams(originalStreams,subprocess,
streamInfo),customStreamsEndPromises=waitForCustomStreamsEnd(fileDescriptors,streamInfo);try{return await Promise.race([
Promise.all([{},waitForSuccessfulExit(exitPromise),Promise.all(stdioPromises),allPromise,ipcOutputPromise,sendIpcInput(subprocess,
ipcInput),...originalPromises,...customStreamsEndPromises]),onInternalError,throwOnSubprocessError(subprocess,controller),
...throwOnTimeout(subprocess,timeout,context,controller),...throwOnCancel({subprocess,cancelSignal,gracefulCancel,context,
controller}),...throwOnGracefulCancel({subprocess,cancelSignal,gracefulCancel,forceKillAfterDelay,context,controller})])}catch(error){
return context.terminationReason??="other",Promise.all([{error},exitPromise,Promise.all(stdioPromises.map(stdioPromise=>getBufferedData(
stdioPromise))),getBufferedData(allPromise),getBufferedIpcOutput(ipcOutputPromise,ipcOutput),Promise.allSettled(originalPromises),
Promise.allSettled(customStreamsEndPromises)])}},waitForOriginalStreams=(originalStreams,subprocess,streamInfo)=>originalStreams.
map((stream,fdNumber)=>stream===subprocess.stdio[fdNumber]?void 0:waitForStream(stream,fdNumber,streamInfo)),waitForCustomStreamsEnd=(fileDescriptors,streamInfo)=>fileDescriptors.
flatMap(({stdioItems},fdNumber)=>stdioItems.filter(({value,stream=value})=>isStream(stream,{checkOpen:!1})&&!isStandardStream(
stream)).map(({type,value,stream=value})=>waitForStream(stream,fdNumber,streamInfo,{isSameDirection:TRANSFORM_TYPES.has(
type),stopOnExit:type==="native"}))),throwOnSubprocessError=async(subprocess,{signal})=>{let[error]=await once8(subprocess,
"error",{signal});throw error};var initializeConcurrentStreams=()=>({readableDestroy:new WeakMap,writableFinal:new WeakMap,writableDestroy:new WeakMap}),
addConcurrentStream=(concurrentStreams,stream,waitName)=>{let weakMap=concurrentStreams[waitName];weakMap.has(stream)||weakMap.
set(stream,[]);let promises=weakMap.get(stream),promise=createDeferred();return promises.push(promise),{resolve:promise.
resolve.bind(promise),promises}},waitForConcurrentStreams=async({resolve,promises},subprocess)=>{resolve();let[isSubprocessExit]=await Promise.
race([Promise.allSettled([!0,subprocess]),Promise.all([!1,...promises])]);return!isSubprocessExit};import{Readable as Readable3}from"node:stream";import{finished as finished6}from"node:stream/promises";var safeWaitForSubprocessStdin=async subprocessStdin=>{if(subprocessStdin!==void 0)try{await waitForSubprocessStdin(subprocessStdin)}catch{}},
safeWaitForSubprocessStdout=async subprocessStdout=>{if(subprocessStdout!==void 0)try{await waitForSubprocessStdout(subprocessStdout)}catch{}},
waitForSubprocessStdin=async subprocessStdin=>{await finished6(subprocessStdin,{cleanup:!0,readable:!1,writable:!0})},waitForSubprocessStdout=async subprocessStdout=>{
await finished6(subprocessStdout,{cleanup:!0,readable:!0,writable:!1})},waitForSubprocess=async(subprocess,error)=>{if(await subprocess,
error)throw error},destroyOtherStream=(stream,isOpen,error)=>{error&&!isStreamAbort(error)?stream.destroy(error):isOpen&&
stream.destroy()};var createReadable=({subprocess,concurrentStreams,encoding},{from,binary:binaryOption=!0,preserveNewlines=!0}={})=>{let binary=binaryOption||
BINARY_ENCODINGS.has(encoding),{subprocessStdout,waitReadableDestroy}=getSubprocessStdout(subprocess,from,concurrentStreams),
{readableEncoding,readableObjectMode,readableHighWaterMark}=getReadableOptions(subprocessStdout,binary),{read,onStdoutDataDone}=getReadableMethods(
{subprocessStdout,subprocess,binary,encoding,preserveNewlines}),readable2=new Readable3({read,destroy:callbackify(onReadableDestroy.
bind(void 0,{subprocessStdout,subprocess,waitReadableDestroy})),highWaterMark:readableHighWaterMark,objectMode:readableObjectMode,
encoding:readableEncoding});return onStdoutFinished({subprocessStdout,onStdoutDataDone,readable:readable2,subprocess}),readable2},
getSubprocessStdout=(subprocess,from,concurrentStreams)=>{let subprocessStdout=getFromStream(subprocess,from),waitReadableDestroy=addConcurrentStream(
concurrentStreams,subprocessStdout,"readableDestroy");return{subprocessStdout,waitReadableDestroy}},getReadableOptions=({
readableEncoding,readableObjectMode,readableHighWaterMark},binary)=>binary?{readableEncoding,readableObjectMode,readableHighWaterMark}:
{readableEncoding,readableObjectMode:!0,readableHighWaterMark:DEFAULT_OBJECT_HIGH_WATER_MARK},getReadableMethods=({subprocessStdout,
subprocess,binary,encoding,preserveNewlines})=>{let onStdoutDataDone=createDeferred(),onStdoutData=iterateOnSubprocessStream(
{subprocessStdout,subprocess,binary,shouldEncode:!binary,encoding,preserveNewlines});return{read(){onRead(this,onStdoutData,
onStdoutDataDone)},onStdoutDataDone}},onRead=async(readable2,onStdoutData,onStdoutDataDone)=>{try{let{value,done}=await onStdoutData.
next();done?onStdoutDataDone.resolve():readable2.push(value)}catch{}},onStdoutFinished=async({subprocessStdout,onStdoutDataDone,
readable:readable2,subprocess,subprocessStdin})=>{try{await waitForSubprocessStdout(subprocessStdout),await subprocess,await safeWaitForSubprocessStdin(
subprocessStdin),await onStdoutDataDone,readable2.readable&&readable2.push(null)}catch(error){await safeWaitForSubprocessStdin(
subprocessStdin),destroyOtherReadable(readable2,error)}},onReadableDestroy=async({subprocessStdout,subprocess,waitReadableDestroy},error)=>{
await waitForConcurrentStreams(waitReadableDestroy,subprocess)&&(destroyOtherReadable(subprocessStdout,error),await waitForSubprocess(
subprocess,error))},destroyOtherReadable=(stream,error)=>{destroyOtherStream(stream,stream.readable,error)};import{Writable as Writable3}from"node:stream";var createWritable=({subprocess,concurrentStreams},{to}={})=>{let{subprocessStdin,waitWritableFinal,waitWritableDestroy}=getSubprocessStdin(
subprocess,to,concurrentStreams),writable2=new Writable3({...getWritableMethods(subprocessStdin,subprocess,waitWritableFinal),
destroy:callbackify(onWritableDestroy.bind(void 0,{subprocessStdin,subprocess,waitWritableFinal,waitWritableDestroy})),highWaterMark:subprocessStdin.
writableHighWaterMark,objectMode:subprocessStdin.writableObjectMode});return onStdinFinished(subprocessStdin,writable2),
writable2},getSubprocessStdin=(subprocess,to,concurrentStreams)=>{let subprocessStdin=getToStream(subprocess,to),waitWritableFinal=addConcurrentStream(
concurrentStreams,subprocessStdin,"writableFinal"),waitWritableDestroy=addConcurrentStream(concurrentStreams,subprocessStdin,
"writableDestroy");return{subprocessStdin,waitWritableFinal,waitWritableDestroy}},getWritableMethods=(subprocessStdin,subprocess,waitWritableFinal)=>({
write:onWrite.bind(void 0,subprocessStdin),final:callbackify(onWritableFinal.bind(void 0,subprocessStdin,subprocess,waitWritableFinal))}),
onWrite=(subprocessStdin,chunk,encoding,done)=>{subprocessStdin.write(chunk,encoding)?done():subprocessStdin.once("drain",
done)},onWritableFinal=async(subprocessStdin,subprocess,waitWritableFinal)=>{await waitForConcurrentStreams(waitWritableFinal,
subprocess)&&(subprocessStdin.writable&&subprocessStdin.end(),await subprocess)},onStdinFinished=async(subprocessStdin,writable2,subprocessStdout)=>{
try{await waitForSubprocessStdin(subprocessStdin),writable2.writable&&writable2.end()}catch(error){await safeWaitForSubprocessStdout(
subprocessStdout),destroyOtherWritable(writable2,error)}},onWritableDestroy=async({subprocessStdin,subprocess,waitWritableFinal,
waitWritableDestroy},error)=>{await waitForConcurrentStreams(waitWritableFinal,subprocess),await waitForConcurrentStreams(
waitWritableDestroy,subprocess)&&(destroyOtherWritable(subprocessStdin,error),await waitForSubprocess(subprocess,error))},
destroyOtherWritable=(stream,error)=>{destroyOtherStream(stream,stream.writable,error)};import{Duplex as Duplex3}from"node:stream";var createDuplex=({subprocess,concurrentStreams,encoding},{from,to,binary:binaryOption=!0,preserveNewlines=!0}={})=>{let binary=binaryOption||
BINARY_ENCODINGS.has(encoding),{subprocessStdout,waitReadableDestroy}=getSubprocessStdout(subprocess,from,concurrentStreams),
{subprocessStdin,waitWritableFinal,waitWritableDestroy}=getSubprocessStdin(subprocess,to,concurrentStreams),{readableEncoding,
readableObjectMode,readableHighWaterMark}=getReadableOptions(subprocessStdout,binary),{read,onStdoutDataDone}=getReadableMethods(
{subprocessStdout,subprocess,binary,encoding,preserveNewlines}),duplex2=new Duplex3({read,...getWritableMethods(subprocessStdin,
subprocess,waitWritableFinal),destroy:callbackify(onDuplexDestroy.bind(void 0,{subprocessStdout,subprocessStdin,subprocess,
waitReadableDestroy,waitWritableFinal,waitWritableDestroy})),readableHighWaterMark,writableHighWaterMark:subprocessStdin.
writableHighWaterMark,readableObjectMode,writableObjectMode:subprocessStdin.writableObjectMode,encoding:readableEncoding});
return onStdoutFinished({subprocessStdout,onStdoutDataDone,readable:duplex2,subprocess,subprocessStdin}),onStdinFinished(
subprocessStdin,duplex2,subprocessStdout),duplex2},onDuplexDestroy=async({subprocessStdout,subprocessStdin,subprocess,waitReadableDestroy,
waitWritableFinal,waitWritableDestroy},error)=>{await Promise.all([onReadableDestroy({subprocessStdout,subprocess,waitReadableDestroy},
error),onWritableDestroy({subprocessStdin,subprocess,waitWritableFinal,waitWritableDestroy},error)])};var createIterable=(subprocess,encoding,{from,binary:binaryOption=!1,preserveNewlines=!1}={})=>{let binary=binaryOption||
BINARY_ENCODINGS.has(encoding),subprocessStdout=getFromStream(subprocess,from),onStdoutData=iterateOnSubprocessStream({subprocessStdout,
subprocess,binary,shouldEncode:!0,encoding,preserveNewlines});return iterateOnStdoutData(onStdoutData,subprocessStdout,subprocess)},
iterateOnStdoutData=async function*(onStdoutData,subprocessStdout,subprocess){try{yield*onStdoutData}finally{subprocessStdout.
readable&&subprocessStdout.destroy(),await subprocess}};var addConvertedStreams=(subprocess,{encoding})=>{let concurrentStreams=initializeConcurrentStreams();subprocess.readable=
createReadable.bind(void 0,{subprocess,concurrentStreams,encoding}),subprocess.writable=createWritable.bind(void 0,{subprocess,
concurrentStreams}),subprocess.duplex=createDuplex.bind(void 0,{subprocess,concurrentStreams,encoding}),subprocess.iterable=
createIterable.bind(void 0,subprocess,encoding),subprocess[Symbol.asyncIterator]=createIterable.bind(void 0,subprocess,encoding,
{})};var mergePromise=(subprocess,promise)=>{for(let[property,descriptor]of descriptors){let value=descriptor.value.bind(promise);
Reflect.defineProperty(subprocess,property,{...descriptor,value})}},nativePromisePrototype=(async()=>{})().constructor.prototype,
descriptors=["then","catch","finally"].map(property=>[property,Reflect.getOwnPropertyDescriptor(nativePromisePrototype,property)]);var execaCoreAsync=(rawFile,rawArguments,rawOptions,createNested)=>{let{file,commandArguments,command:command2,escapedCommand,
startTime,verboseInfo,options,fileDescriptors}=handleAsyncArguments(rawFile,rawArguments,rawOptions),{subprocess,promise}=spawnSubprocessAsync(
{file,commandArguments,options,startTime,verboseInfo,command:command2,escapedCommand,fileDescriptors});return subprocess.
pipe=pipeToSubprocess.bind(void 0,{source:subprocess,sourcePromise:promise,boundOptions:{},createNested}),mergePromise(subprocess,
promise),SUBPROCESS_OPTIONS.set(subprocess,{options,fileDescriptors}),subprocess},handleAsyncArguments=(rawFile,rawArguments,rawOptions)=>{
let{command:command2,escapedCommand,startTime,verboseInfo}=handleCommand(rawFile,rawArguments,rawOptions),{file,commandArguments,
options:normalizedOptions}=normalizeOptions(rawFile,rawArguments,rawOptions),options=handleAsyncOptions(normalizedOptions),
fileDescriptors=handleStdioAsync(options,verboseInfo);return{file,commandArguments,command:command2,escapedCommand,startTime,
verboseInfo,options,fileDescriptors}},handleAsyncOptions=({timeout,signal,...options})=>{if(signal!==void 0)throw new TypeError(
'The "signal" option has been renamed to "cancelSignal" instead.');return{...options,timeoutDuration:timeout}},spawnSubprocessAsync=({
file,commandArguments,options,startTime,verboseInfo,command:command2,escapedCommand,fileDescriptors})=>{let subprocess;try{
subprocess=spawn(...concatenateShell(file,commandArguments,options))}catch(error){return handleEarlyError({error,command:command2,
escapedCommand,fileDescriptors,options,startTime,verboseInfo})}let controller=new AbortController;setMaxListeners(Number.
POSITIVE_INFINITY,controller.signal);let originalStreams=[...subprocess.stdio];pipeOutputAsync(subprocess,fileDescriptors,
controller),cleanupOnExit(subprocess,options,controller);let context={},onInternalError=createDeferred();subprocess.kill=
subprocessKill.bind(void 0,{kill:subprocess.kill.bind(subprocess),options,onInternalError,context,controller}),subprocess.
all=makeAllStream(subprocess,options),addConvertedStreams(subprocess,options),addIpcMethods(subprocess,options);let promise=handlePromise(
{subprocess,options,startTime,verboseInfo,fileDescriptors,originalStreams,command:command2,escapedCommand,context,onInternalError,
controller});return{subprocess,promise}},handlePromise=async({subprocess,options,startTime,verboseInfo,fileDescriptors,originalStreams,
command:command2,escapedCommand,context,onInternalError,controller})=>{let[errorInfo,[exitCode,signal],stdioResults,allResult,
ipcOutput]=await waitForSubprocessResult({subprocess,options,context,verboseInfo,fileDescriptors,originalStreams,onInternalError,
controller});controller.abort(),onInternalError.resolve();let stdio=stdioResults.map((stdioResult,fdNumber)=>stripNewline(
stdioResult,options,fdNumber)),all=stripNewline(allResult,options,"all"),result=getAsyncResult({errorInfo,exitCode,signal,
stdio,all,ipcOutput,context,options,command:command2,escapedCommand,startTime});return handleResult(result,verboseInfo,options)},
getAsyncResult=({errorInfo,exitCode,signal,stdio,all,ipcOutput,context,options,command:command2,escapedCommand,startTime})=>"\
error"in errorInfo?makeError({error:errorInfo.error,command:command2,escapedCommand,timedOut:context.terminationReason===
"timeout",isCanceled:context.terminationReason==="cancel"||context.terminationReason==="gracefulCancel",isGracefullyCanceled:context.
terminationReason==="gracefulCancel",isMaxBuffer:errorInfo.error instanceof MaxBufferError,isForcefullyTerminated:context.
isForcefullyTerminated,exitCode,signal,stdio,all,ipcOutput,options,startTime,isSync:!1}):makeSuccessResult({command:command2,
escapedCommand,stdio,all,ipcOutput,options,startTime});var mergeOptions=(boundOptions,options)=>{let newOptions=Object.fromEntries(Object.entries(options).map(([optionName,optionValue])=>[
optionName,mergeOption(optionName,boundOptions[optionName],optionValue)]));return{...boundOptions,...newOptions}},mergeOption=(optionName,boundOptionValue,optionValue)=>DEEP_OPTIONS.
has(optionName)&&isPlainObject(boundOptionValue)&&isPlainObject(optionValue)?{...boundOptionValue,...optionValue}:optionValue,
DEEP_OPTIONS=new Set(["env",...FD_SPECIFIC_OPTIONS]);var createExeca=(mapArguments,boundOptions,deepOptions,setBoundExeca)=>{let createNested=(mapArguments2,boundOptions2,setBoundExeca2)=>createExeca(
mapArguments2,boundOptions2,deepOptions,setBoundExeca2),boundExeca=(...execaArguments)=>callBoundExeca({mapArguments,deepOptions,
boundOptions,setBoundExeca,createNested},...execaArguments);return setBoundExeca!==void 0&&setBoundExeca(boundExeca,createNested,
boundOptions),boundExeca},callBoundExeca=({mapArguments,deepOptions={},boundOptions={},setBoundExeca,createNested},firstArgument,...nextArguments)=>{
if(isPlainObject(firstArgument))return createNested(mapArguments,mergeOptions(boundOptions,firstArgument),setBoundExeca);
let{file,commandArguments,options,isSync}=parseArguments({mapArguments,firstArgument,nextArguments,deepOptions,boundOptions});
return isSync?execaCoreSync(file,commandArguments,options):execaCoreAsync(file,commandArguments,options,createNested)},parseArguments=({
mapArguments,firstArgument,nextArguments,deepOptions,boundOptions})=>{let callArguments=isTemplateString(firstArgument)?
parseTemplates(firstArgument,nextArguments):[firstArgument,...nextArguments],[initialFile,initialArguments,initialOptions]=normalizeParameters(
...callArguments),mergedOptions=mergeOptions(mergeOptions(deepOptions,boundOptions),initialOptions),{file=initialFile,commandArguments=initialArguments,
options=mergedOptions,isSync=!1}=mapArguments({file:initialFile,commandArguments:initialArguments,options:mergedOptions});
return{file,commandArguments,options,isSync}};var mapCommandAsync=({file,commandArguments})=>parseCommand(file,commandArguments),mapCommandSync=({file,commandArguments})=>({
...parseCommand(file,commandArguments),isSync:!0}),parseCommand=(command2,unusedArguments)=>{if(unusedArguments.length>0)
throw new TypeError(`The command and its arguments must be passed as a single string: ${command2} ${unusedArguments}.`);
let[file,...commandArguments]=parseCommandString(command2);return{file,commandArguments}},parseCommandString=command2=>{
if(typeof command2!="string")throw new TypeError(`The command must be a string: ${String(command2)}.`);let trimmedCommand=command2.
trim();if(trimmedCommand==="")return[];let tokens=[];for(let token of trimmedCommand.split(SPACES_REGEXP)){let previousToken=tokens.
at(-1);previousToken&&previousToken.endsWith("\\")?tokens[tokens.length-1]=`${previousToken.slice(0,-1)} ${token}`:tokens.
push(token)}return tokens},SPACES_REGEXP=/ +/g;var setScriptSync=(boundExeca,createNested,boundOptions)=>{boundExeca.sync=createNested(mapScriptSync,boundOptions),boundExeca.
s=boundExeca.sync},mapScriptAsync=({options})=>getScriptOptions(options),mapScriptSync=({options})=>({...getScriptOptions(
options),isSync:!0}),getScriptOptions=options=>({options:{...getScriptStdinOption(options),...options}}),getScriptStdinOption=({
input,inputFile,stdio})=>input===void 0&&inputFile===void 0&&stdio===void 0?{stdin:"inherit"}:{},deepScriptOptions={preferLocal:!0};var execa=createExeca(()=>({})),execaSync=createExeca(()=>({isSync:!0})),execaCommand=createExeca(mapCommandAsync),execaCommandSync=createExeca(
mapCommandSync),execaNode=createExeca(mapNode),$=createExeca(mapScriptAsync,{},deepScriptOptions,setScriptSync),{sendMessage:sendMessage2,
getOneMessage:getOneMessage2,getEachMessage:getEachMessage2,getCancelSignal:getCancelSignal2}=getIpcExport();import{access,constants as constants4}from"node:fs/promises";var SYSTEM_PATHS=["/usr/local/sbin","/usr/sbin","/sbin"];function systemPath(){
let own=(process.env.PATH??"/usr/local/bin:/usr/bin:/bin").split(":");return[...own,...SYSTEM_PATHS.filter(directory=>!own.
includes(directory))].join(":")}async function findTool(name){for(let directory of systemPath().split(":"))try{return await access(
`${directory}/${name}`,constants4.X_OK),`${directory}/${name}`}catch{}}import{channel}from"node:diagnostics_channel";var slowCommands=channel("@kube-proxier/linux/slow-command"),SLOW_AFTER=3e4,
PIPE_GRACE=1e3,leaders=new Set,MAX_STARTED=1e3,started=new Set,watchesExit=!1;function wasStartedHere(pid){return started.
has(pid)}function noteStarted(pid){started.delete(pid),started.add(pid);for(let old of started.size>MAX_STARTED?started:
[]){started.delete(old);break}}function killAll(){for(let pid of leaders)killGroup(pid)}function killGroup(pid){if(pid!==
void 0)try{process.kill(-pid,"SIGKILL")}catch{}}function killWithThisProcess(pid){return pid===void 0?()=>{}:(watchesExit||
(watchesExit=!0,process.once("exit",killAll)),leaders.add(pid),noteStarted(pid),()=>leaders.delete(pid))}function closePipes({
stdin,stdout,stderr}){for(let stream of[stdin,stdout,stderr])stream?.destroy()}async function superviseProcess(command2,leader,ended,timeout,slowAfter=SLOW_AFTER){
let started2=performance.now(),forget=killWithThisProcess(leader.pid),timers=[],after=(milliseconds,work)=>timers.push(setTimeout(
work,milliseconds));try{return await new Promise(resolve=>{ended.then(()=>resolve("ended"),()=>resolve("ended")),leader.
once("exit",()=>after(PIPE_GRACE,()=>resolve("pipes-held"))),timeout>slowAfter&&after(slowAfter,()=>{let slow={command:command2,
pid:leader.pid,elapsed:performance.now()-started2,timeout};slowCommands.publish(slow)}),after(timeout,()=>{killGroup(leader.
pid),resolve("timed-out")})})}finally{forget();for(let timer of timers)clearTimeout(timer);closePipes(leader)}}var CODES={"not-found":"COMMAND_NOT_FOUND","permission-denied":"COMMAND_PERMISSION_DENIED",timeout:"COMMAND_TIMED_OUT",signal:"\
COMMAND_KILLED","exit-code":"COMMAND_FAILED"},CommandError=class extends ProxierError{failure;command;exitCode;signal;stderr;constructor(failure2,command2,exitCode,signal,stderr,message6,options){
super(CODES[failure2],message6,{...options,...failure2==="permission-denied"?{kind:failure2}:{}}),this.failure=failure2,
this.command=command2,this.exitCode=exitCode,this.signal=signal,this.stderr=stderr}};function failureOf(outcome,prefixed){
return outcome.timedOut?"timeout":outcome.code==="ENOENT"||prefixed&&outcome.exitCode===127?"not-found":outcome.code==="\
EACCES"||outcome.code==="EPERM"||prefixed&&outcome.exitCode===126?"permission-denied":outcome.exitCode===void 0?"signal":
"exit-code"}function explain(failure2,command2,outcome,timeout){let output=outcome.stderr.trim().replace(/\s*\n\s*/g,"; ");
switch(failure2){case"not-found":return`${command2} was not found; install it or add its directory to PATH`;case"permiss\
ion-denied":return`${command2} may not be run by this user; check its mode and the rights of this process`;case"timeout":
return`${command2} did not end within ${timeout} ms and was stopped; find what blocks it`;case"signal":return`${command2}\
 was ended by ${outcome.signal??"an unknown cause"}${output===""?"":`: ${output}`}`;case"exit-code":return`${command2} e\
nded with exit code ${outcome.exitCode}${output===""?"":`: ${output}`}`}}var endsWithUs;function wordsToEndWithUs(){if(endsWithUs===
void 0){let[file,...args]=["setpriv","--pdeathsig","KILL"];endsWithUs=spawnSync2(file,[...args,"true"],{stdio:"ignore",env:{
PATH:systemPath()}}).status===0?[file,...args]:[]}return endsWithUs}function start(prefix,{command:command2,args:rest},output){
let before=[...prefix,...wordsToEndWithUs()],[file="",...args]=[...before,command2,...rest],prefixed=before.length>0,running=execa(
file,args,{env:{LC_ALL:"C",HOME:"/nonexistent",PATH:systemPath()},reject:!1,buffer:!1,stdin:"pipe",stdout:output.stdout===
void 0?"ignore":"pipe",stderr:output.stderr===void 0?"ignore":"pipe",encoding:"utf8",detached:!0}),forget=killWithThisProcess(
running.pid);running.once("exit",forget),running.stdin?.on("error",()=>{});for(let stream of["stdout","stderr"])running[stream]?.
on("data",chunk=>output[stream]?.(String(chunk)));running.unref();for(let stream of[running.stdin,running.stdout,running.
stderr])stream?.unref?.();return{pid:running.pid,write:text=>{running.stdin?.write(text)},stop:()=>{killGroup(running.pid),
closePipes(running)},ended:running.then(({failed,timedOut,code,exitCode,signal})=>({failure:failed?failureOf({timedOut,code,
exitCode},prefixed):void 0,exitCode,signal}),()=>({failure:"signal",exitCode:void 0,signal:void 0}))}}function createCommandRunner(options={}){
let prefix=options.prefix??[];return{networkNamespace:options.networkNamespace??(prefix.length===0?"own":void 0),start:(request2,output)=>start(
prefix,request2,output),async run(request2){let timeout=request2.timeout??6e4,[file,...args]=[...prefix,request2.command,
...request2.args],running=execa(file,args,{env:{LC_ALL:"C",PATH:systemPath(),...request2.env},reject:!1,stdout:request2.
stdout==="ignore"?"ignore":"pipe",stripFinalNewline:!1,detached:!0,...request2.stdin===void 0?{stdin:"ignore"}:{input:request2.
stdin}}),{pid}=running,end=await superviseProcess(request2.command,running,running,timeout),result=end==="timed-out"?void 0:
await running,exitCode=result?.exitCode??(result&&running.exitCode)??void 0,isCutOff=end==="pipes-held"&&exitCode===0,outcome={
failed:result===void 0||result.failed&&!isCutOff,timedOut:result===void 0,code:result?.code,exitCode,signal:result?.signal,
stdout:typeof result?.stdout=="string"?result.stdout:"",stderr:typeof result?.stderr=="string"?result.stderr:"",cause:result?.
cause};if(!outcome.failed||outcome.exitCode===0&&!outcome.timedOut)return{stdout:outcome.stdout,stderr:outcome.stderr,...pid===
void 0?{}:{pid}};let failure2=failureOf(outcome,prefix.length>0);throw new CommandError(failure2,request2.command,outcome.
exitCode,outcome.signal,outcome.stderr,explain(failure2,request2.command,outcome,timeout),{cause:outcome.cause})}}}var TIMEOUT2=6e4,DELETE_FROM_INPUT=["sh","-c","cat | conntrack -R -"],ConntrackTool=class{#runner;constructor(runner=createCommandRunner()){
this.#runner=runner}async check(){await this.#output(["conntrack","--version"])}async list(family,protocol,wanted=()=>!0,repliesFrom){
let filter=["-f",family==="IPv6"?"ipv6":"ipv4","-p",protocol.toLowerCase()],stdout=await this.#output(["conntrack","-L",
...filter,"-o","extended,id"]);return parseConntrackList(stdout).filter(entry=>entry.family===family&&entry.protocol===protocol&&
repliesComeFrom(entry,repliesFrom)&&wanted(entry))}async delete(entries){if(entries.length===0)return 0;let commands=entries.
map(entry=>`-D ${conntrackArguments(entry).join(" ")}
`).join(""),stdout=await this.#output(DELETE_FROM_INPUT,commands);return parseConntrackList(stdout).length}async#output([
command2,...args],stdin){try{let request2={command:command2,args,timeout:TIMEOUT2,...stdin===void 0?{}:{stdin}};return(await this.#runner.
run(request2)).stdout}catch(error){if(error instanceof CommandError&&/0 flow entries have been (deleted|shown)/.test(error.
stderr))return"";throw describe2(error)}}};function describe2(error){let cause={cause:error};if(error instanceof CommandError){
if(error.failure==="not-found"||error.exitCode===127)return new ConntrackError("CONNTRACK_MISSING_TOOL","the conntrack c\
ommand is not installed: install the package conntrack (or conntrack-tools)",cause);if(error.failure==="permission-denie\
d")return new ConntrackError("CONNTRACK_NOT_PERMITTED",error.message,cause);if(/CAP_NET_ADMIN|not permitted/.test(error.
stderr))return new ConntrackError("CONNTRACK_NOT_PERMITTED","conntrack needs root or the capability NET_ADMIN",cause)}return new ConntrackError(
"CONNTRACK_FAILED",`conntrack failed: ${messageOf(error)}`,cause)}var HostConntrack=class{#netlink;#tool;#findTool;constructor(options={}){let{runner=createCommandRunner()}=options;this.#netlink=
options.netlink??netlinkOf(runner),this.#tool=new ConntrackTool(runner),this.#findTool=options.findTool??findTool}async check(){
(this.#netlink===void 0||await this.#findTool("conntrack")===void 0)&&await this.#do(async conntrack=>conntrack.check?.())}list(family,protocol,wanted,repliesFrom){
return this.#do(conntrack=>conntrack.list(family,protocol,wanted,repliesFrom))}delete(entries){return this.#do(conntrack=>conntrack.
delete(entries))}deleteTranslated(family,protocol,translations){return this.#do(async conntrack=>conntrack.deleteTranslated?.(
family,protocol,translations))}async#do(work){if(this.#netlink===void 0)return work(this.#tool);try{return await work(this.#netlink)}catch(error){
if(!(error instanceof ConntrackError&&error.code==="CONNTRACK_NO_NETLINK"))throw error;return await this.#doWithTool(work,
error)}}async#doWithTool(work,why){try{return await work(this.#tool)}catch(error){throw error instanceof ConntrackError&&
error.code==="CONNTRACK_MISSING_TOOL"?new ConntrackError(error.code,`${messageOf(why)}; in its place, ${messageOf(error)}`,
{cause:why}):error}}};function netlinkOf({networkNamespace:place}){if(place===void 0)return;let options=place==="own"?{}:
{namespace:place};return new ConntrackNetlink(()=>new NetlinkSocket("netfilter",options))}function ipSetEntryKey({address:address2,port,protocol,second,network}){let head=port===void 0?address2:`${address2},${(protocol??
"TCP").toLowerCase()}:${port}`;return second!==void 0?`${head},${second}`:network!==void 0?`${head},${network}`:head}var IP_SET_COMMANDS={create:2,destroy:3,flush:4,list:7,add:9,delete:10,type:13};function ipSetMessageType(command2){return 1536|
command2}var PROTOCOL_VERSION=6,COMMAND={protocol:1,name:2,type:3,revision:4,family:5,data:7,entries:8},DATA={address:1,
cidr:3,port:4,protocol:7,flags:8,maxElements:19,second:20,secondCidr:21,mark:27},ADDRESS_TYPE={IPv4:1,IPv6:2},WITH_MARKS=64,
HEADER3=4,TYPES=["hash:ip","hash:ip,port","hash:ip,port,ip","hash:ip,port,net"];function message2(family,attributes2){let head=Buffer.
of(family===void 0?0:ADDRESS_FAMILIES[family],0,0,0);return encodeAttributes([{type:COMMAND.protocol,value:u8(PROTOCOL_VERSION)},
...attributes2],head)}function encodeTypeRequest(type,family){return message2(family,[{type:COMMAND.type,value:cString(type)},
{type:COMMAND.family,value:u8(ADDRESS_FAMILIES[family])}])}function decodeRevision(payload2){return asU8(attributeMap(payload2.
subarray(HEADER3)).get(COMMAND.revision))}function encodeSetCreation({name,type,family,maxEntries,marks},revision){return message2(
family,[{type:COMMAND.name,value:cString(name)},{type:COMMAND.type,value:cString(type)},{type:COMMAND.revision,value:u8(
revision)},{type:COMMAND.family,value:u8(ADDRESS_FAMILIES[family])},{type:COMMAND.data,value:[{type:DATA.maxElements,value:be32(
maxEntries),netByteOrder:!0},...marks?[{type:DATA.flags,value:be32(WITH_MARKS),netByteOrder:!0}]:[]]}])}function encodeSetName(name){
return message2(void 0,name===void 0?[]:[{type:COMMAND.name,value:cString(name)}])}function encodeEntry(set,entry){let family=entry.
address.includes(":")?"IPv6":"IPv4",[network,prefixLength2]=entry.network?.split("/")??[],second=entry.second??network,data=[
address(DATA.address,entry.address),...entry.port===void 0?[]:[{type:DATA.port,value:be16(entry.port),netByteOrder:!0},{
type:DATA.protocol,value:u8(PROTOCOL_NUMBERS[entry.protocol??"TCP"])}],...second===void 0?[]:[address(DATA.second,second)],
...prefixLength2===void 0?[]:[{type:DATA.secondCidr,value:u8(Number(prefixLength2))}],...entry.mark===void 0?[]:[{type:DATA.
mark,value:Buffer.concat([be32(entry.mark),be32(4294967295)]),netByteOrder:!0}]];return message2(family,[{type:COMMAND.name,
value:cString(set)},{type:COMMAND.data,value:data}])}function address(type,text){let bytes2=addressBytes(text),inner={type:ADDRESS_TYPE[bytes2.
length===4?"IPv4":"IPv6"],value:bytes2,netByteOrder:!0};return{type,value:[inner]}}function decodeListing(payload2){let map=attributeMap(
payload2.subarray(HEADER3)),name=asText(map.get(COMMAND.name)),type=TYPES.find(candidate=>candidate===asText(map.get(COMMAND.
type))),family=familyOfNumber(asU8(map.get(COMMAND.family))),data=map.get(COMMAND.data),facts=data&&attributeMap(data);return{
name,definition:type===void 0||family===void 0||facts===void 0?void 0:{name,type,family,maxEntries:asBe32(facts.get(DATA.
maxElements)),marks:(asBe32(facts.get(DATA.flags))&WITH_MARKS)!==0},entries:readAttributes(map.get(COMMAND.entries)??Buffer.
alloc(0)).flatMap(([,entry])=>decodeEntry2(entry))}}function decodeEntry2(data){let map=attributeMap(data),first=addressOf(
map,DATA.address),second=addressOf(map,DATA.second),protocol=Object.keys(PROTOCOL_NUMBERS).find(candidate=>PROTOCOL_NUMBERS[candidate]===
asU8(map.get(DATA.protocol)));if(first===void 0)return[];let length=map.get(DATA.secondCidr),mark=map.get(DATA.mark);return[
{address:first,...map.has(DATA.port)&&protocol!==void 0?{port:asBe16(map.get(DATA.port)),protocol}:{},...second===void 0?
{}:length===void 0?{second}:{network:`${second}/${asU8(length)}`},...mark===void 0?{}:{mark:asBe32(mark)}}]}function addressOf(map,type){
let value=map.get(type),[inner]=value===void 0?[]:readAttributes(value);return inner&&addressText(inner[1],inner[0]===ADDRESS_TYPE.
IPv4?"IPv4":"IPv6")}var ENOENT2=2,IpSetsNetlink=class{netlink;#revisions=new Map;constructor(netlink=new NetlinkSocket("netfilter")){this.netlink=
netlink}async execute(commands){if(commands.length===0)return[];let requests=[];for(let command2 of commands)requests.push(
await this.#encode(command2));let errors=await this.netlink.execute(requests);return commands.map((command2,index)=>{let errno=errors[index]??
0;return errno===0?void 0:new NetlinkRefused(errno,describe3(command2))})}async find(name){let listings;try{listings=await this.#list(
name)}catch(error){if(error instanceof NetlinkRefused&&error.errno===ENOENT2)return;throw error}let definition=listings.
find(listing=>listing.definition!==void 0)?.definition;return{...definition??{name,type:"hash:ip",family:"IPv4",maxEntries:0,
marks:!1},entries:definition?listings.flatMap(({entries})=>entries):[]}}async names(){return[...new Set((await this.#list()).
map(({name})=>name))]}close(){this.netlink.close()}async#list(name){let type=ipSetMessageType(IP_SET_COMMANDS.list);return(await this.
netlink.request({type,flags:NETLINK_FLAGS.dump,payload:encodeSetName(name)})).map(({payload:payload2})=>decodeListing(payload2))}async#encode(command2){
switch(command2.do){case"create-set":{let{set}=command2,payload2=encodeSetCreation(set,await this.#revision(set.type,set.
family));return{type:ipSetMessageType(IP_SET_COMMANDS.create),flags:NETLINK_FLAGS.create,payload:payload2}}case"destroy-\
set":case"flush-set":{let number2=command2.do==="destroy-set"?IP_SET_COMMANDS.destroy:IP_SET_COMMANDS.flush;return{type:ipSetMessageType(
number2),flags:0,payload:encodeSetName(command2.name)}}case"add-entry":case"delete-entry":{let number2=command2.do==="ad\
d-entry"?IP_SET_COMMANDS.add:IP_SET_COMMANDS.delete;return{type:ipSetMessageType(number2),flags:0,payload:encodeEntry(command2.
set,command2.entry)}}}}#revision(type,family){let key=`${type}/${family}`,found=this.#revisions.get(key);return found===
void 0&&(found=this.#askRevision(type,family).catch(error=>{throw this.#revisions.delete(key),error}),this.#revisions.set(
key,found)),found}async#askRevision(type,family){let payload2=encodeTypeRequest(type,family),[answer]=await this.netlink.
request({type:ipSetMessageType(IP_SET_COMMANDS.type),flags:0,payload:payload2});return answer===void 0?0:decodeRevision(
answer.payload)}};function describe3(command2){switch(command2.do){case"create-set":return`make the set ${command2.set.name}\
 (${command2.set.type})`;case"destroy-set":return`remove the set ${command2.name}`;case"flush-set":return`empty the set ${command2.
name}`;case"add-entry":return`add ${ipSetEntryKey(command2.entry)} to the set ${command2.set}`;case"delete-entry":return`\
remove ${ipSetEntryKey(command2.entry)} from the set ${command2.set}`}}var SUPPORTED=["ACCEPT","DROP","RETURN","REJECT","MARK","SET","MASQUERADE","DNAT","REDIRECT"],FOREIGN=["LOG","NFLOG","QU\
EUE","NFQUEUE","SNAT","NETMAP","CONNMARK","CT","NOTRACK","TRACE","TEE","TPROXY","TCPMSS","AUDIT","CLASSIFY","DSCP","TOS",
"TTL","HL","CHECKSUM","HMARK","LED","SECMARK"];function isBuiltinTarget(name){return SUPPORTED.includes(name)||FOREIGN.includes(
name)}function isForeignTarget(name){return FOREIGN.includes(name)}function iptablesDocumentChanges(document,{family,saved}){return[...document].flatMap(([table,content])=>tableChanges(content,
saved[table]??new Map,`iptables ${table}, ${family}`))}function tableChanges(document,saved,table){let after=new Map,contentOf=chain=>after.
get(chain)??installed(saved,chain);for(let[chain,{rules,owner,owners}]of document.written)after.set(chain,{rules,owners:rules.
map((_rule,index)=>owner??owners?.[index])});for(let chain of document.created)after.set(chain,{rules:[],owners:[]});for(let{
chain,rule}of document.deletedRules){let{rules,owners}=contentOf(chain),place=rules.indexOf(rule);after.set(chain,{rules:without(
rules,place),owners:without(owners,place)})}for(let{chain,rule}of document.appendedRules){let{rules,owners}=contentOf(chain);
after.set(chain,{rules:[...rules,rule],owners:[...owners,void 0]})}for(let{chain,position,rule}of document.insertedRules){
let{rules,owners}=contentOf(chain);after.set(chain,{rules:rules.toSpliced(position-1,0,rule),owners:owners.toSpliced(position-
1,0,void 0)})}let changes=[...after].filter(([chain])=>!document.deletedChains.has(chain)).flatMap(([chain,content])=>chainChanges(
table,chain,saved,content,document.written.get(chain)?.owner)),deleted=[...document.deletedChains].flatMap(([chain,owner])=>saved.
has(chain)?chainChanges(table,chain,saved,void 0,owner):[]);return[...changes,...deleted]}function installed(saved,chain){
let rules=saved.get(chain)?.rules??[];return{rules,owners:rules.map(()=>{})}}function chainChanges(table,chain,saved,after,owner){
let before=saved.get(chain),changeOfChain=action=>isBuiltIn(chain)?[]:[{action,table,kind:"chain",text:`:${chain} - [0:0\
]`,...ownedBy(owner)}],rules=listDifference(before?.rules??[],after?.rules??[]).map(({action,position,text})=>({action,table,
kind:"rule",container:chain,position,text:`-A ${chain} ${text}`.trimEnd(),...ownedBy(action==="add"?after?.owners[position-
1]:owner)}));return[...before===void 0&&after!==void 0?changeOfChain("add"):[],...rules,...before!==void 0&&after===void 0?
changeOfChain("remove"):[]]}var BUILT_IN=["PREROUTING","INPUT","FORWARD","OUTPUT","POSTROUTING"];function isBuiltIn(chain){
return BUILT_IN.includes(chain)}function ownedBy(owner){return owner===void 0?{}:{owner}}function without(list2,place){return place<
0?list2:list2.toSpliced(place,1)}import{readFileSync as readFileSync3}from"node:fs";var CAP_NET_ADMIN=12,CAPABILITY_VERSION=537396514,SETS=12,MAX_FILE_CAPABILITY=24;function whyNotPermitted(facts={}){let{
refused="program",status=ownStatus()}=facts;if(!hasNetAdmin(status))return whyNotInEffect(status,"fileCapability"in facts?
facts.fileCapability:ownFileCapability());let isRoot=/^Uid:\s+\d+\s+0\s/m.test(status);return refused==="program"&&!isRoot&&
!hasNetAdmin(status,"CapAmb")?"this process has CAP_NET_ADMIN, but as it is not root, the programs that it starts do not\
 get it; run it as root, or raise CAP_NET_ADMIN and CAP_NET_RAW in the ambient set":"this process has CAP_NET_ADMIN, so \
something else refuses it: a user namespace that does not own this network namespace, AppArmor, SELinux or seccomp, or a\
 file that this user may not open"}function whyNotInEffect(status,fileCapability){let missing="this process has no CAP_N\
ET_ADMIN",asRoot="run it as root, or with CAP_NET_ADMIN and CAP_NET_RAW";return/^CapBnd:/m.test(status)&&!hasNetAdmin(status,
"CapBnd")?`${missing}; run it where CAP_NET_ADMIN is in the bounding set: in a container, add NET_ADMIN to its capabilit\
ies (securityContext.capabilities.add)`:hasNetAdmin(status,"CapPrm")?`${missing} in effect, although it is permitted, as\
 the package koffi cannot be loaded, which puts it into effect; install koffi for this platform, or run it as root`:/^Uid:\s+\d+\s+0\s/m.
test(status)||fileCapability===void 0?`${missing}; ${asRoot}`:fileCapability==="absent"?`${missing}; ${asRoot}. Without \
root, ${process.execPath} needs the file capability cap_net_admin, which it does not have: only the image kube-proxier-n\
ftables has it, and it is lost where an image is unpacked or copied without extended attributes`:/^NoNewPrivs:\s*1$/m.test(
status)?`${missing}, as the container runtime permits none to a user other than root, and with no_new_privs the kernel i\
gnores the file capability of ${process.execPath}; set allowPrivilegeEscalation: true, or run it as root`:`${missing}, a\
s the kernel ignores the file capability of ${process.execPath}: its file system may be mounted with nosuid, or belong t\
o another user namespace; run it as root, or from a file system without nosuid`}async function raiseNetAdmin(){let status=ownStatus();
if(hasNetAdmin(status)||!hasNetAdmin(status,"CapPrm"))return!1;let libc=await loadLibc().catch(()=>{}),header=Buffer.concat(
[u32(CAPABILITY_VERSION),u32(0)]),sets=Buffer.alloc(2*SETS);return libc===void 0||libc.capget(header,sets)<0?!1:(writeU32(
sets,(readU32(sets,0)|1<<CAP_NET_ADMIN)>>>0,0),libc.capset(header,sets)===0)}function hasNetAdmin(status=ownStatus(),set="\
CapEff"){return(BigInt(`0x${new RegExp(`^${set}:\\s*([0-9a-f]+)$`,"m").exec(status)?.[1]??"0"}`)>>BigInt(CAP_NET_ADMIN)&
1n)===1n}function ownFileCapability(){let value=Buffer.alloc(MAX_FILE_CAPABILITY),length=loadedLibc()?.getxattr(process.
execPath,"security.capability",value,value.length);if(length!==void 0)return length>=8&&(value.readUInt32LE(4)>>>CAP_NET_ADMIN&
1)===1?"present":"absent"}function ownStatus(){try{return readFileSync3("/proc/self/status","utf8")}catch{return""}}var IptablesError=class extends ProxierError{constructor(code,message6,options){super(code,message6,{...options,...code===
"IPTABLES_PERMISSION_DENIED"?{kind:"permission-denied"}:{}})}},IptablesDocumentRefused=class extends IptablesError{line;lineText;reason;constructor(line,lineText,reason,options){
super("IPTABLES_DOCUMENT_REFUSED",line===void 0?`iptables-restore refused the document: ${reason}`:`iptables-restore ref\
used line ${line} of the document, "${lineText??""}": ${reason}; check that the kernel has what this rule needs`,options),
this.line=line,this.lineText=lineText,this.reason=reason}};function iptablesErrorOf(error,family){let cause={cause:error};return error.failure==="not-found"?new IptablesError("IPT\
ABLES_MISSING",`${error.command} was not found, so ${family} rules cannot be written; install iptables`,cause):error.failure===
"timeout"?new IptablesError("IPTABLES_TIMED_OUT",error.message,cause):error.failure==="permission-denied"?new IptablesError(
"IPTABLES_PERMISSION_DENIED",error.message,cause):/Permission denied|Operation not permitted/.test(error.stderr)?new IptablesError(
"IPTABLES_PERMISSION_DENIED",`${error.command} may not read or change the rules of this network namespace (${error.stderr.
trim().split(`
`,1)[0]}): ${whyNotPermitted()}`,cause):error.exitCode===4&&/xtables lock/.test(error.stderr)?new IptablesError("IPTABLE\
S_LOCKED",`${error.command} could not get the xtables lock: another program holds it; find it with "fuser /run/xtables.l\
ock"`,cause):new IptablesError("IPTABLES_FAILED",error.message,cause)}function namesTarget({cause},target){return cause instanceof
CommandError&&cause.exitCode===2&&cause.stderr.includes(target)}var LINE=[/line (\d+) failed/,/Error occurred at line: (\d+)/,
/^line (\d+): \w+ failed/m,/COMMIT expected at line (\d+)/];function refusalOf(document,error){let reason=error.stderr.replace(
/^Try `.*$/m,"").trim().replace(/\s*\n\s*/g,"; "),found=LINE.map(pattern=>pattern.exec(error.stderr)?.[1]).find(text=>text!==
void 0),line=found===void 0?void 0:Number(found);return new IptablesDocumentRefused(line,line===void 0?void 0:lineAt(document,
line),reason,{cause:error})}function lineAt(document,line){return document.split(`
`,line)[line-1]}var OwnChanges=class{#positions=new Map;#writing=new Map;#ended=new Map;follow(scope){let position={stamp:void 0},all=this.#positions.
get(scope)??new Set;return this.#positions.set(scope,all.add(position)),position}leave(scope,position){let all=this.#positions.
get(scope);all?.delete(position),all?.size===0&&this.#positions.delete(scope)}isFollowed(scope){return this.#positions.has(
scope)}begin(scope){this.#writing.set(scope,(this.#writing.get(scope)??0)+1)}end(scope){this.#writing.set(scope,(this.#writing.
get(scope)??0)-1),this.#ended.set(scope,(this.#ended.get(scope)??0)+1)}completedWrites(scope){return this.#writing.get(scope)?
void 0:this.#ended.get(scope)??0}moved(scope,from,to,counted){for(let position of this.#positions.get(scope)??[]){let{stamp}=position,
between=counted&&Number(stamp)>=Number(from)&&Number(stamp)<=Number(to);stamp!==void 0&&(stamp===from||between)&&(position.
stamp=to)}}};var CommandSession=class{stdout="";stderr="";end;written=0;#running;#wake=()=>{};constructor(start2,request2){this.#running=
start2(request2,{stdout:text=>this.#heard(()=>this.stdout+=text),stderr:text=>this.#heard(()=>this.stderr+=text)}),this.#running.
ended.then(end=>this.#finish(end))}get ended(){return this.#running.ended}get pid(){return this.#running.pid}async exchange(text,answer,timeout){
this.written+=text.length,this.#running.write(text);let timer=setTimeout(()=>{this.#finish("timeout"),this.stop()},timeout);
try{for(;;){let found=answer();if(found!==void 0||this.end!==void 0)return found;await new Promise(resolve=>{this.#wake=
resolve})}}finally{clearTimeout(timer)}}stop(){this.#running.stop()}#heard(note){note(),this.#wake()}#finish(end){this.end??=
end,this.#wake()}};var MAX_CHARACTERS=4e6,RestoreSession=class{program;#session;#count=0;#lines=0;constructor(start2,program,args){this.program=
program,this.#session=new CommandSession(start2,{command:program,args:[...args,"--verbose"]})}get isSpent(){return this.#session.
end!==void 0||this.#session.written>MAX_CHARACTERS}async restore(document,timeout){let session=this.#session,text=document.
endsWith(`
`)?document:`${document}
`;this.#count+=1;let word=`# done ${this.#count}
`,before=this.#lines;this.#lines+=text.split(`
`).length;let done=await session.exchange(`${text}${word}`,()=>session.stdout.includes(word)||void 0,timeout);if(session.
stdout="",done)return;let{end}=session;if(end==="timeout"){let message7=`${this.program} did not answer within ${timeout}\
 ms and was stopped; find what blocks it`;throw new CommandError("timeout",this.program,void 0,void 0,"",message7)}let stderr=session.
stderr.replace(/\bline:? (\d+)/g,(found,line)=>found.replace(line,String(Number(line)-before))),{failure:failure2="exit-\
code",exitCode,signal}=end??{},how=exitCode===void 0?"was killed":`ended with exit code ${exitCode}`,output=stderr.trim().
replace(/\s*\n\s*/g,"; "),message6=`${this.program} ${how}${output===""?"":`: ${output}`}`;throw new CommandError(failure2,
this.program,exitCode,signal,stderr,message6)}stop(){this.#session.stop()}};function splitWords(text){let words=[],word;for(let at=0;at<text.length;){let quote=text.indexOf('"',at),plain=text.slice(
at,quote<0?text.length:quote);for(let[index,part]of(plain.includes("	")?plain.replaceAll("	"," "):plain).split(" ").entries())
index>0&&word!==void 0&&(words.push(word),word=void 0),part!==""&&(word=(word??"")+part);if(quote<0)break;let end=endOfQuote(
text,quote+1);if(end<0)return;let quoted=text.slice(quote+1,end);word=(word??"")+(quoted.includes("\\")?quoted.replace(/\\(.)/gs,
"$1"):quoted),at=end+1}return word!==void 0&&words.push(word),words}function endOfQuote(text,start2){for(let at=start2;at<
text.length;at++){let character=text.charAt(at);if(character==='"')return at;character==="\\"&&at++}return-1}var COMMENT=/(^| )-m comment --comment (?:"(?:[^"\\]|\\.)*"|[^ "]+)/;
function withoutComment(ruleText2){return ruleText2.includes("--comment")?ruleText2.replace(COMMENT,"").trimStart():ruleText2}
function targetOf(ruleText2){let words=splitWords(ruleText2)??[];for(let i2=0;i2+1<words.length;i2++)if(words[i2]==="-j"||
words[i2]==="-g"||words[i2]==="--jump"||words[i2]==="--goto")return words[i2+1]}var NFT_MESSAGES={newTable:0,getTable:1,deleteTable:2,newChain:3,getChain:4,deleteChain:5,newRule:6,getRule:7,deleteRule:8,
newSet:9,getSet:10,deleteSet:11,newElements:12,getElements:13,deleteElements:14,newGeneration:15,getGeneration:16,newObject:18,
getObject:19,deleteObject:20};function nftMessageType(message6){return 2560|NFT_MESSAGES[message6]}var NFT_MESSAGE_HEAD=4,
NFNL_BATCH={begin:16,end:17,generation:1},NFT_FAMILIES={ip:2,ip6:10},NFTA_LIST_ELEMENT=1,NFTA_TABLE={name:1,flags:2,use:3,
handle:4,userData:6,owner:7},NFTA_CHAIN={table:1,handle:2,name:3,hook:4,policy:5,type:7,flags:10},NFTA_HOOK={number:1,priority:2},
NFTA_RULE={table:1,chain:2,handle:3,expressions:4,position:6,userData:7},NFTA_EXPRESSION={name:1,data:2},NFTA_SET={table:1,
name:2,flags:3,keyType:4,keyLength:5,dataType:6,dataLength:7,description:9,id:10,timeout:11,userData:13,objectType:15,count:20},
NFTA_SET_DESCRIPTION={size:1,fields:2},NFTA_SET_FIELD_LENGTH=1,NFTA_ELEMENTS={table:1,set:2,elements:3,setId:4},NFTA_ELEMENT={
key:1,data:2,flags:3,timeout:4,expiration:5,userData:6,object:9,keyEnd:10},NFTA_DATA={value:1,verdict:2},NFTA_VERDICT={code:1,
chain:2},NFTA_OBJECT={table:1,name:2,type:3,data:4},NFTA_COUNTER={bytes:1,packets:2},NFTA_GENERATION={id:1,processId:2,processName:3},
NFT_TABLE_FLAGS={dormant:1,owner:2,persist:4},NFT_SET_FLAGS={anonymous:1,constant:2,interval:4,map:8,timeout:16,dynamic:32,
object:64,concatenation:128},NFT_OBJECT_COUNTER=1,NFT_DATA_VERDICT=4294967040,NFT_VERDICTS={drop:0,accept:1,jump:-3,goto:-4,
return:-5};var NFT_HOOKS={prerouting:0,input:1,forward:2,output:3,postrouting:4},NFT_POLICY_ACCEPT=1,NFT_ELEMENT_CATCH_ALL=2,NFT_TYPE_NUMBERS={
integer:4,ipv4_addr:7,ipv6_addr:8,inet_proto:12,inet_service:13,mark:19,classid:23,ifname:41,ct_state:26,ct_dir:27,ct_status:28,
fib_addrtype:42},NFT_TYPE_BITS=6,NFT_USER_DATA={rule:{comment:0},set:{keyByteOrder:0,dataByteOrder:1,keyTypeof:3,dataTypeof:4,
dataInterval:6},typeof:{expression:0,data:1}},NFT_USER_EXPRESSIONS={payload:7,meta:9,concatenation:13,numgen:23},NFT_BYTE_ORDERS={
none:0,host:1,network:2};function createTableStamps(family,variant,namespace){return variant==="nft"?new GenerationStamps(family,namespace):new InfoStamps(
family,namespace)}var NFTA_GEN_ID=1,GenerationStamps=class{family;namespace;counted=!0;#netlink;constructor(family,namespace){
this.family=family,this.namespace=namespace}scopeOf(){return"nf_tables"}async of(){return await this.#unlessRefused(async()=>{
let[answer]=await this.#request("getGeneration",[]),generation=answer&&attributesOf(answer).get(NFTA_GEN_ID);return generation&&
String(asBe32(generation))})}async ofChain(table,chain){return await this.#unlessRefused(async()=>{let[answer]=await this.#request(
"getTable",[{type:NFTA_TABLE.name,value:cString(table)}]),handle=answer&&attributesOf(answer).get(NFTA_TABLE.handle);if(handle===
void 0)return;let ofChain=[{type:NFTA_RULE.table,value:cString(table)},{type:NFTA_RULE.chain,value:cString(chain)}],handles=(await this.#request(
"getRule",ofChain,NETLINK_FLAGS.dump)).map(rule=>attributesOf(rule).get(NFTA_RULE.handle)?.toString("hex"));return[handle.
toString("hex"),...handles].join(" ")})}async#request(message6,attributes2,flags=0){this.#netlink??=new NetlinkSocket("n\
etfilter",this.namespace===void 0?{}:{namespace:this.namespace});let head=Buffer.from([this.family==="IPv4"?NFT_FAMILIES.
ip:NFT_FAMILIES.ip6,0,0,0]);return await this.#netlink.request({type:nftMessageType(message6),flags,payload:encodeAttributes(
attributes2,head)})}async#unlessRefused(read){try{return await read()}catch(error){if(error instanceof NetlinkError)return;
throw error}}close(){this.#netlink?.close(),this.#netlink=void 0}};function attributesOf({payload:payload2}){return attributeMap(
payload2.subarray(NFT_MESSAGE_HEAD))}var AF={IPv4:2,IPv6:10},SOL={IPv4:0,IPv6:41},SOCK_DGRAM_CLOEXEC=524290,SO_GET_INFO=64,
INFO_BYTES=84,NAME_BYTES=32,InfoStamps=class{family;namespace;counted=!1;#libc;#fd;constructor(family,namespace){this.family=
family,this.namespace=namespace}scopeOf(table){return`${this.family} ${table}`}async of(table){try{let libc=await loadLibc();
this.#libc=libc,this.#fd??=inNamespace(libc,this.namespace,()=>libc.socket(AF[this.family],SOCK_DGRAM_CLOEXEC,0));let info=Buffer.
alloc(INFO_BYTES);if(cString(table).copy(info),libc.getsockopt(this.#fd,SOL[this.family],SO_GET_INFO,info,u32(INFO_BYTES))===
0)return info.toString("hex",NAME_BYTES)}catch{}this.close()}ofChain(table){return this.of(table)}close(){this.#fd!==void 0&&
this.#fd>=0&&this.#libc?.close(this.#fd),this.#fd=void 0}};function createIptables(options){return new IptablesCommand(options)}function iptablesProgram(family,variant,tool){return[
family==="IPv4"?"iptables":"ip6tables",variant,tool].filter(word=>word).join("-")}var MAX_SESSION_DOCUMENT=65536,IDLE=3e4,
OWN_CHANGES=new WeakMap,IptablesCommand=class{options;family;#lastAlone=Promise.resolve();#last=Promise.resolve();#session;#idle;#version;#stamps;#ownChanges;#positions=new Map;constructor(options){
this.options=options;let{family,variant,runner}=options;this.family=family,this.#version=options.version,this.#ownChanges=
OWN_CHANGES.get(runner)??new OwnChanges,OWN_CHANGES.set(runner,this.#ownChanges);let{networkNamespace:place}=runner;variant!==
void 0&&place!==void 0&&(this.#stamps=createTableStamps(family,variant,place==="own"?void 0:place))}async restore(document){
let{variant,persistent=variant==="nft",runner}=this.options,{start:start2}=runner,write=start2!==void 0&&persistent&&document.
length<=MAX_SESSION_DOCUMENT?()=>this.#restoreInSession(start2,document):async()=>{await runner.run(this.#request("resto\
re",this.#restoreWords(),{stdin:document,stdout:"ignore"}))};try{await this.#inTurn(()=>this.#asOurs(document,()=>this.#retrying(
write)))}catch(error){let byItself=error instanceof IptablesError&&error.code==="IPTABLES_FAILED"?error.cause:void 0;throw byItself instanceof
CommandError&&byItself.failure==="exit-code"&&byItself.exitCode!==0?refusalOf(document,byItself):error}}close(){for(let[
table,position]of this.#positions)this.#ownChanges.leave(this.#stamps?.scopeOf(table)??table,position);this.#positions.clear(),
this.#stamps?.close(),this.#inTurn(async()=>this.#closeSession())}async save(table){return(await this.#runBeside("save",
table===void 0?[]:["-t",table])).stdout}async counted(table,chain){if(chain===void 0)return(await this.#run("save",["-c",
"-t",table],{})).stdout;let{stdout}=await this.#run("",["-t",table,"-S",chain,"-v"],{});return stdout.replace(/^(-A .*?) -c (\d+) (\d+)/gm,
"[$2:$3] $1")}async chainExists(table,chain){return this.#succeeds(["-t",table,"-S",chain,"1"])}async ruleExists(table,chain,rule){
let words=splitWords(rule)??[];try{return await this.#succeeds(["-t",table,"-C",chain,...words])}catch(error){let target=words[words.
indexOf("-j")+1];if(error instanceof IptablesError&&target!==void 0&&namesTarget(error,target)&&!await this.chainExists(
table,target))return!1;throw error}}async stamp(table){return await this.#stamps?.of(table)}async chainStamp(table,chain){
return await this.#stamps?.ofChain(table,chain)}async hasForeignChanges(table){let scope=this.#stamps?.scopeOf(table);if(this.#stamps===
void 0||scope===void 0)return;let writes=this.#ownChanges.completedWrites(scope),stamp=await this.#stamps.of(table);if(stamp===
void 0)return;let position=this.#positions.get(table)??this.#ownChanges.follow(scope);this.#positions.set(table,position);
let changed=position.stamp!==void 0&&position.stamp!==stamp;return changed&&(writes===void 0||writes!==this.#ownChanges.
completedWrites(scope))?!1:(position.stamp=stamp,changed)}version(){return this.#version??=this.#readVersion().catch(error=>{
throw this.#version=void 0,error}),this.#version}async#readVersion(){let{stdout}=await this.#runBeside("",["--version"]),
version=parseIptablesVersion(stdout);if(version===void 0)throw new IptablesError("IPTABLES_FAILED",`${this.#program("")}\
 --version printed "${stdout.trim()}", which contains no version; check which program this is`);return version}async isPresent(){
try{return await this.#runBeside("",[...this.#wait(),"-t","nat","-S","POSTROUTING"],{stdout:"ignore"}),!0}catch(error){if(error instanceof
ProxierError)return!1;throw error}}async#succeeds(args){try{return await this.#runBeside("",[...this.#wait(),...args],{stdout:"\
ignore"}),!0}catch(error){if(error instanceof IptablesError&&error.cause instanceof CommandError&&error.cause.exitCode===
1)return!1;throw error}}async#restoreInSession(start2,document){clearTimeout(this.#idle),this.#session?.isSpent&&this.#closeSession(),
this.#session??=new RestoreSession(start2,this.#program("restore"),this.#restoreWords()),await this.#session.restore(document,
this.#timeout),this.#idle=setTimeout(()=>this.#closeSession(),IDLE),this.#idle.unref()}#closeSession(){clearTimeout(this.#idle),
this.#session?.stop(),this.#session=void 0}#restoreWords(){return["--noflush",...this.#wait()]}get#timeout(){return this.
options.timeout??3e5}#wait(){return["-w",String(this.options.lockWait??5)]}#program(tool){return iptablesProgram(this.family,
this.options.variant,tool)}#run(tool,args,rest){let request2=this.#request(tool,args,rest);return this.#inTurn(()=>this.#retrying(
()=>this.options.runner.run(request2)))}#request(tool,args,rest){return{command:this.#program(tool),args,timeout:this.#timeout,
...rest}}async#asOurs(document,write){let stamps=this.#stamps,tables=stamps===void 0?[]:this.#followedTables(document,stamps);
if(stamps===void 0||tables.length===0)return write();let before=await Promise.all(tables.map(table=>stamps.of(table)));for(let table of tables)
this.#ownChanges.begin(stamps.scopeOf(table));try{await write()}finally{for(let[index,table]of tables.entries()){let scope=stamps.
scopeOf(table);this.#ownChanges.moved(scope,before[index],await stamps.of(table),stamps.counted),this.#ownChanges.end(scope)}}}#followedTables(document,stamps){
let byScope=new Map;for(let[,table]of document.matchAll(/^\*(\w+)$/gm)){let scope=stamps.scopeOf(table);this.#ownChanges.
isFollowed(scope)&&byScope.set(scope,table)}return[...byScope.values()]}#inTurn(work){let run=this.#last.then(work);return this.#lastAlone=
run.catch(()=>{}),this.#last=this.#lastAlone,run}#runBeside(tool,args,rest={}){let request2=this.#request(tool,args,rest),
run=this.#lastAlone.then(()=>this.#retrying(()=>this.options.runner.run(request2))),before=this.#last;return this.#last=
run.then(()=>before,()=>before),run}async#retrying(work){let attempts=this.options.lockAttempts??3;for(let attempt=1;;attempt++)
try{return await work()}catch(error){let translated2=error instanceof CommandError?iptablesErrorOf(error,this.family):error;
if(!(translated2 instanceof IptablesError)||translated2.code!=="IPTABLES_LOCKED"||attempt>=attempts)throw translated2}}};
function parseIptablesVersion(output){let text=/v(\d+(?:\.\d+)+)/.exec(output)?.[1];if(text===void 0)return;let[major=0,
minor=0,patch=0]=text.split(".").map(Number);return{text,variant:output.includes("nf_tables")?"nft":"legacy",randomFully:major>
1||major===1&&(minor>6||minor===6&&patch>=2)}}var EMPTY_TABLE_DOCUMENT={written:new Map,created:[],deletedRules:[],appendedRules:[],insertedRules:[],deletedChains:new Map};
function userChain(rules=[]){return{policy:"-",rules}}function isEmptyTableDocument(document){return document.written.size===
0&&document.created.length===0&&document.deletedRules.length===0&&document.appendedRules.length===0&&document.insertedRules.
length===0&&document.deletedChains.size===0}function mergeTableDocuments(...documents){return{written:new Map(documents.
flatMap(({written})=>[...written])),created:documents.flatMap(({created})=>created),deletedRules:documents.flatMap(({deletedRules})=>deletedRules),
appendedRules:documents.flatMap(({appendedRules})=>appendedRules),insertedRules:documents.flatMap(({insertedRules})=>insertedRules),
deletedChains:new Map(documents.flatMap(({deletedChains})=>[...deletedChains]))}}function renderDocument(document){return finish(
renderDocumentInSlices(document))}function*renderDocumentInSlices(document){let lines=[];return yield*eachLine(document,
text=>lines.push(text)),lines.push(""),lines.join(`
`)}function lineOfDocument(document,number2){let at=0,found,lines=eachLine(document,(_text,operation,table,chain,owner)=>{
++at===number2&&(found={table,operation,chain,owner})});return finish(lines),found}function*eachLine(document,visit){for(let[
table,content]of document)if(!isEmptyTableDocument(content)){visit(`*${table}`,"table",table);for(let chain of declarationOrder(
content.written))yield,visit(`:${chain} ${content.written.get(chain)?.policy??"-"} [0:0]`,"declare-chain",table,chain);for(let chain of content.
created)visit(`-N ${chain}`,"create-chain",table,chain);for(let{chain,rule}of content.deletedRules)visit(command(`-D ${chain}`,
rule),"delete-rule",table,chain);for(let[chain,{rules,owner,owners}]of content.written){yield;let append2=`-A ${chain}`;
rules.forEach((rule,index)=>{visit(command(append2,rule),"append-rule",table,chain,owner??owners?.[index])})}for(let{chain,
rule}of content.appendedRules)visit(command(`-A ${chain}`,rule),"append-rule",table,chain);for(let{chain,position,rule}of content.
insertedRules)visit(command(`-I ${chain} ${position}`,rule),"insert-rule",table,chain);for(let[chain,owner]of content.deletedChains)
visit(`-X ${chain}`,"delete-chain",table,chain,owner);visit("COMMIT","commit",table)}}function command(operation,rule){return rule===
""?operation:`${operation} ${rule}`}function declarationOrder(written){return[...written.keys()].sort().reverse()}var TableDraft=class{written=new Map;created=[];deletedRules=[];appendedRules=[];insertedRules=[];deletedChains=new Map;append(chain,rule){
let written=this.written.get(chain);written===void 0?this.appendedRules.push({chain,rule}):written.rules.push(rule)}readCommand(operation,chain,rule){
switch(operation){case"-N":this.created.push(chain);return;case"-D":this.deletedRules.push({chain,rule});return;case"-I":{
let[,position,text=""]=/^(\d+)(?: |$)(.*)$/.exec(rule)??[void 0,"1",rule];this.insertedRules.push({chain,position:Number(
position),rule:text});return}case"-X":this.deletedChains.set(chain,void 0)}}},TABLES=["filter","nat","mangle","raw","sec\
urity"];function isTable(name){return TABLES.includes(name)}function parseDocument(text,only){return finish(parseDocumentInSlices(
text,only))}var SLICE=500;function*parseDocumentInSlices(text,only){let document=new Map,draft,lines=0;for(let start2=0;start2<
text.length;){let found=text.indexOf(`
`,start2),end=found<0?text.length:found,line=text.slice(start2,end);if(start2=end+1,++lines%SLICE===0&&(yield),line.startsWith(
"*")){let name=line.slice(1).trim();draft=void 0,isTable(name)&&(only===void 0||name===only)&&(draft=document.get(name)??
new TableDraft,document.set(name,draft))}else if(draft!==void 0)if(line.startsWith(":")){let[chain="",policy="-"]=line.slice(
1).split(" ");draft.written.set(chain,{policy,rules:[]})}else readCommand(line,draft)}return document}function readCommand(line,draft){
let text=line.startsWith("[")?line.slice(line.indexOf(" ")+1):line;if(!text.startsWith("-"))return;let end=text.indexOf(
" ",3),chain=end<0?text.slice(3):text.slice(3,end),rule=end<0?"":text.slice(end+1);text.startsWith("-A")?draft.append(chain,
rule):draft.readCommand(text.slice(0,2),chain,rule)}function*parseSavedTableInSlices(output,table){return(yield*parseDocumentInSlices(
output,table)).get(table)?.written??new Map}function parseSavedTable(output,table){return finish(parseSavedTableInSlices(
output,table))}function kernelProbability(probability){return Math.round(probability*2147483648)/2147483648}var STATES=["INVALID","NEW","RELATED","ESTABLISHED","UNTRACKED","SNAT","DNAT"];function readRule(text){let words=splitWords(
text);return words&&new RuleReader(words).read()}var UnknownWord=class extends Error{},RuleReader=class{words;#at=0;constructor(words){
this.words=words}read(){try{return this.#parts()}catch(error){if(error instanceof UnknownWord)return;throw error}}#parts(){
let parts={},matches=[];for(;this.#at<this.words.length;){let not=this.#take("!"),word=this.#next(),is=value=>not?{value,
not}:{value};if(word==="-s")parts.source=is(this.#next());else if(word==="-d")parts.destination=is(this.#next());else if(word===
"-i")parts.inInterface=is(this.#next());else if(word==="-o")parts.outInterface=is(this.#next());else{if(not)throw new UnknownWord;
if(word==="-p")parts.protocol=this.#protocol(this.#next());else if(word==="-m")this.#match(this.#next(),parts,matches);else if(word===
"-j")parts.target=this.#target(this.#next());else if(word==="-g")parts.target={target:"goto",chain:this.#next()};else throw new UnknownWord}}
return matches.length>0&&(parts.matches=matches),parts}#match(name,parts,matches){switch(name){case"comment":this.#expect(
"--comment"),parts.comment=this.#next(),matches.length>0&&(parts.commentAfter=matches.length);return;case"tcp":case"udp":case"\
sctp":{if(this.#take("--dport")){let[first="",last]=this.#next().split(":"),noSyn=this.#noSyn(),range={match:"port",protocol:name,
first:this.#number(first)};matches.push({...range,...last===void 0?{}:{last:this.#number(last)},...noSyn?{noSyn}:{}})}else
this.#noSyn()&&matches.push({match:"no-syn"});return}case"conntrack":{let not=this.#take("!");this.#expect("--ctstate");
let states=this.#next().split(",");if(!states.every(state=>STATES.includes(state)))throw new UnknownWord;let destination2=this.#take(
"--ctorigdst")?{originalDestination:this.#next()}:{};matches.push({match:"conntrack",states,...not?{not}:{},...destination2});
return}case"nfacct":this.#expect("--nfacct-name"),matches.push({match:"nfacct",counter:this.#next()});return;case"mark":{
let not=this.#take("!");this.#expect("--mark");let mark={match:"mark",...this.#valueAndMask()};matches.push(not?{...mark,
not}:mark);return}case"addrtype":{let not=this.#take("!"),side=this.#take("--src-type")?"src":"dst";side==="dst"&&this.#expect(
"--dst-type"),this.#expect("LOCAL");let local={match:"addrtype",side,type:"LOCAL"};matches.push(not?{...local,not}:local);
return}case"set":{let not=this.#take("!");this.#expect("--match-set");let set={match:"set",set:this.#next(),sides:this.#sides()};
matches.push(not?{...set,not}:set);return}case"statistic":this.#expect("--mode"),this.#expect("random"),this.#expect("--\
probability"),matches.push({match:"statistic",probability:kernelProbability(this.#number(this.#next()))});return;case"re\
cent":matches.push(this.#recent());return;default:throw new UnknownWord}}#noSyn(){return this.#take("--tcp-flags")?(this.#expect(
"SYN"),this.#expect("NONE"),!0):!1}#recent(){if(this.#take("--set"))return{match:"recent",operation:"set",...this.#recentList()};
this.#expect("--rcheck"),this.#expect("--seconds");let seconds2=this.#number(this.#next());return this.#expect("--reap"),
{match:"recent",operation:"rcheck",seconds:seconds2,...this.#recentList()}}#recentList(){this.#expect("--name");let list2=this.#next();
this.#expect("--mask");let mask=this.#next();return this.#expect("--rsource"),{list:list2,mask}}#target(name){switch(name){case"\
REJECT":{this.#expect("--reject-with");let type=this.#next();if(type!=="icmp-port-unreachable"&&type!=="icmp6-port-unrea\
chable"&&type!=="tcp-reset")throw new UnknownWord;return{target:"REJECT",with:type}}case"MARK":return this.#expect("--se\
t-xmark"),{target:"MARK",...this.#valueAndMask()};case"SET":{this.#expect("--map-set");let target={target:"SET",markFrom:this.#next(),
sides:this.#sides()};return this.#expect("--map-mark"),target}case"MASQUERADE":return{target:"MASQUERADE",randomFully:this.#take(
"--random-fully")};case"DNAT":return this.#expect("--to-destination"),{target:"DNAT",to:this.#next()};case"REDIRECT":return this.#expect(
"--to-ports"),{target:"REDIRECT",toPort:this.#number(this.#next())};default:if(name==="ACCEPT"||name==="DROP"||name==="R\
ETURN")return{target:name};if(isForeignTarget(name))throw new UnknownWord;return{target:"jump",chain:name}}}#protocol(word){
if(word!=="tcp"&&word!=="udp"&&word!=="sctp")throw new UnknownWord;return word}#sides(){let sides=this.#next().split(",");
if(!sides.every(side=>side==="src"||side==="dst"))throw new UnknownWord;return sides}#valueAndMask(){let[value="",mask="\
0xffffffff"]=this.#next().split("/");return{value:this.#number(value),mask:this.#number(mask)}}#number(word){let value=Number(
word);if(word===""||Number.isNaN(value))throw new UnknownWord;return value}#next(){let word=this.words[this.#at++];if(word===
void 0)throw new UnknownWord;return word}#take(word){return this.words[this.#at]!==word?!1:(this.#at++,!0)}#expect(word){
if(this.#next()!==word)throw new UnknownWord}};var MAX_COMMENT=255;function plainComment(text){return text.replace(/[^\w .:/>,;()[\]-]/g,"?").slice(0,MAX_COMMENT)}function hex(value){
return`0x${(value>>>0).toString(16)}`}function condition(flag,is){return is===void 0?"":`${is.not?"! ":""}${flag} ${is.value}`}
function renderMatch(match){switch(match.match){case"port":{let range=match.last===void 0||match.last===match.first?"":`\
:${match.last}`;return`-m ${match.protocol} --dport ${match.first}${range}${match.noSyn?" --tcp-flags SYN NONE":""}`}case"\
no-syn":return"-m tcp --tcp-flags SYN NONE";case"conntrack":return`-m conntrack${match.not?" !":""} --ctstate ${match.states.
join(",")}${match.originalDestination===void 0?"":` --ctorigdst ${match.originalDestination}`}`;case"nfacct":return`-m n\
facct --nfacct-name  ${match.counter}`;case"mark":return`-m mark${match.not?" !":""} --mark ${hex(match.value)}/${hex(match.
mask)}`;case"addrtype":return`-m addrtype${match.not?" !":""} --${match.side}-type ${match.type}`;case"set":return`-m se\
t${match.not?" !":""} --match-set ${match.set} ${match.sides.join(",")}`;case"statistic":return`-m statistic --mode rand\
om --probability ${kernelProbability(match.probability).toFixed(11)}`;case"recent":return match.operation==="set"?`-m re\
cent --set --name ${match.list} --mask ${match.mask} --rsource`:`-m recent --rcheck --seconds ${match.seconds} --reap --\
name ${match.list} --mask ${match.mask} --rsource`}}function renderTarget(target){if(target===void 0)return"";switch(target.
target){case"jump":return`-j ${target.chain}`;case"goto":return`-g ${target.chain}`;case"REJECT":return`-j REJECT --reje\
ct-with ${target.with}`;case"MARK":return`-j MARK --set-xmark ${hex(target.value)}/${hex(target.mask)}`;case"SET":return`\
-j SET --map-set ${target.markFrom} ${target.sides.join(",")} --map-mark`;case"MASQUERADE":return target.randomFully?"-j\
 MASQUERADE --random-fully":"-j MASQUERADE";case"DNAT":return`-j DNAT --to-destination ${target.to}`;case"REDIRECT":return`\
-j REDIRECT --to-ports ${target.toPort}`;case"ACCEPT":case"DROP":case"RETURN":return`-j ${target.target}`;default:return assertNever(
target)}}function renderRule(parts,withComment){let matches=(parts.matches??[]).map(renderMatch);return withComment&&parts.
comment!==void 0&&matches.splice(parts.commentAfter??0,0,`-m comment --comment "${plainComment(parts.comment)}"`),[condition(
"-s",parts.source),condition("-d",parts.destination),condition("-i",parts.inInterface),condition("-o",parts.outInterface),
parts.protocol===void 0?"":`-p ${parts.protocol}`,...matches,renderTarget(parts.target)].filter(piece=>piece!=="").join(
" ")}var IptablesRule=class _IptablesRule{parts;#text;#bare;constructor(parts){this.parts=parts}get text(){return this.#text??=
renderRule(this.parts,!0),this.#text}get bareText(){return this.#bare??=renderRule(this.parts,!1),this.#bare}static parse(text){
let parts=readRule(text);return parts===void 0?void 0:new _IptablesRule(parts)}};function effectOf(ruleText2){return IptablesRule.
parse(ruleText2)?.bareText??withoutComment(ruleText2)}var FAMILY=["ip_family"],FAMILY_AND_TABLE=["table","ip_family"],IPTABLES_SYNC_METRICS={failed:{type:"counter",name:"kube\
proxy_sync_proxy_rules_iptables_restore_failures_total",help:"Syncs that failed in iptables-restore",labels:FAMILY},partialFailed:{
type:"counter",name:"kubeproxy_sync_proxy_rules_iptables_partial_restore_failures_total",help:"Partial syncs that failed\
 in iptables-restore",labels:FAMILY},rules:{type:"gauge",name:"kubeproxy_sync_proxy_rules_iptables_total",help:"iptables\
 rules owned by kube-proxier",labels:FAMILY_AND_TABLE},rulesWritten:{type:"gauge",name:"kubeproxy_sync_proxy_rules_iptab\
les_last",help:"iptables rules written by the last sync",labels:FAMILY_AND_TABLE}};var HINTS=/^:KUBE-(?:IPTABLES-HINT|KUBELET-CANARY) /m,VARIANTS=["nft","legacy"],FAMILIES=["IPv4","IPv6"];async function detectIptablesVariant(runner){
let rules=new Map,all=new Map,unlisted=[];for(let variant of VARIANTS){let saved=await savedRules(runner,variant,reason=>unlisted.
push(reason));if(saved.size===0)continue;let texts=[...saved.values()];if(texts.some(text=>HINTS.test(text)))return{variant,
reason:`a kubelet left its hint chain in the ${variant} tables`,saved};all.set(variant,saved),rules.set(variant,texts.reduce(
(sum,text)=>sum+(text.match(/^-A /gm)?.length??0),0))}let savedOf=variant=>{let saved=variant&&all.get(variant);return saved===
void 0?{}:{saved}},only=[...rules.keys()];if(only.length===1){let[reason]=unlisted;return reason===void 0?{variant:only[0],
reason:`only the ${only[0]} tools are installed`,...savedOf(only[0])}:{variant:only[0],reason:`only the ${only[0]} table\
s can be listed (${reason})`,isCertain:!1,...savedOf(only[0])}}let[nft=0,legacy=0]=[rules.get("nft"),rules.get("legacy")];
if(nft!==legacy){let variant=nft>legacy?"nft":"legacy";return{variant,reason:`the ${variant} tables hold more rules (nft\
 ${nft}, legacy ${legacy})`,...savedOf(variant)}}let inPath=await variantInPath(runner);return inPath===void 0?{variant:void 0,
reason:"the tools do not report their variant"}:{variant:inPath,reason:`iptables in PATH is the ${inPath} variant`,...unlisted.
length===0?{}:{isCertain:!1},...savedOf(inPath)}}async function savedRules(runner,variant,onRefused){let saved=await Promise.
all(FAMILIES.map(async family=>{try{let{stdout}=await runner.run({command:iptablesProgram(family,variant,"save"),args:[]});
return[[family,stdout]]}catch(error){if(!(error instanceof ProxierError))throw error;return error instanceof CommandError&&
error.failure==="not-found"||onRefused(messageOf(error)),[]}}));return new Map(saved.flat())}async function variantInPath(runner){
try{let{stdout}=await runner.run({command:"iptables",args:["--version"]});return parseIptablesVersion(stdout)?.variant}catch(error){
if(error instanceof ProxierError)return;throw error}}function removeChains(saved,isRemoved,{alsoDelete=()=>!1,foreignReferences="delete-jump"}={}){let removed=new Set([...saved.
keys()].filter(isRemoved)),needed=new Set,deletedRules=[];for(let[chain,{policy,rules}]of saved)if(!removed.has(chain))for(let rule of rules){
if(alsoDelete(chain,rule)){deletedRules.push({chain,rule});continue}let target=mentionsAny(rule,removed)?targetOf(rule):
void 0;target===void 0||!removed.has(target)||(foreignReferences==="keep-empty"&&policy==="-"?needed.add(target):deletedRules.
push({chain,rule}))}let deletedChains=[...removed].filter(chain=>!needed.has(chain)),emptied=[...removed].filter(chain=>needed.
has(chain)&&(saved.get(chain)?.rules.length??0)>0);return{...EMPTY_TABLE_DOCUMENT,written:new Map([...deletedChains,...emptied].
map(chain=>[chain,userChain()])),deletedRules,deletedChains:new Map(deletedChains.map(chain=>[chain,void 0]))}}var JUMP=/-(?:[jg]|-jump|-goto) (\S+)/g;
function mentionsAny(rule,chains){for(let[,chain=""]of rule.matchAll(JUMP))if(chains.has(chain))return!0;return!1}function removedObjects({
written,deletedRules,deletedChains},location){return[{kind:"chain",location,names:[...deletedChains.keys()]},{kind:"cont\
ent of chain",location,names:[...written.keys()].filter(chain=>!deletedChains.has(chain))},{kind:"rule",location,names:deletedRules.
map(({chain,rule})=>`${chain} ${rule}`)}].filter(({names})=>names.length>0)}var RuleSentinels=class{iptables;#rules;#missedAt;#held=0;constructor(rules,iptables){this.iptables=iptables,this.#rules=
rules.map(rule=>new SentinelRule(rule))}async check(signal,onGone,placed){if(this.#missedAt!==void 0&&this.#missedAt===placed?.()&&
this.#held++<20)return!1;this.#missedAt=void 0,this.#held=0;let missed2=!1;for(let rule of this.#rules){if(signal.aborted)
return!1;let before=placed?.();if(await rule.isGone(await this.iptables(),before??0)&&!signal.aborted){let{from,table}=rule.
watched;if(onGone(`the jump from ${from} in the ${table} table is gone, as after a flush`),missed2=!0,before!==void 0)return this.#missedAt=
before,!1}}return!missed2}},SentinelRule=class{watched;#seen=!1;#placed=0;#stamp;#chainStamp;#spared=0;constructor(watched){
this.watched=watched}async isGone(iptables,placed){let{table,from,text}=this.watched,stamp=await iptables.stamp(table),isTableUnchanged=stamp!==
void 0&&stamp===this.#stamp,readChainStamp=async()=>await iptables.chainStamp(table,from)??stamp,chainStamp=isTableUnchanged?
this.#chainStamp:await readChainStamp();if(chainStamp!==void 0&&chainStamp===this.#chainStamp&&(this.#seen||placed===this.#placed)&&
this.#spared<60)return this.#spared++,this.#stamp=stamp,!1;this.#spared=0,this.#stamp=void 0,this.#chainStamp=void 0;let isThere=await iptables.
ruleExists(table,from,text),isGone=(this.#seen||placed!==this.#placed)&&!isThere;return this.#seen=isThere,this.#placed=
placed,(isThere||chainStamp===await readChainStamp())&&(this.#stamp=stamp,this.#chainStamp=chainStamp),isGone}};var INTERVAL=500;async function watchRules(options){let{rules,iptables,clock,signal,placed,onDrift,onFailure}=options,{afterCheck}=options,
sentinels=new RuleSentinels(rules,iptables),failing=!1;for(;!signal.aborted;){await pause(clock,INTERVAL,signal);try{await sentinels.
check(signal,onDrift,placed)&&!signal.aborted&&await afterCheck?.(),failing=!1}catch(error){failing||(failing=!0,onFailure(
messageOf(error)))}}}var IPVS_SCHEDULER_FLAGS={fallback:8,sourcePort:16,third:32};function virtualServerKey(at){if(at.kind==="mark")return`ma\
rk/${at.family}/0x${at.mark.toString(16)}`;let host=at.family==="IPv6"?`[${at.address}]`:at.address;return`${at.protocol}\
/${host}:${at.port}`}var IPVS_COMMANDS={newService:1,setService:2,deleteService:3,getService:4,newDestination:5,setDestination:6,deleteDestination:7,
getDestination:8,setConfig:12,getConfig:13,getInfo:15},COMMAND_ATTRIBUTE={service:1,destination:2,timeoutTcp:4,timeoutTcpFin:5,
timeoutUdp:6},SERVICE={family:1,protocol:2,address:3,port:4,mark:5,scheduler:6,flags:7,timeout:8,netmask:9},DESTINATION={
address:1,port:2,forwarding:3,weight:4,upperThreshold:5,lowerThreshold:6,active:7,inactive:8,persistent:9,family:11,statistics:12},
STATISTICS2={connections:1,packetsIn:2,packetsOut:3,bytesIn:4,bytesOut:5},INFO_VERSION=1,PERSISTENT=1,SCHEDULER_FLAGS=60,
FORWARDING_MASK=7,MASQUERADE=0;function protocolOf(number2){return number2===6?"TCP":number2===17?"UDP":number2===132?"S\
CTP":void 0}function wideAddress(address2){let bytes2=Buffer.alloc(16);return bytes2.set(addressBytes(address2)),bytes2}
function identity3(at){let family={type:SERVICE.family,value:u16(ADDRESS_FAMILIES[at.family])};return at.kind==="mark"?[
family,{type:SERVICE.mark,value:u32(at.mark)}]:[family,{type:SERVICE.protocol,value:u16(PROTOCOL_NUMBERS[at.protocol])},
{type:SERVICE.address,value:wideAddress(at.address)},{type:SERVICE.port,value:be16(at.port)}]}function service(virtual){
let{at,scheduler:scheduler3,schedulerFlags,persistence}=virtual,flags=Buffer.concat([u32(schedulerFlags|(persistence===void 0?
0:PERSISTENT)),u32(4294967295)]);return{type:COMMAND_ATTRIBUTE.service,value:[...identity3(at),{type:SERVICE.scheduler,value:cString(
scheduler3)},{type:SERVICE.flags,value:flags},{type:SERVICE.timeout,value:u32(persistence??0)},{type:SERVICE.netmask,value:at.
family==="IPv4"?u32(4294967295):u32(128)}]}}function destination(family,{address:address2,port,weight}){return{type:COMMAND_ATTRIBUTE.
destination,value:[{type:DESTINATION.address,value:wideAddress(address2)},{type:DESTINATION.port,value:be16(port)},{type:DESTINATION.
forwarding,value:u32(MASQUERADE)},{type:DESTINATION.weight,value:u32(weight)},{type:DESTINATION.upperThreshold,value:u32(
0)},{type:DESTINATION.lowerThreshold,value:u32(0)},{type:DESTINATION.family,value:u16(ADDRESS_FAMILIES[family])}]}}function serviceIdentity(at){
return{type:COMMAND_ATTRIBUTE.service,value:identity3(at)}}function encodeIpvsCommand(command2){switch(command2.do){case"\
add-virtual":return message3(IPVS_COMMANDS.newService,[service(command2.virtual)]);case"set-virtual":return message3(IPVS_COMMANDS.
setService,[service(command2.virtual)]);case"delete-virtual":return message3(IPVS_COMMANDS.deleteService,[serviceIdentity(
command2.at)]);case"add-real":case"set-real":return message3(command2.do==="add-real"?IPVS_COMMANDS.newDestination:IPVS_COMMANDS.
setDestination,[serviceIdentity(command2.at),destination(command2.at.family,command2.real)]);case"delete-real":return message3(
IPVS_COMMANDS.deleteDestination,[serviceIdentity(command2.at),destination(command2.at.family,{...command2,weight:0})])}}
function message3(command2,attributes2){return{command:command2,attributes:encodeAttributes(attributes2)}}function encodeVirtualServerRequest(at){
return message3(IPVS_COMMANDS.getService,[serviceIdentity(at)])}function encodeRealServersRequest(at){return message3(IPVS_COMMANDS.
getDestination,[serviceIdentity(at)])}function decodeVirtualServer(attributes2){let body2=attributeMap(attributes2).get(
COMMAND_ATTRIBUTE.service);if(body2===void 0)return;let map=attributeMap(body2),family=familyOfNumber(asU16(map.get(SERVICE.
family))),mark=asU32(map.get(SERVICE.mark)),protocol=protocolOf(asU16(map.get(SERVICE.protocol))),address2=map.get(SERVICE.
address);if(family===void 0||mark===0&&(protocol===void 0||address2===void 0))return;let flags=asU32(map.get(SERVICE.flags));
return{at:mark!==0?{kind:"mark",family,mark}:{kind:"address",family,protocol,address:addressText(address2,family),port:asBe16(
map.get(SERVICE.port))},scheduler:asText(map.get(SERVICE.scheduler)),schedulerFlags:flags&SCHEDULER_FLAGS,persistence:(flags&
PERSISTENT)===0?void 0:asU32(map.get(SERVICE.timeout))}}function decodeRealServer(attributes2,family){let body2=attributeMap(
attributes2).get(COMMAND_ATTRIBUTE.destination);if(body2===void 0)return;let map=attributeMap(body2),address2=map.get(DESTINATION.
address),own=familyOfNumber(asU16(map.get(DESTINATION.family)))??family;if(address2!==void 0)return{address:addressText(
address2,own),port:asBe16(map.get(DESTINATION.port)),weight:asU32(map.get(DESTINATION.weight)),forwarding:asU32(map.get(
DESTINATION.forwarding))&FORWARDING_MASK,connectionLimit:asU32(map.get(DESTINATION.upperThreshold)),activeConnections:asU32(
map.get(DESTINATION.active)),inactiveConnections:asU32(map.get(DESTINATION.inactive)),persistentConnections:asU32(map.get(
DESTINATION.persistent))}}function decodeRealServerCounts(attributes2,family){let real=decodeRealServer(attributes2,family),
body2=attributeMap(attributes2).get(COMMAND_ATTRIBUTE.destination),statistics=body2&&attributeMap(body2).get(DESTINATION.
statistics);if(real===void 0||statistics===void 0)return;let map=attributeMap(statistics);return{address:real.address,port:real.
port,connections:asU64(map.get(STATISTICS2.connections)),packetsToServer:asU64(map.get(STATISTICS2.packetsIn)),packetsToClients:asU64(
map.get(STATISTICS2.packetsOut)),bytesToServer:asU64(map.get(STATISTICS2.bytesIn)),bytesToClients:asU64(map.get(STATISTICS2.
bytesOut))}}function encodeTimeouts({tcp,tcpFin,udp}){return message3(IPVS_COMMANDS.setConfig,[{type:COMMAND_ATTRIBUTE.timeoutTcp,
value:u32(tcp)},{type:COMMAND_ATTRIBUTE.timeoutTcpFin,value:u32(tcpFin)},{type:COMMAND_ATTRIBUTE.timeoutUdp,value:u32(udp)}])}
function decodeTimeouts(attributes2){let map=attributeMap(attributes2);return{tcp:asU32(map.get(COMMAND_ATTRIBUTE.timeoutTcp)),
tcpFin:asU32(map.get(COMMAND_ATTRIBUTE.timeoutTcpFin)),udp:asU32(map.get(COMMAND_ATTRIBUTE.timeoutUdp))}}function decodeVersion(attributes2){
let version=asU32(attributeMap(attributes2).get(INFO_VERSION));return`${version>>16&255}.${version>>8&255}.${version&255}`}var CONTROLLER=16,GET_FAMILY=3,FAMILY_ID=1,FAMILY_NAME=2,VERSION=1,GENERIC_HEADER=4,ENOENT3=2,ESRCH=3,IpvsNetlink=class{netlink;#family;constructor(netlink=new NetlinkSocket(
"generic")){this.netlink=netlink}async execute(commands){if(commands.length===0)return[];let type=await this.#type(),requests=commands.
map(command2=>({type,flags:0,payload:body(encodeIpvsCommand(command2))})),errors=await this.netlink.execute(requests);return commands.
map((command2,index)=>{let errno=errors[index]??0;return errno===0?void 0:new NetlinkRefused(errno,describe4(command2))})}async virtualServers(){
return this.#family=void 0,(await this.#request({command:IPVS_COMMANDS.getService,attributes:NOTHING},NETLINK_FLAGS.dump)).
flatMap(attributes2=>decodeVirtualServer(attributes2)??[])}async has(at){try{return(await this.#request(encodeVirtualServerRequest(
at))).length>0}catch(error){if(error instanceof NetlinkRefused&&error.errno===ESRCH)return!1;throw error}}async realServers(at){
return(await this.#request(encodeRealServersRequest(at),NETLINK_FLAGS.dump)).flatMap(attributes2=>decodeRealServer(attributes2,
at.family)??[])}async counts(at){return(await this.#request(encodeRealServersRequest(at),NETLINK_FLAGS.dump)).flatMap(attributes2=>decodeRealServerCounts(
attributes2,at.family)??[])}async timeouts(){let[answer=NOTHING]=await this.#request({command:IPVS_COMMANDS.getConfig,attributes:NOTHING});
return decodeTimeouts(answer)}async setTimeouts(timeouts){let request2={type:await this.#type(),flags:0,payload:body(encodeTimeouts(
timeouts))},[errno=0]=await this.netlink.execute([request2]);if(errno!==0)throw new NetlinkRefused(errno,`set the timeou\
ts of IPVS to ${JSON.stringify(timeouts)}`)}async version(){let[answer=NOTHING]=await this.#request({command:IPVS_COMMANDS.
getInfo,attributes:NOTHING});return decodeVersion(answer)}close(){this.netlink.close()}async#request(question,flags=0){return(await this.
netlink.request({type:await this.#type(),flags,payload:body(question)})).map(behindHeader)}#type(){return this.#family??=
this.#findFamily().catch(error=>{throw this.#family=void 0,error}),this.#family}async#findFamily(){let payload2=encodeAttributes(
[{type:FAMILY_NAME,value:cString("IPVS")}],Buffer.of(GET_FAMILY,VERSION,0,0)),answers2;try{answers2=await this.netlink.request(
{type:CONTROLLER,flags:0,payload:payload2})}catch(error){throw error instanceof NetlinkRefused&&error.errno===ENOENT3?new NetlinkError(
"NETLINK_UNAVAILABLE","the kernel has no IPVS: its module ip_vs is not loaded",{cause:error}):error}let[answer]=answers2.
map(behindHeader);return asU16(answer&&attributeMap(answer).get(FAMILY_ID))}},NOTHING=Buffer.alloc(0);function body({command:command2,
attributes:attributes2}){return Buffer.concat([Buffer.of(command2,VERSION,0,0),attributes2])}function behindHeader({payload:payload2}){
return payload2.subarray(GENERIC_HEADER)}function describe4(command2){switch(command2.do){case"add-virtual":case"set-vir\
tual":return`${command2.do==="add-virtual"?"add":"change"} the virtual server ${virtualServerKey(command2.virtual.at)} w\
ith scheduler ${command2.virtual.scheduler}`;case"delete-virtual":return`remove the virtual server ${virtualServerKey(command2.
at)}`;case"add-real":case"set-real":return`${command2.do==="add-real"?"add":"change"} the real server ${command2.real.address}\
 port ${command2.real.port} of ${virtualServerKey(command2.at)}`;case"delete-real":return`remove the real server ${command2.
address} port ${command2.port} of ${virtualServerKey(command2.at)}`}}import{readFile,writeFile}from"node:fs/promises";var kernelFiles={read:path6=>readFile(path6,"utf8"),write:(path6,text)=>writeFile(path6,text)};function kernelFilesOf(runner){
return{async read(path6){return(await withSystemCode(runner.run({command:"cat",args:["--",path6]}))).stdout},async write(path6,text){
await withSystemCode(runner.run({command:"tee",args:["--",path6],stdin:text,stdout:"ignore"}))}}}var SPELLINGS=new Map([
["No such file or directory","ENOENT"],["Not a directory","ENOTDIR"],["Permission denied","EACCES"],["Operation not perm\
itted","EPERM"],["Read-only file system","EROFS"],["Invalid argument","EINVAL"]]);async function withSystemCode(run){try{
return await run}catch(error){let output=error instanceof CommandError?error.stderr.trim():"",[,code]=[...SPELLINGS].find(
([spelling])=>output.endsWith(spelling))??[];throw code===void 0?error:Object.assign(new Error(`${code}: ${output}`,{cause:error}),
{code})}}function systemErrorCode(error){return error instanceof Error&&"code"in error&&typeof error.code=="string"?error.
code:void 0}var IPVS_TABLE="/proc/net/ip_vs";async function probeIpvs(runner=createCommandRunner(),files=kernelFiles){if(await answers(
files))return{usable:!0};let obstacle=await loadModule(runner);return await answers(files)?{usable:!0,detail:"the module\
 ip_vs was loaded"}:{usable:!1,reason:`the kernel has no IPVS, and ${obstacle??"loading its module did not help"}`}}async function answers(files){
try{return await files.read(IPVS_TABLE),!0}catch{return!1}}async function loadModule(runner){try{await runner.run({command:"\
modprobe",args:["ip_vs"],timeout:1e4});return}catch(error){if(!(error instanceof CommandError))return"its module ip_vs c\
ould not be loaded";if(error.failure==="not-found")return"its module cannot be loaded because modprobe is not installed";
let output=error.stderr.trim().split(`
`)[0]?.replace(/\.$/,"");return`its module ip_vs could not be loaded${output?` (${output})`:""}`}}var MAX_DATAGRAMS=4096,MSG_TRUNC2=32,EINTR2=4,EAGAIN2=11,ENOBUFS=105,NetlinkSubscription=class{protocol;groups;options;#buffer=Buffer.
alloc(MAX_BYTES);#fd;#libc;#closed=!1;constructor(protocol,groups,options={}){this.protocol=protocol,this.groups=groups,
this.options=options}async take(){let{libc,fd}=await this.#open(),messages=[],missed2=!1;for(let count2=0;count2<MAX_DATAGRAMS;count2++){
let length=libc.recv(fd,this.#buffer,this.#buffer.length,MSG_TRUNC2);if(length>=0){missed2=!readDatagram(this.#buffer,length,
messages)||missed2;continue}let errno=libc.errno();if(errno===EAGAIN2)break;if(errno===ENOBUFS)missed2=!0;else if(errno!==
EINTR2)throw this.#drop(),new NetlinkError("NETLINK_LOST",`listening to netlink (${this.protocol}) failed: ${errnoName(errno)}`)}
return{messages,missed:missed2}}close(){this.#closed=!0,this.#drop()}async#open(){let libc;try{libc=await loadLibc(),this.#closed||
(this.#fd??=openSocket(libc,this.protocol,this.options,this.groups))}catch(error){throw unavailable(this.protocol,error)}
if(this.#fd===void 0)throw new NetlinkError("NETLINK_CLOSED","the netlink subscription was closed");return this.#libc=libc,
{libc,fd:this.#fd}}#drop(){this.#fd!==void 0&&(this.#libc?.close(this.#fd),this.#fd=void 0)}};function readDatagram(buffer,length,messages){
if(length>buffer.length)return!1;for(let at=0;at+HEADER2<=length;){let size=readU32(buffer,at);if(size<HEADER2||at+size>
length)return!1;messages.push({type:readU16(buffer,at+4),payload:Buffer.from(buffer.subarray(at+HEADER2,at+size))}),at+=
align(size)}return!0}var ROUTE_MESSAGES={newLink:16,deleteLink:17,getLink:18,newAddress:20,deleteAddress:21,getAddress:22},LINK={name:3,info:18},
INFO_KIND=1,ADDRESS2={address:1,local:2,lifetimes:6,flags:8},LINK_HEADER=16,ADDRESS_HEADER=8,ADDRESS_FLAGS={noDuplicateDetection:2,
optimistic:4,duplicate:8,tentative:64},SCOPE_HOST=254,DEPRECATED=Buffer.concat([u32(0),u32(4294967295),u32(0),u32(0)]);function encodeLink(name,kind){
return encodeAttributes([{type:LINK.name,value:cString(name)},...kind===void 0?[]:[{type:LINK.info,value:[{type:INFO_KIND,
value:cString(kind)}]}]],new Uint8Array(LINK_HEADER))}function decodeLink(payload2){let map=attributeMap(payload2.subarray(
LINK_HEADER)),info=map.get(LINK.info);return{index:readU32(payload2,4),name:asText(map.get(LINK.name)),kind:info===void 0?
"":asText(attributeMap(info).get(INFO_KIND))}}function encodeAddress({link,address:address2},prefixLength2){let bytes2=addressBytes(
address2),head=Buffer.alloc(ADDRESS_HEADER);return head[0]=ADDRESS_FAMILIES[bytes2.length===4?"IPv4":"IPv6"],head[1]=prefixLength2??
bytes2.length*8,head[3]=bytes2.length===4?SCOPE_HOST:0,writeU32(head,link,4),encodeAttributes([{type:ADDRESS2.local,value:bytes2},
{type:ADDRESS2.address,value:bytes2},...bytes2.length===4?[]:[{type:ADDRESS2.lifetimes,value:DEPRECATED},{type:ADDRESS2.
flags,value:u32(ADDRESS_FLAGS.noDuplicateDetection)}]],head)}function decodeAddress(payload2){let family=familyOfNumber(
payload2[0]??0),map=attributeMap(payload2.subarray(ADDRESS_HEADER)),bytes2=map.get(ADDRESS2.local)??map.get(ADDRESS2.address);
if(family===void 0||bytes2===void 0)return;let flags=map.get(ADDRESS2.flags),usable=isUsable(flags===void 0?payload2[2]??
0:readU32(flags,0));return{link:readU32(payload2,4),family,address:addressText(bytes2,family),usable}}function decodePrefixLength(payload2){
return payload2[1]??0}function isUsable(flags){let{duplicate,optimistic,tentative}=ADDRESS_FLAGS;return(flags&duplicate)===
0&&((flags&tentative)===0||(flags&optimistic)!==0)}function encodeEverything(length){return Buffer.alloc(length==="links"?
LINK_HEADER:ADDRESS_HEADER)}var GROUPS=272,AddressEventsNetlink=class{#subscription;constructor(options={}){this.#subscription=new NetlinkSubscription(
"route",GROUPS,options)}async take(){let{messages,missed:missed2}=await this.#subscription.take();return{changes:messages.
flatMap(({type,payload:payload2})=>{let found=type===ROUTE_MESSAGES.newAddress||type===ROUTE_MESSAGES.deleteAddress?decodeAddress(
payload2):void 0;return found===void 0?[]:[{link:found.link,family:found.family,address:found.address}]}),missed:missed2}}close(){
this.#subscription.close()}};var ENODEV=19,EADDRNOTAVAIL=99,LinksNetlink=class{netlink;constructor(netlink=new NetlinkSocket("route")){this.netlink=netlink}async find(name){
try{let[answer]=await this.netlink.request({type:ROUTE_MESSAGES.getLink,flags:0,payload:encodeLink(name)});return answer&&
decodeLink(answer.payload)}catch(error){if(error instanceof NetlinkRefused&&error.errno===ENODEV)return;throw error}}async addDummy(name){
await this.#do(ROUTE_MESSAGES.newLink,NETLINK_FLAGS.create|NETLINK_FLAGS.exclusive,encodeLink(name,"dummy"),()=>`make th\
e dummy interface ${name}`)}async remove(name){await this.#do(ROUTE_MESSAGES.deleteLink,0,encodeLink(name),()=>`remove t\
he interface ${name}`)}async addresses(){return(await this.#listAddresses()).flatMap(payload2=>decodeAddress(payload2)??
[])}async execute(commands){if(commands.length===0)return[];let errors=await this.netlink.execute(commands.map(command2=>({
type:command2.do==="add-address"?ROUTE_MESSAGES.newAddress:ROUTE_MESSAGES.deleteAddress,flags:command2.do==="add-address"?
NETLINK_FLAGS.create|NETLINK_FLAGS.exclusive:0,payload:encodeAddress(command2)}))),others=commands.filter(({do:what},index)=>what===
"delete-address"&&errors[index]===EADDRNOTAVAIL),second=others.length===0?new Map:await this.#removeNetworks(others);return commands.
map((command2,index)=>{let errno=second.get(command2)??errors[index]??0,verb=command2.do==="add-address"?"add the addres\
s":"remove the address";return errno===0?void 0:new NetlinkRefused(errno,`${verb} ${command2.address}`)})}async#removeNetworks(commands){
let payloads=await this.#listAddresses(),requests=commands.flatMap(command2=>payloads.filter(payload2=>{let found=decodeAddress(
payload2);return found?.link===command2.link&&found.address===command2.address}).map(payload2=>({command:command2,payload:encodeAddress(
command2,decodePrefixLength(payload2))})));if(requests.length===0)return new Map;let errors=await this.netlink.execute(requests.
map(({payload:payload2})=>({type:ROUTE_MESSAGES.deleteAddress,flags:0,payload:payload2})));return new Map(requests.map(({
command:command2},index)=>[command2,errors[index]??0]))}async#listAddresses(){let payload2=encodeEverything("addresses");
return(await this.netlink.request({type:ROUTE_MESSAGES.getAddress,flags:NETLINK_FLAGS.dump,payload:payload2})).map(answer=>answer.
payload)}close(){this.netlink.close()}async#do(type,flags,payload2,what){let[errno=0]=await this.netlink.execute([{type,
flags,payload:payload2}]);if(errno!==0)throw new NetlinkRefused(errno,what())}};var INTERVAL2=250,REST=1e3,FIRST_RETRY=1e3,MAX_RETRY_DELAY=3e4;async function watchAddresses(options){let{open,clock,signal,
onChange,onFailure,onRecovery}=options,failures=0;for(;!signal.aborted;){let events=open();try{await events.take(),failures>
0&&onRecovery(),await onChange(void 0);for(let wait=REST;;){if(await pause(clock,wait,signal),signal.aborted)return;let{
changes,missed:missed2}=await events.take();failures=0;let isNews=missed2||changes.length>0;isNews&&await onChange(missed2?
void 0:changes),wait=isNews?REST:INTERVAL2}}catch(error){failures+=1,onFailure(messageOf(error),failures),await onChange(
void 0)}finally{events.close()}await pause(clock,Math.min(FIRST_RETRY*2**(failures-1),MAX_RETRY_DELAY),signal)}}import{networkInterfaces}from"node:os";var ProcLocalNetwork=class{#files;constructor(files=kernelFiles){this.#files=files}async localAddresses(){let[ipv4,ipv6]=await Promise.
all([this.#read("/proc/net/fib_trie",parseFibTrie,"IPv4"),this.#read("/proc/net/if_inet6",parseIfInet6,"IPv6")]);return[
...new Set([...ipv4,...ipv6])].sort()}async#read(path6,parse,family){try{return parse(await this.#files.read(path6))}catch{
return Object.values(networkInterfaces()).flatMap(addresses=>addresses??[]).filter(address2=>address2.family===family).flatMap(
({address:address2})=>parseAddress(address2.replace(/%.*/,""))?.text??[])}}};function parseFibTrie(text){let addresses=[],
address2;for(let line of text.split(`
`)){let node=/^\s*\|-- (\S+)/.exec(line);node?address2=node[1]:address2!==void 0&&/^\s*\/32 host LOCAL/.test(line)&&addresses.
push(address2)}return addresses}function parseIfInet6(text){return text.split(`
`).flatMap(line=>{let[,hex2="",flags=""]=/^([0-9a-f]{32})\s+\S+\s+\S+\s+\S+\s+([0-9a-f]+)\s/i.exec(line)??[],address2=parseAddress(
hex2.match(/.{4}/g)?.join(":")??"")?.text;return address2!==void 0&&isUsable(Number.parseInt(flags,16))?[address2]:[]})}async function supportsIPv6(files=kernelFiles){try{return await files.read("/proc/net/if_inet6"),(await files.read("/pro\
c/sys/net/ipv6/conf/all/disable_ipv6")).trim()!=="1"}catch{return!1}}var SUBSYSTEM=7,NEW=0,GET=1,NAME=1,PACKETS=2,BYTES=3,EEXIST=17,ENOENT4=2,HEAD2=Buffer.alloc(4),PacketCountersNetlink=class{connect;#netlink;constructor(connect=()=>new NetlinkSocket(
"netfilter")){this.connect=connect}async ensure(name){try{let flags=NETLINK_FLAGS.create|NETLINK_FLAGS.exclusive,[errno=0]=await this.#open().
execute([message4(NEW,name,flags)]);return errno===0||errno===EEXIST}catch(error){if(error instanceof NetlinkError)return!1;
throw error}}async read(name){try{let[answer]=await this.#open().request(message4(GET,name));return answer&&decode(answer)}catch(error){
if(error instanceof NetlinkRefused&&error.errno===ENOENT4)return;throw error}}close(){this.#netlink?.close(),this.#netlink=
void 0}#open(){return this.#netlink??=this.connect(),this.#netlink}};function message4(command2,name,flags=0){let payload2=encodeAttributes(
[{type:NAME,value:cString(name)}],HEAD2);return{type:SUBSYSTEM<<8|command2,flags,payload:payload2}}function decode({payload:payload2}){
let attributes2=attributeMap(payload2.subarray(HEAD2.length)),number2=type=>{let value=attributes2.get(type);return value===
void 0||value.length<8?0:Number(value.readBigUInt64BE(0))};return{packets:number2(PACKETS),bytes:number2(BYTES)}}var EndingOwners=class{#ending=new Set;add(ended){let ending=ended.then(()=>this.#ending.delete(ending));this.#ending.add(
ending)}async allEnded(){await Promise.all(this.#ending)}};function nftTypeOf(field){switch(field.kind){case"payload":return field.protocol==="ip"?"ipv4_addr":field.protocol==="ip\
6"?"ipv6_addr":"inet_service";case"meta":return META_TYPES[field.key];case"ct":return CONNECTION_TYPES[field.key];case"c\
t-tuple":return field.field.startsWith("ip ")?"ipv4_addr":field.field.startsWith("ip6 ")?"ipv6_addr":"inet_service";case"\
fib":return"fib_addrtype";case"numgen":case"jhash":return"integer"}}var CONNECTION_TYPES={state:"ct_state",status:"ct_st\
atus",direction:"ct_dir"},META_TYPES={l4proto:"inet_proto",mark:"mark",priority:"classid",iifname:"ifname"},NFT_TYPE_SIZES={
ipv4_addr:4,ipv6_addr:16,inet_proto:1,inet_service:2,mark:4,classid:4,ifname:16,ct_state:4,ct_status:4,ct_dir:1,fib_addrtype:4,
integer:4},nftFields={address:(family,field)=>({kind:"payload",protocol:family,field}),port:(protocol,field="dport")=>({
kind:"payload",protocol,field}),protocol:{kind:"meta",key:"l4proto"},mark:{kind:"meta",key:"mark"},priority:{kind:"meta",
key:"priority"},tuple:(direction,field)=>({kind:"ct-tuple",direction,field})};function instruction(name,...data){return{type:NFTA_LIST_ELEMENT,value:[{type:NFTA_EXPRESSION.name,value:cString(name)},
{type:NFTA_EXPRESSION.data,value:data}]}}var number=(type,value)=>({type,value:be32(value)}),bytes=(type,value)=>({type,
value:[{type:NFTA_DATA.value,value}]}),PAYLOAD_BASES={network:1,transport:2},META_KEYS={priority:2,mark:3,iifname:6,l4proto:16},
CT_KEYS={state:0,direction:1,status:2},CT_TUPLE_KEYS={"proto-src":11,"proto-dst":12,"ip saddr":19,"ip daddr":20,"ip6 sad\
dr":21,"ip6 daddr":22},CT_DIRECTIONS={original:0,reply:1},FIB_RESULT_TYPE=3,FIB_FLAGS={saddr:1,daddr:2},COMPARISONS={"==":0,
"!=":1},NUMGEN_RANDOM=1,HASH_JENKINS=0,DYNSET_OPERATIONS={update:1,delete:2},NAT_DESTINATION=1,LOOKUP_INVERTED=1;function metaKeyNumber(key){
return META_KEYS[key]}var instructions={payload:(to,base,offset,length)=>instruction("payload",number(1,to),number(2,PAYLOAD_BASES[base]),
number(3,offset),number(4,length)),meta:(to,key)=>instruction("meta",number(2,META_KEYS[key]),number(1,to)),setMeta:(key,from)=>instruction(
"meta",number(2,META_KEYS[key]),number(3,from)),ct:(to,key)=>instruction("ct",number(2,CT_KEYS[key]),number(1,to)),ctTuple:(to,field,direction)=>instruction(
"ct",number(2,CT_TUPLE_KEYS[field]),number(1,to),{type:3,value:u8(CT_DIRECTIONS[direction])}),fibType:(to,address2)=>instruction(
"fib",number(3,FIB_FLAGS[address2]),number(2,FIB_RESULT_TYPE),number(1,to)),numgenRandom:(to,modulus,offset)=>instruction(
"numgen",number(1,to),number(2,modulus),number(3,NUMGEN_RANDOM),number(4,offset)),jhash:(to,from,length,modulus,seed,offset)=>instruction(
"hash",number(1,from),number(2,to),number(3,length),number(4,modulus),number(5,seed),number(6,offset),number(7,HASH_JENKINS)),
bitwise:(register2,mask,xor)=>instruction("bitwise",number(1,register2),number(2,register2),number(3,mask.length),bytes(
4,mask),bytes(5,xor)),compare:(register2,operator,value)=>instruction("cmp",number(1,register2),number(2,COMPARISONS[operator]),
bytes(3,value)),lookup:(key,set,{to,isNot=!1}={})=>instruction("lookup",number(2,key),...to===void 0?[]:[number(3,to==="\
verdict"?0:to)],{type:1,value:cString(set.name)},...set.id===void 0?[]:[number(4,set.id)],...isNot?[number(5,LOOKUP_INVERTED)]:
[]),immediate:(to,value)=>instruction("immediate",number(1,to),bytes(2,value)),verdict:(verdict,chain)=>instruction("imm\
ediate",number(1,0),{type:2,value:[verdictData(verdict,chain)]}),writeElement:(operation,set,key,{value,timeoutMilliseconds})=>instruction(
"dynset",number(4,key),...value===void 0?[]:[number(5,value)],number(3,DYNSET_OPERATIONS[operation]),...timeoutMilliseconds===
void 0?[]:[{type:6,value:be64(timeoutMilliseconds)}],{type:1,value:cString(set)}),objectFromMap:(key,map)=>instruction("\
objref",number(3,key),{type:4,value:cString(map)}),nat:(family,address2,port,flags)=>instruction("nat",number(1,NAT_DESTINATION),
number(2,family),number(3,address2),...port===void 0?[]:[number(5,port)],...flags===void 0?[]:[number(7,flags)]),masquerade:flags=>instruction(
"masq",...flags===void 0?[]:[number(1,flags)]),reject:(type,code)=>instruction("reject",number(1,type),...code===void 0?
[]:[{type:2,value:u8(code)}])};function verdictData(verdict,chain){return{type:NFTA_DATA.verdict,value:[number(NFTA_VERDICT.
code,NFT_VERDICTS[verdict]),...chain===void 0?[]:[{type:NFTA_VERDICT.chain,value:cString(chain)}]]}}function be64(value){
let buffer=Buffer.alloc(8);return buffer.writeBigUInt64BE(BigInt(value)),buffer}function renderNftRule(statements){return statements.map(renderStatement).join(" ")}function renderNftFields(fields){return fields.
map(renderField).join(" . ")}function renderStatement(statement){switch(statement.kind){case"match":{let{left,operator,right}=statement,
field=left.kind==="bitwise"?left.left:left,value=left.kind==="bitwise"?String(right):renderValue(right,nftTypeOf(field));
return`${left.kind==="bitwise"?renderBitwise(left):renderField(left)} ${operator==="!="?"!= ":""}${value}`}case"member":
return`${renderNftFields(statement.key)} ${statement.isNot?"!= ":""}@${statement.set}`;case"one-of":return`${renderField(
statement.left)} { ${statement.values.join(", ")} }`;case"vmap":return`${renderNftFields(statement.key)} vmap @${statement.
map}`;case"assign":return`${renderField(statement.to)} set ${renderAssigned(statement.value,nftTypeOf(statement.to))}`;case"\
write-element":{let{operation,set,key,value,timeoutSeconds}=statement,timeout=timeoutSeconds===void 0?"":` timeout ${timeoutSeconds}\
s`,data=value===void 0?"":` : ${renderField(value)}`;return`${operation} @${set} { ${renderNftFields(key)}${timeout}${data}\
 }`}case"count":return`counter name ${renderNftFields(statement.key)} map @${statement.map}`;case"dnat":return`dnat ${statement.
family} to ${renderTarget2(statement.to)}`;case"masquerade":return statement.fullyRandom?"masquerade fully-random":"masq\
uerade";case"jump":case"goto":return`${statement.kind} ${statement.chain}`;case"no-syn":return"tcp flags & syn == 0";case"\
reject":return statement.with===void 0?"reject":"reject with tcp reset";case"accept":case"drop":return statement.kind;default:
return assertNever(statement)}}function renderField(field){switch(field.kind){case"payload":return`${field.protocol} ${field.
field}`;case"meta":return field.key==="iifname"?field.key:`meta ${field.key}`;case"ct":return`ct ${field.key}`;case"ct-t\
uple":return`ct ${field.direction} ${field.field}`;case"fib":return`fib ${field.address} type`;case"numgen":return`numge\
n random mod ${field.modulus}${renderOffset(field.offset)}`;case"jhash":return`jhash ${renderNftFields(field.of)} mod ${field.
modulus} seed 0x${field.seed.toString(16)}${renderOffset(field.offset)}`;default:return assertNever(field)}}function renderOffset(offset=0){
return offset===0?"":` offset ${offset}`}function renderAssigned(value,type){return typeof value=="number"?renderValue(value,
type):value.kind==="lookup"?renderLookup(value):renderBitwise(value)}function renderBitwise({left,operator,right}){return`${renderField(
left)} ${operator} ${renderValue(right,nftTypeOf(left))}`}function renderLookup({key,map}){return`${renderNftFields(key)}\
 map @${map}`}function renderTarget2(to){if(to.kind==="lookup")return renderLookup(to);let{address:address2,port}=to;if(port===
void 0)return address2;let portText=typeof port=="number"?String(port):renderLookup(port);return address2.includes(":")?
`[${address2}]:${portText}`:`${address2}:${portText}`}function renderValue(value,type){return type==="ifname"?`"${value}\
"`:typeof value=="number"&&type==="mark"?`0x${value.toString(16).padStart(8,"0")}`:typeof value=="number"&&type==="class\
id"?nftClassid(value):String(value)}function nftClassid(number2){return`${(number2>>>16).toString(16)}:${(number2&65535).
toString(16)}`}var CATCH_ALL="*",PROTOCOL_NUMBERS2=new Map([["tcp",6],["udp",17],["sctp",132]]),PROTOCOL_NAMES=new Map([...PROTOCOL_NUMBERS2].
map(([name,number2])=>[number2,name]));function be16Value(port){return be16(port)}function nftFieldsLength(types){let[only]=types;
return types.length===1&&only!==void 0?NFT_TYPE_SIZES[only]:types.reduce((sum,type)=>sum+(NFT_TYPE_SIZES[type]+3&-4),0)}
var NftValueInvalid=class extends Error{constructor(text,type){super(`"${text.slice(0,100)}" is not of type ${type}`)}},
SEPARATOR=" . ";function writeNftFields(text,types,into,at,last){let from=0,to=at;for(let index=0;index<types.length;index++){
let type=types[index],next=index===types.length-1?text.length:text.indexOf(SEPARATOR,from);if(next<from)throw new NftValueInvalid(
text,types.join(SEPARATOR));let dash=last!==void 0&&type==="inet_service"?text.indexOf("-",from):-1;if(last!==void 0&&dash>=
0&&dash<next?(writeField(text,from,dash,type,into,to),writeField(text,dash+1,next,type,into,last+to-at)):writeField(text,
from,next,type,into,to),last!==void 0&&(dash<0||dash>=next)){let network=text.indexOf("/",from),size=NFT_TYPE_SIZES[type],
prefix=network>=0&&network<next?Number(text.slice(network+1,next)):size*8;clearHostBits(into,to,size,prefix),into.copy(into,
last+to-at,to,to+size),setHostBits(into,last+to-at,size,prefix)}from=next+SEPARATOR.length,to+=NFT_TYPE_SIZES[type]+3&-4}}
function clearHostBits(into,at,size,prefix){for(let bit=prefix;bit<size*8;bit++)into[at+(bit>>3)]=(into[at+(bit>>3)]??0)&
~(128>>(bit&7))}function setHostBits(into,at,size,prefix){for(let bit=prefix;bit<size*8;bit++)into[at+(bit>>3)]=(into[at+
(bit>>3)]??0)|128>>(bit&7)}function writeField(text,from,end,type,into,at){switch(type){case"ipv4_addr":writeIPv4(text,from,
end,into,at);return;case"ipv6_addr":{let address2=text.slice(from,end).split("/",1)[0]??"";if(!address2.includes(":"))throw new NftValueInvalid(
text,type);into.set(addressBytes(address2),at);return}case"inet_proto":into[at]=PROTOCOL_NUMBERS2.get(text.slice(from,end))??
decimal(text,from,end,type,255);return;case"inet_service":{let port=decimal(text,from,end,type,65535);into[at]=port>>>8,
into[at+1]=port&255;return}case"classid":{let[,major,minor]=/^([\da-f]{1,4}):([\da-f]{1,4})$/.exec(text.slice(from,end))??
[];if(major===void 0||minor===void 0)throw new NftValueInvalid(text,type);writeU32(into,Number.parseInt(major,16)<<16|Number.
parseInt(minor,16),at);return}case"mark":case"integer":writeU32(into,decimal(text,from,end,type,4294967295),at);return;default:
throw new NftValueInvalid(text,`${type}, which elements cannot have`)}}var[ZERO,NINE,DOT,SLASH]=[48,57,46,47];function decimal(text,from,end,type,most){
let number2=0;for(let index=from;index<end;index++){let code=text.charCodeAt(index);if(code<ZERO||code>NINE)throw new NftValueInvalid(
text,type);number2=number2*10+code-ZERO}if(end===from||number2>most)throw new NftValueInvalid(text,type);return number2}
function writeIPv4(text,from,end,into,at){let part=0,digits=0,index=0;for(let position=from;position<end;position++){let code=text.
charCodeAt(position);if(code===SLASH)break;if(code===DOT&&digits>0&&index<3)into[at+index]=part,index++,part=0,digits=0;else{
if(code<ZERO||code>NINE||digits>2||part*10+code-ZERO>255)throw new NftValueInvalid(text,"ipv4_addr");part=part*10+code-ZERO,
digits++}}if(index!==3||digits===0)throw new NftValueInvalid(text,"ipv4_addr");into[at+3]=part}function readNftFields(bytes2,types,start2=0,last){
let text="",at=start2;for(let index=0;index<types.length;index++){let type=types[index],size=NFT_TYPE_SIZES[type];text+=
index===0?"":SEPARATOR,text+=readField(bytes2,at,type);let end=last===void 0?at:last+at-start2;if(end!==at&&bytes2.compare(
bytes2,end,end+size,at,at+size)!==0){let prefix=type==="inet_service"?void 0:prefixLength(bytes2,at,end,size);text+=prefix===
void 0?`-${readField(bytes2,end,type)}`:`/${prefix}`}at+=size+3&-4}return text}function prefixLength(bytes2,first,last,size){
let bitOf=(at,bit)=>(bytes2[at+(bit>>3)]??0)>>7-(bit&7)&1,prefix=0;for(;prefix<size*8&&bitOf(first,prefix)===bitOf(last,
prefix);)prefix++;for(let bit=prefix;bit<size*8;bit++)if(bitOf(first,bit)!==0||bitOf(last,bit)!==1)return;return prefix}
function readField(bytes2,at,type){switch(type){case"ipv4_addr":return`${bytes2[at]}.${bytes2[at+1]}.${bytes2[at+2]}.${bytes2[at+
3]}`;case"ipv6_addr":return addressText(bytes2.subarray(at,at+16),"IPv6");case"inet_proto":return PROTOCOL_NAMES.get(bytes2[at]??
0)??String(bytes2[at]);case"inet_service":return String((bytes2[at]??0)<<8|(bytes2[at+1]??0));case"classid":return nftClassid(
readU32(bytes2,at));default:return String(readU32(bytes2,at))}}var ANONYMOUS_SET_NAME="__set%d";function compileNftRule(statements,family,newSetId){let compiler=new RuleCompiler(family,
newSetId);for(let statement of statements)compiler.add(statement);return compiler}var REGISTER_WORDS=4;function register(word){
return word%REGISTER_WORDS===0?1+word/REGISTER_WORDS:8+word}function wordsOf(field){return Math.ceil(NFT_TYPE_SIZES[nftTypeOf(
field)]/4)}function totalWords(key){return key.reduce((sum,field)=>sum+wordsOf(field),0)}var CONNECTION_STATES={invalid:1,
established:2,related:4,new:8},CONNECTION_STATUSES={snat:16,dnat:32},CONNECTION_DIRECTIONS={original:0,reply:1},ADDRESS_TYPES={
unicast:1,local:2},NO_BITS=u32(0),PORT_OFFSETS={sport:0,dport:2},ADDRESS_OFFSETS={ip:{saddr:12,daddr:16},ip6:{saddr:8,daddr:24}},
NAT_PORT_SPECIFIED=2,NAT_FULLY_RANDOM=16,REJECTION={ip:{type:0,code:3},ip6:{type:0,code:4}},TCP_RESET=1,TCP_FLAGS=13,SYN=2,
RuleCompiler=class{family;newSetId;instructions=[];sets=[];#protocol;constructor(family,newSetId){this.family=family,this.
newSetId=newSetId}add(statement){let{instructions:out}=this;switch(statement.kind){case"match":this.#match(statement);break;case"\
member":this.#key(statement.key,this.#needs(statement.key)),out.push(instructions.lookup(register(0),{name:statement.set},
{isNot:statement.isNot??!1}));break;case"one-of":{let id=this.newSetId();this.sets.push({id,values:statement.values}),this.#field(
statement.left,0,REGISTER_WORDS),out.push(instructions.lookup(register(0),{name:ANONYMOUS_SET_NAME,id}));break}case"vmap":
this.#key(statement.key,this.#needs(statement.key)),out.push(instructions.lookup(register(0),{name:statement.map},{to:"v\
erdict"}));break;case"assign":this.#assigned(statement.value),out.push(instructions.setMeta(statement.to.key,register(0)));
break;case"write-element":this.#writeElement(statement);break;case"count":this.#key(statement.key,this.#needs(statement.
key)),out.push(instructions.objectFromMap(register(0),statement.map));break;case"dnat":this.#sendTo(statement);break;case"\
masquerade":out.push(instructions.masquerade(statement.fullyRandom?NAT_FULLY_RANDOM:void 0));break;case"no-syn":this.#protocol!==
"tcp"&&this.add({kind:"match",left:{kind:"meta",key:"l4proto"},right:"tcp"}),out.push(instructions.payload(register(0),"\
transport",TCP_FLAGS,1),instructions.bitwise(register(0),u8(SYN),u8(0)),instructions.compare(register(0),"==",u8(0)));break;case"\
reject":{let{type,code}=REJECTION[this.family];out.push(statement.with==="tcp-reset"?instructions.reject(TCP_RESET):instructions.
reject(type,code));break}case"accept":case"drop":out.push(instructions.verdict(statement.kind));break;case"jump":case"go\
to":out.push(instructions.verdict(statement.kind,statement.chain));break;default:assertNever(statement)}}#match({left,operator="\
==",right}){let{instructions:out}=this;if(left.kind==="bitwise"){this.#bitwise(left),out.push(instructions.compare(register(
0),operator,u32(Number(right))));return}let text=String(right);switch(nftTypeOf(left)){case"ipv4_addr":case"ipv6_addr":this.#network(
left,operator,text);return;case"ct_status":this.#field(left,0,REGISTER_WORDS),out.push(instructions.bitwise(register(0),
u32(CONNECTION_STATUSES[text]??0),NO_BITS),instructions.compare(register(0),operator==="=="?"!=":"==",NO_BITS));return;default:
this.#field(left,0,REGISTER_WORDS),out.push(instructions.compare(register(0),operator,matchedBytes(left,text))),left.kind===
"meta"&&left.key==="l4proto"&&operator==="=="&&(this.#protocol=text)}}#network(left,operator,text){let{instructions:out}=this,
[base="",length]=text.split("/"),address2=addressBytes(base),bits=length===void 0?address2.length*8:Number(length);if(clearHostBits(
address2,0,address2.length,bits),bits>0&&bits%8===0){out.push(this.#payload(left,0,bits/8),instructions.compare(register(
0),operator,address2.subarray(0,bits/8)));return}let mask=Buffer.alloc(address2.length,255);clearHostBits(mask,0,mask.length,
bits),out.push(this.#payload(left,0,address2.length),instructions.bitwise(register(0),mask,Buffer.alloc(address2.length)),
instructions.compare(register(0),operator,address2))}#assigned(value){typeof value=="number"?this.instructions.push(instructions.
immediate(register(0),u32(value))):value.kind==="lookup"?this.#lookUp(value):this.#bitwise(value)}#bitwise({left,operator,
right}){this.#field(left,0,REGISTER_WORDS);let[mask,xor]=operator==="&"?[right,0]:operator==="|"?[~right,right]:[-1,right];
this.instructions.push(instructions.bitwise(register(0),u32(mask),u32(xor)))}#lookUp({key,map}){this.#needs(key),this.#key(
key,REGISTER_WORDS+totalWords(key)),this.instructions.push(instructions.lookup(register(0),{name:map},{to:register(0)}))}#writeElement(statement){
let{operation,set,key,value,timeoutSeconds}=statement;this.#needs(key),this.#key(key,REGISTER_WORDS),value!==void 0&&this.#field(
value,REGISTER_WORDS,2*REGISTER_WORDS),this.instructions.push(instructions.writeElement(operation,set,register(0),{...value===
void 0?{}:{value:register(REGISTER_WORDS)},...timeoutSeconds===void 0?{}:{timeoutMilliseconds:timeoutSeconds*1e3}}))}#sendTo({
family,to}){let{instructions:out}=this,number2=NFT_FAMILIES[family];if(to.kind==="lookup"){this.#lookUp(to),out.push(instructions.
nat(number2,register(0),register(family==="ip"?1:4)));return}let{address:address2,port}=to,toAddress=instructions.immediate(
register(0),addressBytes(address2));if(port===void 0){out.push(toAddress,instructions.nat(number2,register(0)));return}let second=register(
REGISTER_WORDS);typeof port=="number"?out.push(toAddress,instructions.immediate(second,be16Value(port))):(this.#needs(port.
key),out.push(toAddress),this.#field(port.key[0],REGISTER_WORDS,2*REGISTER_WORDS),out.push(instructions.lookup(second,{name:port.
map},{to:second}))),out.push(instructions.nat(number2,register(0),second,NAT_PORT_SPECIFIED))}#needs(key){for(let field of key)
field.kind==="payload"&&PROTOCOL_NUMBERS2.has(field.protocol)&&this.#protocol!==field.protocol&&this.add({kind:"match",left:{
kind:"meta",key:"l4proto"},right:field.protocol});return key.length===1?REGISTER_WORDS:totalWords(key)}#key(key,free){let word=0;
for(let field of key)this.#field(field,word,free),word+=wordsOf(field)}#field(field,word,free){let{instructions:out}=this,
to=register(word);switch(field.kind){case"payload":out.push(this.#payload(field,word));break;case"meta":out.push(instructions.
meta(to,field.key));break;case"ct":out.push(instructions.ct(to,field.key));break;case"ct-tuple":out.push(instructions.ctTuple(
to,field.field,field.direction));break;case"fib":out.push(instructions.fibType(to,field.address));break;case"numgen":out.
push(instructions.numgenRandom(to,field.modulus,field.offset??0));break;case"jhash":this.#hash(field,to,free);break;default:
assertNever(field)}}#hash({of,modulus,seed,offset=0},to,free){let word=free;for(let field of of)this.instructions.push(this.#payload(
field,word)),word+=wordsOf(field);let length=(word-free)*4;this.instructions.push(instructions.jhash(to,register(free),length,
modulus,seed,offset))}#payload(field,word,length=NFT_TYPE_SIZES[nftTypeOf(field)]){let{protocol,field:name}=field;return name===
"saddr"||name==="daddr"?instructions.payload(register(word),"network",ADDRESS_OFFSETS[protocol][name],length):instructions.
payload(register(word),"transport",PORT_OFFSETS[name],length)}};function matchedBytes(left,text){switch(nftTypeOf(left)){case"\
inet_proto":return u8(PROTOCOL_NUMBERS2.get(text)??Number(text));case"inet_service":return be16Value(Number(text));case"\
ct_state":return u32(CONNECTION_STATES[text]??0);case"ct_dir":return u8(CONNECTION_DIRECTIONS[text]??0);case"fib_addrtyp\
e":return u32(ADDRESS_TYPES[text]??0);case"ifname":{if(text.endsWith("*"))return Buffer.from(text.slice(0,-1));let name=Buffer.
alloc(NFT_TYPE_SIZES.ifname);return name.write(text),name}default:return u32(Number(text))}}var TYPE_MASK2=16383,NESTED2={bitwise:[4,5],cmp:[3],immediate:[2]},SET_NAMES={lookup:1,dynset:1,objref:4},SET_NUMBERS={lookup:4,
dynset:2,objref:5},LAST={payload:8,meta:3,ct:4,fib:3,numgen:4,hash:7,bitwise:7,cmp:3,lookup:5,immediate:2,dynset:10,objref:5,
nat:7,masq:3,reject:2},RANGE_ENDS={4:3,6:5},NAT_FLAGS=7,IMPLIED=3,WITHOUT_EFFECT=/\b4:=1 5:=2$/,ANONYMOUS=/^__(set|map)/;
function nftRuleFingerprint(buffer,start2=0,end=buffer.length){let parts=[];for(let[from,to]of attributes(buffer,start2,
end)){let name="",data=[0,0];for(let[at,until,type]of attributes(buffer,from,to))type===NFTA_EXPRESSION.name?name=buffer.
toString("latin1",at,until-1):type===NFTA_EXPRESSION.data&&(data=[at,until]);let fields=name==="counter"?"":fieldsOf(name,
buffer,data[0],data[1]);(name!=="byteorder"||!WITHOUT_EFFECT.test(fields))&&parts.push(`${name} ${fields}`)}return parts.
join(`
`)}function expectedNftFingerprint(statements,family){let id=0;return nftRuleFingerprint(encodeAttributes(compileNftRule(
statements,family,()=>++id).instructions))}function fieldsOf(name,buffer,start2,end){let fields=[],values=new Map;for(let[
from,to,type]of attributes(buffer,start2,end))if(name==="nat"&&values.set(type,spell(buffer,from,to)),!(type===SET_NUMBERS[name]||
type>(LAST[name]??type)||isDefault(buffer,from,to))){if(name==="nat"&&type===NAT_FLAGS){let flags=buffer.readUInt32BE(from)&
~IMPLIED;fields.push(...flags===0?[]:[`${type}:${flags}`]);continue}if(!(name==="nat"&&values.get(type)===values.get(RANGE_ENDS[type]??
0)))if(type===SET_NAMES[name]){let set=buffer.toString("latin1",from,to-1);fields.push(`${type}:${ANONYMOUS.test(set)?"a\
nonymous":set}`)}else NESTED2[name]?.includes(type)?fields.push(`${type}:(${dataOf(buffer,from,to)})`):fields.push(`${type}\
:${spell(buffer,from,to)}`)}return fields.sort().join(" ")}function dataOf(buffer,start2,end){let fields=[];for(let[from,
to,type]of attributes(buffer,start2,end)){let content=type===NFTA_DATA.verdict?attributes(buffer,from,to).map(([at,until,
part])=>`${part}:${spell(buffer,at,until)}`):[spell(buffer,from,to)];fields.push(`${type}:${content.join(",")}`)}return fields.
join(" ")}function spell(buffer,start2,end){return end-start2===4?`=${buffer.readUInt32BE(start2)}`:buffer.toString("hex",
start2,end)}function isDefault(buffer,start2,end){let length=end-start2;return(length===4||length===8)&&buffer.readUInt32BE(
start2)===0&&(length===4||buffer.readUInt32BE(start2+4)===0)}function attributes(buffer,start2,end){let found=[];for(let at=start2;at+
4<=end;){let next=attributeEnd(buffer,at);if(next<at+4||next>end)break;found.push([at+4,next,readU16(buffer,at+2)&TYPE_MASK2]),
at+=align(next-at)}return found}function nextNftGeneration(generation){return generation+1>>>0||1}var NftCommits=class{#commits=new Map;#sending=new Set;#latest=0;get latest(){
return this.#latest}begin(){let end=()=>{},sending2=new Promise(resolve=>{end=resolve});return this.#sending.add(sending2),
()=>{this.#sending.delete(sending2),end()}}async settled(){await Promise.all(this.#sending)}note(generation,table,by){this.#commits.
set(generation,{table,by}),this.#latest=generation;for(let oldest of this.#commits.size>1e3?this.#commits.keys():[]){this.#commits.
delete(oldest);break}}spare(table,by,after,until){let generation=after;for(let steps=0;generation!==until&&steps<1e3;steps++){
generation=nextNftGeneration(generation);let commit=this.#commits.get(generation);if(commit===void 0||commit.table===table&&
commit.by!==by)return!1}return generation===until}};var NftError=class extends ProxierError{constructor(code,message6,options){let kind=code==="NFT_PERMISSION_DENIED"?"perm\
ission-denied":void 0;super(code,message6,{...kind===void 0?{}:{kind},...options})}},NftRefused=class extends NftError{refusal;line;lineText;reason;constructor(refusal,line,lineText,reason,options){
let isBusy=refusal==="busy",inUse='remove the rules and elements that refer to it first; "nft list ruleset" shows them';
super("NFT_REFUSED",line===void 0&&lineText!==void 0?`the kernel refused "${lineText}": ${reason}; ${isBusy?inUse:"check\
 that it has nf_tables and what the rules need"}`:line===void 0?`nft refused the transaction: ${reason}; ${isBusy?inUse:
"check that the kernel has nf_tables and what the rules need"}`:`nft refused line ${line} of the transaction, "${lineText??
""}": ${reason}; ${isBusy?inUse:"check that the kernel has what it needs"}`,options),this.refusal=refusal,this.line=line,
this.lineText=lineText,this.reason=reason}};import{release}from"node:os";var ATTRIBUTE_HEADER=4,NESTED3=32768,FIRST_SIZE=4096,MessageWriter=class{#buffer;#end=0;#message=0;constructor(size=FIRST_SIZE){
this.#buffer=Buffer.alloc(Math.max(size,FIRST_SIZE))}clear(){this.#buffer.fill(0,0,this.#end),this.#end=0,this.#message=
0}get capacity(){return this.#buffer.length}get length(){return this.#end}get messageStart(){return this.#message}get bytes(){
return this.#buffer.subarray(0,this.#end)}begin(type,flags,head){this.#message=this.#end,this.reserve(HEADER2+head.length),
writeU16(this.#buffer,type,this.#message+4),writeU16(this.#buffer,flags|NETLINK_FLAGS.request,this.#message+6),this.#buffer.
set(head,this.#message+HEADER2)}end(){writeU32(this.#buffer,this.#end-this.#message,this.#message)}attributes(attributes2){
let at=this.reserve(attributesLength(attributes2));writeAttributes(this.#buffer,at,attributes2)}beginNested(type){let at=this.
reserve(ATTRIBUTE_HEADER);return writeU16(this.#buffer,type|NESTED3,at+2),at}endNested(at){writeU16(this.#buffer,this.#end-
at,at)}value(type,length){let at=this.reserve(ATTRIBUTE_HEADER+length);return writeU16(this.#buffer,ATTRIBUTE_HEADER+length,
at),writeU16(this.#buffer,type,at+2),at+ATTRIBUTE_HEADER}bytesValue(type,bytes2){let at=this.value(type,bytes2.length);this.#buffer.
set(bytes2,at)}textValue(type,text){let at=this.value(type,text.length+1);this.#buffer.write(text,at,"latin1")}get buffer(){
return this.#buffer}reserve(length){let at=this.#end;if(this.#end+=align(length),this.#end>this.#buffer.length){let larger=Buffer.
alloc(Math.max(this.#buffer.length*2,align(this.#end)));this.#buffer.copy(larger,0,0,at),this.#buffer=larger}return at}};function nftElementTypes({key,value,flags=[]}){return{key:key.map(nftTypeOf),value:typeof value=="object"?value.map(nftTypeOf):
value,isInterval:flags.includes("interval")}}function nftTypeNumber(types){return types.reduce((sum,type)=>sum*2**NFT_TYPE_BITS+
NFT_TYPE_NUMBERS[type],0)}var TYPES_BY_NUMBER=new Map(Object.entries(NFT_TYPE_NUMBERS).map(([type,number2])=>[number2,type]));
function nftTypesOfNumber(number2){let types=[];for(let rest=number2;rest>0;rest=Math.floor(rest/2**NFT_TYPE_BITS)){let type=TYPES_BY_NUMBER.
get(rest%2**NFT_TYPE_BITS);if(type===void 0)return;types.unshift(type)}return types.length===0?void 0:types}function nftSetAttributes(container){
let{kind,size,timeout,value,flags=[]}=container,types=nftElementTypes(container),isConcatenation=types.key.length>1,number2=(type,is)=>({
type,value:be32(is)}),bits=(kind==="map"?value==="counter"?NFT_SET_FLAGS.object:NFT_SET_FLAGS.map:0)|flags.reduce((sum,flag)=>sum|
NFT_SET_FLAGS[flag],0)|(types.isInterval&&isConcatenation?NFT_SET_FLAGS.concatenation:0),description=[...size===void 0?[]:
[number2(NFTA_SET_DESCRIPTION.size,size)],...types.isInterval&&isConcatenation?[{type:NFTA_SET_DESCRIPTION.fields,value:types.
key.map(fieldLength)}]:[]];return[number2(NFTA_SET.flags,bits),number2(NFTA_SET.keyType,nftTypeNumber(types.key)),number2(
NFTA_SET.keyLength,nftFieldsLength(types.key)),...types.value==="verdict"?[number2(NFTA_SET.dataType,NFT_DATA_VERDICT),number2(
NFTA_SET.dataLength,0)]:types.value==="counter"?[number2(NFTA_SET.objectType,NFT_OBJECT_COUNTER)]:types.value===void 0?[]:
[number2(NFTA_SET.dataType,nftTypeNumber(types.value)),number2(NFTA_SET.dataLength,nftFieldsLength(types.value))],...description.
length===0?[]:[{type:NFTA_SET.description,value:description}],...timeout===void 0?[]:[{type:NFTA_SET.timeout,value:be64(
timeout*1e3)}],{type:NFTA_SET.userData,value:setUserData(container)}]}function nftAnonymousSetAttributes(size){let protocol={
kind:"meta",key:"l4proto"};return[{type:NFTA_SET.flags,value:be32(NFT_SET_FLAGS.anonymous|NFT_SET_FLAGS.constant)},{type:NFTA_SET.
keyType,value:be32(NFT_TYPE_NUMBERS.inet_proto)},{type:NFTA_SET.keyLength,value:be32(NFT_TYPE_SIZES.inet_proto)},{type:NFTA_SET.
description,value:[{type:NFTA_SET_DESCRIPTION.size,value:be32(size)}]},{type:NFTA_SET.userData,value:Buffer.concat([userNumber(
NFT_USER_DATA.set.keyByteOrder,NFT_BYTE_ORDERS.host),userData(NFT_USER_DATA.set.keyTypeof,userExpression([protocol]))])}]}
function fieldLength(type){return{type:NFTA_LIST_ELEMENT,value:[{type:NFTA_SET_FIELD_LENGTH,value:be32(NFT_TYPE_SIZES[type])}]}}
function setUserData({kind,key,value}){let fields=typeof value=="object"?value:[],byExpression=[...key,...fields].some(field=>nftTypeOf(
field)==="integer"),tags=NFT_USER_DATA.set,typeofFields=list2=>byExpression?userExpression(list2):list2.length>1?concatenation(
Buffer.alloc(0)):void 0,[keyTypeof,dataTypeof]=[typeofFields(key),fields.length===0?void 0:typeofFields(fields)];return Buffer.
concat([userNumber(tags.keyByteOrder,byteOrder(key)),...kind==="map"&&value!=="counter"?[userNumber(tags.dataByteOrder,byteOrder(
fields))]:[],...keyTypeof===void 0?[]:[userData(tags.keyTypeof,keyTypeof)],...dataTypeof===void 0?[]:[userData(tags.dataTypeof,
dataTypeof)],...kind==="map"?[userNumber(tags.dataInterval,0)]:[]])}function byteOrder(fields){let[only]=fields;return only===
void 0||fields.length>1?NFT_BYTE_ORDERS.none:only.kind==="payload"?NFT_BYTE_ORDERS.network:NFT_BYTE_ORDERS.host}function userData(type,value){
return Buffer.concat([Buffer.of(type,value.length),value])}function userNumber(type,value){return userData(type,u32(value))}
function concatenation(parts){return Buffer.concat([userNumber(NFT_USER_DATA.typeof.expression,NFT_USER_EXPRESSIONS.concatenation),
userData(NFT_USER_DATA.typeof.data,parts)])}function userExpression(fields){let[only]=fields;return fields.length===1&&only!==
void 0?fieldExpression(only):concatenation(Buffer.concat(fields.map((field,index)=>userData(index,fieldExpression(field)))))}
var USER_PROTOCOLS={udp:6,tcp:8,sctp:10,th:11,ip:12,ip6:13},USER_FIELDS={ip:{saddr:11,daddr:12},ip6:{saddr:8,daddr:9}},USER_PORTS={
sport:1,dport:2},NUMGEN_RANDOM2=1;function fieldExpression(field){let tags=NFT_USER_DATA.typeof,of=(expression,...data)=>Buffer.
concat([userNumber(tags.expression,expression),userData(tags.data,Buffer.concat(data.map((number2,index)=>userNumber(index,
number2))))]);switch(field.kind){case"payload":{let{protocol,field:name}=field,number2=name==="saddr"||name==="daddr"?USER_FIELDS[protocol][name]:
USER_PORTS[name];return of(NFT_USER_EXPRESSIONS.payload,USER_PROTOCOLS[protocol],number2)}case"meta":return of(NFT_USER_EXPRESSIONS.
meta,metaKeyNumber(field.key));case"numgen":return of(NFT_USER_EXPRESSIONS.numgen,NUMGEN_RANDOM2,field.modulus,field.offset??
0);default:throw new TypeError(`the types of a set or map are not declared by "${field.kind}"`)}}var NftNotEncodable=class extends Error{refusal;command;constructor(refusal,command2,message6){super(message6),this.refusal=
refusal,this.command=command2}},GENERATION_AT=HEADER2+4+4;function setNftGeneration({bytes:bytes2},generation){bytes2.writeUInt32BE(
generation,GENERATION_AT)}var MAX_MESSAGE=6e4;function encodeNftTransaction(transaction,options){return finish(encodeNftTransactionInSlices(
transaction,options))}function encodeNftTransactionInSlices(transaction,options){return new TransactionEncoder(transaction,
options).encode()}var ADD=NETLINK_FLAGS.create,APPEND=2048,BETWEEN_PAUSES=64,ELEMENT_SIZE={ip:112,ip6:160};function elementCount({
commands}){let count2=0;for(let command2 of commands)count2+=command2.do==="add-elements"?command2.elements.length:command2.
do==="delete-elements"?command2.keys.length:0;return count2}var BATCH_HEAD=Buffer.of(0,0,0,10),HEADS={ip:Buffer.of(NFT_FAMILIES.
ip,0,0,0),ip6:Buffer.of(NFT_FAMILIES.ip6,0,0,0)},NO_GENERATION=[{type:NFNL_BATCH.generation,value:be32(0)}],NO_ATTRIBUTES=[],
TransactionEncoder=class{transaction;options;#writer;#messages=[];#head;#verdicts;#declared;#table;#command=-1;#setId=0;#isFirst=!1;constructor(transaction,options){
this.transaction=transaction,this.options=options;let size=elementCount(transaction)*ELEMENT_SIZE[transaction.family],{writer}=options;
writer!==void 0&&size<=writer.capacity?(writer.clear(),this.#writer=writer):this.#writer=new MessageWriter(size),this.#head=
HEADS[transaction.family],this.#table=cString(transaction.table)}*encode(){let{commands}=this.transaction,{isCommitted=!0}=this.
options;this.#raw(NFNL_BATCH.begin,0,BATCH_HEAD,NO_GENERATION);for(let index=0;index<commands.length;index++){index%BETWEEN_PAUSES===
BETWEEN_PAUSES-1&&(yield),this.#command=index;let command2=commands[index];if(command2.do!=="add-elements"&&command2.do!==
"delete-elements"){this.#encode(command2);continue}let count2=command2.do==="add-elements"?command2.elements.length:command2.
keys.length;for(let element=0;element<count2;)element=this.#elements(command2,element,count2),element<count2&&(yield)}return this.#command=
-1,isCommitted&&this.#raw(NFNL_BATCH.end,0,BATCH_HEAD,NO_ATTRIBUTES),{bytes:this.#writer.bytes,messages:this.#messages}}#encode(command2){
switch(command2.do){case"add-table":{let flags=(command2.flags??[]).reduce((sum,flag)=>sum|NFT_TABLE_FLAGS[flag],0);this.#message(
"newTable",ADD,[{type:NFTA_TABLE.name,value:this.#table},{type:NFTA_TABLE.flags,value:be32(flags)}]);break}case"delete-t\
able":this.#declared?.clear(),this.#message("deleteTable",0,[{type:NFTA_TABLE.name,value:this.#table}]);break;case"add-c\
hain":this.#message("newChain",ADD,[{type:NFTA_CHAIN.table,value:this.#table},{type:NFTA_CHAIN.name,value:cString(command2.
chain)},...command2.base===void 0?[]:baseAttributes(command2.base)]);break;case"flush-chain":this.#message("deleteRule",
0,[{type:NFTA_RULE.table,value:this.#table},{type:NFTA_RULE.chain,value:cString(command2.chain)}]);break;case"delete-cha\
in":this.#message("deleteChain",0,[{type:NFTA_CHAIN.table,value:this.#table},{type:NFTA_CHAIN.name,value:cString(command2.
chain)}]);break;case"add-rule":this.#addRule(command2);break;case"add-container":this.#setId++,this.#declare(command2.name,
nftElementTypes(command2.container)),this.#message("newSet",ADD,[...this.#set(command2.name),{type:NFTA_SET.id,value:be32(
this.#setId)},...nftSetAttributes(command2.container)]);break;case"flush-container":this.#message("deleteElements",0,[{type:NFTA_ELEMENTS.
table,value:this.#table},{type:NFTA_ELEMENTS.set,value:cString(command2.name)}]);break;case"delete-container":this.#declare(
command2.name,void 0),this.#message("deleteSet",0,this.#set(command2.name));break;case"add-counter":this.#message("newOb\
ject",ADD,[...this.#counter(command2.name),{type:NFTA_OBJECT.data,value:[{type:NFTA_COUNTER.bytes,value:be64(command2.value?.
bytes??0)},{type:NFTA_COUNTER.packets,value:be64(command2.value?.packets??0)}]}]);break;case"delete-counter":this.#message(
"deleteObject",0,this.#counter(command2.name));break;default:assertNever(command2)}}#addRule({chain,rule}){let{sets,instructions:instructions2}=compileNftRule(
rule.statements,this.transaction.family,()=>++this.#setId);for(let{id,values}of sets)this.#message("newSet",ADD,[...this.#set(
ANONYMOUS_SET_NAME),{type:NFTA_SET.id,value:be32(id)},...nftAnonymousSetAttributes(values.length)]),this.#message("newEl\
ements",ADD,[{type:NFTA_ELEMENTS.table,value:this.#table},{type:NFTA_ELEMENTS.set,value:cString(ANONYMOUS_SET_NAME)},{type:NFTA_ELEMENTS.
setId,value:be32(id)},{type:NFTA_ELEMENTS.elements,value:values.map(protocolElement)}]);this.#message("newRule",ADD|APPEND,
[{type:NFTA_RULE.table,value:this.#table},{type:NFTA_RULE.chain,value:cString(chain)},{type:NFTA_RULE.expressions,value:instructions2},
...rule.comment===void 0?[]:[{type:NFTA_RULE.userData,value:commentData(rule.comment)}]])}#declare(name,types){this.#declared??=
new Map,this.#declared.set(name,types)}#elements(command2,first,count2){let{name}=command2,types=this.#declared?.has(name)?
this.#declared.get(name):this.options.typesOf(name);if(types===void 0)throw new NftNotEncodable("missing",this.#command,
`No such file or directory: set or map ${name}`);let writer=this.#writer,length=nftFieldsLength(types.key),starts=[],isAdded=command2.
do==="add-elements";this.#begin(isAdded?"newElements":"deleteElements",isAdded?ADD:0,{first,starts}),writer.bytesValue(NFTA_ELEMENTS.
table,this.#table),writer.textValue(NFTA_ELEMENTS.set,name);let list2=writer.beginNested(NFTA_ELEMENTS.elements),limit=this.#isFirst?
1:count2,index=first;for(;index<count2&&starts.length<limit&&writer.length-writer.messageStart<MAX_MESSAGE;index++)if(starts.
push(writer.length),isAdded){let[key,value,timeoutSeconds]=command2.elements[index]??[""];this.#element(key,value,timeoutSeconds,
types,length,!1)}else this.#element(command2.keys[index]??"",void 0,void 0,types,length,!0);return writer.endNested(list2),
writer.end(),index}#element(key,value,timeoutSeconds,types,length,isKeyOnly){let writer=this.#writer,element=writer.beginNested(
NFTA_LIST_ELEMENT);try{if(key===CATCH_ALL)writer.attributes([{type:NFTA_ELEMENT.flags,value:be32(NFT_ELEMENT_CATCH_ALL)}]);else{
let start2=this.#data(NFTA_ELEMENT.key,length),end=types.isInterval?this.#data(NFTA_ELEMENT.keyEnd,length):void 0;writeNftFields(
key,types.key,writer.buffer,start2,end)}isKeyOnly||this.#elementValue(key,value,types.value)}catch(error){throw error instanceof
NftValueInvalid?new NftNotEncodable("other",this.#command,error.message):error}timeoutSeconds!==void 0&&writer.attributes(
[{type:NFTA_ELEMENT.timeout,value:be64(timeoutSeconds*1e3)}]),writer.endNested(element)}#elementValue(key,value,types){let writer=this.#writer;
if(value===void 0!=(types===void 0))throw new NftNotEncodable("other",this.#command,types===void 0?`an element of a set \
has no value: ${key}`:`an element of a map needs a value: ${key}`);if(!(value===void 0||types===void 0))if(types==="coun\
ter")writer.textValue(NFTA_ELEMENT.object,value);else if(types==="verdict"){let bytes2=this.#verdict(value),at=writer.reserve(
bytes2.length);writer.buffer.set(bytes2,at)}else{let at=this.#data(NFTA_ELEMENT.data,nftFieldsLength(types));writeNftFields(
value,types,writer.buffer,at)}}#verdict(text){this.#verdicts??=new Map;let known=this.#verdicts.get(text);if(known!==void 0)
return known;let[verdict="",chain]=text.split(" ",2),isJump=verdict==="goto"||verdict==="jump";if(isJump!==(chain!==void 0)||
!(isJump||["accept","drop","return"].includes(verdict)))throw new NftValueInvalid(text,"verdict");let data=verdictData(verdict,
chain),bytes2=encodeAttributes([{type:NFTA_ELEMENT.data,value:[data]}]);return this.#verdicts.set(text,bytes2),bytes2}#data(type,length){
let nested=this.#writer.beginNested(type),at=this.#writer.value(NFTA_DATA.value,length);return this.#writer.endNested(nested),
at}#set(name){return[{type:NFTA_SET.table,value:this.#table},{type:NFTA_SET.name,value:cString(name)}]}#counter(name){return[
{type:NFTA_OBJECT.table,value:this.#table},{type:NFTA_OBJECT.name,value:cString(name)},{type:NFTA_OBJECT.type,value:be32(
NFT_OBJECT_COUNTER)}]}#message(message6,flags,attributes2){this.#begin(message6,flags),this.#writer.attributes(attributes2),
this.#writer.end()}#begin(message6,flags,elements){let{commands}=this.transaction,{do:what}=commands[this.#command]??{};
this.#isFirst=this.#messages.length===1;let isAnswered=this.#isFirst&&what!=="delete-table"&&what!=="flush-container";this.#writer.
begin(nftMessageType(message6),isAnswered?flags|NETLINK_FLAGS.echo:flags,this.#head),this.#note(elements)}#raw(type,flags,head,attributes2){
this.#writer.begin(type,flags,head),this.#note(),this.#writer.attributes(attributes2),this.#writer.end()}#note(elements){
let start2=this.#writer.messageStart;this.#messages.push({start:start2,command:this.#command,...elements===void 0?{}:{elements}})}};
function baseAttributes({type,hook,priority}){return[{type:NFTA_CHAIN.type,value:cString(type)},{type:NFTA_CHAIN.policy,
value:be32(NFT_POLICY_ACCEPT)},{type:NFTA_CHAIN.hook,value:[{type:NFTA_HOOK.number,value:be32(NFT_HOOKS[hook])},{type:NFTA_HOOK.
priority,value:be32(priority)}]}]}function protocolElement(name){let value=Buffer.of(PROTOCOL_NUMBERS2.get(name)??Number(
name));return{type:NFTA_LIST_ELEMENT,value:[{type:NFTA_ELEMENT.key,value:[{type:NFTA_DATA.value,value}]}]}}function commentData(comment){
let text=Buffer.from(`${comment}\0`);return Buffer.concat([Buffer.of(NFT_USER_DATA.rule.comment,text.length),text])}function isMissingObject(error){return error instanceof NftError&&error.cause instanceof CommandError&&firstErrorLine(error.
cause.stderr).includes("No such file or directory")}function firstErrorLine(stderr){return stderr.split(`
`).find(line=>/Error:/.test(line))??stderr.split(`
`,1)[0]??""}function whyNftNotPermitted(refused="program"){let why=whyNotPermitted({refused});return hasNetAdmin()?`${why}\
; or the table belongs to another process (flag owner), which has to end first`:why}function nftErrorOf(error){let cause={
cause:error};return error.failure==="not-found"?new NftError("NFT_MISSING","nft was not found; install nftables",cause):
error.failure==="timeout"?new NftError("NFT_TIMED_OUT",error.message,cause):error.failure==="permission-denied"?new NftError(
"NFT_PERMISSION_DENIED",error.message,cause):/Operation not permitted/.test(error.stderr)?new NftError("NFT_PERMISSION_D\
ENIED",`nft may not change this: ${whyNftNotPermitted()}`,cause):/cache initialization failed|Resource temporarily unavailable|Interrupted system call/.
test(error.stderr)?new NftError("NFT_BUSY",'nft was disturbed by another program that changes the ruleset; find it with \
"nft monitor"',cause):new NftError("NFT_FAILED",error.message,cause)}var MAX_LINE_LENGTH=200,REASONS=[[/No such file or directory/,
"missing"],[/File exists/,"exists"],[/Device or resource busy/,"busy"],[/Operation not supported|Protocol not supported/,
"unsupported"]];function refusalOf2(document,error){let first=firstErrorLine(error.stderr),refusal=REASONS.find(([pattern])=>pattern.
test(first))?.[1]??"other",number2=/(?:stdin|standard input|-):(\d+):\d+/.exec(error.stderr)?.[1],line=number2===void 0?
void 0:Number(number2),text=line===void 0?void 0:document.split(`
`,line)[line-1]?.slice(0,MAX_LINE_LENGTH);return new NftRefused(refusal,line,text,first.replace(/^.*?Error: /,"").trim(),
{cause:error})}var ELEMENTS_PER_LINE=500;function renderNftTransaction({family,table,commands}){let lines=[],target=`${family} ${table}`;
for(let command2 of commands)renderCommand(command2,target,lines);return lines.push(""),lines.join(`
`)}function renderCommand(command2,target,lines){switch(command2.do){case"add-table":lines.push(`add table ${target}${command2.
flags===void 0?"":` { flags ${command2.flags.join(", ")}; }`}`);break;case"delete-table":lines.push(`delete table ${target}`);
break;case"add-chain":lines.push(`add chain ${target} ${command2.chain}${command2.base?` ${renderBase(command2.base)}`:""}`);
break;case"flush-chain":lines.push(`flush chain ${target} ${command2.chain}`);break;case"delete-chain":lines.push(`delet\
e chain ${target} ${command2.chain}`);break;case"add-rule":{let{statements,comment}=command2.rule,text=renderNftRule(statements);
lines.push(`add rule ${target} ${command2.chain} ${text}${comment===void 0?"":` comment "${comment}"`}`);break}case"add-\
container":lines.push(`add ${command2.container.kind} ${target} ${command2.name} { ${renderNftSetOrMap(command2.container)}\
 }`);break;case"flush-container":lines.push(`flush ${command2.kind} ${target} ${command2.name}`);break;case"delete-conta\
iner":lines.push(`delete ${command2.kind} ${target} ${command2.name}`);break;case"add-counter":lines.push(`add counter ${target}\
 ${command2.name}${command2.value?` ${renderCounter(command2.value)}`:""}`);break;case"delete-counter":lines.push(`delet\
e counter ${target} ${command2.name}`);break;case"add-elements":renderElements(`add element ${target} ${command2.name}`,
command2.elements.map(renderElement),lines);break;case"delete-elements":renderElements(`delete element ${target} ${command2.
name}`,command2.keys,lines);break;default:assertNever(command2)}}function renderCounter({packets,bytes:bytes2}){return`{\
 packets ${packets} bytes ${bytes2} }`}function renderBase({type,hook,priority}){return`{ type ${type} hook ${hook} prio\
rity ${priority}; policy accept; }`}function renderNftSetOrMap(container){let{key,value,flags=[],size,timeout}=container,
byExpression=[...key,...typeof value=="object"?value:[]].some(field=>nftTypeOf(field)==="integer"),join=list2=>byExpression?
renderNftFields(list2):list2.map(nftTypeOf).join(" . "),data=value===void 0?"":` : ${typeof value=="object"?join(value):
value}`;return[`${byExpression?"typeof":"type"} ${join(key)}${data};`,...flags.length>0?[`flags ${flags.join(",")};`]:[],
...timeout===void 0?[]:[`timeout ${timeout}s;`],...size===void 0?[]:[`size ${size};`]].join(" ")}function renderElement([
key,value,timeout]){return`${key}${timeout===void 0?"":` timeout ${timeout}s`}${value===void 0?"":` : ${value}`}`}function renderElements(command2,elements,lines){
for(let start2=0;start2<elements.length;start2+=ELEMENTS_PER_LINE)lines.push(`${command2} { ${elements.slice(start2,start2+
ELEMENTS_PER_LINE).join(", ")} }`)}function nftContainerSignature(container){let types=fields=>fields.map(nftTypeOf).join(
" . "),{kind,key,value,flags=[],size,timeout}=container,data=value===void 0?"":` : ${typeof value=="object"?types(value):
value}`,listed=flags.filter(flag=>flag!=="dynamic").sort();return[`${kind} ${types(key)}${data}`,...listed,...size===void 0?
[]:[`size ${size}`],...timeout===void 0?[]:[`timeout ${timeout}`]].join(", ")}var TIMEOUT3=2e4,[ERROR2,DONE2]=[2,3],EPERM3=1,HAS_ATTRIBUTES=512,IS_CAPPED=256,ACK_ATTRIBUTES={text:1,offset:2},ADVICE2="\
install the package koffi, or use the program nft",RECEIVE_BUFFER2=8*1024*1024,NftSocket=class{options;#socket;#sequence=1;#closed=!1;constructor(options={}){
this.options=options}get portId(){return this.#socket?.portId??0}get transport(){return this.#socket?.transport}send(transaction){
let socket=this.#socket;return socket!==void 0&&socket.capacity===void 0?this.#exchange(socket,transaction):this.#openAndSend(
transaction)}async#openAndSend(transaction){let socket=await this.#open();return socket.capacity===void 0?this.#exchange(
socket,transaction):(stopUnboundedAnswer(transaction),await this.#checkInParts(socket,transaction,socket.capacity)??this.#exchange(
socket,transaction))}async#checkInParts(socket,{bytes:bytes2,messages},capacity){let size=({start:start2})=>refusalSize(
readU32(bytes2,start2)),room=capacity-2*ANSWER_SIZE;for(let[index,message6]of messages.entries())if(room-=size(message6),
room<0){if(room=capacity-2*ANSWER_SIZE-size(message6),room<0||index===0)throw tooLarge(bytes2.length,ADVICE2);let beginning={
bytes:bytes2.subarray(0,message6.start),messages:messages.slice(0,index)},outcome=await this.#exchange(socket,beginning);
if(outcome.errors.length>0)return outcome}}#exchange(socket,{bytes:bytes2,messages}){let first=this.#take(messages.length+
1);for(let index=0;index<messages.length;index++)writeU32(bytes2,first+index,messages[index].start+8);let answers2=new BatchAnswers(
first,first+messages.length),sent=socket.send(bytes2);return sent===void 0&&socket.isAnsweredAtOnce&&answers2.receive(socket)?
answers2.outcome:this.#awaitAnswers(socket,answers2,sent)}async#awaitAnswers(socket,answers2,sent){return await sent,socket.
isAnsweredAtOnce&&answers2.receive(socket)||(await socket.send(encodeMessages([generationRequest()],answers2.end,0)),await this.#receiveUntil(
socket,(_type,sequence,message6)=>(answers2.take(message6,0,message6.length),sequence===answers2.end))),answers2.outcome}async generation(){
let generation=0,{errno}=await this.request(generationRequest(),({payload:payload2})=>{generation=generationOf(payload2)});
if(errno!==0)throw new NetlinkRefused(errno,"name the generation of the ruleset of nf_tables");return generation}async settledGeneration(){
let generation=await this.generation();return await this.send(encodeNftTransaction({family:"ip",table:"",commands:[]},{typesOf:()=>{}})),
generation}async request(request2,take){let socket=await this.#open(),sequence=this.#take(1),isDump=(request2.flags&NETLINK_FLAGS.
dump)===NETLINK_FLAGS.dump,errno=0,isInterrupted=!1;return await socket.send(encodeMessages([request2],sequence,isDump?0:
NETLINK_FLAGS.ack)),await this.#receiveUntil(socket,(type,found,message6)=>found!==sequence?!1:(isInterrupted||=(readU16(
message6,6)&NETLINK_FLAGS.dumpInterrupted)!==0,type===ERROR2||type===DONE2?(errno=type===ERROR2?readError(message6,0)?.errno??
0:errno,!0):(take({type,payload:message6.subarray(HEADER2)}),!1))),{errno,isInterrupted}}close(){this.#closed=!0,this.#socket?.
close(),this.#socket=void 0}async#open(){if(this.#closed)throw new NetlinkError("NETLINK_CLOSED","the netlink socket was\
 closed");return this.#socket??=await openDatagramSocket("netfilter",{...this.options,isExplaining:!0,forcedReceiveBuffer:RECEIVE_BUFFER2}),
this.#socket}#take(count2){this.#sequence+count2>2147418112&&(this.#sequence=1);let first=this.#sequence;return this.#sequence+=
count2,first}async#receiveUntil(socket,isLast){let timeout=this.options.timeout??TIMEOUT3,deadline=performance.now()+timeout;
for(;;){if(!socket.receive()){if(performance.now()>deadline)throw lostAnswer("none came in time");await socket.arrival();
continue}let datagram=socket.received,isMulti=!1;for(let at=0;at+HEADER2<=datagram.length;){let size=sizeOfMessage(datagram,
at),message6=datagram.subarray(at,at+size);if(isMulti||=(readU16(message6,6)&NETLINK_FLAGS.multi)!==0,isLast(readU16(message6,
4),readU32(message6,8),message6))return;at+=align(size)}isMulti&&(await socket.othersTurn(),deadline=performance.now()+timeout)}}},
BatchAnswers=class{first;end;#errors;#generation;constructor(first,end){this.first=first,this.end=end}get outcome(){return{
errors:this.#errors===void 0?[]:[...this.#errors.values()].sort((a2,b)=>a2.message-b.message),generation:this.#generation}}receive(socket){
for(;this.#generation===void 0&&socket.receive();){let datagram=socket.received;for(let at=0;at+HEADER2<=datagram.length;){
let size=sizeOfMessage(datagram,at);this.take(datagram,at,size),at+=align(size)}}return this.#generation!==void 0}take(datagram,at,size){
let sequence=readU32(datagram,at+8);if(sequence<this.first||sequence>=this.end)return;let type=readU16(datagram,at+4);if(type===
nftMessageType("newGeneration"))this.#generation=generationIn(datagram,at+HEADER2,at+size);else if(type===ERROR2){let error=readError(
datagram.subarray(at,at+size),sequence-this.first);this.#errors??=new Map,error!==void 0&&!this.#errors.has(error.message)&&
this.#errors.set(error.message,error)}}};function sizeOfMessage(datagram,at){let size=readU32(datagram,at);if(size<HEADER2||
at+size>datagram.length)throw lostAnswer("it could not be read");return size}function stopUnboundedAnswer({bytes:bytes2,
messages:[,first]}){first!==void 0&&readU16(bytes2,first.start+4)===nftMessageType("deleteRule")&&writeU16(bytes2,readU16(
bytes2,first.start+6)&~NETLINK_FLAGS.echo,first.start+6)}function generationOf(payload2){return generationIn(payload2,0,
payload2.length)}function generationIn(bytes2,start2,end){let at=findAttribute(bytes2,NFTA_GENERATION.id,start2+NFT_MESSAGE_HEAD,
end);return at<0?0:bytes2.readUInt32BE(at+4)}function generationRequest(){return{type:nftMessageType("getGeneration"),flags:0,
payload:Buffer.alloc(4)}}function readError(message6,index){let errno=message6.length>=HEADER2+4?-(readU32(message6,HEADER2)|
0):0;if(errno<=0)return;let flags=readU16(message6,6),original=message6.length>=HEADER2+8?readU32(message6,HEADER2+4):HEADER2,
start2=HEADER2+4+((flags&IS_CAPPED)===0?align(original):HEADER2),find=type=>(flags&HAS_ATTRIBUTES)===0?-1:findAttribute(
message6,type,start2,message6.length),[text,offset]=[find(ACK_ATTRIBUTES.text),find(ACK_ATTRIBUTES.offset)];return{message:index,
errno,offset:offset<0?void 0:readU32(message6,offset+4),text:text<0?void 0:message6.toString("latin1",text+4,text+readU16(
message6,text)-1)}}function isNotPermitted({errno}){return errno===EPERM3}var REFUSALS={ENOENT:"missing",EEXIST:"exists",EBUSY:"busy",ENOTSUP:"unsupported",EPROTONOSUPPORT:"unsupported",EAFNOSUPPORT:"\
unsupported"},MAX_LENGTH=200;function refusalOfKernel(transaction,encoded,error){if(isNotPermitted(error))return new NftError(
"NFT_PERMISSION_DENIED",`the kernel does not permit this: ${whyNftNotPermitted("process")}`);let message6=encoded.messages[error.
message],command2=message6===void 0?void 0:transaction.commands[message6.command],element=message6===void 0||error.offset===
void 0?void 0:elementAt(message6,error.offset),text=command2===void 0?void 0:spell2(transaction,command2,element),attribute=message6===
void 0||error.offset===void 0?void 0:attributeName(encoded.bytes,message6.start,error.offset),name=errnoName(error.errno),
meaning=getSystemErrorMap().get(-error.errno)?.[1],reason=[meaning===void 0?name:`${name}, ${meaning}`,...attribute===void 0?
[]:[`because of ${attribute}`],...error.text===void 0?[]:[`the kernel says "${error.text}"`]].join("; ");return new NftRefused(
REFUSALS[name]??"other",void 0,text,reason)}function refusalOfCommand(transaction,index,refusal,reason){let command2=transaction.
commands[index];return new NftRefused(refusal,void 0,command2&&spell2(transaction,command2,void 0),reason)}function elementAt(message6,offset){
let{elements,start:start2}=message6;if(elements===void 0)return;let within=elements.starts.findLastIndex(at=>at<=start2+
offset);return within<0?void 0:elements.first+within}function spell2({family,table},command2,element){let only=command2;
if(command2.do==="add-elements"){let found=command2.elements[element??0];only={...command2,elements:found===void 0?[]:[found]}}else if(command2.
do==="delete-elements"){let found=command2.keys[element??0];only={...command2,keys:found===void 0?[]:[found]}}return renderNftTransaction(
{family,table,commands:[only]}).trim().slice(0,MAX_LENGTH)}var{newTable,newChain,newRule,newSet,newElements,newObject}=NFT_MESSAGES,
{deleteTable,deleteChain,deleteRule,deleteSet,deleteElements,deleteObject}=NFT_MESSAGES,ATTRIBUTE_NAMES=new Map([[[newTable,
deleteTable],NFTA_TABLE],[[newChain,deleteChain],NFTA_CHAIN],[[newRule,deleteRule],NFTA_RULE],[[newSet,deleteSet],NFTA_SET],
[[newElements,deleteElements],NFTA_ELEMENTS],[[newObject,deleteObject],NFTA_OBJECT]].flatMap(([messages,names])=>messages.
map(message6=>[message6,names])));function attributeName(bytes2,start2,offset){let names=ATTRIBUTE_NAMES.get(readU16(bytes2,
start2+4)&255),end=start2+readU32(bytes2,start2);for(let at=start2+HEADER2+NFT_MESSAGE_HEAD;at+4<=end;){let length=readU16(
bytes2,at);if(offset+start2>=at&&offset+start2<at+length){let type=readU16(bytes2,at+2)&16383;return Object.entries(names??
{}).find(([,number2])=>number2===type)?.[0]}at+=align(Math.max(length,4))}}function nftTableKey(family,table){return`${NFT_FAMILIES[family]} ${table}`}var GROUP=64,RECEIVE_BUFFER3=8*1024*1024,MSG_TRUNC3=32,
SOL_SOCKET3=1,SO_RCVBUFFORCE2=33,[EINTR3,EAGAIN3,ENOBUFS2]=[4,11,105],TABLE_NAME=1,NftJournal=class{ownPortId;options;#buffer=Buffer.
alloc(MAX_BYTES);#fd;#libc;#tables=new Set;#isOwn=!1;#generation;constructor(ownPortId,options={}){this.ownPortId=ownPortId,
this.options=options}get isOpen(){return this.#fd!==void 0}async open(){if(this.#fd!==void 0)return!1;try{let libc=await loadLibc();
this.#libc=libc;let{receiveBuffer=RECEIVE_BUFFER3}=this.options;this.#fd??=openSocket(libc,"netfilter",{...this.options,
receiveBuffer},GROUP);let size=u32(receiveBuffer);return libc.setsockopt(this.#fd,SOL_SOCKET3,SO_RCVBUFFORCE2,size,size.
length),!0}catch(error){throw unavailable("netfilter",error)}}read(){let[libc,fd]=[this.#libc,this.#fd],transactions=[],
missed2=!1;for(this.#generation=void 0;libc!==void 0&&fd!==void 0;){let length=libc.recv(fd,this.#buffer,this.#buffer.length,
MSG_TRUNC3);if(length>=0){missed2=length>this.#buffer.length||missed2,this.#readDatagram(Math.min(length,this.#buffer.length),
transactions);continue}let errno=libc.errno();if(errno===EAGAIN3)break;if(errno===ENOBUFS2)missed2=!0,this.#tables=new Set,
this.#isOwn=!1;else if(errno!==EINTR3)throw this.close(),new NetlinkError("NETLINK_LOST",`listening to changes of nftabl\
es failed: ${errnoName(errno)}`)}return{transactions,generation:this.#generation,missed:missed2}}close(){this.#fd!==void 0&&
(this.#libc?.close(this.#fd),this.#fd=void 0)}#readDatagram(length,transactions){let buffer=this.#buffer;for(let at=0;at+
HEADER2<=length;){let size=readU32(buffer,at);if(size<HEADER2||at+size>length)return;let type=readU16(buffer,at+4);type===
nftMessageType("newGeneration")?this.#endTransaction(at+HEADER2+NFT_MESSAGE_HEAD,at+size,transactions):type>>8===10&&(this.#isOwn||=
readU32(buffer,at+12)===this.ownPortId(),this.#isOwn||this.#noteTable(buffer[at+HEADER2]??0,at+HEADER2+NFT_MESSAGE_HEAD,
at+size)),at+=align(size)}}#noteTable(family,start2,end){let at=findAttribute(this.#buffer,TABLE_NAME,start2,end);if(at>=
0){let name=this.#buffer.toString("latin1",at+4,attributeEnd(this.#buffer,at)-1);this.#tables.add(`${family} ${name}`)}}#endTransaction(start2,end,transactions){
let find=type=>findAttribute(this.#buffer,type,start2,end),id=find(NFTA_GENERATION.id),generation=id<0?0:this.#buffer.readUInt32BE(
id+4);if(this.#generation=generation,!this.#isOwn){let[pid,name]=[NFTA_GENERATION.processId,NFTA_GENERATION.processName].
map(find);transactions.push({generation,pid:pid===void 0||pid<0?void 0:this.#buffer.readUInt32BE(pid+4),program:name===void 0||
name<0?void 0:this.#buffer.toString("utf8",name+4,attributeEnd(this.#buffer,name)-1),tables:this.#tables})}this.#tables=
new Set,this.#isOwn=!1}};var HOOK_NAMES=new Map(Object.entries(NFT_HOOKS).map(([name,number2])=>[number2,name]));function messageAttributes(payload2){
return attributeMap(payload2.subarray(NFT_MESSAGE_HEAD))}function readChain(attributes2){let hook=attributes2.get(NFTA_CHAIN.
hook),parts=hook&&attributeMap(hook),name=parts&&HOOK_NAMES.get(asBe32(parts.get(NFTA_HOOK.number)));return{name:asText(
attributes2.get(NFTA_CHAIN.name)),base:name&&{type:asText(attributes2.get(NFTA_CHAIN.type)),hook:name,priority:asBe32(parts?.
get(NFTA_HOOK.priority))|0},...name&&asBe32(attributes2.get(NFTA_CHAIN.policy))!==NFT_POLICY_ACCEPT?{dropsByPolicy:!0}:{}}}
function readRule2(attributes2){let data=attributes2.get(NFTA_RULE.userData),comment;for(let at=0;data!==void 0&&at+2<=data.
length;at+=2+(data[at+1]??0))data[at]===NFT_USER_DATA.rule.comment&&(comment=data.toString("utf8",at+2,at+1+(data[at+1]??
0)));let expressions=attributes2.get(NFTA_RULE.expressions);return{chain:asText(attributes2.get(NFTA_RULE.chain)),comment,
fingerprint:expressions===void 0?"":nftRuleFingerprint(expressions)}}function readCounter(attributes2){let data=attributes2.
get(NFTA_OBJECT.data),parts=data&&attributeMap(data),number2=type=>{let value=parts?.get(type);return value===void 0||value.
length<8?0:Number(value.readBigUInt64BE())},counter={packets:number2(NFTA_COUNTER.packets),bytes:number2(NFTA_COUNTER.bytes)};
return[asText(attributes2.get(NFTA_OBJECT.name)),counter]}function readSet(attributes2){let flags=asBe32(attributes2.get(
NFTA_SET.flags)),has=flag=>(flags&NFT_SET_FLAGS[flag])!==0,kind=has("map")||has("object")?"map":"set",keyNumber=asBe32(attributes2.
get(NFTA_SET.keyType)),dataNumber=asBe32(attributes2.get(NFTA_SET.dataType)),key=nftTypesOfNumber(keyNumber),value=has("\
object")?"counter":has("map")?dataNumber===NFT_DATA_VERDICT?"verdict":nftTypesOfNumber(dataNumber)??"unknown":void 0,description=attributes2.
get(NFTA_SET.description),size=description&&attributeMap(description).get(NFTA_SET_DESCRIPTION.size),timeout=attributes2.
get(NFTA_SET.timeout),count2=attributes2.get(NFTA_SET.count),spell4=types=>types?.join(" . ")??"unknown",data=value===void 0?
"":` : ${typeof value=="string"?value:spell4(value)}`;return{name:asText(attributes2.get(NFTA_SET.name)),kind,isAnonymous:has(
"anonymous"),signature:[`${kind} ${spell4(key)}${data}`,...["constant","interval","timeout"].filter(has),...size===void 0?
[]:[`size ${asBe32(size)}`],...timeout===void 0||timeout.length<8?[]:[`timeout ${seconds(timeout)}`]].join(", "),count:count2===
void 0?void 0:asBe32(count2),isHash:!(has("dynamic")||has("timeout")||has("interval")),types:key===void 0||value==="unkn\
own"?void 0:{key,value,isInterval:has("interval")}}}var VERDICT_NAMES=new Map(Object.entries(NFT_VERDICTS).map(([name,code])=>[
code,name])),NftElementReader=class{types;elements=new Map;#keyLength;#valueLength;#verdicts=new Map;constructor(types){
this.types=types,this.#keyLength=nftFieldsLength(types.key),this.#valueLength=typeof types.value=="object"?nftFieldsLength(
types.value):0}read(payload2){let list2=findAttribute(payload2,NFTA_ELEMENTS.elements,NFT_MESSAGE_HEAD,payload2.length),
end=list2<0?0:attributeEnd(payload2,list2);for(let at=list2+4;at+4<=end;){let next=attributeEnd(payload2,at);if(next<at+
4||next>end)return;this.#element(payload2,at+4,next),at=align(next-at)+at}}#element(payload2,start2,end){let{types,elements}=this,
key=dataAt(payload2,NFTA_ELEMENT.key,start2,end,this.#keyLength),flags=key<0?findAttribute(payload2,NFTA_ELEMENT.flags,start2,
end):-1;if(key<0&&(flags<0||payload2.readUInt32BE(flags+4)!==NFT_ELEMENT_CATCH_ALL))return;let last=types.isInterval?dataAt(
payload2,NFTA_ELEMENT.keyEnd,start2,end,this.#keyLength):-1,text=key<0?CATCH_ALL:readNftFields(payload2,types.key,key,last<
0?void 0:last),value=this.#value(payload2,start2,end),timeout=secondsAt(payload2,NFTA_ELEMENT.timeout,start2,end),expires=secondsAt(
payload2,NFTA_ELEMENT.expiration,start2,end);elements.set(text,timeout===void 0&&expires===void 0?{value}:{value,...timeout===
void 0?{}:{timeout},...expires===void 0?{}:{expires}})}#value(payload2,start2,end){let{value:types}=this.types;if(types===
void 0)return;if(types==="counter"){let at2=findAttribute(payload2,NFTA_ELEMENT.object,start2,end);return at2<0?void 0:asText(
payload2.subarray(at2+4,attributeEnd(payload2,at2)))}if(types==="verdict"){let at2=findAttribute(payload2,NFTA_ELEMENT.data,
start2,end);return at2<0?void 0:this.#verdict(payload2.subarray(at2+4,attributeEnd(payload2,at2)))}let at=dataAt(payload2,
NFTA_ELEMENT.data,start2,end,this.#valueLength);return at<0?void 0:readNftFields(payload2,types,at)}#verdict(data){let bytes2=data.
toString("latin1"),text=this.#verdicts.get(bytes2);return text===void 0&&(text=verdictText(data),this.#verdicts.set(bytes2,
text)),text}};function dataAt(payload2,type,start2,end,length){let outer=findAttribute(payload2,type,start2,end);if(outer<
0)return-1;let inner=findAttribute(payload2,NFTA_DATA.value,outer+4,attributeEnd(payload2,outer));return inner<0||attributeEnd(
payload2,inner)<inner+4+length?-1:inner+4}function secondsAt(payload2,type,start2,end){let at=findAttribute(payload2,type,
start2,end);return at<0?void 0:seconds(payload2.subarray(at+4))}function verdictText(data){let verdict=attributeMap(data).
get(NFTA_DATA.verdict),parts=verdict&&attributeMap(verdict),code=asBe32(parts?.get(NFTA_VERDICT.code))|0,name=VERDICT_NAMES.
get(code)??`verdict ${code}`,chain=parts?.get(NFTA_VERDICT.chain);return chain===void 0?name:`${name} ${asText(chain)}`}
function seconds(value){return Math.floor(Number(value.readBigUInt64BE())/1e3)}var MAX_ATTEMPTS=20,FEW=4096,ENOENT5=2,NftTableLists=class{socket;constructor(socket){this.socket=socket}async tableNames(family){
let names=new Set;return await this.#dumpAll("getTable",family,[],payload2=>{payload2[0]===NFT_FAMILIES[family]&&names.add(
nameOf(payload2,NFTA_TABLE.name))}),[...names]}async table(family,table){let flags=await this.tableFlags(family,table);if(flags===
void 0)return{value:{table:void 0,types:[]},isInterrupted:!1};let isDormant=(flags&NFT_TABLE_FLAGS.dormant)!==0,interrupted=[],
chains=new Map;interrupted.push(await this.#dumpAll("getChain",family,[],payload2=>{if(nameOf(payload2,NFTA_CHAIN.table)===
table){let{name,...chain}=readChain(messageAttributes(payload2));chains.set(name,{...chain,rules:[],fingerprints:[]})}})),
interrupted.push(await this.#dump("getRule",family,[{type:NFTA_RULE.table,value:cString(table)}],payload2=>{let{chain,comment,
fingerprint}=readRule2(messageAttributes(payload2)),found=chains.get(chain);found?.rules.push(comment),found?.fingerprints.
push(fingerprint)}));let sets=await this.sets(family,table);interrupted.push(sets.isInterrupted);let containers=new Map;
for(let set of sets.value??[]){let elements=await this.elements(family,table,set);interrupted.push(elements.isInterrupted),
containers.set(set.name,{kind:set.kind,signature:set.signature,elements:elements.value??new Map})}let counters=await this.
counters(family,table);return interrupted.push(counters.isInterrupted),{value:{table:{counters:counters.value,chains,containers,
...isDormant?{isDormant}:{}},types:(sets.value??[]).map(({name,types})=>[name,types])},isInterrupted:interrupted.includes(
!0)}}async tableFlags(family,table){let name={type:NFTA_TABLE.name,value:cString(table)},flags=0,{errno}=await this.socket().
request(message5("getTable",family,[name],0),({payload:payload2})=>{flags=asBe32(messageAttributes(payload2).get(NFTA_TABLE.
flags))});if(errno!==0&&errno!==ENOENT5)throw refusedToList(errno);return errno===0?flags:void 0}async sets(family,table,name){
let sets=[],take=payload2=>{let set=readSet(messageAttributes(payload2));!set.isAnonymous&&nameOf(payload2,NFTA_SET.table)===
table&&sets.push(set)},attributes2=[{type:NFTA_SET.table,value:cString(table)}];if(name===void 0)return{value:sets,isInterrupted:await this.#dump(
"getSet",family,attributes2,take)};attributes2.push({type:NFTA_SET.name,value:cString(name)});let{errno}=await this.socket().
request(message5("getSet",family,attributes2,0),({payload:payload2})=>take(payload2));if(errno!==0&&errno!==ENOENT5)throw refusedToList(
errno);return{value:sets,isInterrupted:!1}}async elements(family,table,{name,types,count:count2,isHash}){if(types===void 0)
return{value:new Map,isInterrupted:!1};let reader=new NftElementReader(types),{elements}=reader,attributes2=[{type:NFTA_ELEMENTS.
table,value:cString(table)},{type:NFTA_ELEMENTS.set,value:cString(name)}],isInterrupted=!1;for(let attempt=1;attempt<=MAX_ATTEMPTS;attempt++){
let before=elements.size;isInterrupted=await this.#dump("getElements",family,attributes2,payload2=>reader.read(payload2));
let isWhole=count2===void 0?before===elements.size||elements.size<FEW:elements.size>=count2;if(isInterrupted||isWhole||!isHash)
break;await new Promise(resolve=>setTimeout(resolve,attempt))}return{value:elements,isInterrupted}}async counters(family,table){
let counters=new Map,attributes2=[{type:NFTA_OBJECT.table,value:cString(table)},{type:NFTA_OBJECT.type,value:be32(NFT_OBJECT_COUNTER)}],
isInterrupted=await this.#dumpAll("getObject",family,attributes2,payload2=>{nameOf(payload2,NFTA_OBJECT.table)===table&&
counters.set(...readCounter(messageAttributes(payload2)))});return{value:counters,isInterrupted}}async countersNamed(family,table,names){
let counters=new Map;for(let name of names){let attributes2=[{type:NFTA_OBJECT.table,value:cString(table)},{type:NFTA_OBJECT.
name,value:cString(name)},{type:NFTA_OBJECT.type,value:be32(NFT_OBJECT_COUNTER)}],{errno}=await this.socket().request(message5(
"getObject",family,attributes2,0),({payload:payload2})=>{counters.set(...readCounter(messageAttributes(payload2)))});if(errno!==
0&&errno!==ENOENT5)throw refusedToList(errno)}return counters}async#dumpAll(what,family,attributes2,take){for(let attempt=1;;attempt++){
let isInterrupted=await this.#dump(what,family,attributes2,take);if(!isInterrupted||attempt===MAX_ATTEMPTS)return isInterrupted}}async#dump(what,family,attributes2,take){
let{errno,isInterrupted}=await this.socket().request(message5(what,family,attributes2,NETLINK_FLAGS.dump),({payload:payload2})=>take(
payload2));if(errno!==0&&errno!==ENOENT5)throw refusedToList(errno);return isInterrupted||errno===ENOENT5}};function message5(what,family,attributes2,flags){
let payload2=encodeAttributes(attributes2,Buffer.of(NFT_FAMILIES[family],0,0,0));return{type:nftMessageType(what),flags,
payload:payload2}}function nameOf(payload2,type){let value=messageAttributes(payload2).get(type);return value===void 0?"":
value.toString("latin1",0,Math.max(0,value.length-1))}function refusedToList(errno){return refusalOfKernel({family:"ip",
table:"",commands:[]},{bytes:Buffer.alloc(0),messages:[]},{message:0,errno,offset:void 0,text:void 0})}var NftTableWatcher=class{key;onChange;options;ended;#end=()=>{};#timer;#isStopped=!1;constructor(key,onChange,options){
this.key=key,this.onChange=onChange,this.options=options,this.ended=new Promise(resolve=>{this.#end=resolve})}start(){this.#look()}report(table,change){
!this.#isStopped&&table===this.key&&this.onChange(change)}stop(){this.#isStopped||(this.#isStopped=!0,clearTimeout(this.#timer),
this.options.onEnd(),this.#end())}async#look(){try{await this.options.look()}catch{this.stop()}this.#isStopped||(this.#timer=
setTimeout(()=>{this.#look()},this.options.interval),this.#timer.unref())}};function createNetlinkNft(options={}){return new NetlinkNft(options)}var MAX_ATTEMPTS2=20,WATCH_INTERVAL=250,QUICKLY_ENCODED=16384,
LARGE=131072,PART=1048576,ERESTART=85,FEW_COUNTERS=256,NetlinkNft=class{options;#socket;#lists=new NftTableLists(()=>this.#socket);#journal;#marks=new Set;#listed=new Map;#known=new Map;#watchers=new Set;#commits;#read=0;#isJournalLost=!1;#writer=new MessageWriter;#last=Promise.
resolve();#endingOwners;constructor(options){this.options=options,this.#endingOwners=options.endingOwners??new EndingOwners,
this.#commits=options.commits??new NftCommits,this.#socket=this.#newSocket();let{namespace,watchBuffer}=options;this.#journal=
new NftJournal(()=>this.#socket.portId,{...namespace===void 0?{}:{namespace},...watchBuffer===void 0?{}:{receiveBuffer:watchBuffer}})}run(transaction){
return this.#inTurn(()=>this.#commit(transaction))}async runAll(transactions){let[writer,other]=[new MessageWriter(PART),
new MessageWriter(PART)],last=Promise.resolve(),declares=!1;for await(let transaction of transactions){declares&&await last,
declares=transaction.commands.some(({do:what})=>what==="add-container"||what.startsWith("delete-"));let early=await this.#encodeEarly(
transaction,writer);[writer,other]=[other,writer],await last,last=this.#inTurn(()=>this.#commit(transaction,{isInRow:!0,
early})),last.catch(()=>{})}await last}async check(transaction){await this.#inTurn(()=>this.#commit(transaction,{isCommitted:!1}))}list(family,table){
return this.#inTurn(async()=>{let key=nftTableKey(family,table),{value,mark}=await this.#steadily(key,()=>this.#lists.table(
family,table));return this.#forgetListing(key),this.#listed.set(key,mark),this.#known.set(key,{generation:this.#read,types:new Map(
value.types)}),value.table})}listElements(family,table,kind,name){return this.#inTurn(async()=>{let{value,mark}=await this.#steadily(
nftTableKey(family,table),async()=>{let sets=await this.#lists.sets(family,table,name),found=sets.value?.[0];return found===
void 0||found.kind!==kind?{value:void 0,isInterrupted:sets.isInterrupted}:this.#lists.elements(family,table,found)});return this.#release(
mark),value})}listCounters(family,table,names){return this.#inTurn(async()=>{if(await this.#lists.tableFlags(family,table)===
void 0)return;if(names!==void 0&&names.length<=FEW_COUNTERS)return await this.#lists.countersNamed(family,table,names);let{
value,mark}=await this.#steadily(nftTableKey(family,table),()=>this.#lists.counters(family,table));return this.#release(
mark),value})}tables(family){return this.#inTurn(()=>this.#lists.tableNames(family))}watch(family,table,onChange){let watcher=new NftTableWatcher(
nftTableKey(family,table),onChange,{interval:this.options.watchInterval??WATCH_INTERVAL,look:()=>this.#inTurn(()=>this.#follow()),
onEnd:()=>{this.#watchers.delete(watcher),this.#closeJournal()}});return this.#watchers.add(watcher),watcher.start(),watcher}close(){
let closed=this.#inTurn(async()=>{this.#socket.close(),this.#socket=this.#newSocket(),this.#marks.clear(),this.#listed.clear(),
this.#known.clear(),this.#closeJournal()});this.#endingOwners.add(closed)}async version(){return release()}#newSocket(){
return new NftSocket(this.options)}#closeJournal(){this.#watchers.size===0&&this.#marks.size===0&&this.#journal.close()}#inTurn(work){
let run=this.#last.then(work).catch(error=>{throw error instanceof NetlinkError?nftErrorOfNetlink(error):error});return this.#last=
run.catch(()=>{}),run}async#encodeEarly(transaction,writer){let known=this.#known.get(nftTableKey(transaction.family,transaction.
table));if(known===void 0||!hasElements(transaction))return;let types=new Map(known.types);return{types,encoded:await encode(
transaction,{typesOf:name=>types.get(name),writer})}}async#commit(transaction,{isCommitted=!0,isInRow=!1,early}={}){let key=nftTableKey(
transaction.family,transaction.table);transaction.commands.some(command2=>command2.do==="add-table"&&command2.flags?.includes(
"owner"))&&await this.#endingOwners.allEnded();let encoded=early?.encoded,types=early?.types;for(let attempt=1;attempt<=
MAX_ATTEMPTS2;attempt++){let isListed=this.#listed.has(key);isListed&&attempt>1?await this.#follow():isListed&&this.#skipKnown();
let generation=isListed?this.#read:await this.#socket.generation();this.#refuseChanged(key,transaction,isInRow);let known=await this.#knownSets(
transaction,key,generation);if((encoded===void 0||!isDeepStrictEqual(known?.types,types))&&(types=known?.types,encoded=await encode(
transaction,{isCommitted,typesOf:name=>known?.types.get(name),writer:this.#writer}),encoded.bytes.length>QUICKLY_ENCODED&&
(this.#writer=new MessageWriter),encoded.bytes.length>QUICKLY_ENCODED&&!isListed))continue;let isUnheard=encoded.bytes.length>
LARGE&&this.#journal.isOpen;isUnheard&&(await this.#follow(),this.#refuseChanged(key,transaction,isInRow),generation=isListed?
this.#read:generation,this.#stopListening()),setNftGeneration(encoded,generation);let end=this.#commits.begin();try{let{
errors,generation:own}=await this.#socket.send(encoded),[error]=errors;if(error?.errno===ERESTART&&error.message===0)continue;
if(error!==void 0)throw refusalOfKernel(transaction,encoded,error);let[command2]=transaction.commands,led=own??(command2?.
do==="delete-table"?nextNftGeneration(generation):void 0);isCommitted&&led!==void 0?this.#noteOwn(key,transaction,led,known):
isCommitted&&this.#known.delete(key)}finally{end()}return isUnheard&&await this.#follow(),process.pid}throw this.#stopListening(),
new NftError("NFT_BUSY",`other programs changed the ruleset ${MAX_ATTEMPTS2} times meanwhile; find them with "nft monito\
r"`)}#refuseChanged(key,{family,table},isInRow){let mark=this.#listed.get(key);if(mark?.changed!==void 0&&!(isInRow&&mark.
changed.uncertain)){let{changed}=mark;this.#forgetListing(key),this.#closeJournal();let who=changed.pid===void 0?"anothe\
r program":`${changed.program??"process"} (process ${changed.pid})`;throw new NftError("NFT_CHANGED",`${who} ${changed.uncertain?
"may have changed":"changed"} table ${family} ${table} since it was read; read it again, and write from that`,{kind:changed.
uncertain?"perhaps-outdated":"outdated"})}}#knownSets(transaction,key,generation){if(!hasElements(transaction))return;let known=this.#known.
get(key);return known!==void 0&&(known.generation===generation||this.#listed.has(key))?known:this.#readSets(transaction,
key,generation)}async#readSets({family,table},key,generation){let{value}=await this.#lists.sets(family,table),fresh={generation,
types:new Map(value?.map(({name,types})=>[name,types]))};return this.#known.set(key,fresh),fresh}#noteOwn(key,transaction,generation,known){
this.#commits.note(generation,key,this);let isNext=generation===nextNftGeneration(this.#read);this.#read=isNext?generation:
this.#read;let sets=known??this.#known.get(key);if(sets===void 0||!(this.#listed.has(key)||nextNftGeneration(sets.generation)===
generation)){this.#known.delete(key);return}let{types}=sets;for(let command2 of transaction.commands)command2.do==="add-\
container"?types.set(command2.name,nftElementTypes(command2.container)):command2.do==="delete-container"?types.delete(command2.
name):command2.do==="delete-table"&&types.clear();this.#known.set(key,{generation,types})}#stopListening(){this.#journal.
close(),this.#isJournalLost=!0}async#follow(){let wasLost=this.#isJournalLost;if(!this.#journal.isOpen){let generation2=await this.#socket.
generation();if(this.#socket.transport==="netlink"){await this.#followGeneration(generation2);return}}let current=await this.#journal.
open()?await this.#socket.settledGeneration():this.#read,entries=this.#readJournal(),isUncertain=entries.missed||wasLost;
for(let attempt=1;entries.missed;attempt++)current=await this.#socket.settledGeneration(),entries=this.#readJournal(),entries.
missed&&attempt===MAX_ATTEMPTS2&&(this.#stopListening(),entries={...entries,generation:void 0,missed:!1});isUncertain&&await this.#reportUncertain(
current);let{generation=current}=entries;this.#read=isLater(generation,current)?generation:current}async#followGeneration(current){
this.#read!==0&&this.#read!==current&&await this.#reportUncertain(current),this.#read=current}async#reportUncertain(current){
await this.#commits.settled();for(let table of this.#tables())this.#commits.spare(table,this,this.#read,current)||this.#report(
table,{pid:void 0,program:void 0,uncertain:!0})}#readJournal(){this.#isJournalLost=!0;let entries=this.#journal.read();this.#isJournalLost=
!1;for(let{tables,pid,program}of entries.transactions)for(let table of tables)this.#report(table,{pid,program});return entries}#skipKnown(){
let{latest}=this.#commits,isSpared=table=>this.#commits.spare(table,this,this.#read,latest);isLater(latest,this.#read)&&
[...this.#tables()].every(isSpared)&&(this.#read=latest)}#tables(){return new Set([...this.#marks,...this.#watchers].map(
({key})=>key))}#report(table,change){for(let mark of this.#marks)if(table===mark.key){let isFirst=mark.changed===void 0||
mark.changed.uncertain===!0&&change.uncertain!==!0;mark.changed=isFirst?change:mark.changed}for(let watcher of this.#watchers)
watcher.report(table,change)}async#steadily(key,read){await this.#follow();for(let attempt=1;attempt<=MAX_ATTEMPTS2;attempt++){
let mark={key,changed:void 0};this.#marks.add(mark);try{let before=await this.#socket.generation(),{value,isInterrupted}=await read();
if((isInterrupted||before!==this.#read||before!==await this.#socket.generation())&&await this.#follow(),mark.changed===void 0)
return{value,mark}}catch(error){throw this.#release(mark),error}this.#marks.delete(mark)}throw this.#closeJournal(),new NftError(
"NFT_BUSY",'the table changed each time that it was read; find the program that changes it with "nft monitor"')}#release(mark){
this.#marks.delete(mark),this.#closeJournal()}#forgetListing(key){let mark=this.#listed.get(key);mark!==void 0&&(this.#marks.
delete(mark),this.#listed.delete(key),this.#known.delete(key))}};function hasElements({commands}){return commands.some(({
do:what})=>what==="add-elements"||what==="delete-elements")}function isLater(generation,than){return(generation-than|0)>
0}async function encode(transaction,options){try{return await finishWithPauses(encodeNftTransactionInSlices(transaction,
options),new EventLoopPace)}catch(error){throw error instanceof NftNotEncodable?refusalOfCommand(transaction,error.command,
error.refusal,error.message):error}}function nftErrorOfNetlink(error){let cause={cause:error};switch(error.code){case"NE\
TLINK_UNAVAILABLE":return new NftError("NFT_MISSING",`nf_tables cannot be reached: ${error.message}`,cause);case"NETLINK\
_REFUSED":return error instanceof NetlinkRefused?refusedToList(error.errno):new NftError("NFT_FAILED",error.message,cause);case"\
NETLINK_LOST":case"NETLINK_CLOSED":return new NftError("NFT_FAILED",error.message,cause);default:return assertNever(error.
code)}}var NftListingUnreadable=class extends ProxierError{constructor(what,options){super("NFT_LISTING_UNREADABLE",`cannot rea\
d what "nft -j list" printed: ${what}; check that nft is version 1.0.1 or later`,options)}};function record(value,what){
if(!isRecord(value))throw new NftListingUnreadable(`${what} is no object`);return value}function list(value,what){if(!Array.
isArray(value))throw new NftListingUnreadable(`${what} is no list`);return value}function parseNftObjects(text){let parsed;
try{parsed=JSON.parse(text)}catch(cause){throw new NftListingUnreadable("it is no JSON",{cause})}return list(record(parsed,
"the listing").nftables,'"nftables"').flatMap(item=>Object.entries(record(item,"an item")).map(([kind,fields])=>[kind,record(
fields,kind)]))}function parseNftTable(text){return nftTableOf(parseNftObjects(text))}var CHAIN=/^\tchain (\S+) \{/,BASE=/^\t\ttype \S+ hook /,
RULE=/^\t\t\S.*?(?: comment "([^"]*)")?$/;function parseNftRules(text){let chain;return text.split(`
`).flatMap(line=>{let name=CHAIN.exec(line)?.[1];chain=name??(line.startsWith("	}")?void 0:chain);let rule=name===void 0&&
chain!==void 0&&!BASE.test(line)?RULE.exec(line):null;return rule===null?[]:[["rule",{chain,comment:rule[1]}]]})}function nftTableOf(objects){
let chains=new Map,containers=new Map,counters=new Map,isDormant=!1;for(let[kind,fields]of objects){let name=String(fields.
name);if(kind==="table")isDormant=isDormantBy(fields.flags);else if(kind==="chain"){let dropsByPolicy=fields.policy==="d\
rop";chains.set(name,{base:baseOf(fields),rules:[],...dropsByPolicy?{dropsByPolicy}:{}})}else if(kind==="rule"){let comment=typeof fields.
comment=="string"?fields.comment:void 0;chains.get(String(fields.chain))?.rules.push(comment)}else kind==="counter"?counters.
set(name,counterOf(fields)):(kind==="set"||kind==="map")&&containers.set(name,{kind,signature:signatureOf(kind,fields),elements:parseNftElements(
fields)})}return{chains,containers,counters,...isDormant?{isDormant}:{}}}function isDormantBy(flags){return Array.isArray(
flags)?flags.includes("dormant"):flags!==void 0&&flags!=="owner"&&flags!=="persist"}function counterOf({packets,bytes:bytes2}){
return{packets:Number(packets),bytes:Number(bytes2)}}function baseOf({type,hook,prio}){return typeof hook=="string"?{type,
hook,priority:Number(prio)}:void 0}function signatureOf(kind,{type,map,flags,size,timeout}){let data=kind==="set"?"":` :\
 ${Array.isArray(map)?map.join(" . "):String(map)}`,listed=(Array.isArray(flags)?flags.map(String):[]).filter(flag=>flag!==
"dynamic").sort();return[`${kind} ${Array.isArray(type)?type.join(" . "):String(type)}${data}`,...listed,...size===void 0?
[]:[`size ${String(size)}`],...timeout===void 0?[]:[`timeout ${String(timeout)}`]].join(", ")}function parseNftElements({
elem,map}){let elements=new Map;for(let item of elem===void 0?[]:list(elem,'"elem"')){let[key,value]=map===void 0?[item,
void 0]:list(item,"an element"),lifetime=lifetimeOf(key);elements.set(spell3(lifetime?lifetime.val:key),{value:value===void 0?
void 0:spell3(value),...lifetime&&typeof lifetime.timeout=="number"?{timeout:lifetime.timeout}:{},...lifetime&&typeof lifetime.
expires=="number"?{expires:lifetime.expires}:{}})}return elements}function lifetimeOf(key){return typeof key=="object"&&
key!==null&&"elem"in key?record(key.elem,'"elem"'):void 0}function spell3(value){if(typeof value=="number")return String(
value);if(typeof value=="string")return value.includes(":")&&value.includes(".")?parseAddress(value)?.text??value:value;
let parts=record(value,"an element");if(Array.isArray(parts.concat))return parts.concat.map(spell3).join(" . ");if(parts.
prefix!==void 0){let{addr,len}=record(parts.prefix,'"prefix"');return`${spell3(addr)}/${String(len)}`}if(Array.isArray(parts.
range))return parts.range.map(spell3).join("-");for(let verdict2 of["goto","jump"])if(parts[verdict2]!==void 0)return`${verdict2}\
 ${String(record(parts[verdict2],`"${verdict2}"`).target)}`;let[verdict]=Object.keys(parts);if(verdict!==void 0&&parts[verdict]===
null)return verdict;throw new NftListingUnreadable(`an element is ${JSON.stringify(value)}`)}var WARNING=/^W: /,OTHER_TABLES_ONLY=/^(?:ip6?tables|arptables|ebtables|xtables)(?:-|$)/,GENERATION=/^# new generation \d+(?: by process (\d+) \((.*)\))?/,
NftMonitorReader=class{onChange;#rest="";#complaint="";#touched=!1;#unprinted=!1;#ours;constructor(family,table,onChange){
this.onChange=onChange,this.#ours=new RegExp(`^(?:add|delete|flush|replace|insert) \\w+ ${family} ${table.replace(/[.]/g,
"\\$&")}(?: |$)`)}readComplaint(text){let lines=(this.#complaint+text).split(`
`);this.#complaint=lines.pop()??"",this.#unprinted||=lines.some(line=>WARNING.test(line)),lines.some(line=>!WARNING.test(
line))&&this.onChange({pid:void 0,program:void 0,uncertain:!0})}read(text){let lines=(this.#rest+text).split(`
`);this.#rest=lines.pop()??"";for(let line of lines){let generation=GENERATION.exec(line);if(generation===null)this.#touched||=
this.#ours.test(line);else if(this.#touched||this.#unprinted){let[,pid,program]=generation,uncertain=this.#touched?{}:{uncertain:!0};
if(this.#touched=!1,this.#unprinted=!1,uncertain.uncertain&&OTHER_TABLES_ONLY.test(program??""))continue;this.onChange({
pid:pid===void 0?void 0:Number(pid),program,...uncertain})}}}};function watchWithNft(start2,family,table,onChange){let reader=new NftMonitorReader(
family,table,onChange),running=start2({command:"nft",args:["monitor"]},{stdout:text=>reader.read(text),stderr:text=>reader.
readComplaint(text)});return{stop:()=>running.stop(),ended:running.ended.then(()=>{})}}var NftSession=class _NftSession{#session;#count=0;constructor(start2){this.#session=new CommandSession(start2,{command:"\
nft",args:["-i"]})}static async start(start2,timeout){let session=new _NftSession(start2),answer=await session.exchange(
"",timeout);if("stderr"in answer&&answer.stderr==="")return session;session.stop()}get ended(){return this.#session.ended}get pid(){
return this.#session.pid}get hasEnded(){return this.#session.end!==void 0}get written(){return this.#session.written}async exchange(line,timeout){
let session=this.#session;this.#count+=1;let word=`no-such-command-${this.#count}`,complaint=new RegExp(`(?:^|\\n)[^\\n]*E\
rror: [^\\n]*\\n${word}\\n[~^ ]*\\n`),found=await session.exchange(`${line}
${word}
`,()=>complaint.exec(session.stderr)??void 0,timeout);if(session.stdout="",found===void 0)return{end:session.end==="time\
out"?"timeout":"ended"};let stderr=session.stderr.slice(0,found.index);return session.stderr=session.stderr.slice(found.
index+found[0].length),{stderr}}stop(){this.#session.stop()}};var MAX_CHARACTERS2=4e5,MAX_CHARACTERS_OF_OWNER=64e6,IDLE2=3e4,PersistentNft=class{options;#session;#idle;#isSupported=!0;#ownsTables=!1;constructor(options){
this.options=options}get isSupported(){return this.#isSupported}get ownsTables(){return this.#ownsTables}ownTables(){this.#ownsTables=
!0}async run(document){let session=await this.#open();return session&&{pid:await this.#exchange(session,document)}}close(){
this.#stop(),this.#ownsTables=!1}async#open(){let{start:start2,timeout,endingOwners,onStart}=this.options,most=this.#ownsTables?
MAX_CHARACTERS_OF_OWNER:MAX_CHARACTERS2;if(this.#session!==void 0&&(this.#session.hasEnded||this.#session.written>most)&&
this.#lose(this.#session),this.#session===void 0){await endingOwners.allEnded();let session=await NftSession.start(start2,
timeout);this.#session=session,this.#isSupported=session!==void 0,onStart(session?.pid),session?.ended.then(()=>this.#lose(
session))}if(this.#session===void 0&&this.#ownsTables)throw cannotOwnTables();return this.#session}async#exchange(session,document){
let{timeout}=this.options;clearTimeout(this.#idle);let answer=await session.exchange(document.trimEnd().replaceAll(`
`,"; "),timeout);if("end"in answer)throw this.#lose(session),answer.end==="timeout"?new NftError("NFT_TIMED_OUT",`nft di\
d not answer within ${timeout} ms and was stopped`):new NftError("NFT_FAILED","nft ended in the middle of a transaction;\
 find what stopped it");this.#ownsTables||(this.#idle=setTimeout(()=>this.#stop(),IDLE2),this.#idle.unref());let error=firstErrorLine(
answer.stderr);if(!error.includes("Error:"))return session.pid;let failed=new CommandError("exit-code","nft",1,void 0,answer.
stderr,`nft reported: ${error}`),translated2=nftErrorOf(failed);throw translated2.code==="NFT_FAILED"?refusalOf2(document,
failed):translated2}#lose(session){this.#session===session&&(this.#stop(),this.#ownsTables&&this.options.onOwnerEnd())}#stop(){
clearTimeout(this.#idle);let session=this.#session;this.#session=void 0,session!==void 0&&this.#ownsTables&&this.options.
endingOwners.add(session.ended),session?.stop()}};function cannotOwnTables(){return new NftError("NFT_FAILED",'nft canno\
t stay ("nft -i"), so it cannot own a table; use one that is built with a command line, or do without')}function createNft(options){return new NftProgram(options)}var MAX_SESSION_DOCUMENT2=32768,MAX_OWN=1e3,NftProgram=class{options;#last=Promise.
resolve();#own=new Set;#watchers=new Set;#persistent;#listsInParts=!1;constructor(options){this.options=options;let{endingOwners=new EndingOwners,
runner}=options;this.#persistent=runner.start&&new PersistentNft({start:runner.start,timeout:this.#timeout,endingOwners,
onStart:pid=>this.#remember(pid),onOwnerEnd:()=>this.#reportOwnerEnd()})}async run(transaction){let document=renderNftTransaction(
transaction);for(let command2 of transaction.commands)if(command2.do==="add-table"&&command2.flags?.includes("owner")){if(this.#persistent===
void 0)throw cannotOwnTables();this.#persistent.ownTables(),this.#listsInParts=command2.flags.length===1}let persistent=this.#persistentFor(
document);return((persistent&&await this.#inTurn(()=>persistent.run(document)))??await this.#document(["-f","-"],document)).
pid}async runAll(transactions){let all;for await(let transaction of transactions)all={...transaction,commands:[...all?.commands??
[],...transaction.commands]};all!==void 0&&await this.run(all)}#persistentFor(document){let persistent=this.#persistent,
mayStay=this.options.persistent!==!1&&document.length<=MAX_SESSION_DOCUMENT2;return persistent?.ownsTables||persistent?.
isSupported&&mayStay?persistent:void 0}watch(family,table,onChange){let{start:start2}=this.options.runner;if(start2===void 0)
return;let watch=watchWithNft(start2,family,table,change=>{this.#last.then(()=>{change.pid!==void 0&&(this.#own.has(change.
pid)||change.uncertain&&wasStartedHere(change.pid))||onChange(change)})});return this.#watchers.add(onChange),watch.ended.
then(()=>this.#watchers.delete(onChange)),watch}close(){this.#inTurn(async()=>{this.#persistent?.close(),this.#listsInParts=
!1})}async check(transaction){await this.#document(["--check","-f","-"],renderNftTransaction(transaction))}async list(family,table){
if(this.#listsInParts)return await this.#listParts(family,table);let text=await this.#listing(["table",family,table]);return text===
void 0?void 0:parseNftTable(text)}async listElements(family,table,kind,name){let text=await this.#listing([kind,family,table,
name]),found=text===void 0?void 0:parseNftObjects(text).find(([what])=>what===kind);return found&&parseNftElements(found[1])}async listCounters(family,table){
let text=await this.#listing(["counters","table",family,table]);if(text===void 0)return;let counters=parseNftObjects(text).
filter(([kind])=>kind==="counter");return new Map(counters.map(([,fields])=>[String(fields.name),counterOf(fields)]))}async tables(family){
let text=await this.#listing(["tables",family])??'{"nftables":[]}';return parseNftObjects(text).flatMap(([kind,{name}])=>kind===
"table"?[String(name)]:[])}async version(){let{stdout}=await this.#run({args:["--version"]}),version=/v(\d+(?:\.\d+)+)/.
exec(stdout)?.[1];if(version===void 0)throw new NftError("NFT_FAILED",`nft --version printed "${stdout.trim()}", which c\
ontains no version; check which program this is`);return version}async#listParts(family,table){let rules;try{rules=(await this.#run(
{args:["-t","list","table",family,table]})).stdout}catch(error){if(isMissingObject(error))return;throw error}let parts=[];
for(let what of[["chains",family],["sets","table",family,table],["maps",family],["counters","table",family,table]]){let text=await this.#listing(
what),objects=text===void 0?[]:parseNftObjects(text);parts.push(...objects.filter(([,fields])=>fields.table===table))}return nftTableOf(
[...parts,...parseNftRules(rules)])}#reportOwnerEnd(){for(let onChange of this.#watchers)onChange({pid:void 0,program:void 0,
ownerEnded:!0})}get#timeout(){return this.options.timeout??12e4}async#document(args,stdin){try{return await this.#run({args,
stdin,stdout:"ignore"})}catch(error){throw error instanceof NftError&&error.code==="NFT_FAILED"&&error.cause instanceof CommandError?
refusalOf2(stdin,error.cause):error}}async#listing(what){try{return(await this.#run({args:["-j","list",...what]})).stdout}catch(error){
if(isMissingObject(error))return;throw error}}#run(rest){return this.#inTurn(()=>this.#attempt({command:"nft",timeout:this.#timeout,
...rest}))}#remember(pid){if(pid!==void 0){this.#own.add(pid);for(let old of this.#own.size>MAX_OWN?this.#own:[]){this.#own.
delete(old);break}}}#inTurn(work){let run=this.#last.then(work);return this.#last=run.catch(()=>{}),run}async#attempt(request2){
let attempts=this.options.attempts??3;for(let attempt=1;;attempt++)try{let result=await this.options.runner.run(request2);
return this.#remember(result.pid),result}catch(error){let translated2=error instanceof CommandError?nftErrorOf(error):error;
if(!(translated2 instanceof NftError)||translated2.code!=="NFT_BUSY"||attempt>=attempts)throw translated2}}};var NftChoice=class{options;#endingOwners=new EndingOwners;#commits=new NftCommits;#chosen;constructor(options){this.options=
options}chosen(){return this.#chosen??=this.#choose().catch(error=>{throw this.#chosen=void 0,error}),this.#chosen}create(){
return new ChosenNft(async()=>{let{access:access2,transport}=await this.chosen();return access2==="netlink"?this.#netlink(
transport):this.#program()})}createIsolated(isolated){return new ChosenNft(async()=>{let{access:access2}=await this.chosen();
return access2==="netlink"?createNetlinkNft({namespace:"new"}):createNft({runner:isolated})})}async#choose(){let{access:access2}=this.
options;if(access2==="nft")return{access:access2};let reason=await this.#whyNoNetlink("koffi");if(reason===void 0)return{
access:"netlink",transport:"koffi"};if(access2===void 0&&await this.#isInstalled())return{access:"nft",reason};let otherReason=await this.#whyNoNetlink(
void 0);if(otherReason===void 0)return{access:"netlink",transport:"netlink",reason};if(access2==="netlink")throw new NftError(
"NFT_MISSING",`nf_tables cannot be reached by netlink: ${otherReason}; use the program nft`);return{access:"nft",reason:otherReason}}async#isInstalled(){
let nft=this.#program();try{return await nft.version(),!0}catch(error){return!(error instanceof NftError&&error.code==="\
NFT_MISSING")}finally{nft.close()}}async#whyNoNetlink(transport){if(this.options.runner.networkNamespace===void 0)return"\
programs run in a network namespace that is not known";let nft=this.#netlink(transport);try{await nft.tables("ip");return}catch(error){
return error instanceof NftError&&error.code!=="NFT_PERMISSION_DENIED"?messageOf(error):void 0}finally{nft.close()}}#netlink(transport){
let{networkNamespace:place="own"}=this.options.runner;return createNetlinkNft({...place==="own"?{}:{namespace:place},...transport===
void 0?{}:{transport},endingOwners:this.#endingOwners,commits:this.#commits})}#program(){return createNft({runner:this.options.
runner,endingOwners:this.#endingOwners})}},ChosenNft=class{choose;#nft;constructor(choose){this.choose=choose}async run(transaction){
return(await this.#use()).run(transaction)}async runAll(transactions){await(await this.#use()).runAll(transactions)}async check(transaction){
await(await this.#use()).check(transaction)}async list(family,table){return(await this.#use()).list(family,table)}async listElements(family,table,kind,name){
return(await this.#use()).listElements(family,table,kind,name)}async listCounters(family,table){return(await this.#use()).
listCounters(family,table)}watch(family,table,onChange){let isStopped=!1,stop=()=>{isStopped=!0},ended=(async()=>{let watch=(await this.#use()).
watch(family,table,onChange);isStopped?watch?.stop():watch===void 0?await new Promise(resolve=>{stop=resolve}):(stop=()=>watch.
stop(),await watch.ended)})().catch(()=>{});return{stop:()=>stop(),ended}}close(){this.#nft?.then(nft=>nft.close(),()=>{})}async tables(family){
return(await this.#use()).tables(family)}async version(){return(await this.#use()).version()}#use(){return this.#nft??=this.
choose().catch(error=>{throw this.#nft=void 0,error}),this.#nft}};var KNOWN=new Map,MAX_KNOWN=1e5;function bitsOf(address2){let known=KNOWN.get(address2);if(known!==void 0)return known;let parsed=parseAddress(
address2);if(parsed===void 0)return;let bits=parsed.family==="IPv4"?BigInt(parsed.text.split(".").reduce((sum,octet)=>sum*
256+Number(octet),0)):addressNumber(parsed.text);return KNOWN.size>=MAX_KNOWN&&KNOWN.clear(),KNOWN.set(address2,bits),bits}
function networkOf(text){let[base="",length]=text.split("/"),bits=bitsOf(base);if(bits===void 0)return;let width=base.includes(
":")?128:32,all=(1n<<BigInt(width))-1n;if(length===void 0)return{value:bits,mask:all};let mask=/^\d+$/.test(length)?prefixMask(
width,Number(length)):bitsOf(length);return mask===void 0?void 0:{value:bits&mask,mask}}function prefixMask(width,length){
return(1n<<BigInt(width))-1n^(1n<<BigInt(width-length))-1n}function isIn({value,mask},bits){return(bits&mask)===value}function append(before,item){return{item,before,length:(before?.length??0)+1}}function itemsOf(trail){let items=[];for(let at=trail;at!==
void 0;at=at.before)items.push(at.item);return items.reverse()}var PacketWalker=class{packet;probability;hook;protocol;source;sourceBits;destination;destinationBits;port;originalDestination;inInterface;outInterface;mark;markedBy;connectionMark;priority;translatedBy;destinationDecided;masqueradedBy;sourceDecided;destinationKeptBy;sourceKeptBy;isBalanced;unevenly;isReply;untracked;written;unknown;explains;isNoted;visits;emptyChain;misses;constructor(walker){
this.packet=walker.packet,this.probability=walker.probability,this.hook=walker.hook,this.protocol=walker.protocol,this.source=
walker.source,this.sourceBits=walker.sourceBits,this.destination=walker.destination,this.destinationBits=walker.destinationBits,
this.port=walker.port,this.originalDestination=walker.originalDestination,this.inInterface=walker.inInterface,this.outInterface=
walker.outInterface,this.mark=walker.mark,this.markedBy=walker.markedBy,this.connectionMark=walker.connectionMark,this.priority=
walker.priority,this.translatedBy=walker.translatedBy,this.destinationDecided=walker.destinationDecided,this.masqueradedBy=
walker.masqueradedBy,this.sourceDecided=walker.sourceDecided,this.destinationKeptBy=walker.destinationKeptBy,this.sourceKeptBy=
walker.sourceKeptBy,this.isBalanced=walker.isBalanced,this.unevenly=walker.unevenly,this.isReply=walker.isReply,this.untracked=
walker.untracked,this.written=walker.written,this.unknown=walker.unknown,this.explains=walker.explains,this.isNoted=walker.
isNoted,this.visits=walker.visits,this.emptyChain=walker.emptyChain,this.misses=walker.misses}};function withChanges(walker,changes){
return Object.assign(new PacketWalker(walker),changes)}var PROTOCOL2={TCP:"tcp",UDP:"udp",SCTP:"sctp"};function startWalk(packet,hook,inInterface){
return new PacketWalker({packet,probability:1,hook,protocol:PROTOCOL2[packet.protocol],source:packet.source,sourceBits:bitsOf(
packet.source)??0n,destination:packet.destination,destinationBits:bitsOf(packet.destination)??0n,port:packet.port,originalDestination:packet.
destination,inInterface,outInterface:null,mark:0,markedBy:void 0,connectionMark:0,priority:0,translatedBy:void 0,destinationDecided:!1,
masqueradedBy:void 0,sourceDecided:!1,destinationKeptBy:void 0,sourceKeptBy:void 0,isBalanced:!1,unevenly:!1,isReply:!1,
untracked:!1,written:void 0,unknown:void 0,explains:!0,isNoted:!1,visits:void 0,emptyChain:void 0,misses:void 0})}function translated(walker,address2,port,rule){
let destination2=address2??walker.destination;return withChanges(walker,{destination:destination2,destinationBits:bitsOf(
destination2)??0n,port:port??walker.port,translatedBy:rule,destinationDecided:!0})}var INDEXED_FROM=8,INDEXES=new WeakMap,RuleIndex=class{#rules;#others=[];#byDestination=new Map;#byPort=new Map;constructor(rules){
this.#rules=rules;for(let[index,{destination:destination2,port}]of rules.entries())destination2!==void 0?put(this.#byDestination,
destination2,index):port!==void 0?put(this.#byPort,port,index):this.#others.push(index)}candidates({destination:destination2,
port}){let found=[...this.#byDestination.get(destination2)?.filter(at=>{let only=this.#rules[at]?.port;return only===void 0||
only===port})??[],...this.#byPort.get(port)??[]];return found.length===0?this.#others:[...this.#others,...found].sort((a2,b)=>a2-
b)}};function put(lists,key,index){let list2=lists.get(key);list2===void 0?lists.set(key,[index]):list2.push(index)}function candidatesOf(rules,walker,first){
if(rules.length-first<INDEXED_FROM)return;let index=INDEXES.get(rules);index===void 0&&(index=new RuleIndex(rules),INDEXES.
set(rules,index));let all=index.candidates(walker);return first===0?all:all.filter(at=>at>=first)}var CONTINUE={do:"cont\
inue"},MAX_DEPTH=32;function walkChain(chains,chain,walker){let ends=[];return walkRules(chains,chain,0,walker,0,ends),ends}
function walkRules(chains,chain,first,start2,depth,ends){let{rules}=chain,walker=start2,candidates=candidatesOf(rules,start2,
first),count2=candidates?.length??rules.length-first,staying=[];for(let step=0;step<count2;step++){let index=candidates?.[step]??
first+step,compiled=rules[index],branches=compiled.evaluate(walker);if(branches===void 0)continue;staying.length=0;for(let branch of branches)
follow(chains,compiled,branch,depth,ends,staying);let[next,...further]=staying;for(let one of further)walkRules(chains,chain,
index+1,one,depth,ends);if(next===void 0)return;walker=next}ends.push({walker,end:"passed",by:void 0})}function follow(chains,compiled,{
walker,verdict},depth,ends,staying){switch(verdict.do){case"continue":staying.push(walker);return;case"return":ends.push(
{walker,end:"passed",by:void 0});return;case"accept":case"drop":case"refuse":ends.push({walker,end:verdict.do,by:compiled.
rule});return;case"jump":case"goto":{let target=chains.get(verdict.chain);if(target===void 0||depth>=MAX_DEPTH){staying.
push(withChanges(walker,{unknown:append(walker.unknown,compiled.rule)}));return}let entered=walker.isNoted?noted(walker,
target,depth+1):walker,inner=[];walkRules(chains,target,0,entered,depth+1,inner);for(let end of inner)end.end!=="passed"?
ends.push(end):verdict.do==="jump"?staying.push(end.walker):ends.push(end);return}}}function noted(walker,target,depth){
let visit={table:target.table,chain:target.name,depth},emptyChain=walker.emptyChain??(target.rules.length===0?visit:void 0);
return withChanges(walker,{visits:append(walker.visits,visit),emptyChain})}var TABLES2={local:"local",255:"local",main:"main",254:"main",default:"default",253:"default"};function parsePolicyRules(text){
let rules=text.split(`
`).flatMap(line=>line.trim()===""?[]:[parseRule(line.trim().replace(/^\d+:\s+/,"").split(/\s+/))]);return rules.every(({
table})=>table!=="other")?[]:rules}function parseRule(words){let source,destination2,mark,isPartlyKnown=!1,table="other";
for(let at=0;at<words.length;at+=2){let[word="",value=""]=words.slice(at,at+2);switch(word){case"from":case"to":{let network=networkOf(
value);isPartlyKnown||=network===void 0&&value!=="all",word==="from"?source=network:destination2=network;break}case"fwma\
rk":{let[bits=Number.NaN,mask=4294967295]=value.split("/").map(Number);isPartlyKnown||=Number.isNaN(bits)||Number.isNaN(
mask),mark={value:bits,mask};break}case"lookup":table=TABLES2[value]??"other";break;case"proto":break;default:isPartlyKnown=
!0}}return{source,destination:destination2,mark,isPartlyKnown,table}}function usesMainTable(rules,packet,hasRoute){for(let rule of rules)
if(mayMatch(rule,packet)){if(rule.table==="other")return!1;if(rule.table==="main"&&!rule.isPartlyKnown&&hasRoute)return!0}
return!0}function mayMatch({source,destination:destination2,mark,isPartlyKnown},packet){if(isPartlyKnown)return!0;let isFrom=source===
void 0||isIn(source,bitsOf(packet.source)??0n),isTo=destination2===void 0||isIn(destination2,bitsOf(packet.destination)??
0n);return isFrom&&isTo&&(mark===void 0||(packet.mark&mark.mask)>>>0===mark.value>>>0)}var PathHost=class{facts;isForeign;ignores;hasBridges;#sets=new Map;#routes=new Map;constructor(facts,isForeign=()=>!1,ignores=()=>!1){
this.facts=facts,this.isForeign=isForeign,this.ignores=ignores,this.hasBridges=facts.bridges.size>0}isLocal(address2){return isLoopback(
address2)||this.facts.localAddresses.has(address2)||this.isVirtual(address2)}isVirtual(address2){return this.facts.virtualAddresses?.
has(address2)??!1}#mainRoute(address2){let{routes}=this.facts;if(routes===void 0)return;let known=this.#routes.get(address2);
if(known!==void 0)return known;let bits=bitsOf(address2)??0n,found=routes.find(({network})=>isIn(network,bits))??null;return this.#routes.
size<1e5&&this.#routes.set(address2,found),found}routeOf(packet){let{policyRules}=this.facts,route=this.#mainRoute(packet.
destination);return policyRules!==void 0&&(policyRules.length===0||usesMainTable(policyRules,packet,route!==null))?route:
void 0}interfaceOf(packet){if(this.isLocal(packet.destination))return"lo";let route=this.routeOf(packet);return route===
void 0?void 0:route?.interfaceName??null}sysctl(name){let text=this.facts.sysctls.get(name);return text===void 0?void 0:
Number(text)}set(name){if(!this.#sets.has(name)){let set=this.facts.sets.get(name);this.#sets.set(name,set===void 0?void 0:
indexSet(set))}return this.#sets.get(name)}redirectAddress({hook,inInterface,destination:destination2}){return hook==="o\
utput"?this.facts.family==="IPv4"?"127.0.0.1":"::1":this.isLocal(destination2)?destination2:inInterface?this.facts.addressesOf.
get(inInterface)?.[0]:void 0}};function isLoopback(address2){return address2.startsWith("127.")||address2==="::1"}function indexSet(set){
let exact=new Map,networks=new Map;for(let{address:address2,port,protocol,second,network,mark}of set.entries){let service2=port===
void 0?address2:`${address2},${(protocol??"TCP").toLowerCase()}:${port}`;if(network===void 0){exact.set(second===void 0?
service2:`${service2},${second}`,mark);continue}let[base="",length=""]=network.split("/"),width=base.includes(":")?128:32,
mask=(1n<<BigInt(width))-1n^(1n<<BigInt(width-Number(length||width)))-1n,list2=networks.get(service2)??[];list2.push({network:{
value:(bitsOf(base)??0n)&mask,mask},mark}),networks.set(service2,list2)}let find=(walker,sides)=>{let addressOf2=side=>side===
"src"?walker.source:walker.destination,portOf=side=>side==="src"?walker.packet.sourcePort:walker.port,first=addressOf2(sides[0]);
if(set.type==="hash:ip")return exact.has(first)?{mark:exact.get(first)}:void 0;let service2=`${first},${walker.protocol}\
:${portOf(sides[1])}`;if(set.type==="hash:ip,port,net"){let bits=sides[2]==="src"?walker.sourceBits:walker.destinationBits;
return networks.get(service2)?.find(({network})=>isIn(network,bits))}let key=set.type==="hash:ip,port"?service2:`${service2}\
,${addressOf2(sides[2])}`;return exact.has(key)?{mark:exact.get(key)}:void 0};return{has:(walker,sides)=>find(walker,sides)===
void 0?0:1,markOf:(walker,sides)=>{let found=find(walker,sides);return found===void 0?null:found.mark??0}}}var STAGE_PRIORITY={output:-98,input:98},NetfilterPath=class{family;localAddresses;interfaces;unread;#host;#hooks=new Map;#stage;constructor({
family,host,chains,unread=[],stage}){this.family=family,this.#host=host,this.#stage=stage,this.unread=unread,this.localAddresses=
host.facts.localAddresses,this.interfaces=[...host.facts.addressesOf.keys()];for(let hook of["prerouting","input","forwa\
rd","output","postrouting"]){let those=chains.filter(one=>one.hook===hook&&(one.type==="nat"||one.policy==="drop"||one.chain.
rules.length>0));this.#hooks.set(hook,this.#withStage(inOrder(those,hook),hook))}}#withStage(chains,hook){let priority=STAGE_PRIORITY[hook];
if(this.#stage===void 0||priority===void 0)return chains;let at=chains.findIndex(chain=>placeOf(chain,hook)>priority);return at<
0?[...chains,"stage"]:[...chains.slice(0,at),"stage",...chains.slice(at)]}outcomesOf(packet,explains=!0){let outcomes=this.#outcomesFrom(
packet,explains);if(packet.entry.kind!=="host"||!this.#host.isVirtual(packet.destination))return outcomes;let text=`${packet.
destination} is the source address of processes that choose none, and is kept`,unanswered=this.#outcomesFrom({...packet,
source:packet.destination},explains).filter(({verdict,destination:destination2,masqueraded})=>verdict==="accepted"&&destination2&&
!masqueraded).map(outcome=>({...outcome,verdict:"dropped",decidedBy:{system:"ipvs",text}}));return unanswered.length>0&&
outcomes.every(({verdict})=>verdict==="accepted")?unanswered:outcomes}#outcomesFrom(packet,explains){let ends=[],fromHost=packet.
entry.kind==="host",hook=fromHost?"output":"prerouting",start2=withChanges(startWalk(packet,hook,fromHost?null:this.#inputInterface(
packet)),{explains}),first=fromHost?withChanges(start2,{outInterface:this.#outInterface(start2)}):start2,martian=fromHost?
void 0:this.#reversePathRule(first);return martian!==void 0?ends.push({walker:first,verdict:"dropped",by:martian}):this.#pass(
hook,first,ends,walker=>fromHost?this.#afterOutput(walker,ends):this.#route(walker,ends)),summarise(ends,this.#stage)}#inputInterface({
source,destination:destination2,entry}){return entry.kind==="interface"&&entry.name!==void 0?entry.name:this.#host.routeOf(
{source:destination2,destination:source,mark:0})?.interfaceName}#outInterface(walker){return this.#host.isLocal(walker.destination)?
"lo":this.#host.routeOf(walker)?.interfaceName}#reversePathRule({source,destination:destination2,inInterface}){if(this.family!==
"IPv4")return;let name=`net/ipv4/conf/${inInterface??"all"}/rp_filter`,all=this.#host.sysctl("net/ipv4/conf/all/rp_filte\
r")??0,own=this.#host.sysctl(name)??0,mode=Math.max(all,own),back=this.#host.routeOf({source:destination2,destination:source,
mark:0});return mode===0||back===void 0||back?.interfaceName!==void 0&&(mode===2||!inInterface||back.interfaceName===inInterface)?
void 0:sysctlRule(all>=own?"net/ipv4/conf/all/rp_filter":name,mode)}#route(walker,ends){if(this.#host.isLocal(walker.destination)){
this.#deliver(walker,ends);return}this.#forward(walker,ends)}#forward(start2,ends){let blocked=this.#forwardingRule(start2);
if(blocked!==void 0){ends.push({walker:start2,verdict:"dropped",by:blocked});return}let outInterface=this.#outInterface(
start2),walker=withChanges(start2,{hook:"forward",outInterface});this.#pass("forward",walker,ends,passed=>this.#pass("po\
strouting",withChanges(passed,{hook:"postrouting"}),ends,left=>{let bridge=this.#bridgeRule(left);ends.push(bridge===void 0?
{walker:left,verdict:"accepted",by:left.translatedBy}:{walker:left,verdict:"dropped",by:bridge})}))}#forwardingRule({inInterface}){
let name=(this.family==="IPv4"?[...inInterface?[`net/ipv4/conf/${inInterface}/forwarding`]:[],"net/ipv4/ip_forward"]:["n\
et/ipv6/conf/all/forwarding"]).find(candidate=>this.#host.sysctl(candidate)!==void 0);if(name===void 0||this.#host.sysctl(
name)!==0)return;let all=this.family==="IPv4"?"net/ipv4/ip_forward":name;return sysctlRule(this.#host.sysctl(all)===0?all:
name,0)}#bridgeRule({inInterface,outInterface,translatedBy,masqueradedBy}){if(!inInterface||inInterface!==outInterface||
translatedBy===void 0||masqueradedBy!==void 0)return;let name=`net/bridge/bridge-nf-call-${this.family==="IPv4"?"iptable\
s":"ip6tables"}`;return this.#host.facts.bridges.has(inInterface)&&this.#host.sysctl(name)===0?sysctlRule(name,0):void 0}#afterOutput(start2,ends){
let outInterface=this.#outInterface(start2);if(isLoopback(start2.source)&&!this.#host.isLocal(start2.destination)&&this.
family==="IPv4"){let name=`net/ipv4/conf/${outInterface??"all"}/route_localnet`;if(this.#host.sysctl("net/ipv4/conf/all/\
route_localnet")===0&&(this.#host.sysctl(name)??0)===0){ends.push({walker:start2,verdict:"dropped",by:sysctlRule("net/ip\
v4/conf/all/route_localnet",0)});return}}let walker=withChanges(start2,{hook:"postrouting",outInterface});this.#pass("po\
strouting",walker,ends,left=>{if(!this.#host.isLocal(left.destination)){ends.push({walker:left,verdict:"accepted",by:left.
translatedBy});return}let looped=withChanges(left,{hook:"prerouting",inInterface:"lo",outInterface:null});this.#pass("pr\
erouting",looped,ends,arrived=>this.#deliver(arrived,ends),!0)})}#deliver(start2,ends){this.#pass("input",withChanges(start2,
{hook:"input"}),ends,passed=>ends.push({walker:passed,verdict:"accepted",by:passed.translatedBy}))}#leaveStage(start2,ends){
let blocked=start2.packet.entry.kind==="host"?void 0:this.#forwardingRule(start2);if(blocked!==void 0){ends.push({walker:start2,
verdict:"dropped",by:blocked});return}let walker=withChanges(start2,{hook:"output",isBalanced:!0,outInterface:this.#outInterface(
start2)});this.#pass("output",walker,ends,passed=>this.#pass("postrouting",withChanges(passed,{hook:"postrouting"}),ends,
left=>this.#answer(left,ends)),!0)}#answer(left,ends){let{packet,destination:destination2,port}=left,answered=walker=>{ends.
push({walker:withChanges(left,{unknown:walker.unknown}),verdict:"accepted",by:left.translatedBy})};if(packet.entry.kind===
"host"||this.#host.isLocal(destination2)){answered(left);return}let back={...packet,source:destination2,sourcePort:port,
destination:packet.source,port:packet.sourcePort},reply=withChanges(startWalk(back,"forward",this.#outInterface(left)),{
probability:left.probability,unknown:left.unknown,isReply:!0,isBalanced:!0}),ended=[];this.#pass("forward",withChanges(reply,
{outInterface:this.#outInterface(reply)}),ended,answered);for(let{walker,verdict,by}of ended)ends.push({walker:withChanges(
left,{unknown:walker.unknown}),verdict,by})}#pass(hook,start2,ends,then,withoutNat=!1){let chains=this.#hooks.get(hook)??
[],isSource=hook==="postrouting"||hook==="input",step=(walker,index)=>{let base=chains[index];if(base===void 0){then(walker);
return}if(base==="stage"){let staged=walker.isBalanced?void 0:this.#stage?.balance(walker);staged===void 0&&step(walker,
index+1);for(let{walker:left,verdict,by}of staged??[])verdict==="forwarded"&&hook==="input"&&this.#host.isLocal(left.destination)?
step(left,index+1):verdict==="forwarded"?this.#leaveStage(left,ends):ends.push({walker:left,verdict,by});return}let isDecided=isSource?
walker.sourceDecided:walker.destinationDecided;if(base.type==="nat"&&(isDecided||withoutNat||walker.untracked)){step(walker,
index+1);return}let before=base.type!=="nat"||isSource||walker.destinationDecided||!walker.explains?walker:withChanges(walker,
{isNoted:!0,visits:append(walker.visits,visitOf(base))});for(let{walker:ended,end,by}of walkChain(base.chains,base.chain,
before)){let noted2=ended.isNoted?withChanges(ended,{isNoted:!1}):ended,left=base.type==="nat"&&end==="accept"&&by!==void 0?
keptBy(noted2,by,isSource):noted2;end==="drop"||end==="passed"&&base.policy==="drop"?ends.push({walker:left,verdict:"dro\
pped",by:by??base.policyRule}):end==="refuse"?ends.push({walker:left,verdict:"refused",by}):step(rerouted(this.#host,left,
walker),index+1)}};step(start2,0)}};function rerouted(host,left,before){if(left.hook!=="output"||left.destination===before.
destination||left.outInterface===null)return left;let outInterface=host.isLocal(left.destination)?"lo":host.routeOf(left)?.
interfaceName;return withChanges(left,{outInterface})}function keptBy(walker,by,isSource){return isSource?walker.masqueradedBy===
void 0?withChanges(walker,{sourceKeptBy:by}):walker:walker.translatedBy===void 0?withChanges(walker,{destinationKeptBy:by}):
walker}function visitOf({chain}){return{table:chain.table,chain:chain.name,depth:0}}function inOrder(chains,hook){return[
...chains].sort((a2,b)=>placeOf(a2,hook)-placeOf(b,hook)||a2.priority-b.priority)}function placeOf({type,priority},hook){
return type==="nat"?hook==="postrouting"||hook==="input"?100:-100:priority}function sysctlRule(name,value){return{system:"\
sysctl",text:`${name.replaceAll("/",".")} = ${value}`,foreign:!0}}function summarise(ends,stage){let outcomes=new Map;for(let{
walker,verdict,by}of ends){let{translatedBy,masqueradedBy}=walker,destination2=translatedBy===void 0?void 0:joinHostPort(
walker.destination,walker.port),unknown2=itemsOf(walker.unknown),assumed=unknown2.map(({table,chain,text})=>`${table} ${chain}\
 ${text}`).join(`
`),key=`${verdict} ${destination2??""} ${masqueradedBy===void 0?"":"masqueraded"} ${assumed}`,known=outcomes.get(key),emptyChain=walker.
emptyChain&&`chain ${walker.emptyChain.chain} of table ${walker.emptyChain.table}`;if(known!==void 0){known.probability+=
walker.probability,emptyChain!==void 0&&(known.emptyChain??=emptyChain);continue}outcomes.set(key,{probability:walker.probability,
verdict,destination:destination2,masqueraded:masqueradedBy!==void 0,decidedBy:by,...masqueradedBy===void 0?{}:{masqueradedBy},
...walker.mark===0?{}:{mark:walker.mark},...walker.markedBy===void 0?{}:{markedBy:walker.markedBy},...destination2===void 0&&
walker.explains?{missed:missedText(walker,stage)}:{},...emptyChain===void 0?{}:{emptyChain},...walker.sourceKeptBy===void 0?
{}:{sourceKeptBy:walker.sourceKeptBy},...walker.unevenly?{unevenly:!0}:{},unknown:unknown2})}return[...outcomes.values()]}
function missedText(walker,stage){if(walker.destinationKeptBy!==void 0)return`${describePathRule(walker.destinationKeptBy)}\
 ends the search for another destination`;if(stage!==void 0)return stage.missed(walker);let misses=itemsOf(walker.misses);
if(misses.length>0)return[...new Set(misses)].join(", and ");let visits=itemsOf(walker.visits),deepest;for(let visit of visits)
(deepest===void 0||visit.depth>deepest.depth||visit.depth===deepest.depth&&visit.depth>0)&&(deepest=visit);return deepest===
void 0?"no table that translates addresses has a rule for it":deepest.depth===0?`no rule of chain ${deepest.chain} of ta\
ble ${deepest.table} leads to it`:`chain ${deepest.chain} of table ${deepest.table} ends without a rule that applies`}var EVEN_SCHEDULERS=new Set(["rr","wrr","lc","wlc","sed","nq","sh","mh"]),WEIGHTED_SCHEDULERS=new Set(["wrr","wlc","sed",
"sh","mh"]),FORWARDING={0:"masquerading",1:"local",2:"tunnelling",3:"direct routing"},IpvsStage=class{family;host;interfaceName;#byKey=new Map;#tracks;constructor(family,servers,host,interfaceName){
this.family=family,this.host=host,this.interfaceName=interfaceName;for(let server of servers)server.virtual.at.family===
family&&this.#byKey.set(virtualServerKey(server.virtual.at),server);this.#tracks=host.sysctl("net/ipv4/vs/conntrack")!==
0}balance(walker){let server=this.#find(walker);if(server===void 0)return;let{virtual,reals}=server,table=virtualServerKey(
virtual.at),usable=reals.filter(({weight})=>weight>0);if(usable.length===0){let text=reals.length===0?"no real servers":
"no real server with a weight above 0";return[{walker,verdict:"refused",by:{system:"ipvs",table,text}}]}let isWeighted=WEIGHTED_SCHEDULERS.
has(virtual.scheduler),sum=usable.reduce((total,{weight})=>total+(isWeighted?weight:1),0);return usable.map(real=>{let by={
system:"ipvs",table,text:describeReal(real)},probability=walker.probability*(isWeighted?real.weight:1)/sum,share=withChanges(
walker,{probability,unevenly:real.connectionLimit>0||!EVEN_SCHEDULERS.has(virtual.scheduler)});if(real.forwarding!==0)return{
walker:share,verdict:"dropped",by};let sent=translated(share,real.address,real.port===0?void 0:real.port,by);return{walker:this.#tracks?
sent:untracked(sent),verdict:"forwarded",by}})}missed({destination:destination2,mark,packet,port}){let{family}=this,at=virtualServerKey(
{kind:"address",family,protocol:packet.protocol,address:destination2,port});if(packet.entry.kind!=="host"&&!this.host.isLocal(
destination2))return`interface ${this.interfaceName} does not have the address ${destination2}`;let marked=`for the mark\
 0x${mark.toString(16)}`;return this.#byKey.has(at)?mark===0?`virtual server ${at} does not get it`:`IPVS has no virtual\
 server ${marked}`:`IPVS has no virtual server ${at}${mark===0?"":`, and none ${marked}`}`}#find({mark,packet,destination:destination2,
port}){let{family}=this,marked=mark===0?void 0:this.#byKey.get(virtualServerKey({kind:"mark",family,mark}));if(marked!==
void 0)return marked;let at={kind:"address",family,protocol:packet.protocol,address:destination2};return this.#byKey.get(
virtualServerKey({...at,port}))??this.#byKey.get(virtualServerKey({...at,port:0}))}};function untracked(walker){return withChanges(
walker,{untracked:!0,sourceKeptBy:sysctlRule("net/ipv4/vs/conntrack",0)})}function describeReal({address:address2,port,weight,
forwarding}){let host=address2.includes(":")?`[${address2}]`:address2,method=forwarding===0?"":` by ${FORWARDING[forwarding]??
`method ${forwarding}`}`;return`real server ${host}:${port} with weight ${weight}${method}`}var VERDICTS=new Set(["accept","drop","reject","return","continue","notrack"]),PAYLOADS=new Set(["ip","ip6","th","tcp","\
udp","sctp"]),COMPARISONS2=new Set(["==","!=","<",">","<=",">="]),NAT_FLAGS2=new Set(["random","fully-random","persisten\
t"]),CALCULATIONS=new Set(["|","&","^"]),NotSupported=class extends Error{};function parseNftRule(text){let parser=new RuleParser(
text.match(/"[^"]*"|[{},]|[^\s{},]+/g)??[]);try{return parser.statements()}catch(error){if(error instanceof NotSupported)
return[{[text]:null}];throw error}}function parseNftElement(text,isVerdict=!1){if(isVerdict)return parseNftRule(text)[0];
let parts=text.split(" . ").map(operandOf);return parts.length===1?parts[0]:{concat:parts}}function operandOf(word){let[
,addr,bits]=/^([\da-f.:]+)\/(\d+)$/.exec(word)??[];if(addr!==void 0&&bits!==void 0)return{prefix:{addr,len:Number(bits)}};
let[,first,last]=/^(\d+)-(\d+)$/.exec(word)??[];return first!==void 0&&last!==void 0?{range:[Number(first),Number(last)]}:
/^0x[\da-f]+$/.test(word)?Number(word):word.replaceAll('"',"")}var RuleParser=class{words;#at=0;constructor(words){this.
words=words}statements(){let statements=[];for(;this.#at<this.words.length;)statements.push(this.#statement());return statements}#statement(){
let word=this.#peek()??"";if(this.#takeAll("tcp","flags","&","syn","==","0"))return{match:{op:"!",left:{payload:{protocol:"\
tcp",field:"flags"}},right:"syn"}};if(this.#takeAll("reject","with","tcp","reset"))return{reject:{type:"tcp reset"}};if(VERDICTS.
has(word))return this.#next(),{[word]:null};switch(word){case"jump":case"goto":return this.#next(),{[word]:{target:this.#next()}};case"\
masquerade":return this.#next(),this.#skipNatFlags(),{masquerade:null};case"dnat":return this.#destination();case"add":case"\
update":case"delete":return this.#write();case"counter":return this.#next(),{counter:this.#take("name")?this.#expression():
null}}if((word==="meta"||word==="ct")&&this.words[this.#at+2]==="set"){let key={[word]:{key:this.words[this.#at+1]}};return this.#at+=
3,{mangle:{key,value:this.#expression()}}}let left=this.#expression();return this.#take("vmap")?{vmap:{key:left,data:this.#next()}}:
{match:{op:COMPARISONS2.has(this.#peek()??"")?this.#next():"==",left,right:this.#right()}}}#destination(){this.#next();let family=this.#next();
if(!this.#take("to"))throw new NotSupported("dnat without a family");let[word=""]=[this.#peek()],[,six,four,port]=/^(?:\[([\da-f:.]+)\]|(\d+\.[\d.]+)):(\d+)$/.
exec(word)??[],[,lone,sixOf,fourOf,protocol]=/^(?:([\da-f]*:[\da-f:.]+|\d+\.[\d.]+)|(?:\[([\da-f:.]+)\]|(\d+\.[\d.]+)):(tcp|udp|sctp))$/.
exec(word)??[];if(protocol!==void 0){this.#next();let key={payload:{protocol,field:this.#next()}};return this.#expect("m\
ap"),{dnat:{family,addr:sixOf??fourOf,port:{map:{key,data:this.#next()}}}}}return lone!==void 0?(this.#next(),{dnat:{family,
addr:lone}}):port===void 0?{dnat:{family,addr:this.#expression()}}:(this.#next(),this.#skipNatFlags(),{dnat:{family,addr:six??
four,port:Number(port)}})}#write(){let op=this.#next(),name=this.#next();this.#expect("{");let elem=this.#expression();this.#take(
"timeout")&&this.#next();let data=this.#take(":")?this.#expression():void 0;return this.#expect("}"),data===void 0?{set:{
op,elem,set:name}}:{map:{op,elem,data,map:name}}}#expression(){let left=this.#concatenation();for(;CALCULATIONS.has(this.#peek()??
"");)left={[this.#next()]:[left,this.#operand()]};return this.#take("map")?{map:{key:left,data:this.#next()}}:left}#concatenation(){
let parts=[this.#operand()];for(;this.#take(".");)parts.push(this.#operand());return parts.length===1?parts[0]:{concat:parts}}#operand(){
let word=this.#next();if(PAYLOADS.has(word))return{payload:{protocol:word,field:this.#next()}};switch(word){case"meta":return{
meta:{key:this.#next()}};case"ct":return this.#connection();case"iifname":case"oifname":return{meta:{key:word}};case"fib":{
let flags=[this.#next()];return{fib:{result:this.#next(),flags}}}case"numgen":{let mode=this.#next();this.#expect("mod");
let mod=Number(this.#next());return{numgen:{mode,mod,offset:this.#take("offset")?Number(this.#next()):0}}}case"jhash":{let expr=this.#concatenation();
this.#expect("mod");let mod=Number(this.#next());return this.#take("seed")&&this.#next(),{jhash:{expr,mod,offset:this.#take(
"offset")?Number(this.#next()):0}}}}if(!/^(?:0x[\da-f]+|[\da-f]*:?[\da-f]+)$/.test(word))throw new NotSupported(word);return operandOf(
word)}#connection(){let key=this.#next();if(key!=="original"&&key!=="reply")return{ct:{key}};let field=this.#next();return{
ct:{key:field==="ip"||field==="ip6"?`${field} ${this.#next()}`:field,dir:key}}}#right(){if(!this.#take("{"))return operandOf(
this.#next());let values=[];do values.push(operandOf(this.#next()));while(this.#take(","));return this.#expect("}"),{set:values}}#skipNatFlags(){
for(;NAT_FLAGS2.has(this.#peek()??"");)this.#next()}#peek(){return this.words[this.#at]}#next(){let word=this.words[this.#at++];
if(word===void 0)throw new NotSupported("the end of the rule");return word}#take(word){return this.#peek()!==word?!1:(this.#at++,
!0)}#takeAll(...words){return words.some((word,index)=>this.words[this.#at+index]!==word)?!1:(this.#at+=words.length,!0)}#expect(word){
if(!this.#take(word))throw new NotSupported(`${this.#peek()} instead of ${word}`)}};var UNKNOWN=-1;function chance(holds){return holds?1:0}function negated(value){return value===UNKNOWN?UNKNOWN:1-value}function allOf(tests,walker){
let product=1,unknown2=!1;for(let test of tests){let value=test(walker);if(value===0)return 0;value===UNKNOWN?unknown2=!0:
product*=value}return unknown2?UNKNOWN:product}function assuming(walker,rule){for(let at=walker.unknown;at!==void 0;at=at.
before)if(at.item===rule)return walker;return withChanges(walker,{unknown:append(walker.unknown,rule)})}function anyVerdict(walker,rule){
let assumed=assuming(walker,rule);return[CONTINUE,{do:"accept"},{do:"drop"}].map(verdict=>({walker:assumed,verdict}))}var PROTOCOL_NUMBERS3={6:"tcp",17:"udp",132:"sctp"},WITHOUT_OPTIONS=new Set(["socket","ipv6header","eui64","unclean"]),unknown=()=>UNKNOWN,
always=()=>1,never=()=>0;function readConditions(words,host){return new ConditionReader(words,host).read()}var ConditionReader=class{words;host;#at=0;#tests=[];constructor(words,host){
this.words=words,this.host=host}read(){for(;this.#at<this.words.length;){let not=this.#take("!"),word=this.#next();switch(word){case"\
-s":case"-d":{this.#add(not,addressTest(word==="-s"?"source":"destination",this.#next()));break}case"-i":case"-o":this.#add(
not,interfaceTest(word==="-i"?"inInterface":"outInterface",this.#next()));break;case"-p":{let name=this.#next(),protocol=PROTOCOL_NUMBERS3[name]??
name;this.#add(not,walker=>chance(protocol==="all"||protocol==="0"||walker.protocol===protocol));break}case"-f":this.#add(
not,never);break;case"-m":this.#match(this.#next());break;case"-j":case"-g":return{tests:this.#tests,target:{name:this.#next(),
isGoto:word==="-g",options:this.words.slice(this.#at)}};default:this.#tests.push(unknown),this.#skipOptions()}}return{tests:this.#tests,
target:void 0}}#add(not,test){test===always&&!not||this.#tests.push(not?walker=>negated(test(walker)):test)}#match(name){
if(name==="rpfilter"){this.#add(!1,this.#reversePath());return}for(WITHOUT_OPTIONS.has(name)&&this.#add(!1,unknown);this.#at<
this.words.length;){let at=this.#at,not=this.#take("!"),option=this.words[this.#at]??"";if(!option.startsWith("--")){this.#at=
at;return}this.#at++;let values=[];for(;this.#at<this.words.length&&!/^(?:--?[a-z]|!$)/.test(this.words[this.#at]??"");)
values.push(this.#next());this.#add(not,this.#option(name,option.slice(2),values))}}#option(match,option,values){let[value=""]=values;
switch(match){case"comment":case"nfacct":return always;case"tcp":case"udp":case"sctp":case"multiport":return portOption(
match,option,values);case"conntrack":case"state":return conntrackOption(option,value);case"mark":return maskedTest(value,
({mark})=>mark);case"connmark":return maskedTest(value,({connectionMark})=>connectionMark);case"addrtype":return this.#addressType(
option,value);case"set":return option==="match-set"?setTest(value,values[1]??"",this.host):unknown;case"statistic":return statisticOption(
option,values);case"recent":return option==="rcheck"||option==="update"||option==="remove"?never:always;case"physdev":return option===
"physdev-is-bridged"||this.host.hasBridges===!1?never:unknown;case"icmp":case"icmp6":case"icmpv6":case"ah":case"esp":return never;case"\
owner":return walker=>walker.packet.entry.kind==="host"?UNKNOWN:0;case"iprange":return rangeTest(option==="src-range"?"s\
ource":"destination",value);default:return unknown}}#reversePath(){let options=new Set;for(;/^--(?:loose|validmark|accept-local|invert)$/.
test(this.words[this.#at]??"");)options.add(this.#next());let isReached=({source,destination:destination2,mark,inInterface})=>{
if(inInterface==="lo"||inInterface===null)return 1;let back=this.host.interfaceOf({source:destination2,destination:source,
mark:options.has("--validmark")?mark:0});return back==="lo"?options.has("--accept-local")?options.has("--loose")?1:UNKNOWN:
0:back===null?0:options.has("--loose")?1:back===void 0||inInterface===void 0?UNKNOWN:chance(back===inInterface)};return options.
has("--invert")?walker=>negated(isReached(walker)):isReached}#addressType(option,value){if(option!=="src-type"&&option!==
"dst-type")return unknown;let types=value.split(",");return walker=>{let address2=option==="src-type"?walker.source:walker.
destination;return this.host.isLocal(address2)?chance(types.includes("LOCAL")):types.includes("UNICAST")?1:chance(types.
includes("UNSPEC")&&/^[0:.]+$/.test(address2))}}#skipOptions(){for(;this.#at<this.words.length&&!/^-[mjgsdiop]$/.test(this.
words[this.#at]??"");)this.#at++}#next(){return this.words[this.#at++]??""}#take(word){return this.words[this.#at]!==word?
!1:(this.#at++,!0)}};function addressTest(side,text){let network=networkOf(text);return network===void 0?unknown:side===
"source"?({sourceBits})=>chance(isIn(network,sourceBits)):({destinationBits})=>chance(isIn(network,destinationBits))}function interfaceTest(side,pattern,wildcard="\
+"){let isPrefix=pattern.endsWith(wildcard),text=isPrefix?pattern.slice(0,-1):pattern;return walker=>{let name=walker[side];
return name===void 0?UNKNOWN:chance(name!==null&&(isPrefix?name.startsWith(text):name===text))}}function rangeTest(side,text){
let[first,last]=text.split("-").map(bitsOf);return first===void 0||last===void 0?unknown:walker=>{let bits=side==="sourc\
e"?walker.sourceBits:walker.destinationBits;return chance(bits>=first&&bits<=last)}}function portOption(match,option,values){
let[value=""]=values,ranges=value.split(",").map(range=>{let[first="",last=first]=range.split(":");return[Number(first||
0),Number(last||65535)]}),has=port=>chance(ranges.some(([first,last])=>port>=first&&port<=last)),ofProtocol=test=>walker=>match===
"multiport"||walker.protocol===match?test(walker):0;switch(option){case"dport":case"dports":return ofProtocol(({port})=>has(
port));case"sport":case"sports":return ofProtocol(({packet})=>has(packet.sourcePort));case"ports":return({port,packet})=>chance(
has(port)===1||has(packet.sourcePort)===1);case"tcp-flags":{let set=(values[1]??"").split(","),isSyn=value.split(",").every(
flag=>set.includes(flag)===(flag==="SYN"));return ofProtocol(({isReply})=>isReply?UNKNOWN:chance(isSyn))}default:return unknown}}
function conntrackOption(option,value){switch(option){case"ctstate":case"state":{let states=value.split(",");return walker=>chance(
walker.untracked?states.includes("UNTRACKED"):states.includes(walker.isReply?"ESTABLISHED":"NEW")||walker.translatedBy!==
void 0&&!walker.isBalanced&&states.includes("DNAT")||walker.masqueradedBy!==void 0&&states.includes("SNAT"))}case"ctorig\
dst":{let network=networkOf(value);return network===void 0?unknown:({originalDestination})=>chance(isIn(network,bitsOf(originalDestination)??
0n))}case"ctorigsrc":{let network=networkOf(value);return network===void 0?unknown:({packet})=>chance(isIn(network,bitsOf(
packet.source)??0n))}case"ctdir":return({isReply})=>chance(value===(isReply?"REPLY":"ORIGINAL"));case"ctorigdstport":return({
packet})=>{let[first="",last=first]=value.split(":");return chance(packet.port>=Number(first)&&packet.port<=Number(last))};case"\
ctstatus":return({isReply})=>isReply?UNKNOWN:chance(value.split(",").includes("NONE"));default:return unknown}}function maskedTest(text,read){
let[value,mask]=text.split("/").map(Number);if(value===void 0||Number.isNaN(value)||Number.isNaN(mask??0))return unknown;
let bits=mask??4294967295;return walker=>chance((read(walker)&bits)>>>0===value>>>0)}function statisticOption(option,values){
let[value=""]=values;switch(option){case"mode":case"packet":return always;case"probability":return()=>Number(value);case"\
every":return()=>1/Number(value);default:return unknown}}function setTest(name,sides,host){let directions=sides.split(",");
return walker=>{let set=host.set(name);return set===void 0?UNKNOWN:set.has(walker,directions)}}var HOOKS={PREROUTING:"prerouting",INPUT:"input",FORWARD:"forward",OUTPUT:"output",POSTROUTING:"postrouting"},PRIORITY={
raw:-300,mangle:-150,filter:0,security:50},WITHOUT_EFFECT2=new Set(["LOG","NFLOG","ULOG","TRACE","AUDIT","TEE","TCPMSS",
"TCPOPTSTRIP","CHECKSUM","CLASSIFY","DSCP","TOS","TTL","HL","ECN","LED","SECMARK","CONNSECMARK","IDLETIMER","RATEEST","S\
YSRQ","ECHO"]),SLICE2=1e3;function*compileIptablesTable(name,table,variant,host){let system=variant==="legacy"?"iptables\
-legacy":"iptables",chains=new Map,cache=new CompiledCache;for(let[chain,{rules}]of table){let place={system,table:name,
chain},compiled=new ChainOnDemand(chain,name,rules,text=>new RuleOnDemand(text,place,table,host,cache),cache);chains.set(
chain,compiled),chains.size%SLICE2===0&&(yield),rules.length>SLICE2&&(yield*compiled.prepare())}let found=[];for(let[chain,
{policy}]of table){let hook=HOOKS[chain],compiled=chains.get(chain);if(hook===void 0||compiled===void 0||policy==="-")continue;
let isSource=hook==="postrouting"||hook==="input";found.push({hook,type:name==="nat"?"nat":"filter",priority:name==="nat"?
isSource?100:-100:PRIORITY[name]??0,chain:compiled,chains,policy:policy==="DROP"?"drop":"accept",policyRule:policyRule(system,
name,chain,{policy,rules:[]},host)})}return found}function policyRule(system,table,chain,{policy},host){let text=`policy\
 ${policy}`;return{system,table,chain,text,foreign:host.isForeign({system,table,chain,text})}}var MAX_COMPILED=4096,CompiledCache=class{#ring=[];#next=0;add(compiled){
this.#ring[this.#next]?.evict(),this.#ring[this.#next]=compiled,this.#next=(this.#next+1)%MAX_COMPILED}},ChainOnDemand=class{name;table;texts;ruleOf;cache;#rules;constructor(name,table,texts,ruleOf,cache){
this.name=name,this.table=table,this.texts=texts,this.ruleOf=ruleOf,this.cache=cache}get rules(){return this.#rules===void 0&&
(this.#rules=this.texts.map(this.ruleOf),this.cache.add(this)),this.#rules}evict(){this.#rules=void 0}*prepare(){let rules=[];
for(let text of this.texts)rules.push(this.ruleOf(text)),rules.length%SLICE2===0&&(yield);this.#rules=rules}},RuleOnDemand=class{text;place;chains;host;cache;destination;port;#compiled;constructor(text,place,chains,host,cache){
this.text=text,this.place=place,this.chains=chains,this.host=host,this.cache=cache;let destination2=onlyDestination(text);
destination2!==void 0&&(this.destination=destination2);let port=onlyPort(text);port!==void 0&&(this.port=port)}get rule(){
return this.#rule.rule}evaluate(walker){return this.#rule.evaluate(walker)}get#rule(){return this.#compiled===void 0&&(this.#compiled=
compileRule(this.text,this.place,this.chains,this.host),this.cache.add(this)),this.#compiled}evict(){this.#compiled=void 0}},
ONE_DESTINATION=/^(?:(?:! )?-s \S+ )?-d (?:([\d.]+)\/32|([\da-fA-F:.]+)\/128)(?: |$)/,ONE_PORT=/ --dport (\d+)(?: |$)/,QUOTED=/"(?:[^"\\]|\\.)*"/g;
function onlyDestination(text){let[,four,six]=ONE_DESTINATION.exec(text)??[];return six===void 0?four:parseAddress(six)?.
text??six}function onlyPort(text){if(!text.includes(" --dport "))return;let plain=text.includes('"')?text.replace(QUOTED,
'""'):text,[found,port]=ONE_PORT.exec(plain)??[];return found===void 0||plain.includes(" !")?void 0:Number(port)}function compileRule(text,place,chains,host){
let{system,table,chain}=place,rule={system,table,chain,text,foreign:host.isForeign({system,table,chain,text})};if(host.ignores(
rule))return{rule,evaluate:()=>{}};let words=splitWords(text);if(words===void 0)return{rule,evaluate:walker=>anyVerdict(
walker,rule)};let{tests,target}=readConditions(words,host);if(target===void 0||WITHOUT_EFFECT2.has(target.name))return{rule,
evaluate:()=>{}};let effect=effectOf2(target.name,target.isGoto,target.options,chains,host);return{rule,evaluate(walker){
let probability=allOf(tests,walker);if(probability===0)return;if(probability===1)return effect(walker,rule);if(probability===
UNKNOWN){let assumed=assuming(walker,rule);return[...effect(assumed,rule),{walker:assumed,verdict:CONTINUE}]}let hit=withChanges(
walker,{probability:walker.probability*probability}),miss=withChanges(walker,{probability:walker.probability*(1-probability)});
return[...effect(hit,rule),{walker:miss,verdict:CONTINUE}]}}}function effectOf2(name,isGoto,options,chains,host){let ends=verdict=>walker=>[
{walker,verdict}],option=flag=>{let at=options.indexOf(flag);return at<0?void 0:options[at+1]??""};if(isGoto||chains.has(
name))return ends({do:isGoto?"goto":"jump",chain:name});switch(name){case"ACCEPT":return ends({do:"accept"});case"DROP":
return ends({do:"drop"});case"REJECT":return ends({do:"refuse"});case"RETURN":return ends({do:"return"});case"MARK":return markEffect(
options);case"CONNMARK":return connectionMarkEffect(options);case"SET":{let[set,sides=""]=options.slice(options.indexOf(
"--map-set")+1);return!options.includes("--map-set")||set===void 0?ends(CONTINUE):(walker,rule)=>{let found=host.set(set)?.
markOf(walker,sides.split(","));return[{walker:found===void 0?assuming(walker,rule):found===null?walker:withChanges(walker,
{mark:found,markedBy:rule}),verdict:CONTINUE}]}}case"DNAT":return destinationEffect(option("--to-destination"));case"RED\
IRECT":return redirectEffect(option("--to-ports"),host);case"MASQUERADE":case"SNAT":return(walker,rule)=>[{walker:withChanges(
walker,{masqueradedBy:rule,sourceDecided:!0}),verdict:{do:"accept"}}];case"NOTRACK":return walker=>[{walker:withChanges(
walker,{untracked:!0}),verdict:CONTINUE}];case"CT":return options.includes("--notrack")?walker=>[{walker:withChanges(walker,
{untracked:!0}),verdict:CONTINUE}]:ends(CONTINUE);default:return anyVerdict}}function numbersOf(text){let[value,mask=4294967295]=(text??
"").split("/").map(Number);return text===void 0||text===""||value===void 0||Number.isNaN(value)||Number.isNaN(mask)?void 0:
[value,mask]}function markEffect(options){let[flag="",text]=options,numbers=numbersOf(text);return(walker,rule)=>{let mark=numbers&&
newMark(flag,walker.mark,...numbers);return[{walker:mark===void 0?assuming(walker,rule):withChanges(walker,{mark,markedBy:rule}),
verdict:CONTINUE}]}}function newMark(flag,mark,value,mask){switch(flag){case"--set-xmark":return(mark&~mask^value)>>>0;case"\
--set-mark":return(mark&~mask|value)>>>0;case"--and-mark":return(mark&value)>>>0;case"--or-mark":return(mark|value)>>>0;case"\
--xor-mark":return(mark^value)>>>0;default:return}}function connectionMarkEffect(options){let[flag="",text]=options,maskOf=name=>{
let at=options.indexOf(name);return at<0?4294967295:Number(options[at+1])},fromMask=maskOf(flag==="--restore-mark"?"--ct\
mask":"--nfmask"),toMask=maskOf(flag==="--restore-mark"?"--nfmask":"--ctmask");return(walker,rule)=>{let{mark,connectionMark}=walker;
if(flag==="--restore-mark"){let restored=(mark&~toMask^connectionMark&fromMask)>>>0;return[{walker:withChanges(walker,{mark:restored}),
verdict:CONTINUE}]}if(flag==="--save-mark"){let saved=(connectionMark&~toMask^mark&fromMask)>>>0;return[{walker:withChanges(
walker,{connectionMark:saved}),verdict:CONTINUE}]}let numbers=numbersOf(text),changed=numbers&&newMark(flag,connectionMark,
...numbers);return[{walker:changed===void 0?assuming(walker,rule):withChanges(walker,{connectionMark:changed}),verdict:CONTINUE}]}}
var DESTINATION2=/^(?:\[([^\]]+)\]|([^[\]:-]+)|([^[\]-]+))?(?::(\d+)(?:-(\d+)\/(\d+))?)?$/;function destinationEffect(to){
let parts=to===void 0?null:/^[^[]*:[^[]*:/.exec(to)?[to,to]:DESTINATION2.exec(to);return(walker,rule)=>{if(parts===null)
return[{walker:{...assuming(walker,rule),destinationDecided:!0},verdict:{do:"accept"}}];let address2=parts[1]??parts[2]??
parts[3],port=parts[4]===void 0?void 0:shiftedPort(Number(parts[4]),parts[5],parts[6],walker.port);return[{walker:translated(
walker,address2,port,rule),verdict:{do:"accept"}}]}}function shiftedPort(first,last,base,port){return last===void 0?first:
first+(port-Number(base))%(Number(last)-first+1)}function redirectEffect(ports,host){return(walker,rule)=>{let address2=host.
redirectAddress(walker),port=ports===void 0?void 0:Number(ports),known=address2!==void 0&&!Number.isNaN(port??0)?walker:
assuming(walker,rule);return[{walker:translated(known,address2,Number.isNaN(port??0)?void 0:port,rule),verdict:{do:"acce\
pt"}}]}}var PROTOCOL_NAMES2={6:"tcp",17:"udp",132:"sctp"};function componentOf(value,type){if(type==="classid"||type==="mark")return String(
classNumber(value)??value);let text=String(value);return type==="inet_proto"?PROTOCOL_NAMES2[text]??text:text.includes("\
:")&&text.includes(".")?parseAddress(text)?.text??text:text}function classNumber(value){if(typeof value=="number")return value;
let text=String(value);if(text==="none")return 0;if(text==="root")return 4294967295;let[,major="",minor=""]=/^([0-9a-f]{0,4}):([0-9a-f]{0,4})$/i.
exec(text)??[];if(text.includes(":")&&(major!==""||minor!==""))return(Number.parseInt(major||"0",16)<<16|Number.parseInt(
minor||"0",16))>>>0;let number2=Number(text);return text===""||Number.isNaN(number2)?void 0:number2}function textOfValue(value){
if(Array.isArray(value))return value.map(textOfValue).join(", ");if(!isRecord(value))return String(value);let[kind=""]=Object.
keys(value),inner=value[kind];if(kind==="concat"&&Array.isArray(inner))return inner.map(textOfValue).join(" . ");if(kind===
"set")return`{ ${textOfValue(inner)} }`;if(Array.isArray(inner))return inner.map(textOfValue).join(kind==="range"?"-":` ${kind}\
 `);if(!isRecord(inner))return kind;switch(kind){case"payload":return`${String(inner.protocol)} ${String(inner.field)}`;case"\
meta":case"ct":return`${kind} ${inner.dir===void 0?"":`${String(inner.dir)} `}${String(inner.key)}`;case"fib":return`fib\
 ${textOfValue(inner.flags)} ${String(inner.result)}`;case"prefix":return`${String(inner.addr)}/${String(inner.len)}`;case"\
map":return`${textOfValue(inner.key)} map ${textOfValue(inner.data)}`;case"numgen":return`numgen ${String(inner.mode)} m\
od ${Number(inner.mod)>>>0}`;case"jhash":return`jhash ${textOfValue(inner.expr)} mod ${Number(inner.mod)>>>0}`;case"jump":case"\
goto":return`${kind} ${String(inner.target)}`;case"elem":return textOfValue(inner.val);default:return kind}}function componentsOf(key,types){
let plain=isRecord(key)&&isRecord(key.elem)?key.elem.val:key,components=(isRecord(plain)&&Array.isArray(plain.concat)?plain.
concat:[plain]).map((part,index)=>{if(!isRecord(part))return part==="*"?{first:0n,last:(1n<<128n)-1n}:componentOf(part,types[index]);
if(isRecord(part.prefix)){let base=bitsOf(String(part.prefix.addr));if(base===void 0)return;let width=String(part.prefix.
addr).includes(":")?128:32,mask=prefixMask(width,Number(part.prefix.len));return{first:base&mask,last:base&mask|(1n<<BigInt(
width))-1n-mask}}if(Array.isArray(part.range)){let[first,last]=part.range.map(end=>numericBits(componentOf(end,types[index])));
return first===void 0||last===void 0?void 0:{first,last}}});return components.every(component=>component!==void 0)?components:
void 0}function numericBits(text){return/^\d+$/.test(text)?BigInt(text):bitsOf(text)}var ElementIndex=class{#exact=new Map;#shapes=new Map;add(components,value){
let at=components.flatMap((component,index)=>typeof component=="string"?[]:[index]);if(at.length===0){this.#exact.set(components.
join(" . "),value);return}let shape=at.join(","),found=this.#shapes.get(shape)??{intervals:at,lists:new Map,sorted:!1};this.#shapes.
set(shape,found);let rest=components.filter(component=>typeof component=="string").join(" . "),list2=found.lists.get(rest)??
[];list2.push({intervals:components.filter(component=>typeof component!="string"),value}),found.lists.set(rest,list2)}find(key){
let exact=this.#exact.get(key);if(exact!==void 0||this.#shapes.size===0)return exact;let parts=key.split(" . ");for(let shape of this.#shapes.
values()){let rest=parts.filter((_part,index)=>!shape.intervals.includes(index)).join(" . "),list2=shape.lists.get(rest);
if(list2===void 0)continue;let bits=shape.intervals.map(index=>numericBits(parts[index]??"")),isHit=({intervals})=>intervals.
every(({first,last},index)=>{let value=bits[index];return value!==void 0&&value>=first&&value<=last});if(shape.intervals.
length===1&&list2.length>16){let hit2=this.#search(shape,list2,bits[0]??-1n);if(hit2!==void 0&&isHit(hit2))return hit2.value;
continue}let hit=list2.find(isHit);if(hit!==void 0)return hit.value}}#search(shape,list2,bits){if(!shape.sorted){for(let one of shape.
lists.values())one.sort((a2,b)=>(a2.intervals[0]?.first??0n)<(b.intervals[0]?.first??0n)?-1:1);shape.sorted=!0}let low=0,
high=list2.length;for(;low<high;){let middle=low+high>>1;(list2[middle]?.intervals[0]?.first??0n)<=bits?low=middle+1:high=
middle}return list2[low-1]}},NftElements=class{written;isOwned;#listed=new Map;#indexes=new Map;constructor(objects,written,isOwned){
this.written=written,this.isOwned=isOwned;for(let[kind,fields]of objects)(kind==="set"||kind==="map")&&this.#listed.set(
String(fields.name),fields)}typesOf(name){let type=this.#listed.get(name)?.type;return Array.isArray(type)?type.map(String):
type===void 0?[]:[String(type)]}setOf(right){return this.#lookup(right,!1)}mapOf(data){return this.#lookup(data,!0)}#lookup(what,isMap){
if(typeof what=="string"&&what.startsWith("@")){let name=what.slice(1);if(!this.#indexes.has(name)){let fields=this.#listed.
get(name);this.#indexes.set(name,fields&&this.#named(name,fields,isMap))}return this.#indexes.get(name)}return isRecord(
what)&&Array.isArray(what.set)?this.#index(what.set,[],isMap,void 0):void 0}#named(name,fields,isMap){let elements=this.
written.has(name)&&this.isOwned()||!Array.isArray(fields.elem)?[]:fields.elem,dataType=typeof fields.map=="string"?fields.
map:void 0,stored=this.#index(elements,this.typesOf(name),isMap,dataType);return stored===void 0||!this.written.has(name)?
stored:{find:(key,walker)=>{let own=walker.written?.get(name)?.get(key);return own===null?void 0:own??stored.find(key,walker)}}}#index(elements,types,isMap,dataType){
let index=new ElementIndex;for(let element of elements){let[key,value]=isMap&&Array.isArray(element)?element:[element,!0],
components=componentsOf(key,types);if(components===void 0)return;index.add(components,dataType==="classid"||dataType==="\
mark"?classNumber(value)??value:value)}return index}};var NOT_KNOWN=[{value:void 0,probability:1}],NO_INTERFACE="0",MAX_CHOICES=7e4;function toNumber(value){return classNumber(
value)}var NftExpressions=class{host;elements;constructor(host,elements){this.host=host,this.elements=elements}flags(left){
if(isRecord(left)&&isRecord(left.ct))switch(left.ct.key){case"state":return({untracked:untracked2,isReply})=>untracked2?
["untracked"]:isReply?["established"]:["new"];case"status":return({translatedBy,masqueradedBy,isBalanced})=>[...translatedBy===
void 0||isBalanced?[]:["dnat"],...masqueradedBy===void 0?[]:["snat"]];case"direction":return({isReply})=>[isReply?"reply":
"original"]}}options(expression){let constant=value=>{let only=[{value,probability:1}];return()=>only};if(typeof expression==
"string"||typeof expression=="number")return constant(componentOf(expression));if(!isRecord(expression))return()=>NOT_KNOWN;
let[kind=""]=Object.keys(expression),inner=expression[kind];switch(kind){case"payload":case"meta":case"ct":case"fib":{let read=this.#field(
kind,isRecord(inner)?inner:{});return walker=>[{value:read(walker),probability:1}]}case"concat":return this.#concatenation(
Array.isArray(inner)?inner:[]);case"map":return this.#map(isRecord(inner)?inner:{});case"numgen":return this.#choice(isRecord(
inner)?inner:{});case"jhash":case"symhash":return this.#hash(isRecord(inner)?inner:{});case"&":case"|":case"^":case"<<":case"\
>>":return this.#arithmetic(kind,Array.isArray(inner)?inner:[]);case"elem":return isRecord(inner)?this.options(inner.val):
()=>NOT_KNOWN;default:return()=>NOT_KNOWN}}comparison(op,left,right){let not=op==="!=",finish2=value=>not?negated(value):
value;if(typeof right=="string"&&right.startsWith("@")){let set=this.elements.setOf(right);return(value,walker)=>set===void 0?
UNKNOWN:finish2(chance(set.find(value,walker)!==void 0))}if(isRecord(right)){if(Array.isArray(right.set)){let set=this.elements.
setOf(right);return(value,walker)=>set===void 0?UNKNOWN:finish2(chance(set.find(value,walker)!==void 0))}if(isRecord(right.
prefix)){let{addr,len}=right.prefix,base=bitsOf(String(addr)),mask=prefixMask(String(addr).includes(":")?128:32,Number(len));
return value=>{let bits=bitsOf(value);return base===void 0||bits===void 0?UNKNOWN:finish2(chance(isIn({value:base&mask,mask},
bits)))}}if(Array.isArray(right.range)){let[first,last]=right.range.map(end=>numeric(componentOf(end)));return value=>{let bits=numeric(
value);return first===void 0||last===void 0||bits===void 0?UNKNOWN:finish2(chance(bits>=first&&bits<=last))}}let options=this.
options(right);return(value,walker)=>{let[only,more]=options(walker);return only?.value===void 0||only.value===null||more!==
void 0?UNKNOWN:compare(op,value,only.value)}}if(typeof right=="boolean")return value=>finish2(chance(value!==NO_INTERFACE===
right));if(typeof right!="string"&&typeof right!="number")return()=>UNKNOWN;let text=componentOf(right,this.#typeOf(left));
return value=>compare(op,value,text)}#typeOf(left){if(isRecord(left))return isRecord(left.meta)?left.meta.key==="l4proto"?
"inet_proto":left.meta.key==="priority"?"classid":void 0:isRecord(left.payload)&&(left.payload.field==="protocol"||left.
payload.field==="nexthdr")?"inet_proto":void 0}#field(kind,fields){switch(kind){case"payload":return payload(fields,this.
host.facts.family==="IPv4"?"ip":"ip6");case"meta":return this.#meta(String(fields.key));case"ct":return connection(fields);default:
return this.#routing(fields)}}#meta(key){let six=this.host.facts.family==="IPv6";switch(key){case"l4proto":return({protocol})=>protocol;case"\
protocol":return()=>six?"ip6":"ip";case"nfproto":return()=>six?"ipv6":"ipv4";case"mark":return({mark})=>String(mark);case"\
priority":return({priority})=>String(priority);case"iifname":case"iif":return({inInterface})=>inInterface===null?"":inInterface;case"\
oifname":case"oif":return({outInterface})=>outInterface===null?"":outInterface;default:return()=>{}}}#routing({result,flags}){
let words=Array.isArray(flags)?flags.map(String):[String(flags)];return result==="oif"||result==="oifname"?this.#routedInterface(
words):result!=="type"||words.length!==1?()=>{}:({source,destination:destination2})=>this.host.isLocal(words[0]==="saddr"?
source:destination2)?"local":"unicast"}#routedInterface(flags){let ofInput=flags.includes("iif");if(flags.includes("oif"))
return()=>{};let ofSource=flags.includes("saddr");return({source,destination:destination2,mark,inInterface})=>{if(ofInput&&
(inInterface==="lo"||inInterface===void 0))return inInterface;let found=this.host.interfaceOf({source:ofSource?destination2:
source,destination:ofSource?source:destination2,mark:flags.includes("mark")?mark:0});return found===void 0||found!==null&&
found!=="lo"&&(!ofInput||found===inInterface)?found:NO_INTERFACE}}#concatenation(parts){let all=parts.map(part=>this.options(
part));return walker=>{let found=[{value:"",probability:1}];return all.forEach((options,index)=>{let next=options(walker);
found=found.flatMap(left=>next.map(right=>{let probability=left.probability*right.probability;return left.value===null||
right.value===null?{value:null,probability}:left.value===void 0||right.value===void 0?{value:void 0,probability}:{value:index===
0?right.value:`${left.value} . ${right.value}`,probability}}))}),found}}#map({key,data}){let keys=this.options(key),map=this.
elements.mapOf(data),name=typeof data=="string"?data.replace(/^@/,""):"";return walker=>keys(walker).map(option=>{let{value,
probability}=option;if(value===void 0||map===void 0)return{value:void 0,probability};let found=value===null?void 0:map.find(
value,walker);return{value:found===void 0?null:valueText(found),probability,map:name,...value===null?{}:{key:value}}})}#choice({
mod,offset}){return choices(Number(mod),Number(offset??0))}#hash({expr,mod,offset}){let count2=Number(mod)>>>0;if(count2<=
MAX_CHOICES)return choices(count2,Number(offset??0));let inner=this.options(expr);return walker=>inner(walker).map(({value,
probability})=>({value:value==null?value:`hash(${value.replaceAll(" . ",",")})`,probability}))}#arithmetic(operator,[left,
right]){let lefts=this.options(left),rights=this.options(right);return walker=>{let[a2,moreLeft]=lefts(walker),[b,moreRight]=rights(
walker),x=typeof a2?.value=="string"?toNumber(a2.value):void 0,y=typeof b?.value=="string"?toNumber(b.value):void 0;return x===
void 0||y===void 0||moreLeft!==void 0||moreRight!==void 0?NOT_KNOWN:[{value:String(calculate(operator,x,y)),probability:1}]}}};
function calculate(operator,x,y){switch(operator){case"&":return(x&y)>>>0;case"|":return(x|y)>>>0;case"^":return(x^y)>>>
0;case"<<":return x<<y>>>0;default:return x>>>y}}function choices(count2,offset){if(!Number.isInteger(count2)||count2<1||
count2>MAX_CHOICES)return()=>NOT_KNOWN;let all=Array.from({length:count2},(_,index)=>({value:String(offset+index),probability:1/
count2}));return()=>all}function valueText(value){return isRecord(value)&&Array.isArray(value.concat)?value.concat.map(part=>componentOf(
part)).join(" . "):componentOf(value)}function compare(op,value,text){switch(op){case"==":case"in":return chance(sameValue(
value,text));case"!=":return chance(!sameValue(value,text));default:{let[x,y]=[numeric(value),numeric(text)];return x===
void 0||y===void 0?UNKNOWN:chance(op==="<"?x<y:op===">"?x>y:op==="<="?x<=y:x>=y)}}}function sameValue(value,text){return value===
text||/^[\d:a-f]+$/i.test(text)&&bitsOf(value)!==void 0&&bitsOf(value)===bitsOf(text)}function numeric(text){return/^\d+$/.
test(text)?BigInt(text):bitsOf(text)}function payload({protocol,field},ip){switch(protocol){case"ip":case"ip6":if(protocol!==
ip)return()=>null;switch(field){case"saddr":return({source})=>source;case"daddr":return({destination:destination2})=>destination2;case"\
protocol":case"nexthdr":return({protocol:found})=>found;default:return()=>{}}case"th":case"tcp":case"udp":case"sctp":{let read=walker=>field===
"dport"?String(walker.port):field==="sport"?String(walker.packet.sourcePort):void 0;return walker=>protocol==="th"||protocol===
walker.protocol?read(walker):null}case"icmp":case"icmpv6":case"igmp":case"esp":case"ah":case"dccp":case"udplite":case"ar\
p":return()=>null;default:return()=>{}}}function connection({key,dir}){let original=dir===void 0||dir==="original";switch(key){case"\
mark":return({connectionMark})=>String(connectionMark);case"daddr":case"ip daddr":case"ip6 daddr":return walker=>original?
walker.originalDestination:void 0;case"saddr":case"ip saddr":case"ip6 saddr":return walker=>original?walker.packet.source:
void 0;case"proto-dst":return walker=>original?String(walker.packet.port):void 0;case"proto-src":return walker=>original?
String(walker.packet.sourcePort):void 0;case"protocol":return({protocol})=>protocol;default:return()=>{}}}var STATEMENT=/^(add|update|delete) @(\S+) \{ (.+?)(?: (?:timeout|expires) \S+)* : (.+) \}$/;function parseMapStatement(text){
let[,op,map,keyText="",dataText=""]=STATEMENT.exec(text)??[],key=parseExpression2(keyText),data=parseExpression2(dataText);
return op===void 0||map===void 0||key===void 0||data===void 0?void 0:{map:{op,elem:key,data,map:`@${map}`}}}function mapWrittenBy(text){
return/^(?:add|update) @(\S+) \{/.exec(text)?.[1]}var HASH=/^jhash (.+?) mod (\d+)(?: seed \S+)?(?: offset (\d+))?(?= \. |$)/,
FIELD=/^(ip|ip6|th|tcp|udp|sctp|meta|ct) (\w+)(?= \. |$)/;function parseExpression2(text){let parts=[],rest=text;for(;rest!==
"";){let hash=HASH.exec(rest),field=FIELD.exec(rest),found=hash??field;if(found===null)return;let inner=hash===null?void 0:
parseExpression2(hash[1]??"");if(hash!==null&&inner===void 0)return;parts.push(hash!==null?{jhash:{expr:inner,mod:Number(
hash[2]),offset:Number(hash[3]??0)}}:field?.[1]==="meta"||field?.[1]==="ct"?{[field[1]]:{key:field[2]}}:{payload:{protocol:field?.[1],
field:field?.[2]}}),rest=rest.slice(found[0].length).replace(/^ \. /,"")}let[only]=parts;return parts.length===1?only:{concat:parts}}var HOOKS2={prerouting:"prerouting",input:"input",forward:"forward",output:"output",postrouting:"postrouting"},WITHOUT_EFFECT3=new Set(
["log","quota_reset","ct helper","ct timeout","ct expectation","dup","secmark","comment","last","meter"]);function compileNftTable({
family,name,objects},host){let table=`${family} ${name}`,rulesOf=new Map;for(let[kind,fields]of objects)if(kind==="rule"){
let chain=String(fields.chain),rules=rulesOf.get(chain);rules===void 0?rulesOf.set(chain,[fields]):rules.push(fields)}let owned=(text,chain)=>!host.
isForeign({system:"nftables",table,text,...chain===void 0?{}:{chain}}),containers=new NftElements(objects,writtenByPackets(
objects),()=>owned("")),compiler=new RuleCompiler2(table,host,containers),chains=new Map,bases=[];for(let[kind,fields]of objects){
if(kind!=="chain")continue;let chain=String(fields.name),compiled,one={name:chain,table,get rules(){return compiled??=(rulesOf.
get(chain)??[]).map(rule=>compiler.compile(chain,rule)),compiled}};chains.set(chain,one);let hook=HOOKS2[String(fields.hook)];
if(hook!==void 0){let policy=fields.policy==="drop"?"drop":"accept",text=`policy ${policy}`;bases.push({hook,type:fields.
type==="nat"?"nat":fields.type==="route"?"route":"filter",priority:Number(fields.prio),chain:one,chains,policy,policyRule:{
system:"nftables",table,chain,text,foreign:!owned(text,chain)}})}}return bases}function writtenByPackets(objects){let names=new Set;
for(let[kind,{expr}]of objects)if(kind==="rule"&&Array.isArray(expr))for(let statement of expr){let text=typeof statement==
"string"?mapWrittenBy(statement):void 0;text!==void 0&&names.add(text);let write=isRecord(statement)?statement.set??statement.
map:void 0,name=isRecord(write)?write.set??write.map:void 0;typeof name=="string"&&names.add(name.replace(/^@/,""))}return names}
var RuleCompiler2=class{table;host;elements;#expressions;constructor(table,host,elements){this.table=table,this.host=host,
this.elements=elements,this.#expressions=new NftExpressions(host,elements)}compile(chain,{expr,handle}){let{table}=this,
listed=Array.isArray(expr)?expr:[],text=ruleText(listed,handle),place={system:"nftables",table,chain,text},rule={...place,
foreign:this.host.isForeign(place)};if(this.host.ignores(rule))return{rule,evaluate:()=>{}};let statements=listed.map(statement=>this.#statement(
isRecord(statement)?statement:parseMapStatement(String(statement))??{[String(statement)]:null}));return{rule,evaluate(walker){
let live=[walker],branches=[];for(let statement of statements){let next=[];for(let one of live)for(let way of statement(
one,rule))way.verdict===void 0?next.push(way.walker):branches.push({walker:way.walker,verdict:way.verdict});if(live=next,
live.length===0)break}for(let one of live)branches.push({walker:one,verdict:CONTINUE});let[only]=branches;return branches.
length===1&&only?.walker===walker&&only.verdict.do==="continue"?void 0:branches}}}#statement(statement){let[kind=""]=Object.
keys(statement),value=statement[kind],ends=verdict=>walker=>[{walker,verdict}];switch(kind){case"accept":return ends({do:"\
accept"});case"drop":return ends({do:"drop"});case"reject":return ends({do:"refuse"});case"return":return ends({do:"retu\
rn"});case"continue":return ends(CONTINUE);case"jump":case"goto":return ends({do:kind,chain:isRecord(value)?String(value.
target):""});case"match":return this.#match(isRecord(value)?value:{});case"vmap":return this.#verdictMap(isRecord(value)?
value:{});case"mangle":return this.#mangle(isRecord(value)?value:{});case"dnat":case"redirect":return this.#destination(
kind,isRecord(value)?value:{});case"snat":case"masquerade":return(walker,rule)=>[{walker:withChanges(walker,{masqueradedBy:rule,
sourceDecided:!0}),verdict:{do:"accept"}}];case"set":case"map":return this.#write(isRecord(value)?value:{});case"notrack":
return walker=>[{walker:withChanges(walker,{untracked:!0})}];case"counter":return this.#counter(value);default:return WITHOUT_EFFECT3.
has(kind)?walker=>[{walker}]:(walker,rule)=>{let assumed=assuming(walker,rule);return kind==="limit"||kind==="quota"||kind===
"ct count"?[{walker:assumed},{walker:assumed,verdict:CONTINUE}]:[{walker:assumed},...anyVerdict(assumed,rule)]}}}#match({
op,left,right}){let test=this.#test(String(op),left,right);return(walker,rule)=>{let value=test(walker);if(value===1)return[
{walker}];if(value===0)return[{walker,verdict:CONTINUE}];if(value===UNKNOWN){let assumed=assuming(walker,rule);return[{walker:assumed},
{walker:assumed,verdict:CONTINUE}]}return[{walker:withChanges(walker,{probability:walker.probability*value})},{walker:withChanges(
walker,{probability:walker.probability*(1-value)}),verdict:CONTINUE}]}}#test(op,left,right){let not=op==="!=",finish2=value=>not?
negated(value):value,meta=isRecord(left)&&isRecord(left.meta)?left.meta.key:void 0;if((meta==="iifname"||meta==="oifname"||
meta==="iif"||meta==="oif")&&typeof right=="string"){let test=interfaceTest(meta.startsWith("iif")?"inInterface":"outInt\
erface",right,"*");return walker=>finish2(test(walker))}let opens=this.#opensConnection(op,left,right);if(opens!==void 0)
return opens;let flags=this.#expressions.flags(left);if(flags!==void 0){let wanted=this.#words(right);return wanted===void 0?
()=>UNKNOWN:walker=>{let has=flags(walker);return has===void 0?UNKNOWN:finish2(chance(wanted.some(word=>has.includes(word))))}}
let options=this.#expressions.options(left),holds=this.#expressions.comparison(op,left,right);return walker=>{let total=0;
for(let{value,probability}of options(walker)){let one=value===void 0?UNKNOWN:value===null?0:holds(value,walker);if(one===
UNKNOWN)return UNKNOWN;total+=probability*(value===null?0:one)}return total>1-1e-12?1:total}}#opensConnection(op,left,right){
let masked=isRecord(left)&&Array.isArray(left["&"])?left["&"]:void 0,field=masked===void 0?left:masked[0],bit=masked===void 0?
right:masked[1];if(!(!(isRecord(field)&&isRecord(field.payload)&&field.payload.field==="flags")||bit!=="syn"||!(masked===
void 0?op==="!":op==="=="&&(right===0||right==="0"))))return({isReply})=>isReply?UNKNOWN:0}#words(right){let list2=Array.
isArray(right)?right:isRecord(right)&&Array.isArray(right.set)?right.set:[right];return list2.every(word=>typeof word=="\
string")?list2:void 0}#verdictMap({key,data}){let options=this.#expressions.options(key),map=this.elements.mapOf(data),name=typeof data==
"string"?data.replace(/^@/,""):"";return(walker,rule)=>{let ways=[];for(let{value,probability}of options(walker)){let one=probability===
1?walker:withChanges(walker,{probability:walker.probability*probability});if(value===void 0||map===void 0){ways.push(...anyVerdict(
one,rule));continue}let found=value===null?void 0:map.find(value,one);if(found===void 0){ways.push({walker:value===null?
one:missed(one,rule,name,value),verdict:CONTINUE});continue}let verdict=verdictOf(found);ways.push(verdict===void 0?{walker:assuming(
one,rule),verdict:CONTINUE}:{walker:one,verdict})}return ways}}#mangle({key,value}){let options=this.#expressions.options(
value),meta=isRecord(key)&&isRecord(key.meta)?key.meta.key:void 0,connection2=isRecord(key)&&isRecord(key.ct)?key.ct.key:
void 0,field=meta==="mark"?"mark":meta==="priority"?"priority":connection2==="mark"?"connectionMark":void 0;if(field===void 0){
let harmless=meta!==void 0||connection2!==void 0||isRecord(key)&&isRecord(key.payload),isAddress=isRecord(key)&&isRecord(
key.payload)&&/addr|port|protocol/.test(String(key.payload.field));return(walker,rule)=>[{walker:harmless&&!isAddress?walker:
assuming(walker,rule)}]}return(walker,rule)=>options(walker).map(({value:found,probability})=>{let one=probability===1?walker:
withChanges(walker,{probability:walker.probability*probability});if(found===null)return{walker:missed(one,rule,"",""),verdict:CONTINUE};
let number2=found===void 0?void 0:toNumber(found);if(number2===void 0)return{walker:assuming(one,rule)};let changed=withChanges(
one,{[field]:number2>>>0});return{walker:field==="mark"?{...changed,markedBy:rule}:changed}})}#destination(kind,{addr,port}){
let address2=addr===void 0?void 0:this.#expressions.options(addr),portOf=port===void 0?void 0:this.#expressions.options(
port),here=[{value:"",probability:1}];return(walker,rule)=>{let ways=[];for(let option of address2?.(walker)??here)for(let portOption2 of portOf?.(
walker)??here){let probability=option.probability*portOption2.probability,one=probability===1?walker:withChanges(walker,
{probability:walker.probability*probability});if(option.value===null||portOption2.value===null){ways.push({walker:missed(
one,rule,option.map??"",option.key??""),verdict:CONTINUE});continue}if(option.value===void 0||portOption2.value===void 0){
ways.push({walker:{...assuming(one,rule),destinationDecided:!0},verdict:{do:"accept"}});continue}let[to="",toPort]=option.
value.split(" . "),chosen=portOption2.value===""?toPort:portOption2.value,target=to===""?kind==="redirect"?this.host.redirectAddress(
one):void 0:to,known=to===""||bitsOf(to)!==void 0?one:assuming(one,rule),by=option.map===void 0?rule:{...rule,text:elementText(
rule,option)};ways.push({walker:translated(known,target,chosen===void 0?void 0:Number(chosen),by),verdict:{do:"accept"}})}
return ways}}#write({op,elem,data,set,map}){let name=String(set??map).replace(/^@/,""),inner=isRecord(elem)&&isRecord(elem.
elem)?elem.elem.val:elem,[keyExpression,dataExpression]=data===void 0&&Array.isArray(inner)?[inner[0],inner[1]]:[inner,data],
keys=this.#expressions.options(isRecord(keyExpression)&&isRecord(keyExpression.elem)?keyExpression.elem.val:keyExpression),
values=dataExpression===void 0?void 0:this.#expressions.options(dataExpression);return(walker,rule)=>{let[key]=keys(walker),
[value]=values?.(walker)??[{value:"",probability:1}];if(key?.value===void 0||key.value===null||value?.value===void 0||value.
value===null)return[{walker:assuming(walker,rule)}];let before=walker.written?.get(name),there=before?.get(key.value),next=op===
"delete"?null:there??value.value,written=new Map(walker.written).set(name,new Map(before).set(key.value,next));return[{walker:withChanges(
walker,{written})}]}}#counter(value){if(!isRecord(value)||!isRecord(value.map))return walker=>[{walker}];let options=this.#expressions.
options({map:value.map});return walker=>options(walker).map(({value:found})=>found===null?{walker,verdict:CONTINUE}:{walker})}};
function missed(walker,{foreign},map,key){return!walker.isNoted||foreign===!0||map===""?walker:withChanges(walker,{misses:append(
walker.misses,`${map} has no element ${key}`)})}function elementText({text},{map,key,value}){return`${text} with element\
 ${key} : ${value} of ${map}`}function verdictOf(value){if(!isRecord(value))return;let[kind=""]=Object.keys(value);switch(kind){case"\
accept":case"drop":case"return":case"continue":return{do:kind};case"jump":case"goto":{let target=value[kind];return{do:kind,
chain:isRecord(target)?String(target.target):""}}default:return}}function ruleText(statements,handle){let text=statements.
map(statementText).filter(part=>part!=="").join(" ");return handle===void 0?text:`${text} # handle ${String(handle)}`}function statementText(statement){
if(typeof statement=="string")return statement;if(!isRecord(statement))return"";let[kind=""]=Object.keys(statement),value=statement[kind];
if(value===null||kind==="counter"||kind==="log"||!isRecord(value))return kind;switch(kind){case"match":return`${textOfValue(
value.left)} ${value.op==="=="||value.op==="in"?"":`${String(value.op)} `}${textOfValue(value.right)}`;case"jump":case"g\
oto":return`${kind} ${String(value.target)}`;case"vmap":return`${textOfValue(value.key)} vmap ${textOfValue(value.data)}`;case"\
mangle":return`${textOfValue(value.key)} set ${textOfValue(value.value)}`;case"dnat":case"snat":return`${kind} to ${textOfValue(
value.addr)}${value.port===void 0?"":`:${textOfValue(value.port)}`}`;case"set":case"map":return`${String(value.op)} ${textOfValue(
value.set??value.map)}`;default:return kind}}async function readPathHost(reading){let{family,files,runner,virtualAddresses,ignoredInterfaces=[]}=reading,[addresses,interfaces,
routes,policyRules,sets,ignored]=await Promise.all([new ProcLocalNetwork(files).localAddresses(),readInterfaces(files),readRoutes(
family,files),readPolicyRules(family,runner),readSets(reading),readAddressesOf(ignoredInterfaces,runner)]),[sysctls,bridges]=await Promise.
all([readSettings(family,files,interfaces),readBridges(files,interfaces)]);return{family,localAddresses:new Set(addresses.
filter(address2=>!virtualAddresses?.has(address2)&&!ignored.has(address2))),...virtualAddresses===void 0?{}:{virtualAddresses},
addressesOf:new Map(interfaces.map(name=>[name,[]])),routes,policyRules,sysctls,bridges,sets}}async function readAddressesOf(interfaces,runner){
let found=new Set;for(let name of interfaces)try{let args=["-o","addr","show","dev",name],{stdout}=await runner.run({command:"\
ip",args,timeout:1e4});for(let[,text=""]of stdout.matchAll(/ inet6? ([^\s/]+)/g))found.add(parseAddress(text)?.text??text)}catch{}
return found}async function readInterfaces(files){return(await textOf(files,"/proc/net/dev")??"").split(`
`).flatMap(line=>/^\s*([^\s:]+):/.exec(line)?.[1]??[])}async function textOf(files,path6){try{return await files.read(path6)}catch{
return}}async function readRoutes(family,files){let text=await textOf(files,family==="IPv4"?"/proc/net/route":"/proc/net\
/ipv6_route");return text===void 0?void 0:family==="IPv4"?parseRoutes(text):parseRoutesIPv6(text)}var REJECT=512,UP=1;function parseRoutes(text){
return inOrder2(text.split(`
`).flatMap((line,index)=>{let[name,destination2="",,flags="",,,metric="",mask=""]=line.trim().split(/\s+/);if(index===0||
name===void 0||mask==="")return[];let bits=littleEndian(mask),flagBits=Number.parseInt(flags,16),isClosed=(flagBits&REJECT)!==
0;return(flagBits&UP)===0&&!isClosed?[]:[{network:{value:littleEndian(destination2),mask:bits},length:bits.toString(2).replaceAll(
"0","").length,metric:Number(metric),interfaceName:isClosed?void 0:name}]}))}function parseRoutesIPv6(text){return inOrder2(
text.split(`
`).flatMap(line=>{let[hex2="",lengthText="",,,,metric="",,,flags="",name]=line.trim().split(/\s+/),base=bitsOf(parseAddress(
hex2.match(/.{4}/g)?.join(":")??"")?.text??"");if(name===void 0||base===void 0)return[];let length=Number.parseInt(lengthText,
16),isClosed=(Number.parseInt(flags,16)&REJECT)!==0,mask=prefixMask(128,length);return[{network:{value:base&mask,mask},length,
metric:Number.parseInt(metric,16),interfaceName:isClosed?void 0:name}]}))}function littleEndian(hex2){return BigInt(`0x${(hex2.
match(/../g)??["00"]).reverse().join("")}`)}function inOrder2(routes){return[...routes].sort((a2,b)=>b.length-a2.length||
a2.metric-b.metric)}async function readPolicyRules(family,runner){try{let args=[family==="IPv4"?"-4":"-6","rule","show"];
return parsePolicyRules((await runner.run({command:"ip",args,timeout:1e4})).stdout)}catch{return}}async function readSettings(family,files,interfaces){
let names=family==="IPv4"?["net/ipv4/ip_forward","net/bridge/bridge-nf-call-iptables",...["all",...interfaces].flatMap(name=>[
"rp_filter","route_localnet","forwarding"].map(setting=>`net/ipv4/conf/${name}/${setting}`))]:["net/ipv6/conf/all/forwar\
ding","net/bridge/bridge-nf-call-ip6tables"];names.push("net/ipv4/vs/conntrack");let values=new Map;return await Promise.
all(names.map(async name=>{let text=await textOf(files,`/proc/sys/${name}`);text!==void 0&&values.set(name,text.trim())})),
values}async function readBridges(files,interfaces){let bridges=new Set;return await Promise.all(interfaces.map(async name=>{
await textOf(files,`/sys/class/net/${name}/bridge/bridge_id`)!==void 0&&bridges.add(name)})),bridges}async function readSets({
ipSets,sets,onUnread}){let found=new Map;if(ipSets===void 0)return found;for(let name of sets)try{let set=await ipSets.find(
name);set!==void 0&&set.maxEntries>0&&found.set(name,set)}catch(error){onUnread(`IP set ${name} cannot be read: ${messageOf(
error)}`)}return found}function isNotInstalled(error){return error instanceof CommandError&&error.failure==="not-found"||
error instanceof Error&&error.cause!==void 0&&isNotInstalled(error.cause)}async function runInSlices(slices,signal){let until=performance.now()+10;for(;;){let{done,value}=slices.next();if(done)return value;
if(performance.now()>until){if(await new Promise(resolve=>setImmediate(resolve)),signal?.aborted)return;until=performance.
now()+10}}}async function readNetfilterPath(reading){let{family,runner,files=kernelFiles,ignoredInterfaces,ipSets,virtualAddresses}=reading,
listing=await readListing(family,runner,files),unread=[...listing.unread,...reading.unread??[]],facts=await readPathHost(
{family,runner,files,sets:listing.sets,onUnread:reason=>unread.push(reason),...ipSets===void 0?{}:{ipSets},...ignoredInterfaces===
void 0?{}:{ignoredInterfaces},...virtualAddresses===void 0?{}:{virtualAddresses}});return await runInSlices(pathInSlices(
{...listing,unread},facts,reading))}function netfilterPathOf({saved,tables,unread},facts,options={}){let documents=new Map(
[...saved].map(([variant,text])=>[variant,finish(parseDocumentInSlices(text))]));return finish(pathInSlices({documents,tables,
unread},facts,options))}function*pathInSlices({documents,tables,unread},facts,options){let{isForeign=()=>!1,ignores,stage}=options,
host=new PathHost(facts,isForeign,ignores),chains=[];for(let[variant,document]of documents)for(let[name,{written}]of document)
chains.push(...yield*compileIptablesTable(name,written,variant,host));for(let table of tables)yield,chains.push(...compileNftTable(
table,host));return new NetfilterPath({family:facts.family,host,chains,unread,...stage===void 0?{}:{stage:stage(host)}})}
async function readListing(family,runner,files){let unread=[],documents=new Map,sets=new Set,listed=listNft(runner,["tab\
les"]).catch(error=>new UnreadTables(error));for(let variant of["nft","legacy"]){let text=await readSaved(family,variant,
runner,files,unread);if(text!==void 0){documents.set(variant,await runInSlices(parseDocumentInSlices(text)));for(let name of setsOf(
text))sets.add(name)}}let readByIptables=new Set(documents.get("nft")?.keys()),tables=await readNftTables(family,runner,
await listed,readByIptables,unread);return{documents,sets:[...sets],tables,unread}}async function readSaved(family,variant,runner,files,unread){
let command2=iptablesProgram(family,variant,"save");try{return(await runner.run({command:command2,args:[],timeout:3e5})).
stdout}catch(error){if(!isNotInstalled(error))unread.push(`${command2} failed: ${messageOf(error)}`);else if(variant==="\
legacy"){let names=await legacyTables(family,files);names.length>0&&unread.push(`the kernel has legacy tables (${names.join(
", ")}), and ${command2} is not installed`)}return}}async function legacyTables(family,files){try{return(await files.read(
`/proc/net/${family==="IPv4"?"ip":"ip6"}_tables_names`)).split(`
`).filter(line=>line!=="")}catch{return[]}}var UnreadTables=class{cause;constructor(cause){this.cause=cause}};async function readNftTables(family,runner,objects,readByIptables,unread){
let own=family==="IPv4"?"ip":"ip6";if(objects instanceof UnreadTables){let{cause}=objects;return unread.push(isNotInstalled(
cause)?"nft is not installed, so tables of nftables cannot be read":messageOf(cause)),[]}let tables=[];for(let[kind,fields]of objects){
let[tableFamily,name]=[String(fields.family),String(fields.name)];if(kind==="table"){if(tableFamily==="netdev")unread.push(
`table netdev ${name} sees packets first, and is not interpreted`);else if(tableFamily===own&&!readByIptables.has(name)||
tableFamily==="inet"){let listed=await listTable(runner,tableFamily,name,unread);listed!==void 0&&tables.push({family:tableFamily,
name,objects:listed})}}}return tables}async function listTable(runner,family,name,unread){try{return await listNft(runner,
["table",family,name])}catch(error){try{return await listParts(runner,family,name)}catch{unread.push(`table ${family} ${name}\
 cannot be read: ${messageOf(error)}`);return}}}async function listParts(runner,family,name){let parts=[];for(let what of[
["sets","table",family,name],["maps",family],["chains",family]])parts.push(...(await listNft(runner,what)).filter(([,{table}])=>table===
name));for(let[kind,fields]of[...parts])if(kind==="chain"){let chain=await listNft(runner,["chain",family,name,String(fields.
name)]);parts.push(...chain.filter(([what])=>what==="rule"))}return parts}async function listNft(runner,what){let{stdout}=await runner.
run({command:"nft",args:["-j","list",...what],timeout:12e4});return parseNftObjects(stdout)}function setsOf(saved){let found=saved.
includes("-set ")?saved.matchAll(/--(?:match-set|map-set) (\S+)/g):[];return new Set([...found].flatMap(([,name])=>name??
[]))}function plainHost(family,addresses){let six=family==="IPv6";return{family,localAddresses:new Set([...addresses].filter(
address2=>address2.includes(":")===six)),addressesOf:new Map([["lo",[]],["eth0",[]]]),routes:[{network:{value:bitsOf(six?
"::":"0.0.0.0")??0n,mask:prefixMask(six?128:32,0)},length:0,metric:0,interfaceName:"eth0"}],policyRules:[],sysctls:new Map(
[["net/ipv4/ip_forward","1"],["net/ipv6/conf/all/forwarding","1"],["net/ipv4/conf/all/route_localnet","1"]]),bridges:new Set,
sets:new Map}}function plannedPathOf(family,addresses,planned,isForeign){let listing=planned.kind==="iptables"?{saved:new Map(
[[planned.variant??"nft",restoredDocument(planned.document)]]),tables:[]}:{saved:new Map,tables:[nftListingOf(family,planned.
table,planned.commands)]};return netfilterPathOf({...listing,unread:[]},plainHost(family,addresses),{isForeign})}var BUILT_IN2={
filter:["INPUT","FORWARD","OUTPUT"],nat:["PREROUTING","INPUT","OUTPUT","POSTROUTING"]};function restoredDocument(document){
let lines=[],rules=new Map;for(let line of document.split(`
`)){let[,operation,chain="",position,rule=""]=/^-([AI]) (\S+)(?: (\d+))? (.*)$/.exec(line)??[],table=line.startsWith("*")?
line.slice(1):void 0;if(table!==void 0)rules=new Map,lines.push(line,...(BUILT_IN2[table]??[]).map(name=>`:${name} ACCEP\
T [0:0]`));else if(line.startsWith(":"))lines.push(line);else if(operation!==void 0){let list2=rules.get(chain)??[];rules.
set(chain,list2),list2.splice(operation==="A"?list2.length:Number(position??1)-1,0,rule)}else line==="COMMIT"&&lines.push(
...[...rules].flatMap(([name,list2])=>list2.map(text=>`-A ${name} ${text}`)),line)}return`${lines.join(`
`)}
`}function nftListingOf(family,name,commands){let nftFamily=family==="IPv4"?"ip":"ip6",objects=[],elements=new Map,verdictMaps=new Set;
for(let command2 of commands)if(command2.do==="add-chain"){let{chain,base}=command2,hook=base===void 0?{}:{type:base.type,
hook:base.hook,prio:base.priority,policy:"accept"};objects.push(["chain",{family:nftFamily,table:name,name:chain,...hook}])}else if(command2.
do==="add-rule")objects.push(["rule",{chain:command2.chain,expr:parseNftRule(renderNftRule(command2.rule.statements))}]);else if(command2.
do==="add-container"){let{kind,key,value}=command2.container,types=key.map(nftTypeOf),elem=[];elements.set(command2.name,
elem),value==="verdict"&&verdictMaps.add(command2.name);let values=typeof value=="object"?value.map(nftTypeOf):[],map=typeof value==
"object"?values.length===1?values[0]:values:value;objects.push([kind,{name:command2.name,type:types.length===1?types[0]:
types,elem,...value===void 0?{}:{map}}])}else if(command2.do==="add-elements")for(let[key,value]of command2.elements){let parsed=parseNftElement(
key);elements.get(command2.name)?.push(value===void 0?parsed:[parsed,parseNftElement(value,verdictMaps.has(command2.name))])}
return{family:nftFamily,name,objects}}import{readdir,readFile as readFile2,readlink}from"node:fs/promises";async function listProcesses(){let names=await readdir(
"/proc").catch(()=>[]),ownNetwork=await linkOf("/proc/self/ns/net");return(await Promise.all(names.filter(name=>/^\d+$/.
test(name)).map(async name=>{try{let command2=(await readFile2(`/proc/${name}/cmdline`,"utf8")).split("\0").filter(word=>word!==
""),own=command2.length>0?command2:[(await readFile2(`/proc/${name}/comm`,"utf8")).trim()],[executable,network]=await Promise.
all([linkOf(`/proc/${name}/exe`),linkOf(`/proc/${name}/ns/net`)]);return[{pid:Number(name),command:own,...executable===void 0?
{}:{executable:executable.replace(/ \(deleted\)$/,"")},...network===void 0||ownNetwork===void 0?{}:{sharesNetwork:network===
ownNetwork}}]}catch{return[]}}))).flat()}var FIRST_PID_NAMESPACE="pid:[4026531836]";async function seesAllProcesses(){return await readFile2(
"/proc/1/comm","utf8").then(()=>!0,()=>!1)&&await linkOf("/proc/self/ns/pid")===FIRST_PID_NAMESPACE}async function linkOf(path6){
return await readlink(path6).catch(()=>{})}function inNewNamespace(runner){return{run:request2=>runner.run({...request2,command:"unshare",args:["--net",request2.command,
...request2.args]})}}async function canRun(runner){try{return await runner.run({command:"true",args:[]}),!0}catch(error){
if(isProxierError(error))return!1;throw error}}import{readFile as readFile3}from"node:fs/promises";var MADV_DONTNEED=4;async function releaseUnusedMemory(){let libc=await loadLibc().catch(()=>{});if(libc===void 0)return;
let isTrimmed=libc.mallocTrim?.(0)===1,mappings=await readFile3("/proc/self/smaps","utf8").catch(()=>{});return mappings===
void 0?void 0:{ranges:unchangedFileRanges(mappings,process.execPath).filter(({address:address2,length})=>libc.madvise(address2,
length,MADV_DONTNEED)===0).length,isTrimmed}}function unchangedFileRanges(mappings,file){let ranges=[];for(let[,from="",
to="",permissions="",path6="",fields=""]of mappings.matchAll(/^([0-9a-f]+)-([0-9a-f]+) (\S{4}) [0-9a-f]+ \S+ \d+(?: +(.*))?\n((?:\w+: .*\n?)*)/gm))
if(path6.replace(/ \(deleted\)$/,"")===file&&/^r-[x-]p$/.test(permissions)&&kilobytes(fields,"Anonymous")===0&&kilobytes(
fields,"Private_Dirty")===0){let address2=Number.parseInt(from,16);ranges.push({address:address2,length:Number.parseInt(
to,16)-address2})}return ranges}function kilobytes(fields,name){return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`,"m").
exec(fields)?.[1]??Number.NaN)}import{Socket}from"node:net";var SOCK_STREAM=1,SOCK_DGRAM=2,CLOEXEC_NONBLOCK=526336,SOL_SOCKET4=1,SO_MARK=36,IPPROTO_IPV6=41,IPV6_V6ONLY=26,EPERM4=1,
ADDRESS_LENGTHS={IPv4:16,IPv6:28};function asInt(value){return new Uint8Array(Uint32Array.of(value).buffer)}var LibcMarkedSockets=class{mark;#libc;#starting;#unusable="\
it was not started";constructor(mark){this.mark=mark}get unusable(){return this.#unusable}start(){return this.#starting??=
this.#start(),this.#starting}createTcp(family,options={}){let{libc,fd}=this.#open(family,SOCK_STREAM);try{return new Socket(
{...options,fd,manualStart:!0})}catch(error){throw libc.close(fd),error}}bindUdp(family,socket){let{libc,fd}=this.#open(
family,SOCK_DGRAM);try{let address2=new Uint8Array(ADDRESS_LENGTHS[family]);if(address2.set(new Uint8Array(Uint16Array.of(
ADDRESS_FAMILIES[family]).buffer)),libc.bind(fd,address2,address2.length)<0)throw failure("bind",libc.errno());socket.bind(
{fd,exclusive:!0})}catch(error){throw libc.close(fd),error}}async#start(){try{this.#libc=await loadLibc()}catch(error){this.#unusable=
`the C library cannot be called (${messageOf(error)}); install the package koffi for this platform`;return}try{let{libc,
fd}=this.#open("IPv4",SOCK_DGRAM);libc.close(fd),this.#unusable=void 0}catch(error){let reason=error instanceof MarkRefused?
`: ${whyNotPermitted({refused:"process"})}`:"";this.#unusable=`packets cannot be marked (${messageOf(error)})${reason}`}}#open(family,type){
let libc=this.#libc;if(!libc)throw new Error(`marked sockets cannot be used: ${this.#unusable}`);let fd=libc.socket(ADDRESS_FAMILIES[family],
type|CLOEXEC_NONBLOCK,0);if(fd<0)throw failure("socket",libc.errno());let set=(level,name,value)=>libc.setsockopt(fd,level,
name,asInt(value),4)===0;if(!set(SOL_SOCKET4,SO_MARK,this.mark)||family==="IPv6"&&!set(IPPROTO_IPV6,IPV6_V6ONLY,1)){let errno=libc.
errno();throw libc.close(fd),errno===EPERM4?new MarkRefused("setsockopt: EPERM"):failure("setsockopt",errno)}return{libc,
fd}}},MarkRefused=class extends Error{code="EPERM"};function failure(call,errno){let code=errnoName(errno);return Object.
assign(new Error(`${call}: ${code}`),{code,errno,syscall:call})}import{Socket as Socket2}from"node:net";var SOCK_STREAM_CLOEXEC_NONBLOCK=526337,SOL_SOCKET5=1,SO_ERROR=4,IPPROTO_TCP=6,TCP_DEFER_ACCEPT=9,EINPROGRESS=115,POLLOUT=4,
POLLERR=8,POLLHUP=16,POLL_WORDS=2,ONE_SECOND=new Uint8Array(Uint32Array.of(1).buffer),NOWHERE=new Uint8Array(16),MAX_IDLE=256,
MAX_STARTED2=128,FIRST_LOOK=1,LAST_LOOK=16,LibcTcpConnects=class _LibcTcpConnects{libc;#pending=[];#descriptors=new Int32Array(
64*POLL_WORDS);#idle={IPv4:[],IPv6:[]};#addresses=new WeakMap;#decided=[];#started=0;#look;#delay=FIRST_LOOK;#closed=!1;constructor(libc){
this.libc=libc}static async load(){return new _LibcTcpConnects(await loadLibc())}attempt(target,callback){if(this.#closed)
return;let begin=performance.now(),fd;try{fd=this.#open(target)}catch(error){this.#failSoon(messageOf(error),callback,begin);
return}let address2=this.#addressOf(target);if(this.libc.connect(fd,address2,address2.length)<0){let errno=this.libc.errno();
if(errno!==EINPROGRESS){this.libc.close(fd),this.#failSoon(errnoName(errno),callback,begin);return}}this.#pending.push({
fd,target,callback,begin,end:begin,failure:void 0}),this.#delay=FIRST_LOOK,this.#started+=1,this.#started>=MAX_STARTED2&&
this.#finishReady(),this.#look??=setImmediate(()=>this.#collect())}close(){this.#closed=!0;for(let{fd}of this.#pending)this.
libc.close(fd);for(let fd of[...this.#idle.IPv4.splice(0),...this.#idle.IPv6.splice(0)])this.libc.close(fd);this.#pending=
[]}#failSoon(reason,callback,begin){setImmediate(()=>this.#closed||callback(reason,performance.now()-begin))}#open({family,
namespace}){let idle=namespace===void 0?this.#idle[family].pop():void 0;if(idle!==void 0)return idle;let fd=inNamespace(
this.libc,namespace,()=>this.libc.socket(ADDRESS_FAMILIES[family],SOCK_STREAM_CLOEXEC_NONBLOCK,0));if(fd<0)throw new Error(
errnoName(this.libc.errno()));return this.libc.setsockopt(fd,IPPROTO_TCP,TCP_DEFER_ACCEPT,ONE_SECOND,ONE_SECOND.length),
fd}#addressOf(target){let address2=this.#addresses.get(target);return address2||(address2=socketAddress(target),this.#addresses.
set(target,address2)),address2}#collect(){if(this.#look=void 0,this.#closed)return;this.#finishReady(),this.#pending.length>
0&&(this.#look=setTimeout(()=>this.#collect(),this.#delay).unref(),this.#delay=Math.min(this.#delay*2,LAST_LOOK));let decided=this.#decided;
this.#decided=[];for(let{callback,failure:failure2,begin,end}of decided){if(this.#closed)return;callback(failure2,end-begin)}}#finishReady(){
this.#started=0;let pending=this.#pending;if(pending.length===0)return;let ready=this.#poll(pending),now=performance.now(),
rest=[],report=(one,failure2)=>{one.end=now,one.failure=failure2,this.#decided.push(one)};for(let index=0;index<pending.
length;index++){let one=pending[index],events=ready?this.#descriptors[index*POLL_WORDS+1]>>>16:0;events!==0?report(one,this.#finish(
one,events)):now-one.begin>=one.target.timeout?(this.libc.close(one.fd),report(one,"ETIMEDOUT")):rest.push(one)}this.#pending=
rest}#poll(pending){this.#descriptors.length<pending.length*POLL_WORDS&&(this.#descriptors=new Int32Array(pending.length*
2*POLL_WORDS));let descriptors2=this.#descriptors;for(let index=0;index<pending.length;index++)descriptors2[index*POLL_WORDS]=
pending[index].fd,descriptors2[index*POLL_WORDS+1]=POLLOUT;return this.libc.poll(new Uint8Array(descriptors2.buffer),pending.
length,0)>0}#finish({fd,target:{family,namespace}},events){if((events&(POLLERR|POLLHUP))!==0||(events&POLLOUT)===0){let errno=this.#errorOf(
fd);return this.libc.close(fd),errnoName(errno)}let isReusable=this.libc.connect(fd,NOWHERE,NOWHERE.length)===0,idle=this.#idle[family];
isReusable&&namespace===void 0&&idle.length<MAX_IDLE?idle.push(fd):this.libc.close(fd)}#errorOf(fd){let value=new Uint32Array(
1),length=Uint32Array.of(4);return this.libc.getsockopt(fd,SOL_SOCKET5,SO_ERROR,new Uint8Array(value.buffer),new Uint8Array(
length.buffer)),value[0]??0}};function socketAddress({family,address:address2,port}){let bytes2=Buffer.alloc(family==="I\
Pv4"?16:28);return bytes2.writeUInt16LE(ADDRESS_FAMILIES[family]),bytes2.writeUInt16BE(port,2),addressBytes(address2).copy(
bytes2,family==="IPv4"?4:8),bytes2}async function tcpSocketIn(namespace,family){let libc=await loadLibc(),fd=inNamespace(
libc,namespace,()=>libc.socket(ADDRESS_FAMILIES[family],SOCK_STREAM_CLOEXEC_NONBLOCK,0));if(fd<0)throw new Error(errnoName(
libc.errno()));try{return new Socket2({fd,manualStart:!0})}catch(error){throw libc.close(fd),error}}var TcpSocketsError=class extends ProxierError{constructor(code,message6,options){super(code,message6,options)}};var SOCK_DESTROY=21,LENGTH=56,STATES2=4,SOURCE_PORT=8,DESTINATION_PORT=10,SOURCE=12,DESTINATION3=28,COOKIE=48,ALL_STATES=4294967295,
NO_COOKIE=4294967295;function encodeSocketReset(connection2){let{family,localAddress,localPort,remoteAddress,remotePort}=connection2,
message6=Buffer.alloc(LENGTH);return message6[0]=ADDRESS_FAMILIES[family],message6[1]=PROTOCOL_NUMBERS.TCP,message6.set(
u32(ALL_STATES),STATES2),message6.writeUInt16BE(localPort,SOURCE_PORT),message6.writeUInt16BE(remotePort,DESTINATION_PORT),
message6.set(addressBytes(localAddress),SOURCE),message6.set(addressBytes(remoteAddress),DESTINATION3),message6.set(u32(
NO_COOKIE),COOKIE),message6.set(u32(NO_COOKIE),COOKIE+4),message6}var EPERM5=1,ENOENT6=2,EINVAL2=22,EOPNOTSUPP2=95,TcpSocketsNetlink=class{connect;constructor(connect=()=>new NetlinkSocket(
"socket-diag")){this.connect=connect}async reset(connections){if(connections.length===0)return 0;let netlink=this.connect();
try{let requests=connections.map(connection2=>({type:SOCK_DESTROY,flags:0,payload:encodeSocketReset(connection2)})),done=0;
for(let errno of await netlink.execute(requests))if(errno===0)done++;else if(errno!==ENOENT6)throw new NetlinkRefused(errno,
"reset a socket");return done}catch(error){throw describe5(error)}finally{netlink.close()}}};function describe5(error){if(!(error instanceof
NetlinkError))return error;let cause={cause:error};return error instanceof NetlinkRefused&&(error.errno===EOPNOTSUPP2||error.
errno===EINVAL2)?new TcpSocketsError("SOCKETS_NOT_SUPPORTED",`the kernel cannot close sockets of programs (CONFIG_INET_D\
IAG_DESTROY): ${messageOf(error)}`,cause):error.code==="NETLINK_UNAVAILABLE"?new TcpSocketsError("SOCKETS_NOT_SUPPORTED",
messageOf(error),cause):error instanceof NetlinkRefused&&error.errno===EPERM5?new TcpSocketsError("SOCKETS_NOT_PERMITTED",
"closing sockets of programs needs root or the capability NET_ADMIN",cause):new TcpSocketsError("SOCKETS_FAILED",`socket\
s could not be reset: ${messageOf(error)}`,cause)}var SysctlError=class extends ProxierError{sysctl;constructor(code,sysctl,message6,options){super(code,message6,options),
this.sysctl=sysctl}},ROOT="/proc/sys",ProcSysctl=class{#files;constructor(files=kernelFiles){this.#files=files}async read(name){
try{return(await this.#files.read(`${ROOT}/${checkedName(name)}`)).trim()}catch(error){throw describe6(name,"read",error)}}async write(name,value){
let wanted=`${value}`;if(sameValue2(await this.read(name),wanted))return!1;try{return await this.#files.write(`${ROOT}/${checkedName(
name)}`,wanted),!0}catch(error){throw describe6(name,`set to ${wanted}`,error)}}};function sameValue2(one,other){let words=text=>text.
trim().split(/\s+/).join(" ");return words(one)===words(other)}function checkedName(name){if(name.split("/").some(part=>part===
""||part==="."||part==="..")||name.includes("\0"))throw new SysctlError("SYSCTL_ABSENT",name,`"${name}" is not a sysctl:\
 write it like net/ipv4/ip_forward`);return name}function describe6(name,what,error){if(error instanceof SysctlError)return error;
let cause={cause:error};switch(systemErrorCode(error)){case"ENOENT":case"ENOTDIR":return new SysctlError("SYSCTL_ABSENT",
name,`sysctl ${name} does not exist: the kernel lacks it, or its module is not loaded`,cause);case"EROFS":case"EACCES":case"\
EPERM":return new SysctlError("SYSCTL_READ_ONLY",name,`sysctl ${name} could not be ${what}: it is read-only here; run pr\
ivileged, or set it on the host`,cause);case"EINVAL":case"ERANGE":return new SysctlError("SYSCTL_INVALID",name,`sysctl ${name}\
 cannot be ${what}: the kernel refuses it`,cause);default:return new SysctlError("SYSCTL_FAILED",name,`sysctl ${name} co\
uld not be ${what}: ${messageOf(error)}`,cause)}}export{repliesComeFrom,ConntrackError,NETLINK_PROTOCOLS,NETLINK_FLAGS,NetlinkError,NetlinkRefused,MAX_IN_FLIGHT,loadLibc,
chooseNetlinkTransport,NetlinkSocket,parseConntrackList,conntrackArguments,conntrackKey,ConntrackNetlink,systemPath,findTool,
slowCommands,CommandError,createCommandRunner,ConntrackTool,HostConntrack,ipSetEntryKey,IpSetsNetlink,isBuiltinTarget,iptablesDocumentChanges,
whyNotPermitted,raiseNetAdmin,hasNetAdmin,IptablesError,IptablesDocumentRefused,splitWords,withoutComment,targetOf,createIptables,
iptablesProgram,parseIptablesVersion,EMPTY_TABLE_DOCUMENT,userChain,isEmptyTableDocument,mergeTableDocuments,renderDocument,
renderDocumentInSlices,lineOfDocument,parseDocument,parseSavedTableInSlices,parseSavedTable,kernelProbability,IptablesRule,
effectOf,IPTABLES_SYNC_METRICS,detectIptablesVariant,removeChains,removedObjects,RuleSentinels,watchRules,IPVS_SCHEDULER_FLAGS,
virtualServerKey,IpvsNetlink,kernelFiles,kernelFilesOf,systemErrorCode,probeIpvs,AddressEventsNetlink,LinksNetlink,watchAddresses,
ProcLocalNetwork,supportsIPv6,PacketCountersNetlink,EndingOwners,nftTypeOf,nftFields,renderNftRule,renderNftFields,nftClassid,
expectedNftFingerprint,NftError,NftRefused,renderNftTransaction,renderNftSetOrMap,nftContainerSignature,createNetlinkNft,
NftListingUnreadable,parseNftTable,parseNftElements,NftMonitorReader,createNft,NftChoice,PathHost,NetfilterPath,IpvsStage,
parseRoutes,parseRoutesIPv6,runInSlices,readNetfilterPath,netfilterPathOf,plainHost,plannedPathOf,nftListingOf,listProcesses,
seesAllProcesses,inNewNamespace,canRun,releaseUnusedMemory,LibcMarkedSockets,LibcTcpConnects,tcpSocketIn,TcpSocketsError,
TcpSocketsNetlink,SysctlError,ProcSysctl};
//# sourceMappingURL=chunk-C2RJUF7R.js.map
