import { readFileSync } from 'node:fs';
import { type BackendModule, messageOf, printable } from '@kube-proxier/core';
import type { Composition } from '../compose.js';
import { type ConfigurationReading, readKubeProxyConfiguration } from '../configuration/kube-proxy-configuration.js';
import type { AgentSettings } from '../flags/agent-settings.js';
import type { CommandLine } from '../flags/command-line.js';
import { CommandLineError, readSettings } from '../flags/settings.js';
import { loadForeignBackends } from '../foreign-backends.js';

/** A parsed command line with its settings and backends. */
export interface InterpretedCommandLine {
  readonly commandLine: CommandLine;
  readonly settings: AgentSettings;
  /** Including third-party backends. */
  readonly composition: Composition;
  /** Content of the configuration file; undefined when there is none. */
  readonly configurationText: string | undefined;
}

/** @throws CommandLineError with all problems of the flags, the file and third-party backends. */
export async function interpretCommandLine(
  commandLine: CommandLine,
  composition: Composition,
): Promise<InterpretedCommandLine> {
  const configurationText = readConfigurationFile(commandLine);
  const configuration = configurationText === undefined ? undefined : readConfiguration(commandLine, configurationText);
  const names = commandLine.values.get('backend') ?? configuration?.values.get('backend') ?? [];
  const place = commandLine.values.has('backend') ? undefined : configuration?.places.get('backend');
  const foreign = await loadForeignBackends(
    names.flatMap((list) => list.split(',')).filter((name) => name !== ''),
    composition.backends,
    place,
    undefined,
    commandLine.values.get('backend-option') ?? configuration?.values.get('backend-option') ?? [],
  );
  const backends = [...composition.backends, ...foreign.backends];
  const settings = settingsOf(commandLine, backends, configuration, foreign.problems);
  const [only] = foreign.backends;
  const withMode =
    settings.mode === '' && foreign.backends.length === 1 && only ? { ...settings, mode: only.mode } : settings;
  const configure = (chosen: AgentSettings) => [
    ...(composition.configure?.(chosen) ?? composition.backends),
    ...foreign.backends,
  ];
  return { commandLine, settings: withMode, composition: { ...composition, backends, configure }, configurationText };
}

/** @throws CommandLineError with all problems. */
export function settingsOf(
  commandLine: CommandLine,
  backends: readonly BackendModule[],
  configuration: ConfigurationReading | undefined,
  problems: readonly string[],
): AgentSettings {
  const modes = backends.map(({ mode }) => mode);
  try {
    const settings = readSettings(commandLine, modes, configuration);
    if (problems.length === 0) {
      return settings;
    }
  } catch (error) {
    if (error instanceof CommandLineError) {
      throw new CommandLineError([...problems, ...error.problems], error.warnings);
    }
    throw error;
  }
  throw new CommandLineError(problems);
}

/** @throws CommandLineError when the file cannot be read. */
function readConfigurationFile({ values }: CommandLine): string | undefined {
  const file = values.get('config')?.at(-1) ?? '';
  if (file === '') {
    return undefined;
  }
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandLineError([`--config: cannot read ${printable(file)}: ${printable(messageOf(error))}`]);
  }
}

/** @throws CommandLineError when the text is no valid configuration. */
export function readConfiguration({ values }: CommandLine, text: string): ConfigurationReading {
  return readKubeProxyConfiguration(text, printable(values.get('config')?.at(-1) ?? ''));
}
