import type { Database, Statements } from '../../../common/database/database.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { compiledOnce } from '../../../common/database/sql/compiled-once.js';
import { raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import type { NewEmail, NewRecipient } from './email-row.js';

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
  traceContext: 'text',
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

const INTO_EMAIL = raw(`INSERT INTO "Email" (${list(EMAIL_NAMES)},"status","attempts")`);
const INTO_RECIPIENT = raw(`INSERT INTO "EmailRecipient" (${list(RECIPIENT_NAMES)},"status")`);
const UNLESS_KEY_IS_TAKEN = raw('ON CONFLICT DO NOTHING RETURNING "id"');

/** A message with its recipients, as elements of the parameters of `insertEmails`. */
export interface EmailElements {
  email: string;
  recipients: string;
}

/** Serialises a message and its recipients for `insertEmails`. */
export function asElements(dialect: Dialect, email: NewEmail, recipients: NewRecipient[]): EmailElements {
  const inOrder = (row: Record<string, unknown>, names: string[]): unknown[] =>
    names.map((name) => (row[name] instanceof Date ? row[name].getTime() : row[name]));
  const element = (row: Record<string, unknown>, names: string[]): string =>
    dialect.pick({ sqlite: () => JSON.stringify(inOrder(row, names)), postgresql: () => JSON.stringify(row) })();
  const rows = recipients.map((one, position) => ({ emailId: email.id, position, tenantId: email.tenantId, ...one }));
  return {
    email: element({ ...email }, EMAIL_NAMES),
    recipients: rows.map((row) => element(row, RECIPIENT_NAMES)).join(),
  };
}

/** Inserts messages with their recipients. Each statement takes all rows of a group as one parameter. */
type InsertEmails = (transaction: Statements, emails: string, recipients: string) => Promise<{ id: string }[]>;

const inOneStatement = (emails: string, recipients: string): Sql => sql`
  WITH e AS (
    ${INTO_EMAIL} SELECT ${raw(values(EMAIL_NAMES, 'r'))},'QUEUED',0
    FROM json_to_recordset(${emails}::json) AS r(${raw(columns(EMAIL))}) ${UNLESS_KEY_IS_TAKEN}
  )
  ${INTO_RECIPIENT} SELECT ${raw(values(RECIPIENT_NAMES, 'r'))},'QUEUED'
  FROM json_to_recordset(${recipients}::json) AS r(${raw(columns(RECIPIENT))}) JOIN e ON e."id" = r."emailId"
  RETURNING "emailId" AS "id"`;

const compiledInsert = compiledOnce((_, emails: string, recipients: string) => inOneStatement(emails, recipients));

const insertInOneStatement: InsertEmails = (transaction, ...parameters) => transaction.$queryRaw(inOneStatement(...parameters));

const inTwoStatements = (emails: string, recipients: string): [Sql, Sql] => [
  sql`${INTO_EMAIL} SELECT ${raw(values(EMAIL_NAMES, ''))},'QUEUED',0 FROM json_each(${emails}) WHERE true ${UNLESS_KEY_IS_TAKEN}`,
  sql`${INTO_RECIPIENT} SELECT ${raw(values(RECIPIENT_NAMES, ''))},'QUEUED'
    FROM json_each(${recipients}) WHERE EXISTS (SELECT 1 FROM "Email" WHERE "id" = value ->> 0)`,
];

const insertInTwoStatements: InsertEmails = async (transaction, ...parameters) => {
  const [email, recipient] = inTwoStatements(...parameters);
  const stored = await transaction.$queryRaw<{ id: string }[]>(email);
  await transaction.$executeRaw(recipient);
  return stored;
};

/**
 * Stores messages with their recipients, in a transaction of the caller. Returns the ids of the stored messages: of two with
 * the same idempotency key only the first is stored.
 */
export async function insertEmails(dialect: Dialect, transaction: Statements, elements: EmailElements[]): Promise<Set<string>> {
  const insert = dialect.pick({ sqlite: insertInTwoStatements, postgresql: insertInOneStatement });
  const rows = await insert(transaction, ...asParameters(elements));
  return new Set(rows.map(({ id }) => id));
}

/** Does the same in a transaction of its own; a single statement is one by itself. */
export async function insertEmailsInOwnTransaction(database: Database, elements: EmailElements[]): Promise<Set<string>> {
  const { dialect } = database;
  const everyTenant = database.acrossTenants('each message brings its tenant');
  const parameters = asParameters(elements);
  const stored = await dialect.pick({
    sqlite: async () => (await everyTenant.$atomically(inTwoStatements(...parameters)))[0]!,
    postgresql: () => everyTenant.$query(compiledInsert(dialect, ...parameters)),
  })();
  return new Set(stored.map(([id]) => id as string));
}

const asParameters = (elements: EmailElements[]): [emails: string, recipients: string] => [
  `[${elements.map(({ email }) => email).join()}]`,
  `[${elements.map(({ recipients }) => recipients).join()}]`,
];
