import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { eventLoop } from '../../../common/scheduling/event-loop.js';
import { Database } from '../../../common/database/database.js';
import type { TenantReader } from '../../../common/database/tenant-database.js';
import { AppError, badInput, notFound, quoted } from '../../../common/base/app-error.js';
import { timeOfId, uuidv7 } from '../../../common/base/ids.js';
import { inSteps } from '../../../common/lists/steps.js';
import { asCount } from '../../../common/base/amounts.js';
import { checkInput } from '../../../common/base/text.js';
import { TemplateEngine } from '../engine/template-engine.js';
import { checkUnchanged, timeAfter } from '../../../common/graphql/types/changed-after.js';
import { localeRules } from '../rendering/locales.js';
import { TemplateTranslationInput } from './template.inputs.js';
import { DEFAULT_LOCALE, MAX_TRANSLATED, MAX_TRANSLATIONS } from '../models/limits.js';
import type { Template, TemplateTranslation } from '../models/template.model.js';
import { ComposerService, type Readers } from './composer.service.js';
import { fromAuthor, type ShownTemplate, type TemplateRow } from './template-row.js';
import { variantsOf } from './template-parts.js';
import type { TranslationText } from './template-parts.queries.js';
import { TemplateSavesService } from './template-saves.service.js';
import { sizesOfTranslations, type TranslationRow, toTranslation, translationRows } from './templates.queries.js';

type Asking = Pick<Caller, 'tenantId' | 'budget'>;
type Loader = (templateId: string) => Promise<TemplateTranslation[]>;

/** Creates, changes and deletes translations. No other service writes their table, except to restore or delete whole templates. */
@Injectable()
export class TranslationsService {
  constructor(
    private readonly database: Database,
    private readonly composer: ComposerService,
    private readonly engine: TemplateEngine,
    private readonly saves: TemplateSavesService,
  ) {}

  /** Creates or replaces a translation. @throws CONFLICT if it was changed after `changedAfter`; PAYLOAD_TOO_LARGE */
  async put(caller: Caller, templateId: string, tag: string, input: TemplateTranslationInput): Promise<TemplateTranslation> {
    const { subject = null, body, author, changedAfter } = checkInput(TemplateTranslationInput.rules, input);
    const locale = checkInput(localeRules, tag, 'locale');
    const id = uuidv7();
    const now = new Date(timeOfId(id));
    const texts = { subject, body, author: fromAuthor(author), updatedAt: now };
    let row: TranslationRow | undefined;
    await this.saves.change(caller, templateId, async (before, translations) => {
      checkPlace(before, locale, subject);
      const where = { templateId, locale };
      const known = await this.database.of(caller.tenantId).templateTranslation.findFirst({ where, select: { updatedAt: true } });
      if (known) checkUnchanged(`translation ${locale}`, known.updatedAt, changedAfter);
      const after = [...translations.filter((one) => one.locale !== locale), { templateId, locale, subject, body }];
      checkAmount(after);
      return {
        state: before,
        data: {},
        translations: after,
        changed: locale,
        field: 'input',
        write: async (own) => {
          const { templateTranslation: table, tenantId } = own;
          if (known) {
            const data = { ...texts, updatedAt: timeAfter(known.updatedAt) };
            [row] = await table.updateManyAndReturn({ where, data });
          } else row = await table.create({ data: { ...where, ...texts, id, tenantId, createdAt: now } });
        },
      };
    });
    return { ...(await this.one(caller, templateId, locale)), ...toTranslation(row!) };
  }

  /** Deletes a translation and returns its last state. @throws NOT_FOUND */
  async delete(caller: Caller, templateId: string, tag: string): Promise<TemplateTranslation> {
    const locale = checkInput(localeRules, tag, 'locale');
    let deleted: TemplateTranslation | undefined;
    await this.saves.change(caller, templateId, async (before, translations) => {
      deleted = await this.one(caller, templateId, locale);
      return {
        state: before,
        data: {},
        translations: translations.filter((one) => one.locale !== locale),
        changed: locale,
        field: 'locale',
        write: async (own) => void (await own.templateTranslation.deleteMany({ where: { templateId, locale } })),
      };
    });
    return deleted!;
  }

  /** Adds a loader of translations to each template of a page. All share one query; inherited ones, another. */
  withTranslations(caller: Asking, templates: readonly ShownTemplate[]): Template[] {
    const readers = this.composer.readers(caller.tenantId);
    const [, parent] = readers;
    const idsOf = (ofParent: boolean) => templates.filter(({ inherited = false }) => inherited === ofParent).map(({ id }) => id);
    const load = this.loaderOf(caller, readers, idsOf(false));
    const loadInherited = parent ? this.loaderOf(caller, [parent], idsOf(true)) : () => Promise.resolve([]);
    return templates.map((template) => ({
      ...template,
      loadTranslations: () => (template.inherited ? loadInherited : load)(template.id),
    }));
  }

  private async one(caller: Caller, templateId: string, locale: string): Promise<TemplateTranslation> {
    const translations = await this.loaderOf(caller, this.composer.readers(caller.tenantId), [templateId])(templateId);
    const found = translations.find((one) => one.locale === locale);
    if (!found) throw notFound(`The translation ${quoted(locale)} of the template ${quoted(templateId)}`);
    return found;
  }

  private loaderOf(caller: Asking, readers: Readers, ids: string[]): Loader {
    let rows: Promise<TranslationRow[]> | undefined;
    const isOwn = readers[0]!.tenantId === caller.tenantId;
    let unused: Promise<ReadonlyMap<string, string[]>> | undefined;
    return async (templateId) => {
      const all = await (rows ??= this.rowsOf(caller, readers[0]!, ids));
      const own = all.filter((row) => row.templateId === templateId);
      return own.map((row) => {
        const loadUnusedParams = async () => {
          unused ??= this.unusedParams(caller, readers, [...new Set(all.map((one) => one.templateId))]);
          return (await unused).get(`${templateId} ${row.locale}`) ?? [];
        };
        return { ...toTranslation(isOwn ? row : { ...row, author: null }), loadUnusedParams };
      });
    };
  }

  /** Reserves memory for all translations, then reads them in steps. @throws the errors of AnswerBudget */
  private async rowsOf({ tenantId, budget }: Asking, reader: TenantReader, ids: string[]): Promise<TranslationRow[]> {
    const sizes = await sizesOfTranslations(reader, ids);
    await budget?.reserve([...sizes.values()].reduce((sum, size) => sum + size, 0));
    const rows: TranslationRow[] = [];
    for await (const step of inSteps(sizes, tenantId)) rows.push(...(await translationRows(reader, step)));
    return rows;
  }

  /** Returns the names that templates read but their translations do not, by template id and language. */
  private async unusedParams(
    { tenantId, budget }: Asking,
    readers: Readers,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, string[]>> {
    const unused = new Map<string, string[]>();
    let isOver = false;
    const forget = budget?.onOver(() => (isOver = true));
    for await (const parts of this.composer.stored(readers, ids, 'id')) {
      if (isOver) break;
      if (eventLoop.sliceUsed) await eventLoop.yield(tenantId);
      const [own, ...others] = variantsOf(parts);
      const { params } = await this.engine.check(tenantId, own!.source, 'id');
      for (const { source } of others) {
        if (isOver || source.locale === null) continue;
        if (eventLoop.sliceUsed) await eventLoop.yield(tenantId);
        const read = new Set((await this.engine.check(tenantId, source, 'id')).params);
        unused.set(`${parts.template.id} ${source.locale}`, params.filter((name) => !read.has(name))); // prettier-ignore
      }
    }
    forget?.();
    return unused;
  }
}

function checkPlace(template: TemplateRow, locale: string, subject: string | null): void {
  if (template.type === 'document' && subject !== null) {
    throw badInput('input.subject', 'must be omitted for a document; only emails have a subject');
  }
  if (locale !== (template.locale ?? DEFAULT_LOCALE)) return;
  throw badInput(
    'locale',
    `${locale} is the language of the template itself; change its texts with updateTemplate, or its locale first`,
  );
}

function checkAmount(translations: readonly TranslationText[]): void {
  if (translations.length > MAX_TRANSLATIONS) {
    throw new AppError(
      'PAYLOAD_TOO_LARGE',
      `locale: a template can have at most ${MAX_TRANSLATIONS} translations; delete some first`,
    );
  }
  const length = translations.reduce((sum, { subject, body }) => sum + (subject?.length ?? 0) + body!.length, 0);
  if (length <= MAX_TRANSLATED) return;
  const most = asCount(MAX_TRANSLATED);
  throw new AppError(
    'PAYLOAD_TOO_LARGE',
    `input.body: the translations of a template can have at most ${most} characters in total; shorten or delete some`,
  );
}
