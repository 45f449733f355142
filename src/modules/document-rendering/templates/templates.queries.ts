import type { Database } from '../../../common/database/database.js';
import type { TenantReader } from '../../../common/database/tenant-database.js';
import { Columns, mapper, type RowOf } from '../../../common/database/sql/columns.js';
import { kept } from '../../../common/database/sql/compiled-once.js';
import { oneOf, raw, sql } from '../../../common/database/sql/sql.js';
import type { OwnTexts } from './template-parts.js';
import { nameHash, toAuthor } from './template-row.js';
import { bytesOf } from '../../../common/database/sql/sized-rows.js';
import type { TemplateTranslationModel } from '../../../generated/sqlite/models.js';
import type { TemplateTranslation } from '../models/template.model.js';

const RENDERED = new Columns<{ id: string; revision: number; parentCssId: string | null; parentRevision: number | null }>(
  'Template',
  {
    id: 'key',
    revision: 'integer',
    parentCssId: 'key',
    parentRevision: 'integer',
  },
);
const VERSION = mapper(RENDERED);
/** Revisions of a template and its stylesheet. Equal revisions have equal texts. */
export type RenderableVersion = RowOf<typeof RENDERED>;

/** Saved template with all columns that determine a rendering. */
type RenderableRow = RenderableVersion & OwnTexts;

// Each read is one statement, so template and parent are from one snapshot. In SQL, since building the query in Prisma takes most of the
// time. The join includes the tenant, like the foreign key.

/** Reads a template by name. */
export async function renderable(own: TenantReader, name: string): Promise<RenderableRow | undefined> {
  const [row] = await own.$queryRaw<RenderableRow[]>`
    SELECT t."id", t."revision", t."type", t."contentType", t."subject", t."body", t."css", t."layoutId", t."locale",
      c."id" AS "parentCssId", c."revision" AS "parentRevision", c."text" AS "parentText"
    FROM "Template" t LEFT JOIN "Css" c ON c."tenantId" = t."tenantId" AND c."id" = t."parentCssId"
    WHERE t."tenantId" = ${own.tenantId} AND t."nameHash" = ${nameHash(name)}`;
  return row;
}

export interface RenderableName {
  tenantId: string;
  /** Parent of the tenant, whose template applies if the tenant has none of this name. */
  parentId?: string | undefined;
  name: string;
}

/** Version of the template that a name means, with its owner. */
export type NamedVersion = RenderableVersion & { tenantId: string };

/** Reads the versions of several templates without their texts, in the order of the names. This is the most frequent read of rendering. */
export async function renderableVersions(
  database: Database,
  names: readonly RenderableName[],
): Promise<(NamedVersion | undefined)[]> {
  const wanted = names.map(({ tenantId, parentId, name }) => ({ tenantId, parentId, nameHash: nameHash(name) }));
  const tenants = padded(wanted.flatMap(({ tenantId, parentId }) => (parentId === undefined ? tenantId : [tenantId, parentId])));
  const hashes = padded(wanted.map((one) => one.nameHash));
  const { dialect } = database;
  const statement = dialect.compile(sql`
    SELECT ${raw(VERSION.columns(dialect, 't', OF_PARENT))}, t."tenantId", t."nameHash"
    FROM "Template" t LEFT JOIN "Css" c ON c."tenantId" = t."tenantId" AND c."id" = t."parentCssId"
    WHERE ${oneOf('t."tenantId"', tenants)} AND ${oneOf('t."nameHash"', hashes)}`);
  const rows = await database.acrossTenants('the names come with their tenants').$query(kept(statement));
  const found = new Map(rows.map((cells) => [cells.slice(VERSION.count).join(' '), cells]));
  return wanted.map(({ tenantId, parentId, nameHash: hash }) => {
    const cells = found.get(`${tenantId} ${hash}`) ?? found.get(`${parentId} ${hash}`);
    return cells && { ...VERSION.row(cells), tenantId: cells[VERSION.count] as string };
  });
}

const OF_PARENT = { parentCssId: 'c."id"', parentRevision: 'c."revision"' };

/** Removes duplicates, and pads the list to a power of two, so that few distinct statements cover all lengths. */
function padded(values: string[]): string[] {
  const distinct = [...new Set(values)];
  const count = 2 ** Math.ceil(Math.log2(distinct.length));
  return Array.from({ length: count }, (_, index) => distinct[index] ?? distinct[0]!);
}

export type TranslationRow = TemplateTranslationModel;

/** Returns the total bytes of translations, by template id. Omits templates without translations. */
export async function sizesOfTranslations(own: TenantReader, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const bytes = bytesOf(['t."subject"', 't."body"', 't."author"']);
  const rows = await own.$cells(sql`
    SELECT t."templateId", sum(${raw(bytes)}) FROM "TemplateTranslation" t
    WHERE t."tenantId" = ${own.tenantId} AND ${oneOf('t."templateId"', ids)} GROUP BY t."templateId"`);
  return new Map(rows.map(([id, size]) => [id as string, Number(size)]));
}

/** Reads the translations of templates, ordered by tag. */
export function translationRows({ templateTranslation }: TenantReader, ids: readonly string[]): Promise<TranslationRow[]> {
  const where = { templateId: { in: [...ids] } };
  return templateTranslation.findMany({ where, orderBy: [{ templateId: 'asc' }, { locale: 'asc' }] });
}

/** Converts a row to the API's translation, without fields loaded on request. */
export function toTranslation(row: TranslationRow): Omit<TemplateTranslation, 'loadUnusedParams'> {
  const { locale, subject, body, author, createdAt, updatedAt } = row;
  return { locale, subject, body, author: toAuthor(author), createdAt, updatedAt };
}

const SEVERAL = 'the usage of several tenants is read in one statement';

/** Counts templates by tenant, for the given or all tenants. */
export async function templateCounts(database: Database, tenantIds?: string[]): Promise<Map<string, number>> {
  const { template } = database.acrossTenants(SEVERAL);
  const counts = await template.groupBy({ by: ['tenantId'], where: { tenantId: { in: tenantIds } }, _count: true });
  return new Map(counts.map(({ tenantId: id, _count }) => [id, _count]));
}

/** Counts stylesheets by tenant, for the given or all tenants. */
export async function stylesheetCounts(database: Database, tenantIds?: string[]): Promise<Map<string, number>> {
  const { css } = database.acrossTenants(SEVERAL);
  const counts = await css.groupBy({ by: ['tenantId'], where: { tenantId: { in: tenantIds } }, _count: true });
  return new Map(counts.map(({ tenantId: id, _count }) => [id, _count]));
}
