import type { WebhookModel as WebhookRow } from '../../../generated/sqlite/models.js';
import type { StoredSecrets } from '../../signing/stored-secrets.js';

/** Replaced secret that signs until a given time. */
interface FormerSecret {
  secret: string;
  until: Date;
}

type Secrets = Pick<WebhookRow, 'id' | 'secret' | 'previousSecret' | 'previousSecretUntil' | 'olderSecrets'>;

/** Returns the secrets that sign now: the current one first, then those within their overlap. */
export function signingSecrets(stored: StoredSecrets, row: Secrets): string[] {
  return [stored.open('Webhook', row.id, row.secret), ...formerSecrets(stored, row).map(({ secret }) => secret)];
}

/** Returns the replaced secrets within their overlap, newest first. */
export function formerSecrets(stored: StoredSecrets, row: Omit<Secrets, 'secret'>): FormerSecret[] {
  const { id, previousSecret, previousSecretUntil, olderSecrets } = row;
  const open = (text: string): string => stored.open('Webhook', id, text);
  const all: FormerSecret[] = [];
  if (previousSecret && previousSecretUntil) all.push({ secret: open(previousSecret), until: previousSecretUntil });
  if (olderSecrets) {
    for (const { secret, until } of JSON.parse(open(olderSecrets)) as { secret: string; until: string }[]) {
      all.push({ secret, until: new Date(until) });
    }
  }
  const now = new Date();
  return all.filter(({ until }) => until > now);
}

/** Returns the columns of a webhook with a new secret. The previous secrets sign too until their overlaps end. */
export function rotatedColumns(
  stored: StoredSecrets,
  row: Pick<Secrets, 'id' | 'secret'>,
  { secret, until, former }: FormerSecret & { former: FormerSecret[] },
): Omit<Secrets, 'id'> {
  return {
    secret: stored.seal('Webhook', row.id, secret),
    previousSecret: row.secret,
    previousSecretUntil: until,
    olderSecrets: former.length > 0 ? stored.seal('Webhook', row.id, JSON.stringify(former)) : null,
  };
}
