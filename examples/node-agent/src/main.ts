import { hostname } from 'node:os';
import { parseArgs } from 'node:util';
import { AgentTokens, createContainer } from './create-container.js';

const { values } = parseArgs({
  options: {
    mode: { type: 'string', default: 'nftables' },
    manifests: { type: 'string', default: 'manifests' },
    'node-name': { type: 'string', default: hostname() },
    'status-port': { type: 'string', default: '10249' },
  },
});

const container = createContainer({
  mode: values.mode,
  manifests: values.manifests,
  nodeName: values['node-name'],
  statusPort: Number(values['status-port']),
  write: (line) => void process.stdout.write(line),
});
const logger = container.get(AgentTokens.Logger);
const server = container.get(AgentTokens.ProxyServer);

// The proxy does not keep the process alive; the agent does.
const alive = setInterval(() => {}, 2 ** 30);
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  // Not `once`: a second signal must not end the process while started tools are being stopped.
  process.on(signal, () => void server.stop());
}
try {
  const { selection, families } = await server.start();
  logger.info('the node agent is running', { mode: selection.mode, families });
  await server.finished;
  logger.info('the node agent has stopped; installed rules stay in place');
} catch (error) {
  logger.error(`the node agent failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  clearInterval(alive);
}
