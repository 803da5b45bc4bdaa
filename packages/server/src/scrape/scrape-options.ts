import type { ListenAddress } from '../listen-address.js';

/** What a review of a bearer token found: it is not valid, or its user has no permission, or has it. */
export type AccessDecision = 'unauthenticated' | 'forbidden' | 'allowed';

/** Decides who may read metrics, such as `MetricsAccessReviewer` of source-kubernetes, which queries an API server. */
export interface AccessReviewer {
  /**
   * @param token a bearer token, as received.
   * @param signal aborts when the answer is no longer needed, and after a few seconds.
   * @throws any error when it cannot be decided. The request is then refused with 503.
   */
  review(token: string, signal: AbortSignal): Promise<AccessDecision>;
  /** Releases what it holds. Default: nothing is to be released. */
  close?(): void;
}

/** Files with a certificate and its private key, in PEM. They are read again when they change. */
export interface CertificateFiles {
  /** The certificate, with those of its issuers after it. */
  readonly certificate: string;
  readonly key: string;
}

/** An address that serves `/metrics`, and nothing else. */
export interface ScrapeOptions extends ListenAddress {
  /**
   * `none`: plain HTTP. `self-signed`: HTTPS with a certificate that is made at start, which clients cannot verify.
   * Default `self-signed`.
   */
  readonly tls?: 'none' | 'self-signed' | CertificateFiles;
  /** Who may read: everybody who can connect, or those whose bearer token the reviewer accepts. */
  readonly access: 'everybody' | AccessReviewer;
}
