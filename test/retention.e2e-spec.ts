import type { AllTenants } from '../src/common/database/database.js';
import { TenantData } from '../src/common/tenants/tenant-data.js';
// Past the API: statements whose plans are examined.
import { expireOldFiles, removeOldFiles } from '../src/modules/file-management/expiry/file-retention.queries.js';
import { Api } from './support/api.js';
import { Inbox } from './support/inbox.js';
import { allRowsOf } from './support/behind-the-api.js';
import { dialect, explained } from './support/plans.js';
import { Deployment } from './support/process.js';
import { TestServer } from './support/server.js';
import { Push, until } from './support/websockets.js';

declare const databaseKind: 'sqlite' | 'postgresql';

const DAY_MS = 86_400_000;
const CREATE_FILE = 'mutation($input:CreateFileInput){createFile(input:$input){id uploadUrl}}';
const SET =
  'mutation($id:ID!,$retention:[TenantRetentionInput!]!){setTenantRetention(id:$id,retention:$retention){retention{kind days isOwn}}}';
const SCOPE = ['file-management-api:query:*', 'file-management-api:mutation:*'];

async function newTenant(admin: Api, name: string): Promise<{ id: string; key: string }> {
  const { id } = (await admin.ask(`mutation{createTenant(input:{name:"${name}"}){id}}`)).createTenant;
  const input = { tenantId: id, scope: SCOPE };
  const { secret } = (await admin.ask('mutation($input:CreateKeyInput!){createKey(input:$input){secret}}', { input })).createKey;
  return { id, key: secret };
}

describe('the retention of a tenant', () => {
  let server: TestServer;
  let admin: Api;
  let database: AllTenants;
  beforeAll(async () => {
    server = await TestServer.start({ MAIL_RETENTION_DAYS: '90' });
    admin = await server.api('admin');
    database = allRowsOf('only time makes a file old', server);
  });
  afterAll(() => server.stop());

  const newFile = async (api: Api, content?: string): Promise<string> => {
    const { id, uploadUrl } = (await api.ask(CREATE_FILE, { input: { name: 'a.txt' } })).createFile;
    if (content !== undefined) expect((await fetch(uploadUrl, { method: 'PUT', body: content })).status).toBe(200);
    return id;
  };
  const age = (id: string, days: number) =>
    database.file.updateMany({ where: { id }, data: { updatedAt: new Date(Date.now() - days * DAY_MS) } });
  const exists = async (api: Api, id: string) => (await api.ask(`{file(ID:"${id}"){id}}`)).file !== null;
  const removeFiles = (tenantId: string, days: number, limit: number) => {
    const { retained: kinds } = server.app.get(TenantData);
    return kinds.find(({ kind }) => kind === 'files')!.remove(tenantId, new Date(Date.now() - days * DAY_MS), { limit });
  };

  it('leaves delivered messages in an inbox until they expire or are archived', async () => {
    const push = new Push(await server.api('websockets-manager'));
    const client = await push.connect('ann');
    const rest = { inbox: true, expiresAt: new Date(Date.now() + 90 * DAY_MS).toISOString() };
    for (const text of ['stays', 'archived', 'expired']) await push.push('ann', text, rest);
    await push.push('ann', 'delivered', { expiresAt: rest.expiresAt });
    await push.manySettled('ann', 4, 'DELIVERED');
    await client.close();
    const inbox = new Inbox(push.api, 'ann');
    const [expired, archived] = (await inbox.page()).items;
    await inbox.mark('ARCHIVED', { ids: [archived.id] });
    await database.message.updateMany({ where: { pushId: expired.id }, data: { expiresAt: new Date(Date.now() - DAY_MS) } });
    const { retained } = server.app.get(TenantData);
    const later = new Date(Date.now() + DAY_MS);
    const tenantId = await server.tenantIdOf(push.api);
    expect(await retained.find(({ kind }) => kind === 'messages')!.remove(tenantId, later, { limit: 10 })).toEqual({
      removed: 3,
      more: false,
    });
    expect((await push.messages()).items).toMatchObject([{ message: 'stays' }]);
    expect(await inbox.texts()).toEqual(['stays']);
  });

  it('defaults to that of the settings, is set for one kind, some or all, and reset by null', async () => {
    const { id } = await newTenant(admin, 'periods');
    const { tenant } = await admin.ask(`{tenant(id:"${id}"){retention{kind days isOwn}}}`);
    expect(tenant.retention).toEqual([
      { kind: 'files', days: null, isOwn: false },
      { kind: 'messages', days: 30, isOwn: false },
      { kind: 'mails', days: 90, isOwn: false },
      { kind: 'logs', days: null, isOwn: false },
      { kind: 'events', days: 7, isOwn: false },
    ]);
    const set = async (...retention: object[]) => (await admin.ask(SET, { id, retention })).setTenantRetention.retention;
    expect(await set({ kind: 'files', days: 36_500 }, { kind: 'mails', days: 1 })).toEqual([
      { kind: 'files', days: 36_500, isOwn: true },
      { kind: 'messages', days: 30, isOwn: false },
      { kind: 'mails', days: 1, isOwn: true },
      { kind: 'logs', days: null, isOwn: false },
      { kind: 'events', days: 7, isOwn: false },
    ]);
    expect((await set({ kind: 'files', days: null }))[0]).toEqual({ kind: 'files', days: null, isOwn: false });
    const ofAll = tenant.retention.map(({ kind }: { kind: string }) => ({ kind, days: 9 }));
    expect(await set(...ofAll)).toEqual(ofAll.map((one: object) => ({ ...one, isOwn: true })));
    const log = new Api(server.address, 'document-log', await server.createKey('document-log-api:query:*', 'platform-admin'));
    const { logs } = await log.ask(`{logs(filter:{documentId:"${id}"}){items{action attribute{id} attributeNewValue{raw}}}}`);
    expect(logs.items).toContainEqual({
      action: 'setTenantRetention',
      attribute: { id: 'retention of mails' },
      attributeNewValue: { raw: '1 days' },
    });
  });

  it.each([
    ['no days', [{ kind: 'files', days: 0 }], 'BAD_USER_INPUT'],
    ['too many days', [{ kind: 'files', days: 36_501 }], 'BAD_USER_INPUT'],
    ['no kind', [], 'BAD_USER_INPUT'],
    ['a kind twice', [{ kind: 'files', days: 1 }, { kind: 'files', days: 2 }], 'BAD_USER_INPUT'], // prettier-ignore
  ])('of %s is refused, naming the field', async (_, retention, code) => {
    const { id } = (await admin.ask('{tenants(limit:1){items{id}}}')).tenants.items[0];
    const refusal = await admin.refusal(SET, { id, retention });
    expect([refusal.code, refusal.field]).toEqual([code, expect.stringMatching(/^retention/)]);
  });

  it('requires its scope entry and an existing tenant', async () => {
    const { id } = await newTenant(admin, 'scoped');
    const retention = [{ kind: 'files', days: 1 }];
    const narrow = await server.api('admin', await server.createKey('admin-api:mutation:setTenantLimits', 'platform-admin'));
    expect((await narrow.refusal(SET, { id, retention })).code).toBe('FORBIDDEN');
    const exact = await server.api('admin', await server.createKey('admin-api:mutation:setTenantRetention', 'platform-admin'));
    expect((await exact.send(SET, { id, retention })).errors).toBeUndefined();
    expect((await admin.refusal(SET, { id: 'nobody', retention })).code).toBe('NOT_FOUND');
  });

  it('removes files, content and usage that nothing changed during it, soon after it is shortened, and no others', async () => {
    const [owner, other] = [await newTenant(admin, 'owner'), await newTenant(admin, 'other')];
    const [own, others] = [await server.api('file-management', owner.key), await server.api('file-management', other.key)];
    const [old, empty, changed, uploading] = [await newFile(own, 'old'), await newFile(own), await newFile(own, 'changed'), await newFile(own, 'kept')]; // prettier-ignore
    const foreign = await newFile(others, 'foreign');
    await own.ask(`mutation{initiateMultipartUpload(input:{fileId:"${uploading}"}){uploadId}}`);
    await Promise.all([old, empty, changed, uploading, foreign].map((id) => age(id, 8)));
    await own.ask(`mutation{updateFile(input:{id:"${changed}",comment:"c"}){id}}`);
    await admin.ask(SET, { id: owner.id, retention: [{ kind: 'files', days: 7 }] });
    await until(async () => !(await exists(own, old)) && !(await exists(own, empty)));
    expect([await exists(own, changed), await exists(own, uploading), await exists(others, foreign)]).toEqual([true, true, true]);
    expect((await own.ask('{storageUsed{fileCount fileSize}}')).storageUsed).toEqual({
      fileCount: 2,
      fileSize: 'changedkept'.length,
    });
    expect((await server.blobKeys()).filter((key) => key.includes(old))).toEqual([]);
    const metrics = await (await fetch(`${server.address}/metrics`)).text();
    expect(metrics).toMatch(/^retention_removed_total\{kind="files"\} 2$/m);
    expect(server.logLines.join('')).toContain('removed expired data');
  });

  it('removes at most its limit in one step, and reports that there is more', async () => {
    const { id, key } = await newTenant(admin, 'steps');
    const api = await server.api('file-management', key);
    const ids = [await newFile(api, 'a'), await newFile(api, 'b'), await newFile(api, 'c')];
    await Promise.all(ids.map((file) => age(file, 8)));
    expect(await removeFiles(id, 7, 2)).toEqual({ removed: 2, more: true });
    expect(await removeFiles(id, 7, 2)).toEqual({ removed: 1, more: false });
    expect(await removeFiles(id, 36_500, 2)).toEqual({ removed: 0, more: false });
  });

  it('finds old files by an index', async () => {
    const { id: tenantId, key } = await newTenant(admin, 'plans');
    const api = await server.api('file-management', key);
    const fields = Array.from({ length: 50 }, (_, index) => `f${index}: createFile(input:{name:"n"}){id}`);
    for (let count = 0; count < 40; count++) await api.ask(`mutation{${fields.join(' ')}}`);
    if (databaseKind === 'postgresql') await database.$executeRawUnsafe('ANALYZE "File"');
    const old = { tenantId, before: new Date(Date.now() - DAY_MS), limit: 500 };
    for (const statement of [expireOldFiles(dialect, old, new Date()), removeOldFiles(dialect, old)]) {
      const { plan } = await explained(database, statement);
      expect(plan).toContain('File_tenantId_updatedAt_id_idx');
      expect(plan).not.toMatch(/Seq Scan on "?File|SCAN File/);
    }
  });
});

describe('the retention command', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    deployment = await Deployment.create({ FILE_RETENTION_DAYS: '400' });
  });
  afterAll(() => deployment.remove());

  it('shows and sets the retention of a tenant, and a node continues the deletions of a killed one', async () => {
    const key = await deployment.keys('create', '--tenant', 'shop', '--scope', SCOPE.join(' '));
    const retention = (...args: string[]) => deployment.outcome('tenants', 'retention', 'shop', ...args);
    expect((await retention()).stdout.split('\n')).toEqual([
      'files\t400\tdefault',
      'messages\t30\tdefault',
      'mails\t30\tdefault',
      'logs\tforever\tdefault',
      'events\t7\tdefault',
    ]);
    for (const days of ['0', '36501', '1.5', 'x']) expect((await retention('--files', days)).code).toBe(2);

    const server = deployment.start({ PORT: '0' });
    const api = new Api(await server.ready(), 'file-management', key);
    const fields = Array.from({ length: 50 }, (_, index) => `f${index}: createFile(input:{name:"n"}){id}`);
    for (let count = 0; count < 60; count++) await api.ask(`mutation{${fields.join(' ')}}`);
    const count = async () =>
      Number(
        ((await deployment.query('no server is left to count the files', 'SELECT count(*) AS "count" FROM "File"'))[0] as any)
          .count,
      );
    expect(await count()).toBe(3_000);
    const old = databaseKind === 'postgresql' ? `now() - interval '8 days'` : String(Date.now() - 8 * DAY_MS);
    await deployment.query('only time makes a file old', `UPDATE "File" SET "updatedAt" = ${old} RETURNING 1`);
    expect((await retention('--files', '7')).stdout).toContain('files\t7\town');
    await until(async () => (await count()) < 3_000);
    await server.stop('SIGKILL');
    await deployment.releaseLeases();

    const next = deployment.start({ PORT: '0' });
    const after = new Api(await next.ready(), 'file-management', key);
    await until(async () => (await count()) === 0);
    expect((await after.ask('{storageUsed{fileCount fileSize}}')).storageUsed).toEqual({ fileCount: 0, fileSize: 0 });
  });
});
