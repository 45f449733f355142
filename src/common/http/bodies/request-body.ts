import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { AppError } from '../../base/app-error.js';

const JSON_TYPE = /^application\/json\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)/i;

/** Returns whether the body is the content of a file, which the handler of the route checks and streams. */
export function isContent({ raw, server, routeOptions }: FastifyRequest): boolean {
  if (server.movesContent) return true;
  const { 'content-type': type } = raw.headers;
  if (routeOptions.config?.acceptsContent !== true) return false;
  return type === undefined ? announcesBody(raw.headers) : !JSON_TYPE.test(type);
}

/** Checks the announced length; without one, the body is counted as it arrives. @throws PAYLOAD_TOO_LARGE */
export function checkAnnouncedLength({ headers }: IncomingMessage, maxBytes: number): void {
  if (Number(headers['content-length']) > maxBytes) throw bodyTooLarge(maxBytes);
}

export const bodyTooLarge = (maxBytes: number): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', `The request body may have at most ${maxBytes} bytes`);

/** Checks the content type. @throws BAD_REQUEST with 415 unless it is uncompressed JSON in UTF-8 */
export function checkJsonBody({ headers }: IncomingMessage): void {
  const { 'content-type': type, 'content-encoding': encoding } = headers;
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw unsupported('The request body must not be compressed; send it without Content-Encoding');
  }
  if (type === 'application/json' || (type === undefined && !announcesBody(headers))) return;
  if (!JSON_TYPE.test(type ?? '')) throw unsupported('The Content-Type must be application/json');
  const charset = CHARSET.exec(type ?? '')?.[1];
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset))
    throw unsupported('The charset of the request body must be UTF-8');
}

function announcesBody({ 'content-length': length, 'transfer-encoding': coding }: IncomingMessage['headers']): boolean {
  return coding !== undefined || (length !== undefined && length !== '0');
}

const unsupported = (message: string): AppError => new AppError('BAD_REQUEST', message, { status: 415 });

/** Checks the Expect header. @throws BAD_REQUEST with 417 for anything but 100-continue; HTTP/1.0 has no expectations */
export function checkExpectation({ headers, httpVersionMinor }: IncomingMessage): void {
  if (headers.expect === undefined || httpVersionMinor === 0) return;
  if (headers.expect.toLowerCase() === '100-continue') return;
  throw new AppError('BAD_REQUEST', 'The header Expect may only be 100-continue', { status: 417 });
}

/** Sends 100 Continue to a client that waits for it. Call it once no check is left that could refuse the body. */
export function askForBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.headers.expect !== undefined && request.httpVersionMinor > 0) response.writeContinue();
}
