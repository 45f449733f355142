/** Result of a template with its params. */
export interface Rendering {
  /** Emails only. */
  subject: string | null;
  body: string;
  /** The dotted names that were read and not there, sorted, each once. */
  missingParams: string[];
  /** In the order of the output, the subject first; at most `MAX_WARNINGS`. */
  warnings: Warning[];
}

/** A text of a template. */
export type SourceField = 'subject' | 'body';

/** Where something stands in a template. */
export interface SourcePosition {
  field: SourceField;
  /** From 1; columns in UTF-16 units. */
  line: number;
  column: number;
}

/** A value that was replaced or left out. Each position is named once for each parameter that was written there. */
export interface Warning extends SourcePosition {
  /** As in `missingParams`; null for a value of no parameter. */
  path: string | null;
  reason: string;
}
