interface Line {
  /** Where its first letter is. */
  readonly column: number;
  /** Whether it begins with an item of a list. */
  readonly isItem: boolean;
}

/**
 * Estimates the maximum nesting depth of lists and mappings in YAML or JSON text. An upper bound, as it does not
 * recognise quotes, blocks and comments. It may be too low where quoted text has closing brackets, and for invalid
 * text, which parsers may nest in any way before they report errors. Linear time, no recursion.
 *
 * Call it before a YAML parser: parsers recurse, and a stack overflow may end the process.
 *
 * @param limit depth at which the scan stops.
 */
export function nestingOfText(text: string, limit: number): number {
  /** Possible parents of the current line, outermost first. */
  const around: (Line & { readonly weight: number })[] = [];
  let weights = 0;
  /** The open brackets. */
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
          // A bracket of the other kind closes nothing.
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

/** Whether a line may be nested in an earlier one. The items of a list may begin where the key of the list does. */
function isInside(line: Line, earlier: Line): boolean {
  return line.column > earlier.column || (line.column === earlier.column && line.isItem && !earlier.isItem);
}

function isSpace(letter: string | undefined): boolean {
  return letter === undefined || letter === ' ' || letter === '\t' || letter === '\n' || letter === '\r';
}
