const UNITS = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB'] as const;

/** A number of bytes for people: `812B`, `39.1KiB`, `2.0GiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit: string | undefined;
  for (const next of UNITS) {
    // A value that would be rounded to 1024.0 uses the next unit.
    if (value < (unit === undefined ? 1024 : 1023.95)) {
      break;
    }
    value /= 1024;
    unit = next;
  }
  return unit === undefined ? `${bytes}B` : `${value.toFixed(1)}${unit}`;
}
