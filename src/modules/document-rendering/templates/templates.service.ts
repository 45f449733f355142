import { Injectable } from '@nestjs/common';
import type { TemplateUncheckedUpdateManyInput } from '../../../generated/sqlite/models.js';
import type { Caller } from '../../../common/auth/caller.js';
import { isForeignKeyViolation, isUniqueViolation, isWriteConflict } from '../../../common/errors/database-faults.js';
import { Database } from '../../../common/database/database.js';
import { EventOutbox } from '../../../common/events/outbox/event-outbox.js';
import { AppError, notFound, quoted } from '../../../common/errors/app-error.js';
import { Cursors } from '../../../common/pages/cursors.js';
import type { Page } from '../../../common/pages/page.js';
import { timeOfId, uuidv7 } from '../../../common/ids/ids.js';
import { checkInput, checkText, MAX_NAME } from '../../../common/validation/text.js';
import { fromAuthor, nameHash } from './css-row.js';
import type { CreateTemplateInput, TemplatesFilter, UpdateTemplateInput } from '../inputs/template.inputs.js';
import { createTemplateRules, templatesFilterRules, updateTemplateRules } from '../inputs/template.rules.js';
import { DEFAULT_PAGE } from '../models/css.model.js';
import type { Template } from '../models/template.model.js';
import { pageOfTemplates } from './pages.queries.js';
import { renderingChange, shown } from './rendering-events.js';
import { RenderingQuotasService } from './rendering-quotas.service.js';
import { TemplateEngine } from '../engine/template-engine.js';
import { type TemplateRow, toTemplate } from './template-row.js';
import { NO_STATE, stateAfter, type TemplateState, unknownParent } from './template-state.js';

const include = { parentCss: true };

/** The rules of templates. No other service writes their table. Every stored template can be rendered. */
@Injectable()
export class TemplatesService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly engine: TemplateEngine,
    private readonly quotas: RenderingQuotasService,
    private readonly outbox: EventOutbox,
  ) {}

  /** Creates a template. @throws PAYLOAD_TOO_LARGE if the tenant has its maximum number of templates */
  async create(caller: Caller, input: CreateTemplateInput): Promise<Template> {
    const { name, type, comment, author, ...given } = checkInput(createTemplateRules, input);
    const state = stateAfter(given, { ...NO_STATE, type }, 'input');
    await this.checkLanguage(caller, state);
    const id = uuidv7();
    const now = new Date(timeOfId(id));
    const data = {
      ...state,
      id,
      tenantId: caller.tenantId,
      name,
      comment,
      active: true,
      revision: 1,
      createdAt: now,
      updatedAt: now,
      nameHash: nameHash(name),
      author: fromAuthor(author),
    };
    const write = this.quotas.templates.within(caller.tenantId, 1, () =>
      this.outbox.change(
        renderingChange(caller.tenantId, 'TEMPLATE_CREATED'),
        (own) => own.template.create({ data, include }),
        (row) => shown(toTemplate(row)),
      ),
    );
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
    const { name, active, comment, author, ...given } = checkInput(updateTemplateRules, input);
    for (;;) {
      const before = await this.row(caller, id);
      const state = stateAfter(given, before, 'input');
      await this.checkLanguage(caller, state);
      const change = this.replace(before, {
        ...state,
        name,
        active,
        comment,
        revision: { increment: 1 },
        updatedAt: new Date(),
        ...(name !== undefined && { nameHash: nameHash(name) }),
        author: fromAuthor(author),
      });
      const row = await refusedByDatabase(change, name ?? before.name, state);
      if (row) return toTemplate(row);
    }
  }

  /** Deletes a template and returns it as it was. */
  async delete(caller: Caller, id: string): Promise<Template> {
    for (;;) {
      const row = await this.row(caller, id);
      const { tenantId, revision } = row;
      const template = toTemplate(row);
      const { count } = await this.outbox.change(
        renderingChange(tenantId, 'TEMPLATE_DELETED'),
        (own) => own.template.deleteMany({ where: { id: row.id, revision } }),
        (deleted) => (deleted.count > 0 ? shown(template) : undefined),
      );
      if (count > 0) return template;
    }
  }

  /**
   * Overwrites only the revision that was checked, since another change in between could leave fields in conflict. Returns
   * undefined after such a change. Two templates that swap names can deadlock; the aborted change is handled in the same way.
   */
  private async replace(
    { tenantId, id, revision }: TemplateRow,
    data: TemplateUncheckedUpdateManyInput,
  ): Promise<TemplateRow | undefined> {
    try {
      const [row] = await this.outbox.change(
        renderingChange(tenantId, 'TEMPLATE_UPDATED'),
        (own) => own.template.updateManyAndReturn({ where: { id, revision }, data, include }),
        ([changed]) => changed && shown(toTemplate(changed)),
      );
      return row;
    } catch (error) {
      if (isWriteConflict(error)) return undefined;
      throw error;
    }
  }

  private async checkLanguage(caller: Caller, { type, contentType, subject, body }: TemplateState): Promise<void> {
    await this.engine.check(caller.tenantId, { type, contentType, subject, body, css: [] }, 'input');
  }

  private async row({ tenantId }: Caller, id: string): Promise<TemplateRow> {
    checkText('id', id, { max: MAX_NAME });
    const row = await this.database.of(tenantId).template.findUnique({ where: { id }, include });
    if (!row) throw notFound(`Template ${quoted(id)}`);
    return row;
  }
}

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
