import { AppError } from '../../common/errors/app-error.js';
import { timeFault } from '../../common/validation/time.js';
import type { LogDetails, ShownLogRow } from './log-row.js';

/**
 * A record that somebody changed in the database to what no record can be, such as bytes in the place of a text. It is
 * refused alone: what stands beside it is shown.
 */
export class DamagedRecord extends AppError {
  /** Null when even that is no text. */
  readonly id: string | null;

  constructor(id: unknown) {
    const shown = typeof id === 'string' ? id : null;
    super(
      'FAILED_PRECONDITION',
      `Log ${shown ?? 'without an id'} was changed in the database and cannot be shown; ask verifyLogs what was done`,
    );
    this.id = shown;
  }
}

/** The parsed details of a row that is what it must be. @throws DamagedRecord */
export function detailsOf(row: ShownLogRow): LogDetails {
  const details = isWhole(row) ? objectOf(row.details) : undefined;
  if (!details) throw new DamagedRecord(row.id);
  return details;
}

/** What is made of it, or why nothing can be. */
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

const isWhole = (row: ShownLogRow): boolean =>
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
  Number.isInteger(row.editCount);

function objectOf(json: string): LogDetails | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
