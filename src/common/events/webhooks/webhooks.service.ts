import { Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/caller.js';
import { missingEntry } from '../../auth/scopes.js';
import { Database } from '../../database/database.js';
import { AppError, badInput, notFound, quoted } from '../../errors/app-error.js';
import { isId, uuidv7 } from '../../ids/ids.js';
import { OutboundHttp } from '../../outbound/outbound-http.js';
import { Cursors } from '../../pages/cursors.js';
import type { Page } from '../../pages/page.js';
import { StoredSecrets } from '../../secrets/stored-secrets.js';
import { TenantData } from '../../tenants/tenant-data.js';
import { checkInput } from '../../validation/text.js';
import type { EventKinds, TenantService } from '../outbox/event.js';
import { POLL_URL, WebhookDirectory } from '../outbox/webhook-directory.js';
import { secretOf } from '../delivery/signature.js';
import { MAX_OVERLAP_S, MAX_WEBHOOKS } from '../delivery/limits.js';
import { createWebhookRules, updateWebhookRules, type WebhookGiven } from './webhook.inputs.js';
import type { Webhook, WebhookSecret } from './webhook.model.js';
import { toWebhook, type WebhookRow } from './webhook-row.js';

interface EventService {
  service: TenantService;
  kinds: EventKinds;
}

/** The rules of webhooks: who is told of which events, at which address. */
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

  async create(caller: Caller, of: EventService, input: WebhookGiven): Promise<WebhookSecret> {
    const { url, events, active, description } = checkInput(createWebhookRules, input);
    this.checkUrl(url);
    checkReadable(caller, of, events);
    const { tenantId } = caller;
    const id = uuidv7();
    const secret = secretOf();
    const own = this.database.of(tenantId);
    if ((await own.webhook.count({ where: { service: of.service } })) >= MAX_WEBHOOKS) throw tooMany();
    const row = await own.webhook.create({
      data: {
        id,
        tenantId,
        service: of.service,
        url,
        events: JSON.stringify(events),
        active: active ?? true,
        description: description ?? null,
        secret: this.secrets.seal('Webhook', id, secret),
        updatedAt: new Date(),
      },
    });
    await this.directory.refresh();
    return { webhook: toWebhook(row), secret };
  }

  async update(caller: Caller, of: EventService, id: string, input: WebhookGiven): Promise<Webhook> {
    const { url, events, active, description } = checkInput(updateWebhookRules, input);
    const before = await this.row(caller, of.service, id);
    if (typeof url === 'string' && url !== before.url) {
      if ([url, before.url].includes(POLL_URL))
        throw badInput('input.url', 'cannot change to or from poll:; create another webhook');
      this.checkUrl(url);
    }
    checkReadable(caller, of, events ?? (JSON.parse(before.events) as string[]));
    const isRevived = active === true && !before.active;
    const row = await this.write(before, {
      ...(typeof url === 'string' && { url }),
      ...(events && { events: JSON.stringify(events) }),
      ...(typeof active === 'boolean' && { active }),
      ...(description !== undefined && { description }),
      ...((isRevived || typeof url === 'string') && HEALTHY),
    });
    return toWebhook(row);
  }

  async delete(caller: Caller, service: TenantService, id: string): Promise<Webhook> {
    const row = await this.row(caller, service, id);
    await this.database.of(caller.tenantId).webhook.deleteMany({ where: { id: row.id } });
    await this.directory.refresh();
    return toWebhook(row);
  }

  /** Makes a new secret; for `overlapS` seconds the one before signs too. */
  async rotate(caller: Caller, service: TenantService, id: string, overlapS: number): Promise<WebhookSecret> {
    if (overlapS < 0 || overlapS > MAX_OVERLAP_S) throw badInput('overlap', `must be from 0 to ${MAX_OVERLAP_S} seconds`);
    const before = await this.row(caller, service, id);
    const secret = secretOf();
    const row = await this.write(before, {
      secret: this.secrets.seal('Webhook', before.id, secret),
      previousSecret: before.secret,
      previousSecretUntil: new Date(Date.now() + overlapS * 1_000),
    });
    return { webhook: toWebhook(row), secret };
  }

  /** Newest first. */
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
    return this.cursors.firstOf(rows.map(toWebhook), size, context);
  }

  /** @throws NOT_FOUND */
  async row({ tenantId }: Caller, service: TenantService, id: string): Promise<WebhookRow> {
    const row = isId(id) && (await this.database.of(tenantId).webhook.findUnique({ where: { id } }));
    if (!row || row.service !== service) throw notFound(`Webhook ${quoted(id)}`);
    return row;
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

const HEALTHY = { failures: 0, failingSince: null, lastError: null, pausedUntil: null, disabledAt: null };

const tooMany = (): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', `The service has ${MAX_WEBHOOKS} webhooks of the tenant; delete one first`);

/** @throws FORBIDDEN if the caller may not read what the events show */
function checkReadable({ scope }: Caller, { service, kinds }: EventService, events: string[]): void {
  for (const event of events) {
    const { readBy } = kinds[event]!;
    if (readBy.some((query) => missingEntry(scope, service, 'query', query) === undefined)) continue;
    const entry = missingEntry(scope, service, 'query', readBy[0]!)!;
    throw new AppError(
      'FORBIDDEN',
      `The key's scope lacks the entry ${entry}, which ${event} needs, since it shows such objects`,
    );
  }
}
