import { expect, test } from '@jest/globals';
import { interfaceAddressCommand, parsePortproxy, portproxyCommand } from './portproxy-commands.js';

test("Windows' portproxy, as text", () => {
  const entry = {
    family: 'IPv4',
    listen: { address: '10.96.0.1', port: 80 },
    connect: { address: '127.0.0.1', port: 40_001 },
  } as const;
  expect(portproxyCommand('add', entry).join(' ')).toBe(
    'netsh interface portproxy add v4tov4 listenaddress=10.96.0.1 listenport=80 connectaddress=127.0.0.1 connectport=40001',
  );
  expect(portproxyCommand('delete', entry).join(' ')).toBe(
    'netsh interface portproxy delete v4tov4 listenaddress=10.96.0.1 listenport=80',
  );
  expect(interfaceAddressCommand('add', 'IPv4', 'vEthernet (HNS)', '10.96.0.1')).toContain('name=vEthernet (HNS)');
  const shown = `\r\nListen on ipv4:             Connect to ipv4:\r\n\r\nAddress         Port        Address         Port\r\n--------------- ----------  --------------- ----------\r\n10.96.0.1       80          127.0.0.1       40001\r\n`;
  expect(parsePortproxy('IPv4', shown)).toEqual([entry]);
});
