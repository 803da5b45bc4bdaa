/**
 * Fails when the rules of docs/behaviour, their citations (`spec K-90`) and their tests do not fit together.
 * `npm run behaviour`, or `node scripts/check-behaviour.mjs [directory of the repository]`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parse } from 'yaml';
import { readTables, TABLES } from './behaviour-tables.mjs';

/**
 * @typedef {object} Rule
 * @property {string} file that defines it
 * @property {boolean} isEmpty whether it has no text
 * @property {string} origin empty when it has none
 * @property {readonly string[]} tests spec files and conformance cases
 */

const RULES = 'docs/behaviour';
const CASES = 'packages/conformance/cases';
const TEST_DATA = 'packages/core/test-data';

/** K-90, F-NP-3b, CIP-C/nodet-S0 */
const ID = '[A-Z]+(?:-[A-Z]+)*(?:/[a-z]+)?-S?[0-9]+[a-z]?';
/** Other documents that are cited by a number. */
const FOREIGN = /^(?:KEP|RFC|CVE|CWE)-/;
const SEPARATOR = '(?:…|[,;](?: |\\s+(?:(?:\\*|//|#) )?)?| and | or )';
/** `spec K-1`, `spec K-1, K-2`, `spec K-1…K-4`, `spec: [K-1, T-12]`; a line of a comment may end after any word. */
const CITATION = new RegExp(`\\b[Ss]pec(?:: ?| |\\s+(?:(?:\\*|//|#) )?)[\\[\`]*(${ID}(?:${SEPARATOR}${ID})*)`, 'g');
const SECTION = /\b[Ss]pec(?:ification)?(?:[ ]|\s+\*[ ])(?:§|\d+\.\d)/;
/** `(B-15)`: from one rule to another. */
const REFERENCE = new RegExp(`\\((${ID}(?:, ${ID})*)\\)`, 'g');
const RANGE = new RegExp(`(${ID})…(${ID})`, 'g');

const TEXT = /\.(?:[cm]?[jt]s|md|ya?ml|json|sh)$|^[^.]+$/;
const SKIPPED = new Set(['node_modules', 'dist', '.git', 'coverage', 'package-lock.json']);

/**
 * @param {string} root directory of the repository
 * @returns {{rules: number, citations: number, violations: string[]}}
 */
export function checkBehaviour(root) {
  /** @type {string[]} */
  const violations = [];
  const rules = readRules(root, violations);
  const { cited, sections } = readCitations(root, rules);
  violations.push(...sections.map((file) => `${file}: cites a section; cite the id of a rule in ${RULES}`));
  for (const [id, file] of cited) {
    if (!rules.has(id)) {
      violations.push(`${file}: cites ${id}, which no file of ${RULES} defines`);
    }
  }
  for (const page of pagesOf(root)) {
    for (const [, list = ''] of readFileSync(join(root, RULES, page), 'utf8').matchAll(REFERENCE)) {
      for (const [id] of list.matchAll(new RegExp(ID, 'g'))) {
        if (!FOREIGN.test(id) && !rules.has(id)) {
          violations.push(`${RULES}/${page}: refers to ${id}, which no file of ${RULES} defines`);
        }
      }
    }
  }
  const cases = readCases(root);
  for (const [id, { file, origin, tests, isEmpty }] of rules) {
    if (isEmpty) {
      violations.push(`${file}: ${id} says nothing`);
    }
    if (origin === '') {
      violations.push(`${file}: ${id} has no origin; write "Origin: <KEP, API field or source file>."`);
    }
    if (tests.length === 0) {
      violations.push(`${file}: ${id} names no test; write "Tests: \`<spec file or conformance case>\`."`);
    }
    for (const test of tests) {
      const isThere = /\//.test(test) && !cases.has(test) ? isTest(root, test) : cases.has(test);
      if (!isThere) {
        violations.push(`${file}: ${id} names the test ${test}, which is no spec file and no conformance case`);
      }
    }
    if (!cited.has(id)) {
      violations.push(`${file}: nothing cites ${id}; cite it where it is implemented, or remove the rule`);
    }
  }
  const index = join(root, RULES, 'README.md');
  const text = existsSync(index) ? readFileSync(index, 'utf8') : '';
  for (const file of pagesOf(root)) {
    if (file !== 'README.md' && !text.includes(`](${file})`)) {
      violations.push(`${RULES}/README.md: does not link to ${file}`);
    }
  }
  if (existsSync(join(root, TABLES)) && readFileSync(join(root, TABLES), 'utf8') !== readTables(root)) {
    violations.push(`${TABLES}: differs from the test data; run "node scripts/behaviour-tables.mjs"`);
  }
  return { rules: rules.size, citations: cited.size, violations };
}

/** @param {string} root */
function pagesOf(root) {
  const directory = join(root, RULES);
  return existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith('.md')) : [];
}

/** @type {{origin: string, tests: readonly string[]}} */
const NO_ORIGIN = { origin: '', tests: [] };

/**
 * Rules by id: list items `- **K-1** text. Origin: …. Tests: …`, and table rows below a paragraph `Origin: …. Tests: …`.
 *
 * @param {string} root
 * @param {string[]} violations that are added to
 * @returns {ReadonlyMap<string, Rule>}
 */
function readRules(root, violations) {
  /** @type {Map<string, Rule>} */
  const rules = new Map();
  for (const page of pagesOf(root)) {
    const file = `${RULES}/${page}`;
    let shared = NO_ORIGIN;
    for (const block of blocksOf(readFileSync(join(root, file), 'utf8'))) {
      if (block.startsWith('#')) {
        shared = NO_ORIGIN;
      } else if (block.startsWith('Origin:')) {
        shared = originAndTests(block);
      }
      const [, item, row] = new RegExp(`^(?:- \\*\\*(${ID})\\*\\* |\\| \\*\\*(${ID})\\*\\* +\\|)`).exec(block) ?? [];
      const id = item ?? row;
      if (id === undefined) {
        if (/^(?:- |\| )\*\*[^*]*\d\*\*/.test(block)) {
          violations.push(`${file}: not the form of a rule: ${block.slice(0, 60)}`);
        }
        continue;
      }
      const known = rules.get(id);
      if (known) {
        violations.push(`${file}: ${id} is defined in ${known.file} as well`);
      } else {
        rules.set(id, {
          file,
          isEmpty: /^(?:- \*\*[^*]+\*\* (?:Origin:|Tests:|$)|\| [^|]+\|[ |]*$)/.test(block),
          ...(item === undefined ? shared : originAndTests(block)),
        });
      }
    }
  }
  return rules;
}

/**
 * Headings, paragraphs, list items and table rows, each on one line.
 *
 * @param {string} text
 */
function blocksOf(text) {
  /** @type {string[]} */
  const blocks = [];
  let open = false;
  for (const line of text.split('\n')) {
    if (line.trim() === '') {
      open = false;
    } else if (open && !/^(?:#|- |\|)/.test(line)) {
      blocks[blocks.length - 1] += ` ${line.trim()}`;
    } else {
      blocks.push(line);
      open = true;
    }
  }
  return blocks;
}

/** @param {string} block */
function originAndTests(block) {
  const [, origin = '', tests = ''] = /Origin: (.*?)\.(?: Tests: (.*))?$/.exec(block) ?? [];
  const [, only = ''] = origin === '' ? (/Tests: (.*)$/.exec(block) ?? []) : [];
  return { origin, tests: [...`${tests}${only}`.matchAll(/`([^`]+)`/g)].map(([, test = '']) => test) };
}

/**
 * @param {string} root
 * @param {string} path
 */
function isTest(root, path) {
  return path.endsWith('.spec.ts') && existsSync(join(root, path));
}

/**
 * Ids of conformance cases, and of the rows that become some.
 *
 * @param {string} root
 */
function readCases(root) {
  return new Set([...casesOf(root).map(({ id }) => id), ...rowsOf(root)]);
}

/** @param {string} root */
function casesOf(root) {
  return filesIn(root, CASES, '.yaml').flatMap((text) => {
    /** @type {{cases?: readonly {id: string, spec?: readonly string[]}[]} | null} */
    const content = parse(text, { merge: true });
    return content?.cases ?? [];
  });
}

/** @param {string} root */
function rowsOf(root) {
  return filesIn(root, TEST_DATA, '.json').flatMap((text) => {
    /** @type {{rows: readonly {id: string}[]}} */
    const { rows } = JSON.parse(text);
    return rows.map(({ id }) => id);
  });
}

/**
 * @param {string} root
 * @param {string} directory
 * @param {string} extension
 */
function filesIn(root, directory, extension) {
  const path = join(root, directory);
  return existsSync(path)
    ? readdirSync(path)
        .filter((name) => name.endsWith(extension))
        .map((name) => readFileSync(join(path, name), 'utf8'))
    : [];
}

/**
 * Each id that is cited, with one of the files that cite it. A range cites the rules between its ends.
 *
 * @param {string} root
 * @param {ReadonlyMap<string, Rule>} rules
 */
function readCitations(root, rules) {
  /** @type {Map<string, string>} */
  const cited = new Map();
  /** @type {string[]} */
  const sections = [];
  for (const path of filesBelow(root, root)) {
    const text = readFileSync(join(root, path), 'utf8');
    if (SECTION.test(text)) {
      sections.push(path);
    }
    for (const [, list = ''] of text.matchAll(CITATION)) {
      for (const [id] of list.matchAll(new RegExp(ID, 'g'))) {
        if (!FOREIGN.test(id) && !cited.has(id)) {
          cited.set(id, path);
        }
      }
      for (const [, first = '', last = ''] of list.matchAll(RANGE)) {
        for (const id of between(first, last, rules)) {
          if (!cited.has(id)) {
            cited.set(id, path);
          }
        }
      }
    }
  }
  for (const { directory, ids } of [
    { directory: TEST_DATA, ids: rowsOf(root) },
    { directory: CASES, ids: casesOf(root).flatMap(({ spec = [] }) => spec) },
  ]) {
    for (const id of ids.filter((one) => !cited.has(one))) {
      cited.set(id, directory);
    }
  }
  return { cited, sections };
}

/**
 * @param {string} first
 * @param {string} last
 * @param {ReadonlyMap<string, Rule>} rules
 */
function between(first, last, rules) {
  const [, prefix = '', from] = /^(.*-S?)(\d+)/.exec(first) ?? [];
  const to = Number(/(\d+)[a-z]?$/.exec(last)?.[1]);
  return [...rules.keys()].filter((id) => {
    const number = id.startsWith(prefix) ? Number(/^\d+/.exec(id.slice(prefix.length))?.[0]) : Number.NaN;
    return number >= Number(from) && number <= to;
  });
}

/**
 * @param {string} root
 * @param {string} directory
 * @returns {Generator<string>} paths below the root
 */
function* filesBelow(root, directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    const name = relative(root, path).split(sep).join('/');
    if (SKIPPED.has(entry.name) || name === RULES) {
      continue;
    }
    if (entry.isDirectory()) {
      yield* filesBelow(root, path);
    } else if (entry.isFile() && TEXT.test(entry.name)) {
      yield name;
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = resolve(process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url)));
  const { rules, citations, violations } = checkBehaviour(root);
  for (const violation of violations) {
    console.error(violation);
  }
  if (rules === 0) {
    console.error(`no rules found below ${join(root, RULES)}`);
  }
  console.log(`${rules} rules, ${citations} ids cited, ${violations.length} violations`);
  process.exitCode = violations.length > 0 || rules === 0 ? 1 : 0;
}
