import { Help } from 'commander';
import { FLAGS, type Flag, type FlagGroup } from './flag.js';

/** Columns of the narrowest terminal that is common. */
const WIDTH = 80;

const USAGE = `Usage: kube-proxier --kubeconfig <path> | --manifests <path> [flags]
       kube-proxier cleanup [flags]
       kube-proxier doctor [flags]
       kube-proxier explain <source> <destination>:<port>[/<protocol>] [flags]`;

const DESCRIPTION =
  'Takes care of Kubernetes Services on this node: what is sent to a Service reaches one of its endpoints. What it has ' +
  'programmed stays in place when it ends, but for the connections that mode userspace carries; the command cleanup ' +
  'removes it.';

const COMMANDS = [
  [
    'cleanup',
    'Remove what kube-proxier has installed, in every mode or in that of --proxy-mode, print what that was, and end. ' +
      "kube-proxy's rules stay unless --kube-proxy is given. Refused while a proxy runs here, unless --force is given.",
  ],
  [
    'doctor',
    'Look whether this host can run every mode, or that of --proxy-mode, and what is in the way; change nothing. Ends ' +
      'with 1 when there is a problem.',
  ],
  [
    'explain',
    'Say what becomes of a packet, and why. Asks the agent that runs at --metrics-bind-address, or works it out from ' +
      '--manifests, which needs no privileges.',
  ],
] as const;

const FLAG_FORMS =
  'Flags take their value as --flag=value or --flag value. One that is shown without a value is switched on by its name ' +
  'alone, and off by --flag=false.';

/** What everybody needs comes first. */
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
  // Flags that make the program do one thing and end, or that do nothing, have no default worth saying.
  if (['Without effect', 'Clean-up'].includes(flag.group) || ['help', 'version', 'init-only'].includes(flag.name)) {
    return [flag.help];
  }
  const says = `Default: ${flag.defaultText}.`;
  return flag.name === 'proxy-mode'
    ? [flag.help, ...modes.map(({ mode, description }) => `${mode}: ${description}.`), says]
    : [`${flag.help} ${says}`];
}
