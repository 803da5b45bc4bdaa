/**
 * Splits a line into words as iptables-restore does: at blanks, with double quotes and backslashes.
 *
 * @returns undefined when a quote is left open.
 */
export function splitWords(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (quoted && character === '\\' && i + 1 < text.length) {
      i++;
      word = (word ?? '') + text.charAt(i);
    } else if (character === '"') {
      quoted = !quoted;
      word ??= '';
    } else if (!quoted && (character === ' ' || character === '\t')) {
      if (word !== undefined) {
        words.push(word);
        word = undefined;
      }
    } else {
      word = (word ?? '') + character;
    }
  }
  if (word !== undefined) {
    words.push(word);
  }
  return quoted ? undefined : words;
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
