import type { Socket } from 'node:net';
import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppError } from '../../base/app-error.js';

/** Limits for a refused sender: bytes that it may still send, and the time after the answer. */
const LINGER_BYTES = 16 * 1024 * 1024;
const LINGER_MS = 2_000;

/**
 * Writes a last answer and closes the connection without losing the answer. A socket closed while bytes arrive resets the connection,
 * and the reset may overtake the answer. So this side ends first and discards further bytes, until the peer closes or a limit is
 * reached.
 */
export function closeLingering(socket: Socket, answer?: string): void {
  let leftBytes = LINGER_BYTES;
  socket.resume(); // before the listeners are removed: only the parser can resume a paused socket
  process.nextTick(() => {
    socket.removeAllListeners('data'); // including that of the parser, so that no later request of the connection is served
    socket.on('data', (chunk: Buffer) => {
      leftBytes -= chunk.length;
      if (leftBytes < 0) socket.destroy();
    });
  });
  socket.end(answer ?? '', () => {
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
  });
}

/**
 * Announces in an answer that the rest of its request is not read. Call it before the response headers are written; Node then
 * closes the connection through `destroySoon`.
 */
export function leaveUnread(request: FastifyRequest, reply: FastifyReply): void {
  const { socket } = request.raw;
  void reply.header('connection', 'close');
  socket.destroySoon = () => closeLingering(socket);
}

/** Writes a refusal as a complete HTTP response, for connections without a parsed request. */
export function rawAnswer({ status, code, message, headers }: AppError): string {
  const body = JSON.stringify({ code, message });
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
