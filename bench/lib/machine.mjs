import { cpus, release, totalmem } from 'node:os';

/**
 * The machine that figures were measured on: what may be published of it, so neither its name nor paths.
 *
 * @typedef {object} Machine
 * @property {string} node version of Node.js
 * @property {string} kernel version of Linux
 * @property {number} processors
 * @property {string} model of the processors
 * @property {number} memoryGiB
 */

/** @returns {Machine} */
export function machine() {
  const processors = cpus();
  return {
    node: process.version,
    kernel: /^\d+(\.\d+)*/.exec(release())?.[0] ?? 'unknown',
    processors: processors.length,
    model: processors[0]?.model.trim() ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
  };
}

/**
 * The same on one line.
 *
 * @param {Machine} [described] default: this one
 */
export function describeMachine({ node, kernel, processors, model, memoryGiB } = machine()) {
  return `node ${node}, Linux ${kernel}, ${processors} × ${model}, ${memoryGiB} GiB`;
}
