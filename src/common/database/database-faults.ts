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

/** No room on the disk of the database, or in the memory of PostgreSQL; and a disk that fails. */
const FULL = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', '53100', 'ENOSPC', 'EDQUOT']);
const DISK_FAULTS = /^(SQLITE_IOERR\w*|53200|58030)$/;

interface Fault {
  code?: unknown;
  cause?: unknown;
  message?: unknown;
  originalCode?: unknown;
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
const DATABASE_UNAVAILABLE =
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

export function isDatabaseUnavailable(error: unknown): boolean {
  return chain(error).some(
    (at) =>
      codes(at).some((code) => UNAVAILABLE.has(code) || FULL.has(code) || DISK_FAULTS.test(code)) ||
      UNAVAILABLE_KINDS.has(adapterKind(at)) ||
      (typeof at.message === 'string' && UNAVAILABLE_MESSAGE.test(at.message)),
  );
}

export function isDatabaseFull(error: unknown): boolean {
  return chain(error).some((at) => codes(at).some((code) => FULL.has(code)));
}

/** What a caller is told of a fault that `isDatabaseUnavailable`. */
export function unavailableMessage(error: unknown): string {
  if (isDatabaseFull(error)) return 'The disk of the database is full, and nothing was changed; try again when there is room';
  const isDiskFault = chain(error).some((at) => codes(at).some((code) => DISK_FAULTS.test(code)));
  return isDiskFault ? 'The database has trouble with its disk or its memory; try again' : DATABASE_UNAVAILABLE;
}

/** An error and its causes, since Prisma wraps what its drivers throw. */
function chain(error: unknown): Fault[] {
  const faults: Fault[] = [];
  for (let at = error; at && typeof at === 'object' && faults.length < 5; at = (at as Fault).cause) faults.push(at);
  return faults;
}

/** Of the error itself, and of what the driver said, which an adapter keeps in the cause. */
function codes({ code, originalCode, meta }: Fault): string[] {
  const driver = meta?.driverAdapterError?.cause as Fault | undefined;
  return [code, originalCode, driver?.code, driver?.originalCode].filter((given) => typeof given === 'string');
}
