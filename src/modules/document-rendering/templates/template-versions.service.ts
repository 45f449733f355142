import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import type { TenantReader } from '../../../common/database/tenant-database.js';
import { AppError, badInput, notFound, quoted } from '../../../common/base/app-error.js';
import { Cursors } from '../../../common/lists/cursors.js';
import type { Page } from '../../../common/lists/page.js';
import { checkText, MAX_NAME } from '../../../common/base/text.js';
import { ParentTenants } from '../../../common/tenants/parent-tenants.js';
import { MAX_VERSIONS } from '../models/limits.js';
import type { TemplateVersion } from './template-version.model.js';
import { nameHash, partsOf, toVersion } from './template-row.js';
import type { Parts } from './template-parts.js';
import type { TranslationText } from './template-parts.queries.js';
import { pageOfVersions } from './template-lists.queries.js';

/** Maximum value of the database column. */
const MAX_VERSION = 2_147_483_647;

/** Template whose versions are read. */
interface Versioned {
  id: string;
  type: 'email' | 'document';
}

/** Reads the versions that TemplateSavesService writes. */
@Injectable()
export class TemplateVersionsService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly parents: ParentTenants,
  ) {}

  /** Returns a page of a template's versions, newest first. @throws NOT_FOUND for an unknown template */
  async page(
    { tenantId, budget }: Caller,
    name: string,
    nextToken: string | null,
    limit: number | null,
  ): Promise<Page<TemplateVersion>> {
    checkText('name', name, { max: MAX_NAME });
    const size = { limit: this.cursors.limit(limit ?? MAX_VERSIONS, MAX_VERSIONS), budget };
    const context = { tenantId, operation: 'templateVersions', filter: name };
    const after = this.cursors.after(nextToken, context);
    const { reader, template } = await this.named(tenantId, name);
    const before = after === undefined ? undefined : Number(after);
    const { rows, more } = await pageOfVersions(reader, { templateId: template.id, before }, size);
    const { items, ...page } = this.cursors.page(rows, more, (row) => String(row.version), context);
    const isOwn = reader.tenantId === tenantId;
    return { ...page, items: items.map(toVersion).map((version) => (isOwn ? version : { ...version, author: null })) };
  }

  /** Returns whether a version is stored. @throws BAD_USER_INPUT for an impossible number */
  async has({ templateVersion }: TenantReader, templateId: string, version: number, field: string): Promise<boolean> {
    checkNumber(version, field);
    return (await templateVersion.count({ where: { templateId, version } })) > 0;
  }

  /** Returns the parts of a version. @throws NOT_FOUND */
  async parts(reader: TenantReader, { id, type }: Versioned, version: number, field: string): Promise<Parts> {
    return partsOf(await this.row(reader, id, version, field), type);
  }

  /** Returns the own texts of a version, with their translations. @throws NOT_FOUND */
  async texts({ tenantId }: Caller, { id, type }: Versioned, version: number) {
    const row = await this.row(this.database.of(tenantId), id, version, 'version');
    const { contentType, subject, body, css, parentCssId, layoutId, locale, sampleParams } = row;
    const { translations } = partsOf(row, type);
    return {
      state: { contentType, subject, body, css, parentCssId, layoutId, locale, sampleParams },
      translations: translations.filter(({ templateId }) => templateId === id) as TranslationText[],
    };
  }

  /** Returns a template by its name, the tenant's own before that of its parent. @throws NOT_FOUND */
  private async named(tenantId: string, name: string): Promise<{ reader: TenantReader; template: { id: string } }> {
    for (const reader of [this.database.of(tenantId), this.parents.of(tenantId)]) {
      const template = await reader?.template.findFirst({ where: { nameHash: nameHash(name) }, select: { id: true } });
      if (reader && template) return { reader, template };
    }
    throw notFound(`Template ${JSON.stringify(quoted(name))}`);
  }

  private async row({ templateVersion }: TenantReader, templateId: string, version: number, field: string) {
    checkNumber(version, field);
    const row = await templateVersion.findFirst({ where: { templateId, version } });
    if (!row) throw unknownVersion(version, field);
    return row;
  }
}

function checkNumber(version: number, field: string): void {
  if (version < 1 || version > MAX_VERSION) throw badInput(field, 'must be a version number, from 1');
}

export const unknownVersion = (version: number, field: string) =>
  new AppError('NOT_FOUND', `${field}: Version ${version} does not exist; templateVersions lists the stored ones`, { field });
