import { assertNever } from '@kube-proxier/core';
import {
  type Condition,
  type IptablesMatch,
  type IptablesRuleParts,
  type IptablesTarget,
  kernelProbability,
} from './iptables-rule-parts.js';

const MAX_COMMENT = 255;
/**
 * Comments contain names from outside. They are single words to iptables-restore only while nothing in them ends the
 * word or the line, so other characters are replaced rather than escaped.
 */
function plainComment(text: string): string {
  return text.replace(/[^\w .:/>,;()[\]-]/g, '?').slice(0, MAX_COMMENT);
}

function hex(value: number): string {
  return `0x${(value >>> 0).toString(16)}`;
}

/** Appends a condition, after a blank where it is not the first part. */
function addCondition(pieces: string[], flag: string, is: Condition | undefined): void {
  if (is !== undefined) {
    pieces.push(pieces.length === 0 ? '' : ' ', is.not ? '! ' : '', flag, is.value);
  }
}

function addPart(pieces: string[], text: string): void {
  pieces.push(pieces.length === 0 ? '' : ' ', text);
}

function renderMatch(match: IptablesMatch): string {
  switch (match.match) {
    case 'port': {
      const range = match.last === undefined || match.last === match.first ? '' : `:${match.last}`;
      return `-m ${match.protocol} --dport ${match.first}${range}${match.noSyn ? ' --tcp-flags SYN NONE' : ''}`;
    }
    case 'no-syn':
      return '-m tcp --tcp-flags SYN NONE';
    case 'conntrack':
      return `-m conntrack${match.not ? ' !' : ''} --ctstate ${match.states.join(',')}${
        match.originalDestination === undefined ? '' : ` --ctorigdst ${match.originalDestination}`
      }`;
    case 'nfacct':
      return `-m nfacct --nfacct-name  ${match.counter}`;
    case 'mark':
      return `-m mark${match.not ? ' !' : ''} --mark ${hex(match.value)}/${hex(match.mask)}`;
    case 'addrtype':
      return `-m addrtype${match.not ? ' !' : ''} --${match.side}-type ${match.type}`;
    case 'set':
      return `-m set${match.not ? ' !' : ''} --match-set ${match.set} ${match.sides.join(',')}`;
    case 'statistic':
      return `-m statistic --mode random --probability ${kernelProbability(match.probability).toFixed(11)}`;
    case 'recent':
      return match.operation === 'set'
        ? `-m recent --set --name ${match.list} --mask ${match.mask} --rsource`
        : `-m recent --rcheck --seconds ${match.seconds} --reap --name ${match.list} --mask ${match.mask} --rsource`;
  }
}

function renderTarget(target: IptablesTarget | undefined): string {
  if (target === undefined) {
    return '';
  }
  switch (target.target) {
    case 'jump':
      return `-j ${target.chain}`;
    case 'goto':
      return `-g ${target.chain}`;
    case 'REJECT':
      return `-j REJECT --reject-with ${target.with}`;
    case 'MARK':
      return `-j MARK --set-xmark ${hex(target.value)}/${hex(target.mask)}`;
    case 'SET':
      return `-j SET --map-set ${target.markFrom} ${target.sides.join(',')} --map-mark`;
    case 'MASQUERADE':
      return target.randomFully ? '-j MASQUERADE --random-fully' : '-j MASQUERADE';
    case 'DNAT':
      return `-j DNAT --to-destination ${target.to}`;
    case 'REDIRECT':
      return `-j REDIRECT --to-ports ${target.toPort}`;
    case 'ACCEPT':
    case 'DROP':
    case 'RETURN':
      return `-j ${target.target}`;
    default:
      return assertNever(target);
  }
}

const NO_MATCHES: readonly IptablesMatch[] = [];

/** The rule as `iptables-save` prints it after `-A CHAIN `, with or without its comment. */
export function renderRule(parts: IptablesRuleParts, withComment: boolean): string {
  // `join` makes one flat string; concatenation keeps the parts, which take more memory while rules are retained.
  const pieces: string[] = [];
  addCondition(pieces, '-s ', parts.source);
  addCondition(pieces, '-d ', parts.destination);
  addCondition(pieces, '-i ', parts.inInterface);
  addCondition(pieces, '-o ', parts.outInterface);
  if (parts.protocol !== undefined) {
    pieces.push(pieces.length === 0 ? '-p ' : ' -p ', parts.protocol);
  }
  const { comment, commentAfter = 0, matches = NO_MATCHES } = parts;
  const commentAt = withComment && comment !== undefined ? Math.min(commentAfter, matches.length) : -1;
  for (let index = 0; index <= matches.length; index++) {
    if (index === commentAt && comment !== undefined) {
      addPart(pieces, `-m comment --comment "${plainComment(comment)}"`);
    }
    const match = matches[index];
    if (match !== undefined) {
      addPart(pieces, renderMatch(match));
    }
  }
  const target = renderTarget(parts.target);
  if (target !== '') {
    addPart(pieces, target);
  }
  return pieces.join('');
}
