import { Injectable } from '@nestjs/common';
import type { z } from 'zod';
import type { Caller } from '../../../common/auth/caller.js';
import { isForeignKeyViolation, isUniqueViolation } from '../../../common/errors/database-faults.js';
import { Database } from '../../../common/database/database.js';
import { AppError, notFound, quoted } from '../../../common/errors/app-error.js';
import { Cursors } from '../../../common/pages/cursors.js';
import type { Page } from '../../../common/pages/page.js';
import { timeOfId, uuidv7 } from '../../../common/ids/ids.js';
import { checkInput, checkText, MAX_NAME } from '../../../common/validation/text.js';
import { TemplateEngine } from '../engine/template-engine.js';
import type { CreateTemplateInput, TemplatesFilter, UpdateTemplateInput } from '../inputs/template.inputs.js';
import { createTemplateRules, templatesFilterRules, updateTemplateRules } from '../inputs/template.rules.js';
import { DEFAULT_PAGE } from '../models/css.model.js';
import type { Template } from '../models/template.model.js';
import { ComposerService } from '../parts/composer.service.js';
import { fromAuthor, nameHash } from '../parts/named-row.js';
import { type CheckedChange, checkUnused, PartChangesService } from '../parts/part-changes.service.js';
import { renew, storeIncludes, type TextsRow } from '../parts/parts.queries.js';
import { renderingChange, shown } from '../parts/rendering-events.js';
import { pageOfTemplates } from './pages.queries.js';
import { RenderingQuotasService } from './rendering-quotas.service.js';
import { type TemplateRow, toTemplate } from './template-row.js';
import { isComposed, NO_STATE, stateAfter, type TemplateState, unknownParent } from './template-state.js';

const include = { parentCss: true };

/** The rules of templates. No other service writes their table. Every stored template can be rendered. */
@Injectable()
export class TemplatesService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly engine: TemplateEngine,
    private readonly composer: ComposerService,
    private readonly quotas: RenderingQuotasService,
    private readonly changes: PartChangesService,
  ) {}

  /** Creates a template. @throws PAYLOAD_TOO_LARGE if the tenant has its maximum number of templates */
  async create({ tenantId }: Caller, input: CreateTemplateInput): Promise<Template> {
    const { name, type, comment, author, ...given } = checkInput(createTemplateRules, input);
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
    const check = async (): Promise<CheckedChange<TemplateRow>> => {
      const names = await this.checkLanguage(tenantId, { ...state, id, name });
      return {
        kind: renderingChange(tenantId, 'TEMPLATE_CREATED'),
        isComposed: isComposed(state),
        write: async (own) => {
          const row = await own.template.create({ data, include });
          if (isComposed(state)) await storeIncludes(own, id, names);
          return row;
        },
        tell: (row) => shown(toTemplate(row)),
      };
    };
    const write = this.quotas.templates.within(tenantId, 1, () => this.changes.make(tenantId, check));
    return toTemplate(await refusedByDatabase(write, name, state));
  }

  /** Returns a page of templates in the order of creation. */
  async page(
    { tenantId, budget }: Caller,
    filter: TemplatesFilter | null,
    nextToken: string | null,
    limit: number | null,
  ): Promise<Page<Template>> {
    const wanted = checkInput(templatesFilterRules, filter ?? {}, 'filter');
    const size = { limit: this.cursors.limit(limit ?? DEFAULT_PAGE), budget };
    const context = { tenantId, operation: 'templates', filter: wanted };
    const { ids, name, active } = wanted;
    const query = { tenantId, ids, name, active, after: this.cursors.after(nextToken, context) };
    const { rows, more } = await pageOfTemplates(this.database, query, size);
    const { items, ...page } = this.cursors.page(rows, more, (row) => row.id, context);
    return { ...page, items: items.map(toTemplate) };
  }

  /** Changes a template. A field that is left out stays unchanged, and null clears it. */
  async update(caller: Caller, id: string, input: UpdateTemplateInput): Promise<Template> {
    const rules = checkInput(updateTemplateRules, input);
    return toTemplate(await this.changes.make(caller.tenantId, () => this.checkUpdate(caller, id, rules)));
  }

  /** Deletes a template and returns it as it was. @throws CONFLICT while it is the layout of templates */
  async delete(caller: Caller, id: string): Promise<Template> {
    const { tenantId } = caller;
    return this.changes.make(tenantId, async () => {
      const row = await this.row(caller, id);
      const template = toTemplate(row);
      return {
        kind: renderingChange(tenantId, 'TEMPLATE_DELETED'),
        isComposed: isComposed(row),
        write: async (own) => {
          if (isComposed(row)) await checkUnused(own, { layoutId: row.id });
          const { count } = await own.template.deleteMany({ where: { id: row.id, revision: row.revision } });
          if (count > 0 && isComposed(row)) await storeIncludes(own, row.id, []);
          return count > 0 ? template : undefined;
        },
        tell: shown,
      };
    });
  }

  /**
   * Checks an update. It overwrites only the revision that was checked, since another change in between could leave fields in
   * conflict.
   */
  private async checkUpdate(caller: Caller, id: string, rules: UpdateRules): Promise<CheckedChange<TemplateRow>> {
    const { tenantId } = caller;
    const { name, active, comment, author, ...given } = rules;
    const before = await this.row(caller, id);
    const state = stateAfter(given, before, 'input');
    const after = { ...state, id: before.id, name: name ?? before.name };
    const names = await this.checkLanguage(tenantId, after);
    const composed = isComposed(before) || isComposed(state);
    if (composed) await this.changes.checkUsers(tenantId, { layoutId: before.id }, { layout: textsOf(after) }, 'input');
    const data = {
      ...state,
      name,
      active,
      comment,
      revision: { increment: 1 },
      updatedAt: new Date(),
      ...(name !== undefined && { nameHash: nameHash(name) }),
      author: fromAuthor(author),
    };
    return {
      kind: renderingChange(tenantId, 'TEMPLATE_UPDATED'),
      isComposed: composed,
      write: async (own) => {
        const where = { id: before.id, revision: before.revision };
        const change = own.template.updateManyAndReturn({ where, data, include });
        const [row] = await refusedByDatabase(change, after.name, state);
        if (!row || !composed) return row;
        await storeIncludes(own, row.id, names);
        await renew(own, { layoutId: row.id });
        return row;
      },
      tell: (row) => shown(toTemplate(row)),
    };
  }

  /** Checks that a template can be rendered, and returns the partials that it includes. */
  private async checkLanguage(tenantId: string, template: NamedState): Promise<string[]> {
    const layout = textsOf(template);
    const [source] = await this.composer.compose(tenantId, [layout], 'input', { layout });
    const { includes } = await this.engine.check(tenantId, source!, 'input');
    return includes;
  }

  private async row({ tenantId }: Caller, id: string): Promise<TemplateRow> {
    checkText('id', id, { max: MAX_NAME });
    const row = await this.database.of(tenantId).template.findUnique({ where: { id }, include });
    if (!row) throw notFound(`Template ${quoted(id)}`);
    return row;
  }
}

type UpdateRules = z.output<typeof updateTemplateRules>;
type NamedState = TemplateState & Pick<TemplateRow, 'id' | 'name'>;

/** Returns the texts of an unsaved template. Its stylesheets do not matter to a check. */
const textsOf = (template: NamedState): TextsRow => ({ ...template, parentText: null });

/**
 * Translates a constraint violation into the caller's error. Only the database sees all writers, so names and parents are checked
 * there.
 */
async function refusedByDatabase<T>(write: Promise<T>, name: string, { parentCssId }: TemplateState): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (isUniqueViolation(error)) {
      const taken = quoted(name);
      throw new AppError('CONFLICT', `input.name: there is a template named "${taken}"; choose another name`, {
        field: 'input.name',
      });
    }
    if (isForeignKeyViolation(error)) throw unknownParent(String(parentCssId), 'input');
    throw error;
  }
}
