import { AppError } from '../../../common/base/app-error.js';

/** Headers that describe the body of a PUT. */
export interface AnnouncedBytes {
  contentLength: string | undefined;
  contentEncoding: string | undefined;
  contentRange: string | undefined;
}

/**
 * Returns the announced content length. Content is stored as sent, so encoded or partial content is refused.
 * @throws BAD_REQUEST: 411 without a length, 415 for an encoding, 400 for a range; PAYLOAD_TOO_LARGE
 */
export function announcedSize(
  { contentLength, contentEncoding = '', contentRange }: AnnouncedBytes,
  what: string,
  maxBytes: number,
): number {
  if (!/^(?:[\s,]|identity)*$/i.test(contentEncoding)) throw encodedBytes(what);
  if (contentRange !== undefined) {
    throw new AppError('BAD_REQUEST', `${what} must be sent whole; leave out Content-Range, or use a multipart upload`);
  }
  if (contentLength === undefined) throw new AppError('BAD_REQUEST', 'The header Content-Length is required', { status: 411 });
  const sizeBytes = Number(contentLength);
  if (sizeBytes > maxBytes) throw new AppError('PAYLOAD_TOO_LARGE', `${what} may have at most ${maxBytes} bytes`);
  return sizeBytes;
}

const encodedBytes = (what: string): AppError =>
  new AppError(
    'BAD_REQUEST',
    `${what} must not have a Content-Encoding; send it uncompressed without the header, or create a file ` +
      'with the type of the compressed content, such as application/gzip',
    { status: 415, headers: { 'accept-encoding': 'identity' } },
  );
