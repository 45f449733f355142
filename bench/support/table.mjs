// Tables as text and as Markdown. A table has a header and lines of cells; a line with one cell is a heading.

/** Aligns columns: those named in `left` to the left, numbers to the right. */
export function textTable({ header, lines, left }) {
  const widths = header.map((name, column) =>
    Math.max(...[header, ...lines].map((line) => (line.length > 1 ? line[column].length : 0)), name.length),
  );
  const aligned = (line) =>
    line.map((cell, column) => (left.has(header[column]) ? cell.padEnd(widths[column]) : cell.padStart(widths[column])));
  const texts = [header, ...lines].map((line) => (line.length === 1 ? line[0] : `  ${aligned(line).join('   ').trimEnd()}`));
  return `${texts.join('\n')}\n`;
}

export function markdownTable({ header, lines, left }) {
  const row = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const rows = lines.map((line) => (line.length === 1 ? [`**${line[0]}**`, ...header.slice(1).map(() => '')] : line));
  const rule = `| ${header.map((name) => (left.has(name) ? '---' : '--:')).join(' | ')} |`;
  return `${[row(header), rule, ...rows.map(row)].join('\n')}\n`;
}

const FIGURES = ['what', 'ours', 'peer', 'ratio', 'target', 'outcome'];

/** Merges the reports of benches into one table: the title of each report is a heading. */
export function figuresTable(reports) {
  const lines = reports.flatMap(({ title, rows }) => [[title], ...rows.map(cells)]);
  return { header: FIGURES, lines, left: new Set(['what', 'target', 'outcome']) };
}

function cells({ what, ours, peer = '', ratio = '', target = '', met }) {
  return [what, ours, peer, ratio, target, met === undefined ? '' : met ? 'ok' : 'target missed'];
}
