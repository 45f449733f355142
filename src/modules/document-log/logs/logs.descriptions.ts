import { MAX_COUNTED } from '../../../common/lists/periods.js';
import { DEFAULT_LIMIT, MAX_LIMIT, PAGE_END } from '../../../common/lists/page.js';
import { asCount } from '../../../common/base/amounts.js';
import { HEAVY_BOUNDS } from '../../../common/scheduling/work-class.js';
import { KEY_LENGTH } from './logs.queries.js';
import { MAX_EXAMINED, MAX_RECORDS } from './log-results.model.js';
import { MAX_DOCUMENT_ATTRIBUTES, MAX_EDITS } from '../models/log.model.js';

export const LOGS = {
  logs:
    `Lists records, newest event first (by dateTime, then id) unless order is WRITTEN. limit is 1 to ${asCount(MAX_LIMIT)}, ` +
    `${asCount(DEFAULT_LIMIT)} by default. ${PAGE_END} A filtered page of order WRITTEN also ends after examining ` +
    `${asCount(MAX_EXAMINED)} records. A record damaged in the database is null, with ` +
    'FAILED_PRECONDITION. BAD_USER_INPUT for a nextToken of another filter, order or tenant.',
  documentState:
    'Reconstructs the attributes of a document at a point in time from the log; now by default. Skips attributes ' +
    `without an id. PAYLOAD_TOO_LARGE over ${asCount(MAX_DOCUMENT_ATTRIBUTES)} attributes. ` +
    HEAVY_BOUNDS,
  logActivity:
    `Counts records per day of dateTime, up to the newest ${asCount(MAX_COUNTED)}. Excludes records of future days ` +
    `and removed records. ${HEAVY_BOUNDS}`,
  logValues:
    'Lists the distinct values of a field over all records, in code point order, for example to fill a selection list. ' +
    `Returns one of several values with the same first ${KEY_LENGTH} characters (code points). Costs one index lookup per value.`,
  logValuesStartsWith: `Prefix of the values, case-sensitive, up to ${KEY_LENGTH} characters. All values by default.`,
  createLog: 'Stores a record, and responds after the commit. CONFLICT if the idempotencyKey was used with other content.',
  createLogBatch: `Stores 1 to ${asCount(MAX_RECORDS)} records. An invalid record gets an error; the others are stored.`,
  createSingleDocumentLogs:
    `Stores a record for each of 1 to ${asCount(MAX_RECORDS)} changes. An invalid change gets an error; the others are ` +
    'stored.',
  updateLog:
    'Changes comment, custom1 and custom2, and stores the old values in edits. NOT_FOUND for an unknown id; ' +
    `FAILED_PRECONDITION if the record would exceed ${asCount(MAX_EDITS)} edits.`,
  edits: `Changes by updateLog, oldest first; at most ${asCount(MAX_EDITS)}.`,
};
