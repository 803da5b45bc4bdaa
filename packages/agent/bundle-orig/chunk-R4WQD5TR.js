import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{parseGoDuration}from"./chunk-ZZVTHHAR.js";import{ProxierError,printable}from"./chunk-4LHTYADA.js";var MomentError=class extends ProxierError{constructor(flag,text,problem){super("INVALID_TIME",`--${flag}: "${printable(
text,80)}" ${problem}`)}},FORMS="write a time as 14:03, 14:03:05 or 2026-03-01T14:03:05Z, or a duration such as 5m for f\
ive minutes ago",TIME_OF_DAY=/^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,3}))?)?(Z?)$/,ISO=/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/,
DAY=864e5,MAX_DAYS=400;function parseMoment(flag,given,context){let text=given.trim(),ofDay=TIME_OF_DAY.exec(text);if(ofDay)
return timeOfDay(flag,text,ofDay,context);if(ISO.test(text)){let time=Date.parse(text);if(Number.isNaN(time))throw new MomentError(
flag,text,`is not a time of the calendar; ${FORMS}`);return time}if(/^\d+$/.test(text))throw new MomentError(flag,text,`\
is ambiguous: it may be an hour, minutes or seconds; ${FORMS}`);if(/^\d{4}-\d\d-\d\d$/.test(text))throw new MomentError(
flag,text,`is a day; add the time, as in ${text}T14:03:05Z`);if(/\d\s*[ap]\.?m\.?$/i.test(text))throw new MomentError(flag,
text,"has a 12-hour clock; write the hour from 0 to 23, as in 14:03");let duration=text.startsWith("-")||text.startsWith(
"+")?void 0:parseGoDuration(text);if(duration!==void 0&&duration>=0)return context.now-duration;throw new MomentError(flag,
text,`is not a time; ${FORMS}`)}function timeOfDay(flag,text,parts,{begin,end,now}){let[,hour,minute,second="0",fraction="\
0",zone]=parts,numbers=[Number(hour),Number(minute),Number(second),Number(fraction.padEnd(3,"0"))],onDayOf=time=>{let day=new Date(
time);return zone==="Z"?day.setUTCHours(...numbers):day.setHours(...numbers)},days=[];for(let day=Math.max(begin,end-MAX_DAYS*
DAY)-DAY;day<=end+DAY;day+=DAY)days.push(onDayOf(day));let candidates=[...new Set(days)].filter(time=>time>=begin&&time<=
end);if(candidates.length>1){let list=candidates.map(time=>new Date(time).toISOString()).join(" or ");throw new MomentError(
flag,text,`is ambiguous: the recording has it ${candidates.length} times; write ${list}`)}let[only]=candidates,today=onDayOf(
now);return only??(today>now?today-DAY:today)}function formatTimeOfDay(time){let date=new Date(time),two=number=>String(
number).padStart(2,"0"),milliseconds=String(date.getMilliseconds()).padStart(3,"0");return`${two(date.getHours())}:${two(
date.getMinutes())}:${two(date.getSeconds())}.${milliseconds}`}function formatMoment(time){let date=new Date(time),two=number=>String(
number).padStart(2,"0");return`${date.getFullYear()}-${two(date.getMonth()+1)}-${two(date.getDate())} ${formatTimeOfDay(
time)}`}export{parseMoment,formatTimeOfDay,formatMoment};
//# sourceMappingURL=chunk-R4WQD5TR.js.map
