#!/usr/bin/env node
/**
 * Renders the Helm chart where there is no helm: `node scripts/deploy/render-chart.mjs [--set a.b=VALUE]… [--namespace NAME]`.
 *
 * Knows of Go's templates what the chart uses, and nothing else, and takes the rest for a mistake: values, `with`, `if`,
 * `define` and `include`, pipelines, and the functions below.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { parse, stringify } from 'yaml';

export const CHART = fileURLToPath(new URL('../../deploy/helm/kube-proxier', import.meta.url));

const isEmpty = (value) =>
  value === undefined ||
  value === null ||
  value === false ||
  value === 0 ||
  value.length === 0 ||
  (typeof value === 'object' && Object.keys(value).length === 0);
const indent = (size, text) => String(text).replace(/^/gm, ' '.repeat(size));

/** As sprig and helm have them; the value of a pipeline comes last. */
const FUNCTIONS = {
  default: (otherwise, value) => (isEmpty(value) ? otherwise : value),
  quote: (value) => JSON.stringify(String(value)),
  nindent: (size, text) => `\n${indent(size, text)}`,
  toYaml: (value) => stringify(value, { sortMapEntries: true, lineWidth: 0 }).trimEnd(),
};

/** @returns {{text?: string, action?: string}[]} with the white space that `{{-` and `-}}` eat taken away. */
function tokenize(source, name) {
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
    tokens.push({ action: match[2] });
    eats = match[3] !== undefined;
    rest = rest.slice(match.index + match[0].length);
  }
  return tokens;
}

/** @returns nodes up to the `end` of this block. */
function parseBlock(tokens, name, isInner) {
  const nodes = [];
  while (tokens.length > 0) {
    const { text, action } = tokens.shift();
    if (action === undefined) {
      nodes.push({ kind: 'text', text });
      continue;
    }
    const [word = ''] = action.split(/\s/, 1);
    const argument = action.slice(word.length).trim();
    if (word === 'end' && isInner) {
      return nodes;
    }
    if (['with', 'if', 'define'].includes(word)) {
      nodes.push({ kind: word, argument, body: parseBlock(tokens, name, true) });
    } else if (['end', 'else', 'range', 'template', 'block'].includes(word)) {
      throw new Error(`${name}: {{ ${action} }} is not known here`);
    } else {
      nodes.push({ kind: 'value', argument: action });
    }
  }
  if (isInner) {
    throw new Error(`${name}: an {{ end }} is missing`);
  }
  return nodes;
}

/** One rendering, with what it may look at. */
class Rendering {
  constructor(root) {
    this.root = root;
    this.defined = new Map();
  }

  render(nodes, dot) {
    return nodes.map((node) => this.renderNode(node, dot)).join('');
  }

  renderNode({ kind, text, argument, body }, dot) {
    switch (kind) {
      case 'text':
        return text;
      case 'define':
        this.defined.set(JSON.parse(argument), body);
        return '';
      case 'value': {
        const value = this.evaluate(argument, dot);
        if (value === undefined) {
          throw new Error(`{{ ${argument} }} has no value`);
        }
        return String(value);
      }
      default: {
        const value = this.evaluate(argument, dot);
        return isEmpty(value) ? '' : this.render(body, kind === 'with' ? value : dot);
      }
    }
  }

  evaluate(pipeline, dot) {
    let value;
    pipeline.split(/\s*\|\s*/).forEach((stage, index) => {
      const words = stage.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? [];
      const [head, ...rest] = words;
      const piped = index === 0 ? [] : [value];
      if (head === 'include') {
        const [name, scope] = rest.map((word) => this.operand(word, dot));
        const body = this.defined.get(name);
        if (!body) {
          throw new Error(`include ${name}: not defined`);
        }
        value = this.render(body, scope);
      } else if (Object.hasOwn(FUNCTIONS, head)) {
        value = FUNCTIONS[head](...rest.map((word) => this.operand(word, dot)), ...piped);
      } else if (rest.length === 0 && index === 0) {
        value = this.operand(head, dot);
      } else {
        throw new Error(`{{ ${pipeline} }}: ${head} is not known here`);
      }
    });
    return value;
  }

  operand(word, dot) {
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
    return path.reduce((object, field) => object?.[field], word.startsWith('$') ? this.root : dot);
  }
}

function merge(values, changes) {
  const isMap = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
  const merged = { ...values };
  for (const [name, change] of Object.entries(changes)) {
    merged[name] = isMap(change) && isMap(values[name]) ? merge(values[name], change) : change;
  }
  return merged;
}

/** What values.yaml and these changes of it make up, as helm would hold it against the schema. */
export function chartValues(changes = {}) {
  return merge(parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')), changes);
}

/**
 * @param {object} [changes] of values.yaml
 * @param {string} [namespace] of the release
 * @returns {Map<string, string>} what each template makes, by file name
 */
export function renderChart(changes = {}, namespace = 'kube-system') {
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
    if (!file.startsWith('_')) {
      rendered.set(file, text);
    }
  }
  return rendered;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: { set: { type: 'string', multiple: true, default: [] }, namespace: { type: 'string' } },
  });
  const changes = values.set.reduce((all, setting) => {
    const [path, ...value] = setting.split('=');
    const change = path.split('.').reduceRight((inner, field) => ({ [field]: inner }), parse(value.join('=')));
    return merge(all, change);
  }, {});
  process.stdout.write([...renderChart(changes, values.namespace).values()].map((text) => `---\n${text}`).join(''));
}
