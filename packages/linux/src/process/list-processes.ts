import { readdir, readFile } from 'node:fs/promises';

/** A process of this process's PID namespace. */
export interface ProcessInfo {
  readonly pid: number;
  /** Program and arguments, as far as they can be seen; the name alone of those that hide them. */
  readonly command: readonly string[];
}

/** The processes that there are. Those that end meanwhile are left out. */
export async function listProcesses(): Promise<readonly ProcessInfo[]> {
  const names = await readdir('/proc').catch(() => []);
  const found = await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map(async (name): Promise<readonly ProcessInfo[]> => {
        try {
          const line = await readFile(`/proc/${name}/cmdline`, 'utf8');
          const command = line.split('\0').filter((word) => word !== '');
          const own = command.length > 0 ? command : [(await readFile(`/proc/${name}/comm`, 'utf8')).trim()];
          return [{ pid: Number(name), command: own }];
        } catch {
          return [];
        }
      }),
  );
  return found.flat();
}
