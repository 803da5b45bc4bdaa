import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

/** A certificate and its private key, in PEM. For tests: the key is generated on each run and not stored. */
export interface TestCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** Subject of a test certificate. */
export interface TestCertificateRequest {
  readonly commonName: string;
  /** Names and IPv4 addresses of a server; none for a client. */
  readonly hosts?: readonly string[];
  /** Its extended key usage. */
  readonly use: 'server' | 'client';
}

/** A certificate authority for one test. Valid from a day ago for a year. */
export class TestCertificateAuthority {
  /** Its own certificate, PEM. */
  readonly certificate: string;
  readonly #key: KeyObject;
  readonly #name: Buffer;

  constructor(commonName = 'test authority') {
    const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = keys.privateKey;
    this.#name = distinguishedName(commonName);
    const extensions = [
      extension('2.5.29.19', true, sequence(BOOLEAN_TRUE)),
      // keyCertSign
      extension('2.5.29.15', true, tagged(0x03, Buffer.from([0x02, 0x04]))),
    ];
    this.certificate = this.#make(this.#name, keys.publicKey, extensions);
  }

  issue({ commonName, hosts = [], use }: TestCertificateRequest): TestCertificate {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const purpose = use === 'server' ? '1.3.6.1.5.5.7.3.1' : '1.3.6.1.5.5.7.3.2';
    const extensions = [extension('2.5.29.37', false, sequence(objectIdentifier(purpose)))];
    if (hosts.length > 0) {
      const names = hosts.map((host) =>
        isIPv4(host) ? tagged(0x87, Buffer.from(host.split('.').map(Number))) : tagged(0x82, Buffer.from(host)),
      );
      extensions.push(extension('2.5.29.17', false, sequence(...names)));
    }
    return {
      certificate: this.#make(distinguishedName(commonName), publicKey, extensions),
      key: createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' }))
        .export({ type: 'pkcs8', format: 'pem' })
        .toString(),
    };
  }

  #make(subject: Buffer, publicKey: KeyObject, extensions: readonly Buffer[]): string {
    const day = 86_400_000;
    const body = sequence(
      // Version 3.
      tagged(0xa0, tagged(0x02, Buffer.from([2]))),
      tagged(0x02, Buffer.concat([Buffer.from([0x01]), randomBytes(15)])),
      ECDSA_WITH_SHA256,
      this.#name,
      sequence(time(new Date(Date.now() - day)), time(new Date(Date.now() + 365 * day))),
      subject,
      publicKey.export({ type: 'spki', format: 'der' }),
      tagged(0xa3, sequence(...extensions)),
    );
    const signature = sign('sha256', body, this.#key);
    const der = sequence(body, ECDSA_WITH_SHA256, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
    const lines = der.toString('base64').replace(/.{64}/g, '$&\n');
    return `-----BEGIN CERTIFICATE-----\n${lines.trimEnd()}\n-----END CERTIFICATE-----\n`;
  }
}

/** One DER value. */
function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...items: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(items));
}

function objectIdentifier(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const groups = [arc & 0x7f];
    for (let left = arc >> 7; left > 0; left >>= 7) {
      groups.unshift((left & 0x7f) | 0x80);
    }
    bytes.push(...groups);
  }
  return tagged(0x06, Buffer.from(bytes));
}

function distinguishedName(commonName: string): Buffer {
  const name = sequence(objectIdentifier('2.5.4.3'), tagged(0x0c, Buffer.from(commonName)));
  return sequence(tagged(0x31, name));
}

function extension(id: string, critical: boolean, value: Buffer): Buffer {
  return sequence(objectIdentifier(id), ...(critical ? [BOOLEAN_TRUE] : []), tagged(0x04, value));
}

function time(date: Date): Buffer {
  const text = date.toISOString().replace(/[-:T]/g, '').slice(2, 14);
  return tagged(0x17, Buffer.from(`${text}Z`));
}

const BOOLEAN_TRUE = tagged(0x01, Buffer.from([0xff]));
const ECDSA_WITH_SHA256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
