/**
 * The backend in a separate process, in the network namespace in which it is started: loads the backend, passes changes
 * of the kit to it, and reports what is programmed. Started by `BackendProcess`; communicates over Node's IPC, and ends
 * with it.
 */
import 'reflect-metadata';
import {
  assertNever,
  type BackendModule,
  type IPFamily,
  isProxierError,
  type Logger,
  messageOf,
  type ServicePortKey,
  type Source,
  type SourceHandler,
  servicePortKey,
  systemClock,
  Tokens,
} from '@kube-proxier/core';
import { HostConntrack, ProcSysctl, TcpSocketsNetlink } from '@kube-proxier/linux';
import { ProxyServer } from '@kube-proxier/server';
import { Container } from 'inversify';
import { ConformanceError, type ConformanceErrorCode } from '../conformance-error.js';
import { loadChosenBackend } from './load-backend.js';
import {
  type BackendChoice,
  type CountedTotal,
  MARKER_NAMESPACE,
  type ObjectChange,
  type Reply,
  type Request,
} from './messages.js';

const send = (reply: Reply): void => {
  process.send?.(reply);
};

const write = (level: string, message: string, fields?: object): void => {
  process.stderr.write(`${level} ${message}${fields ? ` ${JSON.stringify(fields)}` : ''}\n`);
};

const logger: Logger = {
  error: (message, fields) => write('ERROR', message, fields),
  warn: (message, fields) => write('WARN', message, fields),
  info: (message, fields) => write('INFO', message, fields),
  debug: () => {},
  v: () => false,
};

/** The source of the server: passes on changes of the kit. */
class KitSource implements Source {
  readonly description = 'the conformance kit';
  #handler: SourceHandler | undefined;
  #synced = false;

  async start(handler: SourceHandler): Promise<void> {
    this.#handler = handler;
  }

  async stop(): Promise<void> {
    this.#handler = undefined;
  }

  apply(changes: readonly ObjectChange[], serviceCIDRs: readonly string[] | undefined): void {
    const handler = this.#handler;
    if (!handler) {
      throw new Error('the proxier has not started');
    }
    if (serviceCIDRs) {
      handler.onServiceCIDRsUpdate(serviceCIDRs);
    }
    for (const { kind, previous, current } of changes) {
      switch (kind) {
        case 'Service':
          handler.onServiceUpdate(previous, current);
          break;
        case 'EndpointSlice':
          handler.onEndpointsUpdate(previous, current);
          break;
        case 'Node':
          if (current) {
            handler.onNodeUpdate(current);
          }
          break;
        default:
          assertNever(kind);
      }
    }
    if (!this.#synced) {
      this.#synced = true;
      handler.onServicesSynced();
      handler.onEndpointsSynced();
    }
  }
}

const source = new KitSource();
/** The backend that was started. */
let running: BackendModule | undefined;
/** Resolves when the takeover has ended: from then on the programmed state is stable. */
let tookOver: () => void = () => {};
const takeover = new Promise<void>((resolve) => {
  tookOver = resolve;
});
/** Markers not yet reported as programmed, by family. */
const waiting = new Map<IPFamily, Set<string>>();
/** Consecutive failures, over about ten seconds, after which syncs are considered to fail permanently. */
const MAX_FAILURES = 8;

async function start(choice: BackendChoice, proxier: Extract<Request, { op: 'start' }>['proxier']): Promise<void> {
  const backend = await loadChosenBackend(choice);
  running = backend;
  const server = new ProxyServer({
    backends: [backend],
    mode: backend.mode,
    fallback: 'none',
    sources: [source],
    conntrack: new HostConntrack(),
    tcpSockets: new TcpSocketsNetlink(),
    sysctl: new ProcSysctl(),
    proxier,
    logger,
    // As in the agent.
    takeover: true,
    observer: {
      takenOver: tookOver,
      failed({ family, error, failures }) {
        if (failures === MAX_FAILURES) {
          const message = `${family} syncs failed ${failures} times in a row: ${messageOf(error)}`;
          send({ event: 'failed', message, isComplete: true });
        }
      },
      synced({ family, state }) {
        const markers = waiting.get(family) ?? new Set<string>();
        for (const marker of [...markers]) {
          if (state.servicePorts.has(markerKey(marker))) {
            markers.delete(marker);
            void takeover.then(() => send({ event: 'in-force', family, marker }));
          }
        }
      },
    },
  });
  server.finished.catch((error: unknown) => fail(error));
  const { families } = await server.start();
  for (const family of families) {
    waiting.set(family, new Set());
  }
  send({ event: 'started', families });
}

/** The counts of the backend from its connection and byte metrics, without the limit on series. */
async function countedTotals({ metrics = [] }: BackendModule): Promise<readonly CountedTotal[]> {
  const found: CountedTotal[] = [];
  for (const measurement of metrics) {
    const quantities = new Map(measurement.metrics.map(({ name, counts }) => [name, counts]));
    const isCounted = [...quantities.values()].some((one) => one === 'connections' || one === 'bytes');
    const samples = isCounted ? await measurement.read() : [];
    for (const { metric, labels, value, family } of samples) {
      const quantity = quantities.get(metric);
      if (quantity === 'connections' || quantity === 'bytes') {
        const { service = '', protocol = '', direction, endpoint } = labels;
        const of = { quantity, service, protocol, family: family ?? labels.ip_family ?? '', value };
        found.push({
          ...of,
          ...(direction === undefined ? {} : { direction }),
          ...(endpoint === undefined ? {} : { endpoint }),
        });
      }
    }
  }
  return found;
}

async function cleanup(choice: BackendChoice): Promise<void> {
  const container = new Container();
  container.bind(Tokens.Logger).toConstantValue(logger);
  container.bind(Tokens.Clock).toConstantValue(systemClock);
  container.load((await loadChosenBackend(choice)).module);
  await container.get(Tokens.Cleanup)(logger, {});
  send({ event: 'cleaned-up' });
}

async function handle(request: Request): Promise<void> {
  switch (request.op) {
    case 'describe': {
      const { mode, description, capabilities = {} } = await loadChosenBackend(request.choice);
      send({ event: 'described', description: { mode, description, capabilities } });
      break;
    }
    case 'start':
      await start(request.choice, request.proxier);
      break;
    case 'apply':
      for (const markers of waiting.values()) {
        markers.add(request.marker);
      }
      source.apply(request.changes, request.serviceCIDRs);
      break;
    case 'count':
      send({ event: 'counted', totals: running === undefined ? [] : await countedTotals(running) });
      break;
    case 'cleanup':
      await cleanup(request.choice);
      break;
    default:
      assertNever(request);
  }
}

function fail(error: unknown): void {
  const message = isProxierError(error) ? messageOf(error) : String((error as Error)?.stack ?? error);
  const code = codeOf(error);
  send({ event: 'failed', message, ...(code === undefined ? {} : { code }) });
}

function codeOf(error: unknown): ConformanceErrorCode | undefined {
  if (error instanceof ConformanceError) {
    return error.code;
  }
  return isProxierError(error) && error.code === 'PROXY_MODE_UNUSABLE' ? 'CONFORMANCE_BACKEND_UNUSABLE' : undefined;
}

function markerKey(name: string): ServicePortKey {
  return servicePortKey({ namespace: MARKER_NAMESPACE, name, portName: '', protocol: 'TCP' });
}

process.on('message', (request: Request) => {
  handle(request).catch(fail);
});
process.on('disconnect', () => process.exit(0));
