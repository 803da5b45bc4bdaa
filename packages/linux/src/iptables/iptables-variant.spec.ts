import { describe, expect, test } from '@jest/globals';
import { CommandError, type CommandRunner } from '../process/command-runner.js';
import { canMakeNamespaces, withNamespace } from '../process/network-namespace.js';
import type { IptablesVariant } from './iptables.js';
import { createIptables } from './iptables-command.js';
import { detectIptablesVariant } from './iptables-variant.js';
import { hasIptablesTables } from './tables-in-use.js';

const VARIANTS: readonly IptablesVariant[] = ['nft', 'legacy'];

/** A runner that notes what it starts. */
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
  test.each(VARIANTS)('%s: there are some once a program has used them', async (variant) => {
    await withNamespace(async ({ runner }) => {
      const { networkNamespace: place } = runner;
      const found = () => Promise.all(VARIANTS.map((each) => hasIptablesTables(each, place)));
      await runner.run({ command: 'nft', args: ['add table ip kube-proxy; add chain ip kube-proxy filter'] });
      expect(await found()).toEqual([false, false]);
      await createIptables({ family: 'IPv6', variant, runner }).restore('*nat\n:A - [0:0]\nCOMMIT\n');
      expect(await found()).toEqual(VARIANTS.map((each) => each === variant));
    });
  });

  test('a namespace that does not exist: it is not known', async () => {
    for (const variant of VARIANTS) {
      expect(await hasIptablesTables(variant, '/run/netns/no-such-namespace')).toBeUndefined();
    }
  });

  test.each(VARIANTS)('%s: where only this variant has rules, no tool of the other is started', async (variant) => {
    await withNamespace(async (namespace) => {
      const { runner, started } = recording(namespace.runner);
      const iptables = createIptables({ family: 'IPv4', variant, runner: namespace.runner });
      await iptables.restore('*nat\n:A - [0:0]\nCOMMIT\n');
      // Chains without rules say little: the tools of both are asked, as kube-proxy's image does.
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
    // Nothing is learned from a program that was killed; one that is refused says why.
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

onKernel('rules that were read while the variant was detected', () => {
  const install = '*nat\n:A - [0:0]\n-A A -j RETURN\nCOMMIT\n*filter\n:F - [0:0]\nCOMMIT\n';
  const more = '*nat\n:B - [0:0]\nCOMMIT\n';

  async function detected(namespace: CommandRunner, variant: IptablesVariant) {
    const others = createIptables({ family: 'IPv4', variant, runner: namespace });
    await others.restore(install);
    const saved = (await detectIptablesVariant(namespace)).saved?.get('IPv4');
    const { runner, started } = recording(namespace);
    const iptables = createIptables({ family: 'IPv4', variant, runner, ...(saved === undefined ? {} : { saved }) });
    return { iptables, others, saved, started };
  }

  test('are returned by the first save of all tables, and only by that', async () => {
    await withNamespace(async (namespace) => {
      const { iptables, saved, started } = await detected(namespace.runner, 'nft');
      expect(await iptables.save('nat')).toContain(':A ');
      expect(started).toEqual(['iptables-nft-save -t nat']);
      const text = await iptables.save();
      expect(text).toBe(saved?.text);
      expect(text).toContain('-A A -j RETURN');
      expect(started).toHaveLength(1);
      await iptables.save();
      expect(started).toHaveLength(2);
      iptables.close();
    });
  });

  test('are read again after a change by another program, or by this one', async () => {
    await withNamespace(async (namespace) => {
      const { iptables, others } = await detected(namespace.runner, 'nft');
      await others.restore(more);
      expect(await iptables.save()).toContain(':B ');
      iptables.close();
    });
    await withNamespace(async (namespace) => {
      const { iptables } = await detected(namespace.runner, 'nft');
      const written = iptables.restore(more);
      expect(await iptables.save()).toContain(':B ');
      await written;
      iptables.close();
    });
  });

  test('are read again with the legacy variant, where tables of the same size cannot be told apart', async () => {
    await withNamespace(async (namespace) => {
      const { iptables, others } = await detected(namespace.runner, 'legacy');
      await others.restore('*nat\n-R A 1 -j ACCEPT\nCOMMIT\n');
      expect(await iptables.save()).toContain('-A A -j ACCEPT');
      iptables.close();
    });
  });
});
