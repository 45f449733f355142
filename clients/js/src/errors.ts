/** Details of a refusal besides its message. */
export interface Refusal {
  /** Path of the invalid input, such as `input.expiresIn`. */
  field?: string;
  /** HTTP status; 200 for most GraphQL errors. */
  status?: number;
  /** Id of the request in the log of the server. */
  requestId?: string;
  /** Time to wait before a retry, as requested by the server. */
  retryAfterMs?: number;
  /** False if the server certainly did nothing. */
  mayHaveHappened?: boolean;
  cause?: unknown;
}

/** Any refusal by the services, or failure to get an answer. Each `code` has a class. */
export class PlatformError extends Error {
  readonly field: string | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly mayHaveHappened: boolean;

  constructor(
    readonly code: string,
    message: string,
    { field, status, requestId, retryAfterMs, mayHaveHappened = true, cause }: Refusal = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.field = field;
    this.status = status;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
    this.mayHaveHappened = mayHaveHappened;
  }
}

export class BadRequestError extends PlatformError {}
export class ParseFailedError extends PlatformError {}
export class ValidationFailedError extends PlatformError {}
export class BadUserInputError extends PlatformError {}
export class UnauthenticatedError extends PlatformError {}
export class ForbiddenError extends PlatformError {}
export class NotFoundError extends PlatformError {}
export class ConflictError extends PlatformError {}
export class FailedPreconditionError extends PlatformError {}
export class PayloadTooLargeError extends PlatformError {}
export class RateLimitedError extends PlatformError {}
export class ServiceUnavailableError extends PlatformError {}
export class InternalServerError extends PlatformError {}
/** The connection could not be opened, or broke before the answer. */
export class ConnectionError extends PlatformError {
  constructor(message: string, refusal?: Refusal) {
    super('CONNECTION_BROKEN', message, refusal);
  }
}
/** No answer, or no byte, arrived in time. */
export class TimedOutError extends PlatformError {
  constructor(message: string) {
    super('TIMED_OUT', message);
  }
}
/** Content differs from what was sent or read before. */
export class ContentMismatchError extends PlatformError {
  constructor(message: string) {
    super('CONTENT_MISMATCH', message);
  }
}

// Class names that minifiers leave alone.
const NAMED = {
  PlatformError,
  BadRequestError,
  ParseFailedError,
  ValidationFailedError,
  BadUserInputError,
  UnauthenticatedError,
  ForbiddenError,
  NotFoundError,
  ConflictError,
  FailedPreconditionError,
  PayloadTooLargeError,
  RateLimitedError,
  ServiceUnavailableError,
  InternalServerError,
  ConnectionError,
  TimedOutError,
  ContentMismatchError,
};
for (const [name, type] of Object.entries(NAMED)) {
  Object.defineProperty(type.prototype, 'name', { value: name, configurable: true, writable: true });
}

const CLASSES: { readonly [code: string]: typeof BadRequestError } = {
  BAD_REQUEST: BadRequestError,
  GRAPHQL_PARSE_FAILED: ParseFailedError,
  GRAPHQL_VALIDATION_FAILED: ValidationFailedError,
  BAD_USER_INPUT: BadUserInputError,
  UNAUTHENTICATED: UnauthenticatedError,
  FORBIDDEN: ForbiddenError,
  NOT_FOUND: NotFoundError,
  CONFLICT: ConflictError,
  FAILED_PRECONDITION: FailedPreconditionError,
  PAYLOAD_TOO_LARGE: PayloadTooLargeError,
  RATE_LIMITED: RateLimitedError,
  SERVICE_UNAVAILABLE: ServiceUnavailableError,
  INTERNAL_SERVER_ERROR: InternalServerError,
};
/** Codes of responses sent by a proxy in front of the services. */
const BY_STATUS: { readonly [status: number]: string } = {
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  410: 'NOT_FOUND',
  412: 'FAILED_PRECONDITION',
  413: 'PAYLOAD_TOO_LARGE',
  429: 'RATE_LIMITED',
  502: 'SERVICE_UNAVAILABLE',
  503: 'SERVICE_UNAVAILABLE',
  504: 'SERVICE_UNAVAILABLE',
};

export function errorOf(code: string, message: string, refusal: Refusal = {}): PlatformError {
  return new (CLASSES[code] ?? PlatformError)(code, message, refusal);
}

/** Errors of a connection that was never opened. */
const UNSENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ConnectionRefused',
]);

/** Returns the error of a broken connection, or of one that was never opened: then nothing happened. */
export function brokenConnection(error: unknown, what: string): ConnectionError {
  const { code, cause, message } = error as Error & {
    code?: string;
    cause?: { code?: string; message?: string; errors?: { code?: string }[] };
  };
  const codes = [code, cause?.code, ...(cause?.errors ?? []).map((one) => one.code)];
  const mayHaveHappened = !codes.some((one) => one && UNSENT.has(one));
  return new ConnectionError(`${what}: ${cause?.message || cause?.code || message}`, {
    mayHaveHappened,
    cause: error,
  });
}

/** Response fields from which errors are built, for `fetch`, XMLHttpRequest and node:http. */
export interface AnswerHead {
  status: number;
  header(name: string): string | null | undefined;
}

export function refusalOf({ status, header }: AnswerHead): Refusal & { mayHaveHappened: boolean } {
  const seconds = Number(header('retry-after') ?? NaN);
  return {
    status,
    requestId: header('x-request-id') ?? undefined,
    retryAfterMs: Number.isFinite(seconds) ? seconds * 1_000 : undefined,
    // A refused request, or one without a server, never started.
    mayHaveHappened: status < 400 || (status >= 500 && status !== 503),
  };
}

/** Returns the error of a route outside GraphQL, whose body is `{"code", "message"}` unless a proxy answered. */
export function errorOfAnswer(head: AnswerHead, text: string): PlatformError {
  const body = parse(text) as { code?: unknown; message?: unknown } | undefined;
  const isOurs = typeof body?.code === 'string' && typeof body.message === 'string';
  const code = isOurs
    ? (body.code as string)
    : (BY_STATUS[head.status] ?? (head.status >= 500 ? 'INTERNAL_SERVER_ERROR' : 'BAD_REQUEST'));
  return errorOf(code, isOurs ? (body.message as string) : `The server answered with status ${head.status}`, refusalOf(head));
}

export function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
