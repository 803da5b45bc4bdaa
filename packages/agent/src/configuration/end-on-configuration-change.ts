import { type Logger, messageOf, ProxierError, printable } from '@kube-proxier/core';
import { type InterpretedCommandLine, readConfiguration, settingsOf } from '../commands/interpret-command-line.js';
import { CommandLineError } from '../flags/settings.js';
import type { RunContext } from '../running/run-agent.js';
import { type ConfigurationJudgement, ConfigurationWatch } from './watch-configuration.js';

/** Ends the agent when the content of its configuration file changes (spec C-29). */
export function endOnConfigurationChange(
  { commandLine, settings, composition, configurationText }: InterpretedCommandLine,
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
