import type { Database } from '../../../common/database/database.js';
import { mapper } from '../../../common/database/sql/columns.js';
import { bytesOf, sizedColumns } from '../../../common/database/sql/sized-rows.js';
import { sql } from '../../../common/database/sql/sql.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import { type PageStatement, type PageWanted, readPage } from '../../../common/pages/page-rows.js';
import { MAX_VERSIONS, MAX_VERSIONS_SIZE } from '../models/limits.js';
import type { ShownVersionRow } from './version-row.js';

const VERSION = mapper<ShownVersionRow>({
  version: 'as it is',
  contentType: 'as it is',
  subject: 'as it is',
  body: 'as it is',
  css: 'as it is',
  parentCssId: 'as it is',
  layoutId: 'as it is',
  locale: 'as it is',
  sampleParams: 'as it is',
  comment: 'as it is',
  author: 'as it is',
  createdAt: 'time',
});

interface VersionsQuery {
  tenantId: string;
  templateId: string;
  /** Selects only versions before this one. */
  before: number | undefined;
}

/** Returns a page of the versions of a template, the newest first. */
export async function pageOfVersions(database: Database, { tenantId, templateId, before }: VersionsQuery, page: PageWanted) {
  const { dialect } = database;
  const all = VERSION.columns(dialect, 't');
  const long = ['t."body"', 't."css"', 't."sampleParams"', 't."author"'];
  const bytes = bytesOf(['t."subject"', 't."comment"', ...long]);
  const older = before === undefined ? sql`` : sql`AND t."version" < ${before}`;
  const statement: PageStatement = (limit, wanted) => ({
    statement: sql`
      SELECT ${sizedColumns(dialect, wanted, limit, { all, key: 't."version"', bytes, long })} FROM "TemplateVersion" AS t
      WHERE t."tenantId" = ${tenantId} AND t."templateId" = ${templateId} ${older} ORDER BY t."version" DESC LIMIT ${limit}`,
    wanted,
  });
  const { rows, more } = await readPage(database.of(tenantId), [statement], page);
  return { rows: rows.map(VERSION.row), more };
}

/** Removes the oldest versions of a template that are over the number or the size that is kept. The newest one stays. */
export async function removeOldVersions(own: TenantTransaction, templateId: string): Promise<void> {
  const { tenantId } = own;
  await own.$executeRaw(sql`
    DELETE FROM "TemplateVersion" WHERE "tenantId" = ${tenantId} AND "templateId" = ${templateId} AND "version" IN (
      SELECT "version" FROM (
        SELECT "version", row_number() OVER (ORDER BY "version" DESC) AS "place", sum("size") OVER (ORDER BY "version" DESC) AS "total"
        FROM "TemplateVersion" WHERE "tenantId" = ${tenantId} AND "templateId" = ${templateId}
      ) AS "kept" WHERE "place" > ${MAX_VERSIONS} OR ("place" > 1 AND "total" > ${MAX_VERSIONS_SIZE})
    )`);
}
