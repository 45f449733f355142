import { STATUS_CODES } from 'node:http';
import type { AppError } from '../../base/app-error.js';

export const PROBLEM_TYPE = 'application/problem+json';

/** Error of a REST route, by RFC 9457. */
export interface Problem {
  type: 'about:blank';
  /** Name of the HTTP status. */
  title: string;
  status: number;
  /** Error message: the fault, then what to send. */
  detail: string;
  code: string;
  /** Parameter or path in the body of the invalid value. */
  field?: string;
  requestId: string;
}

/** Returns whether the errors of a path are problems. */
export const answersProblems = (path: string): boolean => path === '/v1' || path.startsWith('/v1/');

export function problemOf({ code, message, field, status }: AppError, requestId: string): Problem {
  const title = STATUS_CODES[status] ?? 'Error';
  return { type: 'about:blank', title, status, detail: message, code, ...(field && { field }), requestId };
}
