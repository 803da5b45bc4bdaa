#!/usr/bin/env node
import { loadBuiltinModules } from './running/builtin-modules.js';
import { writeCompileCache } from './running/compile-cache.js';
import { raisePermittedNetAdmin } from './running/net-admin.js';
import { openFilesShortage } from './running/open-files-limit.js';
import { holdMemory, MEMORY_OF_PHASES } from './running/process-memory.js';
import { versionText } from './version.js';

const shortage = openFilesShortage();
if (process.argv.length === 3 && process.argv[2] === '--version') {
  process.stdout.write(versionText());
} else if (shortage === undefined) {
  await raisePermittedNetAdmin();
  loadBuiltinModules();
  holdMemory();
  // Imported only here, as these are many modules.
  const { runProcess } = await import('./run-process.js');
  await runProcess(async () => (await import('./compose.js')).compose(), {
    ...MEMORY_OF_PHASES,
    settled: (isOver) => {
      writeCompileCache();
      MEMORY_OF_PHASES.settled(isOver);
    },
  });
} else {
  process.stderr.write(`kube-proxier cannot start: ${shortage}\n`);
  process.exitCode = 1;
}
