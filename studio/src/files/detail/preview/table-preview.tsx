import Papa from 'papaparse';
import { useMemo } from 'react';
import { formatCount } from '../../../ui/format';
import styles from '../../files.module.css';

const MAX_ROWS = 200;
const MAX_COLUMNS = 50;

/** Shows comma, semicolon or tab separated values as a table, with the first row as headers. */
export function TablePreview({ text, name, isCut }: { text: string; name: string; isCut: boolean }) {
  const { head, rows, more } = useMemo(() => read(text, isCut), [text, isCut]);
  return (
    <>
      <div className={`preview ${styles.table}`} tabIndex={0} role="region" aria-label={`Content of ${name}`}>
        <table>
          <thead>
            <tr>
              {head.map((cell, at) => (
                <th key={at} scope="col">
                  {cell}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((cells, at) => (
              <tr key={at}>
                {head.map((_, column) => (
                  <td key={column}>{cells[column]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more && <p className="small muted">{more}</p>}
    </>
  );
}

function read(text: string, isCut: boolean) {
  const { data } = Papa.parse<string[]>(text, { preview: MAX_ROWS + 2, skipEmptyLines: true });
  // The last row of a truncated text is incomplete.
  const [first = [], ...rest] = isCut && data.length <= MAX_ROWS + 1 ? data.slice(0, -1) : data;
  const rows = rest.slice(0, MAX_ROWS);
  const width = Math.max(first.length, ...rows.map(({ length }) => length));
  const head = Array.from({ length: Math.min(width, MAX_COLUMNS) }, (_, at) => first[at] ?? '');
  const hasMoreRows = isCut || rest.length > MAX_ROWS;
  const parts = [
    hasMoreRows && `the first ${formatCount(rows.length)} rows`,
    width > MAX_COLUMNS && `the first ${MAX_COLUMNS} of ${formatCount(width)} columns`,
  ].filter((part) => part !== false);
  return { head, rows, more: parts.length > 0 && `Shows ${parts.join(' and ')}.` };
}
