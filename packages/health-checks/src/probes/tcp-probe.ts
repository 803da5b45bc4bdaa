import type { TcpConnects, TcpTarget } from '@kube-proxier/linux';
import { connectFailure, type HealthProbe, type ProbeTarget } from './health-probe.js';

/** Passes when a TCP connection is established. */
export function tcpProbe({ family, address, port, settings }: ProbeTarget, connects: TcpConnects): HealthProbe {
  const { timeout, namespace } = settings;
  const target: TcpTarget = { family, address, port, timeout, namespace };
  return (callback) =>
    connects.attempt(target, (failure, milliseconds) =>
      callback(
        failure === undefined
          ? { outcome: 'passed', reason: '', milliseconds }
          : connectFailure(failure, milliseconds, timeout),
      ),
    );
}
