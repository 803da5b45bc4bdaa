/** `node forward-to-socket.mjs PORT PATH`: forwards connections to a port of this network namespace to a Unix socket. */
import { connect, createServer } from 'node:net';

const [port = '', path = ''] = process.argv.slice(2);
createServer((client) => {
  const server = connect(path);
  client.on('error', () => server.destroy());
  server.on('error', () => client.destroy());
  client.pipe(server).pipe(client);
}).listen(Number(port), '127.0.0.1', () => process.stdout.write('listening\n'));
