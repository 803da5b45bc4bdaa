import { createRequire as createBundleRequire } from 'node:module';const require = createBundleRequire(import.meta.url);
import{parentPort,receiveMessageOnPort,workerData}from"node:worker_threads";import koffi from"koffi";var EPOLL_CTL_ADD=1,
EPOLLIN=1,EPOLLOUT=4,EPOLLERR=8,EPOLLHUP=16,EPOLLRDHUP=8192,EPOLLET=2147483648,CLOEXEC=524288,O_NONBLOCK=2048,F_SETPIPE_SZ=1031,
SPLICE_F_MOVE=1,SPLICE_F_NONBLOCK=2,MSG_DONTWAIT=64,MSG_NOSIGNAL=16384,SHUT_WR=1,SOL_SOCKET=1,SO_LINGER=13,EINTR=4,EAGAIN=11,
PIPE_SIZE=workerData.pipeSize,TURN=1<<20,MAX_SPARE_PIPES=8,MAX_WAIT=250,MAX_EVENTS=64,EVENT_WORDS=process.arch==="x64"?3:
4,WAKE=4294967295,libc=koffi.load(null),epollCreate=libc.func("int epoll_create1(int)"),epollControl=libc.func("int epol\
l_ctl(int, int, int, const void *)"),epollWait=libc.func("int epoll_wait(int, void *, int, int)"),splice=libc.func("long\
 splice(int, void *, int, void *, size_t, unsigned int)"),pipe2=libc.func("int pipe2(void *, int)"),fcntl=libc.func("int\
 fcntl(int, int, int)"),send=libc.func("long send(int, const void *, size_t, int)"),write=libc.func("long write(int, con\
st void *, size_t)"),read=libc.func("long read(int, void *, size_t)"),shutdown=libc.func("int shutdown(int, int)"),setsockopt=libc.
func("int setsockopt(int, int, int, const void *, unsigned int)"),close=libc.func("int close(int)"),moved=new Float64Array(
workerData.moved),port=parentPort,connections=new Map,sparePipes=[],waiting=[],events=new Uint32Array(MAX_EVENTS*EVENT_WORDS),
epoll=epollCreate(CLOEXEC);watch(workerData.wake,EPOLLIN,WAKE);function watch(fd,interest,index){let event=new Uint32Array(
EVENT_WORDS);return event[0]=interest,event[EVENT_WORDS-2]=index,epollControl(epoll,EPOLL_CTL_ADD,fd,event)}function takePipe(){
let spare=sparePipes.pop();if(spare)return spare;let ends=new Int32Array(2);if(pipe2(ends,CLOEXEC|O_NONBLOCK)!==0)return;
let[readEnd=-1,writeEnd=-1]=ends;return fcntl(writeEnd,F_SETPIPE_SZ,PIPE_SIZE),{read:readEnd,write:writeEnd}}function givePipe(way){
let{pipe,piped}=way;way.pipe=void 0,pipe&&piped===0&&sparePipes.length<MAX_SPARE_PIPES?sparePipes.push(pipe):pipe&&closePipe(
pipe)}function closePipe(pipe){close(pipe.read),close(pipe.write)}function carry({slot,client,endpoint,toClient,toEndpoint}){
let clientSide={fd:client,readable:!0,writable:!0},endpointSide={fd:endpoint,readable:!0,writable:!0},fresh={pipe:void 0,
piped:0,ended:!1,done:!1},connection={slot,ways:[{from:clientSide,to:endpointSide,counter:2*slot,first:toEndpoint,...fresh},
{from:endpointSide,to:clientSide,counter:2*slot+1,first:toClient,...fresh}],over:!1,queued:!1};connections.set(slot,connection);
let interest=EPOLLIN|EPOLLOUT|EPOLLRDHUP|EPOLLET;if(watch(client,interest,2*slot)!==0||watch(endpoint,interest,2*slot+1)!==
0){cut(connection);return}run(connection)}function run(connection){for(let way of connection.ways){let state=advance(way);
if(state==="broken"){cut(connection);return}state==="more"&&!connection.queued&&(connection.queued=!0,waiting.push(connection))}
let[up,down]=connection.ways;up.done&&down.done&&finish(connection)}function advance(way){if(way.done)return"blocked";for(let turn=0;turn<
TURN;){if(way.first||way.piped>0){if(!way.to.writable)return"blocked";if((way.first?sendFirst(way):drain(way))<0){let error=koffi.
errno();if(error===EAGAIN)return way.to.writable=!1,"blocked";if(error!==EINTR)return"broken"}continue}if(way.ended)return givePipe(
way),way.done=!0,shutdown(way.to.fd,SHUT_WR)!==0?"broken":(port.postMessage({kind:"half-closed",slot:way.counter>>1}),"b\
locked");if(!way.from.readable)return givePipe(way),"blocked";if(way.pipe??=takePipe(),!way.pipe)return"broken";let taken=splice(
way.from.fd,null,way.pipe.write,null,PIPE_SIZE,SPLICE_F_MOVE|SPLICE_F_NONBLOCK);if(taken>0)way.piped=taken,turn+=taken,moved[way.
counter]+=taken;else if(taken===0)way.ended=!0;else{let error=koffi.errno();if(error===EAGAIN)way.from.readable=!1;else if(error!==
EINTR)return"broken"}}return"more"}function sendFirst(way){let first=way.first,sent=send(way.to.fd,first,first.length,MSG_DONTWAIT|
MSG_NOSIGNAL);return sent>=0&&(way.first=sent===first.length?void 0:first.subarray(sent)),sent}function drain(way){let pipe=way.
pipe,sent=splice(pipe.read,null,way.to.fd,null,way.piped,SPLICE_F_MOVE|SPLICE_F_NONBLOCK);return sent>0&&(way.piped-=sent),
sent}function cut(connection){for(let{from}of connection.ways)setsockopt(from.fd,SOL_SOCKET,SO_LINGER,new Int32Array([1,
0]),8);finish(connection)}function finish(connection){if(!connection.over){connection.over=!0,connections.delete(connection.
slot);for(let way of connection.ways)givePipe(way),close(way.from.fd);port.postMessage({kind:"ended",slot:connection.slot})}}
function execute(command){if(command.kind==="carry")carry(command);else if(command.kind==="cut"){let connection=connections.
get(command.slot);connection&&cut(connection)}else{for(let connection of[...connections.values()])cut(connection);for(let pipe of sparePipes.
splice(0))closePipe(pipe);close(epoll),port.close()}}function executeAll(){for(let next=receiveMessageOnPort(port);next;next=
receiveMessageOnPort(port))execute(next.message)}function notice(index,what){if(index===WAKE){read(workerData.wake,new Uint8Array(
8),8),executeAll();return}let connection=connections.get(index>>1);if(!connection)return;if(what&EPOLLERR){cut(connection);
return}let side=connection.ways[index&1?1:0].from;what&(EPOLLIN|EPOLLRDHUP|EPOLLHUP)&&(side.readable=!0),what&(EPOLLOUT|
EPOLLHUP)&&(side.writable=!0),connection.queued||run(connection)}port.on("message",command=>{for(execute(command);connections.
size>0;){let count=epollWait(epoll,events,MAX_EVENTS,waiting.length>0?0:MAX_WAIT);for(let at=0;at<count;at++)notice(events[at*
EVENT_WORDS+EVENT_WORDS-2]??0,events[at*EVENT_WORDS]??0);let turns=waiting;waiting=[];for(let connection of turns)connection.
queued=!1,connection.over||run(connection)}});function tryOut(){let[one,other]=[takePipe(),takePipe()];if(epoll<0||!one||
!other||write(one.write,new Uint8Array(1),1)!==1)throw new Error(`no pipe or no epoll can be had (errno ${koffi.errno()}\
)`);if(splice(one.read,null,other.write,null,1,SPLICE_F_NONBLOCK)!==1)throw new Error(`splice cannot be used (errno ${koffi.
errno()})`);closePipe(one),closePipe(other)}tryOut();port.postMessage({kind:"ready"});
//# sourceMappingURL=splice-thread.mjs.map
