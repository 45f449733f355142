import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type AllTenants, Database } from '../../database/database.js';
import { SealedTexts } from '../../signing/sealed-texts.js';
import { keyOf, SECRET_BYTES, secretOf } from './signature.js';
import type { WebhookModel as WebhookRow } from '../../../generated/sqlite/models.js';

const ROWS_PER_STEP = 500;

/** The secrets of webhooks, which are stored sealed. `rotate` seals them anew after SECRET_KEY was replaced. */
@Injectable()
export class WebhookSecrets {
  private readonly everyTenant: AllTenants;

  constructor(
    private readonly sealed: SealedTexts,
    database: Database,
  ) {
    this.everyTenant = database.acrossTenants('the secrets of all tenants are sealed anew');
  }

  /** Makes a secret, as its owner sees it once. */
  create(): string {
    return secretOf(randomBytes(SECRET_BYTES));
  }

  seal(webhookId: string, secret: string): string {
    return this.sealed.seal(secret, contextOf(webhookId));
  }

  /** Returns the keys that sign now: the present one, and the one before for as long as they overlap. */
  signingKeys({ id, secret, previousSecret, previousSecretUntil }: WebhookRow): Buffer[] {
    const isOverlapping = previousSecret !== null && previousSecretUntil !== null && previousSecretUntil > new Date();
    return [secret, ...(isOverlapping ? [previousSecret] : [])].map((text) => {
      return keyOf(this.sealed.open(text, contextOf(id)));
    });
  }

  /** Seals all secrets under SECRET_KEY, so that an old one can go, and returns the number of webhooks. Can be repeated after a crash. */
  async renewAll(): Promise<number> {
    let renewed = 0;
    for (let after = ''; ;) {
      const rows = await this.everyTenant.webhook.findMany({
        where: { id: { gt: after } },
        orderBy: { id: 'asc' },
        take: ROWS_PER_STEP,
      });
      for (const row of rows) if (await this.renew(row)) renewed++;
      if (rows.length < ROWS_PER_STEP) return renewed;
      after = rows.at(-1)!.id;
    }
  }

  /** Returns how many webhooks need each secret, by its id. Looks at up to `limit` of them. */
  async needed(limit?: number): Promise<Map<string, number>> {
    const select = { secret: true, previousSecret: true } as const;
    const rows = await this.everyTenant.webhook.findMany({ select, ...(limit !== undefined && { take: limit }) });
    const counts = new Map<string, number>();
    for (const { secret, previousSecret } of rows) {
      const ids = new Set([secret, previousSecret ?? secret].map((text) => this.sealed.secretOf(text)));
      for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    return counts;
  }

  private async renew({ id, secret, previousSecret }: WebhookRow): Promise<boolean> {
    const anew = (text: string): string => this.seal(id, this.sealed.open(text, contextOf(id)));
    if ([secret, previousSecret ?? secret].every((text) => this.sealed.isCurrent(text))) return false;
    const data = { secret: anew(secret), previousSecret: previousSecret && anew(previousSecret) };
    const { count } = await this.everyTenant.webhook.updateMany({ where: { id, secret }, data });
    return count > 0;
  }
}

const contextOf = (webhookId: string): string => `Webhook ${webhookId}`;
