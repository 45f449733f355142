import type { EditContent, LogContent } from './log-row.js';
import { canonicalEdit, canonicalLog, personalOfEdit, personalOfLog } from './canonical.js';

/** Everything that a holder of a proof needs to compute a leaf. */
export interface LeafContent {
  /** Null of a row whose times were changed to invalid ones. */
  content: string | null;
  /** The members that can name a person, with their salt; null once they were erased, and of the edit that seals that. */
  personal: string | null;
  salt: string | null;
}

const NOTHING: LeafContent = { content: null, personal: null, salt: null };

/** Returns the content of the leaf of a record as it was created. */
export function logContent(log: LogContent | undefined): LeafContent {
  return log ? contentOf(log, { canonical: canonicalLog, personal: personalOfLog }) : NOTHING;
}

/** Returns the content of the leaf of an edit. */
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
