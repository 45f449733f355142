import { createHash } from 'node:crypto';
import type { AllTenantsTransaction, Database } from '../database/database.js';
import { raw, sql } from '../database/sql/sql.js';

/** Time within which a denial takes effect on every node. */
export const DENIED_WITHIN_MS = 5_000;

/** Returns the subject of cutoffs for a recipient. A hash, since the name of a person must not stay. */
export function subjectOfRecipient(tenantId: string, recipient: string): string {
  return createHash('sha256').update(`${tenantId} ${recipient}`).digest('base64url');
}

/**
 * Ends all tokens of a subject. The cutoff lies ahead of now: until then, a node may issue tokens for a key as it was before. Tokens
 * issued by a node that has seen the cutoff begin after it.
 */
export async function endTokens(
  transaction: AllTenantsTransaction,
  { tenantId, subject }: { tenantId: string; subject: string },
): Promise<Date> {
  const where = { tenantId_subject: { tenantId, subject } };
  const before = await transaction.accessCutoff.findUnique({ where });
  const at = new Date(Math.max(Date.now() + DENIED_WITHIN_MS, before?.at.getTime() ?? 0));
  await transaction.accessCutoff.upsert({ where, create: { tenantId, subject, at }, update: { at } });
  return at;
}

/** Cutoff of a subject, in milliseconds since 1970. */
export type Cutoff = [subject: string, atMs: number];

/** Reads cutoffs later than a time. */
export async function cutoffsAfter(database: Database, time: Date): Promise<Cutoff[]> {
  const { dialect } = database;
  const rows = await database
    .acrossTenants('tokens of every tenant are checked on each node')
    .$cells(
      sql`SELECT "subject", ${raw(dialect.milliseconds('"at"'))} FROM "AccessCutoff" WHERE "at" > ${dialect.time(time)} ORDER BY "at"`,
    );
  return rows.map(([subject, at]) => [String(subject), Number(at)]);
}
