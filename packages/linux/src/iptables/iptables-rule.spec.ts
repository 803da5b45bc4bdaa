import { describe, expect, test } from '@jest/globals';
import { IptablesRule } from './iptables-rule.js';
import { kernelProbability } from './iptables-rule-parts.js';
import { ruleSamples } from './iptables-rule-samples.js';
import { splitWords, targetOf, withoutComment } from './rule-text.js';

describe('IptablesRule', () => {
  test.each(ruleSamples('IPv4').concat(ruleSamples('IPv6')))('parses what it rendered: %s', (text) => {
    expect(IptablesRule.parse(text)?.text).toBe(text);
  });

  test('returns the effect of a rule without its comment', () => {
    const rule = new IptablesRule({ comment: 'a/b:c "x"', protocol: 'tcp', target: { target: 'DROP' } });
    expect(rule.text).toBe('-p tcp -m comment --comment "a/b:c ?x?" -j DROP');
    expect(rule.bareText).toBe('-p tcp -j DROP');
    expect(withoutComment(rule.text)).toBe('-p tcp -j DROP');
    expect(withoutComment('-m comment --comment word -j DROP')).toBe('-j DROP');
  });

  test('a name in a comment cannot inject a rule, or a line', () => {
    const rule = new IptablesRule({ comment: 'a" -j ACCEPT\n-A INPUT -j DROP #', target: { target: 'DROP' } });
    expect(rule.text).not.toContain('\n');
    expect(splitWords(rule.text)).toEqual([
      '-m',
      'comment',
      '--comment',
      'a? -j ACCEPT?-A INPUT -j DROP ?',
      '-j',
      'DROP',
    ]);
    expect(new IptablesRule({ comment: 'x'.repeat(300) }).parts.comment).toHaveLength(300);
    expect(new IptablesRule({ comment: 'x'.repeat(300) }).text).toHaveLength('-m comment --comment ""'.length + 255);
  });

  test('rounds probabilities as the kernel does', () => {
    const text = (probability: number) => new IptablesRule({ matches: [{ match: 'statistic', probability }] }).text;
    expect(text(1 / 3)).toContain('--probability 0.33333333349');
    expect(text(1 / 2)).toContain('--probability 0.50000000000');
    expect(kernelProbability(1 / 3)).toBe(715827883 / 2 ** 31);
  });

  test.each([
    '-p tcp -m multiport --dports 80,81 -j ACCEPT',
    '-j LOG --log-prefix "x -j KUBE-SERVICES "',
    '-m conntrack --ctstate NEW --ctdir ORIGINAL -j DROP',
    '-p icmp -j ACCEPT',
    '! -p tcp -j DROP',
    '-j MARK --set-mark',
    '-m comment --comment "open',
  ])('does not parse unsupported rules: %s', (text) => {
    expect(IptablesRule.parse(text)).toBeUndefined();
  });

  test('finds the target chain of any jump or goto', () => {
    expect(targetOf('-p icmp -m comment --comment "-j NOT" -j KUBE-SERVICES')).toBe('KUBE-SERVICES');
    expect(targetOf('-m comment --comment "-j NOT"')).toBeUndefined();
    expect(targetOf('-m foo --bar -g OTHER')).toBe('OTHER');
  });
});
