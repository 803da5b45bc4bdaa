import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** Aborts a connection: by a TCP reset, or under TLS by closing it without a close_notify. */
export function resetConnection(socket: Socket | null): void {
  if (socket instanceof TLSSocket) {
    socket.destroy();
  } else {
    socket?.resetAndDestroy();
  }
}
