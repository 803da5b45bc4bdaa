/** Numbers of `linux/netfilter/nf_tables.h` and `linux/netfilter/nfnetlink.h`. */

/** Subsystem part of the message type; the operation is added. */
export const NFTABLES_SUBSYSTEM = 10;

/** Operations. */
export const NFT_MESSAGES = {
  newTable: 0,
  getTable: 1,
  deleteTable: 2,
  newChain: 3,
  getChain: 4,
  deleteChain: 5,
  newRule: 6,
  getRule: 7,
  deleteRule: 8,
  newSet: 9,
  getSet: 10,
  deleteSet: 11,
  newElements: 12,
  getElements: 13,
  deleteElements: 14,
  newGeneration: 15,
  getGeneration: 16,
  newObject: 18,
  getObject: 19,
  deleteObject: 20,
} as const;

export type NftMessage = keyof typeof NFT_MESSAGES;

/** The type of the netlink message for an operation. */
export function nftMessageType(message: NftMessage): number {
  return (NFTABLES_SUBSYSTEM << 8) | NFT_MESSAGES[message];
}

/** Bytes of the structure that messages of nf_tables begin with. */
export const NFT_MESSAGE_HEAD = 4;

/** Begin and end of a transaction. */
export const NFNL_BATCH = { begin: 0x10, end: 0x11, generation: 1 } as const;

/** Address families in the header of a message. */
export const NFT_FAMILIES = { ip: 2, ip6: 10 } as const;

export const NFTA_LIST_ELEMENT = 1;
export const NFTA_TABLE = { name: 1, flags: 2, use: 3, handle: 4, userData: 6, owner: 7 } as const;
export const NFTA_CHAIN = { table: 1, handle: 2, name: 3, hook: 4, policy: 5, type: 7, flags: 10 } as const;
export const NFTA_HOOK = { number: 1, priority: 2 } as const;
export const NFTA_RULE = {
  table: 1,
  chain: 2,
  handle: 3,
  expressions: 4,
  compat: 5,
  position: 6,
  userData: 7,
} as const;
export const NFTA_EXPRESSION = { name: 1, data: 2 } as const;
export const NFTA_SET = {
  table: 1,
  name: 2,
  flags: 3,
  keyType: 4,
  keyLength: 5,
  dataType: 6,
  dataLength: 7,
  description: 9,
  id: 10,
  timeout: 11,
  userData: 13,
  objectType: 15,
  /** Since Linux 6.16. */
  count: 20,
} as const;
export const NFTA_SET_DESCRIPTION = { size: 1, fields: 2 } as const;
export const NFTA_SET_FIELD_LENGTH = 1;
export const NFTA_ELEMENTS = { table: 1, set: 2, elements: 3, setId: 4 } as const;
export const NFTA_ELEMENT = {
  key: 1,
  data: 2,
  flags: 3,
  timeout: 4,
  expiration: 5,
  userData: 6,
  object: 9,
  keyEnd: 10,
} as const;
export const NFTA_DATA = { value: 1, verdict: 2 } as const;
export const NFTA_VERDICT = { code: 1, chain: 2 } as const;
export const NFTA_OBJECT = { table: 1, name: 2, type: 3, data: 4 } as const;
export const NFTA_COUNTER = { bytes: 1, packets: 2 } as const;
export const NFTA_GENERATION = { id: 1, processId: 2, processName: 3 } as const;

export const NFT_TABLE_FLAGS = { dormant: 1, owner: 2, persist: 4 } as const;
export const NFT_SET_FLAGS = {
  anonymous: 0x1,
  constant: 0x2,
  interval: 0x4,
  map: 0x8,
  timeout: 0x10,
  dynamic: 0x20,
  object: 0x40,
  concatenation: 0x80,
} as const;
export const NFT_OBJECT_COUNTER = 1;
export const NFT_DATA_VERDICT = 0xffffff00;
export const NFT_VERDICTS = { drop: 0, accept: 1, jump: -3, goto: -4, return: -5 } as const;
export const NFT_REGISTER_VERDICT = 0;

/** Hooks of the families ip and ip6. */
export const NFT_HOOKS = { prerouting: 0, input: 1, forward: 2, output: 3, postrouting: 4 } as const;
export const NFT_POLICY_ACCEPT = 1;
/** The catch-all element flag. */
export const NFT_ELEMENT_CATCH_ALL = 2;

/** Numbers of data types, which nft uses for printing; the kernel does not interpret them. */
export const NFT_TYPE_NUMBERS = {
  integer: 4,
  ipv4_addr: 7,
  ipv6_addr: 8,
  inet_proto: 12,
  inet_service: 13,
  mark: 19,
  classid: 23,
  ifname: 41,
  ct_state: 26,
  ct_dir: 27,
  ct_status: 28,
  fib_addrtype: 42,
} as const;
/**
 * The type `realm`, for a slot number (`numgen`, an `integer`) in a key: it has a size of 32 bits. nft reads the
 * expression from the user data, but nft 1.0.2 cannot, and aborts when it lists a key with a type without a size.
 */
export const NFT_TYPE_OF_SLOT = 22;
/** Bits for each type in the number of a concatenation. */
export const NFT_TYPE_BITS = 6;

/** User data of nft, for printing an object as it was written. Opaque to the kernel. */
export const NFT_USER_DATA = {
  rule: { comment: 0 },
  set: { keyByteOrder: 0, dataByteOrder: 1, keyTypeof: 3, dataTypeof: 4, dataInterval: 6 },
  typeof: { expression: 0, data: 1 },
} as const;
/** Kinds of expression in user data. */
export const NFT_USER_EXPRESSIONS = { payload: 7, meta: 9, concatenation: 13, numgen: 23 } as const;
export const NFT_BYTE_ORDERS = { none: 0, host: 1, network: 2 } as const;
