import { FLAGS } from '../flags/flag.js';
import type { Flag } from '../flags/flag-definition.js';
import { COMMANDS, type CommandDefinition } from './command-definition.js';

const PROGRAM = 'kube-proxier';
const ALL_FLAGS: readonly Flag[] = FLAGS;
const ALL_COMMANDS: readonly CommandDefinition[] = COMMANDS;

/**
 * A script that completes commands, flags and, for flags that take a path, files.
 *
 * @returns undefined for a shell other than `bash`, `zsh` and `fish`.
 */
export function completionScript(shell: string): string | undefined {
  switch (shell) {
    case 'bash':
      return bashScript();
    case 'zsh':
      return zshScript();
    case 'fish':
      return fishScript();
    default:
      return undefined;
  }
}

/** Flags of a command; undefined: of the agent. */
function flagsOf(command: CommandDefinition | undefined): readonly Flag[] {
  return command === undefined
    ? ALL_FLAGS.filter(({ unused }) => unused === undefined)
    : command.flags.flatMap((name) => ALL_FLAGS.find((flag) => flag.name === name) ?? []);
}

function takesPath({ value }: Flag): boolean {
  return value === 'path' || value === 'file';
}

function option({ name, type }: Flag): string {
  return name.length === 1 ? `-${name}` : `--${name}${type === 'bool' ? '' : '='}`;
}

function bashScript(): string {
  const words = (command?: CommandDefinition) => flagsOf(command).map(option).join(' ');
  const cases = ALL_COMMANDS.map((command) => `    ${command.name}) words="${words(command)} --help" ;;`).join('\n');
  const paths = ALL_FLAGS.filter(takesPath)
    .map(({ name }) => `--${name}`)
    .join('|');
  return `# bash completion for ${PROGRAM}
_kube_proxier() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words
  if [[ $previous == = ]]; then previous="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  if [[ $current == = ]]; then previous="\${COMP_WORDS[COMP_CWORD-1]}" current=; fi
  case "$previous" in
    ${paths}) mapfile -t COMPREPLY < <(compgen -f -- "$current"); return ;;
  esac
  case "\${COMP_WORDS[1]}" in
${cases}
    *) words="${words()} --help"; [[ $COMP_CWORD -eq 1 ]] && words="${ALL_COMMANDS.map(({ name }) => name).join(' ')} $words" ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  [[ \${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -F _kube_proxier ${PROGRAM}
`;
}

function zshScript(): string {
  const quoted = (text: string) => text.replaceAll("'", "'\\''").replaceAll(/[[\]:]/g, '\\$&');
  const spec = (flag: Flag) => {
    const value = flag.type === 'bool' ? '' : `:${quoted(flag.value ?? 'value')}:${takesPath(flag) ? '_files' : ''}`;
    return `'*${option(flag)}[${quoted(firstSentence(flag.help))}]${value}'`;
  };
  const list = (flags: readonly Flag[]) => flags.map((flag) => `      ${spec(flag)}`).join(' \\\n');
  const cases = ALL_COMMANDS.map((command) =>
    command.flags.length === 0
      ? `    ${command.name}) ;;`
      : `    ${command.name}) _arguments \\\n${list(flagsOf(command))} ;;`,
  ).join('\n');
  return `#compdef ${PROGRAM}
_kube_proxier() {
  local -a commands
  commands=(
${ALL_COMMANDS.map(({ name, summary }) => `    '${name}:${quoted(summary)}'`).join('\n')}
  )
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _describe command commands
    return
  fi
  case "$words[2]" in
${cases}
    *) _arguments \\
${list(flagsOf(undefined))} ;;
  esac
}
compdef _kube_proxier ${PROGRAM}
`;
}

function fishScript(): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const names = ALL_COMMANDS.map(({ name }) => name).join(' ');
  const line = (flag: Flag, condition: string) => {
    const spelling = flag.name.length === 1 ? `-s ${flag.name}` : `-l ${flag.name}`;
    const value = flag.type === 'bool' ? '' : takesPath(flag) ? ' -r -F' : ' -x';
    return `complete -c ${PROGRAM} -n ${quoted(condition)} ${spelling}${value} -d ${quoted(firstSentence(flag.help))}`;
  };
  return `${[
    `# fish completion for ${PROGRAM}`,
    `complete -c ${PROGRAM} -f`,
    ...ALL_COMMANDS.map(
      ({ name, summary }) => `complete -c ${PROGRAM} -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
    ),
    ...ALL_COMMANDS.flatMap((command) =>
      flagsOf(command).map((flag) => line(flag, `__fish_seen_subcommand_from ${command.name}`)),
    ),
    ...flagsOf(undefined).map((flag) => line(flag, `not __fish_seen_subcommand_from ${names}`)),
  ].join('\n')}\n`;
}

/** Without the full stop: shells show one line. */
function firstSentence(text: string): string {
  return /^(.*?[^.])(?:\. |\.$)/s.exec(text)?.[1] ?? text;
}
