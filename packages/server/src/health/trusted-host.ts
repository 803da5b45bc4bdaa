import { parseAddress } from '@kube-proxier/core';

const HOST_AND_PORT = /^(?:\[([\da-f:.]+)(?:%[\w.-]+)?\]|([\w.-]+))(?::\d{1,5})?$/i;

/** The host of a `Host` header, without port and brackets; empty where there is none, undefined where it is malformed. */
export function hostNameOf(header: string | undefined): string | undefined {
  if (header === undefined || header === '') {
    return '';
  }
  const match = HOST_AND_PORT.exec(header);
  return match?.[1] ?? match?.[2];
}

/**
 * Whether a request for this host may be answered: one for an IP address, `localhost`, or one of `names`. A foreign name
 * that resolves to this address is rejected (DNS rebinding). HTTP/1.0 requests may name no host (''); browsers never send
 * those.
 */
export function isTrustedHost(host: string | undefined, names: readonly string[]): boolean {
  if (host === undefined || host === '') {
    return host === '';
  }
  const name = host.toLowerCase().replace(/\.$/, '');
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    parseAddress(host.replace(/^\[|\]$/g, '')) !== undefined ||
    names.some((known) => known !== '' && known.toLowerCase() === name)
  );
}
