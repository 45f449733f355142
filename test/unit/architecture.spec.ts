import type { Type } from '@nestjs/common';
import { ModulesContainer, Reflector } from '@nestjs/core';
import { RequestGate } from '../../src/common/http/request-gate.js';
import { SERVICE_ACCESS } from '../../src/common/graphql/access/access.guard.js';
import { ENDPOINTS, SERVICES } from '../../src/common/auth/scopes.js';
import { printedSchema, servedSchema } from '../../scripts/schemas.mjs';
import { workOf } from '../../src/common/scheduling/work-class.js';
import { executedSchemas } from '../support/schemas.js';
import { TestServer } from '../support/server.js';

const RESOLVER_TYPE = 'graphql:resolver_type';

describe('the architecture', () => {
  let server: TestServer;
  let key: string;
  const served = new Map<string, string>();
  beforeAll(async () => {
    server = await TestServer.start();
    key = await server.createKey();
    for (const service of SERVICES) served.set(service, await servedSchema(server.address, service, key));
    served.set('admin', await servedSchema(server.address, 'admin', await server.createAdminKey()));
  });
  afterAll(() => server.stop());

  it('has no HTTP route without access or class of work', () => {
    expect(server.app.get(RequestGate).undeclared).toEqual([]);
  });

  it('has no root field without a class of work: @Cheap(), @Heavy(…), @Rendering(), or a page', () => {
    const silent = executedSchemas(server).flatMap((schema) =>
      [schema.getQueryType(), schema.getMutationType()].flatMap((root) =>
        Object.values(root?.getFields() ?? {}).filter((field) => workOf(field) === undefined),
      ),
    );
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  it('has no resolver without access', () => {
    const providers = [...server.app.get(ModulesContainer).values()].flatMap((module) => [...module.providers.values()]);
    const reflector = new Reflector();
    const resolvers = providers.filter(({ metatype }) => metatype && reflector.get(RESOLVER_TYPE, metatype as Type));
    expect(resolvers.length).toBeGreaterThanOrEqual(ENDPOINTS.length);
    const open = resolvers.filter(({ metatype }) => !ENDPOINTS.includes(reflector.get(SERVICE_ACCESS, metatype as Type)));
    expect(open.map(({ name }) => name)).toEqual([]);
  });

  it.each(ENDPOINTS)('serves %s as in schema/; after an intended change: npm run schema', (service) => {
    expect(served.get(service)).toBe(printedSchema(service));
  });

  it('registers every type in the one schema that has it', () => {
    // A type without registerIn lands in all six, so a name that all share, but for what GraphQL and we define once, is one.
    const typesOf = (text: string) => [...text.matchAll(/^(?:type|input|enum) (\w+)/gm)].map((match) => match[1]!);
    const inAll = typesOf(served.get('file-management')!).filter((name) =>
      ENDPOINTS.every((service) => typesOf(served.get(service)!).includes(name)),
    );
    expect(inAll.filter((name) => !['Query', 'Mutation'].includes(name))).toEqual([]);
  });
});
