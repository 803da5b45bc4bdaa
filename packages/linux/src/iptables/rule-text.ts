/**
 * Splits a line into words as iptables-restore does: at blanks, with double quotes and backslashes.
 *
 * @returns undefined when a quote is left open.
 */
export function splitWords(text: string): string[] | undefined {
  const words: string[] = [];
  let at = 0;
  while (at < text.length) {
    if (isBlank(text.charCodeAt(at))) {
      at++;
      continue;
    }
    // A word consists of plain and quoted parts. Most words have one plain part.
    let word = '';
    while (at < text.length && !isBlank(text.charCodeAt(at))) {
      if (text.charCodeAt(at) !== QUOTE) {
        const end = endOfPlain(text, at);
        word = word === '' ? text.slice(at, end) : word + text.slice(at, end);
        at = end;
        continue;
      }
      const end = endOfQuote(text, at + 1);
      if (end < 0) {
        return undefined;
      }
      const quoted = text.slice(at + 1, end);
      word += quoted.includes('\\') ? quoted.replace(/\\(.)/gs, '$1') : quoted;
      at = end + 1;
    }
    words.push(word);
  }
  return words;
}

const [BLANK, TAB, QUOTE] = [32, 9, 34];

function isBlank(code: number): boolean {
  return code === BLANK || code === TAB;
}

/** The position of the blank or quote that ends a plain part, or of the end. */
function endOfPlain(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE || isBlank(code)) {
      break;
    }
    at++;
  }
  return at;
}

/** The position of the quote that ends a quoted text; -1 where there is none. */
function endOfQuote(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '"') {
      return at;
    }
    if (character === '\\') {
      at++;
    }
  }
  return -1;
}

const COMMENT = /(^| )-m comment --comment (?:"(?:[^"\\]|\\.)*"|[^ "]+)/;
const QUOTED_COMMENT = ' -m comment --comment "';

/** The text of any rule, supported or not, without its comment. */
export function withoutComment(ruleText: string): string {
  const start = ruleText.indexOf(QUOTED_COMMENT);
  // The common case needs no regular expression.
  if (start > 0 && !ruleText.includes('\\') && ruleText.indexOf('--comment') > start) {
    const end = ruleText.indexOf('"', start + QUOTED_COMMENT.length);
    if (end > 0) {
      return ruleText.slice(0, start) + ruleText.slice(end + 1);
    }
  }
  return ruleText.includes('--comment') ? ruleText.replace(COMMENT, '').trimStart() : ruleText;
}

/** The chain that the text of any rule, supported or not, jumps or goes to; undefined when it does neither. */
export function targetOf(ruleText: string): string | undefined {
  const words = splitWords(ruleText) ?? [];
  for (let i = 0; i + 1 < words.length; i++) {
    if (words[i] === '-j' || words[i] === '-g' || words[i] === '--jump' || words[i] === '--goto') {
      return words[i + 1];
    }
  }
  return undefined;
}
