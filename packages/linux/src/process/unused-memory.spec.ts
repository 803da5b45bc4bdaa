import { describe, expect, test } from '@jest/globals';
import { unchangedFileRanges } from './unused-memory.js';

/** As the kernel prints it, with the fields that matter and some of the others. */
function mapping(line: string, fields: Readonly<Record<string, number>> = {}): string {
  const { Anonymous = 0, Private_Dirty = 0 } = fields;
  return (
    `${line}\nSize:               1024 kB\nRss:                 512 kB\nPrivate_Dirty:       ${String(Private_Dirty).padStart(4)} kB\n` +
    `Anonymous:           ${String(Anonymous).padStart(4)} kB\nTHPeligible:           0\nVmFlags: rd ex mr mw me sd \n`
  );
}

describe('unchangedFileRanges', () => {
  test('code and constants of a program file', () => {
    const text =
      mapping('00400000-00600000 r--p 00000000 fe:00 1234                               /usr/bin/node') +
      mapping('7f0000000000-7f0000400000 r-xp 00200000 fe:00 1234                       /usr/bin/node (deleted)');
    expect(unchangedFileRanges(text, '/usr/bin/node')).toEqual([
      { address: 0x400000, length: 0x200000 },
      { address: 0x7f0000000000, length: 0x400000 },
    ]);
  });

  test.each([
    ['writable', mapping('00400000-00600000 rw-p 00000000 fe:00 1234 /usr/bin/node')],
    ['shared with other processes', mapping('00400000-00600000 r--s 00000000 fe:00 1234 /usr/bin/node')],
    ['not of a file', mapping('00400000-00600000 r-xp 00000000 00:00 0 ')],
    ['of the kernel', mapping('7ffc00000000-7ffc00002000 r-xp 00000000 00:00 0                          [vdso]')],
    ['of a library', mapping('00400000-00600000 r-xp 00000000 fe:00 1234 /usr/lib/libc.so.6')],
    ['with a breakpoint', mapping('00400000-00600000 r-xp 00000000 fe:00 1234 /usr/bin/node', { Anonymous: 4 })],
    ['with a changed page', mapping('00400000-00600000 r--p 00000000 fe:00 1 /usr/bin/node', { Private_Dirty: 4 })],
    ['of which the kernel does not tell', '00400000-00600000 r-xp 00000000 fe:00 1234 /usr/bin/node\n'],
  ])('nothing of a mapping that is %s', (_, text) => {
    expect(unchangedFileRanges(text, '/usr/bin/node')).toEqual([]);
    const other = mapping('00800000-00900000 r-xp 00000000 fe:00 1234 /usr/bin/node');
    expect(unchangedFileRanges(text + other, '/usr/bin/node')).toEqual([{ address: 0x800000, length: 0x100000 }]);
  });
});
