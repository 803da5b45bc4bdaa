const BUILTIN: readonly string[] = ['PREROUTING', 'INPUT', 'FORWARD', 'OUTPUT', 'POSTROUTING'];

/** Whether a chain is one of the kernel's, to which packets come without a jump. */
export function isBuiltinChain(name: string): boolean {
  return BUILTIN.includes(name);
}
