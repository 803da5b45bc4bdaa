import { isDeepStrictEqual } from 'node:util';
import { Random } from '@kube-proxier/core/testing';
import { FakeIpvs } from '../ipvs/fake-ipvs.js';
import { type Ipvs, type IpvsCommand, type VirtualServerAddress, virtualServerKey } from '../ipvs/ipvs.js';
import { NetlinkError } from './netlink-error.js';

export interface NetlinkSoakOptions {
  /** Number of messages to send. */
  readonly messages: number;
  readonly seed: number;
  /** Over a socket that receives all answers. */
  readonly steady: Ipvs;
  /** Over a socket that overruns repeatedly: answers are lost. */
  readonly overrunning: Ipvs;
  /** Called after every ten thousand messages. */
  readonly onProgress?: (sent: number) => void;
}

export interface NetlinkSoakResult {
  readonly messages: number;
  /** Requests that the kernel refused. */
  readonly refused: number;
  /** Batches whose answers were lost. */
  readonly lost: number;
  /** Number of comparisons of the whole state. */
  readonly comparisons: number;
}

const BATCH = 100;
const SCHEDULERS = ['rr', 'wlc', 'sh', 'lblc'];

/**
 * Sends random commands to the kernel, many of them invalid, and compares every answer, and periodically the whole
 * state, with the result of the same commands in {@link FakeIpvs}. After lost answers, the current state is read back,
 * as a backend does.
 *
 * @throws Error when anything differs.
 */
export async function soakNetlink(options: NetlinkSoakOptions): Promise<NetlinkSoakResult> {
  const { messages, seed, steady, overrunning, onProgress } = options;
  const random = new Random(seed);
  let model = await modelOf(steady);
  let refused = 0;
  let lost = 0;
  let comparisons = 0;
  for (let sent = 0; sent < messages; sent += BATCH) {
    const commands = Array.from({ length: BATCH }, () => anyCommand(random));
    try {
      const answers = await (random.chance(0.1) ? overrunning : steady).execute(commands);
      const expected = await model.execute(commands);
      for (const [index, command] of commands.entries()) {
        const [got, wanted] = [answers[index]?.errnoName, expected[index]?.errnoName];
        if (got !== wanted) {
          throw new Error(`${JSON.stringify(command)}: ${got ?? 'done'}, not ${wanted ?? 'done'}`);
        }
        refused += got === undefined ? 0 : 1;
      }
    } catch (error) {
      if (!(error instanceof NetlinkError) || error.code !== 'NETLINK_LOST') {
        throw error;
      }
      lost += 1;
      model = await modelOf(steady);
    }
    if ((sent / BATCH) % 100 === 99) {
      comparisons += 1;
      if (!isDeepStrictEqual(await contents(steady), await contents(model))) {
        throw new Error(`after ${sent} messages the state of the kernel differs from the expected state`);
      }
      onProgress?.(sent + BATCH);
    }
  }
  await clear(steady);
  return { messages, refused, lost, comparisons };
}

function anyCommand(random: Random): IpvsCommand {
  const at: VirtualServerAddress = {
    kind: 'address',
    family: 'IPv4',
    protocol: random.pick(['TCP', 'UDP']),
    address: `10.96.0.${1 + random.below(20)}`,
    port: 80,
  };
  const address = `10.244.0.${1 + random.below(10)}`;
  const port = 8080;
  const virtual = { at, scheduler: random.pick(SCHEDULERS), schedulerFlags: 0, persistence: undefined };
  const dice = random.next();
  if (dice < 0.2) {
    return { do: random.pick(['add-virtual', 'set-virtual']), virtual };
  }
  if (dice < 0.25) {
    return { do: 'delete-virtual', at };
  }
  return dice < 0.7
    ? { do: random.pick(['add-real', 'set-real']), at, real: { address, port, weight: random.below(5) } }
    : { do: 'delete-real', at, address, port };
}

async function contents(ipvs: Ipvs): Promise<unknown> {
  const found: unknown[] = [];
  for (const virtual of await ipvs.virtualServers()) {
    const reals = await ipvs.realServers(virtual.at);
    found.push([
      virtualServerKey(virtual.at),
      virtual.scheduler,
      reals.map(({ address, port, weight }) => `${address}:${port} ${weight}`).sort(),
    ]);
  }
  return found.sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1));
}

async function modelOf(ipvs: Ipvs): Promise<FakeIpvs> {
  const model = new FakeIpvs(new Set(SCHEDULERS));
  model.remembersCommands = false;
  for (const virtual of await ipvs.virtualServers()) {
    const { at } = virtual;
    const reals = await ipvs.realServers(at);
    await model.execute([
      { do: 'add-virtual', virtual },
      ...reals.map(({ address, port, weight }) => ({ do: 'add-real', at, real: { address, port, weight } }) as const),
    ]);
  }
  return model;
}

async function clear(ipvs: Ipvs): Promise<void> {
  await ipvs.execute((await ipvs.virtualServers()).map(({ at }) => ({ do: 'delete-virtual', at })));
}
