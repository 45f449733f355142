import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Config } from '../config/config.js';
import { type Attributes, begin, endFailed, type Span, SpanKind, within } from '../tracing/spans.js';
import { traceContextOf } from '../tracing/trace-context.js';

/** Routes of probes, which would dominate the traces. */
const UNTRACED = /^\/(health|metrics)(\/|$)/;

declare module 'fastify' {
  interface FastifyRequest {
    /** Set if the request is traced. */
    span?: Span;
  }
}

/** Records each request as a span in the trace of its caller. Contains the route, but never the path, which may hold a signature. */
@Injectable()
export class RequestSpans {
  constructor(private readonly config: Config) {}

  /** Installs the hooks. Call it before the first route is registered, and before other hooks. Does nothing without tracing. */
  install(server: FastifyInstance): void {
    if (!this.config.telemetry?.tracesUrl) return;
    server.decorateRequest('span');
    server.addHook('onRequest', (request, _reply, done) => {
      request.span = beginRequest(request);
      within(request.span, done);
    });
    // After the body is read, code runs in the async context of the connection, which serves many requests.
    server.addHook('preValidation', (request, _reply, done) => within(request.span, done));
    server.addHook('onResponse', (request, reply, done) => {
      end(request, reply);
      done();
    });
    server.addHook('onRequestAbort', async ({ span, operationSpan }) => {
      endFailed(operationSpan, 'aborted');
      endFailed(span, 'aborted');
    });
  }
}

function beginRequest({ method, headers, is404, protocol, routeOptions }: FastifyRequest): Span | undefined {
  const route = is404 ? undefined : routeOptions.url;
  if (route && UNTRACED.test(route)) return undefined;
  const attributes: Attributes = { 'http.request.method': method, 'url.scheme': protocol };
  if (route) attributes['http.route'] = route;
  return begin(route ? `${method} ${route}` : method, { kind: SpanKind.SERVER, attributes }, traceContextOf(headers));
}

function end({ span, operationSpan, caller }: FastifyRequest, { statusCode }: FastifyReply): void {
  if (!span) return;
  operationSpan?.end(); // already ended, unless the caller disconnected before the answer
  span.setAttributes({ 'http.response.status_code': statusCode });
  if (caller) span.setAttributes(attributesOf(caller));
  if (statusCode >= 500) endFailed(span, String(statusCode));
  else span.end();
}

const attributesOf = ({ tenantId, keyId }: { tenantId: string; keyId: string }): Attributes => ({
  'platform.tenant.id': tenantId,
  'platform.key.id': keyId,
});
