import { execFileSync } from 'node:child_process';
import { access, constants, readdir, readFile, readlink, stat } from 'node:fs/promises';
import { messageOf } from '@kube-proxier/core';
import { CommandError, createCommandRunner, systemPath } from '@kube-proxier/linux';
import { SandboxError } from './sandbox-error.js';

const NAMESPACE_DIRECTORY = '/run/netns';
/** `kpx-<process id>-<sandbox of that process>-<host>`: names the owner, so that leftovers can be recognized. */
const OWN_NAME = /^kpx-(\d+)-(\d+)-[a-z0-9-]+$/;
const ROOTLESS_COMMAND = 'unshare --user --map-root-user --net --mount';

/** Common prefix of the namespaces of one sandbox. */
export function namespacePrefix(processId: number, sandbox: number): string {
  return `kpx-${processId}-${sandbox}-`;
}

/**
 * Checks that named network namespaces can be created.
 *
 * @throws SandboxError with code `SANDBOX_UNAVAILABLE` and the remedy.
 */
export async function prepareNamespaces(): Promise<void> {
  if (process.platform !== 'linux') {
    throw new SandboxError('SANDBOX_UNAVAILABLE', 'the network sandbox needs Linux: run it in a container or a VM');
  }
  if (process.getuid?.() !== 0) {
    throw unavailable('the network sandbox needs root');
  }
  try {
    await access('/run', constants.W_OK);
    return;
  } catch (error) {
    // Root of the machine must not mount over /run; root of a user namespace has its own mount namespace.
    if (!(await inUserNamespace())) {
      throw unavailable('the network sandbox needs to write to /run', error);
    }
  }
  try {
    await createCommandRunner().run({ command: 'mount', args: ['-t', 'tmpfs', 'tmpfs', '/run'] });
  } catch (error) {
    throw unavailable('the network sandbox needs a mount namespace of its own', error);
  }
}

function unavailable(why: string, cause?: unknown): SandboxError {
  const detail = cause === undefined ? '' : ` (${messageOf(cause)})`;
  return new SandboxError(
    'SANDBOX_UNAVAILABLE',
    `${why}${detail}: run as root, or, where the kernel allows user namespaces, with "${ROOTLESS_COMMAND}" before the command`,
    { cause },
  );
}

async function inUserNamespace(): Promise<boolean> {
  const map = (await readFile('/proc/self/uid_map', 'utf8')).trim().split(/\s+/);
  return map.join(' ') !== '0 0 4294967295';
}

/** Names of the namespaces with this prefix. */
export async function listNamespaces(prefix: string): Promise<string[]> {
  try {
    return (await readdir(NAMESPACE_DIRECTORY)).filter((name) => name.startsWith(prefix)).sort();
  } catch {
    return [];
  }
}

/**
 * Removes the leftovers of sandboxes whose processes have ended: a killed process cannot clean up.
 *
 * @returns the names of the namespaces that were removed.
 */
export async function sweepLeftovers(): Promise<readonly string[]> {
  const leftovers = (await listNamespaces('kpx-')).filter((name) => {
    const owner = OWN_NAME.exec(name)?.[1];
    return owner !== undefined && !isAlive(Number(owner));
  });
  await removeNamespaces(leftovers);
  return leftovers;
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Stops every process in the namespaces and removes the namespaces. No error for those that do not exist. */
export async function removeNamespaces(names: readonly string[]): Promise<void> {
  if (names.length === 0) {
    return;
  }
  for (const processId of await processesIn(names)) {
    try {
      process.kill(processId, 'SIGKILL');
    } catch {
      // It has ended in the meantime.
    }
  }
  try {
    const stdin = renderRemoval(names);
    await createCommandRunner().run({ command: 'ip', args: ['-force', '-batch', '-'], stdin });
  } catch (error) {
    const present = await listNamespaces('kpx-');
    const remaining = names.filter((name) => present.includes(name));
    if (remaining.length > 0 || !(error instanceof CommandError)) {
      throw new SandboxError('SANDBOX_BUILD_FAILED', `could not remove ${remaining.join(', ')}: ${messageOf(error)}`, {
        cause: error,
      });
    }
  }
}

/** {@link removeNamespaces} for process exit, when nothing can be awaited. Never throws. */
export function removeNamespacesNow(names: readonly string[]): void {
  try {
    execFileSync('ip', ['-force', '-batch', '-'], {
      input: renderRemoval(names),
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { PATH: systemPath() },
    });
  } catch {
    // The next sandbox removes the leftovers.
  }
}

function renderRemoval(names: readonly string[]): string {
  return names.map((name) => `netns del ${name}\n`).join('');
}

/** Ids of the processes in one of the namespaces. */
export async function processesIn(names: readonly string[]): Promise<number[]> {
  const inodes = new Set<string>();
  for (const name of names) {
    try {
      inodes.add(`net:[${(await stat(`${NAMESPACE_DIRECTORY}/${name}`)).ino}]`);
    } catch {
      // Already removed.
    }
  }
  const processIds = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map(Number);
  const found = await Promise.all(
    processIds.map(async (processId) => {
      try {
        return inodes.has(await readlink(`/proc/${processId}/ns/net`)) ? [processId] : [];
      } catch {
        return [];
      }
    }),
  );
  return found.flat();
}
