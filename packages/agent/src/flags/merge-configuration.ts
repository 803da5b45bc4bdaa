import type { ConfigurationReading } from '../configuration/kube-proxy-configuration.js';
import type { CommandLine } from './command-line.js';
import { type FlagName, OWN_FLAGS } from './flag.js';

/** Flags that stay effective with a configuration file (spec C-20), and override it. */
const KEPT_WITH_FILE: ReadonlySet<FlagName> = new Set<FlagName>([
  ...OWN_FLAGS,
  'config',
  'write-config-to',
  'init-only',
  'master',
  'hostname-override',
  'v',
  'logging-format',
  'cleanup',
  'version',
]);

/** A command line with the values of a configuration file. */
export interface Merged {
  readonly merged: CommandLine;
  readonly places: ConfigurationReading['places'];
  /** Flags that the file replaces. */
  readonly ignored: readonly FlagName[];
}

/** Merges the values of the file into the command line. Pure. */
export function mergeConfiguration(commandLine: CommandLine, { values, places }: ConfigurationReading): Merged {
  // The mode to clean up after is not taken from the file.
  const isKept = (name: FlagName) =>
    KEPT_WITH_FILE.has(name) || (commandLine.command === 'cleanup' && name === 'proxy-mode');
  const kept = [...commandLine.values].filter(([name]) => isKept(name));
  return {
    merged: { ...commandLine, values: new Map([...values, ...kept]) },
    places: new Map([...places].filter(([name]) => !kept.some(([own]) => own === name))),
    ignored: [...commandLine.values.keys()].filter((name) => !isKept(name)),
  };
}
