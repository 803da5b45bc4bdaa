const BUILTIN: readonly string[] = ['PREROUTING', 'INPUT', 'FORWARD', 'OUTPUT', 'POSTROUTING'];

/** Whether a chain is a built-in chain, which packets enter without a jump. */
export function isBuiltinChain(name: string): boolean {
  return BUILTIN.includes(name);
}
