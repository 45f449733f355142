import { asCount } from '../../../common/base/amounts.js';
import { HEAVY_BOUNDS } from '../../../common/scheduling/work-class.js';
import { MAX_BATCH, MAX_STREAMS, MAX_WAITING } from './log-stream.model.js';

const UNKNOWN = 'NOT_FOUND for an unknown id.';
const READING = 'FORBIDDEN unless the key has the scope entry of the query logs, since a stream sends records.';

/** Schema descriptions of the operations on log streams. */
export const LOG_STREAMS = {
  createLogStream:
    'Creates a stream. Sealed records go out in the order of writing, about a second after they were written, at least once, in batches ' +
    `of up to ${asCount(MAX_BATCH)}; an edit that is made later does not. BAD_USER_INPUT for an address that must not be called. ` +
    `PAYLOAD_TOO_LARGE over ${MAX_STREAMS} streams. ${READING}`,
  updateLogStream: `Changes a stream, which tries again at once. BAD_USER_INPUT for an address that must not be called. ${READING} ${UNKNOWN}`,
  rewindLogStream: `Sends the records again that were written from a time on, or skips to them. ${READING} ${UNKNOWN}`,
  rewindTo: 'Time of writing; sending may begin a few seconds earlier.',
  deleteLogStream: `Deletes a stream, and returns it as it was. ${UNKNOWN}`,
  waiting: `Sealed records that wait, counted up to ${asCount(MAX_WAITING)}, which stands for that many or more. ${HEAVY_BOUNDS}`,
  logStreams: `Streams of the tenant, newest first; at most ${MAX_STREAMS}.`,
};
