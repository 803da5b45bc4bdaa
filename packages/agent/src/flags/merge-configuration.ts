import type { ConfigurationReading } from '../configuration/kube-proxy-configuration.js';
import type { CommandLine } from './command-line.js';
import { type FlagName, OWN_FLAGS } from './flag.js';

/** Flags that stay effective with a configuration file (spec C-20), and override it. */
const BESIDE_FILE: ReadonlySet<FlagName> = new Set<FlagName>([
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
  const isBeside = (name: FlagName) =>
    BESIDE_FILE.has(name) || (commandLine.command === 'cleanup' && name === 'proxy-mode');
  const beside = [...commandLine.values].filter(([name]) => isBeside(name));
  return {
    merged: { ...commandLine, values: new Map([...values, ...beside]) },
    places: new Map([...places].filter(([name]) => !beside.some(([own]) => own === name))),
    ignored: [...commandLine.values.keys()].filter((name) => !isBeside(name)),
  };
}
