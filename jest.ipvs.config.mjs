import base from './jest.config.mjs';

/**
 * Tests that need a kernel with IPVS, `*.ipvs.spec.ts`: `npm run test:ipvs` boots one and runs them in it. They run from
 * the build, since that kernel has one slow processor.
 */
export default {
  rootDir: import.meta.dirname,
  testEnvironment: base.testEnvironment,
  testEnvironmentOptions: base.testEnvironmentOptions,
  testMatch: ['<rootDir>/packages/*/dist/**/*.ipvs.spec.js'],
  transform: {},
  testTimeout: 300_000,
};
