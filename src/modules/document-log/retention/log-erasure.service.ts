import { Injectable } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import { raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import { uuidv7 } from '../../../common/base/ids.js';
import type { ErasureStep } from '../../../common/tenants/tenant-data.js';
import { canonicalRemainder } from '../records/canonical.js';
import { sha256Text } from '../records/merkle.js';
import { LeafService } from '../records/leaf.service.js';
import { type EditContent, ERASED, NO_DETAILS } from '../records/log-row.js';
import { shareSealLock } from '../logs/log-writes.queries.js';
import { recordsOfAuthor } from './retention.queries.js';

/** Records per step. */
const MAX_RECORDS = 1_000;
/** Edits per step; a single record may have more. */
const MAX_EDITS = 10_000;

const NO_TEXTS = { oldValue: null, newValue: null, salt: null };

/** Destroys the personal members of records. The rest of each record still verifies; see docs/document-log-seals.md. */
@Injectable()
export class LogErasureService {
  constructor(
    private readonly database: Database,
    private readonly leaves: LeafService,
  ) {}

  /**
   * Erases up to `limit` records of an author with their edits, in one transaction. Call it until `more` is false. Leaves records of other
   * authors that name the person. Frees the idempotency keys of the erased records.
   */
  async erase(tenantId: string, { authorId }: { authorId: string }, { limit }: { limit: number }): Promise<ErasureStep> {
    const found = await recordsOfAuthor(this.database, { tenantId, authorId, limit: Math.min(limit, MAX_RECORDS) + 1 });
    let edits = 0;
    const some = found
      .slice(0, Math.min(limit, MAX_RECORDS))
      .filter(({ editCount }, index) => (edits += editCount) <= MAX_EDITS || index === 0);
    if (some.length === 0) return { erased: 0, more: false };
    const ids = some.map(({ id }) => id);
    const erased = await this.database.of(tenantId).$transaction(async (transaction) => {
      await shareSealLock(this.database.dialect, transaction);
      return this.eraseWithin(transaction, ids);
    });
    return { erased, more: some.length < found.length };
  }

  /** Erases records after locking them against new edits. Returns the number of erased records. */
  private async eraseWithin(transaction: TenantTransaction, ids: string[]): Promise<number> {
    const { tenantId } = transaction;
    const erasedAt = new Date();
    await transaction.$executeRaw(this.erasure(tenantId, ids, erasedAt));
    // Omits the tenant condition: SQLite would scan all of the tenant's rows by indexes on it.
    const { log, logEdit } = transaction.acrossTenants('the records were read as those of the tenant');
    const found = await log.findMany({ where: { erasedAt, id: { in: ids } } });
    const select = { id: true, logId: true, field: true, dateTime: true };
    const ofLogs = { logId: { in: found.map(({ id }) => id) } };
    const edits = await logEdit.findMany({ where: ofLogs, orderBy: { seq: 'asc' }, select });
    const byLog = new Map(found.map(({ id }) => [id, [] as typeof edits]));
    for (const edit of edits) byLog.get(edit.logId)!.push(edit);
    await logEdit.updateMany({ where: { ...ofLogs, field: { not: ERASED } }, data: NO_TEXTS });
    // Skip records erased by a concurrent step in the same millisecond.
    const logs = found.filter(({ id }) => !byLog.get(id)!.some(({ field }) => field === ERASED));
    const marks = logs.map((log): EditContent => {
      const newValue = sha256Text(canonicalRemainder(log, byLog.get(log.id)!));
      return { id: uuidv7(), tenantId, logId: log.id, dateTime: erasedAt, field: ERASED, oldValue: null, newValue };
    });
    await transaction.logEdit.createMany({ data: marks.map((mark) => this.leaves.newEdit(mark)) });
    return logs.length;
  }

  private erasure(tenantId: string, ids: string[], erasedAt: Date): Sql {
    const { dialect } = this.database;
    const gone = ['authorId', 'comment', 'custom1', 'custom2', 'salt', 'idempotencyKey', 'inputHash'];
    return sql`UPDATE "Log" SET ${raw(gone.map((name) => `"${name}" = NULL`).join())},
      "details" = ${NO_DETAILS}, "erasedAt" = ${dialect.time(erasedAt)}
      WHERE ${dialect.unindexed}"tenantId" = ${tenantId} AND "erasedAt" IS NULL AND "id" IN (${dialect.texts(ids)})`;
  }
}
