import { Injectable } from '@nestjs/common';
import type { Caller } from '../../common/auth/caller.js';
import { Config } from '../../common/config/config.js';
import { isForeignKeyViolation } from '../../common/database/database-faults.js';
import { PrismaService } from '../../common/database/prisma.service.js';
import { AppError, notFound } from '../../common/errors/app-error.js';
import { Cursors, type Page } from '../../common/graphql/page.js';
import { timeOfId, uuidv7 } from '../../common/ids/ids.js';
import { checkInput, checkText, MAX_NAME } from '../../common/validation/text.js';
import { type CssRow, fromAuthor, nameHash, toCss } from './css-row.js';
import type { CreateCssInput, CssFilter, UpdateCssInput } from './inputs/css.inputs.js';
import { createCssRules, cssFilterRules, updateCssRules } from './inputs/css.rules.js';
import { type Css, DEFAULT_PAGE } from './models/css.model.js';
import { pageOfCss } from './pages.queries.js';
import { RenderingQuotasService } from './rendering-quotas.service.js';

const NAMED_TEMPLATES = 10;
const SHOWN_OF_NAME = 100;

/** The rules of stylesheets and their rows. */
@Injectable()
export class StylesheetsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly cursors: Cursors,
    private readonly quotas: RenderingQuotasService,
    private readonly config: Config,
  ) {}

  /** @throws PAYLOAD_TOO_LARGE when the tenant has as many stylesheets as it may */
  async create({ tenantId }: Caller, input: CreateCssInput): Promise<Css> {
    const { name, text, author } = checkInput(createCssRules, input);
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
    return toCss(await this.quotas.stylesheets.within(tenantId, 1, () => this.prisma.css.create({ data })));
  }

  /** In the order of their creation. */
  async page(
    { tenantId, budget }: Caller,
    filter: CssFilter | null,
    nextToken: string | null,
    limit: number | null,
  ): Promise<Page<Css>> {
    const wanted = checkInput(cssFilterRules, filter ?? {}, 'filter');
    const size = { limit: this.cursors.limit(limit ?? DEFAULT_PAGE), budget };
    const context = { tenantId, operation: 'css', filter: wanted };
    const query = { tenantId, ids: wanted.ids, name: wanted.name, after: this.cursors.after(nextToken, context) };
    const { rows, more } = await pageOfCss(this.prisma, this.config.isPostgres, query, size);
    const { items, ...page } = this.cursors.page(rows, more, (row) => row.id, context);
    return { ...page, items: items.map(toCss) };
  }

  /** Left out means unchanged, null means cleared. What is rendered from now on has the new text. */
  async update({ tenantId }: Caller, id: string, input: UpdateCssInput): Promise<Css> {
    checkText('id', id, { max: MAX_NAME });
    const { text, author } = checkInput(updateCssRules, input);
    const [row] = await this.prisma.css.updateManyAndReturn({
      where: { tenantId, id },
      data: { text, author: fromAuthor(author), revision: { increment: 1 }, updatedAt: new Date() },
    });
    if (!row) throw unknownCss(id);
    return toCss(row);
  }

  /** Answers with the stylesheet as it was. @throws CONFLICT while templates have it as their parent */
  async delete(caller: Caller, id: string): Promise<Css> {
    checkText('id', id, { max: MAX_NAME });
    for (;;) {
      const row = await this.prisma.css.findFirst({ where: { tenantId: caller.tenantId, id } });
      if (!row) throw unknownCss(id);
      if (await this.removed(row)) return toCss(row);
    }
  }

  /** Whether this very state was deleted. The foreign key decides, also against a template that is made meanwhile. */
  private async removed({ tenantId, id, revision }: CssRow): Promise<boolean> {
    try {
      const { count } = await this.prisma.css.deleteMany({ where: { tenantId, id, revision } });
      return count > 0;
    } catch (error) {
      if (!isForeignKeyViolation(error)) throw error;
      const where = { tenantId, parentCssId: id };
      const users = await this.prisma.template.findMany({
        where,
        select: { name: true },
        orderBy: { id: 'asc' },
        take: NAMED_TEMPLATES,
      });
      if (users.length === 0) return false;
      throw inUse(
        users.map(({ name }) => name),
        (await this.prisma.template.count({ where })) - users.length,
      );
    }
  }
}

function unknownCss(id: string): AppError {
  return notFound(`Css ${id.slice(0, 100)}`);
}

function inUse(names: string[], more: number): AppError {
  const listed = names.map((name) => `"${name.slice(0, SHOWN_OF_NAME).toWellFormed()}"`).join(', ');
  const templates = more > 0 ? `${listed} and ${more} more` : listed;
  return new AppError('CONFLICT', `id: the stylesheet is parentCss of ${templates}; give these templates another one first`, {
    field: 'id',
  });
}
