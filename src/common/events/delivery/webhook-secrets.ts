import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type AllTenants, Database } from '../../database/database.js';
import { BackgroundJobs } from '../../jobs/background-jobs.js';
import { SealedTexts } from '../../signing/sealed-texts.js';
import type { WebhookModel as WebhookRow } from '../../../generated/sqlite/models.js';

/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 24;
const PREFIX = 'whsec_';
const EVERY_MS = 60 * 60_000;
const ROWS_PER_STEP = 500;

/** The secrets of webhooks, which are stored sealed. A job seals them anew after SECRET_KEY was replaced. */
@Injectable()
export class WebhookSecrets {
  private readonly everyTenant: AllTenants;

  constructor(
    private readonly sealed: SealedTexts,
    database: Database,
    jobs: BackgroundJobs,
  ) {
    this.everyTenant = database.acrossTenants('the secrets of all tenants are sealed anew');
    jobs.add({ name: 'webhook-secrets', everyMs: EVERY_MS, run: (signal) => this.renew(signal) });
  }

  /** Makes a secret, as its owner sees it once. */
  create(): string {
    return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
  }

  seal(webhookId: string, secret: string): string {
    return this.sealed.seal(secret, contextOf(webhookId));
  }

  /** Returns the keys that sign now: the present one, and the one before for as long as they overlap. */
  signingKeys({ id, secret, previousSecret, previousSecretUntil }: WebhookRow): Buffer[] {
    const isOverlapping = previousSecret !== null && previousSecretUntil !== null && previousSecretUntil > new Date();
    return [secret, ...(isOverlapping ? [previousSecret] : [])].map((text) => {
      return Buffer.from(this.sealed.open(text, contextOf(id)).slice(PREFIX.length), 'base64');
    });
  }

  /** Seals all secrets under the present SECRET_KEY, so that an old one can go. */
  private async renew(signal: AbortSignal): Promise<void> {
    for (let after = ''; !signal.aborted;) {
      const rows = await this.everyTenant.webhook.findMany({
        where: { id: { gt: after } },
        orderBy: { id: 'asc' },
        take: ROWS_PER_STEP,
      });
      for (const row of rows) await this.renewOne(row);
      if (rows.length < ROWS_PER_STEP) return;
      after = rows.at(-1)!.id;
    }
  }

  private async renewOne({ id, secret, previousSecret }: WebhookRow): Promise<void> {
    const anew = (text: string): string => this.seal(id, this.sealed.open(text, contextOf(id)));
    const isOld = [secret, previousSecret].some((text) => text !== null && !this.sealed.isCurrent(text));
    if (!isOld) return;
    const data = { secret: anew(secret), previousSecret: previousSecret && anew(previousSecret) };
    await this.everyTenant.webhook.updateMany({ where: { id, secret }, data });
  }
}

const contextOf = (webhookId: string): string => `Webhook ${webhookId}`;
