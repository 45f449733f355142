/** Codes that say the database cannot be reached, has no connection free or took too long; a repeat may succeed. */
const UNAVAILABLE = new Set([
  'P1000', 'P1001', 'P1002', 'P1008', 'P1011', 'P1017', 'P2024', 'P2028', 'P2037',
  'ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', '57014', '57P01', '57P02', '57P03', '53300', 'SQLITE_BUSY',
]); // prettier-ignore

/** The same in the words of the adapters, which errors of raw statements carry. */
const UNAVAILABLE_KINDS = new Set([
  'DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections', 'TlsConnectionError',
]); // prettier-ignore

/** Of pg, whose errors about connections have no code. */
const UNAVAILABLE_MESSAGE = /Connection terminated|timeout exceeded when trying to connect|is not queryable/;

interface Fault {
  code?: unknown;
  cause?: unknown;
  message?: unknown;
  meta?: { driverAdapterError?: Fault };
}

/** Of an error of the adapter, or one of the client that tells of such. */
function adapterCause(error: Fault): { kind?: string; code?: string } | undefined {
  return (error.meta?.driverAdapterError ?? error).cause as ReturnType<typeof adapterCause>;
}

function adapterKind(error: Fault): string {
  return adapterCause(error)?.kind ?? '';
}

/** What callers read while the database cannot be used: what they wanted to change may have been changed. */
export const DATABASE_UNAVAILABLE =
  'The database does not answer now. Try again; a change may have been stored nevertheless, so look, or repeat it with the same idempotency key';

/** An error in the form in which drivers tell that a peer says nothing, which all that is above them understands. */
export function databaseSilent(message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code: 'ETIMEDOUT', errno: -110, syscall: 'read' });
}

export function isUniqueViolation(error: unknown): boolean {
  return (error as Fault | undefined)?.code === 'P2002';
}

export function isForeignKeyViolation(error: unknown): boolean {
  return (error as Fault | undefined)?.code === 'P2003';
}

/** The database ended one of two writers that waited for each other; a repeat finds what the other one left. */
export function isWriteConflict(error: unknown): boolean {
  const fault = error as Fault | undefined;
  return fault?.code === 'P2034' || (fault && adapterKind(fault)) === 'TransactionWriteConflict';
}

/** Looks through the causes, since Prisma wraps what its drivers throw. */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (let at = error as Fault | undefined, depth = 0; at && typeof at === 'object' && depth < 5; depth++) {
    if (typeof at.code === 'string' && UNAVAILABLE.has(at.code)) return true;
    if (UNAVAILABLE_KINDS.has(adapterKind(at)) || UNAVAILABLE.has(adapterCause(at)?.code ?? '')) return true;
    if (typeof at.message === 'string' && UNAVAILABLE_MESSAGE.test(at.message)) return true;
    at = at.cause as Fault | undefined;
  }
  return false;
}
