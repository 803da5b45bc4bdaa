import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** Bytes of a message, so that long outputs come in several. */
const MESSAGE_BYTES = 32 * 1024;

/** Answers the handshake of a WebSocket for `exec`. */
export function acceptWebSocket({ headers }: IncomingMessage, socket: Duplex): void {
  const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  socket.write(
    [
      'HTTP/1.1 101 Switching Protocols',
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Accept: ${createHash('sha1').update(key).digest('base64')}`,
      'Sec-WebSocket-Protocol: v4.channel.k8s.io',
      '\r\n',
    ].join('\r\n'),
  );
}

/** Sends the output and the status of a command as a kubelet does, and closes. */
export function sendExecOutcome(
  socket: Duplex,
  outcome:
    | { readonly stdout: string; readonly stderr: string; readonly exitStatus: number }
    | { readonly refused: string },
): void {
  const send = (stream: number, data: Buffer) => socket.write(frame(2, Buffer.concat([Buffer.from([stream]), data])));
  if ('refused' in outcome) {
    send(3, Buffer.from(JSON.stringify({ status: 'Failure', reason: 'InternalError', message: outcome.refused })));
  } else {
    // As a real server: an empty message opens each stream.
    send(1, Buffer.alloc(0));
    socket.write(frame(9, Buffer.from('alive?')));
    for (const [stream, text] of [
      [1, outcome.stdout],
      [2, outcome.stderr],
    ] as const) {
      const data = Buffer.from(text);
      for (let offset = 0; offset < data.length; offset += MESSAGE_BYTES) {
        send(stream, data.subarray(offset, offset + MESSAGE_BYTES));
      }
    }
    const causes = [{ reason: 'ExitCode', message: String(outcome.exitStatus) }];
    const failure = {
      status: 'Failure',
      reason: 'NonZeroExitCode',
      message: `command terminated with non-zero exit code: exit status ${outcome.exitStatus}`,
      details: { causes },
    };
    send(3, Buffer.from(JSON.stringify(outcome.exitStatus === 0 ? { status: 'Success' } : failure)));
  }
  socket.end(frame(8, Buffer.from([0x03, 0xe8])));
}

function frame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  let header: Buffer;
  if (length < 126) {
    header = Buffer.from([0x80 | opcode, length]);
  } else if (length < 65_536) {
    header = Buffer.from([0x80 | opcode, 126, length >> 8, length & 255]);
  } else {
    header = Buffer.alloc(10);
    header[0] = 0x80 | opcode;
    header[1] = 127;
    header.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([header, payload]);
}
