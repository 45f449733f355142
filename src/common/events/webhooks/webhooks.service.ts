import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller.js';
import { missingEntry } from '../../auth/scopes.js';
import { Database } from '../../database/database.js';
import { lockTenant, type TenantTransaction } from '../../database/tenant-database.js';
import { AppError, badInput, notFound, quoted } from '../../base/app-error.js';
import { isId, uuidv7 } from '../../base/ids.js';
import { OutboundHttp } from '../../outbound/outbound-http.js';
import { Cursors } from '../../lists/cursors.js';
import type { Page } from '../../lists/page.js';
import { StoredSecrets } from '../../signing/stored-secrets.js';
import { TenantData } from '../../tenants/tenant-data.js';
import { checkInput } from '../../base/text.js';
import type { EventKinds, TenantService } from '../outbox/event.js';
import { POLL_URL, WebhookDirectory } from '../outbox/webhook-directory.js';
import { secretOf } from '../delivery/signature.js';
import { DEFAULT_OVERLAP_S, MAX_FORMER_SECRETS, MAX_OVERLAP_S, MAX_WEBHOOKS } from '../delivery/limits.js';
import { formerSecrets, rotatedColumns } from '../delivery/webhook-secrets.js';
import type { CreateWebhookInput, UpdateWebhookInput, WebhookInputs } from './webhook.inputs.js';
import type { Webhook, WebhookSecret } from './webhook.model.js';
import { type EventCounts, eventCounts } from './waiting-events.queries.js';
import { toWebhook, type WebhookRow } from './webhook-row.js';

/** Service with events, and its webhook inputs. */
interface EventService {
  service: TenantService;
  kinds: EventKinds;
  inputs: WebhookInputs;
}

/** Manages webhooks: subscriptions, URLs and secrets. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly database: Database,
    private readonly directory: WebhookDirectory,
    private readonly secrets: StoredSecrets,
    private readonly outbound: OutboundHttp,
    private readonly cursors: Cursors,
    data: TenantData,
  ) {
    data.addRows('webhooks', 'Webhook', 'id');
  }

  async create(caller: Caller, of: EventService, input: CreateWebhookInput): Promise<WebhookSecret> {
    const { url, events, active, description, secret: given } = checkInput(of.inputs.CreateWebhookInput.rules, input);
    this.checkUrl(url);
    checkReadable(caller, of, events);
    const { tenantId } = caller;
    const id = uuidv7();
    const secret = given ?? secretOf();
    const data = {
      id,
      tenantId,
      service: of.service,
      url,
      events: JSON.stringify(events),
      active: active ?? true,
      description: description ?? null,
      secret: this.secrets.seal('Webhook', id, secret),
      updatedAt: new Date(),
    };
    const row = await this.database.of(tenantId).$transaction(async (own) => {
      await lockTenant(own, this.database.dialect);
      if ((await own.webhook.count({ where: { service: of.service } })) >= MAX_WEBHOOKS) throw tooMany();
      return own.webhook.create({ data });
    });
    await this.directory.refresh();
    return { webhook: this.shown(row), secret };
  }

  async update(caller: Caller, of: EventService, id: string, input: UpdateWebhookInput): Promise<Webhook> {
    const { url, events, active, description, secret } = checkInput(of.inputs.UpdateWebhookInput.rules, input);
    const before = await this.row(caller, of.service, id);
    if (typeof url === 'string' && url !== before.url) {
      if ([url, before.url].includes(POLL_URL))
        throw badInput('input.url', 'cannot change to or from poll:; create another webhook');
      this.checkUrl(url);
    }
    checkReadable(caller, of, events ?? (JSON.parse(before.events) as string[]));
    if (secret) await this.replaceSecret(caller, of.service, id, { secret, overlapS: DEFAULT_OVERLAP_S });
    const isRevived = active === true && !before.active;
    const row = await this.write(before, {
      ...(typeof url === 'string' && { url }),
      ...(events && { events: JSON.stringify(events) }),
      ...(typeof active === 'boolean' && { active }),
      ...(description !== undefined && { description }),
      ...((isRevived || typeof url === 'string') && HEALTHY),
    });
    return this.shown(row);
  }

  async delete(caller: Caller, service: TenantService, id: string): Promise<Webhook> {
    const row = await this.row(caller, service, id);
    await this.database.of(caller.tenantId).webhook.deleteMany({ where: { id: row.id } });
    await this.directory.refresh();
    return this.shown(row);
  }

  /** Creates a new secret. The previous one signs too for `overlapS` seconds; with 0 only the new one signs. */
  async rotate(caller: Caller, service: TenantService, id: string, overlapS: number): Promise<WebhookSecret> {
    if (overlapS < 0 || overlapS > MAX_OVERLAP_S) throw badInput('overlap', `must be from 0 to ${MAX_OVERLAP_S} seconds`);
    return this.replaceSecret(caller, service, id, { secret: secretOf(), overlapS });
  }

  /** Signs with a secret from now on, and with the previous one for `overlapS` seconds. The current secret changes nothing. */
  private async replaceSecret(
    caller: Caller,
    service: TenantService,
    id: string,
    { secret, overlapS }: { secret: string; overlapS: number },
  ): Promise<WebhookSecret> {
    const row = await this.database.of(caller.tenantId).$transaction(async (own) => {
      await lockTenant(own, this.database.dialect);
      const before = await rowIn(own, service, id);
      if (secret === this.secrets.open('Webhook', id, before.secret)) return before;
      const former = overlapS === 0 ? [] : formerSecrets(this.secrets, before);
      if (former.length >= MAX_FORMER_SECRETS) throw tooManySecrets(former.map(({ until }) => until));
      const until = new Date(Date.now() + overlapS * 1_000);
      const columns = rotatedColumns(this.secrets, before, { secret, until, former });
      return own.webhook.update({ where: { id: before.id }, data: { ...columns, updatedAt: new Date() } });
    });
    return { webhook: this.shown(row), secret };
  }

  /** Returns a page, newest first. */
  async page(
    { tenantId }: Caller,
    service: TenantService,
    nextToken: string | null,
    limit: number | null,
  ): Promise<Page<Webhook>> {
    const size = this.cursors.limit(limit ?? MAX_WEBHOOKS, MAX_WEBHOOKS);
    const context = { tenantId, operation: 'webhooks', filter: { service } };
    const after = this.cursors.after(nextToken, context);
    const rows = await this.database.of(tenantId).webhook.findMany({
      where: { service, ...(after !== undefined && { id: { lt: after } }) },
      orderBy: { id: 'desc' },
      take: size + 1,
    });
    return this.cursors.firstOf(this.allShown(tenantId, rows), size, context);
  }

  /** Returns the row of a webhook. @throws NOT_FOUND */
  row({ tenantId }: Caller, service: TenantService, id: string): Promise<WebhookRow> {
    return rowIn(this.database.of(tenantId), service, id);
  }

  private shown(row: WebhookRow): Webhook {
    return this.allShown(row.tenantId, [row])[0]!;
  }

  /** Returns webhooks, whose events are counted on demand, in one statement for all. */
  private allShown(tenantId: string, rows: WebhookRow[]): Webhook[] {
    const ids = rows.map(({ id }) => id);
    let counts: ReturnType<typeof eventCounts> | undefined;
    const countsOf = async (id: string): Promise<EventCounts> =>
      (await (counts ??= eventCounts(this.database, tenantId, ids))).get(id) ?? NO_EVENTS;
    return rows.map((row) => toWebhook(row, () => countsOf(row.id)));
  }

  private async write({ id, tenantId }: WebhookRow, data: Partial<WebhookRow>): Promise<WebhookRow> {
    const change = { where: { id }, data: { ...data, updatedAt: new Date() } };
    const [row] = await this.database.of(tenantId).webhook.updateManyAndReturn(change);
    if (!row) throw notFound(`Webhook ${id}`);
    await this.directory.refresh();
    return row;
  }

  private checkUrl(url: string): void {
    const problem = url === POLL_URL ? undefined : this.outbound.problemOf(url);
    if (problem) throw badInput('input.url', problem);
  }
}

/** Returns a webhook of a service. @throws NOT_FOUND */
export async function rowIn(own: TenantTransaction, service: TenantService, id: string): Promise<WebhookRow> {
  const row = isId(id) && (await own.webhook.findUnique({ where: { id } }));
  if (!row || row.service !== service) throw notFound(`Webhook ${quoted(id)}`);
  return row;
}

/** Counts of a webhook that is deleted. */
const NO_EVENTS: EventCounts = { waiting: 0, successRate: null };

const HEALTHY = { failures: 0, failingSince: null, lastError: null, pausedUntil: null, disabledAt: null };

const tooMany = (): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', `The service has ${MAX_WEBHOOKS} webhooks of the tenant; delete one first`);

const tooManySecrets = (untils: Date[]): AppError => {
  const first = new Date(Math.min(...untils.map(Number))).toISOString();
  const advice = `rotate again after ${first}, or with overlap 0, after which none of them signs`;
  return new AppError('FAILED_PRECONDITION', `${MAX_FORMER_SECRETS} secrets of earlier rotations still sign; ${advice}`);
};

/** Checks that the caller may read the objects of the events. @throws FORBIDDEN */
function checkReadable({ scope }: Caller, { service, kinds }: EventService, events: string[]): void {
  for (const event of events) {
    const { readBy } = kinds[event]!;
    if (readBy.some((query) => missingEntry(scope, service, 'query', query) === undefined)) continue;
    const entry = missingEntry(scope, service, 'query', readBy[0]!)!;
    throw new AppError(
      'FORBIDDEN',
      `The key's scope lacks the entry ${entry}, which ${event} requires since it contains such objects`,
    );
  }
}
