import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemPath } from '@kube-proxier/linux';

/**
 * Whether the sandbox can send SCTP here. It needs Perl, and a kernel whose own SCTP is not in use (module `sctp`), which
 * would abort the associations of the sandbox.
 */
export function canSendSctp(): boolean {
  const hasPerl = systemPath()
    .split(':')
    .some((directory) => existsSync(join(directory, 'perl')));
  return hasPerl && !existsSync('/proc/net/sctp');
}
