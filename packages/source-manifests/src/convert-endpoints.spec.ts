import { describe, expect, test } from '@jest/globals';
import { readEndpointSlice } from '@kube-proxier/core';
import { convertEndpoints } from './convert-endpoints.js';

describe('convertEndpoints', () => {
  test('creates one slice for each subset and family, ready or not', () => {
    const { slices, problems } = convertEndpoints({
      metadata: { name: 'web', namespace: 'work', labels: { app: 'web' } },
      subsets: [
        {
          addresses: [{ ip: '10.0.0.1', nodeName: 'n1' }, { ip: 'FD00::1' }],
          notReadyAddresses: [{ ip: '10.0.0.2' }],
          ports: [
            { name: 'http', port: 80 },
            { name: 'dns', port: 53, protocol: 'UDP' },
          ],
        },
        { addresses: [{ ip: '10.0.0.3' }], ports: [{ name: 'http', port: 8080 }] },
      ],
    });
    expect(problems).toEqual([]);
    expect(slices.map(({ slice }) => slice.metadata)).toMatchObject([
      { name: 'web.endpoints-ipv4', namespace: 'work', labels: { app: 'web', 'kubernetes.io/service-name': 'web' } },
      { name: 'web.endpoints-ipv6' },
      { name: 'web.endpoints-ipv4-2' },
    ]);
    const definitions = slices.map(({ slice }) => readEndpointSlice(slice));
    expect(definitions.flatMap((result) => result.problems)).toEqual([]);
    const flat = definitions.map(({ definition }) => ({
      family: definition?.family,
      ports: definition?.ports.map(({ portName, protocol, port }) => `${portName} ${protocol} ${port}`),
      endpoints: definition?.endpoints.map(
        ({ address, ready, serving, nodeName }) => `${address} ${ready} ${serving} ${nodeName}`,
      ),
    }));
    expect(flat).toEqual([
      {
        family: 'IPv4',
        ports: ['http TCP 80', 'dns UDP 53'],
        endpoints: ['10.0.0.1 true true n1', '10.0.0.2 false false undefined'],
      },
      { family: 'IPv6', ports: ['http TCP 80', 'dns UDP 53'], endpoints: ['fd00::1 true true undefined'] },
      { family: 'IPv4', ports: ['http TCP 8080'], endpoints: ['10.0.0.3 true true undefined'] },
    ]);
  });

  test('maps every field to its origin', () => {
    const { slices } = convertEndpoints({
      metadata: { name: 'web' },
      subsets: [{}, { addresses: [{ ip: 'fd00::1' }], notReadyAddresses: [{ ip: '10.0.0.1' }], ports: [{ port: 1 }] }],
    });
    const [ipv4, ipv6] = slices;
    expect(ipv4?.originOf('endpoints[0].addresses[0]')).toBe('subsets[1].notReadyAddresses[0].ip');
    expect(ipv6?.originOf('endpoints[0].addresses[0]')).toBe('subsets[1].addresses[0].ip');
    expect(ipv6?.originOf('ports[0].port')).toBe('subsets[1].ports[0].port');
    expect(ipv6?.originOf('metadata.name')).toBe('metadata.name');
  });

  test('reports what cannot be converted, and converts the rest', () => {
    const { slices, problems } = convertEndpoints({
      metadata: { name: 'web' },
      subsets: [5, { addresses: [{ ip: 'x\n' }, null, { ip: 5 }, { ip: '10.0.0.1' }], notReadyAddresses: {} }],
    });
    expect(slices).toHaveLength(1);
    expect(problems).toEqual([
      { field: 'subsets[0]', message: 'is not an object' },
      { field: 'subsets[1].addresses[0].ip', message: '"x\\u{a}" is not an IP address' },
      { field: 'subsets[1].addresses[1]', message: 'object is not an IP address' },
      { field: 'subsets[1].addresses[2].ip', message: 'number is not an IP address' },
      { field: 'subsets[1].notReadyAddresses', message: 'is not a list' },
    ]);
    expect(convertEndpoints({ subsets: 'all' }).problems).toEqual([{ field: 'subsets', message: 'is not a list' }]);
    expect(convertEndpoints({})).toEqual({ slices: [], problems: [] });
  });
});
