#!/usr/bin/env node
import { runProcess } from './run-process.js';

await runProcess(async () => (await import('./compose.js')).compose());
