import type { EditContent, LogContent } from './log-row.js';
import { canonicalEdit, canonicalLog, personalOfEdit, personalOfLog } from './canonical.js';

/** Input from which the holder of a proof computes a leaf. */
export interface LeafContent {
  /** Null if the row has invalid times. */
  content: string | null;
  /** Personal members with their salt. Null after erasure, and for the edit of an erasure. */
  personal: string | null;
  salt: string | null;
}

const NOTHING: LeafContent = { content: null, personal: null, salt: null };

/** Returns the leaf content of a record as of its creation. */
export function logContent(log: LogContent | undefined): LeafContent {
  return log ? contentOf(log, { canonical: canonicalLog, personal: personalOfLog }) : NOTHING;
}

/** Returns the leaf content of an edit. */
export function editContent(edit: EditContent | undefined): LeafContent {
  return edit ? contentOf(edit, { canonical: canonicalEdit, personal: personalOfEdit }) : NOTHING;
}

interface Writers<T> {
  canonical: (row: T) => string;
  personal: (row: T) => string;
}

function contentOf<T extends LogContent | EditContent>(row: T, { canonical, personal }: Writers<T>): LeafContent {
  const { salt = null } = row;
  try {
    const ofPerson = salt === null ? { personal: null, salt } : { personal: personal(row), salt };
    return { content: canonical(row), ...ofPerson };
  } catch {
    return NOTHING;
  }
}
