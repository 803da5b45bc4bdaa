import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { parseCommandLine } from './command-line.js';
import { FLAGS } from './flag.js';
import { helpText } from './help-text.js';
import { nearestFlag } from './nearest-flag.js';

function values(...args: readonly string[]): Record<string, readonly string[]> {
  const { values: found, errors } = parseCommandLine(args);
  expect(errors).toEqual([]);
  return Object.fromEntries(found);
}

describe('parseCommandLine', () => {
  test.each<[readonly string[], Record<string, readonly string[]>]>([
    [[], {}],
    [['--proxy-mode=ipvs'], { 'proxy-mode': ['ipvs'] }],
    [['--proxy-mode', 'ipvs'], { 'proxy-mode': ['ipvs'] }],
    [['--proxy-mode='], { 'proxy-mode': [''] }],
    [['--proxy-mode', ''], { 'proxy-mode': [''] }],
    [['--proxy-mode=a=b'], { 'proxy-mode': ['a=b'] }],
    [['--manifests', 'a', '--manifests=b'], { manifests: ['a', 'b'] }],
    [['--masquerade-all'], { 'masquerade-all': ['true'] }],
    [['--masquerade-all=false'], { 'masquerade-all': ['false'] }],
    [['--masquerade-all', '--v=2'], { 'masquerade-all': ['true'], v: ['2'] }],
    [['--iptables-sync-period', '-5s'], { 'iptables-sync-period': ['-5s'] }],
    [['--hostname-override', '--masquerade-all'], { 'hostname-override': ['--masquerade-all'] }],
    [['--proxy_mode=my_mode'], { 'proxy-mode': ['my_mode'] }],
    [['-v', '4'], { v: ['4'] }],
    [['-v=4'], { v: ['4'] }],
    [['-v4'], { v: ['4'] }],
    [['--v', '4'], { v: ['4'] }],
  ])('reads %j', (args, expected) => {
    expect(values(...args)).toEqual(expected);
  });

  test.each<[readonly string[], string]>([
    [[], 'run'],
    [['cleanup'], 'cleanup'],
    [['-v', '4', 'cleanup'], 'cleanup'],
    [['doctor', '-o', 'json'], 'doctor'],
    [['--cleanup'], 'cleanup'],
    [['--cleanup=false'], 'run'],
    [['--version'], 'version'],
    [['--version=raw'], 'version'],
    [['--help', '--version'], 'help'],
    [['-h'], 'help'],
    [['--unknown', '--help'], 'help'],
  ])('%j means %s', (args, command) => {
    expect(parseCommandLine(args).command).toBe(command);
  });

  test.each<[readonly string[], RegExp]>([
    [['--proxymode=x'], /^unknown flag --proxymode; did you mean --proxy-mode\?$/],
    [['--manifest', 'x'], /^unknown flag --manifest; did you mean --manifests\?$/],
    [['--xyzzy=1'], /^unknown flag --xyzzy; see kube-proxier --help$/],
    [['status', '--xyzzy'], /^unknown flag --xyzzy; see kube-proxier status --help$/],
    [['-x'], /^unknown flag -x; /],
    [['-proxy-mode=x'], /^unknown flag -proxy-mode; did you mean --proxy-mode\?$/],
    [['--a\nb'], /^unknown flag --a\\u\{a\}b; /],
    [['run'], /takes no arguments except flags, but got "run"/],
    [['--', '--masquerade-all'], /got "--masquerade-all"/],
    [['cleanup', 'iptables'], /got "iptables"/],
    [['--masquerade-all', 'false'], /got "false"; .* with "=", as in --masquerade-all=false$/],
    [['clean'], /got "clean"; did you mean the command cleanup\?$/],
    [['gte'], /got "gte"; did you mean the command get\?$/],
    [['Expl'], /got "Expl"; did you mean the command explain\?$/],
    [['help', 'statsu'], /^unknown command "statsu"; did you mean status\?$/],
    [['help', 'xyzzy'], /^unknown command "xyzzy"; see kube-proxier help$/],
    [['--manifests', 'a', 'b'], /got "b"; to name several manifests, repeat --manifests$/],
    [['help', 'status', 'extra'], /^kube-proxier help takes at most one argument, as in: kube-proxier help explain$/],
    [['start'], /got "start"; see kube-proxier --help$/],
    [['--proxy-mode'], /^flag --proxy-mode needs a value$/],
  ])('has an error for %j', (args, expected) => {
    expect(parseCommandLine(args).errors).toEqual([expect.stringMatching(expected)]);
  });

  test('reports all errors', () => {
    expect(parseCommandLine(['--one', '--masquerade-all', '--two=2', '--proxy-mode']).errors).toHaveLength(3);
    expect(nearestFlag('x'.repeat(100_000))).toBeUndefined();
  });
});

describe('helpText', () => {
  const text = helpText([
    { mode: 'iptables', description: 'Writes rules' },
    { mode: 'ipvs', description: 'Uses ip_vs' },
  ]);
  const flat = text.replace(/\s+/g, ' ');

  test.each(FLAGS.map((flag) => [flag.name, flag] as const))('explains --%s, with its default', (name, flag) => {
    expect(text).toMatch(new RegExp(`^ +(-\\w, )?--${name}( <[\\w:]+>)?$`, 'm'));
    expect(flat).toContain(flag.help);
    if (
      flag.group !== 'Without effect' &&
      flag.group !== 'Clean-up' &&
      !['help', 'version', 'init-only'].includes(name)
    ) {
      expect(flat).toContain(`Default: ${flag.defaultText}.`);
    }
  });

  test('is grouped, fits a terminal, and names the modes and the command', () => {
    for (const group of new Set(FLAGS.map((flag) => flag.group))) {
      expect(text).toContain(`\n${group}:\n`);
    }
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(flat).toContain('iptables: Writes rules. ipvs: Uses ip_vs.');
    expect(text.indexOf('\n  cleanup ')).toBeGreaterThan(0);
    expect(text.indexOf('\n  cleanup ')).toBeLessThan(text.indexOf('--proxy-mode <mode>'));
  });

  test('names the unit of every value that has one', () => {
    for (const flag of FLAGS.filter(({ type }) => type === 'duration')) {
      expect(flag.help).toMatch(/such as 500ms, 30s or 1m30s/);
    }
  });
});

test('the README lists every flag', async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const missing = FLAGS.filter(
    ({ name }) => !['help', 'version', 'cleanup'].includes(name) && !readme.includes(`-${name}\` `),
  );
  expect(missing.map(({ name }) => name)).toEqual([]);
});
