import { readdirSync, readlinkSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { casesOf } from '@kube-proxier/core/testing';
import type { CommandRunner, RunningCommand } from '../process/command-runner.js';
import { canMakeNamespaces, withNamespace } from '../process/network-namespace.js';
import { FakeIptables } from './fake-iptables.js';
import type { Iptables, IptablesVariant } from './iptables.js';
import { createIptables } from './iptables-command.js';
import { parseSavedTable } from './iptables-document.js';
import { IptablesDocumentRefused } from './iptables-error.js';
import { filterSamples, natSamples } from './iptables-rule-samples.js';

/** @param byOthers restores a document in another process. */
type Use = (iptables: Iptables, byOthers: (document: string) => Promise<void>) => Promise<void>;

interface Subject {
  readonly title: string;
  readonly family: 'IPv4' | 'IPv6';
  readonly with: (use: Use) => Promise<void>;
}

const variants: readonly IptablesVariant[] = ['legacy', 'nft'];
const families = ['IPv4', 'IPv6'] as const;
const onKernel = canMakeNamespaces()
  ? casesOf<readonly [IptablesVariant, Subject['family']]>(
      [
        ['nft', 'IPv4'],
        ['legacy', 'IPv6'],
      ],
      [
        ['legacy', 'IPv4'],
        ['nft', 'IPv6'],
      ],
    )
  : [];

/** One test body, over the fake and over the kernel. */
const subjects: readonly Subject[] = [
  ...families.flatMap((family) =>
    variants.map((variant) => ({
      title: `fake ${variant} ${family}`,
      family,
      with: (use: Use) => {
        const iptables = new FakeIptables({ family, variant });
        return use(iptables, (document) => iptables.restoreByOthers(document));
      },
    })),
  ),
  ...onKernel.map(([variant, family]) => ({
    title: `${variant} ${family}`,
    family,
    with: (use: Use) =>
      withNamespace(async ({ runner }) => {
        const { networkNamespace } = runner;
        const theirs: CommandRunner = { networkNamespace, run: (request) => runner.run(request) };
        const others = createIptables({ family, variant, runner: theirs });
        await use(createIptables({ family, variant, runner }), (document) => others.restore(document));
      }),
  })),
];

function document(table: string, ...lines: string[]): string {
  return [`*${table}`, ...lines, 'COMMIT', ''].join('\n');
}

async function rules(
  iptables: Iptables,
  table: 'nat' | 'filter',
  chain: string,
): Promise<readonly string[] | undefined> {
  return parseSavedTable(await iptables.save(table), table).get(chain)?.rules;
}

describe.each(subjects)('Iptables: $title', (subject) => {
  test('prints rules as they were rendered', async () => {
    await subject.with(async (iptables) => {
      for (const [table, samples] of [
        ['filter', filterSamples(subject.family)],
        ['nat', natSamples(subject.family)],
      ] as const) {
        const chains = ['KUBE-T', 'KUBE-FW-X', 'KUBE-SEP-X', 'KUBE-MARK-MASQ'];
        await iptables.restore(
          document(table, ...chains.map((name) => `:${name} - [0:0]`), ...samples.map((rule) => `-A KUBE-T ${rule}`)),
        );
        expect(await rules(iptables, table, 'KUBE-T')).toEqual(samples);
      }
    });
  });

  test('declaring a chain creates or flushes it, and keeps the others', async () => {
    await subject.with(async (iptables) => {
      await iptables.restore(
        document('nat', ':A - [0:0]', ':B - [0:0]', '-A A -j B', '-A B -j RETURN', '-A POSTROUTING -j A'),
      );
      await iptables.restore(document('nat', ':B - [0:0]', ':C - [0:0]', '-A C -j B', '-A B -j MASQUERADE'));
      expect(await rules(iptables, 'nat', 'A')).toEqual(['-j B']);
      expect(await rules(iptables, 'nat', 'B')).toEqual(['-j MASQUERADE']);
      expect(await rules(iptables, 'nat', 'C')).toEqual(['-j B']);
      expect(await rules(iptables, 'nat', 'POSTROUTING')).toEqual(['-j A']);
      await iptables.restore(document('nat', ':POSTROUTING - [0:0]'));
      expect(await rules(iptables, 'nat', 'POSTROUTING')).toEqual(['-j A']);
    });
  });

  test('inserts, deletes, flushes and removes', async () => {
    await subject.with(async (iptables) => {
      await iptables.restore(
        document('filter', '-N A', '-A A -j RETURN', '-I A -j DROP', '-I A 2 -j ACCEPT', '-I INPUT 1 -j A'),
      );
      expect(await rules(iptables, 'filter', 'A')).toEqual(['-j DROP', '-j ACCEPT', '-j RETURN']);
      expect(await iptables.ruleExists('filter', 'A', '-j ACCEPT')).toBe(true);
      await iptables.restore(document('filter', '-D A -j ACCEPT'));
      expect(await iptables.ruleExists('filter', 'A', '-j ACCEPT')).toBe(false);
      expect(await iptables.chainExists('filter', 'A')).toBe(true);
      await iptables.restore(document('filter', '-D INPUT -j A', '-F A', '-X A'));
      expect(await iptables.chainExists('filter', 'A')).toBe(false);
    });
  });

  test('a stamp changes only when rules or chains are added or removed', async () => {
    await subject.with(async (iptables) => {
      await iptables.restore(document('nat', ':A - [0:0]') + document('filter', ':A - [0:0]'));
      for (const table of ['nat', 'filter'] as const) {
        let before = await iptables.stamp(table);
        expect(before).toEqual(expect.any(String));
        for (const lines of [
          ['-A A -j RETURN'],
          ['-A OUTPUT -j A'],
          ['-A A -p tcp -m tcp --dport 80 -j ACCEPT'],
          ['-D OUTPUT -j A'],
          [':B - [0:0]'],
          ['-F A'],
          ['-X A'],
          [':A - [0:0]', '-X B', '-A A -j RETURN'],
        ]) {
          await iptables.restore(document(table, ...lines));
          const after = await iptables.stamp(table);
          expect({ lines, after }).not.toEqual({ lines, after: before });
          await iptables.save(table);
          await iptables.chainExists(table, 'A');
          await iptables.ruleExists(table, 'A', '-j RETURN');
          await iptables.ruleExists(table, 'A', '-j B');
          expect(await iptables.stamp(table)).toBe(after);
          before = after;
        }
      }
      // A closed instance can be used again.
      const before = await iptables.stamp('nat');
      iptables.close();
      expect(await iptables.stamp('nat')).toBe(before);
      iptables.close();
    });
  });

  test('the stamp of a chain changes when its rules change', async () => {
    await subject.with(async (iptables) => {
      await iptables.restore(document('nat', ':A - [0:0]', ':B - [0:0]'));
      const stamp = () => iptables.chainStamp('nat', 'A');
      let before = await stamp();
      expect(before).toEqual(expect.any(String));
      for (const lines of [
        ['-A A -j RETURN'],
        ['-A A -p tcp -m tcp --dport 80 -j ACCEPT'],
        ['-I A -p tcp -m tcp --dport 81 -j ACCEPT'],
        ['-D A -j RETURN'],
        ['-F A'],
      ]) {
        await iptables.restore(document('nat', ...lines));
        const after = await stamp();
        expect({ lines, after }).not.toEqual({ lines, after: before });
        expect(await stamp()).toBe(after);
        before = after;
      }
      await iptables.restore(document('nat', '-A A -j RETURN'));
      const full = await stamp();
      await iptables.restore(document('nat', '-A B -j RETURN', '-A OUTPUT -j A', ':C - [0:0]'));
      await iptables.restore(document('filter', ':A - [0:0]', '-A A -j ACCEPT'));
      if ((await iptables.version()).variant === 'nft') {
        expect(await stamp()).toBe(full);
      }
      // The stamp of a missing chain is that of an empty chain, or of the table.
      expect(await iptables.chainStamp('nat', 'NONE')).not.toBe(full);
      iptables.close();
    });
  });

  test('a jump is removed with the chain that it leads to', async () => {
    await subject.with(async (iptables) => {
      await iptables.restore(document('nat', ':A - [0:0]', '-A PREROUTING -j A'));
      expect(await iptables.ruleExists('nat', 'PREROUTING', '-j A')).toBe(true);
      await iptables.restore(document('nat', '-F PREROUTING', '-X A'));
      expect(await iptables.ruleExists('nat', 'PREROUTING', '-j A')).toBe(false);
    });
  });

  test.each([
    { why: 'jump to a missing chain', lines: [':NEW - [0:0]', '-A NEW -j NOPE'] },
    { why: 'append to a missing chain', lines: ['-A NOPE -j ACCEPT'] },
    { why: 'delete a chain that is jumped to', lines: [':B - [0:0]', '-X B'] },
    { why: 'delete a chain that is not empty', lines: ['-X A'] },
    { why: 'delete a missing chain', lines: ['-X NOPE'] },
    { why: 'create an existing chain', lines: ['-N A'] },
    { why: 'delete a missing rule', lines: ['-D INPUT -j ACCEPT'] },
    { why: 'insert behind the end', lines: ['-I INPUT 5 -j ACCEPT'] },
    { why: 'a name that is too long', lines: [':KUBE-ABCDEFGHIJKLMNOPQRSTUVWXYZ0123 - [0:0]'] },
    { why: 'jumps in a loop', lines: ['-A B -j A', '-A INPUT -j A'] },
    { why: 'unknown options', lines: ['--gibberish'] },
  ])('refuses the whole document: $why', async ({ lines }) => {
    await subject.with(async (iptables) => {
      await iptables.restore(document('filter', ':A - [0:0]', ':B - [0:0]', '-A A -j B'));
      const before = await iptables.save('filter');
      const refused = await iptables.restore(document('filter', ':FIRST - [0:0]', ...lines)).catch((error) => error);
      expect(refused).toBeInstanceOf(IptablesDocumentRefused);
      expect(refused.code).toBe('IPTABLES_DOCUMENT_REFUSED');
      // Errors of the kernel are reported at the line of the COMMIT.
      expect(refused.line).toBeGreaterThanOrEqual(2);
      expect(refused.line).toBeLessThanOrEqual(3 + lines.length);
      expect(chainsAndRules(await iptables.save('filter'))).toEqual(chainsAndRules(before));
    });
  });

  test('each table of a document is atomic on its own', async () => {
    await subject.with(async (iptables) => {
      const both = document('filter', ':GOOD - [0:0]') + document('nat', ':ALSO - [0:0]', '-A NOPE -j ACCEPT');
      const refused = await iptables.restore(both).catch((error) => error);
      expect(refused).toBeInstanceOf(IptablesDocumentRefused);
      expect(refused.line).toBe(6);
      expect(refused.lineText).toBe('-A NOPE -j ACCEPT');
      expect(await iptables.chainExists('filter', 'GOOD')).toBe(true);
      expect(await iptables.chainExists('nat', 'ALSO')).toBe(false);
    });
  });

  test('one document after another: each error has the line of its own document', async () => {
    await subject.with(async (iptables) => {
      for (let round = 1; round <= 3; round++) {
        await iptables.restore(document('nat', `:A${round} - [0:0]`, `-A A${round} -j RETURN`));
        const refused = await iptables.restore(document('nat', ':B - [0:0]', '-A NOPE -j ACCEPT')).catch((e) => e);
        expect(refused).toMatchObject({ code: 'IPTABLES_DOCUMENT_REFUSED', line: 3, lineText: '-A NOPE -j ACCEPT' });
        await iptables.restore(document('nat', `-A A${round} -j ACCEPT`));
        expect(await rules(iptables, 'nat', `A${round}`)).toEqual(['-j RETURN', '-j ACCEPT']);
      }
      expect(await iptables.chainExists('nat', 'B')).toBe(false);
      iptables.close();
      iptables.close();
      await iptables.restore(document('nat', '-F A1'));
      expect(await rules(iptables, 'nat', 'A1')).toEqual([]);
      iptables.close();
    });
  });

  test('reports foreign changes once, and no own writes', async () => {
    await subject.with(async (iptables, byOthers) => {
      const changed = () => iptables.hasForeignChanges('nat');
      await iptables.restore(document('nat', ':A - [0:0]'));
      await byOthers(document('nat', ':B - [0:0]'));
      expect(await changed()).toBe(false);
      for (const lines of [['-A A -j RETURN'], ['-A OUTPUT -j A'], ['-F A']]) {
        await iptables.restore(document('nat', ...lines));
        expect({ lines, changed: await changed() }).toEqual({ lines, changed: false });
        await byOthers(
          document('nat', ...(lines[0] === '-F A' ? ['-F B'] : [lines[0]?.replaceAll('A A', 'A B') ?? ''])),
        );
        expect({ lines, changed: await changed() }).toEqual({ lines, changed: true });
        expect(await changed()).toBe(false);
      }
      // A foreign change between two own writes, none after them.
      await byOthers(document('nat', '-A B -j ACCEPT'));
      await iptables.restore(document('nat', '-A A -j ACCEPT'));
      expect(await changed()).toBe(true);
      await iptables.restore(document('nat', ':A - [0:0]', '-A NOPE -j ACCEPT')).catch(() => undefined);
      await iptables.restore(document('filter', ':A - [0:0]') + document('nat', '-A A -j RETURN'));
      expect(await changed()).toBe(false);
      iptables.close();
    });
  });

  test('reports that it is available', async () => {
    await subject.with(async (iptables) => {
      expect(await iptables.isPresent()).toBe(true);
      expect(await iptables.version()).toMatchObject({ randomFully: true });
    });
  });
});

(canMakeNamespaces() ? test : test.skip).each(variants)(
  'concurrent own writes for both families are not reported as foreign changes, %s',
  (variant) =>
    withNamespace(async ({ runner }) => {
      const all = families.flatMap((family) =>
        (variant === 'nft' ? [0, 1] : [0]).map(() => createIptables({ family, variant, runner })),
      );
      for (const iptables of all) {
        await iptables.restore(document('nat', ':A - [0:0]'));
        expect(await iptables.hasForeignChanges('nat')).toBe(false);
      }
      for (let round = 0; round < 5; round++) {
        await Promise.all(all.map((iptables) => iptables.restore(document('nat', '-A A -j RETURN', ':B - [0:0]'))));
        for (const iptables of all) {
          expect(await iptables.hasForeignChanges('nat')).toBe(false);
        }
      }
      for (const iptables of all) {
        iptables.close();
      }
    }),
);

(canMakeNamespaces() ? test : test.skip).each(variants)(
  'own writes in progress are not reported as foreign changes, and what others change afterwards is, %s',
  (variant) =>
    withNamespace(async ({ runner }) => {
      const writing = families.map((family) => createIptables({ family, variant, runner }));
      const watching = families.map((family) => createIptables({ family, variant, runner }));
      const changed = async () => {
        const found: (boolean | undefined)[] = [];
        for (const iptables of watching) {
          found.push(await iptables.hasForeignChanges('nat'), await iptables.hasForeignChanges('filter'));
        }
        return found.includes(true);
      };
      expect(await changed()).toBe(false);
      for (let round = 0; round < 3; round++) {
        let running = writing.length;
        const chains = Array.from({ length: 300 }, (_, index) => `:R${round}-${index} - [0:0]`);
        const writes = writing.map(async (iptables) => {
          for (const table of ['nat', 'filter', 'nat'] as const) {
            await iptables.restore(document(table, ...chains));
          }
          running -= 1;
        });
        while (running > 0) {
          expect(await changed()).toBe(false);
          await new Promise((resolve) => setImmediate(resolve));
        }
        await Promise.all(writes);
        expect(await changed()).toBe(false);
        const { networkNamespace } = runner;
        const theirs: CommandRunner = { networkNamespace, run: (request) => runner.run(request) };
        await createIptables({ family: 'IPv4', variant, runner: theirs }).restore(
          document('nat', `:THEIRS${round} - [0:0]`),
        );
        expect(await changed()).toBe(true);
        expect(await changed()).toBe(false);
      }
      for (const iptables of [...writing, ...watching]) {
        iptables.close();
      }
    }),
);

test.each(variants)('has no stamps where the namespace of the tools is unknown, %s', async (variant) => {
  const nowhere = (networkNamespace?: string): CommandRunner => ({
    run: () => Promise.reject(new Error('not to be run')),
    networkNamespace,
  });
  for (const runner of [nowhere(), nowhere('/run/netns/none-such')]) {
    const iptables = createIptables({ family: 'IPv4', variant, runner });
    expect(await iptables.stamp('nat')).toBeUndefined();
    expect(await iptables.stamp('nat')).toBeUndefined();
    expect(await iptables.chainStamp('nat', 'OUTPUT')).toBeUndefined();
    expect(await iptables.hasForeignChanges('nat')).toBeUndefined();
    iptables.close();
  }
});

(canMakeNamespaces() ? test : test.skip).each(variants)('what stamps were asked by is given back, %s', (variant) =>
  withNamespace(async ({ runner }) => {
    const sockets = () => readdirSync('/proc/self/fd').filter((fd) => isSocket(`/proc/self/fd/${fd}`)).length;
    const before = sockets();
    const many = Array.from({ length: 50 }, () => createIptables({ family: 'IPv4', variant, runner }));
    for (const iptables of many) {
      expect(await iptables.stamp('nat')).toBeDefined();
    }
    expect(sockets()).toBeGreaterThanOrEqual(before + many.length);
    for (const iptables of many) {
      iptables.close();
    }
    while (sockets() >= before + many.length / 2) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }),
);

(canMakeNamespaces() ? describe : describe.skip)('a tool that stays', () => {
  const variant = 'nft';

  test('uses one process for many documents, holds no lock, and restarts it when it is killed', async () => {
    await withNamespace(async ({ runner }) => {
      const started: RunningCommand[] = [];
      const counting: CommandRunner = {
        run: (request) => runner.run(request),
        start: (request, output) => {
          const running = runner.start(request, output);
          started.push(running);
          return running;
        },
      };
      const iptables = createIptables({ family: 'IPv4', variant, runner: counting });
      const other = createIptables({
        family: 'IPv4',
        variant,
        runner,
        persistent: false,
        lockWait: 1,
        lockAttempts: 1,
      });
      for (let round = 1; round <= 3; round++) {
        await iptables.restore(document('nat', `:A${round} - [0:0]`));
        await other.restore(document('nat', `:B${round} - [0:0]`));
      }
      expect(started).toHaveLength(1);
      started[0]?.stop();
      await started[0]?.ended;
      await iptables.restore(document('nat', '-A A1 -j B3'));
      expect(started).toHaveLength(2);
      expect(await rules(other, 'nat', 'A1')).toEqual(['-j B3']);
      iptables.close();
      await started[1]?.ended;
    });
  });
});

/** False also for a process that was stopped in the meantime. */
function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith('socket:');
  } catch {
    return false;
  }
}

function chainsAndRules(saved: string): readonly string[] {
  return saved
    .split('\n')
    .filter((line) => /^[:-]/.test(line))
    .map((line) => line.replace(/\[.*/, ''));
}
