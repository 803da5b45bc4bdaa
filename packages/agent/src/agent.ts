import { readFileSync } from 'node:fs';
import { type Logger, messageOf } from '@kube-proxier/core';
import { cleanupBackends, ProxyMetrics, ProxyServer } from '@kube-proxier/server';
import type { Composition } from './compose.js';
import { type ConfigurationReading, readKubeProxyConfiguration } from './configuration/kube-proxy-configuration.js';
import { explain } from './explain/explain.js';
import { type CommandLine, helpText, parseCommandLine } from './flags/command-line.js';
import { type AgentSettings, CommandLineError, readLogging, readSettings } from './flags/settings.js';
import { printable } from './logging/printable.js';
import { VERSION } from './version.js';

/** What the command does its work with; tests bring their own. */
export interface AgentEnvironment {
  readonly composition: Composition;
  /** Writes to standard output. */
  readonly print: (text: string) => void;
  /** Writes to standard error. */
  readonly printError: (text: string) => void;
  readonly createLogger: (logging: AgentSettings['logging']) => Logger;
  /** Aborts when the agent is to end. */
  readonly signal: AbortSignal;
}

/**
 * The whole command, but for the process around it.
 *
 * @returns the exit status: 0 when it did what it was asked for, 1 when not.
 */
export async function runCommand(args: readonly string[], environment: AgentEnvironment): Promise<number> {
  const { composition, print, printError } = environment;
  const { backends } = composition;
  const commandLine = parseCommandLine(args);
  if (commandLine.command === 'help') {
    print(helpText(backends));
    return 0;
  }
  if (commandLine.command === 'version') {
    print(`kube-proxier ${VERSION}\n`);
    return 0;
  }
  let settings: AgentSettings;
  let configuration: ConfigurationReading | undefined;
  try {
    configuration = readConfigurationFile(commandLine);
    settings = readSettings(
      commandLine,
      backends.map(({ mode }) => mode),
      configuration,
    );
  } catch (error) {
    if (!(error instanceof CommandLineError)) {
      throw error;
    }
    for (const problem of error.problems) {
      printError(`kube-proxier: ${problem}\n`);
    }
    return 1;
  }

  if (commandLine.command === 'explain') {
    try {
      print(await explain(commandLine.operands, settings, composition));
      return 0;
    } catch (error) {
      printError(`kube-proxier: ${messageOf(error)}\n`);
      return 1;
    }
  }

  const logger = environment.createLogger(configuration ? settings.logging : readLogging(commandLine));
  for (const warning of configuration?.warnings ?? []) {
    logger.warn(warning);
  }
  try {
    if (commandLine.command === 'cleanup') {
      await cleanupBackends(backends, logger);
    } else {
      await runAgent(settings, environment, logger);
    }
    return 0;
  } catch (error) {
    if (environment.signal.aborted) {
      logger.info('Ended while starting');
      return 0;
    }
    logger.error(`kube-proxier cannot go on: ${messageOf(error)}`, logger.v(2) ? { error, stack: stackOf(error) } : {});
    return 1;
  }
}

/** @throws CommandLineError when the file cannot be read. */
function readConfigurationFile({ values }: CommandLine): ConfigurationReading | undefined {
  const file = values.get('config')?.at(-1) ?? '';
  if (file === '') {
    return undefined;
  }
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandLineError([`--config: cannot read ${printable(file)}: ${printable(messageOf(error))}`]);
  }
  return readKubeProxyConfiguration(text, printable(file));
}

async function runAgent(
  settings: AgentSettings,
  { composition, signal }: AgentEnvironment,
  logger: Logger,
): Promise<void> {
  if (signal.aborted) {
    return;
  }
  logger.info(`kube-proxier ${VERSION} is starting`, { node: process.version, pid: process.pid });
  const sources = composition.sources(settings, logger);
  const metrics = new ProxyMetrics();
  const server = new ProxyServer({
    backends: composition.configure?.(settings) ?? composition.backends,
    sources,
    mode: settings.mode,
    fallback: settings.fallback,
    takeover: settings.takeover,
    proxier: settings.proxier,
    bindAddress: settings.bindAddress,
    allowLoopbackEndpoints: settings.allowLoopbackEndpoints,
    logger,
    ...(composition.conntrack ? { conntrack: composition.conntrack } : {}),
    metrics,
    ...(settings.status ? { statusAddress: settings.status } : {}),
    ...(settings.health ? { healthAddress: settings.health } : {}),
  });
  const stop = () => {
    logger.info('kube-proxier is ending');
    void server.stop();
  };
  signal.addEventListener('abort', stop);
  try {
    const { selection, nodeName, families } = await server.start();
    logger.info(`kube-proxier ${VERSION} is running`, {
      mode: selection.mode,
      ...(selection.detail === undefined ? {} : { host: selection.detail }),
      ...(selection.defaulted ? { why: 'the default' } : {}),
      ...(selection.reason === undefined ? {} : { why: `not ${selection.requested}: ${selection.reason}` }),
      nodeName,
      families: families.join(','),
      watching: sources.map(({ description }) => description).join('; '),
    });
    await server.finished;
    logger.info('kube-proxier has ended; what it programmed stays in place');
  } finally {
    signal.removeEventListener('abort', stop);
    await server.stop();
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? '') : '';
}
