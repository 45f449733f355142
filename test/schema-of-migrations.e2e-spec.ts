import { Deployment } from './support/process.js';
import { keyLine, readPrismaSchema, type SchemaLines } from './support/prisma-schema.js';

declare const databaseKind: 'sqlite' | 'postgresql';

const REASON = 'the schema of the database is the subject';
/** Indexes over expressions or a part of the rows, which the Prisma schema cannot declare. */
const FURTHER_INDEXES = [
  'EmailDomain_due_idx',
  'EmailRecipient_soft_idx',
  'EmailSuppression_end_idx',
  'Email_scheduled_idx',
  'Email_sendAt_idx',
  'Email_turn_idx',
  'Email_unscheduled_idx',
  'Event_due_idx',
  'Event_undelivered_idx',
  'File_expiry_idx',
  'File_size_idx',
  'File_tenantId_folder_id_idx',
  'GlobalMessage_cancelled_idx',
  'GlobalMessage_tenantId_expiresAt_idx',
  'GlobalMessage_tenantId_topic_id_idx',
  'GlobalMessage_waiting_idx',
  'LogBlock_horizon_idx',
  'LogBlock_keyChange_idx',
  'Log_tenantId_action_idx',
  'Log_tenantId_attributeId_idx',
  'Log_tenantId_authorId_idx',
  'Log_tenantId_custom1_idx',
  'Log_tenantId_custom2_idx',
  'Log_tenantId_documentId_attributeId_idx',
  'Log_tenantId_documentId_idx',
  'Log_tenantId_documentType_idx',
  'Log_tenantId_idempotencyKey_key',
  'Message_expiring_idx',
  'MessageFallback_waiting_idx',
  'Message_fleeting_idx',
  'Message_inbox_idx',
  'Message_tenantId_expiresAt_idx',
  'Message_tenantId_recipientKey_idx',
  'Message_tenantId_topic_idx',
  'Message_unread_idx',
  'Message_waiting_idx',
  'MultipartUpload_partsListedAt_idx',
  'Template_name_idx',
  'Tenant_suspended_idx',
];
const TRIGGERS = {
  sqlite: [
    'File_usage_delete',
    'File_usage_insert',
    'File_usage_update',
    'MultipartPart_usage_delete',
    'MultipartPart_usage_insert',
    'MultipartPart_usage_update',
  ],
  postgresql: ['File_usage_change', 'File_usage_count', 'MultipartPart_usage'],
}[databaseKind];

const TABLES = `(SELECT "name" FROM sqlite_master WHERE "type" = 'table' AND "name" NOT LIKE 'sqlite~_%' ESCAPE '~'
  AND "name" <> '_prisma_migrations') AS t`;
const IN_SCHEMA = `n.nspname = 'public' AND t.relname <> '_prisma_migrations'`;
const OF_TABLE = 'JOIN pg_namespace n ON n.oid = t.relnamespace';
/** Statements that read the schema of a database, each with one row a line. */
const STATEMENTS = {
  sqlite: {
    columns: `SELECT t."name" || '.' || c."name" || ' ' || c."type" || iif(c."notnull", ' NOT NULL', '')
      || coalesce(' DEFAULT ' || c."dflt_value", '') AS "line" FROM ${TABLES}, pragma_table_xinfo(t."name") AS c`,
    primaryKeys: `SELECT t."name" AS "table", group_concat(c."name" ORDER BY c."pk") AS "columns"
      FROM ${TABLES}, pragma_table_info(t."name") AS c WHERE c."pk" > 0 GROUP BY t."name"`,
    indexes: `SELECT t."name" AS "table", i."name", i."unique", (SELECT group_concat(coalesce(c."name", '()') ORDER BY c."seqno")
      FROM pragma_index_info(i."name") AS c) AS "columns", i."partial" FROM ${TABLES}, pragma_index_list(t."name") AS i WHERE i."origin" = 'c'`,
    foreignKeys: `SELECT t."name" || ' (' || group_concat(f."from", ', ' ORDER BY f."seq") || ') -> ' || f."table" || ' ('
      || group_concat(f."to", ', ' ORDER BY f."seq") || ') ON DELETE ' || f."on_delete" AS "line"
      FROM ${TABLES}, pragma_foreign_key_list(t."name") AS f GROUP BY t."name", f."id"`,
    triggers: `SELECT "name" AS "line" FROM sqlite_master WHERE "type" = 'trigger'`,
  },
  postgresql: {
    columns: `SELECT t.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
      || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
      || CASE WHEN pg_get_expr(d.adbin, d.adrelid) NOT LIKE 'nextval(%'
         THEN ' DEFAULT ' || replace(pg_get_expr(d.adbin, d.adrelid), '::text', '') ELSE '' END AS line
      FROM pg_attribute a JOIN pg_class t ON t.oid = a.attrelid ${OF_TABLE}
      LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = a.attnum
      WHERE ${IN_SCHEMA} AND t.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped`,
    primaryKeys: `SELECT t.relname AS "table", (SELECT string_agg(a.attname, ',' ORDER BY k.place)
      FROM unnest(x.indkey) WITH ORDINALITY AS k (attnum, place) JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum) AS columns
      FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid ${OF_TABLE} WHERE ${IN_SCHEMA} AND x.indisprimary`,
    indexes: `SELECT t.relname AS "table", i.relname AS name, x.indisunique::int AS unique, (x.indpred IS NOT NULL)::int AS partial,
      (SELECT string_agg(coalesce(a.attname, '()'), ',' ORDER BY k.place) FROM unnest(x.indkey) WITH ORDINALITY AS k (attnum, place)
        LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum) AS columns
      FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid ${OF_TABLE}
      WHERE ${IN_SCHEMA} AND NOT x.indisprimary`,
    foreignKeys: `SELECT t.relname || ' (' || (SELECT string_agg(a.attname, ', ' ORDER BY k.place) FROM unnest(c.conkey) WITH ORDINALITY AS k (attnum, place)
        JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.attnum) || ') -> ' || f.relname || ' ('
      || (SELECT string_agg(a.attname, ', ' ORDER BY k.place) FROM unnest(c.confkey) WITH ORDINALITY AS k (attnum, place)
        JOIN pg_attribute a ON a.attrelid = f.oid AND a.attnum = k.attnum) || ') ON DELETE '
      || CASE c.confdeltype WHEN 'a' THEN 'NO ACTION' WHEN 'r' THEN 'RESTRICT' WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' END AS line
      FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid ${OF_TABLE} JOIN pg_class f ON f.oid = c.confrelid
      WHERE ${IN_SCHEMA} AND c.contype = 'f'`,
    triggers: 'SELECT tgname AS line FROM pg_trigger WHERE NOT tgisinternal',
  },
}[databaseKind];

interface IndexRow {
  table: string;
  name: string;
  unique: number;
  partial: number;
  columns: string;
}

describe('the migrated schema', () => {
  let deployment: Deployment;
  let declared: SchemaLines;
  let indexes: IndexRow[];
  beforeAll(async () => {
    deployment = await Deployment.create();
    await deployment.command('migrate');
    declared = await readPrismaSchema(databaseKind);
    indexes = (await deployment.query(REASON, STATEMENTS.indexes)) as IndexRow[];
  });
  afterAll(() => deployment.remove());

  const lines = async (of: 'columns' | 'foreignKeys' | 'triggers') =>
    ((await deployment.query(REASON, STATEMENTS[of])) as { line: string }[]).map(({ line }) => line).sort();
  const lineOf = ({ table, name, unique, columns }: IndexRow) =>
    keyLine(table, unique ? 'unique' : 'normal', columns.split(','), name);
  /** A unique index may leave out rows with null, which it would not compare anyway. */
  const isFurther = (index: IndexRow) =>
    index.columns.includes('()') || (Boolean(index.partial) && !(index.unique && declared.keys.includes(lineOf(index))));

  it('has the columns of the Prisma schema, with type, NOT NULL and default', async () => {
    expect(await lines('columns')).toEqual(declared.columns.sort());
  });

  it('has the primary keys, unique indexes and full-column indexes of the Prisma schema', async () => {
    const primaryKeys = (await deployment.query(REASON, STATEMENTS.primaryKeys)) as { table: string; columns: string }[];
    const found = [
      ...primaryKeys.map(({ table, columns }) => keyLine(table, 'id', columns.split(','))),
      ...indexes.filter((index) => !isFurther(index)).map(lineOf),
    ];
    expect(found.sort()).toEqual(declared.keys.sort());
  });

  it('has the listed indexes over expressions or some of the rows', () => {
    const found = indexes.filter(isFurther).map(({ name }) => name);
    expect(found.sort()).toEqual([...FURTHER_INDEXES].sort());
  });

  it('has the foreign keys of the Prisma schema, with their actions on deletion', async () => {
    expect(await lines('foreignKeys')).toEqual(declared.foreignKeys.sort());
  });

  it('has the triggers that count usage', async () => {
    expect(await lines('triggers')).toEqual(TRIGGERS);
  });
});
