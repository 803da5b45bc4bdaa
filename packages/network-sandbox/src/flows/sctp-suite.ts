import { createRequire } from 'node:module';
import { structurallyEqual } from '@kube-proxier/core';
import { casesOf } from '@kube-proxier/core/testing';
import { SANDBOX_NETWORK } from '../sandbox/sandbox-plan.js';
import type { PacketFlowFixture, PolicyRow } from './packet-flow-fixture.js';

/** A test of {@link sctpSuite}. */
export interface SctpTest {
  readonly title: string;
  /** Installs states of its own. Returns the differences, each in one line; none when all is as expected. */
  readonly run: (fixture: PacketFlowFixture) => Promise<readonly string[]>;
}

/**
 * Tests of SCTP Services in any mode, with real packets. The fixture must serve SCTP, which works where `canSendSctp` returns
 * true. Usual runs test some rows of the table of traffic policies, thorough runs all.
 *
 * @example
 * const fixture = await PacketFlowFixture.create({ family, protocols: ['SCTP'], dataplane });
 * test.each(sctpSuite())('$title', async ({ run }) => {
 *   expect(await run(fixture)).toEqual([]);
 * });
 */
export function sctpSuite(): readonly SctpTest[] {
  return [
    ...policyRows().map((row) => ({
      title: `traffic policies: ${row.id}`,
      run: (fixture: PacketFlowFixture) => fixture.verifyRow(row, 'SCTP'),
    })),
    { title: 'session affinity', run: verifyAffinity },
    { title: 'source ranges', run: verifySourceRanges },
    {
      title: 'other ports of a cluster IP are rejected, other addresses of the Service network dropped',
      run: verifyServiceNetwork,
    },
    { title: 'associations continue when other endpoints get new ones, until their end', run: verifyAssociations },
  ];
}

/**
 * To cluster IPs and from outside, with both policies: without endpoints, local and remote endpoints, and remote ones only.
 * Endpoints, where there are local ones, are clients as well.
 */
function policyRows(): readonly PolicyRow[] {
  const { rows } = createRequire(import.meta.url)('@kube-proxier/core/test-data/policy-flows.json') as {
    readonly rows: readonly PolicyRow[];
  };
  const usual = ['CIP-C-S1', 'CIP-L-S2', 'EXT-C-S0', 'EXT-C-S1', 'EXT-L-S1'];
  return casesOf(
    rows.filter(({ id }) => usual.includes(id)),
    rows.filter(({ id }) => !usual.includes(id) && /^(CIP|EXT)-[CL]-S/.test(id)),
  );
}

async function verifyAffinity(fixture: PacketFlowFixture): Promise<readonly string[]> {
  const service = fixture.serviceOf('SCTP', { sessionAffinity: 'ClientIP' });
  await fixture.install(fixture.stateOf(service, [fixture.local(1), fixture.local(2), fixture.remote(1)], 'SCTP'));
  const [to, port] = fixture.target('clusterIP');
  const { answeredBy } = await fixture.sandbox.client.connectMany({ protocol: 'SCTP', to, port }, 20);
  return differences('answers of each endpoint', Object.values(answeredBy), [20]);
}

async function verifySourceRanges(fixture: PacketFlowFixture): Promise<readonly string[]> {
  const { client } = fixture.sandbox;
  const isIPv6 = fixture.family === 'IPv6';
  const [allowed, other] = client.addresses.filter((address) => address.includes(':') === isIPv6);
  const ranges = { loadBalancerSourceRanges: [`${allowed}/${isIPv6 ? 128 : 32}`] };
  const state = await fixture.install(fixture.stateOf(fixture.serviceOf('SCTP', ranges), [fixture.local(1)], 'SCTP'));
  const found: (string | undefined)[] = [];
  for (const source of [allowed, other]) {
    for (const frontend of ['loadBalancerIP', 'nodePort', 'externalIP'] as const) {
      found.push(await fixture.verify(state, client, frontend, 'SCTP', source));
    }
  }
  return found.flatMap((line) => line ?? []);
}

async function verifyServiceNetwork(fixture: PacketFlowFixture): Promise<readonly string[]> {
  const { sandbox, address } = fixture;
  const isIPv6 = fixture.family === 'IPv6';
  const serviceCIDRs = SANDBOX_NETWORK.serviceCIDRs.filter((cidr) => cidr.includes(':') === isIPv6);
  await fixture.install(fixture.stateOf(fixture.serviceOf('TCP'), [fixture.local(1)], 'TCP', { serviceCIDRs }));
  const kinds = async (to: string, timeout: number) => {
    const from = [sandbox.client, sandbox.pod(2), sandbox.node];
    const outcomes = await Promise.all(from.map((host) => host.connect({ protocol: 'SCTP', to, port: 80, timeout })));
    return outcomes.map(({ kind }) => kind);
  };
  const unused = isIPv6 ? 'fd00:10:96::999' : '10.96.9.9';
  return [
    ...differences('port of another protocol', await kinds(address.clusterIP, 5000), ['refused', 'refused', 'refused']),
    // The system call of the node fails.
    ...differences('unused address', await kinds(unused, 500), ['timeout', 'timeout', 'unreachable']),
  ];
}

async function verifyAssociations(fixture: PacketFlowFixture): Promise<readonly string[]> {
  const { sandbox } = fixture;
  const service = fixture.serviceOf('SCTP');
  await fixture.install(fixture.stateOf(service, [fixture.remote(1)], 'SCTP'));
  const associations = await Promise.all(
    [sandbox.client, sandbox.pod(2), sandbox.node].flatMap((from) =>
      (['clusterIP', 'nodePort', 'loadBalancerIP'] as const).map(async (frontend) => {
        const [to, port] = fixture.target(frontend);
        const association = await from.open({ protocol: 'SCTP', to, port, timeout: 10_000 });
        return { name: `association of ${from.name} with ${frontend}`, association };
      }),
    ),
  );
  await fixture.install(fixture.stateOf(service, [fixture.local(1)], 'SCTP'));
  const [to, port] = fixture.target('clusterIP');
  const outcome = await sandbox.client.connect({ protocol: 'SCTP', to, port });
  const found = [...differences('new association', outcome.kind === 'answered' ? outcome.by : outcome.kind, 'pod1')];
  for (const { name, association } of associations) {
    const echo = { kind: 'echoed', text: 'still there' };
    found.push(...differences(name, await association.send(echo.text), echo));
    await association.close();
  }
  const tracked = await sandbox.node.exec(['conntrack', '-L', '-f', fixture.family.toLowerCase(), '-p', 'sctp']);
  const ended = tracked.stdout.match(/SHUTDOWN_ACK_SENT|CLOSED/g)?.length ?? 0;
  if (tracked.stdout.includes('ESTABLISHED') || ended < associations.length) {
    found.push(`after ${associations.length} associations ended, the kernel tracks: ${tracked.stdout}`);
  }
  for (const { name, association } of associations) {
    found.push(...differences(`${name}, ended`, await association.send('after the end'), { kind: 'closed' }));
  }
  return found;
}

/** The difference between two values, if there is one. */
function differences(what: string, actual: unknown, expected: unknown): readonly string[] {
  return structurallyEqual(actual, expected)
    ? []
    : [`${what}: ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`];
}
