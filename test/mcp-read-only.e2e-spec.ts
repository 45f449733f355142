// @nightly postgresql: no SQL of its own
import type { Tool } from '@modelcontextprotocol/client';
import { SERVICES, wholeServices } from '../src/common/auth/scopes.js';
import { callOf, connect, headersOf, messageIn, operationOf } from './support/mcp.js';
import { Choices } from './support/random-operations.js';
import { TestServer } from './support/server.js';

const ATTEMPTS = process.env.TEST_LONG === '1' ? 10_000 : 1_000;
/** Attempts repeated with a key that may run mutations. */
const REPEATED = 1_000;
/** Arguments with which mutations without an object succeed. */
const ARGUMENTS = [
  {},
  { input: { name: 'a.txt' } },
  { input: { name: 'a', text: '' } },
  { input: { recipients: ['ann'], message: 'hi' } },
  { input: { to: [{ address: 'ann@example.com' }], subject: 's', textBody: 't' } },
  { id: 'x' },
  { ids: [] },
  { fields: ['id'] },
  { fields: ['id}} mutation{createFile{id}}#'] },
  { query: 'mutation{createFile{id}}' },
];

/** Returns a value that a schema accepts, with the required members alone. */
function valueOf(schema: any): unknown {
  const type = [schema.type].flat()[0];
  if (schema.enum) return schema.enum[0];
  if (type === 'array') return [valueOf(schema.items)];
  if (type === 'object')
    return Object.fromEntries((schema.required ?? []).map((name: string) => [name, valueOf(schema.properties[name])]));
  if (schema.format === 'date-time') return '2099-01-01T00:00:00Z';
  return type === 'integer' || type === 'number' ? 1 : type === 'boolean' ? true : 'x';
}

interface Attempt {
  method: 'POST' | 'GET' | 'DELETE';
  headers: Record<string, string>;
  payload: string;
}

/** Writes a random call of a mutation: its name, the form of its message, and its headers. */
function attemptOf(choices: Choices, mutations: readonly Tool[]): Attempt {
  const { name: tool, inputSchema } = choices.of(mutations);
  const name = operationOf({ name: tool }).operation;
  const named = choices.happens(1 / 2)
    ? tool
    : choices.of([
        name,
        tool.toUpperCase(),
        ` ${tool}`,
        `${tool}\0`,
        `file-management-api:mutation:${name}`,
        `files_file,${tool}`,
      ]);
  const given = choices.happens(1 / 2) ? (valueOf(inputSchema) as object) : choices.of(ARGUMENTS);
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const plain = callOf(named, given);
  const modern = callOf(named, given, { _meta: envelope });
  const payload = choices.of([
    () => JSON.stringify(plain),
    () => JSON.stringify(plain),
    () => JSON.stringify(modern),
    () => JSON.stringify(callOf(named, given, { _meta: { progressToken: choices.below(9) } })),
    () => JSON.stringify([plain]),
    () => JSON.stringify([callOf('files_files'), plain, plain]),
    () => JSON.stringify({ ...plain, id: undefined }),
    () =>
      JSON.stringify({ ...plain, method: choices.of(['tools/list', 'initialize', 'Tools/Call', 'tools/call ', 'prompts/get']) }),
    () => JSON.stringify(plain).replace('"tools/call"', '"tools/list","method":"tools/call"'),
    () => JSON.stringify(plain).replace(`"name":`, '"name":"files_files","name":'),
    () => JSON.stringify({ ...plain, params: { ...callOf('files_files'), ...(plain.params as object) } }),
    () => JSON.stringify({ query: `mutation{${name}{id}}`, variables: given }),
  ])();
  const more = choices.of<Record<string, string>>([
    {},
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': named },
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list', 'mcp-name': 'files_files' },
    { 'mcp-protocol-version': '2025-03-26' },
    { 'mcp-session-id': `session-${choices.below(3)}` },
    { 'mcp-session-id': 'session-1', 'last-event-id': String(choices.below(99)) },
    { 'x-http-method-override': 'DELETE' },
    { authorization: `Bearer psk_${'a'.repeat(55)}` },
  ]);
  const headers = Object.fromEntries(Object.entries(more).filter(([, value]) => /^[\x20-\x7e]+$/.test(value)));
  return { method: choices.happens(1 / 20) ? choices.of(['GET', 'DELETE']) : 'POST', headers, payload };
}

describe('a read-only key', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ LOG_LEVEL: 'error' });
  });
  afterAll(() => server.stop());

  it('runs no mutation by MCP, whatever names, batches, headers and sessions it sends', async () => {
    const seed = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31);
    const writer = await server.createKey();
    const client = await connect(server.address, { 'x-api-key': writer });
    const mutations = (await client.listTools()).tools.filter(({ annotations }) => !annotations!.readOnlyHint);
    await client.close();
    const send = async (key: string, { method, headers, payload }: Attempt) => {
      const instance = server.app.getHttpAdapter().getInstance();
      const all = { ...headersOf(key), ...headers };
      const { statusCode, body } = await instance.inject({ method, url: '/mcp', headers: all, payload });
      return { status: statusCode, message: messageIn(body) };
    };
    const done = async () => {
      const metrics = await (await fetch(`${server.address}/metrics`)).text();
      const isMutation = (line: string) => mutations.some((tool) => line.includes(`operation="${operationOf(tool).operation}"`));
      return metrics.split('\n').filter((line) => /^graphql_operations_total\{.*outcome="ok"/.test(line) && isMutation(line));
    };
    const choices = new Choices(seed);
    const reader = await server.createKey(wholeServices(SERVICES, ['query']).join(' '));
    let forbidden = 0;
    for (let sent = 0; sent < ATTEMPTS; sent++) {
      const attempt = attemptOf(choices, mutations);
      const { status, message } = await send(reader, attempt);
      if (JSON.stringify(message ?? null).includes('FORBIDDEN')) forbidden += 1;
      if (status >= 500) throw new Error(`seed ${seed}: ${status} to ${JSON.stringify(attempt)}`);
    }
    expect({ seed, done: await done() }).toEqual({ seed, done: [] });
    expect(forbidden).toBeGreaterThan(ATTEMPTS / 20);
    // The same attempts run mutations with a key that may: the loop above would find them.
    const again = new Choices(seed);
    for (let sent = 0; sent < REPEATED; sent++) await send(writer, attemptOf(again, mutations));
    expect((await done()).length).toBeGreaterThan(0);
  });
});
