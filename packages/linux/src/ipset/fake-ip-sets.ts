import { NetlinkRefused } from '../netlink/netlink-error.js';
import {
  type IpSet,
  type IpSetCommand,
  type IpSetDefinition,
  type IpSetEntry,
  type IpSets,
  ipSetEntryKey,
} from './ip-sets.js';

const ENOENT = 2;
const EEXIST = 17;
const BUSY = 4100;
const HASH_FULL = 4352;

/** IP sets in memory. */
export class FakeIpSets implements IpSets {
  /** Whether rules refer to a set; it then cannot be destroyed. */
  isUsed: (name: string) => boolean = () => false;
  readonly #sets = new Map<string, { definition: IpSetDefinition; entries: Map<string, IpSetEntry> }>();

  async execute(commands: readonly IpSetCommand[]): Promise<readonly (NetlinkRefused | undefined)[]> {
    return commands.map((command) => {
      const errno = this.#carryOut(command);
      return errno === 0 ? undefined : new NetlinkRefused(errno, command.do);
    });
  }

  async find(name: string): Promise<IpSet | undefined> {
    const found = this.#sets.get(name);
    return found && { ...found.definition, entries: [...found.entries.values()] };
  }

  async names(): Promise<readonly string[]> {
    return [...this.#sets.keys()];
  }

  #carryOut(command: IpSetCommand): number {
    if (command.do === 'create-set') {
      const found = this.#sets.get(command.set.name);
      if (found !== undefined) {
        return sameDefinition(found.definition, command.set) ? 0 : EEXIST;
      }
      this.#sets.set(command.set.name, { definition: command.set, entries: new Map() });
      return 0;
    }
    const name = 'set' in command ? command.set : command.name;
    const found = this.#sets.get(name);
    if (found === undefined) {
      return command.do === 'destroy-set' ? 0 : ENOENT;
    }
    switch (command.do) {
      case 'destroy-set':
        if (this.isUsed(name)) {
          return BUSY;
        }
        this.#sets.delete(name);
        return 0;
      case 'flush-set':
        found.entries.clear();
        return 0;
      case 'delete-entry':
        found.entries.delete(ipSetEntryKey(command.entry));
        return 0;
      case 'add-entry': {
        const key = ipSetEntryKey(command.entry);
        if (!found.entries.has(key) && found.entries.size >= found.definition.maxEntries) {
          return HASH_FULL;
        }
        found.entries.set(key, command.entry);
        return 0;
      }
    }
  }
}

function sameDefinition(left: IpSetDefinition, right: IpSetDefinition): boolean {
  return (
    left.type === right.type &&
    left.family === right.family &&
    left.marks === right.marks &&
    left.maxEntries === right.maxEntries
  );
}
