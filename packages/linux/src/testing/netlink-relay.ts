/**
 * Runs inside one network namespace and passes netlink requests on to its kernel, one JSON object per line. A netlink
 * socket belongs to the namespace of the process that opened it, so this takes a process of its own.
 */
import { createInterface } from 'node:readline';
import type { NetlinkProtocol } from '../netlink/netlink.js';
import { NetlinkRefused } from '../netlink/netlink-error.js';
import { NetlinkSocket } from '../netlink/netlink-socket.js';

/** As it goes over the line; payloads in base64. */
export interface RelayedRequest {
  readonly type: number;
  readonly flags: number;
  readonly payload: string;
}

export type RelayedCall = { readonly id: number; readonly protocol: NetlinkProtocol } & (
  | { readonly execute: readonly RelayedRequest[] }
  | { readonly ask: RelayedRequest }
);

export interface RelayedResult {
  readonly id: number;
  readonly errors?: readonly number[];
  readonly answers?: readonly { readonly type: number; readonly payload: string }[];
  readonly refused?: number;
  readonly failure?: { readonly code: string; readonly message: string };
}

const sockets = new Map<NetlinkProtocol, NetlinkSocket>();

function socketOf(protocol: NetlinkProtocol): NetlinkSocket {
  const socket = sockets.get(protocol) ?? new NetlinkSocket(protocol);
  sockets.set(protocol, socket);
  return socket;
}

function request({ type, flags, payload }: RelayedRequest) {
  return { type, flags, payload: Buffer.from(payload, 'base64') };
}

async function serve(call: RelayedCall): Promise<RelayedResult> {
  const { id, protocol } = call;
  const socket = socketOf(protocol);
  try {
    if ('execute' in call) {
      return { id, errors: await socket.execute(call.execute.map(request)) };
    }
    const answers = await socket.ask(request(call.ask));
    return { id, answers: answers.map(({ type, payload }) => ({ type, payload: payload.toString('base64') })) };
  } catch (error) {
    if (error instanceof NetlinkRefused) {
      return { id, refused: error.errno };
    }
    const { code = 'NETLINK_LOST', message } = error as { code?: string; message: string };
    return { id, failure: { code, message } };
  }
}

createInterface({ input: process.stdin })
  .on('line', async (line) => {
    process.stdout.write(`${JSON.stringify(await serve(JSON.parse(line) as RelayedCall))}\n`);
  })
  .on('close', () => process.exit(0));
process.stdout.on('error', () => process.exit(0));
