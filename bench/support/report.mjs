// Table that every bench prints, and the exit code that reports missed targets. A bench started by another process also sends the rows
// to it.
import { figuresTable, textTable } from './table.mjs';

/** Exit code of a bench that completed and missed a target; any other except 0 is a failure. */
export const MISSED = 2;

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Prints rows with the texts `what`, `ours`, `peer`, `ratio` and `target`, and `met` if there is a target. The title names units and
 * peer.
 */
export function report(title, rows) {
  process.send?.({ title, rows });
  process.stdout.write(`\n${textTable(figuresTable([{ title, rows }]))}`);
  if (rows.some(({ met }) => met === false)) process.exitCode = MISSED;
}

/** Reports a skipped part, and its requirement. */
export function skip(part) {
  process.send?.({ skipped: part });
  process.stdout.write(`skipped: ${part}\n`);
}
