#!/usr/bin/env node
import { openFilesShortage } from './running/open-files-limit.js';
import { holdMemory, settleMemory } from './running/process-memory.js';

const shortage = openFilesShortage();
if (shortage !== undefined) {
  process.stderr.write(`kube-proxier cannot start: ${shortage}\n`);
  process.exit(1);
}
holdMemory();
// Imported only here, as these are many modules.
const { runProcess } = await import('./run-process.js');
await runProcess(async () => (await import('./compose.js')).compose(), settleMemory);
