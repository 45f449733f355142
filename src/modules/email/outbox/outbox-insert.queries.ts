import type { Database, Statements } from '../../../common/database/database.js';
import { bulkInsert } from '../../../common/database/sql/bulk-insert.js';
import type { Dialect } from '../../../common/database/sql/dialect.js';
import { compiledOnce } from '../../../common/database/sql/compiled-once.js';
import { raw, type Sql, sql } from '../../../common/database/sql/sql.js';
import type { NewEmail, NewRecipient, RecipientRow } from '../rows/email-row.js';

const EMAILS = bulkInsert<NewEmail>(
  'Email',
  {
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
    createdAt: 'time',
    giveUpAt: 'time',
    dueAt: 'time',
    idempotencyKey: 'text',
    inputHash: 'text',
    hasAttachments: 'boolean',
    traceContext: 'text',
  },
  { status: `'QUEUED'`, attempts: '0' },
);
const RECIPIENTS = bulkInsert<NewRecipient & Pick<RecipientRow, 'emailId' | 'position' | 'tenantId'>>(
  'EmailRecipient',
  {
    emailId: 'text',
    position: 'integer',
    tenantId: 'text',
    kind: { enum: 'EmailRecipientKind' },
    address: 'text',
    name: 'text',
  },
  { status: `'QUEUED'` },
);

// Keys are columns, which go with their mails. With a table of keys this took up to 1.12 times the processor time (decision 099).
const UNLESS_KEY_IS_TAKEN = raw('ON CONFLICT DO NOTHING RETURNING "id"');

/** A message with its recipients, as elements of the parameters of `insertEmails`. */
export interface EmailElements {
  email: string;
  recipients: string;
}

/** Serialises a message and its recipients for `insertEmails`. */
export function asElements(dialect: Dialect, email: NewEmail, recipients: NewRecipient[]): EmailElements {
  const { id: emailId, tenantId } = email;
  const rows = recipients.map((one, position) => RECIPIENTS.element(dialect, { emailId, position, tenantId, ...one }));
  return { email: EMAILS.element(dialect, email), recipients: rows.join() };
}

/** Inserts messages with their recipients. Each statement takes all rows of a group as one parameter. */
type InsertEmails = (
  dialect: Dialect,
  transaction: Statements,
  parameters: [emails: string, recipients: string],
) => Promise<{ id: string }[]>;

const insertedEmails = (dialect: Dialect, emails: string): Sql =>
  sql`${EMAILS.insert(dialect)} FROM ${EMAILS.table(dialect, sql`${emails}`)} WHERE true ${UNLESS_KEY_IS_TAKEN}`;

const insertedRecipients = (dialect: Dialect, recipients: string): Sql =>
  sql`${RECIPIENTS.insert(dialect)} FROM ${RECIPIENTS.table(dialect, sql`${recipients}`)}`;

const inOneStatement = (dialect: Dialect, emails: string, recipients: string): Sql => sql`
  WITH e AS (${insertedEmails(dialect, emails)})
  ${insertedRecipients(dialect, recipients)} JOIN e ON e."id" = ${RECIPIENTS.value(dialect, 'emailId')}
  RETURNING "emailId" AS "id"`;

const compiledInsert = compiledOnce(inOneStatement);

const insertInOneStatement: InsertEmails = (dialect, transaction, parameters) =>
  transaction.$queryRaw(inOneStatement(dialect, ...parameters));

const inTwoStatements = (dialect: Dialect, emails: string, recipients: string): [Sql, Sql] => [
  insertedEmails(dialect, emails),
  sql`${insertedRecipients(dialect, recipients)}
    WHERE EXISTS (SELECT 1 FROM "Email" WHERE "id" = ${RECIPIENTS.value(dialect, 'emailId')})`,
];

const insertInTwoStatements: InsertEmails = async (dialect, transaction, parameters) => {
  const [email, recipient] = inTwoStatements(dialect, ...parameters);
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
  const rows = await insert(dialect, transaction, asParameters(elements));
  return new Set(rows.map(({ id }) => id));
}

/** Does the same in a transaction of its own; a single statement is one by itself. */
export async function insertEmailsInOwnTransaction(database: Database, elements: EmailElements[]): Promise<Set<string>> {
  const { dialect } = database;
  const everyTenant = database.acrossTenants('each message brings its tenant');
  const parameters = asParameters(elements);
  const stored = await dialect.pick({
    sqlite: async () => (await everyTenant.$atomically(inTwoStatements(dialect, ...parameters)))[0]!,
    postgresql: () => everyTenant.$query(compiledInsert(dialect, ...parameters)),
  })();
  return new Set(stored.map(([id]) => id as string));
}

const asParameters = (elements: EmailElements[]): [emails: string, recipients: string] => [
  `[${elements.map(({ email }) => email).join()}]`,
  `[${elements.map(({ recipients }) => recipients).join()}]`,
];
