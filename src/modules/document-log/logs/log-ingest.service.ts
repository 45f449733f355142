// Room: Checks, stores and lists records.
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { inSlices } from '../../../common/scheduling/event-loop.js';
import { Database } from '../../../common/database/database.js';
import { AppError, badInput } from '../../../common/base/app-error.js';
import { conflict, isRepeat } from '../../../common/idempotency/idempotency-key.js';
import { keysOfLogs } from './log-writes.queries.js';
import type { CreateLogInput, CreateSingleDocumentLogsInput } from './log.inputs.js';
import { violationIn } from './violations.js';
import { LogEditsService } from './log-edits.service.js';
import { contentOf, type CreateOperation, keyOfLog } from './log-record.js';
import { type NewLog, type ReadLogRow, toLog } from '../records/log-row.js';
import { LogWriterService } from './log-writer.service.js';
import { logsOfIds } from '../records/records.queries.js';
import type { Log } from '../models/log.model.js';
import { type CreateLogBatchResult, type CreateLogResult, MAX_RECORDS } from './log-results.model.js';

/** Record of a request, with the input path of each field for errors. */
interface RecordInput {
  input: CreateLogInput;
  path: (field: string) => string;
}

const RECORDS_A_TURN = 500;

/** Stored record. Its output is built lazily: most batch requests do not select it. */
interface Stored {
  id: string;
  log: () => Log;
}

/** First record stored under an idempotency key. */
interface KeyedRecord {
  id: string;
  inputHash: string | null;
  /** Loaded only if the content is identical. */
  row?: ReadLogRow;
}

/** Validates and stores new records. Responds after the commit. A repeated idempotency key stores nothing. */
@Injectable()
export class LogIngestService {
  constructor(
    private readonly database: Database,
    private readonly writer: LogWriterService,
    private readonly edits: LogEditsService,
  ) {}

  async create(caller: Caller, input: CreateLogInput): Promise<CreateLogResult> {
    const [item] = await this.store(caller, 'createLog', [{ input, path: (field) => `input.${field}` }]);
    if (item instanceof AppError) throw item;
    return resultOf(item!);
  }

  async createBatch(caller: Caller, inputs: CreateLogInput[]): Promise<CreateLogBatchResult> {
    checkCount('input', inputs);
    const records = inputs.map((input, index) => ({ input, path: (field: string) => `input.${index}.${field}` }));
    return batchResult(await this.store(caller, 'createLogBatch', records));
  }

  async createOfDocument(caller: Caller, { changes, ...shared }: CreateSingleDocumentLogsInput): Promise<CreateLogBatchResult> {
    checkCount('input.changes', changes);
    const records = changes.map((change, index) => ({
      input: { ...change, ...shared },
      path: (field: string) =>
        Object.hasOwn(shared, field.split('.', 1)[0]!) ? `input.${field}` : `input.changes.${index}.${field}`,
    }));
    return batchResult(await this.store(caller, 'createSingleDocumentLogs', records));
  }

  /** Returns the stored record or the error for each input, in input order. */
  private async store(
    { tenantId, budget }: Caller,
    operation: CreateOperation,
    records: RecordInput[],
  ): Promise<(Stored | AppError)[]> {
    const checked = await inSlices(records, RECORDS_A_TURN, ({ input, path }) => {
      const violation = violationIn(input);
      return violation ? badInput(path(violation.field), violation.message) : newLog(tenantId, operation, input);
    });
    const rows = checked.filter((one): one is NewLog => !(one instanceof AppError));
    const isStored = rows.length > 0 ? await this.writer.store(rows) : () => true;
    const first = await this.firstOfKeys(
      tenantId,
      rows.filter(({ id }) => !isStored(id)),
    );
    return checked.map((one, index) => {
      if (one instanceof AppError) return one;
      const before = isStored(one.id) ? undefined : first.get(one.idempotencyKey ?? '');
      if (!before)
        return { id: one.id, log: () => toLog({ ...one, updateAt: null, erasedAt: null, editCount: 0 }, async () => []) };
      if (!isRepeat(before, one)) return conflict('record', records[index]!.path('idempotencyKey'));
      const row = before.row!;
      return { id: row.id, log: () => toLog(row, this.edits.loaderOf([row], budget)) };
    });
  }

  /**
   * Returns the first record stored under each key. Loads content only if it equals the input, so the result is no larger than the request.
   */
  private async firstOfKeys(tenantId: string, rows: NewLog[]): Promise<Map<string, KeyedRecord>> {
    const keys = new Set(rows.flatMap(({ idempotencyKey }) => idempotencyKey ?? []));
    const stored = keys.size > 0 ? await keysOfLogs(this.database, tenantId, [...keys]) : [];
    const first = new Map<string, KeyedRecord>(stored.map((one) => [one.idempotencyKey!, one]));
    const same = rows.flatMap((row) => {
      const one = first.get(row.idempotencyKey ?? '');
      return one && isRepeat(one, row) ? one.id : [];
    });
    const logs = same.length > 0 ? await logsOfIds(this.database, tenantId, [...new Set(same)]) : [];
    const byId = new Map(logs.map((row) => [row.id, row]));
    for (const one of first.values()) one.row = byId.get(one.id);
    return first;
  }
}

function newLog(tenantId: string, operation: CreateOperation, input: CreateLogInput): NewLog {
  return Object.assign(contentOf(tenantId, input), keyOfLog(operation, input));
}

function checkCount(field: string, list: unknown[]): void {
  if (list.length < 1 || list.length > MAX_RECORDS) throw badInput(field, `must have 1 to ${MAX_RECORDS} records`);
}

function batchResult(items: (Stored | AppError)[]): CreateLogBatchResult {
  return { results: items.map((item) => (item instanceof AppError ? { error: { message: item.message } } : resultOf(item))) };
}

function resultOf({ id, log }: Stored): CreateLogResult {
  return new StoredResult(id, log);
}

/**
 * Class rather than an object literal with a getter: V8 gives each such literal its own hidden class, which survives until a full garbage
 * collection and retains the request.
 */
class StoredResult implements CreateLogResult {
  constructor(
    readonly itemId: string,
    private readonly log: () => Log,
  ) {}

  get item(): Log {
    return this.log();
  }
}
