export { KubernetesError } from './kubernetes-error.js';
export { KubernetesSource, type KubernetesSourceOptions } from './kubernetes-source.js';
