// The table that every bench prints, and the exit code that says whether all targets were met.

const COLUMNS = ['what', 'ours', 'peer', 'ratio', 'target', ''];
const LEFT = new Set([0, 4, 5]);

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Rows have `what`, `ours`, `peer`, `ratio` and `target` as text, and `met` where there is a target. */
export function report(title, rows) {
  const lines = [COLUMNS, ...rows.map(cells)];
  const widths = COLUMNS.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  process.stdout.write(`\n${title}\n`);
  for (const line of lines) {
    const padded = line.map((cell, column) => (LEFT.has(column) ? cell.padEnd(widths[column]) : cell.padStart(widths[column])));
    process.stdout.write(`  ${padded.join('   ').trimEnd()}\n`);
  }
  if (rows.some(({ met }) => met === false)) process.exitCode = 1;
}

function cells({ what, ours, peer = '', ratio = '', target = '', met }) {
  return [what, ours, peer, ratio, target, met === undefined ? '' : met ? 'ok' : 'target missed'];
}
