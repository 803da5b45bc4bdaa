// The network sandbox: real packets through the real kernel.
export * from './sandbox/network-sandbox.js';
export * from './sandbox/outcome.js';
export * from './sandbox/sandbox-error.js';
export * from './sandbox/sandbox-host.js';
export { SANDBOX_NETWORK } from './sandbox/sandbox-plan.js';
