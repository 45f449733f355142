import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { AppError, type ErrorCode } from '../../../common/errors/app-error.js';
import { closeLingering } from '../../../common/http/lingering-close.js';
import { rawAnswer } from '../../../common/http/raw-answer.js';

const CODES = { 403: 'FORBIDDEN', 404: 'NOT_FOUND', 503: 'SERVICE_UNAVAILABLE' } satisfies Record<number, ErrorCode>;

export type RefusedStatus = keyof typeof CODES;

/** Refuses an upgrade, as an ordinary HTTP answer that ends the connection. */
export function refuseUpgrade(socket: Socket, status: RefusedStatus, message: string): void {
  const headers: Record<string, string> = status === 503 ? { 'Retry-After': '2' } : {};
  closeLingering(socket, rawAnswer(new AppError(CODES[status], message, { headers })));
}

/** What a request looks like whose upgrade a proxy did not pass on. Without a token it is no connection that was meant. */
export function missingUpgrade({ method, url }: FastifyRequest): AppError | undefined {
  const [path, query] = url.split('?', 2);
  if (method !== 'GET' || path !== '/' || !new URLSearchParams(query).has('token')) return undefined;
  return new AppError(
    'BAD_REQUEST',
    'A WebSocket connection needs the headers Upgrade: websocket and Connection: Upgrade; a proxy on the way has to pass them on',
    { status: 426, headers: { upgrade: 'websocket', connection: 'Upgrade' } },
  );
}
