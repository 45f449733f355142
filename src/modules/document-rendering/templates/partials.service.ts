import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../common/auth/caller.js';
import { Database } from '../../../common/database/database.js';
import { AppError, notFound, quoted } from '../../../common/base/app-error.js';
import { isUniqueViolation } from '../../../common/base/database-faults.js';
import { timeOfId, uuidv7 } from '../../../common/base/ids.js';
import { Cursors } from '../../../common/lists/cursors.js';
import type { Page } from '../../../common/lists/page.js';
import { asCount } from '../../../common/base/amounts.js';
import { checkInput, checkText, MAX_NAME } from '../../../common/base/text.js';
import { inheritedIsReadOnly, ParentTenants } from '../../../common/tenants/parent-tenants.js';
import { TemplateEngine } from '../engine/template-engine.js';
import { checkUnchanged, timeAfter } from '../../../common/graphql/types/changed-after.js';
import { CreatePartialInput, PartialsFilter, UpdatePartialInput } from './template.inputs.js';
import { DEFAULT_PAGE } from '../models/css.model.js';
import { MAX_PARTIALS } from '../models/limits.js';
import type { TemplatePartial } from './partial.model.js';
import { ComposerService } from './composer.service.js';
import { fromAuthor, nameHash, type PartialRow, toPartial } from './template-row.js';
import { checkUnused, PartChangesService } from './part-changes.service.js';
import { pageOfPartials } from './template-lists.queries.js';
import { type PartialTextRow, renew, storeIncludes } from './template-parts.queries.js';
import { renderingChange, shown } from './rendering-events.js';

/**
 * Creates, lists, changes and deletes partials. No other service writes their table. A change applies to all templates that include
 * the partial.
 */
@Injectable()
export class PartialsService {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly engine: TemplateEngine,
    private readonly composer: ComposerService,
    private readonly changes: PartChangesService,
    private readonly parents: ParentTenants,
  ) {}

  /** Creates a partial. @throws PAYLOAD_TOO_LARGE at the tenant's limit of partials */
  async create({ tenantId }: Caller, input: CreatePartialInput): Promise<TemplatePartial> {
    const { name, contentType, body, author } = checkInput(CreatePartialInput.rules, input);
    const id = uuidv7();
    const now = new Date(timeOfId(id));
    const texts = { name, contentType, body };
    const data = {
      ...texts,
      id,
      tenantId,
      nameHash: nameHash(name),
      author: fromAuthor(author),
      revision: 1,
      createdAt: now,
      updatedAt: now,
    };
    const change = this.changes.make(tenantId, async () => {
      const names = await this.check(tenantId, texts);
      return {
        kind: renderingChange(tenantId, 'PARTIAL_CREATED'),
        isComposed: true,
        write: async (own) => {
          if ((await own.templatePartial.count()) >= MAX_PARTIALS) throw tooMany;
          const row = await own.templatePartial.create({ data });
          await storeIncludes(own, id, names);
          return row;
        },
        tell: (row: PartialRow) => shown(toPartial(row)),
      };
    });
    return toPartial(await unlessTaken(change, name));
  }

  /** Returns a page of partials, oldest first. */
  async page(
    { tenantId, budget }: Caller,
    filter: PartialsFilter | null,
    nextToken: string | null,
    limit: number | null,
  ): Promise<Page<TemplatePartial>> {
    const wanted = checkInput(PartialsFilter.rules, filter ?? {}, 'filter');
    const size = { limit: this.cursors.limit(limit ?? DEFAULT_PAGE), budget };
    const context = { tenantId, operation: 'partials', filter: wanted };
    const { ids, name } = wanted;
    const query = { tenantId, parent: this.parents.of(tenantId), ids, name, after: this.cursors.after(nextToken, context) };
    const { rows, more } = await pageOfPartials(this.database, query, size);
    const { items, ...page } = this.cursors.page(rows, more, (row) => row.id, context);
    return { ...page, items: items.map(toPartial) };
  }

  /** Changes the body of a partial. @throws BAD_USER_INPUT if a template that includes it could no longer be rendered */
  async update(caller: Caller, id: string, input: UpdatePartialInput): Promise<TemplatePartial> {
    const { body, author, changedAfter } = checkInput(UpdatePartialInput.rules, input);
    const { tenantId } = caller;
    const row = await this.changes.make(tenantId, async () => {
      const { name, contentType, updatedAt } = await this.row(caller, id);
      checkUnchanged('partial', updatedAt, changedAfter);
      const texts = { name, contentType, body };
      const names = await this.check(tenantId, texts);
      await this.changes.checkUsers(caller, { partialId: id }, { partials: [texts] }, 'input.body');
      return {
        kind: renderingChange(tenantId, 'PARTIAL_UPDATED'),
        isComposed: true,
        write: async (own) => {
          const data = { body, author: fromAuthor(author), revision: { increment: 1 }, updatedAt: timeAfter(updatedAt) };
          const [changed] = await own.templatePartial.updateManyAndReturn({ where: { id }, data });
          await storeIncludes(own, id, names);
          await renew(own, { partialId: id });
          return changed;
        },
        tell: (changed: PartialRow) => shown(toPartial(changed)),
      };
    });
    return toPartial(row);
  }

  /** Deletes a partial and returns its last state. @throws CONFLICT while a template or another partial includes it */
  async delete(caller: Caller, id: string): Promise<TemplatePartial> {
    const { tenantId } = caller;
    return this.changes.make(tenantId, async () => {
      const row = await this.row(caller, id);
      return {
        kind: renderingChange(tenantId, 'PARTIAL_DELETED'),
        isComposed: true,
        write: async (own) => {
          await checkUnused(own, { partialId: id });
          await own.templatePartial.deleteMany({ where: { id } });
          await storeIncludes(own, id, []);
          return toPartial(row);
        },
        tell: shown,
      };
    });
  }

  /** Checks the syntax of a partial outside any template, and returns the partials that it includes. */
  private async check(tenantId: string, texts: PartialTextRow): Promise<string[]> {
    const source = await this.composer.composePartial(this.composer.readers(tenantId), texts, 'input');
    const { includes } = await this.engine.check(tenantId, source, 'input');
    return includes;
  }

  private async row({ tenantId }: Caller, id: string): Promise<PartialRow> {
    checkText('id', id, { max: MAX_NAME });
    const row = await this.database.of(tenantId).templatePartial.findUnique({ where: { id } });
    if (row) return row;
    const isInherited = await this.parents.of(tenantId)?.templatePartial.count({ where: { id } });
    throw isInherited ? inheritedIsReadOnly(`Partial ${quoted(id)}`) : notFound(`Partial ${quoted(id)}`);
  }
}

const tooMany = new AppError(
  'PAYLOAD_TOO_LARGE',
  `The tenant may have at most ${asCount(MAX_PARTIALS)} partials; delete some first`,
);

async function unlessTaken<T>(write: Promise<T>, name: string): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    const message = `input.name: a partial named "${quoted(name)}" already exists; choose another name`;
    throw new AppError('CONFLICT', message, { field: 'input.name' });
  }
}
