import { describe, expect, test } from '@jest/globals';
import { frontendKeyFrom, serviceKeyFrom, servicePortKeyFrom } from '../testing/keys.js';
import { frontendKey, parseFrontendKey } from './frontend.js';
import { type ServicePortKey, serviceKey, serviceOfPort, servicePortKey } from './service-port-name.js';

describe('keys of Services and their ports', () => {
  test.each(['http', ''])('have the name of the port, which is "%s"', (portName) => {
    const key = servicePortKey({ namespace: 'work', name: 'web', portName, protocol: 'TCP' });
    expect(key).toBe(`work/web:${portName}/TCP`);
    expect(serviceOfPort(key)).toBe(serviceKey({ namespace: 'work', name: 'web' }));
  });

  test('are not made of other text', () => {
    expect(servicePortKeyFrom('work/web:/UDP')).toBe('work/web:/UDP');
    expect(serviceKeyFrom('work/web')).toBe('work/web');
    for (const text of ['work/web', 'web:http/TCP', 'work/web:http/ICMP', 'work/web:http/TCP ']) {
      expect(() => servicePortKeyFrom(text)).toThrow(RangeError);
    }
    expect(() => serviceKeyFrom('web')).toThrow(RangeError);
    // The compiler checks this line.
    const isAnyTextAKey: string extends ServicePortKey ? true : false = false;
    expect(isAnyTextAKey).toBe(false);
  });
});

describe('keys of frontends', () => {
  test.each([
    ['TCP', '10.96.0.1', 443, 'TCP/10.96.0.1:443'],
    ['UDP', 'fd00::a', 53, 'UDP/[fd00::a]:53'],
    ['SCTP', undefined, 31_269, 'SCTP/node:31269'],
  ] as const)('%s %s %d', (protocol, address, port, text) => {
    const key = frontendKey(protocol, address, port);
    expect(key).toBe(text);
    expect(parseFrontendKey(key)).toEqual({ protocol, address, port });
    expect(frontendKeyFrom(text)).toBe(key);
  });
});
