/** Ports that may be used as proxy ports. Undefined stands for any that the system gives. */
export interface PortRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Reads a range as kube-proxy wrote it: `30000-32767`, `30000+100` (both ends included), or one port. Empty and `0`
 * mean any port (spec U-10).
 *
 * @returns undefined for any port; `invalid` when the text is no range.
 */
export function parsePortRange(text: string): PortRange | undefined | 'invalid' {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === '0' || trimmed === '0-0') {
    return undefined;
  }
  const [, begin = '', operator, end = ''] = /^(\d{1,5})(?:([-+])(\d{1,5}))?$/.exec(trimmed) ?? [];
  const first = Number(begin);
  const last = operator === '-' ? Number(end) : operator === '+' ? first + Number(end) : first;
  return begin !== '' && first >= 1 && last <= 65_535 && first <= last ? { first, last } : 'invalid';
}

/** Every port of a range once, from a random one upwards, then from its beginning (spec U-11). */
export function* portsOf({ first, last }: PortRange, random: () => number = Math.random): Generator<number> {
  const size = last - first + 1;
  const start = Math.floor(random() * size);
  for (let offset = 0; offset < size; offset++) {
    yield first + ((start + offset) % size);
  }
}
