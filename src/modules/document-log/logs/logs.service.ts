import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { type Page, PAGE_BYTES } from '../../../common/lists/page.js';
import { eventLoop } from '../../../common/scheduling/event-loop.js';
import { Database } from '../../../common/database/database.js';
import { AppError } from '../../../common/base/app-error.js';
import { Cursors } from '../../../common/lists/cursors.js';
import { checkText, MAX_NAME } from '../../../common/base/text.js';
import { type LogsFilter, logsWanted, type LogsWanted } from '../records/logs-filter.input.js';
import { logsOfSeqs } from '../records/records.queries.js';
import { LogEditsService } from './log-edits.service.js';
import { type DamagedRecord, detailsOf, orDamaged } from '../records/damaged-record.js';
import { type ReadLogRow, toLog } from '../records/log-row.js';
import { logValues } from './log-values.queries.js';
import { cursorOf, KEY_LENGTH, latestOfAttributes, pageOfLogs, type SizedLog } from './logs.queries.js';
import { type LogField, MAX_VALUES } from './log-results.model.js';
import { type DocumentAttributeState, type Log, MAX_DOCUMENT_ATTRIBUTES } from '../models/log.model.js';

/** Records per page of an export. A tenfold page survives V8's young generation and triples the memory per record. */
const EXPORT_PAGE = 100;

/** Records read per step. */
const STATES_A_STEP = 250;

/** Reads the log, newest event first. */
@Injectable()
export class LogsService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly edits: LogEditsService,
  ) {}

  async page(
    { tenantId, budget }: Caller,
    filter: LogsFilter | null | undefined,
    nextToken: string | null | undefined,
    limit: number | null | undefined,
  ): Promise<Page<Log | DamagedRecord>> {
    const wanted = logsWanted(filter ?? {});
    const size = { limit: this.cursors.limit(limit), budget };
    const context = { tenantId, operation: 'logs', filter: wanted };
    const after = this.cursors.after(nextToken, context);
    const { rows, more } = await pageOfLogs(this.database, { tenantId, wanted, after }, size);
    const { items, ...page } = this.cursors.page(rows, more, cursorOf, context);
    const editsOf = this.edits.loaderOf(items, budget);
    return { ...page, items: items.map((row) => orDamaged(() => toLog(row, editsOf))) };
  }

  /** Returns the distinct values of a field that start with a text, sorted. */
  async values({ tenantId }: Caller, field: LogField, startsWith: string, limit: number | null): Promise<string[]> {
    checkText('startsWith', startsWith, { max: KEY_LENGTH });
    return logValues(this.database, { tenantId, field, startsWith, limit: this.cursors.limit(limit, MAX_VALUES) });
  }

  /** Reads all matching records page by page, on demand. */
  async *pages({ tenantId, budget }: Caller, wanted: LogsWanted): AsyncGenerator<(Log | DamagedRecord)[], void> {
    const size = { limit: EXPORT_PAGE, budget };
    for (let after: string | undefined; ;) {
      const { rows, more } = await pageOfLogs(this.database, { tenantId, wanted, after, isLong: true }, size);
      const editsOf = this.edits.readerOf(rows);
      yield rows.map((row) => orDamaged(() => toLog(row, editsOf)));
      if (more === false) return;
      after = more === true ? cursorOf(rows.at(-1)!) : more;
    }
  }

  /** Returns the latest value of each attribute with an id, by event time. @throws PAYLOAD_TOO_LARGE over MAX_DOCUMENT_ATTRIBUTES */
  async documentState(
    { tenantId, budget }: Caller,
    { documentId, documentType, at }: { documentId: string; documentType: string; at: Date | null | undefined },
  ): Promise<(DocumentAttributeState | DamagedRecord)[]> {
    checkText('documentId', documentId, { max: MAX_NAME });
    checkText('documentType', documentType, { max: MAX_NAME });
    const document = { tenantId, documentId, documentType, at: at ?? new Date() };
    const onStep = async (): Promise<void> => {
      await budget?.reserve(0); // throws if the operation was cancelled
      await eventLoop.yield(tenantId);
    };
    const bounds = { limit: MAX_DOCUMENT_ATTRIBUTES + 1, onStep };
    const latest = await latestOfAttributes(this.database, document, bounds);
    if (latest.length > MAX_DOCUMENT_ATTRIBUTES) throw tooManyAttributes();
    const states: (DocumentAttributeState | DamagedRecord)[] = [];
    for (const { seqs, bytes } of inSteps(latest)) {
      await budget?.reserve(bytes);
      await eventLoop.yield(tenantId);
      const rows = await logsOfSeqs(this.database, tenantId, seqs);
      for (const row of rows) states.push(orDamaged(() => toState(row)));
    }
    return states;
  }
}

function toState(row: ReadLogRow): DocumentAttributeState {
  const { attribute, attributeNewValue } = detailsOf(row);
  const { id, attributeId, dateTime } = row;
  return { attributeId, attribute, value: attributeNewValue, dateTime, logId: id };
}

function inSteps(records: SizedLog[]): { seqs: bigint[]; bytes: number }[] {
  const steps: { seqs: bigint[]; bytes: number }[] = [];
  for (const { seq, bytes } of records) {
    const step = steps.at(-1);
    if (!step || step.bytes + bytes > PAGE_BYTES || step.seqs.length >= STATES_A_STEP) steps.push({ seqs: [seq], bytes });
    else {
      step.seqs.push(seq);
      step.bytes += bytes;
    }
  }
  return steps;
}

function tooManyAttributes(): AppError {
  return new AppError(
    'PAYLOAD_TOO_LARGE',
    `The document has more than ${MAX_DOCUMENT_ATTRIBUTES} attributes; read its records with logs`,
  );
}
