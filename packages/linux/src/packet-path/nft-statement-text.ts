import { isRecord } from '@kube-proxier/core';
import { textOfValue } from './nft-elements.js';

/** A rule as short text, as close to nft syntax as its JSON allows. */
export function ruleText(statements: readonly unknown[], handle: unknown): string {
  const text = statements
    .map(statementText)
    .filter((part) => part !== '')
    .join(' ');
  return handle === undefined ? text : `${text} # handle ${String(handle)}`;
}

function statementText(statement: unknown): string {
  if (typeof statement === 'string') {
    return statement;
  }
  if (!isRecord(statement)) {
    return '';
  }
  const [kind = ''] = Object.keys(statement);
  const value = statement[kind];
  if (value === null || kind === 'counter' || kind === 'log') {
    return kind;
  }
  if (!isRecord(value)) {
    return kind;
  }
  switch (kind) {
    case 'match':
      return `${textOfValue(value.left)} ${value.op === '==' || value.op === 'in' ? '' : `${String(value.op)} `}${textOfValue(value.right)}`;
    case 'jump':
    case 'goto':
      return `${kind} ${String(value.target)}`;
    case 'vmap':
      return `${textOfValue(value.key)} vmap ${textOfValue(value.data)}`;
    case 'mangle':
      return `${textOfValue(value.key)} set ${textOfValue(value.value)}`;
    case 'dnat':
    case 'snat':
      return `${kind} to ${textOfValue(value.addr)}${value.port === undefined ? '' : `:${textOfValue(value.port)}`}`;
    case 'set':
    case 'map':
      return `${String(value.op)} ${textOfValue(value.set ?? value.map)}`;
    default:
      return kind;
  }
}
