import { availableParallelism } from 'node:os';

/** One configuration for every package. Sources are run directly (swc), so a test never sees a stale build. */
export default {
  rootDir: import.meta.dirname,
  testEnvironment: 'node',
  // Jest's own clean-up walks everything that globals lead to, and runs out of stack in long test files.
  testEnvironmentOptions: { globalsCleanup: 'off' },
  extensionsToTreatAsEsm: ['.ts'],
  testMatch: [
    '<rootDir>/packages/*/src/**/*.spec.ts',
    '<rootDir>/scripts/**/*.spec.ts',
    '<rootDir>/examples/*.spec.ts',
    '<rootDir>/bench/**/*.spec.ts',
  ],
  // These need a kernel with IPVS, or a real API server: see jest.ipvs.config.mjs and jest.apiserver.config.mjs.
  testPathIgnorePatterns: ['/node_modules/', '\\.(ipvs|apiserver)\\.spec\\.ts$'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^@kube-proxier/core/test-data/(.+)$': '<rootDir>/packages/core/test-data/$1',
    '^@kube-proxier/([^/]+)$': '<rootDir>/packages/$1/src/index.ts',
    '^@kube-proxier/([^/]+)/(.+)$': '<rootDir>/packages/$1/src/$2/index.ts',
  },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript' },
        },
        module: { type: 'es6' },
      },
    ],
  },
  // Tests wait for kernels and processes as long as they compute.
  maxWorkers: availableParallelism() + 2,
  reporters: ['default', '<rootDir>/scripts/end-of-run.mjs'],
  globalSetup: '<rootDir>/scripts/build-before-tests.mjs',
  // Ends what hangs. No test waits for it, and a machine that has much else to do may take many times as long as usual.
  testTimeout: 240_000,
};
