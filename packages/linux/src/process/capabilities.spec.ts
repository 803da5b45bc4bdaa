import { expect, test } from '@jest/globals';
import { type FileCapability, whyNotPermitted } from './capabilities.js';

const ALL = '000001ffffffffff';
const NONE = '0000000000000000';
const NET = '0000000000003000';
const ADMIN = '0000000000001000';

interface Sets {
  readonly uid?: number;
  readonly permitted?: string;
  readonly effective?: string;
  readonly bounding?: string;
  readonly ambient?: string;
  readonly noNewPrivileges?: boolean;
}

function status({
  uid = 65532,
  permitted = NONE,
  effective = NONE,
  bounding = NET,
  ambient = NONE,
  noNewPrivileges = false,
}: Sets): string {
  return (
    `Name:\tnode\nUid:\t${uid}\t${uid}\t${uid}\t${uid}\nCapPrm:\t${permitted}\nCapEff:\t${effective}\n` +
    `CapBnd:\t${bounding}\nCapAmb:\t${ambient}\nNoNewPrivs:\t${noNewPrivileges ? 1 : 0}\n`
  );
}

test.each<[string, string, FileCapability | undefined, RegExp]>([
  ['a user without the capability', status({}), undefined, /^this process has no CAP_NET_ADMIN; run it as root/],
  [
    'root without the capability',
    status({ uid: 0, bounding: ALL }),
    'absent',
    /^this process has no CAP_NET_ADMIN; run it as root, or with CAP_NET_ADMIN and CAP_NET_RAW$/,
  ],
  ['nothing that can be read', '', 'absent', /^this process has no CAP_NET_ADMIN/],
  [
    'a container that was not given the capability',
    status({ uid: 0, bounding: NONE }),
    'present',
    /^this process has no CAP_NET_ADMIN; .*add NET_ADMIN .*securityContext\.capabilities\.add/,
  ],
  [
    'a program whose file capability was lost',
    status({ noNewPrivileges: true }),
    'absent',
    /needs the file capability cap_net_admin, .* lost where an image is unpacked or copied without extended attributes$/,
  ],
  [
    'a container runtime that permits nothing to users',
    status({ noNewPrivileges: true }),
    'present',
    /with no_new_privs the kernel ignores the file capability .*; set allowPrivilegeEscalation: true/,
  ],
  ['a file system without file capabilities', status({}), 'present', /mounted with nosuid/],
  [
    'a capability that koffi would put into effect',
    status({ permitted: NET }),
    'present',
    /no CAP_NET_ADMIN in effect, although it is permitted, as the package koffi cannot be loaded/,
  ],
  [
    'a user with a capability that its programs do not get',
    status({ permitted: NET, effective: NET }),
    undefined,
    /the programs that it starts do not get it; .*ambient/,
  ],
  [
    'a user whose programs have the capability',
    status({ permitted: NET, effective: NET, ambient: NET }),
    undefined,
    /something else refuses it/,
  ],
  [
    'root without the capability for the sockets of iptables-legacy',
    status({ uid: 0, permitted: ADMIN, effective: ADMIN, bounding: ADMIN }),
    undefined,
    /something else refuses it: the lack of CAP_NET_RAW, which iptables-legacy needs, a user namespace/,
  ],
  [
    'root that is refused',
    status({ uid: 0, permitted: ALL, effective: ALL, bounding: ALL }),
    undefined,
    /has CAP_NET_ADMIN, so something else refuses it: a user namespace/,
  ],
])('%s gets the real reason for a refusal', (_who, text, fileCapability, reason) => {
  expect(whyNotPermitted({ status: text, fileCapability })).toMatch(reason);
});

test('a refusal of this process itself does not mention its programs', () => {
  const text = status({ permitted: NET, effective: NET });
  expect(whyNotPermitted({ status: text, refused: 'process' })).toMatch(/something else refuses it/);
});
