// @nightly postgresql: no SQL of its own
import { buildClientSchema, getIntrospectionQuery, type GraphQLField, type GraphQLSchema } from 'graphql';
import type { Client, Tool } from '@modelcontextprotocol/client';
import { type Service, SERVICES, wholeServices } from '../src/common/auth/scopes.js';
import { Api } from './support/api.js';
import { Email } from './support/email.js';
import { World } from './support/isolation-worlds.js';
import { call, type Called, callOf, connect, headersOf, operationOf, post } from './support/mcp.js';
import { valueOf } from './support/schema-walk.js';
import { TestServer } from './support/server.js';

/** Tools that the rules of their service refuse in a World, and the code. */
const REFUSED: Record<string, string> = {
  files_test_webhook: 'FAILED_PRECONDITION', // the webhooks of a World are fetched
  rendering_test_webhook: 'FAILED_PRECONDITION',
  push_test_webhook: 'FAILED_PRECONDITION',
  log_test_webhook: 'FAILED_PRECONDITION',
  email_test_webhook: 'FAILED_PRECONDITION',
  rendering_render_file: 'BAD_USER_INPUT', // its template is plain text
  email_report_bounce: 'BAD_USER_INPUT', // its report is a text
  email_reschedule_message: 'FAILED_PRECONDITION', // its mail was attempted
  email_rotate_email_domain_keys: 'FAILED_PRECONDITION', // its domain is not verified
};
const idIn = (world: World) => world.objectAt('file-management', 'file.ID');
const ofTemplate = (world: World) => ({ templateId: world.objectAt('document-rendering', 'deleteTemplate.id') });
/** Arguments that the values of a World do not imply. */
const GIVEN: Record<string, (world: World) => Record<string, unknown>> = {
  files_files_archive_url: (world) => ({ ids: [idIn(world)] }),
  files_delete_files: (world) => ({ ids: [idIn(world)] }),
  files_move_files: (world) => ({ ids: [idIn(world)] }),
  files_update_file: (world) => ({ input: { id: idIn(world), name: 'renamed.txt' } }),
  push_cancel_message: (world) => ({ id: world.objectAt('websockets-manager', 'cancelMessage.id') }),
  push_cancel_global_message: (world) => ({ id: world.objectAt('websockets-manager', 'cancelGlobalMessage.id') }),
  rendering_put_template_translation: ofTemplate,
  rendering_delete_template_translation: ofTemplate,
};
const READ_ONLY = wholeServices(SERVICES, ['query']).join(' ');

describe('MCP', () => {
  let email: Email;
  let address: string;
  let owner: World;
  let client: Client;
  let tools: Tool[];
  const schemas = new Map<Service, GraphQLSchema>();

  beforeAll(async () => {
    email = await Email.start({ RETURN_PATH_DOMAIN: 'bounces.sender.example' });
    ({ address } = email.server);
    owner = await World.make(email);
    client = await connect(address, { 'x-api-key': owner.key });
    ({ tools } = await client.listTools());
    for (const service of SERVICES) {
      const introspection = await new Api(address, service, owner.key).ask(getIntrospectionQuery());
      schemas.set(service, buildClientSchema(introspection as never));
    }
  });
  afterAll(async () => {
    await client?.close();
    await owner?.leave();
    await email?.stop();
  });

  const fieldOf = (tool: Tool): GraphQLField<unknown, unknown> => {
    const { service, operation } = operationOf(tool);
    const schema = schemas.get(service)!;
    const root = tool.annotations!.readOnlyHint ? schema.getQueryType() : schema.getMutationType();
    return root!.getFields()[operation]!;
  };
  /** Returns arguments with which a tool succeeds in a world. */
  const argumentsIn = (world: World, tool: Tool): Record<string, unknown> => {
    const { service, operation } = operationOf(tool);
    const known = world.known(service, `${operation}.`);
    const given = fieldOf(tool).args.map(({ name, type }) => [name, valueOf(type, name, known)]);
    return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as Record<string, unknown>;
  };

  it('lists a tool for each operation of the five services, except version', () => {
    const expected = SERVICES.flatMap((service) => {
      const schema = schemas.get(service)!;
      const names = [schema.getQueryType(), schema.getMutationType()].flatMap((root) => Object.keys(root!.getFields()));
      return names.filter((name) => name !== 'version').map((operation) => ({ service, operation }));
    });
    const order = ({ service, operation }: { service: string; operation: string }) => `${service} ${operation}`;
    expect(tools.map(operationOf).map(order).sort()).toEqual(expected.map(order).sort());
  });

  it('gives each tool a unique name of up to 64 letters and underscores, a description, and a schema of its arguments', () => {
    expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
    for (const tool of tools) {
      expect(tool.name).toMatch(/^[a-z_]{3,64}$/);
      expect(tool.description?.length).toBeGreaterThan(10);
      const properties = Object.entries(tool.inputSchema.properties ?? {});
      const { args } = fieldOf(tool);
      expect(properties.map(([name]) => name).filter((name) => name !== 'fields')).toEqual(args.map(({ name }) => name));
      for (const [name, schema] of properties) {
        expect([tool.name, name, (schema as { description?: string }).description]).not.toContain(undefined);
      }
      expect(tool.inputSchema.additionalProperties).toBe(false);
    }
  });

  it('marks what a tool changes', () => {
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
    expect(hints.files_files).toMatchObject({ readOnlyHint: true, destructiveHint: false, idempotentHint: true });
    expect(hints.files_create_file).toMatchObject({ readOnlyHint: false, destructiveHint: false, idempotentHint: false });
    expect(hints.files_delete_file).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: true });
    expect(hints.email_send_message).toMatchObject({ destructiveHint: false, openWorldHint: true });
    for (const { name, annotations } of tools) {
      if (/_(delete|update|cancel|abort|rotate)_/.test(name)) expect([name, annotations!.destructiveHint]).toEqual([name, true]);
    }
  });

  it('has no operation with an argument named fields, which selects the fields of an answer', () => {
    for (const tool of tools) expect(fieldOf(tool).args.map(({ name }) => name)).not.toContain('fields');
  });

  it.each(SERVICES)('runs each tool of %s with the official client', async (service) => {
    let world = await World.make(email, service);
    const ofService = tools.filter((tool) => operationOf(tool).service === service);
    const failures: string[] = [];
    for (const tool of ofService) {
      const run = async (): Promise<Called> => {
        const caller = await connect(address, { authorization: `Bearer ${world.key}` });
        const called = await call(caller, tool.name, { ...argumentsIn(world, tool), ...GIVEN[tool.name]?.(world) });
        await caller.close();
        return called;
      };
      const isDone = ({ isError, value }: Called) => (isError ? value.errors[0].code : undefined) === REFUSED[tool.name];
      let called = await run();
      if (!isDone(called)) {
        // An earlier tool may have removed what this one needs.
        await world.leave();
        world = await World.make(email, service);
        called = await run();
      }
      if (!isDone(called)) failures.push(`${tool.name}: ${JSON.stringify(called.value)}`);
    }
    await world.leave();
    expect(ofService.length).toBeGreaterThan(15);
    expect(failures).toEqual([]);
  });

  it('returns pages, and takes their nextToken', async () => {
    const first = await call(client, 'files_files', { limit: 1, fields: ['id'] });
    const second = await call(client, 'files_files', { limit: 1, fields: ['id'], nextToken: first.value.nextToken });
    expect(first.value).toEqual({ items: [{ id: expect.any(String) }], nextToken: expect.any(String) });
    expect(second.value.items[0].id).not.toBe(first.value.items[0].id);
  });

  it('selects the fields that a call names', async () => {
    const ID = owner.objectAt('file-management', 'file.ID')!;
    const { value } = await call(client, 'files_file', { ID, fields: ['id', 'author.name', 'attributes'] });
    expect(value).toEqual({ id: ID, author: null, attributes: [] });
    for (const [fields, message] of [
      [['nope'], 'File has no field "nope"'],
      [['', 'id'], 'File has no field ""'],
      [['id){id}}#'], 'File has no field "id){id}}#"'],
      ['id', 'fields: must be a list of paths'],
      [[1], 'fields: must be a list of paths'],
    ]) {
      const refused = await call(client, 'files_file', { ID, fields });
      expect([refused.isError, refused.value.errors]).toEqual([
        true,
        [{ code: 'BAD_USER_INPUT', field: 'fields', message: expect.stringContaining(message as string) }],
      ]);
    }
  });

  it('returns a file whose content is sent to its uploadUrl', async () => {
    const { value } = await call(client, 'files_create_file', { input: { name: 'note.txt' } });
    expect((await fetch(value.uploadUrl, { method: 'PUT', body: 'from an agent' })).status).toBe(200);
    const read = await call(client, 'files_file', { ID: value.id });
    expect(await (await fetch(read.value.downloadUrl)).text()).toBe('from an agent');
  });

  it('returns a refusal as the result of the tool, with code and field', async () => {
    const cases: [string, Record<string, unknown>, object][] = [
      ['files_files', { limit: 0 }, { code: 'BAD_USER_INPUT', field: 'limit' }],
      [
        'files_files',
        { size: 1 },
        { code: 'BAD_USER_INPUT', field: 'size', message: expect.stringContaining('unknown argument') },
      ],
      ['files_create_file', { input: { nme: 'x' } }, { code: 'BAD_USER_INPUT' }],
      ['files_copy_file', { id: 'unknown', name: 'x' }, { code: 'NOT_FOUND' }],
      ['files_copy_file', {}, { code: 'BAD_USER_INPUT' }],
    ];
    for (const [name, given, error] of cases) {
      const { isError, value } = await call(client, name, given);
      expect([name, isError, value.errors]).toEqual([name, true, expect.arrayContaining([expect.objectContaining(error)])]);
    }
  });

  it('shows a stranger nothing of another tenant, and changes nothing of it, whatever tool is called with its ids', async () => {
    const stranger = await connect(address, { 'x-api-key': await email.server.createKey() });
    const before = await owner.state();
    const shown: string[] = [];
    for (const tool of tools) {
      const given = argumentsIn(owner, tool);
      const { value } = await call(stranger, tool.name, given);
      const answer = JSON.stringify(value);
      const sent = JSON.stringify(given);
      if (!sent.includes(owner.secret) && answer.includes(owner.secret)) shown.push(`${tool.name}: ${answer}`);
    }
    await stranger.close();
    expect(shown).toEqual([]);
    expect(await owner.state()).toBe(before);
  });

  it('lists and runs the operations of the key alone', async () => {
    const key = await email.server.createKey('file-management-api:query:files email-api:mutation:sendMessage');
    const narrow = await connect(address, { 'x-api-key': key });
    expect((await narrow.listTools()).tools.map(({ name }) => name)).toEqual(['files_files', 'email_send_message']);
    expect(await call(narrow, 'files_file', { ID: 'x' })).toEqual({
      isError: true,
      value: { errors: [{ code: 'FORBIDDEN', message: "The key's scope lacks the entry file-management-api:query:file" }] },
    });
    expect(await call(narrow, 'log_logs')).toEqual({
      isError: true,
      value: { errors: [{ code: 'FORBIDDEN', message: 'The key has no scope entry of document-log-api' }] },
    });
    await narrow.close();
    const reader = await connect(address, { 'x-api-key': await email.server.createKey(READ_ONLY) });
    const listed = (await reader.listTools()).tools;
    expect(listed).toEqual(tools.filter(({ annotations }) => annotations!.readOnlyHint));
    await reader.close();
  });

  it.each<[string, Service[], object, string[]]>([
    [
      'bound to a recipient',
      ['websockets-manager'],
      { recipient: 'ann' },
      ['push_change_topics', 'push_connections', 'push_disconnect_recipient', 'push_inbox', 'push_mark_messages', 'push_messages',
        'push_register_recipient'], // prettier-ignore
    ],
    [
      'bound to files',
      ['file-management'],
      { filePrefix: 'users/7/' },
      ['files_abort_multipart_upload', 'files_complete_multipart_upload', 'files_copy_file', 'files_create_file', 'files_delete_file',
        'files_delete_files', 'files_file', 'files_file_folders', 'files_files', 'files_files_archive_url', 'files_generate_part_upload_url',
        'files_initiate_multipart_upload', 'files_move_files', 'files_multipart_upload', 'files_update_file'], // prettier-ignore
    ],
  ])('lists no tool that a token %s cannot call', async (_, services, bounds, expected) => {
    const scope = wholeServices(services);
    const [service] = services as [Service];
    const create = 'mutation($input:AccessTokenInput!){createAccessToken(input:$input){token}}';
    const { createAccessToken } = await owner.ask(service, create, { input: { scope, expiresIn: 600, ...bounds } });
    const narrow = await connect(address, { authorization: `Bearer ${createAccessToken.token}` });
    const listed = (await narrow.listTools()).tools.map(({ name }) => name);
    const allowed = new Set<string>();
    for (const tool of tools) {
      if (listed.includes(tool.name)) continue;
      const { value } = await call(narrow, tool.name, argumentsIn(owner, tool));
      if (value.errors?.[0].code !== 'FORBIDDEN') allowed.add(tool.name);
    }
    await narrow.close();
    expect([...allowed]).toEqual([]);
    expect(listed.sort()).toEqual(expected);
  });

  it('lists nothing to a token that only a key can do', async () => {
    const whole = await connect(address, { authorization: `Bearer ${await owner.token('email')}` });
    const listed = (await whole.listTools()).tools.map(({ name }) => name);
    await whole.close();
    const ofKey = tools.map(({ name }) => name).filter((name) => name.startsWith('email_'));
    expect(listed).toEqual(ofKey.filter((name) => !['email_create_access_token', 'email_deny_access'].includes(name)));
  });

  it('answers a plain call as the SDK answers it in full, in each version of the protocol', async () => {
    const versions: [string, object, Record<string, string>, object][] = [
      ['2025-06-18', {}, {}, { _meta: { progressToken: 1 } }],
      ['2025-11-25', {}, {}, { _meta: { progressToken: 1 } }],
      ['2026-07-28', { _meta: envelope({}) }, { 'mcp-method': 'tools/call' }, { _meta: envelope({ 'x.example/y': 1 }) }],
    ];
    for (const [version, plain, more, full] of versions) {
      for (const [name, given] of [
        ['files_files', {}],
        ['files_files', { limit: -1 }],
        ['files_storage_used', {}],
        ['log_latest_seal', {}],
        ['files_copy_file', { id: 'x', name: 'x' }],
      ] as const) {
        const headers = { ...headersOf(owner.key), 'mcp-protocol-version': version, ...more };
        const named: Record<string, string> = 'mcp-method' in more ? { ...headers, 'mcp-name': name } : headers;
        const direct = await post(address, callOf(name, given, plain), named);
        const bySdk = await post(address, callOf(name, given, full), named);
        const unsigned = (message: unknown) => JSON.stringify(message).replaceAll(/expires=[^"\\]*/g, '');
        expect([version, name, direct.status, JSON.parse(unsigned(direct.message))]).toEqual([
          version,
          name,
          bySdk.status,
          JSON.parse(unsigned(bySdk.message)),
        ]);
      }
    }
  });
});

const envelope = (more: object): object => ({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
  ...more,
});

describe('a message of MCP', () => {
  let server: TestServer;
  let key: string;
  beforeAll(async () => {
    server = await TestServer.start({ RATE_LIMIT_PER_MINUTE: '100000' });
    key = await server.createKey();
  });
  afterAll(() => server.stop());

  const send = (body: unknown, headers: Record<string, string> = {}) =>
    post(server.address, body, { ...headersOf(key), ...headers });
  const left = ({ headers }: { headers: Headers }) => Number(/r=(\d+)/.exec(headers.get('ratelimit')!)![1]);

  it('is refused with an error of JSON-RPC that says what to send', async () => {
    const deep = (count: number) => '['.repeat(count) + ']'.repeat(count);
    const cases: [unknown, Record<string, string>, number, number, RegExp][] = [
      ['{', {}, 400, -32_700, /^The body is not JSON/],
      ['', {}, 400, -32_600, /^The body is empty/],
      ['1', {}, 400, -32_600, /not a valid JSON-RPC message/],
      ['{}', {}, 400, -32_600, /not a valid JSON-RPC message/],
      [deep(100_000), {}, 400, -32_600, /^Batches are not accepted/],
      [[callOf('files_files')], {}, 400, -32_600, /^Batches are not accepted/],
      [[], {}, 400, -32_600, /^Batches are not accepted/],
      [callOf('nope'), {}, 200, -32_602, /^Unknown tool: nope/],
      [callOf('__proto__'), {}, 200, -32_602, /^Unknown tool/],
      [{ jsonrpc: '2.0', id: 1, method: 'resources/list' }, {}, 200, -32_601, /Method not found/],
      [`{"a":"${'x'.repeat(16 * 1024 * 1024)}"}`, {}, 413, -32_000, /at most 16777216 bytes/],
      [`[${'1,'.repeat(200_001)}1]`, {}, 413, -32_000, /more than 200000 values/],
      [callOf('files_files'), { 'content-type': 'text/plain' }, 415, -32_000, /must be application\/json/],
      [callOf('files_files'), { accept: 'application/json' }, 406, -32_000, /must accept both/],
      [callOf('files_files'), { 'x-api-key': 'psk_x' }, 401, -32_000, /not well-formed/],
      [callOf('files_files'), { origin: 'http://rebound.example' }, 403, -32_000, /^Pages of other origins/],
    ];
    for (const [body, headers, status, code, message] of cases) {
      const answer = await send(body, headers);
      expect([answer.status, answer.message]).toEqual([
        status,
        {
          jsonrpc: '2.0',
          id: answer.message.id,
          error: expect.objectContaining({ code, message: expect.stringMatching(message) }),
        },
      ]);
    }
  });

  it('with deeply nested arguments is refused as the wrong type', async () => {
    for (const meta of ['', '"_meta":{},']) {
      const nested = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
      const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{${meta}"name":"files_files","arguments":{"filter":${nested}}}}`;
      const { message } = await send(body);
      expect(message.result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('BAD_USER_INPUT') }] });
    }
  });

  it('is sent by POST: there is no stream to GET, and no session to DELETE', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'OPTIONS']) {
      const response = await fetch(`${server.address}/mcp`, { method, headers: headersOf(key) });
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'POST']);
    }
    const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
    const answer = await send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize });
    expect([answer.status, answer.headers.get('mcp-session-id'), answer.headers.get('cache-control')]).toEqual([
      200,
      null,
      'no-store',
    ]);
    expect(answer.message.result).toMatchObject({ serverInfo: { name: 'platform-services' }, capabilities: { tools: {} } });
    const initialized = await send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect([initialized.status, initialized.message]).toEqual([202, undefined]);
  });

  it('opens no stream of changes, since the tools of a key change with a release only', async () => {
    const listen = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { _meta: envelope({}) } };
    const { message } = await send(listen, { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' });
    expect(message.error).toMatchObject({ message: 'Subscription limit reached' });
  });

  it('costs what its operation costs at the GraphQL endpoint, and one point without an operation', async () => {
    const api = await server.api('file-management', key);
    const document = 'query($limit:Int){files(limit:$limit){items{id name} nextToken}}';
    const limit = 1_000;
    const byGraphql = [await api.send(document, { limit }), await api.send(document, { limit })].map(left);
    const given = { limit, fields: ['id', 'name'] };
    const byMcp = [await send(callOf('files_files', given)), await send(callOf('files_files', given))].map(left);
    const bySdk = [
      await send(callOf('files_files', given, { _meta: {} })),
      await send(callOf('files_files', given, { _meta: {} })),
    ].map(left);
    const cost = ([before, after]: number[]) => before! - after!;
    expect(cost(byGraphql)).toBeGreaterThan(10);
    expect([cost(byMcp), cost(bySdk)]).toEqual([cost(byGraphql), cost(byGraphql)]);
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect(cost([await send(list), await send(list)].map(left))).toBe(1);
  });

  it('is refused like an operation once the key has spent its points', async () => {
    const small = await TestServer.start({ RATE_LIMIT_PER_MINUTE: '20' });
    try {
      const own = headersOf(await small.createKey());
      const files = callOf('files_files');
      const { message, headers } = await post(small.address, files, own);
      expect(JSON.parse(message.result.content[0].text).errors).toEqual([
        { code: 'RATE_LIMITED', message: expect.stringContaining('ask for less') },
      ]);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      const used = callOf('files_storage_used');
      for (let spent = 0; spent < 40; spent++) await post(small.address, used, own);
      const refused = await post(small.address, used, own);
      expect([refused.status, refused.message.error.data.code]).toEqual([429, 'RATE_LIMITED']);
    } finally {
      await small.stop();
    }
  });

  it('is logged and counted once, with the name of its operation', async () => {
    const before = server.logLines.length;
    await send(callOf('files_storage_used'));
    const lines = server.logLines.slice(before).map((line) => JSON.parse(line));
    expect(lines.filter(({ msg }) => msg === 'request')).toEqual([
      expect.objectContaining({ route: '/mcp', method: 'POST', operation: 'storageUsed', status: 200 }),
    ]);
    const metrics = await (await fetch(`${server.address}/metrics`)).text();
    expect(metrics).toMatch(/graphql_operations_total\{[^}]*operation="storageUsed"[^}]*\} 1\n/);
  });

  it('whose result would be larger than 1 MiB is answered with the advice to ask for less', async () => {
    const api = await server.api('document-rendering', key);
    const body = 'x'.repeat(300_000);
    for (const name of ['a', 'b', 'c', 'd']) {
      const input = { name, type: 'document', contentType: 'plain', body };
      await api.ask('mutation($input:CreateTemplateInput!){createTemplate(input:$input){id}}', { input });
    }
    const { message } = await send(callOf('rendering_templates'));
    expect(JSON.parse(message.result.content[0].text).errors).toEqual([
      { code: 'PAYLOAD_TOO_LARGE', message: expect.stringContaining('larger than 1 MiB; ask for smaller pages') },
    ]);
    const small = await send(callOf('rendering_templates', { limit: 3 }));
    expect(JSON.parse(small.message.result.content[0].text).items).toHaveLength(3);
  });
});
