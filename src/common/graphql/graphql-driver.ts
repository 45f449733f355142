import { hash } from 'node:crypto';
import { ApolloServer } from '@apollo/server';
import { fastifyApolloDrainPlugin, fastifyApolloHandler } from '@as-integrations/fastify';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import type { Service } from '../auth/scopes.js';
import type { Access } from '../auth/access.js';
import { CHEAP } from '../scheduling/work-class.js';
import type { GraphqlContext } from './access/graphql-context.js';
import type { Operations } from './operations.js';
import type { RepeatedOperations } from './repeated-operations.js';
import { hasVersion } from './console/page-answer.js';

export interface GraphqlDriverConfig extends ApolloDriverConfig {
  service: Service;
  repeatedOperations: RepeatedOperations;
  operations: Operations;
  context: (request: FastifyRequest, reply: FastifyReply) => Promise<GraphqlContext>;
}

/** Nest driver for Apollo, with a fast path for repeated operations. */
@Injectable()
export class GraphqlDriver extends ApolloDriver {
  protected override async registerFastify({
    service,
    repeatedOperations,
    operations,
    ...options
  }: GraphqlDriverConfig): Promise<void> {
    const app = this.httpAdapterHost.httpAdapter.getInstance<FastifyInstance>();
    const plugins = [...(options.plugins ?? []), fastifyApolloDrainPlugin(app)];
    this.apolloServer = new ApolloServer({ ...options, plugins } as ConstructorParameters<typeof ApolloServer>[0]);
    await this.apolloServer.start();
    const apollo = fastifyApolloHandler(this.apolloServer, { context: options.context });
    app.route({
      url: options.path!,
      method: ['GET', 'POST', 'OPTIONS'],
      handler: repeatedOperations.before((request, reply) => apollo.call(app, request, reply), options.schema!),
    });
    const apolloServer = this.apolloServer as unknown as ApolloServer<GraphqlContext>;
    operations.offer(service, { schema: options.schema!, apolloServer, repeatedOperations, context: options.context });
    offerSchemaText(app, { path: options.path!, service, schema: options.schema! });
  }
}

/** Path of an endpoint, with its service and schema. */
interface Endpoint {
  path: string;
  service: Service;
  schema: GraphQLSchema;
}

/** Serves the schema of an endpoint as text to every key of the service, for code generators. */
function offerSchemaText(app: FastifyInstance, { path, service, schema }: Endpoint): void {
  let kept: { text: string; etag: string } | undefined;
  const print = () => {
    const text = `${printSchema(lexicographicSortSchema(schema))}\n`;
    return { text, etag: `"${hash('sha256', text, 'base64url')}"` };
  };
  app.get(`${path}/schema.graphql`, { config: { access: { service } satisfies Access, work: CHEAP } }, (request, reply) => {
    const { text, etag } = (kept ??= print()); // printed at the first request, so that a start does not wait for six schemas
    void reply.headers({ etag, 'cache-control': 'private, no-cache', vary: 'x-api-key, authorization' });
    return hasVersion(request, etag) ? reply.code(304).send() : sendText(reply, text);
  });
}

const sendText = (reply: FastifyReply, text: string): FastifyReply => reply.type('application/graphql; charset=utf-8').send(text);
