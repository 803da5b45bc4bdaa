import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{CommandLineError,FLAGS,formatConfiguration,interpretCommandLine,readConfiguration,readLogging,settingsOf}from"./chunk-2WY6ZIRU.js";
import"./chunk-YORNVZFG.js";import{isOutput}from"./chunk-JA47B56O.js";import{MAX_MESSAGE_LENGTH}from"./chunk-OAH5SUEQ.js";
import{versionText}from"./chunk-NDLARBRE.js";import"./chunk-K6JK22O5.js";import{parseGoBool}from"./chunk-ZZVTHHAR.js";
import"./chunk-MTSOMN72.js";import"./chunk-C2RJUF7R.js";import"./chunk-UWS5UL64.js";import{ProxierError,
isProxierError,messageOf,nearestName,printable}from"./chunk-4LHTYADA.js";import"./chunk-7IMJZ4UJ.js";import{
__commonJS,__require,__toESM}from"./chunk-VCSBMK2H.js";var require_error=__commonJS({"node_modules/commander/lib/error.js"(exports){var CommanderError2=class extends Error{constructor(exitCode,code,message){
super(message),Error.captureStackTrace(this,this.constructor),this.name=this.constructor.name,this.code=code,this.exitCode=
exitCode,this.nestedError=void 0}},InvalidArgumentError2=class extends CommanderError2{constructor(message){super(1,"com\
mander.invalidArgument",message),Error.captureStackTrace(this,this.constructor),this.name=this.constructor.name}};exports.
CommanderError=CommanderError2;exports.InvalidArgumentError=InvalidArgumentError2}});var require_argument=__commonJS({"node_modules/commander/lib/argument.js"(exports){var{InvalidArgumentError:InvalidArgumentError2}=require_error(),
Argument2=class{constructor(name,description){switch(this.description=description||"",this.variadic=!1,this.parseArg=void 0,
this.defaultValue=void 0,this.defaultValueDescription=void 0,this.argChoices=void 0,name[0]){case"<":this.required=!0,this.
_name=name.slice(1,-1);break;case"[":this.required=!1,this._name=name.slice(1,-1);break;default:this.required=!0,this._name=
name;break}this._name.endsWith("...")&&(this.variadic=!0,this._name=this._name.slice(0,-3))}name(){return this._name}_collectValue(value,previous){
return previous===this.defaultValue||!Array.isArray(previous)?[value]:(previous.push(value),previous)}default(value,description){
return this.defaultValue=value,this.defaultValueDescription=description,this}argParser(fn){return this.parseArg=fn,this}choices(values){
return this.argChoices=values.slice(),this.parseArg=(arg,previous)=>{if(!this.argChoices.includes(arg))throw new InvalidArgumentError2(
`Allowed choices are ${this.argChoices.join(", ")}.`);return this.variadic?this._collectValue(arg,previous):arg},this}argRequired(){
return this.required=!0,this}argOptional(){return this.required=!1,this}};function humanReadableArgName(arg){let nameOutput=arg.
name()+(arg.variadic===!0?"...":"");return arg.required?"<"+nameOutput+">":"["+nameOutput+"]"}exports.Argument=Argument2;
exports.humanReadableArgName=humanReadableArgName}});var require_help=__commonJS({"node_modules/commander/lib/help.js"(exports){var{humanReadableArgName}=require_argument(),
Help2=class{constructor(){this.helpWidth=void 0,this.minWidthToWrap=40,this.sortSubcommands=!1,this.sortOptions=!1,this.
showGlobalOptions=!1}prepareContext(contextOptions){this.helpWidth=this.helpWidth??contextOptions.helpWidth??80}visibleCommands(cmd){
let visibleCommands=cmd.commands.filter(cmd2=>!cmd2._hidden),helpCommand=cmd._getHelpCommand();return helpCommand&&!helpCommand.
_hidden&&visibleCommands.push(helpCommand),this.sortSubcommands&&visibleCommands.sort((a,b)=>a.name().localeCompare(b.name())),
visibleCommands}compareOptions(a,b){let getSortKey=option2=>option2.short?option2.short.replace(/^-/,""):option2.long.replace(
/^--/,"");return getSortKey(a).localeCompare(getSortKey(b))}visibleOptions(cmd){let visibleOptions=cmd.options.filter(option2=>!option2.
hidden),helpOption=cmd._getHelpOption();if(helpOption&&!helpOption.hidden){let removeShort=helpOption.short&&cmd._findOption(
helpOption.short),removeLong=helpOption.long&&cmd._findOption(helpOption.long);!removeShort&&!removeLong?visibleOptions.
push(helpOption):helpOption.long&&!removeLong?visibleOptions.push(cmd.createOption(helpOption.long,helpOption.description)):
helpOption.short&&!removeShort&&visibleOptions.push(cmd.createOption(helpOption.short,helpOption.description))}return this.
sortOptions&&visibleOptions.sort(this.compareOptions),visibleOptions}visibleGlobalOptions(cmd){if(!this.showGlobalOptions)
return[];let globalOptions=[];for(let ancestorCmd=cmd.parent;ancestorCmd;ancestorCmd=ancestorCmd.parent){let visibleOptions=ancestorCmd.
options.filter(option2=>!option2.hidden);globalOptions.push(...visibleOptions)}return this.sortOptions&&globalOptions.sort(
this.compareOptions),globalOptions}visibleArguments(cmd){return cmd._argsDescription&&cmd.registeredArguments.forEach(argument=>{
argument.description=argument.description||cmd._argsDescription[argument.name()]||""}),cmd.registeredArguments.find(argument=>argument.
description)?cmd.registeredArguments:[]}subcommandTerm(cmd){let args=cmd.registeredArguments.map(arg=>humanReadableArgName(
arg)).join(" ");return cmd._name+(cmd._aliases[0]?"|"+cmd._aliases[0]:"")+(cmd.options.length?" [options]":"")+(args?" "+
args:"")}optionTerm(option2){return option2.flags}argumentTerm(argument){return argument.name()}longestSubcommandTermLength(cmd,helper){
return helper.visibleCommands(cmd).reduce((max,command)=>Math.max(max,this.displayWidth(helper.styleSubcommandTerm(helper.
subcommandTerm(command)))),0)}longestOptionTermLength(cmd,helper){return helper.visibleOptions(cmd).reduce((max,option2)=>Math.
max(max,this.displayWidth(helper.styleOptionTerm(helper.optionTerm(option2)))),0)}longestGlobalOptionTermLength(cmd,helper){
return helper.visibleGlobalOptions(cmd).reduce((max,option2)=>Math.max(max,this.displayWidth(helper.styleOptionTerm(helper.
optionTerm(option2)))),0)}longestArgumentTermLength(cmd,helper){return helper.visibleArguments(cmd).reduce((max,argument)=>Math.
max(max,this.displayWidth(helper.styleArgumentTerm(helper.argumentTerm(argument)))),0)}commandUsage(cmd){let cmdName=cmd.
_name;cmd._aliases[0]&&(cmdName=cmdName+"|"+cmd._aliases[0]);let ancestorCmdNames="";for(let ancestorCmd=cmd.parent;ancestorCmd;ancestorCmd=
ancestorCmd.parent)ancestorCmdNames=ancestorCmd.name()+" "+ancestorCmdNames;return ancestorCmdNames+cmdName+" "+cmd.usage()}commandDescription(cmd){
return cmd.description()}subcommandDescription(cmd){return cmd.summary()||cmd.description()}optionDescription(option2){let extraInfo=[];
if(option2.argChoices&&extraInfo.push(`choices: ${option2.argChoices.map(choice=>JSON.stringify(choice)).join(", ")}`),option2.
defaultValue!==void 0&&(option2.required||option2.optional||option2.isBoolean()&&typeof option2.defaultValue=="boolean")&&
extraInfo.push(`default: ${option2.defaultValueDescription||JSON.stringify(option2.defaultValue)}`),option2.presetArg!==
void 0&&option2.optional&&extraInfo.push(`preset: ${JSON.stringify(option2.presetArg)}`),option2.envVar!==void 0&&extraInfo.
push(`env: ${option2.envVar}`),extraInfo.length>0){let extraDescription=`(${extraInfo.join(", ")})`;return option2.description?
`${option2.description} ${extraDescription}`:extraDescription}return option2.description}argumentDescription(argument){let extraInfo=[];
if(argument.argChoices&&extraInfo.push(`choices: ${argument.argChoices.map(choice=>JSON.stringify(choice)).join(", ")}`),
argument.defaultValue!==void 0&&extraInfo.push(`default: ${argument.defaultValueDescription||JSON.stringify(argument.defaultValue)}`),
extraInfo.length>0){let extraDescription=`(${extraInfo.join(", ")})`;return argument.description?`${argument.description}\
 ${extraDescription}`:extraDescription}return argument.description}formatItemList(heading,items,helper){return items.length===
0?[]:[helper.styleTitle(heading),...items,""]}groupItems(unsortedItems,visibleItems,getGroup){let result=new Map;return unsortedItems.
forEach(item2=>{let group=getGroup(item2);result.has(group)||result.set(group,[])}),visibleItems.forEach(item2=>{let group=getGroup(
item2);result.has(group)||result.set(group,[]),result.get(group).push(item2)}),result}formatHelp(cmd,helper){let termWidth=helper.
padWidth(cmd,helper),helpWidth=helper.helpWidth??80;function callFormatItem(term,description){return helper.formatItem(term,
termWidth,description,helper)}let output=[`${helper.styleTitle("Usage:")} ${helper.styleUsage(helper.commandUsage(cmd))}`,
""],commandDescription=helper.commandDescription(cmd);commandDescription.length>0&&(output=output.concat([helper.boxWrap(
helper.styleCommandDescription(commandDescription),helpWidth),""]));let argumentList=helper.visibleArguments(cmd).map(argument=>callFormatItem(
helper.styleArgumentTerm(helper.argumentTerm(argument)),helper.styleArgumentDescription(helper.argumentDescription(argument))));
if(output=output.concat(this.formatItemList("Arguments:",argumentList,helper)),this.groupItems(cmd.options,helper.visibleOptions(
cmd),option2=>option2.helpGroupHeading??"Options:").forEach((options,group)=>{let optionList=options.map(option2=>callFormatItem(
helper.styleOptionTerm(helper.optionTerm(option2)),helper.styleOptionDescription(helper.optionDescription(option2))));output=
output.concat(this.formatItemList(group,optionList,helper))}),helper.showGlobalOptions){let globalOptionList=helper.visibleGlobalOptions(
cmd).map(option2=>callFormatItem(helper.styleOptionTerm(helper.optionTerm(option2)),helper.styleOptionDescription(helper.
optionDescription(option2))));output=output.concat(this.formatItemList("Global Options:",globalOptionList,helper))}return this.
groupItems(cmd.commands,helper.visibleCommands(cmd),sub=>sub.helpGroup()||"Commands:").forEach((commands,group)=>{let commandList=commands.
map(sub=>callFormatItem(helper.styleSubcommandTerm(helper.subcommandTerm(sub)),helper.styleSubcommandDescription(helper.
subcommandDescription(sub))));output=output.concat(this.formatItemList(group,commandList,helper))}),output.join(`
`)}displayWidth(str){return stripColor(str).length}styleTitle(str){return str}styleUsage(str){return str.split(" ").map(
word=>word==="[options]"?this.styleOptionText(word):word==="[command]"?this.styleSubcommandText(word):word[0]==="["||word[0]===
"<"?this.styleArgumentText(word):this.styleCommandText(word)).join(" ")}styleCommandDescription(str){return this.styleDescriptionText(
str)}styleOptionDescription(str){return this.styleDescriptionText(str)}styleSubcommandDescription(str){return this.styleDescriptionText(
str)}styleArgumentDescription(str){return this.styleDescriptionText(str)}styleDescriptionText(str){return str}styleOptionTerm(str){
return this.styleOptionText(str)}styleSubcommandTerm(str){return str.split(" ").map(word=>word==="[options]"?this.styleOptionText(
word):word[0]==="["||word[0]==="<"?this.styleArgumentText(word):this.styleSubcommandText(word)).join(" ")}styleArgumentTerm(str){
return this.styleArgumentText(str)}styleOptionText(str){return str}styleArgumentText(str){return str}styleSubcommandText(str){
return str}styleCommandText(str){return str}padWidth(cmd,helper){return Math.max(helper.longestOptionTermLength(cmd,helper),
helper.longestGlobalOptionTermLength(cmd,helper),helper.longestSubcommandTermLength(cmd,helper),helper.longestArgumentTermLength(
cmd,helper))}preformatted(str){return/\n[^\S\r\n]/.test(str)}formatItem(term,termWidth,description,helper){let itemIndentStr="\
 ".repeat(2);if(!description)return itemIndentStr+term;let paddedTerm=term.padEnd(termWidth+term.length-helper.displayWidth(
term)),spacerWidth=2,remainingWidth=(this.helpWidth??80)-termWidth-spacerWidth-2,formattedDescription;return remainingWidth<
this.minWidthToWrap||helper.preformatted(description)?formattedDescription=description:formattedDescription=helper.boxWrap(
description,remainingWidth).replace(/\n/g,`
`+" ".repeat(termWidth+spacerWidth)),itemIndentStr+paddedTerm+" ".repeat(spacerWidth)+formattedDescription.replace(/\n/g,
`
${itemIndentStr}`)}boxWrap(str,width){if(width<this.minWidthToWrap)return str;let rawLines=str.split(/\r\n|\n/),chunkPattern=/[\s]*[^\s]+/g,
wrappedLines=[];return rawLines.forEach(line=>{let chunks=line.match(chunkPattern);if(chunks===null){wrappedLines.push("");
return}let sumChunks=[chunks.shift()],sumWidth=this.displayWidth(sumChunks[0]);chunks.forEach(chunk=>{let visibleWidth=this.
displayWidth(chunk);if(sumWidth+visibleWidth<=width){sumChunks.push(chunk),sumWidth+=visibleWidth;return}wrappedLines.push(
sumChunks.join(""));let nextChunk=chunk.trimStart();sumChunks=[nextChunk],sumWidth=this.displayWidth(nextChunk)}),wrappedLines.
push(sumChunks.join(""))}),wrappedLines.join(`
`)}};function stripColor(str){let sgrPattern=/\x1b\[\d*(;\d*)*m/g;return str.replace(sgrPattern,"")}exports.Help=Help2;exports.
stripColor=stripColor}});var require_option=__commonJS({"node_modules/commander/lib/option.js"(exports){var{InvalidArgumentError:InvalidArgumentError2}=require_error(),
Option2=class{constructor(flags,description){this.flags=flags,this.description=description||"",this.required=flags.includes(
"<"),this.optional=flags.includes("["),this.variadic=/\w\.\.\.[>\]]$/.test(flags),this.mandatory=!1;let optionFlags=splitOptionFlags(
flags);this.short=optionFlags.shortFlag,this.long=optionFlags.longFlag,this.negate=!1,this.long&&(this.negate=this.long.
startsWith("--no-")),this.defaultValue=void 0,this.defaultValueDescription=void 0,this.presetArg=void 0,this.envVar=void 0,
this.parseArg=void 0,this.hidden=!1,this.argChoices=void 0,this.conflictsWith=[],this.implied=void 0,this.helpGroupHeading=
void 0}default(value,description){return this.defaultValue=value,this.defaultValueDescription=description,this}preset(arg){
return this.presetArg=arg,this}conflicts(names){return this.conflictsWith=this.conflictsWith.concat(names),this}implies(impliedOptionValues){
let newImplied=impliedOptionValues;return typeof impliedOptionValues=="string"&&(newImplied={[impliedOptionValues]:!0}),
this.implied=Object.assign(this.implied||{},newImplied),this}env(name){return this.envVar=name,this}argParser(fn){return this.
parseArg=fn,this}makeOptionMandatory(mandatory=!0){return this.mandatory=!!mandatory,this}hideHelp(hide=!0){return this.
hidden=!!hide,this}_collectValue(value,previous){return previous===this.defaultValue||!Array.isArray(previous)?[value]:(previous.
push(value),previous)}choices(values){return this.argChoices=values.slice(),this.parseArg=(arg,previous)=>{if(!this.argChoices.
includes(arg))throw new InvalidArgumentError2(`Allowed choices are ${this.argChoices.join(", ")}.`);return this.variadic?
this._collectValue(arg,previous):arg},this}name(){return this.long?this.long.replace(/^--/,""):this.short.replace(/^-/,"")}attributeName(){
return this.negate?camelcase(this.name().replace(/^no-/,"")):camelcase(this.name())}helpGroup(heading){return this.helpGroupHeading=
heading,this}is(arg){return this.short===arg||this.long===arg}isBoolean(){return!this.required&&!this.optional&&!this.negate}},
DualOptions=class{constructor(options){this.positiveOptions=new Map,this.negativeOptions=new Map,this.dualOptions=new Set,
options.forEach(option2=>{option2.negate?this.negativeOptions.set(option2.attributeName(),option2):this.positiveOptions.
set(option2.attributeName(),option2)}),this.negativeOptions.forEach((value,key)=>{this.positiveOptions.has(key)&&this.dualOptions.
add(key)})}valueFromOption(value,option2){let optionKey=option2.attributeName();if(!this.dualOptions.has(optionKey))return!0;
let preset=this.negativeOptions.get(optionKey).presetArg,negativeValue=preset!==void 0?preset:!1;return option2.negate===
(negativeValue===value)}};function camelcase(str){return str.split("-").reduce((str2,word)=>str2+word[0].toUpperCase()+word.
slice(1))}function splitOptionFlags(flags){let shortFlag,longFlag,shortFlagExp=/^-[^-]$/,longFlagExp=/^--[^-]/,flagParts=flags.
split(/[ |,]+/).concat("guard");if(shortFlagExp.test(flagParts[0])&&(shortFlag=flagParts.shift()),longFlagExp.test(flagParts[0])&&
(longFlag=flagParts.shift()),!shortFlag&&shortFlagExp.test(flagParts[0])&&(shortFlag=flagParts.shift()),!shortFlag&&longFlagExp.
test(flagParts[0])&&(shortFlag=longFlag,longFlag=flagParts.shift()),flagParts[0].startsWith("-")){let unsupportedFlag=flagParts[0],
baseError=`option creation failed due to '${unsupportedFlag}' in option flags '${flags}'`;throw/^-[^-][^-]/.test(unsupportedFlag)?
new Error(`${baseError}
- a short flag is a single dash and a single character
  - either use a single dash and a single character (for a short flag)
  - or use a double dash for a long option (and can have two, like '--ws, --workspace')`):shortFlagExp.test(unsupportedFlag)?
new Error(`${baseError}
- too many short flags`):longFlagExp.test(unsupportedFlag)?new Error(`${baseError}
- too many long flags`):new Error(`${baseError}
- unrecognised flag format`)}if(shortFlag===void 0&&longFlag===void 0)throw new Error(`option creation failed due to no \
flags found in '${flags}'.`);return{shortFlag,longFlag}}exports.Option=Option2;exports.DualOptions=DualOptions}});var require_suggestSimilar=__commonJS({"node_modules/commander/lib/suggestSimilar.js"(exports){function editDistance(a,b){
if(Math.abs(a.length-b.length)>3)return Math.max(a.length,b.length);let d=[];for(let i=0;i<=a.length;i++)d[i]=[i];for(let j=0;j<=
b.length;j++)d[0][j]=j;for(let j=1;j<=b.length;j++)for(let i=1;i<=a.length;i++){let cost=1;a[i-1]===b[j-1]?cost=0:cost=1,
d[i][j]=Math.min(d[i-1][j]+1,d[i][j-1]+1,d[i-1][j-1]+cost),i>1&&j>1&&a[i-1]===b[j-2]&&a[i-2]===b[j-1]&&(d[i][j]=Math.min(
d[i][j],d[i-2][j-2]+1))}return d[a.length][b.length]}function suggestSimilar(word,candidates){if(!candidates||candidates.
length===0)return"";candidates=Array.from(new Set(candidates));let searchingOptions=word.startsWith("--");searchingOptions&&
(word=word.slice(2),candidates=candidates.map(candidate=>candidate.slice(2)));let similar=[],bestDistance=3,minSimilarity=.4;
return candidates.forEach(candidate=>{if(candidate.length<=1)return;let distance=editDistance(word,candidate),length=Math.
max(word.length,candidate.length);(length-distance)/length>minSimilarity&&(distance<bestDistance?(bestDistance=distance,
similar=[candidate]):distance===bestDistance&&similar.push(candidate))}),similar.sort((a,b)=>a.localeCompare(b)),searchingOptions&&
(similar=similar.map(candidate=>`--${candidate}`)),similar.length>1?`
(Did you mean one of ${similar.join(", ")}?)`:similar.length===1?`
(Did you mean ${similar[0]}?)`:""}exports.suggestSimilar=suggestSimilar}});var require_command=__commonJS({"node_modules/commander/lib/command.js"(exports){var EventEmitter=__require("node:events").
EventEmitter,childProcess=__require("node:child_process"),path=__require("node:path"),fs=__require("node:fs"),process=__require("node:process"),
{Argument:Argument2,humanReadableArgName}=require_argument(),{CommanderError:CommanderError2}=require_error(),{Help:Help2,
stripColor}=require_help(),{Option:Option2,DualOptions}=require_option(),{suggestSimilar}=require_suggestSimilar(),Command2=class _Command extends EventEmitter{constructor(name){
super(),this.commands=[],this.options=[],this.parent=null,this._allowUnknownOption=!1,this._allowExcessArguments=!1,this.
registeredArguments=[],this._args=this.registeredArguments,this.args=[],this.rawArgs=[],this.processedArgs=[],this._scriptPath=
null,this._name=name||"",this._optionValues={},this._optionValueSources={},this._storeOptionsAsProperties=!1,this._actionHandler=
null,this._executableHandler=!1,this._executableFile=null,this._executableDir=null,this._defaultCommandName=null,this._exitCallback=
null,this._aliases=[],this._combineFlagAndOptionalValue=!0,this._description="",this._summary="",this._argsDescription=void 0,
this._enablePositionalOptions=!1,this._passThroughOptions=!1,this._lifeCycleHooks={},this._showHelpAfterError=!1,this._showSuggestionAfterError=
!0,this._savedState=null,this._outputConfiguration={writeOut:str=>process.stdout.write(str),writeErr:str=>process.stderr.
write(str),outputError:(str,write2)=>write2(str),getOutHelpWidth:()=>process.stdout.isTTY?process.stdout.columns:void 0,
getErrHelpWidth:()=>process.stderr.isTTY?process.stderr.columns:void 0,getOutHasColors:()=>useColor()??(process.stdout.isTTY&&
process.stdout.hasColors?.()),getErrHasColors:()=>useColor()??(process.stderr.isTTY&&process.stderr.hasColors?.()),stripColor:str=>stripColor(
str)},this._hidden=!1,this._helpOption=void 0,this._addImplicitHelpCommand=void 0,this._helpCommand=void 0,this._helpConfiguration=
{},this._helpGroupHeading=void 0,this._defaultCommandGroup=void 0,this._defaultOptionGroup=void 0}copyInheritedSettings(sourceCommand){
return this._outputConfiguration=sourceCommand._outputConfiguration,this._helpOption=sourceCommand._helpOption,this._helpCommand=
sourceCommand._helpCommand,this._helpConfiguration=sourceCommand._helpConfiguration,this._exitCallback=sourceCommand._exitCallback,
this._storeOptionsAsProperties=sourceCommand._storeOptionsAsProperties,this._combineFlagAndOptionalValue=sourceCommand._combineFlagAndOptionalValue,
this._allowExcessArguments=sourceCommand._allowExcessArguments,this._enablePositionalOptions=sourceCommand._enablePositionalOptions,
this._showHelpAfterError=sourceCommand._showHelpAfterError,this._showSuggestionAfterError=sourceCommand._showSuggestionAfterError,
this}_getCommandAndAncestors(){let result=[];for(let command=this;command;command=command.parent)result.push(command);return result}command(nameAndArgs,actionOptsOrExecDesc,execOpts){
let desc=actionOptsOrExecDesc,opts=execOpts;typeof desc=="object"&&desc!==null&&(opts=desc,desc=null),opts=opts||{};let[
,name,args]=nameAndArgs.match(/([^ ]+) *(.*)/),cmd=this.createCommand(name);return desc&&(cmd.description(desc),cmd._executableHandler=
!0),opts.isDefault&&(this._defaultCommandName=cmd._name),cmd._hidden=!!(opts.noHelp||opts.hidden),cmd._executableFile=opts.
executableFile||null,args&&cmd.arguments(args),this._registerCommand(cmd),cmd.parent=this,cmd.copyInheritedSettings(this),
desc?this:cmd}createCommand(name){return new _Command(name)}createHelp(){return Object.assign(new Help2,this.configureHelp())}configureHelp(configuration){
return configuration===void 0?this._helpConfiguration:(this._helpConfiguration=configuration,this)}configureOutput(configuration){
return configuration===void 0?this._outputConfiguration:(this._outputConfiguration={...this._outputConfiguration,...configuration},
this)}showHelpAfterError(displayHelp=!0){return typeof displayHelp!="string"&&(displayHelp=!!displayHelp),this._showHelpAfterError=
displayHelp,this}showSuggestionAfterError(displaySuggestion=!0){return this._showSuggestionAfterError=!!displaySuggestion,
this}addCommand(cmd,opts){if(!cmd._name)throw new Error(`Command passed to .addCommand() must have a name
- specify the name in Command constructor or using .name()`);return opts=opts||{},opts.isDefault&&(this._defaultCommandName=
cmd._name),(opts.noHelp||opts.hidden)&&(cmd._hidden=!0),this._registerCommand(cmd),cmd.parent=this,cmd._checkForBrokenPassThrough(),
this}createArgument(name,description){return new Argument2(name,description)}argument(name,description,parseArg,defaultValue){
let argument=this.createArgument(name,description);return typeof parseArg=="function"?argument.default(defaultValue).argParser(
parseArg):argument.default(parseArg),this.addArgument(argument),this}arguments(names){return names.trim().split(/ +/).forEach(
detail=>{this.argument(detail)}),this}addArgument(argument){let previousArgument=this.registeredArguments.slice(-1)[0];if(previousArgument?.
variadic)throw new Error(`only the last argument can be variadic '${previousArgument.name()}'`);if(argument.required&&argument.
defaultValue!==void 0&&argument.parseArg===void 0)throw new Error(`a default value for a required argument is never used\
: '${argument.name()}'`);return this.registeredArguments.push(argument),this}helpCommand(enableOrNameAndArgs,description){
if(typeof enableOrNameAndArgs=="boolean")return this._addImplicitHelpCommand=enableOrNameAndArgs,enableOrNameAndArgs&&this.
_defaultCommandGroup&&this._initCommandGroup(this._getHelpCommand()),this;let nameAndArgs=enableOrNameAndArgs??"help [co\
mmand]",[,helpName,helpArgs]=nameAndArgs.match(/([^ ]+) *(.*)/),helpDescription=description??"display help for command",
helpCommand=this.createCommand(helpName);return helpCommand.helpOption(!1),helpArgs&&helpCommand.arguments(helpArgs),helpDescription&&
helpCommand.description(helpDescription),this._addImplicitHelpCommand=!0,this._helpCommand=helpCommand,(enableOrNameAndArgs||
description)&&this._initCommandGroup(helpCommand),this}addHelpCommand(helpCommand,deprecatedDescription){return typeof helpCommand!=
"object"?(this.helpCommand(helpCommand,deprecatedDescription),this):(this._addImplicitHelpCommand=!0,this._helpCommand=helpCommand,
this._initCommandGroup(helpCommand),this)}_getHelpCommand(){return this._addImplicitHelpCommand??(this.commands.length&&
!this._actionHandler&&!this._findCommand("help"))?(this._helpCommand===void 0&&this.helpCommand(void 0,void 0),this._helpCommand):
null}hook(event,listener){let allowedValues=["preSubcommand","preAction","postAction"];if(!allowedValues.includes(event))
throw new Error(`Unexpected value for event passed to hook : '${event}'.
Expecting one of '${allowedValues.join("', '")}'`);return this._lifeCycleHooks[event]?this._lifeCycleHooks[event].push(listener):
this._lifeCycleHooks[event]=[listener],this}exitOverride(fn){return fn?this._exitCallback=fn:this._exitCallback=err=>{if(err.
code!=="commander.executeSubCommandAsync")throw err},this}_exit(exitCode,code,message){this._exitCallback&&this._exitCallback(
new CommanderError2(exitCode,code,message)),process.exit(exitCode)}action(fn){let listener=args=>{let expectedArgsCount=this.
registeredArguments.length,actionArgs=args.slice(0,expectedArgsCount);return this._storeOptionsAsProperties?actionArgs[expectedArgsCount]=
this:actionArgs[expectedArgsCount]=this.opts(),actionArgs.push(this),fn.apply(this,actionArgs)};return this._actionHandler=
listener,this}createOption(flags,description){return new Option2(flags,description)}_callParseArg(target,value,previous,invalidArgumentMessage){
try{return target.parseArg(value,previous)}catch(err){if(err.code==="commander.invalidArgument"){let message=`${invalidArgumentMessage}\
 ${err.message}`;this.error(message,{exitCode:err.exitCode,code:err.code})}throw err}}_registerOption(option2){let matchingOption=option2.
short&&this._findOption(option2.short)||option2.long&&this._findOption(option2.long);if(matchingOption){let matchingFlag=option2.
long&&this._findOption(option2.long)?option2.long:option2.short;throw new Error(`Cannot add option '${option2.flags}'${this.
_name&&` to command '${this._name}'`} due to conflicting flag '${matchingFlag}'
-  already used by option '${matchingOption.flags}'`)}this._initOptionGroup(option2),this.options.push(option2)}_registerCommand(command){
let knownBy=cmd=>[cmd.name()].concat(cmd.aliases()),alreadyUsed=knownBy(command).find(name=>this._findCommand(name));if(alreadyUsed){
let existingCmd=knownBy(this._findCommand(alreadyUsed)).join("|"),newCmd=knownBy(command).join("|");throw new Error(`can\
not add command '${newCmd}' as already have command '${existingCmd}'`)}this._initCommandGroup(command),this.commands.push(
command)}addOption(option2){this._registerOption(option2);let oname=option2.name(),name=option2.attributeName();if(option2.
negate){let positiveLongFlag=option2.long.replace(/^--no-/,"--");this._findOption(positiveLongFlag)||this.setOptionValueWithSource(
name,option2.defaultValue===void 0?!0:option2.defaultValue,"default")}else option2.defaultValue!==void 0&&this.setOptionValueWithSource(
name,option2.defaultValue,"default");let handleOptionValue=(val,invalidValueMessage,valueSource)=>{val==null&&option2.presetArg!==
void 0&&(val=option2.presetArg);let oldValue=this.getOptionValue(name);val!==null&&option2.parseArg?val=this._callParseArg(
option2,val,oldValue,invalidValueMessage):val!==null&&option2.variadic&&(val=option2._collectValue(val,oldValue)),val==null&&
(option2.negate?val=!1:option2.isBoolean()||option2.optional?val=!0:val=""),this.setOptionValueWithSource(name,val,valueSource)};
return this.on("option:"+oname,val=>{let invalidValueMessage=`error: option '${option2.flags}' argument '${val}' is inva\
lid.`;handleOptionValue(val,invalidValueMessage,"cli")}),option2.envVar&&this.on("optionEnv:"+oname,val=>{let invalidValueMessage=`\
error: option '${option2.flags}' value '${val}' from env '${option2.envVar}' is invalid.`;handleOptionValue(val,invalidValueMessage,
"env")}),this}_optionEx(config,flags,description,fn,defaultValue){if(typeof flags=="object"&&flags instanceof Option2)throw new Error(
"To add an Option object use addOption() instead of option() or requiredOption()");let option2=this.createOption(flags,description);
if(option2.makeOptionMandatory(!!config.mandatory),typeof fn=="function")option2.default(defaultValue).argParser(fn);else if(fn instanceof
RegExp){let regex=fn;fn=(val,def)=>{let m=regex.exec(val);return m?m[0]:def},option2.default(defaultValue).argParser(fn)}else
option2.default(fn);return this.addOption(option2)}option(flags,description,parseArg,defaultValue){return this._optionEx(
{},flags,description,parseArg,defaultValue)}requiredOption(flags,description,parseArg,defaultValue){return this._optionEx(
{mandatory:!0},flags,description,parseArg,defaultValue)}combineFlagAndOptionalValue(combine=!0){return this._combineFlagAndOptionalValue=
!!combine,this}allowUnknownOption(allowUnknown=!0){return this._allowUnknownOption=!!allowUnknown,this}allowExcessArguments(allowExcess=!0){
return this._allowExcessArguments=!!allowExcess,this}enablePositionalOptions(positional=!0){return this._enablePositionalOptions=
!!positional,this}passThroughOptions(passThrough=!0){return this._passThroughOptions=!!passThrough,this._checkForBrokenPassThrough(),
this}_checkForBrokenPassThrough(){if(this.parent&&this._passThroughOptions&&!this.parent._enablePositionalOptions)throw new Error(
`passThroughOptions cannot be used for '${this._name}' without turning on enablePositionalOptions for parent command(s)`)}storeOptionsAsProperties(storeAsProperties=!0){
if(this.options.length)throw new Error("call .storeOptionsAsProperties() before adding options");if(Object.keys(this._optionValues).
length)throw new Error("call .storeOptionsAsProperties() before setting option values");return this._storeOptionsAsProperties=
!!storeAsProperties,this}getOptionValue(key){return this._storeOptionsAsProperties?this[key]:this._optionValues[key]}setOptionValue(key,value){
return this.setOptionValueWithSource(key,value,void 0)}setOptionValueWithSource(key,value,source){return this._storeOptionsAsProperties?
this[key]=value:this._optionValues[key]=value,this._optionValueSources[key]=source,this}getOptionValueSource(key){return this.
_optionValueSources[key]}getOptionValueSourceWithGlobals(key){let source;return this._getCommandAndAncestors().forEach(cmd=>{
cmd.getOptionValueSource(key)!==void 0&&(source=cmd.getOptionValueSource(key))}),source}_prepareUserArgs(argv,parseOptions){
if(argv!==void 0&&!Array.isArray(argv))throw new Error("first parameter to parse must be array or undefined");if(parseOptions=
parseOptions||{},argv===void 0&&parseOptions.from===void 0){process.versions?.electron&&(parseOptions.from="electron");let execArgv=process.
execArgv??[];(execArgv.includes("-e")||execArgv.includes("--eval")||execArgv.includes("-p")||execArgv.includes("--print"))&&
(parseOptions.from="eval")}argv===void 0&&(argv=process.argv),this.rawArgs=argv.slice();let userArgs;switch(parseOptions.
from){case void 0:case"node":this._scriptPath=argv[1],userArgs=argv.slice(2);break;case"electron":process.defaultApp?(this.
_scriptPath=argv[1],userArgs=argv.slice(2)):userArgs=argv.slice(1);break;case"user":userArgs=argv.slice(0);break;case"ev\
al":userArgs=argv.slice(1);break;default:throw new Error(`unexpected parse option { from: '${parseOptions.from}' }`)}return!this.
_name&&this._scriptPath&&this.nameFromFilename(this._scriptPath),this._name=this._name||"program",userArgs}parse(argv,parseOptions){
this._prepareForParse();let userArgs=this._prepareUserArgs(argv,parseOptions);return this._parseCommand([],userArgs),this}async parseAsync(argv,parseOptions){
this._prepareForParse();let userArgs=this._prepareUserArgs(argv,parseOptions);return await this._parseCommand([],userArgs),
this}_prepareForParse(){this._savedState===null?this.saveStateBeforeParse():this.restoreStateBeforeParse()}saveStateBeforeParse(){
this._savedState={_name:this._name,_optionValues:{...this._optionValues},_optionValueSources:{...this._optionValueSources}}}restoreStateBeforeParse(){
if(this._storeOptionsAsProperties)throw new Error(`Can not call parse again when storeOptionsAsProperties is true.
- either make a new Command for each call to parse, or stop storing options as properties`);this._name=this._savedState.
_name,this._scriptPath=null,this.rawArgs=[],this._optionValues={...this._savedState._optionValues},this._optionValueSources=
{...this._savedState._optionValueSources},this.args=[],this.processedArgs=[]}_checkForMissingExecutable(executableFile,executableDir,subcommandName){
if(fs.existsSync(executableFile))return;let executableDirMessage=executableDir?`searched for local subcommand relative t\
o directory '${executableDir}'`:"no directory for search for local subcommand, use .executableDir() to supply a custom d\
irectory",executableMissing=`'${executableFile}' does not exist
 - if '${subcommandName}' is not meant to be an executable command, remove description parameter from '.command()' and u\
se '.description()' instead
 - if the default executable name is not suitable, use the executableFile option to supply a custom name or path
 - ${executableDirMessage}`;throw new Error(executableMissing)}_executeSubCommand(subcommand,args){args=args.slice();let launchWithNode=!1,
sourceExt=[".js",".ts",".tsx",".mjs",".cjs"];function findFile(baseDir,baseName){let localBin=path.resolve(baseDir,baseName);
if(fs.existsSync(localBin))return localBin;if(sourceExt.includes(path.extname(baseName)))return;let foundExt=sourceExt.find(
ext=>fs.existsSync(`${localBin}${ext}`));if(foundExt)return`${localBin}${foundExt}`}this._checkForMissingMandatoryOptions(),
this._checkForConflictingOptions();let executableFile=subcommand._executableFile||`${this._name}-${subcommand._name}`,executableDir=this.
_executableDir||"";if(this._scriptPath){let resolvedScriptPath;try{resolvedScriptPath=fs.realpathSync(this._scriptPath)}catch{
resolvedScriptPath=this._scriptPath}executableDir=path.resolve(path.dirname(resolvedScriptPath),executableDir)}if(executableDir){
let localFile=findFile(executableDir,executableFile);if(!localFile&&!subcommand._executableFile&&this._scriptPath){let legacyName=path.
basename(this._scriptPath,path.extname(this._scriptPath));legacyName!==this._name&&(localFile=findFile(executableDir,`${legacyName}\
-${subcommand._name}`))}executableFile=localFile||executableFile}launchWithNode=sourceExt.includes(path.extname(executableFile));
let proc;process.platform!=="win32"?launchWithNode?(args.unshift(executableFile),args=incrementNodeInspectorPort(process.
execArgv).concat(args),proc=childProcess.spawn(process.argv[0],args,{stdio:"inherit"})):proc=childProcess.spawn(executableFile,
args,{stdio:"inherit"}):(this._checkForMissingExecutable(executableFile,executableDir,subcommand._name),args.unshift(executableFile),
args=incrementNodeInspectorPort(process.execArgv).concat(args),proc=childProcess.spawn(process.execPath,args,{stdio:"inh\
erit"})),proc.killed||["SIGUSR1","SIGUSR2","SIGTERM","SIGINT","SIGHUP"].forEach(signal=>{process.on(signal,()=>{proc.killed===
!1&&proc.exitCode===null&&proc.kill(signal)})});let exitCallback=this._exitCallback;proc.on("close",code=>{code=code??1,
exitCallback?exitCallback(new CommanderError2(code,"commander.executeSubCommandAsync","(close)")):process.exit(code)}),proc.
on("error",err=>{if(err.code==="ENOENT")this._checkForMissingExecutable(executableFile,executableDir,subcommand._name);else if(err.
code==="EACCES")throw new Error(`'${executableFile}' not executable`);if(!exitCallback)process.exit(1);else{let wrappedError=new CommanderError2(
1,"commander.executeSubCommandAsync","(error)");wrappedError.nestedError=err,exitCallback(wrappedError)}}),this.runningCommand=
proc}_dispatchSubcommand(commandName,operands,unknown){let subCommand=this._findCommand(commandName);subCommand||this.help(
{error:!0}),subCommand._prepareForParse();let promiseChain;return promiseChain=this._chainOrCallSubCommandHook(promiseChain,
subCommand,"preSubcommand"),promiseChain=this._chainOrCall(promiseChain,()=>{if(subCommand._executableHandler)this._executeSubCommand(
subCommand,operands.concat(unknown));else return subCommand._parseCommand(operands,unknown)}),promiseChain}_dispatchHelpCommand(subcommandName){
subcommandName||this.help();let subCommand=this._findCommand(subcommandName);return subCommand&&!subCommand._executableHandler&&
subCommand.help(),this._dispatchSubcommand(subcommandName,[],[this._getHelpOption()?.long??this._getHelpOption()?.short??
"--help"])}_checkNumberOfArguments(){this.registeredArguments.forEach((arg,i)=>{arg.required&&this.args[i]==null&&this.missingArgument(
arg.name())}),!(this.registeredArguments.length>0&&this.registeredArguments[this.registeredArguments.length-1].variadic)&&
this.args.length>this.registeredArguments.length&&this._excessArguments(this.args)}_processArguments(){let myParseArg=(argument,value,previous)=>{
let parsedValue=value;if(value!==null&&argument.parseArg){let invalidValueMessage=`error: command-argument value '${value}\
' is invalid for argument '${argument.name()}'.`;parsedValue=this._callParseArg(argument,value,previous,invalidValueMessage)}
return parsedValue};this._checkNumberOfArguments();let processedArgs=[];this.registeredArguments.forEach((declaredArg,index)=>{
let value=declaredArg.defaultValue;declaredArg.variadic?index<this.args.length?(value=this.args.slice(index),declaredArg.
parseArg&&(value=value.reduce((processed,v)=>myParseArg(declaredArg,v,processed),declaredArg.defaultValue))):value===void 0&&
(value=[]):index<this.args.length&&(value=this.args[index],declaredArg.parseArg&&(value=myParseArg(declaredArg,value,declaredArg.
defaultValue))),processedArgs[index]=value}),this.processedArgs=processedArgs}_chainOrCall(promise,fn){return promise?.then&&
typeof promise.then=="function"?promise.then(()=>fn()):fn()}_chainOrCallHooks(promise,event){let result=promise,hooks=[];
return this._getCommandAndAncestors().reverse().filter(cmd=>cmd._lifeCycleHooks[event]!==void 0).forEach(hookedCommand=>{
hookedCommand._lifeCycleHooks[event].forEach(callback=>{hooks.push({hookedCommand,callback})})}),event==="postAction"&&hooks.
reverse(),hooks.forEach(hookDetail=>{result=this._chainOrCall(result,()=>hookDetail.callback(hookDetail.hookedCommand,this))}),
result}_chainOrCallSubCommandHook(promise,subCommand,event){let result=promise;return this._lifeCycleHooks[event]!==void 0&&
this._lifeCycleHooks[event].forEach(hook=>{result=this._chainOrCall(result,()=>hook(this,subCommand))}),result}_parseCommand(operands,unknown){
let parsed=this.parseOptions(unknown);if(this._parseOptionsEnv(),this._parseOptionsImplied(),operands=operands.concat(parsed.
operands),unknown=parsed.unknown,this.args=operands.concat(unknown),operands&&this._findCommand(operands[0]))return this.
_dispatchSubcommand(operands[0],operands.slice(1),unknown);if(this._getHelpCommand()&&operands[0]===this._getHelpCommand().
name())return this._dispatchHelpCommand(operands[1]);if(this._defaultCommandName)return this._outputHelpIfRequested(unknown),
this._dispatchSubcommand(this._defaultCommandName,operands,unknown);this.commands.length&&this.args.length===0&&!this._actionHandler&&
!this._defaultCommandName&&this.help({error:!0}),this._outputHelpIfRequested(parsed.unknown),this._checkForMissingMandatoryOptions(),
this._checkForConflictingOptions();let checkForUnknownOptions=()=>{parsed.unknown.length>0&&this.unknownOption(parsed.unknown[0])},
commandEvent=`command:${this.name()}`;if(this._actionHandler){checkForUnknownOptions(),this._processArguments();let promiseChain;
return promiseChain=this._chainOrCallHooks(promiseChain,"preAction"),promiseChain=this._chainOrCall(promiseChain,()=>this.
_actionHandler(this.processedArgs)),this.parent&&(promiseChain=this._chainOrCall(promiseChain,()=>{this.parent.emit(commandEvent,
operands,unknown)})),promiseChain=this._chainOrCallHooks(promiseChain,"postAction"),promiseChain}if(this.parent?.listenerCount(
commandEvent))checkForUnknownOptions(),this._processArguments(),this.parent.emit(commandEvent,operands,unknown);else if(operands.
length){if(this._findCommand("*"))return this._dispatchSubcommand("*",operands,unknown);this.listenerCount("command:*")?
this.emit("command:*",operands,unknown):this.commands.length?this.unknownCommand():(checkForUnknownOptions(),this._processArguments())}else
this.commands.length?(checkForUnknownOptions(),this.help({error:!0})):(checkForUnknownOptions(),this._processArguments())}_findCommand(name){
if(name)return this.commands.find(cmd=>cmd._name===name||cmd._aliases.includes(name))}_findOption(arg){return this.options.
find(option2=>option2.is(arg))}_checkForMissingMandatoryOptions(){this._getCommandAndAncestors().forEach(cmd=>{cmd.options.
forEach(anOption=>{anOption.mandatory&&cmd.getOptionValue(anOption.attributeName())===void 0&&cmd.missingMandatoryOptionValue(
anOption)})})}_checkForConflictingLocalOptions(){let definedNonDefaultOptions=this.options.filter(option2=>{let optionKey=option2.
attributeName();return this.getOptionValue(optionKey)===void 0?!1:this.getOptionValueSource(optionKey)!=="default"});definedNonDefaultOptions.
filter(option2=>option2.conflictsWith.length>0).forEach(option2=>{let conflictingAndDefined=definedNonDefaultOptions.find(
defined=>option2.conflictsWith.includes(defined.attributeName()));conflictingAndDefined&&this._conflictingOption(option2,
conflictingAndDefined)})}_checkForConflictingOptions(){this._getCommandAndAncestors().forEach(cmd=>{cmd._checkForConflictingLocalOptions()})}parseOptions(args){
let operands=[],unknown=[],dest=operands;function maybeOption(arg){return arg.length>1&&arg[0]==="-"}let negativeNumberArg=arg=>/^-(\d+|\d*\.\d+)(e[+-]?\d+)?$/.
test(arg)?!this._getCommandAndAncestors().some(cmd=>cmd.options.map(opt=>opt.short).some(short=>/^-\d$/.test(short))):!1,
activeVariadicOption=null,activeGroup=null,i=0;for(;i<args.length||activeGroup;){let arg=activeGroup??args[i++];if(activeGroup=
null,arg==="--"){dest===unknown&&dest.push(arg),dest.push(...args.slice(i));break}if(activeVariadicOption&&(!maybeOption(
arg)||negativeNumberArg(arg))){this.emit(`option:${activeVariadicOption.name()}`,arg);continue}if(activeVariadicOption=null,
maybeOption(arg)){let option2=this._findOption(arg);if(option2){if(option2.required){let value=args[i++];value===void 0&&
this.optionMissingArgument(option2),this.emit(`option:${option2.name()}`,value)}else if(option2.optional){let value=null;
i<args.length&&(!maybeOption(args[i])||negativeNumberArg(args[i]))&&(value=args[i++]),this.emit(`option:${option2.name()}`,
value)}else this.emit(`option:${option2.name()}`);activeVariadicOption=option2.variadic?option2:null;continue}}if(arg.length>
2&&arg[0]==="-"&&arg[1]!=="-"){let option2=this._findOption(`-${arg[1]}`);if(option2){option2.required||option2.optional&&
this._combineFlagAndOptionalValue?this.emit(`option:${option2.name()}`,arg.slice(2)):(this.emit(`option:${option2.name()}`),
activeGroup=`-${arg.slice(2)}`);continue}}if(/^--[^=]+=/.test(arg)){let index=arg.indexOf("="),option2=this._findOption(
arg.slice(0,index));if(option2&&(option2.required||option2.optional)){this.emit(`option:${option2.name()}`,arg.slice(index+
1));continue}}if(dest===operands&&maybeOption(arg)&&!(this.commands.length===0&&negativeNumberArg(arg))&&(dest=unknown),
(this._enablePositionalOptions||this._passThroughOptions)&&operands.length===0&&unknown.length===0){if(this._findCommand(
arg)){operands.push(arg),unknown.push(...args.slice(i));break}else if(this._getHelpCommand()&&arg===this._getHelpCommand().
name()){operands.push(arg,...args.slice(i));break}else if(this._defaultCommandName){unknown.push(arg,...args.slice(i));break}}
if(this._passThroughOptions){dest.push(arg,...args.slice(i));break}dest.push(arg)}return{operands,unknown}}opts(){if(this.
_storeOptionsAsProperties){let result={},len=this.options.length;for(let i=0;i<len;i++){let key=this.options[i].attributeName();
result[key]=key===this._versionOptionName?this._version:this[key]}return result}return this._optionValues}optsWithGlobals(){
return this._getCommandAndAncestors().reduce((combinedOptions,cmd)=>Object.assign(combinedOptions,cmd.opts()),{})}error(message,errorOptions){
this._outputConfiguration.outputError(`${message}
`,this._outputConfiguration.writeErr),typeof this._showHelpAfterError=="string"?this._outputConfiguration.writeErr(`${this.
_showHelpAfterError}
`):this._showHelpAfterError&&(this._outputConfiguration.writeErr(`
`),this.outputHelp({error:!0}));let config=errorOptions||{},exitCode=config.exitCode||1,code=config.code||"commander.err\
or";this._exit(exitCode,code,message)}_parseOptionsEnv(){this.options.forEach(option2=>{if(option2.envVar&&option2.envVar in
process.env){let optionKey=option2.attributeName();(this.getOptionValue(optionKey)===void 0||["default","config","env"].
includes(this.getOptionValueSource(optionKey)))&&(option2.required||option2.optional?this.emit(`optionEnv:${option2.name()}`,
process.env[option2.envVar]):this.emit(`optionEnv:${option2.name()}`))}})}_parseOptionsImplied(){let dualHelper=new DualOptions(
this.options),hasCustomOptionValue=optionKey=>this.getOptionValue(optionKey)!==void 0&&!["default","implied"].includes(this.
getOptionValueSource(optionKey));this.options.filter(option2=>option2.implied!==void 0&&hasCustomOptionValue(option2.attributeName())&&
dualHelper.valueFromOption(this.getOptionValue(option2.attributeName()),option2)).forEach(option2=>{Object.keys(option2.
implied).filter(impliedKey=>!hasCustomOptionValue(impliedKey)).forEach(impliedKey=>{this.setOptionValueWithSource(impliedKey,
option2.implied[impliedKey],"implied")})})}missingArgument(name){let message=`error: missing required argument '${name}'`;
this.error(message,{code:"commander.missingArgument"})}optionMissingArgument(option2){let message=`error: option '${option2.
flags}' argument missing`;this.error(message,{code:"commander.optionMissingArgument"})}missingMandatoryOptionValue(option2){
let message=`error: required option '${option2.flags}' not specified`;this.error(message,{code:"commander.missingMandato\
ryOptionValue"})}_conflictingOption(option2,conflictingOption){let findBestOptionFromValue=option3=>{let optionKey=option3.
attributeName(),optionValue=this.getOptionValue(optionKey),negativeOption=this.options.find(target=>target.negate&&optionKey===
target.attributeName()),positiveOption=this.options.find(target=>!target.negate&&optionKey===target.attributeName());return negativeOption&&
(negativeOption.presetArg===void 0&&optionValue===!1||negativeOption.presetArg!==void 0&&optionValue===negativeOption.presetArg)?
negativeOption:positiveOption||option3},getErrorMessage=option3=>{let bestOption=findBestOptionFromValue(option3),optionKey=bestOption.
attributeName();return this.getOptionValueSource(optionKey)==="env"?`environment variable '${bestOption.envVar}'`:`optio\
n '${bestOption.flags}'`},message=`error: ${getErrorMessage(option2)} cannot be used with ${getErrorMessage(conflictingOption)}`;
this.error(message,{code:"commander.conflictingOption"})}unknownOption(flag){if(this._allowUnknownOption)return;let suggestion="";
if(flag.startsWith("--")&&this._showSuggestionAfterError){let candidateFlags=[],command=this;do{let moreFlags=command.createHelp().
visibleOptions(command).filter(option2=>option2.long).map(option2=>option2.long);candidateFlags=candidateFlags.concat(moreFlags),
command=command.parent}while(command&&!command._enablePositionalOptions);suggestion=suggestSimilar(flag,candidateFlags)}
let message=`error: unknown option '${flag}'${suggestion}`;this.error(message,{code:"commander.unknownOption"})}_excessArguments(receivedArgs){
if(this._allowExcessArguments)return;let expected=this.registeredArguments.length,s=expected===1?"":"s",message=`error: \
too many arguments${this.parent?` for '${this.name()}'`:""}. Expected ${expected} argument${s} but got ${receivedArgs.length}\
.`;this.error(message,{code:"commander.excessArguments"})}unknownCommand(){let unknownName=this.args[0],suggestion="";if(this.
_showSuggestionAfterError){let candidateNames=[];this.createHelp().visibleCommands(this).forEach(command=>{candidateNames.
push(command.name()),command.alias()&&candidateNames.push(command.alias())}),suggestion=suggestSimilar(unknownName,candidateNames)}
let message=`error: unknown command '${unknownName}'${suggestion}`;this.error(message,{code:"commander.unknownCommand"})}version(str,flags,description){
if(str===void 0)return this._version;this._version=str,flags=flags||"-V, --version",description=description||"output the\
 version number";let versionOption=this.createOption(flags,description);return this._versionOptionName=versionOption.attributeName(),
this._registerOption(versionOption),this.on("option:"+versionOption.name(),()=>{this._outputConfiguration.writeOut(`${str}\

`),this._exit(0,"commander.version",str)}),this}description(str,argsDescription){return str===void 0&&argsDescription===
void 0?this._description:(this._description=str,argsDescription&&(this._argsDescription=argsDescription),this)}summary(str){
return str===void 0?this._summary:(this._summary=str,this)}alias(alias){if(alias===void 0)return this._aliases[0];let command=this;
if(this.commands.length!==0&&this.commands[this.commands.length-1]._executableHandler&&(command=this.commands[this.commands.
length-1]),alias===command._name)throw new Error("Command alias can't be the same as its name");let matchingCommand=this.
parent?._findCommand(alias);if(matchingCommand){let existingCmd=[matchingCommand.name()].concat(matchingCommand.aliases()).
join("|");throw new Error(`cannot add alias '${alias}' to command '${this.name()}' as already have command '${existingCmd}\
'`)}return command._aliases.push(alias),this}aliases(aliases){return aliases===void 0?this._aliases:(aliases.forEach(alias=>this.
alias(alias)),this)}usage(str){if(str===void 0){if(this._usage)return this._usage;let args=this.registeredArguments.map(
arg=>humanReadableArgName(arg));return[].concat(this.options.length||this._helpOption!==null?"[options]":[],this.commands.
length?"[command]":[],this.registeredArguments.length?args:[]).join(" ")}return this._usage=str,this}name(str){return str===
void 0?this._name:(this._name=str,this)}helpGroup(heading){return heading===void 0?this._helpGroupHeading??"":(this._helpGroupHeading=
heading,this)}commandsGroup(heading){return heading===void 0?this._defaultCommandGroup??"":(this._defaultCommandGroup=heading,
this)}optionsGroup(heading){return heading===void 0?this._defaultOptionGroup??"":(this._defaultOptionGroup=heading,this)}_initOptionGroup(option2){
this._defaultOptionGroup&&!option2.helpGroupHeading&&option2.helpGroup(this._defaultOptionGroup)}_initCommandGroup(cmd){
this._defaultCommandGroup&&!cmd.helpGroup()&&cmd.helpGroup(this._defaultCommandGroup)}nameFromFilename(filename){return this.
_name=path.basename(filename,path.extname(filename)),this}executableDir(path2){return path2===void 0?this._executableDir:
(this._executableDir=path2,this)}helpInformation(contextOptions){let helper=this.createHelp(),context=this._getOutputContext(
contextOptions);helper.prepareContext({error:context.error,helpWidth:context.helpWidth,outputHasColors:context.hasColors});
let text=helper.formatHelp(this,helper);return context.hasColors?text:this._outputConfiguration.stripColor(text)}_getOutputContext(contextOptions){
contextOptions=contextOptions||{};let error=!!contextOptions.error,baseWrite,hasColors,helpWidth;return error?(baseWrite=
str=>this._outputConfiguration.writeErr(str),hasColors=this._outputConfiguration.getErrHasColors(),helpWidth=this._outputConfiguration.
getErrHelpWidth()):(baseWrite=str=>this._outputConfiguration.writeOut(str),hasColors=this._outputConfiguration.getOutHasColors(),
helpWidth=this._outputConfiguration.getOutHelpWidth()),{error,write:str=>(hasColors||(str=this._outputConfiguration.stripColor(
str)),baseWrite(str)),hasColors,helpWidth}}outputHelp(contextOptions){let deprecatedCallback;typeof contextOptions=="fun\
ction"&&(deprecatedCallback=contextOptions,contextOptions=void 0);let outputContext=this._getOutputContext(contextOptions),
eventContext={error:outputContext.error,write:outputContext.write,command:this};this._getCommandAndAncestors().reverse().
forEach(command=>command.emit("beforeAllHelp",eventContext)),this.emit("beforeHelp",eventContext);let helpInformation=this.
helpInformation({error:outputContext.error});if(deprecatedCallback&&(helpInformation=deprecatedCallback(helpInformation),
typeof helpInformation!="string"&&!Buffer.isBuffer(helpInformation)))throw new Error("outputHelp callback must return a \
string or a Buffer");outputContext.write(helpInformation),this._getHelpOption()?.long&&this.emit(this._getHelpOption().long),
this.emit("afterHelp",eventContext),this._getCommandAndAncestors().forEach(command=>command.emit("afterAllHelp",eventContext))}helpOption(flags,description){
return typeof flags=="boolean"?(flags?(this._helpOption===null&&(this._helpOption=void 0),this._defaultOptionGroup&&this.
_initOptionGroup(this._getHelpOption())):this._helpOption=null,this):(this._helpOption=this.createOption(flags??"-h, --h\
elp",description??"display help for command"),(flags||description)&&this._initOptionGroup(this._helpOption),this)}_getHelpOption(){
return this._helpOption===void 0&&this.helpOption(void 0,void 0),this._helpOption}addHelpOption(option2){return this._helpOption=
option2,this._initOptionGroup(option2),this}help(contextOptions){this.outputHelp(contextOptions);let exitCode=Number(process.
exitCode??0);exitCode===0&&contextOptions&&typeof contextOptions!="function"&&contextOptions.error&&(exitCode=1),this._exit(
exitCode,"commander.help","(outputHelp)")}addHelpText(position,text){let allowedValues=["beforeAll","before","after","af\
terAll"];if(!allowedValues.includes(position))throw new Error(`Unexpected value for position to addHelpText.
Expecting one of '${allowedValues.join("', '")}'`);let helpEvent=`${position}Help`;return this.on(helpEvent,context=>{let helpStr;
typeof text=="function"?helpStr=text({error:context.error,command:context.command}):helpStr=text,helpStr&&context.write(
`${helpStr}
`)}),this}_outputHelpIfRequested(args){let helpOption=this._getHelpOption();helpOption&&args.find(arg=>helpOption.is(arg))&&
(this.outputHelp(),this._exit(0,"commander.helpDisplayed","(outputHelp)"))}};function incrementNodeInspectorPort(args){return args.
map(arg=>{if(!arg.startsWith("--inspect"))return arg;let debugOption,debugHost="127.0.0.1",debugPort="9229",match;return(match=
arg.match(/^(--inspect(-brk)?)$/))!==null?debugOption=match[1]:(match=arg.match(/^(--inspect(-brk|-port)?)=([^:]+)$/))!==
null?(debugOption=match[1],/^\d+$/.test(match[3])?debugPort=match[3]:debugHost=match[3]):(match=arg.match(/^(--inspect(-brk|-port)?)=([^:]+):(\d+)$/))!==
null&&(debugOption=match[1],debugHost=match[3],debugPort=match[4]),debugOption&&debugPort!=="0"?`${debugOption}=${debugHost}\
:${parseInt(debugPort)+1}`:arg})}function useColor(){if(process.env.NO_COLOR||process.env.FORCE_COLOR==="0"||process.env.
FORCE_COLOR==="false")return!1;if(process.env.FORCE_COLOR||process.env.CLICOLOR_FORCE!==void 0)return!0}exports.Command=
Command2;exports.useColor=useColor}});var require_commander=__commonJS({"node_modules/commander/index.js"(exports){var{Argument:Argument2}=require_argument(),
{Command:Command2}=require_command(),{CommanderError:CommanderError2,InvalidArgumentError:InvalidArgumentError2}=require_error(),
{Help:Help2}=require_help(),{Option:Option2}=require_option();exports.program=new Command2;exports.createCommand=name=>new Command2(
name);exports.createOption=(flags,description)=>new Option2(flags,description);exports.createArgument=(name,description)=>new Argument2(
name,description);exports.Command=Command2;exports.Option=Option2;exports.Argument=Argument2;exports.Help=Help2;exports.
CommanderError=CommanderError2;exports.InvalidArgumentError=InvalidArgumentError2;exports.InvalidOptionArgumentError=InvalidArgumentError2}});var STATE_FLAGS=["metrics-bind-address","manifests","hostname-override","output"],CLUSTER_FLAGS=["detect-local-mode","cl\
uster-cidr","nodeport-addresses","config"],COMMANDS=[{name:"status",syntax:"",summary:"Print the status of the agent on \
this node",description:"Prints a verdict, what is wrong and what to do about it, and then the mode, what is in force, th\
e last syncs, and what was repaired. Queries the running agent at --metrics-bind-address.",examples:[{purpose:"Is this n\
ode well?",command:"status"},{purpose:"Again whenever it changes",command:"status --watch"},{purpose:"For a script",command:"\
status -o json"}],flags:["metrics-bind-address","output","watch","config"],exitStatus:"0 ok, 1 degraded, 2 not serving, \
3 no agent answers, 4 an error of the command line",usageErrorStatus:4},{name:"explain",syntax:"[<source>] <destination>",
summary:"Explain how a packet is handled",description:"Explains which Service a packet belongs to, which endpoints can g\
et it, and why. The source is an IP address, pod/<name>, pod/<namespace>/<name>, node, or outside; only pods that are en\
dpoints of a Service are known by name. The destination is <address>:<port>[/<protocol>] or svc/[<namespace>/]<name>[:<p\
ort>][/<protocol>]. Without a source, the result for every kind of client is printed, and with -o wide the reasons. Quer\
ies the running agent at --metrics-bind-address, or simulates the packet from --manifests, which needs no privileges and\
 no agent. With --at, answers from what was in force at that time, by the recording of the agent or the file of --record\
ing, and says which sync had programmed it.",examples:[{purpose:"What do clients of a Service get, wherever they are?",command:"\
explain svc/shop/checkout"},{purpose:"A pod connects to a Service of its namespace",command:"explain pod/web-1 svc/check\
out:http -n shop"},{purpose:"A client outside, through a NodePort",command:"explain outside svc/checkout --via node-port"},
{purpose:"A pod connects to a cluster IP",command:"explain 10.244.0.5 10.96.0.10:80/tcp"},{purpose:"The same for objects\
 in a directory, on any machine",command:"explain 10.244.0.5 10.96.0.10:80 --manifests ./cluster"},{purpose:"What happen\
ed to it earlier",command:"explain 10.244.0.5 10.96.0.10:80 --at 14:03:05"}],flags:["namespace","via","at","recording",...STATE_FLAGS,
...CLUSTER_FLAGS],exitStatus:"0 when the packet was explained, 1 on an error or when a name is unknown"},{name:"get",syntax:"\
<services|endpoints|frontends> [<name>]",summary:"Print Services as they are in force on this node",description:"Prints \
what is in force on this node as a table: services with the number of endpoints that are used, of those that are known; \
endpoints with the reason why each is used or not; frontends, the addresses of Services, with what happens to packets th\
ere. The name is that of a Service: name or namespace/name. Queries the running agent at --metrics-bind-address, or reso\
lves --manifests.",examples:[{purpose:"All Services",command:"get services -A"},{purpose:"Why is an endpoint not used?",
command:"get endpoints shop/checkout"},{purpose:"Every address of a namespace, for a script",command:"get frontends -n s\
hop -o json"}],flags:["namespace","all-namespaces",...STATE_FLAGS,...CLUSTER_FLAGS],exitStatus:"0, or 1 on an error or w\
hen the named Service does not exist"},{name:"verify",syntax:"",summary:"Verify that the kernel does with packets what t\
he state says",description:"Enumerates the classes of packets that the state distinguishes (addresses of Services by kin\
ds of senders), finds out what the rules in the kernel do with each, whoever installed them, and prints each difference \
with the rule, element or sysctl that decides. Sends no packets, unless --packets is set, and changes nothing. Has the r\
unning agent at --metrics-bind-address verify what is in force, or compares the kernel of this network namespace with --\
manifests, for the mode of --proxy-mode. What cannot be read or interpreted is reported as unknown. With --between, comp\
ares what two modes would do with each class, from what the agent has recorded last or from --manifests.",examples:[{purpose:"\
Does this node do what its Services say?",command:"verify"},{purpose:"For a script",command:"verify -o json"},{purpose:"\
Without an agent",command:"verify --manifests ./cluster --proxy-mode nftables"},{purpose:"Would another mode do the same\
?",command:"verify --between iptables,nftables"},{purpose:"With real connections",command:"verify --packets"}],flags:["p\
roxy-mode","between","packets",...STATE_FLAGS,...CLUSTER_FLAGS],exitStatus:"0 verified, 1 differences found, 2 not every\
thing could be verified, 3 no agent or nothing programmed, 4 an error of the command line",usageErrorStatus:4},{name:"wh\
at-changed",syntax:"[<service>]",summary:"List what happened on this node",description:"Lists changes from a recording, \
one line each: Services that were added, removed or changed, endpoints that came, went or changed, what each sync progra\
mmed and when, failed syncs, repaired drift and readiness. The service is name, namespace/name, or svc/name: then only i\
ts changes are listed, the syncs that programmed it, and what concerns the whole node. Reads the recording of the runnin\
g agent at --metrics-bind-address, or the file of --recording.",examples:[{purpose:"What happened in the last ten minute\
s?",command:"what-changed --since 10m"},{purpose:"Who changed this Service at two?",command:"what-changed --since 14:00 \
--until 14:10 svc/checkout -n shop"},{purpose:"From the file of a bug report, for a script",command:"what-changed --reco\
rding node1.jsonl.gz -o json"}],flags:["since","until","recording","namespace","metrics-bind-address","output","config"],
exitStatus:"0, or 1 on an error"},{name:"replay",syntax:"<file> [<source>] [<destination>]",summary:"Replay a recording,\
 and print what was in force",description:"Replays a recording with the code of the agent up to --until, or to its end, \
and prints the Services that were in force then. With a packet, as of explain, prints what happened to it. With --test, \
prints a jest test that contains the recording, replays it, and asserts the outcome of the packet: the one of --expect, \
or that of the replay. Needs no agent and no privileges.",examples:[{purpose:"What was in force at 14:03:05?",command:"r\
eplay node1.jsonl.gz --until 14:03:05"},{purpose:"What happened to a packet then?",command:"replay node1.jsonl.gz 10.244\
.0.5 10.96.0.10:80 --until 14:03:05"},{purpose:"A failing test for a bug report",command:"replay node1.jsonl.gz 10.244.0\
.5 10.96.0.10:80 --test --expect 10.244.0.7:8080"}],flags:["until","test","expect","namespace","output"],exitStatus:"0, \
or 1 on an error"},{name:"record",syntax:"dump|show [<file>]",summary:"Save or summarize the recording of the agent",description:"\
record dump writes the recording of the running agent at --metrics-bind-address to standard output: what it received and\
 did in the last hour (--recording-age of the agent). record show prints what a file contains. A recording has names and\
 addresses of Services, endpoints and this node, and no other fields of objects.",examples:[{purpose:"Save it for a bug \
report",command:"record dump >node1.jsonl.gz"},{purpose:"What is in this file?",command:"record show node1.jsonl.gz"}],flags:[
"metrics-bind-address","output","config"],exitStatus:"0, or 1 on an error"},{name:"plan",syntax:"",summary:"Show what wo\
uld be written, without writing it",description:"Compares what is in force on this node with what would be: with -f, oth\
er objects; with --delete, without an object; with other flags or --config, other options; with --manifests or --kubecon\
fig, objects of another source. By meaning: which addresses, endpoints and policies of Services differ; with --rules, al\
so every rule of the kernel. Without -f and --delete, the rules of the kernel are read and compared, which needs root. W\
hat is not set is as the running agent has it. With --cleanup, shows what cleanup would remove. Writes nothing, ever.",examples:[
{purpose:"Do the rules of this node match its objects?",command:"plan"},{purpose:"What would a change of objects do here\
?",command:"plan -f change.yaml"},{purpose:"What would the deletion of a Service do here?",command:"plan --delete svc/ch\
eckout -n shop"},{purpose:"What would another mode write, and what would be removed?",command:"plan --proxy-mode nftable\
s --rules"},{purpose:"What would cleanup remove?",command:"plan --cleanup --kube-proxy"}],flags:["filename","delete","ru\
les","cleanup","kube-proxy","namespace","proxy-mode",...STATE_FLAGS,...CLUSTER_FLAGS,"kubeconfig","backend","backend-opt\
ion"],exitStatus:"0 no differences, 1 differences, 2 an error",usageErrorStatus:2},{name:"doctor",syntax:"",summary:"Che\
ck whether this host can run kube-proxier",description:"Checks whether this host can run all modes, or the mode of --pro\
xy-mode, with the other flags as the agent would be started, and reports problems with their remedy. Changes nothing.",examples:[
{purpose:"Can this host run mode nftables?",command:"doctor --proxy-mode nftables"},{purpose:"Only what is wrong, or cou\
ld not be checked",command:"doctor --only-problems"},{purpose:"With the configuration of the agent, for a script",command:"\
doctor --config config.yaml -o json"}],flags:["proxy-mode","only-problems","config","backend","backend-option","output"],
exitStatus:"0 without problems, 1 if there is a problem, 2 if there is none but not everything could be checked"},{name:"\
cleanup",syntax:"",summary:"Remove what kube-proxier has installed on this host",description:"Removes what kube-proxier \
has installed, in all modes or in the mode of --proxy-mode, prints what was removed, and exits. Rules of kube-proxy are \
kept unless --kube-proxy is set. Refused while a proxy runs on this node, unless --force is set.",examples:[{purpose:"Wh\
at would be removed?",command:"cleanup --dry-run"},{purpose:"Only what mode ipvs has installed",command:"cleanup --proxy\
-mode ipvs"}],flags:["proxy-mode","kube-proxy","dry-run","force","backend","backend-option","v","logging-format"],exitStatus:"\
0 when everything was removed, 1 otherwise"},{name:"completion",syntax:"bash|zsh|fish",summary:"Print a completion scrip\
t for a shell",description:"Prints a script that completes commands and flags of kube-proxier in this shell.",examples:[
{purpose:"In every bash",command:"completion bash >/etc/bash_completion.d/kube-proxier"},{purpose:"For zsh, into a direc\
tory of its fpath",command:"completion zsh >_kube-proxier"}],flags:[],exitStatus:"0, or 1 for an unknown shell"},{name:"\
help",syntax:"[<command>]",summary:"Explain a command",description:"Explains kube-proxier and all flags of the agent, or\
 one command, as --help does.",examples:[{purpose:"How is a packet explained?",command:"help explain"}],flags:[],exitStatus:"\
0, or 1 for an unknown command"},{name:"version",syntax:"",summary:"Print the version",description:"Prints the version o\
f kube-proxier.",examples:[],flags:[],exitStatus:"0"}];function findCommand(name){return COMMANDS.find(command=>command.
name===name)}import{writeFileSync}from"node:fs";import{createHash}from"node:crypto";import{readFileSync,unwatchFile,watchFile}from"node:fs";var INTERVAL=2e3,ConfigurationWatch=class{options;#watcher;#seen;constructor(options,text){this.options=options,this.#seen=
digest(text)}start(){let{path,interval=INTERVAL}=this.options;this.#watcher=watchFile(path,{persistent:!1,interval},this.#poll),
this.#poll()}stop(){this.#watcher&&(this.#watcher=void 0,unwatchFile(this.options.path,this.#poll))}#poll=()=>{let{path,
judge,onChange,onProblems,logger}=this.options,text;try{text=readFileSync(path,"utf8")}catch(error){logger.debug(2,"Cann\
ot read the configuration file",{path,reason:messageOf(error)});return}let content=digest(text);if(content===this.#seen)
return;this.#seen=content;let judgement=judge(text);judgement.kind==="changed"?(this.stop(),onChange()):judgement.kind===
"wrong"?onProblems(judgement.problems):logger.info("The configuration file was rewritten without an effective change",{path})}};
function digest(text){return createHash("sha256").update(text).digest("hex")}function endOnConfigurationChange({commandLine,settings,composition,configurationText},logger){return(end,report)=>{if(configurationText===
void 0)return()=>{};let path=settings.configFile,before=JSON.stringify(settings.effective),judge=text=>{try{let{effective}=settingsOf(
commandLine,composition.backends,readConfiguration(commandLine,text),[]);return{kind:JSON.stringify(effective)===before?
"same":"changed"}}catch(error){return{kind:"wrong",problems:error instanceof CommandLineError?error.problems:[messageOf(
error)]}}},watch=new ConfigurationWatch({path,judge,logger,onChange:()=>{let message=`content of the proxy server's conf\
iguration file was updated: ${printable(path)}; it takes effect at the next start`;end(new ProxierError("CONFIGURATION_C\
HANGED",message))},onProblems:problems=>{for(let problem of problems)logger.error(`The changed configuration file is inv\
alid; the previous one stays in force: ${problem}`);report(problems)}},configurationText);return watch.start(),()=>watch.
stop()}}var FLAGS_BY_CODE={UNKNOWN_PROXY_MODE:["proxy-mode","backend"],PROXY_MODE_UNUSABLE:["proxy-mode","proxy-mode-fallback"],
NO_NODE_NAME:["hostname-override"],PRIMARY_FAMILY_UNSUPPORTED:["bind-address"],CANNOT_LISTEN:["healthz-bind-address","me\
trics-bind-address","metrics-scrape-bind-address","bind-address-hard-fail"],CERTIFICATE_UNREADABLE:["metrics-scrape-tls-\
cert-file","metrics-scrape-tls-private-key-file"],KUBECONFIG_NOT_FOUND:["kubeconfig"],KUBECONFIG_UNREADABLE:["kubeconfig"],
KUBECONFIG_INVALID:["kubeconfig","master"],NOT_IN_CLUSTER:["kubeconfig","master","manifests"]};function messageWithFlags(error){
let flags=isProxierError(error)?FLAGS_BY_CODE[error.code]??[]:[];return`${messageOf(error)}${flags.length===0?"":` (see ${flags.
map(name=>`--${name}`).join(", ")})`}`}var import_index=__toESM(require_commander(),1),{program,createCommand,createArgument,createOption,CommanderError,InvalidArgumentError,
InvalidOptionArgumentError,Command,Argument,Option,Help}=import_index.default;var WIDTH=80,USAGE=`Usage: kube-proxier --kubeconfig <path> | --manifests <path> [flags]
       kube-proxier <command> [flags]`,DESCRIPTION="The Kubernetes service proxy of this node: forwards traffic of Servi\
ces to their endpoints. Installed rules stay when it exits (in mode userspace, connections are closed); the command clea\
nup removes them.",COMMAND_HINT='Use "kube-proxier <command> --help" for more about a command.',FLAG_FORMS="Flags take t\
heir value as --flag=value or --flag value. A flag without a value is enabled by its name, and disabled by --flag=false.",
GROUPS=["Objects","Mode","Node","Services","Status","Logging","Timing","Mode nftables","Mode ipvs","Mode userspace","Con\
ntrack","Commands","Clean-up","Other","Without effect"];function helpText(modes){let groups=GROUPS.map(group=>[`${group}\
:`,...FLAGS.filter(flag=>flag.group===group).map(flag=>item(termOf(flag),explanation(flag,modes)))]),longest=Math.max(...COMMANDS.
map(({name})=>name.length)),commands=["Commands:",...COMMANDS.map(({name,summary})=>`  ${name.padEnd(longest)}  ${summary}`),
"",COMMAND_HINT];return joined([[USAGE],[wrapped(DESCRIPTION,0)],commands,[wrapped(FLAG_FORMS,0)],...groups])}function commandHelpText({
name,syntax,description,examples,flags,exitStatus},modes){let usage=["kube-proxier",name,syntax,flags.length>0?"[flags]":
""].filter(word=>word!=="").join(" "),used=flags.flatMap(flag=>FLAGS.find(one=>one.name===flag)??[]);return joined([[wrapped(
`Usage: ${usage}`,0)],[wrapped(description,0)],...examples.length===0?[]:[["Examples:",...examples.flatMap(({purpose,command})=>[
`  # ${purpose}`,`  kube-proxier ${command}`])]],...used.length===0?[]:[["Flags:",...used.map(flag=>item(termOf(flag),explanation(
flag,modes)))]],[wrapped(`Exit status: ${exitStatus}.`,0)],...used.length===0?[]:[[wrapped('Use "kube-proxier --help" fo\
r all flags of the agent.',0)]]])}function joined(sections){return`${sections.map(lines=>lines.join(`
`)).join(`

`)}
`}function item(term,paragraphs){return[`  ${term}`,...paragraphs.map(paragraph=>wrapped(paragraph,6))].join(`
`)}function wrapped(text,indent){return new Help().boxWrap(text,WIDTH-indent).replace(/^/gm," ".repeat(indent))}function termOf({
name,short,value}){return`${short===void 0?"":`-${short}, `}--${name}${value===void 0?"":` <${value}>`}`}function explanation(flag,modes){
if(["Without effect","Clean-up"].includes(flag.group)||["help","version","init-only"].includes(flag.name))return[flag.help];
let defaultText=`Default: ${flag.defaultText}.`;return flag.name==="proxy-mode"?[flag.help,...modes.map(({mode,description})=>`${mode}\
: ${description}.`),defaultText]:[`${flag.help} ${defaultText}`]}var PROGRAM="kube-proxier",ALL_FLAGS=FLAGS,ALL_COMMANDS=COMMANDS;function completionScript(shell){switch(shell){case"bas\
h":return bashScript();case"zsh":return zshScript();case"fish":return fishScript();default:return}}function flagsOf(command){
return command===void 0?ALL_FLAGS.filter(({unused})=>unused===void 0):command.flags.flatMap(name=>ALL_FLAGS.find(flag=>flag.
name===name)??[])}function takesPath({value}){return value==="path"||value==="file"}function option({name,type}){return name.
length===1?`-${name}`:`--${name}${type==="bool"?"":"="}`}function bashScript(){let words=command=>flagsOf(command).map(option).
join(" "),cases=ALL_COMMANDS.map(command=>`    ${command.name}) words="${words(command)} --help" ;;`).join(`
`),paths=ALL_FLAGS.filter(takesPath).map(({name})=>`--${name}`).join("|");return`# bash completion for ${PROGRAM}
_kube_proxier() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words
  if [[ $previous == = ]]; then previous="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  if [[ $current == = ]]; then previous="\${COMP_WORDS[COMP_CWORD-1]}" current=; fi
  case "$previous" in
    ${paths}) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
  esac
  case "\${COMP_WORDS[1]}" in
${cases}
    *) words="${words()} --help"; [[ $COMP_CWORD -eq 1 ]] && words="${ALL_COMMANDS.map(({name})=>name).join(" ")} $words\
" ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  [[ \${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -F _kube_proxier ${PROGRAM}
`}function zshScript(){let quoted=text=>text.replaceAll("'","'\\''").replaceAll(/[[\]:]/g,"\\$&"),spec=flag=>{let value=flag.
type==="bool"?"":`:${quoted(flag.value??"value")}:${takesPath(flag)?"_files":""}`;return`'*${option(flag)}[${quoted(firstSentence(
flag.help))}]${value}'`},list=flags=>flags.map(flag=>`      ${spec(flag)}`).join(` \\
`),cases=ALL_COMMANDS.map(command=>command.flags.length===0?`    ${command.name}) ;;`:`    ${command.name}) _arguments \\\

${list(flagsOf(command))} ;;`).join(`
`);return`#compdef ${PROGRAM}
_kube_proxier() {
  local -a commands
  commands=(
${ALL_COMMANDS.map(({name,summary})=>`    '${name}:${quoted(summary)}'`).join(`
`)}
  )
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _describe command commands
    return
  fi
  case "$words[2]" in
${cases}
    *) _arguments \\
${list(flagsOf(void 0))} ;;
  esac
}
compdef _kube_proxier ${PROGRAM}
`}function fishScript(){let quoted=text=>`'${text.replaceAll("\\","\\\\").replaceAll("'","\\'")}'`,names=ALL_COMMANDS.map(
({name})=>name).join(" "),line=(flag,condition)=>{let spelling=flag.name.length===1?`-s ${flag.name}`:`-l ${flag.name}`,
value=flag.type==="bool"?"":takesPath(flag)?" -r -F":" -x";return`complete -c ${PROGRAM} -n ${quoted(condition)} ${spelling}${value}\
 -d ${quoted(firstSentence(flag.help))}`};return`${[`# fish completion for ${PROGRAM}`,`complete -c ${PROGRAM} -f`,...ALL_COMMANDS.
map(({name,summary})=>`complete -c ${PROGRAM} -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`),...ALL_COMMANDS.
flatMap(command=>flagsOf(command).map(flag=>line(flag,`__fish_seen_subcommand_from ${command.name}`))),...flagsOf(void 0).
map(flag=>line(flag,`not __fish_seen_subcommand_from ${names}`))].join(`
`)}
`}function firstSentence(text){return/^(.*?[^.])(?:\. |\.$)/s.exec(text)?.[1]??text}var COMMAND_HANDLERS={run:{run:request=>request.settings.writeConfigTo===""?runLogged(request,run):write(request)},cleanup:{
run:request=>runLogged(request,cleanup)},status:{run:async({settings,commandLine,environment})=>{let{status}=await import("./chunk-MFNK46N2.js");
return status(settings,isSet(commandLine,"watch"),environment)}},explain:{run:async({commandLine,settings,composition,environment})=>{
let{explain}=await import("./chunk-DLZKUFRY.js"),work=()=>explain(explainRequest(commandLine),settings,composition);
return environment.print(await withProgress(environment,`Reading ${sourceOf(settings)}`,work)),0}},"what-changed":{run:async({
commandLine,settings,environment})=>{let service=commandLine.operands[0],request={since:textOf(commandLine,"since"),until:textOf(
commandLine,"until"),recording:textOf(commandLine,"recording"),service,namespace:commandLine.values.get("namespace")?.at(
-1)??"default"},{whatChanged}=await import("./chunk-ZWGMBAGA.js");return printAnswer(await whatChanged(request,settings),
environment)}},replay:{run:async({commandLine,settings,environment})=>{let{operands}=commandLine,request={operands,until:textOf(
commandLine,"until"),test:isSet(commandLine,"test"),expect:textOf(commandLine,"expect"),namespace:commandLine.values.get(
"namespace")?.at(-1)??"default"},{replay}=await import("./chunk-FB5E32IA.js");return printAnswer(await replay(request,
settings),environment)}},plan:{run:async({commandLine,settings,composition,environment})=>{let{print,style}=environment,
context={commandLine,settings,composition,...style?{style}:{}},{plan}=await import("./chunk-VWQUF3RS.js"),work=()=>plan(
planRequest(commandLine),context),{text,status}=await withProgress(environment,"Planning",work);return print(text),status}},
record:{run:async({commandLine,settings,environment})=>{let{record}=await import("./chunk-L27PE3HI.js");return record(
commandLine.operands,settings,environment)}},get:{run:async({commandLine,settings,composition,environment})=>{let{get}=await import("./chunk-FPG6I25Q.js"),
work=()=>get(getRequest(commandLine,settings),settings,composition),{text,message}=await withProgress(environment,`Readi\
ng ${sourceOf(settings)}`,work);return environment.print(text),environment.printError(message===""?"":`${message}
`),0}},verify:{run:async({commandLine,settings,composition,environment})=>{let between=textOf(commandLine,"between");if(isSet(
commandLine,"packets")){if(between!=="")throw new ProxierError("INVALID_ARGUMENT","--packets and --between cannot be com\
bined; set one of them");let{verifyByConnections}=await import("./chunk-TAWC44EN.js");return verifyByConnections(settings,
composition,environment)}if(between!==""){let{verifyBetween}=await import("./chunk-NGX62UMK.js");return verifyBetween(
between,settings,composition,environment)}let{verify}=await import("./chunk-KNZKC7W7.js");return verify(settings,composition,
environment)}},doctor:{run:async({commandLine,settings,composition,environment})=>{let{doctor}=await import("./chunk-WMXEG3DO.js"),
{text,status}=await doctor(composition,{settings,commandLine},diagnosisFormat(commandLine,environment),environment.progress);
return environment.print(text),status},reportProblems:async({problems},commandLine,environment)=>{let{composition,print,
progress}=environment;if(!isOutput(commandLine.values.get("output")?.at(-1)??"text"))return;let{doctor}=await import("./chunk-WMXEG3DO.js"),
{text,status}=await doctor(composition,{problems,commandLine},diagnosisFormat(commandLine,environment),progress);return print(
text),status}},help:{answer:help},version:{answer:(_commandLine,{print})=>(print(versionText()),0)},completion:{answer:completion}};
function help({operands,topic,errors},{composition,print,printError}){if(operands.length>0&&topic===void 0&&errors.length>
0)return printError(errors.map(error=>`kube-proxier: ${error}
`).join("")),1;let command=findCommand(topic);return print(command===void 0?helpText(composition.backends):commandHelpText(
command,composition.backends)),0}function completion({operands,errors},{print,printError}){let script=completionScript(operands[0]??
"");if(script===void 0||errors.length>0){let unknown=`no completion for the shell "${printable(operands[0]??"")}"; use b\
ash, zsh or fish`;return printError((errors.length>0?errors:[unknown]).map(error=>`kube-proxier: ${error}
`).join("")),1}return print(script),0}async function runLogged(request,command){let{settings,commandLine,environment}=request,
logger=environment.createLogger(settings.configFile===""?readLogging(commandLine):settings.logging);for(let warning of settings.
warnings)logger.warn(warning);try{return await command(request,logger),0}catch(error){if(environment.signal.aborted)return logger.
info("Stopped while starting"),0;let fields=logger.v(2)?{error,stack:stackOf(error)}:{};return logger.error(`kube-proxie\
r cannot continue: ${messageWithFlags(error)}`,fields),1}}async function run(request,logger){let{composition,settings,environment}=request,
{prepareHost,runAgent}=await import("./chunk-LENTQQ7K.js");if(settings.initOnly){await prepareHost({composition,settings,
logger});return}let{signal,onSettled}=environment,onRunning=endOnConfigurationChange(request,logger);await runAgent({composition,
settings,logger,signal,onRunning,...onSettled?{onSettled}:{}})}async function cleanup({commandLine,composition,settings,
environment},logger){let{cleanUp,runningProxies}=await import("./chunk-SPYK4UCG.js");await cleanUp(cleanupRequest(
commandLine),{backends:composition.configure?.(settings)??composition.backends,running:composition.exclusive?runningProxies():
void 0,logger,print:environment.print})}async function write({settings,environment}){for(let warning of settings.warnings)
environment.printError(`kube-proxier: warning: ${warning}
`);return writeConfiguration(settings),environment.printError(`kube-proxier: wrote the configuration to ${printable(settings.
writeConfigTo)}
`),0}function writeConfiguration({writeConfigTo,effective}){try{writeFileSync(writeConfigTo,formatConfiguration(effective))}catch(error){
let reason=`${messageOf(error)}; give the path of a file that this user can write`;throw new CommandLineError([`--write-\
config-to: ${reason}`])}}function cleanupRequest(commandLine){let mode=commandLine.values.get("proxy-mode")?.at(-1)??"";
return{...mode===""?{}:{mode},kubeProxy:isSet(commandLine,"kube-proxy"),dryRun:isSet(commandLine,"dry-run"),force:isSet(
commandLine,"force")}}function explainRequest({operands,values}){let[at="",recording=""]=[values.get("at")?.at(-1),values.
get("recording")?.at(-1)],namespace=values.get("namespace")?.at(-1)??"default";return{operands,namespace,via:values.get(
"via")?.at(-1),at,recording}}function planRequest(commandLine){let{values}=commandLine;return{files:values.get("filename")??
[],deletions:values.get("delete")??[],rules:isSet(commandLine,"rules"),cleanup:isSet(commandLine,"cleanup"),kubeProxy:isSet(
commandLine,"kube-proxy"),namespace:values.get("namespace")?.at(-1)??"default"}}function getRequest(commandLine,{output}){
let{operands,values}=commandLine,all=isSet(commandLine,"all-namespaces");return{operands,namespace:all?void 0:values.get(
"namespace")?.at(-1)??"default",output}}function diagnosisFormat(commandLine,{columns,style}){return{onlyProblems:isSet(
commandLine,"only-problems"),...columns===void 0?{}:{columns},...style?{style}:{}}}function withProgress({progress},what,work){
return progress?.during(what,work)??work()}function sourceOf({manifests}){return manifests.length>0?"manifests":"what is\
 in force"}function isSet({values},name){return parseGoBool(values.get(name)?.at(-1)??"false")===!0}function textOf({values},name){
return values.get(name)?.at(-1)??""}function printAnswer({text,message},{print,printError}){return print(text),printError(
message===""?"":`kube-proxier: ${message.replaceAll(`
`,`
kube-proxier: `)}
`),0}function stackOf(error){return error instanceof Error?error.stack??"":""}function nearestFlag(name){return nearestName(name,FLAGS.map(flag=>flag.name))}var PROGRAM2="kube-proxier";function parseCommandLine(args){let program2=createParser(),values=new Map;for(let flag of FLAGS)
program2.on(`option:${flag.name}`,value=>{values.set(flag.name,[...values.get(flag.name)??[],value??"true"])});let errors=[],
{operands,unknown}=program2.parseOptions(normalize(args,errors)),isSet2=name=>parseGoBool(values.get(name)?.at(-1)??"fal\
se")===!0,command=isSet2("cleanup")?"cleanup":"run",[first,...rest]=operands,named=COMMANDS.find(({name})=>name===first);
named&&(command=named.name);let positional=named?[...rest]:[...operands],mayBeValue=!1;for(let argument of unknown)argument.
startsWith("-")?errors.push(describeUnknown(argument)):mayBeValue||positional.push(argument),mayBeValue=argument.startsWith(
"-")&&!argument.includes("=");let stray=positional.filter(operand=>operand!==""),[least,most]=named===void 0?[0,0]:operandCounts(
named);if(stray.length>most&&most===0){let list=stray.map(operand=>`"${printable(operand)}"`).join(", "),hint=named?`see\
 ${PROGRAM2} ${named.name} --help`:describeStray(stray[0]??"",values.has("manifests")),command2=named?`${PROGRAM2} ${named.
name}`:PROGRAM2;errors.push(`${command2} takes no arguments except flags, but got ${list}; ${hint}`)}else if(named&&(stray.
length<least||stray.length>most)){let example=named.examples[0]?.command??named.name;errors.push(`${PROGRAM2} ${named.name}\
 needs ${countOf(least,most)}, as in: ${PROGRAM2} ${example}`)}errors.push(...flagsOfOtherCommands(values,named));let topic=named?.
name;return command==="help"&&stray[0]!==void 0&&(topic=COMMANDS.find(({name})=>name===stray[0])?.name,topic===void 0&&errors.
push(`unknown command "${printable(stray[0])}"; see ${PROGRAM2} help`)),isSet2("version")&&(command="version"),isSet2("h\
elp")&&(command="help"),{command,values,operands:named?stray:[],errors,...command==="help"&&topic!==void 0&&topic!=="hel\
p"?{topic}:{}}}function flagsOfOtherCommands(values,command){return FLAGS.filter(({group,name})=>group==="Commands"&&values.
has(name)).filter(({name})=>!command?.flags.some(own=>own===name)).map(({name})=>`flag --${name} has no effect with ${command?
`${PROGRAM2} ${command.name}`:"the agent"}; remove it`)}function operandCounts({syntax}){let words=syntax.split(" ").filter(
word=>word!=="");return[words.filter(word=>!word.startsWith("[")).length,words.length]}function countOf(least,most){let names=[
"no","one","two","three"];return`${least===most?`${names[least]}`:`${names[least]} to ${names[most]}`} argument${most===
1?"":"s"}`}function createParser(){let parser=new Command(PROGRAM2).helpOption(!1).exitOverride().configureOutput({writeErr(){}});
for(let{name}of FLAGS)parser.addOption(new Option(`--${name} <value>`));return parser}function normalize(args,errors){let normal=[];
for(let index=0;index<args.length;index+=1){let arg=(args[index]??"").replace(/^--[^=]*/,name=>name.replaceAll("_","-"));
if(arg==="--")return[...normal,...args.slice(index)];let flag=FLAGS.find(candidate=>arg===`--${candidate.name}`||candidate.
short&&arg.startsWith(`-${candidate.short}`));flag?!arg.startsWith("--")&&arg.length>2?normal.push(`--${flag.name}=${arg.
slice(arg[2]==="="?3:2)}`):flag.type==="bool"?normal.push(`--${flag.name}=true`):index+1<args.length?(index+=1,normal.push(
`--${flag.name}=${args[index]}`)):errors.push(`flag ${arg} needs a value`):normal.push(arg)}return normal}function describeUnknown(argument){
let name=argument.replace(/^-+/,"").replace(/=.*$/s,""),nearest=nearestFlag(name),shown=printable(argument.replace(/=.*$/s,
""),80),hint=nearest===void 0?`see ${PROGRAM2} --help`:`did you mean --${nearest}?`;return`unknown flag ${shown}; ${hint}`}
function describeStray(operand,manifestsGiven){let command=nearestName(operand,COMMANDS.map(({name})=>name));if(command!==
void 0&&command!==operand)return`did you mean the command ${command}?`;let flag=nearestFlag(operand);return flag!==void 0?
`did you mean --${flag}?`:parseGoBool(operand)!==void 0?`true or false goes to its flag with "=", as in --masquerade-all\
=${operand}`:manifestsGiven?"to name several manifests, repeat --manifests":`see ${PROGRAM2} --help`}async function runCommand(args,environment){let commandLine=parseCommandLine(args),handler=COMMAND_HANDLERS[commandLine.
command],usageErrorStatus=findCommand(commandLine.command)?.usageErrorStatus??1;if(handler.answer)return handler.answer(
commandLine,environment);let interpreted;try{interpreted=await interpretCommandLine(commandLine,environment.composition)}catch(error){
if(!(error instanceof CommandLineError))throw error;return await handler.reportProblems?.(error,commandLine,environment)??
printProblems(error,environment,usageErrorStatus)}try{return await handler.run?.({...interpreted,environment})??0}catch(error){
return environment.printError(`kube-proxier: ${printable(messageWithFlags(error),MAX_MESSAGE_LENGTH)}
`),usageErrorStatus}}function printProblems({problems,warnings},{printError},status){for(let warning of warnings)printError(
`kube-proxier: warning: ${warning}
`);for(let problem of problems)printError(`kube-proxier: ${problem}
`);return status}export{runCommand};
//# sourceMappingURL=chunk-GI2U3X4O.js.map
