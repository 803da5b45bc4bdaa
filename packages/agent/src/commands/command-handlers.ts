import { writeFileSync } from 'node:fs';
import { type Logger, messageOf, ProxierError, printable } from '@kube-proxier/core';
import type { AgentEnvironment } from '../agent-environment.js';
import type { CleanupRequest } from '../cleanup/clean-up.js';
import { formatConfiguration } from '../configuration/effective-configuration.js';
import { endOnConfigurationChange } from '../configuration/end-on-configuration-change.js';
import type { DiagnosisFormat } from '../doctor/format-diagnoses.js';
import type { ExplainRequest } from '../explain/explain.js';
import { messageWithFlags } from '../flags/advise-flags.js';
import { type AgentSettings, isOutput } from '../flags/agent-settings.js';
import type { AgentCommand, CommandLine } from '../flags/command-line.js';
import { parseGoBool } from '../flags/go-values.js';
import { commandHelpText, helpText } from '../flags/help-text.js';
import { CommandLineError, readLogging } from '../flags/settings.js';
import type { GetRequest } from '../get/get.js';
import type { PlanRequest } from '../planning/plan.js';
import { versionText } from '../version.js';
import { findCommand } from './command-definition.js';
import { completionScript } from './completion.js';
import type { InterpretedCommandLine } from './interpret-command-line.js';

/** A command with parsed flags, configuration and backends. */
export interface CommandRequest extends InterpretedCommandLine {
  readonly environment: AgentEnvironment;
}

/** Implements a command; one of the two is set. Each returns the exit status. */
export interface CommandHandler {
  /** For a command that needs neither settings nor backends: invalid flags or files do not affect it. */
  readonly answer?: (commandLine: CommandLine, environment: AgentEnvironment) => number;
  /** May throw: the message is printed, and the exit status is that of a usage error. */
  readonly run?: (request: CommandRequest) => Promise<number>;
  /**
   * Reports problems of the command line and the configuration instead of the usual error messages.
   *
   * @returns undefined to print the usual messages.
   */
  readonly reportProblems?: (
    error: CommandLineError,
    commandLine: CommandLine,
    environment: AgentEnvironment,
  ) => Promise<number | undefined>;
}

/** Every command by its name; `run` is the agent. The modules of a command are loaded on demand. */
export const COMMAND_HANDLERS: Readonly<Record<AgentCommand, CommandHandler>> = {
  run: { run: (request) => (request.settings.writeConfigTo === '' ? runLogged(request, run) : write(request)) },
  cleanup: { run: (request) => runLogged(request, cleanup) },
  status: {
    run: async ({ settings, commandLine, environment }) => {
      const { status } = await import('../status/status.js');
      return status(settings, isSet(commandLine, 'watch'), environment);
    },
  },
  explain: {
    run: async ({ commandLine, settings, composition, environment }) => {
      const { explain } = await import('../explain/explain.js');
      const work = () => explain(explainRequest(commandLine), settings, composition);
      environment.print(await withProgress(environment, `Reading ${sourceOf(settings)}`, work));
      return 0;
    },
  },
  'what-changed': {
    run: async ({ commandLine, settings, environment }) => {
      const service = commandLine.operands[0];
      const request = {
        since: textOf(commandLine, 'since'),
        until: textOf(commandLine, 'until'),
        recording: textOf(commandLine, 'recording'),
        service,
        namespace: commandLine.values.get('namespace')?.at(-1) ?? 'default',
      };
      const { whatChanged } = await import('../what-changed/what-changed.js');
      return printAnswer(await whatChanged(request, settings), environment);
    },
  },
  replay: {
    run: async ({ commandLine, settings, environment }) => {
      const { operands } = commandLine;
      const request = {
        operands,
        until: textOf(commandLine, 'until'),
        test: isSet(commandLine, 'test'),
        expect: textOf(commandLine, 'expect'),
        namespace: commandLine.values.get('namespace')?.at(-1) ?? 'default',
      };
      const { replay } = await import('../replay/replay.js');
      return printAnswer(await replay(request, settings), environment);
    },
  },
  plan: {
    run: async ({ commandLine, settings, composition, environment }) => {
      const { print, style } = environment;
      const context = { commandLine, settings, composition, ...(style ? { style } : {}) };
      const { plan } = await import('../planning/plan.js');
      const work = () => plan(planRequest(commandLine), context);
      const { text, status } = await withProgress(environment, 'Planning', work);
      print(text);
      return status;
    },
  },
  record: {
    run: async ({ commandLine, settings, environment }) => {
      const { record } = await import('../record/record.js');
      return record(commandLine.operands, settings, environment);
    },
  },
  get: {
    run: async ({ commandLine, settings, composition, environment }) => {
      const { get } = await import('../get/get.js');
      const work = () => get(getRequest(commandLine, settings), settings, composition);
      const { text, message, status } = await withProgress(environment, `Reading ${sourceOf(settings)}`, work);
      environment.print(text);
      environment.printError(message === '' ? '' : `${message}\n`);
      return status;
    },
  },
  verify: {
    run: async ({ commandLine, settings, composition, environment }) => {
      const between = textOf(commandLine, 'between');
      if (isSet(commandLine, 'packets')) {
        if (between !== '') {
          throw new ProxierError('INVALID_ARGUMENT', '--packets and --between cannot be combined; set one of them');
        }
        const { verifyByConnections } = await import('../verify/verify-by-connections.js');
        return verifyByConnections(settings, composition, environment);
      }
      if (between !== '') {
        const { verifyBetween } = await import('../verify/verify-between.js');
        return verifyBetween(between, settings, composition, environment);
      }
      const { verify } = await import('../verify/verify.js');
      return verify(settings, composition, environment);
    },
  },
  doctor: {
    run: async ({ commandLine, settings, composition, environment }) => {
      const { doctor } = await import('../doctor/doctor.js');
      const { text, status } = await doctor(
        composition,
        { settings, commandLine },
        diagnosisFormat(commandLine, environment),
        environment.progress,
      );
      environment.print(text);
      return status;
    },
    reportProblems: async ({ problems }, commandLine, environment) => {
      const { composition, print, progress } = environment;
      if (!isOutput(commandLine.values.get('output')?.at(-1) ?? 'text')) {
        return undefined;
      }
      const { doctor } = await import('../doctor/doctor.js');
      const { text, status } = await doctor(
        composition,
        { problems, commandLine },
        diagnosisFormat(commandLine, environment),
        progress,
      );
      print(text);
      return status;
    },
  },
  help: { answer: help },
  version: {
    answer: (_commandLine, { print }) => {
      print(versionText());
      return 0;
    },
  },
  completion: { answer: completion },
};

function help({ operands, topic, errors }: CommandLine, { composition, print, printError }: AgentEnvironment): number {
  const unknownTopic = operands.length > 0 && topic === undefined;
  // With --help, everything else is ignored.
  const tooMany = operands.length > 1 && operands[0] === topic;
  if ((unknownTopic || tooMany) && errors.length > 0) {
    printError(errors.map((error) => `kube-proxier: ${error}\n`).join(''));
    return 1;
  }
  const command = findCommand(topic);
  print(command === undefined ? helpText(composition.backends) : commandHelpText(command, composition.backends));
  return 0;
}

function completion({ operands, errors }: CommandLine, { print, printError }: AgentEnvironment): number {
  const script = completionScript(operands[0] ?? '');
  if (script === undefined || errors.length > 0) {
    const unknown = `no completion for the shell "${printable(operands[0] ?? '')}"; use bash, zsh or fish`;
    printError((errors.length > 0 ? errors : [unknown]).map((error) => `kube-proxier: ${error}\n`).join(''));
    return 1;
  }
  print(script);
  return 0;
}

/** Runs a command that logs its errors, like a service. */
async function runLogged(
  request: CommandRequest,
  command: (request: CommandRequest, logger: Logger) => Promise<void>,
): Promise<number> {
  const { settings, commandLine, environment } = request;
  const logger = environment.createLogger(settings.configFile === '' ? readLogging(commandLine) : settings.logging);
  for (const warning of settings.warnings) {
    logger.warn(warning);
  }
  try {
    await command(request, logger);
    return 0;
  } catch (error) {
    if (environment.signal.aborted) {
      logger.info('Stopped while starting');
      return 0;
    }
    const fields = logger.v(2) ? { error, stack: stackOf(error) } : {};
    logger.error(`kube-proxier cannot continue: ${messageWithFlags(error)}`, fields);
    return 1;
  }
}

async function run(request: CommandRequest, logger: Logger): Promise<void> {
  const { composition, settings, environment } = request;
  const { prepareHost, runAgent } = await import('../running/run-agent.js');
  if (settings.initOnly) {
    await prepareHost({ composition, settings, logger });
    return;
  }
  const { signal, phases } = environment;
  const onRunning = endOnConfigurationChange(request, logger);
  await runAgent({ composition, settings, logger, signal, onRunning, ...(phases ? { phases } : {}) });
}

async function cleanup({ commandLine, composition, settings, environment }: CommandRequest, logger: Logger) {
  const { cleanUp, runningProxies } = await import('../cleanup/clean-up.js');
  await cleanUp(cleanupRequest(commandLine), {
    backends: composition.configure?.(settings) ?? composition.backends,
    running: composition.exclusive ? runningProxies() : undefined,
    ...{ logger, print: environment.print },
  });
}

async function write({ settings, environment }: CommandRequest): Promise<number> {
  for (const warning of settings.warnings) {
    environment.printError(`kube-proxier: warning: ${warning}\n`);
  }
  writeConfiguration(settings);
  environment.printError(`kube-proxier: wrote the configuration to ${printable(settings.writeConfigTo)}\n`);
  return 0;
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

/** Reads the command line only: a configuration file names the mode to run, not the mode to clean up. */
function cleanupRequest(commandLine: CommandLine): CleanupRequest {
  const mode = commandLine.values.get('proxy-mode')?.at(-1) ?? '';
  return {
    ...(mode === '' ? {} : { mode }),
    kubeProxy: isSet(commandLine, 'kube-proxy'),
    dryRun: isSet(commandLine, 'dry-run'),
    force: isSet(commandLine, 'force'),
  };
}

function explainRequest({ operands, values }: CommandLine): ExplainRequest {
  const [at = '', recording = ''] = [values.get('at')?.at(-1), values.get('recording')?.at(-1)];
  const namespace = values.get('namespace')?.at(-1) ?? 'default';
  return { operands, namespace, via: values.get('via')?.at(-1), at, recording };
}

function planRequest(commandLine: CommandLine): PlanRequest {
  const { values } = commandLine;
  return {
    files: values.get('filename') ?? [],
    deletions: values.get('delete') ?? [],
    rules: isSet(commandLine, 'rules'),
    cleanup: isSet(commandLine, 'cleanup'),
    kubeProxy: isSet(commandLine, 'kube-proxy'),
    namespace: values.get('namespace')?.at(-1) ?? 'default',
  };
}

function getRequest(commandLine: CommandLine, { output }: AgentSettings): GetRequest {
  const { operands, values } = commandLine;
  const all = isSet(commandLine, 'all-namespaces');
  return { operands, namespace: all ? undefined : (values.get('namespace')?.at(-1) ?? 'default'), output };
}

function diagnosisFormat(commandLine: CommandLine, { columns, style }: AgentEnvironment): DiagnosisFormat {
  return {
    onlyProblems: isSet(commandLine, 'only-problems'),
    ...(columns === undefined ? {} : { columns }),
    ...(style ? { style } : {}),
  };
}

/** Shows work that takes longer than a second at standard error. */
function withProgress<T>({ progress }: AgentEnvironment, what: string, work: () => Promise<T>): Promise<T> {
  return progress?.during(what, work) ?? work();
}

function sourceOf({ manifests }: AgentSettings): string {
  return manifests.length > 0 ? 'manifests' : 'what is in force';
}

type BooleanFlag =
  | 'packets'
  | 'rules'
  | 'cleanup'
  | 'test'
  | 'watch'
  | 'only-problems'
  | 'all-namespaces'
  | 'kube-proxy'
  | 'dry-run'
  | 'force';

function isSet({ values }: CommandLine, name: BooleanFlag): boolean {
  return parseGoBool(values.get(name)?.at(-1) ?? 'false') === true;
}

type TextFlag = 'between' | 'since' | 'until' | 'recording' | 'expect';

function textOf({ values }: CommandLine, name: TextFlag): string {
  return values.get(name)?.at(-1) ?? '';
}

function printAnswer(
  { text, message }: { readonly text: string; readonly message: string },
  { print, printError }: AgentEnvironment,
): number {
  print(text);
  printError(message === '' ? '' : `kube-proxier: ${message.replaceAll('\n', '\nkube-proxier: ')}\n`);
  return 0;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? '') : '';
}
