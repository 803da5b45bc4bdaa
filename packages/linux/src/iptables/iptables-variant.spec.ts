import { describe, expect, test } from '@jest/globals';
import { CommandError, type CommandRunner } from '../process/command-runner.js';
import { canMakeNamespaces, withNamespace } from '../process/network-namespace.js';
import type { IptablesVariant } from './iptables.js';
import { createIptables } from './iptables-command.js';
import { detectIptablesVariant } from './iptables-variant.js';
import { createTableStamps } from './table-stamps.js';
import { hasIptablesTables } from './tables-in-use.js';

const VARIANTS: readonly IptablesVariant[] = ['nft', 'legacy'];

/** A runner that records the programs that it starts. */
function recording(runner: CommandRunner): { readonly runner: CommandRunner; readonly started: string[] } {
  const started: string[] = [];
  const { networkNamespace } = runner;
  return {
    started,
    runner: {
      networkNamespace,
      run: (request) => {
        started.push([request.command, ...request.args].join(' '));
        return runner.run(request);
      },
    },
  };
}

const onKernel = canMakeNamespaces() ? describe : describe.skip;

onKernel('the tables of a network namespace', () => {
  test.each(VARIANTS)('%s: tables exist once a program has used them', async (variant) => {
    await withNamespace(async ({ runner }) => {
      const { networkNamespace: place } = runner;
      const found = () => Promise.all(VARIANTS.map((each) => hasIptablesTables(each, place)));
      await runner.run({ command: 'nft', args: ['add table ip kube-proxy; add chain ip kube-proxy filter'] });
      expect(await found()).toEqual([false, false]);
      await createIptables({ family: 'IPv6', variant, runner }).restore('*nat\n:A - [0:0]\nCOMMIT\n');
      expect(await found()).toEqual(VARIANTS.map((each) => each === variant));
    });
  });

  test('a namespace that does not exist: unknown', async () => {
    for (const variant of VARIANTS) {
      expect(await hasIptablesTables(variant, '/run/netns/no-such-namespace')).toBeUndefined();
    }
  });

  test.each(VARIANTS)('%s: where only this variant has rules, no tool of the other is started', async (variant) => {
    await withNamespace(async (namespace) => {
      const { runner, started } = recording(namespace.runner);
      const iptables = createIptables({ family: 'IPv4', variant, runner: namespace.runner });
      await iptables.restore('*nat\n:A - [0:0]\nCOMMIT\n');
      // Chains without rules are not conclusive: both variants are listed, as kube-proxy's image does.
      await detectIptablesVariant(runner);
      expect(started).toEqual(expect.arrayContaining(['iptables-nft-save', 'iptables-legacy-save']));
      started.length = 0;
      await iptables.restore('*nat\n-A A -j RETURN\nCOMMIT\n');
      expect(await detectIptablesVariant(runner)).toMatchObject({
        variant,
        reason: `the kernel has only ${variant} tables`,
      });
      expect(started.sort()).toEqual([`ip6tables-${variant}-save`, `iptables-${variant}-save`]);
    });
  });
});

onKernel('tables of one variant that cannot be listed', () => {
  test.each<readonly ['signal' | 'exit-code', IptablesVariant]>([
    // A killed program gives no information; a refused one reports the reason.
    ['signal', 'nft'],
    ['exit-code', 'legacy'],
  ])('by %s: %s is used', async (failure, variant) => {
    await withNamespace(async ({ runner }) => {
      await createIptables({ family: 'IPv4', variant: 'nft', runner }).restore(
        '*nat\n:A - [0:0]\n-A A -j RETURN\nCOMMIT\n',
      );
      const broken: CommandRunner = {
        ...{ networkNamespace: runner.networkNamespace },
        run: async (request) => {
          if (request.command.includes('-nft-')) {
            throw new CommandError(failure, request.command, 1, undefined, '', 'injected');
          }
          return await runner.run(request);
        },
      };
      expect(await detectIptablesVariant(broken)).toMatchObject({
        ...{ variant, isCertain: false },
        reason: expect.stringContaining('injected'),
      });
    });
  });
});

onKernel('tools that are refused', () => {
  test.each([true, false])('are ignored where the kernel has no tables of that variant: %s', async (hasTables) => {
    await withNamespace(async ({ runner }) => {
      if (hasTables) {
        await createIptables({ family: 'IPv4', variant: 'legacy', runner }).restore('*nat\n:A - [0:0]\nCOMMIT\n');
      }
      const refusing: CommandRunner = {
        ...{ networkNamespace: runner.networkNamespace },
        run: async (request) => {
          if (request.command.includes('-legacy-')) {
            throw new CommandError('exit-code', request.command, 1, undefined, '', 'Permission denied');
          }
          return await runner.run(request);
        },
      };
      expect(await detectIptablesVariant(refusing)).toMatchObject({
        ...{ variant: 'nft', isCertain: !hasTables },
        reason: 'only the nft tables can be listed (Permission denied)',
      });
    });
  });
});

onKernel('rules that were read while the variant was detected', () => {
  const install = '*nat\n:A - [0:0]\n-A A -j RETURN\nCOMMIT\n*filter\n:F - [0:0]\nCOMMIT\n';
  const more = '*nat\n:B - [0:0]\nCOMMIT\n';

  /** The packets counted by rules. */
  async function traffic(runner: CommandRunner): Promise<void> {
    await runner.run({ command: 'ip', args: ['link', 'set', 'lo', 'up'] });
    await runner.run({ command: 'ping', args: ['-c', '1', '-W', '1', '127.0.0.1'] });
  }

  async function detected(namespace: CommandRunner, variant: IptablesVariant) {
    const others = createIptables({ family: 'IPv4', variant, runner: namespace });
    await others.restore(install);
    const saved = (await detectIptablesVariant(namespace)).saved?.get('IPv4');
    const { runner, started } = recording(namespace);
    const iptables = createIptables({ family: 'IPv4', variant, runner, ...(saved === undefined ? {} : { saved }) });
    return { iptables, others, saved, started };
  }

  test.each(VARIANTS)('%s: are returned by the first save of all tables only', async (variant) => {
    await withNamespace(async (namespace) => {
      const { iptables, saved, started } = await detected(namespace.runner, variant);
      expect(await iptables.save('nat')).toContain(':A ');
      expect(started).toEqual([`iptables-${variant}-save -t nat`]);
      await traffic(namespace.runner);
      const text = await iptables.save();
      expect(text).toBe(saved?.text);
      expect(text).toContain('-A A -j RETURN');
      expect(started).toHaveLength(1);
      await iptables.save();
      expect(started).toHaveLength(2);
      iptables.close();
    });
  });

  test.each(VARIANTS)('%s: are read again after a change by another program, or by this one', async (variant) => {
    await withNamespace(async (namespace) => {
      const { iptables, others } = await detected(namespace.runner, variant);
      await others.restore(more);
      expect(await iptables.save()).toContain(':B ');
      iptables.close();
    });
    await withNamespace(async (namespace) => {
      const { iptables } = await detected(namespace.runner, variant);
      const written = iptables.restore(more);
      expect(await iptables.save()).toContain(':B ');
      await written;
      iptables.close();
    });
  });

  test.each(['IPv4', 'IPv6'] as const)(
    'legacy, %s: a table of the same size with another rule is not the same',
    async (family) => {
      await withNamespace(async ({ runner }) => {
        const rule = (target: string, address: string) => `*nat\n:A - [0:0]\n-A A -d ${address} -j ${target}\nCOMMIT\n`;
        const [one, two] = family === 'IPv4' ? ['10.0.0.1/32', '10.0.0.2/32'] : ['fd00::1/128', 'fd00::2/128'];
        const iptables = createIptables({ family, variant: 'legacy', runner });
        const stamps = createTableStamps(family, 'legacy', runner.networkNamespace);
        expect(await stamps.ofRules()).toBe('none none');
        await iptables.restore(rule('RETURN', one));
        const [size, before] = [await stamps.of('nat'), await stamps.ofRules()];
        for (const other of [rule('ACCEPT', one), rule('RETURN', two)]) {
          await iptables.restore(other);
          expect([await stamps.of('nat'), await stamps.ofRules()]).toEqual([
            size,
            expect.not.stringMatching(`^${before}$`),
          ]);
        }
        await iptables.restore(rule('RETURN', one));
        expect(await stamps.ofRules()).toBe(before);
        stamps.close();
        iptables.close();
      });
    },
  );

  test('legacy: a large table is not compared, and an unused table is not created', async () => {
    await withNamespace(async ({ runner }) => {
      const iptables = createIptables({ family: 'IPv4', variant: 'legacy', runner });
      const stamps = createTableStamps('IPv4', 'legacy', runner.networkNamespace);
      const chains = Array.from({ length: 14_000 }, (_, index) => `:C${index} - [0:0]`);
      await iptables.restore(`*filter\n${chains.join('\n')}\nCOMMIT\n`);
      expect(await stamps.ofRules()).toBeUndefined();
      await iptables.restore(`*filter\n${chains.map((_, index) => `-X C${index}`).join('\n')}\nCOMMIT\n`);
      expect(await stamps.ofRules()).toMatch(/^[0-9a-f]{64} none$/);
      stamps.close();
      iptables.close();
    });
  });
});
