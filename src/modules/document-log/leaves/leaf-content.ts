import type { EditContent, LogContent } from '../records/log-row.js';
import { canonicalEdit, canonicalLog, personalOfEdit, personalOfLog } from './canonical.js';

/** Everything that a holder of a proof needs to compute a leaf. */
export interface LeafContent {
  /** Null of a row whose times were changed to invalid ones, and of erased content that was not salted. */
  content: string | null;
  /** The members that can name a person, with their salt; null of a plain leaf, and once they were erased. */
  personal: string | null;
  salt: string | null;
}

const NOTHING: LeafContent = { content: null, personal: null, salt: null };

/** Returns the content of the leaf of a record as it was created. */
export function logContent(log: (LogContent & { erasedAt: Date | null }) | undefined): LeafContent {
  return log ? contentOf(log, { canonical: canonicalLog, personal: personalOfLog, isErased: log.erasedAt !== null }) : NOTHING;
}

/** Returns the content of the leaf of an edit. */
export function editContent(edit: EditContent | undefined): LeafContent {
  if (!edit) return NOTHING;
  // Every edit has a text, before it or after it.
  const isErased = edit.oldValue === null && edit.newValue === null;
  return contentOf(edit, { canonical: canonicalEdit, personal: personalOfEdit, isErased });
}

interface Writers<T> {
  canonical: (row: T) => string;
  personal: (row: T) => string;
  isErased: boolean;
}

function contentOf<T extends LogContent | EditContent>(row: T, { canonical, personal, isErased }: Writers<T>): LeafContent {
  const { salt = null, personalHash = null } = row;
  if (isErased && personalHash === null) return NOTHING;
  try {
    const ofPerson = salt === null ? { personal: null, salt } : { personal: personal(row), salt };
    return { content: canonical(row), ...ofPerson };
  } catch {
    return NOTHING;
  }
}
