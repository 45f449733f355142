import { AppError } from '../../common/errors/app-error.js';

/** What a request says that it sends. @throws BAD_REQUEST with 411 when it does not say; PAYLOAD_TOO_LARGE */
export function announcedSize(contentLength: string | undefined, what: string, maxBytes: number): number {
  if (contentLength === undefined) throw new AppError('BAD_REQUEST', 'The header Content-Length is required', { status: 411 });
  const sizeBytes = Number(contentLength);
  if (sizeBytes > maxBytes) throw new AppError('PAYLOAD_TOO_LARGE', `${what} may have at most ${maxBytes} bytes`);
  return sizeBytes;
}
