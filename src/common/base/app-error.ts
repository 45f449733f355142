// Room: Errors, ids, JSON, and rules for texts, times and addresses.
/** Closed list of error codes, each with its HTTP status outside of GraphQL. */
const ERROR_STATUS = {
  BAD_REQUEST: 400,
  BAD_USER_INPUT: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  FAILED_PRECONDITION: 412,
  PAYLOAD_TOO_LARGE: 413,
  RATE_LIMITED: 429,
  INTERNAL_SERVER_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** HTTP statuses of errors, except the few that their code does not determine. */
export const ERROR_STATUSES: readonly number[] = [...new Set(Object.values(ERROR_STATUS))];

interface Details {
  /** Path of the invalid value, such as `input.expiresIn`. */
  field?: string;
  /** HTTP status, if the code alone does not determine it (405, 408, 410, 411, 415, 416). */
  status?: number;
  headers?: Record<string, string>;
  cause?: unknown;
}

/** Truncates a name or an id from a caller, for an error that quotes it. */
export const quoted = (text: string): string => text.slice(0, 100).toWellFormed();

/** Expected refusal. Its message tells the caller what is wrong and what to send. */
export class AppError extends Error {
  readonly field?: string;
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(
    readonly code: ErrorCode,
    message: string,
    details: Details = {},
  ) {
    super(message, { cause: details.cause });
    this.field = details.field;
    this.status = details.status ?? ERROR_STATUS[code];
    this.headers = details.headers ?? {};
  }
}

/** Returns the same error for a field that the caller gave under another name. */
export function renamed({ code, field = '', message }: AppError, name: string): AppError {
  return new AppError(code, message.startsWith(field) ? name + message.slice(field.length) : message, { field: name });
}

export const badInput = (field: string, message: string): AppError =>
  new AppError('BAD_USER_INPUT', `${field}: ${message}`, { field });

export const notFound = (subject: string): AppError => new AppError('NOT_FOUND', `${subject} does not exist`);

/** Returns what was done, or the refusal of it. Any other error is thrown: it is no fault of this item alone. */
export async function orRefusal<R>(work: () => R | Promise<R>): Promise<R | AppError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** Works on the items that were not refused, and returns a result or a refusal for each item, in order. */
export async function forAccepted<T, R>(
  items: readonly (T | AppError)[],
  work: (accepted: T[]) => Promise<readonly R[]>,
): Promise<(R | AppError)[]> {
  const accepted = items.filter((item): item is T => !(item instanceof AppError));
  const done = accepted.length > 0 ? await work(accepted) : [];
  let next = 0;
  return items.map((item) => (item instanceof AppError ? item : done[next++]!));
}
