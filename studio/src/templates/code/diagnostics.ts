import type { Diagnostic } from '@codemirror/lint';
import type { Text } from '@codemirror/state';
import type { Problem } from '../model/problems';

/** Converts a line and column from 1 to an offset, limited to the text, which may have changed. */
export function positionOf(doc: Text, line: number, column: number): number {
  const { from, to } = doc.line(Math.max(1, Math.min(doc.lines, line)));
  return Math.max(from, Math.min(to, from + column - 1));
}

/** Marks problems at their position, up to the end of their name or tag. */
export function diagnosticsOf(doc: Text, problems: readonly Problem[]): Diagnostic[] {
  return problems
    .filter(({ line }) => line !== undefined)
    .map(({ line, column, severity, reason }) => {
      const from = positionOf(doc, line!, column ?? 1);
      const rest = doc.sliceString(from, doc.lineAt(from).to);
      const length = /^(?:\{\{.*?\}\}|\{%.*?%\}|[\p{L}\p{N}_.[\]]+|.)/u.exec(rest)?.[0].length ?? 0;
      return { from, to: from + length, severity, message: reason };
    })
    .sort((one, other) => one.from - other.from);
}
