import { describe, expect, test } from '@jest/globals';
import type { RuleChange } from '@kube-proxier/core';
import { ruleTextsOf, withRemovedTexts } from './list-rule-texts.js';

const LISTING = `table ip kube-proxier {
	set ports {
		type inet_service
		elements = { 80, 443 }
	}

	chain base {
		type nat hook prerouting priority dstnat; policy accept;
		tcp dport { 80, 81, 82,
			    83 } accept comment "a { b"
		jump from/any comment "cc"
	}

	chain from/any {
	}

	chain last {
		drop
	}
}
`;

const change = (action: RuleChange['action'], container: string, position: number): RuleChange => ({
  ...{ action, container, position, table: 'table ip kube-proxier', kind: 'rule' },
  text: `rule ${container} number ${position}, comment "x"`,
});

describe('texts of rules', () => {
  test('are found by chain, each on one line', () => {
    expect(Object.fromEntries(ruleTextsOf(LISTING))).toEqual({
      base: ['tcp dport { 80, 81, 82, 83 } accept comment "a { b"', 'jump from/any comment "cc"'],
      'from/any': [],
      last: ['drop'],
    });
  });

  test('are those of rules that are removed', async () => {
    const asked: string[] = [];
    const runner = {
      run: async ({ args }: { readonly args: readonly string[] }) => {
        asked.push(args.join(' '));
        if (args[1] === 'list' && args[2] === 'table') {
          throw new Error('owned by a process');
        }
        return { stdout: LISTING, stderr: '' };
      },
    } as never;
    const planned = [change('remove', 'base', 2), change('add', 'base', 1), change('remove', 'last', 7)];
    const changes = await withRemovedTexts(planned, 'IPv4', runner);
    expect(changes.map(({ text }) => text)).toEqual([
      'rule base jump from/any comment "cc"',
      planned[1]?.text,
      planned[2]?.text,
    ]);
    expect(asked).toEqual(['-s list chain ip kube-proxier base', '-s list chain ip kube-proxier last']);
    const many = Array.from({ length: 20 }, (_, index) => change('remove', index === 3 ? 'last' : `c${index}`, 1));
    expect((await withRemovedTexts(many, 'IPv4', runner))[3]?.text).toBe('rule last drop');
    asked.length = 0;
    expect(await withRemovedTexts([change('add', 'base', 1)], 'IPv4', runner)).toHaveLength(1);
    expect(asked).toEqual([]);
  });
});
