import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import type { TenantTransaction } from '../../../common/database/tenant-database.js';
import { AppError, notFound, quoted } from '../../../common/base/app-error.js';
import { isForeignKeyViolation, isUniqueViolation } from '../../../common/base/database-faults.js';
import { checkText, MAX_NAME } from '../../../common/base/text.js';
import { inheritedIsReadOnly, ParentTenants } from '../../../common/tenants/parent-tenants.js';
import type { Prisma } from '../../../generated/sqlite/client.js';
import { ComposerService } from './composer.service.js';
import { type CheckedChange, PartChangesService } from './part-changes.service.js';
import type { Parts } from './template-parts.js';
import { renew, storeIncludes, type TextsRow, type TranslationText, translationsOf } from './template-parts.queries.js';
import { renderingChange, shown } from './rendering-events.js';
import { versionOf, type TemplateRow, toTemplate } from './template-row.js';
import { removeOldVersions } from './template-lists.queries.js';
import { isComposed, type TemplateState } from './template-state.js';

const include = { parentCss: true };

/** State of a template after a save. */
export interface Save {
  state: TemplateState & Pick<TemplateRow, 'id' | 'name'>;
  /** All translations after the save. */
  translations: TranslationText[];
  /** Language of the texts that the caller changes. Errors name the others. */
  changed: string | null;
  /** Input field for error messages. */
  field: string;
}

/** Change of a stored template. */
export interface Change extends Omit<Save, 'state'> {
  state: TemplateState;
  /** Further changed columns. */
  data: Prisma.TemplateUpdateManyMutationInput;
  /** Writes the changed translations. */
  write?: (own: TenantTransaction) => Promise<void>;
}

/** Stored template with its translations, before a change. */
interface Before {
  row: TemplateRow;
  translations: readonly TranslationText[];
}

interface CheckedSave {
  isComposed: boolean;
  includes: string[];
  parts: Parts;
}

/** Saves templates: checks each in all of its languages, and stores each save as a version. */
@Injectable()
export class TemplateSavesService {
  constructor(
    private readonly database: Database,
    private readonly composer: ComposerService,
    private readonly changes: PartChangesService,
    private readonly parents: ParentTenants,
  ) {}

  create(caller: Caller, data: Omit<Prisma.TemplateUncheckedCreateInput, 'version'>, save: Save): Promise<TemplateRow> {
    const { tenantId } = caller;
    const write = this.changes.make(tenantId, async (): Promise<CheckedChange<TemplateRow>> => {
      const checked = await this.check(caller, save);
      return {
        kind: renderingChange(tenantId, 'TEMPLATE_CREATED'),
        isComposed: checked.isComposed,
        write: async (own) => {
          const row = await own.template.create({ data, include });
          await store(own, row, checked);
          return row;
        },
        tell: (row) => shown(toTemplate(row)),
      };
    });
    return this.refusedByDatabase(write, tenantId, save);
  }

  /**
   * Changes a template, its translations, or both. Overwrites only the checked revision, since a concurrent change could leave
   * conflicting fields.
   */
  change(
    caller: Caller,
    id: string,
    plan: (before: TemplateRow, translations: TranslationText[]) => Change | Promise<Change>,
  ): Promise<TemplateRow> {
    const { tenantId } = caller;
    return this.changes.make(tenantId, async (): Promise<CheckedChange<TemplateRow>> => {
      const before = await this.row(caller, id);
      const translations = await translationsOf(this.database.of(tenantId), [id], 'all');
      const { state, data, write, ...change } = await plan(before, translations);
      const columns = columnsOf(state);
      const save = {
        ...change,
        state: { ...columns, type: before.type, id, name: typeof data.name === 'string' ? data.name : before.name },
      };
      const checked = await this.check(caller, save, { row: before, translations });
      return {
        kind: renderingChange(tenantId, 'TEMPLATE_UPDATED'),
        isComposed: checked.isComposed,
        write: async (own) => {
          const where = { id, revision: before.revision };
          const counted = { revision: { increment: 1 }, version: { increment: 1 } };
          const updating = own.template.updateManyAndReturn({ where, data: { ...columns, ...data, ...counted }, include });
          const [row] = await this.refusedByDatabase(updating, tenantId, save);
          if (!row) return undefined;
          await write?.(own);
          await store(own, row, checked);
          if (checked.isComposed) await renew(own, { layoutId: id });
          return row;
        },
        tell: (row) => shown(toTemplate(row)),
      };
    });
  }

  async row({ tenantId }: Caller, id: string): Promise<TemplateRow> {
    checkText('id', id, { max: MAX_NAME });
    const row = await this.database.of(tenantId).template.findUnique({ where: { id }, include });
    if (row) return row;
    const isInherited = await this.parents.of(tenantId)?.template.count({ where: { id } });
    throw isInherited ? inheritedIsReadOnly(`Template ${quoted(id)}`) : notFound(`Template ${quoted(id)}`);
  }

  /** Translates a constraint violation for the caller. Names and parents are checked by the database, since only it sees all writers. */
  private async refusedByDatabase<T>(write: Promise<T>, tenantId: string, { state, field }: Save): Promise<T> {
    try {
      return await write;
    } catch (error) {
      if (isUniqueViolation(error)) {
        const taken = quoted(state.name);
        throw new AppError('CONFLICT', `${field}.name: a template named "${taken}" already exists; choose another name`, {
          field: `${field}.name`,
        });
      }
      if (isForeignKeyViolation(error)) throw await this.composer.unknownSheet(tenantId, String(state.parentCssId), field);
      throw error;
    }
  }

  /** Checks that a template, and the templates whose layout it is, can be rendered in all languages. */
  private async check(caller: Caller, save: Save, before?: Before): Promise<CheckedSave> {
    const { tenantId } = caller;
    const { state, translations, changed, field } = save;
    const texts: TextsRow = { ...state, parentText: null }; // a stylesheet cannot break a template
    const unsaved = { template: { texts, translations } };
    const [parts] = await this.composer.load(this.composer.readers(tenantId), [texts], field, { unsaved, languages: 'all' });
    const nameOf = (locale: string | null): string | undefined => {
      if (locale === changed) return undefined;
      return locale === state.locale ? 'the template in its own language' : `the translation ${locale}`;
    };
    const includes = await this.changes.checkVariants(caller, parts!, field, nameOf);
    const translated = [...translations, ...(before?.translations ?? [])].map(({ body }) => ({ layoutId: null, body: body! }));
    const composed = [state, ...(before ? [before.row] : []), ...translated].some(isComposed);
    if (before && composed) await this.changes.checkUsers(caller, { layoutId: state.id }, unsaved, field);
    return { isComposed: composed, includes, parts: parts! };
  }
}

function columnsOf({ contentType, subject, body, css, parentCssId, layoutId, locale, sampleParams }: TemplateState) {
  return { contentType, subject, body, css, parentCssId, layoutId, locale, sampleParams };
}

/** Stores includes and version of a saved template, in the transaction of its row. */
async function store(own: TenantTransaction, row: TemplateRow, { includes, parts }: CheckedSave) {
  await storeIncludes(own, row.id, includes);
  await own.templateVersion.create({ data: versionOf(row, parts, new Date()) });
  await removeOldVersions(own, row.id);
}
