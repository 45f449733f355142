import { addAbortSignal, Readable } from 'node:stream';
import type { FormattedExecutionResult } from 'graphql';
import type { OperationBudget } from '../../scheduling/operation-budget.js';
import { eventLoop } from '../../scheduling/event-loop.js';

/** Size up to which an answer is written at once. */
const SMALL_ANSWER_BYTES = 256 * 1024;
const PIECE_BYTES = 64 * 1024;
/** Length above which a text or list is written separately from its object. */
const LARGE_TEXT = 16 * 1024;
const LONG_LIST = 50;
/** Depth of the items of pages and lists: data, root field, items, item. */
const ITEM_DEPTH = 3;
const FIELD_DEPTH = 2;
/** Maximum time for a client to receive an answer, whose memory is reserved until then. */
const MAX_SENDING_MS = 10 * 60_000;

const budgets = new WeakMap<object, OperationBudget>();

/** Registers the budget of a large result, for which `writeAnswer` returns a stream. */
export function noteBudget(data: object, budget: OperationBudget): void {
  if (budget.answeredBytes > SMALL_ANSWER_BYTES) budgets.set(data, budget);
}

/** Returns the size of a large result; 0 for any other. */
export const answeredBytesOf = (data: object): number => budgets.get(data)?.answeredBytes ?? 0;

/**
 * Writes the answer of an operation as JSON. A large answer becomes a stream, written as the client receives it: it is never in memory
 * twice, and other work runs in between.
 */
export function writeAnswer(result: FormattedExecutionResult): string {
  return write(result, result.data, 0);
}

/** Writes one root field of an answer in the same way. */
export function writeField(data: object, value: unknown): string {
  return write(value, data, FIELD_DEPTH);
}

function write(value: unknown, data: object | null | undefined, depth: number): string {
  const budget = data ? budgets.get(data) : undefined;
  if (!budget) return `${JSON.stringify(value)}\n`;
  const stream = Readable.from(pieces(value, depth, budget.tenantId), { objectMode: false });
  // Apollo passes the stream through, and Fastify sends streams as well as text.
  return addAbortSignal(AbortSignal.timeout(MAX_SENDING_MS), stream) as unknown as string;
}

async function* pieces(value: unknown, depth: number, tenantId: string): AsyncGenerator<Buffer, void> {
  let text = '';
  for (const part of textOf(value, depth)) {
    text += part;
    if (text.length < PIECE_BYTES) continue;
    yield Buffer.from(text);
    text = '';
    if (eventLoop.sliceUsed) await eventLoop.yield(tenantId);
  }
  yield Buffer.from(`${text}\n`);
}

/** Yields the text of JSON.stringify in parts, for values without functions and toJSON. */
function* textOf(value: unknown, depth: number): Generator<string, void> {
  if (isWrittenAtOnce(value, depth)) return yield JSON.stringify(value);
  const isList = Array.isArray(value);
  let separator = isList ? '[' : '{';
  for (const [key, part] of Object.entries(value as object)) {
    if (part === undefined) continue;
    yield isList ? separator : `${separator}${JSON.stringify(key)}:`;
    yield* textOf(part, depth + 1);
    separator = ',';
  }
  if (separator !== ',') yield separator;
  yield isList ? ']' : '}';
}

function isWrittenAtOnce(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth < ITEM_DEPTH) return false;
  if (Array.isArray(value)) return depth > ITEM_DEPTH && value.length <= LONG_LIST;
  return Object.values(value).every((part) => {
    return !(typeof part === 'string' && part.length > LARGE_TEXT) && !(Array.isArray(part) && part.length > LONG_LIST);
  });
}
