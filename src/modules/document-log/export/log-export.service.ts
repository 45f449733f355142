import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { eventLoop } from '../../../common/scheduling/event-loop.js';
import type { Caller } from '../../../common/auth/caller.js';
import { badInput, quoted } from '../../../common/base/app-error.js';
import { Logger } from '../../../common/logging/logger.js';
import { LogBundleService } from '../verification/log-bundle.service.js';
import { FILTER_FIELDS, type FilterField, logsWanted, type LogsWanted } from '../records/logs-filter.input.js';
import { DamagedRecord } from '../records/damaged-record.js';
import { EXPORT_FORMATS, type ExportFormat } from './log-lines.js';
import { LogsService } from '../logs/logs.service.js';
import type { Log } from '../models/log.model.js';
import { turnOf, type Work } from '../../../common/scheduling/heavy-run.js';

const PARAMETERS: string[] = ['format', 'bom', 'from', 'to', 'fromBlock', ...FILTER_FIELDS];
/** Byte order mark: makes Excel read the file as UTF-8. */
const BYTE_ORDER_MARK = '\u{FEFF}';
const MAX_BLOCK_DIGITS = 9;

/** Characters of a chunk. Most pages fit in one. */
const CHUNK_LENGTH = 1024 * 1024;

export interface LogExport {
  contentType: string;
  fileName: string;
  content: Readable;
}

/** Exports the log page by page, at the speed of the client, in constant memory. */
@Injectable()
export class LogExportService {
  constructor(
    private readonly logs: LogsService,
    private readonly bundles: LogBundleService,
    private readonly logger: Logger,
  ) {}

  /** Reads the first page before the response starts: an early failure then returns an error status. */
  async start(caller: Caller, query: Record<string, unknown>): Promise<LogExport> {
    const { format = 'ndjson', bom = 'false', from, to, fromBlock, ...filter } = checkParameters(query);
    if (format !== 'ndjson' && format !== 'csv' && format !== 'bundle') throw badInput('format', 'must be ndjson, csv or bundle');
    if (bom !== 'true' && bom !== 'false') throw badInput('bom', 'must be true or false');
    if (bom === 'true' && format !== 'csv') throw badInput('bom', 'is for format=csv only');
    const wanted = logsWanted({ ...filter, dateTime: { from, to } }, { fields: '', times: '' });
    if (format === 'bundle') return this.bundle(caller, wanted, fromBlock);
    if (fromBlock !== undefined) throw badInput('fromBlock', 'is for format=bundle only');
    const pages = this.logs.pages(caller, wanted);
    const first = await pages.next();
    const exported = EXPORT_FORMATS[format];
    const head = bom === 'true' ? BYTE_ORDER_MARK + exported.head : exported.head;
    const chunks = chunksOf(first.value ?? [], pages, { ...exported, head }, caller.work);
    const content = Readable.from(this.logged(chunks), { objectMode: false, highWaterMark: 1 });
    return { contentType: exported.contentType, fileName: `document-log.${format}`, content };
  }

  private async bundle(caller: Caller, wanted: LogsWanted, fromBlock = '0'): Promise<LogExport> {
    if (!/^\d+$/.test(fromBlock) || fromBlock.length > MAX_BLOCK_DIGITS) {
      throw badInput('fromBlock', 'must be the number of a block, from 0');
    }
    const lines = await this.bundles.start(caller, { wanted, fromBlock: Number(fromBlock) });
    const content = Readable.from(this.logged(inChunks(lines)), { objectMode: false, highWaterMark: 1 });
    return { contentType: EXPORT_FORMATS.ndjson.contentType, fileName: 'document-log-bundle.ndjson', content };
  }

  /** Aborts the response on failure, to mark the export as incomplete. */
  private async *logged(chunks: AsyncGenerator<string>): AsyncGenerator<string> {
    try {
      yield* chunks;
    } catch (error) {
      this.logger.error({ err: error }, 'an export of the log failed');
      throw error;
    }
  }
}

type Exported = Log | DamagedRecord;

async function* chunksOf(
  first: Exported[],
  rest: AsyncIterable<Exported[]>,
  format: ExportFormat,
  work: Work | undefined,
): AsyncGenerator<string> {
  yield format.head;
  yield* texts(first, format, work);
  for await (const page of rest) {
    yield* texts(page, format, work);
    await turnOf(work); // on SQLite, reads alone never yield the event loop
  }
}

async function* inChunks(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let text = '';
  for await (const line of lines) {
    text += line;
    if (text.length < CHUNK_LENGTH) continue;
    yield text;
    text = '';
  }
  if (text) yield text;
}

/** Formats a page in chunks: the edits of one record can be as large as a page. */
async function* texts(logs: Exported[], format: ExportFormat, work: Work | undefined): AsyncGenerator<string> {
  let text = '';
  for (const log of logs) {
    if (eventLoop.sliceUsed) await turnOf(work);
    text += await textOf(log, format);
    if (text.length < CHUNK_LENGTH) continue;
    yield text;
    text = '';
  }
  if (text) yield text;
}

/** Formats one record. A damaged record gets an error line and does not stop the export. */
async function textOf(log: Exported, { line, damagedLine }: ExportFormat): Promise<string> {
  if (log instanceof DamagedRecord) return damagedLine(log);
  try {
    return line(log, await log.loadEdits());
  } catch (error) {
    if (error instanceof DamagedRecord) return damagedLine(error);
    throw error;
  }
}

type Parameters = Partial<Record<FilterField | 'format' | 'bom' | 'from' | 'to' | 'fromBlock', string>>;

/** Rejects unknown parameters: a misspelt filter would export too much. */
function checkParameters(query: Record<string, unknown>): Parameters {
  for (const [name, value] of Object.entries(query)) {
    if (!PARAMETERS.includes(name)) throw badInput(quoted(name), `is unknown; there are ${PARAMETERS.join(', ')}`);
    if (typeof value !== 'string') throw badInput(name, 'must be given once');
  }
  return query;
}
