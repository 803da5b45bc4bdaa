import { execFileSync } from 'node:child_process';
import { type CommandRunner, createCommandRunner } from './command-runner.js';
import { type KernelFiles, kernelFilesOf } from './kernel-files.js';

let count = 0;

/** A network namespace of one test. Needs root. */
export interface TestNamespace {
  readonly name: string;
  /** Its file, for `nsenter --net=` and for netlink sockets. */
  readonly path: string;
  /** Command prefix to run a command inside. */
  readonly prefix: readonly string[];
  readonly runner: Required<CommandRunner>;
  /** Files of `/proc` as a process inside sees them. */
  readonly files: KernelFiles;
  remove(): void;
}

/** Whether this process can create network namespaces. */
export function canMakeNamespaces(): boolean {
  try {
    makeNamespace().remove();
    return true;
  } catch {
    return false;
  }
}

/** Creates a namespace. It has only a loopback interface, which is down. */
export function makeNamespace(): TestNamespace {
  const name = `kpx-ipt-${process.pid}-${count++}`;
  execFileSync('ip', ['netns', 'add', name], { stdio: 'ignore' });
  const path = `/run/netns/${name}`;
  const prefix = ['nsenter', `--net=${path}`];
  const runner = createCommandRunner({ prefix, networkNamespace: path });
  // A new namespace inherits these from the host.
  const reset = 'for scope in all default; do echo 0 > /proc/sys/net/ipv4/conf/$scope/route_localnet; done';
  execFileSync('nsenter', [...prefix.slice(1), 'sh', '-ec', reset], { stdio: 'ignore' });
  return {
    name,
    path,
    prefix,
    runner,
    files: kernelFilesOf(runner),
    remove: () => execFileSync('ip', ['netns', 'delete', name], { stdio: 'ignore' }),
  };
}

/** Creates a namespace for the duration of `use`. */
export async function withNamespace<T>(use: (namespace: TestNamespace) => Promise<T>): Promise<T> {
  const namespace = makeNamespace();
  try {
    return await use(namespace);
  } finally {
    namespace.remove();
  }
}
