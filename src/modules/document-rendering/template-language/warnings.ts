import type { Warning } from '../rendering/render-job.js';
import type { SourcePosition } from './syntax.js';

/** Of one rendering; more are not told. */
export const MAX_WARNINGS = 100;

/** How a filter says of the value that it was given that it was replaced or left out. */
export type Warn = (reason: string) => void;

/** The values that one rendering replaced or left out. */
export class Warnings {
  readonly list: Warning[] = [];
  private readonly noted = new Set<string>();

  /** The first reason counts for each place and path, and what comes after the first `MAX_WARNINGS` is not kept. */
  note(path: string | null, { part, line, column }: SourcePosition, reason: string): void {
    if (this.list.length >= MAX_WARNINGS) return;
    const key = `${part} ${line} ${column} ${path}`;
    if (this.noted.has(key)) return;
    this.noted.add(key);
    this.list.push({ path, field: part, line, column, reason });
  }
}

/**
 * Notes that a value was replaced or left out: the one that was read last, unless another path is given. The reason tells
 * the author what was done, and why.
 */
export function noteWarning(
  run: { warnings: Warnings; path: string | null },
  position: SourcePosition,
  reason: string,
  path: string | null = run.path,
): void {
  run.warnings.note(path, position, reason);
}
