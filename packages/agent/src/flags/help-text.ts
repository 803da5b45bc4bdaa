import { Help } from 'commander';
import { COMMANDS, type CommandDefinition } from '../commands/command-definition.js';
import { FLAGS } from './flag.js';
import type { Flag, FlagGroup } from './flag-definition.js';

/** Columns of a common terminal. */
const WIDTH = 80;

const USAGE = `Usage: kube-proxier --kubeconfig <path> | --manifests <path> [flags]
       kube-proxier <command> [flags]`;

const DESCRIPTION =
  'The Kubernetes service proxy of this node: forwards traffic of Services to their endpoints. Installed rules stay ' +
  'when it exits (in mode userspace, connections are closed); the command cleanup removes them.';

const COMMAND_HINT = 'Use "kube-proxier <command> --help" for more about a command.';

const FLAG_FORMS =
  'Flags take their value as --flag=value or --flag value. A flag without a value is enabled by its name, and disabled ' +
  'by --flag=false.';

/** The most used groups come first. */
const GROUPS: readonly FlagGroup[] = [
  'Objects',
  'Mode',
  'Node',
  'Services',
  'Status',
  'Logging',
  'Timing',
  'Mode nftables',
  'Mode ipvs',
  'Mode userspace',
  'Conntrack',
  'Commands',
  'Clean-up',
  'Other',
  'Without effect',
];

/** A mode that `--proxy-mode` can be. */
interface ModeDescription {
  readonly mode: string;
  /** One line, without a full stop. */
  readonly description: string;
}

/** The text of `--help`, for a terminal of 80 columns. */
export function helpText(modes: readonly ModeDescription[]): string {
  const groups = GROUPS.map((group) => [
    `${group}:`,
    ...FLAGS.filter((flag) => flag.group === group).map((flag) => item(termOf(flag), explanation(flag, modes))),
  ]);
  const longest = Math.max(...COMMANDS.map(({ name }) => name.length));
  const commands = [
    'Commands:',
    ...COMMANDS.map(({ name, summary }) => `  ${name.padEnd(longest)}  ${summary}`),
    '',
    COMMAND_HINT,
  ];
  return joined([[USAGE], [wrapped(DESCRIPTION, 0)], commands, [wrapped(FLAG_FORMS, 0)], ...groups]);
}

/** The text of `<command> --help`, for a terminal of 80 columns. */
export function commandHelpText(
  { name, syntax, description, examples, flags, exitStatus }: CommandDefinition,
  modes: readonly ModeDescription[],
): string {
  const usage = ['kube-proxier', name, syntax, flags.length > 0 ? '[flags]' : '']
    .filter((word) => word !== '')
    .join(' ');
  const used: readonly Flag[] = flags.flatMap((flag) => FLAGS.find((one) => one.name === flag) ?? []);
  return joined([
    [wrapped(`Usage: ${usage}`, 0)],
    [wrapped(description, 0)],
    ...(examples.length === 0
      ? []
      : [
          ['Examples:', ...examples.flatMap(({ purpose, command }) => [`  # ${purpose}`, `  kube-proxier ${command}`])],
        ]),
    ...(used.length === 0 ? [] : [['Flags:', ...used.map((flag) => item(termOf(flag), explanation(flag, modes)))]]),
    [wrapped(`Exit status: ${exitStatus}.`, 0)],
    ...(used.length === 0 ? [] : [[wrapped('Use "kube-proxier --help" for all flags of the agent.', 0)]]),
  ]);
}

function joined(sections: readonly (readonly string[])[]): string {
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function item(term: string, paragraphs: readonly string[]): string {
  return [`  ${term}`, ...paragraphs.map((paragraph) => wrapped(paragraph, 6))].join('\n');
}

function wrapped(text: string, indent: number): string {
  return new Help().boxWrap(text, WIDTH - indent).replace(/^/gm, ' '.repeat(indent));
}

function termOf({ name, short, value }: Flag): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` <${value}>`}`;
}

function explanation(flag: Flag, modes: readonly ModeDescription[]): readonly string[] {
  // Flags of one-shot commands and flags without effect have no useful default.
  if (['Without effect', 'Clean-up'].includes(flag.group) || ['help', 'version', 'init-only'].includes(flag.name)) {
    return [flag.help];
  }
  const defaultText = `Default: ${flag.defaultText}.`;
  return flag.name === 'proxy-mode'
    ? [flag.help, ...modes.map(({ mode, description }) => `${mode}: ${description}.`), defaultText]
    : [`${flag.help} ${defaultText}`];
}
