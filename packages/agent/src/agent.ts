import { readFileSync, writeFileSync } from 'node:fs';
import { type BackendModule, type Logger, messageOf, ProxierError } from '@kube-proxier/core';
import { type CleanupRequest, cleanUp, runningProxies } from './cleanup/clean-up.js';
import type { Composition } from './compose.js';
import { formatConfiguration } from './configuration/effective-configuration.js';
import { type ConfigurationReading, readKubeProxyConfiguration } from './configuration/kube-proxy-configuration.js';
import { type ConfigurationJudgement, ConfigurationWatch } from './configuration/watch-configuration.js';
import { doctor } from './doctor/doctor.js';
import { explain } from './explain/explain.js';
import { messageWithFlags } from './flags/advise-flags.js';
import { type CommandLine, parseCommandLine } from './flags/command-line.js';
import { parseGoBool } from './flags/go-values.js';
import { helpText } from './flags/help-text.js';
import { type AgentSettings, CommandLineError, isOutput, readLogging, readSettings } from './flags/settings.js';
import { loadForeignBackends } from './foreign-backends.js';
import { printable } from './logging/printable.js';
import type { AdjustableLogger } from './logging/winston-logger.js';
import { prepareHost, type RunContext, runAgent } from './running/run-agent.js';
import { VERSION } from './version.js';

/** What the command does its work with; tests bring their own. */
export interface AgentEnvironment {
  readonly composition: Composition;
  /** Writes to standard output. */
  readonly print: (text: string) => void;
  /** Writes to standard error. */
  readonly printError: (text: string) => void;
  /** Columns of the terminal that standard output is. Default: it is none. */
  readonly columns?: number;
  /** What it makes may be able to change its verbosity later. */
  readonly createLogger: (logging: AgentSettings['logging']) => Logger | AdjustableLogger;
  /** Aborts when the agent is to end. */
  readonly signal: AbortSignal;
  /** Called once, some time after all that there was at the start is in force. Default: nothing. */
  readonly onSettled?: () => void;
}

/** A command line with everything that it leads to. */
interface Understood {
  readonly commandLine: CommandLine;
  readonly settings: AgentSettings;
  /** With the foreign ones. */
  readonly composition: Composition;
  /** Of the configuration file; undefined when there is none. */
  readonly configurationText: string | undefined;
}

/**
 * The whole command, but for the process around it.
 *
 * @returns the exit status: 0 when it did what it was asked for, 1 when not.
 */
export async function runCommand(args: readonly string[], environment: AgentEnvironment): Promise<number> {
  const { print, printError, columns, signal, onSettled } = environment;
  const commandLine = parseCommandLine(args);
  if (commandLine.command === 'help') {
    print(helpText(environment.composition.backends));
    return 0;
  }
  if (commandLine.command === 'version') {
    print(`kube-proxier ${VERSION}\n`);
    return 0;
  }
  let understood: Understood;
  try {
    understood = await understand(commandLine, environment.composition);
  } catch (error) {
    if (!(error instanceof CommandLineError)) {
      throw error;
    }
    if (commandLine.command === 'doctor' && isOutput(commandLine.values.get('output')?.at(-1) ?? 'text')) {
      const problems = { problems: error.problems, commandLine };
      const { text, status } = await doctor(environment.composition, problems, columns);
      print(text);
      return status;
    }
    for (const warning of error.warnings) {
      printError(`kube-proxier: warning: ${warning}\n`);
    }
    for (const problem of error.problems) {
      printError(`kube-proxier: ${problem}\n`);
    }
    return 1;
  }
  const { settings, composition } = understood;

  if (commandLine.command === 'explain' || commandLine.command === 'doctor' || settings.writeConfigTo !== '') {
    return await answer(understood, environment);
  }

  const logging = settings.configFile === '' ? readLogging(commandLine) : settings.logging;
  const logger = environment.createLogger(logging);
  for (const warning of settings.warnings) {
    logger.warn(warning);
  }
  try {
    if (commandLine.command === 'cleanup') {
      await cleanUp(cleanupRequest(commandLine), {
        backends: composition.configure?.(settings) ?? composition.backends,
        running: composition.exclusive ? runningProxies() : undefined,
        ...{ logger, print },
      });
    } else if (settings.initOnly) {
      await prepareHost({ composition, settings, logger });
    } else {
      const onRunning = watchConfiguration(understood, logger);
      await runAgent({ composition, settings, logger, signal, onRunning, ...(onSettled ? { onSettled } : {}) });
    }
    return 0;
  } catch (error) {
    if (signal.aborted) {
      logger.info('Ended while starting');
      return 0;
    }
    const fields = logger.v(2) ? { error, stack: stackOf(error) } : {};
    logger.error(`kube-proxier cannot go on: ${messageWithFlags(error)}`, fields);
    return 1;
  }
}

/** Of the command line alone: a configuration file names the mode to run, not one to clean up after. */
function cleanupRequest({ values }: CommandLine): CleanupRequest {
  const isSet = (name: 'kube-proxy' | 'dry-run' | 'force') => parseGoBool(values.get(name)?.at(-1) ?? 'false') === true;
  const mode = values.get('proxy-mode')?.at(-1) ?? '';
  return {
    ...(mode === '' ? {} : { mode }),
    kubeProxy: isSet('kube-proxy'),
    dryRun: isSet('dry-run'),
    force: isSet('force'),
  };
}

/** What prints something, or writes a file, and ends. */
async function answer(understood: Understood, { print, printError, columns }: AgentEnvironment): Promise<number> {
  const { commandLine, settings, composition } = understood;
  try {
    if (commandLine.command === 'doctor') {
      const { text, status } = await doctor(composition, { settings, commandLine }, columns);
      print(text);
      return status;
    }
    if (commandLine.command === 'explain') {
      print(await explain(commandLine.operands, settings, composition));
      return 0;
    }
    for (const warning of settings.warnings) {
      printError(`kube-proxier: warning: ${warning}\n`);
    }
    writeConfiguration(settings);
    printError(`kube-proxier: wrote the configuration to ${printable(settings.writeConfigTo)}\n`);
    return 0;
  } catch (error) {
    printError(`kube-proxier: ${printable(messageWithFlags(error))}\n`);
    return 1;
  }
}

/** @throws CommandLineError when the file cannot be written. */
function writeConfiguration({ writeConfigTo, effective }: AgentSettings): void {
  try {
    writeFileSync(writeConfigTo, formatConfiguration(effective));
  } catch (error) {
    const reason = `${messageOf(error)}; give the path of a file that this user can write`;
    throw new CommandLineError([`--write-config-to: ${reason}`]);
  }
}

/** @throws CommandLineError with everything that is wrong: with the flags, the file and foreign backends. */
async function understand(commandLine: CommandLine, composition: Composition): Promise<Understood> {
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
  const asked =
    settings.mode === '' && foreign.backends.length === 1 && only ? { ...settings, mode: only.mode } : settings;
  const configure = (chosen: AgentSettings) => [
    ...(composition.configure?.(chosen) ?? composition.backends),
    ...foreign.backends,
  ];
  return { commandLine, settings: asked, composition: { ...composition, backends, configure }, configurationText };
}

function settingsOf(
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

function readConfiguration({ values }: CommandLine, text: string): ConfigurationReading {
  return readKubeProxyConfiguration(text, printable(values.get('config')?.at(-1) ?? ''));
}

/** Has the agent end when its configuration file says something else (spec C-29). */
function watchConfiguration(
  { commandLine, settings, composition, configurationText }: Understood,
  logger: Logger,
): NonNullable<RunContext['onRunning']> {
  return (end, tell) => {
    if (configurationText === undefined) {
      return () => {};
    }
    const path = settings.configFile;
    const before = JSON.stringify(settings.effective);
    const judge = (text: string): ConfigurationJudgement => {
      try {
        const { effective } = settingsOf(commandLine, composition.backends, readConfiguration(commandLine, text), []);
        return { kind: JSON.stringify(effective) === before ? 'same' : 'changed' };
      } catch (error) {
        return { kind: 'wrong', problems: error instanceof CommandLineError ? error.problems : [messageOf(error)] };
      }
    };
    const watch = new ConfigurationWatch(
      {
        path,
        judge,
        logger,
        onChange: () => {
          const message = `content of the proxy server's configuration file was updated: ${printable(path)}; it takes effect with the next start`;
          end(new ProxierError('CONFIGURATION_CHANGED', message));
        },
        onProblems: (problems) => {
          for (const problem of problems) {
            logger.error(
              `The configuration file was changed and cannot be used; the one of before stays in force: ${problem}`,
            );
          }
          tell(problems);
        },
      },
      configurationText,
    );
    watch.start();
    return () => watch.stop();
  };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? '') : '';
}
