import type { Ipvs, IpvsCommand } from '@kube-proxier/linux';
import type { DrainingServer } from '../plan/ipvs-transaction.js';
import type { Draining } from './draining.js';
import type { ExpectedServers } from './expected-servers.js';
import { isMissing, type Refusal, refusedServers } from './refusal.js';

/** Where virtual servers and real servers are written. */
export interface ServerTarget {
  readonly ipvs: Ipvs;
  readonly expected: ExpectedServers;
  readonly draining: Draining;
}

/** Writes virtual servers and real servers. Unexpectedly existing or missing ones are not failures. */
export async function writeServers(
  { ipvs, expected, draining }: ServerTarget,
  commands: readonly IpvsCommand[],
): Promise<readonly Refusal[]> {
  expected.deleting(commands.flatMap((command) => (command.do === 'delete-virtual' ? command.at : [])));
  const results = await ipvs.execute(commands);
  draining.keep(commands);
  expected.executed(commands, results);
  const again: IpvsCommand[] = [];
  const refused = commands.map((command, index) => {
    const result = results[index];
    const other = result && alternative(command, result.errnoName);
    if (other !== undefined) {
      again.push(other);
    }
    const isGone = result !== undefined && command.do.startsWith('delete') && isMissing(result);
    return other !== undefined || isGone ? undefined : result;
  });
  const second = again.length === 0 ? [] : await ipvs.execute(again);
  return [...refusedServers(commands, refused), ...refusedServers(again, second)];
}

/** What to do instead of a refused command. */
function alternative(command: IpvsCommand, errnoName: string): IpvsCommand | undefined {
  if (errnoName === 'EEXIST' && command.do === 'add-virtual') {
    return { ...command, do: 'set-virtual' };
  }
  if (errnoName === 'EEXIST' && command.do === 'add-real') {
    // It was still draining.
    return { ...command, do: 'set-real' };
  }
  if (errnoName === 'ENOENT' && command.do === 'set-real') {
    // It had no connections, and was deleted after the read-back.
    return { ...command, do: 'add-real' };
  }
  return undefined;
}

/** Sets the weight of real servers to 0, and deletes those that need no draining. */
export async function drainServers(
  { ipvs, draining }: ServerTarget,
  servers: readonly DrainingServer[],
): Promise<readonly Refusal[]> {
  const commands = servers.map(
    ({ at, address, port, drains }): IpvsCommand =>
      drains ? { do: 'set-real', at, real: { address, port, weight: 0 } } : { do: 'delete-real', at, address, port },
  );
  const results = await ipvs.execute(commands);
  draining.add(servers.filter(({ drains }, index) => drains && results[index] === undefined));
  return refusedServers(commands, results).filter(({ error }) => !isMissing(error));
}
