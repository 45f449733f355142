import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { SERVICES } from '../../auth/scopes.js';
import { AppError } from '../../base/app-error.js';
import { isOurFault, toAppError } from '../../base/to-app-error.js';
import type { Logger } from '../../logging/logger.js';
import { ABANDONED } from '../../scheduling/heavy-run.js';
import { traceIdOf } from '../../tracing/trace-context.js';
import { bodyTooLarge } from '../bodies/request-body.js';
import { answersProblems, PROBLEM_TYPE, problemOf } from './problem.js';

/** Path at which other GraphQL servers have their endpoint. */
const COMMON_ENDPOINT = /^\/(api\/)?graphql\/?$/;
const ENDPOINTS_HINT = `There is one GraphQL endpoint per service: ${SERVICES.map((service) => `/${service}/graphql`).join(', ')}`;

/** Refuses a path without a route. */
export function notThere({ method, url }: FastifyRequest): AppError {
  const path = url.split('?', 1)[0]!;
  const hint = COMMON_ENDPOINT.test(path) ? `. ${ENDPOINTS_HINT}` : '';
  return new AppError('NOT_FOUND', `No route matches ${method} ${path}${hint}`);
}

/** Answers a request that failed outside of GraphQL execution, in the format that its caller expects. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply, logger: Logger): void {
  if (error === ABANDONED || (request.raw.socket.destroyed && !request.raw.complete)) {
    reply.hijack(); // the client disconnected while it waited or sent its body: no answer can be sent, and the gate logs the latter
    return;
  }
  if (reply.raw.headersSent) {
    reply.raw.destroy(); // only a closed connection can still show that the answer is incomplete
    return;
  }
  const refusal = refusalByServer(error, request) ?? toAppError(error, request.id);
  if (refusal !== error && isOurFault(refusal)) {
    const isOutage = refusal.code === 'SERVICE_UNAVAILABLE';
    logger.error(
      { err: error, requestId: request.id, traceId: traceIdOf(request) },
      isOutage ? 'database unavailable' : 'internal error',
    );
  }
  const path = request.url.split('?', 1)[0]!;
  const { type, body } = answersProblems(path)
    ? { type: PROBLEM_TYPE, body: problemOf(refusal, request.id) }
    : { type: 'application/json', body: bodyOf(refusal, path) };
  if (type === PROBLEM_TYPE) void reply.header('cache-control', 'no-store');
  void reply.code(refusal.status).headers(refusal.headers).type(`${type}; charset=utf-8`).send(JSON.stringify(body));
}

function bodyOf(refusal: AppError, path: string): object {
  const { code, message, field } = refusal;
  if (path === '/mcp') return rpcErrorOf(refusal);
  return path.endsWith('/graphql') ? { errors: [{ message, extensions: { code, ...(field && { field }) } }] } : { code, message };
}

/** Returns an error of JSON-RPC 2.0, the protocol of MCP. */
function rpcErrorOf({ code, message, field, status, cause }: AppError): object {
  const rpcCode = cause instanceof SyntaxError ? -32_700 : status === 400 ? -32_600 : status >= 500 ? -32_603 : -32_000;
  return { jsonrpc: '2.0', id: null, error: { code: rpcCode, message, data: { code, ...(field && { field }) } } };
}

/** Returns the refusal for an error of the HTTP server itself; undefined for other errors. */
function refusalByServer(error: unknown, request: FastifyRequest): AppError | undefined {
  if (error instanceof AppError) return undefined;
  const status = (error as FastifyError).statusCode ?? (error as { status?: number }).status;
  if (status === 413) return bodyTooLarge(request.routeOptions.bodyLimit);
  if (status === 404) return notThere(request);
  if (status === undefined || status < 400 || status >= 500) return undefined;
  return new AppError('BAD_REQUEST', (error as Error).message, { status });
}
