/** Result of rendering a template. */
export interface Rendering {
  /** Subject of an email; null for a document. */
  subject: string | null;
  body: string;
  /** Dotted names that were read but are missing, sorted and unique. */
  missingParams: string[];
  /** Warnings in output order, subject first; at most `MAX_WARNINGS`. */
  warnings: Warning[];
}

export type SourceField = 'subject' | 'body';

/** Partial or layout of a template. */
export interface SourcePart {
  kind: 'partial' | 'layout';
  name: string;
}

/** Text of a template: its own subject or body, or the body of a partial or layout. */
export interface SourceText {
  field: SourceField;
  /** Null for the template's own texts. */
  part: SourcePart | null;
}

/** Position of a construct in a template. */
export interface SourcePosition extends SourceText {
  /** Line and column begin with 1; columns count UTF-16 units. */
  line: number;
  column: number;
}

/** Replaced or omitted value. One warning per position and parameter. */
export interface Warning extends SourcePosition {
  /** Path as in `missingParams`; null for a value that is not a parameter. */
  path: string | null;
  reason: string;
}
