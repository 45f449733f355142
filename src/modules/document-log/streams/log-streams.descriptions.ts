import { asCount } from '../../../common/base/amounts.js';
import { HEAVY_BOUNDS } from '../../../common/scheduling/work-class.js';
import { MAX_BATCH, MAX_STREAMS, MAX_WAITING } from './log-stream.model.js';

const UNKNOWN = 'NOT_FOUND for an unknown id.';
const READING = 'FORBIDDEN unless the key has the scope of the query logs, since a stream sends records.';

export const LOG_STREAMS = {
  createLogStream:
    'Creates a stream. It sends sealed records at least once, in the order of writing, about a second after writing, in batches ' +
    `of up to ${asCount(MAX_BATCH)}. It omits later edits. BAD_USER_INPUT for a forbidden URL. ` +
    `PAYLOAD_TOO_LARGE over ${MAX_STREAMS} streams. ${READING}`,
  updateLogStream: `Updates a stream and retries at once. BAD_USER_INPUT for a forbidden URL. ${READING} ${UNKNOWN}`,
  rewindLogStream: `Moves a stream back or ahead to the records written from a time on. ${READING} ${UNKNOWN}`,
  rewindTo: 'Time of writing to start from; sending may start a few seconds earlier.',
  deleteLogStream: `Deletes a stream, and returns its last state. ${UNKNOWN}`,
  waiting: `Number of pending sealed records; ${asCount(MAX_WAITING)} means that many or more. ${HEAVY_BOUNDS}`,
  logStreams: `Lists the streams of the tenant, newest first; at most ${MAX_STREAMS}.`,
};
