import { expect, test } from '@jest/globals';
import { CommandError } from '../process/command-runner.js';
import { firstErrorLine, isMissingObject, nftErrorOf, refusalOf } from './nft-diagnostics.js';

const failed = (stderr: string) => new CommandError('exit-code', 'nft', 1, undefined, stderr, stderr);

test('the first error is used; later ones may be its consequence', () => {
  expect(firstErrorLine('warning\nstdin:2:1-3: Error: first\nadd x\n^^^\nstdin:3:1-3: Error: second\n')).toBe(
    'stdin:2:1-3: Error: first',
  );
  expect(firstErrorLine('odd\nmore')).toBe('odd');
});

test.each([
  ['Error: Could not process rule: Operation not permitted', 'NFT_PERMISSION_DENIED', 'permission-denied'],
  ['netlink: Error: cache initialization failed: Interrupted system call', 'NFT_BUSY', undefined],
  ['Error: syntax error', 'NFT_FAILED', undefined],
])('%s: %s', (stderr, code, kind) => {
  expect(nftErrorOf(failed(stderr))).toMatchObject({ code, kind });
});

test('an object that does not exist is recognized', () => {
  expect(isMissingObject(nftErrorOf(failed('Error: No such file or directory; did you mean …')))).toBe(true);
  expect(isMissingObject(nftErrorOf(failed('Error: syntax error')))).toBe(false);
  expect(isMissingObject(failed('Error: No such file or directory'))).toBe(false);
});

test('a refusal has the line of the transaction, and the reason', () => {
  const error = failed('/dev/stdin:2:5-9: Error: Could not process rule: File exists\nadd b\n');
  expect(refusalOf('add a\nadd b\n', error)).toMatchObject({ refusal: 'exists', line: 2, lineText: 'add b' });
  expect(refusalOf('add a\n', failed('Error: odd'))).toMatchObject({ refusal: 'other', line: undefined });
});
