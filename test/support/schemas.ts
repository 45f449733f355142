import { ModulesContainer } from '@nestjs/core';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import type { GraphQLSchema } from 'graphql';
import type { TestServer } from './server.js';

declare const importNatively: (name: string) => Promise<unknown>;

/** The library instance of the application: it accepts only schemas that it created. */
export const graphql = (await importNatively('graphql')) as typeof import('graphql');

/** Returns the schemas of all services as executed, with the metadata of their fields. */
export function executedSchemas(server: TestServer): GraphQLSchema[] {
  const providers = [...server.app.get(ModulesContainer).values()].flatMap((module) => [...module.providers.values()]);
  const hosts = providers.filter(({ metatype }) => metatype === GraphQLSchemaHost).map(({ instance }) => instance);
  return (hosts as GraphQLSchemaHost[]).map(({ schema }) => schema);
}

/** Schema of one service, identified by a query that no other has. */
export function schemaWith(server: TestServer, query: string): GraphQLSchema {
  return executedSchemas(server).find((schema) => schema.getQueryType()!.getFields()[query])!;
}
