/** Codes of a database that is unreachable, out of connections or too slow. A retry may succeed. */
const UNAVAILABLE = new Set([
  'P1000', 'P1001', 'P1002', 'P1008', 'P1011', 'P1017', 'P2024', 'P2028', 'P2037',
  'ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'EPIPE', 'ETIMEDOUT', 'SQLITE_BUSY',
  '25P03', '53300', '55P03', '57014', '57P01', '57P02', '57P03', '57P05',
]); // prettier-ignore
/** PostgreSQL's class of connection errors. Poolers use it to report that PostgreSQL is unreachable. */
const CONNECTION_STATE = /^08\w{3}$/;

/** Adapter names of the same faults, in errors of raw statements. */
const UNAVAILABLE_KINDS = new Set([
  'DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections', 'TlsConnectionError',
]); // prettier-ignore

/** Messages of pg connection errors, which have no code. */
const UNAVAILABLE_MESSAGE = /Connection terminated|timeout exceeded when trying to connect|timeout expired|is not queryable/;

/** Codes of a full disk. */
const FULL = new Set(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', '53100', 'ENOSPC', 'EDQUOT']);
/** Codes of a failing disk, or of PostgreSQL running out of memory. */
const DISK_FAULTS = /^(SQLITE_(IOERR|CANTOPEN)\w*|53200|58030)$/;
/** PostgreSQL code for a write to a standby, or to a server set to read-only. */
const READ_ONLY_STATE = '25006';
/** Codes of a read-only database, such as a file on a disk remounted read-only after an error. */
const READ_ONLY = /^(25006|SQLITE_READONLY\w*)$/;

interface DatabaseError {
  code?: unknown;
  cause?: unknown;
  message?: unknown;
  originalCode?: unknown;
  meta?: { driverAdapterError?: DatabaseError };
}

/** Returns the cause of an adapter error, or of a client error that wraps one. */
function adapterCause(error: DatabaseError): { kind?: string; code?: string } | undefined {
  return (error.meta?.driverAdapterError ?? error).cause as ReturnType<typeof adapterCause>;
}

function adapterKind(error: DatabaseError): string {
  return adapterCause(error)?.kind ?? '';
}

/** Message to callers while the database is unusable. Their changes may have been stored. */
const DATABASE_UNAVAILABLE =
  'The database is not responding. Try again; a change may have been stored nevertheless, so check first, or repeat it with the same idempotency key';

/** Creates an error like that of a driver whose peer does not respond. All layers above the drivers recognize it. */
export function databaseSilent(message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code: 'ETIMEDOUT', errno: -110, syscall: 'read' });
}

/** Creates the error with which PostgreSQL refuses a write to a standby. */
export function databaseIsStandby(): Error {
  const message = 'The database is a standby and accepts no writes';
  return Object.assign(new Error(message), { code: READ_ONLY_STATE, severity: 'FATAL' });
}

export function isUniqueViolation(error: unknown): boolean {
  return (error as DatabaseError | undefined)?.code === 'P2002';
}

export function isForeignKeyViolation(error: unknown): boolean {
  return (error as DatabaseError | undefined)?.code === 'P2003';
}

/** Returns whether the database aborted one of two writers in a deadlock. A retry sees the changes of the other. */
export function isWriteConflict(error: unknown): boolean {
  const fault = error as DatabaseError | undefined;
  return fault?.code === 'P2034' || (fault && adapterKind(fault)) === 'TransactionWriteConflict';
}

export function isDatabaseUnavailable(error: unknown): boolean {
  return chain(error).some(
    (at) =>
      codes(at).some(isUnavailableCode) ||
      UNAVAILABLE_KINDS.has(adapterKind(at)) ||
      (typeof at.message === 'string' && UNAVAILABLE_MESSAGE.test(at.message)),
  );
}

const isUnavailableCode = (code: string): boolean =>
  UNAVAILABLE.has(code) || FULL.has(code) || [CONNECTION_STATE, DISK_FAULTS, READ_ONLY].some((codes) => codes.test(code));

/** Returns whether the database refused a change because it is currently read-only. */
export function isDatabaseReadOnly(error: unknown): boolean {
  return chain(error).some((at) => codes(at).some((code) => READ_ONLY.test(code)));
}

export function isDatabaseFull(error: unknown): boolean {
  return chain(error).some((at) => codes(at).some((code) => FULL.has(code)));
}

/** Returns whether another process has locked the SQLite file. */
export function isDatabaseLocked(error: unknown): boolean {
  return chain(error).some((at) => codes(at).some((code) => code.startsWith('SQLITE_BUSY')));
}

/** Returns the message to callers for an error with `isDatabaseUnavailable`. */
export function unavailableMessage(error: unknown): string {
  if (isDatabaseFull(error)) return 'The disk of the database is full, and nothing was changed; try again when there is room';
  if (isDatabaseReadOnly(error)) return 'The database accepts no changes at present, and nothing was changed; try again later';
  const isDiskFault = chain(error).some((at) => codes(at).some((code) => DISK_FAULTS.test(code)));
  return isDiskFault ? 'The database reports a disk or memory error; try again' : DATABASE_UNAVAILABLE;
}

/** Lists an error and its causes, since Prisma wraps driver errors. */
function chain(error: unknown): DatabaseError[] {
  const faults: DatabaseError[] = [];
  for (let at = error; at && typeof at === 'object' && faults.length < 5; at = (at as DatabaseError).cause) faults.push(at);
  return faults;
}

/** Returns the codes of an error and of the driver error in its cause. */
function codes({ code, originalCode, meta }: DatabaseError): string[] {
  const driver = meta?.driverAdapterError?.cause as DatabaseError | undefined;
  return [code, originalCode, driver?.code, driver?.originalCode].filter((value) => typeof value === 'string');
}
