/** Codes that say the database cannot be reached or has no connection free; a repeat may succeed. */
const UNAVAILABLE = new Set([
  'P1000', 'P1001', 'P1002', 'P1008', 'P1011', 'P1017', 'P2024', 'P2028', 'P2037',
  'ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', '57P01', '57P02', '57P03', '53300',
]); // prettier-ignore

/** The same in the words of the adapters, which errors of raw statements carry. */
const UNAVAILABLE_KINDS = new Set([
  'DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections', 'TlsConnectionError',
]); // prettier-ignore

interface Fault {
  code?: unknown;
  cause?: unknown;
  message?: unknown;
  meta?: { driverAdapterError?: Fault };
}

/** Of an error of the adapter, or one of the client that tells of such. */
function adapterKind(error: Fault): string {
  const { cause } = error.meta?.driverAdapterError ?? error;
  return (cause as { kind?: string } | undefined)?.kind ?? '';
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
    if (UNAVAILABLE_KINDS.has(adapterKind(at))) return true;
    if (typeof at.message === 'string' && /Connection terminated|timeout exceeded when trying to connect/.test(at.message)) {
      return true;
    }
    at = at.cause as Fault | undefined;
  }
  return false;
}
