import { MAX_COUNTED } from '../../../common/lists/periods.js';
import { DEFAULT_LIMIT, MAX_LIMIT, PAGE_END } from '../../../common/lists/page.js';
import { asCount } from '../../../common/base/amounts.js';
import { HEAVY_BOUNDS } from '../../../common/scheduling/work-class.js';
import { KEY_LENGTH } from './logs.queries.js';
import { MAX_EXAMINED, MAX_RECORDS } from './log-results.model.js';
import { MAX_DOCUMENT_ATTRIBUTES, MAX_EDITS } from '../models/log.model.js';

/** Schema descriptions of the operations on records. */
export const LOGS = {
  logs:
    `Records, newest event first (by dateTime, then id) unless order says WRITTEN. limit is 1 to ${asCount(MAX_LIMIT)}, ` +
    `${asCount(DEFAULT_LIMIT)} unless given. ${PAGE_END} A page of order WRITTEN with a filter also ends once ` +
    `${asCount(MAX_EXAMINED)} records were examined. A record that was damaged in the database is null, with ` +
    'FAILED_PRECONDITION. BAD_USER_INPUT for a nextToken of another filter, order or tenant.',
  documentState:
    'The attributes of a document as they were at a time, by id, from the log; at is now unless given. Skips records whose ' +
    `attribute has no id. PAYLOAD_TOO_LARGE over ${asCount(MAX_DOCUMENT_ATTRIBUTES)} attributes. ` +
    HEAVY_BOUNDS,
  logActivity:
    `Counts records by the day of their dateTime, up to the newest ${asCount(MAX_COUNTED)} by dateTime. Those of later days, ` +
    `and those that were removed, do not count. ${HEAVY_BOUNDS}`,
  logValues:
    'The different values that a field has in all records, in the order of their code points, for a choice of values. Records ' +
    `without the field are left out; of values with the same first ${KEY_LENGTH} characters (code points), one is returned. Each value ` +
    'takes one look at an index, however many records have it.',
  logValuesStartsWith: `The beginning of the values, case-sensitive; up to ${KEY_LENGTH} characters. All values by default.`,
  createLog: 'Responds once the record is stored. CONFLICT when the idempotencyKey was used before with other content.',
  createLogBatch: `1 to ${asCount(MAX_RECORDS)} records. A record that breaks a rule gets an error, the others are stored.`,
  createSingleDocumentLogs:
    `Stores a record for each of 1 to ${asCount(MAX_RECORDS)} changes. A change that breaks a rule gets an error, the others are ` +
    'stored.',
  updateLog:
    'Changes comment, custom1 and custom2, and keeps their old values in edits. NOT_FOUND for an unknown id; ' +
    `FAILED_PRECONDITION when the record would have more than ${asCount(MAX_EDITS)} edits.`,
  edits: `The changes made by updateLog, oldest first; at most ${asCount(MAX_EDITS)}.`,
};
