import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../errors/app-error.js';

const BYTE_ORDER_MARK = '\ufeff';

/**
 * Reads JSON bodies as RFC 8259 has them: UTF-8, with or without a byte order mark. A member named `__proto__` is one like
 * any other, since nothing here copies members by assignment.
 */
export function readJsonBodies(server: FastifyInstance): void {
  server.removeContentTypeParser('application/json');
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_: FastifyRequest, body: Buffer) =>
    parseJsonBody(body),
  );
}

/** @throws BAD_REQUEST for what is not JSON in UTF-8 */
function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) throw new AppError('BAD_REQUEST', 'The body is empty; it must be JSON');
  if (!isUtf8(body)) throw new AppError('BAD_REQUEST', 'The body is not valid UTF-8; JSON must be sent in UTF-8');
  const text = body.toString();
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch (error) {
    throw new AppError('BAD_REQUEST', `The body is not JSON: ${(error as Error).message}`);
  }
}
