import type { LogContent } from '../records/log-row.js';
import type { LeafService } from '../leaves/leaf.service.js';
import { brokenLog } from './tamper-found.js';
import type { CheckedEdit, CheckedLog } from './verify.queries.js';

const EDITABLE = ['comment', 'custom1', 'custom2'] as const;
type Editable = (typeof EDITABLE)[number];

/** Checks a record and its edits, and returns the leaf hash of the record as it was created. @throws TamperFound */
export function checkLog(log: CheckedLog, leaves: LeafService): Buffer {
  for (const edit of log.edits) checkEdit(edit, leaves);
  const original = withoutEdits(log);
  const isStored = hasTimes(log.dateTime, log.createdAt) && leaves.isSame(leaves.leafOfLog(original), log);
  if (!isStored) throw brokenLog(log.id, 'The record was changed: its content does not fit its MAC');
  return Buffer.from(log.leafHash, 'base64url');
}

/** Checks an edit and returns its leaf hash. @throws TamperFound that names the record of the edit */
export function checkEdit(edit: CheckedEdit, leaves: LeafService): Buffer {
  if (!hasTimes(edit.dateTime) || !leaves.isSame(leaves.leafOfEdit(edit), edit)) {
    throw brokenLog(edit.logId, `Edit ${edit.id} of the record was changed: its content does not fit its MAC`);
  }
  return Buffer.from(edit.leafHash, 'base64url');
}

/** On SQLite a column for times can contain any text. */
const hasTimes = (...times: unknown[]): boolean => times.every((time) => time instanceof Date && !Number.isNaN(time.getTime()));

/** Undoes the edits to get the record as it was created. @throws TamperFound when its present state is not their result */
function withoutEdits(log: CheckedLog): LogContent {
  const fault = (reason: string) => brokenLog(log.id, `The record or its edits were changed: ${reason}`);
  const original: Record<Editable, string | null> = { comment: log.comment, custom1: log.custom1, custom2: log.custom2 };
  for (const field of EDITABLE) {
    for (const edit of log.edits.filter((edit) => edit.field === field).toReversed()) {
      if (edit.newValue !== original[field]) throw fault(`${field} is not what edit ${edit.id} made of it`);
      original[field] = edit.oldValue;
    }
  }
  const newest = log.edits.at(-1)?.dateTime;
  if (log.editCount !== log.edits.length) throw fault(`editCount is ${log.editCount}, there are ${log.edits.length}`);
  if (log.updateAt?.getTime() !== newest?.getTime()) throw fault('updateAt is not the time of the newest edit');
  return log.edits.length === 0 ? log : { ...log, ...original };
}
