#!/usr/bin/env node
import { runProcess } from './run-process.js';
import { holdMemory, settleMemory } from './running/process-memory.js';

holdMemory();
await runProcess(async () => (await import('./compose.js')).compose(), settleMemory);
