import type { MetricSample } from '../contract/backend-metrics.js';

/** Labels that are empty in the summed series. */
const SUMMED = ['service', 'protocol', 'endpoint'] as const;
/** Factor by which a series must exceed a listed one to replace it. */
const REPLACEMENT_RATIO = 2;

interface Series {
  /** Its value at the last update. */
  value: number;
  /** The increments while it was listed. */
  listed: number;
}

/**
 * The samples of one counter, as a bounded number of series: those with the highest values, and the sum of the rest, whose labels
 * `service`, `protocol` and `endpoint` are empty.
 *
 * No series ever decreases, and nothing is counted twice: increments count for a series while it is listed, and
 * otherwise for the rest. A series stays listed until it is removed, or until an unlisted one has twice its value.
 */
export class BoundedSeries {
  #series = new Map<string, Series>();
  #listed = new Set<string>();
  readonly #rests = new Map<string, { readonly sample: MetricSample; value: number }>();

  /** @param limit maximum number of listed series, without the summed one. */
  constructor(private readonly limit: number) {}

  /** @param samples all samples of one metric; a series without a sample is removed. */
  update(samples: readonly MetricSample[]): readonly MetricSample[] {
    const current = new Map<string, MetricSample>();
    for (const sample of samples) {
      const key = keyOf(sample);
      const other = current.get(key);
      current.set(key, other === undefined ? sample : { ...sample, value: other.value + sample.value });
    }
    this.#list(current);
    const series = new Map<string, Series>();
    const result: MetricSample[] = [];
    for (const [key, sample] of current) {
      const { value, listed } = this.#series.get(key) ?? { value: 0, listed: 0 };
      const added = sample.value >= value ? sample.value - value : sample.value;
      if (this.#listed.has(key)) {
        series.set(key, { value: sample.value, listed: listed + added });
        result.push({ ...sample, value: listed + added });
      } else {
        series.set(key, { value: sample.value, listed });
        this.#addToRest(sample, added);
      }
    }
    this.#series = series;
    return [...result, ...[...this.#rests.values()].map(({ sample, value }) => ({ ...sample, value }))];
  }

  #addToRest(sample: MetricSample, added: number): void {
    const labels = Object.entries(sample.labels).map(([name, value]): [string, string] => [
      name,
      SUMMED.some((summed) => summed === name) ? '' : value,
    ]);
    const rest = { ...sample, labels: Object.fromEntries(labels) };
    const key = keyOf(rest);
    const known = this.#rests.get(key);
    if (known === undefined) {
      this.#rests.set(key, { sample: rest, value: added });
    } else {
      known.value += added;
    }
  }

  #list(current: ReadonlyMap<string, MetricSample>): void {
    const listed = [...this.#listed].filter((key) => current.has(key));
    this.#listed = new Set(listed);
    if (current.size === listed.length) {
      return;
    }
    const worth = (key: string) => current.get(key)?.value ?? 0;
    const byValue = (left: string, right: string) => worth(right) - worth(left);
    const others = [...current.keys()].filter((key) => !this.#listed.has(key)).sort(byValue);
    listed.sort(byValue);
    for (const key of others) {
      if (this.#listed.size < this.limit) {
        this.#listed.add(key);
        continue;
      }
      const least = listed.pop();
      if (least === undefined || worth(key) <= worth(least) * REPLACEMENT_RATIO) {
        return;
      }
      this.#listed.delete(least);
      this.#listed.add(key);
    }
  }
}

function keyOf({ labels }: Pick<MetricSample, 'labels'>): string {
  return JSON.stringify(Object.entries(labels));
}
