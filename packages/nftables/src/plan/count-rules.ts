import { type NftField, nftFields } from '@kube-proxier/linux';
import type { LayoutContext, Rule } from './chain.js';
import { type CountScope, type EndpointQuantity, endpointCounters, fieldsOf, PROTOCOLS } from './layout.js';

/**
 * Counts a packet by the original address of its connection, and by its endpoint, and accepts it, whatever its protocol.
 * A packet that it does not count continues with {@link countRules}.
 */
export function anyPortRule({ family }: Pick<LayoutContext, 'family'>, quantity: EndpointQuantity): Rule {
  const { protocol } = fieldsOf(family);
  const key = [originalAddress(family), protocol, ...endpointOf(family, quantity)];
  return [{ kind: 'count', key, map: endpointCounters('any-port', quantity) }, { kind: 'accept' }];
}

/** Rules that count the other packets: where the original port of the connection is needed. */
export function countRules(context: LayoutContext, quantity: EndpointQuantity): Rule[] {
  const { protocol: field } = fieldsOf(context.family);
  const keys = keysWithPort(context, quantity);
  return PROTOCOLS.flatMap((protocol) =>
    keys.map(
      ([scope, key]): Rule => [
        // nft requires a protocol match before conntrack ports.
        { kind: 'match', left: field, right: protocol.toLowerCase() },
        { kind: 'count', key, map: endpointCounters(scope, quantity) },
        { kind: 'accept' },
      ],
    ),
  );
}

/**
 * The port of the packet precedes that of the connection: nft lists it as `tcp dport`, without the protocol match, which
 * it then has for the port of the connection.
 */
function keysWithPort(
  { family, features }: LayoutContext,
  quantity: EndpointQuantity,
): readonly (readonly [CountScope, readonly NftField[]])[] {
  const { protocol } = fieldsOf(family);
  const key = [protocol, ...endpointOf(family, quantity), nftFields.tuple('original', 'proto-dst')];
  const withAddress = [originalAddress(family), ...key];
  return [
    ...(features.sharedAddresses ? [['address', withAddress] as const] : []),
    ...(features.ranges ? [['range', withAddress] as const] : []),
    ['node-port', key],
  ];
}

function originalAddress(family: LayoutContext['family']): NftField {
  return nftFields.tuple('original', `${fieldsOf(family).family} daddr`);
}

/**
 * The endpoint: the destination of packets to it, the source of its replies. The kernel reads the packet much faster than
 * the tuples of its connection.
 */
function endpointOf(family: LayoutContext['family'], quantity: EndpointQuantity): readonly NftField[] {
  const { saddr, daddr } = fieldsOf(family);
  return quantity === 'to-clients' ? [saddr, nftFields.port('th', 'sport')] : [daddr, nftFields.port('th', 'dport')];
}
