import { describe, expect, test } from '@jest/globals';
import { parseIpvsTemplate } from './ipvs-templates.js';

/** Lines as the kernel prints them (`ip_vs_conn_seq_show`). */
describe('lines of /proc/net/ip_vs_conn', () => {
  test('a persistence template has no source port', () => {
    expect(parseIpvsTemplate('TCP CB007114 0000 0A600014 0050 0AF4000B 1F90 NONE          10799')).toEqual({
      protocol: 'TCP',
      client: '203.0.113.20',
      virtualAddress: '10.96.0.20',
      virtualPort: 80,
      realAddress: '10.244.0.11',
      realPort: 8080,
      seconds: 10_799,
    });
  });

  test('IPv6 addresses have all groups', () => {
    const line =
      'UDP 2001:0db8:0203:0000:0000:0000:0000:0020 0000 fd00:0010:0096:0000:0000:0000:0000:0020 0035 fd00:0010:0244:0000:0000:0000:0000:0011 14E9 NONE             59';
    expect(parseIpvsTemplate(line)).toMatchObject({
      ...{ protocol: 'UDP', client: '2001:db8:203::20', virtualAddress: 'fd00:10:96::20', virtualPort: 53 },
      ...{ realAddress: 'fd00:10:244::11', realPort: 5353, seconds: 59 },
    });
  });

  test.each([
    ['the header', 'Pro FromIP   FPrt ToIP     TPrt DestIP   DPrt State       Expires PEName PEData'],
    ['a connection', 'TCP CB007114 C350 0A600014 0050 0AF4000B 1F90 ESTABLISHED     899'],
    ['a template of a firewall mark', 'IP  CB007114 0000 00000001 0000 0AF4000B 0000 NONE            600'],
    ['an empty line', ''],
  ])('%s is no template', (_what, line) => {
    expect(parseIpvsTemplate(line)).toBeUndefined();
  });
});
