import { expect, test } from '@jest/globals';
import { whyNotPermitted } from './capabilities.js';

const status = (uid: number, effective: string, ambient: string) =>
  `Name:\tnode\nUid:\t${uid}\t${uid}\t${uid}\t${uid}\nCapEff:\t${effective}\nCapAmb:\t${ambient}\n`;
const ALL = '000001ffffffffff';
const NONE = '0000000000000000';
const NET = '0000000000003000';

test.each([
  ['a user without the capability', status(1000, NONE, NONE), /^this process has no CAP_NET_ADMIN; run it as root/],
  ['root without the capability', status(0, NONE, NONE), /^this process has no CAP_NET_ADMIN/],
  ['nothing that can be read', '', /^this process has no CAP_NET_ADMIN/],
  [
    'a user with a capability that its programs do not get',
    status(1000, NET, NONE),
    /the programs that it starts do not get it; .*ambient/,
  ],
  ['a user whose programs have the capability', status(1000, NET, NET), /something else refuses it/],
  ['root that is refused', status(0, ALL, NONE), /has CAP_NET_ADMIN, so something else refuses it/],
])('%s gets the real reason for a refusal', (_who, text, reason) => {
  expect(whyNotPermitted(text)).toMatch(reason);
});
