import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { type IPFamily, parseAddress } from '@kube-proxier/core';
import type { CommandRunner } from '../process/command-runner.js';
import { kernelFiles, kernelFilesOf, systemErrorCode } from '../process/kernel-files.js';

/** The virtual servers of IPVS, with `persistent` and a timeout where they have persistence. */
const VIRTUAL_SERVERS = '/proc/net/ip_vs';
/** The connections of IPVS in the network namespace of the reader. */
const CONNECTIONS = '/proc/net/ip_vs_conn';

/** A persistence template of IPVS: the real server that a client keeps. */
export interface IpvsTemplate {
  readonly protocol: 'TCP' | 'UDP' | 'SCTP';
  /** Addresses in canonical spelling. */
  readonly client: string;
  readonly virtualAddress: string;
  /** 0 for all ports. */
  readonly virtualPort: number;
  readonly realAddress: string;
  readonly realPort: number;
  /** Until it expires without a further connection. */
  readonly seconds: number;
}

/**
 * Reads the persistence templates of one family. Empty on a kernel without IPVS. Connections, of which there may be a
 * million, are read only if a virtual server has persistence.
 *
 * @param runner of the network namespace to read. Default: that of this process; then the connections are never in
 *   memory as a whole.
 */
export async function readIpvsTemplates(family: IPFamily, runner?: CommandRunner): Promise<readonly IpvsTemplate[]> {
  const files = runner === undefined ? kernelFiles : kernelFilesOf(runner);
  const templates: IpvsTemplate[] = [];
  try {
    if (!/ persistent \d/.test(await files.read(VIRTUAL_SERVERS))) {
      return templates;
    }
    for await (const line of runner === undefined ? ownLines() : linesOf(runner)) {
      const template = parseIpvsTemplate(line);
      if (template !== undefined && template.client.includes(':') === (family === 'IPv6')) {
        templates.push(template);
      }
    }
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') {
      return [];
    }
    throw error;
  }
  return templates;
}

function ownLines(): AsyncIterable<string> {
  return createInterface({ input: createReadStream(CONNECTIONS) });
}

async function* linesOf(runner: CommandRunner): AsyncGenerator<string> {
  yield* (await kernelFilesOf(runner).read(CONNECTIONS)).split('\n');
}

const TEMPLATE =
  /^(TCP|UDP|SCTP) +([0-9A-Fa-f:]+) 0000 ([0-9A-Fa-f:]+) ([0-9A-F]{4}) ([0-9A-Fa-f:]+) ([0-9A-F]{4}) +\S+ +(\d+)/;

/** A template in a line of `/proc/net/ip_vs_conn`; undefined for a connection, which has a source port. Pure. */
export function parseIpvsTemplate(line: string): IpvsTemplate | undefined {
  const [, protocol, source = '', virtual = '', virtualPort = '', real = '', realPort = '', seconds] =
    TEMPLATE.exec(line) ?? [];
  const [client, virtualAddress, realAddress] = [source, virtual, real].map(addressOf);
  if (protocol === undefined || client === undefined || virtualAddress === undefined || realAddress === undefined) {
    return undefined;
  }
  return {
    protocol: protocol as IpvsTemplate['protocol'],
    ...{ client, virtualAddress, realAddress },
    virtualPort: Number.parseInt(virtualPort, 16),
    realPort: Number.parseInt(realPort, 16),
    seconds: Number(seconds),
  };
}

/** IPv4 addresses are eight hexadecimal digits; IPv6 addresses have all groups. */
function addressOf(text: string): string | undefined {
  const dotted = text.match(/^[0-9A-Fa-f]{8}$/) ? Buffer.from(text, 'hex').join('.') : text;
  return parseAddress(dotted)?.text;
}
