import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{createServer,get}from"./chunk-MTSOMN72.js";import{AddressEventsNetlink,ProcLocalNetwork,SysctlError,TcpSocketsError,
listProcesses,runInSlices,seesAllProcesses,slowCommands,supportsIPv6,watchAddresses,whyNotPermitted}from"./chunk-C2RJUF7R.js";
import{BoundedSeries,ConnectionVerification,Container,DEFAULT_PROXIER_OPTIONS,DEFAULT_PROXY_MODE,DualStackProxier,EventLoopPace,
NODE_PORT_ADDRESS_KEYWORDS,ObjectJournal,ObjectReader,OptionRules,PROBE_NAMESPACE,ProxierError,QuestionError,RECORDING_FORMAT,
RECORDING_VERSION,RecordingError,RecordingReplay,SourceReporter,StateMemo,Tokens,TrafficCounts,answerPacketQuestion,diffStatesInSlices,
digestNumber,endpointsKeepingFlows,explainSimulation,familyOf,findOptionProblem,finish,finishWithPauses,firstServicePorts,
formatObjectProblem,formatServicePortName,hasErrorKind,hasPort,isNodePortAddressSelection,isProxierError,isRecord,joinHostPort,
listNodePortAddresses,lostEndpoints,messageOf,nodeObjectOf,optionsOfFamily,overallVerdict,parseAddress,parseRecordedEntry,
pause,portRangeSpace,printable,readNode,readPacketQuestion,resetsConnections,selectProxyMode,serviceKey,serviceObjectsOf,
servicePortKey,silentLogger,simulatePacket,specialAddress,stateDigest,stateDigestInSlices,systemClock,verifyInSlices,viewServicePorts}from"./chunk-4LHTYADA.js";
import{promisify}from"./chunk-7IMJZ4UJ.js";import{__commonJS,__require,__toESM}from"./chunk-VCSBMK2H.js";var require_util=__commonJS({"node_modules/prom-client/lib/util.js"(exports){"use strict";exports.getValueAsString=function(value2){
return Number.isNaN(value2)?"Nan":Number.isFinite(value2)?`${value2}`:value2<0?"-Inf":"+Inf"};exports.removeLabels=function(hashMap,labels,sortedLabelNames){
let hash=hashObject(labels,sortedLabelNames);delete hashMap[hash]};exports.setValue=function(hashMap,value2,labels){let hash=hashObject(
labels);return hashMap[hash]={value:typeof value2=="number"?value2:0,labels:labels||{}},hashMap};exports.setValueDelta=function(hashMap,deltaValue,labels,hash=""){
let value2=typeof deltaValue=="number"?deltaValue:0;return hashMap[hash]?hashMap[hash].value+=value2:hashMap[hash]={value:value2,
labels},hashMap};exports.getLabels=function(labelNames,args){if(typeof args[0]=="object")return args[0];if(labelNames.length!==
args.length)throw new Error(`Invalid number of arguments (${args.length}): "${args.join(", ")}" for label names (${labelNames.
length}): "${labelNames.join(", ")}".`);let acc={};for(let i=0;i<labelNames.length;i++)acc[labelNames[i]]=args[i];return acc};
function fastHashObject(keys,labels){if(keys.length===0)return"";let hash="";for(let i=0;i<keys.length;i++){let key=keys[i],
value2=labels[key];value2!==void 0&&(hash+=`${key}:${value2},`)}return hash}function hashObject(labels,labelNames){if(labelNames)
return fastHashObject(labelNames,labels);let keys=Object.keys(labels);return keys.length>1&&keys.sort(),fastHashObject(keys,
labels)}exports.hashObject=hashObject;exports.isObject=function(obj){return obj!==null&&typeof obj=="object"};exports.nowTimestamp=
function(){return Date.now()/1e3};var Grouper=class extends Map{add(key,value2){this.has(key)?this.get(key).push(value2):
this.set(key,[value2])}};exports.Grouper=Grouper}});var require_registry=__commonJS({"node_modules/prom-client/lib/registry.js"(exports,module){"use strict";var{getValueAsString}=require_util(),
Registry2=class _Registry{static get PROMETHEUS_CONTENT_TYPE(){return"text/plain; version=0.0.4; charset=utf-8"}static get OPENMETRICS_CONTENT_TYPE(){
return"application/openmetrics-text; version=1.0.0; charset=utf-8"}constructor(regContentType=_Registry.PROMETHEUS_CONTENT_TYPE){
if(this._metrics={},this._collectors=[],this._defaultLabels={},regContentType!==_Registry.PROMETHEUS_CONTENT_TYPE&&regContentType!==
_Registry.OPENMETRICS_CONTENT_TYPE)throw new TypeError(`Content type ${regContentType} is unsupported`);this._contentType=
regContentType}getMetricsAsArray(){return Object.values(this._metrics)}async getMetricsAsString(metrics){let metric=typeof metrics.
getForPromString=="function"?await metrics.getForPromString():await metrics.get(),name=escapeString(metric.name),help=`#\
 HELP ${name} ${escapeString(metric.help)}`,type=`# TYPE ${name} ${metric.type}`,values=[help,type],defaultLabels=Object.
keys(this._defaultLabels).length>0?this._defaultLabels:null,isOpenMetrics=this.contentType===_Registry.OPENMETRICS_CONTENT_TYPE;
for(let val of metric.values||[]){let{metricName=name,labels={}}=val,{sharedLabels={}}=val;isOpenMetrics&&metric.type===
"counter"&&(metricName=`${metricName}_total`),defaultLabels&&(labels={...labels,...defaultLabels,...labels});let formattedLabels=formatLabels(
labels,sharedLabels),flattenedShared=flattenSharedLabels(sharedLabels),labelParts=[...formattedLabels,flattenedShared].filter(
Boolean),labelsString=labelParts.length?`{${labelParts.join(",")}}`:"",fullMetricLine=`${metricName}${labelsString} ${getValueAsString(
val.value)}`,{exemplar}=val;if(exemplar&&isOpenMetrics){let formattedExemplars=formatLabels(exemplar.labelSet);fullMetricLine+=
` # {${formattedExemplars.join(",")}} ${getValueAsString(exemplar.value)} ${exemplar.timestamp}`}values.push(fullMetricLine)}
return values.join(`
`)}async metrics(){let isOpenMetrics=this.contentType===_Registry.OPENMETRICS_CONTENT_TYPE,promises=this.getMetricsAsArray().
map(metric=>(isOpenMetrics&&metric.type==="counter"&&(metric.name=standardizeCounterName(metric.name)),this.getMetricsAsString(
metric))),resolves=await Promise.all(promises);return isOpenMetrics?`${resolves.join(`
`)}
# EOF
`:`${resolves.join(`

`)}
`}registerMetric(metric){if(this._metrics[metric.name]&&this._metrics[metric.name]!==metric)throw new Error(`A metric wi\
th the name ${metric.name} has already been registered.`);this._metrics[metric.name]=metric}clear(){this._metrics={},this.
_defaultLabels={}}async getMetricsAsJSON(){let metrics=[],defaultLabelNames=Object.keys(this._defaultLabels),promises=[];
for(let metric of this.getMetricsAsArray())promises.push(metric.get());let resolves=await Promise.all(promises);for(let item of resolves){
if(item.values&&defaultLabelNames.length>0)for(let val of item.values){val.labels=Object.assign({},val.labels);for(let labelName of defaultLabelNames)
val.labels[labelName]=val.labels[labelName]||this._defaultLabels[labelName]}metrics.push(item)}return metrics}removeSingleMetric(name){
delete this._metrics[name]}getSingleMetricAsString(name){return this.getMetricsAsString(this._metrics[name])}getSingleMetric(name){
return this._metrics[name]}setDefaultLabels(labels){this._defaultLabels=labels}resetMetrics(){for(let metric in this._metrics)
this._metrics[metric].reset()}get contentType(){return this._contentType}setContentType(metricsContentType){if(metricsContentType===
_Registry.OPENMETRICS_CONTENT_TYPE||metricsContentType===_Registry.PROMETHEUS_CONTENT_TYPE)this._contentType=metricsContentType;else
throw new Error(`Content type ${metricsContentType} is unsupported`)}static merge(registers){let regType=registers[0].contentType;
for(let reg of registers)if(reg.contentType!==regType)throw new Error("Registers can only be merged if they have the sam\
e content type");let mergedRegistry=new _Registry(regType);return registers.reduce((acc,reg)=>acc.concat(reg.getMetricsAsArray()),
[]).forEach(mergedRegistry.registerMetric,mergedRegistry),mergedRegistry}};function formatLabels(labels,exclude){let{hasOwnProperty}=Object.
prototype,formatted=[];for(let[name,value2]of Object.entries(labels))(!exclude||!hasOwnProperty.call(exclude,name))&&formatted.
push(`${name}="${escapeLabelValue(value2)}"`);return formatted}var sharedLabelCache=new WeakMap;function flattenSharedLabels(labels){
let cached=sharedLabelCache.get(labels);if(cached)return cached;let flattened=formatLabels(labels).join(",");return sharedLabelCache.
set(labels,flattened),flattened}function escapeLabelValue(str){return typeof str!="string"?str:escapeString(str).replace(
/"/g,'\\"')}function escapeString(str){return str.replace(/\\/g,"\\\\").replace(/\n/g,"\\n")}function standardizeCounterName(name){
return name.replace(/_total$/,"")}module.exports=Registry2;module.exports.globalRegistry=new Registry2}});var require_validation=__commonJS({"node_modules/prom-client/lib/validation.js"(exports){"use strict";var util=__require("util"),
metricRegexp=/^[a-zA-Z_:][a-zA-Z0-9_:]*$/,labelRegexp=/^[a-zA-Z_][a-zA-Z0-9_]*$/;exports.validateMetricName=function(name){
return metricRegexp.test(name)};exports.validateLabelName=function(names=[]){return names.every(name=>labelRegexp.test(name))};
exports.validateLabel=function(savedLabels,labels){for(let label in labels)if(!savedLabels.includes(label))throw new Error(
`Added label "${label}" is not included in initial labelset: ${util.inspect(savedLabels)}`)}}});var require_metric=__commonJS({"node_modules/prom-client/lib/metric.js"(exports,module){"use strict";var Registry2=require_registry(),
{isObject}=require_util(),{validateMetricName,validateLabelName}=require_validation(),Metric=class{constructor(config,defaults={}){
if(!isObject(config))throw new TypeError("constructor expected a config object");if(Object.assign(this,{labelNames:[],registers:[
Registry2.globalRegistry],aggregator:"sum",enableExemplars:!1},defaults,config),this.registers||(this.registers=[Registry2.
globalRegistry]),!this.help)throw new Error("Missing mandatory help parameter");if(!this.name)throw new Error("Missing m\
andatory name parameter");if(!validateMetricName(this.name))throw new Error("Invalid metric name");if(!validateLabelName(
this.labelNames))throw new Error("Invalid label name");if(this.collect&&typeof this.collect!="function")throw new Error(
'Optional "collect" parameter must be a function');this.labelNames?this.sortedLabelNames=[...this.labelNames].sort():this.
sortedLabelNames=[],this.reset();for(let register of this.registers){if(this.enableExemplars&&register.contentType===Registry2.
PROMETHEUS_CONTENT_TYPE)throw new TypeError("Exemplars are supported only on OpenMetrics registries");register.registerMetric(
this)}}reset(){}};module.exports={Metric}}});var require_exemplar=__commonJS({"node_modules/prom-client/lib/exemplar.js"(exports,module){"use strict";var Exemplar=class{constructor(labelSet={},value2=null){
this.labelSet=labelSet,this.value=value2}validateExemplarLabelSet(labelSet){let res="";for(let[labelName,labelValue]of Object.
entries(labelSet))res+=`${labelName}${labelValue}`;if(res.length>128)throw new RangeError("Label set size must be smalle\
r than 128 UTF-8 chars")}};module.exports=Exemplar}});var require_counter=__commonJS({"node_modules/prom-client/lib/counter.js"(exports,module){"use strict";var util=__require("util"),
{hashObject,isObject,getLabels,removeLabels,nowTimestamp}=require_util(),{validateLabel}=require_validation(),{Metric}=require_metric(),
Exemplar=require_exemplar(),Counter2=class extends Metric{constructor(config){super(config),this.type="counter",this.defaultLabels=
{},this.defaultValue=1,this.defaultExemplarLabelSet={},config.enableExemplars?(this.enableExemplars=!0,this.inc=this.incWithExemplar):
this.inc=this.incWithoutExemplar}incWithoutExemplar(labels,value2){let hash="";if(isObject(labels)?(hash=hashObject(labels,
this.sortedLabelNames),validateLabel(this.labelNames,labels)):(value2=labels,labels={}),value2&&!Number.isFinite(value2))
throw new TypeError(`Value is not a valid number: ${util.format(value2)}`);if(value2<0)throw new Error("It is not possib\
le to decrease a counter");return value2==null&&(value2=1),setValue(this.hashMap,value2,labels,hash),{labelHash:hash}}incWithExemplar({
labels=this.defaultLabels,value:value2=this.defaultValue,exemplarLabels=this.defaultExemplarLabelSet}={}){let res=this.incWithoutExemplar(
labels,value2);this.updateExemplar(exemplarLabels,value2,res.labelHash)}updateExemplar(exemplarLabels,value2,hash){exemplarLabels!==
this.defaultExemplarLabelSet&&(isObject(this.hashMap[hash].exemplar)||(this.hashMap[hash].exemplar=new Exemplar),this.hashMap[hash].
exemplar.validateExemplarLabelSet(exemplarLabels),this.hashMap[hash].exemplar.labelSet=exemplarLabels,this.hashMap[hash].
exemplar.value=value2||1,this.hashMap[hash].exemplar.timestamp=nowTimestamp())}reset(){this.hashMap={},this.labelNames.length===
0&&setValue(this.hashMap,0)}async get(){if(this.collect){let v=this.collect();v instanceof Promise&&await v}return{help:this.
help,name:this.name,type:this.type,values:Object.values(this.hashMap),aggregator:this.aggregator}}labels(...args){let labels=getLabels(
this.labelNames,args)||{};return{inc:this.inc.bind(this,labels)}}remove(...args){let labels=getLabels(this.labelNames,args)||
{};return validateLabel(this.labelNames,labels),removeLabels.call(this,this.hashMap,labels,this.sortedLabelNames)}};function setValue(hashMap,value2,labels={},hash=""){
return hashMap[hash]?hashMap[hash].value+=value2:hashMap[hash]={value:value2,labels},hashMap}module.exports=Counter2}});var require_gauge=__commonJS({"node_modules/prom-client/lib/gauge.js"(exports,module){"use strict";var util=__require("util"),
{setValue,setValueDelta,getLabels,hashObject,isObject,removeLabels}=require_util(),{validateLabel}=require_validation(),
{Metric}=require_metric(),Gauge2=class extends Metric{constructor(config){super(config),this.type="gauge"}set(labels,value2){
value2=getValueArg(labels,value2),labels=getLabelArg(labels),set2(this,labels,value2)}reset(){this.hashMap={},this.labelNames.
length===0&&setValue(this.hashMap,0,{})}inc(labels,value2){value2=getValueArg(labels,value2),labels=getLabelArg(labels),
value2===void 0&&(value2=1),setDelta(this,labels,value2)}dec(labels,value2){value2=getValueArg(labels,value2),labels=getLabelArg(
labels),value2===void 0&&(value2=1),setDelta(this,labels,-value2)}setToCurrentTime(labels){let now=Date.now()/1e3;labels===
void 0?this.set(now):this.set(labels,now)}startTimer(labels){let start=process.hrtime();return endLabels=>{let delta=process.
hrtime(start),value2=delta[0]+delta[1]/1e9;return this.set(Object.assign({},labels,endLabels),value2),value2}}async get(){
if(this.collect){let v=this.collect();v instanceof Promise&&await v}return{help:this.help,name:this.name,type:this.type,
values:Object.values(this.hashMap),aggregator:this.aggregator}}_getValue(labels){let hash=hashObject(labels||{},this.sortedLabelNames);
return this.hashMap[hash]?this.hashMap[hash].value:0}labels(...args){let labels=getLabels(this.labelNames,args);return validateLabel(
this.labelNames,labels),{inc:this.inc.bind(this,labels),dec:this.dec.bind(this,labels),set:this.set.bind(this,labels),setToCurrentTime:this.
setToCurrentTime.bind(this,labels),startTimer:this.startTimer.bind(this,labels)}}remove(...args){let labels=getLabels(this.
labelNames,args);validateLabel(this.labelNames,labels),removeLabels.call(this,this.hashMap,labels,this.sortedLabelNames)}};
function set2(gauge,labels,value2){if(typeof value2!="number")throw new TypeError(`Value is not a valid number: ${util.format(
value2)}`);validateLabel(gauge.labelNames,labels),setValue(gauge.hashMap,value2,labels)}function setDelta(gauge,labels,delta){
if(typeof delta!="number")throw new TypeError(`Delta is not a valid number: ${util.format(delta)}`);validateLabel(gauge.
labelNames,labels);let hash=hashObject(labels,gauge.sortedLabelNames);setValueDelta(gauge.hashMap,delta,labels,hash)}function getLabelArg(labels){
return isObject(labels)?labels:{}}function getValueArg(labels,value2){return isObject(labels)?value2:labels}module.exports=
Gauge2}});var require_histogram=__commonJS({"node_modules/prom-client/lib/histogram.js"(exports,module){"use strict";var util=__require("util"),
{getLabels,hashObject,isObject,removeLabels,nowTimestamp}=require_util(),{validateLabel}=require_validation(),{Metric}=require_metric(),
Exemplar=require_exemplar(),Histogram2=class extends Metric{constructor(config){super(config,{buckets:[.005,.01,.025,.05,
.1,.25,.5,1,2.5,5,10]}),this.type="histogram",this.defaultLabels={},this.defaultExemplarLabelSet={},this.enableExemplars=
!1;for(let label of this.labelNames)if(label==="le")throw new Error("le is a reserved label keyword");this.upperBounds=this.
buckets,this.bucketValues=this.upperBounds.reduce((acc,upperBound)=>(acc[upperBound]=0,acc),{}),config.enableExemplars?(this.
enableExemplars=!0,this.bucketExemplars=this.upperBounds.reduce((acc,upperBound)=>(acc[upperBound]=null,acc),{}),Object.
freeze(this.bucketExemplars),this.observe=this.observeWithExemplar):this.observe=this.observeWithoutExemplar,Object.freeze(
this.bucketValues),Object.freeze(this.upperBounds),this.labelNames.length===0&&(this.hashMap={[hashObject({})]:createBaseValues(
{},this.bucketValues,this.bucketExemplars)})}observeWithoutExemplar(labels,value2){observe.call(this,labels===0?0:labels||
{})(value2)}observeWithExemplar({labels=this.defaultLabels,value:value2,exemplarLabels=this.defaultExemplarLabelSet}={}){
observe.call(this,labels===0?0:labels||{})(value2),this.updateExemplar(labels,value2,exemplarLabels)}updateExemplar(labels,value2,exemplarLabels){
if(Object.keys(exemplarLabels).length===0)return;let hash=hashObject(labels,this.sortedLabelNames),bound=findBound(this.
upperBounds,value2),{bucketExemplars}=this.hashMap[hash],exemplar=bucketExemplars[bound];isObject(exemplar)||(exemplar=new Exemplar,
bucketExemplars[bound]=exemplar),exemplar.validateExemplarLabelSet(exemplarLabels),exemplar.labelSet=exemplarLabels,exemplar.
value=value2,exemplar.timestamp=nowTimestamp()}async get(){let data=await this.getForPromString();return data.values=data.
values.map(splayLabels),data}async getForPromString(){if(this.collect){let v=this.collect();v instanceof Promise&&await v}
let values=Object.values(this.hashMap).map(extractBucketValuesForExport(this)).reduce(addSumAndCountForExport(this),[]);
return{name:this.name,help:this.help,type:this.type,values,aggregator:this.aggregator}}reset(){this.hashMap={}}zero(labels){
let hash=hashObject(labels,this.sortedLabelNames);this.hashMap[hash]=createBaseValues(labels,this.bucketValues,this.bucketExemplars)}startTimer(labels,exemplarLabels){
return this.enableExemplars?startTimerWithExemplar.call(this,labels,exemplarLabels)():startTimer.call(this,labels)()}labels(...args){
let labels=getLabels(this.labelNames,args);return validateLabel(this.labelNames,labels),{observe:observe.call(this,labels),
startTimer:startTimer.call(this,labels)}}remove(...args){let labels=getLabels(this.labelNames,args);validateLabel(this.labelNames,
labels),removeLabels.call(this,this.hashMap,labels,this.sortedLabelNames)}};function startTimer(startLabels){return()=>{
let start=process.hrtime();return endLabels=>{let delta=process.hrtime(start),value2=delta[0]+delta[1]/1e9;return this.observe(
Object.assign({},startLabels,endLabels),value2),value2}}}function startTimerWithExemplar(startLabels,startExemplarLabels){
return()=>{let start=process.hrtime();return(endLabels,endExemplarLabels)=>{let delta=process.hrtime(start),value2=delta[0]+
delta[1]/1e9;return this.observe({labels:Object.assign({},startLabels,endLabels),value:value2,exemplarLabels:Object.assign(
{},startExemplarLabels,endExemplarLabels)}),value2}}}function setValuePair(labels,value2,metricName,exemplar,sharedLabels={}){
return{labels,sharedLabels,value:value2,metricName,exemplar}}function findBound(upperBounds,value2){for(let i=0;i<upperBounds.
length;i++){let bound=upperBounds[i];if(value2<=bound)return bound}return-1}function observe(labels){return value2=>{let labelValuePair=convertLabelsAndValues(
labels,value2);if(validateLabel(this.labelNames,labelValuePair.labels),!Number.isFinite(labelValuePair.value))throw new TypeError(
`Value is not a valid number: ${util.format(labelValuePair.value)}`);let hash=hashObject(labelValuePair.labels,this.sortedLabelNames),
valueFromMap=this.hashMap[hash];valueFromMap||(valueFromMap=createBaseValues(labelValuePair.labels,this.bucketValues,this.
bucketExemplars));let b=findBound(this.upperBounds,labelValuePair.value);valueFromMap.sum+=labelValuePair.value,valueFromMap.
count+=1,Object.prototype.hasOwnProperty.call(valueFromMap.bucketValues,b)&&(valueFromMap.bucketValues[b]+=1),this.hashMap[hash]=
valueFromMap}}function createBaseValues(labels,bucketValues,bucketExemplars){let result={labels,bucketValues:{...bucketValues},
sum:0,count:0};return bucketExemplars&&(result.bucketExemplars={...bucketExemplars}),result}function convertLabelsAndValues(labels,value2){
return isObject(labels)?{labels,value:value2}:{value:labels,labels:{}}}function extractBucketValuesForExport(histogram){
let name=`${histogram.name}_bucket`;return bucketData=>{let acc=0;return{buckets:histogram.upperBounds.map(upperBound=>(acc+=
bucketData.bucketValues[upperBound],setValuePair({le:upperBound},acc,name,bucketData.bucketExemplars?bucketData.bucketExemplars[upperBound]:
null,bucketData.labels))),data:bucketData}}}function addSumAndCountForExport(histogram){return(acc,d)=>{acc.push(...d.buckets);
let infLabel={le:"+Inf"};return acc.push(setValuePair(infLabel,d.data.count,`${histogram.name}_bucket`,d.data.bucketExemplars?
d.data.bucketExemplars[-1]:null,d.data.labels),setValuePair({},d.data.sum,`${histogram.name}_sum`,void 0,d.data.labels),
setValuePair({},d.data.count,`${histogram.name}_count`,void 0,d.data.labels)),acc}}function splayLabels(bucket){let{sharedLabels,
labels,...newBucket}=bucket;for(let label of Object.keys(sharedLabels))labels[label]=sharedLabels[label];return newBucket.
labels=labels,newBucket}module.exports=Histogram2}});var require_treebase=__commonJS({"node_modules/bintrees/lib/treebase.js"(exports,module){function TreeBase(){}TreeBase.prototype.
clear=function(){this._root=null,this.size=0};TreeBase.prototype.find=function(data){for(var res=this._root;res!==null;){
var c=this._comparator(data,res.data);if(c===0)return res.data;res=res.get_child(c>0)}return null};TreeBase.prototype.findIter=
function(data){for(var res=this._root,iter=this.iterator();res!==null;){var c=this._comparator(data,res.data);if(c===0)return iter.
_cursor=res,iter;iter._ancestors.push(res),res=res.get_child(c>0)}return null};TreeBase.prototype.lowerBound=function(item){
for(var cur=this._root,iter=this.iterator(),cmp=this._comparator;cur!==null;){var c=cmp(item,cur.data);if(c===0)return iter.
_cursor=cur,iter;iter._ancestors.push(cur),cur=cur.get_child(c>0)}for(var i=iter._ancestors.length-1;i>=0;--i)if(cur=iter.
_ancestors[i],cmp(item,cur.data)<0)return iter._cursor=cur,iter._ancestors.length=i,iter;return iter._ancestors.length=0,
iter};TreeBase.prototype.upperBound=function(item){for(var iter=this.lowerBound(item),cmp=this._comparator;iter.data()!==
null&&cmp(iter.data(),item)===0;)iter.next();return iter};TreeBase.prototype.min=function(){var res=this._root;if(res===
null)return null;for(;res.left!==null;)res=res.left;return res.data};TreeBase.prototype.max=function(){var res=this._root;
if(res===null)return null;for(;res.right!==null;)res=res.right;return res.data};TreeBase.prototype.iterator=function(){return new Iterator(
this)};TreeBase.prototype.each=function(cb){for(var it=this.iterator(),data;(data=it.next())!==null;)if(cb(data)===!1)return};
TreeBase.prototype.reach=function(cb){for(var it=this.iterator(),data;(data=it.prev())!==null;)if(cb(data)===!1)return};
function Iterator(tree){this._tree=tree,this._ancestors=[],this._cursor=null}Iterator.prototype.data=function(){return this.
_cursor!==null?this._cursor.data:null};Iterator.prototype.next=function(){if(this._cursor===null){var root=this._tree._root;
root!==null&&this._minNode(root)}else if(this._cursor.right===null){var save;do if(save=this._cursor,this._ancestors.length)
this._cursor=this._ancestors.pop();else{this._cursor=null;break}while(this._cursor.right===save)}else this._ancestors.push(
this._cursor),this._minNode(this._cursor.right);return this._cursor!==null?this._cursor.data:null};Iterator.prototype.prev=
function(){if(this._cursor===null){var root=this._tree._root;root!==null&&this._maxNode(root)}else if(this._cursor.left===
null){var save;do if(save=this._cursor,this._ancestors.length)this._cursor=this._ancestors.pop();else{this._cursor=null;
break}while(this._cursor.left===save)}else this._ancestors.push(this._cursor),this._maxNode(this._cursor.left);return this.
_cursor!==null?this._cursor.data:null};Iterator.prototype._minNode=function(start){for(;start.left!==null;)this._ancestors.
push(start),start=start.left;this._cursor=start};Iterator.prototype._maxNode=function(start){for(;start.right!==null;)this.
_ancestors.push(start),start=start.right;this._cursor=start};module.exports=TreeBase}});var require_rbtree=__commonJS({"node_modules/bintrees/lib/rbtree.js"(exports,module){var TreeBase=require_treebase();function Node(data){
this.data=data,this.left=null,this.right=null,this.red=!0}Node.prototype.get_child=function(dir){return dir?this.right:this.
left};Node.prototype.set_child=function(dir,val){dir?this.right=val:this.left=val};function RBTree(comparator){this._root=
null,this._comparator=comparator,this.size=0}RBTree.prototype=new TreeBase;RBTree.prototype.insert=function(data){var ret2=!1;
if(this._root===null)this._root=new Node(data),ret2=!0,this.size++;else{var head=new Node(void 0),dir=0,last=0,gp=null,ggp=head,
p=null,node=this._root;for(ggp.right=this._root;;){if(node===null?(node=new Node(data),p.set_child(dir,node),ret2=!0,this.
size++):is_red(node.left)&&is_red(node.right)&&(node.red=!0,node.left.red=!1,node.right.red=!1),is_red(node)&&is_red(p)){
var dir2=ggp.right===gp;node===p.get_child(last)?ggp.set_child(dir2,single_rotate(gp,!last)):ggp.set_child(dir2,double_rotate(
gp,!last))}var cmp=this._comparator(node.data,data);if(cmp===0)break;last=dir,dir=cmp<0,gp!==null&&(ggp=gp),gp=p,p=node,
node=node.get_child(dir)}this._root=head.right}return this._root.red=!1,ret2};RBTree.prototype.remove=function(data){if(this.
_root===null)return!1;var head=new Node(void 0),node=head;node.right=this._root;for(var p=null,gp=null,found=null,dir=1;node.
get_child(dir)!==null;){var last=dir;gp=p,p=node,node=node.get_child(dir);var cmp=this._comparator(data,node.data);if(dir=
cmp>0,cmp===0&&(found=node),!is_red(node)&&!is_red(node.get_child(dir))){if(is_red(node.get_child(!dir))){var sr=single_rotate(
node,dir);p.set_child(last,sr),p=sr}else if(!is_red(node.get_child(!dir))){var sibling=p.get_child(!last);if(sibling!==null)
if(!is_red(sibling.get_child(!last))&&!is_red(sibling.get_child(last)))p.red=!1,sibling.red=!0,node.red=!0;else{var dir2=gp.
right===p;is_red(sibling.get_child(last))?gp.set_child(dir2,double_rotate(p,last)):is_red(sibling.get_child(!last))&&gp.
set_child(dir2,single_rotate(p,last));var gpc=gp.get_child(dir2);gpc.red=!0,node.red=!0,gpc.left.red=!1,gpc.right.red=!1}}}}
return found!==null&&(found.data=node.data,p.set_child(p.right===node,node.get_child(node.left===null)),this.size--),this.
_root=head.right,this._root!==null&&(this._root.red=!1),found!==null};function is_red(node){return node!==null&&node.red}
function single_rotate(root,dir){var save=root.get_child(!dir);return root.set_child(!dir,save.get_child(dir)),save.set_child(
dir,root),root.red=!0,save.red=!1,save}function double_rotate(root,dir){return root.set_child(!dir,single_rotate(root.get_child(
!dir),!dir)),single_rotate(root,dir)}module.exports=RBTree}});var require_bintree=__commonJS({"node_modules/bintrees/lib/bintree.js"(exports,module){var TreeBase=require_treebase();function Node(data){
this.data=data,this.left=null,this.right=null}Node.prototype.get_child=function(dir){return dir?this.right:this.left};Node.
prototype.set_child=function(dir,val){dir?this.right=val:this.left=val};function BinTree(comparator){this._root=null,this.
_comparator=comparator,this.size=0}BinTree.prototype=new TreeBase;BinTree.prototype.insert=function(data){if(this._root===
null)return this._root=new Node(data),this.size++,!0;for(var dir=0,p=null,node=this._root;;){if(node===null)return node=
new Node(data),p.set_child(dir,node),ret=!0,this.size++,!0;if(this._comparator(node.data,data)===0)return!1;dir=this._comparator(
node.data,data)<0,p=node,node=node.get_child(dir)}};BinTree.prototype.remove=function(data){if(this._root===null)return!1;
var head=new Node(void 0),node=head;node.right=this._root;for(var p=null,found=null,dir=1;node.get_child(dir)!==null;){p=
node,node=node.get_child(dir);var cmp=this._comparator(data,node.data);dir=cmp>0,cmp===0&&(found=node)}return found!==null?
(found.data=node.data,p.set_child(p.right===node,node.get_child(node.left===null)),this._root=head.right,this.size--,!0):
!1};module.exports=BinTree}});var require_bintrees=__commonJS({"node_modules/bintrees/index.js"(exports,module){module.exports={RBTree:require_rbtree(),
BinTree:require_bintree()}}});var require_tdigest=__commonJS({"node_modules/tdigest/tdigest.js"(exports,module){var RBTree=require_bintrees().RBTree;function TDigest(delta,K,CX){
this.discrete=delta===!1,this.delta=delta||.01,this.K=K===void 0?25:K,this.CX=CX===void 0?1.1:CX,this.centroids=new RBTree(
compare_centroid_means),this.nreset=0,this.reset()}TDigest.prototype.reset=function(){this.centroids.clear(),this.n=0,this.
nreset+=1,this.last_cumulate=0};TDigest.prototype.size=function(){return this.centroids.size};TDigest.prototype.toArray=
function(everything){var result=[];return everything?(this._cumulate(!0),this.centroids.each(function(c){result.push(c)})):
this.centroids.each(function(c){result.push({mean:c.mean,n:c.n})}),result};TDigest.prototype.summary=function(){var approx=this.
discrete?"exact ":"approximating ",s=[approx+this.n+" samples using "+this.size()+" centroids","min = "+this.percentile(
0),"Q1  = "+this.percentile(.25),"Q2  = "+this.percentile(.5),"Q3  = "+this.percentile(.75),"max = "+this.percentile(1)];
return s.join(`
`)};function compare_centroid_means(a,b){return a.mean>b.mean?1:a.mean<b.mean?-1:0}function compare_centroid_mean_cumns(a,b){
return a.mean_cumn-b.mean_cumn}TDigest.prototype.push=function(x,n){n=n||1,x=Array.isArray(x)?x:[x];for(var i=0;i<x.length;i++)
this._digest(x[i],n)};TDigest.prototype.push_centroid=function(c){c=Array.isArray(c)?c:[c];for(var i=0;i<c.length;i++)this.
_digest(c[i].mean,c[i].n)};TDigest.prototype._cumulate=function(exact){if(!(this.n===this.last_cumulate||!exact&&this.CX&&
this.CX>this.n/this.last_cumulate)){var cumn=0;this.centroids.each(function(c){c.mean_cumn=cumn+c.n/2,cumn=c.cumn=cumn+c.
n}),this.n=this.last_cumulate=cumn}};TDigest.prototype.find_nearest=function(x){if(this.size()===0)return null;var iter=this.
centroids.lowerBound({mean:x}),c=iter.data()===null?iter.prev():iter.data();if(c.mean===x||this.discrete)return c;var prev=iter.
prev();return prev&&Math.abs(prev.mean-x)<Math.abs(c.mean-x)?prev:c};TDigest.prototype._new_centroid=function(x,n,cumn){
var c={mean:x,n,cumn};return this.centroids.insert(c),this.n+=n,c};TDigest.prototype._addweight=function(nearest,x,n){x!==
nearest.mean&&(nearest.mean+=n*(x-nearest.mean)/(nearest.n+n)),nearest.cumn+=n,nearest.mean_cumn+=n/2,nearest.n+=n,this.
n+=n};TDigest.prototype._digest=function(x,n){var min=this.centroids.min(),max=this.centroids.max(),nearest=this.find_nearest(
x);if(nearest&&nearest.mean===x)this._addweight(nearest,x,n);else if(nearest===min)this._new_centroid(x,n,0);else if(nearest===
max)this._new_centroid(x,n,this.n);else if(this.discrete)this._new_centroid(x,n,nearest.cumn);else{var p=nearest.mean_cumn/
this.n,max_n=Math.floor(4*this.n*this.delta*p*(1-p));max_n-nearest.n>=n?this._addweight(nearest,x,n):this._new_centroid(
x,n,nearest.cumn)}this._cumulate(!1),!this.discrete&&this.K&&this.size()>this.K/this.delta&&this.compress()};TDigest.prototype.
bound_mean=function(x){var iter=this.centroids.upperBound({mean:x}),lower=iter.prev(),upper=lower.mean===x?lower:iter.next();
return[lower,upper]};TDigest.prototype.p_rank=function(x_or_xlist){var xs=Array.isArray(x_or_xlist)?x_or_xlist:[x_or_xlist],
ps=xs.map(this._p_rank,this);return Array.isArray(x_or_xlist)?ps:ps[0]};TDigest.prototype._p_rank=function(x){if(this.size()!==
0){{if(x<this.centroids.min().mean)return 0;if(x>this.centroids.max().mean)return 1}this._cumulate(!0);var bound=this.bound_mean(
x),lower=bound[0],upper=bound[1];if(this.discrete)return lower.cumn/this.n;var cumn=lower.mean_cumn;return lower!==upper&&
(cumn+=(x-lower.mean)*(upper.mean_cumn-lower.mean_cumn)/(upper.mean-lower.mean)),cumn/this.n}};TDigest.prototype.bound_mean_cumn=
function(cumn){this.centroids._comparator=compare_centroid_mean_cumns;var iter=this.centroids.upperBound({mean_cumn:cumn});
this.centroids._comparator=compare_centroid_means;var lower=iter.prev(),upper=lower&&lower.mean_cumn===cumn?lower:iter.next();
return[lower,upper]};TDigest.prototype.percentile=function(p_or_plist){var ps=Array.isArray(p_or_plist)?p_or_plist:[p_or_plist],
qs=ps.map(this._percentile,this);return Array.isArray(p_or_plist)?qs:qs[0]};TDigest.prototype._percentile=function(p){if(this.
size()!==0){this._cumulate(!0);var h=this.n*p,bound=this.bound_mean_cumn(h),lower=bound[0],upper=bound[1];return upper===
lower||lower===null||upper===null?(lower||upper).mean:this.discrete?h<=lower.cumn?lower.mean:upper.mean:lower.mean+(h-lower.
mean_cumn)*(upper.mean-lower.mean)/(upper.mean_cumn-lower.mean_cumn)}};function pop_random(choices){var idx=Math.floor(Math.
random()*choices.length);return choices.splice(idx,1)[0]}TDigest.prototype.compress=function(){if(!this.compressing){var points=this.
toArray();for(this.reset(),this.compressing=!0;points.length>0;)this.push_centroid(pop_random(points));this._cumulate(!0),
this.compressing=!1}};function Digest(config){this.config=config||{},this.mode=this.config.mode||"auto",TDigest.call(this,
this.mode==="cont"?config.delta:!1),this.digest_ratio=this.config.ratio||.9,this.digest_thresh=this.config.thresh||1e3,this.
n_unique=0}Digest.prototype=Object.create(TDigest.prototype);Digest.prototype.constructor=Digest;Digest.prototype.push=function(x_or_xlist){
TDigest.prototype.push.call(this,x_or_xlist),this.check_continuous()};Digest.prototype._new_centroid=function(x,n,cumn){
this.n_unique+=1,TDigest.prototype._new_centroid.call(this,x,n,cumn)};Digest.prototype._addweight=function(nearest,x,n){
nearest.n===1&&(this.n_unique-=1),TDigest.prototype._addweight.call(this,nearest,x,n)};Digest.prototype.check_continuous=
function(){return this.mode!=="auto"||this.size()<this.digest_thresh?!1:this.n_unique/this.size()>this.digest_ratio?(this.
mode="cont",this.discrete=!1,this.delta=this.config.delta||.01,this.compress(),!0):!1};module.exports={TDigest,Digest}}});var require_timeWindowQuantiles=__commonJS({"node_modules/prom-client/lib/timeWindowQuantiles.js"(exports,module){"use s\
trict";var{TDigest}=require_tdigest(),TimeWindowQuantiles=class{constructor(maxAgeSeconds,ageBuckets){this.maxAgeSeconds=
maxAgeSeconds||0,this.ageBuckets=ageBuckets||0,this.shouldRotate=maxAgeSeconds&&ageBuckets,this.ringBuffer=Array(ageBuckets).
fill(new TDigest),this.currentBuffer=0,this.lastRotateTimestampMillis=Date.now(),this.durationBetweenRotatesMillis=maxAgeSeconds*
1e3/ageBuckets||1/0}size(){return rotate.call(this).size()}percentile(quantile){return rotate.call(this).percentile(quantile)}push(value2){
rotate.call(this),this.ringBuffer.forEach(bucket=>{bucket.push(value2)})}reset(){this.ringBuffer.forEach(bucket=>{bucket.
reset()})}compress(){this.ringBuffer.forEach(bucket=>{bucket.compress()})}};function rotate(){let timeSinceLastRotateMillis=Date.
now()-this.lastRotateTimestampMillis;for(;timeSinceLastRotateMillis>this.durationBetweenRotatesMillis&&this.shouldRotate;)
this.ringBuffer[this.currentBuffer]=new TDigest,++this.currentBuffer>=this.ringBuffer.length&&(this.currentBuffer=0),timeSinceLastRotateMillis-=
this.durationBetweenRotatesMillis,this.lastRotateTimestampMillis+=this.durationBetweenRotatesMillis;return this.ringBuffer[this.
currentBuffer]}module.exports=TimeWindowQuantiles}});var require_summary=__commonJS({"node_modules/prom-client/lib/summary.js"(exports,module){"use strict";var util=__require("util"),
{getLabels,hashObject,removeLabels}=require_util(),{validateLabel}=require_validation(),{Metric}=require_metric(),timeWindowQuantiles=require_timeWindowQuantiles(),
DEFAULT_COMPRESS_COUNT=1e3,Summary=class extends Metric{constructor(config){super(config,{percentiles:[.01,.05,.5,.9,.95,
.99,.999],compressCount:DEFAULT_COMPRESS_COUNT,hashMap:{}}),this.type="summary";for(let label of this.labelNames)if(label===
"quantile")throw new Error("quantile is a reserved label keyword");this.labelNames.length===0&&(this.hashMap={[hashObject(
{})]:{labels:{},td:new timeWindowQuantiles(this.maxAgeSeconds,this.ageBuckets),count:0,sum:0}})}observe(labels,value2){observe.
call(this,labels===0?0:labels||{})(value2)}async get(){if(this.collect){let v=this.collect();v instanceof Promise&&await v}
let hashKeys=Object.keys(this.hashMap),values=[];return hashKeys.forEach(hashKey=>{let s=this.hashMap[hashKey];s&&(this.
pruneAgedBuckets&&s.td.size()===0?delete this.hashMap[hashKey]:(extractSummariesForExport(s,this.percentiles).forEach(v=>{
values.push(v)}),values.push(getSumForExport(s,this)),values.push(getCountForExport(s,this))))}),{name:this.name,help:this.
help,type:this.type,values,aggregator:this.aggregator}}reset(){Object.values(this.hashMap).forEach(s=>{s.td.reset(),s.count=
0,s.sum=0})}startTimer(labels){return startTimer.call(this,labels)()}labels(...args){let labels=getLabels(this.labelNames,
args);return validateLabel(this.labelNames,labels),{observe:observe.call(this,labels),startTimer:startTimer.call(this,labels)}}remove(...args){
let labels=getLabels(this.labelNames,args);validateLabel(this.labelNames,labels),removeLabels.call(this,this.hashMap,labels,
this.sortedLabelNames)}};function extractSummariesForExport(summaryOfLabels,percentiles){return summaryOfLabels.td.compress(),
percentiles.map(percentile=>{let percentileValue=summaryOfLabels.td.percentile(percentile);return{labels:Object.assign({
quantile:percentile},summaryOfLabels.labels),value:percentileValue||0}})}function getCountForExport(value2,summary){return{
metricName:`${summary.name}_count`,labels:value2.labels,value:value2.count}}function getSumForExport(value2,summary){return{
metricName:`${summary.name}_sum`,labels:value2.labels,value:value2.sum}}function startTimer(startLabels){return()=>{let start=process.
hrtime();return endLabels=>{let delta=process.hrtime(start),value2=delta[0]+delta[1]/1e9;return this.observe(Object.assign(
{},startLabels,endLabels),value2),value2}}}function observe(labels){return value2=>{let labelValuePair=convertLabelsAndValues(
labels,value2);if(validateLabel(this.labelNames,labels),!Number.isFinite(labelValuePair.value))throw new TypeError(`Valu\
e is not a valid number: ${util.format(labelValuePair.value)}`);let hash=hashObject(labelValuePair.labels,this.sortedLabelNames),
summaryOfLabel=this.hashMap[hash];summaryOfLabel||(summaryOfLabel={labels:labelValuePair.labels,td:new timeWindowQuantiles(
this.maxAgeSeconds,this.ageBuckets),count:0,sum:0}),summaryOfLabel.td.push(labelValuePair.value),summaryOfLabel.count++,
summaryOfLabel.count%this.compressCount===0&&summaryOfLabel.td.compress(),summaryOfLabel.sum+=labelValuePair.value,this.
hashMap[hash]=summaryOfLabel}}function convertLabelsAndValues(labels,value2){return value2===void 0?{value:labels,labels:{}}:
{labels,value:value2}}module.exports=Summary}});var require_pushgateway=__commonJS({"node_modules/prom-client/lib/pushgateway.js"(exports,module){"use strict";var url=__require("url"),
http=__require("http"),https=__require("https"),{gzipSync}=__require("zlib"),{globalRegistry}=require_registry(),Pushgateway=class{constructor(gatewayUrl,options,registry){
registry||(registry=globalRegistry),this.registry=registry,this.gatewayUrl=gatewayUrl;let{requireJobName,...requestOptions}={
requireJobName:!0,...options};this.requireJobName=requireJobName,this.requestOptions=requestOptions}pushAdd(params={}){if(this.
requireJobName&&!params.jobName)throw new Error("Missing jobName parameter");return useGateway.call(this,"POST",params.jobName,
params.groupings)}push(params={}){if(this.requireJobName&&!params.jobName)throw new Error("Missing jobName parameter");return useGateway.
call(this,"PUT",params.jobName,params.groupings)}delete(params={}){if(this.requireJobName&&!params.jobName)throw new Error(
"Missing jobName parameter");return useGateway.call(this,"DELETE",params.jobName,params.groupings)}};async function useGateway(method,job,groupings){
let gatewayUrlParsed=url.parse(this.gatewayUrl),gatewayUrlPath=gatewayUrlParsed.pathname&&gatewayUrlParsed.pathname!=="/"?
gatewayUrlParsed.pathname:"",jobPath=job?`/job/${encodeURIComponent(job)}${generateGroupings(groupings)}`:"",path=`${gatewayUrlPath}\
/metrics${jobPath}`,target=url.resolve(this.gatewayUrl,path),requestParams=url.parse(target),httpModule=isHttps(requestParams.
href)?https:http,options=Object.assign(requestParams,this.requestOptions,{method});return new Promise((resolve2,reject)=>{
method==="DELETE"&&options.headers&&delete options.headers["Content-Encoding"];let req=httpModule.request(options,resp=>{
let body="";resp.setEncoding("utf8"),resp.on("data",chunk=>{body+=chunk}),resp.on("end",()=>{resp.statusCode>=400?reject(
new Error(`push failed with status ${resp.statusCode}, ${body}`)):resolve2({resp,body})})});req.on("error",err=>{reject(
err)}),req.on("timeout",()=>{req.destroy(new Error("Pushgateway request timed out"))}),method!=="DELETE"?this.registry.metrics().
then(metrics=>{options.headers&&options.headers["Content-Encoding"]==="gzip"&&(metrics=gzipSync(metrics)),req.write(metrics),
req.end()}).catch(err=>{reject(err)}):req.end()})}function generateGroupings(groupings){return groupings?Object.keys(groupings).
map(key=>`/${encodeURIComponent(key)}/${encodeURIComponent(groupings[key])}`).join(""):""}function isHttps(href){return href.
search(/^https/)!==-1}module.exports=Pushgateway}});var require_bucketGenerators=__commonJS({"node_modules/prom-client/lib/bucketGenerators.js"(exports){"use strict";exports.
linearBuckets=(start,width,count)=>{if(count<1)throw new Error("Linear buckets needs a positive count");let buckets=new Array(
count);for(let i=0;i<count;i++)buckets[i]=start+i*width;return buckets};exports.exponentialBuckets=(start,factor,count)=>{
if(start<=0)throw new Error("Exponential buckets needs a positive start");if(count<1)throw new Error("Exponential bucket\
s needs a positive count");if(factor<=1)throw new Error("Exponential buckets needs a factor greater than 1");let buckets=new Array(
count);for(let i=0;i<count;i++)buckets[i]=start,start*=factor;return buckets}}});var require_types=__commonJS({"node_modules/@opentelemetry/api/dist/diag/types.cjs"(exports){var DiagLogLevel=(function(DiagLogLevel2){
return DiagLogLevel2[DiagLogLevel2.NONE=0]="NONE",DiagLogLevel2[DiagLogLevel2.ERROR=30]="ERROR",DiagLogLevel2[DiagLogLevel2.
WARN=50]="WARN",DiagLogLevel2[DiagLogLevel2.INFO=60]="INFO",DiagLogLevel2[DiagLogLevel2.DEBUG=70]="DEBUG",DiagLogLevel2[DiagLogLevel2.
VERBOSE=80]="VERBOSE",DiagLogLevel2[DiagLogLevel2.ALL=9999]="ALL",DiagLogLevel2})({});exports.DiagLogLevel=DiagLogLevel}});var require_version=__commonJS({"node_modules/@opentelemetry/api/dist/version.cjs"(exports){var VERSION2="1.10.0";exports.
VERSION=VERSION2}});var require_semver=__commonJS({"node_modules/@opentelemetry/api/dist/internal/semver.cjs"(exports){var require_version3=require_version(),
re=/^(\d+)\.(\d+)\.(\d+)(-(.+))?$/;function _makeCompatibilityCheck(ownVersion){let acceptedVersions=new Set([ownVersion]),
rejectedVersions=new Set,myVersionMatch=ownVersion.match(re);if(!myVersionMatch)return()=>!1;let ownVersionParsed={major:+myVersionMatch[1],
minor:+myVersionMatch[2],patch:+myVersionMatch[3],prerelease:myVersionMatch[4]};if(ownVersionParsed.prerelease!=null)return function(globalVersion){
return globalVersion===ownVersion};function _reject(v){return rejectedVersions.add(v),!1}function _accept(v){return acceptedVersions.
add(v),!0}return function(globalVersion){if(acceptedVersions.has(globalVersion))return!0;if(rejectedVersions.has(globalVersion))
return!1;let globalVersionMatch=globalVersion.match(re);if(!globalVersionMatch)return _reject(globalVersion);let globalVersionParsed={
major:+globalVersionMatch[1],minor:+globalVersionMatch[2],patch:+globalVersionMatch[3],prerelease:globalVersionMatch[4]};
return globalVersionParsed.prerelease!=null||ownVersionParsed.major!==globalVersionParsed.major?_reject(globalVersion):ownVersionParsed.
major===0?ownVersionParsed.minor===globalVersionParsed.minor&&ownVersionParsed.patch<=globalVersionParsed.patch?_accept(
globalVersion):_reject(globalVersion):ownVersionParsed.minor<=globalVersionParsed.minor?_accept(globalVersion):_reject(globalVersion)}}
var isCompatible=_makeCompatibilityCheck(require_version3.VERSION);exports._makeCompatibilityCheck=_makeCompatibilityCheck;
exports.isCompatible=isCompatible}});var require_global_utils=__commonJS({"node_modules/@opentelemetry/api/dist/internal/global-utils.cjs"(exports){var require_version3=require_version(),
require_semver2=require_semver(),major=require_version3.VERSION.split(".")[0],GLOBAL_OPENTELEMETRY_API_KEY=Symbol.for(`o\
pentelemetry.js.api.${major}`),_global=typeof globalThis=="object"?globalThis:typeof self=="object"?self:typeof window==
"object"?window:typeof global=="object"?global:{};function _makeGlobalApi(){return Object.defineProperty({},"version",{value:require_version3.
VERSION,enumerable:!0,writable:!1,configurable:!1})}function registerGlobal(type,instance,diag,allowOverride=!1){var _global$GLOBAL_OPENTE;
let api=_global[GLOBAL_OPENTELEMETRY_API_KEY]=(_global$GLOBAL_OPENTE=_global[GLOBAL_OPENTELEMETRY_API_KEY])!==null&&_global$GLOBAL_OPENTE!==
void 0?_global$GLOBAL_OPENTE:_makeGlobalApi();if(!allowOverride&&api[type]){let err=new Error(`@opentelemetry/api: Attem\
pted duplicate registration of API: ${type}`);return diag.error(err.stack||err.message),!1}if(api.version!=="1.10.0"){let err=new Error(
`@opentelemetry/api: Registration of version v${api.version} for ${type} does not match previously registered API v${require_version3.
VERSION}`);return diag.error(err.stack||err.message),!1}return api[type]=instance,diag.debug(`@opentelemetry/api: Regist\
ered a global for ${type} v${require_version3.VERSION}.`),!0}var _compatibleGlobalApi;function getGlobal(type){let api=_global[GLOBAL_OPENTELEMETRY_API_KEY];
if(api!=null){if(api!==_compatibleGlobalApi){if(!api.version||!require_semver2.isCompatible(api.version))return;_compatibleGlobalApi=
api}return api[type]}}function unregisterGlobal(type,diag){diag.debug(`@opentelemetry/api: Unregistering a global for ${type}\
 v${require_version3.VERSION}.`);let api=_global[GLOBAL_OPENTELEMETRY_API_KEY];api&&delete api[type]}exports.getGlobal=getGlobal;
exports.registerGlobal=registerGlobal;exports.unregisterGlobal=unregisterGlobal}});var require_ComponentLogger=__commonJS({"node_modules/@opentelemetry/api/dist/diag/ComponentLogger.cjs"(exports){var require_global_utils2=require_global_utils(),
DiagComponentLogger=class{constructor(props){this._namespace=props.namespace||"DiagComponentLogger"}debug(...args){return logProxy(
"debug",this._namespace,args)}error(...args){return logProxy("error",this._namespace,args)}info(...args){return logProxy(
"info",this._namespace,args)}warn(...args){return logProxy("warn",this._namespace,args)}verbose(...args){return logProxy(
"verbose",this._namespace,args)}};function logProxy(funcName,namespace,args){let logger=require_global_utils2.getGlobal(
"diag");if(logger)return logger[funcName](namespace,...args)}exports.DiagComponentLogger=DiagComponentLogger}});var require_logLevelLogger=__commonJS({"node_modules/@opentelemetry/api/dist/diag/internal/logLevelLogger.cjs"(exports){
require_types();function createLogLevelDiagLogger(maxLevel,logger){maxLevel<0?maxLevel=0:maxLevel>9999&&(maxLevel=9999),
logger=logger||{};function _filterFunc(funcName,theLevel){let theFunc=logger[funcName];return typeof theFunc=="function"&&
maxLevel>=theLevel?theFunc.bind(logger):function(){}}return{error:_filterFunc("error",30),warn:_filterFunc("warn",50),info:_filterFunc(
"info",60),debug:_filterFunc("debug",70),verbose:_filterFunc("verbose",80)}}exports.createLogLevelDiagLogger=createLogLevelDiagLogger}});var require_diag=__commonJS({"node_modules/@opentelemetry/api/dist/api/diag.cjs"(exports){var require_global_utils2=require_global_utils(),
require_ComponentLogger2=require_ComponentLogger();require_types();var require_logLevelLogger2=require_logLevelLogger(),
API_NAME="diag",DiagAPI=class DiagAPI2{static instance(){return this._instance||(this._instance=new DiagAPI2),this._instance}constructor(){
function _logProxy(funcName){return function(...args){let logger=require_global_utils2.getGlobal("diag");if(logger)return logger[funcName](
...args)}}let self2=this,setLogger=(logger,optionsOrLogLevel={logLevel:60})=>{var _optionsOrLogLevel$lo;if(logger===self2){
var _err$stack;let err=new Error("Cannot use diag as the logger for itself. Please use a DiagLogger implementation like \
ConsoleDiagLogger or a custom implementation");return self2.error((_err$stack=err.stack)!==null&&_err$stack!==void 0?_err$stack:
err.message),!1}typeof optionsOrLogLevel=="number"&&(optionsOrLogLevel={logLevel:optionsOrLogLevel});let oldLogger=require_global_utils2.
getGlobal("diag"),newLogger=require_logLevelLogger2.createLogLevelDiagLogger((_optionsOrLogLevel$lo=optionsOrLogLevel.logLevel)!==
null&&_optionsOrLogLevel$lo!==void 0?_optionsOrLogLevel$lo:60,logger);if(oldLogger&&!optionsOrLogLevel.suppressOverrideMessage){
var _Error$stack;let stack=(_Error$stack=new Error().stack)!==null&&_Error$stack!==void 0?_Error$stack:"<failed to gener\
ate stacktrace>";oldLogger.warn(`Current logger will be overwritten from ${stack}`),newLogger.warn(`Current logger will \
overwrite one already registered from ${stack}`)}return require_global_utils2.registerGlobal("diag",newLogger,self2,!0)};
self2.setLogger=setLogger,self2.disable=()=>{require_global_utils2.unregisterGlobal(API_NAME,self2)},self2.createComponentLogger=
options=>new require_ComponentLogger2.DiagComponentLogger(options),self2.verbose=_logProxy("verbose"),self2.debug=_logProxy(
"debug"),self2.info=_logProxy("info"),self2.warn=_logProxy("warn"),self2.error=_logProxy("error")}};exports.DiagAPI=DiagAPI}});var require_baggage_impl=__commonJS({"node_modules/@opentelemetry/api/dist/baggage/internal/baggage-impl.cjs"(exports){var BaggageImpl=class BaggageImpl2{constructor(entries){
this._entries=entries?new Map(entries):new Map}getEntry(key){let entry=this._entries.get(key);if(entry)return Object.assign(
{},entry)}getAllEntries(){return Array.from(this._entries.entries())}setEntry(key,entry){let newBaggage=new BaggageImpl2(
this._entries);return newBaggage._entries.set(key,entry),newBaggage}removeEntry(key){let newBaggage=new BaggageImpl2(this.
_entries);return newBaggage._entries.delete(key),newBaggage}removeEntries(...keys){let newBaggage=new BaggageImpl2(this.
_entries);for(let key of keys)newBaggage._entries.delete(key);return newBaggage}clear(){return new BaggageImpl2}};exports.
BaggageImpl=BaggageImpl}});var require_symbol=__commonJS({"node_modules/@opentelemetry/api/dist/baggage/internal/symbol.cjs"(exports){var baggageEntryMetadataSymbol=Symbol(
"BaggageEntryMetadata");exports.baggageEntryMetadataSymbol=baggageEntryMetadataSymbol}});var require_utils=__commonJS({"node_modules/@opentelemetry/api/dist/baggage/utils.cjs"(exports){var require_diag2=require_diag(),
require_baggage_impl2=require_baggage_impl(),require_symbol2=require_symbol(),diag=require_diag2.DiagAPI.instance();function createBaggage(entries={}){
return new require_baggage_impl2.BaggageImpl(new Map(Object.entries(entries)))}function baggageEntryMetadataFromString(str){
return typeof str!="string"&&(diag.error(`Cannot create baggage metadata from unknown type: ${typeof str}`),str=""),{__TYPE__:require_symbol2.
baggageEntryMetadataSymbol,toString(){return str}}}exports.baggageEntryMetadataFromString=baggageEntryMetadataFromString;
exports.createBaggage=createBaggage}});var require_context=__commonJS({"node_modules/@opentelemetry/api/dist/context/context.cjs"(exports){function createContextKey(description){
return Symbol.for(description)}var ROOT_CONTEXT=new class BaseContext{constructor(parentContext){let self2=this;self2._currentContext=
parentContext?new Map(parentContext):new Map,self2.getValue=key=>self2._currentContext.get(key),self2.setValue=(key,value2)=>{
let context=new BaseContext(self2._currentContext);return context._currentContext.set(key,value2),context},self2.deleteValue=
key=>{let context=new BaseContext(self2._currentContext);return context._currentContext.delete(key),context}}};exports.ROOT_CONTEXT=
ROOT_CONTEXT;exports.createContextKey=createContextKey}});var require_consoleLogger=__commonJS({"node_modules/@opentelemetry/api/dist/diag/consoleLogger.cjs"(exports){var consoleMap=[
{n:"error",c:"error"},{n:"warn",c:"warn"},{n:"info",c:"info"},{n:"debug",c:"debug"},{n:"verbose",c:"trace"}],_originalConsoleMethods={};
if(typeof console<"u")for(let key of["error","warn","info","debug","trace","log"])typeof console[key]=="function"&&(_originalConsoleMethods[key]=
console[key]);var DiagConsoleLogger=class{constructor(){function _consoleFunc(funcName){return function(...args){let theFunc=_originalConsoleMethods[funcName];
if(typeof theFunc!="function"&&(theFunc=_originalConsoleMethods.log),typeof theFunc!="function"&&console&&(theFunc=console[funcName],
typeof theFunc!="function"&&(theFunc=console.log)),typeof theFunc=="function")return theFunc.apply(console,args)}}for(let i=0;i<
consoleMap.length;i++)this[consoleMap[i].n]=_consoleFunc(consoleMap[i].c)}};exports.DiagConsoleLogger=DiagConsoleLogger;
exports._originalConsoleMethods=_originalConsoleMethods}});var require_NoopMeter=__commonJS({"node_modules/@opentelemetry/api/dist/metrics/NoopMeter.cjs"(exports){var NoopMeter=class{constructor(){}createGauge(_name,_options){
return NOOP_GAUGE_METRIC}createHistogram(_name,_options){return NOOP_HISTOGRAM_METRIC}createCounter(_name,_options){return NOOP_COUNTER_METRIC}createUpDownCounter(_name,_options){
return NOOP_UP_DOWN_COUNTER_METRIC}createObservableGauge(_name,_options){return NOOP_OBSERVABLE_GAUGE_METRIC}createObservableCounter(_name,_options){
return NOOP_OBSERVABLE_COUNTER_METRIC}createObservableUpDownCounter(_name,_options){return NOOP_OBSERVABLE_UP_DOWN_COUNTER_METRIC}addBatchObservableCallback(_callback,_observables){}removeBatchObservableCallback(_callback){}},
NoopMetric=class{},NoopCounterMetric=class extends NoopMetric{add(_value,_attributes){}},NoopUpDownCounterMetric=class extends NoopMetric{add(_value,_attributes){}},
NoopGaugeMetric=class extends NoopMetric{record(_value,_attributes){}},NoopHistogramMetric=class extends NoopMetric{record(_value,_attributes){}},
NoopObservableMetric=class{addCallback(_callback){}removeCallback(_callback){}},NoopObservableCounterMetric=class extends NoopObservableMetric{},
NoopObservableGaugeMetric=class extends NoopObservableMetric{},NoopObservableUpDownCounterMetric=class extends NoopObservableMetric{},
NOOP_METER=new NoopMeter,NOOP_COUNTER_METRIC=new NoopCounterMetric,NOOP_GAUGE_METRIC=new NoopGaugeMetric,NOOP_HISTOGRAM_METRIC=new NoopHistogramMetric,
NOOP_UP_DOWN_COUNTER_METRIC=new NoopUpDownCounterMetric,NOOP_OBSERVABLE_COUNTER_METRIC=new NoopObservableCounterMetric,NOOP_OBSERVABLE_GAUGE_METRIC=new NoopObservableGaugeMetric,
NOOP_OBSERVABLE_UP_DOWN_COUNTER_METRIC=new NoopObservableUpDownCounterMetric;function createNoopMeter(){return NOOP_METER}
exports.NOOP_COUNTER_METRIC=NOOP_COUNTER_METRIC;exports.NOOP_GAUGE_METRIC=NOOP_GAUGE_METRIC;exports.NOOP_HISTOGRAM_METRIC=
NOOP_HISTOGRAM_METRIC;exports.NOOP_METER=NOOP_METER;exports.NOOP_OBSERVABLE_COUNTER_METRIC=NOOP_OBSERVABLE_COUNTER_METRIC;
exports.NOOP_OBSERVABLE_GAUGE_METRIC=NOOP_OBSERVABLE_GAUGE_METRIC;exports.NOOP_OBSERVABLE_UP_DOWN_COUNTER_METRIC=NOOP_OBSERVABLE_UP_DOWN_COUNTER_METRIC;
exports.NOOP_UP_DOWN_COUNTER_METRIC=NOOP_UP_DOWN_COUNTER_METRIC;exports.NoopCounterMetric=NoopCounterMetric;exports.NoopGaugeMetric=
NoopGaugeMetric;exports.NoopHistogramMetric=NoopHistogramMetric;exports.NoopMeter=NoopMeter;exports.NoopMetric=NoopMetric;
exports.NoopObservableCounterMetric=NoopObservableCounterMetric;exports.NoopObservableGaugeMetric=NoopObservableGaugeMetric;
exports.NoopObservableMetric=NoopObservableMetric;exports.NoopObservableUpDownCounterMetric=NoopObservableUpDownCounterMetric;
exports.NoopUpDownCounterMetric=NoopUpDownCounterMetric;exports.createNoopMeter=createNoopMeter}});var require_Metric=__commonJS({"node_modules/@opentelemetry/api/dist/metrics/Metric.cjs"(exports){var ValueType=(function(ValueType2){
return ValueType2[ValueType2.INT=0]="INT",ValueType2[ValueType2.DOUBLE=1]="DOUBLE",ValueType2})({});exports.ValueType=ValueType}});var require_NoopLogger=__commonJS({"node_modules/@opentelemetry/api/dist/logs/NoopLogger.cjs"(exports){var NoopLogger=class{emit(_logRecord){}enabled(){
return!1}},NOOP_LOGGER=new NoopLogger;function createNoopLogger(){return NOOP_LOGGER}exports.NOOP_LOGGER=NOOP_LOGGER;exports.
NoopLogger=NoopLogger;exports.createNoopLogger=createNoopLogger}});var require_LogRecord=__commonJS({"node_modules/@opentelemetry/api/dist/logs/LogRecord.cjs"(exports){var SeverityNumber=(function(SeverityNumber2){
return SeverityNumber2[SeverityNumber2.UNSPECIFIED=0]="UNSPECIFIED",SeverityNumber2[SeverityNumber2.TRACE=1]="TRACE",SeverityNumber2[SeverityNumber2.
TRACE2=2]="TRACE2",SeverityNumber2[SeverityNumber2.TRACE3=3]="TRACE3",SeverityNumber2[SeverityNumber2.TRACE4=4]="TRACE4",
SeverityNumber2[SeverityNumber2.DEBUG=5]="DEBUG",SeverityNumber2[SeverityNumber2.DEBUG2=6]="DEBUG2",SeverityNumber2[SeverityNumber2.
DEBUG3=7]="DEBUG3",SeverityNumber2[SeverityNumber2.DEBUG4=8]="DEBUG4",SeverityNumber2[SeverityNumber2.INFO=9]="INFO",SeverityNumber2[SeverityNumber2.
INFO2=10]="INFO2",SeverityNumber2[SeverityNumber2.INFO3=11]="INFO3",SeverityNumber2[SeverityNumber2.INFO4=12]="INFO4",SeverityNumber2[SeverityNumber2.
WARN=13]="WARN",SeverityNumber2[SeverityNumber2.WARN2=14]="WARN2",SeverityNumber2[SeverityNumber2.WARN3=15]="WARN3",SeverityNumber2[SeverityNumber2.
WARN4=16]="WARN4",SeverityNumber2[SeverityNumber2.ERROR=17]="ERROR",SeverityNumber2[SeverityNumber2.ERROR2=18]="ERROR2",
SeverityNumber2[SeverityNumber2.ERROR3=19]="ERROR3",SeverityNumber2[SeverityNumber2.ERROR4=20]="ERROR4",SeverityNumber2[SeverityNumber2.
FATAL=21]="FATAL",SeverityNumber2[SeverityNumber2.FATAL2=22]="FATAL2",SeverityNumber2[SeverityNumber2.FATAL3=23]="FATAL3",
SeverityNumber2[SeverityNumber2.FATAL4=24]="FATAL4",SeverityNumber2})({});exports.SeverityNumber=SeverityNumber}});var require_TextMapPropagator=__commonJS({"node_modules/@opentelemetry/api/dist/propagation/TextMapPropagator.cjs"(exports){
var defaultTextMapGetter={get(carrier,key){if(carrier!=null)return carrier[key]},keys(carrier){return carrier==null?[]:Object.
keys(carrier)}},defaultTextMapSetter={set(carrier,key,value2){carrier!=null&&(carrier[key]=value2)}};exports.defaultTextMapGetter=
defaultTextMapGetter;exports.defaultTextMapSetter=defaultTextMapSetter}});var require_trace_flags=__commonJS({"node_modules/@opentelemetry/api/dist/trace/trace_flags.cjs"(exports){var TraceFlags=(function(TraceFlags2){
return TraceFlags2[TraceFlags2.NONE=0]="NONE",TraceFlags2[TraceFlags2.SAMPLED=1]="SAMPLED",TraceFlags2})({});exports.TraceFlags=
TraceFlags}});var require_invalid_span_constants=__commonJS({"node_modules/@opentelemetry/api/dist/trace/invalid-span-constants.cjs"(exports){
require_trace_flags();var INVALID_SPANID="0000000000000000",INVALID_TRACEID="00000000000000000000000000000000",INVALID_SPAN_CONTEXT={
traceId:INVALID_TRACEID,spanId:INVALID_SPANID,traceFlags:0};exports.INVALID_SPANID=INVALID_SPANID;exports.INVALID_SPAN_CONTEXT=
INVALID_SPAN_CONTEXT;exports.INVALID_TRACEID=INVALID_TRACEID}});var require_NonRecordingSpan=__commonJS({"node_modules/@opentelemetry/api/dist/trace/NonRecordingSpan.cjs"(exports){var require_invalid_span_constants2=require_invalid_span_constants(),
NonRecordingSpan=class{constructor(spanContext=require_invalid_span_constants2.INVALID_SPAN_CONTEXT){this._spanContext=spanContext}spanContext(){
return this._spanContext}setAttribute(_key,_value){return this}setAttributes(_attributes){return this}addEvent(_name,_attributes){
return this}addLink(_link){return this}addLinks(_links){return this}setStatus(_status){return this}updateName(_name){return this}end(_endTime){}isRecording(){
return!1}recordException(_exception,_time){}};exports.NonRecordingSpan=NonRecordingSpan}});var require_spancontext_utils=__commonJS({"node_modules/@opentelemetry/api/dist/trace/spancontext-utils.cjs"(exports){require_invalid_span_constants();
var require_NonRecordingSpan2=require_NonRecordingSpan(),isHex=new Uint8Array([0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,
0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,1,1,1,1,1,1,1,1,1,0,0,0,0,0,0,0,1,1,1,1,1,1,0,0,0,0,0,0,0,0,0,0,
0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,1,1,1,1,1]);function isValidHex(id,length){if(typeof id!="string"||id.length!==length)
return!1;let r=0;for(let i=0;i<id.length;i+=4)r+=(isHex[id.charCodeAt(i)]|0)+(isHex[id.charCodeAt(i+1)]|0)+(isHex[id.charCodeAt(
i+2)]|0)+(isHex[id.charCodeAt(i+3)]|0);return r===length}function isValidTraceId(traceId){return isValidHex(traceId,32)&&
traceId!=="00000000000000000000000000000000"}function isValidSpanId(spanId){return isValidHex(spanId,16)&&spanId!=="0000\
000000000000"}function isSpanContextValid(spanContext){return isValidTraceId(spanContext.traceId)&&isValidSpanId(spanContext.
spanId)}function wrapSpanContext(spanContext){return new require_NonRecordingSpan2.NonRecordingSpan(spanContext)}exports.
isSpanContextValid=isSpanContextValid;exports.isValidSpanId=isValidSpanId;exports.isValidTraceId=isValidTraceId;exports.
wrapSpanContext=wrapSpanContext}});var require_NoopContextManager=__commonJS({"node_modules/@opentelemetry/api/dist/context/NoopContextManager.cjs"(exports){
var require_context3=require_context(),NoopContextManager=class{active(){return require_context3.ROOT_CONTEXT}with(_context,fn,thisArg,...args){
return fn.call(thisArg,...args)}bind(_context,target){return target}enable(){return this}disable(){return this}attach(_context){
return{dispose(){}}}};exports.NoopContextManager=NoopContextManager}});var require_context2=__commonJS({"node_modules/@opentelemetry/api/dist/api/context.cjs"(exports){var require_global_utils2=require_global_utils(),
require_diag2=require_diag(),require_NoopContextManager2=require_NoopContextManager(),API_NAME="context",NOOP_CONTEXT_MANAGER=new require_NoopContextManager2.
NoopContextManager,NOOP_TOKEN=Object.freeze({dispose:()=>{}}),ContextAPI=class ContextAPI2{constructor(){this._attachUnsupportedWarned=
!1}static getInstance(){return this._instance||(this._instance=new ContextAPI2),this._instance}setGlobalContextManager(contextManager){
return require_global_utils2.registerGlobal(API_NAME,contextManager,require_diag2.DiagAPI.instance())}active(){return this.
_getContextManager().active()}with(context,fn,thisArg,...args){return this._getContextManager().with(context,fn,thisArg,
...args)}bind(context,target){return this._getContextManager().bind(context,target)}attach(context){let contextManager=this.
_getContextManager();return contextManager.attach?contextManager.attach(context):(this._attachUnsupportedWarned||(this._attachUnsupportedWarned=
!0,require_diag2.DiagAPI.instance().warn("The current ContextManager does not implement attach(). The context will not b\
e attached. Use a ContextManager that supports attach() (e.g. AsyncLocalStorageContextManager) or use with()/bind() inst\
ead.")),NOOP_TOKEN)}_getContextManager(){return require_global_utils2.getGlobal(API_NAME)||NOOP_CONTEXT_MANAGER}disable(){
this._getContextManager().disable(),require_global_utils2.unregisterGlobal(API_NAME,require_diag2.DiagAPI.instance())}};
exports.ContextAPI=ContextAPI}});var require_context_utils=__commonJS({"node_modules/@opentelemetry/api/dist/trace/context-utils.cjs"(exports){var require_context3=require_context(),
require_context$1=require_context2(),require_NonRecordingSpan2=require_NonRecordingSpan(),SPAN_KEY=require_context3.createContextKey(
"OpenTelemetry Context Key SPAN");function getSpan(context){return context.getValue(SPAN_KEY)||void 0}function getActiveSpan(){
return getSpan(require_context$1.ContextAPI.getInstance().active())}function setSpan(context,span){return context.setValue(
SPAN_KEY,span)}function deleteSpan(context){return context.deleteValue(SPAN_KEY)}function setSpanContext(context,spanContext){
return setSpan(context,new require_NonRecordingSpan2.NonRecordingSpan(spanContext))}function getSpanContext(context){var _getSpan;
return(_getSpan=getSpan(context))===null||_getSpan===void 0?void 0:_getSpan.spanContext()}exports.deleteSpan=deleteSpan;
exports.getActiveSpan=getActiveSpan;exports.getSpan=getSpan;exports.getSpanContext=getSpanContext;exports.setSpan=setSpan;
exports.setSpanContext=setSpanContext}});var require_NoopTracer=__commonJS({"node_modules/@opentelemetry/api/dist/trace/NoopTracer.cjs"(exports){var require_context3=require_context2(),
require_NonRecordingSpan2=require_NonRecordingSpan(),require_context_utils2=require_context_utils(),require_spancontext_utils2=require_spancontext_utils(),
contextApi=require_context3.ContextAPI.getInstance(),NoopTracer=class{startSpan(name,options,context=contextApi.active()){
if(options?.root)return new require_NonRecordingSpan2.NonRecordingSpan;let parentFromContext=context&&require_context_utils2.
getSpanContext(context);return isSpanContext(parentFromContext)&&require_spancontext_utils2.isSpanContextValid(parentFromContext)?
new require_NonRecordingSpan2.NonRecordingSpan(parentFromContext):new require_NonRecordingSpan2.NonRecordingSpan}startActiveSpan(name,arg2,arg3,arg4){
var _ctx;let opts,ctx,fn;if(arguments.length<2)return;arguments.length===2?fn=arg2:arguments.length===3?(opts=arg2,fn=arg3):
(opts=arg2,ctx=arg3,fn=arg4);let parentContext=(_ctx=ctx)!==null&&_ctx!==void 0?_ctx:contextApi.active(),span=this.startSpan(
name,opts,parentContext),contextWithSpanSet=require_context_utils2.setSpan(parentContext,span);return contextApi.with(contextWithSpanSet,
fn,void 0,span)}};function isSpanContext(spanContext){return spanContext!==null&&typeof spanContext=="object"&&"spanId"in
spanContext&&typeof spanContext.spanId=="string"&&"traceId"in spanContext&&typeof spanContext.traceId=="string"&&"traceF\
lags"in spanContext&&typeof spanContext.traceFlags=="number"}exports.NoopTracer=NoopTracer}});var require_ProxyTracer=__commonJS({"node_modules/@opentelemetry/api/dist/trace/ProxyTracer.cjs"(exports){var NOOP_TRACER=new(require_NoopTracer()).
NoopTracer,ProxyTracer=class{constructor(provider,name,version,options){this._provider=provider,this.name=name,this.version=
version,this.options=options}startSpan(name,options,context){return this._getTracer().startSpan(name,options,context)}startActiveSpan(_name,_options,_context,_fn){
let tracer=this._getTracer();return Reflect.apply(tracer.startActiveSpan,tracer,arguments)}_getTracer(){if(this._delegate)
return this._delegate;let tracer=this._provider.getDelegateTracer(this.name,this.version,this.options);return tracer?(this.
_delegate=tracer,this._delegate):NOOP_TRACER}};exports.ProxyTracer=ProxyTracer}});var require_span_kind=__commonJS({"node_modules/@opentelemetry/api/dist/trace/span_kind.cjs"(exports){var SpanKind=(function(SpanKind2){
return SpanKind2[SpanKind2.INTERNAL=0]="INTERNAL",SpanKind2[SpanKind2.SERVER=1]="SERVER",SpanKind2[SpanKind2.CLIENT=2]="\
CLIENT",SpanKind2[SpanKind2.PRODUCER=3]="PRODUCER",SpanKind2[SpanKind2.CONSUMER=4]="CONSUMER",SpanKind2})({});exports.SpanKind=
SpanKind}});var require_status=__commonJS({"node_modules/@opentelemetry/api/dist/trace/status.cjs"(exports){var SpanStatusCode=(function(SpanStatusCode2){
return SpanStatusCode2[SpanStatusCode2.UNSET=0]="UNSET",SpanStatusCode2[SpanStatusCode2.OK=1]="OK",SpanStatusCode2[SpanStatusCode2.
ERROR=2]="ERROR",SpanStatusCode2})({});exports.SpanStatusCode=SpanStatusCode}});var require_tracestate_validators=__commonJS({"node_modules/@opentelemetry/api/dist/trace/internal/tracestate-validators\
.cjs"(exports){var VALID_KEY_CHAR_RANGE="[_0-9a-z-*/]",VALID_KEY_REGEX=new RegExp(`^(?:${`[a-z]${VALID_KEY_CHAR_RANGE}{0\
,255}`}|${`[a-z0-9]${VALID_KEY_CHAR_RANGE}{0,240}@[a-z]${VALID_KEY_CHAR_RANGE}{0,13}`})$`),VALID_VALUE_BASE_REGEX=/^[ -~]{0,255}[!-~]$/,
INVALID_VALUE_COMMA_EQUAL_REGEX=/,|=/;function validateKey(key){return VALID_KEY_REGEX.test(key)}function validateValue(value2){
return VALID_VALUE_BASE_REGEX.test(value2)&&!INVALID_VALUE_COMMA_EQUAL_REGEX.test(value2)}exports.validateKey=validateKey;
exports.validateValue=validateValue}});var require_tracestate_impl=__commonJS({"node_modules/@opentelemetry/api/dist/trace/internal/tracestate-impl.cjs"(exports){
var require_tracestate_validators2=require_tracestate_validators(),MAX_TRACE_STATE_ITEMS=32,MAX_TRACE_STATE_LEN=512,LIST_MEMBERS_SEPARATOR="\
,",LIST_MEMBER_KEY_VALUE_SPLITTER="=",TraceStateImpl=class TraceStateImpl2{constructor(rawTraceState){this._internalState=
new Map,rawTraceState&&this._parse(rawTraceState)}set(key,value2){let currValue=this._internalState.get(key),newLength=this.
serialize().length;if(typeof currValue=="string")newLength+=value2.length-currValue.length;else{if(this._internalState.size>=
MAX_TRACE_STATE_ITEMS)return this;newLength+=key.length+value2.length+(this._internalState.size>0?2:1)}if(newLength>MAX_TRACE_STATE_LEN)
return this;let traceState=this._clone();return traceState._internalState.has(key)&&traceState._internalState.delete(key),
traceState._internalState.set(key,value2),traceState}unset(key){let traceState=this._clone();return traceState._internalState.
delete(key),traceState}get(key){return this._internalState.get(key)}serialize(){return Array.from(this._internalState.keys()).
reduceRight((agg,key)=>(agg.push(key+LIST_MEMBER_KEY_VALUE_SPLITTER+this.get(key)),agg),[]).join(LIST_MEMBERS_SEPARATOR)}_parse(rawTraceState){
rawTraceState.length>MAX_TRACE_STATE_LEN||(this._internalState=rawTraceState.split(LIST_MEMBERS_SEPARATOR).reduceRight((agg,part)=>{
let listMember=part.trim(),i=listMember.indexOf(LIST_MEMBER_KEY_VALUE_SPLITTER);if(i!==-1){let key=listMember.slice(0,i),
value2=listMember.slice(i+1,part.length);require_tracestate_validators2.validateKey(key)&&require_tracestate_validators2.
validateValue(value2)&&agg.set(key,value2)}return agg},new Map),this._internalState.size>MAX_TRACE_STATE_ITEMS&&(this._internalState=
new Map(Array.from(this._internalState.entries()).reverse().slice(0,MAX_TRACE_STATE_ITEMS))))}_keys(){return Array.from(
this._internalState.keys()).reverse()}_clone(){let traceState=new TraceStateImpl2;return traceState._internalState=new Map(
this._internalState),traceState}};exports.TraceStateImpl=TraceStateImpl}});var require_utils2=__commonJS({"node_modules/@opentelemetry/api/dist/trace/internal/utils.cjs"(exports){var require_tracestate_impl2=require_tracestate_impl();
function createTraceState(rawTraceState){return new require_tracestate_impl2.TraceStateImpl(rawTraceState)}exports.createTraceState=
createTraceState}});var require_NoopTracerProvider=__commonJS({"node_modules/@opentelemetry/api/dist/trace/NoopTracerProvider.cjs"(exports){
var require_NoopTracer2=require_NoopTracer(),NoopTracerProvider=class{getTracer(_name,_version,_options){return new require_NoopTracer2.
NoopTracer}};exports.NoopTracerProvider=NoopTracerProvider}});var require_ProxyTracerProvider=__commonJS({"node_modules/@opentelemetry/api/dist/trace/ProxyTracerProvider.cjs"(exports){
var require_ProxyTracer2=require_ProxyTracer(),NOOP_TRACER_PROVIDER=new(require_NoopTracerProvider()).NoopTracerProvider,
ProxyTracerProvider=class{getTracer(name,version,options){var _this$getDelegateTrac;return(_this$getDelegateTrac=this.getDelegateTracer(
name,version,options))!==null&&_this$getDelegateTrac!==void 0?_this$getDelegateTrac:new require_ProxyTracer2.ProxyTracer(
this,name,version,options)}getDelegate(){var _this$_delegate;return(_this$_delegate=this._delegate)!==null&&_this$_delegate!==
void 0?_this$_delegate:NOOP_TRACER_PROVIDER}setDelegate(delegate){this._delegate=delegate}getDelegateTracer(name,version,options){
var _this$_delegate2;return(_this$_delegate2=this._delegate)===null||_this$_delegate2===void 0?void 0:_this$_delegate2.getTracer(
name,version,options)}};exports.ProxyTracerProvider=ProxyTracerProvider}});var require_SamplingResult=__commonJS({"node_modules/@opentelemetry/api/dist/trace/SamplingResult.cjs"(exports){var SamplingDecision=(function(SamplingDecision2){
return SamplingDecision2[SamplingDecision2.NOT_RECORD=0]="NOT_RECORD",SamplingDecision2[SamplingDecision2.RECORD=1]="REC\
ORD",SamplingDecision2[SamplingDecision2.RECORD_AND_SAMPLED=2]="RECORD_AND_SAMPLED",SamplingDecision2})({});exports.SamplingDecision=
SamplingDecision}});var require_context_api=__commonJS({"node_modules/@opentelemetry/api/dist/context-api.cjs"(exports){var context=require_context2().
ContextAPI.getInstance();exports.context=context}});var require_diag_api=__commonJS({"node_modules/@opentelemetry/api/dist/diag-api.cjs"(exports){var diag=require_diag().DiagAPI.
instance();exports.diag=diag}});var require_NoopLoggerProvider=__commonJS({"node_modules/@opentelemetry/api/dist/logs/NoopLoggerProvider.cjs"(exports){var require_NoopLogger2=require_NoopLogger(),
NoopLoggerProvider=class{getLogger(_name,_version,_options){return new require_NoopLogger2.NoopLogger}},NOOP_LOGGER_PROVIDER=new NoopLoggerProvider;
exports.NOOP_LOGGER_PROVIDER=NOOP_LOGGER_PROVIDER;exports.NoopLoggerProvider=NoopLoggerProvider}});var require_ProxyLogger=__commonJS({"node_modules/@opentelemetry/api/dist/logs/ProxyLogger.cjs"(exports){var require_NoopLogger2=require_NoopLogger(),
ProxyLogger=class{constructor(provider,name,version,options){this._provider=provider,this.name=name,this.version=version,
this.options=options}emit(logRecord){this._getLogger().emit(logRecord)}enabled(options){return this._getLogger().enabled(
options)}_getLogger(){if(this._delegate)return this._delegate;let logger=this._provider._getDelegateLogger(this.name,this.
version,this.options);return logger?(this._delegate=logger,this._delegate):require_NoopLogger2.NOOP_LOGGER}};exports.ProxyLogger=
ProxyLogger}});var require_ProxyLoggerProvider=__commonJS({"node_modules/@opentelemetry/api/dist/logs/ProxyLoggerProvider.cjs"(exports){
var require_NoopLoggerProvider2=require_NoopLoggerProvider(),require_ProxyLogger2=require_ProxyLogger(),ProxyLoggerProvider=class{getLogger(name,version,options){
var _this$_getDelegateLog;return(_this$_getDelegateLog=this._getDelegateLogger(name,version,options))!==null&&_this$_getDelegateLog!==
void 0?_this$_getDelegateLog:new require_ProxyLogger2.ProxyLogger(this,name,version,options)}_getDelegate(){var _this$_delegate;
return(_this$_delegate=this._delegate)!==null&&_this$_delegate!==void 0?_this$_delegate:require_NoopLoggerProvider2.NOOP_LOGGER_PROVIDER}_setDelegate(delegate){
this._delegate=delegate}_getDelegateLogger(name,version,options){var _this$_delegate2;return(_this$_delegate2=this._delegate)===
null||_this$_delegate2===void 0?void 0:_this$_delegate2.getLogger(name,version,options)}};exports.ProxyLoggerProvider=ProxyLoggerProvider}});var require_logs=__commonJS({"node_modules/@opentelemetry/api/dist/api/logs.cjs"(exports){var require_global_utils2=require_global_utils(),
require_diag2=require_diag(),require_ProxyLoggerProvider2=require_ProxyLoggerProvider(),API_NAME="logs",LogsAPI=class LogsAPI2{constructor(){
this._proxyLoggerProvider=new require_ProxyLoggerProvider2.ProxyLoggerProvider}static getInstance(){return this._instance||
(this._instance=new LogsAPI2),this._instance}setGlobalLoggerProvider(provider){let success=require_global_utils2.registerGlobal(
API_NAME,provider,require_diag2.DiagAPI.instance());return success&&this._proxyLoggerProvider._setDelegate(provider),success}getLoggerProvider(){
return require_global_utils2.getGlobal(API_NAME)||this._proxyLoggerProvider}getLogger(name,version,options){return this.
getLoggerProvider().getLogger(name,version,options)}disable(){require_global_utils2.unregisterGlobal(API_NAME,require_diag2.
DiagAPI.instance()),this._proxyLoggerProvider=new require_ProxyLoggerProvider2.ProxyLoggerProvider}};exports.LogsAPI=LogsAPI}});var require_logs_api=__commonJS({"node_modules/@opentelemetry/api/dist/logs-api.cjs"(exports){var logs=require_logs().LogsAPI.
getInstance();exports.logs=logs}});var require_NoopMeterProvider=__commonJS({"node_modules/@opentelemetry/api/dist/metrics/NoopMeterProvider.cjs"(exports){
var require_NoopMeter2=require_NoopMeter(),NoopMeterProvider=class{getMeter(_name,_version,_options){return require_NoopMeter2.
NOOP_METER}},NOOP_METER_PROVIDER=new NoopMeterProvider;exports.NOOP_METER_PROVIDER=NOOP_METER_PROVIDER;exports.NoopMeterProvider=
NoopMeterProvider}});var require_metrics=__commonJS({"node_modules/@opentelemetry/api/dist/api/metrics.cjs"(exports){var require_global_utils2=require_global_utils(),
require_diag2=require_diag(),require_NoopMeterProvider2=require_NoopMeterProvider(),API_NAME="metrics",MetricsAPI=class MetricsAPI2{constructor(){}static getInstance(){
return this._instance||(this._instance=new MetricsAPI2),this._instance}setGlobalMeterProvider(provider){return require_global_utils2.
registerGlobal(API_NAME,provider,require_diag2.DiagAPI.instance())}getMeterProvider(){return require_global_utils2.getGlobal(
API_NAME)||require_NoopMeterProvider2.NOOP_METER_PROVIDER}getMeter(name,version,options){return this.getMeterProvider().
getMeter(name,version,options)}disable(){require_global_utils2.unregisterGlobal(API_NAME,require_diag2.DiagAPI.instance())}};
exports.MetricsAPI=MetricsAPI}});var require_metrics_api=__commonJS({"node_modules/@opentelemetry/api/dist/metrics-api.cjs"(exports){var metrics=require_metrics().
MetricsAPI.getInstance();exports.metrics=metrics}});var require_NoopTextMapPropagator=__commonJS({"node_modules/@opentelemetry/api/dist/propagation/NoopTextMapPropagator.cj\
s"(exports){var NoopTextMapPropagator=class{inject(_context,_carrier){}extract(context,_carrier){return context}fields(){
return[]}};exports.NoopTextMapPropagator=NoopTextMapPropagator}});var require_context_helpers=__commonJS({"node_modules/@opentelemetry/api/dist/baggage/context-helpers.cjs"(exports){var require_context3=require_context(),
require_context$1=require_context2(),BAGGAGE_KEY=require_context3.createContextKey("OpenTelemetry Baggage Key");function getBaggage(context){
return context.getValue(BAGGAGE_KEY)||void 0}function getActiveBaggage(){return getBaggage(require_context$1.ContextAPI.
getInstance().active())}function setBaggage(context,baggage){return context.setValue(BAGGAGE_KEY,baggage)}function deleteBaggage(context){
return context.deleteValue(BAGGAGE_KEY)}exports.deleteBaggage=deleteBaggage;exports.getActiveBaggage=getActiveBaggage;exports.
getBaggage=getBaggage;exports.setBaggage=setBaggage}});var require_propagation=__commonJS({"node_modules/@opentelemetry/api/dist/api/propagation.cjs"(exports){var require_global_utils2=require_global_utils(),
require_diag2=require_diag(),require_utils3=require_utils(),require_TextMapPropagator2=require_TextMapPropagator(),require_NoopTextMapPropagator2=require_NoopTextMapPropagator(),
require_context_helpers2=require_context_helpers(),API_NAME="propagation",NOOP_TEXT_MAP_PROPAGATOR=new require_NoopTextMapPropagator2.
NoopTextMapPropagator,PropagationAPI=class PropagationAPI2{constructor(){this.createBaggage=require_utils3.createBaggage,
this.getBaggage=require_context_helpers2.getBaggage,this.getActiveBaggage=require_context_helpers2.getActiveBaggage,this.
setBaggage=require_context_helpers2.setBaggage,this.deleteBaggage=require_context_helpers2.deleteBaggage}static getInstance(){
return this._instance||(this._instance=new PropagationAPI2),this._instance}setGlobalPropagator(propagator){return require_global_utils2.
registerGlobal(API_NAME,propagator,require_diag2.DiagAPI.instance())}inject(context,carrier,setter=require_TextMapPropagator2.
defaultTextMapSetter){return this._getGlobalPropagator().inject(context,carrier,setter)}extract(context,carrier,getter=require_TextMapPropagator2.
defaultTextMapGetter){return this._getGlobalPropagator().extract(context,carrier,getter)}fields(){return this._getGlobalPropagator().
fields()}disable(){require_global_utils2.unregisterGlobal(API_NAME,require_diag2.DiagAPI.instance())}_getGlobalPropagator(){
return require_global_utils2.getGlobal(API_NAME)||NOOP_TEXT_MAP_PROPAGATOR}};exports.PropagationAPI=PropagationAPI}});var require_propagation_api=__commonJS({"node_modules/@opentelemetry/api/dist/propagation-api.cjs"(exports){var propagation=require_propagation().
PropagationAPI.getInstance();exports.propagation=propagation}});var require_trace=__commonJS({"node_modules/@opentelemetry/api/dist/api/trace.cjs"(exports){var require_global_utils2=require_global_utils(),
require_diag2=require_diag(),require_context_utils2=require_context_utils(),require_spancontext_utils2=require_spancontext_utils(),
require_ProxyTracerProvider2=require_ProxyTracerProvider(),API_NAME="trace",TraceAPI=class TraceAPI2{constructor(){this.
_proxyTracerProvider=new require_ProxyTracerProvider2.ProxyTracerProvider,this.wrapSpanContext=require_spancontext_utils2.
wrapSpanContext,this.isSpanContextValid=require_spancontext_utils2.isSpanContextValid,this.deleteSpan=require_context_utils2.
deleteSpan,this.getSpan=require_context_utils2.getSpan,this.getActiveSpan=require_context_utils2.getActiveSpan,this.getSpanContext=
require_context_utils2.getSpanContext,this.setSpan=require_context_utils2.setSpan,this.setSpanContext=require_context_utils2.
setSpanContext}static getInstance(){return this._instance||(this._instance=new TraceAPI2),this._instance}setGlobalTracerProvider(provider){
let success=require_global_utils2.registerGlobal(API_NAME,this._proxyTracerProvider,require_diag2.DiagAPI.instance());return success&&
this._proxyTracerProvider.setDelegate(provider),success}getTracerProvider(){return require_global_utils2.getGlobal(API_NAME)||
this._proxyTracerProvider}getTracer(name,version){return this.getTracerProvider().getTracer(name,version)}disable(){require_global_utils2.
unregisterGlobal(API_NAME,require_diag2.DiagAPI.instance()),this._proxyTracerProvider=new require_ProxyTracerProvider2.ProxyTracerProvider}};
exports.TraceAPI=TraceAPI}});var require_trace_api=__commonJS({"node_modules/@opentelemetry/api/dist/trace-api.cjs"(exports){var trace=require_trace().
TraceAPI.getInstance();exports.trace=trace}});var require_dist=__commonJS({"node_modules/@opentelemetry/api/dist/index.cjs"(exports){Object.defineProperties(exports,{
__esModule:{value:!0},[Symbol.toStringTag]:{value:"Module"}});var require_types2=require_types(),require_utils3=require_utils(),
require_context3=require_context(),require_consoleLogger2=require_consoleLogger(),require_NoopMeter2=require_NoopMeter(),
require_Metric2=require_Metric(),require_NoopLogger2=require_NoopLogger(),require_LogRecord2=require_LogRecord(),require_TextMapPropagator2=require_TextMapPropagator(),
require_trace_flags2=require_trace_flags(),require_invalid_span_constants2=require_invalid_span_constants(),require_spancontext_utils2=require_spancontext_utils(),
require_ProxyTracer2=require_ProxyTracer(),require_span_kind2=require_span_kind(),require_status2=require_status(),require_utils$1=require_utils2(),
require_ProxyTracerProvider2=require_ProxyTracerProvider(),require_SamplingResult2=require_SamplingResult(),require_context_api2=require_context_api(),
require_diag_api2=require_diag_api(),require_logs_api2=require_logs_api(),require_metrics_api2=require_metrics_api(),require_propagation_api2=require_propagation_api(),
require_trace_api2=require_trace_api(),src_default={context:require_context_api2.context,diag:require_diag_api2.diag,logs:require_logs_api2.
logs,metrics:require_metrics_api2.metrics,propagation:require_propagation_api2.propagation,trace:require_trace_api2.trace};
exports.DiagConsoleLogger=require_consoleLogger2.DiagConsoleLogger;exports.DiagLogLevel=require_types2.DiagLogLevel;exports.
INVALID_SPANID=require_invalid_span_constants2.INVALID_SPANID;exports.INVALID_SPAN_CONTEXT=require_invalid_span_constants2.
INVALID_SPAN_CONTEXT;exports.INVALID_TRACEID=require_invalid_span_constants2.INVALID_TRACEID;exports.ProxyTracer=require_ProxyTracer2.
ProxyTracer;exports.ProxyTracerProvider=require_ProxyTracerProvider2.ProxyTracerProvider;exports.ROOT_CONTEXT=require_context3.
ROOT_CONTEXT;exports.SamplingDecision=require_SamplingResult2.SamplingDecision;exports.SeverityNumber=require_LogRecord2.
SeverityNumber;exports.SpanKind=require_span_kind2.SpanKind;exports.SpanStatusCode=require_status2.SpanStatusCode;exports.
TraceFlags=require_trace_flags2.TraceFlags;exports.ValueType=require_Metric2.ValueType;exports.baggageEntryMetadataFromString=
require_utils3.baggageEntryMetadataFromString;exports.context=require_context_api2.context;exports.createContextKey=require_context3.
createContextKey;exports.createNoopLogger=require_NoopLogger2.createNoopLogger;exports.createNoopMeter=require_NoopMeter2.
createNoopMeter;exports.createTraceState=require_utils$1.createTraceState;exports.default=src_default;exports.defaultTextMapGetter=
require_TextMapPropagator2.defaultTextMapGetter;exports.defaultTextMapSetter=require_TextMapPropagator2.defaultTextMapSetter;
exports.diag=require_diag_api2.diag;exports.isSpanContextValid=require_spancontext_utils2.isSpanContextValid;exports.isValidSpanId=
require_spancontext_utils2.isValidSpanId;exports.isValidTraceId=require_spancontext_utils2.isValidTraceId;exports.logs=require_logs_api2.
logs;exports.metrics=require_metrics_api2.metrics;exports.propagation=require_propagation_api2.propagation;exports.trace=
require_trace_api2.trace}});var require_processCpuTotal=__commonJS({"node_modules/prom-client/lib/metrics/processCpuTotal.js"(exports,module){"use s\
trict";var OtelApi=require_dist(),Counter2=require_counter(),PROCESS_CPU_USER_SECONDS="process_cpu_user_seconds_total",PROCESS_CPU_SYSTEM_SECONDS="\
process_cpu_system_seconds_total",PROCESS_CPU_SECONDS="process_cpu_seconds_total";module.exports=(registry,config={})=>{
let registers=registry?[registry]:void 0,namePrefix=config.prefix?config.prefix:"",labels=config.labels?config.labels:{},
exemplars=config.enableExemplars?config.enableExemplars:!1,labelNames=Object.keys(labels),lastCpuUsage=process.cpuUsage(),
cpuUserUsageCounter=new Counter2({name:namePrefix+PROCESS_CPU_USER_SECONDS,help:"Total user CPU time spent in seconds.",
enableExemplars:exemplars,registers,labelNames,collect(){let cpuUsage=process.cpuUsage(),userUsageMicros=cpuUsage.user-lastCpuUsage.
user,systemUsageMicros=cpuUsage.system-lastCpuUsage.system;if(lastCpuUsage=cpuUsage,this.enableExemplars){let exemplarLabels={},
currentSpan=OtelApi.trace.getSpan(OtelApi.context.active());currentSpan&&(exemplarLabels={traceId:currentSpan.spanContext().
traceId,spanId:currentSpan.spanContext().spanId}),cpuUserUsageCounter.inc({labels,value:userUsageMicros/1e6,exemplarLabels}),
cpuSystemUsageCounter.inc({labels,value:systemUsageMicros/1e6,exemplarLabels}),cpuUsageCounter.inc({labels,value:(userUsageMicros+
systemUsageMicros)/1e6,exemplarLabels})}else cpuUserUsageCounter.inc(labels,userUsageMicros/1e6),cpuSystemUsageCounter.inc(
labels,systemUsageMicros/1e6),cpuUsageCounter.inc(labels,(userUsageMicros+systemUsageMicros)/1e6)}}),cpuSystemUsageCounter=new Counter2(
{name:namePrefix+PROCESS_CPU_SYSTEM_SECONDS,help:"Total system CPU time spent in seconds.",enableExemplars:exemplars,registers,
labelNames}),cpuUsageCounter=new Counter2({name:namePrefix+PROCESS_CPU_SECONDS,help:"Total user and system CPU time spen\
t in seconds.",enableExemplars:exemplars,registers,labelNames})};module.exports.metricNames=[PROCESS_CPU_USER_SECONDS,PROCESS_CPU_SYSTEM_SECONDS,
PROCESS_CPU_SECONDS]}});var require_processStartTime=__commonJS({"node_modules/prom-client/lib/metrics/processStartTime.js"(exports,module){"use\
 strict";var Gauge2=require_gauge(),startInSeconds=Math.round(Date.now()/1e3-process.uptime()),PROCESS_START_TIME="proce\
ss_start_time_seconds";module.exports=(registry,config={})=>{let namePrefix=config.prefix?config.prefix:"",labels=config.
labels?config.labels:{},labelNames=Object.keys(labels);new Gauge2({name:namePrefix+PROCESS_START_TIME,help:"Start time o\
f the process since unix epoch in seconds.",registers:registry?[registry]:void 0,labelNames,aggregator:"omit",collect(){
this.set(labels,startInSeconds)}})};module.exports.metricNames=[PROCESS_START_TIME]}});var require_osMemoryHeapLinux=__commonJS({"node_modules/prom-client/lib/metrics/osMemoryHeapLinux.js"(exports,module){"u\
se strict";var Gauge2=require_gauge(),fs=__require("fs"),values=["VmSize","VmRSS","VmData"],PROCESS_RESIDENT_MEMORY="pro\
cess_resident_memory_bytes",PROCESS_VIRTUAL_MEMORY="process_virtual_memory_bytes",PROCESS_HEAP="process_heap_bytes";function structureOutput(input){
return input.split(`
`).reduce((acc,string)=>{if(!values.some(value3=>string.startsWith(value3)))return acc;let split=string.split(":"),value2=split[1].
trim();return value2=value2.substr(0,value2.length-3),value2=Number(value2)*1024,acc[split[0]]=value2,acc},{})}module.exports=
(registry,config={})=>{let registers=registry?[registry]:void 0,namePrefix=config.prefix?config.prefix:"",labels=config.
labels?config.labels:{},labelNames=Object.keys(labels),residentMemGauge=new Gauge2({name:namePrefix+PROCESS_RESIDENT_MEMORY,
help:"Resident memory size in bytes.",registers,labelNames,collect(){try{let stat2=fs.readFileSync("/proc/self/status","\
utf8"),structuredOutput=structureOutput(stat2);residentMemGauge.set(labels,structuredOutput.VmRSS),virtualMemGauge.set(labels,
structuredOutput.VmSize),heapSizeMemGauge.set(labels,structuredOutput.VmData)}catch{}}}),virtualMemGauge=new Gauge2({name:namePrefix+
PROCESS_VIRTUAL_MEMORY,help:"Virtual memory size in bytes.",registers,labelNames}),heapSizeMemGauge=new Gauge2({name:namePrefix+
PROCESS_HEAP,help:"Process heap size in bytes.",registers,labelNames})};module.exports.metricNames=[PROCESS_RESIDENT_MEMORY,
PROCESS_VIRTUAL_MEMORY,PROCESS_HEAP]}});var require_safeMemoryUsage=__commonJS({"node_modules/prom-client/lib/metrics/helpers/safeMemoryUsage.js"(exports,module){
"use strict";function safeMemoryUsage(){try{return process.memoryUsage()}catch{return}}module.exports=safeMemoryUsage}});var require_osMemoryHeap=__commonJS({"node_modules/prom-client/lib/metrics/osMemoryHeap.js"(exports,module){"use strict";
var Gauge2=require_gauge(),linuxVariant=require_osMemoryHeapLinux(),safeMemoryUsage=require_safeMemoryUsage(),PROCESS_RESIDENT_MEMORY="\
process_resident_memory_bytes";function notLinuxVariant(registry,config={}){let namePrefix=config.prefix?config.prefix:"",
labels=config.labels?config.labels:{},labelNames=Object.keys(labels);new Gauge2({name:namePrefix+PROCESS_RESIDENT_MEMORY,
help:"Resident memory size in bytes.",registers:registry?[registry]:void 0,labelNames,collect(){let memUsage=safeMemoryUsage();
memUsage&&this.set(labels,memUsage.rss)}})}module.exports=(registry,config)=>process.platform==="linux"?linuxVariant(registry,
config):notLinuxVariant(registry,config);module.exports.metricNames=process.platform==="linux"?linuxVariant.metricNames:
[PROCESS_RESIDENT_MEMORY]}});var require_processOpenFileDescriptors=__commonJS({"node_modules/prom-client/lib/metrics/processOpenFileDescriptors.js"(exports,module){
"use strict";var Gauge2=require_gauge(),fs=__require("fs"),process2=__require("process"),PROCESS_OPEN_FDS="process_open_\
fds";module.exports=(registry,config={})=>{if(process2.platform!=="linux")return;let namePrefix=config.prefix?config.prefix:
"",labels=config.labels?config.labels:{},labelNames=Object.keys(labels);new Gauge2({name:namePrefix+PROCESS_OPEN_FDS,help:"\
Number of open file descriptors.",registers:registry?[registry]:void 0,labelNames,collect(){try{let fds=fs.readdirSync("\
/proc/self/fd");this.set(labels,fds.length-1)}catch{}}})};module.exports.metricNames=[PROCESS_OPEN_FDS]}});var require_processMaxFileDescriptors=__commonJS({"node_modules/prom-client/lib/metrics/processMaxFileDescriptors.js"(exports,module){
"use strict";var Gauge2=require_gauge(),fs=__require("fs"),PROCESS_MAX_FDS="process_max_fds",maxFds;module.exports=(registry,config={})=>{
if(maxFds===void 0)try{let lines=fs.readFileSync("/proc/self/limits","utf8").split(`
`);for(let line of lines)if(line.startsWith("Max open files")){let parts=line.split(/  +/);maxFds=Number(parts[1]);break}}catch{
return}if(maxFds===void 0)return;let namePrefix=config.prefix?config.prefix:"",labels=config.labels?config.labels:{},labelNames=Object.
keys(labels);new Gauge2({name:namePrefix+PROCESS_MAX_FDS,help:"Maximum number of open file descriptors.",registers:registry?
[registry]:void 0,labelNames,collect(){maxFds!==void 0&&this.set(labels,maxFds)}})};module.exports.metricNames=[PROCESS_MAX_FDS]}});var require_eventLoopLag=__commonJS({"node_modules/prom-client/lib/metrics/eventLoopLag.js"(exports,module){"use strict";
var Gauge2=require_gauge(),perf_hooks;try{perf_hooks=__require("perf_hooks")}catch{}var NODEJS_EVENTLOOP_LAG="nodejs_eve\
ntloop_lag_seconds",NODEJS_EVENTLOOP_LAG_MIN="nodejs_eventloop_lag_min_seconds",NODEJS_EVENTLOOP_LAG_MAX="nodejs_eventlo\
op_lag_max_seconds",NODEJS_EVENTLOOP_LAG_MEAN="nodejs_eventloop_lag_mean_seconds",NODEJS_EVENTLOOP_LAG_STDDEV="nodejs_ev\
entloop_lag_stddev_seconds",NODEJS_EVENTLOOP_LAG_P50="nodejs_eventloop_lag_p50_seconds",NODEJS_EVENTLOOP_LAG_P90="nodejs\
_eventloop_lag_p90_seconds",NODEJS_EVENTLOOP_LAG_P99="nodejs_eventloop_lag_p99_seconds";function reportEventloopLag(start,gauge,labels){
let delta=process.hrtime(start),seconds=(delta[0]*1e9+delta[1])/1e9;gauge.set(labels,seconds)}module.exports=(registry,config={})=>{
let namePrefix=config.prefix?config.prefix:"",labels=config.labels?config.labels:{},labelNames=Object.keys(labels),registers=registry?
[registry]:void 0,collect=()=>{let start=process.hrtime();setImmediate(reportEventloopLag,start,lag,labels)};if(perf_hooks&&
perf_hooks.monitorEventLoopDelay)try{let histogram=perf_hooks.monitorEventLoopDelay({resolution:config.eventLoopMonitoringPrecision});
histogram.enable(),collect=()=>{let start=process.hrtime();setImmediate(reportEventloopLag,start,lag,labels),lagMin.set(
labels,histogram.min/1e9),lagMax.set(labels,histogram.max/1e9),lagMean.set(labels,histogram.mean/1e9),lagStddev.set(labels,
histogram.stddev/1e9),lagP50.set(labels,histogram.percentile(50)/1e9),lagP90.set(labels,histogram.percentile(90)/1e9),lagP99.
set(labels,histogram.percentile(99)/1e9),histogram.reset()}}catch(e){if(e.code==="ERR_NOT_IMPLEMENTED")return;throw e}let lag=new Gauge2(
{name:namePrefix+NODEJS_EVENTLOOP_LAG,help:"Lag of event loop in seconds.",registers,labelNames,aggregator:"average",collect}),
lagMin=new Gauge2({name:namePrefix+NODEJS_EVENTLOOP_LAG_MIN,help:"The minimum recorded event loop delay.",registers,labelNames,
aggregator:"min"}),lagMax=new Gauge2({name:namePrefix+NODEJS_EVENTLOOP_LAG_MAX,help:"The maximum recorded event loop del\
ay.",registers,labelNames,aggregator:"max"}),lagMean=new Gauge2({name:namePrefix+NODEJS_EVENTLOOP_LAG_MEAN,help:"The mea\
n of the recorded event loop delays.",registers,labelNames,aggregator:"average"}),lagStddev=new Gauge2({name:namePrefix+
NODEJS_EVENTLOOP_LAG_STDDEV,help:"The standard deviation of the recorded event loop delays.",registers,labelNames,aggregator:"\
average"}),lagP50=new Gauge2({name:namePrefix+NODEJS_EVENTLOOP_LAG_P50,help:"The 50th percentile of the recorded event l\
oop delays.",registers,labelNames,aggregator:"average"}),lagP90=new Gauge2({name:namePrefix+NODEJS_EVENTLOOP_LAG_P90,help:"\
The 90th percentile of the recorded event loop delays.",registers,labelNames,aggregator:"average"}),lagP99=new Gauge2({name:namePrefix+
NODEJS_EVENTLOOP_LAG_P99,help:"The 99th percentile of the recorded event loop delays.",registers,labelNames,aggregator:"\
average"})};module.exports.metricNames=[NODEJS_EVENTLOOP_LAG,NODEJS_EVENTLOOP_LAG_MIN,NODEJS_EVENTLOOP_LAG_MAX,NODEJS_EVENTLOOP_LAG_MEAN,
NODEJS_EVENTLOOP_LAG_STDDEV,NODEJS_EVENTLOOP_LAG_P50,NODEJS_EVENTLOOP_LAG_P90,NODEJS_EVENTLOOP_LAG_P99]}});var require_processMetricsHelpers=__commonJS({"node_modules/prom-client/lib/metrics/helpers/processMetricsHelpers.js"(exports,module){
"use strict";function aggregateByObjectName(list){let data={};for(let i=0;i<list.length;i++){let listElement=list[i];!listElement||
typeof listElement.constructor>"u"||(Object.hasOwnProperty.call(data,listElement.constructor.name)?data[listElement.constructor.
name]+=1:data[listElement.constructor.name]=1)}return data}function updateMetrics(gauge,data,labels){gauge.reset();for(let key in data)
gauge.set(Object.assign({type:key},labels||{}),data[key])}module.exports={aggregateByObjectName,updateMetrics}}});var require_processHandles=__commonJS({"node_modules/prom-client/lib/metrics/processHandles.js"(exports,module){"use str\
ict";var{aggregateByObjectName}=require_processMetricsHelpers(),{updateMetrics}=require_processMetricsHelpers(),Gauge2=require_gauge(),
NODEJS_ACTIVE_HANDLES="nodejs_active_handles",NODEJS_ACTIVE_HANDLES_TOTAL="nodejs_active_handles_total";module.exports=(registry,config={})=>{
if(typeof process._getActiveHandles!="function")return;let registers=registry?[registry]:void 0,namePrefix=config.prefix?
config.prefix:"",labels=config.labels?config.labels:{},labelNames=Object.keys(labels);new Gauge2({name:namePrefix+NODEJS_ACTIVE_HANDLES,
help:"Number of active libuv handles grouped by handle type. Every handle type is C++ class name.",labelNames:["type",...labelNames],
registers,collect(){let handles=process._getActiveHandles();updateMetrics(this,aggregateByObjectName(handles),labels)}}),
new Gauge2({name:namePrefix+NODEJS_ACTIVE_HANDLES_TOTAL,help:"Total number of active handles.",registers,labelNames,collect(){
let handles=process._getActiveHandles();this.set(labels,handles.length)}})};module.exports.metricNames=[NODEJS_ACTIVE_HANDLES,
NODEJS_ACTIVE_HANDLES_TOTAL]}});var require_processRequests=__commonJS({"node_modules/prom-client/lib/metrics/processRequests.js"(exports,module){"use s\
trict";var Gauge2=require_gauge(),{aggregateByObjectName}=require_processMetricsHelpers(),{updateMetrics}=require_processMetricsHelpers(),
NODEJS_ACTIVE_REQUESTS="nodejs_active_requests",NODEJS_ACTIVE_REQUESTS_TOTAL="nodejs_active_requests_total";module.exports=
(registry,config={})=>{if(typeof process._getActiveRequests!="function")return;let namePrefix=config.prefix?config.prefix:
"",labels=config.labels?config.labels:{},labelNames=Object.keys(labels);new Gauge2({name:namePrefix+NODEJS_ACTIVE_REQUESTS,
help:"Number of active libuv requests grouped by request type. Every request type is C++ class name.",labelNames:["type",
...labelNames],registers:registry?[registry]:void 0,collect(){let requests=process._getActiveRequests();updateMetrics(this,
aggregateByObjectName(requests),labels)}}),new Gauge2({name:namePrefix+NODEJS_ACTIVE_REQUESTS_TOTAL,help:"Total number o\
f active requests.",registers:registry?[registry]:void 0,labelNames,collect(){let requests=process._getActiveRequests();
this.set(labels,requests.length)}})};module.exports.metricNames=[NODEJS_ACTIVE_REQUESTS,NODEJS_ACTIVE_REQUESTS_TOTAL]}});var require_processResources=__commonJS({"node_modules/prom-client/lib/metrics/processResources.js"(exports,module){"use\
 strict";var Gauge2=require_gauge(),{updateMetrics}=require_processMetricsHelpers(),NODEJS_ACTIVE_RESOURCES="nodejs_acti\
ve_resources",NODEJS_ACTIVE_RESOURCES_TOTAL="nodejs_active_resources_total";module.exports=(registry,config={})=>{if(typeof process.
getActiveResourcesInfo!="function")return;let namePrefix=config.prefix?config.prefix:"",labels=config.labels?config.labels:
{},labelNames=Object.keys(labels);new Gauge2({name:namePrefix+NODEJS_ACTIVE_RESOURCES,help:"Number of active resources t\
hat are currently keeping the event loop alive, grouped by async resource type.",labelNames:["type",...labelNames],registers:registry?
[registry]:void 0,collect(){let resources=process.getActiveResourcesInfo(),data={};for(let i=0;i<resources.length;i++){let resource=resources[i];
Object.hasOwn(data,resource)?data[resource]+=1:data[resource]=1}updateMetrics(this,data,labels)}}),new Gauge2({name:namePrefix+
NODEJS_ACTIVE_RESOURCES_TOTAL,help:"Total number of active resources.",registers:registry?[registry]:void 0,labelNames,collect(){
let resources=process.getActiveResourcesInfo();this.set(labels,resources.length)}})};module.exports.metricNames=[NODEJS_ACTIVE_RESOURCES,
NODEJS_ACTIVE_RESOURCES_TOTAL]}});var require_heapSizeAndUsed=__commonJS({"node_modules/prom-client/lib/metrics/heapSizeAndUsed.js"(exports,module){"use s\
trict";var Gauge2=require_gauge(),safeMemoryUsage=require_safeMemoryUsage(),NODEJS_HEAP_SIZE_TOTAL="nodejs_heap_size_tot\
al_bytes",NODEJS_HEAP_SIZE_USED="nodejs_heap_size_used_bytes",NODEJS_EXTERNAL_MEMORY="nodejs_external_memory_bytes";module.
exports=(registry,config={})=>{if(typeof process.memoryUsage!="function")return;let labels=config.labels?config.labels:{},
labelNames=Object.keys(labels),registers=registry?[registry]:void 0,namePrefix=config.prefix?config.prefix:"",collect=()=>{
let memUsage=safeMemoryUsage();memUsage&&(heapSizeTotal.set(labels,memUsage.heapTotal),heapSizeUsed.set(labels,memUsage.
heapUsed),memUsage.external!==void 0&&externalMemUsed.set(labels,memUsage.external))},heapSizeTotal=new Gauge2({name:namePrefix+
NODEJS_HEAP_SIZE_TOTAL,help:"Process heap size from Node.js in bytes.",registers,labelNames,collect}),heapSizeUsed=new Gauge2(
{name:namePrefix+NODEJS_HEAP_SIZE_USED,help:"Process heap size used from Node.js in bytes.",registers,labelNames}),externalMemUsed=new Gauge2(
{name:namePrefix+NODEJS_EXTERNAL_MEMORY,help:"Node.js external memory size in bytes.",registers,labelNames})};module.exports.
metricNames=[NODEJS_HEAP_SIZE_TOTAL,NODEJS_HEAP_SIZE_USED,NODEJS_EXTERNAL_MEMORY]}});var require_heapSpacesSizeAndUsed=__commonJS({"node_modules/prom-client/lib/metrics/heapSpacesSizeAndUsed.js"(exports,module){
"use strict";var Gauge2=require_gauge(),v8=__require("v8"),METRICS=["total","used","available"],NODEJS_HEAP_SIZE={};METRICS.
forEach(metricType=>{NODEJS_HEAP_SIZE[metricType]=`nodejs_heap_space_size_${metricType}_bytes`});module.exports=(registry,config={})=>{
try{v8.getHeapSpaceStatistics()}catch(e){if(e.code==="ERR_NOT_IMPLEMENTED")return;throw e}let registers=registry?[registry]:
void 0,namePrefix=config.prefix?config.prefix:"",labels=config.labels?config.labels:{},labelNames=["space",...Object.keys(
labels)],gauges={};METRICS.forEach(metricType=>{gauges[metricType]=new Gauge2({name:namePrefix+NODEJS_HEAP_SIZE[metricType],
help:`Process heap space size ${metricType} from Node.js in bytes.`,labelNames,registers})}),gauges.total.collect=()=>{for(let space of v8.
getHeapSpaceStatistics()){let spaceName=space.space_name.substr(0,space.space_name.indexOf("_space"));gauges.total.set({
space:spaceName,...labels},space.space_size),gauges.used.set({space:spaceName,...labels},space.space_used_size),gauges.available.
set({space:spaceName,...labels},space.space_available_size)}}};module.exports.metricNames=Object.values(NODEJS_HEAP_SIZE)}});var require_version2=__commonJS({"node_modules/prom-client/lib/metrics/version.js"(exports,module){"use strict";var Gauge2=require_gauge(),
version=process.version,versionSegments=version.slice(1).split(".").map(Number),NODE_VERSION_INFO="nodejs_version_info";
module.exports=(registry,config={})=>{let namePrefix=config.prefix?config.prefix:"",labels=config.labels?config.labels:{},
labelNames=Object.keys(labels);new Gauge2({name:namePrefix+NODE_VERSION_INFO,help:"Node.js version info.",labelNames:["v\
ersion","major","minor","patch",...labelNames],registers:registry?[registry]:void 0,aggregator:"first",collect(){this.labels(
version,versionSegments[0],versionSegments[1],versionSegments[2],...Object.values(labels)).set(1)}})};module.exports.metricNames=
[NODE_VERSION_INFO]}});var require_gc=__commonJS({"node_modules/prom-client/lib/metrics/gc.js"(exports,module){"use strict";var Histogram2=require_histogram(),
perf_hooks;try{perf_hooks=__require("perf_hooks")}catch{}var NODEJS_GC_DURATION_SECONDS="nodejs_gc_duration_seconds",DEFAULT_GC_DURATION_BUCKETS=[
.001,.01,.1,1,2,5],kinds=[];perf_hooks&&perf_hooks.constants&&(kinds[perf_hooks.constants.NODE_PERFORMANCE_GC_MAJOR]="ma\
jor",kinds[perf_hooks.constants.NODE_PERFORMANCE_GC_MINOR]="minor",kinds[perf_hooks.constants.NODE_PERFORMANCE_GC_INCREMENTAL]=
"incremental",kinds[perf_hooks.constants.NODE_PERFORMANCE_GC_WEAKCB]="weakcb");module.exports=(registry,config={})=>{if(!perf_hooks)
return;let namePrefix=config.prefix?config.prefix:"",labels=config.labels?config.labels:{},labelNames=Object.keys(labels),
buckets=config.gcDurationBuckets?config.gcDurationBuckets:DEFAULT_GC_DURATION_BUCKETS,gcHistogram=new Histogram2({name:namePrefix+
NODEJS_GC_DURATION_SECONDS,help:"Garbage collection duration by kind, one of major, minor, incremental or weakcb.",labelNames:[
"kind",...labelNames],enableExemplars:!1,buckets,registers:registry?[registry]:void 0});new perf_hooks.PerformanceObserver(
list=>{let entry=list.getEntries()[0],kind=entry.detail?kinds[entry.detail.kind]:kinds[entry.kind];gcHistogram.observe(Object.
assign({kind},labels),entry.duration/1e3)}).observe({entryTypes:["gc"]})};module.exports.metricNames=[NODEJS_GC_DURATION_SECONDS]}});var require_defaultMetrics=__commonJS({"node_modules/prom-client/lib/defaultMetrics.js"(exports,module){"use strict";var{
isObject}=require_util(),processCpuTotal=require_processCpuTotal(),processStartTime=require_processStartTime(),osMemoryHeap=require_osMemoryHeap(),
processOpenFileDescriptors=require_processOpenFileDescriptors(),processMaxFileDescriptors=require_processMaxFileDescriptors(),
eventLoopLag=require_eventLoopLag(),processHandles=require_processHandles(),processRequests=require_processRequests(),processResources=require_processResources(),
heapSizeAndUsed=require_heapSizeAndUsed(),heapSpacesSizeAndUsed=require_heapSpacesSizeAndUsed(),version=require_version2(),
gc=require_gc(),metrics={processCpuTotal,processStartTime,osMemoryHeap,processOpenFileDescriptors,processMaxFileDescriptors,
eventLoopLag,...typeof process.getActiveResourcesInfo=="function"?{processResources}:{},processHandles,processRequests,heapSizeAndUsed,
heapSpacesSizeAndUsed,version,gc},metricsList=Object.keys(metrics);module.exports=function(config){if(config!=null&&!isObject(
config))throw new TypeError("config must be null, undefined, or an object");config={eventLoopMonitoringPrecision:10,...config};
for(let metric of Object.values(metrics))metric(config.register,config)};module.exports.metricsList=metricsList}});var require_metricAggregators=__commonJS({"node_modules/prom-client/lib/metricAggregators.js"(exports){"use strict";var{
Grouper,hashObject}=require_util();function AggregatorFactory(aggregatorFn){return metrics=>{if(metrics.length===0)return;
let result={help:metrics[0].help,name:metrics[0].name,type:metrics[0].type,values:[],aggregator:metrics[0].aggregator},byLabels=new Grouper;
return metrics.forEach(metric=>{metric.values.forEach(value2=>{let key=hashObject(value2.labels);byLabels.add(`${value2.
metricName}_${key}`,value2)})}),byLabels.forEach(values=>{if(values.length===0)return;let valObj={value:aggregatorFn(values),
labels:values[0].labels};values[0].metricName&&(valObj.metricName=values[0].metricName),result.values.push(valObj)}),result}}
exports.AggregatorFactory=AggregatorFactory;exports.aggregators={sum:AggregatorFactory(v=>v.reduce((p,c)=>p+c.value,0)),
first:AggregatorFactory(v=>v[0].value),omit:()=>{},average:AggregatorFactory(v=>v.reduce((p,c)=>p+c.value,0)/v.length),min:AggregatorFactory(
v=>v.reduce((p,c)=>Math.min(p,c.value),1/0)),max:AggregatorFactory(v=>v.reduce((p,c)=>Math.max(p,c.value),-1/0))}}});var require_cluster=__commonJS({"node_modules/prom-client/lib/cluster.js"(exports,module){"use strict";var Registry2=require_registry(),
{Grouper}=require_util(),{aggregators}=require_metricAggregators(),cluster=()=>{let data=__require("cluster");return cluster=
()=>data,data},GET_METRICS_REQ="prom-client:getMetricsReq",GET_METRICS_RES="prom-client:getMetricsRes",registries=[Registry2.
globalRegistry],requestCtr=0,listenersAdded=!1,requests=new Map,AggregatorRegistry=class extends Registry2{constructor(regContentType=Registry2.
PROMETHEUS_CONTENT_TYPE){super(regContentType),addListeners()}clusterMetrics(){let requestId=requestCtr++;return new Promise(
(resolve2,reject)=>{let settled=!1;function done(err,result){settled||(settled=!0,err?reject(err):resolve2(result))}let request={
responses:[],pending:0,done,errorTimeout:setTimeout(()=>{let err=new Error("Operation timed out.");request.done(err)},5e3)};
requests.set(requestId,request);let message={type:GET_METRICS_REQ,requestId};for(let id in cluster().workers)cluster().workers[id].
isConnected()&&(cluster().workers[id].send(message),request.pending++);request.pending===0&&(clearTimeout(request.errorTimeout),
process.nextTick(()=>done(null,"")))})}get contentType(){return super.contentType}static aggregate(metricsArr,registryType=Registry2.
PROMETHEUS_CONTENT_TYPE){let aggregatedRegistry=new Registry2,metricsByName=new Grouper;return aggregatedRegistry.setContentType(
registryType),metricsArr.forEach(metrics=>{metrics.forEach(metric=>{metricsByName.add(metric.name,metric)})}),metricsByName.
forEach(metrics=>{let aggregatorName=metrics[0].aggregator,aggregatorFn=aggregators[aggregatorName];if(typeof aggregatorFn!=
"function")throw new Error(`'${aggregatorName}' is not a defined aggregator.`);let aggregatedMetric=aggregatorFn(metrics);
if(aggregatedMetric){let aggregatedMetricWrapper=Object.assign({get:()=>aggregatedMetric},aggregatedMetric);aggregatedRegistry.
registerMetric(aggregatedMetricWrapper)}}),aggregatedRegistry}static setRegistries(regs){Array.isArray(regs)||(regs=[regs]),
regs.forEach(reg=>{if(!(reg instanceof Registry2))throw new TypeError(`Expected Registry, got ${typeof reg}`)}),registries=
regs}};function addListeners(){listenersAdded||(listenersAdded=!0,cluster().isMaster&&cluster().on("message",(worker,message)=>{
if(message.type===GET_METRICS_RES){let request=requests.get(message.requestId);if(message.error){request.done(new Error(
message.error));return}if(message.metrics.forEach(registry=>request.responses.push(registry)),request.pending--,request.
pending===0){requests.delete(message.requestId),clearTimeout(request.errorTimeout);let promString=AggregatorRegistry.aggregate(
request.responses).metrics();request.done(null,promString)}}}),cluster().isWorker&&process.on("message",message=>{message.
type===GET_METRICS_REQ&&Promise.all(registries.map(r=>r.getMetricsAsJSON())).then(metrics=>{process.send({type:GET_METRICS_RES,
requestId:message.requestId,metrics})}).catch(error=>{process.send({type:GET_METRICS_RES,requestId:message.requestId,error:error.
message})})}))}module.exports=AggregatorRegistry}});var require_prom_client=__commonJS({"node_modules/prom-client/index.js"(exports){"use strict";exports.register=require_registry().
globalRegistry;exports.Registry=require_registry();Object.defineProperty(exports,"contentType",{configurable:!1,enumerable:!0,
get(){return exports.register.contentType},set(value2){exports.register.setContentType(value2)}});exports.prometheusContentType=
exports.Registry.PROMETHEUS_CONTENT_TYPE;exports.openMetricsContentType=exports.Registry.OPENMETRICS_CONTENT_TYPE;exports.
validateMetricName=require_validation().validateMetricName;exports.Counter=require_counter();exports.Gauge=require_gauge();
exports.Histogram=require_histogram();exports.Summary=require_summary();exports.Pushgateway=require_pushgateway();exports.
linearBuckets=require_bucketGenerators().linearBuckets;exports.exponentialBuckets=require_bucketGenerators().exponentialBuckets;
exports.collectDefaultMetrics=require_defaultMetrics();exports.aggregators=require_metricAggregators().aggregators;exports.
AggregatorRegistry=require_cluster()}});var require_Reflect=__commonJS({"node_modules/reflect-metadata/Reflect.js"(){var Reflect2;(function(Reflect3){(function(factory){
var root=typeof globalThis=="object"?globalThis:typeof global=="object"?global:typeof self=="object"?self:typeof this=="\
object"?this:sloppyModeThis(),exporter=makeExporter(Reflect3);typeof root.Reflect<"u"&&(exporter=makeExporter(root.Reflect,
exporter)),factory(exporter,root),typeof root.Reflect>"u"&&(root.Reflect=Reflect3);function makeExporter(target,previous){
return function(key,value2){Object.defineProperty(target,key,{configurable:!0,writable:!0,value:value2}),previous&&previous(
key,value2)}}function functionThis(){try{return Function("return this;")()}catch{}}function indirectEvalThis(){try{return(0,eval)(
"(function() { return this; })()")}catch{}}function sloppyModeThis(){return functionThis()||indirectEvalThis()}})(function(exporter,root){
var hasOwn=Object.prototype.hasOwnProperty,supportsSymbol=typeof Symbol=="function",toPrimitiveSymbol=supportsSymbol&&typeof Symbol.
toPrimitive<"u"?Symbol.toPrimitive:"@@toPrimitive",iteratorSymbol=supportsSymbol&&typeof Symbol.iterator<"u"?Symbol.iterator:
"@@iterator",supportsCreate=typeof Object.create=="function",supportsProto={__proto__:[]}instanceof Array,downLevel=!supportsCreate&&
!supportsProto,HashMap={create:supportsCreate?function(){return MakeDictionary(Object.create(null))}:supportsProto?function(){
return MakeDictionary({__proto__:null})}:function(){return MakeDictionary({})},has:downLevel?function(map,key){return hasOwn.
call(map,key)}:function(map,key){return key in map},get:downLevel?function(map,key){return hasOwn.call(map,key)?map[key]:
void 0}:function(map,key){return map[key]}},functionPrototype=Object.getPrototypeOf(Function),_Map=typeof Map=="function"&&
typeof Map.prototype.entries=="function"?Map:CreateMapPolyfill(),_Set=typeof Set=="function"&&typeof Set.prototype.entries==
"function"?Set:CreateSetPolyfill(),_WeakMap=typeof WeakMap=="function"?WeakMap:CreateWeakMapPolyfill(),registrySymbol=supportsSymbol?
Symbol.for("@reflect-metadata:registry"):void 0,metadataRegistry=GetOrCreateMetadataRegistry(),metadataProvider=CreateMetadataProvider(
metadataRegistry);function decorate(decorators,target,propertyKey,attributes){if(IsUndefined(propertyKey)){if(!IsArray(decorators))
throw new TypeError;if(!IsConstructor(target))throw new TypeError;return DecorateConstructor(decorators,target)}else{if(!IsArray(
decorators))throw new TypeError;if(!IsObject(target))throw new TypeError;if(!IsObject(attributes)&&!IsUndefined(attributes)&&
!IsNull(attributes))throw new TypeError;return IsNull(attributes)&&(attributes=void 0),propertyKey=ToPropertyKey(propertyKey),
DecorateProperty(decorators,target,propertyKey,attributes)}}exporter("decorate",decorate);function metadata(metadataKey,metadataValue){
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
if(!IsObject(target))throw new TypeError;if(IsUndefined(propertyKey)||(propertyKey=ToPropertyKey(propertyKey)),!IsObject(
target))throw new TypeError;IsUndefined(propertyKey)||(propertyKey=ToPropertyKey(propertyKey));var provider=GetMetadataProvider(
target,propertyKey,!1);return IsUndefined(provider)?!1:provider.OrdinaryDeleteMetadata(metadataKey,target,propertyKey)}exporter(
"deleteMetadata",deleteMetadata);function DecorateConstructor(decorators,target){for(var i=decorators.length-1;i>=0;--i){
var decorator=decorators[i],decorated=decorator(target);if(!IsUndefined(decorated)&&!IsNull(decorated)){if(!IsConstructor(
decorated))throw new TypeError;target=decorated}}return target}function DecorateProperty(decorators,target,propertyKey,descriptor){
for(var i=decorators.length-1;i>=0;--i){var decorator=decorators[i],decorated=decorator(target,propertyKey,descriptor);if(!IsUndefined(
decorated)&&!IsNull(decorated)){if(!IsObject(decorated))throw new TypeError;descriptor=decorated}}return descriptor}function OrdinaryHasMetadata(MetadataKey,O,P){
var hasOwn2=OrdinaryHasOwnMetadata(MetadataKey,O,P);if(hasOwn2)return!0;var parent=OrdinaryGetPrototypeOf(O);return IsNull(
parent)?!1:OrdinaryHasMetadata(MetadataKey,parent,P)}function OrdinaryHasOwnMetadata(MetadataKey,O,P){var provider=GetMetadataProvider(
O,P,!1);return IsUndefined(provider)?!1:ToBoolean(provider.OrdinaryHasOwnMetadata(MetadataKey,O,P))}function OrdinaryGetMetadata(MetadataKey,O,P){
var hasOwn2=OrdinaryHasOwnMetadata(MetadataKey,O,P);if(hasOwn2)return OrdinaryGetOwnMetadata(MetadataKey,O,P);var parent=OrdinaryGetPrototypeOf(
O);if(!IsNull(parent))return OrdinaryGetMetadata(MetadataKey,parent,P)}function OrdinaryGetOwnMetadata(MetadataKey,O,P){
var provider=GetMetadataProvider(O,P,!1);if(!IsUndefined(provider))return provider.OrdinaryGetOwnMetadata(MetadataKey,O,
P)}function OrdinaryDefineOwnMetadata(MetadataKey,MetadataValue,O,P){var provider=GetMetadataProvider(O,P,!0);provider.OrdinaryDefineOwnMetadata(
MetadataKey,MetadataValue,O,P)}function OrdinaryMetadataKeys(O,P){var ownKeys=OrdinaryOwnMetadataKeys(O,P),parent=OrdinaryGetPrototypeOf(
O);if(parent===null)return ownKeys;var parentKeys=OrdinaryMetadataKeys(parent,P);if(parentKeys.length<=0)return ownKeys;
if(ownKeys.length<=0)return parentKeys;for(var set2=new _Set,keys=[],_i=0,ownKeys_1=ownKeys;_i<ownKeys_1.length;_i++){var key=ownKeys_1[_i],
hasKey=set2.has(key);hasKey||(set2.add(key),keys.push(key))}for(var _a=0,parentKeys_1=parentKeys;_a<parentKeys_1.length;_a++){
var key=parentKeys_1[_a],hasKey=set2.has(key);hasKey||(set2.add(key),keys.push(key))}return keys}function OrdinaryOwnMetadataKeys(O,P){
var provider=GetMetadataProvider(O,P,!1);return provider?provider.OrdinaryOwnMetadataKeys(O,P):[]}function Type(x){if(x===
null)return 1;switch(typeof x){case"undefined":return 0;case"boolean":return 2;case"string":return 3;case"symbol":return 4;case"\
number":return 5;case"object":return x===null?1:6;default:return 6}}function IsUndefined(x){return x===void 0}function IsNull(x){
return x===null}function IsSymbol(x){return typeof x=="symbol"}function IsObject(x){return typeof x=="object"?x!==null:typeof x==
"function"}function ToPrimitive(input,PreferredType){switch(Type(input)){case 0:return input;case 1:return input;case 2:
return input;case 3:return input;case 4:return input;case 5:return input}var hint=PreferredType===3?"string":PreferredType===
5?"number":"default",exoticToPrim=GetMethod(input,toPrimitiveSymbol);if(exoticToPrim!==void 0){var result=exoticToPrim.call(
input,hint);if(IsObject(result))throw new TypeError;return result}return OrdinaryToPrimitive(input,hint==="default"?"num\
ber":hint)}function OrdinaryToPrimitive(O,hint){if(hint==="string"){var toString_1=O.toString;if(IsCallable(toString_1)){
var result=toString_1.call(O);if(!IsObject(result))return result}var valueOf=O.valueOf;if(IsCallable(valueOf)){var result=valueOf.
call(O);if(!IsObject(result))return result}}else{var valueOf=O.valueOf;if(IsCallable(valueOf)){var result=valueOf.call(O);
if(!IsObject(result))return result}var toString_2=O.toString;if(IsCallable(toString_2)){var result=toString_2.call(O);if(!IsObject(
result))return result}}throw new TypeError}function ToBoolean(argument){return!!argument}function ToString(argument){return""+
argument}function ToPropertyKey(argument){var key=ToPrimitive(argument,3);return IsSymbol(key)?key:ToString(key)}function IsArray(argument){
return Array.isArray?Array.isArray(argument):argument instanceof Object?argument instanceof Array:Object.prototype.toString.
call(argument)==="[object Array]"}function IsCallable(argument){return typeof argument=="function"}function IsConstructor(argument){
return typeof argument=="function"}function IsPropertyKey(argument){switch(Type(argument)){case 3:return!0;case 4:return!0;default:
return!1}}function SameValueZero(x,y){return x===y||x!==x&&y!==y}function GetMethod(V,P){var func=V[P];if(func!=null){if(!IsCallable(
func))throw new TypeError;return func}}function GetIterator(obj){var method=GetMethod(obj,iteratorSymbol);if(!IsCallable(
method))throw new TypeError;var iterator=method.call(obj);if(!IsObject(iterator))throw new TypeError;return iterator}function IteratorValue(iterResult){
return iterResult.value}function IteratorStep(iterator){var result=iterator.next();return result.done?!1:result}function IteratorClose(iterator){
var f=iterator.return;f&&f.call(iterator)}function OrdinaryGetPrototypeOf(O){var proto=Object.getPrototypeOf(O);if(typeof O!=
"function"||O===functionPrototype||proto!==functionPrototype)return proto;var prototype=O.prototype,prototypeProto=prototype&&
Object.getPrototypeOf(prototype);if(prototypeProto==null||prototypeProto===Object.prototype)return proto;var constructor=prototypeProto.
constructor;return typeof constructor!="function"||constructor===O?proto:constructor}function CreateMetadataRegistry(){var fallback;
!IsUndefined(registrySymbol)&&typeof root.Reflect<"u"&&!(registrySymbol in root.Reflect)&&typeof root.Reflect.defineMetadata==
"function"&&(fallback=CreateFallbackProvider(root.Reflect));var first,second,rest,targetProviderMap=new _WeakMap,registry={
registerProvider,getProvider,setProvider};return registry;function registerProvider(provider){if(!Object.isExtensible(registry))
throw new Error("Cannot add provider to a frozen registry.");switch(!0){case fallback===provider:break;case IsUndefined(
first):first=provider;break;case first===provider:break;case IsUndefined(second):second=provider;break;case second===provider:
break;default:rest===void 0&&(rest=new _Set),rest.add(provider);break}}function getProviderNoCache(O,P){if(!IsUndefined(
first)){if(first.isProviderFor(O,P))return first;if(!IsUndefined(second)){if(second.isProviderFor(O,P))return first;if(!IsUndefined(
rest))for(var iterator=GetIterator(rest);;){var next=IteratorStep(iterator);if(!next)return;var provider=IteratorValue(next);
if(provider.isProviderFor(O,P))return IteratorClose(iterator),provider}}}if(!IsUndefined(fallback)&&fallback.isProviderFor(
O,P))return fallback}function getProvider(O,P){var providerMap=targetProviderMap.get(O),provider;return IsUndefined(providerMap)||
(provider=providerMap.get(P)),IsUndefined(provider)&&(provider=getProviderNoCache(O,P),IsUndefined(provider)||(IsUndefined(
providerMap)&&(providerMap=new _Map,targetProviderMap.set(O,providerMap)),providerMap.set(P,provider))),provider}function hasProvider(provider){
if(IsUndefined(provider))throw new TypeError;return first===provider||second===provider||!IsUndefined(rest)&&rest.has(provider)}
function setProvider(O,P,provider){if(!hasProvider(provider))throw new Error("Metadata provider not registered.");var existingProvider=getProvider(
O,P);if(existingProvider!==provider){if(!IsUndefined(existingProvider))return!1;var providerMap=targetProviderMap.get(O);
IsUndefined(providerMap)&&(providerMap=new _Map,targetProviderMap.set(O,providerMap)),providerMap.set(P,provider)}return!0}}
function GetOrCreateMetadataRegistry(){var metadataRegistry2;return!IsUndefined(registrySymbol)&&IsObject(root.Reflect)&&
Object.isExtensible(root.Reflect)&&(metadataRegistry2=root.Reflect[registrySymbol]),IsUndefined(metadataRegistry2)&&(metadataRegistry2=
CreateMetadataRegistry()),!IsUndefined(registrySymbol)&&IsObject(root.Reflect)&&Object.isExtensible(root.Reflect)&&Object.
defineProperty(root.Reflect,registrySymbol,{enumerable:!1,configurable:!1,writable:!1,value:metadataRegistry2}),metadataRegistry2}
function CreateMetadataProvider(registry){var metadata2=new _WeakMap,provider={isProviderFor:function(O,P){var targetMetadata=metadata2.
get(O);return IsUndefined(targetMetadata)?!1:targetMetadata.has(P)},OrdinaryDefineOwnMetadata:OrdinaryDefineOwnMetadata2,
OrdinaryHasOwnMetadata:OrdinaryHasOwnMetadata2,OrdinaryGetOwnMetadata:OrdinaryGetOwnMetadata2,OrdinaryOwnMetadataKeys:OrdinaryOwnMetadataKeys2,
OrdinaryDeleteMetadata};return metadataRegistry.registerProvider(provider),provider;function GetOrCreateMetadataMap(O,P,Create){
var targetMetadata=metadata2.get(O),createdTargetMetadata=!1;if(IsUndefined(targetMetadata)){if(!Create)return;targetMetadata=
new _Map,metadata2.set(O,targetMetadata),createdTargetMetadata=!0}var metadataMap=targetMetadata.get(P);if(IsUndefined(metadataMap)){
if(!Create)return;if(metadataMap=new _Map,targetMetadata.set(P,metadataMap),!registry.setProvider(O,P,provider))throw targetMetadata.
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
O,P,metadataProvider))return metadataProvider;throw new Error("Illegal state.")}}function CreateMapPolyfill(){var cacheSentinel={},
arraySentinel=[],MapIterator=(function(){function MapIterator2(keys,values,selector){this._index=0,this._keys=keys,this.
_values=values,this._selector=selector}return MapIterator2.prototype["@@iterator"]=function(){return this},MapIterator2.
prototype[iteratorSymbol]=function(){return this},MapIterator2.prototype.next=function(){var index=this._index;if(index>=
0&&index<this._keys.length){var result=this._selector(this._keys[index],this._values[index]);return index+1>=this._keys.
length?(this._index=-1,this._keys=arraySentinel,this._values=arraySentinel):this._index++,{value:result,done:!1}}return{
value:void 0,done:!0}},MapIterator2.prototype.throw=function(error){throw this._index>=0&&(this._index=-1,this._keys=arraySentinel,
this._values=arraySentinel),error},MapIterator2.prototype.return=function(value2){return this._index>=0&&(this._index=-1,
this._keys=arraySentinel,this._values=arraySentinel),{value:value2,done:!0}},MapIterator2})(),Map2=(function(){function Map3(){
this._keys=[],this._values=[],this._cacheKey=cacheSentinel,this._cacheIndex=-2}return Object.defineProperty(Map3.prototype,
"size",{get:function(){return this._keys.length},enumerable:!0,configurable:!0}),Map3.prototype.has=function(key){return this.
_find(key,!1)>=0},Map3.prototype.get=function(key){var index=this._find(key,!1);return index>=0?this._values[index]:void 0},
Map3.prototype.set=function(key,value2){var index=this._find(key,!0);return this._values[index]=value2,this},Map3.prototype.
delete=function(key){var index=this._find(key,!1);if(index>=0){for(var size=this._keys.length,i=index+1;i<size;i++)this.
_keys[i-1]=this._keys[i],this._values[i-1]=this._values[i];return this._keys.length--,this._values.length--,SameValueZero(
key,this._cacheKey)&&(this._cacheKey=cacheSentinel,this._cacheIndex=-2),!0}return!1},Map3.prototype.clear=function(){this.
_keys.length=0,this._values.length=0,this._cacheKey=cacheSentinel,this._cacheIndex=-2},Map3.prototype.keys=function(){return new MapIterator(
this._keys,this._values,getKey)},Map3.prototype.values=function(){return new MapIterator(this._keys,this._values,getValue)},
Map3.prototype.entries=function(){return new MapIterator(this._keys,this._values,getEntry)},Map3.prototype["@@iterator"]=
function(){return this.entries()},Map3.prototype[iteratorSymbol]=function(){return this.entries()},Map3.prototype._find=
function(key,insert){if(!SameValueZero(this._cacheKey,key)){this._cacheIndex=-1;for(var i=0;i<this._keys.length;i++)if(SameValueZero(
this._keys[i],key)){this._cacheIndex=i;break}}return this._cacheIndex<0&&insert&&(this._cacheIndex=this._keys.length,this.
_keys.push(key),this._values.push(void 0)),this._cacheIndex},Map3})();return Map2;function getKey(key,_){return key}function getValue(_,value2){
return value2}function getEntry(key,value2){return[key,value2]}}function CreateSetPolyfill(){var Set2=(function(){function Set3(){
this._map=new _Map}return Object.defineProperty(Set3.prototype,"size",{get:function(){return this._map.size},enumerable:!0,
configurable:!0}),Set3.prototype.has=function(value2){return this._map.has(value2)},Set3.prototype.add=function(value2){
return this._map.set(value2,value2),this},Set3.prototype.delete=function(value2){return this._map.delete(value2)},Set3.prototype.
clear=function(){this._map.clear()},Set3.prototype.keys=function(){return this._map.keys()},Set3.prototype.values=function(){
return this._map.keys()},Set3.prototype.entries=function(){return this._map.entries()},Set3.prototype["@@iterator"]=function(){
return this.keys()},Set3.prototype[iteratorSymbol]=function(){return this.keys()},Set3})();return Set2}function CreateWeakMapPolyfill(){
var UUID_SIZE=16,keys=HashMap.create(),rootKey=CreateUniqueKey();return(function(){function WeakMap2(){this._key=CreateUniqueKey()}
return WeakMap2.prototype.has=function(target){var table=GetOrCreateWeakMapTable(target,!1);return table!==void 0?HashMap.
has(table,this._key):!1},WeakMap2.prototype.get=function(target){var table=GetOrCreateWeakMapTable(target,!1);return table!==
void 0?HashMap.get(table,this._key):void 0},WeakMap2.prototype.set=function(target,value2){var table=GetOrCreateWeakMapTable(
target,!0);return table[this._key]=value2,this},WeakMap2.prototype.delete=function(target){var table=GetOrCreateWeakMapTable(
target,!1);return table!==void 0?delete table[this._key]:!1},WeakMap2.prototype.clear=function(){this._key=CreateUniqueKey()},
WeakMap2})();function CreateUniqueKey(){var key;do key="@@WeakMap@@"+CreateUUID();while(HashMap.has(keys,key));return keys[key]=
!0,key}function GetOrCreateWeakMapTable(target,create){if(!hasOwn.call(target,rootKey)){if(!create)return;Object.defineProperty(
target,rootKey,{value:HashMap.create()})}return target[rootKey]}function FillRandomBytes(buffer,size){for(var i=0;i<size;++i)
buffer[i]=Math.random()*255|0;return buffer}function GenRandomBytes(size){if(typeof Uint8Array=="function"){var array=new Uint8Array(
size);return typeof crypto<"u"?crypto.getRandomValues(array):typeof msCrypto<"u"?msCrypto.getRandomValues(array):FillRandomBytes(
array,size),array}return FillRandomBytes(new Array(size),size)}function CreateUUID(){var data=GenRandomBytes(UUID_SIZE);
data[6]=data[6]&79|64,data[8]=data[8]&191|128;for(var result="",offset=0;offset<UUID_SIZE;++offset){var byte=data[offset];
(offset===4||offset===6||offset===8)&&(result+="-"),byte<16&&(result+="0"),result+=byte.toString(16).toLowerCase()}return result}}
function MakeDictionary(obj){return obj.__=void 0,delete obj.__,obj}})})(Reflect2||(Reflect2={}))}});function combineObservers(observers,logger,onFailure=()=>{},clock){let failed=(what,error)=>{logger.error(`A sync observ\
er failed in "${what}": ${messageOf(error)}`,{error}),onFailure()},each=(what,call)=>{for(let observer of observers)try{
call(observer)}catch(error){failed(what,error)}};return{modeSelected:selection=>each("modeSelected",observer=>observer.modeSelected?.(
selection)),takenOver:takeover=>each("takenOver",observer=>observer.takenOver?.(takeover)),verified:result=>each("verifi\
ed",observer=>observer.verified?.(result)),serviceHealthFailed:(service,error)=>each("serviceHealthFailed",observer=>observer.
serviceHealthFailed?.(service,error)),serviceEvent:()=>each("serviceEvent",observer=>observer.serviceEvent?.()),endpointsEvent:()=>each(
"endpointsEvent",observer=>observer.endpointsEvent?.()),nodeEvent:node=>each("nodeEvent",observer=>observer.nodeEvent?.(
node)),started:family=>each("started",observer=>observer.started?.(family)),queued:family=>each("queued",observer=>observer.
queued?.(family)),resolving:(family,latest)=>each("resolving",observer=>observer.resolving?.(family,latest)),resolved:(family,state)=>each(
"resolved",observer=>observer.resolved?.(family,state)),repaired:repair=>each("repaired",observer=>observer.repaired?.(repair)),
failed:failure=>each("failed",observer=>observer.failed?.(failure)),async synced(success){let pace=new EventLoopPace(clock);
for(let observer of observers){pace.isPauseDue()&&await pace.pause();try{await observer.synced?.(success)}catch(error){failed(
"synced",error)}}}}}var DEFAULT_CONNTRACK_TUNING={maxPerCore:32768,min:131072,tcpEstablishedTimeout:24*36e5,tcpCloseWaitTimeout:36e5,tcpBeLiberal:!1,
udpTimeout:0,udpStreamTimeout:0},DIRECTORY="net/netfilter",MAX=`${DIRECTORY}/nf_conntrack_max`,HASH_SIZE="/sys/module/nf\
_conntrack/parameters/hashsize",MAX_BY_CORES=1048576;function conntrackMax({maxPerCore,min},cpus){if(maxPerCore<=0)return 0;
let scaled=maxPerCore*cpus;return scaled>MAX_BY_CORES?MAX_BY_CORES:Math.max(scaled,min)}function conntrackSettings(options,cpus){
let seconds=milliseconds=>Math.floor(milliseconds/1e3);return[[MAX,conntrackMax(options,cpus)],[`${DIRECTORY}/nf_conntra\
ck_tcp_timeout_established`,seconds(options.tcpEstablishedTimeout)],[`${DIRECTORY}/nf_conntrack_tcp_timeout_close_wait`,
seconds(options.tcpCloseWaitTimeout)],[`${DIRECTORY}/nf_conntrack_tcp_be_liberal`,options.tcpBeLiberal?1:0],[`${DIRECTORY}\
/nf_conntrack_udp_timeout`,seconds(options.udpTimeout)],[`${DIRECTORY}/nf_conntrack_udp_timeout_stream`,seconds(options.
udpStreamTimeout)]].filter(([,value2])=>value2>0)}var ConntrackTuning=class{context;#missing;#tries=0;constructor(context){
this.context=context,this.#missing=conntrackSettings(context.options,context.cpus)}async apply(){this.#tries+=1;let{sysctl,
logger,isExplicit=!0}=this.context,absent=[],refused=[],set2=[];for(let[name,value2]of this.#missing)try{await sysctl.write(
name,value2)&&set2.push(`${name}=${value2}`),name===MAX&&await this.#growHashTable(value2)}catch(error){error instanceof
SysctlError&&error.code==="SYSCTL_ABSENT"?absent.push([name,value2]):refused.push(`${name}=${value2} (${messageOf(error)}\
)`)}set2.length>0&&logger.info("Set conntrack sysctls",{sysctls:set2.join(" ")});let last=this.#tries>1;this.#missing=absent;
let failed=[...refused,...last?absent.map(([name,value2])=>`${name}=${value2} (does not exist)`):[]];if(failed.length>0){
let text=`Cannot set conntrack sysctls; the kernel's values stay in force: ${failed.join("; ")}`,advice="set them on the\
 host, run kube-proxier --init-only with privileges, or set the values to 0";isExplicit?logger.warn(`${text}; ${advice}`):
logger.debug(1,`${text}; ${advice}`)}return failed.length===0&&absent.length===0}async synced(){this.#missing.length>0&&
this.#tries===1&&await this.apply()}async#growHashTable(max){let{files,logger}=this.context,wanted=Math.floor(max/4);try{
Number((await files.read(HASH_SIZE)).trim())<wanted&&(await files.write(HASH_SIZE,String(wanted)),logger.debug(1,"Set th\
e size of the conntrack hash table",{value:wanted}))}catch(error){logger.debug(2,"Cannot set the size of the conntrack h\
ash table",{wanted,reason:messageOf(error)})}}};import{basename}from"node:path";import{createServer as createHttpsServer}from"node:https";var ConnectionRoom=class{capacity;#entries=new Set;constructor(capacity){this.capacity=capacity}get size(){return this.#entries.
size}add(entry){let[longestIdle]=this.#entries;this.#entries.size>=this.capacity&&longestIdle?.drop(),this.#entries.add(
entry)}touch(entry){this.#entries.delete(entry)&&this.#entries.add(entry)}delete(entry){this.#entries.delete(entry)}},ConnectionLimits=class{options;#perSource;#own;#foreign;#sources=new Map;#touches=new Map;constructor(options={}){
this.options=options,this.#perSource=options.perSource??32,this.#foreign=new ConnectionRoom(options.foreign??256),this.#own=
new ConnectionRoom(options.own??64)}get size(){return this.#touches.size}get sources(){return this.#sources.size}admit(socket){
let{remoteAddress,localAddress}=socket;if(remoteAddress===void 0){socket.resetAndDestroy();return}let{isOwn,shared,onDrop}=this.
options,address=unmapped(remoteAddress),own=remoteAddress===localAddress||isLoopback(address)||(isOwn?.(address)??!1),source=own?
"the node itself":sourceOf(address),rooms=own?[this.#own,...shared?[shared.own]:[]]:[this.#roomOf(source),this.#foreign,
...shared?[shared.foreign]:[]],leave=()=>{for(let room of rooms)room.delete(entry);!own&&rooms[0]?.size===0&&this.#sources.
get(source)===rooms[0]&&this.#sources.delete(source),this.#touches.delete(socket)},entry={drop:()=>{leave(),socket.resetAndDestroy(),
onDrop?.(source)}};this.#touches.set(socket,()=>{for(let room of rooms)room.touch(entry)});for(let room of rooms)room.add(
entry);own||this.#sources.set(source,rooms[0]),socket.once("close",leave)}answered(socket){this.#touches.get(socket)?.()}#roomOf(source){
return this.#sources.get(source)??new ConnectionRoom(this.#perSource)}};function unmapped(address){return address.startsWith(
"::ffff:")&&address.includes(".")?address.slice(7):address}function isLoopback(address){return address==="::1"||address.
startsWith("127.")}function sourceOf(remoteAddress){let address=unmapped(remoteAddress);if(!address.includes(":"))return address;
let[head="",tail]=address.replace(/%.*$/,"").split("::"),parts=text=>text?text.split(":"):[],before=parts(head),after=parts(
tail),missing=8-before.length-after.length-(address.includes(".")?1:0);return`${[...before,...Array(Math.max(missing,0)).
fill("0"),...after].slice(0,4).join(":")}::/64`}var ListenError=class extends ProxierError{server;constructor(server,address,cause){super("CANNOT_LISTEN",`the ${server}\
 cannot listen on ${address}: ${messageOf(cause)}; free it, choose another, or unset bindAddressHardFail to retry`,{cause}),
this.server=server}},RETRY=5e3,BACKLOG=4096,HEADERS_TIMEOUT=3e3,REQUEST_TIMEOUT=1e4,READ_TIMEOUT=3e4,HANDSHAKE_TIMEOUT=3e3,
CHECK_INTERVAL=500,LOG_INTERVAL=6e4,HttpListener=class{options;#server;#retry;#stopped=!1;#certificate;#rawSockets=new Map;#limits;#reportDrop;#reportFailure;constructor(options){
this.options=options;let{name,logger,clock,isOwnAddress,sharedRoom,certificate}=options;this.#certificate=certificate,this.#reportDrop=
atIntervals(clock,(source,count)=>logger.warn(`The ${name} has too many open connections; it drops the longest idle ones\
 (${count}), the last one from ${source}`)),this.#reportFailure=atIntervals(clock,(message,count)=>logger.error(`The ${name}\
 could not answer a request${count>1?` (${count} times)`:""}: ${message}`)),this.#limits=new ConnectionLimits({onDrop:source=>this.#reportDrop(
source),...isOwnAddress?{isOwn:isOwnAddress}:{},...sharedRoom?{shared:sharedRoom}:{}})}get address(){let address=this.#server?.
address();return typeof address=="object"&&address!==null?{host:address.address,port:address.port}:void 0}start(){let{name,
host,port,logger,clock,ipv6Only=!1,onFailure,hardFail=!1}=this.options;return new Promise((resolve2,reject)=>{let timeouts={
headersTimeout:HEADERS_TIMEOUT,requestTimeout:REQUEST_TIMEOUT,connectionsCheckingInterval:CHECK_INTERVAL},handle=(request,response)=>{
this.#handle(request,response)},server=this.#certificate?createHttpsServer({...timeouts,...secureContext(this.#certificate),
handshakeTimeout:HANDSHAKE_TIMEOUT},handle):createServer(timeouts,handle);server.unref(),server.prependListener("connect\
ion",socket=>{this.#certificate&&this.#register(socket),this.#limits.admit(socket)}),server.once("error",error=>{if(hardFail){
reject(new ListenError(name,joinHostPort(host,port),error));return}let hint="code"in error&&error.code==="EADDRINUSE"?';\
 another process uses the port: run "ss -ltnp" to find it':"",where=joinHostPort(host,port);logger.error(`The ${name} ca\
nnot listen on ${where}; retrying: ${messageOf(error)}${hint}`),onFailure?.(error),this.#stopped||(this.#retry=clock.setTimer(
RETRY,()=>{this.start()})),resolve2()}),server.listen({host,port,ipv6Only,backlog:BACKLOG},()=>{this.#server=server,this.#stopped&&
server.close(),resolve2()})})}renewCertificate(certificate){this.#server?.setSecureContext(secureContext(certificate)),this.#certificate=
certificate}#register(socket){let key=clientOf(socket);this.#rawSockets.set(key,socket),socket.once("close",()=>{this.#rawSockets.
get(key)===socket&&this.#rawSockets.delete(key)})}async#handle(request,response){let{socket}=request,{methods,answer,clock}=this.
options,slow;response.setHeader("Server",SERVER_NAME);let accepted=this.#rawSockets.get(clientOf(socket))??socket;response.
once("finish",()=>this.#limits.answered(accepted)),response.once("close",()=>slow?.cancel());try{methods&&!methods.includes(
request.method??"")?replyMethodNotAllowed(response,methods):await answer(request,response)}catch(error){this.#reportFailure(
messageOf(error)),reply(response,500,TEXT,`internal error; see the log
`)}!response.writableFinished&&!response.closed&&(slow=clock.setTimer(READ_TIMEOUT,()=>socket.destroy()))}async stop(){this.#stopped=
!0,this.#retry?.cancel();let server=this.#server;if(this.#server=void 0,server){server.closeAllConnections();for(let socket of this.#rawSockets.
values())socket.destroy();await new Promise(resolve2=>{server.close(()=>resolve2())})}}};function secureContext({certificate,
key}){return{cert:certificate,key}}function clientOf({remoteAddress,remotePort}){return`${remoteAddress} ${remotePort}`}
var SERVER_NAME="kube-proxier";function atIntervals(clock,report){let count=0,next=Number.NEGATIVE_INFINITY;return detail=>{
count+=1,clock.monotonic()>=next&&(report(detail,count),count=0,next=clock.monotonic()+LOG_INTERVAL)}}var SAFE_METHODS=[
"GET","HEAD","OPTIONS"],TEXT="text/plain; charset=utf-8",JSON_TYPE="application/json";function reply(response,status,type,body,headers={}){
if(response.headersSent){response.end();return}response.writeHead(status,{"Content-Type":type,"X-Content-Type-Options":"\
nosniff",...headers}),response.end(body)}function replyMethodNotAllowed(response,methods){let allow=methods.join(", ");reply(
response,405,TEXT,`the method is not allowed here; use ${allow}
`,{Allow:allow})}function describeKubeProxy({pid,mode,how}){return`kube-proxy (${pid===void 0?`detected by ${how}`:`pid ${pid}`}${mode===
void 0?"":`, mode ${mode}`})`}var PROXY_MODE_URL="http://127.0.0.1:10249/proxyMode",HEALTH_URL="http://127.0.0.1:10256/h\
ealthz",MODES=/^(iptables|ipvs|nftables|userspace)$/;async function findKubeProxy({processes=listProcesses,seesAllProcesses:seesAll=seesAllProcesses,
get:fetchAnswer=getByHttp}={}){let candidates=(await processes()).filter(candidate=>candidate.pid!==process.pid&&isKubeProxy(
candidate)),here=candidates.find(({sharesNetwork})=>sharesNetwork===!0),answer=await fetchAnswer(PROXY_MODE_URL),answered=answer?.
status===200&&answer.server!==SERVER_NAME&&MODES.test(answer.body.trim())?answer.body.trim():void 0;if(here){let mode=answered??
modeArgument(here.command);return{status:"found",pid:here.pid,...mode===void 0?{}:{mode},how:`process ${here.pid}`}}if(answered!==
void 0)return{status:"found",mode:answered,how:PROXY_MODE_URL};let hidden=candidates.find(({sharesNetwork})=>sharesNetwork===
void 0);if(hidden)return{status:"unknown",reason:`this user has no permission to read the network namespace of process ${hidden.
pid} (kube-proxy)`};let health=await fetchAnswer(HEALTH_URL);return health&&health.server!==SERVER_NAME&&/"lastUpdated"/.
test(health.body)?{status:"unknown",reason:`a server at ${HEALTH_URL} answers like kube-proxy`}:await seesAll()?{status:"\
not-found"}:{status:"unknown",reason:`not all processes of this host are visible, and no kube-proxy answers at ${PROXY_MODE_URL}`}}
function isKubeProxy({command:[program=""],executable}){return basename(program)==="kube-proxy"||executable!==void 0&&basename(
executable)==="kube-proxy"}function modeArgument(command){let at=command.findIndex(word2=>/^--?proxy-mode(=|$)/.test(word2)),
word=command[at]??"",mode=word.includes("=")?word.slice(word.indexOf("=")+1):at>=0?command[at+1]??"":"";return MODES.test(
mode)?mode:void 0}var HTTP_TIMEOUT=1e3,MAX_HTTP_SIZE=1024;function getByHttp(url){return new Promise(resolve2=>{let request=get(
url,{agent:!1,signal:AbortSignal.timeout(HTTP_TIMEOUT)},response=>{let body="",end=()=>{resolve2({status:response.statusCode??
0,server:String(response.headers.server??""),body}),request.destroy()};response.setEncoding("utf8"),response.on("data",chunk=>{
body=(body+chunk).slice(0,MAX_HTTP_SIZE),body.length>=MAX_HTTP_SIZE&&end()}),response.on("end",end),response.on("error",
()=>resolve2(void 0))});request.on("error",()=>resolve2(void 0))})}import{connect,createServer as createServer2}from"node:net";function describeHolder(holder){if(!holder.known)return`an unknown process (${holder.reason})`;let mode=holder.mode===""?
"no mode yet":`mode ${holder.mode}`;return`pid ${holder.pid} (kube-proxier ${holder.version}, ${mode}, since ${holder.since}\
)`}var ANSWER_TIMEOUT=1e3,MAX_ANSWER_SIZE=4096,PAUSE=250,MAX_CONNECTIONS=64,InstanceLock=class{#path;constructor(name="k\
ube-proxier"){if(Buffer.byteLength(name)>100||name.includes("\0"))throw new RangeError("the name of an instance lock has\
 at most 100 bytes, none of them 0");this.#path=`\0${name}`.padEnd(108-Buffer.byteLength(name)+name.length,".")}async acquire(identity2,{
signal,onWaiting}={}){let reported;for(;;){signal?.throwIfAborted();let held=await this.#tryToHold(identity2);if(held)return signal?.
aborted&&await held.release(),signal?.throwIfAborted(),held;let asked=performance.now();await this.#queryHolder(holder=>{
let key=JSON.stringify(holder.known?[holder.pid,holder.since]:holder.reason);key!==reported&&(reported=key,onWaiting?.(holder))},
signal),performance.now()-asked<PAUSE&&await pause2(PAUSE,signal)}}tryAcquire(identity2){return this.#tryToHold(identity2)}async currentHolder(){
let found,enough=new AbortController;return await this.#queryHolder(holder=>{found=holder,enough.abort()},enough.signal),
found}async#tryToHold(identity2){let current={...identity2,since:new Date().toISOString()},open2=new Set,server=createServer2(
socket=>{open2.add(socket),socket.on("error",()=>{}),socket.once("close",()=>open2.delete(socket)),socket.unref(),socket.
resume(),socket.write(`${JSON.stringify(current)}
`)});if(server.maxConnections=MAX_CONNECTIONS,server.unref(),!await listen(server,this.#path))return;let released;return{
describe:changes=>{current={...current,...changes}},release:()=>(released??=new Promise(resolve2=>{server.close(()=>resolve2());
for(let socket of open2)socket.destroy()}),released)}}#queryHolder(report,signal){return new Promise(resolve2=>{let socket=connect(
this.#path),text="",isReported=!1,answer=holder=>{isReported||(isReported=!0,report(holder))},timer=setTimeout(()=>answer(
{known:!1,reason:"it does not answer"}),ANSWER_TIMEOUT),end=()=>socket.destroy();signal?.addEventListener("abort",end,{once:!0}),
socket.setEncoding("utf8"),socket.on("data",chunk=>{if(isReported)return;text+=chunk.slice(0,MAX_ANSWER_SIZE-text.length);
let lineEnd=text.indexOf(`
`);lineEnd>=0?answer(readIdentity(text.slice(0,lineEnd))):text.length>=MAX_ANSWER_SIZE&&answer({known:!1,reason:"its ans\
wer is too long"})}),socket.on("error",error=>{"code"in error&&(error.code==="ECONNREFUSED"||error.code==="ENOENT")||answer(
{known:!1,reason:messageOf(error)})}),socket.once("close",hadError=>{clearTimeout(timer),signal?.removeEventListener("ab\
ort",end),!hadError&&!signal?.aborted&&answer({known:!1,reason:"it does not answer"}),resolve2()})})}};function listen(server,path){
return new Promise((resolve2,reject)=>{server.once("error",error=>{if("code"in error&&error.code==="EADDRINUSE"){resolve2(
!1);return}let message=`cannot determine whether another proxy runs in this network namespace: ${messageOf(error)}; allo\
w this process abstract Unix sockets (AppArmor and SELinux may forbid them)`;reject(new ProxierError("INSTANCE_LOCK_FAIL\
ED",message,{cause:error}))}),server.listen(path,()=>resolve2(!0))})}function readIdentity(line){let unreadable={known:!1,
reason:"its answer is invalid"};try{let value2=JSON.parse(line);if(typeof value2!="object"||value2===null)return unreadable;
let{pid,version,mode,nodeName,since}=value2;return typeof pid!="number"||!Number.isInteger(pid)||!areLoggable([version,mode,
nodeName,since])?unreadable:{known:!0,pid,version:String(version),mode:String(mode),nodeName:String(nodeName),since:String(
since)}}catch{return unreadable}}function areLoggable(values){return values.every(value2=>typeof value2=="string"&&/^[\w.:+-]{0,253}$/.
test(value2))}function pause2(milliseconds,signal){return new Promise(resolve2=>{let end=()=>{clearTimeout(timer),signal?.
removeEventListener("abort",end),resolve2()},timer=setTimeout(end,milliseconds);signal?.addEventListener("abort",end,{once:!0})})}var import_prom_client2=__toESM(require_prom_client(),1);var BackgroundReading=class{read;clock;onRead;#value;#readAt;#reading;#requestedAt=Number.NEGATIVE_INFINITY;#due=Number.
NEGATIVE_INFINITY;#scheduled=!1;constructor(read,clock,onRead=()=>{}){this.read=read,this.clock=clock,this.onRead=onRead}latest(){
return this.#requestedAt=this.clock.monotonic(),this.#readWhenDue(),this.#value}get age(){return this.#readAt===void 0?void 0:
this.clock.monotonic()-this.#readAt}refresh(){return this.#reading??=this.#readOnce().finally(()=>{this.#reading=void 0,
this.#readWhenDue()}),this.#reading}async#readOnce(){let begin=this.clock.monotonic();try{let value2=await this.read();this.#value=
value2,this.#readAt=begin,this.onRead(value2)}catch{}finally{let end=this.clock.monotonic();this.#due=end+Math.max(1e4,(end-
begin)*50)}}#readWhenDue(){let now=this.clock.monotonic();if(!(this.#reading!==void 0||this.#scheduled||now-this.#requestedAt>
15e4)){if(now>=this.#due){this.refresh();return}this.#scheduled=!0,this.clock.setTimer(this.#due-now,()=>{this.#scheduled=
!1,this.#readWhenDue()})}}};var DURATION_BUCKETS=Array.from({length:15},(_,power)=>.001*2**power),PROGRAMMING_BUCKETS=[.25,.5,...range(1,59,1),...range(
60,115,5),...range(120,300,30)];function range(from,to,step){return Array.from({length:Math.floor((to-from)/step)+1},(_,index)=>from+
index*step)}var FAMILY=["ip_family"],PROXY_METRICS={syncDuration:{type:"histogram",name:"kubeproxy_sync_proxy_rules_dura\
tion_seconds",help:"Duration of syncs in seconds",labels:FAMILY,buckets:DURATION_BUCKETS},fullSyncDuration:{type:"histog\
ram",name:"kubeproxy_sync_full_proxy_rules_duration_seconds",help:"Duration of full syncs in seconds",labels:FAMILY,buckets:DURATION_BUCKETS},
partialSyncDuration:{type:"histogram",name:"kubeproxy_sync_partial_proxy_rules_duration_seconds",help:"Duration of parti\
al syncs in seconds",labels:FAMILY,buckets:DURATION_BUCKETS},programmingDuration:{type:"histogram",name:"kubeproxy_netwo\
rk_programming_duration_seconds",help:"Seconds from an endpoint change to the programmed rules",labels:FAMILY,buckets:PROGRAMMING_BUCKETS},
lastTimestamp:{type:"gauge",name:"kubeproxy_sync_proxy_rules_last_timestamp_seconds",help:"Time of the last successful s\
ync",labels:FAMILY},lastQueuedTimestamp:{type:"gauge",name:"kubeproxy_sync_proxy_rules_last_queued_timestamp_seconds",help:"\
Time when a sync was last queued",labels:FAMILY},serviceChangesTotal:{type:"counter",name:"kubeproxy_sync_proxy_rules_se\
rvice_changes_total",help:"Service events",labels:[]},serviceChangesPending:{type:"gauge",name:"kubeproxy_sync_proxy_rul\
es_service_changes_pending",help:"Pending Service events",labels:[]},endpointChangesTotal:{type:"counter",name:"kubeprox\
y_sync_proxy_rules_endpoint_changes_total",help:"EndpointSlice events",labels:[]},endpointChangesPending:{type:"gauge",name:"\
kubeproxy_sync_proxy_rules_endpoint_changes_pending",help:"Pending EndpointSlice events",labels:[]},noLocalEndpoints:{type:"\
gauge",name:"kubeproxy_sync_proxy_rules_no_local_endpoints_total",help:"Service ports with a Local traffic policy and en\
dpoints on other nodes only",labels:["traffic_policy","ip_family"]},conntrackDuration:{type:"histogram",name:"kubeproxy_\
conntrack_reconciler_sync_duration_seconds",help:"Duration of checks for stale conntrack entries in seconds",labels:FAMILY,
buckets:DURATION_BUCKETS},conntrackDeleted:{type:"counter",name:"kubeproxy_conntrack_reconciler_deleted_entries_total",help:"\
Deleted stale conntrack entries",labels:FAMILY},healthz:{type:"counter",name:"kubeproxy_proxy_healthz_total",help:"Respo\
nses of /healthz",labels:["code"]},livez:{type:"counter",name:"kubeproxy_proxy_livez_total",help:"Responses of /livez",labels:[
"code"]},failures:{type:"counter",name:"kube_proxier_failures_total",help:"Failures that do not affect the data plane, s\
uch as ports that could not be opened and failing observers",labels:["part"]},staleFlows:{type:"counter",name:"kube_prox\
ier_stale_flows_deleted_total",help:"Deleted stale conntrack entries by reason",labels:["ip_family","reason"]},connectionsReset:{
type:"counter",name:"kube_proxier_connections_reset_total",help:"TCP connections that were reset by reason",labels:["ip_\
family","reason"]},driftRepairs:{type:"counter",name:"kube_proxier_drift_repairs_total",help:"Number of times that drift\
 was reconciled",labels:FAMILY},modeInfo:{type:"gauge",name:"kube_proxier_proxy_mode_info",help:"1 for the mode in force\
, with the requested mode",labels:["mode","requested"]},overlappingAddresses:{type:"gauge",name:"kube_proxier_overlappin\
g_external_addresses",help:"External and load balancer IPs of Services, by port, that are a node address or in the pod o\
r Service network",labels:["ip_family","overlaps"]},verifiedClasses:{type:"gauge",name:"kube_proxier_verification_packet\
_classes",help:"Classes of packets in the last verification, by result: verified, different, unknown",labels:["ip_family",
"result"]},verificationFindings:{type:"gauge",name:"kube_proxier_verification_findings",help:"Findings of the last verif\
ication, by result: different, unknown",labels:["ip_family","result"]},verificationTimestamp:{type:"gauge",name:"kube_pr\
oxier_verification_last_timestamp_seconds",help:"Time of the last verification",labels:[]},verificationDuration:{type:"g\
auge",name:"kube_proxier_verification_last_duration_seconds",help:"Duration of the last verification in seconds",labels:[]},
probeSuccess:{type:"gauge",name:"kube_proxier_probe_success",help:"1 when the last probe of the data plane succeeded, 0 \
when it failed; absent while it is unknown",labels:FAMILY},probes:{type:"counter",name:"kube_proxier_probes_total",help:"\
Probes of the data plane by result",labels:["ip_family","result"]},probeDuration:{type:"histogram",name:"kube_proxier_pr\
obe_duration_seconds",help:"Duration of successful probes of the data plane in seconds",labels:FAMILY,buckets:DURATION_BUCKETS},
servicePorts:{type:"gauge",name:"kube_proxier_service_ports",help:"Number of programmed service ports",labels:FAMILY}},STATE_DIGEST={
type:"gauge",name:"kube_proxier_state_digest",help:"A number that is equal on nodes with the same Services and endpoints\
 in force",labels:FAMILY},KERNEL_COUNTERS_AGE={type:"gauge",name:"kube_proxier_kernel_counters_age_seconds",help:"Age in\
 seconds of the kernel counters, which are read in the background while metrics are scraped",labels:["counters"]},HEALTH_CHECK_METRICS={
checks:{type:"counter",name:"kube_proxier_health_checks_total",help:"Health checks of endpoints by result; an error says\
 nothing about the endpoint",labels:["kind","result"]},duration:{type:"histogram",name:"kube_proxier_health_check_durati\
on_seconds",help:"Duration of health checks in seconds; of TCP, precise to 20 ms",labels:["kind"],buckets:DURATION_BUCKETS},
endpoints:{type:"gauge",name:"kube_proxier_health_check_endpoints",help:"Checked addresses and ports by verdict",labels:[
"verdict"]},waiting:{type:"gauge",name:"kube_proxier_health_checks_waiting",help:"Health checks that are due and wait be\
cause too many others run",labels:[]},invalidServices:{type:"gauge",name:"kube_proxier_health_check_invalid_services",help:"\
Services whose annotations for health checks are invalid",labels:[]}},METRIC_CATALOGUE=[...Object.values(PROXY_METRICS),
...Object.values(HEALTH_CHECK_METRICS),STATE_DIGEST,KERNEL_COUNTERS_AGE];var import_prom_client=__toESM(require_prom_client(),1);function registerMetric(registry,{type,name,help,labels,buckets},collect){
let configuration={name,help,labelNames:[...labels],registers:[registry]},collected=collect&&{collect:()=>collect(metric)},
metric=(()=>{switch(type){case"counter":return new import_prom_client.Counter({...configuration,...collected});case"gaug\
e":return new import_prom_client.Gauge({...configuration,...collected});case"histogram":return new import_prom_client.Histogram(
{...configuration,...collected,buckets:[...buckets??[]]})}})();return metric}function registerMetrics(registry,descriptors){
let metrics=Object.entries(descriptors).map(([key,descriptor])=>[key,registerMetric(registry,descriptor)]);return Object.
fromEntries(metrics)}var DEFAULT_COUNTER_SERIES=100,BackendMetrics=class{registry;clock;#readings=new Map;#sync;#measurements;#series=new Map;constructor(registry,clock,{
metrics=[],syncMetrics={}},counterSeries=DEFAULT_COUNTER_SERIES){this.registry=registry,this.clock=clock,this.#measurements=
metrics,this.#sync=Object.fromEntries(Object.entries(syncMetrics).map(([key,metric])=>[key,registerMetric(registry,metric)]));
for(let{name,counts}of metrics.flatMap(measurement=>measurement.metrics))counts!==void 0&&this.#series.set(name,new BoundedSeries(
counterSeries));for(let measurement of metrics)measurement.source==="process"?this.#collect(measurement):this.#readInBackground(
measurement)}refresh(){for(let reading of this.#readings.values())reading.refresh()}counts(){let quantities=new Map,samples=this.#measurements.
flatMap(measurement=>{let{metrics}=measurement,counting=metrics.flatMap(({name,counts})=>counts===void 0?[]:[[name,counts]]);
for(let[name,counts]of counting)quantities.set(name,counts);return counting.length===0?[]:measurement.source==="process"?
measurement.read():this.#readings.get(measurement.name)?.latest()??[]});return new TrafficCounts(samples,quantities)}synced(family,report){
for(let[table,{total,written}]of Object.entries(report?.rules??{}))set(this.#sync.rules,{table,ip_family:family},total),
set(this.#sync.rulesWritten,{table,ip_family:family},written);report?.leftovers&&this.#sync.leftovers?.inc({ip_family:family})}failed(family,full){
this.#sync.failed?.inc({ip_family:family}),full||this.#sync.partialFailed?.inc({ip_family:family})}#collect({metrics,read}){
let samples,readOnce=()=>(samples===void 0&&(samples=samplesByMetric(read()),queueMicrotask(()=>{samples=void 0})),samples);
for(let metric of metrics)registerMetric(this.registry,metric,registered=>this.#setValues(registered,metric,readOnce()))}#readInBackground({
name,metrics,read}){this.#readings.size===0&&this.#reportAges();let registered=new Map,reading=new BackgroundReading(read,
this.clock,values=>{let samples=samplesByMetric(values);for(let metric of metrics){let found=registered.get(metric.name);
found===void 0&&samples.has(metric.name)&&(found=registerMetric(this.registry,metric),registered.set(metric.name,found)),
found!==void 0&&this.#setValues(found,metric,samples)}});this.#readings.set(name,reading)}#setValues(metric,{name},all){
let samples=all.get(name)??[];metric.reset();for(let{labels,value:value2}of this.#series.get(name)?.update(samples)??samples)
metric.inc(labels,value2)}#reportAges(){registerMetric(this.registry,KERNEL_COUNTERS_AGE,gauge=>{gauge.reset();for(let[counters,
reading]of this.#readings)reading.latest(),reading.age!==void 0&&gauge.set({counters},reading.age/1e3)})}};function samplesByMetric(samples){
let byMetric=new Map;for(let sample of samples){let own=byMetric.get(sample.metric);own?own.push(sample):byMetric.set(sample.
metric,[sample])}return byMetric}function set(metric,labels,value2){metric!==void 0&&"set"in metric&&metric.set(labels,value2)}var ServicePortTally=class{measure;#families=new Map;constructor(measure){this.measure=measure}update(family,changes,isAnew){
return finish(this.updateInSlices(family,changes,isAnew))}*updateInSlices(family,changes,isAnew){let values=(isAnew?void 0:
this.#families.get(family))??new Map;this.#families.set(family,values);for(let[key,{current}]of changes){yield;let value2=current===
void 0?void 0:this.measure(current);value2===void 0?values.delete(key):values.set(key,value2)}return values}};var OVERLAP_KINDS=["node-address","pod-network","service-network"],ProxyMetrics=class{registry;#clock;#counterSeries;#metrics;#backendMetrics;#begun=!1;#states=new Map;#due=new Set;#overlaps=new ServicePortTally(
({overlaps})=>overlaps.length>0?overlaps:void 0);#withoutLocal={internal:new ServicePortTally(lacksLocalEndpoints("inter\
nal")),external:new ServicePortTally(lacksLocalEndpoints("external"))};constructor({registry,clock=systemClock,counterSeries}={}){
this.#counterSeries=counterSeries,this.registry=registry??new import_prom_client2.Registry,this.#clock=clock,registry||(0,import_prom_client2.collectDefaultMetrics)(
{register:this.registry}),this.#metrics=registerMetrics(this.registry,PROXY_METRICS),registerMetric(this.registry,STATE_DIGEST,
async metric=>{for(let[family,state]of this.#states){let digest=await finishWithPauses(stateDigestInSlices(state),new EventLoopPace(
clock));metric.set({ip_family:family},digestNumber(digest))}})}modeSelected({mode,requested,backend}){this.#backendMetrics=
new BackendMetrics(this.registry,this.#clock,backend,this.#counterSeries),this.#metrics.modeInfo.set({mode,requested},1)}serviceEvent(){
this.#metrics.serviceChangesTotal.inc(),this.#changed(this.#metrics.serviceChangesPending)}endpointsEvent(){this.#metrics.
endpointChangesTotal.inc(),this.#changed(this.#metrics.endpointChangesPending)}queued(family){this.#due.add(family),this.#metrics.
lastQueuedTimestamp.set({ip_family:family},this.#clock.now()/1e3)}synced(success){return finishWithPauses(this.#syncedInSlices(
success),new EventLoopPace(this.#clock))}*#syncedInSlices({family,state,changes,full,duration,triggerTimes,report}){let metrics=this.#metrics,
labels={ip_family:family};this.#observeSync(family,full,duration),full&&this.#backendMetrics?.refresh();let now=this.#clock.
now();metrics.lastTimestamp.set(labels,now/1e3);for(let time2 of triggerTimes)yield,metrics.programmingDuration.observe(
labels,Math.max(0,now-time2)/1e3);this.#begun=!0,this.#states.set(family,state),this.#due.delete(family),this.#due.size===
0&&(metrics.serviceChangesPending.set(0),metrics.endpointChangesPending.set(0)),metrics.servicePorts.set(labels,state.servicePorts.
size),this.#backendMetrics?.synced(family,report);let isAnew=changes.previous===void 0,overlaps=[...(yield*this.#overlaps.
updateInSlices(family,changes.resolvedServicePorts,isAnew)).values()].flat();for(let kind of OVERLAP_KINDS){let count=overlaps.
filter(overlap=>overlap.overlaps===kind).length;metrics.overlappingAddresses.set({overlaps:kind,...labels},count)}for(let policy of[
"internal","external"]){let{size}=yield*this.#withoutLocal[policy].updateInSlices(family,changes.servicePorts,isAnew);metrics.
noLocalEndpoints.set({traffic_policy:policy,...labels},size)}}failed({family,full,duration}){this.#observeSync(family,full,
duration),this.#backendMetrics?.failed(family,full)}repaired({family}){this.#metrics.driftRepairs.inc({ip_family:family})}partFailed(part){
this.#metrics.failures.inc({part})}conntrackCleaned({family,duration,deleted}){this.#metrics.conntrackDuration.observe({
ip_family:family},duration/1e3);let sum=0;for(let[reason,count]of deleted)this.#metrics.staleFlows.inc({ip_family:family,
reason},count),sum+=count;this.#metrics.conntrackDeleted.inc({ip_family:family},sum)}connectionsReset({family,reason,count}){
this.#metrics.connectionsReset.inc({ip_family:family,reason},count)}verified({families,seconds}){let{verifiedClasses,verificationFindings,
verificationTimestamp,verificationDuration}=this.#metrics;for(let{family,classes,different,unknown:unknown2,findings,moreFindings}of families){
let labels={ip_family:family};verifiedClasses.set({...labels,result:"verified"},classes-different-unknown2),verifiedClasses.
set({...labels,result:"different"},different),verifiedClasses.set({...labels,result:"unknown"},unknown2);let unknownFindings=findings.
filter(({result})=>result==="unknown").length;verificationFindings.set({...labels,result:"unknown"},unknownFindings),verificationFindings.
set({...labels,result:"different"},findings.length-unknownFindings+moreFindings)}verificationTimestamp.set(this.#clock.now()/
1e3),verificationDuration.set(seconds)}probed(family,{verdict,milliseconds}){let{probeSuccess,probes,probeDuration}=this.#metrics,
labels={ip_family:family};if(verdict==="unknown"){probeSuccess.remove(labels);return}probeSuccess.set(labels,verdict==="\
ok"?1:0),probes.inc({...labels,result:verdict}),milliseconds!==void 0&&probeDuration.observe(labels,milliseconds/1e3)}counts(){
return this.#backendMetrics?.counts()}async failuresByPart(){let{values}=await this.#metrics.failures.get();return Object.
fromEntries(values.map(({labels,value:value2})=>[String(labels.part),value2]))}async staleFlowsDeleted(){let{values}=await this.#metrics.
conntrackDeleted.get();return values.reduce((sum,{value:value2})=>sum+value2,0)}healthAnswered(path,status){this.#metrics[path].
inc({code:String(status)})}#changed(pending){(!this.#begun||this.#due.size>0)&&pending.inc()}#observeSync(family,full,duration){
let{syncDuration,fullSyncDuration,partialSyncDuration}=this.#metrics,labels={ip_family:family};syncDuration.observe(labels,
duration/1e3),(full?fullSyncDuration:partialSyncDuration).observe(labels,duration/1e3)}};function lacksLocalEndpoints(policy){
return({frontends})=>frontends.some(({kind,routes})=>kind==="ClusterIP"==(policy==="internal")&&routes.some(({action})=>action===
"drop"))||void 0}var network=new ProcLocalNetwork,thisHost={localAddresses:()=>network.localAddresses(),hasIPv6:()=>supportsIPv6(),addressEvents:()=>new AddressEventsNetlink};function resolveNodeName(override,hostname4){let name=(override===void 0||override===""?hostname4:override).trim().toLowerCase();
if(name==="")throw new ProxierError("NO_NODE_NAME","the name of this node is empty; give the host a name, or set nodeNam\
e to the name of its Node object");return name}function containerOf(module,logger){let container=new Container;return container.bind(Tokens.Logger).toConstantValue(logger),
container.bind(Tokens.Clock).toConstantValue(systemClock),container.load(module),container}function previewBackend({module},{family,proxier,logger,network:network2=thisHost}){let container=containerOf(module,logger);
return container.isBound(Tokens.Preview)?container.get(Tokens.Preview)({family,options:proxier,logger,clock:systemClock,
localAddresses:()=>network2.localAddresses()}):void 0}var MAX_NAMES=5,MAX_CHARACTERS=80;function describeRemoved(removed){return removed.filter(({names})=>names.length>0).map(
({kind,location,names})=>{let place=location===void 0?"":` (${printable(location,MAX_CHARACTERS)})`,first=names.slice(0,
MAX_NAMES).map(name=>printable(name,MAX_CHARACTERS)).join(", "),more=names.length>MAX_NAMES?` and ${names.length-MAX_NAMES}\
 more`:"";return`${names.length} ${plural(printable(kind,MAX_CHARACTERS),names.length)}${place}: ${first}${more}`})}function plural(noun,count){
return count===1?noun:/(s|x|ch|sh)$/.test(noun)?`${noun}es`:`${noun}s`}var CleanupError=class extends ProxierError{isDenied;summary;constructor(code,message,isDenied,summary,options){super(code,
message,options),this.isDenied=isDenied,this.summary=summary}};async function cleanupBackends(backends,{logger,inForce,kubeProxy=!1}){
let removed=[],remaining=[],unreported=new Set,failures=[],context=inForce===void 0?{}:{inForce};for(let{mode,module}of backends){
let attempt2=async(owner,cleanup)=>{try{let report=await cleanup();if(!Array.isArray(report?.removed)){unreported.add(mode);
return}let objects=report.removed.filter(({names})=>names.length>0);objects.length>0&&(removed.push({mode,owner,objects}),
logger.info(`Removed what ${nameOfLeftoverOwner(owner,mode)} had installed: ${describeRemoved(objects).join("; ")}`)),remaining.
push(...report.remaining===void 0?[]:[report.remaining])}catch(error){failures.push({mode,error})}},container=containerOf(
module,logger);mode!==inForce&&await attempt2("backend",async()=>await container.get(Tokens.Cleanup)(logger,context)),kubeProxy&&
container.isBound(Tokens.KubeProxyCleanup)&&await attempt2("kube-proxy",async()=>await container.get(Tokens.KubeProxyCleanup)(
logger,context))}let summary={removed,remaining,unreported:[...unreported]};if(failures.length>0)throw cleanupError(failures,
summary);return summary}async function findLeftovers(backends,{logger,owners=["backend"],inForce,reading={}}){let context={
reading,...inForce===void 0?{}:{inForce}},found=[],unlisted=[],failures=[];for(let{mode,module}of backends){let container=containerOf(
module,logger);if(!container.isBound(Tokens.Leftovers)){unlisted.push(mode);continue}for(let owner of owners.filter(one=>one===
"kube-proxy"||mode!==inForce))try{let objects=(await container.get(Tokens.Leftovers)(owner,logger,context)).filter(({names})=>names.
length>0);objects.length>0&&found.push({mode,owner,objects})}catch(error){failures.push({mode,error})}}return{found,unlisted,
failures}}function nameOfLeftoverOwner(owner,mode){return owner==="backend"?`mode ${mode}`:`kube-proxy in mode ${mode}`}
function cleanupError(failures,summary){let denied=failures.filter(({error})=>hasErrorKind(error,"permission-denied")),isDenied=denied.
length===failures.length,cause=new AggregateError(failures.map(({error})=>error)),modes=[...new Set(denied.map(({mode})=>mode))];
if(isDenied&&modes.length>1){let message2=`cannot list or remove leftovers of proxy modes ${modes.join(", ")}: ${whyNotPermitted()}`;
return new CleanupError("CLEANUP_FAILED",message2,isDenied,summary,{cause})}let message=`encountered an error while tear\
ing down rules (${[...new Set(failures.map(({mode,error})=>`${mode}: ${messageOf(error)}`))].join("; ")}); fix it and ru\
n the cleanup again`;return new CleanupError("CLEANUP_FAILED",message,isDenied,summary,{cause})}var ATTEMPTS=4;async function verifyNode(options){let{backend,clock,states}=options,start=clock.monotonic(),families=[];
for(let family of states().keys())families.push(await verifyFamily(family,options));return{apiVersion:"kube-proxier.io/v\
1alpha1",kind:"NodeVerification",verdict:overallVerdict(families),mode:backend.mode,time:new Date(clock.now()).toISOString(),
seconds:Math.round(clock.monotonic()-start)/1e3,families}}function servesLoopbackByRules({capabilities={}}){let{localhostNodePorts=!1,
localhostNetwork=!0}=capabilities;return localhostNodePorts&&localhostNetwork}async function verifyFamily(family,options){
let{backend,ignores,ignoredInterfaces,options:proxier,signal,states}=options,servesLoopback=servesLoopbackByRules(backend),
confirming;try{for(let attempt2=1;attempt2<=ATTEMPTS;attempt2++){if(backend.readPacketPath===void 0)return unverified(states().
get(family),family,whyUnreadable(backend));let state=states().get(family),path=await backend.readPacketPath({family,options:proxier,
...ignores?{ignores}:{},...ignoredInterfaces?{ignoredInterfaces}:{}});if(state===void 0||states().get(family)!==state)continue;
let result=await runInSlices(verifyInSlices(state,path,{servesLoopback}),signal);if(result===void 0)return unverified(state,
family,"the verification was ended early");if(result.verdict!=="different"||confirming!==void 0)return result;confirming=
result}}catch(error){return unverified(states().get(family),family,messageOf(error))}return unverified(states().get(family),
family,"the state changed whenever the kernel was read; try again later")}function whyUnreadable({mode,capabilities}){return capabilities?.
servesWithoutProcess===!1?`in mode ${mode} a process chooses the endpoints, not the kernel, so the rules do not say what\
 happens to packets`:`mode ${mode} cannot read what the kernel does`}function unverified(state,family,reason){return{family,
verdict:"unknown",revision:state?.revision??0,classes:0,different:0,unknown:0,findings:[{result:"unknown",kind:"unknown",
family,example:void 0,classes:0,servicePorts:[],expected:"rules that can be read",actual:reason,decidedBy:void 0,message:`\
Nothing could be verified: ${reason}`}],moreFindings:0}}import{hostname as hostname3}from"node:os";var ServerOptionError=class extends ProxierError{option;constructor(message,option){super("SERVER_OPTION",message),this.
option=option}},OBJECT={expected:"an object",accepts:isRecord},FAMILIES={expected:"a list of IPv4 and IPv6",accepts:value2=>Array.
isArray(value2)&&value2.every(family=>family==="IPv4"||family==="IPv6")},NAMES={expected:"a list of host names",accepts:value2=>Array.
isArray(value2)&&value2.every(name=>typeof name=="string")},MIN_SYNC_PERIOD={expected:"a number of milliseconds from 0, \
or adaptive",accepts:value2=>value2==="adaptive"||typeof value2=="number"&&value2>=0},NODE_PORT_ADDRESSES={expected:`an \
object with kind all, primary, cidrs (and a list cidrs) or entries (and a list entries of networks and ${NODE_PORT_ADDRESS_KEYWORDS.
join(", ")})`,accepts:isNodePortAddressSelection},LOCALHOST_NODE_PORTS={expected:"a boolean, or listed",accepts:value2=>typeof value2==
"boolean"||value2==="listed"},LISTEN_ADDRESS={expected:"an object with host (a text) and port (0 to 65535)",accepts:value2=>{
let{host,port}=Object(value2);return typeof host=="string"&&Number.isInteger(port)&&Number(port)>=0&&Number(port)<=65535}},
SCRAPE={expected:"an object with host, port (0 to 65535) and access ('everybody', or an object with the method review)",
accepts:value2=>{let{access}=Object(value2);return LISTEN_ADDRESS.accepts(value2)&&(access==="everybody"||typeof Object(
access).review=="function")}},RULES={backends:OptionRules.listOf("probe"),sources:OptionRules.listOf("start","stop"),mode:OptionRules.
string,fallback:OptionRules.string,proxier:OBJECT,bindAddress:OptionRules.string,allowLoopbackEndpoints:OptionRules.boolean,
families:FAMILIES,logger:OptionRules.having("error","warn","info","debug","v"),clock:OptionRules.having("now","monotonic",
"setTimer"),observer:OBJECT,handlers:{expected:"a list of objects",accepts:value2=>Array.isArray(value2)&&value2.every(OBJECT.
accepts)},network:OptionRules.having("localAddresses","hasIPv6"),metrics:OBJECT,healthAddress:LISTEN_ADDRESS,statusAddress:LISTEN_ADDRESS,
scrape:SCRAPE,statusHostNames:NAMES,takeover:OptionRules.boolean,verification:OBJECT,announce:OptionRules.boolean,exclusive:OptionRules.
boolean,instances:OBJECT,bindAddressHardFail:OptionRules.boolean,checkFamilies:OptionRules.function,conntrackTuning:OptionRules.
having("apply"),configuration:OptionRules.function,profiling:OBJECT,recording:OBJECT,probe:OBJECT,healthChecks:OptionRules.
function,serviceExternalIPs:OptionRules.boolean,conntrack:OptionRules.having("list","delete"),tcpSockets:OptionRules.having(
"reset"),sysctl:OptionRules.having("read")},OWN_RULES={minSyncPeriod:MIN_SYNC_PERIOD,nodePortAddresses:NODE_PORT_ADDRESSES,
localhostNodePorts:LOCALHOST_NODE_PORTS},PROXIER_RULES=Object.fromEntries(Object.entries(DEFAULT_PROXIER_OPTIONS).map(([
name,value2])=>{let own=OWN_RULES[name];if(own!==void 0)return[name,own];let type=Array.isArray(value2)?"list":typeof value2;
return[name,{expected:`${type==="object"?"an":"a"} ${type}`,accepts:given=>(Array.isArray(given)?"list":typeof given)===
type&&!Number.isNaN(given)}]}));function checkServerOptions(options){let given=Object(options),{sources,...others}=given,
problem=findOptionProblem("ProxyServer",others,RULES)??(sources===void 0||Array.isArray(sources)&&sources.length===0?void 0:
findOptionProblem("ProxyServer",{sources},RULES))??inProxier(given.proxier)??(given.backends===void 0?{option:"backends",
message:"ProxyServer needs the option backends: give the backends to choose from"}:void 0);if(problem!==void 0)throw new ServerOptionError(
problem.message,problem.option)}function inProxier(proxier){let problem=proxier&&findOptionProblem("proxier",proxier,PROXIER_RULES);
return problem&&{...problem,option:`proxier.${problem.option}`}}var AddressWatch=class{options;#listeners=new Set;#watching;constructor(options){this.options=options}async watch(onChange,signal){
this.#listeners.add(onChange),signal.addEventListener("abort",()=>this.#listeners.delete(onChange),{once:!0}),this.#watching!==
void 0&&await onChange(void 0),this.#watching??=this.#watch(),await this.#watching}#watch(){let{events,clock,logger,signal,
onFailure}=this.options;return watchAddresses({open:events,clock,signal,onChange:changes=>this.#notify(changes),onFailure:(reason,failures)=>{
let text="Cannot watch the addresses of this host; polling them instead";failures===1?(onFailure(),logger.warn(text,{reason})):
logger.debug(2,text,{reason,failures})},onRecovery:()=>logger.info("Watching the addresses of this host again")})}async#notify(changes){
let{logger,onFailure}=this.options;for(let listener of this.#listeners)try{await listener(changes)}catch(error){onFailure(),
logger.error(`An address listener failed: ${messageOf(error)}`)}}};function composeProxier(options,parts){let{clock=systemClock,network:network2=thisHost}=options,{backend,proxier,families,
observer,reader,recorder,logger}=parts,container=new Container;container.bind(Tokens.Logger).toConstantValue(logger),container.
bind(Tokens.Clock).toConstantValue(clock),container.load(backend.module);let create=container.get(Tokens.ProxierFactory),
watch=watchOfAddresses(options,parts),make=family=>{let familyOptions=optionsOfFamily(proxier,family,backend.capabilities);
return recorder?.familyServed(family,familyOptions),create({family,options:familyOptions,logger,clock,observer,localAddresses:async()=>{
let addresses=await network2.localAddresses();return recorder?.addressesRead(family,addresses),addresses},...watch===void 0?
{}:{watchAddresses:(onChange,signal)=>watch.watch(onChange,signal)},reader})},proxiers=new Map(families.map(family=>[family,
make(family)])),ipv4=proxiers.get("IPv4"),ipv6=proxiers.get("IPv6"),single=ipv4??ipv6;if(!single)throw new ProxierError(
"NO_IP_FAMILY","no IP family to serve is configured");return ipv4&&ipv6?new DualStackProxier(ipv4,ipv6):single}function watchOfAddresses({
clock=systemClock,network:network2=thisHost,metrics},{logger,signal}){let events=network2.addressEvents?.bind(network2);
return events&&new AddressWatch({events,clock,logger,signal,onFailure:()=>metrics?.partFailed("address watch")})}var BackgroundCleaning=class{work;#waiting=new Map;#running=new Map;constructor(work){this.work=work}async synced(success){
let{family}=success,full=success.full||(this.#waiting.get(family)?.full??!1);this.#waiting.set(family,{...success,full}),
this.#running.has(family)||this.#running.set(family,this.#run(family))}async stop(){this.#waiting.clear(),await Promise.
all(this.#running.values())}async#run(family){try{for(;;){let success=this.#waiting.get(family);if(success===void 0)return;
this.#waiting.delete(family),await this.work(success)}}finally{this.#running.delete(family)}}};var MAX_LISTS=8;function lostConnectionJudge(state,lost,localAddresses){let byFrontend=new Map,ranges=new Map;for(let[key,
endpoints]of lost){let port=state.servicePorts.get(key);if(port===void 0||!resetsConnections(port))continue;let present=new Set(
port.candidates.map(endpoint=>endpoint.key)),name=formatServicePortName(port.name),isLost=(endpoint,address)=>endpoints===
"unknown"?!localAddresses.has(address):endpoints.has(endpoint),judge=(endpoint,address)=>!present.has(endpoint)&&isLost(
endpoint,address)?{servicePort:key,name,endpoint}:void 0;for(let frontend of port.frontends)frontend.address===void 0||frontend.
lastPort===void 0?byFrontend.set(placeOf(frontend),judge):ranges.set(frontend.address,[...ranges.get(frontend.address)??
[],{frontend,judge}])}return({protocol,original,reply:reply2})=>{let{destination,destinationPort}=original;if(protocol!==
"TCP"||reply2.source===destination&&reply2.sourcePort===destinationPort)return;let judge=byFrontend.get(joinHostPort(destination,
destinationPort))??(localAddresses.has(destination)?byFrontend.get(`${destinationPort}`):void 0);if(judge!==void 0)return judge(
joinHostPort(reply2.source,reply2.sourcePort),reply2.source);let range2=ranges.get(destination)?.find(({frontend})=>hasPort(
frontend,destinationPort)),first=reply2.sourcePort-(destinationPort-(range2?.frontend.port??0));return range2?.judge(joinHostPort(
reply2.source,first),reply2.source)}}function placeOf({address,port}){return address===void 0?`${port}`:joinHostPort(address,
port)}function repliesToList(state,lost){let sources=new Map;for(let[key,endpoints]of lost){let port=state.servicePorts.
get(key);if(port===void 0||!resetsConnections(port))continue;if(endpoints==="unknown"||port.frontends.some(({lastPort})=>lastPort!==
void 0))return;let present=new Set(port.candidates.map(endpoint=>endpoint.key));for(let endpoint of endpoints){let[,source,
sourcePort]=/^\[?(.*?)\]?:(\d+)$/.exec(endpoint)??[];!present.has(endpoint)&&source!==void 0&&sources.set(endpoint,{source,
sourcePort:Number(sourcePort)})}}return sources.size>MAX_LISTS?void 0:[...sources.values()]}var AT_ONCE=250,PAUSE2=250,MIN_RETRY_DELAY=1e3,MAX_RETRY_DELAY=3e5,MAX_NAMES2=10,TCP_LOOSE="net/netfilter/nf_conntrack_t\
cp_loose",ConnectionResetter=class{options;#clock;#goneAfter;#families=new Map;#isStopped=!1;#failure="";#socketFailure="";#isLooseChecked=!1;#isWarned=!1;constructor(options){
this.options=options,this.#clock=options.clock??systemClock,this.#goneAfter=options.goneAfter??1e3}async stop(){this.#isStopped=
!0;for(let resets of this.#families.values())resets.timer?.cancel(),resets.pending=[]}synced(success){return finishWithPauses(
this.#note(success),new EventLoopPace(this.#clock))}*#note({family,state,changes}){let known=this.#families.get(family),
before=known?.state,resets=known??{state,pending:[],timer:void 0,isRunning:!1,failures:0};resets.state=state,this.#families.
set(family,resets);let lost=lostEndpoints(yield*stepSince(before,state,changes));lost.size>0&&this.options.unsupportedBy!==
void 0?this.#warnUnsupported(state,lost,this.options.unsupportedBy):lost.size>0&&!this.#isStopped&&(resets.pending=[...resets.
pending,{due:this.#clock.monotonic()+this.#goneAfter,lost}],this.#schedule(family,resets))}#schedule(family,resets){if(resets.
timer?.cancel(),resets.timer=void 0,resets.isRunning||resets.pending.length===0||this.#isStopped)return;let next=Math.min(
...resets.pending.map(({due})=>due));resets.timer=this.#clock.setTimer(Math.max(0,next-this.#clock.monotonic()),()=>{resets.
isRunning=!0,this.#run(family,resets).finally(()=>{resets.isRunning=!1,this.#schedule(family,resets)})})}async#run(family,resets){
let now=this.#clock.monotonic(),due=resets.pending.filter(pending=>pending.due<=now);resets.pending=resets.pending.filter(
pending=>pending.due>now);let lost=merged(due);try{await this.#checkLoose(),await this.#reset(resets,await this.#find(family,
resets.state,lost)),resets.failures=0,this.#failure=""}catch(error){let delay=Math.min(MIN_RETRY_DELAY*2**resets.failures,
MAX_RETRY_DELAY);resets.failures+=1,this.#isStopped||(resets.pending=[...resets.pending,{due:this.#clock.monotonic()+delay,
lost}]);let reason=messageOf(error);this.#failure!==reason&&(this.#failure=reason,this.options.logger.error(`Cannot rese\
t connections to endpoints that are gone, so they hang until clients give up: ${reason}`,{family}))}}async#find(family,state,lost){
let{conntrack,localAddresses}=this.options,sources=repliesToList(state,lost);if(sources?.length===0)return[];let judge=lostConnectionJudge(
state,lost,new Set(await localAddresses())),isLost=entry=>judge(entry)!==void 0,found=new Map;for(let source of sources??
[void 0])for(let entry of await conntrack.list(family,"TCP",isLost,source)){let connection=judge(entry);if(connection!==
void 0){let reason=lost.get(connection.servicePort)==="unknown"?"endpoint-gone-before":"endpoint-gone";found.set(entry,{
entry,connection,reason})}}return[...found.values()]}async#reset(resets,found){let local=found.length===0?new Set:new Set(
await this.options.localAddresses()),tally=new ResetTally;try{for(let from=0;from<found.length&&!this.#isStopped;from+=AT_ONCE)
from>0&&await new Promise(resolve2=>this.#clock.setTimer(PAUSE2,resolve2)),await this.#resetSome(resets,found.slice(from,
from+AT_ONCE),local,tally)}finally{this.#report(resets.state.family,tally)}}async#resetSome({state},candidates,local,tally){
let some=candidates.filter(({connection:{servicePort,endpoint}})=>{let port=state.servicePorts.get(servicePort);return port!==
void 0&&resetsConnections(port)&&!port.candidates.some(({key})=>key===endpoint)});await this.#resetSockets(some.filter(({
entry})=>local.has(entry.original.source)).map(({entry})=>entry));for(let group of groupsOf(some)){let[{connection,reason}]=group;
tally.add(connection,reason,await this.options.conntrack.delete(group.map(({entry})=>entry)))}}async#resetSockets(entries){
try{await this.options.sockets?.reset(entries.map(socketOf)),this.#socketFailure=""}catch(error){let reason=messageOf(error);
if(this.#socketFailure!==reason){this.#socketFailure=reason;let message=`Connections of this node's own programs are res\
et only when they send: ${reason}`;error instanceof TcpSocketsError&&error.code==="SOCKETS_NOT_SUPPORTED"?this.options.logger.
info(message):this.options.logger.warn(message)}}}#report(family,tally){for(let{name,reason,count,endpoints}of tally.services){
let names=[...endpoints].slice(0,MAX_NAMES2).map(([endpoint,number])=>`${endpoint} (${number})`),more=endpoints.size>MAX_NAMES2?
` and ${endpoints.size-MAX_NAMES2} more`:"";this.options.logger.info(`Reset ${count} ${count===1?"connection":"connectio\
ns"} of ${name} to endpoints that are gone: ${names.join(", ")}${more}`,{family,reason}),this.options.onReset?.({family,
reason,count})}}#warnUnsupported(state,lost,mode){if(!this.#isWarned){this.#isWarned=!0;let names=[...lost.keys()].slice(
0,MAX_NAMES2).flatMap(key=>state.servicePorts.get(key)?.name??[]);this.options.logger.warn(`Mode ${mode} cannot reset co\
nnections to endpoints that are gone, which kube-proxier.io/when-endpoint-goes requests: they hang until clients give up\
 (first seen for ${names.map(formatServicePortName).join(", ")})`)}}async#checkLoose(){if(!this.#isLooseChecked){this.#isLooseChecked=
!0;try{await this.options.sysctl?.read(TCP_LOOSE)==="0"&&this.options.logger.warn("net.netfilter.nf_conntrack_tcp_loose \
is 0, so connections to endpoints that are gone are not reset, except those of this node's own programs; set it to 1 whe\
re Services say kube-proxier.io/when-endpoint-goes: reset")}catch{}}}},ResetTally=class{#services=new Map;get services(){
return[...this.#services.values()].filter(({count})=>count>0)}add({name,endpoint},reason,count){let key=`${reason} ${name}`,
service=this.#services.get(key)??{name,reason,count:0,endpoints:new Map};this.#services.set(key,service),service.count+=
count,service.endpoints.set(endpoint,(service.endpoints.get(endpoint)??0)+count)}};function groupsOf(found){let groups=new Map;
for(let one of found){let key=`${one.reason} ${one.connection.servicePort} ${one.connection.endpoint}`,group=groups.get(
key)??[];group.push(one),groups.set(key,group)}return groups.values()}function socketOf({family,original}){return{family,
localAddress:original.source,localPort:original.sourcePort,remoteAddress:original.destination,remotePort:original.destinationPort}}
function*stepSince(before,state,changes){return changes.previous===before?changes:yield*diffStatesInSlices(before,state)}
function merged(pending){let all=new Map;for(let{lost}of pending)for(let[key,endpoints]of lost){let known=all.get(key);all.
set(key,known==="unknown"||endpoints==="unknown"?"unknown":new Set([...known??[],...endpoints]))}return all}var PROTOCOLS=["UDP","SCTP"];function protocolsWithStaleFlows({previous:known,resolvedServicePorts}){let found=new Set;for(let{
previous,current}of resolvedServicePorts.values()){let some=current??previous;if(some===void 0||!isConcerned(some))continue;
(known===void 0||(previous&&current?previous.candidates!==current.candidates||previous.frontends!==current.frontends:some.
candidates.length>0))&&found.add(some.name.protocol)}return PROTOCOLS.filter(protocol=>found.has(protocol))}function isConcerned({
name}){return name.protocol==="UDP"||name.protocol==="SCTP"}function staleFlowJudge(state,changes,localAddresses){let byAddress=new Map,byNodePort=new Map,ranges=new RangeJudges,add=({
protocol,address,port},judge)=>{address===void 0?byNodePort.set(`${protocol} ${port}`,judge):byAddress.set(`${protocol} ${joinHostPort(
address,port)}`,judge)};for(let{previous,current}of changes.resolvedServicePorts.values()){if(previous&&isConcerned(previous)){
let judge=judgeRemoved(previous);for(let frontend of previous.frontends)state.frontends.has(frontend.key)||add(frontend,
judge),ranges.add(frontend,judge,"removed")}if(current&&isConcerned(current)){let judge=judgeServed(current);for(let frontend of current.
frontends)add(frontend,judge),ranges.add(frontend,judge,"served")}}return flow=>{let{destination,destinationPort}=flow.original;
return(byAddress.get(`${flow.protocol} ${joinHostPort(destination,destinationPort)}`)??ranges.of(flow)??(localAddresses.
has(destination)?byNodePort.get(`${flow.protocol} ${destinationPort}`):void 0))?.(flow,joinHostPort(flow.reply.source,flow.
reply.sourcePort))}}var RangeJudges=class{#judges=new Map;add(frontend,judge,what){let{protocol,address,lastPort}=frontend;
if(address!==void 0&&lastPort!==void 0){let space=portRangeSpace(protocol,address);this.#judges.set(space,[...this.#judges.
get(space)??[],{frontend,judge,what}])}}of({protocol,original:{destination,destinationPort}}){let found=(this.#judges.size===
0?[]:this.#judges.get(portRangeSpace(protocol,destination))??[]).filter(({frontend:frontend2})=>hasPort(frontend2,destinationPort)),
{frontend,judge}=found.find(({what})=>what==="served")??found[0]??{};return frontend&&judge?flow=>judge(flow,joinHostPort(
flow.reply.source,flow.reply.sourcePort-(destinationPort-frontend.port))):void 0}};function judgeRemoved({candidates}){let endpoints=new Set(
candidates.map(({key})=>key));return(_flow,repliesFrom)=>endpoints.has(repliesFrom)?"frontend-gone":void 0}function judgeServed(port){
let valid=new Set(endpointsKeepingFlows(port).map(({key})=>key)),isServed=port.candidates.some(({serving})=>serving);return({
original,reply:reply2},repliesFrom)=>{if(!valid.has(repliesFrom))return reply2.source===original.destination&&reply2.sourcePort===
original.destinationPort?isServed?"untranslated":void 0:"endpoint-gone"}}var MAX_TRANSLATIONS=32;function staleTranslations(state,{previous:known,resolvedServicePorts},localAddresses){if(known===
void 0)return;let found=new Map,ofNode=[...localAddresses].filter(address=>familyOf(address)===state.family),count=0,add=(reason,frontend,answeredBy)=>{
let{protocol,address,port}=frontend;if(protocol!=="UDP"&&protocol!=="SCTP"||answeredBy.length===0)return;let addresses=address===
void 0?ofNode:[address];if(count+=addresses.length*answeredBy.length,count>MAX_TRANSLATIONS)return;let key=`${protocol} ${reason}`,
group=found.get(key)??{protocol,reason,translations:[]};found.set(key,group);for(let destination of addresses)for(let endpoint of answeredBy){
let{address:source,port:sourcePort}=endpoint??{address:destination,port};group.translations.push({destination,destinationPort:port,
source,sourcePort})}};for(let{previous,current}of resolvedServicePorts.values()){if(hasRange(previous)||hasRange(current))
return;let keeping=new Set(current===void 0?[]:endpointsKeepingFlows(current).map(({key})=>key)),isServed=current?.candidates.
some(({serving})=>serving)??!1,remaining=new Set(current?.frontends.map(({key})=>key));for(let frontend of previous?.frontends??
[])state.frontends.has(frontend.key)?remaining.has(frontend.key)&&add("endpoint-gone",frontend,(previous?.candidates??[]).
filter(({key})=>!keeping.has(key))):add("frontend-gone",frontend,previous?.candidates??[]);let before=new Set(previous?.
frontends.map(({key})=>key)),wasServed=previous?.candidates.some(({serving})=>serving)??!1;for(let frontend of current?.
frontends??[]){if(!before.has(frontend.key)&&known.frontends.has(frontend.key))return;isServed&&(!wasServed||!before.has(
frontend.key))&&add("untranslated",frontend,[void 0])}if(count>MAX_TRANSLATIONS)return}return[...found.values()]}function hasRange(port){
return port?.frontends.some(({protocol,lastPort})=>lastPort!==void 0&&protocol!=="TCP")??!1}var MIN_RETRY_DELAY2=1e3,MAX_RETRY_DELAY2=3e5,ConntrackCleaner=class{conntrack;logger;localAddresses;clock;onCleaned;isTracked;#failure="";#lastChecked=new Map;#lastStarted=new Map;#retries=new Map;#failures=0;#isStopped=!1;constructor(conntrack,logger,localAddresses,clock=systemClock,onCleaned=()=>{},isTracked=!0){
this.conntrack=conntrack,this.logger=logger,this.localAddresses=localAddresses,this.clock=clock,this.onCleaned=onCleaned,
this.isTracked=isTracked}async checkHost(){try{await this.conntrack.check?.()}catch(error){this.#failure=messageOf(error),
this.logger.warn(`Stale UDP and SCTP flows will not be deleted, so clients may keep sending to removed endpoints: ${this.#failure}`)}}async stop(){
this.#isStopped=!0;for(let retry of this.#retries.values())retry.cancel();this.#retries.clear()}async synced(success){let{
family,state,changes,full}=success;this.#lastStarted.set(family,state),this.#retries.get(family)?.cancel(),this.#retries.
delete(family);let before=this.#lastChecked.get(family),since=isFull=>finishWithPauses(stepSince2(before,state,changes,isFull),
new EventLoopPace(this.clock)),step=this.isTracked?await since(full):servedAgain(await since(!1)),protocols=protocolsWithStaleFlows(
step);if(protocols.length===0){this.#lastChecked.set(family,state);return}let begin=this.clock.monotonic();try{let localAddresses=new Set(
await this.localAddresses()),deleted=new Map,isWhole=step===changes,isDone=await this.#deleteKnown(state,isWhole?step:void 0,
localAddresses,deleted),judge=staleFlowJudge(state,step,localAddresses),isStale=entry=>judge(entry)!==void 0,lists=await Promise.
all(protocols.filter(protocol=>!isDone(protocol)).map(protocol=>this.conntrack.list(family,protocol,isStale))),stale=new Map;
for(let entry of lists.flat()){let reason=judge(entry);if(reason!==void 0){let same=stale.get(reason)??[];same.push(entry),
stale.set(reason,same)}}for(let[reason,entries]of stale)deleted.set(reason,(deleted.get(reason)??0)+await this.conntrack.
delete(entries));for(let[reason,count]of deleted)this.logger.debug(2,"Deleted stale conntrack entries",{family,reason,deleted:count});
this.#failure="",this.#failures=0,this.#lastChecked.set(family,state),this.onCleaned({family,duration:this.clock.monotonic()-
begin,deleted})}catch(error){let delay=Math.min(MIN_RETRY_DELAY2*2**this.#failures,MAX_RETRY_DELAY2);this.#failures+=1,!this.#isStopped&&
this.#lastStarted.get(family)===state&&this.#retries.set(family,this.clock.setTimer(delay,()=>{this.synced(success)}));let reason=messageOf(
error);this.#failure!==reason&&(this.#failure=reason,this.isTracked?this.logger.error(`Cannot delete stale conntrack ent\
ries, so clients may keep sending to removed endpoints: ${reason}`,{family}):this.logger.debug(2,`Cannot delete conntrac\
k entries of another mode: ${reason}`,{family}))}}async#deleteKnown(state,step,localAddresses,deleted){let groups=this.isTracked&&
this.conntrack.deleteTranslated!==void 0&&step!==void 0?staleTranslations(state,step,localAddresses):void 0;for(let{protocol,
reason,translations}of groups??[]){let count=await this.conntrack.deleteTranslated?.(state.family,protocol,translations);
if(count===void 0)return()=>!1;deleted.set(reason,(deleted.get(reason)??0)+count)}return protocol=>groups!==void 0&&(protocol===
"UDP"||protocol==="SCTP")}};function*stepSince2(before,state,changes,full){if(full?before===void 0&&changes.previous===void 0:
changes.previous===before)return changes;let step=yield*diffStatesInSlices(before,state);if(!full||before===void 0)return step;
let resolvedServicePorts=new Map(step.resolvedServicePorts);for(let[key,current]of state.servicePorts)yield,resolvedServicePorts.
has(key)||resolvedServicePorts.set(key,{previous:void 0,current});return{...step,previous:void 0,resolvedServicePorts}}function servedAgain(step){
if(step.previous===void 0)return step;let isServed=port=>port?.candidates.some(({serving})=>serving)??!1,resolvedServicePorts=new Map(
[...step.resolvedServicePorts].filter(([,{previous,current}])=>!isServed(previous)&&isServed(current)));return{...step,resolvedServicePorts}}var Readiness=class{#stage="the start";#families;#objects=()=>{};#synced=new Set;#failures=new Map;waitFor(what){this.#stage=
what}serve(families,objects){this.#families=families,this.#objects=objects}synced({family}){this.#synced.add(family),this.#failures.
delete(family)}failed({family,error}){this.#failures.set(family,messageOf(error))}reason(){if(this.#families===void 0)return`\
waiting for ${this.#stage}`;let missing=this.#families.filter(family=>!this.#synced.has(family));if(missing.length===0)return;
let objects=this.#objects();if(objects!==void 0)return`waiting for ${objects}`;let failures=missing.flatMap(family=>this.#failures.
get(family)??[]),why=failures.length===0?"":`: ${[...new Set(failures)].join("; ")}`;return`waiting for first sync of ${missing.
join(" and ")}${why}`}};var HealthServer=class{options;#listener;constructor(options){this.options=options,this.#listener=new HttpListener({name:"\
health server",host:options.host,port:options.port,logger:options.logger??silentLogger,clock:options.clock??systemClock,
hardFail:options.hardFail??!1,onFailure:()=>options.onFailure?.(),methods:SAFE_METHODS,...options.isOwnAddress?{isOwnAddress:options.
isOwnAddress}:{},answer:({url="/"},response)=>this.#answer(url.replace(/\?.*$/,""),response)})}get address(){return this.#listener.
address}start(){return this.#listener.start()}stop(){return this.#listener.stop()}#answer(path,response){if(path!=="/hea\
lthz"&&path!=="/livez"&&path!=="/readyz"){reply(response,404,TEXT,`not found; use /healthz, /livez or /readyz
`);return}let{healthy,nodeEligible,lastUpdated,families}=this.options.health.status(),now=(this.options.clock??systemClock).
now(),withNode=path==="/healthz",reason=path==="/readyz"?this.options.notReady?.():void 0,ok=healthy&&(!withNode||nodeEligible)&&
reason===void 0,status=ok?200:503,times=milliseconds=>milliseconds===0?"0001-01-01T00:00:00Z":new Date(milliseconds).toISOString(),
body={lastUpdated:times(ok&&lastUpdated!==0?now:lastUpdated),currentTime:times(now),...withNode?{nodeEligible}:{},healthy:ok,
...reason===void 0?{}:{reason},...Object.keys(families).length===0?{}:{status:Object.fromEntries(Object.entries(families).
map(([family,one])=>[family,{lastUpdated:times(one.lastUpdated),healthy:one.healthy}]))}};path!=="/readyz"&&this.options.
onAnswer?.(withNode?"healthz":"livez",status),reply(response,status,JSON_TYPE,JSON.stringify(body))}};var TO_BE_DELETED_TAINT="ToBeDeletedByClusterAutoscaler",ProxyHealth=class{timeout;clock;#families=new Map;#node;constructor(timeout,clock=systemClock){
this.timeout=timeout,this.clock=clock}started(family){this.#families.set(family,{lastUpdated:0,pendingSince:void 0})}queued(family){
let health=this.#families.get(family);health&&(health.pendingSince??=this.clock.monotonic())}synced({family}){this.#families.
set(family,{lastUpdated:this.clock.now(),pendingSince:void 0})}nodeEvent(node){this.#node=readNode(node).definition??this.#node}status(){
let now=this.clock.monotonic(),families={},healthy=!0,lastUpdated=0;for(let[family,health]of this.#families){let isOnTime=health.
pendingSince===void 0||now-health.pendingSince<this.timeout;families[family]={lastUpdated:health.lastUpdated,healthy:isOnTime},
healthy&&=isOnTime,lastUpdated=Math.max(lastUpdated,health.lastUpdated)}return{healthy,nodeEligible:this.#nodeEligible,lastUpdated,
families}}get#nodeEligible(){return this.#node!==void 0&&!this.#node.deleting&&!this.#node.taintKeys.includes(TO_BE_DELETED_TAINT)}};var WaitingHealth=class{clock;create;#timer;#server;#isStopped=!1;constructor(clock,create){this.clock=clock,this.create=
create}async restart(){this.#timer?.cancel(),this.#timer=this.clock.setTimer(8e3,()=>{this.#isStopped||(this.#server=this.
create(),this.#server.start().catch(()=>{}))}),await this.#close()}async stop(){this.#isStopped=!0,this.#timer?.cancel(),
await this.#close()}async#close(){let server=this.#server;this.#server=void 0,await server?.stop()}};import{readFileSync}from"node:fs";var VERSION=readVersion();function readVersion(){let text=readFileSync(new URL("../pac\
kage.json",import.meta.url),"utf8"),manifest=JSON.parse(text);return typeof manifest.version=="string"?manifest.version:
"unknown"}var KUBE_PROXY_POLL=1e3;async function becomeOnlyInstance(identity2,options){let{logger,clock,signal,lock=new InstanceLock,
findKubeProxy:find=findKubeProxy}=options,begin=clock.monotonic(),hasWaited=!1,waitFor=whom=>{hasWaited=!0,logger.info(`\
Waiting for another proxy in this network namespace to end: ${whom}; nothing is programmed until then`),options.onWaiting(
whom)},held;try{held=await lock.acquire(identity2,{signal,onWaiting:holder=>waitFor(describeHolder(holder))})}catch(error){
signal.throwIfAborted(),logger.warn(`Cannot detect a second proxy in this network namespace: ${messageOf(error)}`)}try{let whom;
for(;;){let finding=await find();if(signal.throwIfAborted(),finding.status!=="found")break;let next=describeKubeProxy(finding);
whom===void 0&&waitFor(next),whom=next,await sleep(KUBE_PROXY_POLL,clock,signal)}}catch(error){throw await held?.release(),
error}if(hasWaited){let seconds=Math.round((clock.monotonic()-begin)/1e3);logger.info(`No other proxy runs in this netwo\
rk namespace now; starting after ${seconds} s`)}return held}function sleep(milliseconds,clock,signal){return new Promise(
(resolve2,reject)=>{let onAbort=()=>{timer.cancel(),reject(signal.reason)},timer=clock.setTimer(milliseconds,()=>{signal.
removeEventListener("abort",onAbort),resolve2()});signal.addEventListener("abort",onAbort,{once:!0})})}async function waitForOtherProxies(options,{nodeName,syncPeriod,readiness,logger,signal}){let isOwnNamespace=options.network===
void 0,{clock=systemClock,exclusive=isOwnNamespace,announce=isOwnNamespace,healthAddress,instances}=options,identity2={pid:process.
pid,version:VERSION,mode:"",nodeName};if(!exclusive)return announce?(instances?.lock??new InstanceLock).tryAcquire(identity2).
catch(()=>{}):void 0;let waiting=new WaitingHealth(clock,()=>makeHealthServer(healthAddress,syncPeriod,clock,readiness));
try{return await becomeOnlyInstance(identity2,{...instances,logger,clock,signal,onWaiting:whom=>{readiness.waitFor(`${whom}\
 to end`),healthAddress&&waiting.restart()}})}finally{await waiting.stop()}}function makeHealthServer(address,syncPeriod,clock,readiness){
let health=new ProxyHealth(2*syncPeriod,clock);return new HealthServer({...address??{host:"127.0.0.1",port:0},health,clock,
notReady:()=>readiness.reason()})}function resolveNodeAddresses(nodeAddresses,bindAddress=""){let known=nodeAddresses.flatMap(text=>parseAddress(text)?.text??
[]),bind=parseAddress(bindAddress)?.text;if(bind===void 0||bind==="0.0.0.0"||bind==="::"){let first=known[0];return{primary:first===
void 0?"IPv4":familyOf(first),addresses:known}}let primary=familyOf(bind),replaced=known.findIndex(address=>familyOf(address)===
primary),others=known.filter((address,index)=>index!==replaced&&address!==bind);return{primary,addresses:[bind,...others]}}
function withBindAddress(node,bindAddress){let listed=Array.isArray(node.status?.addresses)?node.status.addresses:[],ofType=type=>listed.
flatMap(entry=>entry?.type===type&&typeof entry.address=="string"?[entry.address]:[]),before=[...ofType("InternalIP"),...ofType(
"ExternalIP")],{addresses}=resolveNodeAddresses(before,bindAddress);return{...node,status:{...node.status,addresses:addresses.
map(address=>({type:"InternalIP",address}))}}}function familiesOfMode({requested,servedByMode}){return requested.filter(family=>servedByMode.includes(family))}function selectFamilies(choice){
let{hasIPv6,primary,bindAddress}=choice,wanted=familiesOfMode(choice),usable=[...new Set(wanted)].filter(family=>family===
"IPv4"||hasIPv6),first=usable.includes(primary)?primary:usable[0];if(first===void 0)throw new ProxierError("NO_IP_FAMILY",
`none of the requested IP families (${wanted.join(", ")}) is usable on this host`);if(first!==primary&&bindAddress!=="")
throw new ProxierError("PRIMARY_FAMILY_UNSUPPORTED",`no support for primary IP family ${primary}, the one of bindAddress\
 ${bindAddress}; use an ${first} address`);return[first,...usable.filter(family=>family!==first)]}import{connect as connect2}from"node:net";var LATE=50;function probeConnection({address,port,answer,timeout},signal){let begin=performance.now();return new Promise(
resolve2=>{let socket=connect2({host:address,port});socket.unref();let received="",isConnected=!1,finish2=outcome=>{clearTimeout(
timer),signal.removeEventListener("abort",stop),socket.destroy(),resolve2(outcome)},fail=reason=>finish2({kind:"failed",
reason}),stop=()=>fail("the agent is stopping"),timer,arm=()=>{let armed=performance.now();timer=setTimeout(()=>{performance.
now()-armed>timeout+LATE?arm():fail(timedOut(isConnected,timeout))},timeout).unref()};arm(),signal.addEventListener("abo\
rt",stop),socket.setEncoding("latin1"),socket.on("connect",()=>{isConnected=!0}),socket.on("data",data=>{received+=data,
received.length>answer.length&&fail(WRONG_ANSWER)}),socket.on("end",()=>{received===answer?finish2({kind:"ok",milliseconds:performance.
now()-begin}):fail(received===""?NO_ANSWER:WRONG_ANSWER)}),socket.on("error",error=>fail(reasonOf(error,isConnected)))})}
var WRONG_ANSWER="another program answered: its rules redirect the connection before those of kube-proxier",NO_ANSWER="t\
he connection was closed without an answer: another program accepted it, or its source is no address of this host";function timedOut(isConnected,timeout){
return isConnected?`connected, but no answer came within ${timeout} ms: packets of the connection are lost`:`no answer c\
ame within ${timeout} ms: packets are dropped, or lead elsewhere`}function reasonOf(error,isConnected){switch(error.code){case"\
ECONNREFUSED":return"the connection was refused: the address is in no rule of kube-proxier, or another rule rejects it";case"\
ENETUNREACH":return"this host has no route to the address, as Services need it: add a default route, or one to the netwo\
rk of cluster IPs";case"EHOSTUNREACH":return"the address is unreachable: a rule rejects it, or its rules are missing and\
 no router has it";case"EPERM":case"EACCES":return"a rule of this host forbids the connection";case"ECONNRESET":return isConnected?
"the connection was reset: another program accepted it, or its packets lose their translation":"the connection was reset\
: a rule rejects it";default:return messageOf(error)}}import{randomBytes}from"node:crypto";import{createServer as createServer3}from"node:net";var MAX_CONNECTIONS2=8,LIFETIME=5e3,
ProbeListener=class _ProbeListener{address;isOwnAddress;answer=randomBytes(16).toString("hex");#sockets=new Set;#server;#port=0;constructor(address,isOwnAddress){
this.address=address,this.isOwnAddress=isOwnAddress}static async open(address,isOwnAddress){let listener=new _ProbeListener(
address,isOwnAddress);return await listener.#listen(),listener}get port(){return this.#port}close(){this.#server?.close();
for(let socket of this.#sockets)socket.destroy()}async#listen(){let server=createServer3(socket=>this.#accept(socket));server.
maxConnections=MAX_CONNECTIONS2,await new Promise((resolve2,reject)=>{server.once("error",reject),server.listen({host:this.
address,port:0},resolve2)}),server.on("error",()=>{}),server.unref(),this.#server=server;let bound=server.address();this.#port=
bound!==null&&typeof bound=="object"?bound.port:0}#accept(socket){if(this.#sockets.add(socket),socket.on("error",()=>{}),
socket.on("close",()=>this.#sockets.delete(socket)),!this.isOwnAddress(socket.remoteAddress?.replace(/^::ffff:/,"")??"")){
socket.destroy();return}socket.unref(),socket.setTimeout(LIFETIME,()=>socket.destroy()),socket.end(this.answer)}};var PROBE_PORT=80,CREATED="9999-12-31T23:59:59Z";function probeServiceName(family){return family.toLowerCase()}function probeObjects({
family,nodeName,clusterIP,endpoint}){let name=probeServiceName(family),metadata={namespace:PROBE_NAMESPACE,name,creationTimestamp:CREATED};
return{service:{apiVersion:"v1",kind:"Service",metadata,spec:{type:"ClusterIP",clusterIP,clusterIPs:[clusterIP],ipFamilies:[
family],ports:[{port:PROBE_PORT,protocol:"TCP"}]}},slice:{apiVersion:"discovery.k8s.io/v1",kind:"EndpointSlice",metadata:{
...metadata,labels:{"kubernetes.io/service-name":name}},addressType:family,ports:[{port:endpoint.port,protocol:"TCP"}],endpoints:[
{addresses:[endpoint.address],nodeName,conditions:{ready:!0}}]}}}var FamilyProbe=class{#context;#others=new ServicePortTally(port=>this.#nameOfClaimant(port));#key;#claimants=[];#local=new Set;#state;#listener;#objects;#finding=unknown(
"waiting for the first sync");#failures=0;#hasAddress=!0;#lastSuccess;#milliseconds;constructor(context){this.#context=context;
let name=probeServiceName(context.family);this.#key=servicePortKey({namespace:PROBE_NAMESPACE,name,portName:"",protocol:"\
TCP"})}get hasAddress(){return this.#hasAddress}synced({state,changes}){let isAnew=changes.previous===void 0,others=this.#others.
update(state.family,changes.resolvedServicePorts,isAnew);this.#claimants=[...new Set(others.values())],this.#state=state,
this.#claimants.length>0&&this.#withdraw()}status(){let{clusterIP}=this.#context,{verdict,reason,impossible:impossible2}=this.#finding;
return{verdict,frontend:joinHostPort(clusterIP,PROBE_PORT),endpoint:this.#listener===void 0?null:joinHostPort(this.#listener.
address,this.#listener.port),reason:reason??null,impossible:impossible2,failures:this.#failures,lastSuccess:this.#lastSuccess===
void 0?null:new Date(this.#lastSuccess).toISOString(),milliseconds:this.#milliseconds??null}}async probe(){let obstacle=await this.#prepare(),
listener=this.#listener;if(obstacle!==void 0||listener===void 0)return this.#note(obstacle??unknown("the listener is not\
 open")),{verdict:"unknown"};let{clusterIP,timeout,signal,clock}=this.#context,target={address:clusterIP,port:PROBE_PORT,
answer:listener.answer,timeout},outcome=await probeConnection(target,signal);if(signal.aborted)return{verdict:"unknown"};
if(outcome.kind==="failed"){let changed=this.#waiting(listener);return changed!==void 0?(this.#note(changed),{verdict:"u\
nknown"}):(this.#failures+=1,this.#note({verdict:"failed",reason:outcome.reason,impossible:!1}),{verdict:"failed"})}return this.#failures=
0,this.#lastSuccess=clock.now(),this.#milliseconds=Math.round(outcome.milliseconds*10)/10,this.#note({verdict:"ok",reason:void 0,
impossible:!1}),{verdict:"ok",milliseconds:outcome.milliseconds}}close(){this.#listener?.close(),this.#listener=void 0}async#prepare(){
let{clusterIP,family,localAddresses}=this.#context,state=this.#state;if(state===void 0)return unknown("waiting for the f\
irst sync");if(this.#claimants.length>0)return impossible(`${clusterIP} is an address of Service ${this.#claimants.slice(
0,3).join(", ")}`);let local;try{local=await localAddresses()}catch(error){return impossible(`the addresses of this host\
 cannot be read: ${messageOf(error)}`)}this.#local=new Set(local);let foundLocal=this.#localConflict(local,state);if(foundLocal!==
void 0)return this.#withdraw(),impossible(foundLocal);let address=endpointAddress(local,state);if(address===void 0)return this.#withdraw(),
this.#hasAddress=!1,unknown(`this host has no ${family} address`);if(this.#hasAddress=!0,this.#listener?.address!==address){
this.close();try{this.#listener=await ProbeListener.open(address,source=>this.#local.has(source))}catch(error){return this.#withdraw(),
impossible(`cannot listen at ${joinHostPort(address,0)}: ${messageOf(error)}`)}this.#report(this.#listener)}else this.#objects===
void 0&&this.#report(this.#listener);return this.#listener&&this.#waiting(this.#listener)}#localConflict(local,state){let{
clusterIP}=this.#context,isOurs=this.#objects!==void 0||state.clusterIPs.has(clusterIP);return local.includes(clusterIP)&&
!isOurs?`${clusterIP} is an address of this host`:void 0}#waiting({address,port}){return this.#state?.servicePorts.get(this.#key)?.
cluster.some(endpoint=>endpoint.address===address&&endpoint.port===port)===!0?void 0:unknown("waiting for the sync that \
programs its Service")}#report({address,port}){let{family,clusterIP,nodeName,handler}=this.#context,previous=this.#objects,
next=probeObjects({family,nodeName,clusterIP,endpoint:{address,port}});this.#objects={service:previous?.service??next.service,
slice:next.slice},previous===void 0&&handler.onServiceUpdate(void 0,next.service),handler.onEndpointsUpdate(previous?.slice,
next.slice)}#withdraw(){let objects=this.#objects;objects!==void 0&&(this.#objects=void 0,this.#context.handler.onServiceUpdate(
objects.service,void 0),this.#context.handler.onEndpointsUpdate(objects.slice,void 0)),this.close()}#nameOfClaimant({key,
name,frontends,servicePort}){let{clusterIP}=this.#context,hasAddress=servicePort.clusterIP===clusterIP||frontends.some(({
address})=>address===clusterIP);return key!==this.#key&&hasAddress?`${name.namespace}/${name.name}`:void 0}#note(finding){
let before=this.#finding;if(this.#finding=finding,before.verdict===finding.verdict&&before.reason===finding.reason)return;
let{family,clusterIP,logger}=this.#context,what=`The ${family} data plane`,detail={address:joinHostPort(clusterIP,PROBE_PORT)};
finding.verdict==="failed"?logger.warn(`${what} failed a probe: ${finding.reason}`,detail):finding.impossible?logger.warn(
`${what} cannot be probed: ${finding.reason}; set --probe-addresses to an unused address`,detail):finding.verdict==="ok"&&
before.verdict!=="ok"&&logger.info(`${what} passes its probe`,detail)}};function unknown(reason){return{verdict:"unknown",
reason,impossible:!1}}function impossible(reason){return{verdict:"unknown",reason,impossible:!0}}function endpointAddress(local,{
family,node,clusterIPs}){let isUsable=text=>{let address=parseAddress(text);return address?.family===family&&specialAddress(
address)===void 0&&!clusterIPs.has(text)};return node.addresses.find(address=>local.includes(address)&&isUsable(address))??
local.find(isUsable)}var DEFAULT_PROBE_ADDRESSES=["192.0.2.1","2001:db8::1"];var TIMEOUT=3e3,RETRY2=500,DataPlaneProbe=class{options;context;description="the Service of the probe";#abort=new AbortController;#probes=new Map;#loops=[];#families=[];constructor(options,context){
this.options=options,this.context=context}serve(families){this.#families=families}async start(handler,{nodeName}){let{onResult:_onResult,
...context}=this.context,addresses=this.options.addresses??DEFAULT_PROBE_ADDRESSES;for(let family of this.#families){let clusterIP=addresses.
find(address=>familyOf(address)===family);if(clusterIP!==void 0){let signal=this.#abort.signal,probe=new FamilyProbe({...context,
nodeName,family,clusterIP,handler,signal,timeout:TIMEOUT});this.#probes.set(family,probe),this.#loops.push(this.#run(family,
probe))}}handler.onServicesSynced(),handler.onEndpointsSynced()}synced(success){this.#probes.get(success.family)?.synced(
success)}status(){return Object.fromEntries([...this.#probes].map(([family,probe])=>[family,probe.status()]))}notReady(){
if(this.options.readiness!==!0)return;let probed=[...this.#probes].filter(([,{hasAddress}])=>hasAddress);if(probed.length===
0)return"waiting for a successful probe: this host has no address of a family that is probed";for(let[family,probe]of probed){
let{verdict,reason,failures,lastSuccess}=probe.status();if(lastSuccess===null||verdict==="failed"&&failures>=2)return`wa\
iting for a successful ${family} probe${reason===null?"":`: ${reason}`}`}}async stop(){this.#abort.abort(),await Promise.
all(this.#loops);for(let probe of this.#probes.values())probe.close()}async#run(family,probe){let{clock,onResult}=this.context,
{interval=5e3}=this.options,{signal}=this.#abort;for(;!signal.aborted;){let result=await probe.probe();if(signal.aborted)
return;onResult?.(family,result),await pause(clock,result.verdict==="unknown"?Math.min(RETRY2,interval):interval,signal)}}};import{deflateRawSync,inflateRawSync}from"node:zlib";var BLOCK=16,MAX_RECENT=64,MAX_RECENT_SIZE=64*1024,COMPRESSION={level:3,
windowBits:13,memLevel:5,chunkSize:2048},PackedTextStore=class{#texts=new Map;#recent=new Set;#unpacked;#recentSize=0;#packedSize=0;get size(){
return this.#recentSize+this.#packedSize}get(key){let text=this.#texts.get(key);return typeof text=="object"?this.#unpack(
text).get(key):text}set(key,text){let previous=this.#texts.get(key);this.#texts.set(key,text),this.#recent.add(key),this.#recentSize+=
text.length,this.#replaced(previous),this.#packRecent()}delete(key){let previous=this.#texts.get(key);this.#texts.delete(
key),this.#recent.delete(key),this.#replaced(previous),this.#packRecent()}entries(){return entriesOf([...this.#texts])}#replaced(previous){
typeof previous=="string"?this.#recentSize-=previous.length:previous!==void 0&&(previous.live-=1,previous.live*2<=previous.
count&&this.#dissolve(previous))}#dissolve(block){this.#packedSize-=block.data.length;for(let[key,text]of this.#unpack(block))
this.#texts.get(key)===block&&(this.#texts.set(key,text),this.#recent.add(key),this.#recentSize+=text.length);this.#unpacked=
void 0}#packRecent(){for(;this.#recent.size>MAX_RECENT||this.#recentSize>MAX_RECENT_SIZE&&this.#recent.size>1;)this.#pack()}#pack(){
let keys=[],lines=[],size=0;for(let key of this.#recent){let text=this.#texts.get(key);if(typeof text=="string"&&(keys.push(
key),lines.push(key,text),size+=text.length,keys.length>=BLOCK||size>MAX_RECENT_SIZE/2))break}let data=deflateRawSync(lines.
join(`
`),COMPRESSION).toString("latin1"),block={data,count:keys.length,live:keys.length};for(let key of keys)this.#recent.delete(
key),this.#texts.set(key,block);this.#recentSize-=size,this.#packedSize+=data.length}#unpack(block){return this.#unpacked?.
block!==block&&(this.#unpacked={block,texts:unpack(block)}),this.#unpacked.texts}};function unpack({data}){let lines=inflateRawSync(
Buffer.from(data,"latin1")).toString().split(`
`),texts=new Map;for(let line=0;line<lines.length;line+=2)texts.set(lines[line]??"",lines[line+1]??"");return texts}function*entriesOf(all){
let blocks=new Map;for(let[key,text]of all){if(typeof text=="string"){yield[key,text];continue}let keys=blocks.get(text);
keys===void 0?blocks.set(text,[key]):keys.push(key)}for(let[block,keys]of blocks){let texts=unpack(block);for(let key of keys)
yield[key,texts.get(key)??""]}}import{mkdir,open,readdir,rm,stat}from"node:fs/promises";import{join}from"node:path";import{gzip}from"node:zlib";var compress=promisify(gzip),FLUSH_INTERVAL=500,FILES=4,MAX_WAITING=16*1024*1024,LOG_INTERVAL2=6e4,NAME=/^recording-[0-9TZ.-]+\.jsonl\.gz$/,
RecordingDirectory=class{#options;#sections=[];#waiting=0;#file;#path="";#written=0;#begunAt=Number.NEGATIVE_INFINITY;#needsFile=!0;#timer;#writing=Promise.
resolve();#stopped=!1;#nextLog=Number.NEGATIVE_INFINITY;constructor(options){this.#options=options}add(line,isObject,isSettled){
if(this.#stopped||(this.#waiting>MAX_WAITING&&(this.#sections=[],this.#waiting=0,this.#needsFile=!0),this.#needsFile&&(this.
beginFile(),isObject)))return;this.#push(line);let{maxAge,maxBytes,clock}=this.#options,isFull=this.#written>maxBytes/FILES||
clock.monotonic()-this.#begunAt>maxAge/FILES;this.#needsFile=isSettled&&isFull}beginFile(){this.#needsFile=!1,this.#begunAt=
this.#options.clock.monotonic(),this.#written=0,this.#sections.push({startsFile:!0,lines:[]});for(let line of this.#options.
checkpoint())this.#push(line)}flush(){return this.#flush(),this.#writing}async stop(){this.#stopped=!0,await this.flush(),
await this.#file?.close(),this.#file=void 0}#push(line){this.#sections.length===0&&this.#sections.push({startsFile:!1,lines:[]}),
this.#sections.at(-1)?.lines.push(line),this.#waiting+=line.length+1,this.#timer??=this.#options.clock.setTimer(FLUSH_INTERVAL,
()=>this.#flush())}#flush(){this.#timer?.cancel(),this.#timer=void 0;let sections=this.#sections;this.#sections=[],this.#waiting=
0,this.#writing=this.#writing.then(()=>this.#write(sections)).catch(error=>this.#failed(error))}async#write(sections){for(let{
startsFile,lines}of sections)if(startsFile&&await this.#open(),this.#file!==void 0&&lines.length>0){let data=await compress(
`${lines.join(`
`)}
`);await this.#file.appendFile(data),await this.#file.datasync(),this.#written+=data.length}}async#open(){let{directory,
clock}=this.#options;await this.#file?.close(),this.#file=void 0,await mkdir(directory,{recursive:!0,mode:448});let time2=new Date(
clock.now()).toISOString().replaceAll(":","-");this.#path=join(directory,`recording-${time2}.jsonl.gz`),this.#file=await open(
this.#path,"a",384);let folder=await open(directory);await folder.sync().finally(()=>folder.close()),await this.#removeOld()}async#removeOld(){
let{directory,maxAge,maxBytes,clock}=this.#options,names=(await readdir(directory)).filter(name=>NAME.test(name)).sort(),
bytes=0;for(let name of names.reverse()){let path=join(directory,name),{size,mtimeMs}=await stat(path);bytes+=size,(bytes>
maxBytes-maxBytes/FILES||clock.now()-mtimeMs>maxAge)&&path!==this.#path&&await rm(path,{force:!0})}}#failed(error){let{clock,
logger,directory,onFailure}=this.#options;this.#needsFile=!0;let file=this.#file;this.#file=void 0,file?.close().catch(()=>{}),
onFailure?.(error),clock.monotonic()>=this.#nextLog&&(this.#nextLog=clock.monotonic()+LOG_INTERVAL2,logger.warn(`The rec\
ording cannot be written to ${directory}, and is kept in memory only: ${messageOf(error)}; check the free space and the \
permissions of --recording-directory`))}};import{gunzipSync,gzip as gzip2}from"node:zlib";var compress2=promisify(gzip2),PART_SIZE=128*1024,LARGEST_PART=2*PART_SIZE,
BATCH=500,TYPICAL_RATIO=8,RecordingWindow=class{journal;limits;#parts=[];#context;#lines=[];#size=0;constructor(journal,limits,context){
this.journal=journal,this.limits=limits,this.#context=context}get bytes(){return this.#parts.reduce((sum,part)=>sum+sizeOf(
part),0)+this.#size+this.journal.originSize}add(line,at,isSettled,context){if(this.#lines.push(line),this.#size+=line.length+
1,this.#size<PART_SIZE||!isSettled&&this.#size<LARGEST_PART)return;let part={context:this.#context,endAt:at,lines:textOf(
this.#lines),data:void 0};this.#parts.push(part),this.#lines=[],this.#size=0,this.#context=context(),compress2(part.lines??
"").then(data=>{part.data=exactCopy(data),part.lines=void 0}),this.expire(at)}expire(at){let{maxAge,maxBytes}=this.limits,
bytes=this.bytes;for(let oldest=this.#parts[0];oldest!==void 0;oldest=this.#parts[0]){if(oldest.endAt>=at-maxAge&&bytes<=
maxBytes)return;this.#parts.shift(),this.#forget(oldest),bytes=this.bytes}}async*dump(){let{begin,...context}=this.#parts[0]?.
context??this.#context,parts=[...this.#parts],rest=textOf(this.#lines),objects=this.journal.origin();yield*compressed(checkpointLines(
{begin,...context},objects));for(let part of parts)yield part.data??await compress2(part.lines??"");rest!==""&&(yield await compress2(
rest))}#forget({lines,data}){for(let line of(lines??gunzipSync(data??Buffer.alloc(0)).toString()).split(`
`))if(line.includes('"entry":"object"')){let entry=JSON.parse(line);entry.entry==="object"&&this.journal.forget(entry)}}};
function*checkpointLines({begin,mode,families,lastSyncs,ready},objects){let{at}=begin;yield*[begin,...mode?[mode]:[],...families.
values()].map(entry=>JSON.stringify(entry));for(let{kind,name,text}of objects)yield`{"at":${at},"entry":"object","kind":${JSON.
stringify(kind)},"name":${JSON.stringify(name)},"is":${text}}`;let syncs=[...lastSyncs.values()].sort((left,right)=>left.
at-right.at).flatMap(sync=>[{at:sync.at,entry:"resolved",family:sync.family},sync]);yield*[{at,entry:"checkpoint"},...syncs,
...ready?[ready]:[]].map(entry=>JSON.stringify(entry))}async function*compressed(lines){let batch=[];for(let line of lines)
batch.push(line),batch.length>=BATCH&&(yield await compress2(textOf(batch)),batch=[]);yield await compress2(textOf(batch))}
function textOf(lines){return lines.length===0?"":`${lines.join(`
`)}
`}function exactCopy(data){let copy=Buffer.allocUnsafeSlow(data.length);return data.copy(copy),copy}function sizeOf({data,
lines}){return data?.length??(lines?.length??0)/TYPICAL_RATIO}var CLOCK_TOLERANCE=20,MAX_ERROR=500,FlightRecorder=class{sourceHandler;#context;#journal;#window;#directory;#zero;#epoch;#options=new Map;#families=new Map;#lastSyncs=new Map;#pending=new Set;#running=new Set;#unsynced=new Set(
["Services","EndpointSlices"]);#mode;#ready;constructor({maxAge=36e5,maxBytes=67108864,directory},context){this.#context=
context;let{clock,logger,reader,onFailure}=context;this.#zero=clock.monotonic(),this.#epoch=clock.now(),this.#journal=new ObjectJournal(
reader,new PackedTextStore),this.#window=new RecordingWindow(this.#journal,{maxAge,maxBytes},this.#now()),this.#directory=
directory===void 0?void 0:new RecordingDirectory({directory,maxAge,maxBytes,clock,logger,checkpoint:()=>[...checkpointLines(
this.#now(),this.#journal.current())],...onFailure?{onFailure}:{}}),this.sourceHandler={onServiceUpdate:(previous,current)=>this.#changed(
this.#journal.updateService(previous,current)),onEndpointsUpdate:(previous,current)=>this.#changed(this.#journal.updateEndpointSlice(
previous,current)),onNodeUpdate:node=>this.#changed(this.#journal.updateNode(node,context.nodeName)),onServiceCIDRsUpdate:cidrs=>this.#changed(
this.#journal.updateServiceCIDRs(cidrs)),onServicesSynced:()=>this.#listed("Services"),onEndpointsSynced:()=>this.#listed(
"EndpointSlices")}}get bytes(){return this.#window.bytes}familyServed(family,options){this.#options.set(family,recordedOptions(
options))}addressesRead(family,addresses){this.#changed(this.#journal.updateAddresses(family,addresses))}modeSelected({mode}){
this.#mode={at:this.#at(),entry:"mode",mode},this.#write({entry:"mode",mode}),this.checkReadiness()}queued(family){this.#pending.
add(family)}resolving(family,latest){if(!this.#families.has(family)){let options=this.#options.get(family);if(options===
void 0)return;let includesLocalAddresses=latest.node.localAddresses!==void 0,entry={entry:"family",family,options,includesLocalAddresses};
this.#families.set(family,{at:this.#at(),...entry}),this.#write(entry)}this.#pending.delete(family),this.#running.add(family),
this.#write({entry:"resolved",family})}synced({family,full,duration,changes,state}){let entry={entry:"sync",family,full,
duration:rounded(duration),changes:changes.servicePorts.size,revision:state.revision};this.#running.delete(family),this.#lastSyncs.
set(family,{at:this.#at(),...entry}),this.#write(entry)}failed({family,full,duration,failures,error}){this.#pending.add(
family),this.#running.delete(family),this.#write({entry:"failed",family,full,duration:rounded(duration),failures,error:textOf2(
error)})}repaired({family,what}){this.#write({entry:"drift",family,what:printable(what,MAX_ERROR)})}serviceHealthFailed({
namespace,name},error){this.#write({entry:"failure",part:`health check node port of ${namespace}/${name}`,error:textOf2(
error)})}takenOver({error}){error!==void 0&&this.#write({entry:"failure",part:"takeover",error:textOf2(error)})}checkReadiness(){
let reason=this.#context.notReady(),text=reason===void 0?{}:{reason:printable(reason,MAX_ERROR)},entry={entry:"ready",ready:reason===
void 0,...text};this.#ready?.ready===entry.ready&&this.#ready.reason===text.reason||(this.#ready={at:this.#at(),...entry},
this.#write(entry))}dump(){return this.#window.expire(this.#at()),this.#window.dump()}async flush(){await this.#directory?.
flush()}async stop(){await this.#directory?.stop()}#listed(kind){this.#unsynced.delete(kind),this.#unsynced.size===0&&(this.#journal.
begin(),this.#directory?.beginFile()),this.checkReadiness()}#changed(changes){for(let change of changes)this.#write({entry:"\
object",...change})}#write(entry){let at=this.#at(),now=this.#context.clock.now();Math.abs(now-this.#epoch-at)>CLOCK_TOLERANCE&&
(this.#epoch=now-at,this.#add({at,entry:"clock",time:isoTime(now)},at)),this.#add({at,...entry},at)}#add(entry,at){let line=JSON.
stringify(entry),isSettled=this.#isSettled;this.#window.add(line,at,isSettled,()=>this.#now()),this.#directory?.add(line,
entry.entry==="object",isSettled)}#now(){let{nodeName,allowLoopbackEndpoints}=this.#context,at=this.#at();return{begin:{
at,entry:"begin",format:RECORDING_FORMAT,version:RECORDING_VERSION,time:isoTime(this.#epoch+at),nodeName,program:`kube-p\
roxier ${VERSION}`,allowLoopbackEndpoints,...this.#isSettled?{}:{unsettled:!0}},mode:this.#mode,ready:this.#ready,families:new Map(
this.#families),lastSyncs:new Map(this.#lastSyncs)}}get#isSettled(){return this.#pending.size===0&&this.#running.size===
0}#at(){return rounded(this.#context.clock.monotonic()-this.#zero)}};function recordedOptions({nodeName,nodeAddresses,localTrafficDetection,
masqueradeAll,nodePortAddresses,localhostNodePorts,nodeTopologyHints,overlappingExternalAddresses}){return{nodeName,nodeAddresses,
localTrafficDetection,masqueradeAll,nodePortAddresses,localhostNodePorts,nodeTopologyHints,overlappingExternalAddresses}}
function textOf2(error){return printable(messageOf(error),MAX_ERROR)}function rounded(milliseconds){return Math.round(milliseconds*
10)/10}function isoTime(milliseconds){return new Date(milliseconds).toISOString()}function combineHandlers(first,others,logger,onFailure=()=>{}){if(others.length===0)return first;let each=(what,call)=>{
try{call(first)}finally{for(let other of others)try{call(other)}catch(error){logger.error(`A handler failed in "${what}"\
: ${messageOf(error)}`,{error}),onFailure()}}};return{onServiceUpdate:(...event)=>each("onServiceUpdate",handler=>handler.
onServiceUpdate?.(...event)),onEndpointsUpdate:(...event)=>each("onEndpointsUpdate",handler=>handler.onEndpointsUpdate?.(
...event)),onServicesSynced:()=>each("onServicesSynced",handler=>handler.onServicesSynced?.()),onEndpointsSynced:()=>each(
"onEndpointsSynced",handler=>handler.onEndpointsSynced?.()),onNodeUpdate:node=>each("onNodeUpdate",handler=>handler.onNodeUpdate?.(
node)),onServiceCIDRsUpdate:cidrs=>each("onServiceCIDRsUpdate",handler=>handler.onServiceCIDRsUpdate?.(cidrs))}}var ObjectClaims=class{#claims=new Map;update(source,previous,current){let object=current??previous,key=`${object?.metadata?.
namespace??""}/${object?.metadata?.name??""}`,versions=this.#claims.get(key)??[],before=versions.find(version=>version!==
void 0),isNew=versions[source]===void 0;versions[source]=current;let after=versions.find(version=>version!==void 0);return after===
void 0?this.#claims.delete(key):this.#claims.set(key,versions),{previous:before,current:after,contested:isNew&&current!==
void 0&&before!==void 0}}};var SourceHub=class{logger;#unsyncedServices=new Set;#unsyncedEndpoints=new Set;#sources=new Map;#cidrs=new Map;#services=new ObjectClaims;#slices=new ObjectClaims;#reporter;#handlers=0;constructor(proxier,bindAddress,logger,observer={}){
this.logger=logger,this.#reporter=new SourceReporter(observedProxier(proxier,bindAddress,observer),error=>logger.error(`\
The proxier failed to handle an event: ${messageOf(error)}`,{error}))}handler(source={description:"a source"}){let place=this.#handlers++,
handler={onServiceUpdate:(previous,current)=>this.#claim(this.#services,place,previous,current,(...change)=>this.#reporter.
onServiceUpdate(...change)),onEndpointsUpdate:(previous,current)=>this.#claim(this.#slices,place,previous,current,(...change)=>this.#reporter.
onEndpointsUpdate(...change)),onNodeUpdate:node=>this.#reporter.onNodeUpdate(node),onServicesSynced:()=>this.#servicesSynced(
handler),onEndpointsSynced:()=>this.#endpointsSynced(handler),onServiceCIDRsUpdate:cidrs=>{this.#cidrs.set(handler,cidrs),
this.#reporter.onServiceCIDRsUpdate([...this.#cidrs.values()].flat())}};return this.#sources.set(handler,source),this.#unsyncedServices.
add(handler),this.#unsyncedEndpoints.add(handler),handler}hold(){let host={};return this.#unsyncedServices.add(host),this.#unsyncedEndpoints.
add(host),()=>{this.#servicesSynced(host),this.#endpointsSynced(host)}}#servicesSynced(origin){this.#unsyncedServices.delete(
origin)&&this.#unsyncedServices.size===0&&this.#reporter.onServicesSynced()}#endpointsSynced(origin){this.#unsyncedEndpoints.
delete(origin)&&this.#unsyncedEndpoints.size===0&&this.#reporter.onEndpointsSynced()}missing(){let texts=[...this.#sources].
flatMap(([handler,source])=>{let kinds=[...this.#unsyncedServices.has(handler)?["Services"]:[],...this.#unsyncedEndpoints.
has(handler)?["EndpointSlices"]:[]],reasons=new Set(kinds.flatMap(kind=>source.obstacle?.(kind)??[])),why=reasons.size===
0?"":`: ${[...reasons].join("; ")}`;return kinds.length===0?[]:[`${kinds.join(" and ")} from ${source.description}${why}`]});
return texts.length===0?this.#unsyncedServices.size+this.#unsyncedEndpoints.size>0?"the set-up of this host":void 0:texts.
join("; ")}close(){this.#reporter.close()}#claim(claims,place,previous,current,notify){if(this.#handlers<2){notify(previous,
current);return}let change=claims.update(place,previous,current);if(change.contested){let{kind="Object",metadata}=current??
{},name=printable(`${kind} ${metadata?.namespace}/${metadata?.name}`);this.logger.warn(`${name} comes from two sources; \
the first configured source wins`)}change.previous!==change.current&&notify(change.previous,change.current)}};function observedProxier(proxier,bindAddress,observer){
return{onServiceUpdate(previous,current){proxier.onServiceUpdate(previous,current),observer.serviceEvent?.()},onEndpointsUpdate(previous,current){
proxier.onEndpointsUpdate(previous,current),observer.endpointsEvent?.()},onNodeUpdate(node){proxier.onNodeUpdate(bindAddress===
""?node:withBindAddress(node,bindAddress)),observer.nodeEvent?.(node)},onServicesSynced:()=>proxier.onServicesSynced(),onEndpointsSynced:()=>proxier.
onEndpointsSynced(),onServiceCIDRsUpdate:cidrs=>proxier.onServiceCIDRsUpdate(cidrs)}}import{hostname as hostname2}from"node:os";var OwnAddresses=class{localAddresses;clock;#addresses=new Set;#due=Number.NEGATIVE_INFINITY;#isReading=!1;constructor(localAddresses,clock){
this.localAddresses=localAddresses,this.clock=clock}has(address){return!this.#isReading&&this.clock.monotonic()>=this.#due&&
this.refresh(),this.#addresses.has(address)}async refresh(){this.#isReading=!0;try{this.#addresses=new Set(await this.localAddresses())}catch{}finally{
this.#isReading=!1,this.#due=this.clock.monotonic()+1e4}}};var MAX_CONNECTIONS3=4096,MAX_OWN_CONNECTIONS=512,ServiceHealthServers=class{options;#wanted={IPv4:new Map,IPv6:new Map};#listening=new Map;#sharedRoom={
own:new ConnectionRoom(MAX_OWN_CONNECTIONS),foreign:new ConnectionRoom(MAX_CONNECTIONS3)};#stopped=!1;constructor(options){
this.options=options}async synced({family,state,changes}){if(changes.previous!==void 0&&changes.healthCheckNodePorts.size===
0&&!changes.nodeChanged)return;let keys=changes.previous===void 0||changes.nodeChanged?new Set([...state.healthCheckNodePorts.
keys(),...this.#wanted[family].keys()]):changes.healthCheckNodePorts,{nodePortAddresses}=state.node,loopback=nodePortAddresses.
loopback?[LOOPBACK[family]]:[],hosts=nodePortAddresses.kind==="listed"?[...nodePortAddresses.addresses,...loopback]:[ANY[family]],
pace=new EventLoopPace(this.options.clock),updates=[];for(let key of keys)updates.push(this.#update(family,key,state.healthCheckNodePorts.
get(key),hosts)),pace.isPauseDue()&&(await Promise.all([...updates,pace.pause()]),updates=[]);await Promise.all(updates)}async stop(){
this.#stopped=!0,await Promise.all([...this.#listening.keys()].map(id=>this.#close(id)))}async#update(family,key,next,hosts){
let id=`${family} ${key}`;next?this.#wanted[family].set(key,next):this.#wanted[family].delete(key);let current=this.#listening.
get(id),same=next!==void 0&&current?.port===next.port&&current.listeners.length===hosts.length;if(current&&!same&&await this.#close(
id),!next||same||this.#stopped)return;let{logger=silentLogger,clock=systemClock,onFailure,isOwnAddress}=this.options,listeners=hosts.
map(host=>new HttpListener({name:`health check of Service ${key}`,host,port:next.port,ipv6Only:family==="IPv6",logger,clock,
methods:SAFE_METHODS,sharedRoom:this.#sharedRoom,...isOwnAddress?{isOwnAddress}:{},answer:(_request,response)=>{let{status,
headers,body}=this.#answer(next,this.#wanted[family].get(key)?.localEndpoints??0);reply(response,status,JSON_TYPE,body,headers)},
onFailure:error=>onFailure?.(next,error)}));this.#listening.set(id,{port:next.port,listeners}),await Promise.all(listeners.
map(listener=>listener.start()))}async#close(id){let current=this.#listening.get(id);this.#listening.delete(id),await Promise.
all(current?.listeners.map(listener=>listener.stop())??[])}#answer({namespace,name},localEndpoints){let{healthy}=this.options.
health.status(),body={service:{namespace,name},localEndpoints,serviceProxyHealthy:healthy};return{status:localEndpoints>
0&&healthy?200:503,headers:{"X-Load-Balancing-Endpoint-Weight":String(localEndpoints)},body:JSON.stringify(body,void 0,"\
	")}}},ANY={IPv4:"0.0.0.0",IPv6:"::"},LOOPBACK={IPv4:"127.0.0.1",IPv6:"::1"};import{createPrivateKey,X509Certificate}from"node:crypto";import{readFile}from"node:fs/promises";import{hostname}from"node:os";import{createHash}from"node:crypto";var KEPT={allowed:6e4,forbidden:1e4,unauthenticated:1e4},MAX_ALLOWED=256,MAX_REFUSED=1024,MAX_RUNNING=32,REVIEW_TIMEOUT=8e3,
BURST=10,REFILL=1e3,MAX_CLIENTS=4096,CachedAccess=class{reviewer;clock;#allowed=new Map;#refused=new Map;#running=new Map;#clients=new Map;#stop=new AbortController;constructor(reviewer,clock){
this.reviewer=reviewer,this.clock=clock}get size(){return this.#allowed.size+this.#refused.size}async decide(token,client){
let key=createHash("sha256").update(token).digest("base64"),kept=this.#allowed.get(key)??this.#refused.get(key);if(kept&&
kept.until>this.clock.monotonic())return kept.decision;this.#allowed.delete(key),this.#refused.delete(key);let running=this.#running.
get(key);if(running)return await running;if(this.#running.size>=MAX_RUNNING||!this.#mayReview(client))return"busy";let review=this.#review(
token).finally(()=>this.#running.delete(key));this.#running.set(key,review);let decision=await review;return this.#keep(
key,decision),decision}stop(){this.#stop.abort(),this.reviewer.close?.()}#mayReview(client){let now=this.clock.monotonic(),
full=Math.max(this.#clients.get(client)??now,now)+REFILL;return full-now>BURST*REFILL?!1:(this.#clients.delete(client),this.#clients.
set(client,full),limit(this.#clients,MAX_CLIENTS),!0)}#keep(key,decision){let[decisions,size]=decision==="allowed"?[this.#allowed,
MAX_ALLOWED]:[this.#refused,MAX_REFUSED];decisions.delete(key),decisions.set(key,{decision,until:this.clock.monotonic()+
KEPT[decision]}),limit(decisions,size)}#review(token){let abort=new AbortController,stop=this.#stop.signal;return new Promise(
(resolve2,reject)=>{let end=error=>{reject(error),abort.abort()},stopped=()=>end(new ProxierError("REVIEW_STOPPED","the \
server is stopping")),timer=this.clock.setTimer(REVIEW_TIMEOUT,()=>end(new ProxierError("REVIEW_TIMEOUT",`there was no d\
ecision within ${REVIEW_TIMEOUT} ms`)));stop.addEventListener("abort",stopped),stop.aborted&&stopped(),Promise.resolve().
then(()=>this.reviewer.review(token,abort.signal)).then(resolve2,reject).finally(()=>{timer.cancel(),stop.removeEventListener(
"abort",stopped)})})}};function limit(map,size){for(let key of map.keys()){if(map.size<=size)return;map.delete(key)}}import{generateKeyPairSync,randomBytes as randomBytes2,sign}from"node:crypto";var DAY=864e5,VALIDITY=3650;function selfSignedCertificate(name,now=Date.
now()){let{publicKey,privateKey}=generateKeyPairSync("ec",{namedCurve:"P-256"}),issuer=distinguishedName(name),serial=Buffer.
concat([Buffer.from([1]),randomBytes2(15)]),body=sequence(value(160,value(2,Buffer.from([2]))),value(2,serial),ECDSA_WITH_SHA256,
issuer,sequence(time(now-DAY),time(now+VALIDITY*DAY)),issuer,publicKey.export({type:"spki",format:"der"}),value(163,sequence(
extension(EXTENDED_KEY_USAGE,sequence(SERVER_AUTHENTICATION)),extension(SUBJECT_ALTERNATIVE_NAME,sequence(value(130,Buffer.
from(name))))))),signature=Buffer.concat([Buffer.from([0]),sign("sha256",body,privateKey)]);return{certificate:`-----BEG\
IN CERTIFICATE-----
${sequence(body,ECDSA_WITH_SHA256,value(3,signature)).toString("base64").replace(/.{64}/g,`$&
`).trimEnd()}
-----END CERTIFICATE-----
`,key:privateKey.export({type:"pkcs8",format:"pem"}).toString()}}function value(tag,content){let{length}=content,size=length<
128?[length]:length<256?[129,length]:[130,length>>8,length&255];return Buffer.concat([Buffer.from([tag,...size]),content])}
function sequence(...items){return value(48,Buffer.concat(items))}function extension(id,content){return sequence(id,value(
4,content))}function distinguishedName(commonName){return sequence(value(49,sequence(COMMON_NAME,value(12,Buffer.from(commonName)))))}
function time(milliseconds){let text=`${new Date(milliseconds).toISOString().replace(/[-:T]/g,"").slice(0,14)}Z`;return text<
"2050"?value(23,Buffer.from(text.slice(2))):value(24,Buffer.from(text))}var ECDSA_WITH_SHA256=sequence(value(6,Buffer.from(
"2a8648ce3d040302","hex"))),COMMON_NAME=value(6,Buffer.from("550403","hex")),EXTENDED_KEY_USAGE=value(6,Buffer.from("551\
d25","hex")),SERVER_AUTHENTICATION=value(6,Buffer.from("2b06010505070301","hex")),SUBJECT_ALTERNATIVE_NAME=value(6,Buffer.
from("551d11","hex"));var PATH="/metrics",METHODS=["GET","HEAD"],BEARER=/^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i,CERTIFICATE_PERIOD=6e4,CERTIFICATE_RETRY=5e3,
ScrapeServer=class{#options;#clock;#logger;#access;#reportUndecided;#listener;#certificate;#timer;#stopped=!1;constructor(options){
let{access,clock=systemClock,logger=silentLogger}=options;this.#options=options,this.#clock=clock,this.#logger=logger,this.#access=
access==="everybody"?void 0:new CachedAccess(access,clock),this.#reportUndecided=atIntervals(clock,(message,count)=>logger.
warn(`Requests for metrics were refused (${count}), as nobody could decide about them: ${message}`))}get address(){return this.#listener?.
address}async start(){let{tls="self-signed",hostName=hostname(),hardFail=!1}=this.#options;if(typeof tls!="object")return await this.#listen(
tls==="none"?void 0:selfSignedCertificate(hostName,this.#clock.now()));try{this.#certificate=await readCertificate(tls)}catch(error){
if(hardFail)throw error;this.#options.onFailure?.(),this.#logger.error(`Metrics are not served, and this is retried: ${messageOf(
error)}`),this.#later(CERTIFICATE_RETRY,()=>this.start());return}await this.#listen(this.#certificate),this.#later(CERTIFICATE_PERIOD,
()=>this.#renew(tls))}async stop(){this.#stopped=!0,this.#timer?.cancel(),this.#access?.stop(),await this.#listener?.stop()}async#listen(certificate){
let{host,port,hardFail=!1,isOwnAddress,onFailure}=this.#options;this.#stopped||(this.#listener=new HttpListener({name:"m\
etrics server",host,port,logger:this.#logger,clock:this.#clock,hardFail,methods:METHODS,onFailure:()=>onFailure?.(),...certificate?
{certificate}:{},...isOwnAddress?{isOwnAddress}:{},answer:(request,response)=>this.#answer(request,response)}),await this.#listener.
start())}#later(milliseconds,action){this.#stopped||(this.#timer=this.#clock.setTimer(milliseconds,()=>{action()}))}async#renew(files){
try{let certificate=await readCertificate(files),{certificate:previous,key}=this.#certificate??{};!this.#stopped&&(certificate.
certificate!==previous||certificate.key!==key)&&(this.#listener?.renewCertificate(certificate),this.#certificate=certificate,
this.#logger.info("The metrics server uses the new certificate",{file:files.certificate}))}catch(error){this.#options.onFailure?.(),
this.#logger.error(`The metrics server continues with its previous certificate: ${messageOf(error)}`)}this.#later(CERTIFICATE_PERIOD,
()=>this.#renew(files))}async#answer(request,response){if(request.url?.replace(/\?.*$/s,"")!==PATH)return reply(response,
404,TEXT,`not found; use ${PATH}
`);if(this.#access&&!await this.#admits(this.#access,request,response))return;let{metrics}=this.#options;reply(response,
200,metrics.contentType,await metrics.metrics())}async#admits(access,request,response){let authorizations=request.headersDistinct.
authorization??[],token=authorizations.length===1?BEARER.exec(authorizations[0]??"")?.[1]:void 0;if(token===void 0)return reply(
response,401,TEXT,`send a bearer token
`,CHALLENGE),!1;let decision;try{decision=await access.decide(token,sourceOf(request.socket.remoteAddress??""))}catch(error){
return this.#options.onFailure?.(),this.#reportUndecided(messageOf(error)),reply(response,503,TEXT,`the token cannot be \
reviewed now; see the log
`),!1}switch(decision){case"allowed":return!0;case"forbidden":return reply(response,403,TEXT,`the user of the token may \
not get the URL ${PATH}
`),!1;case"busy":return reply(response,429,TEXT,`too many tokens to review
`,{"Retry-After":"1"}),!1;default:return reply(response,401,TEXT,`the token is not valid
`,CHALLENGE),!1}}},CHALLENGE={"WWW-Authenticate":"Bearer"};async function readCertificate(files){try{let[certificate,key]=await Promise.
all([readFile(files.certificate,"utf8"),readFile(files.key,"utf8")]);if(!new X509Certificate(certificate).checkPrivateKey(
createPrivateKey(key)))throw new Error("the key is not that of the certificate");return{certificate,key}}catch(error){throw new ProxierError(
"CERTIFICATE_UNREADABLE",`the certificate ${files.certificate} cannot be used with the key ${files.key}: ${messageOf(error)}`,
{cause:error})}}function countObjects(state){return finish(countObjectsInSlices(state))}function*countObjectsInSlices({servicePorts}){let services=new Set,
endpoints=new Set;for(let{name,cluster,local}of servicePorts.values()){yield,services.add(serviceKey(name));for(let list of cluster===
local?[cluster]:[cluster,local])for(let{key}of list)endpoints.add(key)}return{services,endpoints:endpoints.size}}function totalOf(counts){
return{services:new Set(counts.flatMap(({services})=>[...services])).size,endpoints:counts.reduce((sum,{endpoints})=>sum+
endpoints,0)}}var MAX_FAILING_ENDPOINTS=20;function findProblems({notReady,families,sources,verification,probe,maxPending}){let problems=[];
notReady!==void 0&&problems.push({severity:"not-serving",found:`this node is not programmed: ${notReady}`,advice:"see th\
e log of the agent; run kube-proxier doctor to check this host"});for(let[family,{failures,lastError,pendingSeconds}]of Object.
entries(families))failures>0?problems.push({severity:"degraded",found:`${failures} ${family} ${failures===1?"sync":"sync\
s"} failed in a row: ${lastError??"unknown error"}`,advice:"the rules of the last successful sync stay in force, and syn\
cs are retried; fix the error"}):pendingSeconds!==null&&pendingSeconds*1e3>maxPending&&problems.push({severity:"degraded",
found:`a change of ${family} has been waiting for ${Math.round(pendingSeconds)} s`,advice:"see the log of the agent for \
a command that does not end"});if(verification?.verdict==="different"){let{differences,firstFinding}=verification;problems.
push({severity:"degraded",found:`the kernel does not do what the state says (${differences} ${differences===1?"differenc\
e":"differences"}): ${firstFinding}`,advice:"run kube-proxier verify to list all differences and the rules that decide"})}
problems.push(...problemsOfProbe(probe??{}));for(let{description,obstacles}of sources)for(let obstacle of obstacles)problems.
push({severity:"degraded",found:`${description}: ${obstacle}`,advice:"the objects that were read last stay in force; fix\
 the cause"});return problems}function problemsOfProbe(probe){return Object.entries(probe).flatMap(([family,{verdict,frontend,
reason,failures,impossible:impossible2}])=>verdict==="failed"&&failures>=2?[{severity:"degraded",found:`${failures} ${family}\
 probes of ${frontend} failed in a row: ${reason??"unknown error"}`,advice:"connections of this node to Services may fai\
l; look for rules of other programs before those of kube-proxier"}]:verdict==="unknown"&&impossible2?[{severity:"degrade\
d",found:`the ${family} data plane cannot be probed at ${frontend}: ${reason??"unknown error"}`,advice:"set --probe-addr\
esses to an address that nothing else has, or without this IP family"}]:[])}function verdictOf(problems){return problems.
some(({severity})=>severity==="not-serving")?"not-serving":problems.length>0?"degraded":"ok"}var KINDS=["Services","EndpointSlices"],NodeStatusReport=class{options;#families=new Map;#counts=new StateMemo(countObjects);#startTime;#selection={};#lastObjectChange;#driftRepairs=0;#lastDrift;constructor(options){
this.options=options,this.#startTime=options.clock.now()}modeSelected({mode,requested,reason,defaulted}){this.#selection=
{mode,requested,defaulted,...reason===void 0?{}:{reason}}}started(family){this.#record(family)}queued(family){this.#record(
family).pendingSince??=this.options.clock.monotonic()}synced({family,state,full,duration}){let now=this.options.clock.now();
this.#families.set(family,{state,lastSync:now,lastFullSync:full?now:this.#record(family).lastFullSync,duration,failures:0,
lastError:void 0,pendingSince:void 0})}failed({family,error,failures}){Object.assign(this.#record(family),{failures,lastError:messageOf(
error)})}repaired({what}){this.#driftRepairs+=1,this.#lastDrift={at:this.options.clock.now(),what}}serviceEvent(){this.#lastObjectChange=
this.options.clock.now()}endpointsEvent(){this.#lastObjectChange=this.options.clock.now()}async status(){for(let{state}of[
...this.#families.values()])state!==void 0&&await finishWithPauses(this.#countInSlices(state),new EventLoopPace(this.options.
clock));let{nodeName,readiness,metrics,maxPending}=this.options,{mode="",requested="",reason,defaulted}=this.#selection,
families=Object.fromEntries([...this.#families].map(([family,record])=>[family,this.#describe(record)])),sources=this.options.
sources.map(describeSource),verification=verificationStatus(this.options.verification?.report().last??null),probe=this.options.
probe?.()??null,problems=findProblems({notReady:readiness.reason(),families,sources,verification,probe,maxPending}),{rss,
heapUsed}=process.memoryUsage();return{apiVersion:"kube-proxier.io/v1alpha1",kind:"NodeStatus",verdict:verdictOf(problems),
problems,nodeName,version:VERSION,pid:process.pid,startTime:isoTime2(this.#startTime),mode,requestedMode:requested,modeReason:reason??
(defaulted?"no mode is requested, and this is the default":null),families,...this.#countObjects(),sources,lastObjectChange:this.#lastObjectChange===
void 0?null:isoTime2(this.#lastObjectChange),driftRepairs:this.#driftRepairs,lastDrift:this.#lastDrift?{time:isoTime2(this.#lastDrift.
at),what:this.#lastDrift.what}:null,verification,leftovers:this.options.leftovers?.()??null,probe,healthChecks:this.options.
healthChecks?.()??null,staleFlowsDeleted:await metrics?.staleFlowsDeleted()??0,failures:await metrics?.failuresByPart()??
{},memory:{residentBytes:rss,heapBytes:heapUsed}}}*#countInSlices(state){yield*stateDigestInSlices(state),this.#counts.known(
state)===void 0&&this.#counts.set(state,yield*countObjectsInSlices(state))}#countObjects(){let states=[...this.#families.
values()].flatMap(({state})=>state??[]);return totalOf(states.map(state=>this.#counts.of(state)))}#record(family){let record=this.#families.
get(family);return record===void 0&&(record={state:void 0,lastSync:void 0,lastFullSync:void 0,duration:void 0,failures:0,
lastError:void 0,pendingSince:void 0},this.#families.set(family,record)),record}#describe(record){let{state,lastSync,lastFullSync,
duration,failures,lastError,pendingSince}=record,pending=pendingSince===void 0?void 0:this.options.clock.monotonic()-pendingSince;
return{programmed:lastFullSync!==void 0,lastSync:lastSync===void 0?null:isoTime2(lastSync),lastSyncMilliseconds:duration===
void 0?null:Math.round(duration*10)/10,lastFullSync:lastFullSync===void 0?null:isoTime2(lastFullSync),failures,lastError:lastError??
null,pendingSeconds:pending===void 0?null:pending/1e3,digest:state===void 0?null:stateDigest(state),servicePorts:state?.
servicePorts.size??0,nodePortAddresses:state===void 0?null:listNodePortAddresses(state.node.nodePortAddresses,state.family),
endpoints:state===void 0?0:this.#counts.of(state).endpoints}}};function verificationStatus(last){if(last===null)return null;
let findings=last.families.flatMap(family=>family.findings),more=last.families.reduce((sum,{moreFindings})=>sum+moreFindings,
0),unknowns=findings.filter(({result})=>result==="unknown").length,first=findings.find(({result})=>result==="different")??
findings[0];return{verdict:last.verdict,time:last.time,packetClasses:last.families.reduce((sum,{classes})=>sum+classes,0),
differences:findings.length-unknowns+more,unknowns,firstFinding:first?.message??null}}function describeSource(source){let obstacles=KINDS.
flatMap(kind=>source.obstacle?.(kind)??[]);return{description:source.description,obstacles:[...new Set(obstacles)]}}function isoTime2(milliseconds){
return new Date(milliseconds).toISOString()}import{readFileSync as readFileSync2}from"node:fs";import{fileURLToPath}from"node:url";var FILES2={"/":{file:"status-pag\
e.html",type:"text/html; charset=utf-8"},"/page/status-page.js":{file:"status-page.js",type:"text/javascript; charset=ut\
f-8"},"/page/status-page.css":{file:"status-page.css",type:"text/css; charset=utf-8"}},CONTENT_SECURITY_POLICY=["default\
-src 'none'","script-src 'self'","style-src 'self'","connect-src 'self'","img-src data:","base-uri 'none'","form-action \
'none'","frame-ancestors 'none'"].join("; "),DIRECTORY2=new URL("./page/",import.meta.url),StatusPage=class{directory;#contents=new Map;constructor(directory=DIRECTORY2){
this.directory=directory}answer(pathname,response){let found=Object.hasOwn(FILES2,pathname)?FILES2[pathname]:void 0,content=found&&
this.#read(found.file);return!found||!content?!1:(response.writeHead(200,{"Content-Type":found.type,"Content-Length":content.
length,"Content-Security-Policy":CONTENT_SECURITY_POLICY,"X-Content-Type-Options":"nosniff","Referrer-Policy":"no-referr\
er","Cache-Control":"no-cache"}),response.end(content),!0)}#read(file){let content=this.#contents.get(file);if(content===
void 0){try{content=readFileSync2(fileURLToPath(new URL(file,this.directory)))}catch{return}this.#contents.set(file,content)}
return content}};import{createHash as createHash2,randomUUID}from"node:crypto";import{Readable}from"node:stream";import{pipeline as pipeline2}from"node:stream/promises";var HOST_AND_PORT=/^(?:\[([\da-f:.]+)(?:%[\w.-]+)?\]|([\w.-]+))(?::\d{1,5})?$/i;function hostNameOf(header){if(header===
void 0||header==="")return"";let match=HOST_AND_PORT.exec(header);return match?.[1]??match?.[2]}function isTrustedHost(host,names){
if(host===void 0||host==="")return host==="";let name=host.toLowerCase().replace(/\.$/,"");return name==="localhost"||name.
endsWith(".localhost")||parseAddress(host.replace(/^\[|\]$/g,""))!==void 0||names.some(known=>known!==""&&known.toLowerCase()===
name)}import{pipeline}from"node:stream/promises";import{Session}from"node:inspector";import{getHeapSnapshot}from"node:v8";var ProcessProfiler=class{clock;#busy=!1;constructor(clock){this.clock=clock}async cpuProfile(duration,signal){if(this.#busy)
throw new ProxierError("PROFILING","another CPU profile is being recorded; retry when it is complete");this.#busy=!0;let session=new Session;
try{session.connect();let post=method=>new Promise((resolve2,reject)=>{session.post(method,error=>error?reject(error):resolve2())});
return await post("Profiler.enable"),await post("Profiler.start"),await pause(this.clock,duration,signal),await new Promise(
(resolve2,reject)=>{session.post("Profiler.stop",(error,{profile})=>error?reject(error):resolve2(JSON.stringify(profile)))})}finally{
session.disconnect(),this.#busy=!1}}heapSnapshot(){return getHeapSnapshot()}};var DURATION=30,MAX_DURATION=300,MAX_BYTES=16,INDEX=`profiles of this process, in V8's formats; open them in a browser's\
 developer tools

/debug/pprof/profile?seconds=${DURATION}  CPU profile: save as .cpuprofile
/debug/pprof/heap                heap snapshot: save as .heapsnapshot
/debug/flags/v                   PUT a number: sets the log verbosity
`,DebugRoutes=class{options;#profiler;constructor(options,clock){this.options=options,this.#profiler=new ProcessProfiler(
clock)}methods(pathname){return pathname==="/debug/flags/v"?["PUT"]:void 0}async answer({pathname,searchParams},request,response){
switch(pathname){case"/debug/pprof":case"/debug/pprof/":return reply(response,200,TEXT,INDEX),!0;case"/debug/pprof/profi\
le":return await this.#profile(searchParams,response),!0;case"/debug/pprof/heap":return response.writeHead(200,{"Content\
-Type":JSON_TYPE,...attachment("heap.heapsnapshot")}),await pipeline(this.#profiler.heapSnapshot(),response).catch(()=>{}),
!0;case"/debug/flags/v":return await this.#verbosity(request,response),!0;default:return!1}}async#profile(query,response){
let seconds=Number(query.get("seconds")??DURATION);if(!(seconds>0&&seconds<=MAX_DURATION))return reply(response,400,TEXT,
`seconds must be a number greater than 0, at most ${MAX_DURATION}
`);let gone=new AbortController;response.once("close",()=>gone.abort());try{let text=await this.#profiler.cpuProfile(seconds*
1e3,gone.signal);reply(response,200,JSON_TYPE,text,attachment("cpu.cpuprofile"))}catch(error){if(!isProxierError(error))
throw error;reply(response,503,TEXT,`${error.message}
`)}}async#verbosity(request,response){let{setVerbosity}=this.options;if(!setVerbosity)return reply(response,501,TEXT,`th\
e log verbosity cannot be changed in this program
`);let text="";for await(let chunk of request)text=text.length>MAX_BYTES?text:`${text}${chunk}`;if(!/^\s*\d{1,9}\s*$/.test(
text))return reply(response,400,TEXT,`the body is not a verbosity level; send a number from 0, such as 4
`);let level=Number(text);setVerbosity(level),reply(response,200,TEXT,`successfully set klog.logging.verbosity to ${level}`)}};
function attachment(name){return{"Content-Disposition":`attachment; filename="${name}"`}}var RECORDING_TIMEOUT=12e4,READ_METHODS=["GET","HEAD"],NO_HOST="no-host.invalid",PIECE=65536,MAX_LIMIT=1e3,PROTOCOLS2=["\
TCP","UDP","SCTP"],StatusServer=class{options;#states=new Map;#listener;#debug;#instance=randomUUID();#mode="";#node;constructor(options){
this.options=options;let{host,port,logger=silentLogger,clock=systemClock,hardFail=!1}=options;this.#debug=options.profiling&&
new DebugRoutes(options.profiling,clock),this.#listener=new HttpListener({name:"status server",host,port,logger,clock,hardFail,
onFailure:()=>options.onFailure?.(),...options.isOwnAddress?{isOwnAddress:options.isOwnAddress}:{},answer:(request,response)=>this.#answer(
request,response)})}get address(){return this.#listener.address}modeSelected({mode}){this.#mode=mode}nodeEvent(node){this.#node=
node.metadata?.name===this.options.nodeName?node:this.#node}synced({family,state}){this.#states.set(family,state)}start(){
return this.#listener.start()}stop(){return this.#listener.stop()}async#answer(request,response){let url=targetOf(request);
if(!url)return reply(response,400,TEXT,`the path is not valid; it must begin with one slash
`);let host=url.hostname===NO_HOST?hostNameOf(request.headers.host):url.hostname;if(!isTrustedHost(host,this.options.hostNames??
[]))return reply(response,403,TEXT,`the host of the request is not one of this server; use an IP address, localhost, or \
the name of the node
`);let{verification}=this.options,methods=url.pathname==="/debug/verify"&&verification?[...READ_METHODS,"POST"]:this.#debug?.
methods(url.pathname)??READ_METHODS;if(!methods.includes(request.method??""))return replyMethodNotAllowed(response,methods);
if(await this.#debug?.answer(url,request,response))return;switch(url.pathname){case"/healthz":return reply(response,200,
TEXT,"ok");case"/proxyMode":return reply(response,200,TEXT,this.#mode);case"/debug/explain":return await this.#explain(url.
searchParams,response);case"/debug/objects":response.writeHead(200,{"Content-Type":JSON_TYPE}),await pipeline2(Readable.
from(this.#objects()),response).catch(()=>{});return;case"/debug/state":return reply(response,200,JSON_TYPE,`${JSON.stringify(
this.#describeStates())}
`);case"/debug/services":{let counts=this.options.counts?.(),limit2=url.searchParams.get("limit");if(limit2!==null){this.#replyFirstServices(
Number(limit2),url.searchParams,request,response);return}let servicePorts=[...this.#states.values()].flatMap(state=>viewServicePorts(
state,selectionOf(url.searchParams),counts)),families=[...this.#states.keys()];return reply(response,200,JSON_TYPE,`${JSON.
stringify({mode:this.#mode,families,servicePorts})}
`)}}let{metrics,configuration,nodeStatus,recording,syncs,page}=this.options;if(page?.answer(url.pathname,response))return;
if(url.pathname==="/debug/verify"&&verification)return answerVerification(request,response,verification);if(url.pathname===
"/debug/syncs"&&syncs)return reply(response,200,JSON_TYPE,`${JSON.stringify({syncs:syncs()})}
`);if(url.pathname==="/debug/recording"&&recording)return await replyRecording(recording(),response);if(url.pathname==="\
/debug/status"&&nodeStatus)return reply(response,200,JSON_TYPE,`${JSON.stringify(await nodeStatus())}
`);if(url.pathname==="/metrics"&&metrics)return reply(response,200,metrics.contentType,await metrics.metrics());if(url.pathname===
"/metrics/slis"&&metrics)return reply(response,200,metrics.contentType,"");if(url.pathname==="/configz"&&configuration)return reply(
response,200,JSON_TYPE,`${JSON.stringify(configuration())}
`);let paths=["/healthz","/proxyMode",...metrics?["/metrics"]:[],...configuration?["/configz"]:[],...nodeStatus?["/debug\
/status"]:[],...verification?["/debug/verify"]:[],"/debug/state","/debug/services","/debug/objects",...syncs?["/debug/sy\
ncs"]:[],...recording?["/debug/recording"]:[]];reply(response,404,TEXT,`not found; use ${paths.join(", ")} or /debug/exp\
lain
`)}async*#objects(){let states=[...this.#states.values()],families=states.map(({family})=>family),head={apiVersion:"v1",
kind:"List",mode:this.#mode,families};yield`${JSON.stringify(head).slice(0,-1)},"items":[`;let cidrs=states.flatMap(({node})=>node.
serviceCIDRs),others=[...states.length===0?[]:[nodeObjectOf(states,this.#node)],...cidrs.length===0?[]:[serviceCIDROf(cidrs)]],
separator="",text="",add=object=>{text+=`${separator}${JSON.stringify(object)}`,separator=`,
`};others.forEach(add);for(let{service,endpointSlices}of serviceObjectsOf(states))[service,...endpointSlices].forEach(add),
text.length>PIECE&&(yield text,text="",await new Promise(resolve2=>setImmediate(resolve2)));yield`${text}]}
`}#replyFirstServices(limit2,query,request,response){if(!Number.isSafeInteger(limit2)||limit2<1||limit2>MAX_LIMIT){reply(
response,400,TEXT,`limit must be a whole number from 1 to ${MAX_LIMIT}
`);return}let states=[...this.#states.values()],revisions=states.map(({family,revision})=>`${family}-${revision}`),counts=this.
options.counts?.(),isCounted=counts!==void 0&&!counts.isEmpty,list=()=>`${JSON.stringify({mode:this.#mode,...firstServicePorts(
states,selectionOf(query),limit2,counts)})}
`,counted=isCounted?list():void 0,digest=counted===void 0?[]:[createHash2("sha256").update(counted).digest("hex").slice(
0,16)],tag=`"${[this.#instance,this.#mode,...revisions,...digest].join(".")}"`;if(request.headers["if-none-match"]===tag){
response.writeHead(304,{ETag:tag}),response.end();return}reply(response,200,JSON_TYPE,counted??list(),{ETag:tag})}#describeStates(){
let states=[...this.#states].map(([family,state])=>[family,{revision:state.revision,node:state.node,servicePorts:[...state.
servicePorts.values()].map(({key,frontends,cluster,local,affinitySeconds})=>({key,frontends,cluster:cluster.map(endpoint=>endpoint.
key),local:local.map(endpoint=>endpoint.key),affinitySeconds:affinitySeconds??null})),healthCheckNodePorts:[...state.healthCheckNodePorts.
values()]}]);return{mode:this.#mode,families:Object.fromEntries(states)}}async#explain(query,response){if(!query.has("po\
rt"))return await this.#answerQuestion(query,response);let destination=parseAddress(query.get("destination")),state=destination&&
this.#states.get(familyOf(destination.text));if(!destination)return reply(response,400,TEXT,`destination is not an IP ad\
dress
`);if(!state)return reply(response,503,TEXT,`nothing is programmed for ${destination.family} yet
`);let protocol=PROTOCOLS2.find(known=>known===(query.get("protocol")??"TCP"));if(!protocol)return reply(response,400,TEXT,
`protocol is not one of ${PROTOCOLS2.join(", ")}
`);let packet={source:query.get("source")??"",destination:destination.text,port:Number(query.get("port")),protocol},host=await this.#host();
try{let simulation=simulatePacket(state,packet,host);reply(response,200,"application/json",`${JSON.stringify(explainSimulation(
simulation))}
`)}catch(error){if(!(error instanceof RangeError))throw error;reply(response,400,TEXT,`${messageOf(error)}
`)}}async#answerQuestion(query,response){if(this.#states.size===0)return reply(response,503,TEXT,`nothing is programmed \
yet
`);try{let answer=answerPacketQuestion([...this.#states.values()],readPacketQuestion(questionOf(query)),await this.#host());
reply(response,200,JSON_TYPE,`${JSON.stringify(answer)}
`)}catch(error){if(!(error instanceof QuestionError))throw error;reply(response,error.code==="NOT_FOUND"?404:400,TEXT,`${error.
message}
`)}}async#host(){let localAddresses=await this.options.localAddresses?.();return localAddresses?{localAddresses}:{}}};function serviceCIDROf(cidrs){
return{apiVersion:"networking.k8s.io/v1",kind:"ServiceCIDR",metadata:{name:"kube-proxier"},spec:{cidrs:[...new Set(cidrs)]}}}
function questionOf(query){let set2=["source","namespace","via"].flatMap(name=>{let value2=query.get(name);return value2===
null?[]:[[name,value2]]});return{...Object.fromEntries(set2),destination:query.get("destination")??""}}async function replyRecording(recording,response){
response.writeHead(200,{"Content-Type":"application/gzip","X-Content-Type-Options":"nosniff","Content-Disposition":'atta\
chment; filename="recording.jsonl.gz"'}),await pipeline2(Readable.from(recording),response,{signal:AbortSignal.timeout(RECORDING_TIMEOUT)}).
catch(()=>response.destroy())}function answerVerification({method},response,verification){if(method!=="POST"){reply(response,
200,JSON_TYPE,`${JSON.stringify(verification.report())}
`);return}let number=verification.request();number===void 0?reply(response,503,TEXT,`nothing is programmed yet, so nothi\
ng can be verified
`):reply(response,202,JSON_TYPE,`${JSON.stringify({number})}
`)}function selectionOf(query){let set2=["namespace","name","search"].flatMap(name=>{let value2=query.get(name);return value2===
null?[]:[[name,value2]]});return Object.fromEntries(set2)}function targetOf({url=""}){if(!/^(?:\/(?!\/)|http:\/\/[^/])/i.
test(url))return;let text=url.startsWith("/")?`http://${NO_HOST}${url}`:url;return URL.canParse(text)?new URL(text):void 0}var MAX_SYNCS=600,SyncHistory=class{clock;#syncs=[];constructor(clock=systemClock){this.clock=clock}synced({family,duration,
changes}){this.#add({family,milliseconds:rounded2(duration),servicePorts:changes.servicePorts.size,failed:!1})}failed({family,
duration}){this.#add({family,milliseconds:rounded2(duration),servicePorts:0,failed:!0})}get syncs(){return this.#syncs}#add(sync){
this.#syncs.push({time:new Date(this.clock.now()).toISOString(),...sync}),this.#syncs.length>MAX_SYNCS&&this.#syncs.shift()}};
function rounded2(milliseconds){return Math.round(milliseconds*100)/100}async function startListeners(options,{nodeName,syncPeriod,readiness,logger,verification,recorder,probe,leftovers,onServiceHealthFailed,
onCreated}){let{clock=systemClock,network:network2=thisHost,metrics,healthAddress,statusAddress,scrape}=options,own=new OwnAddresses(
()=>network2.localAddresses(),clock);own.refresh();let isOwnAddress=address=>own.has(address),hardFail=options.bindAddressHardFail??
!1,health=new ProxyHealth(2*syncPeriod,clock),serviceHealth=new ServiceHealthServers({health,logger,clock,isOwnAddress,onFailure:(service,error)=>{
metrics?.partFailed("service health check"),onServiceHealthFailed(service,error)}}),healthServer=healthAddress&&new HealthServer(
{...healthAddress,health,notReady:()=>readiness.reason()??probe?.notReady(),logger,clock,hardFail,isOwnAddress,onFailure:()=>metrics?.
partFailed("health server"),onAnswer:(path,status)=>metrics?.healthAnswered(path,status)}),report=new NodeStatusReport({
nodeName,clock,readiness,sources:options.sources,maxPending:2*syncPeriod,verification,leftovers,...probe?{probe:()=>probe.
status()}:{},...options.healthChecks?{healthChecks:options.healthChecks}:{},...metrics?{metrics}:{}}),history=new SyncHistory(
clock),statusServer=statusAddress&&new StatusServer({...statusAddress,logger,clock,hardFail,isOwnAddress,nodeName,hostNames:[
nodeName,hostname2(),...options.statusHostNames??[]],onFailure:()=>metrics?.partFailed("status server"),localAddresses:()=>network2.
localAddresses(),nodeStatus:()=>report.status(),verification,syncs:()=>history.syncs,page:new StatusPage,...recorder?{recording:()=>recorder.
dump()}:{},...metrics?{metrics:metrics.registry,counts:()=>metrics.counts()}:{},...options.configuration?{configuration:options.
configuration}:{},...options.profiling?{profiling:options.profiling}:{}}),scrapeServer=scrape&&metrics&&new ScrapeServer(
{...scrape,metrics:metrics.registry,hostName:nodeName,logger,clock,hardFail,isOwnAddress,onFailure:()=>metrics.partFailed(
"metrics server")}),servers=[healthServer,statusServer,scrapeServer].filter(server=>server!==void 0);for(let listener of[
serviceHealth,verification,...servers])onCreated(listener);return await Promise.all(servers.map(server=>server.start())),
[health,serviceHealth,verification,...metrics?[metrics]:[],...statusServer?[statusServer,report,history]:[]]}var SlowCommandLog=class{logger;constructor(logger){this.logger=logger,slowCommands.subscribe(this.#note)}async stop(){slowCommands.
unsubscribe(this.#note)}#note=message=>{let{command,pid,elapsed,timeout}=message,seconds=Math.round(elapsed/1e3),limit2=Math.
round(timeout/1e3);this.logger.warn(`${command} has been running for ${seconds} s; syncs wait for it, and it is killed a\
fter ${limit2} s: find out what blocks it`,pid===void 0?{}:{pid})}};var SyncReport=class{families;logger;clock;#states=new Map;#failing=new Set;#begin;#isFirst=!0;#failingSince=0;constructor(families,logger,clock){
this.families=families,this.logger=logger,this.clock=clock,this.#begin=clock.monotonic()}failed({family}){this.#failing.
size===0&&(this.#failingSince=this.clock.monotonic()),this.#failing.add(family)}synced({family,state}){let hasFailed=this.#failing.
delete(family);if(this.#states.set(family,state),this.#failing.size>0||this.#states.size<this.families.length)return;let now=this.
clock.monotonic();return this.#isFirst?(this.#isFirst=!1,this.#log("First sync: this node is programmed",now-this.#begin)):
hasFailed?this.#log("Syncs succeed again: this node is programmed",now-this.#failingSince):void 0}#log(message,milliseconds){
return finishWithPauses(this.#logInSlices(message,milliseconds),new EventLoopPace(this.clock))}*#logInSlices(message,milliseconds){
let counts=[];for(let state of[...this.#states.values()])counts.push(yield*countObjectsInSlices(state));let{services,endpoints}=totalOf(
counts);this.logger.info(message,{services,endpoints,families:this.families.join(","),milliseconds:Math.round(milliseconds)})}};var MIN_CHECK_DELAY=1e4,MAX_CHECK_DELAY=3e5,Takeover=class{options;#waiting;#done=Promise.resolve();#timer;#stopped=!1;#next=MIN_CHECK_DELAY;#isFinished=!1;#isAnnounced=!1;#verified=!1;#failure;#status;constructor(options){
this.options=options,this.#waiting=new Set(options.families)}synced({family}){this.#waiting.delete(family)&&this.#waiting.
size===0&&(this.#done=this.#removeLeftovers())}get status(){return this.#status}async stop(){this.#stopped=!0,this.#timer?.
cancel(),await this.#done}async#removeLeftovers(){let{backends,inForce,logger}=this.options;if(!await this.#isVerified()){
this.#checkAgain();return}try{let{remaining,removed}=await cleanupBackends(backends,{logger,inForce,kubeProxy:!0});if(this.#finish(
removed),this.#failure!==void 0&&(this.#failure=void 0,logger.info("Leftovers of other proxy modes can be removed again",
{inForce})),remaining.length===0){this.#status=void 0,logger.debug(1,"No leftovers of other proxy modes found",{inForce});
return}this.#status=`kept while connections use them: ${remaining.join("; ")}`,this.#isAnnounced||(this.#isAnnounced=!0,
logger.info(`Leftovers of other proxy modes are ${this.#status}`,{inForce})),this.#checkAgain()}catch(error){if(this.#finish(
error instanceof CleanupError?error.summary.removed:[],error),error instanceof CleanupError&&error.isDenied){this.#status=
`not known: ${messageOf(error)}`,logger.info(`Cannot check for leftovers of other proxy modes: ${messageOf(error)}`,{inForce});
return}if(this.#status=`kept, because they cannot be removed: ${messageOf(error)}`,this.#failure!==messageOf(error)){this.#failure=
messageOf(error);let nextTrySeconds=this.#next/1e3;logger.warn(`Cannot remove all leftovers of other proxy modes: ${this.#failure}`,
{inForce,nextTrySeconds})}this.#checkAgain()}}#checkAgain(){this.#stopped||(this.#timer=this.options.clock.setTimer(this.#next,
()=>{this.#done=this.#removeLeftovers()}),this.#next=Math.min(2*this.#next,MAX_CHECK_DELAY))}async#isVerified(){let{inForce,
logger,verify,verifyNow}=this.options;if(verify===void 0||this.#verified)return!0;let result=await verify();if(result===
void 0)return!1;let{families,verdict}=result,findings=families.flatMap(family=>family.findings),different=findings.filter(
finding=>finding.result==="different"),wrong=different.filter(({decidedBy})=>decidedBy?.foreign!==!0),[first]=wrong;if(first!==
void 0){let more=wrong.length>1?`, and ${wrong.length-1} more differences`:"";return this.#keep(`mode ${inForce} does no\
t do what the state says: ${first.message}${more}`)}if(different.length>0&&verifyNow!==void 0){let now=await verifyNow();
if(now===void 0)return!1;let lost=lostByRemoval(different,now);if(lost!==void 0)return this.#keep(`packets would be lost\
 without them: ${lost.message}. Accept these packets there, or use the mode that was used before`)}return verdict==="unk\
nown"&&logger.info(`Removing leftovers of other proxy modes though not everything could be verified: ${findings[0]?.message??
"nothing is programmed"}`,{inForce}),this.#verified=!0,!0}#keep(why){let{inForce,logger}=this.options;return this.#status=
`kept, because ${why}`,logger.error(`The rules of other proxy modes are ${this.#status}`,{inForce,nextCheckSeconds:this.#next/
1e3}),!1}#finish(removed,error){if(!this.#isFinished){this.#isFinished=!0;let{inForce,onFinished}=this.options;onFinished?.(
{inForce,removed,...error===void 0?{}:{error}})}}};function lostByRemoval(withoutLeftovers,{families}){let known=new Set(
families.filter(({classes})=>classes>0).map(({family})=>family)),now=classesByCause(families.flatMap(({findings})=>findings)),
then=classesByCause(withoutLeftovers);return withoutLeftovers.find(finding=>{let cause=causeOf(finding);return known.has(
finding.family)&&(then.get(cause)??0)>(now.get(cause)??0)})}function classesByCause(findings){let counts=new Map;for(let finding of findings){
let cause=causeOf(finding);counts.set(cause,(counts.get(cause)??0)+finding.classes)}return counts}function causeOf({family,
kind,decidedBy}){return JSON.stringify([family,kind,decidedBy?.system,decidedBy?.table,decidedBy?.chain,decidedBy?.text])}var MAX_LOGGED=5,MIN_PERIOD_RATIO=100,JITTER=.2,FIRST_DELAY=3e4,BackgroundVerification=class{options;#states=new Map;#ended=new AbortController;#backend;#last;#endedAt=0;#started=0;#finished=0;#requested=0;#running;#timer;#logged=new Set;constructor(options){
this.options=options}modeSelected({backend}){this.#backend=backend}synced({family,state}){let isFirst=this.#states.size===
0;this.#states.set(family,state),isFirst&&this.options.period>0&&this.#schedule(Math.min(FIRST_DELAY,this.options.period))}get states(){
return this.#states}request(){if(!(this.#backend===void 0||this.#states.size===0||this.#ended.signal.aborted))return this.#requested=
this.#started+1,this.#running??=this.#run(),this.#requested}report(){return{running:this.#running!==void 0,finished:this.#finished,
last:this.#last??null,ageSeconds:this.#last===void 0?null:Math.round(this.options.clock.monotonic()-this.#endedAt)/1e3}}async stop(){
this.#ended.abort(),this.#timer?.cancel(),await this.#running}#schedule(milliseconds){let{clock,random=Math.random}=this.
options;this.#timer?.cancel();let varied=milliseconds*(1-JITTER+2*JITTER*random());this.#timer=clock.setTimer(varied,()=>{
this.request()})}async#run(){await Promise.resolve();try{for(;this.#requested>this.#started&&!this.#ended.signal.aborted;)
await this.#verifyOnce()}finally{this.#running=void 0}}async#verifyOnce(){this.#started+=1;let backend=this.#backend;if(backend===
void 0)return;let{clock,logger,onVerified,options,period}=this.options,{signal}=this.#ended,result=await verifyNode({backend,
options,states:()=>this.#states,clock,signal});signal.aborted||(this.#finished=this.#started,this.#last=result,this.#endedAt=
clock.monotonic(),this.#log(result),logger.debug(2,"Verified what the kernel does",{verdict:result.verdict,seconds:result.
seconds}),onVerified?.(result),period>0&&this.#schedule(Math.max(period,result.seconds*1e3*MIN_PERIOD_RATIO)))}#log({mode,
families}){let{logger}=this.options,findings=families.flatMap(family=>family.findings),fresh=findings.filter(({result})=>result===
"different").filter(finding=>!this.#logged.has(identity(finding)));for(let{message,classes}of fresh.slice(0,MAX_LOGGED))
logger.error(`The kernel does not do what the state says: ${message}`,{mode,packetClasses:classes});fresh.length>MAX_LOGGED&&
logger.error(`${fresh.length-MAX_LOGGED} more differences; run kube-proxier verify to list them`,{mode});for(let{message}of findings.
filter(({result})=>result==="unknown"))this.#logged.has(message)||logger.debug(1,message,{mode});let had=this.#logged.size>
0;this.#logged=new Set(findings.map(finding=>identity(finding))),had&&findings.length===0&&logger.info("The kernel does \
what the state says again",{mode})}};function identity({result,kind,decidedBy,message}){return result==="unknown"||decidedBy===
void 0?message:`${kind} ${decidedBy.system} ${decidedBy.table} ${decidedBy.chain} ${decidedBy.text}`}var ProxyServer=class{#options;#logger;#abort=new AbortController;#readiness=new Readiness;#instance;#hub;#startedSources=[];#listening=[];#observer={};#takeover;#verification;#recorder;#probe;#begun=!1;#alive;#loop=Promise.
resolve();#finish=()=>{};#fail=()=>{};finished;constructor(options){checkServerOptions(options),this.#options=options,this.#logger=
options.logger??silentLogger,this.finished=new Promise((resolve2,reject)=>{this.#finish=resolve2,this.#fail=reject}),this.
finished.catch(()=>{})}async start(){if(this.#begun)throw new ProxierError("ALREADY_STARTED","this ProxyServer was start\
ed before; create a new one");this.#begun=!0,this.#alive=setInterval(()=>{},2**30);try{return await this.#startAll()}catch(error){
throw await this.stop(),error}}async prepare(){let nodeName=this.#nodeName(),selection=await this.#selectMode();return await this.#tuneConntrack(
selection),await selection.backend.prepare?.(this.#proxierOptions(nodeName),this.#logger),selection}async stop(){this.#abort.
abort(),this.#hub?.close(),await Promise.allSettled(this.#startedSources.map(source=>source.stop())),await this.#loop.catch(
()=>{}),await Promise.allSettled(this.#listening.map(one=>one.stop())),await this.#instance?.release(),clearInterval(this.#alive),
this.#finish()}async#startAll(){let{bindAddress=""}=this.#options;if(!(this.#options.sources?.length>0))throw new ProxierError(
"NO_SOURCES","no Service source is configured; give ProxyServer the option sources");let nodeName=this.#nodeName(),reader=this.#makeReader();
this.#recorder=this.#makeRecorder(nodeName,reader),this.#probe=this.#makeProbe();let sources=[...this.#options.sources,...this.#probe?
[this.#probe]:[]];this.#instance=await waitForOtherProxies(this.#options,{nodeName,syncPeriod:this.#proxierOptions(nodeName).
syncPeriod,readiness:this.#readiness,logger:this.#logger,signal:this.#abort.signal}),this.#readiness.waitFor("the proxy \
mode");let selection=await this.#selectMode();this.#abort.signal.throwIfAborted(),this.#instance?.describe({mode:selection.
mode});let options=this.#proxierOptions(nodeName);this.#observer=await this.#startListening(options),this.#observer.modeSelected?.(
selection);let{primary,addresses}=resolveNodeAddresses(options.nodeAddresses,bindAddress),families=await this.#usableFamilies(
primary,selection);if(this.#options.takeover){let{backends,clock=systemClock}=this.#options;this.#takeover=new Takeover(
{backends,inForce:selection.mode,families,logger:this.#logger,clock,...this.#options.verification?{verify:()=>this.#verify(
"without leftovers",selection.backend,options,clock),verifyNow:()=>this.#verify("as it is",selection.backend,options,clock)}:
{},onFinished:takeover=>this.#observer.takenOver?.(takeover)}),this.#listening.push(this.#takeover)}this.#options.checkFamilies?.(
families,selection.backend),this.#probe?.serve(families),this.#listening.push(new SlowCommandLog(this.#logger));let cleaner=await this.#makeCleaner(
selection.backend),cleaning=cleaner&&new BackgroundCleaning(success=>cleaner.synced(success)),resetter=this.#makeResetter(
selection.backend);this.#listening.push(...cleaner&&cleaning?[cleaner,cleaning]:[],...resetter?[resetter]:[]);let proxier=this.#makeProxier(
selection.backend,{...options,nodeAddresses:addresses},{families,cleaning,resetter,reader});this.#abort.signal.throwIfAborted();
let handlers=[...this.#recorder?[this.#recorder.sourceHandler]:[],...this.#options.handlers??[]],handler=combineHandlers(
proxier,handlers,this.#logger,()=>this.#options.metrics?.partFailed("handler")),hub=new SourceHub(handler,bindAddress,this.#logger,
this.#observer);this.#hub=hub,this.#readiness.serve(families,()=>hub.missing());let release=hub.hold();this.#loop=proxier.
syncLoop(this.#abort.signal),this.#loop.then(()=>this.#abort.signal.aborted||this.#fail(new ProxierError("LOOP_ENDED","t\
he sync loop ended unexpectedly; restart this program")),error=>this.#fail(error)),this.finished.catch(()=>clearInterval(
this.#alive));let pairs=sources.map(source=>({source,handler:hub.handler(source)}));return this.#startedSources=sources,
await Promise.all(pairs.map(({source,handler:handler2})=>source.start(handler2,{nodeName}))),await this.#tuneConntrack(selection),
release(),{selection,nodeName,families}}#makeReader(){let{allowLoopbackEndpoints=!1,serviceExternalIPs=!0}=this.#options;
return new ObjectReader(problem=>this.#logger.warn(formatObjectProblem(problem),{ignored:problem.ignored}),{allowLoopbackEndpoints,
serviceExternalIPs})}#makeRecorder(nodeName,reader){let{recording,clock=systemClock,metrics,allowLoopbackEndpoints=!1}=this.#options;
if(recording===void 0)return;let recorder=new FlightRecorder(recording,{nodeName,clock,reader,allowLoopbackEndpoints,logger:this.#logger,
notReady:()=>this.#readiness.reason(),onFailure:()=>metrics?.partFailed("recording")});return this.#listening.push(recorder),
recorder}#makeProbe(){let{probe,clock=systemClock,network:network2=thisHost,metrics}=this.#options;return probe&&new DataPlaneProbe(
probe,{clock,logger:this.#logger,localAddresses:()=>network2.localAddresses(),onResult:(family,result)=>metrics?.probed(
family,result)})}#selectMode(){let{backends,mode="",fallback=DEFAULT_PROXY_MODE}=this.#options;return selectProxyMode({requested:mode,
backends,fallback,logger:this.#logger})}#nodeName(){return resolveNodeName(this.#options.proxier?.nodeName,hostname3())}#proxierOptions(nodeName){
return{...DEFAULT_PROXIER_OPTIONS,...this.#options.proxier,nodeName}}async#tuneConntrack({backend}){tracksConnections(backend)&&
await this.#options.conntrackTuning?.apply()}async#startListening(options){let{syncPeriod,nodeName}=options,{clock=systemClock,
metrics}=this.#options,logger=this.#logger,verification=new BackgroundVerification({period:this.#options.verification?.period??
0,options,logger,clock,onVerified:result=>{metrics?.verified(result),this.#observer.verified?.(result)}});this.#verification=
verification;let readiness=this.#readiness,observers=await startListeners(this.#options,{nodeName,syncPeriod,readiness,logger,
verification,recorder:this.#recorder,probe:this.#probe,leftovers:()=>this.#takeover?.status,onServiceHealthFailed:(...failure)=>this.#observer.
serviceHealthFailed?.(...failure),onCreated:listener=>this.#listening.push(listener)}),{recorder,observer}={recorder:this.#recorder,
observer:this.#options.observer};return this.#combine([...observers,...recorder?[onlyServerEvents(recorder)]:[],...observer?
[observer]:[]])}async#verify(node,backend,options,clock){let{backends}=this.#options,{signal}=this.#abort,result=await verifyNode(
{backend,options,clock,signal,states:()=>this.#verification?.states??new Map,...node==="without leftovers"?{ignores:rule=>rule.
foreign===!0&&backends.some(one=>one.ownsRule?.(rule)??!1),ignoredInterfaces:backends.filter(({mode})=>mode!==backend.mode).
flatMap(({interfaces=[]})=>interfaces).filter(name=>!backend.interfaces?.includes(name))}:{}});return signal.aborted?void 0:
result}#combine(observers){let{clock,metrics}=this.#options;return combineObservers(observers,this.#logger,()=>metrics?.
partFailed("observer"),clock)}async#usableFamilies(primary,selection){let{families:requested=["IPv4","IPv6"],network:network2=thisHost,
bindAddress=""}=this.#options,servedByMode=selection.families;for(let family of requested.filter(candidate=>!servedByMode.
includes(candidate)))this.#logger.warn(`Mode ${selection.mode} cannot serve ${family} on this host; that family is not p\
rogrammed`);let wantsIPv6=familiesOfMode({requested,servedByMode}).includes("IPv6"),hasIPv6=wantsIPv6&&await network2.hasIPv6();
wantsIPv6&&!hasIPv6&&this.#logger.info("No IPv6 on this host: the kernel has none, or net.ipv6.conf.all.disable_ipv6 is \
1");let families=selectFamilies({requested,servedByMode,hasIPv6,primary,bindAddress});return this.#logger.debug(1,families.
length>1?"Serving both IP families":"Serving one IP family",{families:families.join(","),primary:families[0]}),families}async#makeCleaner(backend){
let{clock=systemClock,network:network2=thisHost,conntrack,metrics}=this.#options,isTracked=tracksConnections(backend),cleaner=conntrack&&
new ConntrackCleaner(conntrack,this.#logger,()=>network2.localAddresses(),clock,cleaning=>metrics?.conntrackCleaned(cleaning),
isTracked);return isTracked&&await cleaner?.checkHost(),cleaner}#makeResetter(backend){let{clock=systemClock,network:network2=thisHost,
conntrack,tcpSockets,sysctl,metrics,proxier}=this.#options;if(conntrack===void 0||!tracksConnections(backend))return;let period=proxier?.
minSyncPeriod;return new ConnectionResetter({conntrack,...tcpSockets?{sockets:tcpSockets}:{},...sysctl?{sysctl}:{},...backend.
capabilities?.resets===!1?{unsupportedBy:backend.mode}:{},logger:this.#logger,localAddresses:()=>network2.localAddresses(),
clock,goneAfter:1e3+(typeof period=="number"?period:0),onReset:resets=>metrics?.connectionsReset(resets)})}#makeProxier(backend,proxier,{
families,cleaning,resetter,reader}){let recorder=this.#recorder,{clock=systemClock,conntrackTuning}=this.#options,logger=this.#logger,
observer=this.#combine([...recorder?[recorder]:[],...conntrackTuning&&tracksConnections(backend)?[conntrackTuning]:[],...cleaning?
[cleaning]:[],...resetter?[resetter]:[],this.#readiness,...this.#probe?[this.#probe]:[],this.#observer,new SyncReport(families,
logger,clock),...this.#takeover?[this.#takeover]:[],...recorder?[{synced:()=>recorder.checkReadiness(),failed:()=>recorder.
checkReadiness()}]:[]]);return composeProxier(this.#options,{backend,proxier,families,observer,reader,recorder,logger,signal:this.#abort.
signal})}};function onlyServerEvents(recorder){return{modeSelected:selection=>recorder.modeSelected(selection),takenOver:takeover=>recorder.
takenOver(takeover),serviceHealthFailed:(service,error)=>recorder.serviceHealthFailed(service,error)}}function tracksConnections({
capabilities}){return capabilities?.tracksConnections??!0}import{createGunzip}from"node:zlib";var SLICE=4096,MAX_LINE=4*1024*1024,MAX_TOTAL=4*1024**3;async function*readRecording(data,onDamage){let isEmpty=!0;try{for await(let line of linesOf(
data)){let entry=parseRecordedEntry(line);entry!==void 0&&(isEmpty=!1,yield entry)}}catch(error){if(isEmpty)throw notARecording(
error);onDamage(messageOf(error));return}if(isEmpty)throw notARecording("it is empty")}function notARecording(reason){let why=typeof reason==
"string"?reason:messageOf(reason),advice="write one with kube-proxier record dump > FILE";return new RecordingError("NOT\
_A_RECORDING",`this is no recording of kube-proxier (${why}); ${advice}`)}async function replayRecording(data,listener={}){
let replay=new RecordingReplay,damage,entries=readRecording(data,what=>{damage=what});for await(let entry of entries){if(listener.
before?.(entry,replay)===!1)break;let step;try{step=replay.apply(entry)}catch(error){if(error instanceof RecordingError&&
error.code==="RECORDING_DAMAGED"){damage=messageOf(error);break}throw error}if(listener.after?.(entry,step,replay)===!1)
break}return{replay,damage}}async function*linesOf(data){let decoder=new TextDecoder,rest="",total=0;for await(let bytes of decompressed(
data)){if(total+=bytes.length,total>MAX_TOTAL)throw new RecordingError("RECORDING_DAMAGED",`the recording has more than ${MAX_TOTAL}\
 bytes when decompressed`);let lines=`${rest}${decoder.decode(bytes,{stream:!0})}`.split(`
`);if(rest=lines.pop()??"",yield*lines.filter(line=>line!==""),rest.length>MAX_LINE)throw new RecordingError("RECORDING_\
DAMAGED",`the recording has a line of more than ${MAX_LINE} characters`)}if(rest!=="")throw new RecordingError("RECORDIN\
G_DAMAGED","the recording is truncated: its last line is incomplete")}async function*decompressed(data){let gunzip=createGunzip(),
ready=[],failure,wake=()=>{};gunzip.on("data",bytes=>ready.push(bytes));let ended=new Promise(resolve2=>gunzip.once("end",
resolve2).once("close",resolve2));gunzip.on("error",error=>{failure=error,wake()});let take=()=>{let taken=ready;return ready=
[],taken};try{for await(let chunk of data)for(let from=0;from<chunk.length&&failure===void 0;from+=SLICE)await new Promise(
resolve2=>{wake=resolve2,gunzip.write(chunk.subarray(from,from+SLICE),()=>resolve2())}),yield*take();if(failure===void 0&&
(gunzip.end(),await ended),yield*take(),failure!==void 0){let what=failure.message==="unexpected end of file"?"truncated":
`damaged (${failure.message})`;throw new RecordingError("RECORDING_DAMAGED",`the recording is ${what}`,failure)}}finally{
gunzip.destroy()}}import{connect as connect3}from"node:net";var MAX_CONNECTIONS4=500,CONCURRENCY=16,FIRST_PORT=2e4,PORTS=4e4,TIMEOUT2=2e3;async function verifyConnections(options){
let{clock,mode,states}=options,start=clock.monotonic(),families=[];for(let state of states)families.push(await verifyFamily2(
state,options));return{apiVersion:"kube-proxier.io/v1alpha1",kind:"NodeVerification",verdict:overallVerdict(families),mode,
time:new Date(clock.now()).toISOString(),seconds:Math.round(clock.monotonic()-start)/1e3,families}}async function verifyFamily2(state,{
localAddresses,conntrack,signal}){let host={localAddresses:new Set(localAddresses),interfaces:[]},verification=new ConnectionVerification(
state,host,MAX_CONNECTIONS4),pending=[...verification.classes],attemptNext=async()=>{for(let one=pending.shift();one!==void 0;one=
pending.shift())verification.add(one,signal?.aborted?{result:"failed",endpoint:null,reason:"it was ended early"}:await attempt(
one,conntrack))};return await Promise.all(Array.from({length:CONCURRENCY},attemptNext)),verification.result()}async function attempt({
packet},conntrack){let{destination:host,port,source:localAddress}=packet,localPort=FIRST_PORT+Math.floor(Math.random()*PORTS),
socket=connect3({host,port,localAddress,localPort});try{return{...await new Promise(resolve2=>{socket.once("connect",()=>resolve2(
{result:"connected"})),socket.once("error",error=>resolve2(error.code==="ECONNREFUSED"||error.code==="ECONNRESET"?{result:"\
refused"}:error.code==="ETIMEDOUT"?{result:"timeout"}:{result:"failed",reason:error.message})),socket.setTimeout(TIMEOUT2,
()=>resolve2({result:"timeout"}))}),endpoint:await endpointOf(packet,localPort,conntrack)}}finally{socket.destroy()}}async function endpointOf({
destination,port},localPort,conntrack){if(conntrack===void 0)return null;try{let family=destination.includes(":")?"IPv6":
"IPv4",entries=await conntrack.list(family,"TCP",({original})=>original.destination===destination&&original.destinationPort===
port&&original.sourcePort===localPort),[entry]=entries;if(entry===void 0||entries.length>1)return entry===void 0?void 0:
null;let{reply:reply2}=entry;return reply2.source===destination&&reply2.sourcePort===port?void 0:joinHostPort(reply2.source,
reply2.sourcePort)}catch{return null}}var import_reflect_metadata=__toESM(require_Reflect(),1);function offeredBackends(exported,withOptions){let candidates=candidatesIn(exported);if(candidates.length>0&&!withOptions)
return candidates.map(ready=>({mode:ready.backend.mode,ready,makers:[]}));let created=makersIn(exported).map(make=>({make,
...createWithoutOptions(make)}));return candidates.length===0?created.filter(({ready,needsOptions})=>ready!==void 0||needsOptions).
map(({make,ready})=>({mode:ready?.backend.mode,ready,makers:[make]})):candidates.map(ready=>{let{mode}=ready.backend,own=created.
filter(one=>one.ready?.backend.mode===mode),fitting=own.length>0?own:created.filter(({needsOptions})=>needsOptions);return{
mode,ready,makers:fitting.map(({make})=>make)}})}function createOffered({mode:offered,ready,makers},options,mode=offered){
if(options===void 0&&ready)return ready;for(let make of makers){let[created]=candidatesIn({created:options===void 0?make():
make(options)});if(created&&(mode??created.backend.mode)===created.backend.mode)return created}}function makersIn(exported){
let makers=entriesOf2(exported).flatMap(([name,value2])=>/^create\w*Backend$/.test(name)&&typeof value2=="function"?[value2]:
[]);return[...new Set(makers)]}function lacksOf(value2){let{mode,description,probe,module,capabilities,requirements,deprecation,
diagnose,prepare}=value2,optional=(member,type)=>member===void 0||typeof member===type;return[...typeof mode=="string"&&
/^[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?$/.test(mode)?[]:["mode must be lower case letters, digits and dashes"],...typeof description==
"string"?[]:["description must be a text"],...typeof probe=="function"?[]:["probe must be a function"],...typeof module==
"object"&&module!==null?[]:["module must be an inversify ContainerModule"],...optional(capabilities,"object")?[]:["capab\
ilities must be an object"],...optional(deprecation,"string")?[]:["deprecation must be a text"],...optional(requirements,
"object")?[]:["requirements must be an object"],...optional(diagnose,"function")?[]:["diagnose must be a function"],...optional(
prepare,"function")?[]:["prepare must be a function"]]}function createWithoutOptions(make){try{return{ready:candidatesIn(
{created:make()})[0],needsOptions:!1}}catch{return{ready:void 0,needsOptions:!0}}}function candidatesIn(exported){let values=entriesOf2(
exported).map(([,value2])=>value2);return[...new Set(values)].flatMap(value2=>typeof value2!="object"||value2===null||!("\
mode"in value2)||!("probe"in value2||"module"in value2)?[]:[{backend:value2,lacks:lacksOf(value2)}])}function entriesOf2(exported){
return typeof exported=="object"&&exported!==null?Object.entries(exported):[]}import{createRequire}from"node:module";import{isAbsolute,join as join2,resolve}from"node:path";import{pathToFileURL}from"node:url";var BackendLoadError=class extends ProxierError{modes;exported;constructor(code,message,{modes=[],exported,...options}={}){
super(code,message,options),this.modes=modes,this.exported=exported}};async function importBackend(name,{importModule,directory=process.
cwd()}){let{resolve:resolveIn}=createRequire(join2(directory,"package.json")),importFile=async path=>await importModule(
pathToFileURL(path).href);try{if(isAbsolute(name)||/^\.{1,2}(\/|$)/.test(name))return await importFile(resolveIn(resolve(
directory,name)));try{return await importModule(name)}catch(error){if(!isModuleNotFound(error)||!messageOf(error).includes(
`'${name}'`))throw error;return await importFile(resolveIn(name))}}catch(error){throw isModuleNotFound(error)?new BackendLoadError(
"BACKEND_NOT_FOUND",withoutRequireStack(messageOf(error)),{cause:error}):new BackendLoadError("BACKEND_IMPORT_FAILED",messageOf(
error),{cause:error})}}function withoutRequireStack(message){return message.replace(/; Require stack:.*$/s,"")}function isModuleNotFound(error){
let{code}=Object(error);return typeof code=="string"&&/^(ERR_)?MODULE_NOT_FOUND$/.test(code)}var HealthCheckMetrics=class{#metrics;constructor(registry,numbers){let{checks,duration,endpoints,waiting,invalidServices}=HEALTH_CHECK_METRICS;
this.#metrics=registerMetrics(registry,{checks,duration}),registerMetric(registry,endpoints,metric=>{for(let[verdict,count]of Object.
entries(numbers().endpoints))metric.set({verdict},count)}),registerMetric(registry,waiting,metric=>metric.set(numbers().
waiting)),registerMetric(registry,invalidServices,metric=>metric.set(numbers().invalidServices))}checked(kind,result,milliseconds){
this.#metrics.checks.inc({kind,result}),this.#metrics.duration.observe({kind},milliseconds/1e3)}};export{offeredBackends,createOffered,BackendLoadError,importBackend,combineObservers,DEFAULT_CONNTRACK_TUNING,conntrackMax,
ConntrackTuning,ListenError,describeKubeProxy,findKubeProxy,describeHolder,InstanceLock,HealthCheckMetrics,ProxyMetrics,
thisHost,resolveNodeAddresses,withBindAddress,resolveNodeName,previewBackend,DEFAULT_PROBE_ADDRESSES,MAX_FAILING_ENDPOINTS,
describeRemoved,CleanupError,cleanupBackends,findLeftovers,nameOfLeftoverOwner,verifyNode,servesLoopbackByRules,ProxyServer,
readRecording,replayRecording,verifyConnections};
/*! Bundled license information:

reflect-metadata/Reflect.js:
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
*/
//# sourceMappingURL=chunk-K6JK22O5.js.map
