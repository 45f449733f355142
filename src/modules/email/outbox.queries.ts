import type { PrismaService } from '../../common/database/prisma.service.js';
import { SqlValues } from '../../common/database/sql-values.js';
import type { EmailRow, NewEmail, NewRecipient } from './email-row.js';

/** The part of the database that works inside of a transaction too. */
export type Statements = Pick<PrismaService, '$queryRawUnsafe' | '$executeRawUnsafe'>;

const EMAIL: Record<keyof NewEmail, string> = {
  id: 'text',
  tenantId: 'text',
  messageId: 'text',
  fromAddress: 'text',
  fromName: 'text',
  replyToAddress: 'text',
  replyToName: 'text',
  subject: 'text',
  html: 'text',
  text: 'text',
  createdAt: 'timestamp(3)',
  giveUpAt: 'timestamp(3)',
  dueAt: 'timestamp(3)',
  idempotencyKey: 'text',
  inputHash: 'text',
  hasAttachments: 'boolean',
};
const RECIPIENT = {
  emailId: 'text',
  position: 'integer',
  tenantId: 'text',
  kind: '"EmailRecipientKind"',
  address: 'text',
  name: 'text',
};
const EMAIL_NAMES = Object.keys(EMAIL) as (keyof NewEmail)[];
const RECIPIENT_NAMES = Object.keys(RECIPIENT);

const list = (names: string[]): string => names.map((name) => `"${name}"`).join();
const columns = (types: Record<string, string>): string =>
  Object.entries(types)
    .map(([name, type]) => `"${name}" ${type}`)
    .join();
const values = (names: string[], prefix: string): string =>
  names.map((name, index) => (prefix ? `${prefix}."${name}"` : `value ->> ${index}`)).join();

const INTO_EMAIL = `INSERT INTO "Email" (${list(EMAIL_NAMES)},"status","attempts")`;
const INTO_RECIPIENT = `INSERT INTO "EmailRecipient" (${list(RECIPIENT_NAMES)},"status")`;
const UNLESS_KEY_IS_THERE = 'ON CONFLICT DO NOTHING RETURNING "id"';

// Each takes all rows of a group as one parameter. One statement on PostgreSQL, and so a transaction of its own.
const INSERT_ON_POSTGRES = `
  WITH e AS (
    ${INTO_EMAIL} SELECT ${values(EMAIL_NAMES, 'r')},'QUEUED',0 FROM json_to_recordset($1::json) AS r(${columns(EMAIL)})
    ${UNLESS_KEY_IS_THERE}
  )
  ${INTO_RECIPIENT} SELECT ${values(RECIPIENT_NAMES, 'r')},'QUEUED'
  FROM json_to_recordset($2::json) AS r(${columns(RECIPIENT)}) JOIN e ON e."id" = r."emailId"
  RETURNING "emailId" AS "id"`;
const INSERT_ON_SQLITE = [
  `${INTO_EMAIL} SELECT ${values(EMAIL_NAMES, '')},'QUEUED',0 FROM json_each(?) WHERE true ${UNLESS_KEY_IS_THERE}`,
  `${INTO_RECIPIENT} SELECT ${values(RECIPIENT_NAMES, '')},'QUEUED'
   FROM json_each(?) WHERE EXISTS (SELECT 1 FROM "Email" WHERE "id" = value ->> 0)`,
] as const;

/** A message with its recipients, as elements of the parameters of `insertEmails`. */
export interface EmailElements {
  email: string;
  recipients: string;
}

export function asElements(email: NewEmail, recipients: NewRecipient[], isPostgres: boolean): EmailElements {
  const element = (row: Record<string, unknown>, names: string[]): string => {
    if (isPostgres) return JSON.stringify(row);
    return JSON.stringify(names.map((name) => (row[name] instanceof Date ? row[name].getTime() : row[name])));
  };
  const rows = recipients.map((one, position) => ({ emailId: email.id, position, tenantId: email.tenantId, ...one }));
  return {
    email: element({ ...email }, EMAIL_NAMES),
    recipients: rows.map((row) => element(row, RECIPIENT_NAMES)).join(),
  };
}

/**
 * Stores messages with their recipients; on SQLite only inside of a transaction. Answers with the ids of those that were
 * stored: of two with one key, the first.
 */
export async function insertEmails(database: Statements, isPostgres: boolean, elements: EmailElements[]): Promise<Set<string>> {
  const emails = `[${elements.map(({ email }) => email).join()}]`;
  const recipients = `[${elements.map((one) => one.recipients).join()}]`;
  if (isPostgres) {
    const rows = await database.$queryRawUnsafe<{ id: string }[]>(INSERT_ON_POSTGRES, emails, recipients);
    return new Set(rows.map(({ id }) => id));
  }
  const rows = await database.$queryRawUnsafe<{ id: string }[]>(INSERT_ON_SQLITE[0], emails);
  await database.$executeRawUnsafe(INSERT_ON_SQLITE[1], recipients);
  return new Set(rows.map(({ id }) => id));
}

/** Bodies up to here come with their rows; longer ones are read when it is their turn. */
const SMALL_BODY = 64 * 1024;

/** A message that is this node's to send, until its lease ends. */
export type ClaimedEmail = Pick<
  EmailRow,
  'id' | 'tenantId' | 'messageId' | 'fromAddress' | 'fromName' | 'replyToAddress' | 'replyToName' | 'subject' | 'html' | 'text'
> & { attempts: number; createdAtMs: number; giveUpAtMs: number; hasAttachments: boolean; isSmall: boolean };

interface ClaimedRow extends Omit<ClaimedEmail, 'hasAttachments' | 'isSmall' | 'attempts' | 'createdAtMs' | 'giveUpAtMs'> {
  attempts: number | bigint;
  createdAt: Date | number | bigint;
  giveUpAt: Date | number | bigint;
  hasAttachments: boolean | number | bigint;
  isSmall: boolean | number | bigint;
}

const TAKEN = `"id","tenantId","messageId","fromAddress","fromName","replyToAddress","replyToName","subject","attempts",
  "createdAt","giveUpAt","hasAttachments",
  CASE WHEN ${isSmall()} THEN "html" END AS "html", CASE WHEN ${isSmall()} THEN "text" END AS "text", ${isSmall()} AS "isSmall"`;

function isSmall(): string {
  return `coalesce(length("html"), 0) + coalesce(length("text"), 0) <= ${SMALL_BODY}`;
}

/** Written out, so that the partial index serves it. SQLite has to be told of it. */
const queued = (isPostgres: boolean): string =>
  `"Email" ${isPostgres ? '' : 'INDEXED BY "Email_turn_idx"'} WHERE "status" = 'QUEUED'`;

/**
 * Tenants that have messages due, in the order of their turns: after the tenant that had the last one, then from the
 * beginning. Steps from tenant to tenant along the index, whatever each of them has waiting.
 */
export async function tenantsInTurn(
  prisma: PrismaService,
  isPostgres: boolean,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const behind = await dueTenants(prisma, isPostgres, { after, limit });
  if (behind.length === limit || after === '') return behind;
  const before = await dueTenants(prisma, isPostgres, { after: '', limit: limit - behind.length });
  return [...behind, ...before.filter((tenantId) => !behind.includes(tenantId))];
}

async function dueTenants(
  prisma: PrismaService,
  isPostgres: boolean,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const { text, values } = dueTenantsStatement(isPostgres, { after, limit });
  const rows = await prisma.$queryRawUnsafe<{ tenantId: string }[]>(text, ...values);
  return rows.map(({ tenantId }) => tenantId);
}

/** Apart from its execution, so that a test can have it explained. */
export function dueTenantsStatement(isPostgres: boolean, { after, limit }: { after: string; limit: number }) {
  const sql = new SqlValues(isPostgres);
  const first = (than: string): string =>
    `SELECT (SELECT "tenantId" FROM ${queued(isPostgres)} AND "tenantId" > ${than} ORDER BY "tenantId" LIMIT 1)`;
  const text = `
    WITH RECURSIVE t("tenantId") AS (
      ${first(sql.value(after))} UNION ALL ${first('t."tenantId"')} FROM t WHERE t."tenantId" IS NOT NULL
    )
    SELECT "tenantId" FROM t WHERE "tenantId" IS NOT NULL AND EXISTS (
      SELECT 1 FROM ${queued(isPostgres)} AND "Email"."tenantId" = t."tenantId" AND "dueAt" <= ${sql.time(new Date())}
    ) LIMIT ${sql.value(limit)}`;
  return { text, values: sql.values };
}

interface Claim {
  holder: string;
  leaseMs: number;
  tenantIds: string[];
  /** The most that is taken of each tenant. */
  share: number;
}

/** Takes messages of tenants that are due, of each the longest due first. What another node is taking is passed over. */
export async function claimEmails(prisma: PrismaService, isPostgres: boolean, claim: Claim): Promise<ClaimedEmail[]> {
  const { text, values } = claimStatement(isPostgres, claim);
  const rows = await prisma.$queryRawUnsafe<ClaimedRow[]>(text, ...values);
  return rows.map(toClaimed).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Apart from its execution, so that a test can have it explained. */
export function claimStatement(isPostgres: boolean, { holder, leaseMs, tenantIds, share }: Claim) {
  const sql = new SqlValues(isPostgres);
  const now = Date.now();
  // Values are taken in the order in which they stand in the statement.
  const set = `"dueAt" = ${sql.time(new Date(now + leaseMs))}, "leaseHolder" = ${sql.value(holder)}, "attempts" = "attempts" + 1`;
  // The limits are written out, so that the planner knows that few rows are meant, however many there are.
  const oldest = (tenantId: string): string =>
    `SELECT "id" FROM ${queued(isPostgres)} AND "Email"."tenantId" = ${tenantId} AND "dueAt" <= ${sql.time(new Date(now))}
     ORDER BY "dueAt" LIMIT ${share}`;
  const due = isPostgres
    ? `SELECT e."id" FROM json_array_elements_text(${sql.value(JSON.stringify(tenantIds))}::json) AS t("tenantId")
       CROSS JOIN LATERAL (${oldest('t."tenantId"')} FOR UPDATE SKIP LOCKED) AS e LIMIT ${share * tenantIds.length}`
    : tenantIds.map((tenantId) => `SELECT * FROM (${oldest(sql.value(tenantId))})`).join(' UNION ALL ');
  const text = `
    UPDATE "Email" SET ${set}
    WHERE "id" IN (WITH due AS ${isPostgres ? 'MATERIALIZED' : ''} (${due}) SELECT "id" FROM due) RETURNING ${TAKEN}`;
  return { text, values: sql.values };
}

/** What RETURNING gives has no declared type on SQLite. */
function toClaimed(row: ClaimedRow): ClaimedEmail {
  const { attempts, createdAt, giveUpAt, hasAttachments, isSmall: small, ...rest } = row;
  return {
    ...rest,
    attempts: Number(attempts),
    createdAtMs: Number(createdAt),
    giveUpAtMs: Number(giveUpAt),
    hasAttachments: Boolean(hasAttachments),
    isSmall: Boolean(small),
  };
}
