import type { SourcePosition, Warning } from './rendering.js';

/** The most warnings of one rendering; further warnings are dropped. */
export const MAX_WARNINGS = 100;

/** Reports that a filter replaced or omitted its input. */
export type Warn = (reason: string) => void;

/** The values that one rendering replaced or omitted. */
export class Warnings {
  readonly list: Warning[] = [];
  private readonly noted = new Set<string>();

  /** Keeps the first reason for each position and path, up to `MAX_WARNINGS` of them. */
  note(path: string | null, { field, part, line, column }: SourcePosition, reason: string): void {
    if (this.list.length >= MAX_WARNINGS) return;
    const key = `${field} ${part?.kind} ${part?.name} ${line} ${column} ${path}`;
    if (this.noted.has(key)) return;
    this.noted.add(key);
    this.list.push({ path, field, part, line, column, reason });
  }
}

/**
 * Notes that a value was replaced or omitted: the value that was read last, unless `path` is given. The reason tells the author
 * what was changed, and why.
 */
export function noteWarning(
  run: { warnings: Warnings; path: string | null },
  position: SourcePosition,
  reason: string,
  path: string | null = run.path,
): void {
  run.warnings.note(path, position, reason);
}
