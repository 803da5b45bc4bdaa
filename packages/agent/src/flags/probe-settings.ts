import { parseAddress } from '@kube-proxier/core';
import { DEFAULT_PROBE_ADDRESSES, type ProbeOptions } from '@kube-proxier/server';
import type { FlagValues } from './flag-values.js';

/** Minimum interval in milliseconds. */
const SHORTEST_INTERVAL = 1000;

/** Reads `--probe-interval`, `--probe-addresses` and `--probe-readiness`; undefined when nothing is probed. */
export function readProbe(values: FlagValues): Required<ProbeOptions> | undefined {
  const interval = values.duration('probe-interval') ?? 0;
  if (interval !== 0 && interval < SHORTEST_INTERVAL) {
    values.wrong('probe-interval', values.text('probe-interval'), 'must be at least 1s, or 0 for no probe');
  }
  const texts = values.given('probe-addresses') ? values.list('probe-addresses') : DEFAULT_PROBE_ADDRESSES;
  const addresses = texts.flatMap((text) => {
    const address = parseAddress(text);
    if (address === undefined) {
      values.wrong('probe-addresses', text, 'is not an IP address; give one without port, such as 192.0.2.1');
    }
    return address ?? [];
  });
  const families = new Set(addresses.map(({ family }) => family));
  if (families.size < addresses.length) {
    values.wrong('probe-addresses', values.text('probe-addresses'), 'must be at most one address of each IP family');
  }
  if (interval !== 0 && texts.length === 0) {
    values.wrong('probe-addresses', '', 'must have an address when --probe-interval is set');
  }
  const readiness = values.bool('probe-readiness');
  if (readiness && interval === 0) {
    values.wrong('probe-readiness', 'true', 'needs a --probe-interval, such as 5s');
  }
  return interval === 0 ? undefined : { interval, addresses: addresses.map(({ text }) => text), readiness };
}
