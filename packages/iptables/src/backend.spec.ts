import { expect, test } from '@jest/globals';
import { createIptablesBackend } from './backend.js';

test.each([
  [
    { varient: 'nft' },
    'createIptablesBackend has no option "varient"; valid options are variant, runner, sysctl, counters, formerAffinity',
  ],
  [{ variant: 'nftables' }, 'option variant of createIptablesBackend is "nftables"; it must be one of nft, legacy'],
  [{ runner: 'sudo' }, 'option runner of createIptablesBackend is "sudo"; it must be an object with run()'],
])('options that no host can follow are refused at once: %j', (options: object, message) => {
  expect(() => createIptablesBackend(options)).toThrow(expect.objectContaining({ code: 'BACKEND_OPTION', message }));
});
