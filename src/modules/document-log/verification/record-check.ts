import { ERASED, type LogContent, NO_DETAILS } from '../records/log-row.js';
import { canonicalRemainder, personalOfEdit, personalOfLog } from '../records/canonical.js';
import { leafHashOf, sha256Text } from '../records/merkle.js';
import { isOfHash, type LeafService } from '../records/leaf.service.js';
import { brokenLog } from './tamper-found.js';
import type { CheckedEdit, CheckedLog } from './verify.queries.js';
import type { LeafLine } from './bundle-lines.js';

const EDITABLE = ['comment', 'custom1', 'custom2'] as const;
type Editable = (typeof EDITABLE)[number];

/** Options for checking leaves. */
export interface LeafCheck {
  leaves: LeafService;
  /** True to accept MACs of secrets unknown to this node. */
  acceptsAnyMac: boolean;
}

/** Checks a record and its edits against their leaves. @throws TamperFound */
export function checkLog(log: CheckedLog, check: LeafCheck): void {
  for (const edit of log.edits) checkEdit(edit, check);
  const erasures = log.edits.filter(({ field }) => field === ERASED);
  const own: CheckedLog = erasures.length > 0 ? { ...log, edits: log.edits.filter(({ field }) => field !== ERASED) } : log;
  checkCounts(own);
  const isIntact = log.erasedAt === null && erasures.length === 0 ? isAsCreated(own, check) : isAsErased(own, erasures, check);
  if (!isIntact) throw brokenLog(log.id, 'The record was changed: its content does not match its MAC');
}

function isAsCreated(log: CheckedLog, { leaves, acceptsAnyMac }: LeafCheck): boolean {
  const original = withoutEdits(log);
  if (!hasTimes(log.dateTime, log.createdAt) || !isOfHash(personalOfLog(original), original)) return false;
  return leaves.isSame(leaves.leafOfLog(original), log, acceptsAnyMac);
}

/** Checks that a sealed edit documents the erasure and the remains. */
function isAsErased(log: CheckedLog, erasures: CheckedEdit[], { leaves, acceptsAnyMac }: LeafCheck): boolean {
  const fault = (reason: string) => brokenLog(log.id, `The record was changed: ${reason}`);
  const [erasure, ...more] = erasures;
  if (!erasure || more.length > 0) throw fault('it looks erased, but does not have exactly one edit that seals the erasure');
  if (log.erasedAt?.getTime() !== erasure.dateTime.getTime()) throw fault('its erasedAt does not match the sealed time');
  const values = [log.authorId, log.comment, log.custom1, log.custom2, log.salt];
  const isEmpty = log.details === NO_DETAILS && values.every((value) => value === null);
  if (!isEmpty || log.edits.some(hasTexts)) throw fault('it was erased, but has personal values');
  if (!hasTimes(log.dateTime, log.createdAt)) return false;
  if (sha256Text(canonicalRemainder(log, log.edits)) !== erasure.newValue)
    throw fault('it does not match the remains sealed by its erasure');
  return leaves.isSame(leaves.leafOfLog(log), log, acceptsAnyMac);
}

/** Checks an edit against its leaf. @throws TamperFound that names the record of the edit */
export function checkEdit(edit: CheckedEdit, check: LeafCheck): void {
  if (!hasTimes(edit.dateTime) || !isIntactEdit(edit, check)) {
    throw brokenLog(edit.logId, `Edit ${edit.id} of the record was changed: its content does not match its MAC`);
  }
}

function isIntactEdit(edit: CheckedEdit, { leaves, acceptsAnyMac }: LeafCheck): boolean {
  const isErased = edit.isOwnerGone && edit.field !== ERASED && !hasTexts(edit);
  const isWhole = edit.field === ERASED ? edit.salt === null : isErased || isOfHash(personalOfEdit(edit), edit);
  return isWhole && leaves.isSame(leaves.leafOfEdit(edit), edit, acceptsAnyMac);
}

const hasTexts = ({ oldValue, newValue, salt }: CheckedEdit): boolean => [oldValue, newValue, salt].some((text) => text !== null);

/** Tests for valid times, since a time column of SQLite can contain any text. */
const hasTimes = (...times: unknown[]): boolean => times.every((time) => time instanceof Date && !Number.isNaN(time.getTime()));

const changed = (log: CheckedLog, reason: string) => brokenLog(log.id, `The record or its edits were changed: ${reason}`);

/** Compares editCount and updateAt with the edits. @throws TamperFound */
function checkCounts(log: CheckedLog): void {
  const newest = log.edits.at(-1)?.dateTime;
  if (log.editCount !== log.edits.length) throw changed(log, `editCount is ${log.editCount}, there are ${log.edits.length}`);
  if (log.updateAt?.getTime() !== newest?.getTime()) throw changed(log, 'updateAt is not the time of the newest edit');
}

/** Reverts the edits to get the record as of its creation. @throws TamperFound if they do not lead to the current state */
function withoutEdits(log: CheckedLog): LogContent {
  const original: Record<Editable, string | null> = { comment: log.comment, custom1: log.custom1, custom2: log.custom2 };
  for (const field of EDITABLE) {
    for (const edit of log.edits.filter((edit) => edit.field === field).toReversed()) {
      if (edit.newValue !== original[field]) throw changed(log, `${field} does not match edit ${edit.id}`);
      original[field] = edit.oldValue;
    }
  }
  return log.edits.length === 0 ? log : { ...log, ...original };
}

export const nameOf = ({ kind, id }: LeafLine): string => `${kind} ${id}`;

/** Describes the fault of a leaf's content. Returns undefined if it matches the hash and has all values, unless erased. */
export function faultOfContent(line: LeafLine, content: string, tenantId: string): string | undefined {
  if (leafHashOf(content) !== line.leafHash) return `the content of ${nameOf(line)} does not match its leafHash`;
  const given = JSON.parse(content) as Record<string, unknown>;
  const [type, logId] = line.kind === 'record' ? ['log', undefined] : ['edit', line.logId];
  if (given.type !== type || given.id !== line.id || given.tenantId !== tenantId || given.logId !== logId) {
    return `the content of ${nameOf(line)} belongs to another record, edit or tenant`;
  }
  const { personal, salt, erased } = line;
  const personalHash = typeof given.personalHash === 'string' ? given.personalHash : null;
  const isEmpty = personal === undefined && salt === undefined;
  if (erased) return personalHash !== null && isEmpty ? undefined : `${nameOf(line)} is wrongly marked as erased`;
  const isErasure = line.kind === 'edit' && given.field === ERASED && personalHash === null;
  const fits = personal === undefined ? isErasure && isEmpty : isOfHash(personal, { salt: salt ?? null, personalHash });
  return fits ? undefined : `the personal values of ${nameOf(line)} do not match its personalHash`;
}
