// Room: Stores templates with their translations, versions, partials and stylesheets.
import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import { badInput } from '../../../common/base/app-error.js';
import { timeOfId, uuidv7 } from '../../../common/base/ids.js';
import { Cursors } from '../../../common/lists/cursors.js';
import type { Page } from '../../../common/lists/page.js';
import { cursorOf } from '../../../common/lists/sort-key.js';
import { checkInput } from '../../../common/base/text.js';
import { checkUnchanged, timeAfter } from '../../../common/graphql/types/changed-after.js';
import { ParentTenants } from '../../../common/tenants/parent-tenants.js';
import type { AuthorInput } from '../models/author.model.js';
import { newAuthor, CreateTemplateInput, TemplatesFilter, UpdateTemplateInput } from './template.inputs.js';
import { DEFAULT_PAGE } from '../models/css.model.js';
import { DEFAULT_LOCALE } from '../models/limits.js';
import { type ContentType, type Template, TemplatesOrder } from '../models/template.model.js';
import { fromAuthor, nameHash, type TemplateRow, toTemplate } from './template-row.js';
import { checkUnused, PartChangesService } from './part-changes.service.js';
import { storeIncludes, type TranslationText } from './template-parts.queries.js';
import { renderingChange, shown } from './rendering-events.js';
import { TemplateVersionsService } from './template-versions.service.js';
import { pageOfTemplates, sortKeyOf } from './template-lists.queries.js';
import { RenderingQuotasService } from './rendering-quotas.service.js';
import { TemplateSavesService } from './template-saves.service.js';
import { isComposed, NO_STATE, stateAfter } from './template-state.js';
import { translationRows } from './templates.queries.js';
import { TranslationsService } from './translations.service.js';

/**
 * Creates, lists, changes and deletes templates. No other service writes their table. Every stored template can be rendered in all of
 * its languages.
 */
@Injectable()
export class TemplatesService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly quotas: RenderingQuotasService,
    private readonly changes: PartChangesService,
    private readonly saves: TemplateSavesService,
    private readonly translations: TranslationsService,
    private readonly versions: TemplateVersionsService,
    private readonly parents: ParentTenants,
  ) {}

  /** Creates a template. @throws PAYLOAD_TOO_LARGE at the tenant's limit of templates */
  async create(caller: Caller, input: CreateTemplateInput): Promise<Template> {
    const { tenantId } = caller;
    const { name, type, comment, author, ...given } = checkInput(CreateTemplateInput.rules, input);
    const state = stateAfter(given, { ...NO_STATE, type }, 'input');
    const id = uuidv7();
    const now = new Date(timeOfId(id));
    const data = {
      ...state,
      id,
      tenantId,
      name,
      comment,
      active: true,
      revision: 1,
      createdAt: now,
      updatedAt: now,
      nameHash: nameHash(name),
      author: fromAuthor(author),
    };
    const save = { state: { ...state, id, name }, translations: [], changed: state.locale, field: 'input' };
    return this.shown(caller, await this.quotas.templates.within(tenantId, 1, () => this.saves.create(caller, data, save)));
  }

  async page(
    caller: Caller,
    { filter, order }: { filter: TemplatesFilter | null; order: TemplatesOrder | null },
    nextToken: string | null,
    limit: number | null,
  ): Promise<Page<Template>> {
    const { tenantId, budget } = caller;
    const wanted = checkInput(TemplatesFilter.rules, filter ?? {}, 'filter');
    const size = { limit: this.cursors.limit(limit ?? DEFAULT_PAGE), budget };
    const isOther = order && order !== TemplatesOrder.OLDEST;
    const context = { tenantId, operation: 'templates', filter: isOther ? { ...wanted, order } : wanted };
    const { ids, name, active, partId } = wanted;
    const after = this.cursors.after(nextToken, context);
    const query = { tenantId, parent: this.parents.of(tenantId), ids, name, active, partId, order, after };
    const { rows, more } = await pageOfTemplates(this.database, query, size);
    const key = sortKeyOf(this.database.dialect, order);
    const { items, ...page } = this.cursors.page(rows, more, (row) => cursorOf(key, row), context);
    return { ...page, items: this.translations.withTranslations(caller, items.map(toTemplate)) };
  }

  /** Changes a template. Omitted fields are unchanged; null clears a field. */
  async update(caller: Caller, id: string, input: UpdateTemplateInput): Promise<Template> {
    const { name, active, comment, author, changedAfter, ...given } = checkInput(UpdateTemplateInput.rules, input);
    const row = await this.saves.change(caller, id, (before, translations) => {
      checkUnchanged('template', before.updatedAt, changedAfter);
      const state = stateAfter(given, before, 'input');
      const locale = state.locale ?? DEFAULT_LOCALE;
      if (translations.some((one) => one.locale === locale)) {
        throw badInput('input.locale', `a translation ${locale} exists; delete it first`);
      }
      const hash = name === undefined ? {} : { name, nameHash: nameHash(name) };
      const data = { ...hash, active, comment, updatedAt: timeAfter(before.updatedAt), author: fromAuthor(author) };
      return { state, data, translations, changed: state.locale, field: 'input' };
    });
    return this.shown(caller, row);
  }

  /** Saves the texts and translations of a version as a new version. */
  async restore(caller: Caller, id: string, version: number, author: AuthorInput | null): Promise<Template> {
    const by = checkInput(newAuthor, author, 'input.author');
    const row = await this.saves.change(caller, id, async (before) => {
      const { state, translations } = await this.versions.texts(caller, before, version);
      const given = { ...state, contentType: state.contentType as ContentType };
      return {
        state: stateAfter(given, before, 'version'),
        data: { updatedAt: timeAfter(before.updatedAt), author: fromAuthor(by) },
        translations,
        changed: state.locale,
        field: 'version',
        write: (own) => replaceTranslations(own, id, translations),
      };
    });
    return this.shown(caller, row);
  }

  /** Deletes a template and returns its last state. @throws CONFLICT while it is the layout of templates */
  async delete(caller: Caller, id: string): Promise<Template> {
    const { tenantId } = caller;
    const shownAs = await this.changes.make(tenantId, async () => {
      const row = await this.saves.row(caller, id);
      const template = toTemplate(row);
      const translations = await translationRows(this.database.of(tenantId), [id]);
      const composed = [row, ...translations].some(({ body }) => isComposed({ layoutId: row.layoutId, body }));
      return {
        kind: renderingChange(tenantId, 'TEMPLATE_DELETED'),
        isComposed: composed,
        write: async (own) => {
          if (composed) await checkUnused(own, { layoutId: id });
          const { count } = await own.template.deleteMany({ where: { id, revision: row.revision } });
          if (count === 0) return undefined;
          if (composed) await storeIncludes(own, id, []);
          await own.templateTranslation.deleteMany({ where: { templateId: id } });
          await own.templateVersion.deleteMany({ where: { templateId: id } });
          return template;
        },
        tell: shown,
      };
    });
    return this.translations.withTranslations(caller, [shownAs])[0]!;
  }

  private shown(caller: Caller, row: TemplateRow): Template {
    return this.translations.withTranslations(caller, [toTemplate(row)])[0]!;
  }
}

/** Replaces the translations of a template with those of one of its versions. */
async function replaceTranslations(own: TenantTransaction, templateId: string, translations: TranslationText[]): Promise<void> {
  const { tenantId } = own;
  await own.templateTranslation.deleteMany({ where: { templateId } });
  const now = new Date();
  const times = { createdAt: now, updatedAt: now };
  const data = translations.map(({ locale, subject, body }) => ({
    id: uuidv7(),
    tenantId,
    templateId,
    locale,
    subject,
    body: body!,
    ...times,
  }));
  await own.templateTranslation.createMany({ data });
}
