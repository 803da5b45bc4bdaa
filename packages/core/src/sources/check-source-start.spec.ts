import { expect, test } from '@jest/globals';
import type { SourceHandler } from '../contract/source.js';
import { checkSourceStart } from './check-source-start.js';

const nothing = () => {};
const HANDLER: SourceHandler = {
  onServiceUpdate: nothing,
  onEndpointsUpdate: nothing,
  onServicesSynced: nothing,
  onEndpointsSynced: nothing,
  onNodeUpdate: nothing,
  onServiceCIDRsUpdate: nothing,
};

test('accepts a handler and a context', () => {
  expect(() => checkSourceStart('AcmeSource', HANDLER, { nodeName: 'node1' })).not.toThrow();
});

test.each<[unknown[], string]>([
  [[], 'AcmeSource.start needs the argument handler; it must be an object with onServiceUpdate()'],
  [['text', { nodeName: 'node1' }], 'argument handler of AcmeSource.start is "text"; it must be an object with'],
  [[{ onServiceUpdate: nothing }, { nodeName: 'node1' }], 'argument handler of AcmeSource.start is {'],
  [[HANDLER], 'AcmeSource.start needs the argument context; it must be an object with nodeName (a text)'],
  [
    [HANDLER, { nodeName: 3 }],
    'argument context of AcmeSource.start is {"nodeName":3}; it must be an object with nodeName',
  ],
])('names the argument that is missing or invalid: %j', ([handler, context], message) => {
  expect(() => checkSourceStart('AcmeSource', handler as never, context as never)).toThrow(
    expect.objectContaining({ code: 'SOURCE_START', message: expect.stringContaining(message) }),
  );
});
