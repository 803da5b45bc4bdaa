import { readFileSync } from 'node:fs';

/**
 * Makes CAP_NET_ADMIN effective when a file capability of `node` only permits it, as in the image kube-proxier-nftables
 * without root. Capabilities are per thread, so call it before other threads are created. Otherwise it loads nothing.
 */
export async function raisePermittedNetAdmin(): Promise<void> {
  const [, permitted, effective] = /^CapPrm:\s*(\S+)\nCapEff:\s*(\S+)$/m.exec(ownStatus()) ?? [];
  if (permitted !== effective) {
    const { raiseNetAdmin } = await import('@kube-proxier/linux');
    await raiseNetAdmin();
  }
}

function ownStatus(): string {
  try {
    return readFileSync('/proc/self/status', 'utf8');
  } catch {
    return '';
  }
}
