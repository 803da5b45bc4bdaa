export * from './cluster-sketch.js';
export * from './fake-dataplane.js';
export * from './objects.js';
export * from './random.js';
export * from './random-cluster.js';
export * from './resolve-objects.js';
export * from './simulation.js';
export * from './virtual-clock.js';
