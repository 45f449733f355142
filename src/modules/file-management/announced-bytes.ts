import { AppError } from '../../common/errors/app-error.js';

/** What a PUT says of its bytes before the first of them. */
export interface AnnouncedBytes {
  contentLength: string | undefined;
  contentEncoding: string | undefined;
  contentRange: string | undefined;
}

/**
 * How many bytes will come. They are stored as they are, so what would have to be undone or joined first is refused.
 * @throws BAD_REQUEST with 411 without a length, 415 for a coding, 400 for a range; PAYLOAD_TOO_LARGE
 */
export function announcedSize(
  { contentLength, contentEncoding = '', contentRange }: AnnouncedBytes,
  what: string,
  maxBytes: number,
): number {
  if (!/^(?:[\s,]|identity)*$/i.test(contentEncoding)) throw codedBytes(what);
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

const codedBytes = (what: string): AppError =>
  new AppError(
    'BAD_REQUEST',
    `${what} is stored as it is sent, so the header Content-Encoding must be left out; send the plain bytes, or create a file ` +
      'whose type is that of the compressed bytes, such as application/gzip',
    { status: 415, headers: { 'accept-encoding': 'identity' } },
  );
