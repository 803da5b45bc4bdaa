import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { canMakeNamespaces, type TestNamespace, withNamespace } from '../../process/network-namespace.js';
import { NFT_FAMILIES } from './nf-tables.js';
import { NftConsistentLists } from './nft-consistent-lists.js';
import { NftSocket } from './nft-socket.js';

const RULES = 10_000;
const whereAllowed = canMakeNamespaces() ? describe : describe.skip;

/** Milliseconds in which the other process must have committed. */
const PATIENCE = 20_000;

/** Calls `use` while a process commits all the time, again if it did not commit meanwhile. */
async function whileCommitting(
  { runner }: TestNamespace,
  commands: string,
  use: (lists: NftConsistentLists, socket: NftSocket) => void,
  path: string,
): Promise<void> {
  const socket = new NftSocket({ namespace: path });
  const stop = join(tmpdir(), `stop-commits-${process.pid}-${Date.now()}`);
  const first = await socket.generation();
  const loop = `for i in $(seq 5000); do test -e ${stop} && exit; printf '${commands}' | nft -f - || exit; done`;
  const committing = runner.run({ command: 'sh', args: ['-c', loop] });
  try {
    while ((await socket.generation()) < first + 3) {
      await delay(5);
    }
    const lists = new NftConsistentLists(socket);
    const before = lists.generation();
    const end = performance.now() + PATIENCE;
    // On a busy machine, the other process may not run meanwhile.
    do {
      use(lists, socket);
    } while (lists.generation() === before && performance.now() < end);
    expect(lists.generation()).toBeGreaterThan(before);
  } finally {
    await writeFile(stop, '');
    await committing;
    await rm(stop);
    socket.close();
  }
}

function handlesOf(lists: NftConsistentLists): readonly bigint[] {
  let handles: bigint[] = [];
  lists.rules(NFT_FAMILIES.ip, 't', 'c', () => {
    handles = [];
    return (_payload, handle) => handles.push(handle);
  });
  return handles;
}

async function withChain(use: (namespace: TestNamespace) => Promise<void>): Promise<void> {
  await withNamespace(async (namespace) => {
    const rules = 'add rule ip t c counter\n'.repeat(RULES);
    const stdin = `add table ip t\nadd chain ip t c\nadd table ip other\nadd chain ip other c\n${rules}`;
    await namespace.runner.run({ command: 'nft', args: ['-f', '-'], stdin });
    await use(namespace);
  });
}

whereAllowed('lists of rules, while another process commits all the time', () => {
  test('a long chain that does not change is read', async () => {
    await withChain(async (namespace) => {
      await whileCommitting(
        namespace,
        'add rule ip other c counter\\n',
        (lists) => {
          for (let read = 0; read < 10; read++) {
            const handles = handlesOf(lists);
            expect(handles).toHaveLength(RULES);
            expect((handles.at(-1) ?? 0n) - (handles[0] ?? 0n)).toBe(BigInt(RULES - 1));
          }
          expect(lists.tables()).toHaveLength(2);
        },
        namespace.path,
      );
    });
  }, 60_000);

  test('a long chain that changes all the time is never read with gaps', async () => {
    await withChain(async (namespace) => {
      const { stdout } = await namespace.runner.run({ command: 'nft', args: ['-a', 'list', 'chain', 'ip', 't', 'c'] });
      const first = Number(/counter .*# handle (\d+)/.exec(stdout)?.[1]);
      const commands = `delete rule ip t c handle '$((${first} + i - 1))'\\nadd rule ip t c counter\\n`;
      await whileCommitting(
        namespace,
        commands,
        (lists) => {
          let failures = 0;
          for (let read = 0; read < 2; read++) {
            let handles: readonly bigint[];
            try {
              handles = handlesOf(lists);
            } catch (error) {
              expect(String(error)).toContain('changed during each');
              failures += 1;
              continue;
            }
            expect(handles).toHaveLength(RULES);
            expect((handles.at(-1) ?? 0n) - (handles[0] ?? 0n)).toBe(BigInt(RULES - 1));
          }
          expect(failures).toBeLessThanOrEqual(2);
        },
        namespace.path,
      );
    });
  }, 60_000);
});
