#!/usr/bin/env node
/**
 * Renders the Helm chart where there is no helm: `node scripts/deploy/render-chart.mjs [--set a.b=VALUE]… [--namespace NAME]`.
 * Values that the schema refuses are refused, as by helm.
 *
 * Knows of Go's templates what the chart uses, and nothing else, and takes the rest for a mistake: values, `with`, `range`, `if` and
 * `else`, `define` and `include`, `$_ :=`, pipelines, parentheses, and the functions below.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Ajv } from 'ajv';
import { parse, stringify } from 'yaml';

export const CHART = fileURLToPath(new URL('../../deploy/helm/kube-proxier', import.meta.url));

/**
 * @typedef {Readonly<Record<string, unknown>>} Values
 *
 * @typedef {object} Node of a template
 * @property {'text' | 'value' | 'with' | 'range' | 'if' | 'define'} kind
 * @property {string} text of kind `text`
 * @property {string} argument of the others
 * @property {readonly Node[]} body of a block
 * @property {readonly Node[]} otherwise what `else` begins
 */

/** @param {unknown} value */
const isEmpty = (value) =>
  value === undefined ||
  value === null ||
  value === false ||
  value === 0 ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);
const indent = (/** @type {unknown} */ size, /** @type {unknown} */ text) =>
  String(text).replace(/^/gm, ' '.repeat(Number(size)));

/**
 * As sprig and helm have them; the value of a pipeline comes last.
 *
 * @type {Readonly<Record<string, (...args: unknown[]) => unknown>>}
 */
const FUNCTIONS = {
  default: (otherwise, value) => (isEmpty(value) ? otherwise : value),
  quote: (value) => JSON.stringify(String(value)),
  nindent: (size, text) => `\n${indent(size, text)}`,
  toYaml: (value) => stringify(value, { sortMapEntries: true, lineWidth: 0 }).trimEnd(),
  fromYamlArray: (/** @type {unknown} */ text) => parse(String(text)) ?? [],
  list: (...items) => items,
  uniq: (/** @type {unknown} */ items) => [...new Set(/** @type {Iterable<unknown>} */ (items))],
  dict: (...pairs) =>
    Object.fromEntries(pairs.flatMap((key, index) => (index % 2 === 0 ? [[key, pairs[index + 1]]] : []))),
  sha256sum: (/** @type {unknown} */ text) => createHash('sha256').update(String(text)).digest('hex'),
  trunc: (length, text) => String(text).slice(0, Number(length)),
  trimSuffix: (suffix, text) =>
    String(text).endsWith(String(suffix)) ? String(text).slice(0, -String(suffix).length) : text,
  hasPrefix: (prefix, text) => String(text).startsWith(String(prefix)),
  printf: (format, ...values) =>
    values.reduce((/** @type {string} */ text, value) => text.replace('%s', () => String(value)), String(format)),
  contains: (part, text) => String(text).includes(String(part)),
  eq: (one, other) => one === other,
  not: (value) => isEmpty(value),
  and: (...values) => (values.some(isEmpty) ? values.find(isEmpty) : values.at(-1)),
  or: (...values) => values.find((value) => !isEmpty(value)) ?? values.at(-1),
  toString: (/** @type {unknown} */ value) => String(value),
  regexFind: (pattern, text) => new RegExp(String(pattern)).exec(String(text))?.[0] ?? '',
  regexMatch: (pattern, text) => new RegExp(String(pattern)).test(String(text)),
  fail: (/** @type {unknown} */ message) => {
    throw new Error(String(message));
  },
  required: (message, value) => {
    if (value === undefined || value === null || value === '') {
      throw new Error(String(message));
    }
    return value;
  },
};

/**
 * @typedef {{readonly text: string} | {readonly action: string}} Token
 * @param {string} source
 * @param {string} name of the template
 * @returns {Token[]} with the white space that `{{-` and `-}}` eat taken away
 */
function tokenize(source, name) {
  /** @type {Token[]} */
  const tokens = [];
  let eats = false;
  let rest = source;
  while (rest !== '') {
    const match = /\{\{(-\s)?\s*([\s\S]*?)\s*(\s-)?\}\}/.exec(rest);
    let text = match ? rest.slice(0, match.index) : rest;
    text = eats ? text.replace(/^\s+/, '') : text;
    text = match?.[1] ? text.replace(/\s+$/, '') : text;
    if (text.includes('{{') || text.includes('}}')) {
      throw new Error(`${name}: braces that do not match near ${text.slice(0, 60)}`);
    }
    tokens.push({ text });
    if (!match) {
      break;
    }
    tokens.push({ action: match[2] ?? '' });
    eats = match[3] !== undefined;
    rest = rest.slice(match.index + match[0].length);
  }
  return tokens;
}

/**
 * @param {Token[]} tokens that are taken from
 * @param {string} name of the template
 * @param {boolean} isInner
 * @returns {readonly Node[]} up to the `end` of this block
 */
function parseBlock(tokens, name, isInner) {
  /** @type {Node[]} */
  const nodes = [];
  for (let token = tokens.shift(); token !== undefined; token = tokens.shift()) {
    if ('text' in token) {
      nodes.push({ kind: 'text', text: token.text, argument: '', body: [], otherwise: [] });
      continue;
    }
    const { action } = token;
    if (/^\/\*[\s\S]*\*\/$/.test(action)) {
      continue;
    }
    const [word = ''] = action.split(/\s/, 1);
    const argument = action.slice(word.length).trim();
    if ((action === 'end' || action === 'else') && isInner) {
      // Whoever reads the block needs to know how it ended.
      tokens.unshift(token);
      return nodes;
    }
    if (word === 'with' || word === 'range' || word === 'if' || word === 'define') {
      const body = parseBlock(tokens, name, true);
      const otherwise = endOf(tokens) === 'else' ? parseBlock(tokens, name, true) : undefined;
      if (otherwise && endOf(tokens) !== 'end') {
        throw new Error(`${name}: a second {{ else }}`);
      }
      nodes.push({ kind: word, text: '', argument, body, otherwise: otherwise ?? [] });
    } else if (['end', 'else', 'template', 'block'].includes(word)) {
      throw new Error(`${name}: {{ ${action} }} is not known here`);
    } else {
      nodes.push({ kind: 'value', text: '', argument: action, body: [], otherwise: [] });
    }
  }
  if (isInner) {
    throw new Error(`${name}: an {{ end }} is missing`);
  }
  return nodes;
}

/**
 * @param {Token[]} tokens that it is taken from
 * @returns {string} `end` or `else`
 */
function endOf(tokens) {
  const token = tokens.shift();
  return token !== undefined && 'action' in token ? token.action : '';
}

/** One rendering, with what it may look at. */
class Rendering {
  /** @type {Map<unknown, readonly Node[]>} */
  #defined = new Map();
  /** What `$` is: the dot of the template, or of what is included. @type {unknown} */
  #root;

  /** @param {Values} root */
  constructor(root) {
    this.#root = root;
  }

  /**
   * @param {readonly Node[]} nodes
   * @param {unknown} dot
   * @returns {string}
   */
  render(nodes, dot) {
    return nodes.map((node) => this.renderNode(node, dot)).join('');
  }

  /**
   * @param {Node} node
   * @param {unknown} dot
   */
  renderNode({ kind, text, argument, body, otherwise }, dot) {
    switch (kind) {
      case 'text':
        return text;
      case 'define':
        this.#defined.set(JSON.parse(argument), body);
        return '';
      case 'value': {
        const unused = /^\$_ := (.*)$/.exec(argument);
        const value = this.evaluate(unused?.[1] ?? argument, dot);
        if (value === undefined) {
          throw new Error(`{{ ${argument} }} has no value`);
        }
        return unused ? '' : String(value);
      }
      case 'range': {
        const items = this.evaluate(argument, dot) ?? [];
        if (!Array.isArray(items)) {
          throw new Error(`{{ range ${argument} }}: not a list`);
        }
        return items.length === 0 ? this.render(otherwise, dot) : items.map((item) => this.render(body, item)).join('');
      }
      default: {
        const value = this.evaluate(argument, dot);
        return isEmpty(value) ? this.render(otherwise, dot) : this.render(body, kind === 'with' ? value : dot);
      }
    }
  }

  /**
   * @param {string} pipeline
   * @param {unknown} dot
   * @returns {unknown}
   */
  evaluate(pipeline, dot) {
    /** @type {unknown} */
    let value;
    stagesOf(pipeline).forEach(([head = '', ...rest], index) => {
      const piped = index === 0 ? [] : [value];
      const args = () => [...rest.map((word) => this.operand(word, dot)), ...piped];
      if (head === 'include') {
        const [name, scope] = args();
        const body = this.#defined.get(name);
        if (!body) {
          throw new Error(`include ${name}: not defined`);
        }
        const outer = this.#root;
        this.#root = scope;
        value = this.render(body, scope);
        this.#root = outer;
      } else if (Object.hasOwn(FUNCTIONS, head)) {
        value = FUNCTIONS[head]?.(...args());
      } else if (head === '.Files.Get') {
        value = readFileSync(join(CHART, String(args()[0])), 'utf8');
      } else if (rest.length === 0 && index === 0) {
        value = this.operand(head, dot);
      } else {
        throw new Error(`{{ ${pipeline} }}: ${head} is not known here`);
      }
    });
    return value;
  }

  /**
   * @param {string} word
   * @param {unknown} dot
   * @returns {unknown}
   */
  operand(word, dot) {
    if (word.startsWith('(')) {
      return this.evaluate(word.slice(1, -1), dot);
    }
    if (/^(?:"|\d+$)/.test(word)) {
      return JSON.parse(word);
    }
    if (!/^\$?\.[\w.]*$/.test(word)) {
      throw new Error(`${word} is not known here`);
    }
    const path = word
      .replace(/^\$?\./, '')
      .split('.')
      .filter(Boolean);
    return path.reduce(
      (object, field) => {
        if (!isMap(object)) {
          // As by Go.
          throw new Error(`${word}: nil pointer evaluating ${field}`);
        }
        return object[field];
      },
      word.startsWith('$') ? this.#root : dot,
    );
  }
}

/**
 * @param {string} pipeline
 * @returns {string[][]} the words of each stage; what is in parentheses is one word
 */
function stagesOf(pipeline) {
  /** @type {string[][]} */
  const stages = [[]];
  let word = '';
  let depth = 0;
  const end = () => {
    if (word !== '') {
      stages.at(-1)?.push(word);
    }
    word = '';
  };
  for (const [part] of pipeline.matchAll(/"(?:[^"\\]|\\.)*"|[\s\S]/g)) {
    depth += part === '(' ? 1 : part === ')' ? -1 : 0;
    if (depth > 0 || !/^[\s|]$/.test(part)) {
      word += part;
    } else {
      end();
      if (part === '|') {
        stages.push([]);
      }
    }
  }
  end();
  if (depth !== 0) {
    throw new Error(`{{ ${pipeline} }}: parentheses that do not match`);
  }
  return stages;
}

/**
 * @param {unknown} value
 * @returns {value is Values}
 */
function isMap(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * @param {Values} values
 * @param {Values} changes
 * @returns {Values}
 */
function merge(values, changes) {
  /** @type {Record<string, unknown>} */
  const merged = { ...values };
  for (const [name, change] of Object.entries(changes)) {
    const value = values[name];
    merged[name] = isMap(change) && isMap(value) ? merge(value, change) : change;
  }
  return merged;
}

/**
 * What values.yaml and these changes of it make up, as helm would hold it against the schema.
 *
 * @param {Values} [changes]
 */
export function chartValues(changes = {}) {
  return merge(parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')), changes);
}

/**
 * @param {Values} values
 * @returns {readonly string[]} where the schema refuses them, and why
 */
export function valuesProblems(values) {
  const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8'));
  const validate = new Ajv({
    strict: true,
    allowUnionTypes: true,
    strictTypes: false,
    strictRequired: false,
    allErrors: true,
  }).compile(schema);
  validate(values);
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const named = params.additionalProperty ?? params.allowedValue;
    const name = named === undefined ? '' : `: ${named}`;
    return `${instancePath.slice(1).replaceAll('/', '.') || 'values'}: ${message}${name}`;
  });
}

/**
 * @param {Values} [changes] of values.yaml
 * @param {string} [namespace] of the release
 * @param {{readonly schema?: boolean}} [options] `schema`: whether values are checked, as `--skip-schema-validation` of helm does not
 * @returns {Map<string, string>} what each template makes, by file name; without those that make nothing
 * @throws {Error} when the values are refused
 */
export function renderChart(changes = {}, namespace = 'kube-system', { schema = true } = {}) {
  const problems = schema ? valuesProblems(chartValues(changes)) : [];
  if (problems.length > 0) {
    throw new Error(`values do not meet values.schema.json:\n${problems.map((problem) => `- ${problem}`).join('\n')}`);
  }
  const { version, appVersion, name } = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'));
  const root = {
    Values: chartValues(changes),
    Release: { Namespace: namespace, Name: name },
    Chart: { Name: name, Version: version, AppVersion: appVersion },
  };
  const rendering = new Rendering(root);
  const rendered = new Map();
  // _helpers.tpl comes first.
  for (const file of readdirSync(join(CHART, 'templates')).sort()) {
    const nodes = parseBlock(tokenize(readFileSync(join(CHART, 'templates', file), 'utf8'), file), file, false);
    const text = rendering.render(nodes, root);
    if (!file.startsWith('_') && text.trim() !== '') {
      rendered.set(file, text);
    }
  }
  return rendered;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: { set: { type: 'string', multiple: true, default: [] }, namespace: { type: 'string' } },
  });
  /** @type {Values} */
  const none = {};
  const changes = values.set.reduce((all, setting) => {
    const [path = '', ...value] = setting.split('=');
    const change = path.split('.').reduceRight((inner, field) => ({ [field]: inner }), parse(value.join('=')));
    return merge(all, change);
  }, none);
  try {
    process.stdout.write([...renderChart(changes, values.namespace).values()].map((text) => `---\n${text}`).join(''));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exitCode = 1;
  }
}
