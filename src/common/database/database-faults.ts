/** Codes that say the database cannot be reached or has no connection free; a repeat may succeed. */
const UNAVAILABLE = new Set([
  'P1000', 'P1001', 'P1002', 'P1008', 'P1011', 'P1017', 'P2024', 'P2028', 'P2037',
  'ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', '57P01', '57P02', '57P03', '53300',
]); // prettier-ignore

interface Fault {
  code?: unknown;
  cause?: unknown;
  message?: unknown;
}

export function isUniqueViolation(error: unknown): boolean {
  return (error as Fault | undefined)?.code === 'P2002';
}

export function isForeignKeyViolation(error: unknown): boolean {
  return (error as Fault | undefined)?.code === 'P2003';
}

/** The database ended one of two writers that waited for each other; a repeat finds what the other one left. */
export function isWriteConflict(error: unknown): boolean {
  return (error as Fault | undefined)?.code === 'P2034';
}

/** Looks through the causes, since Prisma wraps what its drivers throw. */
export function isDatabaseUnavailable(error: unknown): boolean {
  for (let at = error as Fault | undefined, depth = 0; at && typeof at === 'object' && depth < 5; depth++) {
    if (typeof at.code === 'string' && UNAVAILABLE.has(at.code)) return true;
    if (typeof at.message === 'string' && /Connection terminated|timeout exceeded when trying to connect/.test(at.message)) {
      return true;
    }
    at = at.cause as Fault | undefined;
  }
  return false;
}
