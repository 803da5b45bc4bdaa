/**
 * Splits a line into words as iptables-restore does: at blanks, with double quotes and backslashes.
 *
 * @returns undefined when a quote is left open.
 */
export function splitWords(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const plain = text.slice(at, quote < 0 ? text.length : quote);
    for (const [index, part] of (plain.includes('\t') ? plain.replaceAll('\t', ' ') : plain).split(' ').entries()) {
      if (index > 0 && word !== undefined) {
        words.push(word);
        word = undefined;
      }
      if (part !== '') {
        word = (word ?? '') + part;
      }
    }
    if (quote < 0) {
      break;
    }
    const end = endOfQuote(text, quote + 1);
    if (end < 0) {
      return undefined;
    }
    const quoted = text.slice(quote + 1, end);
    word = (word ?? '') + (quoted.includes('\\') ? quoted.replace(/\\(.)/gs, '$1') : quoted);
    at = end + 1;
  }
  if (word !== undefined) {
    words.push(word);
  }
  return words;
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

/** The text of any rule, supported or not, without its comment. */
export function withoutComment(ruleText: string): string {
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
