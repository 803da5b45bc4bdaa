import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{formatJsonLine,formatTextLine}from"./chunk-OAH5SUEQ.js";import"./chunk-4LHTYADA.js";import{__commonJS,
__require,__toESM}from"./chunk-VCSBMK2H.js";var require_format=__commonJS({"node_modules/logform/format.js"(exports,module){"use strict";var InvalidFormatError=class _InvalidFormatError extends Error{constructor(formatFn){
super(`Format functions must be synchronous taking a two arguments: (info, opts)
Found: ${formatFn.toString().split(`
`)[0]}
`),Error.captureStackTrace(this,_InvalidFormatError)}};module.exports=formatFn=>{if(formatFn.length>2)throw new InvalidFormatError(
formatFn);function Format(options={}){this.options=options}Format.prototype.transform=formatFn;function createFormatWrap(opts){
return new Format(opts)}return createFormatWrap.Format=Format,createFormatWrap}}});var require_styles=__commonJS({"node_modules/logform/node_modules/@colors/colors/lib/styles.js"(exports,module){var styles={};
module.exports=styles;var codes={reset:[0,0],bold:[1,22],dim:[2,22],italic:[3,23],underline:[4,24],inverse:[7,27],hidden:[
8,28],strikethrough:[9,29],black:[30,39],red:[31,39],green:[32,39],yellow:[33,39],blue:[34,39],magenta:[35,39],cyan:[36,
39],white:[37,39],gray:[90,39],grey:[90,39],brightRed:[91,39],brightGreen:[92,39],brightYellow:[93,39],brightBlue:[94,39],
brightMagenta:[95,39],brightCyan:[96,39],brightWhite:[97,39],bgBlack:[40,49],bgRed:[41,49],bgGreen:[42,49],bgYellow:[43,
49],bgBlue:[44,49],bgMagenta:[45,49],bgCyan:[46,49],bgWhite:[47,49],bgGray:[100,49],bgGrey:[100,49],bgBrightRed:[101,49],
bgBrightGreen:[102,49],bgBrightYellow:[103,49],bgBrightBlue:[104,49],bgBrightMagenta:[105,49],bgBrightCyan:[106,49],bgBrightWhite:[
107,49],blackBG:[40,49],redBG:[41,49],greenBG:[42,49],yellowBG:[43,49],blueBG:[44,49],magentaBG:[45,49],cyanBG:[46,49],whiteBG:[
47,49]};Object.keys(codes).forEach(function(key){var val=codes[key],style=styles[key]=[];style.open="\x1B["+val[0]+"m",style.
close="\x1B["+val[1]+"m"})}});var require_has_flag=__commonJS({"node_modules/logform/node_modules/@colors/colors/lib/system/has-flag.js"(exports,module){
"use strict";module.exports=function(flag,argv){argv=argv||process.argv||[];var terminatorPos=argv.indexOf("--"),prefix=/^-{1,2}/.
test(flag)?"":"--",pos=argv.indexOf(prefix+flag);return pos!==-1&&(terminatorPos===-1?!0:pos<terminatorPos)}}});var require_supports_colors=__commonJS({"node_modules/logform/node_modules/@colors/colors/lib/system/supports-colors.js"(exports,module){
"use strict";var os=__require("os"),hasFlag=require_has_flag(),env=process.env,forceColor=void 0;hasFlag("no-color")||hasFlag(
"no-colors")||hasFlag("color=false")?forceColor=!1:(hasFlag("color")||hasFlag("colors")||hasFlag("color=true")||hasFlag(
"color=always"))&&(forceColor=!0);"FORCE_COLOR"in env&&(forceColor=env.FORCE_COLOR.length===0||parseInt(env.FORCE_COLOR,
10)!==0);function translateLevel(level){return level===0?!1:{level,hasBasic:!0,has256:level>=2,has16m:level>=3}}function supportsColor(stream){
if(forceColor===!1)return 0;if(hasFlag("color=16m")||hasFlag("color=full")||hasFlag("color=truecolor"))return 3;if(hasFlag(
"color=256"))return 2;if(stream&&!stream.isTTY&&forceColor!==!0)return 0;var min=forceColor?1:0;if(process.platform==="w\
in32"){var osRelease=os.release().split(".");return Number(process.versions.node.split(".")[0])>=8&&Number(osRelease[0])>=
10&&Number(osRelease[2])>=10586?Number(osRelease[2])>=14931?3:2:1}if("CI"in env)return["TRAVIS","CIRCLECI","APPVEYOR","G\
ITLAB_CI"].some(function(sign){return sign in env})||env.CI_NAME==="codeship"?1:min;if("TEAMCITY_VERSION"in env)return/^(9\.(0*[1-9]\d*)\.|\d{2,}\.)/.
test(env.TEAMCITY_VERSION)?1:0;if("TERM_PROGRAM"in env){var version=parseInt((env.TERM_PROGRAM_VERSION||"").split(".")[0],
10);switch(env.TERM_PROGRAM){case"iTerm.app":return version>=3?3:2;case"Hyper":return 3;case"Apple_Terminal":return 2}}return/-256(color)?$/i.
test(env.TERM)?2:/^screen|^xterm|^vt100|^rxvt|color|ansi|cygwin|linux/i.test(env.TERM)||"COLORTERM"in env?1:(env.TERM===
"dumb",min)}function getSupportLevel(stream){var level=supportsColor(stream);return translateLevel(level)}module.exports=
{supportsColor:getSupportLevel,stdout:getSupportLevel(process.stdout),stderr:getSupportLevel(process.stderr)}}});var require_trap=__commonJS({"node_modules/logform/node_modules/@colors/colors/lib/custom/trap.js"(exports,module){module.
exports=function(text,options){var result="";text=text||"Run the trap, drop the bass",text=text.split("");var trap={a:["\
@","\u0104","\u023A","\u0245","\u0394","\u039B","\u0414"],b:["\xDF","\u0181","\u0243","\u026E","\u03B2","\u0E3F"],c:["\xA9",
"\u023B","\u03FE"],d:["\xD0","\u018A","\u0500","\u0501","\u0502","\u0503"],e:["\xCB","\u0115","\u018E","\u0258","\u03A3",
"\u03BE","\u04BC","\u0A6C"],f:["\u04FA"],g:["\u0262"],h:["\u0126","\u0195","\u04A2","\u04BA","\u04C7","\u050A"],i:["\u0F0F"],
j:["\u0134"],k:["\u0138","\u04A0","\u04C3","\u051E"],l:["\u0139"],m:["\u028D","\u04CD","\u04CE","\u0520","\u0521","\u0D69"],
n:["\xD1","\u014B","\u019D","\u0376","\u03A0","\u048A"],o:["\xD8","\xF5","\xF8","\u01FE","\u0298","\u047A","\u05DD","\u06DD",
"\u0E4F"],p:["\u01F7","\u048E"],q:["\u09CD"],r:["\xAE","\u01A6","\u0210","\u024C","\u0280","\u042F"],s:["\xA7","\u03DE",
"\u03DF","\u03E8"],t:["\u0141","\u0166","\u0373"],u:["\u01B1","\u054D"],v:["\u05D8"],w:["\u0428","\u0460","\u047C","\u0D70"],
x:["\u04B2","\u04FE","\u04FC","\u04FD"],y:["\xA5","\u04B0","\u04CB"],z:["\u01B5","\u0240"]};return text.forEach(function(c){
c=c.toLowerCase();var chars=trap[c]||[" "],rand=Math.floor(Math.random()*chars.length);typeof trap[c]<"u"?result+=trap[c][rand]:
result+=c}),result}}});var require_zalgo=__commonJS({"node_modules/logform/node_modules/@colors/colors/lib/custom/zalgo.js"(exports,module){module.
exports=function(text,options){text=text||"   he is here   ";var soul={up:["\u030D","\u030E","\u0304","\u0305","\u033F",
"\u0311","\u0306","\u0310","\u0352","\u0357","\u0351","\u0307","\u0308","\u030A","\u0342","\u0313","\u0308","\u034A","\u034B",
"\u034C","\u0303","\u0302","\u030C","\u0350","\u0300","\u0301","\u030B","\u030F","\u0312","\u0313","\u0314","\u033D","\u0309",
"\u0363","\u0364","\u0365","\u0366","\u0367","\u0368","\u0369","\u036A","\u036B","\u036C","\u036D","\u036E","\u036F","\u033E",
"\u035B","\u0346","\u031A"],down:["\u0316","\u0317","\u0318","\u0319","\u031C","\u031D","\u031E","\u031F","\u0320","\u0324",
"\u0325","\u0326","\u0329","\u032A","\u032B","\u032C","\u032D","\u032E","\u032F","\u0330","\u0331","\u0332","\u0333","\u0339",
"\u033A","\u033B","\u033C","\u0345","\u0347","\u0348","\u0349","\u034D","\u034E","\u0353","\u0354","\u0355","\u0356","\u0359",
"\u035A","\u0323"],mid:["\u0315","\u031B","\u0300","\u0301","\u0358","\u0321","\u0322","\u0327","\u0328","\u0334","\u0335",
"\u0336","\u035C","\u035D","\u035E","\u035F","\u0360","\u0362","\u0338","\u0337","\u0361"," \u0489"]},all=[].concat(soul.
up,soul.down,soul.mid);function randomNumber(range){var r=Math.floor(Math.random()*range);return r}function isChar(character){
var bool=!1;return all.filter(function(i){bool=i===character}),bool}function heComes(text2,options2){var result="",counts,
l;options2=options2||{},options2.up=typeof options2.up<"u"?options2.up:!0,options2.mid=typeof options2.mid<"u"?options2.
mid:!0,options2.down=typeof options2.down<"u"?options2.down:!0,options2.size=typeof options2.size<"u"?options2.size:"max\
i",text2=text2.split("");for(l in text2)if(!isChar(l)){switch(result=result+text2[l],counts={up:0,down:0,mid:0},options2.
size){case"mini":counts.up=randomNumber(8),counts.mid=randomNumber(2),counts.down=randomNumber(8);break;case"maxi":counts.
up=randomNumber(16)+3,counts.mid=randomNumber(4)+1,counts.down=randomNumber(64)+3;break;default:counts.up=randomNumber(8)+
1,counts.mid=randomNumber(6)/2,counts.down=randomNumber(8)+1;break}var arr=["up","mid","down"];for(var d in arr)for(var index=arr[d],
i=0;i<=counts[index];i++)options2[index]&&(result=result+soul[index][randomNumber(soul[index].length)])}return result}return heComes(
text,options)}}});var require_america=__commonJS({"node_modules/logform/node_modules/@colors/colors/lib/maps/america.js"(exports,module){module.
exports=function(colors){return function(letter,i,exploded){if(letter===" ")return letter;switch(i%3){case 0:return colors.
red(letter);case 1:return colors.white(letter);case 2:return colors.blue(letter)}}}}});var require_zebra=__commonJS({"node_modules/logform/node_modules/@colors/colors/lib/maps/zebra.js"(exports,module){module.
exports=function(colors){return function(letter,i,exploded){return i%2===0?letter:colors.inverse(letter)}}}});var require_rainbow=__commonJS({"node_modules/logform/node_modules/@colors/colors/lib/maps/rainbow.js"(exports,module){module.
exports=function(colors){var rainbowColors=["red","yellow","green","blue","magenta"];return function(letter,i,exploded){
return letter===" "?letter:colors[rainbowColors[i++%rainbowColors.length]](letter)}}}});var require_random=__commonJS({"node_modules/logform/node_modules/@colors/colors/lib/maps/random.js"(exports,module){module.
exports=function(colors){var available=["underline","inverse","grey","yellow","red","green","blue","white","cyan","magen\
ta","brightYellow","brightRed","brightGreen","brightBlue","brightWhite","brightCyan","brightMagenta"];return function(letter,i,exploded){
return letter===" "?letter:colors[available[Math.round(Math.random()*(available.length-2))]](letter)}}}});var require_colors=__commonJS({"node_modules/logform/node_modules/@colors/colors/lib/colors.js"(exports,module){var colors={};
module.exports=colors;colors.themes={};var util=__require("util"),ansiStyles=colors.styles=require_styles(),defineProps=Object.
defineProperties,newLineRegex=new RegExp(/[\r\n]+/g);colors.supportsColor=require_supports_colors().supportsColor;typeof colors.
enabled>"u"&&(colors.enabled=colors.supportsColor()!==!1);colors.enable=function(){colors.enabled=!0};colors.disable=function(){
colors.enabled=!1};colors.stripColors=colors.strip=function(str){return(""+str).replace(/\x1B\[\d+m/g,"")};var stylize=colors.
stylize=function(str,style){if(!colors.enabled)return str+"";var styleMap=ansiStyles[style];return!styleMap&&style in colors?
colors[style](str):styleMap.open+str+styleMap.close},matchOperatorsRe=/[|\\{}()[\]^$+*?.]/g,escapeStringRegexp=function(str){
if(typeof str!="string")throw new TypeError("Expected a string");return str.replace(matchOperatorsRe,"\\$&")};function build(_styles){
var builder=function builder2(){return applyStyle.apply(builder2,arguments)};return builder._styles=_styles,builder.__proto__=
proto,builder}var styles=(function(){var ret={};return ansiStyles.grey=ansiStyles.gray,Object.keys(ansiStyles).forEach(function(key){
ansiStyles[key].closeRe=new RegExp(escapeStringRegexp(ansiStyles[key].close),"g"),ret[key]={get:function(){return build(
this._styles.concat(key))}}}),ret})(),proto=defineProps(function(){},styles);function applyStyle(){var args=Array.prototype.
slice.call(arguments),str=args.map(function(arg){return arg!=null&&arg.constructor===String?arg:util.inspect(arg)}).join(
" ");if(!colors.enabled||!str)return str;for(var newLinesPresent=str.indexOf(`
`)!=-1,nestedStyles=this._styles,i=nestedStyles.length;i--;){var code=ansiStyles[nestedStyles[i]];str=code.open+str.replace(
code.closeRe,code.open)+code.close,newLinesPresent&&(str=str.replace(newLineRegex,function(match){return code.close+match+
code.open}))}return str}colors.setTheme=function(theme){if(typeof theme=="string"){console.log("colors.setTheme now only\
 accepts an object, not a string.  If you are trying to set a theme from a file, it is now your (the caller's) responsib\
ility to require the file.  The old syntax looked like colors.setTheme(__dirname + '/../themes/generic-logging.js'); The\
 new syntax looks like colors.setTheme(require(__dirname + '/../themes/generic-logging.js'));");return}for(var style in theme)
(function(style2){colors[style2]=function(str){if(typeof theme[style2]=="object"){var out=str;for(var i in theme[style2])
out=colors[theme[style2][i]](out);return out}return colors[theme[style2]](str)}})(style)};function init(){var ret={};return Object.
keys(styles).forEach(function(name){ret[name]={get:function(){return build([name])}}}),ret}var sequencer=function(map2,str){
var exploded=str.split("");return exploded=exploded.map(map2),exploded.join("")};colors.trap=require_trap();colors.zalgo=
require_zalgo();colors.maps={};colors.maps.america=require_america()(colors);colors.maps.zebra=require_zebra()(colors);colors.
maps.rainbow=require_rainbow()(colors);colors.maps.random=require_random()(colors);for(map in colors.maps)(function(map2){
colors[map2]=function(str){return sequencer(colors.maps[map2],str)}})(map);var map;defineProps(colors,init())}});var require_safe=__commonJS({"node_modules/logform/node_modules/@colors/colors/safe.js"(exports,module){var colors=require_colors();
module.exports=colors}});var require_cli=__commonJS({"node_modules/triple-beam/config/cli.js"(exports){"use strict";exports.levels={error:0,warn:1,
help:2,data:3,info:4,debug:5,prompt:6,verbose:7,input:8,silly:9};exports.colors={error:"red",warn:"yellow",help:"cyan",data:"\
grey",info:"green",debug:"blue",prompt:"grey",verbose:"cyan",input:"grey",silly:"magenta"}}});var require_npm=__commonJS({"node_modules/triple-beam/config/npm.js"(exports){"use strict";exports.levels={error:0,warn:1,
info:2,http:3,verbose:4,debug:5,silly:6};exports.colors={error:"red",warn:"yellow",info:"green",http:"green",verbose:"cy\
an",debug:"blue",silly:"magenta"}}});var require_syslog=__commonJS({"node_modules/triple-beam/config/syslog.js"(exports){"use strict";exports.levels={emerg:0,
alert:1,crit:2,error:3,warning:4,notice:5,info:6,debug:7};exports.colors={emerg:"red",alert:"yellow",crit:"red",error:"r\
ed",warning:"red",notice:"yellow",info:"green",debug:"blue"}}});var require_config=__commonJS({"node_modules/triple-beam/config/index.js"(exports){"use strict";Object.defineProperty(exports,
"cli",{value:require_cli()});Object.defineProperty(exports,"npm",{value:require_npm()});Object.defineProperty(exports,"s\
yslog",{value:require_syslog()})}});var require_triple_beam=__commonJS({"node_modules/triple-beam/index.js"(exports){"use strict";Object.defineProperty(exports,
"LEVEL",{value:Symbol.for("level")});Object.defineProperty(exports,"MESSAGE",{value:Symbol.for("message")});Object.defineProperty(
exports,"SPLAT",{value:Symbol.for("splat")});Object.defineProperty(exports,"configs",{value:require_config()})}});var require_colorize=__commonJS({"node_modules/logform/colorize.js"(exports,module){"use strict";var colors=require_safe(),
{LEVEL,MESSAGE:MESSAGE2}=require_triple_beam();colors.enabled=!0;var hasSpace=/\s+/,Colorizer=class _Colorizer{constructor(opts={}){
opts.colors&&this.addColors(opts.colors),this.options=opts}static addColors(clrs){let nextColors=Object.keys(clrs).reduce(
(acc,level)=>(acc[level]=hasSpace.test(clrs[level])?clrs[level].split(hasSpace):clrs[level],acc),{});return _Colorizer.allColors=
Object.assign({},_Colorizer.allColors||{},nextColors),_Colorizer.allColors}addColors(clrs){return _Colorizer.addColors(clrs)}colorize(lookup,level,message){
if(typeof message>"u"&&(message=level),!Array.isArray(_Colorizer.allColors[lookup]))return colors[_Colorizer.allColors[lookup]](
message);for(let i=0,len=_Colorizer.allColors[lookup].length;i<len;i++)message=colors[_Colorizer.allColors[lookup][i]](message);
return message}transform(info,opts){return opts.all&&typeof info[MESSAGE2]=="string"&&(info[MESSAGE2]=this.colorize(info[LEVEL],
info.level,info[MESSAGE2])),(opts.level||opts.all||!opts.message)&&(info.level=this.colorize(info[LEVEL],info.level)),(opts.
all||opts.message)&&(info.message=this.colorize(info[LEVEL],info.level,info.message)),info}};module.exports=opts=>new Colorizer(
opts);module.exports.Colorizer=module.exports.Format=Colorizer}});var require_levels=__commonJS({"node_modules/logform/levels.js"(exports,module){"use strict";var{Colorizer}=require_colorize();
module.exports=config=>(Colorizer.addColors(config.colors||config),config)}});var require_align=__commonJS({"node_modules/logform/align.js"(exports,module){"use strict";var format2=require_format();
module.exports=format2(info=>(info.message=`	${info.message}`,info))}});var require_errors=__commonJS({"node_modules/logform/errors.js"(exports,module){"use strict";var format2=require_format(),
{LEVEL,MESSAGE:MESSAGE2}=require_triple_beam();module.exports=format2((einfo,{stack,cause})=>{if(einfo instanceof Error){
let info=Object.assign({},einfo,{level:einfo.level,[LEVEL]:einfo[LEVEL]||einfo.level,message:einfo.message,[MESSAGE2]:einfo[MESSAGE2]||
einfo.message});return stack&&(info.stack=einfo.stack),cause&&(info.cause=einfo.cause),info}if(!(einfo.message instanceof
Error))return einfo;let err=einfo.message;return Object.assign(einfo,err),einfo.message=err.message,einfo[MESSAGE2]=err.
message,stack&&(einfo.stack=err.stack),cause&&(einfo.cause=err.cause),einfo})}});var require_pad_levels=__commonJS({"node_modules/logform/pad-levels.js"(exports,module){"use strict";var{configs,LEVEL,MESSAGE:MESSAGE2}=require_triple_beam(),
Padder=class _Padder{constructor(opts={levels:configs.npm.levels}){this.paddings=_Padder.paddingForLevels(opts.levels,opts.
filler),this.options=opts}static getLongestLevel(levels){let lvls=Object.keys(levels).map(level=>level.length);return Math.
max(...lvls)}static paddingForLevel(level,filler,maxLength){let targetLen=maxLength+1-level.length,rep=Math.floor(targetLen/
filler.length);return`${filler}${filler.repeat(rep)}`.slice(0,targetLen)}static paddingForLevels(levels,filler=" "){let maxLength=_Padder.
getLongestLevel(levels);return Object.keys(levels).reduce((acc,level)=>(acc[level]=_Padder.paddingForLevel(level,filler,
maxLength),acc),{})}transform(info,opts){return info.message=`${this.paddings[info[LEVEL]]}${info.message}`,info[MESSAGE2]&&
(info[MESSAGE2]=`${this.paddings[info[LEVEL]]}${info[MESSAGE2]}`),info}};module.exports=opts=>new Padder(opts);module.exports.
Padder=module.exports.Format=Padder}});var require_cli2=__commonJS({"node_modules/logform/cli.js"(exports,module){"use strict";var{Colorizer}=require_colorize(),
{Padder}=require_pad_levels(),{configs,MESSAGE:MESSAGE2}=require_triple_beam(),CliFormat=class{constructor(opts={}){opts.
levels||(opts.levels=configs.cli.levels),this.colorizer=new Colorizer(opts),this.padder=new Padder(opts),this.options=opts}transform(info,opts){
return this.colorizer.transform(this.padder.transform(info,opts),opts),info[MESSAGE2]=`${info.level}:${info.message}`,info}};
module.exports=opts=>new CliFormat(opts);module.exports.Format=CliFormat}});var require_combine=__commonJS({"node_modules/logform/combine.js"(exports,module){"use strict";var format2=require_format();
function cascade(formats){if(formats.every(isValidFormat))return info=>{let obj=info;for(let i=0;i<formats.length;i++)if(obj=
formats[i].transform(obj,formats[i].options),!obj)return!1;return obj}}function isValidFormat(fmt){if(typeof fmt.transform!=
"function")throw new Error(["No transform function found on format. Did you create a format instance?","const myFormat =\
 format(formatFn);","const instance = myFormat();"].join(`
`));return!0}module.exports=(...formats)=>{let combinedFormat=format2(cascade(formats)),instance=combinedFormat();return instance.
Format=combinedFormat.Format,instance};module.exports.cascade=cascade}});var require_safe_stable_stringify=__commonJS({"node_modules/safe-stable-stringify/index.js"(exports,module){"use strict";
var{hasOwnProperty}=Object.prototype,stringify=configure();stringify.configure=configure;stringify.stringify=stringify;stringify.
default=stringify;exports.stringify=stringify;exports.configure=configure;module.exports=stringify;var strEscapeSequencesRegExp=/[\u0000-\u001f\u0022\u005c\ud800-\udfff]/;
function strEscape(str){return str.length<5e3&&!strEscapeSequencesRegExp.test(str)?`"${str}"`:JSON.stringify(str)}function sort(array,comparator){
if(array.length>200||comparator)return array.sort(comparator);for(let i=1;i<array.length;i++){let currentValue=array[i],
position=i;for(;position!==0&&array[position-1]>currentValue;)array[position]=array[position-1],position--;array[position]=
currentValue}return array}var typedArrayPrototypeGetSymbolToStringTag=Object.getOwnPropertyDescriptor(Object.getPrototypeOf(
Object.getPrototypeOf(new Int8Array)),Symbol.toStringTag).get;function isTypedArrayWithEntries(value){return typedArrayPrototypeGetSymbolToStringTag.
call(value)!==void 0&&value.length!==0}function stringifyTypedArray(array,separator,maximumBreadth){array.length<maximumBreadth&&
(maximumBreadth=array.length);let whitespace=separator===","?"":" ",res=`"0":${whitespace}${array[0]}`;for(let i=1;i<maximumBreadth;i++)
res+=`${separator}"${i}":${whitespace}${array[i]}`;return res}function getCircularValueOption(options){if(hasOwnProperty.
call(options,"circularValue")){let circularValue=options.circularValue;if(typeof circularValue=="string")return`"${circularValue}\
"`;if(circularValue==null)return circularValue;if(circularValue===Error||circularValue===TypeError)return{toString(){throw new TypeError(
"Converting circular structure to JSON")}};throw new TypeError('The "circularValue" argument must be of type string or t\
he value null or undefined')}return'"[Circular]"'}function getDeterministicOption(options){let value;if(hasOwnProperty.call(
options,"deterministic")&&(value=options.deterministic,typeof value!="boolean"&&typeof value!="function"))throw new TypeError(
'The "deterministic" argument must be of type boolean or comparator function');return value===void 0?!0:value}function getBooleanOption(options,key){
let value;if(hasOwnProperty.call(options,key)&&(value=options[key],typeof value!="boolean"))throw new TypeError(`The "${key}\
" argument must be of type boolean`);return value===void 0?!0:value}function getPositiveIntegerOption(options,key){let value;
if(hasOwnProperty.call(options,key)){if(value=options[key],typeof value!="number")throw new TypeError(`The "${key}" argu\
ment must be of type number`);if(!Number.isInteger(value))throw new TypeError(`The "${key}" argument must be an integer`);
if(value<1)throw new RangeError(`The "${key}" argument must be >= 1`)}return value===void 0?1/0:value}function getItemCount(number){
return number===1?"1 item":`${number} items`}function getUniqueReplacerSet(replacerArray){let replacerSet=new Set;for(let value of replacerArray)
(typeof value=="string"||typeof value=="number")&&replacerSet.add(String(value));return replacerSet}function getStrictOption(options){
if(hasOwnProperty.call(options,"strict")){let value=options.strict;if(typeof value!="boolean")throw new TypeError('The "\
strict" argument must be of type boolean');if(value)return value2=>{let message=`Object can not safely be stringified. R\
eceived type ${typeof value2}`;throw typeof value2!="function"&&(message+=` (${value2.toString()})`),new Error(message)}}}
function configure(options){options={...options};let fail=getStrictOption(options);fail&&(options.bigint===void 0&&(options.
bigint=!1),"circularValue"in options||(options.circularValue=Error));let circularValue=getCircularValueOption(options),bigint=getBooleanOption(
options,"bigint"),deterministic=getDeterministicOption(options),comparator=typeof deterministic=="function"?deterministic:
void 0,maximumDepth=getPositiveIntegerOption(options,"maximumDepth"),maximumBreadth=getPositiveIntegerOption(options,"ma\
ximumBreadth");function stringifyFnReplacer(key,parent,stack,replacer,spacer,indentation){let value=parent[key];switch(typeof value==
"object"&&value!==null&&typeof value.toJSON=="function"&&(value=value.toJSON(key)),value=replacer.call(parent,key,value),
typeof value){case"string":return strEscape(value);case"object":{if(value===null)return"null";if(stack.indexOf(value)!==
-1)return circularValue;let res="",join=",",originalIndentation=indentation;if(Array.isArray(value)){if(value.length===0)
return"[]";if(maximumDepth<stack.length+1)return'"[Array]"';stack.push(value),spacer!==""&&(indentation+=spacer,res+=`
${indentation}`,join=`,
${indentation}`);let maximumValuesToStringify=Math.min(value.length,maximumBreadth),i=0;for(;i<maximumValuesToStringify-
1;i++){let tmp2=stringifyFnReplacer(String(i),value,stack,replacer,spacer,indentation);res+=tmp2!==void 0?tmp2:"null",res+=
join}let tmp=stringifyFnReplacer(String(i),value,stack,replacer,spacer,indentation);if(res+=tmp!==void 0?tmp:"null",value.
length-1>maximumBreadth){let removedKeys=value.length-maximumBreadth-1;res+=`${join}"... ${getItemCount(removedKeys)} no\
t stringified"`}return spacer!==""&&(res+=`
${originalIndentation}`),stack.pop(),`[${res}]`}let keys=Object.keys(value),keyLength=keys.length;if(keyLength===0)return"\
{}";if(maximumDepth<stack.length+1)return'"[Object]"';let whitespace="",separator="";spacer!==""&&(indentation+=spacer,join=
`,
${indentation}`,whitespace=" ");let maximumPropertiesToStringify=Math.min(keyLength,maximumBreadth);deterministic&&!isTypedArrayWithEntries(
value)&&(keys=sort(keys,comparator)),stack.push(value);for(let i=0;i<maximumPropertiesToStringify;i++){let key2=keys[i],
tmp=stringifyFnReplacer(key2,value,stack,replacer,spacer,indentation);tmp!==void 0&&(res+=`${separator}${strEscape(key2)}\
:${whitespace}${tmp}`,separator=join)}if(keyLength>maximumBreadth){let removedKeys=keyLength-maximumBreadth;res+=`${separator}\
"...":${whitespace}"${getItemCount(removedKeys)} not stringified"`,separator=join}return spacer!==""&&separator.length>1&&
(res=`
${indentation}${res}
${originalIndentation}`),stack.pop(),`{${res}}`}case"number":return isFinite(value)?String(value):fail?fail(value):"null";case"\
boolean":return value===!0?"true":"false";case"undefined":return;case"bigint":if(bigint)return String(value);default:return fail?
fail(value):void 0}}function stringifyArrayReplacer(key,value,stack,replacer,spacer,indentation){switch(typeof value=="o\
bject"&&value!==null&&typeof value.toJSON=="function"&&(value=value.toJSON(key)),typeof value){case"string":return strEscape(
value);case"object":{if(value===null)return"null";if(stack.indexOf(value)!==-1)return circularValue;let originalIndentation=indentation,
res="",join=",";if(Array.isArray(value)){if(value.length===0)return"[]";if(maximumDepth<stack.length+1)return'"[Array]"';
stack.push(value),spacer!==""&&(indentation+=spacer,res+=`
${indentation}`,join=`,
${indentation}`);let maximumValuesToStringify=Math.min(value.length,maximumBreadth),i=0;for(;i<maximumValuesToStringify-
1;i++){let tmp2=stringifyArrayReplacer(String(i),value[i],stack,replacer,spacer,indentation);res+=tmp2!==void 0?tmp2:"nu\
ll",res+=join}let tmp=stringifyArrayReplacer(String(i),value[i],stack,replacer,spacer,indentation);if(res+=tmp!==void 0?
tmp:"null",value.length-1>maximumBreadth){let removedKeys=value.length-maximumBreadth-1;res+=`${join}"... ${getItemCount(
removedKeys)} not stringified"`}return spacer!==""&&(res+=`
${originalIndentation}`),stack.pop(),`[${res}]`}stack.push(value);let whitespace="";spacer!==""&&(indentation+=spacer,join=
`,
${indentation}`,whitespace=" ");let separator="";for(let key2 of replacer){let tmp=stringifyArrayReplacer(key2,value[key2],
stack,replacer,spacer,indentation);tmp!==void 0&&(res+=`${separator}${strEscape(key2)}:${whitespace}${tmp}`,separator=join)}
return spacer!==""&&separator.length>1&&(res=`
${indentation}${res}
${originalIndentation}`),stack.pop(),`{${res}}`}case"number":return isFinite(value)?String(value):fail?fail(value):"null";case"\
boolean":return value===!0?"true":"false";case"undefined":return;case"bigint":if(bigint)return String(value);default:return fail?
fail(value):void 0}}function stringifyIndent(key,value,stack,spacer,indentation){switch(typeof value){case"string":return strEscape(
value);case"object":{if(value===null)return"null";if(typeof value.toJSON=="function"){if(value=value.toJSON(key),typeof value!=
"object")return stringifyIndent(key,value,stack,spacer,indentation);if(value===null)return"null"}if(stack.indexOf(value)!==
-1)return circularValue;let originalIndentation=indentation;if(Array.isArray(value)){if(value.length===0)return"[]";if(maximumDepth<
stack.length+1)return'"[Array]"';stack.push(value),indentation+=spacer;let res2=`
${indentation}`,join2=`,
${indentation}`,maximumValuesToStringify=Math.min(value.length,maximumBreadth),i=0;for(;i<maximumValuesToStringify-1;i++){
let tmp2=stringifyIndent(String(i),value[i],stack,spacer,indentation);res2+=tmp2!==void 0?tmp2:"null",res2+=join2}let tmp=stringifyIndent(
String(i),value[i],stack,spacer,indentation);if(res2+=tmp!==void 0?tmp:"null",value.length-1>maximumBreadth){let removedKeys=value.
length-maximumBreadth-1;res2+=`${join2}"... ${getItemCount(removedKeys)} not stringified"`}return res2+=`
${originalIndentation}`,stack.pop(),`[${res2}]`}let keys=Object.keys(value),keyLength=keys.length;if(keyLength===0)return"\
{}";if(maximumDepth<stack.length+1)return'"[Object]"';indentation+=spacer;let join=`,
${indentation}`,res="",separator="",maximumPropertiesToStringify=Math.min(keyLength,maximumBreadth);isTypedArrayWithEntries(
value)&&(res+=stringifyTypedArray(value,join,maximumBreadth),keys=keys.slice(value.length),maximumPropertiesToStringify-=
value.length,separator=join),deterministic&&(keys=sort(keys,comparator)),stack.push(value);for(let i=0;i<maximumPropertiesToStringify;i++){
let key2=keys[i],tmp=stringifyIndent(key2,value[key2],stack,spacer,indentation);tmp!==void 0&&(res+=`${separator}${strEscape(
key2)}: ${tmp}`,separator=join)}if(keyLength>maximumBreadth){let removedKeys=keyLength-maximumBreadth;res+=`${separator}\
"...": "${getItemCount(removedKeys)} not stringified"`,separator=join}return separator!==""&&(res=`
${indentation}${res}
${originalIndentation}`),stack.pop(),`{${res}}`}case"number":return isFinite(value)?String(value):fail?fail(value):"null";case"\
boolean":return value===!0?"true":"false";case"undefined":return;case"bigint":if(bigint)return String(value);default:return fail?
fail(value):void 0}}function stringifySimple(key,value,stack){switch(typeof value){case"string":return strEscape(value);case"\
object":{if(value===null)return"null";if(typeof value.toJSON=="function"){if(value=value.toJSON(key),typeof value!="obje\
ct")return stringifySimple(key,value,stack);if(value===null)return"null"}if(stack.indexOf(value)!==-1)return circularValue;
let res="",hasLength=value.length!==void 0;if(hasLength&&Array.isArray(value)){if(value.length===0)return"[]";if(maximumDepth<
stack.length+1)return'"[Array]"';stack.push(value);let maximumValuesToStringify=Math.min(value.length,maximumBreadth),i=0;
for(;i<maximumValuesToStringify-1;i++){let tmp2=stringifySimple(String(i),value[i],stack);res+=tmp2!==void 0?tmp2:"null",
res+=","}let tmp=stringifySimple(String(i),value[i],stack);if(res+=tmp!==void 0?tmp:"null",value.length-1>maximumBreadth){
let removedKeys=value.length-maximumBreadth-1;res+=`,"... ${getItemCount(removedKeys)} not stringified"`}return stack.pop(),
`[${res}]`}let keys=Object.keys(value),keyLength=keys.length;if(keyLength===0)return"{}";if(maximumDepth<stack.length+1)
return'"[Object]"';let separator="",maximumPropertiesToStringify=Math.min(keyLength,maximumBreadth);hasLength&&isTypedArrayWithEntries(
value)&&(res+=stringifyTypedArray(value,",",maximumBreadth),keys=keys.slice(value.length),maximumPropertiesToStringify-=
value.length,separator=","),deterministic&&(keys=sort(keys,comparator)),stack.push(value);for(let i=0;i<maximumPropertiesToStringify;i++){
let key2=keys[i],tmp=stringifySimple(key2,value[key2],stack);tmp!==void 0&&(res+=`${separator}${strEscape(key2)}:${tmp}`,
separator=",")}if(keyLength>maximumBreadth){let removedKeys=keyLength-maximumBreadth;res+=`${separator}"...":"${getItemCount(
removedKeys)} not stringified"`}return stack.pop(),`{${res}}`}case"number":return isFinite(value)?String(value):fail?fail(
value):"null";case"boolean":return value===!0?"true":"false";case"undefined":return;case"bigint":if(bigint)return String(
value);default:return fail?fail(value):void 0}}function stringify2(value,replacer,space){if(arguments.length>1){let spacer="";
if(typeof space=="number"?spacer=" ".repeat(Math.min(space,10)):typeof space=="string"&&(spacer=space.slice(0,10)),replacer!=
null){if(typeof replacer=="function")return stringifyFnReplacer("",{"":value},[],replacer,spacer,"");if(Array.isArray(replacer))
return stringifyArrayReplacer("",value,[],getUniqueReplacerSet(replacer),spacer,"")}if(spacer.length!==0)return stringifyIndent(
"",value,[],spacer,"")}return stringifySimple("",value,[])}return stringify2}}});var require_json=__commonJS({"node_modules/logform/json.js"(exports,module){"use strict";var format2=require_format(),{MESSAGE:MESSAGE2}=require_triple_beam(),
stringify=require_safe_stable_stringify();function replacer(key,value){return typeof value=="bigint"?value.toString():value}
module.exports=format2((info,opts)=>{let jsonStringify=stringify.configure(opts);return info[MESSAGE2]=jsonStringify(info,
opts.replacer||replacer,opts.space),info})}});var require_label=__commonJS({"node_modules/logform/label.js"(exports,module){"use strict";var format2=require_format();
module.exports=format2((info,opts)=>opts.message?(info.message=`[${opts.label}] ${info.message}`,info):(info.label=opts.
label,info))}});var require_logstash=__commonJS({"node_modules/logform/logstash.js"(exports,module){"use strict";var format2=require_format(),
{MESSAGE:MESSAGE2}=require_triple_beam(),jsonStringify=require_safe_stable_stringify();module.exports=format2(info=>{let logstash={};
return info.message&&(logstash["@message"]=info.message,delete info.message),info.timestamp&&(logstash["@timestamp"]=info.
timestamp,delete info.timestamp),logstash["@fields"]=info,info[MESSAGE2]=jsonStringify(logstash),info})}});var require_metadata=__commonJS({"node_modules/logform/metadata.js"(exports,module){"use strict";var format2=require_format();
function fillExcept(info,fillExceptKeys,metadataKey){let savedKeys=fillExceptKeys.reduce((acc,key)=>(acc[key]=info[key],
delete info[key],acc),{}),metadata=Object.keys(info).reduce((acc,key)=>(acc[key]=info[key],delete info[key],acc),{});return Object.
assign(info,savedKeys,{[metadataKey]:metadata}),info}function fillWith(info,fillWithKeys,metadataKey){return info[metadataKey]=
fillWithKeys.reduce((acc,key)=>(acc[key]=info[key],delete info[key],acc),{}),info}module.exports=format2((info,opts={})=>{
let metadataKey="metadata";opts.key&&(metadataKey=opts.key);let fillExceptKeys=[];return!opts.fillExcept&&!opts.fillWith&&
(fillExceptKeys.push("level"),fillExceptKeys.push("message")),opts.fillExcept&&(fillExceptKeys=opts.fillExcept),fillExceptKeys.
length>0?fillExcept(info,fillExceptKeys,metadataKey):opts.fillWith?fillWith(info,opts.fillWith,metadataKey):info})}});var require_ms=__commonJS({"node_modules/ms/index.js"(exports,module){var s=1e3,m=s*60,h=m*60,d=h*24,w=d*7,y=d*365.25;module.
exports=function(val,options){options=options||{};var type=typeof val;if(type==="string"&&val.length>0)return parse(val);
if(type==="number"&&isFinite(val))return options.long?fmtLong(val):fmtShort(val);throw new Error("val is not a non-empty\
 string or a valid number. val="+JSON.stringify(val))};function parse(str){if(str=String(str),!(str.length>100)){var match=/^(-?(?:\d+)?\.?\d+) *(milliseconds?|msecs?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w|years?|yrs?|y)?$/i.
exec(str);if(match){var n=parseFloat(match[1]),type=(match[2]||"ms").toLowerCase();switch(type){case"years":case"year":case"\
yrs":case"yr":case"y":return n*y;case"weeks":case"week":case"w":return n*w;case"days":case"day":case"d":return n*d;case"\
hours":case"hour":case"hrs":case"hr":case"h":return n*h;case"minutes":case"minute":case"mins":case"min":case"m":return n*
m;case"seconds":case"second":case"secs":case"sec":case"s":return n*s;case"milliseconds":case"millisecond":case"msecs":case"\
msec":case"ms":return n;default:return}}}}function fmtShort(ms){var msAbs=Math.abs(ms);return msAbs>=d?Math.round(ms/d)+
"d":msAbs>=h?Math.round(ms/h)+"h":msAbs>=m?Math.round(ms/m)+"m":msAbs>=s?Math.round(ms/s)+"s":ms+"ms"}function fmtLong(ms){
var msAbs=Math.abs(ms);return msAbs>=d?plural(ms,msAbs,d,"day"):msAbs>=h?plural(ms,msAbs,h,"hour"):msAbs>=m?plural(ms,msAbs,
m,"minute"):msAbs>=s?plural(ms,msAbs,s,"second"):ms+" ms"}function plural(ms,msAbs,n,name){var isPlural=msAbs>=n*1.5;return Math.
round(ms/n)+" "+name+(isPlural?"s":"")}}});var require_ms2=__commonJS({"node_modules/logform/ms.js"(exports,module){"use strict";var format2=require_format(),ms=require_ms();
module.exports=format2(info=>{let curr=+new Date;return exports.diff=curr-(exports.prevTime||curr),exports.prevTime=curr,
info.ms=`+${ms(exports.diff)}`,info})}});var require_pretty_print=__commonJS({"node_modules/logform/pretty-print.js"(exports,module){"use strict";var inspect=__require("util").
inspect,format2=require_format(),{LEVEL,MESSAGE:MESSAGE2,SPLAT}=require_triple_beam();module.exports=format2((info,opts={})=>{
let stripped=Object.assign({},info);return delete stripped[LEVEL],delete stripped[MESSAGE2],delete stripped[SPLAT],info[MESSAGE2]=
inspect(stripped,!1,opts.depth||null,opts.colorize),info})}});var require_printf=__commonJS({"node_modules/logform/printf.js"(exports,module){"use strict";var{MESSAGE:MESSAGE2}=require_triple_beam(),
Printf=class{constructor(templateFn){this.template=templateFn}transform(info){return info[MESSAGE2]=this.template(info),
info}};module.exports=opts=>new Printf(opts);module.exports.Printf=module.exports.Format=Printf}});var require_simple=__commonJS({"node_modules/logform/simple.js"(exports,module){"use strict";var format2=require_format(),
{MESSAGE:MESSAGE2}=require_triple_beam(),jsonStringify=require_safe_stable_stringify();module.exports=format2(info=>{let stringifiedRest=jsonStringify(
Object.assign({},info,{level:void 0,message:void 0,splat:void 0})),padding=info.padding&&info.padding[info.level]||"";return stringifiedRest!==
"{}"?info[MESSAGE2]=`${info.level}:${padding} ${info.message} ${stringifiedRest}`:info[MESSAGE2]=`${info.level}:${padding}\
 ${info.message}`,info})}});var require_splat=__commonJS({"node_modules/logform/splat.js"(exports,module){"use strict";var util=__require("util"),{SPLAT}=require_triple_beam(),
formatRegExp=/%[scdjifoO%]/g,escapedPercent=/%%/g,Splatter=class{constructor(opts){this.options=opts}_splat(info,tokens){
let msg=info.message,splat=info[SPLAT]||info.splat||[],percents=msg.match(escapedPercent),escapes=percents&&percents.length||
0,extraSplat=tokens.length-escapes-splat.length,metas=extraSplat<0?splat.splice(extraSplat,-1*extraSplat):[],metalen=metas.
length;if(metalen)for(let i=0;i<metalen;i++)Object.assign(info,metas[i]);return info.message=util.format(msg,...splat),info}transform(info){
let msg=info.message,splat=info[SPLAT]||info.splat;if(!splat||!splat.length)return info;let tokens=msg&&msg.match&&msg.match(
formatRegExp);if(!tokens&&(splat||splat.length)){let metas=splat.length>1?splat.splice(0):splat,metalen=metas.length;if(metalen)
for(let i=0;i<metalen;i++)Object.assign(info,metas[i]);return info}return tokens?this._splat(info,tokens):info}};module.
exports=opts=>new Splatter(opts)}});var require_fecha_umd=__commonJS({"node_modules/fecha/lib/fecha.umd.js"(exports,module){(function(global,factory){typeof exports==
"object"&&typeof module<"u"?factory(exports):typeof define=="function"&&define.amd?define(["exports"],factory):factory(global.
fecha={})})(exports,(function(exports2){"use strict";var token=/d{1,4}|M{1,4}|YY(?:YY)?|S{1,3}|Do|ZZ|Z|([HhMsDm])\1?|[aA]|"[^"]*"|'[^']*'/g,
twoDigitsOptional="\\d\\d?",twoDigits="\\d\\d",threeDigits="\\d{3}",fourDigits="\\d{4}",word="[^\\s]+",literal=/\[([^]*?)\]/gm;
function shorten(arr,sLen){for(var newArr=[],i=0,len=arr.length;i<len;i++)newArr.push(arr[i].substr(0,sLen));return newArr}
var monthUpdate=function(arrName){return function(v,i18n){var lowerCaseArr=i18n[arrName].map(function(v2){return v2.toLowerCase()}),
index=lowerCaseArr.indexOf(v.toLowerCase());return index>-1?index:null}};function assign(origObj){for(var args=[],_i=1;_i<
arguments.length;_i++)args[_i-1]=arguments[_i];for(var _a=0,args_1=args;_a<args_1.length;_a++){var obj=args_1[_a];for(var key in obj)
origObj[key]=obj[key]}return origObj}var dayNames=["Sunday","Monday","Tuesday","Wednesday","Thursday","Friday","Saturday"],
monthNames=["January","February","March","April","May","June","July","August","September","October","November","December"],
monthNamesShort=shorten(monthNames,3),dayNamesShort=shorten(dayNames,3),defaultI18n={dayNamesShort,dayNames,monthNamesShort,
monthNames,amPm:["am","pm"],DoFn:function(dayOfMonth){return dayOfMonth+["th","st","nd","rd"][dayOfMonth%10>3?0:(dayOfMonth-
dayOfMonth%10!==10?1:0)*dayOfMonth%10]}},globalI18n=assign({},defaultI18n),setGlobalDateI18n=function(i18n){return globalI18n=
assign(globalI18n,i18n)},regexEscape=function(str){return str.replace(/[|\\{()[^$+*?.-]/g,"\\$&")},pad=function(val,len){
for(len===void 0&&(len=2),val=String(val);val.length<len;)val="0"+val;return val},formatFlags={D:function(dateObj){return String(
dateObj.getDate())},DD:function(dateObj){return pad(dateObj.getDate())},Do:function(dateObj,i18n){return i18n.DoFn(dateObj.
getDate())},d:function(dateObj){return String(dateObj.getDay())},dd:function(dateObj){return pad(dateObj.getDay())},ddd:function(dateObj,i18n){
return i18n.dayNamesShort[dateObj.getDay()]},dddd:function(dateObj,i18n){return i18n.dayNames[dateObj.getDay()]},M:function(dateObj){
return String(dateObj.getMonth()+1)},MM:function(dateObj){return pad(dateObj.getMonth()+1)},MMM:function(dateObj,i18n){return i18n.
monthNamesShort[dateObj.getMonth()]},MMMM:function(dateObj,i18n){return i18n.monthNames[dateObj.getMonth()]},YY:function(dateObj){
return pad(String(dateObj.getFullYear()),4).substr(2)},YYYY:function(dateObj){return pad(dateObj.getFullYear(),4)},h:function(dateObj){
return String(dateObj.getHours()%12||12)},hh:function(dateObj){return pad(dateObj.getHours()%12||12)},H:function(dateObj){
return String(dateObj.getHours())},HH:function(dateObj){return pad(dateObj.getHours())},m:function(dateObj){return String(
dateObj.getMinutes())},mm:function(dateObj){return pad(dateObj.getMinutes())},s:function(dateObj){return String(dateObj.
getSeconds())},ss:function(dateObj){return pad(dateObj.getSeconds())},S:function(dateObj){return String(Math.round(dateObj.
getMilliseconds()/100))},SS:function(dateObj){return pad(Math.round(dateObj.getMilliseconds()/10),2)},SSS:function(dateObj){
return pad(dateObj.getMilliseconds(),3)},a:function(dateObj,i18n){return dateObj.getHours()<12?i18n.amPm[0]:i18n.amPm[1]},
A:function(dateObj,i18n){return dateObj.getHours()<12?i18n.amPm[0].toUpperCase():i18n.amPm[1].toUpperCase()},ZZ:function(dateObj){
var offset=dateObj.getTimezoneOffset();return(offset>0?"-":"+")+pad(Math.floor(Math.abs(offset)/60)*100+Math.abs(offset)%
60,4)},Z:function(dateObj){var offset=dateObj.getTimezoneOffset();return(offset>0?"-":"+")+pad(Math.floor(Math.abs(offset)/
60),2)+":"+pad(Math.abs(offset)%60,2)}},monthParse=function(v){return+v-1},emptyDigits=[null,twoDigitsOptional],emptyWord=[
null,word],amPm=["isPm",word,function(v,i18n){var val=v.toLowerCase();return val===i18n.amPm[0]?0:val===i18n.amPm[1]?1:null}],
timezoneOffset=["timezoneOffset","[^\\s]*?[\\+\\-]\\d\\d:?\\d\\d|[^\\s]*?Z?",function(v){var parts=(v+"").match(/([+-]|\d\d)/gi);
if(parts){var minutes=+parts[1]*60+parseInt(parts[2],10);return parts[0]==="+"?minutes:-minutes}return 0}],parseFlags={D:[
"day",twoDigitsOptional],DD:["day",twoDigits],Do:["day",twoDigitsOptional+word,function(v){return parseInt(v,10)}],M:["m\
onth",twoDigitsOptional,monthParse],MM:["month",twoDigits,monthParse],YY:["year",twoDigits,function(v){var now=new Date,
cent=+(""+now.getFullYear()).substr(0,2);return+(""+(+v>68?cent-1:cent)+v)}],h:["hour",twoDigitsOptional,void 0,"isPm"],
hh:["hour",twoDigits,void 0,"isPm"],H:["hour",twoDigitsOptional],HH:["hour",twoDigits],m:["minute",twoDigitsOptional],mm:[
"minute",twoDigits],s:["second",twoDigitsOptional],ss:["second",twoDigits],YYYY:["year",fourDigits],S:["millisecond","\\d",
function(v){return+v*100}],SS:["millisecond",twoDigits,function(v){return+v*10}],SSS:["millisecond",threeDigits],d:emptyDigits,
dd:emptyDigits,ddd:emptyWord,dddd:emptyWord,MMM:["month",word,monthUpdate("monthNamesShort")],MMMM:["month",word,monthUpdate(
"monthNames")],a:amPm,A:amPm,ZZ:timezoneOffset,Z:timezoneOffset},globalMasks={default:"ddd MMM DD YYYY HH:mm:ss",shortDate:"\
M/D/YY",mediumDate:"MMM D, YYYY",longDate:"MMMM D, YYYY",fullDate:"dddd, MMMM D, YYYY",isoDate:"YYYY-MM-DD",isoDateTime:"\
YYYY-MM-DDTHH:mm:ssZ",shortTime:"HH:mm",mediumTime:"HH:mm:ss",longTime:"HH:mm:ss.SSS"},setGlobalDateMasks=function(masks){
return assign(globalMasks,masks)},format2=function(dateObj,mask,i18n){if(mask===void 0&&(mask=globalMasks.default),i18n===
void 0&&(i18n={}),typeof dateObj=="number"&&(dateObj=new Date(dateObj)),Object.prototype.toString.call(dateObj)!=="[obje\
ct Date]"||isNaN(dateObj.getTime()))throw new Error("Invalid Date pass to format");mask=globalMasks[mask]||mask;var literals=[];
mask=mask.replace(literal,function($0,$1){return literals.push($1),"@@@"});var combinedI18nSettings=assign(assign({},globalI18n),
i18n);return mask=mask.replace(token,function($0){return formatFlags[$0](dateObj,combinedI18nSettings)}),mask.replace(/@@@/g,
function(){return literals.shift()})};function parse(dateStr,format3,i18n){if(i18n===void 0&&(i18n={}),typeof format3!="\
string")throw new Error("Invalid format in fecha parse");if(format3=globalMasks[format3]||format3,dateStr.length>1e3)return null;
var today=new Date,dateInfo={year:today.getFullYear(),month:0,day:1,hour:0,minute:0,second:0,millisecond:0,isPm:null,timezoneOffset:null},
parseInfo=[],literals=[],newFormat=format3.replace(literal,function($0,$1){return literals.push(regexEscape($1)),"@@@"}),
specifiedFields={},requiredFields={};newFormat=regexEscape(newFormat).replace(token,function($0){var info=parseFlags[$0],
field2=info[0],regex=info[1],requiredField=info[3];if(specifiedFields[field2])throw new Error("Invalid format. "+field2+
" specified twice in format");return specifiedFields[field2]=!0,requiredField&&(requiredFields[requiredField]=!0),parseInfo.
push(info),"("+regex+")"}),Object.keys(requiredFields).forEach(function(field2){if(!specifiedFields[field2])throw new Error(
"Invalid format. "+field2+" is required in specified format")}),newFormat=newFormat.replace(/@@@/g,function(){return literals.
shift()});var matches=dateStr.match(new RegExp(newFormat,"i"));if(!matches)return null;for(var combinedI18nSettings=assign(
assign({},globalI18n),i18n),i=1;i<matches.length;i++){var _a=parseInfo[i-1],field=_a[0],parser=_a[2],value=parser?parser(
matches[i],combinedI18nSettings):+matches[i];if(value==null)return null;dateInfo[field]=value}dateInfo.isPm===1&&dateInfo.
hour!=null&&+dateInfo.hour!=12?dateInfo.hour=+dateInfo.hour+12:dateInfo.isPm===0&&+dateInfo.hour==12&&(dateInfo.hour=0);
var dateTZ;if(dateInfo.timezoneOffset==null){dateTZ=new Date(dateInfo.year,dateInfo.month,dateInfo.day,dateInfo.hour,dateInfo.
minute,dateInfo.second,dateInfo.millisecond);for(var validateFields=[["month","getMonth"],["day","getDate"],["hour","get\
Hours"],["minute","getMinutes"],["second","getSeconds"]],i=0,len=validateFields.length;i<len;i++)if(specifiedFields[validateFields[i][0]]&&
dateInfo[validateFields[i][0]]!==dateTZ[validateFields[i][1]]())return null}else if(dateTZ=new Date(Date.UTC(dateInfo.year,
dateInfo.month,dateInfo.day,dateInfo.hour,dateInfo.minute-dateInfo.timezoneOffset,dateInfo.second,dateInfo.millisecond)),
dateInfo.month>11||dateInfo.month<0||dateInfo.day>31||dateInfo.day<1||dateInfo.hour>23||dateInfo.hour<0||dateInfo.minute>
59||dateInfo.minute<0||dateInfo.second>59||dateInfo.second<0)return null;return dateTZ}var fecha={format:format2,parse,defaultI18n,
setGlobalDateI18n,setGlobalDateMasks};exports2.assign=assign,exports2.default=fecha,exports2.format=format2,exports2.parse=
parse,exports2.defaultI18n=defaultI18n,exports2.setGlobalDateI18n=setGlobalDateI18n,exports2.setGlobalDateMasks=setGlobalDateMasks,
Object.defineProperty(exports2,"__esModule",{value:!0})}))}});var require_timestamp=__commonJS({"node_modules/logform/timestamp.js"(exports,module){"use strict";var fecha=require_fecha_umd(),
format2=require_format();module.exports=format2((info,opts={})=>(opts.format&&(info.timestamp=typeof opts.format=="funct\
ion"?opts.format():fecha.format(new Date,opts.format)),info.timestamp||(info.timestamp=new Date().toISOString()),opts.alias&&
(info[opts.alias]=info.timestamp),info))}});var require_uncolorize=__commonJS({"node_modules/logform/uncolorize.js"(exports,module){"use strict";var colors=require_safe(),
format2=require_format(),{MESSAGE:MESSAGE2}=require_triple_beam();module.exports=format2((info,opts)=>(opts.level!==!1&&
(info.level=colors.strip(info.level)),opts.message!==!1&&(info.message=colors.strip(String(info.message))),opts.raw!==!1&&
info[MESSAGE2]&&(info[MESSAGE2]=colors.strip(String(info[MESSAGE2]))),info))}});var require_logform=__commonJS({"node_modules/logform/index.js"(exports){"use strict";var format2=exports.format=require_format();
exports.levels=require_levels();function exposeFormat(name,requireFormat){Object.defineProperty(format2,name,{get(){return requireFormat()},
configurable:!0})}exposeFormat("align",function(){return require_align()});exposeFormat("errors",function(){return require_errors()});
exposeFormat("cli",function(){return require_cli2()});exposeFormat("combine",function(){return require_combine()});exposeFormat(
"colorize",function(){return require_colorize()});exposeFormat("json",function(){return require_json()});exposeFormat("l\
abel",function(){return require_label()});exposeFormat("logstash",function(){return require_logstash()});exposeFormat("m\
etadata",function(){return require_metadata()});exposeFormat("ms",function(){return require_ms2()});exposeFormat("padLev\
els",function(){return require_pad_levels()});exposeFormat("prettyPrint",function(){return require_pretty_print()});exposeFormat(
"printf",function(){return require_printf()});exposeFormat("simple",function(){return require_simple()});exposeFormat("s\
plat",function(){return require_splat()});exposeFormat("timestamp",function(){return require_timestamp()});exposeFormat(
"uncolorize",function(){return require_uncolorize()})}});var require_common=__commonJS({"node_modules/winston/lib/winston/common.js"(exports){"use strict";var{format:format2}=__require("util");
exports.warn={deprecated(prop){return()=>{throw new Error(format2("{ %s } was removed in winston@3.0.0.",prop))}},useFormat(prop){
return()=>{throw new Error([format2("{ %s } was removed in winston@3.0.0.",prop),"Use a custom winston.format = winston.\
format(function) instead."].join(`
`))}},forFunctions(obj,type,props){props.forEach(prop=>{obj[prop]=exports.warn[type](prop)})},forProperties(obj,type,props){
props.forEach(prop=>{let notice=exports.warn[type](prop);Object.defineProperty(obj,prop,{get:notice,set:notice})})}}}});var require_package=__commonJS({"node_modules/winston/package.json"(exports,module){module.exports={name:"winston",description:"\
A logger for just about everything.",version:"3.19.0",author:"Charlie Robbins <charlie.robbins@gmail.com>",maintainers:[
"David Hyde <dabh@alumni.stanford.edu>"],repository:{type:"git",url:"https://github.com/winstonjs/winston.git"},keywords:[
"winston","logger","logging","logs","sysadmin","bunyan","pino","loglevel","tools","json","stream"],dependencies:{"@dabh/\
diagnostics":"^2.0.8","@colors/colors":"^1.6.0",async:"^3.2.3","is-stream":"^2.0.0",logform:"^2.7.0","one-time":"^1.0.0",
"readable-stream":"^3.4.0","safe-stable-stringify":"^2.3.1","stack-trace":"0.0.x","triple-beam":"^1.3.0","winston-transp\
ort":"^4.9.0"},devDependencies:{"@babel/cli":"^7.23.9","@babel/core":"^7.24.0","@babel/preset-env":"^7.24.0","@dabh/esli\
nt-config-populist":"^4.4.0","@types/node":"^20.11.24","abstract-winston-transport":"^0.5.1",assume:"^2.2.0","cross-spaw\
n-async":"^2.2.5",eslint:"^8.57.0",hock:"^1.4.1",jest:"^29.7.0",rimraf:"5.0.10",split2:"^4.1.0","std-mocks":"^2.0.0",through2:"\
^4.0.2","winston-compat":"^0.1.5"},main:"./lib/winston.js",browser:"./dist/winston",types:"./index.d.ts",scripts:{lint:"\
eslint lib/*.js lib/winston/*.js lib/winston/**/*.js --resolve-plugins-relative-to ./node_modules/@dabh/eslint-config-po\
pulist",test:"jest","test:unit":"jest -c test/jest.config.unit.js","test:integration":"jest -c test/jest.config.integrat\
ion.js","test:typescript":"npx --package typescript tsc --project test",build:"babel lib -d dist",prebuild:"rimraf dist",
prepublishOnly:"npm run build"},engines:{node:">= 12.0.0"},license:"MIT"}}});var require_stream_writable=__commonJS({"node_modules/readable-stream/lib/_stream_writable.js"(exports,module){module.exports=
__require("node:stream").Writable}});var require_modern=__commonJS({"node_modules/winston-transport/modern.js"(exports,module){"use strict";var util=__require("util"),
Writable=require_stream_writable(),{LEVEL}=require_triple_beam(),TransportStream=module.exports=function(options={}){Writable.
call(this,{objectMode:!0,highWaterMark:options.highWaterMark}),this.format=options.format,this.level=options.level,this.
handleExceptions=options.handleExceptions,this.handleRejections=options.handleRejections,this.silent=options.silent,options.
log&&(this.log=options.log),options.logv&&(this.logv=options.logv),options.close&&(this.close=options.close),this.once("\
pipe",logger=>{this.levels=logger.levels,this.parent=logger}),this.once("unpipe",src=>{src===this.parent&&(this.parent=null,
this.close&&this.close())})};util.inherits(TransportStream,Writable);TransportStream.prototype._write=function(info,enc,callback){
if(this.silent||info.exception===!0&&!this.handleExceptions)return callback(null);let level=this.level||this.parent&&this.
parent.level;if(!level||this.levels[level]>=this.levels[info[LEVEL]]){if(info&&!this.format)return this.log(info,callback);
let errState,transformed;try{transformed=this.format.transform(Object.assign({},info),this.format.options)}catch(err){errState=
err}if(errState||!transformed){if(callback(),errState)throw errState;return}return this.log(transformed,callback)}return this.
_writableState.sync=!1,callback(null)};TransportStream.prototype._writev=function(chunks,callback){if(this.logv){let infos=chunks.
filter(this._accept,this);return infos.length?this.logv(infos,callback):callback(null)}for(let i=0;i<chunks.length;i++){
if(!this._accept(chunks[i]))continue;if(chunks[i].chunk&&!this.format){this.log(chunks[i].chunk,chunks[i].callback);continue}
let errState,transformed;try{transformed=this.format.transform(Object.assign({},chunks[i].chunk),this.format.options)}catch(err){
errState=err}if(errState||!transformed){if(chunks[i].callback(),errState)throw callback(null),errState}else this.log(transformed,
chunks[i].callback)}return callback(null)};TransportStream.prototype._accept=function(write){let info=write.chunk;if(this.
silent)return!1;let level=this.level||this.parent&&this.parent.level;return!!((info.exception===!0||!level||this.levels[level]>=
this.levels[info[LEVEL]])&&(this.handleExceptions||info.exception!==!0))};TransportStream.prototype._nop=function(){}}});var require_legacy=__commonJS({"node_modules/winston-transport/legacy.js"(exports,module){"use strict";var util=__require("util"),
{LEVEL}=require_triple_beam(),TransportStream=require_modern(),LegacyTransportStream=module.exports=function(options={}){
if(TransportStream.call(this,options),!options.transport||typeof options.transport.log!="function")throw new Error("Inva\
lid transport, must be an object with a log method.");this.transport=options.transport,this.level=this.level||options.transport.
level,this.handleExceptions=this.handleExceptions||options.transport.handleExceptions,this._deprecated();function transportError(err){
this.emit("error",err,this.transport)}this.transport.__winstonError||(this.transport.__winstonError=transportError.bind(
this),this.transport.on("error",this.transport.__winstonError))};util.inherits(LegacyTransportStream,TransportStream);LegacyTransportStream.
prototype._write=function(info,enc,callback){if(this.silent||info.exception===!0&&!this.handleExceptions)return callback(
null);(!this.level||this.levels[this.level]>=this.levels[info[LEVEL]])&&this.transport.log(info[LEVEL],info.message,info,
this._nop),callback(null)};LegacyTransportStream.prototype._writev=function(chunks,callback){for(let i=0;i<chunks.length;i++)
this._accept(chunks[i])&&(this.transport.log(chunks[i].chunk[LEVEL],chunks[i].chunk.message,chunks[i].chunk,this._nop),chunks[i].
callback());return callback(null)};LegacyTransportStream.prototype._deprecated=function(){console.error([`${this.transport.
name} is a legacy winston transport. Consider upgrading: `,"- Upgrade docs: https://github.com/winstonjs/winston/blob/ma\
ster/UPGRADE-3.0.md"].join(`
`))};LegacyTransportStream.prototype.close=function(){this.transport.close&&this.transport.close(),this.transport.__winstonError&&
(this.transport.removeListener("error",this.transport.__winstonError),this.transport.__winstonError=null)}}});var require_winston_transport=__commonJS({"node_modules/winston-transport/index.js"(exports,module){"use strict";module.
exports=require_modern();module.exports.LegacyTransportStream=require_legacy()}});var require_console=__commonJS({"node_modules/winston/lib/winston/transports/console.js"(exports,module){"use strict";var os=__require("os"),
{LEVEL,MESSAGE:MESSAGE2}=require_triple_beam(),TransportStream=require_winston_transport();module.exports=class extends TransportStream{constructor(options={}){
super(options),this.name=options.name||"console",this.stderrLevels=this._stringArrayToSet(options.stderrLevels),this.consoleWarnLevels=
this._stringArrayToSet(options.consoleWarnLevels),this.eol=typeof options.eol=="string"?options.eol:os.EOL,this.forceConsole=
options.forceConsole||!1,this._consoleLog=console.log.bind(console),this._consoleWarn=console.warn.bind(console),this._consoleError=
console.error.bind(console),this.setMaxListeners(30)}log(info,callback){if(setImmediate(()=>this.emit("logged",info)),this.
stderrLevels[info[LEVEL]]){console._stderr&&!this.forceConsole?console._stderr.write(`${info[MESSAGE2]}${this.eol}`):this.
_consoleError(info[MESSAGE2]),callback&&callback();return}else if(this.consoleWarnLevels[info[LEVEL]]){console._stderr&&
!this.forceConsole?console._stderr.write(`${info[MESSAGE2]}${this.eol}`):this._consoleWarn(info[MESSAGE2]),callback&&callback();
return}console._stdout&&!this.forceConsole?console._stdout.write(`${info[MESSAGE2]}${this.eol}`):this._consoleLog(info[MESSAGE2]),
callback&&callback()}_stringArrayToSet(strArray,errMsg){if(!strArray)return{};if(errMsg=errMsg||"Cannot make set from ty\
pe other than Array of string elements",!Array.isArray(strArray))throw new Error(errMsg);return strArray.reduce((set,el)=>{
if(typeof el!="string")throw new Error(errMsg);return set[el]=!0,set},{})}}}});var require_isArrayLike=__commonJS({"node_modules/async/internal/isArrayLike.js"(exports,module){"use strict";Object.defineProperty(
exports,"__esModule",{value:!0});exports.default=isArrayLike;function isArrayLike(value){return value&&typeof value.length==
"number"&&value.length>=0&&value.length%1===0}module.exports=exports.default}});var require_initialParams=__commonJS({"node_modules/async/internal/initialParams.js"(exports,module){"use strict";Object.
defineProperty(exports,"__esModule",{value:!0});exports.default=function(fn){return function(...args){var callback=args.
pop();return fn.call(this,args,callback)}};module.exports=exports.default}});var require_setImmediate=__commonJS({"node_modules/async/internal/setImmediate.js"(exports){"use strict";Object.defineProperty(
exports,"__esModule",{value:!0});exports.fallback=fallback;exports.wrap=wrap;var hasQueueMicrotask=exports.hasQueueMicrotask=
typeof queueMicrotask=="function"&&queueMicrotask,hasSetImmediate=exports.hasSetImmediate=typeof setImmediate=="function"&&
setImmediate,hasNextTick=exports.hasNextTick=typeof process=="object"&&typeof process.nextTick=="function";function fallback(fn){
setTimeout(fn,0)}function wrap(defer){return(fn,...args)=>defer(()=>fn(...args))}var _defer;hasQueueMicrotask?_defer=queueMicrotask:
hasSetImmediate?_defer=setImmediate:hasNextTick?_defer=process.nextTick:_defer=fallback;exports.default=wrap(_defer)}});var require_asyncify=__commonJS({"node_modules/async/asyncify.js"(exports,module){"use strict";Object.defineProperty(exports,
"__esModule",{value:!0});exports.default=asyncify;var _initialParams=require_initialParams(),_initialParams2=_interopRequireDefault(
_initialParams),_setImmediate=require_setImmediate(),_setImmediate2=_interopRequireDefault(_setImmediate),_wrapAsync=require_wrapAsync();
function _interopRequireDefault(obj){return obj&&obj.__esModule?obj:{default:obj}}function asyncify(func){return(0,_wrapAsync.
isAsync)(func)?function(...args){let callback=args.pop(),promise=func.apply(this,args);return handlePromise(promise,callback)}:
(0,_initialParams2.default)(function(args,callback){var result;try{result=func.apply(this,args)}catch(e){return callback(
e)}if(result&&typeof result.then=="function")return handlePromise(result,callback);callback(null,result)})}function handlePromise(promise,callback){
return promise.then(value=>{invokeCallback(callback,null,value)},err=>{invokeCallback(callback,err&&(err instanceof Error||
err.message)?err:new Error(err))})}function invokeCallback(callback,error,value){try{callback(error,value)}catch(err){(0,_setImmediate2.
default)(e=>{throw e},err)}}module.exports=exports.default}});var require_wrapAsync=__commonJS({"node_modules/async/internal/wrapAsync.js"(exports){"use strict";Object.defineProperty(
exports,"__esModule",{value:!0});exports.isAsyncIterable=exports.isAsyncGenerator=exports.isAsync=void 0;var _asyncify=require_asyncify(),
_asyncify2=_interopRequireDefault(_asyncify);function _interopRequireDefault(obj){return obj&&obj.__esModule?obj:{default:obj}}
function isAsync(fn){return fn[Symbol.toStringTag]==="AsyncFunction"}function isAsyncGenerator(fn){return fn[Symbol.toStringTag]===
"AsyncGenerator"}function isAsyncIterable(obj){return typeof obj[Symbol.asyncIterator]=="function"}function wrapAsync(asyncFn){
if(typeof asyncFn!="function")throw new Error("expected a function");return isAsync(asyncFn)?(0,_asyncify2.default)(asyncFn):
asyncFn}exports.default=wrapAsync;exports.isAsync=isAsync;exports.isAsyncGenerator=isAsyncGenerator;exports.isAsyncIterable=
isAsyncIterable}});var require_awaitify=__commonJS({"node_modules/async/internal/awaitify.js"(exports,module){"use strict";Object.defineProperty(
exports,"__esModule",{value:!0});exports.default=awaitify;function awaitify(asyncFn,arity){if(arity||(arity=asyncFn.length),
!arity)throw new Error("arity is undefined");function awaitable(...args){return typeof args[arity-1]=="function"?asyncFn.
apply(this,args):new Promise((resolve,reject)=>{args[arity-1]=(err,...cbArgs)=>{if(err)return reject(err);resolve(cbArgs.
length>1?cbArgs:cbArgs[0])},asyncFn.apply(this,args)})}return awaitable}module.exports=exports.default}});var require_parallel=__commonJS({"node_modules/async/internal/parallel.js"(exports,module){"use strict";Object.defineProperty(
exports,"__esModule",{value:!0});var _isArrayLike=require_isArrayLike(),_isArrayLike2=_interopRequireDefault(_isArrayLike),
_wrapAsync=require_wrapAsync(),_wrapAsync2=_interopRequireDefault(_wrapAsync),_awaitify=require_awaitify(),_awaitify2=_interopRequireDefault(
_awaitify);function _interopRequireDefault(obj){return obj&&obj.__esModule?obj:{default:obj}}exports.default=(0,_awaitify2.
default)((eachfn,tasks,callback)=>{var results=(0,_isArrayLike2.default)(tasks)?[]:{};eachfn(tasks,(task,key,taskCb)=>{(0,_wrapAsync2.
default)(task)((err,...result)=>{result.length<2&&([result]=result),results[key]=result,taskCb(err)})},err=>callback(err,
results))},3);module.exports=exports.default}});var require_once=__commonJS({"node_modules/async/internal/once.js"(exports,module){"use strict";Object.defineProperty(exports,
"__esModule",{value:!0});exports.default=once;function once(fn){function wrapper(...args){if(fn!==null){var callFn=fn;fn=
null,callFn.apply(this,args)}}return Object.assign(wrapper,fn),wrapper}module.exports=exports.default}});var require_getIterator=__commonJS({"node_modules/async/internal/getIterator.js"(exports,module){"use strict";Object.defineProperty(
exports,"__esModule",{value:!0});exports.default=function(coll){return coll[Symbol.iterator]&&coll[Symbol.iterator]()};module.
exports=exports.default}});var require_iterator=__commonJS({"node_modules/async/internal/iterator.js"(exports,module){"use strict";Object.defineProperty(
exports,"__esModule",{value:!0});exports.default=createIterator;var _isArrayLike=require_isArrayLike(),_isArrayLike2=_interopRequireDefault(
_isArrayLike),_getIterator=require_getIterator(),_getIterator2=_interopRequireDefault(_getIterator);function _interopRequireDefault(obj){
return obj&&obj.__esModule?obj:{default:obj}}function createArrayIterator(coll){var i=-1,len=coll.length;return function(){
return++i<len?{value:coll[i],key:i}:null}}function createES2015Iterator(iterator){var i=-1;return function(){var item=iterator.
next();return item.done?null:(i++,{value:item.value,key:i})}}function createObjectIterator(obj){var okeys=obj?Object.keys(
obj):[],i=-1,len=okeys.length;return function next(){var key=okeys[++i];return key==="__proto__"?next():i<len?{value:obj[key],
key}:null}}function createIterator(coll){if((0,_isArrayLike2.default)(coll))return createArrayIterator(coll);var iterator=(0,_getIterator2.
default)(coll);return iterator?createES2015Iterator(iterator):createObjectIterator(coll)}module.exports=exports.default}});var require_onlyOnce=__commonJS({"node_modules/async/internal/onlyOnce.js"(exports,module){"use strict";Object.defineProperty(
exports,"__esModule",{value:!0});exports.default=onlyOnce;function onlyOnce(fn){return function(...args){if(fn===null)throw new Error(
"Callback was already called.");var callFn=fn;fn=null,callFn.apply(this,args)}}module.exports=exports.default}});var require_breakLoop=__commonJS({"node_modules/async/internal/breakLoop.js"(exports,module){"use strict";Object.defineProperty(
exports,"__esModule",{value:!0});var breakLoop={};exports.default=breakLoop;module.exports=exports.default}});var require_asyncEachOfLimit=__commonJS({"node_modules/async/internal/asyncEachOfLimit.js"(exports,module){"use strict";
Object.defineProperty(exports,"__esModule",{value:!0});exports.default=asyncEachOfLimit;var _breakLoop=require_breakLoop(),
_breakLoop2=_interopRequireDefault(_breakLoop);function _interopRequireDefault(obj){return obj&&obj.__esModule?obj:{default:obj}}
function asyncEachOfLimit(generator,limit,iteratee,callback){let done=!1,canceled=!1,awaiting=!1,running=0,idx=0;function replenish(){
running>=limit||awaiting||done||(awaiting=!0,generator.next().then(({value,done:iterDone})=>{if(!(canceled||done)){if(awaiting=
!1,iterDone){done=!0,running<=0&&callback(null);return}running++,iteratee(value,idx,iterateeCallback),idx++,replenish()}}).
catch(handleError))}function iterateeCallback(err,result){if(running-=1,!canceled){if(err)return handleError(err);if(err===
!1){done=!0,canceled=!0;return}if(result===_breakLoop2.default||done&&running<=0)return done=!0,callback(null);replenish()}}
function handleError(err){canceled||(awaiting=!1,done=!0,callback(err))}replenish()}module.exports=exports.default}});var require_eachOfLimit=__commonJS({"node_modules/async/internal/eachOfLimit.js"(exports,module){"use strict";Object.defineProperty(
exports,"__esModule",{value:!0});var _once=require_once(),_once2=_interopRequireDefault(_once),_iterator=require_iterator(),
_iterator2=_interopRequireDefault(_iterator),_onlyOnce=require_onlyOnce(),_onlyOnce2=_interopRequireDefault(_onlyOnce),_wrapAsync=require_wrapAsync(),
_asyncEachOfLimit=require_asyncEachOfLimit(),_asyncEachOfLimit2=_interopRequireDefault(_asyncEachOfLimit),_breakLoop=require_breakLoop(),
_breakLoop2=_interopRequireDefault(_breakLoop);function _interopRequireDefault(obj){return obj&&obj.__esModule?obj:{default:obj}}
exports.default=limit=>(obj,iteratee,callback)=>{if(callback=(0,_once2.default)(callback),limit<=0)throw new RangeError(
"concurrency limit cannot be less than 1");if(!obj)return callback(null);if((0,_wrapAsync.isAsyncGenerator)(obj))return(0,_asyncEachOfLimit2.
default)(obj,limit,iteratee,callback);if((0,_wrapAsync.isAsyncIterable)(obj))return(0,_asyncEachOfLimit2.default)(obj[Symbol.
asyncIterator](),limit,iteratee,callback);var nextElem=(0,_iterator2.default)(obj),done=!1,canceled=!1,running=0,looping=!1;
function iterateeCallback(err,value){if(!canceled)if(running-=1,err)done=!0,callback(err);else if(err===!1)done=!0,canceled=
!0;else{if(value===_breakLoop2.default||done&&running<=0)return done=!0,callback(null);looping||replenish()}}function replenish(){
for(looping=!0;running<limit&&!done;){var elem=nextElem();if(elem===null){done=!0,running<=0&&callback(null);return}running+=
1,iteratee(elem.value,elem.key,(0,_onlyOnce2.default)(iterateeCallback))}looping=!1}replenish()};module.exports=exports.
default}});var require_eachOfLimit2=__commonJS({"node_modules/async/eachOfLimit.js"(exports,module){"use strict";Object.defineProperty(
exports,"__esModule",{value:!0});var _eachOfLimit2=require_eachOfLimit(),_eachOfLimit3=_interopRequireDefault(_eachOfLimit2),
_wrapAsync=require_wrapAsync(),_wrapAsync2=_interopRequireDefault(_wrapAsync),_awaitify=require_awaitify(),_awaitify2=_interopRequireDefault(
_awaitify);function _interopRequireDefault(obj){return obj&&obj.__esModule?obj:{default:obj}}function eachOfLimit(coll,limit,iteratee,callback){
return(0,_eachOfLimit3.default)(limit)(coll,(0,_wrapAsync2.default)(iteratee),callback)}exports.default=(0,_awaitify2.default)(
eachOfLimit,4);module.exports=exports.default}});var require_eachOfSeries=__commonJS({"node_modules/async/eachOfSeries.js"(exports,module){"use strict";Object.defineProperty(
exports,"__esModule",{value:!0});var _eachOfLimit=require_eachOfLimit2(),_eachOfLimit2=_interopRequireDefault(_eachOfLimit),
_awaitify=require_awaitify(),_awaitify2=_interopRequireDefault(_awaitify);function _interopRequireDefault(obj){return obj&&
obj.__esModule?obj:{default:obj}}function eachOfSeries(coll,iteratee,callback){return(0,_eachOfLimit2.default)(coll,1,iteratee,
callback)}exports.default=(0,_awaitify2.default)(eachOfSeries,3);module.exports=exports.default}});var require_series=__commonJS({"node_modules/async/series.js"(exports,module){"use strict";Object.defineProperty(exports,
"__esModule",{value:!0});exports.default=series;var _parallel2=require_parallel(),_parallel3=_interopRequireDefault(_parallel2),
_eachOfSeries=require_eachOfSeries(),_eachOfSeries2=_interopRequireDefault(_eachOfSeries);function _interopRequireDefault(obj){
return obj&&obj.__esModule?obj:{default:obj}}function series(tasks,callback){return(0,_parallel3.default)(_eachOfSeries2.
default,tasks,callback)}module.exports=exports.default}});var require_readable=__commonJS({"node_modules/readable-stream/readable.js"(exports,module){module.exports=__require("node:stream")}});var require_diagnostics=__commonJS({"node_modules/@dabh/diagnostics/diagnostics.js"(exports,module){var adapters=[],modifiers=[],
logger=function(){};function use(adapter){return~adapters.indexOf(adapter)?!1:(adapters.push(adapter),!0)}function set(custom){
logger=custom}function enabled(namespace){for(var async=[],i=0;i<adapters.length;i++){if(adapters[i].async){async.push(adapters[i]);
continue}if(adapters[i](namespace))return!0}return async.length?new Promise(function(resolve){Promise.all(async.map(function(fn){
return fn(namespace)})).then(function(values){resolve(values.some(Boolean))})}):!1}function modify(fn){return~modifiers.
indexOf(fn)?!1:(modifiers.push(fn),!0)}function write(){logger.apply(logger,arguments)}function process2(message){for(var i=0;i<
modifiers.length;i++)message=modifiers[i].apply(modifiers[i],arguments);return message}function introduce(fn,options){var has=Object.
prototype.hasOwnProperty;for(var key in options)has.call(options,key)&&(fn[key]=options[key]);return fn}function nope(options){
return options.enabled=!1,options.modify=modify,options.set=set,options.use=use,introduce(function(){return!1},options)}
function yep(options){function diagnostics(){var args=Array.prototype.slice.call(arguments,0);return write.call(write,options,
process2(args,options)),!0}return options.enabled=!0,options.modify=modify,options.set=set,options.use=use,introduce(diagnostics,
options)}module.exports=function(diagnostics){return diagnostics.introduce=introduce,diagnostics.enabled=enabled,diagnostics.
process=process2,diagnostics.modify=modify,diagnostics.write=write,diagnostics.nope=nope,diagnostics.yep=yep,diagnostics.
set=set,diagnostics.use=use,diagnostics}}});var require_production=__commonJS({"node_modules/@dabh/diagnostics/node/production.js"(exports,module){var create=require_diagnostics(),
diagnostics=create(function prod(namespace,options){return options=options||{},options.namespace=namespace,options.prod=
!0,options.dev=!1,options.force||prod.force?prod.yep(options):prod.nope(options)});module.exports=diagnostics}});var require_node=__commonJS({"node_modules/@dabh/diagnostics/node/index.js"(exports,module){module.exports=require_production()}});var require_tail_file=__commonJS({"node_modules/winston/lib/winston/tail-file.js"(exports,module){"use strict";var fs=__require("fs"),
{StringDecoder}=__require("string_decoder"),{Stream}=require_readable();function noop(){}module.exports=(options,iter)=>{
let buffer=Buffer.alloc(65536),decode=new StringDecoder("utf8"),stream=new Stream,buff="",pos=0,row=0;return options.start===
-1&&delete options.start,stream.readable=!0,stream.destroy=()=>{stream.destroyed=!0,stream.emit("end"),stream.emit("clos\
e")},fs.open(options.file,"a+","0644",(err,fd)=>{if(err){iter?iter(err):stream.emit("error",err),stream.destroy();return}
(function read(){if(stream.destroyed){fs.close(fd,noop);return}return fs.read(fd,buffer,0,buffer.length,pos,(error,bytes)=>{
if(error){iter?iter(error):stream.emit("error",error),stream.destroy();return}if(!bytes)return buff&&((options.start==null||
row>options.start)&&(iter?iter(null,buff):stream.emit("line",buff)),row++,buff=""),setTimeout(read,1e3);let data=decode.
write(buffer.slice(0,bytes));iter||stream.emit("data",data),data=(buff+data).split(/\n+/);let l=data.length-1,i=0;for(;i<
l;i++)(options.start==null||row>options.start)&&(iter?iter(null,data[i]):stream.emit("line",data[i])),row++;return buff=
data[l],pos+=bytes,read()})})()}),iter?stream.destroy:stream}}});var require_file=__commonJS({"node_modules/winston/lib/winston/transports/file.js"(exports,module){"use strict";var fs=__require("fs"),
path=__require("path"),asyncSeries=require_series(),zlib=__require("zlib"),{MESSAGE:MESSAGE2}=require_triple_beam(),{Stream,
PassThrough}=require_readable(),TransportStream=require_winston_transport(),debug=require_node()("winston:file"),os=__require("os"),
tailFile=require_tail_file();module.exports=class extends TransportStream{constructor(options={}){super(options),this.name=
options.name||"file";function throwIf(target,...args){args.slice(1).forEach(name=>{if(options[name])throw new Error(`Can\
not set ${name} and ${target} together`)})}if(this._stream=new PassThrough,this._stream.setMaxListeners(30),this._onError=
this._onError.bind(this),options.filename||options.dirname)throwIf("filename or dirname","stream"),this._basename=this.filename=
options.filename?path.basename(options.filename):"winston.log",this.dirname=options.dirname||path.dirname(options.filename),
this.options=options.options||{flags:"a"};else if(options.stream)console.warn("options.stream will be removed in winston\
@4. Use winston.transports.Stream"),throwIf("stream","filename","maxsize"),this._dest=this._stream.pipe(this._setupStream(
options.stream)),this.dirname=path.dirname(this._dest.path);else throw new Error("Cannot log to file without filename or\
 stream.");this.maxsize=options.maxsize||null,this.rotationFormat=options.rotationFormat||!1,this.zippedArchive=options.
zippedArchive||!1,this.maxFiles=options.maxFiles||null,this.eol=typeof options.eol=="string"?options.eol:os.EOL,this.tailable=
options.tailable||!1,this.lazy=options.lazy||!1,this._size=0,this._pendingSize=0,this._created=0,this._drain=!1,this._opening=
!1,this._ending=!1,this._fileExist=!1,this.dirname&&this._createLogDirIfNotExist(this.dirname),this.lazy||this.open()}finishIfEnding(){
this._ending&&(this._opening?this.once("open",()=>{this._stream.once("finish",()=>this.emit("finish")),setImmediate(()=>this.
_stream.end())}):(this._stream.once("finish",()=>this.emit("finish")),setImmediate(()=>this._stream.end())))}_final(callback){
if(this._opening){this.once("open",()=>this._final(callback));return}if(this._stream.end(),!this._dest||this._dest.writableFinished)
return callback();this._dest.once("finish",callback),this._dest.once("error",callback)}log(info,callback=()=>{}){if(this.
silent)return callback(),!0;if(this._drain){this._stream.once("drain",()=>{this._drain=!1,this.log(info,callback)});return}
if(this._rotate){this._stream.once("rotate",()=>{this._rotate=!1,this.log(info,callback)});return}if(this.lazy){if(!this.
_fileExist){this._opening||this.open(),this.once("open",()=>{this._fileExist=!0,this.log(info,callback)});return}if(this.
_needsNewFile(this._pendingSize)){this._dest.once("close",()=>{this._opening||this.open(),this.once("open",()=>{this.log(
info,callback)})});return}}let output=`${info[MESSAGE2]}${this.eol}`,bytes=Buffer.byteLength(output);function logged(){if(this.
_size+=bytes,this._pendingSize-=bytes,debug("logged %s %s",this._size,output),this.emit("logged",info),!this._rotate&&!this.
_opening&&this._needsNewFile()){if(this.lazy){this._endStream(()=>{this.emit("fileclosed")});return}this._rotate=!0,this.
_endStream(()=>this._rotateFile())}}this._pendingSize+=bytes,this._opening&&!this.rotatedWhileOpening&&this._needsNewFile(
this._size+this._pendingSize)&&(this.rotatedWhileOpening=!0);let written=this._stream.write(output,logged.bind(this));return written?
callback():(this._drain=!0,this._stream.once("drain",()=>{this._drain=!1,callback()})),debug("written",written,this._drain),
this.finishIfEnding(),written}query(options,callback){typeof options=="function"&&(callback=options,options={}),options=
normalizeQuery(options);let file=path.join(this.dirname,this.filename),buff="",results=[],row=0,stream=fs.createReadStream(
file,{encoding:"utf8"});stream.on("error",err=>{if(stream.readable&&stream.destroy(),!!callback)return err.code!=="ENOEN\
T"?callback(err):callback(null,results)}),stream.on("data",data=>{data=(buff+data).split(/\n+/);let l=data.length-1,i=0;
for(;i<l;i++)(!options.start||row>=options.start)&&add(data[i]),row++;buff=data[l]}),stream.on("close",()=>{buff&&add(buff,
!0),options.order==="desc"&&(results=results.reverse()),callback&&callback(null,results)});function add(buff2,attempt){try{
let log=JSON.parse(buff2);check(log)&&push(log)}catch(e){attempt||stream.emit("error",e)}}function push(log){if(options.
rows&&results.length>=options.rows&&options.order!=="desc"){stream.readable&&stream.destroy();return}options.fields&&(log=
options.fields.reduce((obj,key)=>(obj[key]=log[key],obj),{})),options.order==="desc"&&results.length>=options.rows&&results.
shift(),results.push(log)}function check(log){if(!log||typeof log!="object")return;let time=new Date(log.timestamp);if(!(options.
from&&time<options.from||options.until&&time>options.until||options.level&&options.level!==log.level))return!0}function normalizeQuery(options2){
return options2=options2||{},options2.rows=options2.rows||options2.limit||10,options2.start=options2.start||0,options2.until=
options2.until||new Date,typeof options2.until!="object"&&(options2.until=new Date(options2.until)),options2.from=options2.
from||options2.until-1440*60*1e3,typeof options2.from!="object"&&(options2.from=new Date(options2.from)),options2.order=
options2.order||"desc",options2}}stream(options={}){let file=path.join(this.dirname,this.filename),stream=new Stream,tail={
file,start:options.start};return stream.destroy=tailFile(tail,(err,line)=>{if(err)return stream.emit("error",err);try{stream.
emit("data",line),line=JSON.parse(line),stream.emit("log",line)}catch(e){stream.emit("error",e)}}),stream}open(){this.filename&&
(this._opening||(this._opening=!0,this.stat((err,size)=>{if(err)return this.emit("error",err);debug("stat done: %s { siz\
e: %s }",this.filename,size),this._size=size,this._dest=this._createStream(this._stream),this._opening=!1,this.once("ope\
n",()=>{this._stream.emit("rotate")||(this._rotate=!1)})})))}stat(callback){let target=this._getFile(),fullpath=path.join(
this.dirname,target);fs.stat(fullpath,(err,stat)=>{if(err&&err.code==="ENOENT")return debug("ENOENT\xA0ok",fullpath),this.
filename=target,callback(null,0);if(err)return debug(`err ${err.code} ${fullpath}`),callback(err);if(!stat||this._needsNewFile(
stat.size))return this._incFile(()=>this.stat(callback));this.filename=target,callback(null,stat.size)})}close(cb){this.
_stream&&this._stream.end(()=>{cb&&cb(),this.emit("flush"),this.emit("closed")})}_needsNewFile(size){return size=size||this.
_size,this.maxsize&&size>=this.maxsize}_onError(err){this.emit("error",err)}_setupStream(stream){return stream.on("error",
this._onError),stream}_cleanupStream(stream){return stream.removeListener("error",this._onError),stream.destroy(),stream}_rotateFile(){
this._incFile(()=>this.open())}_endStream(callback=()=>{}){this._dest?(this._stream.unpipe(this._dest),this._dest.end(()=>{
this._cleanupStream(this._dest),callback()})):callback()}_createStream(source){let fullpath=path.join(this.dirname,this.
filename);debug("create stream start",fullpath,this.options);let dest=fs.createWriteStream(fullpath,this.options).on("er\
ror",err=>debug(err)).on("close",()=>debug("close",dest.path,dest.bytesWritten)).on("open",()=>{debug("file open ok",fullpath),
this.emit("open",fullpath),source.pipe(dest),this.rotatedWhileOpening&&(this._stream=new PassThrough,this._stream.setMaxListeners(
30),this._rotateFile(),this.rotatedWhileOpening=!1,this._cleanupStream(dest),source.end())});return debug("create stream\
 ok",fullpath),dest}_incFile(callback){debug("_incFile",this.filename);let ext=path.extname(this._basename),basename=path.
basename(this._basename,ext),tasks=[];this.zippedArchive&&tasks.push(function(cb){let num=this._created>0&&!this.tailable?
this._created:"";this._compressFile(path.join(this.dirname,`${basename}${num}${ext}`),path.join(this.dirname,`${basename}${num}${ext}\
.gz`),cb)}.bind(this)),tasks.push(function(cb){this.tailable?this._checkMaxFilesTailable(ext,basename,cb):(this._created+=
1,this._checkMaxFilesIncrementing(ext,basename,cb))}.bind(this)),asyncSeries(tasks,callback)}_getFile(){let ext=path.extname(
this._basename),basename=path.basename(this._basename,ext),isRotation=this.rotationFormat?this.rotationFormat():this._created;
return!this.tailable&&this._created?`${basename}${isRotation}${ext}`:`${basename}${ext}`}_checkMaxFilesIncrementing(ext,basename,callback){
if(!this.maxFiles||this._created<this.maxFiles)return setImmediate(callback);let oldest=this._created-this.maxFiles,isOldest=oldest!==
0?oldest:"",isZipped=this.zippedArchive?".gz":"",filePath=`${basename}${isOldest}${ext}${isZipped}`,target=path.join(this.
dirname,filePath);fs.unlink(target,callback)}_checkMaxFilesTailable(ext,basename,callback){let tasks=[];if(!this.maxFiles)
return;let isZipped=this.zippedArchive?".gz":"";for(let x=this.maxFiles-1;x>1;x--)tasks.push(function(i,cb){let fileName=`${basename}${i-
1}${ext}${isZipped}`,tmppath=path.join(this.dirname,fileName);fs.exists(tmppath,exists=>{if(!exists)return cb(null);fileName=
`${basename}${i}${ext}${isZipped}`,fs.rename(tmppath,path.join(this.dirname,fileName),cb)})}.bind(this,x));asyncSeries(tasks,
()=>{fs.rename(path.join(this.dirname,`${basename}${ext}${isZipped}`),path.join(this.dirname,`${basename}1${ext}${isZipped}`),
callback)})}_compressFile(src,dest,callback){fs.access(src,fs.F_OK,err=>{if(err)return callback();var gzip=zlib.createGzip(),
inp=fs.createReadStream(src),out=fs.createWriteStream(dest);out.on("finish",()=>{fs.unlink(src,callback)}),inp.pipe(gzip).
pipe(out)})}_createLogDirIfNotExist(dirPath){fs.existsSync(dirPath)||fs.mkdirSync(dirPath,{recursive:!0})}}}});var require_http=__commonJS({"node_modules/winston/lib/winston/transports/http.js"(exports,module){"use strict";var http=__require("http"),
https=__require("https"),{Stream}=require_readable(),TransportStream=require_winston_transport(),{configure}=require_safe_stable_stringify();
module.exports=class extends TransportStream{constructor(options={}){super(options),this.options=options,this.name=options.
name||"http",this.ssl=!!options.ssl,this.host=options.host||"localhost",this.port=options.port,this.auth=options.auth,this.
path=options.path||"",this.maximumDepth=options.maximumDepth,this.agent=options.agent,this.headers=options.headers||{},this.
headers["content-type"]="application/json",this.batch=options.batch||!1,this.batchInterval=options.batchInterval||5e3,this.
batchCount=options.batchCount||10,this.batchOptions=[],this.batchTimeoutID=-1,this.batchCallback={},this.port||(this.port=
this.ssl?443:80)}log(info,callback){this._request(info,null,null,(err,res)=>{res&&res.statusCode!==200&&(err=new Error(`\
Invalid HTTP Status Code: ${res.statusCode}`)),err?this.emit("warn",err):this.emit("logged",info)}),callback&&setImmediate(
callback)}query(options,callback){typeof options=="function"&&(callback=options,options={}),options={method:"query",params:this.
normalizeQuery(options)};let auth=options.params.auth||null;delete options.params.auth;let path=options.params.path||null;
delete options.params.path,this._request(options,auth,path,(err,res,body)=>{if(res&&res.statusCode!==200&&(err=new Error(
`Invalid HTTP Status Code: ${res.statusCode}`)),err)return callback(err);if(typeof body=="string")try{body=JSON.parse(body)}catch(e){
return callback(e)}callback(null,body)})}stream(options={}){let stream=new Stream;options={method:"stream",params:options};
let path=options.params.path||null;delete options.params.path;let auth=options.params.auth||null;delete options.params.auth;
let buff="",req=this._request(options,auth,path);return stream.destroy=()=>req.destroy(),req.on("data",data=>{data=(buff+
data).split(/\n+/);let l=data.length-1,i=0;for(;i<l;i++)try{stream.emit("log",JSON.parse(data[i]))}catch(e){stream.emit(
"error",e)}buff=data[l]}),req.on("error",err=>stream.emit("error",err)),stream}_request(options,auth,path,callback){options=
options||{},auth=auth||this.auth,path=path||this.path||"",this.batch?this._doBatch(options,callback,auth,path):this._doRequest(
options,callback,auth,path)}_doBatch(options,callback,auth,path){if(this.batchOptions.push(options),this.batchOptions.length===
1){let me=this;this.batchCallback=callback,this.batchTimeoutID=setTimeout(function(){me.batchTimeoutID=-1,me._doBatchRequest(
me.batchCallback,auth,path)},this.batchInterval)}this.batchOptions.length===this.batchCount&&this._doBatchRequest(this.batchCallback,
auth,path)}_doBatchRequest(callback,auth,path){this.batchTimeoutID>0&&(clearTimeout(this.batchTimeoutID),this.batchTimeoutID=
-1);let batchOptionsCopy=this.batchOptions.slice();this.batchOptions=[],this._doRequest(batchOptionsCopy,callback,auth,path)}_doRequest(options,callback,auth,path){
let headers=Object.assign({},this.headers);auth&&auth.bearer&&(headers.Authorization=`Bearer ${auth.bearer}`);let req=(this.
ssl?https:http).request({...this.options,method:"POST",host:this.host,port:this.port,path:`/${path.replace(/^\//,"")}`,headers,
auth:auth&&auth.username&&auth.password?`${auth.username}:${auth.password}`:"",agent:this.agent});req.on("error",callback),
req.on("response",res=>res.on("end",()=>callback(null,res)).resume());let jsonStringify=configure({...this.maximumDepth&&
{maximumDepth:this.maximumDepth}});req.end(Buffer.from(jsonStringify(options,this.options.replacer),"utf8"))}}}});var require_is_stream=__commonJS({"node_modules/is-stream/index.js"(exports,module){"use strict";var isStream=stream=>stream!==
null&&typeof stream=="object"&&typeof stream.pipe=="function";isStream.writable=stream=>isStream(stream)&&stream.writable!==
!1&&typeof stream._write=="function"&&typeof stream._writableState=="object";isStream.readable=stream=>isStream(stream)&&
stream.readable!==!1&&typeof stream._read=="function"&&typeof stream._readableState=="object";isStream.duplex=stream=>isStream.
writable(stream)&&isStream.readable(stream);isStream.transform=stream=>isStream.duplex(stream)&&typeof stream._transform==
"function";module.exports=isStream}});var require_stream=__commonJS({"node_modules/winston/lib/winston/transports/stream.js"(exports,module){"use strict";var isStream=require_is_stream(),
{MESSAGE:MESSAGE2}=require_triple_beam(),os=__require("os"),TransportStream=require_winston_transport();module.exports=class extends TransportStream{constructor(options={}){
if(super(options),!options.stream||!isStream(options.stream))throw new Error("options.stream is required.");this._stream=
options.stream,this._stream.setMaxListeners(1/0),this.isObjectMode=options.stream._writableState.objectMode,this.eol=typeof options.
eol=="string"?options.eol:os.EOL}log(info,callback){if(setImmediate(()=>this.emit("logged",info)),this.isObjectMode){this.
_stream.write(info),callback&&callback();return}this._stream.write(`${info[MESSAGE2]}${this.eol}`),callback&&callback()}}}});var require_transports=__commonJS({"node_modules/winston/lib/winston/transports/index.js"(exports){"use strict";Object.defineProperty(
exports,"Console",{configurable:!0,enumerable:!0,get(){return require_console()}});Object.defineProperty(exports,"File",
{configurable:!0,enumerable:!0,get(){return require_file()}});Object.defineProperty(exports,"Http",{configurable:!0,enumerable:!0,
get(){return require_http()}});Object.defineProperty(exports,"Stream",{configurable:!0,enumerable:!0,get(){return require_stream()}})}});var require_config2=__commonJS({"node_modules/winston/lib/winston/config/index.js"(exports){"use strict";var logform=require_logform(),
{configs}=require_triple_beam();exports.cli=logform.levels(configs.cli);exports.npm=logform.levels(configs.npm);exports.
syslog=logform.levels(configs.syslog);exports.addColors=logform.levels}});var require_eachOf=__commonJS({"node_modules/async/eachOf.js"(exports,module){"use strict";Object.defineProperty(exports,
"__esModule",{value:!0});var _isArrayLike=require_isArrayLike(),_isArrayLike2=_interopRequireDefault(_isArrayLike),_breakLoop=require_breakLoop(),
_breakLoop2=_interopRequireDefault(_breakLoop),_eachOfLimit=require_eachOfLimit2(),_eachOfLimit2=_interopRequireDefault(
_eachOfLimit),_once=require_once(),_once2=_interopRequireDefault(_once),_onlyOnce=require_onlyOnce(),_onlyOnce2=_interopRequireDefault(
_onlyOnce),_wrapAsync=require_wrapAsync(),_wrapAsync2=_interopRequireDefault(_wrapAsync),_awaitify=require_awaitify(),_awaitify2=_interopRequireDefault(
_awaitify);function _interopRequireDefault(obj){return obj&&obj.__esModule?obj:{default:obj}}function eachOfArrayLike(coll,iteratee,callback){
callback=(0,_once2.default)(callback);var index=0,completed=0,{length}=coll,canceled=!1;length===0&&callback(null);function iteratorCallback(err,value){
err===!1&&(canceled=!0),canceled!==!0&&(err?callback(err):(++completed===length||value===_breakLoop2.default)&&callback(
null))}for(;index<length;index++)iteratee(coll[index],index,(0,_onlyOnce2.default)(iteratorCallback))}function eachOfGeneric(coll,iteratee,callback){
return(0,_eachOfLimit2.default)(coll,1/0,iteratee,callback)}function eachOf(coll,iteratee,callback){var eachOfImplementation=(0,_isArrayLike2.
default)(coll)?eachOfArrayLike:eachOfGeneric;return eachOfImplementation(coll,(0,_wrapAsync2.default)(iteratee),callback)}
exports.default=(0,_awaitify2.default)(eachOf,3);module.exports=exports.default}});var require_withoutIndex=__commonJS({"node_modules/async/internal/withoutIndex.js"(exports,module){"use strict";Object.defineProperty(
exports,"__esModule",{value:!0});exports.default=_withoutIndex;function _withoutIndex(iteratee){return(value,index,callback)=>iteratee(
value,callback)}module.exports=exports.default}});var require_forEach=__commonJS({"node_modules/async/forEach.js"(exports,module){"use strict";Object.defineProperty(exports,
"__esModule",{value:!0});var _eachOf=require_eachOf(),_eachOf2=_interopRequireDefault(_eachOf),_withoutIndex=require_withoutIndex(),
_withoutIndex2=_interopRequireDefault(_withoutIndex),_wrapAsync=require_wrapAsync(),_wrapAsync2=_interopRequireDefault(_wrapAsync),
_awaitify=require_awaitify(),_awaitify2=_interopRequireDefault(_awaitify);function _interopRequireDefault(obj){return obj&&
obj.__esModule?obj:{default:obj}}function eachLimit(coll,iteratee,callback){return(0,_eachOf2.default)(coll,(0,_withoutIndex2.
default)((0,_wrapAsync2.default)(iteratee)),callback)}exports.default=(0,_awaitify2.default)(eachLimit,3);module.exports=
exports.default}});var require_fn=__commonJS({"node_modules/fn.name/index.js"(exports,module){"use strict";var toString=Object.prototype.toString;
module.exports=function(fn){if(typeof fn.displayName=="string"&&fn.constructor.name)return fn.displayName;if(typeof fn.name==
"string"&&fn.name)return fn.name;if(typeof fn=="object"&&fn.constructor&&typeof fn.constructor.name=="string")return fn.
constructor.name;var named=fn.toString(),type=toString.call(fn).slice(8,-1);return type==="Function"?named=named.substring(
named.indexOf("(")+1,named.indexOf(")")):named=type,named||"anonymous"}}});var require_one_time=__commonJS({"node_modules/one-time/index.js"(exports,module){"use strict";var name=require_fn();module.
exports=function(fn){var called=0,value;function onetime(){return called||(called=1,value=fn.apply(this,arguments),fn=null),
value}return onetime.displayName=name(fn),onetime}}});var require_stack_trace=__commonJS({"node_modules/stack-trace/lib/stack-trace.js"(exports){exports.get=function(belowFn){
var oldLimit=Error.stackTraceLimit;Error.stackTraceLimit=1/0;var dummyObject={},v8Handler=Error.prepareStackTrace;Error.
prepareStackTrace=function(dummyObject2,v8StackTrace2){return v8StackTrace2},Error.captureStackTrace(dummyObject,belowFn||
exports.get);var v8StackTrace=dummyObject.stack;return Error.prepareStackTrace=v8Handler,Error.stackTraceLimit=oldLimit,
v8StackTrace};exports.parse=function(err){if(!err.stack)return[];var self=this,lines=err.stack.split(`
`).slice(1);return lines.map(function(line){if(line.match(/^\s*[-]{4,}$/))return self._createParsedCallSite({fileName:line,
lineNumber:null,functionName:null,typeName:null,methodName:null,columnNumber:null,native:null});var lineMatch=line.match(
/at (?:(.+)\s+\()?(?:(.+?):(\d+)(?::(\d+))?|([^)]+))\)?/);if(lineMatch){var object=null,method=null,functionName=null,typeName=null,
methodName=null,isNative=lineMatch[5]==="native";if(lineMatch[1]){functionName=lineMatch[1];var methodStart=functionName.
lastIndexOf(".");if(functionName[methodStart-1]=="."&&methodStart--,methodStart>0){object=functionName.substr(0,methodStart),
method=functionName.substr(methodStart+1);var objectEnd=object.indexOf(".Module");objectEnd>0&&(functionName=functionName.
substr(objectEnd+1),object=object.substr(0,objectEnd))}typeName=null}method&&(typeName=object,methodName=method),method===
"<anonymous>"&&(methodName=null,functionName=null);var properties={fileName:lineMatch[2]||null,lineNumber:parseInt(lineMatch[3],
10)||null,functionName,typeName,methodName,columnNumber:parseInt(lineMatch[4],10)||null,native:isNative};return self._createParsedCallSite(
properties)}}).filter(function(callSite){return!!callSite})};function CallSite(properties){for(var property in properties)
this[property]=properties[property]}var strProperties=["this","typeName","functionName","methodName","fileName","lineNum\
ber","columnNumber","function","evalOrigin"],boolProperties=["topLevel","eval","native","constructor"];strProperties.forEach(
function(property){CallSite.prototype[property]=null,CallSite.prototype["get"+property[0].toUpperCase()+property.substr(
1)]=function(){return this[property]}});boolProperties.forEach(function(property){CallSite.prototype[property]=!1,CallSite.
prototype["is"+property[0].toUpperCase()+property.substr(1)]=function(){return this[property]}});exports._createParsedCallSite=
function(properties){return new CallSite(properties)}}});var require_exception_stream=__commonJS({"node_modules/winston/lib/winston/exception-stream.js"(exports,module){"use str\
ict";var{Writable}=require_readable();module.exports=class extends Writable{constructor(transport){if(super({objectMode:!0}),
!transport)throw new Error("ExceptionStream requires a TransportStream instance.");this.handleExceptions=!0,this.transport=
transport}_write(info,enc,callback){return info.exception?this.transport.log(info,callback):(callback(),!0)}}}});var require_exception_handler=__commonJS({"node_modules/winston/lib/winston/exception-handler.js"(exports,module){"use s\
trict";var os=__require("os"),asyncForEach=require_forEach(),debug=require_node()("winston:exception"),once=require_one_time(),
stackTrace=require_stack_trace(),ExceptionStream=require_exception_stream();module.exports=class{constructor(logger){if(!logger)
throw new Error("Logger is required to handle exceptions");this.logger=logger,this.handlers=new Map}handle(...args){args.
forEach(arg=>{if(Array.isArray(arg))return arg.forEach(handler=>this._addHandler(handler));this._addHandler(arg)}),this.
catcher||(this.catcher=this._uncaughtException.bind(this),process.on("uncaughtException",this.catcher))}unhandle(){this.
catcher&&(process.removeListener("uncaughtException",this.catcher),this.catcher=!1,Array.from(this.handlers.values()).forEach(
wrapper=>this.logger.unpipe(wrapper)))}getAllInfo(err){let message=null;return err&&(message=typeof err=="string"?err:err.
message),{error:err,level:"error",message:[`uncaughtException: ${message||"(no error message)"}`,err&&err.stack||"  No s\
tack trace"].join(`
`),stack:err&&err.stack,exception:!0,date:new Date().toString(),process:this.getProcessInfo(),os:this.getOsInfo(),trace:this.
getTrace(err)}}getProcessInfo(){return{pid:process.pid,uid:process.getuid?process.getuid():null,gid:process.getgid?process.
getgid():null,cwd:process.cwd(),execPath:process.execPath,version:process.version,argv:process.argv,memoryUsage:process.
memoryUsage()}}getOsInfo(){return{loadavg:os.loadavg(),uptime:os.uptime()}}getTrace(err){return(err?stackTrace.parse(err):
stackTrace.get()).map(site=>({column:site.getColumnNumber(),file:site.getFileName(),function:site.getFunctionName(),line:site.
getLineNumber(),method:site.getMethodName(),native:site.isNative()}))}_addHandler(handler){if(!this.handlers.has(handler)){
handler.handleExceptions=!0;let wrapper=new ExceptionStream(handler);this.handlers.set(handler,wrapper),this.logger.pipe(
wrapper)}}_uncaughtException(err){let info=this.getAllInfo(err),handlers=this._getExceptionHandlers(),doExit=typeof this.
logger.exitOnError=="function"?this.logger.exitOnError(err):this.logger.exitOnError,timeout;!handlers.length&&doExit&&(console.
warn("winston: exitOnError cannot be true with no exception handlers."),console.warn("winston: not exiting process."),doExit=
!1);function gracefulExit(){debug("doExit",doExit),debug("process._exiting",process._exiting),doExit&&!process._exiting&&
(timeout&&clearTimeout(timeout),process.exit(1))}if(!handlers||handlers.length===0)return process.nextTick(gracefulExit);
asyncForEach(handlers,(handler,next)=>{let done=once(next),transport=handler.transport||handler;function onDone(event){return()=>{
debug(event),done()}}transport._ending=!0,transport.once("finish",onDone("finished")),transport.once("error",onDone("err\
or"))},()=>doExit&&gracefulExit()),this.logger.log(info),doExit&&(timeout=setTimeout(gracefulExit,3e3))}_getExceptionHandlers(){
return this.logger.transports.filter(wrap=>(wrap.transport||wrap).handleExceptions)}}}});var require_rejection_stream=__commonJS({"node_modules/winston/lib/winston/rejection-stream.js"(exports,module){"use str\
ict";var{Writable}=require_readable();module.exports=class extends Writable{constructor(transport){if(super({objectMode:!0}),
!transport)throw new Error("RejectionStream requires a TransportStream instance.");this.handleRejections=!0,this.transport=
transport}_write(info,enc,callback){return info.rejection?this.transport.log(info,callback):(callback(),!0)}}}});var require_rejection_handler=__commonJS({"node_modules/winston/lib/winston/rejection-handler.js"(exports,module){"use s\
trict";var os=__require("os"),asyncForEach=require_forEach(),debug=require_node()("winston:rejection"),once=require_one_time(),
stackTrace=require_stack_trace(),RejectionStream=require_rejection_stream();module.exports=class{constructor(logger){if(!logger)
throw new Error("Logger is required to handle rejections");this.logger=logger,this.handlers=new Map}handle(...args){args.
forEach(arg=>{if(Array.isArray(arg))return arg.forEach(handler=>this._addHandler(handler));this._addHandler(arg)}),this.
catcher||(this.catcher=this._unhandledRejection.bind(this),process.on("unhandledRejection",this.catcher))}unhandle(){this.
catcher&&(process.removeListener("unhandledRejection",this.catcher),this.catcher=!1,Array.from(this.handlers.values()).forEach(
wrapper=>this.logger.unpipe(wrapper)))}getAllInfo(err){let message=null;return err&&(message=typeof err=="string"?err:err.
message),{error:err,level:"error",message:[`unhandledRejection: ${message||"(no error message)"}`,err&&err.stack||"  No \
stack trace"].join(`
`),stack:err&&err.stack,rejection:!0,date:new Date().toString(),process:this.getProcessInfo(),os:this.getOsInfo(),trace:this.
getTrace(err)}}getProcessInfo(){return{pid:process.pid,uid:process.getuid?process.getuid():null,gid:process.getgid?process.
getgid():null,cwd:process.cwd(),execPath:process.execPath,version:process.version,argv:process.argv,memoryUsage:process.
memoryUsage()}}getOsInfo(){return{loadavg:os.loadavg(),uptime:os.uptime()}}getTrace(err){return(err?stackTrace.parse(err):
stackTrace.get()).map(site=>({column:site.getColumnNumber(),file:site.getFileName(),function:site.getFunctionName(),line:site.
getLineNumber(),method:site.getMethodName(),native:site.isNative()}))}_addHandler(handler){if(!this.handlers.has(handler)){
handler.handleRejections=!0;let wrapper=new RejectionStream(handler);this.handlers.set(handler,wrapper),this.logger.pipe(
wrapper)}}_unhandledRejection(err){let info=this.getAllInfo(err),handlers=this._getRejectionHandlers(),doExit=typeof this.
logger.exitOnError=="function"?this.logger.exitOnError(err):this.logger.exitOnError,timeout;!handlers.length&&doExit&&(console.
warn("winston: exitOnError cannot be true with no rejection handlers."),console.warn("winston: not exiting process."),doExit=
!1);function gracefulExit(){debug("doExit",doExit),debug("process._exiting",process._exiting),doExit&&!process._exiting&&
(timeout&&clearTimeout(timeout),process.exit(1))}if(!handlers||handlers.length===0)return process.nextTick(gracefulExit);
asyncForEach(handlers,(handler,next)=>{let done=once(next),transport=handler.transport||handler;function onDone(event){return()=>{
debug(event),done()}}transport._ending=!0,transport.once("finish",onDone("finished")),transport.once("error",onDone("err\
or"))},()=>doExit&&gracefulExit()),this.logger.log(info),doExit&&(timeout=setTimeout(gracefulExit,3e3))}_getRejectionHandlers(){
return this.logger.transports.filter(wrap=>(wrap.transport||wrap).handleRejections)}}}});var require_profiler=__commonJS({"node_modules/winston/lib/winston/profiler.js"(exports,module){"use strict";var Profiler=class{constructor(logger){
let Logger=require_logger();if(typeof logger!="object"||Array.isArray(logger)||!(logger instanceof Logger))throw new Error(
"Logger is required for profiling");this.logger=logger,this.start=Date.now()}done(...args){typeof args[args.length-1]=="\
function"&&(console.warn("Callback function no longer supported as of winston@3.0.0"),args.pop());let info=typeof args[args.
length-1]=="object"?args.pop():{};return info.level=info.level||"info",info.durationMs=Date.now()-this.start,this.logger.
write(info)}};module.exports=Profiler}});var require_logger=__commonJS({"node_modules/winston/lib/winston/logger.js"(exports,module){"use strict";var{Stream,Transform}=require_readable(),
asyncForEach=require_forEach(),{LEVEL,SPLAT}=require_triple_beam(),isStream=require_is_stream(),ExceptionHandler=require_exception_handler(),
RejectionHandler=require_rejection_handler(),LegacyTransportStream=require_legacy(),Profiler=require_profiler(),{warn}=require_common(),
config=require_config2(),formatRegExp=/%[scdjifoO%]/g,Logger=class extends Transform{constructor(options){super({objectMode:!0}),
this.configure(options)}child(defaultRequestMetadata){let logger=this;return Object.create(logger,{write:{value:function(info){
let infoClone=Object.assign({},defaultRequestMetadata,info);info instanceof Error&&(infoClone.stack=info.stack,infoClone.
message=info.message,infoClone.cause=info.cause),logger.write(infoClone)}}})}configure({silent,format:format2,defaultMeta,
levels,level="info",exitOnError=!0,transports:transports2,colors,emitErrs,formatters,padLevels,rewriters,stripColors,exceptionHandlers,
rejectionHandlers}={}){if(this.transports.length&&this.clear(),this.silent=silent,this.format=format2||this.format||require_json()(),
this.defaultMeta=defaultMeta||null,this.levels=levels||this.levels||config.npm.levels,this.level=level,this.exceptions&&
this.exceptions.unhandle(),this.rejections&&this.rejections.unhandle(),this.exceptions=new ExceptionHandler(this),this.rejections=
new RejectionHandler(this),this.profilers={},this.exitOnError=exitOnError,transports2&&(transports2=Array.isArray(transports2)?
transports2:[transports2],transports2.forEach(transport=>this.add(transport))),colors||emitErrs||formatters||padLevels||
rewriters||stripColors)throw new Error(["{ colors, emitErrs, formatters, padLevels, rewriters, stripColors } were remove\
d in winston@3.0.0.","Use a custom winston.format(function) instead.","See: https://github.com/winstonjs/winston/tree/ma\
ster/UPGRADE-3.0.md"].join(`
`));exceptionHandlers&&this.exceptions.handle(exceptionHandlers),rejectionHandlers&&this.rejections.handle(rejectionHandlers)}getHighestLogLevel(){
let configuredLevelValue=getLevelValue(this.levels,this.level);return!this.transports||this.transports.length===0?configuredLevelValue:
this.transports.reduce((max,transport)=>{let levelValue=getLevelValue(this.levels,transport.level);return levelValue!==null&&
levelValue>max?levelValue:max},configuredLevelValue)}isLevelEnabled(level){let givenLevelValue=getLevelValue(this.levels,
level);if(givenLevelValue===null)return!1;let configuredLevelValue=getLevelValue(this.levels,this.level);return configuredLevelValue===
null?!1:!this.transports||this.transports.length===0?configuredLevelValue>=givenLevelValue:this.transports.findIndex(transport=>{
let transportLevelValue=getLevelValue(this.levels,transport.level);return transportLevelValue===null&&(transportLevelValue=
configuredLevelValue),transportLevelValue>=givenLevelValue})!==-1}log(level,msg,...splat){if(arguments.length===1)return level[LEVEL]=
level.level,this._addDefaultMeta(level),this.write(level),this;if(arguments.length===2)return msg&&typeof msg=="object"?
(msg[LEVEL]=msg.level=level,this._addDefaultMeta(msg),this.write(msg),this):(msg={[LEVEL]:level,level,message:msg},this.
_addDefaultMeta(msg),this.write(msg),this);let[meta]=splat;if(typeof meta=="object"&&meta!==null&&!(msg&&msg.match&&msg.
match(formatRegExp))){let info=Object.assign({},this.defaultMeta,meta,{[LEVEL]:level,[SPLAT]:splat,level,message:msg});return meta.
message&&(info.message=`${info.message} ${meta.message}`),meta.stack&&(info.stack=meta.stack),meta.cause&&(info.cause=meta.
cause),this.write(info),this}return this.write(Object.assign({},this.defaultMeta,{[LEVEL]:level,[SPLAT]:splat,level,message:msg})),
this}_transform(info,enc,callback){if(this.silent)return callback();info[LEVEL]||(info[LEVEL]=info.level),!this.levels[info[LEVEL]]&&
this.levels[info[LEVEL]]!==0&&console.error("[winston] Unknown logger level: %s",info[LEVEL]),this._readableState.pipes||
console.error("[winston] Attempt to write logs with no transports, which can increase memory usage: %j",info);try{this.push(
this.format.transform(info,this.format.options))}finally{this._writableState.sync=!1,callback()}}_final(callback){let transports2=this.
transports.slice();asyncForEach(transports2,(transport,next)=>{if(!transport||transport.finished)return setImmediate(next);
transport.once("finish",next),transport.end()},callback)}add(transport){let target=!isStream(transport)||transport.log.length>
2?new LegacyTransportStream({transport}):transport;if(!target._writableState||!target._writableState.objectMode)throw new Error(
"Transports must WritableStreams in objectMode. Set { objectMode: true }.");return this._onEvent("error",target),this._onEvent(
"warn",target),this.pipe(target),transport.handleExceptions&&this.exceptions.handle(),transport.handleRejections&&this.rejections.
handle(),this}remove(transport){if(!transport)return this;let target=transport;return(!isStream(transport)||transport.log.
length>2)&&(target=this.transports.filter(match=>match.transport===transport)[0]),target&&this.unpipe(target),this}clear(){
return this.unpipe(),this}close(){return this.exceptions.unhandle(),this.rejections.unhandle(),this.clear(),this.emit("c\
lose"),this}setLevels(){warn.deprecated("setLevels")}query(options,callback){typeof options=="function"&&(callback=options,
options={}),options=options||{};let results={},queryObject=Object.assign({},options.query||{});function queryTransport(transport,next){
options.query&&typeof transport.formatQuery=="function"&&(options.query=transport.formatQuery(queryObject)),transport.query(
options,(err,res)=>{if(err)return next(err);typeof transport.formatResults=="function"&&(res=transport.formatResults(res,
options.format)),next(null,res)})}function addResults(transport,next){queryTransport(transport,(err,result)=>{next&&(result=
err||result,result&&(results[transport.name]=result),next()),next=null})}asyncForEach(this.transports.filter(transport=>!!transport.
query),addResults,()=>callback(null,results))}stream(options={}){let out=new Stream,streams=[];return out._streams=streams,
out.destroy=()=>{let i=streams.length;for(;i--;)streams[i].destroy()},this.transports.filter(transport=>!!transport.stream).
forEach(transport=>{let str=transport.stream(options);str&&(streams.push(str),str.on("log",log=>{log.transport=log.transport||
[],log.transport.push(transport.name),out.emit("log",log)}),str.on("error",err=>{err.transport=err.transport||[],err.transport.
push(transport.name),out.emit("error",err)}))}),out}startTimer(){return new Profiler(this)}profile(id,...args){let time=Date.
now();if(this.profilers[id]){let timeEnd=this.profilers[id];delete this.profilers[id],typeof args[args.length-2]=="funct\
ion"&&(console.warn("Callback function no longer supported as of winston@3.0.0"),args.pop());let info=typeof args[args.length-
1]=="object"?args.pop():{};return info.level=info.level||"info",info.durationMs=time-timeEnd,info.message=info.message||
id,this.write(info)}return this.profilers[id]=time,this}handleExceptions(...args){console.warn("Deprecated: .handleExcep\
tions() will be removed in winston@4. Use .exceptions.handle()"),this.exceptions.handle(...args)}unhandleExceptions(...args){
console.warn("Deprecated: .unhandleExceptions() will be removed in winston@4. Use .exceptions.unhandle()"),this.exceptions.
unhandle(...args)}cli(){throw new Error(["Logger.cli() was removed in winston@3.0.0","Use a custom winston.formats.cli()\
 instead.","See: https://github.com/winstonjs/winston/tree/master/UPGRADE-3.0.md"].join(`
`))}_onEvent(event,transport){function transportEvent(err){event==="error"&&!this.transports.includes(transport)&&this.add(
transport),this.emit(event,err,transport)}transport["__winston"+event]||(transport["__winston"+event]=transportEvent.bind(
this),transport.on(event,transport["__winston"+event]))}_addDefaultMeta(msg){this.defaultMeta&&Object.assign(msg,this.defaultMeta)}};
function getLevelValue(levels,level){let value=levels[level];return!value&&value!==0?null:value}Object.defineProperty(Logger.
prototype,"transports",{configurable:!1,enumerable:!0,get(){let{pipes}=this._readableState;return Array.isArray(pipes)?pipes:
[pipes].filter(Boolean)}});module.exports=Logger}});var require_create_logger=__commonJS({"node_modules/winston/lib/winston/create-logger.js"(exports,module){"use strict";var{
LEVEL}=require_triple_beam(),config=require_config2(),Logger=require_logger(),debug=require_node()("winston:create-logge\
r");function isLevelEnabledFunctionName(level){return"is"+level.charAt(0).toUpperCase()+level.slice(1)+"Enabled"}module.
exports=function(opts={}){opts.levels=opts.levels||config.npm.levels;class DerivedLogger extends Logger{constructor(options){
super(options)}}let logger=new DerivedLogger(opts);return Object.keys(opts.levels).forEach(function(level){if(debug('Def\
ine prototype method for "%s"',level),level==="log"){console.warn('Level "log" not defined: conflicts with the method "l\
og". Use a different level name.');return}DerivedLogger.prototype[level]=function(...args){let self=this||logger;if(args.
length===1){let[msg]=args,info=msg&&msg.message&&msg||{message:msg};return info.level=info[LEVEL]=level,self._addDefaultMeta(
info),self.write(info),this||logger}return args.length===0?(self.log(level,""),self):self.log(level,...args)},DerivedLogger.
prototype[isLevelEnabledFunctionName(level)]=function(){return(this||logger).isLevelEnabled(level)}}),logger}}});var require_container=__commonJS({"node_modules/winston/lib/winston/container.js"(exports,module){"use strict";var createLogger2=require_create_logger();
module.exports=class{constructor(options={}){this.loggers=new Map,this.options=options}add(id,options){if(!this.loggers.
has(id)){options=Object.assign({},options||this.options);let existing=options.transports||this.options.transports;existing?
options.transports=Array.isArray(existing)?existing.slice():[existing]:options.transports=[];let logger=createLogger2(options);
logger.on("close",()=>this._delete(id)),this.loggers.set(id,logger)}return this.loggers.get(id)}get(id,options){return this.
add(id,options)}has(id){return!!this.loggers.has(id)}close(id){if(id)return this._removeLogger(id);this.loggers.forEach(
(val,key)=>this._removeLogger(key))}_removeLogger(id){if(!this.loggers.has(id))return;this.loggers.get(id).close(),this.
_delete(id)}_delete(id){this.loggers.delete(id)}}}});var require_winston=__commonJS({"node_modules/winston/lib/winston.js"(exports){"use strict";var logform=require_logform(),
{warn}=require_common();exports.version=require_package().version;exports.transports=require_transports();exports.config=
require_config2();exports.addColors=logform.levels;exports.format=logform.format;exports.createLogger=require_create_logger();
exports.Logger=require_logger();exports.ExceptionHandler=require_exception_handler();exports.RejectionHandler=require_rejection_handler();
exports.Container=require_container();exports.Transport=require_winston_transport();exports.loggers=new exports.Container;
var defaultLogger=exports.createLogger();Object.keys(exports.config.npm.levels).concat(["log","query","stream","add","re\
move","clear","profile","startTimer","handleExceptions","unhandleExceptions","handleRejections","unhandleRejections","co\
nfigure","child"]).forEach(method=>exports[method]=(...args)=>defaultLogger[method](...args));Object.defineProperty(exports,
"level",{get(){return defaultLogger.level},set(val){defaultLogger.level=val}});Object.defineProperty(exports,"exceptions",
{get(){return defaultLogger.exceptions}});Object.defineProperty(exports,"rejections",{get(){return defaultLogger.rejections}});
["exitOnError"].forEach(prop=>{Object.defineProperty(exports,prop,{get(){return defaultLogger[prop]},set(val){defaultLogger[prop]=
val}})});Object.defineProperty(exports,"default",{get(){return{exceptionHandlers:defaultLogger.exceptionHandlers,rejectionHandlers:defaultLogger.
rejectionHandlers,transports:defaultLogger.transports}}});warn.deprecated(exports,"setLevels");warn.forFunctions(exports,
"useFormat",["cli"]);warn.forProperties(exports,"useFormat",["padLevels","stripColors"]);warn.forFunctions(exports,"depr\
ecated",["addRewriter","addFilter","clone","extend"]);warn.forProperties(exports,"deprecated",["emitErrs","levelLength"])}});var import_winston=__toESM(require_winston(),1);var MESSAGE=Symbol.for("message"),ENTRY=Symbol("entry");function createWinstonLogger({format:as,verbosity,stream}){let highest=verbosity,
formatLine=as==="json"?formatJsonLine:formatTextLine,render=(0,import_winston.format)(info=>{let entry=info[ENTRY];return{
...info,[MESSAGE]:formatLine(entry)}}),winston=(0,import_winston.createLogger)({levels:{error:0,warn:1,info:2,debug:3},level:"\
debug",format:render(),transports:[new import_winston.transports.Stream({stream,eol:`
`})],exitOnError:!1}),write=(level,v,message,fields)=>{let entry={time:Date.now(),level,v,message,fields};winston.log({level,
message:"",[ENTRY]:entry})},wanted=level=>level<=highest;return{error:(message,fields)=>write("error",0,message,fields),
warn:(message,fields)=>write("warn",0,message,fields),info:(message,fields)=>write("info",0,message,fields),debug(level,message,fields){
wanted(level)&&write("debug",level,message,fields)},v:wanted,setVerbosity(level){highest=level}}}export{createWinstonLogger};
//# sourceMappingURL=chunk-S35ZJ4RE.js.map
