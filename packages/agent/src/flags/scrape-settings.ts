import type { CertificateFiles, ScrapeOptions } from '@kube-proxier/server';
import type { FlagValues } from './flag-values.js';
import { readListenAddress, type StatusAddress } from './status-addresses.js';

/** Options of the metrics-only server. */
export interface ScrapeSettings extends StatusAddress {
  readonly tls: Required<ScrapeOptions>['tls'];
  readonly access: 'authorized' | 'everybody';
}

const DEFAULT_PORT = 10_269;
/** With the values that have no effect without it: `--write-config-to` writes them. */
const DETAILS = [
  ['metrics-scrape-access', 'authorized'],
  ['metrics-scrape-tls', 'true'],
  ['metrics-scrape-tls-cert-file', ''],
  ['metrics-scrape-tls-private-key-file', ''],
] as const;

/**
 * Reads `--metrics-scrape-bind-address` and the flags that belong to it.
 *
 * @param hasApiServer whether objects come from an API server, which then authorizes access.
 * @returns undefined when metrics are not served there.
 */
export function readScrape(values: FlagValues, hasApiServer: boolean): ScrapeSettings | undefined {
  const access = values.text('metrics-scrape-access');
  const isTls = values.bool('metrics-scrape-tls');
  const files = certificateFiles(values);
  if (access !== 'authorized' && access !== 'everybody') {
    values.wrong('metrics-scrape-access', access, 'must be authorized or everybody');
    return undefined;
  }
  if (values.text('metrics-scrape-bind-address') === '') {
    for (const [name, unset] of DETAILS) {
      if (values.text(name) !== unset) {
        values.wrong(name, values.text(name), 'needs a --metrics-scrape-bind-address, such as 0.0.0.0');
      }
    }
    return undefined;
  }
  if (!isTls && access === 'authorized') {
    const right = 'would expose the tokens of clients; use HTTPS, or set --metrics-scrape-access=everybody';
    values.wrong('metrics-scrape-tls', 'false', right);
  }
  if (!isTls && files) {
    values.wrong('metrics-scrape-tls-cert-file', files.certificate, 'has no effect with --metrics-scrape-tls=false');
  }
  if (access === 'authorized' && !hasApiServer && values.given('manifests')) {
    const right = 'needs an API server, which decides: give --kubeconfig, or set everybody';
    values.wrong('metrics-scrape-access', access, right);
  }
  const address = readListenAddress(values, 'metrics-scrape-bind-address', DEFAULT_PORT);
  return address && { ...address, access, tls: isTls ? (files ?? 'self-signed') : 'none' };
}

function certificateFiles(values: FlagValues): CertificateFiles | undefined {
  const [certificateName, keyName] = ['metrics-scrape-tls-cert-file', 'metrics-scrape-tls-private-key-file'] as const;
  const certificate = values.text(certificateName);
  const key = values.text(keyName);
  if (certificate === '' && key === '') {
    return undefined;
  }
  if (certificate === '') {
    values.wrong(keyName, key, `needs a --${certificateName}`);
  } else if (key === '') {
    values.wrong(certificateName, certificate, `needs a --${keyName}`);
  }
  return { certificate, key };
}
