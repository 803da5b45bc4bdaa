import { expect, test } from '@jest/globals';
import { parseNftObjects, parseNftObjectsInSlices } from './nft-table.js';

test('a long listing is parsed in parts', () => {
  const rules = Array.from({ length: 5000 }, (_, handle) => ({
    rule: {
      ...{ family: 'ip', table: 'web', chain: 'web', handle, comment: ', {"rule": { "a": "b" }' },
      expr: [{ counter: null }, { vmap: { key: { meta: { key: 'mark' } }, data: { set: [[1, { drop: null }]] } } }],
    },
  }));
  const objects = [
    ...[{ metainfo: { version: '1.0.6' } }, { table: { family: 'ip', name: 'web' } }],
    ...rules,
    ...[{ chain: { family: 'ip', table: 'web', name: 'last' } }, { set: { family: 'ip', name: 'web', elem: [1, 2] } }],
  ];
  // As nft prints it, with a space after each comma and colon.
  const spaced = (value: unknown): string =>
    Array.isArray(value)
      ? `[${value.map(spaced).join(', ')}]`
      : typeof value === 'object' && value !== null
        ? `{${Object.entries(value)
            .map(([key, one]) => `${JSON.stringify(key)}: ${spaced(one)}`)
            .join(', ')}}`
        : JSON.stringify(value);
  const text = `${spaced({ nftables: objects })}\n`;
  const slices = parseNftObjectsInSlices(text);
  for (let pauses = 0; ; pauses++) {
    const { done, value } = slices.next();
    if (done) {
      expect(value).toEqual(parseNftObjects(text));
      expect(pauses).toBeGreaterThan(5);
      return;
    }
  }
});
