import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/auth/caller.js';
import { Config } from '../../common/config/config.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { AppError } from '../../common/errors/app-error.js';
import { Cursors, type Page } from '../../common/graphql/page.js';
import { checkText, MAX_NAME } from '../../common/validation/text.js';
import type { LogsFilter } from './inputs/logs-filter.input.js';
import { logsWanted, type LogsWanted } from './inputs/logs-filter.rules.js';
import { LogEditsService } from './log-edits.service.js';
import { type LogDetails, toLog } from './log-row.js';
import { latestOfAttributes, type LogPosition, pageOfLogs } from './logs.queries.js';
import { type DocumentAttributeState, type Log, MAX_DOCUMENT_ATTRIBUTES } from './models/log.model.js';

/** So few are gone before V8 takes them for long-lived; of a page of ten times as many it keeps three times as much of each. */
const EXPORT_PAGE = 100;

/** Reads the log, newest event first. */
@Injectable()
export class LogsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly cursors: Cursors,
    private readonly edits: LogEditsService,
    private readonly config: Config,
  ) {}

  async page(
    { tenantId }: Caller,
    filter: LogsFilter | null | undefined,
    nextToken: string | null | undefined,
    limit: number | null | undefined,
  ): Promise<Page<Log>> {
    const wanted = logsWanted(filter ?? {});
    const size = this.cursors.limit(limit);
    const context = { tenantId, operation: 'logs', filter: wanted };
    const after = fromKey(this.cursors.after(nextToken, context));
    const rows = await pageOfLogs(this.prisma, this.config.isPostgres, { tenantId, wanted, after, limit: size + 1 });
    const { items, ...page } = this.cursors.page(rows, size, toKey, context);
    const editsOf = this.edits.loaderOf(items);
    return { ...page, items: items.map((row) => toLog(row, editsOf)) };
  }

  /** All that is wanted, a page at a time; the next page is read when it is asked for. */
  async *pages({ tenantId }: Caller, wanted: LogsWanted): AsyncGenerator<Log[], void> {
    const query = { tenantId, wanted, limit: EXPORT_PAGE, isLong: true };
    for (let after: LogPosition | undefined; ;) {
      const rows = await pageOfLogs(this.prisma, this.config.isPostgres, { ...query, after });
      const editsOf = this.edits.loaderOf(rows);
      yield rows.map((row) => toLog(row, editsOf));
      if (rows.length < EXPORT_PAGE) return;
      after = rows.at(-1);
    }
  }

  /** The latest value of each attribute with an id, by the time of the events. */
  async documentState(
    { tenantId }: Caller,
    { documentId, documentType, at }: { documentId: string; documentType: string; at: Date | null | undefined },
  ): Promise<DocumentAttributeState[]> {
    checkText('documentId', documentId, { max: MAX_NAME });
    checkText('documentType', documentType, { max: MAX_NAME });
    const document = { tenantId, documentId, documentType, at: at ?? new Date() };
    const rows = await latestOfAttributes(this.prisma, this.config.isPostgres, document);
    if (rows.length > MAX_DOCUMENT_ATTRIBUTES) throw tooManyAttributes();
    return rows.map(({ id, attributeId, dateTime, details }) => {
      const { attribute, attributeNewValue } = JSON.parse(details) as LogDetails;
      return { attributeId, attribute, value: attributeNewValue, dateTime, logId: id };
    });
  }
}

function tooManyAttributes(): AppError {
  return new AppError('PAYLOAD_TOO_LARGE', `The document has more than ${MAX_DOCUMENT_ATTRIBUTES} attributes; read its logs`);
}

function toKey({ dateTime, id }: LogPosition): string {
  return `${dateTime.getTime()} ${id}`;
}

function fromKey(key: string | undefined): LogPosition | undefined {
  if (key === undefined) return undefined;
  const [time, id] = key.split(' ') as [string, string];
  return { dateTime: new Date(Number(time)), id };
}
