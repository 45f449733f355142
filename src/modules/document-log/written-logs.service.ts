import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/auth/caller.js';
import { Config } from '../../common/config/config.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { Cursors } from '../../common/graphql/page.js';
import { type DamagedRecord, orDamaged } from './damaged-record.js';
import type { LogsFilter } from './inputs/logs-filter.input.js';
import { logsWanted } from './inputs/logs-filter.rules.js';
import { LogEditsService } from './log-edits.service.js';
import { toLog } from './log-row.js';
import { BEFORE_ALL } from './log-seq.queries.js';
import type { Log } from './models/log.model.js';
import { SealsService } from './seals/seals.service.js';
import { writtenPage } from './written-order.queries.js';

interface FollowedPage {
  items: (Log | DamagedRecord)[];
  nextToken: string;
  hasMore: boolean;
}

/**
 * Reads the log in the order of writing, for whoever follows it. No further than everything is sealed: no record can appear
 * there any more, while beyond it one with a lower place may still be on its way.
 */
@Injectable()
export class WrittenLogsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
    private readonly cursors: Cursors,
    private readonly edits: LogEditsService,
    private readonly seals: SealsService,
  ) {}

  /** There is always a token: what is written later comes after it. */
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
    const { seq: sealed } = await this.seals.sealedUpTo();
    // The token of a database that was put back to an earlier state waits until that is reached again.
    const upTo = sealed > after ? sealed : after;
    const { rows, end } = await writtenPage(this.prisma, this.config.isPostgres, { tenantId, wanted, after, upTo }, size);
    const editsOf = this.edits.loaderOf(rows, budget);
    const items = rows.map((row) => orDamaged(() => toLog(row, editsOf)));
    return { items, nextToken: this.cursors.token(String(end), context), hasMore: end < upTo };
  }
}
