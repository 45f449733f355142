import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/auth/caller.js';
import { badInput } from '../../common/errors/app-error.js';
import { Log as AppLog } from '../../common/logging/log.js';
import { FILTER_FIELDS, type FilterField, logsWanted } from './inputs/logs-filter.rules.js';
import { EXPORT_FORMATS, type ExportFormat } from './log-lines.js';
import { LogsService } from './logs.service.js';
import type { Log } from './models/log.model.js';
import { breathe } from './seals/hashing.js';

const PARAMETERS: string[] = ['format', 'from', 'to', ...FILTER_FIELDS];

/** More than an ordinary page, which is one chunk. */
const CHUNK_LENGTH = 1024 * 1024;

export interface LogExport {
  contentType: string;
  fileName: string;
  content: Readable;
}

/** Writes the log out, a page at a time and no faster than it is read, so that its length does not matter. */
@Injectable()
export class LogExportService {
  constructor(
    private readonly logs: LogsService,
    private readonly appLog: AppLog,
  ) {}

  /** The first page is read before the answer begins, so that what fails at once can still be said. */
  async start(caller: Caller, query: Record<string, unknown>): Promise<LogExport> {
    const { format = 'ndjson', from, to, ...filter } = checkParameters(query);
    if (format !== 'ndjson' && format !== 'csv') throw badInput('format', 'must be ndjson or csv');
    const wanted = logsWanted({ ...filter, dateTime: { from, to } }, { fields: '', times: '' });
    const pages = this.logs.pages(caller, wanted);
    const first = await pages.next();
    const chunks = this.chunks(first.value ?? [], pages, EXPORT_FORMATS[format]);
    const content = Readable.from(chunks, { objectMode: false, highWaterMark: 1 });
    return { contentType: EXPORT_FORMATS[format].contentType, fileName: `document-log.${format}`, content };
  }

  /** A failure ends the content with an error, so that what came is not taken for all. */
  private async *chunks(first: Log[], rest: AsyncIterable<Log[]>, { head, line }: ExportFormat): AsyncGenerator<string> {
    try {
      yield head;
      yield* texts(first, line);
      for await (const page of rest) {
        yield* texts(page, line);
        await breathe(); // on SQLite nothing else here waits for anything, as long as the client is fast
      }
    } catch (error) {
      this.appLog.error({ err: error }, 'an export broke off');
      throw error;
    }
  }
}

/** The lines of a page, some at a time: a record's edits can be as large as a page. */
async function* texts(logs: Log[], line: ExportFormat['line']): AsyncGenerator<string> {
  let text = '';
  for (const log of logs) {
    text += line(log, await log.loadEdits());
    if (text.length < CHUNK_LENGTH) continue;
    yield text;
    text = '';
  }
  if (text) yield text;
}

type Parameters = Partial<Record<FilterField | 'format' | 'from' | 'to', string>>;

/** A misspelt filter would export what nobody asked for, so it is refused. */
function checkParameters(query: Record<string, unknown>): Parameters {
  for (const [name, value] of Object.entries(query)) {
    if (!PARAMETERS.includes(name)) throw badInput(name.slice(0, 100), `is unknown; there are ${PARAMETERS.join(', ')}`);
    if (typeof value !== 'string') throw badInput(name, 'must be given once');
  }
  return query;
}
