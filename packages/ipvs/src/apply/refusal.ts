import {
  type AddressCommand,
  type IpSetCommand,
  type IpvsCommand,
  ipSetEntryKey,
  type NetlinkRefused,
  virtualServerKey,
} from '@kube-proxier/linux';
import { INTERFACE } from '../plan/layout.js';

/** An object of the kernel that could not be changed, and why. */
export interface Refusal {
  /** For people: `virtual server TCP/10.96.0.1:80`. */
  readonly object: string;
  readonly error: NetlinkRefused;
}

type Results = readonly (NetlinkRefused | undefined)[];

/** Refusals of virtual servers and real servers. */
export function refusedServers(commands: readonly IpvsCommand[], results: Results): readonly Refusal[] {
  return refusals(commands, results, (command) => {
    switch (command.do) {
      case 'add-virtual':
      case 'set-virtual':
        return `virtual server ${virtualServerKey(command.virtual.at)}`;
      case 'delete-virtual':
        return `virtual server ${virtualServerKey(command.at)}`;
      case 'add-real':
      case 'set-real': {
        const { address, port } = command.real;
        return `real server ${address} port ${port} of ${virtualServerKey(command.at)}`;
      }
      case 'delete-real':
        return `real server ${command.address} port ${command.port} of ${virtualServerKey(command.at)}`;
    }
  });
}

/** Refusals of sets and entries. */
export function refusedSets(commands: readonly IpSetCommand[], results: Results): readonly Refusal[] {
  return refusals(commands, results, (command) => {
    switch (command.do) {
      case 'create-set':
        return `set ${command.set.name}`;
      case 'destroy-set':
      case 'flush-set':
        return `set ${command.name}`;
      case 'add-entry':
      case 'delete-entry':
        return `entry ${ipSetEntryKey(command.entry)} of set ${command.set}`;
    }
  });
}

/** Refusals of addresses. */
export function refusedAddresses(commands: readonly AddressCommand[], results: Results): readonly Refusal[] {
  return refusals(commands, results, ({ address }) => `address ${address} of ${INTERFACE}`);
}

/** The reason of each refusal by object, for an error. */
export function reasonsOf(refused: readonly Refusal[]): ReadonlyMap<string, string> {
  return new Map(refused.map(({ object, error }) => [object, error.message]));
}

/** Whether the object to delete did not exist. */
export function isMissing({ errnoName }: NetlinkRefused): boolean {
  return errnoName === 'ENOENT' || errnoName === 'ESRCH';
}

function refusals<Command>(
  commands: readonly Command[],
  results: Results,
  objectOf: (command: Command) => string,
): readonly Refusal[] {
  return commands.flatMap((command, index) => {
    const error = results[index];
    return error === undefined ? [] : [{ object: objectOf(command), error }];
  });
}
