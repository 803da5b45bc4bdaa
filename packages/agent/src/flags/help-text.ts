import { Help } from 'commander';
import { FLAGS } from './flag.js';
import type { Flag, FlagGroup } from './flag-definition.js';

/** Columns of a common terminal. */
const WIDTH = 80;

const USAGE = `Usage: kube-proxier --kubeconfig <path> | --manifests <path> [flags]
       kube-proxier cleanup [flags]
       kube-proxier doctor [flags]
       kube-proxier explain <source> <destination>:<port>[/<protocol>] [flags]`;

const DESCRIPTION =
  'The Kubernetes service proxy of this node: forwards traffic of Services to their endpoints. Installed rules stay ' +
  'when it exits (in mode userspace, connections are closed); the command cleanup removes them.';

const COMMANDS = [
  [
    'cleanup',
    'Remove what kube-proxier has installed, in all modes or in the mode of --proxy-mode, print what was removed, and ' +
      'exit. Rules of kube-proxy are kept unless --kube-proxy is set. Refused while a proxy runs on this node, unless ' +
      '--force is set.',
  ],
  [
    'doctor',
    'Check whether this host can run all modes, or the mode of --proxy-mode, and report problems, without changing ' +
      'anything. Exits with 1 if there is a problem.',
  ],
  [
    'explain',
    'Explain how a packet is handled. Queries the running agent at --metrics-bind-address, or simulates it from ' +
      '--manifests, which needs no privileges.',
  ],
] as const;

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
  const commands = ['Commands:', ...COMMANDS.map(([name, text]) => item(name, [text]))];
  const sections = [[USAGE], [wrapped(DESCRIPTION, 0)], commands, [wrapped(FLAG_FORMS, 0)], ...groups];
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
