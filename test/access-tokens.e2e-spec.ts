// @nightly postgresql: its statements are those of access-nodes
import { Api } from './support/api.js';
import { callOf, headersOf, post } from './support/mcp.js';
import { TestServer } from './support/server.js';
import { REGISTER, until } from './support/websockets.js';

const CREATE =
  'mutation($input:AccessTokenInput!){createAccessToken(input:$input){token id expiresAt scope recipient filePrefix origins}}';
const DENY = 'mutation($input:DenyAccessInput!){denyAccess(input:$input){keyId recipient deniedAt}}';
const CREATE_FILE = 'mutation($input:CreateFileInput){createFile(input:$input){id name uploadUrl}}';
const FILES = ['file-management-api:query:*', 'file-management-api:mutation:*'];
const PUSHES = ['websockets-manager-api:query:*', 'websockets-manager-api:mutation:*'];
const PAGE = 'https://shop.example';

describe('an access token', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  const create = async (key: string, input: object) =>
    (await new Api(server.address, 'file-management', key).ask(CREATE, { input: { scope: FILES, expiresIn: 600, ...input } }))
      .createAccessToken;
  const withToken = async (
    key: string,
    input: object = {},
    service: 'file-management' | 'websockets-manager' = 'file-management',
  ) => new Api(server.address, service, (await create(key, input)).token);
  const keyIdOf = async (key: string): Promise<string> => {
    const response = await fetch(`${server.address}/key`, { headers: { 'x-api-key': key } });
    return ((await response.json()) as { id: string }).id;
  };
  const isAccepted = async ({ address, key }: Api) =>
    (await fetch(`${address}/key`, { headers: { authorization: `Bearer ${key}` } })).status === 200;

  it('is accepted in place of its key by GraphQL, REST and MCP, for its own scope only', async () => {
    const key = await server.createKey();
    const created = await create(key, { scope: ['file-management-api:query:files'] });
    expect(created).toMatchObject({
      scope: ['file-management-api:query:files'],
      recipient: null,
      filePrefix: null,
      origins: null,
    });
    const lifetime = Date.parse(created.expiresAt) - Date.now();
    expect([lifetime > 590_000, lifetime <= 600_000]).toEqual([true, true]);
    const api = new Api(server.address, 'file-management', created.token);
    expect(await api.ask('{files{items{id}}}')).toEqual({ files: { items: [] } });
    expect(await api.refusal('mutation{createFile{id}}')).toMatchObject({ code: 'FORBIDDEN' });
    expect(await new Api(server.address, 'email', created.token).send('{version}')).toMatchObject({ status: 403 });
    const headers = { authorization: `Bearer ${created.token}` };
    expect((await fetch(`${server.address}/v1/files`, { headers })).status).toBe(200);
    const { message } = await post(server.address, callOf('files_files'), headersOf(created.token));
    expect(message).toMatchObject({ result: { content: [{ text: '{"nextToken":null,"items":[]}' }] } });
  });

  it('has no more than its key has, and cannot outlive it', async () => {
    const key = await server.createKey(
      'file-management-api:query:* file-management-api:mutation:createAccessToken',
      undefined,
      120,
    );
    const api = new Api(server.address, 'file-management', key);
    for (const wider of [
      'file-management-api:mutation:*',
      'file-management-api:mutation:createFile',
      'email-api:query:*',
      'admin-api:query:*',
    ]) {
      const input = { scope: ['file-management-api:query:*', wider], expiresIn: 60 };
      expect([wider, await api.refusal(CREATE, { input })]).toMatchObject([wider, { code: 'FORBIDDEN' }]);
    }
    const { expiresAt } = await create(key, { scope: ['file-management-api:query:*'], expiresIn: 86_400 });
    expect(Date.parse(expiresAt)).toBeLessThanOrEqual(Date.now() + 120_000);
  });

  it('cannot create or end tokens', async () => {
    const key = await server.createKey();
    const api = await withToken(key);
    const input = { scope: FILES, expiresIn: 60 };
    expect(await api.refusal(CREATE, { input })).toMatchObject({
      code: 'FORBIDDEN',
      message: expect.stringMatching(/use the key/),
    });
    const denial = { keyId: await keyIdOf(key) };
    expect(await api.refusal(DENY, { input: denial })).toMatchObject({ code: 'FORBIDDEN' });
  });

  it.each([
    ['too short a life', { expiresIn: 59 }, 'input.expiresIn'],
    ['too long a life', { expiresIn: 86_401 }, 'input.expiresIn'],
    ['no entry', { scope: [] }, 'input.scope'],
    ['an unknown entry', { scope: ['file-management-api:query:nothing'] }, 'input.scope'],
    ['a prefix with a .. segment', { filePrefix: 'a/../b' }, 'input.filePrefix'],
    ['an empty prefix', { filePrefix: '' }, 'input.filePrefix'],
    ['a recipient and an entry of files', { recipient: 'ann' }, 'input.scope'],
    ['a prefix and an entry of pushes', { filePrefix: 'a/', scope: PUSHES }, 'input.scope'],
    ['no origin', { origins: [] }, 'input.origins'],
    ['any origin', { origins: ['*'] }, 'input.origins.0'],
    ['the origin null', { origins: ['null'] }, 'input.origins.0'],
    ['an origin with a path', { origins: [`${PAGE}/path`] }, 'input.origins.0'],
    ['an origin in upper case', { origins: ['HTTPS://shop.example'] }, 'input.origins.0'],
    [
      'more than a token can hold',
      { filePrefix: '\u{1F600}'.repeat(500), origins: Array(10).fill(`https://${'a'.repeat(60)}.example`) },
      'input',
    ],
  ])('is refused with BAD_USER_INPUT for %s', async (_, input, field) => {
    const api = await server.api('file-management');
    const refusal = await api.refusal(CREATE, { input: { scope: FILES, expiresIn: 60, ...input } });
    expect(refusal).toMatchObject({ code: 'BAD_USER_INPUT', field });
  });

  it('bound to a recipient uses the pushes of this recipient only', async () => {
    const key = await server.createKey();
    const api = await withToken(key, { scope: PUSHES, recipient: 'ann' }, 'websockets-manager');
    const { registerRecipient } = await api.ask(REGISTER, { input: { recipient: 'ann' } });
    expect(registerRecipient.connectionUri).toContain('token=');
    expect(await api.ask('{messages(filter:{recipient:"ann"}){items{id}} connections(recipient:"ann"){id}}')).toEqual({
      messages: { items: [] },
      connections: [],
    });
    for (const other of [
      'mutation{registerRecipient(input:{recipient:"bob"}){connectionUri}}',
      'mutation{registerRecipient(input:{recipient:"Ann"}){connectionUri}}',
      'mutation{registerRecipient(input:{recipient:"ann",topic:"board"}){connectionUri}}',
      'mutation{registerRecipient(input:{recipient:"ann",topics:["board"]}){connectionUri}}',
      'mutation{changeTopics(recipient:"ann",add:["board"]){id}}',
      '{messages{items{id}}}',
      '{messages(filter:{recipient:"bob"}){items{id}}}',
      '{messages(filter:{recipient:null}){items{id}}}',
      '{onlineRecipients{items{recipient}}}',
      '{version}',
      'mutation{pushMessage(input:{recipients:["ann"],message:"m"}){item{id}}}',
      'mutation{createWebhook(input:{url:"poll:",events:[MESSAGE_DELIVERED]}){secret}}',
    ]) {
      expect([other, await api.refusal(other)]).toMatchObject([other, { code: 'FORBIDDEN' }]);
    }
  });

  it('bound to a prefix uses files below it only', async () => {
    const key = await server.createKey();
    const owner = new Api(server.address, 'file-management', key);
    const other = (await owner.ask(CREATE_FILE, { input: { name: 'users/8/a.txt' } })).createFile.id;
    const api = await withToken(key, { filePrefix: 'users/7/' });
    const { id, uploadUrl } = (await api.ask(CREATE_FILE, { input: { name: 'users/7/a.txt' } })).createFile;
    expect((await fetch(uploadUrl, { method: 'PUT', body: 'text' })).status).toBe(200);
    expect(await api.ask(`{file(ID:"${id}"){name status}}`)).toEqual({ file: { name: 'users/7/a.txt', status: 'done' } });
    const list = '{files(filter:{namePrefix:"users/7/"}){items{id}} fileFolders(prefix:"users/7/"){items{prefix}}}';
    expect(await api.ask(list)).toEqual({ files: { items: [{ id }] }, fileFolders: { items: [] } });
    const { copyFile } = await api.ask(`mutation{copyFile(id:"${id}",name:"users/7/b.txt"){id}}`);
    expect(await api.ask(`mutation{moveFiles(ids:["${copyFile.id}"],to:"users/7/old/")}`)).toEqual({ moveFiles: 1 });
    for (const refused of [
      `{file(ID:"${other}"){id}}`,
      '{files{items{id}}}',
      '{files(filter:{namePrefix:"users/"}){items{id}}}',
      `{files(filter:{namePrefix:"users/7/",id:"${other}"}){items{id}}}`,
      `{files(filter:{ids:["${id}","${other}"]}){items{id}}}`,
      '{files(filter:{contains:"a.txt"}){items{id}}}',
      '{fileFolders{items{prefix}}}',
      '{storageUsed{fileCount}}',
      `{filesArchiveUrl(ids:["${id}","${other}"])}`,
      '{filesArchiveUrl(folder:"users/8/")}',
      '{filesWithExternalReference(externalReference:"r"){id}}',
      'mutation{createFile{id}}',
      'mutation{createFile(input:{name:"users/8/b.txt"}){id}}',
      'mutation{createFile(input:{name:"USERS/7/b.txt"}){id}}',
      'mutation{createFile(input:{name:null}){id}}',
      `mutation{updateFile(input:{id:"${other}",comment:"c"}){id}}`,
      `mutation{updateFile(input:{id:"${id}",name:"users/8/b.txt"}){id}}`,
      `mutation{copyFile(id:"${other}",name:"users/7/c.txt"){id}}`,
      `mutation{copyFile(id:"${id}",name:"users/8/c.txt"){id}}`,
      `mutation{moveFiles(ids:["${id}"],to:"users/8/")}`,
      'mutation{moveFiles(folder:"users/8/",to:"users/7/")}',
      `mutation{deleteFile(id:"${other}"){id}}`,
      'mutation{deleteFiles(folder:"users/")}',
      `mutation{initiateMultipartUpload(input:{fileId:"${other}"}){uploadId}}`,
      'mutation{createWebhook(input:{url:"poll:",events:[FILE_DONE]}){secret}}',
    ]) {
      expect([refused, await api.refusal(refused)]).toMatchObject([refused, { code: 'FORBIDDEN' }]);
    }
    const unknown = '01890000-0000-7000-8000-000000000000';
    const told = (text: string) => text.replaceAll(/[0-9a-f-]{36}/g, 'ID');
    const [foreign, missing] = [await api.refusal(`{file(ID:"${other}"){id}}`), await api.refusal(`{file(ID:"${unknown}"){id}}`)];
    expect(told(JSON.stringify(foreign))).toBe(told(JSON.stringify(missing)));
    expect((await owner.ask(`{file(ID:"${other}"){name}}`)).file.name).toBe('users/8/a.txt');
    const headers = { 'x-api-key': api.key!, 'content-type': 'text/plain' };
    const upload = (name: string) => fetch(`${server.address}/v1/files?name=${name}`, { method: 'POST', headers, body: 'text' });
    expect([(await upload('users/7/c.txt')).status, (await upload('users/8/c.txt')).status]).toEqual([201, 403]);
    for (const path of ['/key', '/file-management/graphql/schema.graphql']) {
      expect([path, (await fetch(`${server.address}${path}`, { headers })).status]).toEqual([path, 403]);
    }
  });

  it('bound to origins is accepted from pages of these only, which can read answers and a 401', async () => {
    const { token } = await create(await server.createKey(), { origins: [PAGE, 'http://localhost:5173'] });
    const url = `${server.address}/file-management/graphql`;
    const asked = {
      origin: PAGE,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    };
    for (const path of ['/file-management/graphql', '/v1/files', '/v1/files/123', '/mcp']) {
      const preflight = await fetch(`${server.address}${path}`, { method: 'OPTIONS', headers: asked });
      expect([path, preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([path, 204, '*']);
      expect(preflight.headers.get('access-control-allow-headers')).toMatch(/authorization.*content-type/);
      expect(preflight.headers.get('access-control-allow-credentials')).toBeNull();
      const withKey = { ...asked, 'access-control-request-headers': 'content-type, X-Api-Key' };
      const refused = await fetch(`${server.address}${path}`, { method: 'OPTIONS', headers: withKey });
      expect(refused.headers.get('access-control-allow-origin')).toBeNull();
    }
    const send = (origin: string | undefined, key: string) =>
      fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...(origin && { origin }) },
        body: JSON.stringify({ query: '{version}' }),
      });
    const seen = async (origin: string | undefined, key = token) => {
      const { status, headers } = await send(origin, key);
      return [status, headers.get('access-control-allow-origin')];
    };
    expect(await seen(PAGE)).toEqual([200, PAGE]);
    expect(await seen('http://localhost:5173')).toEqual([200, 'http://localhost:5173']);
    for (const foreign of [
      'https://evil.example',
      'http://shop.example',
      `${PAGE}:8443`,
      'null',
      `${PAGE}.evil.example`,
      undefined,
    ]) {
      expect([foreign, ...(await seen(foreign))]).toEqual([foreign, 403, null]);
    }
    expect(await seen(PAGE, `${token.slice(0, -1)}!`)).toEqual([401, '*']);
    expect(await seen(PAGE, (await create(await server.createKey(), {})).token)).toEqual([200, null]);
    const foreignPath = await fetch(`${server.address}/health/live`, { method: 'OPTIONS', headers: asked });
    expect(foreignPath.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('ends within 5 s of a denial of its key or recipient, and not those created afterwards', async () => {
    const [key, sibling] = [await server.createKey(), await server.createKey()];
    const owner = new Api(server.address, 'email', key);
    const [before, others] = [await withToken(key), await withToken(sibling)];
    const forAnn = { scope: PUSHES, recipient: 'ann' };
    const [ann, bob] = [
      await withToken(key, forAnn, 'websockets-manager'),
      await withToken(key, { ...forAnn, recipient: 'bob' }, 'websockets-manager'),
    ];
    const connections = ({ key: token }: Api, name: string) =>
      new Api(server.address, 'websockets-manager', token).send(`{connections(recipient:"${name}"){id}}`);
    const { denyAccess } = await owner.ask(DENY, { input: { recipient: 'ann' } });
    expect(denyAccess).toMatchObject({ keyId: null, recipient: 'ann', deniedAt: expect.any(String) });
    expect([(await connections(ann, 'ann')).status, (await connections(bob, 'bob')).status]).toEqual([401, 200]);
    const again = await withToken(key, forAnn, 'websockets-manager');
    expect((await connections(again, 'ann')).status).toBe(200);

    const keyId = await keyIdOf(key);
    expect(await owner.refusal(DENY, { input: { keyId: await keyIdOf(sibling) } })).toMatchObject({ code: 'NOT_FOUND' });
    await owner.ask(DENY, { input: { keyId } });
    expect([await isAccepted(before), await isAccepted(others), await isAccepted(owner)]).toEqual([false, true, true]);
    expect(await isAccepted(await withToken(key))).toBe(true);
    for (const input of [{}, { keyId, recipient: 'ann' }]) {
      expect(await owner.refusal(DENY, { input })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'input' });
    }
  });

  it.each([
    ['revoked', 'mutation($id:ID!){revokeKey(id:$id){id}}'],
    ['rotated', 'mutation($id:ID!){rotateKey(input:{id:$id,overlap:600}){secret}}'],
    ['narrowed', 'mutation($id:ID!){updateKey(id:$id,input:{scope:["file-management-api:query:*"]}){id}}'],
    ['shortened', 'mutation($id:ID!){updateKey(id:$id,input:{expiresIn:3600}){id}}'],
  ])('ends within 5 s once its key is %s', async (_, change) => {
    const key = await server.createKey();
    const api = await withToken(key);
    expect(await isAccepted(api)).toBe(true);
    const startedAt = Date.now();
    await (await server.api('admin')).ask(change, { id: await keyIdOf(key) });
    await until(async () => !(await isAccepted(api)));
    expect(Date.now() - startedAt).toBeLessThan(5_000);
  });

  it('stays when its key is renamed or widened', async () => {
    const key = await server.createKey(FILES.join(' '));
    const api = await withToken(key);
    const change = 'mutation($id:ID!,$scope:[String!]){updateKey(id:$id,input:{name:"n",scope:$scope}){id}}';
    const id = await keyIdOf(key);
    await (await server.api('admin')).ask(change, { id, scope: [...FILES, ...PUSHES] });
    const revoked = await server.createKey();
    const ended = await withToken(revoked);
    await (await server.api('admin')).ask('mutation($id:ID!){revokeKey(id:$id){id}}', { id: await keyIdOf(revoked) });
    await until(async () => !(await isAccepted(ended)));
    expect(await isAccepted(api)).toBe(true);
  });

  it('is shown in the log by its id only, and its denial is in the audit log', async () => {
    const key = await server.createKey();
    const { token, id } = await create(key, { recipient: 'Ann Example', scope: PUSHES });
    await new Api(server.address, 'websockets-manager', token).send('{connections(recipient:"Ann Example"){id}}');
    expect(server.logLines.join('')).toContain(`"key":"pst_${id}"`);
    expect(server.logLines.join('')).not.toContain(token.slice(4, 60));
    const api = new Api(server.address, 'document-log', key);
    await api.ask(DENY, { input: { recipient: 'Ann Example' } });
    const keyId = await keyIdOf(key);
    await api.ask(DENY, { input: { keyId } });
    const log = await server.api('document-log', await server.createAdminKey('document-log-api:query:*'));
    const { logs } = await log.ask(
      '{logs(filter:{action:"denyAccess"}){items{documentType documentId author{id} comment attribute{id}}}}',
    );
    const ours = logs.items.filter((one: { author: { id: string } }) => one.author.id === keyId);
    expect(ours).toMatchObject([
      { documentType: 'key', documentId: keyId, attribute: { id: 'tokens of the key ended' } },
      { documentType: 'tenant', attribute: { id: 'tokens for a recipient ended' } },
    ]);
    expect(JSON.stringify(ours)).not.toContain('Ann');
  });

  it('counts toward the rate limit of its key', async () => {
    const limited = await TestServer.start({ RATE_LIMIT_PER_MINUTE: '5' });
    try {
      const api = await limited.api('file-management');
      const { token } = (await api.ask(CREATE, { input: { scope: FILES, expiresIn: 60 } })).createAccessToken;
      const statuses = new Set<number>();
      for (let sent = 0; sent < 6; sent++)
        statuses.add((await new Api(limited.address, 'file-management', token).send('{version}')).status);
      expect([...statuses]).toEqual([200, 429]);
      expect((await api.send('{version}')).status).toBe(429);
    } finally {
      await limited.stop();
    }
  });
});
