import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../../base/app-error.js';
import type { Logger } from '../../logging/logger.js';
import { closeLingering, rawAnswer } from './lingering-close.js';

/** Socket with the name under which Node stores its current response. */
type HttpSocket = Socket & { _httpMessage?: ServerResponse | null };

/** Refuses a request rejected by Node's HTTP parser, in the common form, and closes the connection. */
export function refuseUnparsed(error: NodeJS.ErrnoException, socket: HttpSocket, logger: Logger): void {
  const isMidAnswer = socket._httpMessage?.headersSent === true;
  const isSilent = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0; // opened in advance, never used
  if (error.code === 'ECONNRESET' || !socket.writable || isMidAnswer || isSilent) {
    socket.destroy();
    return;
  }
  const refusal = refusalOf(error);
  logger.info({ status: refusal.status, reason: error.code }, 'request refused by the HTTP parser');
  closeLingering(socket, rawAnswer(refusal));
}

function refusalOf({ code }: NodeJS.ErrnoException): AppError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError('BAD_REQUEST', 'The request headers did not arrive in time', { status: 408 });
    case 'HPE_HEADER_OVERFLOW':
      return new AppError('BAD_REQUEST', 'The URL and headers of the request are larger than 16 KiB', { status: 431 });
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new AppError('PAYLOAD_TOO_LARGE', 'The extensions of a chunk are larger than 16 KiB');
    default:
      return new AppError('BAD_REQUEST', 'The request is not well-formed HTTP/1.1');
  }
}
