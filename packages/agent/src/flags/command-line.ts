import { printable } from '@kube-proxier/core';
import { Command, Option } from 'commander';
import { COMMANDS, type CommandDefinition, type CommandName } from '../commands/command-definition.js';
import { nearestCommand } from '../commands/nearest-command.js';
import { FLAGS, type FlagName } from './flag.js';
import type { Flag } from './flag-definition.js';
import { parseGoBool } from './go-values.js';
import { nearestFlag } from './nearest-flag.js';

/** The command to execute. */
export type AgentCommand = 'run' | CommandName;

/** A parsed command line; values are not validated yet. */
export interface CommandLine {
  readonly command: AgentCommand;
  /** Values as written, in order. Flags that are not set are absent. */
  readonly values: ReadonlyMap<FlagName, readonly string[]>;
  /** Arguments of the command that are not flags. */
  readonly operands: readonly string[];
  /** The command to explain, for `help`; undefined for the program. */
  readonly topic?: CommandName;
  /** Syntax errors of the command line, one per line. */
  readonly errors: readonly string[];
}

const PROGRAM = 'kube-proxier';
const COMMAND_NAMES = COMMANDS.map(({ name }) => name);

/** Parses the arguments (without node and script) as kube-proxy does. Never throws. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const program = createParser();
  const values = new Map<FlagName, string[]>();
  for (const flag of FLAGS) {
    program.on(`option:${flag.name}`, (value: string | null) => {
      values.set(flag.name, [...(values.get(flag.name) ?? []), value ?? 'true']);
    });
  }
  const errors: string[] = [];
  const { operands, unknown } = program.parseOptions(normalize(args, errors));

  const isSet = (name: FlagName) => parseGoBool(values.get(name)?.at(-1) ?? 'false') === true;
  let command: AgentCommand = isSet('cleanup') ? 'cleanup' : 'run';
  const [first, ...rest] = operands;
  const named = COMMANDS.find(({ name }) => name === first);
  if (named) {
    command = named.name;
  }
  const positional = named ? [...rest] : [...operands];
  let mayBeValue = false;
  for (const argument of unknown) {
    if (argument.startsWith('-')) {
      errors.push(describeUnknown(argument, named));
    } else if (!mayBeValue) {
      positional.push(argument);
    }
    mayBeValue = argument.startsWith('-') && !argument.includes('=');
  }
  const stray = positional.filter((operand) => operand !== '');
  const [least, most] = named === undefined ? [0, 0] : operandCounts(named);
  if (stray.length > most && most === 0) {
    const list = stray.map((operand) => `"${printable(operand)}"`).join(', ');
    const hint = named ? `see ${PROGRAM} ${named.name} --help` : describeStray(stray[0] ?? '', values.has('manifests'));
    const command = named ? `${PROGRAM} ${named.name}` : PROGRAM;
    errors.push(`${command} takes no arguments except flags, but got ${list}; ${hint}`);
  } else if (named && (stray.length < least || stray.length > most)) {
    const example = named.examples[0]?.command ?? named.name;
    errors.push(
      `${PROGRAM} ${named.name} ${least === 0 ? 'takes' : 'needs'} ${countOf(least, most)}, as in: ${PROGRAM} ${example}`,
    );
  }
  errors.push(...flagsOfOtherCommands(values, named));
  let topic = named?.name;
  if (command === 'help' && stray[0] !== undefined) {
    topic = COMMANDS.find(({ name }) => name === stray[0])?.name;
    if (topic === undefined) {
      const meant = nearestCommand(stray[0], COMMAND_NAMES);
      const hint = meant === undefined ? `see ${PROGRAM} help` : `did you mean ${meant}?`;
      errors.push(`unknown command "${printable(stray[0])}"; ${hint}`);
    }
  }
  if (isSet('version')) {
    command = 'version';
  }
  if (isSet('help')) {
    command = 'help';
  }
  const explained = command === 'help' && topic !== undefined && topic !== 'help' ? { topic } : {};
  return { command, values, operands: named ? stray : [], errors, ...explained };
}

/** Errors for command flags that have no effect with this command. */
function flagsOfOtherCommands(
  values: CommandLine['values'],
  command: CommandDefinition | undefined,
): readonly string[] {
  const flags: readonly Flag[] = FLAGS;
  return flags
    .filter(({ group, name }) => group === 'Commands' && values.has(name as FlagName))
    .filter(({ name }) => !command?.flags.some((own) => own === name))
    .map(
      ({ name }) =>
        `flag --${name} has no effect with ${command ? `${PROGRAM} ${command.name}` : 'the agent'}; remove it`,
    );
}

/**
 * Minimum and maximum number of arguments, by the syntax: optional ones are in brackets, and dots are for any number.
 */
function operandCounts({ syntax }: CommandDefinition): readonly [least: number, most: number] {
  const words = syntax.split(' ').filter((word) => word !== '');
  const most = syntax.includes('...') ? Number.POSITIVE_INFINITY : words.length;
  return [words.filter((word) => !word.startsWith('[')).length, most];
}

function countOf(least: number, most: number): string {
  const names = ['no', 'one', 'two', 'three'];
  if (most === Number.POSITIVE_INFINITY) {
    return `at least ${names[least]} argument${least === 1 ? '' : 's'}`;
  }
  if (least === 0) {
    return `at most ${names[most]} argument${most === 1 ? '' : 's'}`;
  }
  const count = least === most ? `${names[least]}` : `${names[least]} to ${names[most]}`;
  return `${count} argument${most === 1 ? '' : 's'}`;
}

function createParser(): Command {
  const parser = new Command(PROGRAM)
    .helpOption(false)
    .exitOverride()
    .configureOutput({ writeErr() {} });
  for (const { name } of FLAGS) {
    parser.addOption(new Option(`--${name} <value>`));
  }
  return parser;
}

/** Normalizes the forms that Go's flag library accepts to `--name=value`. */
function normalize(args: readonly string[], errors: string[]): string[] {
  const normal: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    // As in kube-proxy, `--proxy_mode` is `--proxy-mode`.
    const arg = (args[index] ?? '').replace(/^--[^=]*/, (name) => name.replaceAll('_', '-'));
    if (arg === '--') {
      return [...normal, ...args.slice(index)];
    }
    const flag = FLAGS.find(
      (candidate: Flag) => arg === `--${candidate.name}` || (candidate.short && arg.startsWith(`-${candidate.short}`)),
    );
    if (arg === '--version=raw') {
      // kube-proxy's form for all parts of the version.
      normal.push('--version=true');
    } else if (!flag) {
      normal.push(arg);
    } else if (!arg.startsWith('--') && arg.length > 2) {
      // `-v4` and `-v=4` are the same.
      normal.push(`--${flag.name}=${arg.slice(arg[2] === '=' ? 3 : 2)}`);
    } else if (flag.type === 'bool') {
      normal.push(`--${flag.name}=true`);
    } else if (index + 1 < args.length) {
      // The next argument is the value, even where it looks like a flag.
      index += 1;
      normal.push(`--${flag.name}=${args[index]}`);
    } else {
      errors.push(`flag ${arg} needs a value`);
    }
  }
  return normal;
}

function describeUnknown(argument: string, command: CommandDefinition | undefined): string {
  const name = argument.replace(/^-+/, '').replace(/=.*$/s, '');
  const nearest = nearestFlag(name);
  const shown = printable(argument.replace(/=.*$/s, ''), 80);
  const help = command ? `${PROGRAM} ${command.name} --help` : `${PROGRAM} --help`;
  const hint = nearest === undefined ? `see ${help}` : `did you mean --${nearest}?`;
  return `unknown flag ${shown}; ${hint}`;
}

function describeStray(operand: string, manifestsGiven: boolean): string {
  const command = nearestCommand(operand, COMMAND_NAMES);
  if (command !== undefined && command !== operand) {
    return `did you mean the command ${command}?`;
  }
  const flag = nearestFlag(operand);
  if (flag !== undefined) {
    return `did you mean --${flag}?`;
  }
  if (parseGoBool(operand) !== undefined) {
    return `true or false goes to its flag with "=", as in --masquerade-all=${operand}`;
  }
  return manifestsGiven ? 'to name several manifests, repeat --manifests' : `see ${PROGRAM} --help`;
}
