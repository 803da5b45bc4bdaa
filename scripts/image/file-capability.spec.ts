import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { withFileCapability } from './file-capability.mjs';

const directory = mkdtempSync(join(tmpdir(), 'file-capability-'));
afterAll(() => rmSync(directory, { recursive: true }));

function archive(): Buffer {
  const files = join(directory, 'files');
  mkdirSync(join(files, 'bin'), { recursive: true });
  for (const [name, size] of [
    ['bin/empty', 0],
    ['bin/node', 1000],
    ['bin/other', 512],
  ] as const) {
    writeFileSync(join(files, name), 'x'.repeat(size));
  }
  const tar = join(directory, 'plain.tar');
  execFileSync('tar', ['--create', '--file', tar, '--directory', files, '--format=ustar', '--sort=name', '.']);
  return readFileSync(tar);
}

function list(tar: Buffer, ...options: string[]): string {
  const file = join(directory, 'listed.tar');
  writeFileSync(file, tar);
  return execFileSync('tar', ['--list', '--verbose', '--verbose', '--file', file, ...options], { encoding: 'utf8' });
}

test('one file gets the attribute, as tar reads it, and the rest of the archive stays as it is', () => {
  const plain = archive();
  const changed = withFileCapability(plain, './bin/node');
  const attributes = list(changed, '--xattrs', '--xattrs-include=*');
  expect(attributes).toMatch(/ \.\/bin\/node\n +x: +20 security\.capability\n/);
  expect(attributes.match(/security/g)).toHaveLength(1);
  expect(list(changed)).toBe(list(plain));
  expect(changed.length).toBe(plain.length + 2 * 512);
  expect(withFileCapability(plain, './bin/node').equals(changed)).toBe(true);
});

test('the value is that of setcap(8) for cap_net_admin+p', () => {
  const changed = withFileCapability(archive(), './bin/node');
  const at = changed.indexOf('SCHILY.xattr.security.capability=');
  const value = changed.subarray(at + 'SCHILY.xattr.security.capability='.length).subarray(0, 21);
  expect(value.toString('hex')).toBe('0000000200100000000000000000000000000000' + '0a');
});

test('a file that the archive does not have is an error', () => {
  expect(() => withFileCapability(archive(), './bin/nod')).toThrow(
    'the layer has no file ./bin/nod to give a capability',
  );
  expect(() => withFileCapability(archive(), './bin')).toThrow('the layer has no file');
});
