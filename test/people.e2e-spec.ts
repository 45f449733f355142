import { generateKeyPair } from 'jose';
import { SERVICES } from '../src/common/auth/scopes.js';
import { ADMIN_TENANT } from '../src/common/tenants/tenant-names.js';
import { BackgroundJobs } from '../src/common/jobs/background-jobs.js';
import { TestIssuer } from './nodes/issuer.mjs';
import { Api } from './support/api.js';
import { databaseOf } from './support/behind-the-api.js';
import { input as logInput } from './support/document-log.js';
import { atCallback, callback, type Cookies, SignedIn } from './support/people.js';
import { rootFieldsOf } from './support/root-fields.js';
import { AUDITING_ADMIN_SCOPE, TestServer } from './support/server.js';
import { lastTimeOf } from './support/time.js';

const PEOPLE = {
  ann: { name: 'Ann Lee', groups: ['editor:acme'] },
  bob: { name: 'Bob', groups: ['reader:acme', 'reader:beta'] },
  eve: { name: 'Eve', groups: ['editor:beta'] },
  olga: { name: 'Olga', groups: ['operator:*', 'operator:acme', 'nonsense'] },
  nobody: { name: 'Nobody', groups: ['operator:acme', 'writer:acme'] },
};
const FIELDS = 'personId name roles createdAt expiresAt revokedAt';

let issuer: TestIssuer;
let server: TestServer;
let acme: string;
let beta: string;
const tenantId = async (name: string) => server.tenantIdOf(await server.api('email', await server.createKey(undefined, name)));
const apiOf = (person: SignedIn, tenant: string, service: (typeof SERVICES)[number] | 'admin' = 'file-management') =>
  new Api(server.address, service, person.in(tenant));

beforeAll(async () => {
  issuer = await TestIssuer.start();
  issuer.people = PEOPLE;
  server = await TestServer.start(issuer.settings());
  [acme, beta] = [await tenantId('acme'), await tenantId('beta')];
});
afterAll(async () => {
  await server?.stop();
  await issuer?.stop();
});

describe('a person who signs in', () => {
  it('has a session of 8 hours in a cookie that no script reads and no other site sends', async () => {
    const cookies: Cookies = new Map();
    const { response } = await callback(await atCallback(server.address, 'ann', cookies), cookies);
    expect([response.status, response.headers.get('location')]).toEqual([302, `${server.address}/studio`]);
    expect(response.headers.getSetCookie()[0]).toMatch(
      /^platform-session=[\w-]{43}; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict$/,
    );
    expect(cookies.has('platform-sign-in')).toBe(false);
  });

  it('sees the tenants that the claim names, and no operator of a single tenant exists', async () => {
    const tenantsOf = async (login: string) => {
      const answer = (await (await (await SignedIn.as(login, server)).send('/session')).json()) as any;
      return answer.tenants.map(({ name }: { name: string }) => name);
    };
    expect(await tenantsOf('ann')).toEqual(['acme']);
    expect(await tenantsOf('bob')).toEqual(['acme', 'beta']);
    expect(await tenantsOf('olga')).toEqual(expect.arrayContaining(['acme', 'beta', ADMIN_TENANT]));
    await expect(SignedIn.as('nobody', server)).rejects.toThrow(/Nobody has no role here/);
  });

  it('uses the tenants of the claim, while a foreign tenant does not exist', async () => {
    const ann = await SignedIn.as('ann', server);
    expect(await apiOf(ann, acme).ask('{files{items{id}}}')).toEqual({ files: { items: [] } });
    for (const foreign of [beta, ADMIN_TENANT, '01a2097b-f5ea-7616-b19e-6c09d80aaae5', 'acme', '%00']) {
      const { status, errors } = await apiOf(ann, foreign).send('{files{items{id}}}');
      expect([status, errors?.[0]?.extensions.code, errors?.[0]?.message]).toEqual([
        404,
        'NOT_FOUND',
        `Tenant ${foreign} does not exist`,
      ]);
    }
  });

  it('is described with the tenant by the route of keys', async () => {
    const bob = await SignedIn.as('bob', server);
    const described = await (await bob.send('/key', { headers: { 'x-tenant-id': beta } })).json();
    expect(described).toMatchObject({ name: 'Bob', tenant: { id: beta, name: 'beta' } });
    expect((described as any).scope).toEqual(SERVICES.map((service) => `${service}-api:query:*`));
  });

  it.each(['x-api-key', 'authorization'])('is not asked for while the request has a key in %s', async (header) => {
    const ann = await SignedIn.as('ann', server);
    const headers = { [header]: header === 'x-api-key' ? 'psk_wrong' : 'Bearer psk_wrong', 'x-tenant-id': acme };
    expect((await ann.send('/key', { headers })).status).toBe(401);
  });
});

describe('a reader', () => {
  it.each(SERVICES)('cannot call any mutation of %s', async (service) => {
    const bob = apiOf(await SignedIn.as('bob', server), acme, service);
    const mutations = (await rootFieldsOf(bob, () => ({}))).filter(({ kind }) => kind === 'mutation');
    expect(mutations.length).toBeGreaterThan(3);
    for (const { name, request } of mutations) {
      const { query, variables } = request(1);
      const { data, errors } = await bob.send(query, variables);
      expect([name, data, errors?.map(({ message }) => message)]).toEqual([
        name,
        { a0: null },
        [`Your role in this tenant lacks the entry ${service}-api:mutation:${name}`],
      ]);
    }
  });
});

describe('what a person saves', () => {
  it('has the person as author, whatever was sent', async () => {
    const ann = await SignedIn.as('ann', server);
    const author = { id: 'ann', name: 'Ann Lee' };
    const forged = { id: 'bob', name: 'Bob' };
    const { createFile } = await apiOf(ann, acme).ask(
      'mutation($a:AuthorInput){createFile(input:{name:"a.txt",author:$a}){id author{id name email}}}',
      { a: { ...forged, email: 'bob@example.com' } },
    );
    expect(createFile.author).toEqual({ ...author, email: null });
    const { updateFile } = await apiOf(ann, acme).ask(
      'mutation($id:ID){updateFile(input:{id:$id,comment:"c"}){author{id name}}}',
      {
        id: createFile.id,
      },
    );
    expect(updateFile.author).toEqual(author);
    const rendering = apiOf(ann, acme, 'document-rendering');
    await rendering.ask(
      'mutation{createTemplate(input:{name:"t",type:document,contentType:plain,body:"b",author:{id:"bob"}}){id}}',
    );
    const { templateVersions } = await rendering.ask('{templateVersions(name:"t"){items{author{id name}}}}');
    expect(templateVersions.items).toEqual([{ author }]);
    const log = apiOf(ann, acme, 'document-log');
    const input = [logInput({ author: forged }), logInput({})];
    const { createLogBatch } = await log.ask(
      'mutation($input:[CreateLogInput!]!){createLogBatch(input:$input){results{item{authorId author{id name}}}}}',
      {
        input,
      },
    );
    expect(createLogBatch.results.map(({ item }: any) => item)).toEqual([
      { authorId: 'ann', author },
      { authorId: 'ann', author },
    ]);
  });

  it('is left to the application if a key saves it', async () => {
    const files = await server.api('file-management', await server.createKey(undefined, 'acme'));
    const { createFile } = await files.ask('mutation{createFile(input:{author:{id:"app"}}){author{id name}}}');
    expect(createFile.author).toEqual({ id: 'app', name: null });
  });
});

describe('an operator', () => {
  it('administers in the tenant of admin keys, and works in all others', async () => {
    const olga = await SignedIn.as('olga', server);
    const admin = apiOf(olga, ADMIN_TENANT, 'admin');
    const { createTenant } = await admin.ask('mutation{createTenant(input:{name:"of olga"}){id name}}');
    expect(await apiOf(olga, createTenant.id).ask('mutation{createFile{id}}')).toMatchObject({
      createFile: { id: expect.any(String) },
    });
    expect((await apiOf(olga, acme, 'admin').send('{tenants{items{id}}}')).status).toBe(403);
    expect((await apiOf(olga, ADMIN_TENANT, 'email').send('{version}')).status).toBe(403);
    const { logs } = await apiOf(olga, ADMIN_TENANT, 'document-log').ask(
      'query($id:String){logs(filter:{documentId:$id}){items{action author{id name}}}}',
      { id: createTenant.id },
    );
    expect(logs.items.length).toBeGreaterThan(0);
    for (const record of logs.items) expect(record).toEqual({ action: 'createTenant', author: { id: 'olga', name: 'Olga' } });
  });

  it('lists sessions, and ends one on every node within 5 s, which the audit log tells', async () => {
    const [olga, eve] = [await SignedIn.as('olga', server), await SignedIn.as('eve', server)];
    const admin = apiOf(olga, ADMIN_TENANT, 'admin');
    expect((await apiOf(eve, beta).send('{version}')).status).toBe(200);
    const { sessions } = await admin.ask(`{sessions{items{id ${FIELDS}}}}`);
    const last = sessions.items.at(-1);
    expect(last).toMatchObject({ personId: 'eve', name: 'Eve', roles: ['editor:beta'], revokedAt: null });
    expect(new Date(last.expiresAt).getTime() - new Date(last.createdAt).getTime()).toBe(8 * 3_600_000);
    expect((await admin.ask('{sessions(limit:1){items{id} nextToken}}')).sessions.nextToken).not.toBeNull();
    const revoke = 'mutation($id:ID!){revokeSession(id:$id){id revokedAt}}';
    const { revokeSession } = await admin.ask(revoke, { id: last.id });
    const since = Date.now();
    expect(revokeSession.revokedAt).not.toBeNull();
    expect((await admin.ask(revoke, { id: last.id })).revokeSession).toEqual(revokeSession);
    expect(await lastTimeOf(async () => (await apiOf(eve, beta).send('{version}')).status === 200)).toBeLessThan(since + 5_000);
    expect((await eve.send('/session')).status).toBe(401);
    expect(await admin.refusal(revoke, { id: acme })).toMatchObject({ code: 'NOT_FOUND' });
    const { logs } = await apiOf(olga, ADMIN_TENANT, 'document-log').ask(
      `{logs(filter:{action:"revokeSession"}){items{documentType documentId comment author{id name}}}}`,
    );
    expect(logs.items).toEqual([
      { documentType: 'session', documentId: last.id, comment: 'Eve', author: { id: 'olga', name: 'Olga' } },
    ]);
  });

  it('with a key sees the same sessions', async () => {
    await SignedIn.as('ann', server);
    const admin = await server.api('admin', await server.createAdminKey(AUDITING_ADMIN_SCOPE));
    const { sessions } = await admin.ask('{sessions{items{name}}}');
    expect(sessions.items).toContainEqual({ name: 'Ann Lee' });
  });
});

describe('a sign-out', () => {
  it('ends the session within 5 s, and names the page at which the issuer ends its own', async () => {
    const [ann, other] = [await SignedIn.as('ann', server), await SignedIn.as('ann', server)];
    expect((await apiOf(ann, acme).send('{version}')).status).toBe(200);
    const response = await ann.send('/session/sign-out', { method: 'POST' });
    const since = Date.now();
    expect(response.headers.getSetCookie()[0]).toMatch(/^platform-session=; Path=\/; Max-Age=0/);
    const { url } = (await response.json()) as { url: string };
    expect(url).toMatch(`${issuer.url}/session/end`);
    expect(new URL(url).searchParams.get('post_logout_redirect_uri')).toBe(`${server.address}/studio`);
    expect(await lastTimeOf(async () => (await apiOf(ann, acme).send('{version}')).status === 200)).toBeLessThan(since + 5_000);
    expect((await apiOf(other, acme).send('{version}')).status).toBe(200);
  });
});

describe('a request of another site', () => {
  it.each([
    ['another origin', { origin: 'https://evil.example' }],
    ['an opaque origin, such as a sandboxed file', { origin: 'null' }],
    ['the own host with another port', { origin: 'http://localhost:1' }],
    ['a sibling site', { origin: undefined, 'sec-fetch-site': 'same-site' }],
    ['a link', { origin: undefined, 'sec-fetch-site': 'none' }],
    ['no page at all', { origin: undefined, 'sec-fetch-site': undefined }],
  ])('has no rights by a session, from %s', async (_, given) => {
    const ann = await SignedIn.as('ann', server);
    const own = { cookie: `platform-session=${ann.token}`, 'x-tenant-id': acme, 'content-type': 'application/json', ...given };
    const headers = Object.fromEntries(Object.entries(own).filter((entry): entry is [string, string] => entry[1] !== undefined));
    const before = await apiOf(ann, acme).ask('{storageUsed{fileCount}}');
    const body = JSON.stringify({ query: 'mutation{createFile{id}}' });
    const sent = await fetch(`${server.address}/file-management/graphql`, { method: 'POST', headers, body });
    expect([sent.status, await sent.text()]).toEqual([
      403,
      expect.stringContaining('A session is accepted from pages of this server only'),
    ]);
    delete headers['content-type'];
    expect((await fetch(`${server.address}/session/sign-out`, { method: 'POST', headers })).status).toBe(403);
    expect(await apiOf(ann, acme).ask('{storageUsed{fileCount}}')).toEqual(before);
  });

  it('without the header of the tenant, as a form is sent, has no session', async () => {
    const ann = await SignedIn.as('ann', server);
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
      const headers = { 'content-type': type, origin: server.address };
      const body = JSON.stringify({ query: 'mutation{createFile{id}}' });
      expect((await ann.send('/file-management/graphql', { method: 'POST', headers, body })).status).toBe(401);
    }
  });

  it('gets no permission to send credentials by CORS', async () => {
    for (const path of ['/file-management/graphql', '/session', '/session/sign-out', '/key', '/files/x']) {
      const headers = {
        origin: 'https://evil.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-tenant-id',
      };
      const response = await fetch(server.address + path, { method: 'OPTIONS', headers });
      expect([path, response.headers.get('access-control-allow-credentials')]).toEqual([path, null]);
      expect([path, response.headers.get('access-control-allow-headers') ?? '']).not.toEqual([
        path,
        expect.stringContaining('x-tenant-id'),
      ]);
    }
  });
});

describe('a session', () => {
  it('changes nothing by GET, and is refused by all routes but those of Studio', async () => {
    const ann = await SignedIn.as('ann', server);
    const headers = { 'x-tenant-id': acme };
    const query = (text: string) => ann.send(`/file-management/graphql?query=${encodeURIComponent(text)}`, { headers });
    expect(await (await query('{version}')).json()).toMatchObject({ data: { version: expect.any(String) } });
    expect((await query('mutation{createFile{id}}')).status).toBe(405);
    for (const path of ['/v1/files', '/document-log/export', '/file-management/graphql/schema.graphql']) {
      expect([path, (await ann.send(path, { headers })).status]).toEqual([path, 401]);
    }
    const mcp = {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', origin: server.address },
      body: '{}',
    };
    expect((await ann.send('/mcp', mcp)).status).toBe(401);
  });

  it.each([
    ['given other roles', { roles: '["operator:*"]' }],
    ['given to another person', { personId: 'olga' }],
    ['given a longer life', { expiresAt: new Date('2099-01-01') }],
    ['robbed of its MAC', { mac: '' }],
  ])('is refused when its row was %s in the database', async (_, data) => {
    const { session } = databaseOf('no API alters a session as somebody in the database could', server);
    const ann = await SignedIn.as('ann', server);
    const { id } = await session.findFirstOrThrow({ where: { personId: 'ann' }, orderBy: { id: 'desc' } });
    await session.update({ where: { id }, data });
    expect((await ann.send('/session')).status).toBe(401);
    expect((await apiOf(ann, acme).send('{version}')).status).toBe(401);
    await session.delete({ where: { id } });
  });

  it('is removed once it has expired', async () => {
    const { session } = databaseOf('no API lets a session expire early', server);
    await SignedIn.as('eve', server);
    await session.updateMany({ where: { personId: 'eve' }, data: { expiresAt: new Date(Date.now() - 1) } });
    await server.app.get(BackgroundJobs, { strict: false }).runNow();
    expect(await session.count({ where: { personId: 'eve' } })).toBe(0);
  });

  it('shows neither its token nor the secrets of its sign-in in the log', async () => {
    const cookies: Cookies = new Map();
    const url = await atCallback(server.address, 'ann', cookies);
    const [sealed, { token }] = [cookies.get('platform-sign-in')!, await callback(url, cookies)];
    await apiOf(await SignedIn.as('ann', server), acme).send('{version}');
    const lines = server.logLines.join('');
    for (const secret of [token!, sealed, new URL(url).searchParams.get('code')!]) expect(lines).not.toContain(secret);
  });
});

describe('an answer of the issuer', () => {
  const refusedOf = async (url: string, cookies: Cookies) => {
    const { response, token } = await callback(url, cookies);
    expect(token).toBeUndefined();
    expect(response.headers.get('content-type')).toMatch(/^text\/html/);
    return [response.status, /<p>(.*?)<\/p>/.exec(await response.text())?.[1]];
  };
  const begun = async (): Promise<[string, Cookies]> => {
    const cookies: Cookies = new Map();
    return [await atCallback(server.address, 'ann', cookies), cookies];
  };
  const UNCONFIRMED = [401, 'The identity provider did not confirm this sign-in; sign in again.'];
  const ELSEWHERE = [400, expect.stringContaining('did not begin in this browser')];
  afterEach(() => {
    issuer.forge = undefined;
    issuer.isSilent = false;
  });

  it('is refused with another state, or in another browser', async () => {
    const [url, cookies] = await begun();
    expect(await refusedOf(url.replace(/state=[^&]+/, 'state=other'), cookies)).toEqual(UNCONFIRMED);
    expect(await refusedOf(url, new Map())).toEqual(ELSEWHERE);
    const altered: Cookies = new Map([['platform-sign-in', cookies.get('platform-sign-in')!.replace(/^./, 'x')]]);
    expect(await refusedOf(url, altered)).toEqual(ELSEWHERE);
  });

  it('is refused with the code of another sign-in, and a second time', async () => {
    const [[url, cookies], [other]] = [await begun(), await begun()];
    const code = new URL(other).searchParams.get('code')!;
    const kept: Cookies = new Map(cookies);
    const injected: Cookies = new Map(cookies);
    expect(await refusedOf(url.replace(/code=[^&]+/, `code=${code}`), injected)).toEqual(UNCONFIRMED);
    expect((await callback(url, cookies)).token).toBeDefined();
    cookies.delete('platform-session');
    expect(await refusedOf(url, cookies)).toEqual(ELSEWHERE);
    expect(await refusedOf(url, kept)).toEqual(UNCONFIRMED);
  });

  it.each([
    ['another nonce', () => ({ claims: { nonce: 'other' } })],
    ['no nonce', () => ({ claims: { nonce: undefined } })],
    ['a token for another client', () => ({ claims: { aud: 'other' } })],
    ['a token of another issuer', () => ({ claims: { iss: 'https://other.example' } })],
    ['an expired token', () => ({ claims: { exp: Math.floor(Date.now() / 1_000) - 90 } })],
    [
      'a clock 5 minutes fast',
      () => ({ claims: { iat: Math.floor(Date.now() / 1_000) + 300, nbf: Math.floor(Date.now() / 1_000) + 300 } }),
    ],
    ['an unsigned token', () => ({ header: { alg: 'none' } })],
  ])('is refused with %s', async (_, forge) => {
    const [url, cookies] = await begun();
    issuer.forge = forge;
    const answer = await refusedOf(url, cookies);
    expect(answer[0]).toBeGreaterThanOrEqual(401);
  });

  it('is refused with a token signed by another key', async () => {
    const [url, cookies] = await begun();
    const { privateKey } = await generateKeyPair('RS256');
    issuer.forge = () => ({ key: privateKey });
    expect(await refusedOf(url, cookies)).toEqual(UNCONFIRMED);
  });

  it('is accepted from a clock that is 30 s off', async () => {
    for (const off of [-30, 30]) {
      const [url, cookies] = await begun();
      const at = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;
      issuer.forge = () => ({ claims: off < 0 ? { exp: at(off) } : { iat: at(off), nbf: at(off) } });
      expect((await callback(url, cookies)).token).toBeDefined();
    }
  });

  it('is accepted after the issuer changed its keys', async () => {
    await SignedIn.as('ann', server);
    await issuer.rotateKeys();
    expect((await SignedIn.as('ann', server)).token).toBeDefined();
  });

  it('that does not come is a fault after seconds, with a page that says so', async () => {
    const [url, cookies] = await begun();
    issuer.isSilent = true;
    const since = Date.now();
    expect(await refusedOf(url, cookies)).toEqual([
      503,
      'The identity provider is down: the server did not answer within 4 s; sign in again later, or use a key.',
    ]);
    expect(Date.now() - since).toBeLessThan(12_000);
    expect((await fetch(`${server.address}/session/sign-in`, { redirect: 'manual' })).status).toBe(503);
  });
});

describe('a server', () => {
  it('without an issuer has no route for people, and accepts no session', async () => {
    const plain = await TestServer.start();
    const ann = await SignedIn.as('ann', server);
    const cookie = `platform-session=${ann.token}`;
    const statusOf = async (path: string, headers: Record<string, string> = {}, method = 'GET') =>
      (await fetch(plain.address + path, { method, headers, redirect: 'manual' })).status;
    for (const path of ['/session', '/session/sign-in', '/session/callback'])
      expect([path, await statusOf(path)]).toEqual([path, 404]);
    expect(await statusOf('/session/sign-out', {}, 'POST')).toBe(404);
    expect(await statusOf('/key', { cookie, 'x-tenant-id': acme, origin: plain.address })).toBe(401);
    await plain.stop();
  });

  it('reads roles from UserInfo if the ID token has none, and maps them', async () => {
    const other = await TestIssuer.start({ claimsInToken: false });
    other.people = { ann: { name: 'Ann Lee', groups: ['team'] }, bob: { name: 'Bob', groups: ['editor:acme'] } };
    const mapping = await TestServer.start(other.settings('groups,team=editor:acme,team=reader:beta'));
    await mapping.createKey(undefined, 'acme');
    const session = await (await SignedIn.as('ann', mapping)).send('/session');
    expect(await session.json()).toMatchObject({ name: 'Ann Lee', tenants: [{ name: 'acme' }] });
    await expect(SignedIn.as('bob', mapping)).rejects.toThrow(/Bob has no role here/);
    await mapping.stop();
    await other.stop();
  });
});
