import { generateKeyPairSync, sign } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { AllTenants } from '../src/common/database/database.js';
import { timeOfId, uuidv7 } from '../src/common/base/ids.js';
// Past the API: a run of the sealer without its pause, and forged blocks.
import { blockHash, idsHashOf } from '../src/modules/document-log/seals/block.js';
import { canonicalJson } from '../src/common/base/json.js';
import { LeafService } from '../src/modules/document-log/records/leaf.service.js';
import { LogSealer } from '../src/modules/document-log/seals/log-sealer.job.js';
import { rootOf } from '../src/modules/document-log/records/merkle.js';
import type { Api } from './support/api.js';
import { allRowsOf } from './support/behind-the-api.js';
import { TestServer } from './support/server.js';

declare const databaseKind: string;

const VERIFY = `query($from:DateTime,$to:DateTime,$checkpoint:String){verifyLogs(from:$from,to:$to,checkpoint:$checkpoint){
  valid checkedRecords checkedBlocks unsealedRecords checkedTo brokenLogId brokenBlock reason}}`;
const PROOF = `query($id:ID!){logProof(id:$id){
  logId block leafIndex leafCount leafHash path root previousBlockHash blockHash}}`;
const FINE = { valid: true, checkedTo: null, brokenLogId: null, brokenBlock: null, reason: null };

describe('the seals of the log', () => {
  let server: TestServer;
  let database: AllTenants;
  beforeAll(async () => {
    server = await TestServer.start();
    database = allRowsOf('no API shows or forges the blocks of a log', server);
  });
  afterAll(() => server.stop());

  const apis = new Map<string, Api>();
  const store = async (tenantId: string, count: number): Promise<string[]> => {
    const input = Array.from({ length: count }, (_, index) => ({
      documentId: `d-${index}`,
      documentType: 'order',
      dateTime: new Date().toISOString(),
      attribute: { id: 'price', name: { en: 'Price' } },
      author: { id: 'a-1' },
      action: 'set',
      comment: 'ö "first"',
      custom2: 'two',
    }));
    const query = 'mutation($input:[CreateLogInput!]!){createLogBatch(input:$input){results{itemId}}}';
    const { createLogBatch } = await apis.get(tenantId)!.ask(query, { input });
    return createLogBatch.results.map(({ itemId }: { itemId: string }) => itemId);
  };
  const edit = async (id: string, field: 'comment' | 'custom1', value: string | null): Promise<string> => {
    const { tenantId } = await database.log.findUniqueOrThrow({ where: { id } });
    await apis
      .get(tenantId)!
      .ask('mutation($input:UpdateLogInput!){updateLog(input:$input){id}}', { input: { id, [field]: value } });
    return (await database.logEdit.findFirstOrThrow({ where: { logId: id }, orderBy: { seq: 'desc' } })).id;
  };
  const seal = () => server.app.get(LogSealer, { strict: false }).seal();
  /** Waits until a tenant's rows are sealed, by whichever node is first. */
  const sealed = async (tenantId: string) => {
    for (const end = Date.now() + 100_000; ;) {
      if (Date.now() > end) throw new Error('was not sealed in 100 s');
      await seal();
      const newest = await database.logBlock.findFirst({ where: { tenantId }, orderBy: { number: 'desc' } });
      const last = await database.log.findFirst({ where: { tenantId }, orderBy: { seq: 'desc' } });
      const lastEdit = await database.logEdit.findFirst({ where: { tenantId }, orderBy: { seq: 'desc' } });
      if (newest && newest.toSeq >= (last?.seq ?? 0n) && newest.toEditSeq >= (lastEdit?.seq ?? 0n)) return newest;
      await wait(20);
    }
  };
  const verify = async (api: Api, variables: object = {}) => (await api.ask(VERIFY, { ...variables })).verifyLogs;
  const run = (sql: string, ...values: unknown[]) => {
    let index = 0;
    const text = server.settings.DATABASE_URL ? sql.replace(/\?/g, () => `$${++index}`) : sql;
    return database.$executeRawUnsafe(text, ...values);
  };
  const newTenant = async () => {
    const name = `tenant-${uuidv7()}`;
    const api = await server.api('document-log', await server.createKey(undefined, name));
    const { id: tenantId } = await database.tenant.findFirstOrThrow({ where: { name } });
    apis.set(tenantId, api);
    return { api, tenantId };
  };
  /** Three blocks: of three records; of two more and an edit; of two more edits and a record. */
  const sealedLog = async () => {
    const { api, tenantId } = await newTenant();
    const ids = await store(tenantId, 3);
    await sealed(tenantId);
    ids.push(...(await store(tenantId, 2)));
    const edits = [await edit(ids[0]!, 'comment', 'second')];
    await sealed(tenantId);
    edits.push(await edit(ids[0]!, 'comment', null), await edit(ids[4]!, 'custom1', 'one'));
    ids.push(...(await store(tenantId, 1)));
    await sealed(tenantId);
    return { api, tenantId, ids, edits };
  };
  type SealedLog = Awaited<ReturnType<typeof sealedLog>>;

  let kept: SealedLog;
  /** One sealed log for all tests that alter one value, which is restored: creating a log takes longer than verifying it. */
  const keptLog = async () => {
    if (kept) {
      for (const table of ['Log', 'LogEdit'])
        await run(`DELETE FROM "${table}" WHERE "seq" IN (SELECT "seq" FROM "Kept${table}")`);
      await run('DELETE FROM "LogBlock" WHERE "tenantId" = ?', kept.tenantId);
      for (const table of ['Log', 'LogEdit', 'LogBlock']) await run(`INSERT INTO "${table}" SELECT * FROM "Kept${table}"`);
    } else {
      kept = await sealedLog();
      for (const table of ['Log', 'LogEdit', 'LogBlock'])
        await run(`CREATE TABLE "Kept${table}" AS SELECT * FROM "${table}" WHERE "tenantId" = '${kept.tenantId}'`);
    }
    expect(await verify(kept.api)).toMatchObject(FINE);
    return kept;
  };

  it('verify a log with edits, sealed and not yet sealed', async () => {
    const { api, tenantId } = await sealedLog();
    const whole = await verify(api);
    expect(whole).toMatchObject({ ...FINE, checkedRecords: 6, unsealedRecords: 0 });
    expect(whole.checkedBlocks).toBeGreaterThanOrEqual(3);
    await store(tenantId, 2);
    expect(await verify(api)).toMatchObject({ ...FINE, checkedRecords: 8 });
  });

  it('verify an empty log, which has no seal', async () => {
    const { api } = await newTenant();
    expect(await verify(api)).toMatchObject({ ...FINE, checkedRecords: 0, checkedBlocks: 0 });
    expect((await api.ask('{latestSeal}')).latestSeal).toBeNull();
  });

  const COLUMNS: Record<string, unknown> = {
    id: '018f0000-0000-7000-8000-000000000000',
    tenantId: 'another',
    documentId: 'another',
    documentType: 'another',
    attributeId: 'another',
    authorId: 'another',
    action: null,
    comment: 'another',
    custom1: 'another',
    custom2: null,
    details: '{}',
    editCount: 7,
    leafHash: 'A'.repeat(43),
    mac: 'A'.repeat(43),
  };
  it.each(Object.keys(COLUMNS))('name a record whose %s was altered', async (column) => {
    const { api, ids } = await keptLog();
    const id = ids[1]!;
    const value = column === 'id' ? uuidv7() : COLUMNS[column];
    await run(`UPDATE "Log" SET "${column}" = ? WHERE "id" = ?`, value, id);
    const result = await verify(api);
    expect(result).toMatchObject({
      valid: false,
      brokenBlock: null,
      reason: expect.stringMatching(/changed|inserted|moved|removed/),
    });
    expect([id, value]).toContain(result.brokenLogId);
  });

  it.each(['dateTime', 'createdAt', 'updateAt'])('name a record whose %s was altered', async (column) => {
    const { api, ids } = await keptLog();
    await database.log.update({ where: { id: ids[1]! }, data: { [column]: new Date(1) } });
    expect(await verify(api)).toMatchObject({ valid: false, brokenLogId: ids[1] });
  });

  const TIMES = ['dateTime', 'createdAt', 'updateAt'];
  const STRANGE =
    databaseKind === 'postgresql'
      ? TIMES.flatMap((column) => ["'infinity'", "'0044-03-15 BC'"].map((value) => [column, value]))
      : [
          ...[...Object.keys(COLUMNS), ...TIMES].map((column) => [column, "x'00'"]),
          ['id', 'CAST("id" AS blob)'],
          ...TIMES.flatMap((column) => ["'soon'", '9e18'].map((value) => [column, value])),
        ];
  it.each(STRANGE)('name a record whose %s became %s, which cannot stand there', async (column, value) => {
    const { api, ids } = await keptLog();
    await run(`UPDATE "Log" SET "${column}" = ${value} WHERE "id" = ?`, ids[1]);
    expect(await verify(api)).toMatchObject({ valid: false, brokenLogId: column === 'id' ? expect.any(String) : ids[1] });
  });

  const seqOf = async (id: string) => (await database.log.findUniqueOrThrow({ where: { id } })).seq;
  const setSeq = (id: string, seq: bigint) => run('UPDATE "Log" SET "seq" = ? WHERE "id" = ?', seq, id);
  it.each([
    ['one block', 0, 1],
    ['two blocks', 0, 4],
  ])('name a record when two of %s were swapped', async (_, first, second) => {
    const { api, ids } = await sealedLog();
    const [a, b] = [ids[first]!, ids[second]!];
    const [seqA, seqB] = [await seqOf(a), await seqOf(b)];
    await setSeq(a, -5n);
    await setSeq(b, seqA);
    await setSeq(a, seqB);
    const result = await verify(api);
    expect(result).toMatchObject({ valid: false });
    expect([a, b]).toContain(result.brokenLogId);
  });

  it('name a record that was moved behind the end, and before the beginning', async () => {
    for (const seq of [4_000_000n, -4n]) {
      const { api, ids } = await sealedLog();
      const old = await seqOf(ids[1]!);
      await setSeq(ids[1]!, seq);
      const result = await verify(api);
      expect(result).toMatchObject({ valid: false, reason: expect.stringMatching(/moved/) });
      expect(ids.slice(0, 2)).toContain(result.brokenLogId); // moved before the first, it is the first that stands wrong
      await seal();
      await setSeq(ids[1]!, old);
      expect(await verify(api)).toMatchObject(FINE);
    }
  });

  it.each([
    ['in the middle', 1],
    ['last of its block', 2],
    ['last of all', 5],
  ])('name a record that was deleted %s', async (_, index) => {
    const { api, ids } = await sealedLog();
    await run('DELETE FROM "Log" WHERE "id" = ?', ids[index]);
    expect(await verify(api)).toMatchObject({
      valid: false,
      brokenLogId: ids[index],
      reason: expect.stringMatching(/removed/),
    });
  });

  const insertCopy = async (id: string, changes: object) => {
    const log = await database.log.findUniqueOrThrow({ where: { id } });
    const copy = { ...log, id: uuidv7(), ...changes };
    await database.log.create({ data: copy });
    return copy.id;
  };
  it('name a record that was inserted at a free seq, with hashes that were copied or computed without the key', async () => {
    for (const isComputed of [false, true]) {
      const { api, tenantId, ids } = await sealedLog();
      const free = { seq: -BigInt(Date.now()) };
      const id = await insertCopy(ids[1]!, free);
      if (isComputed) {
        const log = await database.log.findUniqueOrThrow({ where: { id } });
        const { leafHash } = server.app.get(LeafService, { strict: false }).leafOfLog(log);
        await run('UPDATE "Log" SET "leafHash" = ? WHERE "id" = ?', leafHash, id);
      }
      const result = await verify(api);
      expect(result).toMatchObject({ valid: false, brokenLogId: id });
      expect(await database.log.count({ where: { tenantId } })).toBe(7);
    }
  });

  it('name a record that was inserted at the end, do not seal it, and count it', async () => {
    const { api, tenantId, ids } = await sealedLog();
    const id = await insertCopy(ids[1]!, { seq: undefined });
    await store(tenantId, 1);
    const block = await sealed(tenantId);
    expect(block.leafIds).not.toContain(id);
    expect(server.logLines.filter((line) => line.includes(id))).toHaveLength(1);
    expect(await verify(api)).toMatchObject({ valid: false, brokenLogId: id });
    const metrics = await (await fetch(`${server.address}/metrics`)).text();
    expect(metrics).toMatch(/log_seal_refusals_total [1-9]/);
    await run('DELETE FROM "Log" WHERE "id" = ?', id);
    expect(await verify(api)).toMatchObject(FINE);
  });

  if (databaseKind === 'sqlite') {
    it('continue past records and blocks with binary values in place of texts and numbers', async () => {
      const { tenantId, ids } = await sealedLog();
      const strange: string[] = [];
      for (const column of ['tenantId', 'leafHash', 'mac', 'id']) {
        const id = await insertCopy(ids[1]!, { seq: undefined });
        await run(`UPDATE "Log" SET "${column}" = randomblob(16) WHERE "id" = ?`, id);
        strange.push(id);
      }
      await run('UPDATE "LogBlock" SET "toSeq" = x\'00\' WHERE "tenantId" = ? AND "number" = 0', tenantId);
      const other = await newTenant();
      const [id] = await store(other.tenantId, 1);
      expect((await sealed(other.tenantId)).leafIds).toContain(id);
      expect(await verify(other.api)).toMatchObject(FINE);
      await run(`DELETE FROM "Log" WHERE typeof("id") = 'blob' OR "id" IN (${strange.map(() => '?').join()})`, ...strange);
    });
  }

  it.each(['id', 'logId', 'field', 'oldValue', 'newValue', 'leafHash', 'mac', 'tenantId', 'dateTime'])(
    'name the record of an edit whose %s was altered',
    async (column) => {
      const { api, ids, edits } = await keptLog();
      const value = { logId: ids[1], dateTime: new Date(5), field: 'custom2', id: uuidv7() }[column] ?? 'another';
      await database.logEdit.update({ where: { id: edits[0]! }, data: { [column]: value } });
      const result = await verify(api);
      expect(result).toMatchObject({ valid: false });
      expect(column === 'logId' ? [ids[0], ids[1]] : [ids[0]]).toContain(result.brokenLogId);
    },
  );

  it.each(
    databaseKind === 'postgresql'
      ? [['dateTime', "'infinity'"]]
      : ['id', 'logId', 'field', 'oldValue', 'newValue', 'leafHash', 'mac', 'tenantId', 'dateTime'].map((column) => [
          column,
          "x'00'",
        ]),
  )('name the record of an edit whose %s became %s, which cannot stand there', async (column, value) => {
    const { api, ids, edits } = await keptLog();
    await run(`UPDATE "LogEdit" SET "${column}" = ${value} WHERE "id" = ?`, edits[0]);
    expect(await verify(api)).toMatchObject({ valid: false, brokenLogId: ids[0] });
  });

  it('name the record of an edit that was undone', async () => {
    const { api, ids, edits } = await sealedLog();
    await database.logEdit.delete({ where: { id: edits[2]! } });
    await database.log.update({ where: { id: ids[4]! }, data: { custom1: null, editCount: 0, updateAt: null } });
    expect(await verify(api)).toMatchObject({
      valid: false,
      brokenLogId: ids[4],
      reason: expect.stringMatching(/Edit .* removed/),
    });
  });

  it('name the record of an edit that was inserted', async () => {
    const { api, ids, edits } = await sealedLog();
    const copy = await database.logEdit.findUniqueOrThrow({ where: { id: edits[2]! } });
    const forged = { ...copy, seq: undefined, id: uuidv7(), oldValue: 'one', newValue: 'forged', dateTime: new Date() };
    const { leafHash } = server.app.get(LeafService, { strict: false }).leafOfEdit(forged);
    await database.logEdit.create({ data: { ...forged, leafHash } });
    await database.log.update({ where: { id: ids[4]! }, data: { custom1: 'forged', editCount: 2, updateAt: forged.dateTime } });
    expect(await verify(api)).toMatchObject({ valid: false, brokenLogId: ids[4] });
  });

  const blockOf = async (tenantId: string, number: number) => ({
    where: { tenantId_number: { tenantId, number } },
    data: await database.logBlock.findUniqueOrThrow({ where: { tenantId_number: { tenantId, number } } }),
  });
  /** Everything that can be computed without SECRET_KEY, signed with another key. */
  const forge = (block: Awaited<ReturnType<typeof blockOf>>['data']) => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const full = { ...block, idsHash: idsHashOf(block.leafIds), hash: blockHash(block) };
    const text = canonicalJson({
      hash: full.hash,
      idsHash: full.idsHash,
      sealedAt: full.sealedAt.toISOString(),
      type: 'block',
      toEditSeq: String(full.toEditSeq),
      toSeq: String(full.toSeq),
    });
    return { ...full, signature: sign(null, Buffer.from(text), privateKey).toString('base64url') };
  };

  it.each(['toSeq', 'toEditSeq', 'leafCount', 'leafIds', 'idsHash', 'root', 'previousHash', 'hash', 'signature', 'sealedAt'])(
    'name a block whose %s was altered',
    async (column) => {
      const { api, tenantId } = await keptLog();
      const { where, data } = await blockOf(tenantId, 1);
      const other = { toSeq: data.toSeq - 1n, toEditSeq: data.toEditSeq - 1n, leafCount: 9, sealedAt: new Date(5) };
      const value =
        (other as Record<string, unknown>)[column] ?? (column === 'leafIds' ? '{"edits":[],"logs":[]}' : 'A'.repeat(43));
      await database.logBlock.update({ where, data: { [column]: value } });
      expect(await verify(api)).toMatchObject({ valid: false, brokenBlock: 1, brokenLogId: null });
    },
  );

  const BLOCK = [
    'toSeq', 'toEditSeq', 'leafCount', 'leafIds', 'idsHash', 'root', 'previousHash', 'hash', 'signature', 'sealedAt', 'number', 'tenantId',
  ]; // prettier-ignore
  const STRANGE_IN_BLOCKS =
    databaseKind === 'postgresql'
      ? [['sealedAt', "'infinity'"]]
      : BLOCK.flatMap((column) => ["x'00'", "'soon'", '9e18', '1.5'].map((value) => [column, value]));
  it.each(STRANGE_IN_BLOCKS)('name a block whose %s became %s, which cannot stand there', async (column, value) => {
    const { api, tenantId } = await keptLog();
    await run(`UPDATE "LogBlock" SET "${column}" = ${value} WHERE "tenantId" = ? AND "number" = 1`, tenantId);
    const result = await verify(api);
    expect(result).toMatchObject({ valid: false, brokenLogId: null });
    // An invalid number is reported as -1.
    expect(column === 'number' ? [1, -1] : [1]).toContain(result.brokenBlock);
  });

  it('name a block rebuilt around a deleted record and signed with another key', async () => {
    const { api, tenantId, ids } = await sealedLog();
    await run('DELETE FROM "Log" WHERE "id" = ?', ids[1]);
    const { where, data } = await blockOf(tenantId, 0);
    const left = await database.log.findMany({ where: { tenantId, seq: { lte: data.toSeq } }, orderBy: { seq: 'asc' } });
    const hashes = left.map(({ leafHash }) => Buffer.from(leafHash, 'base64url'));
    const leafIds = JSON.stringify({ edits: [], logs: left.map(({ id }) => id) });
    const root = rootOf(hashes).toString('base64url');
    await database.logBlock.update({ where, data: forge({ ...data, leafIds, leafCount: left.length, root }) });
    expect(await verify(api)).toMatchObject({ valid: false, brokenBlock: 0 });
  });

  const deleteBlock = async ({ tenantId }: SealedLog, number: number, withRecords: boolean) => {
    const { where, data } = await blockOf(tenantId, number);
    const { logs } = JSON.parse(data.leafIds) as { logs: string[] };
    if (withRecords) await database.log.deleteMany({ where: { id: { in: logs } } });
    await database.logBlock.delete({ where });
  };
  it.each([
    [0, true],
    [1, false],
    [1, true],
  ])('name block %i that was deleted, with its records: %s', async (number, withRecords) => {
    const log = await sealedLog();
    await deleteBlock(log, number, withRecords);
    expect(await verify(log.api)).toMatchObject({ valid: false, brokenBlock: number, reason: expect.stringMatching(/removed/) });
  });

  it('detect a truncated log with the checkpoint', async () => {
    const log = await sealedLog();
    const checkpoint = (await log.api.ask('{latestSeal}')).latestSeal;
    expect(await verify(log.api, { checkpoint })).toMatchObject(FINE);
    const newest = await database.logBlock.count({ where: { tenantId: log.tenantId } });
    const [, ...late] = log.edits;
    for (let number = newest - 1; number >= 2; number--) await deleteBlock(log, number, true);
    await database.logEdit.deleteMany({ where: { id: { in: late } } });
    const first = await database.logEdit.findUniqueOrThrow({ where: { id: log.edits[0]! } });
    await database.log.update({
      where: { id: log.ids[0]! },
      data: { comment: 'second', editCount: 1, updateAt: first.dateTime },
    });
    await database.log.update({ where: { id: log.ids[4]! }, data: { custom1: null, editCount: 0, updateAt: null } });
    expect(await verify(log.api)).toMatchObject(FINE);
    expect(await verify(log.api, { checkpoint })).toMatchObject({
      valid: false,
      brokenBlock: newest - 1,
      reason: expect.stringMatching(/truncated/),
    });
    await store(log.tenantId, 1);
    await sealed(log.tenantId);
    for (let number = 2; number < newest - 1; number++) {
      await store(log.tenantId, 1);
      await sealed(log.tenantId);
    }
    const replaced = await verify(log.api, { checkpoint });
    expect(replaced).toMatchObject({ valid: false, brokenBlock: newest - 1, reason: expect.stringMatching(/replaced/) });
  });

  it('refuse a checkpoint that is damaged or another tenant’s, and a range that ends before it begins', async () => {
    const [{ api }, other] = [await sealedLog(), await sealedLog()];
    const { latestSeal } = await api.ask('{latestSeal}');
    const foreign = (await other.api.ask('{latestSeal}')).latestSeal;
    for (const checkpoint of ['', '.', 'a.b', `${latestSeal}x.`, `x${latestSeal}`, latestSeal.slice(0, -9), foreign]) {
      expect(await api.refusal(VERIFY, { checkpoint })).toMatchObject({ code: 'BAD_USER_INPUT', field: 'checkpoint' });
    }
    const range = { from: '2026-01-02', to: '2026-01-01' };
    expect(await api.refusal(VERIFY, range)).toMatchObject({ code: 'BAD_USER_INPUT', field: 'to' });
  });

  it('sign no checkpoint of a forged block, and continue past blocks forged to stop the sealing', async () => {
    const { api, tenantId } = await sealedLog();
    const { where, data } = await blockOf(tenantId, 2);
    await database.logBlock.update({ where, data: forge({ ...data, root: 'A'.repeat(43) }) });
    const newest = await database.logBlock.findFirstOrThrow({ where: { tenantId }, orderBy: { number: 'desc' } });
    if (newest.number === 2) expect((await api.refusal('{latestSeal}')).code).toBe('FAILED_PRECONDITION');
    const far = { ...forge({ ...data, toSeq: 10n ** 15n }), tenantId: 'forged' };
    await database.logBlock.create({ data: far });
    const other = await newTenant();
    await store(other.tenantId, 2);
    await sealed(other.tenantId);
    expect(await verify(other.api)).toMatchObject({ ...FINE, checkedRecords: 2, unsealedRecords: 0 });
    await database.logBlock.deleteMany({ where: { tenantId: 'forged' } });
  });

  it('prove a record to anyone with its content and the checkpoint, once it is sealed', async () => {
    const { api, tenantId } = await newTenant();
    const ids = await store(tenantId, 5);
    await sealed(tenantId);
    for (const id of ids) {
      const { logProof: proof } = await api.ask(PROOF, { id });
      const { leafCount, block, previousBlockHash: previousHash, root } = proof;
      expect(proof).toMatchObject({ logId: id });
      expect(blockHash({ tenantId, number: block, leafCount, previousHash, root })).toBe(proof.blockHash);
    }
    const other = await newTenant();
    expect((await other.api.refusal(PROOF, { id: ids[0] })).code).toBe('NOT_FOUND');
    expect((await api.refusal(PROOF, { id: uuidv7() })).code).toBe('NOT_FOUND');
  });

  it('verify a range in several calls, and read only the blocks that can hold it', async () => {
    const { api, ids } = await sealedLog();
    const at = new Date(timeOfId(ids[5]!)).toISOString();
    const ranged = await verify(api, { from: at });
    expect(ranged).toMatchObject(FINE);
    expect(ranged.checkedRecords).toBeLessThan(6);
    expect(await verify(api, { to: '2020-01-01' })).toMatchObject({ ...FINE, checkedRecords: 0 });
    expect(await verify(api, { from: '2099-01-01' })).toMatchObject({ ...FINE, checkedRecords: 0 });
  });

  it('neither fork nor leave a gap when several nodes seal concurrently', async () => {
    const { api, tenantId } = await newTenant();
    for (let round = 0; round < 5; round++) {
      await Promise.all([store(tenantId, 5), seal(), seal(), seal(), seal()]);
      await Promise.all([seal(), seal(), seal()]);
    }
    await sealed(tenantId);
    const blocks = await database.logBlock.findMany({ where: { tenantId }, orderBy: { number: 'asc' } });
    expect(blocks.map(({ number }) => number)).toEqual(blocks.map((_, index) => index));
    expect(await verify(api)).toMatchObject({ ...FINE, checkedRecords: 25, unsealedRecords: 0 });
    expect(server.logLines.filter((line) => line.includes('background work failed'))).toEqual([]);
  });
});
