import { asCount } from '../../../common/base/amounts.js';
import { HEAVY_BOUNDS } from '../../../common/scheduling/work-class.js';
import { MAX_VERIFIED } from './progress.js';
import { MAX_STEPS } from './seal.model.js';

export const SEALS = {
  verifyLogs:
    'Verifies the records, edits and blocks created between from and to (both inclusive and optional), ' +
    `at most ${asCount(MAX_VERIFIED)} records and edits per call; continue from checkedTo. ` +
    'With a checkpoint, a latestSeal stored elsewhere, it also detects a truncated log and a re-signed history. BAD_USER_INPUT for ' +
    `a checkpoint that is damaged or of another tenant, and if to is before from. ${HEAVY_BOUNDS}`,
  verifyLogsFrom: 'Earliest time of creation, inclusive; the first record by default.',
  verifyLogsTo: 'Latest time of creation, inclusive; the last record by default.',
  latestSeal:
    'Returns the signed checkpoint of the newest block, opaque, to store outside this system; null if nothing is sealed. ' +
    'FAILED_PRECONDITION if that block was changed.',
  logProof:
    'Proves that a record or an edit is in its sealed block. Null until it is sealed, ' +
    'about a second after writing. NOT_FOUND for an unknown id; FAILED_PRECONDITION if the block or its records were changed. ' +
    HEAVY_BOUNDS,
  logConsistency:
    `Proves that the checkpoint to continues the checkpoint from; each is a latestSeal. Covers at most ${asCount(MAX_STEPS)} ` +
    'blocks per call. BAD_USER_INPUT for a checkpoint that is damaged, of another tenant or another key, and if from is the ' +
    `later one; FAILED_PRECONDITION if the blocks do not link them. ${HEAVY_BOUNDS}`,
};
