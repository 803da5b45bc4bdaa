import { readdir, readFile, readlink } from 'node:fs/promises';

/** A process of this process's PID namespace. */
export interface ProcessInfo {
  readonly pid: number;
  /** Program and arguments, as far as they are visible; only the name for processes that hide them. */
  readonly command: readonly string[];
  /** Path of the program file. Undefined without permission to read it, and for kernel threads. */
  readonly executable?: string;
  /** Whether it runs in this process's network namespace. Undefined without permission to read that. */
  readonly sharesNetwork?: boolean;
}

/** The processes that are visible to this process. Processes that end in the meantime are omitted. */
export async function listProcesses(): Promise<readonly ProcessInfo[]> {
  const names = await readdir('/proc').catch(() => []);
  const ownNetwork = await linkOf('/proc/self/ns/net');
  const found = await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map(async (name): Promise<readonly ProcessInfo[]> => {
        try {
          const line = await readFile(`/proc/${name}/cmdline`, 'utf8');
          const command = line.split('\0').filter((word) => word !== '');
          const own = command.length > 0 ? command : [(await readFile(`/proc/${name}/comm`, 'utf8')).trim()];
          const [executable, network] = await Promise.all([
            linkOf(`/proc/${name}/exe`),
            linkOf(`/proc/${name}/ns/net`),
          ]);
          return [
            {
              pid: Number(name),
              command: own,
              // An executable that was replaced in the meantime, as package upgrades do.
              ...(executable === undefined ? {} : { executable: executable.replace(/ \(deleted\)$/, '') }),
              ...(network === undefined || ownNetwork === undefined ? {} : { sharesNetwork: network === ownNetwork }),
            },
          ];
        } catch {
          return [];
        }
      }),
  );
  return found.flat();
}

/** Inode of the first PID namespace: a constant of the kernel (`PROC_PID_INIT_INO`). */
const FIRST_PID_NAMESPACE = 'pid:[4026531836]';

/**
 * Whether {@link listProcesses} returns every process of this host: false in a separate PID namespace, as in a
 * container without `hostPID`, and where `/proc` hides the processes of other users.
 */
export async function seesAllProcesses(): Promise<boolean> {
  const visible = await readFile('/proc/1/comm', 'utf8').then(
    () => true,
    () => false,
  );
  return visible && (await linkOf('/proc/self/ns/pid')) === FIRST_PID_NAMESPACE;
}

async function linkOf(path: string): Promise<string | undefined> {
  return await readlink(path).catch(() => undefined);
}
