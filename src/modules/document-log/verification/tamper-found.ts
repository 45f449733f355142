/** The record (for an edit, its record) or the block that was tampered with, and how, in words for the caller. */
export interface Finding {
  brokenLogId?: string;
  brokenBlock?: number;
  reason: string;
}

/** Ends a verification at the first sign of tampering. */
export class TamperFound extends Error {
  constructor(readonly finding: Finding) {
    super(finding.reason);
  }
}

/** Converts the id to text: on SQLite a changed id can be bytes. */
export const brokenLog = (id: string, reason: string): TamperFound => new TamperFound({ brokenLogId: String(id), reason });
export const brokenBlock = (block: number, reason: string): TamperFound => new TamperFound({ brokenBlock: block, reason });
