interface Line {
  /** Where its first letter is. */
  readonly column: number;
  /** Whether it begins with an item of a list. */
  readonly isItem: boolean;
}

/**
 * How deep lists and mappings are nested in YAML or JSON text, at most. An upper estimate, as it does not distinguish text
 * in quotes, blocks and comments from the rest; lower only where such text has closing brackets, and in text that is not valid: what
 * parsers make of that, before they report its errors, is not known. In time proportional to the text, without recursion.
 *
 * To be asked before a YAML parser is: parsers recurse, and a stack that is used up may end the process.
 *
 * @param limit to stop at, as soon as there is more.
 */
export function nestingOfText(text: string, limit: number): number {
  /** The lines that the current one may be inside of, from the outermost one. */
  const around: (Line & { readonly weight: number })[] = [];
  let weights = 0;
  /** The closing brackets that are missing. */
  const brackets: string[] = [];
  let deepest = 0;
  let at = 0;
  while (at < text.length && deepest <= limit) {
    const begin = at;
    while (text[at] === ' ' || text[at] === '\t') {
      at += 1;
    }
    const column = at - begin;
    const isItem = text[at] === '-' && isSpace(text[at + 1]);
    if (at < text.length && text[at] !== '\n') {
      for (let last = around.at(-1); last !== undefined && !isInside({ column, isItem }, last); last = around.at(-1)) {
        weights -= last.weight;
        around.pop();
      }
    }
    let weight = 1;
    for (; at < text.length && text[at] !== '\n' && deepest <= limit; at += 1) {
      switch (text[at]) {
        case '-':
        case '?':
        case ':':
          weight += isSpace(text[at + 1]) ? 1 : 0;
          break;
        case '[':
        case '{':
          brackets.push(text[at] === '[' ? ']' : '}');
          deepest = Math.max(deepest, weights + weight + 2 * brackets.length);
          break;
        case ']':
        case '}':
          // One of the other kind closes nothing.
          if (brackets.at(-1) === text[at]) {
            brackets.pop();
          }
          break;
      }
    }
    if (at > begin + column) {
      around.push({ column, isItem, weight });
      weights += weight;
      deepest = Math.max(deepest, weights + 2 * brackets.length + 1);
    }
    at += 1;
  }
  return deepest;
}

/** Whether a line may be inside of an earlier one. The items of a list may begin where the key of the list does. */
function isInside(line: Line, earlier: Line): boolean {
  return line.column > earlier.column || (line.column === earlier.column && line.isItem && !earlier.isItem);
}

function isSpace(letter: string | undefined): boolean {
  return letter === undefined || letter === ' ' || letter === '\t' || letter === '\n' || letter === '\r';
}
