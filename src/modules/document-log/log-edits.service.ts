import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/auth/caller.js';
import { Config } from '../../common/config/config.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { AppError, notFound } from '../../common/errors/app-error.js';
import { isId, uuidv7 } from '../../common/ids/ids.js';
import { checkInput } from '../../common/validation/text.js';
import { shareSealLock } from './document-log.queries.js';
import type { UpdateLogInput } from './inputs/log.inputs.js';
import { updateLogRules } from './inputs/log.rules.js';
import { type EditContent, type LogEditRow, type LogRow, type ShownLogRow, toLog } from './log-row.js';
import { type Log, type LogEdit, MAX_EDITS } from './models/log.model.js';
import { Leaves } from './seals/leaves.js';

const SHOWN = 100;
const EDITABLE = ['comment', 'custom1', 'custom2'] as const;

type Change = Partial<Pick<LogRow, (typeof EDITABLE)[number]>>;

/** The only changes that a record can have, each kept beside it. */
@Injectable()
export class LogEditsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly leaves: Leaves,
    private readonly config: Config,
  ) {}

  /** Left out means unchanged, null means cleared. @throws NOT_FOUND, FAILED_PRECONDITION once it has 10,000 edits */
  async update(caller: Caller, input: UpdateLogInput): Promise<Log> {
    const { id, ...given } = checkInput(updateLogRules, input);
    for (;;) {
      const before = await this.row(caller, id);
      if (before.editCount > MAX_EDITS - EDITABLE.length) throw tooManyEdits(id);
      const changed = EDITABLE.filter((field) => given[field] !== undefined && given[field] !== before[field]);
      const change: Change = Object.fromEntries(changed.map((field) => [field, given[field]]));
      const after = changed.length > 0 ? await this.write(before, change) : before;
      if (after) return toLog(after, this.loaderOf([after]));
    }
  }

  /** Reads the edits of all records of a page in one query, once any of them is asked for, and only if there are any. */
  loaderOf(rows: Pick<ShownLogRow, 'id' | 'editCount'>[]): (id: string) => Promise<LogEdit[]> {
    const edited = rows.filter(({ editCount }) => editCount > 0).map(({ id }) => id);
    let editsById: Promise<Map<string, LogEdit[]>> | undefined;
    return async (id) => {
      if (edited.length === 0) return [];
      editsById ??= this.editsOf(edited);
      return (await editsById).get(id) ?? [];
    };
  }

  /** Oldest first. */
  private async editsOf(ids: string[]): Promise<Map<string, LogEdit[]>> {
    const edits = await this.prisma.logEdit.findMany({
      where: { logId: { in: ids } },
      orderBy: { seq: 'asc' },
      select: { logId: true, dateTime: true, field: true, oldValue: true, newValue: true },
    });
    const byId = new Map<string, LogEdit[]>(ids.map((id) => [id, []]));
    for (const { logId, ...edit } of edits) byId.get(logId)!.push(edit);
    return byId;
  }

  /** Writes over what was read only. Answers with nothing when another update came in between. */
  private async write(before: ShownLogRow, change: Change): Promise<ShownLogRow | undefined> {
    const { id, tenantId, editCount } = before;
    const now = new Date();
    const edits = (Object.keys(change) as (keyof Change)[]).map((field) =>
      this.edit({ id: uuidv7(), tenantId, logId: id, dateTime: now, field, oldValue: before[field], newValue: change[field]! }),
    );
    const data = { ...change, updateAt: now, editCount: editCount + edits.length };
    return this.prisma.$transaction(async (transaction) => {
      await shareSealLock(transaction, this.config.isPostgres);
      const { count } = await transaction.log.updateMany({ where: { id, tenantId, editCount }, data });
      if (count === 0) return undefined;
      await transaction.logEdit.createMany({ data: edits });
      return { ...before, ...data };
    });
  }

  private edit(content: EditContent): Omit<LogEditRow, 'seq'> {
    return { ...content, ...this.leaves.ofEdit(content) };
  }

  private async row({ tenantId }: Caller, id: string): Promise<ShownLogRow> {
    const row = isId(id) ? await this.prisma.log.findFirst({ where: { tenantId, id }, omit: OURS }) : null;
    if (!row) throw notFound(`Log ${id.slice(0, SHOWN)}`);
    return row;
  }
}

function tooManyEdits(id: string): AppError {
  return new AppError('FAILED_PRECONDITION', `Log ${id} has ${MAX_EDITS} edits already and cannot get more; make a new record`);
}

const OURS = { seq: true, idempotencyKey: true, inputHash: true, leafHash: true, mac: true } as const;
