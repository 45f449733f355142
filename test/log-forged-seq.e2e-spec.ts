import type { AllTenants } from '../src/common/database/database.js';
import { timeOfId, uuidv7 } from '../src/common/base/ids.js';
// Past the API: a run of the sealer without its pause.
import { LogSealer } from '../src/modules/document-log/seals/log-sealer.job.js';
import { allRowsOf } from './support/behind-the-api.js';
import { DocumentLog } from './support/document-log.js';
import { verifyBundle } from './support/independent-verifier.js';

declare const databaseKind: string;
const isPostgres = databaseKind === 'postgresql';

const VERIFY = `query($from:DateTime,$to:DateTime){verifyLogs(from:$from,to:$to){
  valid checkedRecords checkedBlocks unsealedRecords checkedTo brokenLogId brokenBlock reason}}`;
const FINE = { valid: true, checkedTo: null, brokenLogId: null, brokenBlock: null, reason: null };
/** The first odd seq that a JavaScript number cannot represent. */
const UNSAFE = 2n ** 53n + 1n;

let log: DocumentLog;
let database: AllTenants;
beforeEach(async () => {
  log = await DocumentLog.start();
  database = allRowsOf('no API gives a record the seq of a forger', log.server);
});
afterEach(() => log.stop());

const run = (sql: string) => database.$executeRawUnsafe(sql);
const seal = () => log.server.app.get(LogSealer, { strict: false }).seal();
const verify = async (of: DocumentLog, range: object = {}) => (await of.api.ask(VERIFY, { ...range })).verifyLogs;
const unsealed = async (of: DocumentLog) => (await verify(of)).unsealedRecords;
const sealed = async (of: DocumentLog) => {
  for (await seal(); (await unsealed(of)) > 0; await seal());
};
const columnsBut = async (table: string, ...out: string[]) => {
  const names = isPostgres
    ? `SELECT column_name AS "name" FROM information_schema.columns WHERE table_name = '${table}'`
    : `SELECT "name" FROM pragma_table_info('${table}')`;
  const rows = await database.$queryRawUnsafe<{ name: string }[]>(names);
  return rows.map(({ name }) => `"${name}"`).filter((name) => !out.includes(name));
};
/** Copies a row to another seq, as an attacker with access to the database could. */
const forge = async (table: 'Log' | 'LogEdit', id: string, seq: bigint) => {
  const columns = (await columnsBut(table, '"id"', '"seq"')).join();
  const forged = uuidv7();
  await run(
    `INSERT INTO "${table}" ("id","seq",${columns}) SELECT '${forged}',${seq},${columns} FROM "${table}" WHERE "id" = '${id}'`,
  );
  if (isPostgres && seq > 0n) await run(`SELECT setval('"${table}_seq_seq"', ${seq})`);
  return forged;
};
const blocksOf = (tenantId: string) => database.logBlock.count({ where: { tenantId } });

describe('a forged seq beyond the JavaScript number range', () => {
  it('leaves the records and edits of others verifiable, sealed once, provable and in order', async () => {
    const victim = await log.another();
    const [id] = await victim.createMany([{}]);
    await victim.update(id!, { comment: 'once' });
    const edit = await database.logEdit.findFirstOrThrow({ where: { logId: id } });
    await sealed(victim);
    await forge('Log', id!, UNSAFE);
    await forge('LogEdit', edit.id, UNSAFE);

    const honest = await log.another();
    const ids = await honest.createMany(Array.from({ length: 7 }, (_, index) => ({ attribute: { id: `a${index}` } })));
    const comments = ['1', '2', '3', '4', '5'];
    for (const comment of comments) await honest.update(ids[0]!, { comment });
    await sealed(honest);
    expect(await verify(honest)).toMatchObject({ ...FINE, checkedRecords: 7, unsealedRecords: 0 });

    const own = (await database.log.findFirstOrThrow({ where: { id: ids[0] }, select: { tenantId: true } })).tenantId;
    const more: string[] = [];
    for (let count = 8; count <= 13; count++) {
      more.push(...(await honest.createMany([{}])));
      await honest.update(ids[1]!, { custom1: `${count}` });
      await sealed(honest);
      await seal(); // the edit too, if its record was sealed ahead of it
      const blocks = await blocksOf(own);
      for (let second = 0; second < 2; second++) await seal();
      expect(await blocksOf(own)).toBe(blocks);
      expect(await verify(honest)).toMatchObject({ ...FINE, checkedRecords: count, unsealedRecords: 0 });
    }

    for (const id of [...ids, ...more]) {
      const { logProof } = await honest.api.ask('query($id:ID!){logProof(id:$id){logId content}}', { id });
      expect(JSON.parse(logProof.content).id).toBe(id);
    }
    expect((await honest.find(ids[0]!)).edits.map(({ newValue }: any) => newValue)).toEqual(comments);
    expect((await honest.state({ documentId: 'd1' })).map(({ logId }: any) => logId)).toEqual(ids);
    const text = await (await honest.export('?format=bundle')).text();
    const { publicKey } = JSON.parse(text.split('\n')[0]!);
    expect(() => verifyBundle(text, publicKey, [])).not.toThrow();
    expect(await verify(victim)).toMatchObject({ valid: false, brokenLogId: expect.any(String) });
    expect(log.server.logLines.filter((line) => line.includes('background work failed'))).toEqual([]);
  });

  it('is found, and so is the lowest that a database can hold', async () => {
    for (const seq of [-(2n ** 63n), 2n ** 62n]) {
      const own = await log.another();
      const [id] = await own.createMany([{}]);
      await sealed(own);
      const forged = await forge('Log', id!, seq);
      expect(await verify(own)).toMatchObject({ valid: false, brokenLogId: forged });
    }
  });
});

describe('a verification of a range', () => {
  it('counts the records created in it, and their blocks', async () => {
    const own = await log.another();
    const ids: string[] = [];
    const nextMs = async () => {
      for (const since = Date.now(); Date.now() === since;) await new Promise((done) => setImmediate(done));
    };
    for (let block = 0; block < 3; block++) {
      for (let record = 0; record < 3; record++) {
        ids.push((await own.create()).id);
        await nextMs();
      }
      await sealed(own);
    }
    const at = (index: number) => new Date(timeOfId(ids[index]!)).toISOString();
    for (const [from, to] of [
      [0, 8],
      [1, 1],
      [2, 3],
      [1, 7],
      [4, 8],
    ] as const) {
      const found = await verify(own, { from: at(from), to: at(to) });
      expect([from, to, found]).toEqual([from, to, expect.objectContaining({ ...FINE, checkedRecords: to - from + 1 })]);
      if (to - from === 0) expect(found.checkedBlocks).toBe(1);
    }
    const [unsealedId] = await own.createMany([{}]);
    const last = new Date(timeOfId(unsealedId!)).toISOString();
    expect(await verify(own, { from: last })).toMatchObject({ ...FINE, checkedRecords: 1 });
  });
});
