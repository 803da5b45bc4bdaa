import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{__commonJS,__toESM}from"./chunk-VCSBMK2H.js";var require_ipaddr=__commonJS({"node_modules/ipaddr.js/lib/ipaddr.js"(exports,module){(function(root){"use strict";let ipv4Part="\
(0?\\d+|0x[a-f0-9]+)",ipv4Regexes={fourOctet:new RegExp(`^${ipv4Part}\\.${ipv4Part}\\.${ipv4Part}\\.${ipv4Part}$`,"i"),threeOctet:new RegExp(
`^${ipv4Part}\\.${ipv4Part}\\.${ipv4Part}$`,"i"),twoOctet:new RegExp(`^${ipv4Part}\\.${ipv4Part}$`,"i"),longValue:new RegExp(
`^${ipv4Part}$`,"i")},octalRegex=new RegExp("^0[0-7]+$","i"),hexRegex=new RegExp("^0x[a-f0-9]+$","i"),zoneIndex="%[0-9a-\
z]{1,}",ipv6Part="(?:[0-9a-f]+::?)+",ipv6Regexes={zoneIndex:new RegExp(zoneIndex,"i"),native:new RegExp(`^(::)?(${ipv6Part}\
)?([0-9a-f]+)?(::)?(${zoneIndex})?$`,"i"),deprecatedTransitional:new RegExp(`^(?:::)(${ipv4Part}\\.${ipv4Part}\\.${ipv4Part}\
\\.${ipv4Part}(${zoneIndex})?)$`,"i"),transitional:new RegExp(`^((?:${ipv6Part})|(?:::)(?:${ipv6Part})?)${ipv4Part}\\.${ipv4Part}\
\\.${ipv4Part}\\.${ipv4Part}(${zoneIndex})?$`,"i")};function expandIPv6(string,parts){if(string.indexOf("::")!==string.lastIndexOf(
"::"))return null;let colonCount=0,lastColon=-1,zoneId=(string.match(ipv6Regexes.zoneIndex)||[])[0],replacement,replacementCount;
for(zoneId&&(zoneId=zoneId.substring(1),string=string.replace(/%.+$/,""));(lastColon=string.indexOf(":",lastColon+1))>=0;)
colonCount++;if(string.substr(0,2)==="::"&&colonCount--,string.substr(-2,2)==="::"&&colonCount--,colonCount>=parts)return null;
for(replacementCount=parts-colonCount,replacement=":";replacementCount--;)replacement+="0:";return string=string.replace(
"::",replacement),string[0]===":"&&(string=string.slice(1)),string[string.length-1]===":"&&(string=string.slice(0,-1)),parts=
(function(){let ref=string.split(":"),results=[];for(let i=0;i<ref.length;i++)results.push(ref[i].length>4?NaN:parseInt(
ref[i],16));return results})(),{parts,zoneId}}function matchCIDR(first,second,partSize,cidrBits){if(first.length!==second.
length)throw new Error("ipaddr: cannot match CIDR for objects with different lengths");let part=0,shift;for(;cidrBits>0;){
if(shift=partSize-cidrBits,shift<0&&(shift=0),first[part]>>shift!==second[part]>>shift)return!1;cidrBits-=partSize,part+=
1}return!0}function parseIntAuto(string){if(hexRegex.test(string))return parseInt(string,16);if(string[0]==="0"&&!isNaN(
parseInt(string[1],10))){if(octalRegex.test(string))return parseInt(string,8);throw new Error(`ipaddr: cannot parse ${string}\
 as octal`)}return parseInt(string,10)}function padPart(part,length){for(;part.length<length;)part=`0${part}`;return part}
let ipaddr4={};ipaddr4.IPv4=(function(){function IPv4(octets){if(octets.length!==4)throw new Error("ipaddr: ipv4 octet c\
ount should be 4");let i,octet;for(i=0;i<octets.length;i++)if(octet=octets[i],!(0<=octet&&octet<=255))throw new Error("i\
paddr: ipv4 octet should fit in 8 bits");this.octets=octets}return IPv4.prototype.SpecialRanges={unspecified:[[new IPv4(
[0,0,0,0]),8]],broadcast:[[new IPv4([255,255,255,255]),32]],multicast:[[new IPv4([224,0,0,0]),4]],linkLocal:[[new IPv4([
169,254,0,0]),16]],loopback:[[new IPv4([127,0,0,0]),8]],carrierGradeNat:[[new IPv4([100,64,0,0]),10]],private:[[new IPv4(
[10,0,0,0]),8],[new IPv4([172,16,0,0]),12],[new IPv4([192,168,0,0]),16]],reserved:[[new IPv4([192,0,0,0]),24],[new IPv4(
[192,0,2,0]),24],[new IPv4([192,88,99,0]),24],[new IPv4([198,18,0,0]),15],[new IPv4([198,51,100,0]),24],[new IPv4([203,0,
113,0]),24],[new IPv4([240,0,0,0]),4]],as112:[[new IPv4([192,175,48,0]),24],[new IPv4([192,31,196,0]),24]],amt:[[new IPv4(
[192,52,193,0]),24]]},IPv4.prototype.kind=function(){return"ipv4"},IPv4.prototype.match=function(other,cidrRange){let ref;
if(cidrRange===void 0&&(ref=other,other=ref[0],cidrRange=ref[1]),other.kind()!=="ipv4")throw new Error("ipaddr: cannot m\
atch ipv4 address with non-ipv4 one");return matchCIDR(this.octets,other.octets,8,cidrRange)},IPv4.prototype.prefixLengthFromSubnetMask=
function(){let cidr=0,stop=!1,zerotable={0:8,128:7,192:6,224:5,240:4,248:3,252:2,254:1,255:0},i,octet,zeros;for(i=3;i>=0;i-=
1)if(octet=this.octets[i],octet in zerotable){if(zeros=zerotable[octet],stop&&zeros!==0)return null;zeros!==8&&(stop=!0),
cidr+=zeros}else return null;return 32-cidr},IPv4.prototype.range=function(){return ipaddr4.subnetMatch(this,this.SpecialRanges)},
IPv4.prototype.toByteArray=function(){return this.octets.slice(0)},IPv4.prototype.toIPv4MappedAddress=function(){return ipaddr4.
IPv6.parse(`::ffff:${this.toString()}`)},IPv4.prototype.toNormalizedString=function(){return this.toString()},IPv4.prototype.
toString=function(){return this.octets.join(".")},IPv4})(),ipaddr4.IPv4.broadcastAddressFromCIDR=function(string){try{let cidr=this.
parseCIDR(string),ipInterfaceOctets=cidr[0].toByteArray(),subnetMaskOctets=this.subnetMaskFromPrefixLength(cidr[1]).toByteArray(),
octets=[],i=0;for(;i<4;)octets.push(parseInt(ipInterfaceOctets[i],10)|parseInt(subnetMaskOctets[i],10)^255),i++;return new this(
octets)}catch(e){throw new Error("ipaddr: the address does not have IPv4 CIDR format",{cause:e})}},ipaddr4.IPv4.isIPv4=function(string){
return this.parser(string)!==null},ipaddr4.IPv4.isValid=function(string){try{return new this(this.parser(string)),!0}catch{
return!1}},ipaddr4.IPv4.isValidCIDR=function(string){try{return this.parseCIDR(string),!0}catch{return!1}},ipaddr4.IPv4.
isValidFourPartDecimal=function(string){return!!(ipaddr4.IPv4.isValid(string)&&string.match(/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){3}$/))},
ipaddr4.IPv4.isValidCIDRFourPartDecimal=function(string){let match=string.match(/^(.+)\/(\d+)$/);return!ipaddr4.IPv4.isValidCIDR(
string)||!match?!1:ipaddr4.IPv4.isValidFourPartDecimal(match[1])},ipaddr4.IPv4.networkAddressFromCIDR=function(string){let cidr,
i,ipInterfaceOctets,octets,subnetMaskOctets;try{for(cidr=this.parseCIDR(string),ipInterfaceOctets=cidr[0].toByteArray(),
subnetMaskOctets=this.subnetMaskFromPrefixLength(cidr[1]).toByteArray(),octets=[],i=0;i<4;)octets.push(parseInt(ipInterfaceOctets[i],
10)&parseInt(subnetMaskOctets[i],10)),i++;return new this(octets)}catch(e){throw new Error("ipaddr: the address does not\
 have IPv4 CIDR format",{cause:e})}},ipaddr4.IPv4.parse=function(string){let parts=this.parser(string);if(parts===null)throw new Error(
"ipaddr: string is not formatted like an IPv4 Address");return new this(parts)},ipaddr4.IPv4.parseCIDR=function(string){
let match;if(match=string.match(/^(.+)\/(\d+)$/)){let maskLength=parseInt(match[2]);if(maskLength>=0&&maskLength<=32){let parsed2=[
this.parse(match[1]),maskLength];return Object.defineProperty(parsed2,"toString",{value:function(){return this.join("/")}}),
parsed2}}throw new Error("ipaddr: string is not formatted like an IPv4 CIDR range")},ipaddr4.IPv4.parser=function(string){
let match,part,value;if(match=string.match(ipv4Regexes.fourOctet))return(function(){let ref=match.slice(1,6),results=[];
for(let i=0;i<ref.length;i++)part=ref[i],results.push(parseIntAuto(part));return results})();if(match=string.match(ipv4Regexes.
longValue)){if(value=parseIntAuto(match[1]),value>4294967295||value<0)throw new Error("ipaddr: address outside defined r\
ange");return(function(){let results=[],shift;for(shift=0;shift<=24;shift+=8)results.push(value>>shift&255);return results})().
reverse()}else return(match=string.match(ipv4Regexes.twoOctet))?(function(){let ref=match.slice(1,4),results=[];if(value=
parseIntAuto(ref[1]),value>16777215||value<0)throw new Error("ipaddr: address outside defined range");return results.push(
parseIntAuto(ref[0])),results.push(value>>16&255),results.push(value>>8&255),results.push(value&255),results})():(match=
string.match(ipv4Regexes.threeOctet))?(function(){let ref=match.slice(1,5),results=[];if(value=parseIntAuto(ref[2]),value>
65535||value<0)throw new Error("ipaddr: address outside defined range");return results.push(parseIntAuto(ref[0])),results.
push(parseIntAuto(ref[1])),results.push(value>>8&255),results.push(value&255),results})():null},ipaddr4.IPv4.subnetMaskFromPrefixLength=
function(prefix){if(prefix=parseInt(prefix),Number.isNaN(prefix)||prefix<0||prefix>32)throw new Error("ipaddr: invalid I\
Pv4 prefix length");let octets=[0,0,0,0],j=0,filledOctetCount=Math.floor(prefix/8);for(;j<filledOctetCount;)octets[j]=255,
j++;return filledOctetCount<4&&(octets[filledOctetCount]=Math.pow(2,prefix%8)-1<<8-prefix%8),new this(octets)},ipaddr4.IPv6=
(function(){function IPv6(parts,zoneId){let i,part;if(parts.length===16)for(this.parts=[],i=0;i<=14;i+=2)this.parts.push(
parts[i]<<8|parts[i+1]);else if(parts.length===8)this.parts=parts;else throw new Error("ipaddr: ipv6 part count should b\
e 8 or 16");for(i=0;i<this.parts.length;i++)if(part=this.parts[i],!(0<=part&&part<=65535))throw new Error("ipaddr: ipv6 \
part should fit in 16 bits");zoneId&&(this.zoneId=zoneId)}return IPv6.prototype.SpecialRanges={unspecified:[new IPv6([0,
0,0,0,0,0,0,0]),128],linkLocal:[new IPv6([65152,0,0,0,0,0,0,0]),10],multicast:[new IPv6([65280,0,0,0,0,0,0,0]),8],loopback:[
new IPv6([0,0,0,0,0,0,0,1]),128],uniqueLocal:[new IPv6([64512,0,0,0,0,0,0,0]),7],ipv4Mapped:[new IPv6([0,0,0,0,0,65535,0,
0]),96],deprecatedSiteLocal:[new IPv6([65216,0,0,0,0,0,0,0]),10],discard:[new IPv6([256,0,0,0,0,0,0,0]),64],rfc6145:[new IPv6(
[0,0,0,0,65535,0,0,0]),96],rfc6052:[[new IPv6([100,65435,0,0,0,0,0,0]),96],[new IPv6([100,65435,1,0,0,0,0,0]),48]],"6to4":[
new IPv6([8194,0,0,0,0,0,0,0]),16],teredo:[new IPv6([8193,0,0,0,0,0,0,0]),32],benchmarking:[new IPv6([8193,2,0,0,0,0,0,0]),
48],amt:[new IPv6([8193,3,0,0,0,0,0,0]),32],as112v6:[[new IPv6([8193,4,274,0,0,0,0,0]),48],[new IPv6([9760,79,32768,0,0,
0,0,0]),48]],deprecatedOrchid:[new IPv6([8193,16,0,0,0,0,0,0]),28],orchid2:[new IPv6([8193,32,0,0,0,0,0,0]),28],droneRemoteIdProtocolEntityTags:[
new IPv6([8193,48,0,0,0,0,0,0]),28],segmentRouting:[new IPv6([24320,0,0,0,0,0,0,0]),16],reserved:[[new IPv6([8193,0,0,0,
0,0,0,0]),23],[new IPv6([8193,3512,0,0,0,0,0,0]),32],[new IPv6([16383,0,0,0,0,0,0,0]),20]]},IPv6.prototype.isIPv4MappedAddress=
function(){return this.range()==="ipv4Mapped"},IPv6.prototype.kind=function(){return"ipv6"},IPv6.prototype.match=function(other,cidrRange){
let ref;if(cidrRange===void 0&&(ref=other,other=ref[0],cidrRange=ref[1]),other.kind()!=="ipv6")throw new Error("ipaddr: \
cannot match ipv6 address with non-ipv6 one");return matchCIDR(this.parts,other.parts,16,cidrRange)},IPv6.prototype.prefixLengthFromSubnetMask=
function(){let cidr=0,stop=!1,zerotable={0:16,32768:15,49152:14,57344:13,61440:12,63488:11,64512:10,65024:9,65280:8,65408:7,
65472:6,65504:5,65520:4,65528:3,65532:2,65534:1,65535:0},part,zeros;for(let i=7;i>=0;i-=1)if(part=this.parts[i],part in zerotable){
if(zeros=zerotable[part],stop&&zeros!==0)return null;zeros!==16&&(stop=!0),cidr+=zeros}else return null;return 128-cidr},
IPv6.prototype.range=function(){return ipaddr4.subnetMatch(this,this.SpecialRanges)},IPv6.prototype.toByteArray=function(){
let part,bytes=[],ref=this.parts;for(let i=0;i<ref.length;i++)part=ref[i],bytes.push(part>>8),bytes.push(part&255);return bytes},
IPv6.prototype.toFixedLengthString=function(){let addr=(function(){let results=[];for(let i=0;i<this.parts.length;i++)results.
push(padPart(this.parts[i].toString(16),4));return results}).call(this).join(":"),suffix="";return this.zoneId&&(suffix=
`%${this.zoneId}`),addr+suffix},IPv6.prototype.toIPv4Address=function(){if(!this.isIPv4MappedAddress())throw new Error("\
ipaddr: trying to convert a generic ipv6 address to ipv4");let ref=this.parts.slice(-2),high=ref[0],low=ref[1];return new ipaddr4.
IPv4([high>>8,high&255,low>>8,low&255])},IPv6.prototype.toNormalizedString=function(){let addr=(function(){let results=[];
for(let i=0;i<this.parts.length;i++)results.push(this.parts[i].toString(16));return results}).call(this).join(":"),suffix="";
return this.zoneId&&(suffix=`%${this.zoneId}`),addr+suffix},IPv6.prototype.toRFC5952String=function(){let regex=/((^|:)(0(:|$)){2,})/g,
suffix="";this.zoneId&&(suffix=`%${this.zoneId}`);let normalized=this.toNormalizedString(),string=normalized.slice(0,normalized.
length-suffix.length),bestMatchIndex=0,bestMatchLength=-1,bestMatchGroups=-1,match;for(;match=regex.exec(string);){let groups=(match[0].
match(/0/g)||[]).length;groups>bestMatchGroups&&(bestMatchGroups=groups,bestMatchIndex=match.index,bestMatchLength=match[0].
length)}return bestMatchLength<0?string+suffix:`${string.substring(0,bestMatchIndex)}::${string.substring(bestMatchIndex+
bestMatchLength)}${suffix}`},IPv6.prototype.toString=function(){return this.toRFC5952String()},IPv6})(),ipaddr4.IPv6.broadcastAddressFromCIDR=
function(string){try{let cidr=this.parseCIDR(string),ipInterfaceOctets=cidr[0].toByteArray(),subnetMaskOctets=this.subnetMaskFromPrefixLength(
cidr[1]).toByteArray(),octets=[],i=0;for(;i<16;)octets.push(parseInt(ipInterfaceOctets[i],10)|parseInt(subnetMaskOctets[i],
10)^255),i++;return new this(octets)}catch(e){throw new Error("ipaddr: the address does not have IPv6 CIDR format",{cause:e})}},
ipaddr4.IPv6.isIPv6=function(string){return this.parser(string)!==null},ipaddr4.IPv6.isValid=function(string){if(typeof string==
"string"&&string.indexOf(":")===-1)return!1;try{let addr=this.parser(string);return new this(addr.parts,addr.zoneId),!0}catch{
return!1}},ipaddr4.IPv6.isValidCIDR=function(string){if(typeof string=="string"&&string.indexOf(":")===-1)return!1;try{return this.
parseCIDR(string),!0}catch{return!1}},ipaddr4.IPv6.networkAddressFromCIDR=function(string){let cidr,i,ipInterfaceOctets,
octets,subnetMaskOctets;try{for(cidr=this.parseCIDR(string),ipInterfaceOctets=cidr[0].toByteArray(),subnetMaskOctets=this.
subnetMaskFromPrefixLength(cidr[1]).toByteArray(),octets=[],i=0;i<16;)octets.push(parseInt(ipInterfaceOctets[i],10)&parseInt(
subnetMaskOctets[i],10)),i++;return new this(octets)}catch(e){throw new Error("ipaddr: the address does not have IPv6 CI\
DR format",{cause:e})}},ipaddr4.IPv6.parse=function(string){let addr=this.parser(string);if(addr===null)throw new Error(
"ipaddr: string is not formatted like an IPv6 Address");return new this(addr.parts,addr.zoneId)},ipaddr4.IPv6.parseCIDR=
function(string){let maskLength,match,parsed2;if((match=string.match(/^(.+)\/(\d+)$/))&&(maskLength=parseInt(match[2]),maskLength>=
0&&maskLength<=128))return parsed2=[this.parse(match[1]),maskLength],Object.defineProperty(parsed2,"toString",{value:function(){
return this.join("/")}}),parsed2;throw new Error("ipaddr: string is not formatted like an IPv6 CIDR range")},ipaddr4.IPv6.
parser=function(string){let addr,i,match,octet,octets,zoneId;if(match=string.match(ipv6Regexes.deprecatedTransitional))return this.
parser(`::ffff:${match[1]}`);if(ipv6Regexes.native.test(string))return expandIPv6(string,8);if((match=string.match(ipv6Regexes.
transitional))&&(zoneId=match[6]||"",addr=match[1],match[1].endsWith("::")||(addr=addr.slice(0,-1)),addr=expandIPv6(addr+
zoneId,6),addr&&addr.parts)){for(octets=[parseInt(match[2]),parseInt(match[3]),parseInt(match[4]),parseInt(match[5])],i=
0;i<octets.length;i++)if(octet=octets[i],!(0<=octet&&octet<=255))return null;return addr.parts.push(octets[0]<<8|octets[1]),
addr.parts.push(octets[2]<<8|octets[3]),{parts:addr.parts,zoneId:addr.zoneId}}return null},ipaddr4.IPv6.subnetMaskFromPrefixLength=
function(prefix){if(prefix=parseInt(prefix),Number.isNaN(prefix)||prefix<0||prefix>128)throw new Error("ipaddr: invalid \
IPv6 prefix length");let octets=[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],j=0,filledOctetCount=Math.floor(prefix/8);for(;j<filledOctetCount;)
octets[j]=255,j++;return filledOctetCount<16&&(octets[filledOctetCount]=Math.pow(2,prefix%8)-1<<8-prefix%8),new this(octets)},
ipaddr4.fromByteArray=function(bytes){let length=bytes.length;if(length===4)return new ipaddr4.IPv4(bytes);if(length===16)
return new ipaddr4.IPv6(bytes);throw new Error("ipaddr: the binary input is neither an IPv6 nor IPv4 address")},ipaddr4.
isValid=function(string){return ipaddr4.IPv6.isValid(string)||ipaddr4.IPv4.isValid(string)},ipaddr4.isValidCIDR=function(string){
return ipaddr4.IPv6.isValidCIDR(string)||ipaddr4.IPv4.isValidCIDR(string)},ipaddr4.parse=function(string){if(ipaddr4.IPv6.
isValid(string))return ipaddr4.IPv6.parse(string);if(ipaddr4.IPv4.isValid(string))return ipaddr4.IPv4.parse(string);throw new Error(
"ipaddr: the address has neither IPv6 nor IPv4 format")},ipaddr4.parseCIDR=function(string){try{return ipaddr4.IPv6.parseCIDR(
string)}catch{try{return ipaddr4.IPv4.parseCIDR(string)}catch(e){throw new Error("ipaddr: the address has neither IPv6 n\
or IPv4 CIDR format",{cause:e})}}},ipaddr4.process=function(string){let addr=this.parse(string);return addr.kind()==="ip\
v6"&&addr.isIPv4MappedAddress()?addr.toIPv4Address():addr},ipaddr4.subnetMatch=function(address,rangeList,defaultName){let i,
rangeName,rangeSubnets,subnet;defaultName==null&&(defaultName="unicast");for(rangeName in rangeList)if(Object.prototype.
hasOwnProperty.call(rangeList,rangeName)){for(rangeSubnets=rangeList[rangeName],rangeSubnets[0]&&!(rangeSubnets[0]instanceof
Array)&&(rangeSubnets=[rangeSubnets]),i=0;i<rangeSubnets.length;i++)if(subnet=rangeSubnets[i],address.kind()===subnet[0].
kind()&&address.match.apply(address,subnet))return rangeName}return defaultName},typeof module<"u"&&module.exports?module.
exports=ipaddr4:root.ipaddr=ipaddr4})(exports)}});var require_ReflectLite=__commonJS({"node_modules/reflect-metadata/ReflectLite.js"(){var Reflect2;(function(Reflect3){(function(factory){
var root=typeof globalThis=="object"?globalThis:typeof global=="object"?global:typeof self=="object"?self:typeof this=="\
object"?this:sloppyModeThis(),exporter=makeExporter(Reflect3);typeof root.Reflect<"u"&&(exporter=makeExporter(root.Reflect,
exporter)),factory(exporter,root),typeof root.Reflect>"u"&&(root.Reflect=Reflect3);function makeExporter(target,previous){
return function(key,value){Object.defineProperty(target,key,{configurable:!0,writable:!0,value}),previous&&previous(key,
value)}}function sloppyModeThis(){throw new ReferenceError("globalThis could not be found. Please polyfill globalThis be\
fore loading this module.")}})(function(exporter,root){var supportsSymbol=typeof Symbol=="function",toPrimitiveSymbol=supportsSymbol&&
typeof Symbol.toPrimitive<"u"?Symbol.toPrimitive:fail("Symbol.toPrimitive not found."),iteratorSymbol=supportsSymbol&&typeof Symbol.
iterator<"u"?Symbol.iterator:fail("Symbol.iterator not found."),functionPrototype=Object.getPrototypeOf(Function),_Map=typeof Map==
"function"&&typeof Map.prototype.entries=="function"?Map:fail("A valid Map constructor could not be found."),_Set=typeof Set==
"function"&&typeof Set.prototype.entries=="function"?Set:fail("A valid Set constructor could not be found."),_WeakMap=typeof WeakMap==
"function"?WeakMap:fail("A valid WeakMap constructor could not be found."),registrySymbol=supportsSymbol?Symbol.for("@re\
flect-metadata:registry"):void 0,metadataRegistry=GetOrCreateMetadataRegistry(),metadataProvider=CreateMetadataProvider(
metadataRegistry);function decorate2(decorators,target,propertyKey,attributes){if(IsUndefined(propertyKey)){if(!IsArray(
decorators))throw new TypeError;if(!IsConstructor(target))throw new TypeError;return DecorateConstructor(decorators,target)}else{
if(!IsArray(decorators))throw new TypeError;if(!IsObject(target))throw new TypeError;if(!IsObject(attributes)&&!IsUndefined(
attributes)&&!IsNull(attributes))throw new TypeError;return IsNull(attributes)&&(attributes=void 0),propertyKey=ToPropertyKey(
propertyKey),DecorateProperty(decorators,target,propertyKey,attributes)}}exporter("decorate",decorate2);function metadata(metadataKey,metadataValue){
function decorator(target,propertyKey){if(!IsObject(target))throw new TypeError;if(!IsUndefined(propertyKey)&&!IsPropertyKey(
propertyKey))throw new TypeError;OrdinaryDefineOwnMetadata(metadataKey,metadataValue,target,propertyKey)}return decorator}
exporter("metadata",metadata);function defineMetadata(metadataKey,metadataValue,target,propertyKey){if(!IsObject(target))
throw new TypeError;return IsUndefined(propertyKey)||(propertyKey=ToPropertyKey(propertyKey)),OrdinaryDefineOwnMetadata(
metadataKey,metadataValue,target,propertyKey)}exporter("defineMetadata",defineMetadata);function hasMetadata(metadataKey,target,propertyKey){
if(!IsObject(target))throw new TypeError;return IsUndefined(propertyKey)||(propertyKey=ToPropertyKey(propertyKey)),OrdinaryHasMetadata(
metadataKey,target,propertyKey)}exporter("hasMetadata",hasMetadata);function hasOwnMetadata(metadataKey,target,propertyKey){
if(!IsObject(target))throw new TypeError;return IsUndefined(propertyKey)||(propertyKey=ToPropertyKey(propertyKey)),OrdinaryHasOwnMetadata(
metadataKey,target,propertyKey)}exporter("hasOwnMetadata",hasOwnMetadata);function getMetadata(metadataKey,target,propertyKey){
if(!IsObject(target))throw new TypeError;return IsUndefined(propertyKey)||(propertyKey=ToPropertyKey(propertyKey)),OrdinaryGetMetadata(
metadataKey,target,propertyKey)}exporter("getMetadata",getMetadata);function getOwnMetadata(metadataKey,target,propertyKey){
if(!IsObject(target))throw new TypeError;return IsUndefined(propertyKey)||(propertyKey=ToPropertyKey(propertyKey)),OrdinaryGetOwnMetadata(
metadataKey,target,propertyKey)}exporter("getOwnMetadata",getOwnMetadata);function getMetadataKeys(target,propertyKey){if(!IsObject(
target))throw new TypeError;return IsUndefined(propertyKey)||(propertyKey=ToPropertyKey(propertyKey)),OrdinaryMetadataKeys(
target,propertyKey)}exporter("getMetadataKeys",getMetadataKeys);function getOwnMetadataKeys(target,propertyKey){if(!IsObject(
target))throw new TypeError;return IsUndefined(propertyKey)||(propertyKey=ToPropertyKey(propertyKey)),OrdinaryOwnMetadataKeys(
target,propertyKey)}exporter("getOwnMetadataKeys",getOwnMetadataKeys);function deleteMetadata(metadataKey,target,propertyKey){
if(!IsObject(target))throw new TypeError;IsUndefined(propertyKey)||(propertyKey=ToPropertyKey(propertyKey));var provider=GetMetadataProvider(
target,propertyKey,!1);return IsUndefined(provider)?!1:provider.OrdinaryDeleteMetadata(metadataKey,target,propertyKey)}exporter(
"deleteMetadata",deleteMetadata);function DecorateConstructor(decorators,target){for(var i=decorators.length-1;i>=0;--i){
var decorator=decorators[i],decorated=decorator(target);if(!IsUndefined(decorated)&&!IsNull(decorated)){if(!IsConstructor(
decorated))throw new TypeError;target=decorated}}return target}function DecorateProperty(decorators,target,propertyKey,descriptor){
for(var i=decorators.length-1;i>=0;--i){var decorator=decorators[i],decorated=decorator(target,propertyKey,descriptor);if(!IsUndefined(
decorated)&&!IsNull(decorated)){if(!IsObject(decorated))throw new TypeError;descriptor=decorated}}return descriptor}function OrdinaryHasMetadata(MetadataKey,O,P){
var hasOwn=OrdinaryHasOwnMetadata(MetadataKey,O,P);if(hasOwn)return!0;var parent=OrdinaryGetPrototypeOf(O);return IsNull(
parent)?!1:OrdinaryHasMetadata(MetadataKey,parent,P)}function OrdinaryHasOwnMetadata(MetadataKey,O,P){var provider=GetMetadataProvider(
O,P,!1);return IsUndefined(provider)?!1:ToBoolean(provider.OrdinaryHasOwnMetadata(MetadataKey,O,P))}function OrdinaryGetMetadata(MetadataKey,O,P){
var hasOwn=OrdinaryHasOwnMetadata(MetadataKey,O,P);if(hasOwn)return OrdinaryGetOwnMetadata(MetadataKey,O,P);var parent=OrdinaryGetPrototypeOf(
O);if(!IsNull(parent))return OrdinaryGetMetadata(MetadataKey,parent,P)}function OrdinaryGetOwnMetadata(MetadataKey,O,P){
var provider=GetMetadataProvider(O,P,!1);if(!IsUndefined(provider))return provider.OrdinaryGetOwnMetadata(MetadataKey,O,
P)}function OrdinaryDefineOwnMetadata(MetadataKey,MetadataValue,O,P){var provider=GetMetadataProvider(O,P,!0);provider.OrdinaryDefineOwnMetadata(
MetadataKey,MetadataValue,O,P)}function OrdinaryMetadataKeys(O,P){var ownKeys=OrdinaryOwnMetadataKeys(O,P),parent=OrdinaryGetPrototypeOf(
O);if(parent===null)return ownKeys;var parentKeys=OrdinaryMetadataKeys(parent,P);if(parentKeys.length<=0)return ownKeys;
if(ownKeys.length<=0)return parentKeys;for(var set=new _Set,keys=[],_i=0,ownKeys_1=ownKeys;_i<ownKeys_1.length;_i++){var key=ownKeys_1[_i],
hasKey=set.has(key);hasKey||(set.add(key),keys.push(key))}for(var _a=0,parentKeys_1=parentKeys;_a<parentKeys_1.length;_a++){
var key=parentKeys_1[_a],hasKey=set.has(key);hasKey||(set.add(key),keys.push(key))}return keys}function OrdinaryOwnMetadataKeys(O,P){
var provider=GetMetadataProvider(O,P,!1);return provider?provider.OrdinaryOwnMetadataKeys(O,P):[]}function Type(x){if(x===
null)return 1;switch(typeof x){case"undefined":return 0;case"boolean":return 2;case"string":return 3;case"symbol":return 4;case"\
number":return 5;case"object":return x===null?1:6;default:return 6}}function IsUndefined(x){return x===void 0}function IsNull(x){
return x===null}function IsSymbol(x){return typeof x=="symbol"}function IsObject(x){return typeof x=="object"?x!==null:typeof x==
"function"}function ToPrimitive(input,PreferredType){switch(Type(input)){case 0:return input;case 1:return input;case 2:
return input;case 3:return input;case 4:return input;case 5:return input}var hint2=PreferredType===3?"string":PreferredType===
5?"number":"default",exoticToPrim=GetMethod(input,toPrimitiveSymbol);if(exoticToPrim!==void 0){var result=exoticToPrim.call(
input,hint2);if(IsObject(result))throw new TypeError;return result}return OrdinaryToPrimitive(input,hint2==="default"?"n\
umber":hint2)}function OrdinaryToPrimitive(O,hint2){if(hint2==="string"){var toString_1=O.toString;if(IsCallable(toString_1)){
var result=toString_1.call(O);if(!IsObject(result))return result}var valueOf=O.valueOf;if(IsCallable(valueOf)){var result=valueOf.
call(O);if(!IsObject(result))return result}}else{var valueOf=O.valueOf;if(IsCallable(valueOf)){var result=valueOf.call(O);
if(!IsObject(result))return result}var toString_2=O.toString;if(IsCallable(toString_2)){var result=toString_2.call(O);if(!IsObject(
result))return result}}throw new TypeError}function ToBoolean(argument){return!!argument}function ToString(argument){return""+
argument}function ToPropertyKey(argument){var key=ToPrimitive(argument,3);return IsSymbol(key)?key:ToString(key)}function IsArray(argument){
return Array.isArray?Array.isArray(argument):argument instanceof Object?argument instanceof Array:Object.prototype.toString.
call(argument)==="[object Array]"}function IsCallable(argument){return typeof argument=="function"}function IsConstructor(argument){
return typeof argument=="function"}function IsPropertyKey(argument){switch(Type(argument)){case 3:return!0;case 4:return!0;default:
return!1}}function GetMethod(V,P){var func=V[P];if(func!=null){if(!IsCallable(func))throw new TypeError;return func}}function GetIterator(obj){
var method=GetMethod(obj,iteratorSymbol);if(!IsCallable(method))throw new TypeError;var iterator=method.call(obj);if(!IsObject(
iterator))throw new TypeError;return iterator}function IteratorValue(iterResult){return iterResult.value}function IteratorStep(iterator){
var result=iterator.next();return result.done?!1:result}function IteratorClose(iterator){var f=iterator.return;f&&f.call(
iterator)}function OrdinaryGetPrototypeOf(O){var proto=Object.getPrototypeOf(O);if(typeof O!="function"||O===functionPrototype||
proto!==functionPrototype)return proto;var prototype=O.prototype,prototypeProto=prototype&&Object.getPrototypeOf(prototype);
if(prototypeProto==null||prototypeProto===Object.prototype)return proto;var constructor=prototypeProto.constructor;return typeof constructor!=
"function"||constructor===O?proto:constructor}function fail(e){throw e}function CreateMetadataRegistry(){var fallback;!IsUndefined(
registrySymbol)&&typeof root.Reflect<"u"&&!(registrySymbol in root.Reflect)&&typeof root.Reflect.defineMetadata=="functi\
on"&&(fallback=CreateFallbackProvider(root.Reflect));var first,second,rest,targetProviderMap=new _WeakMap,registry={registerProvider,
getProvider,setProvider};return registry;function registerProvider(provider){if(!Object.isExtensible(registry))throw new Error(
"Cannot add provider to a frozen registry.");switch(!0){case fallback===provider:break;case IsUndefined(first):first=provider;
break;case first===provider:break;case IsUndefined(second):second=provider;break;case second===provider:break;default:rest===
void 0&&(rest=new _Set),rest.add(provider);break}}function getProviderNoCache(O,P){if(!IsUndefined(first)){if(first.isProviderFor(
O,P))return first;if(!IsUndefined(second)){if(second.isProviderFor(O,P))return first;if(!IsUndefined(rest))for(var iterator=GetIterator(
rest);;){var next=IteratorStep(iterator);if(!next)return;var provider=IteratorValue(next);if(provider.isProviderFor(O,P))
return IteratorClose(iterator),provider}}}if(!IsUndefined(fallback)&&fallback.isProviderFor(O,P))return fallback}function getProvider(O,P){
var providerMap=targetProviderMap.get(O),provider;return IsUndefined(providerMap)||(provider=providerMap.get(P)),IsUndefined(
provider)&&(provider=getProviderNoCache(O,P),IsUndefined(provider)||(IsUndefined(providerMap)&&(providerMap=new _Map,targetProviderMap.
set(O,providerMap)),providerMap.set(P,provider))),provider}function hasProvider(provider){if(IsUndefined(provider))throw new TypeError;
return first===provider||second===provider||!IsUndefined(rest)&&rest.has(provider)}function setProvider(O,P,provider){if(!hasProvider(
provider))throw new Error("Metadata provider not registered.");var existingProvider=getProvider(O,P);if(existingProvider!==
provider){if(!IsUndefined(existingProvider))return!1;var providerMap=targetProviderMap.get(O);IsUndefined(providerMap)&&
(providerMap=new _Map,targetProviderMap.set(O,providerMap)),providerMap.set(P,provider)}return!0}}function GetOrCreateMetadataRegistry(){
var metadataRegistry2;return!IsUndefined(registrySymbol)&&IsObject(root.Reflect)&&Object.isExtensible(root.Reflect)&&(metadataRegistry2=
root.Reflect[registrySymbol]),IsUndefined(metadataRegistry2)&&(metadataRegistry2=CreateMetadataRegistry()),!IsUndefined(
registrySymbol)&&IsObject(root.Reflect)&&Object.isExtensible(root.Reflect)&&Object.defineProperty(root.Reflect,registrySymbol,
{enumerable:!1,configurable:!1,writable:!1,value:metadataRegistry2}),metadataRegistry2}function CreateMetadataProvider(registry){
var metadata2=new _WeakMap,provider={isProviderFor:function(O,P){var targetMetadata=metadata2.get(O);return IsUndefined(
targetMetadata)?!1:targetMetadata.has(P)},OrdinaryDefineOwnMetadata:OrdinaryDefineOwnMetadata2,OrdinaryHasOwnMetadata:OrdinaryHasOwnMetadata2,
OrdinaryGetOwnMetadata:OrdinaryGetOwnMetadata2,OrdinaryOwnMetadataKeys:OrdinaryOwnMetadataKeys2,OrdinaryDeleteMetadata};
return metadataRegistry.registerProvider(provider),provider;function GetOrCreateMetadataMap(O,P,Create){var targetMetadata=metadata2.
get(O),createdTargetMetadata=!1;if(IsUndefined(targetMetadata)){if(!Create)return;targetMetadata=new _Map,metadata2.set(
O,targetMetadata),createdTargetMetadata=!0}var metadataMap=targetMetadata.get(P);if(IsUndefined(metadataMap)){if(!Create)
return;if(metadataMap=new _Map,targetMetadata.set(P,metadataMap),!registry.setProvider(O,P,provider))throw targetMetadata.
delete(P),createdTargetMetadata&&metadata2.delete(O),new Error("Wrong provider for target.")}return metadataMap}function OrdinaryHasOwnMetadata2(MetadataKey,O,P){
var metadataMap=GetOrCreateMetadataMap(O,P,!1);return IsUndefined(metadataMap)?!1:ToBoolean(metadataMap.has(MetadataKey))}
function OrdinaryGetOwnMetadata2(MetadataKey,O,P){var metadataMap=GetOrCreateMetadataMap(O,P,!1);if(!IsUndefined(metadataMap))
return metadataMap.get(MetadataKey)}function OrdinaryDefineOwnMetadata2(MetadataKey,MetadataValue,O,P){var metadataMap=GetOrCreateMetadataMap(
O,P,!0);metadataMap.set(MetadataKey,MetadataValue)}function OrdinaryOwnMetadataKeys2(O,P){var keys=[],metadataMap=GetOrCreateMetadataMap(
O,P,!1);if(IsUndefined(metadataMap))return keys;for(var keysObj=metadataMap.keys(),iterator=GetIterator(keysObj),k=0;;){
var next=IteratorStep(iterator);if(!next)return keys.length=k,keys;var nextValue=IteratorValue(next);try{keys[k]=nextValue}catch(e){
try{IteratorClose(iterator)}finally{throw e}}k++}}function OrdinaryDeleteMetadata(MetadataKey,O,P){var metadataMap=GetOrCreateMetadataMap(
O,P,!1);if(IsUndefined(metadataMap)||!metadataMap.delete(MetadataKey))return!1;if(metadataMap.size===0){var targetMetadata=metadata2.
get(O);IsUndefined(targetMetadata)||(targetMetadata.delete(P),targetMetadata.size===0&&metadata2.delete(targetMetadata))}
return!0}}function CreateFallbackProvider(reflect){var defineMetadata2=reflect.defineMetadata,hasOwnMetadata2=reflect.hasOwnMetadata,
getOwnMetadata2=reflect.getOwnMetadata,getOwnMetadataKeys2=reflect.getOwnMetadataKeys,deleteMetadata2=reflect.deleteMetadata,
metadataOwner=new _WeakMap,provider={isProviderFor:function(O,P){var metadataPropertySet=metadataOwner.get(O);return!IsUndefined(
metadataPropertySet)&&metadataPropertySet.has(P)?!0:getOwnMetadataKeys2(O,P).length?(IsUndefined(metadataPropertySet)&&(metadataPropertySet=
new _Set,metadataOwner.set(O,metadataPropertySet)),metadataPropertySet.add(P),!0):!1},OrdinaryDefineOwnMetadata:defineMetadata2,
OrdinaryHasOwnMetadata:hasOwnMetadata2,OrdinaryGetOwnMetadata:getOwnMetadata2,OrdinaryOwnMetadataKeys:getOwnMetadataKeys2,
OrdinaryDeleteMetadata:deleteMetadata2};return provider}function GetMetadataProvider(O,P,Create){var registeredProvider=metadataRegistry.
getProvider(O,P);if(!IsUndefined(registeredProvider))return registeredProvider;if(Create){if(metadataRegistry.setProvider(
O,P,metadataProvider))return metadataProvider;throw new Error("Illegal state.")}}})})(Reflect2||(Reflect2={}))}});var require_immutable=__commonJS({"node_modules/immutable/dist/immutable.js"(exports,module){(function(global2,factory){
typeof exports=="object"&&typeof module<"u"?factory(exports):typeof define=="function"&&define.amd?define(["exports"],factory):
(global2=typeof globalThis<"u"?globalThis:global2||self,factory(global2.Immutable={}))})(exports,(function(exports2){"us\
e strict";var IS_INDEXED_SYMBOL="@@__IMMUTABLE_INDEXED__@@";function isIndexed(maybeIndexed){return!!(maybeIndexed&&maybeIndexed[IS_INDEXED_SYMBOL])}
var IS_KEYED_SYMBOL="@@__IMMUTABLE_KEYED__@@";function isKeyed(maybeKeyed){return!!(maybeKeyed&&maybeKeyed[IS_KEYED_SYMBOL])}
function isAssociative(maybeAssociative){return isKeyed(maybeAssociative)||isIndexed(maybeAssociative)}var IS_COLLECTION_SYMBOL="\
@@__IMMUTABLE_ITERABLE__@@";function isCollection(maybeCollection){return!!(maybeCollection&&maybeCollection[IS_COLLECTION_SYMBOL])}
var Collection=function(value){return isCollection(value)?value:Seq(value)},KeyedCollection=(function(Collection2){function KeyedCollection2(value){
return isKeyed(value)?value:KeyedSeq(value)}return Collection2&&(KeyedCollection2.__proto__=Collection2),KeyedCollection2.
prototype=Object.create(Collection2&&Collection2.prototype),KeyedCollection2.prototype.constructor=KeyedCollection2,KeyedCollection2})(
Collection),IndexedCollection=(function(Collection2){function IndexedCollection2(value){return isIndexed(value)?value:IndexedSeq(
value)}return Collection2&&(IndexedCollection2.__proto__=Collection2),IndexedCollection2.prototype=Object.create(Collection2&&
Collection2.prototype),IndexedCollection2.prototype.constructor=IndexedCollection2,IndexedCollection2})(Collection),SetCollection=(function(Collection2){
function SetCollection2(value){return isCollection(value)&&!isAssociative(value)?value:SetSeq(value)}return Collection2&&
(SetCollection2.__proto__=Collection2),SetCollection2.prototype=Object.create(Collection2&&Collection2.prototype),SetCollection2.
prototype.constructor=SetCollection2,SetCollection2})(Collection);Collection.Keyed=KeyedCollection,Collection.Indexed=IndexedCollection,
Collection.Set=SetCollection;var ITERATE_KEYS=0,ITERATE_VALUES=1,ITERATE_ENTRIES=2,REAL_ITERATOR_SYMBOL=typeof Symbol=="\
function"&&Symbol.iterator,FAUX_ITERATOR_SYMBOL="@@iterator",ITERATOR_SYMBOL=REAL_ITERATOR_SYMBOL||FAUX_ITERATOR_SYMBOL,
Iterator=function(next){this.next=next};Iterator.prototype.toString=function(){return"[Iterator]"},Iterator.KEYS=ITERATE_KEYS,
Iterator.VALUES=ITERATE_VALUES,Iterator.ENTRIES=ITERATE_ENTRIES,Iterator.prototype.inspect=Iterator.prototype.toSource=function(){
return this.toString()},Iterator.prototype[ITERATOR_SYMBOL]=function(){return this};function iteratorValue(type,k,v,iteratorResult){
var value=type===ITERATE_KEYS?k:type===ITERATE_VALUES?v:[k,v];return iteratorResult?iteratorResult.value=value:iteratorResult=
{value,done:!1},iteratorResult}function iteratorDone(){return{value:void 0,done:!0}}function hasIterator(maybeIterable){
return Array.isArray(maybeIterable)?!0:!!getIteratorFn(maybeIterable)}function isIterator(maybeIterator){return!!(maybeIterator&&
typeof maybeIterator.next=="function")}function getIterator(iterable){var iteratorFn=getIteratorFn(iterable);return iteratorFn&&
iteratorFn.call(iterable)}function getIteratorFn(iterable){var iteratorFn=iterable&&(REAL_ITERATOR_SYMBOL&&iterable[REAL_ITERATOR_SYMBOL]||
iterable[FAUX_ITERATOR_SYMBOL]);if(typeof iteratorFn=="function")return iteratorFn}function isEntriesIterable(maybeIterable){
var iteratorFn=getIteratorFn(maybeIterable);return iteratorFn&&iteratorFn===maybeIterable.entries}function isKeysIterable(maybeIterable){
var iteratorFn=getIteratorFn(maybeIterable);return iteratorFn&&iteratorFn===maybeIterable.keys}var DELETE="delete",SHIFT=5,
SIZE=1<<SHIFT,MASK=SIZE-1,NOT_SET={};function MakeRef(){return{value:!1}}function SetRef(ref){ref&&(ref.value=!0)}function OwnerID(){}
function ensureSize(iter){return iter.size===void 0&&(iter.size=iter.__iterate(returnTrue)),iter.size}function wrapIndex(iter,index){
if(typeof index!="number"){var uint32Index=index>>>0;if(""+uint32Index!==index||uint32Index===4294967295)return NaN;index=
uint32Index}return index<0?ensureSize(iter)+index:index}function returnTrue(){return!0}function wholeSlice(begin,end,size){
return(begin===0&&!isNeg(begin)||size!==void 0&&begin<=-size)&&(end===void 0||size!==void 0&&end>=size)}function resolveBegin(begin,size){
return resolveIndex(begin,size,0)}function resolveEnd(end,size){return resolveIndex(end,size,size)}function resolveIndex(index,size,defaultIndex){
return index===void 0?defaultIndex:isNeg(index)?size===1/0?size:Math.max(0,size+index)|0:size===void 0||size===index?index:
Math.min(size,index)|0}function isNeg(value){return value<0||value===0&&1/value===-1/0}var IS_RECORD_SYMBOL="@@__IMMUTAB\
LE_RECORD__@@";function isRecord2(maybeRecord){return!!(maybeRecord&&maybeRecord[IS_RECORD_SYMBOL])}function isImmutable(maybeImmutable){
return isCollection(maybeImmutable)||isRecord2(maybeImmutable)}var IS_ORDERED_SYMBOL="@@__IMMUTABLE_ORDERED__@@";function isOrdered(maybeOrdered){
return!!(maybeOrdered&&maybeOrdered[IS_ORDERED_SYMBOL])}var IS_SEQ_SYMBOL="@@__IMMUTABLE_SEQ__@@";function isSeq(maybeSeq){
return!!(maybeSeq&&maybeSeq[IS_SEQ_SYMBOL])}var hasOwnProperty=Object.prototype.hasOwnProperty;function isArrayLike(value){
return Array.isArray(value)||typeof value=="string"?!0:value&&typeof value=="object"&&Number.isInteger(value.length)&&value.
length>=0&&(value.length===0?Object.keys(value).length===1:value.hasOwnProperty(value.length-1))}var Seq=(function(Collection2){
function Seq2(value){return value==null?emptySequence():isImmutable(value)?value.toSeq():seqFromValue(value)}return Collection2&&
(Seq2.__proto__=Collection2),Seq2.prototype=Object.create(Collection2&&Collection2.prototype),Seq2.prototype.constructor=
Seq2,Seq2.prototype.toSeq=function(){return this},Seq2.prototype.toString=function(){return this.__toString("Seq {","}")},
Seq2.prototype.cacheResult=function(){return!this._cache&&this.__iterateUncached&&(this._cache=this.entrySeq().toArray(),
this.size=this._cache.length),this},Seq2.prototype.__iterate=function(fn,reverse){var cache=this._cache;if(cache){for(var size=cache.
length,i=0;i!==size;){var entry=cache[reverse?size-++i:i++];if(fn(entry[1],entry[0],this)===!1)break}return i}return this.
__iterateUncached(fn,reverse)},Seq2.prototype.__iterator=function(type,reverse){var cache=this._cache;if(cache){var size=cache.
length,i=0;return new Iterator(function(){if(i===size)return iteratorDone();var entry=cache[reverse?size-++i:i++];return iteratorValue(
type,entry[0],entry[1])})}return this.__iteratorUncached(type,reverse)},Seq2})(Collection),KeyedSeq=(function(Seq2){function KeyedSeq2(value){
return value==null?emptySequence().toKeyedSeq():isCollection(value)?isKeyed(value)?value.toSeq():value.fromEntrySeq():isRecord2(
value)?value.toSeq():keyedSeqFromValue(value)}return Seq2&&(KeyedSeq2.__proto__=Seq2),KeyedSeq2.prototype=Object.create(
Seq2&&Seq2.prototype),KeyedSeq2.prototype.constructor=KeyedSeq2,KeyedSeq2.prototype.toKeyedSeq=function(){return this},KeyedSeq2})(
Seq),IndexedSeq=(function(Seq2){function IndexedSeq2(value){return value==null?emptySequence():isCollection(value)?isKeyed(
value)?value.entrySeq():value.toIndexedSeq():isRecord2(value)?value.toSeq().entrySeq():indexedSeqFromValue(value)}return Seq2&&
(IndexedSeq2.__proto__=Seq2),IndexedSeq2.prototype=Object.create(Seq2&&Seq2.prototype),IndexedSeq2.prototype.constructor=
IndexedSeq2,IndexedSeq2.of=function(){return IndexedSeq2(arguments)},IndexedSeq2.prototype.toIndexedSeq=function(){return this},
IndexedSeq2.prototype.toString=function(){return this.__toString("Seq [","]")},IndexedSeq2})(Seq),SetSeq=(function(Seq2){
function SetSeq2(value){return(isCollection(value)&&!isAssociative(value)?value:IndexedSeq(value)).toSetSeq()}return Seq2&&
(SetSeq2.__proto__=Seq2),SetSeq2.prototype=Object.create(Seq2&&Seq2.prototype),SetSeq2.prototype.constructor=SetSeq2,SetSeq2.
of=function(){return SetSeq2(arguments)},SetSeq2.prototype.toSetSeq=function(){return this},SetSeq2})(Seq);Seq.isSeq=isSeq,
Seq.Keyed=KeyedSeq,Seq.Set=SetSeq,Seq.Indexed=IndexedSeq,Seq.prototype[IS_SEQ_SYMBOL]=!0;var ArraySeq=(function(IndexedSeq2){
function ArraySeq2(array){this._array=array,this.size=array.length}return IndexedSeq2&&(ArraySeq2.__proto__=IndexedSeq2),
ArraySeq2.prototype=Object.create(IndexedSeq2&&IndexedSeq2.prototype),ArraySeq2.prototype.constructor=ArraySeq2,ArraySeq2.
prototype.get=function(index,notSetValue){return this.has(index)?this._array[wrapIndex(this,index)]:notSetValue},ArraySeq2.
prototype.__iterate=function(fn,reverse){for(var array=this._array,size=array.length,i=0;i!==size;){var ii=reverse?size-
++i:i++;if(fn(array[ii],ii,this)===!1)break}return i},ArraySeq2.prototype.__iterator=function(type,reverse){var array=this.
_array,size=array.length,i=0;return new Iterator(function(){if(i===size)return iteratorDone();var ii=reverse?size-++i:i++;
return iteratorValue(type,ii,array[ii])})},ArraySeq2})(IndexedSeq),ObjectSeq=(function(KeyedSeq2){function ObjectSeq2(object){
var keys=Object.keys(object).concat(Object.getOwnPropertySymbols?Object.getOwnPropertySymbols(object):[]);this._object=object,
this._keys=keys,this.size=keys.length}return KeyedSeq2&&(ObjectSeq2.__proto__=KeyedSeq2),ObjectSeq2.prototype=Object.create(
KeyedSeq2&&KeyedSeq2.prototype),ObjectSeq2.prototype.constructor=ObjectSeq2,ObjectSeq2.prototype.get=function(key,notSetValue){
return notSetValue!==void 0&&!this.has(key)?notSetValue:this._object[key]},ObjectSeq2.prototype.has=function(key){return hasOwnProperty.
call(this._object,key)},ObjectSeq2.prototype.__iterate=function(fn,reverse){for(var object=this._object,keys=this._keys,
size=keys.length,i=0;i!==size;){var key=keys[reverse?size-++i:i++];if(fn(object[key],key,this)===!1)break}return i},ObjectSeq2.
prototype.__iterator=function(type,reverse){var object=this._object,keys=this._keys,size=keys.length,i=0;return new Iterator(
function(){if(i===size)return iteratorDone();var key=keys[reverse?size-++i:i++];return iteratorValue(type,key,object[key])})},
ObjectSeq2})(KeyedSeq);ObjectSeq.prototype[IS_ORDERED_SYMBOL]=!0;var CollectionSeq=(function(IndexedSeq2){function CollectionSeq2(collection){
this._collection=collection,this.size=collection.length||collection.size}return IndexedSeq2&&(CollectionSeq2.__proto__=IndexedSeq2),
CollectionSeq2.prototype=Object.create(IndexedSeq2&&IndexedSeq2.prototype),CollectionSeq2.prototype.constructor=CollectionSeq2,
CollectionSeq2.prototype.__iterateUncached=function(fn,reverse){if(reverse)return this.cacheResult().__iterate(fn,reverse);
var collection=this._collection,iterator=getIterator(collection),iterations=0;if(isIterator(iterator))for(var step;!(step=
iterator.next()).done&&fn(step.value,iterations++,this)!==!1;);return iterations},CollectionSeq2.prototype.__iteratorUncached=
function(type,reverse){if(reverse)return this.cacheResult().__iterator(type,reverse);var collection=this._collection,iterator=getIterator(
collection);if(!isIterator(iterator))return new Iterator(iteratorDone);var iterations=0;return new Iterator(function(){var step=iterator.
next();return step.done?step:iteratorValue(type,iterations++,step.value)})},CollectionSeq2})(IndexedSeq),EMPTY_SEQ;function emptySequence(){
return EMPTY_SEQ||(EMPTY_SEQ=new ArraySeq([]))}function keyedSeqFromValue(value){var seq=maybeIndexedSeqFromValue(value);
if(seq)return seq.fromEntrySeq();if(typeof value=="object")return new ObjectSeq(value);throw new TypeError("Expected Arr\
ay or collection object of [k, v] entries, or keyed object: "+value)}function indexedSeqFromValue(value){var seq=maybeIndexedSeqFromValue(
value);if(seq)return seq;throw new TypeError("Expected Array or collection object of values: "+value)}function seqFromValue(value){
var seq=maybeIndexedSeqFromValue(value);if(seq)return isEntriesIterable(value)?seq.fromEntrySeq():isKeysIterable(value)?
seq.toSetSeq():seq;if(typeof value=="object")return new ObjectSeq(value);throw new TypeError("Expected Array or collecti\
on object of values, or keyed object: "+value)}function maybeIndexedSeqFromValue(value){return isArrayLike(value)?new ArraySeq(
value):hasIterator(value)?new CollectionSeq(value):void 0}function asImmutable(){return this.__ensureOwner()}function asMutable(){
return this.__ownerID?this:this.__ensureOwner(new OwnerID)}var imul=typeof Math.imul=="function"&&Math.imul(4294967295,2)===
-2?Math.imul:function(a,b){a|=0,b|=0;var c=a&65535,d=b&65535;return c*d+((a>>>16)*d+c*(b>>>16)<<16>>>0)|0};function smi(i32){
return i32>>>1&1073741824|i32&3221225471}var defaultValueOf=Object.prototype.valueOf;function hash(o){if(o==null)return hashNullish(
o);if(typeof o.hashCode=="function")return smi(o.hashCode(o));var v=valueOf(o);if(v==null)return hashNullish(v);switch(typeof v){case"\
boolean":return v?1108378657:1108378656;case"number":return hashNumber(v);case"string":return v.length>STRING_HASH_CACHE_MIN_STRLEN?
cachedHashString(v):hashString(v);case"object":case"function":return hashJSObj(v);case"symbol":return hashSymbol(v);default:
if(typeof v.toString=="function")return hashString(v.toString());throw new Error("Value type "+typeof v+" cannot be hash\
ed.")}}function hashNullish(nullish){return nullish===null?1108378658:1108378659}function hashNumber(n){if(n!==n||n===1/0)
return 0;var hash2=n|0;for(hash2!==n&&(hash2^=n*4294967295);n>4294967295;)n/=4294967295,hash2^=n;return smi(hash2)}function cachedHashString(string){
var hashed=stringHashCache[string];return hashed===void 0&&(hashed=hashString(string),STRING_HASH_CACHE_SIZE===STRING_HASH_CACHE_MAX_SIZE&&
(STRING_HASH_CACHE_SIZE=0,stringHashCache={}),STRING_HASH_CACHE_SIZE++,stringHashCache[string]=hashed),hashed}function hashString(string){
for(var hashed=0,ii=0;ii<string.length;ii++)hashed=31*hashed+string.charCodeAt(ii)|0;return smi(hashed)}var COLLISION_HASH_BASE=(Math.
random()*1048576|1)%1048576||40503;function hashCollisionKey(key){if(typeof key!="string")return hash(key);for(var hashed=0,
ii=0;ii<key.length;ii++)hashed=COLLISION_HASH_BASE*hashed+key.charCodeAt(ii)|0;return hashed}function hashSymbol(sym){var hashed=symbolMap[sym];
return hashed!==void 0||(hashed=nextHash(),symbolMap[sym]=hashed),hashed}function hashJSObj(obj){var hashed;if(usingWeakMap&&
(hashed=weakMap.get(obj),hashed!==void 0)||(hashed=obj[UID_HASH_KEY],hashed!==void 0)||!canDefineProperty&&(hashed=obj.propertyIsEnumerable&&
obj.propertyIsEnumerable[UID_HASH_KEY],hashed!==void 0||(hashed=getIENodeHash(obj),hashed!==void 0)))return hashed;if(hashed=
nextHash(),usingWeakMap)weakMap.set(obj,hashed);else{if(isExtensible!==void 0&&isExtensible(obj)===!1)throw new Error("N\
on-extensible objects are not allowed as keys.");if(canDefineProperty)Object.defineProperty(obj,UID_HASH_KEY,{enumerable:!1,
configurable:!1,writable:!1,value:hashed});else if(obj.propertyIsEnumerable!==void 0&&obj.propertyIsEnumerable===obj.constructor.
prototype.propertyIsEnumerable)obj.propertyIsEnumerable=function(){return this.constructor.prototype.propertyIsEnumerable.
apply(this,arguments)},obj.propertyIsEnumerable[UID_HASH_KEY]=hashed;else if(obj.nodeType!==void 0)obj[UID_HASH_KEY]=hashed;else
throw new Error("Unable to set a non-enumerable property on object.")}return hashed}var isExtensible=Object.isExtensible,
canDefineProperty=(function(){try{return Object.defineProperty({},"@",{}),!0}catch{return!1}})();function getIENodeHash(node){
if(node&&node.nodeType>0)switch(node.nodeType){case 1:return node.uniqueID;case 9:return node.documentElement&&node.documentElement.
uniqueID}}function valueOf(obj){return obj.valueOf!==defaultValueOf&&typeof obj.valueOf=="function"?obj.valueOf(obj):obj}
function nextHash(){var nextHash2=++_objHashUID;return _objHashUID&1073741824&&(_objHashUID=0),nextHash2}var usingWeakMap=typeof WeakMap==
"function",weakMap;usingWeakMap&&(weakMap=new WeakMap);var symbolMap=Object.create(null),_objHashUID=0,UID_HASH_KEY="__i\
mmutablehash__";typeof Symbol=="function"&&(UID_HASH_KEY=Symbol(UID_HASH_KEY));var STRING_HASH_CACHE_MIN_STRLEN=16,STRING_HASH_CACHE_MAX_SIZE=255,
STRING_HASH_CACHE_SIZE=0,stringHashCache={},ToKeyedSequence=(function(KeyedSeq2){function ToKeyedSequence2(indexed,useKeys){
this._iter=indexed,this._useKeys=useKeys,this.size=indexed.size}return KeyedSeq2&&(ToKeyedSequence2.__proto__=KeyedSeq2),
ToKeyedSequence2.prototype=Object.create(KeyedSeq2&&KeyedSeq2.prototype),ToKeyedSequence2.prototype.constructor=ToKeyedSequence2,
ToKeyedSequence2.prototype.get=function(key,notSetValue){return this._iter.get(key,notSetValue)},ToKeyedSequence2.prototype.
has=function(key){return this._iter.has(key)},ToKeyedSequence2.prototype.valueSeq=function(){return this._iter.valueSeq()},
ToKeyedSequence2.prototype.reverse=function(){var this$1$1=this,reversedSequence=reverseFactory(this,!0);return this._useKeys||
(reversedSequence.valueSeq=function(){return this$1$1._iter.toSeq().reverse()}),reversedSequence},ToKeyedSequence2.prototype.
map=function(mapper,context){var this$1$1=this,mappedSequence=mapFactory(this,mapper,context);return this._useKeys||(mappedSequence.
valueSeq=function(){return this$1$1._iter.toSeq().map(mapper,context)}),mappedSequence},ToKeyedSequence2.prototype.__iterate=
function(fn,reverse){var this$1$1=this;return this._iter.__iterate(function(v,k){return fn(v,k,this$1$1)},reverse)},ToKeyedSequence2.
prototype.__iterator=function(type,reverse){return this._iter.__iterator(type,reverse)},ToKeyedSequence2})(KeyedSeq);ToKeyedSequence.
prototype[IS_ORDERED_SYMBOL]=!0;var ToIndexedSequence=(function(IndexedSeq2){function ToIndexedSequence2(iter){this._iter=
iter,this.size=iter.size}return IndexedSeq2&&(ToIndexedSequence2.__proto__=IndexedSeq2),ToIndexedSequence2.prototype=Object.
create(IndexedSeq2&&IndexedSeq2.prototype),ToIndexedSequence2.prototype.constructor=ToIndexedSequence2,ToIndexedSequence2.
prototype.includes=function(value){return this._iter.includes(value)},ToIndexedSequence2.prototype.__iterate=function(fn,reverse){
var this$1$1=this,i=0;return reverse&&ensureSize(this),this._iter.__iterate(function(v){return fn(v,reverse?this$1$1.size-
++i:i++,this$1$1)},reverse)},ToIndexedSequence2.prototype.__iterator=function(type,reverse){var this$1$1=this,iterator=this.
_iter.__iterator(ITERATE_VALUES,reverse),i=0;return reverse&&ensureSize(this),new Iterator(function(){var step=iterator.
next();return step.done?step:iteratorValue(type,reverse?this$1$1.size-++i:i++,step.value,step)})},ToIndexedSequence2})(IndexedSeq),
ToSetSequence=(function(SetSeq2){function ToSetSequence2(iter){this._iter=iter,this.size=iter.size}return SetSeq2&&(ToSetSequence2.
__proto__=SetSeq2),ToSetSequence2.prototype=Object.create(SetSeq2&&SetSeq2.prototype),ToSetSequence2.prototype.constructor=
ToSetSequence2,ToSetSequence2.prototype.has=function(key){return this._iter.includes(key)},ToSetSequence2.prototype.__iterate=
function(fn,reverse){var this$1$1=this;return this._iter.__iterate(function(v){return fn(v,v,this$1$1)},reverse)},ToSetSequence2.
prototype.__iterator=function(type,reverse){var iterator=this._iter.__iterator(ITERATE_VALUES,reverse);return new Iterator(
function(){var step=iterator.next();return step.done?step:iteratorValue(type,step.value,step.value,step)})},ToSetSequence2})(
SetSeq),FromEntriesSequence=(function(KeyedSeq2){function FromEntriesSequence2(entries){this._iter=entries,this.size=entries.
size}return KeyedSeq2&&(FromEntriesSequence2.__proto__=KeyedSeq2),FromEntriesSequence2.prototype=Object.create(KeyedSeq2&&
KeyedSeq2.prototype),FromEntriesSequence2.prototype.constructor=FromEntriesSequence2,FromEntriesSequence2.prototype.entrySeq=
function(){return this._iter.toSeq()},FromEntriesSequence2.prototype.__iterate=function(fn,reverse){var this$1$1=this;return this.
_iter.__iterate(function(entry){if(entry){validateEntry(entry);var indexedCollection=isCollection(entry);return fn(indexedCollection?
entry.get(1):entry[1],indexedCollection?entry.get(0):entry[0],this$1$1)}},reverse)},FromEntriesSequence2.prototype.__iterator=
function(type,reverse){var iterator=this._iter.__iterator(ITERATE_VALUES,reverse);return new Iterator(function(){for(;;){
var step=iterator.next();if(step.done)return step;var entry=step.value;if(entry){validateEntry(entry);var indexedCollection=isCollection(
entry);return iteratorValue(type,indexedCollection?entry.get(0):entry[0],indexedCollection?entry.get(1):entry[1],step)}}})},
FromEntriesSequence2})(KeyedSeq);ToIndexedSequence.prototype.cacheResult=ToKeyedSequence.prototype.cacheResult=ToSetSequence.
prototype.cacheResult=FromEntriesSequence.prototype.cacheResult=cacheResultThrough;function flipFactory(collection){var flipSequence=makeSequence(
collection);return flipSequence._iter=collection,flipSequence.size=collection.size,flipSequence.flip=function(){return collection},
flipSequence.reverse=function(){var reversedSequence=collection.reverse.apply(this);return reversedSequence.flip=function(){
return collection.reverse()},reversedSequence},flipSequence.has=function(key){return collection.includes(key)},flipSequence.
includes=function(key){return collection.has(key)},flipSequence.cacheResult=cacheResultThrough,flipSequence.__iterateUncached=
function(fn,reverse){var this$1$1=this;return collection.__iterate(function(v,k){return fn(k,v,this$1$1)!==!1},reverse)},
flipSequence.__iteratorUncached=function(type,reverse){if(type===ITERATE_ENTRIES){var iterator=collection.__iterator(type,
reverse);return new Iterator(function(){var step=iterator.next();if(!step.done){var k=step.value[0];step.value[0]=step.value[1],
step.value[1]=k}return step})}return collection.__iterator(type===ITERATE_VALUES?ITERATE_KEYS:ITERATE_VALUES,reverse)},flipSequence}
function mapFactory(collection,mapper,context){var mappedSequence=makeSequence(collection);return mappedSequence.size=collection.
size,mappedSequence.has=function(key){return collection.has(key)},mappedSequence.get=function(key,notSetValue){var v=collection.
get(key,NOT_SET);return v===NOT_SET?notSetValue:mapper.call(context,v,key,collection)},mappedSequence.__iterateUncached=
function(fn,reverse){var this$1$1=this;return collection.__iterate(function(v,k,c){return fn(mapper.call(context,v,k,c),
k,this$1$1)!==!1},reverse)},mappedSequence.__iteratorUncached=function(type,reverse){var iterator=collection.__iterator(
ITERATE_ENTRIES,reverse);return new Iterator(function(){var step=iterator.next();if(step.done)return step;var entry=step.
value,key=entry[0];return iteratorValue(type,key,mapper.call(context,entry[1],key,collection),step)})},mappedSequence}function reverseFactory(collection,useKeys){
var reversedSequence=makeSequence(collection);return reversedSequence._iter=collection,reversedSequence.size=collection.
size,reversedSequence.reverse=function(){return collection},collection.flip&&(reversedSequence.flip=function(){var flipSequence=flipFactory(
collection);return flipSequence.reverse=function(){return collection.flip()},flipSequence}),reversedSequence.get=function(key,notSetValue){
return collection.get(useKeys?key:-1-key,notSetValue)},reversedSequence.has=function(key){return collection.has(useKeys?
key:-1-key)},reversedSequence.includes=function(value){return collection.includes(value)},reversedSequence.cacheResult=cacheResultThrough,
reversedSequence.__iterate=function(fn,reverse){var this$1$1=this,i=0,size=reverse?ensureSize(collection):NaN;return collection.
__iterate(function(v,k){return fn(v,useKeys?k:reverse?size-++i:i++,this$1$1)},!reverse)},reversedSequence.__iterator=function(type,reverse){
var i=0,size=reverse?ensureSize(collection):NaN,iterator=collection.__iterator(ITERATE_ENTRIES,!reverse);return new Iterator(
function(){var step=iterator.next();if(step.done)return step;var entry=step.value;return iteratorValue(type,useKeys?entry[0]:
reverse?size-++i:i++,entry[1],step)})},reversedSequence}function filterFactory(collection,predicate,context,useKeys){var filterSequence=makeSequence(
collection);return useKeys&&(filterSequence.has=function(key){var v=collection.get(key,NOT_SET);return v!==NOT_SET&&!!predicate.
call(context,v,key,collection)},filterSequence.get=function(key,notSetValue){var v=collection.get(key,NOT_SET);return v!==
NOT_SET&&predicate.call(context,v,key,collection)?v:notSetValue}),filterSequence.__iterateUncached=function(fn,reverse){
var this$1$1=this,size=reverse&&!useKeys?ensureSize(this):NaN,iterations=0;return collection.__iterate(function(v,k,c){if(predicate.
call(context,v,k,c)){iterations++;var index;return useKeys?index=k:reverse?index=size-iterations:index=iterations-1,fn(v,
index,this$1$1)}},reverse),iterations},filterSequence.__iteratorUncached=function(type,reverse){var size=reverse&&!useKeys?
ensureSize(this):NaN,iterator=collection.__iterator(ITERATE_ENTRIES,reverse),iterations=0;return new Iterator(function(){
for(;;){var step=iterator.next();if(step.done)return step;var entry=step.value,key=entry[0],value=entry[1];if(predicate.
call(context,value,key,collection)){var index=void 0;return useKeys?index=key:reverse?index=size-++iterations:index=iterations++,
iteratorValue(type,index,value,step)}}})},filterSequence}function countByFactory(collection,grouper,context){var groups=Map2().
asMutable();return collection.__iterate(function(v,k){groups.update(grouper.call(context,v,k,collection),0,function(a){return a+
1})}),groups.asImmutable()}function groupByFactory(collection,grouper,context){var isKeyedIter=isKeyed(collection),groups=(isOrdered(
collection)?OrderedMap():Map2()).asMutable();collection.__iterate(function(v,k){groups.update(grouper.call(context,v,k,collection),
function(a){return a=a||[],a.push(isKeyedIter?[k,v]:v),a})});var coerce=collectionClass(collection);return groups.map(function(arr){
return reify(collection,coerce(arr))}).asImmutable()}function partitionFactory(collection,predicate,context){var isKeyedIter=isKeyed(
collection),groups=[[],[]];collection.__iterate(function(v,k){groups[predicate.call(context,v,k,collection)?1:0].push(isKeyedIter?
[k,v]:v)});var coerce=collectionClass(collection);return groups.map(function(arr){return reify(collection,coerce(arr))})}
function sliceFactory(collection,begin,end,useKeys){var originalSize=collection.size;if(wholeSlice(begin,end,originalSize))
return collection;if(typeof originalSize>"u"&&(isNeg(begin)||isNeg(end)))return sliceFactory(collection.toSeq().cacheResult(),
begin,end,useKeys);var resolvedBegin=resolveBegin(begin,originalSize),resolvedEnd=resolveEnd(end,originalSize),resolvedSize=resolvedEnd-
resolvedBegin,sliceSize;resolvedSize===resolvedSize&&(sliceSize=resolvedSize<0?0:resolvedSize);var sliceSeq=makeSequence(
collection);return sliceSeq.size=sliceSize===0?sliceSize:collection.size&&sliceSize||void 0,!useKeys&&isSeq(collection)&&
sliceSize>=0&&(sliceSeq.get=function(index,notSetValue){return index=wrapIndex(this,index),index>=0&&index<sliceSize?collection.
get(index+resolvedBegin,notSetValue):notSetValue}),sliceSeq.__iterateUncached=function(fn,reverse){var this$1$1=this;if(sliceSize===
0)return 0;if(reverse)return this.cacheResult().__iterate(fn,reverse);var skipped=0,isSkipping=!0,iterations=0;return collection.
__iterate(function(v,k){if(!(isSkipping&&(isSkipping=skipped++<resolvedBegin)))return iterations++,fn(v,useKeys?k:iterations-
1,this$1$1)!==!1&&iterations!==sliceSize}),iterations},sliceSeq.__iteratorUncached=function(type,reverse){if(sliceSize!==
0&&reverse)return this.cacheResult().__iterator(type,reverse);if(sliceSize===0)return new Iterator(iteratorDone);var iterator=collection.
__iterator(type,reverse),skipped=0,iterations=0;return new Iterator(function(){for(;skipped++<resolvedBegin;)iterator.next();
if(++iterations>sliceSize)return iteratorDone();var step=iterator.next();return useKeys||type===ITERATE_VALUES||step.done?
step:type===ITERATE_KEYS?iteratorValue(type,iterations-1,void 0,step):iteratorValue(type,iterations-1,step.value[1],step)})},
sliceSeq}function takeWhileFactory(collection,predicate,context){var takeSequence=makeSequence(collection);return takeSequence.
__iterateUncached=function(fn,reverse){var this$1$1=this;if(reverse)return this.cacheResult().__iterate(fn,reverse);var iterations=0;
return collection.__iterate(function(v,k,c){return predicate.call(context,v,k,c)&&++iterations&&fn(v,k,this$1$1)}),iterations},
takeSequence.__iteratorUncached=function(type,reverse){var this$1$1=this;if(reverse)return this.cacheResult().__iterator(
type,reverse);var iterator=collection.__iterator(ITERATE_ENTRIES,reverse),iterating=!0;return new Iterator(function(){if(!iterating)
return iteratorDone();var step=iterator.next();if(step.done)return step;var entry=step.value,k=entry[0],v=entry[1];return predicate.
call(context,v,k,this$1$1)?type===ITERATE_ENTRIES?step:iteratorValue(type,k,v,step):(iterating=!1,iteratorDone())})},takeSequence}
function skipWhileFactory(collection,predicate,context,useKeys){var skipSequence=makeSequence(collection);return skipSequence.
__iterateUncached=function(fn,reverse){var this$1$1=this;if(reverse)return this.cacheResult().__iterate(fn,reverse);var isSkipping=!0,
iterations=0;return collection.__iterate(function(v,k,c){if(!(isSkipping&&(isSkipping=predicate.call(context,v,k,c))))return iterations++,
fn(v,useKeys?k:iterations-1,this$1$1)}),iterations},skipSequence.__iteratorUncached=function(type,reverse){var this$1$1=this;
if(reverse)return this.cacheResult().__iterator(type,reverse);var iterator=collection.__iterator(ITERATE_ENTRIES,reverse),
skipping=!0,iterations=0;return new Iterator(function(){var step,k,v;do{if(step=iterator.next(),step.done)return step;var entry=step.
value;k=entry[0],v=entry[1],skipping&&(skipping=predicate.call(context,v,k,this$1$1))}while(skipping);return iteratorValue(
type,useKeys?k:iterations++,v,step)})},skipSequence}var ConcatSeq=(function(Seq2){function ConcatSeq2(iterables){this._wrappedIterables=
iterables.flatMap(function(iterable){return iterable._wrappedIterables?iterable._wrappedIterables:[iterable]}),this.size=
this._wrappedIterables.reduce(function(sum,iterable){if(sum!==void 0){var size=iterable.size;if(size!==void 0)return sum+
size}},0),this[IS_KEYED_SYMBOL]=this._wrappedIterables[0][IS_KEYED_SYMBOL],this[IS_INDEXED_SYMBOL]=this._wrappedIterables[0][IS_INDEXED_SYMBOL],
this[IS_ORDERED_SYMBOL]=this._wrappedIterables[0][IS_ORDERED_SYMBOL]}return Seq2&&(ConcatSeq2.__proto__=Seq2),ConcatSeq2.
prototype=Object.create(Seq2&&Seq2.prototype),ConcatSeq2.prototype.constructor=ConcatSeq2,ConcatSeq2.prototype.__iterateUncached=
function(fn,reverse){if(this._wrappedIterables.length!==0){if(reverse)return this.cacheResult().__iterate(fn,reverse);for(var iterableIndex=0,
useKeys=isKeyed(this),iteratorType=useKeys?ITERATE_ENTRIES:ITERATE_VALUES,currentIterator=this._wrappedIterables[iterableIndex].
__iterator(iteratorType,reverse),keepGoing=!0,index=0;keepGoing;){for(var next=currentIterator.next();next.done;){if(iterableIndex++,
iterableIndex===this._wrappedIterables.length)return index;currentIterator=this._wrappedIterables[iterableIndex].__iterator(
iteratorType,reverse),next=currentIterator.next()}var fnResult=useKeys?fn(next.value[1],next.value[0],this):fn(next.value,
index,this);keepGoing=fnResult!==!1,index++}return index}},ConcatSeq2.prototype.__iteratorUncached=function(type,reverse){
var this$1$1=this;if(this._wrappedIterables.length===0)return new Iterator(iteratorDone);if(reverse)return this.cacheResult().
__iterator(type,reverse);var iterableIndex=0,currentIterator=this._wrappedIterables[iterableIndex].__iterator(type,reverse);
return new Iterator(function(){for(var next=currentIterator.next();next.done;){if(iterableIndex++,iterableIndex===this$1$1.
_wrappedIterables.length)return next;currentIterator=this$1$1._wrappedIterables[iterableIndex].__iterator(type,reverse),
next=currentIterator.next()}return next})},ConcatSeq2})(Seq);function concatFactory(collection,values){var isKeyedCollection=isKeyed(
collection),iters=[collection].concat(values).map(function(v){return isCollection(v)?isKeyedCollection&&(v=KeyedCollection(
v)):v=isKeyedCollection?keyedSeqFromValue(v):indexedSeqFromValue(Array.isArray(v)?v:[v]),v}).filter(function(v){return v.
size!==0});if(iters.length===0)return collection;if(iters.length===1){var singleton=iters[0];if(singleton===collection||
isKeyedCollection&&isKeyed(singleton)||isIndexed(collection)&&isIndexed(singleton))return singleton}return new ConcatSeq(
iters)}function flattenFactory(collection,depth,useKeys){var flatSequence=makeSequence(collection);return flatSequence.__iterateUncached=
function(fn,reverse){if(reverse)return this.cacheResult().__iterate(fn,reverse);var iterations=0,stopped=!1;function flatDeep(iter,currentDepth){
iter.__iterate(function(v,k){return(!depth||currentDepth<depth)&&isCollection(v)?flatDeep(v,currentDepth+1):(iterations++,
fn(v,useKeys?k:iterations-1,flatSequence)===!1&&(stopped=!0)),!stopped},reverse)}return flatDeep(collection,0),iterations},
flatSequence.__iteratorUncached=function(type,reverse){if(reverse)return this.cacheResult().__iterator(type,reverse);var iterator=collection.
__iterator(type,reverse),stack=[],iterations=0;return new Iterator(function(){for(;iterator;){var step=iterator.next();if(step.
done!==!1){iterator=stack.pop();continue}var v=step.value;if(type===ITERATE_ENTRIES&&(v=v[1]),(!depth||stack.length<depth)&&
isCollection(v))stack.push(iterator),iterator=v.__iterator(type,reverse);else return useKeys?step:iteratorValue(type,iterations++,
v,step)}return iteratorDone()})},flatSequence}function flatMapFactory(collection,mapper,context){var coerce=collectionClass(
collection);return collection.toSeq().map(function(v,k){return coerce(mapper.call(context,v,k,collection))}).flatten(!0)}
function interposeFactory(collection,separator){var interposedSequence=makeSequence(collection);return interposedSequence.
size=collection.size&&collection.size*2-1,interposedSequence.__iterateUncached=function(fn,reverse){var this$1$1=this,size=reverse?
ensureSize(this):NaN,iterations=0,nextKey=function(){return reverse?size-++iterations:iterations++};return collection.__iterate(
function(v){return(!iterations||fn(separator,nextKey(),this$1$1)!==!1)&&fn(v,nextKey(),this$1$1)!==!1},reverse),iterations},
interposedSequence.__iteratorUncached=function(type,reverse){var size=reverse?ensureSize(this):NaN,iterator=collection.__iterator(
ITERATE_VALUES,reverse),iterations=0,step;return new Iterator(function(){if((!step||iterations%2)&&(step=iterator.next(),
step.done))return step;var key=reverse?size-1-iterations:iterations;return iterations++%2?iteratorValue(type,key,separator):
iteratorValue(type,key,step.value,step)})},interposedSequence}function sortFactory(collection,comparator,mapper){comparator||
(comparator=defaultComparator);var isKeyedCollection=isKeyed(collection),index=0,entries=collection.toSeq().map(function(v,k){
return[k,v,index++,mapper?mapper(v,k,collection):v]}).valueSeq().toArray();return entries.sort(function(a,b){return comparator(
a[3],b[3])||a[2]-b[2]}).forEach(isKeyedCollection?function(v,i){entries[i].length=2}:function(v,i){entries[i]=v[1]}),isKeyedCollection?
KeyedSeq(entries):isIndexed(collection)?IndexedSeq(entries):SetSeq(entries)}function maxFactory(collection,comparator,mapper){
if(comparator||(comparator=defaultComparator),mapper){var entry=collection.toSeq().map(function(v,k){return[v,mapper(v,k,
collection)]}).reduce(function(a,b){return maxCompare(comparator,a[1],b[1])?b:a});return entry&&entry[0]}return collection.
reduce(function(a,b){return maxCompare(comparator,a,b)?b:a})}function maxCompare(comparator,a,b){var comp=comparator(b,a);
return comp===0&&b!==a&&(b==null||b!==b)||comp>0}function zipWithFactory(keyIter,zipper,iters,zipAll){var zipSequence=makeSequence(
keyIter),sizes=new ArraySeq(iters).map(function(i){return i.size});return zipSequence.size=zipAll?sizes.max():sizes.min(),
zipSequence.__iterateUncached=function(fn,reverse){for(var iterator=this.__iterator(ITERATE_VALUES,reverse),step,iterations=0;!(step=
iterator.next()).done&&fn(step.value,iterations++,this)!==!1;);return iterations},zipSequence.__iteratorUncached=function(type,reverse){
var iterators=iters.map(function(i){return i=Collection(i),getIterator(reverse?i.reverse():i)}),iterations=0,isDone=!1;return new Iterator(
function(){var steps;return isDone||(steps=iterators.map(function(i){return i.next()}),isDone=zipAll?steps.every(function(s){
return s.done}):steps.some(function(s){return s.done})),isDone?iteratorDone():iteratorValue(type,iterations++,zipper.apply(
null,steps.map(function(s){return s.value})))})},zipSequence}function reify(iter,seq){return iter===seq?iter:isSeq(iter)?
seq:iter.constructor(seq)}function validateEntry(entry){if(entry!==Object(entry))throw new TypeError("Expected [K, V] tu\
ple: "+entry)}function collectionClass(collection){return isKeyed(collection)?KeyedCollection:isIndexed(collection)?IndexedCollection:
SetCollection}function makeSequence(collection){return Object.create((isKeyed(collection)?KeyedSeq:isIndexed(collection)?
IndexedSeq:SetSeq).prototype)}function cacheResultThrough(){return this._iter.cacheResult?(this._iter.cacheResult(),this.
size=this._iter.size,this):Seq.prototype.cacheResult.call(this)}function defaultComparator(a,b){return a===void 0&&b===void 0?
0:a===void 0?1:b===void 0?-1:a>b?1:a<b?-1:0}function isValueObject(maybeValue){return!!(maybeValue&&typeof maybeValue.equals==
"function"&&typeof maybeValue.hashCode=="function")}function is(valueA,valueB){if(valueA===valueB||valueA!==valueA&&valueB!==
valueB)return!0;if(!valueA||!valueB)return!1;if(typeof valueA.valueOf=="function"&&typeof valueB.valueOf=="function"){if(valueA=
valueA.valueOf(),valueB=valueB.valueOf(),valueA===valueB||valueA!==valueA&&valueB!==valueB)return!0;if(!valueA||!valueB)
return!1}return!!(isValueObject(valueA)&&isValueObject(valueB)&&valueA.equals(valueB))}function update$1(collection,key,notSetValue,updater){
return updateIn(collection,[key],notSetValue,updater)}function merge$1(){for(var iters=[],len=arguments.length;len--;)iters[len]=
arguments[len];return mergeIntoKeyedWith(this,iters)}function mergeWith$1(merger){for(var iters=[],len=arguments.length-
1;len-- >0;)iters[len]=arguments[len+1];if(typeof merger!="function")throw new TypeError("Invalid merger function: "+merger);
return mergeIntoKeyedWith(this,iters,merger)}function mergeIntoKeyedWith(collection,collections,merger){for(var iters=[],
ii=0;ii<collections.length;ii++){var collection$1=KeyedCollection(collections[ii]);collection$1.size!==0&&iters.push(collection$1)}
return iters.length===0?collection:collection.toSeq().size===0&&!collection.__ownerID&&iters.length===1?isRecord2(collection)?
collection:collection.constructor(iters[0]):collection.withMutations(function(collection2){for(var mergeIntoCollection=merger?
function(value,key){update$1(collection2,key,NOT_SET,function(oldVal){return oldVal===NOT_SET?value:merger(oldVal,value,
key)})}:function(value,key){collection2.set(key,value)},ii2=0;ii2<iters.length;ii2++)iters[ii2].forEach(mergeIntoCollection)})}
var toString=Object.prototype.toString;function isPlainObject(value){if(!value||typeof value!="object"||toString.call(value)!==
"[object Object]")return!1;var proto=Object.getPrototypeOf(value);if(proto===null)return!0;for(var parentProto=proto,nextProto=Object.
getPrototypeOf(proto);nextProto!==null;)parentProto=nextProto,nextProto=Object.getPrototypeOf(parentProto);return parentProto===
proto}function isDataStructure(value){return typeof value=="object"&&(isImmutable(value)||Array.isArray(value)||isPlainObject(
value))}function isProtoKey(key){return typeof key=="string"&&(key==="__proto__"||key==="constructor")}function arrCopy(arr,offset){
offset=offset||0;for(var len=Math.max(0,arr.length-offset),newArr=new Array(len),ii=0;ii<len;ii++)newArr[ii]=arr[ii+offset];
return newArr}function shallowCopy(from){if(Array.isArray(from))return arrCopy(from);var to={};for(var key in from)isProtoKey(
key)||hasOwnProperty.call(from,key)&&(to[key]=from[key]);return to}function merge(collection){for(var sources=[],len=arguments.
length-1;len-- >0;)sources[len]=arguments[len+1];return mergeWithSources(collection,sources)}function mergeWith(merger,collection){
for(var sources=[],len=arguments.length-2;len-- >0;)sources[len]=arguments[len+2];return mergeWithSources(collection,sources,
merger)}function mergeDeep$1(collection){for(var sources=[],len=arguments.length-1;len-- >0;)sources[len]=arguments[len+
1];return mergeDeepWithSources(collection,sources)}function mergeDeepWith$1(merger,collection){for(var sources=[],len=arguments.
length-2;len-- >0;)sources[len]=arguments[len+2];return mergeDeepWithSources(collection,sources,merger)}function mergeDeepWithSources(collection,sources,merger){
return mergeWithSources(collection,sources,deepMergerWith(merger))}function mergeWithSources(collection,sources,merger){
if(!isDataStructure(collection))throw new TypeError("Cannot merge into non-data-structure value: "+collection);if(isImmutable(
collection))return typeof merger=="function"&&collection.mergeWith?collection.mergeWith.apply(collection,[merger].concat(
sources)):collection.merge?collection.merge.apply(collection,sources):collection.concat.apply(collection,sources);for(var isArray=Array.
isArray(collection),merged=collection,Collection2=isArray?IndexedCollection:KeyedCollection,mergeItem=isArray?function(value){
merged===collection&&(merged=shallowCopy(merged)),merged.push(value)}:function(value,key){if(!isProtoKey(key)){var hasVal=hasOwnProperty.
call(merged,key),nextVal=hasVal&&merger?merger(merged[key],value,key):value;(!hasVal||nextVal!==merged[key])&&(merged===
collection&&(merged=shallowCopy(merged)),merged[key]=nextVal)}},i=0;i<sources.length;i++)Collection2(sources[i]).forEach(
mergeItem);return merged}function deepMergerWith(merger){function deepMerger(oldValue,newValue,key){return isDataStructure(
oldValue)&&isDataStructure(newValue)&&areMergeable(oldValue,newValue)?mergeWithSources(oldValue,[newValue],deepMerger):merger?
merger(oldValue,newValue,key):newValue}return deepMerger}function areMergeable(oldDataStructure,newDataStructure){var oldSeq=Seq(
oldDataStructure),newSeq=Seq(newDataStructure);return isIndexed(oldSeq)===isIndexed(newSeq)&&isKeyed(oldSeq)===isKeyed(newSeq)}
function mergeDeep(){for(var iters=[],len=arguments.length;len--;)iters[len]=arguments[len];return mergeDeepWithSources(
this,iters)}function mergeDeepWith(merger){for(var iters=[],len=arguments.length-1;len-- >0;)iters[len]=arguments[len+1];
return mergeDeepWithSources(this,iters,merger)}function mergeDeepIn(keyPath){for(var iters=[],len=arguments.length-1;len-- >
0;)iters[len]=arguments[len+1];return updateIn(this,keyPath,emptyMap(),function(m){return mergeDeepWithSources(m,iters)})}
function mergeIn(keyPath){for(var iters=[],len=arguments.length-1;len-- >0;)iters[len]=arguments[len+1];return updateIn(
this,keyPath,emptyMap(),function(m){return mergeWithSources(m,iters)})}function setIn$1(collection,keyPath,value){return updateIn(
collection,keyPath,NOT_SET,function(){return value})}function setIn(keyPath,v){return setIn$1(this,keyPath,v)}function update(key,notSetValue,updater){
return arguments.length===1?key(this):update$1(this,key,notSetValue,updater)}function updateIn$1(keyPath,notSetValue,updater){
return updateIn(this,keyPath,notSetValue,updater)}function wasAltered(){return this.__altered}function withMutations(fn){
var mutable=this.asMutable();return fn(mutable),mutable.wasAltered()?mutable.__ensureOwner(this.__ownerID):this}var IS_MAP_SYMBOL="\
@@__IMMUTABLE_MAP__@@";function isMap(maybeMap){return!!(maybeMap&&maybeMap[IS_MAP_SYMBOL])}function invariant(condition,error){
if(!condition)throw new Error(error)}function assertNotInfinite(size){invariant(size!==1/0,"Cannot perform this action w\
ith an infinite size.")}var Map2=(function(KeyedCollection2){function Map3(value){return value==null?emptyMap():isMap(value)&&
!isOrdered(value)?value:emptyMap().withMutations(function(map){var iter=KeyedCollection2(value);assertNotInfinite(iter.size),
iter.forEach(function(v,k){return map.set(k,v)})})}return KeyedCollection2&&(Map3.__proto__=KeyedCollection2),Map3.prototype=
Object.create(KeyedCollection2&&KeyedCollection2.prototype),Map3.prototype.constructor=Map3,Map3.prototype.toString=function(){
return this.__toString("Map {","}")},Map3.prototype.get=function(k,notSetValue){return this._root?this._root.get(0,void 0,
k,notSetValue):notSetValue},Map3.prototype.set=function(k,v){return updateMap(this,k,v)},Map3.prototype.remove=function(k){
return updateMap(this,k,NOT_SET)},Map3.prototype.deleteAll=function(keys){var collection=Collection(keys);return collection.
size===0?this:this.withMutations(function(map){collection.forEach(function(key){return map.remove(key)})})},Map3.prototype.
clear=function(){return this.size===0?this:this.__ownerID?(this.size=0,this._root=null,this.__hash=void 0,this.__altered=
!0,this):emptyMap()},Map3.prototype.sort=function(comparator){return OrderedMap(sortFactory(this,comparator))},Map3.prototype.
sortBy=function(mapper,comparator){return OrderedMap(sortFactory(this,comparator,mapper))},Map3.prototype.map=function(mapper,context){
var this$1$1=this;return this.withMutations(function(map2){map2.forEach(function(value,key){map2.set(key,mapper.call(context,
value,key,this$1$1))})})},Map3.prototype.__iterator=function(type,reverse){return new MapIterator(this,type,reverse)},Map3.
prototype.__iterate=function(fn,reverse){var this$1$1=this,iterations=0;return this._root&&this._root.iterate(function(entry){
return iterations++,fn(entry[1],entry[0],this$1$1)},reverse),iterations},Map3.prototype.__ensureOwner=function(ownerID){
return ownerID===this.__ownerID?this:ownerID?makeMap(this.size,this._root,ownerID,this.__hash):this.size===0?emptyMap():
(this.__ownerID=ownerID,this.__altered=!1,this)},Map3})(KeyedCollection);Map2.isMap=isMap;var MapPrototype=Map2.prototype;
MapPrototype[IS_MAP_SYMBOL]=!0,MapPrototype[DELETE]=MapPrototype.remove,MapPrototype.removeAll=MapPrototype.deleteAll,MapPrototype.
setIn=setIn,MapPrototype.removeIn=MapPrototype.deleteIn=deleteIn,MapPrototype.update=update,MapPrototype.updateIn=updateIn$1,
MapPrototype.merge=MapPrototype.concat=merge$1,MapPrototype.mergeWith=mergeWith$1,MapPrototype.mergeDeep=mergeDeep,MapPrototype.
mergeDeepWith=mergeDeepWith,MapPrototype.mergeIn=mergeIn,MapPrototype.mergeDeepIn=mergeDeepIn,MapPrototype.withMutations=
withMutations,MapPrototype.wasAltered=wasAltered,MapPrototype.asImmutable=asImmutable,MapPrototype["@@transducer/init"]=
MapPrototype.asMutable=asMutable,MapPrototype["@@transducer/step"]=function(result,arr){return result.set(arr[0],arr[1])},
MapPrototype["@@transducer/result"]=function(obj){return obj.asImmutable()};var ArrayMapNode=function(ownerID,entries){this.
ownerID=ownerID,this.entries=entries};ArrayMapNode.prototype.get=function(shift,keyHash,key,notSetValue){for(var entries=this.
entries,ii=0,len=entries.length;ii<len;ii++)if(is(key,entries[ii][0]))return entries[ii][1];return notSetValue},ArrayMapNode.
prototype.update=function(ownerID,shift,keyHash,key,value,didChangeSize,didAlter){for(var removed=value===NOT_SET,entries=this.
entries,idx=0,len=entries.length;idx<len&&!is(key,entries[idx][0]);idx++);var exists=idx<len;if(exists?entries[idx][1]===
value:removed)return this;if(SetRef(didAlter),(removed||!exists)&&SetRef(didChangeSize),!(removed&&entries.length===1)){
if(!exists&&!removed&&entries.length>=MAX_ARRAY_MAP_SIZE)return createNodes(ownerID,entries,key,value);var isEditable=ownerID&&
ownerID===this.ownerID,newEntries=isEditable?entries:arrCopy(entries);return exists?removed?idx===len-1?newEntries.pop():
newEntries[idx]=newEntries.pop():newEntries[idx]=[key,value]:newEntries.push([key,value]),isEditable?(this.entries=newEntries,
this):new ArrayMapNode(ownerID,newEntries)}};var BitmapIndexedNode=function(ownerID,bitmap,nodes){this.ownerID=ownerID,this.
bitmap=bitmap,this.nodes=nodes};BitmapIndexedNode.prototype.get=function(shift,keyHash,key,notSetValue){keyHash===void 0&&
(keyHash=hash(key));var bit=1<<((shift===0?keyHash:keyHash>>>shift)&MASK),bitmap=this.bitmap;return(bitmap&bit)===0?notSetValue:
this.nodes[popCount(bitmap&bit-1)].get(shift+SHIFT,keyHash,key,notSetValue)},BitmapIndexedNode.prototype.update=function(ownerID,shift,keyHash,key,value,didChangeSize,didAlter){
keyHash===void 0&&(keyHash=hash(key));var keyHashFrag=(shift===0?keyHash:keyHash>>>shift)&MASK,bit=1<<keyHashFrag,bitmap=this.
bitmap,exists=(bitmap&bit)!==0;if(!exists&&value===NOT_SET)return this;var idx=popCount(bitmap&bit-1),nodes=this.nodes,node=exists?
nodes[idx]:void 0,newNode=updateNode(node,ownerID,shift+SHIFT,keyHash,key,value,didChangeSize,didAlter);if(newNode===node)
return this;if(!exists&&newNode&&nodes.length>=MAX_BITMAP_INDEXED_SIZE)return expandNodes(ownerID,nodes,bitmap,keyHashFrag,
newNode);if(exists&&!newNode&&nodes.length===2&&isLeafNode(nodes[idx^1]))return nodes[idx^1];if(exists&&newNode&&nodes.length===
1&&isLeafNode(newNode))return newNode;var isEditable=ownerID&&ownerID===this.ownerID,newBitmap=exists?newNode?bitmap:bitmap^
bit:bitmap|bit,newNodes=exists?newNode?setAt(nodes,idx,newNode,isEditable):spliceOut(nodes,idx,isEditable):spliceIn(nodes,
idx,newNode,isEditable);return isEditable?(this.bitmap=newBitmap,this.nodes=newNodes,this):new BitmapIndexedNode(ownerID,
newBitmap,newNodes)};var HashArrayMapNode=function(ownerID,count2,nodes){this.ownerID=ownerID,this.count=count2,this.nodes=
nodes};HashArrayMapNode.prototype.get=function(shift,keyHash,key,notSetValue){keyHash===void 0&&(keyHash=hash(key));var idx=(shift===
0?keyHash:keyHash>>>shift)&MASK,node=this.nodes[idx];return node?node.get(shift+SHIFT,keyHash,key,notSetValue):notSetValue},
HashArrayMapNode.prototype.update=function(ownerID,shift,keyHash,key,value,didChangeSize,didAlter){keyHash===void 0&&(keyHash=
hash(key));var idx=(shift===0?keyHash:keyHash>>>shift)&MASK,removed=value===NOT_SET,nodes=this.nodes,node=nodes[idx];if(removed&&
!node)return this;var newNode=updateNode(node,ownerID,shift+SHIFT,keyHash,key,value,didChangeSize,didAlter);if(newNode===
node)return this;var newCount=this.count;if(!node)newCount++;else if(!newNode&&(newCount--,newCount<MIN_HASH_ARRAY_MAP_SIZE))
return packNodes(ownerID,nodes,newCount,idx);var isEditable=ownerID&&ownerID===this.ownerID,newNodes=setAt(nodes,idx,newNode,
isEditable);return isEditable?(this.count=newCount,this.nodes=newNodes,this):new HashArrayMapNode(ownerID,newCount,newNodes)};
var HashCollisionNode=function(ownerID,keyHash,entries){this.ownerID=ownerID,this.keyHash=keyHash,this.entries=entries,this.
_index=void 0};HashCollisionNode.prototype._positionOf=function(key,buildIndex){var entries=this.entries,index=this._index;
if(index===void 0&&buildIndex&&entries.length>=MIN_HASH_COLLISION_INDEX_SIZE&&(index=this._buildIndex()),index!==void 0){
var positions=index[hashCollisionKey(key)];if(positions!==void 0)for(var jj=0;jj<positions.length;jj++){var ii=positions[jj];
if(is(key,entries[ii][0]))return ii}return-1}for(var ii$1=0,len=entries.length;ii$1<len;ii$1++)if(is(key,entries[ii$1][0]))
return ii$1;return-1},HashCollisionNode.prototype._buildIndex=function(){for(var index=Object.create(null),entries=this.
entries,ii=0,len=entries.length;ii<len;ii++){var secondaryHash=hashCollisionKey(entries[ii][0]),positions=index[secondaryHash];
positions!==void 0?positions.push(ii):index[secondaryHash]=[ii]}return this._index=index,index},HashCollisionNode.prototype.
get=function(shift,keyHash,key,notSetValue){var idx=this._positionOf(key,!0);return idx===-1?notSetValue:this.entries[idx][1]},
HashCollisionNode.prototype.update=function(ownerID,shift,keyHash,key,value,didChangeSize,didAlter){keyHash===void 0&&(keyHash=
hash(key));var removed=value===NOT_SET;if(keyHash!==this.keyHash)return removed?this:(SetRef(didAlter),SetRef(didChangeSize),
mergeIntoNode(this,ownerID,shift,keyHash,[key,value]));var entries=this.entries,len=entries.length,isEditable=ownerID&&ownerID===
this.ownerID,foundIdx=this._positionOf(key,isEditable),idx=foundIdx===-1?len:foundIdx,exists=foundIdx!==-1;if(exists?entries[idx][1]===
value:removed)return this;if(SetRef(didAlter),(removed||!exists)&&SetRef(didChangeSize),removed&&len===2)return new ValueNode(
ownerID,this.keyHash,entries[idx^1]);var newEntries=isEditable?entries:arrCopy(entries);if(exists)removed?(idx===len-1?newEntries.
pop():newEntries[idx]=newEntries.pop(),isEditable&&(this._index=void 0)):newEntries[idx]=[key,value];else if(newEntries.
push([key,value]),isEditable&&this._index!==void 0){var secondaryHash=hashCollisionKey(key),positions=this._index[secondaryHash];
positions!==void 0?positions.push(len):this._index[secondaryHash]=[len]}return isEditable?(this.entries=newEntries,this):
new HashCollisionNode(ownerID,this.keyHash,newEntries)};var ValueNode=function(ownerID,keyHash,entry){this.ownerID=ownerID,
this.keyHash=keyHash,this.entry=entry};ValueNode.prototype.get=function(shift,keyHash,key,notSetValue){return is(key,this.
entry[0])?this.entry[1]:notSetValue},ValueNode.prototype.update=function(ownerID,shift,keyHash,key,value,didChangeSize,didAlter){
var removed=value===NOT_SET,keyMatch=is(key,this.entry[0]);if(keyMatch?value===this.entry[1]:removed)return this;if(SetRef(
didAlter),removed){SetRef(didChangeSize);return}return keyMatch?ownerID&&ownerID===this.ownerID?(this.entry[1]=value,this):
new ValueNode(ownerID,this.keyHash,[key,value]):(SetRef(didChangeSize),mergeIntoNode(this,ownerID,shift,hash(key),[key,value]))},
ArrayMapNode.prototype.iterate=HashCollisionNode.prototype.iterate=function(fn,reverse){for(var entries=this.entries,ii=0,
maxIndex=entries.length-1;ii<=maxIndex;ii++)if(fn(entries[reverse?maxIndex-ii:ii])===!1)return!1},BitmapIndexedNode.prototype.
iterate=HashArrayMapNode.prototype.iterate=function(fn,reverse){for(var nodes=this.nodes,ii=0,maxIndex=nodes.length-1;ii<=
maxIndex;ii++){var node=nodes[reverse?maxIndex-ii:ii];if(node&&node.iterate(fn,reverse)===!1)return!1}},ValueNode.prototype.
iterate=function(fn,reverse){return fn(this.entry)};var MapIterator=(function(Iterator2){function MapIterator2(map,type,reverse){
this._type=type,this._reverse=reverse,this._stack=map._root&&mapIteratorFrame(map._root)}return Iterator2&&(MapIterator2.
__proto__=Iterator2),MapIterator2.prototype=Object.create(Iterator2&&Iterator2.prototype),MapIterator2.prototype.constructor=
MapIterator2,MapIterator2.prototype.next=function(){for(var type=this._type,stack=this._stack;stack;){var node=stack.node,
index=stack.index++,maxIndex=void 0;if(node.entry){if(index===0)return mapIteratorValue(type,node.entry)}else if(node.entries){
if(maxIndex=node.entries.length-1,index<=maxIndex)return mapIteratorValue(type,node.entries[this._reverse?maxIndex-index:
index])}else if(maxIndex=node.nodes.length-1,index<=maxIndex){var subNode=node.nodes[this._reverse?maxIndex-index:index];
if(subNode){if(subNode.entry)return mapIteratorValue(type,subNode.entry);stack=this._stack=mapIteratorFrame(subNode,stack)}
continue}stack=this._stack=this._stack.__prev}return iteratorDone()},MapIterator2})(Iterator);function mapIteratorValue(type,entry){
return iteratorValue(type,entry[0],entry[1])}function mapIteratorFrame(node,prev){return{node,index:0,__prev:prev}}function makeMap(size,root,ownerID,hash2){
var map=Object.create(MapPrototype);return map.size=size,map._root=root,map.__ownerID=ownerID,map.__hash=hash2,map.__altered=
!1,map}var EMPTY_MAP;function emptyMap(){return EMPTY_MAP||(EMPTY_MAP=makeMap(0))}function updateMap(map,k,v){var newRoot,
newSize;if(map._root){var didChangeSize=MakeRef(),didAlter=MakeRef();if(newRoot=updateNode(map._root,map.__ownerID,0,void 0,
k,v,didChangeSize,didAlter),!didAlter.value)return map;newSize=map.size+(didChangeSize.value?v===NOT_SET?-1:1:0)}else{if(v===
NOT_SET)return map;newSize=1,newRoot=new ArrayMapNode(map.__ownerID,[[k,v]])}return map.__ownerID?(map.size=newSize,map.
_root=newRoot,map.__hash=void 0,map.__altered=!0,map):newRoot?makeMap(newSize,newRoot):emptyMap()}function updateNode(node,ownerID,shift,keyHash,key,value,didChangeSize,didAlter){
return node?node.update(ownerID,shift,keyHash,key,value,didChangeSize,didAlter):value===NOT_SET?node:(SetRef(didAlter),SetRef(
didChangeSize),new ValueNode(ownerID,keyHash,[key,value]))}function isLeafNode(node){return node.constructor===ValueNode||
node.constructor===HashCollisionNode}function mergeIntoNode(node,ownerID,shift,keyHash,entry){if(node.keyHash===keyHash)
return new HashCollisionNode(ownerID,keyHash,[node.entry,entry]);var idx1=(shift===0?node.keyHash:node.keyHash>>>shift)&
MASK,idx2=(shift===0?keyHash:keyHash>>>shift)&MASK,newNode,nodes=idx1===idx2?[mergeIntoNode(node,ownerID,shift+SHIFT,keyHash,
entry)]:(newNode=new ValueNode(ownerID,keyHash,entry),idx1<idx2?[node,newNode]:[newNode,node]);return new BitmapIndexedNode(
ownerID,1<<idx1|1<<idx2,nodes)}function createNodes(ownerID,entries,key,value){ownerID||(ownerID=new OwnerID);for(var node=new ValueNode(
ownerID,hash(key),[key,value]),ii=0;ii<entries.length;ii++){var entry=entries[ii];node=node.update(ownerID,0,void 0,entry[0],
entry[1])}return node}function packNodes(ownerID,nodes,count2,excluding){for(var bitmap=0,packedII=0,packedNodes=new Array(
count2),ii=0,bit=1,len=nodes.length;ii<len;ii++,bit<<=1){var node=nodes[ii];node!==void 0&&ii!==excluding&&(bitmap|=bit,
packedNodes[packedII++]=node)}return new BitmapIndexedNode(ownerID,bitmap,packedNodes)}function expandNodes(ownerID,nodes,bitmap,including,node){
for(var count2=0,expandedNodes=new Array(SIZE),ii=0;bitmap!==0;ii++,bitmap>>>=1)expandedNodes[ii]=bitmap&1?nodes[count2++]:
void 0;return expandedNodes[including]=node,new HashArrayMapNode(ownerID,count2+1,expandedNodes)}function popCount(x){return x-=
x>>1&1431655765,x=(x&858993459)+(x>>2&858993459),x=x+(x>>4)&252645135,x+=x>>8,x+=x>>16,x&127}function setAt(array,idx,val,canEdit){
var newArray=canEdit?array:arrCopy(array);return newArray[idx]=val,newArray}function spliceIn(array,idx,val,canEdit){var newLen=array.
length+1;if(canEdit&&idx+1===newLen)return array[idx]=val,array;for(var newArray=new Array(newLen),after=0,ii=0;ii<newLen;ii++)
ii===idx?(newArray[ii]=val,after=-1):newArray[ii]=array[ii+after];return newArray}function spliceOut(array,idx,canEdit){
var newLen=array.length-1;if(canEdit&&idx===newLen)return array.pop(),array;for(var newArray=new Array(newLen),after=0,ii=0;ii<
newLen;ii++)ii===idx&&(after=1),newArray[ii]=array[ii+after];return newArray}var MAX_ARRAY_MAP_SIZE=SIZE/4,MAX_BITMAP_INDEXED_SIZE=SIZE/
2,MIN_HASH_ARRAY_MAP_SIZE=SIZE/4,MIN_HASH_COLLISION_INDEX_SIZE=16;function coerceKeyPath(keyPath){if(isArrayLike(keyPath)&&
typeof keyPath!="string")return keyPath;if(isOrdered(keyPath))return keyPath.toArray();throw new TypeError("Invalid keyP\
ath: expected Ordered Collection or Array: "+keyPath)}function quoteString(value){try{return typeof value=="string"?JSON.
stringify(value):String(value)}catch{return JSON.stringify(value)}}function has(collection,key){return isImmutable(collection)?
collection.has(key):isDataStructure(collection)&&hasOwnProperty.call(collection,key)}function get(collection,key,notSetValue){
return isImmutable(collection)?collection.get(key,notSetValue):has(collection,key)?typeof collection.get=="function"?collection.
get(key):collection[key]:notSetValue}function remove(collection,key){if(!isDataStructure(collection))throw new TypeError(
"Cannot update non-data-structure value: "+collection);if(isImmutable(collection)){if(!collection.remove)throw new TypeError(
"Cannot update immutable value without .remove() method: "+collection);return collection.remove(key)}if(!hasOwnProperty.
call(collection,key))return collection;var collectionCopy=shallowCopy(collection);return Array.isArray(collectionCopy)?collectionCopy.
splice(key,1):delete collectionCopy[key],collectionCopy}function set(collection,key,value){if(isProtoKey(key))return collection;
if(!isDataStructure(collection))throw new TypeError("Cannot update non-data-structure value: "+collection);if(isImmutable(
collection)){if(!collection.set)throw new TypeError("Cannot update immutable value without .set() method: "+collection);
return collection.set(key,value)}if(hasOwnProperty.call(collection,key)&&value===collection[key])return collection;var collectionCopy=shallowCopy(
collection);return collectionCopy[key]=value,collectionCopy}function updateIn(collection,keyPath,notSetValue,updater){updater||
(updater=notSetValue,notSetValue=void 0);var updatedValue=updateInDeeply(isImmutable(collection),collection,coerceKeyPath(
keyPath),0,notSetValue,updater);return updatedValue===NOT_SET?notSetValue:updatedValue}function updateInDeeply(inImmutable,existing,keyPath,i,notSetValue,updater){
var wasNotSet=existing===NOT_SET;if(i===keyPath.length){var existingValue=wasNotSet?notSetValue:existing,newValue=updater(
existingValue);return newValue===existingValue?existing:newValue}if(!wasNotSet&&!isDataStructure(existing))throw new TypeError(
"Cannot update within non-data-structure value in path ["+Array.from(keyPath).slice(0,i).map(quoteString)+"]: "+existing);
var key=keyPath[i],nextExisting=wasNotSet?NOT_SET:get(existing,key,NOT_SET),nextUpdated=updateInDeeply(nextExisting===NOT_SET?
inImmutable:isImmutable(nextExisting),nextExisting,keyPath,i+1,notSetValue,updater);return nextUpdated===nextExisting?existing:
nextUpdated===NOT_SET?remove(existing,key):set(wasNotSet?inImmutable?emptyMap():{}:existing,key,nextUpdated)}function removeIn(collection,keyPath){
return updateIn(collection,keyPath,function(){return NOT_SET})}function deleteIn(keyPath){return removeIn(this,keyPath)}
var IS_LIST_SYMBOL="@@__IMMUTABLE_LIST__@@";function isList2(maybeList){return!!(maybeList&&maybeList[IS_LIST_SYMBOL])}var List=(function(IndexedCollection2){
function List2(value){var empty=emptyList();if(value==null)return empty;if(isList2(value))return value;var iter=IndexedCollection2(
value),size=iter.size;return size===0?empty:(assertNotInfinite(size),size>0&&size<SIZE?makeList(0,size,SHIFT,void 0,new VNode(
iter.toArray())):empty.withMutations(function(list){list.setSize(size),iter.forEach(function(v,i){return list.set(i,v)})}))}
return IndexedCollection2&&(List2.__proto__=IndexedCollection2),List2.prototype=Object.create(IndexedCollection2&&IndexedCollection2.
prototype),List2.prototype.constructor=List2,List2.of=function(){return this(arguments)},List2.prototype.toString=function(){
return this.__toString("List [","]")},List2.prototype.get=function(index,notSetValue){if(index=wrapIndex(this,index),index>=
0&&index<this.size){index+=this._origin;var node=listNodeFor(this,index);return node&&node.array[index&MASK]}return notSetValue},
List2.prototype.set=function(index,value){return updateList(this,index,value)},List2.prototype.remove=function(index){return this.
has(index)?index===0?this.shift():index===this.size-1?this.pop():this.splice(index,1):this},List2.prototype.insert=function(index,value){
return this.splice(index,0,value)},List2.prototype.clear=function(){return this.size===0?this:this.__ownerID?(this.size=
this._origin=this._capacity=0,this._level=SHIFT,this._root=this._tail=this.__hash=void 0,this.__altered=!0,this):emptyList()},
List2.prototype.push=function(){var values=arguments,oldSize=this.size;return this.withMutations(function(list){setListBounds(
list,0,oldSize+values.length);for(var ii=0;ii<values.length;ii++)list.set(oldSize+ii,values[ii])})},List2.prototype.pop=
function(){return setListBounds(this,0,-1)},List2.prototype.unshift=function(){var values=arguments;return this.withMutations(
function(list){setListBounds(list,-values.length);for(var ii=0;ii<values.length;ii++)list.set(ii,values[ii])})},List2.prototype.
shift=function(){return setListBounds(this,1)},List2.prototype.shuffle=function(random){return random===void 0&&(random=
Math.random),this.withMutations(function(mutable){for(var current=mutable.size,destination,tmp;current;)destination=Math.
floor(random()*current--),tmp=mutable.get(destination),mutable.set(destination,mutable.get(current)),mutable.set(current,
tmp)})},List2.prototype.concat=function(){for(var arguments$1=arguments,seqs=[],i=0;i<arguments.length;i++){var argument=arguments$1[i],
seq=IndexedCollection2(typeof argument!="string"&&hasIterator(argument)?argument:[argument]);seq.size!==0&&seqs.push(seq)}
return seqs.length===0?this:this.size===0&&!this.__ownerID&&seqs.length===1?this.constructor(seqs[0]):this.withMutations(
function(list){seqs.forEach(function(seq2){return seq2.forEach(function(value){return list.push(value)})})})},List2.prototype.
setSize=function(size){return setListBounds(this,0,size)},List2.prototype.map=function(mapper,context){var this$1$1=this;
return this.withMutations(function(list){for(var i=0;i<this$1$1.size;i++)list.set(i,mapper.call(context,list.get(i),i,this$1$1))})},
List2.prototype.slice=function(begin,end){var size=this.size;return wholeSlice(begin,end,size)?this:setListBounds(this,resolveBegin(
begin,size),resolveEnd(end,size))},List2.prototype.__iterator=function(type,reverse){var index=reverse?this.size:0,values=iterateList(
this,reverse);return new Iterator(function(){var value=values();return value===DONE?iteratorDone():iteratorValue(type,reverse?
--index:index++,value)})},List2.prototype.__iterate=function(fn,reverse){for(var index=reverse?this.size:0,values=iterateList(
this,reverse),value;(value=values())!==DONE&&fn(value,reverse?--index:index++,this)!==!1;);return index},List2.prototype.
__ensureOwner=function(ownerID){return ownerID===this.__ownerID?this:ownerID?makeList(this._origin,this._capacity,this._level,
this._root,this._tail,ownerID,this.__hash):this.size===0?emptyList():(this.__ownerID=ownerID,this.__altered=!1,this)},List2})(
IndexedCollection);List.isList=isList2;var ListPrototype=List.prototype;ListPrototype[IS_LIST_SYMBOL]=!0,ListPrototype[DELETE]=
ListPrototype.remove,ListPrototype.merge=ListPrototype.concat,ListPrototype.setIn=setIn,ListPrototype.deleteIn=ListPrototype.
removeIn=deleteIn,ListPrototype.update=update,ListPrototype.updateIn=updateIn$1,ListPrototype.mergeIn=mergeIn,ListPrototype.
mergeDeepIn=mergeDeepIn,ListPrototype.withMutations=withMutations,ListPrototype.wasAltered=wasAltered,ListPrototype.asImmutable=
asImmutable,ListPrototype["@@transducer/init"]=ListPrototype.asMutable=asMutable,ListPrototype["@@transducer/step"]=function(result,arr){
return result.push(arr)},ListPrototype["@@transducer/result"]=function(obj){return obj.asImmutable()};var VNode=function(array,ownerID){
this.array=array,this.ownerID=ownerID};VNode.prototype.removeBefore=function(ownerID,level,index){if((index&(1<<level+SHIFT)-
1)===0||this.array.length===0)return this;var originIndex=index>>>level&MASK;if(originIndex>=this.array.length)return new VNode(
[],ownerID);var removingFirst=originIndex===0,newChild;if(level>0){var oldChild=this.array[originIndex];if(newChild=oldChild&&
oldChild.removeBefore(ownerID,level-SHIFT,index),newChild===oldChild&&removingFirst)return this}if(removingFirst&&!newChild)
return this;var editable=editableVNode(this,ownerID);if(!removingFirst)for(var ii=0;ii<originIndex;ii++)editable.array[ii]=
void 0;return newChild&&(editable.array[originIndex]=newChild),editable},VNode.prototype.removeAfter=function(ownerID,level,index){
if(index===(level?1<<level+SHIFT:SIZE)||this.array.length===0)return this;var sizeIndex=index-1>>>level&MASK;if(sizeIndex>=
this.array.length)return this;var newChild;if(level>0){var oldChild=this.array[sizeIndex];if(newChild=oldChild&&oldChild.
removeAfter(ownerID,level-SHIFT,index),newChild===oldChild&&sizeIndex===this.array.length-1)return this}var editable=editableVNode(
this,ownerID);return editable.array.splice(sizeIndex+1),newChild&&(editable.array[sizeIndex]=newChild),editable};var DONE={};
function iterateList(list,reverse){var left=list._origin,right=list._capacity,tailPos=getTailOffset(right),tail=list._tail;
return iterateNodeOrLeaf(list._root,list._level,0);function iterateNodeOrLeaf(node,level,offset){return level===0?iterateLeaf(
node,offset):iterateNode(node,level,offset)}function iterateLeaf(node,offset){var array=offset===tailPos?tail&&tail.array:
node&&node.array,from=offset>left?0:left-offset,to=right-offset;return to>SIZE&&(to=SIZE),function(){if(from===to)return DONE;
var idx=reverse?--to:from++;return array&&array[idx]}}function iterateNode(node,level,offset){var values,array=node&&node.
array,from=offset>left?0:left-offset>>level,to=(right-offset>>level)+1;return to>SIZE&&(to=SIZE),function(){for(;;){if(values){
var value=values();if(value!==DONE)return value;values=null}if(from===to)return DONE;var idx=reverse?--to:from++;values=
iterateNodeOrLeaf(array&&array[idx],level-SHIFT,offset+(idx<<level))}}}}function makeList(origin,capacity,level,root,tail,ownerID,hash2){
var list=Object.create(ListPrototype);return list.size=capacity-origin,list._origin=origin,list._capacity=capacity,list.
_level=level,list._root=root,list._tail=tail,list.__ownerID=ownerID,list.__hash=hash2,list.__altered=!1,list}function emptyList(){
return makeList(0,0,SHIFT)}function updateList(list,index,value){if(index=wrapIndex(list,index),index!==index)return list;
if(index>=list.size||index<0)return list.withMutations(function(list2){index<0?setListBounds(list2,index).set(0,value):setListBounds(
list2,0,index+1).set(index,value)});index+=list._origin;var newTail=list._tail,newRoot=list._root,didAlter=MakeRef();return index>=
getTailOffset(list._capacity)?newTail=updateVNode(newTail,list.__ownerID,0,index,value,didAlter):newRoot=updateVNode(newRoot,
list.__ownerID,list._level,index,value,didAlter),didAlter.value?list.__ownerID?(list._root=newRoot,list._tail=newTail,list.
__hash=void 0,list.__altered=!0,list):makeList(list._origin,list._capacity,list._level,newRoot,newTail):list}function updateVNode(node,ownerID,level,index,value,didAlter){
var idx=index>>>level&MASK,nodeHas=node&&idx<node.array.length;if(!nodeHas&&value===void 0)return node;var newNode;if(level>
0){var lowerNode=node&&node.array[idx],newLowerNode=updateVNode(lowerNode,ownerID,level-SHIFT,index,value,didAlter);return newLowerNode===
lowerNode?node:(newNode=editableVNode(node,ownerID),newNode.array[idx]=newLowerNode,newNode)}return nodeHas&&node.array[idx]===
value?node:(didAlter&&SetRef(didAlter),newNode=editableVNode(node,ownerID),value===void 0&&idx===newNode.array.length-1?
newNode.array.pop():newNode.array[idx]=value,newNode)}function editableVNode(node,ownerID){return ownerID&&node&&ownerID===
node.ownerID?node:new VNode(node?node.array.slice():[],ownerID)}function listNodeFor(list,rawIndex){if(rawIndex>=getTailOffset(
list._capacity))return list._tail;if(rawIndex<1<<list._level+SHIFT){for(var node=list._root,level=list._level;node&&level>
0;)node=node.array[rawIndex>>>level&MASK],level-=SHIFT;return node}}function validateListBoundsRequest(list,begin,end){var requestedOrigin=list.
_origin+(begin===void 0?0:begin),requestedCapacity=end===void 0?list._capacity:end<0?list._capacity+end:list._origin+end;
if(Number.isFinite(requestedCapacity)&&requestedCapacity>MAX_LIST_SIZE||Number.isFinite(requestedOrigin)&&requestedOrigin<
-MAX_LIST_SIZE||Number.isFinite(requestedCapacity)&&Number.isFinite(requestedOrigin)&&requestedCapacity-requestedOrigin>
MAX_LIST_SIZE)throw new RangeError("Invalid List size: a List cannot hold more than "+MAX_LIST_SIZE+" (2 ** 30) values.")}
function setListBounds(list,begin,end){validateListBoundsRequest(list,begin,end),begin!==void 0&&(begin|=0),end!==void 0&&
(end|=0);var owner=list.__ownerID||new OwnerID,oldOrigin=list._origin,oldCapacity=list._capacity,newOrigin=oldOrigin+begin,
newCapacity=end===void 0?oldCapacity:end<0?oldCapacity+end:oldOrigin+end;if(newOrigin===oldOrigin&&newCapacity===oldCapacity)
return list;if(newOrigin>=newCapacity)return list.clear();for(var newLevel=list._level,newRoot=list._root,offsetShift=0;newOrigin+
offsetShift<0;)newRoot=new VNode(newRoot&&newRoot.array.length?[void 0,newRoot]:[],owner),newLevel+=SHIFT,offsetShift+=levelCapacity(
newLevel);offsetShift&&(newOrigin+=offsetShift,oldOrigin+=offsetShift,newCapacity+=offsetShift,oldCapacity+=offsetShift);
for(var oldTailOffset=getTailOffset(oldCapacity),newTailOffset=getTailOffset(newCapacity);newTailOffset>=levelCapacity(newLevel+
SHIFT);)newRoot=new VNode(newRoot&&newRoot.array.length?[newRoot]:[],owner),newLevel+=SHIFT;var oldTail=list._tail,newTail=newTailOffset<
oldTailOffset?listNodeFor(list,newCapacity-1):newTailOffset>oldTailOffset?new VNode([],owner):oldTail;if(oldTail&&newTailOffset>
oldTailOffset&&newOrigin<oldCapacity&&oldTail.array.length){newRoot=editableVNode(newRoot,owner);for(var node=newRoot,level=newLevel;level>
SHIFT;level-=SHIFT){var idx=oldTailOffset>>>level&MASK;node=node.array[idx]=editableVNode(node.array[idx],owner)}node.array[oldTailOffset>>>
SHIFT&MASK]=oldTail}if(newCapacity<oldCapacity&&(newTail=newTail&&newTail.removeAfter(owner,0,newCapacity)),newOrigin>=newTailOffset)
newOrigin-=newTailOffset,newCapacity-=newTailOffset,newLevel=SHIFT,newRoot=void 0,newTail=newTail&&newTail.removeBefore(
owner,0,newOrigin);else if(newOrigin>oldOrigin||newTailOffset<oldTailOffset){for(offsetShift=0;newRoot;){var beginIndex=newOrigin>>>
newLevel&MASK;if(beginIndex!==newTailOffset>>>newLevel&MASK)break;beginIndex&&(offsetShift+=(1<<newLevel)*beginIndex),newLevel-=
SHIFT,newRoot=newRoot.array[beginIndex]}newRoot&&newOrigin>oldOrigin&&(newRoot=newRoot.removeBefore(owner,newLevel,newOrigin-
offsetShift)),newRoot&&newTailOffset<oldTailOffset&&(newRoot=newRoot.removeAfter(owner,newLevel,newTailOffset-offsetShift)),
offsetShift&&(newOrigin-=offsetShift,newCapacity-=offsetShift)}return list.__ownerID?(list.size=newCapacity-newOrigin,list.
_origin=newOrigin,list._capacity=newCapacity,list._level=newLevel,list._root=newRoot,list._tail=newTail,list.__hash=void 0,
list.__altered=!0,list):makeList(newOrigin,newCapacity,newLevel,newRoot,newTail)}function getTailOffset(size){return size<
SIZE?0:size-1>>>SHIFT<<SHIFT}var MAX_LIST_SIZE=Math.pow(2,30);function levelCapacity(exp){return exp<31?1<<exp:Math.pow(
2,exp)}function isOrderedMap(maybeOrderedMap){return isMap(maybeOrderedMap)&&isOrdered(maybeOrderedMap)}var OrderedMap=(function(Map3){
function OrderedMap2(value){return value==null?emptyOrderedMap():isOrderedMap(value)?value:emptyOrderedMap().withMutations(
function(map){var iter=KeyedCollection(value);assertNotInfinite(iter.size),iter.forEach(function(v,k){return map.set(k,v)})})}
return Map3&&(OrderedMap2.__proto__=Map3),OrderedMap2.prototype=Object.create(Map3&&Map3.prototype),OrderedMap2.prototype.
constructor=OrderedMap2,OrderedMap2.of=function(){return this(arguments)},OrderedMap2.prototype.toString=function(){return this.
__toString("OrderedMap {","}")},OrderedMap2.prototype.get=function(k,notSetValue){var index=this._map.get(k);return index!==
void 0?this._list.get(index)[1]:notSetValue},OrderedMap2.prototype.clear=function(){return this.size===0?this:this.__ownerID?
(this.size=0,this._map.clear(),this._list.clear(),this.__altered=!0,this):emptyOrderedMap()},OrderedMap2.prototype.set=function(k,v){
return updateOrderedMap(this,k,v)},OrderedMap2.prototype.remove=function(k){return updateOrderedMap(this,k,NOT_SET)},OrderedMap2.
prototype.__iterate=function(fn,reverse){var this$1$1=this;return this._list.__iterate(function(entry){return entry&&fn(
entry[1],entry[0],this$1$1)},reverse)},OrderedMap2.prototype.__iterator=function(type,reverse){return this._list.fromEntrySeq().
__iterator(type,reverse)},OrderedMap2.prototype.__ensureOwner=function(ownerID){if(ownerID===this.__ownerID)return this;
var newMap=this._map.__ensureOwner(ownerID),newList=this._list.__ensureOwner(ownerID);return ownerID?makeOrderedMap(newMap,
newList,ownerID,this.__hash):this.size===0?emptyOrderedMap():(this.__ownerID=ownerID,this.__altered=!1,this._map=newMap,
this._list=newList,this)},OrderedMap2})(Map2);OrderedMap.isOrderedMap=isOrderedMap,OrderedMap.prototype[IS_ORDERED_SYMBOL]=
!0,OrderedMap.prototype[DELETE]=OrderedMap.prototype.remove;function makeOrderedMap(map,list,ownerID,hash2){var omap=Object.
create(OrderedMap.prototype);return omap.size=map?map.size:0,omap._map=map,omap._list=list,omap.__ownerID=ownerID,omap.__hash=
hash2,omap.__altered=!1,omap}var EMPTY_ORDERED_MAP;function emptyOrderedMap(){return EMPTY_ORDERED_MAP||(EMPTY_ORDERED_MAP=
makeOrderedMap(emptyMap(),emptyList()))}function updateOrderedMap(omap,k,v){var map=omap._map,list=omap._list,i=map.get(
k),has2=i!==void 0,newMap,newList;if(v===NOT_SET){if(!has2)return omap;list.size>=SIZE&&list.size>=map.size*2?(newList=list.
filter(function(entry,idx){return entry!==void 0&&i!==idx}),newMap=newList.toKeyedSeq().map(function(entry){return entry[0]}).
flip().toMap(),omap.__ownerID&&(newMap.__ownerID=newList.__ownerID=omap.__ownerID)):(newMap=map.remove(k),newList=i===list.
size-1?list.pop():list.set(i,void 0))}else if(has2){if(v===list.get(i)[1])return omap;newMap=map,newList=list.set(i,[k,v])}else
newMap=map.set(k,list.size),newList=list.set(list.size,[k,v]);return omap.__ownerID?(omap.size=newMap.size,omap._map=newMap,
omap._list=newList,omap.__hash=void 0,omap.__altered=!0,omap):makeOrderedMap(newMap,newList)}var IS_STACK_SYMBOL="@@__IM\
MUTABLE_STACK__@@";function isStack(maybeStack){return!!(maybeStack&&maybeStack[IS_STACK_SYMBOL])}var Stack=(function(IndexedCollection2){
function Stack2(value){return value==null?emptyStack():isStack(value)?value:emptyStack().pushAll(value)}return IndexedCollection2&&
(Stack2.__proto__=IndexedCollection2),Stack2.prototype=Object.create(IndexedCollection2&&IndexedCollection2.prototype),Stack2.
prototype.constructor=Stack2,Stack2.of=function(){return this(arguments)},Stack2.prototype.toString=function(){return this.
__toString("Stack [","]")},Stack2.prototype.get=function(index,notSetValue){var head=this._head;for(index=wrapIndex(this,
index);head&&index--;)head=head.next;return head?head.value:notSetValue},Stack2.prototype.peek=function(){return this._head&&
this._head.value},Stack2.prototype.push=function(){var arguments$1=arguments;if(arguments.length===0)return this;for(var newSize=this.
size+arguments.length,head=this._head,ii=arguments.length-1;ii>=0;ii--)head={value:arguments$1[ii],next:head};return this.
__ownerID?(this.size=newSize,this._head=head,this.__hash=void 0,this.__altered=!0,this):makeStack(newSize,head)},Stack2.
prototype.pushAll=function(iter){if(iter=IndexedCollection2(iter),iter.size===0)return this;if(this.size===0&&isStack(iter))
return iter;assertNotInfinite(iter.size);var newSize=this.size,head=this._head;return iter.__iterate(function(value){newSize++,
head={value,next:head}},!0),this.__ownerID?(this.size=newSize,this._head=head,this.__hash=void 0,this.__altered=!0,this):
makeStack(newSize,head)},Stack2.prototype.pop=function(){return this.slice(1)},Stack2.prototype.clear=function(){return this.
size===0?this:this.__ownerID?(this.size=0,this._head=void 0,this.__hash=void 0,this.__altered=!0,this):emptyStack()},Stack2.
prototype.slice=function(begin,end){if(wholeSlice(begin,end,this.size))return this;var resolvedBegin=resolveBegin(begin,
this.size),resolvedEnd=resolveEnd(end,this.size);if(resolvedEnd!==this.size)return IndexedCollection2.prototype.slice.call(
this,begin,end);for(var newSize=this.size-resolvedBegin,head=this._head;resolvedBegin--;)head=head.next;return this.__ownerID?
(this.size=newSize,this._head=head,this.__hash=void 0,this.__altered=!0,this):makeStack(newSize,head)},Stack2.prototype.
__ensureOwner=function(ownerID){return ownerID===this.__ownerID?this:ownerID?makeStack(this.size,this._head,ownerID,this.
__hash):this.size===0?emptyStack():(this.__ownerID=ownerID,this.__altered=!1,this)},Stack2.prototype.__iterate=function(fn,reverse){
var this$1$1=this;if(reverse)return new ArraySeq(this.toArray()).__iterate(function(v,k){return fn(v,k,this$1$1)},reverse);
for(var iterations=0,node=this._head;node&&fn(node.value,iterations++,this)!==!1;)node=node.next;return iterations},Stack2.
prototype.__iterator=function(type,reverse){if(reverse)return new ArraySeq(this.toArray()).__iterator(type,reverse);var iterations=0,
node=this._head;return new Iterator(function(){if(node){var value=node.value;return node=node.next,iteratorValue(type,iterations++,
value)}return iteratorDone()})},Stack2})(IndexedCollection);Stack.isStack=isStack;var StackPrototype=Stack.prototype;StackPrototype[IS_STACK_SYMBOL]=
!0,StackPrototype.shift=StackPrototype.pop,StackPrototype.unshift=StackPrototype.push,StackPrototype.unshiftAll=StackPrototype.
pushAll,StackPrototype.withMutations=withMutations,StackPrototype.wasAltered=wasAltered,StackPrototype.asImmutable=asImmutable,
StackPrototype["@@transducer/init"]=StackPrototype.asMutable=asMutable,StackPrototype["@@transducer/step"]=function(result,arr){
return result.unshift(arr)},StackPrototype["@@transducer/result"]=function(obj){return obj.asImmutable()};function makeStack(size,head,ownerID,hash2){
var map=Object.create(StackPrototype);return map.size=size,map._head=head,map.__ownerID=ownerID,map.__hash=hash2,map.__altered=
!1,map}var EMPTY_STACK;function emptyStack(){return EMPTY_STACK||(EMPTY_STACK=makeStack(0))}function reduce(collection,reducer,reduction,context,useFirst,reverse){
return assertNotInfinite(collection.size),collection.__iterate(function(v,k,c){useFirst?(useFirst=!1,reduction=v):reduction=
reducer.call(context,reduction,v,k,c)},reverse),reduction}function keyMapper(v,k){return k}function entryMapper(v,k){return[
k,v]}function not(predicate){return function(){for(var args=[],len=arguments.length;len--;)args[len]=arguments[len];return!predicate.
apply(this,args)}}function neg(predicate){return function(){for(var args=[],len=arguments.length;len--;)args[len]=arguments[len];
return-predicate.apply(this,args)}}function defaultNegComparator(a,b){return a<b?1:a>b?-1:0}function deepEqual(a,b){if(a===
b)return!0;if(!isCollection(b)||a.size!==void 0&&b.size!==void 0&&a.size!==b.size||a.__hash!==void 0&&b.__hash!==void 0&&
a.__hash!==b.__hash||isKeyed(a)!==isKeyed(b)||isIndexed(a)!==isIndexed(b)||isOrdered(a)!==isOrdered(b))return!1;if(a.size===
0&&b.size===0)return!0;var notAssociative=!isAssociative(a);if(isOrdered(a)){var entries=a.entries();return b.every(function(v,k){
var entry=entries.next().value;return entry&&is(entry[1],v)&&(notAssociative||is(entry[0],k))})&&entries.next().done}var flipped=!1;
if(a.size===void 0)if(b.size===void 0)typeof a.cacheResult=="function"&&a.cacheResult();else{flipped=!0;var _=a;a=b,b=_}
var allEqual=!0,bSize=b.__iterate(function(v,k){if(notAssociative?!a.has(v):flipped?!is(v,a.get(k,NOT_SET)):!is(a.get(k,
NOT_SET),v))return allEqual=!1,!1});return allEqual&&a.size===bSize}var Range=(function(IndexedSeq2){function Range2(start,end,step){
if(step===void 0&&(step=1),!(this instanceof Range2))return new Range2(start,end,step);if(invariant(step!==0,"Cannot ste\
p a Range by 0"),invariant(start!==void 0,"You must define a start value when using Range"),invariant(end!==void 0,"You \
must define an end value when using Range"),step=Math.abs(step),end<start&&(step=-step),this._start=start,this._end=end,
this._step=step,this.size=Math.max(0,Math.ceil((end-start)/step-1)+1),this.size===0){if(EMPTY_RANGE)return EMPTY_RANGE;EMPTY_RANGE=
this}}return IndexedSeq2&&(Range2.__proto__=IndexedSeq2),Range2.prototype=Object.create(IndexedSeq2&&IndexedSeq2.prototype),
Range2.prototype.constructor=Range2,Range2.prototype.toString=function(){return this.size===0?"Range []":"Range [ "+this.
_start+"..."+this._end+(this._step!==1?" by "+this._step:"")+" ]"},Range2.prototype.get=function(index,notSetValue){return this.
has(index)?this._start+wrapIndex(this,index)*this._step:notSetValue},Range2.prototype.includes=function(searchValue){var possibleIndex=(searchValue-
this._start)/this._step;return possibleIndex>=0&&possibleIndex<this.size&&possibleIndex===Math.floor(possibleIndex)},Range2.
prototype.slice=function(begin,end){return wholeSlice(begin,end,this.size)?this:(begin=resolveBegin(begin,this.size),end=
resolveEnd(end,this.size),end<=begin?new Range2(0,0):new Range2(this.get(begin,this._end),this.get(end,this._end),this._step))},
Range2.prototype.indexOf=function(searchValue){var offsetValue=searchValue-this._start;if(offsetValue%this._step===0){var index=offsetValue/
this._step;if(index>=0&&index<this.size)return index}return-1},Range2.prototype.lastIndexOf=function(searchValue){return this.
indexOf(searchValue)},Range2.prototype.__iterate=function(fn,reverse){for(var size=this.size,step=this._step,value=reverse?
this._start+(size-1)*step:this._start,i=0;i!==size&&fn(value,reverse?size-++i:i++,this)!==!1;)value+=reverse?-step:step;
return i},Range2.prototype.__iterator=function(type,reverse){var size=this.size,step=this._step,value=reverse?this._start+
(size-1)*step:this._start,i=0;return new Iterator(function(){if(i===size)return iteratorDone();var v=value;return value+=
reverse?-step:step,iteratorValue(type,reverse?size-++i:i++,v)})},Range2.prototype.equals=function(other){return other instanceof
Range2?this._start===other._start&&this._end===other._end&&this._step===other._step:deepEqual(this,other)},Range2})(IndexedSeq),
EMPTY_RANGE,IS_SET_SYMBOL="@@__IMMUTABLE_SET__@@";function isSet(maybeSet){return!!(maybeSet&&maybeSet[IS_SET_SYMBOL])}var Set2=(function(SetCollection2){
function Set3(value){return value==null?emptySet():isSet(value)&&!isOrdered(value)?value:emptySet().withMutations(function(set2){
var iter=SetCollection2(value);assertNotInfinite(iter.size),iter.forEach(function(v){return set2.add(v)})})}return SetCollection2&&
(Set3.__proto__=SetCollection2),Set3.prototype=Object.create(SetCollection2&&SetCollection2.prototype),Set3.prototype.constructor=
Set3,Set3.of=function(){return this(arguments)},Set3.fromKeys=function(value){return this(KeyedCollection(value).keySeq())},
Set3.intersect=function(sets){return sets=Collection(sets).toArray(),sets.length?SetPrototype.intersect.apply(Set3(sets.
pop()),sets):emptySet()},Set3.union=function(sets){return sets=Collection(sets).toArray(),sets.length?SetPrototype.union.
apply(Set3(sets.pop()),sets):emptySet()},Set3.prototype.toString=function(){return this.__toString("Set {","}")},Set3.prototype.
has=function(value){return this._map.has(value)},Set3.prototype.add=function(value){return updateSet(this,this._map.set(
value,value))},Set3.prototype.remove=function(value){return updateSet(this,this._map.remove(value))},Set3.prototype.clear=
function(){return updateSet(this,this._map.clear())},Set3.prototype.map=function(mapper,context){var this$1$1=this,didChanges=!1,
newMap=updateSet(this,this._map.mapEntries(function(ref){var v=ref[1],mapped=mapper.call(context,v,v,this$1$1);return mapped!==
v&&(didChanges=!0),[mapped,mapped]},context));return didChanges?newMap:this},Set3.prototype.union=function(){for(var iters=[],
len=arguments.length;len--;)iters[len]=arguments[len];return iters=iters.filter(function(x){return x.size!==0}),iters.length===
0?this:this.size===0&&!this.__ownerID&&iters.length===1?this.constructor(iters[0]):this.withMutations(function(set2){for(var ii=0;ii<
iters.length;ii++)typeof iters[ii]=="string"?set2.add(iters[ii]):SetCollection2(iters[ii]).forEach(function(value){return set2.
add(value)})})},Set3.prototype.intersect=function(){for(var iters=[],len=arguments.length;len--;)iters[len]=arguments[len];
if(iters.length===0)return this;iters=iters.map(function(iter){return SetCollection2(iter)});var toRemove=[];return this.
forEach(function(value){iters.every(function(iter){return iter.includes(value)})||toRemove.push(value)}),this.withMutations(
function(set2){toRemove.forEach(function(value){set2.remove(value)})})},Set3.prototype.subtract=function(){for(var iters=[],
len=arguments.length;len--;)iters[len]=arguments[len];if(iters.length===0)return this;iters=iters.map(function(iter){return SetCollection2(
iter)});var toRemove=[];return this.forEach(function(value){iters.some(function(iter){return iter.includes(value)})&&toRemove.
push(value)}),this.withMutations(function(set2){toRemove.forEach(function(value){set2.remove(value)})})},Set3.prototype.
sort=function(comparator){return OrderedSet(sortFactory(this,comparator))},Set3.prototype.sortBy=function(mapper,comparator){
return OrderedSet(sortFactory(this,comparator,mapper))},Set3.prototype.wasAltered=function(){return this._map.wasAltered()},
Set3.prototype.__iterate=function(fn,reverse){var this$1$1=this;return this._map.__iterate(function(k){return fn(k,k,this$1$1)},
reverse)},Set3.prototype.__iterator=function(type,reverse){return this._map.__iterator(type,reverse)},Set3.prototype.__ensureOwner=
function(ownerID){if(ownerID===this.__ownerID)return this;var newMap=this._map.__ensureOwner(ownerID);return ownerID?this.
__make(newMap,ownerID):this.size===0?this.__empty():(this.__ownerID=ownerID,this._map=newMap,this)},Set3})(SetCollection);
Set2.isSet=isSet;var SetPrototype=Set2.prototype;SetPrototype[IS_SET_SYMBOL]=!0,SetPrototype[DELETE]=SetPrototype.remove,
SetPrototype.merge=SetPrototype.concat=SetPrototype.union,SetPrototype.withMutations=withMutations,SetPrototype.asImmutable=
asImmutable,SetPrototype["@@transducer/init"]=SetPrototype.asMutable=asMutable,SetPrototype["@@transducer/step"]=function(result,arr){
return result.add(arr)},SetPrototype["@@transducer/result"]=function(obj){return obj.asImmutable()},SetPrototype.__empty=
emptySet,SetPrototype.__make=makeSet;function updateSet(set2,newMap){return set2.__ownerID?(set2.size=newMap.size,set2._map=
newMap,set2):newMap===set2._map?set2:newMap.size===0?set2.__empty():set2.__make(newMap)}function makeSet(map,ownerID){var set2=Object.
create(SetPrototype);return set2.size=map?map.size:0,set2._map=map,set2.__ownerID=ownerID,set2}var EMPTY_SET;function emptySet(){
return EMPTY_SET||(EMPTY_SET=makeSet(emptyMap()))}function getIn$1(collection,searchKeyPath,notSetValue){for(var keyPath=coerceKeyPath(
searchKeyPath),i=0;i!==keyPath.length;)if(collection=get(collection,keyPath[i++],NOT_SET),collection===NOT_SET)return notSetValue;
return collection}function getIn(searchKeyPath,notSetValue){return getIn$1(this,searchKeyPath,notSetValue)}function hasIn$1(collection,keyPath){
return getIn$1(collection,keyPath,NOT_SET)!==NOT_SET}function hasIn(searchKeyPath){return hasIn$1(this,searchKeyPath)}function toObject(){
assertNotInfinite(this.size);var object={};return this.__iterate(function(v,k){isProtoKey(k)||(object[k]=v)}),object}function toJS(value){
if(!value||typeof value!="object")return value;if(!isCollection(value)){if(!isDataStructure(value))return value;value=Seq(
value)}if(isKeyed(value)){var result$1={};return value.__iterate(function(v,k){isProtoKey(k)||(result$1[k]=toJS(v))}),result$1}
var result=[];return value.__iterate(function(v){result.push(toJS(v))}),result}function hashCollection(collection){if(collection.
size===1/0)return 0;var ordered=isOrdered(collection),keyed=isKeyed(collection),h=ordered?1:0;return collection.__iterate(
keyed?ordered?function(v,k){h=31*h+hashMerge(hash(v),hash(k))|0}:function(v,k){h=h+hashMerge(hash(v),hash(k))|0}:ordered?
function(v){h=31*h+hash(v)|0}:function(v){h=h+hash(v)|0}),murmurHashOfSize(collection.size,h)}function murmurHashOfSize(size,h){
return h=imul(h,3432918353),h=imul(h<<15|h>>>-15,461845907),h=imul(h<<13|h>>>-13,5),h=(h+3864292196|0)^size,h=imul(h^h>>>
16,2246822507),h=imul(h^h>>>13,3266489909),h=smi(h^h>>>16),h}function hashMerge(a,b){return a^b+2654435769+(a<<6)+(a>>2)|
0}function mixin(ctor,methods){var keyCopier=function(key){ctor.prototype[key]=methods[key]};return Object.keys(methods).
forEach(keyCopier),Object.getOwnPropertySymbols&&Object.getOwnPropertySymbols(methods).forEach(keyCopier),ctor}Collection.
Iterator=Iterator,mixin(Collection,{toArray:function(){assertNotInfinite(this.size);var array=new Array(this.size||0),useTuples=isKeyed(
this),i=0;return this.__iterate(function(v,k){array[i++]=useTuples?[k,v]:v}),array},toIndexedSeq:function(){return new ToIndexedSequence(
this)},toJS:function(){return toJS(this)},toKeyedSeq:function(){return new ToKeyedSequence(this,!0)},toMap:function(){return Map2(
this.toKeyedSeq())},toObject,toOrderedMap:function(){return OrderedMap(this.toKeyedSeq())},toOrderedSet:function(){return OrderedSet(
isKeyed(this)?this.valueSeq():this)},toSet:function(){return Set2(isKeyed(this)?this.valueSeq():this)},toSetSeq:function(){
return new ToSetSequence(this)},toSeq:function(){return isIndexed(this)?this.toIndexedSeq():isKeyed(this)?this.toKeyedSeq():
this.toSetSeq()},toStack:function(){return Stack(isKeyed(this)?this.valueSeq():this)},toList:function(){return List(isKeyed(
this)?this.valueSeq():this)},toString:function(){return"[Collection]"},__toString:function(head,tail){return this.size===
0?head+tail:head+" "+this.toSeq().map(this.__toStringMapper).join(", ")+" "+tail},concat:function(){for(var values=[],len=arguments.
length;len--;)values[len]=arguments[len];return reify(this,concatFactory(this,values))},includes:function(searchValue){return this.
some(function(value){return is(value,searchValue)})},entries:function(){return this.__iterator(ITERATE_ENTRIES)},every:function(predicate,context){
assertNotInfinite(this.size);var returnValue=!0;return this.__iterate(function(v,k,c){if(!predicate.call(context,v,k,c))
return returnValue=!1,!1}),returnValue},filter:function(predicate,context){return reify(this,filterFactory(this,predicate,
context,!0))},partition:function(predicate,context){return partitionFactory(this,predicate,context)},find:function(predicate,context,notSetValue){
var entry=this.findEntry(predicate,context);return entry?entry[1]:notSetValue},forEach:function(sideEffect,context){return assertNotInfinite(
this.size),this.__iterate(context?sideEffect.bind(context):sideEffect)},join:function(separator){assertNotInfinite(this.
size),separator=separator!==void 0?""+separator:",";var joined="",isFirst=!0;return this.__iterate(function(v){isFirst?isFirst=
!1:joined+=separator,joined+=v!=null?v.toString():""}),joined},keys:function(){return this.__iterator(ITERATE_KEYS)},map:function(mapper,context){
return reify(this,mapFactory(this,mapper,context))},reduce:function(reducer,initialReduction,context){return reduce(this,
reducer,initialReduction,context,arguments.length<2,!1)},reduceRight:function(reducer,initialReduction,context){return reduce(
this,reducer,initialReduction,context,arguments.length<2,!0)},reverse:function(){return reify(this,reverseFactory(this,!0))},
slice:function(begin,end){return reify(this,sliceFactory(this,begin,end,!0))},some:function(predicate,context){assertNotInfinite(
this.size);var returnValue=!1;return this.__iterate(function(v,k,c){if(predicate.call(context,v,k,c))return returnValue=
!0,!1}),returnValue},sort:function(comparator){return reify(this,sortFactory(this,comparator))},values:function(){return this.
__iterator(ITERATE_VALUES)},butLast:function(){return this.slice(0,-1)},isEmpty:function(){return this.size!==void 0?this.
size===0:!this.some(function(){return!0})},count:function(predicate,context){return ensureSize(predicate?this.toSeq().filter(
predicate,context):this)},countBy:function(grouper,context){return countByFactory(this,grouper,context)},equals:function(other){
return deepEqual(this,other)},entrySeq:function(){var collection=this;if(collection._cache)return new ArraySeq(collection.
_cache);var entriesSequence=collection.toSeq().map(entryMapper).toIndexedSeq();return entriesSequence.fromEntrySeq=function(){
return collection.toSeq()},entriesSequence},filterNot:function(predicate,context){return this.filter(not(predicate),context)},
findEntry:function(predicate,context,notSetValue){var found=notSetValue;return this.__iterate(function(v,k,c){if(predicate.
call(context,v,k,c))return found=[k,v],!1}),found},findKey:function(predicate,context){var entry=this.findEntry(predicate,
context);return entry&&entry[0]},findLast:function(predicate,context,notSetValue){return this.toKeyedSeq().reverse().find(
predicate,context,notSetValue)},findLastEntry:function(predicate,context,notSetValue){return this.toKeyedSeq().reverse().
findEntry(predicate,context,notSetValue)},findLastKey:function(predicate,context){return this.toKeyedSeq().reverse().findKey(
predicate,context)},first:function(notSetValue){return this.find(returnTrue,null,notSetValue)},flatMap:function(mapper,context){
return reify(this,flatMapFactory(this,mapper,context))},flatten:function(depth){return reify(this,flattenFactory(this,depth,
!0))},fromEntrySeq:function(){return new FromEntriesSequence(this)},get:function(searchKey,notSetValue){return this.find(
function(_,key){return is(key,searchKey)},void 0,notSetValue)},getIn,groupBy:function(grouper,context){return groupByFactory(
this,grouper,context)},has:function(searchKey){return this.get(searchKey,NOT_SET)!==NOT_SET},hasIn,isSubset:function(iter){
return iter=typeof iter.includes=="function"?iter:Collection(iter),this.every(function(value){return iter.includes(value)})},
isSuperset:function(iter){return iter=typeof iter.isSubset=="function"?iter:Collection(iter),iter.isSubset(this)},keyOf:function(searchValue){
return this.findKey(function(value){return is(value,searchValue)})},keySeq:function(){return this.toSeq().map(keyMapper).
toIndexedSeq()},last:function(notSetValue){return this.toSeq().reverse().first(notSetValue)},lastKeyOf:function(searchValue){
return this.toKeyedSeq().reverse().keyOf(searchValue)},max:function(comparator){return maxFactory(this,comparator)},maxBy:function(mapper,comparator){
return maxFactory(this,comparator,mapper)},min:function(comparator){return maxFactory(this,comparator?neg(comparator):defaultNegComparator)},
minBy:function(mapper,comparator){return maxFactory(this,comparator?neg(comparator):defaultNegComparator,mapper)},rest:function(){
return this.slice(1)},skip:function(amount){return amount===0?this:this.slice(Math.max(0,amount))},skipLast:function(amount){
return amount===0?this:this.slice(0,-Math.max(0,amount))},skipWhile:function(predicate,context){return reify(this,skipWhileFactory(
this,predicate,context,!0))},skipUntil:function(predicate,context){return this.skipWhile(not(predicate),context)},sortBy:function(mapper,comparator){
return reify(this,sortFactory(this,comparator,mapper))},take:function(amount){return this.slice(0,Math.max(0,amount))},takeLast:function(amount){
return this.slice(-Math.max(0,amount))},takeWhile:function(predicate,context){return reify(this,takeWhileFactory(this,predicate,
context))},takeUntil:function(predicate,context){return this.takeWhile(not(predicate),context)},update:function(fn){return fn(
this)},valueSeq:function(){return this.toIndexedSeq()},hashCode:function(){return this.__hash||(this.__hash=hashCollection(
this))}});var CollectionPrototype=Collection.prototype;CollectionPrototype[IS_COLLECTION_SYMBOL]=!0,CollectionPrototype[ITERATOR_SYMBOL]=
CollectionPrototype.values,CollectionPrototype.toJSON=CollectionPrototype.toArray,CollectionPrototype.__toStringMapper=quoteString,
CollectionPrototype.inspect=CollectionPrototype.toSource=function(){return this.toString()},CollectionPrototype.chain=CollectionPrototype.
flatMap,CollectionPrototype.contains=CollectionPrototype.includes,mixin(KeyedCollection,{flip:function(){return reify(this,
flipFactory(this))},mapEntries:function(mapper,context){var this$1$1=this,iterations=0;return reify(this,this.toSeq().map(
function(v,k){return mapper.call(context,[k,v],iterations++,this$1$1)}).fromEntrySeq())},mapKeys:function(mapper,context){
var this$1$1=this;return reify(this,this.toSeq().flip().map(function(k,v){return mapper.call(context,k,v,this$1$1)}).flip())}});
var KeyedCollectionPrototype=KeyedCollection.prototype;KeyedCollectionPrototype[IS_KEYED_SYMBOL]=!0,KeyedCollectionPrototype[ITERATOR_SYMBOL]=
CollectionPrototype.entries,KeyedCollectionPrototype.toJSON=toObject,KeyedCollectionPrototype.__toStringMapper=function(v,k){
return quoteString(k)+": "+quoteString(v)},mixin(IndexedCollection,{toKeyedSeq:function(){return new ToKeyedSequence(this,
!1)},filter:function(predicate,context){return reify(this,filterFactory(this,predicate,context,!1))},findIndex:function(predicate,context){
var entry=this.findEntry(predicate,context);return entry?entry[0]:-1},indexOf:function(searchValue){var key=this.keyOf(searchValue);
return key===void 0?-1:key},lastIndexOf:function(searchValue){var key=this.lastKeyOf(searchValue);return key===void 0?-1:
key},reverse:function(){return reify(this,reverseFactory(this,!1))},slice:function(begin,end){return reify(this,sliceFactory(
this,begin,end,!1))},splice:function(index,removeNum){var numArgs=arguments.length;if(removeNum=Math.max(removeNum||0,0),
numArgs===0||numArgs===2&&!removeNum)return this;index=resolveBegin(index,index<0?this.count():this.size);var spliced=this.
slice(0,index);return reify(this,numArgs===1?spliced:spliced.concat(arrCopy(arguments,2),this.slice(index+removeNum)))},
findLastIndex:function(predicate,context){var entry=this.findLastEntry(predicate,context);return entry?entry[0]:-1},first:function(notSetValue){
return this.get(0,notSetValue)},flatten:function(depth){return reify(this,flattenFactory(this,depth,!1))},get:function(index,notSetValue){
return index=wrapIndex(this,index),index<0||this.size===1/0||this.size!==void 0&&index>this.size?notSetValue:this.find(function(_,key){
return key===index},void 0,notSetValue)},has:function(index){return index=wrapIndex(this,index),index>=0&&(this.size!==void 0?
this.size===1/0||index<this.size:this.find(function(_,key){return key===index},void 0,NOT_SET)!==NOT_SET)},interpose:function(separator){
return reify(this,interposeFactory(this,separator))},interleave:function(){var collections=[this].concat(arrCopy(arguments)),
zipped=zipWithFactory(this.toSeq(),IndexedSeq.of,collections),interleaved=zipped.flatten(!0);return zipped.size&&(interleaved.
size=zipped.size*collections.length),reify(this,interleaved)},keySeq:function(){return this.size===void 0?this.toSeq().map(
keyMapper).toIndexedSeq():Range(0,this.size)},last:function(notSetValue){return this.get(-1,notSetValue)},skipWhile:function(predicate,context){
return reify(this,skipWhileFactory(this,predicate,context,!1))},zip:function(){var collections=[this].concat(arrCopy(arguments));
return reify(this,zipWithFactory(this,defaultZipper,collections))},zipAll:function(){var collections=[this].concat(arrCopy(
arguments));return reify(this,zipWithFactory(this,defaultZipper,collections,!0))},zipWith:function(zipper){var collections=arrCopy(
arguments);return collections[0]=this,reify(this,zipWithFactory(this,zipper,collections))}});var IndexedCollectionPrototype=IndexedCollection.
prototype;IndexedCollectionPrototype[IS_INDEXED_SYMBOL]=!0,IndexedCollectionPrototype[IS_ORDERED_SYMBOL]=!0,mixin(SetCollection,
{get:function(value,notSetValue){return this.has(value)?value:notSetValue},includes:function(value){return this.has(value)},
keySeq:function(){return this.valueSeq()}});var SetCollectionPrototype=SetCollection.prototype;SetCollectionPrototype.has=
CollectionPrototype.includes,SetCollectionPrototype.contains=SetCollectionPrototype.includes,SetCollectionPrototype.keys=
SetCollectionPrototype.values,mixin(KeyedSeq,KeyedCollectionPrototype),mixin(IndexedSeq,IndexedCollectionPrototype),mixin(
SetSeq,SetCollectionPrototype);function defaultZipper(){return arrCopy(arguments)}function isOrderedSet(maybeOrderedSet){
return isSet(maybeOrderedSet)&&isOrdered(maybeOrderedSet)}var OrderedSet=(function(Set3){function OrderedSet2(value){return value==
null?emptyOrderedSet():isOrderedSet(value)?value:emptyOrderedSet().withMutations(function(set2){var iter=SetCollection(value);
assertNotInfinite(iter.size),iter.forEach(function(v){return set2.add(v)})})}return Set3&&(OrderedSet2.__proto__=Set3),OrderedSet2.
prototype=Object.create(Set3&&Set3.prototype),OrderedSet2.prototype.constructor=OrderedSet2,OrderedSet2.of=function(){return this(
arguments)},OrderedSet2.fromKeys=function(value){return this(KeyedCollection(value).keySeq())},OrderedSet2.prototype.toString=
function(){return this.__toString("OrderedSet {","}")},OrderedSet2})(Set2);OrderedSet.isOrderedSet=isOrderedSet;var OrderedSetPrototype=OrderedSet.
prototype;OrderedSetPrototype[IS_ORDERED_SYMBOL]=!0,OrderedSetPrototype.zip=IndexedCollectionPrototype.zip,OrderedSetPrototype.
zipWith=IndexedCollectionPrototype.zipWith,OrderedSetPrototype.zipAll=IndexedCollectionPrototype.zipAll,OrderedSetPrototype.
__empty=emptyOrderedSet,OrderedSetPrototype.__make=makeOrderedSet;function makeOrderedSet(map,ownerID){var set2=Object.create(
OrderedSetPrototype);return set2.size=map?map.size:0,set2._map=map,set2.__ownerID=ownerID,set2}var EMPTY_ORDERED_SET;function emptyOrderedSet(){
return EMPTY_ORDERED_SET||(EMPTY_ORDERED_SET=makeOrderedSet(emptyOrderedMap()))}var PairSorting={LeftThenRight:-1,RightThenLeft:1};
function throwOnInvalidDefaultValues(defaultValues){if(isRecord2(defaultValues))throw new Error("Can not call `Record` w\
ith an immutable Record as default values. Use a plain javascript object instead.");if(isImmutable(defaultValues))throw new Error(
"Can not call `Record` with an immutable Collection as default values. Use a plain javascript object instead.");if(defaultValues===
null||typeof defaultValues!="object")throw new Error("Can not call `Record` with a non-object as default values. Use a p\
lain javascript object instead.")}var Record=function(defaultValues,name){var hasInitialized;throwOnInvalidDefaultValues(
defaultValues);var RecordType=function(values){var this$1$1=this;if(values instanceof RecordType)return values;if(!(this instanceof
RecordType))return new RecordType(values);if(!hasInitialized){hasInitialized=!0;var keys=Object.keys(defaultValues),indices=RecordTypePrototype.
_indices={};RecordTypePrototype._name=name,RecordTypePrototype._keys=keys,RecordTypePrototype._defaultValues=defaultValues;
for(var i=0;i<keys.length;i++){var propName=keys[i];indices[propName]=i,RecordTypePrototype[propName]?typeof console=="o\
bject"&&console.warn&&console.warn("Cannot define "+recordName(this)+' with property "'+propName+'" since that property \
name is part of the Record API.'):setProp(RecordTypePrototype,propName)}}return this.__ownerID=void 0,this._values=List().
withMutations(function(l){l.setSize(this$1$1._keys.length),KeyedCollection(values).forEach(function(v,k){l.set(this$1$1.
_indices[k],v===this$1$1._defaultValues[k]?void 0:v)})}),this},RecordTypePrototype=RecordType.prototype=Object.create(RecordPrototype);
return RecordTypePrototype.constructor=RecordType,name&&(RecordType.displayName=name),RecordType};Record.prototype.toString=
function(){for(var str=recordName(this)+" { ",keys=this._keys,k,i=0,l=keys.length;i!==l;i++)k=keys[i],str+=(i?", ":"")+k+
": "+quoteString(this.get(k));return str+" }"},Record.prototype.equals=function(other){return this===other||isRecord2(other)&&
recordSeq(this).equals(recordSeq(other))},Record.prototype.hashCode=function(){return recordSeq(this).hashCode()},Record.
prototype.has=function(k){return this._indices.hasOwnProperty(k)},Record.prototype.get=function(k,notSetValue){if(!this.
has(k))return notSetValue;var index=this._indices[k],value=this._values.get(index);return value===void 0?this._defaultValues[k]:
value},Record.prototype.set=function(k,v){if(this.has(k)){var newValues=this._values.set(this._indices[k],v===this._defaultValues[k]?
void 0:v);if(newValues!==this._values&&!this.__ownerID)return makeRecord(this,newValues)}return this},Record.prototype.remove=
function(k){return this.set(k)},Record.prototype.clear=function(){var newValues=this._values.clear().setSize(this._keys.
length);return this.__ownerID?this:makeRecord(this,newValues)},Record.prototype.wasAltered=function(){return this._values.
wasAltered()},Record.prototype.toSeq=function(){return recordSeq(this)},Record.prototype.toJS=function(){return toJS(this)},
Record.prototype.entries=function(){return this.__iterator(ITERATE_ENTRIES)},Record.prototype.__iterator=function(type,reverse){
return recordSeq(this).__iterator(type,reverse)},Record.prototype.__iterate=function(fn,reverse){return recordSeq(this).
__iterate(fn,reverse)},Record.prototype.__ensureOwner=function(ownerID){if(ownerID===this.__ownerID)return this;var newValues=this.
_values.__ensureOwner(ownerID);return ownerID?makeRecord(this,newValues,ownerID):(this.__ownerID=ownerID,this._values=newValues,
this)},Record.isRecord=isRecord2,Record.getDescriptiveName=recordName;var RecordPrototype=Record.prototype;RecordPrototype[IS_RECORD_SYMBOL]=
!0,RecordPrototype[DELETE]=RecordPrototype.remove,RecordPrototype.deleteIn=RecordPrototype.removeIn=deleteIn,RecordPrototype.
getIn=getIn,RecordPrototype.hasIn=CollectionPrototype.hasIn,RecordPrototype.merge=merge$1,RecordPrototype.mergeWith=mergeWith$1,
RecordPrototype.mergeIn=mergeIn,RecordPrototype.mergeDeep=mergeDeep,RecordPrototype.mergeDeepWith=mergeDeepWith,RecordPrototype.
mergeDeepIn=mergeDeepIn,RecordPrototype.setIn=setIn,RecordPrototype.update=update,RecordPrototype.updateIn=updateIn$1,RecordPrototype.
withMutations=withMutations,RecordPrototype.asMutable=asMutable,RecordPrototype.asImmutable=asImmutable,RecordPrototype[ITERATOR_SYMBOL]=
RecordPrototype.entries,RecordPrototype.toJSON=RecordPrototype.toObject=CollectionPrototype.toObject,RecordPrototype.inspect=
RecordPrototype.toSource=function(){return this.toString()};function makeRecord(likeRecord,values,ownerID){var record=Object.
create(Object.getPrototypeOf(likeRecord));return record._values=values,record.__ownerID=ownerID,record}function recordName(record){
return record.constructor.displayName||record.constructor.name||"Record"}function recordSeq(record){return keyedSeqFromValue(
record._keys.map(function(k){return[k,record.get(k)]}))}function setProp(prototype,name){try{Object.defineProperty(prototype,
name,{get:function(){return this.get(name)},set:function(value){invariant(this.__ownerID,"Cannot set on an immutable rec\
ord."),this.set(name,value)}})}catch{}}var Repeat=(function(IndexedSeq2){function Repeat2(value,times){if(!(this instanceof
Repeat2))return new Repeat2(value,times);if(this._value=value,this.size=times===void 0?1/0:Math.max(0,times),this.size===
0){if(EMPTY_REPEAT)return EMPTY_REPEAT;EMPTY_REPEAT=this}}return IndexedSeq2&&(Repeat2.__proto__=IndexedSeq2),Repeat2.prototype=
Object.create(IndexedSeq2&&IndexedSeq2.prototype),Repeat2.prototype.constructor=Repeat2,Repeat2.prototype.toString=function(){
return this.size===0?"Repeat []":"Repeat [ "+this._value+" "+this.size+" times ]"},Repeat2.prototype.get=function(index,notSetValue){
return this.has(index)?this._value:notSetValue},Repeat2.prototype.includes=function(searchValue){return is(this._value,searchValue)},
Repeat2.prototype.slice=function(begin,end){var size=this.size;return wholeSlice(begin,end,size)?this:new Repeat2(this._value,
resolveEnd(end,size)-resolveBegin(begin,size))},Repeat2.prototype.reverse=function(){return this},Repeat2.prototype.indexOf=
function(searchValue){return this.size!==0&&is(this._value,searchValue)?0:-1},Repeat2.prototype.lastIndexOf=function(searchValue){
return this.size!==0&&is(this._value,searchValue)?this.size-1:-1},Repeat2.prototype.__iterate=function(fn,reverse){for(var size=this.
size,i=0;i!==size&&fn(this._value,reverse?size-++i:i++,this)!==!1;);return i},Repeat2.prototype.__iterator=function(type,reverse){
var this$1$1=this,size=this.size,i=0;return new Iterator(function(){return i===size?iteratorDone():iteratorValue(type,reverse?
size-++i:i++,this$1$1._value)})},Repeat2.prototype.equals=function(other){return other instanceof Repeat2?is(this._value,
other._value):deepEqual(this,other)},Repeat2})(IndexedSeq),EMPTY_REPEAT;function fromJS(value,converter){return fromJSWith(
[],converter||defaultConverter,value,"",converter&&converter.length>2?[]:void 0,{"":value})}function fromJSWith(stack,converter,value,key,keyPath,parentValue){
if(typeof value!="string"&&!isImmutable(value)&&(isArrayLike(value)||hasIterator(value)||isPlainObject(value))){if(~stack.
indexOf(value))throw new TypeError("Cannot convert circular structure to Immutable");stack.push(value),keyPath&&key!==""&&
keyPath.push(key);var converted=converter.call(parentValue,key,Seq(value).map(function(v,k){return fromJSWith(stack,converter,
v,k,keyPath,value)}),keyPath&&keyPath.slice());return stack.pop(),keyPath&&keyPath.pop(),converted}return value}function defaultConverter(k,v){
return isIndexed(v)?v.toList():isKeyed(v)?v.toMap():v.toSet()}var version="5.2.1",Iterable=Collection;exports2.Collection=
Collection,exports2.Iterable=Iterable,exports2.List=List,exports2.Map=Map2,exports2.OrderedMap=OrderedMap,exports2.OrderedSet=
OrderedSet,exports2.PairSorting=PairSorting,exports2.Range=Range,exports2.Record=Record,exports2.Repeat=Repeat,exports2.
Seq=Seq,exports2.Set=Set2,exports2.Stack=Stack,exports2.fromJS=fromJS,exports2.get=get,exports2.getIn=getIn$1,exports2.has=
has,exports2.hasIn=hasIn$1,exports2.hash=hash,exports2.is=is,exports2.isAssociative=isAssociative,exports2.isCollection=
isCollection,exports2.isImmutable=isImmutable,exports2.isIndexed=isIndexed,exports2.isKeyed=isKeyed,exports2.isList=isList2,
exports2.isMap=isMap,exports2.isOrdered=isOrdered,exports2.isOrderedMap=isOrderedMap,exports2.isOrderedSet=isOrderedSet,
exports2.isPlainObject=isPlainObject,exports2.isRecord=isRecord2,exports2.isSeq=isSeq,exports2.isSet=isSet,exports2.isStack=
isStack,exports2.isValueObject=isValueObject,exports2.merge=merge,exports2.mergeDeep=mergeDeep$1,exports2.mergeDeepWith=
mergeDeepWith$1,exports2.mergeWith=mergeWith,exports2.remove=remove,exports2.removeIn=removeIn,exports2.set=set,exports2.
setIn=setIn$1,exports2.update=update$1,exports2.updateIn=updateIn,exports2.version=version}))}});function flatText(...parts){return parts.length===1?halves(parts[0]??"").join(""):parts.join("")}function halves(text){return[
text.slice(0,1),text.slice(1)]}function servicePortKey(name){return flatText(name.namespace,"/",name.name,":",name.portName,"/",name.protocol)}function serviceKey(name){
return flatText(name.namespace,"/",name.name)}function serviceOfPort(key){return key.slice(0,key.indexOf(":"))}function formatServicePortName(name){
return name.portName===""?`${name.namespace}/${name.name}`:`${name.namespace}/${name.name}:${name.portName}`}var BRAND=Symbol.for("@kube-proxier/core/ProxierError"),ProxierError=class extends Error{[BRAND]=!0;code;kind;constructor(code,message,options={}){
super(message,options),this.name=new.target.name,this.code=code,this.kind=options.kind}};function hasErrorKind(error,kind){
return isProxierError(error)&&(error.kind===kind||hasErrorKind(error.cause,kind))}function isProxierError(error){return typeof error==
"object"&&error!==null&&BRAND in error}function messageOf(error){return(error instanceof Error?error.message:String(error)).
replace(/\s*\n\s*/g,"; ")}var UNPRINTABLE=/[^\x20-\x7e]/gu,PARTIAL_ESCAPE=/\\(u(\{[0-9a-f]*)?)?$/;function printable(text,limit=300){let escaped=text.slice(0,limit+1).replace(UNPRINTABLE,codePointEscape);return escaped.
length>limit?`${escaped.slice(0,limit-3).replace(PARTIAL_ESCAPE,"")}...`:escaped}function codePointEscape(character){return`\
\\u{${character.codePointAt(0)?.toString(16)}}`}function printableValue(value,limit=80){return printable(textOf(value),limit)}
function textOf(value){switch(typeof value){case"function":case"symbol":return`a ${typeof value}`;case"number":case"bigi\
nt":case"undefined":return String(value);default:try{return JSON.stringify(value)??"a value without JSON form"}catch{return"\
a value that cannot be printed"}}}function assertNever(value){throw new ProxierError("UNKNOWN_VARIANT",`${printableValue(value)} is not known here; instal\
l the same version of all @kube-proxier packages`)}var import_ipaddr=__toESM(require_ipaddr(),1),CANONICAL_IPV4=/^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/,
IPV4_TEXT=/^\d{1,10}(\.\d{1,10}){3}$/;function stripLeadingZeros(text){return text.includes(".")?text.replace(/(^|[.:])0+(?=\d)/g,
"$1"):text}function parseAddress(text){if(typeof text!="string"||text.length>45||text.includes("%"))return;if(text.includes(
":")){if(!import_ipaddr.default.IPv6.isValid(text))return;let address=import_ipaddr.default.IPv6.parse(text);return address.
isIPv4MappedAddress()?{family:"IPv4",text:address.toIPv4Address().toString()}:{family:"IPv6",text:address.toRFC5952String()}}
if(CANONICAL_IPV4.test(text))return{family:"IPv4",text};if(!IPV4_TEXT.test(text))return;let octets=stripLeadingZeros(text);
return import_ipaddr.default.IPv4.isValidFourPartDecimal(octets)?{family:"IPv4",text:import_ipaddr.default.IPv4.parse(octets).
toString()}:void 0}function parseCIDR(text){if(typeof text!="string")return;let match=/^([^/]+)\/(\d{1,5})$/.exec(text),
base=match&&parseAddress(match[1]);if(!match||!base)return;let prefixLength=Number(match[2]);if(prefixLength>(base.family===
"IPv4"?32:128)||match[1]?.includes(":")&&base.family==="IPv4")return;let network=base.family==="IPv4"?import_ipaddr.default.
IPv4.networkAddressFromCIDR(`${base.text}/${prefixLength}`).toString():import_ipaddr.default.IPv6.networkAddressFromCIDR(
`${base.text}/${prefixLength}`).toRFC5952String();return{family:base.family,prefixLength,text:`${network}/${prefixLength}`}}
function cidrContains(cidr,address){return firstNetworkWith([cidr],address)===0}function firstNetworkWith(cidrs,address){
let candidate=address.includes(":")?import_ipaddr.default.IPv6.parse(address):import_ipaddr.default.IPv4.parse(address);
return cidrs.findIndex(cidr=>{let network=networkOf(cidr);return network[0].kind()===candidate.kind()&&candidate.match(network)})}
function networkOf(cidr){let network=NETWORKS.get(cidr);return network===void 0&&(network=import_ipaddr.default.parseCIDR(
cidr),NETWORKS.size>=MAX_NETWORKS&&NETWORKS.clear(),NETWORKS.set(cidr,network)),network}var NETWORKS=new Map,MAX_NETWORKS=1e3;
function joinHostPort(address,port){return address.includes(":")?`[${address}]:${port}`:`${address}:${port}`}function familyOf(address){
return address.includes(":")?"IPv6":"IPv4"}function hostCIDR(address){return address.includes(":")?`${address}/128`:`${address}\
/32`}var PORT_RANGE_ANNOTATION="kube-proxier.io/port-range";function portRangeSpace(protocol,address){return`${protocol}/${address}`}
function lastPortOf({port,lastPort=port}){return lastPort}function hasPort(frontend,port){return frontend.port<=port&&port<=
lastPortOf(frontend)}function formatPorts(frontend){return frontend.lastPort===void 0?String(frontend.port):`${frontend.
port}-${frontend.lastPort}`}function endpointAt(endpoint,frontend,port){let by=frontend.lastPort===void 0?0:port-frontend.
port,to=endpoint.port+by;return by===0?endpoint:{...endpoint,port:to,key:joinHostPort(endpoint.address,to)}}function structurallyEqual(left,right){if(Object.is(left,right))return!0;if(typeof left!="object"||typeof right!="object"||
left===null||right===null)return!1;if(Array.isArray(left)||Array.isArray(right))return Array.isArray(left)&&Array.isArray(
right)&&left.length===right.length&&left.every((item,index)=>structurallyEqual(item,right[index]));let leftRecord=left,rightRecord=right;
for(let key in leftRecord)if(!structurallyEqual(leftRecord[key],rightRecord[key]))return!1;for(let key in rightRecord)if(rightRecord[key]!==
void 0&&leftRecord[key]===void 0)return!1;return!0}var WHEN_ENDPOINT_GOES_ANNOTATION="kube-proxier.io/when-endpoint-goes";var ENDPOINT_WEIGHTS_ANNOTATION="kube-proxier.io/endpoint-weights",SLICE_WEIGHT_ANNOTATION="kube-proxier.io/weight",CILIUM_SLICE_WEIGHT_ANNOTATION="\
service.cilium.io/weight",SLOW_START_ANNOTATION="kube-proxier.io/slow-start",CORE_ANNOTATIONS=[ENDPOINT_WEIGHTS_ANNOTATION,
SLOW_START_ANNOTATION,WHEN_ENDPOINT_GOES_ANNOTATION,PORT_RANGE_ANNOTATION],DEFAULT_WEIGHT=1,MAX_WEIGHT=65535,SLOW_START_PARTS=10,
INDEXES=new WeakMap;function indexOf(rules){let index=INDEXES.get(rules);if(index===void 0){let exact=new Map,networks=[],
placesOfNetworks=[];for(let[place,{selector}]of rules.entries()){let key=selector.kind==="network"?addressOf(selector.network):
`${selector.kind}/${selector.name}`;key===void 0&&selector.kind==="network"?(networks.push(selector.network),placesOfNetworks.
push(place)):key!==void 0&&!exact.has(key)&&exact.set(key,place)}index={exact,networks,placesOfNetworks},INDEXES.set(rules,
index)}return index}function addressOf(network){return/^(.*:.*)\/128$|^([^:]*)\/32$/.exec(network)?.slice(1).find(address=>address!==
void 0)}function weightByRules(rules,endpoint){if(rules.length===0)return;let{exact,networks,placesOfNetworks}=indexOf(rules),
places=[exact.get(endpoint.address),exact.get(`node/${endpoint.nodeName}`),exact.get(`pod/${endpoint.podName}`),networks.
length===0?void 0:placesOfNetworks[firstNetworkWith(networks,endpoint.address)]].filter(place=>place!==void 0);return places.
length===0?void 0:rules[Math.min(...places)]?.weight}function isDrained({weight}){return weight===0}function selectionWeights(endpoints){
if(endpoints.length<LONG_LIST)return calculatedWeights(endpoints);let known=WEIGHTS.get(endpoints);if(known!==void 0)return known.
weights;let weights=calculatedWeights(endpoints);return WEIGHTS.set(endpoints,{weights}),weights}var LONG_LIST=1024,WEIGHTS=new WeakMap;
function calculatedWeights(endpoints){let[first]=endpoints;if(first===void 0||endpoints.every(({weight,slowStart})=>weight===
first.weight&&slowStart===first.slowStart))return;let weights=endpoints.some(({slowStart})=>slowStart!==void 0)?endpoints.
map(({weight,slowStart=SLOW_START_PARTS})=>weight*slowStart):endpoints.map(({weight})=>weight),divisor=weights.reduce(greatestCommonDivisor,
0),largest=Math.max(...weights)/divisor,scale=largest>MAX_WEIGHT?MAX_WEIGHT/largest:1,scaled=weights.map(weight=>Math.max(
1,Math.floor(weight/divisor*scale)));return scaled.every(weight=>weight===scaled[0])?void 0:scaled}function selectionSlots(endpoints){
return Math.max(1024,endpoints*8)}function proportionalParts(weights,limit){let sum=weights.reduce((total,weight)=>total+
weight,0);if(sum<=limit)return weights;let exact=weights.map(weight=>weight/sum*limit),parts=exact.map(part=>Math.max(1,
Math.floor(part))),left=limit-parts.reduce((total,part)=>total+part,0),byRemainder=exact.map((part,index)=>({index,remainder:part-
(parts[index]??0)})).sort((a,b)=>b.remainder-a.remainder||a.index-b.index);for(let{index}of byRemainder){if(left<=0)break;
parts[index]=(parts[index]??0)+1,left-=1}for(;left<0;){let most=parts.indexOf(Math.max(...parts)),give=Math.min(-left,(parts[most]??
1)-1);parts[most]=(parts[most]??0)-give,left+=give}return parts}function greatestCommonDivisor(a,b){return b===0?a:greatestCommonDivisor(
b,a%b)}var NO_ENDPOINTS=[];function compareKeys(left,right){return left.key<right.key?-1:left.key>right.key?1:0}function findEndpoint(endpoints,key){
let candidate=endpoints[firstNotBelow(endpoints,key)];return candidate?.key===key?candidate:void 0}function withChanges(endpoints,changes){
if(endpoints.length===0){let added=changes.flatMap(([,endpoint])=>endpoint??[]);return added.length===0?endpoints:added.
sort(compareKeys).slice()}if(changes.every(([key,endpoint])=>findEndpoint(endpoints,key)===endpoint))return endpoints;let sorted2=changes.
length<2?changes:[...changes].sort(([left],[right])=>left<right?-1:left>right?1:0),parts=[],from=0;for(let[key,endpoint]of sorted2){
let position=firstNotBelow(endpoints,key,from);position>from&&parts.push(endpoints.slice(from,position)),from=endpoints[position]?.
key===key?position+1:position,endpoint&&parts.push([endpoint])}return parts.push(from===0?endpoints:endpoints.slice(from)),
NO_ENDPOINTS.concat(...parts)}function firstNotBelow(endpoints,key,low=0){let high=endpoints.length,first=low;for(;first<
high;){let middle=first+high>>>1;endpoints[middle].key<key?first=middle+1:high=middle}return first}var NO_SELECTION={topology:"none",clusterBasis:"none",localBasis:"none"},EMPTY_VIEW={candidates:NO_ENDPOINTS,cluster:NO_ENDPOINTS,
local:NO_ENDPOINTS,selection:NO_SELECTION,hasAny:!1};function isSelectable(endpoint){return endpoint.ready&&!isDrained(endpoint)}
function isStandIn(endpoint){return endpoint.serving&&endpoint.terminating&&!isDrained(endpoint)}var EndpointSet=class{place;#current=EMPTY_VIEW;#counts=noCounts();constructor(place){
this.place=place}get view(){return this.#current}fill(candidates){for(let endpoint of candidates)this.#count(endpoint,1);
this.#current=this.#choose(candidates,void 0)}change(changes){let{candidates}=this.#current,next=withChanges(candidates,
changes);if(next!==candidates){for(let[key,endpoint]of changes)this.#count(findEndpoint(candidates,key),-1),this.#count(
endpoint,1);this.#current=this.#choose(next,changes)}}moveTo(place){this.place=place,this.#counts=noCounts();for(let endpoint of this.#current.
candidates)this.#count(endpoint,1);this.#current=this.#choose(this.#current.candidates,void 0)}#count(endpoint,by){if(!endpoint)
return;let{place}=this,counts=this.#counts;isSelectable(endpoint)&&(counts.ready+=by,endpoint.isLocal&&(counts.readyLocal+=
by),place.nodeHints&&endpoint.nodeHints.length>0&&(counts.readyWithNodeHints+=by,endpoint.nodeHints.includes(place.nodeName)&&
(counts.readyHintedHere+=by)),endpoint.zoneHints.length>0&&(counts.readyWithZoneHints+=by,place.zone!==void 0&&endpoint.
zoneHints.includes(place.zone)&&(counts.readyHintedZone+=by))),isStandIn(endpoint)&&(counts.standIns+=by,endpoint.isLocal&&
(counts.localStandIns+=by))}#select(){let counts=this.#counts,basis=(ready,standIns)=>ready>0?"ready":standIns>0?"termin\
ating":"none";return{topology:this.#topology(),clusterBasis:basis(counts.ready,counts.standIns),localBasis:basis(counts.
readyLocal,counts.localStandIns)}}#topology(){let counts=this.#counts;return counts.ready===0?"none":counts.readyWithNodeHints===
counts.ready&&counts.readyHintedHere>0?"PreferSameNode":counts.readyWithZoneHints===counts.ready&&counts.readyHintedZone>
0?"PreferSameZone":"none"}#choose(candidates,changes){let before2=this.#current,chosen=this.#select(),same=Object.keys(chosen).
every(key=>chosen[key]===before2.selection[key]),selection=same?before2.selection:chosen,keep=same&&changes!==void 0,list=(previous,isIn)=>{
if(keep?previous===before2.candidates&&changes.every(([,endpoint])=>endpoint===void 0||isIn(endpoint)):candidates.every(
isIn))return candidates;let filtered=keep?withChanges(previous,changes.map(([key,endpoint])=>[key,endpoint&&isIn(endpoint)?
endpoint:void 0])):candidates.filter(isIn);return filtered.length===candidates.length?candidates:filtered.length===0?NO_ENDPOINTS:
filtered};return{candidates,cluster:list(before2.cluster,this.#clusterMember(selection)),local:list(before2.local,localMember(
selection)),selection,hasAny:this.#counts.ready>0||this.#counts.standIns>0}}#clusterMember(selection){let{nodeName,zone}=this.
place;switch(selection.clusterBasis){case"none":return()=>!1;case"terminating":return isStandIn;case"ready":switch(selection.
topology){case"PreferSameNode":return endpoint=>isSelectable(endpoint)&&endpoint.nodeHints.includes(nodeName);case"Prefe\
rSameZone":return endpoint=>isSelectable(endpoint)&&zone!==void 0&&endpoint.zoneHints.includes(zone);case"none":return isSelectable}}}};
function localMember(selection){switch(selection.localBasis){case"none":return()=>!1;case"terminating":return endpoint=>endpoint.
isLocal&&isStandIn(endpoint);case"ready":return endpoint=>endpoint.isLocal&&isSelectable(endpoint)}}function noCounts(){
return{ready:0,readyLocal:0,readyWithNodeHints:0,readyHintedHere:0,readyWithZoneHints:0,readyHintedZone:0,standIns:0,localStandIns:0}}function endpointDescriber(port,list,node){let ready,readyEndpoints=()=>(ready??=port.candidates.filter(other=>isSelectable(
other)&&(list==="cluster"||other.isLocal)).length,ready);return endpoint=>describeEndpoint(endpoint,port,list,node,readyEndpoints)}
function intendedList({servicePort},{kind}){let{internalTrafficPolicy,externalTrafficPolicy}=servicePort;return(kind==="\
ClusterIP"?internalTrafficPolicy:externalTrafficPolicy)==="Local"?"local":"cluster"}function describeEndpoint(endpoint,port,list,node,readyEndpoints){
let{selection}=port,basis=list==="cluster"?selection.clusterBasis:selection.localBasis,condition=describeCondition(endpoint);
if(list==="local"&&!endpoint.isLocal)return{used:!1,reason:`${endpoint.nodeName===void 0?"on no known node":`on node ${endpoint.
nodeName}`}, and only endpoints on this node are used`};let place=list==="local"?"on this node, ":"";if(isDrained(endpoint))
return{used:!1,reason:`${place}${condition}, but drained (weight 0)`};let share=shareOf(endpoint);switch(basis){case"non\
e":return{used:!1,reason:`${place}${condition}`};case"terminating":return endpoint.serving&&endpoint.terminating?{used:!0,
reason:`${place}terminating but still serving, and none is ready${share}`}:{used:!1,reason:`${place}${condition}`};case"\
ready":break;default:return assertNever(basis)}if(!endpoint.ready){let ready=count(readyEndpoints(),"ready one exists","\
ready ones exist");return{used:!1,reason:`${place}${condition}, and ${ready}`}}return list==="cluster"&&selection.topology===
"PreferSameNode"?endpoint.nodeHints.includes(node.name)?{used:!0,reason:`ready, and meant for node ${node.name}${share}`}:
{used:!1,reason:`ready, but meant for ${names("node",endpoint.nodeHints)}`}:list==="cluster"&&selection.topology==="Pref\
erSameZone"?node.zone!==void 0&&endpoint.zoneHints.includes(node.zone)?{used:!0,reason:`ready, and meant for zone ${node.
zone}${share}`}:{used:!1,reason:`ready, but meant for ${names("zone",endpoint.zoneHints)}`}:{used:!0,reason:`${place}rea\
dy${share}`}}function shareOf({weight,slowStart}){let own=weight===DEFAULT_WEIGHT?"":`, weight ${weight}`;return slowStart===
void 0?own:`${own}, slow start: ${slowStart} tenths of its share`}function describeCondition(endpoint){return endpoint.ready?
"ready":endpoint.terminating?endpoint.serving?"terminating, still serving":"terminating, no longer serving":endpoint.notReadyReason===
void 0?"not ready":`not ready: ${endpoint.notReadyReason}`}function count(number,one,many){return`${number} ${number===1?
one:many}`}function names(what,list){return`${what}${list.length===1?"":"s"} ${list.join(", ")}`}function compareStates(pairs){let servicePorts=pairs.flatMap(comparePair).sort(compareOrder);return{summary:summarize(pairs,
servicePorts),servicePorts,node:pairs.flatMap(({family,before:before2,after})=>before2&&after?nodeProperties(before2.node,
after.node).map(change=>({...change,family})):[])}}function isEmptyComparison({servicePorts,node}){return servicePorts.length===
0&&node.length===0}var NO_PORTS=new Map;function comparePair({family,before:before2,after}){let[old,fresh]=[before2?.servicePorts??
NO_PORTS,after?.servicePorts??NO_PORTS];return[...new Set([...old.keys(),...fresh.keys()])].flatMap(key=>{let[was,is]=[old.
get(key),fresh.get(key)],{name}=is??was??{};if(name===void 0||was===is)return[];let frontends=compareFrontends(was?.frontends??
[],is?.frontends??[]),endpoints=compareEndpoints(was,is,after?.node),properties=was&&is?portProperties(was,is):[];return was!==
void 0&&is!==void 0&&frontends.length+endpoints.length+properties.length===0?[]:[{change:was===void 0?"add":is===void 0?
"remove":"change",...name,family,frontends,endpoints,properties}]})}function compareFrontends(before2,after){let old=new Map(
before2.map(frontend=>[frontend.key,frontend])),changed=after.flatMap(frontend=>{let was=old.get(frontend.key);old.delete(
frontend.key);let properties=was===void 0||was===frontend?[]:frontendProperties(was,frontend);return was!==void 0&&properties.
length===0?[]:[{change:was===void 0?"add":"change",...shown(frontend),properties}]}),removed=[...old.values()].map(frontend=>({
change:"remove",...shown(frontend),properties:[]}));return[...changed,...removed]}function shown({kind,address,port,lastPort,
routes}){return{kind,address:address??null,port,...lastPort===void 0?{}:{lastPort},action:actionOf(routes)}}function frontendProperties(was,is){
return[...property("kind",was.kind,is.kind),...property("ports",formatPorts(was),formatPorts(is)),...property("action",actionOf(
was.routes),actionOf(is.routes)),...property("masquerade",masqueradeOf(was.routes),masqueradeOf(is.routes)),...property(
"source ranges",rangesOf(was.allowedSources),rangesOf(is.allowedSources)),...property("excepted addresses",listOf(was.exceptAddresses),
listOf(is.exceptAddresses))]}var SOURCES={any:"others",pod:"pods",node:"the node itself"};function actionOf(routes){return bySource(
routes,route=>route.action==="forward"?`forward to ${route.endpoints} endpoints`:route.action)??"pass on"}function masqueradeOf(routes){
return bySource(routes,route=>route.action==="forward"?route.masquerade:null)}function bySource(routes,describe2){let[usual,
...earlier]=[...routes].reverse(),text=usual===void 0?null:describe2(usual),sources=new Map;for(let route of earlier){let exception=describe2(
route);exception!==null&&exception!==text&&sources.set(exception,[...sources.get(exception)??[],SOURCES[route.source]])}
let exceptions=[...sources].map(([other,names2])=>`${names2.join(", ")}: ${other}`).join("; ");return text===null?exceptions===
""?null:exceptions:exceptions===""?text:`${text} (${exceptions})`}function rangesOf(ranges){return ranges===void 0?"all":
listOf(ranges)??"none"}function portProperties(was,is){return[...property("session affinity",affinityOf(was),affinityOf(
is)),...property("health check node port",healthOf(was),healthOf(is)),...property("annotations",annotationsOf(was),annotationsOf(
is))]}function affinityOf({affinitySeconds}){return affinitySeconds===void 0?null:`ClientIP ${affinitySeconds} s`}function healthOf({
servicePort:{healthCheckNodePort}}){return healthCheckNodePort===0?null:String(healthCheckNodePort)}function annotationsOf({
servicePort:{annotations}}){return listOf(Object.entries(annotations).map(([key,value])=>`${key}=${value}`).sort())}function compareEndpoints(was,is,nodeAfter){
if(was?.cluster===is?.cluster&&was?.local===is?.local)return[];let[before2,after]=[listsOf(was),listsOf(is)],known=new Map(
[...is?.candidates??[]].map(endpoint=>[endpoint.key,endpoint])),describers=["cluster","local"].map(list=>is&&nodeAfter?[
list,endpointDescriber(is,list,nodeAfter)]:void 0);return[...new Set([...before2.keys(),...after.keys()])].sort().flatMap(
key=>{let[old,fresh]=[before2.get(key),after.get(key)],endpoint=known.get(key)??fresh?.endpoint??old?.endpoint,[lists,listsAfter]=[
old?.lists??[],fresh?.lists??[]],isOther=old!==void 0&&fresh!==void 0&&(old.endpoint.isLocal!==fresh.endpoint.isLocal||old.
endpoint.weight!==fresh.endpoint.weight);if(endpoint===void 0||structurallyEqual(lists,listsAfter)&&!isOther)return[];let change=lists.
length===0?"add":listsAfter.length===0?"remove":"change",list=listsAfter[0]??lists[0],describe2=describers.find(one=>one?.[0]===
list)?.[1];return[{change,address:endpoint.address,port:endpoint.port,podName:endpoint.podName??null,nodeName:endpoint.nodeName??
null,before:lists,after:listsAfter,isLocal:endpoint.isLocal,weightBefore:old?.endpoint.weight??null,weightAfter:fresh?.endpoint.
weight??null,reason:known.has(key)&&describe2?describe2(endpoint).reason:null}]})}function listsOf(port){let used=new Map;
for(let list of["cluster","local"])for(let endpoint of isForwardedTo(port,list)?port?.[list]??[]:[])used.set(endpoint.key,
{endpoint,lists:[...used.get(endpoint.key)?.lists??[],list]});return used}function isForwardedTo(port,list){return port?.
frontends.some(({routes})=>routes.some(route=>route.action==="forward"&&route.endpoints===list))??!1}function nodeProperties(was,is){
return[...property("packets of pods",detectorOf(was),detectorOf(is)),...property("NodePort addresses",nodePortsOf(was),nodePortsOf(
is)),...property("Service networks",listOf(was.serviceCIDRs),listOf(is.serviceCIDRs))]}function detectorOf({detector}){switch(detector.
kind){case"none":return"not distinguished";case"source-cidr":return`from ${detector.cidr}`;case"interface":return`from i\
nterface ${detector.name}`;case"interface-prefix":return`from interfaces ${detector.prefix}*`}}function nodePortsOf({nodePortAddresses}){
return`${nodePortAddresses.kind==="all"?"all addresses":listOf(nodePortAddresses.addresses)??"no address"}${nodePortAddresses.
loopback?", and loopback":""}`}function property(name,before2,after){return before2===after?[]:[{property:name,before:before2,
after}]}function listOf(texts){return texts===void 0||texts.length===0?null:texts.join(", ")}function summarize(pairs,servicePorts){
let has=state=>{let services=new Set;for(let pair of pairs)for(let{name}of pair[state]?.servicePorts.values()??[])services.
add(serviceKey(name));return services},[before2,after]=[has("before"),has("after")],count2={add:0,change:0,remove:0};for(let service of new Set(
servicePorts.map(serviceKey)))count2[before2.has(service)?after.has(service)?"change":"remove":"add"]++;return count2}function compareOrder(left,right){
let text=port=>`${formatServicePortName(port)}/${port.protocol} ${port.family}`,[a,b]=[text(left),text(right)];return a<
b?-1:a>b?1:0}function endpointAddress({address,port}){return joinHostPort(address,port)}var silentLogger={error(){},warn(){},info(){},debug(){},v:()=>!1};var DEFAULT_PROXY_MODE="iptables",BOTH=["IPv4","IPv6"],UnknownProxyModeError=class extends ProxierError{constructor(requested,modes){
super("UNKNOWN_PROXY_MODE",`unknown proxy mode ${JSON.stringify(requested)}; available modes: ${modes.join(", ")||"none"}\
; leave it empty for ${DEFAULT_PROXY_MODE}`)}},ProxyModeUnusableError=class extends ProxierError{constructor(mode,reason,fallback){
let also=fallback?`; and cannot fall back to ${fallback.mode}: ${fallback.reason}`:"";super("PROXY_MODE_UNUSABLE",`canno\
t use proxy mode ${mode}: ${reason}${also}`)}};async function selectProxyMode(options){let{requested,backends,fallback,logger}=options,
find=mode2=>backends.find(backend2=>backend2.mode===mode2),[only,...others]=backends,single=others.length===0?only?.mode:
void 0,defaulted=requested===""&&single===void 0,mode=requested===""?single??DEFAULT_PROXY_MODE:requested,backend=find(mode);
if(!backend)throw new UnknownProxyModeError(requested,backends.map(candidate=>candidate.mode));defaulted&&logger.warn(`N\
o proxy mode configured; using ${mode}. Configure a mode to keep it when the default changes`);let result=await probe(backend);
if(result.usable){logger.info(`Using proxy mode ${mode}`,result.detail===void 0?{}:{detail:result.detail}),warnOfDeprecation(
backend,logger);let{detail:detail2,families:families2=BOTH}=result;return{mode,backend,requested,defaulted,detail:detail2,
families:families2,reason:void 0}}let{reason}=result,standIn=fallback==="none"||fallback===mode?void 0:find(fallback);if(!standIn)
throw new ProxyModeUnusableError(mode,reason);let standInResult=await probe(standIn);if(!standInResult.usable)throw new ProxyModeUnusableError(
mode,reason,{mode:standIn.mode,reason:standInResult.reason});let{detail,families=BOTH}=standInResult;return logger.warn(
`Cannot use proxy mode ${mode}: ${reason}; falling back to ${standIn.mode}`,detail===void 0?{}:{detail}),warnOfDeprecation(
standIn,logger),{mode:standIn.mode,backend:standIn,requested,defaulted,detail,families,reason}}function warnOfDeprecation({
deprecation},logger){deprecation!==void 0&&logger.warn(deprecation)}async function probe(backend){try{return await backend.
probe()}catch(error){return{usable:!1,reason:`its probe failed: ${messageOf(error)}`}}}function isRecord(value){return typeof value=="object"&&value!==null&&!Array.isArray(value)}function isText(value){return typeof value==
"string"&&value!==""}var NODE_PORT_ADDRESS_KEYWORDS=["primary","localhost","all"],KEYWORD_NETWORKS={localhost:{IPv4:"127.0.0.0/8",IPv6:"::1/1\
28"},all:{IPv4:"0.0.0.0/0",IPv6:"::/0"}},LOOPBACK_NETWORKS=KEYWORD_NETWORKS.localhost;function isNodePortAddressKeyword(text){
return NODE_PORT_ADDRESS_KEYWORDS.includes(text)}function selectNodePortAddresses(entries){return entries.length===0?{kind:"\
all"}:entries.every(entry=>entry==="primary")?{kind:"primary"}:entries.some(isNodePortAddressKeyword)?{kind:"entries",entries}:
{kind:"cidrs",cidrs:entries}}function isNodePortAddressSelection(value){if(!isRecord(value))return!1;let isNetwork=entry=>parseCIDR(
entry)!==void 0,isEntry=entry=>isNetwork(entry)||typeof entry=="string"&&isNodePortAddressKeyword(entry);switch(value.kind){case"\
all":case"primary":return!0;case"cidrs":return Array.isArray(value.cidrs)&&value.cidrs.every(isNetwork);case"entries":return Array.
isArray(value.entries)&&value.entries.every(isEntry);default:return!1}}function nodePortAddressEntries(selection){switch(selection.
kind){case"all":case"primary":return[selection.kind];case"cidrs":return selection.cidrs;case"entries":return selection.entries}}
function resolveNodePortAddresses(selection,{family,nodeAddresses,localAddresses,localhostNodePorts}){let networks=networksOf(
selection,family),own=selectsPrimary(selection)?nodeAddresses.find(address=>familyOf(address)===family&&!isLoopbackAddress(
address)):void 0,isAll=isEveryAddress(networks)||networks.length===0&&own===void 0,effective=isAll&&!isEveryAddress(networks)?
[...networks,KEYWORD_NETWORKS.all[family]]:networks,loopback=servesLoopbackOf(effective,family,localhostNodePorts);if(isAll)
return{kind:"all",loopback};let inNetworks=localAddresses.filter(address=>!isLoopbackAddress(address)&&networks.some(network=>cidrContains(
network,address)));return{kind:"listed",addresses:own===void 0?inNetworks:[own,...inNetworks.filter(address=>address!==own)],
loopback}}function listNodePortAddresses(addresses,family){return[...addresses.kind==="all"?["all"]:addresses.addresses,
...addresses.loopback?[LOOPBACK_NETWORKS[family]]:[]]}function dependsOnLocalAddresses(selection,family){let networks=networksOf(
selection,family);return!isEveryAddress(networks)&&networks.some(network=>!isLoopbackNetwork(network))}function unselectedFamilies(selection,families){
return selectsPrimary(selection)?[]:families.filter(family=>networksOf(selection,family).length===0)}function servesLoopback(options,family="\
IPv4"){let{nodePortAddresses,localhostNodePorts}=options,networks=networksOf(nodePortAddresses,family),effective=networks.
length===0&&!selectsPrimary(nodePortAddresses)?[KEYWORD_NETWORKS.all[family]]:networks;return servesLoopbackOf(effective,
family,localhostNodePorts)}function optionsOfFamily(options,family,capabilities={}){let portRanges=capabilities.portRanges?
capabilities.shiftedPortRanges?"any":"same-port":"none";return{...options,localhostNodePorts:localhostNodePortsOf(options,
family,capabilities),portRanges}}function localhostNodePortsOf({localhostNodePorts},family,capabilities){return family===
"IPv6"?capabilities.localhostNodePortsIPv6===!0&&"listed":capabilities.localhostNodePorts===!0&&localhostNodePorts}function unservedLoopback(options,families,capabilities={}){
let{nodePortAddresses:selection}=options;return families.flatMap(family=>{let networks=networksOf(selection,family);if(!networks.
some(isLoopbackNetwork)||localhostNodePortsOf(options,family,capabilities)!==!1)return[];let needed=family==="IPv6"?"loc\
alhostNodePortsIPv6":"localhostNodePorts",cause=capabilities[needed]===!0?"option":needed,isOnly=!selectsPrimary(selection)&&
networks.every(isLoopbackNetwork);return[{family,network:LOOPBACK_NETWORKS[family],cause,isOnly}]})}function selectsPrimary(selection){
return nodePortAddressEntries(selection).includes("primary")}function networksOf(selection,family){let cidrs=nodePortAddressEntries(
selection).flatMap(entry=>entry==="primary"?[]:entry==="localhost"||entry==="all"?KEYWORD_NETWORKS[entry][family]:entry).
flatMap(text=>parseCIDR(text)??[]).filter(cidr=>cidr.family===family);return[...new Set(cidrs.map(cidr=>cidr.text))]}function isEveryAddress(networks){
return networks.some(network=>network.endsWith("/0"))}function servesLoopbackOf(networks,family,localhostNodePorts){return localhostNodePorts!==
!1&&networks.some(network=>isLoopbackNetwork(network)||family==="IPv4"&&localhostNodePorts===!0&&cidrContains(network,"1\
27.0.0.0"))}function isLoopbackNetwork(network){return network.startsWith("127.")||network==="::1/128"}function isLoopbackAddress(address){
return address.startsWith("127.")||address==="::1"}function formatObjectProblem(problem){let who=problem.namespace===""?problem.name:`${problem.namespace}/${problem.name}`,
where=problem.field===""?"":`${problem.field}: `;return`${problem.kind} ${who}: ${where}${problem.message}`}var systemClock={now:()=>Date.now(),monotonic:()=>performance.now(),setTimer(milliseconds,callback){let timeout=setTimeout(
callback,milliseconds);return timeout.unref(),{cancel:()=>clearTimeout(timeout)}}};function pause(clock,milliseconds,signal){
return new Promise(resolve2=>{if(signal.aborted){resolve2();return}let end=()=>{timer.cancel(),signal.removeEventListener(
"abort",end),resolve2()},timer=clock.setTimer(milliseconds,end);signal.addEventListener("abort",end)})}var QuestionError=class extends ProxierError{constructor(message,code="INVALID_QUESTION"){super(code,message)}},VIA_NAMES={
"cluster-ip":"ClusterIP","external-ip":"ExternalIP","load-balancer":"LoadBalancerIP","node-port":"NodePort"},ADDRESS_AND_PORT=/^(?:\[([^\]]+)\]|([^:/]+)):(\d{1,5})(?:\/([a-z]+))?$/i,
SERVICE=/^(?:svc|service|services)\/(?:([^/:]+)\/)?([^/:]+)(?::([^/:]+))?(?:\/([a-z]+))?$/i,POD=/^(?:pod|pods|po)\/(?:([^/]+)\/)?([^/]+)$/i,
PROTOCOLS=["TCP","UDP","SCTP"],SERVICE_FORM="svc/checkout, svc/checkout:http, svc/shop/checkout:80/udp";function readPacketQuestion({
source,destination,namespace="default",via}){let client=source===void 0||source===""?void 0:readClient(source,namespace),
to=readDestination(destination,namespace);if(to.kind==="address"){if(client===void 0)throw new QuestionError(`the destin\
ation ${printable(destination)} needs a source, as in: explain 10.244.0.5 ${printable(destination)}; a question without \
one names a Service, as in: explain svc/checkout`);if(via!==void 0)throw new QuestionError(`--via needs a Service as the\
 destination, as in ${SERVICE_FORM}`);return client.kind==="address"&&checkFamilies(client.address,to.address),{client,destination:to}}
if(via===void 0)return{client,destination:to};let kind=VIA_NAMES[via];if(kind===void 0)throw new QuestionError(`--via: "${printable(
via)}" must be one of ${Object.keys(VIA_NAMES).join(", ")}`);return{client,destination:to,via:kind}}function checkFamilies(source,destination){
if(source.includes(":")!==destination.includes(":"))throw new QuestionError(`${source} and ${destination} are of differe\
nt IP families; no packet goes from one to the other`)}function readClient(text,namespace){let address=parseAddress(text);
if(address)return{kind:"address",address:address.text};let pod=POD.exec(text);if(pod)return{kind:"pod",namespace:pod[1]??
namespace,name:pod[2]??""};switch(text){case"node":return{kind:"node"};case"outside":case"external":return{kind:"outside"};default:
throw new QuestionError(`source "${printable(text)}" is not an IP address; use one, pod/<name>, pod/<namespace>/<name>, \
node or outside`)}}function readDestination(text,namespace){let service=SERVICE.exec(text);if(service){let[,own,name="",
port2,protocol]=service;return{kind:"service",namespace:own??namespace,name,port:port2,protocol:protocol===void 0?void 0:
readProtocol(protocol)}}let match=ADDRESS_AND_PORT.exec(text),to=parseAddress(match?.[1]??match?.[2]);if(!match||!to)throw new QuestionError(
`destination "${printable(text)}" must be an IP address and a port, as in 10.96.0.10:80, [fd00::10]:80 or 10.96.0.10:53/\
udp, or a Service, as in ${SERVICE_FORM}`);let port=Number(match[3]);if(port<1||port>65535)throw new QuestionError(`port\
 ${match[3]} is not a port (1 to 65535)`);return{kind:"address",address:to.text,port,protocol:readProtocol(match[4]??"TC\
P")}}function readProtocol(text){let protocol=PROTOCOLS.find(known=>known===text.toUpperCase());if(protocol===void 0)throw new QuestionError(
`protocol "${printable(text)}" is not one of tcp, udp, sctp`);return protocol}function describeMasquerading(choices){let masqueraded=choices.filter(choice=>choice.masqueraded);return masqueraded.length===
0?"source kept":masqueraded.length===choices.length?"masqueraded":masqueraded.every(({hairpin})=>hairpin)?"masqueraded t\
o itself only":"masqueraded, except to addresses of this node"}function explainSimulation(simulation){let{packet,outcome,servicePort,frontend,route,steps,endpoints}=simulation;return{
packet,outcome,servicePort:servicePort?formatServicePortName(servicePort.name):null,frontend:frontend??null,route:route??
null,steps,endpoints}}function formatSimulation(simulation,sourceName){let{packet,outcome,steps,endpoints}=simulation,lines=[
`${sourceName===void 0?packet.source:`${sourceName} (${packet.source})`} -> ${joinHostPort(packet.destination,packet.port)}\
/${packet.protocol}: ${outcomeText(outcome)}`,"","Why:",...steps.map((step,index)=>`  ${index+1}. ${step}`)];if(endpoints.
length>0){let width=widest(endpoints.map(({endpoint})=>endpoint.key)),podWidth=widest(endpoints.map(({endpoint})=>endpoint.
podName??""));lines.push("","Endpoints:");for(let{endpoint,used,reason}of endpoints){let pod=podWidth===0?"":`${(endpoint.
podName??"").padEnd(podWidth)}  `;lines.push(`  ${used?"+":"-"} ${endpoint.key.padEnd(width)}  ${pod}${used?"used":"not \
used"}: ${reason}`)}}return`${lines.join(`
`)}
`}function outcomeText(outcome){switch(outcome.kind){case"forwarded":{let{choices}=outcome,[{probability=0}={}]=choices,
areEqual=choices.every(choice=>Math.abs(choice.probability-probability)<1e-9),each=choices.length===1||!areEqual?"":`, e\
ach with probability ${probability.toFixed(3)}`,shown3=choices.slice(0,10).map(({endpoint,probability:share})=>`${endpoint.
key}${areEqual?"":` (${share.toFixed(3)})`}`),more=choices.length>10?` and ${choices.length-10} more`:"";return`forwarde\
d to ${shown3.join(" or ")}${more}${each} (${describeMasquerading(choices)})`}case"refused":return'refused ("connection \
refused")';case"dropped":return"dropped (no answer; the client times out)";case"passed-on":return"not handled by the ser\
vice proxy"}}function widest(texts){return Math.max(0,...texts.map(({length})=>length))}function frontendKey(protocol,address,port){return`${protocol}/${address===void 0?`node:${port}`:joinHostPort(address,port)}`}function resetsConnections({name,servicePort}){return name.protocol==="TCP"&&servicePort.whenEndpointGoes==="reset"}function lostEndpoints(changes){
let lost=new Map;for(let[key,{previous,current}]of changes.resolvedServicePorts)if(!(current===void 0||!resetsConnections(
current))){if(previous===void 0?changes.previous===void 0:!resetsConnections(previous))current.candidates.length>0&&lost.
set(key,"unknown");else if(previous!==void 0&&previous.candidates!==current.candidates){let present=new Set(current.candidates.
map(endpoint=>endpoint.key)),gone=previous.candidates.filter(endpoint=>!present.has(endpoint.key));gone.length>0&&lost.set(
key,new Set(gone.map(endpoint=>endpoint.key)))}}return lost}function simulatePacket(state,packet,host={}){return new Simulator(state,normalise(state,packet),host).run()}function decidePacket(state,packet,host={}){
let{steps:_steps,endpoints:_endpoints,...decision}=new Simulator(state,normalise(state,packet),host,!1).run();return decision}
function normalise(state,packet){let source=parseAddress(packet.source),destination=parseAddress(packet.destination);if(!source||
!destination)throw new RangeError(`${JSON.stringify(source?packet.destination:packet.source)} is not an IP address`);if(source.
family!==destination.family||source.family!==state.family)throw new RangeError(`a packet from ${source.text} to ${destination.
text} is not ${state.family} traffic`);if(!Number.isInteger(packet.port)||packet.port<1||packet.port>65535)throw new RangeError(
`${packet.port} is not a port (1 to 65535)`);return{...packet,source:source.text,destination:destination.text}}var Simulator=class{state;packet;explains;#steps=[];#node;#localAddresses;#fromHost;constructor(state,packet,host,explains=!0){
this.state=state,this.packet=packet,this.explains=explains,this.#node=state.node;let{localAddresses=state.node.addresses}=host;
this.#localAddresses="has"in localAddresses?localAddresses:new Set(localAddresses),this.#fromHost=packet.entry?packet.entry.
kind==="host":this.#isLocal(packet.source)}run(){let{packet}=this,found=this.#findFrontend();if(!found)return this.#unclaimed();
let{servicePort,frontend}=found,name=formatServicePortName(servicePort.name),where=frontend.address===void 0?"a NodePort":
`the ${SPOKEN_KIND[frontend.kind]}`;this.#steps.push(`${packet.destination} port ${packet.port}/${packet.protocol} is ${where}\
 of Service ${name}.`),frontend.lastPort!==void 0&&this.explains&&this.#steps.push(describeRange(servicePort,frontend,packet.
port));let refusedSource=this.#refusedSource(frontend);if(refusedSource)return this.#steps.push(refusedSource),this.#end(
{kind:"dropped"},found);let route=frontend.routes.find(candidate=>this.#routeMatches(candidate));if(this.explains&&this.#steps.
push(...this.#describeRoute(servicePort,frontend,route)),this.explains&&resetsConnections(servicePort)&&this.#steps.push(
"Open connections are reset when their endpoint is gone (kube-proxier.io/when-endpoint-goes)."),route.action!=="forward")
return this.#end({kind:route.action==="reject"?"refused":"dropped"},found,route);let endpoints=servicePort[route.endpoints],
weights=selectionWeights(endpoints),total=weights?.reduce((sum,weight)=>sum+weight,0)??endpoints.length,choices=endpoints.
map((endpoint,index)=>{let hairpin=endpoint.isLocal&&endpoint.address===packet.source;return{endpoint:endpointAt(endpoint,
frontend,packet.port),probability:(weights?.[index]??1)/total,masqueraded:(hairpin||this.#masquerades(route))&&!this.#isDelivered(
endpoint.address),hairpin}});return this.explains&&this.#steps.push(...this.#describeSource(route,choices)),servicePort.
affinitySeconds!==void 0&&this.#steps.push(`Session affinity: a client that connected within the last ${servicePort.affinitySeconds}\
 s keeps its endpoint, while that is in the list.`),this.#end({kind:"forwarded",choices,affinitySeconds:servicePort.affinitySeconds},
found,route)}#findFrontend(){let{packet}=this,direct=this.#frontend(frontendKey(packet.protocol,packet.destination,packet.
port))??this.#inRange();if(direct)return direct;let nodePort=this.#frontend(frontendKey(packet.protocol,void 0,packet.port));
if(!nodePort)return;let refusal=this.#notANodePortAddress();if(refusal){this.#steps.push(`${packet.port}/${packet.protocol}\
 is the node port of Service ${formatServicePortName(nodePort.servicePort.name)}, but ${refusal}.`);return}return nodePort}#frontend(key){
let holder=this.state.frontends.get(key),servicePort=holder===void 0?void 0:this.state.servicePorts.get(holder),frontend=servicePort?.
frontends.find(candidate=>candidate.key===key);return servicePort&&frontend?{servicePort,frontend}:void 0}#inRange(){let{
protocol,destination,port}=this.packet,range=this.state.portRanges?.get(portRangeSpace(protocol,destination))?.find(({first,
last})=>first<=port&&port<=last);return range&&this.#frontend(frontendKey(protocol,destination,range.first))}#notANodePortAddress(){
let{destination}=this.packet,{nodePortAddresses}=this.#node;return isLoopback(destination)?nodePortAddresses.loopback?isLoopback(
this.packet.source)||this.#isLocal(this.packet.source)?void 0:"a loopback address can only be reached from this node its\
elf":"NodePorts are not served on loopback addresses here":nodePortAddresses.kind==="listed"?nodePortAddresses.addresses.
includes(destination)?void 0:`${destination} is not among the addresses for NodePorts (${nodePortAddresses.addresses.join(
", ")||"none"})`:this.#isLocal(destination)?void 0:`${destination} is not an address of this node`}#unclaimed(){let{packet,
state}=this;if(state.clusterIPs.has(packet.destination)&&!this.explains)return this.#end({kind:"refused"});if(state.clusterIPs.
has(packet.destination)){let owners=[...state.servicePorts.values()].filter(port=>port.frontends.some(({kind,address})=>kind===
"ClusterIP"&&address===packet.destination)),has=owners.map(port=>`${formatPorts(clusterIPFrontend(port)??port.servicePort)}\
/${port.name.protocol}`).sort().join(", "),name=owners[0]?` of Service ${serviceKey(owners[0].name)}`:"";return this.#steps.
push(`${packet.destination} is the cluster IP${name}, which has no port ${packet.port}/${packet.protocol} (it has ${has}\
): refused.`),this.#end({kind:"refused"})}let cidr=this.#node.serviceCIDRs.find(candidate=>cidrContains(candidate,packet.
destination));return cidr!==void 0?(this.#steps.push(`${packet.destination} is in the service network ${cidr}, but no Se\
rvice has it: dropped.`),this.#end({kind:"dropped"})):(this.#steps.push(`No Service has ${packet.destination} port ${packet.
port}/${packet.protocol}: the packet goes where the node's routes send it.`),this.#end({kind:"passed-on"}))}#refusedSource(frontend){
let{allowedSources:allowedSources2}=frontend;if(!allowedSources2)return;let range=allowedSources2.find(cidr=>cidrContains(
cidr,this.packet.source));if(range!==void 0){this.#steps.push(`Its source ranges allow ${this.packet.source} (${range}).`);
return}return`Its source ranges (loadBalancerSourceRanges) allow ${allowedSources2.join(", ")||"no source, as none of it\
s ranges could be parsed"}; ${this.packet.source} is not among them: dropped.`}#routeMatches(route){switch(route.source){case"\
any":return!0;case"pod":return this.#isPodTraffic();case"node":return this.#isLocal(this.packet.source)}}#isPodTraffic(){
let{detector}=this.#node,name=this.packet.entry?.kind==="interface"?this.packet.entry.name:void 0;switch(detector.kind){case"\
none":return!1;case"source-cidr":return cidrContains(detector.cidr,this.packet.source);case"interface":return!this.#fromHost&&
name===detector.name;case"interface-prefix":return!this.#fromHost&&name!==void 0&&name.startsWith(detector.prefix)}}#isLocal(address){
return isLoopback(address)||this.#localAddresses.has(address)}#isDelivered(endpoint){return!this.#fromHost&&this.#localAddresses.
has(endpoint)}#masquerades(route){return route.masquerade==="always"||route.masquerade==="off-cluster"&&!this.#isPodTraffic()}#describeRoute(port,frontend,route){
let{servicePort,selection}=port,internal=frontend.kind==="ClusterIP",policy=internal?servicePort.internalTrafficPolicy:servicePort.
externalTrafficPolicy,field=internal?"internalTrafficPolicy":"externalTrafficPolicy";if(route.action!=="forward")return[
route.action==="reject"?`No endpoint of it is ready anywhere${port.candidates.length===0?" (it has none)":""}: refused.`:
`${field} is ${policy}, and no endpoint on this node (${this.#node.name}) can answer, though others exist: dropped.`];let steps=[];
if(policy==="Local"){let why=route.source==="pod"?`${field} is Local, but the packet comes from a pod (${describeDetector(
this.#node.detector)}), for which all endpoints are used`:route.source==="node"?`${field} is Local, but the packet comes\
 from the node itself, for which all endpoints are used`:`${field} is Local: only endpoints on this node (${this.#node.name}\
) are used, and the source address is kept`;steps.push(`${why}.`)}else steps.push(`${field} is Cluster: endpoints on all\
 nodes may be used.`);if((route.endpoints==="cluster"?selection.clusterBasis:selection.localBasis)==="terminating")steps.
push("No endpoint is ready, so those that still serve while they terminate are used.");else if(route.endpoints==="cluste\
r"&&selection.topology!=="none"){let place=selection.topology==="PreferSameNode"?`node ${this.#node.name}`:`zone ${this.#node.
zone}`;steps.push(`Topology hints (${selection.topology}): only endpoints meant for ${place} are used.`)}return steps}#describeSource(route,choices){
let steps=[],{source}=this.packet;route.masquerade==="always"?steps.push(`The source ${source} is replaced by the node's\
 address (masqueraded).`):route.masquerade==="off-cluster"?steps.push(this.#isPodTraffic()?`The source ${source} is kept\
: it is a pod's (${describeDetector(this.#node.detector)}).`:`The source ${source} is replaced by the node's address (ma\
squeraded): it is not from a pod (${describeDetector(this.#node.detector)}).`):steps.push(`The source ${source} is kept.`);
let delivered=choices.find(({endpoint})=>this.#isDelivered(endpoint.address));return delivered!==void 0&&this.#masquerades(
route)&&steps.push(`Endpoint ${delivered.endpoint.address} is an address of this node: it sees the source ${source}, bec\
ause only packets that leave the node are masqueraded.`),choices.some(choice=>choice.hairpin)&&!this.#masquerades(route)&&
steps.push(`When the selected endpoint is ${source} itself (hairpin), the packet is masqueraded, so that the reply retur\
ns through this node.`),steps}#end(outcome,found,route){let isExplained=this.explains&&(route||outcome.kind!=="dropped"),
endpoints=found&&isExplained?this.#describeEndpoints(found,route):[];return{packet:this.packet,outcome,servicePort:found?.
servicePort,frontend:found?.frontend,route,steps:this.#steps,endpoints}}#describeEndpoints({servicePort,frontend},route){
let list=route?.action==="forward"?route.endpoints:intendedList(servicePort,frontend),describe2=endpointDescriber(servicePort,
list,this.#node);return servicePort.candidates.map(endpoint=>({endpoint,...describe2(endpoint)}))}};function clusterIPFrontend({
frontends}){return frontends.find(({kind})=>kind==="ClusterIP")}var SPOKEN_KIND={ClusterIP:"cluster IP",ExternalIP:"exte\
rnal IP",LoadBalancerIP:"load balancer address",NodePort:"node port"};function describeRange({candidates},frontend,port){
let[endpoint]=candidates,by=(endpoint?.port??frontend.port)-frontend.port,where=candidates.every(other=>other.port===endpoint?.
port)?by===0?"endpoints get it at the same port":`endpoints get it at port ${port+by}`:`each endpoint gets it at its own\
 port plus ${port-frontend.port}`;return`The port is in the range ${formatPorts(frontend)} (kube-proxier.io/port-range):\
 ${where}.`}function describeDetector(detector){switch(detector.kind){case"none":return"packets of pods cannot be distin\
guished: no cluster CIDR is configured";case"source-cidr":return`pods have addresses in ${detector.cidr}`;case"interface":
return`packets of pods arrive on ${detector.name}`;case"interface-prefix":return`packets of pods arrive on interfaces na\
med ${detector.prefix}\u2026`}}function isLoopback(address){return familyOf(address)==="IPv4"?cidrContains("127.0.0.0/8",
address):hostCIDR(address)==="::1/128"}var import_ipaddr2=__toESM(require_ipaddr(),1);var OUTSIDE={IPv4:["203.0.113.1","198.51.100.1","192.0.2.1"],IPv6:["2001:db8:ffff::1","2001:db8:fffe::1","2001:db8:fffd:\
:1"]},ANY_POD={IPv4:"192.0.2.200",IPv6:"2001:db8:fff0::1"};function localPod(state,port){let own=new Set(port.candidates.
map(({address:address2})=>address2));return{kind:"local-pod",name:"pod on this node",address:firstEndpoint(state,({address:address2,
isLocal})=>isLocal&&!own.has(address2)&&!isNodeAddress(state,address2))??podAddress(state,200,own),...podEntry(state)}}function remotePod(state){
return{kind:"remote-pod",name:"pod on another node",address:firstEndpoint(state,({address,isLocal,nodeName})=>!isLocal&&
nodeName!==void 0&&isLikeAPod(state,address))??podAddress(state,201,new Set),entry:{kind:"interface"}}}function nodeItself(state,host){
let address=nodeAddress(state,host);return address===void 0?void 0:{kind:"node",name:"this node",address,entry:{kind:"ho\
st"}}}function outsideClients({family},allowedSources2){let client=(address,name="client outside the cluster")=>({kind:"\
outside",name,address,entry:{kind:"interface"}}),[first=""]=OUTSIDE[family];if(allowedSources2===void 0)return[client(first)];
let isAllowed=address=>allowedSources2.some(cidr=>cidrContains(cidr,address)),[range]=allowedSources2,refused=OUTSIDE[family].
find(address=>!isAllowed(address));return[...range===void 0?[]:[client(addressIn(range,1n),`client in ${range}`)],...refused===
void 0?[]:[client(refused)]]}function podEntry({node}){switch(node.detector.kind){case"interface":return{entry:{kind:"in\
terface",name:node.detector.name}};case"interface-prefix":return{entry:{kind:"interface",name:`${node.detector.prefix}0`}};default:
return{entry:{kind:"interface"}}}}function nodeAddress({family,node},{localAddresses=[]}){let isUsable=address=>familyOf(
address)===family&&!address.startsWith("127.")&&address!=="::1"&&!address.startsWith("fe80:");return[...node.addresses,...localAddresses].
find(isUsable)}function podAddress(state,offset,taken){let{detector}=state.node;if(detector.kind!=="source-cidr")return ANY_POD[state.
family];for(let index=offset;index<offset+256;index++){let address=addressIn(detector.cidr,BigInt(index));if(!taken.has(
address)&&!isNodeAddress(state,address))return address}return addressIn(detector.cidr,BigInt(offset))}function firstEndpoint(state,matches){
for(let port of state.servicePorts.values()){let found=port.candidates.find(matches);if(found)return found.address}}function isNodeAddress({
node},address){return node.addresses.includes(address)}function isLikeAPod({node},address){return node.detector.kind!=="\
source-cidr"||cidrContains(node.detector.cidr,address)}function addressIn(cidr,index){let[network,prefix]=import_ipaddr2.default.
parseCIDR(cidr),bytes=network.toByteArray(),bits=BigInt(bytes.length*8-prefix),rest=bytes.reduce((sum,byte)=>sum<<8n|BigInt(
byte),0n)+index%(1n<<bits),result=bytes.map(()=>0);for(let place=bytes.length-1;place>=0;place--)result[place]=Number(rest&
0xffn),rest>>=8n;let address=import_ipaddr2.default.fromByteArray(result);return address instanceof import_ipaddr2.default.
IPv6?address.toRFC5952String():address.toString()}function nearestName(name,names2){let best,bestLikeness=.65;for(let candidate of names2){let length=Math.max(candidate.length,
name.length);if(length===0||length>253||Math.abs(candidate.length-name.length)/length>=1-bestLikeness)continue;let likeness=(length-
editDistance(candidate,name))/length;likeness>bestLikeness&&(best=candidate,bestLikeness=likeness)}return best}function editDistance(left,right){
let previous=Array.from({length:right.length+1},(_,index)=>index);for(let row2=1;row2<=left.length;row2++){let current=[
row2];for(let column=1;column<=right.length;column++){let replaced=(previous[column-1]??0)+(left[row2-1]===right[column-
1]?0:1);current.push(Math.min(replaced,(previous[column]??0)+1,(current[column-1]??0)+1))}previous=current}return previous[right.
length]??0}function findPod(states,namespace,name){let addresses=new Map,names2=new Set,found,elsewhere;for(let state of states)for(let port of state.
servicePorts.values()){let isHere=port.name.namespace===namespace;for(let endpoint of port.candidates)isHere?endpoint.podName===
name?(found=found===void 0||endpoint.isLocal?endpoint:found,addresses.set(state.family,endpoint.address)):endpoint.podName!==
void 0&&names2.add(endpoint.podName):elsewhere=endpoint.podName===name?port.name.namespace:elsewhere}if(found===void 0){
let advice=elsewhere===void 0?hint(name,names2,"pod/"):`; did you mean pod/${elsewhere}/${name}?`;throw new QuestionError(
`no endpoint of a Service is pod "${printable(name)}" in namespace ${printable(namespace)}${advice} (only pods that are \
endpoints are known by name: use the IP address of another pod)`,"NOT_FOUND")}return{addresses,isLocal:found.isLocal,nodeName:found.
nodeName}}function findServicePorts(states,{namespace,name,port,protocol}){let own=[],names2=new Set,elsewhere=new Set;for(let state of states)
for(let servicePort of state.servicePorts.values()){let{name:found}=servicePort;found.namespace===namespace?(names2.add(
found.name),found.name===name&&own.push({state,servicePort})):found.name===name&&elsewhere.add(found.namespace)}if(own.length===
0){let other=[...elsewhere].sort()[0],advice=other===void 0?hint(name,names2,"svc/"):`; did you mean svc/${other}/${name}\
?`;throw new QuestionError(`Service "${printable(name)}" not found in namespace ${printable(namespace)}${advice}`,"NOT_F\
OUND")}let matching=own.filter(({servicePort})=>isPort(servicePort,port,protocol));if(matching.length===0){let has=[...new Set(
own.map(({servicePort})=>portLabel(servicePort)))].sort().join(", "),wanted=`${port??""}${protocol===void 0?"":`/${protocol}`}`;
throw new QuestionError(`Service ${namespace}/${name} has no port ${printable(wanted)}; it has ${has}`,"NOT_FOUND")}return matching.
sort(compareFound)}function portLabel({name,servicePort}){let number=`${formatPorts(servicePort)}/${name.protocol}`;return name.
portName===""?number:`${name.portName} (${number})`}function isPort({name,servicePort},port,protocol){return(protocol===
void 0||name.protocol===protocol)&&(port===void 0||name.portName===port||/^\d+$/.test(port)&&hasPort(servicePort,Number(
port)))}function compareFound(left,right){let text=({state,servicePort:{name}})=>`${formatServicePortName(name)}/${name.
protocol} ${state.family}`;return text(left)<text(right)?-1:1}function hint(name,names2,prefix){let nearest=nearestName(
name,names2);return nearest===void 0?"":`; did you mean ${prefix}${nearest}?`}function stateOf(states,address){return states.
find(({family})=>family===familyOf(address))}function answerPacketQuestion(states,question,host={}){let{client,destination}=question,pod=client?.kind==="pod"?findPod(
states,client.namespace,client.name):void 0;if(destination.kind==="address"){let{address,port,protocol}=destination,state=stateOf(
states,address);if(state===void 0||client===void 0)throw new QuestionError(`nothing is programmed for the IP family of ${address}`);
let clients=clientsTo(state,void 0,void 0,client,pod,host);if(clients.length===0)throw new QuestionError(`${spoken(client)}\
 has no address of the IP family of ${address}`);return{cases:clients.map(one=>answered(state,one,{destination:address,port,
protocol},null,host)),notes:[]}}let notes=new Set,found=findServicePorts(states,destination),cases=found.flatMap(one=>casesOf(
one,question,pod,host,notes));if(pod!==void 0&&!pod.isLocal){let where=pod.nodeName===void 0?"another node":`node ${pod.
nodeName}`;notes.add(`${spoken(client)} runs on ${where}: its packets to cluster IPs are handled there. This is the answ\
er of this node.`)}if(cases.length===0){let name=serviceKey(destination);throw new QuestionError(`Service ${name} has no\
 address that ${spoken(client)} can send to${question.via===void 0?"":" with --via"}; it has ${kindsOf(found)}`,"NOT_FOU\
ND")}return{cases,notes:[...notes]}}function casesOf({state,servicePort},question,pod,host,notes){let{client,via}=question,
isExternal=servicePort.frontends.some(({kind})=>kind!=="ClusterIP");return servicePort.frontends.filter(({kind})=>via===
void 0?isUsedBy(client,kind,isExternal):kind===via).flatMap(frontend=>{let to=addressOf2(frontend,state,host);if(to===void 0)
return notes.add(`No ${state.family} address of this node is known, so its NodePorts are left out.`),[];let packet={destination:to,
port:portOf(frontend,question),protocol:frontend.protocol};return clientsTo(state,servicePort,frontend,client,pod,host).
map(one=>answered(state,one,packet,frontend.kind,host))})}function portOf({port,kind},{destination}){let asked=destination.
kind==="service"?Number(destination.port):Number.NaN;return kind!=="NodePort"&&Number.isInteger(asked)?asked:port}function isUsedBy(client,kind,isExternal){
switch(client?.kind){case void 0:case"address":return!0;case"pod":case"node":return kind==="ClusterIP";case"outside":return isExternal?
kind!=="ClusterIP":!0}}function clientsTo(state,servicePort,frontend,client,pod,host){switch(client?.kind){case"address":
return familyMatches(client.address,state.family)?[{kind:"address",name:client.address,address:client.address}]:[];case"\
pod":{let address=pod?.addresses.get(state.family),entry=pod?.isLocal?podEntry(state):{},isOnHostNetwork=address!==void 0&&
state.node.addresses.includes(address);return address===void 0?[]:[{kind:"pod",name:spoken(client),address,...isOnHostNetwork?
{}:entry}]}case"node":return listOf2(nodeItself(state,host));case"outside":return outsideClients(state,frontend?.allowedSources);case void 0:{
if(servicePort===void 0||frontend===void 0)return[];let remote=frontend.kind==="ClusterIP"?[]:[remotePod(state)];return[
localPod(state,servicePort),...remote,...listOf2(nodeItself(state,host)),...outsideClients(state,frontend.allowedSources)]}}}
function answered(state,client,to,via,host){let packet={source:client.address,...to,...client.entry?{entry:client.entry}:
{}};return{client,via,explanation:explainSimulation(simulatePacket(state,packet,host))}}function addressOf2({address,exceptAddresses=[]},state,host){
if(address!==void 0)return address;let{nodePortAddresses}=state.node;return(nodePortAddresses.kind==="listed"?nodePortAddresses.
addresses:[]).find(one=>!exceptAddresses.includes(one))??nodeAddress(state,host)}function spoken(client){switch(client?.
kind){case"pod":return`pod ${client.namespace}/${client.name}`;case"address":return client.address;case"node":return"thi\
s node";default:return"a client"}}function kindsOf(found){let kinds=new Set(found.flatMap(({servicePort})=>servicePort.frontends.
map(({kind})=>kind)));return kinds.size===0?"no address on this node":[...kinds].sort().join(", ")}function familyMatches(address,family){
return address.includes(":")===(family==="IPv6")}function listOf2(item){return item===void 0?[]:[item]}function formatTable(rows){let[head=[]]=rows,widths=head.map((_cell,column)=>Math.max(...rows.map(row2=>row2[column]?.length??
0))),last=head.length-1;return rows.map(row2=>`${row2.map((cell,column)=>column===last?cell:cell.padEnd(widths[column]??
0)).join("   ")}`).map(line=>`${line.trimEnd()}
`).join("")}function formatPacketAnswer({cases,notes},details=!1){let[first]=cases,reasons=one=>formatSimulation(one.explanation,one.
client.kind==="address"?void 0:one.client.name);return`${cases.length===1&&first?reasons(first):`${tables(cases)}${details?
cases.map(one=>`
${reasons(one)}`).join(""):""}`}${notes.map(note=>`
Note: ${note}
`).join("")}`}function tables(cases){let groups=new Map;for(let one of cases){let name=`${one.explanation.servicePort??""}\
 (${one.explanation.packet.protocol})`,group=groups.get(name)??[];groups.set(name,group),group.push(one)}return[...groups].
map(([name,group])=>`Service ${name}
${formatTable([HEAD,...group.map(row)])}`).join(`
`)}var HEAD=["TO","FROM","RESULT","SOURCE"];function row({client,via,explanation:{packet,outcome}}){let to=joinHostPort(
packet.destination,packet.port);return[via===null?to:`${via} ${to}`,client.name,resultOf(outcome),sourceOf(outcome)]}function resultOf(outcome){
switch(outcome.kind){case"forwarded":return`${outcome.choices.length} endpoint${outcome.choices.length===1?"":"s"}`;case"\
refused":case"dropped":return outcome.kind;case"passed-on":return"not handled";default:return assertNever(outcome)}}function sourceOf(outcome){
if(outcome.kind!=="forwarded")return"-";let text=describeMasquerading(outcome.choices);return text==="source kept"?"kept":
text}var SERVICE_NAME_LABEL="kubernetes.io/service-name",SERVICE_PROXY_NAME_LABEL="service.kubernetes.io/service-proxy-name",
HEADLESS_SERVICE_LABEL="service.kubernetes.io/headless",TOPOLOGY_ZONE_LABEL="topology.kubernetes.io/zone",LAST_CHANGE_TRIGGER_TIME_ANNOTATION="\
endpoints.kubernetes.io/last-change-trigger-time",ENDPOINT_SLICE_ANNOTATIONS=[LAST_CHANGE_TRIGGER_TIME_ANNOTATION,ENDPOINT_WEIGHTS_ANNOTATION,
SLICE_WEIGHT_ANNOTATION,CILIUM_SLICE_WEIGHT_ANNOTATION];function describeChange({kind,name,previous,current}){switch(kind){case"Service":return[describeService(printable(name),
previous,current)];case"EndpointSlice":return describeSlice(name,previous,current);case"Node":return[{type:"node-changed",
service:void 0,what:`Node ${printable(name)}: ${fieldsOf(previous,current)}`}];case"ServiceCIDRs":return[{type:"networks\
-changed",service:void 0,what:`Service networks: ${listsOf2(previous,current)}`}];case"Addresses":return[{type:"addresse\
s-changed",service:void 0,what:`addresses of interfaces, as read for ${printable(name)}: ${listsOf2(previous,current)}`}]}}
function describeService(service,previous,current){return current===void 0?{type:"service-removed",service,what:"Service\
 removed"}:previous===void 0?{type:"service-added",service,what:`Service added: ${summaryOf(current)}`}:{type:"service-c\
hanged",service,what:`Service changed: ${fieldsOf(previous,current)}`}}function summaryOf(service){let spec=recordOf(recordOf(
service).spec),ports=listOf3(spec.ports).map(port=>{let{port:number,protocol="TCP"}=recordOf(port);return`${String(number)}\
/${String(protocol)}`}),addresses=listOf3(spec.clusterIPs);return printable(`${(addresses.length===0?[spec.clusterIP]:addresses).
join(", ")}, ${ports.length===0?"no port":ports.join(", ")}`)}function describeSlice(name,previous,current){let service=serviceOf(
name,current)??serviceOf(name,previous),slice=printable(name.slice(name.indexOf("/")+1)),before2=endpointsOf(previous),after=endpointsOf(
current),changes=[],add=(type,what)=>changes.push({type,service,what:`${what} (EndpointSlice ${slice})`});for(let[address,
endpoint]of before2)after.has(address)||add("endpoint-removed",`endpoint ${address} went; it was ${conditionsOf(endpoint)}`);
for(let[address,endpoint]of after){let earlier=before2.get(address);if(earlier===void 0){let{nodeName}=endpoint,where=typeof nodeName==
"string"?`, on ${printable(nodeName)}`:"";add("endpoint-added",`endpoint ${address} came: ${conditionsOf(endpoint)}${where}`)}else
structurallyEqual(earlier,endpoint)||add("endpoint-changed",`endpoint ${address}: ${endpointChange(earlier,endpoint)}`)}
if(changes.length===0){let verb=previous===void 0?"added":current===void 0?"removed":void 0,what=verb?`EndpointSlice ${verb}\
, without endpoints`:fieldsOf(previous,current);add("endpoint-changed",what)}return changes}function serviceOf(name,slice){
let label=recordOf(recordOf(recordOf(slice).metadata).labels)[SERVICE_NAME_LABEL];return typeof label=="string"?printable(
`${name.slice(0,name.indexOf("/"))}/${label}`):void 0}function endpointsOf(slice){return new Map(listOf3(recordOf(slice).
endpoints).map(endpoint=>{let record=recordOf(endpoint);return[printable(String(listOf3(record.addresses)[0])),record]}))}
function conditionsOf(endpoint){let{ready,serving,terminating}=recordOf(endpoint.conditions),words=[ready===!1?"not read\
y":"ready"];return serving===!1&&ready!==!1&&words.push("not serving"),terminating===!0&&words.push(serving===!1?"termin\
ating":"terminating but serving"),words.join(", ")}function endpointChange(previous,current){let[before2,after]=[conditionsOf(
previous),conditionsOf(current)];return before2===after?fieldsOf(previous,current):`${before2} -> ${after}`}function fieldsOf(previous,current){
let fields=[...differences(recordOf(previous),recordOf(current),"",2)];return printable(fields.length===0?"nothing that \
is visible":fields.join("; "),500)}function*differences(previous,current,path,depth){for(let key of new Set([...Object.keys(
previous),...Object.keys(current)])){let[before2,after]=[previous[key],current[key]];if(structurallyEqual(before2,after))
continue;let field=path===""?key:`${path}.${key}`;depth>1&&isRecord(before2)&&isRecord(after)?yield*differences(before2,
after,field,depth-1):yield`${field}: ${shown2(before2)} -> ${shown2(after)}`}}function shown2(value){return value===void 0?
"none":typeof value=="string"?value:printableValue(value,120)}function listsOf2(previous,current){let[before2,after]=[listOf3(
previous),listOf3(current)],parts=[...after.filter(item=>!before2.includes(item)).map(item=>`+${String(item)}`),...before2.
filter(item=>!after.includes(item)).map(item=>`-${String(item)}`)];return printable(parts.length===0?"in another order":
parts.join(" "))}function recordOf(value){return isRecord(value)?value:{}}function listOf3(value){return Array.isArray(value)?
value:[]}var DEFAULT_PROXIER_OPTIONS={nodeName:"",nodeAddresses:[],localTrafficDetection:{kind:"none"},masqueradeAll:!1,masqueradeBit:14,
nodePortAddresses:{kind:"all"},localhostNodePorts:!0,nodeTopologyHints:!0,countConnections:!1,countTraffic:!1,overlappingExternalAddresses:"\
serve",minSyncPeriod:"adaptive",syncPeriod:3e4,driftCheckPeriod:3e5,syncBurst:2};function worstVerdict(verdicts){return verdicts.includes("different")?"different":verdicts.includes("unknown")||verdicts.
length===0?"unknown":"verified"}function overallVerdict(families){let worst=worstVerdict(families.map(({verdict})=>verdict));
return worst==="verified"&&families.every(({classes})=>classes===0)?"unknown":worst}function describePathRule({system,table,
chain:chain2,text}){if(system==="sysctl")return`sysctl ${text}`;let place=[...chain2===void 0?[]:[`chain ${chain2}`],...table===
void 0?[]:[`${chain2===void 0?"":"of "}table ${table}`]].join(" ");return`"${text}"${place===""?"":` in ${place}`} (${system}\
)`}function finish(slices){for(;;){let{done,value}=slices.next();if(done)return value}}function finishWithPauses(slices,pace){
for(;;){let{done,value}=slices.next();if(done)return value;if(pace.isPauseDue())return finishLater(slices,pace)}}async function finishLater(slices,pace){
for(;;){await pace.pause();do{let{done,value}=slices.next();if(done)return value}while(!pace.isPauseDue())}}var SHARE_TOLERANCE=.01;function compareOutcomes({outcome,route},outcomes){let choices=new Map(outcome.kind==="forwarded"?
outcome.choices.map(choice=>[joinHostPort(choice.endpoint.address,choice.endpoint.port),choice]):[]),expected=expectationText(
outcome),wrong=actual=>{let differs=(kind,text,rule,instead="")=>({kind,expected,actual:text,decidedBy:rule,because:rule===
void 0?actual.missed??instead:`decided by ${describePathRule(rule)}`}),{verdict,destination,decidedBy}=actual;switch(outcome.
kind){case"passed-on":return destination===void 0?void 0:differs("wrong-endpoint",`sent to ${destination}`,decidedBy);case"\
refused":case"dropped":{let as=outcome.kind;return verdict===as?void 0:verdict==="accepted"?differs("accepted",destination===
void 0?"accepted":`sent to ${destination}`,decidedBy,"no rule refuses it"):differs(verdict,verdict,decidedBy)}case"forwa\
rded":{if(verdict!=="accepted"){let difference=differs(verdict,verdict,decidedBy);return destination===void 0&&decidedBy?.
foreign!==!0&&actual.missed!==void 0?{...difference,because:`${actual.missed}; then ${difference.because}`,cause:actual.
missed}:difference}if(destination===void 0)return differs("not-forwarded","not sent to an endpoint",void 0,"no rule chan\
ges its destination");let choice=choices.get(destination);if(choice===void 0)return differs("wrong-endpoint",`sent to ${destination}`,
decidedBy);if(choice.masqueraded&&!actual.masqueraded)return{...differs("not-masqueraded",`sent to ${destination} with i\
ts own source address`,void 0),decidedBy:actual.sourceKeptBy??actual.markedBy,because:notMasqueraded(actual)};let promised=route?.
action==="forward"&&route.masquerade==="never"&&route.source!=="pod";return!choice.masqueraded&&actual.masqueraded&&(promised||
actual.masqueradedBy?.foreign!==!0)?differs("masqueraded",`sent to ${destination} with an address of the node`,actual.masqueradedBy):
void 0}}},unknown;for(let actual of outcomes){let difference=wrong(actual);if(difference===void 0)continue;let[rule]=actual.
unknown;if(rule===void 0)return difference;unknown??={...difference,kind:"unknown",actual:`not known: ${difference.actual}\
 if this rule matches, or if it does not`,decidedBy:rule,because:`the effect of ${describePathRule(rule)} is not known`}}
return unknown??missingEndpoint(choices,outcomes,expected)}function notMasqueraded({mark=0,markedBy,sourceKeptBy}){if(sourceKeptBy!==
void 0)return`${describePathRule(sourceKeptBy)} prevents that a rule replaces the source address`;let of=mark===0?"a pac\
ket without a mark":`a packet with the mark 0x${mark.toString(16)}`,by=markedBy===void 0?"":`, set by ${describePathRule(
markedBy)}`;return`no rule replaces the source address of ${of}${by}`}function missingEndpoint(choices,outcomes,expected){
let shares=new Map;for(let{destination="",probability}of outcomes)shares.set(destination,(shares.get(destination)??0)+probability);
let rule=outcomes[0]?.decidedBy,assumed=outcomes.flatMap(({unknown})=>unknown)[0],isUneven=outcomes.some(({unevenly})=>unevenly===
!0),tolerance=toleranceOf(choices),missing=[...choices.keys()].find(destination=>!shares.has(destination));if(missing!==
void 0){let because=whoChooses(outcomes,rule);return{kind:"missing-endpoint",expected,actual:`never sent to ${missing}`,
decidedBy:rule,because}}for(let[destination,{probability:wanted}]of choices){let share=shares.get(destination)??0;if(!isUneven&&
assumed===void 0&&Math.abs(share-wanted)>wanted*SHARE_TOLERANCE+tolerance)return{kind:"wrong-share",expected,actual:`sen\
t to ${destination} with probability ${share.toFixed(3)} instead of ${wanted.toFixed(3)}`,decidedBy:rule,because:whoChooses(
outcomes,rule)}}}function toleranceOf(choices){let[first]=choices.values();return[...choices.values()].every(({probability})=>probability===
first?.probability)?1e-6:1/selectionSlots(choices.size)}function whoChooses(outcomes,rule){let emptyChain=outcomes.find(
outcome=>outcome.emptyChain!==void 0)?.emptyChain;return emptyChain!==void 0?`${emptyChain} has no rules`:rule===void 0?
"no rule leads to it":`the choice is made by ${describePathRule(rule)}`}function expectationText(outcome){switch(outcome.
kind){case"refused":case"dropped":return outcome.kind;case"passed-on":return"not handled by the service proxy";case"forw\
arded":{let keys=outcome.choices.map(({endpoint})=>endpoint.key),more=keys.length>3?` and ${keys.length-3} more`:"";return`\
forwarded to ${keys.slice(0,3).join(" or ")}${more} (${describeMasquerading(outcome.choices)})`}}}var MAX_SERVICE_PORTS=20,FindingGroups=class{state;#groups=new Map;#different=0;#unknown=0;constructor(state){this.state=
state}addUnread(reason,message=`Nothing could be verified: ${reason}`){this.#groups.set(reason,{finding:{result:"unknown",
kind:"unknown",family:this.state.family,example:void 0,expected:"rules that can be read",actual:reason,decidedBy:void 0,
message},classes:0,servicePorts:new Set})}add(example,difference){let{kind,expected,actual,decidedBy,because,cause=""}=difference,
result=kind==="unknown"?"unknown":"different";result==="unknown"?this.#unknown++:this.#different++;let key=decidedBy===void 0?
`${kind} ${because} ${example.servicePort??example.to}`:`${kind} ${cause} ${decidedBy.system} ${decidedBy.table} ${decidedBy.
chain} ${decidedBy.text}`,group=this.#groups.get(key);if(group===void 0){let{packet}=example,where=`${joinHostPort(packet.
destination,packet.port)}/${packet.protocol}`,whose=example.servicePort===void 0?`(${example.to})`:`(${example.to} of ${example.
servicePort})`,instead=expected.startsWith("not ")?`and should be ${expected}`:`not ${expected}`,message=`Packets from ${packet.
source} (${example.from}) to ${where} ${whose} are ${actual}, ${instead}: ${because}`;group={finding:{result,kind,family:this.
state.family,example,expected,actual,decidedBy,message},classes:0,servicePorts:new Set},this.#groups.set(key,group)}group.
classes++,example.servicePort!==void 0&&group.servicePorts.size<MAX_SERVICE_PORTS&&group.servicePorts.add(example.servicePort)}result(classes){
let findings=[...this.#groups.values()].map(group=>({...group.finding,classes:group.classes,servicePorts:[...group.servicePorts].
sort()})).sort((a,b)=>order(a)-order(b)||b.classes-a.classes);return{family:this.state.family,verdict:this.#different>0?
"different":findings.length>0?"unknown":"verified",revision:this.state.revision,classes,different:this.#different,unknown:this.#unknown,
findings:findings.slice(0,500),moreFindings:Math.max(0,findings.length-500)}}};function order({result}){return result===
"different"?0:1}var import_ipaddr3=__toESM(require_ipaddr(),1);function firstAddress(cidr){return cidr.slice(0,cidr.indexOf("/"))}function lastAddress(cidr){
let[address,prefixLength]=import_ipaddr3.default.parseCIDR(cidr),bytes=address.toByteArray().map((byte,index)=>{let bits=Math.
min(8,Math.max(0,prefixLength-index*8));return byte|255>>bits});return textOf2(bytes)}function addressNumber(address){return numberOf(
import_ipaddr3.default.parse(address).toByteArray())}function addressAt(address,distance){let bytes=import_ipaddr3.default.
parse(address).toByteArray(),bits=BigInt(bytes.length*8),value=numberOf(bytes)+BigInt(distance);if(!(value<0n||value>=1n<<
bits))return textOf2(bytes.map((_byte,index)=>Number(value>>bits-8n*BigInt(index+1)&0xffn)))}function numberOf(bytes){return bytes.
reduce((sum,byte)=>sum<<8n|BigInt(byte),0n)}function textOf2(bytes){let address=import_ipaddr3.default.fromByteArray(bytes);
return address instanceof import_ipaddr3.default.IPv6?address.toRFC5952String():address.toString()}var OUTSIDE2={IPv4:["203.0.113.77","198.51.100.77","192.0.2.77","8.8.8.8","100.127.255.77"],IPv6:["2001:db8:ffff::77","2\
001:4860:4860::8888","3fff::77","2a00:ffff::77"]},SOURCE_PORT=40001,PROTOCOLS2=["TCP","UDP","SCTP"],FULLY_TRIED=1;function*packetClasses(state,host){
let sources=new SourceChoice(state,host);for(let port of state.servicePorts.values())yield*classesOfServicePort(state,port,
sources);yield*unusedPorts(state,sources),yield*unusedAddresses(state,sources)}var SourceChoice=class{#state;#host;#podInterface;#localPods;#remotePods;#outside;nodeAddresses;constructor(state,host){
this.#state=state,this.#host=host;let{detector,addresses,serviceCIDRs}=state.node,six=state.family==="IPv6",local=[...host.
localAddresses].filter(address=>address.includes(":")===six&&!isLoopback2(address)&&!/^fe[89ab]/i.test(address));this.nodeAddresses=
[...addresses.filter(address=>host.localAddresses.has(address)),...local].filter((address,index,all)=>all.indexOf(address)===
index),this.#podInterface=detector.kind==="interface"?detector.name:detector.kind==="interface-prefix"?host.interfaces.find(
name=>name.startsWith(detector.prefix))??`${detector.prefix}0`:void 0;let pods=new Map([[!0,new Set],[!1,new Set]]),isPod=address=>!host.
localAddresses.has(address)&&(detector.kind!=="source-cidr"||cidrContains(detector.cidr,address));for(let{candidates:candidates2}of state.
servicePorts.values())for(let{isLocal,address}of candidates2){let known=pods.get(isLocal);known!==void 0&&known.size<8&&
!known.has(address)&&isPod(address)&&known.add(address)}let spare=detector.kind==="source-cidr"?spareAddresses(detector.
cidr):[];this.#localPods=[...pods.get(!0)??[],...this.#podInterface===void 0?[]:OUTSIDE2[state.family]],this.#remotePods=
[...pods.get(!1)??[],...spare];let isTaken=address=>host.localAddresses.has(address)||state.clusterIPs.has(address)||serviceCIDRs.
some(cidr=>cidrContains(cidr,address))||detector.kind==="source-cidr"&&cidrContains(detector.cidr,address),candidates=OUTSIDE2[state.
family];this.#outside=candidates.find(address=>!isTaken(address))??candidates[0]??""}pod(except=[]){let source=this.#localPods.
find(address=>!except.some(endpoint=>endpoint.address===address));return source===void 0?void 0:this.endpoint(source)}endpoint(source){
return this.#host.localAddresses.has(source)?{source,entry:{kind:"host"}}:{source,entry:{kind:"interface",name:this.#podInterface}}}remotePod(except=[]){
let source=this.#remotePods.find(address=>!except.some(endpoint=>endpoint.address===address));return source===void 0?void 0:
{source,entry:{kind:"interface",name:void 0}}}node(){let[source]=this.nodeAddresses;return source===void 0?void 0:{source,
entry:{kind:"host"}}}loopback(){return{source:this.#state.family==="IPv4"?"127.0.0.1":"::1",entry:{kind:"host"}}}outside(source=this.#outside){
return this.#host.localAddresses.has(source)?{source,entry:{kind:"host"}}:{source,entry:{kind:"interface",name:void 0}}}};
function*classesOfServicePort(state,port,sources){let servicePort=formatServicePortName(port.name),tried=new Set;for(let frontend of port.
frontends){let classOf=(from,destination,origin,to=frontend.port)=>({servicePort,to:frontend.kind,from,packet:{source:origin.
source,entry:origin.entry,destination,protocol:frontend.protocol,port:to,sourcePort:SOURCE_PORT}}),destinations=frontend.
address===void 0?sources.nodeAddresses:[frontend.address];for(let[index,destination]of destinations.entries()){yield classOf(
"outside",destination,sources.outside());for(let edge of edgesOfRange(frontend))yield classOf("outside",destination,sources.
outside(),edge);if(index>=FULLY_TRIED)continue;let pod=sources.pod(port.candidates);pod!==void 0&&(yield classOf("pod",destination,
pod));let remotePod2=sources.remotePod(port.candidates);remotePod2!==void 0&&(yield classOf("pod of another node",destination,
remotePod2));let node=sources.node();node!==void 0&&(yield classOf("node",destination,node));for(let source of endpointsAsSources(
port,frontend,tried))yield classOf("endpoint",destination,sources.endpoint(source));for(let cidr of frontend.allowedSources??
[])for(let source of edgesOf(cidr))yield classOf("source range",destination,sources.outside(source))}frontend.address===
void 0&&(yield classOf("loopback",state.family==="IPv4"?"127.0.0.1":"::1",sources.loopback()))}}function endpointsAsSources(port,{
routes},tried){let found=new Set;for(let list of["cluster","local"]){if(!routes.some(route=>route.action==="forward"&&route.
endpoints===list))continue;let some=!1;for(let{isLocal,address}of port[list])isLocal&&(!some||!tried.has(address))&&(some=
!0,tried.add(address),found.add(address))}return[...found]}function edgesOfRange(frontend){let{port,lastPort}=frontend;return lastPort===
void 0?[]:[...new Set([port+1,port+lastPort>>1,lastPort,port-1,lastPort+1])].filter(edge=>edge!==port&&edge>=1&&edge<=65535)}
function edgesOf(cidr){let first=firstAddress(cidr),last=lastAddress(cidr);return[addressAt(first,-1),first,last,addressAt(
last,1)].filter((address,index,all)=>address!==void 0&&all.indexOf(address)===index&&isUnicast(address))}function isUnicast(address){
return address.includes(":")?!/^(?:ff|fe[89ab]|::$|::1$)/i.test(address):!/^(?:0|127|22[4-9]|23\d|24\d|25[0-5])\./.test(
address)}function isLoopback2(address){return address.startsWith("127.")||address==="::1"}function spareAddresses(cidr){
let last=lastAddress(cidr);return[addressAt(last,-2),addressAt(last,-3)].filter(address=>address!==void 0&&cidrContains(
cidr,address))}function*unusedPorts(state,sources){let isUsed=(address,port)=>PROTOCOLS2.some(protocol=>state.frontends.
has(frontendKey(protocol,address,port))||state.portRanges?.get(portRangeSpace(protocol,address))?.some(({first,last})=>first<=
port&&port<=last)===!0);for(let destination of state.clusterIPs.keys()){let port=19;for(;isUsed(destination,port);)port++;
for(let[from,origin]of[["pod",sources.pod()],["node",sources.node()]])if(origin!==void 0){let packet={...origin,destination,
protocol:"TCP",port,sourcePort:SOURCE_PORT};yield{servicePort:void 0,to:"unused port of a ClusterIP",from,packet}}}}function*unusedAddresses(state,sources){
let taken=new Set;for(let{frontends}of state.servicePorts.values())for(let{address}of frontends)address!==void 0&&taken.
add(address);for(let cidr of state.node.serviceCIDRs){let destination=addressAt(lastAddress(cidr),-1);for(;destination!==
void 0&&taken.has(destination);)destination=addressAt(destination,-1);if(!(destination===void 0||!cidrContains(cidr,destination))){
for(let protocol of PROTOCOLS2)for(let[from,origin]of[["pod",sources.pod()],["node",sources.node()]])if(origin!==void 0){
let packet={...origin,destination,protocol,port:80,sourcePort:SOURCE_PORT};yield{servicePort:void 0,to:"unused address o\
f a service network",from,packet}}}}}var SLICE=64;function*compareModesInSlices(state,first,second){for(let{mode,path}of[first,second])if(path.family!==state.
family)throw new RangeError(`a state of ${state.family} cannot be compared with rules of ${path.family} (mode ${mode})`);
let servesLoopback2=(first.servesLoopback??!0)&&(second.servesLoopback??!0),findings=new FindingGroups(state),classes=0;
for(let one of packetClasses(state,first.path)){if(one.from==="loopback"&&!servesLoopback2&&state.node.nodePortAddresses.
loopback)continue;let outcomes=[first,second].map(({path})=>path.outcomesOf(one.packet,!1)),[before2=[],after=[]]=outcomes;
if(!isEqual(sharesOf(before2),sharesOf(after))){let decision=decidePacket(state,one.packet,{localAddresses:first.path.localAddresses}),
unknown=[...before2,...after].flatMap(outcome=>outcome.unknown)[0],difference={kind:unknown===void 0?"modes-differ":"unk\
nown",expected:`${describe(before2)} as in mode ${first.mode}`,actual:`${describe(after)} in mode ${second.mode}`,decidedBy:unknown,
because:`by the state: ${expectationText(decision.outcome)}`};findings.add(one,difference)}++classes%SLICE===0&&(yield)}
return findings.result(classes)}function compareModes(state,first,second){return finish(compareModesInSlices(state,first,
second))}function sharesOf(outcomes){let shares=new Map;for(let{verdict,destination,masqueraded,probability}of outcomes){
let key=verdict==="accepted"?`sent to ${destination??"its own destination"}${masqueraded?", masqueraded":""}`:verdict;shares.
set(key,(shares.get(key)??0)+probability)}return shares}function isEqual(first,second){return first.size===second.size&&
[...first].every(([key,share])=>Math.abs(share-(second.get(key)??-1))<=share*SHARE_TOLERANCE+1e-6)}function describe(outcomes){
let shares=[...sharesOf(outcomes)].sort(([a],[b])=>a<b?-1:1),isEven=shares.every(([,share])=>Math.abs(share-1/shares.length)<
SHARE_TOLERANCE),texts=shares.map(([key,share])=>isEven?key:`${key} (${(share*100).toFixed(1)} %)`),more=texts.length>4?
` and ${texts.length-4} more`:"";return`${texts.slice(0,4).join(" or ")}${more}`}function isSelected({name:of},{namespace,name,search}){return(namespace===void 0||of.namespace===namespace)&&(name===void 0||
of.name===name)&&(search===void 0||`${of.namespace}/${of.name}`.includes(search))}function firstServicePorts(states,selection,limit,counts){
let found=states.flatMap(state=>[...state.servicePorts.values()].filter(port=>isSelected(port,selection)).map(port=>({state,
port,key:`${port.name.namespace}/${port.name.name}/${port.name.portName}`})));found.sort((a,b)=>compareText(a.key,b.key));
let servicePorts=found.slice(0,limit).map(({state,port})=>viewServicePort(port,state,counts));return{total:found.length,
servicePorts}}function viewServicePorts(state,selection={},counts){return[...state.servicePorts.values()].filter(port=>isSelected(
port,selection)).map(port=>viewServicePort(port,state,counts)).sort(compareViews)}function viewServicePort(resolved,state,counts){
let{name,servicePort,selection}=resolved,countedOf=endpoint=>counts?.of(name,state.family,endpoint&&joinHostPort(endpoint.
address,endpoint.port))??{},decide=endpointDecider(resolved,state);return{namespace:name.namespace,name:name.name,portName:name.
portName,protocol:name.protocol,family:state.family,clusterIP:servicePort.clusterIP,port:servicePort.port,...servicePort.
lastPort===void 0?{}:{lastPort:servicePort.lastPort},nodePort:servicePort.nodePort===0?null:servicePort.nodePort,externalIPs:servicePort.
externalIPs,loadBalancerIPs:servicePort.loadBalancerVIPs,internalTrafficPolicy:servicePort.internalTrafficPolicy,externalTrafficPolicy:servicePort.
externalTrafficPolicy,affinitySeconds:resolved.affinitySeconds??null,topology:selection.topology,createdAt:servicePort.createdAt,
...countedOf(),frontends:resolved.frontends.map(viewFrontend),endpoints:resolved.candidates.map(endpoint=>({...viewEndpoint(
endpoint,decide),...countedOf(endpoint)}))}}function viewFrontend({kind,address,port,lastPort,allowedSources:allowedSources2,
routes}){let last=routes.at(-1),forward=last?.action==="forward"?last:void 0;return{kind,address:address??null,port,...lastPort===
void 0?{}:{lastPort},action:last?.action??"reject",endpoints:forward?.endpoints??null,masquerade:forward?.masquerade??null,
allowedSources:allowedSources2??null}}function viewEndpoint(endpoint,decide){let{address,port,isLocal,ready,serving,terminating,
weight,nodeName,podName}=endpoint,{used,reason}=decide(endpoint);return{address,port,used,reason,isLocal,ready,serving,terminating,
weight,nodeName:nodeName??null,podName:podName??null}}function endpointDecider(resolved,state){let forwarded2=resolved.frontends.
flatMap(({routes})=>routes.flatMap(route=>route.action==="forward"?[route.endpoints]:[])),describers=[...new Set(forwarded2.
length>0?forwarded2:resolved.frontends.map(frontend=>intendedList(resolved,frontend)))].sort().map(list=>endpointDescriber(
resolved,list,state.node));return endpoint=>{let decisions=describers.map(describe2=>describe2(endpoint));return decisions.
find(({used})=>used)??decisions[0]??{used:!1,reason:"the Service has no address here"}}}function compareViews(a,b){return compareText(
a.namespace,b.namespace)||compareText(a.name,b.name)||compareText(a.portName,b.portName)||compareText(a.protocol,b.protocol)}
function compareText(a,b){return a<b?-1:a>b?1:0}var MARKS={add:"+",change:"~",remove:"-"};function comparisonLines({servicePorts,node}){let changes=new Map;for(let port of servicePorts)
changes.set(labelOf(port),(changes.get(labelOf(port))??new Set).add(port.change));return[...node.map(one=>({change:"chan\
ge",indent:0,text:`node, ${one.family}: ${propertyText(one)}`})),...servicePorts.flatMap((port,index)=>[...labelOf(port)===
labelOf(servicePorts[index-1])?[]:[headOf(port,changes)],...port.properties.map(one=>({change:"change",indent:4,text:propertyText(
one)})),...port.frontends.flatMap(frontendLines),...port.endpoints.map(endpointLine)])]}function formatPlanSummary({summary:{add,change,remove}}){return`${add} Service${add===1?"":"s"} to add, ${change} to ch\
ange, ${remove} to remove`}function headOf(port,changes){return{change:(changes.get(labelOf(port))?.size??0)>1?"change":
port.change,indent:0,text:labelOf(port)}}function labelOf(port){return port===void 0?"":`${formatServicePortName(port)} \
(${port.protocol})`}function frontendLines({change,kind,address,action,properties,...ports}){let name=`${kind} ${address===
null?`<node>:${ports.port}`:joinHostPort(address,formatPorts(ports))}`;return change==="change"?properties.map(one=>({change,
indent:4,text:`${name}: ${propertyText(one)}`})):[{change,indent:4,text:`${name}: ${action}`}]}function endpointLine(endpoint){
let{change,podName,nodeName,before:before2,after,isLocal,reason}=endpoint,address=endpointAddress(endpoint),name=podName===
null?address:`${podName} ${address}`,where=nodeName===null?"":` on ${nodeName}`,[was,is]=[before2.join(" and "),after.join(
" and ")],{weightBefore,weightAfter}=endpoint,moved=weightBefore!==weightAfter?`: weight ${weightBefore} -> ${weightAfter}`:
isLocal?": now on this node":": no longer on this node",lists=change!=="change"?"":was===is?moved:`: ${was} -> ${is}`,why=reason===
null||change==="change"?"":`: ${reason}`;return{change,indent:4,text:`endpoint ${name}${where}${lists}${why}`}}function propertyText({
property:property2,before:before2,after}){return`${property2}: ${before2??"<none>"} -> ${after??"<none>"}`}var PartlyAppliedError=class extends ProxierError{refused;constructor(code,refused,options){let[[name,reason]=["an objec\
t","no reason given"]]=refused,more=refused.size>1?` and ${refused.size-1} more`:"";super(code,`${name}${more} could not\
 be programmed, everything else is in force: ${reason}`,{...options,kind:"partly-applied"}),this.refused=refused}},LeftoversError=class extends ProxierError{leftovers;constructor(code,leftovers,options){
super(code,`could not remove ${leftovers.join(", ")}; fix the cause, and run the cleanup again`,{...options,kind:"leftov\
ers"}),this.leftovers=leftovers}};var BackendOptionError=class extends ProxierError{option;constructor(message,option){super("BACKEND_OPTION",message),this.
option=option}},OptionRules={boolean:{expected:"true or false",accepts:value=>typeof value=="boolean"},oneOf:values=>({expected:`\
one of ${values.join(", ")}`,accepts:value=>typeof value=="string"&&values.includes(value)}),wholeNumberFrom:least=>({expected:`\
a whole number, ${least} or more`,accepts:value=>Number.isSafeInteger(value)&&value>=least}),milliseconds:{expected:"a n\
umber of milliseconds, greater than 0",accepts:value=>Number.isFinite(value)&&value>0},string:{expected:"a text",accepts:value=>typeof value==
"string"},function:{expected:"a function",accepts:value=>typeof value=="function"},listOf:(...methods)=>({expected:`a li\
st of at least one object with ${methods.map(method=>`${method}()`).join(" and ")}`,accepts:value=>Array.isArray(value)&&
value.length>0&&value.every(one=>hasMethods(one,methods))}),having:(...methods)=>({expected:`an object with ${methods.map(
method=>`${method}()`).join(" and ")}`,accepts:value=>hasMethods(value,methods)})};function findOptionProblem(owner,options,rules){
let known=new Map(Object.entries(rules));for(let[option,value]of Object.entries(options)){let rule=known.get(option);if(rule===
void 0){let names2=[...known.keys()].join(", ");return{option,message:`${owner} has no option ${printableValue(option)};\
 valid options are ${names2}`}}if(value!==void 0&&!rule.accepts(value))return{option,message:`option ${option} of ${owner}\
 is ${printableValue(value)}; it must be ${rule.expected}`}}}function checkBackendOptions(factory,options,rules){let problem=findOptionProblem(
factory,options,rules);if(problem!==void 0)throw new BackendOptionError(problem.message,problem.option)}function hasMethods(value,methods){
return typeof value=="object"&&value!==null&&methods.every(method=>typeof value[method]=="function")}function sameRendering(left,right){return left!==void 0&&right!==void 0&&left.frontends===right.frontends&&sameEndpoints(
left.cluster,right.cluster)&&sameEndpoints(left.local,right.local)&&left.affinitySeconds===right.affinitySeconds&&left.servicePort.
slowStartSeconds===right.servicePort.slowStartSeconds&&left.servicePort.whenEndpointGoes===right.servicePort.whenEndpointGoes&&
structurallyEqual(optionsOfBackends(left),optionsOfBackends(right))}function optionsOfBackends({servicePort:{annotations}}){
return CORE_ANNOTATIONS.some(key=>annotations[key]!==void 0)?Object.fromEntries(Object.entries(annotations).filter(([key])=>!CORE_ANNOTATIONS.
includes(key))):annotations}function sameEndpoints(left,right){return left===right||left.length===right.length&&left.every(
(endpoint,index)=>{let other=right[index];return endpoint===other||endpoint.key===other?.key&&endpoint.isLocal===other.isLocal&&
endpoint.weight===other.weight&&endpoint.slowStart===other.slowStart})}function diffStates(previous,next){return finish(diffStatesInSlices(previous,next))}function*diffStatesInSlices(previous,next){
let servicePorts=new Map,resolvedServicePorts=previous===void 0?servicePorts:new Map,note=(key,before2,current)=>{let change={
previous:before2,current};resolvedServicePorts.set(key,change),sameRendering(before2,current)||servicePorts.set(key,change)},
healthCheckNodePorts=new Set;for(let[key,current]of next.servicePorts){yield;let before2=previous?.servicePorts.get(key);
before2!==current&&note(key,before2,current)}for(let[key,before2]of previous?.servicePorts??[])yield,next.servicePorts.has(
key)||note(key,before2,void 0);for(let[key,current]of next.healthCheckNodePorts)yield,previous?.healthCheckNodePorts.get(
key)!==current&&healthCheckNodePorts.add(key);for(let key of previous?.healthCheckNodePorts.keys()??[])yield,next.healthCheckNodePorts.
has(key)||healthCheckNodePorts.add(key);let clusterIPs=new Set;for(let address of next.clusterIPs.keys())yield,previous?.
clusterIPs.has(address)||clusterIPs.add(address);for(let address of previous?.clusterIPs.keys()??[])yield,next.clusterIPs.
has(address)||clusterIPs.add(address);let nodeChanged=previous?.node!==next.node;return{previous,servicePorts,resolvedServicePorts,
healthCheckNodePorts,clusterIPs,nodeChanged}}function createPreview({dataplane,localAddresses,complete=async changes=>changes}){return{followsLocalAddresses:dataplane.
followsLocalAddresses??!1,localAddresses,async changes(next){let installed=await dataplane.readBack(),transaction=dataplane.
plan(next,diffStates(void 0,next),installed);return transaction===void 0?[]:await complete(dataplane.render(transaction,
installed))},async close(){await dataplane.close?.()}}}function token(name){return Symbol.for(`@kube-proxier/core/${name}`)}var Tokens={Logger:token("Logger"),Clock:token("Clo\
ck"),ProxierFactory:token("ProxierFactory"),Cleanup:token("Cleanup"),KubeProxyCleanup:token("KubeProxyCleanup"),Leftovers:token(
"Leftovers"),Preview:token("Preview")};var AccumulatedCounts=class{family;#last=new Map;#totals=new Map;constructor(family){this.family=family}add(counters){for(let{
id,service,protocol,endpoint,value}of counters){let last=this.#last.get(id)??0,added=value>=last?value-last:value;this.#last.
set(id,value);let key=keyOf(service,protocol),total=this.#totals.get(key)??{service,protocol,connections:0,endpoints:new Map};
this.#totals.set(key,total),total.connections+=added,total.endpoints.set(endpoint,(total.endpoints.get(endpoint)??0)+added)}}restart(ids){
for(let id of ids)this.#last.delete(id)}retain(counters){let ids=new Set,endpoints=new Map;for(let{id,service,protocol,endpoint}of counters){
ids.add(id);let key=keyOf(service,protocol),own=endpoints.get(key)??new Set;endpoints.set(key,own.add(endpoint))}this.restart(
[...this.#last.keys()].filter(id=>!ids.has(id)));for(let[key,total]of this.#totals){let own=endpoints.get(key);if(own===
void 0){this.#totals.delete(key);continue}for(let endpoint of total.endpoints.keys())own.has(endpoint)||total.endpoints.
delete(endpoint)}}counts(){let{family}=this;return[...this.#totals.values()].flatMap(({service,protocol,connections,endpoints})=>[
{service,protocol,family,connections},...[...endpoints].map(([endpoint,own])=>({service,protocol,family,endpoint,connections:own}))])}};
function keyOf(service,protocol){return`${service} ${protocol}`}var SUMMED=["service","protocol","endpoint"];var BoundedSeries=class{limit;#series=new Map;#listed=new Set;#rests=new Map;constructor(limit){this.limit=limit}update(samples){
let current=new Map;for(let sample of samples){let key=keyOf2(sample),other=current.get(key);current.set(key,other===void 0?
sample:{...sample,value:other.value+sample.value})}this.#list(current);let series=new Map,result=[];for(let[key,sample]of current){
let{value,listed}=this.#series.get(key)??{value:0,listed:0},added=sample.value>=value?sample.value-value:sample.value;this.#listed.
has(key)?(series.set(key,{value:sample.value,listed:listed+added}),result.push({...sample,value:listed+added})):(series.
set(key,{value:sample.value,listed}),this.#addToRest(sample,added))}return this.#series=series,[...result,...[...this.#rests.
values()].map(({sample,value})=>({...sample,value}))]}#addToRest(sample,added){let labels=Object.entries(sample.labels).
map(([name,value])=>[name,SUMMED.some(summed=>summed===name)?"":value]),rest={...sample,labels:Object.fromEntries(labels)},
key=keyOf2(rest),known=this.#rests.get(key);known===void 0?this.#rests.set(key,{sample:rest,value:added}):known.value+=added}#list(current){
let listed=[...this.#listed].filter(key=>current.has(key));if(this.#listed=new Set(listed),current.size===listed.length)
return;let worth=key=>current.get(key)?.value??0,byValue=(left,right)=>worth(right)-worth(left),others=[...current.keys()].
filter(key=>!this.#listed.has(key)).sort(byValue);listed.sort(byValue);for(let key of others){if(this.#listed.size<this.
limit){this.#listed.add(key);continue}let least=listed.pop();if(least===void 0||worth(key)<=worth(least)*2)return;this.#listed.
delete(least),this.#listed.add(key)}}};function keyOf2({labels}){return JSON.stringify(Object.entries(labels))}var COUNT_TRAFFIC_ANNOTATION="kube-proxier.io/count-traffic";function readCountTraffic(annotations){let value=annotations[COUNT_TRAFFIC_ANNOTATION];
return value==="true"||(value==="false"?!1:void 0)}function countsTraffic(annotations,countAll){return readCountTraffic(
annotations)??countAll}function countTrafficProblem(annotations){let value=annotations[COUNT_TRAFFIC_ANNOTATION];return value===
void 0||value==="true"||value==="false"?void 0:`${COUNT_TRAFFIC_ANNOTATION}: ${JSON.stringify(value.slice(0,60))} is not\
 one of true, false; ignored`}var COUNT_CONNECTIONS_ANNOTATION="kube-proxier.io/count-connections";function readCountConnections(annotations){let value=annotations[COUNT_CONNECTIONS_ANNOTATION];
return value==="true"||(value==="false"?!1:readCountTraffic(annotations)||void 0)}function countsConnections(annotations,countAll){
return readCountConnections(annotations)??countAll}function countConnectionsProblem(annotations){let value=annotations[COUNT_CONNECTIONS_ANNOTATION];
return value===void 0||value==="true"||value==="false"?void 0:`${COUNT_CONNECTIONS_ANNOTATION}: ${JSON.stringify(value.slice(
0,60))} is not one of true, false; ignored`}var SERVICE_LABELS=["service","protocol","ip_family"],ENDPOINT_LABELS=["service","protocol","ip_family","endpoint"],METRICS={
service:{connections:counter("service","connections","New connections to a service port",SERVICE_LABELS),packets:counter(
"service","packets","Packets of connections to a service port",[...SERVICE_LABELS,"direction"]),bytes:counter("service",
"bytes","Bytes of connections to a service port",[...SERVICE_LABELS,"direction"])},endpoint:{connections:counter("endpoi\
nt","connections","New connections to an endpoint",ENDPOINT_LABELS),packets:counter("endpoint","packets","Packets of con\
nections to an endpoint",[...ENDPOINT_LABELS,"direction"]),bytes:counter("endpoint","bytes","Bytes of connections to an \
endpoint",[...ENDPOINT_LABELS,"direction"])}};function counter(of,counts,help,labels){return{type:"counter",name:`kube_p\
roxier_${of}_${counts}_total`,help,labels,counts}}function countsMeasurement(counts,reading){let name="connections",metrics=[
...counts.servicePorts.map(quantity=>METRICS.service[quantity]),...counts.endpoints.map(quantity=>METRICS.endpoint[quantity])];
return reading.source==="process"?{name,metrics,source:"process",read:()=>reading.read().flatMap(samplesOf)}:{name,metrics,
source:"kernel",read:async()=>(await reading.read()).flatMap(samplesOf)}}function samplesOf({service,protocol,family,endpoint,
connections,packets,bytes}){let metrics=METRICS[endpoint===void 0?"service":"endpoint"],labels={service,protocol,ip_family:family,
...endpoint===void 0?{}:{endpoint}},directed=(metric,counted)=>counted===void 0?[]:[{metric,labels:{...labels,direction:"\
to-endpoints"},value:counted.toEndpoints},{metric,labels:{...labels,direction:"to-clients"},value:counted.toClients}];return[
...connections===void 0?[]:[{metric:metrics.connections.name,labels,value:connections}],...directed(metrics.packets.name,
packets),...directed(metrics.bytes.name,bytes)]}function isPromise(object){return(typeof object=="object"&&object!==null||typeof object=="function")&&typeof object.then==
"function"}function stringifyServiceIdentifier(serviceIdentifier){switch(typeof serviceIdentifier){case"string":case"symbol":return serviceIdentifier.
toString();case"function":return serviceIdentifier.name;default:throw new Error(`Unexpected ${typeof serviceIdentifier} \
service id type`)}}var islazyServiceIdentifierSymbol=Symbol.for("@inversifyjs/common/islazyServiceIdentifier"),LazyServiceIdentifier=class{[islazyServiceIdentifierSymbol];#buildServiceId;constructor(buildServiceId){
this.#buildServiceId=buildServiceId,this[islazyServiceIdentifierSymbol]=!0}static is(value){return typeof value=="object"&&
value!==null&&value[islazyServiceIdentifierSymbol]===!0}unwrap(){return this.#buildServiceId()}};var import_lite=__toESM(require_ReflectLite(),1);function getOwnReflectMetadata(target,metadataKey,propertyKey){return Reflect.getOwnMetadata(metadataKey,target,propertyKey)}function setReflectMetadata(target,metadataKey,metadata,propertyKey){Reflect.defineMetadata(metadataKey,metadata,target,
propertyKey)}function updateOwnReflectMetadata(target,metadataKey,buildDefaultValue,callback,propertyKey){let metadata=getOwnReflectMetadata(
target,metadataKey,propertyKey)??buildDefaultValue(),updatedMetadata=callback(metadata);Reflect.defineMetadata(metadataKey,
updatedMetadata,target,propertyKey)}var ID_METADATA="@inversifyjs/container/bindingId";function getContainerModuleId(){let bindingId=getOwnReflectMetadata(Object,
ID_METADATA)??0;return bindingId===Number.MAX_SAFE_INTEGER?setReflectMetadata(Object,ID_METADATA,Number.MIN_SAFE_INTEGER):
updateOwnReflectMetadata(Object,ID_METADATA,()=>bindingId,id=>id+1),bindingId}var ContainerModule=class{#id;#load;constructor(load){this.#id=getContainerModuleId(),this.#load=load}get id(){return this.#id}load(options){
return this.#load(options)}};var ID_METADATA2="@inversifyjs/container/bindingId";function getBindingId(){let bindingId=getOwnReflectMetadata(Object,ID_METADATA2)??
0;return bindingId===Number.MAX_SAFE_INTEGER?setReflectMetadata(Object,ID_METADATA2,Number.MIN_SAFE_INTEGER):updateOwnReflectMetadata(
Object,ID_METADATA2,()=>bindingId,id=>id+1),bindingId}var bindingScopeValues={Request:"Request",Singleton:"Singleton",Transient:"Transient"};var bindingTypeValues={ConstantValue:"ConstantValue",DynamicValue:"DynamicValue",Factory:"Factory",Instance:"Instance",ResolvedValue:"\
ResolvedValue",ServiceRedirection:"ServiceRedirection"};function*chain(...iterables){for(let iterable of iterables)yield*iterable}var OneToManyMapStar=class _OneToManyMapStar{#modelToRelationMap;#relationToModelsMaps;#spec;constructor(spec){this.#modelToRelationMap=
new Map,this.#relationToModelsMaps={};for(let specProperty of Reflect.ownKeys(spec))this.#relationToModelsMaps[specProperty]=
new Map;this.#spec=spec}add(model,relation){this.#buildOrGetModelArray(model).push(relation);for(let relationKey of Reflect.
ownKeys(relation))this.#buildOrGetRelationModels(relationKey,relation[relationKey]).push(model)}clone(){let modelToCloneModelMap=this.#buildModelToCloneModelMap(),
relationToCloneRelationMap=this.#buildRelationToRelationModelMap(),properties=Reflect.ownKeys(this.#spec),clone=this._buildNewInstance(
this.#spec);this.#pushRelationEntriesIntoRelationMap(this.#modelToRelationMap,clone.#modelToRelationMap,modelToCloneModelMap,
relationToCloneRelationMap);for(let property2 of properties)this.#pushModelEntriesIntoModelMap(this.#relationToModelsMaps[property2],
clone.#relationToModelsMaps[property2],modelToCloneModelMap);return clone}get(key,value){return this.#relationToModelsMaps[key].
get(value)}getAllKeys(key){return this.#relationToModelsMaps[key].keys()}removeByRelation(key,value){let models=this.get(
key,value);if(models===void 0)return;let uniqueModelsSet=new Set(models);for(let model of uniqueModelsSet){let relations=this.#modelToRelationMap.
get(model);if(relations===void 0)throw new Error("Expecting model relation, none found");for(let relation of relations)relation[key]===
value&&this.#removeModelFromRelationMaps(model,relation);this.#modelToRelationMap.delete(model)}}_buildNewInstance(spec){
return new _OneToManyMapStar(spec)}_cloneModel(model){return model}_cloneRelation(relation){return relation}#buildModelToCloneModelMap(){
let modelToCloneModelMap=new Map;for(let model of this.#modelToRelationMap.keys()){let clonedModel=this._cloneModel(model);
modelToCloneModelMap.set(model,clonedModel)}return modelToCloneModelMap}#buildRelationToRelationModelMap(){let relationToCloneRelationMap=new Map;
for(let relations of this.#modelToRelationMap.values())for(let relation of relations){let clonedRelation=this._cloneRelation(
relation);relationToCloneRelationMap.set(relation,clonedRelation)}return relationToCloneRelationMap}#buildOrGetModelArray(model){
let relations=this.#modelToRelationMap.get(model);return relations===void 0&&(relations=[],this.#modelToRelationMap.set(
model,relations)),relations}#buildOrGetRelationModels(relationKey,relationValue){let models=this.#relationToModelsMaps[relationKey].
get(relationValue);return models===void 0&&(models=[],this.#relationToModelsMaps[relationKey].set(relationValue,models)),
models}#getCloneModel(model,modelToCloneModelMap){let clonedModel=modelToCloneModelMap.get(model);if(clonedModel===void 0)
throw new Error("Expecting model to be cloned, none found");return clonedModel}#getCloneRelation(relation,relationToCloneRelationMap){
let clonedRelation=relationToCloneRelationMap.get(relation);if(clonedRelation===void 0)throw new Error("Expecting relati\
on to be cloned, none found");return clonedRelation}#pushModelEntriesIntoModelMap(source,target,modelToCloneModelMap){for(let[
relationValue,models]of source){let modelsClone=new Array;for(let model of models)modelsClone.push(this.#getCloneModel(model,
modelToCloneModelMap));target.set(relationValue,modelsClone)}}#pushRelationEntriesIntoRelationMap(source,target,modelToCloneModelMap,relationToCloneRelationMap){
for(let[model,relations]of source){let relationsClone=new Array;for(let relation of relations)relationsClone.push(this.#getCloneRelation(
relation,relationToCloneRelationMap));target.set(this.#getCloneModel(model,modelToCloneModelMap),relationsClone)}}#removeModelFromRelationMaps(model,relation){
for(let relationKey of Reflect.ownKeys(relation))this.#removeModelFromRelationMap(model,relationKey,relation[relationKey])}#removeModelFromRelationMap(model,relationKey,relationValue){
let relationModels=this.#relationToModelsMaps[relationKey].get(relationValue);if(relationModels!==void 0){let index=relationModels.
indexOf(model);index!==-1&&relationModels.splice(index,1),relationModels.length===0&&this.#relationToModelsMaps[relationKey].
delete(relationValue)}}};var WeakList=class{#list;#minimumLengthToReallocate;#modulusToReallocateOnPush;constructor(){this.#list=[],this.#minimumLengthToReallocate=
8,this.#modulusToReallocateOnPush=1024}*[Symbol.iterator](){let deadRefCount=0;for(let weakRef of this.#list){let value=weakRef.
deref();value===void 0?++deadRefCount:yield value}this.#list.length>=this.#minimumLengthToReallocate&&this.#shouldReallocate(
deadRefCount)&&this.#reallocate(deadRefCount)}push(value){let weakRef=new WeakRef(value);if(this.#list.push(weakRef),this.#list.
length>=this.#minimumLengthToReallocate&&this.#list.length%this.#modulusToReallocateOnPush===0){let deadRefCount=0;for(let ref of this.#list)
ref.deref()===void 0&&++deadRefCount;this.#shouldReallocate(deadRefCount)&&this.#reallocate(deadRefCount)}}#reallocate(deadRefCount){
let newList=new Array(this.#list.length-deadRefCount),i=0;for(let ref of this.#list)ref.deref()&&(newList[i++]=ref);this.#list=
newList}#shouldReallocate(deadRefCount){return deadRefCount>=this.#list.length*.5}};var ActivationRelationKind;(function(ActivationRelationKind2){ActivationRelationKind2.moduleId="moduleId",ActivationRelationKind2.
serviceId="serviceId"})(ActivationRelationKind||(ActivationRelationKind={}));var ActivationsService=class _ActivationsService{#activationMaps;#getParent;#serviceToActivationSubscribersOnceMap;constructor(getParent,activationMaps){
this.#activationMaps=activationMaps??new OneToManyMapStar({moduleId:{isOptional:!0},serviceId:{isOptional:!1}}),this.#getParent=
getParent,this.#serviceToActivationSubscribersOnceMap=new Map}static build(getParent){return new _ActivationsService(getParent)}add(activation,relation){
this.#activationMaps.add(activation,relation),this.#triggerActivationAdded(relation[ActivationRelationKind.serviceId],activation)}subscribeOnce(serviceIdentifier,subscriber){
let subscribersOnce=this.#serviceToActivationSubscribersOnceMap.get(serviceIdentifier);subscribersOnce===void 0&&(subscribersOnce=
new WeakList,this.#serviceToActivationSubscribersOnceMap.set(serviceIdentifier,subscribersOnce)),subscribersOnce.push(subscriber)}clone(){
return new _ActivationsService(this.#getParent,this.#activationMaps.clone())}get(serviceIdentifier){let activations=this.#activationMaps.
get(ActivationRelationKind.serviceId,serviceIdentifier),parentActivations=this.#getParent()?.get(serviceIdentifier);return activations===
void 0?parentActivations:parentActivations===void 0?activations:chain(activations,parentActivations)}removeAllByModuleId(moduleId){
this.#activationMaps.removeByRelation(ActivationRelationKind.moduleId,moduleId)}removeAllByServiceId(serviceId){this.#activationMaps.
removeByRelation(ActivationRelationKind.serviceId,serviceId)}#triggerActivationAdded(serviceId,activation){let subscribersOnce=this.#serviceToActivationSubscribersOnceMap.
get(serviceId);if(subscribersOnce!==void 0){for(let subscriber of subscribersOnce)subscriber.onActivationAdded(serviceId,
activation);this.#serviceToActivationSubscribersOnceMap.delete(serviceId)}}};var classMetadataReflectKey="@inversifyjs/core/classMetadataReflectKey";function getDefaultClassMetadata(){return{constructorArguments:[],lifecycle:{postConstructMethodNames:new Set,preDestroyMethodNames:new Set},
properties:new Map,scope:void 0}}var pendingClassMetadataCountReflectKey="@inversifyjs/core/pendingClassMetadataCountReflectKey";function isPendingClassMetadata(type){let pendingClassMetadataCount=getOwnReflectMetadata(type,pendingClassMetadataCountReflectKey);
return pendingClassMetadataCount!==void 0&&pendingClassMetadataCount!==0}var isAppErrorSymbol=Symbol.for("@inversifyjs/core/InversifyCoreError"),InversifyCoreError=class _InversifyCoreError extends Error{[isAppErrorSymbol];kind;constructor(kind,message,options){
super(message,options),this[isAppErrorSymbol]=!0,this.kind=kind}static is(value){return typeof value=="object"&&value!==
null&&value[isAppErrorSymbol]===!0}static isErrorOfKind(value,kind){return _InversifyCoreError.is(value)&&value.kind===kind}};var InversifyCoreErrorKind;(function(InversifyCoreErrorKind2){InversifyCoreErrorKind2[InversifyCoreErrorKind2.injectionDecoratorConflict=
0]="injectionDecoratorConflict",InversifyCoreErrorKind2[InversifyCoreErrorKind2.missingInjectionDecorator=1]="missingInj\
ectionDecorator",InversifyCoreErrorKind2[InversifyCoreErrorKind2.planning=2]="planning",InversifyCoreErrorKind2[InversifyCoreErrorKind2.
planningMaxDepthExceeded=3]="planningMaxDepthExceeded",InversifyCoreErrorKind2[InversifyCoreErrorKind2.resolution=4]="re\
solution",InversifyCoreErrorKind2[InversifyCoreErrorKind2.unknown=5]="unknown"})(InversifyCoreErrorKind||(InversifyCoreErrorKind=
{}));var MaybeClassElementMetadataKind;(function(MaybeClassElementMetadataKind2){MaybeClassElementMetadataKind2[MaybeClassElementMetadataKind2.
unknown=32]="unknown"})(MaybeClassElementMetadataKind||(MaybeClassElementMetadataKind={}));function throwAtInvalidClassMetadata(type,classMetadata){let errors=[];for(let i=0;i<classMetadata.constructorArguments.
length;++i){let constructorArgument=classMetadata.constructorArguments[i];(constructorArgument===void 0||constructorArgument.
kind===MaybeClassElementMetadataKind.unknown)&&errors.push(`  - Missing or incomplete metadata for type "${type.name}" a\
t constructor argument with index ${i.toString()}.
Every constructor parameter must be decorated either with @inject, @multiInject or @unmanaged decorator.`)}for(let[propertyKey,
property2]of classMetadata.properties)property2.kind===MaybeClassElementMetadataKind.unknown&&errors.push(`  - Missing o\
r incomplete metadata for type "${type.name}" at property "${propertyKey.toString()}".
This property must be decorated either with @inject or @multiInject decorator.`);throw errors.length===0?new InversifyCoreError(
InversifyCoreErrorKind.unknown,`Unexpected class metadata for type "${type.name}" with uncompletion traces.
This might be caused by one of the following reasons:

1. A third party library is targeting inversify reflection metadata.
2. A bug is causing the issue. Consider submiting an issue to fix it.`):new InversifyCoreError(InversifyCoreErrorKind.missingInjectionDecorator,
`Invalid class metadata at type ${type.name}:

${errors.join(`

`)}`)}function validateConstructorMetadataArray(type,value){let undefinedIndexes=[];if(value.length<type.length)throw new InversifyCoreError(
InversifyCoreErrorKind.missingInjectionDecorator,`Found unexpected missing metadata on type "${type.name}". "${type.name}\
" constructor requires at least ${type.length.toString()} arguments, found ${value.length.toString()} instead.
Are you using @inject, @multiInject or @unmanaged decorators in every non optional constructor argument?

If you're using typescript and want to rely on auto injection, set "emitDecoratorMetadata" compiler option to true`);for(let i=0;i<
value.length;++i)value[i]===void 0&&undefinedIndexes.push(i);if(undefinedIndexes.length>0)throw new InversifyCoreError(InversifyCoreErrorKind.
missingInjectionDecorator,`Found unexpected missing metadata on type "${type.name}" at constructor indexes "${undefinedIndexes.
join('", "')}".

Are you using @inject, @multiInject or @unmanaged decorators at those indexes?

If you're using typescript and want to rely on auto injection, set "emitDecoratorMetadata" compiler option to true`)}function getClassMetadata(type){let classMetadata=getOwnReflectMetadata(type,classMetadataReflectKey)??getDefaultClassMetadata();
if(isPendingClassMetadata(type))throwAtInvalidClassMetadata(type,classMetadata);else return validateConstructorMetadataArray(
type,classMetadata.constructorArguments),classMetadata}function buildInstanceBinding(autobindOptions,serviceIdentifier){let scope=getClassMetadata(serviceIdentifier).scope??autobindOptions.
scope;return{cache:{isRight:!1,value:void 0},id:getBindingId(),implementationType:serviceIdentifier,isSatisfiedBy:()=>!0,
moduleId:void 0,onActivation:void 0,onDeactivation:void 0,scope,serviceIdentifier,type:bindingTypeValues.Instance}}function cloneBindingCache(cache){return cache.isRight?{isRight:!0,value:cache.value}:cache}function cloneConstantValueBinding(binding){return{cache:cloneBindingCache(binding.cache),id:binding.id,isSatisfiedBy:binding.
isSatisfiedBy,moduleId:binding.moduleId,onActivation:binding.onActivation,onDeactivation:binding.onDeactivation,scope:binding.
scope,serviceIdentifier:binding.serviceIdentifier,type:binding.type,value:binding.value}}function cloneDynamicValueBinding(binding){return{cache:cloneBindingCache(binding.cache),id:binding.id,isSatisfiedBy:binding.
isSatisfiedBy,moduleId:binding.moduleId,onActivation:binding.onActivation,onDeactivation:binding.onDeactivation,scope:binding.
scope,serviceIdentifier:binding.serviceIdentifier,type:binding.type,value:binding.value}}function cloneFactoryBinding(binding){return{cache:cloneBindingCache(binding.cache),factory:binding.factory,id:binding.id,
isSatisfiedBy:binding.isSatisfiedBy,moduleId:binding.moduleId,onActivation:binding.onActivation,onDeactivation:binding.onDeactivation,
scope:binding.scope,serviceIdentifier:binding.serviceIdentifier,type:binding.type}}function cloneInstanceBinding(binding){return{cache:cloneBindingCache(binding.cache),id:binding.id,implementationType:binding.
implementationType,isSatisfiedBy:binding.isSatisfiedBy,moduleId:binding.moduleId,onActivation:binding.onActivation,onDeactivation:binding.
onDeactivation,scope:binding.scope,serviceIdentifier:binding.serviceIdentifier,type:binding.type}}function cloneResolvedValueBinding(binding){return{cache:cloneBindingCache(binding.cache),factory:binding.factory,id:binding.
id,isSatisfiedBy:binding.isSatisfiedBy,metadata:binding.metadata,moduleId:binding.moduleId,onActivation:binding.onActivation,
onDeactivation:binding.onDeactivation,scope:binding.scope,serviceIdentifier:binding.serviceIdentifier,type:binding.type}}function cloneServiceRedirectionBinding(binding){return{id:binding.id,isSatisfiedBy:binding.isSatisfiedBy,moduleId:binding.
moduleId,serviceIdentifier:binding.serviceIdentifier,targetServiceIdentifier:binding.targetServiceIdentifier,type:binding.
type}}function cloneBinding(binding){switch(binding.type){case bindingTypeValues.ConstantValue:return cloneConstantValueBinding(
binding);case bindingTypeValues.DynamicValue:return cloneDynamicValueBinding(binding);case bindingTypeValues.Factory:return cloneFactoryBinding(
binding);case bindingTypeValues.Instance:return cloneInstanceBinding(binding);case bindingTypeValues.ResolvedValue:return cloneResolvedValueBinding(
binding);case bindingTypeValues.ServiceRedirection:return cloneServiceRedirectionBinding(binding)}}var BindingRelationKind;(function(BindingRelationKind2){BindingRelationKind2.id="id",BindingRelationKind2.moduleId="modu\
leId",BindingRelationKind2.serviceId="serviceId"})(BindingRelationKind||(BindingRelationKind={}));var OneToManyBindingMapStar=class _OneToManyBindingMapStar extends OneToManyMapStar{_buildNewInstance(spec){
return new _OneToManyBindingMapStar(spec)}_cloneModel(model){return cloneBinding(model)}},BindingService=class _BindingService{#autobindOptions;#bindingMaps;#getParent;constructor(getParent,autobindOptions,bindingMaps){
this.#bindingMaps=bindingMaps??new OneToManyBindingMapStar({id:{isOptional:!1},moduleId:{isOptional:!0},serviceId:{isOptional:!1}}),
this.#getParent=getParent,this.#autobindOptions=autobindOptions}static build(getParent,autobindOptions){return new _BindingService(
getParent,autobindOptions)}clone(){return new _BindingService(this.#getParent,this.#autobindOptions,this.#bindingMaps.clone())}get(serviceIdentifier){
let bindings=this.getNonParentBindings(serviceIdentifier)??this.#getParent()?.get(serviceIdentifier);if(bindings!==void 0)
return bindings;let autoBoundBinding=this.#tryAutobind(serviceIdentifier);return autoBoundBinding===void 0?autoBoundBinding:
[autoBoundBinding]}*getChained(serviceIdentifier){let currentBindings=this.getNonParentBindings(serviceIdentifier);currentBindings!==
void 0&&(yield*currentBindings);let parent=this.#getParent();if(parent===void 0){if(currentBindings===void 0){let autobindBindings=this.#tryAutobind(
serviceIdentifier);autobindBindings!==void 0&&(yield autobindBindings)}}else yield*parent.getChained(serviceIdentifier)}getBoundServices(){
let serviceIdentifierSet=new Set(this.#bindingMaps.getAllKeys(BindingRelationKind.serviceId)),parent=this.#getParent();if(parent!==
void 0)for(let serviceIdentifier of parent.getBoundServices())serviceIdentifierSet.add(serviceIdentifier);return serviceIdentifierSet}getById(id){
return this.#bindingMaps.get(BindingRelationKind.id,id)??this.#getParent()?.getById(id)}getByModuleId(moduleId){return this.#bindingMaps.
get(BindingRelationKind.moduleId,moduleId)??this.#getParent()?.getByModuleId(moduleId)}getNonParentBindings(serviceId){return this.#bindingMaps.
get(BindingRelationKind.serviceId,serviceId)}getNonParentBoundServices(){return this.#bindingMaps.getAllKeys(BindingRelationKind.
serviceId)}removeById(id){this.#bindingMaps.removeByRelation(BindingRelationKind.id,id)}removeAllByModuleId(moduleId){this.#bindingMaps.
removeByRelation(BindingRelationKind.moduleId,moduleId)}removeAllByServiceId(serviceId){this.#bindingMaps.removeByRelation(
BindingRelationKind.serviceId,serviceId)}set(binding){let relation={[BindingRelationKind.id]:binding.id,[BindingRelationKind.
serviceId]:binding.serviceIdentifier};binding.moduleId!==void 0&&(relation[BindingRelationKind.moduleId]=binding.moduleId),
this.#bindingMaps.add(binding,relation)}#tryAutobind(serviceIdentifier){if(this.#autobindOptions===void 0||typeof serviceIdentifier!=
"function")return;let binding=buildInstanceBinding(this.#autobindOptions,serviceIdentifier);return this.set(binding),binding}};var DeactivationRelationKind;(function(DeactivationRelationKind2){DeactivationRelationKind2.moduleId="moduleId",DeactivationRelationKind2.
serviceId="serviceId"})(DeactivationRelationKind||(DeactivationRelationKind={}));var DeactivationsService=class _DeactivationsService{#deactivationMaps;#getParent;constructor(getParent,deactivationMaps){
this.#deactivationMaps=deactivationMaps??new OneToManyMapStar({moduleId:{isOptional:!0},serviceId:{isOptional:!1}}),this.#getParent=
getParent}static build(getParent){return new _DeactivationsService(getParent)}add(deactivation,relation){this.#deactivationMaps.
add(deactivation,relation)}clone(){return new _DeactivationsService(this.#getParent,this.#deactivationMaps.clone())}get(serviceIdentifier){
let deactivationIterables=[],deactivations=this.#deactivationMaps.get(DeactivationRelationKind.serviceId,serviceIdentifier);
deactivations!==void 0&&deactivationIterables.push(deactivations);let parentDeactivations=this.#getParent()?.get(serviceIdentifier);
if(parentDeactivations!==void 0&&deactivationIterables.push(parentDeactivations),deactivationIterables.length!==0)return chain(
...deactivationIterables)}removeAllByModuleId(moduleId){this.#deactivationMaps.removeByRelation(DeactivationRelationKind.
moduleId,moduleId)}removeAllByServiceId(serviceId){this.#deactivationMaps.removeByRelation(DeactivationRelationKind.serviceId,
serviceId)}};var ClassElementMetadataKind;(function(ClassElementMetadataKind2){ClassElementMetadataKind2[ClassElementMetadataKind2.multipleInjection=
0]="multipleInjection",ClassElementMetadataKind2[ClassElementMetadataKind2.singleInjection=1]="singleInjection",ClassElementMetadataKind2[ClassElementMetadataKind2.
unmanaged=2]="unmanaged"})(ClassElementMetadataKind||(ClassElementMetadataKind={}));function buildClassElementMetadataFromMaybeClassElementMetadata(buildDefaultMetadata,buildMetadataFromMaybeManagedMetadata){
return(...params)=>metadata=>{if(metadata===void 0)return buildDefaultMetadata(...params);if(metadata.kind===ClassElementMetadataKind.
unmanaged)throw new InversifyCoreError(InversifyCoreErrorKind.injectionDecoratorConflict,"Unexpected injection found. Mu\
ltiple @inject, @multiInject or @unmanaged decorators found");return buildMetadataFromMaybeManagedMetadata(metadata,...params)}}function buildDefaultManagedMetadata(kind,serviceIdentifier,options){return kind===ClassElementMetadataKind.multipleInjection?
{chained:options?.chained??!1,kind,name:void 0,optional:!1,tags:new Map,value:serviceIdentifier}:{kind,name:void 0,optional:!1,
tags:new Map,value:serviceIdentifier}}function assertMetadataFromTypescriptIfManaged(metadata){if(metadata.kind!==MaybeClassElementMetadataKind.unknown&&metadata.
isFromTypescriptParamType!==!0)throw new InversifyCoreError(InversifyCoreErrorKind.injectionDecoratorConflict,"Unexpecte\
d injection found. Multiple @inject, @multiInject or @unmanaged decorators found")}function buildManagedMetadataFromMaybeManagedMetadata(metadata,kind,serviceIdentifier,options){return assertMetadataFromTypescriptIfManaged(
metadata),kind===ClassElementMetadataKind.multipleInjection?{...metadata,chained:options?.chained??!1,kind,value:serviceIdentifier}:
{...metadata,kind,value:serviceIdentifier}}var buildManagedMetadataFromMaybeClassElementMetadata=buildClassElementMetadataFromMaybeClassElementMetadata(buildDefaultManagedMetadata,
buildManagedMetadataFromMaybeManagedMetadata);var DecoratorInfoKind;(function(DecoratorInfoKind2){DecoratorInfoKind2[DecoratorInfoKind2.method=0]="method",DecoratorInfoKind2[DecoratorInfoKind2.
parameter=1]="parameter",DecoratorInfoKind2[DecoratorInfoKind2.property=2]="property"})(DecoratorInfoKind||(DecoratorInfoKind=
{}));function buildDefaultUnmanagedMetadata(){return{kind:ClassElementMetadataKind.unmanaged}}function buildUnmanagedMetadataFromMaybeManagedMetadata(metadata){if(assertMetadataFromTypescriptIfManaged(metadata),hasManagedMetadata(
metadata))throw new InversifyCoreError(InversifyCoreErrorKind.injectionDecoratorConflict,"Unexpected injection found. Fo\
und @unmanaged injection with additional @named, @optional, @tagged or @targetName injections");return buildDefaultUnmanagedMetadata()}
function hasManagedMetadata(metadata){return metadata.name!==void 0||metadata.optional||metadata.tags.size>0}var buildUnmanagedMetadataFromMaybeClassElementMetadata=buildClassElementMetadataFromMaybeClassElementMetadata(buildDefaultUnmanagedMetadata,
buildUnmanagedMetadataFromMaybeManagedMetadata);var ResolvedValueElementMetadataKind;(function(ResolvedValueElementMetadataKind2){ResolvedValueElementMetadataKind2[ResolvedValueElementMetadataKind2.
multipleInjection=0]="multipleInjection",ResolvedValueElementMetadataKind2[ResolvedValueElementMetadataKind2.singleInjection=
1]="singleInjection"})(ResolvedValueElementMetadataKind||(ResolvedValueElementMetadataKind={}));function buildGetPlanOptionsFromPlanParams(params){return params.rootConstraints.isMultiple?{chained:params.rootConstraints.
chained,isMultiple:!0,name:params.rootConstraints.name,optional:params.rootConstraints.isOptional??!1,serviceIdentifier:params.
rootConstraints.serviceIdentifier,tag:params.rootConstraints.tag}:{isMultiple:!1,name:params.rootConstraints.name,optional:params.
rootConstraints.isOptional??!1,serviceIdentifier:params.rootConstraints.serviceIdentifier,tag:params.rootConstraints.tag}}var BindingConstraintsImplementation=class _BindingConstraintsImplementation{#node;constructor(node){this.#node=node}get name(){
return this.#node.elem.name}get serviceIdentifier(){return this.#node.elem.serviceIdentifier}get tags(){return this.#node.
elem.tags}getAncestor(){if(this.#node.elem.getAncestorsCalled=!0,this.#node.previous!==void 0)return new _BindingConstraintsImplementation(
this.#node.previous)}};var REDIRECTION_KEY="redirection";function isPlanServiceRedirectionBindingNode(node){return REDIRECTION_KEY in node}function resolveBindingNode(params,planBindingNode){return isPlanServiceRedirectionBindingNode(planBindingNode)?resolveServiceRedirectionBindingNode(
params,planBindingNode):[planBindingNode.resolve(params)]}function resolveServiceRedirectionBindingNode(params,node){return node.
redirection.bindings===void 0?[]:Array.isArray(node.redirection.bindings)?node.redirection.bindings.flatMap(binding=>resolveBindingNode(
params,binding)):resolveBindingNode(params,node.redirection.bindings)}function resolveMultipleBindingServiceNode(params,bindings){let resolvedValues=[];for(let binding of bindings)isPlanServiceRedirectionBindingNode(
binding)?resolvedValues.push(...resolveServiceRedirectionBindingNode(params,binding)):resolvedValues.push(binding.resolve(
params));return resolvedValues.some(isPromise)?Promise.all(resolvedValues):resolvedValues}var PlanMultipleBindingServiceNodeImplementation=class{bindings;serviceIdentifier;isContextFree;constructor(bindings,serviceIdentifier){
this.bindings=bindings,this.serviceIdentifier=serviceIdentifier,this.isContextFree=!0}resolve(params){return resolveMultipleBindingServiceNode(
params,this.bindings)}};var isDynamicallyResolvableBindingNodeSymbol=Symbol.for("@inversifyjs/core/DynamicallyResolvableBindingNode");function isDynamicallyResolvableBindingNode(node){return node[isDynamicallyResolvableBindingNodeSymbol]===!0}var UNDEFINED_RESOLVE=()=>{},RESOLVE_KEY="resolve",PlanSingleBindingServiceNodeImplementation=class{serviceIdentifier;isContextFree;resolve;#binding;constructor(serviceIdentifier){
this.serviceIdentifier=serviceIdentifier,this.isContextFree=!0,this.resolve=UNDEFINED_RESOLVE}get bindings(){return this.#binding}set bindings(value){
if(this.#binding=value,value===void 0)this.resolve=UNDEFINED_RESOLVE;else if(this.resolve=Object.hasOwn(value,RESOLVE_KEY)?
value.resolve:value.resolve.bind(value),isDynamicallyResolvableBindingNode(value)){let serviceNodeWeakReference=new WeakRef(
this);value.addOnResolverChangedHandler(newResolver=>{let serviceNode=serviceNodeWeakReference.deref();serviceNode!==void 0&&
(serviceNode.resolve=newResolver)})}}};function buildFilteredServiceBindings(params,bindingConstraints,options){let serviceIdentifier=options?.customServiceIdentifier??
bindingConstraints.serviceIdentifier,filteredBindings=(options?.chained===!0?[...params.operations.getBindingsChained(serviceIdentifier)]:
[...params.operations.getBindings(serviceIdentifier)??[]]).filter(binding=>binding.isSatisfiedBy(bindingConstraints));if(filteredBindings.
length===0&&params.autobindOptions!==void 0&&typeof serviceIdentifier=="function"){let binding=buildInstanceBinding(params.
autobindOptions,serviceIdentifier);params.operations.setBinding(binding),binding.isSatisfiedBy(bindingConstraints)&&filteredBindings.
push(binding)}return filteredBindings}function stringifyBinding(binding){switch(binding.type){case bindingTypeValues.Instance:return`[ type: "${binding.type}"\
, serviceIdentifier: "${stringifyServiceIdentifier(binding.serviceIdentifier)}", scope: "${binding.scope}", implementati\
onType: "${binding.implementationType.name}" ]`;case bindingTypeValues.ServiceRedirection:return`[ type: "${binding.type}\
", serviceIdentifier: "${stringifyServiceIdentifier(binding.serviceIdentifier)}", redirection: "${stringifyServiceIdentifier(
binding.targetServiceIdentifier)}" ]`;default:return`[ type: "${binding.type}", serviceIdentifier: "${stringifyServiceIdentifier(
binding.serviceIdentifier)}", scope: "${binding.scope}" ]`}}var SINGLE_SERVICE_NODE_BINDINGS=1;function throwErrorWhenUnexpectedBindingsAmountFound(bindingNodes,isOptional,bindingConstraintNode){
let serviceIdentifier=bindingConstraintNode.elem.serviceIdentifier,parentServiceIdentifier=bindingConstraintNode.previous?.
elem.serviceIdentifier;Array.isArray(bindingNodes)?throwErrorWhenMultipleUnexpectedBindingsAmountFound(bindingNodes,isOptional,
serviceIdentifier,parentServiceIdentifier,bindingConstraintNode.elem):throwErrorWhenSingleUnexpectedBindingFound(bindingNodes,
isOptional,serviceIdentifier,parentServiceIdentifier,bindingConstraintNode.elem)}function throwBindingNotFoundError(serviceIdentifier,parentServiceIdentifier,bindingConstraints){
let errorMessage=`No bindings found for service: "${stringifyServiceIdentifier(serviceIdentifier)}".

Trying to resolve bindings for "${stringifyParentServiceIdentifier(serviceIdentifier,parentServiceIdentifier)}".${stringifyBindingConstraints(
bindingConstraints)}`;throw new InversifyCoreError(InversifyCoreErrorKind.planning,errorMessage)}function throwErrorWhenMultipleUnexpectedBindingsAmountFound(bindingNodes,isOptional,serviceIdentifier,parentServiceIdentifier,bindingConstraints){
if(bindingNodes.length!==SINGLE_SERVICE_NODE_BINDINGS)if(bindingNodes.length===0)isOptional||throwBindingNotFoundError(serviceIdentifier,
parentServiceIdentifier,bindingConstraints);else{let errorMessage=`Ambiguous bindings found for service: "${stringifyServiceIdentifier(
serviceIdentifier)}".

Registered bindings:

${bindingNodes.map(bindingNode=>stringifyBinding(bindingNode.binding)).join(`
`)}

Trying to resolve bindings for "${stringifyParentServiceIdentifier(serviceIdentifier,parentServiceIdentifier)}".${stringifyBindingConstraints(
bindingConstraints)}`;throw new InversifyCoreError(InversifyCoreErrorKind.planning,errorMessage)}}function throwErrorWhenSingleUnexpectedBindingFound(bindingNode,isOptional,serviceIdentifier,parentServiceIdentifier,bindingConstraints){
bindingNode===void 0&&!isOptional&&throwBindingNotFoundError(serviceIdentifier,parentServiceIdentifier,bindingConstraints)}
function stringifyParentServiceIdentifier(serviceIdentifier,parentServiceIdentifier){return parentServiceIdentifier===void 0?
`${stringifyServiceIdentifier(serviceIdentifier)} (Root service)`:stringifyServiceIdentifier(parentServiceIdentifier)}function stringifyBindingConstraints(bindingConstraints){
let stringifiedTags=bindingConstraints.tags.size===0?"":`
- tags:
  - ${[...bindingConstraints.tags.keys()].map(key=>key.toString()).join(`
  - `)}`;return`

Binding constraints:
- service identifier: ${stringifyServiceIdentifier(bindingConstraints.serviceIdentifier)}
- name: ${bindingConstraints.name?.toString()??"-"}${stringifiedTags}`}function curryBuildPlanServiceNodeFromOptions(buildServiceNodeBindings3){return(params,bindingConstraintsList,options)=>{
let serviceIdentifier=options.serviceIdentifier,updatedBindingConstraintsList=bindingConstraintsList.concat({getAncestorsCalled:!1,
name:options.name,serviceIdentifier,tags:options.tags}),bindingConstraints=new BindingConstraintsImplementation(updatedBindingConstraintsList.
last),chained=options.isMultiple&&options.chained,filteredServiceBindings=buildFilteredServiceBindings(params,bindingConstraints,
{chained}),serviceNodeBindings=[];if(options.isMultiple){let serviceNode2=new PlanMultipleBindingServiceNodeImplementation(
serviceNodeBindings,serviceIdentifier);return serviceNodeBindings.push(...buildServiceNodeBindings3(params,updatedBindingConstraintsList,
filteredServiceBindings,serviceNode2,options)),serviceNode2.isContextFree=!updatedBindingConstraintsList.last.elem.getAncestorsCalled,
serviceNode2}let serviceNode=new PlanSingleBindingServiceNodeImplementation(serviceIdentifier);serviceNodeBindings.push(
...buildServiceNodeBindings3(params,updatedBindingConstraintsList,filteredServiceBindings,serviceNode,options)),serviceNode.
isContextFree=!updatedBindingConstraintsList.last.elem.getAncestorsCalled,throwErrorWhenUnexpectedBindingsAmountFound(serviceNodeBindings,
options.optional,updatedBindingConstraintsList.last);let[planBindingNode]=serviceNodeBindings;return serviceNode.bindings=
planBindingNode,serviceNode}}var STACK_OVERFLOW_PATTERNS=/stack space|call stack|too much recursion/i,SPIDER_MONKEY_REGEXP=/too much recursion/;function isStackOverflowError(error){
try{return error instanceof Error?error instanceof RangeError&&STACK_OVERFLOW_PATTERNS.test(error.message)||error.name===
"InternalError"&&SPIDER_MONKEY_REGEXP.test(error.message):!1}catch(innerError){return innerError instanceof SyntaxError&&
innerError.message.includes("Stack overflow")}}function extractLikelyCircularDependency(params){let serviceIdentifiers=new Set;for(let serviceIdentifier of params.servicesBranch){
if(serviceIdentifiers.has(serviceIdentifier))return[...serviceIdentifiers,serviceIdentifier];serviceIdentifiers.add(serviceIdentifier)}
return[...serviceIdentifiers]}function handlePlanError(params,error){if(isStackOverflowError(error)||InversifyCoreError.
isErrorOfKind(error,InversifyCoreErrorKind.planningMaxDepthExceeded)){let stringifiedCircularDependencies=stringifyServiceIdentifierTrace(
extractLikelyCircularDependency(params));throw new InversifyCoreError(InversifyCoreErrorKind.planning,`Circular dependen\
cy found: ${stringifiedCircularDependencies}`,{cause:error})}throw error}function stringifyServiceIdentifierTrace(serviceIdentifiers){
let serviceIdentifiersArray=[...serviceIdentifiers];return serviceIdentifiersArray.length===0?"(No dependency trace)":serviceIdentifiersArray.
map(stringifyServiceIdentifier).join(" -> ")}var isLazyPlanServiceNodeSymbol=Symbol.for("@inversifyjs/core/LazyPlanServiceNode"),LazyPlanServiceNode=class{[isLazyPlanServiceNodeSymbol];_serviceIdentifier;_serviceNode;constructor(serviceNode,serviceIdentifier){
this[isLazyPlanServiceNodeSymbol]=!0,this._serviceNode=serviceNode,this._serviceIdentifier=serviceIdentifier}get bindings(){
return this._getNode().bindings}get isContextFree(){return this._getNode().isContextFree}get serviceIdentifier(){return this.
_serviceIdentifier}set bindings(bindings){this._getNode().bindings=bindings}set isContextFree(isContextFree){this._getNode().
isContextFree=isContextFree}static is(value){return typeof value=="object"&&value!==null&&value[isLazyPlanServiceNodeSymbol]===
!0}invalidate(){this._serviceNode=void 0}isExpanded(){return this._serviceNode!==void 0}resolve(params){return this._getNode().
resolve(params)}_getNode(){return this._serviceNode===void 0&&(this._serviceNode=this._buildPlanServiceNode()),this._serviceNode}};function buildBuildServiceNodeOptionsFromPlanParamsConstraints(constraints){let tags=new Map;return constraints.tag!==void 0&&
tags.set(constraints.tag.key,constraints.tag.value),constraints.isMultiple?{chained:constraints.chained,isMultiple:constraints.
isMultiple,name:constraints.name,optional:constraints.isOptional??!1,serviceIdentifier:constraints.serviceIdentifier,tags}:
{isMultiple:constraints.isMultiple,name:constraints.name,optional:constraints.isOptional??!1,serviceIdentifier:constraints.
serviceIdentifier,tags}}var SingleImmutableLinkedList=class _SingleImmutableLinkedList{last;length;constructor(last,length){this.last=last,this.
length=length}concat(elem){return new _SingleImmutableLinkedList({elem,previous:this.last},this.length+1)}[Symbol.iterator](){
let node=this.last;return{next:()=>{if(node===void 0)return{done:!0,value:void 0};let elem=node.elem;return node=node.previous,
{done:!1,value:elem}}}}};function buildPlanBindingConstraintsList(params){let tags=new Map;return params.rootConstraints.tag!==void 0&&tags.set(params.
rootConstraints.tag.key,params.rootConstraints.tag.value),new SingleImmutableLinkedList({elem:{getAncestorsCalled:!1,name:params.
rootConstraints.name,serviceIdentifier:params.rootConstraints.serviceIdentifier,tags},previous:void 0},1)}function curryBuildPlanServiceNode(buildServiceNodeBindings3){return params=>{let bindingConstraintsList=buildPlanBindingConstraintsList(
params),bindingConstraints=new BindingConstraintsImplementation(bindingConstraintsList.last),chained=params.rootConstraints.
isMultiple&&params.rootConstraints.chained,filteredServiceBindings=buildFilteredServiceBindings(params,bindingConstraints,
{chained}),serviceNodeBindings=[];if(params.rootConstraints.isMultiple){let serviceNode2=new PlanMultipleBindingServiceNodeImplementation(
serviceNodeBindings,params.rootConstraints.serviceIdentifier);return serviceNodeBindings.push(...buildServiceNodeBindings3(
params,bindingConstraintsList,filteredServiceBindings,serviceNode2,buildBuildServiceNodeOptionsFromPlanParamsConstraints(
params.rootConstraints))),serviceNode2.isContextFree=!bindingConstraintsList.last.elem.getAncestorsCalled,serviceNode2}let serviceNode=new PlanSingleBindingServiceNodeImplementation(
params.rootConstraints.serviceIdentifier);serviceNodeBindings.push(...buildServiceNodeBindings3(params,bindingConstraintsList,
filteredServiceBindings,serviceNode,buildBuildServiceNodeOptionsFromPlanParamsConstraints(params.rootConstraints))),serviceNode.
isContextFree=!bindingConstraintsList.last.elem.getAncestorsCalled,throwErrorWhenUnexpectedBindingsAmountFound(serviceNodeBindings,
params.rootConstraints.isOptional??!1,bindingConstraintsList.last);let[planBindingNode]=serviceNodeBindings;return serviceNode.
bindings=planBindingNode,serviceNode}}function cacheResolvedValue(binding,resolvedValue){return isPromise(resolvedValue)?(binding.cache={isRight:!0,value:resolvedValue},
resolvedValue.then(syncResolvedValue=>cacheSyncResolvedValue(binding,syncResolvedValue))):cacheSyncResolvedValue(binding,
resolvedValue)}function cacheSyncResolvedValue(binding,resolvedValue){return binding.cache={isRight:!0,value:resolvedValue},
resolvedValue}async function resolveBindingActivationsFromIteratorAsync(params,value,activationsIterator){let activatedValue=await value,
activationIteratorResult=activationsIterator.next();for(;activationIteratorResult.done!==!0;)activatedValue=await activationIteratorResult.
value(params.context,activatedValue),activationIteratorResult=activationsIterator.next();return activatedValue}function resolveBindingActivationsFromIterator(params,value,activationsIterator){let activatedValue=value,activationIteratorResult=activationsIterator.
next();for(;activationIteratorResult.done!==!0;){let nextActivatedValue=activationIteratorResult.value(params.context,activatedValue);
if(isPromise(nextActivatedValue))return resolveBindingActivationsFromIteratorAsync(params,nextActivatedValue,activationsIterator);
activatedValue=nextActivatedValue,activationIteratorResult=activationsIterator.next()}return activatedValue}function resolveBindingServiceActivations(params,serviceIdentifier,value){let activations=params.context.getActivations(
serviceIdentifier);return activations===void 0?value:isPromise(value)?resolveBindingActivationsFromIteratorAsync(params,
value,activations[Symbol.iterator]()):resolveBindingActivationsFromIterator(params,value,activations[Symbol.iterator]())}function resolveBindingActivations(params,binding,value){let activationResult=value;if(binding.onActivation!==void 0){let onActivation=binding.
onActivation;isPromise(activationResult)?activationResult=activationResult.then(resolved=>onActivation(params.context,resolved)):
activationResult=onActivation(params.context,activationResult)}return resolveBindingServiceActivations(params,binding.serviceIdentifier,
activationResult)}function resolveScoped(node,resolve2){let binding=node.binding;switch(binding.scope){case bindingScopeValues.Singleton:return params=>{
if(binding.cache.isRight)return binding.cache.value;let resolvedValue=resolveBindingActivations(params,binding,resolve2(
params,node));return cacheResolvedValue(binding,resolvedValue)};case bindingScopeValues.Request:return params=>{if(params.
requestScopeCache?.has(binding.id)===!0)return params.requestScopeCache.get(binding.id);let resolvedValue=resolveBindingActivations(
params,binding,resolve2(params,node));return(params.requestScopeCache??=new Map).set(binding.id,resolvedValue),resolvedValue};case bindingScopeValues.
Transient:return params=>resolveBindingActivations(params,binding,resolve2(params,node))}}var ConstantValueBindingNode=class{binding;resolve;constructor(binding){this.binding=binding,this.resolve=resolveScoped(
this,(_params,node)=>node.binding.value)}};function resolveScopedWithNoActivations(binding,resolve2){switch(binding.scope){case bindingScopeValues.Singleton:return params=>{
if(binding.cache.isRight)return binding.cache.value;let resolvedValue=resolve2(params);return cacheResolvedValue(binding,
resolvedValue)};case bindingScopeValues.Request:return params=>{if(params.requestScopeCache?.has(binding.id)===!0)return params.
requestScopeCache.get(binding.id);let resolvedValue=resolve2(params);return(params.requestScopeCache??=new Map).set(binding.
id,resolvedValue),resolvedValue};case bindingScopeValues.Transient:return resolve2}}function resolveServiceActivations(serviceIdentifier){return(params,value)=>{let activations=params.context.getActivations(
serviceIdentifier);return activations===void 0?value:isPromise(value)?resolveBindingActivationsFromIteratorAsync(params,
value,activations[Symbol.iterator]()):resolveBindingActivationsFromIterator(params,value,activations[Symbol.iterator]())}}function buildNoActivationsDynamicValueBindingNodeResolver(node,areServiceActivations){let serviceIdentifier=node.binding.
serviceIdentifier,resolveActivations=areServiceActivations?resolveServiceActivations(serviceIdentifier):void 0,resolveNode=resolveActivations===
void 0?params=>node.binding.value(params.context):params=>resolveActivations(params,node.binding.value(params.context));
return resolveScopedWithNoActivations(node.binding,resolveNode)}var resolveScopedDynamicValueBindingNode=node=>resolveScoped(node,(params,node2)=>node2.binding.value(params.context)),DynamicValueBindingNode=class{binding;[isDynamicallyResolvableBindingNodeSymbol];resolve;#onResolverChangedHandlers;constructor(binding,params){
this.binding=binding,this[isDynamicallyResolvableBindingNodeSymbol]=!0;let areServiceActivations=params.operations.getActivations(
binding.serviceIdentifier)!==void 0;this.#onResolverChangedHandlers=void 0,this.resolve=this.#buildDynamicValueBindingNodeResolver(
areServiceActivations),!areServiceActivations&&this.#areNoBindingActivationsDefined()&&params.operations.subscribeActivationAddedOnce(
binding.serviceIdentifier,this)}onActivationAdded(){if(this.resolve=this.#buildDynamicValueBindingNodeResolver(!0),this.#onResolverChangedHandlers!==
void 0)for(let handler of this.#onResolverChangedHandlers)handler(this.resolve)}addOnResolverChangedHandler(callback){this.#onResolverChangedHandlers===
void 0&&(this.#onResolverChangedHandlers=[]),this.#onResolverChangedHandlers.push(callback)}#buildDynamicValueBindingNodeResolver(areServiceActivations){
return this.#areNoBindingActivationsDefined()?buildNoActivationsDynamicValueBindingNodeResolver(this,areServiceActivations):
resolveScopedDynamicValueBindingNode(this)}#areNoBindingActivationsDefined(){return this.binding.onActivation===void 0}};var FactoryBindingNodeImplementation=class{binding;resolve;constructor(binding){this.binding=binding,this.resolve=resolveScoped(
this,(params,node)=>node.binding.factory(params.context))}};function resolveInstanceBindingConstructorParams(params,node){let constructorResolvedValues=[],promiseValueFound=!1;for(let constructorParam of node.
constructorParams){let resolvedValue=constructorParam.resolve(params);!promiseValueFound&&isPromise(resolvedValue)&&(promiseValueFound=
!0),constructorResolvedValues.push(resolvedValue)}return promiseValueFound?Promise.all(constructorResolvedValues):constructorResolvedValues}function resolveInstanceBindingNode(resolveInstanceBindingConstructorParams2,resolveInstanceBindingNodeAsyncFromConstructorParams2,resolveInstanceBindingNodeFromConstructorParams2){
return(params,node)=>{let constructorValues=resolveInstanceBindingConstructorParams2(params,node);return isPromise(constructorValues)?
resolveInstanceBindingNodeAsyncFromConstructorParams2(constructorValues,params,node):resolveInstanceBindingNodeFromConstructorParams2(
constructorValues,params,node)}}function resolvePostConstruct(instance,binding,postConstructMethodName){let postConstructResult=invokePostConstruct(instance,
binding,postConstructMethodName);return isPromise(postConstructResult)?postConstructResult.then(()=>instance):instance}function invokePostConstruct(instance,binding,postConstructMethodName){
if(postConstructMethodName in instance)if(typeof instance[postConstructMethodName]=="function"){let postConstructResult;
try{postConstructResult=instance[postConstructMethodName]()}catch(error){throw new InversifyCoreError(InversifyCoreErrorKind.
resolution,`Unexpected error found when calling "${postConstructMethodName.toString()}" @postConstruct decorated method \
on class "${binding.implementationType.name}"`,{cause:error})}if(isPromise(postConstructResult))return invokePostConstructAsync(
binding,postConstructMethodName,postConstructResult)}else throw new InversifyCoreError(InversifyCoreErrorKind.resolution,
`Expecting a "${postConstructMethodName.toString()}" method when resolving "${binding.implementationType.name}" class @p\
ostConstruct decorated method, a non function property was found instead.`);else throw new InversifyCoreError(InversifyCoreErrorKind.
resolution,`Expecting a "${postConstructMethodName.toString()}" property when resolving "${binding.implementationType.name}\
" class @postConstruct decorated method, none found.`)}async function invokePostConstructAsync(binding,postConstructMethodName,postConstructResult){
try{await postConstructResult}catch(error){throw new InversifyCoreError(InversifyCoreErrorKind.resolution,`Unexpected er\
ror found when calling "${postConstructMethodName.toString()}" @postConstruct decorated method on class "${binding.implementationType.
name}"`,{cause:error})}}function setInstanceProperties(params,instance,node){let propertyAssignmentPromises=[];for(let[propertyKey,propertyNode]of node.
propertyParams){let metadata=node.classMetadata.properties.get(propertyKey);if(metadata===void 0)throw new InversifyCoreError(
InversifyCoreErrorKind.resolution,`Expecting metadata at property "${propertyKey.toString()}", none found`);metadata.kind!==
ClassElementMetadataKind.unmanaged&&propertyNode.bindings!==void 0&&(instance[propertyKey]=propertyNode.resolve(params),
isPromise(instance[propertyKey])&&propertyAssignmentPromises.push((async()=>{instance[propertyKey]=await instance[propertyKey]})()))}
if(propertyAssignmentPromises.length>0)return Promise.all(propertyAssignmentPromises).then(()=>{})}function resolveAllPostConstructMethods(instance,binding,postConstructMethodNames){if(postConstructMethodNames.size===0)
return instance;let result=instance;for(let methodName of postConstructMethodNames)isPromise(result)?result=result.then(
resolvedInstance=>resolvePostConstruct(resolvedInstance,binding,methodName)):result=resolvePostConstruct(result,binding,
methodName);return result}function resolveInstanceBindingNodeFromConstructorParams(constructorValues,params,node){let instance=new node.
binding.implementationType(...constructorValues),propertiesAssignmentResult=setInstanceProperties(params,instance,node);
return isPromise(propertiesAssignmentResult)?propertiesAssignmentResult.then(()=>resolveAllPostConstructMethods(instance,
node.binding,node.classMetadata.lifecycle.postConstructMethodNames)):resolveAllPostConstructMethods(instance,node.binding,
node.classMetadata.lifecycle.postConstructMethodNames)}async function resolveInstanceBindingNodeAsyncFromConstructorParams(constructorValues,params,node){let constructorResolvedValues=await constructorValues;
return resolveInstanceBindingNodeFromConstructorParams(constructorResolvedValues,params,node)}function buildConstructorArgumentsResolver(node,resolveAsyncValues,resolveActivations){let constructorArgumentsCount=node.
classMetadata.constructorArguments.length;function resolveConstructorValues(params){let values=new Array(constructorArgumentsCount);
for(let index=0;index<constructorArgumentsCount;index++)values[index]=node.constructorParams[index].resolve(params);return values}
return node.classMetadata.properties.size===0?resolveActivations===void 0?function(params){let values=resolveConstructorValues(
params);function build(...resolvedValues){return new node.binding.implementationType(...resolvedValues)}return resolveAsyncValues(
...values,build)}:function(params){let values=resolveConstructorValues(params),build=(...resolvedValues)=>resolveActivations(
params,new node.binding.implementationType(...resolvedValues));return resolveAsyncValues(...values,build)}:resolveActivations===
void 0?function(params){let values=resolveConstructorValues(params);function build(...resolvedValues){let instance=new node.
binding.implementationType(...resolvedValues),propertiesAssignmentResult=setInstanceProperties(params,instance,node);return isPromise(
propertiesAssignmentResult)?propertiesAssignmentResult.then(()=>instance):instance}return resolveAsyncValues(...values,build)}:
function(params){let values=resolveConstructorValues(params),build=(...resolvedValues)=>{let instance=new node.binding.implementationType(
...resolvedValues),propertiesAssignmentResult=setInstanceProperties(params,instance,node);return isPromise(propertiesAssignmentResult)?
propertiesAssignmentResult.then(()=>resolveActivations(params,instance)):resolveActivations(params,instance)};return resolveAsyncValues(
...values,build)}}var TWO_PARAMS=2,THREE_PARAMS=3,FOUR_PARAMS=4;function resolveFour(value1,value2,value3,value4,build){return isPromise(value1)?
isPromise(value2)?isPromise(value3)?isPromise(value4)?new Promise((resolve2,reject)=>{let resolvedValues=0,resolvedValue1,
resolvedValue2,resolvedValue3,resolvedValue4;value1.then(resolvedValue=>{++resolvedValues===FOUR_PARAMS?resolve2(build(resolvedValue,
resolvedValue2,resolvedValue3,resolvedValue4)):resolvedValue1=resolvedValue}).catch(reject),value2.then(resolvedValue=>{
++resolvedValues===FOUR_PARAMS?resolve2(build(resolvedValue1,resolvedValue,resolvedValue3,resolvedValue4)):resolvedValue2=
resolvedValue}).catch(reject),value3.then(resolvedValue=>{++resolvedValues===FOUR_PARAMS?resolve2(build(resolvedValue1,resolvedValue2,
resolvedValue,resolvedValue4)):resolvedValue3=resolvedValue}).catch(reject),value4.then(resolvedValue=>{++resolvedValues===
FOUR_PARAMS?resolve2(build(resolvedValue1,resolvedValue2,resolvedValue3,resolvedValue)):resolvedValue4=resolvedValue}).catch(
reject)}):new Promise((resolve2,reject)=>{let resolvedValues=0,resolvedValue1,resolvedValue2,resolvedValue3;value1.then(
resolvedValue=>{++resolvedValues===THREE_PARAMS?resolve2(build(resolvedValue,resolvedValue2,resolvedValue3,value4)):resolvedValue1=
resolvedValue}).catch(reject),value2.then(resolvedValue=>{++resolvedValues===THREE_PARAMS?resolve2(build(resolvedValue1,
resolvedValue,resolvedValue3,value4)):resolvedValue2=resolvedValue}).catch(reject),value3.then(resolvedValue=>{++resolvedValues===
THREE_PARAMS?resolve2(build(resolvedValue1,resolvedValue2,resolvedValue,value4)):resolvedValue3=resolvedValue}).catch(reject)}):
isPromise(value4)?new Promise((resolve2,reject)=>{let resolvedValues=0,resolvedValue1,resolvedValue2,resolvedValue4;value1.
then(resolvedValue=>{++resolvedValues===THREE_PARAMS?resolve2(build(resolvedValue,resolvedValue2,value3,resolvedValue4)):
resolvedValue1=resolvedValue}).catch(reject),value2.then(resolvedValue=>{++resolvedValues===THREE_PARAMS?resolve2(build(
resolvedValue1,resolvedValue,value3,resolvedValue4)):resolvedValue2=resolvedValue}).catch(reject),value4.then(resolvedValue=>{
++resolvedValues===THREE_PARAMS?resolve2(build(resolvedValue1,resolvedValue2,value3,resolvedValue)):resolvedValue4=resolvedValue}).
catch(reject)}):new Promise((resolve2,reject)=>{let resolvedValues=0,resolvedValue1,resolvedValue2;value1.then(resolvedValue=>{
++resolvedValues===TWO_PARAMS?resolve2(build(resolvedValue,resolvedValue2,value3,value4)):resolvedValue1=resolvedValue}).
catch(reject),value2.then(resolvedValue=>{++resolvedValues===TWO_PARAMS?resolve2(build(resolvedValue1,resolvedValue,value3,
value4)):resolvedValue2=resolvedValue}).catch(reject)}):isPromise(value3)?isPromise(value4)?new Promise((resolve2,reject)=>{
let resolvedValues=0,resolvedValue1,resolvedValue3,resolvedValue4;value1.then(resolvedValue=>{++resolvedValues===THREE_PARAMS?
resolve2(build(resolvedValue,value2,resolvedValue3,resolvedValue4)):resolvedValue1=resolvedValue}).catch(reject),value3.
then(resolvedValue=>{++resolvedValues===THREE_PARAMS?resolve2(build(resolvedValue1,value2,resolvedValue,resolvedValue4)):
resolvedValue3=resolvedValue}).catch(reject),value4.then(resolvedValue=>{++resolvedValues===THREE_PARAMS?resolve2(build(
resolvedValue1,value2,resolvedValue3,resolvedValue)):resolvedValue4=resolvedValue}).catch(reject)}):new Promise((resolve2,reject)=>{
let resolvedValues=0,resolvedValue1,resolvedValue3;value1.then(resolvedValue=>{++resolvedValues===TWO_PARAMS?resolve2(build(
resolvedValue,value2,resolvedValue3,value4)):resolvedValue1=resolvedValue}).catch(reject),value3.then(resolvedValue=>{++resolvedValues===
TWO_PARAMS?resolve2(build(resolvedValue1,value2,resolvedValue,value4)):resolvedValue3=resolvedValue}).catch(reject)}):isPromise(
value4)?new Promise((resolve2,reject)=>{let resolvedValues=0,resolvedValue1,resolvedValue4;value1.then(resolvedValue=>{++resolvedValues===
TWO_PARAMS?resolve2(build(resolvedValue,value2,value3,resolvedValue4)):resolvedValue1=resolvedValue}).catch(reject),value4.
then(resolvedValue=>{++resolvedValues===TWO_PARAMS?resolve2(build(resolvedValue1,value2,value3,resolvedValue)):resolvedValue4=
resolvedValue}).catch(reject)}):value1.then(async resolvedValue1=>build(resolvedValue1,value2,value3,value4)):isPromise(
value2)?isPromise(value3)?isPromise(value4)?new Promise((resolve2,reject)=>{let resolvedValues=0,resolvedValue2,resolvedValue3,
resolvedValue4;value2.then(resolvedValue=>{++resolvedValues===THREE_PARAMS?resolve2(build(value1,resolvedValue,resolvedValue3,
resolvedValue4)):resolvedValue2=resolvedValue}).catch(reject),value3.then(resolvedValue=>{++resolvedValues===THREE_PARAMS?
resolve2(build(value1,resolvedValue2,resolvedValue,resolvedValue4)):resolvedValue3=resolvedValue}).catch(reject),value4.
then(resolvedValue=>{++resolvedValues===THREE_PARAMS?resolve2(build(value1,resolvedValue2,resolvedValue3,resolvedValue)):
resolvedValue4=resolvedValue}).catch(reject)}):new Promise((resolve2,reject)=>{let resolvedValues=0,resolvedValue2,resolvedValue3;
value2.then(resolvedValue=>{++resolvedValues===TWO_PARAMS?resolve2(build(value1,resolvedValue,resolvedValue3,value4)):resolvedValue2=
resolvedValue}).catch(reject),value3.then(resolvedValue=>{++resolvedValues===TWO_PARAMS?resolve2(build(value1,resolvedValue2,
resolvedValue,value4)):resolvedValue3=resolvedValue}).catch(reject)}):isPromise(value4)?new Promise((resolve2,reject)=>{
let resolvedValues=0,resolvedValue2,resolvedValue4;value2.then(resolvedValue=>{++resolvedValues===TWO_PARAMS?resolve2(build(
value1,resolvedValue,value3,resolvedValue4)):resolvedValue2=resolvedValue}).catch(reject),value4.then(resolvedValue=>{++resolvedValues===
TWO_PARAMS?resolve2(build(value1,resolvedValue2,value3,resolvedValue)):resolvedValue4=resolvedValue}).catch(reject)}):value2.
then(async resolvedValue2=>build(value1,resolvedValue2,value3,value4)):isPromise(value3)?isPromise(value4)?new Promise((resolve2,reject)=>{
let resolvedValues=0,resolvedValue3,resolvedValue4;value3.then(resolvedValue=>{++resolvedValues===TWO_PARAMS?resolve2(build(
value1,value2,resolvedValue,resolvedValue4)):resolvedValue3=resolvedValue}).catch(reject),value4.then(resolvedValue=>{++resolvedValues===
TWO_PARAMS?resolve2(build(value1,value2,resolvedValue3,resolvedValue)):resolvedValue4=resolvedValue}).catch(reject)}):value3.
then(async resolvedValue3=>build(value1,value2,resolvedValue3,value4)):isPromise(value4)?value4.then(async resolvedValue4=>build(
value1,value2,value3,resolvedValue4)):build(value1,value2,value3,value4)}function buildFourConstructorArgumentResolver(node,resolveActivations){if(node.classMetadata.properties.size===0)return resolveActivations===
void 0?function(params){let resolvedValue0=node.constructorParams[0].resolve(params),resolvedValue1=node.constructorParams[1].
resolve(params),resolvedValue2=node.constructorParams[2].resolve(params),resolvedValue3=node.constructorParams[3].resolve(
params);return resolveFour(resolvedValue0,resolvedValue1,resolvedValue2,resolvedValue3,(resolvedValue02,resolvedValue12,resolvedValue22,resolvedValue32)=>new node.
binding.implementationType(resolvedValue02,resolvedValue12,resolvedValue22,resolvedValue32))}:function(params){let resolvedValue0=node.
constructorParams[0].resolve(params),resolvedValue1=node.constructorParams[1].resolve(params),resolvedValue2=node.constructorParams[2].
resolve(params),resolvedValue3=node.constructorParams[3].resolve(params);return resolveFour(resolvedValue0,resolvedValue1,
resolvedValue2,resolvedValue3,(resolvedValue02,resolvedValue12,resolvedValue22,resolvedValue32)=>resolveActivations(params,
new node.binding.implementationType(resolvedValue02,resolvedValue12,resolvedValue22,resolvedValue32)))};if(resolveActivations===
void 0){let finalizeInstance2=(params,instance)=>{let propertiesAssignmentResult=setInstanceProperties(params,instance,node);
return isPromise(propertiesAssignmentResult)?propertiesAssignmentResult.then(()=>instance):instance};return function(params){
let resolvedValue0=node.constructorParams[0].resolve(params),resolvedValue1=node.constructorParams[1].resolve(params),resolvedValue2=node.
constructorParams[2].resolve(params),resolvedValue3=node.constructorParams[3].resolve(params);return resolveFour(resolvedValue0,
resolvedValue1,resolvedValue2,resolvedValue3,(resolvedValue02,resolvedValue12,resolvedValue22,resolvedValue32)=>finalizeInstance2(
params,new node.binding.implementationType(resolvedValue02,resolvedValue12,resolvedValue22,resolvedValue32)))}}let finalizeInstance=(params,instance)=>{
let propertiesAssignmentResult=setInstanceProperties(params,instance,node);return isPromise(propertiesAssignmentResult)?
propertiesAssignmentResult.then(()=>resolveActivations(params,instance)):resolveActivations(params,instance)};return function(params){
let resolvedValue0=node.constructorParams[0].resolve(params),resolvedValue1=node.constructorParams[1].resolve(params),resolvedValue2=node.
constructorParams[2].resolve(params),resolvedValue3=node.constructorParams[3].resolve(params);return resolveFour(resolvedValue0,
resolvedValue1,resolvedValue2,resolvedValue3,(resolvedValue02,resolvedValue12,resolvedValue22,resolvedValue32)=>finalizeInstance(
params,new node.binding.implementationType(resolvedValue02,resolvedValue12,resolvedValue22,resolvedValue32)))}}function buildOneConstructorArgumentResolver(node,resolveActivations){if(node.classMetadata.properties.size===0)return resolveActivations===
void 0?function(params){let resolvedValue=node.constructorParams[0].resolve(params);return isPromise(resolvedValue)?resolvedValue.
then(resolvedValue2=>new node.binding.implementationType(resolvedValue2)):new node.binding.implementationType(resolvedValue)}:
function(params){let resolvedValue=node.constructorParams[0].resolve(params);return isPromise(resolvedValue)?resolvedValue.
then(resolvedValue2=>resolveActivations(params,new node.binding.implementationType(resolvedValue2))):resolveActivations(
params,new node.binding.implementationType(resolvedValue))};if(resolveActivations===void 0){let finalizeInstance2=(params,instance)=>{
let propertiesAssignmentResult=setInstanceProperties(params,instance,node);return isPromise(propertiesAssignmentResult)?
propertiesAssignmentResult.then(()=>instance):instance};return function(params){let resolvedValue=node.constructorParams[0].
resolve(params);return isPromise(resolvedValue)?resolvedValue.then(resolvedValue2=>finalizeInstance2(params,new node.binding.
implementationType(resolvedValue2))):finalizeInstance2(params,new node.binding.implementationType(resolvedValue))}}let finalizeInstance=(params,instance)=>{
let propertiesAssignmentResult=setInstanceProperties(params,instance,node);return isPromise(propertiesAssignmentResult)?
propertiesAssignmentResult.then(()=>resolveActivations(params,instance)):resolveActivations(params,instance)};return function(params){
let resolvedValue=node.constructorParams[0].resolve(params);return isPromise(resolvedValue)?resolvedValue.then(resolvedValue2=>finalizeInstance(
params,new node.binding.implementationType(resolvedValue2))):finalizeInstance(params,new node.binding.implementationType(
resolvedValue))}}var TWO_PARAMS2=2,THREE_PARAMS2=3;function resolveThree(value1,value2,value3,build){return isPromise(value1)?isPromise(value2)?
isPromise(value3)?new Promise((resolve2,reject)=>{let resolvedValues=0,resolvedValue1,resolvedValue2,resolvedValue3;value1.
then(resolvedValue=>{++resolvedValues===THREE_PARAMS2?resolve2(build(resolvedValue,resolvedValue2,resolvedValue3)):resolvedValue1=
resolvedValue}).catch(reject),value2.then(resolvedValue=>{++resolvedValues===THREE_PARAMS2?resolve2(build(resolvedValue1,
resolvedValue,resolvedValue3)):resolvedValue2=resolvedValue}).catch(reject),value3.then(resolvedValue=>{++resolvedValues===
THREE_PARAMS2?resolve2(build(resolvedValue1,resolvedValue2,resolvedValue)):resolvedValue3=resolvedValue}).catch(reject)}):
new Promise((resolve2,reject)=>{let resolvedValues=0,resolvedValue1,resolvedValue2;value1.then(resolvedValue=>{++resolvedValues===
TWO_PARAMS2?resolve2(build(resolvedValue,resolvedValue2,value3)):resolvedValue1=resolvedValue}).catch(reject),value2.then(
resolvedValue=>{++resolvedValues===TWO_PARAMS2?resolve2(build(resolvedValue1,resolvedValue,value3)):resolvedValue2=resolvedValue}).
catch(reject)}):isPromise(value3)?new Promise((resolve2,reject)=>{let resolvedValues=0,resolvedValue1,resolvedValue3;value1.
then(resolvedValue=>{++resolvedValues===TWO_PARAMS2?resolve2(build(resolvedValue,value2,resolvedValue3)):resolvedValue1=
resolvedValue}).catch(reject),value3.then(resolvedValue=>{++resolvedValues===TWO_PARAMS2?resolve2(build(resolvedValue1,value2,
resolvedValue)):resolvedValue3=resolvedValue}).catch(reject)}):value1.then(async resolvedValue1=>build(resolvedValue1,value2,
value3)):isPromise(value2)?isPromise(value3)?new Promise((resolve2,reject)=>{let resolvedValues=0,resolvedValue2,resolvedValue3;
value2.then(resolvedValue=>{++resolvedValues===TWO_PARAMS2?resolve2(build(value1,resolvedValue,resolvedValue3)):resolvedValue2=
resolvedValue}).catch(reject),value3.then(resolvedValue=>{++resolvedValues===TWO_PARAMS2?resolve2(build(value1,resolvedValue2,
resolvedValue)):resolvedValue3=resolvedValue}).catch(reject)}):value2.then(async resolvedValue2=>build(value1,resolvedValue2,
value3)):isPromise(value3)?value3.then(async resolvedValue3=>build(value1,value2,resolvedValue3)):build(value1,value2,value3)}function buildThreeConstructorArgumentResolver(node,resolveActivations){if(node.classMetadata.properties.size===0)return resolveActivations===
void 0?function(params){let resolvedValue0=node.constructorParams[0].resolve(params),resolvedValue1=node.constructorParams[1].
resolve(params),resolvedValue2=node.constructorParams[2].resolve(params);return resolveThree(resolvedValue0,resolvedValue1,
resolvedValue2,(resolvedValue02,resolvedValue12,resolvedValue22)=>new node.binding.implementationType(resolvedValue02,resolvedValue12,
resolvedValue22))}:function(params){let resolvedValue0=node.constructorParams[0].resolve(params),resolvedValue1=node.constructorParams[1].
resolve(params),resolvedValue2=node.constructorParams[2].resolve(params);return resolveThree(resolvedValue0,resolvedValue1,
resolvedValue2,(resolvedValue02,resolvedValue12,resolvedValue22)=>resolveActivations(params,new node.binding.implementationType(
resolvedValue02,resolvedValue12,resolvedValue22)))};if(resolveActivations===void 0){let finalizeInstance2=(params,instance)=>{
let propertiesAssignmentResult=setInstanceProperties(params,instance,node);return isPromise(propertiesAssignmentResult)?
propertiesAssignmentResult.then(()=>instance):instance};return function(params){let resolvedValue0=node.constructorParams[0].
resolve(params),resolvedValue1=node.constructorParams[1].resolve(params),resolvedValue2=node.constructorParams[2].resolve(
params);return resolveThree(resolvedValue0,resolvedValue1,resolvedValue2,(resolvedValue02,resolvedValue12,resolvedValue22)=>finalizeInstance2(
params,new node.binding.implementationType(resolvedValue02,resolvedValue12,resolvedValue22)))}}let finalizeInstance=(params,instance)=>{
let propertiesAssignmentResult=setInstanceProperties(params,instance,node);return isPromise(propertiesAssignmentResult)?
propertiesAssignmentResult.then(()=>resolveActivations(params,instance)):resolveActivations(params,instance)};return function(params){
let resolvedValue0=node.constructorParams[0].resolve(params),resolvedValue1=node.constructorParams[1].resolve(params),resolvedValue2=node.
constructorParams[2].resolve(params);return resolveThree(resolvedValue0,resolvedValue1,resolvedValue2,(resolvedValue02,resolvedValue12,resolvedValue22)=>finalizeInstance(
params,new node.binding.implementationType(resolvedValue02,resolvedValue12,resolvedValue22)))}}var PARAMS=2;function resolveTwo(value1,value2,build){return isPromise(value1)?isPromise(value2)?new Promise((resolve2,reject)=>{
let resolvedValues=0,resolvedValue1,resolvedValue2;value1.then(resolvedValue=>{++resolvedValues===PARAMS?resolve2(build(
resolvedValue,resolvedValue2)):resolvedValue1=resolvedValue}).catch(reject),value2.then(resolvedValue=>{++resolvedValues===
PARAMS?resolve2(build(resolvedValue1,resolvedValue)):resolvedValue2=resolvedValue}).catch(reject)}):value1.then(async resolvedValue1=>build(
resolvedValue1,value2)):isPromise(value2)?value2.then(async resolvedValue2=>build(value1,resolvedValue2)):build(value1,value2)}function buildTwoConstructorArgumentResolver(node,resolveActivations){if(node.classMetadata.properties.size===0)return resolveActivations===
void 0?function(params){let resolvedValue0=node.constructorParams[0].resolve(params),resolvedValue1=node.constructorParams[1].
resolve(params);return resolveTwo(resolvedValue0,resolvedValue1,(resolvedValue02,resolvedValue12)=>new node.binding.implementationType(
resolvedValue02,resolvedValue12))}:function(params){let resolvedValue0=node.constructorParams[0].resolve(params),resolvedValue1=node.
constructorParams[1].resolve(params);return resolveTwo(resolvedValue0,resolvedValue1,(resolvedValue02,resolvedValue12)=>resolveActivations(
params,new node.binding.implementationType(resolvedValue02,resolvedValue12)))};if(resolveActivations===void 0){let finalizeInstance2=(params,instance)=>{
let propertiesAssignmentResult=setInstanceProperties(params,instance,node);return isPromise(propertiesAssignmentResult)?
propertiesAssignmentResult.then(()=>instance):instance};return function(params){let resolvedValue0=node.constructorParams[0].
resolve(params),resolvedValue1=node.constructorParams[1].resolve(params);return resolveTwo(resolvedValue0,resolvedValue1,
(resolvedValue02,resolvedValue12)=>finalizeInstance2(params,new node.binding.implementationType(resolvedValue02,resolvedValue12)))}}
let finalizeInstance=(params,instance)=>{let propertiesAssignmentResult=setInstanceProperties(params,instance,node);return isPromise(
propertiesAssignmentResult)?propertiesAssignmentResult.then(()=>resolveActivations(params,instance)):resolveActivations(
params,instance)};return function(params){let resolvedValue0=node.constructorParams[0].resolve(params),resolvedValue1=node.
constructorParams[1].resolve(params);return resolveTwo(resolvedValue0,resolvedValue1,(resolvedValue02,resolvedValue12)=>finalizeInstance(
params,new node.binding.implementationType(resolvedValue02,resolvedValue12)))}}function buildZeroConstructorArgumentsResolver(node,resolveActivations){return node.classMetadata.properties.size===0?resolveActivations===
void 0?function(_params){return new node.binding.implementationType}:function(params){return resolveActivations(params,new node.
binding.implementationType)}:resolveActivations===void 0?function(params){let instance=new node.binding.implementationType,
propertiesAssignmentResult=setInstanceProperties(params,instance,node);return isPromise(propertiesAssignmentResult)?propertiesAssignmentResult.
then(()=>instance):instance}:function(params){let instance=new node.binding.implementationType,propertiesAssignmentResult=setInstanceProperties(
params,instance,node);return isPromise(propertiesAssignmentResult)?propertiesAssignmentResult.then(()=>resolveActivations(
params,instance)):resolveActivations(params,instance)}}function resolveMany(...args){let build=args[args.length-1],values=args.slice(0,-1);for(let value of values)if(isPromise(
value))return Promise.all(values).then(resolvedValues=>build(...resolvedValues));return build(...values)}var ZERO_CONSTRUCTOR_ARGUMENTS=0,ONE_CONSTRUCTOR_ARGUMENT=1,TWO_CONSTRUCTOR_ARGUMENTS=2,THREE_CONSTRUCTOR_ARGUMENTS=3,FOUR_CONSTRUCTOR_ARGUMENTS=4;
function buildNoActivationsInstanceBindingNodeResolver(node,areServiceActivations){let serviceIdentifier=node.binding.serviceIdentifier,
resolveActivations=areServiceActivations?resolveServiceActivations(serviceIdentifier):void 0,resolveNode;switch(node.classMetadata.
constructorArguments.length){case ZERO_CONSTRUCTOR_ARGUMENTS:resolveNode=buildZeroConstructorArgumentsResolver(node,resolveActivations);
break;case ONE_CONSTRUCTOR_ARGUMENT:resolveNode=buildOneConstructorArgumentResolver(node,resolveActivations);break;case TWO_CONSTRUCTOR_ARGUMENTS:
resolveNode=buildTwoConstructorArgumentResolver(node,resolveActivations);break;case THREE_CONSTRUCTOR_ARGUMENTS:resolveNode=
buildThreeConstructorArgumentResolver(node,resolveActivations);break;case FOUR_CONSTRUCTOR_ARGUMENTS:resolveNode=buildFourConstructorArgumentResolver(
node,resolveActivations);break;default:resolveNode=buildConstructorArgumentsResolver(node,resolveMany,resolveActivations)}
return resolveScopedWithNoActivations(node.binding,resolveNode)}var nextGeneratedResolverId=0;function getGeneratedResolverId(){return nextGeneratedResolverId++}function buildConstructorArgumentsResolverJit(node,implementationType,resolveAsyncValues,resolveActivations){let id=getGeneratedResolverId().
toString(),constructorArgumentsCount=node.classMetadata.constructorArguments.length,constructorArgumentIndexes=Array.from(
{length:constructorArgumentsCount},(_,index)=>index),constructorValuesConcatenation=constructorArgumentIndexes.map(index=>`\
value$${index.toString()}`).join(", "),constructorValuesDeclarations="";for(let index of constructorArgumentIndexes)constructorValuesDeclarations+=
`const value$${index.toString()} = node$${id}.constructorParams[${index.toString()}].resolve(params$${id});
`;let propertiesArgumentsCount=node.classMetadata.properties.size,propertiesArgumentIndexes=Array.from({length:propertiesArgumentsCount},
(_,index)=>index),propertiesValuesConcatenation=propertiesArgumentIndexes.map(index=>`property$${index.toString()}`).join(
", "),propertyValuesDeclarations=`let propertyIterator = node$${id}.propertyParams.entries();
`;for(let index of propertiesArgumentIndexes)propertyValuesDeclarations+=`const propertyNode$${index.toString()} = prope\
rtyIterator.next().value;
  const propertyKey$${index.toString()} = propertyNode$${index.toString()}[0];
  const propertyBound$${index.toString()} = propertyNode$${index.toString()}[1].bindings !== undefined;
  const property$${index.toString()} = propertyBound$${index.toString()} ? propertyNode$${index.toString()}[1].resolve(p\
arams$${id}) : undefined;
`;let propertyAssignments=propertiesArgumentIndexes.map(index=>`if (propertyBound$${index.toString()}) { instance[proper\
tyKey$${index.toString()}] = property$${index.toString()}; }`).join(`      
`),resolveAsyncValuesArguments=[constructorValuesConcatenation,propertiesValuesConcatenation].filter(value=>value.length>
0).join(", "),resolveAsyncValuesBuildArguments=resolveAsyncValuesArguments;if(resolveActivations===void 0){let buildResolveNodeBody2=propertiesArgumentsCount===
0?`return function resolveNode$${id}(params$${id}) {
  ${constructorValuesDeclarations}

  return resolveAsyncValues$${id}(
    ${constructorValuesConcatenation},
    function (${constructorValuesConcatenation}) {
      return new ctor$${id}(${constructorValuesConcatenation});
    },
  );
}`:`return function resolveNode$${id}(params$${id}) {
  ${constructorValuesDeclarations}

  ${propertyValuesDeclarations}

  return resolveAsyncValues$${id}(
    ${resolveAsyncValuesArguments},
    function (${resolveAsyncValuesBuildArguments}) {
      const instance = new ctor$${id}(${constructorValuesConcatenation});

      ${propertyAssignments}

      return instance;
    },
  );
}`;return new Function(`node$${id}`,`ctor$${id}`,`resolveAsyncValues$${id}`,buildResolveNodeBody2)(node,implementationType,
resolveAsyncValues)}let buildResolveNodeBody=propertiesArgumentsCount===0?`return function resolveNode$${id}(params$${id}\
) {
  ${constructorValuesDeclarations}

  return resolveAsyncValues$${id}(
    ${constructorValuesConcatenation},
    function (${constructorValuesConcatenation}) {
      return activate$${id}(
        params$${id},
        new ctor$${id}(${constructorValuesConcatenation}),
      );
    },
  );
}`:`return function resolveNode$${id}(params$${id}) {
  ${constructorValuesDeclarations}

  ${propertyValuesDeclarations}

  return resolveAsyncValues$${id}(
    ${resolveAsyncValuesArguments},
    function (${resolveAsyncValuesBuildArguments}) {
      const instance = new ctor$${id}(${constructorValuesConcatenation});

      ${propertyAssignments}

      return activate$${id}(
        params$${id},
        instance,
      );
    },
  );
}`;return new Function(`node$${id}`,`ctor$${id}`,`activate$${id}`,`resolveAsyncValues$${id}`,buildResolveNodeBody)(node,
implementationType,resolveActivations,resolveAsyncValues)}function buildOneConstructorArgumentResolverJit(node,implementationType,resolveActivations){let id=getGeneratedResolverId().
toString();return resolveActivations===void 0?new Function(`node$${id}`,`ctor$${id}`,`isPromise$${id}`,`return function \
resolveNode$${id}(params$${id}) {
        const resolvedValue$${id} = node$${id}.constructorParams[0].resolve(params$${id});

        if (isPromise$${id}(resolvedValue$${id})) {
          return resolvedValue$${id}.then(function (resolvedValue$${id}) {
            return new ctor$${id}(resolvedValue$${id});
          });
        }

        return new ctor$${id}(resolvedValue$${id});
      };`)(node,implementationType,isPromise):new Function(`node$${id}`,`ctor$${id}`,`activate$${id}`,`isPromise$${id}`,
`return function resolveNode$${id}(params$${id}) {
        const resolvedValue$${id} = node$${id}.constructorParams[0].resolve(params$${id});

        if (isPromise$${id}(resolvedValue$${id})) {
          return resolvedValue$${id}.then(function (resolvedValue$${id}) {
            return activate$${id}(params$${id}, new ctor$${id}(resolvedValue$${id}));
          });
        }

        return activate$${id}(params$${id}, new ctor$${id}(resolvedValue$${id}));
      };`)(node,implementationType,resolveActivations,isPromise)}function buildOnePropertyArgumentResolverJit(node,implementationType,resolveActivations){let id=getGeneratedResolverId().
toString();return resolveActivations===void 0?new Function(`node$${id}`,`ctor$${id}`,`isPromise$${id}`,`return function \
resolveNode$${id}(params$${id}) {
        const propertyEntry$${id} = node$${id}.propertyParams.entries().next().value;
        const propertyKey$${id} = propertyEntry$${id}[0];
        const instance$${id} = new ctor$${id}();

        if (propertyEntry$${id}[1].bindings === undefined) {
          return instance$${id};
        }

        const resolvedValue$${id} = propertyEntry$${id}[1].resolve(params$${id});

        if (isPromise$${id}(resolvedValue$${id})) {
          return resolvedValue$${id}.then(function (resolvedValue$${id}) {
            instance$${id}[propertyKey$${id}] = resolvedValue$${id};
            return instance$${id};
          });
        }

        instance$${id}[propertyKey$${id}] = resolvedValue$${id};
        return instance$${id};
      };`)(node,implementationType,isPromise):new Function(`node$${id}`,`ctor$${id}`,`activate$${id}`,`isPromise$${id}`,
`return function resolveNode$${id}(params$${id}) {
        const propertyEntry$${id} = node$${id}.propertyParams.entries().next().value;
        const propertyKey$${id} = propertyEntry$${id}[0];
        const instance$${id} = new ctor$${id}();

        if (propertyEntry$${id}[1].bindings === undefined) {
          return activate$${id}(params$${id}, instance$${id});
        }

        const resolvedValue$${id} = propertyEntry$${id}[1].resolve(params$${id});

        if (isPromise$${id}(resolvedValue$${id})) {
          return resolvedValue$${id}.then(function (resolvedValue$${id}) {
            instance$${id}[propertyKey$${id}] = resolvedValue$${id};
            return activate$${id}(params$${id}, instance$${id});
          });
        }

        instance$${id}[propertyKey$${id}] = resolvedValue$${id};
        return activate$${id}(params$${id}, instance$${id});
      };`)(node,implementationType,resolveActivations,isPromise)}function buildResolveMany(node){let id=getGeneratedResolverId().toString(),argumentsCount=node.classMetadata.constructorArguments.
length+node.classMetadata.properties.size,argumentIndexes=Array.from({length:argumentsCount},(_,index)=>index),valueConcatenation=argumentIndexes.
map(index=>`value$${index.toString()}`).join(", "),resolvedValueConcatenation=argumentIndexes.map(index=>`resolvedValue$${index.
toString()}`).join(", "),parametersConcatenation=[valueConcatenation,`build$${id}`].filter(value=>value.length>0).join("\
, "),isPromiseChecks=argumentIndexes.map(index=>`isPromise$${id}(value$${index.toString()})`).join(" || ")||"false";return new Function(
`isPromise$${id}`,`return function resolveMany$${id}(${parametersConcatenation}) {
  if (${isPromiseChecks}) {
    return Promise.all([${valueConcatenation}]).then(
      function ([${resolvedValueConcatenation}]) {
        return build$${id}(${resolvedValueConcatenation});
      },
    );
  }

  return build$${id}(${valueConcatenation});
};`)(isPromise)}function buildZeroConstructorArgumentsResolverJit(implementationType,resolveActivations){let id=getGeneratedResolverId().
toString();return resolveActivations===void 0?new Function(`ctor$${id}`,`return function resolveNode$${id}(params$${id})\
 {
        return new ctor$${id}();
      };`)(implementationType):new Function(`ctor$${id}`,`activate$${id}`,`return function resolveNode$${id}(params$${id}\
) {
        return activate$${id}(params$${id}, new ctor$${id}());
      };`)(implementationType,resolveActivations)}var ZERO_CONSTRUCTOR_ARGUMENTS2=0,ONE_CONSTRUCTOR_ARGUMENT2=1,TWO_CONSTRUCTOR_ARGUMENTS2=2,THREE_CONSTRUCTOR_ARGUMENTS2=3,
FOUR_CONSTRUCTOR_ARGUMENTS2=4;function buildNoActivationsInstanceBindingNodeResolverJit(node,areServiceActivations){let implementationType=node.
binding.implementationType,serviceIdentifier=node.binding.serviceIdentifier,resolveActivations=areServiceActivations?resolveServiceActivations(
serviceIdentifier):void 0,resolveNode;switch(node.classMetadata.constructorArguments.length+node.classMetadata.properties.
size){case ZERO_CONSTRUCTOR_ARGUMENTS2:resolveNode=buildZeroConstructorArgumentsResolverJit(implementationType,resolveActivations);
break;case ONE_CONSTRUCTOR_ARGUMENT2:resolveNode=node.classMetadata.properties.size===0?buildOneConstructorArgumentResolverJit(
node,implementationType,resolveActivations):buildOnePropertyArgumentResolverJit(node,implementationType,resolveActivations);
break;case TWO_CONSTRUCTOR_ARGUMENTS2:resolveNode=buildConstructorArgumentsResolverJit(node,implementationType,resolveTwo,
resolveActivations);break;case THREE_CONSTRUCTOR_ARGUMENTS2:resolveNode=buildConstructorArgumentsResolverJit(node,implementationType,
resolveThree,resolveActivations);break;case FOUR_CONSTRUCTOR_ARGUMENTS2:resolveNode=buildConstructorArgumentsResolverJit(
node,implementationType,resolveFour,resolveActivations);break;default:resolveNode=buildConstructorArgumentsResolverJit(node,
implementationType,buildResolveMany(node),resolveActivations)}return resolveScopedWithNoActivations(node.binding,resolveNode)}var resolveInstanceBindingNode2=resolveInstanceBindingNode(resolveInstanceBindingConstructorParams,resolveInstanceBindingNodeAsyncFromConstructorParams,
resolveInstanceBindingNodeFromConstructorParams),resolveScopedInstanceBindingNode=node=>resolveScoped(node,resolveInstanceBindingNode2),
InstanceBindingNodeImplementation=class{binding;classMetadata;[isDynamicallyResolvableBindingNodeSymbol];constructorParams;propertyParams;resolve;#jitEnabled;#onResolverChangedHandlers;constructor(binding,classMetadata,params){
this.binding=binding,this.classMetadata=classMetadata,this[isDynamicallyResolvableBindingNodeSymbol]=!0,this.constructorParams=
[],this.propertyParams=new Map,this.#jitEnabled=params.jitEnabled;let areServiceActivations=params.operations.getActivations(
binding.serviceIdentifier)!==void 0;this.#onResolverChangedHandlers=void 0,this.resolve=this.#buildInstanceBindingNodeResolver(
areServiceActivations),!areServiceActivations&&this.#areNoBindingActivationsNorPostConstructsDefined()&&params.operations.
subscribeActivationAddedOnce(binding.serviceIdentifier,this)}onActivationAdded(){if(this.resolve=this.#buildInstanceBindingNodeResolver(
!0),this.#onResolverChangedHandlers!==void 0)for(let handler of this.#onResolverChangedHandlers)handler(this.resolve)}addOnResolverChangedHandler(callback){
this.#onResolverChangedHandlers===void 0&&(this.#onResolverChangedHandlers=[]),this.#onResolverChangedHandlers.push(callback)}#buildInstanceBindingNodeResolver(areServiceActivations){
return this.#areNoBindingActivationsNorPostConstructsDefined()?this.#jitEnabled&&this.binding.scope!==bindingScopeValues.
Singleton?buildNoActivationsInstanceBindingNodeResolverJit(this,areServiceActivations):buildNoActivationsInstanceBindingNodeResolver(
this,areServiceActivations):resolveScopedInstanceBindingNode(this)}#areNoBindingActivationsNorPostConstructsDefined(){return this.
classMetadata.lifecycle.postConstructMethodNames.size===0&&this.binding.onActivation===void 0}};var PlanServiceRedirectionBindingNodeImplementation=class{binding;#redirection;#resolve;constructor(binding){this.binding=
binding,this.#redirection=void 0,this.#resolve=void 0}get redirection(){return this.#redirection}set redirection(value){
this.#redirection=value,value.bindings===void 0?this.#resolve=()=>{}:Array.isArray(value.bindings)?this.#resolve=()=>{throw new InversifyCoreError(
InversifyCoreErrorKind.planning,"Unexpected resolver call for multiple bindings redirection")}:this.#resolve=params=>value.
bindings.resolve(params)}resolve(params){return this.#resolve(params)}};function resolveResolvedValueBindingParams(params,node){let paramsResolvedValues=[],promiseValueFound=!1;for(let param of node.
params){let resolvedValue=param.resolve(params);!promiseValueFound&&isPromise(resolvedValue)&&(promiseValueFound=!0),paramsResolvedValues.
push(resolvedValue)}return promiseValueFound?Promise.all(paramsResolvedValues):paramsResolvedValues}function resolveResolvedValueBindingNode(params,node){let paramValues=resolveResolvedValueBindingParams(params,node);return isPromise(
paramValues)?paramValues.then(resolvedParamValues=>node.binding.factory(...resolvedParamValues)):node.binding.factory(...paramValues)}function buildFourResolvedValueArgumentResolver(node,resolveActivations){return resolveActivations===void 0?function(params){
let resolvedValue0=node.params[0].resolve(params),resolvedValue1=node.params[1].resolve(params),resolvedValue2=node.params[2].
resolve(params),resolvedValue3=node.params[3].resolve(params);return resolveFour(resolvedValue0,resolvedValue1,resolvedValue2,
resolvedValue3,(resolvedValue02,resolvedValue12,resolvedValue22,resolvedValue32)=>node.binding.factory(resolvedValue02,resolvedValue12,
resolvedValue22,resolvedValue32))}:function(params){let resolvedValue0=node.params[0].resolve(params),resolvedValue1=node.
params[1].resolve(params),resolvedValue2=node.params[2].resolve(params),resolvedValue3=node.params[3].resolve(params);return resolveFour(
resolvedValue0,resolvedValue1,resolvedValue2,resolvedValue3,(resolvedValue02,resolvedValue12,resolvedValue22,resolvedValue32)=>resolveActivations(
params,node.binding.factory(resolvedValue02,resolvedValue12,resolvedValue22,resolvedValue32)))}}function buildOneResolvedValueArgumentResolver(node,resolveActivations){return resolveActivations===void 0?function(params){
let resolvedValue=node.params[0].resolve(params);return isPromise(resolvedValue)?resolvedValue.then(resolvedValue2=>node.
binding.factory(resolvedValue2)):node.binding.factory(resolvedValue)}:function(params){let resolvedValue=node.params[0].
resolve(params);return isPromise(resolvedValue)?resolvedValue.then(resolvedValue2=>resolveActivations(params,node.binding.
factory(resolvedValue2))):resolveActivations(params,node.binding.factory(resolvedValue))}}function buildThreeResolvedValueArgumentResolver(node,resolveActivations){return resolveActivations===void 0?function(params){
let resolvedValue0=node.params[0].resolve(params),resolvedValue1=node.params[1].resolve(params),resolvedValue2=node.params[2].
resolve(params);return resolveThree(resolvedValue0,resolvedValue1,resolvedValue2,(resolvedValue02,resolvedValue12,resolvedValue22)=>node.
binding.factory(resolvedValue02,resolvedValue12,resolvedValue22))}:function(params){let resolvedValue0=node.params[0].resolve(
params),resolvedValue1=node.params[1].resolve(params),resolvedValue2=node.params[2].resolve(params);return resolveThree(
resolvedValue0,resolvedValue1,resolvedValue2,(resolvedValue02,resolvedValue12,resolvedValue22)=>resolveActivations(params,
node.binding.factory(resolvedValue02,resolvedValue12,resolvedValue22)))}}function buildTwoResolvedValueArgumentResolver(node,resolveActivations){return resolveActivations===void 0?function(params){
let resolvedValue0=node.params[0].resolve(params),resolvedValue1=node.params[1].resolve(params);return resolveTwo(resolvedValue0,
resolvedValue1,(resolvedValue02,resolvedValue12)=>node.binding.factory(resolvedValue02,resolvedValue12))}:function(params){
let resolvedValue0=node.params[0].resolve(params),resolvedValue1=node.params[1].resolve(params);return resolveTwo(resolvedValue0,
resolvedValue1,(resolvedValue02,resolvedValue12)=>resolveActivations(params,node.binding.factory(resolvedValue02,resolvedValue12)))}}function buildZeroResolvedValueArgumentsResolver(node,resolveActivations){return resolveActivations===void 0?function(_params){
return node.binding.factory()}:function(params){return resolveActivations(params,node.binding.factory())}}var ZERO_PARAMS=0,ONE_PARAM=1,TWO_PARAMS3=2,THREE_PARAMS3=3,FOUR_PARAMS2=4;function buildNoActivationsResolvedValueBindingNodeResolver(node,areServiceActivations){
let serviceIdentifier=node.binding.serviceIdentifier,resolveActivations=areServiceActivations?resolveServiceActivations(
serviceIdentifier):void 0,resolveNode;switch(node.binding.metadata.arguments.length){case ZERO_PARAMS:resolveNode=buildZeroResolvedValueArgumentsResolver(
node,resolveActivations);break;case ONE_PARAM:resolveNode=buildOneResolvedValueArgumentResolver(node,resolveActivations);
break;case TWO_PARAMS3:resolveNode=buildTwoResolvedValueArgumentResolver(node,resolveActivations);break;case THREE_PARAMS3:
resolveNode=buildThreeResolvedValueArgumentResolver(node,resolveActivations);break;case FOUR_PARAMS2:resolveNode=buildFourResolvedValueArgumentResolver(
node,resolveActivations);break;default:resolveNode=resolveActivations===void 0?params=>resolveResolvedValueBindingNode(params,
node):params=>resolveActivations(params,resolveResolvedValueBindingNode(params,node))}return resolveScopedWithNoActivations(
node.binding,resolveNode)}function buildOneResolvedValueArgumentResolverJit(node,resolveActivations){let id=getGeneratedResolverId().toString();return resolveActivations===
void 0?new Function(`node$${id}`,`isPromise$${id}`,`return function resolveNode$${id}(params$${id}) {
      const resolvedValue$${id} = node$${id}.params[0].resolve(params$${id});

      if (isPromise$${id}(resolvedValue$${id})) {
        return resolvedValue$${id}.then(function (resolvedValue$${id}) {
          return node$${id}.binding.factory(resolvedValue$${id});
        });
      }

      return node$${id}.binding.factory(resolvedValue$${id});
    };`)(node,isPromise):new Function(`node$${id}`,`activate$${id}`,`isPromise$${id}`,`return function resolveNode$${id}\
(params$${id}) {
      const resolvedValue$${id} = node$${id}.params[0].resolve(params$${id});

      if (isPromise$${id}(resolvedValue$${id})) {
        return resolvedValue$${id}.then(function (resolvedValue$${id}) {
          return activate$${id}(params$${id}, node$${id}.binding.factory(resolvedValue$${id}));
        });
      }

      return activate$${id}(params$${id}, node$${id}.binding.factory(resolvedValue$${id}));
    };`)(node,resolveActivations,isPromise)}function buildResolvedValueArgumentsResolverJit(node,resolveAsyncValues,resolveActivations){let id=getGeneratedResolverId().
toString(),argumentIndexes=Array.from({length:node.binding.metadata.arguments.length},(_,index)=>index),resolvedValueConcatenation=argumentIndexes.
map(index=>`value$${index.toString()}`).join(", "),resolvedValueDeclarations="";for(let index of argumentIndexes)resolvedValueDeclarations+=
`const value$${index.toString()} = node$${id}.params[${index.toString()}].resolve(params$${id});
`;return resolveActivations===void 0?new Function(`node$${id}`,`resolveAsyncValues$${id}`,`return function resolveNode$${id}\
(params$${id}) {
  ${resolvedValueDeclarations}

  return resolveAsyncValues$${id}(
    ${resolvedValueConcatenation},
    function (${resolvedValueConcatenation}) {
      return node$${id}.binding.factory(${resolvedValueConcatenation});
    },
  );
}`)(node,resolveAsyncValues):new Function(`node$${id}`,`activate$${id}`,`resolveAsyncValues$${id}`,`return function reso\
lveNode$${id}(params$${id}) {
  ${resolvedValueDeclarations}

  return resolveAsyncValues$${id}(
    ${resolvedValueConcatenation},
    function (${resolvedValueConcatenation}) {
      return activate$${id}(
        params$${id},
        node$${id}.binding.factory(${resolvedValueConcatenation}),
      );
    },
  );
}`)(node,resolveActivations,resolveAsyncValues)}function buildZeroResolvedValueArgumentsResolverJit(node,resolveActivations){let id=getGeneratedResolverId().toString();
return resolveActivations===void 0?new Function(`node$${id}`,`return function resolveNode$${id}(params$${id}) {
      return node$${id}.binding.factory();
    };`)(node):new Function(`node$${id}`,`activate$${id}`,`return function resolveNode$${id}(params$${id}) {
      return activate$${id}(params$${id}, node$${id}.binding.factory());
    };`)(node,resolveActivations)}var ZERO_PARAMS2=0,ONE_PARAM2=1,TWO_PARAMS4=2,THREE_PARAMS4=3,FOUR_PARAMS3=4;function buildNoActivationsResolvedValueBindingNodeResolverJit(node,areServiceActivations){
let serviceIdentifier=node.binding.serviceIdentifier,resolveActivations=areServiceActivations?resolveServiceActivations(
serviceIdentifier):void 0,resolveNode;switch(node.binding.metadata.arguments.length){case ZERO_PARAMS2:resolveNode=buildZeroResolvedValueArgumentsResolverJit(
node,resolveActivations);break;case ONE_PARAM2:resolveNode=buildOneResolvedValueArgumentResolverJit(node,resolveActivations);
break;case TWO_PARAMS4:resolveNode=buildResolvedValueArgumentsResolverJit(node,resolveTwo,resolveActivations);break;case THREE_PARAMS4:
resolveNode=buildResolvedValueArgumentsResolverJit(node,resolveThree,resolveActivations);break;case FOUR_PARAMS3:resolveNode=
buildResolvedValueArgumentsResolverJit(node,resolveFour,resolveActivations);break;default:resolveNode=buildResolvedValueArgumentsResolverJit(
node,resolveMany,resolveActivations)}return resolveScopedWithNoActivations(node.binding,resolveNode)}var resolveScopedResolvedValueBindingNode=node=>resolveScoped(node,resolveResolvedValueBindingNode),ResolvedValueBindingNodeImplementation=class{binding;[isDynamicallyResolvableBindingNodeSymbol];params;resolve;#jitEnabled;#onResolverChangedHandlers;constructor(binding,params){
this.binding=binding,this[isDynamicallyResolvableBindingNodeSymbol]=!0,this.params=[],this.#jitEnabled=params.jitEnabled;
let areServiceActivations=params.operations.getActivations(binding.serviceIdentifier)!==void 0;this.#onResolverChangedHandlers=
void 0,this.resolve=this.#buildResolvedValueBindingNodeResolver(areServiceActivations),!areServiceActivations&&this.#areNoBindingActivationsDefined()&&
params.operations.subscribeActivationAddedOnce(binding.serviceIdentifier,this)}onActivationAdded(){if(this.resolve=this.#buildResolvedValueBindingNodeResolver(
!0),this.#onResolverChangedHandlers!==void 0)for(let handler of this.#onResolverChangedHandlers)handler(this.resolve)}addOnResolverChangedHandler(callback){
this.#onResolverChangedHandlers===void 0&&(this.#onResolverChangedHandlers=[]),this.#onResolverChangedHandlers.push(callback)}#buildResolvedValueBindingNodeResolver(areServiceActivations){
return this.#areNoBindingActivationsDefined()?this.#jitEnabled&&this.binding.scope!==bindingScopeValues.Singleton?buildNoActivationsResolvedValueBindingNodeResolverJit(
this,areServiceActivations):buildNoActivationsResolvedValueBindingNodeResolver(this,areServiceActivations):resolveScopedResolvedValueBindingNode(
this)}#areNoBindingActivationsDefined(){return this.binding.onActivation===void 0}};function curryBuildServiceNodeBindings(subplan3){let buildInstancePlanBindingNode=curryBuildInstancePlanBindingNode(subplan3),
buildResolvedValuePlanBindingNode=curryBuildResolvedValuePlanBindingNode(subplan3),buildServiceNodeBindings3=(params,bindingConstraintsList,serviceBindings,parentNode,buildServiceNodeOptions)=>{
let serviceIdentifier=isPlanServiceRedirectionBindingNode(parentNode)?parentNode.binding.targetServiceIdentifier:parentNode.
serviceIdentifier;params.servicesBranch.push(serviceIdentifier);let planBindingNodes=[];for(let binding of serviceBindings){
if(binding.type===bindingTypeValues.Factory){planBindingNodes.push(new FactoryBindingNodeImplementation(binding));continue}
switch(binding.type){case bindingTypeValues.ConstantValue:{planBindingNodes.push(new ConstantValueBindingNode(binding));
break}case bindingTypeValues.DynamicValue:{planBindingNodes.push(new DynamicValueBindingNode(binding,params));break}case bindingTypeValues.
Instance:{planBindingNodes.push(buildInstancePlanBindingNode(params,binding,bindingConstraintsList));break}case bindingTypeValues.
ResolvedValue:{planBindingNodes.push(buildResolvedValuePlanBindingNode(params,binding,bindingConstraintsList));break}case bindingTypeValues.
ServiceRedirection:{let planBindingNode=buildServiceRedirectionPlanBindingNode(params,bindingConstraintsList,binding,buildServiceNodeOptions);
planBindingNodes.push(planBindingNode);break}}}return params.servicesBranch.pop(),planBindingNodes},buildServiceRedirectionPlanBindingNode=curryBuildServiceRedirectionPlanBindingNode(
subplan3);return buildServiceNodeBindings3}function curryBuildInstancePlanBindingNode(subplan3){return(params,binding,bindingConstraintsList)=>{
let classMetadata=params.operations.getClassMetadata(binding.implementationType),childNode=new InstanceBindingNodeImplementation(
binding,classMetadata,params),subplanParams={autobindOptions:params.autobindOptions,jitEnabled:params.jitEnabled,node:childNode,
operations:params.operations,servicesBranch:params.servicesBranch};return subplan3(subplanParams,bindingConstraintsList)}}
function curryBuildResolvedValuePlanBindingNode(subplan3){return(params,binding,bindingConstraintsList)=>{let childNode=new ResolvedValueBindingNodeImplementation(
binding,params),subplanParams={autobindOptions:params.autobindOptions,jitEnabled:params.jitEnabled,node:childNode,operations:params.
operations,servicesBranch:params.servicesBranch};return subplan3(subplanParams,bindingConstraintsList)}}function curryBuildServiceRedirectionPlanBindingNode(subplan3){
return(params,bindingConstraintsList,binding,buildServiceNodeOptions)=>{let childNode=new PlanServiceRedirectionBindingNodeImplementation(
binding),subplanParams={autobindOptions:params.autobindOptions,buildServiceNodeOptions:{...buildServiceNodeOptions,serviceIdentifier:binding.
targetServiceIdentifier},jitEnabled:params.jitEnabled,node:childNode,operations:params.operations,servicesBranch:params.
servicesBranch};return subplan3(subplanParams,bindingConstraintsList)}}function buildBuildServiceNodeOptionsFromClassElementMetadata(elementMetadata){let serviceIdentifier=LazyServiceIdentifier.
is(elementMetadata.value)?elementMetadata.value.unwrap():elementMetadata.value;return elementMetadata.kind===ClassElementMetadataKind.
multipleInjection?{chained:elementMetadata.chained,isMultiple:!0,name:elementMetadata.name,optional:elementMetadata.optional,
serviceIdentifier,tags:elementMetadata.tags}:{isMultiple:!1,name:elementMetadata.name,optional:elementMetadata.optional,
serviceIdentifier,tags:elementMetadata.tags}}function buildBuildServiceNodeOptionsFromResolvedValueElementMetadata(elementMetadata){let serviceIdentifier=LazyServiceIdentifier.
is(elementMetadata.value)?elementMetadata.value.unwrap():elementMetadata.value;return elementMetadata.kind===ResolvedValueElementMetadataKind.
multipleInjection?{chained:elementMetadata.chained,isMultiple:!0,name:elementMetadata.name,optional:elementMetadata.optional,
serviceIdentifier,tags:elementMetadata.tags}:{isMultiple:!1,name:elementMetadata.name,optional:elementMetadata.optional,
serviceIdentifier,tags:elementMetadata.tags}}var CONSTRUCTOR_NO_PARAM_NODE={isNoParam:!0,resolve:()=>{}};function buildConstructorNoParamNode(){return CONSTRUCTOR_NO_PARAM_NODE}function isInstanceBindingNode(node){return node.binding.type===bindingTypeValues.Instance}function tryBuildGetPlanOptionsFromBuildServiceNodeOptions(options){let tag;if(options.tags.size===0)tag=void 0;else if(options.
tags.size===1){let[key,value]=options.tags.entries().next().value;tag={key,value}}else return;let serviceIdentifier=LazyServiceIdentifier.
is(options.serviceIdentifier)?options.serviceIdentifier.unwrap():options.serviceIdentifier;return options.isMultiple?{chained:options.
chained,isMultiple:!0,name:options.name,optional:options.optional,serviceIdentifier,tag}:{isMultiple:!1,name:options.name,
optional:options.optional,serviceIdentifier,tag}}function tryBuildGetPlanOptionsFromManagedClassElementMetadata(elementMetadata){let tag;if(elementMetadata.tags.size===0)
tag=void 0;else if(elementMetadata.tags.size===1){let[key,value]=elementMetadata.tags.entries().next().value;tag={key,value}}else
return;let serviceIdentifier=LazyServiceIdentifier.is(elementMetadata.value)?elementMetadata.value.unwrap():elementMetadata.
value;return elementMetadata.kind===ClassElementMetadataKind.multipleInjection?{chained:elementMetadata.chained,isMultiple:!0,
name:elementMetadata.name,optional:elementMetadata.optional,serviceIdentifier,tag}:{isMultiple:!1,name:elementMetadata.name,
optional:elementMetadata.optional,serviceIdentifier,tag}}function tryBuildGetPlanOptionsFromResolvedValueElementMetadata(resolvedValueElementMetadata){let tag;if(resolvedValueElementMetadata.
tags.size===0)tag=void 0;else if(resolvedValueElementMetadata.tags.size===1){let[key,value]=resolvedValueElementMetadata.
tags.entries().next().value;tag={key,value}}else return;let serviceIdentifier=LazyServiceIdentifier.is(resolvedValueElementMetadata.
value)?resolvedValueElementMetadata.value.unwrap():resolvedValueElementMetadata.value;return resolvedValueElementMetadata.
kind===ResolvedValueElementMetadataKind.multipleInjection?{chained:resolvedValueElementMetadata.chained,isMultiple:!0,name:resolvedValueElementMetadata.
name,optional:resolvedValueElementMetadata.optional,serviceIdentifier,tag}:{isMultiple:!1,name:resolvedValueElementMetadata.
name,optional:resolvedValueElementMetadata.optional,serviceIdentifier,tag}}function cacheNonRootPlanServiceNode(getPlanOptions,operations,planServiceNode,context){if(getPlanOptions!==void 0&&(LazyPlanServiceNode.
is(planServiceNode)&&!planServiceNode.isExpanded()||planServiceNode.isContextFree)){let planResult={tree:{root:planServiceNode}};
operations.setPlan(getPlanOptions,planResult)}else operations.setNonCachedServiceNode(planServiceNode,context)}var MAX_PLAN_DEPTH=500,LazySubPlanServiceNode=class extends LazyPlanServiceNode{#params;#buildLazyPlanServiceNodeFromOptions;#bindingConstraintsList;#options;constructor(params,buildLazyPlanServiceNodeFromOptions,bindingConstraintsList,options,serviceNode){
super(serviceNode,options.serviceIdentifier),this.#buildLazyPlanServiceNodeFromOptions=buildLazyPlanServiceNodeFromOptions,
this.#params=params,this.#bindingConstraintsList=bindingConstraintsList,this.#options=options}_buildPlanServiceNode(){return this.#buildLazyPlanServiceNodeFromOptions(
this.#params,this.#bindingConstraintsList,this.#options)}};function currySubplan(buildLazyPlanServiceNodeFromOptions,buildPlanServiceNodeFromOptions2){
let subplanInstanceBindingNode=currySubplanInstanceBindingNode(buildLazyPlanServiceNodeFromOptions,buildPlanServiceNodeFromOptions2),
subplanRedirectionBindingNode=currySubplanRedirectionBindingNode(buildLazyPlanServiceNodeFromOptions,buildPlanServiceNodeFromOptions2),
subplanResolvedValueBindingNode=currySubplanResolvedValueBindingNode(buildLazyPlanServiceNodeFromOptions,buildPlanServiceNodeFromOptions2);
return(params,bindingConstraintsList)=>isInstanceBindingNode(params.node)?subplanInstanceBindingNode(params,params.node,
bindingConstraintsList):isPlanServiceRedirectionBindingNode(params.node)?subplanRedirectionBindingNode(params,params.node,
bindingConstraintsList):subplanResolvedValueBindingNode(params,params.node,bindingConstraintsList)}function currySubplanInstanceBindingNode(buildLazyPlanServiceNodeFromOptions,buildPlanServiceNodeFromOptions2){
let handlePlanServiceNodeBuildFromClassElementMetadata=curryHandlePlanServiceNodeBuildFromClassElementMetadata(buildLazyPlanServiceNodeFromOptions,
buildPlanServiceNodeFromOptions2);return(params,node,bindingConstraintsList)=>{let classMetadata=node.classMetadata;for(let[
index,elementMetadata]of classMetadata.constructorArguments.entries())node.constructorParams[index]=handlePlanServiceNodeBuildFromClassElementMetadata(
params,bindingConstraintsList,elementMetadata)??buildConstructorNoParamNode();for(let[propertyKey,elementMetadata]of classMetadata.
properties){let planServiceNode=handlePlanServiceNodeBuildFromClassElementMetadata(params,bindingConstraintsList,elementMetadata);
planServiceNode!==void 0&&node.propertyParams.set(propertyKey,planServiceNode)}return params.node}}function currySubplanRedirectionBindingNode(buildLazyPlanServiceNodeFromOptions,buildPlanServiceNodeFromOptions2){
let handlePlanServiceNodeBuildFromRedirectionSubplanParams=curryHandlePlanServiceNodeBuildFromRedirectionSubplanParams(buildLazyPlanServiceNodeFromOptions,
buildPlanServiceNodeFromOptions2);return(params,node,bindingConstraintsList)=>{let redirectionSubplanParams={autobindOptions:params.
autobindOptions,buildServiceNodeOptions:params.buildServiceNodeOptions,jitEnabled:params.jitEnabled,node,operations:params.
operations,servicesBranch:params.servicesBranch};return node.redirection=handlePlanServiceNodeBuildFromRedirectionSubplanParams(
redirectionSubplanParams,bindingConstraintsList),node}}function currySubplanResolvedValueBindingNode(buildLazyPlanServiceNodeFromOptions,buildPlanServiceNodeFromOptions2){
let handlePlanServiceNodeBuildFromResolvedValueElementMetadata=curryHandlePlanServiceNodeBuildFromResolvedValueElementMetadata(
buildLazyPlanServiceNodeFromOptions,buildPlanServiceNodeFromOptions2);return(params,node,bindingConstraintsList)=>{let resolvedValueMetadata=node.
binding.metadata;for(let[index,elementMetadata]of resolvedValueMetadata.arguments.entries())node.params[index]=handlePlanServiceNodeBuildFromResolvedValueElementMetadata(
params,bindingConstraintsList,elementMetadata);return params.node}}function curryHandlePlanServiceNodeBuildFromClassElementMetadata(buildLazyPlanServiceNodeFromOptions,buildPlanServiceNodeFromOptions2){
return(params,bindingConstraintsList,elementMetadata)=>{if(elementMetadata.kind===ClassElementMetadataKind.unmanaged)return;
if(bindingConstraintsList.length>MAX_PLAN_DEPTH)throw new InversifyCoreError(InversifyCoreErrorKind.planningMaxDepthExceeded,
"Maximum plan depth exceeded. This is likely caused by a circular dependency.");let getPlanOptions=tryBuildGetPlanOptionsFromManagedClassElementMetadata(
elementMetadata);if(getPlanOptions!==void 0){let planResult=params.operations.getPlan(getPlanOptions);if(planResult!==void 0&&
planResult.tree.root.isContextFree)return planResult.tree.root}let options=buildBuildServiceNodeOptionsFromClassElementMetadata(
elementMetadata),serviceNode=buildPlanServiceNodeFromOptions2(params,bindingConstraintsList,options),lazyPlanServiceNode=new LazySubPlanServiceNode(
params,buildLazyPlanServiceNodeFromOptions,bindingConstraintsList,options,serviceNode);return cacheNonRootPlanServiceNode(
getPlanOptions,params.operations,lazyPlanServiceNode,{bindingConstraintsList,buildServiceNodeOptions:options}),lazyPlanServiceNode}}
function curryHandlePlanServiceNodeBuildFromRedirectionSubplanParams(buildLazyPlanServiceNodeFromOptions,buildPlanServiceNodeFromOptions2){
return(params,bindingConstraintsList)=>{let getPlanOptions=tryBuildGetPlanOptionsFromBuildServiceNodeOptions(params.buildServiceNodeOptions);
if(getPlanOptions!==void 0){let planResult=params.operations.getPlan(getPlanOptions);if(planResult!==void 0&&planResult.
tree.root.isContextFree)return planResult.tree.root}let options=params.buildServiceNodeOptions,serviceNode=buildPlanServiceNodeFromOptions2(
params,bindingConstraintsList,options),lazyPlanServiceNode=new LazySubPlanServiceNode(params,buildLazyPlanServiceNodeFromOptions,
bindingConstraintsList,options,serviceNode);return cacheNonRootPlanServiceNode(getPlanOptions,params.operations,lazyPlanServiceNode,
{bindingConstraintsList,buildServiceNodeOptions:options}),lazyPlanServiceNode}}function curryHandlePlanServiceNodeBuildFromResolvedValueElementMetadata(buildLazyPlanServiceNodeFromOptions,buildPlanServiceNodeFromOptions2){
return(params,bindingConstraintsList,elementMetadata)=>{if(bindingConstraintsList.length>MAX_PLAN_DEPTH)throw new InversifyCoreError(
InversifyCoreErrorKind.planningMaxDepthExceeded,"Maximum plan depth exceeded. This is likely caused by a circular depend\
ency.");let getPlanOptions=tryBuildGetPlanOptionsFromResolvedValueElementMetadata(elementMetadata);if(getPlanOptions!==void 0){
let planResult=params.operations.getPlan(getPlanOptions);if(planResult!==void 0&&planResult.tree.root.isContextFree)return planResult.
tree.root}let options=buildBuildServiceNodeOptionsFromResolvedValueElementMetadata(elementMetadata),serviceNode=buildPlanServiceNodeFromOptions2(
params,bindingConstraintsList,options),lazyPlanServiceNode=new LazySubPlanServiceNode(params,buildLazyPlanServiceNodeFromOptions,
bindingConstraintsList,options,serviceNode);return cacheNonRootPlanServiceNode(getPlanOptions,params.operations,lazyPlanServiceNode,
{bindingConstraintsList,buildServiceNodeOptions:options}),lazyPlanServiceNode}}var LazyRootPlanServiceNode=class extends LazyPlanServiceNode{#params;constructor(params,serviceNode){super(serviceNode,
serviceNode.serviceIdentifier),this.#params=params}_buildPlanServiceNode(){return buildPlanServiceNode(this.#params)}},buildPlanServiceNodeFromOptions=curryBuildPlanServiceNodeFromOptions(
circularBuildServiceNodeBindings),subplan=currySubplan(buildPlanServiceNodeFromOptions,buildPlanServiceNodeFromOptions),
buildServiceNodeBindings=curryBuildServiceNodeBindings(subplan);function circularBuildServiceNodeBindings(params,bindingConstraintsList,serviceBindings,parentNode,buildServiceNodeOptions){
return buildServiceNodeBindings(params,bindingConstraintsList,serviceBindings,parentNode,buildServiceNodeOptions)}var buildPlanServiceNode=curryBuildPlanServiceNode(
buildServiceNodeBindings);function plan(params){try{let getPlanOptions=buildGetPlanOptionsFromPlanParams(params),planResultFromCache=params.
operations.getPlan(getPlanOptions);if(planResultFromCache!==void 0)return planResultFromCache;let serviceNode=buildPlanServiceNode(
params),planResult={tree:{root:new LazyRootPlanServiceNode(params,serviceNode)}};return params.operations.setPlan(getPlanOptions,
planResult),planResult}catch(error){handlePlanError(params,error)}}function isConstructorNoParamNode(value){return value.isNoParam===!0}var CacheBindingInvalidationKind;(function(CacheBindingInvalidationKind2){CacheBindingInvalidationKind2.bindingAdded="bi\
ndingAdded",CacheBindingInvalidationKind2.bindingRemoved="bindingRemoved"})(CacheBindingInvalidationKind||(CacheBindingInvalidationKind=
{}));function curryLazyBuildPlanServiceNodeFromOptions(buildServiceNodeBindings3){let buildPlanServiceNodeFromOptions2=curryBuildPlanServiceNodeFromOptions(
buildServiceNodeBindings3);return(params,bindingConstraintsList,options)=>{try{return buildPlanServiceNodeFromOptions2(params,
bindingConstraintsList,options)}catch(error){if(InversifyCoreError.isErrorOfKind(error,InversifyCoreErrorKind.planning))
return;throw error}}}var subplan2=currySubplan(buildPlanServiceNodeFromOptions,circularLazyBuildPlanServiceNodeFromOptions),buildServiceNodeBindings2=curryBuildServiceNodeBindings(
subplan2),lazyBuildPlanServiceNodeFromOptions=curryLazyBuildPlanServiceNodeFromOptions(buildServiceNodeBindings2);function circularLazyBuildPlanServiceNodeFromOptions(params,bindingConstraintsList,options){
return lazyBuildPlanServiceNodeFromOptions(params,bindingConstraintsList,options)}function addServiceNodeBindingIfContextFree(params,serviceNode,binding,bindingConstraintsList,buildServiceNodeOptions){
if(LazyPlanServiceNode.is(serviceNode)&&!serviceNode.isExpanded())return{isContextFreeBinding:!0,shouldInvalidateServiceNode:!1};
let bindingConstraints=new BindingConstraintsImplementation(bindingConstraintsList.last);return!binding.isSatisfiedBy(bindingConstraints)||
bindingConstraintsList.last.elem.getAncestorsCalled?{isContextFreeBinding:!bindingConstraintsList.last.elem.getAncestorsCalled,
shouldInvalidateServiceNode:!1}:addServiceNodeSatisfiedBindingIfContextFree(params,serviceNode,binding,bindingConstraintsList,
buildServiceNodeOptions)}function addServiceNodeSatisfiedBindingIfContextFree(params,serviceNode,binding,bindingConstraintsList,buildServiceNodeOptions){
let serviceNodeBinding;try{[serviceNodeBinding]=buildServiceNodeBindings2(params,bindingConstraintsList,[binding],serviceNode,
buildServiceNodeOptions)}catch(error){if(isStackOverflowError(error)||InversifyCoreError.isErrorOfKind(error,InversifyCoreErrorKind.
planningMaxDepthExceeded))return{isContextFreeBinding:!1,shouldInvalidateServiceNode:!0};throw error}return addServiceNodeBindingNodeIfContextFree(
serviceNode,serviceNodeBinding)}function addServiceNodeBindingNodeIfContextFree(serviceNode,serviceNodeBinding){if(Array.
isArray(serviceNode.bindings))serviceNode.bindings.push(serviceNodeBinding);else if(serviceNode.bindings===void 0)serviceNode.
bindings=serviceNodeBinding;else{if(!LazyPlanServiceNode.is(serviceNode))throw new InversifyCoreError(InversifyCoreErrorKind.
planning,"Unexpected non-lazy plan service node. This is likely a bug in the planning logic. Please, report this issue");
return{isContextFreeBinding:!0,shouldInvalidateServiceNode:!0}}return{isContextFreeBinding:!0,shouldInvalidateServiceNode:!1}}function addRootServiceNodeBindingIfContextFree(params,serviceNode,binding){if(LazyPlanServiceNode.is(serviceNode)&&!serviceNode.
isExpanded())return{isContextFreeBinding:!0,shouldInvalidateServiceNode:!1};let bindingConstraintsList=buildPlanBindingConstraintsList(
params);return addServiceNodeBindingIfContextFree(params,serviceNode,binding,bindingConstraintsList,buildBuildServiceNodeOptionsFromPlanParamsConstraints(
params.rootConstraints))}function removeServiceNodeBindingIfContextFree(serviceNode,binding,bindingConstraintsList,optionalBindings){if(LazyPlanServiceNode.
is(serviceNode)&&!serviceNode.isExpanded())return{bindingNodeRemoved:void 0,isContextFreeBinding:!0};let bindingConstraints=new BindingConstraintsImplementation(
bindingConstraintsList.last);if(!binding.isSatisfiedBy(bindingConstraints)||bindingConstraintsList.last.elem.getAncestorsCalled)
return{bindingNodeRemoved:void 0,isContextFreeBinding:!bindingConstraintsList.last.elem.getAncestorsCalled};let bindingNodeRemoved;
if(Array.isArray(serviceNode.bindings))serviceNode.bindings=serviceNode.bindings.filter(bindingNode=>bindingNode.binding===
binding?(bindingNodeRemoved=bindingNode,!1):!0);else if(serviceNode.bindings?.binding===binding)if(bindingNodeRemoved=serviceNode.
bindings,optionalBindings)serviceNode.bindings=void 0;else{if(!LazyPlanServiceNode.is(serviceNode))throw new InversifyCoreError(
InversifyCoreErrorKind.planning,"Unexpected non-lazy plan service node. This is likely a bug in the planning logic. Plea\
se, report this issue");serviceNode.invalidate()}return{bindingNodeRemoved,isContextFreeBinding:!0}}function removeRootServiceNodeBindingIfContextFree(params,serviceNode,binding){if(LazyPlanServiceNode.is(serviceNode)&&!serviceNode.
isExpanded())return{bindingNodeRemoved:void 0,isContextFreeBinding:!0};let bindingConstraintsList=buildPlanBindingConstraintsList(
params);return removeServiceNodeBindingIfContextFree(serviceNode,binding,bindingConstraintsList,params.rootConstraints.isOptional??
!1)}var NO_OPTIONS_INDEX=0,CHAINED_MASK=4,IS_MULTIPLE_MASK=2,OPTIONAL_MASK=1,MAP_ARRAY_LENGTH=8,PlanResultCacheService=class{#jitEnabled;#serviceIdToNonCachedServiceNodeMapMap;#serviceIdToValuePlanMap;#namedServiceIdToValuePlanMap;#namedTaggedServiceIdToValuePlanMap;#taggedServiceIdToValuePlanMap;#subscribers;constructor(jitEnabled){
this.#jitEnabled=jitEnabled,this.#serviceIdToNonCachedServiceNodeMapMap=new Map,this.#serviceIdToValuePlanMap=this.#buildInitializedMapArray(),
this.#namedServiceIdToValuePlanMap=this.#buildInitializedMapArray(),this.#namedTaggedServiceIdToValuePlanMap=this.#buildInitializedMapArray(),
this.#taggedServiceIdToValuePlanMap=this.#buildInitializedMapArray(),this.#subscribers=new WeakList}clearCache(){for(let map of this.#getMaps())
map.clear();for(let subscriber of this.#subscribers)subscriber.clearCache()}getByServiceIdentifier(serviceIdentifier){return this.#serviceIdToValuePlanMap[NO_OPTIONS_INDEX].
get(serviceIdentifier)}get(options){return options.name===void 0?options.tag===void 0?this.#getMapFromMapArray(this.#serviceIdToValuePlanMap,
options).get(options.serviceIdentifier):this.#getMapFromMapArray(this.#taggedServiceIdToValuePlanMap,options).get(options.
serviceIdentifier)?.get(options.tag.key)?.get(options.tag.value):options.tag===void 0?this.#getMapFromMapArray(this.#namedServiceIdToValuePlanMap,
options).get(options.serviceIdentifier)?.get(options.name):this.#getMapFromMapArray(this.#namedTaggedServiceIdToValuePlanMap,
options).get(options.serviceIdentifier)?.get(options.name)?.get(options.tag.key)?.get(options.tag.value)}invalidateServiceBinding(invalidation){
this.#invalidateServiceMap(invalidation),this.#invalidateNamedServiceMap(invalidation),this.#invalidateNamedTaggedServiceMap(
invalidation),this.#invalidateTaggedServiceMap(invalidation),this.#invalidateNonCachedServiceNodeSetMap(invalidation);for(let subscriber of this.#subscribers)
subscriber.invalidateServiceBinding(invalidation)}set(options,planResult){options.name===void 0?options.tag===void 0?this.#getMapFromMapArray(
this.#serviceIdToValuePlanMap,options).set(options.serviceIdentifier,planResult):this.#getOrBuildMapValueFromMapMap(this.#getOrBuildMapValueFromMapMap(
this.#getMapFromMapArray(this.#taggedServiceIdToValuePlanMap,options),options.serviceIdentifier),options.tag.key).set(options.
tag.value,planResult):options.tag===void 0?this.#getOrBuildMapValueFromMapMap(this.#getMapFromMapArray(this.#namedServiceIdToValuePlanMap,
options),options.serviceIdentifier).set(options.name,planResult):this.#getOrBuildMapValueFromMapMap(this.#getOrBuildMapValueFromMapMap(
this.#getOrBuildMapValueFromMapMap(this.#getMapFromMapArray(this.#namedTaggedServiceIdToValuePlanMap,options),options.serviceIdentifier),
options.name),options.tag.key).set(options.tag.value,planResult)}setNonCachedServiceNode(node,context){let nonCachedMap=this.#serviceIdToNonCachedServiceNodeMapMap.
get(node.serviceIdentifier);nonCachedMap===void 0&&(nonCachedMap=new Map,this.#serviceIdToNonCachedServiceNodeMapMap.set(
node.serviceIdentifier,nonCachedMap)),nonCachedMap.set(node,context)}subscribe(subscriber){this.#subscribers.push(subscriber)}#buildInitializedMapArray(){
let mapArray=new Array(MAP_ARRAY_LENGTH);for(let i=0;i<mapArray.length;++i)mapArray[i]=new Map;return mapArray}#buildUpdatePlanParams(invalidation,index,name,tag){
let isMultiple=(index&IS_MULTIPLE_MASK)!==0,planParamsConstraint;return isMultiple?planParamsConstraint={chained:(index&
IS_MULTIPLE_MASK&CHAINED_MASK)!==0,isMultiple,serviceIdentifier:invalidation.binding.serviceIdentifier}:planParamsConstraint=
{isMultiple,serviceIdentifier:invalidation.binding.serviceIdentifier},(index&OPTIONAL_MASK)!==0&&(planParamsConstraint.isOptional=
!0),name!==void 0&&(planParamsConstraint.name=name),tag!==void 0&&(planParamsConstraint.tag=tag),{autobindOptions:void 0,
jitEnabled:this.#jitEnabled,operations:invalidation.operations,rootConstraints:planParamsConstraint,servicesBranch:[]}}#getOrBuildMapValueFromMapMap(map,key){
let valueMap=map.get(key);return valueMap===void 0&&(valueMap=new Map,map.set(key,valueMap)),valueMap}#getMapFromMapArray(mapArray,options){
return mapArray[this.#getMapArrayIndex(options)]}#getMaps(){return[this.#serviceIdToNonCachedServiceNodeMapMap,...this.#serviceIdToValuePlanMap,
...this.#namedServiceIdToValuePlanMap,...this.#namedTaggedServiceIdToValuePlanMap,...this.#taggedServiceIdToValuePlanMap]}#getMapArrayIndex(options){
return options.isMultiple?(options.chained?CHAINED_MASK:0)|(options.optional?OPTIONAL_MASK:0)|IS_MULTIPLE_MASK:options.optional?
OPTIONAL_MASK:0}#invalidateNamedServiceMap(invalidation){for(let[index,map]of this.#namedServiceIdToValuePlanMap.entries()){
let servicePlans=map.get(invalidation.binding.serviceIdentifier);if(servicePlans!==void 0)for(let[name,servicePlan]of servicePlans.
entries())this.#updatePlan(invalidation,servicePlan,index,name,void 0)}}#invalidateNamedTaggedServiceMap(invalidation){for(let[
index,map]of this.#namedTaggedServiceIdToValuePlanMap.entries()){let servicePlanMapMapMap=map.get(invalidation.binding.serviceIdentifier);
if(servicePlanMapMapMap!==void 0)for(let[name,servicePlanMapMap]of servicePlanMapMapMap.entries())for(let[tag,servicePlanMap]of servicePlanMapMap.
entries())for(let[tagValue,servicePlan]of servicePlanMap.entries())this.#updatePlan(invalidation,servicePlan,index,name,
{key:tag,value:tagValue})}}#invalidateNonCachePlanBindingNodeDescendents(planBindingNode){switch(planBindingNode.binding.
type){case bindingTypeValues.ServiceRedirection:this.#invalidateNonCachePlanServiceNode(planBindingNode.redirection);break;case bindingTypeValues.
Instance:for(let constructorParam of planBindingNode.constructorParams)isConstructorNoParamNode(constructorParam)||this.#invalidateNonCachePlanServiceNode(
constructorParam);for(let propertyParam of planBindingNode.propertyParams.values())this.#invalidateNonCachePlanServiceNode(
propertyParam);break;case bindingTypeValues.ResolvedValue:for(let resolvedValue of planBindingNode.params)this.#invalidateNonCachePlanServiceNode(
resolvedValue);break;default:}}#invalidateNonCachePlanServiceNode(planServiceNode){let serviceNonCachedMap=this.#serviceIdToNonCachedServiceNodeMapMap.
get(planServiceNode.serviceIdentifier);serviceNonCachedMap===void 0||!serviceNonCachedMap.has(planServiceNode)||(serviceNonCachedMap.
delete(planServiceNode),this.#invalidateNonCachePlanServiceNodeDescendents(planServiceNode))}#invalidateNonCachePlanServiceNodeDescendents(planServiceNode){
if(!(LazyPlanServiceNode.is(planServiceNode)&&!planServiceNode.isExpanded())&&planServiceNode.bindings!==void 0)if(Array.
isArray(planServiceNode.bindings))for(let binding of planServiceNode.bindings)this.#invalidateNonCachePlanBindingNodeDescendents(
binding);else this.#invalidateNonCachePlanBindingNodeDescendents(planServiceNode.bindings)}#invalidateNonCachedServiceNodeSetMap(invalidation){
let serviceNonCachedServiceNodeMap=this.#serviceIdToNonCachedServiceNodeMapMap.get(invalidation.binding.serviceIdentifier);
if(serviceNonCachedServiceNodeMap!==void 0)switch(invalidation.kind){case CacheBindingInvalidationKind.bindingAdded:for(let[
serviceNode,context]of serviceNonCachedServiceNodeMap){let result=addServiceNodeBindingIfContextFree({autobindOptions:void 0,
jitEnabled:this.#jitEnabled,operations:invalidation.operations,servicesBranch:[]},serviceNode,invalidation.binding,context.
bindingConstraintsList,context.buildServiceNodeOptions);result.isContextFreeBinding?result.shouldInvalidateServiceNode&&
LazyPlanServiceNode.is(serviceNode)&&(this.#invalidateNonCachePlanServiceNodeDescendents(serviceNode),serviceNode.invalidate()):
this.clearCache()}break;case CacheBindingInvalidationKind.bindingRemoved:for(let[serviceNode,context]of serviceNonCachedServiceNodeMap){
let result=removeServiceNodeBindingIfContextFree(serviceNode,invalidation.binding,context.bindingConstraintsList,context.
buildServiceNodeOptions.optional);result.isContextFreeBinding?result.bindingNodeRemoved!==void 0&&this.#invalidateNonCachePlanBindingNodeDescendents(
result.bindingNodeRemoved):this.clearCache()}break}}#invalidateServiceMap(invalidation){for(let[index,map]of this.#serviceIdToValuePlanMap.
entries()){let servicePlan=map.get(invalidation.binding.serviceIdentifier);this.#updatePlan(invalidation,servicePlan,index,
void 0,void 0)}}#invalidateTaggedServiceMap(invalidation){for(let[index,map]of this.#taggedServiceIdToValuePlanMap.entries()){
let servicePlanMapMap=map.get(invalidation.binding.serviceIdentifier);if(servicePlanMapMap!==void 0)for(let[tag,servicePlanMap]of servicePlanMapMap.
entries())for(let[tagValue,servicePlan]of servicePlanMap.entries())this.#updatePlan(invalidation,servicePlan,index,void 0,
{key:tag,value:tagValue})}}#updatePlan(invalidation,servicePlan,index,name,tag){if(servicePlan!==void 0&&LazyPlanServiceNode.
is(servicePlan.tree.root)){let planParams=this.#buildUpdatePlanParams(invalidation,index,name,tag);switch(invalidation.kind){case CacheBindingInvalidationKind.
bindingAdded:{let result=addRootServiceNodeBindingIfContextFree(planParams,servicePlan.tree.root,invalidation.binding);result.
isContextFreeBinding?result.shouldInvalidateServiceNode&&(this.#invalidateNonCachePlanServiceNodeDescendents(servicePlan.
tree.root),servicePlan.tree.root.invalidate()):this.clearCache()}break;case CacheBindingInvalidationKind.bindingRemoved:
{let result=removeRootServiceNodeBindingIfContextFree(planParams,servicePlan.tree.root,invalidation.binding);result.isContextFreeBinding?
result.bindingNodeRemoved!==void 0&&this.#invalidateNonCachePlanBindingNodeDescendents(result.bindingNodeRemoved):this.clearCache()}
break}}}};var INDEX_NOT_FOUND=-1;function handleResolveError(params,error){if(isStackOverflowError(error)||InversifyCoreError.isErrorOfKind(
error,InversifyCoreErrorKind.planningMaxDepthExceeded)){let stringifiedCircularDependencies=stringifyServiceIdentifierTrace2(
extractLikelyCircularDependency2(params));throw new InversifyCoreError(InversifyCoreErrorKind.planning,`Circular depende\
ncy found: ${stringifiedCircularDependencies}`,{cause:error})}throw error}function extractLikelyCircularDependency2(params){
let root=params.planResult.tree.root,stack=[];function depthFirstSearch(node){let existingIndex=stack.indexOf(node);if(existingIndex!==
INDEX_NOT_FOUND)return[...stack.slice(existingIndex),node].map(n=>n.serviceIdentifier);stack.push(node);try{for(let child of getChildServiceNodes(
node)){let result2=depthFirstSearch(child);if(result2!==void 0)return result2}}finally{stack.pop()}}return depthFirstSearch(
root)??[]}function getChildServiceNodes(serviceNode){let children=[],bindings=serviceNode.bindings;if(bindings===void 0)
return children;let processBindingNode=bindingNode=>{if(isPlanServiceRedirectionBindingNode(bindingNode)){children.push(
...getChildServiceNodes(bindingNode.redirection));return}switch(bindingNode.binding.type){case bindingTypeValues.Instance:{
let instanceNode=bindingNode;for(let ctorParam of instanceNode.constructorParams)isConstructorNoParamNode(ctorParam)||children.
push(ctorParam);for(let propParam of instanceNode.propertyParams.values())children.push(propParam);break}case bindingTypeValues.
ResolvedValue:{let resolvedValueNode=bindingNode;for(let param of resolvedValueNode.params)children.push(param);break}default:
break}};if(Array.isArray(bindings))for(let bindingNode of bindings)processBindingNode(bindingNode);else processBindingNode(
bindings);return children}function stringifyServiceIdentifierTrace2(serviceIdentifiers){let serviceIdentifiersArray=[...serviceIdentifiers];
return serviceIdentifiersArray.length===0?"(No dependency trace)":serviceIdentifiersArray.map(stringifyServiceIdentifier).
join(" -> ")}function resolve(params){try{return params.planResult.tree.root.resolve(params)}catch(error){handleResolveError(params,error)}}function isScopedBinding(binding){return binding.scope!==void 0}function resolveBindingPreDestroy(params,binding){if(binding.type===bindingTypeValues.Instance){let classMetadata=params.
getClassMetadata(binding.implementationType),instance=binding.cache.value;return isPromise(instance)?instance.then(instance2=>resolveInstancePreDestroyMethods(
classMetadata,instance2)):resolveInstancePreDestroyMethods(classMetadata,instance)}}function resolveInstancePreDestroyMethod(instance,methodName){
if(typeof instance[methodName]=="function")return instance[methodName]()}function resolveInstancePreDestroyMethods(classMetadata,instance){
let preDestroyMethodNames=classMetadata.lifecycle.preDestroyMethodNames;if(preDestroyMethodNames.size===0)return;let result;
for(let methodName of preDestroyMethodNames)result===void 0?result=resolveInstancePreDestroyMethod(instance,methodName):
result=result.then(()=>resolveInstancePreDestroyMethod(instance,methodName));return result}function resolveBindingServiceDeactivations(params,serviceIdentifier,value){let deactivations=params.getDeactivations(serviceIdentifier);
if(deactivations!==void 0)return isPromise(value)?resolveBindingDeactivationsFromIteratorAsync(value,deactivations[Symbol.
iterator]()):resolveBindingDeactivationsFromIterator(value,deactivations[Symbol.iterator]())}function resolveBindingDeactivationsFromIterator(value,deactivationsIterator){
let deactivationIteratorResult=deactivationsIterator.next();for(;deactivationIteratorResult.done!==!0;){let nextDeactivationValue=deactivationIteratorResult.
value(value);if(isPromise(nextDeactivationValue))return resolveBindingDeactivationsFromIteratorAsync(value,deactivationsIterator);
deactivationIteratorResult=deactivationsIterator.next()}}async function resolveBindingDeactivationsFromIteratorAsync(value,deactivationsIterator){
let resolvedValue=await value,deactivationIteratorResult=deactivationsIterator.next();for(;deactivationIteratorResult.done!==
!0;)await deactivationIteratorResult.value(resolvedValue),deactivationIteratorResult=deactivationsIterator.next()}function resolveBindingDeactivations(params,binding){let preDestroyResult=resolveBindingPreDestroy(params,binding);return preDestroyResult===
void 0?resolveBindingDeactivationsAfterPreDestroy(params,binding):preDestroyResult.then(()=>resolveBindingDeactivationsAfterPreDestroy(
params,binding))}function resolveBindingDeactivationsAfterPreDestroy(params,binding){let bindingCache=binding.cache;return isPromise(
bindingCache.value)?bindingCache.value.then(resolvedValue=>resolveBindingDeactivationsAfterPreDestroyFromValue(params,binding,
resolvedValue)):resolveBindingDeactivationsAfterPreDestroyFromValue(params,binding,bindingCache.value)}function resolveBindingDeactivationsAfterPreDestroyFromValue(params,binding,resolvedValue){
let deactivationResult;if(binding.onDeactivation!==void 0){let bindingDeactivation=binding.onDeactivation;deactivationResult=
bindingDeactivation(resolvedValue)}return deactivationResult===void 0?resolveBindingServiceDeactivations(params,binding.
serviceIdentifier,resolvedValue):deactivationResult.then(()=>resolveBindingServiceDeactivations(params,binding.serviceIdentifier,
resolvedValue))}function resolveBindingsDeactivations(params,bindings){if(bindings===void 0)return;let singletonScopedBindings=filterCachedSinglentonScopedBindings(
bindings),deactivationPromiseResults=[];for(let binding of singletonScopedBindings){let deactivationResult=resolveBindingDeactivations(
params,binding);deactivationResult!==void 0&&deactivationPromiseResults.push(deactivationResult)}if(deactivationPromiseResults.
length>0)return Promise.all(deactivationPromiseResults).then(()=>{})}function filterCachedSinglentonScopedBindings(bindings){
let filteredBindings=[];for(let binding of bindings)isScopedBinding(binding)&&binding.scope===bindingScopeValues.Singleton&&
binding.cache.isRight&&filteredBindings.push(binding);return filteredBindings}function resolveModuleDeactivations(params,moduleId){let bindings=params.getBindingsFromModule(moduleId);return resolveBindingsDeactivations(
params,bindings)}function resolveServiceDeactivations(params,serviceIdentifier){let bindings=params.getBindings(serviceIdentifier);return resolveBindingsDeactivations(
params,bindings)}var bindingIdentifierSymbol=Symbol.for("@inversifyjs/container/bindingIdentifier");function isBindingIdentifier(value){return typeof value=="object"&&value!==null&&value[bindingIdentifierSymbol]===!0}var BindingConstraintUtils=class{static always=_bindingConstraints=>!0};var isAppErrorSymbol2=Symbol.for("@inversifyjs/container/InversifyContainerError"),InversifyContainerError=class _InversifyContainerError extends Error{[isAppErrorSymbol2];kind;constructor(kind,message,options){
super(message,options),this[isAppErrorSymbol2]=!0,this.kind=kind}static is(value){return typeof value=="object"&&value!==
null&&value[isAppErrorSymbol2]===!0}static isErrorOfKind(value,kind){return _InversifyContainerError.is(value)&&value.kind===
kind}};var InversifyContainerErrorKind;(function(InversifyContainerErrorKind2){InversifyContainerErrorKind2[InversifyContainerErrorKind2.
invalidOperation=0]="invalidOperation"})(InversifyContainerErrorKind||(InversifyContainerErrorKind={}));function buildBindingIdentifier(binding){return{[bindingIdentifierSymbol]:!0,id:binding.id}}function isAnyAncestorBindingConstraints(condition){return constraints=>{for(let ancestorMetadata=constraints.getAncestor();ancestorMetadata!==
void 0;ancestorMetadata=ancestorMetadata.getAncestor())if(condition(ancestorMetadata))return!0;return!1}}function isBindingConstraintsWithName(name){return constraints=>constraints.name===name}function isAnyAncestorBindingConstraintsWithName(name){return isAnyAncestorBindingConstraints(isBindingConstraintsWithName(
name))}function isBindingConstraintsWithServiceId(serviceId){return constraints=>constraints.serviceIdentifier===serviceId}function isAnyAncestorBindingConstraintsWithServiceId(serviceId){return isAnyAncestorBindingConstraints(isBindingConstraintsWithServiceId(
serviceId))}function isBindingConstraintsWithTag(tag,value){return constraints=>constraints.tags.has(tag)&&constraints.tags.get(tag)===
value}function isAnyAncestorBindingConstraintsWithTag(tag,value){return isAnyAncestorBindingConstraints(isBindingConstraintsWithTag(
tag,value))}function isBindingConstraintsWithNoNameNorTags(constraints){return constraints.name===void 0&&constraints.tags.size===0}function isMultipleResolvedValueMetadataInjectOptions(options){return options.isMultiple===!0}function isNoAncestorBindingConstraints(condition){let isAnyAncestorBindingConstraintsConstraint=isAnyAncestorBindingConstraints(
condition);return constraints=>!isAnyAncestorBindingConstraintsConstraint(constraints)}function isNoAncestorBindingConstraintsWithName(name){return isNoAncestorBindingConstraints(isBindingConstraintsWithName(
name))}function isNoAncestorBindingConstraintsWithServiceId(serviceId){return isNoAncestorBindingConstraints(isBindingConstraintsWithServiceId(
serviceId))}function isNoAncestorBindingConstraintsWithTag(tag,value){return isNoAncestorBindingConstraints(isBindingConstraintsWithTag(
tag,value))}function isNotParentBindingConstraints(condition){return constraints=>{let ancestorMetadata=constraints.getAncestor();return ancestorMetadata===
void 0||!condition(ancestorMetadata)}}function isNotParentBindingConstraintsWithName(name){return isNotParentBindingConstraints(isBindingConstraintsWithName(name))}function isNotParentBindingConstraintsWithServiceId(serviceId){return isNotParentBindingConstraints(isBindingConstraintsWithServiceId(
serviceId))}function isNotParentBindingConstraintsWithTag(tag,value){return isNotParentBindingConstraints(isBindingConstraintsWithTag(
tag,value))}function isParentBindingConstraints(condition){return constraints=>{let ancestorMetadata=constraints.getAncestor();return ancestorMetadata!==
void 0&&condition(ancestorMetadata)}}function isParentBindingConstraintsWithName(name){return isParentBindingConstraints(isBindingConstraintsWithName(name))}function isParentBindingConstraintsWithServiceId(serviceId){return isParentBindingConstraints(isBindingConstraintsWithServiceId(
serviceId))}function isParentBindingConstraintsWithTag(tag,value){return isParentBindingConstraints(isBindingConstraintsWithTag(tag,
value))}function isResolvedValueMetadataInjectOptions(options){return typeof options=="object"&&!LazyServiceIdentifier.is(options)}var BindInFluentSyntaxImplementation=class{#binding;constructor(binding){this.#binding=binding}getIdentifier(){return buildBindingIdentifier(
this.#binding)}inRequestScope(){return this.#binding.scope=bindingScopeValues.Request,new BindWhenOnFluentSyntaxImplementation(
this.#binding)}inSingletonScope(){return this.#binding.scope=bindingScopeValues.Singleton,new BindWhenOnFluentSyntaxImplementation(
this.#binding)}inTransientScope(){return this.#binding.scope=bindingScopeValues.Transient,new BindWhenOnFluentSyntaxImplementation(
this.#binding)}},BindToFluentSyntaxImplementation=class{#callback;#containerModuleId;#defaultScope;#serviceIdentifier;constructor(callback,containerModuleId,defaultScope,serviceIdentifier){
this.#callback=callback,this.#containerModuleId=containerModuleId,this.#defaultScope=defaultScope,this.#serviceIdentifier=
serviceIdentifier}to(type){let classMetadata=getClassMetadata(type),binding={cache:{isRight:!1,value:void 0},id:getBindingId(),
implementationType:type,isSatisfiedBy:BindingConstraintUtils.always,moduleId:this.#containerModuleId,onActivation:void 0,
onDeactivation:void 0,scope:classMetadata.scope??this.#defaultScope,serviceIdentifier:this.#serviceIdentifier,type:bindingTypeValues.
Instance};return this.#callback(binding),new BindInWhenOnFluentSyntaxImplementation(binding)}toSelf(){if(typeof this.#serviceIdentifier!=
"function")throw new Error('"toSelf" function can only be applied when a newable function is used as service identifier');
return this.to(this.#serviceIdentifier)}toConstantValue(value){let binding={cache:{isRight:!1,value:void 0},id:getBindingId(),
isSatisfiedBy:BindingConstraintUtils.always,moduleId:this.#containerModuleId,onActivation:void 0,onDeactivation:void 0,scope:bindingScopeValues.
Singleton,serviceIdentifier:this.#serviceIdentifier,type:bindingTypeValues.ConstantValue,value};return this.#callback(binding),
new BindWhenOnFluentSyntaxImplementation(binding)}toDynamicValue(builder){let binding={cache:{isRight:!1,value:void 0},id:getBindingId(),
isSatisfiedBy:BindingConstraintUtils.always,moduleId:this.#containerModuleId,onActivation:void 0,onDeactivation:void 0,scope:this.#defaultScope,
serviceIdentifier:this.#serviceIdentifier,type:bindingTypeValues.DynamicValue,value:builder};return this.#callback(binding),
new BindInWhenOnFluentSyntaxImplementation(binding)}toResolvedValue(factory,injectOptions){let binding={cache:{isRight:!1,
value:void 0},factory,id:getBindingId(),isSatisfiedBy:BindingConstraintUtils.always,metadata:this.#buildResolvedValueMetadata(
injectOptions),moduleId:this.#containerModuleId,onActivation:void 0,onDeactivation:void 0,scope:this.#defaultScope,serviceIdentifier:this.#serviceIdentifier,
type:bindingTypeValues.ResolvedValue};return this.#callback(binding),new BindInWhenOnFluentSyntaxImplementation(binding)}toFactory(builder){
let binding={cache:{isRight:!1,value:void 0},factory:builder,id:getBindingId(),isSatisfiedBy:BindingConstraintUtils.always,
moduleId:this.#containerModuleId,onActivation:void 0,onDeactivation:void 0,scope:bindingScopeValues.Singleton,serviceIdentifier:this.#serviceIdentifier,
type:bindingTypeValues.Factory};return this.#callback(binding),new BindWhenOnFluentSyntaxImplementation(binding)}toService(service){
let binding={id:getBindingId(),isSatisfiedBy:BindingConstraintUtils.always,moduleId:this.#containerModuleId,serviceIdentifier:this.#serviceIdentifier,
targetServiceIdentifier:service,type:bindingTypeValues.ServiceRedirection};this.#callback(binding)}#buildResolvedValueMetadata(options){
return{arguments:(options??[]).map(injectOption=>isResolvedValueMetadataInjectOptions(injectOption)?isMultipleResolvedValueMetadataInjectOptions(
injectOption)?{chained:injectOption.chained??!1,kind:ResolvedValueElementMetadataKind.multipleInjection,name:injectOption.
name,optional:injectOption.optional??!1,tags:new Map((injectOption.tags??[]).map(tag=>[tag.key,tag.value])),value:injectOption.
serviceIdentifier}:{kind:ResolvedValueElementMetadataKind.singleInjection,name:injectOption.name,optional:injectOption.optional??
!1,tags:new Map((injectOption.tags??[]).map(tag=>[tag.key,tag.value])),value:injectOption.serviceIdentifier}:{kind:ResolvedValueElementMetadataKind.
singleInjection,name:void 0,optional:!1,tags:new Map,value:injectOption})}}},BindOnFluentSyntaxImplementation=class{#binding;constructor(binding){
this.#binding=binding}getIdentifier(){return buildBindingIdentifier(this.#binding)}onActivation(activation){return this.#binding.
onActivation=activation,new BindWhenFluentSyntaxImplementation(this.#binding)}onDeactivation(deactivation){if(this.#binding.
onDeactivation=deactivation,this.#binding.scope!==bindingScopeValues.Singleton)throw new InversifyContainerError(InversifyContainerErrorKind.
invalidOperation,`Binding for service "${stringifyServiceIdentifier(this.#binding.serviceIdentifier)}" has a deactivatio\
n function, but its scope is not singleton. Deactivation functions can only be used with singleton bindings.`);return new BindWhenFluentSyntaxImplementation(
this.#binding)}},BindWhenFluentSyntaxImplementation=class{#binding;constructor(binding){this.#binding=binding}getIdentifier(){
return buildBindingIdentifier(this.#binding)}when(constraint){return this.#binding.isSatisfiedBy=constraint,new BindOnFluentSyntaxImplementation(
this.#binding)}whenAnyAncestor(constraint){return this.when(isAnyAncestorBindingConstraints(constraint))}whenAnyAncestorIs(serviceIdentifier){
return this.when(isAnyAncestorBindingConstraintsWithServiceId(serviceIdentifier))}whenAnyAncestorNamed(name){return this.
when(isAnyAncestorBindingConstraintsWithName(name))}whenAnyAncestorTagged(tag,tagValue){return this.when(isAnyAncestorBindingConstraintsWithTag(
tag,tagValue))}whenDefault(){return this.when(isBindingConstraintsWithNoNameNorTags)}whenNamed(name){return this.when(isBindingConstraintsWithName(
name))}whenNoParent(constraint){return this.when(isNotParentBindingConstraints(constraint))}whenNoParentIs(serviceIdentifier){
return this.when(isNotParentBindingConstraintsWithServiceId(serviceIdentifier))}whenNoParentNamed(name){return this.when(
isNotParentBindingConstraintsWithName(name))}whenNoParentTagged(tag,tagValue){return this.when(isNotParentBindingConstraintsWithTag(
tag,tagValue))}whenParent(constraint){return this.when(isParentBindingConstraints(constraint))}whenParentIs(serviceIdentifier){
return this.when(isParentBindingConstraintsWithServiceId(serviceIdentifier))}whenParentNamed(name){return this.when(isParentBindingConstraintsWithName(
name))}whenParentTagged(tag,tagValue){return this.when(isParentBindingConstraintsWithTag(tag,tagValue))}whenTagged(tag,tagValue){
return this.when(isBindingConstraintsWithTag(tag,tagValue))}whenNoAncestor(constraint){return this.when(isNoAncestorBindingConstraints(
constraint))}whenNoAncestorIs(serviceIdentifier){return this.when(isNoAncestorBindingConstraintsWithServiceId(serviceIdentifier))}whenNoAncestorNamed(name){
return this.when(isNoAncestorBindingConstraintsWithName(name))}whenNoAncestorTagged(tag,tagValue){return this.when(isNoAncestorBindingConstraintsWithTag(
tag,tagValue))}},BindWhenOnFluentSyntaxImplementation=class extends BindWhenFluentSyntaxImplementation{#bindOnFluentSyntax;constructor(binding){
super(binding),this.#bindOnFluentSyntax=new BindOnFluentSyntaxImplementation(binding)}onActivation(activation){return this.#bindOnFluentSyntax.
onActivation(activation)}onDeactivation(deactivation){return this.#bindOnFluentSyntax.onDeactivation(deactivation)}},BindInWhenOnFluentSyntaxImplementation=class extends BindWhenOnFluentSyntaxImplementation{#bindInFluentSyntax;constructor(binding){
super(binding),this.#bindInFluentSyntax=new BindInFluentSyntaxImplementation(binding)}inRequestScope(){return this.#bindInFluentSyntax.
inRequestScope()}inSingletonScope(){return this.#bindInFluentSyntax.inSingletonScope()}inTransientScope(){return this.#bindInFluentSyntax.
inTransientScope()}};function getFirstIteratorResult(iterator){if(iterator===void 0)return;let firstIteratorResult=iterator.next();if(firstIteratorResult.
done!==!0)return firstIteratorResult.value}function getFirstIterableResult(iterable){return getFirstIteratorResult(iterable?.[Symbol.iterator]())}var BindingManager=class{#deactivationParams;#defaultScope;#planResultCacheManager;#serviceReferenceManager;constructor(deactivationParams,defaultScope,planResultCacheManager,serviceReferenceManager){
this.#deactivationParams=deactivationParams,this.#defaultScope=defaultScope,this.#planResultCacheManager=planResultCacheManager,
this.#serviceReferenceManager=serviceReferenceManager}bind(serviceIdentifier){return new BindToFluentSyntaxImplementation(
binding=>{this.#setBinding(binding)},void 0,this.#defaultScope,serviceIdentifier)}isBound(serviceIdentifier,options){let bindings=this.#serviceReferenceManager.
bindingService.get(serviceIdentifier);return this.#isAnyValidBinding(serviceIdentifier,bindings,options)}isCurrentBound(serviceIdentifier,options){
let bindings=this.#serviceReferenceManager.bindingService.getNonParentBindings(serviceIdentifier);return this.#isAnyValidBinding(
serviceIdentifier,bindings,options)}async rebindAsync(serviceIdentifier){return await this.unbindAsync(serviceIdentifier),
this.bind(serviceIdentifier)}rebind(serviceIdentifier){return this.unbind(serviceIdentifier),this.bind(serviceIdentifier)}async unbindAsync(identifier){
await this.#unbindAsync(identifier)}async unbindAllAsync(){await this.#unbindAll()}unbindAll(){if(this.#unbindAll()!==void 0)
throw new InversifyContainerError(InversifyContainerErrorKind.invalidOperation,"Unexpected asynchronous deactivation whe\
n unbinding all services. Consider using Container.unbindAllAsync() instead.")}unbind(identifier){this.#unbindAsync(identifier)!==
void 0&&this.#throwUnexpectedAsyncUnbindOperation(identifier)}#setBinding(binding){this.#serviceReferenceManager.bindingService.
set(binding),this.#planResultCacheManager.invalidateService({binding,kind:CacheBindingInvalidationKind.bindingAdded})}#throwUnexpectedAsyncUnbindOperation(identifier){
let errorMessage;if(isBindingIdentifier(identifier)){let bindingsById=this.#serviceReferenceManager.bindingService.getById(
identifier.id),bindingServiceIdentifier=getFirstIterableResult(bindingsById)?.serviceIdentifier;bindingServiceIdentifier===
void 0?errorMessage="Unexpected asynchronous deactivation when unbinding binding identifier. Consider using Container.un\
bindAsync() instead.":errorMessage=`Unexpected asynchronous deactivation when unbinding "${stringifyServiceIdentifier(bindingServiceIdentifier)}\
" binding. Consider using Container.unbindAsync() instead.`}else errorMessage=`Unexpected asynchronous deactivation when\
 unbinding "${stringifyServiceIdentifier(identifier)}" service. Consider using Container.unbindAsync() instead.`;throw new InversifyContainerError(
InversifyContainerErrorKind.invalidOperation,errorMessage)}#unbindAsync(identifier){return isBindingIdentifier(identifier)?
this.#unbindBindingIdentifier(identifier):this.#unbindServiceIdentifier(identifier)}#unbindBindingIdentifier(identifier){
let bindingsIterable=this.#serviceReferenceManager.bindingService.getById(identifier.id),bindings=bindingsIterable===void 0?
void 0:[...bindingsIterable],result=resolveBindingsDeactivations(this.#deactivationParams,bindingsIterable);if(result===
void 0)this.#clearAfterUnbindBindingIdentifier(bindings,identifier);else return result.then(()=>{this.#clearAfterUnbindBindingIdentifier(
bindings,identifier)})}#clearAfterUnbindBindingIdentifier(bindings,identifier){if(this.#serviceReferenceManager.bindingService.
removeById(identifier.id),bindings!==void 0)for(let binding of bindings)this.#planResultCacheManager.invalidateService({
binding,kind:CacheBindingInvalidationKind.bindingRemoved})}#unbindAll(){let nonParentBoundServiceIds=[...this.#serviceReferenceManager.
bindingService.getNonParentBoundServices()],deactivationResults=nonParentBoundServiceIds.map(serviceId=>resolveServiceDeactivations(
this.#deactivationParams,serviceId));if(deactivationResults.some(result=>isPromise(result)))return Promise.all(deactivationResults).
then(()=>{this.#clearAfterUnbindAll(nonParentBoundServiceIds)});this.#clearAfterUnbindAll(nonParentBoundServiceIds)}#clearAfterUnbindAll(serviceIds){
for(let serviceId of serviceIds)this.#serviceReferenceManager.activationService.removeAllByServiceId(serviceId),this.#serviceReferenceManager.
bindingService.removeAllByServiceId(serviceId),this.#serviceReferenceManager.deactivationService.removeAllByServiceId(serviceId);
this.#serviceReferenceManager.planResultCacheService.clearCache()}#unbindServiceIdentifier(identifier){let bindingsIterable=this.#serviceReferenceManager.
bindingService.get(identifier),bindings=bindingsIterable===void 0?void 0:[...bindingsIterable],result=resolveBindingsDeactivations(
this.#deactivationParams,bindingsIterable);if(result===void 0)this.#clearAfterUnbindServiceIdentifier(identifier,bindings);else
return result.then(()=>{this.#clearAfterUnbindServiceIdentifier(identifier,bindings)})}#clearAfterUnbindServiceIdentifier(identifier,bindings){
if(this.#serviceReferenceManager.activationService.removeAllByServiceId(identifier),this.#serviceReferenceManager.bindingService.
removeAllByServiceId(identifier),this.#serviceReferenceManager.deactivationService.removeAllByServiceId(identifier),bindings!==
void 0)for(let binding of bindings)this.#planResultCacheManager.invalidateService({binding,kind:CacheBindingInvalidationKind.
bindingRemoved})}#isAnyValidBinding(serviceIdentifier,bindings,options){if(bindings===void 0)return!1;let bindingConstraints={
getAncestor:()=>{},name:options?.name,serviceIdentifier,tags:new Map};options?.tag!==void 0&&bindingConstraints.tags.set(
options.tag.key,options.tag.value);for(let binding of bindings)if(binding.isSatisfiedBy(bindingConstraints))return!0;return!1}};var ContainerModuleManager=class{#bindingManager;#deactivationParams;#defaultScope;#planResultCacheManager;#serviceReferenceManager;constructor(bindingManager,deactivationParams,defaultScope,planResultCacheManager,serviceReferenceManager){
this.#bindingManager=bindingManager,this.#deactivationParams=deactivationParams,this.#defaultScope=defaultScope,this.#planResultCacheManager=
planResultCacheManager,this.#serviceReferenceManager=serviceReferenceManager}async loadAsync(...modules){await Promise.all(
this.#load(...modules))}load(...modules){let results=this.#load(...modules);for(let result of results)if(result!==void 0)
throw new InversifyContainerError(InversifyContainerErrorKind.invalidOperation,"Unexpected asynchronous module load. Con\
sider using container.loadAsync() instead.")}async unloadAsync(...modules){await Promise.all(this.#unload(...modules)),this.#clearAfterUnloadModules(
modules)}unload(...modules){let results=this.#unload(...modules);for(let result of results)if(result!==void 0)throw new InversifyContainerError(
InversifyContainerErrorKind.invalidOperation,"Unexpected asynchronous module unload. Consider using container.unloadAsyn\
c() instead.");this.#clearAfterUnloadModules(modules)}#buildContainerModuleLoadOptions(moduleId){return{bind:serviceIdentifier=>new BindToFluentSyntaxImplementation(
binding=>{this.#setBinding(binding)},moduleId,this.#defaultScope,serviceIdentifier),isBound:this.#bindingManager.isBound.
bind(this.#bindingManager),onActivation:(serviceIdentifier,activation)=>{this.#serviceReferenceManager.activationService.
add(activation,{moduleId,serviceId:serviceIdentifier})},onDeactivation:(serviceIdentifier,deactivation)=>{this.#serviceReferenceManager.
deactivationService.add(deactivation,{moduleId,serviceId:serviceIdentifier})},rebind:this.#bindingManager.rebind.bind(this.#bindingManager),
rebindAsync:this.#bindingManager.rebindAsync.bind(this.#bindingManager),unbind:this.#bindingManager.unbind.bind(this.#bindingManager),
unbindAsync:this.#bindingManager.unbindAsync.bind(this.#bindingManager)}}#clearAfterUnloadModules(modules){for(let module of modules)
this.#serviceReferenceManager.activationService.removeAllByModuleId(module.id),this.#serviceReferenceManager.bindingService.
removeAllByModuleId(module.id),this.#serviceReferenceManager.deactivationService.removeAllByModuleId(module.id);this.#serviceReferenceManager.
planResultCacheService.clearCache()}#load(...modules){return modules.map(module=>module.load(this.#buildContainerModuleLoadOptions(
module.id)))}#setBinding(binding){this.#serviceReferenceManager.bindingService.set(binding),this.#planResultCacheManager.
invalidateService({binding,kind:CacheBindingInvalidationKind.bindingAdded})}#unload(...modules){return modules.map(module=>resolveModuleDeactivations(
this.#deactivationParams,module.id))}};function resetDeactivationParams(serviceReferenceManager,deactivationParams){deactivationParams.getBindings=serviceReferenceManager.
bindingService.get.bind(serviceReferenceManager.bindingService),deactivationParams.getBindingsFromModule=serviceReferenceManager.
bindingService.getByModuleId.bind(serviceReferenceManager.bindingService),deactivationParams.getDeactivations=serviceReferenceManager.
deactivationService.get.bind(serviceReferenceManager.deactivationService)}function buildDeactivationParams(serviceReferenceManager){return{getBindings:serviceReferenceManager.bindingService.get.
bind(serviceReferenceManager.bindingService),getBindingsFromModule:serviceReferenceManager.bindingService.getByModuleId.
bind(serviceReferenceManager.bindingService),getClassMetadata,getDeactivations:serviceReferenceManager.deactivationService.
get.bind(serviceReferenceManager.deactivationService)}}var DeactivationParamsManager=class{deactivationParams;constructor(serviceReferenceManager){this.deactivationParams=buildDeactivationParams(
serviceReferenceManager),serviceReferenceManager.onReset(()=>{resetDeactivationParams(serviceReferenceManager,this.deactivationParams)})}};var PlanParamsOperationsManager=class{planParamsOperations;#serviceReferenceManager;constructor(serviceReferenceManager){
this.#serviceReferenceManager=serviceReferenceManager,this.planParamsOperations={getActivations:this.#getActivations.bind(
this),getBindings:this.#serviceReferenceManager.bindingService.get.bind(this.#serviceReferenceManager.bindingService),getBindingsChained:this.#serviceReferenceManager.
bindingService.getChained.bind(this.#serviceReferenceManager.bindingService),getClassMetadata,getPlan:this.#serviceReferenceManager.
planResultCacheService.get.bind(this.#serviceReferenceManager.planResultCacheService),setBinding:this.#setBinding.bind(this),
setNonCachedServiceNode:this.#serviceReferenceManager.planResultCacheService.setNonCachedServiceNode.bind(this.#serviceReferenceManager.
planResultCacheService),setPlan:this.#serviceReferenceManager.planResultCacheService.set.bind(this.#serviceReferenceManager.
planResultCacheService),subscribeActivationAddedOnce:this.#subscribeActivationAddedOnce.bind(this)},this.#serviceReferenceManager.
onReset(()=>{this.#resetComputedProperties()})}#getActivations(serviceIdentifier){return this.#serviceReferenceManager.activationService.
get(serviceIdentifier)}#subscribeActivationAddedOnce(serviceIdentifier,subscriber){this.#serviceReferenceManager.activationService.
subscribeOnce(serviceIdentifier,subscriber)}#resetComputedProperties(){this.planParamsOperations.getBindings=this.#serviceReferenceManager.
bindingService.get.bind(this.#serviceReferenceManager.bindingService),this.planParamsOperations.getBindingsChained=this.#serviceReferenceManager.
bindingService.getChained.bind(this.#serviceReferenceManager.bindingService),this.planParamsOperations.setBinding=this.#setBinding.
bind(this)}#setBinding(binding){this.#serviceReferenceManager.bindingService.set(binding),this.#serviceReferenceManager.
planResultCacheService.invalidateServiceBinding({binding,kind:CacheBindingInvalidationKind.bindingAdded,operations:this.
planParamsOperations})}};var PlanResultCacheManager=class{#planParamsOperationsManager;#serviceReferenceManager;constructor(planParamsOperationsManager,serviceReferenceManager){
this.#planParamsOperationsManager=planParamsOperationsManager,this.#serviceReferenceManager=serviceReferenceManager}invalidateService(invalidation){
this.#serviceReferenceManager.planResultCacheService.invalidateServiceBinding({...invalidation,operations:this.#planParamsOperationsManager.
planParamsOperations})}};var isPlugin=Symbol.for("@inversifyjs/plugin/isPlugin"),Plugin=class{[isPlugin]=!0;_container;_context;constructor(container,context){
this._container=container,this._context=context}};var PluginManager=class{#pluginApi;#pluginContext;#serviceResolutionManager;#serviceReferenceManager;constructor(container,serviceReferenceManager,serviceResolutionManager){
this.#serviceReferenceManager=serviceReferenceManager,this.#serviceResolutionManager=serviceResolutionManager,this.#pluginApi=
this.#buildPluginApi(container),this.#pluginContext=this.#buildPluginContext()}register(container,pluginConstructor){let pluginInstance=new pluginConstructor(
container,this.#pluginContext);this.#assertIsPlugin(pluginInstance),pluginInstance.load(this.#pluginApi)}#assertIsPlugin(value){
if(value[isPlugin]!==!0)throw new InversifyContainerError(InversifyContainerErrorKind.invalidOperation,"Invalid plugin. \
The plugin must extend the Plugin class")}#buildPluginApi(container){return{define:(name,method)=>{if(Object.prototype.hasOwnProperty.
call(container,name))throw new InversifyContainerError(InversifyContainerErrorKind.invalidOperation,`Container already h\
as a method named "${String(name)}"`);container[name]=method},onPlan:this.#serviceResolutionManager.onPlan.bind(this.#serviceResolutionManager)}}#buildPluginContext(){
let serviceReferenceManager=this.#serviceReferenceManager;return{get activationService(){return serviceReferenceManager.
activationService},get bindingService(){return serviceReferenceManager.bindingService},get deactivationService(){return serviceReferenceManager.
deactivationService},get planResultCacheService(){return serviceReferenceManager.planResultCacheService}}}};var ServiceReferenceManager=class{activationService;bindingService;deactivationService;planResultCacheService;#onResetComputedPropertiesListeners;constructor(activationService,bindingService,deactivationService,planResultCacheService){
this.activationService=activationService,this.bindingService=bindingService,this.deactivationService=deactivationService,
this.planResultCacheService=planResultCacheService,this.#onResetComputedPropertiesListeners=[]}reset(activationService,bindingService,deactivationService){
this.activationService=activationService,this.bindingService=bindingService,this.deactivationService=deactivationService,
this.planResultCacheService.clearCache();for(let listener of this.#onResetComputedPropertiesListeners)listener()}onReset(listener){
this.#onResetComputedPropertiesListeners.push(listener)}};var ServiceResolutionManager=class{#autobind;#defaultScope;#getActivationsResolutionParam;#jitEnabled;#resolutionContext;#onPlanHandlers;#planParamsOperationsManager;#serviceReferenceManager;constructor(planParamsOperationsManager,serviceReferenceManager,autobind,defaultScope,jitEnabled){
this.#planParamsOperationsManager=planParamsOperationsManager,this.#serviceReferenceManager=serviceReferenceManager,this.#getActivationsResolutionParam=
serviceIdentifier=>this.#serviceReferenceManager.activationService.get(serviceIdentifier),this.#resolutionContext=this.#buildResolutionContext(),
this.#autobind=autobind,this.#defaultScope=defaultScope,this.#jitEnabled=jitEnabled,this.#onPlanHandlers=[],this.#serviceReferenceManager.
onReset(()=>{this.#resetComputedProperties()})}get(serviceIdentifier,options){let planResult=this.#buildPlanResult(!1,serviceIdentifier,
options),resolvedValue=this.#getFromPlanResult(planResult);if(isPromise(resolvedValue))throw new InversifyContainerError(
InversifyContainerErrorKind.invalidOperation,`Unexpected asynchronous service when resolving service "${stringifyServiceIdentifier(
serviceIdentifier)}"`);return resolvedValue}getAll(serviceIdentifier,options){let planResult=this.#buildPlanResult(!0,serviceIdentifier,
options),resolvedValue=this.#getFromPlanResult(planResult);if(isPromise(resolvedValue))throw new InversifyContainerError(
InversifyContainerErrorKind.invalidOperation,`Unexpected asynchronous service when resolving service "${stringifyServiceIdentifier(
serviceIdentifier)}"`);return resolvedValue}async getAllAsync(serviceIdentifier,options){let planResult=this.#buildPlanResult(
!0,serviceIdentifier,options);return this.#getFromPlanResult(planResult)}async getAsync(serviceIdentifier,options){let planResult=this.#buildPlanResult(
!1,serviceIdentifier,options);return this.#getFromPlanResult(planResult)}onPlan(handler){this.#onPlanHandlers.push(handler)}#resetComputedProperties(){
this.#resolutionContext=this.#buildResolutionContext()}#buildGetPlanOptions(isMultiple,serviceIdentifier,options){let name=options?.
name,optional2=options?.optional??!1,tag=options?.tag;return isMultiple?{chained:options?.chained??!1,isMultiple,name,optional:optional2,
serviceIdentifier,tag}:{isMultiple,name,optional:optional2,serviceIdentifier,tag}}#buildPlanParams(serviceIdentifier,isMultiple,options){
let planParams={autobindOptions:options?.autobind??this.#autobind?{scope:this.#defaultScope}:void 0,jitEnabled:this.#jitEnabled,
operations:this.#planParamsOperationsManager.planParamsOperations,rootConstraints:this.#buildPlanParamsConstraints(serviceIdentifier,
isMultiple,options),servicesBranch:[]};return this.#handlePlanParamsRootConstraints(planParams,options),planParams}#buildPlanParamsConstraints(serviceIdentifier,isMultiple,options){
return isMultiple?{chained:options?.chained??!1,isMultiple,serviceIdentifier}:{isMultiple,serviceIdentifier}}#buildPlanResult(isMultiple,serviceIdentifier,options){
if(!isMultiple&&options===void 0){let cachedPlanResultFromServiceIdentifier=this.#serviceReferenceManager.planResultCacheService.
getByServiceIdentifier(serviceIdentifier);if(cachedPlanResultFromServiceIdentifier!==void 0)return cachedPlanResultFromServiceIdentifier}
let getPlanOptions=this.#buildGetPlanOptions(isMultiple,serviceIdentifier,options),planResultFromCache=this.#serviceReferenceManager.
planResultCacheService.get(getPlanOptions);if(planResultFromCache!==void 0)return planResultFromCache;let planResult=plan(
this.#buildPlanParams(serviceIdentifier,isMultiple,options));for(let handler of this.#onPlanHandlers)handler(getPlanOptions,
planResult);return planResult}#buildResolutionContext(){return{get:this.get.bind(this),getActivations:this.#getActivationsResolutionParam,
getAll:this.getAll.bind(this),getAllAsync:this.getAllAsync.bind(this),getAsync:this.getAsync.bind(this)}}#getFromPlanResult(planResult){
return resolve({context:this.#resolutionContext,planResult,requestScopeCache:void 0})}#handlePlanParamsRootConstraints(planParams,options){
options!==void 0&&(options.name!==void 0&&(planParams.rootConstraints.name=options.name),options.optional===!0&&(planParams.
rootConstraints.isOptional=!0),options.tag!==void 0&&(planParams.rootConstraints.tag={key:options.tag.key,value:options.
tag.value}),planParams.rootConstraints.isMultiple&&(planParams.rootConstraints.chained=options?.chained??!1))}};var SnapshotManager=class{#serviceReferenceManager;#snapshots;constructor(serviceReferenceManager){this.#serviceReferenceManager=
serviceReferenceManager,this.#snapshots=[]}restore(){let snapshot=this.#snapshots.pop();if(snapshot===void 0)throw new InversifyContainerError(
InversifyContainerErrorKind.invalidOperation,"No snapshot available to restore");this.#serviceReferenceManager.reset(snapshot.
activationService,snapshot.bindingService,snapshot.deactivationService)}snapshot(){this.#snapshots.push({activationService:this.#serviceReferenceManager.
activationService.clone(),bindingService:this.#serviceReferenceManager.bindingService.clone(),deactivationService:this.#serviceReferenceManager.
deactivationService.clone()})}};var DEFAULT_DEFAULT_SCOPE=bindingScopeValues.Transient,DEFAULT_JITLESS=!0,Container=class{#bindingManager;#containerModuleManager;#pluginManager;#serviceReferenceManager;#serviceResolutionManager;#snapshotManager;constructor(options){
let autobind=options?.autobind??!1,defaultScope=options?.defaultScope??DEFAULT_DEFAULT_SCOPE,jitless=options?.jitless??DEFAULT_JITLESS;
this.#serviceReferenceManager=this.#buildServiceReferenceManager(options,autobind,defaultScope,jitless);let planParamsOperationsManager=new PlanParamsOperationsManager(
this.#serviceReferenceManager),planResultCacheManager=new PlanResultCacheManager(planParamsOperationsManager,this.#serviceReferenceManager),
deactivationParamsManager=new DeactivationParamsManager(this.#serviceReferenceManager);this.#bindingManager=new BindingManager(
deactivationParamsManager.deactivationParams,defaultScope,planResultCacheManager,this.#serviceReferenceManager),this.#containerModuleManager=
new ContainerModuleManager(this.#bindingManager,deactivationParamsManager.deactivationParams,defaultScope,planResultCacheManager,
this.#serviceReferenceManager),this.#serviceResolutionManager=new ServiceResolutionManager(planParamsOperationsManager,this.#serviceReferenceManager,
autobind,defaultScope,!jitless),this.#pluginManager=new PluginManager(this,this.#serviceReferenceManager,this.#serviceResolutionManager),
this.#snapshotManager=new SnapshotManager(this.#serviceReferenceManager)}bind(serviceIdentifier){return this.#bindingManager.
bind(serviceIdentifier)}get(serviceIdentifier,options){return this.#serviceResolutionManager.get(serviceIdentifier,options)}getAll(serviceIdentifier,options){
return this.#serviceResolutionManager.getAll(serviceIdentifier,options)}async getAllAsync(serviceIdentifier,options){return this.#serviceResolutionManager.
getAllAsync(serviceIdentifier,options)}async getAsync(serviceIdentifier,options){return this.#serviceResolutionManager.getAsync(
serviceIdentifier,options)}isBound(serviceIdentifier,options){return this.#bindingManager.isBound(serviceIdentifier,options)}isCurrentBound(serviceIdentifier,options){
return this.#bindingManager.isCurrentBound(serviceIdentifier,options)}async loadAsync(...modules){return this.#containerModuleManager.
loadAsync(...modules)}load(...modules){this.#containerModuleManager.load(...modules)}onActivation(serviceIdentifier,activation){
this.#serviceReferenceManager.activationService.add(activation,{serviceId:serviceIdentifier})}onDeactivation(serviceIdentifier,deactivation){
this.#serviceReferenceManager.deactivationService.add(deactivation,{serviceId:serviceIdentifier})}register(pluginConstructor){
this.#pluginManager.register(this,pluginConstructor)}restore(){this.#snapshotManager.restore()}async rebindAsync(serviceIdentifier){
return this.#bindingManager.rebindAsync(serviceIdentifier)}rebind(serviceIdentifier){return this.#bindingManager.rebind(
serviceIdentifier)}snapshot(){this.#snapshotManager.snapshot()}async unbindAsync(identifier){await this.#bindingManager.
unbindAsync(identifier)}async unbindAllAsync(){await this.#bindingManager.unbindAllAsync()}unbindAll(){this.#bindingManager.
unbindAll()}unbind(identifier){this.#bindingManager.unbind(identifier)}async unloadAsync(...modules){return this.#containerModuleManager.
unloadAsync(...modules)}unload(...modules){this.#containerModuleManager.unload(...modules)}#buildAutobindOptions(autobind,defaultScope){
if(autobind)return{scope:defaultScope}}#buildServiceReferenceManager(options,autobind,defaultScope,jitless){let autobindOptions=this.#buildAutobindOptions(
autobind,defaultScope);if(options?.parent===void 0)return new ServiceReferenceManager(ActivationsService.build(()=>{}),BindingService.
build(()=>{},autobindOptions),DeactivationsService.build(()=>{}),new PlanResultCacheService(!jitless));let planResultCacheService=new PlanResultCacheService(
!jitless),parent=options.parent;return parent.#serviceReferenceManager.planResultCacheService.subscribe(planResultCacheService),
new ServiceReferenceManager(ActivationsService.build(()=>parent.#serviceReferenceManager.activationService),BindingService.
build(()=>parent.#serviceReferenceManager.bindingService,autobindOptions),DeactivationsService.build(()=>parent.#serviceReferenceManager.
deactivationService),planResultCacheService)}};var CompanionProgress=class{clock;#asked=0;#begun;#done=0;#ended=!1;#waiting=new Set;constructor(clock){this.clock=clock}watched(context){
let{observer}=context;return{...context,localAddresses:()=>(this.#begun=this.#asked,context.localAddresses()),observer:{
...forwarded(observer),queued:family=>{this.#asked+=1,observer.queued?.(family)},synced:async success=>{this.#finish(),await observer.
synced?.(success)},failed:failure=>{this.#finish(),observer.failed?.(failure)}}}}waitedFor(context){let{observer}=context;
return{...context,observer:{...forwarded(observer),synced:async success=>{await this.#caughtUp(),await observer.synced?.(
success)}}}}end(){this.#ended=!0,this.#wake()}#finish(){this.#done=this.#begun??this.#asked,this.#begun=void 0,this.#wake()}#wake(){
for(let wake of[...this.#waiting])wake()}async#caughtUp(){let wanted=this.#asked;this.#ended||this.#done>=wanted||await new Promise(
resolve2=>{let end=()=>{timer.cancel(),this.#waiting.delete(check),resolve2()},check=()=>{(this.#ended||this.#done>=wanted)&&
end()},timer=this.clock.setTimer(1e3,end);this.#waiting.add(check)})}};function forwarded(observer){return{started:family=>observer.
started?.(family),queued:family=>observer.queued?.(family),resolving:(family,latest)=>observer.resolving?.(family,latest),
resolved:(family,state)=>observer.resolved?.(family,state),synced:success=>observer.synced?.(success),failed:failure=>observer.
failed?.(failure),repaired:repair=>observer.repaired?.(repair)}}var ProxierGroup=class{mode;members;constructor(mode,members){this.mode=mode,this.members=members}onServiceUpdate(previous,current){
for(let member of this.members)member.onServiceUpdate(previous,current)}onEndpointsUpdate(previous,current){for(let member of this.
members)member.onEndpointsUpdate(previous,current)}onServicesSynced(){for(let member of this.members)member.onServicesSynced()}onEndpointsSynced(){
for(let member of this.members)member.onEndpointsSynced()}onNodeUpdate(node){for(let member of this.members)member.onNodeUpdate(
node)}onServiceCIDRsUpdate(cidrs){for(let member of this.members)member.onServiceCIDRsUpdate(cidrs)}sync(){for(let member of this.
members)member.sync()}};var CompanionProxier=class extends ProxierGroup{primary;companion;progress;logger;constructor(primary,companion,progress,logger){
super(primary.mode,[primary,companion]),this.primary=primary,this.companion=companion,this.progress=progress,this.logger=
logger}async syncLoop(signal){let ended=new AbortController,companionLoop=this.companion.syncLoop(AbortSignal.any([signal,
ended.signal])).catch(error=>{this.logger.error(`Companion ${this.companion.mode} of ${this.mode} has ended: ${messageOf(
error)}`)}).finally(()=>this.progress.end());try{await this.primary.syncLoop(signal)}finally{ended.abort(),await companionLoop}}};function withCompanion(primary,companion,contextOf){let factory=context=>{let create=(backend,given)=>partsOf(backend,given).
get(Tokens.ProxierFactory)(given),companionContext=contextOf(context);if(companionContext===void 0)return create(primary,
context);let progress=new CompanionProgress(context.clock),[first,second]=[create(primary,progress.waitedFor(context)),create(
companion,progress.watched(companionContext))];return new CompanionProxier(first,second,progress,context.logger)};return{
...primary,module:new ContainerModule(({bind})=>{bind(Tokens.ProxierFactory).toConstantValue(factory);let parts=resolution=>partsOf(
primary,{logger:resolution.get(Tokens.Logger),clock:resolution.get(Tokens.Clock)}),own=new Container;own.load(primary.module),
bind(Tokens.Cleanup).toDynamicValue(resolution=>parts(resolution).get(Tokens.Cleanup)),own.isBound(Tokens.KubeProxyCleanup)&&
bind(Tokens.KubeProxyCleanup).toDynamicValue(resolution=>parts(resolution).get(Tokens.KubeProxyCleanup)),own.isBound(Tokens.
Leftovers)&&bind(Tokens.Leftovers).toDynamicValue(resolution=>parts(resolution).get(Tokens.Leftovers))})}}function partsOf({
module},{logger,clock}){let container=new Container;return container.bind(Tokens.Logger).toConstantValue(logger),container.
bind(Tokens.Clock).toConstantValue(clock),container.load(module),container}function isEmptyChangeSet(changes){return changes.previous!==void 0&&changes.resolvedServicePorts.size===0&&changes.servicePorts.
size===0&&changes.healthCheckNodePorts.size===0&&changes.clusterIPs.size===0&&!changes.nodeChanged}function endpointsKeepingFlows({name,candidates}){if(name.protocol!=="UDP"||candidates.every(({serving:serving2})=>serving2))
return candidates;let serving=candidates.filter(endpoint=>endpoint.serving);return serving.length>0?serving:candidates}var PROBE_NAMESPACE="kube-proxier-probe";function isProbeService({namespace,name}){return namespace===PROBE_NAMESPACE&&(name===
"ipv4"||name==="ipv6")}var PROTOCOLS3=["TCP","UDP","SCTP"],MAX_PROBLEMS=20,DNS_SUBDOMAIN=/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/,DNS_LABEL=/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
function isDnsLabel(value){return typeof value=="string"&&DNS_LABEL.test(value)}function isDnsSubdomain(value){return typeof value==
"string"&&DNS_SUBDOMAIN.test(value)}function identityOf(object){let metadata=isRecord(object)?object.metadata:void 0;if(!(!isRecord(
metadata)||!isDnsSubdomain(metadata.name)))return{namespace:typeof metadata.namespace=="string"?metadata.namespace:"",name:metadata.
name}}function specialAddress(address){let{text}=address;if(text==="0.0.0.0"||text==="::")return"is the unspecified addr\
ess";if(isLoopback3(address))return"is a loopback address";if(text.startsWith("169.254.")||/^fe[89ab]/.test(text))return"\
is a link-local address";if(address.family==="IPv4"?Number(text.slice(0,text.indexOf(".")))>=224:text.startsWith("ff"))return"\
is a multicast or reserved address"}function isLoopback3({text}){return text.startsWith("127.")||text==="::1"}var FieldReader=class{kind;problems=[];#suppressed=0;#claimed={
namespace:"",name:"(without a name)"};constructor(kind){this.kind=kind}ignoreField(field,message){this.#note(field,message,
"field")}ignoreObject(field,message){this.#note(field,message,"object")}finish(){if(this.#suppressed>0){let more=`and ${this.#suppressed}\
 more problems of this object`;this.problems.push({kind:this.kind,...this.#identity,field:"",message:more,ignored:"field"}),
this.#suppressed=0}return this.problems}readIdentity(object,namespaced){if(!isRecord(object)){this.ignoreObject("",`${printableValue(
object)} is not an object`);return}let metadata=object.metadata;if(!isRecord(metadata)){this.ignoreObject("metadata","is\
 missing; an object needs metadata.name");return}if(this.#claimed={namespace:namespaced?metadata.namespace??"":"",name:metadata.
name??"(without a name)"},!isDnsSubdomain(metadata.name)){this.ignoreObject("metadata.name",`${printableValue(metadata.name)}\
 is not a name (lower case letters, digits, "-", ".")`);return}if(namespaced&&!isDnsLabel(metadata.namespace)){this.ignoreObject(
"metadata.namespace",`${printableValue(metadata.namespace)} is not a namespace (lower case letters, digits, "-", at most\
 63)`);return}return{namespace:namespaced?metadata.namespace:"",name:metadata.name}}list(value,field){return value==null?
[]:Array.isArray(value)?value:(this.ignoreField(field,`${printableValue(value)} is not a list`),[])}record(value,field){
if(value!=null){if(isRecord(value))return value;this.ignoreField(field,`${printableValue(value)} is not an object`)}}port(value,field){
return value==null||value===0?0:typeof value=="number"&&Number.isInteger(value)&&value>=1&&value<=65535?value:(this.ignoreField(
field,`${printableValue(value)} is not a port (1 to 65535)`),0)}portName(value,field){let name=value??"";if(name===""||isDnsLabel(
name))return name;this.ignoreField(field,`${printableValue(name)} is not a port name (lower case letters, digits, "-")`)}protocol(value,field){
let found=PROTOCOLS3.find(protocol=>protocol===(value??"TCP"));return found||this.ignoreField(field,`${printableValue(value)}\
 is not one of ${PROTOCOLS3.join(", ")}`),found}oneOf(value,allowed,fallback,field){if(value==null||value==="")return fallback;
let found=allowed.find(candidate=>candidate===value);return found!==void 0?found:(this.ignoreField(field,`${printableValue(
value)} is not one of ${allowed.join(", ")}; taken as ${fallback}`),fallback)}address(value,field,family,allowLoopback=!1){
let address=parseAddress(typeof value=="string"?value.trim():value);if(!address){this.ignoreField(field,`${printableValue(
value)} is not an IP address`);return}let special=specialAddress(address);if(special&&!(allowLoopback&&isLoopback3(address))){
this.ignoreField(field,`${address.text} ${special} and cannot be used here`);return}if(family&&address.family!==family){
this.ignoreField(field,`${address.text} is not an ${family} address`);return}return address}cidr(value,field){let cidr=parseCIDR(
typeof value=="string"?value.trim():value);return cidr||this.ignoreField(field,`${printableValue(value)} is not a networ\
k such as 10.0.0.0/8 or fd00::/64`),cidr}time(value){if(typeof value=="string"||Object.prototype.toString.call(value)===
"[object Date]"){let milliseconds=new Date(value).getTime();return Number.isNaN(milliseconds)?void 0:milliseconds}}get#identity(){
let text=value=>printableValue(value).replaceAll('"',"");return{namespace:text(this.#claimed.namespace),name:text(this.#claimed.
name)}}#note(field,message,ignored){if(this.problems.length>=MAX_PROBLEMS){this.#suppressed+=1;return}this.problems.push(
{kind:this.kind,...this.#identity,field,message,ignored})}};var MAX_RULES=1e3,MAX_NETWORKS2=64,MAX_SLOW_START_SECONDS=3600,NO_RULES=[];function readWeightRules(reader,annotations){
let text=annotations?.[ENDPOINT_WEIGHTS_ANNOTATION];if(typeof text!="string")return NO_RULES;let rules=[],networks=0;for(let item of text.
split(",")){let trimmed=item.trim();if(trimmed==="")continue;let rule=rules.length<MAX_RULES&&networks<MAX_NETWORKS2?readRule(
trimmed):void 0;if(networks+=rule?.selector.kind==="network"&&!/\/(32|128)$/.test(rule.selector.network)?1:0,rule===void 0){
let expected=`ADDRESS=WEIGHT, NETWORK=WEIGHT, node/NAME=WEIGHT or pod/NAME=WEIGHT with a weight from 0 to ${MAX_WEIGHT},\
 at most ${MAX_RULES} of them and ${MAX_NETWORKS2} networks`;reader.ignoreField(fieldOf(ENDPOINT_WEIGHTS_ANNOTATION),`${printableValue(
trimmed)} is not ${expected}`)}else rules.push(rule)}return rules.length===0?NO_RULES:rules}function readRule(text){let[
,what="",number=""]=/^([^=\s]+)\s*=\s*(\d{1,5})$/.exec(text)??[],weight=weightOf(number);if(weight===void 0)return;let[,
kind,name]=/^(node|pod)\/(.+)$/.exec(what)??[];if(kind!==void 0)return isDnsSubdomain(name)?{selector:{kind,name},weight}:
void 0;let address=parseAddress(what),network=address===void 0?parseCIDR(what)?.text:hostCIDR(address.text);return network===
void 0?void 0:{selector:{kind:"network",network},weight}}function readSliceWeight(reader,annotations){for(let key of[SLICE_WEIGHT_ANNOTATION,
CILIUM_SLICE_WEIGHT_ANNOTATION]){let text=annotations?.[key];if(text===void 0)continue;let weight=typeof text=="string"?
weightOf(text.trim()):void 0;if(weight!==void 0)return weight;reader.ignoreField(fieldOf(key),`${printableValue(text)} i\
s not a whole number from 0 to ${MAX_WEIGHT}`)}}function weightOf(text){return/^(0|[1-9]\d{0,4})$/.test(text)&&Number(text)<=
MAX_WEIGHT?Number(text):void 0}function readSlowStart(reader,annotations){let text=annotations?.[SLOW_START_ANNOTATION];
if(text===void 0)return;let[,number,unit]=typeof text=="string"&&/^([1-9]\d{0,3})(s|m)?$/.exec(text.trim())||[],seconds=Number(
number)*(unit==="m"?60:1);if(seconds<=MAX_SLOW_START_SECONDS)return seconds;reader.ignoreField(fieldOf(SLOW_START_ANNOTATION),
`${printableValue(text)} is not a duration such as 30s or 2m, up to ${MAX_SLOW_START_SECONDS}s`)}function fieldOf(annotation){
return`metadata.annotations["${annotation}"]`}var NO_HINTS=[],MAX_REASON=200;function readEndpointSlice(object,options={}){let reader=new FieldReader("EndpointSlice"),
identity=reader.readIdentity(object,!0),result=(definition,skipped)=>({identity,definition,skipped,problems:reader.finish()});
if(!identity||!isRecord(object)||!isRecord(object.metadata))return result();let labels=reader.record(object.metadata.labels,
"metadata.labels")??{};if(Object.hasOwn(labels,HEADLESS_SERVICE_LABEL))return result(void 0,`it has the label ${HEADLESS_SERVICE_LABEL}`);
let serviceName=labels[SERVICE_NAME_LABEL];if(serviceName===void 0||serviceName==="")return result(void 0,`it has no lab\
el ${SERVICE_NAME_LABEL}`);if(!isDnsSubdomain(serviceName))return reader.ignoreObject(`metadata.labels["${SERVICE_NAME_LABEL}\
"]`,`${printableValue(serviceName)} is not a Service name`),result();let{addressType}=object;if(addressType==="FQDN")return result(
void 0,"its addressType is FQDN");if(addressType!=="IPv4"&&addressType!=="IPv6")return reader.ignoreObject("addressType",
`${printableValue(addressType)} is not one of IPv4, IPv6, FQDN`),result();let annotations=reader.record(object.metadata.
annotations,"metadata.annotations"),weights={all:readSliceWeight(reader,annotations),rules:readWeightRules(reader,annotations)};
return result({namespace:identity.namespace,name:identity.name,serviceName,family:addressType,ports:readPorts(reader,object.
ports),endpoints:readEndpoints(reader,object.endpoints,addressType,options.allowLoopbackEndpoints??!1,identity.namespace,
weights),triggerTime:reader.time(annotations?.[LAST_CHANGE_TRIGGER_TIME_ANNOTATION])})}function readPorts(reader,value){
let ports=[];for(let[index,entry]of reader.list(value,"ports").entries()){let field=`ports[${index}]`,record=reader.record(
entry,field);if(!record)continue;if(record.port===void 0||record.port===null){reader.ignoreField(`${field}.port`,'is mis\
sing, and a port that means "all ports" cannot be proxied');continue}let portName=reader.portName(record.name,`${field}.\
name`),protocol=reader.protocol(record.protocol,`${field}.protocol`);if(portName===void 0||protocol===void 0)continue;let port=reader.
port(record.port,`${field}.port`);port!==0&&ports.push({portName,protocol,port})}return ports}function readEndpoints(reader,value,family,allowLoopback,namespace,weights){
let endpoints=[];for(let[index,entry]of reader.list(value,"endpoints").entries()){let record=isRecord(entry)?entry:void 0;
if(!record){reader.ignoreField(`endpoints[${index}]`,`${printableValue(entry)} is not an object`);continue}let addresses=record.
addresses;if(!Array.isArray(addresses)||addresses.length===0){reader.ignoreField(`endpoints[${index}].addresses`,`${printableValue(
addresses)} is not a list with an address`);continue}let address=reader.address(addresses[0],`endpoints[${index}].addres\
ses[0]`,family,allowLoopback);if(!address)continue;let conditions=isRecord(record.conditions)?record.conditions:{},hints=isRecord(
record.hints)?record.hints:void 0,nodeName=typeof record.nodeName=="string"&&record.nodeName!==""?record.nodeName:void 0,
podName=readPodName(record.targetRef,namespace);endpoints.push({address:address.text,ready:conditions.ready!==!1,serving:conditions.
serving!==!1,terminating:conditions.terminating===!0,notReadyReason:conditions.ready===!1&&typeof conditions.reason=="st\
ring"?printable(conditions.reason,MAX_REASON):void 0,weight:weights.rules.length===0?weights.all:weightByRules(weights.rules,
{address:address.text,nodeName,podName})??weights.all,nodeName,podName,zoneHints:readHints(hints?.forZones),nodeHints:readHints(
hints?.forNodes)})}return endpoints}function readPodName(targetRef,namespace){if(!(!isRecord(targetRef)||targetRef.kind!==
"Pod"||(targetRef.namespace??namespace)!==namespace))return typeof targetRef.name=="string"&&isDnsSubdomain(targetRef.name)?
targetRef.name:void 0}function readHints(value){return!Array.isArray(value)||value.length===0?NO_HINTS:value.map(hint2=>isRecord(
hint2)?hint2.name:void 0).filter(name=>typeof name=="string"&&name!=="")}function readNode(object){let reader=new FieldReader("Node"),identity=reader.readIdentity(object,!1);if(!identity||!isRecord(
object)||!isRecord(object.metadata))return{identity,definition:void 0,skipped:void 0,problems:reader.finish()};let zone=reader.
record(object.metadata.labels,"metadata.labels")?.[TOPOLOGY_ZONE_LABEL],spec=reader.record(object.spec,"spec"),status=reader.
record(object.status,"status"),podCIDRs=reader.list(spec?.podCIDRs,"spec.podCIDRs"),cidrs=podCIDRs.length>0?podCIDRs:spec?.
podCIDR?[spec.podCIDR]:[],taints=reader.list(spec?.taints,"spec.taints"),definition={name:identity.name,zone:typeof zone==
"string"&&zone!==""?zone:void 0,addresses:readAddresses(reader,status?.addresses),podCIDRs:cidrs.flatMap((text,index)=>reader.
cidr(text,`spec.podCIDRs[${index}]`)?.text??[]),deleting:object.metadata.deletionTimestamp!==void 0&&object.metadata.deletionTimestamp!==
null,taintKeys:taints.flatMap(taint=>isRecord(taint)&&typeof taint.key=="string"?[taint.key]:[])};return{identity,definition,
skipped:void 0,problems:reader.finish()}}function readAddresses(reader,value){let byType={InternalIP:[],ExternalIP:[]};for(let[
index,entry]of reader.list(value,"status.addresses").entries()){if(!isRecord(entry)||entry.type!=="InternalIP"&&entry.type!==
"ExternalIP")continue;let address=parseAddress(entry.address);address?byType[entry.type].push(address.text):reader.ignoreField(
`status.addresses[${index}].address`,`${printableValue(entry.address)} is not an IP address`)}return[...new Set([...byType.
InternalIP,...byType.ExternalIP])]}function readServiceCIDR(object){let reader=new FieldReader("ServiceCIDR"),identity=reader.
readIdentity(object,!1);if(!identity||!isRecord(object))return{identity,definition:void 0,skipped:void 0,problems:reader.
finish()};let cidrs=reader.list(reader.record(object.spec,"spec")?.cidrs,"spec.cidrs"),definition={name:identity.name,cidrs:cidrs.
flatMap((text,index)=>reader.cidr(text,`spec.cidrs[${index}]`)?.text??[])};return{identity,definition,skipped:void 0,problems:reader.
finish()}}var MAX_RANGES=64,MAX_PORT=65535;function readPortRanges(reader,annotations,ports){let text=annotations[PORT_RANGE_ANNOTATION];
if(typeof text!="string")return ports;let field=`metadata.annotations["${PORT_RANGE_ANNOTATION}"]`,lastPorts=new Map;for(let item of text.
split(",").map(part=>part.trim())){if(item==="")continue;let[,from,to]=/^([1-9]\d{0,4})\s*-\s*([1-9]\d{0,4})$/.exec(item)??
[],[first,last]=[Number(from),Number(to)];from===void 0||last>MAX_PORT||last<first||lastPorts.size>=MAX_RANGES?reader.ignoreField(
field,`${printableValue(item)} is not FIRST-LAST, for example 10000-20000, with ports from 1 to ${MAX_PORT}, at most ${MAX_RANGES}\
 of them`):ports.some(({port})=>port===first)?lastPorts.has(first)?reader.ignoreField(field,`${item}: port ${first} has \
a range already; name each first port once`):lastPorts.set(first,last):reader.ignoreField(field,`${item}: the Service ha\
s no port ${first}; add one to spec.ports, which the range extends`)}return ports.map(definition=>{let{port,protocol}=definition,
last=lastPorts.get(port)??port;if(last===port)return definition;let inside=ports.find(other=>other.protocol===protocol&&
other.port>port&&other.port<=last);return inside!==void 0?(reader.ignoreField(field,`${port}-${last} contains port ${inside.
port}/${protocol} of the same Service, so of the range only port ${port}/${protocol} is served; let the range end before\
 it, or remove that port`),definition):{...definition,lastPort:last}})}function readWhenEndpointGoes(reader,annotations){let text=annotations[WHEN_ENDPOINT_GOES_ANNOTATION],value=typeof text==
"string"?text.trim():text;return value===void 0||value==="keep"||value==="reset"?value??"keep":(reader.ignoreField(`meta\
data.annotations["${WHEN_ENDPOINT_GOES_ANNOTATION}"]`,`${printableValue(text)} is neither keep nor reset; connections ar\
e kept`),"keep")}var FAMILIES=["IPv4","IPv6"],DEFAULT_AFFINITY_SECONDS=10800,MAX_AFFINITY_SECONDS=86400,ANNOTATION_PREFIX="kube-proxier.i\
o/",NONE=[];function readService(object,options={}){let reader=new FieldReader("Service"),identity=reader.readIdentity(object,
!0),result=(definition,skipped)=>({identity,definition,skipped,problems:reader.finish()});if(!identity||!isRecord(object)||
!isRecord(object.metadata))return result();let{metadata}=object,labels=reader.record(metadata.labels,"metadata.labels")??
{};if(Object.hasOwn(labels,SERVICE_PROXY_NAME_LABEL))return result(void 0,`it is left to another proxy by the label ${SERVICE_PROXY_NAME_LABEL}`);
let spec=object.spec;if(!isRecord(spec))return reader.ignoreObject("spec","is missing"),result();let type=reader.oneOf(spec.
type,["ClusterIP","NodePort","LoadBalancer","ExternalName"],"ClusterIP","spec.type");if(type==="ExternalName")return result(
void 0,"its type is ExternalName");if(spec.clusterIP==="None")return result(void 0,"it is headless (clusterIP: None)");if(!spec.
clusterIP&&reader.list(spec.clusterIPs,"spec.clusterIPs").length===0)return result(void 0,"it has no cluster IP");let clusterIPs=readClusterIPs(
reader,spec);if(!clusterIPs)return result();let served=options.serviceExternalIPs??!0,externalIPs=readAddresses2(reader,
served?spec.externalIPs:void 0,"spec.externalIPs"),vips=readLoadBalancerVIPs(reader,object.status),ranges=readSourceRanges(
reader,spec.loadBalancerSourceRanges),families={};for(let family of FAMILIES){let clusterIP=clusterIPs[family];clusterIP!==
void 0&&(families[family]={clusterIP,externalIPs:externalIPs[family],loadBalancerVIPs:vips[family],loadBalancerSourceRanges:ranges[family]})}
let annotations=readAnnotations(reader,metadata.annotations),ports=readPortRanges(reader,annotations,readPorts2(reader,spec.
ports)),externallyAccessible=type!=="ClusterIP"||externalIPs.IPv4.length+externalIPs.IPv6.length>0,externalTrafficPolicy=reader.
oneOf(spec.externalTrafficPolicy,["Cluster","Local"],"Cluster","spec.externalTrafficPolicy"),external=externallyAccessible&&
externalTrafficPolicy==="Local"?"Local":"Cluster",healthCheckNodePort=reader.port(spec.healthCheckNodePort,"spec.healthC\
heckNodePort");return type==="LoadBalancer"&&external==="Local"&&healthCheckNodePort===0&&reader.ignoreField("spec.healt\
hCheckNodePort","is missing; a LoadBalancer with externalTrafficPolicy Local needs one for its health checks"),result({namespace:identity.
namespace,name:identity.name,createdAt:reader.time(metadata.creationTimestamp)??0,ports,families,externalTrafficPolicy:external,
internalTrafficPolicy:reader.oneOf(spec.internalTrafficPolicy,["Cluster","Local"],"Cluster","spec.internalTrafficPolicy"),
affinitySeconds:readAffinity(reader,spec),healthCheckNodePort:type==="LoadBalancer"&&external==="Local"?healthCheckNodePort:
0,annotations,endpointWeights:readWeightRules(reader,annotations),slowStartSeconds:readSlowStart(reader,annotations),whenEndpointGoes:readWhenEndpointGoes(
reader,annotations)})}function readClusterIPs(reader,spec){let listed=reader.list(spec.clusterIPs,"spec.clusterIPs"),texts=listed.
length>0?listed:[spec.clusterIP],path=index=>listed.length>0?`spec.clusterIPs[${index}]`:"spec.clusterIP",found={},declared=reader.
list(spec.ipFamilies,"spec.ipFamilies");for(let[index,text]of texts.entries()){let address=reader.address(text,path(index));
if(!address){reader.ignoreObject(path(index),"without its cluster IP the Service cannot be programmed");return}if(declared.
length>0&&declared[index]!==address.family){let entry=declared[index]===void 0?"has no entry for it":`has ${printableValue(
declared[index])}`;reader.ignoreField(path(index),`${address.text} is an ${address.family} address, but spec.ipFamilies ${entry}`);
continue}found[address.family]??=address.text}return found}function readAddresses2(reader,value,field){let found={IPv4:[],
IPv6:[]};for(let[index,text]of reader.list(value,field).entries()){if(typeof text=="string"&&text.trim()==="")continue;let address=reader.
address(text,`${field}[${index}]`);address&&!found[address.family].includes(address.text)&&found[address.family].push(address.
text)}return sorted(found)}function sorted({IPv4,IPv6}){return{IPv4:IPv4.length===0?NONE:IPv4.sort(),IPv6:IPv6.length===
0?NONE:IPv6.sort()}}function readLoadBalancerVIPs(reader,status){let found={IPv4:[],IPv6:[]},loadBalancer=reader.record(
reader.record(status,"status")?.loadBalancer,"status.loadBalancer"),ingress=reader.list(loadBalancer?.ingress,"status.lo\
adBalancer.ingress");for(let[index,entry]of ingress.entries()){let field=`status.loadBalancer.ingress[${index}]`,record=reader.
record(entry,field);if(!record?.ip||reader.oneOf(record.ipMode,["VIP","Proxy"],"VIP",`${field}.ipMode`)==="Proxy")continue;
let address=reader.address(record.ip,`${field}.ip`);address&&!found[address.family].includes(address.text)&&found[address.
family].push(address.text)}return sorted(found)}function readSourceRanges(reader,value){let found={IPv4:[],IPv6:[]},open={
IPv4:!1,IPv6:!1},malformed=!1;for(let[index,text]of reader.list(value,"spec.loadBalancerSourceRanges").entries()){let cidr=reader.
cidr(text,`spec.loadBalancerSourceRanges[${index}]`);cidr?cidr.prefixLength===0?open[cidr.family]=!0:found[cidr.family].
includes(cidr.text)||found[cidr.family].push(cidr.text):malformed=!0}let ranges=sorted(found),of=family=>open[family]||ranges[family].
length===0&&!malformed?void 0:ranges[family];return{IPv4:of("IPv4"),IPv6:of("IPv6")}}function readPorts2(reader,value){let ports=[];
for(let[index,entry]of reader.list(value,"spec.ports").entries()){let field=`spec.ports[${index}]`,record=reader.record(
entry,field);if(!record)continue;let portName=reader.portName(record.name,`${field}.name`),protocol=reader.protocol(record.
protocol,`${field}.protocol`);if(portName===void 0||protocol===void 0)continue;let port=reader.port(record.port,`${field}\
.port`);if(port===0){(record.port===void 0||record.port===null||record.port===0)&&reader.ignoreField(`${field}.port`,"is\
 missing");continue}let read={portName,protocol,port,nodePort:reader.port(record.nodePort,`${field}.nodePort`)},twin=ports.
find(other=>other.protocol===read.protocol&&(other.portName===read.portName||other.port===read.port));if(twin){reader.ignoreField(
field,`has the ${twin.port===port?"port":"name"} and protocol of an earlier port`);continue}ports.push(read)}return ports.
slice()}function readAffinity(reader,spec){if(reader.oneOf(spec.sessionAffinity,["None","ClientIP"],"None","spec.session\
Affinity")==="None")return;let config=reader.record(spec.sessionAffinityConfig,"spec.sessionAffinityConfig"),seconds=reader.
record(config?.clientIP,"spec.sessionAffinityConfig.clientIP")?.timeoutSeconds;return seconds==null?DEFAULT_AFFINITY_SECONDS:
typeof seconds=="number"&&Number.isInteger(seconds)&&seconds>0&&seconds<=MAX_AFFINITY_SECONDS?seconds:(reader.ignoreField(
"spec.sessionAffinityConfig.clientIP.timeoutSeconds",`${printableValue(seconds)} is not a number of seconds (1 to ${MAX_AFFINITY_SECONDS}\
); taken as ${DEFAULT_AFFINITY_SECONDS}`),DEFAULT_AFFINITY_SECONDS)}var NO_ANNOTATIONS={};function readAnnotations(reader,value){
let record=reader.record(value,"metadata.annotations");if(!record)return NO_ANNOTATIONS;let own=Object.entries(record).filter(
entry=>entry[0].startsWith(ANNOTATION_PREFIX)&&typeof entry[1]=="string");return own.length===0?NO_ANNOTATIONS:Object.fromEntries(
own.sort(([a],[b])=>a<b?-1:1))}var ObjectReader=class{onProblem;options;#latest=new Map;#reported=new Map;constructor(onProblem=()=>{},options={}){this.
onProblem=onProblem,this.options=options}readService(object){return this.#read("Service",object,given=>readService(given,
this.options))}readEndpointSlice(object){return this.#read("EndpointSlice",object,given=>readEndpointSlice(given,this.options))}readNode(object){
return this.#read("Node",object,readNode)}readServiceCIDR(object){return this.#read("ServiceCIDR",object,readServiceCIDR)}forget(kind,identity){
this.#reported.delete(`${kind} ${identity.namespace}/${identity.name}`)}#read(kind,object,parse){let latest=this.#latest.
get(kind);if(latest&&latest.object===object)return latest.result;let result=parse(object);return typeof object=="object"&&
object!==null&&this.#latest.set(kind,{object,result}),this.#report(kind,result),result}#report(kind,result){let key=result.
identity?`${kind} ${result.identity.namespace}/${result.identity.name}`:kind;if(result.problems.length===0){this.#reported.
delete(key);return}let text=JSON.stringify(result.problems);if(this.#reported.get(key)!==text){this.#reported.set(key,text);
for(let problem of result.problems)this.onProblem(problem)}}};function nestingOfText(text,limit){let around=[],weights=0,brackets=[],deepest=0,at=0;for(;at<text.length&&deepest<=limit;){
let begin=at;for(;text[at]===" "||text[at]==="	";)at+=1;let column=at-begin,isItem=text[at]==="-"&&isSpace(text[at+1]);if(at<
text.length&&text[at]!==`
`)for(let last=around.at(-1);last!==void 0&&!isInside({column,isItem},last);last=around.at(-1))weights-=last.weight,around.
pop();let weight=1;for(;at<text.length&&text[at]!==`
`&&deepest<=limit;at+=1)switch(text[at]){case"-":case"?":case":":weight+=isSpace(text[at+1])?1:0;break;case"[":case"{":brackets.
push(text[at]==="["?"]":"}"),deepest=Math.max(deepest,weights+weight+2*brackets.length);break;case"]":case"}":brackets.at(
-1)===text[at]&&brackets.pop();break}at>begin+column&&(around.push({column,isItem,weight}),weights+=weight,deepest=Math.
max(deepest,weights+2*brackets.length+1)),at+=1}return deepest}function isInside(line,earlier){return line.column>earlier.
column||line.column===earlier.column&&line.isItem&&!earlier.isItem}function isSpace(letter){return letter===void 0||letter===
" "||letter==="	"||letter===`
`||letter==="\r"}var SLICE2=10,WorkEnded=class extends Error{},EventLoopPace=class{clock;signal;#begun;constructor(clock=systemClock,signal){
this.clock=clock,this.signal=signal,this.#begun=clock.monotonic()}isPauseDue(){return this.clock.monotonic()-this.#begun>=
SLICE2}async pause(){if(await new Promise(resolve2=>setImmediate(resolve2)),this.signal?.aborted)throw new WorkEnded("th\
e work was ended");this.#begun=this.clock.monotonic()}};var StateMemo=class{derive;#values=new WeakMap;constructor(derive){this.derive=derive}of(state){let value=this.#values.get(
state);return value===void 0&&(value=this.derive(state),this.#values.set(state,value)),value}known(state){return this.#values.
get(state)}take(state){let value=this.of(state);return this.#values.delete(state),value}set(state,value){this.#values.set(
state,value)}advance(previous,next,update){let updated=update(this.take(previous));return this.#values.set(next,updated),
updated}};var FAMILIES2=["IPv4","IPv6"],NO_NETWORK="none";function reducedService(definition){let{namespace,name,createdAt,ports,families,
annotations}=definition,served=FAMILIES2.flatMap(family=>{let own=families[family];return own===void 0?[]:[{family,...own}]}),
externalIPs=served.flatMap(own=>own.externalIPs),vips=served.flatMap(own=>own.loadBalancerVIPs),ranges=sourceRanges(definition),
{externalTrafficPolicy,internalTrafficPolicy,affinitySeconds,healthCheckNodePort}=definition,type=healthCheckNodePort!==
0?"LoadBalancer":externalTrafficPolicy==="Local"?"NodePort":void 0;return{metadata:{name,namespace,...createdAt===0?{}:{
creationTimestamp:new Date(createdAt).toISOString()},...Object.keys(annotations).length===0?{}:{annotations}},spec:{...type===
void 0?{}:{type},...served.length===0?{clusterIPs:["192.0.2.1"],ipFamilies:["none"]}:{clusterIPs:served.map(({clusterIP})=>clusterIP)},
...externalIPs.length===0?{}:{externalIPs},ports:ports.map(({portName,protocol,port,nodePort})=>({...portName===""?{}:{name:portName},
...protocol==="TCP"?{}:{protocol},port,...nodePort===0?{}:{nodePort}})),...affinitySeconds===void 0?{}:{sessionAffinity:"\
ClientIP",sessionAffinityConfig:{clientIP:{timeoutSeconds:affinitySeconds}}},...externalTrafficPolicy==="Cluster"?{}:{externalTrafficPolicy},
...internalTrafficPolicy==="Cluster"?{}:{internalTrafficPolicy},...healthCheckNodePort===0?{}:{healthCheckNodePort},...ranges.
length===0?{}:{loadBalancerSourceRanges:ranges}},...vips.length===0?{}:{status:{loadBalancer:{ingress:vips.map(ip=>({ip}))}}}}}
function sourceRanges({families}){let isClosed=FAMILIES2.some(family=>families[family]?.loadBalancerSourceRanges?.length===
0),listed=FAMILIES2.flatMap(family=>{let own=families[family];return own?.loadBalancerSourceRanges??(isClosed&&own!==void 0?
[family==="IPv4"?"0.0.0.0/0":"::/0"]:[])});return isClosed?[...listed,NO_NETWORK]:listed}function reducedEndpointSlice(definition){
let{namespace,name,serviceName,family,ports,endpoints,triggerTime}=definition,weights=endpoints.flatMap(({address,weight})=>weight===
void 0?[]:[`${address}=${weight}`]).join(",");return{metadata:{name,namespace,labels:{[SERVICE_NAME_LABEL]:serviceName},
...triggerTime===void 0&&weights===""?{}:{annotations:{...triggerTime===void 0?{}:{[LAST_CHANGE_TRIGGER_TIME_ANNOTATION]:new Date(
triggerTime).toISOString()},...weights===""?{}:{[ENDPOINT_WEIGHTS_ANNOTATION]:weights}}}},addressType:family,ports:ports.
map(({portName,protocol,port})=>({...portName===""?{}:{name:portName},...protocol==="TCP"?{}:{protocol},port})),endpoints:endpoints.
map(reducedEndpoint)}}function reducedEndpoint(endpoint){let{address,ready,serving,terminating,notReadyReason,nodeName,podName,
zoneHints,nodeHints}=endpoint,isPlain=ready&&serving&&!terminating,hasHints=zoneHints.length+nodeHints.length>0;return{addresses:[
address],...isPlain?{}:{conditions:{...ready?{}:{ready},...serving?{}:{serving},...terminating?{terminating}:{},...notReadyReason===
void 0?{}:{reason:notReadyReason}}},...nodeName===void 0?{}:{nodeName},...podName===void 0?{}:{targetRef:{kind:"Pod",name:podName}},
...hasHints?{hints:{...zoneHints.length===0?{}:{forZones:zoneHints.map(name=>({name}))},...nodeHints.length===0?{}:{forNodes:nodeHints.
map(name=>({name}))}}}:{}}}function reducedNode({name,zone,addresses,podCIDRs,deleting,taintKeys}){return{metadata:{name,
...zone===void 0?{}:{labels:{[TOPOLOGY_ZONE_LABEL]:zone}},...deleting?{deletionTimestamp:"1970-01-01T00:00:00Z"}:{}},...podCIDRs.
length+taintKeys.length===0?{}:{spec:{...podCIDRs.length===0?{}:{podCIDRs},...taintKeys.length===0?{}:{taints:taintKeys.
map(key=>({key}))}}},...addresses.length===0?{}:{status:{addresses:addresses.map(address=>({type:"InternalIP",address}))}}}}var DeltaMismatchError=class extends RangeError{};function deltaOf(previous,current){return isRecord(previous)&&isRecord(
current)?deltaOfRecords(previous,current):Array.isArray(previous)&&Array.isArray(current)?deltaOfLists(previous,current):
{to:current}}function deltaOfRecords(previous,current){let fields=[];for(let[key,value]of Object.entries(current))value!==
void 0&&!structurallyEqual(value,previous[key])&&fields.push([key,Object.hasOwn(previous,key)?deltaOf(previous[key],value):
{to:value}]);for(let[key,value]of Object.entries(previous))value!==void 0&&current[key]===void 0&&fields.push([key,{}]);
return{of:Object.fromEntries(fields)}}function deltaOfLists(previous,current){if(previous.length===current.length){let items=current.
flatMap((value,index)=>structurallyEqual(value,previous[index])?[]:[[String(index),deltaOf(previous[index],value)]]);if(items.
length*2<=current.length||items.length===1)return{at:Object.fromEntries(items)}}let least=Math.min(previous.length,current.
length),from=0;for(;from<least&&structurallyEqual(previous[from],current[from]);)from+=1;let same=0;for(;same<least-from&&
structurallyEqual(previous.at(-1-same),current.at(-1-same));)same+=1;return{from,drop:previous.length-same-from,add:current.
slice(from,current.length-same)}}function applyDelta(previous,delta){if(!isRecord(delta))throw new DeltaMismatchError("a\
 delta is not an object");if("to"in delta)return delta.to;if("of"in delta)return applyFields(previous,delta.of);if("at"in
delta)return applyItems(previous,delta.at);if("from"in delta)return replacePart(previous,delta);throw new DeltaMismatchError(
"a delta has none of the fields to, of, at and from")}function applyFields(previous,fields){if(!isRecord(previous)||!isRecord(
fields))throw new DeltaMismatchError("a delta of fields belongs to no record");let kept=Object.entries(previous).filter(
([key])=>!Object.hasOwn(fields,key)),changed=Object.entries(fields).filter(([,delta])=>!isRecord(delta)||Object.keys(delta).
length>0).map(([key,delta])=>[key,applyDelta(Object.hasOwn(previous,key)?previous[key]:void 0,delta)]);return Object.fromEntries(
[...kept,...changed])}function applyItems(previous,items){if(!Array.isArray(previous)||!isRecord(items))throw new DeltaMismatchError(
"a delta of items belongs to no list");let next=[...previous];for(let[text,delta]of Object.entries(items)){let index=Number(
text);if(!Number.isInteger(index)||index<0||index>=previous.length)throw new DeltaMismatchError(`a delta changes item ${text}\
 of a list with ${previous.length}`);next[index]=applyDelta(previous[index],delta)}return next}function replacePart(previous,{
from,drop,add}){if(!Array.isArray(previous)||!isCount(from)||!isCount(drop)||!Array.isArray(add))throw new DeltaMismatchError(
"a delta replaces a part of what is no list");if(from+drop>previous.length)throw new DeltaMismatchError(`a delta replace\
s items up to ${from+drop} of a list with ${previous.length}`);return[...previous.slice(0,from),...add,...previous.slice(
from+drop)]}function isCount(value){return typeof value=="number"&&Number.isSafeInteger(value)&&value>=0}var PlainTextStore=class{#texts=new Map;get(key){return this.#texts.get(key)}set(key,text){this.#texts.set(key,text)}delete(key){
this.#texts.delete(key)}entries(){return[...this.#texts]}};var ObjectJournal=class{reader;texts;#origins=new Map;#isRecording=!1;#originBytes=0;constructor(reader,texts=new PlainTextStore){
this.reader=reader,this.texts=texts}get originSize(){return this.#originBytes}begin(){this.#isRecording=!0}updateService(previous,current){
let result=current&&this.reader.readService(current);return this.#update("Service",previous,result,definition=>reducedService(
definition))}updateEndpointSlice(previous,current){let result=current&&this.reader.readEndpointSlice(current);return this.#update(
"EndpointSlice",previous,result,definition=>reducedEndpointSlice(definition))}updateNode(node,nodeName){let{definition}=this.
reader.readNode(node);return definition===void 0||definition.name!==nodeName?[]:this.#setNode(definition)}updateServiceCIDRs(cidrs){
return this.#set("ServiceCIDRs","",cidrs)}updateAddresses(family,addresses){return this.#set("Addresses",family,addresses)}current(){
return objectsOf(this.texts.entries(),new Map)}origin(){let backs=new Map([...this.#origins].map(([key,{back}])=>[key,back]));
return objectsOf(this.texts.entries(),backs)}forget({kind,name,is,to,gone}){let key=keyOf3(kind,name),origin=this.#origins.
get(key);if(origin===void 0)return;if(origin.changes-=1,origin.changes===0){this.#originBytes-=origin.back?.length??0,this.#origins.
delete(key);return}let current=parsed(this.texts.get(key));this.#setBack(origin,current,gone?void 0:to===void 0?is:applyDelta(
before(current,origin),to))}#setNode(definition){return this.#set("Node",definition.name,reducedNode(definition))}#update(kind,previous,result,reduce){
let before2=identityOf(previous);if(result===void 0)return before2===void 0?[]:this.#remove(kind,nameOf(before2));let{identity,
definition,skipped}=result,name=identity&&nameOf(identity),removed=before2!==void 0&&name!==void 0&&nameOf(before2)!==name?
this.#remove(kind,nameOf(before2)):[];if(name===void 0||definition===void 0&&skipped===void 0)return removed;let changes=definition===
void 0?this.#remove(kind,name):this.#set(kind,name,reduce(definition));return removed.length===0?changes:[...removed,...changes]}#set(kind,name,current){
let text=JSON.stringify(current),key=keyOf3(kind,name),previousText=this.texts.get(key);if(previousText===text)return[];
if(this.texts.set(key,text),!this.#isRecording)return[];let previous=parsed(previousText);return this.#note(key,previous,
current),[previous===void 0?{kind,name,is:current}:{kind,name,to:deltaOf(previous,current)}]}#remove(kind,name){let key=keyOf3(
kind,name),previous=this.texts.get(key);return previous===void 0?[]:(this.texts.delete(key),this.#isRecording?(this.#note(
key,parsed(previous),void 0),[{kind,name,gone:!0}]):[])}#note(key,previous,current){let known=this.#origins.get(key),origin=known??
{back:void 0,changes:0},was=known===void 0?previous:before(previous,known);this.#origins.set(key,origin),origin.changes+=
1,this.#setBack(origin,current,was)}#setBack(origin,current,was){this.#originBytes-=origin.back?.length??0,origin.back=was===
void 0?void 0:flatText(JSON.stringify(current===void 0?{to:was}:deltaOf(current,was))),this.#originBytes+=origin.back?.length??
0}};function before(current,{back}){return back===void 0?void 0:applyDelta(current,JSON.parse(back))}function*objectsOf(current,changed){
for(let[key,text]of current){if(!changed.has(key)){yield{...parseKey(key),text};continue}let back=changed.get(key);changed.
delete(key),back!==void 0&&(yield{...parseKey(key),text:JSON.stringify(applyDelta(JSON.parse(text),JSON.parse(back)))})}
for(let[key,back]of changed)back!==void 0&&(yield{...parseKey(key),text:JSON.stringify(applyDelta(void 0,JSON.parse(back)))})}
function parsed(text){return text===void 0?void 0:JSON.parse(text)}function nameOf({namespace,name}){return namespace===
""?name:flatText(namespace,"/",name)}function keyOf3(kind,name){return flatText(kind," ",name)}function parseKey(key){let space=key.
indexOf(" ");return{kind:key.slice(0,space),name:key.slice(space+1)}}var RECORDING_FORMAT="kube-proxier.io/recording",RECORDING_VERSION=1,KINDS=["Service","EndpointSlice","Node","ServiceCID\
Rs","Addresses"],RecordingError=class extends ProxierError{constructor(code,message,cause){super(code,message,{cause})}},
FIELDS={begin:{format:isString,version:isNumber,time:isTime,nodeName:isString,program:isString},clock:{time:isTime},mode:{
mode:isString},family:{family:isFamily,options:isOptions,includesLocalAddresses:isBoolean},object:{kind:value=>KINDS.some(
kind=>kind===value),name:isString},checkpoint:{},resolved:{family:isFamily},sync:{family:isFamily,full:isBoolean,duration:isNumber,
changes:isNumber,revision:isNumber},failed:{family:isFamily,full:isBoolean,duration:isNumber,failures:isNumber,error:isString},
drift:{family:isFamily,what:isString},ready:{ready:isBoolean},failure:{part:isString,error:isString}},MAX_NESTING=64;function parseRecordedEntry(line){
let value=parseLine(line);if(!isRecord(value)||!isNumber(value.at))throw damaged(`${printable(line,80)} is not an entry`);
let{entry}=value;if(!(typeof entry!="string"||!Object.hasOwn(FIELDS,entry))){for(let[field,holds]of Object.entries(FIELDS[entry]))
if(!holds(value[field]))throw damaged(`an entry ${entry} has ${field}: ${printableValue(value[field])}`);return value}}function parseLine(line){
if(nestingOf(line)>MAX_NESTING)throw damaged(`${printable(line,80)} is nested too deeply`);try{return JSON.parse(line)}catch(error){
throw damaged(`${printable(line,80)} is not JSON`,error)}}function nestingOf(text){let depth=0,deepest=0;for(let index=0;index<
text.length;index+=1){let code=text.charCodeAt(index);code===123||code===91?(depth+=1,deepest=Math.max(deepest,depth)):(code===
125||code===93)&&(depth-=1)}return deepest}function damaged(what,cause){return new RecordingError("RECORDING_DAMAGED",`t\
he recording is damaged: ${what}`,cause)}function isString(value){return typeof value=="string"}function isNumber(value){
return typeof value=="number"&&Number.isFinite(value)}function isBoolean(value){return typeof value=="boolean"}function isTime(value){
return typeof value=="string"&&!Number.isNaN(Date.parse(value))}function isFamily(value){return value==="IPv4"||value===
"IPv6"}function isTexts(value){return Array.isArray(value)&&value.every(isString)}function isOptions(value){return isRecord(
value)&&isString(value.nodeName)&&isTexts(value.nodeAddresses)&&isBoolean(value.masqueradeAll)&&(isBoolean(value.localhostNodePorts)||
value.localhostNodePorts==="listed")&&isBoolean(value.nodeTopologyHints)&&isString(value.overlappingExternalAddresses)&&
isSelection(value.nodePortAddresses)&&isDetection(value.localTrafficDetection)}function isSelection(value){return isRecord(
value)&&(value.kind==="all"||value.kind==="primary"||value.kind==="cidrs"&&isTexts(value.cidrs)||value.kind==="entries"&&
isTexts(value.entries))}function isDetection(value){return isRecord(value)&&isDetectionOf(value)}function isDetectionOf(value){
switch(value.kind){case"none":case"node-cidr":return!0;case"cluster-cidr":return isTexts(value.cidrs);case"source-cidr":
return isString(value.cidr);case"interface":return isString(value.name);case"interface-prefix":return isString(value.prefix);default:
return!1}}var import_immutable2=__toESM(require_immutable(),1);var MIN_STEP=1e3,SlowStart=class{#starting=new Map;#advancedAt=Number.NEGATIVE_INFINITY;get nextStep(){let next;for(let{
since,duration}of this.#starting.values()){let step=stepOf(duration),passed=Math.max(0,Math.floor((this.#advancedAt-since)/
step)),due=Math.max(since+(passed+1)*step,this.#advancedAt+MIN_STEP);next=next===void 0?due:Math.min(next,due)}return next}enter({
service,port,key,before:before2,endpoint,now,seconds}){let id=`${port} ${key}`;if(endpoint===void 0||!isSelectable(endpoint))
return this.#starting.delete(id),endpoint;let known=this.#starting.get(id);if(known)return known.endpoint=withParts(endpoint,
known.endpoint.slowStart),known.endpoint;if(seconds===void 0||now===void 0||before2!==void 0&&isSelectable(before2))return endpoint;
let starting=withParts(endpoint,1);return this.#starting.set(id,{service,port,endpoint:starting,since:now,duration:seconds*
1e3}),starting}setDuration(service,seconds){for(let starting of this.#starting.values())starting.service===service&&(starting.
duration=(seconds??0)*1e3)}advance(now){let changes=new Map;for(let[id,starting]of this.#starting){let parts=partsOf2(now-
starting.since,starting.duration);if(parts===starting.endpoint.slowStart)continue;starting.endpoint=withParts(starting.endpoint,
parts),parts===void 0&&this.#starting.delete(id);let{service,port,endpoint}=starting,change=changes.get(port)??{service,
endpoints:[]};changes.set(port,change),change.endpoints.push([endpoint.key,endpoint])}return this.#advancedAt=now,[...changes].
map(([port,{service,endpoints}])=>[service,port,endpoints])}};function stepOf(duration){return Math.max(MIN_STEP,duration/
SLOW_START_PARTS)}function partsOf2(elapsed,duration){if(elapsed>=duration)return;let step=stepOf(duration),parts=Math.floor(
SLOW_START_PARTS*Math.floor(elapsed/step)*step/duration);return Math.min(Math.max(parts,1),SLOW_START_PARTS-1)}function withParts(endpoint,parts){
let{slowStart:_before,...rest}=endpoint;return parts===void 0?rest:{...rest,slowStart:parts}}var SmallMap=class{#only;#value;#several;get size(){return this.#several?.size??(this.#only===void 0?0:1)}has(key){return this.#several?.
has(key)??this.#only===key}get(key){return this.#several?this.#several.get(key):this.#only===key?this.#value:void 0}set(key,value){
this.#several?this.#several.set(key,value):this.#only===void 0||this.#only===key?(this.#only=key,this.#value=value):(this.#several=
new Map([[this.#only,this.#value]]).set(key,value),this.#only=void 0,this.#value=void 0)}delete(key){this.#several?this.#several.
delete(key):this.#only===key&&(this.#only=void 0,this.#value=void 0)}keys(){return this.#several?.keys()??(this.#only===
void 0?[]:[this.#only])}values(){return this.#several?.values()??(this.#only===void 0?[]:[this.#value])}[Symbol.iterator](){
return(this.#several??(this.#only===void 0?[]:[[this.#only,this.#value]]))[Symbol.iterator]()}};var EQUAL_SHARES={endpointWeights:[],slowStartSeconds:void 0},NO_ADDRESSES=new Set,EndpointSliceTracker=class{family;reader;place;since;#services=new Map;#pending=new Map;#taken=new Map;#merged=new Map;#isMoved=!0;#owners=new Map;#policies=new Map;#slowStart=new SlowStart;#hasApplied=!1;#pendingSlices=0;constructor(family,reader,place,since){
this.family=family,this.reader=reader,this.place=place,this.since=since}get pendingCount(){return this.#pendingSlices}update(previous,current){
let before2=identityOf(previous);if(current===void 0)return this.#remove(before2);let{identity,definition,skipped}=this.
reader.readEndpointSlice(current),changed=before2&&identity&&sliceKeyOf(before2)!==sliceKeyOf(identity)?this.#remove(before2):
!1;if(!identity||!definition&&skipped===void 0)return changed;let sliceKey=sliceKeyOf(identity),mine=definition?.family===
this.family?definition:void 0,owner=mine&&serviceKey({namespace:mine.namespace,name:mine.serviceName}),formerOwner=this.#owners.
get(sliceKey);if(formerOwner!==void 0&&formerOwner!==owner&&(changed=this.#fold(formerOwner,identity.name,void 0)||changed,
this.#owners.delete(sliceKey)),mine&&owner!==void 0){this.#owners.set(sliceKey,owner);let known=this.#latest(owner,identity.
name),{endpointWeights}=this.#policies.get(owner)??EQUAL_SHARES,contribution=contributionOf(mine,this.place.nodeName,endpointWeights,
known);changed=this.#fold(owner,identity.name,contribution)||changed}return changed}setPolicy(service,policy){let before2=this.#policies.
get(service)??EQUAL_SHARES,after=policy??EQUAL_SHARES,isEqual2=after.endpointWeights.length===0&&after.slowStartSeconds===
void 0;if(isEqual2&&before2===EQUAL_SHARES||(isEqual2?this.#policies.delete(service):this.#policies.set(service,{endpointWeights:after.
endpointWeights,slowStartSeconds:after.slowStartSeconds}),before2.slowStartSeconds!==after.slowStartSeconds&&this.#slowStart.
setDuration(service,after.slowStartSeconds),structurallyEqual(before2.endpointWeights,after.endpointWeights)))return;let slices=new Set(
[...this.#services.get(service)?.slices.keys()??[],...this.#taken.get(service)?.keys()??[],...this.#pending.get(service)?.
keys()??[]]);for(let slice of slices){let contribution=this.#latest(service,slice);contribution&&this.#fold(service,slice,
weighed(contribution,after.endpointWeights))}}get nextStep(){return this.#slowStart.nextStep}take(){let left=this.#taken;
this.#taken=this.#pending,this.#pending=new Map,this.#pendingSlices=0;for(let[service,slices]of left)this.#taken.set(service,
new Map([...slices,...this.#taken.get(service)??[]]))}*applyInSlices(now,few){let touched=new Set,triggerTimes=[],services=new Set,
hasMany=this.#taken.size>few;for(let[key,slices]of this.#taken){services.add(key);let endpoints=this.#services.get(key);
endpoints||(endpoints={slices:new SmallMap,ports:new SmallMap,shared:new SmallMap},this.#services.set(key,endpoints)),yield*this.#apply(
key,endpoints,slices,touched,now,few);for(let contribution of slices.values())contribution?.triggerTime!==void 0&&contribution.
triggerTime>this.since&&triggerTimes.push(contribution.triggerTime);endpoints.slices.size===0&&this.#services.delete(key),
this.#taken.delete(key),hasMany&&(yield)}if(now!==void 0)for(let[service,port,changes]of this.#slowStart.advance(now))this.#services.
get(service)?.ports.get(port)?.change(changes),touched.add(port);return this.#hasApplied=!0,{touched,services,triggerTimes}}view(service,port){
return this.#services.get(service)?.ports.get(port)?.view??EMPTY_VIEW}localReadyEndpoints(service){let addresses=new Set;
for(let{view}of this.#services.get(service)?.ports.values()??[])if(view.selection.localBasis==="ready")for(let endpoint of view.
local)addresses.add(endpoint.address);return addresses.size}*moveToInSlices(zone){if(!(this.#isMoved&&zone===this.place.
zone)){this.#isMoved=!1,this.place={...this.place,zone};for(let{ports}of this.#services.values()){for(let set of ports.values())
set.moveTo(this.place);yield}this.#isMoved=!0}}#remove(identity){let sliceKey=identity&&sliceKeyOf(identity),owner=sliceKey===
void 0?void 0:this.#owners.get(sliceKey);return!identity||sliceKey===void 0||(this.reader.forget("EndpointSlice",identity),
owner===void 0)?!1:(this.#owners.delete(sliceKey),this.#fold(owner,identity.name,void 0))}#latest(service,slice){for(let changes of[
this.#pending.get(service),this.#taken.get(service)])if(changes?.has(slice))return changes.get(slice);return this.#services.
get(service)?.slices.get(slice)}#fold(service,slice,contribution){if(sameContribution(this.#latest(service,slice),contribution))
return!1;let slices=this.#pending.get(service);return slices||(slices=new Map,this.#pending.set(service,slices)),this.#pendingSlices+=
slices.has(slice)?0:1,slices.set(slice,contribution),!0}#applyFirst(endpoints,name,contribution,touched){endpoints.slices.
set(name,contribution);for(let[port,list]of contribution.ports)if(list.length>0){let set=new EndpointSet(this.place);set.
fill(list),endpoints.ports.set(port,set),touched.add(port)}}*#apply(service,endpoints,slices,touched,now,few){let[only]=slices;
if(slices.size===1&&only?.[1]&&endpoints.slices.size===0&&!this.#merged.has(service)){this.#applyFirst(endpoints,only[0],
only[1],touched);return}let seconds=now===void 0?void 0:this.#policies.get(service)?.slowStartSeconds,changes=this.#merged.
get(service)??new Map;this.#merged.set(service,changes);for(let[name,next]of slices){slices.size>few&&(yield);let previous=endpoints.
slices.get(name);next?endpoints.slices.set(name,next):endpoints.slices.delete(name);for(let port of portsOf(previous,next)){
let changed=changes.get(port);changed||(changed=new Map,changes.set(port,changed)),new SliceMerge(endpoints,port,changed).
replace(previous?.ports.get(port)??NO_ENDPOINTS,next?.ports.get(port)??NO_ENDPOINTS)}}for(let[port,changed]of changes){if(changed.
size===0)continue;let set=endpoints.ports.get(port);set||(set=new EndpointSet(this.place),endpoints.ports.set(port,set));
let isStarting=this.#hasApplied&&set.view.selection.clusterBasis==="ready",{candidates}=set.view,duration=isStarting?seconds:
void 0;set.change([...changed].map(([key,endpoint])=>{let before2=findEndpoint(candidates,key);return[key,this.#slowStart.
enter({service,port,key,before:before2,endpoint,now,seconds:duration})]})),touched.add(port),set.view.candidates.length===
0&&endpoints.ports.delete(port)}this.#merged.delete(service)}};function sliceKeyOf({namespace,name}){return`${namespace}\
/${name}`}function portsOf(previous,next){return previous&&next?new Set([...previous.ports.keys(),...next.ports.keys()]):
(previous??next)?.ports.keys()??[]}var SliceMerge=class{endpoints;port;changed;constructor(endpoints,port,changed){this.
endpoints=endpoints,this.port=port,this.changed=changed}replace(previous,next){let left=0,right=0;for(;left<previous.length||
right<next.length;){let before2=previous[left],after=next[right];if(before2&&(!after||before2.key<after.key))this.#removed(
before2.key),left+=1;else if(after&&(!before2||after.key<before2.key))this.#added(after),right+=1;else if(before2&&after){
if(before2!==after){let isShared=this.endpoints.shared.has(`${this.port} ${after.key}`);this.changed.set(after.key,isShared?
this.#best(after.key):after)}left+=1,right+=1}}}#removed(key){let id=`${this.port} ${key}`,count2=this.endpoints.shared.
get(id);if(count2===void 0){this.changed.set(key,void 0);return}count2===2?this.endpoints.shared.delete(id):this.endpoints.
shared.set(id,count2-1),this.changed.set(key,this.#best(key))}#added(endpoint){let{key}=endpoint,installed=this.endpoints.
ports.get(this.port)?.view.candidates??NO_ENDPOINTS,known=this.changed.has(key)?this.changed.get(key):findEndpoint(installed,
key);if(!known){this.changed.set(key,endpoint);return}let id=`${this.port} ${key}`;this.endpoints.shared.set(id,(this.endpoints.
shared.get(id)??1)+1),this.changed.set(key,better(known,endpoint))}#best(key){let best;for(let slice of this.endpoints.slices.
values()){let endpoint=findEndpoint(slice.ports.get(this.port)??NO_ENDPOINTS,key);best=best&&endpoint?better(best,endpoint):
best??endpoint}return best}};function better(left,right){return left.terminating!==right.terminating?left.terminating?right:
left:left.ready!==right.ready?left.ready?left:right:left.serving!==right.serving?left.serving?left:right:JSON.stringify(
left)<=JSON.stringify(right)?left:right}function contributionOf(slice,nodeName,rules,known){let ports=new SmallMap;for(let{
portName,protocol,port}of slice.ports){let key=servicePortKey({namespace:slice.namespace,name:slice.serviceName,portName,
protocol}),before2=known?.ports.get(key)??NO_ENDPOINTS,endpoints=slice.endpoints.map(definition=>{let endpoint={key:joinHostPort(
definition.address,port),address:definition.address,port,isLocal:definition.nodeName!==void 0&&definition.nodeName===nodeName,
ready:definition.ready,serving:definition.serving,terminating:definition.terminating,weight:definition.weight??weightByRules(
rules,definition)??DEFAULT_WEIGHT,notReadyReason:definition.notReadyReason,nodeName:definition.nodeName,podName:definition.
podName,sliceName:slice.name,zoneHints:definition.zoneHints,nodeHints:definition.nodeHints},same=findEndpoint(before2,endpoint.
key);return same&&sameEndpoint(same,endpoint)?same:endpoint}),earlier=ports.get(key);ports.set(key,uniqueSorted(earlier?
[...earlier,...endpoints]:endpoints))}let weighted=slice.endpoints.flatMap(({address,weight})=>weight===void 0?[]:[address]);
return{ports,triggerTime:slice.triggerTime,weighted:weighted.length===0?NO_ADDRESSES:new Set(weighted)}}function weighed(contribution,rules){
let ports=new SmallMap;for(let[key,endpoints]of contribution.ports)ports.set(key,endpoints.map(endpoint=>{let weight=weightByRules(
rules,endpoint)??DEFAULT_WEIGHT;return contribution.weighted.has(endpoint.address)||endpoint.weight===weight?endpoint:{...endpoint,
weight}}));return{...contribution,ports}}function sameEndpoint(left,right){return left.key===right.key&&left.ready===right.
ready&&left.serving===right.serving&&left.terminating===right.terminating&&left.weight===right.weight&&left.notReadyReason===
right.notReadyReason&&left.nodeName===right.nodeName&&left.podName===right.podName&&left.isLocal===right.isLocal&&sameNames(
left.zoneHints,right.zoneHints)&&sameNames(left.nodeHints,right.nodeHints)}function sameNames(left,right){return left===
right||left.length===right.length&&left.every((name,index)=>name===right[index])}function uniqueSorted(endpoints){if(endpoints.
every((endpoint,index)=>index===0||endpoints[index-1].key<endpoint.key))return endpoints;let sorted2=[...endpoints].sort(
compareKeys),unique=[];for(let endpoint of sorted2){let last=unique.at(-1);last?.key===endpoint.key?unique[unique.length-
1]=better(last,endpoint):unique.push(endpoint)}return unique}function sameContribution(left,right){if(left===right)return!0;
if(!left||!right||left.ports.size!==right.ports.size)return!1;for(let[key,endpoints]of left.ports){let others=right.ports.
get(key);if(!others||others.length!==endpoints.length||endpoints.some((endpoint,index)=>endpoint!==others[index]))return!1}
return!0}var ServiceChangeTracker=class{reader;#applied=new Map;#pending=new Map;#taken=new Map;constructor(reader){this.reader=reader}get pendingCount(){
return this.#pending.size}update(previous,current){let before2=identityOf(previous);if(current===void 0)return this.#remove(
before2),this.#pending.size>0;let{identity,definition,skipped}=this.reader.readService(current);return before2&&identity&&
serviceKey(before2)!==serviceKey(identity)&&this.#remove(before2),identity&&(definition||skipped!==void 0)&&this.#fold(serviceKey(
identity),definition),this.#pending.size>0}take(){let left=this.#taken;this.#taken=this.#pending,this.#pending=new Map;for(let[
key,definition]of left)this.#taken.has(key)||this.#taken.set(key,definition);return this.#taken}apply(key){let previous=this.#applied.
get(key),current=this.#taken.get(key);return current?this.#applied.set(key,current):this.#applied.delete(key),this.#taken.
delete(key),{previous,current}}#remove(identity){identity&&(this.#fold(serviceKey(identity),void 0),this.reader.forget("\
Service",identity))}#fold(key,definition){let before2=this.#taken.has(key)?this.#taken.get(key):this.#applied.get(key);structurallyEqual(
definition,before2)?this.#pending.delete(key):this.#pending.set(key,definition)}};var NONE2=[];function hasExternalAddress(frontend){return frontend.kind==="ExternalIP"||frontend.kind==="LoadBalancerIP"}
function overlapOf(address,addresses){return addresses.node.has(address)?"node-address":addresses.podNetworks.some(network=>cidrContains(
network,address))?"pod-network":addresses.serviceNetworks.some(network=>cidrContains(network,address))?"service-network":
void 0}function overlapsOf(frontends,addresses,served){let found=frontends.flatMap(frontend=>{if(!hasExternalAddress(frontend))
return[];let{key,kind,address,port}=frontend,overlaps=overlapOf(address,addresses);return overlaps===void 0?[]:[{frontend:key,
kind,address,port,overlaps,served}]});return found.length===0?NONE2:found}var ClusterIPCount=class{table;#touched=new Set;constructor(table){this.table=table}replace(before2,after){let[released,
claimed]=[clusterIPOf(before2),clusterIPOf(after)];released!==claimed&&(this.#count(released,-1),this.#count(claimed,1))}#count(address,by){
if(address!==void 0){let count2=(this.table.get(address)??0)+by;this.table=count2===0?this.table.delete(address):this.table.
set(address,count2),this.#touched.add(address)}}*changedFrom(previous,isLong){let changed=new Set;for(let address of this.#touched)
isLong&&(yield),previous.has(address)!==this.table.has(address)&&changed.add(address);return changed}};function clusterIPOf(port){
return port?.frontends.find(({kind})=>kind==="ClusterIP")?.address}var NONE3=[],FrontendClaims=class{#claims=new Map;holder(key){let claim=this.#claims.get(key);return claim!==void 0&&isList(
claim)?claim[0]:claim}claim(key,port){let known=this.#claims.get(key);if(known===void 0||!isList(known)&&known.key===port.
key)return this.#claims.set(key,port),NONE3;let before2=this.#of(key),others=before2.filter(claim=>claim.key!==port.key),
after=others.length===0?port:[...others,port].sort(byPrecedence);return this.#claims.set(key,after),this.#moved(before2[0],
this.holder(key),port)}release(key,port){let before2=this.#of(key),after=before2.filter(claim=>claim.key!==port.key);return after.
length===0?this.#claims.delete(key):this.#claims.set(key,after.length===1?after[0]:after),this.#moved(before2[0],this.holder(
key),port)}claimants(key){return this.#of(key)}#of(key){let claim=this.#claims.get(key);return claim===void 0?[]:isList(
claim)?claim:[claim]}#moved(from,to,self2){return from?.key===to?.key?NONE3:[from,to].filter(port=>port!==void 0&&port.key!==
self2.key)}};function isList(claim){return Array.isArray(claim)}function byPrecedence(left,right){return left.createdAt-
right.createdAt||compareText2(serviceKey(left.name),serviceKey(right.name))||compareText2(left.key,right.key)}function compareText2(left,right){
return left<right?-1:left>right?1:0}var OVERLAP_WORDS={"node-address":"an address of this node","pod-network":"in the pod network","service-network":"in the\
 Service network"},FrontendProblems=class{onProblem;#reportedRanges=new Map;constructor(onProblem){this.onProblem=onProblem}report(resolved){
this.#reportLost(resolved),this.#reportRanges(resolved),this.#reportOverlaps(resolved)}forget(key){this.#reportedRanges.
delete(key)}#reportLost({servicePort,wanted,held,before:before2,holderBefore}){if(held.length!==wanted.length)for(let frontend of wanted){
let alreadyReported=before2?.servicePort===servicePort&&!before2.frontends.some(({key})=>key===frontend.key),holder=holderBefore(
frontend);!held.some(({key})=>key===frontend.key)&&holder&&!alreadyReported&&this.#problem(servicePort,{message:`${frontend.
kind} ${frontend.key} belongs to Service ${serviceKey(holder.name)}, which is older or first by name; give one of them a\
nother address or port`})}}#reportRanges({servicePort,wanted,held,before:before2,rangeProblem,ranges}){if(servicePort.lastPort===
void 0)return;let{key,port}=servicePort,text=formatPorts({port,lastPort:servicePort.lastPort}),lost=wanted.flatMap(frontend=>{
let outcome=ranges.range(frontend,servicePort);return frontend.lastPort!==void 0&&held.some(one=>one.key===frontend.key&&
one.lastPort===void 0)&&typeof outcome=="object"?[`${text}: port ${outcome.port} of ${frontend.kind} ${frontend.address}\
 belongs to Service ${serviceKey(outcome.lostTo.name)}, which is older or first by name, so of the range only port ${port}\
/${frontend.protocol} is served there; give one of them another address or other ports`]:[]}),problems=[...rangeProblem===
void 0?[]:[`${text}: ${rangeProblem}`],...lost],known=before2?.servicePort===servicePort?this.#reportedRanges.get(key)??
[]:[];this.#reportedRanges.set(key,problems);for(let message of problems)known.includes(message)||this.#problem(servicePort,
{field:`metadata.annotations["${PORT_RANGE_ANNOTATION}"]`,message})}#reportOverlaps({servicePort,overlaps,before:before2}){
for(let overlap of overlaps){let{kind,address,port,served}=overlap;if(before2?.overlaps.some(known=>structurallyEqual(known,
overlap)))continue;let what=`${kind==="ExternalIP"?"external IP":"load balancer IP"} ${address} is ${OVERLAP_WORDS[overlap.
overlaps]}`;this.#problem(servicePort,{message:served?`${what}: packets to port ${port} of it go to this Service instead\
 of what listens there; give the Service another address, or have such addresses refused`:`${what}; port ${port} of it i\
s not served, as such addresses are refused here`,ignored:served?"nothing":"field"})}}#problem({name:{namespace,name}},problem){
this.onProblem({kind:"Service",namespace,name,field:"",ignored:"field",...problem})}};var REFUSE=[{source:"any",action:"reject"}],DROP={source:"any",action:"drop"},DROP_ALL=[DROP],TO_ALL={cluster:byMasquerade(
"cluster"),local:byMasquerade("local")};function resolveFrontends(port,view,context){let internal=internalRoutes(port,view,
context),external=externalRoutes(port,view,context),frontends=[],keys=new Set,add=(kind,address,number,routes,allowedSources2)=>{
let key=frontendKey(port.name.protocol,address,number);if(!keys.has(key)){keys.add(key);let{protocol}=port.name;frontends.
push(context.lastPort===void 0||kind==="NodePort"?{key,kind,address,port:number,protocol,allowedSources:allowedSources2,
routes}:{key,kind,address,port:number,lastPort:context.lastPort,protocol,allowedSources:allowedSources2,routes})}};add("\
ClusterIP",port.clusterIP,port.port,internal);for(let address of port.externalIPs)add("ExternalIP",address,port.port,external);
let allowed=allowedSources(port,context.node);for(let address of port.loadBalancerVIPs)add("LoadBalancerIP",address,port.
port,external,allowed);return port.nodePort!==0&&add("NodePort",void 0,port.nodePort,external),frontends.slice()}function byMasquerade(endpoints){
let route=masquerade=>[{source:"any",action:"forward",endpoints,masquerade}];return{always:route("always"),never:route("\
never"),"off-cluster":route("off-cluster")}}function internalRoutes(port,view,context){if(!view.hasAny)return REFUSE;let endpoints=port.
internalTrafficPolicy==="Local"?"local":"cluster";if(view[endpoints].length===0)return DROP_ALL;let masquerade=context.masqueradeAll?
"always":context.node.detector.kind==="none"?"never":"off-cluster";return TO_ALL[endpoints][masquerade]}function externalRoutes(port,view,context){
if(!view.hasAny)return REFUSE;if(port.externalTrafficPolicy==="Cluster")return TO_ALL.cluster.always;let routes=[];return context.
node.detector.kind!=="none"&&routes.push({source:"pod",action:"forward",endpoints:"cluster",masquerade:"never"}),routes.
push({source:"node",action:"forward",endpoints:"cluster",masquerade:"always"}),routes.push(view.local.length>0?{source:"\
any",action:"forward",endpoints:"local",masquerade:"never"}:DROP),routes}function allowedSources(port,node){let ranges=port.
loadBalancerSourceRanges;return ranges?node.addresses.some(address=>ranges.some(range=>cidrContains(range,address)))?[...new Set(
[...ranges,...port.loadBalancerVIPs.map(hostCIDR)])]:ranges:void 0}var import_immutable=__toESM(require_immutable(),1);var HeldRanges=class{#table;constructor(previous){this.#table=previous}get table(){return this.#table===void 0||this.#table.
size===0?void 0:this.#table}replace(before2,after){before2?.frontends!==after?.frontends&&(this.#update(before2,!1),this.#update(
after,!0))}#update(port,isHeld){for(let{address,protocol,port:first,lastPort:last}of port?.frontends??[]){if(port===void 0||
address===void 0||last===void 0)continue;let table=this.#table??(0,import_immutable.Map)(),space=portRangeSpace(protocol,
address),others=(table.get(space)??[]).filter(({owner})=>owner!==port.key),ranges=isHeld?[...others,{first,last,owner:port.
key}]:others;this.#table=ranges.length===0?table.delete(space):table.set(space,ranges.sort((a,b)=>a.first-b.first))}}};var NodeFacts=class{family;options;includesLocalAddresses;#node;#serviceCIDRs=[];#localAddresses=[];#current;#known;constructor(family,options,includesLocalAddresses=!1){
this.family=family,this.options=options,this.includesLocalAddresses=includesLocalAddresses,this.#current=this.#resolve(),
this.#known=this.#resolveAddresses()}get clusterAddresses(){return this.#known}get state(){return this.#current}get needsLocalAddresses(){
return dependsOnLocalAddresses(this.options.nodePortAddresses,this.family)}setNode(node){return this.#node=node,this.#refresh()}setServiceCIDRs(cidrs){
return this.#serviceCIDRs=[...new Set(cidrs.flatMap(text=>parseCIDR(text)??[]).filter(cidr=>cidr.family===this.family).map(
cidr=>cidr.text))].sort(),this.#refresh()}setLocalAddresses(addresses){return this.#localAddresses=[...new Set(addresses.
filter(address=>familyOf(address)===this.family))].sort(),this.#refresh()}#refresh(){let next=this.#resolve(),isSame=structurallyEqual(
next,this.#current);this.#current=isSame?this.#current:next;let known=this.#resolveAddresses(),knowsSame=sameAddresses(known,
this.#known);return this.#known=knowsSame?this.#known:known,!isSame||!knowsSame}#resolveAddresses(){let{family,options}=this,
node=this.#node,detection=options.localTrafficDetection,networks=[...node?.podCIDRs??[],...detection.kind==="cluster-cid\
r"?detection.cidrs:detection.kind==="source-cidr"?[detection.cidr]:[]].flatMap(text=>parseCIDR(text)??[]).filter(cidr=>cidr.
family===family);return{node:new Set([...this.#current.addresses,...this.#localAddresses]),podNetworks:[...new Set(networks.
map(({text})=>text))],serviceNetworks:this.#serviceCIDRs}}#resolve(){let{family,options}=this,node=this.#node,known=node&&
node.addresses.length>0?node.addresses:options.nodeAddresses;return{name:options.nodeName,zone:node?.zone,addresses:known.
filter(address=>familyOf(address)===family),detector:this.#detector(),nodePortAddresses:resolveNodePortAddresses(options.
nodePortAddresses,{family,nodeAddresses:known,localAddresses:this.#localAddresses,localhostNodePorts:options.localhostNodePorts}),
serviceCIDRs:this.#serviceCIDRs,...this.includesLocalAddresses?{localAddresses:this.#localAddresses.filter(address=>!isLinkLocal(
address))}:{}}}#detector(){let detection=this.options.localTrafficDetection;switch(detection.kind){case"cluster-cidr":return this.#sourceDetector(
detection.cidrs);case"node-cidr":return this.#sourceDetector(this.#node?.podCIDRs??[]);case"source-cidr":return this.#sourceDetector(
[detection.cidr]);case"none":case"interface":case"interface-prefix":return detection;default:return assertNever(detection)}}#sourceDetector(cidrs){
let cidr=cidrs.flatMap(text=>parseCIDR(text)??[]).find(candidate=>candidate.family===this.family);return cidr?{kind:"sou\
rce-cidr",cidr:cidr.text}:{kind:"none"}}};function sameAddresses(left,right){return left.node.size===right.node.size&&[...left.
node].every(address=>right.node.has(address))&&structurallyEqual(left.podNetworks,right.podNetworks)&&structurallyEqual(
left.serviceNetworks,right.serviceNetworks)}function isLinkLocal(address){return/^fe[89ab][0-9a-f]:/.test(address)}var RangeClaims=class{claims;servesNodePorts;#spaces=new Map;#nodePorts=new Map;constructor(claims,servesNodePorts){this.
claims=claims,this.servesNodePorts=servesNodePorts}claim(frontend,servicePort){let{address,protocol,port,lastPort}=frontend;
if(address===void 0){let ports=this.#nodePorts.get(protocol)??new Set;return this.#nodePorts.set(protocol,ports.add(port)),
this.#concernedByNodePort(protocol,port)}let key=portRangeSpace(protocol,address),space=this.#spaces.get(key);if(space===
void 0&&lastPort===void 0)return NO_ONE;space??={protocol,address,ranges:new Map,ports:new Set,decision:void 0},this.#spaces.
set(key,space),space.ports.add(port);let before2=space.ranges.get(servicePort.key);if(lastPort===void 0)space.ranges.delete(
servicePort.key);else{space.ranges.set(servicePort.key,{kind:"range",first:port+1,last:lastPort,servicePort});for(let other=(before2?.
last??port)+1;other<=lastPort;other++)this.claims.holder(frontendKey(protocol,address,other))!==void 0&&space.ports.add(
other)}return this.#changed(key,space)}release(frontend,servicePort){let{address,protocol,port}=frontend,isClaimed=this.
claims.holder(frontend.key)!==void 0;if(address===void 0)return isClaimed||this.#nodePorts.get(protocol)?.delete(port),this.#concernedByNodePort(
protocol,port);let key=portRangeSpace(protocol,address),space=this.#spaces.get(key);return space===void 0?NO_ONE:(isClaimed||
space.ports.delete(port),space.ranges.get(servicePort.key)?.first===port+1&&space.ranges.delete(servicePort.key),this.#changed(
key,space))}addressesChanged(){return new Set([...this.#spaces].flatMap(([key,space])=>[...this.#changed(key,space)]))}port(frontend,servicePort,address=frontend.
address){let{protocol,port}=frontend,space=address===void 0||this.#spaces.size===0?void 0:this.#spaces.get(portRangeSpace(
protocol,address));return space===void 0||![...space.ranges.values()].some(({first,last})=>first-1<=port&&port<=last)?"u\
nconcerned":this.#outcome(space,servicePort,frontend.address===void 0?"node-port":"port")}range(frontend,servicePort){let{
protocol,address=""}=frontend,space=this.#spaces.get(portRangeSpace(protocol,address));return space===void 0?"unconcerne\
d":this.#outcome(space,servicePort,"range")}#outcome(space,{key},kind){space.decision??=this.#decide(space);let found=space.
decision.lost.find(({claim})=>claim.kind===kind&&claim.servicePort.key===key);return found===void 0?"held":{lostTo:found.
to.servicePort,port:Math.max(found.to.first,found.claim.first)}}#decide({protocol,address,ranges,ports}){let claims=[...ranges.
values()];for(let port of ports)for(let servicePort of this.claims.claimants(frontendKey(protocol,address,port)))claims.
push({kind:"port",first:port,last:port,servicePort});if(this.servesNodePorts(address))for(let port of this.#nodePorts.get(
protocol)??[]){let servicePort=this.claims.holder(frontendKey(protocol,void 0,port));servicePort!==void 0&&[...ranges.values()].
some(({first,last})=>first-1<=port&&port<=last)&&claims.push({kind:"node-port",first:port,last:port,servicePort})}claims.
sort((a,b)=>byPrecedence(a.servicePort,b.servicePort)||KINDS2.indexOf(a.kind)-KINDS2.indexOf(b.kind));let granted=[],lost=[];
for(let claim of claims){let to=lost.find(other=>other.claim.kind==="port"&&isStartOf(other.claim,claim))?.to??granted.find(
other=>conflict(other,claim));to===void 0?granted.push(claim):lost.push({claim,to})}return{granted,lost}}#concernedByNodePort(protocol,port){
if(this.#spaces.size===0)return NO_ONE;let concerned=[...this.#spaces].filter(([,space])=>space.protocol===protocol&&[...space.
ranges.values()].some(({first,last})=>first-1<=port&&port<=last)&&this.servesNodePorts(space.address));return new Set(concerned.
flatMap(([key,space])=>[...this.#changed(key,space)]))}#changed(key,space){let{protocol,address,ranges,ports}=space;space.
decision=void 0,ranges.size===0&&this.#spaces.delete(key);let keys=new Set(ranges.keys()),addAll2=(of,port)=>{for(let claimant of this.
claims.claimants(frontendKey(protocol,of,port)))keys.add(claimant.key)};for(let port of ports)addAll2(address,port);if(this.
servesNodePorts(address))for(let port of this.#nodePorts.get(protocol)??[])addAll2(void 0,port);return keys}},NO_ONE=new Set,
KINDS2=["port","range","node-port"];function isStartOf(port,range){return range.kind==="range"&&port.servicePort.key===range.
servicePort.key&&port.first===range.first-1}function conflict(one,other){let overlap=one.first<=other.last&&other.first<=
one.last,sameService=serviceKey(one.servicePort.name)===serviceKey(other.servicePort.name);return overlap&&(!sameService||
one.kind==="port"&&other.kind==="port")}var NO_PORTS2=[];function servicePortsOf(service,family){let facts=service?.families[family];return!service||!facts?NO_PORTS2:
service.ports.map(({portName,protocol,port,lastPort,nodePort})=>{let name={namespace:service.namespace,name:service.name,
portName,protocol};return{key:servicePortKey(name),name,clusterIP:facts.clusterIP,port,lastPort,nodePort,externalIPs:facts.
externalIPs,loadBalancerVIPs:facts.loadBalancerVIPs,loadBalancerSourceRanges:facts.loadBalancerSourceRanges,externalTrafficPolicy:service.
externalTrafficPolicy,internalTrafficPolicy:service.internalTrafficPolicy,affinitySeconds:service.affinitySeconds,healthCheckNodePort:service.
healthCheckNodePort,createdAt:service.createdAt,slowStartSeconds:service.slowStartSeconds,whenEndpointGoes:service.whenEndpointGoes,
annotations:service.annotations}})}var NO_RANGE={lastPort:void 0,problem:void 0},MAX_PORT2=65535;function usableRange({port,lastPort,name:{protocol}},{candidates},support){
if(lastPort===void 0)return NO_RANGE;let none=(why,remedy)=>({lastPort:void 0,problem:`${why}, so of the range only port\
 ${port}/${protocol} is served; ${remedy}`});if(support==="none")return none("this mode serves no port ranges","use anot\
her mode");let beyond=candidates.find(endpoint=>endpoint.port+lastPort-port>MAX_PORT2);if(beyond!==void 0)return none(`t\
he ports of endpoint ${beyond.key} would go beyond ${MAX_PORT2}`,"use a shorter range or a lower target port");let shifted=support===
"same-port"&&candidates.find(endpoint=>endpoint.port!==port);return shifted?none(`this mode sends the ports ${formatPorts(
{port,lastPort})} to the same ports of endpoints only, and that of endpoint ${shifted.key} is another`,`use the target p\
ort ${port}, or another mode`):{lastPort,problem:void 0}}var FEW=64,ProxyStateResolver=class{#family;#masqueradeAll;#servesOverlaps;#rangeSupport;#problems;#reader;#services;#slices;#facts;#wanted=new Map;#ports=new Map;#claims=new FrontendClaims;#ranges=new RangeClaims(
this.#claims,address=>this.#servesNodePorts(address));#nodePending=!1;#node;#isWhole=!0;#external=new Map;#addresses;#state;constructor({
family,options,reader,since,onProblem=()=>{},includesLocalAddresses}){this.#family=family,this.#masqueradeAll=options.masqueradeAll,
this.#reader=reader,this.#problems=new FrontendProblems(onProblem),this.#services=new ServiceChangeTracker(reader),this.#slices=
new EndpointSliceTracker(family,reader,{nodeName:options.nodeName,zone:void 0,nodeHints:options.nodeTopologyHints},since),
this.#facts=new NodeFacts(family,options,includesLocalAddresses),this.#addresses=this.#facts.clusterAddresses,this.#node=
this.#facts.state,this.#rangeSupport=options.portRanges??"any",this.#servesOverlaps=options.overlappingExternalAddresses===
"serve",this.#state={family,revision:0,servicePorts:(0,import_immutable2.Map)(),frontends:(0,import_immutable2.Map)(),healthCheckNodePorts:(0,import_immutable2.Map)(),
clusterIPs:(0,import_immutable2.Map)(),node:this.#node}}get latest(){return this.#state}get pendingServices(){return this.#services.
pendingCount}get pendingSlices(){return this.#slices.pendingCount}get needsLocalAddresses(){return this.#facts.needsLocalAddresses}get hasExternalAddresses(){
return this.#external.size>0}updateService(previous,current){return this.#services.update(previous,current)}updateEndpointSlice(previous,current){
return this.#slices.update(previous,current)}updateNode(node){let{definition}=this.#reader.readNode(node);return!definition||
definition.name!==this.#state.node.name?!1:this.#noteNode(this.#facts.setNode(definition))}updateServiceCIDRs(cidrs){return this.#noteNode(
this.#facts.setServiceCIDRs(cidrs))}updateLocalAddresses(addresses){return this.#noteNode(this.#facts.setLocalAddresses(
addresses))}get nextStep(){return this.#slices.nextStep}applyPending(now){return finish(this.applyPendingInSlices(now))}*applyPendingInSlices(now,few=FEW){
let previous=this.#state,isAnew=!this.#isWhole;this.#isWhole=!1;let services=this.#services.take();for(let[key,current]of services)
this.#slices.setPolicy(key,current);this.#slices.take();let addresses=this.#facts.clusterAddresses,isNodePending=this.#nodePending||
isAnew;this.#nodePending=!1,this.#node=isNodePending?this.#facts.state:previous.node;let node=this.#node,{touched,services:healthChecked,
triggerTimes}=yield*this.#slices.applyInSlices(now,few);isAnew&&(yield*this.#touchAll(previous,touched,healthChecked));let hasManyServices=services.
size>few;for(let key of services.keys()){let change=this.#services.apply(key);this.#replaceService(key,change.previous,change.
current,touched),healthChecked.add(key),hasManyServices&&(yield)}if(isNodePending&&(yield*this.#slices.moveToInSlices(node.
zone),!sameResolutionInputs(node,previous.node)))for(let key of this.#wanted.keys())touched.add(key),yield;let isLong=touched.
size>few,revisit=new Set;this.#updateAddresses(addresses,revisit);for(let key of touched)this.#want(key,node,revisit),isLong&&
(yield);let rendered=new Map,resolved=new Map,servicePorts=previous.servicePorts.asMutable(),frontends=previous.frontends.
asMutable(),moved=[],ranges=new HeldRanges(previous.portRanges),clusterIPs=new ClusterIPCount(previous.clusterIPs);for(let key of revisit.
size===0?touched:eachOf(touched,revisit)){isLong&&(yield);let before2=previous.servicePorts.get(key),after=this.#resolve(
key,before2);if(after===before2)continue;after?servicePorts.set(key,after):servicePorts.delete(key),isLong&&(yield),ranges.
replace(before2,after),clusterIPs.replace(before2,after),isLong&&(yield);let change={previous:before2,current:after};resolved.
set(key,change),isLong&&(yield),sameRendering(before2,after)||rendered.set(key,change),before2?.frontends!==after?.frontends&&
moved.push({key,before:before2})}for(let{key,before:before2}of moved){isLong&&(yield);let after=servicePorts.get(key);for(let frontend of before2?.
frontends??[]){let isKept=after?.frontends.some(kept=>kept.key===frontend.key)??!1;frontends.get(frontend.key)===key&&!isKept&&
frontends.delete(frontend.key)}}for(let{key}of moved){isLong&&(yield);for(let frontend of servicePorts.get(key)?.frontends??
[])frontends.set(frontend.key,key)}let health=yield*this.#healthChecks(previous,healthChecked,isLong),clusterIPsChanged=yield*clusterIPs.
changedFrom(previous.clusterIPs,isLong),nodeChanged=node!==previous.node;return this.#state={family:this.#family,revision:previous.
revision+1,servicePorts:servicePorts.wasAltered()?servicePorts.asImmutable():previous.servicePorts,frontends:frontends.wasAltered()?
frontends.asImmutable():previous.frontends,...rangesOfState(ranges),healthCheckNodePorts:health.table,clusterIPs:clusterIPs.
table,node},this.#isWhole=!0,{state:this.#state,changes:{previous,servicePorts:rendered,resolvedServicePorts:resolved,healthCheckNodePorts:health.
changed,clusterIPs:clusterIPsChanged,nodeChanged},triggerTimes}}*#touchAll(previous,touched,services){for(let key of previous.
servicePorts.keys())touched.add(key),yield;for(let[service,ports]of this.#ports){services.add(service);for(let{key}of ports)
touched.add(key);yield}addAll(this.#wanted.keys(),touched),addAll(previous.healthCheckNodePorts.keys(),services)}#noteNode(changed){
return this.#nodePending||=changed,changed}#updateAddresses(addresses,revisit){if(this.#addresses!==addresses){this.#addresses=
addresses,addAll(this.#ranges.addressesChanged(),revisit);for(let keys of this.#external.values())for(let key of keys){revisit.
add(key);for(let frontend of this.#wanted.get(key)?.frontends??[])hasExternalAddress(frontend)&&this.#revisitAll(this.#claims.
claimants(frontendKey(frontend.protocol,void 0,frontend.port)),revisit)}}}#replaceService(key,previous,current,touched){
for(let port of servicePortsOf(previous,this.#family))touched.add(port.key);let ports=servicePortsOf(current,this.#family);
for(let port of ports)touched.add(port.key);ports.length>0?this.#ports.set(key,ports):this.#ports.delete(key)}#want(key,node,revisit){
let before2=this.#wanted.get(key),service=serviceOfPort(key),servicePort=this.#ports.get(service)?.find(port=>port.key===
key),after=servicePort&&this.#wantedOf(servicePort,service,key,node,before2),kept=new Set(after?.frontends.map(frontend=>frontend.
key));for(let frontend of before2?.frontends??[])if(!kept.has(frontend.key)){let{servicePort:released}=before2;this.#revisitAll(
this.#claims.release(frontend.key,released),revisit),addAll(this.#ranges.release(frontend,released),revisit),this.#revisitOverlapping(
frontend,revisit),this.#noteExternal(frontend,key,!1)}if(!after){this.#wanted.delete(key),this.#problems.forget(key);return}
if(this.#wanted.set(key,after),after.frontends!==before2?.frontends||after.servicePort!==before2.servicePort)for(let frontend of after.
frontends)this.#revisitAll(this.#claims.claim(frontend.key,after.servicePort),revisit),addAll(this.#ranges.claim(frontend,
after.servicePort),revisit),this.#noteExternal(frontend,key,!0),this.#revisitOverlapping(frontend,revisit)}#wantedOf(servicePort,service,key,node,before2){
let view=this.#slices.view(service,key),range=usableRange(servicePort,view,this.#rangeSupport),frontends=resolveFrontends(
servicePort,view,{node,masqueradeAll:this.#masqueradeAll,lastPort:range.lastPort});return{servicePort,view,frontends:before2&&
structurallyEqual(before2.frontends,frontends)?before2.frontends:frontends,rangeProblem:range.problem}}#noteExternal(frontend,key,isWanted){
if(!hasExternalAddress(frontend))return;let keys=this.#external.get(frontend.address)??new Set;isWanted?this.#external.set(
frontend.address,keys.add(key)):keys.delete(key)&&keys.size===0&&this.#external.delete(frontend.address)}#revisitOverlapping(frontend,revisit){
if(hasExternalAddress(frontend)&&this.#addresses.node.has(frontend.address)&&this.#revisitAll(this.#claims.claimants(frontendKey(
frontend.protocol,void 0,frontend.port)),revisit),!(frontend.kind!=="NodePort"||this.#external.size===0))for(let address of this.#addresses.
node)this.#external.has(address)&&this.#revisitAll(this.#claims.claimants(frontendKey(frontend.protocol,address,frontend.
port)),revisit)}#holderBefore(frontend,port){let outcome=this.#ranges.port(frontend,port);if(outcome!=="unconcerned")return outcome===
"held"?void 0:outcome.lostTo;let holder=this.#claims.holder(frontend.key);if(holder!==void 0&&holder.key!==port.key)return holder;
if(!hasExternalAddress(frontend)||!this.#servesNodePorts(frontend.address))return;let nodePort=this.#claims.holder(frontendKey(
frontend.protocol,void 0,frontend.port));return nodePort!==void 0&&serviceKey(nodePort.name)!==serviceKey(port.name)&&byPrecedence(
nodePort,port)<0?nodePort:void 0}#withoutTakenAddresses(frontend,port){if(frontend.kind!=="NodePort"||this.#external.size===
0)return frontend;let exceptAddresses=[...this.#addresses.node].filter(address=>{let outcome=this.#ranges.port(frontend,
port,address);if(outcome!=="unconcerned")return outcome!=="held";let holder=this.#external.has(address)?this.#claims.holder(
frontendKey(frontend.protocol,address,frontend.port)):void 0;return holder!==void 0&&serviceKey(holder.name)!==serviceKey(
port.name)&&byPrecedence(holder,port)<0});return exceptAddresses.length===0?frontend:{...frontend,exceptAddresses:exceptAddresses.
sort()}}#withoutLostRange(frontend,port){if(frontend.lastPort===void 0||typeof this.#ranges.range(frontend,port)=="strin\
g")return frontend;let{lastPort:_lost,...single}=frontend;return single}#servesNodePorts(address){let{nodePortAddresses}=this.#node;
return this.#addresses.node.has(address)&&(nodePortAddresses.kind==="all"||nodePortAddresses.addresses.includes(address))}#revisitAll(ports,revisit){
for(let port of ports)revisit.add(port.key)}#resolve(key,before2){let wanted=this.#wanted.get(key);if(!wanted)return;let{
servicePort,view}=wanted,overlaps=this.#overlapsOf(wanted,before2),isRefused=claimed=>overlaps.some(({frontend,served})=>!served&&
frontend===claimed),held=wanted.frontends.filter(frontend=>this.#holderBefore(frontend,servicePort)===void 0&&!isRefused(
frontend.key)).map(frontend=>this.#withoutLostRange(this.#withoutTakenAddresses(frontend,servicePort),servicePort));this.#problems.
report({servicePort,wanted:wanted.frontends,held,overlaps,before:before2,rangeProblem:wanted.rangeProblem,ranges:this.#ranges,
holderBefore:frontend=>this.#holderBefore(frontend,servicePort)});let frontends=before2&&structurallyEqual(before2.frontends,
held)?before2.frontends:held.length===wanted.frontends.length&&held.every((frontend,index)=>frontend===wanted.frontends[index])?
wanted.frontends:held,uses=list=>frontends.some(frontend=>frontend.routes.some(route=>route.action==="forward"&&route.endpoints===
list)),after={key,name:servicePort.name,servicePort,frontends,cluster:uses("cluster")?view.cluster:NO_ENDPOINTS,local:uses(
"local")?view.local:NO_ENDPOINTS,affinitySeconds:servicePort.affinitySeconds,candidates:view.candidates,selection:view.selection,
overlaps};return before2!==void 0&&Object.keys(after).every(field=>field==="name"?!0:after[field]===before2[field])?before2:
after}#overlapsOf({frontends},before2){let overlaps=overlapsOf(frontends,this.#addresses,this.#servesOverlaps);return before2&&
structurallyEqual(before2.overlaps,overlaps)?before2.overlaps:overlaps}*#healthChecks(previous,services,isLong){let table=previous.
healthCheckNodePorts,changed=new Set;for(let service of services){isLong&&(yield);let before2=table.get(service),port=this.#ports.
get(service)?.find(({healthCheckNodePort})=>healthCheckNodePort!==0),after=port&&{namespace:port.name.namespace,name:port.
name.name,port:port.healthCheckNodePort,localEndpoints:this.#slices.localReadyEndpoints(service)};structurallyEqual(before2,
after)||(table=after?table.set(service,after):table.delete(service),changed.add(service))}return{table,changed}}};function sameResolutionInputs(left,right){
let facts=({zone,addresses,detector})=>({zone,addresses,detector});return structurallyEqual(facts(left),facts(right))}function addAll(items,to){
for(let item of items)to.add(item)}function*eachOf(first,second){yield*first;for(let item of second)first.has(item)||(yield item)}
function rangesOfState({table}){return table===void 0?{}:{portRanges:table}}var MAX_OBJECTS=2e6,RecordingReplay=class{#families=new Map;#objects=new Map;#begin;#reader=new ObjectReader;#epoch=0;#isInitial=!0;#mode;#now=0;get begin(){
if(this.#begin===void 0)throw new RecordingError("NOT_A_RECORDING","the recording is empty");return this.#begin}get mode(){
return this.#mode}get families(){return[...this.#families.keys()]}get now(){return this.#now}countOf(kind){let count2=0;
for(let object of this.#objects.values())count2+=object.kind===kind?1:0;return count2}objects(){return[...this.#objects.
values()]}inForce(family){return this.#families.get(family)?.inForce}hostOf(family){let localAddresses=textsOf(this.#objects.
get(`Addresses ${family}`)?.value);return localAddresses.length===0?{}:{localAddresses}}lastSync(family){return this.#families.
get(family)?.lastSync}isFailing(family){return this.#families.get(family)?.isFailing??!1}timeOf(entry){return entry.entry===
"begin"||entry.entry==="clock"?Date.parse(entry.time):this.#epoch+entry.at}apply(entry){if(this.#begin===void 0&&entry.entry!==
"begin")throw new RecordingError("NOT_A_RECORDING","this is no recording of kube-proxier: the first entry is missing");let done=this.#apply(
entry);return this.#now=this.timeOf(entry),{time:this.#now,...done}}#apply(entry){switch(entry.entry){case"begin":return this.#start(
entry);case"clock":return this.#epoch=Date.parse(entry.time)-entry.at,{};case"mode":return this.#mode=entry.mode,{};case"\
family":return this.#serve(entry);case"object":return{change:this.#change(entry)};case"checkpoint":return this.#isInitial=
!1,{};case"resolved":return this.#families.get(entry.family)?.resolve(entry),{};case"sync":return this.#sync(entry);case"\
failed":return this.#families.get(entry.family)?.fail(),{};case"drift":case"ready":case"failure":return{};default:return assertNever(
entry)}}#start(begin){if(begin.format!==RECORDING_FORMAT)throw new RecordingError("NOT_A_RECORDING",`this is no recordin\
g of kube-proxier: ${printable(begin.format)}`);if(begin.version!==RECORDING_VERSION)throw new RecordingError("RECORDING\
_VERSION",`the recording has version ${begin.version}, and this program reads version ${RECORDING_VERSION}; use the kube\
-proxier that recorded it (${printable(begin.program)}), or a newer one`);return this.#epoch=Date.parse(begin.time)-begin.
at,this.#begin===void 0&&(this.#begin=begin,this.#reader=new ObjectReader(void 0,{allowLoopbackEndpoints:begin.allowLoopbackEndpoints})),
{}}#serve(entry){if(this.#families.has(entry.family))return{};let family=new FamilyReplay(entry,this.#reader);this.#families.
set(entry.family,family);for(let{kind,name,value}of this.#objects.values())family.update(kind,name,void 0,value);return{}}#change(entry){
let{kind,name}=entry,key=`${kind} ${name}`,previous=this.#objects.get(key)?.value,current=currentOf(entry,previous);if(current===
void 0?this.#objects.delete(key):this.#objects.set(key,{kind,name,value:current}),this.#objects.size>MAX_OBJECTS)throw new RecordingError(
"RECORDING_DAMAGED",`the recording has more than ${MAX_OBJECTS} objects`);let needsSync=[...this.#families].filter(([,replay])=>replay.
update(kind,name,previous,current)).map(([family])=>family);return{entry,kind,name,time:this.timeOf(entry),previous,current,
isInitial:this.#isInitial,needsSync}}#sync(entry){let done=this.#families.get(entry.family)?.sync(entry,this.timeOf(entry));
return done===void 0?{}:{sync:done}}};function currentOf({is,to,gone,kind,name},previous){if(!gone){if(to===void 0)return is;
try{return applyDelta(previous,to)}catch(error){let what=`a change of ${kind} ${printable(name)} does not fit what it wa\
s`;throw new RecordingError("RECORDING_DAMAGED",`the recording is damaged: ${what}`,error)}}}var FamilyReplay=class{inForce;lastSync;isFailing=!1;#resolver;#family;#applied;#resolved;constructor({
family,options,includesLocalAddresses},reader){this.#family=family,this.#resolver=new ProxyStateResolver({family,options:{
...DEFAULT_PROXIER_OPTIONS,...options},reader,since:0,includesLocalAddresses})}update(kind,name,previous,current){switch(kind){case"\
Service":return this.#resolver.updateService(previous,current);case"EndpointSlice":return this.#resolver.updateEndpointSlice(
previous,current);case"Node":return isRecord(current)&&this.#resolver.updateNode(current);case"ServiceCIDRs":return this.#resolver.
updateServiceCIDRs(textsOf(current));case"Addresses":return name===this.#family&&this.#resolver.updateLocalAddresses(textsOf(
current));default:return assertNever(kind)}}resolve({at}){this.#resolved={resolution:this.#resolver.applyPending(at),at}}fail(){
this.#applied=void 0,this.#resolved=void 0,this.isFailing=!0}sync(entry,time){let{resolution,at}=this.#resolved??{resolution:this.#resolver.
applyPending(entry.at),at:entry.at},{state,changes:step}=resolution,previous=entry.full?void 0:this.#applied,changes=previous!==
void 0&&step.previous===previous?step:diffStates(previous,state);this.#applied=state,this.inForce=state,this.isFailing=!1,
this.#resolved=void 0;let sync={entry,time,resolvedAt:at};return this.lastSync=sync,{...sync,state,changes}}};function textsOf(value){
return Array.isArray(value)?value.filter(item=>typeof item=="string"):[]}function eventsOfSliceChange(previous,current){return previous&&current&&previous.addressType!==current.addressType?[[previous,
void 0],[void 0,current]]:[[previous,current]]}var SourceReporter=class{handler;failed;#closed=!1;#servicesSynced=!1;#endpointsSynced=!1;#cidrs;constructor(handler,failed){
this.handler=handler,this.failed=failed}onServiceUpdate(previous,current){this.#report(()=>this.handler.onServiceUpdate(
previous,current))}onEndpointsUpdate(previous,current){for(let event of eventsOfSliceChange(previous,current))this.#report(
()=>this.handler.onEndpointsUpdate(...event))}onNodeUpdate(node){this.#report(()=>this.handler.onNodeUpdate(node))}onServiceCIDRsUpdate(cidrs){
let sorted2=[...new Set(cidrs)].sort();this.#cidrs?.join()!==sorted2.join()&&(this.#cidrs=sorted2,this.#report(()=>this.
handler.onServiceCIDRsUpdate(sorted2)))}onServicesSynced(){this.#servicesSynced||(this.#servicesSynced=!0,this.#report(()=>this.
handler.onServicesSynced()))}onEndpointsSynced(){this.#endpointsSynced||(this.#endpointsSynced=!0,this.#report(()=>this.
handler.onEndpointsSynced()))}close(){this.#closed=!0}#report(call){if(!this.#closed)try{call()}catch(error){this.failed(
error)}}};var DualStackProxier=class extends ProxierGroup{constructor(ipv4,ipv6){if(ipv4.mode!==ipv6.mode)throw new RangeError(`bo\
th proxiers must be of one mode, not "${ipv4.mode}" and "${ipv6.mode}"`);super(ipv4.mode,[ipv4,ipv6])}async syncLoop(signal){
let failed=new AbortController,either=AbortSignal.any([signal,failed.signal]),run=async proxier=>{try{await proxier.syncLoop(
either)}catch(error){throw failed.abort(),error}},rejected=(await Promise.allSettled(this.members.map(run))).find(result=>result.
status==="rejected");if(rejected)throw rejected.reason}};function adaptiveInterval(duration){return Math.min(1e3,Math.max(50,duration*(1/.1-1)))}var SyncRunner=class{options;#requested=!1;#requestedBy=Number.POSITIVE_INFINITY;#failures=0;#tokens;#burst;#refilledAt;#nextDue;#minInterval;#timer;#wake;constructor(options){
this.options=options;let{minInterval,maxInterval,burst=1,clock}=options;if(this.#minInterval=typeof minInterval=="number"?
minInterval:0,maxInterval<this.#minInterval)throw new RangeError(`maxInterval (${maxInterval} ms) must not be less than \
minInterval (${minInterval} ms)`);if(!(burst>=1))throw new RangeError(`burst (${burst}) must be at least 1`);this.#burst=
burst,this.#tokens=burst,this.#refilledAt=clock.monotonic(),this.#nextDue=clock.monotonic()+maxInterval}request(){this.#requested=
!0,this.#wake?.()}requestBy(time){this.#requestedBy=time??Number.POSITIVE_INFINITY}async loop(signal){let{clock,run,minInterval,
maxInterval,retryInterval}=this.options,onAbort=()=>this.#wake?.();signal.addEventListener("abort",onAbort);try{for(;!signal.
aborted;){let wait=this.#waitTime();if(wait>0){await this.#sleep(wait);continue}this.#requested=!1,this.#requestedBy=Number.
POSITIVE_INFINITY;let begin=clock.monotonic(),done=await run(),now=clock.monotonic();this.#refill(now),typeof minInterval==
"function"&&(this.#minInterval=minInterval(now-begin)),this.#tokens===this.#burst&&(this.#refilledAt=now),this.#tokens-=
1,this.#failures=done?0:this.#failures+1,this.#nextDue=now+(done?maxInterval:Math.min(Math.max(retryInterval(this.#failures),
this.#minInterval),maxInterval))}}finally{signal.removeEventListener("abort",onAbort),this.#timer?.cancel()}}#waitTime(){
let now=this.options.clock.monotonic(),due=this.#requested?now:Math.min(this.#nextDue,this.#requestedBy);return due>now?
due-now:(this.#refill(now),this.#tokens>0?0:this.#refilledAt+this.#minInterval-now)}#refill(now){let minInterval=this.#minInterval;
if(minInterval===0){this.#tokens=this.#burst,this.#refilledAt=now;return}let earned=Math.floor((now-this.#refilledAt)/minInterval);
earned>0&&(this.#tokens=Math.min(this.#burst,this.#tokens+earned),this.#refilledAt=this.#tokens===this.#burst?now:this.#refilledAt+
earned*minInterval)}#sleep(milliseconds){return new Promise(resolve2=>{let wake=()=>{this.#timer?.cancel(),this.#timer=void 0,
this.#wake=void 0,resolve2()};this.#wake=wake,this.#timer=this.options.clock.setTimer(milliseconds,wake)})}};var FIRST_RETRY=100,ADDRESS_CHECK_PERIOD=3e4,ReconcilingProxier=class{mode;#context;#dataplane;#resolver;#runner;#servicesSynced=!1;#endpointsSynced=!1;#applied;#planned;#suspect=!1;#addressesSuspect=!0;#addressesReadAt=Number.
NEGATIVE_INFINITY;#noticed;#lastFull=Number.NEGATIVE_INFINITY;#failures=0;#triggerTimes=[];#signal;#givenPace;constructor({
mode,context,dataplane,pace}){let{family,options,clock,logger}=context,warn=problem=>logger.warn(formatObjectProblem(problem),
{ignored:problem.ignored});this.mode=mode,this.#context=context,this.#dataplane=dataplane,this.#givenPace=pace,this.#resolver=
new ProxyStateResolver({family,options,reader:context.reader??new ObjectReader(warn),since:clock.now(),onProblem:warn,includesLocalAddresses:dataplane.
followsLocalAddresses??!1}),this.#runner=new SyncRunner({clock,run:()=>this.#syncOnce(),burst:options.syncBurst,...options.
minSyncPeriod==="adaptive"?{minInterval:adaptiveInterval,maxInterval:options.driftCheckPeriod}:{minInterval:options.minSyncPeriod,
maxInterval:Math.max(options.driftCheckPeriod,options.minSyncPeriod)},retryInterval:failures=>Math.min(FIRST_RETRY*2**(failures-
1),options.syncPeriod)})}get status(){return{desired:this.#resolver.latest,applied:this.#applied,failures:this.#failures}}onServiceUpdate(previous,current){
this.#requestIf(this.#resolver.updateService(previous,current))}onEndpointsUpdate(previous,current){this.#requestIf(this.#resolver.
updateEndpointSlice(previous,current))}onServicesSynced(){this.#servicesSynced=!0,this.#requestIf(!0)}onEndpointsSynced(){
this.#endpointsSynced=!0,this.#requestIf(!0)}onNodeUpdate(node){this.#requestIf(this.#resolver.updateNode(node))}onServiceCIDRsUpdate(cidrs){
this.#requestIf(this.#resolver.updateServiceCIDRs(cidrs))}sync(){this.#requestIf(!0)}reconcile(){this.#suspect=!0,this.#requestIf(
!0)}async syncLoop(signal){this.#signal=signal,this.#observe("started",()=>this.#context.observer.started?.(this.#context.
family));let watching=[this.#watch(signal),this.#watchAddresses(signal)];try{await this.#runner.loop(signal),await Promise.
all(watching)}finally{await this.#dataplane.close?.()}}async#watch(signal){let{family,logger}=this.#context;try{await this.#dataplane.
watch?.((what,certainty="seen")=>{certainty==="seen"?(logger.warn(`Drift detected: ${what}; reconciling`,{family}),this.#noticed=
what):logger.debug(2,`Checking for drift: ${what}`,{family}),this.reconcile()},signal)}catch(error){let seconds=Math.round(
this.#context.options.driftCheckPeriod/1e3);logger.error(`Drift is detected only by the full check every ${seconds} s: ${messageOf(
error)}`,{family})}}async#watchAddresses(signal){if(!this.#resolver.needsLocalAddresses&&!this.#dataplane.followsLocalAddresses)
return;let{family,logger,watchAddresses}=this.#context;try{await watchAddresses?.(changes=>this.#readAddresses(changes),
signal)}catch(error){logger.error(`Address changes are detected only by periodic reads: ${messageOf(error)}`,{family})}}async#readAddresses(changes){
let{family}=this.#context;if(!changes?.every(change=>change.family!==family))try{this.#requestIf(this.#resolver.updateLocalAddresses(
await this.#context.localAddresses()))}catch{this.#addressesSuspect=!0,this.#requestIf(!0)}}get#gateOpen(){return this.#servicesSynced&&
this.#endpointsSynced}#requestIf(needed){needed&&this.#gateOpen&&(this.#observe("queued",()=>this.#context.observer.queued?.(
this.#context.family)),this.#runner.request())}async#syncOnce(){if(!this.#gateOpen)return!0;let{clock,family,logger,observer}=this.#context,
begin=clock.monotonic(),believed=this.#applied,pace=this.#givenPace??new EventLoopPace(clock,this.#signal),paced=slices=>finishWithPauses(
slices,pace),full=!0;try{full=believed===void 0||this.#suspect||begin-this.#lastFull>=this.#context.options.driftCheckPeriod,
this.#resolver.needsLocalAddresses||this.#dataplane.followsLocalAddresses&&(full||this.#addressesSuspect)?(this.#resolver.
updateLocalAddresses(await this.#context.localAddresses()),this.#addressesSuspect=!1):(full||this.#resolver.hasExternalAddresses&&
!this.#dataplane.followsLocalAddresses&&begin-this.#addressesReadAt>=ADDRESS_CHECK_PERIOD)&&await this.#compareAddresses(),
this.#observe("resolving",()=>observer.resolving?.(family,this.#resolver.latest));let few=this.#givenPace===void 0?void 0:
0,resolving=this.#resolver.applyPendingInSlices(clock.monotonic(),few),{state,changes:step,triggerTimes}=await paced(resolving);
this.#runner.requestBy(this.#resolver.nextStep),this.#observe("resolved",()=>observer.resolved?.(family,state));for(let time of triggerTimes)
this.#triggerTimes.push(time);full||=this.#suspect,this.#suspect=!1;let changes=full?await paced(diffStatesInSlices(void 0,
state)):await this.#since(step,state,paced),installed=full?await this.#dataplane.readBack():void 0;if(full||!isEmptyChangeSet(
changes)){let pending=believed!==void 0&&installed!==void 0&&!isEmptyChangeSet(await paced(diffStatesInSlices(believed,state))),
drift=pending?await paced(this.#plan(believed,await paced(diffStatesInSlices(void 0,believed)),installed)):void 0,known=!full&&
changes.previous===believed?{...changes,previous:this.#planned}:changes,transaction=await paced(this.#plan(state,known,installed));
this.#planned=state,this.#applied=void 0,transaction!==void 0&&await this.#dataplane.apply(transaction),full&&this.#reportRepair(
believed!==void 0,pending?drift:transaction)}this.#applied=state,this.#lastFull=full?begin:this.#lastFull,this.#failures=
0;let reportedTimes=this.#triggerTimes;this.#triggerTimes=[];let duration=clock.monotonic()-begin;logger.debug(2,"Synced",
{family,full,changes:changes.servicePorts.size,milliseconds:Math.round(duration)});let report=this.#dataplane.report?.();
return await this.#observeAsync(async()=>observer.synced?.({family,state,changes,full,duration,triggerTimes:reportedTimes,
...report===void 0?{}:{report}})),!0}catch(error){if(error instanceof WorkEnded)return this.#applied=believed,!1;this.#applied=
void 0;let isOutdated=hasErrorKind(error,"outdated");if(isOutdated||hasErrorKind(error,"perhaps-outdated"))return isOutdated?
this.#noticed===void 0&&(logger.warn(`Drift detected: ${messageOf(error)}`,{family}),this.#noticed=messageOf(error)):logger.
debug(2,`Checking for drift: ${messageOf(error)}`,{family}),this.#applied=believed,this.#suspect=!0,!1;this.#failures+=1;
let failures=this.#failures;return logger.error(`Sync failed; it will be retried: ${messageOf(error)}`,{family,full,failures}),
this.#observe("failed",()=>observer.failed?.({family,error,full,duration:clock.monotonic()-begin,failures})),!1}}async#compareAddresses(){
let{clock,family,localAddresses,logger}=this.#context;this.#addressesReadAt=clock.monotonic();try{this.#resolver.updateLocalAddresses(
await localAddresses())}catch(error){logger.warn(`Addresses of this host cannot be read, so external IPs are not compare\
d with them: ${messageOf(error)}`,{family})}}#reportRepair(isKnown,repair){let{family,logger,observer}=this.#context,noticed=this.#noticed;
if(this.#noticed=void 0,repair===void 0||noticed===void 0&&!isKnown)return;let written=isKnown?this.#dataplane.describe?.(
repair):void 0,what=[noticed??"found by the full check",...written===void 0?[]:[`wrote ${written}`]].join("; ");logger.warn(
`Drift repaired: ${what}`,{family}),this.#observe("repaired",()=>observer.repaired?.({family,what}))}#since(step,state,paced){
return step.previous===this.#applied?step:paced(diffStatesInSlices(this.#applied,state))}*#plan(next,changes,installed){
let slices=this.#dataplane.planInSlices?.(next,changes,installed);return slices===void 0?this.#dataplane.plan(next,changes,
installed):yield*slices}#observe(what,call){try{call()}catch(error){this.#context.logger.error(`A sync observer failed i\
n "${what}": ${messageOf(error)}`)}}async#observeAsync(call){try{await call()}catch(error){this.#context.logger.error(`A\
 sync observer failed in "synced": ${messageOf(error)}`)}}};var UNITS=["KiB","MiB","GiB","TiB","PiB"];function formatBytes(bytes){let value=bytes,unit;for(let next of UNITS){if(value<
(unit===void 0?1024:1023.95))break;value/=1024,unit=next}return unit===void 0?`${bytes}B`:`${value.toFixed(1)}${unit}`}function listDifference(before2,after){let start=0;for(;start<before2.length&&start<after.length&&before2[start]===after[start];)
start++;let end=0;for(;end<before2.length-start&&end<after.length-start&&before2[before2.length-1-end]===after[after.length-
1-end];)end++;let left=before2.slice(start,before2.length-end),right=after.slice(start,after.length-end),width=right.length+
1,isKept=left.length*right.length>4e6?()=>0:longestCommon(left,right),changes=[],row2=0,column=0;for(;row2<left.length||
column<right.length;){let[old,fresh]=[left[row2],right[column]];old!==void 0&&old===fresh&&isKept(row2*width+column)>isKept(
(row2+1)*width+column)?(row2++,column++):old!==void 0&&(fresh===void 0||isKept((row2+1)*width+column)>=isKept(row2*width+
column+1))?(changes.push({action:"remove",text:old,position:start+row2+1}),row2++):fresh!==void 0&&(changes.push({action:"\
add",text:fresh,position:start+column+1}),column++)}return changes}function longestCommon(left,right){let width=right.length+
1,lengths=new Uint16Array((left.length+1)*width);for(let row2=left.length-1;row2>=0;row2--)for(let column=right.length-1;column>=
0;column--){let cell=row2*width+column;lengths[cell]=left[row2]===right[column]?(lengths[cell+width+1]??0)+1:Math.max(lengths[cell+
width]??0,lengths[cell+1]??0)}return cell=>lengths[cell]??0}var ConnectionVerification=class{state;host;classes;#findings;#omitted;#checked=0;constructor(state,host,limit){this.state=
state,this.host=host,this.#findings=new FindingGroups(state);let all=[...packetClasses(state,host)].filter(one=>one.from===
"node"&&one.packet.protocol==="TCP"&&this.#decide(one).outcome.kind!=="passed-on"),step=Math.max(1,all.length/limit);this.
classes=Array.from({length:Math.min(all.length,limit)},(_,index)=>all[Math.floor(index*step)]).flatMap(one=>one??[]),this.#omitted=
all.length-this.classes.length}add(one,attempt){this.#checked++;let difference=compareConnection(this.#decide(one),attempt);
difference!==void 0&&this.#findings.add(one,difference)}result(){return this.#omitted>0&&this.#findings.addUnread(`${this.#omitted}\
 of ${this.#omitted+this.classes.length} connections were not made`,`${this.#omitted} of ${this.#omitted+this.classes.length}\
 connections were not made, because of the limit`),this.#findings.result(this.#checked)}#decide(one){return decidePacket(
this.state,one.packet,{localAddresses:this.host.localAddresses})}};function compareConnection({outcome},{result,endpoint,
reason}){let expected=expectationText(outcome),differs=(kind,actual,because)=>({kind,expected,actual,because,decidedBy:void 0});
if(result==="failed")return differs("unknown","not sent",`the connection could not be attempted: ${reason??"unknown erro\
r"}`);let sentTo=typeof endpoint=="string"?`sent to ${endpoint}`:"not sent to an endpoint",got={connected:"accepted",refused:"\
refused",timeout:"dropped"};switch(outcome.kind){case"passed-on":return;case"refused":case"dropped":return got[result]===
outcome.kind&&typeof endpoint!="string"?void 0:differs(got[result],typeof endpoint=="string"?sentTo:got[result],"seen wi\
th a real connection");case"forwarded":{let known=outcome.choices.some(choice=>{let{address,port}=choice.endpoint;return joinHostPort(
address,port)===endpoint});if(typeof endpoint=="string"&&!known)return differs("wrong-endpoint",sentTo,"seen with a real\
 connection");if(result==="connected")return endpoint===void 0?differs("not-forwarded",sentTo,"seen with a real connecti\
on"):void 0;if(result==="timeout"&&endpoint===void 0)return differs("dropped","dropped","seen with a real connection, wh\
ich was sent to no endpoint");let who=typeof endpoint=="string"?`endpoint ${endpoint}`:"an endpoint, or a rule of this n\
ode,";return differs("unknown",result==="refused"?"refused":"not answered",`${who} may be the cause`)}}}var SLICE3=64;function*verifyInSlices(state,path,{servesLoopback:servesLoopback2=!0}={}){if(state.family!==path.family)throw new RangeError(
`a state of ${state.family} cannot be verified with rules of ${path.family}`);let findings=new FindingGroups(state);for(let reason of path.
unread)findings.addUnread(reason);let classes=0;for(let one of path.unread.length>0?[]:packetClasses(state,path)){if(one.
from==="loopback"&&!servesLoopback2&&state.node.nodePortAddresses.loopback)continue;let decision=decidePacket(state,one.
packet,{localAddresses:path.localAddresses});if(compareOutcomes(decision,path.outcomesOf(one.packet,!1))!==void 0){let difference=compareOutcomes(
decision,path.outcomesOf(one.packet));difference!==void 0&&findings.add(one,difference)}++classes%SLICE3===0&&(yield)}return findings.
result(classes)}var digests=new WeakMap,wholeDigests=new WeakMap;function stateDigest(state){return finish(stateDigestInSlices(state))}function*stateDigestInSlices({
servicePorts}){let known=wholeDigests.get(servicePorts);if(known!==void 0)return known;let[high,low]=[0,0];for(let port of servicePorts.
values()){if(yield,isProbeService(port.name))continue;let digest=digests.get(port);digest===void 0&&(digest=servicePortDigest(
port),digests.set(port,digest)),high^=digest[0],low^=digest[1]}let whole=[high,low].map(half=>(half>>>0).toString(16).padStart(
8,"0")).join("");return wholeDigests.set(servicePorts,whole),whole}function digestNumber(digest){return Number.parseInt(
digest.slice(0,12),16)}function servicePortDigest({key,servicePort,candidates}){let facts=[key,servicePort.clusterIP,servicePort.
port,servicePort.nodePort,servicePort.externalIPs,servicePort.loadBalancerVIPs,servicePort.loadBalancerSourceRanges??null,
servicePort.externalTrafficPolicy,servicePort.internalTrafficPolicy,servicePort.affinitySeconds??null,servicePort.healthCheckNodePort,
Object.entries(servicePort.annotations).sort(byText),candidates.map(endpointFacts).sort()];return hashOf(JSON.stringify(
facts))}function endpointFacts({key,ready,serving,terminating,weight,nodeName,zoneHints,nodeHints}){return JSON.stringify(
[key,ready,serving,terminating,nodeName??"",[...zoneHints].sort(),[...nodeHints].sort(),...weight===DEFAULT_WEIGHT?[]:[weight]])}
function byText([left],[right]){return left<right?-1:1}function hashOf(text){let[first,second]=[3735928559,1103547991];for(let index=0;index<
text.length;index+=1){let code=text.charCodeAt(index);first=Math.imul(first^code,2654435761),second=Math.imul(second^code,
1597334677)}return first=Math.imul(first^first>>>16,2246822507)^Math.imul(second^second>>>13,3266489909),second=Math.imul(
second^second>>>16,2246822507)^Math.imul(first^first>>>13,3266489909),[second>>>0,first>>>0]}var SPLIT_SLICE=".part-",UNPARSABLE_RANGE="none of the ranges could be parsed";function*serviceObjectsOf(states){let services=new Map;
for(let state of states)for(let port of state.servicePorts.values()){let key=serviceKey(port.name),ports=services.get(key)??
[];services.set(key,ports),ports.push([state.family,port])}for(let ports of services.values())yield{service:serviceOf2(ports),
endpointSlices:slicesOf(ports)}}function nodeObjectOf(states,original){let[first]=states,detected=states.flatMap(({node})=>node.
detector.kind==="source-cidr"?[node.detector.cidr]:[]),podCIDRs=original?.spec?.podCIDRs??(original?.spec?.podCIDR?[original.
spec.podCIDR]:detected);return{apiVersion:"v1",kind:"Node",metadata:{name:first?.node.name??"",...first?.node.zone===void 0?
{}:{labels:{[TOPOLOGY_ZONE_LABEL]:first.node.zone}}},...podCIDRs.length===0?{}:{spec:{podCIDRs}},status:{addresses:states.
flatMap(({node})=>node.addresses.map(address=>({type:"InternalIP",address})))}}}function serviceOf2(ports){let byFamily=new Map(
ports.map(([family,{servicePort}])=>[family,servicePort])),families=[...byFamily.keys()].sort(),facts=families.flatMap(family=>byFamily.
get(family)??[]),[first]=facts;if(first===void 0)throw new RangeError("a Service has at least one port");let clusterIPs=facts.
map(({clusterIP})=>clusterIP),externalIPs=facts.flatMap(port=>port.externalIPs),vips=facts.flatMap(port=>port.loadBalancerVIPs),
ranges=rangesOf2(facts),{namespace,name}=first.name,{affinitySeconds,healthCheckNodePort,createdAt,annotations}=first,own=new Map(
ports.map(([,{key,servicePort}])=>[key,servicePort]));return{apiVersion:"v1",kind:"Service",metadata:{namespace,name,...createdAt===
0?{}:{creationTimestamp:new Date(createdAt).toISOString()},...Object.keys(annotations).length===0?{}:{annotations}},spec:{
type:typeOf(first,vips.length>0,externalIPs.length>0),...clusterIPs[0]===void 0?{}:{clusterIP:clusterIPs[0]},clusterIPs,
ipFamilies:families,...externalIPs.length===0?{}:{externalIPs},ports:[...own.values()].map(portOf2),...affinitySeconds===
void 0?{}:{sessionAffinity:"ClientIP",sessionAffinityConfig:{clientIP:{timeoutSeconds:affinitySeconds}}},externalTrafficPolicy:first.
externalTrafficPolicy,internalTrafficPolicy:first.internalTrafficPolicy,...healthCheckNodePort===0?{}:{healthCheckNodePort},
...ranges===void 0?{}:{loadBalancerSourceRanges:ranges}},...vips.length===0?{}:{status:{loadBalancer:{ingress:vips.map(ip=>({
ip}))}}}}}function portOf2({name,port,nodePort}){return{...name.portName===""?{}:{name:name.portName},protocol:name.protocol,
port,...nodePort===0?{}:{nodePort}}}function typeOf(port,hasVips,hasExternalIPs){return hasVips||port.healthCheckNodePort!==
0?"LoadBalancer":port.nodePort!==0||port.externalTrafficPolicy==="Local"&&!hasExternalIPs?"NodePort":"ClusterIP"}function rangesOf2(facts){
let given=facts.flatMap(({loadBalancerSourceRanges})=>loadBalancerSourceRanges===void 0?[]:[loadBalancerSourceRanges]),ranges=given.
flat();return given.length===0?void 0:ranges.length===0?[UNPARSABLE_RANGE]:ranges}function slicesOf(ports){let slices=new Map;
for(let[family,{name,candidates,servicePort}]of ports){let isWeighted=servicePort.annotations[ENDPOINT_WEIGHTS_ANNOTATION]!==
void 0;for(let endpoint of candidates){let{port,sliceName=`${name.name}-${family.toLowerCase()}`}=endpoint,parts=slices.
get(sliceName)??new Map;slices.set(sliceName,parts);let key=`${family} ${name.portName}/${name.protocol} ${port}`,part=parts.
get(key)??{family,name,port,endpoints:[],isWeighted};parts.set(key,part),part.endpoints.push(endpoint)}}return[...slices].
flatMap(([sliceName,parts])=>{let groups=new Map;for(let part of parts.values()){let content=JSON.stringify([part.family,
part.endpoints.map(sliceEndpoint),weightsOf(part)]);groups.set(content,[...groups.get(content)??[],part])}return[...groups.
values()].map((group,index)=>sliceOf(index===0?sliceName:`${sliceName}${SPLIT_SLICE}${index+1}`,group))})}function sliceOf(sliceName,parts){
let[first]=parts,weights=first===void 0?void 0:weightsOf(first);return{apiVersion:"discovery.k8s.io/v1",kind:"EndpointSl\
ice",metadata:{namespace:first?.name.namespace??"",name:sliceName,labels:{[SERVICE_NAME_LABEL]:first?.name.name??""},...weights===
void 0?{}:{annotations:{[ENDPOINT_WEIGHTS_ANNOTATION]:weights}}},addressType:first?.family??"",ports:parts.map(({name,port})=>({
name:name.portName,protocol:name.protocol,port})),endpoints:first?.endpoints.map(sliceEndpoint)??[]}}function weightsOf({
endpoints,isWeighted}){return isWeighted||endpoints.some(({weight})=>weight!==DEFAULT_WEIGHT)?endpoints.map(({address,weight})=>`${address}\
=${weight}`).join(","):void 0}function sliceEndpoint(endpoint){let{address,ready,serving,terminating,notReadyReason,nodeName,
podName,zoneHints,nodeHints}=endpoint,names2=list=>list.map(name=>({name})),hints={...zoneHints.length===0?{}:{forZones:names2(
zoneHints)},...nodeHints.length===0?{}:{forNodes:names2(nodeHints)}};return{addresses:[address],conditions:{ready,serving,
terminating,...notReadyReason===void 0?{}:{reason:notReadyReason}},...nodeName===void 0?{}:{nodeName},...podName===void 0?
{}:{targetRef:{kind:"Pod",name:podName}},...Object.keys(hints).length===0?{}:{hints}}}var NO_DIRECTION="",TrafficCounts=class{#counts=new Map;constructor(samples,quantities){for(let{metric,labels,value,family}of samples){
let quantity=quantities.get(metric);if(quantity===void 0)continue;let key=keyOf4(labels.service,labels.protocol,family??
labels.ip_family,labels.endpoint),counts=this.#counts.get(key)??{};this.#counts.set(key,counts),counts[quantity]??={metric,
values:new Map};let{metric:first,values}=counts[quantity];if(first===metric){let{direction=NO_DIRECTION}=labels;values.set(
direction,(values.get(direction)??0)+value)}}}get isEmpty(){return this.#counts.size===0}of(name,family,endpoint){let counts=this.#counts.
get(keyOf4(formatServicePortName(name),name.protocol,family,endpoint)),connections=counts?.connections?.values.get(NO_DIRECTION),
[packets,bytes]=[directions(counts?.packets),directions(counts?.bytes)];return{...connections===void 0?{}:{connections},
...packets===void 0?{}:{packets},...bytes===void 0?{}:{bytes}}}};function directions(count2){return count2&&{toEndpoints:count2.
values.get("to-endpoints")??0,toClients:count2.values.get("to-clients")??0}}function keyOf4(service="",protocol="",family="",endpoint=""){
return`${service} ${protocol} ${family} ${endpoint}`}export{parseAddress,parseCIDR,cidrContains,joinHostPort,familyOf,hostCIDR,portRangeSpace,hasPort,formatPorts,flatText,servicePortKey,
serviceKey,serviceOfPort,formatServicePortName,structurallyEqual,ProxierError,hasErrorKind,isProxierError,messageOf,printable,
printableValue,assertNever,SLOW_START_PARTS,isDrained,selectionWeights,selectionSlots,proportionalParts,compareStates,isEmptyComparison,
MARKS,comparisonLines,formatPlanSummary,PartlyAppliedError,LeftoversError,OptionRules,findOptionProblem,checkBackendOptions,
silentLogger,finish,finishWithPauses,diffStates,diffStatesInSlices,createPreview,Tokens,AccumulatedCounts,BoundedSeries,
COUNT_TRAFFIC_ANNOTATION,readCountTraffic,countsTraffic,countTrafficProblem,COUNT_CONNECTIONS_ANNOTATION,readCountConnections,
countsConnections,countConnectionsProblem,countsMeasurement,DEFAULT_PROXY_MODE,UnknownProxyModeError,selectProxyMode,ContainerModule,
Container,withCompanion,endpointsKeepingFlows,frontendKey,resetsConnections,lostEndpoints,isRecord,isText,NODE_PORT_ADDRESS_KEYWORDS,
isNodePortAddressKeyword,selectNodePortAddresses,isNodePortAddressSelection,listNodePortAddresses,unselectedFamilies,servesLoopback,
optionsOfFamily,unservedLoopback,PROBE_NAMESPACE,specialAddress,formatObjectProblem,SERVICE_NAME_LABEL,SERVICE_PROXY_NAME_LABEL,
HEADLESS_SERVICE_LABEL,TOPOLOGY_ZONE_LABEL,ENDPOINT_SLICE_ANNOTATIONS,readEndpointSlice,readNode,readServiceCIDR,readService,
ObjectReader,nestingOfText,systemClock,pause,EventLoopPace,StateMemo,explainSimulation,simulatePacket,nearestName,QuestionError,
readPacketQuestion,answerPacketQuestion,formatTable,formatPacketAnswer,describeChange,ObjectJournal,RECORDING_FORMAT,RECORDING_VERSION,
RecordingError,parseRecordedEntry,ProxyStateResolver,DEFAULT_PROXIER_OPTIONS,RecordingReplay,SourceReporter,DualStackProxier,
ReconcilingProxier,formatBytes,listDifference,addressNumber,overallVerdict,describePathRule,compareModes,ConnectionVerification,
verifyInSlices,firstServicePorts,viewServicePorts,stateDigest,stateDigestInSlices,digestNumber,SPLIT_SLICE,serviceObjectsOf,
nodeObjectOf,TrafficCounts};
/*! Bundled license information:

reflect-metadata/ReflectLite.js:
  (*! *****************************************************************************
  Copyright (C) Microsoft. All rights reserved.
  Licensed under the Apache License, Version 2.0 (the "License"); you may not use
  this file except in compliance with the License. You may obtain a copy of the
  License at http://www.apache.org/licenses/LICENSE-2.0
  
  THIS CODE IS PROVIDED ON AN *AS IS* BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY
  KIND, EITHER EXPRESS OR IMPLIED, INCLUDING WITHOUT LIMITATION ANY IMPLIED
  WARRANTIES OR CONDITIONS OF TITLE, FITNESS FOR A PARTICULAR PURPOSE,
  MERCHANTABLITY OR NON-INFRINGEMENT.
  
  See the Apache Version 2.0 License for specific language governing permissions
  and limitations under the License.
  ***************************************************************************** *)

immutable/dist/immutable.js:
  (**
   * @license
   * MIT License
   * 
   * Copyright (c) 2014-present, Lee Byron and other contributors.
   * 
   * Permission is hereby granted, free of charge, to any person obtaining a copy
   * of this software and associated documentation files (the "Software"), to deal
   * in the Software without restriction, including without limitation the rights
   * to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
   * copies of the Software, and to permit persons to whom the Software is
   * furnished to do so, subject to the following conditions:
   * 
   * The above copyright notice and this permission notice shall be included in all
   * copies or substantial portions of the Software.
   * 
   * THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
   * IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
   * FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
   * AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
   * LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
   * OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
   * SOFTWARE.
   *)
*/
//# sourceMappingURL=chunk-4LHTYADA.js.map
