import { ApolloServer } from '@apollo/server';
import { fastifyApolloDrainPlugin, fastifyApolloHandler } from '@as-integrations/fastify';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import type { Service } from '../auth/scopes.js';
import type { RepeatedOperations } from './repeated-operations.js';
import { offerSchemaText } from './schema-text.js';

export interface GraphqlDriverConfig extends ApolloDriverConfig {
  service: Service;
  repeatedOperations: RepeatedOperations;
}

/** Nest's driver for Apollo, with a fast path for repeated operations. */
@Injectable()
export class GraphqlDriver extends ApolloDriver {
  protected override async registerFastify({ service, repeatedOperations, ...options }: GraphqlDriverConfig): Promise<void> {
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
    offerSchemaText(app, { path: options.path!, service, schema: options.schema! });
  }
}
