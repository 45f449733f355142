import { Injectable } from '@nestjs/common';
import type { AnswerBudget } from '../../../common/scheduling/operation-budget.js';
import { eventLoop } from '../../../common/scheduling/event-loop.js';
import { Database } from '../../../common/database/database.js';
import type { LogEdit } from '../models/log.model.js';
import { DamagedRecord, isTime } from '../records/damaged-record.js';
import { AFTER_ALL, BEFORE_ALL, editsOfLogs } from '../records/records.queries.js';
import type { ReadLogRow } from '../records/log-row.js';

/** Edits read per step: at most 8 MiB of text, as an edit has up to 8,192 characters. */
const EDITS_A_STEP = 1_000;

type EditedRow = Pick<ReadLogRow, 'id' | 'editCount'>;
/** Edits by record id. A damaged edit fails its own record only. */
type EditsById = Map<string, LogEdit[] | DamagedRecord>;

/** Reads the edits of records. */
@Injectable()
export class LogEditsService {
  constructor(private readonly database: Database) {}

  /** Returns a loader of edits. Its first call loads the edits of the whole page. */
  loaderOf(rows: EditedRow[], budget: AnswerBudget | undefined): (id: string) => Promise<LogEdit[]> {
    const edited = rows.filter(isEdited);
    let editsById: Promise<EditsById> | undefined;
    return async (id) => {
      if (edited.length === 0) return [];
      editsById ??= this.editsOf(edited, budget);
      return whole((await editsById).get(id) ?? []);
    };
  }

  /** Returns a loader of edits for exports. Loads per record if the page has more edits than one step. */
  readerOf(rows: EditedRow[]): (id: string) => Promise<LogEdit[]> {
    if (rows.reduce((sum, { editCount }) => sum + editCount, 0) <= EDITS_A_STEP) return this.loaderOf(rows, undefined);
    const edited = new Map(rows.filter(isEdited).map((row) => [row.id, row]));
    return async (id) => {
      const row = edited.get(id);
      return row ? whole((await this.editsOf([row], undefined)).get(id) ?? []) : [];
    };
  }

  /** Reads edits in steps, oldest first. */
  private async editsOf(rows: EditedRow[], budget: AnswerBudget | undefined): Promise<EditsById> {
    const byId: EditsById = new Map(rows.map(({ id }) => [id, []]));
    for (const ids of inSteps(rows)) {
      for (let after = BEFORE_ALL, isLast = false; !isLast;) {
        const edits = await editsOfLogs(this.database, {
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
        if (!isLast) await eventLoop.yield();
      }
    }
    return byId;
  }
}

const isEdited = ({ id, editCount }: EditedRow): boolean => typeof id === 'string' && editCount > 0;

/** Checks types, since a text column of SQLite can contain bytes. */
const isWhole = ({ id, field, dateTime, oldValue, newValue }: LogEdit): boolean =>
  isTime(dateTime) && [id, field, oldValue ?? '', newValue ?? ''].every((text) => typeof text === 'string');

function whole(edits: LogEdit[] | DamagedRecord): LogEdit[] {
  if (edits instanceof DamagedRecord) throw edits;
  return edits;
}

/** Groups records by the number of their edits, up to one step per group. A record with more edits forms its own group. */
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
