import { styleText } from 'node:util';

/** The tone of a piece of text. */
export type Tone = 'good' | 'warning' | 'bad' | 'strong' | 'faint';

/** Renders text in a tone: with colours on a terminal, unchanged elsewhere. */
export type TextStyle = (tone: Tone, text: string) => string;

const FORMATS = {
  good: 'green',
  warning: 'yellow',
  bad: 'red',
  strong: 'bold',
  faint: 'dim',
} as const satisfies Record<Tone, Parameters<typeof styleText>[0]>;

/** Without colours. */
export const plainStyle: TextStyle = (_tone, text) => text;

const colourStyle: TextStyle = (tone, text) => styleText(FORMATS[tone], text, { validateStream: false });

/**
 * The style for an output stream. Colours are used on a terminal only, and not if `NO_COLOR` is set (no-color.org) or
 * `TERM` is `dumb`.
 *
 * @param isTerminal whether the stream is a terminal.
 * @param variables environment variables.
 */
export function textStyleFor(isTerminal: boolean, variables: Readonly<Record<string, string | undefined>>): TextStyle {
  const { NO_COLOR: noColour = '', TERM: terminal } = variables;
  return isTerminal && noColour === '' && terminal !== 'dumb' ? colourStyle : plainStyle;
}
