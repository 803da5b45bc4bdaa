import { hostCIDR, parseAddress, parseCIDR } from '../model/address.js';
import {
  CILIUM_SLICE_WEIGHT_ANNOTATION,
  ENDPOINT_WEIGHTS_ANNOTATION,
  MAX_WEIGHT,
  SLICE_WEIGHT_ANNOTATION,
  SLOW_START_ANNOTATION,
  type WeightRule,
} from '../model/endpoint-weights.js';
import { printableValue } from '../text/printable.js';
import { type FieldReader, isDnsSubdomain } from './field-reader.js';
import { NO_ANNOTATIONS } from './read-annotations.js';

/** Maximum number of rules: an EndpointSlice has no more endpoints. */
const MAX_RULES = 1000;
/** Limit, because each network is compared with each endpoint. */
const MAX_NETWORKS = 64;
const MAX_SLOW_START_SECONDS = 3600;
const NO_RULES: readonly WeightRule[] = [];

type Annotations = Readonly<Record<string, string>>;

/** The items of `kube-proxier.io/endpoint-weights`, in order (spec E-2). Invalid ones are omitted and reported (spec E-4). */
export function readWeightRules(reader: FieldReader, annotations: Annotations): readonly WeightRule[] {
  const text = annotations[ENDPOINT_WEIGHTS_ANNOTATION];
  if (text === undefined) {
    return NO_RULES;
  }
  const rules: WeightRule[] = [];
  let networks = 0;
  for (const item of text.split(',')) {
    const trimmed = item.trim();
    if (trimmed === '') {
      continue;
    }
    const rule = rules.length < MAX_RULES ? readRule(trimmed) : undefined;
    const isNetwork = rule?.selector.kind === 'network' && !isHost(rule.selector.network);
    networks += isNetwork ? 1 : 0;
    if (rule === undefined || (isNetwork && networks > MAX_NETWORKS)) {
      const expected = `ADDRESS=WEIGHT, NETWORK=WEIGHT, node/NAME=WEIGHT or pod/NAME=WEIGHT with a weight from 0 to ${MAX_WEIGHT}, at most ${MAX_RULES} of them and ${MAX_NETWORKS} networks`;
      reader.ignoreField(fieldOf(ENDPOINT_WEIGHTS_ANNOTATION), `${printableValue(trimmed)} is not ${expected}`);
    } else {
      rules.push(rule);
    }
  }
  return rules.length === 0 ? NO_RULES : rules;
}

function readRule(text: string): WeightRule | undefined {
  const [, what = '', number = ''] = /^([^=\s]+)\s*=\s*(\d{1,5})$/.exec(text) ?? [];
  const weight = weightOf(number);
  if (weight === undefined) {
    return undefined;
  }
  const [, kind, name] = /^(node|pod)\/(.+)$/.exec(what) ?? [];
  if (kind !== undefined) {
    return isDnsSubdomain(name) ? { selector: { kind: kind as 'node' | 'pod', name }, weight } : undefined;
  }
  const address = parseAddress(what);
  const network = address === undefined ? parseCIDR(what)?.text : hostCIDR(address.text);
  return network === undefined ? undefined : { selector: { kind: 'network', network }, weight };
}

/** Whether a network is a single address, which needs a lookup only. */
function isHost(network: string): boolean {
  return hostCIDR(network.slice(0, network.indexOf('/'))) === network;
}

/** The weight of all endpoints of a slice; undefined where no valid annotation has one (spec E-3). An invalid one is reported. */
export function readSliceWeight(reader: FieldReader, annotations: Annotations): number | undefined {
  if (annotations === NO_ANNOTATIONS) {
    return undefined;
  }
  for (const key of [SLICE_WEIGHT_ANNOTATION, CILIUM_SLICE_WEIGHT_ANNOTATION]) {
    const text = annotations[key];
    if (text === undefined) {
      continue;
    }
    const weight = weightOf(text.trim());
    if (weight !== undefined) {
      return weight;
    }
    reader.ignoreField(fieldOf(key), `${printableValue(text)} is not a whole number from 0 to ${MAX_WEIGHT}`);
  }
  return undefined;
}

function weightOf(text: string): number | undefined {
  return /^(0|[1-9]\d{0,4})$/.test(text) && Number(text) <= MAX_WEIGHT ? Number(text) : undefined;
}

/** Seconds of slow start (spec E-7); undefined for none. An invalid duration is reported and disables slow start. */
export function readSlowStart(reader: FieldReader, annotations: Annotations): number | undefined {
  const text = annotations[SLOW_START_ANNOTATION];
  if (text === undefined) {
    return undefined;
  }
  const [, number, unit] = /^([1-9]\d{0,3})(s|m)?$/.exec(text.trim()) ?? [];
  const seconds = Number(number) * (unit === 'm' ? 60 : 1);
  if (seconds <= MAX_SLOW_START_SECONDS) {
    return seconds;
  }
  reader.ignoreField(
    fieldOf(SLOW_START_ANNOTATION),
    `${printableValue(text)} is not a duration such as 30s or 2m, up to ${MAX_SLOW_START_SECONDS}s`,
  );
  return undefined;
}

function fieldOf(annotation: string): string {
  return `metadata.annotations["${annotation}"]`;
}
