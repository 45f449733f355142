import { generateApiKey, hashApiKey } from '../src/common/auth/api-key.js';
import { ApiKeysService } from '../src/common/auth/api-keys.service.js';
import type { AllTenants } from '../src/common/database/database.js';
import { uuidv7 } from '../src/common/base/ids.js';
import { Api } from './support/api.js';
import { allRowsOf } from './support/behind-the-api.js';
import { Deployment } from './support/process.js';
import { TestServer } from './support/server.js';
import { lastTimeOf } from './support/time.js';

declare const databaseKind: string;
const isPostgres = databaseKind === 'postgresql';

const SCOPE = 'document-log-api:query:version';

describe('a service access key in the database', () => {
  let server: TestServer;
  let database: AllTenants;
  let keys: ApiKeysService;
  beforeAll(async () => {
    server = await TestServer.start();
    database = allRowsOf('no API alters a key as somebody in the database could', server);
    keys = server.app.get(ApiKeysService);
  });
  afterAll(() => server.stop());

  const status = async (key: string) => (await new Api(server.address, 'document-log', key).send('{version}')).status;
  const rowOf = (key: string) => database.apiKey.findUniqueOrThrow({ where: { hash: hashApiKey(key) } });
  const run = (sql: string) => database.$executeRawUnsafe(sql);

  const FAR = isPostgres ? `'2099-01-01'` : '4070908800000';
  it.each([
    ['moved to another tenant', `"tenantId" = (SELECT "id" FROM "Tenant" WHERE "name" = 'victim')`],
    ['given a wider scope', `"scope" = 'document-log-api:query:*'`],
    ['given a longer life', `"expiresAt" = ${FAR}`],
    ['given an end in place of another', `"expiresAt" = NULL`],
    ['robbed of its MAC', `"mac" = ''`],
    ...(isPostgres ? [] : [['given bytes in the place of its scope', `"scope" = x'00'`]]),
  ])('is refused when it was %s there, and the log names it once', async (_, change) => {
    await server.createKey(SCOPE, 'victim');
    const key = await server.createKey(SCOPE, 'thief', 3_600);
    const other = await server.createKey(SCOPE, 'thief', 3_600);
    const { id } = await rowOf(key);
    await run(`UPDATE "ApiKey" SET ${change} WHERE "id" = '${id}'`);
    expect([await status(key), await status(key), await status(other)]).toEqual([401, 401, 200]);
    expect(server.logLines.filter((line) => line.includes(id))).toHaveLength(1);
  });

  it('is refused when it was created there, even with the MAC of another', async () => {
    const right = await rowOf(await server.createKey(SCOPE, 'thief'));
    for (const mac of ['', right.mac]) {
      const key = generateApiKey();
      await database.apiKey.create({ data: { ...right, id: uuidv7(), hash: hashApiKey(key), mac } });
      expect(await status(key)).toBe(401);
    }
  });

  it('that was revoked stays so when the revocation is undone there, even as BOOTSTRAP_API_KEY', async () => {
    const key = generateApiKey();
    expect(await keys.ensure(key)).toBe(true);
    const { id } = await rowOf(key);
    await keys.revoke(id);
    await run(`UPDATE "ApiKey" SET "revokedAt" = NULL WHERE "id" = '${id}'`);
    expect([await status(key), await keys.ensure(key)]).toEqual([401, false]);
  });
});

describe('keys after SECRET_KEY was replaced', () => {
  it('are refused until the keys command binds them', async () => {
    const deployment = await Deployment.create({ PORT: '0' });
    try {
      const key = await deployment.keys('create', '--tenant', 'acme', '--scope', SCOPE);
      const revoked = await deployment.keys('create', '--tenant', 'acme', '--scope', SCOPE);
      const lines = (await deployment.keys('list')).split('\n');
      const idOf = (of: string) => lines.find((line) => line.includes(of.slice(0, 12)))!.split('\t')[0]!;
      await deployment.keys('revoke', idOf(revoked));
      deployment.settings.SECRET_KEY = 'another secret key that only tests are using';
      const node = deployment.start();
      const api = new Api(await node.ready(), 'document-log', key);
      expect((await api.send('{version}')).status).toBe(401);
      const warning = await node.until(/\{[^\n]*keys, logs or sealed secrets need a SECRET_KEY that is missing[^\n]*\}/);
      expect(JSON.parse(warning)).toMatchObject({ keys: 1, logs: 0 });
      expect(await deployment.keys('bind', idOf(key))).toBe('');
      const refused = await deployment.keys('bind', idOf(revoked)).catch((error: { stderr: string }) => error.stderr);
      expect(refused).toMatch(/was revoked and stays revoked/);
      const boundAt = Date.now();
      expect(await lastTimeOf(async () => (await api.send('{version}')).status === 401)).toBeLessThan(boundAt + 5_000);
    } finally {
      await deployment.remove();
    }
  });
});
