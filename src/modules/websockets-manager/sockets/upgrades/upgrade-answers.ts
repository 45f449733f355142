import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { AppError, type ErrorCode } from '../../../../common/base/app-error.js';
import { closeLingering, rawAnswer } from '../../../../common/http/refusals/lingering-close.js';

const CODES = {
  400: 'BAD_REQUEST',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'BAD_REQUEST',
  426: 'BAD_REQUEST',
  503: 'SERVICE_UNAVAILABLE',
} satisfies Record<number, ErrorCode>;
const HEADERS: { [status: number]: Record<string, string> } = {
  405: { Allow: 'GET' },
  426: { Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' },
  503: { 'Retry-After': '2' },
};
/** Path of the WebSocket endpoint. */
export const PATH = '/';
/** Pattern of 16 bytes in base64 (RFC 6455 4.1). */
const KEY = /^[+/0-9A-Za-z]{22}==$/;

export type RefusedStatus = keyof typeof CODES;

/** Rejects an upgrade with an HTTP response, and closes the connection. */
export function refuseUpgrade(socket: Socket, status: RefusedStatus, message: string): void {
  closeLingering(socket, rawAnswer(new AppError(CODES[status], message, { status, headers: HEADERS[status] })));
}

/** Returns the first violation of RFC 6455 in an upgrade. */
export function handshakeFault({ method, headers }: IncomingMessage): { status: RefusedStatus; message: string } | undefined {
  if (method !== 'GET') return { status: 405, message: 'A WebSocket handshake must use GET' };
  if (!KEY.test(headers['sec-websocket-key'] ?? '')) {
    return { status: 400, message: 'Sec-WebSocket-Key must be 16 bytes in base64' };
  }
  if (headers['sec-websocket-version'] !== '13') return { status: 426, message: 'Sec-WebSocket-Version must be 13' };
  return undefined;
}

/** Returns an error for a request with a token but without upgrade headers, which a proxy may have removed. */
export function missingUpgrade({ method, url }: FastifyRequest): AppError | undefined {
  const [path, query] = url.split('?', 2);
  if (method !== 'GET' || path !== PATH || !new URLSearchParams(query).has('token')) return undefined;
  return new AppError(
    'BAD_REQUEST',
    'A WebSocket handshake requires the headers Upgrade: websocket and Connection: Upgrade; configure any proxy to forward them',
    { status: 426, headers: { upgrade: 'websocket', connection: 'Upgrade' } },
  );
}

const UPGRADE_HEADERS = new Set(['upgrade', 'http2-settings', 'connection']);

/**
 * Serves a request that offers another protocol as plain HTTP (RFC 9110). Some clients (Java, curl --http2) offer HTTP/2 (`h2c`) with every
 * first request, and Node before 22.21 and 24.9 emits 'upgrade' for it.
 */
export function serveWithoutUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (!UPGRADE_HEADERS.has(rawHeaders[index]!.toLowerCase())) lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  }
  // HTTP headers are Latin-1.
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
