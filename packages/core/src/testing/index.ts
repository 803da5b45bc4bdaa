export * from './fake-dataplane.js';
export * from './objects.js';
export * from './resolve-objects.js';
export * from './virtual-clock.js';
