import type { Socket } from 'node:net';
import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AppError } from '../../base/app-error.js';

/** How much a refused sender may still send, and for how long after the answer was written. */
const LINGER_BYTES = 16 * 1024 * 1024;
const LINGER_MS = 2_000;

/**
 * Writes a last answer and closes the connection without losing it. A socket that is closed while bytes still arrive
 * resets the connection, and the reset may overtake the answer. So our side ends first and discards the bytes that still
 * arrive, until the peer has read the answer and closes, or a bound is reached.
 */
export function closeLingering(socket: Socket, answer?: string): void {
  let leftBytes = LINGER_BYTES;
  socket.resume(); // before the listeners go: only the parser can resume a paused socket
  process.nextTick(() => {
    socket.removeAllListeners('data'); // with that of the parser, so that no later request of the connection is served
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
 * Announces in an answer that the rest of its request is not read. Call it before the answer's head is written; Node then ends
 * the connection through `destroySoon`.
 */
export function leaveUnread(request: FastifyRequest, reply: FastifyReply): void {
  const { socket } = request.raw;
  void reply.header('connection', 'close');
  socket.destroySoon = () => closeLingering(socket);
}

/** Writes a refusal as a whole HTTP answer, for connections from which no request was read. */
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
