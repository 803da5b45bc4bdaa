/** Parses values as Go's flag library does, so that command lines of kube-proxy work unchanged. */

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/**
 * Reads a Go duration: `30s`, `1m30s`, `1.5h`, `100ms`, `-1s`, `0`.
 *
 * @returns milliseconds; undefined when invalid.
 */
export function parseGoDuration(text: string): number | undefined {
  const [, sign, rest] = /^([+-]?)(.*)$/s.exec(text) ?? [];
  if (rest === undefined || text.length > 64) {
    return undefined;
  }
  if (rest === '0') {
    return 0;
  }
  if (!/^((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/.test(rest)) {
    return undefined;
  }
  let total = 0;
  for (const [, amount, unit] of rest.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    total += Number(amount) * (UNITS[unit ?? ''] ?? 0);
  }
  return sign === '-' ? -total : total;
}

/** Writes milliseconds as Go writes a duration: `30s`, `1m30s`, `24h0m0s`, `500ms`, `0s`. */
export function formatGoDuration(milliseconds: number): string {
  const sign = milliseconds < 0 ? '-' : '';
  const total = Math.abs(milliseconds);
  if (total > 0 && total < 1000) {
    const micro = Math.round(total * 1000);
    return total >= 1 ? `${sign}${micro / 1000}ms` : `${sign}${micro}µs`;
  }
  const hours = Math.floor(total / 3_600_000);
  const minutes = Math.floor(total / 60_000) % 60;
  const seconds = Math.round(total % 60_000) / 1000;
  const prefix = hours > 0 ? `${hours}h${minutes}m` : minutes > 0 ? `${minutes}m` : '';
  return `${sign}${prefix}${seconds}s`;
}

/** Reads a Go boolean: `true`, `false`, `1`, `0`, `t`, `F`…; undefined when invalid. */
export function parseGoBool(text: string): boolean | undefined {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) {
    return true;
  }
  return ['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text) ? false : undefined;
}

/** Reads a Go integer, decimal or `0x…`; undefined when invalid. */
export function parseGoInt(text: string): number | undefined {
  return /^[+-]?(\d{1,10}|0[xX][0-9a-fA-F]{1,8})$/.test(text) ? Number(text.replace(/^\+/, '')) : undefined;
}

/** Reads a decimal number: `5`, `0.5`, `-1`, `1e3`; undefined when invalid. */
export function parseGoFloat(text: string): number | undefined {
  return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/.test(text) && text.length <= 32 ? Number(text) : undefined;
}
