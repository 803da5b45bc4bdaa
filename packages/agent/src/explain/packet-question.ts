import { type Packet, ProxierError, parseAddress, printable } from '@kube-proxier/core';

const DESTINATION = /^(?:\[([^\]]+)\]|([^:/]+)):(\d{1,5})(?:\/([a-z]+))?$/i;

/** The two arguments of `explain` are invalid. */
export class QuestionError extends ProxierError {
  constructor(message: string) {
    super('INVALID_QUESTION', message);
  }
}

/**
 * Reads `SOURCE DESTINATION:PORT[/PROTOCOL]`: `10.244.0.5 10.96.0.10:53/udp`, `fd00::5 [fd00::10]:80`. The default
 * protocol is TCP.
 *
 * @throws QuestionError naming the invalid part and the expected format.
 */
export function readQuestion(source: string, destination: string): Packet {
  const from = parseAddress(source);
  if (!from) {
    throw new QuestionError(`source "${printable(source)}" is not an IP address`);
  }
  const match = DESTINATION.exec(destination);
  const to = parseAddress(match?.[1] ?? match?.[2]);
  if (!match || !to) {
    throw new QuestionError(
      `destination "${printable(destination)}" must be an IP address and a port, as in 10.96.0.10:80, [fd00::10]:80 or ` +
        `10.96.0.10:53/udp`,
    );
  }
  const port = Number(match[3]);
  if (port < 1 || port > 65_535) {
    throw new QuestionError(`port ${match[3]} is not a port (1 to 65535)`);
  }
  const protocol = (match[4] ?? 'TCP').toUpperCase();
  if (protocol !== 'TCP' && protocol !== 'UDP' && protocol !== 'SCTP') {
    throw new QuestionError(`protocol "${printable(match[4] ?? '')}" is not one of tcp, udp, sctp`);
  }
  if (from.family !== to.family) {
    throw new QuestionError(
      `${from.text} and ${to.text} are of different IP families; no packet goes from one to the other`,
    );
  }
  return { source: from.text, destination: to.text, port, protocol };
}
