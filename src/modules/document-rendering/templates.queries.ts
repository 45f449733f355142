import type { PrismaService } from '../../common/database/prisma.service.js';
import { nameHash } from './css-row.js';

/** Which state of a template and its parent something was made of; two that are equal had the same text. */
export interface RenderableVersion {
  id: string;
  revision: number;
  parentCssId: string | null;
  parentRevision: number | null;
}

/** All of a saved template that decides what is rendered. */
export interface RenderableRow extends RenderableVersion {
  type: 'email' | 'document';
  contentType: 'plain' | 'html';
  subject: string | null;
  body: string;
  css: string | null;
  parentText: string | null;
}

// Both are one statement, so that template and parent are of one moment, and SQL, since building the query is most of
// what Prisma takes for them. The join goes by the tenant too, as the foreign key does.

/** The tenant's template of that name. */
export async function renderable(prisma: PrismaService, tenantId: string, name: string): Promise<RenderableRow | undefined> {
  const [row] = await prisma.$queryRaw<RenderableRow[]>`
    SELECT t."id", t."revision", t."type", t."contentType", t."subject", t."body", t."css",
      c."id" AS "parentCssId", c."revision" AS "parentRevision", c."text" AS "parentText"
    FROM "Template" t LEFT JOIN "Css" c ON c."tenantId" = t."tenantId" AND c."id" = t."parentCssId"
    WHERE t."tenantId" = ${tenantId} AND t."nameHash" = ${nameHash(name)}`;
  return row;
}

/** The same without the texts, for whoever has them already: the hottest read of rendering. */
export async function renderableVersion(
  prisma: PrismaService,
  tenantId: string,
  name: string,
): Promise<RenderableVersion | undefined> {
  const [row] = await prisma.$queryRaw<RenderableVersion[]>`
    SELECT t."id", t."revision", c."id" AS "parentCssId", c."revision" AS "parentRevision"
    FROM "Template" t LEFT JOIN "Css" c ON c."tenantId" = t."tenantId" AND c."id" = t."parentCssId"
    WHERE t."tenantId" = ${tenantId} AND t."nameHash" = ${nameHash(name)}`;
  return row;
}
