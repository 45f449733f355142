import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type GraphQLSchema, lexicographicSortSchema, printSchema } from 'graphql';
import type { Access } from '../auth/access.js';
import type { Service } from '../auth/scopes.js';
import { hasVersion } from './answers/known-version.js';
import { CHEAP } from '../scheduling/work-class.js';

/** Where an endpoint is, and the schema that it executes. */
interface Endpoint {
  path: string;
  service: Service;
  schema: GraphQLSchema;
}

/** Offers the schema of an endpoint as a text, for tools that make code from it, to every key of the service. */
export function offerSchemaText(app: FastifyInstance, { path, service, schema }: Endpoint): void {
  let kept: { text: string; etag: string } | undefined;
  const print = () => {
    const text = `${printSchema(lexicographicSortSchema(schema))}\n`;
    return { text, etag: `"${hash('sha256', text, 'base64url')}"` };
  };
  app.get(`${path}/schema.graphql`, { config: { access: { service } satisfies Access, work: CHEAP } }, (request, reply) => {
    const { text, etag } = (kept ??= print()); // printed at the first request, so that a start does not wait for six schemas
    void reply.headers({ etag, 'cache-control': 'private, no-cache', vary: 'x-api-key' });
    return hasVersion(request, etag) ? reply.code(304).send() : sendText(reply, text);
  });
}

const sendText = (reply: FastifyReply, text: string): FastifyReply => reply.type('application/graphql; charset=utf-8').send(text);
