import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { isForeignKeyViolation } from '../../../common/base/database-faults.js';
import { Database } from '../../../common/database/database.js';
import { EventOutbox } from '../../../common/events/outbox/event-outbox.js';
import { AppError, notFound, quoted } from '../../../common/base/app-error.js';
import { Cursors } from '../../../common/lists/cursors.js';
import type { Page } from '../../../common/lists/page.js';
import { timeOfId, uuidv7 } from '../../../common/base/ids.js';
import { checkInput, checkText, MAX_NAME } from '../../../common/base/text.js';
import { inheritedIsReadOnly, ParentTenants } from '../../../common/tenants/parent-tenants.js';
import { fromAuthor, nameHash, type CssRow, toCss } from './template-row.js';
import { checkUnchanged, timeAfter } from '../../../common/graphql/types/changed-after.js';
import { CreateCssInput, CssFilter, UpdateCssInput } from './template.inputs.js';
import { type Css, DEFAULT_PAGE } from '../models/css.model.js';
import { pageOfCss } from './template-lists.queries.js';
import { PartChangesService } from './part-changes.service.js';
import { renew } from './template-parts.queries.js';
import { renderingChange, shown } from './rendering-events.js';
import { RenderingQuotasService } from './rendering-quotas.service.js';

/** Maximum number of templates listed in an error. */
const MAX_LISTED = 10;

/** Creates, lists, changes and deletes stylesheets. No other service writes their table. */
@Injectable()
export class StylesheetsService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly quotas: RenderingQuotasService,
    private readonly outbox: EventOutbox,
    private readonly changes: PartChangesService,
    private readonly parents: ParentTenants,
  ) {}

  /** Creates a stylesheet. @throws PAYLOAD_TOO_LARGE at the tenant's limit of stylesheets */
  async create({ tenantId }: Caller, input: CreateCssInput): Promise<Css> {
    const { name, text, author } = checkInput(CreateCssInput.rules, input);
    const id = uuidv7();
    const now = new Date(timeOfId(id));
    const data = {
      id,
      tenantId,
      name,
      text,
      revision: 1,
      createdAt: now,
      updatedAt: now,
      nameHash: nameHash(name),
      author: fromAuthor(author),
    };
    const write = this.quotas.stylesheets.within(tenantId, 1, () =>
      this.outbox.change(
        renderingChange(tenantId, 'STYLESHEET_CREATED'),
        (own) => own.css.create({ data }),
        (row) => shown(toCss(row)),
      ),
    );
    return toCss(await write);
  }

  /** Returns a page of stylesheets, oldest first. */
  async page(
    { tenantId, budget }: Caller,
    filter: CssFilter | null,
    nextToken: string | null,
    limit: number | null,
  ): Promise<Page<Css>> {
    const wanted = checkInput(CssFilter.rules, filter ?? {}, 'filter');
    const size = { limit: this.cursors.limit(limit ?? DEFAULT_PAGE), budget };
    const context = { tenantId, operation: 'css', filter: wanted };
    const { ids, name } = wanted;
    const query = { tenantId, parent: this.parents.of(tenantId), ids, name, after: this.cursors.after(nextToken, context) };
    const { rows, more } = await pageOfCss(this.database, query, size);
    const { items, ...page } = this.cursors.page(rows, more, (row) => row.id, context);
    return { ...page, items: items.map(toCss) };
  }

  /** Changes a stylesheet. Omitted fields are unchanged; null clears a field. Every later rendering uses the new text. */
  async update({ tenantId }: Caller, id: string, input: UpdateCssInput): Promise<Css> {
    checkText('id', id, { max: MAX_NAME });
    const { text, author, changedAfter } = checkInput(UpdateCssInput.rules, input);
    const row = await this.changes.make(tenantId, async () => {
      const before = await this.database.of(tenantId).css.findUnique({ where: { id }, select: { updatedAt: true } });
      if (!before) throw await this.unknown(tenantId, id);
      checkUnchanged('stylesheet', before.updatedAt, changedAfter);
      const updatedAt = timeAfter(before.updatedAt);
      const data = { text, author: fromAuthor(author), revision: { increment: 1 }, updatedAt };
      return {
        kind: renderingChange(tenantId, 'STYLESHEET_UPDATED'),
        isComposed: true,
        write: async (own) => {
          const [changed] = await own.css.updateManyAndReturn({ where: { id }, data });
          await renew(own, { stylesheetId: id });
          return changed;
        },
        tell: (changed) => shown(toCss(changed)),
      };
    });
    return toCss(row);
  }

  /** Deletes a stylesheet and returns its last state. @throws CONFLICT while it is the parent of templates */
  async delete(caller: Caller, id: string): Promise<Css> {
    checkText('id', id, { max: MAX_NAME });
    for (;;) {
      const row = await this.database.of(caller.tenantId).css.findUnique({ where: { id } });
      if (!row) throw await this.unknown(caller.tenantId, id);
      if (await this.remove(row)) return toCss(row);
    }
  }

  /** Returns the error for an id that is not the tenant's own. */
  private async unknown(tenantId: string, id: string): Promise<AppError> {
    const isInherited = await this.parents.of(tenantId)?.css.count({ where: { id } });
    return isInherited ? inheritedIsReadOnly(`Css ${quoted(id)}`) : notFound(`Css ${quoted(id)}`);
  }

  /**
   * Deletes this revision of a stylesheet. Returns false if it no longer exists. The foreign key prevents deletion even if a
   * template is created concurrently.
   */
  private async remove(row: CssRow): Promise<boolean> {
    const { tenantId, id, revision } = row;
    const own = this.database.of(tenantId);
    try {
      const { count } = await this.outbox.change(
        renderingChange(tenantId, 'STYLESHEET_DELETED'),
        (transaction) => transaction.css.deleteMany({ where: { id, revision } }),
        (deleted) => (deleted.count > 0 ? shown(toCss(row)) : undefined),
      );
      return count > 0;
    } catch (error) {
      if (!isForeignKeyViolation(error)) throw error;
      const where = { parentCssId: id };
      const users = await own.template.findMany({
        where,
        select: { name: true },
        orderBy: { id: 'asc' },
        take: MAX_LISTED,
      });
      if (users.length === 0) return false;
      throw inUse(
        users.map(({ name }) => name),
        (await own.template.count({ where })) - users.length,
      );
    }
  }
}

function inUse(names: string[], more: number): AppError {
  const listed = names.map((name) => `"${quoted(name)}"`).join(', ');
  const templates = more > 0 ? `${listed} and ${more} more` : listed;
  return new AppError('CONFLICT', `id: the stylesheet is parentCss of ${templates}; set another one there first`, {
    field: 'id',
  });
}
