import { type AllTenants, Database } from '../src/common/database/database.js';
import { TenantData } from '../src/common/tenants/tenant-data.js';
import type { Api } from './support/api.js';
import { DocumentLog } from './support/document-log.js';
import { until } from './support/websockets.js';

const DAY_MS = 86_400_000;
const SET = 'mutation($id:ID!,$retention:[TenantRetentionInput!]!){setTenantRetention(id:$id,retention:$retention){id}}';
const VERIFY = '{verifyLogs{valid checkedRecords removedRecords brokenLogId brokenBlock reason}}';

describe('the retention of log records', () => {
  let log: DocumentLog;
  let admin: Api;
  let database: AllTenants;
  beforeAll(async () => {
    log = await DocumentLog.start();
    admin = await log.server.api('admin');
    database = log.server.app.get(Database).acrossTenants('a test looks behind the API');
  });
  afterAll(() => log.stop());

  const tenantOf = async (id: string) => (await database.log.findUniqueOrThrow({ where: { id } })).tenantId;
  const isSealed = async (tenantId: string) => (await database.logBlock.count({ where: { tenantId } })) > 0;
  const count = (tenantId: string) => database.log.count({ where: { tenantId } });
  /** Removes what was kept for a number of days: of the time to come, when it is negative. */
  const remove = (tenantId: string, days: number) => {
    const { retained: kinds } = log.server.app.get(TenantData);
    return kinds.find(({ kind }) => kind === 'logs')!.remove(tenantId, new Date(Date.now() - days * DAY_MS), { limit: 500 });
  };

  it('can be set, and keeps what is younger', async () => {
    const own = await log.another();
    const { id } = await own.create({});
    const tenantId = await tenantOf(id);
    await until(() => isSealed(tenantId));
    await admin.ask(SET, { id: tenantId, retention: [{ kind: 'logs', days: 1 }] });
    expect((await database.tenant.findUniqueOrThrow({ where: { id: tenantId } })).logRetentionDays).toBe(1);
    expect(await remove(tenantId, 1)).toEqual({ removed: 0, more: false });
    expect(await count(tenantId)).toBe(1);
  });

  it('removes what is older and nothing of other tenants, and both logs still verify', async () => {
    const [own, other] = [await log.another(), await log.another()];
    const [tenantId, otherId] = [await tenantOf((await own.create({})).id), await tenantOf((await other.create({})).id)];
    for (const id of [tenantId, otherId]) await until(() => isSealed(id));
    expect(await remove(tenantId, -1)).toMatchObject({ removed: 1 });
    expect(await remove(tenantId, -1)).toEqual({ removed: 0, more: false });
    expect([await count(tenantId), await count(otherId)]).toEqual([0, 1]);
    expect((await own.api.ask(VERIFY)).verifyLogs).toMatchObject({ valid: true, removedRecords: 1, reason: null });
    expect((await other.api.ask(VERIFY)).verifyLogs).toMatchObject({ valid: true, checkedRecords: 1, removedRecords: 0 });
  });

  it('never removes the log of administration', async () => {
    await until(() => isSealed('platform-admin'));
    const before = await count('platform-admin');
    expect(await remove('platform-admin', -1)).toEqual({ removed: 0, more: false });
    expect(before).toBeGreaterThan(0);
    expect(await count('platform-admin')).toBeGreaterThanOrEqual(before);
  });
});
