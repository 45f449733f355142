import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/auth/caller.js';
import { inSlices } from '../../common/bounds/read-turns.js';
import { Config } from '../../common/config/config.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { AppError, badInput } from '../../common/errors/app-error.js';
import { keysOfLogs } from './document-log.queries.js';
import type { CreateLogInput, CreateSingleDocumentLogsInput } from './inputs/log.inputs.js';
import { faultOf } from './inputs/log.rules.js';
import { LogEditsService } from './log-edits.service.js';
import { contentOf, type CreateOperation, idempotencyOf } from './log-record.js';
import { type NewLog, type ShownLogRow, toLog } from './log-row.js';
import { LogWriterService } from './log-writer.service.js';
import { logsOfIds } from './logs-by-id.queries.js';
import type { Log } from './models/log.model.js';
import { type CreateLogBatchResult, type CreateLogResult, MAX_RECORDS } from './models/log-results.model.js';

/** One record of a request: what was given, and what the caller calls its fields. */
interface Given {
  input: CreateLogInput;
  path: (field: string) => string;
}

const RECORDS_A_TURN = 500;

/** A record that is there; its fields are read when they are asked for, which in a batch few do. */
interface Stored {
  id: string;
  log: () => Log;
}

/** The record that came with a key first; its row where the content is the same. */
interface First {
  id: string;
  inputHash: string | null;
  row?: ShownLogRow;
}

/** The rules of new records. What was answered is committed; a repeat with the same key stores nothing. */
@Injectable()
export class LogIngestService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
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
    const given = inputs.map((input, index) => ({ input, path: (field: string) => `input.${index}.${field}` }));
    return batchResult(await this.store(caller, 'createLogBatch', given));
  }

  async createOfDocument(caller: Caller, { changes, ...shared }: CreateSingleDocumentLogsInput): Promise<CreateLogBatchResult> {
    checkCount('input.changes', changes);
    const given = changes.map((change, index) => ({
      input: { ...change, ...shared },
      path: (field: string) =>
        Object.hasOwn(shared, field.split('.', 1)[0]!) ? `input.${field}` : `input.changes.${index}.${field}`,
    }));
    return batchResult(await this.store(caller, 'createSingleDocumentLogs', given));
  }

  /** Answers for each record, in their order, with the record or with its refusal. */
  private async store({ tenantId, budget }: Caller, operation: CreateOperation, given: Given[]): Promise<(Stored | AppError)[]> {
    const decided = await inSlices(given, RECORDS_A_TURN, ({ input, path }) => {
      const fault = faultOf(input);
      return fault ? badInput(path(fault.field), fault.message) : newLog(tenantId, operation, input);
    });
    const rows = decided.filter((one): one is NewLog => !(one instanceof AppError));
    const isStored = rows.length > 0 ? await this.writer.store(rows) : () => true;
    const first = await this.firstOfKeys(
      tenantId,
      rows.filter(({ id }) => !isStored(id)),
    );
    return decided.map((one, index) => {
      const before = one instanceof AppError || one.idempotencyKey === null ? undefined : first.get(one.idempotencyKey);
      if (one instanceof AppError) return one;
      if (!before) return { id: one.id, log: () => toLog({ ...one, updateAt: null, editCount: 0 }, async () => []) };
      if (before.inputHash !== one.inputHash) return otherContent(given[index]!.path('idempotencyKey'));
      const row = before.row!;
      return { id: row.id, log: () => toLog(row, this.edits.loaderOf([row], budget)) };
    });
  }

  /**
   * What was stored first, for the keys of records that were not. Content is loaded only where it is that which was sent, so
   * that it is no larger.
   */
  private async firstOfKeys(tenantId: string, rows: NewLog[]): Promise<Map<string, First>> {
    const keys = new Set(rows.flatMap(({ idempotencyKey }) => idempotencyKey ?? []));
    const stored = keys.size > 0 ? await keysOfLogs(this.prisma, tenantId, [...keys]) : [];
    const first = new Map<string, First>(stored.map((one) => [one.idempotencyKey!, one]));
    const same = rows.flatMap(({ idempotencyKey, inputHash }) => {
      const one = first.get(idempotencyKey ?? '');
      return one?.inputHash === inputHash ? one.id : [];
    });
    const logs = same.length > 0 ? await logsOfIds(this.prisma, this.config.isPostgres, tenantId, [...new Set(same)]) : [];
    const byId = new Map(logs.map((row) => [row.id, row]));
    for (const one of first.values()) one.row = byId.get(one.id);
    return first;
  }
}

function newLog(tenantId: string, operation: CreateOperation, input: CreateLogInput): NewLog {
  return Object.assign(contentOf(tenantId, input), idempotencyOf(operation, input));
}

function checkCount(field: string, list: unknown[]): void {
  if (list.length < 1 || list.length > MAX_RECORDS) throw badInput(field, `must have 1 to ${MAX_RECORDS} records`);
}

function otherContent(field: string): AppError {
  return new AppError('CONFLICT', `${field}: was used before, with other content; a new record needs a new key`, { field });
}

function batchResult(items: (Stored | AppError)[]): CreateLogBatchResult {
  return { results: items.map((item) => (item instanceof AppError ? { error: { message: item.message } } : resultOf(item))) };
}

function resultOf({ id, log }: Stored): CreateLogResult {
  return {
    itemId: id,
    get item() {
      return log();
    },
  };
}
