import { Injectable } from '@nestjs/common';
import { Config } from '../../../common/config/config.js';
import { LONG_STATEMENT } from '../../../common/database/long-statement.js';
import { PrismaService } from '../../../common/database/prisma.service.js';
import { SqlValues } from '../../../common/database/sql-values.js';
import { asBlock, asHead, type Block, type BlockCells, blockColumns, type BlockHead } from './block-row.js';

const SMALLEST_NUMBER = -2_147_483_648;
const MAX_PAGE = 500;

interface BlocksFrom {
  tenantId: string;
  /** Without it from the very first, even if its number cannot be. */
  number?: number;
  maxLeaves: number;
}

/** Reads blocks as they stand, changed ones too: whether a block is what was signed is for `isSealed` to say. */
@Injectable()
export class Blocks {
  private readonly columns: ReturnType<typeof blockColumns>;

  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
  ) {
    this.columns = blockColumns(config.isPostgres);
  }

  /** The blocks that reach furthest, of all tenants. */
  furthest(skip: number, take: number): Promise<BlockHead[]> {
    const sql = this.sql();
    const bounds = `LIMIT ${sql.value(take)} OFFSET ${sql.value(skip)}`;
    return this.heads(`"LogBlock" b ORDER BY b."toSeq" DESC, b."toEditSeq" DESC ${bounds}`, sql);
  }

  /** The newest block of each of these tenants that has one. */
  newest(tenants: string[]): Promise<BlockHead[]> {
    const sql = this.sql();
    const ids = sql.value(JSON.stringify(tenants));
    const list = this.config.isPostgres ? `json_array_elements_text(${ids}::json) AS t("value")` : `json_each(${ids}) AS t`;
    return this.heads(
      `${list} JOIN "LogBlock" b ON b."tenantId" = t."value"
        AND b."number" = (SELECT max("number") FROM "LogBlock" WHERE "tenantId" = t."value")`,
      sql,
    );
  }

  async ofNumber(tenantId: string, number: number): Promise<BlockHead | undefined> {
    const sql = this.sql();
    const where = `b."tenantId" = ${sql.value(tenantId)} AND b."number" = ${sql.value(number)}`;
    return (await this.heads(`"LogBlock" b WHERE ${where}`, sql))[0];
  }

  /** The blocks of a tenant that come after a number. */
  headsAfter(tenantId: string, number: number, limit: number): Promise<BlockHead[]> {
    const sql = this.sql();
    const where = `b."tenantId" = ${sql.value(tenantId)} AND b."number" > ${sql.value(number)}`;
    return this.heads(`"LogBlock" b WHERE ${where} ORDER BY b."number" LIMIT ${sql.value(limit)}`, sql);
  }

  /** The last block before the first that was sealed at a time or after it. */
  async lastBefore(tenantId: string, time: Date): Promise<BlockHead | undefined> {
    const sql = this.sql();
    const where = `b."tenantId" = ${sql.value(tenantId)} AND b."number" < coalesce((
      SELECT "number" FROM "LogBlock" WHERE "tenantId" = ${sql.value(tenantId)} AND "sealedAt" >= ${sql.time(time)}
      ORDER BY "sealedAt", "number" LIMIT 1
    ), ${-SMALLEST_NUMBER - 1})`;
    return (await this.heads(`"LogBlock" b WHERE ${where} ORDER BY b."number" DESC LIMIT 1`, sql))[0];
  }

  /** The block within whose bounds the seq of a record is. */
  async ofSeq(tenantId: string, seq: bigint): Promise<Block | undefined> {
    const sql = this.sql();
    const where = `b."tenantId" = ${sql.value(tenantId)} AND b."toSeq" >= ${sql.value(seq)}`;
    return (await this.whole(`"LogBlock" b WHERE ${where} ORDER BY b."toSeq", b."number" LIMIT 1`, sql))[0];
  }

  /** The block that has an edit: the first that reaches to its seq, found by halves. */
  async ofEditSeq(tenantId: string, seq: bigint): Promise<Block | undefined> {
    let [low, high] = [-1, (await this.newest([tenantId]))[0]?.number ?? -1];
    const newest = await this.ofNumber(tenantId, high);
    if (!newest || newest.toEditSeq < seq) return undefined;
    // No index has toEditSeq, but it grows with the number.
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      const block = await this.ofNumber(tenantId, middle);
      if (block && block.toEditSeq < seq) low = middle;
      else high = middle;
    }
    const sql = this.sql();
    const where = `b."tenantId" = ${sql.value(tenantId)} AND b."number" = ${sql.value(high)}`;
    return (await this.whole(`"LogBlock" b WHERE ${where}`, sql))[0];
  }

  /** Blocks of a tenant from a number on: at most 500, and no more once they hold so many leaves. */
  from({ tenantId, number = SMALLEST_NUMBER, maxLeaves }: BlocksFrom): Promise<Block[]> {
    const sql = this.sql();
    return this.whole(
      `"LogBlock" b JOIN (
        SELECT "number", sum("leafCount" * 1.0) OVER (ORDER BY "number") - "leafCount" AS "before" FROM (
          SELECT "number", "leafCount" FROM "LogBlock" WHERE "tenantId" = ${sql.value(tenantId)} AND "number" >= ${sql.value(number)}
          ORDER BY "number" LIMIT ${MAX_PAGE}
        ) AS "next"
      ) AS "page" ON b."number" = "page"."number"
      WHERE b."tenantId" = ${sql.value(tenantId)} AND "page"."before" < ${sql.value(maxLeaves)} ORDER BY b."number"`,
      sql,
    );
  }

  private sql(): SqlValues {
    return new SqlValues(this.config.isPostgres);
  }

  private async heads(rest: string, sql: SqlValues): Promise<BlockHead[]> {
    return (await this.rows(this.columns.head, rest, sql)).map(asHead);
  }

  private async whole(rest: string, sql: SqlValues): Promise<Block[]> {
    return (await this.rows(this.columns.whole, rest, sql)).map(asBlock);
  }

  private rows(columns: string, rest: string, { values }: SqlValues): Promise<BlockCells[]> {
    return this.prisma.$queryArrays(`${LONG_STATEMENT}SELECT ${columns} FROM ${rest}`, values) as Promise<BlockCells[]>;
  }
}
