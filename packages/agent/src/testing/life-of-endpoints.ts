import {
  type ClientProgress,
  type ContinuousClient,
  failuresOf,
  type SandboxServer,
} from '@kube-proxier/network-sandbox';
import { type AgentOnNode, NODE_PORT } from './agent-on-node.js';

/** A port of its own for checks: an endpoint can fail its check while it still serves. */
const CHECK_PORT = 9000;
const CHECKS = {
  'kube-proxier.io/health-check': 'tcp',
  'kube-proxier.io/health-check-port': String(CHECK_PORT),
  'kube-proxier.io/health-check-interval': '200ms',
  'kube-proxier.io/health-check-timeout': '2s',
};
const OPEN_CONNECTIONS = 6;
/** Milliseconds; User-Mode Linux on a busy machine is slow. */
const WAIT = 240_000;

/** Results of a client's connections. */
export interface LivedThrough {
  /** New connections, one after another all the time. */
  readonly attempts: number;
  readonly failures: number;
  /** Answers after each change on connections opened at the beginning. */
  readonly echoes: readonly string[];
}

/**
 * Takes endpoints through their life cycle: a changed weight, drain and return, a new endpoint in slow start, a failing
 * and recovering check. A client connects continuously. After each change, waits until the client observes it.
 *
 * @param mode of the agent, which must not run yet.
 */
export async function liveThroughChanges(
  node: AgentOnNode,
  mode: string,
  ...flags: readonly string[]
): Promise<LivedThrough> {
  const { sandbox } = node;
  const [one, two] = sandbox.pods.map(({ ipv4 }) => ipv4) as [string, string];
  const newcomer = sandbox.remotePod(1);
  const pods = [...sandbox.pods, newcomer];
  let [checked] = (await Promise.all(pods.map((pod) => pod.serve({ port: CHECK_PORT })))) as [SandboxServer];
  const write = (annotations: Readonly<Record<string, string>>, ...addresses: string[]) => {
    node.annotations = { ...CHECKS, ...annotations };
    node.write(...addresses);
  };
  write({}, one, two);
  node.start(mode, ...flags);
  await node.until('first sync', () => /Synced family="IPv4"/.test(node.log), WAIT);
  const to = { to: sandbox.node.ipv4, port: NODE_PORT };
  const client = await sandbox.client.startClient(to, 10);
  await untilServed(node, client, 'pod1', (share) => share > 0);
  const open = await Promise.all(Array.from({ length: OPEN_CONNECTIONS }, () => sandbox.client.open(to)));
  const echoes: string[] = [];
  const echo = async () => {
    for (const answer of await Promise.all(open.map((connection) => connection.send('still there')))) {
      echoes.push(answer.kind === 'echoed' ? answer.text : answer.kind);
    }
  };

  // With equal weights, the probability of this is below 10⁻⁷.
  write({ 'kube-proxier.io/endpoint-weights': `${one}=9` }, one, two);
  await untilServed(node, client, 'pod1', (share) => share >= 0.7, 200);
  await echo();
  write({ 'kube-proxier.io/endpoint-weights': `${one}=0` }, one, two);
  await untilServed(node, client, 'pod1', (share) => share === 0);
  await echo();
  write({}, one, two);
  await untilServed(node, client, 'pod1', (share) => share > 0);
  await echo();
  write({ 'kube-proxier.io/slow-start': '5s' }, one, two, newcomer.ipv4);
  await untilServed(node, client, newcomer.name, (share) => share > 0);
  await untilServed(node, client, newcomer.name, (share) => share >= 0.25, 100);
  await echo();
  await checked.close();
  await untilServed(node, client, 'pod1', (share) => share === 0);
  await echo();
  checked = (await sandbox.pods[0]?.serve({ port: CHECK_PORT })) as SandboxServer;
  await untilServed(node, client, 'pod1', (share) => share > 0);
  await echo();

  await Promise.all(open.map((connection) => connection.close()));
  const end = await client.stop();
  return { attempts: end.attempts, failures: failuresOf(end), echoes };
}

/** Waits until the share of a pod in the next connections is as expected. */
async function untilServed(
  node: AgentOnNode,
  client: ContinuousClient,
  name: string,
  holds: (share: number) => boolean,
  attempts = 30,
): Promise<void> {
  const answersOf = ({ answeredBy }: ClientProgress) => answeredBy[name] ?? 0;
  let last = await client.progress();
  await node.until(
    `share of ${name}`,
    async () => {
      const before = last;
      last = await client.moreAttempts(attempts);
      return holds((answersOf(last) - answersOf(before)) / (last.attempts - before.attempts));
    },
    WAIT,
  );
}
