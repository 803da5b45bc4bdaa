import type { ListenAddress } from '../listen-address.js';

/** Result of the review of a bearer token: invalid, forbidden or allowed. */
export type AccessDecision = 'unauthenticated' | 'forbidden' | 'allowed';

/** Decides who may read metrics, such as `MetricsAccessReviewer` of source-kubernetes, which queries an API server. */
export interface AccessReviewer {
  /**
   * @param token a bearer token, as received.
   * @param signal aborts when the answer is no longer needed, and after a few seconds.
   * @throws any error when it cannot be decided. The request is then answered with 503.
   */
  review(token: string, signal: AbortSignal): Promise<AccessDecision>;
  /** Releases its resources. Default: nothing. */
  close?(): void;
}

/** Files with a certificate and its private key, in PEM. Reloaded when they change. */
export interface CertificateFiles {
  /** The certificate chain. */
  readonly certificate: string;
  readonly key: string;
}

/** An address that serves only `/metrics`. */
export interface ScrapeOptions extends ListenAddress {
  /**
   * `none`: plain HTTP. `self-signed`: HTTPS with a certificate generated at start, which clients cannot verify.
   * Default `self-signed`.
   */
  readonly tls?: 'none' | 'self-signed' | CertificateFiles;
  /** Authorization: all clients, or those whose bearer token the reviewer accepts. */
  readonly access: 'everybody' | AccessReviewer;
}
