import { csvCell } from '../../../src/modules/document-log/export/log-csv';

/** Fields that are no data of an item: signed URLs, which give access to whoever has the file. */
const SECRET = new Set(['downloadUrl', 'uploadUrl']);

/** Formats items as CSV, with a column for each field. Fields of objects have dotted names; no cell is a formula for a spreadsheet. */
export function csvOf(items: readonly unknown[]): string {
  const rows = items.map((item) => {
    const row = new Map<string, string>();
    put(row, '', item);
    return row;
  });
  // An object that is null in some rows has no fields there, and its own column is dropped.
  const all = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const names = all.filter((name) => !all.some((other) => other.startsWith(`${name}.`)));
  const lines = [names, ...rows.map((row) => names.map((name) => row.get(name)))];
  return lines.map((cells) => `${cells.map(csvCell).join()}\r\n`).join('');
}

function put(row: Map<string, string>, name: string, value: unknown): void {
  if (Array.isArray(value)) row.set(name, value.map(wordOf).join('; '));
  else if (typeof value === 'object' && value !== null) {
    for (const [field, inner] of Object.entries(value))
      if (!SECRET.has(field)) put(row, name ? `${name}.${field}` : field, inner);
  } else row.set(name, value === null || value === undefined ? '' : String(value));
}

/** Returns one item of a list in a cell: an address, or JSON. */
function wordOf(item: unknown): string {
  if (typeof item !== 'object' || item === null) return String(item);
  const { address } = item as { address?: unknown };
  return typeof address === 'string' ? address : JSON.stringify(item);
}
