import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import { EventOutbox } from '../../../common/events/outbox/event-outbox.js';
import { AppError, notFound, quoted } from '../../../common/base/app-error.js';
import { isId, uuidv7 } from '../../../common/base/ids.js';
import { checkInput } from '../../../common/base/text.js';
import { UpdateLogInput } from './log.inputs.js';
import { LeafService } from '../records/leaf.service.js';
import { type Log, MAX_EDITS } from '../models/log.model.js';
import { LogEditsService } from './log-edits.service.js';
import { detailsOf } from '../records/damaged-record.js';
import { logChange, shownLog } from '../records/log-events.js';
import { type LogRow, type ReadLogRow, toLog } from '../records/log-row.js';
import { logsOfIds } from '../records/records.queries.js';
import { shareSealLock } from './log-writes.queries.js';

const EDITABLE = ['comment', 'custom1', 'custom2'] as const;

type Change = Partial<Pick<LogRow, (typeof EDITABLE)[number]>>;

/** Updates the three editable fields of a record, and stores an edit for each change. */
@Injectable()
export class LogUpdatesService {
  constructor(
    private readonly database: Database,
    private readonly leaves: LeafService,
    private readonly edits: LogEditsService,
    private readonly outbox: EventOutbox,
  ) {}

  /**
   * Leaves absent fields unchanged and clears null ones.
   * @throws NOT_FOUND; FAILED_PRECONDITION over MAX_EDITS, for an erased record, and DamagedRecord
   */
  async update(caller: Caller, input: UpdateLogInput): Promise<Log> {
    const { id, ...fields } = checkInput(UpdateLogInput.rules, input);
    for (;;) {
      const before = await this.row(caller, id);
      const changed = EDITABLE.filter((field) => fields[field] !== undefined && fields[field] !== before[field]);
      if (before.editCount + changed.length > MAX_EDITS) throw tooManyEdits(id);
      const change: Change = Object.fromEntries(changed.map((field) => [field, fields[field]]));
      const after = changed.length > 0 ? await this.write(before, change) : before;
      if (after) return toLog(after, this.edits.loaderOf([after], caller.budget));
    }
  }

  /** Updates the record if it is unchanged since it was read. Returns undefined after a concurrent update. */
  private async write(before: ReadLogRow, change: Change): Promise<ReadLogRow | undefined> {
    const { id, tenantId, editCount } = before;
    const now = new Date();
    const edits = (Object.keys(change) as (keyof Change)[]).map((field) =>
      this.leaves.newEdit({
        id: uuidv7(),
        tenantId,
        logId: id,
        dateTime: now,
        field,
        oldValue: before[field],
        newValue: change[field]!,
      }),
    );
    const data = { ...change, updateAt: now, editCount: editCount + edits.length };
    return this.database.of(tenantId).$transaction(async (transaction) => {
      await shareSealLock(this.database.dialect, transaction);
      const { count } = await transaction.log.updateMany({ where: { id, editCount, erasedAt: null }, data });
      if (count === 0) return undefined;
      await transaction.logEdit.createMany({ data: edits });
      const after = { ...before, ...data };
      const edited = { ...logChange(tenantId, 'LOG_EDITED'), ...shownLog(after) };
      await this.outbox.store(transaction.acrossTenants('an event brings its tenant'), [edited]);
      return after;
    });
  }

  private async row({ tenantId }: Caller, id: string): Promise<ReadLogRow> {
    const [row] = isId(id) ? await logsOfIds(this.database, tenantId, [id]) : [];
    if (!row) throw notFound(`Log ${quoted(id)}`);
    detailsOf(row);
    if (row.erasedAt) throw erased(id);
    return row;
  }
}

const erased = (id: string): AppError => new AppError('FAILED_PRECONDITION', `Log ${id} was erased and can no longer be changed`);

function tooManyEdits(id: string): AppError {
  return new AppError('FAILED_PRECONDITION', `Log ${id} would exceed ${MAX_EDITS} edits; create a new record instead`);
}
