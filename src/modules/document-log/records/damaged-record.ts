// Room: Tables of records.
import { AppError } from '../../../common/base/app-error.js';
import { timeFault } from '../../../common/base/time.js';
import type { LogDetails, ReadLogRow } from './log-row.js';

/** Record with an invalid value in the database, such as bytes in place of text. Fails alone: the rest of its page is returned. */
export class DamagedRecord extends AppError {
  /** Null if the id itself is not text. */
  readonly id: string | null;

  constructor(id: unknown) {
    const text = typeof id === 'string' ? id : null;
    super(
      'FAILED_PRECONDITION',
      `Log ${text ?? 'without an id'} was damaged in the database and cannot be shown; call verifyLogs for details`,
    );
    this.id = text;
  }
}

/** Checks a row, and parses its details. @throws DamagedRecord */
export function detailsOf(row: ReadLogRow): LogDetails {
  const details = isWhole(row) ? objectOf(row.details) : undefined;
  if (!details) throw new DamagedRecord(row.id);
  return details;
}

/** Returns the result, or the DamagedRecord thrown. */
export function orDamaged<T>(make: () => T): T | DamagedRecord {
  try {
    return make();
  } catch (error) {
    if (error instanceof DamagedRecord) return error;
    throw error;
  }
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string';
export const isTime = (time: Date): boolean => timeFault(time) === undefined;

const isWhole = (row: ReadLogRow): boolean =>
  isText(row.id) &&
  isText(row.documentId) &&
  isText(row.documentType) &&
  isText(row.details) &&
  isTextOrNull(row.attributeId) &&
  isTextOrNull(row.authorId) &&
  isTextOrNull(row.action) &&
  isTextOrNull(row.comment) &&
  isTextOrNull(row.custom1) &&
  isTextOrNull(row.custom2) &&
  isTime(row.dateTime) &&
  isTime(row.createdAt) &&
  (row.updateAt === null || isTime(row.updateAt)) &&
  (row.erasedAt === null || isTime(row.erasedAt)) &&
  Number.isInteger(row.editCount);

function objectOf(json: string): LogDetails | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
