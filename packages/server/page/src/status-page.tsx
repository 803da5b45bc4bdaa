/** The status page of one agent: what `kube-proxier status`, `get services` and `explain` print, in a browser. */
import { formatBytes, formatPacketAnswer, type ServicePortView } from '@kube-proxier/core';
import { render } from 'preact';
import { useState } from 'preact/hooks';
import type { FamilyStatus, NodeStatus, StatusVerdict } from '../../src/status/node-status.js';
import { queryExplanation, queryServices, queryStatus, querySyncs } from './query.js';
import { SyncPlot } from './sync-plot.js';
import { usePolled } from './use-polled.js';

/** Milliseconds between two queries. */
const STATUS_INTERVAL = 2000;
const SERVICES_INTERVAL = 5000;
/** Service ports that are listed. */
const MAX_SERVICES = 100;

const COLUMNS = ['NAMESPACE', 'NAME', 'PORT', 'CLUSTER-IP', 'NODEPORT', 'EXTERNAL', 'ENDPOINTS'] as const;
/** Columns that are there where the mode counts this of some listed port. */
const COUNTERS: readonly { readonly head: string; readonly text: (port: ServicePortView) => string | undefined }[] = [
  { head: 'CONNECTIONS', text: ({ connections }) => connections?.toString() },
  { head: 'TO-ENDPOINTS', text: ({ bytes }) => bytes && formatBytes(bytes.toEndpoints) },
  { head: 'TO-CLIENTS', text: ({ bytes }) => bytes && formatBytes(bytes.toClients) },
];

const VERDICTS: Readonly<Record<StatusVerdict, string>> = {
  ok: 'OK',
  degraded: 'DEGRADED',
  'not-serving': 'NOT SERVING',
};

function Page() {
  const { value: status, error } = usePolled(queryStatus, STATUS_INTERVAL);
  return (
    <>
      <Headline status={status} error={error} />
      {status && <Facts status={status} />}
      <Syncs />
      <Explain />
      <Services />
    </>
  );
}

function Headline({ status, error }: { readonly status: NodeStatus | undefined; readonly error: string | undefined }) {
  if (error !== undefined) {
    return (
      <h1>
        <span class="unreachable">NO ANSWER</span>: the agent{status ? ` on node ${status.nodeName}` : ''} does not
        answer ({error})
      </h1>
    );
  }
  if (!status) {
    return <h1>kube-proxier</h1>;
  }
  const { verdict, version, nodeName, mode, problems } = status;
  document.title = `${VERDICTS[verdict]}: ${nodeName}`;
  return (
    <>
      <h1>
        <span id="verdict" class={verdict}>
          {VERDICTS[verdict]}
        </span>
        : kube-proxier {version} on node {nodeName}
        {mode && ` (mode ${mode})`}
      </h1>
      {problems.length > 0 && (
        <ul class="problems">
          {problems.map(({ found, advice }) => (
            <li key={found}>
              {found}
              <div class="advice">{advice}</div>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function Facts({ status }: { readonly status: NodeStatus }) {
  const failures = Object.entries(status.failures).filter(([, count]) => count > 0);
  return (
    <dl>
      {status.modeReason !== null && <Fact name="Mode">{`${status.mode}, because ${status.modeReason}`}</Fact>}
      <Fact name="In force">{`${status.services} Services, ${status.endpoints} endpoints`}</Fact>
      {Object.entries(status.families).map(([family, one]) => (
        <Fact key={family} name={family}>
          {describeFamily(one)}
        </Fact>
      ))}
      {status.sources.map(({ description }) => (
        <Fact key={description} name="Source">
          {description}
        </Fact>
      ))}
      <Fact name="Last change">{timeOf(status.lastObjectChange, 'none since the start')}</Fact>
      <Fact name="Drift repairs">
        {status.lastDrift === null
          ? String(status.driftRepairs)
          : `${status.driftRepairs}, last ${timeOf(status.lastDrift.time)}: ${status.lastDrift.what}`}
      </Fact>
      <Fact name="Stale flows">{`${status.staleFlowsDeleted} deleted`}</Fact>
      <Fact name="Other failures">
        {failures.length === 0 ? 'none' : failures.map(([part, count]) => `${count} of ${part}`).join(', ')}
      </Fact>
      <Fact name="Memory">{`${Math.round(status.memory.residentBytes / 1e6)} MB resident`}</Fact>
      <Fact name="Running since">{`${timeOf(status.startTime)}, process ${status.pid}`}</Fact>
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function describeFamily({ programmed, servicePorts, lastSync, lastSyncMilliseconds }: FamilyStatus): string {
  return programmed
    ? `${servicePorts} service ports, last sync ${timeOf(lastSync)} in ${lastSyncMilliseconds} ms`
    : 'not programmed yet';
}

function timeOf(time: string | null, none = 'never'): string {
  return time === null ? none : new Date(time).toLocaleString();
}

function Syncs() {
  const { value = [] } = usePolled(querySyncs, STATUS_INTERVAL);
  return (
    <section>
      <h2>Syncs</h2>
      <SyncPlot syncs={value} />
    </section>
  );
}

function Services() {
  const [search, setSearch] = useState('');
  const { value, error } = usePolled(() => queryServices(search, MAX_SERVICES), SERVICES_INTERVAL, search);
  const { total = 0, servicePorts = [] } = value ?? {};
  const counters = COUNTERS.filter(({ text }) => servicePorts.some((port) => text(port) !== undefined));
  return (
    <section>
      <h2>Services</h2>
      <form onSubmit={(event) => event.preventDefault()}>
        <label>
          Search by namespace/name
          <input
            id="search"
            type="search"
            value={search}
            onInput={(event) => setSearch(event.currentTarget.value.trim())}
          />
        </label>
        <span class="faint" role="status">
          {error ?? (servicePorts.length < total ? `first ${servicePorts.length} of ${total} ports` : `${total} ports`)}
        </span>
      </form>
      <div class="scroll">
        <table id="services">
          <thead>
            <tr>
              {[...COLUMNS, ...counters.map(({ head }) => head)].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {servicePorts.map((port) => (
              <ServiceRow
                key={`${port.family} ${port.namespace}/${port.name}:${port.portName}/${port.protocol}`}
                port={port}
                counters={counters}
              />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function ServiceRow({ port, counters }: { readonly port: ServicePortView; readonly counters: typeof COUNTERS }) {
  const { namespace, name, portName, protocol, clusterIP, nodePort, externalIPs, loadBalancerIPs, endpoints } = port;
  const used = endpoints.filter((endpoint) => endpoint.used).length;
  return (
    <tr>
      <td>{namespace}</td>
      <td>{name}</td>
      <td>{`${portName === '' ? '' : `${portName} `}${port.port}/${protocol}`}</td>
      <td>{clusterIP}</td>
      <td>{nodePort ?? ''}</td>
      <td>{[...externalIPs, ...loadBalancerIPs].join(', ')}</td>
      <td class={used === 0 ? 'degraded' : ''}>{`${used}/${endpoints.length}`}</td>
      {counters.map(({ head, text }) => (
        <td key={head}>{text(port) ?? ''}</td>
      ))}
    </tr>
  );
}

function Explain() {
  const [source, setSource] = useState('');
  const [destination, setDestination] = useState('');
  const [answer, setAnswer] = useState('');
  const ask = async (event: SubmitEvent) => {
    event.preventDefault();
    try {
      setAnswer(formatPacketAnswer(await queryExplanation(source.trim(), destination.trim()), true));
    } catch (error) {
      setAnswer(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <section>
      <h2>Explain a packet</h2>
      <form onSubmit={ask}>
        <label>
          Source (empty for every kind of client)
          <input
            id="source"
            placeholder="10.244.0.5, pod/shop/web-1, node, outside"
            size={38}
            value={source}
            onInput={(event) => setSource(event.currentTarget.value)}
          />
        </label>
        <label>
          Destination
          <input
            id="destination"
            required
            placeholder="svc/shop/checkout:http, 10.96.0.10:80/tcp"
            size={38}
            value={destination}
            onInput={(event) => setDestination(event.currentTarget.value)}
          />
        </label>
        <button type="submit">Explain</button>
      </form>
      {answer !== '' && <pre id="explanation">{answer}</pre>}
    </section>
  );
}

const place = document.getElementById('page');
if (place) {
  render(<Page />, place);
}
