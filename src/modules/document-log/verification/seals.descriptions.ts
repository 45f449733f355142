import { asCount } from '../../../common/base/amounts.js';
import { HEAVY_BOUNDS } from '../../../common/scheduling/work-class.js';
import { MAX_VERIFIED } from './progress.js';
import { MAX_STEPS } from './seal.model.js';

/** Schema descriptions of the operations on seals. */
export const SEALS = {
  verifyLogs:
    'Recomputes everything that was created between from and to (both inclusive, either may be left out): records, edits and ' +
    `the blocks that hold them, at most ${asCount(MAX_VERIFIED)} records and edits a call; checkedTo says where to go on. ` +
    'checkpoint is a latestSeal kept elsewhere: with it, a cut tail and a re-signed history are found too. BAD_USER_INPUT for ' +
    `a checkpoint that is damaged or of another tenant, and when to is before from. ${HEAVY_BOUNDS}`,
  verifyLogsFrom: 'Earliest time of creation, inclusive; left out, from the first record.',
  verifyLogsTo: 'Latest time of creation, inclusive; left out, to the last record.',
  latestSeal:
    'The newest block’s signed checkpoint, opaque, to keep outside of this system; null when nothing is sealed. ' +
    'FAILED_PRECONDITION when that block was changed.',
  logProof:
    'The proof that a record or an edit is in its sealed block, with everything needed to verify it; null until it is sealed, ' +
    'which takes about a second. NOT_FOUND for an unknown id; FAILED_PRECONDITION when the block or its records were changed. ' +
    HEAVY_BOUNDS,
  logConsistency:
    `Proves that the checkpoint to continues the checkpoint from; each is a latestSeal. Covers at most ${asCount(MAX_STEPS)} ` +
    'blocks a call. BAD_USER_INPUT for a checkpoint that is damaged, of another tenant or another key, and when from is the ' +
    `later one; FAILED_PRECONDITION when the blocks do not lead from one to the other. ${HEAVY_BOUNDS}`,
};
