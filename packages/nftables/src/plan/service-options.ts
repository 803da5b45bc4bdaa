import {
  COUNT_CONNECTIONS_ANNOTATION,
  cidrContains,
  countConnectionsProblem,
  type Endpoint,
  hostCIDR,
  parseAddress,
  parseCIDR,
} from '@kube-proxier/core';

/** Annotations of a Service that this backend reads. */
export const ANNOTATIONS = {
  /** `random` or `maglev`. */
  loadBalancing: 'kube-proxier.io/load-balancing',
  /**
   * How many connections endpoints get, one against another: `10.244.1.0/24=3, node/big=5`. Addresses, networks and
   * `node/NAME`, 1…100 each; the first that fits counts, and 1 where none does.
   */
  endpointWeights: 'kube-proxier.io/endpoint-weights',
  countConnections: COUNT_CONNECTIONS_ANNOTATION,
} as const;

export type LoadBalancing = 'random' | 'maglev';

/** What a Service asks of this backend in particular. */
export interface ServiceOptions {
  readonly loadBalancing: LoadBalancing;
  /** 1…100. Undefined: equal weights. */
  readonly weightOf: ((endpoint: Endpoint) => number) | undefined;
}

type Weight = (endpoint: Endpoint) => number | undefined;

const AS_USUAL = {
  options: { loadBalancing: 'random', weightOf: undefined },
  problems: [],
} as const;

/** Reads the annotations of a Service. What cannot be read counts as absent, and is named in `problems`. */
export function readServiceOptions(annotations: Readonly<Record<string, string>>): {
  readonly options: ServiceOptions;
  readonly problems: readonly string[];
} {
  const asked = annotations[ANNOTATIONS.loadBalancing];
  const weights = annotations[ANNOTATIONS.endpointWeights];
  const count = annotations[ANNOTATIONS.countConnections];
  if (asked === undefined && weights === undefined && count === undefined) {
    return AS_USUAL;
  }
  const problems: string[] = [];
  if (asked !== undefined && asked !== 'random' && asked !== 'maglev') {
    problems.push(`${ANNOTATIONS.loadBalancing}: ${brief(asked)} is not one of random, maglev; random is used`);
  }
  const countProblem = countConnectionsProblem(annotations);
  if (countProblem !== undefined) {
    problems.push(countProblem);
  }
  const read = (weights ?? '').split(',').flatMap((item): Weight[] => {
    if (item.trim() === '') {
      return [];
    }
    const weight = readWeight(item.trim());
    if (weight === undefined) {
      const expected = 'ADDRESS=WEIGHT, NETWORK=WEIGHT or node/NAME=WEIGHT with a weight from 1 to 100';
      problems.push(`${ANNOTATIONS.endpointWeights}: ${brief(item.trim())} is not ${expected}; ignored`);
    }
    return weight === undefined ? [] : [weight];
  });
  const weightOf =
    read.length === 0 ? undefined : (endpoint: Endpoint) => firstOf(read, (weight) => weight(endpoint)) ?? 1;
  return { options: { loadBalancing: asked === 'maglev' ? asked : 'random', weightOf }, problems };
}

function readWeight(text: string): Weight | undefined {
  const [, what = '', number = ''] = /^([^=\s]+)\s*=\s*([1-9]\d?|100)$/.exec(text) ?? [];
  const weight = Number(number);
  const node = /^node\/([a-z0-9.-]+)$/.exec(what)?.[1];
  if (node !== undefined) {
    return ({ nodeName }) => (nodeName === node ? weight : undefined);
  }
  const address = parseAddress(what);
  const network = address === undefined ? parseCIDR(what)?.text : hostCIDR(address.text);
  return network === undefined ? undefined : ({ address }) => (cidrContains(network, address) ? weight : undefined);
}

function firstOf<Item, Found>(items: readonly Item[], find: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

function brief(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}
