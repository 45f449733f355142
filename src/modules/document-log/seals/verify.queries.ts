import type { PrismaService } from '../../../common/database/prisma.service.js';
import type { LogEditRow, LogRow } from '../log-row.js';

export type CheckedEdit = LogEditRow;

/** A record with all edits of it, oldest first, as they were at one moment. */
export interface CheckedLog extends Omit<LogRow, 'idempotencyKey' | 'inputHash'> {
  edits: CheckedEdit[];
}

/** A part of a tenant's rows in the order of seq. */
export interface Part {
  tenantId: string;
  after: bigint;
  upTo: bigint;
  limit: number;
  /** When they were created; both inclusive. Without them, rows of times that no Date can be are found too. */
  from?: Date | null;
  to?: Date | null;
}

const LOG = [
  'seq', 'id', 'tenantId', 'documentId', 'documentType', 'dateTime', 'attributeId', 'authorId', 'action', 'comment', 'custom1',
  'custom2', 'details', 'createdAt', 'updateAt', 'editCount', 'leafHash', 'mac',
]; // prettier-ignore
const EDIT = ['seq', 'id', 'tenantId', 'logId', 'dateTime', 'field', 'oldValue', 'newValue', 'leafHash', 'mac'];
const columns = (names: string[]): string => names.map((name) => `e."${name}"`).join();

/** One transaction, since an edit that is stored between the two reads would look like a change of the record. */
export async function logsWithEdits(prisma: PrismaService, isPostgres: boolean, part: Part): Promise<CheckedLog[]> {
  const { where, values } = condition(isPostgres, part, 'createdAt');
  const [logs, edits] = await prisma.$transaction(
    [
      prisma.$queryRawUnsafe<CheckedLog[]>(`SELECT ${columns(LOG)} FROM "Log" e ${where}`, ...values),
      prisma.$queryRawUnsafe<CheckedEdit[]>(
        `SELECT ${columns(EDIT)} FROM (SELECT e."id" FROM "Log" e ${where}) AS "part"
         JOIN "LogEdit" e ON e."logId" = "part"."id" ORDER BY e."seq"`,
        ...values,
      ),
    ],
    { isolationLevel: 'Serializable' },
  );
  const byId = new Map(logs.map((log) => [log.id, log]));
  for (const log of logs) Object.assign(log, { seq: BigInt(log.seq), edits: [] });
  for (const edit of edits) byId.get(edit.logId)?.edits.push(edit);
  return logs;
}

export async function editsInOrder(prisma: PrismaService, isPostgres: boolean, part: Part): Promise<CheckedEdit[]> {
  const { where, values } = condition(isPostgres, part, 'dateTime');
  const rows = await prisma.$queryRawUnsafe<CheckedEdit[]>(`SELECT ${columns(EDIT)} FROM "LogEdit" e ${where}`, ...values);
  for (const row of rows) row.seq = BigInt(row.seq);
  return rows;
}

function condition(isPostgres: boolean, { tenantId, after, upTo, from, to, limit }: Part, time: string) {
  const values: unknown[] = [];
  const slot = (value: unknown, type: string): string => {
    values.push(value);
    return isPostgres ? `$${values.length}::${type}` : '?';
  };
  const at = (date: Date) => slot(isPostgres ? date.toISOString().slice(0, -1) : date.getTime(), 'timestamp(3)');
  const where = [
    `WHERE e."tenantId" = ${slot(tenantId, 'text')} AND e."seq" > ${slot(after, 'bigint')} AND e."seq" <= ${slot(upTo, 'bigint')}`,
    from ? `AND e."${time}" >= ${at(from)}` : '',
    to ? `AND e."${time}" <= ${at(to)}` : '',
    `ORDER BY e."seq" LIMIT ${slot(limit, 'int')}`,
  ].join(' ');
  return { where, values };
}
