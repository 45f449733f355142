import { AppError } from '../../../common/base/app-error.js';

/** The headers by which a PUT announces its bytes. */
export interface AnnouncedBytes {
  contentLength: string | undefined;
  contentEncoding: string | undefined;
  contentRange: string | undefined;
}

/**
 * Returns the number of bytes that the client will send. Bytes are stored as sent, so compressed or partial content is refused.
 * @throws BAD_REQUEST: 411 without a length, 415 for an encoding, 400 for a range; PAYLOAD_TOO_LARGE
 */
export function announcedSize(
  { contentLength, contentEncoding = '', contentRange }: AnnouncedBytes,
  what: string,
  maxBytes: number,
): number {
  if (!/^(?:[\s,]|identity)*$/i.test(contentEncoding)) throw encodedBytes(what);
  if (contentRange !== undefined) {
    throw new AppError(
      'BAD_REQUEST',
      `${what} is sent whole, without the header Content-Range; use a multipart upload for pieces`,
    );
  }
  if (contentLength === undefined) throw new AppError('BAD_REQUEST', 'The header Content-Length is required', { status: 411 });
  const sizeBytes = Number(contentLength);
  if (sizeBytes > maxBytes) throw new AppError('PAYLOAD_TOO_LARGE', `${what} may have at most ${maxBytes} bytes`);
  return sizeBytes;
}

const encodedBytes = (what: string): AppError =>
  new AppError(
    'BAD_REQUEST',
    `${what} is stored as it is sent, so the header Content-Encoding must be left out; send the plain bytes, or create a file ` +
      'whose type is that of the compressed bytes, such as application/gzip',
    { status: 415, headers: { 'accept-encoding': 'identity' } },
  );
