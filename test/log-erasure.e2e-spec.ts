// @nightly: many logs, and a node that is killed
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { AllTenants } from '../src/common/database/database.js';
// Past the API: runs of the jobs in small steps, and the verifier without a process for each bundle.
import { BundleVerifier } from '../src/modules/document-log/verification/bundle-verifier.js';
import { LogErasureService } from '../src/modules/document-log/retention/log-erasure.service.js';
import { LogRetentionService } from '../src/modules/document-log/retention/log-retention.service.js';
import { LogSealer } from '../src/modules/document-log/seals/log-sealer.job.js';
import { allRowsOf } from './support/behind-the-api.js';
import { DocumentLog } from './support/document-log.js';
import { verifyBundle } from './support/independent-verifier.js';

const VERIFY = `query($from:DateTime,$to:DateTime,$checkpoint:String){verifyLogs(from:$from,to:$to,checkpoint:$checkpoint){
  valid checkedRecords erasedRecords removedRecords unsealedRecords brokenLogId brokenBlock reason}}`;
const INTACT = { valid: true, brokenLogId: null, brokenBlock: null, reason: null };
const CHILD = fileURLToPath(new URL('./support/retention-child.mjs', import.meta.url));
const ANN = { author: { id: 'ann', name: 'Ann Secret' }, comment: 'secret comment', custom1: 'secret', custom2: 'secret too' };

/** Whole words, since hashes in base64url contain any three letters now and then. */
const OF_ANN = /secret|(?<![\w-])(ann|k-1)(?![\w-])/i;

describe('the log', () => {
  let log: DocumentLog;
  let database: AllTenants;
  let publicKey: string;
  beforeAll(async () => {
    log = await DocumentLog.start();
    database = allRowsOf('no API shows the hashes and blocks of a log or forges them', log.server);
    const response = await fetch(`${log.server.address}/.well-known/platform-services/document-log-keys`);
    publicKey = ((await response.json()) as { keys: [{ x: string }] }).keys[0].x;
  });
  afterAll(() => log.stop());

  const get = <T>(type: new (...args: never[]) => T): T => log.server.app.get(type, { strict: false });
  const run = (sql: string, ...values: unknown[]) => {
    let index = 0;
    const text = log.server.settings.DATABASE_URL ? sql.replace(/\?/g, () => `$${++index}`) : sql;
    return database.$executeRawUnsafe(text, ...values);
  };
  const verify = async (own: DocumentLog, variables: object = {}) => (await own.api.ask(VERIFY, { ...variables })).verifyLogs;
  const latest = async (own: DocumentLog): Promise<string> => (await own.api.ask('{latestSeal}')).latestSeal;
  const bundle = async (own: DocumentLog, query = '') => (await own.export(`?format=bundle${query}`)).text();
  const check = (text: string, checkpoints: string[] = []) => {
    const verifier = new BundleVerifier({ publicKeys: [publicKey], checkpoints });
    for (const line of text.split('\n').slice(0, -1)) verifier.readLine(line);
    return verifier.finish();
  };
  /** Waits until everything of a tenant is sealed, by whichever node is first. */
  const sealed = async (tenantId: string) => {
    for (const end = Date.now() + 100_000; ; await wait(20)) {
      if (Date.now() > end) throw new Error('was not sealed in 100 s');
      await get(LogSealer).seal();
      const orderBy = { seq: 'desc' } as const;
      const newest = await database.logBlock.findFirst({ where: { tenantId }, orderBy: { number: 'desc' } });
      const last = await database.log.findFirst({ where: { tenantId }, orderBy });
      const lastEdit = await database.logEdit.findFirst({ where: { tenantId }, orderBy });
      if (newest && newest.toSeq >= (last?.seq ?? 0n) && newest.toEditSeq >= (lastEdit?.seq ?? 0n)) return newest;
    }
  };
  /** Two records of Ann, one of them edited, and one of Bob, in three blocks. */
  const example = async () => {
    const own = await log.another();
    const first = await own.create({ ...ANN, attribute: { id: 'price' }, idempotencyKey: 'k-1' });
    const tenantId = await log.server.tenantIdOf(own.api);
    await sealed(tenantId);
    const second = await own.create({ ...ANN, documentId: 'd-2' });
    const bob = await own.create({ author: { id: 'bob' }, comment: 'of Bob' });
    await sealed(tenantId);
    await own.update(first.id, { comment: 'another secret', custom1: null });
    await sealed(tenantId);
    const checkpoint = await latest(own);
    return { own, tenantId, ids: [first.id, second.id], bob: bob.id as string, checkpoint };
  };
  const erase = (tenantId: string, limit = 100) => get(LogErasureService).erase(tenantId, { authorId: 'ann' }, { limit });
  const remove = (tenantId: string, olderThan = new Date(Date.now() + 1_000), limit = 100) =>
    get(LogRetentionService).remove(tenantId, olderThan, { limit });
  const rowsOf = async (tenantId: string) => {
    const where = { tenantId };
    return JSON.stringify([await database.log.findMany({ where }), await database.logEdit.findMany({ where })], (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
  };

  describe('with an erased person', () => {
    it('has no data of that person, and verifies with the earlier checkpoint, as does its bundle', async () => {
      const { own, tenantId, ids, bob, checkpoint } = await example();
      const hash = (await database.log.findUniqueOrThrow({ where: { id: ids[0]! } })).leafHash;
      expect(await erase(tenantId)).toEqual({ erased: 2, more: false });
      expect(await rowsOf(tenantId)).not.toMatch(OF_ANN);
      expect(await verify(own, { checkpoint })).toMatchObject({ ...INTACT, checkedRecords: 3, erasedRecords: 2 });
      await sealed(tenantId);
      expect(await verify(own, { checkpoint })).toMatchObject({
        ...INTACT,
        checkedRecords: 3,
        erasedRecords: 2,
        unsealedRecords: 0,
      });
      expect((await database.log.findUniqueOrThrow({ where: { id: ids[0]! } })).leafHash).toBe(hash);
      const shown = await own.find(ids[0]!);
      expect(shown).toMatchObject({
        documentId: 'd1',
        attributeId: 'price',
        authorId: null,
        author: null,
        comment: null,
        custom1: null,
      });
      expect(shown.edits).toHaveLength(2);
      expect(shown.edits[0]).toMatchObject({ oldValue: null, newValue: null });
      expect((await own.page({ authorId: 'ann' })).items).toEqual([]);
      expect((await own.find(bob)).comment).toBe('of Bob');
      const { logs } = await own.api.ask('{logs{items{id erasedAt}}}');
      expect(
        logs.items
          .filter(({ erasedAt }: { erasedAt: unknown }) => erasedAt)
          .map(({ id }: { id: string }) => id)
          .sort(),
      ).toEqual(ids.toSorted());
      const text = await bundle(own);
      expect(text).not.toMatch(/secret|"ann"/i);
      expect(check(text, [checkpoint])).toMatchObject({ records: 3, erasedRecords: 2, hidden: 0 });
      expect(verifyBundle(text, publicKey, [checkpoint]).filter(({ type }) => type === 'log')).toHaveLength(3);
      const { logProof } = await own.api.ask(`{logProof(id:"${ids[0]}"){content personal salt leafHash}}`);
      expect(logProof).toMatchObject({ personal: null, salt: null, leafHash: hash });
      expect(JSON.parse(logProof.content)).toMatchObject({ id: ids[0], documentId: 'd1', personalHash: expect.any(String) });
    });

    it('is erased in bounded steps, once', async () => {
      const { own, tenantId } = await example();
      expect(await erase(tenantId, 1)).toEqual({ erased: 1, more: true });
      expect(await erase(tenantId, 1)).toEqual({ erased: 1, more: false });
      expect(await erase(tenantId, 1)).toEqual({ erased: 0, more: false });
      await sealed(tenantId);
      expect(await verify(own)).toMatchObject({ ...INTACT, erasedRecords: 2 });
    });

    it('has each record erased once under concurrent requests, and none of another tenant', async () => {
      const [{ own, tenantId }, other] = await Promise.all([example(), example()]);
      const steps = await Promise.all(Array.from({ length: 5 }, () => erase(tenantId)));
      expect(steps.reduce((sum, { erased }) => sum + erased, 0)).toBe(2);
      expect(await database.logEdit.count({ where: { tenantId, field: 'erased' } })).toBe(2);
      expect(await verify(own)).toMatchObject({ ...INTACT, erasedRecords: 2 });
      expect(await verify(other.own)).toMatchObject({ ...INTACT, erasedRecords: 0 });
      expect(await other.own.find(other.ids[0]!)).toMatchObject({ authorId: 'ann', comment: 'another secret' });
    });

    it('refuses edits of an erased record, and accepts its idempotency key for a new record', async () => {
      const { own, tenantId, ids } = await example();
      await erase(tenantId);
      const update = 'mutation($input:UpdateLogInput!){updateLog(input:$input){id}}';
      expect(await own.api.refusal(update, { input: { id: ids[0], comment: 'x' } })).toMatchObject({
        code: 'FAILED_PRECONDITION',
      });
      const again = await own.create({ ...ANN, attribute: { id: 'price' }, idempotencyKey: 'k-1' });
      expect(again.id).not.toBe(ids[0]);
    });
  });

  describe('exposes a change disguised as an erasure', () => {
    const EMPTY = `"authorId" = NULL, "comment" = NULL, "custom1" = NULL, "custom2" = NULL, "details" = '{}', "salt" = NULL`;
    const now = () => (log.server.settings.DATABASE_URL ? new Date() : Date.now());

    it.each([
      ['nulls its values', `UPDATE "Log" SET ${EMPTY} WHERE "id" = ?`, []],
      ['nulls its salt', 'UPDATE "Log" SET "salt" = NULL WHERE "id" = ?', []],
      ['sets another salt', `UPDATE "Log" SET "salt" = 'AAAAAAAAAAAAAAAAAAAAAA' WHERE "id" = ?`, []],
      ['changes a personal value', `UPDATE "Log" SET "custom2" = 'x' WHERE "id" = ?`, []],
      ['makes it a leaf without salt', 'UPDATE "Log" SET "salt" = NULL, "personalHash" = NULL WHERE "id" = ?', []],
      ['marks it as erased', `UPDATE "Log" SET ${EMPTY}, "erasedAt" = ? WHERE "id" = ?`, ['now']],
      [
        'nulls the texts of its edits',
        'UPDATE "LogEdit" SET "oldValue" = NULL, "newValue" = NULL, "salt" = NULL WHERE "logId" = ?',
        [],
      ],
    ])('%s', async (_, sql, values) => {
      const { own, ids } = await example();
      await run(sql, ...values.map(now), ids[0]);
      expect(await verify(own)).toMatchObject({ valid: false, brokenLogId: ids[0] });
      const text = await bundle(own);
      expect(() => check(text)).toThrow();
      expect(() => verifyBundle(text, publicKey)).toThrow();
    });

    it('by a forged edit, or by that of another record', async () => {
      const { own, tenantId, ids, bob } = await example();
      await erase(tenantId);
      await sealed(tenantId);
      const edit = await database.logEdit.findFirstOrThrow({ where: { logId: ids[0]!, field: 'erased' } });
      await run(
        `UPDATE "Log" SET ${EMPTY}, "erasedAt" = ? WHERE "id" = ?`,
        log.server.settings.DATABASE_URL ? edit.dateTime : edit.dateTime.getTime(),
        bob,
      );
      const { seq, ...forged } = { ...edit, id: edit.id.replace(/.$/, 'x'), logId: bob };
      expect(seq).toBeDefined();
      await database.logEdit.create({ data: forged });
      await get(LogSealer).seal();
      expect(await verify(own)).toMatchObject({ valid: false, brokenLogId: bob });
    });

    it('by giving an erased record values again, in whole or in part', async () => {
      const { own, tenantId, ids } = await example();
      const before = await database.log.findUniqueOrThrow({ where: { id: ids[1]! } });
      await erase(tenantId);
      await sealed(tenantId);
      const { seq, ...values } = before;
      expect(seq).toBeDefined();
      await database.log.update({ where: { id: ids[1]! }, data: values });
      expect(await verify(own)).toMatchObject({ valid: false, brokenLogId: ids[1] });
      await database.log.update({ where: { id: ids[1]! }, data: { comment: 'forged' } });
      expect(await verify(own)).toMatchObject({ valid: false, brokenLogId: ids[1] });
    });

    it('by removing the edit that seals the erasure', async () => {
      const { own, tenantId, ids } = await example();
      await erase(tenantId);
      await sealed(tenantId);
      await run(`DELETE FROM "LogEdit" WHERE "logId" = ? AND "field" = 'erased'`, ids[0]);
      expect(await verify(own)).toMatchObject({ valid: false, brokenLogId: ids[0] });
      const text = await bundle(own);
      expect(() => check(text)).toThrow();
    });
  });

  describe('after a retention', () => {
    it('has only newer records, and verifies with the earlier checkpoint, as does its bundle', async () => {
      const { own, tenantId, ids, bob, checkpoint } = await example();
      const boundary = new Date(Date.now() + 1);
      await wait(10);
      const young = await own.create({ documentId: 'young' });
      await sealed(tenantId);
      expect(await remove(tenantId, boundary)).toMatchObject({ removed: 3 });
      expect(await remove(tenantId, boundary)).toEqual({ removed: 0, more: false });
      expect((await own.page()).items.map(({ id }: { id: string }) => id)).toEqual([young.id]);
      expect(await rowsOf(tenantId)).not.toMatch(OF_ANN);
      expect(await verify(own, { checkpoint })).toMatchObject({ ...INTACT, checkedRecords: 1, removedRecords: 3 });
      const text = await bundle(own);
      expect(check(text, [checkpoint])).toMatchObject({ records: 1, removedBlocks: 3 });
      verifyBundle(text, publicKey, [checkpoint]);
      const { logConsistency } = await own.api.ask(
        'query($from:String!,$to:String!){logConsistency(from:$from,to:$to){toBlock}}',
        {
          from: checkpoint,
          to: await latest(own),
        },
      );
      expect(logConsistency.toBlock).toBeGreaterThan(0);
      expect((await own.api.ask(`{logProof(id:"${young.id}"){block}}`)).logProof.block).toBeGreaterThan(0);
      for (const id of [...ids, bob])
        expect(await own.api.refusal(`{logProof(id:"${id}"){block}}`)).toMatchObject({ code: 'NOT_FOUND' });
    });

    it('is removed in bounded steps, without young or unsealed records and those of another tenant', async () => {
      const [{ own, tenantId }, other] = await Promise.all([example(), example()]);
      expect(await remove(tenantId, new Date(0))).toEqual({ removed: 0, more: false });
      const steps = [];
      for (let more = true; more;) {
        const step = await remove(tenantId, undefined, 1);
        steps.push(step.removed);
        ({ more } = step);
      }
      expect(steps.reduce((sum, count) => sum + count, 0)).toBe(3);
      await own.create();
      expect(await verify(own)).toMatchObject({ ...INTACT, checkedRecords: 1, removedRecords: 3 });
      await sealed(tenantId);
      expect(await remove(tenantId, undefined, 1)).toMatchObject({ removed: 1 });
      expect(await verify(own)).toMatchObject({ ...INTACT, checkedRecords: 0, removedRecords: 4 });
      check(await bundle(own));
      expect(await verify(other.own)).toMatchObject({ ...INTACT, checkedRecords: 3, removedRecords: 0 });
    });

    it('loses the texts of later edits of removed records', async () => {
      const { own, tenantId } = await example();
      const first = await database.logBlock.findFirstOrThrow({ where: { tenantId, number: 0 } });
      expect(await remove(tenantId, undefined, 1)).toMatchObject({ removed: 1, more: true });
      expect(await database.log.count({ where: { tenantId, seq: { lte: first.toSeq } } })).toBe(0);
      const edits = await database.logEdit.findMany({ where: { tenantId } });
      expect(edits.map(({ oldValue, newValue, salt }) => [oldValue, newValue, salt])).toEqual([
        [null, null, null],
        [null, null, null],
      ]);
      expect(await verify(own)).toMatchObject({ ...INTACT, checkedRecords: 2, removedRecords: 1 });
      check(await bundle(own));
      verifyBundle(await bundle(own), publicKey);
    });

    it('includes an erased person, whose erasure then belongs to removed records', async () => {
      const { own, tenantId, checkpoint } = await example();
      await erase(tenantId);
      await sealed(tenantId);
      while ((await remove(tenantId, undefined, 2)).more);
      expect(await verify(own, { checkpoint })).toMatchObject({ ...INTACT, removedRecords: 3, erasedRecords: 0 });
      check(await bundle(own), [checkpoint]);
    });

    it('exposes a record that was removed beyond the horizon, and a horizon that was moved, forged or hidden', async () => {
      const { own, tenantId, bob } = await example();
      await remove(tenantId, undefined, 1);
      const { number, horizon, ...block } = await database.logBlock.findFirstOrThrow({
        where: { tenantId, horizon: { not: null } },
      });
      const to = (text: string | null, at = number) =>
        database.logBlock.update({ where: { tenantId_number: { tenantId, number: at } }, data: { horizon: text } });
      const moved = JSON.stringify({ ...JSON.parse(horizon!), upToBlock: number - 1 });
      await to(moved);
      expect(await verify(own)).toMatchObject({ valid: false, brokenBlock: number });
      const text = await bundle(own);
      expect(() => check(text)).toThrow();
      expect(() => verifyBundle(text, publicKey)).toThrow();
      await to(null);
      expect(await verify(own)).toMatchObject({ valid: false });
      await to(horizon);
      await to(horizon, number - 1);
      expect(await verify(own)).toMatchObject({ valid: false, brokenBlock: number - 1 });
      await to(null, number - 1);
      await database.logBlock.create({ data: { ...block, number: number + 1, horizon: moved } });
      expect(await verify(own)).toMatchObject({ valid: false, brokenBlock: number + 1 });
      await expect(remove(tenantId)).rejects.toThrow('was changed');
      await run('DELETE FROM "LogBlock" WHERE "tenantId" = ? AND "number" = ?', tenantId, number + 1);
      expect(await verify(own)).toMatchObject(INTACT);
      await run('DELETE FROM "Log" WHERE "id" = ?', bob);
      expect(await verify(own)).toMatchObject({ valid: false, brokenLogId: bob });
    });

    it('exposes a record that was inserted below the horizon', async () => {
      const { own, tenantId, ids } = await example();
      const row = await database.log.findUniqueOrThrow({ where: { id: ids[0]! } });
      await remove(tenantId, undefined, 1);
      await database.log.create({ data: row });
      expect(await verify(own)).toMatchObject({ valid: false, brokenLogId: ids[0] });
    });
  });

  it.each(['erase', 'remove'])(
    'verifies after kill -9 during a deletion, which then continues where it stopped: %s',
    async (what) => {
      const own = await log.another();
      await own.createMany(Array.from({ length: 30 }, () => ANN));
      const { id } = (await own.page()).items[0];
      const tenantId = await log.server.tenantIdOf(own.api);
      for (let count = 0; count < 5; count++) {
        await sealed(tenantId);
        await own.update(id, { comment: `secret ${count}` });
      }
      await sealed(tenantId);
      const env = { PATH: process.env.PATH!, HOME: process.env.HOME ?? '/', ...log.server.settings };
      const child = spawn(process.execPath, [CHILD, what, tenantId], { env, stdio: ['ignore', 'pipe', 'inherit'] });
      child.stdout.once('data', () => child.kill('SIGKILL'));
      const [, signal] = await once(child, 'exit');
      expect(signal).toBe('SIGKILL');
      expect(await verify(own)).toMatchObject(INTACT);
      for (let more = true; more;) ({ more } = await (what === 'erase' ? erase(tenantId) : remove(tenantId)));
      await sealed(tenantId);
      const counts = what === 'erase' ? { checkedRecords: 30, erasedRecords: 30 } : { checkedRecords: 0, removedRecords: 30 };
      expect(await verify(own)).toMatchObject({ ...INTACT, ...counts });
      expect(await rowsOf(tenantId)).not.toMatch(/secret/i);
    },
  );
});
