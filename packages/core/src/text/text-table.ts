/** Spaces between columns, as kubectl prints them. */
const GAP = '   ';

/**
 * Rows as aligned columns. The last column is not padded.
 *
 * @param rows cells, the header first; all rows have as many cells as the first.
 */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const [head = []] = rows;
  const widths = head.map((_cell, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const last = head.length - 1;
  return rows
    .map((row) => `${row.map((cell, column) => (column === last ? cell : cell.padEnd(widths[column] ?? 0))).join(GAP)}`)
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
