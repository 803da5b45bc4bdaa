/**
 * An API server as a process of its own, for an agent in another network namespace: one Service with one endpoint, over
 * TLS, for clients with the token. Writes `ca.crt` and `token` into the given directory, as in a pod, then prints its URL.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeApiServer, TestCertificateAuthority } from '@kube-proxier/source-kubernetes/testing';

const [, , directory = ''] = process.argv;
const authority = new TestCertificateAuthority();
const { certificate, key } = authority.issue({ commonName: 'api', hosts: ['127.0.0.1'], use: 'server' });
const server = await FakeApiServer.start({ tls: { certificate, key }, tokens: new Set(['good']) });
const metadata = { name: 'web', namespace: 'work' };
server.store.put('services', { metadata, spec: { clusterIP: '10.96.0.10', ports: [{ port: 80 }] } });
server.store.put('endpointslices', {
  metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  ports: [{ port: 8080 }],
  endpoints: [{ addresses: ['10.244.0.5'] }],
});
server.store.put('nodes', {
  metadata: { name: 'worker-1' },
  status: { addresses: [{ type: 'InternalIP', address: '192.0.2.7' }] },
});
server.store.put('nodes', { metadata: { name: 'node1' } });
writeFileSync(join(directory, 'ca.crt'), authority.certificate);
writeFileSync(join(directory, 'token'), 'good');
process.stdout.write(`${server.url}\n`);
