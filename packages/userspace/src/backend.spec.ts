import { expect, test } from '@jest/globals';
import { createUserspaceBackend } from './backend.js';

test.each([
  [
    { redirect: 'never' },
    'option redirect of createUserspaceBackend is "never"; it must be one of auto, iptables, bind, none',
  ],
  [
    { portRange: '30000-32767' },
    'option portRange of createUserspaceBackend is "30000-32767"; it must be { first, last }, two ports of 1 to 65535 in this order',
  ],
  [
    { dialTimeouts: [100, 0] },
    'option dialTimeouts of createUserspaceBackend is [100,0]; it must be a list of numbers of milliseconds, greater than 0, with at least one',
  ],
  [
    { listenAddresses: ['localhost'] },
    'option listenAddresses of createUserspaceBackend is ["localhost"]; it must be a list of IP addresses',
  ],
])('options that no host can follow are refused at once: %j', (options: object, message) => {
  expect(() => createUserspaceBackend(options)).toThrow(expect.objectContaining({ code: 'BACKEND_OPTION', message }));
});
