import { Injectable } from '@nestjs/common';
import type { AnswerBudget } from '../../common/bounds/answer-budget.js';
import { ownTurn } from '../../common/bounds/read-turns.js';
import type { Caller } from '../../common/auth/caller.js';
import { Config } from '../../common/config/config.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { AppError, notFound } from '../../common/errors/app-error.js';
import { isId, uuidv7 } from '../../common/ids/ids.js';
import { checkInput } from '../../common/validation/text.js';
import { DamagedRecord, detailsOf, isTime } from './damaged-record.js';
import { shareSealLock } from './document-log.queries.js';
import type { UpdateLogInput } from './inputs/log.inputs.js';
import { updateLogRules } from './inputs/log.rules.js';
import { editsOfLogs } from './log-edits.queries.js';
import { type EditContent, type LogEditRow, type LogRow, type ShownLogRow, toLog } from './log-row.js';
import { AFTER_ALL, BEFORE_ALL } from './log-seq.queries.js';
import { logsOfIds } from './logs-by-id.queries.js';
import { type Log, type LogEdit, MAX_EDITS } from './models/log.model.js';
import { Leaves } from './seals/leaves.js';

const SHOWN = 100;
const EDITABLE = ['comment', 'custom1', 'custom2'] as const;

/** The largest edit has 8,192 characters, so these are at most 8 MiB of plain text. */
const EDITS_A_STEP = 1_000;

type EditedRow = Pick<ShownLogRow, 'id' | 'editCount'>;
/** A record with an edit that no edit can be is refused, and no other. */
type EditsById = Map<string, LogEdit[] | DamagedRecord>;
type Change = Partial<Pick<LogRow, (typeof EDITABLE)[number]>>;

/** The only changes that a record can have, each kept beside it. */
@Injectable()
export class LogEditsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly leaves: Leaves,
    private readonly config: Config,
  ) {}

  /** Left out means unchanged, null means cleared. @throws NOT_FOUND; FAILED_PRECONDITION over MAX_EDITS, and DamagedRecord */
  async update(caller: Caller, input: UpdateLogInput): Promise<Log> {
    const { id, ...given } = checkInput(updateLogRules, input);
    for (;;) {
      const before = await this.row(caller, id);
      const changed = EDITABLE.filter((field) => given[field] !== undefined && given[field] !== before[field]);
      if (before.editCount + changed.length > MAX_EDITS) throw tooManyEdits(id);
      const change: Change = Object.fromEntries(changed.map((field) => [field, given[field]]));
      const after = changed.length > 0 ? await this.write(before, change) : before;
      if (after) return toLog(after, this.loaderOf([after], caller.budget));
    }
  }

  /** Reads the edits of all records of a page together, once any of them is asked for, and only if there are any. */
  loaderOf(rows: EditedRow[], budget: AnswerBudget | undefined): (id: string) => Promise<LogEdit[]> {
    const edited = rows.filter(isEdited);
    let editsById: Promise<EditsById> | undefined;
    return async (id) => {
      if (edited.length === 0) return [];
      editsById ??= this.editsOf(edited, budget);
      return whole((await editsById).get(id) ?? []);
    };
  }

  /** The same, for whoever is through with each record before the next: of many edits only one record's are held. */
  readerOf(rows: EditedRow[]): (id: string) => Promise<LogEdit[]> {
    if (rows.reduce((sum, { editCount }) => sum + editCount, 0) <= EDITS_A_STEP) return this.loaderOf(rows, undefined);
    const edited = new Map(rows.filter(isEdited).map((row) => [row.id, row]));
    return async (id) => {
      const row = edited.get(id);
      return row ? whole((await this.editsOf([row], undefined)).get(id) ?? []) : [];
    };
  }

  /** Oldest first, read in steps. */
  private async editsOf(rows: EditedRow[], budget: AnswerBudget | undefined): Promise<EditsById> {
    const byId: EditsById = new Map(rows.map(({ id }) => [id, []]));
    for (const ids of inSteps(rows)) {
      for (let after = BEFORE_ALL, isLast = false; !isLast;) {
        const edits = await editsOfLogs(this.prisma, this.config.isPostgres, {
          ids,
          after,
          upTo: AFTER_ALL,
          limit: EDITS_A_STEP,
        });
        await budget?.reserve(edits.reduce((sum, edit) => sum + (edit.oldValue?.length ?? 0) + (edit.newValue?.length ?? 0), 0));
        for (const { id, logId, dateTime, field, oldValue, newValue } of edits) {
          const ofLog = byId.get(logId)!;
          const edit = { id, dateTime, field, oldValue, newValue };
          if (!isWhole(edit)) byId.set(logId, new DamagedRecord(logId));
          else if (!(ofLog instanceof DamagedRecord)) ofLog.push(edit);
        }
        after = edits.at(-1)?.seq ?? after;
        isLast = edits.length < EDITS_A_STEP;
        if (!isLast) await ownTurn();
      }
    }
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
    const [row] = isId(id) ? await logsOfIds(this.prisma, this.config.isPostgres, tenantId, [id]) : [];
    if (!row) throw notFound(`Log ${id.slice(0, SHOWN)}`);
    detailsOf(row);
    return row;
  }
}

const isEdited = ({ id, editCount }: EditedRow): boolean => typeof id === 'string' && editCount > 0;

/** On SQLite bytes can stand where a text should. */
const isWhole = ({ id, field, dateTime, oldValue, newValue }: LogEdit): boolean =>
  isTime(dateTime) && [id, field, oldValue ?? '', newValue ?? ''].every((text) => typeof text === 'string');

function whole(edits: LogEdit[] | DamagedRecord): LogEdit[] {
  if (edits instanceof DamagedRecord) throw edits;
  return edits;
}

/** Records whose edits make a step, or one that has more. */
function inSteps(rows: EditedRow[]): string[][] {
  const steps: string[][] = [];
  let count = Infinity;
  for (const { id, editCount } of rows) {
    if (count + editCount > EDITS_A_STEP) {
      steps.push([]);
      count = 0;
    }
    steps.at(-1)!.push(id);
    count += editCount;
  }
  return steps;
}

function tooManyEdits(id: string): AppError {
  return new AppError('FAILED_PRECONDITION', `Log ${id} would have more than ${MAX_EDITS} edits; create a new record instead`);
}
