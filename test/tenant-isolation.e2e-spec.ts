import type { Database } from '../src/common/database/database.js';
import { raw, sql } from '../src/common/database/sql/sql.js';
import type { TenantDatabase } from '../src/common/database/tenant-database.js';
import { databaseOf } from './support/behind-the-api.js';
import { TestServer } from './support/server.js';

const CREATE = 'mutation($input:CreateFileInput){createFile(input:$input){id}}';

describe('isolation of tenant rows', () => {
  let server: TestServer;
  let database: Database;
  /** The tenant that asks, and a file of another one. */
  let own: TenantDatabase;
  let tenantId: string;
  let id: string;
  let stranger: string;

  beforeAll(async () => {
    server = await TestServer.start();
    database = databaseOf('the handle of a tenant is the subject', server);
    const [mine, theirs] = [await server.api('file-management'), await server.api('file-management')];
    await mine.ask(CREATE, { input: { name: 'mine' } });
    id = (await theirs.ask(CREATE, { input: { name: 'theirs' } })).createFile.id;
    tenantId = await server.tenantIdOf(mine);
    stranger = await server.tenantIdOf(theirs);
    own = database.of(tenantId);
  });
  afterAll(() => server.stop());

  const theirs = () => database.of(stranger).file.findUniqueOrThrow({ where: { id } });

  describe('against known leaks', () => {
    it('rejects a model beside a local named tenantId at compile time', () => {
      // @ts-expect-error: the database has no rows of a tenant by itself
      expect(database.file).toBeUndefined();
    });

    it('returns nothing of another tenant from a model asked for an id, with tenantId among its columns', async () => {
      expect(await own.file.findUnique({ where: { id }, select: { tenantId: true } })).toBeNull();
      expect(await own.file.findMany({ where: { OR: [{ id }, { tenantId: stranger }] } })).toEqual([]);
    });

    it('refuses a statement that selects the tenant of an id', async () => {
      const leak = sql`SELECT "tenantId" FROM "File" WHERE "id" = ${id}`;
      // @ts-expect-error: the database runs no statement by itself
      expect(database.$cells).toBeUndefined();
      expect(() => own.$cells(leak)).toThrow(/compares no "tenantId" with that tenant/);
    });
  });

  it('leaves the rows of other tenants unchanged in every call of a model', async () => {
    const before = await theirs();
    const where = { id };
    const data = { comment: 'changed' };
    const { file } = own;
    expect(await file.findFirst({ where })).toBeNull();
    await expect(file.findFirstOrThrow({ where })).rejects.toMatchObject({ code: 'P2025' });
    await expect(file.findUniqueOrThrow({ where })).rejects.toMatchObject({ code: 'P2025' });
    expect(await file.findMany({ where })).toEqual([]);
    expect(await file.count({ where })).toBe(0);
    expect(await file.aggregate({ where, _count: true })).toEqual({ _count: 0 });
    expect(await file.groupBy({ by: ['tenantId'], _count: true })).toEqual([{ tenantId, _count: 1 }]);
    await expect(file.update({ where, data })).rejects.toMatchObject({ code: 'P2025' });
    expect(await file.updateMany({ where, data })).toEqual({ count: 0 });
    expect(await file.updateManyAndReturn({ where, data })).toEqual([]);
    await expect(file.delete({ where })).rejects.toMatchObject({ code: 'P2025' });
    expect(await file.deleteMany({ where })).toEqual({ count: 0 });
    await own.$transaction(async (transaction) => {
      expect(await transaction.file.updateMany({ where, data })).toEqual({ count: 0 });
    });
    expect(await theirs()).toEqual(before);
  });

  it('lets the rows of a parent be read, never written', async () => {
    const parent = database.ofParent(stranger);
    const before = await theirs();
    expect(await parent.file.findUnique({ where: { id } })).toEqual(before);
    expect(await parent.$cells(sql`SELECT "id" FROM "File" WHERE "tenantId" = ${stranger}`)).toEqual([[id]]);
    expect(() => parent.$cells(sql`SELECT "id" FROM "File" WHERE "tenantId" = ${tenantId}`)).toThrow(/compares no "tenantId"/);
    const writing = database.ofParent(stranger) as unknown as TenantDatabase;
    const where = { id };
    const data = { comment: 'changed' };
    const change = sql`UPDATE "File" SET "comment" = 'x' WHERE "tenantId" = ${stranger}`;
    const writes = [
      () => writing.file.update({ where, data }),
      () => writing.file.updateMany({ where, data }),
      () => writing.file.updateManyAndReturn({ where, data }),
      () => writing.file.delete({ where }),
      () => writing.file.deleteMany({ where }),
      () => writing.file.createMany({ data: [] }),
      () => writing.$cells(change),
      () => writing.$queryRaw(change),
      () => writing.$executeRaw(change),
      () => writing.$atomically([change]),
      () => writing.$transaction([]),
      () => writing.acrossTenants('for no reason'),
    ];
    for (const write of writes) expect(write).toThrow(/read only/);
    expect(await theirs()).toEqual(before);
  });

  it('shows only the row of the tenant itself in the table of tenants', async () => {
    expect(await own.tenant.findMany({ select: { id: true } })).toEqual([{ id: tenantId }]);
    expect(await own.tenant.updateMany({ where: { name: { not: '' } }, data: { maxFiles: null } })).toEqual({ count: 1 });
    expect(() => own.tenant.findUnique({ where: { id: stranger } })).toThrow(/names another tenant/);
  });

  it('refuses a call that names another tenant, or writes its row', async () => {
    const row = { ...(await theirs()), id: 'new' };
    const foreign = /names another tenant/;
    expect(() => own.file.findMany({ where: { tenantId: stranger } })).toThrow(foreign);
    expect(() => own.file.updateMany({ where: {}, data: { tenantId: stranger } })).toThrow(foreign);
    expect(() => own.file.create({ data: row })).toThrow(foreign);
    expect(() => own.file.createMany({ data: [{ ...row, tenantId }, row] })).toThrow(foreign);
    expect(() => own.multipartPart.upsert({
      where: { uploadId_partNumber: { uploadId: 'u', partNumber: 1 } },
      create: { uploadId: 'u', partNumber: 1, tenantId, sizeBytes: 1n },
      update: {},
    })).toThrow(foreign); // prettier-ignore
  });

  it('runs a statement only if it compares a tenantId with the tenant, or inserts a row of it', async () => {
    const select = sql`SELECT f."id" FROM "File" AS f WHERE f."tenantId" = ${tenantId}`;
    const foreign = sql`SELECT f."id" FROM "File" AS f WHERE f."tenantId" = ${stranger} AND f."id" <> ${tenantId}`;
    const change = (tenant: string) => sql`UPDATE "File" SET "comment" = NULL WHERE "tenantId" = ${tenant} AND "id" = ${id}`;
    const count = (tenant: string) => sql`
      INSERT INTO "EmailValidationTotal" ("tenantId", "day", "mails") VALUES (${tenant}, '2000-01-01', 1)`;
    expect(await own.$cells(select)).toHaveLength(1);
    expect(await own.$queryRaw(select)).toHaveLength(1);
    expect(await own.$executeRaw(change(tenantId))).toBe(0);
    expect(await own.$executeRaw(count(tenantId))).toBe(1);
    const refusal = /compares no "tenantId" with that tenant/;
    for (const leak of [foreign, sql`SELECT ${raw('"tenantId"')} FROM "File"`, change(stranger), count(stranger)]) {
      expect(() => own.$cells(leak)).toThrow(refusal);
      expect(() => own.$queryRaw(leak)).toThrow(refusal);
      expect(() => own.$executeRaw(leak)).toThrow(refusal);
      expect(() => own.$atomically([select, leak])).toThrow(refusal);
      await expect(own.$cellsUpTo({ statement: leak, wanted: 'rows' }, 1)).rejects.toThrow(refusal);
      await own.$transaction(async (transaction) => expect(() => transaction.$executeRaw(leak)).toThrow(refusal));
    }
  });
});
