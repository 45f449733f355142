/** The result of rendering a template with params. */
export interface Rendering {
  /** The subject of an email; null for a document. */
  subject: string | null;
  body: string;
  /** The dotted names that were read but are missing, sorted and without duplicates. */
  missingParams: string[];
  /** Warnings in the order of the output, those of the subject first; at most `MAX_WARNINGS`. */
  warnings: Warning[];
}

/** The texts of a template. */
export type SourceField = 'subject' | 'body';

/** A partial or layout of which a template is made. */
export interface SourcePart {
  kind: 'partial' | 'layout';
  name: string;
}

/** A text of which a template is made: its own subject or body, or the body of a partial or layout. */
export interface SourceText {
  field: SourceField;
  /** null for the template's own texts. */
  part: SourcePart | null;
}

/** The position of a construct in a template. */
export interface SourcePosition extends SourceText {
  /** Lines and columns begin with 1; columns count UTF-16 units. */
  line: number;
  column: number;
}

/** A value that was replaced or omitted. There is one warning for each position and parameter. */
export interface Warning extends SourcePosition {
  /** A path as in `missingParams`; null for a value that is not from a parameter. */
  path: string | null;
  reason: string;
}
