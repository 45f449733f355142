// @nightly postgresql: no SQL of its own
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { buildASTSchema, execute, type GraphQLSchema, Kind, parse, validate, visit } from 'graphql';
import { type Client, createClient, type PlatformError } from '../clients/js/dist/index.js';
import { TestServer } from './support/server.js';

/** Fields that the older server of these tests lacks, by type. */
const LATER: Record<string, string[]> = {
  Query: ['fileFolders'],
  File: ['expiresAt', 'attributes'],
  Author: ['name'],
};

function olderSchema(): GraphQLSchema {
  const whole = parse(readFileSync(new URL('../schema/file-management.graphql', import.meta.url), 'utf8'));
  const older = visit(whole, {
    [Kind.OBJECT_TYPE_DEFINITION]: (node) => ({
      ...node,
      fields: node.fields?.filter((field) => !LATER[node.name.value]?.includes(field.name.value)),
    }),
  });
  return buildASTSchema(older);
}

describe('the client and a server that is older', () => {
  let server: TestServer;
  let front: Server;
  let client: Client;
  /** The texts of the operations that came. */
  const asked: string[] = [];
  beforeAll(async () => {
    server = await TestServer.start();
    const schema = olderSchema();
    front = createServer(async (request, response) => {
      const body = await text(request);
      const { query } = JSON.parse(body) as { query: string };
      asked.push(query);
      const answer = (status: number, value: unknown) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      const faults = validate(schema, parse(query));
      if (faults.length > 0) {
        const extensions = { code: 'GRAPHQL_VALIDATION_FAILED' };
        return answer(400, { errors: faults.map(({ message }) => ({ message, extensions })) });
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

  it('refuses what the server does not have where the caller asks for it', async () => {
    const refusal = (promise: Promise<unknown>) => promise.catch((error: PlatformError) => error);
    expect(await refusal(client.files.files({}, { items: { expiresAt: true } }))).toMatchObject({
      code: 'GRAPHQL_VALIDATION_FAILED',
      message: expect.stringContaining('expiresAt'),
    });
    expect(await refusal(client.files.fileFolders({}))).toMatchObject({
      code: 'GRAPHQL_VALIDATION_FAILED',
      message: expect.stringContaining('fileFolders'),
    });
  });
});
