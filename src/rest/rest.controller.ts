// Room: REST at /v1, derived by rule from the five schemas, and its OpenAPI document.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { readJsonBodies } from '../common/http/bodies/json-body.js';
import { isContent } from '../common/http/bodies/request-body.js';
import { answerError } from '../common/http/refusals/http-errors.js';
import { writeField } from '../common/graphql/answers/answer-writer.js';
import { answerPage, type PageFile, pageFile } from '../common/graphql/console/page-answer.js';
import { Config } from '../common/config/config.js';
import { Logger } from '../common/logging/logger.js';
import { CHEAP, workOf } from '../common/scheduling/work-class.js';
import { ContentUpload } from './content-upload.js';
import { type Answered, OperationRunner } from './operation-runner.js';
import { openapiDocument } from './openapi-document.js';
import { askedOf } from './request-variables.js';
import { type RestOperation, RestOperations } from './rest-operations.js';

const PREFIX = '/v1';
const DOCUMENT = '/openapi.json';
/** Content security policy of the document, in which a browser executes nothing. */
const POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const compress = promisify(gzip);

/** Serves each operation of the services as a route. Routes run the operations of GraphQL, so rules and answers are the same. */
@Injectable()
export class RestController implements OnModuleInit {
  private document?: Promise<PageFile>;

  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly operations: RestOperations,
    private readonly runner: OperationRunner,
    private readonly uploads: ContentUpload,
    private readonly config: Config,
    private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    const server = this.adapterHost.httpAdapter.getInstance<FastifyInstance>();
    // The function runs once all schemas exist, before the server listens.
    void server.register(async (scope) => this.route(scope), { prefix: PREFIX });
    const config = { access: 'public', work: CHEAP } as const;
    server.get(DOCUMENT, { config }, (request, reply) => this.describe(request, reply));
  }

  /** Answers with the OpenAPI document, built on its first use and stored compressed. */
  private async describe(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    this.document ??= this.build();
    return answerPage(request, reply, await this.document, { policy: POLICY, cacheControl: 'no-cache' });
  }

  private async build(): Promise<PageFile> {
    const text = JSON.stringify(openapiDocument(this.operations.all, this.config.version));
    return pageFile('application/json; charset=utf-8', await compress(text));
  }

  private route(scope: FastifyInstance): void {
    scope.removeAllContentTypeParsers(); // Fastify would read a text
    readJsonBodies(scope, { mayBeEmpty: true });
    scope.addContentTypeParser('*', (_, payload, done) => done(null, payload));
    scope.setErrorHandler((error, request, reply) => answerError(error, request, reply, this.logger));
    for (const operation of this.operations.all) {
      const url = operation.path.replaceAll(/\{(\w+)\}/g, ':$1');
      const handler = (request: FastifyRequest, reply: FastifyReply) => this.answer(operation, request, reply);
      scope.route({ method: operation.method, url, ...optionsOf(operation), handler });
    }
  }

  private async answer(operation: RestOperation, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    void reply.header('cache-control', 'no-store');
    const answered = isContent(request)
      ? await this.uploads.receive(operation, request, reply)
      : await this.runner.run(operation, askedOf(operation, request), { request, reply });
    return send(answered, request, reply.code(operation.status));
  }
}

function optionsOf({ service, kind, field, acceptsContent }: RestOperation): RouteShorthandOptions {
  const access = { service, kind, operation: field.name };
  return { config: { access, work: workOf(field)!, runsOperations: true, acceptsContent } };
}

function send({ value, data }: Answered, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { nextToken } = (value ?? {}) as { nextToken?: unknown };
  if (typeof nextToken === 'string') void reply.header('link', `<${nextPage(request, nextToken)}>; rel="next"`);
  return reply.type('application/json; charset=utf-8').send(writeField(data, value));
}

/** Returns the URL of the next page, relative to the host. */
function nextPage({ url }: FastifyRequest, nextToken: string): string {
  const [path, search] = url.split('?', 2);
  const parameters = new URLSearchParams(search);
  parameters.set('nextToken', nextToken);
  return `${path}?${parameters.toString()}`;
}
