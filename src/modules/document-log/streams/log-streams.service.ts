import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { missingEntry } from '../../../common/auth/scopes.js';
import { Database } from '../../../common/database/database.js';
import { lockTenant } from '../../../common/database/tenant-database.js';
import { AppError, badInput, notFound, quoted } from '../../../common/base/app-error.js';
import { isId, uuidv7 } from '../../../common/base/ids.js';
import { OutboundHttp } from '../../../common/outbound/outbound-http.js';
import { Cursors } from '../../../common/lists/cursors.js';
import type { Page } from '../../../common/lists/page.js';
import { StoredSecrets } from '../../../common/signing/stored-secrets.js';
import { TenantData } from '../../../common/tenants/tenant-data.js';
import { checkInput } from '../../../common/base/text.js';
import { type CheckedDestination, CreateLogStreamInput, UpdateLogStreamInput } from './log-stream.inputs.js';
import { type LogStream, LogStreamFormat, MAX_STREAMS } from './log-stream.model.js';
import { SealsService } from '../seals/seals.service.js';
import { storedDestination } from './destination.js';
import { type LogStreamRow, toLogStream } from './log-stream-row.js';
import { seqBefore, waitingCount } from './log-streams.queries.js';

const HEALTHY = { failures: 0, failingSince: null, lastError: null, notBefore: null };

/** Manages log streams: destinations, positions and state. */
@Injectable()
export class LogStreamsService {
  constructor(
    private readonly database: Database,
    private readonly secrets: StoredSecrets,
    private readonly outbound: OutboundHttp,
    private readonly seals: SealsService,
    private readonly cursors: Cursors,
    data: TenantData,
  ) {
    data.addRows('log streams', 'LogStream', 'id');
  }

  async create(caller: Caller, input: CreateLogStreamInput): Promise<LogStream> {
    const { name, destination, format, from } = checkInput(CreateLogStreamInput.rules, input);
    checkReadable(caller);
    const { tenantId } = caller;
    const id = uuidv7();
    const columns = this.columnsOf(id, destination);
    const data = {
      id,
      tenantId,
      name,
      ...columns,
      format: format ?? LogStreamFormat.NDJSON,
      active: true,
      updatedAt: new Date(),
      position: from ? await seqBefore(this.database, tenantId, from) : await this.sealed(),
    };
    const row = await this.database.of(tenantId).$transaction(async (own) => {
      await lockTenant(own, this.database.dialect);
      if ((await own.logStream.count()) >= MAX_STREAMS) throw tooMany();
      return own.logStream.create({ data });
    });
    return toLogStream(row);
  }

  async update(caller: Caller, id: string, input: UpdateLogStreamInput): Promise<LogStream> {
    const { name, destination, format, active } = checkInput(UpdateLogStreamInput.rules, input);
    checkReadable(caller);
    const before = await this.row(caller, id);
    return this.write(before, {
      ...(typeof name === 'string' && { name }),
      ...(destination && this.columnsOf(before.id, destination)),
      ...(format && { format }),
      ...(typeof active === 'boolean' && { active }),
      ...((destination || active === true) && HEALTHY),
    });
  }

  /** Moves the position back or ahead to the records written from a time on. */
  async rewind(caller: Caller, id: string, to: Date): Promise<LogStream> {
    checkReadable(caller);
    const before = await this.row(caller, id);
    const position = await seqBefore(this.database, caller.tenantId, to);
    return this.write(before, { position, deliveredTo: null, ...HEALTHY });
  }

  async delete(caller: Caller, id: string): Promise<LogStream> {
    const row = await this.row(caller, id);
    await this.database.of(caller.tenantId).logStream.deleteMany({ where: { id: row.id } });
    return toLogStream(row);
  }

  /** Returns a page of streams, newest first. */
  async page({ tenantId }: Caller, nextToken: string | null, limit: number | null): Promise<Page<LogStream>> {
    const size = this.cursors.limit(limit ?? MAX_STREAMS, MAX_STREAMS);
    const context = { tenantId, operation: 'log streams', filter: {} };
    const after = this.cursors.after(nextToken, context);
    const rows = await this.database.of(tenantId).logStream.findMany({
      where: after === undefined ? {} : { id: { lt: after } },
      orderBy: { id: 'desc' },
      take: size + 1,
    });
    return this.cursors.firstOf(rows.map(toLogStream), size, context);
  }

  /** Counts the sealed records after a position, up to MAX_WAITING. */
  async waiting({ tenantId }: Caller, position: string): Promise<number> {
    return waitingCount(this.database, { tenantId, position: BigInt(position), sealed: await this.sealed() });
  }

  private async row({ tenantId }: Caller, id: string): Promise<LogStreamRow> {
    const row = isId(id) && (await this.database.of(tenantId).logStream.findUnique({ where: { id } }));
    if (!row) throw notFound(`Log stream ${quoted(id)}`);
    return row;
  }

  private async write({ id, tenantId }: LogStreamRow, data: Partial<LogStreamRow>): Promise<LogStream> {
    const change = { where: { id }, data: { ...data, updatedAt: new Date() } };
    const [row] = await this.database.of(tenantId).logStream.updateManyAndReturn(change);
    if (!row) throw notFound(`Log stream ${id}`);
    return toLogStream(row);
  }

  /** Checks a destination, and encrypts its secrets for the row. */
  private columnsOf(id: string, given: CheckedDestination): Pick<LogStreamRow, 'kind' | 'destination' | 'secret'> {
    const { kind, shown, secrets } = storedDestination(given);
    const [name] = Object.entries(given).find(([, value]) => value)!;
    const problem = this.outbound.problemOf(shown.url) ?? (name === 's3' ? pathProblem(shown.url) : undefined);
    if (problem) throw badInput(`input.destination.${ADDRESS_FIELDS[kind]}`, problem);
    for (const [index, header] of (shown.headers ?? []).entries()) {
      if (this.outbound.maySet(header) && !OF_BODY.test(header)) continue;
      throw badInput(
        `input.destination.https.headers.${index}.name`,
        `must not be ${quoted(header)}, which the platform sets; leave it out`,
      );
    }
    const secret = secrets && this.secrets.seal('LogStream', id, JSON.stringify(secrets));
    return { kind, destination: JSON.stringify(shown), secret };
  }

  private async sealed(): Promise<bigint> {
    return (await this.seals.sealedUpTo())?.seq ?? 0n;
  }
}

const ADDRESS_FIELDS = { HTTPS: 'https.url', SPLUNK: 'splunk.url', DATADOG: 'datadog.site', S3: 's3.endpoint' };

/** Headers of the body, set by the platform. */
const OF_BODY = /^(content-.*|digest|repr-digest)$/i;

const pathProblem = (url: string): string | undefined => {
  const { pathname, search } = new URL(url);
  return pathname === '/' && search === '' ? undefined : 'must have no path; send the bucket and the prefix in their own fields';
};

const tooMany = (): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', `The tenant already has ${MAX_STREAMS} log streams, the maximum; delete one first`);

/** @throws FORBIDDEN if the caller may not read log records */
function checkReadable({ scope }: Caller): void {
  const entry = missingEntry(scope, 'document-log', 'query', 'logs');
  if (entry === undefined) return;
  throw new AppError(
    'FORBIDDEN',
    `A log stream sends records, but the scope of the key lacks ${entry}; use a key with that entry`,
  );
}
