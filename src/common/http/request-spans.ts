import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Attributes, type Span, within } from '../tracing/spans.js';
import { traceContextOf } from '../tracing/trace-context.js';
import { Tracer } from '../tracing/tracer.js';

/** Routes of probes, which would be most of the traces. */
const UNTRACED = /^\/(health|metrics)(\/|$)/;

declare module 'fastify' {
  interface FastifyRequest {
    /** Set while the request is recorded. */
    span?: Span;
  }
}

/** Records each request as a span, in the trace of its caller. Names the route, never the path, which may hold a signature. */
@Injectable()
export class RequestSpans {
  constructor(private readonly tracer: Tracer) {}

  /** Call it before the first route is registered, and before the hooks of others. Without tracing it adds none. */
  install(server: FastifyInstance): void {
    if (!this.tracer.isOn) return;
    server.decorateRequest('span');
    server.addHook('onRequest', (request, _reply, done) => {
      request.span = this.begin(request);
      within(request.span, done);
    });
    // Whatever reads a body goes on as part of its connection, which serves many requests.
    server.addHook('preValidation', (request, _reply, done) => within(request.span, done));
    server.addHook('onResponse', (request, reply, done) => {
      end(request, reply);
      done();
    });
    server.addHook('onRequestAbort', async ({ span, operationSpan }) => {
      operationSpan?.end('aborted');
      span?.end('aborted');
    });
  }

  private begin({ method, headers, is404, protocol, routeOptions }: FastifyRequest): Span | undefined {
    const route = is404 ? undefined : routeOptions.url;
    if (route && UNTRACED.test(route)) return undefined;
    const attributes: Attributes = { 'http.request.method': method, 'url.scheme': protocol };
    if (route) attributes['http.route'] = route;
    return this.tracer.begin(route ? `${method} ${route}` : method, { kind: 'server', attributes }, traceContextOf(headers));
  }
}

function end({ span, operationSpan, caller }: FastifyRequest, { statusCode }: FastifyReply): void {
  if (!span) return;
  operationSpan?.end(); // it has ended, unless the caller left before the answer
  span.set({ 'http.response.status_code': statusCode });
  if (caller) span.set(attributesOf(caller));
  span.end(statusCode >= 500 ? String(statusCode) : undefined);
}

const attributesOf = ({ tenantId, keyId }: { tenantId: string; keyId: string }): Attributes => ({
  'platform.tenant.id': tenantId,
  'platform.key.id': keyId,
});
