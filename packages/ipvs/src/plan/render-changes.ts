import { assertNever, type IPFamily, joinHostPort, type RuleChange } from '@kube-proxier/core';
import {
  type IpSetCommand,
  type IpSetDefinition,
  type IpSetEntry,
  type IpvsCommand,
  ipSetEntryKey,
  iptablesDocumentChanges,
  type RealServer,
  type VirtualServer,
  type VirtualServerAddress,
  virtualServerKey,
} from '@kube-proxier/linux';
import type { InstalledIpvs } from './installed-ipvs.js';
import type { DrainingServer, IpvsStep, IpvsTransaction } from './ipvs-transaction.js';
import { INTERFACE, setName } from './layout.js';

/**
 * The changes that writing a transaction makes to what is installed, as `ipvsadm-save`, `ipset save` and
 * `iptables-save` print them. Pure. Objects with open connections are removed after these close, and have weight 0
 * until then.
 */
export function renderChanges({ family, steps }: IpvsTransaction, installed: InstalledIpvs): readonly RuleChange[] {
  const before = objectsOf(installed, family);
  const after = new Map(before);
  const rules: RuleChange[] = [];
  for (const step of steps) {
    if (step.to === 'rules') {
      rules.push(...iptablesDocumentChanges(step.document, { family, saved: installed.tables }));
    } else {
      follow(step, family, after);
    }
  }
  return [...compare(before, after), ...rules];
}

/** An object as a tool prints it. */
interface Shown extends Pick<RuleChange, 'table' | 'kind' | 'text' | 'container'> {}

/** By an identity that does not change when a property does. */
type Objects = Map<string, Shown>;

function objectsOf(installed: InstalledIpvs, family: IPFamily): Objects {
  const objects: Objects = new Map();
  for (const set of installed.sets.values()) {
    putSet(objects, set);
    for (const entry of set.entries) {
      putEntry(objects, set.name, entry);
    }
  }
  for (const { virtual, reals } of installed.virtualServers) {
    putVirtual(objects, virtual);
    for (const real of reals) {
      putReal(objects, virtual.at, real);
    }
  }
  for (const address of installed.addresses) {
    putAddress(objects, address);
  }
  if (installed.hasInterface) {
    putInterface(objects);
  }
  if (!installed.settled) {
    objects.set('settings', {
      table: 'sysctl',
      kind: 'setting',
      text: `settings of mode ipvs, ${family}: not as needed`,
    });
  }
  return objects;
}

function follow(step: Exclude<IpvsStep, { readonly to: 'rules' }>, family: IPFamily, objects: Objects): void {
  switch (step.to) {
    case 'sets':
      for (const command of step.commands) {
        followSet(command, objects);
      }
      break;
    case 'ipvs':
      for (const command of step.commands) {
        followIpvs(command, objects);
      }
      break;
    case 'interface':
      putInterface(objects);
      break;
    case 'settings':
      objects.set('settings', {
        table: 'sysctl',
        kind: 'setting',
        text: `settings of mode ipvs, ${family}: as needed`,
      });
      break;
    case 'addresses':
      for (const address of step.add) {
        putAddress(objects, address);
      }
      removeAddresses(objects, step.remove, family);
      break;
    case 'draining':
      for (const server of step.servers) {
        drain(objects, server);
      }
      break;
    case 'retirement':
      for (const server of step.reals) {
        objects.delete(realKey(server.at, server));
      }
      for (const at of step.servers) {
        objects.delete(virtualServerKey(at));
      }
      removeAddresses(objects, step.addresses, family);
      for (const entry of step.entries) {
        objects.delete(entryKey(setName('FRONTENDS', family), entry));
      }
      break;
    default:
      assertNever(step);
  }
}

function followSet(command: IpSetCommand, objects: Objects): void {
  switch (command.do) {
    case 'create-set':
      putSet(objects, command.set);
      break;
    case 'destroy-set':
      objects.delete(`set ${command.name}`);
      removeWhere(objects, ({ container }) => container === command.name);
      break;
    case 'flush-set':
      removeWhere(objects, ({ container }) => container === command.name);
      break;
    case 'add-entry':
      putEntry(objects, command.set, command.entry);
      break;
    case 'delete-entry':
      objects.delete(entryKey(command.set, command.entry));
      break;
  }
}

function followIpvs(command: IpvsCommand, objects: Objects): void {
  switch (command.do) {
    case 'add-virtual':
    case 'set-virtual':
      putVirtual(objects, command.virtual);
      break;
    case 'delete-virtual':
      objects.delete(virtualServerKey(command.at));
      removeWhere(
        objects,
        ({ kind, container }) => kind === 'real server' && container === virtualServerKey(command.at),
      );
      break;
    case 'add-real':
    case 'set-real':
      putReal(objects, command.at, command.real);
      break;
    case 'delete-real':
      objects.delete(realKey(command.at, command));
      break;
  }
}

function compare(before: Objects, after: Objects): readonly RuleChange[] {
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((key): RuleChange[] => {
    const [old, fresh] = [before.get(key), after.get(key)];
    return old?.text === fresh?.text
      ? []
      : [
          ...(old === undefined ? [] : [{ action: 'remove', ...old } as const]),
          ...(fresh === undefined ? [] : [{ action: 'add', ...fresh } as const]),
        ];
  });
}

/** A draining server is kept with weight 0 until its connections have ended; others are removed at once. */
function drain(objects: Objects, server: DrainingServer): void {
  const { at, address, port, drains } = server;
  if (drains) {
    putReal(objects, at, { address, port, weight: 0 });
  } else {
    objects.delete(realKey(at, server));
  }
}

/** Removed with the entries of the addresses. */
function removeAddresses(objects: Objects, addresses: readonly string[], family: IPFamily): void {
  for (const address of addresses) {
    objects.delete(`address ${address}`);
    objects.delete(entryKey(setName('ADDRESSES', family), { address }));
  }
}

function putSet(objects: Objects, { name, type, family, maxEntries, marks }: IpSetDefinition): void {
  const inet = family === 'IPv4' ? 'inet' : 'inet6';
  const text = `create ${name} ${type} family ${inet} maxelem ${maxEntries}${marks ? ' skbinfo' : ''}`;
  objects.set(`set ${name}`, { table: 'ipset', kind: 'set', text });
}

function putEntry(objects: Objects, set: string, entry: IpSetEntry): void {
  const mark = entry.mark === undefined ? '' : ` skbmark 0x${entry.mark.toString(16)}`;
  const text = `add ${set} ${ipSetEntryKey(entry)}${mark}`;
  objects.set(entryKey(set, entry), { table: 'ipset', kind: 'entry', container: set, text });
}

function putVirtual(objects: Objects, { at, scheduler, schedulerFlags, persistence }: VirtualServer): void {
  const flags = schedulerFlags === 0 ? '' : ` -b 0x${schedulerFlags.toString(16)}`;
  const text = `-A ${serviceOption(at)} -s ${scheduler}${flags}${persistence === undefined ? '' : ` -p ${persistence}`}`;
  objects.set(virtualServerKey(at), { table: 'ipvs', kind: 'virtual server', text });
}

function putReal(objects: Objects, at: VirtualServerAddress, real: RealServer): void {
  const text = `-a ${serviceOption(at)} -r ${joinHostPort(real.address, real.port)} -m -w ${real.weight}`;
  objects.set(realKey(at, real), { table: 'ipvs', kind: 'real server', container: virtualServerKey(at), text });
}

function putAddress(objects: Objects, address: string): void {
  const text = `${address}/${address.includes(':') ? 128 : 32} dev ${INTERFACE}`;
  objects.set(`address ${address}`, { table: 'addresses', kind: 'address', text });
}

function putInterface(objects: Objects): void {
  objects.set('interface', { table: 'interfaces', kind: 'interface', text: `${INTERFACE} type dummy` });
}

function removeWhere(objects: Objects, matches: (object: Shown) => boolean): void {
  for (const [key, object] of objects) {
    if (matches(object)) {
      objects.delete(key);
    }
  }
}

function entryKey(set: string, entry: IpSetEntry): string {
  return `set ${set} ${ipSetEntryKey(entry)}`;
}

function realKey(at: VirtualServerAddress, { address, port }: Pick<RealServer, 'address' | 'port'>): string {
  return `${virtualServerKey(at)} ${joinHostPort(address, port)}`;
}

const OPTION = { TCP: '-t', UDP: '-u', SCTP: '--sctp-service' } as const;

function serviceOption(at: VirtualServerAddress): string {
  return at.kind === 'mark'
    ? `-f ${at.mark}${at.family === 'IPv6' ? ' -6' : ''}`
    : `${OPTION[at.protocol]} ${joinHostPort(at.address, at.port)}`;
}
