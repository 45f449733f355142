/** What does not fit: a record (for an edit, the record that it is of) or a block, and why in the caller's words. */
export interface Finding {
  brokenLogId?: string;
  brokenBlock?: number;
  reason: string;
}

/** Ends a verification at the first thing that does not fit. */
export class TamperFound extends Error {
  constructor(readonly finding: Finding) {
    super(finding.reason);
  }
}

/** On SQLite an id that was changed can be bytes. */
export const brokenLog = (id: string, reason: string): TamperFound => new TamperFound({ brokenLogId: String(id), reason });
export const brokenBlock = (block: number, reason: string): TamperFound => new TamperFound({ brokenBlock: block, reason });
