import type { SourcePosition, Warning } from './rendering.js';

/** Maximum number of warnings per rendering; later ones are dropped. */
export const MAX_WARNINGS = 100;

/** Reports that a filter replaced or omitted its input. */
export type Warn = (reason: string) => void;

/** Warnings of one rendering. */
export class Warnings {
  readonly list: Warning[] = [];
  private readonly noted = new Set<string>();

  /** Adds the first reason for each position and path, up to `MAX_WARNINGS`. */
  note(path: string | null, { field, part, line, column }: SourcePosition, reason: string): void {
    if (this.list.length >= MAX_WARNINGS) return;
    const key = `${field} ${part?.kind} ${part?.name} ${line} ${column} ${path}`;
    if (this.noted.has(key)) return;
    this.noted.add(key);
    this.list.push({ path, field, part, line, column, reason });
  }
}

/** Adds a warning for the last value read, or for `path`. The reason states the change and its cause. */
export function noteWarning(
  run: { warnings: Warnings; path: string | null },
  position: SourcePosition,
  reason: string,
  path: string | null = run.path,
): void {
  run.warnings.note(path, position, reason);
}
