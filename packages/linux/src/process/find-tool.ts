import { access, constants } from 'node:fs/promises';

/** Directories of network tools in Debian; the PATH of services often lacks them. */
const SYSTEM_PATHS = ['/usr/local/sbin', '/usr/sbin', '/sbin'];

/** `PATH` of this process, with the directories of system tools appended. */
export function systemPath(): string {
  const own = (process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin').split(':');
  return [...own, ...SYSTEM_PATHS.filter((directory) => !own.includes(directory))].join(':');
}

/** Full path of a command, as a {@link CommandRunner} would find it; undefined when it is not installed. */
export async function findTool(name: string): Promise<string | undefined> {
  for (const directory of systemPath().split(':')) {
    try {
      await access(`${directory}/${name}`, constants.X_OK);
      return `${directory}/${name}`;
    } catch {
      // Try the next directory.
    }
  }
  return undefined;
}
