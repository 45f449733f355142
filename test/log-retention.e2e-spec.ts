import { ADMIN_TENANT } from '../src/common/tenants/tenant-names.js';
import { TenantData } from '../src/common/tenants/tenant-data.js';
import { Api } from './support/api.js';
import { DocumentLog } from './support/document-log.js';
import { until } from './support/websockets.js';

const DAY_MS = 86_400_000;
const SET = 'mutation($id:ID!,$retention:[TenantRetentionInput!]!){setTenantRetention(id:$id,retention:$retention){id}}';
const RETENTION = 'query($id:ID!){tenant(id:$id){retention{kind days isOwn}}}';
const VERIFY = '{verifyLogs{valid checkedRecords removedRecords unsealedRecords reason}}';

describe('the retention of log records', () => {
  let log: DocumentLog;
  let admin: Api;
  beforeAll(async () => {
    log = await DocumentLog.start();
    admin = await log.server.api('admin');
  });
  afterAll(() => log.stop());

  const verify = async (api: Api) => (await api.ask(VERIFY)).verifyLogs;
  const sealed = (api: Api) => until(async () => (await verify(api)).unsealedRecords === 0);
  const count = async (api: Api) => (await api.ask('{logs(limit:1000){items{id}}}')).logs.items.length;
  /** Removes records older than a number of days, or newer ones if it is negative. */
  const remove = (tenantId: string, days: number) => {
    const { retained: kinds } = log.server.app.get(TenantData);
    return kinds.find(({ kind }) => kind === 'logs')!.remove(tenantId, new Date(Date.now() - days * DAY_MS), { limit: 500 });
  };

  it('can be set, and leaves younger records', async () => {
    const { api, create } = await log.another();
    await create({});
    const id = await log.server.tenantIdOf(api);
    await sealed(api);
    await admin.ask(SET, { id, retention: [{ kind: 'logs', days: 1 }] });
    expect((await admin.ask(RETENTION, { id })).tenant.retention).toContainEqual({ kind: 'logs', days: 1, isOwn: true });
    expect(await remove(id, 1)).toEqual({ removed: 0, more: false });
    expect(await count(api)).toBe(1);
  });

  it('removes older records and nothing of other tenants, and both logs still verify', async () => {
    const [own, other] = [await log.another(), await log.another()];
    for (const { api, create } of [own, other]) {
      await create({});
      await sealed(api);
    }
    const tenantId = await log.server.tenantIdOf(own.api);
    expect(await remove(tenantId, -1)).toMatchObject({ removed: 1 });
    expect(await remove(tenantId, -1)).toEqual({ removed: 0, more: false });
    expect([await count(own.api), await count(other.api)]).toEqual([0, 1]);
    expect(await verify(own.api)).toMatchObject({ valid: true, removedRecords: 1, reason: null });
    expect(await verify(other.api)).toMatchObject({ valid: true, checkedRecords: 1, removedRecords: 0 });
  });

  it('never removes the admin log', async () => {
    const { address } = log.server;
    const ofAdmins = new Api(address, 'document-log', await log.server.createKey('document-log-api:query:*', ADMIN_TENANT));
    await sealed(ofAdmins);
    const before = await count(ofAdmins);
    expect(await remove(ADMIN_TENANT, -1)).toEqual({ removed: 0, more: false });
    expect(before).toBeGreaterThan(0);
    expect(await count(ofAdmins)).toBeGreaterThanOrEqual(before);
  });
});
