// @nightly postgresql: no SQL of its own
import { SERVICES } from '../src/common/auth/scopes.js';
import type { RestOperation } from '../src/rest/rest-operations.js';
import { operationsOf, pathOf, Rest } from './support/rest.js';
import { graphql, schemaWith } from './support/schemas.js';
import { TestServer } from './support/server.js';

/** A query that only this service has. */
const OWN_QUERY = {
  'file-management': 'file',
  'document-rendering': 'render',
  'websockets-manager': 'connections',
  'document-log': 'verifyLogs',
  email: 'emailDomains',
};
/** Arguments that no query parameter can hold: lists of objects. */
const UNREACHABLE: string[] = [];

describe('the REST routes', () => {
  let server: TestServer;
  let all: readonly RestOperation[];
  beforeAll(async () => {
    server = await TestServer.start();
    all = operationsOf(server);
  });
  afterAll(() => server.stop());

  const shown = ({ service, kind, field }: RestOperation) => `${service} ${kind} ${field.name}`;

  it('are one for each operation of each service', () => {
    const expected = SERVICES.flatMap((service) => {
      const schema = schemaWith(server, OWN_QUERY[service]);
      const namesOf = (kind: 'query' | 'mutation') =>
        Object.keys((kind === 'query' ? schema.getQueryType() : schema.getMutationType())!.getFields()).map(
          (name) => `${service} ${kind} ${name}`,
        );
      return [...namesOf('query'), ...namesOf('mutation')];
    });
    expect(all.map(shown).sort()).toEqual(expected.sort());
  });

  it('have a method and path, and an id, of their own', () => {
    const repeated = (names: string[]) => names.filter((name, at) => names.indexOf(name) !== at);
    expect(repeated(all.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`))).toEqual([]);
    expect(repeated(all.map(({ id }) => id))).toEqual([]);
  });

  it('use GET for queries alone, and a path of words', () => {
    const kinds = all.filter(({ kind, method }) => method === 'GET' && kind !== 'query');
    expect(kinds.map(shown)).toEqual([]);
    expect(all.filter(({ path }) => !/^(\/([a-z]+(-[a-z]+)*|\{\w+\}))+$/.test(path)).map(({ path }) => path)).toEqual([]);
  });

  it('have a place in path, query or body for each argument, and no two parameters of one name', () => {
    const missing = all.flatMap((operation) => {
      const { field, parameters, body } = operation;
      const names = parameters.map(({ name }) => name);
      expect(names).toEqual([...new Set(names)]);
      const leaves = field.args.flatMap((argument) => leavesOf(argument.type, [argument.name]));
      const inBody = (place: string) =>
        body?.kind === 'input' ? place === 'input' || place.startsWith('input.') : body !== undefined;
      const places = parameters.map(({ place }) => place.join('.'));
      return leaves.filter((leaf) => !places.includes(leaf) && !inBody(leaf)).map((leaf) => `${shown(operation)} ${leaf}`);
    });
    expect(missing).toEqual(UNREACHABLE);
  });

  it('answer with 401 without a key, and with 403 to a key without the scope entry, before they read the body', async () => {
    const anonymous = new Rest(server.address, undefined);
    const [, readers] = [await server.createKey(), new Rest(server.address, await server.createKey(scopeOf('query')))];
    const writers = new Rest(server.address, await server.createKey(scopeOf('mutation')));
    for (const operation of all) {
      const path = pathOf(operation);
      const body = operation.body && Buffer.from('not JSON');
      const request = { body, headers: { 'content-type': 'application/json' } };
      const name = shown(operation);
      const unknown = await anonymous.send(operation.method, path, request);
      expect([name, unknown.status, unknown.body.code]).toEqual([name, 401, 'UNAUTHENTICATED']);
      const other = await (operation.kind === 'query' ? writers : readers).send(operation.method, path, request);
      expect([name, other.status, other.body.code]).toEqual([name, 403, 'FORBIDDEN']);
      expect(other.body.detail).toBe(
        `The key's scope lacks the entry ${operation.service}-api:${operation.kind}:${operation.field.name}`,
      );
    }
  });

  const scopeOf = (kind: string) => SERVICES.map((service) => `${service}-api:${kind}:*`).join(' ');

  /** Returns the places of the scalars of a type, with lists as one place. */
  function leavesOf(type: unknown, place: string[]): string[] {
    const named = graphql.getNullableType(type as never);
    if (graphql.isInputObjectType(named)) {
      return Object.values(named.getFields()).flatMap((field) => leavesOf(field.type, [...place, field.name]));
    }
    return [place.join('.')];
  }
});
