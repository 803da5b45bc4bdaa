import { expect, test } from '@jest/globals';
import { createNftablesBackend } from './backend.js';

test.each([
  [
    { layout: 'wrong' },
    'option layout of createNftablesBackend is "wrong"; it must be one of constant, chain-per-service',
  ],
  [
    { ownTable: 'always' },
    'createNftablesBackend has no option "ownTable"; valid options are runner, countConnections, ownedTable, layout, access, formerAffinity',
  ],
  [{ countConnections: 'yes' }, 'option countConnections of createNftablesBackend is "yes"; it must be true or false'],
])('options that no host can follow are refused at once: %j', (options: object, message) => {
  expect(() => createNftablesBackend(options)).toThrow(expect.objectContaining({ code: 'BACKEND_OPTION', message }));
});
