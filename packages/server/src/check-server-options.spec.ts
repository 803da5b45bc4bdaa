import { describe, expect, test } from '@jest/globals';
import { type BackendModule, type Source, silentLogger } from '@kube-proxier/core';
import { RecordingLogger } from '@kube-proxier/core/testing';
import { ContainerModule } from 'inversify';
import { ProxyServer } from './proxy-server.js';

const backend: BackendModule = {
  mode: 'acme',
  description: 'for tests',
  probe: async () => ({ usable: false, reason: 'it is made for a test' }),
  module: new ContainerModule(() => {}),
};
const source: Source = { description: 'nothing', start: async () => {}, stop: async () => {} };
const good = { backends: [backend], sources: [source], network: network(), logger: silentLogger };

function network() {
  return { localAddresses: async () => [], hasIPv6: async () => false };
}

/** Options as a JavaScript program passes them. */
function make(options: unknown): ProxyServer {
  return new (ProxyServer as new (options: unknown) => ProxyServer)(options);
}

describe('a ProxyServer made from JavaScript', () => {
  test.each<[string, object, string, string]>([
    [
      'a misspelt option',
      { ...good, heatlhAddress: { host: '::', port: 1 } },
      'heatlhAddress',
      'ProxyServer has no option "heatlhAddress"; valid options are backends, sources, ',
    ],
    [
      'a misspelt option of the proxier',
      { ...good, proxier: { minSyncPeroid: 5 } },
      'proxier.minSyncPeroid',
      'proxier has no option "minSyncPeroid"; valid options are nodeName, ',
    ],
    [
      'an option of the wrong type',
      { ...good, takeover: 'yes' },
      'takeover',
      'option takeover of ProxyServer is "yes"; it must be true or false',
    ],
    [
      'a minimum period that is no number',
      { ...good, proxier: { minSyncPeriod: 'fast' } },
      'proxier.minSyncPeriod',
      'option minSyncPeriod of proxier is "fast"; it must be a number of milliseconds from 0, or adaptive',
    ],
    [
      'a period that is no number',
      { ...good, proxier: { syncPeriod: Number.NaN } },
      'proxier.syncPeriod',
      'option syncPeriod of proxier is NaN; it must be a number of milliseconds, greater than 0',
    ],
    [
      'a period in the past',
      { ...good, proxier: { driftCheckPeriod: -1 } },
      'proxier.driftCheckPeriod',
      'it must be a number of milliseconds, greater than 0',
    ],
    [
      'a bit that a mark does not have',
      { ...good, proxier: { masqueradeBit: 32 } },
      'proxier.masqueradeBit',
      'option masqueradeBit of proxier is 32; it must be a whole number from 0 to 31',
    ],
    [
      'a detection of an unknown kind',
      { ...good, proxier: { localTrafficDetection: { kind: 'cluster-cdir', cidrs: ['10.244.0.0/16'] } } },
      'proxier.localTrafficDetection',
      'it must be an object with kind none, node-cidr, cluster-cidr (and a list cidrs of networks)',
    ],
    [
      'a detection by networks that are none',
      { ...good, proxier: { localTrafficDetection: { kind: 'cluster-cidr', cidrs: '10.244.0.0/16' } } },
      'proxier.localTrafficDetection',
      'cluster-cidr (and a list cidrs of networks)',
    ],
    [
      'an address of the node that is none',
      { ...good, proxier: { nodeAddresses: ['node1'] } },
      'proxier.nodeAddresses',
      'it must be a list of IP addresses',
    ],
    [
      'an unknown word',
      { ...good, proxier: { overlappingExternalAddresses: 'ignore' } },
      'proxier.overlappingExternalAddresses',
      'it must be one of serve, refuse',
    ],
    [
      'a bind address that is none',
      { ...good, bindAddress: 'node1' },
      'bindAddress',
      'option bindAddress of ProxyServer is "node1"; it must be an IP address without port, or empty',
    ],
    [
      'one source, not in a list',
      { ...good, sources: source },
      'sources',
      'it must be a list of at least one object with start() and stop()',
    ],
    [
      'an address without a host',
      { ...good, healthAddress: 10_256 },
      'healthAddress',
      'it must be an object with host (a text) and port (0 to 65535)',
    ],
    [
      'a minimum period without end',
      { ...good, proxier: { minSyncPeriod: Number.POSITIVE_INFINITY } },
      'proxier.minSyncPeriod',
      'option minSyncPeriod of proxier is Infinity; it must be a number of milliseconds from 0, or adaptive',
    ],
    ['no families', { ...good, families: [] }, 'families', 'it must be a list of IPv4, IPv6 or both'],
    [
      'a verification without a period',
      { ...good, verification: {} },
      'verification.period',
      'verification needs the option period; it must be a number of milliseconds, or 0',
    ],
    [
      'a period of verification that is no number',
      { ...good, verification: { period: '5m' } },
      'verification.period',
      'option period of verification is "5m"; it must be a number of milliseconds, or 0',
    ],
    [
      'a misspelt option of the probe',
      { ...good, probe: { intervall: 5000 } },
      'probe.intervall',
      'probe has no option "intervall"; valid options are interval, addresses, readiness',
    ],
    [
      'a limit of the recording that is no number',
      { ...good, recording: { maxBytes: '64Mi' } },
      'recording.maxBytes',
      'option maxBytes of recording is "64Mi"; it must be a whole number, 1 or more',
    ],
    [
      'a function of profiling that is none',
      { ...good, profiling: { setVerbosity: 4 } },
      'profiling.setVerbosity',
      'option setVerbosity of profiling is 4; it must be a function',
    ],
    [
      'metrics that are a registry',
      { ...good, metrics: { register: [] } },
      'metrics',
      'it must be an object with partFailed() and verified()',
    ],
    [
      'a function that creates a backend',
      { ...good, backends: [() => backend] },
      'backends',
      'option backends of ProxyServer is ["a function"]; it must be a list of at least one object with probe()',
    ],
    ['no backends', { sources: [source] }, 'backends', 'ProxyServer needs the option backends'],
    ['nothing at all', {}, 'backends', 'ProxyServer needs the option backends'],
  ])('is refused by name: %s', (_name, options, option, message) => {
    expect(() => make(options)).toThrow(
      expect.objectContaining({ code: 'SERVER_OPTION', option, message: expect.stringContaining(message) }),
    );
  });

  test('without sources can prepare a host, and names them when it is started', async () => {
    const { sources: _none, ...rest } = good;
    await expect(make(rest).start()).rejects.toMatchObject({
      code: 'NO_SOURCES',
      message: 'no Service source is configured; give ProxyServer the option sources',
    });
  });
});

test('with one backend, its mode is selected without a log line about a default', async () => {
  const logger = new RecordingLogger();
  const server = make({ ...good, logger });
  await expect(server.start()).rejects.toMatchObject({
    code: 'PROXY_MODE_UNUSABLE',
    message: 'cannot use proxy mode acme: it is made for a test',
  });
  expect(logger.warnings).toEqual([]);
});
