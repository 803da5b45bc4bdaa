import { printable } from '@kube-proxier/core';
import type { AgentEnvironment } from './agent-environment.js';
import { findCommand } from './commands/command-definition.js';
import { COMMAND_HANDLERS } from './commands/command-handlers.js';
import { type InterpretedCommandLine, interpretCommandLine } from './commands/interpret-command-line.js';
import { messageWithFlags } from './flags/advise-flags.js';
import { parseCommandLine } from './flags/command-line.js';
import { CommandLineError } from './flags/settings.js';
import { MAX_MESSAGE_LENGTH } from './logging/log-line.js';

/**
 * Runs the command, independent of the process.
 *
 * @returns the exit status: 0 on success, 1 on failure, or what the command defines.
 */
export async function runCommand(args: readonly string[], environment: AgentEnvironment): Promise<number> {
  const commandLine = parseCommandLine(args);
  const handler = COMMAND_HANDLERS[commandLine.command];
  const usageErrorStatus = findCommand(commandLine.command)?.usageErrorStatus ?? 1;
  if (handler.answer) {
    return handler.answer(commandLine, environment);
  }
  let interpreted: InterpretedCommandLine;
  try {
    interpreted = await interpretCommandLine(commandLine, environment.composition);
  } catch (error) {
    if (!(error instanceof CommandLineError)) {
      throw error;
    }
    const reported = await handler.reportProblems?.(error, commandLine, environment);
    return reported ?? printProblems(error, environment, usageErrorStatus);
  }
  try {
    return (await handler.run?.({ ...interpreted, environment })) ?? 0;
  } catch (error) {
    environment.printError(`kube-proxier: ${printable(messageWithFlags(error), MAX_MESSAGE_LENGTH)}\n`);
    return usageErrorStatus;
  }
}

function printProblems(
  { problems, warnings }: CommandLineError,
  { printError }: AgentEnvironment,
  status: number,
): number {
  for (const warning of warnings) {
    printError(`kube-proxier: warning: ${warning}\n`);
  }
  for (const problem of problems) {
    printError(`kube-proxier: ${problem}\n`);
  }
  return status;
}
