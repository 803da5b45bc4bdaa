import type { UnknownRecord } from '@kube-proxier/core';

const STATEMENT = /^(add|update|delete) @(\S+) \{ (.+?)(?: (?:timeout|expires) \S+)* : (.+) \}$/;

/**
 * Parses a statement that changes a map, such as `update @clients { ip saddr . meta mark timeout 1m : meta priority }`:
 * nft 1.0.6 prints these as text within the JSON of a rule.
 *
 * @returns the form that later versions print; undefined for another statement or unsupported parts.
 */
export function parseMapStatement(text: string): UnknownRecord | undefined {
  const [, op, map, keyText = '', dataText = ''] = STATEMENT.exec(text) ?? [];
  const key = parseExpression(keyText);
  const data = parseExpression(dataText);
  return op === undefined || map === undefined || key === undefined || data === undefined
    ? undefined
    : { map: { op, elem: key, data, map: `@${map}` } };
}

/** The name of the map that such a statement adds elements to. */
export function mapWrittenBy(text: string): string | undefined {
  return /^(?:add|update) @(\S+) \{/.exec(text)?.[1];
}

const HASH = /^jhash (.+?) mod (\d+)(?: seed \S+)?(?: offset (\d+))?(?= \. |$)/;
const FIELD = /^(ip|ip6|th|tcp|udp|sctp|meta|ct) (\w+)(?= \. |$)/;

function parseExpression(text: string): UnknownRecord | undefined {
  const parts: UnknownRecord[] = [];
  let rest = text;
  while (rest !== '') {
    const hash = HASH.exec(rest);
    const field = FIELD.exec(rest);
    const found = hash ?? field;
    if (found === null) {
      return undefined;
    }
    const inner = hash === null ? undefined : parseExpression(hash[1] ?? '');
    if (hash !== null && inner === undefined) {
      return undefined;
    }
    parts.push(
      hash !== null
        ? { jhash: { expr: inner, mod: Number(hash[2]), offset: Number(hash[3] ?? 0) } }
        : field?.[1] === 'meta' || field?.[1] === 'ct'
          ? { [field[1]]: { key: field[2] } }
          : { payload: { protocol: field?.[1], field: field?.[2] } },
    );
    rest = rest.slice(found[0].length).replace(/^ \. /, '');
  }
  const [only] = parts;
  return parts.length === 1 ? only : { concat: parts };
}
