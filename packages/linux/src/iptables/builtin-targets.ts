/** Targets that an `IptablesRule` can have. */
const SUPPORTED: readonly string[] = [
  'ACCEPT',
  'DROP',
  'RETURN',
  'REJECT',
  'MARK',
  'SET',
  'MASQUERADE',
  'DNAT',
  'REDIRECT',
];

/** Other built-in targets, which occur only in foreign rules. */
const FOREIGN: readonly string[] = [
  ...['LOG', 'NFLOG', 'QUEUE', 'NFQUEUE', 'SNAT', 'NETMAP', 'CONNMARK', 'CT', 'NOTRACK', 'TRACE', 'TEE', 'TPROXY'],
  ...['TCPMSS', 'AUDIT', 'CLASSIFY', 'DSCP', 'TOS', 'TTL', 'HL', 'CHECKSUM', 'HMARK', 'LED', 'SECMARK'],
];

/** Whether `name`, after `-j`, is a built-in target of iptables and not a chain. */
export function isBuiltinTarget(name: string): boolean {
  return SUPPORTED.includes(name) || FOREIGN.includes(name);
}

/** Whether `name`, after `-j`, is a built-in target that `IptablesRule` does not support. */
export function isForeignTarget(name: string): boolean {
  return FOREIGN.includes(name);
}
