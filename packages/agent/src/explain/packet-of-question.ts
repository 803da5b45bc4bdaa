import { type Packet, type PacketQuestion, QuestionError } from '@kube-proxier/core';

/**
 * The packet of a question that consists of addresses. Recordings are queried by addresses.
 *
 * @throws QuestionError when the question contains a name.
 */
export function packetOf({ client, destination }: PacketQuestion): Packet {
  if (client?.kind !== 'address' || destination.kind !== 'address') {
    throw new QuestionError(
      'a recording is queried by addresses: give the IP address of the client, and <address>:<port>[/<protocol>]',
    );
  }
  return {
    source: client.address,
    destination: destination.address,
    port: destination.port,
    protocol: destination.protocol,
  };
}
