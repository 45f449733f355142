import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../../base/app-error.js';

const BYTE_ORDER_MARK = '\ufeff';
/**
 * Maximum number of values in a body. Parsing cannot be interrupted, and 16 MiB of `{}` take seconds. The largest operation, a batch of
 * 2,000 log records, has 100,000 values.
 */
const MAX_VALUES = 200_000;
const [QUOTE, ESCAPE, COMMA, ARRAY, OBJECT] = Buffer.from('"\\,[{') as unknown as number[];

/**
 * Parses JSON bodies by RFC 8259: UTF-8, with or without a byte order mark. Allows a member named `__proto__`, since no code here
 * copies members by assignment.
 * @param mayBeEmpty whether an empty body is none, although its type is announced
 */
export function readJsonBodies(server: FastifyInstance, { mayBeEmpty = false } = {}): void {
  server.removeContentTypeParser('application/json');
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_: FastifyRequest, body: Buffer, done) => {
    try {
      done(null, mayBeEmpty && body.length === 0 ? undefined : parseJsonBody(body));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** Parses a body. @throws BAD_REQUEST unless it is JSON in UTF-8; PAYLOAD_TOO_LARGE for too many values */
function parseJsonBody(body: Buffer): unknown {
  if (body.length === 0) throw new AppError('BAD_REQUEST', 'The body is empty; it must be JSON');
  if (!isUtf8(body)) throw new AppError('BAD_REQUEST', 'The body is not valid UTF-8; JSON must be sent in UTF-8');
  if (hasTooManyValues(body)) {
    throw new AppError('PAYLOAD_TOO_LARGE', `The body has more than ${MAX_VALUES} values; send them in several requests`);
  }
  const text = body.toString();
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch (error) {
    throw new AppError('BAD_REQUEST', `The body is not JSON: ${(error as Error).message}`, { cause: error });
  }
}

/** Counts commas and opening brackets: each value but the first of an object or array follows a comma. */
function hasTooManyValues(body: Buffer): boolean {
  if (body.length <= MAX_VALUES) return false;
  let values = 0;
  for (let at = 0; at < body.length && values <= MAX_VALUES; at++) {
    const byte = body[at];
    if (byte === QUOTE) at = endOfString(body, at);
    else if (byte === COMMA || byte === ARRAY || byte === OBJECT) values++;
  }
  return values > MAX_VALUES;
}

function endOfString(body: Buffer, start: number): number {
  let at = start + 1;
  while (at < body.length && body[at] !== QUOTE) at += body[at] === ESCAPE ? 2 : 1;
  return at;
}
