import type { Database, Statements } from '../../../common/database/database.js';
import { bulkInsert } from '../../../common/database/sql/bulk-insert.js';
import { Columns } from '../../../common/database/sql/columns.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { compiledOnce } from '../../../common/database/sql/compiled-once.js';
import { raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import type { EmailTagModel } from '../../../generated/sqlite/models.js';
import { NEW_EMAIL, NEW_RECIPIENT, type NewEmail, type NewRecipient, pairsOf } from '../message-storage/email-row.js';

const EMAILS = bulkInsert(NEW_EMAIL, { status: `'QUEUED'`, attempts: '0' });
const RECIPIENTS = bulkInsert(NEW_RECIPIENT, { status: `'QUEUED'` });
const TAGS = bulkInsert(
  new Columns<EmailTagModel>('EmailTag', { emailId: 'key', position: 'integer', tenantId: 'key', name: 'text', value: 'text' }),
);

// Keys are columns of the mail. A separate table took up to 1.12 times the processor time (decision 099).
const UNLESS_KEY_IS_TAKEN = raw('ON CONFLICT DO NOTHING RETURNING "id"');

/** Message with its recipients, as elements of the parameters of `insertEmails`. */
export interface EmailElements {
  key: string;
  email: string;
  recipients: string;
  tags: string;
}

/** Serialises a message and its recipients for `insertEmails`. */
export function asElements(dialect: Dialect, email: NewEmail, recipients: NewRecipient[]): EmailElements {
  const { id: emailId, tenantId } = email;
  const rows = recipients.map((one, position) => RECIPIENTS.element(dialect, { emailId, position, tenantId, ...one }));
  const tags = pairsOf(email.tags).map((tag, position) => TAGS.element(dialect, { emailId, position, tenantId, ...tag }));
  return { key: email.idempotencyKey ?? '', email: EMAILS.element(dialect, email), recipients: rows.join(), tags: tags.join() };
}

type Parameters = [emails: string, tags: string, recipients: string];
/** Empty list of tags, for which no statement runs. */
const NONE = '[]';

/** Inserts messages with their recipients. Each statement receives all rows of a group as one parameter. */
type InsertEmails = (dialect: Dialect, transaction: Statements, parameters: Parameters) => Promise<{ id: string }[]>;

const insertedEmails = (dialect: Dialect, emails: string): Sql =>
  sql`${EMAILS.insert(dialect)} FROM ${EMAILS.table(dialect, sql`${emails}`)} WHERE true ${UNLESS_KEY_IS_TAKEN}`;

const insertedRecipients = (dialect: Dialect, recipients: string): Sql =>
  sql`${RECIPIENTS.insert(dialect)} FROM ${RECIPIENTS.table(dialect, sql`${recipients}`)}`;

const insertedTags = (dialect: Dialect, tags: string): Sql =>
  sql`${TAGS.insert(dialect)} FROM ${TAGS.table(dialect, sql`${tags}`)}`;

const inOneStatement = (dialect: Dialect, emails: string, tags: string, recipients: string): Sql => sql`
  WITH e AS (${insertedEmails(dialect, emails)}),
    t AS (${insertedTags(dialect, tags)} JOIN e ON e."id" = ${TAGS.value(dialect, 'emailId')})
  ${insertedRecipients(dialect, recipients)} JOIN e ON e."id" = ${RECIPIENTS.value(dialect, 'emailId')}
  RETURNING "emailId" AS "id"`;

const compiledInsert = compiledOnce(inOneStatement);

const insertInOneStatement: InsertEmails = (dialect, transaction, parameters) =>
  transaction.$queryRaw(inOneStatement(dialect, ...parameters));

const ifStored = (id: Sql): Sql => sql`WHERE EXISTS (SELECT 1 FROM "Email" WHERE "id" = ${id})`;

const oneByOne = (dialect: Dialect, emails: string, tags: string, recipients: string): [Sql, ...Sql[]] => [
  insertedEmails(dialect, emails),
  sql`${insertedRecipients(dialect, recipients)} ${ifStored(RECIPIENTS.value(dialect, 'emailId'))}`,
  ...(tags === NONE ? [] : [sql`${insertedTags(dialect, tags)} ${ifStored(TAGS.value(dialect, 'emailId'))}`]),
];

const insertOneByOne: InsertEmails = async (dialect, transaction, parameters) => {
  const [email, ...others] = oneByOne(dialect, ...parameters);
  const stored = await transaction.$queryRaw<{ id: string }[]>(email);
  for (const other of others) await transaction.$executeRaw(other);
  return stored;
};

/**
 * Inserts messages with their recipients within the caller's transaction. Returns the ids of inserted messages: only the first of several
 * with the same idempotency key.
 */
export async function insertEmails(dialect: Dialect, transaction: Statements, elements: EmailElements[]): Promise<Set<string>> {
  const insert = dialect.pick({ sqlite: insertOneByOne, postgresql: insertInOneStatement });
  const rows = await insert(dialect, transaction, asParameters(elements));
  return new Set(rows.map(({ id }) => id));
}

/** Inserts messages in a new transaction, or as a single statement if one suffices. */
export async function insertEmailsInOwnTransaction(database: Database, elements: EmailElements[]): Promise<Set<string>> {
  const { dialect } = database;
  const everyTenant = database.acrossTenants('each message brings its tenant');
  const parameters = asParameters(elements);
  const stored = await dialect.pick({
    sqlite: async () => (await everyTenant.$atomically(oneByOne(dialect, ...parameters)))[0]!,
    postgresql: () => everyTenant.$query(compiledInsert(dialect, ...parameters)),
  })();
  return new Set(stored.map(([id]) => id as string));
}

/** Sorts by key, to avoid deadlocks between statements that insert the same keys. */
function asParameters(elements: EmailElements[]): Parameters {
  const sorted = elements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return [
    `[${sorted.map(({ email }) => email).join()}]`,
    `[${sorted.flatMap(({ tags }) => tags || []).join()}]`,
    `[${sorted.map(({ recipients }) => recipients).join()}]`,
  ];
}
