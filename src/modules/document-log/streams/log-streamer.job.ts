import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '../../../common/database/database.js';
import { AppError } from '../../../common/base/app-error.js';
import { retryAfterMs } from '../../../common/events/delivery/retries.js';
import type { DueWanted } from '../../../common/jobs/due-rows.js';
import type { LeasedRows } from '../../../common/jobs/leased-rows.js';
import { LeasedWork } from '../../../common/jobs/leased-work.js';
import { OutboundFault } from '../../../common/outbound/fault-texts.js';
import { OutboundHttp } from '../../../common/outbound/outbound-http.js';
import { StoredSecrets } from '../../../common/signing/stored-secrets.js';
import { SuspendedTenants } from '../../../common/tenants/suspended-tenants.js';
import { logsWanted } from '../records/logs-filter.input.js';
import { type LogStreamFormat, LogStreamKind, MAX_BATCH, MAX_BATCH_BYTES } from './log-stream.model.js';
import type { LogEdit } from '../models/log.model.js';
import { LogEditsService } from '../logs/log-edits.service.js';
import { writtenPage } from '../logs/written-order.queries.js';
import { DamagedRecord, isTime, orDamaged } from '../records/damaged-record.js';
import { type ReadLogRow, toLog } from '../records/log-row.js';
import { SealsService } from '../seals/seals.service.js';
import { type Batch, BATCH_REQUESTS } from './batch-requests.js';
import type { Secrets, ShownDestination } from './destination.js';
import { FORMATS, type StreamedRecord } from './record-formats.js';
import type { LogStreamRow } from './log-stream-row.js';
import { sql } from '../../../common/database/sql/sql.js';
import { dueStreams } from './log-streams.queries.js';
import { StreamMetrics } from './stream-metrics.js';
import { backOffMs } from '../../../common/jobs/back-off.js';

/** Streams sent concurrently by a node, in total and per tenant. */
const MAX_SENDING = 20;
const MAX_SENDING_OF_TENANT = 3;
/** Batches per turn of a stream. */
const MAX_TURN = 20;
const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 1_024;
/** Minimum interval between objects that are not full. Prevents one object a second from a quiet log. */
const OBJECT_EVERY_MS = 60_000;
const BACK_OFF = { first: 1_000, longest: 300_000 };

interface Portion extends Batch {
  /** Last seq covered by this batch and the earlier ones. */
  end: bigint;
  /** True if more records follow. */
  more: boolean;
}

/**
 * Sends sealed records to the destinations of log streams, in the order of writing, from every node. Leases a stream to one node at a time.
 * Stores its position after the destination accepts a batch, so a crash in between resends that batch.
 */
@Injectable()
export class LogStreamer implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly streams: LeasedRows<LogStreamRow>;

  constructor(
    private readonly database: Database,
    private readonly seals: SealsService,
    private readonly edits: LogEditsService,
    private readonly secrets: StoredSecrets,
    private readonly outbound: OutboundHttp,
    private readonly suspended: SuspendedTenants,
    private readonly metrics: StreamMetrics,
    leased: LeasedWork,
  ) {
    const model = database.acrossTenants('a node sends for every tenant').logStream;
    const work = {
      what: 'log stream',
      most: MAX_SENDING,
      share: MAX_SENDING_OF_TENANT,
      model,
      due: async (wanted: DueWanted) => dueStreams(database, wanted, await this.sealed()),
      mayBeDue: () => sql`EXISTS (SELECT 1 FROM "LogStream" WHERE "active")`,
      run: (stream: LogStreamRow, signal: AbortSignal) => this.run(stream, signal),
    };
    this.streams = leased.on<LogStreamRow>(work);
  }

  onApplicationBootstrap(): void {
    this.streams.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.streams.stop();
  }

  /** Sends batches until none is left, one fails, or the turn ends. */
  private async run(stream: LogStreamRow, signal: AbortSignal): Promise<boolean> {
    const sealed = await this.sealed();
    let current: LogStreamRow | undefined = stream;
    for (let turn = 0; turn < MAX_TURN; turn++) {
      if (signal.aborted || this.suspended.has(stream.tenantId)) return false;
      const portion = await this.portionOf(current, sealed);
      if (portion.end === current.position) return true;
      const changes = portion.records.length === 0 ? {} : await this.send(current, portion, signal);
      if (!changes) return false;
      current = await this.note(current, { position: portion.end, ...changes });
      if (!current?.active || !portion.more || (current.notBefore && current.notBefore > new Date())) return true;
    }
    return true;
  }

  /** Reads the next records. Shrinks the batch after each failure, as a destination may reject it for its size. */
  private async portionOf(stream: LogStreamRow, sealed: bigint): Promise<Portion> {
    const { tenantId, position: after } = stream;
    if (sealed <= after) return { end: after, more: false, format: stream.format as LogStreamFormat, records: [] };
    const limit = Math.max(1, MAX_BATCH >> Math.min(stream.failures, 10));
    const range = { tenantId, wanted: logsWanted({}), after, upTo: sealed };
    const { rows, seqs, end } = await writtenPage(this.database, range, { limit, budget: undefined });
    const editsOf = this.edits.readerOf(rows);
    const format = stream.format as LogStreamFormat;
    const records: Batch['records'] = [];
    let bytes = 0;
    for (const [index, row] of rows.entries()) {
      const json = FORMATS[format](await recordOf(row, editsOf));
      records.push({ id: row.id, writtenAt: isTime(row.createdAt) ? row.createdAt : new Date(0), json });
      bytes += json.length;
      if (bytes >= MAX_BATCH_BYTES && index + 1 < rows.length) return { records, format, end: seqs[index]!, more: true };
    }
    return { records, format, end, more: end < sealed };
  }

  /**
   * Sends a batch. Returns the columns to update; undefined if the node stops or lacks memory for it. Keeps the position if it is absent.
   */
  private async send(stream: LogStreamRow, portion: Portion, signal: AbortSignal): Promise<Partial<LogStreamRow> | undefined> {
    const kind = stream.kind as LogStreamKind;
    let failure: { lastError: string; askedMs: number };
    try {
      const secrets =
        stream.secret === null ? {} : (JSON.parse(this.secrets.open('LogStream', stream.id, stream.secret)) as Secrets);
      const request = await BATCH_REQUESTS[kind](JSON.parse(stream.destination) as ShownDestination, secrets, portion);
      const bounds = { timeoutMs: TIMEOUT_MS, maxAnswerBytes: MAX_ANSWER_BYTES, signal };
      const { status, headers } = await this.outbound.send({ tenantId: stream.tenantId, ...request, ...bounds });
      if (status >= 200 && status < 300) {
        this.metrics.batches.inc({ kind, outcome: 'DELIVERED' });
        return { ...TAKEN, deliveredTo: portion.records.at(-1)!.writtenAt, ...afterSuccess(kind, portion) };
      }
      failure = { lastError: `The server responded with status ${status}`, askedMs: retryAfterMs(headers['retry-after']) };
    } catch (error) {
      if (signal.aborted || error instanceof AppError) return undefined;
      if (!(error instanceof OutboundFault)) throw error;
      failure = { lastError: error.message, askedMs: 0 };
    }
    this.metrics.batches.inc({ kind, outcome: 'FAILED' });
    return { position: stream.position, ...afterFailure(stream, failure) };
  }

  /** Stores an outcome, unless the stream was rewound, leased by another node or deleted meanwhile. */
  private async note(
    { id, tenantId, position, updatedAt }: LogStreamRow,
    data: Partial<LogStreamRow>,
  ): Promise<LogStreamRow | undefined> {
    const isSame = { id, position, updatedAt, leaseHolder: this.streams.holder };
    const [row] = await this.database.of(tenantId).logStream.updateManyAndReturn({ where: isSame, data });
    return row;
  }

  private async sealed(): Promise<bigint> {
    return (await this.seals.sealedUpTo())?.seq ?? 0n;
  }
}

/** Reads a record with its edits, or the error if either is damaged. */
async function recordOf(row: ReadLogRow, editsOf: (id: string) => Promise<LogEdit[]>): Promise<StreamedRecord> {
  const log = orDamaged(() => toLog(row, editsOf));
  try {
    return { log, edits: await editsOf(row.id) };
  } catch (error) {
    if (!(error instanceof DamagedRecord)) throw error;
    return { log: error, edits: [] };
  }
}

const TAKEN = { failures: 0, failingSince: null, lastError: null, notBefore: null };

function afterSuccess(kind: LogStreamKind, { more }: Portion): Partial<LogStreamRow> {
  const now = new Date();
  const rests = kind === LogStreamKind.S3 && !more;
  return { lastDeliveredAt: now, ...(rests && { notBefore: new Date(now.getTime() + OBJECT_EVERY_MS) }) };
}

function afterFailure(
  stream: LogStreamRow,
  { lastError, askedMs }: { lastError: string; askedMs: number },
): Partial<LogStreamRow> {
  const now = new Date();
  const pauseMs = backOffMs(stream.failures, BACK_OFF);
  return {
    failures: stream.failures + 1,
    failingSince: stream.failingSince ?? now,
    lastError,
    notBefore: new Date(now.getTime() + Math.max(pauseMs, askedMs)),
  };
}
