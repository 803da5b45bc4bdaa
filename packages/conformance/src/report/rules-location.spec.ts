import { describe, expect, test } from '@jest/globals';
import { rulesLocation } from './rules-location.js';

describe('where the rules are defined whose ids a report prints', () => {
  test.each(['git+https://example.com/acme/kube-proxier.git', 'https://example.com/acme/kube-proxier'])(
    'is a URL in a published package: %s',
    (url) => {
      expect(rulesLocation({ repository: { url } })).toBe(
        'https://example.com/acme/kube-proxier/tree/HEAD/docs/behaviour',
      );
    },
  );

  test.each([{}, { repository: {} }, { repository: { url: 'git@example.com:acme/kube-proxier.git' } }])(
    'is said in words where the package names no web address: %j',
    (manifest) => {
      expect(rulesLocation(manifest)).toBe('docs/behaviour in the repository of kube-proxier');
    },
  );
});
