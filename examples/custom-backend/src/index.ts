export { createHaproxyBackend, type HaproxyBackendOptions, haproxyBackend } from './haproxy-backend.js';
export { HaproxyError, type HaproxyErrorCode } from './haproxy-error.js';
