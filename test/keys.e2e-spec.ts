// @nightly postgresql: its statements are those of admin and access-nodes
import { generateApiKey } from '../src/common/auth/api-key.js';
import { ApiKeysService } from '../src/common/auth/api-keys.service.js';
import { SERVICES } from '../src/common/auth/scopes.js';
import { Api } from './support/api.js';
import { Deployment, type ServerProcess } from './support/process.js';
import { TestServer } from './support/server.js';
import { lastTimeOf } from './support/time.js';

const FILE_SCOPE = 'file-management-api:query:* file-management-api:mutation:*';

describe('service access keys', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
  });
  afterAll(() => server.stop());

  const ask = (key: string | undefined, query = '{version}', service: (typeof SERVICES)[number] = 'file-management') =>
    new Api(server.address, service, key).send(query);

  it('are required by every operation of every service, including introspection', async () => {
    for (const service of SERVICES) {
      for (const query of ['{version}', '{__schema{queryType{name}}}', '{nonsense}', '{']) {
        const { status, errors, data } = await ask(undefined, query, service);
        expect([status, errors?.[0]?.extensions.code, data]).toEqual([401, 'UNAUTHENTICATED', undefined]);
      }
    }
  });

  it.each([
    ['empty', '', /is required/],
    ['from somewhere else', 'sk_live_abcdef', /is not well-formed/],
    ['mistyped', `${generateApiKey().slice(0, -1)}!`, /is not well-formed/],
    ['well-formed but unknown', generateApiKey(), /unknown, expired or revoked/],
    ['very long', 'x'.repeat(10_000), /is not well-formed/],
  ])('are refused when they are %s', async (_, key, message) => {
    const { status, errors } = await ask(key);
    expect(status).toBe(401);
    expect(errors?.[0]).toMatchObject({ message: expect.stringMatching(message), extensions: { code: 'UNAUTHENTICATED' } });
  });

  it('are accepted as Authorization: Bearer, for operations and for routes, with x-api-key first', async () => {
    const key = await server.createKey(FILE_SCOPE);
    const send = (path: string, headers: Record<string, string>) => fetch(`${server.address}${path}`, { headers });
    const query = `/file-management/graphql?query=${encodeURIComponent('{version}')}`;
    for (const path of [query, '/key']) {
      expect((await send(path, { authorization: `Bearer ${key}` })).status).toBe(200);
      expect((await send(path, { authorization: `bearer ${key}` })).status).toBe(200);
      expect((await send(path, { authorization: `Bearer ${generateApiKey()}`, 'x-api-key': key })).status).toBe(200);
      for (const wrong of ['Bearer', 'Bearer ', `Basic ${key}`, key, `Bearer ${generateApiKey()}`, `Bearer ${key} ${key}`]) {
        const response = await send(path, { authorization: wrong });
        expect([wrong, response.status, response.headers.get('www-authenticate')]).toEqual([wrong, 401, 'Bearer']);
      }
    }
  });

  it('are refused before the body is read, so a stranger cannot make the server parse it', async () => {
    const response = await fetch(`${server.address}/email/graphql`, {
      method: 'POST',
      body: '{"broken',
      headers: { 'content-type': 'application/json' },
    });
    expect(response.status).toBe(401);
  });

  it('are refused after their expiry', async () => {
    const key = await server.createKey(FILE_SCOPE, undefined, 2);
    const expiresAt = Date.now() + 2_000;
    expect((await ask(key)).status).toBe(200);
    expect(await lastTimeOf(async () => (await ask(key)).status === 200)).toBeLessThan(expiresAt + 1_000);
    expect((await ask(key)).status).toBe(401);
  });

  it('are refused within 5 seconds of their revocation, even if they were just used', async () => {
    const key = await server.createKey(FILE_SCOPE);
    expect((await ask(key)).status).toBe(200);
    const service = server.app.get(ApiKeysService);
    const { id } = (await service.list()).find(({ prefix }) => key.startsWith(prefix))!;
    await service.revoke(id);
    const revokedAt = Date.now();
    expect(await lastTimeOf(async () => (await ask(key)).status === 200)).toBeLessThan(revokedAt + 5_000);
    await service.revoke(id);
    await expect(service.revoke('unknown')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('without an entry of a service get 403 before the query is validated, which reveals nothing of the schema', async () => {
    const key = await server.createKey('email-api:query:*');
    for (const query of ['{version}', '{versio}', '{__schema{types{name}}}', '{{{']) {
      const { status, errors } = await ask(key, query);
      expect(status).toBe(403);
      expect(errors).toEqual([
        { message: 'The key has no scope entry of file-management-api', extensions: { code: 'FORBIDDEN' } },
      ]);
    }
  });

  it('allow what their scope names, and the error names the missing entry', async () => {
    const key = await server.createKey('file-management-api:query:* file-management-api:mutation:createFile');
    const { data, errors } = await ask(key, 'mutation{createFile{id} deleteFile(id:"x"){id}}');
    expect(data.createFile.id).toBeTruthy();
    expect(data.deleteFile).toBeNull();
    expect(errors).toMatchObject([
      {
        path: ['deleteFile'],
        message: expect.stringContaining('file-management-api:mutation:deleteFile'),
        extensions: { code: 'FORBIDDEN' },
      },
    ]);
  });

  it('with an entry for one query allow that query, version and introspection, and no other', async () => {
    const key = await server.createKey('file-management-api:query:files');
    const { data, errors } = await ask(key, '{version files{nextToken} file(ID:"x"){id} __schema{queryType{name}}}');
    expect(data).toMatchObject({ version: expect.any(String), files: { nextToken: null }, file: null });
    expect(errors).toHaveLength(1);
    expect(errors?.[0]?.extensions.code).toBe('FORBIDDEN');
  });

  it('with mutation entries only allow introspection, but not version', async () => {
    const key = await server.createKey('file-management-api:mutation:*');
    const { errors } = await ask(key, '{version}');
    expect(errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    expect((await ask(key, '{__type(name:"File"){name}}')).data.__type.name).toBe('File');
  });

  it.each([
    '', 'everything', 'file-management-api:query', 'files-api:query:*', 'file-management-api:query:nonsense',
    'file-management-api:subscription:*', 'file-management-api:mutation:files', 'FILE-management-api:query:*',
  ])('are not created with the scope %j', async (scope) => {
    await expect(server.createKey(scope)).rejects.toMatchObject({ code: 'BAD_USER_INPUT', field: 'scope' });
  }); // prettier-ignore

  it('read the data of their own tenant only', async () => {
    const mine = new Api(server.address, 'file-management', await server.createKey(FILE_SCOPE, 'tenant-mine'));
    const alsoMine = new Api(server.address, 'file-management', await server.createKey(FILE_SCOPE, 'tenant-mine'));
    const foreign = await server.api('file-management');
    const { id } = (await mine.ask('mutation{createFile{id}}')).createFile;
    expect((await alsoMine.ask(`{file(ID:"${id}"){id}}`)).file.id).toBe(id);
    expect((await foreign.ask(`{file(ID:"${id}"){id}}`)).file).toBeNull();
    expect((await foreign.ask(`{files(filter:{id:"${id}"}){items{id}}}`)).files.items).toEqual([]);
  });

  it('record when they were last used, and are stored as a hash', async () => {
    const key = await server.createKey(FILE_SCOPE);
    const before = Date.now();
    await ask(key);
    const find = async () => (await server.app.get(ApiKeysService).list()).find(({ prefix }) => key.startsWith(prefix))!;
    let row = await find();
    while (!row.lastUsedAt) row = await find();
    expect(row.lastUsedAt!.getTime()).toBeGreaterThanOrEqual(before);
    expect(JSON.stringify(row)).not.toContain(key.slice(13));
    expect(row.hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('never reach the log', async () => {
    const key = await server.createKey(FILE_SCOPE);
    await ask(key);
    await ask(`${key}x`);
    const lines = server.logLines.join('');
    expect(lines).toContain(key.slice(0, 12));
    expect(lines).not.toContain(key.slice(13));
  });
});

describe('the keys command', () => {
  let deployment: Deployment;
  let bootstrapKey: string;
  let server: ServerProcess;
  beforeAll(async () => {
    deployment = await Deployment.create();
    bootstrapKey = await deployment.keys('generate');
    server = deployment.start({ PORT: '0', BOOTSTRAP_API_KEY: bootstrapKey });
  });
  afterAll(() => deployment.remove());

  it('creates, lists and revokes keys while the server runs, and prints nothing else', async () => {
    const address = await server.ready();
    const key = await deployment.keys(
      'create',
      '--tenant',
      'acme',
      '--scope',
      FILE_SCOPE,
      '--expires-in',
      '3600',
      '--name',
      'Shop',
    );
    expect(key).toMatch(/^psk_\w{8}_\w{46}$/);
    const api = new Api(address, 'file-management', key);
    expect((await api.send('{version}')).status).toBe(200);

    const lines = (await deployment.keys('list')).split('\n').map((line) => line.split('\t'));
    const line = lines.find(([, tenant]) => tenant === 'acme')!;
    expect(line).toHaveLength(9);
    expect(line.slice(1, 4)).toEqual(['acme', key.slice(0, 12), FILE_SCOPE]);
    expect(new Date(line[5]!).getTime() - new Date(line[4]!).getTime()).toBe(3_600_000);
    expect(line.slice(7)).toEqual(['-', 'Shop']);

    const nameOf = async () =>
      (await deployment.keys('list'))
        .split('\n')
        .find((one) => one.startsWith(line[0]!))!
        .split('\t')[8];
    expect(await deployment.keys('update', line[0]!, '--name', 'Shop in Bern')).toBe('');
    expect(await nameOf()).toBe('Shop in Bern');
    const wider = ['--service', 'email', '--read-only', '--no-expires-in', '--no-name'];
    expect(await deployment.keys('update', line[0]!, ...wider)).toBe('');
    expect(await nameOf()).toBe('-');
    const changed = (await deployment.keys('list'))
      .split('\n')
      .find((one) => one.startsWith(line[0]!))!
      .split('\t');
    expect([changed[3], changed[5]]).toEqual(['email-api:query:*', '-']);
    expect(await deployment.keys('update', line[0]!, '--scope', FILE_SCOPE, '--expires-in', '3600')).toBe('');

    expect(await deployment.keys('revoke', line[0]!)).toBe('');
    const revokedAt = Date.now();
    expect(await lastTimeOf(async () => (await api.send('{version}')).status === 200)).toBeLessThan(revokedAt + 5_000);
  });

  it('reports what is wrong in one line, and exits with 2 for a wrong command, else with 1', async () => {
    const refused = (...args: string[]) => deployment.keys(...args).catch((error: { code: number; stderr: string }) => error);
    const answers = await Promise.all([
      refused('create', '--tenant', 'a', '--scope', 'all'),
      refused('create', '--tenant', '', '--scope', FILE_SCOPE),
      refused('create', '--tenant', 'a', '--scope', FILE_SCOPE, '--expires-in', '0'),
      refused('revoke', 'unknown'),
      refused('update', 'unknown', '--name', 'a'),
      refused('update', 'unknown'),
      refused('create', '--tenant', 'a', '--scope', FILE_SCOPE, '--name', ''),
    ]);
    expect(answers).toEqual(
      [
        [2, expect.stringMatching(/^scope: unknown entry "all".*\n$/)],
        [2, 'tenant: must not be empty\n'],
        [2, expect.stringContaining('expires-in: must be')],
        [1, 'Key unknown does not exist\n'],
        [1, 'Key unknown does not exist\n'],
        [2, 'name: or another new value is required\n'],
        [2, 'name: must not be empty\n'],
      ].map(([code, stderr]) => expect.objectContaining({ code, stderr })),
    );
  });

  it('generates a well-formed key that a start creates, and which stays revoked once it was', async () => {
    const key = bootstrapKey;
    expect((await new Api(await server.ready(), 'email', key).send('{version}')).status).toBe(200);
    expect(server.output).not.toContain(key.slice(13));
    expect(await server.stop()).toBe(0);
    const id = (await deployment.keys('list'))
      .split('\n')
      .find((line) => line.includes(key.slice(0, 12)))!
      .split('\t')[0]!;
    await deployment.keys('revoke', id);
    const second = deployment.start({ PORT: '0', BOOTSTRAP_API_KEY: key });
    expect((await new Api(await second.ready(), 'email', key).send('{version}')).status).toBe(401);
    await second.stop();
  });
});
