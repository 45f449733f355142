import { PlatformError } from '../../../../clients/js/src/errors';
import { readsOf } from './reads';

/** Text of a template with the problem. `draft` is for others. */
export type ProblemPlace =
  'name' | 'subject' | 'body' | 'css' | 'params' | 'comment' | 'parentCssId' | 'layoutId' | 'locale' | 'draft';

/** An error, a replaced value, or a missing parameter. */
export interface Problem {
  place: ProblemPlace;
  severity: 'error' | 'warning' | 'info';
  /** Both from 1. */
  line: number | undefined;
  column: number | undefined;
  reason: string;
}

const FIELD = /^input\.(?:template\.)?(\w+)/;
const PLACES = new Set<string>(['name', 'subject', 'body', 'css', 'params', 'comment', 'parentCssId', 'layoutId', 'locale']);

/** Reads the position of a refusal. Errors unrelated to the template are not problems. `partial` is the one being edited. */
export function problemOf(error: unknown, partial?: string): Problem | undefined {
  if (!(error instanceof PlatformError) || !error.field) return undefined;
  const field = FIELD.exec(error.field)?.[1] ?? '';
  const place = (PLACES.has(field) ? field : 'draft') as ProblemPlace;
  const [, line, column, reason] = /^(?:input[.\w]*: )?(?:line (\d+), column (\d+): )?([^]*)$/.exec(
    error.message.replace(`partial "${partial}", `, ''),
  )!;
  return {
    place,
    severity: 'error',
    line: line === undefined ? undefined : Number(line),
    column: column === undefined ? undefined : Number(column),
    reason: capitalised(reason!),
  };
}

interface Warned {
  readonly field: string | null;
  readonly partialName: string | null;
  readonly layoutName: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly path: string | null;
  readonly reason: string | null;
}

/** A warning in another partial or layout names it, since its line is not in the edited text. */
export function warningOf({ field, partialName, layoutName, line, column, path, reason }: Warned, partial?: string): Problem {
  const part =
    partialName !== null && partialName !== partial
      ? `Partial ${partialName}`
      : layoutName !== null
        ? `Layout ${layoutName}`
        : undefined;
  const what = `${path ? `${path}: ` : ''}${reason ?? 'the value was replaced'}`;
  return {
    place: field === 'subject' ? 'subject' : 'body',
    severity: 'warning',
    line: part === undefined ? (line ?? undefined) : undefined,
    column: part === undefined ? (column ?? undefined) : undefined,
    reason: part === undefined ? what : `${part}, line ${line}: ${what}`,
  };
}

/** Finds the first use of each missing parameter, in one pass through the texts. */
export function missingOf(paths: readonly string[], texts: { subject: string; body: string }): Problem[] {
  const firsts = new Map<string, Pick<Problem, 'place' | 'line' | 'column'>>();
  for (const place of ['subject', 'body'] as const) {
    const text = texts[place];
    let line = 1;
    let start = 0;
    for (const { path, from } of readsOf(text)) {
      for (let end = text.indexOf('\n', start); end >= 0 && end < from; end = text.indexOf('\n', start)) {
        line += 1;
        start = end + 1;
      }
      if (!firsts.has(path)) firsts.set(path, { place, line, column: from - start + 1 });
    }
  }
  const nowhere = { place: 'body', line: undefined, column: undefined } as const;
  return paths.map((path) => ({ ...(firsts.get(path) ?? nowhere), severity: 'info', reason: missingReason(path) }));
}

const SEVERITIES = ['error', 'warning', 'info'] as const;
const ORDER: readonly ProblemPlace[] = [
  'draft',
  'name',
  'comment',
  'parentCssId',
  'layoutId',
  'locale',
  'subject',
  'body',
  'css',
  'params',
];

/** Maximum number of displayed problems. */
const SHOWN = 100;

/** Returns the first problems: errors first, then from top to bottom. */
export const firstOf = (problems: readonly Problem[]): Problem[] =>
  [...problems]
    .sort(
      (one, other) =>
        SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity) ||
        ORDER.indexOf(one.place) - ORDER.indexOf(other.place) ||
        (one.line ?? 0) - (other.line ?? 0) ||
        (one.column ?? 0) - (other.column ?? 0),
    )
    .slice(0, SHOWN);

const missingReason = (path: string) => `${path} is missing in the sample data and renders as empty`;
export const capitalised = (text: string) => (/^[a-z]+(?: |$)/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text);
