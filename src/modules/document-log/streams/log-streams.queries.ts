import type { Database } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { sql, type Sql } from '../../../common/database/sql/sql.js';
import { type DueRow, type DueWanted, fairly } from '../../../common/jobs/due-rows.js';
import { MAX_WAITING } from './log-stream.model.js';

/** Returns unleased streams with sealed records to send. */
export function dueStreams(database: Database, wanted: DueWanted, sealed: bigint): Promise<DueRow[]> {
  const all = database.acrossTenants('a node sends for every tenant');
  return all.$queryRaw<DueRow[]>(dueStreamsStatement(database.dialect, wanted, sealed));
}

/** Selects due streams, with one index lookup per stream. Exported for a query plan test, like the next statement. */
export function dueStreamsStatement(dialect: Dialect, { holder, excluded, share, limit }: DueWanted, sealed: bigint): Sql {
  const now = dialect.time(new Date());
  return fairly(
    sql`
      SELECT s."id", s."tenantId", s."failingSince", s."lastDeliveredAt" FROM "LogStream" AS s
      WHERE s."active" AND (s."notBefore" IS NULL OR s."notBefore" <= ${now})
        AND (s."leaseUntil" IS NULL OR s."leaseUntil" <= ${now} OR s."leaseHolder" = ${holder})
        AND s."id" NOT IN (${dialect.texts(excluded)})
        AND NOT EXISTS (SELECT 1 FROM "Tenant" AS t WHERE t."id" = s."tenantId" AND t."suspendedAt" IS NOT NULL)
        AND EXISTS (SELECT 1 FROM "Log" AS l ${dialect.indexedBy('Log_tenantId_seq_idx')}
          WHERE l."tenantId" = s."tenantId" AND l."seq" > s."position" AND l."seq" <= ${sealed})`,
    { share, limit },
  );
}

/** Range of records between the position of a stream and the last sealed one. */
interface Waiting {
  tenantId: string;
  position: bigint;
  sealed: bigint;
}

/** Counts the unsent sealed records of a stream, up to MAX_WAITING. */
export async function waitingCount(database: Database, waiting: Waiting): Promise<number> {
  const [counted] = await database.of(waiting.tenantId).$cells(waitingStatement(database.dialect, waiting));
  return Number(counted![0]);
}

export const waitingStatement = (dialect: Dialect, { tenantId, position, sealed }: Waiting): Sql => sql`
  SELECT count(*) FROM (SELECT 1 FROM "Log" AS l ${dialect.indexedBy('Log_tenantId_seq_idx')}
    WHERE l."tenantId" = ${tenantId} AND l."seq" > ${position} AND l."seq" <= ${sealed} LIMIT ${MAX_WAITING}) AS w`;

/** Returns the last seq of a tenant sealed before a time. All records written from that time on follow it. */
export async function seqBefore(database: Database, tenantId: string, time: Date): Promise<bigint> {
  const block = await database.of(tenantId).logBlock.findFirst({
    where: { sealedAt: { lt: time } },
    orderBy: { sealedAt: 'desc' },
    select: { toSeq: true },
  });
  return block?.toSeq ?? 0n;
}
