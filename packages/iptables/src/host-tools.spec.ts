import { expect, test } from '@jest/globals';
import { RecordingLogger } from '@kube-proxier/core/testing';
import { CommandError, type CommandRequest, type CommandRunner } from '@kube-proxier/linux';
import { HostTools } from './host-tools.js';

/** A host with these programs, all of version 1.8.9. */
function hostWith(programs: Set<string>): { readonly runner: CommandRunner; readonly started: string[] } {
  const started: string[] = [];
  return {
    started,
    runner: {
      async run({ command, args = [] }: CommandRequest) {
        if (!programs.has(command)) {
          throw new CommandError('not-found', command, undefined, undefined, '', `${command} is not installed`);
        }
        started.push([command, ...args].join(' '));
        return { stdout: `${command} v1.8.9 (nf_tables)\n`, stderr: '' };
      },
    },
  };
}

test('concurrent calls query the version of a family once', async () => {
  const { runner, started } = hostWith(new Set(['iptables-nft', 'ip6tables-nft']));
  const tools = new HostTools(runner, 'nft');
  const versions = await Promise.all([tools.version('IPv4'), tools.version('IPv4'), tools.version('IPv6')]);
  expect(versions.map(({ text }) => text)).toEqual(['1.8.9', '1.8.9', '1.8.9']);
  expect(started).toEqual(['iptables-nft --version', 'ip6tables-nft --version']);
});

test('the version of an installed program is queried once', async () => {
  const { runner, started } = hostWith(new Set(['iptables-nft', 'ip6tables-nft']));
  const tools = new HostTools(runner, undefined);
  for (let round = 0; round < 3; round += 1) {
    expect(await tools.installedVariants('IPv4')).toEqual(['nft']);
    expect(await tools.installedVariants('IPv6')).toEqual(['nft']);
  }
  expect(started).toEqual(['iptables-nft --version', 'ip6tables-nft --version']);
});

test('later installation or removal of a program is detected', async () => {
  const programs = new Set(['iptables-nft', 'ip6tables-nft']);
  const { runner } = hostWith(programs);
  const tools = new HostTools(runner, undefined);
  const seen: string[] = [];
  const look = async () => {
    seen.length = 0;
    await tools.each(async (iptables, variant) => {
      await iptables.save('nat');
      seen.push(`${iptables.family} ${variant}`);
    });
  };
  programs.add('iptables-nft-save').add('ip6tables-nft-save');
  await look();
  expect(seen).toEqual(['IPv4 nft', 'IPv6 nft']);
  for (const program of ['iptables-legacy', 'iptables-legacy-save']) {
    programs.add(program);
  }
  await look();
  expect(seen).toEqual(['IPv4 nft', 'IPv4 legacy', 'IPv6 nft']);
  for (const program of ['iptables-nft', 'iptables-nft-save']) {
    programs.delete(program);
  }
  await look();
  expect(seen).toEqual(['IPv4 legacy', 'IPv6 nft']);
});

test('a variant whose tables cannot be listed causes one warning, even without an initial logger', async () => {
  const { runner } = hostWith(new Set(['iptables-nft-save', 'ip6tables-nft-save']));
  const refused = 'Cannot initialize: Permission denied (you must be root)';
  const legacyRefused = {
    async run(request: CommandRequest) {
      if (request.command === 'iptables-legacy-save') {
        throw new CommandError('exit-code', request.command, 1, undefined, refused, `it failed: ${refused}`);
      }
      return runner.run(request);
    },
  };
  const logger = new RecordingLogger(1);
  const tools = new HostTools(legacyRefused, undefined);
  await tools.chosen('IPv4');
  await tools.chosen('IPv4', logger);
  await tools.chosen('IPv6', logger);
  expect(logger.entries).toEqual([
    expect.objectContaining({
      level: 'warn',
      message: expect.stringMatching(
        /^Using nft iptables: only the nft tables can be listed .*Permission denied.*CAP_NET_RAW$/,
      ),
    }),
  ]);
  const other = new RecordingLogger(1);
  await new HostTools(runner, undefined).chosen('IPv4', other);
  expect(other.messages()).toEqual(['Using nft iptables: only the nft tools are installed']);
  expect(other.warnings).toEqual([]);
});
