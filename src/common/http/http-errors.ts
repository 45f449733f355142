import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseUnavailable, unavailableMessage } from '../database/database-faults.js';
import { AppError } from '../errors/app-error.js';
import type { Log } from '../logging/log.js';
import { bodyTooLarge } from './request-body.js';

/** For a path that no route has. */
export const notThere = ({ method, url }: FastifyRequest): AppError =>
  new AppError('NOT_FOUND', `There is nothing at ${method} ${url.split('?', 1)[0]}`);

/** Answers a request that failed outside of GraphQL execution, in the form that its caller expects. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): void {
  if (request.raw.socket.destroyed && !request.raw.complete) {
    reply.hijack(); // the client went away in the middle of its body: no fault of ours, noted by the gate, heard by nobody
    return;
  }
  if (reply.raw.headersSent) {
    reply.raw.destroy(); // a broken-off body is the only way left to say that the answer is not whole
    return;
  }
  const fault = asAppError(error, request, log);
  const { code, message, field } = fault;
  const body = request.url.split('?', 1)[0]?.endsWith('/graphql')
    ? { errors: [{ message, extensions: { code, ...(field && { field }) } }] }
    : { code, message };
  void reply.code(fault.status).headers(fault.headers).type('application/json; charset=utf-8').send(JSON.stringify(body));
}

function asAppError(error: unknown, request: FastifyRequest, log: Log): AppError {
  if (error instanceof AppError) return error;
  if (isDatabaseUnavailable(error)) {
    log.error({ err: error, requestId: request.id }, 'database unavailable');
    return new AppError('SERVICE_UNAVAILABLE', unavailableMessage(error));
  }
  const status = (error as FastifyError).statusCode ?? (error as { status?: number }).status;
  if (status === 413) return bodyTooLarge(request.routeOptions.bodyLimit);
  if (status === 404) return notThere(request);
  if (status !== undefined && status >= 400 && status < 500) {
    return new AppError('BAD_REQUEST', (error as Error).message, { status });
  }
  log.error({ err: error, requestId: request.id }, 'internal error');
  return new AppError('INTERNAL_SERVER_ERROR', `Internal error; the log has more under request id ${request.id}`);
}
