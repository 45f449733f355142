// @nightly postgresql: no SQL of its own
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  buildASTSchema,
  type DocumentNode,
  execute,
  getVariableValues,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate,
  visit,
} from 'graphql';
import { type Client, createClient, type PlatformError, UnsupportedError } from '../clients/js/dist/index.js';
import { TestServer } from './support/server.js';

/** Fields that the older server of these tests lacks, by type. */
const LATER: Record<string, string[]> = {
  Query: ['fileFolders'],
  File: ['expiresAt', 'attributes'],
  Author: ['name'],
  CreateFileInput: ['accept'],
  MessageInput: ['idempotencyKey'],
  FilesFilter: ['folder'],
  'Query.files': ['limit'],
};
const SERVER_VERSION = (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string })
  .version;

function olderSchema(service: string): GraphQLSchema {
  const whole = parse(readFileSync(new URL(`../schema/${service}.graphql`, import.meta.url), 'utf8'));
  const isHere = (type: string) => (named: { name: { value: string } }) => !LATER[type]?.includes(named.name.value);
  const older = visit(whole, {
    [Kind.OBJECT_TYPE_DEFINITION]: ({ name: { value: type }, fields = [], ...node }) => ({
      ...node,
      name: { kind: Kind.NAME, value: type },
      fields: fields
        .filter(isHere(type))
        .map((field) => ({ ...field, arguments: field.arguments?.filter(isHere(`${type}.${field.name.value}`)) })),
    }),
    [Kind.INPUT_OBJECT_TYPE_DEFINITION]: (node) => ({ ...node, fields: node.fields?.filter(isHere(node.name.value)) }),
  });
  return buildASTSchema(older);
}

/** Names what is wrong with the values of an operation, as servers say it. */
function inputFaults(schema: GraphQLSchema, document: DocumentNode, variables: Record<string, unknown>) {
  const { variableDefinitions = [] } = document.definitions[0] as OperationDefinitionNode;
  return getVariableValues(schema, variableDefinitions, variables).errors ?? [];
}

describe('the client and a server that is older', () => {
  let server: TestServer;
  let front: Server;
  let client: Client;
  /** The texts of the operations that came. */
  const asked: string[] = [];
  beforeAll(async () => {
    server = await TestServer.start();
    const schemas = new Map(['file-management', 'websockets-manager'].map((service) => [service, olderSchema(service)]));
    front = createServer(async (request, response) => {
      const body = await text(request);
      const schema = schemas.get(request.url!.split('/')[1]!)!;
      const { query, variables = {} } = JSON.parse(body) as { query: string; variables?: Record<string, unknown> };
      asked.push(query);
      const answer = (status: number, value: unknown) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      const faults = validate(schema, parse(query));
      if (faults.length > 0) {
        const extensions = { code: 'GRAPHQL_VALIDATION_FAILED' };
        return answer(400, { errors: faults.map(({ message }) => ({ message, extensions })) });
      }
      const wrong = inputFaults(schema, parse(query), variables);
      if (wrong.length > 0) {
        const extensions = { code: 'BAD_USER_INPUT' };
        return answer(200, { errors: wrong.map(({ message }) => ({ message, extensions })) });
      }
      if (query.includes('__schema')) return answer(200, await execute({ schema, document: parse(query) }));
      const headers = { 'content-type': 'application/json', 'x-api-key': String(request.headers['x-api-key']) };
      const { status, json } = await fetch(server.address + request.url!, { method: 'POST', headers, body }).then(
        async (real) => ({ status: real.status, json: (await real.json()) as unknown }),
      );
      return answer(status, json);
    });
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
    client = createClient({ url, key: await server.createKey() });
  });
  beforeEach(() => void (asked.length = 0));
  afterAll(async () => {
    front.close();
    await server.stop();
  });

  it('get along: it asks for what the server has, and looks that up once', async () => {
    const file = await client.files.createFile({ input: { name: 'a.txt', author: { id: '1', name: 'Ann' } } });
    expect(file).toMatchObject({ name: 'a.txt', status: 'uploading', author: { id: '1' } });
    expect(file).not.toHaveProperty('expiresAt');
    expect(file.author).not.toHaveProperty('name');
    expect(asked).toHaveLength(3);
    const names: (string | null)[] = [];
    for await (const { name } of client.files.allFiles()) names.push(name);
    expect(names).toEqual(['a.txt']);
    expect(asked).toHaveLength(4);
  });

  it('leaves out an idempotency key of its own that the server does not take, but none of the caller', async () => {
    const input = { recipients: ['ann'], message: 'hello' };
    asked.length = 0;
    expect((await client.push.pushMessage({ input })).results).toHaveLength(1);
    expect(asked).toHaveLength(3);
    await client.push.pushMessage({ input });
    expect(asked).toHaveLength(4);
    const idempotencyKey = 'a key';
    expect(await refusal(client.push.pushMessage({ input: { ...input, idempotencyKey } }))).toMatchObject({
      field: 'input.idempotencyKey',
    });
  });

  const refusal = (promise: Promise<unknown>) => promise.catch((error: PlatformError) => error);

  it.each<[string, (files: Client['files']) => Promise<unknown>]>([
    ['input.accept of createFile', (files) => files.createFile({ input: { name: 'a.png', accept: ['image/*'] } })],
    ['filter.folder of files', (files) => files.files({ filter: { folder: 'a/' } }, { items: { id: true } })],
    ['limit of files', (files) => files.files({ limit: 3 })],
    ['items.expiresAt of files', (files) => files.files({}, { items: { expiresAt: true, downloadUrl: { expiresIn: 5 } } })],
    ['items.author.name of files', (files) => files.files({}, { items: { author: { name: true } } })],
  ])('does without nothing that the caller asks for: it names %s and the version of the server', async (what, call) => {
    const error = (await refusal(call(client.files))) as UnsupportedError;
    expect(error).toBeInstanceOf(UnsupportedError);
    expect(error).toMatchObject({
      name: 'UnsupportedError',
      code: /^(input|filter)/.test(what) ? 'BAD_USER_INPUT' : 'GRAPHQL_VALIDATION_FAILED',
      field: what.split(' ')[0],
      serverVersion: SERVER_VERSION,
      mayHaveHappened: false,
      message: `The server, version ${SERVER_VERSION}, has no ${what}: update the server, or leave it out`,
    });
  });

  it('names an operation that the server does not have', async () => {
    expect(await refusal(client.files.fileFolders({}))).toMatchObject({
      field: 'fileFolders',
      message: `The server, version ${SERVER_VERSION}, has no fileFolders: update the server`,
    });
  });

  it('leaves other refusals as they are', async () => {
    const wrong = { expiresIn: 'soon' } as unknown as { expiresIn: number };
    expect(await refusal(client.files.createFile({ input: wrong }))).toMatchObject({
      name: 'BadUserInputError',
      code: 'BAD_USER_INPUT',
    });
    expect(await refusal(client.files.deleteFile({ id: 'unknown' }))).toMatchObject({ name: 'NotFoundError' });
  });
});
