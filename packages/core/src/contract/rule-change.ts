/**
 * One change that a transaction makes, in the terms of the mode: of a rule in the kernel, or of a socket. Plain data for
 * JSON. An object that is replaced is removed and added.
 */
export interface RuleChange {
  readonly action: 'add' | 'remove';
  /** Where the object is, as tools name it: `iptables nat, IPv4`, `table ip kube-proxier`, `ipvs`. */
  readonly table: string;
  /** Kind of the object, in a word or two: `chain`, `rule`, `element`, `virtual server`, `socket`. */
  readonly kind: string;
  /** The chain, set or map that it is in. Absent for an object that is in none. */
  readonly container?: string;
  /** Of a rule: its place in the chain, 1 for the first; before the transaction for `remove`, after it for `add`. */
  readonly position?: number;
  /** The object as the tool prints it, on one line. */
  readonly text: string;
  /** Key of the service port that it belongs to. Absent where several share it, or where that is unknown. */
  readonly owner?: string;
}
