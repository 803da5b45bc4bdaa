import { readFileSync, writeFileSync } from 'node:fs';
import { type BackendModule, type Logger, messageOf, ProxierError, printable } from '@kube-proxier/core';
import { type CleanupRequest, cleanUp, runningProxies } from './cleanup/clean-up.js';
import { findCommand } from './commands/command-definition.js';
import { completionScript } from './commands/completion.js';
import type { Composition } from './compose.js';
import { formatConfiguration } from './configuration/effective-configuration.js';
import { type ConfigurationReading, readKubeProxyConfiguration } from './configuration/kube-proxy-configuration.js';
import { type ConfigurationJudgement, ConfigurationWatch } from './configuration/watch-configuration.js';
import { doctor } from './doctor/doctor.js';
import { explain } from './explain/explain.js';
import { messageWithFlags } from './flags/advise-flags.js';
import { type AgentSettings, isOutput } from './flags/agent-settings.js';
import { type CommandLine, parseCommandLine } from './flags/command-line.js';
import { parseGoBool } from './flags/go-values.js';
import { commandHelpText, helpText } from './flags/help-text.js';
import { CommandLineError, readLogging, readSettings } from './flags/settings.js';
import { loadForeignBackends } from './foreign-backends.js';
import { type GetRequest, get } from './get/get.js';
import { MAX_MESSAGE_LENGTH } from './logging/log-line.js';
import type { AdjustableLogger } from './logging/winston-logger.js';
import { prepareHost, type RunContext, runAgent } from './running/run-agent.js';
import { status } from './status/status.js';
import { versionText } from './version.js';

/** Environment of the command. */
export interface AgentEnvironment {
  readonly composition: Composition;
  /** Writes to standard output. */
  readonly print: (text: string) => void;
  /** Writes to standard error. */
  readonly printError: (text: string) => void;
  /** Columns of the terminal at standard output. Default: not a terminal. */
  readonly columns?: number;
  /** The logger may support changing its verbosity later. */
  readonly createLogger: (logging: AgentSettings['logging']) => Logger | AdjustableLogger;
  /** Aborts to end the agent. */
  readonly signal: AbortSignal;
  /** Called once, some time after the initial state is programmed. Default: nothing. */
  readonly onSettled?: () => void;
}

/** A parsed command line with its settings and backends. */
interface Interpreted {
  readonly commandLine: CommandLine;
  readonly settings: AgentSettings;
  /** Including third-party backends. */
  readonly composition: Composition;
  /** Content of the configuration file; undefined when there is none. */
  readonly configurationText: string | undefined;
}

/**
 * Runs the command, without the process around it.
 *
 * @returns the exit status: 0 on success, 1 on failure, or what the command defines.
 */
export async function runCommand(args: readonly string[], environment: AgentEnvironment): Promise<number> {
  const { print, printError, columns, signal, onSettled } = environment;
  const commandLine = parseCommandLine(args);
  const usageErrorStatus = findCommand(commandLine.command)?.usageErrorStatus ?? 1;
  if (commandLine.command === 'help') {
    const unknownTopic = commandLine.operands.length > 0 && commandLine.topic === undefined;
    if (unknownTopic && commandLine.errors.length > 0) {
      printError(commandLine.errors.map((error) => `kube-proxier: ${error}\n`).join(''));
      return usageErrorStatus;
    }
    const { backends } = environment.composition;
    const topic = findCommand(commandLine.topic);
    print(topic === undefined ? helpText(backends) : commandHelpText(topic, backends));
    return 0;
  }
  if (commandLine.command === 'version') {
    print(versionText());
    return 0;
  }
  if (commandLine.command === 'completion' && commandLine.errors.length === 0) {
    const script = completionScript(commandLine.operands[0] ?? '');
    if (script === undefined) {
      printError(
        `kube-proxier: no completion for the shell "${printable(commandLine.operands[0] ?? '')}"; use bash, zsh or fish\n`,
      );
      return 1;
    }
    print(script);
    return 0;
  }
  let interpreted: Interpreted;
  try {
    interpreted = await interpret(commandLine, environment.composition);
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
    return usageErrorStatus;
  }
  const { settings, composition } = interpreted;

  if (commandLine.command === 'status') {
    const watch = parseGoBool(commandLine.values.get('watch')?.at(-1) ?? 'false') === true;
    return await status(settings, watch, { print, printError, signal });
  }
  if (['explain', 'doctor', 'get'].includes(commandLine.command) || settings.writeConfigTo !== '') {
    return await answer(interpreted, environment);
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
      const onRunning = watchConfiguration(interpreted, logger);
      await runAgent({ composition, settings, logger, signal, onRunning, ...(onSettled ? { onSettled } : {}) });
    }
    return 0;
  } catch (error) {
    if (signal.aborted) {
      logger.info('Stopped while starting');
      return 0;
    }
    const fields = logger.v(2) ? { error, stack: stackOf(error) } : {};
    logger.error(`kube-proxier cannot continue: ${messageWithFlags(error)}`, fields);
    return 1;
  }
}

/** Reads the command line only: the mode in a configuration file is the one to run, not the one to clean up. */
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

function getRequest({ operands, values }: CommandLine, { output }: AgentSettings): GetRequest {
  const all = parseGoBool(values.get('all-namespaces')?.at(-1) ?? 'false') === true;
  return { operands, namespace: all ? undefined : (values.get('namespace')?.at(-1) ?? 'default'), output };
}

/** Runs commands that print a result or write a file. */
async function answer(interpreted: Interpreted, { print, printError, columns }: AgentEnvironment): Promise<number> {
  const { commandLine, settings, composition } = interpreted;
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
    if (commandLine.command === 'get') {
      const { text, message } = await get(getRequest(commandLine, settings), settings, composition);
      print(text);
      printError(message === '' ? '' : `${message}\n`);
      return 0;
    }
    for (const warning of settings.warnings) {
      printError(`kube-proxier: warning: ${warning}\n`);
    }
    writeConfiguration(settings);
    printError(`kube-proxier: wrote the configuration to ${printable(settings.writeConfigTo)}\n`);
    return 0;
  } catch (error) {
    printError(`kube-proxier: ${printable(messageWithFlags(error), MAX_MESSAGE_LENGTH)}\n`);
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

/** @throws CommandLineError with all problems of the flags, the file and third-party backends. */
async function interpret(commandLine: CommandLine, composition: Composition): Promise<Interpreted> {
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

/** Ends the agent when the content of its configuration file changes (spec C-29). */
function watchConfiguration(
  { commandLine, settings, composition, configurationText }: Interpreted,
  logger: Logger,
): NonNullable<RunContext['onRunning']> {
  return (end, report) => {
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
          const message = `content of the proxy server's configuration file was updated: ${printable(path)}; it takes effect at the next start`;
          end(new ProxierError('CONFIGURATION_CHANGED', message));
        },
        onProblems: (problems) => {
          for (const problem of problems) {
            logger.error(`The changed configuration file is invalid; the previous one stays in force: ${problem}`);
          }
          report(problems);
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
