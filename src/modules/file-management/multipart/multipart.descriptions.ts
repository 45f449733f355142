import { asBytes } from '../../../common/base/amounts.js';
import { LEAST_BYTES_PER_SECOND, MAX_PART_BYTES, MIN_PART_BYTES } from '../models/limits.js';

/** Schema descriptions of the operations on uploads in parts. */
export const MULTIPART = {
  multipartUpload:
    'An open upload with the parts that have arrived, for resuming; null when it is unknown, completed or aborted.',
  initiateMultipartUpload: 'Begins an upload in parts. Its content becomes visible once it is completed.',
  generatePartUploadUrl:
    'Returns the URL to send one part to by PUT. Parts can be sent in any order, in parallel, and again; each but the last has ' +
    `${asBytes(MIN_PART_BYTES)} to ${asBytes(MAX_PART_BYTES)}. The answer to the PUT carries the ETag that completing needs. ` +
    'It is 413 when all parts together exceed the largest file or the bytes that the tenant may still store, and 408 when ' +
    `fewer than ${asBytes(LEAST_BYTES_PER_SECOND)} a second arrive on average after the first minute. PAYLOAD_TOO_LARGE when ` +
    'nothing more may be stored.',
  completeMultipartUpload:
    'Joins the parts to the content of the file, all at once. BAD_USER_INPUT names a part that is missing, different or too ' +
    'small; the upload can still be completed. PAYLOAD_TOO_LARGE ends it. A repeat with the same parts returns the same.',
  abortMultipartUpload: 'Removes an upload and its parts; the file stays as it is.',
};
