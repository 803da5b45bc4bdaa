import type { ConntrackTuningOptions } from '@kube-proxier/server';
import type { FlagName } from './flag.js';
import type { FlagValues } from './flag-values.js';

const MAX_INT32 = 2_147_483_647;

/** Reads the `--conntrack-…` flags (spec C-54). */
export function readConntrack(values: FlagValues): ConntrackTuningOptions {
  const entries = (name: FlagName) => values.int(name, 0, MAX_INT32, 'a number of connections from 0, such as 32768');
  const timeout = (name: FlagName) => {
    const duration = values.duration(name);
    if (duration !== undefined && duration < 0) {
      values.wrong(name, values.text(name), 'must be 0 or greater, such as 30s');
    }
    return duration ?? 0;
  };
  return {
    maxPerCore: entries('conntrack-max-per-core'),
    min: entries('conntrack-min'),
    tcpEstablishedTimeout: timeout('conntrack-tcp-timeout-established'),
    tcpCloseWaitTimeout: timeout('conntrack-tcp-timeout-close-wait'),
    tcpBeLiberal: values.bool('conntrack-tcp-be-liberal'),
    udpTimeout: timeout('conntrack-udp-timeout'),
    udpStreamTimeout: timeout('conntrack-udp-timeout-stream'),
  };
}
