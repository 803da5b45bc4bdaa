import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { ServerCertificate } from '../health/http-listener.js';

const DAY = 86_400_000;
/** Validity in days; generated again at each start. */
const VALIDITY = 3650;

/**
 * A new P-256 key, and an X.509 certificate that it signs. Clients cannot verify it: it protects against eavesdropping,
 * not against impersonation.
 *
 * @param name common name, and the name of a host.
 * @param now milliseconds since 1970. It is valid from a day before.
 */
export function selfSignedCertificate(name: string, now = Date.now()): ServerCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = distinguishedName(name);
  // At least one bit is set at the beginning, and it is positive.
  const serial = Buffer.concat([Buffer.from([0x01]), randomBytes(15)]);
  const body = sequence(
    // Version 3.
    value(0xa0, value(0x02, Buffer.from([2]))),
    value(0x02, serial),
    ECDSA_WITH_SHA256,
    issuer,
    sequence(time(now - DAY), time(now + VALIDITY * DAY)),
    issuer,
    publicKey.export({ type: 'spki', format: 'der' }),
    value(
      0xa3,
      sequence(
        // Extended key usage: server authentication.
        extension(EXTENDED_KEY_USAGE, sequence(SERVER_AUTHENTICATION)),
        extension(SUBJECT_ALTERNATIVE_NAME, sequence(value(0x82, Buffer.from(name)))),
      ),
    ),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign('sha256', body, privateKey)]);
  const der = sequence(body, ECDSA_WITH_SHA256, value(0x03, signature));
  const lines = der.toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** One value in DER. */
function value(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...items: readonly Buffer[]): Buffer {
  return value(0x30, Buffer.concat(items));
}

function extension(id: Buffer, content: Buffer): Buffer {
  return sequence(id, value(0x04, content));
}

function distinguishedName(commonName: string): Buffer {
  return sequence(value(0x31, sequence(COMMON_NAME, value(0x0c, Buffer.from(commonName)))));
}

/** Years from 2050 on have four digits (RFC 5280, 4.1.2.5). */
function time(milliseconds: number): Buffer {
  const text = `${new Date(milliseconds).toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`;
  return text < '2050' ? value(0x17, Buffer.from(text.slice(2))) : value(0x18, Buffer.from(text));
}

/** Object identifiers, in DER. */
const ECDSA_WITH_SHA256 = sequence(value(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
const COMMON_NAME = value(0x06, Buffer.from('550403', 'hex'));
const EXTENDED_KEY_USAGE = value(0x06, Buffer.from('551d25', 'hex'));
const SERVER_AUTHENTICATION = value(0x06, Buffer.from('2b06010505070301', 'hex'));
const SUBJECT_ALTERNATIVE_NAME = value(0x06, Buffer.from('551d11', 'hex'));
