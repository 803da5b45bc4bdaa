import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{formatResources}from"./chunk-JQKEOF25.js";import"./chunk-IECCYJFR.js";import{formatMoment,parseMoment}from"./chunk-R4WQD5TR.js";
import{openRecording}from"./chunk-MRBMEEG6.js";import{readRecording,replayRecording}from"./chunk-K6JK22O5.js";
import"./chunk-ZZVTHHAR.js";import"./chunk-MTSOMN72.js";import"./chunk-C2RJUF7R.js";import{require_dist}from"./chunk-UWS5UL64.js";
import{ProxierError,answerPacketQuestion,formatPacketAnswer,parseAddress,printable,readPacketQuestion,viewServicePorts}from"./chunk-4LHTYADA.js";
import{promisify}from"./chunk-7IMJZ4UJ.js";import{__toESM}from"./chunk-VCSBMK2H.js";var import_yaml=__toESM(require_dist(),1);import{gzip}from"node:zlib";function outcomeText({outcome}){return outcome.kind==="forwarded"?outcome.choices.map(({endpoint})=>endpoint.key).sort().
join(","):outcome.kind}var compress=promisify(gzip),MAX_BYTES=2*1024*1024,LINE=100,ENDPOINT=/^(?:\[([0-9a-f:.]+)\]|([0-9.]+)):(\d{1,5})$/i,IMPORTS=[
"import { expect, test } from '@jest/globals';","import { FakeDataplane, renderState } from '@kube-proxier/core/testing'\
;","import { type ReplayedSync, simulatePacket } from '@kube-proxier/core';","import { replayRecording } from '@kube-pro\
xier/server';"];async function issueSpec({explanation,moment,source,expect}){let{packet}=explanation,expected=expect===""?
outcomeText(explanation):readExpectation(expect),data=await upTo(moment,source),{source:from,destination,port,protocol}=packet,
time=new Date(moment).toISOString(),address=destination.includes(":")?`[${destination}]`:destination,title=`${from} to ${address}\
:${port}/${protocol} at ${time}`,family=destination.includes(":")?"IPv6":"IPv4",asserted=JSON.stringify(packet);return`/\
/ Made by kube-proxier replay --test. It replays what a node received and did up to ${time}.
${IMPORTS.join(`
`)}

const RECORDING = Buffer.from(
  \`
${data.toString("base64").replace(new RegExp(`.{${LINE}}`,"g"),`$&
`)}
\`,
  'base64',
);

test(${JSON.stringify(title)}, async () => {
  const dataplane = new FakeDataplane();
  const syncs: ReplayedSync[] = [];
  const { replay, damage } = await replayRecording(inOnePiece(RECORDING), {
    after: (_entry, { sync }) => {
      if (sync?.entry.family === ${JSON.stringify(family)}) {
        syncs.push(sync);
      }
      return true;
    },
  });
  expect(damage).toBeUndefined();

  // The backend is brought from each state to the next, as it was on the node.
  for (const { entry, state, changes } of syncs) {
    const installed = entry.full ? await dataplane.readBack() : undefined;
    const transaction = dataplane.plan(state, changes, installed);
    if (transaction !== undefined) {
      await dataplane.apply(transaction);
    }
    expect(dataplane.contents).toEqual(renderState(state));
  }

  const state = replay.inForce(${JSON.stringify(family)});
  expect(state).toBeDefined();
  const packet = ${asserted} as const;
  const host = replay.hostOf(${JSON.stringify(family)});
  const { outcome, steps } = simulatePacket(state as NonNullable<typeof state>, packet, host);
  const actual =
    outcome.kind === 'forwarded'
      ? outcome.choices
          .map(({ endpoint }) => endpoint.key)
          .sort()
          .join(',')
      : outcome.kind;
  expect({ outcome: actual, steps }).toMatchObject({ outcome: ${JSON.stringify(expected)} });
});

async function* inOnePiece(data: Uint8Array): AsyncGenerator<Uint8Array> {
  yield data;
}
`}function readExpectation(text){return["refused","dropped","passed-on"].includes(text)?text:text.split(",").map(endpoint=>{
let match=ENDPOINT.exec(endpoint.trim()),address=parseAddress(match?.[1]??match?.[2]);if(!match||!address)throw new ProxierError(
"INVALID_ARGUMENT",`--expect: "${printable(text)}" is not refused, dropped, passed-on, or a list of endpoints such as 10\
.244.0.5:8080`);return address.family==="IPv6"?`[${address.text}]:${match[3]}`:`${address.text}:${match[3]}`}).sort().join(
",")}async function upTo(moment,source){let lines=[],epoch=0;for await(let entry of readRecording(source.open(),()=>{})){
if((entry.entry==="begin"||entry.entry==="clock")&&(epoch=Date.parse(entry.time)-entry.at),entry.entry!=="begin"&&epoch+
entry.at>moment)break;lines.push(JSON.stringify(entry))}let data=await compress(`${lines.join(`
`)}
`,{level:9});if(data.length>MAX_BYTES)throw new ProxierError("RECORDING_TOO_LARGE",`the recording up to then has ${data.
length} bytes, and a test contains ${MAX_BYTES} at most; use a recording that begins later, such as the latest file of -\
-recording-directory`);return data}async function replay({operands,until,test,expect,namespace},settings){let[file="",...asked]=operands,question=asked.length===
0?void 0:questionOf(asked,namespace);if(test&&question===void 0)throw new ProxierError("INVALID_ARGUMENT","--test needs \
a packet to ask about, as in: kube-proxier replay FILE 10.244.0.5 10.96.0.10:80 --test");if(expect!==""&&!test)throw new ProxierError(
"INVALID_ARGUMENT","--expect belongs to --test: add it, or remove --expect");let source=await openRecording(file,settings),
moment=until===""?source.moments.end:parseMoment("until",until,source.moments),{state,damage}=await replayTo(moment,source),
message=damage===void 0?"":`${damage}; what follows is not known`;if(question===void 0)return{text:formatState(state,moment,
damage,settings.output),message};let answer=answerOf(question,state,moment);return{text:test?await issueSpec({explanation:onlyCaseOf(
answer),moment,source,expect}):formatAnswer(answer,settings.output),message}}function questionOf(operands,namespace){let source=operands.
length>1?operands[0]:void 0;return readPacketQuestion({...source===void 0?{}:{source},destination:operands.at(-1)??"",namespace})}
function onlyCaseOf({cases}){let[only,...others]=cases;if(only===void 0||others.length>0)throw new ProxierError("INVALID\
_ARGUMENT",`--test asserts one packet, and the question has ${cases.length}; give a source, and a destination with a por\
t`);return only.explanation}async function replayTo(moment,source){if(moment<source.moments.begin)throw new ProxierError(
"NOT_RECORDED",`${formatMoment(moment)} is not recorded: the recording of ${source.description} begins at ${formatMoment(
source.moments.begin)}`);let{replay:state,damage}=await replayRecording(source.open(),{before:(entry,current)=>entry.entry===
"begin"||current.timeOf(entry)<=moment});return{state,damage}}function answerOf(question,replayed,moment){let states=replayed.
families.flatMap(family=>replayed.inForce(family)??[]),[first]=states;if(first===void 0)throw new ProxierError("NOT_RECO\
RDED",`nothing was in force at ${formatMoment(moment)}: no sync had succeeded`);return answerPacketQuestion(states,question,
replayed.hostOf(first.family))}function formatAnswer(answer,output){let{cases,notes}=answer,list={apiVersion:"kube-proxi\
er.io/v1alpha1",kind:"ExplanationList",items:cases,notes};switch(output){case"json":return`${JSON.stringify(list,void 0,
2)}
`;case"yaml":return(0,import_yaml.stringify)(list);default:return formatPacketAnswer(answer,output==="wide")}}function formatState(state,moment,damage,output){
let items=state.families.flatMap(family=>{let inForce=state.inForce(family);return inForce===void 0?[]:viewServicePorts(
inForce)}),replayed={apiVersion:"kube-proxier.io/v1alpha1",kind:"ReplayedState",time:new Date(moment).toISOString(),nodeName:state.
begin.nodeName,mode:state.mode??null,items,damage:damage??null};switch(output){case"json":return`${JSON.stringify(replayed,
void 0,2)}
`;case"yaml":return(0,import_yaml.stringify)(replayed);default:{let head=`In force on ${replayed.nodeName} at ${formatMoment(
moment)}, mode ${replayed.mode??"unknown"}:
`,options={wide:output==="wide",withNamespace:!0,now:moment};return items.length===0?`${head}nothing
`:`${head}${formatResources("services",items,options)}`}}}export{replay};
//# sourceMappingURL=chunk-FB5E32IA.js.map
