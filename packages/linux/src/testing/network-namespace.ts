import { execFileSync } from 'node:child_process';
import { type CommandRunner, createCommandRunner } from '../process/command-runner.js';

let count = 0;

/** A network namespace of one test. Needs root. */
export interface TestNamespace {
  readonly name: string;
  /** Command prefix to run a command inside. */
  readonly prefix: readonly string[];
  readonly runner: Required<CommandRunner>;
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

export function makeNamespace(): TestNamespace {
  const name = `kpx-ipt-${process.pid}-${count++}`;
  execFileSync('ip', ['netns', 'add', name], { stdio: 'ignore' });
  const prefix = ['nsenter', `--net=/run/netns/${name}`];
  return {
    name,
    prefix,
    runner: createCommandRunner({ prefix, networkNamespace: `/run/netns/${name}` }),
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
