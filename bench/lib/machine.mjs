import { cpus, totalmem } from 'node:os';

/** The machine that figures were measured on. */
export function machine() {
  const processors = cpus();
  return {
    node: process.version,
    processors: processors.length,
    model: processors[0]?.model.trim() ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
  };
}

/** The same on one line. */
export function describeMachine() {
  const { node, processors, model, memoryGiB } = machine();
  return `node ${node}, ${processors} × ${model}, ${memoryGiB} GiB`;
}
