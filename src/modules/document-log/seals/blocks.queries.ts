import type { Database } from '../../../common/database/database.js';
import type { Rows } from '../../../common/database/rows.js';
import { long, raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { asBlock, asHead, type Block, BLOCK_COLUMNS, type BlockCells, type BlockHead } from './block-row.js';

// These functions return blocks as stored, without verification: check them with `isSealed`.

const SMALLEST_NUMBER = -2_147_483_648;
const MAX_PAGE = 500;
/** Bound on key changes read, against inserted rows. */
const MAX_KEY_CHANGES = 1_000;

interface BlocksFrom {
  tenantId: string;
  /** First block to return; by default the very first, even with an invalid number. */
  number?: number;
  maxLeaves: number;
}

/** Returns blocks of all tenants, greatest seqs first. */
export function furthestBlocks(database: Database, { skip, take }: { skip: number; take: number }): Promise<BlockHead[]> {
  const ofAll = database.acrossTenants('the furthest block may be any tenant’s');
  return heads(ofAll, sql`"LogBlock" b ORDER BY b."toSeq" DESC, b."toEditSeq" DESC LIMIT ${take} OFFSET ${skip}`);
}

/** Returns the newest block of each of these tenants, if any. */
export function newestBlocks(database: Database, tenants: string[]): Promise<BlockHead[]> {
  return heads(
    database.acrossTenants('each of the tenants is named'),
    sql`
    (${database.dialect.texts(tenants)}) AS t JOIN "LogBlock" b ON b."tenantId" = t."value"
    AND b."number" = (SELECT max("number") FROM "LogBlock" WHERE "tenantId" = t."value")`,
  );
}

export async function blockOfNumber(database: Database, tenantId: string, number: number): Promise<BlockHead | undefined> {
  return (await heads(database.of(tenantId), sql`"LogBlock" b WHERE b."tenantId" = ${tenantId} AND b."number" = ${number}`))[0];
}

/** Returns the blocks of a tenant after a number. */
export function blocksAfter(database: Database, tenantId: string, number: number, limit: number): Promise<BlockHead[]> {
  const where = sql`b."tenantId" = ${tenantId} AND b."number" > ${number}`;
  return heads(database.of(tenantId), sql`"LogBlock" b WHERE ${where} ORDER BY b."number" LIMIT ${limit}`);
}

/** Returns the blocks of a tenant that change the key, in order. */
export function keyChanges(database: Database, tenantId: string): Promise<BlockHead[]> {
  const where = sql`b."tenantId" = ${tenantId} AND b."keyChange" IS NOT NULL`;
  return heads(database.of(tenantId), sql`"LogBlock" b WHERE ${where} ORDER BY b."number" LIMIT ${MAX_KEY_CHANGES}`);
}

/** Returns a tenant's newest block with a horizon. */
export async function newestHorizonBlock(database: Database, tenantId: string): Promise<BlockHead | undefined> {
  const where = sql`b."tenantId" = ${tenantId} AND b."horizon" IS NOT NULL`;
  return (await heads(database.of(tenantId), sql`"LogBlock" b WHERE ${where} ORDER BY b."number" DESC LIMIT 1`))[0];
}

/** Returns true if the key of any log was ever changed. */
export async function hasKeyChange(database: Database): Promise<boolean> {
  const ofAll = database.acrossTenants('all logs have one secret');
  return (await ofAll.$cells(sql`SELECT "number" FROM "LogBlock" WHERE "keyChange" IS NOT NULL LIMIT 1`)).length > 0;
}

/** Returns the next tenant with a log, in order of ids. */
export async function nextTenant(database: Database, after: string): Promise<string | undefined> {
  const statement = sql`SELECT "tenantId" FROM "LogBlock" WHERE "tenantId" > ${after} ORDER BY "tenantId" LIMIT 1`;
  const [row] = await database.acrossTenants('it returns the tenants, one by one').$cells(statement);
  return typeof row?.[0] === 'string' ? row[0] : undefined;
}

/** Returns the last block before the first one sealed at or after a time. */
export async function lastBlockBefore(database: Database, tenantId: string, time: Date): Promise<BlockHead | undefined> {
  const where = sql`b."tenantId" = ${tenantId} AND b."number" < coalesce((
    SELECT "number" FROM "LogBlock" WHERE "tenantId" = ${tenantId} AND "sealedAt" >= ${database.dialect.time(time)}
    ORDER BY "sealedAt", "number" LIMIT 1
  ), ${raw(String(-SMALLEST_NUMBER - 1))})`;
  return (await heads(database.of(tenantId), sql`"LogBlock" b WHERE ${where} ORDER BY b."number" DESC LIMIT 1`))[0];
}

/** Returns the block whose range contains the seq of a record. */
export async function blockOfSeq(database: Database, tenantId: string, seq: bigint): Promise<Block | undefined> {
  const where = sql`b."tenantId" = ${tenantId} AND b."toSeq" >= ${seq}`;
  return (await whole(database.of(tenantId), sql`"LogBlock" b WHERE ${where} ORDER BY b."toSeq", b."number" LIMIT 1`))[0];
}

/** Returns the block of an edit: the first to reach its seq. Bisects, for lack of an index on toEditSeq. */
export async function blockOfEditSeq(database: Database, tenantId: string, seq: bigint): Promise<Block | undefined> {
  let [low, high] = [-1, (await newestBlocks(database, [tenantId]))[0]?.number ?? -1];
  const newest = await blockOfNumber(database, tenantId, high);
  if (!newest || newest.toEditSeq < seq) return undefined;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    const block = await blockOfNumber(database, tenantId, middle);
    if (block && block.toEditSeq < seq) low = middle;
    else high = middle;
  }
  return (await whole(database.of(tenantId), sql`"LogBlock" b WHERE b."tenantId" = ${tenantId} AND b."number" = ${high}`))[0];
}

/** Returns blocks of a tenant from a number on: at most 500, ending once they have `maxLeaves` leaves. */
export function blocksFrom(database: Database, { tenantId, number = SMALLEST_NUMBER, maxLeaves }: BlocksFrom): Promise<Block[]> {
  return whole(
    database.of(tenantId),
    sql`"LogBlock" b JOIN (
      SELECT "number", sum("leafCount" * 1.0) OVER (ORDER BY "number") - "leafCount" AS "before" FROM (
        SELECT "number", "leafCount" FROM "LogBlock" WHERE "tenantId" = ${tenantId} AND "number" >= ${number}
        ORDER BY "number" LIMIT ${raw(String(MAX_PAGE))}
      ) AS "next"
    ) AS "page" ON b."number" = "page"."number"
    WHERE b."tenantId" = ${tenantId} AND "page"."before" < ${maxLeaves} ORDER BY b."number"`,
  );
}

async function heads(database: Rows, from: Sql): Promise<BlockHead[]> {
  return (await read(database, database.dialect.pick(BLOCK_COLUMNS).head, from)).map(asHead);
}

async function whole(database: Rows, from: Sql): Promise<Block[]> {
  return (await read(database, database.dialect.pick(BLOCK_COLUMNS).whole, from)).map(asBlock);
}

function read(database: Rows, columns: Sql, from: Sql): Promise<BlockCells[]> {
  return database.$cells(long(sql`SELECT ${columns} FROM ${from}`)) as Promise<BlockCells[]>;
}
