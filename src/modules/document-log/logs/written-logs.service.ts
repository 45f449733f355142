import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import { Cursors } from '../../../common/lists/cursors.js';
import { type DamagedRecord, orDamaged } from '../records/damaged-record.js';
import { type LogsFilter, logsWanted } from '../records/logs-filter.input.js';
import { LogEditsService } from './log-edits.service.js';
import { toLog } from '../records/log-row.js';
import { BEFORE_ALL } from '../records/records.queries.js';
import type { Log } from '../models/log.model.js';
import { SealsService } from '../seals/seals.service.js';
import { writtenPage } from './written-order.queries.js';

interface FollowedPage {
  items: (Log | DamagedRecord)[];
  nextToken: string;
  hasMore: boolean;
}

/**
 * Reads the log in the order of writing, for polling clients. Reads sealed rows only: beyond them, an open transaction may still commit a
 * record with a lower seq.
 */
@Injectable()
export class WrittenLogsService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly edits: LogEditsService,
    private readonly seals: SealsService,
  ) {}

  /** Returns a page, and always a token for later records. */
  async page(
    { tenantId, budget }: Caller,
    filter: LogsFilter | null | undefined,
    nextToken: string | null | undefined,
    limit: number | null | undefined,
  ): Promise<FollowedPage> {
    const wanted = logsWanted(filter ?? {});
    const size = { limit: this.cursors.limit(limit), budget };
    const context = { tenantId, operation: 'logs in the order of writing', filter: wanted };
    const after = BigInt(this.cursors.after(nextToken, context) ?? BEFORE_ALL);
    const { seq: sealed } = (await this.seals.sealedUpTo()) ?? { seq: 0n };
    // After a restore to an earlier state, a newer token returns nothing until the log reaches its seq again.
    const upTo = sealed > after ? sealed : after;
    const { rows, end } = await writtenPage(this.database, { tenantId, wanted, after, upTo }, size);
    const editsOf = this.edits.loaderOf(rows, budget);
    const items = rows.map((row) => orDamaged(() => toLog(row, editsOf)));
    return { items, nextToken: this.cursors.token(String(end), context), hasMore: end < upTo };
  }
}
