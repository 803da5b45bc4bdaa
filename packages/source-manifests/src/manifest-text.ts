import { nestingOfText } from '@kube-proxier/core';
import { Lexer } from 'yaml';

/** Maximum nesting of YAML as estimated by `nestingOfText`, which is a few times the actual depth. */
const MAX_NESTING = 200;
/** Maximum exact nesting of brackets. With these limits, the parser needs half of its stack. */
const MAX_BRACKETS = 100;

/** One YAML document of a file, or several that cannot be distinguished cheaply. */
export interface YamlText {
  readonly text: string;
  /** Number of its first line. */
  readonly line: number;
  /** The text includes a marker, `---` or another, that belongs to it. */
  readonly marked: boolean;
}

const MARKER = /^---(?=[ \t\r\n]|$)/gm;
const BARE_MARKER = /^---[ \t]*\r?(?:\n|$)/;
const NEWLINE = 10;

/** Splits a file at the lines that separate documents: they do so in any context. */
export function* splitDocuments(text: string): Generator<YamlText> {
  if (/^%/m.test(text)) {
    // Directives precede the marker of their document.
    yield { text, line: 1, marked: true };
    return;
  }
  let begin = 0;
  let line = 1;
  const piece = (end: number): YamlText => {
    const whole = text.slice(begin, end);
    const marker = BARE_MARKER.exec(whole)?.[0];
    const document =
      marker === undefined
        ? { text: whole, line, marked: whole.startsWith('---') }
        : { text: whole.slice(marker.length), line: line + (marker.endsWith('\n') ? 1 : 0), marked: false };
    line += countLines(whole);
    begin = end;
    return document;
  };
  for (const { index } of text.matchAll(MARKER)) {
    if (index > begin) {
      yield piece(index);
    }
  }
  yield piece(text.length);
}

/** The document without leading empty lines and comments. */
export function withoutLeadingComments({ text, line, marked }: YamlText): YamlText {
  const lead = /[ \t\r]*(?:#.*)?\n/y;
  let at = 0;
  let skipped = 0;
  while (lead.test(text)) {
    at = lead.lastIndex;
    skipped += 1;
  }
  return { text: text.slice(at), line: line + skipped, marked };
}

/**
 * Nesting depth of objects and lists in JSON, and the number of values, without parsing. Stops at the first position
 * that is deeper than `limit`. For text that is not JSON the result is approximate.
 */
export function measureJson(text: string, limit: number): { readonly depth: number; readonly values: number } {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  for (let at = 0; at < text.length && depth <= limit; at += 1) {
    switch (text[at]) {
      case '"':
        at += 1;
        while (at < text.length && text[at] !== '"') {
          at += text[at] === '\\' ? 2 : 1;
        }
        break;
      case '[':
      case '{':
        depth += 1;
        values += 1;
        deepest = Math.max(deepest, depth);
        break;
      case ']':
      case '}':
        depth -= 1;
        break;
      case ',':
        values += 1;
        break;
    }
  }
  return { depth: deepest, values };
}

/** Whether YAML is nested so deeply that parsing could overflow the stack, which may end the process. */
export function isTooDeep(text: string): boolean {
  if (nestingOfText(text, MAX_NESTING) > MAX_NESTING) {
    return true;
  }
  const opening = text.match(/[[{]/g)?.length ?? 0;
  return opening > MAX_BRACKETS && bracketDepth(text) > MAX_BRACKETS;
}

/** How deep brackets are nested, as the parser sees them: excluding quotes and comments. Not recursive. */
function bracketDepth(text: string): number {
  const missing: string[] = [];
  let deepest = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') {
      missing.push(token === '[' ? ']' : '}');
      deepest = Math.max(deepest, missing.length);
      if (deepest > MAX_BRACKETS) {
        break;
      }
    } else if (token === missing.at(-1)) {
      missing.pop();
    }
  }
  return deepest;
}

function countLines(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    count += text.charCodeAt(at) === NEWLINE ? 1 : 0;
  }
  return count;
}
