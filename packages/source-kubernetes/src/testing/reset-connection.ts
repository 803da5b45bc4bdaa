import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** Ends a connection as rudely as it can be done: by a reset, or under TLS by closing it without a word. */
export function resetConnection(socket: Socket | null): void {
  if (socket instanceof TLSSocket) {
    socket.destroy();
  } else {
    socket?.resetAndDestroy();
  }
}
