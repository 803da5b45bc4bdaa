import { readFileSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { parse } from 'yaml';
import { REPORT_FORMATS, type ReportFormat } from '../report/format-report.js';

/** Parsed command line. */
export interface CommandLine {
  readonly backend?: string;
  readonly mode?: string;
  readonly cases: readonly string[];
  readonly report: ReportFormat;
  readonly output?: string;
  readonly keep?: boolean;
  readonly list?: boolean;
  readonly show?: string;
  readonly jobs?: number;
  readonly patience?: number;
  readonly option: Readonly<Record<string, unknown>>;
}

const { version: VERSION } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

const HELP = `
Examples:
  npx @kube-proxier/conformance --backend @kube-proxier/nftables
  npx @kube-proxier/conformance --backend ./dist/index.js --cases 'EXT-L-*'
  npx @kube-proxier/conformance --backend ./dist/index.js --cases EXT-L-S2 --keep
  npx @kube-proxier/conformance --backend @kube-proxier/iptables \\
      --option variant=legacy

Needs root, or before the command: unshare --user --map-root-user --net --mount

Exit status: 0 when all cases passed (skipped ones do not count), 1 when one
failed, 2 when the suite could not be run, or was ended.`;

/**
 * Reads the arguments (without node and script).
 *
 * @returns the text to print instead, for help and errors.
 */
export function parseCommandLine(
  args: readonly string[],
): { readonly line: CommandLine } | { readonly text: string; readonly isHelp: boolean } {
  let text = '';
  const collect = (value: string, before: readonly string[]) => [...before, ...value.split(',').filter(Boolean)];
  const program = new Command('kube-proxier-conformance')
    .description('Tests a kube-proxier backend with real packets.')
    .option('--backend <package|path>', 'the backend: an installed package, or the path of its module')
    .option('--mode <mode>', 'its mode, if the module has several')
    .addOption(
      new Option('--cases <pattern>', 'ids of cases, with * and ?; "quick" for a subset; may be repeated')
        .argParser(collect)
        .default([], 'all'),
    )
    .addOption(new Option('--report <format>', 'format of the report').choices(REPORT_FORMATS).default('text'))
    .option('--output <file>', 'file to write the report to; default standard output')
    .addOption(
      new Option('--option <key=value>', "an option for the module's create...Backend; may be repeated")
        .argParser(readOption)
        .default({}, 'none'),
    )
    .option(
      '--jobs <number>',
      'number of concurrent sandboxes; default number of CPUs plus one, at most four',
      readJobs,
    )
    .option('--patience <factor>', 'factor on all timeouts, for a slow machine; default 1', readPatience)
    .option('--keep', 'keep the namespaces of the first failed case (or the last one) until Ctrl-C')
    .option('--list', 'list the cases and exit')
    .option('--show <case>', 'print cases in full, with their steps, and exit')
    .version(VERSION, '--version', 'print the version and exit')
    .helpOption('-h, --help', 'print this help and exit')
    .addHelpText('after', HELP)
    .allowExcessArguments(false)
    .exitOverride()
    .configureHelp({ helpWidth: 80 })
    .configureOutput({ writeOut: (part) => (text += part), writeErr: (part) => (text += part) });
  try {
    program.parse(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      return { text, isHelp: error.exitCode === 0 };
    }
    throw error;
  }
  const line = program.opts<CommandLine>();
  return line.backend === undefined && !line.list && line.show === undefined
    ? { text: 'error: --backend is required: set the package, or the path, of the backend to test\n', isHelp: false }
    : { line };
}

function readOption(text: string, before: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const at = text.indexOf('=');
  if (at < 1) {
    throw new InvalidArgumentError('The format is key=value.');
  }
  return { ...before, [text.slice(0, at)]: parse(text.slice(at + 1)) };
}

function readPatience(text: string): number {
  const factor = Number(text);
  if (!(factor >= 1 && factor <= 100)) {
    throw new InvalidArgumentError('It must be a number from 1 to 100.');
  }
  return factor;
}

function readJobs(text: string): number {
  const jobs = Number(text);
  if (!Number.isInteger(jobs) || jobs < 1 || jobs > 64) {
    throw new InvalidArgumentError('It must be an integer from 1 to 64.');
  }
  return jobs;
}
