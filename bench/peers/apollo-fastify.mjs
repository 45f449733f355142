// Peer of the bench graphql: Apollo on Fastify that answers from memory, without keys, limits, metrics, rows or signatures.
import { readFileSync } from 'node:fs';
import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled';
import fastifyApollo from '@as-integrations/fastify';
import Fastify from 'fastify';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const server = new ApolloServer({
  typeDefs: readFileSync(new URL('../../schema/file-management.graphql', import.meta.url), 'utf8'),
  resolvers: { Query: { version: () => version } },
  // Off as in our server: it costs time per field.
  plugins: [ApolloServerPluginCacheControlDisabled()],
});
await server.start();
const app = Fastify();
await app.register(fastifyApollo(server), { path: '/file-management/graphql' });
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
