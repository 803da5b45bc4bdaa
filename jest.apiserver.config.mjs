import base from './jest.config.mjs';

/**
 * Tests with a real API server: `KUBE_APISERVER=<path> ETCD=<path> npm run test:apiserver`. The spec of the fake server is among
 * them: with these variables it runs against both.
 */
export default {
  ...base,
  testMatch: [
    '<rootDir>/packages/*/src/**/*.apiserver.spec.ts',
    '<rootDir>/scripts/deploy/*.apiserver.spec.ts',
    '<rootDir>/packages/source-kubernetes/src/testing/fake-api-server.spec.ts',
  ],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
  testTimeout: 600_000,
};
